"""Where the page can be reached from a tablet."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterator
from typing import Final

from engine.wording import say, worded
from pi.doctor.check import Check, Surroundings, line

_SIOCGIFADDR: Final = 0x8915


def addresses_v4() -> tuple[str, ...]:
    """This machine's IPv4 addresses but its own loop, those of a home network first."""
    found: list[str] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)
            except OSError:
                continue  # an interface without an address
            found.append(socket.inet_ntoa(answer[20:24]))
    usable = [a for a in found if not ipaddress.ip_address(a).is_loopback]
    return tuple(sorted(usable, key=lambda a: (not ipaddress.ip_address(a).is_private, a)))


def network(around: Surroundings, *, port: int) -> Iterator[Check]:
    """Name and addresses of the page."""
    found = addresses_v4()
    name = socket.gethostname().split(".")[0]
    if not found:
        yield line(
            name="network",
            status="warn",
            detail=worded("no network: the page is on this machine only"),
            cure=worded("join a Wi-Fi (sudo nmtui), or make one: see docs/builder/install.md"),
        )
        return
    mdns = around.there("run/avahi-daemon/socket")
    urls = [f"http://{name}.local:{port}/"] if mdns else []
    urls += [f"http://{address}:{port}/" for address in found]
    yield line(
        name="network",
        status="pass" if mdns or not around.on_a_pi() else "warn",
        detail=say("words", words=", ".join(urls)),
        cure=(
            None
            if mdns or not around.on_a_pi()
            else worded("tablets find the number only: sudo apt install avahi-daemon")
        ),
    )


def page_url(*, port: int) -> str | None:
    """The address for a QR: a number, which every tablet understands; None off the network."""
    found = addresses_v4()
    return f"http://{found[0]}:{port}/" if found else None
