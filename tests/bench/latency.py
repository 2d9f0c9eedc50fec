"""From a card at rest to the page: how long, and how much of it is settling.

    .venv/bin/python tests/bench/latency.py [--fps 10] [--plays 60] [--seed 1]

Runs the simulated table at the pace of a real one, with the page served and one viewer on its
event stream, and prints one JSON line:

* ``settling_ms``: from the first frame at rest to the frame that made the card certain. The kit
  waits this long on purpose, so that one misread frame is never believed.
* ``delivery_ms``: from having that frame in hand to the snapshot's arrival at the viewer:
  reading, rules, the durable append, the event.
* ``total_ms``: both, from the card at rest to the page.
* ``delivery_frames``: the delivery's median as a share of the time between two frames, the
  figure to compare between machines.
* ``rss_mb``, ``peak_mb``: memory of the whole kit with its page at the end, and at most.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import threading
import time
from pathlib import Path

from pi.settings import KitSettings
from pi.wiring import build, page_for
from web_dashboard.server import open_server


def watch(port: int, arrived: dict[int, float], stop: threading.Event) -> None:
    """A viewer: the moment each version's snapshot came off the wire."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("GET", "/events", headers={"Accept": "text/event-stream"})
    answer = link.getresponse()
    while not stop.is_set():
        line = answer.readline()
        if not line:
            return
        if line.startswith(b"id:"):
            version = int(line.split(b":", 1)[1].split(b"-")[-1].split(b".")[-1])
            arrived.setdefault(version, time.monotonic())


def memory_mb() -> tuple[float, float]:
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))


def spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 1),
        "n": len(ordered),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fps", type=float, default=10.0)
    parser.add_argument("--plays", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        settings = KitSettings(
            table="sim", seed=given.seed, fps=given.fps, log=Path(folder) / "games.db", passes=0
        )
        with build(settings) as kit, open_server(page_for(kit), host="127.0.0.1", port=0) as page:
            page.start()
            in_hand: dict[int, float] = {}
            process = kit._pipeline.process

            def timed(frame):
                in_hand[frame.at_us] = time.monotonic()
                return process(frame)

            kit._pipeline.process = timed
            arrived: dict[int, float] = {}
            stop = threading.Event()
            viewer = threading.Thread(
                target=watch, args=(page.port, arrived, stop), name="viewer", daemon=True
            )
            viewer.start()
            made: list[tuple[int, int, int]] = []  # version, at rest, certain

            def note(news):
                made.extend(
                    (r.version, r.at_us, kit.now_us()) for r in news.facts if r.source == "camera"
                )
                if len(made) >= given.plays:
                    kit.stop()

            kit.table.subscribe(note)
            kit.run()
            time.sleep(1.0)
            stop.set()
            rss, peak = memory_mb()
    settling, delivery, total = [], [], []
    for version, rest_us, certain_us in made:
        if version not in arrived or certain_us not in in_hand or rest_us not in in_hand:
            continue
        settling.append((certain_us - rest_us) / 1e3)
        delivery.append((arrived[version] - in_hand[certain_us]) * 1e3)
        total.append((arrived[version] - in_hand[rest_us]) * 1e3)
    print(
        json.dumps(
            {
                "fps": given.fps,
                "settling_ms": spread(settling),
                "delivery_ms": spread(delivery),
                "total_ms": spread(total),
                "delivery_frames": round(statistics.median(delivery) / (1000 / given.fps), 3),
                "rss_mb": round(rss),
                "peak_mb": round(peak),
            }
        )
    )


if __name__ == "__main__":
    main()
