"""The way in: a code becomes a session, and the codes are shown to those who may hand them out.

A join link carries its code after the ``#``, which browsers send to nobody: not in the request,
not in a log, not as a referrer. The page behind it posts the code once and wipes it from the
address bar.
"""

from __future__ import annotations

import io
import logging
import math
import time
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, render_template, request

from web_dashboard.access import (
    HOLDERS,
    SEATS,
    WATCHING,
    Access,
    Tries,
    Viewer,
    in_groups,
)
from web_dashboard.answers import answer, refusal
from web_dashboard.bodies import json_body
from web_dashboard.errors import BadAccessFile
from web_dashboard.guard import close_session, open_session, token, viewer
from web_dashboard.server import lan_address
from web_dashboard.settings import PageSettings

_log = logging.getLogger(__name__)

#: A code is eight digits, its spaces and a little more.
_LONGEST_CODE: Final = 40


def page_of(who: Viewer) -> str:
    """The page that somebody with this role wants first."""
    match who.role:
        case "seat":
            return f"/seat/{who.seat}"
        case "director":
            return "/director"
        case _:
            return "/"


def join_link(base_url: str, code: str) -> str:
    """``http://192.168.1.20:8080/`` and a code as the link to open or to scan."""
    return f"{base_url.rstrip('/')}/join#{code}"


def access_routes(
    access: Access,
    settings: PageSettings,
    *,
    changed: Callable[[], None],
    clock_s: Callable[[], float] = time.monotonic,
) -> Blueprint:
    """``/join``, ``/api/me``, ``/api/join``, ``/api/leave``, ``/api/codes`` and their QR codes.

    ``changed`` is called when sessions may have ended, so that open pages ask again who they
    are. ``clock_s``: seconds that only grow, for the waits after wrong codes.
    """
    routes = Blueprint("access", __name__)
    tries = Tries(clock_s)

    @routes.get("/join")
    def join_page() -> str:
        return render_template("join.html", settings=settings)

    @routes.get("/api/me")
    def me() -> Response:
        return answer(200, _me(access))

    @routes.post("/api/join")
    def join() -> Response:
        body = _body()
        if isinstance(body, Response):
            return body
        code = body.get("code")
        if not isinstance(code, str) or not 0 < len(code) <= _LONGEST_CODE:
            return refusal(400, "malformed", 'send {"code": "123 456"}: the digits of a code')
        found = tries.attempt(request.remote_addr or "", lambda: access.find(code))
        match found:
            case None:
                return refusal(
                    403, "wrong", "that is no code of this table: look at the board's menu for one"
                )
            case Viewer():
                open_session(access, found)
                return answer(200, {"accepted": True, "go": page_of(found), **_me(access)})
            case wait_s:
                seconds = math.ceil(wait_s)
                refused = refusal(
                    429,
                    "wait",
                    "too many wrong codes: wait {count} s, then try again",
                    count=seconds,
                )
                refused.headers["Retry-After"] = str(seconds)
                return refused

    @routes.post("/api/leave")
    def leave() -> Response:
        close_session()
        return answer(200, {"accepted": True, **_me(access)})

    @routes.get("/api/codes")
    def codes() -> Response:
        shown = _holders_shown(viewer())
        if not shown:
            return refusal(403, "role", "the table's or the director's page shows the codes")
        base = base_url()
        return answer(
            200,
            {
                "join": f"{base}join",
                "home": access.home,
                "codes": [
                    {
                        "who": holder,
                        "seat": int(holder[5:]) if holder.startswith("seat:") else None,
                        "code": in_groups(access.code(holder)),
                        "qr": f"/api/codes/{holder.replace(':', '-')}.svg",
                    }
                    for holder in shown
                ],
            },
        )

    @routes.get("/api/codes/<name>.svg")
    def code_picture(name: str) -> Response:
        holder = name.replace("-", ":")
        if holder not in _holders_shown(viewer()):
            return refusal(403, "role", "the table's or the director's page shows the codes")
        return Response(
            qr_svg(join_link(base_url(), access.code(holder))), mimetype="image/svg+xml"
        )

    @routes.post("/api/codes")
    def change_codes() -> Response:
        body = _body()
        if isinstance(body, Response):
            return body
        asking = viewer()
        if not asking.at_least("director"):
            return refusal(403, "role", "the codes are the director's to change")
        change, home = body.get("change"), body.get("home")
        if home is not None and not isinstance(home, bool):
            return refusal(400, "malformed", "home {value}: send true or false", value=repr(home))
        if change is not None and change not in (*HOLDERS, "all"):
            return refusal(
                400,
                "malformed",
                "change {value}: send one of {words} or all",
                value=repr(change),
                words=", ".join(HOLDERS),
            )
        if change is None and home is None:
            return refusal(400, "malformed", 'send {"change": "seat:2" | ... | "all"} or {"home"}')
        try:
            if home is not None:
                access.rule_at_home(home)
            if change is not None:
                access.change(None if change == "all" else change)
        except BadAccessFile as error:
            _log.exception("the codes could not be changed")
            return refusal(507, "log", "nothing was changed: {words}", words=str(error))
        # Who changes the codes goes on directing; everybody else with an old one watches.
        open_session(access, asking)
        changed()
        return answer(200, {"accepted": True, **_me(access)})

    def base_url() -> str:
        """Where a phone finds this kit: as this page was found, but for a page on the kit."""
        if urlsplit(request.host_url).hostname in ("localhost", "127.0.0.1", "::1"):
            found = lan_address()
            port = urlsplit(request.host_url).port
            if found is not None:
                return f"{request.scheme}://{found}{f':{port}' if port else ''}/"
        return request.host_url

    return routes


def _me(access: Access) -> dict[str, Any]:
    asking = viewer()
    return {
        "role": asking.role,
        "seat": asking.seat,
        "token": token(access),
        "home": access.home,
        "page": None if asking == WATCHING else page_of(asking),
    }


def _body() -> dict[str, Any] | Response:
    body = json_body()
    if isinstance(body, Response):
        return body
    if not isinstance(body, dict):
        return refusal(400, "malformed", "send a JSON object")
    return body


def _holders_shown(asking: Viewer) -> tuple[str, ...]:
    """Whose codes this viewer may hand out."""
    match asking.role:
        case "director":
            return HOLDERS
        case "table":
            return (*(f"seat:{n}" for n in range(SEATS)), "table")
        case _:
            return ()


def qr_svg(text: str) -> bytes:
    """``text`` as a QR code: an SVG, dark on white with the quiet zone scanners want."""
    held = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        held, kind="svg", scale=8, border=4, dark="#000", light="#fff", xmldecl=False
    )
    return held.getvalue()


def qr_text(text: str) -> str:
    """``text`` as a QR code for a terminal, two modules a character high."""
    held = io.StringIO()
    segno.make(text, error="l", micro=False).terminal(out=held, compact=True, border=2)
    return held.getvalue()
