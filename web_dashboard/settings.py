"""What the page is told about the kit it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.ruleset import PRESETS

#: Streams a table's evening needs at most: four phones, a tablet, a few curious ones, doubled.
DEFAULT_STREAMS = 32

_TITLES: Final = {
    "home": "To 10, all may go alone",
    "pub": "To 10, the maker goes alone",
    "canadian": "Partner orders alone",
    "tournament": "Stick the dealer",
    "thirty_two": "32 cards, from the 7 up",
}
#: The rulesets a game can be started with: name and one line for the form.
PRESET_LINES: Final = tuple((name, _TITLES.get(name, "")) for name in PRESETS)


def _no_health() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSettings:
    """How one kit's page behaves.

    ``table_kind``: ``sim`` (the page says loudly that nothing on it is real), ``clip``, ``pi``
    or ``hand`` (no camera). ``evidence_dir``: the folder of ``<hash>.jpg`` pictures, None where
    none are kept. ``health``: asked for every beat and by ``/health``; answers plain JSON
    values, of which the page knows ``ok``, ``camera`` (a word), ``frame_age_us``, ``fps`` and
    ``warnings`` (sentences); others are shown as they are. ``presets``: name and one-line title
    of each ruleset a game can be started with. ``allowed_hosts``: names the page may be
    reached under besides addresses, ``localhost``, single words and ``.local`` names.
    ``heartbeat_s``: how long an event stream is silent at most. ``stream_limit``: event streams
    open at once. ``queue_size``: messages kept for a slow viewer before it is sent the whole
    state afresh.
    """

    table_kind: str = "hand"
    evidence_dir: Path | None = None
    health: Callable[[], Mapping[str, Any]] = _no_health
    presets: tuple[tuple[str, str], ...] = PRESET_LINES
    allowed_hosts: frozenset[str] = frozenset()
    heartbeat_s: float = 10.0
    stream_limit: int = DEFAULT_STREAMS
    queue_size: int = 16
    body_limit_bytes: int = 8192
