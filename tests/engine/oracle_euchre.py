"""Euchre once more, written from RULES.md for the tests and sharing no code with the engine.

It knows what the engine never sees: the hands. So it can say of every play whether the seat
could have followed, and which later card is the first to prove it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

#: RULES.md, "Rank": best first, for each trump, written out by hand.
TRUMPS = {
    "c": ["Jc", "Js", "Ac", "Kc", "Qc", "Tc", "9c"],
    "d": ["Jd", "Jh", "Ad", "Kd", "Qd", "Td", "9d"],
    "h": ["Jh", "Jd", "Ah", "Kh", "Qh", "Th", "9h"],
    "s": ["Js", "Jc", "As", "Ks", "Qs", "Ts", "9s"],
}
PACK = [rank + suit for suit in "cdhs" for rank in "9TJQKA"]


def plain(suit: str, trump: str) -> list[str]:
    """The cards of a suit that is not trump, best first, without any bower."""
    return [rank + suit for rank in "AKQJT9" if rank + suit not in TRUMPS[trump]]


def counts_in(card: str, trump: str) -> str:
    return trump if card in TRUMPS[trump] else card[1]


def wins(plays: list[tuple[int, str]], trump: str) -> int:
    """The seat that takes the trick: the best trump, else the best of the led suit."""
    cards = {card: seat for seat, card in plays}
    led = counts_in(plays[0][1], trump)
    order = TRUMPS[trump] + ([] if led == trump else plain(led, trump))
    return next(cards[card] for card in order if card in cards)


def may_play(hand: list[str], led: str | None, trump: str) -> list[str]:
    same = [card for card in hand if led is not None and counts_in(card, trump) == led]
    return same or list(hand)


def pays(maker: int, alone: bool, tricks_of_makers: int) -> tuple[int, int]:
    """RULES.md, "Points", the table of the home game."""
    makers, defenders = maker % 2, 1 - maker % 2
    points = [0, 0]
    if tricks_of_makers == 5:
        points[makers] = 4 if alone else 2
    elif tricks_of_makers >= 3:
        points[makers] = 1
    else:
        points[defenders] = 2
    return points[0], points[1]


@dataclass
class Truth:
    """A deal with everything known. ``plays`` in order: (trick from 1, seat, card)."""

    dealer: int
    upcard: str
    taken: bool
    trump: str
    maker: int
    alone: int | None
    hands: list[list[str]]
    plays: list[tuple[int, int, str]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    #: (seat, trick, card played off, card led) of each play that could have followed.
    revokes: list[tuple[int, int, str, str]] = field(default_factory=list)

    @property
    def points(self) -> tuple[int, int]:
        made = sum(w % 2 == self.maker % 2 for w in self.winners)
        return pays(self.maker, self.alone is not None, made)

    @property
    def tricks(self) -> tuple[int, int]:
        north_south = sum(w % 2 == 0 for w in self.winners)
        return north_south, 5 - north_south

    def proof_of(self, seat: int, trick: int, led: str) -> tuple[str, int]:
        """The first later card of the seat in the led card's suit, and its trick."""
        suit = counts_in(led, self.trump)
        return next(
            (card, number)
            for number, who, card in self.plays
            if who == seat and number > trick and counts_in(card, self.trump) == suit
        )


def deal_out(
    rng: random.Random,
    *,
    dealer: int,
    alone_share: float = 0.2,
    revoke_once: bool = False,
    lone_lead: str = "left_of_lone",
) -> Truth:
    """A random deal played with random legal cards; ``revoke_once``: one card is not legal.

    Where no seat ever had the choice to revoke the deal comes back without one.
    """
    pack = list(PACK)
    rng.shuffle(pack)
    hands = [pack[seat * 5 : seat * 5 + 5] for seat in range(4)]
    upcard = pack[20]
    taken = rng.random() < 0.5
    if taken:
        trump = upcard[1]
        hands[dealer][rng.randrange(5)] = upcard
    else:
        trump = rng.choice([suit for suit in "cdhs" if suit != upcard[1]])
    maker = rng.randrange(4)
    alone = maker if rng.random() < alone_share else None
    truth = Truth(
        dealer=dealer,
        upcard=upcard,
        taken=taken,
        trump=trump,
        maker=maker,
        alone=alone,
        hands=[list(hand) for hand in hands],
    )
    out = None if alone is None else (alone + 2) % 4
    lead = dealer if alone is None or lone_lead == "left_of_dealer" else alone
    lead = (lead + 1) % 4
    if lead == out:
        lead = (lead + 1) % 4
    chances = rng.randrange(1, 6) if revoke_once else 0
    for number in range(1, 6):
        laid: list[tuple[int, str]] = []
        led: str | None = None
        for step in range(4):
            seat = (lead + step) % 4
            if seat == out:
                continue
            hand = hands[seat]
            fair = may_play(hand, led, trump)
            foul = [card for card in hand if card not in fair]
            card = rng.choice(fair)
            if foul and chances:
                chances -= 1
                if not chances:
                    card = rng.choice(foul)
                    truth.revokes.append((seat, number, card, laid[0][1]))
            hand.remove(card)
            led = led or counts_in(card, trump)
            laid.append((seat, card))
            truth.plays.append((number, seat, card))
        lead = wins(laid, trump)
        truth.winners.append(lead)
    return truth
