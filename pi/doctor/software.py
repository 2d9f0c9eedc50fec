"""The software the kit stands on: Python, what it imports, its own names, its models."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.wording import Sentence, say, worded
from pi.doctor.check import Check, Surroundings, line
from pi.update import RELEASES

#: Import names so general that another package may claim them too.
OUR_NAMES = ("engine", "vision", "models", "web_dashboard", "pi")
#: What the kit imports, and the oldest version that is known to work.
NEEDED = (
    ("numpy", "numpy", (2, 0)),
    ("cv2", "opencv-python-headless", (4, 12)),
    ("onnxruntime", "onnxruntime", (1, 22)),  # 1.21.0 dies on a Pi 4
    ("flask", "flask", (3, 1)),
    ("cheroot", "cheroot", (11,)),
    ("gpiozero", "gpiozero", (2, 0, 1)),
    ("segno", "segno", (1, 6)),
)
#: The installer sees that the version it finds does not work, and makes it afresh.
_RUN_INSTALLER = worded(
    "run the installer again, in the folder that Upcard came in: sudo deploy/install.sh"
)


def _afresh(prefix: Path) -> Sentence:
    """How the environment in ``prefix`` is made afresh, by who made it."""
    if prefix.is_relative_to(RELEASES):
        return _RUN_INSTALLER
    if prefix.name == ".venv":
        return worded("remove the folder .venv and start ./upcard again to make it afresh")
    return worded(
        "make a new environment and install Upcard into it: {path} is this one", path=str(prefix)
    )


def _models_again(prefix: Path) -> Sentence:
    """How a model that is missing or damaged comes back."""
    if prefix.is_relative_to(RELEASES):
        return _RUN_INSTALLER
    return worded("get the models again: git checkout -- models, or install Upcard anew")


def python() -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    private = sys.prefix != sys.base_prefix
    yield line(
        name="python",
        status="pass" if private else "warn",
        detail=worded("Python {number_version} in {path}", number_version=version, path=sys.prefix),
        cure=(None if private else worded("start Upcard from its own environment: ./upcard run")),
    )


def _numbers(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split("."):
        digits = "".join(c for c in part if c.isdigit())
        if not digits:
            break
        parts.append(int(digits))
    return tuple(parts)


def imports(prefix: Path | None = None) -> Iterator[Check]:
    """Whether all that the kit needs imports; ``prefix``: the environment, None for this one."""
    prefix = Path(sys.prefix) if prefix is None else prefix
    for module, package, oldest in NEEDED:
        try:
            importlib.import_module(module)
            version = importlib.metadata.version(package)
        except (
            Exception
        ) as error:  # a wheel against another numpy raises ValueError, not ImportError
            yield line(
                name=f"import {module}",
                status="fail",
                detail=worded("{kind}: {words}", kind=type(error).__name__, words=str(error)),
                cure=_afresh(prefix),
            )
            continue
        recent = _numbers(version) >= oldest
        yield line(
            name=f"import {module}",
            status="pass" if recent else "fail",
            detail=worded("{package} {number_version}", package=package, number_version=version),
            cure=(
                None
                if recent
                else worded(
                    "needs {number_oldest} or later: {cure}",
                    number_oldest=".".join(map(str, oldest)),
                    cure=_afresh(prefix),
                )
            ),
        )
    if "opencv-python" in {d.metadata["Name"] for d in importlib.metadata.distributions()}:
        yield line(
            name="import cv2",
            status="fail",
            detail=worded("both opencv-python and opencv-python-headless are installed"),
            cure=worded("they overwrite each other: uninstall opencv-python"),
        )


def names() -> Iterator[Check]:
    owners = importlib.metadata.packages_distributions()
    for name in OUR_NAMES:
        who = sorted(set(owners.get(name, [])))
        module = importlib.import_module(name)
        where = getattr(module, "__file__", None) or "nowhere"
        if who == ["upcard"]:
            yield line(
                name=f"name {name}", status="pass", detail=worded("upcard's, {path}", path=where)
            )
        else:
            yield line(
                name=f"name {name}",
                status="fail",
                detail=worded(
                    "claimed by {words}, found at {path}", words=", ".join(who), path=where
                )
                if who
                else worded("claimed by nobody, found at {path}", path=where),
                cure=worded(
                    "start Upcard from its own environment, with nothing else installed there"
                ),
            )


def reader_models(models_dir: Path | None, prefix: Path | None = None) -> Iterator[Check]:
    """Whether each model is there and whole; ``prefix`` as in :func:`imports`."""
    import models

    cure = _models_again(Path(sys.prefix) if prefix is None else prefix)
    try:
        card = models.machine_card(models_dir)
    except models.ModelError as error:
        yield line(name="model", status="fail", detail=say("words", words=str(error)), cure=cure)
        return
    for name in (key for key, value in card.items() if isinstance(value, dict) and "file" in value):
        try:
            path = models.locate(name, models_dir=models_dir)
        except models.ModelError as error:
            yield line(
                name=f"model {name}",
                status="fail",
                detail=say("words", words=str(error)),
                cure=cure,
            )
            continue
        yield line(
            name=f"model {name}",
            status="pass",
            detail=worded(
                "{file}, {size} MB, its hash is right",
                file=path.name,
                size=f"{path.stat().st_size / 1e6:.2f}",
            ),
        )


def camera_packages(around: Surroundings) -> Iterator[Check]:
    """What apt gave and a wheel may break: simplejpeg of numpy 1 beside a numpy 2."""
    if not around.on_a_pi() and importlib.util.find_spec("simplejpeg") is None:
        return
    try:
        importlib.import_module("simplejpeg")
    except Exception as error:
        # "numpy.dtype size changed" is a ValueError.
        clash = "numpy" in str(error)
        yield line(
            name="import simplejpeg",
            status="fail",
            detail=worded("{kind}: {words}", kind=type(error).__name__, words=str(error)),
            cure=(
                worded(
                    "it was made for another numpy (Bookworm's is): run the installer "
                    "again, or use Raspberry Pi OS Trixie"
                )
                if clash
                else worded("sudo apt install python3-picamera2 --no-install-recommends")
            ),
        )
        return
    yield line(name="import simplejpeg", status="pass", detail=worded("it goes with this numpy"))


def system(around: Surroundings) -> Iterator[Check]:
    """Which system this is, and whether it is one that is supported."""
    told = around.read("etc/os-release") or ""
    fields = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    name = fields.get("PRETTY_NAME", "an unknown system").strip('"')
    board = (around.read("proc/device-tree/model") or "").strip("\0\n")
    detail = f"{name}, {board}" if board else name
    release = fields.get("VERSION_CODENAME", "")
    if not around.on_a_pi() or release == "trixie":
        yield line(name="system", status="pass", detail=say("words", words=detail))
    elif release == "bookworm":
        yield line(
            name="system",
            status="warn",
            detail=say("words", words=detail),
            cure=worded("Bookworm may work; Raspberry Pi OS Trixie is what is proved"),
        )
    else:
        yield line(
            name="system",
            status="warn",
            detail=say("words", words=detail),
            cure=worded("Raspberry Pi OS Trixie, 64-bit, is what is proved"),
        )
