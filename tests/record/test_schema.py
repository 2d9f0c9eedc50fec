"""The published schema of our notation says what the readers say, and is up to date."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine import codec, facts
from engine.cards import Card
from engine.notation.jsonl import write_jsonl
from engine.notation.schema import as_text, facts_schema

FACTS: tuple[facts.Fact, ...] = (
    facts.GameStarted(rules={"preset": "home"}, names=("A", "B", "C", "D"), dealer=None),
    facts.UpcardShown(card=Card("9h"), dealer=3, confidence=0.97, track=4, evidence="a1"),
    facts.Called(seat=0, call="name", suit="n", alone=True),
    facts.Declared(maker=0, trump="h", deal=1),
    facts.Discarded(seat=3),
    facts.CardPlayed(seat=0, card=Card("B"), confidence=0.5, track=5),
    facts.ReviewRaised(
        subject="play",
        seat=None,
        candidates=((Card("Qh"), 0.6), (Card("Qd"), 0.4)),
        reason="unsure",
        box=(1.0, 2.0, 3.5, 4.0),
    ),
    facts.ReviewAnswered(review=7, card=None),
    facts.Corrected(target=6, replacement=facts.TrickCleared(), reason="x"),
    facts.Inserted(before=6, fact=facts.CardPlayed(seat=0, card=Card("9c")), reason="x"),
    facts.Moved(target=6, before=3, reason="x"),
    facts.Amended(changes=(facts.Corrected(target=6, replacement=None, reason="x"),), reason="x"),
    facts.ScoreAdjusted(points=(-1, 2), reason="x"),
    facts.PackShuffled(seat=0, passes=3),
    facts.DealKept(makers=1, tricks=2, alone=True),
    facts.GamePaused(reason="supper"),
    facts.GameResumed(),
    facts.GameConfirmed(seat=0, score=(10, 6)),
)
RECORDS = tuple(
    facts.Recorded(seq=v, game_id="g", version=v, at_us=v, source="camera", fact=fact)
    for v, fact in enumerate(FACTS, start=1)
)


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = facts_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_published_schema_is_the_one_the_code_makes(root: Path) -> None:
    published = root / "docs" / "schema" / "upcard-facts.schema.json"
    assert published.read_text(encoding="utf-8") == as_text(), (
        "write it anew: python -m engine.notation.schema > docs/schema/upcard-facts.schema.json"
    )


def test_every_line_of_a_file_that_is_written_is_of_the_schema(validator: Any) -> None:
    for line in write_jsonl(RECORDS).splitlines():
        validator.validate(json.loads(line))


def mutations(line: Any) -> list[Any]:
    """The line with one value, anywhere in it, taken out or made another."""
    spoilt: list[Any] = []
    wrong = ["x", -1, 2.5, True, None, [], {}]

    def at(value: Any, path: tuple[Any, ...]) -> None:
        for key in value if isinstance(value, dict) else range(len(value)):
            for new in wrong:
                made = copy.deepcopy(line)
                place = made
                for step in path:
                    place = place[step]
                place[key] = new
                spoilt.append(made)
            if isinstance(value, dict):
                made = copy.deepcopy(line)
                place = made
                for step in path:
                    place = place[step]
                del place[key]
                spoilt.append(made)
                place["surplus"] = 1
                spoilt.append({**copy.deepcopy(line), "surplus": 1})
            if isinstance(value[key], dict | list):
                at(value[key], (*path, key))

    at(line, ())
    return spoilt


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r.fact).__name__)
def test_the_schema_and_the_reader_agree_on_what_is_wrong(
    record: facts.Recorded, validator: Any
) -> None:
    lines = mutations(codec.recorded_to_json(record))
    told = []
    for line in lines:
        try:
            codec.recorded_from_json(line)
            reads = True
        except codec.BadFact:
            reads = False
        told.append((reads, validator.is_valid(line)))
    disagree = [line for line, (a, b) in zip(lines, told, strict=True) if a != b]
    assert disagree == []
    assert {reads for reads, _ in told} == {True, False}
