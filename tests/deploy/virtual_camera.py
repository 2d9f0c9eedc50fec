"""pi.camera.PiCamera on the real Picamera2 class over libcamera's virtual pipeline.

Started by picamera2_virtual.sh inside its root; each line that begins with "ok" was true. The
virtual camera makes NV12 only, at its own pace, and advertises no controls; so here, and only
here, the class the adapter asks for is given NV12 for RGB888, and the controls are left out.
Everything else is the real thing: opening, configuring, starting, requests with a time limit,
their release, metadata, stopping, closing, opening again.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
import time
import types
from itertools import islice
from pathlib import Path

sys.path[:0] = ["/opt/w", "/opt/w/upcard"]

import cv2  # noqa: E402
import numpy as np  # noqa: E402

FRAMES = Path("/opt/w/frames")


def draw_frames() -> None:
    """A white card on green, further to the right in each of six pictures."""
    FRAMES.mkdir(exist_ok=True)
    for number in range(6):
        image = np.full((720, 1280, 3), (40, 90, 10), np.uint8)
        image[200:380, 100 + 150 * number : 220 + 150 * number] = (20, 20, 230)
        cv2.imwrite(str(FRAMES / f"{number}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, 95])


draw_frames()
# vcam first: it stands in for kms, which picamera2 imports for a preview that is not shown.
import vcam  # noqa: E402, I001
import libcamera  # noqa: E402
import picamera2.picamera2 as real  # noqa: E402

if libcamera.CameraManager.singleton().version.startswith("v0.4"):
    # 0.4.0's virtual pipeline leaves the frame's status unset: picamera2 would drop every frame.
    source = textwrap.dedent(inspect.getsource(real.Picamera2.process_requests)).replace(
        "next(iter(req.request.buffers.values())).metadata.status"
        " == libcamera.FrameMetadata.Status.Success",
        "True",
    )
    names = dict(real.__dict__)
    exec(source, names)
    real.Picamera2.process_requests = names["process_requests"]


class Nv12AsBgr(vcam.NV12Helpers):
    """The adapter asks for RGB888, which lies in memory as blue, green, red."""

    def _make_array_shared(self, buffer, config):
        array = super()._make_array_shared(buffer, config)
        if config["format"] != "NV12":
            return array
        width = config["size"][0]
        colour = cv2.cvtColor(np.ascontiguousarray(array), cv2.COLOR_YUV2BGR_NV12)[:, :width]
        # The small stream is asked for as YUV420: the same planes, the colours apart.
        return cv2.cvtColor(colour, cv2.COLOR_BGR2YUV_I420) if width == SMALL_PX else colour


SMALL_PX = 640
real.Helpers = Nv12AsBgr


class Table(vcam.VirtualPicamera2):
    opened = 0

    def __init__(self) -> None:
        super().__init__(allocator=vcam.MemfdAllocator())
        type(self).opened += 1
        self.frozen = False
        self.pre_callback = lambda request: time.sleep(1 / 30)

    def create_video_configuration(self, main=None, controls=None, lores=None, **rest):
        if main is None:  # the class itself asks, while it is made
            return super().create_video_configuration()
        assert main["format"] == "RGB888"
        assert "FrameDurationLimits" in controls
        assert lores["format"] == "YUV420"
        return super().create_video_configuration(
            main={"size": main["size"], "format": "NV12"},
            lores={"size": lores["size"], "format": "NV12"},
            **rest,
        )


module = types.ModuleType("picamera2")
module.Picamera2 = Table
sys.modules["picamera2"] = module

from pi.camera import PiCamera  # noqa: E402
from pi.errors import CameraMissing, CameraSilent  # noqa: E402


def expect(what: str, so: bool) -> None:
    print("ok:" if so else "NOT SO:", what, flush=True)
    if not so:
        sys.exit(1)


def card_at(image: np.ndarray, y: int = 300) -> int:
    """Where the red card begins, from the left."""
    row = image[y].astype(int)
    return int(np.argmax((row[:, 2] > 150) & (row[:, 1] < 110)))


waits: list[float] = []
camera = PiCamera(width_px=1280, height_px=720, fps=30, wait=waits.append)
frames = list(islice(camera.frames(), 30))
expect("thirty frames of 1280x720 in colour", all(f.image.shape == (720, 1280, 3) for f in frames))
expect(
    "red is red: blue, green, red in memory",
    bool(frames[0].image[300, card_at(frames[0].image) + 60, 2] > 150),
)
places = [card_at(f.image) for f in frames]
expect(f"the card wanders: {sorted(set(places))}", len(set(places)) >= 4)
expect("each frame owns its memory", len({f.image.ctypes.data for f in frames}) == 30)
expect("each brings a small one", all(f.small.shape == (360, 640, 3) for f in frames))
expect(
    "of the same moment and view",
    all(abs(2 * card_at(f.small, 150) - card_at(f.image)) <= 8 for f in frames),
)
expect("small ones own their memory too", len({f.small.ctypes.data for f in frames}) == 30)
stamps = [f.at_us for f in frames]
expect("stamps run forward", stamps == sorted(set(stamps)))
expect("and are of today", abs(stamps[-1] / 1e6 - time.time()) < 60)
try:
    PiCamera(width_px=1280, height_px=720, fps=30)
except CameraMissing as error:
    expect(f"a second one is refused: {error}", "end the other program" in str(error))
else:
    expect("a second one is refused", False)
camera.close()
expect("closing ends the frames", list(camera.frames()) == [])

camera = PiCamera(width_px=1280, height_px=720, fps=30, wait=waits.append)
running = camera.frames()
next(running)
before = Table.opened
# A sensor that drops out: requests are cancelled, nothing comes any more.
camera._camera.stop()
began = time.monotonic()
again = next(running)
expect(
    f"silence is noticed after {time.monotonic() - began:.1f} s and the camera opened again",
    Table.opened == before + 1 and again.image.shape == (720, 1280, 3),
)
camera.close()
print(
    "picamera2",
    __import__("importlib.metadata").metadata.version("picamera2"),
    "libcamera",
    libcamera.CameraManager.singleton().version,
)
assert issubclass(CameraSilent, TimeoutError)
