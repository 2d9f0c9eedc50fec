"""Attacks that were tried on the page, one test each."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from access_scenes import join

from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import PageSettings, create_app, server
from web_dashboard.access import HOLDERS
from web_dashboard.joining import join_link

UNDO = {"command": {"kind": "undo"}}
SCRIPT = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


@pytest.fixture
def access(app: Any) -> Any:
    return app.extensions["upcard-access"]


def posts(app: Any) -> list[str]:
    """Every path of the page that takes a POST."""
    return sorted(
        re.sub(r"<[^>]*>", "1", rule.rule)
        for rule in app.url_map.iter_rules()
        if "POST" in (rule.methods or ())
    )


# --- acting without a code ---------------------------------------------------------------


def test_nothing_that_changes_anything_is_open_to_a_watcher(
    app: Any, watcher: Any, hands: Any, table: Table
) -> None:
    hands.start()
    facts = table.records
    paths = posts(app)
    assert {"/api/command", "/api/shuffle", "/api/codes", "/api/leave", "/api/join"} <= set(paths)
    for path in paths:
        if path != "/api/join":
            answer = watcher.post(path, json=UNDO)
            assert (answer.status_code, answer.json["code"]) == (401, "watching"), path
    assert table.records == facts


def test_no_route_takes_another_method_that_changes_something(app: Any) -> None:
    for rule in app.url_map.iter_rules():
        assert (rule.methods or set()) <= {"GET", "HEAD", "OPTIONS", "POST"}, rule


def test_looking_changes_nothing(app: Any, client: Any, hands: Any, table: Table) -> None:
    hands.start()
    facts = table.records
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()) and not rule.arguments and rule.rule != "/events":
            client.get(rule.rule, query_string={"kind": "undo", "command": '{"kind":"undo"}'})
    assert table.records == facts


def test_a_seat_changes_no_code_and_nobody_elses_game(
    app: Any, hands: Any, table: Table, access: Any
) -> None:
    hands.start()
    hands.turn_up()
    facts, codes = table.records, [access.code(holder) for holder in HOLDERS]
    east = join(app, "seat:1")
    for command in (
        {"kind": "undo"},
        {"kind": "call", "seat": 2, "call": "pass"},
        {"kind": "adjust_score", "points": [9, 0], "reason": "mine"},
        {"kind": "start_game"},
    ):
        assert east.post("/api/command", json={"command": command}).status_code == 403
    assert east.post("/api/codes", json={"change": "all"}).status_code == 403
    assert east.get("/api/codes").status_code == 403
    assert table.records == facts
    assert [access.code(holder) for holder in HOLDERS] == codes


def test_the_table_neither_sees_nor_changes_the_directors_code(app: Any, access: Any) -> None:
    tablet = join(app, "table")
    told = tablet.get("/api/codes")
    assert {c["who"] for c in told.json["codes"]} == set(HOLDERS) - {"director"}
    assert access.code("director") not in told.text.replace(" ", "")
    assert tablet.get("/api/codes/director.svg").status_code == 403
    assert tablet.post("/api/codes", json={"change": "director"}).status_code == 403
    assert tablet.post("/api/codes", json={"home": True}).status_code == 403


def test_a_tap_is_recorded_with_the_role_of_its_session_whatever_it_says(
    app: Any, hands: Any, table: Table
) -> None:
    hands.start()
    hands.turn_up()
    east = join(app, "seat:1")
    told = east.post(
        "/api/command",
        json={
            "command": {"kind": "declare", "maker": 1, "trump": "h"},
            "seat": 3,
            "source": "director",
        },
    )
    assert told.status_code == 200
    assert table.records[-1].source == "seat:1"


# --- forged taps of another site (CSRF) --------------------------------------------------


@pytest.mark.parametrize("token", [None, "", "0" * 32, "é"])
def test_a_cookie_alone_is_not_enough_for_a_tap(
    app: Any, hands: Any, table: Table, token: str | None
) -> None:
    hands.start()
    facts = table.records
    client = join(app, "director")
    del client.environ_base["HTTP_X_UPCARD_TOKEN"]
    headers = {} if token is None else {"X-Upcard-Token": token}
    answer = client.post("/api/command", json=UNDO, headers=headers)
    assert (answer.status_code, answer.json["code"]) == (403, "token")
    assert table.records == facts


def test_the_token_of_another_session_is_not_ours(app: Any, hands: Any, table: Table) -> None:
    hands.start()
    facts = table.records
    ours, theirs = join(app, "director"), join(app, "director")
    headers = {"X-Upcard-Token": theirs.environ_base["HTTP_X_UPCARD_TOKEN"]}
    assert ours.post("/api/command", json=UNDO, headers=headers).status_code == 403
    assert table.records == facts


def test_another_site_cannot_log_a_browser_in(watcher: Any, access: Any) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        answer = watcher.post("/api/join", json={"code": access.code("table")}, headers=headers)
        assert answer.status_code == 403
        assert "Set-Cookie" not in answer.headers


def test_the_session_cookie_is_for_the_browser_alone(watcher: Any, access: Any) -> None:
    told = watcher.post("/api/join", json={"code": access.code("table")})
    cookie = told.headers["Set-Cookie"]
    assert cookie.startswith(access.cookie_name + "=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Secure" not in cookie  # over plain HTTP the browser would drop it
    assert access.code("table") not in cookie


# --- codes: guessed, replayed, overheard -------------------------------------------------


def test_guessing_codes_is_slowed_down_and_a_right_one_does_not_slip_through(
    watcher: Any, access: Any
) -> None:
    wrong = next(c for c in ("123456", "123457") if access.find(c) is None)
    answers = [watcher.post("/api/join", json={"code": wrong}) for _ in range(40)]
    assert [a.status_code for a in answers[:4]] == [403, 403, 403, 429]
    assert sum(a.status_code == 403 for a in answers) < 6
    waiting = watcher.post("/api/join", json={"code": access.code("director")})
    assert waiting.status_code == 429
    assert 1 <= int(waiting.headers["Retry-After"]) <= 300
    assert "wait" in waiting.json["reason"]
    assert watcher.get("/api/me").json["role"] == "watch"


@pytest.mark.parametrize("code", [None, 123456, "", "1" * 41, ["1"], True])
def test_what_is_no_code_is_malformed(watcher: Any, code: Any) -> None:
    assert watcher.post("/api/join", json={"code": code}).status_code == 400


def test_an_old_code_and_an_old_cookie_are_worth_nothing_after_a_change(
    app: Any, hands: Any, table: Table, access: Any
) -> None:
    hands.start()
    tablet, director = join(app, "table"), join(app, "director")
    old = access.code("table")
    assert tablet.get("/api/me").json["role"] == "table"
    assert director.post("/api/codes", json={"change": "table"}).status_code == 200
    facts = table.records
    assert tablet.get("/api/me").json["role"] == "watch"
    assert tablet.post("/api/command", json=UNDO).status_code == 401
    assert app.test_client().post("/api/join", json={"code": old}).status_code == 403
    assert director.get("/api/me").json["role"] == "director"
    assert table.records == facts


def test_the_director_stays_in_after_changing_every_code(app: Any, access: Any) -> None:
    director, other = join(app, "director"), join(app, "director")
    old = access.code("director")
    told = director.post("/api/codes", json={"change": "all"})
    assert told.json["role"] == "director"
    director.environ_base["HTTP_X_UPCARD_TOKEN"] = told.json["token"]
    assert director.post("/api/codes", json={"home": True}).status_code == 200
    assert other.get("/api/me").json["role"] == "watch"
    assert access.find(old) is None


def test_a_cookie_of_another_kit_or_a_forged_one_opens_nothing(
    app: Any, watcher: Any, access: Any, table: Table, log: MemoryLog
) -> None:
    other = create_app(table, log, PageSettings())
    serializer = other.session_interface.get_signing_serializer(other)
    forged = serializer.dumps({"who": "director", "mark": "0" * 32, "id": "1"})
    other.extensions["upcard"].close()
    right = app.session_interface.get_signing_serializer(app)
    for value in (
        forged,
        "nonsense",
        right.dumps({"who": "director"}),
        right.dumps({"who": "director", "mark": "0" * 32, "id": "1"}),
        right.dumps({"who": ["director"], "mark": {}, "id": 1}),
        right.dumps({"who": "seat:1", "mark": access.mark(_director()), "id": "1"}),
    ):
        watcher.set_cookie(access.cookie_name, value)
        assert watcher.get("/api/me").json["role"] == "watch", value


def _director() -> Any:
    from web_dashboard.access import Viewer

    return Viewer(role="director")


def test_who_leaves_only_watches(app: Any) -> None:
    tablet = join(app, "table")
    assert tablet.post("/api/leave", json={}).json["role"] == "watch"
    assert tablet.get("/api/me").json == {
        "role": "watch",
        "seat": None,
        "token": "",
        "home": False,
        "page": None,
    }


def test_codes_are_in_no_log_line_and_in_no_part_of_a_link_that_is_sent(
    app: Any, access: Any, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        for holder in HOLDERS:
            client = join(app, holder)
            client.post("/api/join", json={"code": "999999"})
            client.get("/api/codes")
            client.get("/api/codes/table.svg")
    said = caplog.text + "".join(capsys.readouterr())
    for holder in HOLDERS:
        assert access.code(holder) not in said
        sent, _, kept = join_link("http://kit.local/", access.code(holder)).partition("#")
        assert sent == "http://kit.local/join"
        assert kept == access.code(holder)


def test_a_page_with_codes_on_it_is_kept_by_no_cache(app: Any) -> None:
    director = join(app, "director")
    for path in ("/api/codes", "/api/codes/director.svg", "/api/me", "/join"):
        assert director.get(path).headers["Cache-Control"] == "no-store", path


# --- forged names ------------------------------------------------------------------------


def test_what_a_stranger_says_of_himself_as_a_proxy_is_not_believed(
    watcher: Any, access: Any
) -> None:
    forged = {
        "X-Forwarded-For": "10.9.9.9",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "evil.example",
    }
    assert watcher.get("/api/me", headers=forged).status_code == 200
    told = watcher.post("/api/join", json={"code": access.code("table")}, headers=forged)
    assert "Secure" not in told.headers["Set-Cookie"]
    for n in range(5):
        forged["X-Forwarded-For"] = f"10.9.9.{n}"
        last = watcher.post("/api/join", json={"code": "000000"}, headers=forged)
    assert last.status_code == 429


def test_behind_a_trusted_proxy_with_tls_the_visitor_is_known_and_the_cookie_secure(
    table: Table, log: MemoryLog, settings: PageSettings
) -> None:
    app = create_app(
        table,
        log,
        replace(
            settings,
            trusted_proxies=frozenset({"127.0.0.1"}),
            allowed_hosts=frozenset({"euchre.example.org"}),
        ),
    )
    access = app.extensions["upcard-access"]
    client = app.test_client()
    headers = {
        "X-Forwarded-For": "203.0.113.7",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "euchre.example.org",
        "Origin": "https://euchre.example.org",
    }
    told = client.post("/api/join", json={"code": access.code("director")}, headers=headers)
    assert told.status_code == 200
    assert "Secure" in told.headers["Set-Cookie"]
    # The test's own browser would not send a secure cookie over plain HTTP, as the proxy does.
    held = {"Cookie": told.headers["Set-Cookie"].split(";")[0]}
    shown: Any = client.get("/api/codes", headers=headers | held).json
    assert shown["join"] == "https://euchre.example.org/join"
    for _ in range(4):
        client.post("/api/join", json={"code": "000000"}, headers=headers)
    other = headers | {"X-Forwarded-For": "203.0.113.8"}
    again = client.post("/api/join", json={"code": access.code("table")}, headers=other)
    assert again.status_code == 200
    evil = headers | {"X-Forwarded-Host": "rebind.example.com"}
    assert client.get("/api/me", headers=evil).status_code == 421
    app.extensions["upcard"].close()


# --- shapes of requests ------------------------------------------------------------------


@pytest.fixture
def port(serve_page: Any, table: Table) -> int:
    return int(serve_page(table).port)


def raw(port: int, sent: bytes, *, timeout_s: float = 8.0) -> bytes:
    """What comes back for these very bytes, until the kit closes or falls silent."""
    got = b""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=timeout_s)) as line:
        line.sendall(sent)
        try:
            while more := line.recv(65536):
                got += more
                if b"\r\n\r\n" in got and b"Content-Length: 0" in got:
                    break
        except (TimeoutError, ConnectionResetError):
            pass
    return got


@pytest.mark.parametrize(
    "announced",
    [b"Content-Length: 4000000000", b"Content-Length: 20000", b"Content-Length: -1"],
)
def test_an_oversized_body_is_refused_before_it_is_read(port: int, announced: bytes) -> None:
    began = time.monotonic()
    answer = raw(
        port,
        b"POST /api/command HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\n" + announced + b"\r\n\r\n{",
        timeout_s=server.REQUEST_S + 5,
    )
    assert re.match(rb"HTTP/1.1 4\d\d ", answer)
    assert time.monotonic() - began < server.REQUEST_S + 4


def test_a_body_without_a_length_is_bounded_too(port: int) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    answer = raw(
        port,
        b"POST /api/command HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Type: application/json\r\n\r\n" + chunk * 40,
    )
    assert answer == b"" or re.match(rb"HTTP/1.1 4\d\d ", answer)


def test_a_header_longer_than_any_browser_sends_is_refused(port: int) -> None:
    answer = raw(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 60_000 + b"\r\n\r\n")
    assert re.match(rb"HTTP/1.1 (413|400|414) ", answer)


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> float:
    """A kit that gives a request a second instead of ten."""
    monkeypatch.setattr(server, "REQUEST_S", 1.0)
    return 1.0


@pytest.mark.parametrize(
    "opening",
    [
        b"POST /api/join HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 2000\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    ],
    ids=["body", "headers"],
)
def test_one_byte_at_a_time_holds_no_thread_for_long(
    hasty: float, serve_page: Any, table: Table, opening: bytes
) -> None:
    page = serve_page(table, stream_limit=1, acting_limit=0)
    lines = [
        socket.create_connection(("127.0.0.1", page.port), timeout=5) for _ in range(page.threads)
    ]
    for line in lines:
        line.sendall(opening)
    dropped = 0
    deadline_s = time.monotonic() + 20 * hasty
    while dropped < len(lines) and time.monotonic() < deadline_s:
        # Bytes keep coming, each well within the server's wait for the next one.
        time.sleep(0.1)
        dropped = 0
        for line in lines:
            try:
                line.sendall(b"1")
            except OSError:
                dropped += 1
    for line in lines:
        line.close()
    assert dropped == len(lines)
    began = time.monotonic()
    assert b"Upcard" in raw(page.port, b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    assert time.monotonic() - began < 8.0


@pytest.mark.parametrize(
    "target",
    [
        "/replay/%0d%0aSet-Cookie:%20a=b",
        "/seat/1%0d%0aX-Evil:%201",
        "/events?viewer=%0d%0aX-Evil:%201",
        "/api/games/%0d%0aX-Evil:%201?version=1",
        "/%0d%0aX-Evil:%201",
    ],
)
def test_no_line_break_of_an_address_becomes_a_header(client: Any, target: str) -> None:
    answer = client.get(target, buffered="events" not in target)
    assert "X-Evil" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    answer.close()


def test_no_line_break_of_a_header_becomes_another(port: int) -> None:
    answer = raw(
        port,
        b"GET / HTTP/1.1\r\nHost: localhost\nX-Evil: 1\r\nConnection: close\r\n\r\n",
    )
    assert b"X-Evil" not in answer


WAYS_OUT = (
    "../../codes.json",
    "..%2f..%2fcodes.json",
    "%2e%2e/%2e%2e/codes.json",
    "..\\..\\codes.json",
    "/etc/passwd",
    "%00",
    "....//codes.json",
    "codes.json",
)


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_path_leads_out_of_the_folders_that_are_served(
    app: Any, client: Any, settings: PageSettings, way: str
) -> None:
    assert settings.access_file is not None
    secret = json.loads(settings.access_file.read_text())["secret"]
    asked = 0
    for rule in app.url_map.iter_rules():
        if not rule.arguments or "GET" not in (rule.methods or ()):
            continue
        path = re.sub(r"<[^>]*>", lambda _: way, rule.rule)
        answer = client.get(path)
        asked += 1
        assert answer.status_code in (301, 308, 400, 403, 404), path
        assert secret not in answer.text
        assert "root:" not in answer.text
    assert asked > 5


def test_no_page_can_be_framed(app: Any, client: Any, hands: Any, table: Table) -> None:
    hands.start()
    pages = ["/", "/join", "/seat/0", "/director", "/doctor", "/replay", "/nowhere"]
    for path in [*pages, f"/replay/{table.game_id}"]:
        headers = client.get(path).headers
        assert headers["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_a_script_for_a_name_is_only_letters_on_pages_the_kit_writes(
    client: Any, hands: Any, table: Table
) -> None:
    hands.start((SCRIPT, "Ben", "Cleo", "Dan"))
    for path in ("/", "/replay", f"/replay/{table.game_id}", "/seat/0", "/director"):
        html = client.get(path).text
        assert "<img src=x" not in html
        assert "<script>document" not in html


@pytest.mark.browser
@pytest.mark.parametrize("path", ["", "seat/0", "director", "replay"])
def test_a_script_for_a_name_does_not_run_in_a_browser(
    chromium: Any, serve_page: Any, table: Table, hands: Any, path: str
) -> None:
    hands.start((SCRIPT, "Ben", "Cleo", "Dan"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    page = serve_page(table)
    chromium.get(page.url + path)
    deadline_s = time.monotonic() + 10
    while "onerror" not in chromium.page_source and time.monotonic() < deadline_s:
        time.sleep(0.1)
    assert "onerror" in chromium.find_element("css selector", "body").text
    assert chromium.title not in ("1", "2")
    assert not chromium.find_elements("css selector", "img[src='x']")
    chromium.get("about:blank")


def test_the_file_of_codes_is_not_in_a_folder_that_is_served(settings: PageSettings) -> None:
    assert settings.access_file is not None
    assert settings.evidence_dir is not None
    assert not settings.access_file.is_relative_to(settings.evidence_dir)
    static = Path(server.__file__).parent / "static"
    assert not settings.access_file.is_relative_to(static)
