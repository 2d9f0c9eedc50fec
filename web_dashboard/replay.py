"""Earlier games: the list, and one game stepped through fact by fact.

A snapshot at any version is a fold over the facts up to it, so the page asks for the versions
it wants and draws them with the very code of the live page.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final

from flask import Blueprint, Response, abort, render_template, request

from engine.codec import kind_of
from engine.errors import EngineError
from engine.facts import Recorded
from engine.log import GameLine, Log, UnknownGame
from engine.state import fold
from engine.view import snapshot
from engine.wording import fact_said, fact_text, say_json
from web_dashboard.answers import answer, refusal
from web_dashboard.live import AUDIENCE
from web_dashboard.settings import PageSettings

#: The newest games are listed; older ones are reached by the command line.
GAMES_LISTED: Final = 100
#: Games kept folded to their end for the list, and games kept read for stepping.
_SUMMARIES_KEPT: Final = 200
_GAMES_KEPT: Final = 4

_log = logging.getLogger(__name__)


def snapshot_at(records: Sequence[Recorded], version: int) -> dict[str, Any]:
    """The table as it stood after the fact ``version`` (0: before the first)."""
    upto = tuple(records[:version])
    return snapshot(fold(upto), upto, audience=AUDIENCE)


def _names(view: dict[str, Any]) -> tuple[str, ...]:
    return tuple(seat["name"] for seat in view.get("seats") or ())


def steps_of(records: Sequence[Recorded]) -> list[dict[str, Any]]:
    """One line per fact, to step by: ``{"version", "at_us", "source", "kind", "text", "say"}``."""
    names = _names(snapshot_at(records, 1)) if records else ()
    return [
        {
            "version": record.version,
            "at_us": record.at_us,
            "source": record.source,
            "kind": kind_of(record.fact),
            "text": fact_text(record.fact, names) if names else fact_text(record.fact),
            "say": say_json(fact_said(record.fact)),
        }
        for record in records
    ]


class Shelf:
    """Games read from the log, the latest few kept: facts are never changed, only added."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = Lock()
        self._games: OrderedDict[str, tuple[Recorded, ...]] = OrderedDict()
        self._summaries: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()

    def records(self, game_id: str) -> tuple[Recorded, ...]:
        """All facts of the game up to now; raises UnknownGame."""
        with self._lock:
            known = self._games.pop(game_id, ())
        known += self._log.read(game_id, after_version=len(known))
        with self._lock:
            self._games[game_id] = known
            while len(self._games) > _GAMES_KEPT:
                self._games.popitem(last=False)
        return known

    def summary(self, line: GameLine) -> dict[str, Any]:
        """The game in one line: when, who, how it stands or ended."""
        key = (line.game_id, line.version)
        with self._lock:
            if key in self._summaries:
                return self._summaries[key]
        told: dict[str, Any] = {
            "game_id": line.game_id,
            "started_at_us": line.started_at_us,
            "version": line.version,
        }
        try:
            records = self._log.read(line.game_id)
            view = snapshot_at(records, len(records))
        except (EngineError, ValueError) as error:
            _log.exception("game %s cannot be read", line.game_id)
            return told | {"fault": str(error)}
        told |= {
            "title": (view.get("game") or {}).get("title", ""),
            "preset": (view.get("game") or {}).get("preset", ""),
            "over": bool((view.get("game") or {}).get("over")),
            "winner": (view.get("game") or {}).get("winner"),
            "names": list(_names(view)),
            "sides": [
                {"name": side.get("name"), "score": side.get("score")}
                for side in view.get("sides") or ()
            ],
            "deals": len(view.get("deals") or ()),
        }
        with self._lock:
            self._summaries[key] = told
            while len(self._summaries) > _SUMMARIES_KEPT:
                self._summaries.popitem(last=False)
        return told

    def newest(self) -> list[dict[str, Any]]:
        """The newest games, newest first."""
        return [self.summary(line) for line in self._log.games()[-GAMES_LISTED:][::-1]]


def replay_routes(log: Log, settings: PageSettings) -> Blueprint:
    """``/replay``, ``/replay/<game>``, ``/api/games`` and ``/api/games/<game>[?version=N]``."""
    routes = Blueprint("replay", __name__)
    shelf = Shelf(log)

    def records_or_404(game_id: str) -> tuple[Recorded, ...]:
        try:
            return shelf.records(game_id)
        except UnknownGame as unknown:
            abort(404, description=str(unknown))

    @routes.get("/replay")
    def games_page() -> str:
        return render_template("games.html", settings=settings, games=shelf.newest())

    @routes.get("/replay/<game_id>")
    def game_page(game_id: str) -> str:
        records = records_or_404(game_id)
        return render_template(
            "replay.html", settings=settings, game_id=game_id, version=len(records)
        )

    @routes.get("/api/games")
    def games() -> Response:
        return answer(200, {"games": shelf.newest()})

    @routes.get("/api/games/<game_id>")
    def game(game_id: str) -> Response:
        records = records_or_404(game_id)
        wanted = request.args.get("version")
        if wanted is None:
            return answer(
                200, {"game_id": game_id, "version": len(records), "steps": steps_of(records)}
            )
        if not re.fullmatch(r"\d{1,9}", wanted) or int(wanted) > len(records):
            return refusal(
                400,
                "malformed",
                f"version {wanted!r} is not in this game: ask for 0 to {len(records)}",
            )
        return answer(200, snapshot_at(records, int(wanted)))

    return routes
