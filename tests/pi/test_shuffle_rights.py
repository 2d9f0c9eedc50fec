"""Who may start the shuffler, when, and what everybody else is told."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from shuffle_scenes import Opened, Scene, a_deal, play, told

from engine.commands import (
    ConfirmDeal,
    EndGame,
    PauseGame,
    ResumeGame,
    ShowUpcard,
    StartGame,
    ThrowIn,
    TurnDownUpcard,
)
from engine.odds import total_variation
from engine.wording import worded
from pi.shuffling import words
from pi.shuffling.passes import MOST_PASSES
from web_dashboard.ports import Shuffling


def refused(scene: Scene, seat: int) -> str:
    """Why that seat may not start it; its touch has started nothing."""
    why = scene.shuffling.start(seat)
    assert why is not None
    scene.run(2)
    assert scene.machine.touches == 0
    return told(why)


# --- the dealer, between deals, points marked --------------------------------------------------


def test_it_is_what_the_page_asks_for(scene: Opened) -> None:
    shuffling: Shuffling = scene().shuffling
    assert set(shuffling.state()) >= {
        "phase",
        "seat",
        "passes_done",
        "passes_wanted",
        "text",
        "may_start",
        "refused",
        "cards",
        "mixing",
        "noticed",
        "second_pack",
    }


def test_before_a_game_nobody_may_start_it(scene: Opened) -> None:
    table = scene(dealer=None)
    assert refused(table, 0) == words.NO_GAME
    assert table.shuffling.state()["may_start"] == []
    assert table.shuffling.state()["refused"] == words.NO_GAME


def test_before_the_first_deal_only_its_dealer_may(scene: Opened) -> None:
    table = scene(dealer=2)
    assert table.shuffling.state()["may_start"] == [2]
    for seat in (0, 1, 3):
        assert refused(table, seat) == (
            "South deals next: only the dealer's seat starts the shuffler."
        )
    assert table.shuffling.start(2) is None


@pytest.mark.parametrize("cards", [0, 1, 7, 19])
def test_during_a_deal_nobody_may(scene: Opened, cards: int) -> None:
    table = scene(dealer=1)
    play(table, cards=cards)
    for seat in range(4):
        assert refused(table, seat) == (
            "Deal 1 is under way: the shuffler is started between deals."
        )


def test_while_the_second_round_is_bid_nobody_may(scene: Opened) -> None:
    table = scene(dealer=1)
    table.do(ShowUpcard(card=a_deal().upcard, dealer=1))
    table.do(TurnDownUpcard())
    assert "Deal 1 is under way" in refused(table, 2)
    table.do(ThrowIn(reason="passed_out"))
    assert table.shuffling.start(2) is None


def test_until_the_points_are_marked_nobody_may(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    told = "The points of deal 1 are not marked yet: mark them, then South may start the shuffler."
    assert refused(table, 2) == told
    assert table.shuffling.state()["refused"] == told
    table.do(ConfirmDeal())
    assert table.shuffling.state()["may_start"] == [2]
    assert refused(table, 1) != ""
    assert table.shuffling.start(2) is None


def test_while_nobody_knows_who_made_trump_the_points_are_asked_for_first(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, declared=False)
    assert refused(table, 2) == (
        "The points of deal 1 are not known yet: say who made trump and mark them, then the next "
        "dealer may start the shuffler."
    )


def test_while_nobody_knows_who_deals_nobody_may(scene: Opened) -> None:
    table = scene(dealer=None)
    table.do(StartGame(dealer=None))
    assert refused(table, 0) == words.NO_DEALER


def test_once_the_game_is_over_nobody_may(scene: Opened) -> None:
    table = scene(dealer=1)
    table.do(EndGame(reason="late"))
    assert refused(table, 1) == words.GAME_OVER


def test_while_the_game_is_paused_nobody_may(scene: Opened) -> None:
    table = scene(dealer=1)
    table.do(PauseGame(reason="supper"))
    assert refused(table, 1) == words.PAUSED
    table.do(ResumeGame())
    assert table.shuffling.start(1) is None


@pytest.mark.parametrize("seat", [-1, 4, True, None, "2"])
def test_a_seat_that_is_none_is_named(scene: Opened, seat: Any) -> None:
    assert "There is no seat" in told(scene().shuffling.start(seat))


# --- never two starts --------------------------------------------------------------------------


def test_two_asks_in_the_same_moment_are_one_touch(scene: Opened) -> None:
    table = scene(dealer=1, sensors=())
    table.load()
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(told(table.shuffling.start(1))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count("") == 1
    assert {answer for answer in answers if answer} == {"The shuffler is already at work for East."}
    table.run(9)
    assert (table.machine.touches, table.machine.passes) == (1, 1)


def test_button_and_page_together_are_one_touch(scene: Opened) -> None:
    table = scene(dealer=1, sensors=())
    table.load()
    assert table.shuffling.start(1) is None
    table.press(1)
    table.press(1)
    table.run(9)
    assert table.machine.touches == 1
    assert "already at work for East" in table.warned[0]


def test_a_touch_is_never_followed_by_another_before_the_pass_can_be_over(scene: Opened) -> None:
    table = scene(dealer=1, sensors=(), passes=5)
    table.load()
    assert table.shuffling.start(1) is None
    table.run(1)
    assert table.shuffling.override("pass_done") is None
    assert table.shuffling.start(1) is None
    table.run(3)
    assert table.machine.touches == 1
    table.run(3)
    assert table.machine.touches == 2


def test_it_may_be_asked_for_again_once_it_is_done(scene: Opened) -> None:
    table = scene(dealer=1, passes=1)
    for _ in range(2):
        assert table.shuffling.start(1) is None
        table.load()
        table.run(8)
        assert table.phase == "done"
        table.machine.take_piles()
    assert table.shuffles == [(1, 1, True), (1, 1, True)]


def test_another_seat_cannot_go_on_for_the_dealer(scene: Opened) -> None:
    table = scene(dealer=1)
    assert table.shuffling.start(1) is None
    assert told(table.shuffling.start(3)) == (
        "The shuffler is at work for East: only that seat goes on with it."
    )


# --- the deal begins ---------------------------------------------------------------------------


def test_the_next_deal_takes_the_pack_away_and_nothing_is_touched_any_more(
    scene: Opened,
) -> None:
    table = scene(dealer=1, passes=3)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    table.do(ShowUpcard(card=a_deal().upcard, dealer=1))
    assert table.phase == "idle"
    table.stack()
    table.run(30)
    assert table.machine.touches == 1
    assert table.shuffles == [(1, 1, True)], "the pass that was done counts"


def test_a_new_game_forgets_the_old_ones_shuffle(scene: Opened) -> None:
    table = scene(dealer=1, passes=3)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    table.do(EndGame(reason="late"))
    table.do(StartGame(dealer=3))
    assert table.phase == "idle"
    assert table.shuffles == [], "the pass before it is none of the new game's"
    assert table.shuffling.state()["may_start"] == [3]


# --- two packs ---------------------------------------------------------------------------------


def test_with_two_packs_the_dealers_partner_shuffles_the_idle_one_during_the_deal(
    scene: Opened,
) -> None:
    table = scene(dealer=1, second_pack=True, passes=1)
    play(table, cards=3)
    assert table.shuffling.state()["may_start"] == [3]
    assert table.text == "West may shuffle the other pack meanwhile."
    assert refused(table, 1) == "Deal 1 is under way: only West may shuffle the other pack now."
    assert table.shuffling.start(3) is None
    table.load()
    table.run(8)
    assert table.text == "The other pack is shuffled: keep it for the next deal."
    assert table.shuffles == [(3, 1, True)]


def test_an_idle_packs_shuffle_lasts_over_the_end_of_its_deal(scene: Opened) -> None:
    table = scene(dealer=1, second_pack=True, passes=2)
    play(table, cards=0)
    assert table.shuffling.start(3) is None
    table.load()
    table.run(8)
    from engine.commands import ThrowIn as Thrown

    table.do(Thrown(reason="misdeal"))
    assert table.phase == "piles_out"
    table.stack()
    table.run(8)
    assert table.phase == "done"


def test_with_one_pack_the_partner_may_not(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, cards=3)
    assert table.shuffling.state()["may_start"] == []


# --- passes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("passes", [0, -1, MOST_PASSES + 1, True, None, "3", 2.0])
def test_a_number_of_passes_that_cannot_be_is_refused(scene: Opened, passes: Any) -> None:
    table = scene()
    assert "ask for 1 to 99" in told(table.shuffling.want(passes))
    assert "ask for 1 to 99" in told(table.shuffling.by_hand(1, passes))
    assert table.shuffles == []


@pytest.mark.parametrize("passes", [1, 7, 12])
def test_any_number_of_passes_can_be_wanted(scene: Opened, passes: int) -> None:
    table = scene(dealer=1)
    assert table.shuffling.want(passes) is None
    assert table.shuffling.start(1) is None
    for _ in range(passes):
        table.load()
        table.run(8)
        table.machine.take_piles()
        table.run(0.5)
    assert (table.phase, table.shuffles) == ("done", [(1, passes, True)])


def test_fewer_passes_may_be_wanted_half_way(scene: Opened) -> None:
    table = scene(dealer=1, passes=5)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    assert table.shuffling.want(1) is None
    assert (table.phase, table.shuffles) == ("done", [(1, 1, True)])


def test_more_passes_may_be_wanted_half_way(scene: Opened) -> None:
    table = scene(dealer=1, passes=1)
    assert table.shuffling.start(1) is None
    assert table.shuffling.want(2) is None
    table.load()
    table.run(8)
    assert "Pass 1 of 2 is done" in table.text
    table.stack()
    table.run(8)
    assert table.shuffles == [(1, 2, True)]


def test_what_is_wanted_while_a_pass_runs_cannot_undo_it(scene: Opened) -> None:
    table = scene(dealer=1, passes=5)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(3)
    assert table.phase == "passing"
    assert table.shuffling.want(1) is None
    table.run(6)
    assert (table.phase, table.machine.touches) == ("done", 1)


# --- a person's word ---------------------------------------------------------------------------


def test_shuffled_by_hand_is_recorded_as_such(scene: Opened) -> None:
    table = scene(dealer=1)
    assert table.shuffling.by_hand(1, 4) is None
    assert table.shuffles == [(1, 4, False)]
    assert table.text == "East shuffled by hand (4): deal."
    assert table.shuffling.state()["by_hand"] is True


def test_by_hand_after_one_pass_of_the_machine_both_are_recorded(scene: Opened) -> None:
    table = scene(dealer=1, passes=3)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    assert table.shuffling.by_hand(1, 2) is None
    assert table.shuffles == [(1, 1, True), (1, 2, False)]
    assert table.shuffling.state()["passes_done"] == 3


def test_by_hand_during_a_deal_is_refused_and_before_a_game_too(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, cards=2)
    assert "Deal 1 is under way" in told(table.shuffling.by_hand(1, 3))
    assert table.shuffles == []
    empty = scene(dealer=None)
    assert told(empty.shuffling.by_hand(1, 3)) == words.NO_GAME


def test_what_cannot_be_recorded_was_not_shuffled(scene: Opened) -> None:
    table = scene(dealer=1)
    table.shuffling._report = lambda report: worded("the disk is full")
    assert told(table.shuffling.by_hand(1, 4)) == "the disk is full"
    assert (table.phase, table.shuffles) == ("idle", [])


def test_a_hand_shuffle_that_was_refused_does_not_tell_the_machines_passes_twice(
    scene: Opened,
) -> None:
    table = scene(dealer=1, passes=3)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    record = table.shuffling._report
    table.shuffling._report = lambda one: record(one) if one.machine else worded("the disk is full")
    for _ in range(2):
        assert told(table.shuffling.by_hand(1, 2)) == "the disk is full"
    assert table.shuffling.work.done == 1
    table.shuffling._report = record
    assert table.shuffling.by_hand(1, 2) is None
    assert table.shuffles == [(1, 1, True), (1, 2, False)]


@pytest.mark.parametrize("word", ["stop", "stacked", "pass_done", "cleared"])
def test_at_rest_there_is_nothing_to_overrule(scene: Opened, word: str) -> None:
    table = scene()
    assert told(table.shuffling.override(word)) == words.NOT_NOW
    assert table.phase == "idle"


def test_a_word_that_means_nothing_is_named(scene: Opened) -> None:
    assert told(scene().shuffling.override("jump")) == (
        "jump means nothing to the shuffler: say stacked, pass_done, cleared, stop."
    )


def test_a_word_that_makes_no_sense_now_is_answered_with_what_is_under_way(
    scene: Opened,
) -> None:
    table = scene(dealer=1)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(3)
    assert told(table.shuffling.override("stacked")) == (
        "That makes no sense now: Pass 1 of 1 is running."
    )


def test_after_a_stop_nothing_goes_on(scene: Opened) -> None:
    table = scene(dealer=1, passes=3)
    assert table.shuffling.start(1) is None
    assert table.shuffling.override("stop") is None
    table.load()
    table.run(20)
    assert table.machine.touches == 0
    assert table.shuffles == []


# --- what is shown -----------------------------------------------------------------------------


def test_the_mixing_curve_is_the_packs_own(scene: Opened) -> None:
    state = scene().shuffling.state()
    assert state["cards"] == 24
    assert state["mixing"] == [total_variation(cards=24, passes=n) for n in range(1, 11)]
    assert len(state["noticed"]) == 10
    assert all(seen <= order for seen, order in zip(state["noticed"], state["mixing"], strict=True))


def test_a_pack_of_another_size_has_its_own_curve(scene: Opened) -> None:
    state = scene(rules={"preset": "home", "jokers": 1}).shuffling.state()
    assert state["cards"] == 25
    assert state["mixing"][2] == total_variation(cards=25, passes=3)


def test_listeners_are_told_of_every_step_and_of_nothing_else(scene: Opened) -> None:
    table = scene(dealer=1, passes=1)
    seen: list[str] = []
    leave = table.shuffling.subscribe(lambda: seen.append(table.phase))
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    table.run(30)
    assert seen == ["loading", "loaded", "passing", "done"]
    leave()
    table.shuffling.want(5)
    assert len(seen) == 4


def test_without_a_cut_nobody_is_asked_to_cut(scene: Opened) -> None:
    table = scene(dealer=1, rules={"preset": "home", "cut": "none"})
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    assert table.text == "The pass is done. Stack the piles and deal."


def test_every_sentence_can_be_filled_and_is_listed_for_translation(
    scene: Opened, tmp_path: Path
) -> None:
    table = scene(dealer=1, passes=2, log=tmp_path / "games.db")
    told: list[dict[str, Any]] = []

    def note() -> None:
        state = table.shuffling.state()
        for said in (state["say"], state["refused_say"]):
            if said is not None:
                told.append(said)
        if state["say"] is not None:
            assert state["say"]["key"].format(**state["say"]["args"]) == state["text"]

    table.shuffling.subscribe(note)
    assert table.shuffling.start(1) is None
    table.load()
    table.run(8)
    table.stack()
    table.run(125)
    play(table, mark=True)
    assert table.shuffling.by_hand(2, 3) is None
    assert {one["key"] for one in told} <= set(words.KEYS)
    assert len({one["key"] for one in told}) > 6
