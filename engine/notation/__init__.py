"""Other people's ways of writing a game down, and our own lossless one.

Reading never raises for what is in the file: an :class:`Imported` holds what was sound, as
facts ready for a log, and a :class:`Fault` for everything that was not, each with its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from engine.facts import Recorded
from engine.log import Entry
from engine.wording import Sentence, english, worded

#: Parts of a file that have a word of their own; the others are named as the file names them.
_PLACES: Final = MappingProxyType(
    {
        "file": worded("file"),
        "line": worded("line"),
        "game": worded("game"),
        "trick": worded("trick"),
        "card": worded("card"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something in a file that could not be taken as it stands.

    ``game``, ``deal``, ``trick`` and ``index`` count from 1 (``index``: the card, call or line
    there); None where the fault lies above them. ``where`` is the part of the file by its own
    names. ``value`` is what stands there, cut to a readable length; ``why`` says what is wrong
    with it and the cure.
    """

    where: str
    value: str
    why: Sentence
    game: int | None = None
    deal: int | None = None
    trick: int | None = None
    index: int | None = None

    @property
    def message(self) -> str:
        """What is wrong and the cure, in English."""
        return english(self.why)

    @property
    def said(self) -> Sentence:
        """The whole of it, for any language."""
        return worded(
            "[game {game}, ][deal {deal}, ][trick {trick}, ]{where}[ {index}]: {value}: {why}",
            game=self.game,
            deal=self.deal,
            trick=self.trick,
            where=_PLACES.get(self.where, self.where),
            index=self.index,
            value=self.value,
            why=self.why,
        )

    def __str__(self) -> str:
        return english(self.said)


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
    """A game written down. ``lost``: what the notation has no words for, for any language."""

    text: str
    lost: tuple[Sentence, ...] = ()

    @property
    def losses(self) -> tuple[str, ...]:
        """What the notation has no words for, in plain English."""
        return tuple(map(english, self.lost))
