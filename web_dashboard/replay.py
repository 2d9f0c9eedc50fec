"""Earlier games: the list, one game stepped through fact by fact, its record, its files.

A snapshot at any version is a fold over the facts up to it, so the page asks for the versions
it wants and draws them with the very code of the live page.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answered

from engine.codec import kind_of
from engine.errors import EngineError
from engine.facts import (
    Amended,
    CardPassed,
    Corrected,
    Discarded,
    FindingRuled,
    Inserted,
    Moved,
    Recorded,
    ReviewAnswered,
    ScoreAdjusted,
)
from engine.log import GameLine, Log, UnknownGame
from engine.notation import Exported
from engine.notation.egn import write_egn
from engine.notation.jsonl import write_jsonl
from engine.replay import Cursor, Stride
from engine.sheet import UnknownDeal, deal_lines, game_lines
from engine.state import State, apply, fold
from engine.view import snapshot
from engine.wording import english, fact_said, points_said, result_said, say_json, worded
from web_dashboard.answers import Absent, answer, no_game, refusal
from web_dashboard.ledger import ledger
from web_dashboard.live import AUDIENCE
from web_dashboard.score_sheet import sheet_svg
from web_dashboard.settings import PageSettings
from web_dashboard.sheet_pdf import pdf_of, unwritable

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
    """One line per fact, to step by::

    {"version", "at_us", "source", "kind", "text", "say", "evidence": null | "hash"}
    """
    names = _names(snapshot_at(records, 1)) if records else ()
    steps = []
    for record in records:
        said = fact_said(record.fact)
        steps.append(
            {
                "version": record.version,
                "at_us": record.at_us,
                "source": record.source,
                "kind": kind_of(record.fact),
                "text": english(said, names) if names else english(said),
                "say": say_json(said),
                "evidence": getattr(record.fact, "evidence", None),
            }
        )
    return steps


def stops_of(records: Sequence[Recorded]) -> dict[str, list[int]]:
    """The versions at which a trick lies whole, and those at which a deal has ended.

    The newest version closes either list: there is nothing to step to beyond it.
    """
    cursor = Cursor(records)
    return {"trick": _places(cursor, "trick"), "deal": _places(cursor, "deal")}


def _places(cursor: Cursor, by: Stride) -> list[int]:
    places: list[int] = []
    here = 0
    while (there := cursor.step(here, by)) > here:
        places.append(there)
        here = there
    return places


def moments_of(records: Sequence[Recorded]) -> list[dict[str, Any]]:
    """What is worth jumping to, in order: ``{"version", "kind", "text", "say": {...} | null}``.

    Kinds: ``deal`` (points were made), ``finding`` (when it first stood), ``ruling``,
    ``review`` (raised), ``correction`` (of any sort, answers among them), ``adjustment``.
    """
    told: list[dict[str, Any]] = []
    state = State()
    for recorded in records:
        before, state = state, apply(state, recorded)
        told.extend(_moments(recorded, before, state))
    return told


def _moments(recorded: Recorded, before: State, after: State) -> Iterator[dict[str, Any]]:
    def moment(kind: str, text: str, said: Any) -> dict[str, Any]:
        return {"version": recorded.version, "kind": kind, "text": text, "say": said}

    fact = recorded.fact
    kind = None
    match fact:
        case Corrected() | Inserted() | Moved() | Amended() | ReviewAnswered():
            kind = "correction"
        case FindingRuled():
            kind = "ruling"
        case ScoreAdjusted():
            kind = "adjustment"
    if kind is not None:
        said = fact_said(fact)
        yield moment(kind, english(said, after.names), say_json(said))
    known = {review.version for review in before.reviews}
    for review in (
        snapshot(after, after.records, audience=AUDIENCE)["reviews"]
        if ({r.version for r in after.reviews} - known)
        else ()
    ):
        if review["id"] not in known:
            yield moment("review", review["text"], review.get("say"))
    found = {finding.id for finding in before.findings}
    for finding in after.findings:
        if finding.id not in found:
            yield moment("finding", finding.text, say_json(finding.said))
    scored = {deal.number for deal in before.deals if deal.points is not None}
    for deal in after.deals:
        if deal.points is not None and deal.number not in scored:
            result, changes = result_said(deal.result or ""), points_said(deal.points)
            said = (
                worded(
                    "Deal {deal}: {result}, {changes:and}",
                    deal=deal.number,
                    result=result,
                    changes=changes,
                )
                if changes
                else worded("Deal {deal}: {result}, no points", deal=deal.number, result=result)
            )
            yield moment("deal", english(said, after.names), say_json(said))


def for_everybody(records: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """The facts without the cards of the deal under way that lie face down.

    A card laid away or passed to a lone hand may be known to the kit, because somebody showed
    it; as long as the deal is played the others must not read it on the page.
    """
    state = fold(records)
    if state.open_deal is None:
        return tuple(records)
    hidden = {r.version for r in state.readings[-1][0].facts}
    return tuple(_face_down(r) if _speaks_of(r, hidden) else r for r in records)


def _speaks_of(recorded: Recorded, versions: Container[int]) -> bool:
    if isinstance(recorded.fact, Corrected):
        return recorded.fact.target in versions
    return recorded.version in versions


def _face_down(recorded: Recorded) -> Recorded:
    match recorded.fact:
        case Discarded() | CardPassed() as fact:
            return replace(recorded, fact=replace(fact, card=None))
        case Corrected(replacement=Discarded() | CardPassed() as fact) as mended:
            return replace(recorded, fact=replace(mended, replacement=replace(fact, card=None)))
    return recorded


# --- a game as a file -----------------------------------------------------------------------

#: What a game can be written as: the file's ending, its type, and what it is in words.
EXPORTS: Final[Mapping[str, tuple[str, str]]] = {
    "egn": ("application/json", "Euchre Game Notation, for other programs"),
    "jsonl": ("application/x-ndjson", "Every fact, nothing lost: can be imported again"),
    "svg": ("image/svg+xml", "The score sheet as a picture, to print"),
    "pdf": ("application/pdf", "The score sheet to print"),
    "txt": ("text/plain; charset=utf-8", "The score sheet as text"),
}


def exported(records: Sequence[Recorded], to: str) -> Exported:
    """The game written as ``to``, one of :data:`EXPORTS`, with what that cannot say."""
    match to:
        case "egn":
            return write_egn(records)
        case "jsonl":
            return Exported(text=write_jsonl(records))
        case "svg":
            view = snapshot_at(records, len(records))
            return Exported(text=sheet_svg(view, title=_title(view)))
        case "pdf":
            view = snapshot_at(records, len(records))
            drawn = sheet_svg(view, title=_title(view))
            foreign = unwritable(drawn)
            if foreign:
                loss = worded("the letters {words}: save the picture and print that", words=foreign)
                return Exported(text="", lost=(loss,))
            return Exported(text=pdf_of(drawn))
    return Exported(text="\n".join(game_lines(records)) + "\n")


def _title(view: Mapping[str, Any]) -> str:
    game = view.get("game") or {}
    return game.get("title") or str(game.get("id") or "")


def file_name(game_id: str, to: str) -> str:
    """A name any file system takes."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", game_id).strip("-.") or "game"
    return f"upcard-{plain[:80]}.{to}"


