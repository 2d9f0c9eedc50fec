"""Facts, commands and sightings as plain JSON values, and back: strictly.

Every value is an object with a ``kind`` (the class name in snake case) and its fields. A fact
also carries the ``schema`` number its fields were written in, so that the log of an older
Upcard stays readable: :data:`UPCASTERS` lifts a body one schema at a time.

Nothing is guessed. An unknown kind, an unknown key, a missing one or a value of another type
is a :class:`BadFact` (or :class:`BadSighting`, or for a command a ``malformed``
:class:`~engine.commands.Rejected`) that names the key, the value and the cure. Text must be
writable as UTF-8 and numbers finite, so whatever this module accepts a log can hold.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from engine import commands as c
from engine import facts as f
from engine import sightings as s
from engine.cards import ALL_CARDS, SEAT_NAMES, SUITS
from engine.errors import EngineError
from engine.wording import Sentence, english, worded

Json: TypeAlias = dict[str, Any]
#: Lifts a body from one schema to the next.
Upcaster: TypeAlias = Callable[[Json], Json]

#: The longest text of one field (names, reasons, titles), in characters.
LONGEST_TEXT: Final = 1_000
#: What SQLite, and every other place a number may go, can hold.
LARGEST_INT: Final = 2**63 - 1


class _Told(EngineError, ValueError):
    """What will not do, in English; ``said`` for any language."""

    def __init__(self, said: Sentence) -> None:
        self.said = said
        super().__init__(english(said))


class BadFact(_Told):
    """JSON that is no fact of ours; the message names the place, the value and the cure."""


class BadSighting(_Told):
    """JSON that is no sighting of ours."""


class BadJson(_Told):
    """A text that is no JSON value this program can hold."""


class _Misfit(Exception):
    """One value that does not fit, found at ``key``; never leaves this module."""

    def __init__(self, key: str, complaint: Sentence) -> None:
        self.key = key
        self.complaint = complaint
        #: In any language the place stays as it is.
        self.said = worded("[{place}: ]{complaint}", place=key or None, complaint=complaint)
        super().__init__(english(self.said))


def shown(value: object) -> str:
    """``value`` as a message shows it: its repr, cut to a readable length."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # deeply nested, or an integer of too many digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 80 else text[:77] + "..."


