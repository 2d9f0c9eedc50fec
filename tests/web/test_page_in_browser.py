"""The page in a real browser, on a tablet and a phone, over a real table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from screens import PHONE, SIZES, TABLET, Screen, fresh_screen

from engine.cards import parse_card
from engine.commands import Correct
from engine.facts import CardPlayed, Corrected, Declared, FindingRuled, ReviewAnswered
from engine.table import Table

pytestmark = pytest.mark.browser


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


# --- what is shown -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_the_score_is_shown_and_can_be_read_from_across_the_room(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('[data-score]')")
    assert (screen.text("[data-score='0']"), screen.text("[data-score='1']")) == ("0", "1")
    # A 10-inch tablet has some 6 pixels a millimetre and so has a phone: 10 mm is 60 pixels,
    # three times what a healthy eye needs at two metres.
    digit_px = screen.ask(
        "return parseFloat(getComputedStyle(document.querySelector('[data-score]')).fontSize)"
    )
    assert digit_px * 0.7 > 55
    top_px = screen.ask("return document.querySelector('#score').getBoundingClientRect().bottom")
    assert top_px < size[1]
    assert screen.complaints() == []


def test_trump_maker_dealer_turn_and_cards_are_where_they_belong(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    hands.play(2, "9h")
    screen.open(serve_page(table).url)
    screen.wait("document.querySelectorAll('.lie').length === 2")
    assert "Hearts" in screen.text(".trump")
    assert "♥" in screen.text(".trump")
    assert "Bob made it" in screen.text(".trump")
    assert "dealer" in screen.text(".plate[data-seat='0']")
    assert "to play" in screen.text(".plate[data-seat='3']")
    assert "Ann & Cy" in screen.text("#score")
    assert screen.find(".lie.last").get_attribute("data-card") == "9h"
    assert screen.find(".lie.winning").get_attribute("data-card") == "Ah"
    assert screen.find(".up").get_attribute("data-state") == "taken"
    middle = screen.ask(
        "const r = document.querySelector('.middle').getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]"
    )
    where = {
        seat: screen.ask(
            "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]",
            f".lie.at-{seat}",
        )
        for seat in (1, 2)
    }
    assert where[1][0] > middle[0] + 50
    assert where[2][1] > middle[1] + 50
    assert screen.complaints() == []


def test_a_card_laid_now_appears_without_a_touch(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table).url)
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie.at-1[data-card=Ah]')", 3.0)
    screen.wait(
        "document.querySelector('#says').textContent.includes('East played the ace of hearts')", 3.0
    )


def test_the_simulated_table_is_never_mistaken_for_a_real_one(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table, table_kind="sim").url)
    assert "SIMULATED TABLE" in screen.text("#banner").upper()


@pytest.mark.parametrize(
    ("scheme", "font"), [("light", ""), ("dark", "DejaVu Sans")], ids=["own font", "wide font"]
)
@pytest.mark.parametrize("size", SIZES, ids=lambda s: f"{s[0]}x{s[1]}")
def test_nothing_scrolls_sideways_or_lies_over_anything_else(
    screen: Screen,
    serve_page: Any,
    table: Table,
    hands: Any,
    picture: str,
    size: tuple[int, int],
    scheme: Literal["light", "dark"],
    font: str,
) -> None:
    hands.start(("Margaret", "Christopher", "Jo", "Wilhelmina"))
    hands.turn_up()
    hands.declare()
    page = serve_page(table, table_kind="sim")
    screen.shape(*size, scheme=scheme)
    screen.open(page.url)
    if font:
        screen.ask("document.documentElement.style.setProperty('--sans', arguments[0])", font)
    for seat, card in ((1, "Ah"), (2, "9h"), (3, "Th"), (0, "Kh")):
        version = hands.play(seat, card)
        screen.wait(f"document.querySelector('.lie[data-version=\"{version}\"]')")
        assert screen.ask(OVERLAPS) == []
        assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    hands.sweep()
    hands.play(1, "Ks")
    review = hands.doubt(2, (("As", 0.6), ("Js", 0.3)), picture)
    screen.wait(f"document.querySelector('[data-review=\"{review}\"]')")
    assert screen.ask(OVERLAPS) == []
    assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    assert screen.ask(SMALL_TARGETS) == []
    assert screen.complaints() == []


#: Pairs of name plates and cards that cover more than a corner of each other, and parts of the
#: page that run out of their row. Cards may touch cards, as on a table.
OVERLAPS = """
const box = (n) => [n.className + " " + n.textContent.slice(0, 12), n.getBoundingClientRect()];
const plates = [...document.querySelectorAll(".plate")].map(box);
const cards = [...document.querySelectorAll(".lie .face, .up .face")]
  .filter((n) => n.offsetParent).map(box);
