"""How fast the engine plays, scores and reads back, beside two other euchre programs.

    python tests/bench/dealing.py [--rounds 5] [--deals 300]

One process, one core, measured in processor time, so that a busy machine hardly touches it; the
programs take turns round by round and the median round counts. Prints one JSON line:

* ``played``: random deals dealt, called, played by legal cards and scored a second, through the
  engine's own functions for legal cards, turns, winners and points.
* ``folded``: the same deals told as facts and folded whole with all findings, a second.
* ``open_spiel``: random deals of OpenSpiel's C++ euchre, driven from Python, a second.
* ``euchre_cli``: deals of the PyPI program ``euchre-cli``, its computers playing with their own
  simple strategy, its waiting and printing taken out, a second. It has no lone hands.
* ``fold_600_plays_ms``: reading back a log of thirty deals of twenty plays.

What is not installed is null: ``pip install open_spiel euchre-cli``.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from engine.cards import SEAT_NAMES, Card, Seat, side_of
from engine.facts import (
    CardPlayed,
    Declared,
    Fact,
    GameStarted,
    Recorded,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import effective_suit, legal_cards, trick_winner
from engine.ruleset import pack_of, preset
from engine.scoring import score_deal
from engine.state import fold
from engine.turns import first_leader, next_to_play, sitting_out

HOME = preset("home")
PACK = sorted(pack_of(HOME))
#: The suits that may be named when one was turned down.
NOT = {turned: [s for s in "cdhs" if s != turned] for turned in "cdhs"}


@dataclass(slots=True)
class Played:
    """A random deal, played and scored."""

    dealer: Seat
    upcard: Card
    taken: bool
    maker: Seat
    trump: str
    alone: list[Seat]
    tricks: list[list[tuple[Seat, Card]]]
    points: tuple[int, int]


def play_one(chance: random.Random, dealer: Seat, *, alone_share: float = 0.1) -> Played:
    """Deal, call, play random legal cards through the engine's rules, and score."""
    pack = list(PACK)
    chance.shuffle(pack)
    hands = [pack[0:5], pack[5:10], pack[10:15], pack[15:20]]
    upcard = pack[20]
    maker, taken = chance.randrange(4), chance.random() < 0.5
    trump = upcard[1] if taken else chance.choice(NOT[upcard[1]])
    if taken:
        hands[dealer][chance.randrange(5)] = upcard
    alone = [maker] if chance.random() < alone_share else []
    out = sitting_out(alone)
    leader = first_leader(dealer=dealer, maker=maker, alone=alone, lone_lead=HOME.lone_lead)
    made = 0
    tricks = []
    draw = chance.random
    for _ in range(5):
        assert leader is not None
        laid: list[tuple[Seat, Card]] = []
        gone: list[Seat] = []
        led = None
        seat: Seat | None = leader
        while seat is not None:
            hand = hands[seat]
            may = legal_cards(hand, led, trump)
            card = may[int(draw() * len(may))]
            hand.remove(card)
            led = led or effective_suit(card, trump)
            laid.append((seat, card))
            gone.append(seat)
            seat = next_to_play(leader, gone, out)
        tricks.append(laid)
        leader = trick_winner(laid, trump)
        made += side_of(leader) == side_of(maker)
    points = score_deal(
        makers=side_of(maker),
        makers_tricks=made,
        maker_alone=bool(alone),
        defender_alone=False,
        ruleset=HOME,
    ).as_points()
    return Played(dealer, upcard, taken, maker, trump, alone, tricks, points)


def facts_of(deal: Played) -> list[Fact]:
    """What a table would have seen of the deal."""
    facts: list[Fact] = [
        UpcardShown(card=deal.upcard, dealer=deal.dealer),
        UpcardTaken() if deal.taken else UpcardTurnedDown(),
        Declared(maker=deal.maker, trump=deal.trump, alone=deal.maker if deal.alone else None),
    ]
    for laid in deal.tricks:
        facts += [CardPlayed(seat=seat, card=card) for seat, card in laid]
        facts.append(TrickCleared())
    return facts


