"""The boards of the other games in a real browser, and what is said on them before the cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boards_scenes as scenes
import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.cards import Card
from engine.commands import BidTricks, Call, Claim, Declare, Rejected, ShowUpcard, StartGame
from engine.facts import (
    AceCalled,
    Called,
    CardPassed,
    Claimed,
    DealThrownIn,
    Declared,
    Discarded,
    Dropped,
    FindingRuled,
    GameStarted,
    HandShown,
    Stayed,
    TableCardShown,
    TricksBid,
    WidowSwapped,
)
from engine.table import Table

pytestmark = pytest.mark.browser

UPRIGHT = (800, 1280)
SHAPES: dict[str, Callable[[Table], None]] = {
    "buck": scenes.buck_in_play,
    "two": scenes.two_hand,
    "five": scenes.call_ace,
    "six": lambda table: scenes.call_ace(table, 6),
}

#: Plates and cards that lie over each other or off the felt, and scores cut off.
CLASHES = """
const box = (n) => [n.className + " " + n.textContent.slice(0, 12), n.getBoundingClientRect()];
const cover = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
  * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
const plates = [...document.querySelectorAll(".plate")].map(box);
const cards = [...document.querySelectorAll(".lie .face, .stack .face")].map(box);
const found = [];
plates.forEach(([n, a], i) => {
  plates.slice(i + 1).forEach(([m, b]) => { if (cover(a, b) > 0) found.push([n, m]); });
  cards.forEach(([m, b]) => { if (cover(a, b) > .08 * b.width * b.height) found.push([n, m]); });
});
const felt = document.querySelector(".felt").getBoundingClientRect();
for (const [n, a] of [...plates, ...cards])
  if (a.left < felt.left - 1 || a.right > felt.right + 1 || a.top < felt.top - 1
      || a.bottom > felt.bottom + 1) found.push([n, "off the table"]);
// What stands on a plate stays on it, and none of it over another.
for (const plate of document.querySelectorAll(".plate")) {
  const around = plate.getBoundingClientRect();
  const parts = [...plate.querySelectorAll(".plate-name, .tag, .backs")];
  parts.filter((n) => n.offsetWidth).map(box).forEach(([n, a], i, all) => {
    if (a.left < around.left - 1 || a.right > around.right + 1 || a.bottom > around.bottom + 1)
      found.push([n, "off its plate"]);
    all.slice(i + 1).forEach(([m, b]) => { if (cover(a, b) > 2) found.push([n, m]); });
  });
}
// What lies aside is off the plates and on the table.
for (const [n, a] of [...document.querySelectorAll(".up.aside .up-word, .widow")].map(box)) {
  plates.forEach(([m, b]) => { if (cover(a, b) > 2) found.push([n, m]); });
  if (a.width && (a.left < felt.left - 1 || a.top < felt.top - 1)) found.push([n, "off the table"]);
}
for (const side of document.querySelectorAll(".score-side"))
  if (side.scrollWidth > side.clientWidth + 1) found.push([side.textContent, "score cut off"]);
