"""From a fact to the board: how long until a browser has drawn the card.

    .venv/bin/python tests/bench/board.py [--deals 10] [--watchers 0]

Serves the page over a log in memory and lays cards as a camera would, four deals of twenty
cards a minute and faster; Debian's chromium, headless, notes the moment each card stands on the
board, at the frame after it was drawn. Prints one JSON line of milliseconds from the fact's
append, median and p95: ``put_ms`` until the card stands in the page, ``drawn_ms`` until the frame
after it was drawn; and the machine's load, without which neither says anything. ``--watchers``
holds that many further event streams open. Both clocks are this machine's own.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from engine.cards import Card
from engine.commands import ClearTrick, ConfirmDeal, Declare, PlayCard, ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import PageSettings, create_app, open_server

TRICKS = (
    ((1, "Ah"), (2, "9h"), (3, "Th"), (0, "Kh")),
    ((1, "Ks"), (2, "As"), (3, "9s"), (0, "Ts")),
    ((2, "Qd"), (3, "9d"), (0, "Ad"), (1, "9c")),
    ((0, "Tc"), (1, "Jc"), (2, "Qc"), (3, "Ac")),
    ((3, "Kc"), (0, "Td"), (1, "Qs"), (2, "Js")),
)

#: Notes when each card was on the board: the frame after the one in which it was put there.
WATCH = """
window.seen = {};
window.put = {};
new MutationObserver(() => {
  for (const card of document.querySelectorAll("#table .lie")) {
    const version = card.dataset.version;
    if (version in window.seen) continue;
    window.seen[version] = null;
    window.put[version] = performance.timeOrigin + performance.now();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.seen[version] = performance.timeOrigin + performance.now();
    }));
  }
}).observe(document.querySelector("#table"), { childList: true, subtree: true });
"""


def browser() -> Any:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,800"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def watch(port: int, stop: threading.Event) -> None:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("GET", "/events", headers={"Accept": "text/event-stream"})
    answer = link.getresponse()
    with contextlib.suppress(OSError):
        while not stop.is_set() and answer.readline():
            pass


def play(table: Table, deals: int, pause_s: float) -> dict[int, float]:
    """Lay the cards; answers when each play was appended, in milliseconds since 1970."""
    laid: dict[int, float] = {}
    for deal in range(deals):
        turn = deal % 4
        table.submit(ShowUpcard(card=Card("Kh"), dealer=turn), source="camera")
        table.submit(Declare(maker=(1 + turn) % 4, trump="h"), source="page")
        for trick in TRICKS:
            for seat, card in trick:
                at_ms = time.time() * 1000
                done = table.submit(
                    PlayCard(seat=(seat + turn) % 4, card=Card(card)), source="camera"
                )
                laid[done.version] = at_ms
                time.sleep(pause_s)
            table.submit(ClearTrick(), source="camera")
        table.submit(ConfirmDeal(), source="page")
    return laid


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--deals", type=int, default=10)
    arguments.add_argument("--watchers", type=int, default=0)
    arguments.add_argument("--pause-s", type=float, default=0.25)
    asked = arguments.parse_args()
    log = MemoryLog()
    table = Table(log, clock_us=lambda: time.time_ns() // 1000)
    with tempfile.TemporaryDirectory() as folder:
        settings = PageSettings(table_kind="hand", access_file=Path(folder) / "codes.json")
        server = open_server(create_app(table, log, settings), host="127.0.0.1", port=0)
        server.start()
        stop = threading.Event()
        for _ in range(asked.watchers):
            threading.Thread(target=watch, args=(server.port, stop), daemon=True).start()
        driver = browser()
        try:
            table.submit(
                StartGame(rules={"preset": "home", "target": 100}, dealer=0), source="page"
            )
            driver.get(server.url)
            while driver.execute_script("return document.querySelector('.plate') === null"):
                time.sleep(0.05)
            driver.execute_script(WATCH)
            laid = play(table, asked.deals, asked.pause_s)
            time.sleep(1.0)
            seen, put = driver.execute_script("return [window.seen, window.put]")
        finally:
            driver.quit()
            stop.set()
            server.close()
    cores = len(os.sched_getaffinity(0))
    told = {"put_ms": spread(put, laid), "drawn_ms": spread(seen, laid), "cards": len(laid)}
    busy = {"load": round(os.getloadavg()[0], 1), "cores": cores, "watchers": asked.watchers}
    print(json.dumps(told | busy))


def spread(noted: dict[str, float | None], laid: dict[int, float]) -> dict[str, float]:
    """Median and 95th percentile of how long each card took, and how many were seen."""
    took = sorted(at - laid[int(v)] for v, at in noted.items() if at and int(v) in laid)
    p95 = took[min(len(took) - 1, int(0.95 * len(took)))]
    return {"median": round(statistics.median(took), 1), "p95": round(p95, 1), "n": len(took)}


if __name__ == "__main__":
    main()
