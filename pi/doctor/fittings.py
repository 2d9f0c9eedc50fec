"""What hangs on the pins, part by part: buttons, lights, buzzer, shuffler, sensors, camera light.

With no kit running each pin is really opened: outputs switched off, inputs read. Within a running
kit that kit tells; beside one nothing is touched.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from engine.cards import Seat
from engine.wording import Sentence, say, worded
from pi.doctor.check import Check, Surroundings, busy, line
from pi.errors import KitError
from pi.gpio import Factory, open_factory
from pi.ports import Sensed
from pi.settings import KitSettings

#: The tables that open a camera, and so have use for its light.
_WITH_CAMERA: Final = ("pi", "usb")
#: The tables that have pins of their own or none, and leave those of the Pi alone.
_WITHOUT_PINS: Final = ("sim", "clip")
Part: TypeAlias = Literal["buttons", "lights", "buzzer", "shuffler", "sensors", "camera light"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """What a running kit knows of its fittings. ``halted``: what is the matter with the shuffler,
    None where it goes on by itself."""

    stuck: tuple[Seat, ...] = ()
    sensed: Sensed = field(default_factory=Sensed)
    halted: Sentence | None = None


def pins(
    settings: KitSettings,
    around: Surroundings,
    *,
    kit_runs: bool,
    fitted: Fitted | None = None,
) -> Iterator[Check]:
    """Whether the pins can be reached, and each part that hangs on them.

    ``kit_runs``: a kit holds the pins. ``fitted``: that kit is this one, and this is what it sees.
    """
    if not around.on_a_pi():
        yield line(
            name="pins",
            status="warn",
            detail=worded("not a Raspberry Pi: buttons, lights and shuffler are simulated"),
        )
        if settings.pins.camera is not None and settings.table in _WITH_CAMERA:
            yield line(
                name="camera light",
                status="warn",
                detail=worded(
                    "pin {number} is set for it, and this is no Raspberry Pi: it stays dark",
                    number=settings.pins.camera,
                ),
                cure=worded("the page says when the camera runs; or take camera out of [pins]"),
            )
        return
    try:
        importlib.import_module("lgpio")
    except Exception as error:
        yield line(
            name="pins",
            status="fail",
            detail=worded("lgpio: {words}", words=str(error)),
            cure=worded("sudo apt install python3-lgpio"),
        )
        return
    chips = sorted(path.name for path in (around.root / "dev").glob("gpiochip*"))
    reachable = any(os.access(around.root / "dev" / chip, os.R_OK | os.W_OK) for chip in chips)
    yield line(
        name="pins",
        status="pass" if reachable else "fail",
        detail=say("words", words=", ".join(chips)) if chips else worded("no gpiochip device"),
        cure=(
            None
            if reachable
            else worded("add your user to the group gpio: sudo usermod -aG gpio $USER")
        ),
    )
    if reachable:
        yield from _parts(settings, kit_runs=kit_runs, fitted=fitted)


def _parts(settings: KitSettings, *, kit_runs: bool, fitted: Fitted | None) -> Iterator[Check]:
    """A line for every part, as far as the settings have it; the rest is looked at."""
    here = settings.pins.camera is not None and settings.table in _WITH_CAMERA
    parts: list[Part] = ["buttons", "lights", "buzzer"]
    if settings.shuffler.fitted:
        parts.append("shuffler")
        if settings.shuffler.sensors:
            parts.append("sensors")
    if here:
        parts.append("camera light")
    if fitted is not None:
        yield from (_told(part, settings, fitted) for part in parts)
    elif kit_runs:
        yield from (busy(part) for part in parts)
    else:
        yield from _tried(parts, settings)
    if not settings.shuffler.fitted:
        yield line(name="shuffler", status="pass", detail=worded("none is fitted: shuffle by hand"))
    elif not settings.shuffler.sensors:
        yield line(
            name="sensors",
            status="pass",
            detail=worded("none are wired: a pass of the shuffler is timed"),
        )
    if not here:
        yield _dark(settings)


def _dark(settings: KitSettings) -> Check:
    """The camera's light where it is never lit."""
    pin = settings.pins.camera
    if pin is None:
        return line(
            name="camera light",
            status="pass",
            detail=worded("none is wired: the page says when the camera runs"),
        )
    return line(
        name="camera light",
        status="warn",
        detail=worded(
            "pin {number} is set for it, and this table opens no camera: it stays dark",
            number=pin,
        ),
        cure=worded("with a camera set table to pi or usb in the settings"),
    )


