"""Mending what was recorded: any fact of this deal or an earlier one, by appending.

A correction never changes the log: the fold carries it out and computes everything after it
anew. What a table may ask is checked here; the rules judge the result like any other game.

Some facts speak of a deal by its number (a late declaration, marked points, a ruling). Where a
correction takes a deal away, splits one or joins two, those facts are renumbered with it, in
one fact that stands or falls as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, TypeAlias

from engine.codec import BadFact, fact_to_json, kind_of
from engine.commands import Correct, Insert, Move, Rejected, StrikeDeal, Undo
from engine.facts import (
    Amended,
    Called,
    CardPlayed,
    Corrected,
    DealConfirmed,
    DealerNamed,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    GameConfirmed,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    Inserted,
    Moved,
    PackShuffled,
    Recorded,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    UpcardShown,
)
from engine.games import game_for
from engine.refusals import card_fault, malformed, no_such, not_now, refused, stale
from engine.ruleset import BadRuleset, ruleset_from, to_mapping
from engine.state import State, changes, fold, struck
from engine.wording import Sentence, fact_said

Change: TypeAlias = Corrected | Inserted | Moved

#: Facts that speak of others, or of the whole game: they have no place of their own in a deal.
_NOT_OF_A_DEAL: Final = (
    GameStarted,
    GamePaused,
    GameResumed,
    GameConfirmed,
    GameEnded,
    DealConfirmed,
    FindingRuled,
    ReviewRaised,
    ReviewAnswered,
    Corrected,
    Inserted,
    Moved,
    Amended,
)
#: The fields that name a seat, in any fact.
_SEAT_FIELDS: Final = ("seat", "dealer", "maker", "alone", "defender_alone")
_LISTED_SEATS: Final = ("dropped",)


def correct(state: State, command: Correct) -> tuple[Fact, ...] | Rejected:
    """Replace or strike one fact."""
    if not command.reason.strip():
        return malformed("reason is empty: say why it is corrected")
    if sum(_ways(command)) != 1:
        return malformed(
            "nothing to correct: give card, seat or strike, a replacement or rules"
            if not any(_ways(command))
            else "give one of: card and seat, strike, replacement, rules"
        )
    if command.looked_at is not None:
        mended = _mended_since(state, command.target, command.looked_at)
        if mended:
            return stale(
                "entry {entry} was mended meanwhile: {meanwhile}: look again and repeat",
                state.names,
                meanwhile=mended,
                entry=command.target,
            )
    target = state.standing_at(command.target)
    if target is None:
        return _correct_what_mends(state, command)
    if command.strike:
        if isinstance(target.fact, GameStarted):
            return not_now("the start of the game cannot be taken back: end the game")
        return _mended(
            state, Corrected(target=command.target, replacement=None, reason=command.reason)
        )
    if isinstance(target.fact, ReviewRaised):
        return not_now("entry {entry} is an open question: answer it", entry=command.target)
    if command.card is not None:
        fault = card_fault(command.card)
        if fault is not None:
            return fault
    replacement: Fact | Rejected
    if command.rules is not None:
        replacement = _other_rules(target.fact, command)
    elif command.replacement is not None:
        replacement = _replacement(target.fact, command.replacement, command.target)
    else:
        replacement = _card_and_seat(target.fact, command)
    if isinstance(replacement, Rejected):
        return replacement
    fault = fact_fault(state, replacement)
    if fault is not None:
        return fault
    return _mended(
        state, Corrected(target=command.target, replacement=replacement, reason=command.reason)
    )


def insert(state: State, command: Insert) -> tuple[Fact, ...] | Rejected:
    """Put a missed fact in its place."""
    if not command.reason.strip():
        return malformed("reason is empty: say why it is put in")
    fault = _place_fault(state, command.before)
    if fault is not None:
        return fault
    if isinstance(command.fact, _NOT_OF_A_DEAL):
        return malformed(
            "{kind} has no place in a deal: insert a play, a call, an up-card",
            kind=kind_of(command.fact),
        )
    fault = fact_fault(state, command.fact)
    if fault is not None:
        return fault
    return _mended(state, Inserted(before=command.before, fact=command.fact, reason=command.reason))


def move(state: State, command: Move) -> tuple[Fact, ...] | Rejected:
    """Put a fact in another place."""
    if not command.reason.strip():
        return malformed("reason is empty: say why it is moved")
    target = state.standing_at(command.target)
    if target is None:
        return _unknown(state, command.target) or not_now(
            "entry {entry} does not stand: it was taken back or answered", entry=command.target
        )
    if isinstance(target.fact, _NOT_OF_A_DEAL):
        return malformed(
            "entry {entry} has no place in a deal: only a play, a call ...", entry=command.target
        )
    if command.before == command.target:
        return malformed(
            "entry {entry} cannot stand before itself: name another", entry=command.target
        )
    fault = _place_fault(state, command.before)
    if fault is not None:
        return fault
    decided = _mended(
        state, Moved(target=command.target, before=command.before, reason=command.reason)
    )
    after = fold((*state.records, *_recorded(state, decided)))
    if [r.version for r in after.standing] == [r.version for r in state.standing]:
        return not_now(
            "entry {entry} stands there already: name another place", entry=command.target
        )
    return decided


def strike_deal(state: State, command: StrikeDeal) -> tuple[Fact, ...] | Rejected:
    """Take a deal out, with everything that was recorded of it."""
    if not command.reason.strip():
        return malformed("reason is empty: say why the deal is taken out")
    count = len(state.deals)
    if not 1 <= command.deal <= count:
        return no_such(
            "there is no deal {deal}: deals 1 to {count} are known", deal=command.deal, count=count
        )
    facts, _ = state.readings[command.deal - 1]
    versions = [recorded.version for recorded in facts.facts]
    versions.extend(
        r.version
        for r in state.standing
        if _deal_of(r.fact) == command.deal and r.version not in versions
    )
    if facts.declared_version is not None and facts.declared_version not in versions:
        versions.append(facts.declared_version)
    return _mended(
        state,
        *(
            Corrected(target=version, replacement=None, reason=command.reason)
            for version in versions
        ),
    )


def undo(state: State, command: Undo) -> tuple[Fact, ...] | Rejected:
    """Take back the newest fact that still stands."""
    taken_back = struck(state.records)
    for recorded in reversed(state.records):
        fact = recorded.fact
        if isinstance(fact, GameStarted) or recorded.version in taken_back:
            continue
        # A strike is an undo itself: undoing goes on to what came before it.
        if isinstance(fact, Corrected) and fact.replacement is None:
            continue
        return (
            Corrected(target=recorded.version, replacement=None, reason=command.reason or "undo"),
        )
    return not_now("nothing is left to undo")


def fact_fault(state: State, fact: Fact) -> Rejected | None:
    """Why ``fact`` cannot be of this game, however it came about; None when it can."""
    try:
        fact_to_json(fact)
    except BadFact as bad:
        return refused("malformed", bad.said)
    seats = game_for(state.ruleset).seats
    for field in fields(fact):
        value = getattr(fact, field.name)
        named = (value,) if field.name in _SEAT_FIELDS else ()
        if field.name in _LISTED_SEATS:
            named = tuple(value)
        for seat in named:
            if seat is not None and not 0 <= seat < seats:
                return malformed(
                    "{field} {value} is no seat of this game: give 0 to {last}",
                    field=field.name,
                    value=repr(seat),
                    last=seats - 1,
                )
    match fact:
        case GameStarted():
            try:
                game = game_for(ruleset_from(fact.rules))
            except BadRuleset as bad:
                return refused("malformed", bad.said)
            if len(fact.names) != seats or game.seats != seats or game.sides != len(state.score):
                return malformed(
                    "the rules are for {count_rules} players and {count_named} are named, this "
                    "game has {count}: end it and start the other",
                    count_rules=game.seats,
                    count_named=len(fact.names),
                    count=seats,
                )
        case ScoreAdjusted() if len(fact.points) != len(state.score):
            return malformed(
                "points {value}: give {count} whole numbers, one a side",
                value=repr(fact.points),
                count=len(state.score),
            )
        case Called(call="name", suit=None):
            return malformed("a call that names trump needs its suit: c, d, h or s")
        case Called() if fact.call != "name" and fact.suit is not None:
            return malformed(
                "suit {value} goes only with name: leave it out", value=repr(fact.suit)
            )
        case Declared() if fact.deal is not None and not 1 <= fact.deal <= len(state.deals) + 1:
            return no_such(
                "there is no deal {deal}: deals 1 to {count} are known",
                deal=fact.deal,
                count=len(state.deals),
            )
    return None


# --- what a correction puts in a fact's place ------------------------------------------------


def _ways(command: Correct) -> tuple[bool, ...]:
    return (
        command.card is not None or command.seat is not None,
        command.strike,
        command.replacement is not None,
        command.rules is not None,
    )


def _mended_since(state: State, target: int, version: int) -> tuple[Sentence, ...]:
    """What was done to the fact at ``target`` after ``version``, oldest first."""
    return tuple(
        fact_said(recorded.fact)
        for recorded in state.records
        if recorded.version > version
        and (
            any(
                change.target == target
                for change in changes(recorded.fact)
                if not isinstance(change, Inserted)
            )
            or (isinstance(recorded.fact, ReviewAnswered) and recorded.fact.review == target)
        )
    )


def _correct_what_mends(state: State, command: Correct) -> tuple[Fact, ...] | Rejected:
    """An answer, or a correction itself: it can only be taken back."""
    fault = _unknown(state, command.target)
    if fault is not None:
        return fault
    original = state.records[command.target - 1].fact
    mends = bool(changes(original)) or isinstance(original, ReviewAnswered)
    if command.strike and mends and command.target not in struck(state.records):
        return _mended(
            state, Corrected(target=command.target, replacement=None, reason=command.reason)
        )
    return not_now(
        "entry {entry} does not stand: it was taken back or answered", entry=command.target
    )


def _card_and_seat(fact: Fact, command: Correct) -> Fact | Rejected:
    card, seat = command.card, command.seat
    match fact:
        case CardPlayed():
            return replace(
                fact,
                card=fact.card if card is None else card,
                seat=fact.seat if seat is None else seat,
                confidence=1.0,
            )
        case UpcardShown():
            return replace(
                fact,
                card=fact.card if card is None else card,
                dealer=fact.dealer if seat is None else seat,
                confidence=1.0,
            )
        case Discarded():
            return replace(
                fact,
                card=fact.card if card is None else card,
                seat=fact.seat if seat is None else seat,
            )
        case Called() | PackShuffled() if card is None and seat is not None:
            return replace(fact, seat=seat)
        case DealerNamed() if card is None and seat is not None:
            return replace(fact, dealer=seat)
    if hasattr(fact, "card") and hasattr(fact, "seat"):
        # A fact of another game, of the same shape as a play.
        named: dict[str, Any] = {"card": card, "seat": seat}
        return replace(fact, **{name: value for name, value in named.items() if value is not None})
    return malformed(
        "entry {entry} has no card: give the replacement, or take it back (strike) and say it anew",
        entry=command.target,
    )


def _replacement(fact: Fact, new: Fact, target: int) -> Fact | Rejected:
    """The fact as it should have been; what was seen of it (track, picture) stays with it."""
    if isinstance(fact, _NOT_OF_A_DEAL) or isinstance(new, _NOT_OF_A_DEAL):
        # The start, a ruling, marked points: only into another of the kind.
        if type(fact) is not type(new):
            return malformed(
                "entry {entry} is {kind} and cannot become {kind_new}",
                entry=target,
                kind=kind_of(fact),
                kind_new=kind_of(new),
            )
        return new
    if isinstance(fact, CardPlayed | UpcardShown) and isinstance(new, CardPlayed | UpcardShown):
        return replace(
            new,
            track=fact.track if new.track is None else new.track,
            evidence=fact.evidence if new.evidence is None else new.evidence,
        )
    return new


def _other_rules(fact: Fact, command: Correct) -> Fact | Rejected:
    """The start of the game under other rules: a preset, or the agreed ones with changes."""
    if not isinstance(fact, GameStarted):
        return malformed(
            "entry {entry} agrees no rules: correct entry 1, which starts the game",
            entry=command.target,
        )
    rules = command.rules
    if isinstance(rules, Mapping) and "preset" not in rules:
        rules = {**fact.rules, **rules}
    try:
        return replace(fact, rules=to_mapping(ruleset_from(rules if rules is not None else {})))
    except BadRuleset as bad:
        return refused("malformed", bad.said)


# --- deals that change their number -----------------------------------------------------------


def _mended(state: State, *wanted: Change) -> tuple[Fact, ...]:
    """The changes as one fact, with the facts renumbered that speak of a deal by its number."""
    reason = wanted[0].reason
    after = fold((*state.records, *_recorded(state, _as_one(wanted, reason))))
    touched = {change.target for change in wanted if isinstance(change, Corrected)}
    renumbered = _renumbered(state, after, touched, reason)
    return _as_one((*wanted, *renumbered), reason)


def _as_one(wanted: Sequence[Change], reason: str) -> tuple[Fact, ...]:
    if len(wanted) == 1:
        return (wanted[0],)
    return (Amended(changes=tuple(wanted), reason=reason),)


def _recorded(state: State, facts: tuple[Fact, ...]) -> tuple[Recorded, ...]:
    """The facts as the log would hold them next."""
    last = state.records[-1]
    return tuple(
        Recorded(
            seq=last.seq + step,
            game_id=last.game_id,
            version=last.version + step,
            at_us=last.at_us,
            source=last.source,
            fact=fact,
        )
        for step, fact in enumerate(facts, start=1)
    )


def _renumbered(
    before: State, after: State, touched: set[int], reason: str
) -> tuple[Corrected, ...]:
    """Corrections of those facts that would speak of another deal than they did."""
    if _beginnings(before) == _beginnings(after):
        return ()
    numbers = {r.version: facts.number for facts, _ in after.readings for r in facts.facts}
    said = {r.version: _deal_of(r.fact) for r in before.standing}
    mended: list[Corrected] = []
    for recorded in after.standing:
        was, now = said.get(recorded.version), _deal_of(recorded.fact)
        if was is None or now is None or recorded.version in touched:
            continue
        if was > len(before.deals):  # the deal to come
            due: int | None = was - len(before.deals) + len(after.deals)
        else:
            of_deal = (r.version for r in before.readings[was - 1][0].facts)
            parts = Counter(numbers[version] for version in of_deal if version in numbers)
            # Split or joined, a deal is where most of its facts are; of equals the earlier.
            due = max(parts, key=lambda number: (parts[number], -number)) if parts else None
        if due != now:
            new = None if due is None else _with_deal(recorded.fact, due)
            mended.append(Corrected(target=recorded.version, replacement=new, reason=reason))
    return tuple(mended)


def _beginnings(state: State) -> list[int]:
    """By which fact each deal begins."""
    return [facts.facts[0].version if facts.facts else 0 for facts, _ in state.readings]


def _deal_of(fact: Fact) -> int | None:
    """The number of the deal that a fact speaks of, if it does."""
    if isinstance(fact, FindingRuled):
        number = fact.finding.split(":", 1)[0]
        return int(number) if number.isascii() and number.isdigit() else None
    deal = getattr(fact, "deal", None)
    return deal if isinstance(deal, int) else None


def _with_deal(fact: Fact, number: int) -> Fact:
    if isinstance(fact, FindingRuled):
        return replace(fact, finding=f"{number}:{fact.finding.split(':', 1)[1]}")
    renumbered: dict[str, Any] = {"deal": number}
    return replace(fact, **renumbered)


# --- refusals ---------------------------------------------------------------------------------


def _place_fault(state: State, before: int) -> Rejected | None:
    fault = _unknown(state, before)
    if fault is not None:
        return fault
    if isinstance(state.records[before - 1].fact, GameStarted):
        return malformed("nothing comes before the start of the game: name a later entry")
    return None


def _unknown(state: State, version: int) -> Rejected | None:
    if 1 <= version <= state.version:
        return None
    return no_such(
        "there is no entry {entry}: give one of 1 to {last}", entry=version, last=state.version
    )
