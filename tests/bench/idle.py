"""What the kit costs while nothing moves, and while it plays: share of one core, and memory.

    .venv/bin/python tests/bench/idle.py [--seconds 30] [--size 1920x1080] [--fps 10]

The frames of one simulated table are drawn beforehand and shown again at the pace of a camera,
so that drawing them is not counted: first a table at which nobody moves (with a sensor's noise,
a new one in every frame), then a deal as it is played. The kit around them is whole: pipeline
with the shipped models, ring of the last seconds, log on the disk, the page served with one
viewer. The share is of one core, by the process's own CPU time. Prints one JSON line:

* ``idle_percent``, ``idle_frame_ms``: nothing moves. The bar is 10 percent at 10 frames a second.
* ``playing_percent``, ``playing_frame_ms``: cards are played, as fast as the simulated people do.
* ``parts_ms``: of one idle frame, CPU: the gate and the ring each alone, everything else.
* ``rss_mb``, ``peak_mb``: memory at the end, and at most, without the frames drawn beforehand.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import numpy as np

from engine.commands import StartGame
from engine.sqlite_log import SqliteLog
from engine.table import Table
from pi.evidence import EvidenceFolder
from pi.ring import Ring
from pi.settings import KitSettings
from pi.sim.table import SimTable
from pi.wiring import Kit, page_for
from vision.frame import Frame
from vision.layout import Layout
from vision.motion import Gate
from vision.pipeline import Pipeline
from vision.reader import load_reader
from web_dashboard.server import open_server


class Shown:
    """Frames drawn beforehand, at the pace of a camera: a sleep between two, no drawing."""

    def __init__(self, images: list[np.ndarray], *, fps: float, count: int) -> None:
        self._images, self._fps, self._count = images, fps, count
        self.cpu_s: list[float] = []

    def frames(self) -> Iterator[Frame]:
        start_us = time.time_ns() // 1000
        began = time.monotonic()
        for number in range(self._count):
            ahead = began + number / self._fps - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            self.cpu_s.append(time.process_time())
            image = self._images[number % len(self._images)]
            yield Frame(at_us=start_us + round(number * 1e6 / self._fps), image=image)

    def close(self) -> None: ...


def noisy(image: np.ndarray, count: int) -> list[np.ndarray]:
    """``count`` exposures of one still scene: the same light, another noise."""
    made = []
    for seed in range(count):
        chance = np.random.default_rng(seed)
        noise = chance.normal(0, 2.0, image.shape).astype(np.int16)
        made.append(np.clip(image + noise, 0, 255).astype(np.uint8))
    return made


def drawn(size: tuple[int, int], *, fps: float, count: int) -> list[np.ndarray]:
    """The frames of the first deal of a simulated game."""
    from dataclasses import replace

    from pi.sim.dials import Dials
    from pi.sim.table import lens_for

    lens = replace(lens_for(Dials(), 1), width_px=size[0], height_px=size[1])
    table = SimTable(
        seed=1, rules="home", lens=lens, fps=fps, start_us=0, games=1, shuffle_passes=0
    )
    return [frame.image for frame in islice(table.frames(), count)]


def memory_mb() -> tuple[float, float]:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def watch(port: int, stop: threading.Event) -> None:
    import http.client

    link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    link.request("GET", "/events", headers={"Accept": "text/event-stream"})
    answer = link.getresponse()
    while not stop.is_set() and answer.readline():
        pass


def run(images: list[np.ndarray], *, fps: float, count: int) -> tuple[Kit, Shown]:
    source = Shown(images, fps=fps, count=count)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        log = opened.enter_context(SqliteLog(Path(folder) / "games.db"))
        table = Table(log, clock_us=lambda: time.time_ns() // 1000)
        kit = Kit(
            source=source,
            pipeline=Pipeline(load_reader(threads=2), Layout(), EvidenceFolder(Path(folder) / "e")),
            table=table,
            log=log,
            settings=KitSettings(log=Path(folder) / "games.db", speed=None, fps=fps),
            commands_due=lambda at_us: (),
            first=StartGame(dealer=3),
        )
        page = opened.enter_context(open_server(page_for(kit), host="127.0.0.1", port=0))
        page.start()
        stop = threading.Event()
        threading.Thread(target=watch, args=(page.port, stop), daemon=True).start()
        kit.run()
        stop.set()
        kit.close()
    return kit, source


def alone(take: Callable[[Frame], object], still: list[np.ndarray], *, fps: float) -> float:
    """Milliseconds of CPU a frame of one part of the kit, over ten seconds of a still table."""
    frames = [
        Frame(at_us=10**15 + round(number * 1e6 / fps), image=still[number % len(still)])
        for number in range(round(10 * fps))
    ]
    began = time.process_time()
    for frame in frames:
        take(frame)
    return (time.process_time() - began) / len(frames) * 1e3


def share(source: Shown, *, fps: float, after_s: float) -> tuple[float, float]:
    """Percent of a core and milliseconds of it a frame, once the start is over."""
    used = source.cpu_s[int(after_s * fps) :]
    each_s = (used[-1] - used[0]) / (len(used) - 1)
    return round(each_s * fps * 100, 1), round(each_s * 1e3, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--fps", type=float, default=10.0)
    given = parser.parse_args()
    width, height = map(int, given.size.split("x"))
    count = round(given.seconds * given.fps)

    deal = drawn((width, height), fps=given.fps, count=count)
    drawn_mb = sum(image.nbytes for image in deal) / 2**20
    still = noisy(deal[0], 12)
    drawn_mb += sum(image.nbytes for image in still) / 2**20
    kit, shown = run(still, fps=given.fps, count=count)
    idle, idle_ms = share(shown, fps=given.fps, after_s=8)
    reads = kit._pipeline.statistics.reads
    gate_ms = alone(Gate().look, still, fps=given.fps)
    ring_ms = alone(Ring(seconds=10).add, still, fps=given.fps)
    kit, shown = run(deal, fps=given.fps, count=count)
    playing, playing_ms = share(shown, fps=given.fps, after_s=2)
    rss, peak = memory_mb()
    print(
        json.dumps(
            {
                "size": given.size,
                "fps": given.fps,
                "idle_percent": idle,
                "idle_frame_ms": idle_ms,
                "idle_reads": reads,
                "parts_ms": {
                    "gate": round(gate_ms, 2),
                    "ring": round(ring_ms, 2),
                    "rest": round(max(idle_ms - gate_ms - ring_ms, 0), 2),
                },
                "playing_percent": playing,
                "playing_frame_ms": playing_ms,
                "playing_reads": kit._pipeline.statistics.reads,
                "rss_mb": round(rss - drawn_mb),
                "peak_mb": round(peak - drawn_mb),
            }
        )
    )


if __name__ == "__main__":
    main()
