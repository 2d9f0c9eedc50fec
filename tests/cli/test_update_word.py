"""upcard update hands over to the installer, and says what to do where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pi.cli import main
from pi.update import NothingToUpdate, command_for


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    there = tmp_path / "opt" / "current"
    there.mkdir(parents=True)
    return there


def test_a_new_versions_own_installer_is_run_as_root(installed: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    (new / "deploy").mkdir(parents=True)
    (new / "deploy" / "install.sh").write_text("#!/bin/sh\n")
    script = str(new / "deploy" / "install.sh")
    assert command_for(new, roll_back=False, installed=installed) == ["sudo", script]
    assert command_for(new, roll_back=False, installed=installed, root=True) == [script]


def test_rolling_back_is_done_by_the_version_in_use(installed: Path) -> None:
    script = str(installed / "source/deploy/install.sh")
    assert command_for(None, roll_back=True, installed=installed) == ["sudo", script, "--roll-back"]


def test_what_is_missing_is_named(installed: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingToUpdate, match="git pull"):
        command_for(tmp_path, roll_back=False, installed=tmp_path / "nowhere")
    with pytest.raises(NothingToUpdate, match=r"install\.sh is not there"):
        command_for(tmp_path, roll_back=False, installed=installed)
    with pytest.raises(NothingToUpdate, match="--roll-back"):
        command_for(None, roll_back=False, installed=installed)


def test_off_a_kit_the_word_says_so_in_one_line(capsys: Any) -> None:
    if Path("/opt/upcard/current").exists():
        pytest.skip("a kit is installed here")
    assert main(["update", "--roll-back"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert len(told.err.splitlines()) == 1
    assert "sudo deploy/install.sh" in told.err
