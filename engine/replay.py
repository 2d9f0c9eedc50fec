"""A recorded game stepped through: what was known at each moment, and what was true.

The two differ where a reading was corrected, a doubt was answered or trump was tapped in late:
:meth:`Cursor.at` folds the facts up to a version and knows no more than the table did then,
:meth:`Cursor.truth` also takes what was mended later, for the facts up to there.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from engine.cards import Seat
from engine.deal import Deal
from engine.facts import (
    Amended,
    Corrected,
    DealThrownIn,
    Declared,
    GameStarted,
    Inserted,
    Moved,
    Recorded,
    ReviewAnswered,
)
from engine.state import State, apply, changes, fold
from engine.view import snapshot
from engine.wording import (
    dashed,
    fact_text,
    listed,
    points_words,
    result_words,
    review_text,
    seat_name,
    side_name,
    wins,
)

Stride: TypeAlias = Literal["fact", "trick", "deal"]
View: TypeAlias = Literal["known", "truth"]


class Cursor:
    """Positions in one game, by version: 0 before the first fact, ``last`` after the newest.

    ``records``: all the facts of one game, in order. A version past the end stands for the
    end, one before the beginning for 0.
    """

    __slots__ = ("_deal_ends", "_records", "_trick_ends")

    def __init__(self, records: Sequence[Recorded]) -> None:
        self._records = tuple(records)
        whole = fold(self._records)
        places = _places(whole)
        # A trick's position is its last card, before it is swept: all its cards lie there.
        self._trick_ends = _sorted(
            max(places[play.version] for play in (*trick.plays, *trick.extra))
            for deal in whole.deals
            for trick in deal.tricks
            if trick.plays or trick.extra
        )
        self._deal_ends = _sorted(
            max(places[recorded.version] for recorded in facts.facts)
            for facts, _ in whole.readings
            if facts.facts
        )

    @property
    def records(self) -> tuple[Recorded, ...]:
        return self._records

    @property
    def last(self) -> int:
        """The newest version."""
        return self._records[-1].version if self._records else 0

    def at(self, version: int) -> State:
        """The state as it was known when ``version`` was the newest fact."""
        return fold(self._upto(version))

    def truth(self, version: int) -> State:
        """The state at ``version`` as it truly was: with what was mended after it.

        Later corrections and answers of facts up to there count, and a declaration that came
        late for a deal whose cards already lay there (it was due before the lead).
        """
        return fold(self._true_records(version))

    def snapshot(
        self, version: int, *, view: View = "known", audience: str = "public"
    ) -> dict[str, Any]:
        """What the page draws at ``version``; its ``version`` is that one."""
        records = self._upto(version) if view == "known" else self._true_records(version)
        drawn = snapshot(fold(records), records, audience=audience)
        return {**drawn, "version": self._bounded(version)}

    def step(self, version: int, by: Stride = "fact", *, back: bool = False) -> int:
        """The next position from ``version``: a fact on, the end of a trick, of a deal.

        ``back``: the one before. At either end it stays there.
        """
        here = self._bounded(version)
        match by:
            case "fact":
                return self._bounded(here - 1 if back else here + 1)
            case "trick":
                places = self._trick_ends
            case "deal":  # pragma: no branch - there is no other stride
                places = self._deal_ends
        if back:
            return max((place for place in places if place < here), default=0)
        return min((place for place in places if place > here), default=self.last)

    def _bounded(self, version: int) -> int:
        return min(max(version, 0), self.last)

    def _upto(self, version: int) -> tuple[Recorded, ...]:
        return tuple(r for r in self._records if r.version <= version)

    def _true_records(self, version: int) -> tuple[Recorded, ...]:
        records = list(self._upto(version))
        begun = {deal.number for deal in fold(records).deals if deal.has_plays}
        included = {recorded.version for recorded in records}
        for recorded in self._records[len(records) :]:
            match recorded.fact:
                case Corrected() | Inserted() | Moved() | Amended():
                    # Of several changes only those of what had happened by then.
                    mended = _of_what_is(changes(recorded.fact), included)
                    mends = bool(mended)
                    if isinstance(recorded.fact, Amended) and mends:
                        recorded = replace(recorded, fact=replace(recorded.fact, changes=mended))
                case ReviewAnswered(review=review) if review in included:
                    mends = True
                case Declared(deal=deal) if deal in begun:
                    mends = True
                case _:
                    mends = False
            if mends:
                records.append(recorded)
                included.add(recorded.version)
        return tuple(records)


def _of_what_is(
    wanted: Sequence[Corrected | Inserted | Moved], included: Container[int]
) -> tuple[Corrected | Inserted | Moved, ...]:
    """The changes that speak of facts included; a place is before a fact that had happened."""
    return tuple(
        change
        for change in wanted
        if (
            change.before in included
            if isinstance(change, Inserted)
            else change.target in included
            and (isinstance(change, Corrected) or change.before in included)
        )
    )


def _sorted(versions: Iterator[int]) -> tuple[int, ...]:
    return tuple(sorted(set(versions)))


def _places(state: State) -> dict[int, int]:
    """By version, where in the game each standing fact belongs: its own version.

    For one that was inserted or moved: the version before the fact it stands before.
    """
    elsewhere = {
        change.target if isinstance(change, Moved) else recorded.version
        for recorded in state.records
        for change in changes(recorded.fact)
        if not isinstance(change, Corrected)
    }
    places: dict[int, int] = {}
    following = state.version + 1
    for recorded in reversed(state.standing):
        if recorded.version in elsewhere:
            places[recorded.version] = following - 1
        else:
            places[recorded.version] = following = recorded.version
    return places


def lines(records: Sequence[Recorded]) -> Iterator[str]:
    """The game in plain words, a fact a line, as it was known at each moment.

    Lines that stand out to the left are facts, with their version and the time since the game
    began; those indented are what the rules make of them: tricks taken, findings, questions,
    the points of each deal and the score after it. A fact that was mended later says by which.
    """
    mended = _mended(records)
    state = State()
    begun_us = records[0].at_us if records else 0
    for recorded in records:
        before, state = state, apply(state, recorded)
        if _begins_deal(recorded, before, state):
            yield ""
            yield _deal_heading(state)
        since = _clock(recorded.at_us - begun_us)
        note = mended.get(recorded.version, "")
        yield f"{recorded.version:4d}  {since}  {fact_text(recorded.fact, state.names)}{note}"
        if isinstance(recorded.fact, GameStarted):
            yield _indented(_game_words(state))
        yield from (_indented(line) for line in _news(before, state))
    if records:
        yield ""
        yield _standing_words(state)


def _indented(line: str) -> str:
    return f"{'':15}{line}"


def _clock(us: int) -> str:
    """Time since the beginning as minutes and seconds; a clip's stamps may go before it."""
    seconds = abs(us) // 1_000_000
    sign = "-" if us < 0 else " "
    return f"{sign}{seconds // 60:3d}:{seconds % 60:02d}"


