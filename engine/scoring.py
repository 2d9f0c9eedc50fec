"""A finished deal becomes one score case, and the case becomes points by a table.

Source: RULES.md, "Points". Where several euchre rows apply the largest counts, never the sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.cards import Side
from engine.ruleset import Ruleset, majority


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How a deal ended: the case by name, the side that scores, and its points."""

    case: str
    side: Side | None
    points: int

    def as_points(self) -> tuple[int, int]:
        """Points of each side."""
        if self.side is None:
            return (0, 0)
        return (self.points, 0) if self.side == 0 else (0, self.points)


NOBODY: Final = Result(case="thrown_in", side=None, points=0)

#: Points to the makers, by case.
_MADE: Final[Mapping[str, int]] = {"made": 1, "march": 2, "made_alone": 1, "march_alone": 4}


def score_deal(
    *,
    makers: Side,
    makers_tricks: int,
    maker_alone: bool,
    defender_alone: bool,
    ruleset: Ruleset,
) -> Result:
    """The result of a deal played out.

    ``makers_tricks`` of ``ruleset.hand_size``; raise ValueError when it lies outside.
    """
    if not 0 <= makers_tricks <= ruleset.hand_size:
        raise ValueError(
            f"{makers_tricks} tricks of {ruleset.hand_size}: count the makers' tricks again"
        )
    if makers_tricks >= majority(ruleset):
        case = "march" if makers_tricks == ruleset.hand_size else "made"
        if maker_alone:
            case += "_alone"
        return Result(case=case, side=makers, points=_MADE[case])
    euchres = {"euchre": 2}
    if maker_alone:
        euchres["lone_euchre"] = ruleset.lone_euchre
    if ruleset.super_euchre and makers_tricks == 0:
        euchres["super_euchre"] = 4
    if defender_alone:
        euchres["lone_defender_euchre"] = 4
    # The first of equals: a plain euchre keeps its plain name.
    case = max(euchres, key=lambda name: euchres[name])
    return Result(case=case, side=1 - makers, points=euchres[case])
