"""The root of every error the engine raises.

Findings, reviews, rejections and import faults are values and never raised.
"""


class EngineError(Exception):
    """Something the engine was given, or stands on, is not as it must be."""
