"""How the page gets to a browser fast: packed small (and joined: :mod:`web_dashboard.joined`).

Text is packed with gzip where the browser takes it. JSON answers are not: some hold a session's
token, and packing a secret together with what somebody else chose tells on the secret (BREACH).
"""

from __future__ import annotations

import gzip
from collections import OrderedDict
from threading import Lock
from typing import Final

from flask import Flask, Response, request

_PACKED: Final = frozenset(
    {
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "image/svg+xml",
        "application/manifest+json",
    }
)
#: The endpoints that answer with files.
_FILES: Final = frozenset({"static", "joined.joined"})
#: Below this a packet is a packet.
_WORTH_PACKING_BYTES: Final = 1000
_KEPT: Final = 200


class _Packed:
    """What was packed before, by its ETag: static files are packed once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def pack(self, key: tuple[str, str] | None, plain: bytes) -> bytes:
        if key is None:
            return gzip.compress(plain, compresslevel=6, mtime=0)
        with self._lock:
            known = self._kept.get(key)
        if known is not None:
            return known
        packed = gzip.compress(plain, compresslevel=9, mtime=0)
        with self._lock:
            self._kept[key] = packed
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return packed


def pack_answers(app: Flask) -> None:
    """Pack the texts that ``app`` answers with."""
    packed = _Packed()

    @app.after_request
    def pack(response: Response) -> Response:
        is_words = request.endpoint == "static" and response.mimetype == "application/json"
        if (
            response.status_code != 200
            or (response.mimetype not in _PACKED and not is_words)
            or "Content-Encoding" in response.headers
            or request.method == "HEAD"
        ):
            return response
        response.headers.add("Vary", "Accept-Encoding")
        if "gzip" not in request.accept_encodings:
            return response
        response.direct_passthrough = False
        plain = response.get_data()
        if len(plain) < _WORTH_PACKING_BYTES:
            return response
        etag, _ = response.get_etag()
        key = (request.path, etag) if etag and request.endpoint in _FILES else None
        response.set_data(packed.pack(key, plain))
        response.headers["Content-Encoding"] = "gzip"
        if etag:
            # The same thing in other bytes: what is compared must not be the bytes.
            response.set_etag(etag, weak=True)
        return response
