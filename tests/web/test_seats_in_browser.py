"""Joining, a phone for each seat, and the director's page, in a real browser."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from access_scenes import sit
from test_page_in_browser import PHONE, TABLET, Screen

from engine.cards import parse_card
from engine.commands import AdjustScore, EndGame, PauseGame, PlayCard
from engine.facts import (
    Called,
    Claimed,
    DealConfirmed,
    Declared,
    Discarded,
    FindingRuled,
    GameConfirmed,
    GameEnded,
    GamePaused,
    PackShuffled,
    ReviewAnswered,
    ScoreAdjusted,
)
from engine.sightings import CardRested, Place
from engine.table import Table
from engine.wording import Sentence, worded

pytestmark = pytest.mark.browser

UPRIGHT = (800, 1280)
SIZES = (TABLET, UPRIGHT, PHONE)
NAMES = ("Ann", "Ben", "Cleo", "Dan")
every_size = pytest.mark.parametrize("size", SIZES, ids=["tablet", "upright", "phone"])


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    screen = Screen(chromium)
    chromium.get("about:blank")
    chromium.get_log("browser")
    screen.shape(*TABLET, scheme="light")
    yield screen
    chromium.get("about:blank")


def facts(table: Table, kind: type) -> list[Any]:
    return [r.fact for r in table.records if isinstance(r.fact, kind)]


def fits(screen: Screen, width_px: int) -> bool:
    return bool(screen.ask("return document.documentElement.scrollWidth") <= width_px)


def code(page: Any, holder: str) -> str:
    return str(page.app.extensions["upcard-access"].code(holder))


# --- joining -----------------------------------------------------------------------------


@every_size
def test_a_watcher_sees_that_he_watches_and_takes_a_seat_with_its_code(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start(NAMES)
    page = serve_page(table, role=None)
    screen.shape(*size, scheme="light")
    screen.open(page.url)
    screen.wait("document.documentElement.dataset.role === 'watch'")
    assert "Watching" in str(screen.find("#who").get_attribute("aria-label"))
    assert not screen.find("#actions").is_displayed()
    screen.tap("#who")
    screen.find("#code").send_keys("000 000")
    screen.tap_words("Enter", within="#sheet")
    screen.wait("document.querySelector('#code-why').textContent.includes('no code')")
    screen.ask("document.querySelector('#code').value = ''")
    screen.find("#code").send_keys(code(page, "seat:1"))
    screen.tap_words("Enter", within="#sheet")
    screen.wait("location.pathname === '/seat/1'")
    assert screen.text("#seat-name") == "Ben"
    assert fits(screen, size[0])


def test_a_scanned_code_lets_in_and_is_wiped_from_the_address(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    page = serve_page(table, role=None)
    screen.shape(*PHONE, scheme="light")
    screen.driver.get(f"{page.url}join#{code(page, 'seat:2')}")
    screen.wait("location.pathname === '/seat/2'")
    assert "#" not in screen.driver.current_url
    screen.wait("document.querySelector('#seat-name').textContent === 'Cleo'")
    # The cookie is not for scripts, so no script of any page can carry it away.
    assert screen.ask("return document.cookie") == ""
    screen.driver.back()
    assert code(page, "seat:2") not in screen.driver.current_url


def test_a_scanned_code_that_is_old_says_so_and_asks_for_another(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    page = serve_page(table, role=None)
    old = code(page, "table")
    page.app.extensions["upcard-access"].change("table")
    screen.driver.get(f"{page.url}join#{old}")
    screen.wait("document.querySelector('#join-text').textContent.includes('no code')")
    assert screen.driver.current_url == f"{page.url}join"
    screen.find("#code").send_keys(code(page, "table"))
    screen.tap_words("Enter")
    screen.wait("location.pathname === '/'")
    screen.wait("document.documentElement.dataset.role === 'table'")


def test_before_the_first_game_a_tablet_shows_codes_and_the_button_that_begins_without_scrolling(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    page = serve_page(table, role="table")
    screen.shape(1280, 800, scheme="light")
    screen.open(page.url)
    screen.wait("document.querySelectorAll('#seat-codes .code-card img').length === 4")
    for selector in ("#seat-codes", "#start-game"):
        assert screen.ask(
            "const r = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return r.width > 100 && r.top >= 0 && r.bottom <= innerHeight",
            selector,
        ), selector


@every_size
def test_the_shared_tablet_shows_the_seats_codes_before_the_first_deal_and_in_its_menu(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start(NAMES)
    page = serve_page(table, role="table")
    screen.shape(*size, scheme="dark")
    screen.open(page.url)
    screen.wait("document.querySelectorAll('#seat-codes .code-card img').length === 4")
    screen.wait("[...document.querySelectorAll('.code-card img')].every((i) => i.naturalWidth)")
    shown = screen.find("#seat-codes").get_attribute("textContent")
    digits = code(page, "seat:3")
    assert f"{digits[:3]} {digits[3:]}" in shown
    assert code(page, "table") not in re.sub(r"\D", "", shown)
    assert fits(screen, size[0])
    hands.turn_up()
    screen.wait("!document.querySelector('#seat-codes')")
    screen.tap("#menu")
    screen.tap_words("A phone for each seat…")
    screen.wait("document.querySelectorAll('#sheet .code-card').length === 4")


def test_a_tablet_whose_code_was_changed_only_watches_from_then_on(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    page = serve_page(table, role="table")
    screen.open(page.url)
    screen.wait("document.documentElement.dataset.role === 'table'")
    client = page.app.test_client()
    token = client.post("/api/join", json={"code": code(page, "director")}).json["token"]
    client.post("/api/codes", json={"change": "table"}, headers={"X-Upcard-Token": token})
    screen.wait("document.documentElement.dataset.role === 'watch'")


# --- a phone for each seat ---------------------------------------------------------------


@pytest.fixture
def phone(screen: Screen) -> Screen:
    screen.shape(*PHONE, scheme="light")
    return screen


@every_size
def test_a_seat_calls_from_its_own_page_and_has_no_buttons_of_others(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    page = serve_page(table, role="seat:1")
    screen.shape(*size, scheme="light")
    screen.open(page.url + "seat/1")
    screen.tap("[data-focus='call-pass']")
    screen.wait("!document.querySelector('[data-focus=\"call-pass\"]')")
    assert facts(table, Called) == [Called(seat=1, call="pass")]
    assert table.records[-1].source == "seat:1"
    assert not screen.driver.find_elements("css selector", "[data-focus^='call-']")
    assert fits(screen, size[0])
    assert screen.complaints() == []


def test_a_seat_orders_up_alone(phone: Screen, serve_page: Any, table: Table, hands: Any) -> None:
    hands.start(NAMES)
    hands.turn_up()
    phone.open(serve_page(table, role="seat:1").url + "seat/1")
    phone.tap("[data-focus='alone']")
    phone.tap("[data-focus='call-order_up']")
    phone.wait("document.querySelector('#stand').textContent.includes('Hearts')")
    assert facts(table, Called) == [Called(seat=1, call="order_up", alone=True)]


def test_a_seat_says_in_one_tap_what_it_made_even_when_cards_lie_there(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.play(1, "Ah")
    phone.open(serve_page(table, role="seat:2").url + "seat/2")
    if not phone.find("[data-focus='made-h']").is_displayed():
        phone.tap("summary")
    phone.tap("[data-focus='made-h']")
    phone.wait("document.querySelector('#stand').textContent.includes('made by you')")
    assert facts(table, Declared) == [Declared(maker=2, trump="h", deal=1)]


def test_the_dealer_is_reminded_of_the_discard(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    phone.open(serve_page(table, role="seat:0").url + "seat/0")
    phone.tap("[data-focus='discard']")
    phone.wait("!document.querySelector('[data-focus=\"discard\"]')")
    assert facts(table, Discarded) == [Discarded(seat=0)]


def test_a_seat_marks_the_points_and_both_sides_confirm_the_game(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    page = serve_page(table, role="seat:1")
    phone.open(page.url + "seat/1")
    phone.tap("[data-focus='confirm']")
    phone.wait("!document.querySelector('[data-focus=\"confirm\"]')")
    assert facts(table, DealConfirmed) == [DealConfirmed(deal=1)]
    hands.do(AdjustScore(points=(2, 9), reason="earlier deals"))
    phone.tap("[data-focus='agree']")
    phone.wait("document.querySelectorAll('.agreed .yes').length === 1")
    sit(phone.driver, page, "seat:2")
    phone.open(page.url + "seat/2")
    phone.tap("[data-focus='agree']")
    phone.wait("document.querySelectorAll('.agreed .yes').length === 2")
    assert facts(table, GameConfirmed) == [
        GameConfirmed(seat=1, score=(2, 10)),
        GameConfirmed(seat=2, score=(2, 10)),
    ]


def test_both_sides_confirm_the_game_on_the_shared_tablet_too(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.do(AdjustScore(points=(10, 4), reason="played before"))
    page = serve_page(table, role="table")
    screen.open(page.url)
    screen.tap("[data-focus='agree-1']")
    screen.tap("[data-focus='agree-0']")
    screen.wait("document.querySelectorAll('.agreed-side').length === 2")
    assert table.state.confirmed == (0, 1)
    sit(screen.driver, page, None)
    screen.open(page.url)
    screen.wait("document.querySelectorAll('.agreed-side').length === 2")


def test_a_pause_is_told_on_every_page_and_ended_on_the_board(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.do(PauseGame(reason="supper"))
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('#ask').textContent.includes('Paused')")
    screen.tap("[data-focus='resume']")
    screen.wait("!document.querySelector('#ask').textContent.includes('Paused')")
    assert table.state.paused is None


def test_a_seat_claims_a_revoke(phone: Screen, serve_page: Any, table: Table, hands: Any) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 3)
    phone.open(serve_page(table, role="seat:2").url + "seat/2")
    phone.tap("[data-focus='claim']")
    phone.tap("#sheet [data-seat='1']")
    phone.tap("#sheet [data-trick='3']")
    phone.tap("#claim-now")
    phone.wait("!document.querySelector('#sheet').open")
    assert facts(table, Claimed) == [Claimed(seat=1, offence="revoke", by=2, trick=3, deal=1)]


def test_a_seat_is_asked_about_its_own_doubtful_card_only(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    review = hands.doubt(1, (("Ah", 0.5), ("Ad", 0.3)), None)
    page = serve_page(table, role="seat:2")
    phone.open(page.url + "seat/2")
    phone.wait("document.querySelector('.seat-ask, .seat-group')")
    assert not phone.driver.find_elements("css selector", ".card-answer")
    sit(phone.driver, page, "seat:1")
    phone.open(page.url + "seat/1")
    phone.tap(f"[data-focus='review-{review}-Ah']")
    phone.wait("!document.querySelector('.card-answer')")
    assert facts(table, ReviewAnswered) == [ReviewAnswered(review=review, card=parse_card("Ah"))]


class Machine:
    """A shuffler that may be started by East, and remembers who did."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.lit = [1]
        self._listeners: list[Callable[[], None]] = []

    def state(self) -> Mapping[str, Any]:
        return {
            "phase": "idle",
            "seat": None,
            "passes_done": 0,
            "passes_wanted": 3,
            "text": "Put the pack into the tray.",
            "may_start": list(self.lit),
            "refused": None,
            "cards": 24,
            "mixing": [1.0, 0.9, 0.5],
            "noticed": [0.5, 0.3, 0.1],
            "second_pack": False,
        }

    def start(self, seat: int) -> Sentence | None:
        if seat not in self.lit:
            return worded(
                "{name} deals next: only the dealer's seat starts the shuffler.", name="Ann"
            )
        self.started.append(seat)
        self.lit = []
        for listener in self._listeners:
            threading.Thread(target=listener).start()
        return None

    def by_hand(self, seat: int, passes: int) -> Sentence | None:
        return None

    def want(self, passes: int) -> Sentence | None:
        return None

    def override(self, what: str) -> Sentence | None:
        return None

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


