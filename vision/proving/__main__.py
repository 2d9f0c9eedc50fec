"""``python -m vision.proving STUDY...``: measure the reader, and say what it cannot do.

Studies: ``trust`` (held-out photographs: found, wrong, reliability, thresholds, confusions,
the worst pictures), ``shrink`` (photographs reduced until the index is 8 px high),
``conditions`` (dark, warm, glare, defocus, motion, JPEG, noise, lean: one at a time on
photographs), ``decks`` (whole tables of decks and fonts never trained on), ``foreign``
(letters that are no rank of ours), ``clutter`` (tables without a card), ``readings`` (single
indices of decks that were trained on, in great number). ``all`` does them in this order. Each
prints a table and writes JSON and charts (SVG) under ``--out``; each goes on where it was stopped.
``test/`` is left alone unless ``--test`` is given, and every look at it is counted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2

from vision.errors import VisionError
from vision.proving.study import Bench
from vision.reader import STILL_SIDES_PX, VIDEO_SIDES_PX, load_reader

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ("trust", "shrink", "conditions", "decks", "foreign", "clutter", "readings")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m vision.proving",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", nargs="+", choices=[*STUDIES, "all"])
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "upcard-training")
    parser.add_argument(
        "--photos",
        type=Path,
        default=ROOT.parent / "shared" / "data" / "photos",
        help="the folder that holds train/ and test/",
    )
    parser.add_argument("--out", type=Path, default=None, help="default: WORK/proving")
    parser.add_argument("--models", type=Path, default=None, help="another folder of models")
    parser.add_argument("--video", action="store_true", help="look as at video frames")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", action="store_true", help="look at test/ too: it is counted")
    parser.add_argument("--every", type=int, default=1, help="only each n-th photograph")
    parser.add_argument("--condition", action="append", default=[], help="only this ladder")
    parser.add_argument("--cards", type=int, default=20_000, help="of held-out decks")
    parser.add_argument(
        "--four-colours", action="store_true", help="of held-out decks, clubs green, diamonds blue"
    )
    parser.add_argument("--indices", type=int, default=5_000, help="with foreign letters")
    parser.add_argument("--scenes", type=int, default=2_000, help="without a card")
    parser.add_argument("--readings", type=int, default=100_000, help="of single indices")
    parser.add_argument(
        "--half",
        choices=("choose", "report"),
        help="only the kept-back decks and fonts to choose thresholds by, or to report on",
    )
    parser.add_argument("--worst", type=int, default=12, help="pictures to draw")
    parser.add_argument("--sheet", action="store_true", help="write sample sheets of the scenes")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    cv2.setNumThreads(chosen.threads)
    sides = VIDEO_SIDES_PX if chosen.video else STILL_SIDES_PX
    try:
        bench = Bench(
            reader=load_reader(models_dir=chosen.models, threads=chosen.threads, sides_px=sides),
            models_dir=chosen.models,
            photos=chosen.photos,
            work=chosen.work,
            out=chosen.out or chosen.work / "proving",
            seed=chosen.seed,
            test=chosen.test,
            options={"sides_px": sides},
            half=chosen.half,
        )
        # the drawn tables need the art and Pillow; the photographs do not need the art
        from vision.proving import decks, ladders, strangers, trust
        from vision.proving import readings as single

        runs: dict[str, Callable[[], None]] = {
            "trust": lambda: trust.trust(bench, every=chosen.every, worst=chosen.worst),
            "shrink": lambda: ladders.shrink(bench, every=chosen.every),
            "conditions": lambda: ladders.conditions(
                bench, every=chosen.every, only=chosen.condition
            ),
            "decks": lambda: decks.decks(
                bench, cards=chosen.cards, sheet=chosen.sheet, four_colours=chosen.four_colours
            ),
            "foreign": lambda: strangers.foreign(bench, indices=chosen.indices),
            "clutter": lambda: strangers.clutter(bench, scenes=chosen.scenes, sheet=chosen.sheet),
            "readings": lambda: single.readings(bench, count=chosen.readings),
        }
        for name in STUDIES if "all" in chosen.study else chosen.study:
            runs[name]()
    except (VisionError, OSError, ValueError) as fault:
        print(f"proving: {fault}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as fault:
        print(
            f"proving: {fault}: install the training packages (docs/training.md)", file=sys.stderr
        )
        return 1
    except KeyboardInterrupt:
        print("proving: stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
