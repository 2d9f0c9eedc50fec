"""Ladders over real photographs: smaller and smaller, and one condition harsher and harsher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median

import numpy as np

from vision.frame import Image
from vision.proving.alter import CONDITIONS, LEAN_STEPS, Condition, leaned, shrunk
from vision.proving.count import counted, share, summed
from vision.proving.ledger import Row, Step, run_steps
from vision.proving.photographs import HELD_OUT, TEST, Photograph, photographs
from vision.proving.sheet import bound, chart
from vision.proving.study import Bench
from vision.reader import Reader

#: Index heights (rank and suit together) in pixels; 0: the picture as it is.
SHRINK_STEPS_PX = (0, 25, 20, 17, 14, 12, 10, 8)
#: A ladder ends where less than this share (per cent) is found.
FLOOR = 95.0


def index_height(reader: Reader, photograph: Photograph, image: Image) -> float | None:
    """The median height in pixels of the indices that read as a card of the label."""
    readings, _ = reader.readings(image)
    there = {c["card"] for c in photograph.cards}
    heights = [r.spot.height_px for r in readings if r.card in there and r.confidence >= 0.7]
    return median(heights) if heights else None


def _shrink_row(reader: Reader, chosen: Sequence[Photograph], target_px: float) -> Row:
    heights: list[float | None] = []
    counts = []
    pending: list[tuple[Photograph, Image]] = []

    def take(photograph: Photograph, image: Image, height: float) -> None:
        factor = 1.0 if not target_px else target_px / height
        if factor > 1:
            return  # smaller already than this step
        small, cards = shrunk(image, photograph.cards, factor)
        counts.append(counted(reader.read(small), cards))

    for photograph in chosen:
        image = photograph.load()
        height = index_height(reader, photograph, image) if target_px else 1.0
        heights.append(height)
        if height is None:
            pending.append((photograph, image))
        else:
            take(photograph, image, height)
    known = [h for h in heights if h]
    for photograph, image in pending:
        # nothing was read at full size: take it to be as large as its folder's others
        if known:
            take(photograph, image, median(known))
    return summed(counts)


def shrink(bench: Bench, *, every: int = 1, steps_px: Sequence[float] = SHRINK_STEPS_PX) -> None:
    """Photographs reduced until their index is so many pixels high.

    A picture takes part in a step only if its index is at least that high as it is.
    """
    folders = (*HELD_OUT, *TEST) if bench.test else HELD_OUT
    stamp = bench.stamp("shrink", every=every)
    if bench.test:
        bench.may_look("shrink", bench.stamp("shrink", every=every, test=True))

    def steps() -> Iterator[Step]:
        for folder in folders:
            chosen = photographs(bench.photos, folder, every=every)
            for target in steps_px:
                yield f"{folder} {target:g}", partial(_shrink_row, bench.reader, chosen, target)

    rows: list[dict[str, object]] = []
    lines: dict[str, list[tuple[float, float]]] = {}
    for name, row in run_steps(bench.out / "shrink.jsonl", stamp, steps()):
        folder, target = name.rsplit(" ", 1)
        rows.append(
            {
                "folder": folder,
                "index px": "as it is" if target == "0" else target,
                "found %": share(row),
                **row,
            }
        )
        if target != "0":
            lines.setdefault(folder, []).append((float(target), share(row)))
        print(f"  {name}: found {share(row)}%, wrong {row['wrong']}", flush=True)
    bench.tell("shrink", rows, title="Found and wrong against the index's height in pixels")
    chart(
        bench.out / "shrink.svg",
        title="Cards found against the height of the index",
        x_label="index height, pixels",
        y_label="found, %",
        series=lines,
    )


def _condition_row(
    reader: Reader,
    chosen: Sequence[Photograph],
    condition: Condition | None,
    step: float,
    seed: int,
) -> Row:
    counts = []
    for k, photograph in enumerate(chosen):
        image, cards = photograph.load(), photograph.cards
        # the same patch, smear or lean at every step of a picture: only its strength changes
        rng = np.random.default_rng((seed, k))
        if condition is None:
            image, cards = leaned(image, cards, step, float(rng.uniform(0, 2 * np.pi)))
        else:
            boxes = [tuple(c["box"]) for c in cards if "box" in c]
            image = condition.alter(image, step, boxes, rng)
        counts.append(counted(reader.read(image), cards))
    return summed(counts)


def conditions(bench: Bench, *, every: int = 1, only: Sequence[str] = ()) -> None:
    """Each condition alone, from nothing to harsh, on real photographs."""
    folders = (*HELD_OUT, *TEST) if bench.test else HELD_OUT
    stamp = bench.stamp("conditions", every=every, seed=bench.seed)
    if bench.test:
        bench.may_look("conditions", stamp)
    ladders: list[tuple[str, str, tuple[float, ...], Condition | None]] = [
        (c.name, c.unit, c.steps, c) for c in CONDITIONS
    ]
    ladders.append(("lean", "degrees more", LEAN_STEPS, None))
    units = {name: unit for name, unit, _, _ in ladders}

    def steps() -> Iterator[Step]:
        for folder in folders:
            chosen = photographs(bench.photos, folder, every=every)
            for name, _, degrees, condition in ladders:
                if only and name not in only:
                    continue
                for step in degrees:
                    yield (
                        f"{folder} {name} {step:g}",
                        partial(_condition_row, bench.reader, chosen, condition, step, bench.seed),
                    )

    ladder: dict[tuple[str, str], list[tuple[float, Row]]] = {}
    for step_name, row in run_steps(bench.out / "conditions.jsonl", stamp, steps()):
        folder, name, step = step_name.split(" ")
        ladder.setdefault((folder, name), []).append((float(step), row))
        print(f"  {step_name}: found {share(row)}%, wrong {row['wrong']}", flush=True)
    rows, summary = [], []
    charts: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for (folder, name), line in ladder.items():
        charts.setdefault(name, {})[folder] = [(s, share(r)) for s, r in line]
        rows += [
            {"folder": folder, "condition": name, "step": s, "found %": share(r), **r}
            for s, r in line
        ]
        under = [s for s, r in line if share(r) < FLOOR]
        total = summed(r for _, r in line)
        summary.append(
            {
                "folder": folder,
                "condition": name,
                "unit": units[name],
                "found % by step": " ".join(f"{s:g}:{share(r):g}" for s, r in line),
                "under 95% from": f"{under[0]:g}" if under else "never",
                "wrong": total["wrong"],
                "of named": total["named"],
                "wrong, 95%": bound(total["wrong"], total["named"]),
            }
        )
    bench.tell(
        "conditions",
        summary,
        title="One condition at a time (altered copies: not counted among real readings)",
        more={"steps": rows},
    )
    for name, series in charts.items():
        chart(
            bench.out / f"conditions_{name}.svg",
            title=f"Cards found: {name}",
            x_label=units[name],
            y_label="found, %",
            series=series,
            evenly=True,
        )