def test_the_shuffle_button_is_lit_for_the_dealer_only_while_it_may_be_pressed(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    machine = Machine()
    page = serve_page(table, role="seat:2", shuffling=machine)
    phone.open(page.url + "seat/2")
    phone.wait("document.querySelector('#mine').childElementCount")
    assert not phone.driver.find_elements("css selector", "[data-focus='shuffle']:not(:disabled)")
    sit(phone.driver, page, "seat:1")
    phone.open(page.url + "seat/1")
    phone.tap("[data-focus='shuffle'].lit")
    phone.wait("!document.querySelector('[data-focus=\"shuffle\"]:not(:disabled)')")
    assert machine.started == [1]


def test_without_a_shuffler_the_dealer_says_that_he_shuffled(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    phone.open(serve_page(table, role="seat:0").url + "seat/0")
    phone.tap("[data-focus='by-hand']")
    phone.wait("document.querySelector('#mine')")
    for _ in range(100):
        if facts(table, PackShuffled):
            break
        phone.wait("true")
    assert facts(table, PackShuffled) == [PackShuffled(seat=0, passes=3, machine=False)]


def test_without_a_camera_a_seat_lays_its_card_on_its_own_page(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    page = serve_page(table, role="seat:1")
    phone.open(page.url + "seat/1")
    assert phone.text(".seat-ask") == "You are to play"
    phone.tap("[data-focus='lay']")
    phone.tap("#sheet [data-card='Ah']")
    phone.wait("!document.querySelector('#sheet').open")
    assert table.records[-1].fact.card == "Ah"  # type: ignore[union-attr]
    assert table.records[-1].source == "seat:1"


def test_the_shared_tablet_may_all_that_a_seat_may(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    screen.open(serve_page(table, role="table").url + "seat/1")
    screen.tap("[data-focus='call-order_up']")
    screen.wait("document.querySelector('#stand').textContent.includes('Hearts')")
    assert table.records[-1].source == "page"


def test_a_phone_of_another_seat_only_watches_this_page(
    phone: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    phone.open(serve_page(table, role="seat:2").url + "seat/1")
    phone.wait("document.querySelector('#mine').textContent.includes('acts for Cleo')")
    assert not phone.driver.find_elements("css selector", "[data-focus^='call-']")


# --- the director ------------------------------------------------------------------------


@every_size
def test_the_director_rules_on_a_revoke_with_its_evidence_and_a_reason(
    screen: Screen, serve_page: Any, table: Table, hands: Any, size: tuple[int, int]
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    screen.shape(*size, scheme="light")
    screen.open(serve_page(table).url + "director")
    screen.wait("document.querySelectorAll('.finding .shot').length === 3")
    assert "did not follow diamonds" in screen.text(".finding .item-text")
    screen.wait("document.querySelectorAll('.diagram tbody tr').length === 5")
    assert len(screen.driver.find_elements("css selector", ".diagram .rests")) == 3
    screen.tap(".finding [data-focus^='uphold']")
    screen.wait("document.querySelector('.toast')")
    assert facts(table, FindingRuled) == []
    screen.find(".finding input").send_keys("both hands were shown")
    screen.tap(".finding [data-focus^='uphold']")
    screen.wait("document.querySelector('.finding[data-status=upheld]')")
    (ruled,) = facts(table, FindingRuled)
    assert (ruled.ruling, ruled.reason) == ("uphold", "both hands were shown")
    assert table.state.score == (2, 0)
    assert fits(screen, size[0])
    assert screen.complaints() == []


def test_the_director_sees_the_camera_pictures_that_a_finding_rests_on(
    screen: Screen, serve_page: Any, table: Table, hands: Any, picture: str
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    for number, trick in enumerate(hands.deal, start=1):
        for seat, card in trick:
            shown = parse_card("Kd" if card == "Qs" else card)
            table.see(
                CardRested(
                    at_us=number,
                    track=number * 10 + seat,
                    card=shown,
                    confidence=0.99,
                    votes=((shown, 0.99),),
                    place=Place(seat=seat),
                    box=(0.0, 0.0, 10.0, 14.0),
                    evidence=picture,
                )
            )
        hands.sweep()
    screen.open(serve_page(table).url + "director")
    screen.wait("document.querySelectorAll('.finding .picture img').length === 3")
    screen.ask("document.querySelector('.finding').scrollIntoView()")
    screen.wait(
        "[...document.querySelectorAll('.finding .picture img')].every((i) => i.naturalWidth)"
    )
    screen.tap(".finding .picture")
    screen.wait("document.querySelector('#sheet img.large')")


def test_a_ruling_can_be_turned_round(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    screen.open(serve_page(table).url + "director")
    for ruling, status in (("uphold", "upheld"), ("dismiss", "dismissed")):
        screen.find(".finding input").send_keys("as seen")
        screen.tap(f".finding [data-focus^='{ruling}']")
        screen.wait(f"document.querySelector('.finding[data-status={status}]')")
    assert table.state.score == (0, 1)


def test_the_director_adjusts_the_score_with_a_reason(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    screen.shape(*PHONE, scheme="dark")
    screen.open(serve_page(table).url + "director")
    screen.ask("document.querySelector('#points-1').value = '2'")
    screen.tap("[data-focus='adjust']")
    screen.wait("document.querySelector('.toast')")
    screen.find("#score-reason").send_keys("slow play")
    screen.tap("[data-focus='adjust']")
    screen.wait("document.querySelector('.adjusted')")
    assert facts(table, ScoreAdjusted) == [ScoreAdjusted(points=(0, 2), reason="slow play")]


@every_size
def test_the_director_names_a_game_reads_its_rules_and_starts_pauses_and_ends_it(
    screen: Screen, serve_page: Any, table: Table, size: tuple[int, int]
) -> None:
    screen.shape(*size, scheme="light")
    screen.open(serve_page(table).url + "director")
    screen.find("#game-name").send_keys("Club evening")
    screen.wait("document.querySelector('#rules-words').textContent.includes('wins')")
    home = screen.find("#rules-words").get_attribute("textContent")
    screen.ask(
        "const s = document.querySelector('#preset'); s.value = 'tournament';"
        "s.dispatchEvent(new Event('change'))"
    )
    assert screen.find("#rules-words").get_attribute("textContent") != home
    screen.tap("#start-game")
    screen.wait("document.querySelector('#game-body').textContent.includes('Running')")
    assert table.state.title == "Club evening"
    assert table.state.ruleset.preset == "tournament"
    screen.tap("[data-focus='pause']")
    screen.find("#reason").send_keys("supper")
    screen.tap("[data-focus='with-reason']")
    screen.wait("document.querySelector('#game-body').textContent.includes('supper')")
    assert facts(table, GamePaused) == [GamePaused(reason="supper")]
    screen.tap("[data-focus='resume']")
    screen.wait("document.querySelector('#game-body').textContent.includes('Running')")
    screen.tap("[data-focus='end']")
    screen.find("#reason").send_keys("closing time")
    screen.tap("[data-focus='with-reason']")
    screen.wait("document.querySelector('#start-form')")
    assert facts(table, GameEnded) == [GameEnded(reason="closing time")]
    screen.wait("document.querySelector('#games-body').textContent.includes('Club evening')")
    assert fits(screen, size[0])


def test_the_director_hands_out_new_codes(screen: Screen, serve_page: Any, table: Table) -> None:
    page = serve_page(table)
    screen.open(page.url + "director")
    old = code(page, "seat:0")
    screen.tap(".code-card[data-who='seat:0'] button")
    screen.tap("[data-focus='new-code']")
    screen.wait("!document.querySelector('#sheet').open")
    new = code(page, "seat:0")
    assert new != old
    screen.wait(
        "document.querySelector('.code-card[data-who=\"seat:0\"]').textContent"
        f".includes('{new[:3]} {new[3:]}')"
    )


def test_a_table_may_rule_itself_when_the_director_says_so(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    page = serve_page(table)
    screen.open(page.url + "director")
    screen.tap("#home")
    screen.wait("document.querySelector('#home').checked")
    for _ in range(100):
        if page.app.extensions["upcard-access"].home:
            break
        screen.wait("true")
    sit(screen.driver, page, "table")
    screen.open(page.url + "director")
    screen.ask("document.querySelector('#points-0').value = '1'")
    screen.find("#score-reason").send_keys("agreed")
    screen.tap("[data-focus='adjust']")
    screen.wait("document.querySelector('.adjusted')")
    assert table.state.score == (1, 0)


def test_without_the_directors_code_the_page_shows_findings_and_asks_for_it(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    page = serve_page(table, role=None)
    screen.open(page.url + "director")
    screen.wait("document.querySelector('.finding')")
    assert not screen.driver.find_elements("css selector", ".finding button:not(.picture)")
    assert not screen.find("#codes").is_displayed()
    screen.find("#lock #code").send_keys(code(page, "director"))
    screen.tap_words("Enter", within="#lock")
    screen.wait("document.querySelector(\".finding [data-focus^='uphold']\")")


def test_the_page_says_which_parts_the_kit_has(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.open(serve_page(table, table_kind="hand").url + "director")
    screen.wait(
        "document.querySelector('[data-part=camera][data-present=false]')"
        "?.textContent.includes('tapped in')"
    )
    screen.wait("document.querySelector('[data-part=shuffler][data-present=false]')")
    screen.open(serve_page(table, table_kind="hand").url)
    screen.tap("#link")
    screen.wait("document.querySelector('#sheet [data-part=camera][data-present=false]')")


@every_size
def test_the_doctors_page_shows_what_is_wrong_first_with_its_cure(
    screen: Screen, serve_page: Any, table: Table, size: tuple[int, int]
) -> None:
    told = [
        {"name": "camera", "status": "pass", "text": "10 frames a second", "cure": ""},
        {"name": "disk", "status": "fail", "text": "full", "cure": "Delete old games."},
    ]
    page = serve_page(table, doctor=lambda: told)
    screen.shape(*size, scheme="light")
    screen.driver.get(page.url + "doctor")
    screen.wait("document.querySelectorAll('.checks li').length === 2")
    assert "Delete old games." in screen.text(".checks li:first-child")
    assert fits(screen, size[0])
    sit(screen.driver, page, None)
    screen.driver.get(page.url + "doctor")
    screen.wait("document.querySelector('#code')")


def test_a_kit_without_a_doctor_says_so(screen: Screen, serve_page: Any, table: Table) -> None:
    screen.driver.get(serve_page(table).url + "doctor")
    screen.wait("document.querySelector('#lines').textContent.includes('upcard doctor')")


# --- nothing hidden is sent --------------------------------------------------------------


def test_every_role_is_sent_the_very_same_and_no_hidden_card(
    app: Any, table: Table, hands: Any
) -> None:
    from access_scenes import join

    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.do(PlayCard(seat=1, card=parse_card("Ah")))
    watcher = app.test_client()
    deadline_s = time.monotonic() + 10
    while watcher.get("/api/snapshot").json["version"] < table.version:
        assert time.monotonic() < deadline_s, "the page never told of the newest fact"
        time.sleep(0.01)
    sent = {
        holder: join(app, holder).get("/api/snapshot").text
        for holder in ("seat:0", "seat:1", "seat:2", "table", "director")
    }
    sent["watch"] = watcher.get("/api/snapshot").text
    assert len(set(sent.values())) == 1
    told = json.loads(sent["watch"])
    told["game"].pop("pack")
    shown = set(re.findall(r'"([2-9TJQKA][cdhs])"', json.dumps(told)))
    assert shown <= {"Kh", "Ah"}


def test_a_seat_cannot_put_a_card_nobody_saw_on_the_record(
    app: Any, table: Table, hands: Any
) -> None:
    from access_scenes import join

    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    dealer = join(app, "seat:0")
    told = dealer.post(
        "/api/command", json={"command": {"kind": "discard", "seat": 0, "card": "9d"}}
    )
    assert told.status_code == 403
    hands.do(EndGame(reason="x"))
    assert "9d" not in json.dumps(table.snapshot()["history"])
