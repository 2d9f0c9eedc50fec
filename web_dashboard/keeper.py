"""The score keeper: a page that needs no camera and, after the first visit, no kit.

The page holds no rule: which hand scores what comes to it as a table made from the engine's
own scoring (:func:`keeper_rules`). Over localhost or HTTPS the browser keeps the page by a
service worker; elsewhere it may not, and the whole page is offered as one file
(:func:`keeper_file`). A finished game can be sent to the kit, which records it as a game of
deals kept by hand.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from flask import Blueprint, Response, render_template, request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from engine.errors import EngineError
from engine.facts import DealKept, DealThrownIn, Fact, GameStarted
from engine.log import Entry, Log
from engine.notation import ImportedGame
from engine.ruleset import BadRuleset, Ruleset, ruleset_from
from engine.scoring import score_deal
from engine.table import store
from web_dashboard.answers import answer, as_line, refusal, refusal_said, within_html
from web_dashboard.errors import BadKeptGame
from web_dashboard.files import STATIC, TEMPLATES, page_bytes, page_text
from web_dashboard.joined import join_modules

_log = logging.getLogger(__name__)

_TEMPLATE: Final = TEMPLATES / "keeper.html"
#: Targets people play to (RULES.md, "Points"); the field takes any other.
TARGETS: Final = (5, 7, 10, 11, 15, 21)
#: What the makers' lone hand gives the other side when it is euchred, at one table or another.
LONE_EUCHRES: Final = (2, 3, 4)

#: The keeper's own styles and scripts, in the order in which they stand on one another.
_STYLES: Final = ("css/page.css", "css/people.css", "css/keeper.css")
_FIRST: Final = "js/first.js"
_MODULES: Final = (
    "js/words.js",
    "js/dom.js",
    "js/sheet.js",
    "js/sound.js",
    "js/device.js",
    "js/keeper.js",
)
_LANGUAGES: Final = ("de",)
_ICONS: Final = ("icon.svg", "icon-192.png", "icon-512.png")


def keeper_rules() -> dict[str, Any]:
    """Every hand that can be, and what it scores, by the engine's rules::

      {"hand_size": 5, "target": 10, "targets": [5, 7, ...], "lone_euchres": [2, 3, 4],
       "tables": {"2:false": {"3:false:false": ["made", "makers", 1], ...}}}

    A table is named by what a euchred lone hand gives and whether a euchre without a trick
    counts double; a hand by the makers' tricks, whether the maker and whether a defender
    played alone.
    """
    usual = Ruleset()
    tables = {}
    for lone_euchre in LONE_EUCHRES:
        for super_euchre in (False, True):
            rules = Ruleset(lone_euchre=lone_euchre, super_euchre=super_euchre)
            tables[f"{lone_euchre}:{str(super_euchre).lower()}"] = dict(_hands(rules))
    return {
        "hand_size": usual.hand_size,
        "target": usual.target,
        "targets": list(TARGETS),
        "lone_euchres": list(LONE_EUCHRES),
        "tables": tables,
    }


def _hands(rules: Ruleset) -> Iterator[tuple[str, tuple[str, str, int]]]:
    for tricks in range(rules.hand_size + 1):
        for alone in (False, True):
            for defended in (False, True):
                result = score_deal(
                    makers=0,
                    makers_tricks=tricks,
                    maker_alone=alone,
                    defender_alone=defended,
                    ruleset=rules,
                )
                side = "makers" if result.side == 0 else "defenders"
                key = f"{tricks}:{str(alone).lower()}:{str(defended).lower()}"
                yield key, (result.case, side, result.points)


# --- one page in one file ----------------------------------------------------------------------


def one_script() -> str:
    """The keeper's modules as one."""
    return join_modules([STATIC / name for name in _MODULES])


def _said(source: str) -> set[str]:
    """Every string of a script: more than its sentences, but never less."""
    return {
        json.loads(f'"{found}"') for found in re.findall(r'"((?:[^"\\\n]|\\["\\/nt])*)"', source)
    }


def _data(value: Any) -> str:
    """JSON that may stand within a script element."""
    return within_html(as_line(value))


