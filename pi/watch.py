"""``upcard watch``: a recorded clip through the very path of the live table, as JSON lines.

Frames -> pipeline -> intake -> facts over a log in memory; a commands file is merged in by
its stamps. Every line is a fact or a finding, in order of report, with the clip's own stamps.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from engine.cards import Card, Seat, Suit
from engine.codec import command_from
from engine.commands import Command, Declare, Rejected, StartGame
from engine.facts import (
    Called,
    CardDrawn,
    CardPlayed,
    Corrected,
    DealConfirmed,
    DealThrownIn,
    Declared,
    Discarded,
    Recorded,
    ReviewAnswered,
    ReviewRaised,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import trick_winner
from engine.memory_log import MemoryLog
from engine.ruleset import pack_of
from engine.state import Deal, State, Trick
from engine.table import Accepted, Table
from pi.errors import KitError
from pi.recording import commands_path
from vision.clips import ClipSource
from vision.errors import VisionError
from vision.layout import Layout
from vision.pipeline import Pipeline
from vision.ports import CardReader

Line: TypeAlias = dict[str, Any]
Emit: TypeAlias = Callable[[Line], None]
#: A command with its moment on the clip's clock and who gave it.
DueCommand: TypeAlias = tuple[int, str, Command]


class BadCommands(KitError, ValueError):
    """A commands file with lines that are no commands; the message names each."""


class CommandsMissing(KitError, FileNotFoundError):
    """There is no such commands file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandsFile:
    """What a commands file holds: its commands by time, and what is wrong with other lines."""

    commands: tuple[DueCommand, ...]
    faults: tuple[str, ...]


def watch(
    clip: str | Path,
    *,
    reader: CardReader,
    rules: Mapping[str, Any] | str = "home",
    trump: Suit | None = None,
    maker: Seat | None = None,
    alone: Seat | None = None,
    commands: str | Path | None = None,
    calibration: Path | None = None,
    emit: Emit,
    complain: Callable[[str], None] | None = None,
) -> int:
    """Watch ``clip`` and ``emit`` a line for every fact; return the exit code.

    ``trump``, ``maker`` and ``alone`` declare the first deal at its first lead; without a
    maker the dealer stands in for it and no points are told. ``calibration``: the file
    ``upcard calibrate`` kept; None: the frame's sides are the seats. ``commands``: a file of JSON
    lines of commands, each with ``at_us`` on the clip's clock; None reads
    ``CLIP.commands.jsonl`` where it lies beside the clip. 0: done; 1: lines of the commands
    file were faulty (named through ``complain``, the rest was done). A clip that ends too
    early or breaks its rules raises its own error (:mod:`vision.clips`) after what was sound
    has been told.
    """
    say = complain if complain is not None else _to_stderr
    beside = commands_path(Path(clip))
    path = Path(commands) if commands is not None else beside if beside.exists() else None
    source = ClipSource(clip)
    try:
        given = parse_commands(path) if path is not None else CommandsFile(commands=(), faults=())
        for wrong in given.faults:
            say(wrong)
        session = _Session(
            rules=rules,
            declaration=_declaration(trump, maker, alone),
            maker_known=maker is not None,
            commands=given.commands,
            emit=emit,
            complain=say,
        )
        pipeline = Pipeline(reader, _layout(calibration, source))
        fault: VisionError | None = None
        last_us = 0
        try:
            for frame in source.frames():
                last_us = frame.at_us
                session.commands_until(last_us)
                for sighting in pipeline.process(frame):
                    session.see(sighting)
        except VisionError as error:
            # What was sound is told first; the caller names the fault.
            fault = error
        for sighting in pipeline.flush(last_us):
            session.see(sighting)
        session.commands_until(None)
        if fault is not None:
            raise fault
    finally:
        source.close()
    return 1 if given.faults else 0


def _layout(calibration: Path | None, source: ClipSource) -> Layout:
    if calibration is None:
        return Layout()
    from pi.calibrate import load

    return load(calibration).layout_for(width_px=source.width_px, height_px=source.height_px)


def read_commands(path: str | Path) -> tuple[DueCommand, ...]:
    """The commands of a file by time; raises :class:`BadCommands` naming every faulty line."""
    read = parse_commands(path)
    if read.faults:
        raise BadCommands("; ".join(read.faults))
    return read.commands


def parse_commands(path: str | Path) -> CommandsFile:
    """The commands of a JSON-lines file and the faults of its other lines.

    A line is a command (``kind`` and its fields) with ``at_us`` and, if known, ``source``.
    Raises :class:`CommandsMissing` or :class:`BadCommands` (not a text at all).
    """
    path = Path(path)
    if not path.is_file():
        fault = "is a folder" if path.is_dir() else "is not there"
        raise CommandsMissing(f"{path} {fault}: give a file of JSON lines of commands")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadCommands(f"{path} is no text: give a file of JSON lines of commands") from error
    found: list[DueCommand] = []
    faults: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        parsed = _command_of(line)
        if isinstance(parsed, str):
            faults.append(f"{path} line {number}: {parsed}")
        else:
            found.append(parsed)
    found.sort(key=lambda due: due[0])
    return CommandsFile(commands=tuple(found), faults=tuple(faults))


