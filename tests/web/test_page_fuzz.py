"""Thousands of requests that no page would send: none may break the kit, none act without a code.

``UPCARD_FUZZ=6000 .venv/bin/pytest tests/web/test_page_fuzz.py`` sends six thousand; without it
some hundreds are sent.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass, fields
from typing import Any, get_args

import pytest
from access_scenes import join
from documented import broken_promise
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cards import ALL_CARDS, parse_card
from engine.commands import Command, Declare, PlayCard, ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import PageSettings, create_app
from web_dashboard.access import HOLDERS, Access

#: Requests in one evening, and how many in all.
EVENING = 25
REQUESTS = int(os.environ.get("UPCARD_FUZZ", "600"))

ROLES = (None, "seat:0", "seat:1", "table", "director")
TEXT = st.sampled_from(
    ["", "home", "x" * 1200, "../../etc/passwd", "<script>", "\r\nX: 1", "\x00", "é♥", "last", "0"]
)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.sampled_from([2**63, -(2**70), 1e308, 0.5]),
    TEXT,
    st.lists(st.integers(-2, 9), max_size=3),
    st.dictionaries(TEXT, st.integers(0, 5), max_size=2),
)
SEAT = st.integers(-1, 6)
CARD = st.sampled_from([*map(str, ALL_CARDS), "Zz", ""])
#: What fits a field of this name, so that many requests get past the first check.
FITTING = {
    "seat": SEAT,
    "by": SEAT | st.none(),
    "maker": SEAT,
    "dealer": SEAT | st.none(),
    "alone": SEAT | st.none() | st.booleans(),
    "card": CARD | st.none(),
    "cards": st.lists(CARD, max_size=3),
    "trump": st.sampled_from(["c", "d", "h", "s", "n", "x"]),
    "suit": st.sampled_from(["c", "d", "h", "s", None]),
    "call": st.sampled_from(["pass", "order_up", "pick_up", "name", "shout"]),
    "points": st.lists(st.integers(-4, 4), min_size=1, max_size=3),
    "reason": TEXT,
    "rules": st.sampled_from(["home", "pub", "buck3", "call_ace_5", "two_hand", "nothing"])
    | st.dictionaries(st.sampled_from(["target", "deck", "joker", "x"]), JUNK, max_size=2),
    "offence": st.sampled_from(["revoke", "six_cards", "theft"]),
    "ruling": st.sampled_from(["uphold", "dismiss", "shrug"]),
    "finding": st.sampled_from(["1:revoke:1:3", "1:x", ""]),
    "fact": st.sampled_from([{"kind": "card_played", "seat": 1, "card": "Ah"}, {"kind": "x"}]),
    "replacement": st.sampled_from([None, {"kind": "declared", "maker": 2, "trump": "s"}]),
}
OTHER = st.integers(-1, 40) | JUNK


@st.composite
def commands(draw: Any) -> dict[str, Any]:
    kind = draw(st.sampled_from(get_args(Command)))
    told: dict[str, Any] = {"kind": _snake(kind.__name__)}
    for field in fields(kind):
        if draw(st.integers(0, 9)) < 8:
            told[field.name] = draw(FITTING.get(field.name, OTHER))
    if draw(st.integers(0, 19)) == 0:
        told[draw(TEXT)] = draw(JUNK)
    return told


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request, still without the paths of the page in it."""

    role: str | None
    method: str
    place: int
    arguments: tuple[str, ...]
    query: dict[str, str]
    body: Any
    raw: bytes | None
    headers: dict[str, str]
    token: bool


HEADERS = st.dictionaries(
    st.sampled_from(
        ["Origin", "Host", "Last-Event-ID", "X-Forwarded-For", "X-Forwarded-Host", "Range",
         "If-None-Match", "Accept", "Cookie", "Content-Type", "X-Upcard-Token"]
    ),
    st.sampled_from(
        ["http://localhost", "null", "evil.example", "localhost", "bytes=5-2", "*", "a=b;;=",
         "application/json", "multipart/form-data; boundary=x", "99999999999999999999", "\x7f", "é"]
    ),
    max_size=2,
)  # fmt: skip
ARGUMENT = st.sampled_from(["0", "1", "9" * 30, "-1", "last", "%00", "..", "♥"])
#: Taps that would be taken from somebody who may.
SOUND = st.sampled_from(
    [
        {"kind": "undo"},
        {"kind": "clear_trick"},
        {"kind": "play_card", "seat": 2, "card": "9h"},
        {"kind": "play_card", "seat": 1, "card": "Qs"},
        {"kind": "declare", "maker": 1, "trump": "s"},
        {"kind": "claim", "seat": 2, "offence": "revoke", "by": 1},
        {"kind": "adjust_score", "points": [1, 0], "reason": "x"},
        {"kind": "pause_game"},
        {"kind": "resume_game"},
        {"kind": "end_game", "reason": "x"},
        {"kind": "start_game", "rules": "pub"},
        {"kind": "discard", "seat": 0},
        {"kind": "throw_in"},
    ]
)
REQUEST = st.builds(
    Sent,
    role=st.sampled_from(ROLES),
    method=st.sampled_from(["GET", "GET", "POST", "POST", "POST", "PUT", "DELETE", "HEAD"]),
    place=st.integers(0, 200),
    arguments=st.tuples(ARGUMENT, ARGUMENT, ARGUMENT),
    query=st.dictionaries(
        st.sampled_from(["version", "viewer", "page", "limit", "x"]),
        st.sampled_from(["0", "-1", "9" * 40, "x", "\x00", "1"]),
        max_size=2,
    ),
    body=st.one_of(
        st.fixed_dictionaries({"command": SOUND}),
        st.fixed_dictionaries({"command": commands()}, optional={"expect_version": OTHER}),
        st.fixed_dictionaries({"do": TEXT | st.sampled_from(["start", "by_hand", "want", "stop"])},
                              optional={"seat": OTHER, "passes": OTHER}),
        st.fixed_dictionaries({"code": JUNK | st.sampled_from(["123456", "12345678"])}),
        st.fixed_dictionaries({"change": TEXT | st.sampled_from([*HOLDERS, "all"])},
                              optional={"home": JUNK}),
        st.fixed_dictionaries({"text": TEXT | st.just('{"fileType": "euchre-game"}')}),
        st.fixed_dictionaries({"title": JUNK}),
        st.fixed_dictionaries({"confirm": TEXT}),
        JUNK,
    ),
    raw=st.none() | st.none() | st.none() | st.binary(max_size=40),
    headers=st.just({}) | st.just({}) | HEADERS,
    token=st.sampled_from([True, True, True, False]),
)  # fmt: skip

