"""Cards, suits and seats: the words every part of Upcard shares.

A card is written as the euchre programs write it: a rank of ``23456789TJQKA``
and a suit of ``cdhs``; ``B`` is the (higher) joker, ``b`` the lower one. Cards
are plain strings, so they are cheap to compare and write themselves in JSON.
"""

from __future__ import annotations

from typing import Final, NewType

from engine.errors import EngineError

Card = NewType("Card", str)
Suit = NewType("Suit", str)
#: 0 North, 1 East, 2 South, 3 West: clockwise, seen from above.
Seat = int
#: 0 North and South, 1 East and West.
Side = int

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
HIGH_JOKER: Final = Card("B")
LOW_JOKER: Final = Card("b")
JOKERS: Final = (HIGH_JOKER, LOW_JOKER)

CLUBS, DIAMONDS, HEARTS, SPADES = (Suit(s) for s in SUITS)
#: The suit of the same colour: where the left bower comes from.
SAME_COLOUR: Final = {CLUBS: SPADES, SPADES: CLUBS, DIAMONDS: HEARTS, HEARTS: DIAMONDS}

#: Every card a reader can name: the 52 and both jokers.
ALL_CARDS: Final = tuple(Card(r + s) for s in SUITS for r in RANKS) + JOKERS
_KNOWN: Final = frozenset(ALL_CARDS)

NORTH, EAST, SOUTH, WEST = 0, 1, 2, 3
SEAT_NAMES: Final = ("North", "East", "South", "West")
SIDE_NAMES: Final = ("North and South", "East and West")

RANK_NAMES: Final = {
    **{r: r for r in "23456789"},
    "T": "10",
    "J": "jack",
    "Q": "queen",
    "K": "king",
    "A": "ace",
}
SUIT_SYMBOLS: Final = {CLUBS: "♣", DIAMONDS: "♦", HEARTS: "♥", SPADES: "♠"}
SUIT_NAMES: Final = {CLUBS: "clubs", DIAMONDS: "diamonds", HEARTS: "hearts", SPADES: "spades"}


#: What turns the writing around it: a name with one of them would turn the kit's own sentence.
_TURNS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def harmless(text: str) -> str:
    """``text`` as it may stand in a sentence: nothing in it turns or breaks what is around."""
    return " ".join("".join(c for c in text if c not in _TURNS).split())


def default_names(seats: int) -> tuple[str, ...]:
    """Names of so many seats where nobody gave any, clockwise.

    Two sit across the table; five and six have no sides of it of their own.
    """
    match seats:
        case 2:
            return ("North", "South")
        case 3 | 4:
            return SEAT_NAMES[:seats]
    return tuple(f"Player {number}" for number in range(1, seats + 1))


class BadCard(EngineError, ValueError):
    """A text that names no card."""


#: What is said of a text that names no card.
NO_CARD: Final = (
    "{value} is no card: write a rank of {ranks} and a suit of {letters}, such as Kh or Tc, "
    "or B or b for a joker"
)


def parse_card(text: str) -> Card:
    """Return ``text`` as a card, or raise :class:`BadCard` naming it and the cure."""
    if not isinstance(text, str) or text not in _KNOWN:
        raise BadCard(NO_CARD.format(value=repr(text), ranks=RANKS, letters=SUITS))
    return Card(text)


def is_joker(card: Card) -> bool:
    return card in JOKERS


def rank_of(card: Card) -> str:
    """The printed rank; a joker has the rank ``B`` or ``b``."""
    return card[0]


def suit_of(card: Card) -> Suit | None:
    """The *printed* suit, None for a joker. The suit it counts in is ``follow.effective_suit``."""
    return Suit(card[1]) if len(card) == 2 else None


def card_name(card: Card) -> str:
    """The card in words: ``king of hearts``, ``joker``."""
    suit = suit_of(card)
    if suit is None:
        return "joker" if card == HIGH_JOKER else "low joker"
    return f"{RANK_NAMES[rank_of(card)]} of {SUIT_NAMES[suit]}"


def short(card: Card | None) -> str:
    """A card as players write it, ``10♥``; ``?`` where it is not known."""
    if card is None:
        return "?"
    suit = suit_of(card)
    if suit is None:
        return "Joker" if card == HIGH_JOKER else "joker"
    rank = rank_of(card)
    return f"{RANK_NAMES[rank] if rank in '23456789T' else rank}{SUIT_SYMBOLS[suit]}"


def left_of(seat: Seat, seats: int = 4) -> Seat:
    """The next seat clockwise of so many."""
    return (seat + 1) % seats


def partner_of(seat: Seat) -> Seat:
    return (seat + 2) % 4


def side_of(seat: Seat, seats: int = 4) -> Side:
    """The side a seat scores for: partners sit across where four play, else each has its own."""
    return seat % 2 if seats == 4 else seat