def _mended(records: Sequence[Recorded]) -> dict[int, str]:
    """What became of a fact later, by its version."""
    notes: dict[int, str] = {}
    for recorded in records:
        match recorded.fact:
            case Corrected(target=target, replacement=None):
                notes[target] = f"  [taken back by {recorded.version}]"
            case Corrected(target=target):
                notes[target] = f"  [corrected by {recorded.version}]"
            case Moved(target=target):
                notes[target] = f"  [moved by {recorded.version}]"
            case Amended():
                for change in recorded.fact.changes:
                    if isinstance(change, Corrected):
                        how = "taken back" if change.replacement is None else "corrected"
                        notes[change.target] = f"  [{how} by {recorded.version}]"
            case ReviewAnswered(review=review):
                notes[review] = f"  [answered by {recorded.version}]"
    return notes


def _begins_deal(recorded: Recorded, before: State, after: State) -> bool:
    return len(after.deals) > len(before.deals) and not isinstance(
        recorded.fact, Corrected | Inserted | Moved | Amended | ReviewAnswered | DealThrownIn
    )


def _deal_heading(state: State) -> str:
    deal = state.deals[-1]
    dealer = "" if deal.dealer is None else f", dealt by {seat_name(deal.dealer, state.names)}"
    return f"Deal {deal.number}{dealer}"


def _game_words(state: State) -> str:
    seats = listed([f"{name}" for name in state.names])
    goal = (
        f"{state.ruleset.deals} deals"
        if state.ruleset.deals is not None
        else f"to {state.ruleset.target}"
    )
    title = f"{state.title}: " if state.title else ""
    return f"{title}{seats}, rules {state.ruleset.preset}, {goal}"


def _news(before: State, after: State) -> Iterator[str]:
    """What one fact changed in what is derived."""
    known = {deal.number: deal for deal in before.deals}
    for deal in after.deals:
        old = known.get(deal.number)
        if old is deal:
            continue
        yield from _taken(old, deal, after)
        if deal.points is not None and (old is None or old.points != deal.points):
            changed = old is not None and old.points is not None
            yield _points_words(deal, after, changed=changed)
    asked = {review.version for review in before.reviews}
    for review in after.reviews:
        if review.version not in asked:
            question = review_text(
                subject=review.subject,
                seat=review.seat,
                candidates=review.candidates,
                reason=review.reason,
                trick=review.trick,
                names=after.names,
            )
            yield f"? {question}"
    found = {finding.id: finding.status for finding in before.findings}
    for finding in after.findings:
        if found.get(finding.id) != finding.status:
            status = "" if finding.status == "open" else f" [{finding.status}]"
            yield f"! {finding.text}{status}"
    for gone in sorted(found.keys() - {finding.id for finding in after.findings}):
        yield f"! no longer: {gone}"
    if after.over and not before.over and after.winner is not None:
        yield f"{wins(after.winner, after.names)} the game"


def _taken(old: Deal | None, deal: Deal, state: State) -> Iterator[str]:
    earlier: tuple[Seat | None, ...] = () if old is None else old.winners
    for number, winner in enumerate(deal.winners, start=1):
        was = earlier[number - 1] if number <= len(earlier) else None
        if winner is not None and winner != was:
            yield f"{seat_name(winner, state.names)} takes trick {number}"


def _points_words(deal: Deal, state: State, *, changed: bool) -> str:
    assert deal.points is not None
    what = f"Deal {deal.number}{' now' if changed else ''}: {result_words(deal.result or '')}"
    score = dashed(state.scores[deal.number - 1])
    return f"{what}, {points_words(deal.points, state.names)}; score {score}"


def _standing_words(state: State) -> str:
    score = dashed(state.score)
    if state.winner is not None:
        return f"{side_name(state.winner, state.names)} won {score}"
    if state.ended is not None:
        return f"The game was stopped at {score}: {state.ended}"
    return f"The score stands at {score}" + (", a draw" if state.over else "")
