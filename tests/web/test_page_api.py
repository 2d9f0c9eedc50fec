"""What the page answers over HTTP: taps, pictures, health, earlier games, and its doors."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from access_scenes import join

from engine.facts import Declared, Recorded
from engine.log import Entry, LogError
from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import PageSettings, create_app
from web_dashboard.guard import host_allowed, same_origin

DECLARE = {"kind": "declare", "maker": 2, "trump": "s", "alone": 2}


def tap(client: Any, command: object, **more: Any) -> Any:
    return client.post("/api/command", json={"command": command, **more})


# --- taps --------------------------------------------------------------------------------


def test_a_tap_becomes_a_fact(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    hands.turn_up()
    answer = tap(client, DECLARE, expect_version=table.version)
    assert answer.status_code == 200
    assert answer.json == {"accepted": True, "version": table.version}
    last = table.records[-1]
    assert last.fact == Declared(maker=2, trump="s", alone=2, deal=1)
    assert last.source == "director"


def test_a_tap_on_an_old_picture_changes_nothing(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    before = table.version
    hands.turn_up()
    facts = table.records
    answer = tap(client, {"kind": "undo"}, expect_version=before)
    assert answer.status_code == 409
    assert answer.json["code"] == "stale"
    assert table.records == facts


def test_a_tap_out_of_place_is_refused_in_words(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    facts = table.records
    answer = tap(client, {"kind": "answer_review", "review": 99, "card": "Kh"})
    assert answer.status_code in (404, 409)
    assert answer.json["accepted"] is False
    assert len(answer.json["reason"]) > 10
    assert table.records == facts


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"kind": "conquer"},
        {"kind": "play_card", "seat": 0, "card": "Zz"},
        {"kind": "play_card", "seat": 0, "card": "Kh", "colour": "red"},
        {"kind": "declare", "maker": "North", "trump": "h"},
    ],
)
def test_a_malformed_command_is_named_and_changes_nothing(
    client: Any, hands: Any, table: Table, command: dict[str, Any]
) -> None:
    hands.start()
    facts = table.records
    answer = tap(client, command)
    assert answer.status_code == 400
    assert answer.json["code"] == "malformed"
    assert table.records == facts


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"nonsense", b'{"command": "undo"}', b'"undo"', b"\xff\xfe", b"null"]
)
def test_a_body_that_is_no_command_is_refused(client: Any, body: bytes) -> None:
    answer = client.post("/api/command", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json["accepted"] is False


@pytest.mark.parametrize("more", [{"expect_version": "12"}, {"expect_version": True}])
def test_numbers_beside_the_command_must_be_numbers(client: Any, hands: Any, more: Any) -> None:
    hands.start()
    assert tap(client, {"kind": "undo"}, **more).status_code == 400


def test_a_body_longer_than_any_command_is_not_read(client: Any) -> None:
    answer = tap(client, {"kind": "undo", "reason": "x" * 20_000})
    assert answer.status_code == 413
    assert answer.json["accepted"] is False


def test_a_tap_that_cannot_be_written_down_says_so(settings: PageSettings) -> None:
    class FullLog(MemoryLog):
        def append(
            self, game_id: str, entries: Sequence[Entry], *, after_version: int
        ) -> tuple[Recorded, ...]:
            raise LogError("the disk is full: free some space")

    log = FullLog()
    table = Table(log, clock_us=lambda: 1)
    app = create_app(table, log, settings)
    answer = tap(join(app, "table"), {"kind": "start_game"})
    app.extensions["upcard"].close()
    assert answer.status_code == 507
    assert "the disk is full" in answer.json["reason"]
    assert table.version == 0


# --- who may ask -------------------------------------------------------------------------


def test_a_form_of_another_site_cannot_tap(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    facts = table.records
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = client.post(
            "/api/command", data='{"command": {"kind": "undo"}}', content_type=kind
        )
        assert answer.status_code == 415
    assert table.records == facts


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_script_of_another_origin_cannot_tap(
    client: Any, hands: Any, table: Table, headers: dict[str, str]
) -> None:
    hands.start()
    facts = table.records
    answer = client.post("/api/command", json={"command": {"kind": "undo"}}, headers=headers)
    assert answer.status_code == 403
    assert table.records == facts


def test_the_pages_own_origin_may_tap(client: Any, hands: Any) -> None:
    hands.start()
    hands.turn_up()
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    answer = client.post("/api/command", json={"command": DECLARE}, headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/snapshot", "/events", "/health", "/static/js/live.js"])
def test_a_public_name_pointed_at_the_kit_is_not_answered(client: Any, path: str) -> None:
    answer = client.get(path, headers={"Host": "rebind.example.com"})
    assert answer.status_code == 421
    assert "rebind.example.com" in answer.json["reason"]


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("localhost:8080", True),
        ("192.168.1.20:8080", True),
        ("[fe80::1]:8080", True),
        ("upcard", True),
        ("upcard.local:80", True),
        ("UPCARD.LOCAL.", True),
        ("club.example.org", False),
        ("club.example.org:8080", False),
        ("local.evil.com", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_a_kit_goes_by_addresses_and_home_names(host: str, known: bool) -> None:
    assert host_allowed(host, ()) is known


def test_a_name_may_be_added(table: Table, log: MemoryLog, settings: PageSettings) -> None:
    named = replace(settings, allowed_hosts=frozenset({"Club.example.org"}))
    app = create_app(table, log, named)
    answer = app.test_client().get("/", headers={"Host": "club.example.org"})
    app.extensions["upcard"].close()
    assert answer.status_code == 200


def test_only_the_very_same_host_and_port_are_one_origin() -> None:
    assert same_origin("http://upcard.local:8080", "upcard.local:8080")
    assert same_origin(None, "upcard.local")
    assert not same_origin("http://upcard.local", "upcard.local:8080")
    assert not same_origin("file://upcard.local", "upcard.local")
    assert not same_origin("http://[", "upcard.local")


@pytest.mark.parametrize(
    "path",
    ["/", "/replay", "/api/snapshot", "/health", "/nowhere", "/static/js/live.js", "/api/games"],
)
def test_every_answer_keeps_its_doors_shut(client: Any, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize("path", ["/", "/replay", "/nowhere"])
def test_no_page_holds_code_or_style_of_its_own(client: Any, hands: Any, path: str) -> None:
    hands.start()
    html = client.get(path).text
    # JSON is no code: a browser runs none of it.
    assert not re.search(r'<script(?![^>]*\b(?:src=|type="application/json"))', html)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", html)


def test_nothing_is_loaded_from_elsewhere(root: Path) -> None:
    page = root / "web_dashboard"
    files = [p for p in page.rglob("*") if p.suffix in (".html", ".css", ".js")]
    assert len(files) > 10
    for file in files:
        # The namespace of SVG is a name and no address: nothing is fetched from it.
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(https?:)?//[a-z0-9-]+\.[a-z]", text), file


def test_asking_only_for_the_head_of_a_stream_takes_no_place(client: Any) -> None:
    for _ in range(100):
        assert client.head("/events").status_code == 200
    assert client.get("/health").json["viewers"] == 0


# --- what can be looked at ---------------------------------------------------------------


def test_the_newest_snapshot_can_be_asked_for(client: Any, hands: Any, table: Table) -> None:
    assert client.get("/api/snapshot").json["version"] == 0
    hands.start()
    hands.turn_up()
    # The page is told by a thread of its own, so what the table knows arrives a moment later.
    until = time.monotonic() + 10
    while client.get("/api/snapshot").json["version"] != table.version:
        assert time.monotonic() < until, "the snapshot never came up to the table's version"
        time.sleep(0.01)
    assert client.get("/api/snapshot").json == table.snapshot()


def test_a_picture_is_served_by_its_hash_and_kept(client: Any, settings: PageSettings) -> None:
    assert settings.evidence_dir is not None
    (settings.evidence_dir / "0123456789abcdef.jpg").write_bytes(b"\xff\xd8picture")
    answer = client.get("/evidence/0123456789abcdef.jpg")
    assert answer.data == b"\xff\xd8picture"
    assert answer.mimetype == "image/jpeg"
    assert "immutable" in answer.headers["Cache-Control"]


@pytest.mark.parametrize(
    "path",
    [
        "/evidence/0123456789abcdee.jpg",
        "/evidence/..%2f..%2fsecret.jpg",
        "/evidence/%2e%2e/secret.jpg",
        "/evidence/secret.jpg",
        "/evidence/0123456789ABCDEF.jpg",
        "/evidence/0123456789abcdef.png",
        "/evidence/.jpg",
    ],
)
def test_nothing_but_pictures_lies_behind_the_evidence(
    client: Any, settings: PageSettings, path: str
) -> None:
    assert settings.evidence_dir is not None
    (settings.evidence_dir.parent / "secret.jpg").write_bytes(b"secret")
    (settings.evidence_dir / "secret.jpg").write_bytes(b"secret")
    answer = client.get(path)
    assert answer.status_code == 404
    assert b"secret" not in answer.data or b"accepted" in answer.data


def test_health_tells_what_the_kit_says_of_itself(
    table: Table, log: MemoryLog, settings: PageSettings
) -> None:
    told = {"ok": True, "camera": "simulated", "frame_age_us": 80_000, "fps": 12.5}
    app = create_app(table, log, replace(settings, table_kind="sim", health=lambda: told))
    answer: Any = app.test_client().get("/health")
    app.extensions["upcard"].close()
    assert answer.status_code == 200
    assert told.items() <= answer.json.items()
    assert answer.json["table"] == "sim"
    assert answer.json["viewers"] == 0


def test_a_kit_that_is_not_well_answers_503(
    table: Table, log: MemoryLog, settings: PageSettings
) -> None:
    def broken() -> dict[str, Any]:
        raise OSError("no camera")

    sick = create_app(table, log, replace(settings, health=lambda: {"ok": False}))
    mute = create_app(table, log, replace(settings, health=broken))
    assert sick.test_client().get("/health").status_code == 503
    answer: Any = mute.test_client().get("/health")
    assert answer.status_code == 503
    assert "no camera" in answer.json["warnings"][0]
    for app in (sick, mute):
        app.extensions["upcard"].close()


def test_a_simulated_table_says_so_on_the_page(
    table: Table, log: MemoryLog, settings: PageSettings, client: Any
) -> None:
    app = create_app(table, log, replace(settings, table_kind="sim"))
    assert "Simulated table" in app.test_client().get("/").text
    app.extensions["upcard"].close()
    assert "Simulated table" not in client.get("/").text


# --- earlier games -----------------------------------------------------------------------


def test_a_recorded_game_is_listed_with_its_score(client: Any, hands: Any, table: Table) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    listed = client.get("/api/games").json["games"]
    assert [g["game_id"] for g in listed] == [table.game_id]
    assert [s["score"] for s in listed[0]["sides"]] == [0, 1]
    assert listed[0]["names"] == ["Ann", "Bob", "Cy", "Dee"]
    page = client.get("/replay").text
    assert f"/replay/{table.game_id}" in page
    assert "0 – 1" in page


def test_a_game_can_be_looked_at_after_every_fact(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    hands.turn_up()
    seen = [table.snapshot()]
    for seat, card in (((1, "Ah")), ((2, "9h"))):
        hands.play(seat, card)
        seen.append(table.snapshot())
    game = f"/api/games/{table.game_id}"
    for then in seen:
        assert client.get(f"{game}?version={then['version']}").json == then
    steps = client.get(game).json["steps"]
    assert [s["version"] for s in steps] == list(range(1, table.version + 1))
    assert [s["kind"] for s in steps][-2:] == ["card_played", "card_played"]
    assert "9 of hearts" in steps[-1]["text"]


def test_a_game_that_goes_on_is_read_on(client: Any, hands: Any, table: Table) -> None:
    hands.start()
    game = f"/api/games/{table.game_id}"
    before = client.get(game).json["version"]
    hands.turn_up()
    assert client.get(game).json["version"] == table.version > before


def test_an_unknown_game_is_not_found(client: Any) -> None:
    assert client.get("/replay/nothing").status_code == 404
    answer = client.get("/api/games/nothing")
    assert answer.status_code == 404
    assert "nothing" in answer.json["reason"]


@pytest.mark.parametrize("version", ["-1", "abc", "99999", "1.5", "", "９"])
def test_a_version_that_is_not_there_is_refused(
    client: Any, hands: Any, table: Table, version: str
) -> None:
    hands.start()
    answer = client.get(f"/api/games/{table.game_id}", query_string={"version": version})
    assert answer.status_code == 400
    assert answer.json["code"] == "malformed"


def test_before_the_first_game_there_is_an_empty_list(client: Any) -> None:
    assert client.get("/api/games").json == {"games": []}
    assert "No game has been recorded yet" in client.get("/replay").text
