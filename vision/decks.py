"""The decks that were taught: named, kept in a folder, listed and forgotten.

A deck is two files: ``NAME.npz`` holds its examples (small upright pictures of its indices)
and the memory fitted on them; ``NAME.toml`` says what it is, for people, and holds the
SHA-256 of the first. The examples outlive the model: with another classifier the memory is
fitted again from them.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.cards import ALL_CARDS, Card
from vision.errors import VisionError
from vision.memory import EXAMPLE_PX, Head, Memory

#: The form of the files; others are refused.
FORM: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")
_VERDICTS: Final = ("clear", "readable", "confused", "not seen")


class BadDeckName(VisionError, ValueError):
    """A text that cannot be a deck's name."""


class DeckMissing(VisionError, LookupError):
    """No deck of this name was taught."""


class DeckDamaged(VisionError, ValueError):
    """A deck's files are cut short, altered, foreign, or of another form."""


class DeckNotKept(VisionError, OSError):
    """The deck could not be written."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deck:
    """A taught deck. ``examples``: N x 72 x 60 x 3, each the index of ``cards[k]`` upright.

    ``views[k]`` numbers the placing of the card that example k was cut from. ``verdicts``:
    what teaching said of each card. ``taught_on``: a date such as 2026-11-30.
    """

    name: str
    taught_on: str
    cards: tuple[Card, ...]
    views: tuple[int, ...]
    examples: NDArray[np.uint8]
    memory: Memory
    verdicts: Mapping[Card, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckLine:
    """One deck of a listing; ``fault`` says what is wrong with its files, None if nothing."""

    name: str
    taught_on: str
    verdicts: Mapping[Card, str]
    fault: str | None = None


def checked_name(name: str) -> str:
    """``name`` itself, if it can be a file's name everywhere; else :class:`BadDeckName`."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise BadDeckName(
            f"{name!r} cannot name a deck: take up to 40 letters (a to z), digits, spaces, - and _"
        )
    return name


def keep_deck(folder: Path, deck: Deck) -> Path:
    """Write both files, replacing a deck of that name; return the path of the first.

    Raises :class:`BadDeckName` or :class:`DeckNotKept`.
    """
    name = checked_name(deck.name)
    held = io.BytesIO()
    np.savez_compressed(held, allow_pickle=False, **_arrays(deck))
    content = held.getvalue()
    verdicts = "".join(
        f'{card} = "{deck.verdicts[card]}"\n' for card in ALL_CARDS if card in deck.verdicts
    )
    text = (
        f"# A deck taught to Upcard: upcard teach. The pictures are in {name}.npz.\n"
        f'form = {FORM}\nname = "{name}"\ntaught_on = "{deck.taught_on}"\n'
        f'examples = {len(deck.cards)}\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n'
        f"\n[verdicts]\n{verdicts}"
    )
    path = folder / f"{name}.npz"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # each file whole or not at all; between the two the hash tells that they differ
        for target, data in ((path, content), (folder / f"{name}.toml", text.encode())):
            partial = target.with_name(target.name + ".part")
            partial.write_bytes(data)
            os.replace(partial, target)
    except OSError as fault:
        raise DeckNotKept(
            f"{path} cannot be written ({fault.strerror}): see that the folder is yours and "
            "has room"
        ) from fault
    return path


def open_deck(folder: Path, name: str) -> Deck:
    """The deck called ``name``.

    Raises :class:`BadDeckName`, :class:`DeckMissing` or :class:`DeckDamaged`.
    """
    said = _words(folder, checked_name(name))
    path = folder / f"{name}.npz"
    try:
        content = path.read_bytes()
    except OSError as fault:
        raise DeckDamaged(
            f"{path} cannot be read ({fault.strerror}): teach the deck again with: "
            f"upcard teach {name}"
        ) from fault
    if hashlib.sha256(content).hexdigest() != said["sha256"]:
        raise DeckDamaged(
            f"{path} is not what {name}.toml describes (another SHA-256): teach the deck again "
            f"with: upcard teach {name}"
        )
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return _deck(name, said, {key: arrays[key] for key in arrays.files})
    except (OSError, ValueError, KeyError, TypeError, IndexError, zipfile.BadZipFile) as fault:
        raise DeckDamaged(
            f"{path} holds no deck that can be read ({fault}): teach it again with: "
            f"upcard teach {name}"
        ) from fault


