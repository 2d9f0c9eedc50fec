"""The JSON that the page is sent."""

from __future__ import annotations

from typing import Any

from flask import request
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge

from web_dashboard.answers import refusal


def json_body() -> Any:
    """The value in this request's body; a :class:`~flask.Response` refuses what holds none."""
    try:
        return request.get_json()
    except RequestEntityTooLarge:
        return refusal(413, "malformed", "the body is longer than anything this asks for")
    except BadRequest:
        return refusal(400, "malformed", "the body is not JSON")
