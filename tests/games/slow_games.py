"""A slow, obvious referee of buck, the game for two and call-ace, written from RULES.md alone.

It knows all cards of every hand, deals and plays whole deals at random, and keeps the score its
own way. Nothing of the engine's rules is used: cards are texts, orders are spelled out.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

OTHER = {"c": "s", "s": "c", "d": "h", "h": "d"}


def pack(cards: int) -> list[str]:
    lowest = {24: "9TJQKA", 28: "89TJQKA", 32: "789TJQKA"}[cards]
    return [rank + suit for suit in "cdhs" for rank in lowest]


def order(trump: str) -> list[str]:
    """The trumps, the lowest first; none when there is no trump."""
    if trump == "n":
        return []
    plain = [rank + trump for rank in "789TQKA"]
    return [*plain, "J" + OTHER[trump], "J" + trump]


def suit(card: str, trump: str) -> str:
    return trump if card in order(trump) else card[1]


def winner(plays: list[tuple[int, str]], trump: str) -> int:
    """The seat of the highest trump, else of the highest card of the suit led."""
    trumps = [(order(trump).index(card), seat) for seat, card in plays if card in order(trump)]
    if trumps:
        return max(trumps)[1]
    led = plays[0][1][1]
    return max(("789TJQKA".index(card[0]), seat) for seat, card in plays if card[1] == led)[1]


def may_play(cards: list[str], led: str | None, trump: str) -> list[str]:
    following = [card for card in cards if led is not None and suit(card, trump) == led]
    return following or cards


@dataclass
class Planted:
    """A revoke put into a deal: who, on which trick, and by which play it is provable first."""

    seat: int
    trick: int
    card: str
    #: Position in ``plays`` of the card after which everybody can know it.
    provable_at: int
    #: The cards that show it then: one, or all that lay open.
    proofs: list[str]


@dataclass
class Played:
    """A deal played to its end. ``plays`` in order as (trick, seat, card)."""

    dealer: int
    maker: int
    trump: str
    seats: int
    plays: list[tuple[int, int, str]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    points: list[int] = field(default_factory=list)
    planted: Planted | None = None
    # buck
    bids: list[tuple[int, int]] = field(default_factory=list)
    swapped: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    # two hands: cards open from the deal, and (after which trick, seat, card) uncovered
    open_cards: list[tuple[int, str]] = field(default_factory=list)
    uncovered: list[tuple[int, int, str]] = field(default_factory=list)
    # call-ace
    upcard: str = ""
    taken: bool = False
    called: str | None = None
    alone: bool = False
    partner: int | None = None


def tricks(played: Played) -> list[int]:
    return [played.winners.count(seat) for seat in range(played.seats)]


def _choose(
    rng: random.Random, cards: list[str], led: str | None, trump: str, *, revoke: bool
) -> tuple[str, bool]:
    """A card to play, and whether it is a revoke (only where ``revoke`` asks and one can be)."""
    legal = may_play(cards, led, trump)
    wrong = [card for card in cards if card not in legal]
    if revoke and wrong:
        return rng.choice(wrong), True
    return rng.choice(legal), False


def _play_out(
    rng: random.Random, played: Played, hands: dict[int, list[str]], leader: int, *, plant: bool
) -> None:
    """Five tricks of the hands in ``hands``, one revoke in them if ``plant`` and it can be."""
    wanted = rng.randrange(len(hands) * 3)
    for trick in range(1, 6):
        laid: list[tuple[int, str]] = []
        for step in range(played.seats):
            seat = (leader + step) % played.seats
            if seat not in hands:
                continue
            led = suit(laid[0][1], played.trump) if laid else None
            revoke = plant and played.planted is None and len(played.plays) >= wanted
            card, wrong = _choose(rng, hands[seat], led, played.trump, revoke=revoke)
            hands[seat].remove(card)
            if wrong:
                played.planted = Planted(seat, trick, card, -1, [])
                missing = led
            laid.append((seat, card))
            played.plays.append((trick, seat, card))
            mark = played.planted
            open_question = mark is not None and mark.provable_at < 0 and seat == mark.seat
            if mark and open_question and not wrong and suit(card, played.trump) == missing:
                mark.provable_at, mark.proofs = len(played.plays) - 1, [card]
        leader = winner(laid, played.trump)
        played.winners.append(leader)


def play_buck(rng: random.Random, *, plant: bool = False) -> Played:
    cards = pack(24)
    rng.shuffle(cards)
    hands = {seat: cards[seat * 5 : seat * 5 + 5] for seat in range(3)}
    widow = cards[15:20]
    dealer = rng.randrange(3)
    # The dealer's right first, then counter-clockwise, the dealer last.
    swapped = []
    for seat in [(dealer + 2) % 3, (dealer + 1) % 3, dealer]:
        if rng.random() < 0.2:
            hands[seat], widow = widow, hands[seat]
            swapped.append(seat)
    bids: list[tuple[int, int]] = []
    for seat in [(dealer + 1) % 3, (dealer + 2) % 3, dealer]:
        high = bids[-1][1] if bids else 0
        if high < 5 and (rng.random() < 0.6 or (seat == dealer and not bids)):
            bids.append((seat, rng.randint(high + 1, min(5, high + 2))))
    maker, bid = bids[-1]
    others = [seat for seat in range(3) if seat != maker]
    dropped = [seat for seat in others if rng.random() < 0.25]
    played = Played(dealer, maker, rng.choice("cdhsn"), 3)
    played.bids, played.swapped, played.dropped = bids, swapped, dropped
    in_play = {seat: list(hand) for seat, hand in hands.items() if seat not in dropped}
    if len(in_play) > 1:
        _play_out(rng, played, in_play, maker, plant=plant)
        taken = tricks(played)
    else:
        taken = [5 if seat == maker else 0 for seat in range(3)]
    for seat in range(3):
        if seat in dropped:
            change = 0
        elif (seat == maker and taken[seat] < bid) or taken[seat] == 0:
            change = 5
        else:
            change = -taken[seat]
        played.points.append(change)
    return played


def play_call_ace(rng: random.Random, seats: int, *, plant: bool = False) -> Played:
    cards = pack({5: 28, 6: 32}[seats])
    rng.shuffle(cards)
    hands = {seat: cards[seat * 5 : seat * 5 + 5] for seat in range(seats)}
    upcard = cards[seats * 5]
    dealer, maker = rng.randrange(seats), rng.randrange(seats)
    taken = rng.random() < 0.5
    trump = upcard[1] if taken else rng.choice([s for s in "cdhs" if s != upcard[1]])
    played = Played(dealer, maker, trump, seats)
    played.upcard, played.taken = upcard, taken
    if taken:
        hands[dealer].append(upcard)
        hands[dealer].remove(rng.choice(hands[dealer]))
    played.alone = rng.random() < 0.15
    if not played.alone:
        can_be = [ace for ace in ("Ac", "Ad", "Ah", "As") if taken or ace != upcard]
        played.called = rng.choice(can_be)
        holders = [seat for seat in range(seats) if played.called in hands[seat]]
        if holders and holders[0] != maker:
            played.partner = holders[0]
    leader = (maker if played.alone else dealer) + 1
    _play_out(rng, played, hands, leader % seats, plant=plant)
    side = [maker] if played.partner is None else [maker, played.partner]
    count = sum(tricks(played)[seat] for seat in side)
    for seat in range(seats):
        if count < 3:
            played.points.append(0 if seat in side else 2)
        elif seat not in side:
            played.points.append(0)
        elif count < 5:
            played.points.append(1)
        else:
            played.points.append(4 if played.partner is None else 2)
    return played


def play_two_hand(rng: random.Random, *, plant: bool = False) -> Played:
    cards = pack(24)
    rng.shuffle(cards)
    hand = {0: cards[0:4], 1: cards[4:8]}
    top = {0: list(cards[8:12]), 1: list(cards[12:16])}
    under = {0: list(cards[16:20]), 1: list(cards[20:24])}
    dealer = rng.randrange(2)
    played = Played(dealer, rng.randrange(2), rng.choice("cdhs"), 2)
    played.open_cards = [(seat, card) for seat in (0, 1) for card in top[seat]]
    leader = 1 - dealer
    wanted = rng.randrange(18)
    for trick in range(1, 13):
        laid: list[tuple[int, str]] = []
        turned: list[tuple[int, str]] = []
        for seat in (leader, 1 - leader):
            led = suit(laid[0][1], played.trump) if laid else None
            can = hand[seat] + [card for card in top[seat] if card]
            revoke = plant and played.planted is None and len(played.plays) >= wanted
            card, wrong = _choose(rng, can, led, played.trump, revoke=revoke)
            if wrong:
                assert led is not None
                lying = [c for c in top[seat] if c and c != card and suit(c, played.trump) == led]
                at = len(played.plays) if lying else -1
                played.planted = Planted(seat, trick, card, at, lying)
                # Cards that were covered then prove nothing, however they are played later.
                held = [c for c in hand[seat] if suit(c, played.trump) == led]
            mark = played.planted
            open_question = mark is not None and mark.provable_at < 0 and seat == mark.seat
            if mark and open_question and not wrong and card in held:
                mark.provable_at, mark.proofs = len(played.plays), [card]
            if card in hand[seat]:
                hand[seat].remove(card)
            else:
                column = top[seat].index(card)
                top[seat][column] = ""
                if under[seat][column]:
                    turned.append((seat, under[seat][column]))
                    top[seat][column], under[seat][column] = under[seat][column], ""
                    # It is turned up once the trick is over: not to be played to this one.
            laid.append((seat, card))
            played.plays.append((trick, seat, card))
        played.uncovered += [(trick, seat, card) for seat, card in turned]
        leader = winner(laid, played.trump)
        played.winners.append(leader)
    taken = tricks(played)
    for seat in (0, 1):
        if taken[played.maker] >= 7:
            played.points.append(taken[seat])
        else:
            played.points.append(0 if seat == played.maker else 12)
    return played
