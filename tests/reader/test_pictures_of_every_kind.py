"""Every kind of picture and clip a person may hand over: read rightly, or refused by name."""

from __future__ import annotations

import base64
import contextlib
import json
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import Card
from pi.cli import main
from pi.sim.faces import face_pixels
from vision.clips import BadClip, ClipEmpty, ClipMissing, ClipSource, ClipTruncated
from vision.picture import NotAPicture, PictureMissing, as_frame_image, load_picture
from vision.picture_bytes import declared_size, is_cut_short
from vision.reader import Reader, load_reader

#: Red left, blue right, as a printer's four inks (made with Pillow; nothing here writes CMYK).
CMYK_JPEG = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0O"
    "EQ4LCxAWEBETFBUVFQwPFxgWFBgSFBUU/8AAFAgAEAAgBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAA"
    "AAAAAAABAgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNC"
    "scEVUtHwJDNicoIJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6"
    "g4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq"
    "8fLz9PX29/j5+v/aAA4EQwBNAFkASwAAPwD9U6/Kqvyqr9U6KKKK/lXor+qiiiiiiv6qKK/lXooooor+Veiv"
    "6qKKKKKK/9k="
)
WIDE, HIGH = 640, 480


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load_reader(threads=1)


def table_with(*cards: str) -> np.ndarray:
    """A green table of WIDE x HIGH with these cards upright in a row, the first at the left."""
    picture = np.full((HIGH, WIDE, 3), (60, 110, 40), np.uint8)
    for k, card in enumerate(cards):
        face = face_pixels(Card(card), width_px=130)[..., :3]
        x, y = 70 + 260 * k, 60
        picture[y : y + face.shape[0], x : x + face.shape[1]] = face
    return picture


@pytest.fixture(scope="module")
def two_cards() -> np.ndarray:
    return table_with("Kh", "9s")


def names(reader: Reader, picture: np.ndarray) -> list[str]:
    return sorted(str(d.card) for d in reader.read(picture) if d.kind == "card")


def jpeg(picture: np.ndarray) -> bytes:
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def with_exif_turn(data: bytes, orientation: int) -> bytes:
    """The same JPEG with an EXIF block that says how it is turned."""
    tiff = b"II*\x00\x08\x00\x00\x00" + struct.pack("<H", 1)
    tiff += struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0) + b"\x00" * 4
    block = b"Exif\x00\x00" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


#: How a picture lies in the file so that the EXIF orientation turns it back upright.
STORED = {
    1: lambda p: p,
    2: lambda p: p[:, ::-1],
    3: lambda p: p[::-1, ::-1],
    4: lambda p: p[::-1],
    5: lambda p: p.transpose(1, 0, 2),
    6: lambda p: np.rot90(p, 1),
    7: lambda p: p[::-1, ::-1].transpose(1, 0, 2),
    8: lambda p: np.rot90(p, 3),
}


# --- read rightly ------------------------------------------------------------------------------


@pytest.mark.pixels
@pytest.mark.parametrize("orientation", sorted(STORED))
def test_however_a_telephone_was_held_the_cards_and_their_boxes_are_the_same(
    reader: Reader, two_cards: np.ndarray, tmp_path: Path, orientation: int
) -> None:
    stored = np.ascontiguousarray(STORED[orientation](two_cards))
    path = tmp_path / "held.jpg"
    path.write_bytes(with_exif_turn(jpeg(stored), orientation))
    picture = load_picture(path)
    assert picture.shape == two_cards.shape
    found = {str(d.card): d.box for d in reader.read(picture) if d.kind == "card"}
    assert set(found) == {"Kh", "9s"}
    for card, x in (("Kh", 135), ("9s", 395)):
        x0, y0, x1, y1 = found[card]
        assert (x0 + x1) / 2 == pytest.approx(x, abs=15)
        assert (y0 + y1) / 2 == pytest.approx(150, abs=20)


