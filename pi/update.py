"""``upcard update``: another version from a folder, or the one before, by the kit's installer."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pi.errors import KitError

_HOME: Final = Path("/opt/upcard")
INSTALLED: Final = _HOME / "current"
#: Where the installer makes each version, with an environment of its own.
RELEASES: Final = _HOME / "releases"
_INSTALLER: Final = Path("deploy/install.sh")


class NothingToUpdate(KitError, FileNotFoundError):
    """There is no installed kit here, or no version where one was said to be."""


def command_for(
    folder: Path | None, *, roll_back: bool, installed: Path = INSTALLED, root: bool = False
) -> list[str]:
    """What to run. ``folder``: where the new version was unpacked; None with ``roll_back``.

    Raises NothingToUpdate with what to do instead.
    """
    sudo = [] if root else ["sudo"]
    if not installed.exists():
        raise NothingToUpdate(
            f"no kit is installed in {installed}: a checkout is brought up to date with git pull, "
            "a kit is installed with sudo deploy/install.sh"
        )
    if roll_back:
        return [*sudo, str(installed / "source" / _INSTALLER), "--roll-back"]
    if folder is None:
        raise NothingToUpdate(
            "name the folder of the new version: git pull or unpack it first, or say --roll-back"
        )
    script = folder / _INSTALLER
    if not script.is_file():
        raise NothingToUpdate(f"{script} is not there: name the folder that holds all of Upcard")
    return [*sudo, str(script.absolute())]


def update(
    folder: Path | None,
    *,
    roll_back: bool,
    run: Callable[[str, Sequence[str]], object] = os.execvp,
) -> None:
    """Hand over to the installer: this process becomes it, and does not return."""
    command = command_for(folder, roll_back=roll_back, root=os.geteuid() == 0)
    run(command[0], command)
