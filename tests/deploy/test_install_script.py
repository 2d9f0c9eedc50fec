"""A version that is installed and works is left as it is; one that is broken is made afresh.

The installer's own functions, with a folder for ``/opt/upcard`` and a Python that only makes the
environment's files: whole installations are run in a fresh system by ``in_trixie.sh``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ID = "0.1-abcdef0123"
STOPS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Kit:
    """An ``/opt/upcard`` in a folder, and a checkout to install from."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.home = folder / "opt"
        self.release = self.home / "releases" / ID
        self.source = folder / "checkout"
        self.tools = folder / "tools"
        self.made = folder / "made.txt"
        for name in ("engine", "vision", "models", "web_dashboard", "pi", "deploy"):
            (self.source / name).mkdir(parents=True)
            (self.source / name / "part.py").write_text("")
        (self.source / "requirements").mkdir()
        for name in ("requirements/run.lock", "pyproject.toml", "README.md", "LICENSE"):
            (self.source / name).write_text("")
        self.tools.mkdir()
        self.works(True)
        # Everything before the work: the functions and the folders, with ours for the system's.
        script = (root / "deploy/install.sh").read_text()
        functions = script.partition("# --- the work")[0]
        assert "HOME_DIR=/opt/upcard\n" in functions
        functions = functions.replace("HOME_DIR=/opt/upcard\n", f"HOME_DIR={self.home}\n")
        self.script = folder / "functions.sh"
        # What comes after it takes files of the folder it was started in, too.
        self.script.write_text(
            f'{functions}\npi=no id={ID}\ncd "$SOURCE"\nmake_release\ncat deploy/part.py\n'
        )

    def works(self, good: bool, *, meanwhile: str = "") -> None:
        """Whether what is made from now on will work; ``meanwhile``: what happens at that."""
        python = self.tools / "python3"
        python.write_text(
            "#!/bin/sh\n"
            # python3 -m venv FOLDER
            'folder="$3"; mkdir -p "$folder/bin"\n'
            'printf "#!/bin/sh\\nexit 0\\n" >"$folder/bin/python"\n'
            f'printf "#!/bin/sh\\nexit {0 if good else 1}\\n" >"$folder/bin/upcard"\n'
            'chmod 755 "$folder"/bin/*\n'
            f'echo "$folder" >>{self.made}\n'
            f"{meanwhile}\n"
        )
        python.chmod(0o755)

    def install(self, source: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(self.script)],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PATH": f"{self.tools}:{os.environ['PATH']}",
                "SOURCE": str(source or self.source),
            },
            timeout=60,
            # Whatever started the tests may let a signal pass; a terminal does not.
            preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in STOPS],
        )

    def break_it(self) -> None:
        (self.release / "venv/bin/upcard").write_text("#!/bin/sh\nexit 1\n")

    def times_made(self) -> int:
        return len(self.made.read_text().splitlines()) if self.made.exists() else 0

    def is_whole(self) -> bool:
        return (self.release / "made").exists() and not list(self.home.rglob("*.broken"))


@pytest.fixture
def kit(tmp_path: Path, root: Path) -> Kit:
    if shutil.which("sh") is None:
        pytest.skip("there is no sh here: the installer is for Debian")
    return Kit(tmp_path, root)


def test_a_version_that_works_is_made_once(kit: Kit) -> None:
    assert kit.install().returncode == 0
    again = kit.install()
    assert (again.returncode, "is there already" in again.stderr) == (0, True)
    assert kit.times_made() == 1
    assert kit.is_whole()


def test_a_version_that_does_not_work_any_more_is_made_afresh(kit: Kit) -> None:
    kit.install()
    kit.break_it()
    again = kit.install()
    assert (again.returncode, "it is made afresh" in again.stderr) == (0, True)
    assert kit.times_made() == 2
    assert kit.is_whole()
    assert "is there already" in kit.install().stderr


def test_it_can_be_made_afresh_from_its_own_source(kit: Kit) -> None:
    kit.install()
    kit.break_it()
    again = kit.install(kit.release / "source")
    assert again.returncode == 0, again.stderr
    assert kit.is_whole()
    assert (kit.release / "source/engine/part.py").exists()


def test_what_cannot_be_made_afresh_is_put_back_as_it_was(kit: Kit) -> None:
    kit.install()
    kit.break_it()
    (kit.release / "kept").write_text("as it was")
    kit.works(False)
    again = kit.install()
    assert again.returncode != 0
    assert "does not work here and is not put to use" in again.stderr
    assert (kit.release / "kept").read_text() == "as it was"
    assert kit.is_whole()


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.name)
def test_who_stops_the_installer_meanwhile_has_the_version_as_it_was(
    kit: Kit, stop: signal.Signals
) -> None:
    kit.install()
    kit.break_it()
    (kit.release / "kept").write_text("as it was")
    kit.works(True, meanwhile=f"kill -{stop.value} $PPID")
    assert kit.install().returncode == 128 + stop
    assert (kit.release / "kept").read_text() == "as it was"
    assert kit.is_whole()


@pytest.mark.parametrize("own", [False, True], ids=["from a checkout", "from its own source"])
def test_after_a_power_cut_in_the_middle_the_version_is_still_not_lost(kit: Kit, own: bool) -> None:
    kit.install()
    kit.break_it()
    (kit.release / "kept").write_text("as it was")
    half = kit.release.with_name(f"{ID}.half")
    shutil.copytree(kit.release / "source", half / "source")
    kit.release.rename(kit.release.with_name(f"{ID}.broken"))
    half.rename(kit.release)
    kit.works(False)
    again = kit.install(kit.release / "source" if own else None)
    assert "does not work here and is not put to use" in again.stderr
    assert (kit.release / "kept").read_text() == "as it was"
    assert kit.is_whole()
    kit.works(True)
    assert kit.install().returncode == 0
    assert kit.is_whole()


def test_what_was_left_aside_by_one_that_was_done_but_for_tidying_goes(kit: Kit) -> None:
    kit.install()
    kit.release.with_name(f"{ID}.broken").mkdir()
    assert kit.install().returncode == 0
    assert kit.times_made() == 1
    assert kit.is_whole()


def test_a_version_that_never_worked_is_not_called_made(kit: Kit) -> None:
    kit.works(False)
    assert kit.install().returncode != 0
    assert not (kit.release / "made").exists()
    kit.works(True)
    assert kit.install().returncode == 0
    assert kit.is_whole()
