"""The score keeper in a real browser: counted, kept, mended, and without any kit at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.log import Log
from engine.state import fold
from engine.table import Table

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.fixture
def keeper(screen: Screen, serve_page: Any, table: Table) -> Any:
    """The keeper's page, with nothing kept; answers the server."""
    server = serve_page(table)
    screen.open(server.url + "keeper")
    screen.ask("localStorage.clear()")
    screen.open(server.url + "keeper")
    return server


def enter(
    screen: Screen, us: int, them: int, called: int, *, alone: bool = False, defended: bool = False
) -> None:
    """Tap a hand in."""
    tap(screen, f"input[name=tricks-0][value='{us}']")
    tap(screen, f"input[name=tricks-1][value='{them}']")
    tap(screen, f"input[name=called][value='{called}']")
    if alone:
        tap(screen, "[data-focus=alone]")
    if defended:
        tap(screen, "[data-focus=defended]")


def tap(screen: Screen, selector: str) -> None:
    """A tap on the label about a radio button or a box, as fingers do."""
    screen.find(selector)
    screen.ask("document.querySelector(arguments[0]).click()", selector)


def add(screen: Screen, *hand: int, **more: bool) -> None:
    enter(screen, *hand, **more)
    screen.tap("#add-hand")


def totals(screen: Screen) -> tuple[int, int]:
    return (int(screen.text("[data-total='0']")), int(screen.text("[data-total='1']")))


#: RULES.md's worked game: tricks of Us and Them, who called, alone; the score after it.
WORKED = (
    ((5, 0, 0), {}, (2, 0)),
    ((3, 2, 1), {}, (4, 0)),
    ((5, 0, 0), {"alone": True}, (8, 0)),
    ((1, 4, 1), {}, (8, 1)),
    ((3, 2, 0), {}, (9, 1)),
    ((5, 0, 0), {}, (11, 1)),
)


def worked_game(screen: Screen) -> None:
    for hand, more, _ in WORKED:
        add(screen, *hand, **more)


