"""The games page's acts: taking a game in from a file, naming one, deleting one for good.

All three take a code: the table's to take in and to name, the director's to delete (where the
table rules itself, the table's). A name is a correction of the fact that started the game, so
the record says who gave it; a deletion is told in the kit's own journal, since the record is
what goes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from flask import Blueprint, Response, request

from engine.commands import Correct, Rejected
from engine.errors import EngineError
from engine.facts import GameStarted
from engine.log import Log, UnknownGame
from engine.notation import Fault, ImportedGame
from engine.notation.files import read_game
from engine.state import fold, standing
from engine.table import Table as EngineTable
from engine.table import store
from engine.wording import say_json, worded
from web_dashboard.access import Access
from web_dashboard.answers import answer, no_game, refusal, refusal_said, rejection
from web_dashboard.bodies import json_body
from web_dashboard.guard import viewer
from web_dashboard.live import AUDIENCE
from web_dashboard.ports import Table
from web_dashboard.settings import PageSettings

_log = logging.getLogger(__name__)

#: A file of games: a hundred long ones.
_FILE_BYTES: Final = 1_000_000
_LONGEST_TITLE: Final = 80
#: A file of rubbish has a fault a line; the first of them are enough to read.
_FAULTS_TOLD: Final = 50


def _body(keys: dict[str, type]) -> dict[str, Any] | Response:
    """The JSON object of this request with these keys, or the refusal."""
    body = json_body()
    if isinstance(body, Response):
        return body
    if not isinstance(body, dict) or not all(
        isinstance(body.get(key), kind) for key, kind in keys.items()
    ):
        wanted = ", ".join(f'"{key}": a {kind.__name__}' for key, kind in keys.items())
        return refusal(400, "malformed", "send a JSON object with {words}", words=wanted)
    return body


def shelf_routes(
    table: Table,
    log: Log,
    settings: PageSettings,
    access: Access,
    *,
    forget: Callable[[str], None],
) -> Blueprint:
    """``POST /api/import``, ``/api/games/<game>/title`` and ``/api/games/<game>/delete``.

    ``forget`` is called with a game that is gone.
    """
    routes = Blueprint("shelf", __name__)

    @routes.post("/api/import")
    def take_in() -> Response:
        request.max_content_length = _FILE_BYTES + 10_000
        body = _body({"text": str})
        if isinstance(body, Response):
            if body.status_code == 413:
                return refusal(
                    413,
                    "malformed",
                    "the file is longer than {count} bytes: upcard import takes it",
                    count=_FILE_BYTES,
                )
            return body
        read = read_game(body["text"].encode("utf-8", "surrogatepass"))
        faults = [_fault_told(fault) for fault in read.faults[:_FAULTS_TOLD]]
        rest = {"faults": faults, "faults_left_out": len(read.faults) - len(faults)}
        if not read.games:
            why = worded("there is no game in this file that can be read")
            return refusal_said(400, "malformed", why, games=[], **rest)
        kept: list[dict[str, Any]] = []
        try:
            for game in read.games:
                kept.append(_kept(log, game))
        except (EngineError, OSError) as error:
            _log.exception("a game from a file could not be recorded")
            why = worded(
                "{count} of {count_all} games were recorded: {words}",
                count=len(kept),
                count_all=len(read.games),
                words=str(error),
            )
            return refusal_said(507, "log", why, games=kept, **rest)
        return answer(200, {"accepted": True, "games": kept, **rest})

    @routes.post("/api/games/<game_id>/title")
    def name(game_id: str) -> Response:
        body = _body({"title": str})
        if isinstance(body, Response):
            return body
        title = " ".join(body["title"].split())
        if len(title) > _LONGEST_TITLE or not title.isprintable():
            return refusal(
                400,
                "malformed",
                "title {value}: at most {most} plain letters",
                value=repr(title[:20]),
                most=_LONGEST_TITLE,
            )
        try:
            return _name(table, log, game_id, title, viewer().source)
        except UnknownGame as unknown:
            raise no_game(game_id) from unknown
        except (EngineError, OSError) as error:
            _log.exception("a game could not be named")
            return refusal(507, "log", "nothing was recorded: {words}", words=str(error))

    @routes.post("/api/games/<game_id>/delete")
    def delete(game_id: str) -> Response:
        body = _body({"confirm": str})
        if isinstance(body, Response):
            return body
        who = viewer()
        if not who.at_least("table" if access.home else "director"):
            return refusal(403, "role", "deleting a game takes the director's code")
        if body["confirm"] != game_id:
            return refusal(
                400, "malformed", "confirm: send the game's id, {game}, once more", game=game_id
            )
        if settings.delete_game is None:
            return refusal(409, "not_now", "this kit keeps its games in memory: none to delete")
        if _on_the_table(table) == game_id:
            return refusal(
                409,
                "not_now",
                "this game is on the table: end it and begin another one, then it can be deleted",
            )
        try:
            gone = settings.delete_game(game_id)
        except UnknownGame as unknown:
            raise no_game(game_id) from unknown
        except (EngineError, OSError) as error:
            _log.exception("game %s could not be deleted", game_id)
            return refusal(507, "log", "it was not deleted whole: {words}", words=str(error))
        forget(game_id)
        _log.warning("game %s was deleted for good by %s", game_id, who.source)
        return answer(200, {"accepted": True, **gone})

    return routes


def _on_the_table(table: Table) -> str:
    return str((table.snapshot(AUDIENCE).get("game") or {}).get("id") or "")


def _kept(log: Log, game: ImportedGame) -> dict[str, Any]:
    game_id = store(log, game)
    state = fold(game.records(game_id))
    return {
        "game_id": game_id,
        "title": state.title,
        "names": list(state.names),
        "deals": len(state.deals),
        "score": list(state.score),
    }


def _fault_told(fault: Fault) -> dict[str, Any]:
    return {
        "text": str(fault),
        "say": say_json(fault.said),
        "where": fault.where,
        "value": fault.value,
        "message": fault.message,
        "game": fault.game,
        "deal": fault.deal,
        "trick": fault.trick,
        "index": fault.index,
    }


def _name(table: Table, log: Log, game_id: str, title: str, source: str) -> Response:
    live = _on_the_table(table) == game_id
    records = log.read(game_id)
    start = next((r for r in standing(records) if isinstance(r.fact, GameStarted)), None)
    if start is None or not isinstance(start.fact, GameStarted):
        return refusal(409, "not_now", "this game has no beginning that could bear a name")
    if start.fact.title == title:
        return answer(200, {"accepted": True, "version": len(records)})
    command = Correct(
        target=start.version,
        replacement=replace(start.fact, title=title),
        reason=f"named {title}" if title else "its name was taken away",
    )
    if live:
        # The one writer of the game on the table is the table.
        outcome = table.submit(command, source=source)
    else:
        other = EngineTable(log, game_id, clock_us=lambda: time.time_ns() // 1000)
        outcome = other.submit(command, source=source)
    if isinstance(outcome, Rejected):
        return rejection(outcome)
    return answer(200, {"accepted": True, "version": outcome.version})
