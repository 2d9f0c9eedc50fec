"""The shuffler's own page; what it asks and tells goes through ``/api/shuffle`` (seats.py)."""

from __future__ import annotations

from flask import Blueprint, render_template

from web_dashboard.settings import PageSettings


def shuffle_routes(settings: PageSettings) -> Blueprint:
    """``/shuffle``."""
    routes = Blueprint("shuffle", __name__)

    @routes.get("/shuffle")
    def page() -> str:
        return render_template("shuffle.html", settings=settings)

    return routes
