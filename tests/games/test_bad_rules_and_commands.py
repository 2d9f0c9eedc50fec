"""Bad rulesets and senseless commands, in every preset and game: an answer, never a stumble.

What is refused is named with all mistakes at once; what is taken is a fact the log can keep.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from games_scenes import Table, facts_of, play
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.codec import command_from, fact_from_json, fact_to_json
from engine.commands import Rejected
from engine.decide import decide
from engine.facts import Declared, Fact, UpcardShown, UpcardTaken
from engine.games import game_for
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.ruleset import (
    PRESETS,
    BadRuleset,
    Ruleset,
    in_words,
    load_ruleset,
    preset,
    ruleset_from,
    to_mapping,
)
from engine.score import score_json
from engine.sheet import game_lines
from engine.state import fold
from engine.view import snapshot

#: A file of options -> the keys whose mistakes are named, all of them at once.
BAD_TOML: list[tuple[str, set[str]]] = [
    ("pack = 52", {"pack"}),
    ("pack = 24.0", {"pack"}),
    ("pack = true", {"pack"}),
    ('pack = "24"', {"pack"}),
    ("pack = 52\ntarget = 0\nhand_size = 6", {"pack", "target", "hand_size"}),
    ("target = 1000", {"target"}),
    ("target = 10.5", {"target"}),
    ("jokers = 3", {"jokers"}),
    ("jokers = -1", {"jokers"}),
    ("colour = 1", {"colour"}),
    ("[home]\ntarget = 5", {"home"}),
    ("target = [10]", {"target"}),
    ("target = 1979-05-27", {"target"}),
    ("target = nan", {"target"}),
    ("revoke_points = inf", {"revoke_points"}),
    ("revoke_points = -1\nrevoke_points_lone = 21", {"revoke_points", "revoke_points_lone"}),
    ('revoke_mode = "hanging"', {"revoke_mode"}),
    ("revoke_ends_hand = 1", {"revoke_ends_hand"}),
    ('super_euchre = "yes"', {"super_euchre"}),
    ('pass_out = "Stick_Dealer"', {"pass_out"}),
    ('no_trump = "round1"\njoker_upcard = "x"', {"no_trump", "joker_upcard"}),
    ("deals = 0", {"deals"}),
    ("deals = 101", {"deals"}),
    ('lone_lead = ""', {"lone_lead"}),
    ('buck_lead = "dealer"', {"buck_lead"}),
    ("players = 7", {"players"}),
    ('game = "whist"', {"game"}),
    ("preset = 3", {"preset"}),
    ('preset = "farmers"', {"preset"}),
    ('preset = "farmers"\npack = 1\nsix_cards = 6', {"preset", "pack", "six_cards"}),
]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(
    ("text", "keys"),
    BAD_TOML,
    ids=lambda value: " ".join(sorted(value)) if isinstance(value, set) else value[:30],
)
def test_a_bad_option_is_named_whatever_the_preset(
    name: str, text: str, keys: set[str], tmp_path: Path
) -> None:
    file = tmp_path / "rules.toml"
    head = "" if "preset" in keys else f'preset = "{name}"\n'
    file.write_text(head + text, "utf-8")
    with pytest.raises(BadRuleset) as refused:
        load_ruleset(file)
    named = {mistake.key for mistake in refused.value.mistakes}
    assert keys <= named
    for mistake in refused.value.mistakes:
        assert str(mistake).startswith(f"{mistake.key} = {mistake.value!r}: ")


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"target 10", b"target = ", b'a = "\\q"', b"[", b"target = 1\ntarget = 2"],
)
def test_a_file_that_is_no_toml_is_named_and_an_empty_one_is_home(
    data: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(data)
    if not data:
        assert load_ruleset(file) == preset("home")
        return
    with pytest.raises(BadRuleset, match=r"rules\.toml.*must be a TOML file"):
        load_ruleset(file)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"game": "call_ace", "players": 5, "pack": 24}, "five hands of 5 and the up-card need 26"),
        ({"game": "call_ace", "players": 6, "pack": 28}, "six hands of 5 and the up-card need 31"),
        ({"hand_size": 7}, "four hands of 7 and the up-card need 29 cards, the pack has 24"),
        ({"hand_size": 7, "pack": 28}, "need 29 cards, the pack has 28"),
        ({"game": "buck", "players": 4}, "in buck it is 3"),
        ({"game": "two_hand", "players": 2, "hand_size": 5}, "in two_hand it is 12"),
    ],
)
def test_what_cannot_be_dealt_is_refused_with_the_arithmetic(
    rules: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadRuleset, match=words):
        ruleset_from(rules)


#: Options that the games of another shape fix: a change of ``game`` brings them in.
FIXED = {"jokers", "defend_alone", "lone_exchange", "natural_trump_required", "pass_out"} | {
    *("revoke_mode", "alone_by")
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.floats(allow_nan=True),
    st.text(max_size=6),
    st.sampled_from([*"cdhsn", "off", "both", "award", "deduct", "maker", "2s", "joker", "any"]),
    st.lists(st.integers(), max_size=2),
)


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(sorted(PRESETS)),
    options=st.dictionaries(
        st.sampled_from([*to_mapping(Ruleset()), "colour", ""]), VALUES, max_size=5
    ),
)
def test_any_options_make_rules_that_can_be_played_or_are_refused_by_name(
    name: str, options: dict[str, Any]
) -> None:
    try:
        rules = ruleset_from({"preset": name, **options})
    except BadRuleset as refused:
        mistakes = refused.mistakes
    else:
        mistakes = ()
    if mistakes:
        named = {mistake.key for mistake in mistakes}
        assert named <= {*options, *("hand_size", "pack", "players", "game", "benny_face")} | FIXED
        return
    assert ruleset_from(to_mapping(rules)) == rules
    told = in_words(rules)
    assert all(words.endswith(".") and words[0] == words[0].upper() for words in told)
    game = game_for(rules)
    assert len(game.initial_score(rules)) == game.sides


@pytest.mark.parametrize("name", PRESETS)
def test_the_rules_of_every_preset_are_read_out_before_the_first_deal(name: str) -> None:
    told = in_words(preset(name))
    assert len(told) >= 8
    assert all(words.endswith(".") for words in told)
    rules = preset(name)
    assert any(str(rules.pack) in words for words in told)
    assert any(str(rules.target) in words for words in told)
    assert any("evoke" in words for words in told)
    assert len(set(told)) == len(told)


# --- commands -----------------------------------------------------------------------------------

KINDS = (
    *("start_game", "name_dealer", "show_upcard", "take_upcard", "turn_down_upcard", "call"),
    *("declare", "bid_tricks", "swap_widow", "stay", "drop", "call_ace", "show_table_card"),
    *("discard", "play_card", "take_back", "show_hand", "pass_card", "claim", "clear_trick"),
    *("throw_in", "confirm_deal", "answer_review", "correct", "insert", "move", "strike_deal"),
    *("undo", "rule_finding", "adjust_score", "report_shuffle", "end_game"),
)
FIELDS: dict[str, list[Any]] = {
    "seat": [0, 1, 2, 5, 6, -1, True, "0", None],
    "dealer": [0, 3, 9],
    "card": ["Kh", "9c", "As", "1h", "", "B", None, 7, "J" * 300],
    "cards": [["Kh"], [], ["Kh", "Kh"], "Kh", None, ["Kh"] * 99],
    "call": ["pass", "name", "order_up", "pick_up", "double", 1],
    "suit": ["h", "n", "x", None, 4],
    "maker": [0, 1, 4, None],
    "trump": ["c", "n", "H", ""],
    "alone": [0, 1, True, False, None, "yes"],
    "defender_alone": [1, 3, None],
    "bid": [1, 5, 6, 0, 2.5, None],
    "dropped": [[0], [2], [9], "0", []],
    "ace": ["Ah", "Kh", "7", None],
    "tricks": [1, 5, 6, 0, "3"],
    "deal": [1, 2, 99, 0, -1, None, "1"],
    "trick": [1, 5, 12, 13, 0, None],
    "target": [1, 2, 5, 9999, 0, -4, "x"],
    "before": [2, 3, 9999],
    "offence": ["revoke", "six_cards", "no_discard", "too_few_cards", "cheating"],
    "by": [0, 2, 7, None],
    "finding": ["1:revoke:0:1", "", "x" * 500],
    "ruling": ["uphold", "dismiss", "maybe"],
    "reason": ["", "because", "\ud800", 5],
    "points": [[1, 0], [0], [1, 2, 3], [0, 0, 0, 0, 0], "1", [10**40, 0]],
    "review": [1, 9, 9999],
    "passes": [1, 0, 3, 10**9],
    "rules": ["home", "buck3", "nonsense", {"pack": 52}, 3],
    "names": [["A", "B"], ["A", "B", "C", "D"], [], ""],
    "replacement": [None, {"kind": "card_played", "seat": 0, "card": "Kh"}, 3],
    "fact": [{"kind": "card_played", "seat": 0, "card": "Kh"}, {"kind": "eaten"}],
}


def any_command(rng: random.Random) -> dict[str, Any]:
    """A kind of ours with some fields, sensible or not."""
    told: dict[str, Any] = {"kind": rng.choice(KINDS)}
    for field in rng.sample(sorted(FIELDS), rng.randrange(0, 5)):
        told[field] = rng.choice(FIELDS[field])
    return told


def sensible(rng: random.Random, seats: int, sides: int) -> dict[str, Any]:
    """A command whose fields fit its kind, however little it fits the moment."""
    seat, card = rng.randrange(seats), rng.choice(["Kh", "9c", "As", "Jd", "7s"])
    return rng.choice(
        [
            {"kind": "play_card", "seat": seat, "card": card},
            {"kind": "show_upcard", "card": card, "dealer": seat},
            {"kind": "declare", "maker": seat, "trump": rng.choice("cdhsn")},
            {"kind": "declare", "maker": seat, "trump": "h", "bid": 3, "dropped": [0]},
            {"kind": "declare", "maker": seat, "trump": "h", "ace": "Ac", "alone": None},
            {"kind": "call", "seat": seat, "call": "name", "suit": "c"},
            {"kind": "call", "seat": seat, "call": "pass"},
            {"kind": "bid_tricks", "seat": seat, "tricks": rng.randrange(0, 7)},
            {"kind": "claim", "seat": seat, "offence": rng.choice(FIELDS["offence"])},
            {"kind": "show_hand", "seat": seat, "cards": [card]},
            {"kind": "take_back", "target": rng.randrange(1, 12)},
            {"kind": "clear_trick"},
            {"kind": "discard", "seat": seat},
            {"kind": "throw_in", "reason": "redeal"},
            {"kind": "show_table_card", "seat": seat, "card": card},
            {"kind": "call_ace", "card": "Ad"},
            {"kind": "drop", "seat": seat},
            {"kind": "undo"},
            {"kind": "strike_deal", "deal": 1, "reason": "x"},
            {"kind": "adjust_score", "points": [1, *[0] * (sides - 1)], "reason": "x"},
            {"kind": "correct", "target": rng.randrange(1, 9), "strike": True, "reason": "x"},
        ]
    )


def begun(name: str, rng: random.Random) -> Table:
    """A game of that preset with the beginning of a deal."""
    made = Table(name)
    if preset(name).game != "partnership":
        made.record(facts_of(name, play(rng, name), declare=rng.random() < 0.5)[: rng.randrange(9)])
        return made
    told: list[Fact] = [
        UpcardShown(card="9h", dealer=0),  # type: ignore[arg-type]
        UpcardTaken(),
        Declared(maker=1, trump="h"),
    ]
    made.record(told[: rng.randrange(4)])
    return made


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seed", range(3))
def test_any_command_is_answered_and_what_it_adds_can_be_kept(name: str, seed: int) -> None:
    rng = random.Random(f"{name} {seed}")
    made = begun(name, rng)
    seats, sides = len(made.state.names), len(made.state.score)
    taken = refused = 0
    for _ in range(120):
        told = any_command(rng) if rng.random() < 0.6 else sensible(rng, seats, sides)
        command = command_from(told)
        before = made.state
        if isinstance(command, Rejected):
            answer: tuple[Fact, ...] | Rejected = command
        else:
            answer = decide(before, command)
        if isinstance(answer, Rejected):
            refused += 1
            assert answer.reason
            assert len(answer.reason) < 4_000
            assert made.state is before
            continue
        taken += 1
        assert answer
        for fact in answer:
            assert fact_from_json(fact_to_json(fact)) == fact
        made.record(answer)
    assert taken > 3
    assert refused > 30
    view = snapshot(made.state, made.records)
    assert view["version"] == len(made.records)
    assert game_lines(made.records)
    assert score_json(made.records)["deals"] is not None


# --- files of facts of every game ---------------------------------------------------------------


def a_game(name: str) -> str:
    made = begun(name, random.Random(name))
    return write_jsonl(made.records)


@pytest.mark.parametrize("name", PRESETS)
def test_a_game_of_any_shape_that_chance_has_spoilt_is_borne(name: str) -> None:
    sound = a_game(name)
    assert read_jsonl(sound).faults == ()
    rng = random.Random(name)
    for _ in range(40):
        text = list(sound)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text))
            match rng.randrange(3):
                case 0:
                    del text[at : at + rng.randrange(1, 30)]
                case 1:
                    text[at] = rng.choice('"{}[]:,0129kKhx\n\ud800')
                case _:
                    text[at:at] = text[max(0, at - 20) : at]
        imported = read_jsonl("".join(text))
        for fault in imported.faults:
            assert str(fault)
        for read in imported.games:
            records = read.records()
            snapshot(fold(records), records)
            assert game_lines(records)


@pytest.mark.parametrize("name", PRESETS)
def test_a_game_whose_rules_were_spoilt_is_a_fault(name: str) -> None:
    spoilt = a_game(name).replace('"rules":{', '"rules":{"pack":52,', 1)
    assert spoilt != a_game(name)
    assert read_jsonl(spoilt).faults


def test_a_start_by_mistake_of_another_number_of_players_is_refused() -> None:
    for name in PRESETS:
        names = ("A",) * (game_for(preset(name)).seats + 1)
        command = command_from({"kind": "start_game", "rules": name, "names": list(names)})
        answer = command if isinstance(command, Rejected) else decide(fold(()), command)
        assert isinstance(answer, Rejected)
        assert "names" in answer.reason
