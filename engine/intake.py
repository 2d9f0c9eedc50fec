"""What a sighting means for the game: the facts it adds, or why it adds none.

A reading may be doubted because a card cannot be in two places, never because a play would be
against the rules (that would erase every revoke). The seat comes from where the card came to
rest; the turn is asked only where the place itself is in doubt and the two agree. Whatever is
doubtful becomes a review that holds the place of the fact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.bidding import joker_rule
from engine.cards import Card, Seat, left_of
from engine.deal import Deal, Play, Review, Trick
from engine.draw import Draw
from engine.facts import (
    CardDrawn,
    CardLifted,
    CardPlayed,
    CardTakenBack,
    Corrected,
    DealThrownIn,
    Discarded,
    Fact,
    Recorded,
    ReviewAnswered,
    ReviewRaised,
    ReviewSubject,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
    Votes,
)
from engine.games import game_for
from engine.ruleset import pack_of
from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Place,
    Sighting,
    TableCleared,
    TableCovered,
    TableUncovered,
)
from engine.state import State, apply
from engine.wording import seat_name, the

#: A reader's reasons that are reasons of a review too; the rest are ``unsure``.
_SHARED_REASONS: Final = ("duplicate", "foreign")
#: Reasons of a review that a surer reading can answer.
_OF_READING: Final = ("unsure", "foreign", "duplicate")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A sighting that changes nothing, and why."""

    reason: str


def interpret(state: State, sighting: Sighting) -> tuple[Fact, ...] | Ignored:
    """The facts that ``sighting`` adds to the game in ``state``, in order, or :class:`Ignored`."""
    if not state.started:
        return Ignored(reason="no game has begun")
    if state.paused is not None:
        return Ignored(reason="the game is paused")
    game = game_for(state.ruleset)
    if isinstance(sighting, CardRested):
        if state.over:
            return Ignored(reason="the game is over")
        sighting = _seated(sighting, game.seats)
    drawn = _of_draw(state, sighting)
    if drawn is not None:
        return drawn
    own = game.interpret(state, sighting)
    if own is not None:
        return own
    match sighting:
        case CardRested():
            return rested(state, sighting if game.has_upcard else _off_the_middle(sighting))
        case CardReread():
            return _reread(state, sighting)
        case CardTurnedDown():
            return _turned_down(state, sighting)
        case CardLeft():
            return _left(state, sighting)
        case TableCleared():
            return _cleared(state)
        case TableCovered() | TableUncovered():  # pragma: no branch - there is no other sighting
            return Ignored(reason="hands over the table conclude nothing")


def missed_cards(deal: Deal) -> tuple[ReviewRaised, ...]:
    """A question for each card of the trick under way that nobody has seen, in order of play.

    A doubt without a seat holds one of the places; who it belongs to is then open for all.
    """
    trick = deal.trick
    if trick is None or trick.complete or not trick.plays:
        return ()
    missing = deal.to_play()
    unseated = sum(play.seat is None for play in trick.plays)
    seats: Sequence[Seat | None] = (
        missing if not unseated else (None,) * max(0, len(missing) - unseated)
    )
    return tuple(
        ReviewRaised(subject="play", seat=seat, candidates=(), reason="missed") for seat in seats
    )


def _of_draw(state: State, s: Sighting) -> tuple[Fact, ...] | Ignored | None:
    """What a sighting means for the draw for first dealer; None: nothing, it is of a deal."""
    draw = state.draw
    if draw is None or state.deals:
        return None
    match s:
        case CardRested() if state.drawing:
            return _drawn(state, draw, s)
        case CardRested() if draw.lying and not s.place.middle:
            return Ignored(reason="the cards of the draw have not been gathered")
        case CardReread():
            return _drawn_reread(draw, s, pack_of(state.ruleset))
        case TableCleared() if draw.lying:
            return (TrickCleared(),)
    return None


