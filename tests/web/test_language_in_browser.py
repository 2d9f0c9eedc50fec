"""Another language, as its reader meets it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from screens import PHONE, TABLET, Screen, fresh_screen

from engine import wording
from engine.cards import Card
from engine.notation.egn import write_egn
from engine.ruleset import PRESETS, preset, rules_said
from engine.table import Table
from engine.wording import Sentence, english, say, say_json, worded
from pi.calibrate import TableSetup, with_sheet
from pi.doctor import examine, report
from pi.sim.lens import Lens, homography
from vision.frame import Frame

pytestmark = pytest.mark.browser

NAMES = ("Ann", "Ben", "Cleo", "Dan")


@pytest.fixture
def screen(chromium: Any) -> Iterator[Screen]:
    with fresh_screen(chromium) as screen:
        yield screen


@pytest.fixture
def german(screen: Screen, serve_page: Any, table: Table) -> Iterator[Screen]:
    screen.open(serve_page(table).url)
    screen.ask("upcardDevice.change({ language: 'de' })")
    screen.wait("document.documentElement.lang === 'de' && document.readyState === 'complete'")
    yield screen
    screen.ask("localStorage.clear()")


#: A sentence of every kind of argument and mark, and its German among the default names.
SENTENCES = (
    (say("fact.card_played", seat=1, card=Card("Kh")), "Ost spielte Herz-König"),
    (
        say(
            "ask.confirm",
            deal=3,
            result=say("result.march"),
            changes=(say("points.to", points=2, side=0),),
        ),
        "Blatt 3, ein Marsch: 2 Punkte für Nord und Süd. Angeschrieben?",
    ),
    (
        say("review.unsure", seat=2, card=Card("9c"), trick=None),
        "Die Karte von Süd ist vielleicht Kreuz-9. Welche ist es?",
    ),
    (
        say("review.unread", seat=None, trick=4),
        "Die Karte von Jemand in Stich 4 war nicht zu lesen. Welche ist es?",
    ),
    (
        say("finding.trump_in_doubt", suit="h", suits=("d", "n")),
        "Ist wirklich Herz Trumpf? Mit Karo oder ohne Trumpf wäre jede Karte in Ordnung.",
    ),
    (say("finding.trump_in_doubt", suit="h", suits=None), "Ist wirklich Herz Trumpf?"),
    (
        say(
            "fact.declared",
            deal=None,
            parts=(say("fact.declared.made", seat=1, suit="s"), say("fact.declared.alone", seat=1)),
        ),
        "Ost machte Pik; Ost spielt allein",
    ),
    (say("fact.amended.struck", entries=(4, 5, 7)), "Zurückgenommen: Einträge 4, 5 und 7"),
    (
        say(
            "fact.score_adjusted",
            changes=(say("points.changed", points=2, side=1),),
            reason="a slip",
        ),
        "Der Spielstand wurde geändert: +2 für Ost und West (a slip)",
    ),
    (say("fact.declared.dropped", seats=(0, 2)), "ausgestiegen: Nord und Süd"),
)


@pytest.mark.parametrize(
    ("sentence", "spoken"), SENTENCES, ids=lambda value: getattr(value, "key", "")
)
def test_a_sentence_of_the_engine_is_spoken_in_german(
    german: Screen, sentence: Sentence, spoken: str
) -> None:
    told = {"text": "in English", "say": say_json(sentence)}
    german.driver.set_script_timeout(10)
    heard = german.driver.execute_async_script(
        "const done = arguments[1];"
        "import('/static/js/words.js').then((words) => done(words.sayIt(arguments[0])))",
        told,
    )
    assert heard == spoken


# --- a German phone: refusals, rules, the doctor, an address where nothing is --------------------


@pytest.fixture
def phone(screen: Screen) -> Iterator[Callable[[str], Screen]]:
    """Opens an address in German at a phone's size."""

    def opened(url: str) -> Screen:
        screen.shape(*PHONE, scheme="light")
        screen.open(url)
        screen.ask("upcardDevice.change({ language: 'de' })")
        screen.wait("document.documentElement.lang === 'de' && document.readyState === 'complete'")
        screen.open(url)
        return screen

    yield opened
    screen.ask("localStorage.clear()")
    screen.shape(*TABLET, scheme="light")


