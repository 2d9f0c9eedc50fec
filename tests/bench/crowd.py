"""A crowd round one table: 200 pages watch, 8 act, for five minutes.

    .venv/bin/python tests/bench/crowd.py                  # five minutes
    .venv/bin/python tests/bench/crowd.py --seconds 20     # to try it
    .venv/bin/python tests/bench/crowd.py --table sim      # beside a table that plays

The kit's page runs in a process of its own over a log on the disk; the game is played through
the page by eight sessions (four seats, two tablets, two directors), each sending what its role
may. Two hundred streams watch over real sockets. Told in the end, as JSON: whether any page
lost a version or ended stale, how long from the fact to the last byte of its event at the
viewer, memory and processor of the kit, and what visitor 201 gets.

With ``--table sim`` the kit is the command ``upcard run``: the simulated table is drawn, read
and played in the same process. Those who act call people to the table and name the game. The
time to the viewer counts from when the fact stood in the log on the disk, which this bench looks
at every few milliseconds: the stamps are the table's, whose clock stands still where the machine
cannot draw and read in time. ``table_behind_s`` tells how far it was behind the wall's at the
first fact and at the last; where that grows, the table played slower than people would.

Exit 1 when a version was lost, a page ended stale, or somebody who acts was kept out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

#: Seconds after a fact within which every page must have it or a later one.
STALE_S: Final = 5.0


# --- the kit's side ------------------------------------------------------------------------------


def serve(folder: Path) -> None:
    """The page over a log on the disk, until standard input closes."""
    from engine.sqlite_log import SqliteLog
    from engine.table import Table
    from web_dashboard import PageSettings, create_app, open_server

    with SqliteLog(folder / "games.sqlite") as log:
        table = Table(log, clock_us=lambda: time.time_ns() // 1000)
        settings = PageSettings(table_kind="hand", access_file=folder / "codes.json")
        app = create_app(table, log, settings)
        with open_server(app, host="127.0.0.1", port=0) as server:
            server.start()
            access = app.extensions["upcard-access"]
            holders = ("seat:0", "seat:1", "seat:2", "seat:3", "table", "director")
            told = {
                "port": server.port,
                "threads": server.threads,
                "watch_limit": settings.stream_limit,
                "codes": {holder: access.code(holder) for holder in holders},
            }
            print(json.dumps(told), flush=True)
            sys.stdin.read()


def simulate(folder: Path, seed: int) -> tuple[subprocess.Popen[str], dict[str, Any]]:
    """``upcard run`` at the simulated table, and what :func:`serve` tells of itself."""
    from pi.wiring import CODES_NAME
    from web_dashboard import PageSettings
    from web_dashboard.access import HOLDERS, Access
    from web_dashboard.server import SPARE_THREADS

    with socket.socket() as spare:
        spare.bind(("127.0.0.1", 0))
        port = spare.getsockname()[1]
    kit = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from pi.cli import console; console()",
            *("run", "--table", "sim", "--host", "127.0.0.1", "--port", str(port)),
            *("--seed", str(seed), "--log", str(folder / "games.sqlite")),
        ],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    until_s = time.monotonic() + 180
    while not (folder / CODES_NAME).exists() or not _answers(port):
        if kit.poll() is not None or time.monotonic() > until_s:
            kit.kill()
            raise RuntimeError("upcard run did not come up: see what it said above")
        time.sleep(0.2)
    access, page = Access(folder / CODES_NAME), PageSettings()
    told = {
        "port": port,
        "threads": page.stream_limit + page.acting_limit + SPARE_THREADS,
        "watch_limit": page.stream_limit,
        "codes": {holder: access.code(holder) for holder in HOLDERS},
    }
    return kit, told


def _answers(port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1.0)
        return asking.connect_ex(("127.0.0.1", port)) == 0


class Recorded:
    """When each fact stood in the log, as another process sees it."""

    def __init__(self, path: Path) -> None:
        self.at_us: dict[tuple[str, int], int] = {}
        self._path = path
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        log = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)
        newest = 0
        while not self._over.wait(0.004):
            now_us = time.time_ns() // 1000
            for seq, game, version in log.execute(
                "SELECT seq, game_id, version FROM fact WHERE seq > ? ORDER BY seq", (newest,)
            ):
                newest = seq
                self.at_us[game, version] = now_us
        log.close()

    def close(self) -> None:
        self._over.set()
        self._thread.join()


# --- the visitors' side --------------------------------------------------------------------------


@dataclass
class Session:
    """One acting page: a cookie, a token, a stream."""

    port: int
    cookie: str = ""
    token: str = ""

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        head = f"X-Upcard-Token: {self.token}\r\nCookie: {self.cookie}\r\n" if self.token else ""
        status, headers, told = await ask(self.port, "POST", path, body, head)
        for line in headers:
            if line.lower().startswith("set-cookie:"):
                self.cookie = line.split(":", 1)[1].split(";")[0].strip()
        return status, told


async def ask(
    port: int, method: str, path: str, body: Any = None, head: str = ""
) -> tuple[int, list[str], Any]:
    """One request on a connection of its own: status, header lines, JSON."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = b"" if body is None else json.dumps(body).encode()
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n{head}\r\n".encode()
        + data
    )
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    top, _, rest = answer.partition(b"\r\n\r\n")
    lines = top.decode().split("\r\n")
    if any(line.lower() == "transfer-encoding: chunked" for line in lines):
        rest = unchunked(rest)
    return int(lines[0].split()[1]), lines[1:], json.loads(rest) if rest else None


