"""Putting the table's fittings on their pins: buttons, lights, buzzer, shuffler, camera light."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.commands import ReportShuffle
from engine.state import State
from engine.wording import Sentence
from pi.errors import NoPinFactory
from pi.gpio import Factory, open_factory
from pi.ports import CameraLight
from pi.settings import KitSettings, SensorKind
from pi.shuffling.attendant import Attendant
from pi.shuffling.memory import Memory, Waiting
from pi.shuffling.passes import AT_REST, Times
from pi.shuffling.touch import GUARD_S, TouchShuffler, fitted_pins
from pi.tending import Fittings

if TYPE_CHECKING:
    from pi.camera import CameraLock, PiCamera, UsbCamera
    from pi.clock import SteadyClock

#: What stays of the shuffler's work over a restart, beside the log.
MEMORY_NAME = "shuffler.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wired:
    """The pins to use, and the clock that the fittings are driven by.

    ``sensors``: those of the shuffler that are wired. ``own_clock``: nobody's frames drive it,
    it has to be asked for the time. ``guard_s``: the longest touch on the clock on the wall.
    ``reads``: somebody at the (simulated) table who wants to know whether passes are to come.
    """

    factory: Factory
    now_us: Callable[[], int]
    sensors: tuple[SensorKind, ...]
    own_clock: bool
    guard_s: float = GUARD_S
    reads: Callable[[Callable[[], bool]], None] | None = None


def open_fittings(
    wired: Wired,
    settings: KitSettings,
    *,
    game: Callable[[], State],
    report: Callable[[ReportShuffle], Sentence | None],
    closing: ExitStack,
    waiting: Callable[[], tuple[Waiting, ...]] = tuple,
) -> Fittings:
    """Open them all; ``closing`` puts lights out and lets go of the shuffler.

    ``waiting``: the passes that the log has not taken. Raises what gpiozero raises when a pin
    is taken.
    """
    from pi.buttons import SeatButtons
    from pi.lights import PinBuzzer, SeatLights

    pins, factory = settings.pins, wired.factory
    # The shuffler first: its relay is off from then on, whatever else fails to open.
    shuffling = None
    if settings.shuffler.fitted:
        shuffler = TouchShuffler(
            factory,
            touch=pins.touch,
            sensors=fitted_pins(pins, wired.sensors),
            guard_s=wired.guard_s,
        )
        closing.callback(shuffler.close)
        shuffling = Attendant(
            shuffler,
            game=game,
            report=report,
            now_us=wired.now_us,
            sensors=wired.sensors,
            times=Times(pass_us=round(settings.shuffler.pass_s * 1e6)),
            passes=max(settings.passes, 1),
            second_pack=settings.shuffler.second_pack,
            memory=Memory(memory_path(settings)),
            waiting=waiting,
        )
    if shuffling is not None and wired.reads is not None:
        attendant = shuffling
        wired.reads(lambda: attendant.work.phase not in AT_REST)
    buttons = SeatButtons(factory, pins.buttons, now_us=wired.now_us)
    closing.callback(buttons.close)
    lights = SeatLights(factory, pins.lights)
    closing.callback(lights.close)
    buzzer = PinBuzzer(factory, pins.buzzer)
    closing.callback(buzzer.close)
    return Fittings(buttons=buttons, lights=lights, buzzer=buzzer, shuffling=shuffling)


def open_camera_light(
    settings: KitSettings, closing: ExitStack, *, factory: Factory | None = None
) -> CameraLight | None:
    """The light that says that the camera runs; None where the settings name no pin for it.

    ``closing`` puts it out. ``factory`` None: on the computer's own pins. Raises NoPinFactory:
    a camera whose light cannot be lit is not opened.
    """
    from pi.lights import PinCameraLight

    pin = settings.pins.camera
    if pin is None:
        return None
    if factory is None:
        factory = open_factory("lgpio")
        closing.callback(factory.close)
    try:
        light = PinCameraLight(factory, pin)
    except Exception as error:
        # lgpio raises its own error class for a pin that another program holds.
        raise NoPinFactory(
            f"the camera's light on pin {pin} cannot be lit ({error}): end the other program that "
            "holds it (sudo systemctl stop upcard), or take camera out of [pins]"
        ) from error
    closing.callback(light.close)
    return light


def open_camera(
    kind: Literal["pi", "usb"],
    settings: KitSettings,
    closing: ExitStack,
    *,
    factory: Factory | None = None,
    lock: CameraLock | None = None,
    clock: SteadyClock | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> PiCamera | UsbCamera:
    """The camera that the settings describe, never on without its light.

    The caller closes it; ``closing`` puts the light out. ``factory``: the pins, where they are
    open already. Raises CameraMissing, NoPinFactory.
    """
    from pi.camera import PiCamera, UsbCamera
    from pi.doctor import on_a_pi

    here = factory is not None or kind == "pi" or on_a_pi()
    light = open_camera_light(settings, closing, factory=factory) if here else None
    size: dict[str, Any] = {
        "width_px": settings.width_px,
        "height_px": settings.height_px,
        "fps": settings.fps,
        "clock": clock,
        "wait": wait,
        "light": light,
    }
    if kind == "pi":
        return PiCamera(**size, lock=lock)
    return UsbCamera(settings.device, **size)


def memory_path(settings: KitSettings) -> Path | None:
    """Where the shuffler's work is kept; None where no log is."""
    return None if settings.log is None else settings.log.with_name(MEMORY_NAME)
