"""What happens at the simulated table: whole games of euchre, played by simple sense.

The script knows the truth: every hand, every play, every score. It has its own few lines of
rules on purpose, sharing none with the engine, so that the engine can be checked against it.
Only the four-handed game with 24 cards is played.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engine.cards import (
    SAME_COLOUR,
    SUITS,
    Card,
    Seat,
    Suit,
    left_of,
    partner_of,
    rank_of,
    side_of,
    suit_of,
)
from engine.facts import (
    CardPlayed,
    DealThrownIn,
    Declared,
    Fact,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from pi.sim.dials import Dials

PACK: Final = tuple(Card(rank + suit) for suit in SUITS for rank in "9TJQKA")
HAND_SIZE: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The rules the four players keep to. ``lone_lead``: who leads against a lone hand."""

    target: int = 10
    lone_lead: str = "left_of_lone"
    stick_dealer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Revoke:
    """A planted revoke: ``seat`` threw ``card`` on trick ``trick`` (from 1) though it held
    ``proof``, which falls on trick ``proven_at_trick``."""

    seat: Seat
    trick: int
    card: Card
    proof: Card
    proven_at_trick: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OutOfTurn:
    seat: Seat
    trick: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """One deal as it truly was. A passed-out deal has ``maker`` None and no tricks."""

    number: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    upcard: Card
    taken: bool
    maker: Seat | None
    trump: Suit | None
    alone: Seat | None
    discard: Card | None
    tricks: tuple[tuple[Play, ...], ...]
    winners: tuple[Seat, ...]
    points: tuple[int, int]
    revoke: Revoke | None = None
    out_of_turn: OutOfTurn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A whole game: the first side at or past the target has won."""

    terms: Terms
    first_dealer: Seat
    deals: tuple[Deal, ...]

    @property
    def score(self) -> tuple[int, int]:
        return (sum(d.points[0] for d in self.deals), sum(d.points[1] for d in self.deals))

    @property
    def winner(self) -> int:
        return 0 if self.score[0] >= self.terms.target else 1


def facts_of(deal: Deal) -> tuple[Fact, ...]:
    """What the camera should report of a deal, in order, and after it what was declared."""
    facts: list[Fact] = [UpcardShown(card=deal.upcard, dealer=deal.dealer)]
    facts.append(UpcardTaken() if deal.taken else UpcardTurnedDown())
    for trick in deal.tricks:
        facts.extend(CardPlayed(seat=play.seat, card=play.card) for play in trick)
        facts.append(TrickCleared())
    if deal.maker is None or deal.trump is None:
        facts.append(DealThrownIn(reason="passed_out"))
    else:
        facts.append(Declared(maker=deal.maker, trump=deal.trump, alone=deal.alone))
    return tuple(facts)


# --- the few rules the players know ------------------------------------------------------------


def suit_in_play(card: Card, trump: Suit) -> Suit:
    """The left bower belongs to trump."""
    suit = suit_of(card)
    assert suit is not None
    return trump if rank_of(card) == "J" and suit == SAME_COLOUR[trump] else suit


def _strength(card: Card, led: Suit, trump: Suit) -> int:
    """0 for a card that cannot win the trick; higher wins."""
    suit = suit_in_play(card, trump)
    if suit == trump:
        if rank_of(card) == "J":
            return 40 if suit_of(card) == trump else 39
        return 20 + "9TQKA".index(rank_of(card))
    return 1 + "9TJQKA".index(rank_of(card)) if suit == led else 0


def winner_of(trick: Sequence[Play], trump: Suit) -> Seat:
    led = suit_in_play(trick[0].card, trump)
    return max(trick, key=lambda play: _strength(play.card, led, trump)).seat


def allowed(hand: Sequence[Card], led: Card | None, trump: Suit) -> list[Card]:
    if led is None:
        return list(hand)
    follow = suit_in_play(led, trump)
    following = [card for card in hand if suit_in_play(card, trump) == follow]
    return following or list(hand)


def points_for(tricks_of_makers: int, *, makers: int, alone: bool) -> tuple[int, int]:
    if tricks_of_makers == 5:
        made = 4 if alone else 2
    elif tricks_of_makers >= 3:
        made = 1
    else:
        return (0, 2) if makers == 0 else (2, 0)
    return (made, 0) if makers == 0 else (0, made)


# --- bidding -----------------------------------------------------------------------------------


def _worth(hand: Sequence[Card], trump: Suit) -> float:
    """How many tricks the hand promises with ``trump``, roughly, in some unit of courage."""
    worth, trumps = 0.0, 0
    suits = {suit_in_play(card, trump) for card in hand}
    for card in hand:
        if suit_in_play(card, trump) == trump:
            trumps += 1
            if rank_of(card) == "J":
                worth += 3.0 if suit_of(card) == trump else 2.5
            else:
                worth += {"A": 2.0, "K": 1.7, "Q": 1.5, "T": 1.2, "9": 1.1}[rank_of(card)]
        elif rank_of(card) == "A":
            worth += 1.0
    if trumps >= 2:
        worth += 0.4 * (4 - len(suits))
    return worth


def _with_upcard(hand: Sequence[Card], upcard: Card, trump: Suit) -> tuple[list[Card], Card]:
    """The dealer's hand after taking the up-card, and the card laid away."""
    six = [*hand, upcard]
    keep = [card for card in six if suit_in_play(card, trump) != trump and rank_of(card) != "A"]
    by_suit = {card: sum(suit_of(c) == suit_of(card) for c in six) for card in six}
    pool = keep or [card for card in six if suit_in_play(card, trump) != trump] or six
    away = min(pool, key=lambda c: (by_suit[c], _strength(c, suit_in_play(c, trump), trump), c))
    return [card for card in six if card != away], away


