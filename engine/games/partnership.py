"""The four-handed partnership game: a deal read out of its facts.

Trump, maker and lone hands come from the newest declaration, else from the calls, else from
what happened to the up-card. A declaration may come late, so the whole deal is read with what
is known now; nothing is carried over from an earlier reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.cards import Card, Seat, left_of, side_of, suit_of
from engine.deal import Deal, DealFacts, Phase, Play, Review, Trick, Upcard, UpcardState
from engine.facts import (
    Called,
    CardPlayed,
    DealThrownIn,
    Recorded,
    ReviewRaised,
    TrickCleared,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.findings import judge
from engine.follow import trick_winner
from engine.games import Game, Outcome
from engine.ruleset import Ruleset
from engine.rulings import ends_hand, settle_revokes
from engine.scoring import NOBODY, Result, score_deal
from engine.turns import first_leader, next_to_play, sitting_out

#: A doubtful card is reported later than it came to rest, after the next seat's card even;
#: within a trick the moment of rest decides, as long as the two are this close. Further apart
#: it was the clock that jumped, and the order of report stands.
_LATE_REPORT_US: Final = 10_000_000

#: Reasons after which the same dealer deals again.
_SAME_DEALER_REASONS: Final = ("redeal",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bid:
    """Who made which trump, as far as known."""

    maker: Seat | None = None
    trump: Trump | None = None
    alone: tuple[Seat, ...] = ()
    upcard_state: UpcardState | None = None


def read_deal(facts: DealFacts) -> Deal:
    """The deal that ``facts`` tell of."""
    upcard, exposed = _upcard(facts.facts)
    calls = tuple(r.fact for r in facts.facts if isinstance(r.fact, Called))
    bid = _bid(facts, upcard, calls)
    if upcard is not None and bid.upcard_state is not None:
        upcard = replace(upcard, state=bid.upcard_state)
    sits_out = sitting_out(bid.alone)
    dealer = _dealer(facts)
    exposed_versions = {play.version for play in exposed}
    leads = first_leader(
        dealer=dealer, maker=bid.maker, alone=bid.alone, lone_lead=facts.ruleset.lone_lead
    )
    tricks, thrown_in = _tricks(facts, bid, sits_out, exposed_versions, leads)
    reviews = _open_reviews(facts, tricks, sits_out, upcard)
    hand_size = facts.ruleset.hand_size
    played_out = len(tricks) == hand_size and (tricks[-1].complete or tricks[-1].closed)
    ended = [trick for trick in tricks if trick.complete or trick.closed]
    winners = tuple(trick.winner for trick in ended)
    tricks_won = (
        sum(w is not None and side_of(w) == 0 for w in winners),
        sum(w is not None and side_of(w) == 1 for w in winners),
    )
    played = _played_result(
        facts.ruleset, bid, winners, tricks_won, played_out=played_out, thrown_in=thrown_in
    )
    deal = Deal(
        number=facts.number,
        dealer=dealer,
        upcard=upcard,
        calls=calls,
        declared=facts.declared,
        declared_version=facts.declared_version,
        maker=bid.maker,
        trump=bid.trump,
        alone=bid.alone,
        sits_out=sits_out,
        tricks=tricks,
        exposed=exposed,
        phase="bidding",
        complete=played_out or thrown_in is not None,
        thrown_in=thrown_in,
        confirmed=facts.confirmed,
        turn=None,
        winners=winners,
        tricks_won=tricks_won,
        played_points=None if played is None else played.as_points(),
        played_result=None if played is None else played.case,
        points=None,
        result=None,
        findings=(),
        reviews=reviews,
        claims=(),
    )
    findings, claims = judge(deal, facts)
    upheld = [
        (f.seat, f.trick)
        for f in findings
        if f.kind == "revoke"
        and f.status == "upheld"
        and f.seat is not None
        and f.trick is not None
    ]
    settled = settle_revokes(
        played=played,
        upheld=upheld if thrown_in is None else (),
        winners=winners,
        maker=bid.maker,
        alone=bid.alone,
        ruleset=facts.ruleset,
    )
    ended_by_ruling = bool(upheld) and ends_hand(facts.ruleset)
    complete = deal.complete or ended_by_ruling
    return replace(
        deal,
        findings=findings,
        claims=claims,
        complete=complete,
        points=None if settled is None else settled[0],
        result=None if settled is None else settled[1],
        phase=_phase(deal, scored=settled is not None),
        turn=None if complete else _turn(deal, facts.ruleset),
    )


def next_dealer(deal: Deal, ruleset: Ruleset) -> Seat | None:
    """The deal passes to the left, but for a redeal and for ``same_dealer`` after a pass-out."""
    if deal.dealer is None:
        return None
    again = deal.thrown_in in _SAME_DEALER_REASONS or (
        deal.thrown_in == "passed_out" and ruleset.pass_out == "same_dealer"
    )
    return deal.dealer if again else left_of(deal.dealer)


def outcome(score: tuple[int, ...], deals_scored: int, ruleset: Ruleset) -> Outcome:
    """At a deal's end: the side at or past the target, or ahead after the agreed deals."""
    ahead = None if score[0] == score[1] else (0 if score[0] > score[1] else 1)
    if ruleset.deals is not None:
        over = deals_scored >= ruleset.deals
        return Outcome(over=over, winner=ahead if over else None)
    # Both past the target happens only through an adjustment; the higher side then wins.
    over = max(score) >= ruleset.target and ahead is not None
    return Outcome(over=over, winner=ahead if over else None)


