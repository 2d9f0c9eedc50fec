"""The root of every error the kit's own parts raise, and its leaves."""

from __future__ import annotations


class KitError(Exception):
    """The kit, its devices or its surroundings are not as they must be."""


class BadSettings(KitError, ValueError):
    """The settings file has unknown keys or impossible values; all of them are named."""


class WrongWords(KitError, ValueError):
    """The command line says what no table can do; it counts as wrong usage."""


class BadDial(KitError, ValueError):
    """A dial of the simulated table that does not exist, or is turned too far."""


class BadCalibration(KitError, ValueError):
    """A calibration file that is missing, damaged or made for another picture."""


class NoPinFactory(KitError, OSError):
    """The pins of the computer cannot be reached; no other way is tried in silence."""


class CameraMissing(KitError, OSError):
    """No camera answers where one was asked for."""


class CameraSilent(KitError, TimeoutError):
    """The camera stopped giving pictures and did not come back."""


class EvidenceFailed(KitError, OSError):
    """A picture could not be kept: the disk is full or the folder is closed to us."""


class RecordingFailed(KitError, OSError):
    """The recording could not be written."""


class NoCertificate(KitError, OSError):
    """The kit's own certificate could not be made or kept."""
