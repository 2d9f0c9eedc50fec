"""The root of every error models raises, and its leaves."""

from __future__ import annotations


class ModelError(Exception):
    """The reader's models are not as they must be."""


class ModelMissing(ModelError, FileNotFoundError):
    """A model's file, or the machine card that describes it, is not there."""


class ModelDamaged(ModelError, ValueError):
    """A model's file is not the one its machine card describes, or the card cannot be read."""
