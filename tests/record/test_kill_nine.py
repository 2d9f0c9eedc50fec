"""``kill -9`` at a random moment loses no acknowledged fact.

Five kills in an ordinary run; ``UPCARD_KILLS=100`` before pytest makes it a hundred.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from engine import facts
from engine.sqlite_log import SqliteLog

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("UPCARD_KILLS", "5"))

# Appends facts, several at a time now and then, and prints each version once it is durable.
WRITER = """
import sys
from engine import facts
from engine.log import Entry
from engine.sqlite_log import SqliteLog

path, game_id = sys.argv[1:]
log = SqliteLog(path)
known = {line.game_id: line.version for line in log.games()}
version = known.get(game_id, 0)
print("ready", flush=True)
while True:
    entries = [
        Entry(at_us=version + i, source="sim", fact=facts.GameEnded(reason=f"fact {version + i}"))
        for i in range(1, 2 + version % 3)
    ]
    version = log.append(game_id, entries, after_version=version)[-1].version
    print(version, flush=True)
"""


def kill_one_writer(path: Path, game_id: str, after_s: float) -> int:
    """Start a writer, kill it ``after_s`` after it began; the last version it acknowledged."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), game_id],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(after_s)
        child.send_signal(signal.SIGKILL)
        out, _ = child.communicate(timeout=30)
    finally:
        child.kill()
    assert child.returncode == -signal.SIGKILL
    whole_lines = out[: out.rfind("\n") + 1].split()
    return int(whole_lines[-1]) if whole_lines else 0


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "games.upcard"
    chance = random.Random(20261129)
    promised: dict[str, int] = {}
    for kill in range(KILLS):
        game_id = f"game-{kill % 3}"  # some writers go on with a game of a killed one
        acknowledged = kill_one_writer(path, game_id, chance.uniform(0.0, 0.25))
        promised[game_id] = max(promised.get(game_id, 0), acknowledged)
        with SqliteLog(path) as log:  # the dead writer's lock is gone
            versions = {line.game_id: line.version for line in log.games()}
            # At most the one append whose acknowledgement was cut off may be there besides.
            for promised_game, version in promised.items():
                assert version <= versions.get(promised_game, 0)
            for line in log.games():
                records = log.read(line.game_id)
                assert [r.version for r in records] == list(range(1, line.version + 1))
                assert [r.fact for r in records] == [
                    facts.GameEnded(reason=f"fact {i}") for i in range(1, line.version + 1)
                ]
            seqs = sorted(r.seq for line in log.games() for r in log.read(line.game_id))
            assert seqs == list(range(1, len(seqs) + 1))
    assert sum(promised.values()) > 0
