"""Tables in plain text and charts in SVG, written here: no plotting package is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

_COLOURS = ("#1b6ca8", "#c8102e", "#2e7d32", "#b26a00", "#6a3d9a", "#00838f", "#8d6e63", "#455a64")
_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 190, 44, 52


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] | None = None) -> str:
    """Rows as a Markdown table whose columns line up."""
    if not rows:
        return "(nothing)"
    names = list(columns or rows[0])
    cells = [[str(row.get(name, "")) for name in names] for row in rows]
    wide = [max(len(n), *(len(c[k]) for c in cells)) for k, n in enumerate(names)]
    lines = [
        "| " + " | ".join(n.ljust(w) for n, w in zip(names, wide, strict=True)) + " |",
        "|" + "|".join("-" * (w + 2) for w in wide) + "|",
    ]
    lines += [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, wide, strict=True)) + " |"
        for line in cells
    ]
    return "\n".join(lines)


def bound(wrong: int, count: int) -> str:
    """The 95% bound on the share of errors, as text: 3/n where none was seen (rule of three)."""
    if count == 0:
        return "no reading"
    if wrong == 0:
        return f"under {_short(min(300 / count, 100))}%"
    # Wilson's upper bound, one-sided 95%: simple, and never below the share itself
    z = 1.645
    share = wrong / count
    middle = share + z * z / (2 * count)
    spread = z * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    return f"under {_short(100 * (middle + spread) / (1 + z * z / count))}%"


def _short(value: float) -> str:
    """Two digits that count, without an exponent."""
    return f"{float(f'{value:.2g}'):g}"


def chart(
    path: Path,
    *,
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    ticks: Sequence[float] | None = None,
    low: float = 0.0,
    high: float = 100.0,
    diagonal: bool = False,
    evenly: bool = False,
) -> None:
    """Write a line chart. ``evenly``: the points of a ladder stand at even distances.

    ``ticks`` are the marked places of the x axis (default: every x that occurs).
    """
    places = sorted({x for line in series.values() for x, _ in line})
    marks = list(ticks if ticks is not None else places)
    if evenly:
        marks = list(dict.fromkeys(x for line in series.values() for x, _ in line))
    if not places:
        return
    first, last = (0.0, float(len(marks) - 1)) if evenly else (min(marks), max(marks))

    def across(x: float) -> float:
        at = float(marks.index(x)) if evenly else x
        return _LEFT + (at - first) / ((last - first) or 1) * (_WIDTH - _LEFT - _RIGHT)

    def down(y: float) -> float:
        share = (min(max(y, low), high) - low) / (high - low)
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-size="15">{escape(title)}</text>',
    ]
    for k in range(6):
        y = low + (high - low) * k / 5
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{down(y):.1f}" y2="{down(y):.1f}" '
            f'stroke="#ddd"/><text x="{_LEFT - 8}" y="{down(y) + 4:.1f}" '
            f'text-anchor="end">{y:g}</text>'
        )
    for x in marks:
        parts.append(
            f'<text x="{across(x):.1f}" y="{_HEIGHT - _BOTTOM + 18}" '
            f'text-anchor="middle">{x:g}</text>'
        )
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 12}" '
        f'text-anchor="middle">{escape(x_label)}</text>'
        f'<text x="16" y="{_HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 16 {_HEIGHT / 2})">{escape(y_label)}</text>'
    )
    if diagonal:
        parts.append(
            f'<line x1="{across(low):.1f}" y1="{down(low):.1f}" x2="{across(high):.1f}" '
            f'y2="{down(high):.1f}" stroke="#999" stroke-dasharray="4 4"/>'
        )
    for k, (name, line) in enumerate(series.items()):
        colour = _COLOURS[k % len(_COLOURS)]
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in line)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts += [
            f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="3" fill="{colour}"/>'
            for x, y in line
        ]
        y = _TOP + 18 * k
        parts.append(
            f'<line x1="{_WIDTH - _RIGHT + 14}" x2="{_WIDTH - _RIGHT + 32}" y1="{y}" y2="{y}" '
            f'stroke="{colour}" stroke-width="3"/><text x="{_WIDTH - _RIGHT + 38}" '
            f'y="{y + 4}">{escape(name)}</text>'
        )
    parts.append("</svg>")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")
