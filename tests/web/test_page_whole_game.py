"""A whole game on the page, held against the script's own truth deal by deal.

The script (``pi.sim.script``) has its own few lines of rules and shares none with the engine,
so the score it expects is an independent one. With ``UPCARD_SCREENSHOTS`` naming a folder, the
pictures of the page that the README shows are written there.
"""

from __future__ import annotations

import base64
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from engine.commands import (
    ClearTrick,
    Command,
    ConfirmDeal,
    Declare,
    PlayCard,
    ShowUpcard,
    StartGame,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.facts import DealThrownIn
from engine.table import Table
from pi.sim.script import Deal, facts_of, play_game

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cleo", "Dan")
#: A game of nine deals with a lone hand, a euchre and a march in it.
SEED = 5


def commands_of(deal: Deal) -> tuple[list[Command], list[Command]]:
    """The taps that tell the deal up to trump, and those of its tricks."""
    assert deal.maker is not None
    assert deal.trump is not None
    opening: list[Command] = [
        ShowUpcard(card=deal.upcard, dealer=deal.dealer),
        TakeUpcard() if deal.taken else TurnDownUpcard(),
        Declare(maker=deal.maker, trump=deal.trump, alone=deal.alone),
    ]
    tricks: list[Command] = []
    for trick in deal.tricks:
        tricks.extend(PlayCard(seat=play.seat, card=play.card) for play in trick)
        tricks.append(ClearTrick())
    return opening, tricks


def picture(driver: Any, folder: Path, name: str, size: tuple[int, int], scheme: str) -> None:
    """Write what the browser shows at ``size`` as a PNG."""
    width_px, height_px = size
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width_px,
            "height": height_px,
            "deviceScaleFactor": 1,
            "mobile": width_px < 500,
        },
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "features": [
                {"name": "prefers-color-scheme", "value": scheme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]
        },
    )
    driver.execute_script("scrollTo(0, 0)")
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    data = base64.b64decode(shot)
    assert struct.unpack(">II", data[16:24]) == size
    # An empty or broken page is a few kilobytes; a table with cards on it is much more.
    assert len(data) > 40_000
    (folder / name).write_bytes(data)


def test_a_whole_game_is_scored_on_the_page_as_it_truly_went(
    chromium: Any, serve_page: Any, table: Table, hands: Any, tmp_path: Path
) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    def wait(true: str) -> None:
        WebDriverWait(chromium, 10, poll_frequency=0.05).until(
            lambda _: chromium.execute_script(f"return Boolean({true})"), f"never true: {true}"
        )

    folder = Path(os.environ.get("UPCARD_SCREENSHOTS", tmp_path))
    truth = play_game(seed=SEED)
    chromium.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False},
    )
    page = serve_page(table, table_kind="sim")
    chromium.get(page.url)
    hands.do(StartGame(names=NAMES, dealer=truth.first_dealer))
    score = [0, 0]
    for deal in truth.deals:
        if deal.maker is None:
            assert any(isinstance(f, DealThrownIn) for f in facts_of(deal))
            pytest.fail(f"seed {SEED} has a passed-out deal: choose another")
        opening, tricks = commands_of(deal)
        for command in opening:
            hands.do(command)
        for number, command in enumerate(tricks):
            hands.do(command)
            if deal.number == 6 and number == 12:
                wait("document.querySelectorAll('.lie').length === 3")
                picture(chromium, folder, "live-tablet.png", (1280, 800), "light")
                picture(chromium, folder, "live-phone.png", (390, 844), "dark")
        score = [score[0] + deal.points[0], score[1] + deal.points[1]]
        won = [sum(w % 2 == side for w in deal.winners) for side in (0, 1)]
        for side in (0, 1):
            wait(
                f"document.querySelector('[data-score=\"{side}\"]').textContent === '{score[side]}'"
            )
            wait(f"document.querySelectorAll('.side-{side} .pips .on').length === {won[side]}")
        if not table.state.over:
            hands.do(ConfirmDeal(deal=deal.number))
    wait("document.querySelector('.over')")
    assert (
        f"{NAMES[truth.winner]} and {NAMES[truth.winner + 2]} win"
        in chromium.find_element("css selector", ".over").text
    )
    chromium.execute_script("document.querySelector('#tab-deals').click()")
    wait("document.querySelector('.deals')")
    rows = chromium.find_elements("css selector", ".deals tbody tr")
    shown = [row.find_element("css selector", ".num").text for row in rows]
    running, expected = [0, 0], []
    for deal in truth.deals:
        running = [running[0] + deal.points[0], running[1] + deal.points[1]]
        expected.append(f"{running[0]}–{running[1]}")
    assert shown == expected[::-1]