def _command_of(line: str) -> DueCommand | str:
    """A line's command, or what is wrong with it and how to mend it."""
    try:
        value = json.loads(line)
    except ValueError:
        return "no JSON: write one object a line"
    if not isinstance(value, dict):
        return 'no command: write an object such as {"at_us": 0, "kind": "throw_in"}'
    at_us = value.pop("at_us", None)
    if not isinstance(at_us, int) or isinstance(at_us, bool) or at_us < 0:
        return f"at_us is {at_us!r}: give the clip's time in whole microseconds"
    who = value.pop("source", "commands")
    if not isinstance(who, str) or not who:
        return f"source is {who!r}: say who gave the command, or leave it out"
    command = command_from(value)
    if isinstance(command, Rejected):
        return command.reason
    return at_us, who, command


class _Session:
    """One table over a log in memory, told of as lines."""

    def __init__(
        self,
        *,
        rules: Mapping[str, Any] | str,
        declaration: Declare | None,
        maker_known: bool,
        commands: Iterable[DueCommand],
        emit: Emit,
        complain: Callable[[str], None],
    ) -> None:
        self._emit = emit
        self._complain = complain
        self._waiting = deque(commands)
        self._declaration = declaration
        self._maker_known = maker_known
        self._now_us = 0
        self._table = Table(MemoryLog(), clock_us=lambda: self._now_us)
        self._told_findings: dict[str, str] = {}
        self._told_deals: dict[int, tuple[int, int]] = {}
        if not any(isinstance(command, StartGame) for _, _, command in self._waiting):
            self._submit(StartGame(rules=rules), "watch", 0)

    def commands_until(self, at_us: int | None) -> None:
        """Do what was asked up to that moment (None: everything left)."""
        while self._waiting and (at_us is None or self._waiting[0][0] <= at_us):
            due_us, who, command = self._waiting.popleft()
            self._submit(command, who, due_us)

    def see(self, sighting: Any) -> None:
        self._now_us = sighting.at_us
        before = self._table.state
        seen = self._table.see(sighting)
        if isinstance(seen, Accepted):
            self._tell(before, seen)
            self._declare_when_led(sighting.at_us)

    def _submit(self, command: Command, who: str, at_us: int) -> None:
        self._now_us = at_us
        before = self._table.state
        done = self._table.submit(command, source=who, at_us=at_us)
        if isinstance(done, Rejected):
            self._complain(f"at {at_us} us: {done.reason}")
        else:
            self._tell(before, done)

    def _declare_when_led(self, at_us: int) -> None:
        """The declaration of the command line, once the up-card's fate is told."""
        deal = self._table.state.deal
        if self._declaration is None or deal is None or not deal.tricks:
            return
        said, self._declaration = self._declaration, None
        if not self._maker_known and deal.dealer is not None:
            said = Declare(maker=deal.dealer, trump=said.trump, alone=said.alone)
        self._submit(said, "watch", at_us)

    def _tell(self, before: State, accepted: Accepted) -> None:
        state = self._table.state
        at_us = 0
        for recorded in accepted.facts:
            at_us = recorded.at_us
            line = self._line(recorded, before, state)
            if line is not None:
                self._emit(line)
        self._tell_findings(state, at_us)
        self._tell_points(state, at_us)

    def _line(self, recorded: Recorded, before: State, state: State) -> Line | None:
        fact, at_us = recorded.fact, recorded.at_us
        match fact:
            case UpcardShown():
                return _line(
                    at_us,
                    "upcard_shown",
                    fact.dealer,
                    fact.card,
                    confidence=round(fact.confidence, 4),
                )
            case UpcardTaken() | UpcardTurnedDown():
                deal = state.deal
                taken = isinstance(fact, UpcardTaken)
                return _line(
                    at_us,
                    "upcard_taken" if taken else "upcard_turned_down",
                    None if deal is None else deal.dealer,
                    None if deal is None or deal.upcard is None else deal.upcard.card,
                )
            case CardPlayed():
                return _line(
                    at_us,
                    "card_played",
                    fact.seat,
                    fact.card,
                    confidence=round(fact.confidence, 4),
                )
            case CardDrawn():
                return _line(
                    at_us, "card_drawn", fact.seat, fact.card, confidence=round(fact.confidence, 4)
                )
            case TrickCleared() if state.deals:
                return _cleared_line(at_us, state)
            case ReviewRaised():
                return {
                    **_line(at_us, "review", fact.seat, None),
                    "box": None if fact.box is None else [round(v, 1) for v in fact.box],
                    "best": fact.candidates[0][0] if fact.candidates else None,
                    "candidates": [card for card, _ in fact.candidates],
                    "reason": fact.reason,
                    "subject": fact.subject,
                    "review": recorded.version,
                }
            case ReviewAnswered():
                review = next((r for r in before.reviews if r.version == fact.review), None)
                seat = fact.seat if fact.seat is not None or review is None else review.seat
                return _line(at_us, "review_answered", seat, fact.card, review=fact.review)
            case Declared():
                return _line(
                    at_us,
                    "declared",
                    fact.maker if self._maker_known or recorded.source != "watch" else None,
                    None,
                    trump=fact.trump,
                    alone=fact.alone,
                    deal=fact.deal,
                )
            case Called():
                return _line(at_us, "called", fact.seat, None, call=fact.call, suit=fact.suit)
            case Discarded():
                return _line(at_us, "discarded", fact.seat, fact.card)
            case DealThrownIn():
                return _line(at_us, "deal_thrown_in", None, None, reason=fact.reason)
            case DealConfirmed():
                return _line(at_us, "deal_confirmed", None, None, deal=fact.deal)
            case Corrected():
                return _line(at_us, "corrected", None, None, target=fact.target, reason=fact.reason)
            case _:
                return None

    def _tell_findings(self, state: State, at_us: int) -> None:
        for finding in state.findings:
            if self._told_findings.get(finding.id) == finding.status:
                continue
            self._told_findings[finding.id] = finding.status
            self._emit(
                _line(
                    at_us,
                    "finding",
                    finding.seat,
                    finding.card,
                    finding=finding.kind,
                    deal=finding.deal,
                    trick=finding.trick,
                    proof=finding.proof,
                    proven_at_trick=finding.proven_at_trick,
                    status=finding.status,
                    text=finding.text,
                )
            )

    def _tell_points(self, state: State, at_us: int) -> None:
        for deal in state.deals:
            if deal.points is None or self._told_deals.get(deal.number) == deal.points:
                continue
            if not self._maker_known and self._stands_in(deal):
                continue
            self._told_deals[deal.number] = deal.points
            self._emit(
                _line(
                    at_us,
                    "deal_scored",
                    None,
                    None,
                    deal=deal.number,
                    points=list(deal.points),
                    score=list(state.scores[deal.number - 1]),
                    tricks=list(deal.tricks_won),
                    maker=deal.maker,
                    trump=deal.trump,
                    winners=list(deal.winners),
                )
            )

    def _stands_in(self, deal: Deal) -> bool:
        """Whether the maker is only the dealer standing in for one that nobody named."""
        declared = next(
            (
                recorded
                for recorded in self._table.records
                if recorded.version == deal.declared_version
            ),
            None,
        )
        return declared is not None and declared.source == "watch"


