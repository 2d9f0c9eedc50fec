"""The page's own files as they were when the kit started.

An update puts new files in place while the old program still runs. Scripts of the new version
would ask the old program for what it does not know, so everything under ``static`` and
``templates`` is read once, like the program itself, and served from there until the next start.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from flask import Flask, Response, abort, request
from jinja2 import DictLoader

#: Without links: a module that names another by ``../`` is looked up by its true path.
_HOME: Final = Path(__file__).resolve().parent
STATIC: Final = _HOME / "static"
TEMPLATES: Final = _HOME / "templates"


@cache
def kept_files() -> Mapping[Path, bytes]:
    """Every file of the page by its path, read at the first call."""
    return MappingProxyType(
        {
            file: file.read_bytes()
            for folder in (STATIC, TEMPLATES)
            for file in sorted(folder.rglob("*"))
            if file.is_file()
        }
    )


def page_bytes(file: Path) -> bytes:
    """A file of the page. Raises FileNotFoundError where there was none at the start."""
    try:
        return kept_files()[file]
    except KeyError:
        raise FileNotFoundError(f"the page has no file {file.name}: install Upcard anew") from None


def page_text(file: Path) -> str:
    """:func:`page_bytes` as text."""
    return page_bytes(file).decode("utf-8")


def serve_files(app: Flask) -> None:
    """Let ``app`` show its templates and answer ``/static/`` from what was read at the start."""
    kept = kept_files()
    app.jinja_loader = DictLoader(
        {
            file.relative_to(TEMPLATES).as_posix(): data.decode("utf-8")
            for file, data in kept.items()
            if file.is_relative_to(TEMPLATES)
        }
    )
    served = {
        file.relative_to(STATIC).as_posix(): (data, hashlib.sha256(data).hexdigest()[:32])
        for file, data in kept.items()
        if file.is_relative_to(STATIC)
    }

    @app.get("/static/<path:filename>", endpoint="static")
    def static(filename: str) -> Response:
        if filename not in served:
            abort(404)
        data, mark = served[filename]
        kind = mimetypes.guess_type(filename)[0] or "application/octet-stream"
        response = Response(data, mimetype=kind)
        response.set_etag(mark)
        # The name says nothing of the version: it is asked for again, and mostly not sent.
        response.headers["Cache-Control"] = "no-cache"
        return response.make_conditional(request)
