"""The kit's settings: a TOML file, the command line on top of it, nothing guessed."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from pi.errors import BadDial, BadSettings
from pi.gpio import Pins
from pi.sim.dials import Dials

TableKind: TypeAlias = Literal["sim", "clip", "pi", "usb", "hand"]
#: What may watch the shuffler: cards in the tray, in the left and right pile, the motor.
SensorKind: TypeAlias = Literal["hopper", "left", "right", "motor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShufflerSettings:
    """The shuffler beside the table.

    ``fitted``: there is one. ``sensors``: those that are wired; None is all of them on the
    simulated table and none on a real one, where the pass is then timed and a person says that
    the tray is loaded. ``pass_s``: what one pass takes. ``second_pack``: two packs are in use,
    so the dealer's partner may shuffle the idle one during the deal.
    """

    fitted: bool = True
    sensors: tuple[SensorKind, ...] | None = None
    pass_s: float = 5.0
    second_pack: bool = False

    def __post_init__(self) -> None:
        known = get_args(SensorKind)
        for sensor in self.sensors or ():
            if sensor not in known:
                raise BadSettings(f"shuffler.sensors has {sensor!r}: known are {', '.join(known)}")
        if not 2 <= self.pass_s <= 30:
            raise BadSettings(f"shuffler.pass_s is {self.pass_s}: set it between 2 and 30 seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class KitSettings:
    """Everything :func:`pi.wiring.build` needs.

    ``table``: where the pictures come from; ``hand``: from nowhere, the cards are tapped in.
    ``clip``: the file, for table clip. ``rules``: a preset's name, or a mapping of options.
    ``log``: the log's file; None keeps the game in memory only. ``evidence``: the folder of
    pictures; None puts it beside the log. ``record``: a clip to write, with its commands beside it.
    ``fps``: pictures a second. ``speed``: how fast the simulated table and a clip run against the
    clock on the wall; None is as fast as possible. ``games``: how many games the simulated table
    plays, None without end. ``passes``: how often the shuffler runs between deals. ``width_px`` x
    ``height_px``: the picture's size. ``people_answer``: the simulated players answer what the kit
    asks, after a while, if nobody else does. ``device``: the USB camera's number. ``calibration``:
    the file ``upcard calibrate`` kept; None: the frame's sides are the seats. ``reader_threads``:
    what reading may use. ``pictures_days``: how long a picture is kept that a play, a finding or a
    review rests on. ``clip_s``: how many of the last seconds are kept in memory, for a clip that
    somebody asks for; 0 keeps none. ``page_names``: names the page may be reached under besides
    addresses and home names. ``trusted_proxies``: addresses of reverse proxies in front of the page
    that are believed about the visitor. ``tls``: the page is served over HTTPS, with a certificate
    that the kit makes itself.
    """

    table: TableKind = "sim"
    clip: Path | None = None
    rules: Mapping[str, Any] | str = "home"
    log: Path | None = None
    evidence: Path | None = None
    record: Path | None = None
    seed: int = 1
    fps: float = 10.0
    speed: float | None = 1.0
    games: int | None = None
    passes: int = 3
    width_px: int = 1280
    height_px: int = 720
    people_answer: bool = False
    device: int = 0
    calibration: Path | None = None
    reader_threads: int = 2
    pictures_days: int = 30
    clip_s: int = 10
    page_names: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    tls: bool = False
    dials: Dials = field(default_factory=Dials)
    pins: Pins = field(default_factory=Pins)
    shuffler: ShufflerSettings = field(default_factory=ShufflerSettings)

    def __post_init__(self) -> None:
        faults = tuple(_faults(self))
        if faults:
            raise BadSettings("; ".join(faults))


def _faults(s: KitSettings) -> list[str]:
    found: list[str] = []
    if s.table not in get_args(TableKind):
        found.append(f"table is {s.table!r}: take one of {', '.join(get_args(TableKind))}")
    if s.table == "clip" and s.clip is None:
        found.append("table is clip and no clip is named: give its path")
    if not 1 <= s.fps <= 60:
        found.append(f"fps is {s.fps}: set it between 1 and 60")
    if s.speed is not None and not 0 < s.speed <= 1000:
        found.append(f"speed is {s.speed}: set it above 0 and up to 1000")
    if s.games is not None and s.games < 1:
        found.append(f"games is {s.games}: play at least one")
    if not 0 <= s.passes <= 99:
        found.append(f"passes is {s.passes}: set it between 0 and 99")
    if not (320 <= s.width_px <= 4608 and 180 <= s.height_px <= 2592):
        found.append(
            f"the picture is {s.width_px} x {s.height_px}: from 320 x 180 to 4608 x 2592 will do"
        )
    if not 1 <= s.reader_threads <= 16:
        found.append(f"reader_threads is {s.reader_threads}: set it between 1 and 16")
    if not 1 <= s.pictures_days <= 3650:
        found.append(f"pictures_days is {s.pictures_days}: set it between 1 and 3650 days")
    if not 0 <= s.clip_s <= 60:
        found.append(f"clip_s is {s.clip_s}: set it between 0 and 60 seconds")
    return found


_PATHS = ("clip", "log", "evidence", "record", "calibration")
_WHOLE = (
    "seed",
    "games",
    "passes",
    "width_px",
    "height_px",
    "device",
    "reader_threads",
    "pictures_days",
    "clip_s",
)


def settings_path(
    given: Path | None, *, environment: Mapping[str, str] = os.environ
) -> Path | None:
    """The settings file: the one given, else the one that UPCARD_SETTINGS names, else none."""
    named = environment.get("UPCARD_SETTINGS")
    return given if given is not None else Path(named) if named else None


def kit_settings(given: Path | None, *, environment: Mapping[str, str] = os.environ) -> KitSettings:
    """What :func:`settings_path`'s file says, or the defaults where there is none."""
    path = settings_path(given, environment=environment)
    return KitSettings() if path is None else load_settings(path)


