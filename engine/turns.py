"""Who leads, whose turn it is, who sits out. Source: RULES.md, "Going alone" and "Play"."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import Seat, left_of, partner_of, side_of


def sitting_out(alone: Sequence[Seat]) -> tuple[Seat, ...]:
    """The partners of the seats that play alone."""
    return tuple(sorted(partner_of(seat) for seat in alone))


def first_in_play(seat: Seat, sits_out: Sequence[Seat]) -> Seat:
    """``seat`` itself or, passing over seats that sit out, the next one clockwise."""
    while seat in sits_out:
        seat = left_of(seat)
    return seat


def first_leader(
    *, dealer: Seat | None, maker: Seat | None, alone: Sequence[Seat], lone_lead: str
) -> Seat | None:
    """The seat that leads to the first trick, None while nobody can say.

    The left of the *makers'* lone hand with ``left_of_lone``, else the dealer's left; when only
    a defender is alone, the dealer's left.
    """
    sits_out = sitting_out(alone)
    if lone_lead == "left_of_lone" and maker is not None:
        for seat in alone:
            if side_of(seat) == side_of(maker):
                return first_in_play(left_of(seat), sits_out)
    return None if dealer is None else first_in_play(left_of(dealer), sits_out)


def next_to_play(
    leader: Seat, played: Sequence[Seat | None], sits_out: Sequence[Seat]
) -> Seat | None:
    """The first seat clockwise from ``leader`` that has yet to play, None when all have."""
    for step in range(4):
        seat = (leader + step) % 4
        if seat not in played and seat not in sits_out:
            return seat
    return None
