"""As a systemd service: up when it is up, and a watchdog that only frames feed."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi.service import Watchdog, notify, ready, stopping, watchdog_s


class Systemd:
    """The socket that a unit of Type=notify is given, and what was said to it."""

    def __init__(self, path: Path) -> None:
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._link.bind(str(path))
        self._link.setblocking(False)
        self.environment = {
            "NOTIFY_SOCKET": str(path),
            "WATCHDOG_USEC": "30000000",
            "WATCHDOG_PID": str(os.getpid()),
        }

    def heard(self) -> list[str]:
        found = []
        while True:
            try:
                found.append(self._link.recv(4096).decode())
            except BlockingIOError:
                return found

    def close(self) -> None:
        self._link.close()


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[Systemd]:
    listening = Systemd(tmp_path / "notify")
    yield listening
    listening.close()


def test_it_says_when_it_is_up_and_when_it_ends(systemd: Systemd) -> None:
    ready("the board: http://upcard.local:8080/", environment=systemd.environment)
    stopping(environment=systemd.environment)
    assert systemd.heard() == [
        "READY=1\nSTATUS=the board: http://upcard.local:8080/",
        "STOPPING=1",
    ]


def test_off_systemd_nothing_is_sent_and_nothing_fails(tmp_path: Path) -> None:
    assert not notify("READY=1", environment={})
    assert not notify("READY=1", environment={"NOTIFY_SOCKET": str(tmp_path / "gone")})


def test_an_abstract_socket_is_reached_too() -> None:
    name = f"upcard-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as link:
        link.bind("\0" + name)
        assert notify("READY=1", environment={"NOTIFY_SOCKET": "@" + name})
        assert link.recv(100) == b"READY=1"


def test_the_watchdog_is_fed_four_times_a_period_and_not_at_every_frame(systemd: Systemd) -> None:
    now_s = 100.0
    dog = Watchdog(environment=systemd.environment, clock_s=lambda: now_s)
    for frame in range(301):  # 30 seconds at 10 frames a second
        now_s = 100.0 + frame / 10
        dog.feed()
    assert systemd.heard() == ["WATCHDOG=1"] * 5


def test_no_frame_no_food(systemd: Systemd) -> None:
    Watchdog(environment=systemd.environment)
    assert systemd.heard() == []


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"},
    ],
)
def test_a_watchdog_that_is_not_ours_is_not_fed(
    environment: dict[str, str], systemd: Systemd
) -> None:
    told = {"NOTIFY_SOCKET": systemd.environment["NOTIFY_SOCKET"], **environment}
    assert watchdog_s(told) is None
    Watchdog(environment=told).feed()
    assert systemd.heard() == []