const parts = [...document.querySelectorAll("#score, #table, .ask.asking, #lists, .top")].map(box);
const found = [];
const cover = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
  * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const check = (list, other, allowed) => list.forEach(([n, a], i) => other.forEach(([m, b], j) => {
  if ((list !== other || i < j) && cover(a, b) > allowed * Math.min(a.width * a.height,
      b.width * b.height)) found.push([n, m, Math.round(cover(a, b))]);
}));
check(plates, plates, 0); check(plates, cards, 0.06); check(parts, parts, 0);
const felt = document.querySelector(".felt").getBoundingClientRect();
for (const [n, a] of [...plates, ...cards])
  if (a.left < felt.left || a.right > felt.right || a.top < felt.top - 1
      || a.bottom > felt.bottom + 1) found.push([n, "off the table"]);
return found;
"""

#: Buttons too small for a thumb.
SMALL_TARGETS = """
return [...document.querySelectorAll("button, a.quiet")].filter((b) => b.offsetParent)
  .map((b) => [b.textContent.slice(0, 20), b.getBoundingClientRect()])
  .filter(([, r]) => r.height < 36 || r.width < 32)
  .map(([t, r]) => [t, Math.round(r.width), Math.round(r.height)]);
"""


# --- what is tapped ----------------------------------------------------------------------


def test_a_game_is_started_from_the_empty_page(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    assert "No game yet" in screen.text("#table")
    screen.find("#name-0").send_keys("Ann")
    screen.tap("input[value=pub]")
    screen.tap("#start-game")
    screen.wait("document.querySelector('.plate')")
    assert table.version == 1
    assert table.state.names == ("Ann", "East", "South", "West")
    assert table.state.ruleset.preset == "pub"


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_declaration_is_a_few_taps_and_arrives_at_the_table(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start()
    hands.turn_up()
    screen.shape(*size, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap("[data-focus='maker-2']")
    screen.tap("[data-focus='trump-s']")
    # A card played meanwhile must not lose what was chosen.
    hands.play(1, "Ah")
    screen.wait("document.querySelector('.lie')")
    screen.tap("[data-focus='alone-maker']")
    assert screen.text("#declare-now") == "South made spades, alone"
    screen.tap("#declare-now")
    screen.wait("document.querySelector('.trump').textContent.includes('Spades')")
    declared = [r.fact for r in table.records if isinstance(r.fact, Declared)]
    assert declared == [Declared(maker=2, trump="s", alone=2, deal=1)]


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_review_shows_its_picture_and_is_answered_by_one_tap(
    screen: Screen, serve_page: Any, table: Table, hands: Any, picture: str, size: tuple[int, int]
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    review = hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), picture)
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table).url)
    screen.wait(f"document.querySelector('.review img[src*=\"{picture}\"]')?.naturalWidth === 1")
    assert screen.find(".lie.waiting").get_attribute("data-card") == ""
    screen.tap("[data-card='Jh'].answer")
    screen.wait("document.querySelector('.lie[data-card=Jh]')")
    assert table.records[-1].fact == ReviewAnswered(review=review, card=parse_card("Jh"), seat=1)
    assert screen.ask("return document.querySelector('.review')") is None


def test_a_review_may_be_another_card_or_none(
    screen: Screen, serve_page: Any, table: Table, hands: Any, picture: str
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), picture)
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap_words("Another card…")
    assert len(screen.driver.find_elements("css selector", "#sheet .grid > .grid-row .cell")) == 24
    screen.tap("#sheet .cell[data-card='Qh']")
    screen.wait(
        "document.querySelector('.lie[data-card=Qh]') && !document.querySelector('#sheet').open"
    )
    hands.doubt(2, (("9h", 0.6), ("Th", 0.3)), picture)
    screen.tap_words("Not a card")
    screen.wait("!document.querySelector('.review')")
    fact = table.records[-1].fact
    assert isinstance(fact, ReviewAnswered)
    assert fact.card is None


def test_many_doubts_wait_in_line_and_any_can_be_taken_first(
    screen: Screen, serve_page: Any, table: Table, hands: Any, picture: str
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    first = hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), picture)
    second = hands.doubt(2, (("9h", 0.7), ("Th", 0.01)), picture)
    screen.open(serve_page(table).url)
    assert screen.find(".item.review").get_attribute("data-review") == str(first)
    screen.tap(f"[data-fold='review-{second}']")
    screen.wait(f"document.querySelector('.item.review').dataset.review === '{second}'")
    # A name of one in a hundred is no button; it is among the other cards.
    assert len(screen.driver.find_elements("css selector", ".card-answer")) == 1
    screen.tap(".card-answer[data-card='9h']")
    screen.wait(f"document.querySelector('.item.review')?.dataset.review === '{first}'")
    screen.tap(".card-answer[data-card='Ah']")
    screen.wait("!document.querySelector('.review')")
    assert [p.card for p in table.state.deals[-1].tricks[0].plays] == ["Ah", "9h"]


def test_undo_says_what_it_takes_back_and_takes_it_back(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    last = hands.play(2, "9h")
    screen.open(serve_page(table).url)
    screen.tap("#undo")
    assert "South played the 9 of hearts" in screen.text("#sheet")
    screen.tap("[data-focus='undo-now']")
    screen.wait("document.querySelectorAll('.lie').length === 1")
    fact = table.records[-1].fact
    assert isinstance(fact, Corrected)
    assert (fact.target, fact.replacement) == (last, None)


def test_undo_again_and_again_goes_back_line_by_line(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    first = hands.play(1, "Ah")
    changed = hands.do(Correct(target=first, card=parse_card("Jh"), reason="misread")).version
    second = hands.play(2, "9h")
    screen.open(serve_page(table).url)
    for target, said, cards in (
        (second, "South played the 9 of hearts", ["Jh"]),
        (changed, "corrected", ["Ah"]),
        (first, "East played the ace of hearts", []),
    ):
        screen.tap("#undo")
        assert said in screen.text("#sheet")
        screen.tap("[data-focus='undo-now']")
        screen.wait("!document.querySelector('#sheet').open")
        fact = table.records[-1].fact
        assert isinstance(fact, Corrected)
        assert (fact.target, fact.replacement) == (target, None)
        screen.wait(
            f"[...document.querySelectorAll('.lie')].map((c) => c.dataset.card).join()"
            f" === '{','.join(cards)}'"
        )


def test_undo_is_refused_when_the_table_has_moved_on(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    screen.open(serve_page(table).url)
    screen.tap("#undo")
    hands.play(2, "9h")
    facts = table.records
    screen.tap("[data-focus='undo-now']")
    screen.wait("document.querySelector('#sheet .meanwhile')")
    assert "South played the 9 of hearts" in screen.text("#sheet .meanwhile")
    assert table.records == facts


def test_a_card_on_the_table_is_corrected_where_it_lies(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    played = hands.play(1, "Ah")
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap(".lie[data-card='Ah']")
    assert "East played the ace of hearts" in screen.text("#sheet-title")
    screen.tap("#sheet .cell[data-card='Jh']")
    screen.wait("document.querySelector('.lie[data-card=Jh]')")
    fact = table.records[-1].fact
    assert isinstance(fact, Corrected)
    assert fact.target == played
    assert isinstance(fact.replacement, CardPlayed)
    assert (fact.replacement.card, fact.replacement.seat) == ("Jh", 1)


def test_two_tablets_that_mend_the_same_card_do_not_overwrite_each_other(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    played = hands.play(1, "Ah")
    screen.open(serve_page(table).url)
    screen.tap(".lie[data-card='Ah']")
    hands.do(Correct(target=played, card=parse_card("Kh"), reason="mended on the other tablet"))
    hands.play(2, "9h")
    facts = table.records
    screen.tap("#sheet .cell[data-card='Jh']")
    screen.wait("document.querySelector('#sheet .meanwhile')")
    assert table.records == facts
    screen.open(serve_page(table).url)
    screen.tap(".lie[data-card='Kh']")
    hands.play(3, "Th")  # what the camera sees meanwhile is in nobody's way
    screen.tap("#sheet .cell[data-card='Jh']")
    screen.wait("document.querySelector('.lie[data-card=Jh]')")


def test_a_line_of_the_history_is_given_to_another_seat(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    played = hands.play(1, "Ah")
    screen.open(serve_page(table).url)
    screen.tap("#tab-log")
    screen.tap(f"[data-focus='line-{played}']")
    screen.tap_words("South", "#sheet")
    screen.wait("document.querySelector('.lie.at-2[data-card=Ah]')")
    assert isinstance(table.records[-1].fact, Corrected)


def test_a_proved_revoke_is_shown_with_its_cards_and_ruled_on_by_one_tap(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    shown = screen.find(".finding")
    assert "did not follow diamonds" in shown.text
    assert "2 points to North and South" in shown.text
    captions = screen.ask(
        "return [...document.querySelectorAll('.finding figcaption')]"
        ".map((c) => `${c.querySelector('.chip').ariaLabel} ${c.textContent.trim()}`)"
    )
    assert captions == [
        "queen of diamonds led",
        "9 of clubs played",
        "king of diamonds in trick 5",
    ]
    screen.tap_words("Uphold")
    screen.wait("document.querySelector('[data-score=\"0\"]').textContent === '2'")
    fact = table.records[-1].fact
    assert isinstance(fact, FindingRuled)
    assert fact.ruling == "uphold"


def test_the_keyboard_alone_declares(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    hands.start()
    hands.turn_up()
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#declare-now')")
    keys = ActionChains(screen.driver)
    for focus in ("maker-1", "trump-h", "declare"):
        for _ in range(60):
            keys.send_keys(Keys.TAB).perform()
            if screen.ask("return document.activeElement.dataset.focus") == focus:
                break
        assert screen.ask("return document.activeElement.dataset.focus") == focus
        keys.send_keys(Keys.ENTER).perform()
    screen.wait("document.querySelector('.trump').textContent.includes('Hearts')")
    assert table.state.deals[-1].maker == 1


# --- when the road is bad ----------------------------------------------------------------


def test_the_page_comes_back_by_itself_after_the_kit_restarts(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    page = serve_page(table)
    screen.open(page.url)
    page.close()
    screen.wait("document.querySelector('#link').dataset.state === 'lost'")
    assert "No connection" in screen.text("#link")
    hands.declare()
    hands.play(1, "Ah")
    serve_page(table, port=page.port)
    screen.wait("document.querySelector('#link').dataset.state === 'live'", 20.0)
    screen.wait("document.querySelector('.lie[data-card=Ah]')")


def test_a_tap_without_a_kit_says_that_nothing_was_recorded(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    page = serve_page(table)
    screen.open(page.url)
    screen.tap("[data-focus='maker-2']")
    screen.tap("[data-focus='trump-s']")
    page.close()
    screen.tap("#declare-now")
    screen.wait("document.querySelector('.toast')")
    assert "nothing was recorded" in screen.text(".toast")
    assert table.version == 2


def test_one_visitor_too_many_still_sees_the_table(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    page = serve_page(table, stream_limit=1, role=None)
    screen.open(page.url)
    first = screen.driver.current_window_handle
    screen.driver.switch_to.new_window("window")
    try:
        screen.driver.get(page.url)
        screen.wait("document.querySelector('#link').dataset.state === 'polling'")
        hands.declare()
        screen.wait("document.querySelector('.trump').textContent.includes('Hearts')", 8.0)
    finally:
        screen.driver.close()
        screen.driver.switch_to.window(first)


def test_a_kit_that_is_not_well_says_so_beside_the_light(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    health = {"ok": False, "frame_age_us": 42_000_000, "fps": 0.0, "warnings": ["The lens is dark"]}
    page = serve_page(table, health=lambda: health)
    screen.driver.get(page.url)
    screen.wait("document.querySelector('#link').dataset.state === 'warn'")
    assert "Camera still" in screen.text("#link")
    screen.tap("#link")
    assert "The lens is dark" in screen.text("#sheet")
    assert "42 s ago" in screen.text("#sheet")


# --- earlier games -----------------------------------------------------------------------


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_game_is_stepped_through_by_card_trick_and_deal(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    from selenium.webdriver.common.keys import Keys

    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    screen.shape(*size, scheme="dark")
    page = serve_page(table)
    screen.open(page.url + "replay")
    screen.tap(".game")
    screen.wait("document.querySelector('.up.central')")
    screen.tap("#trick-on")
    screen.wait("document.querySelectorAll('.lie').length === 4")
    assert "North played the king of hearts" in screen.text("#step-text")
    screen.tap("#card-on")
    screen.wait("document.querySelector('.lie[data-card=Ks]')")
    screen.tap("#card-back")
    screen.wait("document.querySelector('.lie[data-card=Kh]')")
    screen.tap("#deal-on")
    screen.wait("document.querySelector('[data-score=\"1\"]').textContent === '1'")
    screen.find("body").send_keys(Keys.HOME)
    screen.wait("document.querySelector('#step-text').textContent === 'Before the first fact'")
    screen.tap("#play")
    screen.wait("document.querySelectorAll('.lie').length >= 1", 15.0)
    screen.find("body").send_keys(" ")
    screen.wait("document.querySelector('#play').getAttribute('aria-label') === 'Play'")
    assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    assert screen.complaints() == []
