"""The card pad: a table without a camera taps its cards in, by finger or by two keys a card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boards_scenes as scenes
import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.cards import Card
from engine.facts import CardPlayed, Corrected, UpcardShown
from engine.table import Table

pytestmark = pytest.mark.browser

#: Five tricks as people lay them, hearts made by East, dealt by North.
DEAL = (
    ("Ah", "9h", "Th", "Kh"),
    ("Ks", "As", "9s", "Ts"),
    ("Qd", "9d", "Ad", "9c"),
    ("Tc", "Jc", "Qc", "Ac"),
    ("Kc", "Td", "Qs", "Js"),
)


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


def played(table: Table) -> list[str]:
    return [r.fact.card for r in table.records if isinstance(r.fact, CardPlayed)]


@pytest.mark.parametrize("size", [TABLET, PHONE, (800, 1280)], ids=lambda s: f"{s[0]}x{s[1]}")
def test_a_whole_deal_is_tapped_in_one_tap_a_card(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start()
    screen.shape(*size, scheme="light")
    screen.open(serve_page(table).url)
    assert "turned up" in screen.text(".pad-text")
    screen.tap("#pad .cell[data-card='Kh']")
    screen.wait("document.querySelector('.up')")
    assert isinstance(table.records[-1].fact, UpcardShown)
    for focus in ("maker-1", "trump-h", "declare"):
        screen.tap(f"[data-focus='{focus}']")
    screen.wait("document.querySelector('.trump').textContent.includes('Hearts')")
    for trick in DEAL:
        for card in trick:
            # Whose turn it is stands there already: a card is one tap.
            screen.wait("document.querySelector('#pad [role=radio][aria-checked=true]')")
            screen.tap(f"#pad .cell[data-card='{card}']:not(.spent)")
            screen.wait(
                f"document.querySelector('.lie[data-card=\"{card}\"]') || "
                "document.querySelector('[data-score=\"1\"]').textContent === '1'"
            )
    screen.wait("document.querySelector('[data-score=\"1\"]').textContent === '1'")
    assert played(table) == [card for trick in DEAL for card in trick]
    assert table.state.score == (0, 1)
    assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    assert screen.complaints() == []


def test_taps_faster_than_the_kit_answers_go_to_the_right_seats(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#pad .cell')")
    screen.ask(
        "for (const card of arguments[0])"
        " document.querySelector(`#pad .cell[data-card='${card}']`).click()",
        ["Ah", "9h", "Th"],
    )
    screen.wait("document.querySelectorAll('.lie').length === 3")
    told = [(r.fact.seat, r.fact.card) for r in table.records if isinstance(r.fact, CardPlayed)]
    assert told == [(1, "Ah"), (2, "9h"), (3, "Th")]


def test_two_keys_make_a_card_and_backspace_takes_it_back(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    from selenium.webdriver.common.keys import Keys

    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#pad .cell')")
    body = screen.find("body")
    body.send_keys("ah")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    body.send_keys("10")
    assert screen.text(".pad-typed").startswith("T")
    body.send_keys(Keys.ESCAPE)
    body.send_keys("th")
    screen.wait("document.querySelector('.lie[data-card=Th]')")
    assert [(p.seat, p.card) for p in table.state.deals[-1].tricks[0].plays] == [
        (1, "Ah"),
        (2, "Th"),
    ]
    body.send_keys(Keys.BACKSPACE)
    screen.wait("document.querySelectorAll('.lie').length === 1")
    fact = table.records[-1].fact
    assert isinstance(fact, Corrected)
    assert fact.replacement is None
    body.send_keys("2c")
    screen.wait("document.querySelector('#toasts').textContent.includes('not in this pack')")
    assert played(table) == ["Ah", "Th"]


def test_a_card_that_lies_there_is_grey_and_a_tap_on_it_mends_it(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    screen.open(serve_page(table).url)
    spent = screen.find("#pad .cell.spent[data-card='Ah']")
    assert "East played it in trick 1" in spent.get_attribute("aria-label")
    before = table.version
    screen.tap("#pad .cell.spent[data-card='Ah']")
    assert "East played the ace of hearts" in screen.text("#sheet-title")
    assert table.version == before


def test_another_seat_may_play_out_of_turn(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table).url)
    screen.tap("[data-focus='pad-seat-3']")
    assert "West plays" in screen.text(".pad-text")
    screen.tap("#pad .cell[data-card='Th']")
    screen.wait("document.querySelector('.lie.at-3[data-card=Th]')")
    assert table.records[-1].fact == CardPlayed(seat=3, card=Card("Th"))


def test_the_pack_on_the_pad_is_the_games(screen: Screen, serve_page: Any, table: Table) -> None:
    from engine.commands import EndGame, StartGame

    for rules, cards in (("call_ace_6", 32), ("joker", 25), ("home", 24)):
        names = ("a", "b", "c", "d", "e", "f")[: 6 if rules == "call_ace_6" else 4]
        if table.version:
            scenes.tell(table, EndGame(reason="another"))
        scenes.tell(table, StartGame(rules=rules, names=names, dealer=0))
        screen.open(serve_page(table).url)
        screen.wait("document.querySelector('#pad .cell')")
        assert screen.ask("return document.querySelectorAll('#pad .cell').length") == cards


def test_where_a_camera_reads_the_table_the_pad_is_one_tap_away(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    page = serve_page(table, table_kind="pi")
    screen.open(page.url)
    screen.wait("document.querySelector('.plate')")
    assert screen.ask("return document.querySelector('#pad .cell')") is None
    screen.tap("#menu")
    screen.tap("[data-focus='menu-pad']")
    screen.find("#pad .cell")
    screen.open(page.url)  # this device remembers
    screen.find("#pad .cell")
    screen.ask("localStorage.clear()")


def test_the_first_dealer_is_drawn_from_the_cards(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#first-dealer option[value=draw]')")
    screen.ask("document.querySelector('#first-dealer').value = 'draw'")
    screen.tap("#start-game")
    screen.wait("document.querySelector('#pad .pad-text')?.textContent.includes('Who drew')")
    for seat, card in ((1, "9h"), (2, "Kd"), (1, "Js")):
        screen.tap(f"#pad [data-focus='pad-seat-{seat}']")
        screen.tap(f"#pad .cell[data-card='{card}']")
        screen.wait(f"document.querySelector('.lie[data-card=\"{card}\"]')")
    screen.wait("document.querySelector('.plate[data-seat=\"1\"] .tag.dealer')")
    assert table.state.next_dealer == 1
    assert "turned up" in screen.text(".pad-text")
    screen.tap("#pad .cell[data-card='Kh']")
    screen.wait("document.querySelector('.up')")
    assert screen.ask("return document.querySelectorAll('.lie').length") == 0
    assert screen.complaints() == []
