"""Corners of files and of the log: what seldom stands in one, and must be told all the same."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from record_scenes import NAMES, game, recorded

from engine import facts as f
from engine.cards import BadCard, Card, parse_card
from engine.codec import (
    BadFact,
    BadSighting,
    command_from,
    fact_from_json,
    shown,
    sighting_from_json,
    sighting_to_json,
)
from engine.commands import (
    AnswerReview,
    Correct,
    Insert,
    Move,
    PauseGame,
    PlayCard,
    Rejected,
    StartGame,
    StrikeDeal,
)
from engine.decide import decide
from engine.memory_log import MemoryLog
from engine.notation import egn_reading, jsonl
from engine.notation.egn import read_egn, write_egn
from engine.notation.emn import read_emn, write_emn
from engine.notation.excerpt import deal_records
from engine.notation.files import is_ours, read_game
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.notation.schema import as_text
from engine.replay import Cursor
from engine.ruleset import in_words, ruleset_from
from engine.score import score_json
from engine.sheet import UnknownDeal, deal_lines, game_lines
from engine.state import fold
from engine.table import Table
from engine.view import deal_view, snapshot
from engine.wording import fact_text, result_words

PLAY = f.CardPlayed(seat=0, card=Card("9h"))
UP = f.UpcardShown(card=Card("9h"), dealer=0)


def begun(*told: f.Fact, **rules: Any) -> tuple[f.Recorded, ...]:
    start = f.GameStarted(rules={"preset": "home", **rules}, names=NAMES, dealer=0)
    return recorded([start, *told])


# --- our own notation -------------------------------------------------------------------------


def faults(text: str | bytes) -> str:
    imported = read_jsonl(text)
    assert imported.games == ()
    return "; ".join(map(str, imported.faults))


def test_a_file_that_is_too_long_is_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    text = write_jsonl(begun())
    monkeypatch.setattr(jsonl, "LONGEST_FILE", len(text) - 1)
    assert f"longer than {len(text) - 1} bytes" in faults(text)
    monkeypatch.setattr(egn_reading, "LONGEST_FILE", 10)
    (fault,) = read_egn("[" + " " * 20 + "]").faults
    assert "longer than 10" in str(fault)


def test_facts_that_start_no_game_are_left_out() -> None:
    assert "its first fact does not start a game" in faults(write_jsonl(recorded([PLAY])))


@pytest.mark.parametrize(
    "changes",
    [
        (
            f.GameStarted(
                rules={"preset": "buck3"}, names=NAMES[:3], dealer=0, initial_score=(15,) * 3
            ),
        ),
        (f.ScoreAdjusted(points=(1, 2, 3), reason="x"),),
        (f.Inserted(before=2, fact=f.ScoreAdjusted(points=(1, 2, 3), reason="x"), reason="x"),),
        (
            f.Amended(
                changes=(
                    f.Corrected(
                        target=2,
                        replacement=f.ScoreAdjusted(points=(1, 2, 3), reason="x"),
                        reason="x",
                    ),
                ),
                reason="x",
            ),
        ),
    ],
    ids=["another-game", "another-number-of-scores", "inserted", "amended"],
)
def test_a_game_that_turns_into_another_on_the_way_is_left_out(changes: tuple[f.Fact, ...]) -> None:
    assert "left out" in faults(write_jsonl(begun(UP, *changes)))


def test_the_schema_is_written_by_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    sys.modules.pop("engine.notation.schema")
    runpy.run_module("engine.notation.schema", run_name="__main__")
    assert capsys.readouterr().out == as_text()


# --- EGN and EMN --------------------------------------------------------------------------------


def egn(calls: list[str], first: list[str], **more: Any) -> dict[str, Any]:
    bidding = {"type": "EUCHRE_BIDDING", "calls": calls, **more}
    play = {"type": "TRICK_PLAY", "tricks": [first], **more}
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {},
        "deals": [{"initialState": {"dealer": 3, "upCard": "9h"}, "phases": [bidding, play]}],
    }


FIRST = ["Jh", "Qh", "Th", "9h"]


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        (egn([], FIRST, isAlone=True), "nobody made trump, so nobody is alone"),
        (egn(["Pass"] * 4 + ["c"], FIRST, discard="Qd"), "nobody ordered the up-card"),
        (egn(["Order"], FIRST[:3], isAlone=True, initialLead=2), "that seat sits out"),
    ],
    ids=["alone-without-a-maker", "discard-without-an-order", "led-by-who-sits-out"],
)
def test_what_contradicts_itself_in_a_deal_is_a_fault(file: dict[str, Any], fault: str) -> None:
    imported = read_egn(json.dumps(file))
    assert any(fault in str(found) for found in imported.faults), imported.faults
    assert len(imported.games) == 1


def test_a_kitty_that_is_no_list_is_a_fault() -> None:
    file = egn(["Order"], FIRST)
    file["deals"][0]["initialState"]["kitty"] = "9c"
    assert any("kitty" in str(fault) for fault in read_egn(json.dumps(file)).faults)


def test_a_pass_after_trump_was_made_says_nothing() -> None:
    more = read_egn(json.dumps(egn(["Order", "Pass"], FIRST)))
    less = read_egn(json.dumps(egn(["Order"], FIRST)))
    assert more.faults == less.faults
    assert more.games[0].entries == less.games[0].entries


def test_a_bower_is_no_known_card_while_nobody_made_trump() -> None:
    (game_read,) = read_egn(json.dumps(egn([], ["R", "Qh", "Th", "9h"]))).games
    played = [p.card for t in fold(game_read.records()).deals[0].tricks for p in t.plays]
    assert played[0] is None


def test_a_game_of_deals_and_a_joker_and_its_long_title_come_back_from_egn() -> None:
    start = f.GameStarted(
        rules={"preset": "home", "deals": 8, "jokers": 1, "lone_exchange": "best_then_discard"},
        names=NAMES,
        dealer=0,
        title="x" * 400,
    )
    written = write_egn(recorded([start, UP]))
    assert any("the title beyond" in loss for loss in written.losses)
    assert written.text is not None
    rules = fold(read_egn(written.text).games[0].records()).ruleset
    assert (rules.deals, rules.jokers, rules.lone_exchange) == (8, 1, "best_then_discard")


def test_a_draw_is_named_as_lost_in_egn() -> None:
    drawn = (f.DrawBegun(), f.CardDrawn(seat=1, card=Card("Jc")), UP)
    assert "the draw for the first dealer" in write_egn(begun(*drawn)).losses


MATCH = {"fileType": "Euchre Match Notation", "version": "1.2"}


def test_players_of_a_match_without_a_name_are_a_fault() -> None:
    metadata = {"players": [{"id": 5, "name": "Ann"}, "Bob", {"id": "p", "name": "Cy"}]}
    text = json.dumps({**MATCH, "metadata": metadata, "games": [egn(["Order"], FIRST)]})
    told = [str(fault) for fault in read_emn(text).faults]
    assert sum("should have an id and a name" in fault for fault in told) == 2


def test_a_match_that_gives_no_seats_leaves_the_games_names() -> None:
    file = egn(["Order"], FIRST)
    file["metadata"] = {"players": list(NAMES)}
    text = json.dumps({**MATCH, "metadata": {"players": []}, "games": [{"gameData": file}]})
    for imported in (read_emn(text), read_game(text.encode())):
        assert [fold(g.records()).names for g in imported.games] == [NAMES]


def test_a_match_of_another_type_is_a_fault() -> None:
    text = json.dumps({**MATCH, "fileType": "x", "metadata": {}, "games": []})
    assert any("fileType" in str(fault) for fault in read_emn(text).faults)


def test_a_game_that_no_match_can_hold_is_named_as_lost() -> None:
    buck = f.GameStarted(
        rules={"preset": "buck3"}, names=NAMES[:3], dealer=0, initial_score=(15, 15, 15)
    )
    written = write_emn([recorded([buck]), begun(UP)])
    assert any(loss.startswith("game 1: the game itself") for loss in written.losses)


# --- sheets, excerpts, replay -------------------------------------------------------------------


def test_a_game_without_a_deal_has_no_diagram() -> None:
    with pytest.raises(UnknownDeal, match="the game has no deal yet"):
        list(deal_lines(begun()))


def test_a_score_sheet_says_what_is_open_and_how_long_the_game_is() -> None:
    asked = f.ReviewRaised(subject="upcard", seat=0, candidates=(), reason="unsure")
    told = "\n".join(game_lines(begun(asked, deals=8)))
    assert "8 deals" in told
    assert "? Deal 1: What is the up-card?" in told


def test_a_deal_alone_keeps_the_dealer_that_was_named() -> None:
    records = begun(UP, f.DealerNamed(dealer=2))
    alone = fold(deal_records(records, 1))
    assert [deal.dealer for deal in alone.deals] == [2]


def test_a_cursor_has_the_records_it_was_given() -> None:
    records = begun(UP)
    assert Cursor(records).records == records


def test_a_deal_is_looked_at_by_its_number() -> None:
    state = fold(begun(UP))
    told = deal_view(state, 1)
    assert told is not None
    assert told["upcard"]["card"] == "9h"
    assert deal_view(state, 2) is None


def test_a_deal_whose_upcard_was_missed_is_asked_for_it() -> None:
    records = begun(f.Called(seat=1, call="pass"))
    ask = snapshot(fold(records), records)["ask"]
    assert (ask["kind"], ask["text"]) == ("upcard", "Which card was turned up?")


# --- values and commands ------------------------------------------------------------------------


def test_a_value_too_deep_to_show_is_shown_by_its_type() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "<list>"
    while deep:  # taken apart: Python would fall too deep by itself
        deep = deep[0]


def test_a_fact_may_only_be_amended_by_corrections() -> None:
    amended = {"kind": "amended", "changes": [{"kind": "trick_cleared"}], "reason": "x"}
    with pytest.raises(BadFact, match=r"changes\[0\].*will not do: write a correction"):
        fact_from_json(amended)


def test_rules_may_leave_a_value_open() -> None:
    told = {"kind": "game_started", "rules": {"deals": None}, "names": list(NAMES), "dealer": None}
    assert fact_from_json(told) == f.GameStarted(rules={"deals": None}, names=NAMES, dealer=None)


def test_a_command_that_is_none_is_malformed() -> None:
    assert isinstance(command_from({"kind": "nope"}), Rejected)
    with pytest.raises(BadCard, match="'Zz' is no card"):
        parse_card("Zz")


def adjusted(*points: int) -> f.ScoreAdjusted:
    return f.ScoreAdjusted(points=points, reason="x")


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (PlayCard(seat=0, card=Card("Zz")), "'Zz' is no card"),
        (AnswerReview(review=3, card=Card("Zz")), "'Zz' is no card"),
        (Insert(before=2, fact=PLAY, reason=" "), "reason is empty: say why it is put in"),
        (Insert(before=99, fact=PLAY, reason="x"), "there is no entry 99"),
        (Insert(before=1, fact=PLAY, reason="x"), "nothing comes before the start of the game"),
        (Insert(before=2, fact=f.GameResumed(), reason="x"), "has no place in a deal"),
        (Move(target=2, before=3, reason=""), "reason is empty: say why it is moved"),
        (Move(target=99, before=2, reason="x"), "there is no entry 99"),
        (Move(target=1, before=2, reason="x"), "entry 1 has no place in a deal"),
        (Move(target=2, before=2, reason="x"), "cannot stand before itself"),
        (Move(target=2, before=99, reason="x"), "there is no entry 99"),
        (StrikeDeal(deal=1, reason=" "), "reason is empty: say why the deal is taken out"),
        (StrikeDeal(deal=9, reason="x"), "there is no deal 9"),
        (
            Correct(
                target=1,
                reason="x",
                replacement=f.GameStarted(rules={"target": 0}, names=NAMES, dealer=0),
            ),
            "target = 0: must be 1 to 100",
        ),
        (
            Correct(
                target=1,
                reason="x",
                replacement=f.GameStarted(rules={}, names=NAMES[:3], dealer=0),
            ),
            "the rules are for 4 players and 3 are named",
        ),
        (
            Insert(before=2, fact=adjusted(1, 2, 3), reason="x"),
            "give 2 whole numbers, one a side",
        ),
        (
            Insert(before=2, fact=f.Called(seat=0, call="name"), reason="x"),
            "a call that names trump needs its suit",
        ),
        (
            Insert(before=2, fact=f.Called(seat=0, call="pass", suit="h"), reason="x"),
            "goes only with name",
        ),
        (
            Insert(before=2, fact=f.Declared(maker=0, trump="h", deal=9), reason="x"),
            "there is no deal 9",
        ),
        (
            Insert(before=2, fact=f.CardPlayed(seat=5, card=Card("9h")), reason="x"),
            "is no seat of this game: give 0 to 3",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_mending_that_cannot_be_is_refused(command: Any, why: str) -> None:
    asked = f.ReviewRaised(subject="play", seat=0, candidates=(), reason="unsure")
    refused = decide(fold(begun(UP, asked)), command)
    assert isinstance(refused, Rejected), refused
    assert why in refused.reason


# --- the table ----------------------------------------------------------------------------------


def test_a_listener_that_is_interrupted_leaves_the_rest_to_be_told() -> None:
    table = Table(MemoryLog(), clock_us=lambda: 1)
    told: list[int] = []

    def interrupted(_: Any) -> None:
        raise KeyboardInterrupt

    stop = table.subscribe(interrupted)
    with pytest.raises(KeyboardInterrupt):
        table.submit(StartGame(dealer=0), source="test")
    stop()
    stop()  # once more does no harm
    table.subscribe(lambda news: told.append(news.version))
    table.submit(PauseGame(), source="test")
    assert told == [2]


def test_a_game_that_comes_from_a_file_twice_is_stored_once() -> None:
    import random

    from engine.table import store

    log = MemoryLog()
    (read,) = read_jsonl(write_jsonl(recorded(game(random.Random(1), deals=1)))).games
    assert store(log, read) == store(log, read)
    assert len(log.games()) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "game_started", "rules": {5: 1}, "names": list(NAMES), "dealer": None},
        {"kind": "game_started", "rules": 5, "names": list(NAMES), "dealer": None},
        {"kind": "review_raised", "subject": "play", "seat": 0, "candidates": [5], "reason": ""},
    ],
    ids=["key-that-is-no-text", "rules-that-are-no-object", "vote-that-is-no-pair"],
)
def test_a_value_that_is_not_what_its_key_holds_is_no_fact(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadFact, match="will not do"):
        fact_from_json(wrong)


def test_a_place_and_a_sighting_are_objects_of_their_kind() -> None:
    seen = {
        "kind": "card_rested",
        "at_us": 1,
        "track": 1,
        "card": "9h",
        "confidence": 1.0,
        "votes": [],
        "place": 5,
        "box": [0, 0, 1, 1],
    }
    with pytest.raises(BadSighting, match="place: 5 will not do"):
        sighting_from_json(seen)
    with pytest.raises(BadSighting, match="is no sighting"):
        sighting_to_json(PLAY)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_none_of_ours(tmp_path: Path) -> None:
    assert not is_ours(tmp_path / "nothing")


def test_a_title_that_is_no_text_is_a_fault() -> None:
    file = egn(["Order"], FIRST)
    file["metadata"]["title"] = 5
    assert any("should be a text" in str(fault) for fault in read_egn(json.dumps(file)).faults)


def test_two_players_of_one_name_are_named_as_lost_in_a_match() -> None:
    start = f.GameStarted(rules={"preset": "home"}, names=("Ann", "Ann", "Cy", "Di"), dealer=0)
    losses = write_emn([recorded([start, UP])]).losses
    assert any("two of its players have the same name" in loss for loss in losses)


def test_a_deal_that_nobody_knows_the_dealer_of_is_asked_about() -> None:
    start = f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=None)
    records = recorded([start, f.UpcardShown(card=Card("9h"), dealer=None)])
    ask = snapshot(fold(records), records)["ask"]
    assert (ask["kind"], ask["text"]) == ("dealer", "Who dealt deal 1?")


@pytest.mark.parametrize(
    ("review", "question"),
    [
        ({"subject": "play", "reason": "seat"}, "Who played this card?"),
        ({"subject": "table", "reason": "unsure", "seat": 1}, "could not be read"),
        ({"subject": "draw", "reason": "unsure", "seat": 1}, "in the draw could not be read"),
        ({"subject": "draw", "reason": "seat"}, "Who drew"),
        ({"subject": "upcard", "reason": "unsure"}, "What is the up-card?"),
    ],
    ids=["play-of-nobody", "table-card", "drawn-card", "drawn-by-nobody", "up-card"],
)
def test_a_question_about_a_card_that_nobody_read_names_none(
    review: dict[str, Any], question: str
) -> None:
    asked = f.ReviewRaised(**{"seat": None, "candidates": (), **review})
    assert question in fact_text(asked, NAMES)


def test_a_score_moved_by_nothing_says_so() -> None:
    assert fact_text(adjusted(0, 0)) == "The score was adjusted: nothing (x)"
    assert result_words("") == ""


def test_other_cards_are_not_touched_by_the_answer_to_a_changed_one() -> None:
    first = f.CardPlayed(seat=1, card=Card("9c"), track=1)
    second = f.CardPlayed(seat=2, card=Card("Tc"), track=2)
    doubt = f.ReviewRaised(subject="play", seat=1, candidates=(), reason="changed", track=1)
    records = begun(UP, first, second, doubt, f.ReviewAnswered(review=5, card=Card("Jc")))
    played = [p.card for t in fold(records).deals[0].tricks for p in t.plays]
    assert played == ["Jc", "Tc"]
    # Its card struck meanwhile, the answer becomes a card of its own.
    gone = begun(
        UP,
        second,
        doubt,
        f.ReviewAnswered(review=4, card=Card("Jc")),
    )
    played = [p.card for t in fold(gone).deals[0].tricks for p in t.plays]
    assert sorted(map(str, played)) == ["Jc", "Tc"]


def test_the_figures_of_what_players_notice_have_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["noticed", "--help"])
    sys.modules.pop("engine.noticed", None)
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("engine.noticed", run_name="__main__")
    assert stopped.value.code == 0
    assert "python -m engine.noticed" in capsys.readouterr().out


@pytest.mark.parametrize("preset", ["two_hand", "call_ace_5"])
def test_what_a_revoke_costs_is_told_in_every_mode(preset: str) -> None:
    told = {
        (mode, ends): tuple(
            in_words(
                ruleset_from({"preset": preset, "revoke_mode": mode, "revoke_ends_hand": ends})
            )
        )
        for mode in ("award", "deduct", "loss_of_trick")
        for ends in (True, False)
    }
    assert len({told["award", True], told["award", False]}) == 2
    assert len({told[mode, True] for mode in ("award", "deduct", "loss_of_trick")}) == 3


def test_a_deal_that_was_thrown_in_has_no_trump_to_ask_for() -> None:
    lines = list(deal_lines(begun(UP)))
    assert "Trump: not known" in lines
    lines = list(deal_lines(begun(UP, f.DealThrownIn(reason="redeal"))))
    assert not any(line.startswith("Trump:") for line in lines)


def test_a_score_sheet_ends_with_who_won() -> None:
    sheet = list(game_lines(begun(UP, adjusted(0, 10))))
    assert sheet[-1] == "Bob and Di win the game, 0–10"


def test_a_call_whose_suit_nobody_wrote_down_names_its_maker_only() -> None:
    imported = read_egn(json.dumps(egn(["Pass"] * 4 + ["x"], FIRST)))
    assert imported.faults == ()
    (deal,) = fold(imported.games[0].records()).deals
    assert (deal.maker, deal.trump) == (0, None)


def test_a_game_is_counted_by_other_rules_as_it_was_played() -> None:
    ten = score_json(begun(UP, adjusted(0, 10)))
    assert (ten["score"], ten["winner"]) == ([0, 10], 1)
    longer = score_json(begun(UP, adjusted(0, 10)), rules={"preset": "home", "target": 11})
    assert (longer["score"], longer["winner"]) == ([0, 10], None)
