"""The games page's acts: a game from a file, a game's name, a game deleted for good."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from access_scenes import join
from screens import PHONE, TABLET, fresh_screen

from engine.commands import EndGame, StartGame
from engine.facts import Corrected
from engine.log import Log, UnknownGame
from engine.memory_log import MemoryLog
from engine.notation.egn import write_egn
from engine.notation.jsonl import write_jsonl
from engine.sqlite_log import SqliteLog
from engine.state import fold
from engine.table import Table
from pi.privacy import delete_game
from web_dashboard import PageSettings, create_app

OTHER = ("Ann", "Ben", "Cleo", "Dan")


@pytest.fixture
def finished(hands: Any, table: Table) -> str:
    """A game of one deal that is over; another one has begun since."""
    hands.start(OTHER)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    hands.do(EndGame(reason="late"))
    game_id = table.game_id
    assert game_id is not None
    table.submit(StartGame(names=("N", "E", "S", "W"), dealer=0), source="test")
    assert table.game_id != game_id
    return game_id


# --- from a file ---------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [lambda r: write_egn(r).text, write_jsonl], ids=["egn", "jsonl"])
def test_a_game_written_here_comes_back_from_its_file(
    client: Any, log: Log, finished: str, write: Callable[[Any], str]
) -> None:
    before = fold(log.read(finished))
    elsewhere = MemoryLog()
    app = create_app(Table(elsewhere, clock_us=lambda: 1), elsewhere, PageSettings())
    try:
        told = join(app, "table").post("/api/import", json={"text": write(log.read(finished))})
    finally:
        app.extensions["upcard"].close()
    assert (told.status_code, told.json["faults"]) == (200, [])
    [game] = told.json["games"]
    after = fold(elsewhere.read(game["game_id"]))
    assert (after.score, after.names) == (before.score, before.names)
    assert (game["score"], game["names"], game["deals"]) == (list(before.score), list(OTHER), 1)


def test_real_games_come_in_from_their_files(client: Any, log: Log, shared: Path) -> None:
    files = sorted((shared / "data" / "egn").glob("*.egn"))
    assert len(files) == 9
    for file in files:
        told = client.post("/api/import", json={"text": file.read_text(encoding="utf-8")})
        assert told.status_code == 200, file
        expected = json.loads(file.with_suffix(".expected.json").read_text())
        assert told.json["games"][0]["score"] == expected["score"], file
    assert len(log.games()) == len(files)


def test_a_fault_is_told_with_its_place_and_the_rest_is_kept(
    client: Any, log: Log, finished: str
) -> None:
    lines = write_jsonl(log.read(finished)).splitlines()
    spoilt = next(i for i, line in enumerate(lines) if '"card_played"' in line)
    lines[spoilt] = lines[spoilt].replace('"Ah"', '"Zz"')
    told = client.post("/api/import", json={"text": "\n".join(lines)})
    assert told.status_code == 200
    fault, loss = told.json["faults"]
    assert "Zz" in fault["text"]
    assert fault["index"] == spoilt + 1
    facts = len(log.read(finished))
    kept = log.read(told.json["games"][0]["game_id"])
    assert f"{facts - 1 - len(kept)} facts after the fault are left out" in loss["text"]
    assert [r.fact for r in kept] == [r.fact for r in log.read(finished)[: len(kept)]]
    assert len(kept) == spoilt - 1, "the header is no fact"


@pytest.mark.parametrize("text", ["", "not a game", "{}", '{"fileType": "euchre-game"}', "\ud800"])
def test_a_file_without_a_game_says_why_and_records_nothing(
    client: Any, log: Log, text: str
) -> None:
    told = client.post("/api/import", json={"text": text})
    assert told.status_code == 400
    assert told.json["faults"]
    assert "no game" in told.json["reason"]
    assert log.games() == ()


def test_a_file_of_rubbish_tells_its_first_faults_and_how_many_more(
    client: Any, log: Log, finished: str
) -> None:
    header = write_jsonl(log.read(finished)).splitlines()[0]
    told = client.post("/api/import", json={"text": "\n".join([header, *["rubbish"] * 200])})
    assert len(told.json["faults"]) == 50
    assert told.json["faults_left_out"] >= 150


def test_a_file_too_long_is_refused_before_it_is_read(client: Any, log: Log) -> None:
    told = client.post("/api/import", json={"text": "x" * 1_010_000})
    assert told.status_code == 413
    assert "upcard import" in told.json["reason"]
    assert log.games() == ()


@pytest.mark.parametrize("body", [[], {}, {"text": 3}, {"text": None}, "text"])
def test_a_body_of_another_shape_is_refused(client: Any, body: Any) -> None:
    assert client.post("/api/import", json=body).status_code == 400


# --- a name ---------------------------------------------------------------------------------------


def test_a_game_is_named_later_and_the_record_says_who_did_it(
    app: Any, client: Any, log: Log, finished: str
) -> None:
    told = join(app, "table").post(f"/api/games/{finished}/title", json={"title": " The  final "})
    assert told.status_code == 200, told.json
    assert fold(log.read(finished)).title == "The final"
    last = log.read(finished)[-1]
    assert (type(last.fact), last.source) == (Corrected, "page")
    assert "The final" in client.get("/replay").text
    again = client.post(f"/api/games/{finished}/title", json={"title": "The final"})
    assert again.json["version"] == last.version, "the same name is no news"
    client.post(f"/api/games/{finished}/title", json={"title": ""})
    assert fold(log.read(finished)).title == ""
    assert log.read(finished)[-1].source == "director"


def test_the_game_on_the_table_is_named_through_the_table(client: Any, hands: Any) -> None:
    hands.start(OTHER)
    table = hands.table
    assert (
        client.post(f"/api/games/{table.game_id}/title", json={"title": "Club"}).status_code == 200
    )
    assert table.state.title == "Club"
    hands.turn_up()
    assert table.state.title == "Club"


@pytest.mark.parametrize("title", ["x" * 81, "bell\a", "right\u202eleft"])
def test_a_name_nobody_could_read_is_refused(client: Any, finished: str, title: str) -> None:
    assert client.post(f"/api/games/{finished}/title", json={"title": title}).status_code == 400


# --- deleted for good ---------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[SqliteLog]:
    with SqliteLog(tmp_path / "games.sqlite") as log:
        yield log


@pytest.fixture
def log(request: pytest.FixtureRequest) -> Log:
    """In memory, but for the tests of deletion, which is the file's."""
    if "kept" in request.fixturenames:
        kept: SqliteLog = request.getfixturevalue("kept")
        return kept
    return MemoryLog()


