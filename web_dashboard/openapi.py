"""The page's API as an OpenAPI document, for those who write programs for it.

Served at ``/api/openapi.json``. A test holds it to the routes there are, and every answer of
some thousand requests to it (``tests/web/test_openapi.py``, ``test_page_fuzz.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint, Response

from web_dashboard.access import HOLDERS
from web_dashboard.answers import answer

Schema = Mapping[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_YES_NO: Final[Schema] = {"type": "boolean"}
_ANY: Final[Schema] = {}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _object(required: Mapping[str, Schema], **others: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **others},
    }


_SAID: Final = _or_null({"type": "object"})
#: A sentence for any language, which is always there.
_SENTENCE: Final = _object({"key": _TEXT, "args": {"type": "object"}})
_TOLD_STEP: Final[Mapping[str, Schema]] = {
    "version": _WHOLE,
    "at_us": _WHOLE,
    "source": _TEXT,
    "kind": _TEXT,
    "text": _TEXT,
    "say": _SAID,
}
_COUNTS: Final = (
    "games", "won", "deals", "calls", "made", "euchred", "marches", "loners", "lone_marches",
    "euchres", "points",
)  # fmt: skip
_COUNTED: Final[Mapping[str, Schema]] = dict.fromkeys(_COUNTS, _WHOLE)
_ME: Final[Mapping[str, Schema]] = {
    "role": {"enum": ["watch", "seat", "table", "director"]},
    "seat": _or_null(_WHOLE),
    "token": _TEXT,
    "home": _YES_NO,
    "page": _or_null(_TEXT),
}
_FAULT: Final = _object(
    {"text": _TEXT, "say": _SENTENCE, "where": _TEXT, "value": _TEXT, "message": _TEXT},
    game=_or_null(_WHOLE),
    deal=_or_null(_WHOLE),
    trick=_or_null(_WHOLE),
    index=_or_null(_WHOLE),
)
_DONE: Final[Mapping[str, Schema]] = {"accepted": {"const": True}}

SCHEMAS: Final[Mapping[str, Schema]] = {
    "Refusal": _object(
        {
            "accepted": {"const": False},
            "code": _TEXT,
            "reason": {"type": "string", "minLength": 1},
            "say": _SENTENCE,
        },
        meanwhile=_list(_TEXT),
        say_meanwhile=_list(_SENTENCE),
    ),
    "Snapshot": _object(
        {
            "version": _WHOLE,
            "game": _object(
                {
                    "id": _TEXT, "title": _TEXT, "preset": _TEXT, "shape": _TEXT,
                    "players": _WHOLE, "hand_size": _WHOLE, "target": _or_null(_WHOLE),
                    "over": _YES_NO, "winner": _or_null(_WHOLE), "paused": _or_null(_TEXT),
                    "pack": _list(_TEXT), "trumps": _list(_TEXT),
                }
            ),
            "sides": _list(_object({"side": _WHOLE, "name": _TEXT, "score": _WHOLE})),
            "seats": _list(
                _object({"seat": _WHOLE, "name": _TEXT, "side": _WHOLE, "turn": _YES_NO})
            ),
            "deal": _or_null(
                _object({"number": _WHOLE, "phase": _TEXT, "trump": _or_null(_TEXT)})
            ),
            "deals": _list({"type": "object"}),
            "ask": _or_null(_object({"kind": _TEXT, "text": _TEXT})),
            "reviews": _list(_object({"id": _WHOLE, "text": _TEXT})),
            "findings": _list(_object({"id": _TEXT, "text": _TEXT})),
            "history": _list(_object({"version": _WHOLE, "kind": _TEXT, "text": _TEXT})),
        }
    ),
    "Me": _object(_ME),
    "Joined": _object({**_DONE, **_ME, "go": _TEXT}),
    "MeAfter": _object({**_DONE, **_ME}),
    "Codes": _object(
        {
            "join": _TEXT,
            "home": _YES_NO,
            "codes": _list(
                _object({"who": _TEXT, "seat": _or_null(_WHOLE), "code": _TEXT, "qr": _TEXT})
            ),
        }
    ),
    "Recorded": _object({**_DONE, "version": _WHOLE}),
    "Parts": _object(
        {
            "table": _TEXT,
            "parts": _list(_object({"name": _TEXT, "present": _YES_NO, "text": _TEXT})),
        }
    ),
    "Presets": _object(
        {"presets": _list(
                _object(
                    {
                        "name": _TEXT,
                        "players": _WHOLE,
                        "words": _list(_TEXT),
                        "say": _list(_SENTENCE),
                    }
                )
            )
        }
    ),
    "Doctor": _object(
        {"lines": _or_null(_list(_object({"name": _TEXT, "status": _TEXT, "text": _TEXT})))}
    ),
    "Deal": _object({"number": _WHOLE, "phase": _TEXT, "tricks": _list({"type": "object"})}),
    "Games": _object(
        {
            "games": _list(
                _object(
                    {"game_id": _TEXT, "started_at_us": _WHOLE, "version": _WHOLE},
                    fault=_TEXT, title=_TEXT, over=_YES_NO, deals=_WHOLE, names=_list(_TEXT),
                )
            )
        }
    ),
    "Steps": _object(
        {
            "game_id": _TEXT,
            "version": _WHOLE,
            "steps": _list(_object({**_TOLD_STEP, "evidence": _or_null(_TEXT)})),
            "stops": _object({"trick": _list(_WHOLE), "deal": _list(_WHOLE)}),
        }
    ),
    "Moments": _object(
        {
            "version": _WHOLE,
            "moments": _list(
                _object({"version": _WHOLE, "kind": _TEXT, "text": _TEXT, "say": _SAID})
            ),
        }
    ),
    "Ledger": _object(
        {
            "version": _WHOLE,
            "results": {"type": "object"},
            "lines": _list(
                _object({**_TOLD_STEP, "deal": _or_null(_WHOLE), "struck": _YES_NO, "fact": _ANY})
            ),
        }
    ),
    "Diagram": _object({"deal": _WHOLE, "lines": _list(_TEXT)}),
    "Exports": _object(
        {
            "exports": _list(
                _object(
                    {
                        "to": _TEXT, "what": _TEXT, "able": _YES_NO, "losses": _list(_TEXT),
                        "say_losses": _list(_SENTENCE),
                    }
                )
            )
        }
    ),
    "TakenIn": _object(
        {
            **_DONE,
            "games": _list(
                _object(
                    {
                        "game_id": _TEXT, "title": _TEXT, "names": _list(_TEXT), "deals": _WHOLE,
                        "score": _list(_WHOLE),
                    }
                )
            ),
            "faults": _list(_FAULT),
            "faults_left_out": _WHOLE,
        }
    ),
    "Deleted": _object({**_DONE, "facts": _WHOLE, "pictures": _WHOLE}),
    "Kept": _object({**_DONE, "game_id": _TEXT}),
    "Clip": _object({"clip": _TEXT, "bytes": _WHOLE}),
    "Looked": {"type": "object"},
    "Shuffle": _object({"fitted": _YES_NO}, phase=_TEXT, text=_TEXT, may_start=_list(_WHOLE)),
    "ShuffleDone": _object({**_DONE, "fitted": _YES_NO}),
    "Called": _object(_DONE),
    "Statistics": _object(
        {
            "games": _list(_object({"game_id": _TEXT, "title": _TEXT, "deals": _WHOLE})),
            "players": _list(_object({"name": _TEXT, **_COUNTED})),
            "places": _list(_object({"place": _TEXT, "calls": _WHOLE, "made": _WHOLE})),
        }
    ),
    "GameStatistics": _object(
        {
            "game_id": _TEXT,
            "names": _list(_TEXT),
            "sides": _list(_object({"name": _TEXT, **_COUNTED})),
            "seats": _list(_object({"name": _TEXT, "side": _WHOLE, **_COUNTED})),
            "scores": _list(_list(_WHOLE)),
        }
    ),
    "Health": _object(
        {"ok": _YES_NO, "table": _TEXT, "version": _WHOLE, "viewers": _WHOLE, "now_us": _WHOLE}
    ),
    "Document": _object({"openapi": _TEXT, "paths": {"type": "object"}}),
}  # fmt: skip

_COMMAND: Final = _object({"command": _object({"kind": _TEXT})}, expect_version=_or_null(_WHOLE))
_SHUFFLE: Final = _object(
    {
        "do": {
            "enum": ["start", "by_hand", "want", "stop", "stacked", "pass_done", "cleared"],
        }
    },
    seat=_WHOLE,
    passes=_WHOLE,
)
_CODES: Final = _object({}, change={"enum": [*HOLDERS, "all"]}, home=_YES_NO)
_KEEPER: Final = _object(
    {
        "kind": {"const": "upcard-keeper-game"}, "version": {"const": 1}, "id": _TEXT,
        "started_at_ms": _WHOLE, "names": _list(_TEXT), "target": _WHOLE, "lone_euchre": _WHOLE,
        "super_euchre": _YES_NO, "hands": _list({"type": "object"}),
    }
)  # fmt: skip

#: Method, path, what it is, the body it takes (None: none), and what it answers: the name of a
#: schema, or a type that is not JSON.
_ROUTES: Final[tuple[tuple[str, str, str, Schema | None, str], ...]] = (
    ("get", "/api/openapi.json", "This document.", None, "Document"),
    ("get", "/events", "The stream of snapshots (server-sent events).", None, "text/event-stream"),
    ("get", "/health", "How the kit is; 503 where something is wrong.", None, "Health"),
    ("get", "/evidence/{name}.jpg", "A picture by its hash.", None, "image/jpeg"),
    ("get", "/api/snapshot", "The table as everybody may see it.", None, "Snapshot"),
    ("get", "/api/me", "Who asks, and the token for taps.", None, "Me"),
    ("post", "/api/join", "Come in with a code.", _object({"code": _TEXT}), "Joined"),
    ("post", "/api/leave", "Only watch from now on.", _object({}), "MeAfter"),
    ("get", "/api/codes", "The codes this viewer may hand out.", None, "Codes"),
    ("post", "/api/codes", "New codes; whether the table rules itself.", _CODES, "MeAfter"),
    ("get", "/api/codes/{name}.svg", "A join link as a QR code.", None, "image/svg+xml"),
    ("post", "/api/command", "One tap: a command for the table.", _COMMAND, "Recorded"),
    ("get", "/api/deals/{number}", "A deal of the game on the table.", None, "Deal"),
    ("get", "/api/parts", "Which parts this kit has.", None, "Parts"),
    ("get", "/api/presets", "The presets of rules, in words.", None, "Presets"),
    ("get", "/api/doctor", "What the doctor finds.", None, "Doctor"),
    ("get", "/api/shuffle", "The shuffler's state.", None, "Shuffle"),
    ("post", "/api/shuffle", "Start, stop or overrule the shuffler.", _SHUFFLE, "ShuffleDone"),
    (
        "post", "/api/look", "Ask everybody to look at the table.", _object({"seat": _WHOLE}),
        "Called",
    ),
    (
        "post", "/api/calibrate", "Look through the camera, or keep what was found.",
        _object({"do": {"enum": ["look", "cards", "keep"]}}), "Looked",
    ),
    ("get", "/api/calibrate/picture.jpg", "The last look.", None, "image/jpeg"),
    ("post", "/api/clip", "Keep the last seconds as a clip.", _object({}), "Clip"),
    ("get", "/api/games", "The newest games.", None, "Games"),
    (
        "get", "/api/games/{game_id}",
        "A game's steps; with ?version=N a snapshot, as seen or (&view=truth) as true.", None,
        "Steps|Snapshot",
    ),
    ("get", "/api/games/{game_id}/moments", "What is worth jumping to.", None, "Moments"),
    ("get", "/api/games/{game_id}/ledger", "Its record, for mending.", None, "Ledger"),
    ("get", "/api/games/{game_id}/deals/{number}", "A deal as a diagram.", None, "Diagram"),
    ("get", "/api/games/{game_id}/exports", "What it can be written as.", None, "Exports"),
    ("get", "/api/games/{game_id}/export/{to}", "The file.", None, "*/*"),
    (
        "post", "/api/games/{game_id}/title", "Name a game.", _object({"title": _TEXT}),
        "Recorded",
    ),
    (
        "post", "/api/games/{game_id}/delete",
        "Delete a game for good; confirm is its id once more.", _object({"confirm": _TEXT}),
        "Deleted",
    ),
    (
        "post", "/api/import", "Take games in from the text of a file.", _object({"text": _TEXT}),
        "TakenIn",
    ),
    ("post", "/api/keeper", "Take in a game of the score keeper.", _KEEPER, "Kept"),
    ("get", "/api/statistics", "Figures over all games.", None, "Statistics"),
    ("get", "/api/statistics/{game_id}", "Figures of one game.", None, "GameStatistics"),
)  # fmt: skip

_IN_PATH: Final[Mapping[str, Schema]] = {"number": {"type": "integer", "minimum": 0}}


def document() -> dict[str, Any]:
    """The document as plain JSON values."""
    paths: dict[str, dict[str, Any]] = {}
    for method, path, what, body, told in _ROUTES:
        paths.setdefault(path, {})[method] = _operation(path, what, body, told)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Upcard's page",
            "version": "1",
            "description": (
                "Anybody may watch. Every POST takes a session, opened with a code at /api/join, "
                "and its token (from /api/me) in the header X-Upcard-Token."
            ),
        },
        "paths": paths,
        "components": {"schemas": dict(SCHEMAS)},
    }


def _operation(path: str, what: str, body: Schema | None, told: str) -> dict[str, Any]:
    names = [part.partition("}")[0] for part in path.split("{")[1:]]
    operation: dict[str, Any] = {
        "summary": what,
        "responses": {
            "200": {"description": "Done.", "content": _content(told)},
            "default": {
                "description": "Refused, with the reason in one sentence.",
                "content": _content("Refusal"),
            },
        },
    }
    if path == "/health":
        operation["responses"]["503"] = {
            "description": "Something is wrong.",
            "content": _content(told),
        }
    if names:
        operation["parameters"] = [
            {"name": name, "in": "path", "required": True, "schema": _IN_PATH.get(name, _TEXT)}
            for name in names
        ]
    if path == "/api/games/{game_id}":
        operation["parameters"] += [
            {"name": "version", "in": "query", "schema": {"type": "integer", "minimum": 0}},
            {"name": "view", "in": "query", "schema": {"enum": ["known", "truth"]}},
        ]
    if body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": body}},
        }
    return operation


def _content(told: str) -> dict[str, Any]:
    if "/" in told:
        return {told: {"schema": {}}}
    links = [{"$ref": f"#/components/schemas/{name}"} for name in told.split("|")]
    return {"application/json": {"schema": links[0] if len(links) == 1 else {"anyOf": links}}}


def openapi_routes() -> Blueprint:
    """``/api/openapi.json``."""
    routes = Blueprint("openapi", __name__)

    @routes.get("/api/openapi.json")
    def openapi() -> Response:
        return answer(200, document())

    return routes
