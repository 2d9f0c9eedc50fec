"""Buttons, lights, buzzer and shuffler: the real drivers on gpiozero's mock pins."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pi.buttons import SeatButtons
from pi.debounce import Contact, saw, settled
from pi.errors import BadSettings, NoPinFactory
from pi.gpio import Pins, open_factory
from pi.lights import PinBuzzer, SeatLights
from pi.ports import PassesDone, ShuffleStopped
from pi.shuffler import (
    LOAD_LIMIT_US,
    PASS_LIMIT_US,
    Sensed,
    Shuffling,
    TouchShuffler,
    step,
)
from pi.sim.bench import Bench

PINS = Pins()
EMPTY = Sensed(hopper=False, left=False, right=False)
LOADED = Sensed(hopper=True, left=False, right=False)
PILES = Sensed(hopper=False, left=True, right=True)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(pins=PINS)
    yield bench
    bench.close()


def buttons_on(bench: Bench) -> SeatButtons:
    return SeatButtons(bench.factory, PINS.buttons, now_us=lambda: bench.now_us)


def shuffler_on(bench: Bench) -> TouchShuffler:
    return TouchShuffler(
        bench.factory, touch=PINS.touch, hopper=PINS.hopper, left=PINS.left, right=PINS.right
    )


# --- contacts ----------------------------------------------------------------------------------


def test_a_level_counts_once_it_has_stayed() -> None:
    contact = saw(Contact(), True, at_us=1000)
    assert not settled(contact, at_us=30_999, steady_us=30_000).closed
    assert settled(contact, at_us=31_000, steady_us=30_000).closed


def test_chatter_starts_the_wait_again() -> None:
    contact = Contact()
    for at_us, level in ((0, True), (5_000, False), (9_000, True), (12_000, False)):
        contact = saw(contact, level, at_us=at_us)
    assert not settled(contact, at_us=1_000_000, steady_us=30_000).closed


def test_the_same_level_again_is_no_news() -> None:
    contact = saw(saw(Contact(), True, at_us=0), True, at_us=20_000)
    assert settled(contact, at_us=30_000, steady_us=30_000).closed


# --- buttons -----------------------------------------------------------------------------------


def test_a_bouncing_press_is_one_press_of_the_right_seat(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press(2, at_us=1_000_000)
    seen = []
    for at_us in range(900_000, 1_600_000, 20_000):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert [(press.seat, press.at_us) for press in seen] == [(2, 1_007_000)]


def test_a_press_between_two_looks_is_not_lost(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.advance(0)
    bench.press(0, at_us=100_000)
    bench.advance(500_000)
    assert [press.seat for press in buttons.poll(500_000)] == [0]


def test_a_spark_of_a_few_milliseconds_is_no_press(bench: Bench) -> None:
    buttons = buttons_on(bench)
    pin = bench.factory.pin(PINS.buttons[3])
    bench.now_us = 1_000_000
    pin.drive_low()
    bench.now_us = 1_004_000
    pin.drive_high()
    assert buttons.poll(2_000_000) == ()


def test_a_button_held_down_is_pressed_once(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.factory.pin(PINS.buttons[1]).drive_low()
    presses = [p for at_us in range(0, 3_000_000, 100_000) for p in buttons.poll(at_us)]
    assert len(presses) == 1


def test_presses_of_two_seats_come_in_the_order_they_were_made(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press(3, at_us=50_000)
    bench.press(1, at_us=20_000)
    bench.advance(400_000)
    assert [press.seat for press in buttons.poll(400_000)] == [1, 3]


# --- lights and buzzer -------------------------------------------------------------------------


def test_exactly_the_seats_asked_for_are_lit(bench: Bench) -> None:
    lights = SeatLights(bench.factory, PINS.lights)
    lights.show(frozenset({1}))
    assert bench.lit() == (False, True, False, False)
    lights.show(frozenset({0, 3}))
    assert bench.lit() == (True, False, False, True)
    lights.show(frozenset())
    assert bench.lit() == (False,) * 4


def test_closing_puts_the_lights_out_and_frees_their_pins(bench: Bench) -> None:
    lights = SeatLights(bench.factory, PINS.lights)
    lights.show(frozenset(range(4)))
    pins = [bench.factory.pin(pin) for pin in PINS.lights]
    lights.close()
    assert all(pin.function == "input" for pin in pins)
    SeatLights(bench.factory, PINS.lights).close()


def test_the_buzzer_sounds_and_is_silent_once_closed(bench: Bench) -> None:
    buzzer = PinBuzzer(bench.factory, PINS.buzzer)
    pin = bench.factory.pin(PINS.buzzer)
    pin.clear_states()
    buzzer.sound("over")
    for _ in range(200):  # the beep begins on a thread of gpiozero's
        if any(state.state for state in pin.states):
            break
        pin.state  # noqa: B018
        time.sleep(0.005)
    assert any(state.state for state in pin.states)
    buzzer.close()
    assert pin.function == "input"


def test_a_pin_cannot_have_two_masters(bench: Bench) -> None:
    from gpiozero import GPIOPinInUse

    lights = SeatLights(bench.factory, PINS.lights)
    with pytest.raises(GPIOPinInUse):
        SeatLights(bench.factory, PINS.lights)
    lights.close()


# --- the shuffler's steps ----------------------------------------------------------------------


def run(state: Shuffling, sensed: Sensed, *, until_us: int) -> tuple[Shuffling, list[object]]:
    news = []
    for at_us in range(state.since_us, until_us + 1, 100_000):
        state, told = step(state, sensed, at_us=at_us)
        if told is not None:
            news.append(told)
    return state, news


def test_nothing_is_touched_until_the_tray_is_loaded_and_still() -> None:
    state = Shuffling(phase="wait_load", seat=1, wanted=1)
    state, _ = run(state, EMPTY, until_us=5_000_000)
    assert state.phase == "wait_load"
    state, _ = step(state, LOADED, at_us=5_000_000)
    state, _ = step(state, EMPTY, at_us=5_200_000)
    assert state.phase == "wait_load", "the cards were lifted again"
    state, _ = step(state, LOADED, at_us=5_300_000)
    state, _ = step(state, LOADED, at_us=5_700_000)
    assert state.phase == "touching"


def test_a_touch_is_a_pulse() -> None:
    state = Shuffling(phase="touching", since_us=0, wanted=1)
    state, _ = step(state, LOADED, at_us=199_999)
    assert state.phase == "touching"
    state, _ = step(state, LOADED, at_us=200_000)
    assert state.phase == "running"


def test_piles_left_lying_keep_the_next_pass_waiting() -> None:
    state = Shuffling(phase="running", since_us=0, wanted=2)
    state, news = step(state, PILES, at_us=5_000_000)
    assert (state.phase, state.done, news) == ("wait_load", 1, None)
    state, _ = step(state, Sensed(hopper=True, left=True, right=False), at_us=6_000_000)
    assert state.phase == "wait_load"


def test_the_last_pass_is_reported_with_its_seat() -> None:
    state = Shuffling(phase="running", since_us=0, seat=3, wanted=3, done=2)
    state, news = step(state, PILES, at_us=5_000_000)
    assert news == PassesDone(at_us=5_000_000, seat=3, passes=3)
    assert state.phase == "idle"


def test_a_jam_and_an_empty_tray_are_given_up_with_a_reason() -> None:
    state = Shuffling(phase="running", since_us=0, seat=1, wanted=2, done=1)
    state, news = step(state, LOADED, at_us=PASS_LIMIT_US)
    assert isinstance(news, ShuffleStopped)
    assert (news.passes_done, "free the cards" in news.reason) == (1, True)
    assert state.phase == "idle"
    _, news = step(Shuffling(phase="wait_load", wanted=1), EMPTY, at_us=LOAD_LIMIT_US)
    assert isinstance(news, ShuffleStopped)
    assert "Nobody loaded" in news.reason


def test_three_passes_on_the_bench_are_three_touches(bench: Bench) -> None:
    shuffler = shuffler_on(bench)
    touch = bench.factory.pin(PINS.touch)
    touch.clear_states()
    bench.begin_shuffle(seat=2, passes=3, at_us=0)
    assert shuffler.ask(seat=2, passes=3, at_us=0) is None
    news = []
    for at_us in range(0, 40_000_000, 100_000):
        bench.advance(at_us)
        told = shuffler.tick(at_us)
        if told is not None:
            news.append(told)
    assert [type(n) for n in news] == [PassesDone]
    rises = [
        b.state and not a.state for a, b in zip(touch.states, touch.states[1:], strict=False)
    ].count(True)
    assert rises == 3
    assert touch.state == 0
    assert bench.away


def test_a_second_asker_is_told_who_is_at_work(bench: Bench) -> None:
    shuffler = shuffler_on(bench)
    assert shuffler.ask(seat=1, passes=2, at_us=0) is None
    assert shuffler.ask(seat=0, passes=1, at_us=5) == "The shuffler is already at work for East."
    assert "ask for 1 to 7" in (shuffler_refusal := shuffler.ask(seat=0, passes=9, at_us=6) or "")
    assert shuffler_refusal


def test_stopping_and_closing_release_the_touch(bench: Bench) -> None:
    shuffler = shuffler_on(bench)
    touch = bench.factory.pin(PINS.touch)
    shuffler.ask(seat=1, passes=1, at_us=0)
    bench.factory.pin(PINS.hopper).drive_low()
    for at_us in (0, 100_000, 500_000):
        shuffler.tick(at_us)
    assert touch.state == 1
    shuffler.stop(600_000)
    assert touch.state == 0
    shuffler.close()
    assert touch.function == "input"


def test_a_touch_ends_even_if_nobody_ticks_any_more(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi.shuffler._GUARD_S", 0.02)
    shuffler = shuffler_on(bench)
    touch = bench.factory.pin(PINS.touch)
    shuffler.ask(seat=1, passes=1, at_us=0)
    bench.factory.pin(PINS.hopper).drive_low()
    for at_us in (0, 100_000, 500_000):
        shuffler.tick(at_us)
    deadline = time.monotonic() + 5
    while touch.state and time.monotonic() < deadline:
        time.sleep(0.005)
    assert touch.state == 0
    shuffler.close()


def test_without_a_kit_the_dealer_shuffles_by_hand_in_the_end(bench: Bench) -> None:
    bench.begin_shuffle(seat=0, passes=2, at_us=0)
    for at_us in range(0, 30_000_000, 100_000):
        bench.advance(at_us)
    assert bench.away


# --- pins --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 8, 14, 15, 28])
def test_pins_that_are_pulled_up_or_taken_are_refused(number: int) -> None:
    with pytest.raises(BadSettings, match=f"pin {number} will not do"):
        Pins(touch=number)


def test_a_pin_used_twice_is_refused() -> None:
    with pytest.raises(BadSettings, match="pin 22 is used twice"):
        Pins(touch=22)


def test_without_lgpio_there_is_no_quiet_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(NoPinFactory, match="python3-lgpio"):
        open_factory("lgpio")
