"""Every page for everybody: axe-core finds nothing, the keyboard reaches everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.log import Log
from engine.table import Table
from engine.wording import Sentence, worded

pytestmark = pytest.mark.browser

SIZES = (TABLET, (800, 1280), PHONE)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")

Prepare = Callable[[Any], None]


def nothing(hands: Any) -> None:
    """No game has begun."""


def playing(hands: Any) -> None:
    hands.start(("Ann", "Ben", "Cleo", "Dan"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 3)


def bidding(hands: Any) -> None:
    hands.start(("Ann", "Ben", "Cleo", "Dan"))
    hands.turn_up()


def asking(hands: Any) -> None:
    """A card in doubt and a revoke to rule on."""
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    hands.sweep()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    hands.doubt(2, (("Ah", 0.6), ("Ad", 0.4)), None)


def between(hands: Any) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    hands.sweep()
    hands.confirm(1)


#: Every page, what is on the table, and what is done on the page before it is looked at.
class SeesASheet:
    """A camera set up well but for one thing, so that every kind of verdict shows."""

    def look(self) -> dict[str, Any]:
        verdicts = ("pass", "warn", "fail")
        checks = [{"name": "focus", "verdict": v, "text": "seen", "cure": "mend"} for v in verdicts]
        return {"found": True, "text": "", "picture": False, "checks": checks, "may_keep": False}

    def picture(self) -> None:
        return None

    def keep(self) -> Sentence:
        return worded("not now")

    def cards(self) -> dict[str, Any]:
        return {"cards": [{"card": "Kh", "confidence": 0.99}]}

    def sheet(self) -> bytes:
        return b"%PDF-1.4"


PAGES: dict[str, tuple[str, Prepare, str]] = {
    "start": ("", nothing, ""),
    "bidding": ("", bidding, ""),
    "playing": ("", playing, ""),
    "asking": ("", asking, ""),
    "between": ("", between, ""),
    "menu": ("", playing, "document.querySelector('#menu').click()"),
    "settings": ("", playing, "document.querySelector('#device').click()"),
    "correcting": ("", playing, "document.querySelector('#correct').click()"),
    "games": ("replay", between, ""),
    "no games": ("replay", nothing, ""),
    "replay": ("replay/{game}", asking, ""),
    "statistics": ("statistics", between, ""),
    "no statistics": ("statistics", nothing, ""),
    "shuffle": ("shuffle", between, ""),
    "keeper": ("keeper", nothing, ""),
    "keeper with hands": (
        "keeper",
        nothing,
        "for (const [a, b] of [[5, 0], [2, 3]]) {"
        "  const tap = (s) => document.querySelector(s).click();"
        "  tap(`input[name=tricks-0][value='${a}']`); tap(`input[name=tricks-1][value='${b}']`);"
        "  tap(`input[name=called][value='0']`); tap('#add-hand');"
        "}"
        "for (const d of document.querySelectorAll('details')) d.open = true;",
    ),
    "join": ("join", nothing, ""),
    "seat": ("seat/1", bidding, ""),
    "director": ("director", asking, ""),
    "doctor": ("doctor", nothing, ""),
    "calibrate": ("calibrate", nothing, "document.querySelector('#look')?.click()"),
    "error": ("nowhere", nothing, ""),
}


#: Runs axe-core and answers a line for every rule that is broken, with the first places.
ASK_AXE = """
const done = arguments[0];
const place = (n) => `${n.target.join(" ")} (${n.any.concat(n.all, n.none).map((c) => c.message)})`;
const line = (v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map(place)}`;
axe.run(document, { resultTypes: ["violations"] })
  .then((told) => done(told.violations.map(line)), (error) => done([String(error)]));
"""


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen
        screen.ask("try { localStorage.clear() } catch {}")


@pytest.fixture(scope="module")
def axe(root: Path) -> str:
    return (root / "tests/third_party/axe-core/axe.min.js").read_text()


def violations(screen: Screen, axe: str) -> list[str]:
    """What axe-core finds: the rule, and the first elements it speaks of."""
    screen.driver.set_script_timeout(60)
    if not screen.ask("return Boolean(window.axe)"):
        screen.ask(axe)
    found = screen.driver.execute_async_script(ASK_AXE)
    return list(found)


@pytest.mark.parametrize("name", PAGES)
def test_no_page_has_anything_that_axe_finds(
    screen: Screen, serve_page: Any, table: Table, hands: Any, log: Log, axe: str, name: str
) -> None:
    path, prepare, act = PAGES[name]
    prepare(hands)
    games = log.games()
    server = serve_page(table, calibrating=SeesASheet())
    url = server.url + path.format(game=games[-1].game_id if games else "")
    found: list[str] = []
    for scheme in SCHEMES:
        screen.shape(*SIZES[0], scheme=scheme)
        screen.driver.get(url)
        screen.wait("document.readyState === 'complete'")
        screen.wait(
            "!document.querySelector('#link') || document.querySelector('#link').dataset.state"
            " === 'live'"
        )
        if act:
            screen.ask("localStorage.removeItem('upcard.keeper')")
            screen.ask(act)
        screen.wait("document.getAnimations().every((a) => a.playState !== 'running')")
        for size in SIZES:
            screen.shape(*size, scheme=scheme)
            found += [f"{scheme} {size}: {text}" for text in violations(screen, axe)]
    assert found == []


# --- the keyboard ---------------------------------------------------------------------------------


def keys(screen: Screen, *pressed: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(screen.driver).send_keys(*pressed).perform()


def test_every_control_is_reached_by_the_tab_key_in_the_order_it_is_read(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    from selenium.webdriver.common.keys import Keys

    bidding(hands)
    screen.open(serve_page(table).url)
    wanted = screen.ask(
        "return [...document.querySelectorAll('a[href], button, input, select, summary,"
        ' [tabindex="0"]\')].filter((n) => !n.disabled && n.tabIndex >= 0 && n.checkVisibility())'
        ".length"
    )
    seen: list[str] = []
    for _ in range(wanted + 8):
        keys(screen, Keys.TAB)
        here = screen.ask(
            "const n = document.activeElement; if (!n || n === document.body) return null;"
            "window.reached ??= new Map();"
            "if (!reached.has(n)) reached.set(n, reached.size);"
            "return [...reached.keys()].indexOf(n)"
        )
        if here is not None:
            seen.append(str(here))
    assert len(set(seen)) >= wanted - 1
    # The skip link comes first, and leads to what the table asks.
    assert screen.ask("return [...reached.keys()][0].getAttribute('href')") == "#ask"


def test_a_focus_that_is_seen_is_never_lost_when_the_table_goes_on(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    bidding(hands)
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#declare')")
    screen.ask("document.querySelector('#declare').focus()")
    hands.declare()
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    assert screen.ask("return document.activeElement.id") == "declare"


def test_what_is_asked_is_told_to_screen_readers(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    bidding(hands)
    screen.open(serve_page(table).url)
    assert screen.find("#says").get_attribute("aria-live") == "polite"
    screen.wait("document.querySelector('#says').textContent.includes('Who makes trump')")


def test_the_keeper_is_worked_by_keys_alone(screen: Screen, serve_page: Any, table: Table) -> None:
    from selenium.webdriver.common.keys import Keys

    url = serve_page(table).url + "keeper"
    screen.open(url)
    screen.ask("localStorage.removeItem('upcard.keeper')")
    screen.open(url)
    screen.ask("document.querySelector('input[name=tricks-0]').focus()")
    keys(screen, Keys.SPACE, *[Keys.ARROW_RIGHT] * 5)
    screen.ask("document.querySelector('input[name=called]').focus()")
    keys(screen, Keys.SPACE)
    screen.wait("!document.querySelector('#add-hand').disabled")
    screen.ask("document.querySelector('#add-hand').focus()")
    keys(screen, Keys.ENTER)
    screen.wait("document.querySelector('tr[data-hand=\"1\"]')")
    assert screen.ask("return document.querySelector('#says').textContent").startswith(
        "March: 2 points to Us"
    )


def test_reduced_motion_stops_every_movement(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    playing(hands)
    screen.open(serve_page(table).url)
    screen.ask("upcardDevice.change({ motion: 'less' })")
    hands.sweep()
    hands.play(0, "Tc")
    screen.wait("document.querySelector('.lie[data-card=Tc]')")
    assert screen.ask("return document.getAnimations().length") == 0


@pytest.mark.parametrize("letters", ["large", "larger"])
def test_larger_letters_break_no_page(
    screen: Screen, serve_page: Any, table: Table, hands: Any, letters: str
) -> None:
    between(hands)
    url = serve_page(table).url
    screen.open(url)
    screen.ask("upcardDevice.change({ letters: arguments[0] })", letters)
    for path in ("", "statistics", "shuffle", "keeper", "replay"):
        for size in SIZES:
            screen.shape(*size, scheme="light")
            screen.driver.get(url + path)
            screen.wait("document.readyState === 'complete'")
            wide = screen.ask("return document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, (path, size)
