"""Which labelled photographs a study runs over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.frame import Image
from vision.measure import labels_of
from vision.picture import load_picture
from vision.proving.errors import NothingToMeasure

HELD_OUT = ("train/phone_singles", "train/living_room")
TEST = ("test/webcam_table", "test/green_felt", "test/webcam_single")


@dataclass(frozen=True, slots=True, kw_only=True)
class Photograph:
    """A labelled picture of one folder."""

    folder: str
    file: Path
    cards: list[dict[str, Any]]

    def load(self) -> Image:
        """The picture. Raises ``PictureMissing`` or ``NotAPicture``."""
        return load_picture(self.file)


def photographs(photos: Path, folder: str, *, every: int = 1) -> list[Photograph]:
    """The photographs of ``folder`` (``train/...``: only the part that is held out of training).

    ``every``: only each n-th, in the order of the files. Raises
    :class:`~vision.proving.errors.NothingToMeasure` or ``BadLabels``.
    """
    if not (photos / folder).is_dir():
        raise NothingToMeasure(
            f"{photos / folder} is missing: give the folder of labelled photographs with --photos"
        )
    if folder.startswith("train/"):
        from vision.training.real import split  # needs Pillow, as all of training does

        entries = split(photos, folder.removeprefix("train/"))[1]
    else:
        entries = labels_of(photos / folder)
    ordered = sorted(entries, key=lambda e: str(e["file"]))[::every]
    return [
        Photograph(folder=folder, file=photos / folder / e["file"], cards=list(e["cards"]))
        for e in ordered
    ]


def held_out(photos: Path, *, every: int = 1) -> Iterator[Photograph]:
    """Every photograph of ``train/`` that is held out of training."""
    for folder in HELD_OUT:
        yield from photographs(photos, folder, every=every)
