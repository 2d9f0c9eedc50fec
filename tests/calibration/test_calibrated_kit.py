"""A camera that hangs the wrong way round: calibrated, the kit still knows who played what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest

import pi.sim.table
from pi.calibrate import Plan, calibrate, load
from pi.camera import UsbCamera
from pi.errors import BadCalibration
from pi.settings import KitSettings
from pi.sim.compare import Comparison, compare
from pi.sim.dials import Dials
from pi.sim.lens import Lens
from pi.sim.seeing import TrueReader
from pi.sim.table import SimTable
from pi.wiring import Kit, build


@pytest.fixture
def upside_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every simulated camera hangs from North's side of the table."""
    monkeypatch.setattr(
        pi.sim.table, "lens_for", lambda dials, seed: Lens(tilt_deg=12.0, roll_deg=180.0)
    )


def played(calibration: Path | None) -> tuple[Comparison, Kit]:
    settings = KitSettings(
        table="sim",
        rules={"preset": "home", "target": 2},
        fps=8,
        speed=None,
        games=1,
        passes=0,
        seed=5,
        calibration=calibration,
        dials=Dials(hands=0),
        width_px=640,
        height_px=360,
    )

    def reader(source: Any) -> TrueReader:
        assert isinstance(source, SimTable)
        return TrueReader(source)

    with build(settings, reader_for=reader) as kit:
        kit.run()
        assert isinstance(kit.source, SimTable)
        return compare(kit.source.truth[0], kit.table.state), kit


def test_a_calibrated_camera_that_hangs_upside_down_knows_every_seat(
    upside_down: None, tmp_path: Path
) -> None:
    path = tmp_path / "calibration.json"
    code = calibrate(
        Plan(source="sim", output=path, seed=5),
        reader=TrueReader(SimTable(seed=5)),
        emit=lambda line: None,
        complain=pytest.fail,
    )
    assert code == 0
    told, kit = played(path)
    assert told.verdict == "equal", told.differences
    assert kit.health()["calibration"] in ("none", "unknown", "in_place")


def test_without_a_calibration_the_same_camera_takes_north_for_south(upside_down: None) -> None:
    told, _ = played(None)
    assert told.verdict != "equal"


def test_a_calibration_for_pictures_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    calibrate(
        Plan(source="sim", output=path),
        reader=TrueReader(SimTable(seed=1)),
        emit=lambda line: None,
        complain=pytest.fail,
    )
    settings = KitSettings(table="sim", width_px=640, height_px=480, calibration=path, seed=1)
    with pytest.raises(BadCalibration, match="run upcard calibrate again"):
        build(settings, reader_for=lambda source: TrueReader(source))  # type: ignore[arg-type]


class WebCamera:
    """An OpenCV capture that has pictures of 640 x 480 and no others."""

    def isOpened(self) -> bool:
        return True

    def set(self, what: int, value: float) -> None: ...

    def get(self, what: int) -> float:
        return {cv2.CAP_PROP_FRAME_WIDTH: 640.0, cv2.CAP_PROP_FRAME_HEIGHT: 480.0}[what]

    def release(self) -> None: ...


def test_the_pictures_that_a_usb_camera_really_gives_are_what_must_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "calibration.json"
    calibrate(
        Plan(source="sim", output=path),
        reader=TrueReader(SimTable(seed=1)),
        emit=lambda line: None,
        complain=pytest.fail,
    )
    monkeypatch.setattr(
        "pi.wiring.open_camera",
        lambda kind, settings, opened, **rest: UsbCamera(
            settings.device,
            width_px=settings.width_px,
            height_px=settings.height_px,
            fps=settings.fps,
            open_capture=lambda device: WebCamera(),
        ),
    )
    # The settings' size fits the calibration; the camera's does not.
    settings = KitSettings(table="usb", width_px=1280, height_px=720, calibration=path)
    with pytest.raises(BadCalibration, match="they are 640 x 480 now"):
        build(settings, reader_for=lambda source: TrueReader(SimTable(seed=1)))


def test_a_damaged_calibration_stops_the_kit_before_it_opens_anything(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text("{")
    with pytest.raises(BadCalibration, match="is no JSON"):
        build(replace(KitSettings(), calibration=path))
    with pytest.raises(BadCalibration):
        load(path)
