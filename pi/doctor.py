"""``upcard doctor``: is everything here that the kit stands on? Each line with its cure."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Status = Literal["pass", "warn", "fail"]

#: Import names so general that another package may claim them too.
OUR_NAMES = ("engine", "vision", "models", "web_dashboard", "pi")
#: What the kit imports, and the oldest version that is known to work.
NEEDED = (
    ("numpy", "numpy", (2, 0)),
    ("cv2", "opencv-python-headless", (4, 12)),
    ("onnxruntime", "onnxruntime", (1, 22)),  # 1.21.0 dies on a Pi 4
    ("flask", "flask", (3, 1)),
    ("gpiozero", "gpiozero", (2, 0, 1)),
)
#: A game is some 100 kB of log and pictures; an evening of them must fit with room to spare.
LOW_DISK_BYTES = 500_000_000
FULL_DISK_BYTES = 20_000_000
_REINSTALL = "get the models again: git checkout -- models, or install Upcard anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing examined. ``cure`` is empty where nothing needs doing."""

    name: str
    status: Status
    detail: str
    cure: str = ""


def on_a_pi(model_file: Path = Path("/proc/device-tree/model")) -> bool:
    """Whether this is a Raspberry Pi, by what the kernel says of the board."""
    try:
        return b"Raspberry Pi" in model_file.read_bytes()
    except OSError:
        return False


def examine(*, log_path: Path, models_dir: Path | None = None) -> list[Check]:
    """Every check in turn. A check that itself breaks is a fail that says so."""
    checks: list[tuple[str, Callable[[], Iterator[Check]]]] = [
        ("python", _python),
        ("imports", _imports),
        ("names", _names),
        ("model", lambda: _models(models_dir)),
        ("log", lambda: _log(log_path)),
        ("disk", lambda: _disk(log_path)),
        ("camera", _camera),
        ("pins", _pins),
        ("clock", _clock),
    ]
    found: list[Check] = []
    for name, check in checks:
        try:
            found.extend(check())
        except Exception as error:
            found.append(
                Check(
                    name=name,
                    status="fail",
                    detail=f"could not be examined: {type(error).__name__}: {error}",
                    cure="send this line with a bug report",
                )
            )
    return found


def _python() -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    private = sys.prefix != sys.base_prefix
    yield Check(
        name="python",
        status="pass" if private else "warn",
        detail=f"Python {version} in {sys.prefix}",
        cure="" if private else "start Upcard from its own environment: ./upcard run",
    )