# --- readers of single values -------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Checks one JSON value and returns it as the field's Python value, or raises _Misfit.

    ``schema`` says in JSON Schema what it lets through (see :func:`fact_shapes`).
    """

    read: Callable[[Any], Any]
    schema: Mapping[str, Any]

    def __call__(self, value: Any) -> Any:
        return self.read(value)


def _reads(**schema: Any) -> Callable[[Callable[[Any], Any]], Reader]:
    """Make a function that checks a value the reader of what ``schema`` describes."""

    def reader(read: Callable[[Any], Any]) -> Reader:
        return Reader(read=read, schema=MappingProxyType(schema))

    return reader


def _is_one_of(name: str) -> dict[str, str]:
    """A reference to a shape that is described once."""
    return {"$ref": f"#/$defs/{name}"}


def _wrong(value: object, cure: Sentence) -> _Misfit:
    told = worded("{value} will not do: write {cure}", value=shown(value), cure=cure)
    return _Misfit("", told)


def _int_between(low: int, high: int, cure: Sentence) -> Reader:
    @_reads(type="integer", minimum=low, maximum=high)
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise _wrong(value, cure)
        return value

    return read


def _number_between(low: float, high: float, cure: Sentence) -> Reader:
    @_reads(type="number", minimum=low, maximum=high)
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _wrong(value, cure)
        if not low <= value <= high:  # also false for not-a-number
            raise _wrong(value, cure)
        return float(value)

    return read


def _one_of(allowed: tuple[str, ...]) -> Reader:
    cure = worded("one of {words}", words=", ".join(f'"{word}"' for word in allowed))

    @_reads(enum=list(allowed))
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _wrong(value, cure)
        return value

    return read


def _maybe(reader: Reader) -> Reader:
    @_reads(anyOf=[dict(reader.schema), {"type": "null"}])
    def read(value: Any) -> Any:
        return None if value is None else reader(value)

    return read


def _tuple_of(reader: Reader, fewest: int, most: int, what: Sentence) -> Reader:
    @_reads(type="array", items=dict(reader.schema), minItems=fewest, maxItems=most)
    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)) or not fewest <= len(value) <= most:
            raise _wrong(value, what)
        return tuple(_at(f"[{i}]", reader, item) for i, item in enumerate(value))

    return read


def _at(key: str, reader: Callable[[Any], Any], value: Any) -> Any:
    try:
        return reader(value)
    except _Misfit as misfit:
        inner = misfit.key
        joined = key + inner if inner.startswith("[") else f"{key}.{inner}" if inner else key
        raise _Misfit(joined, misfit.complaint) from None


@_reads(type="boolean")
def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(value, worded("true or false"))
    return value


@_reads(type="string", maxLength=LONGEST_TEXT)
def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(value, worded("a text in quotes"))
    if len(value) > LONGEST_TEXT:
        raise _Misfit(
            "",
            worded(
                "{count} characters are too many: write {most} at most",
                count=len(value),
                most=LONGEST_TEXT,
            ),
        )
    if not _is_utf8(value):
        raise _wrong(
            value, worded("whole characters (a half of a surrogate pair cannot be stored)")
        )
    return value


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@_reads(type="string", maxLength=LONGEST_TEXT, pattern=r"\S")
def _word(value: Any) -> str:
    text: str = _text(value)
    if not text.strip():
        raise _wrong(value, worded("a text that is not empty"))
    return text


_CARDS: Final = frozenset(ALL_CARDS)


@_reads(**_is_one_of("card"))
def _card(value: Any) -> str:
    if not isinstance(value, str) or value not in _CARDS:
        raise _wrong(value, worded("a card such as Kh or Tc, or B or b for a joker"))
    return value


_SEATS_IN_WORDS: Final = ", ".join(f"{i} {name}" for i, name in enumerate(SEAT_NAMES))
#: Up to six play (call-ace); the game says which of them there are.
_seat: Final = _int_between(
    0, 5, worded("a seat: {words} (4 and 5 with six players)", words=_SEATS_IN_WORDS)
)
_seats: Final = _tuple_of(_seat, 0, 6, worded("a list of seats"))
_cards: Final = _tuple_of(_card, 1, 12, worded("a list of 1 to 12 cards"))
_count: Final = _int_between(0, LARGEST_INT, worded("a whole number from 0"))
_side: Final = _int_between(0, 1, worded("a side: 0 for North and South, 1 for East and West"))
_ordinal: Final = _int_between(1, LARGEST_INT, worded("a whole number from 1"))
_integer: Final = _int_between(-LARGEST_INT - 1, LARGEST_INT, worded("a whole number of 64 bits"))
_stamp: Final = _int_between(
    -LARGEST_INT - 1, LARGEST_INT, worded("a moment in whole microseconds since 1970")
)
_probability: Final = _number_between(0.0, 1.0, worded("a probability from 0 to 1"))
_coordinate: Final = _number_between(-1e9, 1e9, worded("a finite number of pixels"))
_suit: Final = _one_of((*SUITS, "n"))
_call: Final = _one_of(("pass", "order_up", "pick_up", "name"))
_subject: Final = _one_of(("upcard", "play", "table", "draw"))
_offence: Final = _one_of(("revoke", "six_cards", "no_discard", "too_few_cards"))
_ruling: Final = _one_of(("uphold", "dismiss"))
_names: Final = _tuple_of(_text, 1, 6, worded("a list of the players' names, one a seat"))
_points: Final = _tuple_of(
    _int_between(-1_000_000, 1_000_000, worded("a whole number of points")),
    2,
    6,
    worded("a list of whole numbers, one a side"),
)
_BOX: Final = worded("a box {example} in pixels", example="[x0, y0, x1, y1]")
_box: Final = _tuple_of(_coordinate, 4, 4, _BOX)
#: A fact may hold a box or the corners of a card: contract of ``facts.ReviewRaised``.
_outline: Final = _tuple_of(_coordinate, 4, 8, _BOX)


@_reads(
    type="array",
    prefixItems=[_is_one_of("card"), dict(_probability.schema)],
    items=False,
    minItems=2,
    maxItems=2,
)
def _vote(value: Any) -> tuple[str, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise _wrong(value, worded("a pair such as {example}", example='["Kh", 0.6]'))
    return (_at("[0]", _card, value[0]), _at("[1]", _probability, value[1]))


_votes: Final = _tuple_of(
    _vote, 0, 64, worded("a list of pairs such as {example}", example='[["Kh", 0.6]]')
)


def _plain(value: Any, depth: int = 0) -> Any:
    """A free JSON value (the rules): checked all the way down, tuples become lists."""
    if depth > 16:
        raise _Misfit("", worded("nested too deeply: {most} levels at most", most=16))
    match value:
        case None | bool():
            return value
        case str():
            return _text(value)
        case int():
            return _integer(value)
        case float():
            if not math.isfinite(value):
                raise _wrong(value, worded("a finite number"))
            return value
        case Mapping():
            for key in value:
                if not isinstance(key, str) or not _is_utf8(key):
                    raise _wrong(key, worded("a text as key"))
            return {key: _at(key, lambda v: _plain(v, depth + 1), v) for key, v in value.items()}
        case list() | tuple():
            return [_at(f"[{i}]", lambda v: _plain(v, depth + 1), v) for i, v in enumerate(value)]
        case _:
            raise _wrong(
                value, worded("plain JSON: text, number, true, false, null, list or object")
            )


@_reads(type="object")
def _rules(value: Any) -> Json:
    if not isinstance(value, Mapping):
        raise _wrong(value, worded('the rules as an object, such as {"preset": "home"}'))
    plain: Json = _plain(value)
    return plain


@_reads(type=["object", "string"])
def _rules_or_preset(value: Any) -> Json | str:
    if isinstance(value, str):
        word: str = _word(value)
        return word
    if not isinstance(value, Mapping):
        raise _wrong(value, worded('a preset\'s name such as "home", or an object of rules'))
    rules: Json = _rules(value)
    return rules


#: Facts that speak of others; one never wraps another, the later one names the first fact again.
_MENDING: Final = ("corrected", "inserted", "moved", "amended")


@_reads(**_is_one_of("plain_fact"))
def _replacement(value: Any) -> f.Fact:
    if isinstance(value, Mapping) and value.get("kind") in _MENDING:
        raise _Misfit(
            "kind", worded("a correction cannot stand in a correction: name the first fact")
        )
    fact: f.Fact = _fact(value)
    return fact


@_reads(**_is_one_of("change"))
def _change(value: Any) -> f.Fact:
    kinds = ("corrected", "inserted", "moved")
    if not isinstance(value, Mapping) or value.get("kind") not in kinds:
        raise _wrong(
            value, worded('a correction, an object of kind "corrected", "inserted" or "moved"')
        )
    fact: f.Fact = _fact(value)
    return fact


_changes: Final = _tuple_of(_change, 1, 1_000, worded("a list of 1 to 1000 corrections"))


@_reads(type="object")
def _place(value: Any) -> s.Place:
    if not isinstance(value, Mapping):
        raise _wrong(value, worded('a place such as {"seat": 2, "middle": false, "clear": true}'))
    return s.Place(**_fields(s.Place, _PLACE, value))


_PLACE: Final[Mapping[str, Reader]] = {
    "seat": _maybe(_seat),
    "middle": _boolean,
    "clear": _boolean,
}

# --- the fields of every kind --------------------------------------------------------------

_FACTS: Final[Mapping[type, Mapping[str, Reader]]] = MappingProxyType(
    {
        f.GameStarted: {
            "rules": _rules,
            "names": _names,
            "dealer": _maybe(_seat),
            "title": _text,
            "initial_score": _points,
        },
        f.DealerNamed: {"dealer": _seat},
        f.DrawBegun: {},
        f.CardDrawn: {
            "seat": _seat,
            "card": _card,
            "confidence": _probability,
            "track": _maybe(_integer),
            "evidence": _maybe(_text),
        },
        f.UpcardShown: {
            "card": _card,
            "dealer": _maybe(_seat),
            "confidence": _probability,
            "track": _maybe(_integer),
            "evidence": _maybe(_text),
        },
        f.UpcardTaken: {},
        f.UpcardTurnedDown: {},
        f.Called: {"seat": _seat, "call": _call, "suit": _maybe(_suit), "alone": _boolean},
        f.Declared: {
            "maker": _seat,
            "trump": _suit,
            "alone": _maybe(_seat),
            "defender_alone": _maybe(_seat),
            "deal": _maybe(_ordinal),
            "bid": _maybe(_ordinal),
            "dropped": _seats,
            "ace": _maybe(_card),
        },
        f.TricksBid: {"seat": _seat, "tricks": _ordinal},
        f.WidowSwapped: {"seat": _seat},
        f.Stayed: {"seat": _seat},
        f.Dropped: {"seat": _seat},
        f.AceCalled: {"card": _card},
        f.TableCardShown: {
            "seat": _seat,
            "card": _card,
            "confidence": _probability,
            "track": _maybe(_integer),
            "evidence": _maybe(_text),
        },
        f.Discarded: {"seat": _seat, "card": _maybe(_card)},
        f.CardPlayed: {
            "seat": _seat,
            "card": _card,
            "confidence": _probability,
            "track": _maybe(_integer),
            "evidence": _maybe(_text),
        },
        f.CardLifted: {"track": _integer},
        f.CardTakenBack: {"target": _ordinal},
        f.HandShown: {"seat": _seat, "cards": _cards, "deal": _maybe(_ordinal)},
        f.CardPassed: {"seat": _seat, "kept": _boolean, "card": _maybe(_card)},
        f.Claimed: {
            "seat": _seat,
            "offence": _offence,
            "by": _maybe(_seat),
            "trick": _maybe(_ordinal),
            "deal": _maybe(_ordinal),
        },
        f.TrickCleared: {},
        f.DealThrownIn: {"reason": _text},
        f.DealKept: {
            "makers": _side,
            "tricks": _count,
            "alone": _boolean,
            "defended": _boolean,
        },
        f.DealConfirmed: {"deal": _ordinal},
        f.ReviewRaised: {
            "subject": _subject,
            "seat": _maybe(_seat),
            "candidates": _votes,
            "reason": _text,
            "track": _maybe(_integer),
            "box": _maybe(_outline),
            "evidence": _maybe(_text),
        },
        f.ReviewAnswered: {"review": _ordinal, "card": _maybe(_card), "seat": _maybe(_seat)},
        f.Corrected: {
            "target": _ordinal,
            "replacement": _maybe(_replacement),
            "reason": _text,
        },
        f.Inserted: {"before": _ordinal, "fact": _replacement, "reason": _text},
        f.Moved: {"target": _ordinal, "before": _ordinal, "reason": _text},
        f.Amended: {"changes": _changes, "reason": _text},
        f.FindingRuled: {"finding": _word, "ruling": _ruling, "reason": _text},
        f.ScoreAdjusted: {"points": _points, "reason": _text},
        f.PackShuffled: {"seat": _seat, "passes": _count, "machine": _boolean},
        f.GamePaused: {"reason": _text},
        f.GameResumed: {},
        f.GameConfirmed: {"seat": _seat, "score": _points},
        f.GameEnded: {"reason": _text},
    }
)

_COMMANDS: Final[Mapping[type, Mapping[str, Reader]]] = MappingProxyType(
    {
        c.StartGame: {
            "rules": _rules_or_preset,
            "names": _names,
            "dealer": _maybe(_seat),
            "title": _text,
        },
        c.NameDealer: {"dealer": _seat},
        c.DrawDealer: {},
        c.ShowUpcard: {"card": _card, "dealer": _maybe(_seat)},
        c.TakeUpcard: {},
        c.TurnDownUpcard: {},
        c.Call: {"seat": _seat, "call": _call, "suit": _maybe(_suit), "alone": _boolean},
        c.Declare: {
            "maker": _seat,
            "trump": _suit,
            "alone": _maybe(_seat),
            "defender_alone": _maybe(_seat),
            "deal": _maybe(_ordinal),
            "bid": _maybe(_ordinal),
            "dropped": _seats,
            "ace": _maybe(_card),
        },
        c.BidTricks: {"seat": _seat, "tricks": _ordinal},
        c.SwapWidow: {"seat": _seat},
        c.Stay: {"seat": _seat},
        c.Drop: {"seat": _seat},
        c.CallAce: {"card": _card},
        c.ShowTableCard: {"seat": _seat, "card": _card},
        c.PlayCard: {"seat": _seat, "card": _card},
        c.TakeBack: {"target": _ordinal},
        c.Discard: {"seat": _seat, "card": _maybe(_card)},
        c.ShowHand: {"seat": _seat, "cards": _cards, "deal": _maybe(_ordinal)},
        c.PassCard: {"seat": _seat, "kept": _boolean, "card": _maybe(_card)},
        c.Claim: {
            "seat": _seat,
            "offence": _offence,
            "by": _maybe(_seat),
            "trick": _maybe(_ordinal),
            "deal": _maybe(_ordinal),
        },
        c.ClearTrick: {},
        c.ThrowIn: {"reason": _text},
        c.ConfirmDeal: {"deal": _maybe(_ordinal)},
        c.AnswerReview: {"review": _ordinal, "card": _maybe(_card), "seat": _maybe(_seat)},
        c.Correct: {
            "target": _ordinal,
            "reason": _text,
            "card": _maybe(_card),
            "seat": _maybe(_seat),
            "strike": _boolean,
            "replacement": _maybe(_replacement),
            "rules": _maybe(_rules_or_preset),
            "looked_at": _maybe(_count),
        },
        c.Insert: {"before": _ordinal, "fact": _replacement, "reason": _text},
        c.Move: {"target": _ordinal, "before": _ordinal, "reason": _text},
        c.StrikeDeal: {"deal": _ordinal, "reason": _text},
        c.Undo: {"reason": _text},
        c.RuleFinding: {"finding": _word, "ruling": _ruling, "reason": _text},
        c.AdjustScore: {"points": _points, "reason": _text},
        c.ReportShuffle: {"seat": _seat, "passes": _count, "machine": _boolean},
        c.PauseGame: {"reason": _text},
        c.ResumeGame: {},
        c.ConfirmGame: {"seat": _seat},
        c.EndGame: {"reason": _text},
    }
)

_SIGHTINGS: Final[Mapping[type, Mapping[str, Reader]]] = MappingProxyType(
    {
        s.CardRested: {
            "at_us": _stamp,
            "track": _integer,
            "card": _maybe(_card),
            "confidence": _probability,
            "votes": _votes,
            "place": _place,
            "box": _box,
            "laid_from": _maybe(_seat),
            "why": _maybe(_text),
            "evidence": _maybe(_text),
        },
        s.CardReread: {
            "at_us": _stamp,
            "track": _integer,
            "card": _card,
            "confidence": _probability,
            "votes": _votes,
            "evidence": _maybe(_text),
        },
        s.CardTurnedDown: {"at_us": _stamp, "track": _integer},
        s.CardLeft: {"at_us": _stamp, "track": _integer},
        s.TableCovered: {"at_us": _stamp},
        s.TableUncovered: {"at_us": _stamp},
        s.TableCleared: {"at_us": _stamp},
    }
)


def kind_of(value: object) -> str:
    """The kind's name: the class name in snake case, ``card_played``."""
    return _snake(type(value).__name__)


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _by_kind(table: Mapping[type, Mapping[str, Reader]]) -> Mapping[str, type]:
    return MappingProxyType({_snake(kind.__name__): kind for kind in table})


