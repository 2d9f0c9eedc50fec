"""Our own notation keeps every fact as it was, and names what is wrong with a file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from engine import facts
from engine.facts import Recorded
from engine.notation.egn import read_egn, write_egn
from engine.notation.files import read_game_file
from engine.notation.jsonl import read_jsonl, read_jsonl_file, write_jsonl
from engine.state import fold


def records(game_id: str = "20261129-2345-abcd", first_seq: int = 1) -> tuple[Recorded, ...]:
    told: list[Any] = [
        facts.GameStarted(
            rules={"preset": "home", "target": 5},
            names=("Ann", "Bob", "Señor Cy ♥", "Di"),
            dealer=3,
            title="Friday",
        ),
        facts.UpcardShown(card="9h", dealer=3, confidence=0.97, track=4, evidence="a1"),
        facts.Declared(maker=0, trump="h"),
        facts.CardPlayed(seat=0, card="Jh", confidence=0.5, track=5),
        facts.ReviewRaised(
            subject="play",
            seat=1,
            candidates=(("Qh", 0.6), ("Qd", 0.4)),
            reason="unsure",
            box=(1.0, 2.0, 3.5, 4.0),
        ),
        facts.ReviewAnswered(review=5, card="Qh"),
        facts.Corrected(target=4, replacement=None, reason="not yet"),
    ]
    return tuple(
        Recorded(
            seq=first_seq + i,
            game_id=game_id,
            version=1 + i,
            at_us=1_796_000_000_000_000 + i,
            source="camera",
            fact=fact,
        )
        for i, fact in enumerate(told)
    )


def test_what_is_written_is_read_back_as_it_was() -> None:
    imported = read_jsonl(write_jsonl(records()))
    assert imported.faults == ()
    (game,) = imported.games
    assert game.game_id == "20261129-2345-abcd"
    assert game.title == "Friday"
    assert game.records(game.game_id) == records()
    assert fold(game.records(game.game_id)) == fold(records())


def test_the_first_line_names_the_format_and_each_fact_has_a_line() -> None:
    lines = write_jsonl(records()).splitlines()
    assert json.loads(lines[0]) == {"format": "upcard-facts", "schema": 1}
    assert len(lines) == 1 + len(records())
    assert json.loads(lines[4])["fact"]["kind"] == "card_played"


def test_several_games_may_stand_in_one_file() -> None:
    text = write_jsonl([*records("a"), *records("b", first_seq=8)])
    assert [game.game_id for game in read_jsonl(text).games] == ["a", "b"]


def test_a_file_from_another_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + write_jsonl(records()).replace("\n", "\r\n").encode())
    imported = read_jsonl_file(path)
    assert imported.faults == ()
    assert len(imported.games) == 1


def lines_with(number: int, line: str) -> str:
    lines = write_jsonl(records()).splitlines()
    lines[number - 1] = line
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "named", "kept"),
    [
        ("", ["line 1", "not JSON"], None),
        ("{}", ["line 1", "upcard-facts"], None),
        ('{"format":"upcard-facts","schema":2}', ["line 1", "2", "newer Upcard"], None),
        (lines_with(5, "{broken"), ["line 5", "not JSON"], 3),
        (lines_with(5, "[]"), ["line 5", "[]", "object"], 3),
        (lines_with(5, "1" * 5000), ["line 5", "digits"], 3),
        (
            lines_with(
                5,
                json.dumps(
                    {
                        "seq": 4,
                        "game_id": "20261129-2345-abcd",
                        "version": 4,
                        "at_us": 1,
                        "source": "camera",
                        "fact": {"kind": "card_played", "seat": 9, "card": "Jh"},
                    }
                ),
            ),
            ["line 5", "fact.seat", "9", "North"],
            3,
        ),
        (lines_with(3, ""), ["line 4", "version 3", "version 2 was to come"], 1),
        (lines_with(2, ""), ["line 3", "version 2", "version 1 was to come"], None),
        (
            write_jsonl(records()).replace('"target":5', '"target":-5'),
            ["20261129-2345-abcd", "target", "-5"],
            None,
        ),
        (
            write_jsonl(records()).replace('"Ann","Bob",', '"Ann",'),
            ["20261129-2345-abcd", "4 names"],
            None,
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_what_came_before_is_kept(
    text: str, named: list[str], kept: int | None
) -> None:
    imported = read_jsonl(text)
    told = [str(fault) for fault in imported.faults]
    assert any(all(word in line for word in named) for line in told), told
    assert [len(game.entries) for game in imported.games] == ([] if kept is None else [kept])


def test_a_broken_game_leaves_the_other_whole() -> None:
    lines = write_jsonl([*records("a"), *records("b", first_seq=8)]).splitlines()
    lines[3] = lines[3].replace('"maker":0', '"maker":7')
    imported = read_jsonl("\n".join(lines))
    assert [(g.game_id, len(g.entries)) for g in imported.games] == [("a", 2), ("b", 7)]
    told = [str(fault) for fault in imported.faults]
    assert any("maker" in line for line in told)
    assert any("4 facts after the fault are left out" in line for line in told)


def test_a_file_cut_off_anywhere_keeps_the_facts_before_the_cut() -> None:
    data = write_jsonl(records()).encode()
    for length in range(0, len(data), 13):
        imported = read_jsonl(data[:length])
        whole_lines = data[:length].count(b"\n") - 1
        for game in imported.games:
            assert len(game.entries) >= whole_lines
            assert game.records(game.game_id or "") == records()[: len(game.entries)]


def test_a_file_that_is_not_there_is_a_fault_with_its_name(tmp_path: Path) -> None:
    (fault,) = read_jsonl_file(tmp_path / "none.jsonl").faults
    assert "none.jsonl" in str(fault)


def test_a_file_of_either_notation_is_told_apart_by_what_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_text(write_jsonl(records()), encoding="utf-8")
    assert read_game_file(path).games == read_jsonl(write_jsonl(records())).games
    text = write_egn(records()).text
    path.write_text(text, encoding="utf-8")
    assert read_game_file(path).games == read_egn(text).games
    assert len(read_game_file(path).games) == 1
    (fault,) = read_game_file(tmp_path / "none").faults
    assert "none" in str(fault)


def test_a_game_comes_through_a_pipe() -> None:
    reading, writing = os.pipe()
    os.write(writing, write_jsonl(records()).encode())
    os.close(writing)
    try:
        assert len(read_game_file(f"/dev/fd/{reading}").games) == 1
    finally:
        os.close(reading)
