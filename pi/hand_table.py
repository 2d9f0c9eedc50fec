"""A table without a camera: nothing is seen, people tap the cards in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vision.frame import Frame, Image
from vision.ports import Box, Detection


class NoCamera:
    """A source that never has a picture."""

    def frames(self) -> Iterator[Frame]:
        return iter(())

    def close(self) -> None:
        pass


class NoReader:
    """Reads nothing, so that no model is loaded for a table that shows no pictures."""

    def read(self, image: Image, regions: Sequence[Box] | None = None) -> tuple[Detection, ...]:
        return ()
