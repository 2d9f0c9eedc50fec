"""Euchre Game Notation read: real games, every unknown, and whatever is wrong with a file."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import facts
from engine.notation.egn import read_egn, read_egn_file, write_egn
from engine.ruleset import BadRuleset, ruleset_from
from engine.score import score_json
from engine.state import State, fold

# Dealer West, North orders up the nine of hearts and leads. Played by hand:
# North takes two tricks, East, South and West one each: one point to North and South.
TRICKS = [
    ["Jh", "Qh", "Th", "9h"],
    ["Ah", "9d", "Tc", "9c"],
    ["Kc", "Ac", "Js", "Qs"],
    ["Ks", "As", "Qd", "9s"],
    ["Kd", "Ad", "Td", "Jc"],
]
WINNERS = [0, 0, 1, 2, 3]


def deal(**changes: Any) -> dict[str, Any]:
    """The deal above; ``dealer``, ``upCard``, ``calls``, ``isAlone``, ``tricks`` ... changed."""
    before = {"dealer": 3, "upCard": "9h"}
    bidding = {"phaseNumber": 0, "type": "EUCHRE_BIDDING", "calls": ["Order"], "isAlone": False}
    play: dict[str, Any] = {"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": TRICKS}
    for key, value in changes.items():
        part = before if key in ("dealer", "upCard", "kitty", "playerCards") else bidding
        part = play if key in ("tricks", "initialLead") else part
        part[key] = value
    return copy.deepcopy({"dealNumber": 0, "initialState": before, "phases": [bidding, play]})


def file(*deals: Any, **metadata: Any) -> dict[str, Any]:
    told = {"players": ["Ann", "Bob", "Cy", "Di"], "initialScore": [0, 0], **metadata}
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": told,
        "deals": list(deals),
    }


def sound(value: Any) -> State:
    """The state of a file that must have no fault."""
    imported = read_egn(json.dumps(value))
    assert [str(fault) for fault in imported.faults] == []
    (game,) = imported.games
    return fold(game.records())


def passed_out() -> dict[str, Any]:
    told = deal(calls=["Pass"] * 8)
    del told["phases"][1]
    return told


@pytest.mark.parametrize("number", ["00", "02", "04", "06", "08", "10", "12", "14", "16"])
def test_real_games_score_as_the_independent_scorer_says(shared: Path, number: str) -> None:
    imported = read_egn_file(shared / "data" / "egn" / f"real_{number}.egn")
    told = json.loads((shared / "data" / "egn" / f"real_{number}.expected.json").read_text())
    assert imported.faults == ()
    sheet = score_json(imported.games[0].records())
    assert sheet["score"] == told["score"]
    assert len(sheet["deals"]) == len(told["deals"])
    for ours, theirs in zip(sheet["deals"], told["deals"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs
        assert set(theirs) == {"points", "tricks", "maker", "trump", "alone", "winners"}


def test_the_cards_go_to_the_seats_by_who_leads_and_who_wins() -> None:
    state = sound(file(deal()))
    (played,) = state.deals
    assert played.winners == tuple(WINNERS)
    assert played.points == (1, 0)
    assert (played.maker, played.trump, played.dealer) == (0, "h", 3)
    assert [p.seat for p in played.tricks[3].plays] == [1, 2, 3, 0]
    assert state.findings == ()
    assert state.names == ("Ann", "Bob", "Cy", "Di")


def test_a_game_that_is_scored_on_from_another_starts_with_that_score() -> None:
    assert sound(file(deal(), initialScore=[3, 9])).score == (4, 9)


def test_a_passed_out_deal_scores_nobody_and_has_no_maker() -> None:
    state = sound(file(passed_out(), deal()))
    assert state.deals[0].thrown_in == "passed_out"
    assert state.deals[0].points == (0, 0)
    assert state.deals[0].maker is None
    assert state.deals[1].points == (1, 0)


def test_a_suit_named_in_the_second_round_turns_the_upcard_down() -> None:
    state = sound(file(deal(upCard="Qc", calls=["Pass"] * 4 + ["h"])))
    (played,) = state.deals
    assert (played.maker, played.trump, played.upcard_state) == (0, "h", "turned_down")
    assert played.points == (1, 0)


def test_the_seat_of_a_call_counts_from_the_dealers_left() -> None:
    for passes in range(4):
        (played,) = sound(file(deal(dealer=1, calls=["Pass"] * passes + ["Order"]))).deals
        assert played.maker == (2 + passes) % 4
        calls = [r.fact for r in sound(file(deal())).records if isinstance(r.fact, facts.Called)]
        assert calls == [facts.Called(seat=0, call="order_up")]


def lone_east() -> dict[str, Any]:
    """East alone in hearts against dealer North; its partner West sits out."""
    tricks = [
        ["Jh", "9s", "Qh"],
        ["Ah", "Ts", "Th"],
        ["Ac", "Tc", "Kc"],
        ["Kh", "Qs", "Qc"],
        ["As", "Ks", "Js"],
    ]
    return deal(dealer=0, upCard="9c", calls=["Pass"] * 4 + ["h"], isAlone=True, tricks=tricks)


def test_a_lone_hands_partner_is_passed_over() -> None:
    # The dealer's left is East itself, so East leads: S follows, then North.
    state = sound(file(lone_east()))
    (played,) = state.deals
    assert played.alone == (1,)
    assert played.sits_out == (3,)
    assert [p.seat for p in played.tricks[0].plays] == [1, 2, 0]
    assert played.winners == (1, 1, 1, 1, 1)
    assert played.points == (0, 4)


def test_the_lead_against_a_lone_hand_follows_the_files_rule() -> None:
    # West alone, dealer West: the dealer's left is North, the lone hand's left is North too;
    # with dealer South the two differ: West itself, or North.
    told = deal(dealer=2, upCard="9c", calls=["Pass"] * 4 + ["h"], isAlone=True)
    told["phases"][1]["tricks"] = [trick[:3] for trick in TRICKS]
    by_dealer = sound(file(told, ruleset={"loner_lead": "LEFT_OF_DEALER"})).deals[0]
    by_lone = sound(file(told, ruleset={"loner_lead": "LEFT_OF_LONER"})).deals[0]
    unsaid = sound(file(told)).deals[0]
    assert by_dealer.alone == by_lone.alone == (3,)
    assert by_dealer.tricks[0].leader == 3
    assert by_lone.tricks[0].leader == 0
    assert unsaid.tricks[0].leader == 3  # EGN's own default


def test_a_lead_that_the_file_names_is_believed() -> None:
    # As EGN 1.0 has it. The first card is South's then, and South wins with the right bower.
    (played,) = sound(file(deal(initialLead=2))).deals
    assert played.tricks[0].leader == 2
    assert played.winners[0] == 2
    assert "lead_out_of_turn" in [finding.kind for finding in played.findings]


def test_a_blank_where_the_partner_sits_out_is_no_card() -> None:
    told = lone_east()
    tricks = told["phases"][1]["tricks"]
    told["phases"][1]["tricks"] = [[a, b, "", c] for a, b, c in tricks]
    assert sound(file(told)).deals[0].points == (0, 4)


def test_a_defender_alone_sits_the_partner_out_too() -> None:
    told = lone_east()
    told["phases"][0]["aloneDefender"] = 2
    told["phases"][1]["tricks"] = [[a, b] for a, b, _ in told["phases"][1]["tricks"]]
    (played,) = sound(file(told, ruleset={"defend_alone": True})).deals
    assert played.alone == (1, 2)
    assert played.sits_out == (0, 3)
    assert played.points == (0, 4)


@pytest.mark.parametrize("unknown", ["", None, "Xx", "XX", "Xd", "Qx", "Xt"])
def test_an_unknown_card_is_no_fault_and_the_deal_has_no_guessed_points(unknown: Any) -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[3][2] = unknown  # West's card under the king of spades: it may be a trump
    state = sound(file(deal(tricks=tricks), deal(dealer=0)))
    unsure, sure = state.deals
    assert unsure.winners == (0, 0, 1, None, None)
    assert unsure.points is None
    assert sure.points is not None
    sheet = score_json(state.records)
    assert sheet["deals"][0]["points"] is None
    assert sheet["score"] == list(sure.points)


def test_after_a_trick_that_nobody_can_give_away_the_seats_are_not_known() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[3][2] = ""
    state = sound(file(deal(tricks=tricks)))
    assert [p.seat for p in state.deals[0].tricks[4].plays] == [None] * 4
    raised = [r.fact for r in state.records if isinstance(r.fact, facts.ReviewRaised)]
    assert [r.candidates for r in raised if r.reason == "seat"] == [
        ((card, 1.0),) for card in TRICKS[4]
    ]


def test_an_unknown_card_that_cannot_win_leaves_the_seats_known() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[0][2] = ""  # under the right bower
    (played,) = sound(file(deal(tricks=tricks))).deals
    assert played.tricks[1].leader == 0
    assert [p.seat for p in played.tricks[4].plays] == [2, 3, 0, 1]


def test_unknown_tricks_at_the_end_are_no_fault() -> None:
    for rest in ([[], []], [["", "", "", ""], []], [[""], ["Xx"]]):
        told = deal(tricks=[*TRICKS[:3], *rest])
        state = sound(file(told))
        assert state.deals[0].winners == (0, 0, 1)
        assert state.deals[0].points is None


@pytest.mark.parametrize("unknown", ["", None, "Xx"])
def test_an_unknown_upcard_leaves_a_suit_named_in_the_second_round_known(unknown: Any) -> None:
    (played,) = sound(file(deal(upCard=unknown, calls=["Pass"] * 4 + ["h"]))).deals
    assert (played.maker, played.trump) == (0, "h")
    assert played.points == (1, 0)


def test_an_upcard_of_known_suit_and_unknown_rank_makes_trump() -> None:
    (played,) = sound(file(deal(upCard="Xh"))).deals
    assert (played.maker, played.trump) == (0, "h")
    assert played.points == (1, 0)


def test_without_calls_nothing_is_counted_but_all_cards_are_kept() -> None:
    (played,) = sound(file(deal(calls=[]))).deals
    assert played.phase == "undeclared"
    assert played.points is None


def test_other_spellings_of_cards_and_calls_are_read() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[0] = ["R", "QH", "10h", "Nh"]
    tricks[1][0] = "A♥"
    told = deal(upCard="9♥", calls=["o"], tricks=tricks)
    (played,) = sound(file(told)).deals
    assert [p.card for p in played.tricks[0].plays] == ["Jh", "Qh", "Th", "9h"]
    assert played.points == (1, 0)


def test_version_1_0_is_read_with_its_own_spellings() -> None:
    told = deal(initialLead=0)
    told["initialState"]["player_cards"] = [[], [], ["Th", "Tc", "As", "Kd", "Js"], []]
    told["initialState"]["kitty"] = ["", "", ""]
    value = file(told, ruleset={"std": True, "canadian": False, "loner_lead": "LEFT_OF_DEALER"})
    value["version"] = "1.0.0"
    assert sound(value).deals[0].points == (1, 0)


def test_a_list_of_games_is_read_game_by_game() -> None:
    imported = read_egn(json.dumps([file(deal()), file(passed_out(), title="second")]))
    assert imported.faults == ()
    assert [game.title for game in imported.games] == ["", "second"]


@pytest.mark.parametrize(
    ("ruleset", "option", "value"),
    [
        ({"std": True}, "pass_out", "stick_dealer"),
        ({"std": False}, "pass_out", "pass_deal"),
        ({}, "pass_out", "stick_dealer"),
        ({"canadian": True}, "partner_order_must_be_alone", True),
        ({"loner_lead": "LEFT_OF_LONER"}, "lone_lead", "left_of_lone"),
        ({"lonerLead": "LEFT_OF_LONER"}, "lone_lead", "left_of_lone"),
        ({}, "lone_lead", "left_of_dealer"),
        ({"winning_score": 11}, "target", 11),
        ({}, "target", 10),
        ({"num_deals": 8}, "deals", 8),
        ({"winning_score": 0, "num_deals": 8}, "deals", 8),
        ({"min_rank": 7}, "pack", 32),
        ({"loner_euchred_score": 4}, "lone_euchre", 4),
        ({"allow_no_trump": True}, "no_trump", "round2"),
        ({"defend_alone": True}, "defend_alone", "vs_lone"),
        ({"joker": False, "num_players": 4, "farmers": False}, "jokers", 0),
        ({"joker": True}, "jokers", 1),
        ({"partners_best": True}, "lone_exchange", "best_then_discard"),
    ],
)
def test_the_files_rules_override_ours(ruleset: Any, option: str, value: Any) -> None:
    ours = {"preset": "tournament", "target": 5, "revoke_points": 3, "lone_lead": "left_of_lone"}
    imported = read_egn(json.dumps(file(deal(), ruleset=ruleset)), rules=ours)
    assert imported.faults == ()
    started = imported.games[0].entries[0].fact
    assert isinstance(started, facts.GameStarted)
    rules = ruleset_from(started.rules)
    assert getattr(rules, option) == value
    assert rules.revoke_points == 3  # EGN says nothing of it: ours stands


@pytest.mark.parametrize("preset", ["buck3", "two_hand", "call_ace_5", "call_ace_6"])
def test_a_game_that_egn_does_not_know_is_not_read_into_its_file(preset: str) -> None:
    imported = read_egn(json.dumps(file(deal())), rules=preset)
    (fault,) = imported.faults
    assert (fault.where, fault.value) == ("ruleset", repr(preset))
    assert "EGN is of the four-handed game" in str(fault)
    (game,) = imported.games
    state = fold(game.records())
    assert (state.ruleset.game, state.score) == ("partnership", (1, 0))


def test_a_benny_of_ours_is_kept_only_where_the_files_pack_has_a_joker() -> None:
    ours = {"preset": "british", "benny_face": "2s"}
    for joker, face in ((True, "2s"), (False, "joker")):
        imported = read_egn(json.dumps(file(deal(), ruleset={"joker": joker})), rules=ours)
        assert imported.faults == ()
        assert fold(imported.games[0].records()).ruleset.benny_face == face


def test_hands_of_ours_that_the_files_pack_cannot_deal_are_a_fault() -> None:
    ours = {"preset": "thirty_two", "hand_size": 7}
    imported = read_egn(json.dumps(file(deal())), rules=ours)
    (fault,) = imported.faults
    assert "need 29 cards, the pack has 24" in str(fault)
    assert fold(imported.games[0].records()).ruleset.hand_size == 5


@pytest.mark.parametrize(
    "given",
    [{"winning_score": 0}, {"num_deals": 0}, {"winning_score": 0, "num_deals": 0}],
    ids=["no-target", "no-number-of-deals", "neither"],
)
def test_a_nought_says_that_a_game_has_no_such_end(given: dict[str, int]) -> None:
    rules = sound(file(deal(), ruleset=given)).ruleset
    assert (rules.target, rules.deals) == (10, None)


def test_rules_of_ours_that_cannot_be_played_are_our_mistake_and_not_the_files() -> None:
    with pytest.raises(BadRuleset):
        read_egn(json.dumps(file(deal())), rules={"target": -1})


# --- faults --------------------------------------------------------------------------------


def at(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change of the file at ``path``; REMOVED takes the key away."""

    def change(target: dict[str, Any]) -> None:
        inner: Any = target
        for step in path[:-1]:
            inner = inner[step]
        if value is REMOVED:
            del inner[path[-1]]
        else:
            inner[path[-1]] = value

    return change


