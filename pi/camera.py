"""Real cameras: the Pi's through picamera2, a USB one through OpenCV.

picamera2 exists on a Raspberry Pi only, so it is imported when a camera is opened and nowhere
else. Every wait has a limit; a camera that falls silent is opened anew a few times, then the
kit ends by name, for the service to start it afresh.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np

from pi.clock import SteadyClock
from pi.errors import CameraMissing, CameraSilent
from pi.ports import CameraLight
from vision.frame import Frame, Image

_LOG = logging.getLogger(__name__)

#: A frame that has not come after this long will not come.
WAIT_S: Final = 2.0
#: How often a silent camera is opened again, and the waits before each try.
RETRY_WAITS_S: Final = (0.5, 2.0, 5.0)
_BUFFERS: Final = 4
#: The width of the small stream that motion is looked for in: its rows need no padding on a Pi.
SMALL_PX: Final = 640
#: So many pictures in a row that a USB camera owes are a silence.
_MISSES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraLock:
    """What calibration found and play keeps: light and focus that do not hunt after hands.

    ``exposure_us``: microseconds. ``gain``: the sensor's. ``colour_gains``: red and blue, which
    also switch the white balance off. ``lens_dioptres``: 1 / metres; None for a fixed lens.
    """

    exposure_us: int
    gain: float
    colour_gains: tuple[float, float]
    lens_dioptres: float | None = None


class PiCamera:
    """The Raspberry Pi's camera. A FrameSource.

    ``focus_m`` fixes the lens at that distance (autofocus would hunt after every hand); None
    leaves lenses alone that cannot move. ``lock`` fixes focus, exposure, gain and white balance
    as calibration left them; it goes into every configuration, since each one starts from
    nothing. Frames wider than 640 pixels bring a small picture of the same view, from the camera's
    own scaler. They are stamped with the sensor's own moment of exposure, in microseconds since
    1970. ``light`` is on while the camera is. Raises CameraMissing, and CameraSilent from
    ``frames()``.
    """

    def __init__(
        self,
        *,
        width_px: int,
        height_px: int,
        fps: float,
        focus_m: float | None = None,
        lock: CameraLock | None = None,
        wait: Callable[[float], None] = time.sleep,
        clock: SteadyClock | None = None,
        light: CameraLight | None = None,
    ) -> None:
        self.clock = clock if clock is not None else SteadyClock()
        self._light = light
        self._size = (width_px, height_px)
        self._fps = fps
        self._focus_m = focus_m
        self._lock = lock
        self._wait = wait
        self._closed = False
        self._camera: Any = None
        self._small: tuple[int, int] | None = None
        self._open()

    def frames(self) -> Iterator[Frame]:
        """Frames until the camera is closed."""
        last_us = 0
        failures = 0
        while not self._closed:
            try:
                frame = self._next()
            except (TimeoutError, OSError, RuntimeError) as error:
                # A sensor that drops out is only seen as silence; the driver has to start over.
                if self._closed:
                    return
                if failures == len(RETRY_WAITS_S):
                    raise CameraSilent(
                        f"the camera gives no picture ({_why(error)}): check its cable and its "
                        "power, then start the kit again"
                    ) from error
                _LOG.warning("the camera is silent (%s): opening it again", _why(error))
                self._shut()
                self._wait(RETRY_WAITS_S[failures])
                failures += 1
                self._reopen()
                continue
            failures = 0
            # A sensor that starts over may count from elsewhere; stamps never run backwards.
            at_us = max(frame.at_us, last_us + 1)
            last_us = at_us
            yield replace(frame, at_us=at_us)

    def settle(self, *, limit_s: float = 3.0) -> CameraLock:
        """Focus once, let exposure and white balance come to rest, and lock what they found.

        Some sensors never say that exposure is at rest: after ``limit_s`` of frames the values
        of the last one are taken. The camera is configured anew with them. Raises CameraSilent.
        """
        self._lock = None
        self._shut()
        self._open()
        if "AfMode" in self._camera.camera_controls:
            try:
                if not self._camera.autofocus_cycle(wait=WAIT_S * 3):
                    _LOG.warning("the lens found no sharp place: its last one is kept")
            except TimeoutError:
                _LOG.warning("the lens did not come to rest: its last place is kept")
        told: dict[str, Any] = {}
        for _ in range(max(2, round(limit_s * self._fps))):
            try:
                request = self._camera.capture_request(wait=WAIT_S)
            except TimeoutError as error:
                raise CameraSilent(
                    "the camera gives no picture while it settles: check its cable and power"
                ) from error
            try:
                told = request.get_metadata()
            finally:
                request.release()
            if told.get("AeLocked"):
                break
        self._lock = CameraLock(
            exposure_us=int(told["ExposureTime"]),
            gain=float(told["AnalogueGain"]),
            colour_gains=(float(told["ColourGains"][0]), float(told["ColourGains"][1])),
            lens_dioptres=(
                float(told["LensPosition"]) if told.get("LensPosition") is not None else None
            ),
        )
        self._shut()
        self._open()
        return self._lock

    def close(self) -> None:
        self._closed = True
        self._shut()

    def _next(self) -> Frame:
        if self._camera is None:
            raise OSError("it is not open")
        request = self._camera.capture_request(wait=WAIT_S)
        try:
            # make_array copies: nothing of the camera's buffers leaves this method.
            image: Image = request.make_array("main")
            small = None if self._small is None else request.make_array("lores")
            metadata = request.get_metadata()
        finally:
            # A request that is kept stalls the camera after a few more.
            request.release()
        sensor_ns = metadata.get("SensorTimestamp")
        # The sensor counts from the machine's start, as the clock's steady count does.
        at_us = self.clock.now_us() if sensor_ns is None else self.clock.at_us(sensor_ns)
        return Frame(
            at_us=at_us,
            image=np.ascontiguousarray(image),
            small=None if small is None or self._small is None else _in_colour(small, self._small),
        )

    def _reopen(self) -> None:
        try:
            self._open()
        except CameraMissing as error:
            _LOG.warning("%s", error)

    def _open(self) -> None:
        try:
            from picamera2 import Picamera2
        except ImportError as error:
            raise CameraMissing(
                f"the module {error.name or 'picamera2'} is missing: sudo apt install "
                "python3-picamera2 --no-install-recommends, and make the environment with "
                "--system-site-packages"
            ) from error
        if not Picamera2.global_camera_info():
            raise CameraMissing(
                "no camera answers: switch the Pi off, check the ribbon cable at both ends, "
                "then try rpicam-hello"
            )
        try:
            camera = Picamera2()
        except (RuntimeError, IndexError) as error:
            raise CameraMissing(
                f"the camera cannot be opened ({error}): end the other program that uses it"
            ) from error
        period_us = round(1_000_000 / self._fps)
        controls: dict[str, Any] = {"FrameDurationLimits": (period_us, period_us)}
        if self._focus_m is not None and "LensPosition" in camera.camera_controls:
            # 0 is manual; the lens counts in dioptres.
            controls |= {"AfMode": 0, "LensPosition": 1 / self._focus_m}
        if self._lock is not None:
            controls |= _locked(self._lock, known=camera.camera_controls)
        try:
            configuration = camera.create_video_configuration(
                # picamera2's RGB888 lies in memory as blue, green, red: OpenCV's order.
                main={"size": self._size, "format": "RGB888"},
                controls=controls,
                buffer_count=_BUFFERS,
                **self._small_stream(),
            )
            camera.configure(configuration)
            # What was asked for may have been rounded to what the camera can do.
            small = camera.camera_configuration().get("lores")
            self._small = None if small is None else (int(small["size"][0]), int(small["size"][1]))
            _lit(self._light, True)
            camera.start()
        except BaseException:
            camera.close()
            _lit(self._light, False)
            raise
        self._camera = camera

    def _small_stream(self) -> dict[str, Any]:
        """The second stream, of the whole view; YUV420 is what every Pi's scaler can make."""
        width, height = self._size
        if width <= SMALL_PX:
            return {}
        # Planes of half the size need even sides.
        return {
            "lores": {
                "size": (SMALL_PX, round(SMALL_PX * height / width / 2) * 2),
                "format": "YUV420",
            }
        }

    def _shut(self) -> None:
        camera, self._camera = self._camera, None
        if camera is None:
            return
        try:
            camera.stop()
        finally:
            camera.close()
            _lit(self._light, False)


