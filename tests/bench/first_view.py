"""How long a first visit to the board takes on a slow line: python tests/bench/first_view.py

A cold browser, a line of 1.6 Mbit/s down and 150 ms there and back (what Lighthouse calls slow
4G) or of a home's Wi-Fi (20 Mbit/s, 10 ms), a processor four times slower; the time until the
board with its score is drawn (largest paint), the median of several visits, and the bytes that
came over the line.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from engine.cards import parse_card
from engine.commands import Declare, PlayCard, ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import PageSettings, create_app, open_server

LINES = {
    "home Wi-Fi": (20_000_000 / 8, 10),
    "slow 4G": (1_600_000 / 8, 150),
    "no limit": (-1, 0),
}


def table_in_play() -> tuple[Table, MemoryLog]:
    log = MemoryLog()
    table = Table(log, clock_us=lambda: time.time_ns() // 1000)
    for command in (
        StartGame(names=("Ann", "Ben", "Cleo", "Dan"), dealer=0),
        ShowUpcard(card=parse_card("Kh"), dealer=0),
        Declare(maker=1, trump="h"),
        *(
            PlayCard(seat=seat, card=parse_card(card))
            for seat, card in ((1, "Ah"), (2, "9h"), (3, "Th"))
        ),
    ):
        table.submit(command, source="bench")
    return table, log


def browser(profile: str) -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--window-size=1280,800",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


#: When the score stood there, and what had come over the line by then.
TOLD = """
const done = arguments[0];
new PerformanceObserver((list) => {
  const painted = list.getEntries().at(-1).startTime;
  const came = [...performance.getEntriesByType("navigation"),
                ...performance.getEntriesByType("resource")];
  done([painted, came.reduce((sum, entry) => sum + entry.transferSize, 0), came.length]);
}).observe({ type: "largest-contentful-paint", buffered: true });
"""


def visit(driver: Any, url: str, *, bytes_per_s: float, delay_ms: float, slower: float) -> Any:
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.execute_cdp_cmd(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": delay_ms,
            "downloadThroughput": bytes_per_s,
            "uploadThroughput": bytes_per_s,
        },
    )
    driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": slower})
    driver.get("about:blank")
    driver.get(url)
    until_s = time.monotonic() + 30
    while not driver.execute_script("return Boolean(document.querySelector('.lie img'))"):
        if time.monotonic() > until_s:
            raise TimeoutError("the board was not drawn within 30 seconds")
        time.sleep(0.05)
    time.sleep(0.5)
    return driver.execute_async_script(TOLD)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--visits", type=int, default=5)
    words.add_argument("--slower", type=float, default=4.0, help="how much slower the processor")
    words.add_argument("--language", default="en")
    given = words.parse_args()
    table, log = table_in_play()
    app = create_app(table, log, PageSettings(table_kind="hand"))
    with tempfile.TemporaryDirectory() as profile, open_server(app, host="127.0.0.1", port=0) as up:
        up.start()
        driver = browser(profile)
        try:
            driver.set_script_timeout(30)
            driver.get(up.url)
            driver.execute_script("upcardDevice.change({ language: arguments[0] })", given.language)
            for name, (bytes_per_s, delay_ms) in LINES.items():
                told = [
                    visit(
                        driver,
                        up.url,
                        bytes_per_s=bytes_per_s,
                        delay_ms=delay_ms,
                        slower=given.slower,
                    )
                    for _ in range(given.visits)
                ]
                painted_ms = sorted(t[0] for t in told)
                print(
                    f"{name}: drawn after {statistics.median(painted_ms):.0f} ms "
                    f"({painted_ms[0]:.0f} to {painted_ms[-1]:.0f}), "
                    f"{told[0][1] / 1000:.0f} kB in {told[0][2]} answers"
                )
        finally:
            driver.quit()
    return 0


if __name__ == "__main__":
    sys.exit(main())
