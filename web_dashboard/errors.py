"""The root of every error the page raises."""

from __future__ import annotations


class WebError(Exception):
    """The page cannot be served as asked."""


class PortTaken(WebError, OSError):
    """The port that was named belongs to another program."""


class TooManyStreams(WebError, RuntimeError):
    """Every event stream there is a thread for is in use."""


class BadAccessFile(WebError, OSError):
    """The file of codes is there and cannot be used, or cannot be written."""


class BadCertificate(WebError, OSError):
    """The certificate and its key are there and cannot be used together."""


class BadModule(WebError, ValueError):
    """A module is written in a way that cannot be joined with others."""
