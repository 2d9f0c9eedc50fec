"""What a table could say now: the words of the bidding that would be taken.

The page knows no rules, so it cannot tell which buttons make sense; it asks the very code that
decides. Each candidate is tried, and those that would be refused are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import SUITS, Seat
from engine.commands import (
    BidTricks,
    Call,
    CallAce,
    Command,
    DrawDealer,
    Drop,
    Rejected,
    Stay,
    SwapWidow,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.decide import decide
from engine.follow import NO_TRUMP
from engine.games import game_for
from engine.ruleset import pack_of
from engine.state import State


def offers(state: State) -> tuple[Command, ...]:
    """Calls, bids and the like that would be taken now, by seat; plays and mending are not here.

    Empty where no game is under way, and once nothing is left to be said in the deal. Alone is
    left to whoever calls: no offer says it.
    """
    if not state.started or state.over:
        return ()
    deal = state.open_deal
    if deal is not None and (deal.declared is not None or deal.tricks):
        # Cards lie there: what is said now comes late, as a declaration or a correction.
        candidates: Iterator[Command] = _aces(state)
    else:
        candidates = _all(state)
    return tuple(c for c in candidates if not isinstance(decide(state, c), Rejected))


def _all(state: State) -> Iterator[Command]:
    if not state.deals and state.next_dealer is None:
        yield DrawDealer()
    if state.open_deal is not None and not state.open_deal.calls:
        # Once calls are told they say themselves what became of the up-card.
        yield TakeUpcard()
        yield TurnDownUpcard()
    for seat in range(game_for(state.ruleset).seats):
        yield from _words_of(state, seat)
    yield from _aces(state)


def _words_of(state: State, seat: Seat) -> Iterator[Command]:
    yield SwapWidow(seat=seat)
    yield from (
        BidTricks(seat=seat, tricks=tricks) for tricks in range(1, state.ruleset.hand_size + 1)
    )
    yield Call(seat=seat, call="pass")
    yield Call(seat=seat, call="order_up")
    yield Call(seat=seat, call="pick_up")
    yield from (Call(seat=seat, call="name", suit=suit) for suit in (*SUITS, NO_TRUMP))
    yield Stay(seat=seat)
    yield Drop(seat=seat)


def _aces(state: State) -> Iterator[Command]:
    yield from (CallAce(card=card) for card in sorted(pack_of(state.ruleset)) if card[0] == "A")
