"""What reading costs: whole frames, the changed part, the gate, memory; beside other detectors.

    .venv/bin/python tests/bench/reader.py [--rounds 15] [--threads 1 2] [--no-peers] [--json]

Frames are 1920 x 1080, drawn here, with a card some 100 px high (an index some 22 px). A reading
holds everything: resize, find, crop, read, pair. All contestants take turns within each round,
so that whatever else the machine does falls on all alike; the best and the median of the rounds
are told, and the least processor time, which a busy machine hardly touches: ratios are of that for
one thread, and of the best time for two. The peers are untrained nets of published shapes
(``peer_nets.py``; needs the ``onnx`` package): their time holds fitting the frame into their
square, not what a detector still has to do with its output, nor reading a card's name from it.
The estimate for a Raspberry Pi 5 is one thread's time here times 1.6 (YOLO11n and YOLO26n:
published four-thread time on the Pi over one-thread time measured on x86-64), no measurement.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from engine.cards import ALL_CARDS
from pi.sim.faces import face_pixels
from vision.find import full_looks, look_at
from vision.frame import Frame, Image
from vision.layout import Layout
from vision.motion import Gate
from vision.pipeline import Pipeline
from vision.reader import STILL_SIDES_PX, Reader, load_reader

FRAME_PX = (1920, 1080)
CARD_PX = 100
#: One-thread time here to Pi 5 time, four threads: a ratio of published to measured times.
PI5_RATIO = 1.6


def table_with(count: int, seed: int = 3) -> Image:
    """A cloth with ``count`` cards lying free, turned any way."""
    rng = np.random.default_rng(seed)
    wide, high = FRAME_PX
    soft = cv2.resize(rng.normal(size=(9, 16)).astype(np.float32), FRAME_PX) * 8
    frame = np.clip(
        np.array([60, 95, 40]) + soft[..., None] + rng.normal(0, 3, (high, wide, 3)), 0, 255
    ).astype(np.uint8)
    columns = 12
    for k in range(count):
        face = face_pixels(ALL_CARDS[(7 * k) % len(ALL_CARDS)], width_px=280)[..., :3]
        tall, across = face.shape[:2]
        scale, turn = CARD_PX / tall, float(rng.uniform(0, 2 * math.pi))
        x = (k % columns + 0.5) * wide / columns
        y = (k // columns + 0.5) * high / 5
        c, s = math.cos(turn) * scale, math.sin(turn) * scale
        matrix = np.array(
            [
                [c, -s, x - (c * across - s * tall) / 2],
                [s, c, y - (s * across + c * tall) / 2],
            ]
        )
        cover = cv2.warpAffine(np.full((tall, across), 255, np.uint8), matrix, FRAME_PX)
        laid = cv2.warpAffine(face, matrix, FRAME_PX, flags=cv2.INTER_AREA)
        frame[cover > 127] = laid[cover > 127]
    return frame


def session_of(model: bytes, threads: int):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def found_by(reader: Reader, frame: Image) -> list[object]:
    """The scout's and the finder's part of reading a whole frame, without what is made of it."""
    s = reader.settings
    looks = full_looks(frame.shape[1], frame.shape[0], reader.sides_px)
    return [
        look_at(reader.finder, frame, look, multiple_px=s.multiple_px, cell_px=s.cell_px)
        for look, _ in reader.worth_a_look(frame, looks)
    ]


def peer(model: bytes, side_px: int, threads: int, frame: Image) -> Callable[[], object]:
    """The frame fitted into the peer's square, as a picture of floats, and its net run."""
    session = session_of(model, threads)

    def read() -> object:
        scale = side_px / max(frame.shape[:2])
        size = (round(frame.shape[1] * scale), round(frame.shape[0] * scale))
        fitted = np.full((side_px, side_px, 3), 114, np.uint8)
        fitted[: size[1], : size[0]] = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
        batch = np.ascontiguousarray(fitted.transpose(2, 0, 1)[None], np.float32)
        batch *= np.float32(1 / 255)
        return session.run(None, {"images": batch})

    return read