def _drawn(state: State, draw: Draw, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """A card while the first dealer is drawn: dealt to a seat, or cut by one."""
    seat = s.place.seat if s.place.clear and not s.place.middle else None
    if s.place.middle and draw.method == "highest_card":
        seat = s.laid_from
    named = _named(s)
    if named is not None and any((c.seat, c.card) == (seat, named) for c in draw.lying):
        return Ignored(reason="a card of the draw that lies there already")
    if seat is not None and s.card is not None:
        for review in draw.reviews:
            if review.seat == seat and any(card == s.card for card, _ in review.candidates):
                return (ReviewAnswered(review=review.version, card=s.card),)
    if seat is not None and draw.method == "highest_card" and seat not in draw.awaited:
        return Ignored(reason=f"{seat_name(seat)} has cut a card, or is out of the draw")
    if s.card is None:
        return (_review(s, subject="draw", seat=seat, reason=_reason(s)),)
    if s.card not in pack_of(state.ruleset):
        return (_review(s, subject="draw", seat=seat, reason="foreign"),)
    if any(card.card == s.card for card in draw.lying):
        return (_review(s, subject="draw", seat=seat, reason="duplicate"),)
    if seat is None:
        return (_review(s, subject="draw", seat=None, reason="seat"),)
    return (
        CardDrawn(
            seat=seat, card=s.card, confidence=s.confidence, track=s.track, evidence=s.evidence
        ),
    )


def _drawn_reread(
    draw: Draw, s: CardReread, pack: frozenset[Card]
) -> tuple[Fact, ...] | Ignored | None:
    review = next((r for r in draw.reviews if r.track == s.track), None)
    if review is not None:
        if review.reason not in _OF_READING or review.seat is None or s.card not in pack:
            return Ignored(reason="only a person can answer what is asked about this card")
        return (ReviewAnswered(review=review.version, card=s.card),)
    card = next((c for c in reversed(draw.cards) if c.track == s.track), None)
    if card is None or card.card == s.card:
        return Ignored(reason="read as before, or no card of the draw")
    return (_changed(s, subject="draw", seat=card.seat, before=card.card),)


def seat_at(direction: Seat | None, seats: int) -> Seat | None:
    """The seat in a direction of the table, which is what :class:`Place` and the camera know.

    Directions go clockwise from North. Four sit North, East, South and West. Two sit across
    from each other, North and South; three leave West free. Five and six share four directions,
    so that none tells a seat: the table is asked whose card it is. None: nobody can say.
    """
    if direction is None:
        return None
    if seats == 2:
        return {0: 0, 2: 1}.get(direction)
    return direction if direction < seats <= 4 else None


def _seated(s: CardRested, seats: int) -> CardRested:
    """The sighting with seats in place of directions."""
    if seats == 4:
        return s
    seat = seat_at(s.place.seat, seats)
    place = replace(s.place, seat=seat, clear=s.place.clear and seat is not None)
    return replace(s, place=place, laid_from=seat_at(s.laid_from, seats))


def _off_the_middle(s: CardRested) -> CardRested:
    """Where no card is turned up, a card in the middle is a play of the seat it came from."""
    if not s.place.middle:
        return s
    return replace(s, place=Place(seat=s.laid_from, clear=s.laid_from is not None))


def rested(state: State, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """What a card at rest means: a play, or (in the middle) the up-card; ``s`` names seats."""
    deal = state.open_deal
    if deal is None:
        return _between_deals(state, s)
    if not s.place.middle:
        return _play(state, deal, s)
    if not deal.tricks:
        return _middle_before_lead(state, deal, s)
    first = deal.tricks[0]
    if (
        deal.upcard is None
        and deal.declared is None
        and len(deal.tricks) == 1
        and not first.complete
        and not s.place.clear
    ):
        # What lay there before the up-card was shown, not played.
        return _upcard(state, s)
    return _play(state, deal, s)


def _between_deals(state: State, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """No deal is under way: the up-card is awaited."""
    last = state.deal
    trick = None if last is None else last.trick
    if last is not None and not s.place.middle and _ended_early(last, state):
        # A ruling ended the hand; the cards that follow still tell who held what.
        return _play(state, last, s)
    lying = trick is not None and trick.complete and not trick.cleared
    if lying and trick is not None and _named(s) in _cards_of(trick):
        return Ignored(reason="the last trick still lies there")
    if s.place.middle:
        return _upcard(state, s)
    if lying and last is not None:
        # The seat's last card: what was doubtful in its place was this.
        held = _held(trick, _seat_of(last, s))
        if (
            held is not None
            and held.review is not None
            and _is_of_reading(last, held.review)
            and s.card is not None
            and s.card in pack_of(state.ruleset)
            and not _elsewhere(last, s.card, held.seat)
        ):
            return (ReviewAnswered(review=held.review, card=s.card),)
        return Ignored(reason="the deal is over and its last trick has not been gathered")
    if s.card is None or s.card not in pack_of(state.ruleset):
        return Ignored(reason="no deal is under way: a marker, or no card")
    # The up-card was missed: the play must not be lost with it.
    seat = _seat_of(None, s)
    if seat is None:
        return Ignored(reason="no deal is under way, and nobody's place")
    return (_card_played(seat, s.card, s),)


def _ended_early(deal: Deal, state: State) -> bool:
    """Whether a ruling ended the hand while cards were left to play."""
    last = deal.trick
    played_out = (
        len(deal.tricks) == state.ruleset.hand_size
        and last is not None
        and (last.complete or last.closed)
    )
    return deal.complete and deal.thrown_in is None and not played_out


def _middle_before_lead(state: State, deal: Deal, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """A card on the kitty before the first lead: the up-card, again or a new one."""
    up = deal.upcard
    if up is None:
        return _upcard(state, s)
    if up.review is not None:
        if s.card is None or s.card not in pack_of(state.ruleset):
            return Ignored(reason="the up-card is asked about already")
        return (ReviewAnswered(review=up.review, card=s.card, seat=s.laid_from),)
    if _named(s) == up.card:
        return _upcard_again(deal, s)
    if joker_rule(up.card, state.ruleset) == "redeal":
        shown = _upcard(state, s)
        return shown if isinstance(shown, Ignored) else (DealThrownIn(reason="redeal"), *shown)
    leader = left_of(deal.dealer, deal.seats) if deal.dealer is not None else None
    at_leader = s.place.clear and s.place.seat is not None and s.place.seat == leader
    # Only a lone card on the kitty turns up a new deal: while the old up-card lies there, or
    # once the table has said who made trump, the card is a lead laid near the middle.
    if deal.maker is not None or up.state == "shown" or at_leader:
        return _play(state, deal, s)
    if (
        up.state == "taken"
        and s.card is not None
        and s.laid_from is not None
        and s.laid_from == deal.dealer
        and state.ruleset.pass_out != "same_dealer"
    ):
        return (Discarded(seat=s.laid_from, card=s.card),)
    reason = "misdeal" if state.ruleset.pass_out == "stick_dealer" else "passed_out"
    shown = _upcard(state, s)
    return shown if isinstance(shown, Ignored) else (DealThrownIn(reason=reason), *shown)


def _upcard_again(deal: Deal, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """The up-card seen anew: it had not left, or was not turned down, after all."""
    up = deal.upcard
    assert up is not None
    if s.card is None or deal.declared is not None or deal.calls:
        return Ignored(reason="the up-card still lies there")
    if s.track == up.track and up.state == "shown":
        return Ignored(reason="the up-card still lies there")
    facts: list[Fact] = []
    if up.settled_by is not None:
        facts.append(
            Corrected(
                target=up.settled_by, replacement=None, reason="the up-card lies face up again"
            )
        )
    facts.append(
        Corrected(
            target=up.version,
            replacement=UpcardShown(
                card=s.card,
                dealer=deal.dealer if s.laid_from is None else s.laid_from,
                confidence=s.confidence,
                track=s.track,
                evidence=s.evidence,
            ),
            reason="the same up-card, seen anew",
        )
    )
    return tuple(facts)


def _upcard(state: State, s: CardRested) -> tuple[Fact, ...] | Ignored:
    if s.card is None:
        return (_review(s, subject="upcard", seat=s.laid_from, reason=_reason(s)),)
    if s.card not in pack_of(state.ruleset):
        return (_review(s, subject="upcard", seat=s.laid_from, reason="foreign"),)
    return (
        UpcardShown(
            card=s.card,
            dealer=s.laid_from,
            confidence=s.confidence,
            track=s.track,
            evidence=s.evidence,
        ),
    )


def _play(state: State, deal: Deal, s: CardRested) -> tuple[Fact, ...] | Ignored:
    """A card in front of a seat, while a deal is in play or about to be."""
    pack = pack_of(state.ruleset)
    trick = deal.trick
    lying = trick is not None and not trick.cleared
    named = _named(s)
    if trick is not None and lying and trick.complete and named in _cards_of(trick):
        return Ignored(reason="a card of the trick that is being gathered")
    seat = _seat_of(deal, s)
    gathered = _lead_was_gathered(state, deal, seat)
    if gathered is not None:
        # The questions first, then this card as it looks once they are asked.
        after = _with(state, gathered, s.at_us)
        meant = interpret(after, s)
        return gathered if isinstance(meant, Ignored) else (*gathered, *meant)
    held = _held(trick, seat) if lying else None
    if held is not None and held.review is not None:
        answer = _surer(deal, held, s, pack)
        if answer is not None:
            return answer
    if trick is not None and lying and s.at_us <= max((p.at_us for p in trick.plays), default=0):
        # It lay there before the trick's last card, so it is no lead to the next trick.
        if held is not None and held.card is not None:
            return _second_reading(deal, held, s, pack)
        if trick.complete and seat is None:
            return Ignored(reason="every seat's card of this trick is known")
    now = trick if trick is not None and not trick.complete and not trick.closed else None
    held = held if now is not None else None
    if held is not None and held.card is not None:
        if held.card == named:
            return Ignored(reason=f"{the(held.card)} lies there already")
        if s.card is None:
            return Ignored(reason="this seat's card is known: nobody lays two")
    if s.card is None:
        if lying and now is None and deal.turn is not None and seat not in (None, deal.turn):
            return Ignored(reason="nothing is awaited there, and it cannot be read")
        return (_review(s, subject="play", seat=seat, reason=_reason(s)),)
    if s.card not in pack:
        # Markers lie beside the seats; only where a card is awaited may it be one misread.
        if seat is None or seat == deal.turn or (deal.turn is None and seat in _may_play(deal)):
            return (_review(s, subject="play", seat=seat, reason="foreign"),)
        return Ignored(reason=f"{the(s.card)} is not in the pack and lies apart: a marker")
    if _elsewhere(deal, s.card, seat):
        if seat is None or seat in _may_play(deal):
            return (_review(s, subject="play", seat=seat, reason="duplicate"),)
        return Ignored(reason=f"{the(s.card)} was seen in this deal, and this seat has played")
    if seat is None:
        return (_review(s, subject="play", seat=s.place.seat, reason="seat"),)
    if held is not None and held.card is not None:
        if now is not None and _is_lifted(state, held) and _others_lie(state, now, held):
            return (CardTakenBack(target=held.version), _card_played(seat, s.card, s))
        missed = missed_cards(deal)
        if len(missed) == 1 and now is not None and len(now.plays) > 1:
            # Nobody lays twice: the trick was swept with one card unseen, and this is a lead.
            return (*missed, TrickCleared(), _card_played(seat, s.card, s))
        return (_review(s, subject="play", seat=seat, reason="seat"),)
    return (_card_played(seat, s.card, s),)


def _held(trick: Trick | None, seat: Seat | None) -> Play | None:
    """The seat's place in the trick, if it is filled."""
    if trick is None or seat is None:
        return None
    return next((play for play in trick.plays if play.seat == seat), None)


def _lead_was_gathered(state: State, deal: Deal, seat: Seat | None) -> tuple[Fact, ...] | None:
    """What to add where a lead that seemed taken back went with a trick nobody saw, or None.

    The seat whose lead it was took it up, and now another seat plays: who takes a lead back
    leads again, so the others had followed unseen. A lead out of turn is another matter.
    """
    last = state.records[-1] if state.records else None
    if last is None or not isinstance(last.fact, CardTakenBack) or last.source != "camera":
        return None
    lead = state.standing_at(last.fact.target)
    if lead is None or not isinstance(lead.fact, CardPlayed):
        return None
    leader = lead.fact.seat
    if seat is None or seat == leader or deal.turn != leader:
        return None
    trick = deal.trick
    if trick is not None and trick.plays and not (trick.complete or trick.closed):
        return None
    strike = Corrected(
        target=last.version,
        replacement=None,
        reason="the lead was gathered with cards that nobody saw",
    )
    again = _with(state, (strike,), last.at_us).open_deal
    return None if again is None else (strike, *missed_cards(again), TrickCleared())


def _with(state: State, facts: Sequence[Fact], at_us: int) -> State:
    """The state as it will be when these facts are recorded next."""
    for fact in facts:
        version = state.version + 1
        state = apply(
            state,
            Recorded(
                seq=version,
                game_id=state.game_id,
                version=version,
                at_us=at_us,
                source="camera",
                fact=fact,
            ),
        )
    return state


def _lifted(state: State, track: int | None) -> bool:
    """Whether that card was seen leaving the table in a trick still open."""
    return track is not None and any(
        isinstance(r.fact, CardLifted) and r.fact.track == track for r in state.standing
    )


def _is_lifted(state: State, play: Play) -> bool:
    return _lifted(state, play.track)


def _others_lie(state: State, trick: Trick, held: Play) -> bool:
    """Whether other cards of the trick still lie there, so that it was not swept."""
    return any(not _is_lifted(state, play) for play in trick.plays if play is not held)


def _second_reading(
    deal: Deal, held: Play, s: CardRested, pack: frozenset[Card]
) -> tuple[Fact, ...] | Ignored:
    """Another reading of a card that lies there: the reader took one card for two."""
    if s.card is None or s.card == held.card:
        return Ignored(reason="the same card, read before")
    if s.card not in pack or _elsewhere(deal, s.card, held.seat):
        return Ignored(reason=f"it cannot be {the(s.card)}: the card was read before")
    if held.track is None:
        return (_review(s, subject="play", seat=held.seat, reason="seat"),)
    again = CardReread(
        at_us=s.at_us,
        track=held.track,
        card=s.card,
        confidence=s.confidence,
        votes=s.votes,
        evidence=s.evidence,
    )
    return (_changed(again, subject="play", seat=held.seat, before=held.card),)


def _is_of_reading(deal: Deal, version: int) -> bool:
    """Whether the review asks what a card is, which a surer reading can answer."""
    return any(r.version == version and r.reason in _OF_READING for r in deal.reviews)


def _surer(
    deal: Deal, held: Play, s: CardRested, pack: frozenset[Card]
) -> tuple[Fact, ...] | Ignored | None:
    """A card where a doubtful one lies already: the same, in surer light, or still doubtful.

    None: another card, to be judged by itself.
    """
    review = next((r for r in deal.reviews if r.version == held.review), None)
    if review is None or review.reason not in _OF_READING:
        return None
    if s.card is None:
        return Ignored(reason=f"{seat_name(held.seat)}'s card is asked about already")
    if s.card not in pack or _elsewhere(deal, s.card, held.seat):
        return None
    if any(card == s.card for card, _ in review.candidates):
        return (ReviewAnswered(review=review.version, card=s.card),)
    return None


def _seat_of(deal: Deal | None, s: CardRested) -> Seat | None:
    """Whose card it is, None where that is in doubt.

    A clear place decides. A place near a border counts when the turn, or the side the hand
    came from, agrees with it; a card on the kitty itself only by hand and turn together.
    """
    place = s.place
    if place.seat is not None and place.clear:
        return place.seat
    turn = None if deal is None else deal.turn
    if s.laid_from is not None and s.laid_from == turn:
        return turn
    if place.seat is not None and not place.middle and place.seat in (turn, s.laid_from):
        return place.seat
    return None


def _elsewhere(deal: Deal, card: Card, seat: Seat | None) -> bool:
    """Whether the card cannot come from ``seat`` because it is, or was, somewhere else."""
    if card in deal.seen():
        return True
    up = deal.upcard
    if up is None or up.card != card:
        return False
    if up.state == "turned_down":
        return True
    # The dealer who took the up-card may play it, or the lone partner it was passed to.
    return not deal.may_hold_upcard(seat)


def _may_play(deal: Deal) -> tuple[Seat, ...]:
    """The seats whose card may come next, as far as places go (not turns)."""
    trick = deal.trick
    if trick is None or trick.complete or trick.closed:
        return deal.in_play() if deal.turn is None else (deal.turn,)
    return deal.to_play()


def _reread(state: State, s: CardReread) -> tuple[Fact, ...] | Ignored:
    deal = state.deal
    if deal is None:
        return Ignored(reason="no deal is under way")
    pack = pack_of(state.ruleset)
    review = next((r for r in deal.reviews if r.track == s.track), None)
    if review is not None:
        return _settle(deal, review, s, pack)
    up = deal.upcard
    if up is not None and up.track == s.track and not _plays_of(deal, s.track):
        if up.card == s.card:
            return Ignored(reason="read as before")
        return (_changed(s, subject="upcard", seat=deal.dealer, before=up.card),)
    for play in _plays_of(deal, s.track):
        if play.card == s.card:
            return Ignored(reason="read as before")
        return (_changed(s, subject="play", seat=play.seat, before=play.card),)
    return Ignored(reason="not a card of this deal")


def _settle(
    deal: Deal, review: Review, s: CardReread, pack: frozenset[Card]
) -> tuple[Fact, ...] | Ignored:
    """Later, surer light on a card that is asked about."""
    if review.reason not in _OF_READING:
        return Ignored(reason="only a person can answer what is asked about this card")
    if s.card not in pack:
        return Ignored(reason=f"{the(s.card)} is not in the pack: the question stays")
    if review.subject == "play":
        if review.seat is None:
            return Ignored(reason="nobody knows whose card it is: the question stays")
        if _elsewhere(deal, s.card, review.seat):
            return Ignored(reason=f"{the(s.card)} was seen in this deal: the question stays")
    return (ReviewAnswered(review=review.version, card=s.card),)


def _changed(
    s: CardReread, *, subject: ReviewSubject, seat: Seat | None, before: Card | None
) -> ReviewRaised:
    candidates = dict(s.votes) if s.votes else {s.card: s.confidence}
    candidates.setdefault(s.card, s.confidence)
    if before is not None:  # pragma: no branch - what has no name has its review
        candidates.setdefault(before, 0.0)
    order = sorted(candidates.items(), key=lambda vote: (vote[0] != s.card, -vote[1]))
    return ReviewRaised(
        subject=subject,
        seat=seat,
        candidates=tuple(order),
        reason="changed",
        track=s.track,
        evidence=s.evidence,
    )


def _turned_down(state: State, s: CardTurnedDown) -> tuple[Fact, ...] | Ignored:
    deal = state.open_deal
    up = None if deal is None else deal.upcard
    if deal is None or up is None or up.track != s.track:
        return Ignored(reason="not the up-card")
    if up.state != "shown" or deal.declared is not None:
        return Ignored(reason="what became of the up-card is known already")
    return (UpcardTurnedDown(),)


def _left(state: State, s: CardLeft) -> tuple[Fact, ...] | Ignored:
    deal = state.open_deal
    up = None if deal is None else deal.upcard
    if deal is None or up is None or up.track != s.track:
        trick = None if deal is None else deal.trick
        if deal is not None and trick is not None and not (trick.complete or trick.closed):
            laid = any(p.track == s.track and p.card is not None for p in trick.plays)
            if laid and not _lifted(state, s.track):
                others = [p.track for p in trick.plays if p.track != s.track]
                if others and all(t is not None and _lifted(state, t) for t in others):
                    # Nobody takes back everybody's cards: the trick was gathered one by one.
                    return (CardLifted(track=s.track), *missed_cards(deal), TrickCleared())
                return (CardLifted(track=s.track),)
        return Ignored(reason="a card that was played is gathered with its trick")
    if deal.tricks:
        return Ignored(reason="the up-card was cleared away after the first lead")
    if up.settled_by is not None or up.state == "turned_down":
        return Ignored(reason="what became of the up-card is known already")
    if joker_rule(up.card, state.ruleset) == "redeal":
        return Ignored(reason="a joker was turned up: it is dealt again")
    return (UpcardTaken(),)


def _cleared(state: State) -> tuple[Fact, ...] | Ignored:
    deal = state.deal
    trick = None if deal is None else deal.trick
    if deal is None or trick is None or not trick.plays:
        return Ignored(reason="no trick lay on the table")
    if trick.cleared:
        return Ignored(reason="the trick was gathered before")
    if trick.complete or deal.thrown_in is not None:
        return (TrickCleared(),)
    before = deal.tricks[-2] if len(deal.tricks) > 1 else None
    only = trick.plays[0]
    if (
        len(trick.plays) == 1
        and only.review == only.version
        and _is_of_reading(deal, only.version)
        and before is not None
        and not before.cleared
    ):
        # A doubt beside a trick that lay there still went with it: no lead is swept at once.
        return (ReviewAnswered(review=only.version, card=None), TrickCleared())
    awaits_upcard = deal.upcard is None and game_for(state.ruleset).has_upcard
    if awaits_upcard and deal.declared is None and len(trick.plays) == 1:
        return Ignored(reason="a single card before the up-card: shown, not played")
    last_trick = len(deal.tricks) == state.ruleset.hand_size
    if (
        len(trick.plays) == 1
        and only.card is not None
        and _is_lifted(state, only)
        and not last_trick
        and (before is None or before.winner in (None, only.seat))
    ):
        # Nobody gathers a lead alone: the leader took it up again, to lead another card. (With
        # one card left there is no other.) If another seat plays next, it was not so after all.
        # The card of a seat that had not won is no lead: those before it went unseen.
        return (CardTakenBack(target=only.version),)
    return (*missed_cards(deal), TrickCleared())


def _card_played(seat: Seat, card: Card, s: CardRested) -> CardPlayed:
    return CardPlayed(
        seat=seat, card=card, confidence=s.confidence, track=s.track, evidence=s.evidence
    )


def _review(
    s: CardRested, *, subject: ReviewSubject, seat: Seat | None, reason: str
) -> ReviewRaised:
    candidates: Votes = s.votes
    if not candidates and s.card is not None:
        candidates = ((s.card, s.confidence),)
    return ReviewRaised(
        subject=subject,
        seat=seat,
        candidates=candidates,
        reason=reason,
        track=s.track,
        box=s.box,
        evidence=s.evidence,
    )


def _reason(s: CardRested) -> str:
    return s.why if s.why in _SHARED_REASONS else "unsure"


def _named(s: CardRested) -> Card | None:
    """The card as read, or the likeliest name of a doubtful one."""
    if s.card is not None:
        return s.card
    return s.votes[0][0] if s.votes else None


def _cards_of(trick: Trick) -> tuple[Card | None, ...]:
    return tuple(p.card for p in (*trick.plays, *trick.extra) if p.card is not None)


def _plays_of(deal: Deal, track: int) -> tuple[Play, ...]:
    return tuple(
        play
        for trick in deal.tricks
        for play in (*trick.plays, *trick.extra)
        if play.track == track
    )
