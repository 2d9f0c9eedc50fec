"""Contacts bounce: a level counts once it has stayed for a while.

Ours, on time stamps, since gpiozero's ``bounce_time`` loses presses on some boards and does
nothing at all on its mock pins. Pure: no clock and no pins in here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """``closed`` is what counts; ``seen`` is the last raw level and ``since_us`` its moment."""

    closed: bool = False
    seen: bool = False
    since_us: int = 0


def saw(contact: Contact, closed: bool, *, at_us: int) -> Contact:
    """A raw level arrived at ``at_us``."""
    if closed == contact.seen:
        return contact
    return replace(contact, seen=closed, since_us=at_us)


def settled(contact: Contact, *, at_us: int, steady_us: int) -> Contact:
    """The contact at ``at_us``: what was seen counts once it is ``steady_us`` old."""
    if contact.seen != contact.closed and at_us - contact.since_us >= steady_us:
        return replace(contact, closed=contact.seen)
    return contact
