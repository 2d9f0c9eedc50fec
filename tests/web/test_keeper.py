"""The score keeper's parts that need no browser: its table of points, its one file, its worker."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from words_scenes import script_sentences, template_sentences

from engine.log import Log
from engine.memory_log import MemoryLog
from engine.state import fold
from web_dashboard.keeper import keeper_routes, keeper_rules, keeper_words, one_script


@pytest.fixture
def keeper() -> Any:
    app = Flask("web_dashboard")
    app.register_blueprint(keeper_routes(MemoryLog()))
    return app.test_client()


#: RULES.md, "Points": makers' tricks, maker alone, defender alone -> case, side, points.
HANDS = (
    (3, False, False, "made", "makers", 1),
    (4, False, False, "made", "makers", 1),
    (5, False, False, "march", "makers", 2),
    (5, True, False, "march_alone", "makers", 4),
    (3, True, False, "made_alone", "makers", 1),
    (4, True, False, "made_alone", "makers", 1),
    (2, False, False, "euchre", "defenders", 2),
    (0, False, False, "euchre", "defenders", 2),
    (1, False, True, "lone_defender_euchre", "defenders", 4),
    (2, True, True, "lone_defender_euchre", "defenders", 4),
    (3, False, True, "made", "makers", 1),
    (2, True, False, "euchre", "defenders", 2),
)


@pytest.mark.parametrize(("tricks", "alone", "defended", "case", "side", "points"), HANDS)
def test_a_hand_scores_what_the_rules_say(
    tricks: int, alone: bool, defended: bool, case: str, side: str, points: int
) -> None:
    table = keeper_rules()["tables"]["2:false"]
    key = f"{tricks}:{str(alone).lower()}:{str(defended).lower()}"
    assert list(table[key]) == [case, side, points]


def test_the_table_holds_every_hand_under_every_option() -> None:
    tables = keeper_rules()["tables"]
    assert len(tables) == 6
    for table in tables.values():
        assert len(table) == 6 * 2 * 2


def test_a_euchred_lone_hand_and_a_euchre_without_a_trick_may_count_more() -> None:
    tables = keeper_rules()["tables"]
    assert list(tables["4:false"]["2:true:false"]) == ["lone_euchre", "defenders", 4]
    assert list(tables["2:true"]["0:false:false"]) == ["super_euchre", "defenders", 4]
    assert list(tables["2:true"]["1:false:false"]) == ["euchre", "defenders", 2]


# --- the one file -------------------------------------------------------------------------------


@pytest.fixture
def file(keeper: Any) -> str:
    return keeper.get("/keeper/file").text


def test_the_file_is_to_be_taken_away(keeper: Any) -> None:
    answer = keeper.get("/keeper/file")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="upcard-keeper.html"'
    assert answer.mimetype == "text/html"


def test_the_file_asks_nothing_of_any_network(file: str) -> None:
    head = html.unescape(file.split("<script", 1)[0])
    assert "default-src 'none'" in head
    assert "connect-src" not in head
    assert not re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', file)
    assert "url(" not in file.split("<style>", 1)[1].split("</style>", 1)[0]


def test_the_file_allows_the_scripts_it_holds_and_no_other(file: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', file)
    assert policy is not None
    # The template writes the quotes of the policy as entities.
    allowed = set(re.findall(r"'sha256-([\w+/=]+)'", html.unescape(policy[1])))
    held = re.findall(
        r"<(?:script|style)(?: type=\"module\")?>(.*?)</(?:script|style)>", file, re.S
    )
    assert len(held) == 3
    for text in held:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert digest in allowed
    assert len(allowed) == 3
    assert "unsafe-inline" not in policy[1]


def test_the_file_speaks_german_too(file: str, root: Path) -> None:
    words = json.loads(file.split('id="words-de">', 1)[1].split("</script>", 1)[0])
    assert words["Everybody passed"] == "Alle haben gepasst"
    assert words["Euchre score keeper"] == "Punktezettel für Euchre"
    assert len(words) < len(json.loads((root / "web_dashboard/static/words/de.json").read_text()))


def test_the_files_script_is_one_that_can_be_read(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is absent: the browser tests read the script too")
    script = tmp_path / "keeper.mjs"
    script.write_text(one_script())
    assert (
        subprocess.run([node, "--check", script], capture_output=True, check=False).returncode == 0
    )
    assert not re.search(r"^(import|export) ", one_script(), re.M)


def test_what_the_keeper_can_say_comes_along(root: Path) -> None:
    told = keeper_words()["de"]
    wanted = script_sentences((root / "web_dashboard/static/js/keeper.js").read_text())
    wanted |= template_sentences((root / "web_dashboard/templates/keeper.html").read_text())
    assert wanted <= set(told)


# --- kept by the browser ------------------------------------------------------------------------


def test_the_worker_keeps_every_file_the_page_loads(keeper: Any) -> None:
    worker = keeper.get("/keeper-worker.js").text
    kept = json.loads(re.search(r"const FILES = (\[.*?\]);", worker)[1])  # type: ignore[index]
    page = keeper.get("/keeper").text
    loaded = [a for a in re.findall(r'(?:src|href)="(/[^"#]+)"', page) if a != "/"]
    assert set(loaded) <= set(kept)
    modules = [name for name in kept if name.endswith(".js")]
    for name in modules:
        source = keeper.get(name).text
        for imported in re.findall(r'^import .* from "\./([\w.]+)"', source, re.M):
            assert f"/static/js/{imported}" in kept, f"{name} needs {imported}"
    for address in kept:
        assert keeper.get(address).status_code == 200, address


def test_the_worker_is_another_one_when_anything_it_keeps_is_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from web_dashboard import keeper

    before = keeper._edition.__wrapped__()
    monkeypatch.setattr(keeper, "TARGETS", (5, 7))
    assert keeper._edition.__wrapped__() != before


def test_the_manifest_names_a_page_and_icons_that_are_there(keeper: Any) -> None:
    manifest = json.loads(keeper.get("/keeper/manifest.webmanifest").data)
    assert keeper.get(manifest["start_url"]).status_code == 200
    sizes = set()
    for icon in manifest["icons"]:
        drawn = keeper.get(icon["src"])
        assert drawn.status_code == 200
        assert drawn.mimetype == icon["type"]
        sizes.add(icon["sizes"])
    assert {"192x192", "512x512"} <= sizes


# --- a finished game, sent to the kit -------------------------------------------------------------


def kept_game(**changes: Any) -> dict[str, Any]:
    """RULES.md's worked game as the page sends it."""
    hands = [
        {"called": 0, "tricks": [5, 0]},
        {"called": 1, "tricks": [3, 2]},
        {"called": 0, "tricks": [5, 0], "alone": True, "defended": False},
        {"passed": True},
        {"called": 1, "tricks": [1, 4]},
        {"called": 0, "tricks": [3, 2]},
        {"called": 0, "tricks": [5, 0]},
    ]
    return {
        "kind": "upcard-keeper-game",
        "version": 1,
        "id": "0123456789abcdef",
        "started_at_ms": 1_796_000_000_000,
        "names": ["Ann & Cy", "Them"],
        "target": 10,
        "lone_euchre": 2,
        "super_euchre": False,
        "hands": hands,
    } | changes


