"""Which parts this kit has: any of them may be missing, and the page works with the rest."""

from __future__ import annotations

from typing import Any, Final

from web_dashboard.settings import PageSettings

_CAMERA: Final = {
    "sim": (True, "The table is simulated: cards are drawn and read by the program."),
    "clip": (True, "A recorded clip is read instead of a table."),
    "pi": (True, "The camera reads the cards."),
    "hand": (False, "No camera: the cards are tapped in on the page."),
    "replay": (False, "A recorded game is shown; nothing is played."),
}


def parts_of(settings: PageSettings) -> list[dict[str, Any]]:
    """A line for each part: ``{"name", "present", "text"}``, camera and shuffler first.

    Names: ``camera``, ``shuffler``, ``buttons``, ``lights``, ``buzzer``, ``sensors`` (of the
    shuffler), ``camera light``; what nobody tells of is left out. ``text`` says what to do
    without it.
    """
    told = [] if settings.parts is None else [dict(part) for part in settings.parts()]
    known = {part["name"] for part in told}
    own = [part for part in (_camera(settings), _shuffler(settings)) if part["name"] not in known]
    return own + told


def _camera(settings: PageSettings) -> dict[str, Any]:
    present, text = _CAMERA.get(settings.table_kind, (True, "The camera reads the cards."))
    return {"name": "camera", "present": present, "text": text}


def _shuffler(settings: PageSettings) -> dict[str, Any]:
    if settings.shuffling is None:
        text = "No shuffler: shuffle by hand, and tap that it is done."
        return {"name": "shuffler", "present": False, "text": text}
    return {"name": "shuffler", "present": True, "text": "The shuffler is started by the dealer."}