_FACT_KINDS: Final = _by_kind(_FACTS)
_COMMAND_KINDS: Final = _by_kind(_COMMANDS)
_SIGHTING_KINDS: Final = _by_kind(_SIGHTINGS)

#: The schema each kind of fact is written in today; a kind that is not named here: 1.
#: A new field with a default needs no new schema; a renamed or changed one does, together
#: with its step in UPCASTERS.
SCHEMAS: Final[Mapping[str, int]] = MappingProxyType({})
#: (kind, schema it was written in) -> the step to the next schema.
UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = MappingProxyType({})


def schema_of(kind: str) -> int:
    """The schema number that ``kind`` is written in today."""
    return SCHEMAS.get(kind, 1)


def upcast(
    kind: str,
    schema: int,
    body: Mapping[str, Any],
    *,
    current: int | None = None,
    steps: Mapping[tuple[str, int], Upcaster] = UPCASTERS,
) -> Json:
    """Lift ``body`` from ``schema`` to ``current`` (default: today's), a step at a time.

    Raises BadFact for a schema newer than this program knows, or a step that is missing.
    """
    today = schema_of(kind) if current is None else current
    if not 1 <= schema <= today:
        raise BadFact(
            worded(
                "schema: {kind} was written in schema {schema}, this Upcard knows 1 to {today}: "
                "read it with the newer Upcard that wrote it",
                kind=kind,
                schema=schema,
                today=today,
            )
        )
    lifted = dict(body)
    for number in range(schema, today):
        step = steps.get((kind, number))
        if step is None:
            raise BadFact(
                worded(
                    "schema: no step leads {kind} from schema {number} to {number_next}",
                    kind=kind,
                    number=number,
                    number_next=number + 1,
                )
            )
        lifted = step(lifted)
    return lifted


