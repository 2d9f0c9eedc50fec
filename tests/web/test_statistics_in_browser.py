"""The statistics page: plot, tables and the empty page, as a person meets them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.table import Table

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.mark.parametrize("size", [TABLET, (800, 1280), PHONE], ids=["wide", "upright", "phone"])
def test_points_are_drawn_deal_by_deal_and_told_as_a_table(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start(("Ann", "Ben", "Cleo", "Dan"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table).url + "statistics")
    screen.wait("document.querySelector('.plot')")
    label = screen.find(".plot").get_attribute("aria-label")
    assert label == "Points after each deal: Ann and Cleo 0, Ben and Dan 1"
    # Two sides, each at nought before the first deal and once after it.
    assert screen.ask("return document.querySelectorAll('.plot circle').length") == 4
    ends = screen.ask(
        "return [...document.querySelectorAll('.plot-line')].map((line) =>"
        " line.querySelector('circle:last-child').getAttribute('cy'))"
    )
    assert float(ends[1]) < float(ends[0]), "one point stands above none"
    assert "1 · 100%" in screen.text("#one-game .wide-table")
    players = screen.text("#players")
    assert all(name in players for name in ("Ann", "Ben", "Cleo", "Dan"))
    assert "1 call · 1 made" in screen.text("#places")
    assert screen.ask("return document.documentElement.scrollWidth - innerWidth") <= 0
    assert screen.complaints() == []


def test_without_a_scored_deal_the_page_says_what_will_stand_there(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.open(serve_page(table).url + "statistics")
    screen.wait("document.querySelector('#nothing').textContent.includes('Nothing to count yet')")
    assert not screen.ask("return Boolean(document.querySelector('.plot'))")
