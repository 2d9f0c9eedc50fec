"""The root of every error the page raises."""

from __future__ import annotations

from engine.wording import Arg, english, worded


class WebError(Exception):
    """The page cannot be served as asked."""


class _Said(WebError):
    """An error that a page shows: ``said`` is its text for any language."""

    def __init__(self, template: str, /, **args: Arg) -> None:
        self.said = worded(template, **args)
        super().__init__(english(self.said))


class PortTaken(WebError, OSError):
    """The port that was named belongs to another program."""


class TooManyStreams(_Said, RuntimeError):
    """Every event stream there is a thread for is in use."""


class BadAccessFile(WebError, OSError):
    """The file of codes is there and cannot be used, or cannot be written."""


class BadCertificate(WebError, OSError):
    """The certificate and its key are there and cannot be used together."""


class BadModule(WebError, ValueError):
    """A module is written in a way that cannot be joined with others."""


class BadKeptGame(_Said, ValueError):
    """What was sent is no game of the score keeper; the message names the value."""
