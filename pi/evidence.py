"""The pictures that a play, a review or a finding rests on, kept as files named by hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2

from engine.wording import Sentence, worded
from pi.errors import EvidenceFailed
from vision.frame import Image
from vision.ports import EvidenceStore

_QUALITY: Final = 88
#: 128 bits of SHA-256 in hex: no two pictures of an evening, nor of a lifetime, share them.
_NAME_LENGTH: Final = 32


def _jpeg(image: Image) -> bytes:
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    if not done:
        raise EvidenceFailed(f"a picture of {image.shape} could not be written as JPEG")
    return data.tobytes()


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_NAME_LENGTH]


class EvidenceFolder:
    """``<hash>.jpg`` files in one folder, each whole and on the disk before its name is given.

    Raises EvidenceFailed naming the folder and the cure.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._failed(error) from error

    def keep(self, image: Image) -> str:
        """Store the picture and return its name; the same picture twice is one file."""
        data = _jpeg(image)
        name = _name(data)
        path = self._folder / f"{name}.jpg"
        if path.exists():
            return name
        # Written aside, then renamed: a half-written file never bears the name.
        aside = self._folder / f".{name}.{os.getpid()}"
        try:
            with aside.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
            self._sync_folder()
        except OSError as error:
            aside.unlink(missing_ok=True)
            raise self._failed(error) from error
        return name

    def _sync_folder(self) -> None:
        descriptor = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _failed(self, error: OSError) -> EvidenceFailed:
        return EvidenceFailed(
            f"the evidence folder {self._folder} cannot be written ({error.strerror}): free some "
            "space or name another folder"
        )


class EvidenceIfPossible:
    """A store whose failure ends no game: the play goes on record without its picture.

    ``warn`` is told once, and again only after a picture could be kept in between.
    """

    def __init__(self, store: EvidenceStore, *, warn: Callable[[Sentence], None]) -> None:
        self._store = store
        self._warn = warn
        self._failing = False

    def keep(self, image: Image) -> str | None:
        try:
            name = self._store.keep(image)
        except EvidenceFailed as error:
            if not self._failing:
                self._failing = True
                self._warn(
                    worded("plays are recorded without their pictures: {words}", words=str(error))
                )
            return None
        self._failing = False
        return name


class MemoryEvidence:
    """The same pictures in memory, for tests and for watching a clip without keeping anything."""

    def __init__(self) -> None:
        self.pictures: dict[str, bytes] = {}

    def keep(self, image: Image) -> str:
        data = _jpeg(image)
        name = _name(data)
        self.pictures[name] = data
        return name
