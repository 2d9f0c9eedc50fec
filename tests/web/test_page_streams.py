"""Event streams over a real socket: at once, in order, and never in the page's way."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any
from urllib.error import HTTPError

import pytest

from engine.table import Table
from web_dashboard import PortTaken, server
from web_dashboard.hub import Hub, Message
from web_dashboard.live import events
from web_dashboard.settings import PageSettings

Event = tuple[str, int | None, Any]


class Viewer:
    """Reads one event stream as a browser would."""

    def __init__(self, port: int, *, viewer: str = "", last: str | None = None) -> None:
        request = urllib.request.Request(f"http://127.0.0.1:{port}/events?viewer={viewer}")
        if last is not None:
            request.add_header("Last-Event-ID", last)
        self.answer = urllib.request.urlopen(request, timeout=10)

    def events(self) -> Iterator[Event]:
        kind, event_id, data = "message", None, ""
        for raw in self.answer:
            line = raw.decode().rstrip("\n")
            name, _, value = line.partition(": ")
            if line == "" and data:
                yield kind, event_id, json.loads(data)
                kind, event_id, data = "message", None, ""
            elif name == "event":
                kind = value
            elif name == "id":
                event_id = int(value)
            elif name == "data":
                data = value

    def close(self) -> None:
        self.answer.close()


def get(port: int, path: str, timeout_s: float = 3.0) -> bytes:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=timeout_s) as answer:
        return bytes(answer.read())


def viewers(port: int) -> int:
    return int(json.loads(get(port, "/health"))["viewers"])


def wait_until(true: Any, timeout_s: float) -> bool:
    deadline_s = time.monotonic() + timeout_s
    while time.monotonic() < deadline_s:
        if true():
            return True
        time.sleep(0.05)
    return False


def test_the_whole_state_comes_at_once_and_then_every_change(
    serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    page = serve_page(table)
    began = time.monotonic()
    viewer = Viewer(page.port)
    told = (e for e in viewer.events() if e[0] == "snapshot")
    kind, event_id, snapshot = next(told)
    assert time.monotonic() - began < 3.0
    assert (kind, event_id, snapshot) == ("snapshot", table.version, table.snapshot())
    hands.turn_up()
    assert next(told) == ("snapshot", table.version, table.snapshot())
    viewer.close()


def test_a_browser_that_comes_back_gets_the_whole_state(
    serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    page = serve_page(table)
    viewer = Viewer(page.port, last="1")
    assert next(viewer.events()) == ("snapshot", table.version, table.snapshot())
    viewer.close()


def test_a_silent_table_still_beats_with_its_health(serve_page: Any, table: Table) -> None:
    page = serve_page(table, heartbeat_s=0.2, health=lambda: {"ok": True, "fps": 9.5})
    viewer = Viewer(page.port)
    beats = (e for e in viewer.events() if e[0] == "beat")
    began = time.monotonic()
    told = [next(beats) for _ in range(4)]
    assert 0.5 < time.monotonic() - began < 3.0
    assert told[-1][2]["health"]["fps"] == 9.5
    assert abs(told[-1][2]["now_us"] / 1e6 - time.time()) < 5
    viewer.close()


def test_a_slow_viewer_is_sent_the_newest_state_instead_of_all_it_missed() -> None:
    hub = Hub(stream_limit=1, queue_size=2)
    newest = Message(version=50, text='{"version":50}')
    first = Message(version=0, text='{"version":0}')
    stream = hub.open()
    sent = events(stream, first, PageSettings(), newest=lambda: newest, gone=lambda: False)
    opening = b"".join(next(sent) for _ in range(3))
    assert opening.startswith(b": hi\n")
    assert b'data: {"version":0}' in opening
    for version in range(1, 51):
        hub.publish(Message(version=version, text=f'{{"version":{version}}}'))
    assert next(sent) == b'id: 50\nevent: snapshot\ndata: {"version":50}\n\n'
    assert isinstance(sent, Generator)
    sent.close()
    assert hub.count() == 0


def test_the_page_answers_while_every_stream_is_taken_and_after_all_have_gone(
    serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    page = serve_page(table, stream_limit=12)
    for _ in range(3):
        watching = [Viewer(page.port, viewer=f"v{i}") for i in range(12)]
        streams = [viewer.events() for viewer in watching]
        assert {next(s)[1] for s in streams} == {table.version}
        with pytest.raises(HTTPError) as full:
            Viewer(page.port, viewer="late")
        assert full.value.code == 503
        assert full.value.headers["Retry-After"]
        assert "12 pages are watching already" in json.loads(full.value.read())["reason"]
        assert b"Upcard" in get(page.port, "/")
        assert json.loads(get(page.port, "/api/snapshot"))["version"] == table.version
        for viewer in watching:
            viewer.close()
        assert wait_until(lambda: viewers(page.port) == 0, 6.0)


def test_connections_that_say_nothing_do_not_stop_the_page(serve_page: Any, table: Table) -> None:
    page = serve_page(table, stream_limit=4)
    mute = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(60)]
    began = time.monotonic()
    assert b"Upcard" in get(page.port, "/", timeout_s=8.0)
    # A silent connection that held a thread would hold it for ten seconds.
    assert time.monotonic() - began < 5.0
    for connection in mute:
        connection.close()


def test_a_viewer_that_reads_nothing_holds_nobody_up(
    serve_page: Any, table: Table, hands: Any
) -> None:
    hands.start()
    hands.turn_up()
    page = serve_page(table, stream_limit=4)
    with closing(socket.create_connection(("127.0.0.1", page.port))) as asleep:
        asleep.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        asleep.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert wait_until(lambda: viewers(page.port) == 1, 3.0)
        awake = Viewer(page.port)
        told = (e for e in awake.events() if e[0] == "snapshot")
        next(told)
        began = time.monotonic()
        for seat, card in ((1, "Ah"), (2, "9h"), (3, "Th"), (0, "Kh")):
            version = hands.play(seat, card)
            while next(told)[1] != version:
                pass
        assert time.monotonic() - began < 8.0
        awake.close()


def test_closing_the_page_says_goodbye_and_gives_the_port_back(
    serve_page: Any, table: Table
) -> None:
    page = serve_page(table)
    viewer = Viewer(page.port)
    told = viewer.events()
    next(told)
    began = time.monotonic()
    page.close()
    assert "bye" in [kind for kind, _, _ in told]
    assert time.monotonic() - began < 5.0
    again = serve_page(table, port=page.port)
    assert again.port == page.port
    assert b"Upcard" in get(again.port, "/")


def test_the_page_outlives_a_snapshot_that_cannot_be_built(
    serve_page: Any, table: Table, hands: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands.start()
    page = serve_page(table)
    viewer = Viewer(page.port)
    told = (e for e in viewer.events() if e[0] == "snapshot")
    next(told)
    good = table.snapshot

    def broken(audience: str = "public") -> dict[str, Any]:
        raise RuntimeError("a bug in a view")

    monkeypatch.setattr(table, "snapshot", broken)
    hands.turn_up()
    time.sleep(0.2)
    monkeypatch.setattr(table, "snapshot", good)
    version = hands.play(1, "Ah")
    while next(told)[1] != version:
        pass
    viewer.close()


# --- ports -------------------------------------------------------------------------------


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_named_port_that_is_taken_is_an_error_naming_port_and_cure() -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} is taken.*--port") as taken:
            server.bind_port("127.0.0.1", port)
    assert isinstance(taken.value, OSError)


def test_without_a_named_port_the_next_free_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        monkeypatch.setattr(server, "DEFAULT_PORT", taken)
        with closing(server.bind_port("127.0.0.1", None)) as bound:
            assert taken < bound.getsockname()[1] <= taken + server.PORTS_TRIED


def test_two_kits_on_one_machine_get_two_ports(
    serve_page: Any, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DEFAULT_PORT", free_port())
    first, second = serve_page(table, port=None), serve_page(table, port=None)
    assert first.port != second.port
    assert b"Upcard" in get(first.port, "/")
    assert b"Upcard" in get(second.port, "/")