REMOVED = object()
DEAL = ("deals", 1)
BIDDING = (*DEAL, "phases", 0)
PLAY = (*DEAL, "phases", 1)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (at(*PLAY, "tricks", 1, 2, value="Zz"), ["deal 2", "trick 2", "card 3", "'Zz'"]),
        (at(*PLAY, "tricks", 1, 2, value="5h"), ["deal 2", "trick 2", "card 3", "'5h'"]),
        (at(*PLAY, "tricks", 1, 2, value=7), ["deal 2", "trick 2", "card 3", "7"]),
        (at(*PLAY, "tricks", 1, 2, value=["Ah"]), ["deal 2", "trick 2", "card 3", "['Ah']"]),
        (at(*PLAY, "tricks", 1, 2, value="8h"), ["card 3", "'8h'", "not in the pack of 24"]),
        (at(*PLAY, "tricks", 1, 2, value="Jh"), ["card 3", "'Jh'", "played in trick 1"]),
        (at(*PLAY, "tricks", 1, value="Ah"), ["deal 2", "trick 2", "'Ah'", "list of cards"]),
        (at(*PLAY, "tricks", 1, value=["Ah", "9d", "Tc"]), ["deal 2", "trick 2", "3 cards of 4"]),
        (at(*PLAY, "tricks", 1, value=[*TRICKS[1], "Td"]), ["deal 2", "trick 2", "4 hands play"]),
        (at(*PLAY, "tricks", value=[*TRICKS, ["Ts"]]), ["deal 2", "trick 6", "5 cards"]),
        (at(*PLAY, "tricks", value={}), ["deal 2", "tricks", "{}"]),
        (at(*PLAY, "tricks", value=TRICKS[:3]), ["deal 2", "3 tricks of 5"]),
        (at(*PLAY, "tricks", value=[]), ["deal 2", "no trick is written"]),
        (at(*PLAY, "type", value="TRICKS"), ["deal 2", "phases 2", "TRICK_PLAY"]),
        (at(*PLAY, "initialLead", value=4), ["deal 2", "initialLead", "4"]),
        (at(*BIDDING, "calls", 0, value="Maybe"), ["deal 2", "calls 1", "'Maybe'"]),
        (at(*BIDDING, "calls", 0, value=1), ["deal 2", "calls 1", "1"]),
        (at(*BIDDING, "calls", value="Order"), ["deal 2", "calls", "'Order'"]),
        (at(*BIDDING, "calls", value=["Pass"] * 5 + ["Order"]), ["deal 2", "calls 6", "second"]),
        (at(*BIDDING, "calls", value=["s"]), ["deal 2", "calls 1", "'s'", "first round"]),
        (at(*BIDDING, "calls", value=["Pass"] * 4 + ["h"]), ["calls 5", "'h'", "turned down"]),
        (at(*BIDDING, "calls", value=["Order", "h"]), ["calls 2", "'h'", "after trump was made"]),
        (at(*BIDDING, "calls", value=["Pass"] * 9), ["calls 9", "ninth"]),
        (at(*BIDDING, "calls", value=["Pass"] * 8), ["deal 2", "yet cards are played"]),
        (at(*BIDDING, "isAlone", value="yes"), ["deal 2", "isAlone", "'yes'"]),
        (at(*BIDDING, "discard", value="Q"), ["deal 2", "discard", "'Q'"]),
        (at(*BIDDING, "discard", value="Jh"), ["deal 2", "trick 1", "'Jh'", "discarded already"]),
        (at(*BIDDING, "aloneDefender", value=0), ["deal 2", "aloneDefender", "0"]),
        (at(*DEAL, "initialState", "dealer", value=4), ["deal 2", "dealer", "4"]),
        (at(*DEAL, "initialState", "dealer", value="North"), ["deal 2", "dealer", "'North'"]),
        (at(*DEAL, "initialState", "dealer", value=True), ["deal 2", "dealer", "True"]),
        (at(*DEAL, "initialState", "dealer", value=REMOVED), ["deal 2", "dealer", "None"]),
        (at(*DEAL, "initialState", "upCard", value="1h"), ["deal 2", "upCard", "'1h'"]),
        (at(*DEAL, "initialState", "upCard", value="7h"), ["deal 2", "upCard", "not in the pack"]),
        (at(*DEAL, "initialState", "kitty", value=["?"]), ["deal 2", "kitty 1", "'?'"]),
        (at(*DEAL, "initialState", value=None), ["deal 2", "initialState"]),
        (at(*DEAL, "phases", value={}), ["deal 2", "phases", "{}"]),
        (at(*DEAL, "phases", 1, value="play"), ["deal 2", "phases 2", "'play'"]),
        (at(*DEAL, value=[]), ["deal 2", "deals", "[]"]),
        (at(*DEAL, value="AbC+/="), ["deal 2", "condensed"]),
        (at("metadata", value=[]), ["metadata", "[]"]),
        (at("metadata", value=REMOVED), ["metadata", "None"]),
        (at("metadata", "players", value="Ann"), ["players", "'Ann'"]),
        (at("metadata", "players", value=["Ann"]), ["players", "1 names for 4 seats"]),
        (at("metadata", "players", 2, value=3), ["players 3", "3"]),
        (at("metadata", "initialScore", value=[1]), ["initialScore", "[1]"]),
        (at("metadata", "initialScore", value=[1, "2"]), ["initialScore", "[1, '2']"]),
        (at("metadata", "initialScore", value=[10**400, 0]), ["initialScore"]),
        (at("metadata", "date", value="yesterday"), ["date", "'yesterday'"]),
        (at("metadata", "date", value=5), ["date", "5"]),
        (at("metadata", "ruleset", value=[]), ["ruleset", "[]"]),
        (at("metadata", "ruleset", value={"farmers": True}), ["ruleset.farmers", "not played"]),
        (at("metadata", "ruleset", value={"joker": 1}), ["ruleset.joker", "no such option"]),
        (at("metadata", "ruleset", value={"std": "yes"}), ["ruleset.std", "'yes'"]),
        (at("metadata", "ruleset", value={"winning_score": 10**40}), ["ruleset.winning_score"]),
        (at("metadata", "ruleset", value={"loner_lead": "LEFT"}), ["ruleset.loner_lead", "LEFT"]),
        (at("metadata", "ruleset", value={"jokers": 1}), ["ruleset.jokers", "no such option"]),
        (at("fileType", value="Euchre Match Notation"), ["fileType", "Euchre Match Notation"]),
        (at("version", value="2.0"), ["version", "'2.0'"]),
        (at("version", value=1.4), ["version", "1.4"]),
    ],
)
def test_a_fault_is_named_with_its_place_and_the_rest_is_kept(
    change: Callable[[dict[str, Any]], None], named: list[str]
) -> None:
    value = file(deal(), deal(), deal())
    change(value)
    imported = read_egn(json.dumps(value))
    told = [str(fault) for fault in imported.faults]
    assert any(all(word in line for word in named) for line in told), told
    (game,) = imported.games
    sheet = score_json(game.records())
    assert sheet["deals"][0]["points"] == [1, 0]
    assert sheet["deals"][-1]["points"] == [1, 0]


