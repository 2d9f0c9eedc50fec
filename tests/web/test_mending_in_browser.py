"""Mending the past in a real browser: any line of any deal, with who and why, and two at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boards_scenes as scenes
import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.cards import Card
from engine.commands import Correct
from engine.facts import (
    Called,
    CardPlayed,
    Corrected,
    Declared,
    GameStarted,
    Inserted,
    Moved,
    UpcardShown,
)
from engine.table import Table

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.fixture
def two_deals(hands: Any, table: Table) -> Table:
    """A deal played and marked, and a second one with two cards on the table."""
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    hands.sweep()
    hands.confirm(1)
    scenes.tell(table, scenes.ShowUpcard(card=Card("9d"), dealer=1))
    scenes.tell(table, scenes.Declare(maker=2, trump="d"))
    scenes.tell(table, *scenes.plays((2, "Jd"), (3, "Kd")))
    return table


def version_of(table: Table, kind: type, **fields: Any) -> int:
    return next(
        r.version
        for r in table.records
        if isinstance(r.fact, kind) and all(getattr(r.fact, k) == v for k, v in fields.items())
    )


def open_record(screen: Screen, deal: int) -> None:
    """The whole record, with that deal unfolded."""
    screen.tap("#menu")
    screen.tap("[data-focus='menu-history']")
    screen.wait(f"document.querySelector('.ledger-deal[data-deal=\"{deal}\"]')")
    screen.ask(f"document.querySelector('.ledger-deal[data-deal=\"{deal}\"]').open = true")


@pytest.mark.parametrize("size", [TABLET, PHONE, (800, 1280)], ids=lambda s: f"{s[0]}x{s[1]}")
def test_a_card_of_an_earlier_deal_is_changed_with_who_and_why(
    screen: Screen, serve_page: Any, two_deals: Table, size: tuple[int, int]
) -> None:
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(two_deals).url)
    assert screen.text("[data-score='1']") == "1"
    open_record(screen, 1)
    # Bob threw a club on a diamond in trick 3: with the king of diamonds he could have followed.
    played = version_of(two_deals, CardPlayed, card="Qs")
    screen.tap(f"[data-focus='ledger-{played}']")
    screen.find("#mend-why").send_keys("it was the other black queen")
    screen.ask("const w = document.querySelector('#mend-who'); w.value = 'Cy'")
    screen.tap("#sheet .cell[data-card='Kd']")
    screen.wait("document.querySelector('.ledger')")
    fact = two_deals.records[-1].fact
    assert isinstance(fact, Corrected)
    assert (fact.target, fact.reason) == (played, "Cy: it was the other black queen")
    assert fact.replacement.card == "Kd"  # type: ignore[union-attr]
    # The revoke that this makes of an old deal stands on the board at once.
    screen.wait("document.querySelector('.finding')")
    # The record opens again at the same deal and says what the line was.
    screen.wait(
        f"document.querySelector('.ledger-deal[data-deal=\"1\"]')?.open && "
        f"document.querySelector('[data-version=\"{played}\"]')?.textContent"
        ".includes('was: Bob played the queen of spades')"
    )
    assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    assert screen.complaints() == []


def test_a_declaration_of_an_earlier_deal_is_made_again(
    screen: Screen, serve_page: Any, two_deals: Table
) -> None:
    screen.open(serve_page(two_deals).url)
    open_record(screen, 1)
    declared = version_of(two_deals, Declared, trump="h")
    screen.tap(f"[data-focus='ledger-{declared}']")
    # The declaration as it stands is what the choice begins with.
    assert screen.find("#sheet [data-focus='maker-1']").get_attribute("aria-checked") == "true"
    screen.tap("#sheet [data-focus='maker-2']")
    screen.tap("#sheet #declare-now")
    screen.wait("document.querySelector('.ledger')")
    standing = two_deals.state.standing_at(declared)
    assert standing is not None
    assert standing.fact == Declared(maker=2, trump="h", deal=1)
    screen.wait("document.querySelector('[data-score=\"1\"]').textContent === '2'")


def test_the_seat_and_the_kind_of_a_call_are_changed(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    scenes.buck_in_play(table)
    passed = version_of(table, Called, seat=0, call="pass")
    screen.open(serve_page(table).url)
    open_record(screen, 1)
    bid = next(r.version for r in table.records if getattr(r.fact, "tricks", None) == 3)
    screen.tap(f"[data-focus='ledger-{bid}']")
    screen.tap("[data-focus='mend-bid-4']")
    screen.wait("document.querySelector('.ledger')")
    assert table.state.deals[0].points == (5, 5, -2)  # four bid, three made
    standing = table.state.standing_at(bid)
    assert standing is not None
    assert standing.fact.tricks == 4  # type: ignore[union-attr]
    screen.tap(f"[data-focus='ledger-{passed}']")
    screen.find("#sheet [data-focus='mend-call-order_up']")


def test_what_was_missed_is_put_in_and_what_is_out_of_place_is_moved(
    screen: Screen, serve_page: Any, two_deals: Table
) -> None:
    screen.open(serve_page(two_deals).url)
    open_record(screen, 2)
    played = version_of(two_deals, CardPlayed, card="Kd")
    screen.tap(f"[data-focus='ledger-{played}']")
    screen.tap("[data-focus='missed']")
    screen.tap("#sheet [data-focus='missed-seat-3']")
    screen.tap("#sheet .cell[data-card='Ac']")
    screen.wait("document.querySelector('.ledger')")
    inserted = two_deals.records[-1].fact
    assert isinstance(inserted, Inserted)
    assert (inserted.before, inserted.fact) == (played, CardPlayed(seat=3, card=Card("Ac")))
    put_in = two_deals.version
    screen.tap(f"[data-focus='ledger-{put_in}']")
    screen.ask(
        "const s = document.querySelector('#mend-place');"
        f"s.value = '{version_of(two_deals, CardPlayed, card='Jd')}'"
    )
    screen.tap("[data-focus='move-now']")
    screen.wait("document.querySelector('.ledger')")
    moved = two_deals.records[-1].fact
    assert isinstance(moved, Moved)
    assert moved.target == put_in


def test_a_whole_deal_is_taken_out_for_a_reason_and_the_score_follows(
    screen: Screen, serve_page: Any, two_deals: Table
) -> None:
    screen.open(serve_page(two_deals).url)
    open_record(screen, 1)
    screen.tap("[data-focus='strike-deal-1']")
    before = two_deals.version
    screen.tap("[data-focus='strike-deal-now']")
    assert two_deals.version == before  # no reason, no change
    screen.find("#sheet .field").send_keys("it was a trial")
    screen.tap("[data-focus='strike-deal-now']")
    screen.wait("document.querySelector('[data-score=\"1\"]').textContent === '0'")
    assert len(two_deals.state.deals) == 1


def test_names_and_rules_of_a_game_are_mended(
    screen: Screen, serve_page: Any, two_deals: Table
) -> None:
    screen.open(serve_page(two_deals).url)
    open_record(screen, 0)
    screen.tap("[data-focus='ledger-1']")
    field = screen.find("#sheet .adjust input")
    field.clear()
    field.send_keys("Anna")
    screen.tap("[data-focus='mend-names']")
    screen.wait("document.querySelector('.plate[data-seat=\"0\"]').textContent.includes('Anna')")
    screen.wait("document.querySelector('.ledger-deal[data-deal=\"0\"]')")
    screen.ask("document.querySelector('.ledger-deal[data-deal=\"0\"]').open = true")
    screen.tap("[data-focus='ledger-1']")
    screen.ask("document.querySelector('#mend-rules').value = 'tournament'")
    screen.tap("[data-focus='mend-rules-now']")
    screen.wait("document.querySelector('#game-title').textContent.includes('Tournament')")
    standing = two_deals.state.standing_at(1)
    assert standing is not None
    assert isinstance(standing.fact, GameStarted)
    assert standing.fact.names[0] == "Anna"


# --- two tablets -------------------------------------------------------------------------


def test_an_edit_that_came_too_late_is_kept_and_can_still_be_made(
    screen: Screen, serve_page: Any, two_deals: Table, hands: Any
) -> None:
    played = version_of(two_deals, CardPlayed, card="Kd")
    screen.open(serve_page(two_deals).url)
    screen.tap(".lie[data-card='Kd']")
    screen.find("#mend-why").send_keys("smudged")
    hands.do(Correct(target=played, card=Card("Tc"), reason="the other tablet"))
    screen.tap("#sheet .cell[data-card='Ts']")
    screen.wait("document.querySelector('#sheet .meanwhile')")
    assert "10 of clubs" in screen.text("#sheet .meanwhile")
    assert "10 of spades" in screen.text("#sheet .wanted")
    assert two_deals.state.standing_at(played).fact.card == "Tc"  # type: ignore[union-attr]
    screen.tap("[data-focus='all-the-same']")
    screen.wait("document.querySelector('.lie[data-card=Ts]')")
    fact = two_deals.records[-1].fact
    assert isinstance(fact, Corrected)
    assert fact.reason == "smudged"


def test_an_edit_that_came_too_late_can_be_let_go(
    screen: Screen, serve_page: Any, two_deals: Table, hands: Any
) -> None:
    played = version_of(two_deals, CardPlayed, card="Kd")
    screen.open(serve_page(two_deals).url)
    screen.tap(".lie[data-card='Kd']")
    hands.do(Correct(target=played, card=Card("Tc"), reason="the other tablet"))
    facts = two_deals.records
    screen.tap("#sheet .cell[data-card='Ts']")
    screen.tap("[data-focus='leave-it']")
    screen.wait("!document.querySelector('#sheet').open")
    assert two_deals.records == facts


def test_a_later_correction_is_told_once_and_repeats_nothing(
    screen: Screen, serve_page: Any, two_deals: Table, hands: Any
) -> None:
    screen.open(serve_page(two_deals).url)
    screen.ask(
        "window.heard = []; new MutationObserver(() => window.heard.push("
        "document.querySelector('#says').textContent)).observe("
        "document.querySelector('#says'), { childList: true, characterData: true, subtree: true })"
    )
    up = version_of(two_deals, UpcardShown, card="Kh")
    hands.do(Correct(target=up, card=Card("Qh"), reason="misread"))
    screen.wait("window.heard.length >= 1")
    screen.wait("document.querySelector('#tab-panel')")
    heard = " ".join(screen.ask("return window.heard"))
    assert "queen of hearts" in heard
    for told_long_ago in ("jack of diamonds", "trick", "Mark it"):
        assert told_long_ago not in heard
    # Nor does any card fly in again.
    assert screen.ask("return document.querySelectorAll('.lie.fresh').length") == 0