_ALONE_FROM: Final = 9.0


def _bid(
    hands: Sequence[Sequence[Card]],
    upcard: Card,
    dealer: Seat,
    courage: Sequence[float],
    terms: Terms,
) -> tuple[Seat, Suit, Seat | None, bool] | None:
    """Maker, trump, lone seat, whether the up-card was taken; None when all passed twice."""
    up_suit = suit_of(upcard)
    assert up_suit is not None
    up_value = _worth([upcard], up_suit)
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    for seat in order:
        if seat == dealer:
            worth = _worth(_with_upcard(hands[seat], upcard, up_suit)[0], up_suit)
        elif seat == partner_of(dealer):
            worth = _worth(hands[seat], up_suit) + 0.6 * up_value
        else:
            worth = _worth(hands[seat], up_suit) - 0.6 * up_value
        if worth >= 5.8 + courage[seat]:
            return seat, up_suit, seat if worth >= _ALONE_FROM else None, True
    for seat in order:
        others = [Suit(s) for s in SUITS if s != up_suit]
        best = max(others, key=lambda suit: _worth(hands[seat], suit))
        worth = _worth(hands[seat], best)
        if worth >= 5.3 + courage[seat] or (terms.stick_dealer and seat == dealer):
            return seat, best, seat if worth >= _ALONE_FROM else None, False
    return None


# --- the play ----------------------------------------------------------------------------------


def _lead(hand: Sequence[Card], trump: Suit, *, maker_side: bool) -> Card:
    trumps = [card for card in hand if suit_in_play(card, trump) == trump]
    plain = [card for card in hand if card not in trumps]
    best_trump = max(trumps, key=lambda c: _strength(c, trump, trump), default=None)
    if maker_side and best_trump is not None and _strength(best_trump, trump, trump) >= 39:
        return best_trump
    aces = [card for card in plain if rank_of(card) == "A"]
    if aces:
        return aces[0]
    pool = plain or trumps
    return max(pool, key=lambda c: (_strength(c, suit_in_play(c, trump), trump), c))


def _answer(
    hand: Sequence[Card], trick: Sequence[Play], seat: Seat, trump: Suit, size: int
) -> Card:
    led = suit_in_play(trick[0].card, trump)
    choice = allowed(hand, trick[0].card, trump)

    def strength(card: Card) -> int:
        return _strength(card, led, trump)

    def cheapness(card: Card) -> tuple[bool, int, Card]:
        trumps = suit_in_play(card, trump) == trump
        return (trumps, _strength(card, suit_in_play(card, trump), trump), card)

    winning = winner_of(trick, trump)
    to_beat = max(strength(play.card) for play in trick)
    last = len(trick) == size - 1
    if winning == partner_of(seat) and (last or to_beat >= 6):
        return min(choice, key=cheapness)
    beating = [card for card in choice if strength(card) > to_beat]
    if beating:
        return min(beating, key=strength) if last else max(beating, key=strength)
    return min(choice, key=cheapness)


def _revoking(
    hand: Sequence[Card], trick: Sequence[Play], trump: Suit, rng: random.Random
) -> Card | None:
    """A card that does not follow though it could, when the hand offers one; else None."""
    if not trick:
        return None
    led = suit_in_play(trick[0].card, trump)
    follows = [card for card in hand if suit_in_play(card, trump) == led]
    strays = [card for card in hand if suit_in_play(card, trump) != led]
    return rng.choice(sorted(strays)) if follows and strays else None


def _proof(
    tricks: Sequence[Sequence[Play]], seat: Seat, trick: int, trump: Suit
) -> tuple[Card, int]:
    led = suit_in_play(tricks[trick - 1][0].card, trump)
    for number, later in enumerate(tricks[trick:], start=trick + 1):
        for play in later:
            if play.seat == seat and suit_in_play(play.card, trump) == led:
                return play.card, number
    raise AssertionError("a revoking hand keeps a card of the led suit until it falls")


