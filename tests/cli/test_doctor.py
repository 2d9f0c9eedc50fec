"""The doctor tells what is wrong and how to cure it."""

from __future__ import annotations

import json
import shutil

import models
from engine.sqlite_log import SqliteLog
from pi.cli import main
from pi.doctor import examine


def by_name(checks):
    return {check.name: check for check in checks}


def test_a_sound_checkout_has_no_failure(tmp_path, capsys):
    assert main(["doctor", "--json", "--log", str(tmp_path / "games.db")]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"python", "import cv2", "name engine", "disk", "camera", "pins"} <= {
        line["name"] for line in lines
    }
    assert not [line for line in lines if line["status"] == "fail"]


def test_a_damaged_model_fails_with_its_name_and_a_cure(tmp_path):
    copy = tmp_path / "models"
    shutil.copytree(models.folder_of(), copy, ignore=shutil.ignore_patterns("__pycache__"))
    with (copy / "finder.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"\0\1\2\3\4\5\6\7")
    checks = by_name(examine(log_path=tmp_path / "games.db", models_dir=copy))
    assert checks["model finder"].status == "fail"
    assert "finder.onnx" in checks["model finder"].detail
    assert checks["model finder"].cure
    assert checks["model classifier"].status == "pass"


def test_missing_models_fail(tmp_path):
    checks = by_name(examine(log_path=tmp_path / "games.db", models_dir=tmp_path))
    assert checks["model"].status == "fail"
    assert "reader.toml" in checks["model"].detail


def test_a_log_that_is_none_fails_and_a_sound_one_passes(tmp_path):
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"this is no log, whatever its name says" * 100)
    assert by_name(examine(log_path=noise))["log"].status == "fail"
    sound = tmp_path / "games.db"
    SqliteLog(sound).close()
    assert by_name(examine(log_path=sound))["log"].status == "pass"


def test_a_name_claimed_by_a_stranger_fails(tmp_path, monkeypatch):
    import importlib.metadata

    real = importlib.metadata.packages_distributions()
    monkeypatch.setattr(
        importlib.metadata,
        "packages_distributions",
        lambda: {**real, "vision": ["some-vision", "upcard"]},
    )
    checks = by_name(examine(log_path=tmp_path / "games.db"))
    assert checks["name vision"].status == "fail"
    assert "some-vision" in checks["name vision"].detail
    assert checks["name engine"].status == "pass"


def test_a_check_that_breaks_is_a_failure_and_not_a_stack_trace(tmp_path, monkeypatch):
    import shutil as disk

    def broken(path):
        raise RuntimeError("no such call here")

    monkeypatch.setattr(disk, "disk_usage", broken)
    checks = by_name(examine(log_path=tmp_path / "games.db"))
    assert checks["disk"].status == "fail"
    assert "no such call here" in checks["disk"].detail
