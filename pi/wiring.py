"""Who is joined to whom: the one place that knows the camera, the eyes, the rules and the page.

Frames go through the pipeline to the table; what people tap goes to the table; whoever wants
to know what happened listens to the table. :func:`build` puts a :class:`Kit` together from
settings; its ``run`` is the table's evening.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from engine.cards import SEAT_NAMES
from engine.commands import Command, EndGame, Rejected, ReportShuffle, StartGame
from engine.facts import PackShuffled
from engine.intake import Ignored
from engine.log import Log
from engine.memory_log import MemoryLog
from engine.sightings import CardRested, Sighting
from engine.sqlite_log import LogFull, LogReadOnly, LogUnreadable
from engine.state import State
from engine.table import Accepted, Table
from engine.wording import Names, Sentence, english, say, say_json, spoken, worded
from pi.clock import JUMP_S, SteadyClock
from pi.errors import CameraSilent, RecordingFailed
from pi.evidence import EvidenceFolder, EvidenceIfPossible, MemoryEvidence
from pi.fitting import Wired, open_camera, open_fittings
from pi.gpio import open_factory
from pi.hand_table import NoCamera, NoReader
from pi.looks import Looks
from pi.ports import Sensed
from pi.privacy import clips_folder, delete_game, evidence_folder
from pi.recording import Recording, commands_path
from pi.ring import Ring
from pi.settings import KitSettings, SensorKind
from pi.shuffling.attendant import Attendant
from pi.shuffling.counter import SOCKET_NAME, Counter
from pi.shuffling.memory import Waiting
from pi.shuffling.passes import HALTED
from pi.shuffling.touch import GUARD_S
from pi.tending import Tending
from vision.errors import VisionError
from vision.frame import Frame
from vision.landmarks import BumpWatch
from vision.layout import Layout
from vision.pipeline import Pipeline
from vision.ports import CardReader, EvidenceStore, FrameSource

if TYPE_CHECKING:
    from pi.calibrate import Calibration, TableSetup
    from pi.camera import CameraLock
    from vision.clips import ClipSource

_LOG = logging.getLogger(__name__)

#: The newest latencies and warnings that are kept.
_KEPT: Final = 2000
_WARNINGS: Final = 5
_HAND_BEAT_S: Final = 1.0
#: The rate on the health page is that of the newest frames, not of the whole evening.
_RATE_FRAMES: Final = 31
_RETRY_US: Final = 1_000_000
#: The disk is full, closed or failing: nothing has changed, and it may be tried again.
_TAKES_NOTHING: Final = (LogFull, LogReadOnly, LogUnreadable)
#: A source that falls this far behind its pace is not chased: it goes on from there.
_BEHIND_S: Final = 0.5
#: The page's codes, beside the log.
CODES_NAME: Final = "codes.json"
#: How often the fittings of a real table are looked after.
_TICK_S: Final = 0.04
_MOVED: Final = (
    "The camera was moved since it was calibrated, so seats may be taken wrongly: put it back, "
    "or run upcard calibrate again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """From light to score, for one sighting that became a fact.

    ``settling_us``: from the first frame at rest to the frame that made it certain, on the
    source's clock. ``fact_ms``: from having that frame to the fact being durable and all
    listeners told, on the machine's clock.
    """

    settling_us: int
    fact_ms: float


class Pace:
    """Holds a source that could run faster to ``speed`` times the clock on the wall."""

    def __init__(
        self,
        speed: float | None,
        *,
        wait: Callable[[float], object],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._speed = speed
        self._wait = wait
        self._clock_s = clock_s
        self._start: tuple[int, float] | None = None

    def wait_for(self, at_us: int) -> None:
        """Return when ``at_us`` has come, or ``wait`` gives up."""
        if self._speed is None:
            return
        now_s = self._clock_s()
        if self._start is None:
            self._start = (at_us, now_s)
            return
        from_us, from_s = self._start
        ahead_s = from_s + (at_us - from_us) / 1e6 / self._speed - now_s
        if ahead_s > 0:
            self._wait(ahead_s)
        elif ahead_s < -_BEHIND_S:
            self._start = (at_us, now_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Late:
    """What the shuffler did while the disk took nothing, to be recorded with its own moment."""

    command: ReportShuffle
    source: str
    at_us: int
    game_id: str | None


class Kit:
    """Everything joined. ``run`` blocks until the source ends or ``stop`` is called.

    ``table`` is what the page and the listeners use; commands given through :meth:`submit` are
    recorded too. Close it when done: it closes what :func:`build` opened.
    """

    def __init__(
        self,
        *,
        source: FrameSource,
        pipeline: Pipeline,
        table: Table,
        log: Log,
        settings: KitSettings,
        commands_due: Callable[[int], tuple[tuple[int, str, Command], ...]],
        wired: Wired | None = None,
        recording: Recording | None = None,
        evidence_dir: Path | None = None,
        paced: bool = True,
        first: Command | None = None,
        people: Callable[[State, int], tuple[Command, ...]] | None = None,
        bump: BumpWatch | None = None,
        clock: SteadyClock | None = None,
        closing: ExitStack | None = None,
    ) -> None:
        self.source = source
        self.table = table
        self.log = log
        self.settings = settings
        self.evidence_dir = evidence_dir
        self.latencies: deque[Latency] = deque(maxlen=_KEPT)
        self.rejected: list[tuple[Command, Rejected]] = []
        self._pipeline = pipeline
        self._commands_due = commands_due
        self._wired = wired
        self._recording = recording
        self._first = first
        self._people = people
        self._bump = bump
        self._newest: Frame | None = None
        self.setup: TableSetup | None = None
        self._closing = closing if closing is not None else ExitStack()
        self._stop = threading.Event()
        self._pace = Pace(settings.speed if paced else None, wait=self._stop.wait)
        self._warnings: deque[Sentence] = deque(maxlen=_WARNINGS)
        self._lock = threading.Lock()
        self._now_us: int | None = None
        self._frames = 0
        self._taken_s: deque[float] = deque(maxlen=_RATE_FRAMES)
        self._last_frame_s: float | None = None
        self._failed: Exception | None = None
        self._ring = Ring(seconds=settings.clip_s)
        self._clock = clock
        self._clock_told_s = 0.0
        #: What the disk did not take, in its order; the lock holds that order between threads.
        self._unrecorded: deque[Sighting | _Late] = deque()
        self._late = threading.RLock()
        #: The passes among it, for the shuffler's own memory: read without the lock.
        self._late_passes: tuple[Waiting, ...] = ()
        self._retry_us = 0
        self._each_frame: list[Callable[[], None]] = []
        self.looks = Looks(game=lambda: self.table.state)
        self._tending: Tending | None = None
        if wired is None:
            self.looks.subscribe(lambda seat, said: self._warn(said))
        else:
            self._tending = self._fit(wired)

    # --- running -------------------------------------------------------------------------------

    def run(self) -> None:
        """Take frames until the source ends; what vision, log or disk raise ends the kit."""
        with self._looked_after():
            try:
                if self.settings.table == "hand":
                    # No picture will ever come: the page's taps are the whole game.
                    while not self._stop.wait(_HAND_BEAT_S):
                        self._record_what_waits()
                        self._turned()
                for frame in self.source.frames():
                    self._pace.wait_for(frame.at_us)
                    if self._stop.is_set():
                        break
                    self._take(frame)
                else:
                    self._conclude()
            except (VisionError, CameraSilent):
                # A clip that is cut short is still sound up to there, and so is a lost camera.
                self._conclude()
                raise
            # Stopped: the last chance for what waits, else the trouble is raised by its name.
            self._record_late()
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        """End ``run`` before its next frame, from any thread or a signal's handler."""
        self._stop.set()

    def _conclude(self) -> None:
        """The source has ended: report what the evidence allows, do what is still asked."""
        last_us = self._now_us
        if last_us is None:
            return
        began = time.perf_counter()
        for sighting in self._pipeline.flush(last_us):
            self._see(sighting, last_us, began)
        # The last chance: now the trouble is raised by its name.
        self._record_late()
        self._do_commands(last_us)

    def close(self) -> None:
        """Lights out, files closed. Call it after ``run`` has returned."""
        self.stop()
        self._closing.close()

    def __enter__(self) -> Kit:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def now_us(self) -> int:
        """The table's time: the newest frame's, or the clock's before the first."""
        now_us = self._now_us
        return now_us if now_us is not None else time.time_ns() // 1000

    def submit(
        self,
        command: Command,
        *,
        source: str,
        at_us: int | None = None,
        expect_version: int | None = None,
    ) -> Accepted | Rejected:
        """What :meth:`engine.table.Table.submit` does, and into the recording with it."""
        moment = at_us if at_us is not None else self.now_us()
        try:
            # What happened before the tap is recorded before it.
            self._record_late()
            answer = self.table.submit(
                command, source=source, at_us=moment, expect_version=expect_version
            )
        except _TAKES_NOTHING as error:
            # Nothing has changed; who tapped is told why and can tap again.
            self._warn(say("words", words=str(error)))
            return Rejected(
                code="not_recorded", reason=str(error), said=say("words", words=str(error))
            )
        if isinstance(answer, Accepted):
            self._record(lambda to: to.command(command, source=source, at_us=moment))
        return answer

    def after_each_frame(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` when a frame was really taken and worked through.

        At a table without a camera, once a second: there the loop itself is all that turns.
        """
        self._each_frame.append(listener)

    def keep_clip(self) -> Path:
        """Write the last seconds as a clip beside the log; raise RecordingFailed."""
        if self.settings.log is None:
            raise RecordingFailed("this game is kept in memory only: name a log with --log")
        return self._ring.write_clip(clips_folder(self.settings.log), fps=self.settings.fps)

    def _record(self, write: Callable[[Recording], None]) -> None:
        """Into the recording, if there is one; a disk that takes no more ends it, not the game."""
        with self._lock:
            if self._recording is None:
                return
            try:
                write(self._recording)
            except RecordingFailed as error:
                self._recording = None
                self._warn(
                    worded("the recording has ended, the game goes on: {words}", words=str(error))
                )

    def _take(self, frame: Frame) -> None:
        self._now_us = frame.at_us
        self._newest = frame
        self._frames += 1
        now_s = time.monotonic()
        self._taken_s.append(now_s)
        self._last_frame_s = now_s
        if self._first is not None:
            first, self._first = self._first, None
            self._do(first, source="kit", at_us=frame.at_us)
        self._record(lambda to: to.frame(frame))
        self._ring.add(frame)
        self._mind_the_clock()
        self._record_what_waits()
        self._do_commands(frame.at_us)
        if self._people is not None:
            for command in self._people(self.table.state, frame.at_us):
                self._do(command, source="page", at_us=frame.at_us)
        began = time.perf_counter()
        for sighting in self._pipeline.process(frame):
            self._see(sighting, frame.at_us, began)
        if self._bump is not None and self._bump.see(frame) == "moved":
            _LOG.warning("%s", _MOVED)
        if self._tending is not None and self._wired is not None and not self._wired.own_clock:
            self._tending.tick(frame.at_us)
        self._turned()

    def _turned(self) -> None:
        for listener in self._each_frame:
            listener()

    def _mind_the_clock(self) -> None:
        """Take over a clock that was set forward while nobody plays; else say it once."""
        if self._clock is None:
            return
        jump_s = self._clock.jump_s()
        state = self.table.state
        if jump_s and (not state.started or state.over) and self._clock.adopt():
            _LOG.info("the clock was set forward by %.0f s: stamps follow it", jump_s)
            return
        if abs(jump_s - self._clock_told_s) >= JUMP_S:
            self._clock_told_s = jump_s
            if jump_s:
                self._warn(
                    worded(
                        "the clock was set forward by {time}: this game's times stay by the clock "
                        "it began with"
                        if jump_s > 0
                        else "the clock was set back by {time}: this game's times stay by the "
                        "clock it began with",
                        time=_long(abs(jump_s)),
                    )
                )

    def _record_what_waits(self) -> None:
        """What the disk did not take is brought again once a second, in order."""
        now_us = self.now_us()
        if not self._unrecorded or now_us - self._retry_us < _RETRY_US:
            return
        self._retry_us = now_us
        try:
            self._record_late()
        except _TAKES_NOTHING:
            return

    def _record_late(self) -> None:
        """Bring all that waits, oldest first. Raises what the log raises; the rest waits on."""
        with self._late:
            waited = len(self._unrecorded)
            while self._unrecorded:
                # Out of the queue first: a listener may come here again on this thread.
                one = self._unrecorded.popleft()
                try:
                    self._record_one(one)
                except BaseException:
                    self._unrecorded.appendleft(one)
                    raise
                if isinstance(one, _Late):
                    self._forget_passes()
        if waited:
            self._warn(
                worded(
                    "the disk takes facts again: what waited ({count}) was recorded late",
                    count=waited,
                )
            )

    def _forget_passes(self) -> None:
        """Only what is settled leaves the shuffler's memory: it is stored whenever the shuffler
        goes on, and must hold what is just being recorded."""
        self._note_passes()
        if self.shuffling is not None:
            self.shuffling.changed()

    def _note_passes(self) -> None:
        self._late_passes = tuple(
            Waiting(
                seat=one.command.seat,
                passes=one.command.passes,
                at_us=one.at_us,
                game_id=one.game_id,
            )
            for one in self._unrecorded
            if isinstance(one, _Late)
        )

    def _take_up(self, left: Iterable[Waiting]) -> None:
        """Passes that an earlier run of the kit could not record come first now, each once."""
        known = {(r.at_us, r.fact) for r in self.table.records if isinstance(r.fact, PackShuffled)}
        taken, lost = 0, 0
        for one in left:
            if one.game_id is None or one.game_id != self.table.game_id:
                lost += one.passes
            # The kit may have gone off between recording it and forgetting it here.
            elif (one.at_us, PackShuffled(seat=one.seat, passes=one.passes)) not in known:
                taken += one.passes
                self._wait_with(
                    ReportShuffle(seat=one.seat, passes=one.passes, machine=True), one.at_us
                )
        if taken:
            self._warn(
                worded(
                    "the kit went off before {passes:pass|passes} of the shuffler could be "
                    "recorded: that is done as soon as the disk takes it",
                    passes=taken,
                )
            )
        if lost:
            self._warn(
                worded(
                    "{passes:pass|passes} of the shuffler could not be recorded before the kit "
                    "went off, and their game is not on the table any more",
                    passes=lost,
                )
            )

    def _wait_with(self, report: ReportShuffle, at_us: int) -> None:
        with self._late:
            self._unrecorded.append(
                _Late(command=report, source="shuffler", at_us=at_us, game_id=self.table.game_id)
            )
            self._note_passes()

    def _record_one(self, one: Sighting | _Late) -> None:
        if not isinstance(one, _Late):
            self.table.see(one)
            return
        answer = self.table.submit(one.command, source=one.source, at_us=one.at_us)
        if isinstance(answer, Rejected):
            self._warn(worded("the shuffler's passes were not recorded: {said}", said=answer.said))

    def _see(self, sighting: Sighting, frame_us: int, began: float) -> None:
        with self._late:
            if self._unrecorded:
                self._unrecorded.append(sighting)
                return
        try:
            answer = self.table.see(sighting)
        except _TAKES_NOTHING as error:
            # The tracker tells of a card once: it is kept until the disk takes it.
            with self._late:
                self._unrecorded.append(sighting)
            self._retry_us = frame_us
            self._warn(
                worded(
                    "{words}; what is played meanwhile waits and is recorded then",
                    words=str(error),
                )
            )
            return
        if isinstance(answer, Ignored):
            _LOG.debug("ignored %s: %s", sighting, answer.reason)
            return
        if isinstance(sighting, CardRested) and answer.facts:
            self.latencies.append(
                Latency(
                    settling_us=frame_us - sighting.at_us,
                    fact_ms=(time.perf_counter() - began) * 1e3,
                )
            )

    def _do_commands(self, at_us: int) -> None:
        for due_us, source, command in self._commands_due(at_us):
            self._do(command, source=source, at_us=due_us)

    def _do(self, command: Command, *, source: str, at_us: int) -> None:
        state = self.table.state
        if isinstance(command, StartGame) and state.started and not state.over:
            # The table has begun anew: the game it left must not take in the new one's cards.
            self.submit(EndGame(reason="the table began a new game"), source=source, at_us=at_us)
        answer = self.submit(command, source=source, at_us=at_us)
        if isinstance(answer, Rejected):
            self.rejected.append((command, answer))
            self._warn(
                worded("{kind} was refused: {said}", kind=type(command).__name__, said=answer.said)
            )

    def _warn(self, said: Sentence) -> None:
        _LOG.warning("%s", english(said, self._names()))
        self._warnings.append(said)

    def _names(self) -> Names:
        return self.table.state.names or SEAT_NAMES

    # --- lights, buttons, shuffler -------------------------------------------------------------

    def _fit(self, wired: Wired) -> Tending:
        fittings = open_fittings(
            wired,
            self.settings,
            game=lambda: self.table.state,
            report=self._report_shuffle,
            closing=self._closing,
            waiting=lambda: self._late_passes,
        )
        if fittings.shuffling is not None:
            self._take_up(fittings.shuffling.left)

        def do(command: Command, source: str) -> Accepted | Rejected:
            return self.submit(command, source=source)

        tending = Tending(fittings, table=self.table, do=do, warn=self._warn, looks=self.looks)
        self._closing.callback(self.looks.subscribe(tending.look))
        self._closing.callback(self.table.subscribe(lambda news: tending.changed()))
        self._open_counter(fittings.shuffling)
        return tending

    def _open_counter(self, shuffling: Attendant | None) -> None:
        """Where ``upcard shuffle`` asks; a folder that has no room for it is only logged."""
        if shuffling is None or self.settings.log is None:
            return
        try:
            counter = Counter(self.settings.log.with_name(SOCKET_NAME), shuffling)
        except OSError as error:
            _LOG.warning("upcard shuffle cannot reach this kit: %s", error)
            return
        self._closing.callback(counter.close)

    def _report_shuffle(self, report: ReportShuffle) -> Sentence | None:
        """Record the passes. What the machine did is told once, as a card is: it waits for the
        disk. A person who says it is refused and can say it again."""
        moment, source = self.now_us(), "shuffler" if report.machine else "page"
        answer = self.submit(report, source=source, at_us=moment)
        if not isinstance(answer, Rejected):
            return None
        if not report.machine or answer.code != "not_recorded":
            return answer.said
        self._wait_with(report, moment)
        self._warn(
            worded("the shuffler's passes wait and are recorded when the disk takes facts again")
        )
        return None

    @contextmanager
    def _looked_after(self) -> Iterator[None]:
        """A real table's fittings have their own thread: a lost camera must not stop them."""
        tending, wired = self._tending, self._wired
        if tending is None or wired is None or not wired.own_clock:
            yield
            return
        ended = threading.Event()

        def look_after() -> None:
            try:
                while not ended.wait(_TICK_S):
                    tending.tick(wired.now_us())
            except Exception as error:
                # A log that takes nothing any more ends the kit from here as from a play.
                self._failed = error
                self.stop()

        thread = threading.Thread(target=look_after, name="fittings", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join(timeout=2.0)

    @property
    def shuffling(self) -> Attendant | None:
        """The shuffler as people see it, None where none is fitted."""
        return None if self._tending is None else self._tending.fittings.shuffling

    def newest(self) -> Frame | None:
        """The newest frame, None before the first."""
        return self._newest

    def use(self, calibration: Calibration) -> None:
        """Play by this calibration from the next frame on."""
        placed = calibration.placed
        self._pipeline.relayout(
            calibration.layout_for(width_px=placed.width_px, height_px=placed.height_px)
        )
        known = calibration.landmarks
        self._bump = BumpWatch(known) if known.enough else None

    def doctor(self) -> list[dict[str, Any]]:
        """What ``upcard doctor`` says of this running kit, for the page."""
        from pi.doctor import Fitted, examine, report

        fitted = Fitted()
        tending, shuffling = self._tending, self.shuffling
        if tending is not None:
            told = None if shuffling is None else shuffling.state()
            fitted = Fitted(
                stuck=tuple(sorted(tending.stuck)),
                sensed=Sensed() if shuffling is None else shuffling.sensed(),
                halted=spoken(told["say"]) if told and told["phase"] in HALTED else None,
            )
        return report(
            examine(
                # A game in memory only has no log: one that is nowhere has nothing amiss.
                log_path=self.settings.log or Path(tempfile.gettempdir()) / "upcard" / "none.db",
                settings=self.settings,
                health=self.health(),
                clock=self._clock,
                fitted=fitted,
            )
        )

    # --- for the page --------------------------------------------------------------------------

    def parts(self) -> list[Mapping[str, Any]]:
        """Which parts beside camera and shuffler this kit has, for the page."""
        settings, wired = self.settings, self._wired
        simulated = " on the simulated table" if settings.table == "sim" else ""
        there = wired is not None
        told = [
            ("buttons", there, f"Seat buttons{simulated}.", "No seat buttons: tap on the page."),
            (
                "lights",
                there,
                f"Seat lights{simulated}.",
                "No seat lights: the page shows whose turn.",
            ),
            ("buzzer", there, f"A buzzer{simulated}.", "No buzzer: the page has sounds."),
        ]
        if wired is not None and settings.shuffler.fitted:
            told.append(
                (
                    "sensors",
                    bool(wired.sensors),
                    f"Sensors at the shuffler{simulated}.",
                    "No sensors at the shuffler: a pass is timed.",
                )
            )
        if settings.table in ("pi", "usb"):
            # A camera whose light cannot be lit is not opened: where it is named, it is there.
            told.append(
                (
                    "camera light",
                    there and settings.pins.camera is not None,
                    "A light is on while the camera runs.",
                    "No light for the camera: the page says when it runs.",
                )
            )
        return [
            {"name": name, "present": present, "text": text if present else without}
            for name, present, text, without in told
        ]

    def health(self) -> Mapping[str, Any]:
        """How the kit fares, as plain JSON values for the page and ``/health``."""
        statistics = self._pipeline.statistics
        last_s = self._last_frame_s
        now_s = time.monotonic()
        age_us = None if last_s is None else round((now_s - last_s) * 1e6)
        taken_s = tuple(self._taken_s)
        ran_s = taken_s[-1] - taken_s[0] if taken_s else 0.0
        fps = (len(taken_s) - 1) / ran_s if ran_s > 0 else 0.0
        reads = max(statistics.reads, 1)
        seeing = self.settings.table == "hand" or (age_us is not None and age_us < 3_000_000)
        moved = self._bump is not None and self._bump.state == "moved"
        warnings = [*self._warnings, *([worded(_MOVED)] if moved else [])]
        return {
            "ok": seeing and not self._unrecorded,
            "unrecorded": len(self._unrecorded),
            "camera": {
                "sim": "simulated table",
                "clip": "recorded clip",
                "pi": "Pi camera",
                "usb": "USB camera",
                "hand": "no camera",
            }[self.settings.table],
            "frame_age_us": age_us,
            "fps": round(fps, 1),
            "frames": statistics.frames,
            "reads": statistics.reads,
            "read_ms": round(statistics.read_ms / reads, 1),
            "gate_ms": round(statistics.gate_ms / max(statistics.frames, 1), 1),
            "calibration": "none" if self._bump is None else self._bump.state,
            "warnings": [english(said, self._names()) for said in warnings],
            "say_warnings": [say_json(said) for said in warnings],
        }


@dataclass(frozen=True, slots=True)
class PageTable:
    """The table as the page is given it: its commands pass through the kit's recording."""

    kit: Kit

    @property
    def version(self) -> int:
        return self.kit.table.version

    @property
    def game_id(self) -> str | None:
        return self.kit.table.game_id

    def submit(
        self,
        command: Any,
        *,
        source: str,
        at_us: int | None = None,
        expect_version: int | None = None,
    ) -> Accepted | Rejected:
        return self.kit.submit(command, source=source, at_us=at_us, expect_version=expect_version)

    def snapshot(self, audience: str = "public") -> Mapping[str, Any]:
        return self.kit.table.snapshot(audience)

    def subscribe(self, listener: Callable[..., None]) -> Callable[[], None]:
        return self.kit.table.subscribe(listener)


def page_for(kit: Kit, *, root: Path | None = None) -> Any:
    """The page as a Flask application over this kit.

    ``root``: the certificate that devices must trust, where the page is served over HTTPS.
    """
    from engine.ruleset import PRESETS, in_words, preset
    from web_dashboard import create_app
    from web_dashboard.settings import PageSettings

    presets = tuple((name, f"{name}: {in_words(preset(name))[0]}") for name in PRESETS)
    table_kind = "pi" if kit.settings.table == "usb" else kit.settings.table
    settings = PageSettings(
        table_kind=table_kind,
        evidence_dir=kit.evidence_dir,
        health=kit.health,
        calibrating=kit.setup,
        presets=presets,
        shuffling=kit.shuffling,
        looking=kit.looks,
        access_file=access_path(kit.settings),
        allowed_hosts=frozenset(kit.settings.page_names),
        trusted_proxies=frozenset(kit.settings.trusted_proxies),
        parts=kit.parts,
        doctor=kit.doctor,
        keep_clip=None if kit.settings.table in ("hand", "clip") else kit.keep_clip,
        clips_dir=None if kit.settings.log is None else clips_folder(kit.settings.log),
        certificate_root=root,
        delete_game=_deleting(kit),
    )
    return create_app(PageTable(kit), kit.log, settings)


def _deleting(kit: Kit) -> Callable[[str], Mapping[str, Any]] | None:
    """How the page deletes a game of the kit's file: by its own writer, while it runs."""
    from engine.sqlite_log import SqliteLog

    log, file = kit.log, kit.settings.log
    if file is None or not isinstance(log, SqliteLog):
        return None
    evidence = kit.evidence_dir or evidence_folder(file, kit.settings.evidence)

    def delete(game_id: str) -> Mapping[str, Any]:
        gone = delete_game(log, game_id, evidence)
        return {"facts": gone.facts, "pictures": gone.pictures}

    return delete


def access_path(settings: KitSettings) -> Path | None:
    """The file of the page's codes, beside the log; None where no log is."""
    return None if settings.log is None else settings.log.with_name(CODES_NAME)


# --- building ----------------------------------------------------------------------------------


def build(
    settings: KitSettings, *, reader_for: Callable[[FrameSource], CardReader] | None = None
) -> Kit:
    """Put a kit together. ``reader_for`` makes the reader for a source; None loads the model.

    Raises the named errors of the parts: LogError (another kit uses the log, a full disk),
    ModelError, ClipMissing and its like, CameraMissing, NoPinFactory, BadSettings.
    """
    with ExitStack() as opened:
        log = _open_log(settings, opened)
        evidence, evidence_dir = _open_evidence(settings, warn=lambda said: kit._warn(said))
        recording = None
        if settings.record is not None:
            recording = Recording(settings.record, fps=settings.fps)
            opened.callback(recording.close)
        parts = _open_source(settings, opened)
        opened.callback(parts.source.close)
        if settings.table == "hand":
            reader: CardReader = NoReader()
        elif reader_for is None:
            from vision.reader import load_reader

            reader = load_reader(threads=settings.reader_threads)
        else:
            reader = reader_for(parts.source)
        if settings.dials.misread > 0 and settings.table == "sim":
            from pi.sim.faults import MisreadingReader

            reader = MisreadingReader(reader, share=settings.dials.misread, seed=settings.seed)
        kit_clock: list[Callable[[], int]] = []
        table = _open_table(log, settings, clock_us=lambda: kit_clock[0]())
        kit = Kit(
            source=parts.source,
            pipeline=Pipeline(reader, parts.layout, evidence),
            table=table,
            log=log,
            settings=settings,
            commands_due=parts.commands_due,
            wired=parts.wired,
            recording=recording,
            evidence_dir=evidence_dir,
            paced=settings.table in ("sim", "clip"),
            first=parts.first,
            people=parts.people,
            bump=parts.bump,
            clock=parts.clock,
            closing=opened.pop_all(),
        )
        kit_clock.append(kit.now_us)
        if settings.table not in ("clip", "hand"):
            from pi.calibrate import TableSetup

            kit.setup = TableSetup(
                newest=kit.newest,
                reader=reader,
                path=_calibration_path(settings),
                use=kit.use,
                lock=parts.lock,
            )
        return kit


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    source: FrameSource
    commands_due: Callable[[int], tuple[tuple[int, str, Command], ...]]
    layout: Layout
    wired: Wired | None = None
    first: Command | None = None
    people: Callable[[State, int], tuple[Command, ...]] | None = None
    bump: BumpWatch | None = None
    lock: CameraLock | None = None
    clock: SteadyClock | None = None


def _open_log(settings: KitSettings, opened: ExitStack) -> Log:
    if settings.log is None:
        return MemoryLog()
    from engine.sqlite_log import SqliteLog

    settings.log.parent.mkdir(parents=True, exist_ok=True)
    log = SqliteLog(settings.log)
    opened.callback(log.close)
    return log


def _open_evidence(
    settings: KitSettings, *, warn: Callable[[Sentence], None]
) -> tuple[EvidenceStore, Path | None]:
    folder = settings.evidence
    if folder is None and settings.log is not None:
        folder = evidence_folder(settings.log)
    if folder is None:
        return MemoryEvidence(), None
    return EvidenceIfPossible(EvidenceFolder(folder), warn=warn), folder


def _long(seconds: float) -> Sentence:
    """A span in the words of a person."""
    if seconds >= 2 * 86_400:
        return worded("{days:day|days}", days=round(seconds / 86_400))
    if seconds >= 2 * 3_600:
        return worded("{hours:hour|hours}", hours=round(seconds / 3_600))
    if seconds >= 2 * 60:
        return worded("{minutes:minute|minutes}", minutes=round(seconds / 60))
    return worded("{seconds:second|seconds}", seconds=round(seconds))


def _open_table(log: Log, settings: KitSettings, *, clock_us: Callable[[], int]) -> Table:
    """A real table takes up the game it was at; the others begin their own."""
    games = log.games()
    if settings.table in ("pi", "usb", "hand") and games:
        resumed = Table.open(log, games[-1].game_id, clock_us=clock_us)
        if not resumed.state.over:
            return resumed
    return Table(log, clock_us=clock_us)


def _calibration_path(settings: KitSettings) -> Path:
    """Where a calibration made on the page is kept: where the next start looks for it."""
    from pi.calibrate import FILE_NAME
    from pi.cli import default_log_path

    if settings.calibration is not None:
        return settings.calibration
    # A simulated table must not overwrite what the real one's camera was set up with.
    name = FILE_NAME if settings.table in ("pi", "usb") else f"simulated-{FILE_NAME}"
    return default_log_path().with_name(name)


def _open_source(settings: KitSettings, opened: ExitStack) -> _Parts:
    calibration = None
    if settings.calibration is not None:
        from pi.calibrate import load

        # Before a camera is opened: a damaged file is said at once.
        calibration = load(settings.calibration)
    match settings.table:
        case "sim":
            parts = _sim_parts(settings, opened)
        case "clip":
            parts = _clip_parts(settings)
        case "pi" | "usb":
            lock = None if calibration is None else calibration.lock
            parts = _camera_parts(settings, opened, lock=lock)
        case "hand":
            parts = _hand_parts(settings, opened)
    if calibration is None:
        return parts
    from pi.camera import UsbCamera

    width_px, height_px = settings.width_px, settings.height_px
    if isinstance(parts.source, _Dated | UsbCamera):
        width_px, height_px = parts.source.size_px
    return replace(
        parts,
        layout=calibration.layout_for(width_px=width_px, height_px=height_px),
        bump=BumpWatch(calibration.landmarks) if calibration.landmarks.enough else None,
        lock=calibration.lock,
    )


def _sim_parts(settings: KitSettings, opened: ExitStack) -> _Parts:
    from pi.sim.bench import Bench
    from pi.sim.machine import Machine, faults_by_chance
    from pi.sim.people import People
    from pi.sim.table import SimTable, lens_for

    fitted = settings.shuffler.sensors
    sensors: tuple[SensorKind, ...] = get_args(SensorKind) if fitted is None else fitted
    bench = Bench(
        pins=settings.pins,
        machine=Machine(
            seed=settings.seed,
            pass_us=round(settings.shuffler.pass_s * 1e6),
            faults=faults_by_chance(
                seed=settings.seed,
                jams=settings.dials.jams,
                eaten=settings.dials.eaten,
                flat=settings.dials.flat,
            ),
        ),
        sensors=sensors,
    )
    opened.callback(bench.close)
    lens = replace(
        lens_for(settings.dials, settings.seed),
        width_px=settings.width_px,
        height_px=settings.height_px,
    )
    table = SimTable(
        seed=settings.seed,
        rules=settings.rules,
        dials=settings.dials,
        lens=lens,
        fps=settings.fps,
        start_us=time.time_ns() // 1000,
        games=settings.games,
        # Without a shuffler nobody walks up to it.
        shuffle_passes=settings.passes if settings.shuffler.fitted else 0,
        bench=bench,
    )

    def due(at_us: int) -> tuple[tuple[int, str, Command], ...]:
        return tuple((tap.at_us, tap.source, tap.command) for tap in table.commands_due(at_us))

    people = People(share=settings.dials.answers, seed=settings.seed)

    def answers(state: State, at_us: int) -> tuple[Command, ...]:
        if state.reviews and table.truth:
            return people.answers(state, table.truth[-1], at_us=at_us)
        return people.confirmations(state, at_us=at_us)

    return _Parts(
        source=table,
        commands_due=due,
        layout=Layout(),
        wired=Wired(
            factory=bench.factory,
            now_us=lambda: bench.now_us,
            sensors=sensors,
            own_clock=False,
            # The touch ends on the table's own time; the wall's clock must not be before it.
            guard_s=GUARD_S / min(settings.speed or 1.0, 1.0),
            reads=bench.reads,
        ),
        people=answers if settings.people_answer else None,
    )


def _clip_parts(settings: KitSettings) -> _Parts:
    from pi.watch import read_commands
    from vision.clips import ClipSource

    assert settings.clip is not None
    source = _Dated(ClipSource(settings.clip))
    waiting: deque[tuple[int, str, Command]] = deque()
    beside = commands_path(settings.clip)
    if beside.exists():
        waiting.extend(read_commands(beside))
    begins = any(isinstance(command, StartGame) for _, _, command in waiting)

    def due(at_us: int) -> tuple[tuple[int, str, Command], ...]:
        found: list[tuple[int, str, Command]] = []
        while waiting and waiting[0][0] + source.offset_us <= at_us:
            clip_us, who, command = waiting.popleft()
            found.append((clip_us + source.offset_us, who, command))
        return tuple(found)

    first = None if begins else StartGame(rules=settings.rules, title=settings.clip.name)
    return _Parts(source=source, commands_due=due, layout=Layout(), first=first)


def _camera_parts(settings: KitSettings, opened: ExitStack, *, lock: CameraLock | None) -> _Parts:
    from pi.doctor import on_a_pi

    clock = SteadyClock()
    # A USB camera on a Pi has buttons, lights and shuffler beside it as the Pi's own has.
    wired = _pi_pins(settings, opened) if settings.table == "pi" or on_a_pi() else None
    source = open_camera(
        "pi" if settings.table == "pi" else "usb",
        settings,
        opened,
        factory=None if wired is None else wired.factory,
        lock=lock,
        clock=clock,
    )
    return _Parts(
        source=source, commands_due=lambda at_us: (), layout=Layout(), wired=wired, clock=clock
    )


def _pi_pins(settings: KitSettings, opened: ExitStack) -> Wired:
    """A Pi's own pins, for whatever is fitted to them."""
    factory = open_factory("lgpio")
    opened.callback(factory.close)
    return Wired(
        factory=factory,
        # Not the time of day: that jumps when a Pi learns it.
        now_us=lambda: time.monotonic_ns() // 1000,
        sensors=settings.shuffler.sensors or (),
        own_clock=True,
    )


def _hand_parts(settings: KitSettings, opened: ExitStack) -> _Parts:
    """No camera. On a Pi its buttons, lights and shuffler work all the same."""
    from pi.doctor import on_a_pi

    return _Parts(
        source=NoCamera(),
        commands_due=lambda at_us: (),
        layout=Layout(),
        wired=_pi_pins(settings, opened) if on_a_pi() else None,
    )


class _Dated:
    """A clip's frames dated from now, so that the log tells when it was watched."""

    def __init__(self, source: ClipSource) -> None:
        self._source = source
        self.offset_us = 0
        self.size_px = (source.width_px, source.height_px)

    def frames(self) -> Iterator[Frame]:
        for number, frame in enumerate(self._source.frames()):
            if number == 0:
                self.offset_us = time.time_ns() // 1000 - frame.at_us
            yield Frame(at_us=frame.at_us + self.offset_us, image=frame.image)

    def close(self) -> None:
        self._source.close()