return found;
"""


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


def last(table: Table, kind: type) -> Any:
    return next((r.fact for r in reversed(table.records) if isinstance(r.fact, kind)), None)


def long_names(table: Table) -> None:
    """The dealer has a long name, is on turn and holds five cards; the up-card lies aside."""
    scenes.tell(
        table,
        StartGame(names=("Annegret", "Bartholomew", "Cleo", "Maximilian"), dealer=0),
        ShowUpcard(card=Card("Kh"), dealer=0),
        Declare(maker=1, trump="h"),
        *scenes.plays((1, "Ah"), (2, "9h"), (3, "Th")),
    )


@pytest.mark.parametrize("size", [TABLET, UPRIGHT, PHONE], ids=["tablet", "upright", "phone"])
@pytest.mark.parametrize("scene", [long_names, scenes.buck_in_play], ids=["long", "buck"])
def test_long_names_and_words_stay_on_their_plates(
    screen: Screen,
    serve_page: Any,
    table: Table,
    scene: Callable[[Table], None],
    size: tuple[int, int],
) -> None:
    scene(table)
    screen.shape(*size, scheme="dark")
    screen.open(serve_page(table).url)
    screen.ask("upcardDevice.change({ language: 'de' })")
    try:
        screen.wait("document.documentElement.lang === 'de' && document.querySelector('.plate')")
        screen.wait("document.querySelector('.plate .tag').textContent !== ''")
        assert screen.ask(CLASHES) == []
    finally:
        screen.ask("localStorage.clear()")


@pytest.mark.parametrize("shape", SHAPES)
def test_every_seat_score_and_card_has_its_place_at_every_size(
    screen: Screen, serve_page: Any, table: Table, shape: str
) -> None:
    SHAPES[shape](table)
    page = serve_page(table, table_kind="sim")
    seats = len(table.state.names)
    for size, scheme in ((TABLET, "light"), (UPRIGHT, "dark"), (PHONE, "light")):
        screen.shape(*size, scheme=scheme)  # type: ignore[arg-type]
        screen.open(page.url)
        screen.wait(f"document.querySelectorAll('.plate').length === {seats}")
        assert screen.ask(CLASHES) == [], size
        assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
        shown = [int(screen.text(f"[data-score='{n}']").replace("−", "-")) for n in range(seats)]
        assert shown == list(table.state.score)
    assert screen.complaints() == []


def test_buck_shows_bids_the_widow_and_who_dropped(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    scenes.buck_in_play(table)
    screen.open(serve_page(table).url)
    assert "bid of 2 tricks" in screen.text(".trump")
    assert "down to 0" in screen.text(".trump")
    assert "dropped" in screen.text(".plate[data-seat='1']")
    assert "stays" in screen.text(".plate[data-seat='0']")
    screen.find(".widow")
    screen.tap("#tab-deals")
    assert "20" in screen.text("#tab-panel")
    assert "+5" in screen.text("#tab-panel")


def test_the_table_cards_of_two_lie_before_them(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    scenes.two_hand(table)
    screen.open(serve_page(table).url)
    screen.wait("document.querySelectorAll('.before-2 .stack').length === 4")
    shown = screen.ask(
        "return [...document.querySelectorAll('.before-2 .stack')].map((s) => s.dataset.card)"
    )
    assert shown == ["Ts", "9d", "Jc", "Jh"]
    # Ann has played two of her open cards and uncovered none: two backs lie bare.
    assert (
        screen.ask("return document.querySelectorAll('.before-0 .stack.bare.on-back').length") == 2
    )
    screen.tap(".before-2 .stack[data-card='Ts']")
    screen.tap("#sheet .cell[data-card='Tc']")
    screen.wait("document.querySelector('.before-2 .stack[data-card=Tc]')")


def test_the_partner_is_hidden_until_the_ace_falls(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    scenes.call_ace(table)
    screen.open(serve_page(table).url)
    assert "partner not known yet" in screen.text(".trump")
    assert screen.ask("return document.querySelector('.tag.partner')") is None
    scenes.tell(table, *scenes.plays((0, "Tc"), (3, "Ad")))
    screen.wait("document.querySelector('.plate[data-seat=\"3\"] .tag.partner')")
    assert "with Dee" in screen.text(".trump")


@pytest.mark.parametrize("size", [TABLET, PHONE], ids=["tablet", "phone"])
def test_a_deal_of_buck_is_bid_by_taps(
    screen: Screen, serve_page: Any, table: Table, size: tuple[int, int]
) -> None:
    scenes.start(table, "buck3")
    screen.shape(*size, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap("[data-focus='swap-2']")
    screen.wait("!document.querySelector('[data-focus=\"swap-2\"]')")
    assert last(table, WidowSwapped).seat == 2
    # The dealer's left speaks first, without being looked for.
    assert screen.find("[data-focus='speaks-1']").get_attribute("aria-checked") == "true"
    screen.tap("[data-focus='bid-2']")
    screen.wait("document.querySelector('[data-focus=\"speaks-2\"]')?.ariaChecked === 'true'")
    assert screen.ask("return document.querySelector('[data-focus=\"bid-2\"]')") is None
    screen.tap("[data-focus='bid-3']")
    screen.wait("!document.querySelector('[data-focus=\"bid-3\"]')")
    screen.tap("[data-focus='bid-pass']")
    assert [
        (r.fact.seat, r.fact.tricks) for r in table.records if isinstance(r.fact, TricksBid)
    ] == [
        (1, 2),
        (2, 3),
    ]
    screen.tap("[data-focus='call-name-n']")
    screen.tap("[data-focus='stay-0']")
    screen.wait("!document.querySelector('[data-focus=\"stay-0\"]')")
    screen.tap("[data-focus='drop-1']")
    screen.wait("!document.querySelector('[data-focus=\"drop-1\"]')")
    deal = table.state.deals[-1]
    assert (deal.maker, deal.trump, deal.sits_out) == (2, "n", (1,))
    assert (last(table, Stayed).seat, last(table, Dropped).seat) == (0, 1)
    assert screen.complaints() == []


def test_a_whole_deal_of_buck_is_told_in_one(screen: Screen, serve_page: Any, table: Table) -> None:
    scenes.start(table, "buck3")
    screen.open(serve_page(table).url)
    screen.tap(".ask .rare summary")
    for focus in ("maker-1", "declare-bid-4", "trump-n", "dropped-2"):
        screen.tap(f"[data-focus='{focus}']")
    assert "without Cy" in screen.text("#declare-now")
    screen.tap("#declare-now")
    screen.wait("document.querySelector('.trump').textContent.includes('4')")
    declared = last(table, Declared)
    assert (declared.maker, declared.bid, declared.dropped) == (1, 4, (2,))


def test_an_ace_is_called_by_one_tap(screen: Screen, serve_page: Any, table: Table) -> None:
    scenes.start(table, "call_ace_5")
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap("#pad .cell[data-card='9h']")
    for focus in ("maker-2", "trump-h", "declare"):
        screen.tap(f"[data-focus='{focus}']")
    assert "Which ace does Cy call" in screen.text("#ask")
    screen.tap("[data-focus='ace-Ac']")
    screen.wait("document.querySelector('.called')")
    assert last(table, AceCalled).card == "Ac"


def test_trump_is_made_call_by_call_where_a_table_likes_it(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    screen.open(serve_page(table).url)
    screen.tap(".ask .rare summary")
    screen.tap("[data-focus='call-pass']")
    screen.wait("document.querySelector('#ask [data-speaker=\"2\"]')")
    screen.tap("[data-focus='call-alone']")
    screen.tap("[data-focus='call-order_up']")
    screen.wait("document.querySelector('.trump').textContent.includes('Hearts')")
    assert last(table, Called) == Called(seat=2, call="order_up", alone=True)


@pytest.mark.parametrize(
    ("preset", "players"), [("buck3", 3), ("two_hand", 2), ("call_ace_6", 6), ("british", 4)]
)
def test_a_game_of_any_shape_is_started_with_its_own_number_of_names(
    screen: Screen, serve_page: Any, table: Table, preset: str, players: int
) -> None:
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap(f"input[value={preset}]")
    screen.wait(f"document.querySelectorAll('.names input').length === {players}")
    assert screen.ask("return document.querySelectorAll('.rule-words li').length") > 3
    screen.find("#name-1").send_keys("Zoë")
    screen.find("#game-name").send_keys("Club night")
    screen.tap("#start-game")
    screen.wait(f"document.querySelectorAll('.plate').length === {players}")
    started = last(table, GameStarted)
    assert (started.names[1], len(started.names), started.title) == ("Zoë", players, "Club night")
    assert screen.ask(CLASHES) == []


# --- said in passing ---------------------------------------------------------------------


def test_before_the_lead_the_discard_is_reminded_of_and_told(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    screen.open(serve_page(table).url)
    assert "lays one card away" in screen.text("#ask")
    screen.tap("[data-focus='discard-done']")
    screen.wait("!document.querySelector('[data-focus=\"discard-done\"]')")
    assert last(table, Discarded) == Discarded(seat=0)


def test_the_lone_exchange_and_a_lone_defender_are_told_where_they_are_played(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    from engine.commands import StartGame

    rules = {"preset": "home", "lone_exchange": "blind_keep_or_refuse", "defend_alone": "any"}
    hands.do(StartGame(rules=rules, dealer=0))
    hands.turn_up()
    screen.open(serve_page(table).url)
    for focus in ("maker-2", "trump-h", "alone-maker"):
        screen.tap(f"[data-focus='{focus}']")
    screen.tap(".declare .rare summary")
    screen.tap("[data-focus='defender-3']")
    assert screen.text("#declare-now") == "South made hearts, alone, against West alone"
    screen.tap("#declare-now")
    screen.tap("[data-focus='pass-refused']")
    screen.wait("!document.querySelector('[data-focus=\"pass-refused\"]')")
    assert last(table, Declared).defender_alone == 3
    assert last(table, CardPassed) == CardPassed(seat=0, kept=False)


def test_a_claim_says_who_did_what_in_which_trick(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 3)
    screen.shape(*PHONE, scheme="light")
    screen.open(serve_page(table).url)
    screen.tap("#menu")
    screen.tap("[data-focus='menu-claim']")
    for focus in ("claim-by-2", "claim-seat-1", "claim-trick-3"):
        screen.tap(f"[data-focus='{focus}']")
    assert screen.text("[data-focus='claim-now']") == "East did not follow suit"
    screen.tap("[data-focus='claim-now']")
    screen.wait("!document.querySelector('#sheet').open")
    assert last(table, Claimed) == Claimed(seat=1, offence="revoke", by=2, trick=3, deal=1)


def test_a_hand_is_laid_face_up_card_by_card(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 3)
    screen.open(serve_page(table).url)
    screen.tap("#menu")
    screen.tap("[data-focus='menu-hand']")
    screen.tap("[data-focus='hand-seat-1']")
    for card in ("Kd", "Jc", "9s"):
        screen.tap(f"#sheet .cell[data-card='{card}']")
    screen.tap("#sheet .cell[data-card='9s']")  # tapped by mistake
    screen.tap("[data-focus='hand-now']")
    screen.wait("!document.querySelector('#sheet').open")
    assert last(table, HandShown) == HandShown(seat=1, cards=("Kd", "Jc"), deal=1)


def test_a_deal_is_thrown_in_for_a_reason_of_its_own(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    screen.open(serve_page(table).url)
    screen.tap("#menu")
    screen.tap("[data-focus='menu-throw']")
    screen.tap("[data-focus='throw-other']")
    assert table.version == 2  # no reason, no change
    screen.find("#sheet .field").send_keys("the pack was short")
    screen.tap("[data-focus='throw-other']")
    screen.wait("!document.querySelector('#sheet').open")
    assert last(table, DealThrownIn).reason == "the pack was short"


def test_a_ruling_takes_its_reason_along(
    screen: Screen, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    screen.open(serve_page(table).url)
    screen.tap(".finding .rare summary")
    screen.find(".finding .field").send_keys("all saw it")
    screen.tap_words("The deal on paper…")
    screen.wait("document.querySelector('.paper')?.textContent.includes('♥')")
    screen.tap("#sheet .close")
    screen.tap_words("Dismiss")
    screen.wait("!document.querySelector('.finding')")
    ruled = last(table, FindingRuled)
    assert (ruled.ruling, ruled.reason) == ("dismiss", "all saw it")


def test_a_table_card_is_tapped_in(screen: Screen, serve_page: Any, table: Table) -> None:
    scenes.start(table, "two_hand")
    screen.open(serve_page(table).url)
    screen.tap("[data-focus='pad-open']")
    screen.tap("[data-focus='pad-seat-1']")
    screen.tap("#pad .cell[data-card='Kd']")
    screen.wait("document.querySelector('.before-2 .stack[data-card=Kd]')")
    assert last(table, TableCardShown) == TableCardShown(seat=1, card="Kd")  # type: ignore[arg-type]


def test_a_bid_from_another_tablet_moves_the_question_on(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    scenes.start(table, "buck3")
    screen.open(serve_page(table).url)
    screen.wait("document.querySelector('[data-focus=\"bid-1\"]')")
    scenes.tell(table, BidTricks(seat=1, tricks=4))
    screen.wait("!document.querySelector('[data-focus=\"bid-1\"]')")
    scenes.tell(table, Call(seat=2, call="pass"))
    screen.wait("!document.querySelector('[data-focus=\"speaks-2\"]')")
    assert screen.text("#ask .bids").split() == ["5", "Pass"]
    assert isinstance(table.submit(Claim(seat=9, offence="revoke"), source="test"), Rejected)
