"""What the page is told about the kit it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.ruleset import PRESETS
from web_dashboard.ports import Calibrating, Looking, Shuffling

#: Pages that only watch: a club's evening with everybody's phone out.
DEFAULT_STREAMS: Final = 200
#: Streams kept for pages that act, so that no crowd can lock the players out.
DEFAULT_ACTING_STREAMS: Final = 24

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
    ``warnings`` (sentences) and ``say_warnings`` (the same for any language); others are shown
    as they are. ``presets``: name and one-line title of each ruleset a game can be started
    with. ``allowed_hosts``: names the page may be reached under besides addresses,
    ``localhost``, single words and ``.local`` names.
    ``heartbeat_s``: how long an event stream is silent at most. ``stream_limit``: event streams
    of watching pages open at once; ``acting_limit``: those kept beside them for pages with a
    seat's, the table's or the director's role. ``queue_size``: messages kept for a slow viewer
    before it is sent the whole state afresh.

    ``access_file``: where the codes live (:class:`web_dashboard.access.Access`), None: for this
    run only. ``trusted_proxies``: addresses of reverse proxies whose ``X-Forwarded-For``,
    ``-Proto`` and ``-Host`` are believed; nobody else's are. ``parts``: which parts the kit has,
    see :mod:`web_dashboard.parts`; None: told from ``table_kind`` and ``shuffling``.
    ``shuffling``: the shuffler, None where none is fitted. ``looking``: how everybody is called
    to look at the table, None where nobody plays at it. ``calibrating``: the camera as the
    calibration page asks it, None where there is none. ``doctor``: asked by the doctor's
    page; answers lines of plain JSON ``{"name", "status": "pass" | "warn" | "fail", "text",
    "cure"}``; None where there is nobody to ask. ``certificate_root``: the certificate that
    devices are to trust, where the kit made its own; None over plain HTTP. ``keep_clip``: writes
    the last seconds as a clip into ``clips_dir`` and answers its path, OSError with the cure
    where it cannot; None where there is no camera. ``delete_game``: deletes a game and its pictures
    for good and answers ``{"facts": n, "pictures": n}``; raises UnknownGame, LogError, OSError;
    None where games are kept in memory only.
    """

    table_kind: str = "hand"
    evidence_dir: Path | None = None
    health: Callable[[], Mapping[str, Any]] = _no_health
    presets: tuple[tuple[str, str], ...] = PRESET_LINES
    allowed_hosts: frozenset[str] = frozenset()
    heartbeat_s: float = 2.0
    stream_limit: int = DEFAULT_STREAMS
    acting_limit: int = DEFAULT_ACTING_STREAMS
    queue_size: int = 16
    body_limit_bytes: int = 8192
    access_file: Path | None = None
    trusted_proxies: frozenset[str] = frozenset()
    parts: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    shuffling: Shuffling | None = None
    looking: Looking | None = None
    calibrating: Calibrating | None = None
    doctor: Callable[[], Sequence[Mapping[str, Any]]] | None = None
    certificate_root: Path | None = None
    keep_clip: Callable[[], Path] | None = None
    clips_dir: Path | None = None
    delete_game: Callable[[str], Mapping[str, Any]] | None = None
