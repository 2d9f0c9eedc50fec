"""The board and its camera, its clock, heat and power."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from engine.log import LogError
from engine.sqlite_log import SqliteLog
from engine.wording import say, worded
from pi.clock import SteadyClock
from pi.doctor.check import Check, Surroundings, busy, line
from pi.errors import KitError, NoPinFactory
from pi.settings import KitSettings

#: A frame older than this is no picture of now.
OLD_FRAME_US: Final = 3_000_000
#: A Pi slows down at 80 degrees Celsius (a 3B+ at 60), and is hurt by none of it.
WARM_C: Final = 70.0
HOT_C: Final = 80.0
#: Bits of vcgencmd get_throttled; the same, sixteen higher, since the start.
_NOW: Final = (
    (0, worded("the power supply is too weak")),
    (1, worded("the processor is held back")),
    (2, worded("the processor is slowed down")),
    (3, worded("it is at its heat limit")),
)
_SUPPLY: Final = worded("use the Raspberry Pi's own power supply and a short cable")
_AIR: Final = worded("give it air: a heat sink or a fan, not a closed box")
#: No Upcard was made before this.
_MADE_S: Final = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def camera(
    settings: KitSettings,
    around: Surroundings,
    *,
    health: Mapping[str, Any] | None,
    kit_runs: bool,
) -> Iterator[Check]:
    """Whether pictures come: from the running kit's health, else by opening the camera."""
    if health is not None:
        yield _camera_in_use(health)
        return
    match settings.table:
        case "hand":
            yield line(
                name="camera",
                status="pass",
                detail=worded("none is wanted: the cards are tapped in"),
            )
        case "usb":
            if kit_runs:
                yield busy("camera")
                return
            yield _opened("usb", settings, "USB camera")
        case "pi":
            try:
                from picamera2 import Picamera2
            except Exception as error:
                yield line(
                    name="camera",
                    status="fail",
                    detail=worded(
                        "picamera2 cannot be used: {kind}: {words}",
                        kind=type(error).__name__,
                        words=str(error),
                    ),
                    cure=worded(
                        "sudo apt install python3-picamera2 --no-install-recommends, and make "
                        "the environment with --system-site-packages (deploy/install.sh does "
                        "both)"
                    ),
                )
                return
            if kit_runs:
                yield busy("camera")
                return
            models = ", ".join(str(c.get("Model")) for c in Picamera2.global_camera_info())
            yield _opened("pi", settings, models or "Pi camera")
        case _:
            yield line(
                name="camera",
                status="warn",
                detail=(
                    worded("not looked for: the settings say that the table is simulated or a clip")
                    if around.on_a_pi()
                    else worded(
                        "not a Raspberry Pi: the simulated table, clips and USB cameras work"
                    )
                ),
            )


def _opened(kind: Literal["pi", "usb"], settings: KitSettings, what: str) -> Check:
    from pi.fitting import open_camera

    began = time.monotonic()
    try:
        with ExitStack() as opened:
            source = open_camera(kind, settings, opened, wait=lambda seconds: None)
            opened.callback(source.close)
            frame = next(islice(source.frames(), 1))
    except NoPinFactory as error:
        return line(
            name="camera",
            status="fail",
            detail=say("words", words=str(error)),
            cure=worded("see the lines pins and camera light"),
        )
    except KitError as error:
        return line(
            name="camera",
            status="fail",
            detail=say("words", words=str(error)),
            cure=worded("switch off, reseat the camera's cable at both ends, start again"),
        )
    height, width = frame.image.shape[:2]
    return line(
        name="camera",
        status="pass",
        detail=worded(
            "{what}: {width}x{height}, the first picture after {seconds} s",
            what=what,
            width=width,
            height=height,
            seconds=f"{time.monotonic() - began:.1f}",
        ),
    )


def _camera_in_use(health: Mapping[str, Any]) -> Check:
    what = str(health.get("camera", "camera"))
    age_us = health.get("frame_age_us")
    if age_us is None:
        return line(
            name="camera",
            status="warn",
            detail=worded("{what}: no picture yet", what=what),
            cure=worded("wait a moment; if none comes, look at its cable"),
        )
    fresh = age_us < OLD_FRAME_US
    return line(
        name="camera",
        status="pass" if fresh else "fail",
        detail=worded(
            "{what}: on, {rate} pictures a second, the last {seconds} s ago",
            what=what,
            rate=str(health.get("fps", 0)),
            seconds=f"{age_us / 1e6:.1f}",
        ),
        cure=(None if fresh else worded("the camera is silent: check its cable and its power")),
    )


