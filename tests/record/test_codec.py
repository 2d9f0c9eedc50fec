"""Facts, commands and sightings survive the way through JSON; what is no such thing does not."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import codec, commands, facts, sightings
from engine.cards import ALL_CARDS
from engine.commands import Rejected

# The values each field may hold, written from the contracts and not from the codec's tables.
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
WORD = TEXT.filter(str.strip)
SEAT = st.integers(0, 3)
CARD = st.sampled_from(ALL_CARDS)
PROBABILITY = st.floats(0, 1)
INT = st.integers(-(2**63), 2**63 - 1)
ORDINAL = st.integers(1, 2**63 - 1)
VOTES = st.lists(st.tuples(CARD, PROBABILITY), max_size=4).map(tuple)
BOX = st.tuples(*[st.floats(-5000, 5000)] * 4)
POINTS = st.lists(st.integers(-20, 20), min_size=2, max_size=2).map(tuple)
TRUMP = st.sampled_from("cdhsn")
RULES = st.dictionaries(
    TEXT, st.none() | st.booleans() | INT | TEXT | st.lists(TEXT, max_size=3), max_size=4
)
PLACE = st.builds(sightings.Place, seat=st.none() | SEAT, middle=st.booleans(), clear=st.booleans())
BY_NAME: dict[str, st.SearchStrategy[Any]] = {
    "rules": RULES,
    "names": st.tuples(TEXT, TEXT, TEXT, TEXT),
    "dealer": st.none() | SEAT,
    "title": TEXT,
    "initial_score": POINTS,
    "card": CARD,
    "confidence": PROBABILITY,
    "track": INT,
    "evidence": st.none() | TEXT,
    "seat": SEAT,
    "call": st.sampled_from(["pass", "order_up", "pick_up", "name"]),
    "suit": st.none() | TRUMP,
    "maker": SEAT,
    "trump": TRUMP,
    "defender_alone": st.none() | SEAT,
    "deal": ORDINAL,
    "bid": st.none() | ORDINAL,
    "dropped": st.lists(SEAT, max_size=3).map(tuple),
    "ace": st.none() | CARD,
    "tricks": ORDINAL,
    "reason": TEXT,
    "subject": st.sampled_from(["upcard", "play", "table", "draw"]),
    "candidates": VOTES,
    "votes": VOTES,
    "box": BOX,
    "review": ORDINAL,
    "target": ORDINAL,
    "finding": WORD,
    "ruling": st.sampled_from(["uphold", "dismiss"]),
    "points": POINTS,
    "score": POINTS,
    "passes": st.integers(0, 9),
    "machine": st.booleans(),
    "strike": st.booleans(),
    "at_us": INT,
    "place": PLACE,
    "laid_from": st.none() | SEAT,
    "why": st.none() | TEXT,
    "before": ORDINAL,
    "looked_at": st.none() | ORDINAL,
    "cards": st.lists(CARD, min_size=1, max_size=12).map(tuple),
    "kept": st.booleans(),
    "makers": st.integers(0, 1),
    "defended": st.booleans(),
    "offence": st.sampled_from(["revoke", "six_cards", "no_discard", "too_few_cards"]),
    "by": st.none() | SEAT,
    "trick": st.none() | ORDINAL,
}
MAY_BE_NULL = {
    (facts.UpcardShown, "track"),
    (facts.CardPlayed, "track"),
    (facts.TableCardShown, "track"),
    (facts.CardDrawn, "track"),
    (facts.ReviewRaised, "track"),
    (facts.ReviewRaised, "seat"),
    (facts.ReviewRaised, "box"),
    (facts.ReviewAnswered, "card"),
    (facts.ReviewAnswered, "seat"),
    (facts.Declared, "deal"),
    (facts.Discarded, "card"),
    (facts.HandShown, "deal"),
    (facts.CardPassed, "card"),
    (facts.Claimed, "deal"),
    (commands.Discard, "card"),
    (commands.ShowHand, "deal"),
    (commands.PassCard, "card"),
    (commands.Claim, "deal"),
    (commands.Declare, "deal"),
    (commands.ConfirmDeal, "deal"),
    (commands.AnswerReview, "card"),
    (commands.AnswerReview, "seat"),
    (commands.Correct, "card"),
    (commands.Correct, "seat"),
    (sightings.CardRested, "card"),
}


def values_of(kind: type, name: str) -> st.SearchStrategy[Any]:
    if name == "alone":  # a seat in a declaration, yes or no in a call
        yes_or_no = kind is facts.DealKept or kind.__name__.startswith("Call")
        return st.booleans() if yes_or_no else st.none() | SEAT
    if name == "dealer" and kind in (facts.DealerNamed, commands.NameDealer):
        return SEAT
    if name == "rules" and kind is commands.StartGame:
        return RULES | WORD
    if name == "rules" and kind is commands.Correct:
        return st.none() | RULES | WORD
    if name in ("replacement", "fact"):
        plain = st.sampled_from([k for k in FACTS if k not in MENDING]).flatmap(instances)
        return plain if name == "fact" else st.none() | plain
    if name == "changes":
        parts = [k for k in MENDING if k is not facts.Amended]
        some = st.lists(st.sampled_from(parts).flatmap(instances), min_size=1, max_size=3)
        return some.map(tuple)
    if (kind, name) in MAY_BE_NULL:
        return st.none() | BY_NAME[name]
    return BY_NAME[name]


def instances(kind: type) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{field.name: values_of(kind, field.name) for field in fields(kind)})


FACTS = get_args(facts.Fact)
MENDING = (facts.Corrected, facts.Inserted, facts.Moved, facts.Amended)
COMMANDS = get_args(commands.Command)
SIGHTINGS = get_args(sightings.Sighting)


def through_text(value: Any) -> Any:
    return codec.from_text(codec.to_text(value).encode("utf-8"))


@pytest.mark.parametrize("kind", FACTS, ids=lambda k: k.__name__)
def test_every_fact_comes_back_from_json_as_it_was(kind: type) -> None:
    @settings(max_examples=40, deadline=None, database=None)
    @given(instances(kind))
    def check(fact: Any) -> None:
        written = through_text(codec.fact_to_json(fact))
        assert written["kind"] == codec.kind_of(fact)
        assert codec.fact_from_json(written) == fact
        assert codec.from_row(codec.to_row(fact)) == fact

    check()


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda k: k.__name__)
def test_every_command_comes_back_from_json_as_it_was(kind: type) -> None:
    @settings(max_examples=40, deadline=None, database=None)
    @given(instances(kind))
    def check(command: Any) -> None:
        assert codec.command_from(through_text(codec.command_to_json(command))) == command

    check()


@pytest.mark.parametrize("kind", SIGHTINGS, ids=lambda k: k.__name__)
def test_every_sighting_comes_back_from_json_as_it_was(kind: type) -> None:
    @settings(max_examples=40, deadline=None, database=None)
    @given(instances(kind))
    def check(sighting: Any) -> None:
        assert codec.sighting_from_json(through_text(codec.sighting_to_json(sighting))) == sighting

    check()


def test_kinds_are_the_class_names_in_snake_case() -> None:
    assert codec.kind_of(facts.UpcardTurnedDown()) == "upcard_turned_down"
    assert codec.command_to_json(commands.TakeUpcard()) == {"kind": "take_upcard"}
    assert codec.fact_to_json(facts.TrickCleared()) == {"kind": "trick_cleared", "schema": 1}


def test_a_recorded_fact_keeps_its_envelope() -> None:
    recorded = facts.Recorded(
        seq=9,
        game_id="20261129-2345-abcd",
        version=3,
        at_us=-1,
        source="camera",
        fact=facts.CardPlayed(seat=1, card="9h"),
    )
    assert codec.recorded_from_json(through_text(codec.recorded_to_json(recorded))) == recorded


def test_fields_with_a_default_may_be_left_out() -> None:
    assert codec.fact_from_json({"kind": "card_played", "seat": 2, "card": "Kh"}) == (
        facts.CardPlayed(seat=2, card="Kh")
    )
    assert codec.command_from({"kind": "declare", "maker": 1, "trump": "h"}) == (
        commands.Declare(maker=1, trump="h")
    )


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"kind": "play_card", "seat": 6, "card": "Kh"}, ["seat", "6", "North"]),
        ({"kind": "play_card", "seat": "2", "card": "Kh"}, ["seat", "'2'"]),
        ({"kind": "play_card", "seat": True, "card": "Kh"}, ["seat", "True"]),
        ({"kind": "play_card", "seat": 2, "card": "kh"}, ["card", "'kh'", "Kh"]),
        ({"kind": "play_card", "seat": 2, "card": ["Kh"]}, ["card", "['Kh']"]),
        ({"kind": "play_card", "seat": 2}, ["card", "missing"]),
        ({"kind": "play_card", "seat": 2, "card": "Kh", "suit": "h"}, ["suit", "seat, card"]),
        ({"kind": "play_cards", "seat": 2}, ["kind", "'play_cards'", "play_card"]),
        ({"seat": 2}, ["kind", "None"]),
        ({"kind": 7}, ["kind", "7"]),
        ({"kind": ["play_card"]}, ["kind"]),
        ([], ["[]", "object"]),
        (None, ["None", "object"]),
        ("play_card", ["object"]),
        ({"kind": "declare", "maker": 0, "trump": "hearts"}, ["trump", "'hearts'", '"h"']),
        ({"kind": "declare", "maker": 0, "trump": "h", "deal": 0}, ["deal", "0"]),
        ({"kind": "adjust_score", "points": [1, 2.5], "reason": "x"}, ["points[1]", "2.5"]),
        ({"kind": "adjust_score", "points": {}, "reason": "x"}, ["points", "{}"]),
        ({"kind": "rule_finding", "finding": " ", "ruling": "uphold"}, ["finding", "empty"]),
        ({"kind": "rule_finding", "finding": "x", "ruling": "no"}, ["ruling", '"dismiss"']),
        ({"kind": "end_game", "reason": "x" * 1001}, ["reason", "1001", "1000"]),
        ({"kind": "end_game", "reason": "\ud83c"}, ["reason", "whole characters"]),
        ({"kind": "start_game", "rules": {"a": float("nan")}}, ["rules.a", "nan"]),
        ({"kind": "start_game", "rules": {"a": [1, {"b": 2**70}]}}, ["rules.a[1].b"]),
        ({"kind": "start_game", "rules": 3}, ["rules", "3", "home"]),
        ({"kind": "undo", 5: 1}, ["5", "reason"]),
        ({"kind": "answer_review", "review": 2**63, "card": None}, ["review"]),
    ],
)
def test_a_malformed_command_is_refused_with_the_key_the_value_and_the_cure(
    value: object, named: list[str]
) -> None:
    refused = codec.command_from(value)
    assert isinstance(refused, Rejected)
    assert refused.code == "malformed"
    for word in named:
        assert word in refused.reason


@settings(max_examples=200, deadline=None, database=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["kind", "seat", "card", "rules", "points", "box", "place"]) | TEXT,
                inner | st.sampled_from(["play_card", "start_game", "adjust_score", "Kh", 1]),
                max_size=5,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_value_makes_the_codec_stumble(value: Any) -> None:
    assert isinstance(codec.command_from(value), (Rejected, *COMMANDS))
    for reads, error in (
        (codec.fact_from_json, codec.BadFact),
        (codec.recorded_from_json, codec.BadFact),
        (codec.sighting_from_json, codec.BadSighting),
    ):
        with contextlib.suppress(error):  # anything else is the stumble this test looks for
            reads(value)


def test_rules_nested_without_end_are_refused() -> None:
    rules: dict[str, Any] = {}
    rules["again"] = rules
    refused = codec.command_from({"kind": "start_game", "rules": rules})
    assert isinstance(refused, Rejected)
    assert "too deeply" in refused.reason


@pytest.mark.parametrize(
    "fact",
    [
        facts.CardPlayed(seat=7, card="Kh"),
        facts.CardPlayed(seat=0, card="Zz"),
        facts.CardPlayed(seat=0, card="Kh", confidence=float("nan")),
        facts.CardPlayed(seat=0, card="Kh", confidence=1.5),
        facts.GameEnded(reason="\ud83c"),
        facts.DealConfirmed(deal=0),
        facts.GameStarted(rules={"when": object()}, names=("a",), dealer=None),
        facts.Corrected(
            target=1, replacement=facts.Corrected(target=1, replacement=None, reason=""), reason=""
        ),
        "card_played",
    ],
)
def test_a_fact_that_could_not_be_read_back_is_not_written(fact: Any) -> None:
    with pytest.raises(codec.BadFact):
        codec.fact_to_json(fact)


def test_a_fact_of_a_newer_schema_is_refused_by_its_number() -> None:
    with pytest.raises(codec.BadFact, match="schema 2, this Upcard knows 1 to 1"):
        codec.fact_from_json({"kind": "trick_cleared", "schema": 2})
    with pytest.raises(codec.BadFact, match="schema"):
        codec.fact_from_json({"kind": "trick_cleared", "schema": "1"})


def test_an_old_body_is_lifted_one_schema_at_a_time() -> None:
    steps = {
        ("card_played", 1): lambda body: {**body, "card": body["card"].replace("10", "T")},
        ("card_played", 2): lambda body: {
            ("seat" if key == "player" else key): value for key, value in body.items()
        },
    }
    lifted = codec.upcast("card_played", 1, {"player": 2, "card": "10h"}, current=3, steps=steps)
    assert lifted == {"seat": 2, "card": "Th"}
    assert codec.upcast("card_played", 2, {"player": 2}, current=3, steps=steps) == {"seat": 2}
    with pytest.raises(codec.BadFact, match="no step leads card_played from schema 3 to 4"):
        codec.upcast("card_played", 1, {"player": 2, "card": "9h"}, current=4, steps=steps)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "line 1"),
        ("{", "line 1"),
        ("[1,2", "line 1"),
        ('{"a":1}x', "Extra data"),
        ("NaN", "NaN"),
        ("-Infinity", "Infinity"),
        ("1" * 5000, "digits"),
        ("[" * 200_000, "nested"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b'{"a":"\xff"}', "UTF-8"),
    ],
)
def test_text_that_is_no_json_is_named_as_such(text: str | bytes, named: str) -> None:
    with pytest.raises(codec.BadJson, match=named):
        codec.from_text(text)


def test_what_is_written_is_one_line_of_real_json() -> None:
    text = codec.to_text(codec.fact_to_json(facts.GameEnded(reason="Señor\nJäger ♥")))
    assert "\n" not in text
    assert json.loads(text)["reason"] == "Señor\nJäger ♥"
