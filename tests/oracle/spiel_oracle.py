"""OpenSpiel's euchre beside ours, step by step, on random deals.

Source of the rules that make the two alike: data/README.md (``lone_lead`` left_of_dealer,
``alone_by`` maker, the up-card may not be discarded). Every deal is walked through the engine's
functions for calls, legal cards, turns, winners and points; one in ``fold_every`` is told to the
engine as facts besides and folded whole. OpenSpiel pays +n to the winners and -n to the others.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from engine.bidding import wrong_call
from engine.cards import SEAT_NAMES, Card, Seat, side_of
from engine.commands import Call
from engine.deal import Deal
from engine.facts import (
    Called,
    CardPlayed,
    DealThrownIn,
    Declared,
    Fact,
    GameStarted,
    Recorded,
    TrickCleared,
    UpcardShown,
)
from engine.follow import effective_suit, legal_cards, trick_winner
from engine.ruleset import Ruleset, ruleset_from
from engine.scoring import score_deal
from engine.state import fold
from engine.turns import first_leader, next_to_play, sitting_out

#: OpenSpiel numbers its cards rank by rank from the nines, clubs first within a rank.
CARDS = [Card(rank + suit) for rank in "9TJQKA" for suit in "cdhs"]
PASS, FIRST_SUIT, ALONE = 24, 25, 29
SUITS = "cdhs"


def rules_for(*, stick: bool, lone_defender: bool) -> dict[str, Any]:
    """Our rules that should give what OpenSpiel gives with these two parameters."""
    return {
        "preset": "home",
        "lone_lead": "left_of_dealer",
        "alone_by": "maker",
        "upcard_may_be_discarded": False,
        "pass_out": "stick_dealer" if stick else "pass_deal",
        "defend_alone": "any" if lone_defender else "off",
    }


class Differs(AssertionError):
    """The two programs disagree; the text says where."""


@dataclass
class Tally:
    """What was compared, so that a run that met nothing cannot pass for a proof."""

    deals: int = 0
    folded: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


@dataclass
class Walked:
    """One deal as both programs agreed on it."""

    dealer: Seat
    upcard: Card
    calls: list[Called]
    plays: list[tuple[Seat, Card]]
    winners: list[Seat]
    maker: Seat | None = None
    trump: str | None = None
    alone: Seat | None = None
    defender_alone: Seat | None = None
    points: tuple[int, int] = (0, 0)


def _recorded(facts: list[Fact]) -> list[Recorded]:
    return [
        Recorded(seq=n, game_id="g", version=n, at_us=n * 1_000_000, source="import", fact=fact)
        for n, fact in enumerate(facts, start=1)
    ]


def _start(rules: dict[str, Any], dealer: Seat) -> GameStarted:
    return GameStarted(rules=rules, names=SEAT_NAMES, dealer=dealer)


@cache
def _undecided(dealer: Seat, upcard: Card) -> Deal:
    """A deal of which nothing but the up-card is known."""
    shown = UpcardShown(card=upcard, dealer=dealer)
    start = _start({"preset": "home"}, dealer)
    return fold(_recorded([start, shown])).deals[0]


def _our_calls(walked: Walked, seat: Seat, ruleset: Ruleset) -> list[int]:
    """What the engine lets ``seat`` call now, in OpenSpiel's numbers."""
    calls = tuple(walked.calls)
    deal = replace(_undecided(walked.dealer, walked.upcard), calls=calls)
    may = []
    passing = Call(seat=seat, call="pass")
    if wrong_call(deal, passing, ruleset) is None:
        may.append(PASS)
    for place, suit in enumerate(SUITS):
        if len(calls) < 4 and suit == walked.upcard[1]:
            kind = "pick_up" if seat == walked.dealer else "order_up"
            call = Call(seat=seat, call=kind)
        elif not calls:
            # Ours takes a suit named out of the blue: at a table the passes go untapped.
            continue
        else:
            call = Call(seat=seat, call="name", suit=suit)
        if wrong_call(deal, call, ruleset) is None:
            may.append(FIRST_SUIT + place)
    return may


