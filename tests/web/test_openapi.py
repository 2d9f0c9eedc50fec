"""The document of the API says what there is, and the answers are what it says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from documented import broken_promise, path_of
from jsonschema import Draft202012Validator

from engine.commands import EndGame
from engine.notation.jsonl import write_jsonl
from engine.table import Table
from web_dashboard.openapi import SCHEMAS, document

#: What is for programs; all else are pages for people, and their files.
FOR_PROGRAMS = ("/api/", "/events", "/health", "/evidence/")


def routes(app: Any) -> set[tuple[str, str]]:
    return {
        (path_of(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(FOR_PROGRAMS)
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }


def test_every_route_is_in_the_document_and_nothing_else(app: Any, client: Any) -> None:
    told = client.get("/api/openapi.json").json
    assert told == document()
    assert {(path, method) for path, ops in told["paths"].items() for method in ops} == routes(app)


def test_every_schema_is_a_schema_and_is_used() -> None:
    text = str(document())
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert f"#/components/schemas/{name}'" in text, name
    assert set(re.findall(r"#/components/schemas/(\w+)", text)) == set(SCHEMAS)


def test_every_parameter_of_a_path_is_told() -> None:
    for path, operations in document()["paths"].items():
        for operation in operations.values():
            told = {p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"}
            assert told == set(re.findall(r"\{(\w+)\}", path)), path


def test_an_answer_of_another_shape_would_be_noticed(client: Any) -> None:
    me = client.get("/api/me")
    assert broken_promise("/api/me", "GET", me) is None
    assert broken_promise("/api/snapshot", "GET", me) is not None
    assert broken_promise("/evidence/<name>.jpg", "GET", me) is not None


def asked(game_id: str | None, file: str) -> list[tuple[str, str, Any]]:
    """A request for every operation but the stream, as method, address and body."""
    game = f"/api/games/{game_id}"
    return [
        *(
            ("GET", address, None)
            for address in (
                "/api/openapi.json", "/health", "/api/snapshot", "/api/me", "/api/codes",
                "/api/codes/seat-1.svg", "/api/deals/1", "/api/parts", "/api/presets",
                "/api/doctor", "/api/shuffle", "/api/games", game, f"{game}?version=3",
                f"{game}?version=3&view=truth", f"{game}/moments", f"{game}/ledger",
                f"{game}/deals/1", f"{game}/exports", f"{game}/export/egn", f"{game}/export/svg",
                "/api/statistics", f"/api/statistics/{game_id}",
                "/evidence/00112233445566778899aabbccddeeff.jpg",
            )
        ),
        ("POST", "/api/command", {"command": {"kind": "confirm_deal", "deal": 1}}),
        ("POST", "/api/shuffle", {"do": "by_hand", "seat": 0, "passes": 1}),
        ("POST", f"{game}/title", {"title": "Friday"}),
        ("POST", "/api/import", {"text": file}),
        ("POST", "/api/codes", {"home": False}),
    ]  # fmt: skip


def rule_of(app: Any, method: str, address: str) -> str:
    matched = app.url_map.bind("localhost").match(
        address.partition("?")[0], method, return_rule=True
    )
    return str(matched[0].rule)


def test_what_is_asked_in_order_is_answered_as_promised(
    app: Any, client: Any, hands: Any, table: Table, picture: str
) -> None:
    hands.start()
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    assert picture
    for method, address, body in asked(table.game_id, write_jsonl(table.records)):
        answer = client.open(address, method=method, json=body)
        assert answer.status_code == 200, (address, answer.text)
        wrong = broken_promise(rule_of(app, method, address), method, answer)
        assert wrong is None, (address, wrong)
        answer.close()


def test_what_cannot_be_is_refused_as_promised(app: Any, watcher: Any, client: Any) -> None:
    for method, address, body in asked("nobody", "rubbish"):
        for asking in (watcher, client):
            answer = asking.open(address, method=method, json=body)
            wrong = broken_promise(rule_of(app, method, address), method, answer)
            assert wrong is None, (address, answer.status_code, wrong)
            assert answer.status_code < 500
            answer.close()


def test_a_game_that_is_over_still_fits(client: Any, hands: Any) -> None:
    hands.start()
    hands.do(EndGame(reason="late"))
    assert broken_promise("/api/snapshot", "GET", client.get("/api/snapshot")) is None


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_a_method_nobody_takes_is_refused_in_words(client: Any, method: str) -> None:
    answer = client.open("/api/snapshot", method=method)
    assert answer.status_code in (405, 415)
    assert answer.json["accepted"] is False
