"""``upcard watch``: a clip's facts as lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pi.watch import BadCommands, CommandsMissing, parse_commands, read_commands, watch
from vision.clips import ClipMissing, ClipTruncated, ClipWriter


class ByMoment:
    """The drawn table's reader for pictures that went through a clip, told apart by order."""

    def __init__(self, table, moments: list[int]) -> None:
        self._table = table
        self._moments = moments
        self.now_us = 0

    def read(self, image, regions=None):
        marked = image.copy()
        marked[0, :2] = np.frombuffer(self.now_us.to_bytes(6, "little"), np.uint8).reshape(2, 3)
        return self._table.read(marked, regions)


def record(table, until_s: float, path: Path, monkeypatch) -> ByMoment:
    """Film the table; the reader returned learns the moment of each frame as it is read."""
    from vision import clips

    writer = ClipWriter(path, table.fps)
    moments = []
    for frame in table.frames(until_s):
        writer.write(frame)
        moments.append(frame.at_us)
    writer.close()
    reader = ByMoment(table, moments)
    real = clips.ClipSource.frames

    def told(self):
        for frame in real(self):
            reader.now_us = frame.at_us
            yield frame

    monkeypatch.setattr(clips.ClipSource, "frames", told)
    return reader


def one_trick(table) -> float:
    """An up-card from West, taken; North leads a heart trick that North wins with the ace."""
    up = table.lay("Th", 3, 1.0, where=(322, 181))
    table.take([up], 3, 2.5)
    played = [
        table.lay(card, seat, 4.0 + 1.0 * i)
        for i, (card, seat) in enumerate((("Ad", 0), ("Qd", 1), ("9d", 2), ("Td", 3)))
    ]
    table.take(played, 0, 8.4)
    return 10.0


def facts(lines: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(line["kind"], line["seat"], line["card"]) for line in lines]


def test_a_clip_tells_its_facts_in_order(table, tmp_path: Path, monkeypatch) -> None:
    clip = tmp_path / "deal.mp4"
    reader = record(table, one_trick(table), clip, monkeypatch)
    lines: list[dict[str, Any]] = []
    assert watch(clip, reader=reader, emit=lines.append) == 0
    assert facts(lines) == [
        ("upcard_shown", 3, "Th"),
        ("upcard_taken", 3, "Th"),
        ("card_played", 0, "Ad"),
        ("card_played", 1, "Qd"),
        ("card_played", 2, "9d"),
        ("card_played", 3, "Td"),
        ("trick_cleared", 0, None),
    ]
    truth_us = [1_000_000, 2_700_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000, 8_800_000]
    for line, at_us in zip(lines, truth_us, strict=True):
        assert abs(line["at_us"] - at_us) <= 500_000
    assert all(0.9 < line["confidence"] <= 1 for line in lines if "confidence" in line)
    assert all(json.loads(json.dumps(line)) == line for line in lines)


def test_a_declaration_decides_who_won(table, tmp_path: Path, monkeypatch) -> None:
    clip = tmp_path / "deal.mp4"
    reader = record(table, one_trick(table), clip, monkeypatch)
    lines: list[dict[str, Any]] = []
    # Spades, not the up-card's hearts: no trump falls, so the lead still wins.
    watch(clip, reader=reader, trump="s", maker=1, emit=lines.append)
    declared = [line for line in lines if line["kind"] == "declared"]
    assert [(line["seat"], line["trump"], line["alone"]) for line in declared] == [(1, "s", None)]
    assert facts(lines)[-1] == ("trick_cleared", 0, None)


def test_the_commands_beside_a_clip_are_read_by_themselves(
    table, tmp_path: Path, monkeypatch
) -> None:
    clip = tmp_path / "deal.mp4"
    reader = record(table, one_trick(table), clip, monkeypatch)
    beside = tmp_path / "deal.mp4.commands.jsonl"
    start = {"at_us": 0, "source": "page", "kind": "start_game", "rules": "home", "dealer": 3}
    declare = {"at_us": 3_300_000, "kind": "declare", "maker": 2, "trump": "h"}
    beside.write_text(f"{json.dumps(declare)}\n{json.dumps(start)}\n")
    lines: list[dict[str, Any]] = []
    assert watch(clip, reader=reader, emit=lines.append) == 0
    kinds = [line["kind"] for line in lines]
    assert kinds.index("declared") == kinds.index("upcard_taken") + 1
    assert lines[kinds.index("declared")]["seat"] == 2


