"""A second referee of the four-handed games: slow, obvious, written from RULES.md alone.

Nothing of the engine is used. Cards are texts, every order of cards is a list spelled out, and
all hands are known, so that of every play it can be said whether the seat could have followed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: RULES.md, "Presets", typed in again by hand: what a preset changes in the home game.
PRESETS: dict[str, dict[str, Any]] = {
    "home": {},
    "pub": {"alone_by": "maker"},
    "british": {"jokers": 1, "alone_by": "maker", "partner_order_must_be_alone": True},
    "canadian": {"alone_by": "maker", "partner_order_must_be_alone": True},
    "tournament": {"alone_by": "maker"},
    "joker": {"jokers": 1, "alone_by": "maker"},
    "thirty_two": {"pack": 32},
}
HOME: dict[str, Any] = {
    "pack": 24,
    "jokers": 0,
    "benny_face": "joker",
    "hand_size": 5,
    "partner_order_must_be_alone": False,
    "no_trump": "off",
    "upcard_may_be_discarded": True,
    "alone_by": "either_partner",
    "lone_lead": "left_of_lone",
    "defend_alone": "off",
    "super_euchre": False,
    "lone_euchre": 2,
}
OTHER = {"c": "s", "s": "c", "d": "h", "h": "d"}


def rules_of(preset: str, **options: Any) -> dict[str, Any]:
    """The options of a preset, some of them changed, as this referee needs them."""
    return {**HOME, **PRESETS[preset], **options}


def bennies(rules: Mapping[str, Any]) -> list[str]:
    """The jokers of the pack, the best first."""
    if rules["jokers"] == 1 and rules["benny_face"] == "2s":
        return ["2s"]
    return ["B", "b"][: rules["jokers"]]


def whole_pack(rules: Mapping[str, Any]) -> list[str]:
    ranks = {24: "9TJQKA", 28: "89TJQKA", 32: "789TJQKA"}[rules["pack"]]
    return [rank + suit for suit in "cdhs" for rank in ranks] + bennies(rules)


def trumps(trump: str, rules: Mapping[str, Any]) -> list[str]:
    """All trumps, the best first; with no trump ("n") a joker is a suit of its own."""
    best = bennies(rules)
    if trump == "n":
        return best
    best += ["J" + trump, "J" + OTHER[trump]]
    return best + [rank + trump for rank in "AKQT987"]


def suit(card: str, trump: str, rules: Mapping[str, Any]) -> str:
    """The suit the card must be followed in; "trump" for a trump."""
    return "trump" if card in trumps(trump, rules) else card[1]


def winner(laid: list[tuple[int, str]], trump: str, rules: Mapping[str, Any]) -> int:
    """The seat of the best trump, else of the best card of the suit led."""
    who = {card: seat for seat, card in laid}
    for card in trumps(trump, rules):
        if card in who:
            return who[card]
    led = laid[0][1][1]
    for rank in "AKQJT987":
        if rank + led in who:
            return who[rank + led]
    raise AssertionError(f"nobody won {laid}")


def may_play(
    hand: list[str], laid: list[tuple[int, str]], trump: str, rules: Mapping[str, Any]
) -> list[str]:
    if not laid:
        return list(hand)
    led = suit(laid[0][1], trump, rules)
    able = [card for card in hand if suit(card, trump, rules) == led]
    return able or list(hand)


def leads_first(
    dealer: int, maker: int, alone: int | None, out: set[int], rules: Mapping[str, Any]
) -> int:
    """RULES.md, "Going alone": left of the makers' lone hand, or left of the dealer."""
    after = dealer
    if alone is not None and rules["lone_lead"] == "left_of_lone":
        after = alone
    seat = (after + 1) % 4
    while seat in out:
        seat = (seat + 1) % 4
    return seat


def pays(
    maker: int, made: int, alone: int | None, defender: int | None, rules: Mapping[str, Any]
) -> tuple[int, int]:
    """RULES.md, "Points". Where several euchre rows apply the largest counts."""
    size = rules["hand_size"]
    points = [0, 0]
    if made == size:
        points[maker % 2] = 2 if alone is None else 4
    elif made > size // 2:
        points[maker % 2] = 1
    else:
        rows = [2]
        if alone is not None:
            rows.append(rules["lone_euchre"])
        if rules["super_euchre"] and made == 0:
            rows.append(4)
        if defender is not None:
            rows.append(4)
        points[1 - maker % 2] = max(rows)
    return points[0], points[1]


@dataclass
class Revoke:
    """A card played off the suit led by a seat that held one of it.

    ``proof`` is the first later card of the seat in that suit: ``at`` its place among the plays.
    """

    seat: int
    trick: int
    card: str
    led: str
    proof: str = ""
    proven_at_trick: int = 0
    at: int = -1