def _play_out(
    hands: list[list[Card]],
    *,
    dealer: Seat,
    maker: Seat,
    trump: Suit,
    alone: Seat | None,
    terms: Terms,
    dials: Dials,
    rng: random.Random,
) -> tuple[list[list[Play]], list[Seat], Revoke | None, OutOfTurn | None]:
    sits_out = partner_of(alone) if alone is not None else None
    size = 4 if sits_out is None else 3
    want_revoke = rng.random() < dials.revokes
    swap_trick = rng.randrange(1, 6) if rng.random() < dials.misplays else 0
    leader = left_of(alone if alone is not None and terms.lone_lead == "left_of_lone" else dealer)
    tricks: list[list[Play]] = []
    winners: list[Seat] = []
    revoked: tuple[Seat, int, Card] | None = None
    out_of_turn: OutOfTurn | None = None
    for number in range(1, HAND_SIZE + 1):
        if leader == sits_out:
            leader = left_of(leader)
        order = [s for s in ((leader + step) % 4 for step in range(4)) if s != sits_out]
        if number == swap_trick:
            at = rng.randrange(size - 1)
            order[at], order[at + 1] = order[at + 1], order[at]
            out_of_turn = OutOfTurn(seat=order[at], trick=number)
        trick: list[Play] = []
        for seat in order:
            hand = hands[seat]
            card: Card | None = None
            if want_revoke and revoked is None and number < HAND_SIZE and rng.random() < 0.5:
                card = _revoking(hand, trick, trump, rng)
                if card is not None:
                    revoked = (seat, number, card)
            if card is None:
                if trick:
                    card = _answer(hand, trick, seat, trump, size)
                else:
                    card = _lead(hand, trump, maker_side=side_of(seat) == side_of(maker))
            hand.remove(card)
            trick.append(Play(seat=seat, card=card))
        leader = winner_of(trick, trump)
        tricks.append(trick)
        winners.append(leader)
    if revoked is None:
        return tricks, winners, None, out_of_turn
    seat, number, card = revoked
    proof, proven_at = _proof(tricks, seat, number, trump)
    revoke = Revoke(seat=seat, trick=number, card=card, proof=proof, proven_at_trick=proven_at)
    return tricks, winners, revoke, out_of_turn


def play_deal(
    *,
    number: int,
    dealer: Seat,
    terms: Terms,
    dials: Dials,
    courage: Sequence[float],
    rng: random.Random,
) -> Deal:
    """Deal, bid and play one deal."""
    pack = list(PACK)
    rng.shuffle(pack)
    hands = [sorted(pack[5 * seat : 5 * seat + 5]) for seat in range(4)]
    upcard = pack[20]
    dealt = tuple(tuple(hand) for hand in hands)
    bid = _bid(hands, upcard, dealer, courage, terms)
    if bid is None:
        return Deal(
            number=number,
            dealer=dealer,
            hands=dealt,
            upcard=upcard,
            taken=False,
            maker=None,
            trump=None,
            alone=None,
            discard=None,
            tricks=(),
            winners=(),
            points=(0, 0),
        )
    maker, trump, alone, taken = bid
    discard = None
    if taken:
        hands[dealer], discard = _with_upcard(hands[dealer], upcard, trump)
    tricks, winners, revoke, out_of_turn = _play_out(
        [list(hand) for hand in hands],
        dealer=dealer,
        maker=maker,
        trump=trump,
        alone=alone,
        terms=terms,
        dials=dials,
        rng=rng,
    )
    makers = side_of(maker)
    won = sum(side_of(seat) == makers for seat in winners)
    return Deal(
        number=number,
        dealer=dealer,
        hands=dealt,
        upcard=upcard,
        taken=taken,
        maker=maker,
        trump=trump,
        alone=alone,
        discard=discard,
        tricks=tuple(tuple(trick) for trick in tricks),
        winners=tuple(winners),
        points=points_for(won, makers=makers, alone=alone is not None),
        revoke=revoke,
        out_of_turn=out_of_turn,
    )


def play_game(*, seed: int, terms: Terms | None = None, dials: Dials | None = None) -> Game:
    """One whole game; the same seed gives the same game whatever the picture's dials say."""
    terms = terms if terms is not None else Terms()
    dials = dials if dials is not None else Dials()
    rng = random.Random(f"game {seed}")
    courage = [rng.uniform(-0.4, 0.4) for _ in range(4)]
    first = dealer = rng.randrange(4)
    score = [0, 0]
    deals: list[Deal] = []
    while max(score) < terms.target:
        # Each deal has its own stream: a dial that takes one draw more shifts nothing after it.
        deal = play_deal(
            number=len(deals) + 1,
            dealer=dealer,
            terms=terms,
            dials=dials,
            courage=courage,
            rng=random.Random(f"game {seed} deal {len(deals) + 1}"),
        )
        deals.append(deal)
        score = [score[0] + deal.points[0], score[1] + deal.points[1]]
        dealer = left_of(dealer)
    return Game(terms=terms, first_dealer=first, deals=tuple(deals))
