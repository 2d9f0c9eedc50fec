"""The mixing figures against RULES.md's table and against counting every order of a small pack."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest

from engine.odds import BadOdds, total_variation

#: RULES.md, "The shuffler": distance after 1, 2, ... passes.
TABLE = {
    24: "1.000 1.000 .998 .723 .418 .211 .109 .055 .028 .014",
    25: "1.000 1.000 .999 .775 .437 .231 .114 .056 .028 .014",
    28: "1.000 1.000 1.000 .855 .517 .259 .136 .069 .035 .017",
    32: "1.000 1.000 1.000 .929 .597 .322 .164 .084 .042 .021",
    52: "1.000 1.000 1.000 1.000 .924 .614 .334 .167 .085 .043",
}


@pytest.mark.parametrize(
    ("cards", "passes", "figure"),
    [(n, a, float(f)) for n, row in TABLE.items() for a, f in enumerate(row.split(), start=1)],
)
def test_the_distance_is_the_one_of_the_rules_table(cards, passes, figure):
    assert total_variation(cards=cards, passes=passes) == pytest.approx(figure, abs=0.00051)


@pytest.mark.parametrize(
    ("passes", "figure"), [(6, 0.988), (7, 0.772), (8, 0.454), (9, 0.237), (10, 0.119)]
)
def test_two_packs_of_fifty_two_take_longer(passes, figure):
    assert total_variation(cards=104, passes=passes) == pytest.approx(figure, abs=0.00051)


@pytest.mark.parametrize("cards", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_the_distance_is_what_dealing_into_piles_by_every_coin_gives(cards, passes):
    orders = Counter({tuple(range(cards)): 1})
    for _ in range(passes):
        after: Counter[tuple[int, ...]] = Counter()
        for order, weight in orders.items():
            for coins in product((0, 1), repeat=cards):
                left = [c for c, coin in zip(order, coins, strict=True) if coin == 0]
                right = [c for c, coin in zip(order, coins, strict=True) if coin == 1]
                after[(*left, *right)] += weight
        orders = after
    every = sum(orders.values())
    all_orders = list(permutations(range(cards)))
    brute = sum(abs(orders[o] / every - 1 / len(all_orders)) for o in all_orders) / 2
    assert total_variation(cards=cards, passes=passes) == pytest.approx(brute)


@pytest.mark.parametrize(("cards", "passes"), [(0, 3), (105, 3), (24, -1), (24, 65)])
def test_a_pack_or_passes_that_cannot_be_are_refused(cards, passes):
    with pytest.raises(BadOdds, match=str(cards if not 1 <= cards <= 104 else passes)):
        total_variation(cards=cards, passes=passes)
