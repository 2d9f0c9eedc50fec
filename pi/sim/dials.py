"""The dials of the simulated table: how rough the game and the picture are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

from pi.errors import BadDial


@dataclass(frozen=True, slots=True, kw_only=True)
class Dials:
    """Every dial runs from 0 (off) to 1 (as bad as it gets).

    revokes: chance per deal that one is planted. misplays: chance per deal of a play out of
    turn. late: chance that trump is tapped in late (never when alone). hands: chance after
    each play that a hand hovers over the table. markers: chance that score markers and
    another face-down card lie about. blur: 1 is a sigma of 2 px at 1280 px width. glare: the
    strength of a bright patch. noise: 1 is a sigma of 20 of 255. tilt: 1 is 35 degrees.
    shade: how dim and uneven the light is. misread: share of pictures misread on purpose.

    answers: share of the kit's questions that the players answer, after a while, where they are
    let (``upcard run`` lets them). Of the shuffler: jams: chance per run that a card jams;
    forgets: chance per pass that nobody stacks the piles for a while; eaten: chance that it does
    not feel a touch; flat: how empty its battery is (from 0.75 on it does not turn).
    """

    revokes: float = 0.0
    misplays: float = 0.0
    late: float = 0.15
    hands: float = 0.05
    markers: float = 0.0
    blur: float = 0.1
    glare: float = 0.0
    noise: float = 0.15
    tilt: float = 0.2
    shade: float = 0.2
    misread: float = 0.0
    answers: float = 1.0
    jams: float = 0.0
    forgets: float = 0.0
    eaten: float = 0.0
    flat: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise BadDial(f"the dial {field.name} is {value}: set it between 0 and 1")


def dials_from(settings: Iterable[str], *, base: Dials | None = None) -> Dials:
    """Read ``name=value`` settings on top of ``base``; raise BadDial naming the faulty one."""
    known = [field.name for field in fields(Dials)]
    changes: dict[str, float] = {}
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in known:
            raise BadDial(f"{name!r} is no dial: the dials are {', '.join(known)}")
        try:
            changes[name] = float(text)
        except ValueError:
            raise BadDial(
                f"the dial {name} is set to {text!r}: write a number, {name}=0.5"
            ) from None
    return replace(base if base is not None else Dials(), **changes)
