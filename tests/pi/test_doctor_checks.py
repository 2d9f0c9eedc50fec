"""The doctor on a Pi that is well and on Pis that are not: each line with its cure."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import socket
import sys
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine import facts
from engine.log import Entry
from engine.sqlite_log import SqliteLog
from engine.wording import english, spoken
from pi.clock import SteadyClock
from pi.doctor import Check, Surroundings, examine, fittings, report, software
from pi.doctor.bundle import BundleFailed, write_bundle
from pi.gpio import open_factory
from pi.settings import KitSettings

NOW_S = 1_800_000_000.0
PICTURE = "0123456789abcdef0123456789abcdef"


class FakePi:
    """A file system with what a Pi's kernel shows, and the tools it has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.throttled: str | None = "throttled=0x0\n"
        self.journal: str | None = None
        self.write("proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
        self.write("etc/os-release", 'PRETTY_NAME="Debian 13"\nVERSION_CODENAME=trixie\n')
        self.write("sys/class/thermal/thermal_zone0/temp", "51234\n")
        self.write("run/systemd/timesync/synchronized", "")
        self.write("run/avahi-daemon/socket", "")
        self.write("dev/gpiochip0", "")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def ask(self, command: Sequence[str]) -> str | None:
        match list(command):
            case ["vcgencmd", "get_throttled"]:
                return self.throttled
            case ["journalctl", *_]:
                return self.journal
        return None

    def around(self, now_s: float = NOW_S) -> Surroundings:
        return Surroundings(root=self.root, ask=self.ask, now_s=lambda: now_s)


@pytest.fixture
def pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePi:
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setitem(sys.modules, "simplejpeg", ModuleType("simplejpeg"))
    monkeypatch.setattr(fittings, "open_factory", lambda kind: open_factory("mock"))
    path = Path(__file__).with_name("strict_picamera2.py")
    spec = importlib.util.spec_from_file_location("strict_picamera2_of_the_doctor", path)
    assert spec is not None
    assert spec.loader is not None
    strict = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = strict
    spec.loader.exec_module(strict)
    scene = strict.Scene()
    scene.timestamps_ns = [time.clock_gettime_ns(time.CLOCK_BOOTTIME) for _ in range(9)]
    monkeypatch.setitem(sys.modules, "picamera2", strict.module(scene))
    fake = FakePi(tmp_path / "root")
    fake.scene = scene  # type: ignore[attr-defined]
    return fake


def seen(pi: FakePi, tmp_path: Path, *, now_s: float = NOW_S, **changes: Any) -> dict[str, Check]:
    options: dict[str, Any] = {
        "log_path": tmp_path / "games.db",
        "settings": KitSettings(table="pi"),
        "around": pi.around(now_s),
    }
    checks = examine(**(options | changes))
    assert all(check.cure for check in checks if check.status == "fail"), checks
    return {check.name: check for check in checks}


def test_a_pi_that_is_well_passes_every_line(pi: FakePi, tmp_path: Path) -> None:
    checks = seen(pi, tmp_path)
    # A test's machine may lack a network and its disk may be slow: they are not the Pi's.
    own = {name: c for name, c in checks.items() if name not in ("network", "writing", "python")}
    assert {name for name, c in own.items() if c.status != "pass"} == set()
    assert "1280x720" in checks["camera"].detail
    assert "51 degrees" in checks["temperature"].detail
    assert "trixie" in (pi.root / "etc/os-release").read_text()
    assert {"system", "kit", "log", "disk", "pictures", "pins", "clock", "power"} <= set(checks)


@pytest.mark.parametrize(
    ("change", "line", "status", "says"),
    [
        (("sys/class/thermal/thermal_zone0/temp", "74000"), "temperature", "warn", "air"),
        (("sys/class/thermal/thermal_zone0/temp", "84000"), "temperature", "fail", "air"),
        (("etc/os-release", "VERSION_CODENAME=bookworm\n"), "system", "warn", "Trixie"),
        (("etc/os-release", "VERSION_CODENAME=forky\n"), "system", "warn", "Trixie"),
    ],
)
def test_what_the_kernel_shows_is_judged(
    pi: FakePi, tmp_path: Path, change: tuple[str, str], line: str, status: str, says: str
) -> None:
    pi.write(*change)
    check = seen(pi, tmp_path)[line]
    assert check.status == status
    assert says in check.cure


@pytest.mark.parametrize(
    ("told", "status", "says", "cure"),
    [
        ("throttled=0x1", "fail", "now the power supply is too weak", "power supply"),
        ("throttled=0x50005", "fail", "now the power supply is too weak", "air"),
        ("throttled=0x10000", "warn", "since the start the power supply", "power supply"),
        ("throttled=0x80000", "warn", "heat limit", "air"),
        ("nonsense", "warn", "does not say", "raspi-utils"),
        (None, "warn", "does not say", "raspi-utils"),
    ],
)
def test_weak_power_and_heat_are_told_by_the_firmwares_bits(
    pi: FakePi, tmp_path: Path, told: str | None, status: str, says: str, cure: str
) -> None:
    pi.throttled = told
    check = seen(pi, tmp_path)["power"]
    assert (check.status, says in check.detail, cure in check.cure) == (status, True, True)


def test_a_camera_that_is_missing_busy_or_silent_fails_with_the_cure(
    pi: FakePi, tmp_path: Path
) -> None:
    scene: Any = pi.scene  # type: ignore[attr-defined]
    scene.silent_captures = 100
    assert seen(pi, tmp_path)["camera"].status == "fail"
    assert scene.open_now == 0, "the doctor left the camera open"
    scene.silent_captures = 0
    scene.present = False
    check = seen(pi, tmp_path)["camera"]
    assert (check.status, "cable" in check.cure) == ("fail", True)


def test_while_a_kit_runs_its_camera_is_left_alone(pi: FakePi, tmp_path: Path) -> None:
    scene: Any = pi.scene  # type: ignore[attr-defined]
    with SqliteLog(tmp_path / "games.db"):
        checks = seen(pi, tmp_path)
    assert str(os.getpid()) in checks["kit"].detail
    assert "in use by the running kit" in checks["camera"].detail
    assert scene.opened == 0
    assert seen(pi, tmp_path)["kit"].detail == "no kit runs on this log now"


@pytest.mark.parametrize(
    ("age_us", "status"), [(150_000, "pass"), (9_000_000, "fail"), (None, "warn")]
)
def test_from_within_the_kit_the_age_of_the_last_frame_counts(
    pi: FakePi, tmp_path: Path, age_us: int | None, status: str
) -> None:
    health = {"camera": "Pi camera", "frame_age_us": age_us, "fps": 9.9}
    checks = seen(pi, tmp_path, health=health)
    assert checks["camera"].status == status
    assert "kit" not in checks


@pytest.mark.parametrize(
    ("table", "status", "says"),
    [
        ("hand", "pass", "none is wanted"),
        ("sim", "warn", "settings say"),
        ("usb", "fail", "no USB camera answers"),
    ],
)
def test_the_camera_is_looked_for_as_the_settings_say(
    pi: FakePi, tmp_path: Path, table: Any, status: str, says: str
) -> None:
    if table == "usb" and Path("/dev/video63").exists():
        pytest.skip("this machine has a camera of that number")
    scene: Any = pi.scene  # type: ignore[attr-defined]
    check = seen(pi, tmp_path, settings=KitSettings(table=table, device=63))["camera"]
    assert (check.status, says in check.detail) == (status, True)
    assert scene.opened == 0


def test_the_sensors_that_are_wired_say_what_they_see(
    pi: FakePi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pi.settings import ShufflerSettings

    mock = open_factory("mock")
    monkeypatch.setattr(fittings, "open_factory", lambda kind: mock)
    monkeypatch.setattr(mock, "close", lambda: None)  # looked at again below
    wired = KitSettings(table="pi", shuffler=ShufflerSettings(sensors=("hopper", "left")))
    # A mock pin jumps to its pull when it is opened; a real one stays where the sensor holds it.
    kind = type(mock.pin(wired.pins.hopper))
    monkeypatch.setattr(kind, "_set_pull", lambda pin, value: setattr(pin, "_pull", value))
    mock.pin(wired.pins.left).drive_high()
    mock.pin(wired.pins.hopper).drive_low()
    check = seen(pi, tmp_path, settings=wired)["sensors"]
    assert "hopper closed, left open" in check.detail
    mock.pin(wired.pins.hopper).drive_high()
    assert "hopper open, left open" in seen(pi, tmp_path, settings=wired)["sensors"].detail
    with SqliteLog(tmp_path / "games.db"):
        assert "running kit" in seen(pi, tmp_path, settings=wired)["sensors"].detail
    none = KitSettings(table="pi", shuffler=ShufflerSettings(sensors=()))
    assert "timed" in seen(pi, tmp_path, settings=none)["sensors"].detail


def test_a_simplejpeg_of_another_numpy_is_named_with_the_cure(
    pi: FakePi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "simplejpeg")
    (tmp_path / "apt").mkdir()
    (tmp_path / "apt" / "simplejpeg.py").write_text(
        'raise ValueError("numpy.dtype size changed, may indicate binary incompatibility")'
    )
    monkeypatch.syspath_prepend(str(tmp_path / "apt"))
    check = seen(pi, tmp_path)["import simplejpeg"]
    assert check.status == "fail"
    assert "installer" in check.cure


INSTALLED = Path("/opt/upcard/releases/1.0-0123456789/venv")
CHECKOUT = Path("/home/ann/upcard/.venv")


@pytest.mark.parametrize(
    ("prefix", "cure"),
    [
        (INSTALLED, "run the installer again"),
        (CHECKOUT, "remove the folder .venv and start ./upcard again"),
        (Path("/home/ann/env"), "make a new environment and install Upcard into it"),
    ],
)
@pytest.mark.parametrize("fault", ["missing", "old"])
def test_what_does_not_import_is_cured_where_its_environment_was_made(
    monkeypatch: pytest.MonkeyPatch, prefix: Path, cure: str, fault: str
) -> None:
    if fault == "missing":
        monkeypatch.setitem(sys.modules, "segno", None)
    else:
        version = importlib.metadata.version
        monkeypatch.setattr(
            importlib.metadata, "version", lambda name: "1.2" if name == "segno" else version(name)
        )
    (told,) = (c for c in software.imports(prefix) if c.name == "import segno")
    assert (told.status, cure in told.cure) == ("fail", True)
    assert (".venv" in told.cure) == (prefix == CHECKOUT)
    assert ("1.6 or later" in told.cure) == (fault == "old")


@pytest.mark.parametrize(
    ("prefix", "cure"),
    [(INSTALLED, "run the installer again"), (CHECKOUT, "git checkout -- models")],
)
def test_a_damaged_model_is_cured_where_it_was_put(tmp_path: Path, prefix: Path, cure: str) -> None:
    (told,) = software.reader_models(tmp_path, prefix)
    assert (told.status, cure in told.cure) == ("fail", True)


def started(at_us: int, *names: str, title: str = "") -> Entry:
    fact = facts.GameStarted(rules={"preset": "home"}, names=names, dealer=0, title=title)
    return Entry(at_us=at_us, source="page", fact=fact)


def test_the_clock_is_judged_by_network_time_and_by_the_log(pi: FakePi, tmp_path: Path) -> None:
    assert seen(pi, tmp_path)["clock"].status == "pass"
    (pi.root / "run/systemd/timesync/synchronized").unlink()
    check = seen(pi, tmp_path)["clock"]
    assert (check.status, "no clock chip" in check.detail) == ("warn", True)
    assert seen(pi, tmp_path, now_s=100_000.0)["clock"].status == "fail"
    with SqliteLog(tmp_path / "games.db") as log:
        newest = started(round(NOW_S * 1e6), "A", "B", "C", "D")
        log.append("g", [newest], after_version=0)
    check = seen(pi, tmp_path, now_s=NOW_S - 86_400)["clock"]
    assert (check.status, "set back" in check.detail) == ("warn", True)
    wall = {"ns": 10**18}
    clock = SteadyClock(wall_ns=lambda: wall["ns"], steady_ns=lambda: 0)
    wall["ns"] += 3600 * 10**9
    check = seen(pi, tmp_path, clock=clock)["clock"]
    assert (check.status, "+3600 s" in check.detail) == ("warn", True)


def test_pictures_and_clips_are_counted_with_the_days_they_stay(pi: FakePi, tmp_path: Path) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / f"{PICTURE}.jpg").write_bytes(b"x" * 2_000_000)
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "clip-20260101-200000.avi").write_bytes(b"x" * 1_000_000)
    detail = seen(pi, tmp_path)["pictures"].detail
    assert "1 pictures of cards" in detail
    assert "1 clips" in detail
    assert "3.0 MB" in detail
    assert "kept 30 days" in detail


