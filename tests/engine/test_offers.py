"""What a table could say now: what the page's buttons are made of."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import Card
from engine.commands import (
    BidTricks,
    Call,
    CallAce,
    Command,
    Declare,
    Drop,
    EndGame,
    NameDealer,
    PlayCard,
    Rejected,
    ShowUpcard,
    StartGame,
    Stay,
    SwapWidow,
)
from engine.memory_log import MemoryLog
from engine.offers import offers
from engine.table import Table


def table(*commands: Command, rules: str | dict[str, Any] = "home") -> Table:
    made = Table(MemoryLog(), clock_us=lambda: 1)
    for command in (StartGame(rules=rules, dealer=0), *commands):
        done = made.submit(command, source="test")
        assert not isinstance(done, Rejected), done
    return made


def said(made: Table) -> list[tuple[Any, ...]]:
    """The offers of calls as (seat, call, suit), other offers by their names."""
    return [
        (c.seat, c.call, c.suit) if isinstance(c, Call) else (type(c).__name__,)
        for c in offers(made.state)
    ]


UP = ShowUpcard(card=Card("9h"), dealer=0)


def test_before_a_card_is_turned_up_nothing_can_be_said() -> None:
    assert offers(table().state) == ()
    assert offers(Table(MemoryLog(), clock_us=lambda: 1).state) == ()


def test_in_the_first_round_the_dealers_left_may_pass_and_the_dealer_alone_picks_up() -> None:
    words = said(table(UP))
    assert (1, "pass", None) in words
    assert (2, "pass", None) not in words
    assert (0, "pick_up", None) in words
    assert (0, "order_up", None) not in words
    assert {(s, "order_up", None) for s in (1, 2, 3)} <= set(words)
    assert ("TakeUpcard",) in words


def test_in_the_second_round_the_turned_down_suit_is_no_offer() -> None:
    passes = [Call(seat=seat, call="pass") for seat in (1, 2, 3, 0)]
    words = said(table(UP, *passes))
    assert {w for w in words if w[0] == 1} == {
        (1, "pass", None),
        (1, "name", "c"),
        (1, "name", "d"),
        (1, "name", "s"),
    }
    assert {w[0] for w in words} == {1}


def test_no_trump_is_an_offer_only_where_it_is_played() -> None:
    passes = [Call(seat=seat, call="pass") for seat in (1, 2, 3, 0)]
    assert (1, "name", "n") not in said(table(UP, *passes))
    rules = {"preset": "home", "no_trump": "round2"}
    assert (1, "name", "n") in said(table(UP, *passes, rules=rules))


def test_once_trump_is_made_nothing_is_left_to_say() -> None:
    assert offers(table(UP, Declare(maker=1, trump="h")).state) == ()


def test_in_buck_a_bid_must_be_more_than_the_last_and_then_the_others_stay_or_drop() -> None:
    opened = table(NameDealer(dealer=0), rules="buck3")
    assert SwapWidow(seat=2) in offers(opened.state)
    bid = table(BidTricks(seat=1, tricks=3), rules="buck3")
    assert [c.tricks for c in offers(bid.state) if isinstance(c, BidTricks) and c.seat == 2] == [
        4,
        5,
    ]
    assert not any(isinstance(c, SwapWidow) for c in offers(bid.state))
    won = table(
        BidTricks(seat=1, tricks=3),
        Call(seat=2, call="pass"),
        Call(seat=0, call="pass"),
        Call(seat=1, call="name", suit="s"),
        rules="buck3",
    )
    assert set(offers(won.state)) == {Stay(seat=0), Stay(seat=2), Drop(seat=0), Drop(seat=2)}


def test_the_ace_that_was_turned_down_cannot_be_called() -> None:
    made = table(
        ShowUpcard(card=Card("Ah"), dealer=0), Declare(maker=1, trump="s"), rules="call_ace_5"
    )
    assert set(offers(made.state)) == {CallAce(card=Card(c)) for c in ("Ac", "Ad", "As")}


def test_an_ace_may_still_be_called_when_cards_lie_there() -> None:
    made = table(
        UP,
        Declare(maker=1, trump="s"),
        PlayCard(seat=1, card=Card("Kd")),
        rules="call_ace_5",
    )
    assert CallAce(card=Card("Ad")) in offers(made.state)


def test_a_game_that_is_over_offers_nothing() -> None:
    assert offers(table(UP, EndGame(reason="late")).state) == ()


@pytest.mark.parametrize("preset", ["home", "buck3", "two_hand", "call_ace_5", "call_ace_6"])
def test_everything_offered_is_taken_when_it_is_said(preset: str) -> None:
    made = table(rules=preset)
    if preset.startswith(("home", "call")):
        made.submit(UP, source="test")
    offered = offers(made.state)
    assert offered
    for command in offered:
        again = table(rules=preset)
        if preset.startswith(("home", "call")):
            again.submit(UP, source="test")
        assert not isinstance(again.submit(command, source="test"), Rejected), command


def test_the_snapshot_says_who_is_to_speak_and_the_pack() -> None:
    made = table(UP)
    assert made.snapshot()["ask"]["seat"] == 1
    game = made.snapshot()["game"]
    assert len(game["pack"]) == 24
    assert game["pack"][0] == "9c"
    assert (game["trumps"], game["alone_by"]) == (["c", "d", "h", "s"], "either_partner")
    joker = table(rules="joker").snapshot()["game"]
    assert joker["pack"][-1] == "B"
    buck = table(rules="buck3").snapshot()
    assert (buck["ask"]["seat"], buck["game"]["alone_by"]) == (1, "nobody")
    assert buck["game"]["trumps"][-1] == "n"
