"""The card that lies at every seat: what the button means, what light and buzzer say.

Drawn from the same tables that drive them, as an A5 sheet: ``python -m pi.button_card`` prints
the SVG that lies in ``docs/builder/button-card.svg``.
"""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from pi.lights import CALLS, PATTERNS
from pi.ports import Call, Meaning, Press

#: For each press: its name, what it says in a word, and its meanings by occasion.
PRESSES: Final[dict[Press, tuple[str, str, tuple[tuple[str, str], ...]]]] = {
    "short": (
        "Short press",
        "yes",
        (
            ("The points are asked for", "mark them (any seat)"),
            ("You deal, a card is to be laid away", "it is laid away"),
            ("You deal, between deals", "start the shuffler, or: the pack is loaded, go on"),
        ),
    ),
    "long": (
        "Long press, one second",
        "stop",
        (
            ("The shuffler is at work", "stop it (any seat)"),
            ("You deal, and all passed twice", "throw the deal in"),
            ("Else", "everybody, look at the table"),
        ),
    ),
    "double": (
        "Two quick presses",
        "by hand, or back",
        (
            ("You deal, between deals", "I shuffled by hand"),
            ("The shuffler waits for you", "the rest was done by hand"),
            ("Else", "take back what this button did last"),
        ),
    ),
}
LIGHTS: Final[dict[Meaning, str]] = {
    "turn": "steady: your turn",
    "dealer": "a wink now and then: you deal",
    "attention": "quick blinking: you are asked",
}
SOUNDS: Final[dict[Call, str]] = {
    "taken": "your press was taken",
    "refused": "not taken: the page says why",
    "asked": "a question waits on the page",
    "next": "the shuffler waits for hands",
    "look": "somebody asks you to look",
    "proved": "the rules found something",
    "over": "the game is over",
}

_WIDTH: Final = 210
_HEIGHT: Final = 148
#: How much time a drawn rhythm shows, in microseconds, and how long it is on paper.
_SHOWN_US: Final = 2_000_000
_RHYTHM_MM: Final = 34.0


def svg() -> str:
    """The card, 210 by 148 mm."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}mm" height="{_HEIGHT}mm" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="Helvetica, Arial, sans-serif">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        _text(10, 14, "Your button, your light", size=8, weight="bold"),
        _text(_WIDTH - 10, 14, "Upcard", size=5, anchor="end", fill="#666"),
    ]
    y = 24.0
    for name, word, meanings in PRESSES.values():
        parts.append(_text(10, y, name, size=4.6, weight="bold"))
        parts.append(_text(_WIDTH - 10, y, word, size=4.6, anchor="end", fill="#666"))
        for occasion, does in meanings:
            y += 5.6
            parts.append(_text(14, y, occasion, size=3.9))
            parts.append(_text(88, y, does, size=3.9))
        y += 4
        parts.append(f'<path d="M10 {y - 1.2:.1f}H{_WIDTH - 10}" stroke="#bbb" stroke-width=".3"/>')
        y += 4.6
    top = y + 1
    parts.append(_text(10, top, "Light", size=4.6, weight="bold"))
    for number, (meaning, told) in enumerate(LIGHTS.items(), start=1):
        row = top + 6.4 * number
        parts.extend(_rhythm(14, row, _flashes(meaning)))
        parts.append(_text(52, row, told, size=3.6))
    parts.append(_text(118, top, "Buzzer", size=4.6, weight="bold"))
    for number, (call, told) in enumerate(SOUNDS.items(), start=1):
        row = top + 5.2 * number
        parts.extend(_rhythm(122, row, _tones(CALLS[call]), scale=0.62))
        parts.append(_text(147, row, told, size=3.4))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _flashes(meaning: Meaning) -> list[tuple[int, int]]:
    """When the light is on: (from, to) in microseconds of the time that is shown."""
    period_us, on_us = PATTERNS[meaning]
    if on_us >= period_us:
        return [(0, _SHOWN_US)]
    return [(start, start + on_us) for start in range(0, _SHOWN_US, period_us)]


def _tones(lengths: tuple[int, ...]) -> list[tuple[int, int]]:
    tones: list[tuple[int, int]] = []
    at_us = 0
    for number, length_us in enumerate(lengths):
        if number % 2 == 0:
            tones.append((at_us, at_us + length_us))
        at_us += length_us
    return tones


def _rhythm(x: float, y: float, on: list[tuple[int, int]], *, scale: float = 1.0) -> list[str]:
    long_mm = _RHYTHM_MM * scale
    drawn = [
        f'<rect x="{x:.1f}" y="{y - 3:.1f}" width="{long_mm:.1f}" height="3" fill="none" '
        'stroke="#bbb" stroke-width=".2"/>'
    ]
    for start, end in on:
        left, wide = start / _SHOWN_US * _RHYTHM_MM, (end - start) / _SHOWN_US * _RHYTHM_MM
        drawn.append(
            f'<rect x="{x + left:.2f}" y="{y - 3:.1f}" width="{wide:.2f}" height="3" fill="#111"/>'
        )
    return drawn


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: float,
    weight: str = "normal",
    anchor: str = "start",
    fill: str = "#111",
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}" fill="{fill}">{escape(words)}</text>'
    )


if __name__ == "__main__":
    print(svg(), end="")
