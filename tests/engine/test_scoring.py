"""Points of a deal: the table of RULES.md, "Points", row by row."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ruleset import ruleset_from
from engine.scoring import score_deal

#: (rules, maker alone, defender alone, makers' tricks) -> (case, scores for the makers, points)
ROWS: list[tuple[dict[str, Any], bool, bool, int, str, bool, int]] = [
    ({}, False, False, 3, "made", True, 1),
    ({}, False, False, 4, "made", True, 1),
    ({}, False, False, 5, "march", True, 2),
    ({}, True, False, 5, "march_alone", True, 4),
    ({}, True, False, 3, "made_alone", True, 1),
    ({}, True, False, 4, "made_alone", True, 1),
    ({}, False, False, 2, "euchre", False, 2),
    ({}, False, False, 0, "euchre", False, 2),
    ({}, True, False, 1, "euchre", False, 2),
    ({"super_euchre": True}, False, False, 0, "super_euchre", False, 4),
    ({"super_euchre": True}, False, False, 1, "euchre", False, 2),
    ({"defend_alone": "any"}, False, True, 2, "lone_defender_euchre", False, 4),
    ({"defend_alone": "any"}, False, True, 3, "made", True, 1),
    ({"defend_alone": "any"}, False, True, 5, "march", True, 2),
    ({"lone_euchre": 3}, True, False, 2, "lone_euchre", False, 3),
    ({"lone_euchre": 4}, True, False, 0, "lone_euchre", False, 4),
    ({"lone_euchre": 4}, False, False, 0, "euchre", False, 2),
    # The largest counts, never the sum.
    ({"lone_euchre": 3, "super_euchre": True}, True, False, 0, "super_euchre", False, 4),
    (
        {"lone_euchre": 3, "defend_alone": "vs_lone"},
        True,
        True,
        1,
        "lone_defender_euchre",
        False,
        4,
    ),
    # hand_size 7: majority 4, march 7.
    ({"pack": 32, "hand_size": 7}, False, False, 4, "made", True, 1),
    ({"pack": 32, "hand_size": 7}, False, False, 6, "made", True, 1),
    ({"pack": 32, "hand_size": 7}, False, False, 7, "march", True, 2),
    ({"pack": 32, "hand_size": 7}, False, False, 3, "euchre", False, 2),
]


@pytest.mark.parametrize("makers", [0, 1])
@pytest.mark.parametrize(("rules", "alone", "defender", "tricks", "case", "made", "points"), ROWS)
def test_a_deal_scores_as_the_table_of_the_rules_says(
    makers: int,
    rules: dict[str, Any],
    alone: bool,
    defender: bool,
    tricks: int,
    case: str,
    made: bool,
    points: int,
) -> None:
    result = score_deal(
        makers=makers,
        makers_tricks=tricks,
        maker_alone=alone,
        defender_alone=defender,
        ruleset=ruleset_from(rules),
    )
    side = makers if made else 1 - makers
    expected = [0, 0]
    expected[side] = points
    assert (result.case, result.side) == (case, side)
    assert result.as_points() == tuple(expected)


def test_more_tricks_than_there_are_is_an_error() -> None:
    with pytest.raises(ValueError, match="6 tricks of 5"):
        score_deal(
            makers=0,
            makers_tricks=6,
            maker_alone=False,
            defender_alone=False,
            ruleset=ruleset_from("home"),
        )