@dataclass
class Truth:
    """A deal with everything known; ``plays`` in order as (trick from 1, seat, card)."""

    dealer: int
    upcard: str
    taken: bool
    maker: int
    trump: str
    alone: int | None
    defender: int | None
    hands: list[list[str]]
    plays: list[tuple[int, int, str]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    revokes: list[Revoke] = field(default_factory=list)
    points: tuple[int, int] = (0, 0)
    out: set[int] = field(default_factory=set)


def deal_out(chance: random.Random, rules: Mapping[str, Any], *, dealer: int) -> Truth:
    """Cards, calls and discards of a random deal under ``rules``; nothing is played yet."""
    pack = whole_pack(rules)
    chance.shuffle(pack)
    size = rules["hand_size"]
    hands = [pack[seat * size : seat * size + size] for seat in range(4)]
    upcard = pack[4 * size]
    maker = chance.randrange(4)
    taken = chance.random() < 0.5
    if upcard in bennies(rules):
        # The dealer names a suit before looking and takes the card.
        maker, taken, trump = dealer, True, chance.choice("cdhs")
    elif taken:
        trump = upcard[1]
    else:
        may = [s for s in "cdhs" if s != upcard[1]]
        if rules["no_trump"] != "off":
            may += ["n", "n"]
        trump = chance.choice(may)
    if taken:
        hands[dealer].append(upcard)
        away = list(hands[dealer])
        if not rules["upcard_may_be_discarded"]:
            away.remove(upcard)
        hands[dealer].remove(chance.choice(away))
    alone = None
    if chance.random() < 0.3:
        alone = maker
        if rules["alone_by"] == "either_partner" and chance.random() < 0.3:
            alone = (maker + 2) % 4
    if taken and maker == (dealer + 2) % 4 and rules["partner_order_must_be_alone"]:
        alone = maker
    defender = None
    may_defend = rules["defend_alone"] == "any" or (
        rules["defend_alone"] == "vs_lone" and alone is not None
    )
    if may_defend and chance.random() < 0.4:
        defender = (maker + chance.choice([1, 3])) % 4
    truth = Truth(dealer, upcard, taken, maker, trump, alone, defender, [list(h) for h in hands])
    truth.out = {(seat + 2) % 4 for seat in (alone, defender) if seat is not None}
    return truth


def play_out(
    chance: random.Random, truth: Truth, rules: Mapping[str, Any], *, plant: bool
) -> Truth:
    """Play random legal cards; ``plant``: one card, where there is the choice, is a revoke."""
    hands = [list(hand) for hand in truth.hands]
    seat = leads_first(truth.dealer, truth.maker, truth.alone, truth.out, rules)
    # Which of the chances to revoke is taken: later ones too, so that proofs come late as well.
    skip = chance.randrange(5) if plant else -1
    for trick in range(1, rules["hand_size"] + 1):
        laid: list[tuple[int, str]] = []
        while len(laid) < 4 - len(truth.out):
            if seat in truth.out:
                seat = (seat + 1) % 4
                continue
            fair = may_play(hands[seat], laid, truth.trump, rules)
            foul = [card for card in hands[seat] if card not in fair]
            card = chance.choice(fair)
            if foul and skip >= 0:
                skip -= 1
                if skip < 0:
                    card = chance.choice(foul)
                    truth.revokes.append(Revoke(seat, trick, card, laid[0][1]))
            hands[seat].remove(card)
            laid.append((seat, card))
            truth.plays.append((trick, seat, card))
            seat = (seat + 1) % 4
        seat = winner(laid, truth.trump, rules)
        truth.winners.append(seat)
    made = sum(seat % 2 == truth.maker % 2 for seat in truth.winners)
    truth.points = pays(truth.maker, made, truth.alone, truth.defender, rules)
    for revoke in truth.revokes:
        wanted = suit(revoke.led, truth.trump, rules)
        here = next(n for n, (_, _, card) in enumerate(truth.plays) if card == revoke.card)
        if (
            not rules["upcard_may_be_discarded"]
            and truth.taken
            and revoke.seat == truth.dealer
            and suit(truth.upcard, truth.trump, rules) == wanted
            and truth.upcard not in [card for _, _, card in truth.plays[: here + 1]]
        ):
            # RULES.md, "Revokes" 2: everybody knows that the dealer still holds it.
            revoke.proof, revoke.proven_at_trick, revoke.at = truth.upcard, revoke.trick, here
            continue
        for at, (trick, who, card) in enumerate(truth.plays):
            later = who == revoke.seat and trick > revoke.trick
            if later and suit(card, truth.trump, rules) == wanted:
                revoke.proof, revoke.proven_at_trick, revoke.at = card, trick, at
                break
    return truth


def perft(
    hands: list[list[str]],
    *,
    leader: int,
    out: set[int],
    trump: str,
    rules: Mapping[str, Any],
    laid: list[tuple[int, str]] | None = None,
) -> int:
    """How many different ways these hands can be played out legally."""
    laid = laid or []
    if len(laid) == 4 - len(out):
        leader, laid = winner(laid, trump, rules), []
    seat = leader
    if laid:
        seat = (laid[-1][0] + 1) % 4
    while seat in out:
        seat = (seat + 1) % 4
    if not hands[seat]:
        return 1
    ways = 0
    for card in may_play(hands[seat], laid, trump, rules):
        left = [[c for c in hand if c != card] for hand in hands]
        ways += perft(
            left, leader=leader, out=out, trump=trump, rules=rules, laid=[*laid, (seat, card)]
        )
    return ways
