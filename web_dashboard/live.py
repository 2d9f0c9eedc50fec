"""The live side: the newest snapshot, and the stream that carries every later one.

An event stream sends, in the words of server-sent events:

* ``: hi`` at once, so that headers are not held back and the page knows it is connected;
* ``event: snapshot`` with ``id:`` the version and ``data:`` the snapshot (:mod:`engine.view`):
  the whole state first, whatever ``Last-Event-ID`` the browser brings, since a few kilobytes
  are cheaper than a hole; then one for every change;
* ``event: beat`` every ``heartbeat_s`` seconds with the kit's health and its clock, which also
  finds out viewers that are gone;
* ``event: shuffle`` with the shuffler's state, where one is fitted: at once, and when it
  changes;
* ``event: look`` when somebody at the table asks everybody to look at it (``seat``, ``text`` and
  ``say``): told once, to the pages that are open;
* ``event: access`` when codes were changed: the page asks ``/api/me`` again who it is;
* ``event: bye`` when the kit shuts down or the same page opened another stream.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from flask import Blueprint, Response, request

from engine.wording import english, say_json, worded
from web_dashboard.access import WATCHING
from web_dashboard.answers import answer, as_line, refusal_said
from web_dashboard.errors import TooManyStreams
from web_dashboard.guard import viewer
from web_dashboard.hub import Hub, Message, Stream
from web_dashboard.ports import Table
from web_dashboard.settings import PageSettings

AUDIENCE: Final = "public"
#: How soon a viewer that hung up is noticed, where the server can tell.
_GONE_CHECK_S: Final = 1.0
#: What the browser waits before it comes back by itself.
_RETRY_MS: Final = 1500

_log = logging.getLogger(__name__)


class Broadcast:
    """Turns "the table changed" into one snapshot for all viewers.

    The table's listener only sets a flag: the one thread that writes facts never waits for a
    snapshot to be built, let alone for a viewer. Changes that come faster than snapshots are
    built share the later snapshot.
    """

    def __init__(self, table: Table, hub: Hub, *, stream_limit: int) -> None:
        self.stream_limit = stream_limit
        self._table = table
        self._hub = hub
        self._lock = threading.Lock()
        self._changed = threading.Event()
        self._closed = False
        self._at_close: list[Callable[[], None]] = []
        self._newest = self._build()
        self._unsubscribe = table.subscribe(self._note)
        self._thread = threading.Thread(target=self._pump, name="page-broadcast", daemon=True)
        self._thread.start()
        # A fact recorded between the first snapshot and the subscription would go unseen.
        self._changed.set()

    def newest(self) -> Message:
        """The newest snapshot, as viewers have it."""
        with self._lock:
            return self._newest

    def attach(self, viewer: str, *, acting: bool = False) -> tuple[Stream, Message]:
        """A stream and the state before its first message, without a hole between the two."""
        with self._lock:
            return self._hub.open(viewer, acting=acting), self._newest

    def announce(self, kind: str, value: Any) -> None:
        """Tell every page of something beside the game."""
        with self._lock:
            self._hub.publish(Message(version=self._newest.version, text=as_line(value), kind=kind))

    def at_close(self, do: Callable[[], None]) -> None:
        """Call ``do`` when the page closes."""
        self._at_close.append(do)

    def close(self) -> None:
        """End every stream and the thread."""
        for do in self._at_close:
            do()
        self._unsubscribe()
        self._closed = True
        self._changed.set()
        self._hub.close()
        self._thread.join(timeout=2.0)

    def _note(self, *_: object) -> None:
        self._changed.set()

    def _build(self) -> Message:
        snapshot = self._table.snapshot(AUDIENCE)
        return Message(version=int(snapshot.get("version") or 0), text=as_line(snapshot))

    def _pump(self) -> None:
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._closed:
                return
            try:
                message = self._build()
            except Exception:
                # The page keeps the last good state; the next change tries again.
                _log.exception("the snapshot could not be built: the page shows the one before")
                continue
            with self._lock:
                if message == self._newest:
                    continue
                self._newest = message
                self._hub.publish(message)


def event_text(kind: str, data: str, *, event_id: int | None = None) -> bytes:
    """One server-sent event; ``data`` must be one line."""
    head = f"id: {event_id}\n" if event_id is not None else ""
    return f"{head}event: {kind}\ndata: {data}\n\n".encode()


def beat_text(settings: PageSettings) -> bytes:
    """The heartbeat: the kit's clock (microseconds since 1970) and its health."""
    return event_text(
        "beat", as_line({"now_us": time.time_ns() // 1000, "health": health_of(settings)})
    )


def health_of(settings: PageSettings) -> Mapping[str, Any]:
    """What the kit says of itself; a health that cannot be asked is itself a warning."""
    try:
        return dict(settings.health())
    except Exception as error:
        _log.exception("the kit's health could not be asked")
        said = worded("the kit's health could not be asked: {words}", words=str(error))
        return {"ok": False, "warnings": [english(said)], "say_warnings": [say_json(said)]}


def events(
    stream: Stream,
    first: Message,
    settings: PageSettings,
    *,
    newest: Callable[[], Message],
    gone: Callable[[], bool],
    beside: Callable[[], Iterable[tuple[str, Any]]] = lambda: (),
) -> Iterator[bytes]:
    """The bytes of one event stream until its viewer is gone or the hub closes it.

    ``beside``: the states of what is not the game, as pairs of event and JSON value, sent
    whenever the whole state is.
    """

    def beside_text() -> bytes:
        return b"".join(event_text(kind, as_line(value)) for kind, value in beside())

    with stream:
        yield f": hi\nretry: {_RETRY_MS}\n\n".encode()
        yield event_text("snapshot", first.text, event_id=first.version)
        yield beat_text(settings) + beside_text()
        beat_due_s = time.monotonic() + settings.heartbeat_s
        while not gone():
            wait_s = min(_GONE_CHECK_S, max(0.0, beat_due_s - time.monotonic()))
            match stream.take(wait_s):
                case "closed":
                    yield event_text("bye", "{}")
                    return
                case "resync":
                    message = newest()
                    whole = event_text("snapshot", message.text, event_id=message.version)
                    yield whole + beside_text()
                case Message(kind="snapshot") as message:
                    yield event_text("snapshot", message.text, event_id=message.version)
                case Message() as message:
                    yield event_text(message.kind, message.text)
                case "quiet":
                    pass
            if time.monotonic() >= beat_due_s:
                yield beat_text(settings)
                beat_due_s = time.monotonic() + settings.heartbeat_s


def live_routes(
    broadcast: Broadcast,
    settings: PageSettings,
    hub: Hub,
    beside: Callable[[], Iterable[tuple[str, Any]]],
) -> Blueprint:
    """``/events``, ``/api/snapshot`` and ``/health``; ``beside`` as in :func:`events`."""
    routes = Blueprint("live", __name__)

    @routes.get("/events")
    def stream_events() -> Response:
        if request.method == "HEAD":
            # Nothing would ever read, and so never close, a stream that has no body.
            return Response(mimetype="text/event-stream")
        gone = request.environ.get("upcard.gone", lambda: False)
        try:
            stream, first = broadcast.attach(
                request.args.get("viewer", "")[:64], acting=viewer() != WATCHING
            )
        except TooManyStreams as full:
            refused = refusal_said(503, "full", full.said)
            refused.headers["Retry-After"] = "15"
            return refused
        response = Response(
            events(stream, first, settings, newest=broadcast.newest, gone=gone, beside=beside),
            mimetype="text/event-stream",
        )
        # A viewer that hangs up before the first byte never starts the generator.
        response.call_on_close(stream.close)
        response.headers["Cache-Control"] = "no-store"
        response.headers["X-Accel-Buffering"] = "no"
        return response

    @routes.get("/api/snapshot")
    def snapshot() -> Response:
        message = broadcast.newest()
        response = Response(message.text, mimetype="application/json")
        response.headers["X-Now-Us"] = str(time.time_ns() // 1000)
        return response

    @routes.get("/health")
    def health() -> Response:
        told = dict(health_of(settings))
        told.setdefault("ok", True)
        told["table"] = settings.table_kind
        told["version"] = broadcast.newest().version
        told["viewers"] = hub.count()
        told["now_us"] = time.time_ns() // 1000
        return answer(200 if told["ok"] else 503, told)

    return routes
