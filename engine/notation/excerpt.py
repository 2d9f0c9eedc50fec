"""One deal of a game as a game of its own, to be sent to somebody who settles a dispute.

It begins with the rules, the names, the score before the deal and whose deal it was; then
everything follows that was recorded of the deal: what was seen, what was asked and answered,
corrected, declared and ruled, in order. It is read, shown and scored like any other game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.deal import Deal
from engine.facts import (
    Amended,
    CardTakenBack,
    Corrected,
    DealConfirmed,
    DealerNamed,
    Declared,
    Fact,
    FindingRuled,
    GameStarted,
    Inserted,
    Moved,
    Recorded,
    ReviewAnswered,
)
from engine.ruleset import to_mapping
from engine.sheet import UnknownDeal
from engine.state import State, changes, fold


def deal_records(records: Sequence[Recorded], number: int) -> tuple[Recorded, ...]:
    """Deal ``number`` of a game as the facts of a game of its own, its versions from 1.

    With the history of the deal where that reads the same alone as it does in its game; else
    (a correction reached beyond the deal) the deal as it stands. Raises UnknownDeal.
    """
    state = fold(records)
    if not 1 <= number <= len(state.deals):
        many = len(state.deals)
        known = f"deals 1 to {many}" if many else "no deal yet"
        raise UnknownDeal(f"no deal {number}: the game has {known}")
    deal = state.deals[number - 1]
    for chosen in (_with_history(state, number), _as_it_stands(state, number)):
        alone = _numbered(state, number, chosen)
        told = fold(alone)
        if len(told.deals) == 1 and _read(told.deals[0]) == _read(deal):
            return alone
    return alone


def _read(deal: Deal) -> Any:
    """What a deal says, but for its number and the versions of its facts."""
    return (
        deal.dealer,
        None if deal.upcard is None else (deal.upcard.card, deal.upcard.state),
        (deal.maker, deal.trump, deal.alone, deal.thrown_in, deal.calls),
        [[(p.seat, p.card) for p in (*t.plays, *t.extra)] for t in deal.tricks],
        (deal.winners, deal.tricks_won, deal.points, deal.result),
        [(f.kind, f.seat, f.trick, f.card, f.proof, f.status) for f in deal.findings],
        [(r.subject, r.seat, r.reason) for r in deal.reviews],
    )


def _as_it_stands(state: State, number: int) -> list[Recorded]:
    """The facts in force, in their places."""
    own = {recorded.version for recorded in state.readings[number - 1][0].facts}
    return [r for r in state.standing if r.version in own or _speaks_of(r.fact, state, number)]


def _with_history(state: State, number: int) -> list[Recorded]:
    """Everything recorded of the deal: also what was taken back, and by what."""
    readings = state.readings
    owner = {r.version: facts.number for facts, _ in readings for r in facts.facts}
    begins = min((v for v, n in owner.items() if n == number), default=0)
    ends = max((v for v, n in owner.items() if n == number), default=0)
    standing = {recorded.version for recorded in state.standing}
    kept: set[int] = {version for version, n in owner.items() if n == number}
    for recorded in state.records:
        version, fact = recorded.version, recorded.fact
        points_at = _targets(fact)
        if points_at:
            if any(target in kept for target in points_at):
                kept.add(version)
        elif version in standing:
            if _speaks_of(fact, state, number):
                kept.add(version)
        elif begins <= version <= ends and _deal_named(fact) in (None, number):
            kept.add(version)  # struck where the deal was played
    return [recorded for recorded in state.records if recorded.version in kept]


def _speaks_of(fact: Fact, state: State, number: int) -> bool:
    if isinstance(fact, Declared) and fact.deal is None:
        declared = state.deals[number - 1].declared
        return declared is fact
    return _deal_named(fact) == number


def _deal_named(fact: Fact) -> int | None:
    if isinstance(fact, FindingRuled):
        head = fact.finding.split(":", 1)[0]
        return int(head) if head.isascii() and head.isdigit() else 0
    deal = getattr(fact, "deal", None)
    return deal if isinstance(deal, int) else None


def _targets(fact: Fact) -> tuple[int, ...]:
    """The versions that a fact points at."""
    match fact:
        case ReviewAnswered():
            return (fact.review,)
        case CardTakenBack():
            return (fact.target,)
    return tuple(
        change.before if isinstance(change, Inserted) else change.target for change in changes(fact)
    )


def _numbered(state: State, number: int, chosen: Iterable[Recorded]) -> tuple[Recorded, ...]:
    facts, deal = state.readings[number - 1]
    started = GameStarted(
        rules=to_mapping(state.ruleset),
        names=state.names,
        dealer=facts.expected_dealer if facts.expected_dealer is not None else deal.dealer,
        title=f"{state.title}, deal {number}" if state.title else f"Deal {number}",
        initial_score=state.initial_score if number == 1 else state.scores[number - 2],
    )
    lead: list[Fact] = [started]
    if facts.named_dealer is not None:
        lead.append(DealerNamed(dealer=facts.named_dealer))
    own = list(chosen)
    at_us = own[0].at_us if own else state.started_at_us
    versions = {r.version: len(lead) + place for place, r in enumerate(own, start=1)}
    told = [(at_us, "export", fact) for fact in lead]
    told.extend((r.at_us, r.source, _renamed(r.fact, versions, number)) for r in own)
    return tuple(
        Recorded(
            seq=version,
            game_id=f"{state.game_id}-deal-{number}",
            version=version,
            at_us=moment,
            source=source,
            fact=fact,
        )
        for version, (moment, source, fact) in enumerate(told, start=1)
    )


def _renamed(fact: Fact, versions: Mapping[int, int], number: int) -> Fact:
    """The fact with the versions and the deal's number that it has alone."""
    #: A version that did not come along points at nothing: past the end of the deal.
    nothing = len(versions) + 1_000_000
    match fact:
        case ReviewAnswered():
            return replace(fact, review=versions.get(fact.review, nothing))
        case CardTakenBack() | Corrected():
            fact = replace(fact, target=versions.get(fact.target, nothing))
            if isinstance(fact, Corrected) and fact.replacement is not None:
                fact = replace(fact, replacement=_renamed(fact.replacement, versions, number))
            return fact
        case Inserted():
            inner = _renamed(fact.fact, versions, number)
            # Where the fact it stands before is of another deal: before the next that is here.
            following = min((v for v in versions if v >= fact.before), default=None)
            before = nothing if following is None else versions[following]
            return replace(fact, before=before, fact=inner)
        case Moved():
            return replace(
                fact,
                target=versions.get(fact.target, nothing),
                before=versions.get(fact.before, nothing),
            )
        case Amended():
            parts = [c for c in fact.changes if set(_targets(c)) & versions.keys()]
            mended = [_renamed(part, versions, number) for part in parts]
            kept = tuple(c for c in mended if isinstance(c, Corrected | Inserted | Moved))
            return replace(fact, changes=kept or fact.changes[:1])
        case FindingRuled():
            rest = fact.finding.split(":", 1)[1:]
            return replace(fact, finding=":".join(["1", *rest]))
        case DealConfirmed():
            return replace(fact, deal=1)
    if _deal_named(fact) is not None:
        renumbered: dict[str, Any] = {"deal": 1}
        return replace(fact, **renumbered)
    return fact
