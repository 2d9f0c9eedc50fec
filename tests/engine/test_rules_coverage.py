"""docs/developer/rules-coverage.md names, for every line of RULES.md, the tests that hold it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

#: A table row: a rule's words, and tests or a note.
_ROW = re.compile(r"^\| (.+) \| ((?:`|note: ).+) \|$")


def rows(root: Path) -> list[tuple[str, str]]:
    text = (root / "docs" / "developer" / "rules-coverage.md").read_text("utf-8")
    found = [_ROW.match(line) for line in text.splitlines()]
    return [(row[1].replace("\\|", "|"), row[2]) for row in found if row is not None]


def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_it_names_is_there(root: Path) -> None:
    named = {
        test
        for _, held_by in rows(root)
        if not held_by.startswith("note: ")
        for test in re.findall(r"`([^`]+)`", held_by)
    }
    assert len(named) > 120
    for test in sorted(named):
        path, _, name = test.partition("::")
        assert name in functions(root / "tests" / path), test


def test_a_note_says_why_there_is_no_test(root: Path) -> None:
    notes = [held_by for _, held_by in rows(root) if held_by.startswith("note: ")]
    assert all(len(note) > 20 for note in notes)
    assert len(notes) < 6


def test_every_line_of_the_rules_has_its_row(root: Path, shared: Path) -> None:
    """Headings and the heads of tables say nothing by themselves."""
    words = [rule for rule, _ in rows(root)]
    lines = (shared / "RULES.md").read_text("utf-8").splitlines()
    said = [
        line
        for line in lines
        if line.strip() and not re.match(r"#|\|---|\| result|\| preset", line)
    ]
    assert len(said) > 50
    for line in said:
        assert any(rule in line for rule in words), line


@pytest.mark.parametrize("section", ["Points", "Presets"])
def test_every_row_of_a_table_of_the_rules_has_a_row_of_its_own(
    section: str, root: Path, shared: Path
) -> None:
    rules = (shared / "RULES.md").read_text("utf-8")
    part = rules.partition(f"## {section}")[2].partition("\n## ")[0]
    table = [line for line in part.splitlines() if line.startswith("| ")][1:]
    assert len(table) > 8
    words = [rule for rule, _ in rows(root)]
    for line in table:
        assert any(line.startswith(f"| {rule}") for rule in words), line
