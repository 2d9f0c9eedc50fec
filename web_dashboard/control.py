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
from web_dashboard.answers import answer, refusal
from web_dashboard.ports import Table

_log = logging.getLogger(__name__)

#: A tap that came too late or out of place is a conflict with the table's state.
_STATUS: Final = {"malformed": 400, "unknown": 404, "stale": 409, "not_now": 409}


def control_routes(table: Table) -> Blueprint:
    """``POST /api/command``.

    The body is ``{"command": {"kind": "declare", ...}, "expect_version": 12 | null,
    "seat": 2 | null}``: ``expect_version`` refuses the tap when the table has moved on (left
    out, the tap counts whatever came between), ``seat`` says whose screen it was. Answers
    ``{"accepted": true, "version": 13}`` or ``{"accepted": false, "code", "reason"}``.
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
        return _submit(table, body["command"], body)

    return routes


def _submit(table: Table, told: Mapping[str, Any], rest: Mapping[str, Any]) -> Response:
    expected = rest.get("expect_version")
    if expected is not None and (isinstance(expected, bool) or not isinstance(expected, int)):
        return refusal(400, "malformed", f"expect_version {expected!r} is no whole number")
    match rest.get("seat"):
        case None:
            source = "page"
        case bool():
            return refusal(400, "malformed", "seat is a number from 0 (North) clockwise")
        case int(seat) if 0 <= seat <= 7:
            source = f"seat:{seat}"
        case seat:
            return refusal(400, "malformed", f"seat {seat!r} is no number from 0 clockwise")
    command = command_from(told)
    if isinstance(command, Rejected):
        return _refused(command)
    try:
        outcome = table.submit(command, source=source, expect_version=expected)
    except (EngineError, OSError) as error:
        _log.exception("a tap could not be recorded")
        return refusal(507, "log", f"nothing was recorded: {error}")
    if isinstance(outcome, Rejected):
        return _refused(outcome)
    return answer(200, {"accepted": True, "version": getattr(outcome, "version", table.version)})


def _refused(rejected: Rejected) -> Response:
    return refusal(_STATUS.get(rejected.code, 409), rejected.code, rejected.reason)