# --- objects -------------------------------------------------------------------------------


def _fields(kind: type, readers: Mapping[str, Reader], body: Mapping[Any, Any]) -> Json:
    for key in body:
        if key not in readers:
            known = ", ".join(readers) or "none"
            raise _Misfit(
                key if isinstance(key, str) else shown(key),
                worded(
                    "{kind} has no such key: its keys are {words}",
                    kind=_snake(kind.__name__),
                    words=known,
                ),
            )
    values: Json = {}
    for field in fields(kind):
        if field.name in body:
            values[field.name] = _at(field.name, readers[field.name], body[field.name])
        elif field.default is MISSING:
            told = worded("missing: {kind} cannot do without it", kind=_snake(kind.__name__))
            raise _Misfit(field.name, told)
    return values


def _object(
    table: Mapping[type, Mapping[str, Reader]],
    kinds: Mapping[str, type],
    what: str,
    value: Any,
) -> tuple[type, Json]:
    """The kind and the body of ``value``; ``schema`` is left in the body."""
    if not isinstance(value, Mapping):
        example = f'{{"kind": "{next(iter(kinds))}"}}'
        raise _wrong(value, worded("an object such as {example}", example=example))
    name = value.get("kind")
    if not isinstance(name, str) or name not in kinds:
        raise _Misfit(
            "kind",
            worded(
                {
                    "fact": "{value} is no fact of ours: write one of {words}",
                    "command": "{value} is no command of ours: write one of {words}",
                    "sighting": "{value} is no sighting of ours: write one of {words}",
                }[what],
                value=shown(name),
                words=", ".join(kinds),
            ),
        )
    return kinds[name], {key: v for key, v in value.items() if key != "kind"}


