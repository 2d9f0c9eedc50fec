"""The built wheel holds all it needs and runs from another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--no-build-isolation", "--wheel-dir", str(out), str(root)),
        ],
        check=True,
        capture_output=True,
    )
    (built,) = out.glob("upcard-*.whl")
    return built


def test_the_wheel_holds_the_models_and_the_page(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    for part in (
        "models/",
        "web_dashboard/templates/",
        "web_dashboard/static/js/",
        "web_dashboard/static/cards/",
    ):
        assert any(name.startswith(part) for name in names), part
    assert any(name.endswith(".onnx") for name in names)


def test_the_wheel_holds_no_test_and_no_page_source_is_missing(wheel, root):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert not any(name.startswith("tests/") for name in names)
    for folder in ("static", "templates"):
        for file in (root / "web_dashboard" / folder).rglob("*"):
            if file.is_file():
                assert str(file.relative_to(root)) in names


def test_the_command_runs_from_the_wheel_in_another_folder(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import engine, pi.cli, sys; print(engine.__file__);"
            "sys.exit(pi.cli.main(['odds', '--cards', '24', '--passes', '3', '--json']))",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    where, answer = ran.stdout.splitlines()
    assert where.startswith(str(tmp_path))
    assert answer.startswith('{"cards":24,"passes":3,"tv":0.99')
