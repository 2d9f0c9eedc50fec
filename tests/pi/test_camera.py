"""The cameras: against a picamera2 as particular as the real one, and an OpenCV capture."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import numpy as np
import pytest

from pi.camera import RETRY_WAITS_S, CameraLock, PiCamera, UsbCamera
from pi.errors import CameraMissing, CameraSilent


def _strict() -> ModuleType:
    path = Path(__file__).with_name("strict_picamera2.py")
    spec = importlib.util.spec_from_file_location("strict_picamera2", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["strict_picamera2"] = module
    spec.loader.exec_module(module)
    return module


STRICT = _strict()


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Any:
    scene = STRICT.Scene()
    monkeypatch.setitem(sys.modules, "picamera2", STRICT.module(scene))
    start = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    scene.timestamps_ns = [start + k * 100_000_000 for k in range(50)]
    return scene


def camera(**changes: Any) -> PiCamera:
    options = {"width_px": 640, "height_px": 360, "fps": 10.0, "wait": lambda seconds: None}
    return PiCamera(**(options | changes))


def take(source: PiCamera | UsbCamera, count: int) -> list[Any]:
    return list(islice(source.frames(), count))


def test_a_red_card_is_red_and_not_blue(scene: Any) -> None:
    blue, green, red = take(camera(), 1)[0].image[0, 0]
    assert (red, green, blue) == (220, 30, 10)


def test_a_small_picture_of_the_same_view_comes_along_for_motion(scene: Any) -> None:
    frame = take(camera(width_px=1920, height_px=1080), 1)[0]
    assert frame.image.shape == (1080, 1920, 3)
    assert frame.small.shape == (360, 640, 3)
    assert np.abs(frame.small.astype(int) - (10, 30, 220)).max() <= 8, "blue, green, red"


@pytest.mark.parametrize("align_px", [64, 128, 256, 768])
def test_the_padding_of_its_rows_is_cut_off_and_does_not_skew_the_colours(
    scene: Any, align_px: int
) -> None:
    scene.align_px = align_px
    frame = take(camera(width_px=1640, height_px=1232), 1)[0]
    assert frame.small.shape == (480, 640, 3)
    assert np.abs(frame.small.astype(int) - (10, 30, 220)).max() <= 8


def test_small_pictures_keep_their_own_memory_too(scene: Any) -> None:
    frames = take(camera(width_px=1280, height_px=720), 12)
    assert all(frame.small.min() >= 2 for frame in frames), "nothing was written over"
    assert len({frame.small.ctypes.data for frame in frames}) == 12


def test_a_picture_that_is_small_already_has_none(scene: Any) -> None:
    assert take(camera(), 1)[0].small is None
    assert scene.configurations[-1]["lores"] is None


def test_frames_keep_their_pictures_when_the_buffers_go_back(scene: Any) -> None:
    frames = take(camera(), 12)
    assert all(frame.image[:, :, 2].min() == 220 for frame in frames)
    assert frames[0].image.shape == (360, 640, 3)


def test_frames_are_stamped_by_the_sensor_in_time_since_1970(scene: Any) -> None:
    stamps = [frame.at_us for frame in take(camera(), 5)]
    steps = np.diff(stamps)
    assert np.all(np.abs(steps - 100_000) < 5_000)
    assert abs(stamps[0] / 1e6 - time.time()) < 60


def test_stamps_never_run_backwards(scene: Any) -> None:
    scene.timestamps_ns[3] = scene.timestamps_ns[0] - 10**9
    stamps = [frame.at_us for frame in take(camera(), 6)]
    assert stamps == sorted(set(stamps))


def test_the_rate_is_fixed_and_the_lens_set_where_there_is_one(scene: Any) -> None:
    camera(focus_m=0.8).close()
    controls = scene.configurations[-1]["controls"]
    assert controls["FrameDurationLimits"] == (100_000, 100_000)
    assert controls["LensPosition"] == pytest.approx(1.25)
    scene.lens = False
    camera(focus_m=0.8).close()
    assert "LensPosition" not in scene.configurations[-1]["controls"]


def test_calibration_locks_focus_exposure_gain_and_white_balance(scene: Any) -> None:
    source = camera()
    lock = source.settle()
    assert lock.exposure_us == 10_000, "the exposure at rest, not the one on the way"
    assert (lock.gain, lock.colour_gains, lock.lens_dioptres) == (2.5, (1.9, 1.4), 1.4)
    controls = scene.configurations[-1]["controls"]
    assert (controls["AfMode"], controls["LensPosition"]) == (0, 1.4)
    assert (controls["ExposureTime"], controls["AeEnable"]) == (10_000, False)
    assert scene.open_now == 1


def test_a_lock_is_in_the_configuration_of_a_camera_that_is_opened_again(scene: Any) -> None:
    source = camera(lock=CameraLock(exposure_us=8_000, gain=1.5, colour_gains=(2.0, 1.5)))
    scene.silent_captures = 1
    next(source.frames())
    assert len(scene.configurations) == 2
    for configuration in scene.configurations:
        assert configuration["controls"]["ExposureTime"] == 8_000
        assert configuration["controls"]["ColourGains"] == (2.0, 1.5)
        assert "LensPosition" not in configuration["controls"]


def test_exposure_that_never_rests_is_taken_as_it_is_after_a_while(scene: Any) -> None:
    scene.frames_to_rest = 10_000
    lock = camera().settle(limit_s=1.0)
    assert lock.exposure_us > 10_000


def test_a_fixed_lens_is_left_alone_by_calibration(scene: Any) -> None:
    scene.lens = False
    assert camera().settle().lens_dioptres is None


def test_a_silent_camera_is_opened_again_and_goes_on(scene: Any) -> None:
    waits: list[float] = []
    source = camera(wait=waits.append)
    frames = source.frames()
    next(frames)
    scene.silent_captures = 2
    assert next(frames).image[0, 0, 2] == 220
    assert waits == [0.5, 2.0]
    assert scene.opened == 3
    assert scene.open_now == 1
    scene.silent_captures = len(RETRY_WAITS_S)
    next(frames)
    assert waits[2:] == list(RETRY_WAITS_S), "a good frame starts the count again"


def test_a_camera_that_stays_silent_ends_by_name(scene: Any) -> None:
    source = camera()
    scene.silent_captures = 100
    with pytest.raises(CameraSilent, match=r"none came for 2 s.*check its cable"):
        next(source.frames())
    source.close()
    assert scene.open_now == 0


def test_a_camera_unplugged_for_a_moment_is_waited_for(scene: Any) -> None:
    def plug_in(seconds: float) -> None:
        scene.present = seconds > 0.5

    source = camera(wait=plug_in)
    scene.silent_captures = 1
    assert next(source.frames()).image.shape == (360, 640, 3)


def test_closing_ends_the_frames_and_frees_the_camera(scene: Any) -> None:
    source = camera()
    frames = source.frames()
    next(frames)
    source.close()
    assert list(frames) == []
    assert scene.open_now == 0
    camera().close()


def test_no_camera_and_a_busy_one_are_named_with_the_cure(scene: Any) -> None:
    held = camera()
    with pytest.raises(CameraMissing, match=r"busy.*end the other program"):
        camera()
    held.close()
    scene.present = False
    with pytest.raises(CameraMissing, match="ribbon cable"):
        camera()


def test_without_picamera2_the_apt_line_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraMissing, match="apt install python3-picamera2"):
        camera()


def test_importing_the_driver_imports_no_hardware_library() -> None:
    import subprocess

    code = (
        "import sys, pi.camera, pi.wiring\n"
        "print('picamera2' in sys.modules, 'lgpio' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


class Capture:
    """An OpenCV capture that reuses one buffer, as drivers do."""

    def __init__(
        self, *, opens: bool = True, good: int = 5, only: tuple[int, int] | None = None
    ) -> None:
        self.opens, self.good, self.released = opens, good, False
        self.asked: dict[int, float] = {}
        #: The one size that it has, whatever is asked.
        self.only = only
        self._buffer = np.zeros((4, 6, 3), np.uint8)

    def isOpened(self) -> bool:
        return self.opens

    def set(self, what: int, value: float) -> bool:
        self.asked[what] = value
        return True

    def get(self, what: int) -> float:
        if self.only is not None and what == cv2.CAP_PROP_FRAME_WIDTH:
            return float(self.only[0])
        if self.only is not None and what == cv2.CAP_PROP_FRAME_HEIGHT:
            return float(self.only[1])
        return self.asked.get(what, 0.0)

    def read(self) -> tuple[bool, np.ndarray | None]:
        if self.good == 0:
            return False, None
        self.good -= 1
        self._buffer[:] = self.good
        return True, self._buffer

    def release(self) -> None:
        self.released = True


def usb(capture: Capture) -> UsbCamera:
    return UsbCamera(0, width_px=640, height_px=480, fps=10, open_capture=lambda device: capture)


def test_usb_frames_own_their_memory_and_run_forward() -> None:
    frames = take(usb(Capture()), 5)
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [4, 3, 2, 1, 0]
    assert [f.at_us for f in frames] == sorted({f.at_us for f in frames})


def test_compressed_pictures_are_asked_for_before_their_size() -> None:
    capture = Capture()
    usb(capture)
    asked = list(capture.asked)
    assert asked.index(cv2.CAP_PROP_FOURCC) < asked.index(cv2.CAP_PROP_FRAME_WIDTH)
    code = int(capture.asked[cv2.CAP_PROP_FOURCC])
    assert code.to_bytes(4, "little") == b"MJPG"


def test_a_usb_camera_that_gives_another_size_says_so_and_is_measured_by_that(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert usb(Capture()).size_px == (640, 480)
    assert not caplog.records
    assert usb(Capture(only=(1280, 960))).size_px == (1280, 960)
    assert "gives pictures of 1280 x 960, not 640 x 480: set width_px" in caplog.text


def test_opencv_says_nothing_of_a_camera_that_is_not_there_and_speaks_again_afterwards() -> None:
    script = (
        "import cv2\n"
        "from pi.camera import UsbCamera\n"
        "from pi.errors import CameraMissing\n"
        "before = cv2.utils.logging.getLogLevel()\n"
        "try:\n"
        "    UsbCamera(63, width_px=640, height_px=480, fps=10)\n"
        "except CameraMissing as error:\n"
        "    print(error)\n"
        "print(cv2.utils.logging.getLogLevel() == before)\n"
    )
    if Path("/dev/video63").exists():
        pytest.skip("this machine has a camera of that number")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "no USB camera answers as device 63" in done.stdout
    assert done.stdout.endswith("True\n")
    assert done.stderr == ""


def test_a_missing_or_silent_usb_camera_is_named_with_the_cure() -> None:
    closed = Capture(opens=False)
    with pytest.raises(CameraMissing, match="device 0"):
        usb(closed)
    assert closed.released
    with pytest.raises(CameraSilent, match="plug it in again"):
        list(usb(Capture(good=2)).frames())
