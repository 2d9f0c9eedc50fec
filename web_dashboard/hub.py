"""From one table to many viewers: a bounded fan-out.

Every viewer has a queue of its own with a few places. The writer never waits for a viewer:
when a queue is full its messages are dropped and the viewer is told to *resync*, that is to
take the whole state afresh. A viewer that fell asleep costs a handful of references and no
more, and a viewer that wakes up is right at once.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Literal, TypeAlias

from web_dashboard.errors import TooManyStreams


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One change. ``version`` numbers it, ``text`` is what is sent (one line of JSON).

    ``kind``: ``snapshot``, or an event beside the game; such have no version of their own, and
    one that is lost is made good when the viewer takes the whole state afresh (a call to look
    at the table is not: it is over by then).
    """

    version: int
    text: str
    kind: str = "snapshot"


#: quiet: nothing came in time. resync: messages were dropped. closed: the hub has shut down,
#: or another stream of the same viewer took this one's place.
Silence: TypeAlias = Literal["quiet", "resync", "closed"]


class Stream:
    """One viewer's end. Made by :meth:`Hub.open`; close it when the viewer has gone."""

    def __init__(self, hub: Hub, viewer: str, queue_size: int, *, acting: bool = False) -> None:
        self._hub = hub
        self._queue: deque[Message] = deque()
        self._queue_size = queue_size
        self._changed = threading.Condition()
        self._dropped = False
        self._closed = False
        self.viewer = viewer
        self.acting = acting

    def take(self, timeout_s: float) -> Message | Silence:
        """The next message; waits ``timeout_s`` seconds at most."""
        with self._changed:
            self._changed.wait_for(self._has_word, timeout_s)
            if self._closed:
                return "closed"
            if self._dropped:
                self._dropped = False
                return "resync"
            return self._queue.popleft() if self._queue else "quiet"

    def _has_word(self) -> bool:
        return self._closed or self._dropped or bool(self._queue)

    def _put(self, message: Message) -> None:
        with self._changed:
            if self._dropped or self._closed:
                return
            if len(self._queue) >= self._queue_size:
                self._queue.clear()
                self._dropped = True
            else:
                self._queue.append(message)
            self._changed.notify()

    def _shut(self) -> None:
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify()

    def close(self) -> None:
        """Give the place back. Closing twice is closing once."""
        self._hub._forget(self)
        self._shut()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Hub:
    """Holds at most ``stream_limit`` streams of ``queue_size`` messages each.

    ``acting_limit`` more are kept for those who act: no crowd of watchers can take them.
    """

    def __init__(self, *, stream_limit: int, queue_size: int, acting_limit: int = 0) -> None:
        if stream_limit < 1 or queue_size < 1:
            raise ValueError(
                f"a hub of {stream_limit} streams with queues of {queue_size}: "
                "both must be 1 or more"
            )
        self._stream_limit = stream_limit
        self._acting_limit = acting_limit
        self._queue_size = queue_size
        self._lock = threading.Lock()
        self._streams: list[Stream] = []
        self._closed = False

    def open(self, viewer: str = "", *, acting: bool = False) -> Stream:
        """A stream for ``viewer``; one it had before is closed, since a page keeps one only.

        A nameless viewer ("") never replaces another. ``acting``: it may take one of the places
        kept for those who act. Raises :class:`TooManyStreams`.
        """
        stream = Stream(self, viewer, self._queue_size, acting=acting)
        with self._lock:
            if self._closed:
                raise TooManyStreams("the page is shutting down: come back when it is up again")
            replaced = [s for s in self._streams if viewer and s.viewer == viewer]
            staying = [s for s in self._streams if s not in replaced]
            watching = sum(not s.acting for s in staying)
            # Those who act take the places kept for them first, then those of everybody.
            beyond = max(0, len(staying) - watching - self._acting_limit)
            taken = watching + beyond
            if taken >= self._stream_limit and not (
                acting and len(staying) - watching < self._acting_limit
            ):
                raise TooManyStreams(
                    "{count} pages are watching already and there is a thread for no more: "
                    "close one, or this page asks every few seconds instead",
                    count=taken,
                )
            self._streams = [*staying, stream]
        for old in replaced:
            old._shut()
        return stream

    def publish(self, message: Message) -> None:
        """Hand ``message`` to every stream; never waits for one."""
        with self._lock:
            streams = tuple(self._streams)
        for stream in streams:
            stream._put(message)

    def count(self) -> int:
        """Streams open now."""
        with self._lock:
            return len(self._streams)

    def close(self) -> None:
        """End every stream; later ones are refused."""
        with self._lock:
            self._closed = True
            streams, self._streams = tuple(self._streams), []
        for stream in streams:
            stream._shut()

    def _forget(self, stream: Stream) -> None:
        with self._lock:
            if stream in self._streams:
                self._streams.remove(stream)
