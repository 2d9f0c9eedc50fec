"""The state of a game: a fold over its facts, computed anew from the log whenever asked.

``fold`` first resolves what stands (corrections, strikes, answered reviews keep the place and
version of the fact they speak of), then deals the facts out to the deals they belong to, then
has the game read each deal. Nothing is carried from one reading to the next, so a correction
of anything, however old, changes everything after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.cards import SEAT_NAMES, Seat, default_names, harmless, side_of
from engine.deal import Deal, DealFacts, Finding, Play, Review, Trick, Upcard
from engine.draw import Draw, read_draw
from engine.facts import (
    AceCalled,
    Amended,
    Called,
    CardDrawn,
    CardLifted,
    CardPassed,
    CardPlayed,
    CardTakenBack,
    Claimed,
    Corrected,
    DealConfirmed,
    DealerNamed,
    DealKept,
    DealThrownIn,
    Declared,
    Discarded,
    DrawBegun,
    Dropped,
    Fact,
    FindingRuled,
    GameConfirmed,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    HandShown,
    Inserted,
    Moved,
    PackShuffled,
    Recorded,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    Stayed,
    TableCardShown,
    TrickCleared,
    TricksBid,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
    WidowSwapped,
)
from engine.games import Game, Outcome, game_for
from engine.ruleset import Ruleset, ruleset_from

__all__ = [
    "Deal",
    "Draw",
    "Finding",
    "Play",
    "Review",
    "State",
    "Trick",
    "Upcard",
    "apply",
    "changes",
    "fold",
    "standing",
    "struck",
]

_HOME: Final = Ruleset()
#: Facts that speak of other facts: they stand in no deal themselves.
_POINTING: Final = (Corrected, ReviewAnswered, Moved, Amended, Inserted)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A game as its facts tell it, up to ``version`` (0: no game has begun).

    ``deals`` in order, the last one under way unless ``complete``. ``scores`` holds the score
    after each deal. ``next_dealer`` is who deals next, once the last deal is complete.
    ``reviews`` and ``findings`` are those of all deals. ``records`` are all facts as recorded,
    ``standing`` those in force: replaced facts keep their version and place.
    """

    version: int = 0
    game_id: str = ""
    started_at_us: int = 0
    started: bool = False
    ruleset: Ruleset = _HOME
    title: str = ""
    names: tuple[str, ...] = SEAT_NAMES
    initial_score: tuple[int, ...] = (0, 0)
    score: tuple[int, ...] = (0, 0)
    scores: tuple[tuple[int, ...], ...] = ()
    deals: tuple[Deal, ...] = ()
    next_dealer: Seat | None = None
    #: The draw for the first dealer, where there was one.
    draw: Draw | None = None
    #: The newest declaration for the deal to come, made before its first card.
    declared_next: Declared | None = None
    turn: Seat | None = None
    over: bool = False
    winner: int | None = None
    #: Why the game was stopped before its end, or None.
    ended: str | None = None
    #: Why the game rests for a while (perhaps ""), or None while it goes on.
    paused: str | None = None
    #: The sides that have said the score as it now stands is right, once the game is over.
    confirmed: tuple[int, ...] = ()
    reviews: tuple[Review, ...] = ()
    findings: tuple[Finding, ...] = ()
    adjustments: tuple[ScoreAdjusted, ...] = ()
    shuffles: tuple[PackShuffled, ...] = ()
    records: tuple[Recorded, ...] = ()
    standing: tuple[Recorded, ...] = ()
    #: What each deal was read from, so that an unchanged deal is not read again.
    readings: tuple[tuple[DealFacts, Deal], ...] = field(default=(), repr=False, compare=False)

    @property
    def deal(self) -> Deal | None:
        """The last deal: the one under way, or just finished."""
        return self.deals[-1] if self.deals else None

    @property
    def open_deal(self) -> Deal | None:
        """The deal under way: one to which further cards belong."""
        deal = self.deal
        return None if deal is None or deal.complete else deal

    @property
    def drawing(self) -> bool:
        """Whether the first dealer is being drawn: cards and taps are of the draw."""
        return self.draw is not None and not self.deals and self.next_dealer is None

    def standing_at(self, version: int) -> Recorded | None:
        """The fact in force at ``version``, None when it was struck or points elsewhere."""
        return next((r for r in self.standing if r.version == version), None)


