"""Calling everybody to look at the table from the page: who may, and who hears of it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from access_scenes import join, sit
from documented import broken_promise
from screens import PHONE, TABLET, Screen, fresh_screen

import web_dashboard.app as web_app
from engine.log import Log
from engine.table import Table
from engine.wording import english
from pi.looks import Looks
from web_dashboard import PageSettings, create_app
from web_dashboard.look import CALL_GAP_S

NAMES = ("Ann", "Bob", "Cy", "Dee")


@pytest.fixture
def looks(table: Table) -> Looks:
    return Looks(game=lambda: table.state)


@pytest.fixture
def calls(looks: Looks, table: Table) -> list[str]:
    """What the kit is told, in the order in which people called."""
    heard: list[str] = []
    looks.subscribe(lambda seat, said: heard.append(f"{seat}: {english(said, table.state.names)}"))
    return heard


@pytest.fixture
def app(table: Table, log: Log, settings: PageSettings, looks: Looks) -> Iterator[Any]:
    app = create_app(table, log, replace(settings, looking=looks))
    yield app
    app.extensions["upcard"].close()


# --- who may ---------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", ["seat:2", "table", "director"])
def test_a_seat_the_table_and_the_director_call_and_the_kit_hears_it(
    app: Any, hands: Any, calls: list[str], holder: str
) -> None:
    hands.start(NAMES)
    told = join(app, holder).post("/api/look", json={"seat": 2})
    assert (told.status_code, told.json) == (200, {"accepted": True})
    assert broken_promise("/api/look", "POST", told) is None
    assert calls == ["2: Cy asks everybody to look at the table."]


def test_a_seats_code_calls_for_no_other_seat(app: Any, hands: Any, calls: list[str]) -> None:
    hands.start(NAMES)
    told = join(app, "seat:2").post("/api/look", json={"seat": 1})
    assert (told.status_code, told.json["code"]) == (403, "role")
    assert told.json["reason"] == "a seat's page calls for that seat only"
    assert calls == []


def test_who_only_watches_calls_nobody(watcher: Any, hands: Any, calls: list[str]) -> None:
    hands.start(NAMES)
    told = watcher.post("/api/look", json={"seat": 2})
    assert (told.status_code, told.json["code"]) == (401, "watching")
    assert calls == []


@pytest.mark.parametrize("body", [{}, {"seat": None}, {"seat": True}, {"seat": -1}, {"seat": 6}, 3])
def test_a_call_for_a_seat_that_cannot_be_is_refused_by_its_value(
    client: Any, hands: Any, calls: list[str], body: Any
) -> None:
    hands.start(NAMES)
    told = client.post("/api/look", json=body)
    assert (told.status_code, told.json["code"]) == (400, "malformed")
    assert "is no number from 0 (North) clockwise" in told.json["reason"]
    assert calls == []


def test_what_is_no_json_is_refused(client: Any, hands: Any, calls: list[str]) -> None:
    hands.start(NAMES)
    told = client.post("/api/look", data="seat=2", content_type="application/json")
    assert (told.status_code, told.json["reason"]) == (400, "the body is not JSON")
    assert calls == []


def test_a_call_longer_than_any_is_not_read(client: Any, hands: Any, calls: list[str]) -> None:
    hands.start(NAMES)
    told = client.post("/api/look", json={"seat": 2, "why": "x" * 10_000})
    assert (told.status_code, told.json["code"]) == (413, "malformed")
    assert calls == []


def test_before_a_game_there_is_nothing_to_look_at(client: Any, calls: list[str]) -> None:
    told = client.post("/api/look", json={"seat": 2})
    assert (told.status_code, told.json["code"]) == (409, "not_now")
    assert told.json["reason"].startswith("No game is on the table: begin one")
    assert calls == []


def test_a_seat_that_does_not_play_calls_nobody(client: Any, hands: Any, calls: list[str]) -> None:
    hands.start(NAMES)
    told = client.post("/api/look", json={"seat": 5})
    assert (told.status_code, told.json["code"]) == (409, "not_now")
    assert told.json["reason"].startswith("Nobody sits at that seat in this game")
    assert calls == []


def test_a_page_of_a_recorded_game_has_nobody_to_call(
    table: Table, log: Log, settings: PageSettings, hands: Any
) -> None:
    hands.start(NAMES)
    app = create_app(table, log, settings)
    try:
        told = join(app, "director").post("/api/look", json={"seat": 2})
        assert (told.status_code, told.json["code"]) == (409, "not_now")
        assert "there is nobody to call" in told.json["reason"]
    finally:
        app.extensions["upcard"].close()


@pytest.fixture
def now_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The page's seconds, in a list of one."""
    now = [100.0]
    routes = web_app.look_routes
    monkeypatch.setattr(
        web_app, "look_routes", lambda *given: routes(*given, clock_s=lambda: now[0])
    )
    return now


