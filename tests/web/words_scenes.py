"""Finds every sentence that people are told: the page's own, and those of the Python code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from engine.cards import NO_CARD
from engine.wording import NUMBER_WORDS
from pi.shuffling import words as shuffler_words

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
            if (told["data-say"] or "").startswith("{{"):
                pass  # a sentence of the server's own, see python_sayings()
            elif told["data-say"]:
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


#: Calls whose argument of that place is a sentence and its key (engine.wording.worded).
_SAYING = {
    **dict.fromkeys(("worded", "malformed", "not_now", "no_such", "stale", "saying"), 0),
    **dict.fromkeys(("Absent", "BadKeptGame", "TooManyStreams"), 0),
    "refusal": 2,
}
#: The same of methods: of an import's faults, and of what an export loses.
_METHODS = {"fault": 2, "lose": 0}
#: Arguments of those calls that fill no hole.
_NO_HOLES = {"fault": {"index"}}


@dataclass(frozen=True)
class Saying:
    """A call in the Python code that says a sentence: where, which (one of), filled with what."""

    place: str
    templates: tuple[str, ...]
    filled: frozenset[str]


def python_sayings(root: Path) -> list[Saying]:
    """Every sentence that the engine, the kit and the page's server say, as it is written."""
    found = []
    for package in ("engine", "pi", "vision", "web_dashboard"):
        for path in sorted((root / package).rglob("*.py")):
            found.extend(sayings_in(path.read_text("utf-8"), str(path.relative_to(root))))
    return found


def sayings_in(source: str, place: str) -> list[Saying]:
    """The sentences that one module says. Fails where one does not stand in the code."""
    tree = ast.parse(source)
    constants = _constants(tree)
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)):
                at = _SAYING.get(name)
            case ast.Call(func=ast.Attribute(attr=name)):
                at = _METHODS.get(name)
            case _:
                continue
        if at is None or len(node.args) <= at:
            continue
        said = node.args[at]
        if isinstance(said, ast.Name) and said.id in ("template", "key"):
            continue  # one of these calls itself, handing on what it was given
        templates = tuple(_written(said, constants))
        assert templates, f"{place}:{node.lineno}: write the sentence in the call itself"
        named = {keyword.arg for keyword in node.keywords if keyword.arg}
        named -= _NO_HOLES.get(name, set())
        anything = any(keyword.arg is None for keyword in node.keywords)
        filled = frozenset({"*"} if anything else named)
        found.append(Saying(f"{place}:{node.lineno}", templates, filled))
    return found


def _constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module gives a name, and those it imports from engine.cards."""
    named = {"NO_CARD": NO_CARD}
    for node in tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(text))):
                named[name] = text
    return named


def _written(said: ast.expr, constants: dict[str, str]) -> Iterator[str]:
    match said:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=one, orelse=other):
            yield from _written(one, constants)
            yield from _written(other, constants)
        case ast.Subscript(value=ast.Dict(values=values)):
            for value in values:
                yield from _written(value, constants)
        case ast.Subscript(value=ast.Name(id="NUMBER_WORDS")):
            yield from NUMBER_WORDS.values()
        case ast.Name(id=name) if name in constants:
            yield constants[name]
        case ast.Attribute(value=ast.Name(id="words"), attr=name):
            yield getattr(shuffler_words, name)
