"""What is put at a rank's place to teach the models what they must not name."""

from __future__ import annotations

import numpy as np

from vision.training.letters import (
    COURTS,
    HELD_OUT_LETTERS,
    OTHERS,
    PASSING,
    any_letter,
    foreign_rank,
    strange_partner,
)

OURS = {*"23456789JQKA", "10"}
#: Letters of other alphabets that are drawn as one of ours.
TWINS = set("АКΑΚЈ")


def drawn(count: int, *, large: bool) -> list[str]:
    rng = np.random.default_rng(8)
    return [foreign_rank(rng, large=large) for _ in range(count)]


def test_no_rank_of_ours_is_taught_as_none() -> None:
    assert not OURS & set(drawn(20_000, large=True))


def test_no_twin_of_a_rank_of_ours_is_taught_as_none() -> None:
    assert not TWINS & {c for text in drawn(20_000, large=True) for c in text}


def test_held_out_letters_are_never_taught() -> None:
    assert not set(HELD_OUT_LETTERS) & set(drawn(20_000, large=True))
    assert not set(HELD_OUT_LETTERS) & {*COURTS, *OTHERS, *PASSING}


def test_letters_that_pass_for_a_rank_are_taught_only_where_they_can_be_told() -> None:
    assert set(PASSING) & set(drawn(5_000, large=True))
    assert not set(PASSING) & set(drawn(20_000, large=False))


def test_the_courts_people_own_are_taught_most() -> None:
    texts = drawn(20_000, large=True)
    assert sum(t in set(COURTS) for t in texts) > 0.45 * len(texts)
    for court in "BDVR":
        assert texts.count(court) > 0.015 * len(texts), court


def test_letters_of_any_row_are_neither_held_out_nor_pass_for_a_rank() -> None:
    rng = np.random.default_rng(9)
    letters = [any_letter(rng) for _ in range(20_000)]
    assert len(set(letters)) > 500
    for kept in (*HELD_OUT_LETTERS, *PASSING):
        assert not {kept, kept.upper(), kept.lower()} & set(letters), kept


def test_a_rank_drawn_over_another_is_never_that_rank_nor_one_that_holds_it() -> None:
    rng = np.random.default_rng(10)
    for rank in "2345679TJQKA":
        partners = {strange_partner(rank, rng) for _ in range(300)}
        assert len(partners) > 5
        assert rank not in partners
        assert "8" not in partners, "an 8 with a 3 over it is an 8"
    assert strange_partner("8", rng) is None
