"""Picture files to frames: EXIF turned, grey, 16-bit and transparent ones made plain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.frame import Image
from vision.picture_bytes import declared_size, is_cut_short, is_heic

#: Larger pictures are refused: 200 megapixels as three bytes each is 600 MB.
MOST_PIXELS = 200_000_000


class PictureMissing(VisionError, FileNotFoundError):
    """There is no such file."""


class NotAPicture(VisionError, ValueError):
    """The file holds no picture that can be decoded."""


def as_frame_image(picture: NDArray[Any]) -> Image:
    """Any decoded picture as height x width x 3, blue-green-red, 8 bits.

    Grey is repeated, 16 bits are halved to 8, floating point is taken as 0 to 1, and what
    is transparent is laid on white. Raises :class:`NotAPicture` for any other shape.
    """
    if picture.ndim not in (2, 3) or 0 in picture.shape:
        raise NotAPicture(f"an array of shape {picture.shape} is no picture: give H x W x 3")
    if picture.dtype == np.uint16:
        picture = (picture >> 8).astype(np.uint8)
    elif picture.dtype.kind == "f":
        picture = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    elif picture.dtype != np.uint8:
        raise NotAPicture(f"a picture of {picture.dtype} is not known: give 8 or 16 bits")
    if picture.ndim == 2:
        return _three(picture)
    match picture.shape[2]:
        case 1:
            return _three(picture)
        case 3:
            return np.ascontiguousarray(picture)
        case 2 | 4:
            alpha = picture[..., -1:].astype(np.uint16)
            colour = picture[..., :-1].astype(np.uint16)
            flat = ((colour * alpha + 255 * (255 - alpha)) // 255).astype(np.uint8)
            return _three(flat) if flat.shape[2] == 1 else np.asarray(flat, np.uint8)
    raise NotAPicture(f"a picture of {picture.shape[2]} channels is not known: give 1, 3 or 4")


def _three(grey: NDArray[Any]) -> Image:
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


def load_picture(path: str | Path) -> Image:
    """Decode a picture file, turned as its EXIF says.

    Raises :class:`PictureMissing` or :class:`NotAPicture`, naming the file and the cure.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError as fault:
        raise PictureMissing(f"{path}: no such picture: check the name") from fault
    except OSError as fault:
        raise NotAPicture(f"{path} cannot be read ({fault}): give a picture file") from fault
    if not data:
        raise NotAPicture(f"{path} is empty: give a JPEG, PNG or other picture")
    if is_heic(data):
        raise NotAPicture(f"{path} is a HEIC photograph, which is not read: save it as JPEG")
    size = declared_size(data)
    if size is not None and size[0] * size[1] > MOST_PIXELS:
        # refused by what it says: decoding it could take all the memory there is
        raise NotAPicture(f"{path} has {size[0]} x {size[1]} pixels: make it smaller")
    if is_cut_short(data):
        raise NotAPicture(f"{path} was cut short: copy it again, or give another picture")
    raw = np.frombuffer(data, np.uint8)
    # a damaged picture is reported by us, in one line; OpenCV's own chatter would bury it
    if hasattr(cv2, "setLogLevel"):
        cv2.setLogLevel(0)
    try:
        # IMREAD_UNCHANGED keeps 16 bits and alpha but skips the EXIF turn: only for those
        kept = cv2.imdecode(raw, cv2.IMREAD_UNCHANGED)
        if kept is not None and kept.dtype == np.uint8 and kept.ndim == 3 and kept.shape[2] == 3:
            kept = cv2.imdecode(raw, cv2.IMREAD_COLOR)
        elif kept is not None and kept.dtype == np.uint8 and kept.ndim == 2:
            kept = cv2.imdecode(raw, cv2.IMREAD_GRAYSCALE)
    except cv2.error as fault:
        raise NotAPicture(f"{path} cannot be decoded ({fault.err}): save it again") from fault
    if kept is None:
        raise NotAPicture(f"{path} is not a picture that can be decoded: give a JPEG or PNG")
    if kept.shape[0] * kept.shape[1] > MOST_PIXELS:
        raise NotAPicture(f"{path} has {kept.shape[1]} x {kept.shape[0]} pixels: make it smaller")
    return as_frame_image(kept)
