"""The score sheet of a game, with what the rules propose and without."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from engine import facts
from engine.facts import Recorded
from engine.notation.egn import read_egn
from engine.score import score_json

# Dealer West, North orders up the nine of hearts. West holds the nine of clubs back in trick 3
# (clubs led) and shows it in trick 4: a revoke. As played North and South take three tricks.
TRICKS = [
    ["Jh", "Qh", "Th", "9h"],
    ["Ah", "9d", "Tc", "Qd"],
    ["Kc", "Ac", "Js", "Qs"],
    ["Ks", "As", "9c", "9s"],
    ["Kd", "Ad", "Td", "Jc"],
]


def game(*deals: Any, **metadata: Any) -> tuple[Recorded, ...]:
    value = {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {"players": ["N", "E", "S", "W"], "initialScore": [0, 0], **metadata},
        "deals": deals,
    }
    imported = read_egn(json.dumps(value))
    assert [str(fault) for fault in imported.faults] == []
    return imported.games[0].records()


def deal(
    calls: list[str] | None = None,
    *,
    dealer: int = 3,
    alone: bool = False,
    tricks: Any = TRICKS,
) -> dict[str, Any]:
    bidding = {"type": "EUCHRE_BIDDING", "calls": calls or ["Order"], "isAlone": alone}
    play = {"type": "TRICK_PLAY", "tricks": copy.deepcopy(tricks)}
    return {
        "dealNumber": 0,
        "initialState": {"dealer": dealer, "upCard": "9h"},
        "phases": [bidding, play] if tricks else [bidding],
    }


def again(records: tuple[Recorded, ...], *more: facts.Fact) -> tuple[Recorded, ...]:
    """The records with further facts, by the director."""
    extra = tuple(
        Recorded(
            seq=len(records) + i,
            game_id=records[0].game_id,
            version=len(records) + i,
            at_us=0,
            source="director",
            fact=fact,
        )
        for i, fact in enumerate(more, start=1)
    )
    return records + extra


def test_a_revoke_is_listed_and_the_points_count_as_played() -> None:
    sheet = score_json(game(deal()))
    assert sheet["score"] == [1, 0]
    (told,) = sheet["deals"]
    assert told["points"] == [1, 0]
    assert told["tricks"] == [3, 2]
    assert told["winners"] == [0, 0, 1, 2, 3]
    (finding,) = told["findings"]
    assert {
        key: finding[key]
        for key in ("kind", "seat", "trick", "card", "led", "proven_at_trick", "proof")
    } == {
        "kind": "revoke",
        "seat": 3,
        "trick": 3,
        "card": "Qs",
        "led": "Kc",
        "proven_at_trick": 4,
        "proof": "9c",
    }


def test_with_automatic_rulings_the_award_replaces_the_deals_result() -> None:
    sheet = score_json(game(deal()), rulings="automatic")
    assert sheet["deals"][0]["points"] == [2, 0]
    assert sheet["deals"][0]["result"] == "revoke"
    assert sheet["deals"][0]["tricks"] == [3, 2]
    assert sheet["score"] == [2, 0]


def test_what_the_table_ruled_counts_only_where_it_is_asked_for() -> None:
    records = game(deal())
    (finding,) = score_json(records)["deals"][0]["findings"]
    upheld = again(records, facts.FindingRuled(finding=finding["id"], ruling="uphold"))
    dismissed = again(records, facts.FindingRuled(finding=finding["id"], ruling="dismiss"))
    assert score_json(upheld)["score"] == [1, 0]
    assert score_json(upheld, rulings="recorded")["score"] == [2, 0]
    assert score_json(dismissed, rulings="recorded")["score"] == [1, 0]
    assert score_json(dismissed, rulings="automatic")["score"] == [1, 0]


def test_other_rules_may_be_asked_for() -> None:
    sheet = score_json(game(deal()), rules={"revoke_points": 4}, rulings="automatic")
    assert sheet["score"] == [4, 0]


def test_a_passed_out_deal_has_no_maker_and_no_points() -> None:
    may_pass = {"std": False}
    sheet = score_json(game(deal(["Pass"] * 8, tricks=None), deal(dealer=0), ruleset=may_pass))
    told = sheet["deals"][0]
    assert told == {
        "points": [0, 0],
        "tricks": [0, 0],
        "maker": None,
        "trump": None,
        "alone": False,
        "lone_seat": None,
        "winners": [],
        "result": "thrown_in",
        "findings": [],
    }
    assert sheet["deals"][1]["maker"] == 1


def test_a_dealer_who_is_stuck_and_passes_is_found_and_nobody_scores() -> None:
    # EGN's own default: all passed twice, the dealer must name trump.
    told = score_json(game(deal(["Pass"] * 8, tricks=None), deal(dealer=0)))["deals"][0]
    assert told["points"] == [0, 0]
    assert [(f["kind"], f["seat"]) for f in told["findings"]] == [("dealer_must_name", 3)]


def test_the_lone_seat_is_named() -> None:
    told = score_json(game(deal(alone=True, tricks=[t[:3] for t in TRICKS])))["deals"][0]
    assert (told["alone"], told["lone_seat"], told["maker"]) == (True, 0, 0)


@pytest.mark.parametrize(
    ("initial", "winner"), [([8, 9], None), ([9, 9], 0), ([10, 3], 0), ([3, 10], 1)]
)
def test_the_winner_is_the_side_at_or_past_the_target(
    initial: list[int], winner: int | None
) -> None:
    sheet = score_json(game(deal(), initialScore=initial))
    assert sheet["score"] == [initial[0] + 1, initial[1]]
    assert sheet["winner"] == winner


def test_the_side_that_was_there_first_stays_the_winner() -> None:
    # North and South reach 10; then West makes trump with the dealer North, and is euchred not.
    records = game(deal(), deal(["Order"], dealer=1), initialScore=[9, 9])
    sheet = score_json(records)
    assert sheet["winner"] == 0


def test_a_deal_that_cannot_be_counted_adds_nothing_and_hides_no_winner() -> None:
    unknown = copy.deepcopy(TRICKS)
    unknown[3][2] = ""
    sheet = score_json(game(deal(tricks=unknown), deal(), initialScore=[9, 0]))
    assert sheet["deals"][0]["points"] is None
    assert sheet["score"] == [10, 0]
    assert sheet["winner"] == 0


def test_unknown_cards_cost_no_points_where_they_cannot_change_them() -> None:
    # North and South, the makers, have their three tricks and East has one: one point, whoever
    # took the last.
    tricks = [
        ["Jh", "Qh", "Th", "9h"],  # North
        ["Ah", "9d", "Kc", "Qd"],  # North
        ["Kh", "Td", "As", "Qs"],  # North
        ["Qc", "Ac", "Js", "Tc"],  # East
        ["Ks", "Kd", "", "9s"],  # led by East; South may have trumped it
    ]
    sheet = score_json(game(deal(tricks=tricks)))
    assert sheet["deals"][0]["winners"] == [0, 0, 0, 1, None]
    assert sheet["deals"][0]["points"] == [1, 0]
    assert sheet["score"] == [1, 0]


def test_a_deal_that_is_not_over_has_no_points_yet() -> None:
    three = [["Jh", "Qh", "Th", "9h"], ["Ah", "9d", "Kc", "Qd"], ["Kh", "Td", "As", "Qs"]]
    sheet = score_json(game(deal(dealer=2, tricks=three)))  # East's trump, three tricks lost
    assert sheet["deals"][0]["tricks"][1] == 3
    assert sheet["deals"][0]["points"] is None


def test_a_score_adjustment_counts_where_it_was_made() -> None:
    records = again(game(deal()), facts.ScoreAdjusted(points=(-1, 2), reason="late"))
    assert score_json(records)["score"] == [0, 2]
    assert score_json(records, rulings="automatic")["score"] == [1, 2]


def test_a_game_of_a_fixed_number_of_deals_is_won_by_the_side_ahead() -> None:
    told = deal()
    out = deal(["Pass"] * 8, dealer=0, tricks=None)
    two = {"ruleset": {"num_deals": 2}}
    assert score_json(game(told, out, **two))["winner"] is None  # passed out: not counted
    assert score_json(game(told, out, deal(), **two))["winner"] == 0


def test_a_game_without_a_deal_has_a_score_of_nothing() -> None:
    assert score_json(game()) == {"score": [0, 0], "winner": None, "deals": []}
