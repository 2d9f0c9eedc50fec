"""What a picture of the simulated table costs when nothing moved, beside a new one.

    .venv/bin/python tests/bench/painting.py

Prints one JSON line: the best of many still pictures and of as many new ones in milliseconds of
processor time, and their ratio, the figure to compare between machines.
"""

from __future__ import annotations

import json
import time

from engine.cards import Card
from pi.sim.dials import Dials
from pi.sim.lens import Lens
from pi.sim.painter import Painter
from pi.sim.stage import Episode, Pose, Resting


def lying(shift_mm: float) -> Episode:
    cards = tuple(
        Resting(key=k, card=Card("As"), pose=Pose(x_mm=40.0 * k + shift_mm, y_mm=0))
        for k in range(5)
    )
    return Episode(start_us=0, end_us=10**9, still=cards)


def cost_ms(painter: Painter, episode: Episode, at_us: int) -> float:
    began = time.process_time()
    painter.frame(episode, at_us)
    return (time.process_time() - began) * 1e3


def main() -> None:
    painter = Painter(lens=Lens(), dials=Dials(), seed=1)
    still = lying(0.0)
    painter.frame(still, 0)
    stills = min(cost_ms(painter, still, k) for k in range(1, 40))
    news = min(cost_ms(painter, lying(k / 10), k) for k in range(1, 40))
    print(
        json.dumps(
            {
                "still_ms": round(stills, 2),
                "new_ms": round(news, 2),
                "still_of_new": round(stills / news, 3),
            }
        )
    )


if __name__ == "__main__":
    main()