def unchunked(data: bytes) -> bytes:
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            break
        body, data = body + data[:length], data[length + 2 :]
    return body


async def events(port: int, viewer: str, head: str = "") -> AsyncIterator[tuple[str, str]]:
    """The events of one stream as (kind, data); raises Refused."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(
        f"GET /events?viewer={viewer} HTTP/1.1\r\nHost: localhost:{port}\r\n{head}\r\n".encode()
    )
    try:
        first = (await reader.readline()).decode()
        if " 200 " not in first:
            raise Refused(first.strip())
        kind = ""
        while line := await reader.readline():
            if line.startswith(b"event: "):
                kind = line[7:].decode().strip()
            elif line.startswith(b"data: "):
                yield kind, line[6:].decode()
    finally:
        writer.close()


class Refused(Exception):
    pass


@dataclass
class Watched:
    """What one page saw."""

    versions: list[tuple[str, int]] = field(default_factory=list)
    delays_ms: list[float] = field(default_factory=list)
    arrived_us: dict[tuple[str, int], int] = field(default_factory=dict)
    backwards: int = 0
    ended: str = ""


async def watch(port: int, viewer: str, seen: Watched, head: str = "") -> None:
    newest: tuple[str, int] = ("", 0)
    try:
        async for kind, data in events(port, viewer, head):
            if kind != "snapshot":
                continue
            now_us = time.time_ns() // 1000
            snapshot = json.loads(data)
            here = (snapshot["game"]["id"] or "", snapshot["version"])
            if here < newest:
                seen.backwards += 1
            first = not seen.versions
            newest = here
            seen.versions.append(here)
            if not first:
                seen.arrived_us.setdefault(here, now_us)
            if snapshot["history"] and not first:
                seen.delays_ms.append((now_us - snapshot["history"][-1]["at_us"]) / 1000)
        seen.ended = "the kit closed the stream"
    except Refused as refused:
        seen.ended = str(refused)
    except asyncio.CancelledError:
        raise
    except Exception as error:  # a broken stream is a finding, not the bench's end
        seen.ended = repr(error)


async def play(sessions: dict[str, list[Session]], pace_s: float, until_s: float) -> dict[str, int]:
    """Play games through the page until time is up; what was sent, taken and refused."""
    from engine.codec import command_to_json
    from engine.commands import ClearTrick, ConfirmDeal, Declare, PlayCard, ShowUpcard, StartGame
    from pi.sim.script import play_game

    told = {"sent": 0, "refused": 0, "games": 0, "slowest_ms": 0}

    async def send(holder: str, command: Any) -> None:
        session = sessions[holder][told["sent"] % len(sessions[holder])]
        began = time.monotonic()
        status, answer = await session.post("/api/command", {"command": command_to_json(command)})
        told["sent"] += 1
        told["slowest_ms"] = max(told["slowest_ms"], round((time.monotonic() - began) * 1000))
        if status != 200:
            told["refused"] += 1
            print(f"{holder}: {command}: {status} {answer}", file=sys.stderr)
        await asyncio.sleep(pace_s)

    for seed in range(1, 10_000):
        game = play_game(seed=seed)
        await send("director", StartGame(dealer=game.first_dealer))
        told["games"] += 1
        for number, deal in enumerate(game.deals, start=1):
            await send("table", ShowUpcard(card=deal.upcard, dealer=deal.dealer))
            if deal.maker is None:
                from engine.commands import ThrowIn

                await send("table", ThrowIn())
                continue
            alone = deal.alone if deal.alone == deal.maker else None
            who = f"seat:{deal.maker}" if deal.alone == alone else "table"
            await send(who, Declare(maker=deal.maker, trump=deal.trump, alone=deal.alone))
            for trick in deal.tricks:
                for card in trick:
                    await send(f"seat:{card.seat}", PlayCard(seat=card.seat, card=card.card))
                    if time.monotonic() > until_s:
                        return told
                await send("table", ClearTrick())
            if number < len(game.deals):
                await send(f"seat:{number % 4}", ConfirmDeal(deal=number))
    return told


async def act(sessions: dict[str, list[Session]], pace_s: float, until_s: float) -> dict[str, int]:
    """Act beside players who need nobody: call them to look, and name the game they play."""
    told = {"sent": 0, "refused": 0, "games": 0, "slowest_ms": 0, "calls": 0}
    seats = [sessions[f"seat:{n}"][0] for n in range(4)]
    namers = [*sessions["table"], *sessions["director"]]
    games: set[str] = set()
    while time.monotonic() < until_s:
        turn = told["sent"] + told["calls"]
        began_s = time.monotonic()
        if turn % 2:
            # Between two games there is nothing to look at.
            seat = turn // 2 % 4
            status, answer = await seats[seat].post("/api/look", {"seat": seat})
            told["calls"] += 1
            good = status in (200, 409)
        else:
            namer = namers[turn // 2 % len(namers)]
            _, _, state = await ask(namer.port, "GET", "/api/snapshot")
            game = state["game"]["id"]
            games.add(game)
            path, began_s = f"/api/games/{game}/title", time.monotonic()
            status, answer = await namer.post(path, {"title": f"Evening {turn}"})
            told["sent"] += 1
            # The players may have moved on to the next game meanwhile, or have just played.
            good = status == 200 or (status == 409 and answer["code"] in ("stale", "not_now"))
        told["slowest_ms"] = max(told["slowest_ms"], round((time.monotonic() - began_s) * 1000))
        if not good:
            told["refused"] += 1
            print(f"act {turn}: {status} {answer}", file=sys.stderr)
        await asyncio.sleep(pace_s)
    told["games"] = len(games)
    return told


def usage(pid: int) -> tuple[float, float]:
    """Resident memory in MB and processor time in seconds of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    rss_kb = next(int(x.split()[1]) for x in status.splitlines() if x.startswith("VmRSS"))
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return rss_kb / 1024, (int(parts[11]) + int(parts[12])) / ticks


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 1) if ordered else -1.0


