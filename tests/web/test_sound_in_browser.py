"""Tones and the voice: off until asked for, nothing said twice, corrections kept quiet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from screens import Screen, fresh_screen

from engine.cards import parse_card
from engine.commands import Correct
from engine.table import Table

pytestmark = pytest.mark.browser

#: In place of loudspeakers: what was said, and how many tones were begun.
EARS = """
window.heard = { said: [], tones: 0 };
speechSynthesis.speak = (words) => heard.said.push(words.text);
const begin = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { heard.tones += 1; begin.call(this, at); };
"""

#: Said when trump is made: who leads, and what the dealer is to do before the lead.
TRUMP = (
    "Bob leads; hearts are trump. "
    "Ann takes the up-card and lays one card away before the first lead."
)


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        ears = chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": EARS})
        yield screen
        screen.ask("localStorage.clear()")
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", ears)


def listen(screen: Screen, url: str, **settings: Any) -> None:
    """Open the page with these settings of the device, and tap it, as browsers ask for."""
    screen.open(url)
    screen.ask("upcardDevice.change(arguments[0])", settings)
    screen.open(url)
    screen.tap("#score")


def said(screen: Screen) -> list[str]:
    return list(screen.ask("return heard.said"))


def test_trump_and_the_lead_are_said_once(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    listen(screen, serve_page(table).url, voice=True, sound=True)
    hands.declare()
    screen.wait("heard.said.length")
    assert said(screen) == [TRUMP]
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    assert said(screen) == [TRUMP]


def test_nothing_sounds_until_it_is_turned_on(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    screen.open(serve_page(table).url)
    screen.tap("#score")
    hands.declare()
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    assert screen.ask("return heard") == {"said": [], "tones": 0}


def test_a_page_that_opens_late_does_not_tell_the_whole_game(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 3)
    listen(screen, serve_page(table).url, voice=True, sound=True)
    screen.wait("document.querySelector('.lie')")
    assert said(screen) == []


def test_a_correction_does_not_repeat_what_was_told(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    listen(screen, serve_page(table).url, voice=True)
    hands.declare()
    screen.wait("heard.said.length")
    version = hands.play(1, "Ah")
    for seat, card in ((2, "9h"), (3, "Th"), (0, "Kh")):
        hands.play(seat, card)
    screen.wait("heard.said.some((text) => text.includes('takes the trick'))")
    before = said(screen)
    assert before == [TRUMP, "Bob takes the trick."]
    hands.do(Correct(target=version, card=parse_card("9h"), reason="misread"))
    screen.wait("document.querySelectorAll('.lie[data-card=\"9h\"]').length === 2")
    hands.do(Correct(target=version, card=parse_card("Ah"), reason="it was right"))
    screen.wait("document.querySelectorAll('.lie[data-card=\"9h\"]').length === 1")
    assert [text for text in said(screen) if text in before] == before


def test_points_and_the_score_are_said_when_a_deal_is_over(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 4)
    listen(screen, serve_page(table).url, voice=True, sound=True)
    hands.sweep()
    for seat, card in ((3, "Kc"), (0, "Td"), (1, "Qs"), (2, "Js")):
        hands.play(seat, card)
    screen.wait("heard.said.some((text) => text.includes('Made it'))")
    assert "Made it: 1 point to Bob and Dee. Ann and Cy 0, Bob and Dee 1." in said(screen)
    assert screen.ask("return heard.tones") > 0


def test_a_doubtful_card_is_asked_for_aloud(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    listen(screen, serve_page(table).url, voice=True)
    hands.doubt(1, (("Ah", 0.6), ("Ad", 0.4)), None)
    screen.wait("heard.said.length")
    assert said(screen) == ["Bob's card in trick 1 may be the ace of hearts. Which card is it?"]


def test_the_voice_speaks_the_readers_language(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    listen(screen, serve_page(table).url, voice=True, language="de")
    hands.declare()
    screen.wait("heard.said.length")
    assert said(screen)[0].startswith("Ost spielt aus; Herz ist Trumpf. ")


def test_a_seats_phone_says_whose_turn_it_is_when_it_is_its_own(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    url = serve_page(table, role="seat:2").url + "seat/2"
    screen.open(url)
    screen.ask("upcardDevice.change({ voice: true, sound: true })")
    screen.open(url)
    screen.tap("#stand")
    hands.play(1, "Ah")
    screen.wait("heard.said.includes('Your turn.')")
    # It is not called up again while it thinks.
    hands.do(Correct(target=table.version, card=parse_card("Ks"), reason="misread"))
    screen.wait("document.querySelector('#lying').innerHTML.includes('king of spades')")
    assert said(screen).count("Your turn.") == 1


def test_a_phone_without_a_menu_has_the_settings_at_the_top(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    server = serve_page(table)
    screen.shape(390, 844, scheme="light")
    for path, shown in (("seat/1", True), ("statistics", True), ("", False)):
        screen.open(server.url + path)
        assert screen.find("#device").is_displayed() is shown, path
    screen.tap("#menu")
    screen.tap_words("This device…", within="#sheet")
    screen.wait("document.querySelector('input[name=device-language]')")


def test_a_voice_that_lives_on_a_server_is_not_used(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    listen(screen, serve_page(table).url, voice=True)
    screen.ask(
        "speechSynthesis.getVoices = () => [{ lang: 'en-GB', localService: false, name: 'far' }]"
    )
    hands.declare()
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    assert said(screen) == []


def test_everything_is_set_on_one_sheet_and_kept_on_the_device(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    url = serve_page(table).url
    screen.open(url)
    screen.tap("#device")
    for name, value in (
        ("theme", "dark"),
        ("suits", "four"),
        ("letters", "larger"),
        ("motion", "less"),
        ("sound", "true"),
    ):
        screen.ask(
            "document.querySelector(`input[name=device-${arguments[0]}][value=${arguments[1]}]`)"
            ".click()",
            name,
            value,
        )
    screen.open(url)
    root = screen.ask("return { ...document.documentElement.dataset }")
    assert (root["theme"], root["suits"], root["letters"], root["motion"]) == (
        "dark",
        "four",
        "larger",
        "less",
    )
    assert screen.ask("return upcardDevice.settings().sound") is True
    assert screen.ask("return getComputedStyle(document.documentElement).fontSize") == "22.4px"
