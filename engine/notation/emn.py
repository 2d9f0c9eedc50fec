"""Euchre Match Notation (EMN), versions 1.0 to 1.2: several EGN games in one JSON file.

A match names its players once, each with an id; every game says which of them sat where
(``playersOverride`` since 1.2, ``players`` before: four ids, North first) and holds a whole EGN
game (``gameData``). The seating overrides the names inside that game. EMN knows four-handed
games of two sides only.

Source: the EMN specification (github.com/NextSuit-Labs/euchre-game-notation, Apache-2.0).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from engine.codec import BadJson, from_text, shown
from engine.facts import GameStarted, Recorded
from engine.notation import Exported, Fault, Imported, ImportedGame
from engine.notation.egn_reading import begun_us, read_game
from engine.notation.egn_words import Place, line_of
from engine.notation.egn_writing import game_as_egn
from engine.ruleset import ruleset_from
from engine.state import fold
from engine.wording import Sentence, worded

FILE_TYPE: Final = "Euchre Match Notation"
VERSION: Final = "1.2"
_VERSIONS: Final = ("1.0", "1.1", "1.2")
_SEATS: Final = 4


# --- reading -------------------------------------------------------------------------------


def read_emn(text: str | bytes, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The games of the match in ``text``, in their order, with every fault found.

    ``rules`` as in :func:`engine.notation.egn.read_egn`; raises BadRuleset for those only.
    """
    base = ruleset_from(rules)
    try:
        value = from_text(text)
    except BadJson as bad:
        return Imported(games=(), faults=(_fault("file", shown(text[:40]), bad.said),))
    faults: list[Fault] = []
    top = Place(faults=faults)
    if not isinstance(value, dict):
        top.fault("file", value, 'no match: EMN is an object with "metadata" and "games"')
        return Imported(games=(), faults=tuple(faults))
    if value.get("fileType") != FILE_TYPE:
        top.fault("fileType", value.get("fileType"), 'should be "{words}"', words=FILE_TYPE)
    version = value.get("version")
    if version not in _VERSIONS:
        top.fault("version", version, "read as {version}: known are 1.0 to 1.2", version=VERSION)
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        top.fault("metadata", metadata, "should be an object: nobody's name is known")
        metadata = {}
    written = value.get("games")
    if not isinstance(written, list):
        top.fault("games", written, "should be a list of games")
        written = []
    names = _registry(metadata, top)
    title = line_of(metadata.get("title"), "title", top)
    match_us = begun_us(metadata, top)
    games: list[ImportedGame] = []
    for number, entry in enumerate(_in_order(written), start=1):
        found: list[Fault] = []
        if isinstance(entry, dict):
            game = read_game(entry.get("gameData"), base, found)
            if game is not None:
                place = Place(faults=found)
                games.append(_seated(game, entry, names, (title, number, match_us), place))
        else:
            found.append(_fault("games", shown(entry), worded("should be an object: left out")))
        faults.extend(replace(f, game=number) for f in found)
    return Imported(games=tuple(games), faults=tuple(faults))


def _fault(where: str, value: str, why: Sentence) -> Fault:
    return Fault(where=where, value=value, why=why)


def _in_order(written: Sequence[Any]) -> list[Any]:
    """By ``gameIndex`` where every game has one, else as they stand."""
    keys = [entry.get("gameIndex") if isinstance(entry, dict) else None for entry in written]
    if all(type(key) is int for key in keys) and len(set(keys)) == len(keys):
        return [written[i] for i in sorted(range(len(written)), key=lambda i: keys[i] or 0)]
    return list(written)


def _registry(metadata: Mapping[str, Any], place: Place) -> dict[str, str]:
    """The players' names by their ids."""
    players = metadata.get("players")
    if not isinstance(players, list):
        place.fault("players", players, "should be a list of players with id and name")
        return {}
    names: dict[str, str] = {}
    for index, player in enumerate(players, start=1):
        key = player.get("id") if isinstance(player, dict) else None
        name = player.get("name") if isinstance(player, dict) else None
        if not isinstance(key, str) or not isinstance(name, str):
            place.fault("players", player, "should have an id and a name", index=index)
        elif key in names:
            place.fault("players", key, "stands there twice: the first is taken", index=index)
        else:
            names[key] = line_of(name, "players", place).strip() or key
    return names


