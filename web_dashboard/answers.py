"""The JSON the page answers with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from flask import Response
from werkzeug.exceptions import NotFound

from engine.commands import Rejected
from engine.wording import Arg, Names, Sentence, english, say_json, worded


def as_line(value: Any) -> str:
    """``value`` as JSON on one line, as an event stream needs it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def within_html(line: str) -> str:
    """JSON that may stand within a script element: nothing in it can end the element."""
    return line.replace("<", "\\u003c")


def answer(status: int, value: Any) -> Response:
    """``value`` as a JSON response."""
    return Response(as_line(value), status=status, mimetype="application/json")


def refusal(status: int, code: str, template: str, /, **args: Arg) -> Response:
    """A refusal said in one sentence for people; ``code`` is for programs.

    ``template`` is the English and the key of its translations (:func:`engine.wording.worded`).
    """
    return refusal_said(status, code, worded(template, **args))


def refusal_said(
    status: int, code: str, said: Sentence, names: Names = (), **more: Any
) -> Response:
    """:func:`refusal` with a sentence made elsewhere, which may speak of players by ``names``."""
    reason = english(said, names) if names else english(said)
    told = {"accepted": False, "code": code, "reason": reason, "say": say_json(said)}
    return answer(status, told | more)


#: A tap that came too late or out of place is a conflict with the table's state.
_STATUS: Final = {"malformed": 400, "unknown": 404, "stale": 409, "not_now": 409}


def rejection(rejected: Rejected) -> Response:
    """What the table answers to a command it did not take."""
    told: dict[str, Any] = {
        "accepted": False,
        "code": rejected.code,
        "reason": rejected.reason,
        "say": say_json(rejected.said),
    }
    if rejected.meanwhile:
        told["meanwhile"] = list(rejected.meanwhile)
        told["say_meanwhile"] = [say_json(said) for said in rejected.meanwhile_said]
    return answer(_STATUS.get(rejected.code, 409), told)


def names_in(snapshot: Mapping[str, Any]) -> tuple[str, ...]:
    """The players' names, by seat."""
    return tuple(str(seat["name"]) for seat in snapshot.get("seats") or ())


class Absent(NotFound):
    """What was asked for is not there; the page or the JSON says so in the reader's language."""

    def __init__(self, template: str, /, **args: Arg) -> None:
        self.said = worded(template, **args)
        super().__init__(description=english(self.said))


def no_game(game_id: str) -> Absent:
    """No game of that id is recorded; where the log lies on the disk is nobody's business here."""
    return Absent("there is no game {value} here", value=repr(game_id))
