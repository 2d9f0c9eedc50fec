"""Taps on their way to the table: one JSON command at a time."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from engine.codec import command_from
from engine.commands import Rejected
from engine.errors import EngineError
from web_dashboard.access import Access, refused
from web_dashboard.answers import answer, names_in, refusal, refusal_said, rejection
from web_dashboard.guard import viewer
from web_dashboard.live import AUDIENCE
from web_dashboard.ports import Table

_log = logging.getLogger(__name__)


def control_routes(table: Table, access: Access) -> Blueprint:
    """``POST /api/command``.

    The body is ``{"command": {"kind": "declare", ...}, "expect_version": 12 | null}``:
    ``expect_version`` refuses the tap when the table has moved on (left out, the tap counts
    whatever came between). Whose tap it was the session says; what it may do is in
    :data:`web_dashboard.access.PERMITS`, and what it may not is answered 403. Answers
    ``{"accepted": true, "version": 13}`` or ``{"accepted": false, "code", "reason", "say"}``; a tap
    that came too late (``stale``) is told ``meanwhile``, what happened since, a sentence each.
    ``say`` and ``say_meanwhile`` are the same for any language (see :mod:`engine.wording`).
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
        return refusal(
            400, "malformed", "expect_version {value} is no whole number", value=repr(expected)
        )
    command = command_from(told)
    if isinstance(command, Rejected):
        return rejection(command)
    asking = viewer()
    snapshot = table.snapshot(AUDIENCE)
    barred = refused(asking, command, snapshot, home=access.home)
    if barred is not None:
        return refusal_said(403, "role", barred, names_in(snapshot))
    try:
        outcome = table.submit(command, source=asking.source, expect_version=expected)
    except (EngineError, OSError) as error:
        _log.exception("a tap could not be recorded")
        return refusal(507, "log", "nothing was recorded: {words}", words=str(error))
    if isinstance(outcome, Rejected):
        return rejection(outcome)
    return answer(200, {"accepted": True, "version": getattr(outcome, "version", table.version)})
