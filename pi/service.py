"""The kit as a systemd service: saying that it is up, and feeding the watchdog.

One datagram to the socket that systemd names in the environment (sd_notify(3)); off systemd
there is none and nothing is sent. The watchdog is fed by frames alone: a program that still
turns but whose camera has died is started afresh.
"""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Mapping

_LOG = logging.getLogger(__name__)


def notify(text: str, *, environment: Mapping[str, str] = os.environ) -> bool:
    """Tell systemd ``text`` (lines of ``NAME=value``); False where nobody listens."""
    address = environment.get("NOTIFY_SOCKET")
    if not address:
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]  # a name of the abstract namespace
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
            link.connect(address)
            link.sendall(text.encode())
    except OSError as error:
        # A table must not stop because nobody hears that it runs.
        _LOG.warning("systemd at %s does not listen: %s", address, error.strerror)
        return False
    return True


def watchdog_s(environment: Mapping[str, str] = os.environ) -> float | None:
    """After how many silent seconds systemd would end this process; None: never."""
    period_us = environment.get("WATCHDOG_USEC", "")
    meant_for = environment.get("WATCHDOG_PID", "")
    if not period_us.isdigit() or int(period_us) == 0:
        return None
    if meant_for.isdigit() and int(meant_for) != os.getpid():
        return None
    return int(period_us) / 1e6


class Watchdog:
    """Feeds systemd's watchdog, a few times within its period and only when asked to.

    :meth:`feed` is called for every frame that was taken and worked through.
    """

    def __init__(
        self,
        *,
        environment: Mapping[str, str] = os.environ,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environment = environment
        self._clock_s = clock_s
        period_s = watchdog_s(environment)
        self._every_s = None if period_s is None else period_s / 4
        self._last_s: float | None = None

    def feed(self) -> None:
        if self._every_s is None:
            return
        now_s = self._clock_s()
        if self._last_s is None or now_s - self._last_s >= self._every_s:
            self._last_s = now_s
            notify("WATCHDOG=1", environment=self._environment)


def ready(status: str, *, environment: Mapping[str, str] = os.environ) -> None:
    """The page serves and the source is open; ``status`` is shown by ``systemctl status``."""
    notify(f"READY=1\nSTATUS={status}", environment=environment)


def stopping(*, environment: Mapping[str, str] = os.environ) -> None:
    """The kit ends by itself or was asked to."""
    notify("STOPPING=1", environment=environment)
