"""Where other programs of this computer ask the running kit for a shuffle: a socket.

It lies beside the log, so whoever may open the log's folder may ask. One line of JSON in, one
out: ``{"do": "start", "seat": 2}`` is answered by ``{"refused": null, "state": {...}}``. ``do`` is
``state``, ``start``, ``by_hand``, ``want``, or one of ``stop``, ``stacked``, ``pass_done``,
``cleared``; ``seat`` may be left out where only one may start.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from engine.wording import Sentence, english
from pi.errors import KitError
from pi.shuffling.passes import WORDS
from web_dashboard.ports import Shuffling

_LOG = logging.getLogger(__name__)

SOCKET_NAME: Final = "shuffler.sock"
#: The longest request; a line beyond that is no question of ours.
_LONGEST: Final = 4096
_PATIENCE_S: Final = 2.0


class NoKit(KitError, ConnectionError):
    """No running kit answers beside that log."""


class Counter:
    """Answers at ``path`` until it is closed. One thread, one question at a time."""

    def __init__(self, path: Path, shuffling: Shuffling) -> None:
        self._path = path
        self._shuffling = shuffling
        self._closed = threading.Event()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # Only one kit has the log, so what lies there is left from one that was killed.
            path.unlink(missing_ok=True)
            self._socket.bind(os.fspath(path))
            self._socket.listen(4)
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(0.5)
        self._thread = threading.Thread(target=self._serve, name="shuffler counter", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                asker, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            with asker:
                try:
                    asker.settimeout(_PATIENCE_S)
                    asker.sendall(_line(answered(_read(asker), self._shuffling)))
                except (OSError, ValueError) as error:
                    _LOG.info("a question to the shuffler was lost: %s", error)

    def close(self) -> None:
        """Answer nobody any more, and take the socket away."""
        self._closed.set()
        self._socket.close()
        self._thread.join(timeout=_PATIENCE_S)
        self._path.unlink(missing_ok=True)


def answered(asked: Any, shuffling: Shuffling) -> Mapping[str, Any]:
    """What the kit says to one request; never raises on what was asked."""
    refused = _carried_out(asked, shuffling)
    return {"refused": refused, "state": dict(shuffling.state())}


def _carried_out(asked: Any, shuffling: Shuffling) -> str | None:
    if not isinstance(asked, dict):
        return "That is no request: send an object with do."
    # Whatever was sent: the shuffler's front says what will not do.
    what: Any = asked.get("do")
    passes: Any = asked.get("passes")
    state = shuffling.state()
    seat = asked.get("seat")
    if seat is None and state["may_start"]:
        seat = state["may_start"][0]
    match what:
        case "state":
            return None
        case "want":
            return _text(shuffling.want(passes))
        case "start":
            return state["refused"] if seat is None else _text(shuffling.start(seat))
        case "by_hand":
            return state["refused"] if seat is None else _text(shuffling.by_hand(seat, passes))
        case str() if what in WORDS:
            return _text(shuffling.override(what))
        case _:
            known = ", ".join(("state", "start", "by_hand", "want", *WORDS))
            return f"{what!r} means nothing to the shuffler: say one of {known}."


def _text(said: Sentence | None) -> str | None:
    """What is said at the command line, which speaks English."""
    return None if said is None else english(said)


def ask(path: Path, request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Ask the kit at ``path``; raises NoKit where none answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asker:
            asker.settimeout(_PATIENCE_S)
            asker.connect(os.fspath(path))
            asker.sendall(_line(request))
            answer = _read(asker)
    except PermissionError as error:
        raise NoKit(
            f"the kit at {path} answers others only: ask as its user, sudo -u upcard upcard shuffle"
        ) from error
    except (OSError, ValueError) as error:
        raise NoKit(f"no kit answers at {path} ({error}): start one with upcard run") from error
    if not isinstance(answer, dict) or "state" not in answer:
        raise NoKit(f"what answers at {path} is no kit: start one with upcard run")
    return answer


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _read(end: socket.socket) -> Any:
    data = b""
    while not data.endswith(b"\n"):
        more = end.recv(_LONGEST)
        if not more:
            break
        data += more
        if len(data) > 16 * _LONGEST:
            raise ValueError("a line that does not end")
    return json.loads(data)
