"""One line of the doctor, and what a check may ask of the machine around it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from engine.wording import Sentence, english, worded

Status = Literal["pass", "warn", "fail"]

#: No tool that a check asks may hold up the page longer.
_TOOL_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing examined, in English and for any language; ``cure`` is empty where nothing
    needs doing."""

    name: str
    status: Status
    detail: str
    cure: str = ""
    said: Sentence | None = None
    said_cure: Sentence | None = None


def line(*, name: str, status: Status, detail: Sentence, cure: Sentence | None = None) -> Check:
    """A check of which ``detail`` and ``cure`` are told."""
    return Check(
        name=name,
        status=status,
        detail=english(detail),
        cure="" if cure is None else english(cure),
        said=detail,
        said_cure=cure,
    )


def busy(name: str) -> Check:
    """What is held by a kit that runs beside the doctor."""
    return line(
        name=name,
        status="pass",
        detail=worded("in use by the running kit; the page's doctor sees it: /doctor"),
    )


def answer_of(command: Sequence[str]) -> str | None:
    """What a system tool prints, or None where it is missing, fails or does not answer."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TOOL_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The machine as the checks see it. ``root``: its file system. ``ask``: runs a tool."""

    root: Path = Path("/")
    ask: Callable[[Sequence[str]], str | None] = answer_of
    now_s: Callable[[], float] = time.time

    def read(self, name: str) -> str | None:
        """A small file under the root as text, None where there is none."""
        try:
            return (self.root / name).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def there(self, name: str) -> bool:
        return (self.root / name).exists()

    def on_a_pi(self) -> bool:
        return on_a_pi(self.root / "proc/device-tree/model")


def on_a_pi(model_file: Path = Path("/proc/device-tree/model")) -> bool:
    """Whether this is a Raspberry Pi, by what the kernel says of the board."""
    try:
        return b"Raspberry Pi" in model_file.read_bytes()
    except OSError:
        return False
