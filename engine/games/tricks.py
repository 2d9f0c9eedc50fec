"""How the cards of a deal become tricks, and its doubts the reviews still open.

The same for every game and any number of seats: what lies on the table is read in order of
report, within a trick by the moment of rest, and nothing here asks whether a play was legal.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, Literal

from engine.cards import Card, Seat
from engine.deal import DealFacts, Play, Review, TakenBack, Trick, Upcard, review_of
from engine.facts import (
    CardPlayed,
    CardTakenBack,
    DealThrownIn,
    Recorded,
    ReviewRaised,
    TrickCleared,
    Trump,
)
from engine.follow import trick_winner

#: A doubtful card is reported later than it came to rest, after the next seat's card even;
#: within a trick the moment of rest decides, as long as the two are this close. Further apart
#: it was the clock that jumped, and the order of report stands.
_LATE_REPORT_US: Final = 10_000_000
#: Two cards that the camera saw come to rest this close together (a hand lifted off both) have
#: no order that anybody could see: the turn decides. Nobody plays two cards so fast one by one.
_SAME_MOMENT_US: Final = 120_000


def play_of(recorded: Recorded, fact: CardPlayed) -> Play:
    return Play(
        seat=fact.seat,
        card=fact.card,
        version=recorded.version,
        at_us=recorded.at_us,
        confidence=fact.confidence,
        track=fact.track,
        evidence=fact.evidence,
    )


def _place_held(recorded: Recorded, fact: ReviewRaised) -> Play:
    return Play(
        seat=fact.seat,
        card=None,
        version=recorded.version,
        at_us=recorded.at_us,
        confidence=0.0,
        track=fact.track,
        evidence=fact.evidence,
        review=recorded.version,
    )


def _is_doubt(play: Play) -> bool:
    """A place held by a review alone; a card that was read otherwise later is a card still."""
    return play.card is None and play.review == play.version


def _same_moment(one: Play, other: Play) -> bool:
    """Whether no camera can tell which of the two came first; taps keep their own order."""
    seen = one.track is not None and other.track is not None
    return seen and abs(one.at_us - other.at_us) <= _SAME_MOMENT_US


class _OpenTrick:
    """A trick while it is read; in ``plays`` each seat stands once.

    ``free`` are the places of cards that were taken back, by seat.
    """

    __slots__ = ("extra", "free", "plays", "taken_back")

    def __init__(self, trick: Trick | None = None) -> None:
        self.plays: list[Play] = [] if trick is None else list(trick.plays)
        self.extra: list[Play] = [] if trick is None else list(trick.extra)
        self.taken_back: list[TakenBack] = [] if trick is None else list(trick.taken_back)
        self.free: dict[Seat | None, int] = {}

    def is_full(self, in_play: int) -> bool:
        return len(self.plays) >= in_play

    def settles(self, play: Play) -> bool:
        """Whether a sure card comes where only a doubt holds its seat's place.

        The trick still lies there, so it is that seat's card rather than a lead to the next.
        """
        return play.card is not None and any(
            other.seat == play.seat and _is_doubt(other) for other in self.plays
        )

    def lay(self, play: Play, sits_out: Sequence[Seat], expected: Seat | None, seats: int) -> None:
        if play.seat is not None and play.seat in sits_out:
            self.extra.append(play)
            return
        if play.seat in self.free:
            self.plays.insert(min(self.free.pop(play.seat), len(self.plays)), play)
            return
        for place, other in enumerate(self.plays):
            if play.seat is not None and other.seat == play.seat:
                if _is_doubt(other) and play.card is not None:
                    # A sure card takes the place that a doubt held for its seat.
                    self.plays[place] = play
                    self.extra.append(other)
                else:
                    self.extra.append(play)
                return
        place = len(self.plays)
        while place > 0 and self._is_earlier(play, place - 1, expected, seats, sits_out):
            place -= 1
        self.plays.insert(place, play)

    def _is_earlier(
        self,
        play: Play,
        place: int,
        expected: Seat | None,
        seats: int,
        sits_out: Sequence[Seat],
    ) -> bool:
        """Whether ``play`` came before the card at ``place``, by its moment or else by turn."""
        late_us = self.plays[place].at_us - play.at_us
        if not _same_moment(self.plays[place], play):
            return 0 < late_us <= _LATE_REPORT_US
        other = self.plays[place].seat
        if play.seat is None or other is None:
            return False
        if place > 0:
            leader = self.plays[0].seat
            if leader is None:
                return False
            return (play.seat - leader) % seats < (other - leader) % seats
        if expected is not None:
            return play.seat == expected != other
        after = (play.seat + 1) % seats
        while after in sits_out:
            after = (after + 1) % seats
        return after == other

    def take_back(self, target: int, *, version: int, in_play: int) -> bool:
        """Take the card of the play at ``target`` off the trick, if it lies there.

        A second card that the seat laid beside it takes its place.
        """
        stage: Literal["open", "complete"] = "complete" if self.is_full(in_play) else "open"
        for place, play in enumerate(self.plays):
            if play.version != target:
                continue
            del self.plays[place]
            self.taken_back.append(TakenBack(play=play, version=version, stage=stage))
            second = next((e for e in self.extra if e.seat == play.seat and e.card), None)
            if second is None:
                self.free[play.seat] = place
            else:
                self.extra.remove(second)
                self.plays.insert(place, second)
            return True
        for play in self.extra:
            if play.version == target:
                self.extra.remove(play)
                self.taken_back.append(TakenBack(play=play, version=version, stage=stage))
                return True
        return False

    def put_by_turn(self, play: Play, seat: Seat, expected: Seat | None, seats: int) -> None:
        """Put a card that nobody saw laid where its seat's turn was.

        The ``expected`` leader led, if it is the very seat whose card was missed.
        """
        if any(other.seat == seat for other in self.plays):
            self.extra.append(play)
            return
        leader = seat if seat == expected or not self.plays else self.plays[0].seat
        if leader is None:
            self.plays.append(play)
            return
        turn = (seat - leader) % seats
        for place, other in enumerate(self.plays):
            if other.seat is not None and (other.seat - leader) % seats > turn:
                self.plays.insert(place, play)
                return
        self.plays.append(play)


def read_tricks(
    facts: DealFacts,
    *,
    trump: Trump | None,
    leads: Seat | None,
    sits_out: Sequence[Seat] = (),
    exposed: Collection[int] = (),
    seats: int = 4,
) -> tuple[tuple[Trick, ...], str | None]:
    """The tricks so far, and the reason when the deal was thrown in.

    ``leads`` is the seat to lead to the first trick, None while nobody can say. ``exposed`` are
    the versions of cards that were shown, not played. ``seats`` sit at the table, of which
    those that ``sits_out`` names lay no cards.
    """
    expected = leads
    in_play = seats - len(sits_out)
    done: list[Trick] = []
    now = _OpenTrick()
    thrown_in: str | None = None
    doubted = {
        r.fact.track: r.version
        for r in facts.facts
        if isinstance(r.fact, ReviewRaised) and r.fact.reason == "changed"
    }

    def close(*, cleared: bool) -> None:
        nonlocal now, expected
        done.append(_trick(len(done) + 1, now, trump, in_play, closed=True, cleared=cleared))
        expected = done[-1].winner
        now = _OpenTrick()

    def take_back(target: int, version: int) -> None:
        """Before the next lead the trick is open again; after it the card stands."""
        nonlocal now, expected
        if now.take_back(target, version=version, in_play=in_play):
            return
        if done and not now.plays:
            again = _OpenTrick(done[-1])
            if again.take_back(target, version=version, in_play=in_play):
                done.pop()
                now = again
                expected = done[-1].winner if done else leads
                return
        for index, trick in enumerate(done):
            for play in trick.plays:
                if play.version == target:
                    late = TakenBack(play=play, version=version, stage="led")
                    done[index] = replace(trick, taken_back=(*trick.taken_back, late))

    for recorded in facts.facts:
        fact = recorded.fact
        match fact:
            case CardTakenBack():
                take_back(fact.target, recorded.version)
                continue
            case CardPlayed():
                if recorded.version in exposed:
                    continue
                play = play_of(recorded, fact)
                if doubted and fact.track is not None and fact.track in doubted:
                    play = replace(play, card=None, review=doubted[fact.track])
            case ReviewRaised(subject="play"):
                if fact.reason == "changed" and _is_seen(facts.facts, fact.track):
                    continue
                if fact.reason == "missed" and fact.seat in sits_out:
                    continue
                play = _place_held(recorded, fact)
            case TrickCleared():
                if now.plays:
                    close(cleared=True)
                elif done and not done[-1].cleared:
                    done[-1] = replace(done[-1], cleared=True)
                continue
            case DealThrownIn():
                thrown_in = fact.reason
                continue
            case _:
                continue
        if now.is_full(in_play) and play.seat not in sits_out and not now.settles(play):
            close(cleared=False)
        if play.version in facts.unseen and play.seat is not None and play.seat not in sits_out:
            now.put_by_turn(play, play.seat, expected, seats)
        else:
            now.lay(play, sits_out, expected, seats)
    if now.plays or now.extra or now.taken_back:
        done.append(_trick(len(done) + 1, now, trump, in_play, closed=False, cleared=False))
    return tuple(done), thrown_in


def _is_seen(facts: Sequence[Recorded], track: int | None) -> bool:
    """Whether a play of that track stands in the deal (a doubt about it holds no new place)."""
    return track is not None and any(
        isinstance(r.fact, CardPlayed) and r.fact.track == track for r in facts
    )


def _trick(
    number: int, now: _OpenTrick, trump: Trump | None, in_play: int, *, closed: bool, cleared: bool
) -> Trick:
    complete = now.is_full(in_play)
    winner: Seat | None = None
    if complete and trump is not None:
        known: list[tuple[Seat, Card]] = [
            (p.seat, p.card) for p in now.plays if p.seat is not None and p.card is not None
        ]
        if len(known) == len(now.plays):
            winner = trick_winner(known, trump)
    return Trick(
        number=number,
        plays=tuple(now.plays),
        extra=tuple(now.extra),
        complete=complete,
        closed=closed,
        cleared=cleared,
        winner=winner,
        taken_back=tuple(now.taken_back),
    )


def open_reviews(
    facts: DealFacts,
    *,
    tricks: Sequence[Trick],
    sits_out: Sequence[Seat] = (),
    upcard: Upcard | None = None,
) -> tuple[Review, ...]:
    """The reviews still open, with the trick each speaks of."""
    raised = [r for r in facts.facts if isinstance(r.fact, ReviewRaised)]
    if not raised:
        return ()
    trick_of = {
        play.review: (trick.number, play.version)
        for trick in tricks
        for play in (*trick.plays, *trick.extra)
        if play.review is not None
    }
    reviews: list[Review] = []
    for recorded in raised:
        fact = recorded.fact
        assert isinstance(fact, ReviewRaised)
        if fact.reason == "missed" and fact.seat in sits_out:
            continue
        number, version = trick_of.get(recorded.version, (None, None))
        if fact.subject == "upcard" and upcard is not None and upcard.review == recorded.version:
            version = upcard.version
        target = version if version != recorded.version else None
        reviews.append(review_of(recorded, fact, deal=facts.number, trick=number, target=target))
    return tuple(reviews)
