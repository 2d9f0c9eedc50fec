"""The calibration page: the camera's picture with the seats over it, checks, and the deck.

The picture shows a room, so it goes to pages with the table's or the director's code only.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from flask import Blueprint, Response, render_template

from web_dashboard.answers import answer, refusal, refusal_said
from web_dashboard.bodies import json_body
from web_dashboard.guard import viewer
from web_dashboard.ports import Calibrating
from web_dashboard.settings import PageSettings

_log = logging.getLogger(__name__)

_NO_CAMERA: Final = "this table has no camera to calibrate: cards are tapped in"
_WORDS: Final = ("look", "keep", "cards")


def calibrate_routes(settings: PageSettings) -> Blueprint:
    """``/calibrate``, ``/calibrate/sheet.pdf``, ``/api/calibrate`` and its picture.

    ``POST /api/calibrate {"do": "look"}`` answers what :meth:`Calibrating.look` tells;
    ``keep`` keeps what the last look found; ``cards`` answers the cards read right now.
    """
    routes = Blueprint("calibrate", __name__)
    calibrating = settings.calibrating

    @routes.get("/calibrate")
    def page() -> str:
        return render_template("calibrate.html", settings=settings)

    @routes.get("/calibrate/sheet.pdf")
    def sheet() -> Response:
        if calibrating is None:
            return refusal(404, "unknown", _NO_CAMERA)
        return Response(
            calibrating.sheet(),
            mimetype="application/pdf",
            headers={"Content-Disposition": 'inline; filename="upcard-sheet.pdf"'},
        )

    @routes.get("/api/calibrate/picture.jpg")
    def picture() -> Response:
        if not viewer().at_least("table"):
            return refusal(403, "role", "the table's or the director's code is needed for that")
        seen = None if calibrating is None else calibrating.picture()
        if seen is None:
            return refusal(404, "unknown", "the camera has not looked yet")
        return Response(seen, mimetype="image/jpeg")

    @routes.post("/api/calibrate")
    def calibrate() -> Response:
        body = json_body()
        if isinstance(body, Response):
            return body
        what = body.get("do") if isinstance(body, dict) else None
        if what not in _WORDS:
            return refusal(400, "malformed", 'send {"do": one of {words}}', words=", ".join(_WORDS))
        if calibrating is None:
            return refusal(409, "not_now", _NO_CAMERA)
        return _done(calibrating, what)

    return routes


def _done(calibrating: Calibrating, what: Any) -> Response:
    try:
        match what:
            case "look":
                return answer(200, dict(calibrating.look()))
            case "cards":
                return answer(200, dict(calibrating.cards()))
            case _:
                refused = calibrating.keep()
                if refused is not None:
                    return refusal_said(409, "not_now", refused)
                return answer(200, {"accepted": True})
    except Exception as error:
        _log.exception("the camera could not be asked")
        return refusal(503, "camera", "the camera could not be asked: {words}", words=str(error))
