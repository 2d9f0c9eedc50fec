"""A recorded game over HTTP: its steps, its moments, its record for mending, its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import boards_scenes as scenes
import pytest

from engine.cards import Card
from engine.commands import AdjustScore, Correct, Discard, RuleFinding, Undo
from engine.facts import CardPlayed
from engine.memory_log import MemoryLog
from engine.notation.egn import read_egn, read_egn_file
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.score import score_json
from engine.table import Table, store
from web_dashboard.replay import file_name

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def game(hands: Any, table: Table, client: Any) -> Callable[..., Any]:
    """One deal with a revoke in it, played; answers what the kit says under the game."""
    hands.start(("Ann", "Bob", "Cy", "Dee"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)

    def ask(path: str = "", **query: Any) -> Any:
        return client.get(f"/api/games/{table.game_id}{path}", query_string=query)

    return ask


def play_of(table: Table, card: str) -> int:
    return next(
        r.version for r in table.records if isinstance(r.fact, CardPlayed) and r.fact.card == card
    )


# --- where to step -----------------------------------------------------------------------


def test_a_trick_stops_at_its_last_card_and_a_deal_at_its_end(
    game: Any, hands: Any, table: Table
) -> None:
    hands.sweep()
    stops = game().json["stops"]
    lying = [play_of(table, c) for c in ("Kh", "Ts", "9c", "Ac", "Js")]
    assert stops["trick"] == [*lying, table.version]
    assert stops["deal"] == [table.version]


def test_last_is_the_game_that_was_recorded_last(client: Any, hands: Any, table: Table) -> None:
    nothing = client.get("/replay/last")
    assert nothing.status_code == 404
    assert "no game has been recorded yet" in nothing.text
    hands.start()
    assert client.get("/replay/last").headers["Location"] == f"/replay/{table.game_id}"
    # Another game: the same one would be known again.
    text = write_jsonl(table.records).replace("North", "Nora").replace(table.game_id, "other")
    taken = client.post("/api/import", json={"text": text}).json
    (other,) = taken["games"]
    assert other["game_id"] != table.game_id
    there = client.get("/replay/last")
    assert (there.status_code, there.headers["Location"]) == (302, f"/replay/{other['game_id']}")
    assert client.get("/replay/last", follow_redirects=True).status_code == 200


def test_moments_are_the_finding_its_ruling_the_correction_and_the_points(
    game: Any, table: Table
) -> None:
    found = game("/moments").json["moments"]
    assert [(m["kind"], m["version"]) for m in found if m["kind"] == "finding"] == [
        ("finding", play_of(table, "Kd"))
    ]
    assert any("did not follow diamonds" in m["text"] for m in found)
    finding = table.state.findings[0].id
    table.submit(RuleFinding(finding=finding, ruling="uphold", reason="seen"), source="director")
    ruled = table.version
    table.submit(AdjustScore(points=(1, 0), reason="late"), source="director")
    table.submit(Correct(target=play_of(table, "Ts"), card=Card("Th"), reason="x"), source="page")
    told = [(m["version"], m["kind"]) for m in game("/moments").json["moments"]]
    assert {(ruled, "ruling"), (ruled + 1, "adjustment"), (ruled + 2, "correction")} <= set(told)
    assert "deal" in {kind for _, kind in told}


def test_a_game_can_be_seen_as_it_was_known_and_as_it_was(game: Any, table: Table) -> None:
    played = play_of(table, "Kd")
    table.submit(Correct(target=played, card=Card("Qs"), reason="misread"), source="page")

    def cards(view: str) -> list[str]:
        shown = game(version=played, view=view).json
        return [p["card"] for p in shown["deal"]["tricks"][-1]["plays"]]

    assert cards("known")[-1] == "Kd"
    assert cards("truth")[-1] == "Qs"
    assert len(game(version=played, view="known").json["findings"]) == 1
    assert game(version=played, view="truth").json["findings"] == []


def test_a_view_that_there_is_not_is_refused(game: Any) -> None:
    refused = game(version=1, view="dreamt")
    assert refused.status_code == 400
    assert "dreamt" in refused.json["reason"]


def test_a_step_shows_the_picture_of_its_card(hands: Any, table: Table, client: Any) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.doubt(1, (("Ah", 0.6), ("Jh", 0.3)), "00112233445566778899aabbccddeeff")
    steps = client.get(f"/api/games/{table.game_id}").json["steps"]
    assert steps[-1]["evidence"] == "00112233445566778899aabbccddeeff"
    assert steps[0]["evidence"] is None


# --- the record --------------------------------------------------------------------------


def test_the_record_shows_every_line_as_it_stands_with_who_mended_it(
    game: Any, table: Table
) -> None:
    played = play_of(table, "Ts")
    table.submit(Correct(target=played, card=Card("Th"), reason="smudge"), source="seat:1")
    told = game("/ledger").json
    line = next(x for x in told["lines"] if x["version"] == played)
    assert (line["text"], line["now"]) == (
        "Ann played the 10 of spades",
        "Ann played the 10 of hearts",
    )
    assert line["fact"]["card"] == "Th"
    (mend,) = line["mends"]
    assert (mend["source"], mend["stands"]) == ("seat:1", True)
    assert "smudge" in mend["text"]
    assert told["version"] == table.version
    assert all(x["kind"] != "corrected" for x in told["lines"])
    table.submit(Undo(), source="page")
    line = next(x for x in game("/ledger").json["lines"] if x["version"] == played)
    assert (line["now"], line["mends"][0]["stands"]) == (None, False)


def test_a_line_taken_back_keeps_its_place_and_is_struck(game: Any, table: Table) -> None:
    played = play_of(table, "Ts")
    table.submit(Correct(target=played, strike=True, reason="no card"), source="page")
    lines = game("/ledger").json["lines"]
    at = [x["version"] for x in lines].index(played)
    assert (lines[at]["struck"], lines[at]["fact"], lines[at]["deal"]) == (True, None, 1)
    assert lines[at - 1]["version"] == played - 1


def test_what_was_put_in_stands_where_it_belongs(game: Any, table: Table, client: Any) -> None:
    before = play_of(table, "As")
    told = client.post(
        "/api/command",
        json={
            "command": {
                "kind": "insert",
                "before": before,
                "fact": {"kind": "card_played", "seat": 1, "card": "Ks"},
                "reason": "missed",
            }
        },
    )
    assert told.status_code == 200, told.text
    lines = game("/ledger").json["lines"]
    versions = [x["version"] for x in lines]
    assert versions.index(table.version) + 1 == versions.index(before)
    assert lines[versions.index(table.version)]["fact"]["card"] == "Ks"


def test_lines_are_told_by_their_deals_with_the_result(client: Any, table: Table) -> None:
    scenes.buck_in_play(table)
    told = client.get(f"/api/games/{table.game_id}/ledger").json
    assert told["results"] == {"1": "the bid was made, 20–12–13"}
    deals = {x["kind"]: x["deal"] for x in told["lines"]}
    assert (deals["game_started"], deals["widow_swapped"], deals["dropped"]) == (None, 1, 2)


def test_a_card_laid_away_is_told_to_nobody(hands: Any, table: Table, client: Any) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    table.submit(Discard(seat=0, card=Card("9s")), source="page")
    table.submit(Discard(seat=0, card=Card("9c")), source="page")
    fixed = Correct(target=table.version, card=Card("Tc"), reason="looked again")
    table.submit(fixed, source="page")
    for path in ("/ledger", "/deals/1", "/export/jsonl", "/export/egn", "", "/moments"):
        told = client.get(f"/api/games/{table.game_id}{path}").text
        for card in ("9s", "9♠", "9 of spades", "9c", "9♣", "9C", "Tc", "10♣", "10C", "TC"):
            assert f'"{card}"' not in told, path
            assert f"Discard: {card}" not in told, path


def test_one_deal_is_drawn_on_paper(game: Any) -> None:
    drawn = "\n".join(game("/deals/1").json["lines"])
    assert "Ann" in drawn
    assert "♥" in drawn
    missing = game("/deals/7")
    assert missing.status_code == 404
    assert "7" in missing.json["reason"]


@pytest.mark.parametrize("path", ["", "/ledger", "/moments", "/deals/1", "/exports", "/export/egn"])
def test_a_game_nobody_recorded_is_not_found(client: Any, path: str) -> None:
    answer = client.get(f"/api/games/nothing{path}")
    assert answer.status_code == 404
    assert answer.json["accepted"] is False
    # Anybody may ask: where the log lies on the kit's disk is not told.
    assert answer.json["reason"] == "there is no game 'nothing' here"


# --- files -------------------------------------------------------------------------------


def test_every_file_is_a_download_under_a_plain_name(game: Any, table: Table) -> None:
    for to in ("egn", "jsonl", "svg", "pdf", "txt"):
        answer = game(f"/export/{to}")
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"] == (
            f'attachment; filename="upcard-{table.game_id}.{to}"'
        )
        assert answer.data


@pytest.mark.parametrize(
    ("game_id", "name"),
    [
        ("20261130-0300-ab12", "upcard-20261130-0300-ab12.egn"),
        ("../../etc/passwd", "upcard-etc-passwd.egn"),
        ('a"; rm -rf "x', "upcard-a-rm--rf-x.egn"),
        ("日本", "upcard-game.egn"),
        ("x" * 300, "upcard-" + "x" * 80 + ".egn"),
    ],
)
def test_no_game_gives_its_file_a_name_that_leads_elsewhere(game_id: str, name: str) -> None:
    assert file_name(game_id, "egn") == name


def test_all_facts_come_back_from_the_lossless_file(game: Any, table: Table) -> None:
    (again,) = read_jsonl(game("/export/jsonl").data).games
    assert [e.fact for e in again.entries] == [r.fact for r in table.records]


def test_the_notation_of_others_scores_the_same(hands: Any, table: Table, client: Any) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5)
    (again,) = read_egn(client.get(f"/api/games/{table.game_id}/export/egn").data).games
    assert score_json(again.records())["score"] == [0, 1]


def test_what_a_file_cannot_say_is_told_before_it_is_taken(client: Any, table: Table) -> None:
    scenes.buck_in_play(table)
    told = client.get(f"/api/games/{table.game_id}/exports").json["exports"]
    egn = next(x for x in told if x["to"] == "egn")
    assert egn["able"] is False
    assert "buck" in egn["losses"][0]
    refused = client.get(f"/api/games/{table.game_id}/export/egn")
    assert refused.status_code == 409
    assert "buck" in refused.json["reason"]
    assert {x["to"] for x in told if x["able"]} == {"jsonl", "svg", "pdf", "txt"}


def test_a_file_of_another_kind_is_refused(game: Any) -> None:
    assert game("/export/exe").status_code == 404


def texts(svg: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_score_sheet_is_a_picture_with_every_deal(client: Any, table: Table) -> None:
    scenes.buck_in_play(table)
    said = texts(client.get(f"/api/games/{table.game_id}/export/svg").data)
    assert {"Ann", "Bob", "Cy", "20", "12", "13"} <= set(said)
    assert {"20 (+5)", "12 (−3)", "13 (−2)"} <= set(said)
    assert "Bob, bid 3" in said


def test_a_name_cannot_draw_on_the_score_sheet(hands: Any, table: Table, client: Any) -> None:
    hands.start(("<script>x</script>", 'B"&', "Cy", "Dee"))
    svg = client.get(f"/api/games/{table.game_id}/export/svg").data
    assert b"<script" not in svg
    assert any("<script>" in said for said in texts(svg))


# --- imported games ----------------------------------------------------------------------


@pytest.mark.parametrize("number", ["00", "02", "04", "06", "08", "10", "12", "14", "16"])
def test_a_real_game_from_another_program_is_stepped_through_and_saved(
    shared: Path, log: MemoryLog, client: Any, number: str
) -> None:
    (game,) = read_egn_file(shared / "data/egn" / f"real_{number}.egn").games
    game_id = store(log, game)
    expected = json.loads((shared / "data/egn" / f"real_{number}.expected.json").read_text())
    told = client.get(f"/api/games/{game_id}").json
    assert len(told["stops"]["deal"]) == len(expected["deals"])
    last = client.get(f"/api/games/{game_id}?version={told['version']}").json
    assert [side["score"] for side in last["sides"]] == expected["score"]
    middle = client.get(f"/api/games/{game_id}?version={told['version'] // 2}&view=truth")
    assert middle.status_code == 200
    (again,) = read_egn(client.get(f"/api/games/{game_id}/export/egn").data).games
    assert score_json(again.records())["score"] == expected["score"]


@pytest.mark.parametrize("scene", [scenes.buck_in_play, scenes.two_hand, scenes.call_ace])
def test_games_of_every_shape_are_stepped_through(
    client: Any, table: Table, scene: Callable[[Table], None]
) -> None:
    scene(table)
    for version in range(table.version + 1):
        for view in ("known", "truth"):
            answer = client.get(f"/api/games/{table.game_id}?version={version}&view={view}")
            assert answer.status_code == 200
    assert client.get(f"/api/games/{table.game_id}/ledger").status_code == 200
    assert client.get(f"/api/games/{table.game_id}/deals/1").status_code == 200
