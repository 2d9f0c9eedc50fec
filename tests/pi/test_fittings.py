"""Buttons, lights, buzzer and shuffler: the real drivers on gpiozero's mock pins."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from pi import lights
from pi.buttons import SeatButtons
from pi.debounce import Contact, saw, settled
from pi.errors import BadSettings, NoPinFactory
from pi.gpio import Pins, open_factory
from pi.lights import CALLS, PinBuzzer, SeatLights
from pi.ports import ButtonFree, ButtonStuck, Call, Pressed
from pi.sim.bench import Bench

PINS = Pins()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench(pins=PINS)
    yield bench
    bench.close()


def buttons_on(bench: Bench) -> SeatButtons:
    return SeatButtons(bench.factory, PINS.buttons, now_us=lambda: bench.now_us)


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
    for at_us in range(900_000, 2_600_000, 20_000):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert seen == [Pressed(seat=2, at_us=1_007_000, press="short")]


def test_a_press_between_two_looks_is_not_lost(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.advance(0)
    bench.press(0, at_us=100_000)
    bench.advance(900_000)
    assert [(press.seat, press.press) for press in buttons.poll(900_000)] == [(0, "short")]


def test_a_spark_of_a_few_milliseconds_is_no_press(bench: Bench) -> None:
    buttons = buttons_on(bench)
    pin = bench.factory.pin(PINS.buttons[3])
    bench.now_us = 1_000_000
    pin.drive_low()
    bench.now_us = 1_004_000
    pin.drive_high()
    assert buttons.poll(2_000_000) == ()


def test_a_button_held_down_is_a_long_press_as_soon_as_it_is_one(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press_long(1, at_us=100_000, held_us=3_000_000)
    seen = []
    for at_us in range(0, 5_000_000, 50_000):
        bench.advance(at_us)
        seen += [(at_us, press) for press in buttons.poll(at_us)]
    assert seen == [(900_000, Pressed(seat=1, at_us=100_000, press="long"))]


def test_two_quick_presses_are_a_double_one_and_no_short_one(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press_twice(3, at_us=100_000)
    seen = []
    for at_us in range(0, 3_000_000, 50_000):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert [(press.seat, press.press) for press in seen] == [(3, "double")]


def test_two_slow_presses_are_two_short_ones(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press(3, at_us=100_000)
    bench.press(3, at_us=1_100_000)
    seen = []
    for at_us in range(0, 3_000_000, 50_000):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert [press.press for press in seen] == ["short", "short"]


@pytest.mark.parametrize("step_us", [1_000, 20_000, 100_000, 1_500_000])
def test_what_a_press_means_does_not_depend_on_how_often_one_looks(
    bench: Bench, step_us: int
) -> None:
    buttons = buttons_on(bench)
    bench.press(0, at_us=200_000)
    bench.press_twice(1, at_us=1_600_000)
    bench.press_long(2, at_us=3_100_000)
    seen = []
    for at_us in range(0, 8_000_000, step_us):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert [(press.seat, press.press) for press in seen] == [
        (0, "short"),
        (1, "double"),
        (2, "long"),
    ]


def test_a_button_that_stays_down_is_said_to_be_stuck_once_and_free_again(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press_long(2, at_us=0, held_us=60_000_000)
    seen = []
    for at_us in range(0, 70_000_000, 100_000):
        bench.advance(at_us)
        seen += buttons.poll(at_us)
    assert [type(news) for news in seen] == [Pressed, ButtonStuck, ButtonFree]
    assert {news.seat for news in seen} == {2}
    assert 9_000_000 < seen[1].at_us < 12_000_000
    bench.press(2, at_us=71_000_000)
    bench.advance(72_000_000)
    assert [news.press for news in buttons.poll(72_000_000)] == ["short"]


def test_a_button_that_is_down_when_the_kit_starts_presses_nothing(bench: Bench) -> None:
    pin = bench.factory.pin(PINS.buttons[1])
    pin.pull = "up"
    pin.drive_low()
    buttons = buttons_on(bench)
    # gpiozero pulls the pin up when it opens it; the finger is stronger.
    pin.drive_low()
    seen = [news for at_us in range(0, 9_000_000, 100_000) for news in buttons.poll(at_us)]
    assert [news for news in seen if isinstance(news, Pressed) and news.press == "short"] == []


@pytest.mark.parametrize("ends", [800, 801], ids=["closed", "open"])
def test_a_loose_wire_that_never_rests_is_a_stuck_button(bench: Bench, ends: int) -> None:
    buttons = buttons_on(bench)
    pin = bench.factory.pin(PINS.buttons[0])
    seen = []
    for number in range(ends):
        bench.now_us = number * 10_000
        pin.drive_low() if number % 2 else pin.drive_high()
        if number % 10 == 0:
            seen += buttons.poll(bench.now_us)
    assert [type(news) for news in seen] == [ButtonStuck]
    bench.now_us = 9_000_000
    pin.drive_high()
    seen = [news for at_us in (9_000_000, 9_100_000) for news in buttons.poll(at_us)]
    assert [type(news) for news in seen] == [ButtonFree]


def test_presses_of_two_seats_come_in_the_order_they_were_made(bench: Bench) -> None:
    buttons = buttons_on(bench)
    bench.press(3, at_us=50_000)
    bench.press(1, at_us=20_000)
    bench.advance(900_000)
    assert [press.seat for press in buttons.poll(900_000)] == [1, 3]


# --- lights and buzzer -------------------------------------------------------------------------


def test_the_three_meanings_of_a_light_are_three_rhythms(bench: Bench) -> None:
    lights = SeatLights(bench.factory, PINS.lights)
    told: list[tuple[bool, ...]] = []
    for at_us in range(0, 4_000_000, 50_000):
        lights.show(("turn", "dealer", "attention", None), at_us=at_us)
        told.append(bench.lit())
    turn, dealer, attention, dark = zip(*told, strict=True)
    assert all(turn)
    assert not any(dark)
    assert sum(dealer) == 2 * 5, "a quarter of a second every two seconds"
    assert sum(attention) == 8 * 5, "half of every half second"
    lights.close()


def test_closing_puts_the_lights_out_and_frees_their_pins(bench: Bench) -> None:
    lights = SeatLights(bench.factory, PINS.lights)
    lights.show(("turn",) * 4, at_us=0)
    pins = [bench.factory.pin(pin) for pin in PINS.lights]
    assert all(pin.state for pin in pins)
    lights.close()
    assert all(pin.function == "input" and not pin.state for pin in pins)
    SeatLights(bench.factory, PINS.lights).close()


@pytest.mark.parametrize("call", sorted(CALLS))
def test_every_call_of_the_buzzer_has_its_own_pattern_and_an_end(bench: Bench, call: Call) -> None:
    buzzer = PinBuzzer(bench.factory, PINS.buzzer)
    pin = bench.factory.pin(PINS.buzzer)
    buzzer.sound(call, at_us=1_000_000)
    heard = []
    for at_us in range(1_000_000, 3_000_000, 25_000):
        buzzer.tick(at_us)
        heard.append(bool(pin.state))
    assert heard[0]
    assert not heard[-1]
    assert sum(heard) * 25_000 == sum(CALLS[call][::2])
    buzzer.close()


def test_no_two_calls_sound_alike() -> None:
    assert len(set(CALLS.values())) == len(CALLS)


def test_a_buzzer_that_is_closed_or_whose_clock_is_set_back_is_silent(bench: Bench) -> None:
    buzzer = PinBuzzer(bench.factory, PINS.buzzer)
    pin = bench.factory.pin(PINS.buzzer)
    buzzer.sound("over", at_us=10_000_000)
    buzzer.tick(3_000_000)
    assert not pin.state
    buzzer.sound("over", at_us=10_000_000)
    assert pin.state
    buzzer.close()
    assert (pin.function, pin.state) == ("input", False)


def test_a_call_that_begins_just_as_another_ends_is_heard(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    buzzer = PinBuzzer(bench.factory, PINS.buzzer)
    buzzer.sound("taken", at_us=1_000_000)
    begins = threading.Thread(target=lambda: buzzer.sound("over", at_us=2_000_000))
    sounding = lights.sounding

    def meanwhile(call: Call, *, since_us: int, at_us: int) -> bool | None:
        if call == "taken":
            begins.start()
            begins.join(timeout=0.5)
        return sounding(call, since_us=since_us, at_us=at_us)

    monkeypatch.setattr(lights, "sounding", meanwhile)
    buzzer.tick(2_000_000)
    begins.join()
    assert bench.factory.pin(PINS.buzzer).state
    buzzer.close()


def test_a_pin_cannot_have_two_masters(bench: Bench) -> None:
    from gpiozero import GPIOPinInUse

    lights = SeatLights(bench.factory, PINS.lights)
    with pytest.raises(GPIOPinInUse):
        SeatLights(bench.factory, PINS.lights)
    lights.close()


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
