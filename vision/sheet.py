"""The printed sheet that shows the kit where the table and its seats are.

A chequerboard with ArUco markers in its white squares (OpenCV's ChArUco): one look gives the
middle of the table, which way North is, how many pixels a millimetre has, how sharp the picture
is and how bright. It fits on A4 and on US Letter, printed at 100%.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image

#: Squares across and down, and their sides in millimetres.
COLUMNS: Final = 5
ROWS: Final = 7
SQUARE_MM: Final = 34.0
MARKER_MM: Final = 25.0
WIDTH_MM: Final = COLUMNS * SQUARE_MM
HEIGHT_MM: Final = ROWS * SQUARE_MM
#: A4; on Letter the printer leaves the lower margin smaller, and nothing is cut.
PAPER_MM: Final = (210.0, 297.0)
#: From the paper's top to the board: room for the words, also on Letter (279 mm high).
_TOP_MM: Final = 22.0
_LEFT_MM: Final = (PAPER_MM[0] - WIDTH_MM) / 2
_POINTS_PER_MM: Final = 72 / 25.4

#: Along the top and below the board.
NORTH_WORDS: Final = "NORTH sits at this edge"
_FOOT_WORDS: Final = (
    "Upcard: lay this sheet flat in the middle of the table, then run: upcard calibrate",
    "Print at 100%. A square must measure 34 mm.",
)


def board() -> cv2.aruco.CharucoBoard:
    """The board as OpenCV looks for it; its corners are in millimetres from the top left."""
    return cv2.aruco.CharucoBoard(
        (COLUMNS, ROWS),
        SQUARE_MM,
        MARKER_MM,
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50),
    )


def sheet_picture(*, pixels_per_mm: int = 4) -> Image:
    """The board alone as a picture, blue-green-red."""
    size = (round(WIDTH_MM * pixels_per_mm), round(HEIGHT_MM * pixels_per_mm))
    grey = board().generateImage(size, marginSize=0, borderBits=1)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


def sheet_pdf() -> bytes:
    """The sheet as a PDF of one A4 page, all in outlines: sharp on any printer."""
    drawing = [f"{_POINTS_PER_MM:.6f} 0 0 {_POINTS_PER_MM:.6f} 0 0 cm", "0 g"]
    for x_mm, y_mm, side_x_mm, side_y_mm in _black_boxes():
        left = _LEFT_MM + x_mm
        bottom = PAPER_MM[1] - _TOP_MM - y_mm - side_y_mm
        # a hair wider than it is: printers leave white lines between boxes that only touch
        drawing.append(
            f"{left - 0.01:.3f} {bottom - 0.01:.3f} {side_x_mm + 0.02:.3f} {side_y_mm + 0.02:.3f} "
            "re"
        )
    drawing.append("f")
    middle_mm = PAPER_MM[0] / 2
    drawing.append(_arrow(middle_mm, PAPER_MM[1] - _TOP_MM + 3))
    drawing.append(_words(NORTH_WORDS, middle_mm - 30, PAPER_MM[1] - 13, 5.6))
    for line, text in enumerate(_FOOT_WORDS):
        drawing.append(
            _words(text, _LEFT_MM, PAPER_MM[1] - _TOP_MM - HEIGHT_MM - 6 - 5 * line, 3.6)
        )
    return _pdf("\n".join(drawing).encode("ascii"))


def _black_boxes() -> Iterator[tuple[float, float, float, float]]:
    """x, y, width and height in millimetres of everything black, from the board's top left."""
    cells = 6  # DICT_4X4 has four by four bits and a border of one round them
    cell_mm = MARKER_MM / cells
    edge_mm = (SQUARE_MM - MARKER_MM) / 2
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    marker = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            x_mm, y_mm = column * SQUARE_MM, row * SQUARE_MM
            if (row + column) % 2 == 0:
                yield x_mm, y_mm, SQUARE_MM, SQUARE_MM
                continue
            bits = dictionary.generateImageMarker(marker, cells, borderBits=1)
            marker += 1
            for r, c in zip(*np.nonzero(bits == 0), strict=True):
                yield (
                    x_mm + edge_mm + float(c) * cell_mm,
                    y_mm + edge_mm + float(r) * cell_mm,
                    cell_mm,
                    cell_mm,
                )


def _arrow(x_mm: float, y_mm: float) -> str:
    return f"{x_mm - 5:.2f} {y_mm:.2f} m {x_mm + 5:.2f} {y_mm:.2f} l {x_mm:.2f} {y_mm + 5:.2f} l f"


def _words(text: str, x_mm: float, y_mm: float, size_mm: float) -> str:
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /F1 {size_mm} Tf {x_mm:.2f} {y_mm:.2f} Td ({escaped}) Tj ET"


def _pdf(drawing: bytes) -> bytes:
    """A page with this drawing. The format is public (ISO 32000); a page needs five objects."""
    width, height = (side * _POINTS_PER_MM for side in PAPER_MM)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}] "
        "/Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".encode("ascii"),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawing), drawing),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    )
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table_at = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table_at,
    )
    return bytes(out)


def board_corners_mm() -> NDArray[np.float64]:
    """All inner corners of the board, (n, 2), in millimetres from the board's middle.

    x grows to the East, y to the South: the sheet's top edge is at North.
    """
    corners = np.asarray(board().getChessboardCorners(), np.float64)[:, :2]
    return corners - np.array([WIDTH_MM / 2, HEIGHT_MM / 2])