def test_a_refusal_is_said_in_german(phone: Any, serve_page: Any, table: Table, hands: Any) -> None:
    hands.start(NAMES)
    hands.turn_up()
    screen = phone(serve_page(table).url)
    screen.tap("#menu")
    screen.tap("[data-focus=menu-swept]")
    screen.wait("document.querySelector('#toasts').textContent.includes('kein Stich')")
    assert screen.text("#toasts") == "Auf dem Tisch liegt kein Stich"
    # The menu is still open: what lies outside a sheet is neither seen nor read out.
    assert screen.ask("return Boolean(document.querySelector('#toasts').closest('dialog[open]'))")
    screen.tap("#sheet .close")
    screen.wait("!document.querySelector('dialog[open]')")
    assert screen.ask("return document.querySelector('#toasts').closest('dialog') === null")


def test_a_refusal_speaks_of_players_by_their_names(
    phone: Any, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    screen = phone(serve_page(table).url)
    screen.driver.set_script_timeout(10)
    heard = screen.driver.execute_async_script(
        "const done = arguments[0];"
        "Promise.all([import('/static/js/access.js'), import('/static/js/words.js')])"
        ".then(async ([access, words]) => {"
        "  const { told } = await access.post('/api/command',"
        "    { command: { kind: 'call', seat: 3, call: 'pass' } });"
        "  const state = await (await fetch('/api/snapshot')).json();"
        "  words.readNames(state.snapshot ?? state);"
        "  done(words.sayWhy(told)); })"
    )
    assert heard == "Dran ist Ben, nicht Dan"


def test_who_came_too_late_reads_in_german_what_the_others_did(
    phone: Any, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    screen = phone(serve_page(table).url)
    screen.driver.set_script_timeout(10)
    heard = screen.driver.execute_async_script(
        "const done = arguments[0];"
        "Promise.all([import('/static/js/access.js'), import('/static/js/words.js')])"
        ".then(async ([access, words]) => {"
        "  const { told } = await access.post('/api/command',"
        "    { command: { kind: 'undo' }, expect_version: 1 });"
        "  const state = await (await fetch('/api/snapshot')).json();"
        "  words.readNames(state.snapshot ?? state);"
        "  done(words.sayWhy(told)); })"
    )
    assert heard == (
        "Gemeint war Stand 1, der Tisch ist bei 2; inzwischen: Ann gab; aufgedeckt "
        "wurde Herz-König: noch einmal ansehen und wiederholen"
    )


def test_the_rules_in_words_are_german(
    phone: Any, serve_page: Any, table: Table, root: Path
) -> None:
    german = json.loads((root / "web_dashboard/static/words/de.json").read_text("utf-8"))
    screen = phone(serve_page(table).url + "director")
    for name in PRESETS:
        said = rules_said(preset(name))
        screen.wait(f"document.querySelector('#preset option[value={name}]')")
        screen.ask(
            "const pick = document.querySelector('#preset'); pick.value = arguments[0];"
            "pick.dispatchEvent(new Event('change', { bubbles: true }))",
            name,
        )
        lines = [
            line.get_attribute("textContent")
            for line in screen.driver.find_elements("css selector", "#rules-words li")
        ]
        assert len(lines) == len(said)
        for line, sentence in zip(lines, said, strict=True):
            assert line != english(sentence)
            assert not set("{}[]|") & set(line)
            if not sentence.args:
                assert line == german[sentence.key]
    assert "Wer zuerst 10 hat, gewinnt; von mehreren der höchste" in " ".join(lines)


def test_the_doctor_speaks_german(
    phone: Any, serve_page: Any, table: Table, root: Path, tmp_path: Path
) -> None:
    checks = examine(log_path=tmp_path / "games.db")
    screen = phone(serve_page(table, doctor=lambda: report(checks)).url + "doctor")
    screen.wait("document.querySelectorAll('.checks li').length")
    shown = screen.text("#lines")
    assert len(screen.driver.find_elements("css selector", ".checks li")) == len(checks)
    assert "noch keiner, angelegt beim ersten Spiel" in shown
    assert "die Prüfsumme stimmt" in shown
    assert "eigene Uhr" in shown
    assert "Paket numpy" in shown
    german = json.loads((root / "web_dashboard/static/words/de.json").read_text("utf-8"))
    for check in checks:
        assert check.said is not None
        # Names and numbers of packages are the same in both.
        english_of = wording.SENTENCES.get(check.said.key, check.said.key)
        if german.get(check.said.key, english_of) != english_of:
            assert check.detail not in shown


def test_what_the_kit_warns_of_is_german(phone: Any, serve_page: Any, table: Table) -> None:
    said = worded("{name}'s button works again.", name="East")
    health = {"ok": True, "warnings": [english(said)], "say_warnings": [say_json(said)]}
    screen = phone(serve_page(table, health=lambda: health).url)
    screen.tap("#link")
    screen.wait("document.querySelector('.warning')")
    assert screen.text(".warning") == "Der Knopf von Ost geht wieder."


class Reads:
    """Reads no card."""

    def read(self, image: Any, regions: object = None) -> tuple[()]:
        return ()


@pytest.fixture
def setup(tmp_path: Path) -> TableSetup:
    """A camera that leans and sees the printed sheet in a dim room."""
    lens = Lens(tilt_deg=38.0)
    bare = np.full((720, 1280, 3), 30, np.uint8)
    frame = Frame(at_us=1, image=with_sheet(bare, homography(lens), white=80, black=12))
    return TableSetup(
        newest=lambda: frame,
        reader=Reads(),
        path=tmp_path / "calibration.json",
        use=lambda made: None,
    )


def test_what_calibrating_finds_is_german(
    phone: Any, serve_page: Any, table: Table, setup: TableSetup
) -> None:
    told = setup.look()
    assert {check["verdict"] for check in told["checks"]} == {"pass", "warn"}
    screen = phone(serve_page(table, calibrating=setup).url + "calibrate")
    screen.tap("#look")
    screen.wait("document.querySelectorAll('#checks li').length", 30)
    shown = screen.text("#checks")
    assert "Weißes Papier hat 80 von 255" in shown
    assert "Eine Lampe anmachen" in shown
    assert re.search(r"Die Kamera ist um etwa 3\d Grad geneigt", shown)
    for check in told["checks"]:
        assert check["text"] not in shown
        assert not check["cure"] or check["cure"] not in shown


def test_a_table_that_is_not_found_says_in_german_what_to_lay_where(
    phone: Any, serve_page: Any, table: Table, tmp_path: Path
) -> None:
    frame = Frame(at_us=1, image=np.full((720, 1280, 3), 90, np.uint8))
    setup = TableSetup(
        newest=lambda: frame, reader=Reads(), path=tmp_path / "c.json", use=lambda made: None
    )
    screen = phone(serve_page(table, calibrating=setup).url + "calibrate")
    screen.tap("#look")
    screen.wait("document.querySelector('#told').textContent.includes('keine Karte gelesen')", 30)
    assert "Pik-Ass vor Nord, Pik-König vor Ost, Pik-Dame vor Süd" in screen.text("#told")


def test_the_faults_of_a_file_are_german(
    phone: Any, serve_page: Any, table: Table, hands: Any, tmp_path: Path
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    game = json.loads(write_egn(table.records).text)
    game["metadata"]["initialScore"] = "none"
    game["deals"][0]["phases"][1]["tricks"][1][2] = "Ah"
    file = tmp_path / "friday.egn"
    file.write_text(json.dumps(game), encoding="utf-8")
    screen = phone(serve_page(table).url + "replay")
    screen.wait("document.documentElement.dataset.role === 'director'")
    screen.ask("document.getElementById('import-file').hidden = false")
    screen.find("#import-file").send_keys(str(file))
    screen.wait("document.querySelector('#sheet[open] .faults li')", 30)
    shown = screen.text("#sheet .faults")
    assert "initialScore: 'none': sollte zwei ganze Zahlen sein; 0 und 0 angenommen" in shown
    twice = "wurde schon in Stich 1 gespielt: eines von beiden ist falsch"
    assert f"Blatt 1, Stich 2, Karte 3: 'Ah': {twice}" in shown


def test_what_a_file_cannot_say_is_german(
    phone: Any, serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.play(2, "9h")
    screen = phone(f"{serve_page(table).url}replay/{table.game_id}")
    screen.tap("#export")
    screen.wait("document.querySelector('#sheet[open] details li')", 30)
    screen.ask("document.querySelectorAll('#sheet details').forEach((d) => { d.open = true; })")
    shown = screen.text("#sheet")
    assert "wann jede Ansage und jede Karte kam" in shown
    assert "Blatt 1, Stich 1: dass Cleo ausspielte, ohne dran zu sein" in shown


def test_what_is_wrong_with_a_tap_is_german(phone: Any, serve_page: Any, table: Table) -> None:
    screen = phone(serve_page(table).url)
    screen.driver.set_script_timeout(10)
    heard = screen.driver.execute_async_script(
        "const done = arguments[0];"
        "Promise.all([import('/static/js/access.js'), import('/static/js/words.js')])"
        ".then(async ([access, words]) => {"
        "  const { told } = await access.post('/api/command',"
        "    { command: { kind: 'play_card', seat: 1, card: 'Zz' } });"
        "  done(words.sayWhy(told)); })"
    )
    assert heard == (
        "Das versteht der Tisch nicht: card: 'Zz' geht nicht; nötig: "
        "eine Karte wie Kh oder Tc, oder B oder b für einen Joker"
    )


def test_an_address_where_nothing_is_says_so_in_german(
    phone: Any, serve_page: Any, table: Table
) -> None:
    url = serve_page(table).url
    screen = phone(url + "no/such/place")
    screen.wait("document.querySelector('h1').textContent.startsWith('Das')")
    assert "Unter dieser Adresse ist nichts" in screen.text("main")
    screen.open(url + "replay/20200101-none")
    screen.wait("document.querySelector('main p').textContent.includes('20200101')")
    assert "Ein Spiel '20200101-none' gibt es hier nicht" in screen.text("main")


def test_the_names_players_gave_are_left_as_they_are(german: Screen, hands: Any) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    german.wait("document.querySelector('#ask').textContent.includes('Wer macht Trumpf')")
    assert "Ann" in german.text("#score")


def test_a_sentence_without_a_translation_is_shown_in_english(german: Screen) -> None:
    heard = german.driver.execute_async_script(
        "const done = arguments[0]; import('/static/js/words.js').then((words) => done(["
        "words.say('No such {thing}', { thing: 'word' }),"
        "words.sayIt({ text: 'As it came', say: { key: 'none.such', args: {} } })]))"
    )
    assert heard == ["No such word", "As it came"]


def test_the_language_is_the_browsers_until_somebody_picks_another(
    screen: Screen, serve_page: Any, table: Table
) -> None:
    screen.driver.execute_cdp_cmd(
        "Emulation.setUserAgentOverride", {"userAgent": "test", "acceptLanguage": "de-CH,de,en"}
    )
    try:
        screen.open(serve_page(table).url)
        assert screen.ask("return document.documentElement.lang") == "de"
        screen.ask("upcardDevice.change({ language: 'en' })")
        screen.wait("document.documentElement.lang === 'en'")
    finally:
        screen.ask("localStorage.clear()")
        screen.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": ""})


#: Texts of a page that did not pass through say(): the language "zz" marks those that did.
UNSAID = """
const found = new Set();
const plain = /^[\\s\\d\\W]*$/;
const given = new RegExp("^(" + arguments[0].join("|") + "|Upcard|[ ,&–]|and)*$");
const unsaid = (text) => text && !plain.test(text) && !given.test(text) && !text.includes("⟦");
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const { parentElement, textContent } = walker.currentNode;
  if (parentElement.closest("script, style, noscript, label[lang], time, pre")) continue;
  if (unsaid(textContent.trim())) found.add(textContent.trim());
}
for (const name of ["aria-label", "title", "placeholder", "alt"]) {
  for (const node of document.querySelectorAll(`[${name}]`)) {
    if (unsaid(node.getAttribute(name).trim())) found.add(`${name}: ${node.getAttribute(name)}`);
  }
}
return [...found];
"""


@pytest.mark.parametrize(
    ("path", "act"),
    [
        ("", ""),
        ("", "document.querySelector('#menu').click()"),
        ("", "document.querySelector('#device').click()"),
        ("", "document.querySelector('#correct').click()"),
        ("replay", ""),
        ("statistics", ""),
        ("shuffle", ""),
        ("keeper", ""),
        ("seat/1", ""),
        ("join", ""),
        ("doctor", ""),
        ("director", "document.querySelector('details summary').click()"),
        ("no/such/place", ""),
    ],
)
def test_no_word_of_a_page_bypasses_the_translation(
    screen: Screen, serve_page: Any, table: Table, hands: Any, path: str, act: str
) -> None:
    hands.start(NAMES)
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    hands.sweep()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    hands.doubt(2, (("9h", 0.6), ("9d", 0.4)), None)
    url = serve_page(table).url
    screen.open(url)
    screen.ask("upcardDevice.change({ language: 'zz' })")
    screen.wait("document.documentElement.lang === 'zz'")
    try:
        screen.open(url + path)
        screen.wait("document.querySelector('body').textContent.includes('⟦')")
        screen.wait("!document.querySelector('[aria-busy=true]')")
        if act:
            screen.ask(act)
        assert screen.ask(UNSAID, list(NAMES)) == []
    finally:
        screen.ask("localStorage.clear()")
