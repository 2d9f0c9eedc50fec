"""Picture files of every usual kind become plain frames; what is none is refused by name."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import VisionError
from vision.picture import NotAPicture, PictureMissing, as_frame_image, load_picture


@pytest.fixture
def landscape() -> np.ndarray:
    """40 x 60, red on the left, blue on the right."""
    picture = np.zeros((40, 60, 3), np.uint8)
    picture[:, :30] = (0, 0, 250)
    picture[:, 30:] = (250, 0, 0)
    return picture


def with_exif_turn(jpeg: bytes, orientation: int) -> bytes:
    """The same JPEG with an EXIF block that says how it is turned."""
    tiff = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 1)
    tiff += struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0) + b"\x00" * 4
    block = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + jpeg[2:]


def test_a_jpeg_is_turned_as_its_exif_says(tmp_path: Path, landscape: np.ndarray) -> None:
    jpeg = cv2.imencode(".jpg", landscape, [cv2.IMWRITE_JPEG_QUALITY, 98])[1].tobytes()
    path = tmp_path / "turned.jpg"
    path.write_bytes(with_exif_turn(jpeg, 6))  # the top of the picture is at its right
    picture = load_picture(path)
    assert picture.shape == (60, 40, 3)
    top, bottom = picture[10, 20].astype(int), picture[50, 20].astype(int)
    assert top[2] > 180 > top[0], "red, once at the left, is now at the top"
    assert bottom[0] > 180 > bottom[2]


def test_grey_and_sixteen_bit_pictures_become_three_channels_of_eight(tmp_path: Path) -> None:
    grey = np.full((20, 30), 200, np.uint8)
    deep = np.full((20, 30, 3), 200 * 257, np.uint16)
    for name, picture in (("grey.png", grey), ("deep.png", deep), ("deepgrey.png", deep[..., 0])):
        cv2.imwrite(str(tmp_path / name), picture)
        loaded = load_picture(tmp_path / name)
        assert loaded.shape == (20, 30, 3), name
        assert loaded.dtype == np.uint8
        assert (loaded == 200).all(), name


def test_what_is_transparent_lies_on_white(tmp_path: Path) -> None:
    picture = np.zeros((20, 30, 4), np.uint8)
    picture[:, :15] = (10, 20, 30, 255)
    cv2.imwrite(str(tmp_path / "clear.png"), picture)
    loaded = load_picture(tmp_path / "clear.png")
    assert loaded[5, 5].tolist() == [10, 20, 30]
    assert loaded[5, 25].tolist() == [255, 255, 255]


def test_a_missing_picture_is_named(tmp_path: Path) -> None:
    with pytest.raises(PictureMissing, match=r"nowhere\.jpg") as caught:
        load_picture(tmp_path / "nowhere.jpg")
    assert isinstance(caught.value, VisionError)
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("content", [b"", b"no picture at all", b"\xff\xd8\xff\xe0 cut short"])
def test_what_is_no_picture_is_named_with_the_cure(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.jpg"
    path.write_bytes(content)
    with pytest.raises(NotAPicture, match=r"notes\.jpg.*give") as caught:
        load_picture(path)
    assert isinstance(caught.value, ValueError)


def test_a_folder_is_no_picture(tmp_path: Path) -> None:
    with pytest.raises(NotAPicture, match="give a picture file"):
        load_picture(tmp_path)


@pytest.mark.parametrize("shape", [(5,), (0, 4, 3), (4, 4, 5), (2, 2, 2, 2)])
def test_an_array_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(NotAPicture):
        as_frame_image(np.zeros(shape, np.uint8))
