"""The shuffle panel: what it tells, who may press what, and that a tap reaches the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.odds import total_variation
from engine.table import Table
from engine.wording import Sentence, worded
from pi.shuffling.words import NOT_NOW

pytestmark = pytest.mark.browser


class Tray:
    """A shuffler of which only the words are real: it remembers what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._listeners: list[Callable[[], None]] = []
        self.now: dict[str, Any] = {
            "phase": "idle",
            "seat": None,
            "passes_done": 0,
            "passes_wanted": 3,
            "text": "Ann deals: load the pack and start the shuffler, or shuffle by hand.",
            "may_start": [0],
            "refused": None,
            "cards": 24,
            "mixing": [total_variation(cards=24, passes=n) for n in range(1, 11)],
            "noticed": [0.9, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0, 0.0, 0.0],
            "second_pack": False,
        }

    def become(self, **changes: Any) -> None:
        self.now |= changes
        for listener in self._listeners:
            listener()

    def state(self) -> Mapping[str, Any]:
        return dict(self.now)

    def start(self, seat: int) -> Sentence | None:
        self.asked.append(("start", seat))
        self.become(phase="passing", seat=seat, text="Pass 1 of 3 is running.", may_start=[])
        return None

    def by_hand(self, seat: int, passes: int) -> Sentence | None:
        self.asked.append(("by_hand", seat, passes))
        self.become(phase="done", seat=seat, passes_done=passes, text="Ann shuffled by hand.")
        return None

    def want(self, passes: int) -> Sentence | None:
        self.asked.append(("want", passes))
        self.become(passes_wanted=passes)
        return None

    def override(self, what: str) -> Sentence | None:
        self.asked.append((what,))
        return worded(NOT_NOW) if what == "stop" else None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.fixture
def tray() -> Tray:
    return Tray()


@pytest.mark.parametrize("size", [TABLET, (800, 1280), PHONE], ids=["wide", "upright", "phone"])
def test_a_tap_starts_it_and_the_panel_follows(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray, size: tuple[int, int]
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table, shuffling=tray).url + "shuffle")
    assert "Ann deals" in screen.text(".shuffle-text")
    screen.tap_words("Start the shuffler for Ann", within="#shuffle")
    screen.wait("document.querySelector('.shuffle-text').textContent === 'Pass 1 of 3 is running.'")
    assert tray.asked == [("start", 0)]
    assert screen.find(".passes").get_attribute("aria-label") == "Pass 1 of 3 is running"
    tray.become(phase="piles_out", passes_done=1, text="Stack the piles.")
    screen.wait("document.querySelectorAll('.passes .on').length === 1")
    assert screen.ask("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert screen.complaints() == []


def test_the_board_shows_it_between_hands_and_not_during_one(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start()
    screen.open(serve_page(table, shuffling=tray).url)
    screen.wait("!document.querySelector('#shuffle').hidden")
    hands.turn_up()
    screen.wait("document.querySelector('#shuffle').hidden")
    # At work it is shown whatever lies on the table.
    tray.become(phase="jammed", seat=0, text="Look at the shuffler.")
    screen.wait("!document.querySelector('#shuffle').hidden")
    assert "warning" in screen.find(".shuffle-text").get_attribute("class")


def test_it_is_lit_for_the_seat_that_may_start_it_and_for_no_other(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    tray.become(refused="Ann deals next: only the dealer's seat starts the shuffler.")
    screen.open(serve_page(table, shuffling=tray, role="seat:1").url + "shuffle")
    button = screen.find(".start-shuffler")
    screen.wait("document.documentElement.dataset.role === 'seat'")
    assert button.get_attribute("disabled")
    assert "only the dealer's seat" in screen.text("#shuffle")
    tray.become(may_start=[1], refused=None)
    screen.tap_words("Start the shuffler for Bob", within="#shuffle")
    screen.wait("document.querySelector('.shuffle-text').textContent.includes('running')")
    assert tray.asked == [("start", 1)]


def test_who_only_watches_sees_it_and_can_start_nothing(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start()
    screen.open(serve_page(table, shuffling=tray, role=None).url + "shuffle")
    screen.wait("document.querySelector('.mixing')")
    assert screen.ask(
        "return [...document.querySelectorAll('#shuffle button')].every((b) => b.disabled)"
    )


def test_people_overrule_it_and_shuffle_by_hand(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    tray.become(phase="jammed", seat=0, text="Look at the shuffler.", may_start=[0])
    screen.open(serve_page(table, shuffling=tray).url + "shuffle")
    for words in ("The jam is gone", "Stacked and loaded", "This pass is done"):
        screen.tap_words(words, within="#shuffle")
        screen.wait("!document.querySelector('#shuffle .sending')")
    screen.tap("[data-focus=hand-more]")
    screen.tap_words("Ann: 4 riffles", within="#shuffle")
    screen.wait("document.querySelector('.shuffle-text').textContent.includes('by hand')")
    screen.tap("[data-focus=want-more]")
    screen.wait("document.querySelectorAll('.passes i').length === 4")
    assert tray.asked == [
        ("cleared",),
        ("stacked",),
        ("pass_done",),
        ("by_hand", 0, 4),
        ("want", 4),
    ]


def test_a_refusal_is_said_in_the_kits_own_words(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start()
    tray.become(phase="passing", seat=0)
    screen.open(serve_page(table, shuffling=tray).url + "shuffle")
    screen.tap_words("Stop", within="#shuffle")
    screen.wait("document.querySelector('#toasts').textContent.includes('it is at rest')")


def test_the_curve_tells_what_is_left_after_the_passes_done(
    screen: Screen, serve_page: Any, table: Table, hands: Any, tray: Tray
) -> None:
    hands.start()
    tray.become(passes_done=5, phase="done")
    screen.open(serve_page(table, shuffling=tray).url + "shuffle")
    # Bayer and Diaconis for 24 cards after five passes: 0.418 (RULES.md).
    assert screen.text(".mixing figcaption") == (
        "After 5 passes, 42% of the pack's order is left, and 5% of what players could notice."
    )
    assert screen.find(".plot").get_attribute("aria-label") == screen.text(".mixing figcaption")


def test_without_a_shuffler_the_page_says_so_and_counts_riffles_by_hand(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    screen.open(serve_page(table).url + "shuffle")
    screen.wait("document.querySelector('#shuffle').textContent.includes('No shuffler is fitted')")
    screen.tap_words("Ann: 3 riffles", within="#shuffle")
    version = table.version
    screen.wait("!document.querySelector('#shuffle .sending')")
    assert table.version >= version
    assert any("shuffled: 3 passes by hand" in line["text"] for line in table.snapshot()["history"])
