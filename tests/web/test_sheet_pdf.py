"""The score sheet as a PDF: read back by a reader of its own, and held against the picture."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from engine.commands import EndGame
from engine.facts import DealKept, GameStarted, Recorded
from engine.table import Table
from web_dashboard.replay import snapshot_at
from web_dashboard.score_sheet import sheet_svg
from web_dashboard.sheet_pdf import PAGE, pdf_of, unwritable

SYMBOL = {0xA7: "♣", 0xA8: "♦", 0xA9: "♥", 0xAA: "♠", 0xC6: "∅", 0x2D: "−"}


def objects(pdf: bytes) -> dict[int, bytes]:
    """What the file's own table of places finds; every offset has to be right."""
    start = int(re.findall(rb"startxref\n(\d+)\n%%EOF\n\Z", pdf)[0])
    head = re.match(rb"xref\n0 (\d+)\n", pdf[start:])
    assert head is not None
    entries = re.findall(rb"(\d{10}) (\d{5}) ([nf]) \n", pdf[start:])
    assert len(entries) == int(head[1])
    found = {}
    for number, (offset, _, kind) in enumerate(entries):
        if kind == b"n":
            body = pdf[int(offset) :]
            assert body.startswith(b"%d 0 obj\n" % number)
            found[number] = body.partition(b" obj\n")[2].partition(b"\nendobj")[0]
    return found


def pages(pdf: str) -> list[list[tuple[float, float, str]]]:
    """The words of each page with where they begin, in points."""
    found = objects(pdf.encode("ascii"))
    [tree] = [body for body in found.values() if b"/Type /Pages" in body]
    kids = [int(n) for n in re.findall(rb"(\d+) 0 R", tree)]
    told = []
    for kid in kids:
        contents = re.search(rb"/Contents (\d+) 0 R", found[kid])
        assert contents is not None
        stream = re.fullmatch(
            rb"<< /Length (\d+) >>\nstream\n(.*)\nendstream", found[int(contents[1])], re.S
        )
        assert stream is not None
        assert len(stream[2]) == int(stream[1])
        told.append(
            [
                (
                    float(x),
                    float(y),
                    "".join(map(_letters, re.findall(rb"/(\w) \S+ Tf <(\w*)>", run))),
                )
                for x, y, run in re.findall(rb"BT .*? rg (\S+) (\S+) Td (.*?) ET", stream[2])
            ]
        )
    return told


def _letters(run: tuple[bytes, bytes]) -> str:
    font, codes = run[0].decode(), bytes.fromhex(run[1].decode())
    match font:
        case "S":
            return "".join(SYMBOL[code] for code in codes)
        case "Z":
            return "★" * len(codes)
        case _:
            return codes.decode("cp1252")


def shown(svg: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<text [^>]*>([^<]*)</text>", svg)]


@pytest.fixture
def played(hands: Any, table: Table) -> Table:
    hands.start(("Änne", "Łuk (Ben)".replace("Ł", "L"), "Cleo & Co", "Dan\\el"))
    hands.turn_up()
    hands.declare()
    hands.tricks(1, 5, revoke=True)
    hands.do(EndGame(reason="late"))
    return table


def test_the_pdf_says_what_the_picture_says_and_where(played: Table) -> None:
    svg = sheet_svg(snapshot_at(played.records, played.version), title="An evening (late)")
    [page] = pages(pdf_of(svg))
    assert [text for _, _, text in page] == shown(svg)
    assert "An evening (late)" in shown(svg)
    assert all(0 < x < PAGE[0] and 0 < y < PAGE[1] for x, y, _ in page)
    ys = [float(y) for y in re.findall(r'<text x="[^"]+" y="([^"]+)"', svg)]
    assert [round(PAGE[1] - y, 1) for _, y, _ in page] == [round(y * 0.75, 1) for y in ys]


def test_what_ends_at_a_column_ends_there_within_the_page(played: Table) -> None:
    svg = sheet_svg(snapshot_at(played.records, played.version))
    ends = [
        float(x) * 0.75 for x in re.findall(r'x="([^"]+)" y="[^"]+" class="[^"]+" text-anc', svg)
    ]
    begins = [
        x for x, _, text in pages(pdf_of(svg))[0] if any(text == word for word in ended_words(svg))
    ]
    assert begins
    assert all(begin < max(ends) for begin in begins)
    assert max(ends) < PAGE[0] - 30


def ended_words(svg: str) -> list[str]:
    return [unescape(t) for t in re.findall(r'text-anchor="end">([^<]*)</text>', svg)]


def test_a_long_game_goes_on_over_the_page_and_no_row_is_lost_or_cut() -> None:
    facts: list[Any] = [
        GameStarted(rules={"preset": "home", "target": 100}, names=("N", "E", "S", "W"), dealer=0),
        *(DealKept(makers=n % 2, tricks=3) for n in range(90)),
    ]
    records = tuple(
        Recorded(seq=n, game_id="g", version=n, at_us=n, source="t", fact=fact)
        for n, fact in enumerate(facts, 1)
    )
    svg = sheet_svg(snapshot_at(records, len(records)))
    told = pages(pdf_of(svg))
    assert len(told) == 3
    assert [text for page in told for _, _, text in page] == shown(svg)
    assert all(0 < y < PAGE[1] for page in told for _, y, _ in page)


@pytest.mark.parametrize("name", ["Łukasz", "Мария", "花子"])
def test_letters_the_pdf_has_no_font_for_are_told_instead_of_printed_wrong(
    client: Any, hands: Any, name: str
) -> None:
    hands.start((name, "Ben", "Cleo", "Dan"))
    hands.turn_up()
    game_id = hands.table.game_id
    [told] = [
        line
        for line in client.get(f"/api/games/{game_id}/exports").json["exports"]
        if line["to"] == "pdf"
    ]
    assert told["able"] is False
    assert name[0] in told["losses"][0]
    refused = client.get(f"/api/games/{game_id}/export/pdf")
    assert refused.status_code == 409
    assert unwritable(f'<text x="1" y="1" class="c">{name}</text>').startswith(name[0])


def test_the_file_is_sent_as_a_pdf(client: Any, played: Table) -> None:
    sent = client.get(f"/api/games/{played.game_id}/export/pdf")
    assert (sent.status_code, sent.mimetype) == (200, "application/pdf")
    assert sent.data.startswith(b"%PDF-1.4\n")
    assert ".pdf" in sent.headers["Content-Disposition"]
    assert objects(sent.data)
