"""Finds every sentence that the page's scripts and templates show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Calls whose first strings are shown to people; plural() has two, after the number.
_CALL = re.compile(r"\b(say|phrase|plural)\(")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def _arguments(source: str, start: int) -> Iterator[str]:
    """The top-level arguments of a call whose parenthesis opened just before ``start``."""
    depth, begun, at = 0, start, start
    while at < len(source):
        char = source[at]
        if char in "\"'`":
            closing = at + 1
            while source[closing] != char:
                closing += 2 if source[closing] == "\\" else 1
            at = closing
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                yield source[begun:at]
                return
            depth -= 1
        elif char == "," and depth == 0:
            yield source[begun:at]
            begun = at + 1
        at += 1


def _without_comments(source: str) -> str:
    # A "//" within a string (an address) has no blank before it in this code base.
    return re.sub(r"(^|\s)//[^\n]*", r"\1", re.sub(r"/\*.*?\*/", "", source, flags=re.S))


def script_sentences(source: str) -> set[str]:
    """Every text given to ``say``, ``phrase`` or ``plural`` in a script."""
    source = _without_comments(source)
    found: set[str] = set()
    for call in _CALL.finditer(source):
        arguments = list(_arguments(source, call.end()))
        told = arguments[1:3] if call[1] == "plural" else arguments[:1]
        for argument in told:
            # say(a === "x" ? "one" : "other"): what is compared is not shown.
            shown = re.sub(r'[!=]==\s*"[^"]*"', "", argument)
            shown = re.sub(r'\["[^"]*"\]', "", shown)
            found |= {string.replace('\\"', '"') for string in _STRING.findall(shown)}
    return found


class _Marked(HTMLParser):
    """Collects what elements marked with data-say hold."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._open: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if "data-say" in told:
            if told["data-say"]:
                self.found.add(told["data-say"])
            else:
                self._open = []
        for mark, attribute in (
            ("label", "aria-label"),
            ("title", "title"),
            ("placeholder", "placeholder"),
            ("alt", "alt"),
        ):
            if f"data-say-{mark}" in told:
                self.found.add(told[f"data-say-{mark}"] or told.get(attribute) or "")

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._open.append(data)

    def handle_endtag(self, tag: str) -> None:
        if self._open is not None:
            self.found.add(" ".join("".join(self._open).split()))
            self._open = None


def template_sentences(source: str) -> set[str]:
    """Every text a template marks with ``data-say`` and its kin."""
    marked = _Marked()
    marked.feed(source)
    return marked.found


def page_sentences(root: Path) -> dict[str, str]:
    """Every sentence of the page and the file it stands in."""
    found: dict[str, str] = {}
    for script in sorted((root / "web_dashboard/static").rglob("*.js")):
        for sentence in script_sentences(script.read_text()):
            found[sentence] = script.name
    for template in sorted((root / "web_dashboard/templates").rglob("*.html")):
        for sentence in template_sentences(template.read_text()):
            found[sentence] = template.name
    return found
