"""A deal counted by hand: scored by the same table, known by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import Card
from engine.codec import fact_from_json, fact_to_json
from engine.facts import (
    CardPlayed,
    Corrected,
    DealKept,
    DealThrownIn,
    Fact,
    GameStarted,
    Recorded,
    UpcardShown,
)
from engine.notation.egn_writing import write_egn
from engine.state import State, fold
from engine.view import snapshot
from engine.wording import fact_text

NAMES = ("Ann", "Bob", "Cy", "Dee")


def game(*facts: Fact, rules: Any = None, names: tuple[str, ...] = NAMES) -> tuple[Recorded, ...]:
    started = GameStarted(rules=rules or {"preset": "home"}, names=names, dealer=0)
    return tuple(
        Recorded(seq=n, game_id="g", version=n, at_us=n, source="keeper", fact=fact)
        for n, fact in enumerate((started, *facts), start=1)
    )


def state(*facts: Fact, **more: Any) -> State:
    return fold(game(*facts, **more))


#: RULES.md's worked game, as somebody with pencil and paper counts it.
WORKED = (
    DealKept(makers=0, tricks=5),
    DealKept(makers=1, tricks=2),
    DealKept(makers=0, tricks=5, alone=True),
    DealKept(makers=1, tricks=4),
    DealKept(makers=0, tricks=3),
    DealKept(makers=0, tricks=5),
)


def test_the_worked_game_is_won_eleven_to_one() -> None:
    won = state(*WORKED)
    assert won.scores == ((2, 0), (4, 0), (8, 0), (8, 1), (9, 1), (11, 1))
    assert (won.over, won.winner) == (True, 0)
    assert [deal.result for deal in won.deals] == [
        "march",
        "euchre",
        "march_alone",
        "made",
        "made",
        "march",
    ]
    assert won.deals[1].tricks_won == (3, 2)
    assert won.reviews == ()
    assert won.findings == ()


@pytest.mark.parametrize(
    ("kept", "points", "result"),
    [
        (DealKept(makers=0, tricks=4, alone=True), (1, 0), "made_alone"),
        (DealKept(makers=1, tricks=2, defended=True), (4, 0), "lone_defender_euchre"),
        (DealKept(makers=1, tricks=0, alone=True, defended=True), (4, 0), "lone_defender_euchre"),
    ],
)
def test_hands_alone_count_as_in_any_deal(
    kept: DealKept, points: tuple[int, int], result: str
) -> None:
    [deal] = state(kept).deals
    assert (deal.points, deal.result) == (points, result)


def test_the_rules_of_the_game_count_it() -> None:
    kept = DealKept(makers=0, tricks=2, alone=True)
    [deal] = state(kept, rules={"preset": "home", "lone_euchre": 4}).deals
    assert (deal.points, deal.result) == ((0, 4), "lone_euchre")


def test_the_deal_passes_on() -> None:
    assert state(WORKED[0], DealThrownIn(reason="passed_out"), WORKED[1]).next_dealer == 3


def test_a_deal_under_way_is_ended_by_what_was_counted() -> None:
    told = state(
        UpcardShown(card=Card("Kh"), dealer=0),
        CardPlayed(seat=1, card=Card("Ah")),
        DealKept(makers=1, tricks=3),
    )
    [deal] = told.deals
    assert (deal.complete, deal.points, deal.turn) == (True, (0, 1), None)


def test_a_count_that_was_wrong_is_corrected_like_any_fact() -> None:
    told = state(
        WORKED[0],
        WORKED[3],
        Corrected(target=2, replacement=DealKept(makers=0, tricks=4), reason="miscounted"),
    )
    assert told.scores == ((1, 0), (1, 1))
    struck = state(WORKED[0], WORKED[3], Corrected(target=2, replacement=None, reason="twice"))
    assert struck.scores == ((0, 1),)


def test_what_cannot_be_is_borne_and_counts_for_nothing() -> None:
    assert state(DealKept(makers=0, tricks=6)).deals == ()
    two = state(DealKept(makers=0, tricks=3), rules={"preset": "two_hand"}, names=("Ann", "Bob"))
    assert two.deals == ()


def test_snapshots_and_lines_tell_it() -> None:
    records = game(*WORKED)
    told = snapshot(fold(records), records)
    assert told["deals"][2]["result"] == "march_alone"
    assert told["deals"][2]["tricks"] == [5, 0]
    assert told["ask"] is None
    assert [fact_text(fact, NAMES) for fact in (WORKED[0], WORKED[2])] == [
        "Counted by hand: Ann and Cy made trump and took 5 tricks",
        "Counted by hand: Ann and Cy made trump, alone, and took 5 tricks",
    ]
    assert "Bob and Dee made trump against a lone defender and took 2 tricks" in fact_text(
        DealKept(makers=1, tricks=2, defended=True), NAMES
    )
    assert "alone against a lone defender" in fact_text(
        DealKept(makers=1, tricks=2, alone=True, defended=True), NAMES
    )


def test_teams_that_have_one_name_are_called_by_it() -> None:
    records = game(WORKED[0], names=("Us", "Them", "Us", "Them"))
    told = snapshot(fold(records), records)
    assert [side["name"] for side in told["sides"]] == ["Us", "Them"]


def test_it_is_asked_to_be_marked_by_nobody() -> None:
    records = game(WORKED[0])
    ask = snapshot(fold(records), records)["ask"]
    assert ask is None or ask["kind"] != "confirm"


def test_egn_has_no_words_for_it_and_says_so() -> None:
    exported = write_egn(game(*WORKED[:2]))
    assert sum("counted by hand" in loss for loss in exported.losses) == 2


@pytest.mark.parametrize("bad", [{"makers": 2}, {"tricks": -1}, {"alone": 1}])
def test_a_count_from_a_file_is_checked(bad: dict[str, Any]) -> None:
    from engine.codec import BadFact

    told = fact_to_json(WORKED[0]) | bad
    with pytest.raises(BadFact):
        fact_from_json(told)