@pytest.mark.pixels
@pytest.mark.parametrize("name", ["a.png", "a.bmp", "a.tiff", "a.webp", "a.ppm", "ä ö.jpg"])
def test_every_usual_container_holds_the_same_cards(
    reader: Reader, two_cards: np.ndarray, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(cv2.imencode(path.suffix, two_cards)[1].tobytes())
    assert names(reader, load_picture(path)) == ["9s", "Kh"]


@pytest.mark.pixels
def test_sixteen_bits_alpha_and_floats_hold_the_same_cards(
    reader: Reader, two_cards: np.ndarray, tmp_path: Path
) -> None:
    alpha = np.full((HIGH, WIDE, 1), 255, np.uint8)
    kinds = {
        "deep.png": two_cards.astype(np.uint16) * 257,
        "clear.png": np.dstack([two_cards, alpha]),
        "deepclear.png": np.dstack([two_cards, alpha]).astype(np.uint16) * 257,
        "float.tiff": (two_cards / np.float32(255)).astype(np.float32),
    }
    for name, picture in kinds.items():
        cv2.imwrite(str(tmp_path / name), picture)
        loaded = load_picture(tmp_path / name)
        assert loaded.dtype == np.uint8, name
        assert names(reader, loaded) == ["9s", "Kh"], name


@pytest.mark.pixels
def test_a_grey_picture_names_no_suit_of_the_other_colour_and_no_other_rank(
    reader: Reader, two_cards: np.ndarray, tmp_path: Path
) -> None:
    # without colour a card may stay unsure; what is named must be what lies there
    path = tmp_path / "grey.png"
    cv2.imwrite(str(path), cv2.cvtColor(two_cards, cv2.COLOR_BGR2GRAY))
    picture = load_picture(path)
    assert picture.shape == (HIGH, WIDE, 3)
    assert set(names(reader, picture)) <= {"Kh", "9s"}


def test_four_printing_inks_become_the_colours_they_print(tmp_path: Path) -> None:
    path = tmp_path / "printed.jpg"
    path.write_bytes(CMYK_JPEG)
    picture = load_picture(path)
    assert picture.shape == (16, 32, 3)
    left, right = picture[8, 4].astype(int), picture[8, 28].astype(int)
    assert left[2] > 230
    assert max(left[0], left[1]) < 30, "red, which must never turn another colour"
    assert right[0] > 230
    assert max(right[1], right[2]) < 30


def test_of_an_animation_the_first_picture_is_read(tmp_path: Path) -> None:
    path = tmp_path / "moving.gif"
    path.write_bytes(two_picture_gif())
    picture = load_picture(path)
    assert picture.shape == (2, 2, 3)
    assert (picture[..., 2] > 200).all(), "the first picture is red, the second blue"
    assert (picture[..., 0] < 60).all()


@pytest.mark.pixels
def test_a_very_large_picture_is_read_within_its_size(reader: Reader) -> None:
    small = table_with("Kh", "9s")
    large = cv2.resize(small, (6000, 4500), interpolation=cv2.INTER_CUBIC)
    found = {str(d.card): d.box for d in reader.read(large) if d.kind == "card"}
    assert set(found) == {"Kh", "9s"}
    for x0, y0, x1, y1 in found.values():
        assert 0 <= x0 < x1 <= 6000
        assert 0 <= y0 < y1 <= 4500


@pytest.mark.pixels
@pytest.mark.parametrize("shape", [(1, 1), (1, 4000), (3000, 2), (15, 15)])
def test_a_picture_too_small_for_a_card_holds_none(
    reader: Reader, tmp_path: Path, shape: tuple[int, int]
) -> None:
    path = tmp_path / "tiny.png"
    cv2.imwrite(str(path), np.full(shape, 90, np.uint8))
    assert [d for d in reader.read(load_picture(path)) if d.kind != "back"] == []


# --- refused by name ---------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".webp", ".tiff", ".gif"])
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.95])
def test_a_picture_cut_short_is_refused_and_never_read_by_half(
    two_cards: np.ndarray, tmp_path: Path, suffix: str, kept: float
) -> None:
    noisy = two_cards + np.random.default_rng(1).integers(0, 9, two_cards.shape, np.uint8)
    data = cv2.imencode(suffix, noisy)[1].tobytes()
    path = tmp_path / f"cut{suffix}"
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(NotAPicture, match=rf"cut\{suffix}"):
        load_picture(path)