def fold(records: Iterable[Recorded]) -> State:
    """The state after ``records``, all of one game in order of version."""
    return _fold(tuple(records), {})


def apply(state: State, recorded: Recorded) -> State:
    """The state after one more fact: the same as folding everything, but cheaper.

    Deals whose facts did not change are taken over as read.
    """
    known = {facts.number: (facts, deal) for facts, deal in state.readings}
    return _fold((*state.records, recorded), known)


def changes(fact: Fact) -> tuple[Corrected | Inserted | Moved, ...]:
    """What a fact changes of others: nothing, or what it is, or what it holds together."""
    match fact:
        case Amended():
            return fact.changes
        case Corrected() | Inserted() | Moved():
            return (fact,)
    return ()


def struck(records: Sequence[Recorded]) -> frozenset[int]:
    """The versions taken back by a strike that stands itself."""
    return frozenset(version for version, (fact, _) in _replaced(records).items() if fact is None)


def _replaced(records: Sequence[Recorded]) -> dict[int, tuple[Fact | None, int]]:
    """By version: what stands in a fact's place (None: struck), and since which version."""
    replaced: dict[int, tuple[Fact | None, int]] = {}
    for recorded in reversed(records):
        fact = recorded.fact
        if not isinstance(fact, (Corrected, Amended)):
            continue
        # Struck, it changes nothing. Another fact in the place of an amendment mends what that
        # inserted; the rest of it stands.
        if recorded.version in replaced and replaced[recorded.version][0] is None:
            continue
        for change in changes(fact):
            if isinstance(change, Corrected):
                replaced.setdefault(change.target, (change.replacement, recorded.version))
    return replaced


