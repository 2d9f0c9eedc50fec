"""A crowd round one table: 200 pages watch, 8 act, for five minutes.

    .venv/bin/python tests/bench/crowd.py                  # five minutes
    .venv/bin/python tests/bench/crowd.py --seconds 20     # to try it

The kit's page runs in a process of its own over a log on the disk; the game is played through
the page by eight sessions (four seats, two tablets, two directors), each sending what its role
may. Two hundred streams watch over real sockets. Told in the end, as JSON: whether any page
lost a version or ended stale, how long from the fact's own stamp to the last byte of its event
at the viewer, memory and processor of the kit, and what visitor 201 gets.

Exit 1 when a version was lost, a page ended stale, or somebody who acts was kept out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
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


async def crowd(told: dict[str, Any], pid: int, given: argparse.Namespace) -> dict[str, Any]:
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
    began_s, cpu_before_s = time.monotonic(), usage(pid)[1]
    playing = asyncio.create_task(play(sessions, given.pace, began_s + given.seconds))
    await asyncio.sleep(min(5.0, given.seconds / 2))
    extra = []
    for n in range(3):
        _, headers, answer = await ask(port, "GET", f"/events?viewer=late{n}")
        extra.append((answer or {}).get("code"))
        retry = [line for line in headers if line.lower().startswith("retry-after")]
    began_poll_s = time.monotonic()
    status, _, polled = await ask(port, "GET", "/api/snapshot")
    poll_ms = (time.monotonic() - began_poll_s) * 1000
    played = await playing
    took_s = time.monotonic() - began_s
    await asyncio.sleep(2.0)
    rss_mb, cpu_s = usage(pid)
    _, _, final = await ask(port, "GET", "/api/snapshot")
    newest = (final["game"]["id"] or "", final["version"])
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    everybody = pages + acting
    # Every change that any page was told of, all were told of, or of a later one at once.
    delays = [ms for page in everybody for ms in page.delays_ms]
    most = max(len(set(page.versions)) for page in everybody)
    return {
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
            not page.versions or page.versions[-1] != newest for page in everybody
        ),
        "pages_that_missed_a_version": sum(len(set(page.versions)) < most for page in everybody),
        "went_backwards": sum(page.backwards for page in everybody),
        "streams_broken": sorted({page.ended for page in everybody if page.ended}),
        "later_than_stale_s": sum(ms > STALE_S * 1000 for ms in delays),
        "fact_to_viewer_ms": {
            "median": share(delays, 0.5),
            "p95": share(delays, 0.95),
            "p99": share(delays, 0.99),
            "worst": share(delays, 1.0),
        },
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


def main() -> int:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--seconds", type=float, default=300.0)
    words.add_argument("--watching", type=int, default=200)
    words.add_argument("--pace", type=float, default=0.7, help="seconds between two taps")
    words.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = words.parse_args()
    if given.serve is not None:
        serve(given.serve)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        kit = subprocess.Popen(
            [sys.executable, __file__, "--serve", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert kit.stdout is not None
            told = json.loads(kit.stdout.readline())
            result = asyncio.run(crowd(told, kit.pid, given))
        finally:
            kit.stdin.close()  # type: ignore[union-attr]
            kit.wait(timeout=30)
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
