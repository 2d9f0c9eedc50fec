"""The refusals that commands of every game share, each naming the value and the cure."""

from __future__ import annotations

from engine.cards import BadCard, Card, parse_card
from engine.commands import Declare, Rejected
from engine.ruleset import pack_of
from engine.state import State


def malformed(reason: str) -> Rejected:
    return Rejected(code="malformed", reason=reason)


def not_now(reason: str) -> Rejected:
    return Rejected(code="not_now", reason=reason)


def seat_fault(state: State, name: str, seat: object) -> Rejected | None:
    """Why ``seat`` is no seat of this game, None when it is one."""
    return seat_fault_among(state.names, name, seat)


def seat_fault_among(names: tuple[str, ...], name: str, seat: object) -> Rejected | None:
    if type(seat) is int and 0 <= seat < len(names):
        return None
    # Seats go by their places: the players' names are what may be wrong in a tap.
    words = ("North", "East", "South", "West") if len(names) == 4 else names
    seats = [f"{index} {word}" for index, word in enumerate(words)]
    return malformed(f"{name} {seat!r} is no seat: give {', '.join(seats[:-1])} or {seats[-1]}")


def card_fault(card: Card) -> Rejected | None:
    try:
        parse_card(card)
    except BadCard as error:
        return malformed(str(error))
    return None


def pack_fault(state: State, card: Card) -> Rejected | None:
    fault = card_fault(card)
    if fault is not None:
        return fault
    if card not in pack_of(state.ruleset):
        return malformed(
            f"{card!r} is not in this game's pack of {state.ruleset.pack}: tap another card"
        )
    return None


def declared_deal(state: State, command: Declare, *, has_upcard: bool) -> int | Rejected:
    """The number of the deal that a declaration speaks of.

    Without a number it is the deal under way or the last one, as long as that was not declared.
    Where no card is turned up (``has_upcard`` false) it then is the deal to come.
    """
    count = len(state.deals)
    if command.deal is not None:
        if 1 <= command.deal <= count:
            return command.deal
        return Rejected(
            code="unknown", reason=f"there is no deal {command.deal}: deals 1 to {count} are known"
        )
    deal = state.deal
    if deal is None:
        return 1
    if deal.thrown_in is not None:
        return count + 1
    if deal.complete and deal.maker is not None and deal.points is not None and not has_upcard:
        return count + 1
    if deal.complete and deal.declared is not None:
        return not_now(
            f"deal {deal.number} is played and was declared: say deal {deal.number} to mend it, "
            "or show the next up-card first"
        )
    return deal.number