def _numbers(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split("."):
        digits = "".join(c for c in part if c.isdigit())
        if not digits:
            break
        parts.append(int(digits))
    return tuple(parts)


def _imports() -> Iterator[Check]:
    for module, package, oldest in NEEDED:
        try:
            importlib.import_module(module)
            version = importlib.metadata.version(package)
        except (
            Exception
        ) as error:  # a wheel against another numpy raises ValueError, not ImportError
            yield Check(
                name=f"import {module}",
                status="fail",
                detail=f"{type(error).__name__}: {error}",
                cure="remove the folder .venv and start ./upcard again to make it afresh",
            )
            continue
        recent = _numbers(version) >= oldest
        yield Check(
            name=f"import {module}",
            status="pass" if recent else "fail",
            detail=f"{package} {version}",
            cure="" if recent else f"needs {'.'.join(map(str, oldest))} or later: remake .venv",
        )
    if "opencv-python" in {d.metadata["Name"] for d in importlib.metadata.distributions()}:
        yield Check(
            name="import cv2",
            status="fail",
            detail="both opencv-python and opencv-python-headless are installed",
            cure="they overwrite each other: uninstall opencv-python",
        )


def _names() -> Iterator[Check]:
    owners = importlib.metadata.packages_distributions()
    for name in OUR_NAMES:
        who = sorted(set(owners.get(name, [])))
        module = importlib.import_module(name)
        where = getattr(module, "__file__", None) or "nowhere"
        if who == ["upcard"]:
            yield Check(name=f"name {name}", status="pass", detail=f"upcard's, {where}")
        else:
            yield Check(
                name=f"name {name}",
                status="fail",
                detail=f"claimed by {', '.join(who) or 'nobody'}, found at {where}",
                cure="start Upcard from its own environment, with nothing else installed there",
            )


def _models(models_dir: Path | None) -> Iterator[Check]:
    import models

    try:
        card = models.machine_card(models_dir)
    except models.ModelError as error:
        yield Check(name="model", status="fail", detail=str(error), cure=_REINSTALL)
        return
    for name in (key for key, value in card.items() if isinstance(value, dict) and "file" in value):
        try:
            path = models.locate(name, models_dir=models_dir)
        except models.ModelError as error:
            yield Check(name=f"model {name}", status="fail", detail=str(error), cure=_REINSTALL)
            continue
        yield Check(
            name=f"model {name}",
            status="pass",
            detail=f"{path.name}, {path.stat().st_size / 1e6:.2f} MB, its hash is right",
        )


def _log(path: Path) -> Iterator[Check]:
    if not path.exists():
        yield Check(name="log", status="pass", detail=f"{path}: none yet, made at the first game")
        return
    link = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        verdict = link.execute("PRAGMA integrity_check").fetchone()[0]
        games = link.execute("SELECT count(DISTINCT game_id) FROM fact").fetchone()[0]
    except sqlite3.DatabaseError as error:
        yield Check(
            name="log",
            status="fail",
            detail=f"{path}: {error}",
            cure="move the file away and restore a backup: upcard restore FILE",
        )
        return
    finally:
        link.close()
    yield Check(
        name="log",
        status="pass" if verdict == "ok" else "fail",
        detail=f"{path}: {games} games, integrity {verdict}",
        cure="" if verdict == "ok" else "move the file away and restore a backup",
    )


def _disk(log_path: Path) -> Iterator[Check]:
    folder = log_path.parent
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    writable = os.access(folder, os.W_OK)
    status: Status = "pass"
    cure = ""
    if not writable:
        status, cure = "fail", f"make {folder} writable, or give another log with --log PATH"
    elif free < FULL_DISK_BYTES:
        status, cure = "fail", "make room: plays can no longer be recorded"
    elif free < LOW_DISK_BYTES:
        status, cure = "warn", "make room before a long evening"
    yield Check(
        name="disk", status=status, detail=f"{free / 1e9:.1f} GB free at {folder}", cure=cure
    )


def _camera() -> Iterator[Check]:
    try:
        from picamera2 import Picamera2
    except Exception as error:
        away = not on_a_pi()
        yield Check(
            name="camera",
            status="warn" if away else "fail",
            detail=f"picamera2 is not here ({error}); the simulated table and clips work",
            cure=""
            if away
            else "sudo apt install python3-picamera2 --no-install-recommends, and remake .venv "
            "with --system-site-packages",
        )
        return
    cameras = Picamera2.global_camera_info()
    yield Check(
        name="camera",
        status="pass" if cameras else "fail",
        detail=", ".join(str(c.get("Model")) for c in cameras) or "no camera answers",
        cure="" if cameras else "switch off, reseat the camera's ribbon cable, start again",
    )


def _pins() -> Iterator[Check]:
    if not on_a_pi():
        yield Check(
            name="pins",
            status="warn",
            detail="not a Raspberry Pi: buttons, lights and shuffler are simulated",
        )
        return
    try:
        importlib.import_module("lgpio")
    except Exception as error:
        yield Check(
            name="pins",
            status="fail",
            detail=f"lgpio: {error}",
            cure="sudo apt install python3-lgpio",
        )
        return
    chips = sorted(p.name for p in Path("/dev").glob("gpiochip*"))
    readable = any(os.access(f"/dev/{chip}", os.R_OK | os.W_OK) for chip in chips)
    yield Check(
        name="pins",
        status="pass" if readable else "fail",
        detail=", ".join(chips) or "no gpiochip device",
        cure="" if readable else "add your user to the group gpio: sudo usermod -aG gpio $USER",
    )


def _clock() -> Iterator[Check]:
    synchronised = Path("/run/systemd/timesync/synchronized").exists()
    if not on_a_pi():
        yield Check(name="clock", status="pass", detail="this machine keeps its own time")
    elif synchronised:
        yield Check(name="clock", status="pass", detail="set by network time")
    else:
        yield Check(
            name="clock",
            status="warn",
            detail="not set by network time since the start",
            cure="a Pi has no clock battery: dates of games may be wrong until it has a network",
        )
