"""Which suit a card counts in, what beats what, and who wins a trick.

Source: RULES.md, "Rank" and "Play". ``trump`` is a suit, or ``n`` for no trump, in which
printed suits count and the bowers are suspended. The left bower is a trump for every purpose.
The two of spades is in a pack only where it stands in for the joker, so it always counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from engine.cards import LOW_JOKER, RANKS, SAME_COLOUR, SUIT_NAMES, Card, Seat, Suit
from engine.facts import Trump

NO_TRUMP: Final[Trump] = "n"
TRUMPS: Final[tuple[Trump, ...]] = ("c", "d", "h", "s", NO_TRUMP)
#: The suit a joker counts in when there is no trump: a one-card trump suit of its own.
JOKER_SUIT: Final = Suit("joker")

#: Either joker, or the card that stands in for one (``benny_face``).
BENNIES: Final = frozenset({Card("B"), Card("b"), Card("2s")})

_RIGHT: Final = 20
_LEFT: Final = 19
_TRUMP: Final = 100


@lru_cache(maxsize=1024)
def effective_suit(card: Card, trump: Trump) -> Suit:
    """The suit the card must be followed in: the left bower and jokers count as trump."""
    if card in BENNIES:
        return JOKER_SUIT if trump == NO_TRUMP else Suit(trump)
    suit = Suit(card[1])
    if card[0] == "J" and trump != NO_TRUMP and SAME_COLOUR[suit] == trump:
        return Suit(trump)
    return suit


def trick_strength(card: Card, *, led: Suit, trump: Trump) -> int:
    """How high the card stands in a trick where suit ``led`` was led; 0: it cannot win.

    Comparable only within one trick. Trumps stand over the led suit, which stands over all.
    """
    return _strength(card, led, trump)


@lru_cache(maxsize=4096)
def _strength(card: Card, led: Suit, trump: Trump) -> int:
    if card in BENNIES:
        return _TRUMP + (21 if card == LOW_JOKER else 22)
    suit = effective_suit(card, trump)
    if suit == trump:
        if card[0] == "J":
            return _TRUMP + (_RIGHT if card[1] == trump else _LEFT)
        return _TRUMP + 1 + RANKS.index(card[0])
    return 1 + RANKS.index(card[0]) if suit == led else 0


def natural_suit(card: Card) -> Suit | None:
    """The suit the card is of when it lies turned up, None for a joker."""
    return None if card in BENNIES else Suit(card[1])


def beats(card: Card, other: Card, *, led: Suit, trump: Trump) -> bool:
    """Whether ``card`` wins over ``other`` in a trick where suit ``led`` was led."""
    return trick_strength(card, led=led, trump=trump) > trick_strength(other, led=led, trump=trump)


def trick_winner(plays: Sequence[tuple[Seat, Card]], trump: Trump) -> Seat:
    """The seat that wins the trick; ``plays`` are in order, the leader's first.

    Two equal cards (a misread) leave the earlier one standing. Raise ValueError without plays.
    """
    if not plays:
        raise ValueError("a trick without plays has no winner: pass its plays, leader first")
    led = effective_suit(plays[0][1], trump)
    winner, best = plays[0][0], 0
    for seat, card in plays:
        strength = _strength(card, led, trump)
        if strength > best:
            winner, best = seat, strength
    return winner


def legal_cards(hand: Iterable[Card], led: Suit | None, trump: Trump) -> tuple[Card, ...]:
    """The cards of ``hand`` that may be played: those of the led suit if there are any.

    ``led`` is the effective suit of the card led, None when this hand leads.
    """
    cards = tuple(hand)
    if led is None:
        return cards
    following = [c for c in cards if effective_suit(c, trump) == led]
    return tuple(following) or cards


def trump_name(trump: Trump) -> str:
    """``hearts``, ``no trump``, or ``jokers`` for the suit that they are in no trump."""
    if trump == JOKER_SUIT:
        return "jokers"
    return "no trump" if trump == NO_TRUMP else SUIT_NAMES[Suit(trump)]
