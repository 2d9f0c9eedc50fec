"""Our own notation: a game's facts as JSON lines, with nothing lost.

The first line names the format; each further line is one recorded fact with its envelope,
exactly as the log holds it. Several games may follow one another in a file::

  {"format":"upcard-facts","schema":1}
  {"seq":1,"game_id":"20261129-2345-abcd","version":1,"at_us":0,"source":"director",
   "fact":{"kind":"game_started","schema":1,...}}          # on one line

``seq`` belongs to the log it was read from; a log that takes the game in gives its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.codec import (
    BadFact,
    BadJson,
    from_text,
    recorded_from_json,
    recorded_to_json,
    shown,
    to_text,
)
from engine.facts import Amended, Corrected, Fact, GameStarted, Inserted, Recorded, ScoreAdjusted
from engine.games import Game, game_for
from engine.log import Entry
from engine.notation import Fault, Imported, ImportedGame
from engine.ruleset import BadRuleset, ruleset_from
from engine.wording import Sentence, worded

FORMAT: Final = "upcard-facts"
#: The shape of the lines (not of the facts in them, which carry their own schema numbers).
SCHEMA: Final = 1
#: A file longer than this is refused; a long evening of games takes 1 MB.
LONGEST_FILE: Final = 200_000_000


def write_jsonl(records: Iterable[Recorded]) -> str:
    """The facts as lines of JSON, the header first. Read back they are equal."""
    lines = [to_text({"format": FORMAT, "schema": SCHEMA})]
    lines.extend(to_text(recorded_to_json(recorded)) for recorded in records)
    return "\n".join(lines) + "\n"


def read_jsonl_file(path: str | Path) -> Imported:
    """The games in the file at ``path``; a file that cannot be read is one fault."""
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        return Imported(
            games=(),
            faults=(
                Fault(
                    where="file",
                    value=str(path),
                    why=worded("{words}: name a file to read", words=reason),
                ),
            ),
        )
    return read_jsonl(data)


def read_jsonl(text: str | bytes) -> Imported:
    """The games in ``text``, oldest first, with every fault found.

    A later fact points at earlier ones by their versions, so a game is kept up to its first
    line that cannot be read, and what follows in that game is left out (a fault says so).
    """
    if len(text) > LONGEST_FILE:
        why = worded("longer than {most} bytes: split it", most=LONGEST_FILE)
        return _nothing(Fault(where="file", value=str(len(text)), why=why))
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    faults: list[Fault] = []
    header = _parsed(lines[0], 1, faults)
    if faults:
        return _nothing(*faults)
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        first = f'{{"format":"{FORMAT}","schema":{SCHEMA}}}'
        why = worded("not our facts: the first line is {example}", example=first)
        return _nothing(_fault(1, shown(header), why))
    if header.get("schema") != SCHEMA:
        why = worded(
            "known here is schema {number}: read it with the newer Upcard that wrote it",
            number=SCHEMA,
        )
        return _nothing(_fault(1, shown(header.get("schema")), why))
    kept: dict[str, list[Recorded]] = {}
    broken: dict[str, int] = {}
    lost_track = False
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        before = len(faults)
        value = _parsed(line, number, faults)
        recorded = None if len(faults) > before else _recorded(value, number, faults)
        if recorded is None:
            game_id = value.get("game_id") if isinstance(value, dict) else None
            if isinstance(game_id, str):
                broken.setdefault(game_id, 0)
            else:  # it may have been of any game: none of them goes on after it
                lost_track = True
            continue
        records = kept.setdefault(recorded.game_id, [])
        if lost_track or recorded.game_id in broken:
            broken[recorded.game_id] = broken.get(recorded.game_id, 0) + 1
        elif recorded.version != len(records) + 1:
            why = worded(
                "version {number} was to come: the game is kept up to there",
                number=len(records) + 1,
            )
            faults.append(_fault(number, f"version {recorded.version}", why))
            broken[recorded.game_id] = 0
        else:
            records.append(recorded)
    for game_id, left_out in broken.items():
        if left_out:
            why = worded(
                "{count:fact after the fault is|facts after the fault are} left out: "
                "mend that line and repeat",
                count=left_out,
            )
            faults.append(Fault(where="game", value=game_id, why=why))
    games = tuple(
        ImportedGame(
            title=_title(records),
            entries=tuple(Entry(at_us=r.at_us, source=r.source, fact=r.fact) for r in records),
            game_id=game_id,
        )
        for game_id, records in kept.items()
        if records and _can_be_played(game_id, records, faults)
    )
    return Imported(games=games, faults=tuple(faults))


def _nothing(*faults: Fault) -> Imported:
    return Imported(games=(), faults=faults)


def _fault(number: int, value: str, why: Sentence) -> Fault:
    return Fault(where="line", index=number, value=value, why=why)


def _parsed(line: bytes, number: int, faults: list[Fault]) -> Any:
    try:
        return from_text(line)
    except BadJson as bad:
        faults.append(_fault(number, shown(line[:40]), bad.said))
        return None


def _recorded(value: Any, number: int, faults: list[Fault]) -> Recorded | None:
    try:
        return recorded_from_json(value)
    except BadFact as bad:
        what = value.get("version") if isinstance(value, Mapping) else value
        faults.append(_fault(number, shown(what), bad.said))
        return None


def _title(records: Sequence[Recorded]) -> str:
    first = records[0].fact
    return first.title if isinstance(first, GameStarted) else ""


def _can_be_played(game_id: str, records: Sequence[Recorded], faults: list[Fault]) -> bool:
    """Whether the fold can read it: rules known here, as many names and scores as they ask."""
    first = records[0].fact
    if not isinstance(first, GameStarted):
        why = worded("its first fact does not start a game: the game is left out")
        faults.append(Fault(where="game", value=game_id, why=why))
        return False
    complaint = _rules_complaint(first)
    if complaint is None:
        game = game_for(ruleset_from(first.rules))
        complaint = next((c for r in records if (c := _complaint(r.fact, game))), None)
    if complaint is not None:
        why = worded("{complaint}: left out", complaint=complaint)
        faults.append(Fault(where="game", value=game_id, why=why))
    return complaint is None


def _rules_complaint(fact: GameStarted) -> Sentence | None:
    try:
        game = game_for(ruleset_from(fact.rules))
    except BadRuleset as bad:
        return bad.said
    if len(fact.names) != game.seats or len(fact.initial_score) != game.sides:
        return worded(
            "{count} names and {count_scores} scores are needed",
            count=game.seats,
            count_scores=game.sides,
        )
    return None


def _complaint(fact: Fact, game: Game) -> Sentence | None:
    match fact:
        case GameStarted():
            complaint = _rules_complaint(fact)
            if complaint is None and game_for(ruleset_from(fact.rules)) != game:
                # Its facts are of so many seats and sides.
                return worded("its rules are corrected to another game")
            return complaint
        case ScoreAdjusted() if len(fact.points) != game.sides:
            return worded("a score adjustment of {count} sides", count=len(fact.points))
        case Corrected() if fact.replacement is not None:
            return _complaint(fact.replacement, game)
        case Inserted():
            return _complaint(fact.fact, game)
        case Amended():
            return next((c for change in fact.changes if (c := _complaint(change, game))), None)
    return None