def test_the_end_of_a_thumbnail_is_not_the_end_of_the_picture(two_cards: np.ndarray) -> None:
    thumbnail = jpeg(cv2.resize(two_cards, (64, 48)))
    whole = jpeg(two_cards)
    block = b"Exif\x00\x00" + thumbnail
    data = whole[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + whole[2:]
    assert not is_cut_short(data)
    assert is_cut_short(data[: len(data) // 2])
    assert declared_size(data) == (WIDE, HIGH)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".gif"])
def test_a_file_says_its_size_before_it_is_decoded(two_cards: np.ndarray, suffix: str) -> None:
    assert declared_size(cv2.imencode(suffix, two_cards)[1].tobytes()) == (WIDE, HIGH)


@pytest.mark.parametrize("quality", [70, 101])  # 101: without loss, another head
def test_a_webp_says_its_size_too(two_cards: np.ndarray, quality: int) -> None:
    packed = cv2.imencode(".webp", two_cards, [cv2.IMWRITE_WEBP_QUALITY, quality])[1]
    assert declared_size(packed.tobytes()) == (WIDE, HIGH)


def test_a_few_bytes_that_ask_for_gigabytes_are_refused_before_they_get_them(
    tmp_path: Path,
) -> None:
    def chunk(kind: bytes, body: bytes) -> bytes:
        told = kind + body
        return struct.pack(">I", len(body)) + told + struct.pack(">I", zlib.crc32(told))

    head = struct.pack(">IIBBBBB", 60_000, 50_000, 8, 2, 0, 0, 0)
    path = tmp_path / "bomb.png"
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1000)))
        + chunk(b"IEND", b"")
    )
    with pytest.raises(NotAPicture, match=r"bomb\.png has 60000 x 50000 pixels: make it smaller"):
        load_picture(path)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("empty.jpg", b"", "is empty"),
        ("notes.jpg", b"Kh Qd 9s", "give a JPEG or PNG"),
        ("zeros.png", bytes(5000), "give a JPEG or PNG"),
        ("phone.heic", b"\x00\x00\x00\x18ftypheic" + bytes(40), "save it as JPEG"),
        ("head.png", b"\x89PNG\r\n\x1a\n", "was cut short"),
        ("head.jpg", b"\xff\xd8\xff", "was cut short"),
        ("film.mp4", b"\x00\x00\x00\x18ftypisom" + bytes(40), "give a JPEG or PNG"),
    ],
)
def test_what_is_no_picture_is_refused_with_the_cure(
    tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(NotAPicture, match=told) as caught:
        load_picture(path)
    assert name in str(caught.value)


def test_bytes_damaged_at_random_are_read_or_refused_and_nothing_else(
    two_cards: np.ndarray, tmp_path: Path
) -> None:
    rng = np.random.default_rng(20)
    path = tmp_path / "damaged"
    for suffix in (".jpg", ".png", ".webp", ".bmp", ".gif"):
        data = np.frombuffer(cv2.imencode(suffix, two_cards[:120, :160])[1].tobytes(), np.uint8)
        for _ in range(25):
            spoilt = data.copy()
            where = rng.integers(0, min(len(spoilt), 400), int(rng.integers(1, 9)))
            spoilt[where] = rng.integers(0, 256, len(where), np.uint8)
            path.write_bytes(spoilt.tobytes())
            with contextlib.suppress(NotAPicture):
                picture = load_picture(path)
                assert picture.dtype == np.uint8
                assert picture.ndim == 3


@pytest.mark.parametrize("kind", [np.int16, np.int64, bool, complex])
def test_an_array_of_no_picture_kind_is_refused(kind: type) -> None:
    with pytest.raises(NotAPicture, match="give 8 or 16 bits"):
        as_frame_image(np.zeros((8, 8, 3), kind))


@pytest.mark.pixels
def test_the_sound_pictures_of_a_command_are_read_and_each_fault_is_one_line(
    two_cards: np.ndarray, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sound, broken = tmp_path / "sound.png", tmp_path / "broken.png"
    cv2.imwrite(str(sound), two_cards)
    broken.write_bytes(sound.read_bytes()[:3000])
    missing = tmp_path / "missing.png"
    code = main(["read", str(missing), str(broken), str(sound), "--json"])
    out, err = capfd.readouterr()
    assert code == 1
    (line,) = [json.loads(text) for text in out.splitlines()]
    assert line["image"] == str(sound)
    assert {c["card"] for c in line["cards"]} == {"Kh", "9s"}
    told = [text for text in err.splitlines() if text]
    assert len(told) == 2, err
    assert "missing.png" in told[0]
    assert "broken.png" in told[1]


def test_a_missing_picture_is_another_fault_than_a_broken_one(tmp_path: Path) -> None:
    with pytest.raises(PictureMissing, match="check the name"):
        load_picture(tmp_path / "none.jpg")


# --- clips -------------------------------------------------------------------------------------


def element(number: str, body: bytes) -> bytes:
    """A Matroska element: its number in hexadecimal, its length in eight bytes, its body."""
    return bytes.fromhex(number) + b"\x01" + len(body).to_bytes(7, "big") + body


def unsigned(number: str, value: int) -> bytes:
    return element(number, value.to_bytes(4, "big"))


def matroska(frames: list[tuple[int, np.ndarray]]) -> bytes:
    """A clip of JPEG pictures at these milliseconds, in this order, be it a wrong one."""
    head = element(
        "1A45DFA3",
        unsigned("4286", 1)
        + unsigned("42F7", 1)
        + unsigned("42F2", 4)
        + unsigned("42F3", 8)
        + element("4282", b"matroska")
        + unsigned("4287", 2)
        + unsigned("4285", 2),
    )
    high, wide = frames[0][1].shape[:2]
    video = element("E0", unsigned("B0", wide) + unsigned("BA", high))
    track = element(
        "AE",
        unsigned("D7", 1)
        + unsigned("73C5", 1)
        + unsigned("83", 1)
        + element("86", b"V_MJPEG")
        + video,
    )
    clusters = b"".join(
        element(
            "1F43B675",
            unsigned("E7", at_ms) + element("A3", b"\x81\x00\x00\x80" + jpeg(picture)),
        )
        for at_ms, picture in frames
    )
    info = element("1549A966", unsigned("2AD7B1", 1_000_000))
    return head + element("18538067", info + element("1654AE6B", track) + clusters)


def plain(wide: int, high: int, tone: int) -> np.ndarray:
    return np.full((high, wide, 3), tone, np.uint8)


def test_a_sound_clip_of_this_kind_is_read_with_its_own_stamps(tmp_path: Path) -> None:
    # the next two tests spoil this one
    path = tmp_path / "sound.mkv"
    path.write_bytes(matroska([(40 * k, plain(160, 120, 40 * k)) for k in range(5)]))
    frames = list(ClipSource(path).frames())
    assert [f.at_us for f in frames] == [0, 40_000, 80_000, 120_000, 160_000]
    assert [round(float(f.image.mean())) for f in frames] == pytest.approx(
        [0, 40, 80, 120, 160], abs=3
    )


def test_a_clip_whose_frames_change_size_is_brought_to_its_first_size(tmp_path: Path) -> None:
    # OpenCV scales every frame to the size of the first, so that a clip has one size
    path = tmp_path / "grown.mkv"
    half = plain(320, 240, 40)
    half[:, :160] = 200
    grown = [cv2.resize(half, (160, 120)), half, half]
    path.write_bytes(matroska([(40 * k, picture) for k, picture in enumerate(grown)]))
    frames = list(ClipSource(path).frames())
    assert [f.image.shape for f in frames] == [(120, 160, 3)] * 3
    for frame in frames:
        left, right = frame.image[60, 40], frame.image[60, 120]
        assert left.mean() > 180, "the whole picture is there, not a corner of it"
        assert right.mean() < 60


def frames_until_refused(path: Path, kept: list[int]) -> None:
    for frame in ClipSource(path).frames():
        kept.append(frame.at_us)


def test_a_clip_whose_stamps_run_backwards_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "back.mkv"
    stamps = [0, 40, 80, 20, 60]
    path.write_bytes(matroska([(at, plain(160, 120, 90)) for at in stamps]))
    kept: list[int] = []
    with pytest.raises(BadClip, match=r"back\.mkv: frame 4 is stamped 20000 us.*80000 us"):
        frames_until_refused(path, kept)
    assert kept == [0, 40_000, 80_000], "what came before is sound"


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("empty.mp4", b"", ClipEmpty),
        ("notes.mp4", b"cards were played here " * 20, BadClip),
        ("cut.mp4", b"\x00\x00\x00\x20ftypisom" + bytes(300), ClipTruncated),
    ],
)
def test_what_is_no_clip_is_refused_by_name(
    tmp_path: Path, name: str, data: bytes, error: type[Exception]
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(error, match=name.replace(".", r"\.")):
        ClipSource(path)


def test_a_photograph_is_no_clip(tmp_path: Path, two_cards: np.ndarray) -> None:
    path = tmp_path / "still.jpg"
    path.write_bytes(jpeg(two_cards))
    with pytest.raises(BadClip, match=r"still\.jpg is no clip"):
        ClipSource(path)
    with pytest.raises(ClipMissing, match=r"none\.mp4"):
        ClipSource(tmp_path / "none.mp4")


def two_picture_gif() -> bytes:
    """Two pictures of 2 x 2: red, then blue."""
    colours = bytes([255, 0, 0, 0, 0, 255])
    head = b"GIF89a" + struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + colours

    def picture(colour: int) -> bytes:
        # LZW with two-bit codes: clear, four times the colour, end; the code grows to four
        # bits once its table is full, so the colour is cleared after every second pixel
        codes = [4, colour, colour, 4, colour, colour, 5]
        bits = "".join(f"{c:03b}"[::-1] for c in codes)
        bits += "0" * (-len(bits) % 8)
        packed = bytes(int(bits[k : k + 8][::-1], 2) for k in range(0, len(bits), 8))
        control = b"\x21\xf9\x04\x00\x0a\x00\x00\x00"
        place = b"\x2c" + struct.pack("<HHHHB", 0, 0, 2, 2, 0)
        return control + place + b"\x02" + bytes([len(packed)]) + packed + b"\x00"

    return head + picture(0) + picture(1) + b"\x3b"