def _numbers(part: Part, settings: KitSettings) -> tuple[int, ...]:
    pins = settings.pins
    match part:
        case "buttons":
            return pins.buttons
        case "lights":
            return pins.lights
        case "buzzer":
            return (pins.buzzer,)
        case "shuffler":
            return (pins.touch,)
        case "sensors":
            return tuple(getattr(pins, name) for name in settings.shuffler.sensors or ())
        case "camera light":
            return () if pins.camera is None else (pins.camera,)


# --- within the running kit --------------------------------------------------------------------


def _told(part: Part, settings: KitSettings, fitted: Fitted) -> Check:
    if settings.table in _WITHOUT_PINS:
        return line(
            name=part,
            status="pass",
            detail=worded("not in use by this kit: its table is simulated or recorded"),
        )
    match part:
        case "buttons" if fitted.stuck:
            return _pressed(fitted.stuck)
        case "shuffler" if fitted.halted is not None:
            return line(
                name=part,
                status="warn",
                detail=fitted.halted,
                cure=worded("do as it says, or shuffle by hand"),
            )
        case "sensors":
            return _seen(
                {name: getattr(fitted.sensed, name) for name in settings.shuffler.sensors or ()}
            )
    return line(
        name=part,
        status="pass",
        detail=worded("in use by this kit: {words}", words=_listed(_numbers(part, settings))),
    )


# --- no kit runs: each pin is opened -----------------------------------------------------------


def _tried(parts: Sequence[Part], settings: KitSettings) -> Iterator[Check]:
    try:
        factory = open_factory("lgpio")
    except KitError as error:
        for part in parts:
            yield line(
                name=part,
                status="fail",
                detail=say("words", words=str(error)),
                cure=worded("see the line pins"),
            )
        return
    try:
        for part in parts:
            yield _tried_one(part, settings, factory)
    finally:
        factory.close()


def _tried_one(part: Part, settings: KitSettings, factory: Factory) -> Check:
    from gpiozero import DigitalInputDevice, DigitalOutputDevice

    numbers = _numbers(part, settings)
    levels: list[bool] = []
    for number in numbers:
        try:
            if part in ("buttons", "sensors"):
                with DigitalInputDevice(number, pull_up=True, pin_factory=factory) as contact:
                    levels.append(bool(contact.is_active))
            else:
                # Off is what it is between two uses: nothing lights, sounds or is touched.
                DigitalOutputDevice(number, initial_value=False, pin_factory=factory).close()
        except Exception as error:
            # lgpio raises its own error class for a pin that another program holds.
            return line(
                name=part,
                status="fail",
                detail=worded(
                    "pin {number} cannot be opened: {words}", number=number, words=str(error)
                ),
                cure=worded(
                    "end the other program that holds it, or name another pin under [pins]"
                ),
            )
    if part == "sensors":
        return _seen(dict(zip(settings.shuffler.sensors or (), levels, strict=True)))
    if part == "buttons":
        down = tuple(seat for seat, pressed in enumerate(levels) if pressed)
        if down:
            return _pressed(down)
        return line(
            name=part,
            status="pass",
            detail=worded("{words}: none is pressed", words=_listed(numbers)),
        )
    return line(
        name=part,
        status="pass",
        detail=worded("{words}: can be switched, off now", words=_listed(numbers)),
    )


# --- what they say -----------------------------------------------------------------------------


def _listed(numbers: Sequence[int]) -> str:
    return f"GPIO {', '.join(map(str, numbers))}"


def _pressed(seats: tuple[Seat, ...]) -> Check:
    return line(
        name="buttons",
        status="warn",
        detail=worded("pressed all the time: {seats:and}", seats=seats),
        cure=worded(
            "see whether something lies on it or its wire touches ground; the page does all it does"
        ),
    )


def _seen(closed: Mapping[str, bool | None]) -> Check:
    seen = [f"{name} {'closed' if level else 'open'}" for name, level in closed.items()]
    return line(
        name="sensors",
        status="pass",
        detail=worded(
            "{words}: lay a card in and ask again, each must change", words=", ".join(seen)
        ),
    )
