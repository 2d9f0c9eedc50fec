"""How far the confidence can be trusted, what is taken for what, and the worst pictures.

All on the photographs of ``train/`` that are held out of training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from vision.classify import IndexReading, cut_upright
from vision.explain import explained
from vision.frame import Image
from vision.measure import match
from vision.pair import kept_groups, quad_of
from vision.proving.count import counted, share, summed
from vision.proving.ledger import Row, Step, run_steps
from vision.proving.photographs import Photograph, held_out
from vision.proving.sheet import bound, chart, table
from vision.proving.study import Bench
from vision.reader import Reader

BANDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0001)
THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
#: An index is said to be read as something from this probability on.
READ = 0.5


def owner_of(reading: IndexReading, cards: Sequence[dict[str, Any]]) -> str | None:
    """The only labelled card in whose box the index lies; None for none or several."""
    inside = [
        c["card"]
        for c in cards
        if c["box"][0] <= reading.spot.x <= c["box"][2]
        and c["box"][1] <= reading.spot.y <= c["box"][3]
    ]
    return inside[0] if len(inside) == 1 else None


def _picture_row(reader: Reader, photograph: Photograph) -> Row:
    image = photograph.load()
    readings, backs = reader.readings(image)
    detections = reader.gathered(image, readings, backs)
    indices = []
    for r in readings:
        true = owner_of(r, photograph.cards)
        if true is not None and r.card is not None and r.spot.score >= 0.3:
            indices.append([true, r.card, round(r.confidence, 5), round(r.none, 4)])
    groups = {quad_of(g): g for g in kept_groups(readings, reader.settings.rules)}
    named = []
    alone = []
    for d in detections:
        if d.kind == "back" or d.card is None:
            continue
        # an unsure one is judged by its best guess
        found, _, _ = match([replace(d, kind="card")], photograph.cards)
        named.append([d.kind, d.card, round(d.confidence, 5), bool(found)])
        group = groups.get(d.quad) if d.quad is not None else None
        if d.kind == "card" and group is not None and len(group.readings) == 1:
            score = round(group.readings[0].spot.score, 4)
            alone.append([d.card, round(d.confidence, 5), score, bool(found)])
    _, missed, wrong = match(detections, photograph.cards)
    return {
        "counts": counted(detections, photograph.cards),
        "indices": indices,
        "named": named,
        "alone": alone,
        "missed": [c["card"] for c in missed if not c.get("optional")],
        "wrong": [[d.card, d.confidence] for d in wrong],
    }


def banded(points: Sequence[tuple[float, bool]]) -> list[dict[str, object]]:
    """For each band of probability: how many, what was said on average, how many were right."""
    rows: list[dict[str, object]] = []
    for low, high in pairwise(BANDS):
        some = [(p, right) for p, right in points if low <= p < high]
        if some:
            rows.append(
                {
                    "from": low,
                    "to": min(high, 1.0),
                    "n": len(some),
                    "said %": round(100 * sum(p for p, _ in some) / len(some), 2),
                    "right %": round(100 * sum(r for _, r in some) / len(some), 2),
                    "wrong": sum(not r for _, r in some),
                }
            )
    return rows


def calibration_error(points: Sequence[tuple[float, bool]]) -> float:
    """Expected calibration error in per cent: the bands' gaps, weighted by their counts."""
    gaps = [
        (row["n"], abs(float(str(row["said %"])) - float(str(row["right %"]))))
        for row in banded(points)
    ]
    count = sum(int(str(n)) for n, _ in gaps)
    return round(sum(int(str(n)) * gap for n, gap in gaps) / max(count, 1), 2)


def trust(bench: Bench, *, every: int = 1, worst: int = 12) -> None:
    """Reliability, thresholds, confusions and the worst pictures of the held-out photographs."""
    chosen = list(held_out(bench.photos, every=every))
    by_name = {f"{p.folder}/{p.file.name}": p for p in chosen}
    stamp = bench.stamp("trust")

    def steps() -> Iterator[Step]:
        for name, photograph in by_name.items():
            yield name, partial(_picture_row, bench.reader, photograph)

    rows = dict(run_steps(bench.out / "trust.jsonl", stamp, steps()))
    counts = []
    for folder in dict.fromkeys(p.folder for p in chosen):
        total = summed(r["counts"] for n, r in rows.items() if n.startswith(folder))
        counts.append(
            {
                "folder": folder,
                "found %": share(total),
                **total,
                "wrong, 95%": bound(total["wrong"], total["named"]),
            }
        )
    bench.tell("held_out", counts, title="Photographs held out of training")
    indices = [(t, c, float(p)) for r in rows.values() for t, c, p, _ in r["indices"]]
    single = [(p, t == c) for t, c, p in indices]
    whole = [(float(p), bool(right)) for r in rows.values() for _, _, p, right in r["named"]]
    for name, title, points in (
        ("reliability_indices", "One index alone", single),
        ("reliability_cards", "A card's confidence, named or unsure", whole),
    ):
        bench.tell(
            name,
            banded(points),
            title=f"{title}: what was said and what was right (gap {calibration_error(points)}%)",
        )
    chart(
        bench.out / "reliability.svg",
        title="Reliability on held-out photographs",
        x_label="said, %",
        y_label="right, %",
        series={
            label: [
                (float(str(b["said %"])), float(str(b["right %"])))
                for b in banded(points)
                if int(str(b["n"])) >= 10
            ]
            for label, points in (("one index", single), ("card", whole))
        },
        ticks=(0, 20, 40, 60, 80, 100),
        diagonal=True,
    )
    limits = []
    for least in THRESHOLDS:
        some = [right for p, right in single if p >= least]
        limits.append(
            {
                "one index from": least,
                "read": len(some),
                "of %": round(100 * len(some) / max(len(single), 1), 1),
                "wrong": sum(not r for r in some),
                "wrong, 95%": bound(sum(not r for r in some), len(some)),
            }
        )
    bench.tell("thresholds", limits, title="What one index alone would risk at each threshold")
    lone = [(float(score), bool(right)) for r in rows.values() for *_, score, right in r["alone"]]
    by_score = []
    for low, high in pairwise((0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0001)):
        some = [right for score, right in lone if low <= score < high]
        if some:
            by_score.append(
                {
                    "finder's score from": low,
                    "named": len(some),
                    "wrong": sum(not r for r in some),
                    "wrong, 95%": bound(sum(not r for r in some), len(some)),
                }
            )
    bench.tell("alone", by_score, title="Cards named by one index alone, by the finder's score")
    _confusions(bench, indices)
    _worst(bench, rows, by_name, worst)


