"""Where a camera must hang to see a table, and how many pixels a card's index then has.

    python -m pi.mounting            # the table of the builder's guide, in Markdown

A pinhole is all it takes: the camera looks at the middle of the field, tilted by some angle
from straight down, from the shortest distance at which every corner is in the picture. The
index is judged where it comes out smallest, at the far edge, standing away from the camera.
Angles of view are the makers' data sheets'; the field of a mode that crops is smaller.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

#: Height of an index, rank above suit, of an ordinary card.
INDEX_MM: Final = 20.0
#: The reader wants at least this; docs/developer/reading.md has the figures behind it.
LEAST_PX: Final = 17.0
COMFORTABLE_PX: Final = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lens:
    """A camera in one of its modes. ``across_deg``: the horizontal angle of view."""

    name: str
    width_px: int
    height_px: int
    across_deg: float

    @property
    def focal_px(self) -> float:
        return self.width_px / 2 / math.tan(math.radians(self.across_deg) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What must be seen, in millimetres, seen from the camera's side."""

    name: str
    width_mm: float
    depth_mm: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """``height_mm`` over the table; ``aside_mm`` from above its middle; the smallest index."""

    height_mm: float
    aside_mm: float
    index_px: float


LENSES: Final = (
    Lens(name="Camera Module 3", width_px=1920, height_px=1080, across_deg=66),
    Lens(name="Camera Module 3", width_px=2304, height_px=1296, across_deg=66),
    Lens(name="Camera Module 3 Wide", width_px=2304, height_px=1296, across_deg=102),
    Lens(name="Camera Module 2", width_px=1640, height_px=1232, across_deg=62.2),
    Lens(name="HQ Camera, 6 mm lens", width_px=2028, height_px=1520, across_deg=63),
    Lens(name="USB camera of 78 degrees", width_px=1920, height_px=1080, across_deg=70.4),
)
FIELDS: Final = (
    Field(name="the middle, 80 x 50 cm", width_mm=800, depth_mm=500),
    Field(name="a whole table, 90 x 90 cm", width_mm=900, depth_mm=900),
)
TILTS_DEG: Final = (0, 20, 35)


def seen_at(
    lens: Lens, *, distance_mm: float, tilt_deg: float, across_mm: float, away_mm: float
) -> tuple[float, float]:
    """Where a point of the table is in the picture, in pixels from its middle.

    The table's point is ``across_mm`` to the right of the field's middle and ``away_mm`` from
    it, away from the camera. ``distance_mm`` is along the camera's axis to that middle.
    """
    tilt = math.radians(tilt_deg)
    depth_mm = distance_mm + away_mm * math.sin(tilt)
    return (
        lens.focal_px * across_mm / depth_mm,
        lens.focal_px * away_mm * math.cos(tilt) / depth_mm,
    )


def mount(lens: Lens, field: Field, *, tilt_deg: float) -> Mount:
    """The nearest place from which the whole field is in the picture."""

    def holds(distance_mm: float) -> bool:
        for across_mm in (-field.width_mm / 2, field.width_mm / 2):
            for away_mm in (-field.depth_mm / 2, field.depth_mm / 2):
                x_px, y_px = seen_at(
                    lens,
                    distance_mm=distance_mm,
                    tilt_deg=tilt_deg,
                    across_mm=across_mm,
                    away_mm=away_mm,
                )
                if abs(x_px) > lens.width_px / 2 or abs(y_px) > lens.height_px / 2:
                    return False
        return True

    # Nearer than this the field's near edge would lie behind the camera.
    near_mm = field.depth_mm / 2 * math.sin(math.radians(tilt_deg)) + 1.0
    far_mm = 10_000.0
    while far_mm - near_mm > 0.5:
        middle_mm = (near_mm + far_mm) / 2
        near_mm, far_mm = (near_mm, middle_mm) if holds(middle_mm) else (middle_mm, far_mm)
    ends = [
        seen_at(lens, distance_mm=far_mm, tilt_deg=tilt_deg, across_mm=0, away_mm=away_mm)
        for away_mm in (field.depth_mm / 2 - INDEX_MM, field.depth_mm / 2)
    ]
    tilt = math.radians(tilt_deg)
    return Mount(
        height_mm=far_mm * math.cos(tilt),
        aside_mm=far_mm * math.sin(tilt),
        index_px=ends[1][1] - ends[0][1],
    )


def table() -> str:
    """The guide's table in Markdown: each camera, field and tilt with height and index."""
    lines = [
        "| camera and mode | what must be seen | straight down | tilted 20° | tilted 35° |",
        "|---|---|---|---|---|",
    ]
    for lens in LENSES:
        for field in FIELDS:
            cells = [_cell(mount(lens, field, tilt_deg=tilt_deg)) for tilt_deg in TILTS_DEG]
            lines.append(
                f"| {lens.name}, {lens.width_px}x{lens.height_px} | {field.name} "
                f"| {' | '.join(cells)} |"
            )
    return "\n".join(lines)


def _cell(found: Mount) -> str:
    mark = "" if found.index_px >= COMFORTABLE_PX else " (tight)"
    if found.index_px < LEAST_PX:
        mark = " (too small)"
    aside = f", {found.aside_mm / 1000:.2f} m aside" if found.aside_mm > 1 else ""
    return f"{found.height_mm / 1000:.2f} m{aside}: {math.floor(found.index_px)} px{mark}"


if __name__ == "__main__":
    print(table())
