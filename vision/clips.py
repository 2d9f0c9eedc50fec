"""Recorded clips: a source of frames like any camera, and the recording of a game.

A clip's stamps are the container's own, so what is read from it is dated as it was filmed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.errors import VisionError
from vision.frame import Frame, Image

#: A container may promise a frame more than it holds; more than this share is a cut.
_SHORT_SHARE = 0.01
_HEAD_BYTES = 189


class ClipMissing(VisionError, FileNotFoundError):
    """There is no such file."""


class ClipEmpty(VisionError, ValueError):
    """The file is empty, or holds no picture."""


#: A recording ends before the disk is so full that the log has no room.
_ROOM_BYTES = 8_000_000
#: Even a still table makes the file grow within this time: the encoder writes in blocks.
_STALLED_S = 30


class ClipTruncated(VisionError, EOFError):
    """The clip ends before its own length: a copy or a recording was cut short."""


class BadClip(VisionError, ValueError):
    """Not a clip, or one whose frames change size or run backwards in time."""


class ClipNotWritten(VisionError, OSError):
    """The recording cannot be written there."""


class ClipSource:
    """The frames of a clip in order of time, stamped by the container in microseconds.

    Opening raises :class:`ClipMissing`, :class:`ClipEmpty`, :class:`ClipTruncated` (its
    index is cut off, so nothing can be read) or :class:`BadClip`. ``frames()`` yields what
    is sound and then raises ClipTruncated when the clip ends before its own length, or
    BadClip when a frame has another size or a stamp that does not come after the last.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        _refuse_what_is_no_clip(self._path)
        _hush_ffmpeg()
        self._capture = cv2.VideoCapture(str(self._path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            self._capture.release()
            raise _why_it_does_not_open(self._path)
        self._frame_count = max(0, int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT)))
        self.width_px = int(self._capture.get(cv2.CAP_PROP_FRAME_WIDTH))
        self.height_px = int(self._capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
        #: The container's nominal rate; the stamps are what counts.
        self.fps = float(self._capture.get(cv2.CAP_PROP_FPS))

    def frames(self) -> Iterator[Frame]:
        """Every frame once; a second call goes on where the first stopped."""
        count = 0
        shape: tuple[int, ...] | None = None
        last_us = -1
        while True:
            sound, image = self._capture.read()
            if not sound or image is None:
                break
            at_us = round(self._capture.get(cv2.CAP_PROP_POS_MSEC) * 1000)
            shape = shape or image.shape
            if image.shape != shape:
                raise BadClip(
                    f"{self._path}: frame {count + 1} is {_size(image.shape)}, the ones before "
                    f"are {_size(shape)}: record it again at one size"
                )
            if at_us <= last_us:
                raise BadClip(
                    f"{self._path}: frame {count + 1} is stamped {at_us} us, not after the "
                    f"{last_us} us of the one before: write it again with running stamps"
                )
            last_us = at_us
            count += 1
            yield Frame(at_us=at_us, image=np.asarray(image, np.uint8))
        if count == 0:
            raise ClipEmpty(f"{self._path} holds no picture: record it again")
        if count < self._frame_count - max(1, round(self._frame_count * _SHORT_SHARE)):
            raise ClipTruncated(
                f"{self._path} ends after {count} of {self._frame_count} frames: it was cut "
                "short, copy or record it again"
            )

    def close(self) -> None:
        self._capture.release()


class ClipWriter:
    """Records frames as a clip of a steady ``fps``: ``.mp4`` (MPEG-4) or ``.avi`` (M-JPEG).

    A frame is put where its stamp says: a gap is filled by repeating the picture before it,
    a frame that comes too early for the clip's rate is left out, so the clip's own stamps
    follow the table's clock within half a frame. ``started_at_us`` is the stamp of the
    first frame, which the clip calls 0: subtract it from the stamps of recorded commands.
    """

    def __init__(self, path: str | Path, fps: float) -> None:
        self._path = Path(path)
        codecs = {".mp4": "mp4v", ".avi": "MJPG"}
        if self._path.suffix.lower() not in codecs:
            raise ClipNotWritten(f"{self._path}: a recording's name ends in .mp4 or .avi")
        if not self._path.parent.is_dir():
            raise ClipNotWritten(f"{self._path.parent} is no folder: make it first")
        if not 0.1 <= fps <= 240:
            raise ClipNotWritten(f"{fps} frames a second: give a rate from 0.1 to 240")
        self._codec = cv2.VideoWriter.fourcc(*codecs[self._path.suffix.lower()])
        self._fps = fps
        self._writer: cv2.VideoWriter | None = None
        self._last: Image | None = None
        self._written = 0
        self._grown: tuple[int, int] = (0, 0)  # bytes, and at which frame they were seen
        self.started_at_us: int | None = None

    def write(self, frame: Frame) -> None:
        """Add one frame; raise :class:`ClipNotWritten` or :class:`BadClip` (another size)."""
        if self._writer is None or self.started_at_us is None:
            self._open(frame)
        assert self._writer is not None
        assert self.started_at_us is not None
        if self._last is not None and self._last.shape != frame.image.shape:
            raise BadClip(
                f"{self._path}: a frame of {_size(frame.image.shape)} after ones of "
                f"{_size(self._last.shape)}: a clip has one size"
            )
        index = round((frame.at_us - self.started_at_us) * self._fps / 1e6)
        if index < self._written:
            return
        while self._written < index and self._last is not None:
            self._writer.write(self._last)
            self._written += 1
        self._writer.write(frame.image)
        self._written += 1
        self._last = frame.image
        if self._written % max(1, round(self._fps)) == 0:
            self._refuse_a_full_disk()

    def _refuse_a_full_disk(self) -> None:
        """OpenCV's writer says nothing when the disk takes no more: look at the disk ourselves."""
        if shutil.disk_usage(self._path.parent).free < _ROOM_BYTES:
            raise ClipNotWritten(
                f"{self._path}: the disk is full and the recording ends here: free some space"
            )
        length = self._path.stat().st_size if self._path.exists() else 0
        before, at = self._grown
        if length > before:
            self._grown = (length, self._written)
        elif self._written - at > _STALLED_S * self._fps:
            raise ClipNotWritten(
                f"{self._path} takes no more than {length} bytes and the recording ends here: "
                "see that its disk has room for it"
            )

    def _open(self, frame: Frame) -> None:
        height_px, width_px = frame.image.shape[:2]
        _hush_ffmpeg()
        writer = cv2.VideoWriter(
            str(self._path), cv2.CAP_FFMPEG, self._codec, self._fps, (width_px, height_px)
        )
        if not writer.isOpened():
            raise ClipNotWritten(
                f"{self._path} cannot be written: see that the folder is yours and has room"
            )
        self._writer = writer
        self.started_at_us = frame.at_us

    def close(self) -> None:
        """Finish the file; only then can it be read.

        Raises ClipNotWritten when what lies there afterwards is not the whole clip.
        """
        if self._writer is None:
            return
        self._writer.release()
        self._writer = None
        found = cv2.VideoCapture(str(self._path), cv2.CAP_FFMPEG)
        count = int(found.get(cv2.CAP_PROP_FRAME_COUNT)) if found.isOpened() else 0
        found.release()
        if count < self._written - 1:
            raise ClipNotWritten(
                f"{self._path} holds {max(count, 0)} of {self._written} frames: the disk took no "
                "more, free some space and record again"
            )


def _refuse_what_is_no_clip(path: Path) -> None:
    if not path.exists():
        raise ClipMissing(f"{path} is not there: give the path of a recorded clip")
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise BadClip(f"{path} is {what}: give the path of a recorded clip")
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise ClipEmpty(f"{path} is empty: copy or record it again")
    # FFmpeg would "play" a text or a photograph: look at the container ourselves.
    if not _is_container(head):
        raise BadClip(f"{path} is no clip: give an MP4, MOV, AVI, Matroska, WebM or MPEG file")


def _is_container(head: bytes) -> bool:
    mp4 = head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip")
    avi = head[:4] == b"RIFF" and head[8:12] == b"AVI "
    others = (b"\x1a\x45\xdf\xa3", b"\x00\x00\x01\xba", b"\x00\x00\x00\x01", b"OggS")
    # An MPEG transport stream is packets of 188 bytes, each beginning with this byte.
    stream = head[:1] == b"\x47" and head[188:189] == b"\x47"
    return mp4 or avi or stream or head.startswith(others)


def _why_it_does_not_open(path: Path) -> VisionError:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head[4:8] == b"ftyp" and not _has_box(path, b"moov"):
        # An MP4's index is written last: without it no frame can be found.
        return ClipTruncated(
            f"{path} was cut short before its index, so nothing of it can be read: "
            "copy or record it again"
        )
    return BadClip(f"{path} cannot be opened as a clip: it is damaged or of an unknown kind")


def _has_box(path: Path, name: bytes) -> bool:
    """Whether an MP4 has this box at its top level."""
    length = path.stat().st_size
    with path.open("rb") as file:
        at = 0
        while at + 8 <= length:
            file.seek(at)
            head = file.read(16)
            size = int.from_bytes(head[:4], "big")
            if head[4:8] == name:
                return True
            if size == 1:
                size = int.from_bytes(head[8:16], "big")
            if size < 8:
                return False
            at += size
    return False


def _hush_ffmpeg() -> None:
    # A damaged clip is reported by us, in one line; FFmpeg's own chatter would bury it.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    if hasattr(cv2, "setLogLevel"):
        cv2.setLogLevel(0)


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}x{shape[0]}"
