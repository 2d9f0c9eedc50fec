"""What a picture file says of itself, told from its bytes before anything is decoded.

Decoding is where a damaged or hostile file hurts: some decoders hand over half a picture as
if it were whole, and a few kilobytes may ask for gigabytes.
"""

from __future__ import annotations

_PNG = b"\x89PNG\r\n\x1a\n"
#: JPEG start-of-frame markers: all of C0 to CF but the tables C4, C8 and CC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"heim", b"heis")


def is_heic(data: bytes) -> bool:
    """Whether this is the photograph format of many telephones, which OpenCV does not read."""
    return data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS


def declared_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels as a PNG, JPEG, GIF, BMP or WebP says; None where unknown."""
    if data.startswith(_PNG) and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    if data[:2] == b"BM" and len(data) >= 26:
        wide = int.from_bytes(data[18:22], "little", signed=True)
        high = int.from_bytes(data[22:26], "little", signed=True)
        return abs(wide), abs(high)  # a negative height only says: top row first
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_size(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg_walk(data)[0]
    return None


def is_cut_short(data: bytes) -> bool:
    """Whether a JPEG or PNG ends before its own end marker."""
    if data.startswith(_PNG):
        return b"IEND" not in data[-64:] and b"IEND\xaeB`\x82" not in data
    if data[:2] == b"\xff\xd8":
        first_scan = _jpeg_walk(data)[1]
        # within a scan FF is always followed by 00 or a restart marker, so this is the end
        return first_scan is None or data.find(b"\xff\xd9", first_scan) < 0
    return False


def _webp_size(data: bytes) -> tuple[int, int] | None:
    match data[12:16]:
        case b"VP8X" if len(data) >= 30:
            return (
                int.from_bytes(data[24:27], "little") + 1,
                int.from_bytes(data[27:30], "little") + 1,
            )
        case b"VP8L" if len(data) >= 25:
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if len(data) >= 30:
            return (
                int.from_bytes(data[26:28], "little") & 0x3FFF,
                int.from_bytes(data[28:30], "little") & 0x3FFF,
            )
    return None


def _jpeg_walk(data: bytes) -> tuple[tuple[int, int] | None, int | None]:
    """The size a JPEG declares, and where its first scan begins; None for what is not there.

    Segments are passed over by their lengths, so a thumbnail inside one is not mistaken for
    the picture.
    """
    size: tuple[int, int] | None = None
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return size, None
        marker = data[at + 1]
        if marker == 0xFF:  # filling
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # stand alone, without a length
            at += 2
            continue
        if marker in _FRAMES and at + 9 <= len(data):
            high = int.from_bytes(data[at + 5 : at + 7], "big")
            wide = int.from_bytes(data[at + 7 : at + 9], "big")
            size = (wide, high)
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xDA:
            return size, at + 2 + length
        at += 2 + max(length, 2)
    return size, None
