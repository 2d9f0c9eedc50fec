"""The table: the one place where facts are decided, made durable and told to the listeners.

Whoever wants something of the game - a button, the page, the camera - comes through here.
One lock makes a single writer of them all: decide against the newest state, append to the log,
fold, and only then tell the listeners. Nothing is shown that is not on the disk.
"""

from __future__ import annotations

import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import RLock
from typing import Any, TypeAlias

from engine.commands import Command, Rejected, StartGame
from engine.decide import decide
from engine.facts import Fact, Recorded
from engine.intake import Ignored, interpret
from engine.log import Entry, Log, UnknownGame, VersionConflict
from engine.notation import ImportedGame
from engine.refusals import LAST_MEANWHILE, stale
from engine.sightings import Sighting
from engine.state import State, apply, fold
from engine.view import snapshot
from engine.wording import fact_said

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What a command or a sighting became. ``facts`` may be empty: nothing needed saying.

    ``version`` is the newest of the game ``game_id`` after it.
    """

    game_id: str | None
    version: int
    facts: tuple[Recorded, ...]


#: Told of every change, after it is durable, in the order of the versions.
Listener: TypeAlias = Callable[[Accepted], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The game as it stands at one version: everything that belongs together, at one moment."""

    game_id: str | None
    records: tuple[Recorded, ...]
    state: State

    @property
    def version(self) -> int:
        return self.records[-1].version if self.records else 0


