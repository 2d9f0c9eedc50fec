"""The light that says that the camera runs: on before it starts, off after it ends, always."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import strict_picamera2
from gpiozero.pins.mock import MockFactory
from kept_pins import kept_factory, levels

from pi import calibrate, teach
from pi.camera import PiCamera, UsbCamera
from pi.doctor.board import camera as doctors_look
from pi.doctor.check import Surroundings
from pi.errors import BadSettings, CameraMissing, CameraSilent, NoPinFactory
from pi.fitting import open_camera
from pi.gpio import Pins
from pi.lights import PinCameraLight
from pi.settings import KitSettings, settings_from
from pi.shuffling.touch import outputs_off
from pi.wiring import build
from vision.errors import VisionError

LIGHT = 11
ROOT = Path(__file__).resolve().parents[2]


class Told:
    """A light that remembers, and sees whether the camera was running then."""

    def __init__(self, running: Any) -> None:
        self.shown: list[tuple[bool, bool]] = []
        self._running = running

    def show(self, running: bool) -> None:
        self.shown.append((running, self._running()))

    def close(self) -> None: ...


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Any:
    scene = strict_picamera2.Scene()
    monkeypatch.setitem(sys.modules, "picamera2", strict_picamera2.module(scene))
    start = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    scene.timestamps_ns = [start + k * 100_000_000 for k in range(500)]
    return scene


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockFactory]:
    """This machine is a Pi with these pins."""
    made = MockFactory()
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: made)
    monkeypatch.setattr("pi.fitting.open_factory", lambda kind: made)
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda: True)
    yield made
    made.close()


def settings(**changes: Any) -> KitSettings:
    return KitSettings(
        **({"table": "pi", "width_px": 640, "height_px": 360, "pins": Pins(camera=LIGHT)} | changes)
    )


def is_lit(factory: MockFactory) -> bool:
    return bool(factory.pin(LIGHT).state)


# --- the drivers -------------------------------------------------------------------------------


def test_the_pis_camera_is_never_open_without_its_light(scene: Any) -> None:
    light = Told(lambda: scene.started_now > 0)
    camera = PiCamera(width_px=640, height_px=360, fps=10, light=light)
    assert light.shown == [(True, False)], "the light comes first, then the camera starts"
    next(camera.frames())
    camera.close()
    assert light.shown == [(True, False), (False, False)], "and goes out once it has ended"


def test_while_a_silent_camera_is_shut_the_light_is_out(scene: Any) -> None:
    light = Told(lambda: scene.started_now > 0)
    camera = PiCamera(width_px=640, height_px=360, fps=10, light=light, wait=lambda s: None)
    scene.silent_captures = 1
    next(camera.frames())
    assert [on for on, _ in light.shown] == [True, False, True]
    camera.close()
    assert not any(running for _, running in light.shown)


def test_a_camera_that_does_not_start_leaves_its_light_out(
    scene: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any) -> None:
        raise RuntimeError("no memory for the buffers")

    monkeypatch.setattr(strict_picamera2.Picamera2, "start", broken)
    light = Told(lambda: False)
    with pytest.raises(RuntimeError):
        PiCamera(width_px=640, height_px=360, fps=10, light=light)
    assert [on for on, _ in light.shown] == [True, False]


class Capture:
    """A USB camera that gives so many pictures."""

    def __init__(self, good: int) -> None:
        self.good = good

    def isOpened(self) -> bool:
        return self.good > 0

    def set(self, what: int, value: float) -> None: ...

    def get(self, what: int) -> float:
        return 0.0

    def read(self) -> tuple[bool, np.ndarray | None]:
        self.good -= 1
        return (True, np.zeros((4, 6, 3), np.uint8)) if self.good >= 0 else (False, None)

    def release(self) -> None: ...


def test_a_usb_cameras_light_goes_out_with_it() -> None:
    light = Told(lambda: False)

    def usb(good: int) -> UsbCamera:
        return UsbCamera(
            0,
            width_px=640,
            height_px=480,
            fps=10,
            light=light,
            open_capture=lambda device: Capture(good),
            wait=lambda seconds: None,
        )

    with pytest.raises(CameraMissing):
        usb(0)
    assert [on for on, _ in light.shown] == [True, False]
    light.shown.clear()
    camera = usb(3)
    assert len(list(islice(camera.frames(), 3))) == 3
    assert [on for on, _ in light.shown] == [True]
    camera.close()
    assert light.shown[-1][0] is False


# --- the pin, however the program ends ---------------------------------------------------------

PROGRAM = """
import sys
sys.path.insert(0, "tests/pi")
from pathlib import Path
from kept_pins import kept_factory
from pi.lights import PinCameraLight
light = PinCameraLight(kept_factory(Path(sys.argv[1])), {pin})
light.show(True)
{end}
"""


@pytest.mark.parametrize("end", ["", "raise RuntimeError('it fails')", "sys.exit(3)"])
def test_a_program_that_ends_or_fails_leaves_it_dark(tmp_path: Path, end: str) -> None:
    file = tmp_path / "pins"
    subprocess.run(
        [sys.executable, "-c", PROGRAM.format(pin=LIGHT, end=end), str(file)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        timeout=60,
    )
    assert [level for _, level in levels(file)[f"GPIO{LIGHT}"]][-2:] == [1, 0]


def test_what_runs_after_a_kill_turns_it_off(tmp_path: Path) -> None:
    file = tmp_path / "pins"
    subprocess.run(
        [
            sys.executable,
            "-c",
            PROGRAM.format(pin=LIGHT, end="import os; os.kill(os.getpid(), 9)"),
            str(file),
        ],
        cwd=ROOT,
        timeout=60,
    )
    assert levels(file)[f"GPIO{LIGHT}"][-1][1] == 1, "else the rest would prove nothing"
    assert LIGHT in outputs_off(kept_factory(file), Pins(camera=LIGHT))
    assert levels(file)[f"GPIO{LIGHT}"][-1][1] == 0


def test_a_closed_light_may_be_closed_again() -> None:
    light = PinCameraLight(MockFactory(), LIGHT)
    light.close()
    light.close()


# --- the kit and the other words that open the camera ------------------------------------------


class Blind:
    def read(self, image: Any, regions: Any = None) -> tuple[()]:
        return ()


def test_the_kits_light_is_on_from_before_the_first_picture_until_it_is_closed(
    scene: Any, factory: MockFactory
) -> None:
    with build(settings(), reader_for=lambda source: Blind()) as kit:
        assert is_lit(factory)
        kit.after_each_frame(kit.stop)
        kit.run()
        assert is_lit(factory)
    assert not is_lit(factory)
    assert scene.open_now == 0


def test_a_kit_whose_camera_is_missing_leaves_it_dark(scene: Any, factory: MockFactory) -> None:
    scene.present = False
    with pytest.raises(CameraMissing):
        build(settings(), reader_for=lambda source: Blind())
    assert not is_lit(factory)


def test_a_kit_whose_camera_is_lost_for_good_leaves_it_dark(
    scene: Any, factory: MockFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi.camera.RETRY_WAITS_S", ())
    with build(settings(), reader_for=lambda source: Blind()) as kit:
        scene.silent_captures = 99
        with pytest.raises(CameraSilent):
            kit.run()
    assert not is_lit(factory)


def test_a_camera_whose_light_is_taken_is_not_opened(scene: Any, factory: MockFactory) -> None:
    with ExitStack() as opened:
        opened.callback(PinCameraLight(factory, LIGHT).close)
        with pytest.raises(NoPinFactory, match=r"light on pin 11.*systemctl stop upcard"):
            open_camera("pi", settings(), opened, factory=factory)
    assert scene.opened == 0


def test_no_pin_no_light(scene: Any, factory: MockFactory) -> None:
    with ExitStack() as opened:
        camera = open_camera("pi", settings(pins=Pins()), opened)
        next(camera.frames())
        camera.close()
    assert LIGHT not in factory.pins


def look_with_calibrate(tmp_path: Path, emit: Any) -> None:
    given = argparse.Namespace(
        source=None, output=tmp_path / "kept.json", picture=None, force=False, seed=1
    )
    plan = calibrate.plan_for(given, folder=tmp_path)
    calibrate.calibrate(plan, reader=Blind(), emit=emit, complain=print)


def look_with_teach(tmp_path: Path, emit: Any) -> None:
    given = argparse.Namespace(
        name="ours", source=None, cards="Kh", order=None, views=1, threads=1, seed=1
    )
    teach.teach(teach.plan_for(given, folder=tmp_path), emit=emit, complain=print)


def look_with_doctor(tmp_path: Path, emit: Any) -> None:
    (told,) = doctors_look(
        settings(width_px=1920, height_px=1080), Surroundings(), health=None, kit_runs=False
    )
    assert told.status == "pass", told.detail
    emit(told)


@pytest.mark.parametrize("look", [look_with_calibrate, look_with_teach, look_with_doctor])
def test_every_word_that_opens_the_camera_lights_it_and_takes_the_tables_size(
    scene: Any,
    factory: MockFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    look: Any,
) -> None:
    file = tmp_path / "upcard.toml"
    file.write_text(f'table = "pi"\nwidth_px = 1920\nheight_px = 1080\n[pins]\ncamera = {LIGHT}\n')
    monkeypatch.setenv("UPCARD_SETTINGS", str(file))
    # Where a folder has the name of a source the camera is meant all the same.
    (tmp_path / "pi").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pi.calibrate.on_a_pi", lambda: True)
    monkeypatch.setattr("pi.teach.on_a_pi", lambda: True)
    # A camera that has shown all it has is not waited for.
    monkeypatch.setattr("pi.camera.RETRY_WAITS_S", ())
    del scene.timestamps_ns[30:]
    lit_at: list[bool] = []
    start = strict_picamera2.Picamera2.start

    def starting(self: Any) -> None:
        lit_at.append(is_lit(factory))
        start(self)

    monkeypatch.setattr(strict_picamera2.Picamera2, "start", starting)
    # Nothing lies on this table, and then the pictures end: only the light is asked about.
    with suppress(VisionError, CameraSilent):
        look(tmp_path, lambda line: None)
    assert lit_at
    assert all(lit_at)
    assert not is_lit(factory)
    assert {tuple(c["main"]["size"]) for c in scene.configurations} == {(1920, 1080)}


# --- settings ----------------------------------------------------------------------------------


def test_the_pin_is_none_until_it_is_named_and_may_not_be_anothers() -> None:
    assert Pins().camera is None
    assert settings_from({"pins": {"camera": 11}}).pins.camera == 11
    with pytest.raises(BadSettings, match="pin 17 is used twice"):
        settings_from({"pins": {"camera": 17}})
    with pytest.raises(BadSettings, match="pin 14 will not do"):
        settings_from({"pins": {"camera": 14}})
