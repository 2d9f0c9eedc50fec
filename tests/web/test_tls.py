"""The page over HTTPS: served with the kit's own certificate, and by nobody held up."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.log import Log
from engine.table import Table
from pi.certificate import certificate_in
from web_dashboard import PageServer, PageSettings, create_app, open_server
from web_dashboard.errors import BadCertificate
from web_dashboard.tls import TlsFiles

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is absent")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TlsFiles:
    return certificate_in(tmp_path_factory.mktemp("tls"), address=None, host="euchre")


@pytest.fixture
def server(table: Table, log: Log, settings: PageSettings, files: TlsFiles) -> Iterator[PageServer]:
    app = create_app(table, log, replace(settings, certificate_root=files.root))
    with open_server(app, host="127.0.0.1", port=0, tls=files) as server:
        server.start()
        yield server


@pytest.fixture
def trusting(files: TlsFiles) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=files.root)


def test_a_device_that_trusts_the_root_reads_the_page(
    server: PageServer, trusting: ssl.SSLContext
) -> None:
    assert server.url.startswith("https://localhost:")
    with urllib.request.urlopen(server.url + "api/snapshot", context=trusting, timeout=10) as told:
        assert "version" in json.load(told)


def test_a_device_that_does_not_trust_it_refuses(server: PageServer) -> None:
    with pytest.raises(urllib.error.URLError, match="certificate verify failed"):
        urllib.request.urlopen(server.url, timeout=10)


def test_the_root_can_be_fetched_and_is_the_one_that_signed(
    server: PageServer, trusting: ssl.SSLContext, files: TlsFiles
) -> None:
    with urllib.request.urlopen(server.url + "certificate", context=trusting, timeout=10) as told:
        assert told.headers["Content-Type"].startswith("application/x-x509-ca-cert")
        assert told.read() == files.root.read_bytes()


def test_over_plain_http_there_is_no_certificate(watcher: Any) -> None:
    assert watcher.get("/certificate").status_code == 404


def test_the_session_cookie_goes_over_https_only(
    server: PageServer, trusting: ssl.SSLContext
) -> None:
    code = server.app.extensions["upcard-access"].code("table")
    request = urllib.request.Request(
        server.url + "api/join",
        data=json.dumps({"code": code}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, context=trusting, timeout=10) as told:
        cookie = told.headers["Set-Cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie


def test_an_event_stream_runs_over_https_and_ends_with_its_viewer(
    server: PageServer, trusting: ssl.SSLContext
) -> None:
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as bare,
        trusting.wrap_socket(bare, server_hostname="localhost") as connection,
    ):
        connection.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        told = b""
        while b"event: beat" not in told:
            told += connection.recv(4096)
        assert b"event: snapshot" in told
        hub = server.app.extensions["upcard"]._hub
        assert hub.count() == 1
    until_s = time.monotonic() + 10
    while hub.count() and time.monotonic() < until_s:
        threading.Event().wait(0.05)
    assert hub.count() == 0


def test_visitors_who_connect_and_say_nothing_hold_nobody_up(
    server: PageServer, trusting: ssl.SSLContext
) -> None:
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(80)]
    try:
        with urllib.request.urlopen(server.url + "health", context=trusting, timeout=5) as told:
            assert told.status in (200, 503)
    finally:
        for connection in silent:
            connection.close()


def test_somebody_who_speaks_plain_http_is_turned_away(server: PageServer) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            told = connection.recv(4096)
        except ConnectionResetError:
            told = b""
        assert b"200 OK" not in told


def test_a_broken_certificate_is_named_with_its_cure(
    table: Table, log: Log, settings: PageSettings, files: TlsFiles, tmp_path: Path
) -> None:
    broken = tmp_path / "server.pem"
    broken.write_text("no certificate")
    app = create_app(table, log, settings)
    with pytest.raises(BadCertificate, match="delete its folder"):
        open_server(
            app,
            host="127.0.0.1",
            port=0,
            tls=TlsFiles(certificate=broken, key=files.key, root=files.root),
        )
    app.extensions["upcard"].close()
