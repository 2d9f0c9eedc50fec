"""The kit's sentences: a key and arguments each, which any language can speak."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from engine_scenes import Table, facts_of
from oracle_euchre import deal_out

from engine import facts
from engine.cards import Card
from engine.commands import (
    Call,
    Claim,
    Command,
    Correct,
    Declare,
    PlayCard,
    Rejected,
    ShowUpcard,
    StartGame,
    Undo,
)
from engine.decide import decide
from engine.refusals import stale
from engine.ruleset import PRESETS, in_words, preset, rules_said
from engine.state import State
from engine.view import snapshot
from engine.wording import SENTENCES, english, fact_said, fact_text, say, say_json, spoken

NAMES = ("Ann", "Bob", "Cy", "Di")


def engine_sources(root: Path) -> Iterator[tuple[str, ast.AST]]:
    for path in sorted((root / "engine").rglob("*.py")):
        yield str(path), ast.parse(path.read_text("utf-8"))


def test_every_key_that_the_engine_speaks_has_its_english(root: Path) -> None:
    for path, tree in engine_sources(root):
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=ast.Name(id="say"), args=[ast.Constant(value=str(key)), *_]):
                    assert key in SENTENCES, f"{path} line {node.lineno}"


def test_no_sentence_is_left_that_nobody_speaks(root: Path) -> None:
    """A key stands in the code in full or with a part filled in: `finding.{kind}`."""
    in_full = set(re.findall(r'"([a-z_.]+)"', _code_but_the_table(root)))
    filled = [
        re.compile(re.sub(r"\\\{.*?\\\}", ".*", re.escape(words)))
        for words in re.findall(r'f"([a-z_.]+\.?\{[^"]*)"', _code_but_the_table(root))
    ]
    for key in SENTENCES:
        assert key in in_full or any(f.fullmatch(key) for f in filled), key


def _code_but_the_table(root: Path) -> str:
    code = "".join(path.read_text("utf-8") for path in (root / "engine").rglob("*.py"))
    table = code[code.index("SENTENCES: Final") : code.index("_FIELD: Final")]
    return code.replace(table, "")


def test_a_key_that_is_not_in_the_table_is_refused() -> None:
    with pytest.raises(KeyError, match=r"'finding\.nothing' is no sentence"):
        say("finding.nothing")


@pytest.mark.parametrize("key", SENTENCES)
def test_the_arguments_of_a_sentence_tell_their_kind_by_their_first_word(key: str) -> None:
    """A language that fills the template needs no list of what each argument is."""
    for name in re.findall(r"\{(\w+)", SENTENCES[key]):
        kind = name.partition("_")[0]
        assert kind in {
            *("seat", "seats", "side", "card", "cards", "suit", "suits"),
            *("trick", "deal", "entry", "entries", "points", "tricks", "passes", "count", "most"),
            *("played", "proven", "question", "before", "finding", "reason", "words"),
            *("said", "now", "claim", "doubt", "ruling", "result", "fact", "parts", "changes"),
        }, name


def test_a_part_in_brackets_is_left_out_where_its_argument_is_missing() -> None:
    assert english(say("claim.revoke", seat_by=0, seat=1, trick=2), NAMES) == (
        "Ann claims that Bob revoked in trick 2"
    )
    assert english(say("claim.revoke", seat_by=None, seat=1, trick=None), NAMES) == (
        "Somebody claims that Bob revoked"
    )


def test_a_name_with_marks_in_it_is_spoken_as_it_is() -> None:
    assert english(say("fact.stayed", seat=0), ("{seat} [x]", "Bob")) == "{seat} [x] stayed"
    assert fact_text(facts.GameEnded(reason="{a} [b]")) == "The game was ended: {a} [b]"


def test_one_is_counted_as_one_and_more_as_many() -> None:
    assert english(say("points.to", points=1, side=0), NAMES) == "1 point to Ann and Cy"
    assert english(say("points.to", points=2, side=1), NAMES) == "2 points to Bob and Di"
    assert english(say("fact.amended.struck", entries=(4,))) == "Taken back: entry 4"
    assert english(say("fact.amended.struck", entries=(4, 7))) == "Taken back: entries 4 and 7"


def test_the_sentence_in_json_says_the_same_as_the_text() -> None:
    """What goes to the page is enough to speak it."""
    corrected = facts.Corrected(
        target=7,
        replacement=facts.Declared(maker=1, trump="h", alone=3, defender_alone=0),
        reason="slip",
    )
    told = say_json(fact_said(corrected))
    assert told == {
        "key": "fact.corrected",
        "args": {
            "entry": 7,
            "reason": "slip",
            "fact": {
                "key": "fact.declared",
                "args": {
                    "deal": None,
                    "parts": [
                        {"key": "fact.declared.made", "args": {"seat": 1, "suit": "h"}},
                        {"key": "fact.declared.both_alone", "args": {"seats": [3, 0]}},
                    ],
                },
            },
        },
    }
    assert english(spoken(told), NAMES) == (
        "Entry 7 was corrected: Bob made hearts; Di and Ann play alone (slip)"
    )


def sentences_in(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every text of a snapshot with the sentence beside it."""
    if isinstance(value, dict):
        for text, said in (("text", "say"), ("ruling", "say_ruling")):
            if text in value:
                yield value[text], value[said]
        for inner in value.values():
            yield from sentences_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from sentences_in(inner)