def standing(records: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """The facts in force: corrections, strikes and answers carried out, in their old places.

    The correcting and answering facts themselves are left out. A correction may strike another
    correction or an answer; the newest one on a target counts. A fact that was inserted or
    moved stands where it belongs, at the moment of the fact it stands before; an inserted one
    is known by the version of its insertion.
    """
    if not any(isinstance(r.fact, _POINTING) for r in records):
        return tuple(records)  # most games: nothing in them speaks of another fact
    replaced = _replaced(records)
    answers: dict[int, tuple[ReviewAnswered, int]] = {}
    for recorded in records:
        if isinstance(recorded.fact, ReviewAnswered):
            answer = replaced.get(recorded.version, (recorded.fact, 0))[0]
            if isinstance(answer, ReviewAnswered):
                answers[answer.review] = (answer, recorded.version)
    result: list[Recorded] = []
    for recorded in _in_place(records, replaced):
        fact = recorded.fact
        if replaced and recorded.version in replaced:
            new = replaced[recorded.version][0]
            if new is None:
                continue
            fact = new
        if isinstance(fact, _POINTING):
            continue
        if isinstance(fact, ReviewRaised) and recorded.version in answers:
            answered, since = answers[recorded.version]
            if fact.reason == "changed" and _mend_by_track(
                result, fact, answered, since=since, replaced=replaced
            ):
                continue
            settled = _settled(fact, answered)
            if settled is None:
                continue
            fact = settled
        result.append(recorded if fact is recorded.fact else replace(recorded, fact=fact))
    return tuple(result)


def _in_place(
    records: Sequence[Recorded], replaced: Mapping[int, tuple[Fact | None, int]]
) -> Iterable[Recorded]:
    """The records, with those that were inserted (unwrapped) or moved where they belong.

    A place before a fact that is not there, or that would lead around in a circle, is passed
    over. Of several before one fact the newest comes last.
    """
    before: dict[int, int] = {}
    by_version: dict[int, Recorded] = {}
    for recorded in records:
        for change in changes(recorded.fact):
            if isinstance(change, Corrected):
                continue
            if not by_version:
                by_version = {r.version: r for r in records}
            if recorded.version in replaced and replaced[recorded.version][0] is None:
                continue
            moved = change.target if isinstance(change, Moved) else recorded.version
            if moved in by_version and _leads_on(before, moved, change.before, by_version):
                # Taken out first, so that the newest stands last in the order of the places.
                before.pop(moved, None)
                before[moved] = change.before
    if not by_version:
        return records
    return _replaced_in_order(records, before, by_version)


def _leads_on(
    before: Mapping[int, int], moved: int, place: int, known: Mapping[int, Recorded]
) -> bool:
    """Whether a fact put before ``place`` comes to stand somewhere."""
    at: int | None = place
    while at is not None:
        if at == moved or at not in known:
            return False
        at = before.get(at)
    return True


def _replaced_in_order(
    records: Sequence[Recorded], before: Mapping[int, int], by_version: Mapping[int, Recorded]
) -> Iterator[Recorded]:
    waiting: dict[int, list[int]] = {}
    for moved, place in before.items():
        waiting.setdefault(place, []).append(moved)
    for recorded in records:
        if recorded.version in before:
            continue
        # A stack, not recursion: one may wait on another, a thousand deep.
        stack = [recorded.version]
        while stack:
            version = stack.pop()
            group = waiting.pop(version, None)
            if group:
                stack.append(version)
                stack.extend(reversed(group))
                continue
            now = by_version[version]
            if version != recorded.version:
                now = replace(now, at_us=recorded.at_us)
            fact = next((c.fact for c in changes(now.fact) if isinstance(c, Inserted)), now.fact)
            yield now if fact is now.fact else replace(now, fact=fact)


def _settled(review: ReviewRaised, answer: ReviewAnswered) -> Fact | None:
    """The fact that a review becomes by its answer, None when it was no card."""
    if answer.card is None:
        return None
    seat = review.seat if answer.seat is None else answer.seat
    if review.subject == "upcard":
        return UpcardShown(
            card=answer.card, dealer=seat, track=review.track, evidence=review.evidence
        )
    if seat is None:
        # Nobody said whose card it is: the question stays open.
        return review
    card, track, evidence = answer.card, review.track, review.evidence
    match review.subject:
        case "table":
            return TableCardShown(seat=seat, card=card, track=track, evidence=evidence)
        case "draw":
            return CardDrawn(seat=seat, card=card, track=track, evidence=evidence)
    return CardPlayed(seat=seat, card=card, track=track, evidence=evidence)


def _mend_by_track(
    result: list[Recorded],
    review: ReviewRaised,
    answer: ReviewAnswered,
    *,
    since: int,
    replaced: Mapping[int, tuple[Fact | None, int]],
) -> bool:
    """Carry the answer of a ``changed`` review out on the card it doubts, if that stands.

    ``since`` is the version of the answer: a correction of the card that came later stays.
    """
    for place in range(len(result) - 1, -1, -1):
        recorded = result[place]
        fact = recorded.fact
        if not isinstance(fact, CardPlayed | UpcardShown | TableCardShown | CardDrawn):
            continue
        # A table card keeps its track until it is played under another.
        if fact.track != review.track:
            continue
        if recorded.version in replaced and replaced[recorded.version][1] > since:
            return True
        if answer.card is None:
            del result[place]
            return True
        mended: Fact
        if isinstance(fact, CardPlayed | TableCardShown | CardDrawn):
            seat = fact.seat if answer.seat is None else answer.seat
            mended = replace(fact, card=answer.card, seat=seat, confidence=1.0)
        else:
            mended = replace(fact, card=answer.card, confidence=1.0)
        result[place] = replace(recorded, fact=mended)
        return True
    return False


class _Sheet:
    """The facts of one deal while they are being dealt out."""

    __slots__ = ("clears", "closed", "facts", "has_upcard", "named_dealer", "number", "places")

    def __init__(self, number: int, named_dealer: Seat | None) -> None:
        self.number = number
        self.facts: list[Recorded] = []
        self.named_dealer = named_dealer
        self.has_upcard = False
        self.closed = False
        self.places = 0
        self.clears = 0


def _fold(records: tuple[Recorded, ...], known: Mapping[int, tuple[DealFacts, Deal]]) -> State:
    if not records:
        return State()
    stand = standing(records)
    # Nothing can take the agreed rules away: what strikes them leaves them as they were.
    start = next((r for r in (*stand, *records) if isinstance(r.fact, GameStarted)), None)
    rules = start.fact if start is not None else None
    assert rules is None or isinstance(rules, GameStarted)
    ruleset = _HOME if rules is None else ruleset_from(rules.rules)
    game = game_for(ruleset)
    names = SEAT_NAMES if rules is None else _harmless(rules.names)
    initial = game.initial_score(ruleset) if rules is None else tuple(rules.initial_score)
    unseen = frozenset(
        r.version for r in records if isinstance(r.fact, ReviewRaised) and r.fact.reason == "missed"
    )
    dealt = _DealingOut(game, ruleset, names, stand, unseen)
    for recorded in dealt.stand:
        dealt.take(recorded)
    return _state(
        records=records,
        stand=stand,
        start=start,
        game=game,
        ruleset=ruleset,
        names=names,
        initial=initial,
        first_dealer=None if rules is None else rules.dealer,
        dealt=dealt,
        known=known,
    )


class _DealingOut:
    """One pass over the standing facts that hands each to its deal."""

    def __init__(
        self,
        game: Game,
        ruleset: Ruleset,
        names: tuple[str, ...],
        stand: Sequence[Recorded],
        unseen: frozenset[int],
    ) -> None:
        self.unseen = unseen
        self.game = game
        self.ruleset = ruleset
        self.names = names
        # A log bears every fact; one of a seat that the game has not belongs to no deal of it.
        self.stand = tuple(r for r in stand if _highest_seat(r.fact) < game.seats)
        self.sheets: list[_Sheet] = []
        self.declared: dict[int, tuple[Declared, int]] = {
            r.fact.deal: (r.fact, r.version)
            for r in self.stand
            if isinstance(r.fact, Declared) and r.fact.deal is not None
        }
        self.confirmed: set[int] = set()
        self.rulings: dict[str, FindingRuled] = {}
        self.adjustments: list[tuple[int, ScoreAdjusted]] = []
        self.shuffles: list[PackShuffled] = []
        self.ended: str | None = None
        self.paused: str | None = None
        self.agreed: list[GameConfirmed] = []
        self.next_named: Seat | None = None
        self.draw: list[Recorded] | None = None

    def take(self, recorded: Recorded) -> None:
        fact = recorded.fact
        match fact:
            case CardPlayed():
                if recorded.version in self.unseen and self.sheets:
                    self.sheets[-1].facts.append(recorded)
                    self.sheets[-1].places += 1
                else:
                    self._lay(recorded)
            case TrickCleared():
                if self.sheets:
                    self.sheets[-1].facts.append(recorded)
                    self.sheets[-1].clears += 1
                elif self.draw is not None:
                    self.draw.append(recorded)
            case UpcardShown():
                self._upcard(recorded)
            case DrawBegun():
                if not self.sheets:
                    self.draw, self.next_named = [], None
            case CardDrawn() | ReviewRaised(subject="draw"):
                # Late, it mends what was drawn; without a draw it is of nothing.
                if self.draw is not None:
                    self.draw.append(recorded)
            case ReviewRaised(subject="upcard"):
                if fact.reason == "changed" and self.sheets and self.sheets[-1].has_upcard:
                    self.sheets[-1].facts.append(recorded)
                else:
                    self._upcard(recorded)
            case ReviewRaised(reason="changed" | "missed"):
                # It speaks of this deal, even when nothing is left to play in it.
                sheet = self.sheets[-1] if self.sheets else self._open()
                sheet.facts.append(recorded)
                sheet.places += fact.reason == "missed"
            case ReviewRaised(subject="play"):
                self._lay(recorded)
            case (
                UpcardTaken()
                | UpcardTurnedDown()
                | Discarded()
                | AceCalled()
                | CardLifted()
                | CardTakenBack()
                | CardPassed()
            ):
                # A card taken back leaves the count of cards as it is: that says only from
                # where on the deal is to be read closely.
                if self.sheets:
                    self.sheets[-1].facts.append(recorded)
            case HandShown() | Claimed():
                number = len(self.sheets) if fact.deal is None else fact.deal
                if 1 <= number <= len(self.sheets):
                    self.sheets[number - 1].facts.append(recorded)
            case Called() | TricksBid() | WidowSwapped() | Stayed() | Dropped():
                self._current().facts.append(recorded)
            case TableCardShown() | ReviewRaised():
                self._current().facts.append(recorded)
            case Declared():
                number = self._present_number() if fact.deal is None else fact.deal
                if not self.game.has_upcard and number == len(self.sheets) + 1:
                    # Nothing else need come: all others may have dropped.
                    self._open()
                if fact.deal is None:
                    self._declare(number, fact, recorded.version)
            case DealThrownIn():
                sheet = self._current()
                sheet.facts.append(recorded)
                sheet.closed = True
            case DealKept():
                if self.game.name == "partnership" and fact.tricks <= self.ruleset.hand_size:
                    sheet = self._current()
                    sheet.facts.append(recorded)
                    sheet.closed = True
            case DealerNamed():
                sheet_or_none = self.sheets[-1] if self.sheets else None
                if sheet_or_none is None or sheet_or_none.closed or self._is_full(sheet_or_none):
                    self.next_named = fact.dealer
                else:
                    sheet_or_none.named_dealer = fact.dealer
            case DealConfirmed():
                self.confirmed.add(fact.deal)
            case FindingRuled():
                self.rulings[fact.finding] = fact
            case ScoreAdjusted() if len(fact.points) == self.game.sides:
                self.adjustments.append((len(self.sheets), fact))
            case PackShuffled():
                self.shuffles.append(fact)
            case GamePaused():
                self.paused = fact.reason
            case GameResumed():
                self.paused = None
            case GameConfirmed():
                self.agreed.append(fact)
            case GameEnded():
                self.ended = fact.reason

    def facts_of(self, sheet: _Sheet, expected_dealer: Seat | None) -> DealFacts:
        declared = self.declared.get(sheet.number)
        prefix = f"{sheet.number}:"
        return DealFacts(
            number=sheet.number,
            facts=tuple(sheet.facts),
            declared=None if declared is None else declared[0],
            declared_version=None if declared is None else declared[1],
            expected_dealer=expected_dealer,
            named_dealer=sheet.named_dealer,
            confirmed=sheet.number in self.confirmed,
            rulings={k: v for k, v in self.rulings.items() if k.startswith(prefix)},
            ruleset=self.ruleset,
            names=self.names,
            unseen=self.unseen and self.unseen.intersection(r.version for r in sheet.facts),
            left=self.ended is not None or sheet is not self.sheets[-1],
        )

    def _declare(self, number: int, fact: Declared, version: int) -> None:
        """Keep the newest: one that names its deal may stand later in the log."""
        before = self.declared.get(number)
        if before is None or before[1] < version:
            self.declared[number] = (fact, version)

    def _open(self) -> _Sheet:
        sheet = _Sheet(len(self.sheets) + 1, self.next_named)
        self.next_named = None
        self.sheets.append(sheet)
        return sheet

    def _current(self) -> _Sheet:
        """The deal under way, or a new one where the last is over."""
        if not self.sheets or self.sheets[-1].closed or self._is_full(self.sheets[-1]):
            return self._open()
        return self.sheets[-1]

    def _lay(self, recorded: Recorded) -> None:
        sheet = self._current()
        sheet.facts.append(recorded)
        sheet.places += 1

    def _upcard(self, recorded: Recorded) -> None:
        sheet = self.sheets[-1] if self.sheets else None
        if sheet is None or sheet.closed or sheet.has_upcard or self._is_full(sheet):
            sheet = self._open()
        sheet.facts.append(recorded)
        sheet.has_upcard = True

    def _present_number(self) -> int:
        """The deal that a declaration without a number speaks of."""
        if not self.sheets:
            return 1
        last = self.sheets[-1]
        if last.closed:
            return len(self.sheets) + 1
        # Where no card is turned up, the word about the next deal may be its first.
        is_next = not self.game.has_upcard and last.number in self.declared and self._is_full(last)
        return len(self.sheets) + is_next

    def _is_full(self, sheet: _Sheet) -> bool:
        """Whether every trick of the deal has its cards, so that the next card is not of it.

        The deal is read only where its count of cards leaves that open.
        """
        declared = self.declared.get(sheet.number)
        said = None if declared is None else declared[0]
        fewest = self.game.fewest_plays(sheet.facts, said, self.ruleset)
        if sheet.places < fewest and sheet.clears < self.ruleset.hand_size:
            return False
        return self.game.read_deal(self.facts_of(sheet, None)).complete


def _state(
    *,
    records: tuple[Recorded, ...],
    stand: tuple[Recorded, ...],
    start: Recorded | None,
    game: Game,
    ruleset: Ruleset,
    names: tuple[str, ...],
    initial: tuple[int, ...],
    first_dealer: Seat | None,
    dealt: _DealingOut,
    known: Mapping[int, tuple[DealFacts, Deal]],
) -> State:
    readings: list[tuple[DealFacts, Deal]] = []
    score = initial
    scores: list[tuple[int, ...]] = []
    draw = None if dealt.draw is None else read_draw(dealt.draw, ruleset, game.seats)
    expected = first_dealer if draw is None else draw.dealer
    scored = 0
    pending = False
    result = Outcome(over=False, winner=None)
    adjustments = list(dealt.adjustments)
    for sheet in dealt.sheets:
        while adjustments and adjustments[0][0] < sheet.number:
            score = _added(score, adjustments.pop(0)[1].points)
        facts = dealt.facts_of(sheet, expected)
        before = known.get(sheet.number)
        deal = before[1] if before is not None and before[0] == facts else game.read_deal(facts)
        readings.append((facts, deal))
        if deal.points is not None:
            score = _added(score, deal.points)
            scored += deal.thrown_in is None
        elif deal.complete or sheet is not dealt.sheets[-1]:
            pending = True
        scores.append(score)
        # The first side past the target wins: what is recorded after that changes nothing.
        if not result.over and not pending:
            result = game.outcome(score, scored, ruleset)
        expected = game.next_dealer(deal, ruleset)
    for _, adjustment in adjustments:
        score = _added(score, adjustment.points)
    if adjustments and not result.over and not pending:
        result = game.outcome(score, scored, ruleset)
    deals = tuple(deal for _, deal in readings)
    last = deals[-1] if deals else None
    upcoming = dealt.declared.get(len(deals) + 1)
    if last is None or last.complete:
        next_dealer = dealt.next_named if dealt.next_named is not None else expected
    else:
        next_dealer = expected
    over = result.over or dealt.ended is not None
    return State(
        version=records[-1].version,
        game_id=records[0].game_id,
        started_at_us=start.at_us if start is not None else records[0].at_us,
        started=start is not None,
        ruleset=ruleset,
        title=(harmless(start.fact.title) if start and isinstance(start.fact, GameStarted) else ""),
        names=names,
        initial_score=initial,
        score=score,
        scores=tuple(scores),
        deals=deals,
        next_dealer=next_dealer,
        draw=draw,
        declared_next=None if upcoming is None else upcoming[0],
        turn=last.turn if last is not None else None,
        over=over,
        winner=result.winner,
        ended=dealt.ended,
        paused=None if over else dealt.paused,
        confirmed=_agreed(dealt.agreed, score, len(names)) if over else (),
        reviews=(
            *(() if draw is None else draw.reviews),
            *(review for deal in deals for review in deal.reviews),
        ),
        findings=tuple(finding for deal in deals for finding in deal.findings),
        adjustments=tuple(fact for _, fact in dealt.adjustments),
        shuffles=tuple(dealt.shuffles),
        records=records,
        standing=stand,
        readings=tuple(readings),
    )


def _harmless(names: tuple[str, ...]) -> tuple[str, ...]:
    # Cleaned where it is read, not where it is written: an imported game brings its own names.
    # Of a name that was nothing but such signs nothing is left: the seat's own stands in.
    seats = default_names(len(names))
    return tuple(harmless(name) or seat for name, seat in zip(names, seats, strict=True))


def _agreed(said: Sequence[GameConfirmed], score: tuple[int, ...], players: int) -> tuple[int, ...]:
    """The sides that have confirmed this very score."""
    return tuple(sorted({side_of(s.seat, players) for s in said if s.score == score}))


def _highest_seat(fact: Fact) -> int:
    """The highest seat a fact names, -1 where it names none."""
    match fact:
        case CardPlayed(seat=seat) | TableCardShown(seat=seat) | CardDrawn(seat=seat):
            return seat
        case UpcardShown(dealer=dealer) | GameStarted(dealer=dealer) | DealerNamed(dealer=dealer):
            return -1 if dealer is None else dealer
        case Declared():
            seats = (fact.maker, fact.alone, fact.defender_alone, *fact.dropped)
            return max(seat for seat in seats if seat is not None)
        case ReviewRaised(seat=seat) if seat is not None:
            return seat
        case (
            Called(seat=seat)
            | GameConfirmed(seat=seat)
            | TricksBid(seat=seat)
            | WidowSwapped(seat=seat)
            | Stayed(seat=seat)
            | Dropped(seat=seat)
            | Discarded(seat=seat)
            | HandShown(seat=seat)
            | CardPassed(seat=seat)
        ):
            return seat
        case Claimed():
            return max(fact.seat, -1 if fact.by is None else fact.by)
    return -1


def _added(score: tuple[int, ...], points: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(score, points, strict=True))