def decks_in(folder: Path) -> tuple[DeckLine, ...]:
    """Every deck of the folder by name; damaged ones with what is wrong."""
    lines = []
    names = {p.stem for p in folder.glob("*.toml")} | {p.stem for p in folder.glob("*.npz")}
    for name in sorted(names):
        if not _NAME.fullmatch(name):
            continue
        try:
            said = _words(folder, name)
        except VisionError as fault:
            lines.append(DeckLine(name=name, taught_on="", verdicts={}, fault=str(fault)))
            continue
        missing = not (folder / f"{name}.npz").is_file()
        lines.append(
            DeckLine(
                name=name,
                taught_on=said["taught_on"],
                verdicts=said["verdicts"],
                fault=f"{name}.npz is missing: teach the deck again" if missing else None,
            )
        )
    return tuple(lines)


def forget_deck(folder: Path, name: str) -> None:
    """Remove a deck's files, sound or not. Raises :class:`DeckMissing`."""
    paths = [folder / f"{checked_name(name)}{end}" for end in (".toml", ".npz")]
    if not any(p.exists() for p in paths):
        raise DeckMissing(_missing(folder, name))
    for path in paths:
        path.unlink(missing_ok=True)


def _missing(folder: Path, name: str) -> str:
    known = ", ".join(line.name for line in decks_in(folder)) or "none yet"
    return f"no deck {name!r} was taught: known are {known}; teach it with: upcard teach {name}"


def _words(folder: Path, name: str) -> dict[str, Any]:
    """The TOML file of a deck, checked."""
    path = folder / f"{name}.toml"
    if not path.exists() and not (folder / f"{name}.npz").exists():
        raise DeckMissing(_missing(folder, name))
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise DeckDamaged(
            f"{path} cannot be read ({fault}): teach the deck again with: upcard teach {name}"
        ) from fault
    if said.get("form") != FORM:
        raise DeckDamaged(
            f"{path} has form {said.get('form')!r}, this Upcard knows form {FORM}: teach the deck "
            f"again with: upcard teach {name}"
        )
    verdicts = said.get("verdicts")
    sound = (
        all(isinstance(said.get(key), str) for key in ("name", "taught_on", "sha256"))
        and isinstance(verdicts, dict)
        and all(card in ALL_CARDS for card in verdicts)
        and all(str(v).split(" with ")[0] in _VERDICTS for v in verdicts.values())
    )
    if not sound:
        raise DeckDamaged(
            f"{path} lacks or misstates name, taught_on, sha256 or verdicts: teach the deck again "
            f"with: upcard teach {name}"
        )
    return said


def _arrays(deck: Deck) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {
        "examples": deck.examples,
        "cards": np.array(deck.cards, dtype="U2"),
        "views": np.array(deck.views, np.int16),
        "classifier": np.array(deck.memory.classifier),
    }
    for key, head in (("rank", deck.memory.rank), ("suit", deck.memory.suit)):
        if head is None:
            continue
        pairs = np.array(sorted(head.mistakes), dtype="U1").reshape(-1, 2)
        arrays |= {
            f"{key}_names": np.array(head.names, dtype="U1"),
            f"{key}_axes": head.axes,
            f"{key}_middles": head.middles,
            f"{key}_radius": head.radius,
            f"{key}_doubted": head.doubted,
            f"{key}_mistakes": pairs,
        }
    return arrays


def _deck(name: str, said: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Deck:
    examples = arrays["examples"]
    cards = tuple(Card(str(c)) for c in arrays["cards"])
    views = tuple(int(v) for v in arrays["views"])
    if examples.dtype != np.uint8 or examples.shape != (len(cards), *EXAMPLE_PX, 3):
        raise ValueError(f"examples of {examples.dtype} {examples.shape}")
    if len(views) != len(cards) or not set(cards) <= set(ALL_CARDS):
        raise ValueError("cards or views that do not fit the examples")
    return Deck(
        name=name,
        taught_on=str(said["taught_on"]),
        cards=cards,
        views=views,
        examples=examples,
        memory=Memory(
            rank=_head(arrays, "rank"),
            suit=_head(arrays, "suit"),
            classifier=str(arrays["classifier"]),
        ),
        verdicts={Card(card): str(verdict) for card, verdict in said["verdicts"].items()},
    )


def _head(arrays: Mapping[str, NDArray[Any]], key: str) -> Head | None:
    if f"{key}_names" not in arrays:
        return None
    head = Head(
        names=tuple(str(n) for n in arrays[f"{key}_names"]),
        axes=arrays[f"{key}_axes"].astype(np.float32),
        middles=arrays[f"{key}_middles"].astype(np.float32),
        radius=arrays[f"{key}_radius"].astype(np.float32),
        doubted=arrays[f"{key}_doubted"].astype(np.bool_),
        mistakes=frozenset((str(a), str(b)) for a, b in arrays[f"{key}_mistakes"]),
    )
    count, width = len(head.names), head.axes.shape[-1]
    shapes = (head.middles.shape, head.radius.shape, head.doubted.shape)
    if shapes != ((count, width), (count,), (count,)):
        raise ValueError(f"a memory of {key}s with parts that do not fit")
    return head