def _declaration(trump: Suit | None, maker: Seat | None, alone: Seat | None) -> Declare | None:
    if trump is None:
        return None
    stands_in = maker if maker is not None else alone if alone is not None else 0
    return Declare(maker=stands_in, trump=trump, alone=alone)


def _cleared_line(at_us: int, state: State) -> Line:
    """The clearing of the newest cleared trick, with its winner where that is known.

    With a card of the trick still in doubt the winner is named, and marked ``inferred``, only
    when every card that it can be gives the same one.
    """
    for deal in reversed(state.deals):
        for trick in reversed(deal.tricks):
            if not trick.cleared:
                continue
            if trick.winner is not None:
                return _line(at_us, "trick_cleared", trick.winner, None)
            winner = _only_possible_winner(state, deal, trick)
            if winner is None:
                break
            return _line(at_us, "trick_cleared", winner, None, inferred=True)
        break
    return _line(at_us, "trick_cleared", None, None)


def _only_possible_winner(state: State, deal: Deal, trick: Trick) -> Seat | None:
    """The seat that wins whichever of its candidates each doubtful card is, if there is one."""
    if deal.trump is None or not trick.complete:
        return None
    pack = pack_of(state.ruleset)
    unseen = pack - set(deal.seen())
    choices: list[list[tuple[Seat, Card]]] = []
    for play in trick.plays:
        if play.seat is None:
            return None
        if play.card is not None:
            choices.append([(play.seat, play.card)])
            continue
        review = next((r for r in deal.reviews if r.version == play.review), None)
        named = {card for card, _ in review.candidates} & pack if review is not None else set()
        choices.append([(play.seat, card) for card in sorted(named or unseen)])
    winners = {trick_winner(plays, deal.trump) for plays in itertools.product(*choices)}
    return winners.pop() if len(winners) == 1 else None


def _line(at_us: int, kind: str, seat: Seat | None, card: str | None, **more: Any) -> Line:
    return {"at_us": at_us, "kind": kind, "seat": seat, "card": card, **more}


def _to_stderr(text: str) -> None:
    print(f"upcard: {text}", file=sys.stderr)
