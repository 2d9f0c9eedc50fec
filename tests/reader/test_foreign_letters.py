"""What is put at a rank's place to teach the models what they must not name."""

from __future__ import annotations

import numpy as np

from vision.training.letters import COURTS, HELD_OUT_LETTERS, OTHERS, PASSING, foreign_rank

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
