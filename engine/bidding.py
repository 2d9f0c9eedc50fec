"""Calls, when a table taps them: whose call it is, and what may be called.

Source: RULES.md, "Naming trump". At a real table nobody taps every pass, so a call that makes
trump is taken without the passes before it; once a pass is tapped, the round is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Seat, Suit, left_of, suit_of
from engine.commands import Call
from engine.deal import Deal
from engine.follow import NO_TRUMP, TRUMPS, trump_name
from engine.ruleset import Ruleset
from engine.wording import Names, seat_name


@dataclass(frozen=True, slots=True, kw_only=True)
class CallDue:
    """The next call: by ``seat`` (None: nobody knows the dealer) in round 1 or 2."""

    seat: Seat | None
    round: int


def call_due(deal: Deal) -> CallDue | None:
    """Whose call it is, None when trump is made or both rounds are over."""
    calls = len(deal.calls)
    seats = deal.seats
    if deal.maker is not None or calls >= 2 * seats:
        return None
    passed_by = seats if deal.upcard_state == "turned_down" and calls < seats else calls
    seat = None if deal.dealer is None else (left_of(deal.dealer, seats) + passed_by) % seats
    return CallDue(seat=seat, round=1 if passed_by < seats else 2)


def wrong_call(deal: Deal, call: Call, ruleset: Ruleset, names: Names) -> str | None:
    """Why the call cannot be made now, with the cure; None when it can."""
    due = call_due(deal)
    if due is None:
        return "trump is made: correct the declaration instead of calling again"
    passing = call.call == "pass"
    in_turn = bool(deal.calls) or passing
    if in_turn and due.seat is not None and call.seat != due.seat:
        return f"it is {seat_name(due.seat, names)}'s call, not {seat_name(call.seat, names)}'s"
    if passing:
        if due.round == 2 and call.seat == deal.dealer and ruleset.pass_out == "stick_dealer":
            return "the dealer must name trump: name a suit"
        return None
    upcard = deal.upcard.card if deal.upcard is not None else None
    match call.call:
        case "order_up" | "pick_up":
            if deal.upcard is None:
                return "no up-card was seen: show it first, or declare maker and trump"
            if due.round == 2:
                return "the up-card was turned down: name another suit"
            if call.call == "order_up" and call.seat == deal.dealer:
                return "the dealer picks up, the others order up: call pick_up"
            if call.call == "pick_up" and deal.dealer not in (None, call.seat):
                return "only the dealer picks up: call order_up"
        case _:
            turned = None if upcard is None else suit_of(upcard)
            return _wrong_name(call, due, turned, ruleset, deal)
    return None


def _wrong_name(
    call: Call,
    due: CallDue,
    turned: Suit | None,
    ruleset: Ruleset,
    deal: Deal,
) -> str | None:
    if call.suit not in TRUMPS:
        return f"{call.suit!r} is no trump: name c, d, h or s"
    if call.suit == NO_TRUMP and ruleset.no_trump == "off":
        return "no trump is not played in this game: name c, d, h or s"
    if due.round == 1 and deal.calls:
        return "trump is named in the second round: order up, pick up or pass"
    if turned is not None and call.suit == turned:
        return f"{trump_name(call.suit)} was turned down: name another suit"
    return None
