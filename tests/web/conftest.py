"""A real table over a log in memory, its page, and a browser to look at it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.cards import parse_card
from engine.commands import (
    ClearTrick,
    Command,
    ConfirmDeal,
    Declare,
    PlayCard,
    Rejected,
    ShowUpcard,
    StartGame,
)
from engine.log import Log
from engine.memory_log import MemoryLog
from engine.sightings import CardRested, Place
from engine.table import Accepted, Table
from web_dashboard import PageServer, PageSettings, create_app, open_server

sys.path.insert(0, str(Path(__file__).resolve().parent))

from access_scenes import join, sit

#: A picture's name: its hash.
PICTURE = "00112233445566778899aabbccddeeff"

#: One deal, dealt by North: hearts up, East orders and leads. East throws a club on South's
#: diamond in trick 3; the last card of trick 5 says whether that was in order.
TRICKS = (
    ((1, "Ah"), (2, "9h"), (3, "Th"), (0, "Kh")),
    ((1, "Ks"), (2, "As"), (3, "9s"), (0, "Ts")),
    ((2, "Qd"), (3, "9d"), (0, "Ad"), (1, "9c")),
    ((0, "Tc"), (1, "Jc"), (2, "Qc"), (3, "Ac")),
    ((3, "Kc"), (0, "Td"), (1, "Qs"), (2, "Js")),
)


class Hands:
    """Plays the deal above at a table, one move at a time, as cards and taps would."""

    deal = TRICKS

    def __init__(self, table: Table) -> None:
        self.table = table
        self._track = 0

    def do(self, command: Command) -> Accepted:
        done = self.table.submit(command, source="test")
        assert not isinstance(done, Rejected), done
        return done

    def start(self, names: tuple[str, ...] = ("North", "East", "South", "West")) -> None:
        self.do(StartGame(names=names, dealer=0))

    def turn_up(self) -> None:
        self.do(ShowUpcard(card=parse_card("Kh"), dealer=0))

    def declare(self) -> None:
        self.do(Declare(maker=1, trump="h"))

    def play(self, seat: int, card: str) -> int:
        """Lay a card; answers its version."""
        return self.do(PlayCard(seat=seat, card=parse_card(card))).version

    def tricks(self, first: int, last: int, *, revoke: bool = False) -> None:
        """Play whole tricks, from 1, and sweep each but the last one asked for."""
        for number in range(first, last + 1):
            for seat, card in TRICKS[number - 1]:
                self.play(seat, "Kd" if revoke and card == "Qs" else card)
            if number < last:
                self.do(ClearTrick())

    def sweep(self) -> None:
        self.do(ClearTrick())

    def confirm(self, deal: int) -> None:
        self.do(ConfirmDeal(deal=deal))

    def doubt(self, seat: int, votes: tuple[tuple[str, float], ...], evidence: str | None) -> int:
        """A card nobody could read comes to rest; answers the review's version."""
        self._track += 1
        seen = self.table.see(
            CardRested(
                at_us=time.time_ns() // 1000,
                track=self._track,
                card=None,
                confidence=votes[0][1],
                votes=tuple((parse_card(c), p) for c, p in votes),
                place=Place(seat=seat),
                box=(0.0, 0.0, 10.0, 14.0),
                why="low",
                evidence=evidence,
            )
        )
        assert isinstance(seen, Accepted), seen
        return seen.version


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
def table(log: MemoryLog) -> Table:
    return Table(log, clock_us=lambda: time.time_ns() // 1000)


@pytest.fixture
def hands(table: Table) -> Hands:
    return Hands(table)


@pytest.fixture
def settings(tmp_path: Path) -> PageSettings:
    pictures = tmp_path / "evidence"
    pictures.mkdir()
    return PageSettings(
        table_kind="hand",
        evidence_dir=pictures,
        heartbeat_s=1.0,
        access_file=tmp_path / "codes.json",
    )


@pytest.fixture
def app(table: Table, log: Log, settings: PageSettings) -> Iterator[Any]:
    app = create_app(table, log, settings)
    yield app
    app.extensions["upcard"].close()


@pytest.fixture
def watcher(app: Any) -> Any:
    """A client that only watches."""
    return app.test_client()


@pytest.fixture
def client(app: Any) -> Any:
    """A client that acts as the director, who may everything."""
    return join(app, "director")


@pytest.fixture
def picture(settings: Any, root: Path) -> str:
    """A picture in the evidence folder, under its hash."""
    # The smallest JPEG there is: one grey pixel.
    grey = bytes.fromhex(
        "ffd8ffdb004300" + "01" * 64 + "ffc0000b080001000101011100ffc40014000100000000000000"
        "000000000000000009ffc40014100100000000000000000000000000000000ffda0008010100003f0054"
        "dfffd9"
    )
    (settings.evidence_dir / f"{PICTURE}.jpg").write_bytes(grey)
    return PICTURE


ServePage = Callable[..., PageServer]


@pytest.fixture
def serve_page(
    log: Log, settings: PageSettings, request: pytest.FixtureRequest
) -> Iterator[ServePage]:
    """Serves a table's page; keyword arguments change the settings, ``port`` picks the port.

    The browser of the test, where it has one, acts as the director, or as ``role`` says (a
    holder of :data:`web_dashboard.access.HOLDERS`, None: it only watches).
    """
    servers: list[PageServer] = []

    def serve(
        table: Table, *, port: int = 0, role: str | None = "director", **changes: Any
    ) -> PageServer:
        changed = replace(settings, **changes)
        app = create_app(table, log, changed)
        server = open_server(app, host="127.0.0.1", port=port)
        servers.append(server)
        server.start()
        if "chromium" in request.fixturenames:
            sit(request.getfixturevalue("chromium"), server, role)
        return server

    yield serve
    for server in servers:
        server.close()


def _missing_browser() -> str | None:
    for program, package in (("chromium", "chromium"), ("chromedriver", "chromium-driver")):
        if shutil.which(program) is None:
            return f"{program} is absent: apt-get install {package}"
    return None


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's chromium, headless. Skips where it is absent, unless UPCARD_REQUIRE_BROWSER."""
    missing = _missing_browser()
    if missing is not None:
        if os.environ.get("UPCARD_REQUIRE_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(30)
    yield driver
    driver.quit()
