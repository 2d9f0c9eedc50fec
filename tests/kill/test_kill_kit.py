"""kill -9 at any moment of a running table loses nothing that anybody was shown.

Five kills by default; a hundred by command:

    UPCARD_KILLS=100 ./test tests/kill
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from engine.sqlite_log import SqliteLog
from engine.state import fold

sys.path.insert(0, str(Path(__file__).resolve().parent))
from nursery import Nursery

KILLS = int(os.environ.get("UPCARD_KILLS", "5"))
pytestmark = pytest.mark.pixels


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def words(log, port, seed):
    return [
        *("run", "--table", "sim", "--host", "127.0.0.1", "--port", str(port)),
        *("--seed", str(seed), "--speed", "8", "--log", str(log)),
    ]


def start(log, port, seed):
    return subprocess.Popen(
        [sys.executable, "-m", "pi.cli", *words(log, port, seed)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def shown(port, kit=None):
    """What the page shows now, or None while it does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/snapshot", timeout=2) as answer:
            return json.load(answer)
    except OSError:
        assert kit is None or kit.poll() is None, kit.stderr.read().decode()
        return None


@pytest.fixture(scope="module")
def nursery():
    made = Nursery("kit")
    yield made
    made.close()


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_kill_loses_nothing_that_was_shown(tmp_path, nursery, kill):
    log = tmp_path / "games.db"
    chance = random.Random(kill)
    port = free_port()
    kit = nursery.start(*words(log, port, seed=1 + kill), said=tmp_path / "said.txt")
    last = None
    try:
        begun = time.monotonic()
        # From the first fact on, any moment: while a card is read, while a fact is written.
        while last is None or last["version"] == 0:
            assert time.monotonic() - begun < 180, f"the table did not begin to play: {kit.text()}"
            last = shown(port) or last
            time.sleep(0.05)
        until = time.monotonic() + chance.uniform(0, 6)
        while time.monotonic() < until:
            last = shown(port) or last
            time.sleep(0.01)
    finally:
        ended = kit.kill()
    assert ended == -9, kit.text()

    with SqliteLog(log) as found:  # the lock went with the process
        records = found.read(last["game"]["id"])
    assert [r.version for r in records] == list(range(1, len(records) + 1))
    assert len(records) >= last["version"]
    state = fold(records[: last["version"]])
    assert list(state.score) == [side["score"] for side in last["sides"]]
    recorded = {
        (play.seat, play.card)
        for trick in (state.deal.tricks if state.deal else ())
        for play in (*trick.plays, *trick.extra)
    }
    for trick in (last["deal"] or {"tricks": []})["tricks"]:
        for play in trick["plays"]:
            assert (play["seat"], play["card"]) in recorded
    with sqlite3.connect(log) as check:
        assert check.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_the_next_start_takes_the_same_log(tmp_path):
    log = tmp_path / "games.db"
    for round_ in range(2):
        port = free_port()
        kit = start(log, port, seed=1)
        begun = time.monotonic()
        while not ((now := shown(port, kit)) and now["version"]):
            assert time.monotonic() - begun < 60
            time.sleep(0.05)
        kit.send_signal(signal.SIGKILL)
        kit.wait()
        kit.stderr.close()
        with SqliteLog(log, read_only=True) as found:
            assert len(found.games()) == round_ + 1


def test_a_second_kit_on_the_same_log_is_refused_by_name(tmp_path):
    log = tmp_path / "games.db"
    port = free_port()
    first = start(log, port, seed=1)
    try:
        begun = time.monotonic()
        while shown(port, first) is None:
            assert time.monotonic() - begun < 60
            time.sleep(0.05)
        second = start(log, free_port(), seed=2)
        _, err = second.communicate(timeout=60)
        assert second.returncode == 1
        assert b"games.db" in err
        assert b"Traceback" not in err
        third = start(tmp_path / "other.db", port, seed=2)
        _, err = third.communicate(timeout=60)
        assert third.returncode == 1
        assert str(port).encode() in err
        assert b"Traceback" not in err
    finally:
        first.kill()
        first.wait()
        first.stderr.close()
