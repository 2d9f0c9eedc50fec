"""The simulated table as a source of frames, like any camera over a real one."""

from __future__ import annotations

import heapq
import random
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from engine.ruleset import Ruleset, ruleset_from
from pi.errors import BadSettings
from pi.sim.bench import Bench
from pi.sim.dials import Dials
from pi.sim.lens import Lens
from pi.sim.painter import Painter
from pi.sim.script import Game, Terms, play_game
from pi.sim.stage import Cue, Episode, Shuffle, Tap, perform
from vision.frame import Frame

#: The shuffler is given up after this long, whatever the kit does.
_SHUFFLE_LIMIT_US: Final = 180_000_000


class SimTable:
    """Four players, their cards and a camera. It is a FrameSource.

    ``frames()`` yields ``fps`` pictures per second of simulated time as fast as they are asked
    for: the pace is the caller's. Commands that people give meanwhile are fetched with
    ``commands_due``. ``games`` None plays on for ever. Only the four-handed game with 24 cards
    is played: BadSettings names what is in the way.
    """

    def __init__(
        self,
        *,
        seed: int,
        rules: Mapping[str, Any] | str = "home",
        dials: Dials | None = None,
        lens: Lens | None = None,
        fps: float = 10.0,
        start_us: int = 0,
        games: int | None = 1,
        shuffle_passes: int = 1,
        bench: Bench | None = None,
    ) -> None:
        self.dials = dials if dials is not None else Dials()
        self.bench = bench
        self._seed = seed
        self._rules = rules
        self._terms = terms_of(ruleset_from(rules))
        self._lens = lens if lens is not None else lens_for(self.dials, seed)
        self._period_us = round(1_000_000 / fps)
        self._start_us = start_us
        self._games = games
        self._passes = shuffle_passes
        self._painter = Painter(lens=self._lens, dials=self.dials, seed=seed)
        self._due: list[tuple[int, int, Tap]] = []
        self._taps = 0
        self._played: list[Game] = []
        self._closed = False
        self._chance = random.Random(f"shuffle {seed}")
        self._episode: Episode | None = None
        self.now_us = start_us

    @property
    def truth(self) -> tuple[Game, ...]:
        """The games as they truly are (to their ends), those begun so far; never look ahead."""
        return tuple(self._played)

    @property
    def episode(self) -> Episode | None:
        """What the last picture shows, None before the first."""
        return self._episode

    @property
    def painter(self) -> Painter:
        """Where a card appears in the picture can be asked of it."""
        return self._painter

    def commands_due(self, at_us: int) -> tuple[Tap, ...]:
        """What people asked for up to ``at_us``, oldest first, each once."""
        due: list[Tap] = []
        while self._due and self._due[0][0] <= at_us:
            due.append(heapq.heappop(self._due)[2])
        return tuple(due)

    def frames(self) -> Iterator[Frame]:
        """The pictures in order of time; ends after the last game."""
        at_us = self._start_us
        for episode in self._episodes():
            while at_us < episode.end_us:
                if self._closed:
                    return
                self.now_us = at_us
                self._episode = episode
                if self.bench is not None:
                    self.bench.advance(at_us)
                yield Frame(at_us=at_us, image=self._painter.frame(episode, at_us))
                at_us += self._period_us

    def close(self) -> None:
        """No frame comes after this; the bench is the caller's to close."""
        self._closed = True

    def _episodes(self) -> Iterator[Episode]:
        number = 0
        start_us = self._start_us
        while self._games is None or number < self._games:
            seed = self._seed + 1000 * number
            game = play_game(seed=seed, terms=self._terms, dials=self.dials)
            self._played.append(game)
            stage: Generator[Episode | Cue, int | None, None] = perform(
                game,
                seed=seed,
                dials=self.dials,
                start_us=start_us,
                rules=self._rules,
                shuffle_passes=self._passes,
            )
            answer: int | None = None
            try:
                while True:
                    act = stage.send(answer)
                    answer = None
                    match act:
                        case Episode():
                            start_us = act.end_us
                            yield act
                        case Tap():
                            self._taps += 1
                            heapq.heappush(self._due, (act.at_us, self._taps, act))
                        case Shuffle():
                            if self.bench is not None:
                                answer = yield from self._shuffle(act, self.bench)
                                start_us = answer
            except StopIteration:
                pass
            number += 1

    def _shuffle(self, cue: Shuffle, bench: Bench) -> Generator[Episode, None, int]:
        """The pack is at the shuffler: a bare table until it is back; the moment it is."""
        forgets = frozenset(
            number for number in range(1, cue.passes) if self._chance.random() < self.dials.forgets
        )
        bench.begin_shuffle(seat=cue.seat, passes=cue.passes, at_us=cue.at_us, forgets=forgets)
        moment_us = cue.at_us
        while not bench.away and moment_us - cue.at_us < _SHUFFLE_LIMIT_US:
            until_us = moment_us + self._period_us
            yield Episode(start_us=moment_us, end_us=until_us, still=cue.still)
            moment_us = until_us
        return moment_us


def terms_of(ruleset: Ruleset) -> Terms:
    """The rules as the simulated players know them; BadSettings names what they cannot play."""
    wanted = {
        "game": "partnership",
        "pack": 24,
        "jokers": 0,
        "hand_size": 5,
        "deals": None,
        "natural_trump_required": "none",
    }
    for key, value in wanted.items():
        if getattr(ruleset, key) != value:
            raise BadSettings(
                f"the simulated players know only {key} = {value}, the rules say "
                f"{getattr(ruleset, key)}: take preset home or pub, or another table"
            )
    if ruleset.partner_order_must_be_alone or ruleset.pass_out == "same_dealer":
        raise BadSettings(
            "the simulated players know neither partner_order_must_be_alone nor pass_out "
            "same_dealer: take preset home or pub, or another table"
        )
    return Terms(
        target=ruleset.target,
        lone_lead=ruleset.lone_lead,
        stick_dealer=ruleset.pass_out == "stick_dealer",
    )


def lens_for(dials: Dials, seed: int) -> Lens:
    """A camera leaning back as far as the dial says, hung a little askew."""
    return Lens(tilt_deg=35.0 * dials.tilt, roll_deg=((seed * 37) % 9 - 4) * 0.5)
