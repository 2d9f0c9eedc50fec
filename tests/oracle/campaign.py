"""The long proofs, by command: the same as in the tests, on as many deals as asked for.

    python tests/oracle/campaign.py spiel --deals 1000000 --into proofs.jsonl
    python tests/oracle/campaign.py revokes --deals 100000 --into proofs.jsonl [--preset british]
    python tests/oracle/campaign.py misreads --deals 100000 --into proofs.jsonl [--preset home]

The work is cut into parts of 5,000 deals, each with a seed of its own. A finished part is one
line of the file ``--into``: run again, the command takes up where it stopped (Ctrl-C, a lost
machine), and several processes may write to one file. Each proof ends with 1 where the engine
was wrong once. Without ``--into`` nothing is kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

#: Deals of one part.
PART: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """One line of the report: what is proved, under which name.

    ``run``: deals, seed -> the running tallies. ``counts``: a tally as counts, of which ``wrong``
    are mistakes of the engine; ``wrong``: those in words. ``words``: the counts as a sentence.
    """

    kind: str
    name: str
    run: Callable[[int, str], Iterator[Any]]
    counts: Callable[[Any], dict[str, int]]
    wrong: Callable[[Any], list[str]]
    words: Callable[[dict[str, int]], str]


def spiel_proofs(fold_every: int) -> list[Proof]:
    from spiel_oracle import compare

    def counts(tally: Any) -> dict[str, int]:
        return {"folded": tally.folded, "wrong": len(tally.differences), **tally.seen}

    def words(of: dict[str, int]) -> str:
        seen = ", ".join(f"{n} {what}" for what, n in of.items() if what not in ("deals", "wrong"))
        return f"{of['wrong']} differences; {seen}"

    def run(deals: int, seed: str, *, stick: bool, lone: bool) -> Iterator[Any]:
        return compare(deals, stick=stick, lone_defender=lone, seed=seed, fold_every=fold_every)

    return [
        Proof(
            kind="spiel",
            name=f"stick_the_dealer={stick} allow_lone_defender={lone}",
            run=partial(run, stick=stick, lone=lone),
            counts=counts,
            wrong=lambda tally: list(tally.differences),
            words=words,
        )
        for stick in (False, True)
        for lone in (False, True)
    ]


def revoke_proof(name: str) -> Proof:
    from planted import plant
    from planted_others import PRESETS, plant_other

    def run(deals: int, seed: str) -> Iterator[Any]:
        return (plant_other if name in PRESETS else plant)(name, deals, seed=seed)

    def counts(tally: Any) -> dict[str, int]:
        keys = ("planted", "legal", "doubted", "looked_before")
        return {"wrong": len(tally.wrong), **{key: getattr(tally, key) for key in keys}}

    def words(of: dict[str, int]) -> str:
        return (
            f"{of['planted']} planted, {of['wrong']} wrong; {of['legal']} legal; {of['doubted']} "
            f"also asked about trump; {of['looked_before']} judged before and at the proof"
        )

    return Proof(
        kind="revokes",
        name=name,
        run=run,
        counts=counts,
        wrong=lambda tally: list(tally.wrong),
        words=words,
    )


def misread_proof(name: str, rate: float) -> Proof:
    from planted import misread
    from planted_others import PRESETS, misread_other

    def run(deals: int, seed: str) -> Iterator[Any]:
        return (misread_other if name in PRESETS else misread)(name, deals, seed=seed, rate=rate)

    def counts(tally: Any) -> dict[str, int]:
        keys = ("misread", "accused", "unasked", "bare")
        return {"wrong": 0, **{key: getattr(tally, key) for key in keys}}

    def words(of: dict[str, int]) -> str:
        share = {key: of[key] / of["deals"] for key in ("misread", "accused", "unasked", "bare")}
        bare = f"; {share['bare']:.3%} were nothing vetoed" if of["bare"] else ""
        return (
            f"legal, {share['misread']:.2%} with a card misread, {share['accused']:.3%} falsely "
            f"accused ({share['unasked']:.3%} without a doubt named){bare}"
        )

    return Proof(
        kind=f"misreads {rate:g}",
        name=name,
        run=run,
        counts=counts,
        wrong=lambda tally: [],
        words=words,
    )


def parts_done(into: Path | None) -> dict[tuple[str, str, str], dict[str, int]]:
    """The counts of each finished part by proof, name and seed; none without a file."""
    if into is None or not into.exists():
        return {}
    lines = [json.loads(line) for line in into.read_text("utf-8").splitlines() if line.strip()]
    return {(line["proof"], line["name"], line["seed"]): line["counts"] for line in lines}


def prove(proof: Proof, deals: int, *, seed: int, into: Path | None) -> bool:
    """Run what is not done yet, print the sum in one line; whether the engine was right."""
    done = parts_done(into)
    total: Counter[str] = Counter()
    began, before, right = time.process_time(), 0, True
    try:
        for part, start in enumerate(range(0, deals, PART)):
            size = min(PART, deals - start)
            part_seed = f"{seed}/{part}/{size}"
            counts = done.get((proof.kind, proof.name, part_seed))
            if counts is None:
                counts, wrong = _one_part(proof, size, part_seed, before)
                for words in wrong:
                    print(f"  {words}")
                if into is not None:
                    line = {
                        "proof": proof.kind,
                        "name": proof.name,
                        "seed": part_seed,
                        "counts": counts,
                    }
                    with into.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(line) + "\n")
            total.update(counts)
            before = total["deals"]
    except KeyboardInterrupt:
        print(" stopped", file=sys.stderr)
        right = False
    spent = time.process_time() - began
    if total["deals"]:
        of = {key: total[key] for key in total}
        print(f"{proof.name}: {of['deals']} deals, {proof.words(of)}; {spent:.0f} s", flush=True)
    return right and not total["wrong"]


def _one_part(proof: Proof, deals: int, seed: str, before: int) -> tuple[dict[str, int], list[str]]:
    tally = None
    for tally in proof.run(deals, seed):
        print(f"\r{proof.name}: {before + tally.deals} deals", end="", file=sys.stderr)
    assert tally is not None
    print(file=sys.stderr)
    return {"deals": tally.deals, **proof.counts(tally)}, proof.wrong(tally)


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
    parser.add_argument("--into", type=Path, help="keep each finished part there and go on from it")
    asked = parser.parse_args(words)
    names = [asked.preset] if asked.preset else [*PRESETS, *OTHERS]
    deals = asked.deals
    match asked.proof:
        case "spiel":
            proofs, deals = spiel_proofs(asked.fold_every), deals // 4
        case "revokes":
            proofs = [revoke_proof(name) for name in names]
        case _:
            proofs = [misread_proof(name, asked.rate) for name in names]
    right = [prove(proof, deals, seed=asked.seed, into=asked.into) for proof in proofs]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
