"""The faces of diamonds and clubs for people who asked for four colours of suits.

Drawn from the two-colour faces by changing their ink, so that there is one drawing of a card.
The colours are those of ``people.css``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from flask import Blueprint, Response

from engine.wording import say
from web_dashboard.answers import refusal_said
from web_dashboard.files import STATIC, page_text

_FACES: Final = STATIC / "cards"
_NAME: Final = re.compile(r"[2-9TJQKA][dc]")
#: The ink of a suit in the drawings, and what stands in its place.
_INKS: Final = {"d": ("#c8142d", "#1a3fb8"), "c": ("#16161a", "#1d7065")}
#: Outlines of court cards are drawn in the black of clubs and stay; letters have thicker lines.
_LETTER_STROKE_MM: Final = 0.8


@lru_cache(maxsize=32)
def four_colour_face(card: str) -> str:
    """The drawing (SVG) of a diamond or club, such as ``Kd``; raises FileNotFoundError."""
    if not _NAME.fullmatch(card):
        raise FileNotFoundError(f"{card!r} is no diamond or club: those are 2d to Ad, 2c to Ac")
    old, new = _INKS[card[1]]
    drawn = page_text(_FACES / f"{card}.svg")
    drawn = drawn.replace(f'fill="{old}"', f'fill="{new}"')

    def letter(stroke: re.Match[str]) -> str:
        thick = float(stroke[1]) >= _LETTER_STROKE_MM
        return stroke[0].replace(old, new) if thick else stroke[0]

    return re.sub(rf'stroke="{old}" stroke-width="([0-9.]+)"', letter, drawn)


def face_routes() -> Blueprint:
    """``/cards/four/<card>.svg``."""
    routes = Blueprint("faces", __name__)

    @routes.get("/cards/four/<card>.svg")
    def face(card: str) -> Response:
        try:
            drawn = four_colour_face(card)
        except FileNotFoundError as missing:
            return refusal_said(404, "unknown", say("words", words=str(missing)))
        response = Response(drawn, mimetype="image/svg+xml")
        response.headers["Cache-Control"] = "private, max-age=3600"
        return response

    return routes
