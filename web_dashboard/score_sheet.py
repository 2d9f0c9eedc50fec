"""The score sheet of a game as a picture: an SVG of its own, to keep, send or print.

Drawn from a snapshot alone, like the page, so every game of another shape has one too. A4
upright; a longer game makes a longer sheet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from typing import Any, Final

from engine.cards import SUIT_NAMES, Suit
from engine.wording import dashed

#: A4 at 96 dots an inch, upright.
WIDTH_PX: Final = 794
_LEAST_HEIGHT_PX: Final = 1123
_MARGIN_PX: Final = 48
_ROW_PX: Final = 30
_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠", "n": "∅"}
_STYLE: Final = (
    "text{font-family:Inter,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#1d1a16}"
    ".t{font-size:30px;font-weight:800}.s{font-size:15px;fill:#5a5347}"
    ".h{font-size:13px;font-weight:700;fill:#5a5347}.c{font-size:15px}"
    ".b{font-weight:800}.n{font-size:58px;font-weight:800}.red{fill:#b81327}"
    ".o{font-size:17px;font-weight:700}"
)


def sheet_svg(view: Mapping[str, Any], *, title: str = "") -> str:
    """The sheet of the game that ``view`` shows, a snapshot at its newest version."""
    sides = view.get("sides") or []
    deals = [deal for deal in view.get("deals") or [] if deal.get("points") is not None]
    game = view.get("game") or {}
    body: list[str] = []
    y = _MARGIN_PX + 30
    body.append(_text(_MARGIN_PX, y, title or "Euchre", "t"))
    y += 26
    body.append(_text(_MARGIN_PX, y, _when(game), "s"))
    y += 36
    y = _scores(body, sides, game, y)
    columns = _columns(len(sides))
    y = _heads(body, sides, columns, y)
    for deal in deals:
        y = _row(body, deal, view, columns, y)
    if not deals:
        body.append(_text(_MARGIN_PX, y + 22, "No deal was scored.", "s"))
        y += _ROW_PX
    for note in _notes(view):
        y += 22
        body.append(_text(_MARGIN_PX, y, note, "s"))
    height = max(_LEAST_HEIGHT_PX, y + _MARGIN_PX)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH_PX}" height="{height}" '
        f'viewBox="0 0 {WIDTH_PX} {height}" role="img" aria-label="Score sheet">'
        f"<style>{_STYLE}</style>"
        f'<rect width="{WIDTH_PX}" height="{height}" fill="#fffdf8"/>' + "".join(body) + "</svg>\n"
    )


def _when(game: Mapping[str, Any]) -> str:
    began = datetime.fromtimestamp(int(game.get("started_at_us") or 0) / 1_000_000, tz=UTC)
    goal = "down to 0" if game.get("counts") == "down" else f"to {game.get('target')}"
    rules = str(game.get("preset") or "").replace("_", " ")
    return f"{began:%d %B %Y, %H:%M} UTC · {rules} rules, {goal} · game {game.get('id')}"


def _scores(
    body: list[str], sides: Sequence[Mapping[str, Any]], game: Mapping[str, Any], y: int
) -> int:
    """The score in large, a side beside the other; answers where the next line goes."""
    wide = (WIDTH_PX - 2 * _MARGIN_PX) / max(1, len(sides))
    for n, side in enumerate(sides):
        x = _MARGIN_PX + n * wide
        won = game.get("over") and game.get("winner") == side["side"]
        name = _cut(f"{side['name']}{' ★' if won else ''}", int(wide / 9))
        body.append(_text(x, y, name, "o"))
        body.append(_text(x, y + 56, dashed([side["score"]]), "n"))
    return y + 92


#: Where each column begins, its heading; the sides' own columns follow.
_COMMON: Final = ((0, "Deal"), (52, "Dealer"), (150, "Trump"), (240, "Made by"), (372, "Result"))


def _columns(sides: int) -> list[float]:
    """Where the column of each side ends."""
    first, last = 520.0, float(WIDTH_PX - 2 * _MARGIN_PX)
    if sides < 2:
        return [last]
    return [first + (last - first) * n / (sides - 1) for n in range(sides)]


def _heads(
    body: list[str], sides: Sequence[Mapping[str, Any]], columns: Sequence[float], y: int
) -> int:
    body.extend(_text(_MARGIN_PX + x, y, word, "h") for x, word in _COMMON)
    for side, x in zip(sides, columns, strict=False):
        name = _cut(_initials(str(side["name"]), len(sides)), 9)
        body.append(_text(_MARGIN_PX + x, y, name, "h", "end"))
    body.append(_line(y + 9))
    return y + 12


def _row(
    body: list[str],
    deal: Mapping[str, Any],
    view: Mapping[str, Any],
    columns: Sequence[float],
    y: int,
) -> int:
    base = y + 21
    body.append(_text(_MARGIN_PX, base, str(deal["number"]), "c b"))
    body.append(_text(_MARGIN_PX + 52, base, _cut(_seat(view, deal.get("dealer")), 11), "c"))
    trump = deal.get("trump")
    if trump is not None:
        name = "no trump" if trump == "n" else SUIT_NAMES[Suit(trump)]
        cls = "c red" if trump in "dh" else "c"
        body.append(_text(_MARGIN_PX + 150, base, f"{_SIGNS[trump]} {name}", cls))
    maker = "–" if deal.get("maker") is None else _seat(view, deal["maker"])
    alone = ", alone" if deal.get("alone") else ""
    bid = f", bid {deal['bid']}" if deal.get("bid") else ""
    body.append(_text(_MARGIN_PX + 240, base, _cut(f"{maker}{alone}{bid}", 16), "c"))
    result = str(deal.get("result") or "").replace("_", " ")
    body.append(_text(_MARGIN_PX + 372, base, _cut(result, 14), "c"))
    for points, score, x in zip(deal["points"], deal["score"], columns, strict=False):
        # Five and six columns have room for the score alone; bold says who moved.
        roomy = len(columns) < 5
        moved = f" ({'+' if points > 0 else '−'}{abs(points)})" if points and roomy else ""
        cls = "c b" if points else "c"
        body.append(_text(_MARGIN_PX + x, base, f"{dashed([score])}{moved}", cls, "end"))
    body.append(_line(y + _ROW_PX))
    return y + _ROW_PX


def _notes(view: Mapping[str, Any]) -> list[str]:
    """What else a reader of the sheet should know: upheld findings, questions still open."""
    notes = [
        f"Deal {finding['deal']}: {finding['text']} ({finding['status']})"
        for finding in view.get("findings") or []
        if finding.get("status") == "upheld"
    ]
    waiting = len(view.get("reviews") or [])
    if waiting:
        notes.append(f"{waiting} readings wait for an answer.")
    return [_cut(note, 96) for note in notes]


def _seat(view: Mapping[str, Any], seat: int | None) -> str:
    for known in view.get("seats") or []:
        if known["seat"] == seat:
            return str(known["name"])
    return ""


def _initials(name: str, sides: int) -> str:
    """A pair by the first letters of its names, where two pairs play."""
    return "/".join(word[:1] for word in name.split(" and ")) if sides == 2 else name


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(x: float, y: float, words: str, cls: str, anchor: str = "start") -> str:
    end = ' text-anchor="end"' if anchor == "end" else ""
    return f'<text x="{x:g}" y="{y:g}" class="{cls}"{end}>{escape(words)}</text>'


def _line(y: float) -> str:
    return (
        f'<path d="M{_MARGIN_PX} {y:g}H{WIDTH_PX - _MARGIN_PX}" stroke="#d5ccb9" stroke-width="1"/>'
    )