def _same(what: str, ours: Any, theirs: Any, state: Any) -> None:
    if ours != theirs:
        raise Differs(f"{what}: ours {ours!r}, OpenSpiel {theirs!r} in\n{state}")


def _bid(
    state: Any, chance: random.Random, walked: Walked, ruleset: Ruleset, passing: float
) -> int:
    """One call; returns OpenSpiel's action. ``passing``: how gladly seats pass."""
    seat, actions = state.current_player(), state.legal_actions()
    _same("calls", _our_calls(walked, seat, ruleset), actions, state)
    action = chance.choice(actions)
    if PASS in actions and chance.random() < passing:
        action = PASS
    if action == PASS:
        walked.calls.append(Called(seat=seat, call="pass"))
        return PASS
    suit = SUITS[action - FIRST_SUIT]
    if len(walked.calls) >= 4:
        walked.calls.append(Called(seat=seat, call="name", suit=suit))
    elif seat == walked.dealer:
        walked.calls.append(Called(seat=seat, call="pick_up"))
    else:
        walked.calls.append(Called(seat=seat, call="order_up"))
    walked.maker, walked.trump = seat, suit
    return action


def walk(game: Any, chance: random.Random, ruleset: Ruleset) -> Walked:
    """Play one random deal in OpenSpiel, the engine checked at every step; raise Differs."""
    state = game.new_initial_state()
    dealer = chance.randrange(4)
    state.apply_action(dealer)
    for action in chance.sample(range(24), 21):
        state.apply_action(action)
    holder = state.card_holder()
    hands: dict[Seat, list[Card]] = {seat: [] for seat in range(4)}
    for card, seat in zip(CARDS, holder, strict=True):
        # The up-card is nobody's yet, and so are the three below it.
        if seat is not None and 0 <= seat < 4:
            hands[seat].append(card)
    upcard = CARDS[state.upcard()]
    walked = Walked(dealer, upcard, [], [], [])
    _same("hand sizes", [len(hands[seat]) for seat in range(4)], [5] * 4, state)
    passing = chance.choice((0.0, 0.6, 0.85, 0.97))
    sits_out: tuple[Seat, ...] = ()
    leader: Seat | None = None
    trick: list[tuple[Seat, Card]] = []
    while not state.is_terminal():
        phase = state.current_phase().name
        seat, actions = state.current_player(), state.legal_actions()
        if phase == "BIDDING":
            action = _bid(state, chance, walked, ruleset, passing)
        elif phase == "DISCARD":
            _same("who discards", dealer, seat, state)
            _same("discards", sorted(hands[seat]), sorted(CARDS[a] for a in actions), state)
            action = chance.choice(actions)
            hands[seat].remove(CARDS[action])
            hands[seat].append(upcard)
        elif phase == "GO_ALONE":
            action = chance.choice(actions)
            if action == ALONE and seat == walked.maker:
                walked.alone = seat
            elif action == ALONE:
                walked.defender_alone = seat
        else:
            assert walked.trump is not None
            if leader is None:
                lone = [s for s in (walked.alone, walked.defender_alone) if s is not None]
                sits_out = sitting_out(lone)
                leader = first_leader(
                    dealer=dealer, maker=walked.maker, alone=lone, lone_lead=ruleset.lone_lead
                )
                assert leader is not None
            _same("turn", next_to_play(leader, [s for s, _ in trick], sits_out), seat, state)
            led = effective_suit(trick[0][1], walked.trump) if trick else None
            ours = sorted(legal_cards(hands[seat], led, walked.trump))
            _same("legal cards", ours, sorted(CARDS[a] for a in actions), state)
            action = chance.choice(actions)
            card = CARDS[action]
            hands[seat].remove(card)
            trick.append((seat, card))
            walked.plays.append((seat, card))
            if len(trick) == 4 - len(sits_out):
                leader = trick_winner(trick, walked.trump)
                walked.winners.append(leader)
                trick = []
        state.apply_action(action)
    theirs = [t.winner() for t in state.tricks()][: len(walked.winners)]
    _same("winners", walked.winners, theirs, state)
    returns = [round(r) for r in state.returns()]
    _same("returns add up", returns[:2], returns[2:], state)
    walked.points = (max(0, returns[0]), max(0, returns[1]))
    _same("points", _our_points(walked, ruleset), walked.points, state)
    return walked