@_reads(**_is_one_of("fact"))
def _fact(value: Any) -> f.Fact:
    kind, body = _object(_FACTS, _FACT_KINDS, "fact", value)
    name = _snake(kind.__name__)
    schema = _at("schema", _ordinal, body.pop("schema", schema_of(name)))
    lifted = upcast(name, schema, body)
    fact: f.Fact = kind(**_fields(kind, _FACTS[kind], lifted))
    return fact


def _written(value: Any) -> Any:
    """A field's value as plain JSON (tuples become lists, facts and places objects)."""
    match value:
        case tuple() | list():
            return [_written(item) for item in value]
        case Mapping():
            return {key: _written(item) for key, item in value.items()}
        case s.Place():
            return {field.name: getattr(value, field.name) for field in fields(value)}
        case _ if type(value) in _FACTS:
            return fact_to_json(value)
        case _:
            return value


def _body(value: Any) -> Json:
    return {field.name: _written(getattr(value, field.name)) for field in fields(value)}


def fact_to_json(fact: f.Fact) -> Json:
    """``fact`` as plain JSON: ``kind``, ``schema`` and every field.

    Raises BadFact for a field that could not be read back (a seat 7, a half surrogate, a
    number that is none): what the log cannot return it must not take.
    """
    if type(fact) not in _FACTS:
        raise BadFact(
            worded("{value} is no fact: facts are the classes of engine.facts", value=shown(fact))
        )
    kind = kind_of(fact)
    value = {"kind": kind, "schema": schema_of(kind), **_body(fact)}
    fact_from_json(value)
    return value


