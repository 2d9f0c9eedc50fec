"""What the page needs of others: the table it shows, the shuffler it asks to start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from engine.wording import Sentence


class Table(Protocol):
    """The single writer. ``engine.table.Table`` is the real one."""

    @property
    def version(self) -> int:
        """Facts of the present game; 0 where there is none."""
        ...

    def submit(
        self,
        command: Any,
        *,
        source: str,
        at_us: int | None = None,
        expect_version: int | None = None,
    ) -> Any:
        """Decide and record; answers Accepted or Rejected."""
        ...

    def snapshot(self, audience: str) -> Mapping[str, Any]:
        """The table as ``audience`` may see it (see :mod:`engine.view`)."""
        ...

    def subscribe(self, listener: Callable[..., None]) -> Callable[[], None]:
        """Call ``listener`` after every change; answers the call that ends it."""
        ...


class Shuffling(Protocol):
    """The shuffler as people see it: what it does, what to do next, who may start it.

    Safe to call from any thread of the page; nothing here waits for the machine.
    """

    def state(self) -> Mapping[str, Any]:
        """Plain JSON values::

        {"phase": "idle" | "loading" | "loaded" | "passing" | "piles_out" | "restack" | "done"
                  | "jammed" | "timed_out" | "unknown",
         "seat": 2 | null,                 # for whom it works
         "passes_done": 1, "passes_wanted": 3,
         "text": "one plain sentence: what to do now",
         "may_start": [2],                 # seats whose touch would start it now
         "refused": null | "why nobody may start it now",
         "cards": 24,                      # of the pack in play
         "mixing": [1.0, 1.0, 0.99],       # distance from random after 1, 2, 3... passes
         "noticed": [0.5, 0.2, 0.1],       # the same for what players can notice in the hands
         "second_pack": false}             # an idle pack is shuffled while the other is played
        """
        ...

    def start(self, seat: int) -> Sentence | None:
        """Touch it for ``seat``; the reason why not, in a sentence, when it will not."""
        ...

    def by_hand(self, seat: int, passes: int) -> Sentence | None:
        """A person shuffled: ``passes`` riffles count as done; the reason why not."""
        ...

    def want(self, passes: int) -> Sentence | None:
        """How many passes a pack gets from now on; the reason why not."""
        ...

    def override(self, what: str) -> Sentence | None:
        """A person knows better: ``stop``, ``stacked`` (loaded again), ``pass_done``, ``cleared``
        (a jam is gone); the reason why not."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` after every change of :meth:`state`; answers the call that ends it."""
        ...


class Looking(Protocol):
    """Calling everybody to look at the table, as a seat's button can.

    Safe to call from any thread.
    """

    def call(self, seat: int) -> Sentence | None:
        """Call for ``seat``: every listener is told; the reason why not, and nobody is."""
        ...

    def subscribe(self, listener: Callable[[int, Sentence], None]) -> Callable[[], None]:
        """Call ``listener`` at every call, whoever took it, with the seat and what everybody is
        told; answers the call that ends it."""
        ...


class Calibrating(Protocol):
    """The camera as the calibration page asks it. Safe to call from any thread of the page."""

    def look(self) -> Mapping[str, Any]:
        """Look at the newest picture. Plain JSON values::

        {"found": true, "text": "one plain sentence", "picture": true,  # there is one to show
         "checks": [{"name": "focus", "verdict": "pass" | "warn" | "fail", "text": "...",
                     "cure": "..."}],
         "may_keep": true}

        ``say`` beside each ``text`` and ``say_cure`` beside ``cure`` are for other languages.
        """
        ...

    def picture(self) -> bytes | None:
        """The last look as a JPEG, with the seats' zones where they were found."""
        ...

    def keep(self) -> Sentence | None:
        """Keep what the last look found, and play by it from now on; the reason why not."""
        ...

    def cards(self) -> Mapping[str, Any]:
        """The cards of the newest picture: ``{"cards": [{"card": "Kh", "confidence": 0.99}]}``."""
        ...

    def sheet(self) -> bytes:
        """The sheet to print, a PDF."""
        ...
