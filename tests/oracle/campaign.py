"""The long proofs, by command: the same as in the tests, on as many deals as asked for.

    python tests/oracle/campaign.py spiel --deals 1000000
    python tests/oracle/campaign.py revokes --deals 100000 [--preset british]
    python tests/oracle/campaign.py misreads --deals 100000 [--preset home]

Each ends with 1 where the engine was wrong once. Stopped with Ctrl-C it says how far it came.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]


def _last(runs: Iterator[Any], name: str) -> tuple[Any, float]:
    """The tally at the end, or where it was stopped; processor seconds."""
    began = time.process_time()
    tally = None
    try:
        for tally in runs:
            spent = time.process_time() - began
            print(f"\r{name}: {tally.deals} deals, {spent:.0f} s", end="", file=sys.stderr)
    except KeyboardInterrupt:
        print(" stopped", end="", file=sys.stderr)
    print(file=sys.stderr)
    return tally, time.process_time() - began


def _spiel(deals: int, seed: int, fold_every: int) -> bool:
    from spiel_oracle import compare

    right = True
    for stick in (False, True):
        for lone in (False, True):
            name = f"stick_the_dealer={stick} allow_lone_defender={lone}"
            runs = compare(
                deals // 4, stick=stick, lone_defender=lone, seed=seed, fold_every=fold_every
            )
            tally, spent = _last(runs, name)
            if tally is None:
                return False
            print(
                f"{name}: {tally.deals} deals, {tally.seen['plays']} plays, {tally.folded} folded "
                f"whole, {len(tally.differences)} differences, {spent:.0f} s"
            )
            print("   " + ", ".join(f"{n} {what}" for what, n in tally.seen.items()))
            for difference in tally.differences:
                print(difference)
            right = right and not tally.differences
    return right


def _revokes(deals: int, seed: int, presets: list[str]) -> bool:
    from planted import plant
    from planted_others import PRESETS, plant_other

    right = True
    for preset in presets:
        proof = plant_other if preset in PRESETS else plant
        tally, spent = _last(proof(preset, deals, seed=seed), preset)
        if tally is None:
            return False
        print(
            f"{preset}: {tally.deals} deals, {tally.planted} planted, {len(tally.wrong)} wrong; "
            f"{tally.legal} legal; {tally.doubted} also asked about trump; "
            f"{tally.looked_before} judged before and at the proof; {spent:.0f} s"
        )
        for words in tally.wrong:
            print("  " + words)
        right = right and not tally.wrong
    return right


def _misreads(deals: int, seed: int, presets: list[str], rate: float) -> bool:
    from planted import misread

    for preset in presets:
        tally, spent = _last(misread(preset, deals, seed=seed, rate=rate), preset)
        if tally is None:
            return False
        n = tally.deals
        print(
            f"{preset}: {n} legal deals, {tally.misread / n:.2%} with a card misread, "
            f"{tally.accused / n:.3%} falsely accused ({tally.unasked / n:.3%} without a doubt "
            f"named), {tally.bare / n:.3%} were nothing vetoed; {spent:.0f} s"
        )
    return True


def main(words: list[str] | None = None) -> int:
    from planted_others import PRESETS as OTHERS
    from slow_referee import PRESETS

    parser = argparse.ArgumentParser(
        description="Long random proofs of the engine against independent referees."
    )
    parser.add_argument("proof", choices=["spiel", "revokes", "misreads"])
    parser.add_argument("--deals", type=int, default=20_000, help="in all, or for each preset")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", choices=[*PRESETS, *OTHERS], help="one preset instead of all")
    parser.add_argument("--rate", type=float, default=0.005, help="misreads: share of cards")
    parser.add_argument("--fold-every", type=int, default=50, help="spiel: deals folded whole")
    asked = parser.parse_args(words)
    presets = [asked.preset] if asked.preset else list(PRESETS)
    if asked.proof == "misreads" and asked.preset in OTHERS:
        parser.error("misreads are tried on four-handed presets: " + ", ".join(PRESETS))
    match asked.proof:
        case "spiel":
            right = _spiel(asked.deals, asked.seed, asked.fold_every)
        case "revokes":
            every = presets if asked.preset else [*presets, *OTHERS]
            right = _revokes(asked.deals, asked.seed, every)
        case _:
            right = _misreads(asked.deals, asked.seed, presets, asked.rate)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
