"""A kit with nothing but its fittings, on pins that outlive it: to be killed at any moment.

``shuffling_kit.py run FOLDER`` touches the shuffler again and again, as fast as it may;
``shuffling_kit.py look FOLDER`` is the same kit switched on again, with nobody at the buttons: it
prints the shuffler's state after two seconds. ``off`` is what the service runs in between.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine.commands import StartGame
from engine.log import UnknownGame
from engine.sqlite_log import SqliteLog
from engine.table import Table
from pi.fitting import Wired, open_fittings
from pi.gpio import Pins
from pi.looks import Looks
from pi.settings import KitSettings, ShufflerSettings
from pi.shuffling.touch import outputs_off
from pi.tending import Tending

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "pi"))


def main(what: str, folder: Path) -> None:
    from kept_pins import kept_factory

    factory = kept_factory(folder / "pins")
    if what == "off":
        outputs_off(factory, Pins())
        return
    log = SqliteLog(folder / "games.db")
    try:
        table = Table.open(log, "last", clock_us=_now_us)
    except UnknownGame:
        table = Table(log, clock_us=_now_us)
        table.submit(StartGame(dealer=1), source="page")
    settings = KitSettings(
        log=folder / "games.db", passes=99, shuffler=ShufflerSettings(pass_s=2.0)
    )

    def report(done: Any) -> str | None:
        table.submit(done, source="shuffler")
        return None

    with ExitStack() as closing:
        fittings = open_fittings(
            Wired(factory=factory, now_us=_now_us, sensors=(), own_clock=True),
            settings,
            game=lambda: table.state,
            report=report,
            closing=closing,
        )
        shuffling = fittings.shuffling
        assert shuffling is not None
        tending = Tending(
            fittings,
            table=table,
            do=lambda command, source: table.submit(command, source=source),
            warn=lambda text: None,
            looks=Looks(game=lambda: table.state),
        )
        print("on", flush=True)
        end_s = time.monotonic() + (2.0 if what == "look" else 60.0)
        while time.monotonic() < end_s:
            tending.tick(_now_us())
            if what == "run" and shuffling.work.phase != "passing":
                shuffling.start(1)
            time.sleep(0.02)
        print(shuffling.state()["phase"], flush=True)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