def test_beside_every_text_of_a_snapshot_stands_its_sentence() -> None:
    made = Table(dealer=3)
    made.record(facts_of(deal_out(random.Random(2), dealer=3)))
    made.up("9s", 0)
    made.turns_down(made.tracks)
    made.tell(Declare(maker=1, trump="h"))
    made.plays((1, "Ac"), (2, "Kd"), (3, "Tc"), (0, "Qc"))
    made.clears()
    made.plays((1, "9c"), (2, "Kc"))
    made.tell(Claim(seat=3, offence="six_cards", by=0))
    made.rests(None, 3, votes=[(Card("Ad"), 0.6), (Card("Ah"), 0.4)])
    view = snapshot(made.state, made.records)
    told = list(sentences_in(view))
    assert len(told) > 30
    assert {said["key"].partition(".")[0] for _, said in told} >= {
        *("finding", "ruling", "review", "fact")
    }
    for text, said in told:
        assert english(spoken(said), made.state.names) == text


@pytest.mark.parametrize(
    "command",
    [
        Call(seat=2, call="pass"),
        Call(seat=1, call="name", suit="s"),
        Declare(maker=7, trump="h"),
        Declare(maker=1, trump="n"),
        PlayCard(seat=1, card=Card("2h")),
        PlayCard(seat=1, card=Card("Zz")),
        ShowUpcard(card=Card("Ah")),
        Undo(),
        StartGame(rules={"preset": "home", "target": 0, "jokers": 3}, names=NAMES),
        StartGame(rules="home", names=("A", "B")),
        Correct(target=99, reason="slip", strike=True),
    ],
    ids=repr,
)
def test_a_refusal_says_the_same_in_any_language(command: Command) -> None:
    made = Table(dealer=3)
    made.up("9s", 0)
    state = State() if isinstance(command, StartGame | Undo) else made.state
    refused = decide(state, command)
    assert isinstance(refused, Rejected)
    said = say_json(refused.said)
    assert json.loads(json.dumps(said)) == said
    assert english(spoken(said), state.names) == refused.reason


def test_the_rules_in_words_say_the_same_in_any_language() -> None:
    for name in PRESETS:
        rules = preset(name)
        assert [english(spoken(say_json(said))) for said in rules_said(rules)] == in_words(rules)


def test_what_happened_meanwhile_is_told_for_any_language() -> None:
    meanwhile = [fact_said(facts.Stayed(seat=seat)) for seat in (0, 1)]
    refused = stale("since {version}[: {meanwhile}]", NAMES, meanwhile=meanwhile, version=4)
    assert refused.reason == "since 4: Ann stayed; Bob stayed"
    assert refused.meanwhile == ("Ann stayed", "Bob stayed")
    assert refused.meanwhile_said == tuple(meanwhile)
    assert stale("since {version}[: {meanwhile}]", meanwhile=(), version=4).reason == "since 4"


@pytest.mark.parametrize("kind", get_args(facts.Fact), ids=lambda kind: kind.__name__)
def test_every_kind_of_fact_has_a_sentence(kind: type) -> None:
    """The history says each; a kind without words would stop the page."""
    some: dict[str, Any] = {
        "seat": 1,
        "card": Card("Kh"),
        "cards": (Card("Kh"), Card("9c")),
        "rules": {},
        "names": NAMES,
        "dealer": 2,
        "call": "pass",
        "maker": 0,
        "makers": 1,
        "trump": "h",
        "tricks": 3,
        "track": 4,
        "target": 5,
        "offence": "revoke",
        "deal": 1,
        "subject": "play",
        "candidates": (),
        "reason": "unsure",
        "review": 6,
        "replacement": None,
        "before": 5,
        "fact": facts.TrickCleared(),
        "changes": (facts.Moved(target=1, before=2, reason="x"),),
        "finding": "1:revoke:0:1",
        "ruling": "uphold",
        "points": (0, 2),
        "score": (10, 6),
        "passes": 3,
    }
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    fact = kind(**{name: some[name] for name in fields if name in some})
    said = fact_said(fact)
    assert said.key in SENTENCES
    assert english(said, NAMES)
