"""A picamera2 that is as particular as the real one, and fails where that would hang.

What it insists on: one camera open at a time; known configuration keys, formats and controls;
configure before start, start before capture; at most ``buffer_count`` requests held; no use of
a request after its release; arrays are copies. Its RGB888 lies in memory as blue, green, red.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import cv2
import numpy as np

CONTROLS = {
    "FrameDurationLimits",
    "AfMode",
    "LensPosition",
    "AeEnable",
    "ExposureTime",
    "AnalogueGain",
    "AwbEnable",
    "ColourGains",
}


class Request:
    def __init__(self, camera: Picamera2, image: np.ndarray, timestamp_ns: int) -> None:
        self._camera = camera
        self._image = image
        self._timestamp_ns = timestamp_ns
        self._held = True

    def make_array(self, name: str) -> np.ndarray:
        assert self._held, "a request was used after its release"
        if name == "lores":
            return self._camera.small(self._image)
        assert name == "main", f"no stream {name!r} was configured"
        return self._image.copy()

    def get_metadata(self) -> dict[str, Any]:
        assert self._held, "a request was used after its release"
        told = {"SensorTimestamp": self._timestamp_ns} | self._camera.scene.light()
        if self._camera.scene.lens:
            told["LensPosition"] = self._camera.scene.lens_at
        return told

    def release(self) -> None:
        assert self._held, "a request was released twice"
        self._held = False
        self._camera.held -= 1
        # The buffer goes back to the camera, which writes the next picture into it.
        self._image[:] = 0


class Scene:
    """What the sensor sees, and how it behaves: shared by every Picamera2 that is opened."""

    def __init__(self) -> None:
        self.red = True
        self.silent_captures = 0
        self.present = True
        self.opened = 0
        self.open_now = 0
        self.started_now = 0
        self.configurations: list[dict[str, Any]] = []
        self.timestamps_ns: list[int] = []
        self.lens = True
        self.lens_at = 1.0
        self.frames_to_rest = 3
        #: Rows of a plane are as long as a multiple of this: 128 on a Pi 5.
        self.align_px = 128
        self.focus_works = True

    def light(self) -> dict[str, Any]:
        """Exposure comes to rest after a few frames, unless the configuration fixes it."""
        controls = self.configurations[-1]["controls"]
        if "ExposureTime" in controls:
            assert controls["AeEnable"] is False, "automatic exposure would overrule the time"
            return {
                "ExposureTime": controls["ExposureTime"],
                "AnalogueGain": controls["AnalogueGain"],
                "ColourGains": controls["ColourGains"],
                "AeLocked": True,
            }
        self.frames_to_rest -= 1
        return {
            "ExposureTime": 10_000 + 500 * max(0, self.frames_to_rest),
            "AnalogueGain": 2.5,
            "ColourGains": (1.9, 1.4),
            "AeLocked": self.frames_to_rest <= 0,
        }


class Picamera2:
    scene: Scene

    @classmethod
    def global_camera_info(cls) -> list[dict[str, Any]]:
        return [{"Model": "imx708", "Num": 0}] if cls.scene.present else []

    def __init__(self) -> None:
        if self.scene.open_now:
            raise RuntimeError("Failed to acquire camera: Device or resource busy")
        self.scene.opened += 1
        self.scene.open_now += 1
        self.held = 0
        self._configuration: dict[str, Any] | None = None
        self._started = False
        self._closed = False

    @property
    def camera_controls(self) -> dict[str, Any]:
        return {name: None for name in CONTROLS if self.scene.lens or name[:2] not in ("Af", "Le")}

    def create_video_configuration(
        self,
        main: dict[str, Any] | None = None,
        lores: dict[str, Any] | None = None,
        controls: dict[str, Any] | None = None,
        buffer_count: int = 6,
    ) -> dict[str, Any]:
        main, controls = main or {}, controls or {}
        assert set(main) <= {"size", "format"}, f"unknown keys in main: {main}"
        assert main.get("format") in ("RGB888", "BGR888", "YUV420"), main
        if lores is not None:
            assert set(lores) <= {"size", "format"}, f"unknown keys in lores: {lores}"
            assert lores["format"] == "YUV420", "a Pi 4 makes nothing else for lores"
            assert all(side % 2 == 0 for side in lores["size"]), lores
            assert all(s <= m for s, m in zip(lores["size"], main["size"], strict=True)), lores
        unknown = set(controls) - set(self.camera_controls)
        if unknown:
            raise RuntimeError(f"Control {unknown} is not advertised by libcamera")
        return {"main": main, "lores": lores, "controls": controls, "buffer_count": buffer_count}

    def configure(self, configuration: dict[str, Any]) -> None:
        assert not self._started, "configured while running"
        self._configuration = {**configuration}
        if configuration["lores"] is not None:
            width = configuration["lores"]["size"][0]
            align = self.scene.align_px
            stride = -(-width // align) * align
            self._configuration["lores"] = {**configuration["lores"], "stride": stride}
        self.scene.configurations.append(configuration)

    def camera_configuration(self) -> dict[str, Any]:
        assert self._configuration is not None, "asked for before it was configured"
        return self._configuration

    def small(self, image: np.ndarray) -> np.ndarray:
        """As the real one leaves it: planes of YUV420, rows padded with whatever was there."""
        assert self._configuration is not None
        lores = self._configuration["lores"]
        assert lores is not None, "no stream 'lores' was configured"
        (width, height), stride = lores["size"], lores["stride"]
        bgr = image if self._configuration["main"]["format"] == "RGB888" else image[:, :, ::-1]
        shrunk = cv2.resize(np.ascontiguousarray(bgr), (width, height))
        packed = cv2.cvtColor(shrunk, cv2.COLOR_BGR2YUV_I420)
        planes = np.full((height * 3 // 2, stride), 77, np.uint8)
        planes[:height, :width] = packed[:height]
        for number, part in enumerate(packed[height:].reshape(2, height // 2, width // 2)):
            rows = np.full((height // 2, stride // 2), 77, np.uint8)
            rows[:, : width // 2] = part
            colours = planes[height:].reshape(-1)
            colours[number * rows.size : (number + 1) * rows.size] = rows.reshape(-1)
        return planes

    def start(self) -> None:
        assert self._configuration is not None, "started without a configuration"
        self._started = True
        self.scene.started_now += 1

    def autofocus_cycle(self, wait: float | None = None) -> bool:
        assert self._started, "focused before start"
        assert isinstance(wait, float), "without a time limit a stuck lens waits for ever"
        if not self.scene.lens:
            raise RuntimeError("Control AfMode is not advertised by libcamera")
        if self.scene.focus_works:
            self.scene.lens_at = 1.4
        return self.scene.focus_works

    def capture_request(self, wait: float | bool | None = None) -> Request:
        assert not self._closed, "captured from a closed camera"
        assert self._started, "captured before start"
        assert isinstance(wait, float), "without a time limit a lost sensor waits for ever"
        assert self._configuration is not None
        assert self.held < self._configuration["buffer_count"], "every buffer is held: it stalls"
        if self.scene.silent_captures or not self.scene.timestamps_ns:
            self.scene.silent_captures = max(0, self.scene.silent_captures - 1)
            raise TimeoutError
        self.held += 1
        width, height = self._configuration["main"]["size"]
        rgb = (220, 30, 10) if self.scene.red else (10, 30, 220)
        order = rgb[::-1] if self._configuration["main"]["format"] == "RGB888" else rgb
        image = np.empty((height, width, 3), np.uint8)
        image[:] = order
        return Request(self, image, self.scene.timestamps_ns.pop(0))

    def stop(self) -> None:
        if self._started:
            self.scene.started_now -= 1
        self._started = False

    def close(self) -> None:
        if not self._closed:
            self.scene.open_now -= 1
        self._closed = True


def module(scene: Scene) -> ModuleType:
    """A module to stand in for ``picamera2`` that sees ``scene``."""
    made = ModuleType("picamera2")
    made.Picamera2 = type("Picamera2", (Picamera2,), {"scene": scene})  # type: ignore[attr-defined]
    return made
