"""The refusals that commands of every game share, each naming the value and the cure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.cards import NO_CARD, RANKS, SEAT_NAMES, SUITS, BadCard, Card, parse_card
from engine.commands import Declare, Rejected
from engine.ruleset import pack_of
from engine.state import State
from engine.wording import Arg, Names, Sentence, english, worded

#: How many of the newest changes the sentence of a stale command tells.
LAST_MEANWHILE: Final = 5


def refused(code: str, said: Sentence, names: Names = SEAT_NAMES) -> Rejected:
    """The refusal that ``said`` tells, with the names of the players."""
    return Rejected(code=code, reason=english(said, names), said=said)


def malformed(template: str, names: Names = SEAT_NAMES, /, **args: Arg) -> Rejected:
    """A command that makes no sense, whenever it comes."""
    return refused("malformed", worded(template, **args), names)


def not_now(template: str, names: Names = SEAT_NAMES, /, **args: Arg) -> Rejected:
    """A command that the state of the game does not let in."""
    return refused("not_now", worded(template, **args), names)


def no_such(template: str, names: Names = SEAT_NAMES, /, **args: Arg) -> Rejected:
    """A command about something that is not there."""
    return refused("unknown", worded(template, **args), names)


def stale(
    template: str, names: Names = SEAT_NAMES, /, *, meanwhile: Sequence[Sentence], **args: Arg
) -> Rejected:
    """A command that meant an older state. ``meanwhile``: all that happened since."""
    last = tuple(meanwhile[-LAST_MEANWHILE:]) or None
    return replace(
        refused("stale", worded(template, meanwhile=last, **args), names),
        meanwhile=tuple(english(one, names) for one in meanwhile),
        meanwhile_said=tuple(meanwhile),
    )


def seat_fault(state: State, name: str, seat: object) -> Rejected | None:
    """Why ``seat`` is no seat of this game, None when it is one."""
    return seat_fault_among(state.names, name, seat)


def seat_fault_among(names: tuple[str, ...], name: str, seat: object) -> Rejected | None:
    if type(seat) is int and 0 <= seat < len(names):
        return None
    # Seats go by their places: the players' names are what may be wrong in a tap.
    words = ("North", "East", "South", "West") if len(names) == 4 else names
    seats = tuple(
        worded("{number} {name}", number=index, name=word) for index, word in enumerate(words)
    )
    return malformed(
        "{field} {value} is no seat: give {places:or}", field=name, value=repr(seat), places=seats
    )


def card_fault(card: Card) -> Rejected | None:
    try:
        parse_card(card)
    except BadCard:
        return malformed(NO_CARD, value=repr(card), ranks=RANKS, letters=SUITS)
    return None


def pack_fault(state: State, card: Card) -> Rejected | None:
    fault = card_fault(card)
    if fault is not None:
        return fault
    if card not in pack_of(state.ruleset):
        return malformed(
            "{value} is not in this game's pack of {count}: tap another card",
            value=repr(card),
            count=state.ruleset.pack,
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
        return no_such(
            "there is no deal {deal}: deals 1 to {count} are known", deal=command.deal, count=count
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
            "deal {deal} is played and was declared: say deal {deal} to mend it, or show "
            "the next up-card first",
            deal=deal.number,
        )
    return deal.number
