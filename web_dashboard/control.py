"""Taps on their way to the table: one JSON command at a time."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from engine.codec import command_from
from engine.commands import Rejected
from engine.errors import EngineError
from web_dashboard.access import Access, refused
from web_dashboard.answers import answer, refusal
from web_dashboard.guard import viewer
from web_dashboard.live import AUDIENCE
from web_dashboard.ports import Table

_log = logging.getLogger(__name__)

#: A tap that came too late or out of place is a conflict with the table's state.
_STATUS: Final = {"malformed": 400, "unknown": 404, "stale": 409, "not_now": 409}


def control_routes(table: Table, access: Access) -> Blueprint:
    """``POST /api/command``.

    The body is ``{"command": {"kind": "declare", ...}, "expect_version": 12 | null}``:
    ``expect_version`` refuses the tap when the table has moved on (left out, the tap counts
    whatever came between). Whose tap it was the session says; what it may do is in
    :data:`web_dashboard.access.PERMITS`, and what it may not is answered 403. Answers
    ``{"accepted": true, "version": 13}`` or ``{"accepted": false, "code", "reason"}``; a tap that
    came too late (``stale``) is told ``meanwhile``, what happened since, a sentence each.
    """
    routes = Blueprint("control", __name__)

    @routes.post("/api/command")
    def command() -> Response:
        try:
            body = request.get_json()
        except RequestEntityTooLarge:
            return refusal(413, "malformed", "a command is a few hundred bytes; this is too long")
        except BadRequest:
            return refusal(400, "malformed", "the body is not JSON")
        if not isinstance(body, dict) or not isinstance(body.get("command"), dict):
            return refusal(400, "malformed", 'send {"command": {"kind": ...}, "expect_version": N}')
        return _submit(table, access, body["command"], body)

    return routes


def _submit(
    table: Table, access: Access, told: Mapping[str, Any], rest: Mapping[str, Any]
) -> Response:
    expected = rest.get("expect_version")
    if expected is not None and (isinstance(expected, bool) or not isinstance(expected, int)):
        return refusal(400, "malformed", f"expect_version {expected!r} is no whole number")
    command = command_from(told)
    if isinstance(command, Rejected):
        return _refused(command)
    asking = viewer()
    barred = refused(asking, command, table.snapshot(AUDIENCE), home=access.home)
    if barred is not None:
        return refusal(403, "role", barred)
    try:
        outcome = table.submit(command, source=asking.source, expect_version=expected)
    except (EngineError, OSError) as error:
        _log.exception("a tap could not be recorded")
        return refusal(507, "log", f"nothing was recorded: {error}")
    if isinstance(outcome, Rejected):
        return _refused(outcome)
    return answer(200, {"accepted": True, "version": getattr(outcome, "version", table.version)})


def _refused(rejected: Rejected) -> Response:
    told: dict[str, Any] = {
        "accepted": False,
        "code": rejected.code,
        "reason": rejected.reason,
    }
    if rejected.meanwhile:
        told["meanwhile"] = list(rejected.meanwhile)
    return answer(_STATUS.get(rejected.code, 409), told)