def test_a_seat_calls_again_only_when_its_last_call_has_been_heard(
    now_s: list[float], app: Any, hands: Any, calls: list[str]
) -> None:
    hands.start(NAMES)
    seat, tablet = join(app, "seat:2"), join(app, "table")
    assert seat.post("/api/look", json={"seat": 2}).status_code == 200
    now_s[0] += CALL_GAP_S - 0.1
    for asking in (seat, tablet):
        told = asking.post("/api/look", json={"seat": 2})
        assert (told.status_code, told.json["code"]) == (429, "wait")
        assert int(told.headers["Retry-After"]) >= 1
        assert broken_promise("/api/look", "POST", told) is None
    assert tablet.post("/api/look", json={"seat": 1}).status_code == 200, "another seat may"
    now_s[0] += 0.1
    assert seat.post("/api/look", json={"seat": 2}).status_code == 200
    assert [line[0] for line in calls] == ["2", "1", "2"]


def test_a_call_that_nobody_was_told_of_is_not_waited_for(
    now_s: list[float], app: Any, hands: Any, calls: list[str]
) -> None:
    seat = join(app, "seat:2")
    assert seat.post("/api/look", json={"seat": 2}).status_code == 409
    hands.start(NAMES)
    assert seat.post("/api/look", json={"seat": 2}).status_code == 200
    assert len(calls) == 1


# --- who hears it ----------------------------------------------------------------------------


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


def heard(screen: Screen, text: str) -> None:
    """Wait until the page shows somebody's call."""
    screen.wait(
        f"[...document.querySelectorAll('.toast.look')].some((t) => t.textContent === {text!r})"
    )


@pytest.mark.browser
def test_a_seat_calls_from_its_phone_and_the_page_says_so(
    screen: Screen, serve_page: Any, table: Table, hands: Any, looks: Looks, calls: list[str]
) -> None:
    hands.start(NAMES)
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table, role="seat:2", looking=looks).url + "seat/2")
    screen.tap_words("Look at the table", within="#more")
    heard(screen, "Cy asks everybody to look at the table.")
    assert calls == ["2: Cy asks everybody to look at the table."]
    assert table.version == 1, "nothing is recorded"
    assert screen.ask("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert screen.complaints() == []


@pytest.mark.browser
def test_the_shared_tablet_calls_for_whoever_asks(
    screen: Screen, serve_page: Any, table: Table, hands: Any, looks: Looks, calls: list[str]
) -> None:
    hands.start(NAMES)
    screen.shape(*TABLET, scheme="dark")
    screen.open(serve_page(table, role="table", looking=looks).url)
    screen.tap("#menu")
    screen.tap("[data-focus='menu-look']")
    screen.tap("[data-focus='looks-3']")
    heard(screen, "Dee asks everybody to look at the table.")
    screen.wait("!document.querySelector('#sheet').open")
    assert calls == ["3: Dee asks everybody to look at the table."]
    assert screen.complaints() == []


@pytest.mark.browser
@pytest.mark.parametrize("page", ["", "seat/0", "director", "shuffle"])
def test_every_open_page_shows_a_call_that_a_button_made(
    screen: Screen, serve_page: Any, table: Table, hands: Any, looks: Looks, page: str
) -> None:
    hands.start(NAMES)
    server = serve_page(table, role=None, looking=looks)
    screen.shape(*TABLET, scheme="light")
    screen.open(server.url + page)
    # Told once, to those who listen: the stream must be open by then.
    watcher = server.app.test_client()
    until_s = time.monotonic() + 30
    while watcher.get("/health").json["viewers"] != 1:
        assert time.monotonic() < until_s, "the page never opened its stream"
        time.sleep(0.05)
    assert looks.call(1) is None
    heard(screen, "Bob asks everybody to look at the table.")


@pytest.mark.browser
def test_a_refused_call_is_said_on_the_page(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table, role="seat:0").url + "seat/0")
    screen.tap_words("Look at the table", within="#more")
    screen.wait("document.querySelector('.toast')?.textContent.includes('there is nobody to call')")


@pytest.mark.browser
def test_a_phone_of_another_seat_has_no_such_button(
    screen: Screen, serve_page: Any, table: Table, hands: Any, looks: Looks
) -> None:
    hands.start(NAMES)
    server = serve_page(table, role="seat:1", looking=looks)
    screen.shape(*PHONE, scheme="light")
    screen.open(server.url + "seat/2")
    screen.wait("document.querySelector('#mine').textContent.includes('acts for Bob')")
    assert not screen.driver.find_elements("css selector", "[data-focus='look']")
    sit(screen.driver, server, "seat:2")
    screen.open(server.url + "seat/2")
    screen.find("[data-focus='look']")
