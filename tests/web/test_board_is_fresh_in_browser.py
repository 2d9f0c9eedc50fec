"""Nothing stale on the board: the camera's age, gaps in the network, a tablet that slept."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.table import Table

pytestmark = pytest.mark.browser


class Air:
    """The way from the tablet to the kit. ``gone``: what is sent is lost, and nobody is told."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port = self._ear.getsockname()[1]
        self.gone = threading.Event()
        self._ends: list[socket.socket] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        lost = False
        with contextlib.suppress(OSError):
            while said := one.recv(65536):
                # A connection that missed a word never recovers: its stream is broken for good.
                lost = lost or self.gone.is_set()
                if not lost:
                    other.sendall(said)
        if not lost:
            with contextlib.suppress(OSError):
                other.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        for end in (self._ear, *self._ends):
            end.close()


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.mark.parametrize("size", [TABLET, PHONE, (800, 1280)], ids=lambda s: f"{s[0]}x{s[1]}")
def test_the_age_of_the_cameras_last_frame_is_always_there(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    told = {"ok": True, "camera": "Pi camera", "frame_age_us": 300_000, "fps": 10.0}
    hands.start()
    hands.turn_up()
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table, table_kind="pi", health=lambda: told).url)
    screen.wait("document.querySelector('#link-age').textContent === 'camera now'")
    told["frame_age_us"] = 9_000_000
    screen.wait("document.querySelector('#link-age').textContent === 'camera 9 s'")
    assert screen.find("#link-age").is_displayed()
    told["frame_age_us"] = 20_000_000
    screen.wait("document.querySelector('#link').dataset.state === 'warn'")
    assert "Camera still" in screen.text("#link")


def test_a_table_without_a_camera_tells_the_age_of_the_last_change(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    screen.open(serve_page(table, health=dict).url)
    screen.wait("/^(now|\\\\d+ s)$/.test(document.querySelector('#link-age').textContent)")
    assert "No camera" in screen.find("#link").get_attribute("aria-label")


def test_a_gap_in_the_network_is_seen_and_filled_by_itself(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    air = Air(serve_page(table, heartbeat_s=0.5).port)
    try:
        screen.open(f"http://127.0.0.1:{air.port}/")
        screen.wait("document.querySelector('.up')")
        air.gone.set()
        screen.wait("document.querySelector('#link').dataset.state === 'lost'", 15.0)
        assert "stale" in screen.find("body").get_attribute("class")
        for seat, card in ((1, "Ah"), (2, "9h"), (3, "Th")):
            hands.play(seat, card)
        air.gone.clear()
        screen.wait("document.querySelectorAll('.lie').length === 3", 30.0)
        screen.wait("document.querySelector('#link').dataset.state === 'live'", 30.0)
        assert screen.find(".lie.last").get_attribute("data-card") == "Th"
    finally:
        screen.driver.get("about:blank")
        air.close()


def test_a_tablet_that_slept_shows_the_table_as_it_is_now(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table, heartbeat_s=0.5).url)
    screen.wait("document.querySelector('.up')")
    screen.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "frozen"})
    hands.tricks(1, 5)
    screen.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "active"})
    screen.wait("document.querySelector('[data-score=\"1\"]').textContent === '1'", 20.0)
    screen.wait("document.querySelector('#link').dataset.state === 'live'", 20.0)
