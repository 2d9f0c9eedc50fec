"""The live page: draws snapshots, sends taps as commands, and knows no rule of the game."""

from __future__ import annotations

from web_dashboard.app import create_app
from web_dashboard.errors import PortTaken, TooManyStreams, WebError
from web_dashboard.server import PageServer, open_server, serve
from web_dashboard.settings import PageSettings

__all__ = [
    "PageServer",
    "PageSettings",
    "PortTaken",
    "TooManyStreams",
    "WebError",
    "create_app",
    "open_server",
    "serve",
]
