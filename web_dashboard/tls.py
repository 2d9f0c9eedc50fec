"""HTTPS for the page: Cheroot's socket dressed in TLS, and the root certificate to hand out.

Cheroot's own adapter shakes hands on the one thread that accepts visitors, so that a visitor
who connects and says nothing holds up everybody else. Here the handshake waits for the first
bytes like any other request, on a thread of the pool and within its time.
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cheroot.ssl import Adapter
from flask import Blueprint, Response

from web_dashboard.answers import refusal
from web_dashboard.errors import BadCertificate


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """PEM files: the server's certificate (with its chain), its key, and the root to trust."""

    certificate: Path
    key: Path
    root: Path


class LateHandshake(Adapter):
    """Wraps accepted sockets; they shake hands when they are first read from."""

    def __init__(self, files: TlsFiles) -> None:
        super().__init__(str(files.certificate), str(files.key))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            self.context.load_cert_chain(files.certificate, files.key)
        except (OSError, ssl.SSLError) as error:
            raise BadCertificate(
                f"the certificate {files.certificate} cannot be used ({error}): delete its "
                "folder, and a new one is made at the next start; every device must then trust "
                "the new root"
            ) from error

    def bind(self, sock: socket.socket) -> socket.socket:
        return sock

    def wrap(self, sock: socket.socket) -> tuple[socket.socket, dict[str, Any]]:
        dressed = self.context.wrap_socket(
            sock, do_handshake_on_connect=False, server_side=True, suppress_ragged_eofs=True
        )
        return dressed, self.get_environ(dressed)

    def get_environ(self, sock: Any = None) -> dict[str, Any]:
        del sock
        return {"wsgi.url_scheme": "https", "HTTPS": "on"}

    def makefile(self, sock: Any, mode: str = "r", bufsize: int = -1) -> Any:
        """Not asked: the server makes its own readers, which bound the time of a request."""
        raise NotImplementedError


def certificate_routes(root: Path | None) -> Blueprint:
    """``/certificate``: the root that a device must trust once, where the kit made its own."""
    routes = Blueprint("certificate", __name__)

    @routes.get("/certificate")
    def certificate() -> Response:
        if root is None:
            return refusal(
                404, "unknown", "this page is served without a certificate of its own: --tls"
            )
        response = Response(root.read_bytes(), mimetype="application/x-x509-ca-cert")
        response.headers["Content-Disposition"] = 'attachment; filename="upcard-root.crt"'
        return response

    return routes