def test_faulty_lines_of_a_commands_file_are_named_and_the_rest_is_done(
    table, tmp_path: Path, monkeypatch
) -> None:
    clip = tmp_path / "deal.mp4"
    reader = record(table, one_trick(table), clip, monkeypatch)
    commands = tmp_path / "taps.jsonl"
    commands.write_text(
        '{"at_us": 3300000, "kind": "declare", "maker": 2, "trump": "h"}\n'
        '{"at_us": 3400000, "kind": "declare", "maker": 7, "trump": "h"}\n'
        "not even JSON\n"
        '{"kind": "throw_in"}\n'
    )
    lines: list[dict[str, Any]] = []
    said: list[str] = []
    code = watch(clip, reader=reader, commands=commands, emit=lines.append, complain=said.append)
    assert code == 1
    assert [text.split(":")[0].rsplit(" ", 2)[-2:] for text in said] == [
        ["line", "2"],
        ["line", "3"],
        ["line", "4"],
    ]
    assert "declared" in [line["kind"] for line in lines]
    assert lines[-1]["kind"] == "trick_cleared"


def test_a_review_names_its_candidates(table, tmp_path: Path, monkeypatch) -> None:
    from vision.ports import Detection

    def doubt(at_us: int, card: str, d: Detection) -> Detection:
        if card != "Qd":
            return d
        votes = (("Qd", 0.55), ("Kd", 0.4))
        return Detection(
            kind="unsure", card="Qd", confidence=0.55, box=d.box, votes=votes, why="low"
        )

    table.fault = doubt
    clip = tmp_path / "deal.mp4"
    end_s = one_trick(table)
    reader = record(table, end_s, clip, monkeypatch)
    lines: list[dict[str, Any]] = []
    watch(clip, reader=reader, emit=lines.append)
    (review,) = [line for line in lines if line["kind"] == "review"]
    assert (review["seat"], review["best"], review["reason"]) == (1, "Qd", "unsure")
    assert review["candidates"][:2] == ["Qd", "Kd"]
    assert abs(review["at_us"] - 5_000_000) <= 500_000
    assert len(review["box"]) == 4
    # Whichever of the two it was, North's ace took the trick.
    cleared = lines[-1]
    assert (cleared["kind"], cleared["seat"], cleared["inferred"]) == ("trick_cleared", 0, True)


def test_a_truncated_clip_tells_what_was_sound_before_its_fault(
    table, tmp_path: Path, monkeypatch
) -> None:
    clip = tmp_path / "deal.avi"
    reader = record(table, one_trick(table), clip, monkeypatch)
    whole = clip.read_bytes()
    clip.write_bytes(whole[: round(len(whole) * 0.7)])
    lines: list[dict[str, Any]] = []
    with pytest.raises(ClipTruncated):
        watch(clip, reader=reader, emit=lines.append)
    assert facts(lines)[:4] == [
        ("upcard_shown", 3, "Th"),
        ("upcard_taken", 3, "Th"),
        ("card_played", 0, "Ad"),
        ("card_played", 1, "Qd"),
    ]


def test_what_is_not_there_is_named(table, tmp_path: Path) -> None:
    with pytest.raises(ClipMissing):
        watch(tmp_path / "none.mp4", reader=table, emit=print)
    with pytest.raises(CommandsMissing):
        parse_commands(tmp_path / "none.jsonl")


def test_a_commands_file_with_a_fault_can_be_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "taps.jsonl"
    path.write_text('{"at_us": 5, "kind": "fly"}\n')
    with pytest.raises(BadCommands, match="line 1"):
        read_commands(path)


@pytest.mark.pixels
def test_the_easy_recorded_deal_is_right_or_in_review(shared: Path) -> None:
    clips = shared / "data" / "clips"
    from vision.reader import load_reader

    truth = [json.loads(line) for line in (clips / "felt_a.truth.jsonl").read_text().splitlines()]
    lines: list[dict[str, Any]] = []
    watch(clips / "felt_a.mp4", reader=load_reader(threads=2), emit=lines.append)
    told = {"upcard_shown", "card_played", "trick_cleared", "review"}
    left = [line for line in lines if line["kind"] in told]
    for fact in truth:
        near = [
            line
            for line in left
            if abs(line["at_us"] - fact["at_us"]) <= 500_000 and line["seat"] == fact["seat"]
        ]
        right = [
            line
            for line in near
            if line["kind"] == fact["kind"] and line["card"] == fact.get("card")
        ]
        match = right or [line for line in near if line["kind"] == "review"]
        assert match, f"nothing stands for {fact}"
        left.remove(match[0])
    assert left == []
