"""Every part on the pins is in the doctor's list and on the page, with the cure where one is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gpiozero import DigitalOutputDevice
from gpiozero.pins.mock import MockFactory
from test_wiring import blind

from engine.commands import StartGame
from engine.wording import worded
from pi.doctor import Fitted, fittings
from pi.doctor.check import Check, Surroundings
from pi.gpio import Pins
from pi.ports import Sensed
from pi.settings import KitSettings, SensorKind, ShufflerSettings
from pi.wiring import Kit, build

LIGHT = 11
SENSORS: tuple[SensorKind, ...] = ("hopper", "motor")
WHOLE = KitSettings(table="pi", pins=Pins(camera=LIGHT), shuffler=ShufflerSettings(sensors=SENSORS))
PARTS = {"buttons", "lights", "buzzer", "shuffler", "sensors", "camera light"}


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    made = MockFactory()
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setattr(fittings, "open_factory", lambda kind: made)
    yield made
    made.close()


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    """A Raspberry Pi whose pins its user may reach."""
    for name, text in (("proc/device-tree/model", "Raspberry Pi 5\0"), ("dev/gpiochip0", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return Surroundings(root=tmp_path)


def asked(around: Surroundings, settings: KitSettings = WHOLE, **known: Any) -> dict[str, Check]:
    found = list(fittings.pins(settings, around, **({"kit_runs": False} | known)))
    told = {check.name: check for check in found}
    assert len(told) == len(found), "a part is told twice"
    # Off a Pi there is nothing to mend.
    assert all(check.cure for check in found if check.status != "pass" and check.name != "pins")
    return told


# --- with no kit running -----------------------------------------------------------------------


def test_every_part_has_a_line_and_passes_where_all_is_well(
    factory: MockFactory, around: Surroundings
) -> None:
    told = asked(around)
    assert set(told) == PARTS | {"pins"}
    assert {check.status for check in told.values()} == {"pass"}
    assert told["buttons"].detail == "GPIO 12, 13, 16, 18: none is pressed"
    assert told["shuffler"].detail == "GPIO 17: can be switched, off now"
    assert told["camera light"].detail == "GPIO 11: can be switched, off now"


def test_the_doctor_never_touches_the_shuffler_and_lights_nothing(
    factory: MockFactory, around: Surroundings
) -> None:
    asked(around)
    outputs = (WHOLE.pins.touch, WHOLE.pins.buzzer, LIGHT, *WHOLE.pins.lights)
    assert [pin for pin in outputs if any(s.state for s in factory.pin(pin).states)] == []


def test_a_button_that_is_down_with_nobody_at_it_is_named(
    factory: MockFactory, around: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold(factory, WHOLE.pins.buttons[1], WHOLE.pins.buttons[3], patch=monkeypatch)
    told = asked(around)["buttons"]
    assert (told.status, told.detail) == ("warn", "pressed all the time: East and West")
    assert "its wire touches ground" in told.cure


@pytest.mark.parametrize(
    ("part", "pin"),
    [
        ("buttons", WHOLE.pins.buttons[2]),
        ("lights", WHOLE.pins.lights[0]),
        ("buzzer", WHOLE.pins.buzzer),
        ("shuffler", WHOLE.pins.touch),
        ("sensors", WHOLE.pins.motor),
        ("camera light", LIGHT),
    ],
)
def test_a_pin_that_another_program_holds_fails_that_part_and_no_other(
    factory: MockFactory, around: Surroundings, part: str, pin: int
) -> None:
    with DigitalOutputDevice(pin, pin_factory=factory):
        told = asked(around)
    assert {name for name, check in told.items() if check.status == "fail"} == {part}
    assert f"pin {pin} cannot be opened" in told[part].detail
    assert "end the other program that holds it" in told[part].cure


def test_what_is_not_fitted_is_said_and_is_no_fault(
    factory: MockFactory, around: Surroundings
) -> None:
    told = asked(around, KitSettings(table="pi", shuffler=ShufflerSettings(fitted=False)))
    assert told["shuffler"].detail == "none is fitted: shuffle by hand"
    assert "sensors" not in told
    assert told["camera light"].detail == "none is wired: the page says when the camera runs"
    assert {check.status for check in told.values()} == {"pass"}
    assert asked(around, KitSettings(table="pi"))["sensors"].detail.startswith("none are wired")


@pytest.mark.parametrize("table", ["hand", "sim"])
def test_a_light_for_a_camera_that_this_table_never_opens_is_a_warning(
    factory: MockFactory, around: Surroundings, table: Any
) -> None:
    told = asked(around, KitSettings(table=table, pins=Pins(camera=LIGHT)))["camera light"]
    assert (told.status, "opens no camera" in told.detail) == ("warn", True)
    assert "set table to pi or usb" in told.cure


def test_off_a_pi_a_light_for_the_usb_camera_stays_dark_and_that_is_said(tmp_path: Path) -> None:
    told = asked(Surroundings(root=tmp_path), KitSettings(table="usb", pins=Pins(camera=LIGHT)))
    assert set(told) == {"pins", "camera light"}
    assert (told["camera light"].status, "stays dark" in told["camera light"].detail) == (
        "warn",
        True,
    )
    assert set(asked(Surroundings(root=tmp_path), KitSettings(table="usb"))) == {"pins"}


# --- beside and within a running kit -----------------------------------------------------------


def test_beside_a_running_kit_no_pin_is_opened(
    around: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setattr(fittings, "open_factory", lambda kind: pytest.fail("the pins are held"))
    told = asked(around, kit_runs=True)
    assert set(told) == PARTS | {"pins"}
    for part in PARTS:
        assert "in use by the running kit" in told[part].detail


def test_within_the_kit_it_tells_what_it_sees_itself(
    around: Surroundings, factory: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fittings, "open_factory", lambda kind: pytest.fail("the kit holds them"))
    told = asked(around, kit_runs=True, fitted=Fitted(sensed=Sensed(hopper=True, motor=False)))
    assert set(told) == PARTS | {"pins"}
    assert {check.status for check in told.values()} == {"pass"}
    assert told["sensors"].detail.startswith("hopper closed, motor open")
    assert told["camera light"].detail == "in use by this kit: GPIO 11"


@pytest.mark.parametrize("table", ["sim", "clip"])
def test_within_a_kit_whose_table_has_no_pins_none_is_said_to_be_in_use(
    around: Surroundings, factory: MockFactory, monkeypatch: pytest.MonkeyPatch, table: Any
) -> None:
    monkeypatch.setattr(fittings, "open_factory", lambda kind: pytest.fail("a kit opens no pins"))
    clip = Path("friday.mp4") if table == "clip" else None
    settings = KitSettings(table=table, clip=clip, shuffler=ShufflerSettings(sensors=SENSORS))
    told = asked(around, settings, kit_runs=True, fitted=Fitted(stuck=(1,)))
    for part in PARTS - {"camera light"}:
        assert (told[part].status, "not in use by this kit" in told[part].detail) == ("pass", True)


def test_within_the_kit_a_stuck_button_and_a_jammed_shuffler_are_warnings(
    around: Surroundings, factory: MockFactory
) -> None:
    told = asked(
        around,
        kit_runs=True,
        fitted=Fitted(stuck=(1,), halted=worded("none is fitted: shuffle by hand")),
    )
    assert (told["buttons"].status, told["buttons"].detail) == (
        "warn",
        "pressed all the time: East",
    )
    assert told["shuffler"].status == "warn"
    assert "shuffle by hand" in told["shuffler"].cure


# --- a whole kit -------------------------------------------------------------------------------


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def hand_kit_on_a_pi(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, around: Surroundings, **changes: Any
) -> tuple[Kit, MockFactory]:
    pins = MockFactory()
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: pins)
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda *path: True)
    monkeypatch.setattr("pi.doctor.Surroundings", lambda: around)
    settings = KitSettings(table="hand", shuffler=ShufflerSettings(sensors=("hopper",)), **changes)
    return opened.enter_context(build(settings, reader_for=blind)), pins


def of(kit: Kit) -> dict[str, dict[str, Any]]:
    return {str(line["name"]): line for line in kit.doctor()}


def test_a_running_kits_doctor_knows_its_stuck_button_and_its_sensors(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, around: Surroundings
) -> None:
    kit, pins = hand_kit_on_a_pi(opened, monkeypatch, around)
    kit.submit(StartGame(dealer=1), source="page")
    assert kit._tending is not None
    assert of(kit)["buttons"]["status"] == "pass"
    pins.pin(kit.settings.pins.hopper).drive_low()
    pins.pin(kit.settings.pins.buttons[2]).drive_low()
    assert kit._wired is not None
    began_us = kit._wired.now_us()
    for step in range(300):
        kit._tending.tick(began_us + step * 50_000)
    told = of(kit)
    assert told["sensors"]["text"].startswith("hopper closed")
    assert told["buttons"]["text"] == "pressed all the time: South"
    pins.pin(kit.settings.pins.buttons[2]).drive_high()
    for step in range(300, 330):
        kit._tending.tick(began_us + step * 50_000)
    assert of(kit)["buttons"]["status"] == "pass"


def test_a_running_kits_doctor_says_what_its_shuffler_waits_for(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, around: Surroundings
) -> None:
    kit, _ = hand_kit_on_a_pi(opened, monkeypatch, around)
    kit.submit(StartGame(dealer=1), source="page")
    assert of(kit)["shuffler"]["status"] == "pass"
    assert kit.shuffling is not None
    monkeypatch.setattr("pi.wiring.HALTED", frozenset({kit.shuffling.work.phase}))
    told = of(kit)["shuffler"]
    assert (told["status"], told["text"]) == ("warn", kit.shuffling.state()["text"])


# --- the page's list ---------------------------------------------------------------------------


def parts_of(kit: Kit) -> dict[str, tuple[bool, str]]:
    return {str(p["name"]): (bool(p["present"]), str(p["text"])) for p in kit.parts()}


@pytest.mark.parametrize("pin", [LIGHT, None])
def test_the_page_lists_the_cameras_light_wherever_there_is_a_camera(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, pin: int | None
) -> None:
    pins = MockFactory()
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: pins)
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda *path: True)
    monkeypatch.setattr("pi.wiring.open_camera", lambda *known, **more: NoPictures())
    settings = KitSettings(table="usb", pins=Pins(camera=pin))
    kit = opened.enter_context(build(settings, reader_for=blind))
    assert parts_of(kit)["camera light"] == (
        (True, "A light is on while the camera runs.")
        if pin is not None
        else (False, "No light for the camera: the page says when it runs.")
    )


class NoPictures:
    """A camera of which only its being there counts."""

    size_px = (1280, 720)

    def frames(self) -> Iterator[Any]:
        return iter(())

    def close(self) -> None: ...


@pytest.mark.parametrize(("wired", "says"), [(("hopper",), "Sensors at"), ((), "a pass is timed")])
def test_the_page_lists_the_shufflers_sensors(
    opened: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    wired: tuple[SensorKind, ...],
    says: str,
) -> None:
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: MockFactory())
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda *path: True)
    settings = KitSettings(table="hand", shuffler=ShufflerSettings(sensors=wired))
    kit = opened.enter_context(build(settings, reader_for=blind))
    present, text = parts_of(kit)["sensors"]
    assert (present, says in text) == (bool(wired), True)


def test_the_page_knows_every_part_by_name_and_by_what_is_said_of_it(
    opened: ExitStack, monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    known = (root / "web_dashboard/static/js/parts.js").read_text()
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: MockFactory())
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda *path: True)
    monkeypatch.setattr("pi.wiring.open_camera", lambda *given, **more: NoPictures())
    for table in ("usb", "hand", "sim"):
        for pin, sensors in ((LIGHT, SENSORS), (None, ())):
            settings = KitSettings(
                table=table,  # type: ignore[arg-type]
                pins=Pins(camera=pin),
                shuffler=ShufflerSettings(sensors=sensors),
            )
            kit = opened.enter_context(build(settings, reader_for=blind))
            for name, (_, text) in parts_of(kit).items():
                assert f'phrase("{text}")' in known
                assert f"{name}: phrase(" in known or f'"{name}": phrase(' in known


def hold(factory: MockFactory, *numbers: int, patch: pytest.MonkeyPatch) -> None:
    """Draw these pins to ground, as a finger or a wire does. A mock pin jumps to its pull when
    it is opened; a real one stays where it is held."""
    for number in numbers:
        factory.pin(number).drive_low()
    kind = type(factory.pin(numbers[0]))
    held = set(numbers)

    def pulled(pin: Any, value: str) -> None:
        pin._pull = value
        if pin.info.name not in {f"GPIO{number}" for number in held}:
            pin._state = value == "up"

    patch.setattr(kind, "_set_pull", pulled)
