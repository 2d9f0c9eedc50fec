"""The last seconds of the table, kept in memory as small JPEG stills.

A ring of stills is simpler than a video encoder, needs no codec and is the same on every
machine. While nothing moves one still a second is enough; a frame in which something changed
is kept at once. Nothing of it reaches the disk unless somebody asks for a clip.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from pi.errors import RecordingFailed
from vision.clips import ClipWriter
from vision.errors import VisionError
from vision.frame import Frame, Image

#: Every sixteenth pixel of every sixteenth row, green: enough to see that something changed.
_Glance: TypeAlias = NDArray[np.int16]

_STEP_PX: Final = 16
#: A sensor's noise stays below this many grey levels; a card or a hand does not.
_LEVELS: Final = 24
#: So many of the looked-at pixels must differ.
_SPECK: Final = 4
_REST_US: Final = 1_000_000
_WIDTH_PX: Final = 960
_QUALITY: Final = 80
#: Whatever the scene: a Pi has other uses for its memory.
_MOST_BYTES: Final = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """One kept moment. ``at_us``: the frame's stamp; ``jpeg``: at most 960 pixels wide."""

    at_us: int
    jpeg: bytes


class Ring:
    """The stills of the last ``seconds``. Safe to share between threads; 0 keeps nothing."""

    def __init__(self, *, seconds: int) -> None:
        self._keep_us = seconds * 1_000_000
        self._stills: deque[Still] = deque()
        self._bytes = 0
        self._glance: _Glance | None = None
        self._lock = threading.Lock()

    def add(self, frame: Frame) -> None:
        """Look at the frame; keep it if something changed or the last still is a second old."""
        if self._keep_us == 0:
            return
        glance = frame.image[::_STEP_PX, ::_STEP_PX, 1].astype(np.int16)
        newest_us = self._stills[-1].at_us if self._stills else None
        if (
            newest_us is not None
            and frame.at_us - newest_us < _REST_US
            and not self._differs(glance)
        ):
            return
        self._glance = glance
        still = Still(at_us=frame.at_us, jpeg=_jpeg(frame.image))
        with self._lock:
            self._stills.append(still)
            self._bytes += len(still.jpeg)
            while self._stills and (
                still.at_us - self._stills[0].at_us > self._keep_us or self._bytes > _MOST_BYTES
            ):
                self._bytes -= len(self._stills.popleft().jpeg)

    def _differs(self, glance: _Glance) -> bool:
        before = self._glance
        if before is None or before.shape != glance.shape:
            return True
        return int(np.count_nonzero(np.abs(glance - before) > _LEVELS)) >= _SPECK

    def stills(self) -> tuple[Still, ...]:
        """What is kept now, oldest first."""
        with self._lock:
            return tuple(self._stills)

    def write_clip(self, folder: Path, *, fps: float) -> Path:
        """The kept seconds as a clip in ``folder``, named by the moment; its path.

        The clip can be watched by ``upcard watch`` and sent with a bug report. Raises
        RecordingFailed when there is nothing to write or no room to write it.
        """
        stills = self.stills()
        if not stills:
            raise RecordingFailed("no picture is in memory yet: wait for the camera")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RecordingFailed(
                f"the folder {folder} cannot be made ({error.strerror}): free some space"
            ) from error
        path = _free_name(folder, stills[-1].at_us)
        writer = ClipWriter(path, fps)
        try:
            for still in stills:
                image = cv2.imdecode(np.frombuffer(still.jpeg, np.uint8), cv2.IMREAD_COLOR)
                if image is None:
                    raise RecordingFailed("a still in memory is not a picture: report this")
                writer.write(Frame(at_us=still.at_us, image=np.asarray(image, np.uint8)))
            writer.close()
        except VisionError as error:
            path.unlink(missing_ok=True)
            raise RecordingFailed(str(error)) from error
        return path


def _jpeg(image: Image) -> bytes:
    height, width = image.shape[:2]
    if width > _WIDTH_PX:
        size = (_WIDTH_PX, max(2, round(height * _WIDTH_PX / width)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return data.tobytes()


def _free_name(folder: Path, at_us: int) -> Path:
    moment = datetime.fromtimestamp(at_us / 1e6, tz=UTC)
    number = 0
    while True:
        more = f"-{number}" if number else ""
        path = folder / f"clip-{moment:%Y%m%d-%H%M%S}{more}.avi"
        if not path.exists():
            return path
        number += 1
