"""Whose turn it is, for any number of seats. Source: RULES.md, "Play"."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import Seat
from engine.deal import Trick


def first_in_play(seat: Seat, *, seats: int, sits_out: Sequence[Seat] = ()) -> Seat:
    """``seat`` or, passing over those that sit out, the next one clockwise.

    Where everybody sits out it is ``seat`` itself.
    """
    for step in range(seats):
        if (seat + step) % seats not in sits_out:
            return (seat + step) % seats
    return seat


def awaited(
    leader: Seat, played: Sequence[Seat | None], *, seats: int, sits_out: Sequence[Seat] = ()
) -> Seat | None:
    """The first seat clockwise from ``leader`` that has yet to play, None when all have."""
    for step in range(seats):
        seat = (leader + step) % seats
        if seat not in played and seat not in sits_out:
            return seat
    return None


def turn_of(
    tricks: Sequence[Trick], *, leads: Seat | None, seats: int, sits_out: Sequence[Seat] = ()
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
    return awaited(trick.leader, played, seats=seats, sits_out=sits_out)