def load_settings(path: Path) -> KitSettings:
    """The settings of a TOML file; BadSettings names every key that is unknown or wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadSettings(
            f"the settings file {path} cannot be read ({error.strerror}): name another"
        ) from error
    except UnicodeDecodeError as error:
        raise BadSettings(f"the settings file {path} is not UTF-8 text: save it as such") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"the settings file {path} is no TOML: {error}") from error
    return settings_from(values, where=str(path))


def settings_from(values: Mapping[str, Any], *, where: str = "settings") -> KitSettings:
    """Settings from plain values, with tables ``dials`` and ``pins``."""
    known = {f.name for f in fields(KitSettings)}
    faults = [
        f"{key!r} is no setting: known are {', '.join(sorted(known))}"
        for key in values
        if key not in known
    ]
    changes: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            continue
        try:
            changes[key] = _value(key, value)
        except (BadSettings, BadDial) as error:
            faults.append(str(error))
    settings: KitSettings | None = None
    try:
        settings = replace(KitSettings(), **changes)
    except (BadSettings, TypeError) as error:
        faults.append(str(error))
    if faults or settings is None:
        raise BadSettings(f"{where}: " + "; ".join(faults))
    return settings


def _value(key: str, value: Any) -> Any:
    if key == "dials":
        return Dials(**_part(key, value, {f.name for f in fields(Dials)}, float))
    if key == "pins":
        names = {f.name for f in fields(Pins)}
        return Pins(**_part(key, value, names, int))
    if key == "shuffler":
        return ShufflerSettings(**_shuffler(value))
    if key == "rules":
        if not isinstance(value, str | Mapping):
            raise BadSettings(f"rules is {value!r}: give a preset's name or a table of options")
        return value
    if key in _PATHS:
        if not isinstance(value, str) or not value:
            raise BadSettings(f"{key} is {value!r}: give a path in quotes")
        return Path(value)
    if key == "table":
        return value
    if key in ("people_answer", "tls"):
        if not isinstance(value, bool):
            raise BadSettings(f"{key} is {value!r}: give true or false")
        return value
    if key in ("page_names", "trusted_proxies"):
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise BadSettings(f'{key} is {value!r}: give a list of names, such as ["127.0.0.1"]')
        return tuple(value)
    numbers = (int,) if key in _WHOLE else (int, float)
    if isinstance(value, bool) or not isinstance(value, numbers):
        whole = "a whole number" if key in _WHOLE else "a number"
        raise BadSettings(f"{key} is {value!r}: give {whole}")
    return value


def _shuffler(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise BadSettings(f"shuffler is {value!r}: write a table, [shuffler]")
    known = {f.name for f in fields(ShufflerSettings)}
    unknown = sorted(set(value) - known)
    if unknown:
        raise BadSettings(
            f"shuffler.{unknown[0]} is no setting: known are {', '.join(sorted(known))}"
        )
    made = dict(value)
    for name in ("fitted", "second_pack"):
        if name in made and not isinstance(made[name], bool):
            raise BadSettings(f"shuffler.{name} is {made[name]!r}: give true or false")
    if "pass_s" in made:
        given = made["pass_s"]
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise BadSettings(f"shuffler.pass_s is {given!r}: give a number of seconds")
    if "sensors" in made:
        given = made["sensors"]
        if not isinstance(given, list) or not all(isinstance(sensor, str) for sensor in given):
            raise BadSettings(
                f'shuffler.sensors is {given!r}: give a list, such as ["hopper", "left", "right"]'
            )
        made["sensors"] = tuple(given)
    return made


def _part(key: str, value: Any, known: set[str], kind: type) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise BadSettings(f"{key} is {value!r}: write a table, [{key}]")
    unknown = sorted(set(value) - known)
    if unknown:
        raise BadSettings(f"{key}.{unknown[0]} is no setting: known are {', '.join(sorted(known))}")
    made: dict[str, Any] = {}
    for name, given in value.items():
        if isinstance(given, list):
            made[name] = tuple(given)
        elif isinstance(given, bool) or not isinstance(given, int | float):
            raise BadSettings(f"{key}.{name} is {given!r}: give a number")
        else:
            made[name] = kind(given)
    for name, given in made.items():
        if isinstance(given, tuple) and (len(given) != 4 or not all(type(n) is int for n in given)):
            raise BadSettings(f"{key}.{name} is {list(given)}: give four pins, North first")
    return made
