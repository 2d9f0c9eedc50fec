"""Other people's ways of writing a game down, and our own lossless one.

Reading never raises for what is in the file: an :class:`Imported` holds what was sound, as
facts ready for a log, and a :class:`Fault` for everything that was not, each with its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.facts import Recorded
from engine.log import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something in a file that could not be taken as it stands.

    ``deal``, ``trick`` and ``index`` count from 1 (``index``: the card, call or line there);
    None where the fault lies above them. ``where`` is the part of the file by its own names.
    ``value`` is what stands there, cut to a readable length; ``message`` says what is wrong
    with it and the cure.
    """

    where: str
    value: str
    message: str
    deal: int | None = None
    trick: int | None = None
    index: int | None = None

    def __str__(self) -> str:
        place = [
            f"{word} {number}"
            for word, number in (("deal", self.deal), ("trick", self.trick))
            if number is not None
        ]
        place.append(self.where if self.index is None else f"{self.where} {self.index}")
        return f"{', '.join(place)}: {self.value}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedGame:
    """One game as facts, in order, the first of them a GameStarted.

    ``game_id``: the id it had where it comes from, None where the notation has none.
    """

    title: str
    entries: tuple[Entry, ...]
    game_id: str | None = None

    def records(self, game_id: str = "import") -> tuple[Recorded, ...]:
        """The facts as a log of their own would hold them: what the fold reads."""
        return tuple(
            Recorded(
                seq=version,
                game_id=game_id,
                version=version,
                at_us=entry.at_us,
                source=entry.source,
                fact=entry.fact,
            )
            for version, entry in enumerate(self.entries, start=1)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a file held. ``faults`` empty: all of it was sound."""

    games: tuple[ImportedGame, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A game written down. ``losses``: what the notation has no words for, in plain English."""

    text: str
    losses: tuple[str, ...]
