"""Who leads, whose turn it is, who sits out. Source: RULES.md, "Going alone" and "Play"."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import Seat, left_of, partner_of, side_of
from engine.deal import Trick


def sitting_out(alone: Sequence[Seat]) -> tuple[Seat, ...]:
    """The partners of the seats that play alone."""
    return tuple(sorted(partner_of(seat) for seat in alone))


def first_in_play(seat: Seat, sits_out: Sequence[Seat], seats: int = 4) -> Seat:
    """``seat`` itself or, passing over seats that sit out, the next one clockwise.

    Where everybody sits out it is ``seat`` itself.
    """
    for step in range(seats):
        if (seat + step) % seats not in sits_out:
            return (seat + step) % seats
    return seat


def first_leader(
    *, dealer: Seat | None, maker: Seat | None, alone: Sequence[Seat], lone_lead: str
) -> Seat | None:
    """The seat that leads to the first trick where four play, None while nobody can say.

    The left of the *makers'* lone hand with ``left_of_lone``, else the dealer's left; when only
    a defender is alone, the dealer's left.
    """
    sits_out = sitting_out(alone)
    if lone_lead == "left_of_lone" and maker is not None:
        for seat in alone:
            if side_of(seat) == side_of(maker):
                return first_in_play(left_of(seat), sits_out)
    return None if dealer is None else first_in_play(left_of(dealer), sits_out)


def in_order(leader: Seat, sits_out: Sequence[Seat], seats: int = 4) -> list[Seat]:
    """The seats in play, clockwise from ``leader``."""
    around = [(leader + step) % seats for step in range(seats)]
    return [seat for seat in around if seat not in sits_out]


def next_to_play(
    leader: Seat, played: Sequence[Seat | None], sits_out: Sequence[Seat], seats: int = 4
) -> Seat | None:
    """The first seat clockwise from ``leader`` that has yet to play, None when all have."""
    for step in range(seats):
        seat = (leader + step) % seats
        if seat not in played and seat not in sits_out:
            return seat
    return None


def turn_of(
    tricks: Sequence[Trick], *, leads: Seat | None, sits_out: Sequence[Seat], seats: int = 4
) -> Seat | None:
    """Whose card comes next in a deal under way; None where that cannot be told.

    ``leads`` is the seat to lead to the first trick.
    """
    trick = next((trick for trick in reversed(tricks) if trick.plays), None)
    if trick is None:
        return leads
    if trick.complete or trick.closed:
        return trick.winner
    played = [play.seat for play in trick.plays]
    if trick.leader is None or None in played:
        return None
    return next_to_play(trick.leader, played, sits_out, seats)
