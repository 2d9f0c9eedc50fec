"""Who may ask: the page's own name, the page's own taps, and headers that keep it so.

Anyone on the network may look. What changes something takes a session, opened with a code
(:mod:`web_dashboard.access`) and carried in a signed cookie that scripts cannot read, and with
it a token in the header ``X-Upcard-Token`` that only the kit's own pages can ask for. Beneath
that two things hold as before: a page of another site cannot send a tap (it cannot send JSON
across origins without asking first, and its ``Origin`` is not ours), and a name of the outside
world that someone points at the kit's address is not answered at all (DNS rebinding), since
then the *browser* would take the two for one origin.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Flask, Response, g, request, session
from flask.sessions import SecureCookieSessionInterface
from werkzeug.middleware.proxy_fix import ProxyFix

from web_dashboard.access import (
    HOLDERS,
    OPEN_PATHS,
    SEAT_PATHS,
    WATCHING,
    Access,
    Viewer,
    viewer_of,
)
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


# --- sessions ----------------------------------------------------------------------------------

#: A tablet that hangs on a wall is not asked for its code again every week.
_SESSION_DAYS: Final = 180
TOKEN_HEADER: Final = "X-Upcard-Token"


class _Cookies(SecureCookieSessionInterface):
    """Flask's signed cookie, under this kit's own name, ``Secure`` where the page came by TLS."""

    def get_cookie_name(self, app: Flask) -> str:
        return app.extensions["upcard-access"].cookie_name  # type: ignore[no-any-return]

    def get_cookie_secure(self, app: Flask) -> bool:
        return request.is_secure


def session_for(access: Access, viewer: Viewer) -> dict[str, Any]:
    """What the cookie of a new session holds: whose it is, and the mark of the code it took."""
    return {
        "who": viewer.holder,
        "mark": access.mark(viewer),
        "id": secrets.token_hex(16),
    }


def open_session(access: Access, viewer: Viewer) -> str:
    """Begin a session with this answer; the token its pages must send with every tap."""
    session.clear()
    session.update(session_for(access, viewer))
    session.permanent = True
    g.upcard_viewer = viewer
    return access.token(session["id"])


def close_session() -> None:
    """Go back to watching."""
    session.clear()
    g.upcard_viewer = WATCHING


def viewer() -> Viewer:
    """Who asks, as the cookie says; a cookie of a code that was changed says nothing."""
    known: Viewer | None = g.get("upcard_viewer")
    if known is None:
        known = g.upcard_viewer = _viewer_of_cookie()
    return known


def _viewer_of_cookie() -> Viewer:
    from flask import current_app

    access: Access = current_app.extensions["upcard-access"]
    who, mark = session.get("who"), session.get("mark")
    if who not in HOLDERS or not isinstance(mark, str) or not isinstance(session.get("id"), str):
        return WATCHING
    named = viewer_of(who)
    return named if hmac.compare_digest(mark.encode(), access.mark(named).encode()) else WATCHING


def token(access: Access) -> str:
    """The token of the present session; empty for one who watches."""
    return "" if viewer() == WATCHING else access.token(session["id"])


def _may_change(access: Access) -> Response | None:
    """What is wrong with a request that would change something."""
    if request.path in OPEN_PATHS:
        return None
    asking = viewer()
    if asking == WATCHING:
        return refusal(
            401, "watching", "this page only watches: enter a seat's or the table's code first"
        )
    given = request.headers.get(TOKEN_HEADER, "")
    if not hmac.compare_digest(given.encode(), token(access).encode()):
        return refusal(
            403, "token", "the tap does not come from a page of this session: load the page again"
        )
    if request.path not in SEAT_PATHS and not asking.at_least("table"):
        return refusal(403, "role", "the table's or the director's code is needed for that")
    return None


class _BehindProxies:
    """Believes what a trusted proxy says of the visitor, and nobody else."""

    def __init__(self, app: Any, trusted: frozenset[str]) -> None:
        self._plain = app
        self._fixed = ProxyFix(app, x_for=1, x_proto=1, x_host=1)
        self._trusted = trusted

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        by_proxy = environ.get("REMOTE_ADDR", "") in self._trusted
        return (self._fixed if by_proxy else self._plain)(environ, start_response)


# --- the guard ---------------------------------------------------------------------------------


def guard(
    app: Flask,
    access: Access,
    *,
    allowed_hosts: frozenset[str],
    trusted_proxies: frozenset[str] = frozenset(),
) -> None:
    """Refuse strangers before every request and put :data:`HEADERS` on every answer."""
    app.extensions["upcard-access"] = access
    app.secret_key = access.secret
    app.session_interface = _Cookies()
    app.config.update(
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=timedelta(days=_SESSION_DAYS),
    )
    if trusted_proxies:
        app.wsgi_app = _BehindProxies(app.wsgi_app, trusted_proxies)  # type: ignore[method-assign]

    @app.before_request
    def refuse_strangers() -> Response | None:
        if not host_allowed(request.host, allowed_hosts):
            return refusal(
                421,
                "host",
                "this kit does not go by the name {value}: use its address, or add the name to "
                "page_names in the kit's settings",
                value=repr(request.host),
            )
        if request.method in ("GET", "HEAD", "OPTIONS") or request.url_rule is None:
            return None
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return refusal(403, "origin", "a tap must come from the kit's own page")
        if not same_origin(request.headers.get("Origin"), request.host):
            return refusal(403, "origin", "a tap must come from the kit's own page")
        if request.mimetype != "application/json":
            return refusal(415, "malformed", "send JSON with Content-Type: application/json")
        return _may_change(access)

    @app.after_request
    def close_the_doors(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if request.endpoint != "static" and "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
        return response