def clock(around: Surroundings, log_path: Path, *, steady: SteadyClock | None) -> Iterator[Check]:
    """Whether the date can be believed. A Pi has no clock battery of its own."""
    now_s = around.now_s()
    shown = f"{datetime.fromtimestamp(now_s, tz=UTC):%Y-%m-%d %H:%M} UTC"
    newest_s = _newest_fact_s(log_path)
    jump_s = 0.0 if steady is None else steady.jump_s()
    if now_s < _MADE_S:
        yield line(
            name="clock",
            status="fail",
            detail=worded("{time} is before this software was made", time=shown),
            cure=worded("join a network once, or: sudo date --set '2026-11-30 20:00'"),
        )
    elif newest_s is not None and newest_s > now_s + 60:
        yield line(
            name="clock",
            status="warn",
            detail=worded(
                "{time} is before the newest play of the log ({time_newest}): it was set back",
                time=shown,
                time_newest=f"{datetime.fromtimestamp(newest_s, tz=UTC):%Y-%m-%d %H:%M}",
            ),
            cure=worded(
                "join a network once; games are kept in the order they were played all the same"
            ),
        )
    elif jump_s:
        yield line(
            name="clock",
            status="warn",
            detail=worded(
                "{time}; it was set by {duration} s while the table runs",
                time=shown,
                duration=f"{jump_s:+.0f}",
            ),
            cure=worded(
                "this game's times stay by the clock it began with; the next start takes the new"
            ),
        )
    elif not around.on_a_pi():
        yield line(
            name="clock",
            status="pass",
            detail=worded("{time}; this machine keeps its own time", time=shown),
        )
    elif around.there("run/systemd/timesync/synchronized"):
        yield line(
            name="clock", status="pass", detail=worded("{time}, set by network time", time=shown)
        )
    else:
        battery = worded(
            "a clock chip is there" if around.there("sys/class/rtc/rtc0") else "no clock chip"
        )
        yield line(
            name="clock",
            status="warn",
            detail=worded(
                "{time}, not set by network time since the start; {battery}",
                time=shown,
                battery=battery,
            ),
            cure=worded(
                "dates of games may be wrong until it has a network; play itself is not touched"
            ),
        )


def _newest_fact_s(log_path: Path) -> float | None:
    if not log_path.exists():
        return None
    try:
        with SqliteLog(log_path, read_only=True) as log:
            games = log.games()
            records = log.read(games[-1].game_id) if games else ()
    except LogError:
        return None
    return records[-1].at_us / 1e6 if records else None


def heat_and_power(around: Surroundings) -> Iterator[Check]:
    """Temperature, and whether power or heat hold the processor back."""
    text = around.read("sys/class/thermal/thermal_zone0/temp")
    if text is not None and text.strip().lstrip("-").isdigit():
        heat_c = int(text) / 1000
        status = "fail" if heat_c >= HOT_C else "warn" if heat_c >= WARM_C else "pass"
        yield line(
            name="temperature",
            status=status,  # type: ignore[arg-type]
            detail=worded("{degrees} degrees Celsius", degrees=f"{heat_c:.0f}"),
            cure=None if status == "pass" else _AIR,
        )
    if not around.on_a_pi():
        return
    told = around.ask(["vcgencmd", "get_throttled"])
    bits = _throttled(told)
    if bits is None:
        yield line(
            name="power",
            status="warn",
            detail=worded("vcgencmd does not say whether power or heat hold it back"),
            cure=worded("sudo apt install raspi-utils-core; the user needs the group video"),
        )
        return
    now = [words for bit, words in _NOW if bits >> bit & 1]
    before = [words for bit, words in _NOW if bits >> (bit + 16) & 1 and not bits >> bit & 1]
    cures = [cure for cure, mask in ((_SUPPLY, 0x1_0001), (_AIR, 0xE_000E)) if bits & mask]
    if now:
        yield line(
            name="power",
            status="fail",
            detail=worded("now {faults:and}", faults=tuple(now)),
            cure=worded("{cures}", cures=tuple(cures)),
        )
    elif before:
        yield line(
            name="power",
            status="warn",
            detail=worded("at some time since the start {faults:and}", faults=tuple(before)),
            cure=worded("{cures}", cures=tuple(cures)),
        )
    else:
        yield line(name="power", status="pass", detail=worded("nothing holds the processor back"))


def _throttled(told: str | None) -> int | None:
    """The bits of ``throttled=0x50005``."""
    _, _, number = (told or "").strip().partition("=")
    try:
        return int(number, 16)
    except ValueError:
        return None