def test_a_kept_game_is_among_the_games_and_scored_by_the_engine(client: Any, log: Log) -> None:
    told = client.post("/api/keeper", json=kept_game())
    assert told.json == {"accepted": True, "game_id": "keeper-0123456789abcdef"}
    state = fold(log.read("keeper-0123456789abcdef"))
    assert (state.score, state.over, state.winner) == ((11, 1), True, 0)
    assert state.names == ("Ann", "Them", "Cy", "Them")
    [line] = client.get("/api/games").json["games"]
    assert [side["score"] for side in line["sides"]] == [11, 1]
    assert [side["name"] for side in line["sides"]] == ["Ann and Cy", "Them"]
    figures = client.get("/api/statistics/keeper-0123456789abcdef").json
    assert figures["sides"][0]["loners"] == 1
    assert figures["sides"][0]["marches"] == 3
    assert figures["sides"][0]["euchres"] == 1
    assert figures["scores"][-1] == [11, 1]


def test_a_game_sent_twice_is_there_once(client: Any, log: Log) -> None:
    client.post("/api/keeper", json=kept_game())
    assert client.post("/api/keeper", json=kept_game()).status_code == 200
    assert len(log.games()) == 1


def test_a_game_of_400_hands_is_taken_in_whole(client: Any, log: Log) -> None:
    passed = [{"passed": True}] * 300
    won = [{"called": n % 2, "tricks": [3, 2] if n % 2 == 0 else [2, 3]} for n in range(100)]
    hands = [
        *passed,
        *({**hand, "alone": False, "defended": False} for hand in won),
    ]
    body = kept_game(hands=hands, target=100)
    assert len(json.dumps(body)) > 8192, "longer than what other routes take"
    told = client.post("/api/keeper", json=body)
    assert told.status_code == 200, told.json
    state = fold(log.read(told.json["game_id"]))
    assert (len(log.read(told.json["game_id"])), state.score) == (401, (50, 50))


def test_a_game_longer_than_any_evening_is_refused_whole(client: Any, log: Log) -> None:
    hand = {"called": 0, "tricks": [3, 2], "alone": False, "defended": False}
    for hands in ([hand] * 1001, [{**hand, "note": "x" * 200}] * 999):
        told = client.post("/api/keeper", json=kept_game(hands=hands))
        assert told.status_code in (400, 413)
        assert "1000" in told.json["reason"]
    assert log.games() == ()


def test_who_only_watches_sends_no_game(watcher: Any, log: Log) -> None:
    assert watcher.post("/api/keeper", json=kept_game()).status_code == 401
    assert log.games() == ()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"kind": "another"}, "upcard-keeper-game"),
        ({"id": "../../etc"}, "'../../etc'"),
        ({"started_at_ms": "now"}, "'now'"),
        ({"target": 0}, "target = 0"),
        ({"lone_euchre": 9}, "lone_euchre = 9"),
        ({"super_euchre": "yes"}, "super_euchre = 'yes'"),
        ({"names": ["x" * 41, "y"]}, "at most 40 letters"),
        ({"names": "Us"}, "'Us'"),
        ({"hands": []}, "1 to 1000"),
        ({"hands": [{"called": 2, "tricks": [3, 2]}]}, "called 2"),
        ({"hands": [{"called": 0, "tricks": [3, 1]}]}, "hand 1: tricks [3, 1]"),
        ({"hands": [{"called": 0, "tricks": [6, -1]}]}, "tricks [6, -1]"),
        ({"hands": [{"called": 0, "tricks": [5, 0], "alone": 1}]}, "true or false"),
        ({"hands": [7]}, "hand 1"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_game_that_cannot_be_is_refused_by_name(
    client: Any, log: Log, changes: dict[str, Any], named: str
) -> None:
    told = client.post("/api/keeper", json=kept_game(**changes))
    assert told.status_code == 400
    assert named in told.json["reason"]
    assert log.games() == ()
