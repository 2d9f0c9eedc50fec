"""Calls, when a table taps them: whose call it is, and what may be called.

Source: RULES.md, "Naming trump". At a real table nobody taps every pass, so a call that makes
trump is taken without the passes before it; once a pass is tapped, the round is followed.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import SUITS, Card, Seat, Suit, left_of
from engine.commands import Call
from engine.deal import Deal
from engine.follow import NO_TRUMP, TRUMPS, natural_suit
from engine.ruleset import Ruleset, bennies_of
from engine.wording import Sentence, worded


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


def turned_up_suit(card: Card | None, ruleset: Ruleset) -> Suit | None:
    """The suit that an up-card offers; a joker offers one only where the rules give it one."""
    if card is None:
        return None
    if card in bennies_of(ruleset):
        return Suit(ruleset.joker_upcard) if ruleset.joker_upcard in SUITS else None
    return natural_suit(card)


def joker_rule(card: Card | None, ruleset: Ruleset) -> str | None:
    """What happens with a joker turned up: None where none is, or it stands for a suit."""
    if card is None or card not in bennies_of(ruleset) or ruleset.joker_upcard in SUITS:
        return None
    return ruleset.joker_upcard


def wrong_call(deal: Deal, call: Call, ruleset: Ruleset) -> Sentence | None:
    """Why the call cannot be made now, with the cure; None when it can."""
    upcard = deal.upcard.card if deal.upcard is not None else None
    joker = joker_rule(upcard, ruleset)
    if joker is not None and deal.trump is None:
        return _wrong_under_joker(deal, call, joker)
    due = call_due(deal)
    if due is None:
        return worded("trump is made: correct the declaration instead of calling again")
    passing = call.call == "pass"
    in_turn = bool(deal.calls) or passing
    if in_turn and due.seat is not None and call.seat != due.seat:
        return worded("it is {seat_due}'s call, not {seat}'s", seat_due=due.seat, seat=call.seat)
    if passing:
        if due.round == 2 and call.seat == deal.dealer and ruleset.pass_out == "stick_dealer":
            return worded("the dealer must name trump: name a suit")
        return None
    match call.call:
        case "order_up" | "pick_up":
            if deal.upcard is None:
                return worded("no up-card was seen: show it first, or declare maker and trump")
            if due.round == 2:
                return worded("the up-card was turned down: name another suit")
            if call.call == "order_up" and call.seat == deal.dealer:
                return worded("the dealer picks up, the others order up: call pick_up")
            if call.call == "pick_up" and deal.dealer not in (None, call.seat):
                return worded("only the dealer picks up: call order_up")
        case _:
            turned = turned_up_suit(upcard, ruleset)
            return _wrong_name(call, due, turned, ruleset, deal)
    return None


def _wrong_name(
    call: Call,
    due: CallDue,
    turned: Suit | None,
    ruleset: Ruleset,
    deal: Deal,
) -> Sentence | None:
    if call.suit not in TRUMPS:
        return worded("{value} is no trump: name c, d, h or s", value=repr(call.suit))
    if call.suit == NO_TRUMP and ruleset.no_trump == "off":
        return worded("no trump is not played in this game: name c, d, h or s")
    if call.suit == NO_TRUMP and ruleset.no_trump == "both":
        return None
    if due.round == 1 and deal.calls:
        return worded("trump is named in the second round: order up, pick up or pass")
    if turned is not None and call.suit == turned:
        return worded("{suit} was turned down: name another suit", suit=call.suit)
    return None


def _wrong_under_joker(deal: Deal, call: Call, rule: str) -> Sentence | None:
    """A joker was turned up: the dealer names a suit before looking, or it is dealt again."""
    if rule == "redeal":
        return worded(
            "a joker was turned up: throw the deal in (redeal), the same dealer deals again"
        )
    if call.call != "name":
        return worded(
            "a joker was turned up, so nobody passes or orders up: the dealer names a suit"
        )
    if deal.dealer is not None and call.seat != deal.dealer:
        return worded("a joker was turned up: {seat} names the suit, who dealt", seat=deal.dealer)
    if call.suit not in tuple(SUITS):
        return worded(
            "{value} is no suit: the dealer names c, d, h or s before looking",
            value=repr(call.suit),
        )
    return None