class Shelf:
    """Games read from the log, the latest few kept: facts are never changed, only added."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = Lock()
        self._games: OrderedDict[str, tuple[Recorded, ...]] = OrderedDict()
        self._summaries: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()
        self._told: OrderedDict[tuple[str, int], dict[str, Any]] = OrderedDict()

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

    def last(self) -> str | None:
        """The id of the game that was begun last; None before the first."""
        games = self._log.games()
        return games[-1].game_id if games else None

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

    def told(self, game_id: str) -> dict[str, Any]:
        """How to step through the game; worked out once for each version of it."""
        records = self.records(game_id)
        key = (game_id, len(records))
        with self._lock:
            known = self._told.get(key)
        if known is None:
            known = {
                "game_id": game_id,
                "version": len(records),
                "steps": steps_of(records),
                "stops": stops_of(records),
            }
        return self._keep(key, known)

    def moments(self, game_id: str) -> dict[str, Any]:
        """What is worth jumping to: the whole game folded fact by fact, so asked for apart."""
        records = self.records(game_id)
        key = (f"moments of {game_id}", len(records))
        with self._lock:
            known = self._told.get(key)
        if known is None:
            known = {"version": len(records), "moments": moments_of(records)}
        return self._keep(key, known)

    def _keep(self, key: tuple[str, int], known: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self._told[key] = known
            while len(self._told) > 2 * _GAMES_KEPT:
                self._told.popitem(last=False)
        return known

    def forget(self, game_id: str) -> None:
        """A game that was deleted is not kept here either."""
        with self._lock:
            self._games.pop(game_id, None)
            for kept in (self._summaries, self._told):
                for key in [k for k in kept if k[0] in (game_id, f"moments of {game_id}")]:
                    del kept[key]

    def newest(self) -> list[dict[str, Any]]:
        """The newest games, newest first."""
        return [self.summary(line) for line in self._log.games()[-GAMES_LISTED:][::-1]]


def replay_routes(shelf: Shelf, settings: PageSettings) -> Blueprint:
    """The pages ``/replay``, ``/replay/<game>`` and ``/replay/last``, and of each game under
    ``/api/games``:

    * ``/api/games`` the newest games, a line each;
    * ``/api/games/<game>`` its steps and stops; with ``?version=N`` the snapshot
      there, ``&view=truth`` with what was mended later;
    * ``/api/games/<game>/moments`` what is worth jumping to (:func:`moments_of`);
    * ``/api/games/<game>/ledger`` its record for mending (:mod:`web_dashboard.ledger`);
    * ``/api/games/<game>/deals/<n>`` one deal as a diagram, ``{"lines": [...]}``;
    * ``/api/games/<game>/exports`` what it can be written as, with what would be lost;
    * ``/api/games/<game>/export/<kind>`` the file.
    """
    routes = Blueprint("replay", __name__)

    def records_or_404(game_id: str) -> tuple[Recorded, ...]:
        try:
            return shelf.records(game_id)
        except UnknownGame as unknown:
            raise no_game(game_id) from unknown

    @routes.get("/replay")
    def games_page() -> str:
        return render_template("games.html", settings=settings, games=shelf.newest())

    @routes.get("/replay/last")
    def newest_page() -> Answered:
        newest = shelf.last()
        if newest is None:
            raise Absent("no game has been recorded yet")
        return redirect(url_for("replay.game_page", game_id=newest))

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
            return answer(200, shelf.told(game_id))
        if not re.fullmatch(r"[0-9]{1,9}", wanted) or int(wanted) > len(records):
            return refusal(
                400,
                "malformed",
                "version {value} is not in this game: ask for 0 to {last}",
                value=repr(wanted),
                last=len(records),
            )
        view = request.args.get("view", "known")
        if view not in ("known", "truth"):
            return refusal(
                400,
                "malformed",
                "view {value} is neither known (as seen then) nor truth",
                value=repr(view),
            )
        if view == "known":
            return answer(200, snapshot_at(records, int(wanted)))
        return answer(200, Cursor(records).snapshot(int(wanted), view="truth", audience=AUDIENCE))

    @routes.get("/api/games/<game_id>/moments")
    def game_moments(game_id: str) -> Response:
        records_or_404(game_id)
        return answer(200, shelf.moments(game_id))

    @routes.get("/api/games/<game_id>/ledger")
    def game_ledger(game_id: str) -> Response:
        return answer(200, ledger(records_or_404(game_id)))

    @routes.get("/api/games/<game_id>/deals/<int:number>")
    def game_deal(game_id: str, number: int) -> Response:
        records = records_or_404(game_id)
        try:
            return answer(
                200, {"deal": number, "lines": deal_lines(for_everybody(records), deal=number)}
            )
        except UnknownDeal:
            return refusal(404, "unknown", "there is no deal {number} in this game", number=number)

    @routes.get("/api/games/<game_id>/exports")
    def game_exports(game_id: str) -> Response:
        records = records_or_404(game_id)
        records = for_everybody(records)
        files = [(to, what, exported(records, to)) for to, (_, what) in EXPORTS.items()]
        told = [
            {
                "to": to,
                "what": what,
                "able": bool(file.text),
                "losses": list(file.losses),
                "say_losses": [say_json(loss) for loss in file.lost],
            }
            for to, what, file in files
        ]
        return answer(200, {"exports": told})

    @routes.get("/api/games/<game_id>/export/<to>")
    def game_export(game_id: str, to: str) -> Response:
        records = records_or_404(game_id)
        if to not in EXPORTS:
            return refusal(
                404,
                "unknown",
                "no file of kind {value}: ask for {words}",
                value=repr(to),
                words=", ".join(EXPORTS),
            )
        file = exported(for_everybody(records), to)
        if not file.text:
            return refusal(
                409,
                "not_now",
                "not written as {kind}: {losses}",
                kind=to,
                losses=file.lost,
            )
        response = Response(file.text, content_type=EXPORTS[to][0])
        response.headers["Content-Disposition"] = f'attachment; filename="{file_name(game_id, to)}"'
        return response

    return routes