async def crowd(
    told: dict[str, Any], pid: int, given: argparse.Namespace, recorded: Recorded | None
) -> dict[str, Any]:
    port = told["port"]
    sessions: dict[str, list[Session]] = {}
    for holder in (
        "seat:0",
        "seat:1",
        "seat:2",
        "seat:3",
        "table",
        "table",
        "director",
        "director",
    ):
        session = Session(port)
        status, answer = await session.post("/api/join", {"code": told["codes"][holder]})
        assert status == 200, answer
        session.token = answer["token"]
        sessions.setdefault(holder, []).append(session)
    rss_before_mb, _ = usage(pid)
    pages = [Watched() for _ in range(given.watching)]
    acting = [Watched() for _ in range(8)]
    tasks = [asyncio.create_task(watch(port, f"w{i}", page)) for i, page in enumerate(pages)]
    cookies = [s.cookie for many in sessions.values() for s in many]
    while sum(bool(page.versions) for page in pages) < given.watching:
        await asyncio.sleep(0.1)
    # The watchers' places are taken: those who act must still get theirs.
    tasks += [
        asyncio.create_task(watch(port, f"a{i}", page, f"Cookie: {cookie}\r\n"))
        for i, (page, cookie) in enumerate(zip(acting, cookies, strict=True))
    ]
    while recorded is not None and not all(page.versions for page in acting):
        await asyncio.sleep(0.1)
    _, _, first = await ask(port, "GET", "/api/snapshot")
    # With taps nothing has been recorded yet: the empty table counts too.
    oldest = ("", -1) if recorded is None else (first["game"]["id"], first["version"])
    began_s, cpu_before_s = time.monotonic(), usage(pid)[1]
    doing = play if recorded is None else act
    playing = asyncio.create_task(doing(sessions, given.pace, began_s + given.seconds))
    await asyncio.sleep(min(5.0, given.seconds / 2))
    extra, retry = [], []
    # With fewer watchers than places there is one for whoever comes.
    for n in range(3 if given.watching >= told["watch_limit"] else 0):
        _, headers, answer = await ask(port, "GET", f"/events?viewer=late{n}")
        extra.append((answer or {}).get("code"))
        retry = [line for line in headers if line.lower().startswith("retry-after")]
    began_poll_s = time.monotonic()
    status, _, polled = await ask(port, "GET", "/api/snapshot")
    poll_ms = (time.monotonic() - began_poll_s) * 1000
    played = await playing
    took_s = time.monotonic() - began_s
    rss_mb, cpu_s = usage(pid)
    everybody = pages + acting
    if recorded is None:
        await asyncio.sleep(2.0)
        _, _, final = await ask(port, "GET", "/api/snapshot")
        newest = (final["game"]["id"] or "", final["version"])
    else:
        # The players play on: what is recorded by now must be everywhere soon.
        newest = max(recorded.at_us)
        until_s = time.monotonic() + STALE_S
        while time.monotonic() < until_s and any(p.versions[-1] < newest for p in everybody):
            await asyncio.sleep(0.05)
        recorded.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # Every change that any page was told of, all were told of, or of a later one at once.
    delays = [ms for page in everybody for ms in page.delays_ms]
    if recorded is not None:
        lags = pages[0].delays_ms
        behind = [round(ms / 1000, 1) for ms in (lags[:1] + lags[-1:])]
        delays = [
            (arrived - recorded.at_us[version]) / 1000
            for page in everybody
            for version, arrived in page.arrived_us.items()
            if oldest < version <= newest and version in recorded.at_us
        ]
    within = [{v for v in page.versions if oldest < v <= newest} for page in everybody]
    most = max(map(len, within))
    return {
        "table": given.table,
        "facts": newest[1] if recorded is None else len(recorded.at_us),
        "seconds": round(took_s, 1),
        "watching": len(pages),
        "acting": len(acting),
        "threads": told["threads"],
        "games": played["games"],
        "commands_sent": played["sent"],
        "commands_refused": played["refused"],
        "slowest_command_ms": played["slowest_ms"],
        "events": sum(len(page.versions) for page in everybody),
        "pages_ended_stale": sum(
            not page.versions or page.versions[-1] < newest for page in everybody
        ),
        "pages_that_missed_a_version": sum(len(seen) < most for seen in within),
        "went_backwards": sum(page.backwards for page in everybody),
        "streams_broken": sorted({page.ended for page in everybody if page.ended}),
        "later_than_stale_s": sum(ms > STALE_S * 1000 for ms in delays),
        "fact_to_viewer_ms": {
            "median": share(delays, 0.5),
            "p95": share(delays, 0.95),
            "p99": share(delays, 0.99),
            "worst": share(delays, 1.0),
        },
        "table_behind_s": None if recorded is None else behind,
        "memory_mb": {"before": round(rss_before_mb, 1), "with_all": round(rss_mb, 1)},
        "cpu_share_of_one_core": round((cpu_s - cpu_before_s) / took_s, 2),
        "visitor_201": {
            "stream": extra,
            "header": retry,
            "snapshot_status": status,
            "snapshot_version_known": isinstance(polled, dict),
            "snapshot_ms": round(poll_ms, 1),
        },
    }


