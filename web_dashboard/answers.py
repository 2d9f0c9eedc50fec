"""The JSON the page answers with."""

from __future__ import annotations

import json
from typing import Any

from flask import Response


def as_line(value: Any) -> str:
    """``value`` as JSON on one line, as an event stream needs it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def within_html(line: str) -> str:
    """JSON that may stand within a script element: nothing in it can end the element."""
    return line.replace("<", "\\u003c")


def answer(status: int, value: Any) -> Response:
    """``value`` as a JSON response."""
    return Response(as_line(value), status=status, mimetype="application/json")


def refusal(status: int, code: str, reason: str) -> Response:
    """``code`` is for programs, ``reason`` one sentence for people."""
    return answer(status, {"accepted": False, "code": code, "reason": reason})
