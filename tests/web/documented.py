"""Whether an answer of the page is one that its OpenAPI document promises."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from web_dashboard.openapi import document


def path_of(rule: str) -> str:
    """``/api/games/<game_id>`` as the document writes it."""
    return re.sub(r"<(?:[^<>:]+:)?(\w+)>", r"{\1}", rule)


@cache
def _document() -> dict[str, Any]:
    return document()


@cache
def _validator(path: str, method: str, status: str) -> Draft202012Validator | None:
    """None where what is promised is no JSON."""
    content = _document()["paths"][path][method]["responses"][status]["content"]
    if "application/json" not in content:
        return None
    schema = content["application/json"]["schema"]
    return Draft202012Validator({**schema, "components": _document()["components"]})


def broken_promise(rule: str, method: str, answer: Any) -> str | None:
    """What is wrong with this answer; None: it fits, or nothing was promised there."""
    path, method = path_of(rule), method.lower()
    promised = _document()["paths"].get(path, {}).get(method)
    if promised is None:
        return None
    status = str(answer.status_code)
    status = status if status in promised["responses"] else "default"
    validator = _validator(path, method, status)
    if validator is None:
        [kind] = promised["responses"][status]["content"]
        fits = kind == "*/*" or answer.mimetype == kind
        return None if fits else f"{answer.mimetype} instead of {kind}"
    if answer.mimetype != "application/json":
        return f"{answer.mimetype} instead of JSON"
    return next((error.message[:300] for error in validator.iter_errors(answer.json)), None)
