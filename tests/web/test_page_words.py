"""The page's words lie in one place, and German proves that they can be translated."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from words_scenes import (
    page_sentences,
    python_sayings,
    sayings_in,
    script_sentences,
    template_sentences,
)

import engine.findings
from engine.view import _ASKED_AT_ONCE, _ASKED_FINDINGS
from engine.wording import SENTENCES
from pi.doctor import examine
from pi.doctor.fittings import Part
from pi.shuffling.words import KEYS as SHUFFLER_SENTENCES


@pytest.fixture(scope="module")
def told(root: Path) -> set[str]:
    """The sentences that stand in the Python code: refusals, rules, errors."""
    return {template for saying in python_sayings(root) for template in saying.templates}


@pytest.fixture(scope="module")
def german(root: Path) -> dict[str, str]:
    return json.loads((root / "web_dashboard/static/words/de.json").read_text())


def holes(sentence: str) -> set[str]:
    """The names of a sentence's holes, the engine's marks left out (engine/wording.py)."""
    return set(re.findall(r"\{(\w+)(?::[^}]*)?\}", sentence))


def test_every_sentence_of_the_page_has_a_german_one(root: Path, german: dict[str, str]) -> None:
    missing = {text: file for text, file in page_sentences(root).items() if text not in german}
    assert not missing, f"add these to static/words/de.json: {missing}"


def test_every_sentence_of_the_engine_has_a_german_one(german: dict[str, str]) -> None:
    missing = [key for key in SENTENCES if key not in german]
    assert not missing, f"add these to static/words/de.json: {missing}"


def test_every_refusal_and_every_rule_has_a_german_one(
    told: set[str], german: dict[str, str]
) -> None:
    assert len(told) > 300
    missing = sorted(text for text in told if text not in german)
    assert not missing, f"add these to static/words/de.json: {missing}"


def test_every_kind_of_finding_has_a_heading_on_the_page(root: Path) -> None:
    listed = re.search(r"Kinds of findings: (.*?)\.\n", engine.findings.__doc__ or "", re.S)
    assert listed is not None
    kinds = set(re.findall(r"[a-z]+(?:_[a-z]+)+|revoke", listed[1]))
    assert len(kinds) > 30
    # Those asked about hold the score up: none of them may be missing from the list above.
    assert set(_ASKED_FINDINGS) | set(_ASKED_AT_ONCE) <= kinds
    script = (root / "web_dashboard/static/js/ask.js").read_text()
    headings = re.search(r"const KIND_WORD = \{(.*?)\n\};", script, re.S)
    assert headings is not None
    assert kinds <= set(re.findall(r"(\w+): say\(", headings[1]))


def test_every_name_of_a_line_of_the_doctor_has_its_word(root: Path, tmp_path: Path) -> None:
    script = (root / "web_dashboard/static/js/doctor.js").read_text()
    listed = re.search(r"const NAMES = \[(.*?)\];", script, re.S)
    assert listed is not None
    words = set(re.findall(r'phrase\("([\w ]+)"\)', listed[1]))
    examined = {check.name for check in examine(log_path=tmp_path / "log")}
    assert {name if name in words else name.split()[0] for name in examined} <= words
    # Those of a Pi, and of what breaks down, are named in the code only: here they do not come up.
    spots = r'\bname=f?"([a-z ]+)|\(\s*"([a-z ]+)",\s+(?:lambda|running|software)'
    named = {
        "".join(found).strip()
        for path in (root / "pi/doctor").glob("*.py")
        for found in re.findall(spots, path.read_text())
    }
    assert {"camera light", "names", "import"} <= named
    assert {
        name if name in words else name.split()[0] for name in named | set(get_args(Part))
    } <= words


def test_every_sentence_in_the_code_is_given_what_it_has_holes_for(root: Path) -> None:
    for saying in python_sayings(root):
        if "*" in saying.filled:
            continue
        wanted = set().union(*map(holes, saying.templates)) - {"meanwhile"}
        assert wanted == saying.filled - {"meanwhile"}, saying


def test_every_sentence_about_the_shuffler_has_a_german_one(german: dict[str, str]) -> None:
    assert [key for key in SHUFFLER_SENTENCES if key not in german] == []


def test_a_translation_fills_the_same_holes(german: dict[str, str]) -> None:
    english = {key: SENTENCES.get(key, key) for key in german}
    differing = {key: text for key, text in german.items() if holes(english[key]) != holes(text)}
    assert not differing


def test_a_translation_may_leave_out_what_the_english_may(
    told: set[str], german: dict[str, str]
) -> None:
    for key, english in {**SENTENCES, **{text: text for text in told}}.items():
        kept = [holes(part) for part in re.findall(r"\[([^\]]*)\]", english)]
        assert [holes(part) for part in re.findall(r"\[([^\]]*)\]", german[key])] == kept, key


def test_no_translation_is_empty_but_where_the_english_is(german: dict[str, str]) -> None:
    empty = [key for key, text in german.items() if not text.strip()]
    assert [key for key in empty if SENTENCES.get(key, key)] == []


def test_no_translation_is_of_a_sentence_nobody_says(
    root: Path, told: set[str], german: dict[str, str]
) -> None:
    said = told | set(page_sentences(root)) | set(SENTENCES) | set(SHUFFLER_SENTENCES)
    assert [key for key in german if key not in said] == []


def test_sentences_are_found_wherever_a_script_says_them() -> None:
    source = """
    // say("not this one, it is a comment")
    const a = say("One, with a comma (and brackets)", { name: say("inner") });
    const b = say(kind === "euchre" ? "first" : "second");
    const c = plural(n, "{n} point", "{n} points", { who });
    const d = phrase("kept for later"), e = say(variable), f = say(table["key"]);
    """
    assert script_sentences(source) == {
        "One, with a comma (and brackets)",
        "inner",
        "first",
        "second",
        "{n} point",
        "{n} points",
        "kept for later",
    }


def test_sentences_are_found_in_templates() -> None:
    source = """
    <h1 data-say>Two
      lines</h1><p>not marked</p><b data-say="{n} deals" data-say-args='{"n": 3}'>3 deals</b>
    <nav aria-label="Pages" data-say-label></nav><input data-say-placeholder="Why" placeholder="x">
    """
    assert template_sentences(source) == {"Two lines", "{n} deals", "Pages", "Why"}


def test_sentences_are_found_in_the_code_that_says_them() -> None:
    source = """
NO_CAMERA: Final = "no camera"
def f():
    not_now("one {seat}" if x else "other", names, seat=1)
    worded({"a": "three", "b": "four"}[kind])
    refusal(404, "unknown", NO_CAMERA)
    return refusal(400, "malformed", "in two " "parts", **args)
"""
    found = sayings_in(source, "here")
    assert {template for saying in found for template in saying.templates} == {
        *("one {seat}", "other", "three", "four", "no camera", "in two parts")
    }
    assert {saying.filled for saying in found} == {
        frozenset({"seat"}),
        frozenset(),
        frozenset({"*"}),
    }


def test_a_sentence_put_together_elsewhere_is_found_out() -> None:
    with pytest.raises(AssertionError, match="write the sentence in the call itself"):
        sayings_in('not_now(f"deal {number} is over")', "here")