def _confusions(bench: Bench, indices: Sequence[tuple[str, str, float]]) -> None:
    ranks: Counter[tuple[str, str]] = Counter()
    suits: Counter[tuple[str, str]] = Counter()
    for true, said, p in indices:
        read = said if p >= READ else "-"
        ranks[true[0], read[0]] += 1
        if len(true) == 2:
            suits[true[1], read[1] if len(read) == 2 else "-"] += 1
    for name, table_of in (("rank", ranks), ("suit", suits)):
        names = [n for n in "23456789TJQKABbcdhs-" if any(n in pair for pair in table_of)]
        rows: list[dict[str, object]] = []
        for true in names:
            line = {said: table_of[true, said] for said in names}
            if any(line.values()):
                rows.append({"is": true, **{s: n or "." for s, n in line.items()}})
        bench.tell(
            f"confusion_{name}",
            rows,
            title=f"Indices by {name}: what it is, and what it is read as at {READ} or more "
            "(B and b are jokers, - unread)",
        )


def _worst(bench: Bench, rows: dict[str, Row], by_name: dict[str, Photograph], most: int) -> None:
    """Explain the pictures with the most wrong and missed cards; and the worst crops."""
    cards = {name: max(row["counts"]["cards"], 1) for name, row in rows.items()}
    order = sorted(
        rows,
        key=lambda n: (-len(rows[n]["wrong"]), -len(rows[n]["missed"]) / cards[n], n),
    )
    bad = [n for n in order if rows[n]["wrong"] or rows[n]["missed"]][:most]
    folder = bench.out / "worst"
    folder.mkdir(parents=True, exist_ok=True)
    told = []
    for name in bad:
        photograph = by_name[name]
        image = photograph.load()
        drawn = explained(image, bench.reader, bench.reader.read(image))
        path = folder / f"{photograph.file.stem}.jpg"
        cv2.imwrite(str(path), drawn, [1, 85])
        told.append(
            {
                "picture": name,
                "wrong": " ".join(f"{c}@{p:.3f}" for c, p in rows[name]["wrong"]) or "-",
                "missed": " ".join(rows[name]["missed"]) or "-",
                "drawn": path.name,
            }
        )
    bench.tell("worst", told, title="The worst pictures (drawn in worst/)")
    mistakes = [
        (float(p), name, true, said)
        for name, row in rows.items()
        for true, said, p, _ in row["indices"]
        if true != said
    ]
    mistakes.sort(reverse=True)
    crops = _crop_sheet(bench.reader, mistakes[:40], by_name)
    if crops is not None:
        cv2.imwrite(str(folder / "likeliest_mistakes.png"), crops)
    print(
        table(
            [{"p": f"{p:.3f}", "is": t, "read as": s, "picture": n} for p, n, t, s in mistakes[:12]]
        )
    )


def _crop_sheet(
    reader: Reader,
    mistakes: Sequence[tuple[float, str, str, str]],
    by_name: dict[str, Photograph],
) -> Image | None:
    """The misread indices upright, the likeliest first, each with what it is and was read as."""
    tiles: list[Image] = []
    s = reader.settings
    high, wide = s.crop_px[0] * 3, s.crop_px[1] * 3
    for p, name, true, said in mistakes:
        photograph = by_name[name]
        image = photograph.load()
        readings, _ = reader.readings(image)
        hit = next(
            (
                r
                for r in readings
                if r.card == said
                and abs(r.confidence - p) < 1e-3
                and owner_of(r, photograph.cards) == true
            ),
            None,
        )
        if hit is None:
            continue
        crop = cut_upright(image, hit.spot, crop_px=s.crop_px, index_px=s.crop_index_px)
        tile = np.full((high + 22, wide + 6, 3), 255, np.uint8)
        tile[:high, :wide] = cv2.resize(crop, (wide, high), interpolation=cv2.INTER_CUBIC)
        text = f"{true} as {said} {p:.3f}"
        cv2.putText(
            tile, text, (2, high + 15), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (0, 0, 0), 1, cv2.LINE_AA
        )
        tiles.append(tile)
    if not tiles:
        return None
    a_row = 8
    while len(tiles) % a_row:
        tiles.append(np.full_like(tiles[0], 255))
    lines = [np.hstack(tiles[k : k + a_row]) for k in range(0, len(tiles), a_row)]
    return np.ascontiguousarray(np.vstack(lines), np.uint8)
