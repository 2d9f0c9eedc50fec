"""Whole simulated games through pixels, held against the truth.

``python -m pi.sim.campaign --seeds 1-20 [--misread 0.02]`` prints a line per game: equal,
reviews (something is asked, nothing is silently wrong) or WRONG with what differs. The exit
code is 1 when any game is WRONG.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.errors import EngineError
from engine.ruleset import preset
from models.errors import ModelError
from pi.errors import KitError
from pi.settings import KitSettings
from pi.sim.compare import Comparison, compare
from pi.sim.dials import Dials, dials_from
from pi.sim.seeing import TrueReader
from pi.sim.table import SimTable
from pi.wiring import Kit, build
from vision.ports import CardReader, FrameSource

#: How many differences of a game are printed.
_SHOWN: Final = 12


def play_one(
    *, seed: int, dials: Dials, settings: KitSettings, reader: CardReader | None
) -> tuple[Comparison, Kit]:
    """One game, as fast as it goes. ``reader`` None: the truth itself reads, without a model."""

    def reader_for(source: FrameSource) -> CardReader:
        if reader is not None:
            return reader
        assert isinstance(source, SimTable)
        return TrueReader(source)

    settings = replace(settings, seed=seed, dials=dials, table="sim", speed=None, games=1)
    with build(settings, reader_for=reader_for) as kit:
        kit.run()
        table = kit.source
        assert isinstance(table, SimTable)
        return compare(table.truth[0], kit.table.state), kit


def main(arguments: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.DEBUG if given.verbose else logging.ERROR)
    try:
        # Whatever is wrong is said before the first game, which takes a while.
        preset(given.rules)
        if given.facts is not None:
            given.facts.mkdir(parents=True, exist_ok=True)
        dials = dials_from([*given.dial, f"misread={given.misread}"])
        settings = KitSettings(
            rules=given.rules,
            fps=given.fps,
            passes=given.passes,
            width_px=given.width,
            height_px=round(given.width * 9 / 16),
            reader_threads=given.threads,
            people_answer=given.answer,
        )
        reader: CardReader | None = None
        if not given.true_reader:
            from vision.reader import load_reader

            reader = load_reader(threads=given.threads)
    except (KitError, EngineError, ModelError) as error:
        print(f"campaign: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"campaign: --facts {given.facts}: {error.strerror}: name a folder", file=sys.stderr)
        return 2
    counts = {"equal": 0, "reviews": 0, "WRONG": 0}
    for seed in given.seeds:
        began = time.perf_counter()
        found, kit = play_one(seed=seed, dials=dials, settings=settings, reader=reader)
        counts[found.verdict] += 1
        print(_line(seed, found, kit, time.perf_counter() - began), flush=True)
        for difference in found.differences[:_SHOWN]:
            print(f"    {difference}")
        if len(found.differences) > _SHOWN:
            # A deal that was missed shifts all after it: the first lines tell the cause.
            print(f"    and {len(found.differences) - _SHOWN} more")
        for command, refused in kit.rejected:
            print(f"    refused {command}: {refused.reason}")
        if given.facts is not None:
            lines = (f"{r.version:4d} {r.at_us} {r.source} {r.fact}\n" for r in kit.table.records)
            (given.facts / f"{seed}.txt").write_text("".join(lines), encoding="utf-8")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["WRONG"] else 0


def _line(seed: int, found: Comparison, kit: Kit, took_s: float) -> str:
    score = kit.table.state.score
    health = kit.health()
    settling = sorted(latency.settling_us for latency in kit.latencies)
    middle_ms = settling[len(settling) // 2] / 1000 if settling else 0
    return (
        f"seed {seed:3d}  {found.verdict:7s} score {score[0]}-{score[1]}  "
        f"{len(kit.table.state.deals)} deals  {found.reviews} reviews  "
        f"{health['frames']} frames  {health['reads']} reads of {health['read_ms']} ms, "
        f"gate {health['gate_ms']} ms, settling {middle_ms:.0f} ms  {took_s:.0f} s"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pi.sim.campaign",
        description="Play simulated games through pixels and hold them against the truth.",
    )
    parser.add_argument("--seeds", type=_seeds, default=range(1, 21), metavar="1-20|3,7")
    parser.add_argument("--misread", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--dial", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rules", default="home")
    parser.add_argument("--fps", type=float, default=10.0)
    parser.add_argument("--passes", type=int, default=1, help="shuffler passes between deals")
    parser.add_argument("--width", type=int, default=1280, help="the picture's width in pixels")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--facts", type=Path, help="write every game's facts into this folder")
    parser.add_argument("--verbose", action="store_true", help="say what was ignored and why")
    parser.add_argument(
        "--answer", action="store_true", help="let the players answer what the kit asks"
    )
    parser.add_argument(
        "--true-reader", action="store_true", help="let the truth read, to try all the rest"
    )
    return parser


def _seeds(text: str) -> Sequence[int]:
    try:
        if "-" in text:
            low, _, high = text.partition("-")
            seeds: Sequence[int] = range(int(low), int(high) + 1)
        else:
            seeds = [int(part) for part in text.split(",")]
    except ValueError:
        seeds = ()
    if not seeds:
        # Of no games none would be wrong.
        raise argparse.ArgumentTypeError(f"{text!r} are no seeds: write 1-20 or 3,7")
    return seeds


if __name__ == "__main__":
    raise SystemExit(main())