def gate_and_pipeline(frame: Image, reader: object) -> dict[str, Callable[[], object]]:
    """A frame in which nothing is new: the gate alone, and the whole pipeline with its tracker."""
    rng = np.random.default_rng(9)
    # the sensor's noise makes every frame another, though nothing happens on the table
    noisy = [
        np.clip(frame + rng.normal(0, 1.5, frame.shape), 0, 255).astype(np.uint8) for _ in range(6)
    ]
    clock = {"gate": 0, "pipeline": 0}
    gate = Gate()
    pipeline = Pipeline(reader, Layout())  # type: ignore[arg-type]

    def next_frame(whose: str) -> Frame:
        clock[whose] += 100_000
        return Frame(at_us=clock[whose], image=noisy[clock[whose] // 100_000 % len(noisy)])

    for _ in range(40):  # four seconds: what lies there is read and settled
        gate.look(next_frame("gate"))
        pipeline.process(next_frame("pipeline"))

    def gate_once() -> object:
        return gate.look(next_frame("gate"))

    def pipeline_once() -> object:
        return pipeline.process(next_frame("pipeline"))

    return {"gate, nothing new": gate_once, "pipeline, nothing new": pipeline_once}


def memory_mb() -> dict[str, float]:
    """Resident memory of a process that reads 1920 x 1080 frames, and its peak."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from reader import table_with\n"
        "from vision.reader import load_reader\n"
        "r, f = load_reader(threads=2), table_with(8)\n"
        "for _ in range(5): r.read(f)\n"
        "t = dict(l.split(':', 1) for l in open('/proc/self/status'))\n"
        "print(int(t['VmRSS'].split()[0]) / 1024, int(t['VmHWM'].split()[0]) / 1024)\n"
    )
    if not Path("/proc/self/status").exists():
        return {}
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).resolve().parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    now, peak = (float(v) for v in done.stdout.split())
    return {"resident": round(now, 1), "peak": round(peak, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--json", action="store_true", help="only the JSON line")
    parser.add_argument("--models", type=Path, default=None)
    given = parser.parse_args()

    frames = {n: table_with(n) for n in (0, 1, 4, 8, 20)}
    box = (0.0, 0.0, 220.0, 240.0)  # the first card's place and its surroundings
    peers: list[tuple[str, bytes, int]] = []
    if not given.no_peers:
        try:
            import peer_nets
        except ModuleNotFoundError as fault:
            print(f"reader bench: {fault}: no peers are measured", file=sys.stderr)
        else:
            for side in (640,):
                peers.append((f"YOLO11n-shaped {side}", peer_nets.yolo11n_shaped(side)[0], side))
            for side in (416, 640):
                model = peer_nets.yolox_nano_shaped(side)[0]
                peers.append((f"YOLOX-nano-shaped {side}", model, side))

    contest: dict[str, Callable[[], object]] = {}
    for threads in given.threads:
        mark = f"{threads} thread" + ("s" if threads > 1 else "")
        reader = load_reader(threads=threads, models_dir=given.models)
        still = load_reader(threads=threads, models_dir=given.models, sides_px=STILL_SIDES_PX)
        for count, frame in frames.items():
            if threads == given.threads[0] or count in (4, 8):
                contest[f"{mark}: whole frame, {count} cards"] = lambda r=reader, f=frame: r.read(f)
        whole = replace(reader, scout=None)
        contest[f"{mark}: without the scout, 8 cards"] = lambda r=whole: r.read(frames[8])
        contest[f"{mark}: of it, finding"] = lambda r=reader: found_by(r, frames[8])
        contest[f"{mark}: still picture, 8 cards"] = lambda r=still: r.read(frames[8])
        contest[f"{mark}: changed part, 1 card"] = lambda r=reader: r.read(frames[8], [box])
        for name, model, side in peers:
            contest[f"{mark}: {name}"] = peer(model, side, threads, frames[8])
        if threads == given.threads[0]:
            for name, once in gate_and_pipeline(frames[4], reader).items():
                contest[f"{mark}: {name}"] = once

    cv2.setNumThreads(1)
    for once in contest.values():
        once()
    times: dict[str, list[float]] = {name: [] for name in contest}
    works: dict[str, list[float]] = {name: [] for name in contest}
    for _ in range(given.rounds):
        for name, once in contest.items():
            began, work = time.perf_counter(), time.process_time()
            once()
            times[name].append((time.perf_counter() - began) * 1e3)
            works[name].append((time.process_time() - work) * 1e3)

    rows = {
        name: {
            "best_ms": round(min(line), 2),
            "median_ms": round(statistics.median(line), 2),
            "cpu_ms": round(min(works[name]), 2),
        }
        for name, line in times.items()
    }
    ratios = {}
    for threads in given.threads:
        mark = f"{threads} thread" + ("s" if threads > 1 else "")
        part = rows[f"{mark}: changed part, 1 card"]
        # one thread's own work is hardly touched by what else the machine does; two have to wait
        of = "cpu_ms" if threads == 1 else "best_ms"
        for name, _, _ in peers:
            other = rows[f"{mark}: {name}"]
            for count in frames:
                whole = rows.get(f"{mark}: whole frame, {count} cards")
                if whole is not None:
                    what = f"{mark}: {name} / whole frame, {count} cards"
                    ratios[what] = round(other[of] / whole[of], 2)
            ratios[f"{mark}: {name} / changed part"] = round(other[of] / part[of], 2)
    first = f"{given.threads[0]} thread" + ("s" if given.threads[0] > 1 else "")
    pi5 = {
        what: round(rows[f"{first}: {what}"]["cpu_ms"] * PI5_RATIO, 1)
        for what in (
            "whole frame, 0 cards",
            "whole frame, 4 cards",
            "whole frame, 8 cards",
            "still picture, 8 cards",
            "changed part, 1 card",
            "gate, nothing new",
        )
    }
    told = {
        "rounds": given.rounds,
        "load": [round(v, 1) for v in os.getloadavg()],
        "ms": rows,
        "ratios": ratios,
        "pi5_ms_estimate": pi5 if given.threads[0] == 1 else None,
        "memory_mb": memory_mb(),
    }
    if not given.json:
        for name, row in rows.items():
            print(
                f"{name:<40} best {row['best_ms']:8.2f} ms   median {row['median_ms']:8.2f} ms"
                f"   processor {row['cpu_ms']:8.2f} ms"
            )
        for name, ratio in ratios.items():
            print(f"{name:<60} {ratio:6.2f}")
        print(f"Pi 5, an estimate, ms: {told['pi5_ms_estimate']}")
        print(f"memory of a reading process, MB: {told['memory_mb']}")
        print(f"load average while measuring: {told['load']}")
    print(json.dumps(told))


if __name__ == "__main__":
    main()
