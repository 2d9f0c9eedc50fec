"""Single indices in great number, on normal tables of the decks and fonts that were trained on.

No measure of what a new deck meets (``decks`` is): it shows how often an index that is sure enough
to name its card by itself says another name, where nothing is strange.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np

from vision.proving.count import WHOLE, Lying, judged
from vision.proving.decks import (
    TABLES_A_STEP,
    Setting,
    Stock,
    draw_setting,
    load_stock,
    make_table,
    size_band,
)
from vision.proving.ledger import Row, Step, run_steps
from vision.proving.sheet import bound
from vision.proving.study import Bench
from vision.reader import Reader


def normal_setting(rng: np.random.Generator) -> Setting:
    """A setting in which nothing is pushed."""
    while True:
        setting = draw_setting(rng)
        if setting.pushed == "nothing":
            return setting


def _readings_row(reader: Reader, stock: Stock, seed: int, step: int) -> Row:
    counts: dict[str, Counter[str]] = {}
    mistakes: list[str] = []
    for k in range(step * TABLES_A_STEP, (step + 1) * TABLES_A_STEP):
        rng = np.random.default_rng((seed, 23, k))
        image, seen, deck = make_table(stock, normal_setting(rng), rng)
        readings, _ = reader.readings(image)
        cards = [Lying(name=one.name, box=one.box, marks=one.marks) for one in seen]
        for reading in readings:
            one = judged(reading, cards, reader.settings.rules)
            if one.mark is None and not one.named:
                continue
            levels = ["all", "no index" if one.mark is None else size_band(one.mark.height_px)]
            if one.mark is not None and one.mark.share < WHOLE:
                levels[1] = "covered in part"
            for level in levels:
                into = counts.setdefault(level, Counter())
                into["read"] += 1
                into["named"] += one.named
                into["wrong"] += one.wrong
            if one.wrong:
                mistakes.append(
                    f"table {k} {deck}: {one.true or 'nothing'} as {reading.card} at "
                    f"{reading.confidence:.3f}"
                )
    return {"counts": {level: dict(c) for level, c in counts.items()}, "mistakes": mistakes}


def readings(bench: Bench, *, count: int) -> None:
    """Read indices until ``count`` of them were read."""
    stock = load_stock(bench.work, held_out=False)
    stamp = bench.stamp("readings", seed=bench.seed, decks=sorted(stock.shelf.art))
    total: dict[str, Counter[str]] = {"all": Counter()}
    mistakes: list[str] = []

    def steps() -> Iterator[Step]:
        # a reader that sees nothing comes to an end too
        for step in range(math.ceil(count / TABLES_A_STEP)):
            if total["all"]["read"] >= count:
                return
            yield f"tables {step}", partial(_readings_row, bench.reader, stock, bench.seed, step)

    for name, row in run_steps(bench.out / "readings.jsonl", stamp, steps()):
        for level, counts in row["counts"].items():
            total.setdefault(level, Counter()).update(counts)
        mistakes += row["mistakes"]
        done = total["all"]
        print(
            f"  {name}: {done['read']} of {count} read, {done['named']} named alone, "
            f"{done['wrong']} wrong",
            flush=True,
        )

    def first_number(level: str) -> tuple[bool, float]:
        digits = "".join(c for c in level.split("-")[0] if c.isdigit())
        return level != "all", float(digits) if digits else math.inf

    bench.tell(
        "readings",
        [
            {
                "what": level,
                "read": total[level]["read"],
                "named alone": total[level]["named"],
                "wrong": total[level]["wrong"],
                "wrong, 95%": bound(total[level]["wrong"], total[level]["named"]),
            }
            for level in sorted(total, key=first_number)
        ],
        title="Single indices on normal tables of decks and fonts that were trained on",
        more={"mistakes": mistakes},
    )