class Table:
    """The single writer of one log. Safe to share between threads.

    ``log`` is the caller's to close. ``game_id`` None: no game is on the table until a
    StartGame; otherwise that game is taken up where it stands (raises UnknownGame).
    ``clock_us`` gives the moment of a command that brings none, in microseconds since 1970.
    ``new_suffix`` gives the last part of a new game's id (four letters and digits by chance).
    """

    def __init__(
        self,
        log: Log,
        game_id: str | None = None,
        *,
        clock_us: Callable[[], int],
        new_suffix: Callable[[], str] | None = None,
    ) -> None:
        self._log = log
        self._clock_us = clock_us
        self._new_suffix = new_suffix or _random_suffix
        self._lock = RLock()
        self._standing = _standing(game_id, () if game_id is None else log.read(game_id))
        self._snapshots: dict[str, tuple[Standing, dict[str, Any]]] = {}
        self._listeners: tuple[Listener, ...] = ()
        self._news: deque[Accepted] = deque()
        self._telling = False

    @classmethod
    def open(cls, log: Log, game_id: str, *, clock_us: Callable[[], int]) -> Table:
        """The table with a recorded game on it; ``last`` is the newest. Raises UnknownGame."""
        return cls(log, find_game(log, game_id), clock_us=clock_us)

    # --- reading -----------------------------------------------------------------------

    @property
    def standing(self) -> Standing:
        """State, records and version of one moment together."""
        return self._standing

    @property
    def game_id(self) -> str | None:
        return self._standing.game_id

    @property
    def state(self) -> State:
        return self._standing.state

    @property
    def records(self) -> tuple[Recorded, ...]:
        return self._standing.records

    @property
    def version(self) -> int:
        """The newest version of the game, 0 before the first fact."""
        return self._standing.version

    def snapshot(self, audience: str = "public") -> dict[str, Any]:
        """What ``audience`` may see now (see :mod:`engine.view`), made once per version.

        Every caller gets the same object: read it, do not change it.
        """
        with self._lock:
            standing = self._standing
            kept = self._snapshots.get(audience)
            if kept is None or kept[0] is not standing:
                kept = (standing, snapshot(standing.state, standing.records, audience=audience))
                self._snapshots[audience] = kept
            return kept[1]

    # --- writing -----------------------------------------------------------------------

    def submit(
        self,
        command: Command,
        *,
        source: str,
        at_us: int | None = None,
        expect_version: int | None = None,
    ) -> Accepted | Rejected:
        """Do what ``command`` asks, if it makes sense now.

        ``source`` says who asks (``seat:2``, ``director``, ``button`` ...). ``expect_version``:
        the version the asker was looking at; a newer one rejects the command as ``stale``
        (look again, then ask again). A StartGame begins a new game with an id of its own, once
        the game on the table is over. Raises LogError when the log cannot take the facts; then
        nothing has changed.
        """
        with self._lock:
            standing = self._standing
            if expect_version is not None and expect_version != standing.version:
                return _stale(expect_version, standing)
            # The new game is decided on its own; the old one only has to be over.
            new_game = isinstance(command, StartGame) and (
                standing.state.over or not standing.records
            )
            decided = decide(State() if new_game else standing.state, command)
            if isinstance(decided, Rejected):
                return decided
            moment = self._clock_us() if at_us is None else at_us
            try:
                accepted = self._append(decided, source=source, at_us=moment, new_game=new_game)
            except VersionConflict:
                self._catch_up()
                return _stale(standing.version, self._standing)
        self._tell()
        return accepted

    def see(self, sighting: Sighting, *, source: str = "camera") -> Accepted | Ignored:
        """Take in what was seen, at the moment it was seen.

        Raises LogError when the log cannot take the facts; then nothing has changed, and the
        same sighting may be brought again.
        """
        with self._lock:
            try:
                accepted = self._take_in(sighting, source)
            except VersionConflict:
                # The card still lies there: look at it again with what is known now.
                self._catch_up()
                accepted = self._take_in(sighting, source)
        if isinstance(accepted, Accepted):
            self._tell()
        return accepted

    def _take_in(self, sighting: Sighting, source: str) -> Accepted | Ignored:
        standing = self._standing
        if standing.game_id is None:
            return Ignored(reason="no game is on the table")
        interpreted = interpret(standing.state, sighting)
        if isinstance(interpreted, Ignored):
            return interpreted
        return self._append(interpreted, source=source, at_us=sighting.at_us, new_game=False)

    def _append(
        self, facts: Iterable[Fact], *, source: str, at_us: int, new_game: bool
    ) -> Accepted:
        standing = self._standing
        entries = [Entry(at_us=at_us, source=source, fact=fact) for fact in facts]
        game_id = standing.game_id
        before = standing.records
        if new_game or game_id is None:
            game_id, before = self._unused_id(at_us), ()
        appended = self._log.append(game_id, entries, after_version=len(before))
        self._standing = _after(standing if before else None, game_id, before, appended)
        accepted = Accepted(game_id=game_id, version=appended[-1].version, facts=appended)
        self._news.append(accepted)
        return accepted

    def _unused_id(self, at_us: int) -> str:
        taken = {line.game_id for line in self._log.games()}
        while (game_id := new_game_id(at_us, self._new_suffix())) in taken:
            pass
        return game_id

    def _catch_up(self) -> None:
        game_id = self._standing.game_id
        if game_id is not None:
            self._standing = _standing(game_id, self._log.read(game_id))

    # --- listeners ---------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` told of every change from now on; call what is returned to stop.

        It is told after the facts are durable, one change after another in their order, never
        two at once, on the thread that brought the change or on one that is telling just
        then. It may ask the table for more. What it raises is logged and harms nobody else;
        what it waits for holds up the other listeners, never the table.
        """
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            with self._lock:
                # One of them: the same function may have been subscribed twice.
                kept = list(self._listeners)
                if listener in kept:
                    kept.remove(listener)
                self._listeners = tuple(kept)

        return unsubscribe

    def _tell(self) -> None:
        """Tell the news in order. Whoever is telling already tells ours too."""
        with self._lock:
            if self._telling:
                return
            self._telling = True
        try:
            while True:
                with self._lock:
                    if not self._news:
                        self._telling = False
                        return
                    news, listeners = self._news.popleft(), self._listeners
                for listener in listeners:
                    _tell_one(listener, news)
        except BaseException:  # an interrupt while a listener worked: let others tell the rest
            with self._lock:
                self._telling = False
            raise


def _tell_one(listener: Listener, news: Accepted) -> None:
    try:
        listener(news)
    except Exception:
        _LOG.exception("listener %r failed on version %d", listener, news.version)


def _random_suffix() -> str:
    return secrets.token_hex(2)


def new_game_id(at_us: int, suffix: str) -> str:
    """A game's id: its beginning in UTC and a suffix, ``20261129-2345-abcd``.

    Sorts by time, reads aloud, and is safe as a file's name.
    """
    begun = datetime.fromtimestamp(at_us / 1_000_000, tz=UTC)
    return f"{begun:%Y%m%d-%H%M}-{suffix}"


def find_game(log: Log, name: str) -> str:
    """The id of the game called ``name``: an id, or ``last`` for the newest.

    Raises UnknownGame.
    """
    ids = [line.game_id for line in log.games()]
    if name == "last":
        if not ids:
            raise UnknownGame("no game is in the log yet: upcard run records one")
        return ids[-1]
    if name not in ids:
        raise UnknownGame(f"no game {name!r} in the log: upcard games lists those that are there")
    return name


def _standing(game_id: str | None, records: tuple[Recorded, ...]) -> Standing:
    return Standing(game_id=game_id, records=records, state=fold(records))


def _after(
    standing: Standing | None,
    game_id: str,
    before: tuple[Recorded, ...],
    appended: tuple[Recorded, ...],
) -> Standing:
    """The standing with ``appended`` taken in; None: they begin a game."""
    if standing is None:
        return _standing(game_id, appended)
    state = standing.state
    for recorded in appended:
        state = apply(state, recorded)
    return Standing(game_id=game_id, records=before + appended, state=state)


def _stale(expected: int, standing: Standing) -> Rejected:
    """Nothing is done, and nothing of what the others did is lost: here is what they did."""
    meanwhile = tuple(fact_said(r.fact) for r in standing.records if r.version > expected)
    more = len(meanwhile) - LAST_MEANWHILE
    return stale(
        "version {version} was meant, the table is at {version_now}[; meanwhile: {more} more, "
        "then {meanwhile}]: look again and repeat"
        if more > 0
        else "version {version} was meant, the table is at {version_now}[; meanwhile: "
        "{meanwhile}]: look again and repeat",
        standing.state.names,
        meanwhile=meanwhile,
        version=expected,
        version_now=standing.version,
        **({"more": more} if more > 0 else {}),
    )


def store(log: Log, game: ImportedGame, *, new_suffix: Callable[[], str] | None = None) -> str:
    """Put an imported game into ``log`` and return its id there.

    It keeps the id it came with. Where another game has that id it gets a new one, and a game
    that is there already, fact by fact, is not stored twice. Raises LogError.
    """
    suffix = new_suffix or _random_suffix
    taken = {line.game_id for line in log.games()}
    game_id = game.game_id
    if game_id is not None and game_id in taken:
        there = [(r.at_us, r.source, r.fact) for r in log.read(game_id)]
        if there == [(e.at_us, e.source, e.fact) for e in game.entries]:
            return game_id
        game_id = None
    while game_id is None or game_id in taken:
        game_id = new_game_id(game.entries[0].at_us, suffix())
    log.append(game_id, game.entries, after_version=0)
    return game_id