def test_every_fault_of_a_file_is_reported_at_once() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[0][1], tricks[2][3], tricks[4][0] = "Zz", "5c", "Kd"
    value = file(deal(tricks=tricks, calls=["Order", "what"]), deal(dealer=9), initialScore="x")
    places = [(f.deal, f.trick, f.index, f.where) for f in read_egn(json.dumps(value)).faults]
    assert set(places) == {
        (1, 1, 2, "card"),
        (1, 3, 4, "card"),
        (1, None, 2, "calls"),
        (2, None, None, "dealer"),
        (None, None, None, "initialScore"),
    }


def test_a_bad_card_becomes_an_unknown_one() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[4][3] = "Zz"
    imported = read_egn(json.dumps(file(deal(tricks=tricks))))
    (played,) = fold(imported.games[0].records()).deals
    assert played.winners == (0, 0, 1, 2, None)
    assert [p.card for p in played.tricks[4].plays] == ["Kd", "Ad", "Td", None]


def test_a_card_played_twice_is_kept_as_a_finding_too() -> None:
    tricks = copy.deepcopy(TRICKS)
    tricks[4][3] = "Jh"
    imported = read_egn(json.dumps(file(deal(tricks=tricks))))
    (played,) = fold(imported.games[0].records()).deals
    assert len(imported.faults) == 1
    assert "duplicate_card" in [finding.kind for finding in played.findings]