def taps(folder: str, given: argparse.Namespace) -> dict[str, Any]:
    """The crowd round a page whose game is tapped in by those who act."""
    kit = subprocess.Popen(
        [sys.executable, __file__, "--serve", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert kit.stdout is not None
        told = json.loads(kit.stdout.readline())
        return asyncio.run(crowd(told, kit.pid, given, None))
    finally:
        kit.stdin.close()  # type: ignore[union-attr]
        kit.wait(timeout=30)


def beside_players(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The crowd round the whole kit, whose simulated table is played through pictures."""
    began_s = time.monotonic()
    kit, told = simulate(folder, given.seed)
    try:
        recorded = Recorded(folder / "games.sqlite")
        while not recorded.at_us:
            if kit.poll() is not None or time.monotonic() > began_s + 300:
                raise RuntimeError("the simulated table recorded nothing within five minutes")
            time.sleep(0.1)
        first_s = round(time.monotonic() - began_s, 1)
        return {"first_fact_s": first_s} | asyncio.run(crowd(told, kit.pid, given, recorded))
    finally:
        kit.send_signal(signal.SIGTERM)
        kit.wait(timeout=60)


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seconds", type=float, default=300.0)
    words.add_argument("--watching", type=int, default=200)
    words.add_argument("--pace", type=float, default=0.7, help="seconds between two taps")
    words.add_argument("--table", choices=("taps", "sim"), default="taps", help="who plays")
    words.add_argument("--seed", type=int, default=7, help="the simulated game's seed")
    words.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.serve is not None:
        serve(given.serve)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        result = (
            beside_players(Path(folder), given) if given.table == "sim" else taps(folder, given)
        )
    print(json.dumps(result, indent=1))
    bad = (
        result["pages_ended_stale"]
        or result["went_backwards"]
        or result["streams_broken"]
        or result["commands_refused"]
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