def fact_from_json(value: object) -> f.Fact:
    """The fact that ``value`` (an object with ``kind`` and fields) writes down.

    ``schema`` may be left out: today's. Raises BadFact naming key, value and cure.
    """
    try:
        fact: f.Fact = _fact(value)
        return fact
    except _Misfit as misfit:
        raise BadFact(misfit.said) from None


def command_to_json(command: c.Command) -> Json:
    """``command`` as plain JSON: ``kind`` and every field."""
    return {"kind": kind_of(command), **_body(command)}


def command_from(value: object) -> c.Command | c.Rejected:
    """The command in ``value``, or a ``malformed`` rejection that names key, value and cure.

    Fields with a default may be left out; nothing else may be there.
    """
    try:
        kind, body = _object(_COMMANDS, _COMMAND_KINDS, "command", value)
        command: c.Command = kind(**_fields(kind, _COMMANDS[kind], body))
    except _Misfit as misfit:
        return c.Rejected(code="malformed", reason=str(misfit), said=misfit.said)
    return command


def sighting_to_json(sighting: s.Sighting) -> Json:
    """``sighting`` as plain JSON: ``kind`` and every field. Raises BadSighting."""
    if type(sighting) not in _SIGHTINGS:
        raise BadSighting(
            worded("{value} is no sighting: see engine.sightings", value=shown(sighting))
        )
    value = {"kind": kind_of(sighting), **_body(sighting)}
    sighting_from_json(value)
    return value


