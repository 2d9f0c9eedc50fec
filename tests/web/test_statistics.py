"""Figures of games: held against the nine real games' own record, and against one by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.commands import Declare, ThrowIn
from engine.facts import GameStarted
from engine.log import Entry, Log
from engine.memory_log import MemoryLog
from engine.notation import ImportedGame
from engine.notation.files import read_game_file
from engine.table import store
from web_dashboard import statistics
from web_dashboard.statistics import Figures, by_player, figures_of


def truths(shared: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Each real game's file and its deals as whoever recorded it says they went."""
    for file in sorted((shared / "data/egn").glob("*.egn")):
        told = json.loads(file.with_suffix(".expected.json").read_text())
        yield file, told["deals"]


def test_real_games_are_counted_as_they_were_recorded(shared: Path) -> None:
    seen = 0
    for file, deals in truths(shared):
        [game] = read_game_file(file, rules="home").games
        figures = figures_of(game.records())
        for side in (0, 1):
            gained = figures.scores[-1][side] - figures.scores[0][side]
            assert gained == sum(deal["points"][side] for deal in deals)
        for side in (0, 1):
            called = [d for d in deals if d["maker"] is not None and d["maker"] % 2 == side]
            others = [d for d in deals if d["maker"] is not None and d["maker"] % 2 != side]
            lone = [d for d in called if d["alone"]]
            assert figures.sides[side] == Figures(
                games=1,
                won=figures.sides[side].won,
                deals=len(deals),
                calls=len(called),
                made=sum(d["tricks"][side] >= 3 for d in called),
                euchred=sum(d["tricks"][side] < 3 for d in called),
                marches=sum(d["tricks"][side] == 5 for d in called),
                loners=len(lone),
                lone_marches=sum(d["tricks"][side] == 5 for d in lone),
                euchres=sum(d["tricks"][1 - side] < 3 for d in others),
                points=sum(d["points"][side] for d in deals),
            ), file.name
        for seat in range(4):
            calls = sum(d["maker"] == seat for d in deals)
            assert figures.seats[seat].calls == calls
            assert figures.seats[seat].points == figures.sides[seat % 2].points
        assert sum(calls for calls, _ in figures.places) == len(
            [d for d in deals if d["maker"] is not None]
        )
        seen += 1
    assert seen == 9


def test_a_game_starts_at_nought_and_its_line_has_a_point_a_deal(hands: Any, log: Log) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    [line] = log.games()
    figures = figures_of(log.read(line.game_id))
    assert figures.scores == ((0, 0), (0, 1))
    assert figures.results == ("made",)
    assert figures.seats[1] == Figures(games=1, deals=1, calls=1, made=1, points=1)
    assert figures.seats[3] == Figures(games=1, deals=1, points=1)
    # North dealt and East, on its left, made trump.
    assert figures.places == ((0, 0), (1, 1), (0, 0), (0, 0))


def test_a_deal_thrown_in_is_nobodys_call(hands: Any, log: Log) -> None:
    hands.start()
    hands.turn_up()
    hands.do(ThrowIn(reason="misdeal"))
    [line] = log.games()
    figures = figures_of(log.read(line.game_id))
    assert figures.thrown_in == 1
    assert all(side.calls == 0 for side in figures.sides)


def test_a_player_is_a_name_over_all_games(hands: Any, log: Log) -> None:
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    [line] = log.games()
    one = figures_of(log.read(line.game_id))
    players = dict(by_player([one, one]))
    assert players["Bob"] == Figures(games=2, deals=2, calls=2, made=2, points=2)
    assert next(iter(players)) == "Ann"


def test_a_name_in_other_letters_is_the_same_player(hands: Any, log: Log) -> None:
    hands.start(("Ann", "ann", "Cy", "Dee"))
    [line] = log.games()
    assert [name for name, _ in by_player([figures_of(log.read(line.game_id))])].count("Ann") == 1


def another_game() -> ImportedGame:
    """A game of one fact."""
    started = GameStarted(rules={"preset": "home"}, names=("A", "B", "C", "D"), dealer=0)
    return ImportedGame(title="", entries=(Entry(at_us=1, source="test", fact=started),))


# --- over HTTP ------------------------------------------------------------------------------------


def test_figures_are_for_everybody_to_see(watcher: Any, hands: Any, log: Log) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    [line] = log.games()
    told = watcher.get("/api/statistics").json
    assert told["games"][0]["deals"] == 1
    [east] = [player for player in told["players"] if player["name"] == "East"]
    assert (east["calls"], east["made"], east["won"]) == (1, 1, 0)
    game = watcher.get(f"/api/statistics/{line.game_id}").json
    assert game["scores"] == [[0, 0], [0, 1]]
    assert watcher.get("/statistics").status_code == 200


def test_a_correction_of_a_counted_deal_changes_the_figures(watcher: Any, hands: Any) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    assert watcher.get("/api/statistics").json["players"][0]["deals"] == 1
    hands.do(Declare(maker=0, trump="h", deal=1))
    calls = {p["name"]: p["calls"] for p in watcher.get("/api/statistics").json["players"]}
    assert calls == {"North": 1, "East": 0, "South": 0, "West": 0}


def test_without_games_there_is_nothing_and_no_fault(watcher: Any) -> None:
    told = watcher.get("/api/statistics").json
    assert (told["games"], told["players"]) == ([], [])
    assert watcher.get("/api/statistics/none-such").status_code == 404


def test_a_game_that_cannot_be_read_does_not_take_the_others_along(
    watcher: Any, log: MemoryLog, hands: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    read = statistics.figures_of
    store(log, another_game())
    broken = log.games()[-1].game_id

    def faulty(records: Any) -> Any:
        if records[0].game_id == broken:
            raise ValueError("a fact of another world")
        return read(records)

    monkeypatch.setattr(statistics, "figures_of", faulty)
    told = watcher.get("/api/statistics").json
    assert [game["deals"] for game in told["games"]] == [1]
    assert watcher.get(f"/api/statistics/{broken}").status_code == 422