GAME: Final = Game(
    name="partnership",
    seats=4,
    sides=2,
    read_deal=read_deal,
    next_dealer=next_dealer,
    outcome=outcome,
)


def _upcard(facts: Sequence[Recorded]) -> tuple[Upcard | None, tuple[Play, ...]]:
    """The up-card, and cards shown before it, which were no plays.

    A tapped up-card (no track) may come late and leaves the plays before it as they are.
    """
    upcard: Upcard | None = None
    before: list[Play] = []
    exposed: tuple[Play, ...] = ()
    for recorded in facts:
        match recorded.fact:
            case UpcardShown() as fact:
                if upcard is None and fact.track is not None:
                    exposed = tuple(before)
                upcard = Upcard(
                    card=fact.card,
                    state="shown",
                    version=recorded.version,
                    at_us=recorded.at_us,
                    confidence=fact.confidence,
                    track=fact.track,
                    evidence=fact.evidence,
                )
            case ReviewRaised(subject="upcard") as fact:
                if fact.reason == "changed" and upcard is not None:
                    upcard = replace(upcard, card=None, review=recorded.version)
                elif upcard is None:
                    upcard = Upcard(
                        card=None,
                        state="shown",
                        version=recorded.version,
                        at_us=recorded.at_us,
                        confidence=0.0,
                        track=fact.track,
                        evidence=fact.evidence,
                        review=recorded.version,
                    )
            case UpcardTaken() if upcard is not None:
                upcard = replace(upcard, state="taken", settled_by=recorded.version)
            case UpcardTurnedDown() if upcard is not None:
                upcard = replace(upcard, state="turned_down", settled_by=recorded.version)
            case CardPlayed() as fact if upcard is None:
                before.append(_play(recorded, fact))
    return upcard, exposed


def _bid(facts: DealFacts, upcard: Upcard | None, calls: Sequence[Called]) -> _Bid:
    suit = suit_of(upcard.card) if upcard is not None and upcard.card is not None else None
    declared = facts.declared
    if declared is not None:
        alone = tuple(s for s in (declared.alone, declared.defender_alone) if s is not None)
        state: UpcardState | None = None
        if suit is not None:
            state = "taken" if declared.trump == suit else "turned_down"
        return _Bid(maker=declared.maker, trump=declared.trump, alone=alone, upcard_state=state)
    for call in calls:
        if call.call == "pass":
            continue
        alone = (call.seat,) if call.alone else ()
        if call.call == "name":
            return _Bid(maker=call.seat, trump=call.suit, alone=alone, upcard_state="turned_down")
        return _Bid(maker=call.seat, trump=suit, alone=alone, upcard_state="taken")
    if upcard is not None and upcard.state == "taken":
        return _Bid(trump=suit)
    if sum(call.call == "pass" for call in calls) >= 4:
        return _Bid(upcard_state="turned_down")
    return _Bid()


def _dealer(facts: DealFacts) -> Seat | None:
    if facts.named_dealer is not None:
        return facts.named_dealer
    for recorded in facts.facts:
        if isinstance(recorded.fact, UpcardShown) and recorded.fact.dealer is not None:
            return recorded.fact.dealer
    return facts.expected_dealer