def sighting_from_json(value: object) -> s.Sighting:
    """The sighting in ``value``; raises BadSighting naming key, value and cure."""
    try:
        kind, body = _object(_SIGHTINGS, _SIGHTING_KINDS, "sighting", value)
        sighting: s.Sighting = kind(**_fields(kind, _SIGHTINGS[kind], body))
    except _Misfit as misfit:
        raise BadSighting(misfit.said) from None
    return sighting


def fact_shapes() -> Json:
    """What may stand in a log, as the definitions (``$defs``) of a JSON Schema, 2020-12.

    ``recorded`` is a fact in its envelope, ``fact`` any fact, ``plain_fact`` one that mends
    no other, ``change`` one that an amendment may hold, ``card`` a card; each kind of fact is
    under its own name. Made from the very readers that check a log.
    """
    shapes: Json = {
        _snake(kind.__name__): _shape(kind, readers, named=_snake(kind.__name__))
        for kind, readers in _FACTS.items()
    }
    plain = [kind for kind in shapes if kind not in _MENDING]
    return {
        "recorded": _shape(f.Recorded, _RECORDED),
        "fact": {"oneOf": [_is_one_of(kind) for kind in shapes]},
        "plain_fact": {"oneOf": [_is_one_of(kind) for kind in plain]},
        "change": {"oneOf": [_is_one_of(k) for k in ("corrected", "inserted", "moved")]},
        "card": {"enum": list(ALL_CARDS)},
        **shapes,
    }


