"""What the table concludes of everything that can go wrong with the shuffler, and what it says.

The real drivers on mock pins, a plant model behind them (pi/sim/machine.py), time handed in.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from shuffle_scenes import ALL, Opened, play

from pi.settings import SensorKind
from pi.shuffling import memory
from pi.shuffling.memory import Memory, Remembered, Waiting
from pi.sim.machine import Faults

# --- as it should be ---------------------------------------------------------------------------


@pytest.mark.parametrize("sensors", [ALL, ("hopper", "left", "right"), ("hopper",)])
def test_with_an_eye_on_the_tray_one_press_is_three_passes(
    scene: Opened, sensors: tuple[SensorKind, ...]
) -> None:
    table = scene(sensors=sensors, passes=3)
    table.press(1)
    assert "put them into the shuffler's tray" in table.text
    table.load()
    for number in (1, 2):
        table.run(8)
        assert table.machine.passes == number
        assert f"Pass {number} of 3 is done" in table.text
        table.stack()
    table.run(8)
    assert table.phase == "done"
    assert table.text == "All 3 passes are done. Stack the piles, let North cut, and deal."
    assert table.machine.touches == 3
    assert table.shuffles == [(1, 3, True)]


@pytest.mark.parametrize("sensors", [(), ("left", "right"), ("motor",)])
def test_with_no_eye_on_the_tray_each_pass_needs_a_press(
    scene: Opened, sensors: tuple[SensorKind, ...]
) -> None:
    table = scene(sensors=sensors, passes=2)
    table.load()
    table.press(1)
    table.run(9)
    assert "Pass 1 of 2 is done" in table.text
    assert "touch your button" in table.text
    table.stack()
    table.run(30)
    assert table.machine.touches == 1, "nothing goes on by itself"
    table.press(1)
    table.run(9)
    assert (table.phase, table.machine.passes) == ("done", 2)
    assert table.shuffles == [(1, 2, True)]


def test_with_no_sensor_at_all_the_pass_is_over_when_its_time_is(scene: Opened) -> None:
    table = scene(sensors=(), passes=1)
    table.load()
    table.press(1)
    table.run(6)
    assert table.phase == "passing"
    table.run(2.5)
    assert table.phase == "done"


def test_a_touch_is_between_a_tenth_and_three_tenths_of_a_second(scene: Opened) -> None:
    table = scene(passes=1)
    table.press(1)
    table.load()
    table.run(8)
    assert table.machine.touches == 1
    assert 100_000 <= table.machine.longest_touch_us <= 300_000
    assert not table.touch_is_on


# --- people ------------------------------------------------------------------------------------


def test_an_empty_tray_is_never_touched_and_in_the_end_given_up(scene: Opened) -> None:
    table = scene(passes=1)
    table.press(1)
    table.run(119)
    assert table.phase == "loading"
    table.run(3)
    assert table.phase == "timed_out"
    assert "Nobody loaded the shuffler for two minutes" in table.text
    assert table.machine.touches == 0
    assert table.shuffles == []


def test_a_pack_that_is_loaded_after_the_time_is_up_does_not_start_by_itself(
    scene: Opened,
) -> None:
    table = scene(passes=1)
    table.press(1)
    table.run(125)
    table.load()
    table.run(30)
    assert table.machine.touches == 0
    table.press(1)
    table.run(8)
    assert (table.phase, table.machine.touches) == ("done", 1)


def test_who_forgets_to_stack_is_reminded_and_then_has_to_say_so(scene: Opened) -> None:
    table = scene(passes=2)
    table.press(1)
    table.load()
    table.run(8)
    assert table.phase == "piles_out"
    assert table.text == "Pass 1 of 2 is done. East: stack one pile on the other."
    buzzer = table.bench.factory.pin(table.settings.pins.buzzer)
    buzzer.clear_states()
    table.run(60)
    sounds = [state for state in buzzer.states if state.state]
    assert len(sounds) >= 3, "called again every half minute, two beeps each"
    table.run(65)
    assert table.phase == "timed_out"
    assert "was not loaded again for two minutes" in table.text
    assert any("was not loaded again" in warning for warning in table.warned)
    assert table.machine.touches == 1
    table.press_long(1)
    assert (table.phase, table.shuffles) == ("idle", [(1, 1, True)])


def test_one_pile_put_back_while_the_other_lies_there_keeps_the_next_pass_waiting(
    scene: Opened,
) -> None:
    table = scene(passes=2)
    table.press(1)
    table.load()
    table.run(8)
    table.machine.load(table.machine.left)
    table.machine.left = 0
    table.run(20)
    assert (table.phase, table.machine.touches) == ("piles_out", 1)


def test_fingers_that_lift_the_pack_again_are_not_dealt(scene: Opened) -> None:
    table = scene(passes=1)
    table.press(1)
    for _ in range(5):
        table.load()
        table.run(0.6)
        table.machine.clear()
        table.run(0.5)
    assert table.machine.touches == 0


def test_somebody_who_touches_the_pad_by_hand_is_counted_and_not_helped(scene: Opened) -> None:
    table = scene(passes=2)
    table.press(1)
    table.load()
    table.run(0.3)
    table.machine.pad(at_us=table.now_us)
    table.run(8)
    assert (table.machine.touches, table.machine.passes) == (0, 1)
    assert table.shuffling.work.done == 1


def test_without_an_eye_on_the_motor_a_pad_touched_by_hand_counts_once_its_piles_lie_there(
    scene: Opened,
) -> None:
    table = scene(sensors=("hopper", "left", "right"), passes=2)
    table.press(1)
    table.load()
    table.run(0.3)
    table.machine.pad(at_us=table.now_us)
    table.run(8)
    assert (table.machine.touches, table.machine.passes) == (0, 1)
    assert table.shuffling.work.done == 1


def test_a_hand_over_the_piles_is_neither_a_pass_nor_a_touch(scene: Opened) -> None:
    table = scene(sensors=("hopper", "left", "right"), passes=1)
    table.press(1)
    table.load()
    table.machine.left = 1
    table.run(1.5)
    table.machine.left = 0
    assert (table.phase, table.machine.touches) == ("loading", 0)
    table.run(9)
    assert (table.phase, table.machine.passes) == ("done", 1)


# --- the machine -------------------------------------------------------------------------------


def test_a_jam_is_seen_by_the_motor_that_stands_and_told_with_its_cure(scene: Opened) -> None:
    table = scene(faults=Faults(jams=frozenset({1})), passes=1)
    table.press(1)
    table.load()
    table.run(6)
    assert table.phase == "jammed"
    assert "A card is jammed: the shuffler stands" in table.text
    assert "square all 24" in table.text
    assert table.shuffles == []
    table.machine.clear()
    table.run(5)
    table.load()
    table.run(10)
    assert table.machine.touches == 1, "the same pass is not begun again by itself"
    table.press(1)
    table.run(8)
    assert (table.phase, table.shuffles) == ("done", [(1, 1, True)])


@pytest.mark.parametrize(
    ("sensors", "told"),
    [
        (("hopper", "left", "right"), "A card is jammed: the shuffler stands"),
        (("hopper",), "Cards lie in the tray and the shuffler stands: a card is jammed, or it"),
    ],
)
def test_a_jam_without_an_eye_on_the_motor_is_known_when_the_pass_takes_too_long(
    scene: Opened, sensors: tuple[SensorKind, ...], told: str
) -> None:
    table = scene(faults=Faults(jams=frozenset({1})), sensors=sensors)
    table.press(1)
    table.load()
    table.run(10)
    assert table.phase == "passing"
    table.run(10)
    assert table.phase == "jammed"
    assert told in table.text


def test_a_jam_that_nothing_can_see_is_a_persons_to_say(scene: Opened) -> None:
    table = scene(faults=Faults(jams=frozenset({1})), sensors=(), passes=2)
    table.load()
    table.press(1)
    table.run(9)
    assert table.phase == "restack", "as far as the kit can know"
    assert table.shuffling.override("stop") is None
    assert table.phase == "idle"


def test_a_flat_battery_is_a_touch_that_starts_nothing(scene: Opened) -> None:
    table = scene(faults=Faults(battery=0.1))
    table.press(1)
    table.load()
    table.run(9)
    assert table.phase == "timed_out"
    assert "did not start" in table.text
    assert "battery is flat" in table.text
    assert table.machine.touches == 1
    table.run(60)
    assert table.machine.touches == 1, "never tried again by itself"
    table.press(1)
    table.run(2)
    assert table.machine.touches == 2


def test_a_tired_battery_is_told_and_its_slow_pass_counts(scene: Opened) -> None:
    table = scene(faults=Faults(battery=0.5), passes=2)
    table.press(1)
    table.load()
    table.run(13)
    assert table.shuffling.work.done == 1
    assert "the shuffler's battery is nearly flat" in table.shuffling.state()["note"]
    assert [told for told in table.warned if "nearly flat" in told] == table.warned
    assert len(table.warned) == 1


def test_a_fresh_battery_is_not_called_flat(scene: Opened) -> None:
    table = scene(passes=2)
    table.press(1)
    table.load()
    table.run(8)
    assert table.shuffling.state()["note"] is None
    assert table.warned == []


def test_a_touch_that_is_not_felt_is_tried_again_only_when_a_person_says_so(
    scene: Opened,
) -> None:
    table = scene(faults=Faults(eaten=frozenset({1})))
    table.press(1)
    table.load()
    table.run(9)
    assert (table.phase, table.machine.touches) == ("timed_out", 1)
    table.press(1)
    table.run(9)
    assert (table.phase, table.machine.passes) == ("done", 1)


def test_a_touch_felt_twice_is_one_pass(scene: Opened) -> None:
    table = scene(faults=Faults(doubled=frozenset({1})), passes=2)
    table.press(1)
    table.load()
    table.run(12)
    assert table.machine.runs == 2
    assert table.shuffling.work.done == 1
    assert table.machine.touches == 1


def test_a_pack_loaded_while_it_still_turns_is_a_pass_and_is_not_touched_too(
    scene: Opened,
) -> None:
    table = scene(faults=Faults(doubled=frozenset({1})), passes=2)
    table.press(1)
    table.load()
    table.run(7)
    assert table.machine.running
    assert table.shuffling.work.done == 1
    table.machine.take_piles()
    table.load()
    table.run(8)
    assert table.phase == "done"
    assert (table.machine.touches, table.machine.passes) == (1, 2)


def test_all_cards_on_one_side_are_told_of(scene: Opened) -> None:
    table = scene(faults=Faults(one_sided=frozenset({1})))
    table.press(1)
    table.load()
    table.run(20)
    assert table.phase == "jammed"
    assert "Only one pile has cards" in table.text
    assert table.shuffling.override("pass_done") is None
    assert (table.phase, table.shuffles) == ("done", [(1, 1, True)])


# --- sensors that lie --------------------------------------------------------------------------


def test_a_tray_that_always_looks_empty_gives_way_to_a_person_who_insists(scene: Opened) -> None:
    table = scene(faults=Faults(stuck={"hopper": False}))
    table.press(1)
    table.load()
    table.run(10)
    assert table.phase == "loading"
    table.press(1)
    assert table.machine.touches == 0
    assert "If it does lie there, touch once more." in table.warned[-1]
    table.press(1)
    table.run(9)
    assert (table.phase, table.machine.passes) == ("done", 1)


def test_a_tray_that_always_looks_full_ends_as_a_jam_that_a_person_overrules(
    scene: Opened,
) -> None:
    table = scene(faults=Faults(stuck={"hopper": True}), sensors=("hopper", "left", "right"))
    table.load()
    table.press(1)
    table.run(17)
    assert table.machine.passes == 1
    assert table.phase == "jammed"
    assert table.shuffling.override("pass_done") is None
    assert table.shuffles == [(1, 1, True)]


def test_a_pile_that_always_looks_full_holds_the_start_until_a_person_says_so(
    scene: Opened,
) -> None:
    table = scene(faults=Faults(stuck={"left": True}))
    table.press(1)
    table.load()
    table.run(10)
    assert (table.phase, table.machine.touches) == ("loading", 0)
    table.press(1)
    table.run(8)
    assert table.phase == "done", "it is not asked during the pass"


def test_a_pile_that_always_looks_empty_is_told_of(scene: Opened) -> None:
    table = scene(faults=Faults(stuck={"right": False}))
    table.press(1)
    table.load()
    table.run(20)
    assert table.phase == "jammed"
    assert "a pile's sensor sees nothing" in table.text


def test_a_motor_that_always_looks_off_does_no_harm_beside_other_eyes(scene: Opened) -> None:
    table = scene(faults=Faults(stuck={"motor": False}))
    table.press(1)
    table.load()
    table.run(9)
    assert (table.phase, table.machine.touches) == ("done", 1)


def test_a_motor_that_always_looks_off_alone_is_told_as_a_shuffler_that_did_not_start(
    scene: Opened,
) -> None:
    table = scene(faults=Faults(stuck={"motor": False}), sensors=("motor",))
    table.load()
    table.press(1)
    table.run(9)
    assert (table.phase, table.machine.passes) == ("timed_out", 1)
    assert "did not start" in table.text
    assert table.shuffling.override("pass_done") is None
    assert table.shuffles == [(1, 1, True)]


def test_a_motor_that_always_looks_on_is_never_touched(scene: Opened) -> None:
    table = scene(faults=Faults(stuck={"motor": True}))
    table.press(1)
    table.load()
    table.run(20)
    assert table.machine.touches == 0
    assert table.phase == "jammed"


# --- a restart ---------------------------------------------------------------------------------


def test_after_a_restart_nothing_starts_by_itself_and_the_kit_asks(
    scene: Opened, tmp_path: Path
) -> None:
    table = scene(passes=3, log=tmp_path / "games.db")
    table.press(1)
    table.load()
    table.run(8)
    table.stack()
    assert table.shuffling.work.done == 1
    table.restart()
    assert not table.touch_is_on
    assert table.phase == "unknown"
    assert "nothing starts by itself. 1 of 3 passes were done" in table.text
    touches = table.machine.touches
    table.run(60)
    assert table.machine.touches == touches
    table.press(1)
    table.run(8)
    table.stack()
    table.run(8)
    assert (table.phase, table.shuffles) == ("done", [(1, 3, True)])


def test_a_restart_in_the_middle_of_a_touch_lets_go(scene: Opened, tmp_path: Path) -> None:
    table = scene(log=tmp_path / "games.db")
    table.press(1)
    table.load()
    while not table.touch_is_on:
        table.run(0.05)
    table.restart()
    assert not table.touch_is_on
    assert table.phase == "unknown"
    table.run(0.5)
    assert not table.touch_is_on
    table.press(1)
    table.run(3)
    assert table.machine.touches == 1, "the touch may have started it: the gap is kept"


def test_a_restart_at_rest_asks_nothing_and_remembers_how_many_passes_are_wanted(
    scene: Opened, tmp_path: Path
) -> None:
    table = scene(log=tmp_path / "games.db")
    assert table.shuffling.want(7) is None
    table.restart()
    assert table.phase == "idle"
    assert table.shuffling.state()["passes_wanted"] == 7


def test_a_game_that_went_on_meanwhile_is_not_asked_about_its_last_shuffle(
    scene: Opened, tmp_path: Path
) -> None:
    table = scene(log=tmp_path / "games.db")
    table.press(1)
    table.close()
    play(table, cards=4)
    table.restart()
    assert table.phase == "idle"


@pytest.mark.parametrize("passes", [1, 2])
def test_a_jam_that_is_gone_leads_back_to_the_pass_that_was_under_way(
    scene: Opened, passes: int
) -> None:
    table = scene(faults=Faults(jams=frozenset({passes})), passes=passes)
    table.press(1)
    table.load()
    table.run(8)
    if passes == 2:
        table.stack()
        table.run(8)
    assert table.phase == "jammed"
    table.machine.clear()
    assert table.shuffling.override("cleared") is None
    assert table.phase == ("loading" if passes == 1 else "restack")
    table.load()
    table.run(8)
    assert (table.phase, table.shuffles) == ("done", [(1, passes, True)])


@pytest.mark.parametrize(
    "kept",
    [
        *("", "{", "[]", '{"busy": true}', "\x00\xff"),
        '{"passes":3,"busy":true,"seat":-1,"wanted":3,"done":1,"game_id":"g","deals":0}',
        '{"passes":3,"busy":"yes","seat":1,"wanted":3,"done":1,"game_id":"g","deals":0}',
        *(
            '{"passes":3,"busy":false,"seat":1,"wanted":3,"done":1,"game_id":"g","deals":0,'
            f'"waiting":{waiting}}}'
            for waiting in (
                *("3", "[3]", '[{"seat":1}]'),
                '[{"seat":1,"passes":-2,"at_us":5,"game_id":"g"}]',
            )
        ),
    ],
)
def test_a_torn_memory_counts_as_a_shuffler_that_was_at_work(
    scene: Opened, tmp_path: Path, kept: str
) -> None:
    (tmp_path / "shuffler.json").write_text(kept)
    table = scene(log=tmp_path / "games.db")
    assert table.phase == "unknown"
    table.run(10)
    assert table.machine.touches == 0
    assert table.shuffling.override("stop") is None
    assert json.loads((tmp_path / "shuffler.json").read_text())["busy"] is False


def test_the_memory_of_an_earlier_version_is_read(scene: Opened, tmp_path: Path) -> None:
    (tmp_path / "shuffler.json").write_text(
        '{"passes":7,"busy":false,"seat":0,"wanted":0,"done":0,"game_id":null,"deals":0}'
    )
    table = scene(log=tmp_path / "games.db")
    assert table.phase == "idle"
    assert table.shuffling.state()["passes_wanted"] == 7


def test_what_is_written_over_a_longer_memory_in_its_place_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Memory(tmp_path / "shuffler.json")
    waiting = tuple(Waiting(seat=1, passes=3, at_us=n, game_id="a" * 32) for n in range(99))
    assert kept.keep(Remembered(passes=3, waiting=waiting))
    write = memory._write

    def no_room_for_another(path: Path, text: bytes, mode: Literal["wb", "r+b"]) -> None:
        if mode == "wb":
            raise OSError(28, "No space left on device")
        write(path, text, mode)

    monkeypatch.setattr(memory, "_write", no_room_for_another)
    assert kept.keep(Remembered(passes=3))
    assert Memory(tmp_path / "shuffler.json").recall() == Remembered(passes=3)


def test_a_disk_that_refuses_does_not_stop_the_shuffler(scene: Opened, tmp_path: Path) -> None:
    table = scene(log=tmp_path / "gone" / "games.db")
    table.press(1)
    table.load()
    table.run(8)
    assert table.phase == "done"


def test_an_evening_without_the_shuffler_writes_its_memory_once(
    scene: Opened, tmp_path: Path
) -> None:
    table = scene(log=tmp_path / "games.db")
    play(table, mark=True)
    first = (tmp_path / "shuffler.json").stat().st_mtime_ns
    play(table, dealer=2, mark=True)
    assert (tmp_path / "shuffler.json").stat().st_mtime_ns == first


def test_that_a_pass_is_to_come_is_on_the_disk_before_the_touch(
    scene: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where whoever asked for it is held up before it is written down."""
    table = scene(log=tmp_path / "games.db", sensors=())
    kept: list[bool] = []
    touch = table.shuffling._shuffler.touch

    def touching(at_us: int) -> bool:
        kept.append(json.loads((tmp_path / "shuffler.json").read_text())["busy"])
        return touch(at_us)

    monkeypatch.setattr(table.shuffling._shuffler, "touch", touching)
    monkeypatch.setattr(table.shuffling, "_follow_up", lambda: None)
    assert table.shuffling.start(1) is None
    table.run(1)
    assert kept == [True]
