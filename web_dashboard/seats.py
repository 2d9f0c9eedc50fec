"""A phone for each seat, the director's page, and what they ask the kit about.

A seat's page gets the same stream as everybody: the table lies open, and nothing is sent to one
seat that another may not see. What a seat may *do* is decided where its taps arrive
(:mod:`web_dashboard.control`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from flask import Blueprint, Response, render_template

from engine.commands import Rejected, ReportShuffle
from engine.errors import EngineError
from engine.games import game_for
from engine.log import Log, UnknownGame
from engine.ruleset import PRESETS, in_words, preset, rules_said
from engine.state import fold
from engine.view import deal_view
from engine.wording import Sentence, say_json, worded
from web_dashboard.access import SEATS, Viewer
from web_dashboard.answers import Absent, answer, names_in, refusal, refusal_said, rejection
from web_dashboard.bodies import json_body
from web_dashboard.guard import viewer
from web_dashboard.live import AUDIENCE, Broadcast
from web_dashboard.parts import parts_of
from web_dashboard.ports import Shuffling, Table
from web_dashboard.settings import PageSettings

_log = logging.getLogger(__name__)

_OVERRIDES: Final = ("stop", "stacked", "pass_done", "cleared")
_MOST_PASSES: Final = 30


def seat_routes(table: Table, log: Log, settings: PageSettings, broadcast: Broadcast) -> Blueprint:
    """``/seat/<n>``, ``/director``, ``/doctor`` and the JSON behind them.

    ``/api/parts``, ``/api/presets``, ``/api/doctor``, ``/api/deals/<n>`` of the game on the
    table, and ``/api/shuffle``.
    """
    routes = Blueprint("seats", __name__)
    shuffling = settings.shuffling
    if shuffling is not None:
        stop = shuffling.subscribe(lambda: broadcast.announce("shuffle", shuffle_view(shuffling)))
        broadcast.at_close(stop)

    @routes.get("/seat/<int:seat>")
    def seat_page(seat: int) -> str:
        if seat >= SEATS:
            raise Absent(
                "there is no seat {number}: seats are 0 (North) to {last}",
                number=seat,
                last=SEATS - 1,
            )
        return render_template("seat.html", settings=settings, seat=seat)

    @routes.get("/director")
    def director_page() -> str:
        return render_template("director.html", settings=settings)

    @routes.get("/doctor")
    def doctor_page() -> str:
        return render_template("doctor.html", settings=settings)

    @routes.get("/api/parts")
    def parts() -> Response:
        return answer(200, {"table": settings.table_kind, "parts": parts_of(settings)})

    @routes.get("/api/presets")
    def presets() -> Response:
        return answer(200, {"presets": preset_lines()})

    @routes.get("/api/doctor")
    def doctor() -> Response:
        if not viewer().at_least("table"):
            return refusal(403, "role", "the table's or the director's code is needed for that")
        if settings.doctor is None:
            return answer(200, {"lines": None})
        try:
            return answer(200, {"lines": [dict(line) for line in settings.doctor()]})
        except Exception as error:
            _log.exception("the doctor could not be asked")
            return refusal(
                503, "doctor", "the doctor could not be asked: {words}", words=str(error)
            )

    @routes.get("/api/deals/<int:number>")
    def deal(number: int) -> Response:
        game_id = (table.snapshot(AUDIENCE).get("game") or {}).get("id")
        try:
            records = () if game_id is None else log.read(game_id)
        except UnknownGame:
            records = ()
        shown = deal_view(fold(records), number)
        if shown is None:
            return refusal(
                404, "unknown", "there is no deal {number} in the game on the table", number=number
            )
        return answer(200, shown)

    @routes.get("/api/shuffle")
    def shuffle_state() -> Response:
        return answer(200, shuffle_view(shuffling))

    @routes.post("/api/shuffle")
    def shuffle() -> Response:
        body = json_body()
        if isinstance(body, Response):
            return body
        if not isinstance(body, dict):
            return refusal(400, "malformed", 'send {"do": "start" | "by_hand" | "want" | "stop"}')
        return _shuffle(table, shuffling, body, viewer())

    return routes


def shuffle_view(shuffling: Shuffling | None) -> dict[str, Any]:
    """``{"fitted": false}``, or the shuffler's state with ``"fitted": true``."""
    if shuffling is None:
        return {"fitted": False}
    return {"fitted": True, **shuffling.state()}


