"""Games by shape: each reads a deal out of its facts in its own way, behind one port.

The four-handed partnership game is the first. A game of another shape (buck, two hands,
call-ace) is a module of its own that offers a :class:`Game`; nothing else branches on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.cards import Seat
from engine.deal import Deal, DealFacts
from engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether the game is over, and which side won; over without a winner is a draw."""

    over: bool
    winner: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What the fold asks of a game.

    ``sides`` counts the scores kept. ``read_deal`` reads one deal out of its facts.
    ``next_dealer`` says who deals after a deal. ``outcome`` judges a score after
    ``deals_scored`` deals that counted.
    """

    name: str
    seats: int
    sides: int
    read_deal: Callable[[DealFacts], Deal]
    next_dealer: Callable[[Deal, Ruleset], Seat | None]
    outcome: Callable[[tuple[int, ...], int, Ruleset], Outcome]


def game_for(ruleset: Ruleset) -> Game:
    """The game that a ruleset describes; every ruleset accepted today is four-handed."""
    from engine.games import partnership

    return partnership.GAME
