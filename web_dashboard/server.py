"""Serving the page: Cheroot, one thread per event stream and some to spare.

The choice and its arithmetic are in ``docs/developer/server.md``. In short: a stream holds its
thread for as long as it is watched, so the streams are counted and refused before the threads
run out; what is not a stream always finds a thread.
"""

from __future__ import annotations

import errno
import logging
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from cheroot import wsgi
from cheroot.makefile import StreamReader, StreamWriter
from cheroot.server import HTTPConnection
from flask import Flask

from web_dashboard.errors import BadCertificate, PortTaken
from web_dashboard.tls import LateHandshake, TlsFiles

DEFAULT_PORT: Final = 8080
#: How many ports from the default on are tried before the system picks one.
PORTS_TRIED: Final = 20
#: Threads beside the streams: pages, pictures, taps, polls.
SPARE_THREADS: Final = 16
#: A request, headers and body, must have come within this many seconds of its first byte.
REQUEST_S: Final = 10.0
#: No request to the page is longer; what each route takes is less (``body_limit_bytes``).
_LONGEST_BODY: Final = 1 << 20
#: A viewer whose network vanished is given up after this many milliseconds without an answer;
#: the kernel alone would try for a quarter of an hour, and keep the thread.
_DEAD_PEER_MS: Final = 20_000
_BACKLOG: Final = 128

_log = logging.getLogger(__name__)


class _Gateway(wsgi.Gateway_10):
    """Tells the application whether the viewer of this request has hung up."""

    # Cheroot's own hints are those of the abstract gateway, which answers nothing.
    def get_environ(self) -> dict[str, Any]:  # type: ignore[override]
        environ: dict[str, Any] = super().get_environ()  # type: ignore[no-untyped-call]
        connection = self.req.conn.socket
        environ["upcard.gone"] = lambda: _hung_up(connection)
        return environ


def _hung_up(connection: socket.socket) -> bool:
    """Whether the other end closed: readable, and nothing there to read.

    Under TLS it says so first: whoever watches a stream has nothing else to send.
    """
    try:
        ready, _, _ = select.select([connection], [], [], 0)
        if not ready:
            return False
        if isinstance(connection, ssl.SSLSocket):
            return True
        return connection.recv(1, socket.MSG_PEEK) == b""
    except (OSError, ValueError):
        return True


class _Reader(StreamReader):
    """Reads requests, each within its time: headers and body together.

    Cheroot bounds the wait for the next byte only; a visitor who sends one byte every nine
    seconds would hold a thread for as long as it likes.
    """

    def __init__(self, connection: socket.socket, bufsize: int) -> None:
        # Past StreamReader's own constructor, which would put an untimed socket beneath.
        super(StreamReader, self).__init__(_Timed(connection), bufsize)
        self.bytes_read = 0


