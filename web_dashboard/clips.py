"""The last seconds of the table as a clip, when somebody of the table asks for it.

The kit keeps them in memory only (:class:`web_dashboard.settings.PageSettings` has the call);
asking writes a file, which goes away after the days that pictures are kept. Whole pictures of a
room are nobody's business who only watches: both ways take the table's or the director's code.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from flask import Blueprint, Response, send_from_directory

from engine.wording import say
from web_dashboard.answers import Absent, answer, refusal, refusal_said
from web_dashboard.guard import viewer
from web_dashboard.settings import PageSettings

_log = logging.getLogger(__name__)
_NAME: Final = re.compile(r"clip-[0-9]{8}-[0-9]{6}(-[0-9]+)?\.avi")
_WHO: Final = "the table's or the director's code is needed for that"


def clip_routes(settings: PageSettings) -> Blueprint:
    """``POST /api/clip`` writes one and answers ``{"clip": NAME}``; ``GET /clips/NAME``."""
    routes = Blueprint("clips", __name__)

    @routes.post("/api/clip")
    def keep() -> Response:
        if not viewer().at_least("table"):
            return refusal(403, "role", _WHO)
        if settings.keep_clip is None:
            return refusal(404, "clip", "this kit keeps no last seconds: it has no camera")
        try:
            path = settings.keep_clip()
        except OSError as error:
            _log.warning("no clip was kept: %s", error)
            return refusal_said(503, "clip", say("words", words=str(error)))
        return answer(200, {"clip": path.name, "bytes": path.stat().st_size})

    @routes.get("/clips/<name>")
    def clip(name: str) -> Response:
        if not viewer().at_least("table"):
            return refusal(403, "role", _WHO)
        if settings.clips_dir is None or not _NAME.fullmatch(name):
            raise Absent("there is no clip {name}", name=name)
        return send_from_directory(settings.clips_dir.absolute(), name, as_attachment=True)

    return routes