def log_of(facts: list[Fact], dealer: Seat, *, deals: int | None = None) -> list[Recorded]:
    """The facts as a log holds them, a second apart."""
    rules = {"preset": "home"} if deals is None else {"preset": "home", "deals": deals}
    start = GameStarted(rules=rules, names=SEAT_NAMES, dealer=dealer)
    return [
        Recorded(seq=n, game_id="g", version=n, at_us=n * 1_000_000, source="camera", fact=fact)
        for n, fact in enumerate([start, *facts], start=1)
    ]


def played(deals: int) -> None:
    chance = random.Random(1)
    for number in range(deals):
        play_one(chance, number % 4)


def folds_of(deals: int) -> Callable[[], None]:
    chance = random.Random(1)
    games = [play_one(chance, number % 4) for number in range(deals)]
    logs = [(log_of(facts_of(game), game.dealer), game.points) for game in games]

    def run() -> None:
        for log, points in logs:
            assert fold(log).deals[0].played_points == points

    return run


def spiel(deals: int) -> Callable[[], None] | None:
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("euchre")

    def run() -> None:
        chance = random.Random(1)
        for _ in range(deals):
            state = game.new_initial_state()
            state.apply_action(chance.randrange(4))
            for action in chance.sample(range(24), 21):
                state.apply_action(action)
            while not state.is_terminal():
                may = state.legal_actions()
                state.apply_action(may[int(chance.random() * len(may))])
            state.returns()

    return run


def euchre_cli(deals: int) -> Callable[[], None] | None:
    """Its own deal loop and scoring, between four of its computers, silent and without waits."""
    try:
        import importlib

        import loguru
        from euchre.abstract import Computer, Team

        table: ModuleType = importlib.import_module("euchre.command.play")
        if not isinstance(table, ModuleType):
            table = sys.modules["euchre.command.play"]
    except ImportError:
        return None
    loguru.logger.remove()
    loguru.logger.disable("euchre")
    table.output = lambda *args: None  # type: ignore[attr-defined]

    def run() -> None:
        random.seed(1)
        teams = [Team("one"), Team("two")]
        players = [Computer(name, teams[place % 2]) for place, name in enumerate("abcd")]
        players[-1].is_dealer = True
        for number in range(deals):
            table.hand(number, players, teams)
            table.hand_winner(teams)
            table.rotate_dealer(players)

    return run


def seconds(run: Callable[[], None]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def log_of_600_plays() -> list[Recorded]:
    """Thirty deals of a game that goes on that long, nobody alone."""
    chance = random.Random(2)
    facts: list[Fact] = []
    for number in range(30):
        facts += facts_of(play_one(chance, number % 4, alone_share=0.0))
    return log_of(facts, 0, deals=30)


def measure(*, rounds: int, deals: int) -> dict[str, object]:
    """The figures of one run, see the module's words."""
    runs: dict[str, Callable[[], None] | None] = {
        "played": lambda: played(deals),
        "folded": folds_of(deals),
        "open_spiel": spiel(deals),
        "euchre_cli": euchre_cli(deals),
    }
    spent: dict[str, list[float]] = {name: [] for name in runs}
    long_log, folds = log_of_600_plays(), []
    assert sum(isinstance(r.fact, CardPlayed) for r in long_log) == 600
    for _ in range(rounds):
        for name, run in runs.items():
            if run is not None:
                spent[name].append(seconds(run))
        folds.append(seconds(lambda: [fold(long_log) for _ in range(5)] and None) / 5 * 1000)
    rates = {
        name: round(deals / statistics.median(times)) if times else None
        for name, times in spent.items()
    }
    return {
        "deals_per_s": rates,
        "played_over_euchre_cli": _ratio(rates["played"], rates["euchre_cli"]),
        "folded_over_euchre_cli": _ratio(rates["folded"], rates["euchre_cli"]),
        "open_spiel_over_played": _ratio(rates["open_spiel"], rates["played"]),
        "fold_600_plays_ms": round(statistics.median(folds), 2),
        "fold_600_plays_best_ms": round(min(folds), 2),
        "rounds": rounds,
        "deals": deals,
    }


def _ratio(one: int | None, other: int | None) -> float | None:
    return None if one is None or not other else round(one / other, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the engine beside other programs.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--deals", type=int, default=300, help="deals in a round")
    asked = parser.parse_args()
    print(json.dumps(measure(rounds=asked.rounds, deals=asked.deals)))


if __name__ == "__main__":
    main()
