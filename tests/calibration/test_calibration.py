"""The table found from the sheet and from four cards, against a camera whose place is known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import Card
from pi.calibrate import (
    Calibration,
    Plan,
    calibrate,
    examine,
    keep,
    landmarks_of,
    load,
    settled,
    with_sheet,
)
from pi.camera import CameraLock
from pi.cli import main
from pi.errors import BadCalibration
from pi.sim.lens import Lens, homography, to_pixels
from vision.calibration import (
    Check,
    NoTableFound,
    Placed,
    checks,
    drawn,
    find_cards,
    find_sheet,
    index_px,
    layout_of,
    pixels_per_mm,
)
from vision.frame import Image
from vision.layout import place_of
from vision.ports import Detection
from vision.sheet import sheet_pdf

CLOTH = (72, 108, 38)


def table(lens: Lens, *, speckle: int = 0) -> Image:
    image = np.empty((lens.height_px, lens.width_px, 3), np.uint8)
    image[:] = CLOTH
    if speckle:
        rng = np.random.default_rng(7)
        for _ in range(speckle):
            x, y = int(rng.integers(0, lens.width_px)), int(rng.integers(0, lens.height_px))
            colour = tuple(int(v) for v in rng.integers(0, 255, 3))
            cv2.rectangle(image, (x, y), (x + 9, y + 6), colour, -1)
    return image


def sheet_under(lens: Lens, **laid: float) -> Image:
    return with_sheet(table(lens), homography(lens), **laid)  # type: ignore[arg-type]


def verdicts(found: tuple[Check, ...]) -> dict[str, str]:
    return {check.name: check.verdict for check in found}


@settings(max_examples=10, deadline=None)
@given(
    tilt=st.floats(0, 40),
    roll=st.sampled_from([0.0, 90.0, 180.0, 270.0, 33.0]),
    width=st.sampled_from([1280, 1920]),
)
def test_the_sheet_says_where_everything_on_the_table_appears(
    tilt: float, roll: float, width: int
) -> None:
    lens = Lens(width_px=width, height_px=width * 9 // 16, tilt_deg=tilt, roll_deg=roll)
    placed = find_sheet(sheet_under(lens))
    assert placed is not None
    spots = np.array([(0.0, 0.0), (200.0, 0.0), (-150.0, 120.0), (0.0, -180.0)])
    truth = to_pixels(homography(lens), spots)
    found = cv2.perspectiveTransform(spots.reshape(-1, 1, 2), placed.to_picture).reshape(-1, 2)
    assert np.abs(found - truth).max() < 0.003 * width


def test_a_sheet_laid_turned_and_off_the_middle_moves_the_table_with_it() -> None:
    lens = Lens()
    placed = find_sheet(sheet_under(lens, turn_deg=90.0, right_mm=30.0, down_mm=-20.0))
    assert placed is not None
    centre = cv2.perspectiveTransform(np.zeros((1, 1, 2)), placed.to_picture).ravel()
    assert centre == pytest.approx(to_pixels(homography(lens), [(30.0, -20.0)])[0], abs=1.0)
    north = cv2.perspectiveTransform(np.array([[[0.0, -100.0]]]), placed.to_picture).ravel()
    # turned a quarter clockwise, the sheet's North edge is at the picture's right
    assert north[0] > centre[0] + 50


@pytest.mark.parametrize("roll", [0.0, 90.0, 180.0, 270.0])
def test_seats_follow_the_sheet_however_the_camera_hangs(roll: float) -> None:
    lens = Lens(tilt_deg=18.0, roll_deg=roll)
    placed = find_sheet(sheet_under(lens))
    assert placed is not None
    layout = layout_of(placed)
    for seat, (x, y) in enumerate(((0, -170), (170, 0), (0, 170), (-170, 0))):
        # before the player at North of the *sheet*, whose top edge is -y
        at = to_pixels(homography(lens), [(float(x), float(y))])[0]
        place = place_of(
            layout,
            (float(at[0]), float(at[1])),
            length_px=118.0,
            width_px=lens.width_px,
            height_px=lens.height_px,
        )
        assert (place.seat, place.clear, place.middle) == (seat, True, False)
    centre = to_pixels(homography(lens), [(0.0, 0.0)])[0]
    middle = place_of(
        layout,
        (float(centre[0]), float(centre[1])),
        length_px=118.0,
        width_px=lens.width_px,
        height_px=lens.height_px,
    )
    assert middle.middle


def test_a_mirrored_picture_is_not_taken_for_a_table() -> None:
    assert find_sheet(np.ascontiguousarray(sheet_under(Lens())[:, ::-1])) is None


def test_sizes_are_what_the_lens_gives() -> None:
    lens = Lens(width_px=1920, height_px=1080, field_mm=960.0)
    placed = find_sheet(sheet_under(lens))
    assert placed is not None
    assert pixels_per_mm(placed) == pytest.approx(2.0, rel=0.01)
    assert index_px(placed) == pytest.approx(44.0, rel=0.03)


@pytest.mark.parametrize(
    ("lens", "name", "verdict"),
    [
        (Lens(), "size", "pass"),
        (Lens(width_px=640, height_px=360), "size", "warn"),
        (Lens(width_px=640, height_px=360, field_mm=1300.0), "size", "fail"),
        (Lens(tilt_deg=38.0), "tilt", "warn"),
        (Lens(tilt_deg=50.0), "tilt", "fail"),
        (Lens(field_mm=700.0), "view", "warn"),
        (Lens(), "view", "pass"),
    ],
)
def test_a_camera_that_hangs_badly_is_told_so(lens: Lens, name: str, verdict: str) -> None:
    image = sheet_under(lens)
    placed = find_sheet(image)
    assert placed is not None
    assert verdicts(checks(image, placed))[name] == verdict


def spoilt(image: Image, how: str) -> Image:
    match how:
        case "blurred":
            return np.asarray(cv2.GaussianBlur(image, (0, 0), 2.2), np.uint8)
        case "dark":
            return (image * 0.2).astype(np.uint8)
        case "burnt":
            return np.clip(image * 1.6 + 60, 0, 255).astype(np.uint8)
        case "blue":
            return np.clip(image * (1.1, 0.8, 0.4), 0, 255).astype(np.uint8)
        case _:
            across = np.linspace(0, 1, image.shape[1])
            slope = np.interp(across, [0.4, 0.6], [0.4, 1.05])[None, :, None]
            return np.clip(image * slope, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("how", "name", "verdict"),
    [
        ("blurred", "focus", "warn"),
        ("dark", "exposure", "fail"),
        ("burnt", "exposure", "fail"),
        ("blue", "colour", "warn"),
        ("slanting light", "even", "warn"),
    ],
)
def test_a_picture_that_reads_badly_is_told_so_with_a_cure(
    how: str, name: str, verdict: str
) -> None:
    image = spoilt(sheet_under(Lens(field_mm=900.0)), how)
    placed = find_sheet(image)
    assert placed is not None, how
    check = next(check for check in checks(image, placed) if check.name == name)
    assert check.verdict == verdict, check
    assert check.cure


def test_a_good_picture_passes_every_check_of_light_and_focus() -> None:
    image = sheet_under(Lens())
    placed = find_sheet(image)
    assert placed is not None
    assert set(verdicts(checks(image, placed)).values()) == {"pass"}


def test_zones_are_drawn_in_the_picture_and_leave_the_original_alone() -> None:
    image = sheet_under(Lens())
    before = image.copy()
    placed = find_sheet(image)
    assert placed is not None
    canvas = drawn(image, placed)
    assert canvas.shape == image.shape
    assert (canvas != image).any()
    assert (image == before).all()


# --- four cards ----------------------------------------------------------------------------------


class Reads:
    """A reader that sees these cards at these places of the table, each upright for its seat."""

    def __init__(self, lens: Lens, cards: dict[str, tuple[float, float]]) -> None:
        self._lens = lens
        self._cards = cards

    def read(self, image: Image, regions: object = None) -> tuple[Detection, ...]:
        found = []
        for name, (x, y) in self._cards.items():
            flat = to_pixels(
                homography(self._lens),
                [
                    (x - 31.75, y - 44.45),
                    (x + 31.75, y - 44.45),
                    (x + 31.75, y + 44.45),
                    (x - 31.75, y + 44.45),
                ],
            )
            quad = tuple((float(px), float(py)) for px, py in flat)
            low, high = flat.min(axis=0), flat.max(axis=0)
            found.append(
                Detection(
                    kind="card",
                    card=Card(name),
                    confidence=0.99,
                    box=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
                    quad=quad,  # type: ignore[arg-type]
                )
            )
        return tuple(found)


ROUND = {"As": (0.0, -190.0), "Ks": (190.0, 0.0), "Qs": (0.0, 190.0), "Js": (-190.0, 0.0)}


@pytest.mark.parametrize("roll", [0.0, 90.0, 200.0])
def test_four_cards_say_where_the_seats_are(roll: float) -> None:
    lens = Lens(tilt_deg=15.0, roll_deg=roll)
    placed = find_cards(table(lens), Reads(lens, ROUND))
    spots = np.array([(0.0, 0.0), (100.0, 60.0)])
    truth = to_pixels(homography(lens), spots)
    found = cv2.perspectiveTransform(spots.reshape(-1, 1, 2), placed.to_picture).reshape(-1, 2)
    assert np.abs(found - truth).max() < 8


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        ({}, "no card was read"),
        ({k: v for k, v in ROUND.items() if k != "Qs"}, "queen of spades before South"),
        (ROUND | {"Ks": ROUND["Js"], "Js": ROUND["Ks"]}, "wrong way"),
        (ROUND | {"Ks": ROUND["Qs"], "Qs": ROUND["Ks"]}, "players' order"),
        (
            ROUND | {k.replace("s", "h"): (v[0] / 2, v[1] / 2) for k, v in ROUND.items()},
            "nothing else",
        ),
    ],
)
def test_four_cards_that_say_nothing_are_named(
    cards: dict[str, tuple[float, float]], says: str
) -> None:
    with pytest.raises(NoTableFound, match=says):
        find_cards(table(Lens()), Reads(Lens(), cards))


# --- looking until it is certain -----------------------------------------------------------------


def test_three_looks_on_end_must_agree() -> None:
    still = sheet_under(Lens())
    moving = [sheet_under(Lens(), right_mm=float(mm)) for mm in (0, 15, 30, 45)]
    image, placed, _ = settled(iter([*moving, still, still, still]), None)
    assert image is still
    assert placed.found_by == "sheet"
    with pytest.raises(NoTableFound, match="keep hands and sheet still"):
        settled(iter(moving), None)


def test_a_table_without_a_sheet_says_what_to_do() -> None:
    with pytest.raises(NoTableFound, match="lay it flat in the middle"):
        settled(iter([table(Lens())] * 3), None)


# --- the file ------------------------------------------------------------------------------------


def made(lens: Lens, *, lock: CameraLock | None = None) -> Calibration:
    image = with_sheet(table(lens, speckle=300), homography(lens))
    placed, _ = examine(image, None)
    return Calibration(
        made_at_us=1_700_000_000_000_000,
        placed=placed,
        landmarks=landmarks_of(image, placed),
        lock=lock,
    )


def test_what_is_kept_is_what_is_loaded(tmp_path: Path) -> None:
    lock = CameraLock(exposure_us=9_000, gain=2.0, colour_gains=(1.8, 1.3), lens_dioptres=1.2)
    before = made(Lens(), lock=lock)
    keep(tmp_path / "c.json", before)
    after = load(tmp_path / "c.json")
    assert after.lock == lock
    assert np.allclose(after.placed.to_picture, before.placed.to_picture)
    assert np.allclose(after.landmarks.points, before.landmarks.points, atol=0.01)
    assert (after.landmarks.words == before.landmarks.words).all()
    assert layout_of(after.placed) == layout_of(before.placed)
    assert [p.name for p in tmp_path.iterdir()] == ["c.json"]


def test_a_larger_picture_of_the_same_shape_keeps_its_seats() -> None:
    one = made(Lens())
    assert one.layout_for(width_px=2560, height_px=1440) == layout_of(one.placed)
    with pytest.raises(BadCalibration, match="1280 x 720, and they are 640 x 480 now"):
        one.layout_for(width_px=640, height_px=480)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body.pop("to_picture"),
        lambda body: body.update(to_picture=[0.0] * 9),
        lambda body: body.update(to_picture=[1.0, 2.0]),
        lambda body: body.update(schema=99),
        lambda body: body.update(lock=7),
        lambda body: body.update(landmarks={"points": [[1, 2]], "words": "AAAA"}),
        lambda body: body.update(landmarks={"points": [[1, 2]], "words": "%"}),
        lambda body: body.update(width_px="wide"),
    ],
)
def test_a_damaged_file_is_refused_by_name(tmp_path: Path, spoil: object) -> None:
    path = tmp_path / "c.json"
    keep(path, made(Lens()))
    body = json.loads(path.read_text())
    spoil(body)  # type: ignore[operator]
    path.write_text(json.dumps(body))
    with pytest.raises(BadCalibration, match=r"c\.json.*run upcard calibrate"):
        load(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00"])
def test_a_file_that_is_no_calibration_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(BadCalibration, match="run upcard calibrate"):
        load(path)
    with pytest.raises(BadCalibration, match="cannot be read"):
        load(tmp_path / "none.json")


# --- the command ---------------------------------------------------------------------------------


def run(plan: Plan) -> tuple[int, list[dict[str, object]], list[str]]:
    lines: list[dict[str, object]] = []
    said: list[str] = []
    code = calibrate(
        plan, reader=Reads(Lens(), {}), emit=lines.append, complain=said.append, clock_us=lambda: 5
    )
    return code, lines, said


def test_a_picture_is_calibrated_checked_drawn_and_kept(tmp_path: Path) -> None:
    picture = tmp_path / "table.png"
    cv2.imwrite(str(picture), sheet_under(Lens()))
    out, seen = tmp_path / "kept" / "c.json", tmp_path / "zones.jpg"
    code, lines, said = run(Plan(source=str(picture), output=out, picture=seen))
    assert (code, said) == (0, [])
    assert [line["kind"] for line in lines[:2]] == ["looking", "found"]
    assert lines[-1] == {"kind": "kept", "path": str(out), "found_by": "sheet"}
    assert load(out).made_at_us == 5
    assert cv2.imread(str(seen)).shape == (720, 1280, 3)


def test_a_failed_check_keeps_nothing_unless_forced(tmp_path: Path) -> None:
    picture, out = tmp_path / "dark.png", tmp_path / "c.json"
    cv2.imwrite(str(picture), spoilt(sheet_under(Lens()), "dark"))
    code, lines, said = run(Plan(source=str(picture), output=out))
    assert code == 1
    assert not out.exists()
    assert lines[-1] == {"kind": "not_kept", "failed": ["exposure"]}
    assert "exposure" in said[0]
    assert run(Plan(source=str(picture), output=out, force=True))[0] == 1
    assert out.exists()


def test_the_words_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["calibrate", "--from", "sim"]) == 0
    assert "found the table by the printed sheet" in capsys.readouterr().out
    assert (tmp_path / "upcard" / "calibration.json").exists()
    assert main(["calibrate", "--from", "no.jpg"]) == 1
    assert "no.jpg: no such picture" in capsys.readouterr().err
    assert main(["calibrate", "--sheet", str(tmp_path / "s.pdf")]) == 0
    assert (tmp_path / "s.pdf").read_bytes() == sheet_pdf()


def test_the_sheet_is_a_sound_pdf_of_one_a4_page() -> None:
    pdf = sheet_pdf()
    assert pdf.startswith(b"%PDF-1.4")
    assert pdf.rstrip().endswith(b"%%EOF")
    at = int(pdf.rsplit(b"startxref", 1)[1].split()[0])
    assert pdf[at : at + 4] == b"xref"
    for number, line in enumerate(pdf[at:].splitlines()[3:8], 1):
        place = int(line.split()[0])
        assert pdf[place:].startswith(b"%d 0 obj" % number)
    assert b"/MediaBox [0 0 595.28 841.89]" in pdf


def test_every_black_square_of_the_pdf_is_where_the_board_has_it() -> None:
    """The page painted box by box, with no PDF reader, shows the kit its own sheet."""
    body = sheet_pdf().split(b"stream\n")[1].split(b"\nendstream")[0].decode("ascii")
    per_mm = 5
    page = np.full((297 * per_mm, 210 * per_mm, 3), 255, np.uint8)
    for line in body.splitlines():
        if line.endswith(" re"):
            x, y, w, h = (float(v) for v in line.split()[:4])
            top, left = round((297 - y - h) * per_mm), round(x * per_mm)
            page[top : round((297 - y) * per_mm), left : round((x + w) * per_mm)] = 0
    placed = find_sheet(page)
    assert placed is not None
    assert pixels_per_mm(placed) == pytest.approx(per_mm, rel=0.002)
    centre = cv2.perspectiveTransform(np.zeros((1, 1, 2)), placed.to_picture).ravel()
    assert math.hypot(centre[0] - 105 * per_mm, centre[1] - (22 + 119) * per_mm) < 1


def test_placed_keeps_the_outline_of_the_paper() -> None:
    placed = find_sheet(sheet_under(Lens()))
    assert isinstance(placed, Placed)
    (paper,) = placed.marks
    width = np.linalg.norm(paper[1] - paper[0]) / pixels_per_mm(placed)
    assert width == pytest.approx(220, abs=2)
