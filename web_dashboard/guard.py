"""Who may ask: the page's own name, the page's own taps, and headers that keep it so.

The kit has no passwords on a home network, so two things must hold. A page of another site
must not send a tap (it cannot send JSON across origins without asking first, and its
``Origin`` is not ours), and a name of the outside world that someone points at the kit's
address must not be answered at all (DNS rebinding), since then the *browser* would take the
two for one origin.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request

from web_dashboard.answers import refusal

#: Endings that no public name can have.
_HOME_ENDINGS: Final = (".local", ".localhost", ".lan", ".home", ".home.arpa", ".internal")

#: No inline code, nothing from elsewhere, no frame around the page.
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}


def host_allowed(host: str, allowed: Iterable[str]) -> bool:
    """Whether ``host`` (a Host header, port and all) is a name the kit goes by."""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if not name:
        return False
    name = name.rstrip(".").lower()
    if name in {entry.lower() for entry in allowed}:
        return True
    try:
        ipaddress.ip_address(name.split("%")[0])
    except ValueError:
        return "." not in name or name.endswith(_HOME_ENDINGS)
    return True


def same_origin(origin: str | None, host: str) -> bool:
    """Whether a request with this ``Origin`` header comes from the page itself.

    Browsers always send one with a POST; a program that is no browser (``curl``) sends none
    and has no visitor's trust to misuse.
    """
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def guard(app: Flask, *, allowed_hosts: frozenset[str]) -> None:
    """Refuse strangers before every request and put :data:`HEADERS` on every answer."""

    @app.before_request
    def refuse_strangers() -> Response | None:
        if not host_allowed(request.host, allowed_hosts):
            return refusal(
                421,
                "host",
                f"this kit does not go by the name {request.host!r}: use its address, or add "
                "the name to the page's allowed hosts",
            )
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return None
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return refusal(403, "origin", "a tap must come from the kit's own page")
        if not same_origin(request.headers.get("Origin"), request.host):
            return refusal(403, "origin", "a tap must come from the kit's own page")
        if request.mimetype != "application/json":
            return refusal(415, "malformed", "send JSON with Content-Type: application/json")
        return None

    @app.after_request
    def close_the_doors(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static" and "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
        return response