answered: Counter[tuple[str, int]] = Counter()
held: Counter[str] = Counter()


def _paths(app: Any, sent: Sent) -> tuple[str, str]:
    """The rule a request goes by, and its address."""
    rules = sorted(
        (rule for rule in app.url_map.iter_rules() if rule.endpoint != "static"),
        key=lambda rule: rule.rule,
    )
    wanted = [rule for rule in rules if sent.method in (rule.methods or ())]
    # A method nobody takes is sent to any path.
    path = (wanted or rules)[sent.place % len(wanted or rules)].rule
    if sent.method == "POST" and sent.place % 2:
        # Half of what is posted goes where the game is played.
        path = "/api/command"
    values = iter(sent.arguments)
    return path, re.sub(r"<[^>]*>", lambda _: next(values), path)


def _send(clients: dict[str | None, Any], sent: Sent, address: str) -> Any:
    client = clients[sent.role]
    headers = dict(sent.headers)
    if not sent.token:
        headers["X-Upcard-Token"] = "0" * 32
    told: dict[str, Any] = {"method": sent.method, "headers": headers, "query_string": sent.query}
    if sent.method == "POST":
        if sent.raw is None:
            told["data"] = json.dumps(sent.body)
            told.setdefault("content_type", headers.pop("Content-Type", "application/json"))
        else:
            told["data"] = sent.raw
            headers.setdefault("Content-Type", "application/json")
    return client.open(address, **told)


@settings(
    max_examples=max(4, REQUESTS // EVENING),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(evening=st.lists(REQUEST, min_size=EVENING, max_size=EVENING))
def test_no_request_breaks_the_kit_and_none_acts_without_a_code(evening: list[Sent]) -> None:
    log = MemoryLog()
    table = Table(log, clock_us=lambda: 1)
    for command in (
        StartGame(dealer=0),
        ShowUpcard(card=parse_card("Kh"), dealer=0),
        Declare(maker=1, trump="h"),
        PlayCard(seat=1, card=parse_card("Ah")),
    ):
        table.submit(command, source="test")
    app = create_app(table, log, PageSettings(table_kind="hand"))
    try:
        access: Access = app.extensions["upcard-access"]
        clients = {role: app.test_client() if role is None else join(app, role) for role in ROLES}
        for sent in evening:
            before = (table.game_id, table.version, [access.code(h) for h in HOLDERS], access.home)
            rule, address = _paths(app, sent)
            answer = _send(clients, sent, address)
            answered[sent.method, answer.status_code] += 1
            assert answer.status_code < 500, (sent, answer.text)
            if address.count("/") == rule.count("/") and answer.mimetype != "text/event-stream":
                assert broken_promise(rule, sent.method, answer) is None, (sent, answer.text)
                held["held to the document"] += 1
            after = (table.game_id, table.version, [access.code(h) for h in HOLDERS], access.home)
            if before != after:
                assert sent.role is not None, sent
                assert sent.token or sent.headers, sent
                assert answer.status_code == 200, sent
            if sent.role is not None and sent.role.startswith("seat:"):
                assert before[2:] == after[2:], sent
                assert all(r.source in (sent.role, "test") or r.version <= before[1]
                           for r in table.records if r.game_id == before[0]), sent  # fmt: skip
            answer.close()
        assert clients["director"].get("/api/snapshot").status_code == 200
    finally:
        app.extensions["upcard"].close()


def test_the_fuzz_reaches_the_game_and_the_doors() -> None:
    """Asks that the test above was no shower of refusals alone; it runs before this one."""
    if not answered:
        pytest.skip("the requests were sent in another process")
    assert sum(answered.values()) >= REQUESTS * 0.9
    statuses = {status for _, status in answered}
    assert {200, 400, 401, 403, 404} <= statuses
    assert held.total() > REQUESTS / 2, "most answers are held to what the document says"
    print(dict(sorted(answered.items())))
