"""What can be wrong with the material of a study."""

from __future__ import annotations

from vision.errors import VisionError


class NothingToMeasure(VisionError, ValueError):
    """A study was asked of folders, pictures or art that are not there."""