@pytest.fixture
def settings(settings: PageSettings, request: pytest.FixtureRequest) -> PageSettings:
    if "kept" not in request.fixturenames:
        return settings
    log: SqliteLog = request.getfixturevalue("kept")
    evidence = settings.evidence_dir
    assert evidence is not None

    def delete(game_id: str) -> dict[str, int]:
        gone = delete_game(log, game_id, evidence)
        return {"facts": gone.facts, "pictures": gone.pictures}

    return replace(settings, delete_game=delete)


def test_a_deleted_game_is_gone_from_every_page_with_its_pictures(
    kept: SqliteLog,
    app: Any,
    client: Any,
    hands: Any,
    table: Table,
    picture: str,
    settings: PageSettings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    hands.start(OTHER)
    hands.turn_up()
    hands.declare()
    hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), picture)
    hands.do(EndGame(reason="late"))
    old = table.game_id
    hands.start(("N", "E", "S", "W"))
    for address in ("", "/moments", "/ledger"):
        assert client.get(f"/api/games/{old}{address}").status_code == 200
    with caplog.at_level(logging.WARNING):
        told = client.post(f"/api/games/{old}/delete", json={"confirm": old})
    assert told.json["accepted"] is True
    assert told.json["pictures"] == 1
    assert settings.evidence_dir is not None
    assert not (settings.evidence_dir / f"{picture}.jpg").exists()
    with pytest.raises(UnknownGame):
        kept.read(str(old))
    for address in ("", "/moments", "/ledger", "?version=1"):
        assert client.get(f"/api/games/{old}{address}").status_code == 404
    assert str(old) not in client.get("/replay").text
    assert "by director" in caplog.text
    # The game on the table plays on.
    hands.turn_up()
    assert len(kept.read(str(table.game_id))) == 2
    again = client.post(f"/api/games/{old}/delete", json={"confirm": old})
    assert again.status_code == 404


def test_the_game_on_the_table_is_not_deleted(
    kept: SqliteLog, client: Any, hands: Any, table: Table
) -> None:
    hands.start(OTHER)
    for _ in range(2):
        told = client.post(f"/api/games/{table.game_id}/delete", json={"confirm": table.game_id})
        assert told.status_code == 409
        assert "on the table" in told.json["reason"]
        if not table.state.over:
            hands.do(EndGame(reason="late"))
    assert kept.games()