def shuffle_events(settings: PageSettings) -> Callable[[], Iterable[tuple[str, Any]]]:
    """What an event stream tells of the shuffler whenever it tells the whole state."""

    def beside() -> Sequence[tuple[str, Any]]:
        if settings.shuffling is None:
            return ()
        return (("shuffle", shuffle_view(settings.shuffling)),)

    return beside


def _shuffle(
    table: Table, shuffling: Shuffling | None, body: Mapping[str, Any], asking: Viewer
) -> Response:
    what, seat, passes = body.get("do"), body.get("seat"), body.get("passes", 1)
    if what not in ("start", "by_hand", "want", *_OVERRIDES):
        return refusal(
            400,
            "malformed",
            "do {value}: send start, by_hand, want, {words}",
            value=repr(what),
            words=", ".join(_OVERRIDES),
        )
    if what in ("start", "by_hand") and (type(seat) is not int or not 0 <= seat < SEATS):
        return refusal(
            400, "malformed", "seat {value} is no number from 0 (North) clockwise", value=repr(seat)
        )
    if what in ("by_hand", "want") and (type(passes) is not int or not 1 <= passes <= _MOST_PASSES):
        return refusal(
            400,
            "malformed",
            "passes {value}: send 1 to {most}",
            value=repr(passes),
            most=_MOST_PASSES,
        )
    barred = _barred(shuffling, what, seat, asking)
    if barred is not None:
        return refusal_said(403, "role", barred)
    if shuffling is None:
        if what != "by_hand":
            return refusal(409, "not_now", "no shuffler is fitted: shuffle by hand, and say so")
        return _by_hand(table, int(seat or 0), passes, asking)
    why_not = _ask(shuffling, what, seat, passes)
    if why_not is not None:
        return refusal_said(409, "not_now", why_not, names_in(table.snapshot(AUDIENCE)))
    return answer(200, {"accepted": True, **shuffle_view(shuffling)})


def _ask(shuffling: Shuffling, what: str, seat: Any, passes: int) -> Sentence | None:
    match what:
        case "start":
            return shuffling.start(seat)
        case "by_hand":
            return shuffling.by_hand(seat, passes)
        case "want":
            return shuffling.want(passes)
        case _:
            return shuffling.override(what)


def _barred(shuffling: Shuffling | None, what: str, seat: Any, asking: Viewer) -> Sentence | None:
    """Why this viewer may not: a seat starts it for itself; stopping it is everybody's."""
    if asking.at_least("table") or what == "stop":
        return None
    if what == "want":
        return worded("how many passes a pack gets is set on the table's page")
    served = seat
    if what in _OVERRIDES:
        served = None if shuffling is None else shuffling.state().get("seat")
    if served == asking.seat:
        return None
    return worded("a seat's page works the shuffler for that seat only")


def _by_hand(table: Table, seat: int, passes: int, asking: Viewer) -> Response:
    command = ReportShuffle(seat=seat, passes=passes, machine=False)
    try:
        outcome = table.submit(command, source=asking.source)
    except (EngineError, OSError) as error:
        _log.exception("a shuffle could not be recorded")
        return refusal(507, "log", "nothing was recorded: {words}", words=str(error))
    if isinstance(outcome, Rejected):
        return rejection(outcome)
    return answer(200, {"accepted": True, "fitted": False})


@cache
def preset_lines() -> tuple[dict[str, Any], ...]:
    """Every preset: ``{"name", "players", "words", "say"}``: its rules in sentences, twice."""
    lines = []
    for name in PRESETS:
        rules = preset(name)
        lines.append(
            {
                "name": name,
                "players": game_for(rules).seats,
                "words": list(in_words(rules)),
                "say": [say_json(said) for said in rules_said(rules)],
            }
        )
    return tuple(lines)
