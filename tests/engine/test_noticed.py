"""What players can notice, against every digit string of small packs and the exact distance."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb

import pytest

from engine.noticed import (
    KITTY,
    UPCARD,
    Pattern,
    main,
    measure,
    noticed,
    pattern,
    shortfall,
    ways,
)
from engine.odds import total_variation

SMALL: tuple[Pattern, ...] = (
    ((0, 1), (1, 1), (2, 1), (3, 1)),
    ((0, 2), (1, 1), (0, 1), (1, 2)),
    ((0, 1), (1, 2), (2, 1), (0, 2)),
    ((0, 3), (1, 3)),
)


def deals_by_every_digit(packets: Pattern, digits: int) -> Counter[tuple[int, ...]]:
    """Every string of digits, sorted: to whom each card of the old pack comes."""
    places = [holder for holder, size in packets for _ in range(size)]
    return Counter(
        tuple(places[at] for at in sorted(range(len(places)), key=lambda n: (drawn[n], n)))
        for drawn in product(range(digits), repeat=len(places))
    )


@pytest.mark.parametrize("packets", SMALL)
@pytest.mark.parametrize("digits", [1, 2, 3, 4])
def test_the_ways_are_counted_as_every_string_of_digits_counts_them(
    packets: Pattern, digits: int
) -> None:
    places = [holder for holder, size in packets for _ in range(size)]
    by_hand = deals_by_every_digit(packets, digits)
    for deal in set(permutations(places)):
        counts = ways(deal, packets)
        assert sum(count * comb(digits, k) for k, count in enumerate(counts)) == by_hand[deal]


@pytest.mark.parametrize("packets", SMALL)
@pytest.mark.parametrize("passes", [1, 2])
def test_the_mean_over_all_fair_deals_is_the_distance(packets: Pattern, passes: int) -> None:
    places = [holder for holder, size in packets for _ in range(size)]
    deals = sorted(set(permutations(places)))
    by_hand = deals_by_every_digit(packets, 2**passes)
    strings = (2**passes) ** len(places)
    exact = sum(abs(Fraction(by_hand[d], strings) - Fraction(1, len(deals))) for d in deals) / 2
    mean = sum(shortfall(ways(d, packets), passes=passes, packets=packets) for d in deals)
    assert mean / len(deals) == pytest.approx(float(exact))
    (measured,) = measure(packets=packets, passes=[passes], samples=3000, seed=4)
    assert measured.tv == pytest.approx(float(exact), abs=5 * measured.error + 1e-9)


def test_with_a_hand_for_every_card_it_is_the_distance_of_the_order() -> None:
    packets = tuple((holder, 1) for holder in range(5))
    deals = list(permutations(range(5)))
    for passes in (1, 2, 3):
        mean = sum(shortfall(ways(d, packets), passes=passes, packets=packets) for d in deals)
        assert mean / len(deals) == pytest.approx(total_variation(cards=5, passes=passes))


@pytest.mark.parametrize("cards", [24, 25, 28, 32])
def test_a_deal_is_two_rounds_an_upcard_and_the_kitty(cards: int) -> None:
    packets = pattern(cards)
    hands = Counter[int]()
    for holder, size in packets:
        hands[holder] += size
    assert hands == {0: 5, 1: 5, 2: 5, 3: 5, UPCARD: 1, KITTY: cards - 21}
    assert [size for _, size in packets[:8]] == [2, 3, 2, 3, 3, 2, 3, 2]


@pytest.mark.parametrize("cards", [24, 25, 28, 32])
def test_the_stored_figures_are_measured_again_within_their_errors(cards: int) -> None:
    fresh = measure(packets=pattern(cards), passes=range(1, 11), samples=250, seed=99)
    for passes, one in enumerate(fresh, start=1):
        stored = noticed(cards=cards, passes=passes)
        assert stored is not None
        assert stored.error < 0.004
        assert abs(one.tv - stored.tv) <= 5 * (one.error + stored.error) + 2e-4


@pytest.mark.parametrize("cards", [24, 25, 28, 32])
def test_what_is_noticed_is_never_more_than_the_order_and_falls_with_every_pass(
    cards: int,
) -> None:
    before = 1.0
    for passes in range(1, 11):
        figure = noticed(cards=cards, passes=passes)
        assert figure is not None
        # Stored with four places.
        order = total_variation(cards=cards, passes=passes)
        assert figure.tv <= order + 3 * figure.error + 1e-4
        assert figure.tv <= before
        before = figure.tv


def test_what_was_not_measured_is_not_guessed() -> None:
    assert noticed(cards=52, passes=3) is None
    assert noticed(cards=24, passes=11) is None
    unshuffled = noticed(cards=24, passes=0)
    assert unshuffled is not None
    assert unshuffled.tv == 1.0
    assert noticed(cards=52, passes=0) is None


def test_the_command_prints_the_figures_as_they_stand_in_the_module(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--cards", "24", "--samples", "5"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("24: ((1.0000, 0.0000), ")
    assert line.count("(") == 11
