"""Matches of several games: Euchre Match Notation read and written."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine import facts as f
from engine.cards import Card
from engine.facts import GameStarted
from engine.notation.egn import read_egn
from engine.notation.emn import read_emn, write_emn
from engine.notation.files import read_game_file
from engine.score import score_json
from engine.state import fold

DEAL = {
    "dealNumber": 0,
    "initialState": {"dealer": 3, "upCard": "9h"},
    "phases": [
        {"type": "EUCHRE_BIDDING", "calls": ["Order"], "isAlone": False},
        {
            "type": "TRICK_PLAY",
            "tricks": [
                ["Jh", "Qh", "Th", "9h"],
                ["Ah", "9d", "Tc", "Qd"],
                ["Kc", "Ac", "Js", "Qs"],
                ["Ks", "As", "9c", "9s"],
                ["Kd", "Ad", "Td", "Jc"],
            ],
        },
    ],
}


def egn(**metadata: Any) -> dict[str, Any]:
    return {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {"initialScore": [0, 0], **metadata},
        "deals": [copy.deepcopy(DEAL)],
    }


def match(**changes: Any) -> dict[str, Any]:
    """A match as the specification shows one: five players, seats that change."""
    value: dict[str, Any] = {
        "fileType": "Euchre Match Notation",
        "version": "1.2",
        "metadata": {
            "title": "League",
            "date": "2026-07-19T19:00:00Z",
            "players": [
                {"id": f"p-{n}", "name": name}
                for n, name in enumerate(["Ann", "Bob", "Cy", "Di", "Eve"], start=1)
            ],
            "matchFormat": {"type": "BEST_OF_N", "target": 3},
        },
        "games": [
            {
                "gameIndex": 0,
                "playersOverride": ["p-1", "p-2", "p-3", "p-4"],
                "gameData": egn(players=["W", "X", "Y", "Z"]),
            },
            {
                "gameIndex": 1,
                "playersOverride": ["p-1", "p-3", "p-5", "p-4"],
                "gameData": egn(title="The decider", date="2026-07-19T21:00:00Z"),
            },
        ],
    }
    value.update(changes)
    return value


def test_each_game_of_a_match_is_read_with_the_players_who_sat_there() -> None:
    imported = read_emn(json.dumps(match()))
    assert imported.faults == ()
    first, second = (fold(game.records()) for game in imported.games)
    assert first.names == ("Ann", "Bob", "Cy", "Di")
    assert second.names == ("Ann", "Cy", "Eve", "Di")
    assert [game.title for game in imported.games] == ["League, game 1", "The decider"]
    # A game without a date of its own was played on the match's.
    assert second.started_at_us - first.started_at_us == 2 * 3_600 * 1_000_000
    assert [score_json(game.records())["score"] for game in imported.games] == [[1, 0], [1, 0]]


def test_the_older_key_for_the_seats_is_read_too() -> None:
    value = match(version="1.1")
    for entry in value["games"]:
        entry["players"] = entry.pop("playersOverride")
    imported = read_emn(json.dumps(value))
    assert imported.faults == ()
    assert fold(imported.games[1].records()).names == ("Ann", "Cy", "Eve", "Di")


def test_games_stand_in_the_order_of_their_index() -> None:
    value = match()
    value["games"].reverse()
    titles = [game.title for game in read_emn(json.dumps(value)).games]
    assert titles == ["League, game 1", "The decider"]


def spoilt(path: str, new: Any) -> str:
    value = match()
    place: Any = value
    *steps, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    for step in steps:
        place = place[step]
    place[last] = new
    return json.dumps(value)


@pytest.mark.parametrize(
    ("text", "named", "kept"),
    [
        ("[]", ["no match"], 0),
        ("{", ["not JSON"], 0),
        (spoilt("version", "9"), ["version", "'9'"], 2),
        (spoilt("metadata", 3), ["metadata", "3"], 2),
        (spoilt("metadata/players", None), ["players", "list of players"], 2),
        (spoilt("metadata/players/1", {"id": "p-1", "name": "x"}), ["players 2", "twice"], 2),
        (spoilt("games", {}), ["games", "list of games"], 0),
        (spoilt("games/0", "x"), ["game", "'x'", "left out"], 1),
        (spoilt("games/0/playersOverride/2", "p-9"), ["game 1", "playersOverride 3", "p-9"], 2),
        (spoilt("games/1/playersOverride", ["p-1"]), ["game 2", "four players"], 2),
        (spoilt("games/1/gameData", None), ["game 2", "no game"], 1),
        (
            spoilt("games/1/gameData/deals/0/initialState/upCard", "Zz"),
            ["game 2, deal 1, upCard", "Zz"],
            2,
        ),
        (spoilt("games/1/gameData/deals", ["0A"]), ["game 2", "condensed"], 2),
    ],
)
def test_every_fault_of_a_match_is_named_with_its_game_and_the_rest_is_kept(
    text: str, named: list[str], kept: int
) -> None:
    imported = read_emn(text)
    told = [str(fault) for fault in imported.faults]
    assert any(all(word in line for word in named) for line in told), told
    assert len(imported.games) == kept


def test_a_match_that_is_written_is_read_back_as_it_was() -> None:
    games = [game.records() for game in read_emn(json.dumps(match())).games]
    exported = write_emn(games, title="League")
    value = json.loads(exported.text)
    assert value["fileType"] == "Euchre Match Notation"
    assert [p["name"] for p in value["metadata"]["players"]] == ["Ann", "Bob", "Cy", "Di", "Eve"]
    assert value["metadata"]["result"]["status"] == "IN_PROGRESS"
    again = read_emn(exported.text)
    assert again.faults == ()
    for before, after in zip(games, again.games, strict=True):
        old, new = fold(before), fold(after.records())
        assert (new.names, new.score, new.title) == (old.names, old.score, old.title)
        assert [deal.winners for deal in new.deals] == [deal.winners for deal in old.deals]


def test_whoever_won_the_most_games_has_won_the_match() -> None:
    one = read_egn(json.dumps(egn(initialScore=[9, 0], players=["A", "B", "C", "D"]))).games[0]
    two = read_egn(json.dumps(egn(initialScore=[9, 0], players=["B", "A", "D", "C"]))).games[0]

    def result(*games: Any) -> Any:
        written = json.loads(write_emn([game.records() for game in games]).text)
        names = {p["id"]: p["name"] for p in written["metadata"]["players"]}
        told = written["metadata"]["result"]
        return told["status"], sorted(names[key] for key in told.get("winner", []))

    assert result(one) == ("COMPLETED", ["A", "C"])
    assert result(one, two) == ("DRAW", [])
    assert result(one, two, one) == ("COMPLETED", ["A", "C"])


def test_losses_are_named_with_their_game() -> None:
    (game,) = read_egn(json.dumps(egn())).games
    records = game.records()
    last = records[-1]
    ruled = f.ScoreAdjusted(points=(0, 1), reason="late")
    more = f.Recorded(
        seq=last.seq + 1,
        game_id=last.game_id,
        version=last.version + 1,
        at_us=last.at_us,
        source="director",
        fact=ruled,
    )
    exported = write_emn([records, (*records, more)])
    assert any(loss.startswith("game 2: a score adjustment") for loss in exported.losses)
    assert not any(loss.startswith("game 1: a score adjustment") for loss in exported.losses)


def test_a_game_that_is_not_of_two_sides_is_left_out_by_name() -> None:
    buck = (
        f.Recorded(
            seq=1,
            game_id="b",
            version=1,
            at_us=0,
            source="x",
            fact=GameStarted(
                rules={"preset": "buck3"}, names=("A", "B", "C"), dealer=0, initial_score=(15,) * 3
            ),
        ),
    )
    exported = write_emn([buck])
    assert json.loads(exported.text)["games"] == []
    assert any("buck" in loss for loss in exported.losses)


def test_a_match_is_told_from_a_game_by_what_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "evening"
    path.write_text(json.dumps(match()), encoding="utf-8")
    assert len(read_game_file(path).games) == 2
    # A title may speak of the notation; the file is a game all the same.
    path.write_text(json.dumps(egn(title="my Euchre Match Notation")), encoding="utf-8")
    imported = read_game_file(path)
    assert (len(imported.games), imported.faults) == (1, ())


def test_cards_may_still_be_what_nobody_saw() -> None:
    value = match()
    value["games"][0]["gameData"]["deals"][0]["phases"][1]["tricks"][4][3] = ""
    imported = read_emn(json.dumps(value))
    assert imported.faults == ()
    assert Card("Jc") not in fold(imported.games[0].records()).deals[0].seen()
