"""Games by shape: each reads a deal out of its facts in its own way, behind one port.

The four-handed partnership game is one of them; buck for three, the game for two and call-ace
for five or six are modules of their own that offer a :class:`Game`. Everything else - the fold,
replay, the score sheet, the snapshot, commands, sightings - asks the game and branches on none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cards import Seat
from engine.deal import Deal, DealFacts
from engine.facts import Declared, Fact, Recorded
from engine.ruleset import Ruleset
from engine.wording import Sentence

if TYPE_CHECKING:
    from engine.commands import Command, Rejected
    from engine.intake import Ignored
    from engine.sightings import Sighting
    from engine.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Whether the game is over, and which side won; over without a winner is a draw."""

    over: bool
    winner: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a game asks the table now: a kind for programs, one sentence, the deal's number.

    ``seat``: who is to say something, None where it is anybody's or not known.
    """

    kind: str
    said: Sentence
    deal: int
    seat: Seat | None = None


def no_command(state: State, command: Command) -> None:
    """A game that decides every command in the common way."""


def no_sighting(state: State, sighting: Sighting) -> None:
    """A game that interprets every sighting in the common way."""


def no_question(state: State) -> None:
    """A game with no question of its own."""


def no_words(deal: Deal, names: Sequence[str]) -> list[str]:
    return []


def nothing_more(deal: Deal) -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """What the rest of the engine asks of a game.

    ``sides`` counts the scores kept: two where partners play, else one a seat.
    ``has_upcard``: a deal begins with a card turned up. ``lowest_wins``: scores count down.
    ``initial_score`` is what every game of these rules begins with. ``read_deal`` reads one deal
    out of its facts. ``fewest_plays`` says how many cards must lie there before a deal can be
    complete. ``next_dealer`` says who deals after a deal. ``outcome`` judges a score after
    ``deals_scored`` deals that counted. ``points_anyway``: points and the name of the result
    of a finished deal where unknown tricks cannot change them, else None.

    ``decide``, ``interpret`` and ``ask`` are what the game has of its own in commands, sightings
    and questions; None from them means the common way. ``deal_json`` is what snapshots and score
    sheets say of a deal beside the common keys (see :mod:`engine.view`), ``deal_words`` the same
    for a person, a line each, given the players' names. ``rules_said`` are its
    rules as sentences to read before the first deal, where it is not the four-handed game.
    """

    name: str
    seats: int
    sides: int
    has_upcard: bool = True
    lowest_wins: bool = False
    initial_score: Callable[[Ruleset], tuple[int, ...]]
    read_deal: Callable[[DealFacts], Deal]
    fewest_plays: Callable[[Sequence[Recorded], Declared | None, Ruleset], int]
    next_dealer: Callable[[Deal, Ruleset], Seat | None]
    outcome: Callable[[tuple[int, ...], int, Ruleset], Outcome]
    points_anyway: Callable[[Deal, Ruleset], tuple[tuple[int, ...], str] | None]
    decide: Callable[[State, Command], tuple[Fact, ...] | Rejected | None] = no_command
    interpret: Callable[[State, Sighting], tuple[Fact, ...] | Ignored | None] = no_sighting
    ask: Callable[[State], Question | None] = no_question
    deal_json: Callable[[Deal], dict[str, Any]] = nothing_more
    deal_words: Callable[[Deal, Sequence[str]], list[str]] = no_words
    rules_said: Callable[[Ruleset], list[Sentence]] | None = None


def game_for(ruleset: Ruleset) -> Game:
    """The game that a ruleset describes."""
    # The games stand on the rest of the engine, which asks here: hence not at import.
    from engine.games import buck, call_ace, partnership, two_hand

    match ruleset.game, ruleset.players:
        case "buck", _:
            return buck.GAME
        case "two_hand", _:
            return two_hand.GAME
        case "call_ace", 5:
            return call_ace.FIVE
        case "call_ace", _:
            return call_ace.SIX
        case _:
            return partnership.GAME
