"""Whatever the page is told in words, it can say in another language too.

A sentence in an answer stands beside what any language says it by: ``text`` beside ``say``,
``cure`` beside ``say_cure``. What is not a sentence of the kit's is on the list below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from access_scenes import join
from test_openapi import asked

from engine.notation.jsonl import write_jsonl
from engine.table import Table
from pi.doctor import examine, report
from web_dashboard import create_app

#: Words that stay as they are, by the key they stand under.
AS_THEY_ARE = {
    # names that people gave, and what they typed
    **dict.fromkeys(("name", "names", "title", "players", "reason_given"), "people's own"),
    # read by programs
    **dict.fromkeys(("summary", "description", "openapi"), "the document of the API"),
    "value": "what stands in a file",
    "message": "the part of a fault's text that programs ask for",
    "fact": "what was recorded, for mending",
    "evidence": "the name of a picture",
}  # fmt: skip
#: Words that need no sentence beside them, by the answer and the key: the scripts have a table
#: for them, or show them to nobody.
ELSEWHERE = {
    ("/api/parts", "text"): "PART_TEXTS of parts.js",
    ("/api/games/<game_id>/exports", "what"): "EXPORT_WORD of replay.js",
    ("/api/doctor", "name"): "NAMES of doctor.js",
    ("/api/statistics", "sides"): "two names, which bothWord() of words.js joins",
    ("/api/games/<game_id>/deals/<int:number>", "lines"): "for programs: no page shows it",
    ("/api/games/<game_id>/export/<to>", "fileType"): "a file",
}


def unsaid(told: Any, rule: str, key: str = "") -> Iterator[str]:
    """Every text of two words or more that only English has."""
    match told:
        case dict():
            for name, value in told.items():
                sibling = "say" if name in ("text", "reason", "words") else f"say_{name}"
                listed = name in AS_THEY_ARE or (rule, name) in ELSEWHERE
                said = told.get(sibling)
                if listed or name in ("say", "refused_say") or name.startswith("say_"):
                    continue
                if isinstance(value, str):
                    if _is_sentence(value) and not said and not told.get(f"{name}_say"):
                        yield f"{rule} {key}.{name}: {value}"
                elif isinstance(value, list) and said and len(said) == len(value):
                    continue
                else:
                    yield from unsaid(value, rule, f"{key}.{name}")
        case list():
            for value in told:
                yield from unsaid(value, rule, key)
        case str() if _is_sentence(told):
            yield f"{rule} {key}: {told}"


def _is_sentence(text: str) -> bool:
    return len([word for word in text.split() if word.isalpha()]) > 1


def test_a_sentence_that_only_english_has_is_noticed() -> None:
    assert list(unsaid({"text": "the light is even", "say": None}, "/x"))
    assert list(unsaid({"lines": [{"cure": "put a lamp on", "say": {"key": "k"}}]}, "/x"))
    assert list(unsaid({"losses": ["the shuffles"], "say_losses": []}, "/x"))
    assert not list(unsaid({"text": "the light is even", "say": {"key": "k"}}, "/x"))
    assert not list(unsaid({"kind": "card_played", "losses": [], "text": "Kh"}, "/x"))


@pytest.fixture
def told(
    table: Table, log: Any, settings: Any, hands: Any, tmp_path: Any
) -> Iterator[list[tuple[str, Any]]]:
    """What the page is told in an evening of doubts, findings, rulings and mendings, and by a
    file full of faults."""
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    hands.sweep()
    hands.turn_up()
    hands.declare()
    hands.play(1, "Ah")
    hands.doubt(2, (("9h", 0.6), ("9d", 0.4)), None)
    checks = report(examine(log_path=tmp_path / "games.db"))
    app = create_app(table, log, replace(settings, doctor=lambda: checks))
    client = join(app, "director")

    def answers() -> Iterator[tuple[str, Any]]:
        faulty = write_jsonl(table.records).replace('"maker":1', '"maker":9')
        requests = [
            *asked(table.game_id, write_jsonl(table.records)),
            ("POST", "/api/import", {"text": faulty}),
            ("POST", "/api/import", {"text": "rubbish"}),
            ("POST", "/api/import", {"text": '{"fileType": "x", "deals": [3, {}], "version": 1}'}),
            ("POST", "/api/calibrate", {"do": "look"}),
            ("GET", "/api/games/none-such", None),
            *(
                ("POST", "/api/command", {"command": command})
                for command in (
                    {"kind": "play_card", "seat": 9, "card": "Kh"},
                    {"kind": "play_card", "seat": 1},
                    {"kind": "dance"},
                    {"kind": "claim", "seat": 2, "offence": "theft"},
                    {"kind": "undo"},
                )
            ),
            ("GET", "/api/snapshot", None),
        ]
        for method, address, body in requests:
            answer = client.open(address, method=method, json=body)
            if answer.mimetype == "application/json":
                path = address.partition("?")[0]
                rule = app.url_map.bind("localhost").match(path, method, return_rule=True)[0]
                yield str(rule.rule), answer.json

    yield list(answers())
    app.extensions["upcard"].close()


def test_every_sentence_the_page_is_told_can_be_said_in_any_language(
    told: list[tuple[str, Any]],
) -> None:
    assert len(told) > 25
    bare = sorted({line for rule, answer in told for line in unsaid(answer, rule)})
    assert not bare, "\n".join(bare)