@pytest.mark.parametrize("size", [TABLET, (800, 1280), PHONE], ids=["wide", "upright", "phone"])
def test_the_worked_game_is_counted_to_its_end(
    screen: Screen, keeper: Any, size: tuple[int, int]
) -> None:
    screen.shape(*size, scheme="dark")
    assert "Hand 1: enter the tricks" in screen.text(".entry-title")
    for hand, more, score in WORKED:
        add(screen, *hand, **more)
        assert totals(screen) == score
    assert screen.text(".keeper-over h2") == "Us win 11–1"
    wide = screen.ask("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    assert screen.complaints() == []


@pytest.mark.usefixtures("keeper")
def test_tricks_that_do_not_add_up_are_warned_of_and_not_taken(screen: Screen) -> None:
    enter(screen, 3, 1, 1)
    assert screen.text("#hand-says") == "That is 4 tricks, and a hand has 5: count again."
    assert screen.find("#add-hand").get_attribute("disabled")
    tap(screen, "input[name=tricks-1][value='2']")
    assert screen.text("#hand-says") == "Euchre: 2 points to Us"
    assert not screen.find("#add-hand").get_attribute("disabled")


@pytest.mark.usefixtures("keeper")
def test_the_other_teams_tricks_are_filled_in_while_they_are_empty(screen: Screen) -> None:
    tap(screen, "input[name=tricks-1][value='4']")
    assert screen.ask("return document.querySelector('input[name=tricks-0]:checked').value") == "1"


@pytest.mark.usefixtures("keeper")
@pytest.mark.parametrize(
    ("hand", "more", "says", "score"),
    [
        ((5, 0, 0), {"alone": True}, "March alone: 4 points to Us", (4, 0)),
        ((4, 1, 0), {"alone": True}, "Made it alone: 1 point to Us", (1, 0)),
        ((3, 2, 1), {"defended": True}, "Lone defender's euchre: 4 points to Us", (4, 0)),
        ((0, 5, 0), {}, "Euchre: 2 points to Them", (0, 2)),
    ],
    ids=["march alone", "made alone", "defended alone", "no trick"],
)
def test_hands_alone_and_against_a_lone_defender(
    screen: Screen, hand: tuple[int, int, int], more: Any, says: str, score: tuple[int, int]
) -> None:
    enter(screen, *hand, **more)
    assert screen.text("#hand-says") == says
    screen.tap("#add-hand")
    assert totals(screen) == score


def test_the_game_survives_a_reload(screen: Screen, keeper: Any) -> None:
    add(screen, 5, 0, 0)
    enter(screen, 2, 3, 1)
    screen.open(keeper.url + "keeper")
    assert totals(screen) == (2, 0)
    # Even the hand that is half entered.
    assert screen.text("#hand-says") == "Made it: 1 point to Them"


@pytest.mark.usefixtures("keeper")
def test_every_step_can_be_undone(screen: Screen) -> None:
    add(screen, 5, 0, 0)
    add(screen, 0, 5, 1)
    screen.tap("#undo")
    assert totals(screen) == (2, 0)
    screen.tap("#undo")
    assert totals(screen) == (0, 0)
    assert screen.find("#undo").get_attribute("disabled")


@pytest.mark.usefixtures("keeper")
def test_a_hand_of_the_past_is_changed_and_taken_out(screen: Screen) -> None:
    add(screen, 5, 0, 0)
    add(screen, 0, 5, 1)
    screen.tap("tr[data-hand='1'] button")
    assert "Hand 1" in screen.text(".entry-title")
    tap(screen, "input[name=tricks-0][value='3']")
    tap(screen, "input[name=tricks-1][value='2']")
    screen.tap("#change-hand")
    assert totals(screen) == (1, 2)
    screen.tap("tr[data-hand='2'] button")
    screen.tap("#remove-hand")
    assert totals(screen) == (1, 0)


@pytest.mark.usefixtures("keeper")
def test_a_deal_that_everybody_passed_gives_nothing(screen: Screen) -> None:
    add(screen, 5, 0, 0)
    screen.tap("#pass-hand")
    assert totals(screen) == (2, 0)
    assert "Passed out" in screen.text("tr[data-hand='2']")


@pytest.mark.usefixtures("keeper")
def test_the_target_decides_when_the_game_is_won(screen: Screen) -> None:
    screen.ask(
        "const f = document.querySelector('#target'); f.value = '5';"
        "f.dispatchEvent(new Event('change'))"
    )
    add(screen, 5, 0, 0)
    add(screen, 5, 0, 0)
    assert not screen.ask("return Boolean(document.querySelector('.keeper-over'))")
    add(screen, 4, 1, 0)
    assert screen.text(".keeper-over h2") == "Us win 5–0"
    screen.tap("#new-game")
    assert totals(screen) == (0, 0)
    assert screen.ask("return document.querySelector('#target').value") == "5"
    assert screen.text("#past") == "1 earlier game"


@pytest.mark.usefixtures("keeper")
def test_a_euchred_lone_hand_gives_what_the_table_agreed(screen: Screen) -> None:
    add(screen, 2, 3, 0, alone=True)
    assert totals(screen) == (0, 2)
    screen.tap("#foot summary")
    tap(screen, "[data-focus=lone-euchre-4]")
    assert totals(screen) == (0, 4)


@pytest.mark.usefixtures("keeper")
def test_names_are_letters_and_never_code(screen: Screen) -> None:
    name = "<img src=x onerror=alert(1)>"[:24]
    screen.ask(
        "const f = document.querySelector('[data-focus=team-0]'); f.value = arguments[0];"
        "f.dispatchEvent(new Event('change'))",
        name,
    )
    add(screen, 5, 0, 0)
    assert not screen.ask("return Boolean(document.querySelector('main img'))")
    assert name in screen.ask("return document.querySelector('#hands').textContent")


def test_the_page_holds_no_rule_of_its_own(
    screen: Screen, serve_page: Any, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    from web_dashboard import keeper

    told = keeper.keeper_rules()
    told["hand_size"] = 7
    told["tables"]["2:false"] = {"6:false:false": ["march", "defenders", 9]}
    monkeypatch.setattr(keeper, "keeper_rules", lambda: told)
    screen.open(serve_page(table).url + "keeper")
    screen.ask("localStorage.clear()")
    screen.driver.refresh()
    enter(screen, 6, 1, 0)
    assert screen.text("#hand-says") == "March: 9 points to Them"


def test_a_finished_game_is_sent_to_the_kit(screen: Screen, keeper: Any, log: Log) -> None:
    worked_game(screen)
    screen.tap("#send-game")
    screen.wait("document.querySelector('.keeper-over .note')")
    [line] = log.games()
    assert line.game_id in screen.text(".keeper-over .note")
    assert fold(log.read(line.game_id)).score == (11, 1)
    assert screen.find("#send-game").get_attribute("disabled")


# --- without the kit ------------------------------------------------------------------------------


def test_the_page_opens_and_goes_on_when_the_kit_is_off(screen: Screen, keeper: Any) -> None:
    screen.wait("navigator.serviceWorker.controller", timeout_s=20)
    add(screen, 5, 0, 0)
    address = keeper.url + "keeper"
    keeper.close()
    screen.driver.get(address)
    assert totals(screen) == (2, 0)
    add(screen, 0, 5, 1)
    assert totals(screen) == (2, 2)
    screen.driver.get(address)
    assert totals(screen) == (2, 2)


def test_the_page_is_installable(screen: Screen, keeper: Any) -> None:
    screen.wait("navigator.serviceWorker.controller", timeout_s=20)
    faults = screen.driver.execute_cdp_cmd("Page.getInstallabilityErrors", {})
    # A window without a face is in no mood for installing; everything else must be in order.
    assert {fault["errorId"] for fault in faults["installabilityErrors"]} <= {"in-incognito"}


def test_one_file_on_a_stick_keeps_the_score(screen: Screen, keeper: Any, tmp_path: Path) -> None:
    from urllib.request import urlopen

    file = tmp_path / "upcard-keeper.html"
    with urlopen(keeper.url + "keeper/file") as answer:
        file.write_bytes(answer.read())
    keeper.close()
    screen.driver.get(file.as_uri())
    screen.wait("document.querySelector('#add-hand')")
    screen.ask("localStorage.clear()")
    screen.driver.get(file.as_uri())
    worked_game(screen)
    assert totals(screen) == (11, 1)
    screen.driver.refresh()
    assert totals(screen) == (11, 1)
    assert screen.complaints() == []


def test_over_plain_http_the_page_says_so_and_offers_the_file(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    server = serve_page(table)
    # The browser trusts its own machine by any address; only a name of elsewhere shows the rest.
    pretence = screen.driver.execute_cdp_cmd(
        "Page.addScriptToEvaluateOnNewDocument",
        {"source": "Object.defineProperty(window, 'isSecureContext', {value: false})"},
    )
    try:
        screen.open(server.url + "keeper")
        assert "Over plain HTTP" in screen.text("#notices")
        assert screen.find("#notices a").get_attribute("href").endswith("/keeper/file")
    finally:
        screen.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", pretence)


def test_the_keeper_speaks_german(screen: Screen, keeper: Any) -> None:
    screen.ask("upcardDevice.change({ language: 'de' })")
    screen.wait("document.documentElement.lang === 'de' && document.querySelector('.entry-title')")
    assert screen.text(".entry-title") == "Blatt 1: Stiche eintragen"
    enter(screen, 5, 0, 0)
    assert screen.text("#hand-says") == "Marsch: 2 Punkte für Wir"
    screen.ask("localStorage.clear()")
