"""Replay in a real browser: moments, truth, links, speed, pictures, files; games of any origin."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boards_scenes as scenes
import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine.cards import Card
from engine.commands import AnswerReview, Correct
from engine.facts import CardPlayed
from engine.memory_log import MemoryLog
from engine.notation.egn import read_egn_file
from engine.table import Table, store

pytestmark = pytest.mark.browser

UPRIGHT = (800, 1280)
PICTURE = "00112233445566778899aabbccddeeff"


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.fixture
def revoked(hands: Any, table: Table) -> Table:
    """A deal with a doubt that was answered, a revoke, and a card that was corrected later."""
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    review = hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), PICTURE)
    hands.do(AnswerReview(review=review, card=Card("Ah")))
    for seat, card in ((2, "9h"), (3, "Th"), (0, "Kh")):
        hands.play(seat, card)
    hands.sweep()
    hands.tricks(2, 5, revoke=True)
    return table


def play_of(table: Table, card: str) -> int:
    return next(
        r.version for r in table.records if isinstance(r.fact, CardPlayed) and r.fact.card == card
    )


@pytest.mark.parametrize("size", [TABLET, UPRIGHT, PHONE], ids=lambda s: f"{s[0]}x{s[1]}")
def test_moments_are_listed_marked_and_jumped_to(
    screen: Screen, serve_page: Any, revoked: Table, size: tuple[int, int]
) -> None:
    screen.shape(*size, scheme="dark")
    screen.open(f"{serve_page(revoked).url}replay/{revoked.game_id}")
    screen.wait("document.querySelector('#moments:not(:disabled)')")
    screen.wait(
        "document.querySelector('.mark-at.finding') && document.querySelector('.mark-at.review')"
    )
    screen.tap("#moments")
    screen.tap("[data-focus='kind-finding']")
    assert "did not follow diamonds" in screen.text("#sheet .log")
    screen.tap("#sheet [data-kind='finding']")
    proof = play_of(revoked, "Kd")
    screen.wait(f"location.hash === '#v={proof}'")
    screen.wait("document.querySelector('#found .finding')")
    assert "did not follow diamonds" in screen.text("#found")
    screen.tap("#moment-back")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")
    assert screen.ask("return document.documentElement.scrollWidth") <= size[0]
    assert screen.ask("return document.querySelector('.felt').getBoundingClientRect().height") > 180
    assert screen.complaints() == []


def test_a_link_to_a_moment_opens_there_as_true(
    screen: Screen, serve_page: Any, revoked: Table
) -> None:
    played = play_of(revoked, "Kd")
    revoked.submit(Correct(target=played, card=Card("Qs"), reason="misread"), source="page")
    address = f"{serve_page(revoked).url}replay/{revoked.game_id}"
    screen.open(f"{address}#v={played}")
    screen.wait("document.querySelector('.lie[data-card=Kd]')")
    screen.tap("#view-truth")
    screen.wait("document.querySelector('.lie[data-card=Qs]')")
    assert screen.ask("return location.hash") == f"#v={played}&view=truth"
    assert screen.ask("return document.querySelector('#found .finding')") is None
    screen.ask("location.hash = arguments[0]", f"#v={played}")
    screen.wait("document.querySelector('.lie[data-card=Kd]')")
    screen.driver.get("about:blank")
    screen.open(f"{address}#v={played}&view=truth")
    screen.wait("document.querySelector('.lie[data-card=Qs]')")
    assert screen.find("#view-truth").get_attribute("aria-checked") == "true"


def test_the_picture_of_a_step_is_shown_beside_it(
    screen: Screen, serve_page: Any, revoked: Table
) -> None:
    review = next(m for m in revoked.records if getattr(m.fact, "evidence", None))
    screen.open(f"{serve_page(revoked).url}replay/{revoked.game_id}#v={review.version}")
    screen.wait(
        f"document.querySelector('#found .evidence img[src*=\"{PICTURE}\"], #found .picture')"
    )
    assert "camera saw" in screen.text("#found").lower()


def test_it_plays_by_itself_at_the_chosen_speed(
    screen: Screen, serve_page: Any, revoked: Table
) -> None:
    screen.open(f"{serve_page(revoked).url}replay/{revoked.game_id}#v=2")
    screen.wait("document.querySelector('#speed')")
    screen.ask(
        "const s = document.querySelector('#speed'); s.value = '4';"
        "s.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    screen.tap("#play")
    screen.wait("Number(document.querySelector('#scrub').value) >= 6", 20.0)
    screen.tap("#play")
    stood = screen.ask("return document.querySelector('#scrub').value")
    screen.wait("document.querySelector('#play').getAttribute('aria-label') === 'Play'")
    assert int(stood) < revoked.version


def test_the_keyboard_steps_from_moment_to_moment_and_to_the_truth(
    screen: Screen, serve_page: Any, revoked: Table
) -> None:
    screen.open(f"{serve_page(revoked).url}replay/{revoked.game_id}#v=1")
    screen.wait("document.querySelector('#moments:not(:disabled)')")
    body = screen.find("body")
    body.send_keys("n")
    screen.wait("location.hash !== '#v=1'")
    assert screen.ask("return location.hash") == "#v=4"  # the doubt
    body.send_keys("v")
    screen.wait("location.hash === '#v=4&view=truth'")
    screen.wait("document.querySelector('.lie[data-card=Ah]')")


def wait_for_file(folder: Path, ending: str) -> Path:
    for _ in range(200):
        done = [p for p in folder.glob(f"*{ending}") if p.stat().st_size]
        if done:
            return done[0]
        time.sleep(0.05)
    raise AssertionError(f"no {ending} came to {sorted(p.name for p in folder.iterdir())}")


def test_the_browser_downloads_the_game_and_its_score_sheet(
    screen: Screen, serve_page: Any, revoked: Table, tmp_path: Path
) -> None:
    screen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    screen.open(f"{serve_page(revoked).url}replay/{revoked.game_id}")
    screen.tap("#export")
    for to in ("egn", "jsonl", "svg"):
        screen.tap(f"#sheet .export[data-to='{to}']")
        assert wait_for_file(tmp_path, f".{to}").name == f"upcard-{revoked.game_id}.{to}"
    screen.tap("#sheet [data-focus='export-png']")
    assert wait_for_file(tmp_path, ".png").read_bytes().startswith(b"\x89PNG")
    assert "What it cannot say" in screen.text("#sheet")


def test_a_real_game_of_another_program_is_watched_on_a_phone(
    screen: Screen, serve_page: Any, table: Table, log: MemoryLog, shared: Path
) -> None:
    (game,) = read_egn_file(shared / "data/egn/real_06.egn").games
    game_id = store(log, game)
    screen.shape(*PHONE, scheme="light")
    screen.open(f"{serve_page(table).url}replay")
    screen.tap(".game")
    screen.wait("document.querySelector('.up.central')")
    for _ in range(3):
        screen.tap("#trick-on")
    screen.wait("document.querySelectorAll('.lie').length === 4")
    screen.find("body").send_keys("\ue010")  # End
    screen.wait("document.querySelector('.over')")
    assert screen.ask("return location.pathname").endswith(game_id)
    assert screen.complaints() == []


@pytest.mark.parametrize(
    "scene", [scenes.buck_in_play, scenes.two_hand, scenes.call_ace], ids=["buck", "two", "ace"]
)
def test_games_of_every_shape_are_watched_again(
    screen: Screen, serve_page: Any, table: Table, scene: Callable[[Table], None]
) -> None:
    scene(table)
    screen.shape(*PHONE, scheme="dark")
    screen.open(f"{serve_page(table).url}replay/{table.game_id}#v={table.version}")
    screen.wait("document.querySelectorAll('.lie').length >= 1")
    screen.tap("#trick-back")
    screen.wait(f"Number(document.querySelector('#scrub').value) < {table.version}")
    assert screen.ask("return document.documentElement.scrollWidth") <= PHONE[0]
    assert screen.complaints() == []
