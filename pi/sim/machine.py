"""The shuffler as a thing that stands there: the plant behind the mock pins.

It knows nothing of the kit. A touch on its pad starts a pass, a card at a time falls to the left
or right pile, and it can fail in every way a real one can: a jam, a tired or flat battery, a
touch it does not feel or feels twice, a pad that learns a held touch away, sensors that stick.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from pi.settings import SensorKind

#: A shorter touch is not felt; one held for longer is taken for a change of the weather.
FELT_US = 40_000
LEARNT_AWAY_US = 1_000_000
#: With less than this left in its battery the motor does not turn.
FLAT = 0.25
_EVENING = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What goes wrong. Runs and touches are counted from 1 over the machine's life.

    ``jams``: runs that stop half way. ``one_sided``: runs in which every card falls left.
    ``eaten``: touches that are not felt. ``doubled``: touches that start a second run after the
    first. ``battery``: 1 fresh; below 0.25 the motor does not turn; a pass takes its time
    divided by it. ``stuck``: what a sensor shows whatever is there.
    """

    jams: frozenset[int] = frozenset()
    one_sided: frozenset[int] = frozenset()
    eaten: frozenset[int] = frozenset()
    doubled: frozenset[int] = frozenset()
    battery: float = 1.0
    stuck: Mapping[SensorKind, bool] = field(default_factory=dict)


def faults_by_chance(*, seed: int, jams: float, eaten: float, flat: float) -> Faults:
    """Faults that come now and then over an evening; ``flat`` is how empty the battery is."""
    rng = random.Random(f"shuffler {seed}")
    evening = range(1, _EVENING + 1)
    return Faults(
        jams=frozenset(run for run in evening if rng.random() < jams),
        eaten=frozenset(touch for touch in evening if rng.random() < eaten),
        battery=1.0 - flat,
    )


class Machine:
    """A shuffler with a tray, two piles and a touch pad. Hands are its methods."""

    def __init__(
        self, *, seed: int = 1, pass_us: int = 5_000_000, faults: Faults | None = None
    ) -> None:
        self.faults = faults if faults is not None else Faults()
        self.tray = 0
        self.left = 0
        self.right = 0
        #: Runs that dealt cards to their end, runs begun, and touches of the pad.
        self.passes = 0
        self.runs = 0
        self.touches = 0
        self.longest_touch_us = 0
        self.jammed = False
        self._rng = random.Random(f"machine {seed}")
        self._pass_us = pass_us
        self._running_since: int | None = None
        self._dealt = self._fell = 0
        self._load = 0
        self._again = False
        self._touched_us: int | None = None
        self._felt = False

    # --- hands ---------------------------------------------------------------------------------

    def load(self, cards: int) -> None:
        """A squared pack goes into the tray."""
        self.tray += cards

    def take_piles(self) -> int:
        """Both piles are taken up; how many cards that are."""
        cards, self.left, self.right = self.left + self.right, 0, 0
        return cards

    def clear(self) -> int:
        """Every card is taken out, the jam with it; how many."""
        cards = self.take_piles() + self.tray
        self.tray = 0
        self.jammed = False
        return cards

    def pad(self, *, at_us: int) -> None:
        """A finger on the pad itself, without the kit."""
        self._start(at_us)

    # --- the machine ---------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        return self._running_since is not None

    def shows(self, sensor: SensorKind) -> bool:
        """What that sensor, where it is fitted, would show now."""
        if sensor in self.faults.stuck:
            return self.faults.stuck[sensor]
        return {
            "hopper": self.tray > 0,
            "left": self.left > 0,
            "right": self.right > 0,
            "motor": self.running,
        }[sensor]

    def advance(self, at_us: int, *, touched: bool, pulses: int) -> None:
        """Everything up to ``at_us``: the relay is on now or not, after ``pulses`` since last."""
        self._pad(at_us, touched=touched, pulses=pulses)
        while self._running_since is not None:
            due_us = self._running_since + self._card_us() * (self._dealt + 1)
            if due_us > at_us:
                return
            self._deal(due_us)

    def _pad(self, at_us: int, *, touched: bool, pulses: int) -> None:
        for _ in range(pulses):
            self.touches += 1
            self._touched_us = at_us
            self._felt = self.touches in self.faults.eaten
        if self._touched_us is None:
            return
        held_us = at_us - self._touched_us
        # A pulse that came and went between two looks was as long as the driver makes it.
        long_enough = held_us >= FELT_US or not touched
        if not self._felt and long_enough and held_us < LEARNT_AWAY_US:
            self._felt = True
            self._again = self.touches in self.faults.doubled
            self._start(at_us)
        if touched:
            self.longest_touch_us = max(self.longest_touch_us, held_us)
        else:
            self._touched_us = None

    def _start(self, at_us: int) -> None:
        if self.running or self.jammed or self.faults.battery < FLAT:
            return
        self.runs += 1
        self._running_since = at_us
        self._dealt = self._fell = 0
        self._load = self.tray

    def _card_us(self) -> int:
        cards = max(self._load, 1)
        return round(self._pass_us / cards / min(self.faults.battery, 1.0))

    def _deal(self, at_us: int) -> None:
        self._dealt += 1
        if self._load and self.runs in self.faults.jams and self._dealt > self._load // 2:
            self.jammed = True
            self._running_since = None
            return
        if self.tray:
            self.tray -= 1
            self._fell += 1
            if self.runs in self.faults.one_sided or self._rng.random() < 0.5:
                self.left += 1
            else:
                self.right += 1
        if self._dealt >= max(self._load, 1) and not self.tray:
            self._running_since = None
            self.passes += self._fell > 0
            if self._again:
                self._again = False
                # It turns for as long again; what is loaded meanwhile goes through.
                self._start(at_us)
                self._load = max(self._load, 24)