def test_a_deal_without_a_dealer_is_the_next_seats_by_turn() -> None:
    imported = read_egn(json.dumps(file(deal(), deal(dealer=None, upCard="9h"))))
    first, second = fold(imported.games[0].records()).deals
    assert (first.dealer, second.dealer) == (3, 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        b"",
        b"\x00\x00",
        b"\xff\xfe",
        "not json",
        "{",
        '{"fileType": "Euchre Game Notation"',
        "null",
        "5",
        '"Euchre"',
        "[]",
        "{}",
        "NaN",
        "[" * 100_000,
        '{"deals":' + "[" * 100_000,
        '{"deals": 3}',
        '{"deals": []' + ', "x": ' + "9" * 5000 + "}",
    ],
)
def test_text_that_is_no_game_is_a_fault_and_not_an_exception(text: str | bytes) -> None:
    imported = read_egn(text)
    assert imported.faults
    for fault in imported.faults:
        assert str(fault)
        assert len(str(fault)) < 400


def test_a_file_that_is_not_there_is_a_fault_with_its_name(tmp_path: Path) -> None:
    for path in (tmp_path / "none.egn", tmp_path):
        imported = read_egn_file(path)
        assert imported.games == ()
        (fault,) = imported.faults
        assert str(path) in str(fault)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "bom.egn"
    path.write_text(json.dumps(file(deal())), encoding="utf-8-sig")
    assert read_egn_file(path).faults == ()


