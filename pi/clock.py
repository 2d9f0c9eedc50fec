"""The table's clock: the date of the wall, the pace of the machine.

A Raspberry Pi has no clock battery: it starts with the time at which it was switched off, and
the network sets it some seconds or minutes later, by hours or months. Whatever lies still for
400 ms must do so on a clock that does not jump, so stamps take the wall's time once and then
follow the machine's own steady count. A clock that was set forward is taken over between two
games; one that was set back only at the next start, since stamps never run backwards.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

#: A difference that is a jump, and no drift that network time corrects step by step.
JUMP_S: Final = 2.0


def _since_boot_ns() -> int:
    # Counts on while the machine sleeps; the camera's sensor stamps are on it too.
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class SteadyClock:
    """Microseconds since 1970 that neither jump nor run backwards."""

    def __init__(
        self,
        *,
        wall_ns: Callable[[], int] = time.time_ns,
        steady_ns: Callable[[], int] = _since_boot_ns,
    ) -> None:
        self._wall_ns = wall_ns
        self._steady_ns = steady_ns
        self._offset_ns = wall_ns() - steady_ns()

    def now_us(self) -> int:
        return self.at_us(self._steady_ns())

    def at_us(self, steady_ns: int) -> int:
        """The moment at which the machine's steady count stood at ``steady_ns``."""
        return (steady_ns + self._offset_ns) // 1000

    def jump_s(self) -> float:
        """By how much the wall's clock was set since; 0 where it was not (small drift is none)."""
        ahead_s = (self._wall_ns() - self._steady_ns() - self._offset_ns) / 1e9
        return ahead_s if abs(ahead_s) >= JUMP_S else 0.0

    def adopt(self) -> bool:
        """Take over a clock that was set forward; False for one that was not."""
        if self.jump_s() <= 0:
            return False
        self._offset_ns = self._wall_ns() - self._steady_ns()
        return True
