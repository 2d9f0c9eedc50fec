"""Everybody is asked to look at the table: by a button or from the page, with one result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from shuffle_scenes import Scene, a_deal, play
from test_wiring import SMALL, blind

from engine.cards import SEAT_NAMES
from engine.commands import ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.table import Table
from engine.wording import Sentence, english
from pi.lights import CALLS
from pi.looks import Looks
from pi.settings import KitSettings
from pi.tending import LOOK_US
from pi.wiring import Kit, build, page_for
from web_dashboard.ports import Looking

Called = list[tuple[int, str]]


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def scene() -> Iterator[Scene]:
    made = Scene(dealer=1)
    yield made
    made.close()
    made.bench.close()


def kit_for(table: str, opened: ExitStack) -> Kit:
    return opened.enter_context(build(KitSettings(table=table, **SMALL), reader_for=blind))


def listening(looking: Looking) -> tuple[Called, Callable[[], None]]:
    heard: Called = []
    end = looking.subscribe(lambda seat, said: heard.append((seat, english(said, SEAT_NAMES))))
    return heard, end


# --- the contract ------------------------------------------------------------------------------


@pytest.fixture(params=["alone", "kit without fittings", "kit with fittings"])
def looking(
    request: pytest.FixtureRequest, opened: ExitStack
) -> tuple[Looking, Callable[[Any], object]]:
    """An implementation, and what gives its table a command."""
    if request.param == "alone":
        table = Table(MemoryLog(), clock_us=lambda: 0)
        return Looks(game=lambda: table.state), lambda command: table.submit(command, source="page")
    kit = kit_for("hand" if "without" in request.param else "sim", opened)
    return kit.looks, lambda command: kit.submit(command, source="page")


def test_every_listener_is_told_once_who_calls(looking: tuple[Looking, Any]) -> None:
    looks, do = looking
    do(StartGame(dealer=0))
    first, second = listening(looks)[0], listening(looks)[0]
    assert looks.call(2) is None
    assert first == second == [(2, "South asks everybody to look at the table.")]


def test_who_has_ended_to_listen_is_told_nothing_more(looking: tuple[Looking, Any]) -> None:
    looks, do = looking
    do(StartGame(dealer=0))
    heard, end = listening(looks)
    other, _ = listening(looks)
    end()
    looks.call(1)
    assert heard == []
    assert len(other) == 1


def test_before_a_game_a_call_is_refused_and_nobody_is_told(looking: tuple[Looking, Any]) -> None:
    looks, _ = looking
    heard, _ = listening(looks)
    refused = looks.call(2)
    assert refused is not None
    assert english(refused, SEAT_NAMES).startswith("No game is on the table")
    assert heard == []


@pytest.mark.parametrize(("rules", "seat"), [("home", 4), ("two_hand", 2), ("home", -1)])
def test_a_seat_nobody_sits_at_is_refused(
    looking: tuple[Looking, Any], rules: str, seat: int
) -> None:
    looks, do = looking
    do(StartGame(dealer=0, rules=rules))
    heard, _ = listening(looks)
    refused = looks.call(seat)
    assert refused is not None
    assert english(refused, SEAT_NAMES).startswith("Nobody sits at that seat")
    assert heard == []


# --- on the kit --------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["hand", "sim"])
def test_a_call_stands_among_the_kits_warnings_with_fittings_or_without(
    table: str, opened: ExitStack
) -> None:
    kit = kit_for(table, opened)
    kit.submit(StartGame(dealer=0, names=("Ann", "Bob", "Cy", "Dee")), source="page")
    kit.looks.call(3)
    assert kit.health()["warnings"] == ["Dee asks everybody to look at the table."]


def test_a_call_on_the_page_lights_the_seats_light_as_its_button_does(opened: ExitStack) -> None:
    kit = kit_for("sim", opened)
    kit.submit(StartGame(dealer=0), source="page")
    app = page_for(kit)
    opened.callback(app.extensions["upcard"].close)
    client = app.test_client()
    code = app.extensions["upcard-access"].code("seat:2")
    token = client.post("/api/join", json={"code": code}).json["token"]
    told = client.post("/api/look", json={"seat": 2}, headers={"X-Upcard-Token": token})
    assert told.status_code == 200, told.text
    assert kit._tending is not None
    assert kit._tending.meanings(0)[2] == "attention"
    assert kit._tending.meanings(LOOK_US)[2] != "attention"


# --- a button ----------------------------------------------------------------------------------


def test_a_long_press_is_told_to_all_who_listen(scene: Scene) -> None:
    heard, _ = listening(scene.looks)
    play(scene, cards=5)
    scene.press_long(3)
    assert heard == [(3, "West asks everybody to look at the table.")]


def test_a_long_press_that_stops_the_shuffler_calls_nobody(scene: Scene) -> None:
    heard, _ = listening(scene.looks)
    scene.press(1)
    scene.press_long(3)
    assert scene.phase == "idle"
    assert heard == []


def test_a_call_sounds_the_same_from_a_button_and_from_the_page(scene: Scene) -> None:
    scene.do(ShowUpcard(card=a_deal().upcard, dealer=1))
    scene.run(3)
    sounded = rhythm(scene, lambda: scene.bench.press_long(3, at_us=scene.now_us))
    from_page = rhythm(scene, lambda: scene.looks.call(3))
    assert sounded == from_page != []
    taken = rhythm(scene, lambda: scene.bench.press(0, at_us=scene.now_us))
    assert taken != from_page, "a press that is merely taken or refused sounds otherwise"


def test_a_long_press_before_a_game_is_refused_with_the_reason() -> None:
    fresh = Scene(dealer=None)
    try:
        fresh.press_long(2)
        assert fresh.warned == [
            "No game is on the table: begin one, and there is something to look at."
        ]
        assert fresh.tending.meanings(fresh.now_us)[2] is None
    finally:
        fresh.close()
        fresh.bench.close()


def rhythm(scene: Scene, begin: Callable[[], Sentence | None]) -> list[bool]:
    """The buzzer's level every twentieth of a second from its first sound on, for two seconds."""
    pin = scene.bench.factory.pin(scene.settings.pins.buzzer)
    begin()
    levels: list[bool] = []
    for _ in range(120):
        levels.append(bool(pin.state))
        scene.run(0.05)
    if True not in levels:
        return []
    first = levels.index(True)
    return levels[first : first + 40]


def test_the_call_for_a_look_has_a_rhythm_of_its_own() -> None:
    assert [call for call, pattern in CALLS.items() if pattern == CALLS["look"]] == ["look"]