def _our_points(walked: Walked, ruleset: Ruleset) -> tuple[int, int]:
    if walked.maker is None:
        return (0, 0)
    makers = side_of(walked.maker)
    return score_deal(
        makers=makers,
        makers_tricks=sum(side_of(seat) == makers for seat in walked.winners),
        maker_alone=walked.alone is not None,
        defender_alone=walked.defender_alone is not None,
        ruleset=ruleset,
    ).as_points()


def told(walked: Walked, *, tap_calls: bool) -> list[Fact]:
    """The deal as a table tells it: every call tapped, or one declaration."""
    facts: list[Fact] = [UpcardShown(card=walked.upcard, dealer=walked.dealer)]
    if tap_calls:
        facts += walked.calls
    if walked.maker is None:
        facts.append(DealThrownIn())
    elif not tap_calls or walked.alone is not None or walked.defender_alone is not None:
        assert walked.trump is not None
        facts.append(
            Declared(
                maker=walked.maker,
                trump=walked.trump,
                alone=walked.alone,
                defender_alone=walked.defender_alone,
            )
        )
    seats = 4 - (walked.alone is not None) - (walked.defender_alone is not None)
    for place, (seat, card) in enumerate(walked.plays, start=1):
        facts.append(CardPlayed(seat=seat, card=card))
        if place % seats == 0:
            facts.append(TrickCleared())
    return facts


def _fold_agrees(walked: Walked, rules: dict[str, Any], *, tap_calls: bool) -> None:
    facts = [_start(rules, walked.dealer), *told(walked, tap_calls=tap_calls)]
    deal = fold(_recorded(facts)).deals[0]
    where = f"{facts}"
    _same("folded points", deal.played_points, walked.points, where)
    _same("folded winners", list(deal.winners), walked.winners, where)
    _same("folded maker", (deal.maker, deal.trump), (walked.maker, walked.trump), where)
    _same("findings", [f.text for f in deal.findings], [], where)


def compare(
    deals: int, *, stick: bool, lone_defender: bool, seed: int | str, fold_every: int
) -> Iterator[Tally]:
    """Compare so many deals; yields the running tally after every thousand and at the end."""
    import pyspiel

    game = pyspiel.load_game(
        "euchre", {"allow_lone_defender": lone_defender, "stick_the_dealer": stick}
    )
    rules = rules_for(stick=stick, lone_defender=lone_defender)
    ruleset = ruleset_from(rules)
    chance = random.Random(f"{seed} {stick} {lone_defender}")
    tally = Tally()
    while tally.deals < deals:
        tally.deals += 1
        try:
            walked = walk(game, chance, ruleset)
            if tally.deals % fold_every == 0:
                tally.folded += 1
                _fold_agrees(walked, rules, tap_calls=tally.folded % 2 == 0)
        except Differs as difference:
            tally.differences.append(str(difference))
            if len(tally.differences) >= 5:
                break
            continue
        _count(tally.seen, walked)
        if tally.deals % 1000 == 0:
            yield tally
    yield tally


def _count(seen: Counter[str], walked: Walked) -> None:
    seen["plays"] += len(walked.plays)
    if walked.maker is None:
        seen["passed out"] += 1
        return
    seen["named in round 2"] += len(walked.calls) > 4
    seen["named by a stuck dealer"] += len(walked.calls) == 8
    seen["alone"] += walked.alone is not None
    seen["defender alone"] += walked.defender_alone is not None
    seen["both alone"] += walked.alone is not None and walked.defender_alone is not None
    made = sum(side_of(s) == side_of(walked.maker) for s in walked.winners)
    seen["march"] += made == 5
    seen["euchre"] += made < 3
