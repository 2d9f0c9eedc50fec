"""How mixed a pack is after so many passes of the shuffler.

If each card goes left or right by an independent fair coin, a pass is one inverse riffle, and
after ``a`` passes an order with ``r`` rising sequences has probability
C(2^a + n - r, n) / 2^(a n) (Bayer and Diaconis 1992, theorem 1). The distance from uniform is
half the sum over all orders of |probability - 1/n!|, and there are Eulerian-number many orders
with ``r`` rising sequences, so the sum is exact and short.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb, factorial
from typing import Final

from engine.errors import EngineError

MOST_CARDS: Final = 104  # the shuffler's load
MOST_PASSES: Final = 64


class BadOdds(EngineError, ValueError):
    """A pack or a number of passes that cannot be."""


@lru_cache(maxsize=8)
def _orders_by_rising_sequences(cards: int) -> tuple[int, ...]:
    """How many orders of ``cards`` have 1, 2, ... rising sequences: the Eulerian numbers."""
    row = [1]
    for n in range(2, cards + 1):
        row = [
            (k + 1) * (row[k] if k < n - 1 else 0) + (n - k) * (row[k - 1] if k else 0)
            for k in range(n)
        ]
    return tuple(row)


def total_variation(*, cards: int, passes: int) -> float:
    """Distance of the pack's order from uniform, 0 (mixed) to 1; exact before rounding.

    Raise :class:`BadOdds` unless 1 <= cards <= 104 and 0 <= passes <= 64.
    """
    if not 1 <= cards <= MOST_CARDS:
        raise BadOdds(f"{cards} cards: the shuffler takes 1 to {MOST_CARDS}")
    if not 0 <= passes <= MOST_PASSES:
        raise BadOdds(f"{passes} passes: give a number from 0 to {MOST_PASSES}")
    piles = 2**passes
    uniform = Fraction(1, factorial(cards))
    total = sum(
        (
            orders * abs(Fraction(comb(piles + cards - rising, cards), piles**cards) - uniform)
            for rising, orders in enumerate(_orders_by_rising_sequences(cards), start=1)
        ),
        start=Fraction(0),
    )
    return float(total / 2)
