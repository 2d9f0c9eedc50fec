"""The worked game of RULES.md (source A): six deals, 11-1."""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine_scenes import facts_of, recorded, started
from oracle_euchre import Truth, deal_out

from engine.facts import Fact
from engine.state import fold

US, THEM = 0, 1


@dataclass(frozen=True)
class Wanted:
    """One deal of the worked game. ``orders_up``: trump is the up-card's suit."""

    makers: int
    tricks: int
    trump: str | None
    orders_up: bool | None
    alone: bool
    maker_deals: bool
    score_after: tuple[int, int]


#: RULES.md: "(1) Us order up hearts, five tricks: 2-0. (2) Them name spades in round two, two
#: tricks: euchred, 4-0. (3) Us dealer picks up diamonds alone, five: 8-0. (4) Them order up
#: clubs, four: 8-1. (5) Us three: 9-1. (6) Us order up hearts, march: 11-1, over."
GAME = [
    Wanted(US, 5, "h", True, False, False, (2, 0)),
    Wanted(THEM, 2, "s", False, False, False, (4, 0)),
    Wanted(US, 5, "d", True, True, True, (8, 0)),
    Wanted(THEM, 4, "c", True, False, False, (8, 1)),
    Wanted(US, 3, None, None, False, False, (9, 1)),
    Wanted(US, 5, "h", True, False, False, (11, 1)),
]


def _find(rng: random.Random, dealer: int, wanted: Wanted) -> Truth:
    """A random deal, by the oracle, that goes as the worked game says."""
    while True:
        truth = deal_out(rng, dealer=dealer, alone_share=1.0 if wanted.alone else 0.0)
        made = truth.tricks[wanted.makers]
        if (
            truth.maker % 2 == wanted.makers
            and made == wanted.tricks
            and wanted.trump in (None, truth.trump)
            and wanted.orders_up in (None, truth.taken)
            and (truth.maker == dealer) == wanted.maker_deals
        ):
            return truth


def test_the_worked_game_ends_eleven_to_one() -> None:
    rng = random.Random(20)
    facts: list[Fact] = [started(0)]
    for number, wanted in enumerate(GAME):
        assert not fold(recorded(facts)).over
        facts += facts_of(_find(rng, number % 4, wanted))
        state = fold(recorded(facts))
        assert state.score == wanted.score_after
    assert state.over
    assert state.winner == US
    assert [deal.result for deal in state.deals] == [
        "march",
        "euchre",
        "march_alone",
        "made",
        "made",
        "march",
    ]
    assert state.findings == ()
    assert state.next_dealer == 2