def test_deleting_asks_twice_and_takes_the_directors_code(
    kept: SqliteLog, app: Any, client: Any, watcher: Any, finished: str
) -> None:
    address = f"/api/games/{finished}/delete"
    for body in ({}, {"confirm": "yes"}, {"confirm": True}, {"confirm": "last"}):
        assert client.post(address, json=body).status_code == 400
    confirmed = {"confirm": finished}
    assert watcher.post(address, json=confirmed).status_code == 401
    assert join(app, "seat:1").post(address, json=confirmed).status_code == 403
    tablet = join(app, "table")
    assert tablet.post(address, json=confirmed).status_code == 403
    assert finished in {line.game_id for line in kept.games()}
    app.extensions["upcard-access"].rule_at_home(True)
    assert tablet.post(address, json=confirmed).status_code == 200


def test_a_kit_without_a_file_of_games_says_so(client: Any, log: Log, finished: str) -> None:
    told = client.post(f"/api/games/{finished}/delete", json={"confirm": finished})
    assert told.status_code == 409
    assert "memory" in told.json["reason"]
    assert log.read(finished)


@pytest.mark.parametrize("act", ["title", "delete"])
def test_a_game_that_is_not_there_is_said_to_be_unknown(
    kept: SqliteLog, client: Any, act: str
) -> None:
    body = {"title": "x", "confirm": "nobody"}
    assert client.post(f"/api/games/nobody/{act}", json=body).status_code == 404


# --- on the page ---------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("size", [TABLET, PHONE], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_game_is_taken_in_named_and_deleted_on_the_page(
    kept: SqliteLog,
    chromium: Any,
    serve_page: Any,
    hands: Any,
    table: Table,
    tmp_path: Path,
    size: tuple[int, int],
) -> None:
    hands.start(OTHER)
    hands.turn_up()
    file = tmp_path / "evening.jsonl"
    file.write_text(write_jsonl(table.records) + "rubbish\n", encoding="utf-8")
    server = serve_page(table)
    with fresh_screen(chromium) as screen:
        screen.shape(*size, scheme="light")
        screen.open(f"{server.url}replay")
        screen.wait("document.documentElement.dataset.role === 'director'")
        screen.ask("document.getElementById('import-file').hidden = false")
        screen.find("#import-file").send_keys(str(file))
        screen.wait("document.querySelector('#sheet[open] .faults li')", 30)
        assert "evening.jsonl" in screen.text("#sheet-title")
        assert "rubbish" in screen.text("#sheet .faults")
        screen.tap("#taken")
        # The file holds the very game on the table, so it is there once: named, but not deleted.
        screen.wait("document.querySelectorAll('.game').length === 1", 30)
        screen.tap(".keep-game")
        screen.find("#title").send_keys("Friday")
        screen.tap_words("Keep this name", within="#sheet")
        screen.wait("document.querySelector('.game b')?.textContent.includes('Friday')", 30)
        old = table.game_id
        for refused in (True, False):
            screen.wait("document.documentElement.dataset.role === 'director'")
            screen.tap(f".keep-game[data-game='{old}']")
            screen.tap("#delete")
            screen.tap("#delete-once")
            assert {line.game_id for line in kept.games()} >= {old}, "asked once is not twice"
            screen.tap("#delete-for-good")
            if refused:
                screen.wait("document.querySelector('.toast.bad')", 30)
                assert "on the table" in screen.text(".toast.bad")
                hands.do(EndGame(reason="late"))
                hands.start(("N", "E", "S", "W"))
                screen.open(f"{server.url}replay")
        screen.wait(f"!document.querySelector(\"[data-game='{old}']\")", 30)
        assert old not in {line.game_id for line in kept.games()}
        assert [c for c in screen.complaints() if "409" not in c] == []


@pytest.mark.browser
def test_who_only_watches_is_offered_none_of_it(
    chromium: Any, serve_page: Any, table: Table, finished: str
) -> None:
    server = serve_page(table, role=None)
    with fresh_screen(chromium) as screen:
        screen.shape(*TABLET, scheme="light")
        screen.open(f"{server.url}replay")
        screen.wait("document.documentElement.dataset.role === 'watch'")
        hidden = "getComputedStyle(document.querySelector({!r})).display === 'none'"
        assert screen.ask(f"return {hidden.format('.keep-game')}")
        assert screen.ask("return document.getElementById('import').offsetParent === null")
