"""Clock jumps and silent cameras: what stamps do, what is tried again, and when it ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from pi.camera import RETRY_WAITS_S, UsbCamera
from pi.clock import SteadyClock
from pi.errors import CameraMissing, CameraSilent

HOUR_NS = 3_600 * 10**9
START_NS = 1_790_000_000 * 10**9


class Wall:
    """The wall's clock, which somebody sets, over a steady count, which nobody can."""

    def __init__(self) -> None:
        self.steady_ns = 50 * 10**9
        self.set_by_ns = 0

    def clock(self) -> SteadyClock:
        return SteadyClock(
            wall_ns=lambda: START_NS + self.steady_ns + self.set_by_ns,
            steady_ns=lambda: self.steady_ns,
        )


@pytest.mark.parametrize("hours", [-7, 7, 24 * 200])
def test_stamps_go_on_at_the_machines_pace_when_the_clock_is_set(hours: int) -> None:
    wall = Wall()
    clock = wall.clock()
    before_us = clock.now_us()
    wall.set_by_ns = hours * HOUR_NS
    wall.steady_ns += 400_000_000
    assert clock.now_us() - before_us == 400_000
    assert clock.jump_s() == pytest.approx(hours * 3600)


def test_network_time_that_corrects_by_a_little_is_no_jump() -> None:
    wall = Wall()
    clock = wall.clock()
    wall.set_by_ns = 1_500_000_000
    assert clock.jump_s() == 0
    assert not clock.adopt()


def test_a_clock_set_forward_can_be_taken_over_and_one_set_back_cannot() -> None:
    wall = Wall()
    clock = wall.clock()
    before_us = clock.now_us()
    wall.set_by_ns = 5 * HOUR_NS
    assert clock.adopt()
    assert clock.now_us() - before_us == 5 * 3_600_000_000
    assert clock.jump_s() == 0
    wall.set_by_ns = 0
    assert clock.jump_s() == pytest.approx(-5 * 3600)
    assert not clock.adopt()
    assert clock.now_us() - before_us == 5 * 3_600_000_000


class Plug:
    """USB cameras that can be pulled out: every capture that is opened sees the same plug."""

    def __init__(self, script: Iterator[bool]) -> None:
        self.script = script
        self.plugged = True
        self.opened = 0
        self.released = 0

    def open(self, device: int) -> Any:
        self.opened += 1
        return Capture(self)


class Capture:
    def __init__(self, plug: Plug) -> None:
        self.plug = plug

    def isOpened(self) -> bool:
        return self.plug.plugged

    def set(self, what: int, value: float) -> bool:
        return True

    def get(self, what: int) -> float:
        return 0.0  # as drivers answer what they do not know

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.plug.plugged and next(self.plug.script):
            return True, np.zeros((4, 6, 3), np.uint8)
        return False, None

    def release(self) -> None:
        self.plug.released += 1


def usb(plug: Plug, wait: Any) -> UsbCamera:
    return UsbCamera(0, width_px=640, height_px=480, fps=10, open_capture=plug.open, wait=wait)


def test_a_usb_camera_that_falls_silent_is_opened_again_and_goes_on() -> None:
    plug = Plug(iter([True] * 3 + [False] * 10 + [True] * 3))
    waits: list[float] = []
    stamps = [frame.at_us for frame in islice(usb(plug, waits.append).frames(), 6)]
    assert stamps == sorted(set(stamps))
    assert waits == [RETRY_WAITS_S[0]]
    assert plug.opened == 2
    assert plug.released == 1


def test_a_lost_frame_or_two_is_no_silence() -> None:
    plug = Plug(iter([True] + [False] * 9 + [True]))
    assert len(list(islice(usb(plug, lambda seconds: None).frames(), 2))) == 2
    assert plug.opened == 1


def test_a_usb_camera_unplugged_for_a_moment_is_waited_for_with_growing_patience() -> None:
    plug = Plug(iter([True] * 9))
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        plug.plugged = len(waits) == 3

    frames = usb(plug, wait).frames()
    next(frames)
    plug.plugged = False
    next(frames)
    assert waits == list(RETRY_WAITS_S)


def test_a_usb_camera_that_stays_away_ends_by_name_for_the_service_to_start_afresh() -> None:
    plug = Plug(iter([True]))
    camera = usb(plug, lambda seconds: None)
    frames = camera.frames()
    next(frames)
    plug.plugged = False
    with pytest.raises(CameraSilent, match="plug it in again"):
        next(frames)
    assert plug.opened == 1 + len(RETRY_WAITS_S)


def test_no_usb_camera_at_the_start_is_named_with_the_cure() -> None:
    plug = Plug(iter([]))
    plug.plugged = False
    with pytest.raises(CameraMissing, match="v4l2-ctl --list-devices"):
        usb(plug, lambda seconds: None)