def _in_colour(planes: Image, size: tuple[int, int]) -> Image:
    """Blue, green, red from the three planes of YUV420, whose rows may be padded on the right."""
    width, height = size
    colour = cv2.cvtColor(planes[: height * 3 // 2], cv2.COLOR_YUV2BGR_I420)
    return np.ascontiguousarray(colour[:, :width], np.uint8)


def _why(error: Exception) -> str:
    # A time-out says nothing of itself.
    return str(error) or f"none came for {WAIT_S:g} s"


def _lit(light: CameraLight | None, running: bool) -> None:
    if light is not None:
        light.show(running)


def _locked(lock: CameraLock, *, known: Mapping[str, Any]) -> dict[str, Any]:
    """The lock in libcamera's words; a lens that cannot move has no words for its place."""
    controls: dict[str, Any] = {
        "AeEnable": False,
        "ExposureTime": lock.exposure_us,
        "AnalogueGain": lock.gain,
        "AwbEnable": False,
        "ColourGains": lock.colour_gains,
    }
    if lock.lens_dioptres is not None and "LensPosition" in known:
        controls |= {"AfMode": 0, "LensPosition": lock.lens_dioptres}
    return controls


@contextmanager
def _no_words_of_opencv() -> Iterator[None]:
    """A camera that is not there is told in our words; OpenCV's own are for its makers."""
    log = getattr(cv2.utils, "logging", None)
    if log is None:
        yield
        return
    level = log.getLogLevel()
    log.setLogLevel(log.LOG_LEVEL_SILENT)
    try:
        yield
    finally:
        log.setLogLevel(level)


class UsbCamera:
    """A USB camera through OpenCV. A FrameSource, stamped when a frame arrives.

    ``light`` is on while the camera is. Raises CameraMissing, and CameraSilent from ``frames()``
    when it was opened again a few times in vain.
    """

    def __init__(
        self,
        device: int,
        *,
        width_px: int,
        height_px: int,
        fps: float,
        open_capture: Callable[[int], Any] = cv2.VideoCapture,
        wait: Callable[[float], None] = time.sleep,
        clock: SteadyClock | None = None,
        light: CameraLight | None = None,
    ) -> None:
        self.clock = clock if clock is not None else SteadyClock()
        self._light = light
        self._device = device
        self._size = (width_px, height_px)
        #: What the camera really gives.
        self.size_px = self._size
        self._fps = fps
        self._open_capture = open_capture
        self._wait = wait
        self._closed = False
        self._capture = self._opened()

    def frames(self) -> Iterator[Frame]:
        """Frames until the camera is closed; opened again after ten that did not come."""
        last_us = 0
        missed = failures = 0
        while not self._closed:
            done, image = self._capture.read()
            if done:
                missed = failures = 0
                last_us = max(self.clock.now_us(), last_us + 1)
                yield Frame(at_us=last_us, image=image.copy())
                continue
            missed += 1
            if missed < _MISSES or self._closed:
                continue
            if failures == len(RETRY_WAITS_S):
                raise CameraSilent(
                    f"USB camera {self._device} gives no picture: plug it in again, then "
                    "start the kit again"
                )
            _LOG.warning("USB camera %d is silent: opening it again", self._device)
            self._release(self._capture)
            self._wait(RETRY_WAITS_S[failures])
            failures += 1
            try:
                self._capture = self._opened()
                missed = 0
            except CameraMissing as error:
                _LOG.warning("%s", error)
                # Still unplugged: its next read fails too, and that is answer enough.
                missed = _MISSES - 1

    def _opened(self) -> Any:
        _lit(self._light, True)
        with _no_words_of_opencv():
            capture = self._open_capture(self._device)
        if not capture.isOpened():
            self._release(capture)
            raise CameraMissing(
                f"no USB camera answers as device {self._device}: plug it in, or name another "
                "with device in the settings (v4l2-ctl --list-devices shows them)"
            )
        # Uncompressed, USB 2 carries some five large pictures a second; this comes before the size.
        capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        capture.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
        capture.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        capture.set(cv2.CAP_PROP_FPS, self._fps)
        # One frame waiting at most: what is shown must be now.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._mind_the_size(capture)
        return capture

    def _mind_the_size(self, capture: Any) -> None:
        """Drivers take the nearest size they know, and say nothing."""
        given = (
            round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)),
            round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)),
        )
        if min(given) > 0 and given != self.size_px:
            self.size_px = given
            _LOG.warning(
                "USB camera %d gives pictures of %d x %d, not %d x %d: set width_px and height_px "
                "to a size it has (v4l2-ctl --list-formats-ext shows them)",
                self._device,
                *given,
                *self._size,
            )

    def _release(self, capture: Any) -> None:
        capture.release()
        _lit(self._light, False)

    def close(self) -> None:
        self._closed = True
        self._release(self._capture)