def test_a_game_cut_off_anywhere_is_read_or_refused_but_never_stumbled_over() -> None:
    text = json.dumps(file(deal(), lone_east()))
    for length in range(0, len(text), 7):
        assert read_egn(text[:length]).faults


JUNK = st.sampled_from(
    [
        *("", "Xx", "Zz", "Ah", "Jh", "9c", "B", "L", "R", "Pass", "Order", "h", "n", "x"),
        *(None, True, False, -1, 0, 1, 3, 4, 10**30, 1.5),
        *([], {}, [[]], ["Ah", "Ah"], {"dealer": 0}, "\ud83c"),
    ]
)


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, item in value.items():
            found.extend(spots(item, (*path, key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found.extend(spots(item, (*path, index)))
    return found


WHOLE = file(
    deal(),
    lone_east(),
    passed_out(),
    ruleset={"std": False, "loner_lead": "LEFT_OF_LONER", "defend_alone": True},
    date="2026-05-30T03:51",
)
SPOTS = spots(WHOLE)


@settings(max_examples=200, deadline=None, database=None)
@given(st.lists(st.tuples(st.sampled_from(SPOTS), JUNK), min_size=1, max_size=4))
def test_no_change_of_a_file_makes_reading_scoring_or_writing_stumble(changes: Any) -> None:
    value = copy.deepcopy(WHOLE)
    for path, junk in changes:
        try:
            at(*path, value=copy.deepcopy(junk))(value)
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took that place away
    imported = read_egn(json.dumps(value))
    for game in imported.games:
        records = game.records()
        sheet = score_json(records, rulings="automatic")
        assert len(sheet["deals"]) <= 3
        again = read_egn(write_egn(records).text)
        assert len(again.games) == 1
