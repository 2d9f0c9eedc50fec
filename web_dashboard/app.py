"""The page as a Flask application: :func:`create_app` puts the parts together."""

from __future__ import annotations

import re
from typing import Final

from flask import Flask, Response, render_template, request, send_from_directory
from werkzeug.exceptions import HTTPException

from engine.log import Log
from web_dashboard.answers import refusal
from web_dashboard.control import control_routes
from web_dashboard.guard import guard
from web_dashboard.hub import Hub
from web_dashboard.live import Broadcast, live_routes
from web_dashboard.ports import Table
from web_dashboard.replay import replay_routes
from web_dashboard.settings import PageSettings

#: Evidence pictures are named by their hash and by nothing else.
_HASH: Final = re.compile(r"[0-9a-f]{8,64}")
#: Pictures named by their hash never change.
_FOR_EVER: Final = "private, max-age=31536000, immutable"


def create_app(table: Table, log: Log, settings: PageSettings) -> Flask:
    """The live page over ``table``, the replay pages over ``log``.

    Starts one thread that turns changes into snapshots; end it and every stream with
    ``app.extensions["upcard"].close()``, which :func:`web_dashboard.server.serve` does.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = settings.body_limit_bytes
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = 0
    hub = Hub(stream_limit=settings.stream_limit, queue_size=settings.queue_size)
    broadcast = Broadcast(table, hub)
    app.extensions["upcard"] = broadcast
    guard(app, allowed_hosts=settings.allowed_hosts)
    app.register_blueprint(live_routes(broadcast, settings, hub))
    app.register_blueprint(control_routes(table))
    app.register_blueprint(replay_routes(log, settings))

    @app.get("/")
    def live_page() -> str:
        return render_template("live.html", settings=settings)

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
        reason = error.description or error.name
        if request.path.startswith(("/api/", "/events", "/evidence/", "/health")):
            return refusal(status, "unknown" if status == 404 else "http", reason)
        return render_template("error.html", settings=settings, reason=reason), status

    return app