def test_a_disk_that_cannot_be_written_fails(pi: FakePi, tmp_path: Path) -> None:
    def closed(path: Any, *rest: Any) -> int:
        raise OSError(30, os.strerror(30))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "open", closed)
        check = seen(pi, tmp_path, only_software=False)["writing"]
    assert check.status == "fail"
    assert "Read-only file system" in check.detail
    assert "card" in check.cure


def test_a_damaged_game_is_counted_and_the_cure_is_one_word(pi: FakePi, tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with SqliteLog(path) as log:
        log.append("a", [started(1, "A", "B", "C", "D")], after_version=0)
        log.append("b", [started(2, "E", "F", "G", "H")], after_version=0)
    path.write_bytes(path.read_bytes().replace(b'["E",', b'["X",'))
    check = seen(pi, tmp_path)["log"]
    assert check.status == "fail"
    assert "1 of 2 games" in check.detail
    assert "upcard restore --salvage" in check.cure


def test_old_or_missing_copies_of_the_games_are_told(pi: FakePi, tmp_path: Path) -> None:
    assert "backup" not in seen(pi, tmp_path)
    folder = pi.root / "var/backups/upcard"
    folder.mkdir(parents=True)
    assert seen(pi, tmp_path)["backup"].status == "warn"
    copy = folder / "games-2026-11-30.db"
    copy.write_bytes(b"")
    os.utime(copy, (NOW_S - 3600, NOW_S - 3600))
    assert seen(pi, tmp_path)["backup"].status == "pass"
    os.utime(copy, (NOW_S - 9 * 86_400,) * 2)
    check = seen(pi, tmp_path)["backup"]
    assert (check.status, "9 days" in check.detail) == ("warn", True)


def test_the_page_gets_plain_values(pi: FakePi, tmp_path: Path) -> None:
    lines = report(examine(log_path=tmp_path / "games.db", around=pi.around(), only_software=True))
    assert json.loads(json.dumps(lines)) == lines
    assert all(set(line) == {"name", "status", "text", "cure", "say", "say_cure"} for line in lines)
    for line in lines:
        assert english(spoken(line["say"])) == line["text"]
        assert (english(spoken(line["say_cure"])) if line["say_cure"] else "") == line["cure"]
    assert {line["name"] for line in lines} >= {"python", "import cv2", "model finder"}
    assert not any(line["name"] in ("camera", "network", "disk") for line in lines)


# --- the bundle --------------------------------------------------------------------------------

SECRETS = (
    "Zebulon",
    "Quetzal",
    "Thursday at Mabel",
    "4711-0815",
    "47110815",
    "192.168.7.23",
    "fe80::dead:beef:1",
    "d8:3a:dd:12:34:56",
    "cheated by",
    PICTURE,
    "hunter2",
)


@pytest.fixture
def bundle(pi: FakePi, tmp_path: Path) -> dict[str, str]:
    log_path = tmp_path / "games.db"
    with SqliteLog(log_path) as log:
        log.append("old", [started(5, "Zebulon", "B", "C", "D")], after_version=0)
        log.append(
            "new",
            [
                started(10**15, "Quetzal Smith", "Bo", "Cy", "Di", title="Thursday at Mabel's"),
                Entry(
                    at_us=10**15 + 7,
                    source="seat:2",
                    fact=facts.CardPlayed(seat=2, card="9h", evidence=PICTURE),
                ),
                Entry(at_us=10**15 + 9, source="x", fact=facts.GameEnded(reason="cheated by Bo")),
            ],
            after_version=0,
        )
    (tmp_path / "access.json").write_text('{"secret": "hunter2abc", "codes": {"1": "47110815"}}')
    pi.journal = (
        "live page: http://192.168.7.23:8080/join#4711-0815\n"
        "code 47110815 from fe80::dead:beef:1 (d8:3a:dd:12:34:56)\n"
        f"Zebulon played on {socket.gethostname()}; the camera is silent\n"
        "password: hunter2\n"
    )
    checks = [
        *examine(log_path=log_path, around=pi.around(), only_software=True),
        Check(name="network", status="pass", detail="http://192.168.7.23:8080/"),
        Check(name="log", status="fail", detail="Quetzal Smith cannot be read", cure="x"),
    ]
    parts = write_bundle(
        tmp_path / "report.zip",
        checks=checks,
        log_path=log_path,
        settings=KitSettings(log=log_path),
        around=pi.around(),
    )
    with zipfile.ZipFile(tmp_path / "report.zip") as packed:
        assert tuple(packed.namelist()) == parts
        return {name: packed.read(name).decode() for name in parts}


def test_the_bundle_holds_no_name_picture_code_or_address(bundle: dict[str, str]) -> None:
    for name, text in bundle.items():
        for secret in SECRETS:
            assert secret.lower() not in text.lower(), f"{secret} is in {name}"
        assert socket.gethostname() not in text


def test_the_bundle_still_says_what_is_needed(bundle: dict[str, str]) -> None:
    assert "the camera is silent" in bundle["journal.txt"]
    checks = json.loads(bundle["doctor.json"])
    assert {"python", "network", "log"} <= {check["name"] for check in checks}
    assert "numpy" in bundle["versions.txt"]
    assert json.loads(bundle["settings.json"])["pins"]["touch"] == KitSettings().pins.touch
    lines = [json.loads(line) for line in bundle["last-game.jsonl"].splitlines()]
    assert [line["at_us"] for line in lines] == [0, 7, 9]
    assert lines[0]["fact"]["names"] == ["North", "East", "South", "West"]
    assert lines[1]["fact"] == {
        **lines[1]["fact"],
        "kind": "card_played",
        "card": "9h",
        "evidence": None,
    }


def test_a_bundle_writes_over_nothing(pi: FakePi, tmp_path: Path) -> None:
    file = tmp_path / "report.zip"
    file.write_bytes(b"mine")
    with pytest.raises(BundleFailed, match="already"):
        write_bundle(
            file,
            checks=[],
            log_path=tmp_path / "games.db",
            settings=KitSettings(),
            around=pi.around(),
        )
    assert file.read_bytes() == b"mine"
