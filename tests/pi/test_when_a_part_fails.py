"""What the kit says and does when one of its parts is missing, closed, old or broken."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import strict_picamera2
from shuffle_scenes import Opened, play

from engine import facts
from engine.commands import Rejected, ReportShuffle, StartGame
from engine.log import Entry
from engine.sqlite_log import SqliteLog
from engine.table import Accepted
from engine.wording import english
from pi import ring as rings
from pi.camera import PiCamera
from pi.doctor import board, fittings, network, software, storage
from pi.doctor.check import Check, Surroundings, answer_of
from pi.errors import BadSettings, CameraSilent, NoPinFactory, RecordingFailed
from pi.gpio import open_factory
from pi.privacy import delete_game, tidy
from pi.recording import Recording
from pi.ring import Ring
from pi.settings import KitSettings, settings_from
from pi.shuffle import _nobody_there
from pi.shuffling.counter import NoKit, ask
from pi.wiring import PageTable, build
from vision.clips import ClipNotWritten, ClipWriter
from vision.frame import Frame

PICTURE = "0123456789abcdef0123456789abcdef"


def only(checks: Iterator[Check]) -> Check:
    (found,) = checks
    return found


def on_a_pi(root: Path) -> Surroundings:
    model = root / "proc/device-tree/model"
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_text("Raspberry Pi 5 Model B Rev 1.0\0")
    return Surroundings(root=root)


# --- the doctor --------------------------------------------------------------------------------


def test_a_tool_that_is_missing_or_fails_has_no_answer() -> None:
    assert answer_of([sys.executable, "-c", "print(7)"]) == "7\n"
    assert answer_of([sys.executable, "-c", "raise SystemExit(1)"]) is None
    assert answer_of(["/no/such/tool"]) is None


def test_without_a_network_the_doctor_says_how_to_join_or_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "addresses_v4", lambda: ())
    told = only(network.network(on_a_pi(tmp_path), port=8080))
    assert (told.status, "nmtui" in told.cure) == ("warn", True)
    assert network.page_url(port=8080) is None


def test_a_pi_whose_name_nobody_can_find_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "addresses_v4", lambda: ("192.168.7.9",))
    told = only(network.network(on_a_pi(tmp_path), port=8080))
    assert (told.status, told.detail) == ("warn", "http://192.168.7.9:8080/")
    assert "avahi-daemon" in told.cure
    assert network.page_url(port=8080) == "http://192.168.7.9:8080/"


def test_a_package_that_is_missing_or_too_old_fails_with_the_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = (("numpy", "numpy", (99, 1)), ("no_such_thing", "no-such-thing", (1,)))
    monkeypatch.setattr(software, "NEEDED", wanted)
    old, missing = software.imports()
    assert (old.status, "needs 99.1 or later" in old.cure) == ("fail", True)
    assert (missing.status, "ModuleNotFoundError" in missing.detail) == ("fail", True)


def test_two_opencvs_at_once_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    second = SimpleNamespace(metadata={"Name": "opencv-python"})
    there = [*importlib.metadata.distributions(), second]
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: there)
    told = list(software.imports())[-1]
    assert (told.status, "uninstall opencv-python" in told.cure) == ("fail", True)


@pytest.mark.parametrize(
    ("free", "status"), [(10**6, "fail"), (storage.LOW_DISK_BYTES - 1, "warn"), (10**12, "pass")]
)
def test_how_much_room_is_left_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, status: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    told = next(storage.disk(tmp_path / "not" / "yet" / "games.db"))
    assert (told.status, str(tmp_path) in told.detail) == (status, True)
    assert bool(told.cure) == (status != "pass")


def test_copies_that_cannot_be_listed_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "var/backups/upcard").mkdir(parents=True)

    def closed(self: Path, pattern: str) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "glob", closed)
    told = only(storage.backups(Surroundings(root=tmp_path)))
    assert (told.status, "Permission denied" in told.detail) == ("warn", True)


def look(table: Any, around: Surroundings, **known: Any) -> Check:
    options: dict[str, Any] = {"health": None, "kit_runs": False} | known
    return only(board.camera(KitSettings(table=table), around, **options))


def test_the_camera_of_a_running_kit_is_judged_by_its_newest_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = on_a_pi(tmp_path)
    health = {"camera": "Pi camera", "fps": 9.9}
    assert look("pi", around, health={**health, "frame_age_us": None}).status == "warn"
    assert look("pi", around, health={**health, "frame_age_us": 100_000}).status == "pass"
    old = look("pi", around, health={**health, "frame_age_us": 9_000_000})
    assert (old.status, "cable" in old.cure) == ("fail", True)
    assert look("hand", around).status == "pass"
    scene = strict_picamera2.Scene()
    monkeypatch.setitem(sys.modules, "picamera2", strict_picamera2.module(scene))
    for table in ("pi", "usb"):
        assert "in use by the running kit" in look(table, around, kit_runs=True).detail


def test_a_pi_without_picamera2_and_a_usb_camera_that_is_not_there_fail_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    told = look("pi", on_a_pi(tmp_path))
    assert (told.status, "apt install python3-picamera2" in told.cure) == ("fail", True)
    usb = KitSettings(table="usb", device=97)
    told = only(board.camera(usb, Surroundings(root=tmp_path), health=None, kit_runs=False))
    assert (told.status, "device 97" in told.detail) == ("fail", True)


def test_pins_without_lgpio_or_without_the_right_to_them_fail_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = on_a_pi(tmp_path)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    told = only(fittings.pins(KitSettings(), around, kit_runs=False))
    assert (told.status, told.cure) == ("fail", "sudo apt install python3-lgpio")
    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    told = only(fittings.pins(KitSettings(), around, kit_runs=False))
    assert (told.status, "group gpio" in told.cure) == ("fail", True)


def test_parts_whose_pins_cannot_be_opened_point_to_the_line_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(kind: str) -> Any:
        raise NoPinFactory("the pins cannot be reached")

    monkeypatch.setitem(sys.modules, "lgpio", ModuleType("lgpio"))
    monkeypatch.setattr(fittings, "open_factory", closed)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/gpiochip0").touch()
    settings = settings_from(
        {"table": "pi", "pins": {"camera": 11}, "shuffler": {"sensors": ["hopper"]}}
    )
    first, *parts = fittings.pins(settings, on_a_pi(tmp_path), kit_runs=False)
    assert first.status == "pass"
    assert {part.name: (part.status, part.cure) for part in parts} == dict.fromkeys(
        ("buttons", "lights", "buzzer", "shuffler", "sensors", "camera light"),
        ("fail", "see the line pins"),
    )


# --- the pins and the camera -------------------------------------------------------------------


def test_the_pins_are_those_of_lgpio_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = ModuleType("gpiozero.pins.lgpio")
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", stand_in)
    stand_in.LGPIOFactory = lambda: "the pins"  # type: ignore[attr-defined]
    assert open_factory("lgpio") == "the pins"

    def refused() -> Any:
        raise RuntimeError("can not open gpiochip")

    stand_in.LGPIOFactory = refused  # type: ignore[attr-defined]
    with pytest.raises(NoPinFactory, match="member of the group gpio"):
        open_factory("lgpio")
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)
    with pytest.raises(NoPinFactory, match="apt install python3-lgpio"):
        open_factory("lgpio")


@pytest.fixture
def camera_scene(monkeypatch: pytest.MonkeyPatch) -> Any:
    scene = strict_picamera2.Scene()
    scene.timestamps_ns = list(range(10**9, 10**11, 10**8))
    monkeypatch.setitem(sys.modules, "picamera2", strict_picamera2.module(scene))
    return scene


def test_a_lens_that_finds_no_sharp_place_or_no_rest_keeps_its_last_one(
    camera_scene: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    camera = PiCamera(width_px=320, height_px=180, fps=10)
    camera_scene.focus_works = False
    assert camera.settle().lens_dioptres == camera_scene.lens_at
    assert "found no sharp place" in caplog.text

    def stuck(self: Any, wait: float) -> bool:
        raise TimeoutError

    monkeypatch.setattr(strict_picamera2.Picamera2, "autofocus_cycle", stuck)
    assert camera.settle().lens_dioptres == camera_scene.lens_at
    assert "did not come to rest" in caplog.text
    camera.close()


def test_a_camera_that_goes_silent_while_it_settles_is_named(camera_scene: Any) -> None:
    camera = PiCamera(width_px=320, height_px=180, fps=10)
    camera_scene.silent_captures = 1
    with pytest.raises(CameraSilent, match="while it settles"):
        camera.settle()
    camera.close()


# --- files -------------------------------------------------------------------------------------


def started(name: str) -> Entry:
    names = (name, "F", "G", "H")
    fact = facts.GameStarted(rules={"preset": "home"}, names=names, dealer=0, title="")
    return Entry(at_us=1, source="page", fact=fact)


def test_a_damaged_game_can_be_deleted_and_no_picture_is_taken_for_an_orphan(
    tmp_path: Path,
) -> None:
    path, evidence = tmp_path / "games.db", tmp_path / "evidence"
    evidence.mkdir()
    (evidence / f"{PICTURE}.jpg").write_bytes(b"x")
    with SqliteLog(path) as log:
        log.append("a", [started("A")], after_version=0)
        log.append("b", [started("E")], after_version=0)
    path.write_bytes(path.read_bytes().replace(b'["E",', b'["X",'))
    # Of a game that cannot be read nobody knows which pictures it rests on: only age counts.
    fresh_s = (evidence / f"{PICTURE}.jpg").stat().st_mtime
    assert tidy(path, evidence, keep_days=30, now_s=fresh_s + 60) == 0
    with SqliteLog(path) as log:
        assert delete_game(log, "a", evidence).facts == 1
        assert delete_game(log, "b", evidence).facts == 1
        assert log.games() == ()
    path.write_bytes(b"no database at all" * 300)
    assert tidy(path, evidence, keep_days=30, now_s=fresh_s + 31 * 86_400) == 1


def test_a_recording_says_which_of_its_files_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clip.mp4.commands.jsonl").mkdir()
    (tmp_path / "clip.commands.jsonl").mkdir()
    with pytest.raises(RecordingFailed, match=r"commands\.jsonl cannot be written.*another folder"):
        Recording(tmp_path / "clip.mp4", fps=10)
    recording = Recording(tmp_path / "other.mp4", fps=10)
    recording.frame(Frame(at_us=0, image=np.zeros((90, 160, 3), np.uint8)))

    class Full:
        name = "other.commands.jsonl"

        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None: ...

    recording._commands = Full()  # type: ignore[assignment]
    with pytest.raises(RecordingFailed, match=r"other\.commands\.jsonl.*free some space"):
        recording.command(StartGame(), source="page", at_us=0)

    def cut_off(self: ClipWriter) -> None:
        raise ClipNotWritten("other.mp4 is not whole")

    monkeypatch.setattr(ClipWriter, "close", cut_off)
    with pytest.raises(RecordingFailed, match="not whole"):
        recording.close()


def test_a_clip_that_cannot_be_kept_is_refused_and_leaves_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = Ring(seconds=10)
    with pytest.raises(RecordingFailed, match="no picture is in memory yet"):
        ring.write_clip(tmp_path, fps=10)
    ring.add(Frame(at_us=0, image=np.zeros((90, 160, 3), np.uint8)))
    ring.add(Frame(at_us=1, image=np.zeros((180, 320, 3), np.uint8)))
    assert len(ring.stills()) == 2, "a picture of another size is another picture"
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingFailed, match="cannot be made"):
        ring.write_clip(tmp_path / "file" / "clips", fps=10)
    # Two sizes make no clip.
    with pytest.raises(RecordingFailed):
        ring.write_clip(tmp_path / "clips", fps=10)
    assert list((tmp_path / "clips").iterdir()) == []
    torn = Ring(seconds=10)
    torn._stills.append(rings.Still(at_us=0, jpeg=b"\xff\xd8torn"))
    with pytest.raises(RecordingFailed, match="not a picture"):
        torn.write_clip(tmp_path / "clips", fps=10)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"games": 0}, "games is 0: play at least one"),
        ({"passes": -1}, "passes is -1"),
        ({"reader_threads": 99}, "between 1 and 16"),
        ({"rules": 3}, "give a preset's name or a table"),
        ({"log": ""}, "give a path in quotes"),
        ({"tls": "yes"}, "give true or false"),
        ({"page_names": "one"}, "give a list of names"),
        ({"pins": {"lights": [1, 2]}}, "give four pins, North first"),
        ({"pins": 7}, r"write a table, \[pins\]"),
        ({"pins": {"camera": "11"}}, "give a number"),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_a_wrong_setting_is_named_with_what_would_do(values: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSettings, match=said):
        settings_from(values)


# --- the kit and its shuffler ------------------------------------------------------------------


def answering(path: Path, answer: bytes) -> socket.socket:
    """Something at ``path`` that answers every question so."""
    import threading

    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        try:
            while True:
                link, _ = server.accept()
                link.recv(4096)
                link.sendall(answer)
                link.close()
        except OSError:
            return

    threading.Thread(target=serve, daemon=True).start()
    return server


def test_what_answers_at_the_socket_may_be_no_kit(tmp_path: Path) -> None:
    server = answering(tmp_path / "odd", json.dumps({"hello": 1}).encode() + b"\n")
    with pytest.raises(NoKit, match="is no kit"):
        ask(tmp_path / "odd", {"do": "state"})
    assert not _nobody_there(tmp_path / "odd")
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    assert _nobody_there(tmp_path / "odd"), "left behind by a killed kit"
    assert not _nobody_there(tmp_path / "gone")


def test_a_press_that_is_refused_says_why(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    # The table's own refusal, for a seat that there is not.
    refusal = table.table.submit(ReportShuffle(seat=9, passes=1, machine=True), source="page")
    assert isinstance(refusal, Rejected)
    table.tending._do = lambda command, source: refusal
    table.press(1)
    assert refusal.reason in table.warned


class Blind:
    def read(self, image: Any, regions: Any = None) -> tuple[()]:
        return ()


def hand_table(log: Path | None) -> Any:
    return build(KitSettings(table="hand", log=log), reader_for=lambda source: Blind())


def test_a_game_kept_in_memory_only_has_no_place_for_a_clip() -> None:
    with hand_table(None) as kit, pytest.raises(RecordingFailed, match="name a log with --log"):
        kit.keep_clip()


def test_the_page_sees_the_table_through_the_kit(tmp_path: Path) -> None:
    with hand_table(tmp_path / "games.db") as kit:
        page = PageTable(kit)
        assert (page.version, page.game_id) == (0, None)
        assert isinstance(page.submit(StartGame(dealer=1), source="page"), Accepted)
        assert (page.version, page.game_id) == (kit.table.version, kit.table.game_id)
        told: list[Any] = []
        page.subscribe(told.append)
        page.submit(ReportShuffle(seat=1, passes=3, machine=False), source="page")
        assert len(told) == 1
        assert page.snapshot()["version"] == page.version
        lines = kit.doctor()
        assert {"camera", "log", "pins"} <= {line["name"] for line in lines}


def test_passes_that_no_game_can_take_are_said_and_given_up(tmp_path: Path) -> None:
    with hand_table(tmp_path / "games.db") as kit:
        kit.submit(StartGame(dealer=1), source="page")
        refused = kit._report_shuffle(ReportShuffle(seat=9, passes=1, machine=True))
        assert refused is not None
        assert "seat" in english(refused)
        assert kit.health()["unrecorded"] == 0
