"""What stands at the place of a rank on some card and is no rank of ours.

Courts of other languages, numbers, letters of other alphabets, signs. The classifier is
taught that all of it is *none*; some letters are kept from training to show how it fares
with those it never saw.
"""

from __future__ import annotations

import numpy as np

#: Courts and aces of the decks people own: German, Dutch, French, Italian, Scandinavian,
#: Polish, Hungarian, Turkish, Greek, Russian. The first are the ones met most.
COURTS = (
    "B", "D", "V", "R", "B", "D", "V", "R", "B", "D", "1", "В", "Д", "Т", "Kn", "H", "W", "F",
    "C", "E", "P", "G", "U", "N", "Va", "Da", "Ro", "Bu", "Re", "Ob", "Un", "Ca", "Fa", "Kg",
    "11", "12", "13", "14", "0", "Ν", "Ρ", "Β",
)  # fmt: skip
#: Any other letter, number or sign that print puts over a suit. No Ä and no Å: no deck has them,
#: and an A with something over it is an A to most who see it small.
OTHERS = (
    *"CEFGHILMNPRTUVWXY", *"abdehnprtuvmwxy", *"ÖÜÑŁÞÈÊËÎ", *"ΓΔΠΣΦΨΩ",
    *"БВГДЖЙЛПТУФХЦЪЮЯ", *"&§€#+=!<>/*$", "XI", "IX", "VI", "XII", "II", "III", "IV",
    "15", "16", "18", "19", "20", "21", "22", "24", "25", "30", "31", "50", "100", "00", "01",
    "07", "66", "77", "88", "99", "55", "DD", "Bb", "BB", "RR", "VV", "Kr", "Dm", "Ku",
)  # fmt: skip
#: These pass for a rank of ours in some font (S for 5, Z for 2, O for Q, ? for 7, g and q for
#: 9). They are shown seldom, and large: at ten pixels a 5 must stay a 5.
PASSING = ("S", "Z", "O", "?", "З", "б", "g", "q", "Ч", "o", "s", "z", "l", "f")
#: Never trained, neither alone nor in a pair.
HELD_OUT_LETTERS = (
    "Ø", "Ð", "ß", "Æ", "Ç", "Ő", "Ž", "¥", "£", "¢", "Θ", "Ξ", "Λ", "И", "Э", "Ш", "Щ", "Ы",
    "¶", "@", "%", "17", "23", "42", "Ha", "Fr", "Le", "Wo", "Mi", "k", "j", "i",
)  # fmt: skip
_KEPT = set(HELD_OUT_LETTERS)
_UNSAID = _KEPT | {c.upper() for c in _KEPT} | {c.lower() for c in _KEPT} | set(PASSING)
#: First and last of rows of letters and signs that fonts hold besides: nobody prints most of
#: them on cards, and the more kinds are none, the better the unknown is told.
_ROWS = (
    (0x00C0, 0x017F), (0x0391, 0x03C9), (0x0402, 0x045F), (0x0490, 0x04FF), (0x0531, 0x0556),
    (0x05D0, 0x05EA), (0x10A0, 0x10F0), (0x1E02, 0x1EF3), (0x20A0, 0x20BF), (0x2100, 0x214B),
    (0x2190, 0x21FF), (0x2200, 0x22FF), (0x2460, 0x2473), (0x25A0, 0x25FF), (0x2C80, 0x2CB1),
)  # fmt: skip
_PAIR_FIRST = "BCDEFGHLMNPRSTUVWXZ"
_PAIR_SECOND = "aeiourntlmdgBDRVEN"


def any_letter(rng: np.random.Generator) -> str:
    """A letter or sign of any row but the held-out ones; many fonts lack it."""
    while True:
        first, last = _ROWS[int(rng.integers(len(_ROWS)))]
        letter = chr(int(rng.integers(first, last + 1)))
        if not {letter, letter.upper(), letter.lower()} & _UNSAID:
            return letter


def foreign_rank(rng: np.random.Generator, *, large: bool = True) -> str:
    """Something at a rank's place that is none of ours.

    ``large``: the index is big enough (some 16 px) for what passes for a rank to be told.
    """
    kind = rng.random()
    if kind < 0.6:
        return str(COURTS[int(rng.integers(len(COURTS)))])
    if kind < 0.9:
        return str(OTHERS[int(rng.integers(len(OTHERS)))])
    if kind < 0.94 and large:
        return str(PASSING[int(rng.integers(len(PASSING)))])
    while True:
        if rng.random() < 0.5:
            text = str(int(rng.integers(11, 100)))
        else:
            text = _PAIR_FIRST[int(rng.integers(len(_PAIR_FIRST)))]
            text += _PAIR_SECOND[int(rng.integers(len(_PAIR_SECOND)))]
        if text not in _KEPT:
            return text


def strange_partner(rank: str, rng: np.random.Generator) -> str | None:
    """A rank that, drawn over ``rank``, makes what is no rank; None for 8, which holds others."""
    if rank == "8":
        return None
    return str(rng.choice([c for c in "2345679JQKA" if c != rank]))