def keeper_words() -> dict[str, dict[str, str]]:
    """By language, the sentences that the keeper can say."""
    template = page_text(_TEMPLATE)
    said = set().union(*(_said(page_text(STATIC / name)) for name in _MODULES))
    words = {}
    for language in _LANGUAGES:
        known = json.loads(page_text(STATIC / "words" / f"{language}.json"))
        words[language] = {
            key: text for key, text in known.items() if key in said or key in template
        }
    return words


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache(maxsize=1)
def keeper_file() -> str:
    """The keeper as one HTML file that asks nothing of any network.

    Its own policy allows exactly the scripts and styles that it holds, and no request at all.
    """
    style = "\n".join(page_text(STATIC / name) for name in _STYLES)
    first = page_text(STATIC / _FIRST)
    script = one_script()
    icon = base64.b64encode(page_bytes(STATIC / "icon.svg")).decode()
    return render_template(
        "keeper.html",
        alone=True,
        rules=_data(keeper_rules()),
        words={language: _data(words) for language, words in keeper_words().items()},
        style=style,
        first=first,
        script=script,
        icon=f"data:image/svg+xml;base64,{icon}",
        policy=(
            f"default-src 'none'; script-src '{_digest(first)}' '{_digest(script)}'; "
            f"style-src '{_digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
    )


# --- kept by the browser -----------------------------------------------------------------------


def _files() -> tuple[str, ...]:
    """What the keeper's page loads, by address."""
    words = tuple(f"words/{language}.json" for language in _LANGUAGES)
    names = (*_STYLES, _FIRST, *_MODULES, *words, *_ICONS)
    return tuple(f"/static/{name}" for name in names)


@lru_cache(maxsize=1)
def _edition() -> str:
    """Changes with anything the keeper consists of, and with nothing else."""
    told = hashlib.sha256(_data(keeper_rules()).encode())
    for file in _files():
        told.update(page_bytes(STATIC / file.removeprefix("/static/")))
    told.update(page_bytes(_TEMPLATE))
    return told.hexdigest()[:16]


_MANIFEST: Final[Mapping[str, Any]] = {
    "id": "/keeper",
    "name": "Upcard score keeper",
    "short_name": "Euchre score",
    "description": "Keeps the score of a euchre game, without a camera and without a network.",
    "start_url": "/keeper",
    "scope": "/keeper",
    "display": "standalone",
    "background_color": "#f3efe6",
    "theme_color": "#f3efe6",
    "icons": [
        {"src": "/static/icon-192.png", "sizes": "192x192", "type": "image/png"},
        {"src": "/static/icon-512.png", "sizes": "512x512", "type": "image/png"},
        {
            "src": "/static/icon-512.png",
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        },
        {"src": "/static/icon.svg", "sizes": "any", "type": "image/svg+xml"},
    ],
}


# --- a finished game, sent to the kit ------------------------------------------------------------

#: A long evening at one game, passed hands and all.
_MOST_HANDS: Final = 1000
#: A hand is some 70 letters, the rest a few hundred.
_GAME_BYTES: Final = 128 * 1024
_LONGEST_NAME: Final = 40
_GAME_ID: Final = re.compile(r"[0-9a-f]{16}")
#: "Ann & Bob", "Ann und Bob", "Ann/Bob": a team by its two players.
_BOTH: Final = re.compile(r"\s*(?:&|\+|/|,|\band\b|\bund\b)\s*", re.I)


def game_from(told: Any) -> ImportedGame:
    """The game that the keeper's page sent, as facts; raises :class:`BadKeptGame`.

    It keeps its id, so that sending it twice is sending it once.
    """
    if not isinstance(told, dict) or told.get("kind") != "upcard-keeper-game":
        raise BadKeptGame('send {"kind": "upcard-keeper-game", "version": 1, ...}')
    game_id, begun_ms = told.get("id"), told.get("started_at_ms")
    if not isinstance(game_id, str) or not _GAME_ID.fullmatch(game_id):
        raise BadKeptGame("id {value} is not 16 hexadecimal digits", value=repr(game_id))
    if type(begun_ms) is not int or not 0 <= begun_ms < 2**43:
        raise BadKeptGame(
            "started_at_ms {value} is no moment in milliseconds since 1970", value=repr(begun_ms)
        )
    rules = {
        "preset": "home",
        "target": told.get("target"),
        "lone_euchre": told.get("lone_euchre"),
        "super_euchre": told.get("super_euchre"),
        "defend_alone": "any",
    }
    try:
        agreed = ruleset_from(rules)
    except BadRuleset as bad:
        raise BadKeptGame("{mistake}", mistake=bad.said) from bad
    hands = told.get("hands")
    if not isinstance(hands, list) or not 1 <= len(hands) <= _MOST_HANDS:
        raise BadKeptGame("hands: send a list of 1 to {most} of them", most=_MOST_HANDS)
    facts: list[Fact] = [
        GameStarted(rules=rules, names=_players(told.get("names")), dealer=None),
        *(_hand(hand, number, agreed.hand_size) for number, hand in enumerate(hands, start=1)),
    ]
    return ImportedGame(
        title="",
        entries=tuple(Entry(at_us=begun_ms * 1000, source="keeper", fact=fact) for fact in facts),
        game_id=f"keeper-{game_id}",
    )


def _players(names: Any) -> tuple[str, str, str, str]:
    """The four names of two teams: a team without two players is called by its own name."""
    if (
        not isinstance(names, list)
        or len(names) != 2
        or not all(isinstance(name, str) and len(name) <= _LONGEST_NAME for name in names)
    ):
        raise BadKeptGame(
            "names {value}: send two, of at most {most} letters",
            value=repr(names),
            most=_LONGEST_NAME,
        )
    pairs = []
    for name, usual in zip(names, ("Us", "Them"), strict=True):
        players = [part for part in _BOTH.split(name.strip()) if part]
        pairs.append(tuple(players) if len(players) == 2 else (name.strip() or usual,) * 2)
    return pairs[0][0], pairs[1][0], pairs[0][1], pairs[1][1]


def _hand(told: Any, number: int, hand_size: int) -> Fact:
    if isinstance(told, dict) and told.get("passed") is True:
        return DealThrownIn(reason="passed_out")
    if not isinstance(told, dict):
        raise BadKeptGame("hand {number} is no object", number=number)
    called, tricks = told.get("called"), told.get("tricks")
    if type(called) is not int or called not in (0, 1):
        raise BadKeptGame(
            "hand {number}: called {value} is neither 0 nor 1", number=number, value=repr(called)
        )
    if (
        not isinstance(tricks, list)
        or len(tricks) != 2
        or not all(type(n) is int and n >= 0 for n in tricks)
        or sum(tricks) != hand_size
    ):
        raise BadKeptGame(
            "hand {number}: tricks {value} do not add up to {count}",
            number=number,
            value=repr(tricks),
            count=hand_size,
        )
    alone, defended = told.get("alone", False), told.get("defended", False)
    if not isinstance(alone, bool) or not isinstance(defended, bool):
        raise BadKeptGame("hand {number}: alone and defended are true or false", number=number)
    return DealKept(makers=called, tricks=tricks[called], alone=alone, defended=defended)


def keeper_routes(log: Log) -> Blueprint:
    """``/keeper``, its file to take away, its worker, its manifest, and ``POST /api/keeper``."""
    routes = Blueprint("keeper", __name__)

    @routes.get("/keeper")
    def page() -> Response:
        response = Response(
            render_template("keeper.html", alone=False, rules=_data(keeper_rules()), styles=_STYLES)
        )
        response.headers["Cache-Control"] = "no-cache"
        return response

    @routes.get("/keeper/file")
    def file() -> Response:
        response = Response(keeper_file(), mimetype="text/html")
        response.headers["Content-Disposition"] = 'attachment; filename="upcard-keeper.html"'
        response.headers["Cache-Control"] = "no-cache"
        return response

    @routes.get("/keeper/manifest.webmanifest")
    def manifest() -> Response:
        return Response(json.dumps(_MANIFEST), mimetype="application/manifest+json")

    @routes.post("/api/keeper")
    def take_in() -> Response:
        request.max_content_length = _GAME_BYTES
        try:
            game = game_from(request.get_json())
        except RequestEntityTooLarge:
            return refusal(
                413,
                "malformed",
                "a kept game has at most {count} hands; this is longer",
                count=_MOST_HANDS,
            )
        except BadRequest:
            return refusal(400, "malformed", "the body is not JSON")
        except BadKeptGame as bad:
            return refusal_said(400, "malformed", bad.said)
        try:
            game_id = store(log, game)
        except (EngineError, OSError) as error:
            _log.exception("a kept game could not be recorded")
            return refusal(507, "log", "nothing was recorded: {words}", words=str(error))
        return answer(200, {"accepted": True, "game_id": game_id})

    @routes.get("/keeper-worker.js")
    def worker() -> Response:
        text = render_template(
            "keeper-worker.js",
            edition=_edition(),
            files=json.dumps(["/keeper", "/keeper/manifest.webmanifest", *_files()]),
        )
        response = Response(text, mimetype="text/javascript")
        response.headers["Cache-Control"] = "no-cache"
        return response

    return routes