class _Timed(socket.SocketIO):
    """A socket's bytes until ``due_s`` (:func:`time.monotonic`); None: no request has begun."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection, "r")
        self._connection = connection
        self.due_s: float | None = None

    def readinto(self, buffer: Any) -> int | None:
        if self.due_s is None:
            return super().readinto(buffer)
        usual_s = self._connection.gettimeout()
        left_s = self.due_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._connection.settimeout(left_s if usual_s is None else min(left_s, usual_s))
        try:
            return super().readinto(buffer)
        finally:
            self._connection.settimeout(usual_s)


def _make_file(connection: socket.socket, mode: str = "r", bufsize: int = 8192) -> Any:
    if "r" in mode:
        return _Reader(connection, bufsize)
    return StreamWriter(connection, mode, bufsize)  # type: ignore[no-untyped-call]


class _Connection(HTTPConnection):
    """A connection whose every request must be complete :data:`REQUEST_S` after it began."""

    def __init__(self, server: Any, sock: socket.socket, makefile: Any = None) -> None:
        super().__init__(server, sock, _make_file)  # type: ignore[no-untyped-call]

    def communicate(self) -> bool:
        self.rfile.raw.due_s = time.monotonic() + REQUEST_S
        try:
            return bool(super().communicate())  # type: ignore[no-untyped-call]
        finally:
            self.rfile.raw.due_s = None


class _Server(wsgi.Server):
    """Cheroot on a socket that is bound already, so that no port is lost between two steps."""

    _connections: Any

    def __init__(
        self, bound: socket.socket, app: Flask, *, threads: int, tls: TlsFiles | None
    ) -> None:
        super().__init__(
            bound.getsockname()[:2],
            app,
            numthreads=threads,
            max=threads,
            request_queue_size=_BACKLOG,
            server_name="upcard",
        )
        self._bound = bound
        self.ssl_adapter = None if tls is None else LateHandshake(tls)
        self.gateway = _Gateway
        self.ConnectionClass = _Connection
        self.max_request_header_size = 32 * 1024
        self.max_request_body_size = _LONGEST_BODY
        self.keep_alive_conn_limit = 64
        self.shutdown_timeout = 3

    def bind(self, family: int, type: int, proto: int = 0) -> socket.socket:
        self.socket = self._bound
        return self._bound

    def process_conn(self, conn: Any) -> None:
        """Hand a connection to a thread once it has something to say.

        Cheroot gives a new one to a thread at once, and browsers open spare connections that
        say nothing: each would hold a thread until it timed out. So a new connection waits
        among the kept-alive ones, which cost no thread.
        """
        if conn.last_used is None:
            self._connections.put(conn)
        else:
            super().process_conn(conn)

    def error_log(self, msg: str = "", level: int = 20, traceback: bool = False) -> None:
        # A tablet that goes out of range in the middle of a picture is no error of ours.
        _log.log(level, "%s", msg, exc_info=traceback)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Small events must leave at once.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAD_PEER_MS)
        bound.bind((host, port))
        bound.listen(_BACKLOG)
    except BaseException:
        bound.close()
        raise
    return bound


def bind_port(host: str, port: int | None) -> socket.socket:
    """A listening socket: on ``port``, or for None on the next free one from 8080.

    Raises :class:`PortTaken` for a port that was named and belongs to another program (or
    may not be used by this one); port 0 is any free one.
    """
    if port is not None:
        try:
            return _bind(host, port)
        except OSError as error:
            raise PortTaken(error.errno, _why_not(host, port, error)) from error
    for tried in range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        try:
            return _bind(host, tried)
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise PortTaken(error.errno, _why_not(host, tried, error)) from error
    return _bind(host, 0)


def _why_not(host: str, port: int, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"port {port} is taken by another program: name another with --port, leave "
                "--port out for the next free one, or stop the other program"
            )
        case errno.EACCES | errno.EPERM:
            return f"port {port} may not be used by this user: name one from 1024 on with --port"
        case _:
            return (
                f"the page cannot listen on {host} port {port} ({error.strerror or error}): name "
                "an address of this machine with --host, or leave --host out for all of them"
            )


class PageServer:
    """A page that is bound to its port and waits to be run.

    ``port`` is the one it got. :meth:`run` serves until :meth:`close`; :meth:`start` does so on
    a thread of its own. Closing ends every event stream and gives the port back.
    """

    def __init__(
        self, app: Flask, bound: socket.socket, *, threads: int, tls: TlsFiles | None = None
    ) -> None:
        self.app = app
        self._server = _Server(bound, app, threads=threads, tls=tls)
        self.scheme = "http" if tls is None else "https"
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.threads = threads
        self.host: str = bound.getsockname()[0]
        self.port: int = bound.getsockname()[1]
        # Until this is done a visitor waits in the socket's queue instead of being refused.
        self._server.prepare()

    @property
    def url(self) -> str:
        """The page's address on this very machine."""
        return f"{self.scheme}://localhost:{self.port}/"

    def run(self) -> None:
        """Serve until :meth:`close` is called from another thread or a signal interrupts."""
        try:
            self._server.serve()
        finally:
            self.close()

    def start(self) -> None:
        """Serve on a thread."""
        self._thread = threading.Thread(target=self._server.serve, name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the streams, the threads and the port. Closing twice is closing once."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        broadcast = self.app.extensions.get("upcard")
        if broadcast is not None:
            broadcast.close()
        self._server.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def __enter__(self) -> PageServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_server(
    app: Flask,
    *,
    host: str = "0.0.0.0",
    port: int | None = None,
    streams: int | None = None,
    tls: TlsFiles | None = None,
) -> PageServer:
    """Bind ``app`` to ``port`` (None: the next free one from 8080) and make it ready to run.

    There is a thread for every stream the app's settings allow (``streams``, where that is
    given) and :data:`SPARE_THREADS` for everything else. ``tls``: serve HTTPS, and nothing
    else, with these files. Raises :class:`PortTaken`, :class:`BadCertificate`.
    """
    if streams is None:
        streams = app.extensions["upcard"].stream_limit
    bound = bind_port(host, port)
    try:
        return PageServer(app, bound, threads=streams + SPARE_THREADS, tls=tls)
    except BadCertificate:
        bound.close()
        raise


def serve(
    app: Flask,
    *,
    host: str = "0.0.0.0",
    port: int | None = None,
    streams: int | None = None,
    ready: Callable[[PageServer], None] = lambda _: None,
) -> None:
    """Serve until interrupted; ``ready`` is called with the server once its port is known."""
    with open_server(app, host=host, port=port, streams=streams) as server:
        ready(server)
        server.run()


def lan_address() -> str | None:
    """This machine's address in its own network; None where it has none."""
    # No packet is sent: connecting a datagram socket only asks for the way out.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def addresses(server: PageServer, hosts: Iterable[str] = ()) -> list[str]:
    """The addresses to type into a tablet: those of this machine's own network first."""
    found = list(hosts)
    if not found and server.host in ("0.0.0.0", "::"):
        ours = lan_address()
        found += [] if ours is None else [ours]
    return [f"{server.scheme}://{host}:{server.port}/" for host in found] or [server.url]
