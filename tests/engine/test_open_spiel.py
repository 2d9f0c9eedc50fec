"""Against OpenSpiel's euchre, an independent program: random deals, winners and points.

Its rules (data/README.md): ``lone_lead`` left_of_dealer, ``alone_by`` maker, and the up-card
may not be discarded. Its points are returned as +n to the winning side and -n to the other.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from engine_scenes import folded

from engine.cards import Card
from engine.facts import (
    Called,
    CardPlayed,
    DealThrownIn,
    Declared,
    Fact,
    TrickCleared,
    UpcardShown,
)

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is absent: pip install open_spiel")

RULES = {
    "lone_lead": "left_of_dealer",
    "alone_by": "maker",
    "upcard_may_be_discarded": False,
}
SUITS = {"Clubs": "c", "Diamonds": "d", "Hearts": "h", "Spades": "s"}


@dataclass
class Played:
    """One deal as OpenSpiel played it."""

    dealer: int = 0
    upcard: str = ""
    calls: list[tuple[int, str | None]] = field(default_factory=list)
    maker: int | None = None
    trump: str = ""
    alone: bool = False
    plays: list[tuple[int, str]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    points: tuple[int, int] = (0, 0)


def _card(name: str) -> str:
    """OpenSpiel writes the suit first: ``HK``."""
    return name[1] + name[0].lower()


def _play(game: Any, rng: random.Random, *, lively: bool) -> Played:
    """One random deal; ``lively``: seats call oftener, so that fewer deals go to the dealer."""
    state = game.new_initial_state()
    played = Played()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice([action for action, _ in state.chance_outcomes()]))
            continue
        actions = state.legal_actions()
        seat = state.current_player()
        names = {action: state.action_to_string(seat, action) for action in actions}
        phase = str(state.current_phase()).rsplit(".", 1)[-1]
        action = rng.choice(actions)
        if phase == "BIDDING" and not lively and "Pass" in names.values() and rng.random() < 0.8:
            action = next(a for a, name in names.items() if name == "Pass")
        match phase:
            case "BIDDING":
                name = names[action]
                played.calls.append((seat, None if name == "Pass" else SUITS[name]))
            case "PLAY":
                played.plays.append((seat, _card(names[action])))
        played.dealer = state.dealer()
        state.apply_action(action)
        if not played.upcard:
            text = str(state)
            played.upcard = _card(text.split("Upcard: ")[1][:2])
    if played.plays:
        played.maker = state.declarer()
        played.trump = next(suit for _, suit in played.calls if suit is not None)
        played.alone = bool(state.declarer_go_alone())
        played.winners = [t.winner() for t in state.tricks()]
    returns = [round(r) for r in state.returns()]
    played.points = (max(0, returns[0]), max(0, returns[1]))
    return played


def _facts(played: Played, *, tap_calls: bool) -> list[Fact]:
    facts: list[Fact] = [UpcardShown(card=Card(played.upcard), dealer=played.dealer)]
    if tap_calls:
        for place, (seat, suit) in enumerate(played.calls):
            first_round = place < 4
            if suit is None:
                facts.append(Called(seat=seat, call="pass"))
            elif first_round:
                call = "pick_up" if seat == played.dealer else "order_up"
                facts.append(Called(seat=seat, call=call, alone=played.alone))
            else:
                facts.append(Called(seat=seat, call="name", suit=suit, alone=played.alone))
    elif played.maker is not None:
        facts.append(
            Declared(
                maker=played.maker,
                trump=played.trump,
                alone=played.maker if played.alone else None,
            )
        )
    if played.maker is None:
        facts.append(DealThrownIn())
    seats = 3 if played.alone else 4
    for place, (seat, card) in enumerate(played.plays, start=1):
        facts.append(CardPlayed(seat=seat, card=Card(card)))
        if place % seats == 0:
            facts.append(TrickCleared())
    return facts


@pytest.mark.parametrize("tap_calls", [True, False], ids=["calls tapped", "declared in one tap"])
@pytest.mark.parametrize("stick", [True, False], ids=["stick the dealer", "pass the deal"])
def test_winners_and_points_agree_with_open_spiel(stick: bool, tap_calls: bool) -> None:
    game = pyspiel.load_game("euchre", {"allow_lone_defender": False, "stick_the_dealer": stick})
    rng = random.Random(7 + stick)
    rules = {**RULES, "pass_out": "stick_dealer" if stick else "pass_deal"}
    seen = {"alone": 0, "passed out": 0, "euchred": 0, "march": 0}
    for number in range(100):
        played = _play(game, rng, lively=number % 2 == 0)
        deal = folded(*_facts(played, tap_calls=tap_calls), dealer=played.dealer, **rules).deals[0]
        assert deal.played_points == played.points
        assert list(deal.winners) == played.winners
        assert (deal.maker, deal.trump or "") == (played.maker, played.trump)
        assert deal.findings == ()
        seen["alone"] += played.alone
        seen["passed out"] += played.maker is None
        seen["euchred"] += played.maker is not None and played.points[1 - played.maker % 2] > 0
        seen["march"] += deal.result in ("march", "march_alone")
    assert seen["alone"] > 10
    assert seen["euchred"] > 10
    assert seen["march"] > 0
    assert stick or seen["passed out"] > 2