def _play(recorded: Recorded, fact: CardPlayed) -> Play:
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


class _OpenTrick:
    """A trick while it is read; in ``plays`` each seat stands once."""

    __slots__ = ("extra", "plays")

    def __init__(self) -> None:
        self.plays: list[Play] = []
        self.extra: list[Play] = []

    def is_full(self, in_play: int) -> bool:
        return len(self.plays) >= in_play

    def settles(self, play: Play) -> bool:
        """Whether a sure card comes where only a doubt holds its seat's place.

        The trick still lies there, so it is that seat's card rather than a lead to the next.
        """
        return play.card is not None and any(
            other.seat == play.seat and _is_doubt(other) for other in self.plays
        )

    def lay(self, play: Play, sits_out: Sequence[Seat]) -> None:
        if play.seat is not None and play.seat in sits_out:
            self.extra.append(play)
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
        while place > 0 and 0 < self.plays[place - 1].at_us - play.at_us <= _LATE_REPORT_US:
            place -= 1
        self.plays.insert(place, play)

    def put_by_turn(self, play: Play, seat: Seat, expected: Seat | None) -> None:
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
        turn = (seat - leader) % 4
        for place, other in enumerate(self.plays):
            if other.seat is not None and (other.seat - leader) % 4 > turn:
                self.plays.insert(place, play)
                return
        self.plays.append(play)


def _tricks(
    facts: DealFacts,
    bid: _Bid,
    sits_out: Sequence[Seat],
    exposed: set[int],
    leads: Seat | None,
) -> tuple[tuple[Trick, ...], str | None]:
    """The tricks so far, and the reason when the deal was thrown in.

    ``leads`` is the seat to lead to the first trick, None while nobody can say.
    """
    trump = bid.trump
    expected = leads if bid.maker is not None else None
    in_play = 4 - len(sits_out)
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

    for recorded in facts.facts:
        fact = recorded.fact
        match fact:
            case CardPlayed():
                if recorded.version in exposed:
                    continue
                play = _play(recorded, fact)
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
            now.put_by_turn(play, play.seat, expected)
        else:
            now.lay(play, sits_out)
    if now.plays or now.extra:
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
    )


def _open_reviews(
    facts: DealFacts,
    tricks: Sequence[Trick],
    sits_out: Sequence[Seat],
    upcard: Upcard | None,
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
        reviews.append(
            Review(
                version=recorded.version,
                subject=fact.subject,
                seat=fact.seat,
                candidates=fact.candidates,
                reason=fact.reason,
                track=fact.track,
                box=fact.box,
                evidence=fact.evidence,
                at_us=recorded.at_us,
                deal=facts.number,
                trick=number,
                target=version if version != recorded.version else None,
            )
        )
    return tuple(reviews)


def _played_result(
    ruleset: Ruleset,
    bid: _Bid,
    winners: Sequence[Seat | None],
    tricks_won: tuple[int, int],
    *,
    played_out: bool,
    thrown_in: str | None,
) -> Result | None:
    if thrown_in is not None:
        return NOBODY
    if not played_out or bid.maker is None or None in winners:
        return None
    makers = side_of(bid.maker)
    return score_deal(
        makers=makers,
        makers_tricks=tricks_won[makers],
        maker_alone=any(side_of(seat) == makers for seat in bid.alone),
        defender_alone=any(side_of(seat) != makers for seat in bid.alone),
        ruleset=ruleset,
    )


def _phase(deal: Deal, *, scored: bool) -> Phase:
    if scored:
        return "scored"
    if deal.maker is not None and deal.trump is not None:
        return "play"
    return "undeclared" if deal.tricks else "bidding"


def _turn(deal: Deal, ruleset: Ruleset) -> Seat | None:
    """Whose card comes next; None before trump is made, and where an unread card decides it."""
    trick = next((trick for trick in reversed(deal.tricks) if trick.plays), None)
    if trick is None:
        if deal.maker is None:
            return None
        return first_leader(
            dealer=deal.dealer, maker=deal.maker, alone=deal.alone, lone_lead=ruleset.lone_lead
        )
    if trick.complete or trick.closed:
        return trick.winner
    leader = trick.leader
    if leader is None:
        return None
    played = [play.seat for play in trick.plays]
    return None if None in played else next_to_play(leader, played, deal.sits_out)
