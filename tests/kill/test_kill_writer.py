"""kill -9 at any moment of the writing: nothing acknowledged is lost, nothing is doubled.

The whole kit is killed in ``test_kill_kit``; here only what writes is, so that a thousand kills
take minutes. A writer plays cards as fast as the disk takes them, each with its picture, and
says what was acknowledged; it is killed somewhere in between, also while it opens the log.
Twenty kills by default; a thousand by command:

    UPCARD_WRITER_KILLS=1000 ./test tests/kill/test_kill_writer.py
"""

from __future__ import annotations

import hashlib
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from engine.sqlite_log import SqliteLog
from engine.table import Table
from pi.privacy import pictures_of

KILLS = int(os.environ.get("UPCARD_WRITER_KILLS", "20"))
ROOT = Path(__file__).resolve().parents[2]

#: Imports once, then a child per line of stdin writes to the log; the parent is never killed,
#: so that a kill costs no start of Python.
WRITER = """
import os, sys
from pathlib import Path
import numpy as np
from engine.cards import Card
from engine.commands import StartGame
from engine.sightings import CardRested, Place
from engine.sqlite_log import SqliteLog
from engine.table import Accepted, Table
from pi.evidence import EvidenceFolder

folder = Path(sys.argv[1])
CARDS = ["9h", "Th", "Jh", "Qh", "Kh", "Ah", "9s", "Ts", "Js", "Qs", "Ks", "As", "9d", "Td"]

def play(round_):
    said = os.open(folder / "acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    store = EvidenceFolder(folder / "evidence")
    log = SqliteLog(folder / "games.db")
    os.write(said, b"open\\n")
    table = Table(log, clock_us=lambda: 1)
    while True:
        answer = table.submit(StartGame(dealer=3), source="page", at_us=1)
        assert isinstance(answer, Accepted), answer
        os.write(said, f"{table.game_id} {table.version}\\n".encode())
        for track, name in enumerate(CARDS, start=1):
            picture = np.full((8, 8, 3), (track * 7 + round_) % 255, np.uint8)
            card = Card(name)
            table.see(CardRested(
                at_us=track * 1_000_000, track=track, card=card, confidence=0.99,
                votes=((card, 0.99),),
                place=Place(seat=None if track == 1 else (track - 2) % 4, middle=track == 1),
                box=(0.0, 0.0, 1.0, 1.0), laid_from=3 if track == 1 else None,
                evidence=store.keep(picture)))
            os.write(said, f"{table.game_id} {table.version}\\n".encode())
        from engine.commands import EndGame
        table.submit(EndGame(reason="again"), source="page", at_us=10**9)
        os.write(said, f"{table.game_id} {table.version}\\n".encode())

for line in sys.stdin:
    child = os.fork()
    if child == 0:
        play(int(line))
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


def acknowledged(folder: Path) -> dict[str, int]:
    """The newest version of each game that was said to be recorded."""
    path = folder / "acknowledged"
    newest: dict[str, int] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        if line != "open" and len(parts := line.split()) == 2:
            newest[parts[0]] = int(parts[1])
    return newest


def lines_said(folder: Path) -> int:
    path = folder / "acknowledged"
    return path.read_text().count("\n") if path.exists() else 0


def test_kills_at_any_moment_lose_nothing_acknowledged_and_double_nothing(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    known: dict[str, int] = {}
    whole: set[str] = set()
    writing = 0
    try:
        for kill in range(KILLS):
            chance = random.Random(kill)
            (tmp_path / "acknowledged").unlink(missing_ok=True)
            writer.stdin.write(f"{kill}\n")
            writer.stdin.flush()
            assert select.select([writer.stdout], [], [], 60)[0], "the writer did not start"
            child = int(writer.stdout.readline())
            if chance.random() < 0.8:
                # While it writes, so many facts on; the others while it opens the log.
                wanted, begun = chance.randrange(1, 25), time.monotonic()
                while lines_said(tmp_path) < wanted:
                    assert time.monotonic() - begun < 60, "the writer does not write"
                    time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.03))
            os.kill(child, signal.SIGKILL)
            assert writer.stdout.readline() == "gone\n"

            said = acknowledged(tmp_path)
            writing += bool(said)
            if not (tmp_path / "games.db").exists():
                assert not said
                continue
            with SqliteLog(tmp_path / "games.db") as log:  # the lock went with the process
                listed = {line.game_id: line.version for line in log.games()}
                for game_id, version in {**known, **said}.items():
                    assert listed.get(game_id, 0) >= version, f"kill {kill} lost {game_id}"
                for game_id in listed.keys() - known.keys():
                    records = log.read(game_id)
                    assert [r.version for r in records] == list(range(1, len(records) + 1))
                    # One fact may be on the disk whose acknowledgement was cut off; no more.
                    assert listed[game_id] <= said.get(game_id, 0) + 1
                    for name in pictures_of(records) - whole:
                        data = (tmp_path / "evidence" / f"{name}.jpg").read_bytes()
                        assert hashlib.sha256(data).hexdigest()[:32] == name
                        whole.add(name)
                    # It folds, and goes on where it stood.
                    again = Table.open(log, game_id, clock_us=lambda: 1)
                    assert again.version == len(records)
                known = listed
    finally:
        writer.kill()
        writer.communicate()
    assert writing >= KILLS // 4, "most kills came before anything was written"
    assert len(known) >= KILLS // 4
    with sqlite3.connect(tmp_path / "games.db") as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        count, newest = check.execute("SELECT count(*), max(seq) FROM fact").fetchone()
        assert count == newest, "a number is missing or was given twice"
        assert check.execute("SELECT count(*) FROM seal").fetchone() == (count,)
