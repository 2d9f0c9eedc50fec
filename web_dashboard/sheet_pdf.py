"""The score sheet as a PDF: the very drawing of :mod:`web_dashboard.score_sheet`, put on paper.

A PDF of text and lines needs no library: the format is public (ISO 32000), and every reader has
Helvetica and Symbol of its own. What those have no letters for is said instead of printed wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

#: Pixels of the drawing, 96 to the inch, as points of the page, 72 to the inch.
_SCALE: Final = 0.75
#: A4 upright, in points.
PAGE: Final = (595.28, 841.89)

#: How the drawing's classes look: the size, whether bold, and the ink.
_SIZES: Final = {"t": 30, "s": 15, "h": 13, "c": 15, "n": 58, "o": 17}
_BOLD: Final = frozenset("tbhno")
_INK: Final = "0.114 0.102 0.086"
_SOFT: Final = "0.353 0.325 0.278"
_RED: Final = "0.722 0.075 0.153"

#: Where Symbol and ZapfDingbats keep the signs of the sheet.
_SIGNS: Final = {
    "♣": ("S", 0xA7), "♦": ("S", 0xA8), "♥": ("S", 0xA9), "♠": ("S", 0xAA), "∅": ("S", 0xC6),
    "★": ("Z", 0x48), "−": ("S", 0x2D),
}  # fmt: skip
#: Widths in Helvetica, thousandths of the size, from space to tilde; and of the signs.
_WIDTHS: Final = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_SIGN_WIDTHS: Final = {"♣": 753, "♦": 753, "♥": 753, "♠": 753, "∅": 823, "★": 816, "−": 549}

_TEXT: Final = re.compile(
    r'<text x="([\d.]+)" y="([\d.]+)" class="([a-z ]+)"( text-anchor="end")?>([^<]*)</text>'
)
_LINE: Final = re.compile(r'<path d="M([\d.]+) ([\d.]+)H([\d.]+)"')


@dataclass(frozen=True, slots=True)
class _Words:
    x: float
    y: float
    cls: frozenset[str]
    at_end: bool
    text: str


def unwritable(svg: str) -> str:
    """The letters of the sheet that the PDF's fonts do not have, each once."""
    found = "".join(words.text for words in _words(svg))
    return "".join(dict.fromkeys(c for c in found if c not in _SIGNS and _encoded(c) is None))


def pdf_of(svg: str) -> str:
    """The drawing on A4, a longer one on as many pages as it takes; the file is plain ASCII."""
    top = 0.0
    height_px = PAGE[1] / _SCALE
    words = list(_words(svg))
    lines = [tuple(float(n) for n in found) for found in _LINE.findall(svg)]
    pages = []
    while not pages or any(top <= w.y for w in words):
        # A row is not cut in two: what does not fit whole goes to the next page.
        end = top + height_px - 40
        shown = [_drawn(w, top) for w in words if top <= w.y < end]
        shown += [_ruled(x0, y - top, x1) for x0, y, x1 in lines if top <= y < end]
        pages.append("\n".join(shown).encode("ascii"))
        top = end
    return _file(pages).decode("ascii")


def _words(svg: str) -> Iterator[_Words]:
    for x, y, cls, end, text in _TEXT.findall(svg):
        # A letter and its accent as one, where there is such a one.
        plain = unicodedata.normalize("NFC", unescape(text))
        yield _Words(float(x), float(y), frozenset(cls.split()), bool(end), plain)


def _encoded(letter: str) -> bytes | None:
    try:
        return letter.encode("cp1252")
    except UnicodeEncodeError:
        return None


def _runs(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces of one font each: ``H`` Helvetica, ``S`` Symbol, ``Z`` ZapfDingbats."""
    for found in re.finditer(f"[{''.join(_SIGNS)}]|[^{''.join(_SIGNS)}]+", text):
        yield (_SIGNS[found[0]][0] if found[0] in _SIGNS else "H"), found[0]


def _width(text: str, size: float) -> float:
    return (
        size
        / 1000
        * sum(
            _SIGN_WIDTHS.get(c) or (_WIDTHS[ord(c) - 32] if " " <= c <= "~" else 556) for c in text
        )
    )


def _drawn(words: _Words, top: float) -> str:
    size = next(_SIZES[c] for c in "tshcno" if c in words.cls) * _SCALE
    bold = bool(words.cls & _BOLD)
    ink = _RED if "red" in words.cls else _SOFT if words.cls & {"s", "h"} else _INK
    x = words.x * _SCALE - (_width(words.text, size) if words.at_end else 0)
    y = PAGE[1] - (words.y - top) * _SCALE
    told = [f"BT {ink} rg {x:.2f} {y:.2f} Td"]
    for font, run in _runs(words.text):
        if font == "H":
            name, codes = ("B" if bold else "H"), run.encode("cp1252", "replace")
        else:
            name, codes = font, bytes([_SIGNS[run][1]])
        told.append(f"/{name} {size:g} Tf <{codes.hex()}> Tj")
    return " ".join([*told, "ET"])


def _ruled(x0: float, y: float, x1: float) -> str:
    height = PAGE[1] - y * _SCALE
    return (
        f"0.835 0.8 0.725 RG 0.75 w {x0 * _SCALE:.2f} {height:.2f} m "
        f"{x1 * _SCALE:.2f} {height:.2f} l S"
    )


def _file(pages: list[bytes]) -> bytes:
    fonts = {"H": "Helvetica", "B": "Helvetica-Bold", "S": "Symbol", "Z": "ZapfDingbats"}
    first_font = 3
    first_page = first_font + len(fonts)
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
    ]
    for name, font in fonts.items():
        encoding = " /Encoding /WinAnsiEncoding" if name in "HB" else ""
        objects.append(f"<< /Type /Font /Subtype /Type1 /BaseFont /{font}{encoding} >>".encode())
    paper = f"/MediaBox [0 0 {PAGE[0]} {PAGE[1]}]"
    named = " ".join(f"/{name} {first_font + n} 0 R" for n, name in enumerate(fonts))
    for n, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R {paper} "
            f"/Contents {first_page + 2 * n + 1} 0 R "
            f"/Resources << /Font << {named} >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page))
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    size = len(objects) + 1
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, table_at)
    return bytes(out)
