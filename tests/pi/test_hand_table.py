"""A kit without a camera, and how people learn the codes of its page."""

from __future__ import annotations

import argparse
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.cards import parse_card
from engine.commands import ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.table import Table
from pi.address import PAGE_NAME, PageAddress, reached_at, running_at
from pi.errors import BadSettings
from pi.run import serve_replay, show_codes
from pi.settings import KitSettings, settings_from
from pi.wiring import CODES_NAME, build, page_for
from web_dashboard import PageServer


def test_a_kit_without_a_camera_plays_by_taps_and_takes_up_its_game_again(tmp_path: Path) -> None:
    settings = KitSettings(table="hand", log=tmp_path / "games.sqlite")
    with build(settings) as kit:
        running = threading.Thread(target=kit.run)
        running.start()
        kit.submit(StartGame(dealer=0), source="page")
        kit.submit(ShowUpcard(card=parse_card("Kh")), source="page")
        health = kit.health()
        assert (health["ok"], health["camera"], health["frame_age_us"]) == (True, "no camera", None)
        kit.stop()
        running.join(timeout=10)
        assert not running.is_alive()
        game = kit.table.game_id
    with build(settings) as again:
        assert again.table.game_id == game
        assert again.table.version == 2


def test_the_page_says_which_parts_are_there(tmp_path: Path, root: Path) -> None:
    known = (root / "web_dashboard/static/js/parts.js").read_text()
    for kind, camera in (("hand", False), ("sim", True)):
        settings = KitSettings(table=kind, log=tmp_path / f"{kind}.sqlite")  # type: ignore[arg-type]
        with build(settings, reader_for=lambda _: _Nothing()) as kit:
            app = page_for(kit)
            told: Any = app.test_client().get("/api/parts").json
            app.extensions["upcard"].close()
        parts = {part["name"]: part for part in told["parts"]}
        assert told["table"] == kind
        assert parts["camera"]["present"] is camera
        assert {"camera", "shuffler", "buttons", "lights", "buzzer"} <= set(parts)
        assert parts["shuffler"]["present"] is (kind == "sim")
        # The page says them in the reader's language, so it must know them.
        assert all(f'phrase("{part["text"]}")' in known for part in told["parts"])


def test_a_recorded_game_is_shown_on_a_page_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table(MemoryLog(), clock_us=lambda: 1)
    table.submit(StartGame(dealer=0), source="page")
    seen: list[Any] = []

    def run(server: Any) -> None:
        seen.append(server.app.test_client().get("/api/snapshot").json)
        seen.append(server.app.test_client().post("/api/command", json={}).status_code)

    monkeypatch.setattr(PageServer, "run", run)
    assert serve_replay(argparse.Namespace(port=None), records=table.records) == 0
    assert seen == [table.snapshot(), 401]
    assert f"/replay/{table.game_id}" in capsys.readouterr().out


class _Nothing:
    def read(self, image: Any, regions: Any = None) -> tuple[Any, ...]:
        return ()


def test_the_codes_outlive_the_kit_and_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "games.sqlite"
    asked = argparse.Namespace(link=None, port=8123, tls=False)
    assert show_codes(asked, log_path=log) == 1
    assert "upcard run makes them" in capsys.readouterr().err
    codes = []
    for _ in range(2):
        with build(KitSettings(table="hand", log=log)) as kit:
            app = page_for(kit)
            codes.append(app.extensions["upcard-access"].code("table"))
            app.extensions["upcard"].close()
    assert codes[0] == codes[1]
    assert (tmp_path / CODES_NAME).exists()
    assert show_codes(asked, log_path=log) == 0
    printed = capsys.readouterr().out
    assert f":8123/join#{codes[0]}" in printed
    link = argparse.Namespace(link="table", port=None, tls=False)
    assert show_codes(link, log_path=log) == 0
    assert capsys.readouterr().out.strip().endswith(f":8080/join#{codes[0]}")


def test_names_and_proxies_of_the_page_are_lists_of_names() -> None:
    settings = settings_from({"trusted_proxies": ["127.0.0.1"], "page_names": ["euchre.example"]})
    assert settings.trusted_proxies == ("127.0.0.1",)
    assert settings.page_names == ("euchre.example",)
    with pytest.raises(BadSettings, match=r"trusted_proxies is .*: give a list"):
        settings_from({"trusted_proxies": "127.0.0.1"})


@pytest.mark.parametrize(
    ("page", "link"),
    [
        (PageAddress(scheme="https", host="192.0.2.7", port=8097), "https://192.0.2.7:8097/join#"),
        (PageAddress(scheme="http", host="fd00::7", port=8080), "http://[fd00::7]:8080/join#"),
    ],
)
def test_the_links_are_those_of_the_running_kit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], page: PageAddress, link: str
) -> None:
    log = tmp_path / "games.sqlite"
    asked = argparse.Namespace(link="table", port=None, tls=False)
    with build(KitSettings(table="hand", log=log)) as kit:
        app = page_for(kit)
        app.extensions["upcard"].close()
        with reached_at(log, page):
            assert show_codes(asked, log_path=log) == 0
            shown = capsys.readouterr()
            assert shown.out.startswith(link)
            assert shown.err == ""
        assert running_at(log) is None, "the page is closed"


def test_what_a_killed_kit_left_behind_is_not_believed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "games.sqlite"
    with build(KitSettings(table="hand", log=log)) as kit:
        page_for(kit).extensions["upcard"].close()
    told = {"process": 4_000_000, "scheme": "https", "host": "192.0.2.7", "port": 1}
    (tmp_path / PAGE_NAME).write_text(json.dumps(told))
    assert show_codes(argparse.Namespace(link="table", port=None, tls=False), log_path=log) == 0
    shown = capsys.readouterr()
    assert "192.0.2.7" not in shown.out
    assert "no kit" in shown.err
    with build(KitSettings(table="hand", log=log)) as kit:
        assert running_at(log) is None, "another process wrote it"


@pytest.mark.parametrize("left", ["", "{}", "[1]", '{"process": null}'])
def test_a_damaged_address_is_no_address(tmp_path: Path, left: str) -> None:
    log = tmp_path / "games.sqlite"
    with build(KitSettings(table="hand", log=log)):
        (tmp_path / PAGE_NAME).write_text(left)
        assert running_at(log) is None
