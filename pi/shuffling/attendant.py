"""Who stands between the table and the shuffler: the rights, the passes, the one touch.

:class:`Attendant` is what the page and the seats' buttons talk to (it is a
``web_dashboard.ports.Shuffling``), and the only one that touches the machine.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any, Final

from engine.cards import Seat
from engine.commands import ReportShuffle
from engine.noticed import noticed
from engine.odds import total_variation
from engine.state import State
from engine.wording import Arg, Sentence, english, say_json, worded
from pi.ports import Sensed, Shuffler
from pi.settings import SensorKind
from pi.shuffling import words
from pi.shuffling.memory import Memory, Remembered, Waiting
from pi.shuffling.passes import (
    AT_REST,
    MOST_PASSES,
    WORDS,
    Times,
    Word,
    Work,
    asked,
    resting,
    step,
    tell,
)
from pi.shuffling.rights import Rights, rights
from pi.shuffling.words import sentence_for

_LOG = logging.getLogger(__name__)

#: How many passes the mixing curve shows.
CURVE: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """Which deal a shuffle belongs to: it is forgotten when the next one begins."""

    game_id: str = ""
    deals: int = 0


class Attendant:
    """Starts, watches and counts the passes; safe to call from any thread.

    ``game`` answers the game's present state. ``report`` records finished passes and answers why
    not, when it cannot. ``now_us`` is the clock that ``tick`` is driven by. ``sensors`` are those
    that are wired. ``passes``: how many a pack gets, until somebody wants another number.
    """

    def __init__(
        self,
        shuffler: Shuffler,
        *,
        game: Callable[[], State],
        report: Callable[[ReportShuffle], Sentence | None],
        now_us: Callable[[], int],
        sensors: tuple[SensorKind, ...],
        times: Times | None = None,
        passes: int = 3,
        second_pack: bool = False,
        memory: Memory | None = None,
        waiting: Callable[[], tuple[Waiting, ...]] = tuple,
    ) -> None:
        self._shuffler = shuffler
        self._game = game
        self._report = report
        self._now_us = now_us
        self._sees_tray = "hopper" in sensors
        self._times = times if times is not None else Times()
        self._passes = passes
        self._second_pack = second_pack
        self._memory = memory if memory is not None else Memory(None)
        self._waiting = waiting
        #: What an earlier run of the kit could not record; whoever opened this takes it up.
        self.left: tuple[Waiting, ...] = ()
        #: Something waits for the disk and could not be kept beside it either.
        self.unkept = False
        self._lock = RLock()
        self._listeners: tuple[Callable[[], None], ...] = ()
        self._curves: dict[int, tuple[list[float], list[float]]] = {}
        self._moment = _Moment()
        self._by_hand = False
        self._idle_pack = False
        #: Passes of the work under way that are recorded already.
        self._told = 0
        #: The step in which a start was refused for an empty tray: the next touch insists.
        self._insists: tuple[str, int] | None = None
        self._work = self._woken()
        self._shown: object = None

    def _woken(self) -> Work:
        """What is known after a restart: a shuffle that was under way is ``unknown`` now."""
        kept = self._memory.recall()
        self.left = kept.waiting
        if kept.passes is not None and 1 <= kept.passes <= MOST_PASSES:
            self._passes = kept.passes
        state = self._game()
        here = _moment(state)
        torn = kept.busy and kept.game_id is None
        same = kept.game_id == here.game_id and kept.deals == here.deals
        if not kept.busy or not (torn or same):
            return Work()
        self._moment = here
        seat = kept.seat if kept.wanted else (self._rights(state).seats or (0,))[0]
        wanted = max(kept.wanted, kept.done + 1, 1) if kept.wanted else self._passes
        return Work(
            phase="unknown",
            since_us=self._now_us(),
            seat=seat % len(state.names),
            wanted=wanted,
            done=kept.done,
            # It may have been touched just before the lights went out.
            touched_us=self._now_us(),
        )

    # --- asked by people -----------------------------------------------------------------------

    def start(self, seat: Seat) -> Sentence | None:
        """Begin for ``seat``, or go on: the pack is loaded. The reason why not, in a sentence."""
        with self._lock:
            refused = self._start(seat)
        self._follow_up()
        return refused

    def _start(self, seat: Seat) -> Sentence | None:
        state, work, now_us = self._game(), self._work, self._now_us()
        bad = _bad_seat(seat, state)
        if bad is not None:
            return bad
        may = self._rights(state)
        name = state.names[work.seat] if work.seat is not None else ""
        match work.phase:
            case "idle" | "done":
                if seat not in may.seats:
                    return _refusal(may, state)
                self._begin(state, idle_pack=may.idle_pack)
                self._work = asked(
                    seat=seat,
                    passes=self._passes,
                    at_us=now_us,
                    loaded=not self._sees_tray,
                    last=work,
                )
                return None
            case "loaded" | "passing":
                return worded(words.AT_WORK, name=name)
        if seat != work.seat and seat not in may.seats:
            return worded(words.NOT_THEIRS, name=name)
        here = (work.phase, work.since_us)
        if self._shuffler.sense().hopper is False and self._insists != here:
            self._insists = here
            return worded(words.TRAY_EMPTY)
        self._work = tell(work, "stacked", at_us=now_us) or work
        return None

    def by_hand(self, seat: Seat, passes: int) -> Sentence | None:
        """A person shuffled ``passes`` times, instead of the machine or after it."""
        with self._lock:
            state, work = self._game(), self._work
            refused = _bad_seat(seat, state) or _bad_passes(passes)
            if refused is None and not state.started:
                refused = worded(words.NO_GAME)
            under_way = state.open_deal is not None and not self._second_pack
            if refused is None and under_way and work.phase in AT_REST:
                refused = _refusal(self._rights(state), state)
            if refused is not None:
                return refused
            told = self._told
            machine = work.done - told if work.phase not in AT_REST else 0
            reports = [ReportShuffle(seat=seat, passes=passes, machine=False)]
            if machine and work.seat is not None:
                reports.insert(0, ReportShuffle(seat=work.seat, passes=machine, machine=True))
            then = (self._work, self._moment, self._idle_pack, self._by_hand, self._insists)
            self._begin(state, idle_pack=state.open_deal is not None)
            self._by_hand = True
            done = (work.done if work.phase not in AT_REST else 0) + passes
            self._work = shuffled = replace(
                resting(work, self._now_us()), phase="done", seat=seat, wanted=done, done=done
            )
        reasons = [self._report(report) for report in reports]
        with self._lock:
            if reasons[-1] is not None and self._work is shuffled:
                # A log that takes nothing: as if it had not been said.
                self._work, self._moment, self._idle_pack, self._by_hand, self._insists = then
                # The machine's passes, once told, are not told again.
                self._told = told + (machine if reasons[0] is None else 0)
        self._follow_up()
        return reasons[-1]

    def want(self, passes: int) -> Sentence | None:
        """How many passes a pack gets from now on, the one under way included."""
        with self._lock:
            refused = _bad_passes(passes)
            if refused is not None:
                return refused
            self._passes = passes
            before = self._work
            match before.phase:
                case "idle" | "done":
                    after = before
                case "passing":
                    after = replace(before, wanted=max(passes, before.done + 1))
                case _ if before.done >= passes:
                    # The last pass is what was enough: the pack is as it should be.
                    after = replace(
                        resting(before, self._now_us()),
                        phase="done",
                        seat=before.seat,
                        wanted=before.done,
                        done=before.done,
                    )
                case _:
                    after = replace(before, wanted=passes)
            self._work = after
        self._report_change(before, after)
        self._follow_up()
        return None

    def override(self, what: str) -> Sentence | None:
        """A person knows better: one of ``stop``, ``stacked``, ``pass_done``, ``cleared``."""
        with self._lock:
            if what not in WORDS:
                said = ", ".join(WORDS)
                return worded(words.BAD_WORD, word=what, words=said)
            word: Word = what
            before = self._work
            after = tell(before, word, at_us=self._now_us())
            if after is None:
                told = self._sentence(self._game())
                if before.phase in AT_REST or told is None:
                    return worded(words.NOT_NOW)
                return worded(words.NO_NEED, sentence=told)
            self._work = after
        self._report_change(before, after)
        self._follow_up()
        return None

    # --- driven by time and by the game --------------------------------------------------------

    def tick(self, at_us: int) -> None:
        """Look at the sensors, go one step on, touch the shuffler when it is time."""
        self._shuffler.tick(at_us)
        with self._lock:
            before = self._work
            after, touch = step(before, self._shuffler.sense(), at_us=at_us, times=self._times)
            if touch:
                # Before the touch, so that no restart takes a running machine for one at rest.
                self._remember(after)
                if not self._shuffler.touch(at_us):
                    after = before
            self._work = after
        self._report_change(before, after)
        if _seen(after) != _seen(before):
            self._follow_up()

    def changed(self) -> None:
        """The game has gone on: a new deal takes the pack away from the shuffler."""
        with self._lock:
            state, before = self._game(), self._work
            here, then = _moment(state), self._moment
            other_game = here.game_id != then.game_id
            if before.phase != "idle" and (other_game or here.deals > then.deals):
                self._work = resting(before, self._now_us())
            after = self._work
        if not other_game:
            # What was shuffled for another game is none of this one's.
            self._report_change(before, after)
        self._follow_up()

    def close(self) -> None:
        """Touch nothing any more; what was under way stays in the memory."""
        self._shuffler.close()

    # --- told to people ------------------------------------------------------------------------

    @property
    def work(self) -> Work:
        return self._work

    def sensed(self) -> Sensed:
        """What the shuffler's sensors show now."""
        return self._shuffler.sense()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` after every change of :meth:`state`; answers what ends it."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def leave() -> None:
            with self._lock:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return leave

    def state(self) -> Mapping[str, Any]:
        """As :class:`web_dashboard.ports.Shuffling` says, and besides: ``say`` and
        ``refused_say``, the sentences' keys and what fills them; ``note``, a sentence (its own
        key) about the machine; ``idle_pack``: it is the pack that is not in play; ``by_hand``:
        what is done was done by hand."""
        with self._lock:
            state, work = self._game(), self._work
            may = self._rights(state)
            told = self._sentence(state)
            match work.phase:
                case "idle" | "done":
                    seats = list(may.seats)
                    refused = may.refusal
                case "loaded" | "passing":
                    seats = []
                    refused = worded(words.AT_WORK, name=state.names[work.seat or 0])
                case _:
                    seats = [] if work.seat is None else [work.seat]
                    refused = None
            if told is None:
                told = _invitation(may, state) or refused
            cards = state.ruleset.pack + state.ruleset.jokers
            mixing, seen = self._curve(cards)
            at_rest = work.phase == "idle"
            return {
                "phase": work.phase,
                "seat": work.seat,
                "passes_done": work.done,
                "passes_wanted": self._passes if at_rest else work.wanted,
                "text": "" if told is None else english(told),
                "say": None if told is None else say_json(told),
                "may_start": seats,
                "refused": None if refused is None else english(refused),
                "refused_say": None if refused is None else say_json(refused),
                "note": words.TIRED if work.tired else None,
                "cards": cards,
                "mixing": mixing,
                "noticed": seen,
                "second_pack": self._second_pack,
                "idle_pack": self._idle_pack and not at_rest,
                "by_hand": self._by_hand and work.phase == "done",
            }

    def _sentence(self, state: State) -> Sentence | None:
        return sentence_for(
            self._work,
            names=state.names,
            cards=state.ruleset.pack + state.ruleset.jokers,
            sees_tray=self._sees_tray,
            cut=state.ruleset.cut != "none",
            by_hand=self._by_hand,
            idle_pack=self._idle_pack,
        )

    def _curve(self, cards: int) -> tuple[list[float], list[float]]:
        if cards not in self._curves:
            order = [total_variation(cards=cards, passes=n) for n in range(1, CURVE + 1)]
            measured = [noticed(cards=cards, passes=n) for n in range(1, CURVE + 1)]
            self._curves[cards] = (order, [one.tv for one in measured if one is not None])
        return self._curves[cards]

    # --- within --------------------------------------------------------------------------------

    def _rights(self, state: State) -> Rights:
        return rights(state, second_pack=self._second_pack)

    def _begin(self, state: State, *, idle_pack: bool) -> None:
        self._moment = _moment(state)
        self._idle_pack = idle_pack
        self._by_hand = False
        self._told = 0
        self._insists = None

    def _report_change(self, before: Work, after: Work) -> None:
        """Passes count when the last is done, or when a person stops after some of them."""
        if before.phase in AT_REST or after.phase not in AT_REST or before.seat is None:
            return
        passes = (after.done if after.phase == "done" else before.done) - self._told
        if passes > 0:
            reason = self._report(ReportShuffle(seat=before.seat, passes=passes, machine=True))
            if reason is not None:
                _LOG.warning("the shuffle was not recorded: %s", reason)

    def _remember(self, work: Work) -> None:
        busy = work.phase not in AT_REST
        waiting = self._waiting()
        kept = self._memory.keep(
            Remembered(
                passes=self._passes,
                busy=busy,
                seat=(work.seat or 0) if busy else 0,
                wanted=work.wanted if busy else 0,
                done=work.done if busy else 0,
                game_id=self._moment.game_id if busy else None,
                deals=self._moment.deals if busy else 0,
                waiting=waiting,
            )
        )
        self.unkept = bool(waiting) and not kept

    def _follow_up(self) -> None:
        """Keep what must outlive a restart, and tell the listeners if there is news."""
        with self._lock:
            work, state = self._work, self._game()
            self._remember(work)
            may = self._rights(state)
            shown = (_seen(work), may, self._passes, self._by_hand, state.names, state.ruleset)
            if shown == self._shown:
                return
            self._shown = shown
            listeners = self._listeners
        for listener in listeners:
            listener()


def _seen(work: Work) -> tuple[object, ...]:
    """What of the work people see."""
    return (work.phase, work.seat, work.wanted, work.done, work.trouble, work.tired)


def _moment(state: State) -> _Moment:
    return _Moment(game_id=state.game_id, deals=len(state.deals))


def _bad_seat(seat: Seat, state: State) -> Sentence | None:
    if type(seat) is int and 0 <= seat < len(state.names):
        return None
    return worded(words.BAD_SEAT, number=str(seat))


def _bad_passes(passes: int) -> Sentence | None:
    if type(passes) is int and 1 <= passes <= MOST_PASSES:
        return None
    return worded(words.BAD_PASSES, passes=str(passes), most=MOST_PASSES)


def _refusal(may: Rights, state: State) -> Sentence:
    if may.refusal is not None:
        return may.refusal
    name = state.names[may.seats[0]]
    if may.idle_pack and state.deal is not None:
        args: dict[str, Arg] = {"deal": state.deal.number, "name": name}
        return worded(words.IN_DEAL_PARTNER, **args)
    return worded(words.NOT_THE_DEALER, name=name)


def _invitation(may: Rights, state: State) -> Sentence | None:
    if not may.seats:
        return None
    key = words.MAY_START_IDLE if may.idle_pack else words.MAY_START
    return worded(key, name=state.names[may.seats[0]])
