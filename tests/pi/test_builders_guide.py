"""The builder's guide says what the code does: drawing, heights, settings, units."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pi.gpio import Pins, open_factory
from pi.mounting import FIELDS, LENSES, Lens, mount, seen_at, table
from pi.settings import load_settings
from pi.wiring_diagram import HEADER, place_of, svg, wires


def test_the_wiring_in_the_guide_is_drawn_from_the_settings_own_pins(root: Path) -> None:
    assert (root / "docs/builder/wiring.svg").read_text(encoding="utf-8") == svg()


def test_every_pin_of_the_settings_is_drawn_once_and_where_the_header_has_it() -> None:
    pins = Pins(camera=11)
    drawn = [wire.bcm for wire in wires(pins)]
    named = [pins.touch, pins.hopper, pins.left, pins.right, pins.motor, pins.buzzer, 11]
    assert sorted(drawn) == sorted([*named, *pins.buttons, *pins.lights])
    # gpiozero's own table of the board is the oracle for the header.
    factory = open_factory("mock")
    try:
        board = factory.board_info.headers["J8"]
        for number, what in enumerate(HEADER, start=1):
            name = board.pins[number].name
            if isinstance(what, int):
                assert name == f"GPIO{what}"
            else:
                assert name.replace("3V3", "3.3 V").replace("5V", "5 V") == what
        assert place_of(pins.touch) == 11
    finally:
        factory.close()


def test_other_pins_are_drawn_elsewhere() -> None:
    texts = [text.text for text in ElementTree.fromstring(svg(replace(Pins(), touch=10))).iter()]
    assert "GPIO 10" in texts
    assert "GPIO 17" not in texts


def test_the_cameras_light_is_drawn_where_it_is_wired_and_nowhere_else() -> None:
    assert "camera's light" not in svg(Pins())
    assert "GPIO 9" in svg(Pins(camera=9))


def test_the_heights_in_the_guide_are_computed(root: Path) -> None:
    assert table() in (root / "docs/builder/README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("lens", LENSES, ids=lambda lens: f"{lens.name} {lens.width_px}")
def test_straight_down_the_height_is_the_fields_size_over_the_angle(lens: Lens) -> None:
    for field in FIELDS:
        found = mount(lens, field, tilt_deg=0)
        across = math.tan(math.radians(lens.across_deg) / 2)
        down = across * lens.height_px / lens.width_px
        wanted = max(
            field.width_mm / 2 / across,
            field.depth_mm / 2 / down,
        )
        assert found.height_mm == pytest.approx(wanted, abs=1)
        assert found.index_px == pytest.approx(20 * lens.focal_px / wanted, rel=0.01)


def test_tilted_the_corners_just_fit_and_the_far_index_is_smaller() -> None:
    lens, field = LENSES[0], FIELDS[0]
    straight, tilted = (mount(lens, field, tilt_deg=t) for t in (0, 35))
    assert tilted.index_px < straight.index_px
    distance = math.hypot(tilted.height_mm, tilted.aside_mm)
    spans = [
        seen_at(lens, distance_mm=distance, tilt_deg=35, across_mm=x, away_mm=y)
        for x in (-400, 400)
        for y in (-250, 250)
    ]
    fill = max(max(abs(x) / 960, abs(y) / 540) for x, y in spans)
    assert 0.99 < fill <= 1.0


def test_the_shipped_settings_file_is_sound(root: Path) -> None:
    settings = load_settings(root / "deploy/upcard.toml")
    assert settings.table == "pi"
    assert settings.log == Path("/var/lib/upcard/games.db")
    assert not settings.shuffler.fitted
    assert settings.pictures_days == 30


def unit(root: Path, name: str) -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for line in (root / "deploy/systemd" / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            lines.setdefault(key, []).append(value)
    return lines


def test_the_service_is_fed_by_frames_asks_for_lgpio_and_leaves_the_pins_off(root: Path) -> None:
    service = unit(root, "upcard.service")
    assert service["Type"] == ["notify"]
    # Longer than the camera's own retries: the reopening is the first cure, the restart the last.
    from pi.camera import RETRY_WAITS_S, WAIT_S

    assert int(service["WatchdogSec"][0]) > sum(RETRY_WAITS_S) + WAIT_S * (len(RETRY_WAITS_S) + 1)
    environment = " ".join(service["Environment"])
    assert "GPIOZERO_PIN_FACTORY=lgpio" in environment
    assert "LG_WD=/run/upcard" in environment
    assert service["ExecStartPre"] == service["ExecStopPost"]
    assert service["ExecStartPre"][0].endswith("deploy/outputs-off")
    assert service["Restart"] == ["on-failure"]
    assert service["StartLimitIntervalSec"] == ["0"]
    # Groups come with the user: a name that this system lacks would keep the service from starting.
    assert "SupplementaryGroups" not in service
    assert service["User"] == ["upcard"]
    installer = (root / "deploy/install.sh").read_text()
    assert "for group in gpio video render i2c; do" in installer
    for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "MemoryDenyWriteExecute"):
        assert service[name] == ["yes"]
    assert service["ProtectSystem"] == ["strict"]


def test_the_words_that_the_units_use_are_words_of_the_command_line(root: Path) -> None:
    from pi.cli import _parser

    parser = _parser()
    found = 0
    for name in ("upcard.service", "upcard-backup.service"):
        for command in unit(root, name)["ExecStart"]:
            words = command.split("/venv/bin/upcard ", 1)[1].split()
            assert callable(parser.parse_args(words).run)
            found += 1
    text = (root / "deploy/outputs-off").read_text()
    assert "shuffle --off" in text
    assert callable(parser.parse_args(["shuffle", "--off"]).run)
    assert found == 3


def test_the_screens_page_has_the_place_where_the_code_goes(root: Path) -> None:
    page = (root / "deploy/kiosk/waiting.html").read_text()
    assert page.count('const link = "";') == 1
    assert 'const link = \\"\\"' in (root / "deploy/kiosk/prepare").read_text()
    screen = unit(root, "upcard-kiosk.service")
    assert screen["ExecStartPre"] == ["+/opt/upcard/current/source/deploy/kiosk/prepare"]
    assert screen["ExecStart"][0].endswith("file:///run/upcard-kiosk/waiting.html")


def test_the_screen_waits_for_the_tables_codes_and_keeps_the_link_to_itself(
    root: Path, tmp_path: Path
) -> None:
    """The script itself, in folders of its own; the codes come when it has waited once."""
    run, state, tools = (tmp_path / name for name in ("run", "state", "tools"))
    for folder in (run, state, tools):
        folder.mkdir()
    (tools / "upcard").write_text("#!/bin/sh\necho 'http://10.0.0.7:8080/#table:4X-9'\n")
    (tools / "sleep").write_text(
        f"#!/bin/sh\necho waited >>{tmp_path}/waits\ndate >{state}/codes.json\n"
    )
    (tools / "chown").write_text("#!/bin/sh\nexit 0\n")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    script = (root / "deploy/kiosk/prepare").read_text()
    for real, here in (
        ("/run/upcard-kiosk/", f"{run}/"),
        ("/var/lib/upcard/codes.json", f"{state}/codes.json"),
        ("/opt/upcard/current/venv/bin/upcard", str(tools / "upcard")),
        ("/opt/upcard/current/source/deploy", str(root / "deploy")),
    ):
        assert real in script
        script = script.replace(real, here)
    subprocess.run(["sh", "-c", script], check=True, env={"PATH": f"{tools}:/usr/bin:/bin"})
    page = run / "waiting.html"
    assert 'const link = "#table:4X-9";' in page.read_text()
    assert page.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "waits").read_text() == "waited\n"


def test_the_pins_of_the_last_resort_are_those_of_the_settings(root: Path) -> None:
    line = re.search(r"for pin in ([0-9 ]+);", (root / "deploy/outputs-off").read_text())
    assert line is not None
    pins = Pins()
    assert sorted(map(int, line[1].split())) == sorted([pins.touch, pins.buzzer, *pins.lights])


def test_the_last_resort_reads_the_camera_lights_pin_from_the_settings(
    root: Path, tmp_path: Path
) -> None:
    """The script itself, with a pinctrl that writes down what it is asked, and no Upcard."""
    done: dict[str, str] = {}
    for name, settings in (("lit", "[pins]\ncamera = 11  # red\n"), ("unlit", "[pins]\n")):
        folder = tmp_path / name
        (folder / "dev").mkdir(parents=True)
        (folder / "dev" / "gpiochip0").touch()
        (folder / "upcard.toml").write_text(settings)
        pinctrl = folder / "pinctrl"
        pinctrl.write_text(f'#!/bin/sh\necho "$2 $3 $4" >>{folder}/told\n')
        pinctrl.chmod(0o755)
        script = (root / "deploy/outputs-off").read_text()
        for real, here in (
            ("/dev/gpiochip*", f"{folder}/dev/gpiochip*"),
            ("/etc/upcard/upcard.toml", str(folder / "upcard.toml")),
            ("/opt/upcard/current/venv/bin/upcard", str(folder / "gone")),
        ):
            assert real in script
            script = script.replace(real, here)
        subprocess.run(["sh", "-c", script], check=True, env={"PATH": f"{folder}:/usr/bin:/bin"})
        done[name] = (folder / "told").read_text()
    assert done["lit"] == done["unlit"] + "11 op dl\n"
    assert "17 op dl\n" in done["unlit"]


@pytest.mark.parametrize(
    "script",
    [
        "deploy/install.sh",
        "deploy/outputs-off",
        "deploy/kiosk/prepare",
        "deploy/environment.sh",
        "tests/deploy/in_trixie.sh",
        "tests/deploy/offline.sh",
        "tests/deploy/picamera2_virtual.sh",
    ],
)
def test_the_scripts_are_sound_shell(root: Path, script: str) -> None:
    if not (root / script).exists():
        pytest.skip(f"{script} is not here")
    subprocess.run(["sh", "-n", str(root / script)], check=True)
    if shutil.which("shellcheck") is None:
        return
    done = subprocess.run(
        ["shellcheck", "--severity=warning", "--exclude=SC2034", str(root / script)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