def _seated(
    game: ImportedGame,
    entry: Mapping[str, Any],
    names: Mapping[str, str],
    match: tuple[str, int, int],
    place: Place,
) -> ImportedGame:
    """The game with the names that the match gives its seats, its title and its date."""
    title, number, match_us = match
    started = game.entries[0].fact
    assert isinstance(started, GameStarted)
    own = list(started.names)
    seats = entry.get("playersOverride", entry.get("players"))
    if seats is not None:
        if not isinstance(seats, list) or len(seats) != _SEATS:
            place.fault("playersOverride", seats, "should be four players' ids, North first")
            seats = []
        for seat, key in enumerate(seats):
            if isinstance(key, str) and key in names:
                own[seat] = names[key]
            else:
                place.fault(
                    "playersOverride",
                    key,
                    "is no player of this match: the game's own name is kept",
                    index=seat + 1,
                )
    named = started.title or (f"{title}, game {number}" if title else f"Game {number}")
    begun = replace(started, names=tuple(own), title=named)
    entries = [replace(game.entries[0], fact=begun), *game.entries[1:]]
    if entries[0].at_us == 0 and match_us:  # the game has no date of its own
        entries = [replace(e, at_us=match_us) for e in entries]
    return replace(game, title=named, entries=tuple(entries))


# --- writing -------------------------------------------------------------------------------


def write_emn(games: Sequence[Sequence[Recorded]], *, title: str = "") -> Exported:
    """The games as one match, in this order; ``losses`` as for EGN, each with its game.

    A player is known by the name. Won games are counted for each player; a match whose
    games are not all over is in progress.
    """
    losses: list[Sentence] = []
    keys: dict[str, str] = {}
    won: dict[str, int] = {}
    entries: list[dict[str, Any]] = []
    begun: list[int] = []
    complete = True
    for number, records in enumerate(games, start=1):
        state = fold(records)
        value, lost = game_as_egn(records)
        losses.extend(worded("game {number}: {said}", number=number, said=loss) for loss in lost)
        if value is None:
            continue
        if len(set(state.names)) < len(state.names):
            losses.append(
                worded("game {number}: that two of its players have the same name", number=number)
            )
        seats = []
        for name in state.names:
            key = keys.setdefault(name, f"p-{len(keys) + 1:02d}")
            won.setdefault(key, 0)
            seats.append(key)
        complete = complete and state.over
        if state.winner is not None:
            for seat in {state.winner, state.winner + 2}:
                won[seats[seat]] += 1
        if state.started_at_us:
            begun.append(state.started_at_us)
        entries.append({"gameIndex": len(entries), "playersOverride": seats, "gameData": value})
    metadata: dict[str, Any] = {}
    if title:
        metadata["title"] = title
    if begun:
        moment = datetime.fromtimestamp(min(begun) / 1_000_000, tz=UTC)
        metadata["date"] = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    metadata["players"] = [{"id": key, "name": name} for name, key in keys.items()]
    metadata["matchFormat"] = {"type": "FIXED_GAMES", "target": len(entries)}
    metadata["result"] = _result(won, complete=complete and bool(entries))
    value = {
        "fileType": FILE_TYPE,
        "version": VERSION,
        "metadata": metadata,
        "games": entries,
    }
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    return Exported(text=text, lost=tuple(losses))


def _result(won: Mapping[str, int], *, complete: bool) -> dict[str, Any]:
    if not complete:
        return {"status": "IN_PROGRESS", "scores": dict(won)}
    most = max(won.values())
    ahead = [key for key, games in won.items() if games == most]
    # Everybody level, or ahead with an opponent: nobody has won.
    if len(ahead) > 2 or most == 0:
        return {"status": "DRAW", "scores": dict(won)}
    return {"status": "COMPLETED", "winner": ahead, "scores": dict(won)}
