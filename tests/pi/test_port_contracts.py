"""One contract for every implementation of a port: here on mock pins, and by command on a Pi.

``pytest -m hardware -s -n 0 tests/pi/test_port_contracts.py`` runs the same tests on a Raspberry
Pi whose fittings are wired as the settings say; a person does what the terminal asks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rigs import MockRig, PiRig, Rig

from pi.buttons import SeatButtons
from pi.lights import CALLS, PATTERNS, PinBuzzer, PinCameraLight, SeatLights
from pi.ports import (
    ButtonNews,
    Buttons,
    Buzzer,
    Call,
    CameraLight,
    Lights,
    Meaning,
    Press,
    Pressed,
    Shuffler,
)
from pi.settings import SensorKind
from pi.shuffling.touch import TouchShuffler, fitted_pins

SENSORS: tuple[SensorKind, ...] = ("hopper", "left", "right", "motor")


@pytest.fixture(params=["mock", pytest.param("pi", marks=pytest.mark.hardware)])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    made: Rig = MockRig() if request.param == "mock" else PiRig()
    yield made
    made.close()


# --- Buttons -----------------------------------------------------------------------------------


@pytest.fixture
def buttons(rig: Rig) -> Iterator[Buttons]:
    made = SeatButtons(rig.factory, rig.pins.buttons, now_us=rig.now_us)
    yield made
    made.close()


@pytest.mark.parametrize("press", ["short", "double", "long"])
@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_a_press_is_told_once_with_its_seat_and_its_kind(
    rig: Rig, buttons: Buttons, seat: int, press: Press
) -> None:
    told: list[ButtonNews] = []
    began_us = rig.now_us()
    rig.press(seat, press)
    rig.wait(5, lambda at_us: told.extend(buttons.poll(at_us)))
    assert [type(news) for news in told] == [Pressed]
    (pressed,) = told
    assert isinstance(pressed, Pressed)
    assert (pressed.seat, pressed.press) == (seat, press)
    assert began_us <= pressed.at_us <= rig.now_us()


def test_with_no_finger_nothing_is_told(rig: Rig, buttons: Buttons) -> None:
    told: list[ButtonNews] = []
    rig.wait(2, lambda at_us: told.extend(buttons.poll(at_us)))
    assert told == []


# --- Lights ------------------------------------------------------------------------------------


@pytest.fixture
def lights(rig: Rig) -> Iterator[Lights]:
    made = SeatLights(rig.factory, rig.pins.lights)
    yield made
    made.close()


@pytest.mark.parametrize("meaning", sorted(PATTERNS))
@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_a_light_shows_its_meanings_rhythm_and_the_others_are_dark(
    rig: Rig, lights: Lights, seat: int, meaning: Meaning
) -> None:
    shown = tuple(meaning if one == seat else None for one in range(4))
    period_us, on_us = PATTERNS[meaning]
    seen: list[tuple[int, tuple[bool, ...]]] = []

    def look(at_us: int) -> None:
        lights.show(shown, at_us=at_us)
        seen.append((at_us, tuple(rig.is_on(pin) for pin in rig.pins.lights)))

    rig.wait(2 * period_us / 1e6, look)
    for at_us, on in seen:
        assert on == tuple(one == seat and at_us % period_us < on_us for one in range(4))
    assert any(on[seat] for _, on in seen)


def test_closed_lights_are_dark(rig: Rig) -> None:
    lights: Lights = SeatLights(rig.factory, rig.pins.lights)
    lights.show(("turn",) * 4, at_us=rig.now_us())
    assert all(rig.is_on(pin) for pin in rig.pins.lights)
    lights.close()
    assert not any(rig.is_on(pin) for pin in rig.pins.lights)


# --- The camera's light ------------------------------------------------------------------------


@pytest.fixture
def camera_light(rig: Rig) -> Iterator[tuple[CameraLight, int]]:
    if rig.pins.camera is None:
        pytest.skip("no light for the camera is wired: [pins] names no camera")
    made = PinCameraLight(rig.factory, rig.pins.camera)
    yield made, rig.pins.camera
    made.close()


def test_the_cameras_light_is_on_while_the_camera_runs(
    rig: Rig, camera_light: tuple[CameraLight, int]
) -> None:
    light, pin = camera_light
    assert not rig.is_on(pin)
    light.show(True)
    assert rig.is_on(pin)
    rig.wait(2, lambda at_us: None)
    assert rig.is_on(pin)
    light.show(False)
    assert not rig.is_on(pin)


def test_a_closed_camera_light_is_dark(rig: Rig, camera_light: tuple[CameraLight, int]) -> None:
    light, pin = camera_light
    light.show(True)
    light.close()
    assert not rig.is_on(pin)


# --- Buzzer ------------------------------------------------------------------------------------


@pytest.fixture
def buzzer(rig: Rig) -> Iterator[Buzzer]:
    made = PinBuzzer(rig.factory, rig.pins.buzzer)
    yield made
    made.close()


@pytest.mark.parametrize("call", sorted(CALLS))
def test_a_call_sounds_as_long_as_its_pattern_and_ends_by_itself(
    rig: Rig, buzzer: Buzzer, call: Call
) -> None:
    heard = 0
    looks = 0

    def listen(at_us: int) -> None:
        nonlocal heard, looks
        buzzer.tick(at_us)
        heard += rig.is_on(rig.pins.buzzer)
        looks += 1

    began_us = rig.now_us()
    buzzer.sound(call, at_us=began_us)
    assert rig.is_on(rig.pins.buzzer)
    rig.wait(2, listen)
    length_us = heard * (rig.now_us() - began_us) / looks
    assert length_us == pytest.approx(sum(CALLS[call][::2]), abs=80_000)
    assert not rig.is_on(rig.pins.buzzer)


def test_a_new_call_cuts_the_old_one_off(rig: Rig, buzzer: Buzzer) -> None:
    buzzer.sound("over", at_us=rig.now_us())
    buzzer.sound("taken", at_us=rig.now_us())
    rig.wait(0.2, buzzer.tick)
    assert not rig.is_on(rig.pins.buzzer)


def test_a_closed_buzzer_is_silent(rig: Rig) -> None:
    buzzer: Buzzer = PinBuzzer(rig.factory, rig.pins.buzzer)
    buzzer.sound("over", at_us=rig.now_us())
    buzzer.close()
    assert not rig.is_on(rig.pins.buzzer)


# --- Shuffler ----------------------------------------------------------------------------------


@pytest.fixture
def shuffler(rig: Rig) -> Iterator[Shuffler]:
    made = TouchShuffler(
        rig.factory, touch=rig.pins.touch, sensors=fitted_pins(rig.pins, SENSORS), guard_s=0.25
    )
    yield made
    made.close()


def test_nothing_is_touched_until_it_is_asked(rig: Rig, shuffler: Shuffler) -> None:
    assert not rig.is_on(rig.pins.touch)
    rig.wait(1, shuffler.tick)
    assert not rig.is_on(rig.pins.touch)


def test_a_touch_lasts_from_a_tenth_to_three_tenths_of_a_second(
    rig: Rig, shuffler: Shuffler
) -> None:
    began_us = rig.now_us()
    assert shuffler.touch(began_us)
    assert rig.is_on(rig.pins.touch)
    on_us: list[int] = []

    def look(at_us: int) -> None:
        shuffler.tick(at_us)
        if rig.is_on(rig.pins.touch):
            on_us.append(at_us - began_us)

    rig.wait(1, look)
    assert 100_000 <= max(on_us) <= 300_000
    assert not rig.is_on(rig.pins.touch)


def test_a_second_touch_right_after_the_first_is_not_made(rig: Rig, shuffler: Shuffler) -> None:
    assert shuffler.touch(rig.now_us())
    rig.wait(0.5, shuffler.tick)
    assert not shuffler.touch(rig.now_us())
    assert not rig.is_on(rig.pins.touch)
    rig.wait(5, shuffler.tick)
    assert shuffler.touch(rig.now_us())
    assert rig.is_on(rig.pins.touch)


def test_a_closed_shuffler_is_not_touched(rig: Rig) -> None:
    shuffler: Shuffler = TouchShuffler(rig.factory, touch=rig.pins.touch, sensors={})
    assert shuffler.touch(rig.now_us())
    shuffler.close()
    assert not rig.is_on(rig.pins.touch)


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_sensor_shows_what_is_there_and_the_others_do_not(
    rig: Rig, shuffler: Shuffler, sensor: SensorKind
) -> None:
    others = [one for one in SENSORS if one != sensor]
    before = shuffler.sense()
    rig.cards(sensor, True)
    sensed = shuffler.sense()
    assert getattr(sensed, sensor) is True
    assert [getattr(sensed, one) for one in others] == [getattr(before, one) for one in others]
    rig.cards(sensor, False)
    assert getattr(shuffler.sense(), sensor) is False


def test_a_sensor_that_is_not_fitted_is_none(rig: Rig) -> None:
    shuffler = TouchShuffler(
        rig.factory, touch=rig.pins.touch, sensors=fitted_pins(rig.pins, ("left",))
    )
    sensed = shuffler.sense()
    assert sensed.left is not None
    assert (sensed.hopper, sensed.right, sensed.motor) == (None, None, None)
    shuffler.close()
