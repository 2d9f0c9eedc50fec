"""The page is small on the wire and asks for its modules at once."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from web_dashboard.delivery import modules_of

#: What a first visit may take, in bytes on the wire, headers left out.
FIRST_VIEW_BYTES = 150_000


def linked(html: str) -> list[str]:
    """What a page names in its head, in order, each once."""
    return list(dict.fromkeys(re.findall(r'(?:href|src)="(/static/[^"]+)"', html)))


def on_the_wire(client: Any, address: str) -> int:
    answer = client.get(address, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200, address
    return len(answer.data)


#: The board with a deal on it draws the four cards of a trick and the up-card; the largest.
FACES = ("Qh", "Kh", "Qd", "Qc", "Qs")


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_first_view_of_the_board_is_within_its_budget(client: Any, language: str) -> None:
    page = client.get("/").text
    total = on_the_wire(client, "/")
    total += sum(on_the_wire(client, address) for address in linked(page))
    total += sum(on_the_wire(client, f"/static/cards/{card}.svg") for card in FACES)
    total += on_the_wire(client, "/api/snapshot") + on_the_wire(client, "/api/me")
    if language == "de":
        total += on_the_wire(client, "/static/words/de.json")
    assert total < FIRST_VIEW_BYTES, total


@pytest.mark.parametrize(
    ("page", "entry"),
    [("/", "live.js"), ("/seat/1", "seat.js"), ("/director", "director.js")],
)
def test_a_page_names_every_module_it_will_need(client: Any, page: str, entry: str) -> None:
    named = linked(client.get(page).text)
    assert set(modules_of(entry)) <= set(named)


def test_modules_are_found_however_they_are_imported(root: Path) -> None:
    found = modules_of("live.js")
    static = root / "web_dashboard/static"
    for address in found:
        source = (static / address.removeprefix("/static/")).read_text()
        folder = (static / address.removeprefix("/static/")).parent
        for name in re.findall(r'from "(\.[^"]+)"', source):
            wanted = (folder / name).resolve().relative_to(static.resolve()).as_posix()
            assert f"/static/{wanted}" in found, (address, name)


def test_a_script_is_packed_for_who_takes_it_and_plain_for_who_does_not(client: Any) -> None:
    plain = client.get("/static/js/live.js")
    packed = client.get("/static/js/live.js", headers={"Accept-Encoding": "br, gzip"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert int(packed.headers["Content-Length"]) == len(packed.data)
    assert "Accept-Encoding" in packed.headers["Vary"]


def test_what_has_not_changed_is_not_sent_again(client: Any) -> None:
    first = client.get("/static/js/live.js", headers={"Accept-Encoding": "gzip"})
    again = client.get(
        "/static/js/live.js",
        headers={"Accept-Encoding": "gzip", "If-None-Match": first.headers["ETag"]},
    )
    assert (again.status_code, again.data) == (304, b"")


def test_answers_that_may_hold_a_secret_are_not_packed(client: Any) -> None:
    for address in ("/api/me", "/api/codes", "/api/snapshot"):
        told = client.get(address, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in told.headers, address


def test_a_head_request_and_an_error_are_left_alone(client: Any) -> None:
    headers = {"Accept-Encoding": "gzip"}
    assert client.head("/static/js/live.js", headers=headers).status_code == 200
    assert client.get("/static/js/none.js", headers=headers).status_code == 404
