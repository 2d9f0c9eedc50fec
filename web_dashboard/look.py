"""Calling everybody to look at the table, from a seat's page or the shared tablet.

What a seat's button does with a long press: the kit's lights and buzzer call, and so does every
open page, whoever called. Nothing is recorded.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from flask import Blueprint, Response

from engine.wording import Sentence, english, say_json
from web_dashboard.access import SEATS
from web_dashboard.answers import answer, names_in, refusal, refusal_said
from web_dashboard.bodies import json_body
from web_dashboard.guard import viewer
from web_dashboard.live import AUDIENCE, Broadcast
from web_dashboard.ports import Table
from web_dashboard.settings import PageSettings

#: A call sounds on every page and at the table: one seat's come no closer than this.
CALL_GAP_S: Final = 3.0


def look_routes(
    table: Table,
    settings: PageSettings,
    broadcast: Broadcast,
    *,
    clock_s: Callable[[], float] = time.monotonic,
) -> Blueprint:
    """``POST /api/look`` with ``{"seat": 2}``, and the event ``look`` to every page.

    A seat's code calls for that seat only; the table's and the director's for any. ``clock_s``:
    seconds that only grow, for the time between two calls of a seat.
    """
    routes = Blueprint("look", __name__)
    looking = settings.looking
    lock = threading.Lock()
    called_s: dict[int, float] = {}

    def tell(seat: int, said: Sentence) -> None:
        text = english(said, names_in(table.snapshot(AUDIENCE)))
        broadcast.announce("look", {"seat": seat, "text": text, "say": say_json(said)})

    if looking is not None:
        broadcast.at_close(looking.subscribe(tell))

    @routes.post("/api/look")
    def look() -> Response:
        body = json_body()
        if isinstance(body, Response):
            return body
        seat = body.get("seat") if isinstance(body, dict) else None
        if type(seat) is not int or not 0 <= seat < SEATS:
            return refusal(
                400,
                "malformed",
                "seat {value} is no number from 0 (North) clockwise",
                value=repr(seat),
            )
        asking = viewer()
        if not asking.at_least("table") and asking.seat != seat:
            return refusal(403, "role", "a seat's page calls for that seat only")
        if looking is None:
            return refusal(
                409, "not_now", "nobody plays at this page's table: there is nobody to call"
            )
        with lock:
            now_s, before_s = clock_s(), called_s.get(seat)
            if before_s is not None and now_s - before_s < CALL_GAP_S:
                refused = refusal(
                    429, "wait", "that seat has just called, and everybody was told: wait a moment"
                )
                refused.headers["Retry-After"] = str(round(CALL_GAP_S))
                return refused
            called_s[seat] = now_s
        why_not = looking.call(seat)
        if why_not is not None:
            with lock:
                # Nobody was told: whoever mends that may call at once.
                called_s.pop(seat, None)
            return refusal_said(409, "not_now", why_not, names_in(table.snapshot(AUDIENCE)))
        return answer(200, {"accepted": True})

    return routes
