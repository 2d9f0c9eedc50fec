"""A running table whose disk or clock fails: nothing that was played is lost, and it is said.

The eyes are a script, so that a table plays two deals' cards in an instant.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cards import Card
from engine.commands import PauseGame, Rejected, StartGame, Undo
from engine.facts import CardPlayed, PackShuffled, UpcardShown
from engine.sightings import CardRested, Place, Sighting
from engine.sqlite_log import CorruptLog, LogReadOnly, SqliteLog
from engine.table import Accepted, Table
from pi.clock import SteadyClock
from pi.errors import RecordingFailed
from pi.evidence import EvidenceFolder, EvidenceIfPossible
from pi.fitting import Wired
from pi.recording import Recording
from pi.settings import KitSettings
from pi.shuffling.memory import Memory
from pi.sim.bench import Bench
from pi.wiring import Kit
from vision.frame import Frame
from vision.pipeline import Statistics

START_US = 1_790_000_000_000_000
#: The up-card, then the first trick and half of the second, one a second.
CARDS = ("9h", "Ah", "Kh", "Qh", "Th", "As", "Ks")


class Frames:
    """Ten seconds at ten frames a second, of a card moving over a table."""

    def __init__(self, count: int = 100) -> None:
        self.count = count

    def frames(self) -> Iterator[Frame]:
        for number in range(self.count):
            image = np.full((90, 160, 3), 90, np.uint8)
            image[30:50, number : number + 15] = 240
            yield Frame(at_us=START_US + number * 100_000, image=image)

    def close(self) -> None: ...


class Eyes:
    """A pipeline that sees a card come to rest every second, and keeps its picture."""

    def __init__(self, keep: Callable[[np.ndarray], str | None], *, first_s: int = 0) -> None:
        self.statistics = Statistics()
        self._keep = keep
        self._first_s = first_s
        self._seen = 0

    def process(self, frame: Frame) -> list[Sighting]:
        number = (frame.at_us - START_US) // 1_000_000 - self._first_s
        if self._seen > number or self._seen >= len(CARDS):
            return []
        self._seen += 1
        middle = self._seen == 1
        return [
            CardRested(
                at_us=frame.at_us,
                track=self._seen,
                card=Card(CARDS[self._seen - 1]),
                confidence=0.99,
                votes=((Card(CARDS[self._seen - 1]), 0.99),),
                place=Place(seat=None if middle else (self._seen - 2) % 4, middle=middle),
                box=(0.0, 0.0, 1.0, 1.0),
                laid_from=3 if middle else None,
                evidence=self._keep(frame.image),
            )
        ]

    def flush(self, at_us: int) -> list[Sighting]:
        return []


def table(
    folder: Path,
    *,
    frames: int = 100,
    record: Path | None = None,
    first_s: int = 0,
    bench: Bench | None = None,
    resumes: bool = False,
) -> Kit:
    folder.mkdir(exist_ok=True)
    log = SqliteLog(folder / "games.db")
    told: list[Kit] = []
    store = EvidenceIfPossible(
        EvidenceFolder(folder / "evidence"), warn=lambda text: told[0]._warn(text)
    )
    settings = KitSettings(speed=None, log=folder / "games.db", record=record, passes=1)
    pipeline: Any = Eyes(store.keep, first_s=first_s)
    kit = Kit(
        source=Frames(frames),
        pipeline=pipeline,
        table=(
            Table.open(log, log.games()[-1].game_id, clock_us=lambda: START_US)
            if resumes
            else Table(log, clock_us=lambda: START_US)
        ),
        log=log,
        settings=settings,
        commands_due=lambda at_us: (),
        wired=None if bench is None else on_the_bench(bench),
        recording=None if record is None else Recording(record, fps=10),
        first=None if resumes else StartGame(dealer=3),
    )
    told.append(kit)
    kit._closing.callback(log.close)
    if bench is not None:
        kit.after_each_frame(lambda: bench.advance(kit.now_us()))
    return kit


def on_the_bench(bench: Bench) -> Wired:
    bench.now_us = START_US
    return Wired(
        factory=bench.factory,
        now_us=lambda: bench.now_us,
        sensors=("hopper", "left", "right", "motor"),
        own_clock=False,
    )


def plays(kit: Kit) -> list[tuple[int, str]]:
    return [(r.fact.seat, r.fact.card) for r in kit.table.records if isinstance(r.fact, CardPlayed)]


#: As they must stand in the log, whatever went wrong.
WANTED = [(0, "Ah"), (1, "Kh"), (2, "Qh"), (3, "Th"), (0, "As"), (1, "Ks")]


class Outage:
    """Something that goes wrong at the ``after``-th card played, and for ``lasts_us``."""

    def __init__(self, kit: Kit, *, after: int, lasts_us: int) -> None:
        self.kit, self.after, self.lasts_us = kit, after, lasts_us
        self.began_us: int | None = None
        self.waiting: list[int] = []
        self.unwell = 0
        kit.after_each_frame(self.look)

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def look(self) -> None:
        if self.began_us is None and len(plays(self.kit)) >= self.after:
            self.began_us = self.kit.now_us()
            self.begin()
        elif self.began_us is not None and self.lasts_us:
            health = self.kit.health()
            self.waiting.append(health["unrecorded"])
            self.unwell += not health["ok"]
            if self.kit.now_us() - self.began_us >= self.lasts_us:
                self.lasts_us = 0
                self.end()


class ReadOnlyDisk(Outage):
    """As after an error of the card: the kernel makes it read-only, a person mends that."""

    def begin(self) -> None:
        assert isinstance(self.kit.log, SqliteLog)
        self.kit.log._db.execute("PRAGMA query_only = ON")

    def end(self) -> None:
        assert isinstance(self.kit.log, SqliteLog)
        self.kit.log._db.execute("PRAGMA query_only = OFF")


def test_what_is_played_while_the_disk_takes_nothing_is_recorded_when_it_does(
    tmp_path: Path,
) -> None:
    with table(tmp_path / "ill") as kit:
        outage = ReadOnlyDisk(kit, after=2, lasts_us=2_500_000)
        kit.run()
        assert max(outage.waiting) >= 1, "nothing was played during the outage"
        assert outage.unwell
        said = kit.health()["warnings"]
        assert any("waits and is recorded then" in line for line in said)
        assert any("recorded late" in line for line in said)
        assert plays(kit) == WANTED
        assert kit.health()["unrecorded"] == 0
    with SqliteLog(tmp_path / "ill" / "games.db", read_only=True) as log:
        (line,) = log.games()
        assert [r.version for r in log.read(line.game_id)] == list(range(1, line.version + 1))


class DuringThePass(ReadOnlyDisk):
    """The disk takes nothing from the middle of a pass on."""

    def look(self) -> None:
        shuffling = self.kit.shuffling
        assert shuffling is not None
        if self.began_us is None:
            if shuffling.work.phase == "passing":
                self.began_us = self.kit.now_us()
                self.begin()
        else:
            super().look()


def shuffles(kit: Kit) -> list[tuple[int, int, bool]]:
    return [
        (r.fact.seat, r.fact.passes, r.fact.machine)
        for r in kit.table.records
        if isinstance(r.fact, PackShuffled)
    ]


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def test_passes_that_end_while_the_disk_takes_nothing_are_recorded_before_the_deal(
    tmp_path: Path, bench: Bench
) -> None:
    with table(tmp_path, frames=180, first_s=10, bench=bench) as kit:
        bench.begin_shuffle(seat=3, passes=1, at_us=START_US)
        outage = DuringThePass(kit, after=0, lasts_us=10_000_000)
        kit.run()
        assert outage.began_us is not None, "no pass ran"
        assert shuffles(kit) == [(3, 1, True)]
        assert plays(kit) == WANTED
        kinds = [type(r.fact) for r in kit.table.records]
        assert kinds.index(PackShuffled) < kinds.index(UpcardShown)
        (told,) = [r for r in kit.table.records if isinstance(r.fact, PackShuffled)]
        upcard = kit.table.records[kinds.index(UpcardShown)]
        # Its own moment, not that at which the disk took it.
        assert told.at_us < upcard.at_us < outage.began_us + 10_000_000
        assert any("passes wait" in line for line in kit.health()["warnings"])
    with SqliteLog(tmp_path / "games.db", read_only=True) as log:
        (line,) = log.games()
        assert [r.version for r in log.read(line.game_id)] == list(range(1, line.version + 1))


def test_a_tap_after_the_outage_comes_behind_what_waited(tmp_path: Path, bench: Bench) -> None:
    with table(tmp_path, frames=100, first_s=50, bench=bench) as kit:
        bench.begin_shuffle(seat=3, passes=1, at_us=START_US)

        class Tapped(DuringThePass):
            def look(self) -> None:
                super().look()
                if self.lasts_us and self.waiting and self.waiting[-1]:
                    refused = kit.submit(PauseGame(), source="page")
                    assert isinstance(refused, Rejected)
                    self.lasts_us = 0
                    self.end()
                    taken = kit.submit(PauseGame(), source="page")
                    assert isinstance(taken, Accepted)
                    kit.stop()

        Tapped(kit, after=0, lasts_us=10**15)
        kit.run()
        assert shuffles(kit) == [(3, 1, True)]
        assert isinstance(kit.table.records[-2].fact, PackShuffled)
        assert not isinstance(kit.table.records[-1].fact, PackShuffled)


def test_a_table_that_is_stopped_in_an_outage_says_what_it_could_not_keep(
    tmp_path: Path, bench: Bench
) -> None:
    with table(tmp_path, frames=100, first_s=50, bench=bench) as kit:
        bench.begin_shuffle(seat=3, passes=1, at_us=START_US)
        outage = DuringThePass(kit, after=0, lasts_us=10**15)
        kit.after_each_frame(lambda: kit.stop() if outage.waiting and outage.waiting[-1] else None)
        with pytest.raises(LogReadOnly, match="writable"):
            kit.run()
        # Its owner mends the disk before closing: nothing had been given up.
        outage.end()
        kit._record_late()
        assert shuffles(kit) == [(3, 1, True)]


# --- the kit goes off in an outage -------------------------------------------------------------


def goes_off_in_an_outage(folder: Path, bench: Bench) -> None:
    """A pass ends while the log takes nothing, and with that the kit is gone."""
    with table(folder, frames=100, first_s=50, bench=bench) as kit:
        bench.begin_shuffle(seat=3, passes=1, at_us=START_US)
        outage = DuringThePass(kit, after=0, lasts_us=10**15)
        kit.after_each_frame(lambda: kit.stop() if outage.waiting and outage.waiting[-1] else None)
        with pytest.raises(LogReadOnly):
            kit.run()
        assert shuffles(kit) == []


def started_again(folder: Path) -> tuple[list[tuple[int, int, bool]], list[str]]:
    """The shuffles of the log after another start, and what that start said."""
    bench = Bench()
    with table(folder, frames=20, first_s=50, bench=bench, resumes=True) as kit:
        kit.run()
        assert kit.shuffling is not None
        assert kit.shuffling.work.phase == "idle", "nothing is under way and nothing is asked"
        found = shuffles(kit), list(kit.health()["warnings"])
    bench.close()
    return found


def test_passes_of_a_kit_that_went_off_in_the_outage_are_recorded_at_its_next_start_and_once(
    tmp_path: Path, bench: Bench
) -> None:
    goes_off_in_an_outage(tmp_path, bench)
    recorded, said = started_again(tmp_path)
    assert recorded == [(3, 1, True)]
    assert any("went off before 1 pass of the shuffler could be recorded" in line for line in said)
    recorded, said = started_again(tmp_path)
    assert recorded == [(3, 1, True)]
    assert not any("went off" in line for line in said)


def test_a_pass_that_the_log_has_but_the_memory_has_not_forgotten_is_not_recorded_twice(
    tmp_path: Path, bench: Bench
) -> None:
    goes_off_in_an_outage(tmp_path, bench)
    kept = (tmp_path / "shuffler.json").read_bytes()
    started_again(tmp_path)
    # As after a cut between the two: in the log, and still said to wait.
    (tmp_path / "shuffler.json").write_bytes(kept)
    recorded, said = started_again(tmp_path)
    assert recorded == [(3, 1, True)]
    assert not any("went off" in line for line in said)


def test_passes_of_a_game_that_has_left_the_table_are_said_to_be_missing(
    tmp_path: Path, bench: Bench
) -> None:
    goes_off_in_an_outage(tmp_path, bench)
    other = Bench()
    with table(tmp_path, frames=20, first_s=50, bench=other) as kit:
        kit.run()
        assert shuffles(kit) == []
        assert any(
            "1 pass of the shuffler could not be recorded" in line
            and "not on the table any more" in line
            for line in kit.health()["warnings"]
        )
    other.close()


def test_where_they_cannot_even_be_kept_beside_the_log_that_is_said_at_once(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with table(tmp_path, frames=180, first_s=50, bench=bench) as kit:
        bench.begin_shuffle(seat=3, passes=1, at_us=START_US)

        class WholeCard(DuringThePass):
            def begin(self) -> None:
                super().begin()

                def closed(*given: object) -> None:
                    raise OSError(30, "Read-only file system")

                monkeypatch.setattr("pi.shuffling.memory._write", closed)

            def end(self) -> None:
                super().end()
                monkeypatch.undo()

        WholeCard(kit, after=0, lasts_us=10_000_000)
        kit.run()
        said = [line for line in kit.health()["warnings"] if "cannot be kept beside" in line]
        assert len(said) == 1
        assert "say afterwards how often was shuffled" in said[0]
        assert shuffles(kit) == [(3, 1, True)]


def test_a_pass_is_kept_beside_the_log_until_the_log_has_it_and_no_longer(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_off_in_an_outage(tmp_path, bench)
    other = Bench()
    beside: list[int] = []
    with table(tmp_path, frames=20, first_s=50, bench=other, resumes=True) as kit:
        shuffling = kit.shuffling
        assert shuffling is not None
        submit = kit.table.submit

        def waiting() -> int:
            return len(Memory(tmp_path / "shuffler.json").recall().waiting)

        def cut_off_here(command: Any, **given: Any) -> Any:
            # The shuffler goes on meanwhile, on its own thread, and what it does is kept.
            assert shuffling.want(4 + len(beside)) is None
            beside.append(waiting())
            if len(beside) == 1:
                raise LogReadOnly("the disk takes nothing")
            return submit(command, **given)

        monkeypatch.setattr(kit.table, "submit", cut_off_here)
        kit.run()
        assert beside == [1, 1]
        assert waiting() == 0
        assert shuffles(kit) == [(3, 1, True)]
    other.close()


def test_a_tap_while_the_disk_takes_nothing_is_refused_with_the_reason(tmp_path: Path) -> None:
    with table(tmp_path) as kit:
        answers = []

        class Tapping(ReadOnlyDisk):
            def begin(self) -> None:
                super().begin()
                answers.append(kit.submit(Undo(reason="by mistake"), source="page"))
                kit.stop()

        Tapping(kit, after=2, lasts_us=0)
        kit.run()
        (answer,) = answers
        assert isinstance(answer, Rejected)
        assert answer.code == "not_recorded"
        assert "cannot be written" in answer.reason


def test_an_outage_that_outlasts_the_table_ends_by_name(tmp_path: Path) -> None:
    with table(tmp_path) as kit:
        ReadOnlyDisk(kit, after=2, lasts_us=10**15)
        with pytest.raises(LogReadOnly, match="writable"):
            kit.run()


def test_pictures_that_cannot_be_kept_cost_no_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.suffix == ".jpg":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(self, target)

    with table(tmp_path / "ill") as kit:
        monkeypatch.setattr(Path, "replace", full)
        kit.run()
        assert plays(kit) == WANTED
        said = [line for line in kit.health()["warnings"] if "without their pictures" in line]
        assert len(said) == 1
        assert "free some" in said[0]
        assert list((tmp_path / "ill" / "evidence").iterdir()) == []


def test_a_recording_that_ends_does_not_end_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    frame_of = Recording.frame

    def fills(self: Recording, frame: Frame) -> None:
        written.append(frame.at_us)
        if len(written) > 50:
            raise RecordingFailed("game.mp4: the disk is full")
        frame_of(self, frame)

    monkeypatch.setattr(Recording, "frame", fills)
    with table(tmp_path / "ill", record=tmp_path / "game.mp4") as kit:
        kit.run()
        assert len(written) == 51
        assert plays(kit) == WANTED
        assert any("the game goes on" in line for line in kit.health()["warnings"])
    assert (tmp_path / "game.mp4").stat().st_size > 1000


class Wall:
    set_by_s = 0.0


def with_clock(kit: Kit) -> Wall:
    """Give the kit a clock whose wall can be set."""
    wall = Wall()
    kit._clock = SteadyClock(
        wall_ns=lambda: round((1_790_000_000 + wall.set_by_s) * 1e9), steady_ns=lambda: 0
    )
    return wall


@pytest.mark.parametrize(("by_s", "said"), [(7200.0, "forward by 2 hours"), (-300.0, "back by 5")])
def test_a_clock_set_during_a_game_changes_nothing_and_is_told_once(
    tmp_path: Path, by_s: float, said: str
) -> None:
    with table(tmp_path / "ill") as kit:
        wall = with_clock(kit)

        class Jump(Outage):
            def begin(self) -> None:
                wall.set_by_s = by_s

        Jump(kit, after=3, lasts_us=0)
        kit.run()
        assert plays(kit) == WANTED
        assert sum(said in line for line in kit.health()["warnings"]) == 1


def test_the_last_seconds_are_kept_in_memory_and_written_when_asked(tmp_path: Path) -> None:
    with table(tmp_path) as kit:

        class Ask(Outage):
            def begin(self) -> None:
                self.path = kit.keep_clip()
                kit.stop()

        ask = Ask(kit, after=3, lasts_us=0)
        kit.run()
        assert ask.path.parent == tmp_path / "clips"
        assert ask.path.stat().st_size > 10_000


def test_a_table_on_a_torn_log_is_refused_by_name(tmp_path: Path) -> None:
    with table(tmp_path) as kit:
        kit.run()
        assert plays(kit) == WANTED
        assert isinstance(kit.log, SqliteLog)
        (page,) = kit.log._db.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'fact'"
        ).fetchone()
    log = tmp_path / "games.db"
    data = bytearray(log.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    log.write_bytes(data)
    with pytest.raises(CorruptLog, match=r"games\.db is damaged.*--salvage"):
        table(tmp_path)


def test_frames_feed_whoever_asks_and_nothing_else_does(tmp_path: Path) -> None:
    fed: list[int] = []
    with table(tmp_path, frames=7) as kit:
        kit.after_each_frame(lambda: fed.append(kit.now_us()))
        assert fed == []
        kit.run()
    assert fed == [START_US + k * 100_000 for k in range(7)]
