"""The record of a game as people mend it: every fact in its place, with what became of it.

A line is what happened; corrections, answers and moves are no lines of their own but stand with
the line they speak of. So a table sees one list that reads like the game, and each line can be
tapped: whatever is changed is a command about that line's version.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.codec import fact_to_json, kind_of
from engine.facts import (
    Amended,
    CardPassed,
    Corrected,
    Discarded,
    Fact,
    Inserted,
    Moved,
    Recorded,
    ReviewAnswered,
)
from engine.state import State, changes, fold, struck
from engine.wording import dashed, english, fact_said, result_words, say_json

#: Facts that speak of another line and are shown with it.
_NOTES: Final = (Corrected, Moved, Amended, ReviewAnswered)


def ledger(records: Sequence[Recorded]) -> dict[str, Any]:
    """All of the game, in the order it happened, as plain JSON values::

        {"version": 40, "results": {"1": "made, 1–0"},
         "lines": [{"version": 9, "at_us": 0, "source": "camera", "kind": "card_played",
                    "deal": 1 | null,              # null: it belongs to no deal
                    "text": "as it was recorded", "say": {...},
                    "now": null | "as it stands", "say_now": null | {...},
                    "struck": false,               # it does not stand: taken back, or no card
                    "fact": null | {"kind": "card_played", "seat": 1, "card": "Kh", ...},
                    "evidence": null | "hash",
                    "mends": [{"version": 12, "at_us": 0, "source": "seat:1",
                               "text": "...", "say": {...}, "stands": true}]}]}

    ``fact`` is the fact in force; a card that was laid away or passed unseen by the others is
    left out of it, as it is everywhere on the page.
    """
    state = fold(records)
    deals = _deals_of(state)
    taken_back = struck(records)
    notes: dict[int, list[Recorded]] = {}
    for recorded in records:
        for target in _targets(recorded.fact):
            notes.setdefault(target, []).append(recorded)
    place = {r.version: float(index) for index, r in enumerate(state.standing)}
    in_force = {r.version: r.fact for r in state.standing}
    lines = []
    before = -1.0
    for recorded in records:
        if isinstance(recorded.fact, _NOTES) and not _inserts(recorded.fact):
            continue
        before = place.get(recorded.version, before)
        told = _line(
            recorded,
            state,
            now=in_force.get(recorded.version),
            deal=deals.get(recorded.version, _named_deal(recorded.fact)),
            mends=notes.get(recorded.version, []),
            taken_back=taken_back,
        )
        lines.append((place.get(recorded.version, before + 0.5), recorded.version, told))
    lines.sort(key=lambda line: line[:2])
    ordered = [told for *_, told in lines]
    _give_deals(ordered)
    return {
        "version": state.version,
        "results": _results(state),
        "lines": ordered,
    }


def _line(
    recorded: Recorded,
    state: State,
    *,
    now: Fact | None,
    deal: int | None,
    mends: Sequence[Recorded],
    taken_back: frozenset[int],
) -> dict[str, Any]:
    told = fact_said(recorded.fact)
    changed = None if now is None or now is recorded.fact else fact_said(now)
    if isinstance(recorded.fact, Inserted) and now == recorded.fact.fact:
        changed = None if now is None else fact_said(now)
    fact = recorded.fact if now is None else now
    return {
        "version": recorded.version,
        "at_us": recorded.at_us,
        "source": recorded.source,
        "kind": kind_of(fact),
        "deal": deal,
        "text": english(told, state.names),
        "say": say_json(told),
        "now": None if changed is None else english(changed, state.names),
        "say_now": None if changed is None else say_json(changed),
        "struck": now is None,
        "fact": None if now is None else _shown(now),
        "evidence": getattr(fact, "evidence", None),
        "mends": [
            {
                "version": mend.version,
                "at_us": mend.at_us,
                "source": mend.source,
                "text": english(fact_said(mend.fact), state.names),
                "say": say_json(fact_said(mend.fact)),
                "stands": mend.version not in taken_back,
            }
            for mend in mends
        ],
    }


def _shown(fact: Fact) -> dict[str, Any]:
    """The fact as anybody may see it: no card that only one seat saw."""
    told = fact_to_json(fact)
    if isinstance(fact, Discarded | CardPassed):
        told.pop("card", None)
    return told


def _inserts(fact: Fact) -> bool:
    """Whether the fact is a line itself: something that was missed and put in its place."""
    return any(isinstance(change, Inserted) for change in changes(fact))


def _targets(fact: Fact) -> tuple[int, ...]:
    if isinstance(fact, ReviewAnswered):
        return (fact.review,)
    return tuple(change.target for change in changes(fact) if not isinstance(change, Inserted))


def _deals_of(state: State) -> dict[int, int]:
    """By version, the deal a standing fact belongs to; what speaks of a deal, of that one."""
    deals = {r.version: facts.number for facts, _ in state.readings for r in facts.facts}
    for recorded in state.standing:
        named = _named_deal(recorded.fact)
        if named is not None:
            deals[recorded.version] = named
    return deals


def _named_deal(fact: Fact) -> int | None:
    finding = getattr(fact, "finding", None)
    if isinstance(finding, str):
        number = finding.split(":", 1)[0]
        return int(number) if number.isascii() and number.isdigit() else None
    deal = getattr(fact, "deal", None)
    return deal if isinstance(deal, int) else None


def _give_deals(lines: list[dict[str, Any]]) -> None:
    """What was taken back belongs where it happened: to the deal of the line before it."""
    last = None
    for line in lines:
        if line["deal"] is None and line["struck"]:
            line["deal"] = last
        elif line["deal"] is not None and not line["struck"]:
            last = line["deal"]


def _results(state: State) -> dict[str, str]:
    """By the number of a deal, how it ended and the score after it; a deal under way is left out.

    Keyed by text, as JSON has it.
    """
    return {
        str(deal.number): f"{result_words(deal.result or '')}, {dashed(score)}"
        for deal, score in zip(state.deals, state.scores, strict=True)
        if deal.points is not None
    }
