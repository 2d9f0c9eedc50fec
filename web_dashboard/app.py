"""The page as a Flask application: :func:`create_app` puts the parts together."""

from __future__ import annotations

import re
from typing import Final

from flask import Flask, Response, render_template, request, send_from_directory
from werkzeug.exceptions import HTTPException

from engine.log import Log
from engine.wording import Sentence, english, say_json, worded
from web_dashboard.access import Access
from web_dashboard.answers import Absent, refusal, refusal_said, within_html
from web_dashboard.calibrate import calibrate_routes
from web_dashboard.clips import clip_routes
from web_dashboard.control import control_routes
from web_dashboard.delivery import pack_answers
from web_dashboard.faces import face_routes
from web_dashboard.files import serve_files
from web_dashboard.games import shelf_routes
from web_dashboard.guard import guard
from web_dashboard.hub import Hub
from web_dashboard.joined import join_files
from web_dashboard.joining import access_routes
from web_dashboard.keeper import keeper_routes
from web_dashboard.live import Broadcast, live_routes
from web_dashboard.look import look_routes
from web_dashboard.openapi import openapi_routes
from web_dashboard.ports import Table
from web_dashboard.replay import Shelf, replay_routes
from web_dashboard.seats import seat_routes, shuffle_events
from web_dashboard.settings import PageSettings
from web_dashboard.shuffle import shuffle_routes
from web_dashboard.statistics import statistics_routes
from web_dashboard.tls import certificate_routes

#: Evidence pictures are named by their hash and by nothing else.
_HASH: Final = re.compile(r"[0-9a-f]{8,64}")
#: Pictures named by their hash never change.
_FOR_EVER: Final = "private, max-age=31536000, immutable"


def _said_of(status: int) -> Sentence:
    """What an error is in words, where nothing nearer is known of it."""
    match status:
        case 404:
            return worded("nothing is at this address: go on from the table or the games")
        case 405:
            return worded("this address is there, but not for a request of this kind")
        case 413:
            return worded("what was sent is longer than anything this kit asks for")
        case 500:
            return worded("the kit met a fault of its own: its journal says which")
    return worded("the kit refuses this request ({status})", status=status)


def create_app(table: Table, log: Log, settings: PageSettings) -> Flask:
    """The live page over ``table``, the replay pages over ``log``.

    Starts one thread that turns changes into snapshots; end it and every stream with
    ``app.extensions["upcard"].close()``, which :func:`web_dashboard.server.serve` does.
    """
    app = Flask(__name__, static_folder=None)
    serve_files(app)
    app.config["MAX_CONTENT_LENGTH"] = settings.body_limit_bytes
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 0
    access = Access(settings.access_file)
    pack_answers(app)
    join_files(app)
    hub = Hub(
        stream_limit=settings.stream_limit,
        acting_limit=settings.acting_limit,
        queue_size=settings.queue_size,
    )
    broadcast = Broadcast(table, hub, stream_limit=settings.stream_limit + settings.acting_limit)
    app.extensions["upcard"] = broadcast
    guard(
        app,
        access,
        allowed_hosts=settings.allowed_hosts,
        trusted_proxies=settings.trusted_proxies,
    )
    app.register_blueprint(live_routes(broadcast, settings, hub, shuffle_events(settings)))
    app.register_blueprint(control_routes(table, access))
    app.register_blueprint(
        access_routes(access, settings, changed=lambda: broadcast.announce("access", {}))
    )
    app.register_blueprint(seat_routes(table, log, settings, broadcast))
    app.register_blueprint(look_routes(table, settings, broadcast))
    app.register_blueprint(clip_routes(settings))
    shelf = Shelf(log)
    app.register_blueprint(replay_routes(shelf, settings))
    app.register_blueprint(shelf_routes(table, log, settings, access, forget=shelf.forget))
    app.register_blueprint(calibrate_routes(settings))
    app.register_blueprint(face_routes())
    app.register_blueprint(keeper_routes(log))
    app.register_blueprint(statistics_routes(log, settings))
    app.register_blueprint(shuffle_routes(settings))
    app.register_blueprint(openapi_routes())
    app.register_blueprint(certificate_routes(settings.certificate_root))

    @app.get("/")
    def live_page() -> str:
        snapshot = within_html(broadcast.newest().text)
        return render_template("live.html", settings=settings, snapshot=snapshot)

    @app.get("/evidence/<name>.jpg")
    def evidence(name: str) -> Response:
        if settings.evidence_dir is None or not _HASH.fullmatch(name):
            return refusal(404, "unknown", "there is no such picture")
        picture = send_from_directory(settings.evidence_dir, f"{name}.jpg", mimetype="image/jpeg")
        picture.headers["Cache-Control"] = _FOR_EVER
        return picture

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response | tuple[str, int]:
        status = error.code or 500
        said = error.said if isinstance(error, Absent) else _said_of(status)
        if request.path.startswith(("/api/", "/events", "/evidence/", "/health")):
            return refusal_said(status, "unknown" if status == 404 else "http", said)
        return render_template("error.html", reason=english(said), say=say_json(said)), status

    return app
