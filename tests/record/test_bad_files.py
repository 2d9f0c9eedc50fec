"""Files that are broken in every way we could think of, and in many that chance thinks of.

Whatever stands in a file, reading it gives what was sound and a fault for what was not; the
words of the command line name each fault in a line, and a log is only ever added to.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_scenes import game, recorded

from engine.notation.egn import write_egn
from engine.notation.emn import write_emn
from engine.notation.files import read_game_file
from engine.notation.jsonl import write_jsonl
from engine.score import score_json
from engine.sheet import deal_lines, game_lines
from engine.sqlite_log import SqliteLog
from engine.state import fold
from engine.table import store

RECORDS = recorded(game(random.Random(6), 2))
EGN = write_egn(RECORDS).text
EMN = write_emn([RECORDS, RECORDS]).text
OURS = write_jsonl(RECORDS)


def egn(path: str, new: Any) -> str:
    """The EGN game with the value at ``path`` made another; ``"gone"`` takes it out."""
    value = json.loads(EGN)
    place: Any = value
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in steps:
        place = place[step]
    if new == "gone":
        del place[last]
    else:
        place[last] = new
    return json.dumps(value)


def ours(number: int, old: str, new: str) -> str:
    """Our facts with a line changed."""
    lines = OURS.splitlines()
    assert old in lines[number - 1], lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    return "\n".join(lines)


#: Every one of these has at least one fault that is to be named.
BROKEN: dict[str, str | bytes] = {
    "empty": "",
    "blank": " \n\t ",
    "nul": "\0" * 40,
    "utf16 cut": EGN.encode("utf-16")[:-7],
    "latin1": EGN.replace("camera", "é").encode("latin-1") + b"\xe9",
    "half a surrogate": '"\\ud800"',
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "a zip": b"PK\x03\x04" + bytes(60),
    "text": "Ann and Bob won eleven to nine",
    "html": "<html><body>404</body></html>",
    "number": "17",
    "null": "null",
    "true": "true",
    "string": '"Euchre Game Notation"',
    "list": "[]",
    "list of nothing": "[null]",
    "object": "{}",
    "deep": "[" * 100_000,
    "deep objects": '{"a":' * 50_000,
    "many digits": "9" * 6_000,
    "not a number": "NaN",
    "infinity": '{"deals": Infinity}',
    "cut egn": EGN[: len(EGN) // 2],
    "two values": EGN + EGN,
    "trailing comma": EGN.replace("]", ",]", 1),
    "single quotes": EGN.replace('"', "'"),
    "no deals": egn("deals", "gone"),
    "deals a number": egn("deals", 3),
    "deals an object": egn("deals", {}),
    "deal null": egn("deals/0", None),
    "deal a list": egn("deals/0", []),
    "deal condensed": egn("deals/0", "0A1B"),
    "metadata a list": egn("metadata", []),
    "players three": egn("metadata/players", ["A", "B", "C"]),
    "players numbers": egn("metadata/players", [1, 2, 3, 4]),
    "score of three": egn("metadata/initialScore", [1, 2, 3]),
    "score of words": egn("metadata/initialScore", ["1", "2"]),
    "score huge": egn("metadata/initialScore", [10**30, 0]),
    "date of words": egn("metadata/date", "last Friday"),
    "date of far": egn("metadata/date", "99999-01-01"),
    "ruleset a list": egn("metadata/ruleset", []),
    "ruleset unknown": egn("metadata/ruleset", {"house": True}),
    "ruleset target": egn("metadata/ruleset", {"winning_score": -3}),
    "ruleset pack": egn("metadata/ruleset", {"min_rank": 2}),
    "dealer five": egn("deals/0/initialState/dealer", 5),
    "dealer true": egn("deals/0/initialState/dealer", True),
    "upcard none": egn("deals/0/initialState/upCard", 9),
    "upcard bad": egn("deals/0/initialState/upCard", "1h"),
    "upcard foreign": egn("deals/0/initialState/upCard", "7h"),
    "phases gone": egn("deals/0/phases", "gone"),
    "phases twice": egn("deals/0/phases", json.loads(EGN)["deals"][0]["phases"] * 2),
    "phase unknown": egn("deals/0/phases/0/type", "WHIST"),
    "calls a word": egn("deals/0/phases/0/calls", "Pass"),
    "call unknown": egn("deals/0/phases/0/calls", ["Double"]),
    "nine passes": egn("deals/0/phases/0/calls", ["Pass"] * 9),
    "alone a word": egn("deals/0/phases/0/isAlone", "yes"),
    "lone defender": egn("deals/0/phases/0/aloneDefender", 9),
    "tricks a word": egn("deals/0/phases/1/tricks", "x"),
    "trick a word": egn("deals/0/phases/1/tricks/0", "Jh Qh"),
    "six tricks": egn("deals/0/phases/1/tricks", [["Jh", "Qh", "Th", "9h"]] * 6),
    "five cards": egn("deals/0/phases/1/tricks/0", ["Jh", "Qh", "Th", "9h", "Ah"]),
    "card twice": egn("deals/0/phases/1/tricks/0", ["Jh", "Jh", "Th", "9h"]),
    "card a list": egn("deals/0/phases/1/tricks/0/0", ["Jh"]),
    "card a bomb": egn("deals/0/phases/1/tricks/0/0", "J" * 1_000_000),
    "emn games gone": EMN.replace('"games"', '"matches"'),
    "emn cut": EMN[: len(EMN) // 3],
    "ours another schema": OURS.replace('"schema":1}', '"schema":2}', 1),
    "ours no header": OURS.split("\n", 1)[1],
    "ours cut": OURS[: len(OURS) // 2],
    "ours a gap": "\n".join(OURS.splitlines()[:4] + OURS.splitlines()[5:]),
    "ours backwards": "\n".join([OURS.splitlines()[0], *reversed(OURS.splitlines()[1:])]),
    "ours bad card": ours(3, '"card":"', '"card":"x'),
    "ours bad seat": ours(3, '"dealer":', '"dealer":9'),
    "ours unknown kind": ours(3, "upcard_shown", "upcard_eaten"),
    "ours surplus key": ours(3, '"card":', '"colour":"red","card":'),
    "ours bad rules": ours(2, '"preset":"home"', '"preset":"nonsense"'),
    "ours five names": ours(2, '["Ann",', '["Eve","Ann",'),
    "ours no start": "\n".join([OURS.splitlines()[0], ours(3, '"version":2', '"version":1')]),
}


def assert_borne(data: str | bytes, folder: Path) -> tuple[int, int]:
    """Read, score, show and store it; return how many games and faults there were."""
    file = folder / "game"
    file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    imported = read_game_file(file)
    for fault in imported.faults:
        told = str(fault)
        assert told
        assert len(told) < 4_000
    for read in imported.games:
        records = read.records()
        state = fold(records)
        assert score_json(records)["deals"] is not None
        assert game_lines(records)
        if state.deals:
            assert deal_lines(records)
    return len(imported.games), len(imported.faults)


def test_the_corpus_is_large_and_the_sound_files_are_sound(tmp_path: Path) -> None:
    assert len(BROKEN) >= 60
    for sound, games in ((EGN, 1), (EMN, 2), (OURS, 1)):
        assert assert_borne(sound, tmp_path) == (games, 0)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_a_fault_and_never_a_stumble(name: str, tmp_path: Path) -> None:
    _, faults = assert_borne(BROKEN[name], tmp_path)
    assert faults > 0


def test_no_broken_file_changes_what_a_log_holds(tmp_path: Path) -> None:
    with SqliteLog(tmp_path / "g.db") as log:
        for read in read_game_file(_file(tmp_path, OURS)).games:
            store(log, read)
        before = log.read("g")
        for data in BROKEN.values():
            for read in read_game_file(_file(tmp_path, data)).games:
                store(log, read)
            assert log.read("g") == before


def _file(folder: Path, data: str | bytes) -> Path:
    file = folder / "game"
    file.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"))
    return file


@settings(max_examples=60, deadline=None, database=None)
@given(
    source=st.sampled_from([EGN.encode(), EMN.encode(), OURS.encode()]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_file_that_chance_has_spoilt_is_borne(
    source: bytes, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rng = random.Random(seed)
    data = bytearray(source)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randrange(1, 60)]
            case 2:
                data[at:at] = bytes(data[at : at + rng.randrange(1, 60)])
            case _:
                words = [b"null", b"-1", b"[]", b'"Zz"', b"{}", b"1e999", b"true", b'"', b","]
                data[at:at] = rng.choice(words)
    assert_borne(bytes(data), tmp_path_factory.mktemp("spoilt"))