def _shape(kind: type, readers: Mapping[str, Reader], *, named: str | None = None) -> Json:
    """An object of these fields and no others; ``kind`` and ``schema`` where it has a name."""
    own: Json = {}
    if named is not None:
        own = {"kind": {"const": named}, "schema": {"const": schema_of(named)}}
    told = (kind.__doc__ or "").split("\n\n")[0].replace("``", "")
    needed = [field.name for field in fields(kind) if field.default is MISSING]
    return {
        "description": " ".join(told.split()),
        "type": "object",
        "properties": {**own, **{name: dict(reader.schema) for name, reader in readers.items()}},
        "required": needed if named is None else ["kind", *needed],
        "additionalProperties": False,
    }


_RECORDED: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "seq": _ordinal,
        "game_id": _word,
        "version": _ordinal,
        "at_us": _stamp,
        "source": _word,
        "fact": _fact,
    }
)


def recorded_to_json(recorded: f.Recorded) -> Json:
    """The envelope and its fact as one object: ``seq``, ``game_id`` ... and ``fact``."""
    return {**_body(recorded), "fact": fact_to_json(recorded.fact)}


def recorded_from_json(value: object) -> f.Recorded:
    """The envelope in ``value``; raises BadFact naming key, value and cure."""
    try:
        if not isinstance(value, Mapping):
            raise _wrong(value, worded('an object with the keys "seq", "game_id", "version" ...'))
        return f.Recorded(**_fields(f.Recorded, _RECORDED, value))
    except _Misfit as misfit:
        raise BadFact(misfit.said) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fact as a log stores it: ``body`` is the fields as JSON text, without kind and schema."""

    kind: str
    schema: int
    body: str


def check_envelope(game_id: str, at_us: int, source: str) -> None:
    """Raise BadFact when a fact's envelope could not be stored and read back."""
    for key, value in (("game_id", game_id), ("at_us", at_us), ("source", source)):
        try:
            _at(key, _RECORDED[key], value)
        except _Misfit as misfit:
            raise BadFact(misfit.said) from None


def to_row(fact: f.Fact) -> Row:
    """``fact`` as the three columns of a log. Raises BadFact as :func:`fact_to_json` does."""
    value = fact_to_json(fact)
    kind, schema = value.pop("kind"), value.pop("schema")
    return Row(kind=kind, schema=schema, body=to_text(value))


def from_row(row: Row) -> f.Fact:
    """The fact of a log's row; raises BadFact."""
    try:
        body = from_text(row.body)
    except BadJson as bad:
        raise BadFact(worded("body: {said}", said=bad.said)) from None
    if not isinstance(body, dict):
        raise BadFact(worded("body: {value} will not do: write an object", value=shown(body)))
    if "kind" in body or "schema" in body:
        raise BadFact(
            worded("body: kind and schema have columns of their own and stand there only")
        )
    return fact_from_json({**body, "kind": row.kind, "schema": row.schema})


def to_text(value: object) -> str:
    """``value`` as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_text(text: str | bytes) -> Any:
    """The JSON value in ``text``; raises BadJson for anything else, however it is broken.

    NaN and infinities, numbers of thousands of digits, nesting past the interpreter's limit
    and bytes that are no UTF-8 are refused like any other mistake.
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise BadJson(worded("not JSON we can hold: it is nested too deeply")) from None
    except UnicodeDecodeError as bad:
        raise BadJson(worded("not JSON: {words}: write it as UTF-8", words=str(bad))) from None
    except json.JSONDecodeError as bad:
        raise BadJson(
            worded(
                "not JSON: {words} at line {line}, column {column}",
                words=bad.msg,
                line=bad.lineno,
                column=bad.colno,
            )
        ) from None
    except BadJson:
        raise
    except ValueError:  # an integer of more digits than Python converts
        raise BadJson(worded("not JSON we can hold: a number has thousands of digits")) from None


def _no_constant(name: str) -> float:
    raise BadJson(worded("not JSON we can hold: {words} is no JSON number", words=name))
