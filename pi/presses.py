"""What a finger on a button meant: a short press, a long one, two in quick succession.

Pure, on the moments at which the contact truly closed and opened (:mod:`pi.debounce` sees to
that). A short press is certain once no second one has followed; a long one while it is still
held. A button that stays down is stuck: something lies on it, or its wire is broken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from pi.ports import Press

LONG_US: Final = 800_000
#: A second press that begins within this long of the first one's end belongs to it.
DOUBLE_US: Final = 350_000
STUCK_US: Final = 10_000_000

Stage: TypeAlias = Literal["up", "down", "between", "again", "spent", "stuck"]
Meant: TypeAlias = Press | Literal["stuck", "free"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finger:
    """``since_us``: when the present stage began; ``from_us``: when the last press began.

    ``spent``: down, and what it meant has been said already (or it was down from the start).
    """

    stage: Stage = "up"
    since_us: int = 0
    from_us: int = 0


def down(finger: Finger, *, at_us: int) -> Finger:
    """The contact closed at ``at_us``; :func:`due` must have been asked up to there."""
    match finger.stage:
        case "up":
            return Finger(stage="down", since_us=at_us, from_us=at_us)
        case "between":
            return replace(finger, stage="again", since_us=at_us)
        case _:
            return finger


def up(finger: Finger, *, at_us: int) -> tuple[Finger, tuple[Meant, ...]]:
    """The contact opened at ``at_us``; what that makes certain."""
    match finger.stage:
        case "down":
            return replace(finger, stage="between", since_us=at_us), ()
        case "again":
            return replace(finger, stage="up", since_us=at_us), ("double",)
        case "stuck":
            return replace(finger, stage="up", since_us=at_us), ("free",)
        case _:
            return replace(finger, stage="up", since_us=at_us), ()


def due(finger: Finger, *, at_us: int) -> tuple[Finger, tuple[Meant, ...]]:
    """What has become certain by ``at_us`` without the contact changing."""
    waited_us = at_us - finger.since_us
    match finger.stage:
        case "down" | "again" if waited_us >= LONG_US:
            # A short press before it is no news of its own: one gesture, one meaning.
            return replace(finger, stage="spent"), ("long",)
        case "between" if waited_us > DOUBLE_US:
            return replace(finger, stage="up", since_us=at_us), ("short",)
        case "spent" if waited_us >= STUCK_US:
            return replace(finger, stage="stuck"), ("stuck",)
        case _:
            return finger, ()
