"""Where the running kit's page is reached: written beside the log while it runs.

``upcard codes`` prints links, and links that lead nowhere are worse than none: another port, or
HTTPS, is known to the running kit alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi.doctor.storage import kit_process

PAGE_NAME: Final = "page.json"
_EVERYWHERE: Final = ("0.0.0.0", "::", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAddress:
    """``host``: the address the page listens on."""

    scheme: str
    host: str
    port: int

    def link(self, here: str) -> str:
        """What to type on a device; ``here``: this machine's address in its network."""
        host = here if self.host in _EVERYWHERE else self.host
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}/"


@contextmanager
def reached_at(log: Path, address: PageAddress) -> Iterator[None]:
    """Let :func:`running_at` know while this lasts. A disk that refuses stops no table."""
    path = log.with_name(PAGE_NAME)
    told = {
        "process": os.getpid(),
        "scheme": address.scheme,
        "host": address.host,
        "port": address.port,
    }
    with suppress(OSError):
        path.write_text(json.dumps(told), encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def running_at(log: Path) -> PageAddress | None:
    """Where the kit that writes ``log`` now has its page; None where no kit runs, or says so.

    What a killed kit left behind names another process than the one that holds the log, or none.
    """
    process = kit_process(log)
    if process is None:
        return None
    try:
        told = json.loads(log.with_name(PAGE_NAME).read_text(encoding="utf-8"))
        if told["process"] != process:
            return None
        return PageAddress(
            scheme=str(told["scheme"]), host=str(told["host"]), port=int(told["port"])
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
