"""What ``upcard teach`` does when a showing ends early, and what it says; no model is needed.

Learning itself is tested with the model elsewhere: here the table that shows the cards and the
one who learns are stand-ins, and the way between them is the kit's own.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from engine.cards import Card
from pi import teach
from pi.cli import main
from pi.errors import BadSettings
from pi.teach import Plan, plan_for, sentence
from vision.clips import ClipTruncated
from vision.decks import DeckLine
from vision.frame import Frame
from vision.teaching import CardTaken, NotTaken, Verdict

CARDS = (Card("Kh"), Card("Qh"))


def words(**given: Any) -> argparse.Namespace:
    plain: dict[str, Any] = {"name": "mine", "source": None, "cards": "24", "order": None}
    return argparse.Namespace(**(plain | {"views": 2, "threads": 1, "seed": 1} | given))


# --- the plan ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "source"), [("pi", "pi"), ("usb", "usb"), ("hand", "pi")])
def test_on_a_pi_the_deck_is_shown_to_the_camera_that_the_table_plays_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, source: str
) -> None:
    settings = tmp_path / "upcard.toml"
    settings.write_text(f'table = "{table}"\nwidth_px = 1920\nheight_px = 1080\n')
    monkeypatch.setenv("UPCARD_SETTINGS", str(settings))
    monkeypatch.setattr(teach, "on_a_pi", lambda: True)
    plan = plan_for(words(), folder=tmp_path)
    assert (plan.source, plan.settings.width_px, plan.order) == (source, 1920, "asked")


def test_a_recorded_deck_is_taken_in_any_order_unless_one_is_asked_for(tmp_path: Path) -> None:
    clip = tmp_path / "deck.mp4"
    clip.write_bytes(b"")
    assert plan_for(words(source=str(clip)), folder=tmp_path).order == "any"
    assert plan_for(words(source=str(clip), order="asked"), folder=tmp_path).order == "asked"


def test_a_card_named_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="--cards Kh,9c,Kh: a card is named twice"):
        plan_for(words(source="sim", cards="Kh,9c,Kh"), folder=tmp_path)


# --- the showing -------------------------------------------------------------------------------


class Table:
    """Shows a picture for each piece of news, then ends as it was told to."""

    def __init__(self, pictures: int, end: BaseException | None = None) -> None:
        self.pictures = pictures
        self.end = end
        self.closed = False

    def frames(self) -> Iterator[Frame]:
        for number in range(self.pictures):
            yield Frame(at_us=number * 1_000_000, image=np.zeros((4, 4, 3), np.uint8))
        if self.end is not None:
            raise self.end

    def close(self) -> None:
        self.closed = True


class Learner:
    """Takes a card from every picture, in the order asked for."""

    def __init__(self, reader: Any, *, order: Any, views: int) -> None:
        self.order = order
        self.examples: list[str] = []
        self.ended_us: int | None = None

    @property
    def asked(self) -> Card | None:
        left = (self.order or ())[len(self.examples) :]
        return left[0] if left else None

    @property
    def done(self) -> bool:
        return self.order is not None and len(self.examples) == len(self.order)

    def see(self, frame: Frame) -> list[CardTaken]:
        card = self.asked or CARDS[len(self.examples) % 2]
        self.examples.append(card)
        return [CardTaken(at_us=frame.at_us, card=card, views=2, read=card, confidence=0.9)]

    def end(self, at_us: int) -> list[NotTaken]:
        self.ended_us = at_us
        return [NotTaken(at_us=at_us, why="a card lay half hidden: show it whole")]

    def picture(self, image: Any, label: Card | None) -> NotTaken | CardTaken:
        if label is None:
            return NotTaken(at_us=0, why="no card was read: name the file after its card")
        self.examples.append(label)
        return CardTaken(at_us=0, card=label, views=1, read=None, confidence=0.0)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Each deck that was kept, as the names of its cards."""
    decks: list[Any] = []

    def learn(studio: Any, examples: list[str], **given: Any) -> Any:
        deck = SimpleNamespace(
            name=given["name"],
            cards=tuple(examples),
            memory=SimpleNamespace(doubted=()),
            wanted=given["wanted"],
        )
        return deck, tuple(Verdict(card=Card(name), kind="clear") for name in examples)

    def keep(folder: Path, deck: Any) -> Path:
        decks.append(deck)
        return folder / f"{deck.name}.npz"

    monkeypatch.setattr(teach, "load_reader", lambda **given: None)
    monkeypatch.setattr(teach, "open_studio", lambda reader, **given: SimpleNamespace(reader=None))
    monkeypatch.setattr(teach, "Teaching", Learner)
    monkeypatch.setattr(teach, "learn", learn)
    monkeypatch.setattr(teach, "keep_deck", keep)
    return decks


def taught(
    monkeypatch: pytest.MonkeyPatch, table: Table, *, order: Any = "any", source: str = "sim"
) -> tuple[int, list[dict[str, Any]], list[str]]:
    lines: list[dict[str, Any]] = []
    said: list[str] = []
    monkeypatch.setattr(teach, "_source", lambda plan, opened: table)
    plan = Plan(
        name="mine",
        source=source,
        cards=CARDS,
        order=order,
        views=2,
        folder=Path("decks"),
        threads=1,
    )
    code = teach.teach(plan, emit=lines.append, complain=said.append, today=lambda: "2026-11-30")
    return code, lines, said


def test_a_whole_deck_is_asked_for_card_by_card_and_the_showing_ends_with_the_last(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any]
) -> None:
    table = Table(pictures=9)
    code, lines, said = taught(monkeypatch, table, order="asked")
    assert (code, said, table.closed) == (0, [], True)
    asked = [(line["card"], line["number"], line["of"]) for line in lines if line["kind"] == "ask"]
    assert asked == [("Kh", 1, 2), ("Qh", 2, 2)]
    assert [deck.cards for deck in kept] == [("Kh", "Qh")]
    assert kept[0].wanted == CARDS, "what was asked for and not shown would be told"
    assert lines[-1]["kind"] == "kept"
    assert lines[-1]["clear"] == 2


def test_a_showing_that_just_ends_tells_what_still_lay_there(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any]
) -> None:
    code, lines, _ = taught(monkeypatch, Table(pictures=2))
    assert code == 0
    (not_taken,) = (line for line in lines if line["kind"] == "not_taken")
    assert (not_taken["at_us"], "half hidden" in not_taken["why"]) == (1_000_000, True)
    assert kept[0].wanted == (), "in any order nothing was asked for"


def test_who_stops_half_way_keeps_what_was_shown_and_the_exit_code_says_so(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any]
) -> None:
    table = Table(pictures=1, end=KeyboardInterrupt())
    code, _, said = taught(monkeypatch, table, order="asked")
    assert (code, said, table.closed) == (130, [], True)
    assert [deck.cards for deck in kept] == [("Kh",)]


def test_a_clip_that_is_cut_short_teaches_what_it_showed_and_is_named(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any]
) -> None:
    cut = ClipTruncated("deck.mp4 ends after 3 of 9 pictures: copy it again")
    code, _, said = taught(monkeypatch, Table(pictures=2, end=cut), source="deck.mp4")
    assert (code, said) == (1, [str(cut)])
    assert [deck.cards for deck in kept] == [("Kh", "Qh")]


def test_a_clip_that_shows_nothing_before_it_breaks_teaches_nothing(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any]
) -> None:
    table = Table(pictures=0, end=ClipTruncated("deck.mp4 is cut short"))
    with pytest.raises(ClipTruncated):
        taught(monkeypatch, table, source="deck.mp4")
    assert (kept, table.closed) == ([], True)


def test_a_folder_is_taken_by_its_pictures_names_and_a_faulty_one_is_named(
    monkeypatch: pytest.MonkeyPatch, kept: list[Any], tmp_path: Path
) -> None:
    for name in ("Kh.png", "IMG_1.png"):
        cv2.imwrite(str(tmp_path / name), np.zeros((9, 9, 3), np.uint8))
    (tmp_path / "Qh.jpg").write_text("no picture")
    (tmp_path / "notes.txt").write_text("not looked at")
    code, lines, said = taught(monkeypatch, Table(0), source=str(tmp_path))
    assert code == 1
    assert len(said) == 1
    assert "Qh.jpg" in said[0]
    assert [deck.cards for deck in kept] == [("Kh",)]
    told = {Path(line["image"]).name: line["kind"] for line in lines if "image" in line}
    assert told == {"Kh.png": "taken", "IMG_1.png": "not_taken"}


# --- what is said ------------------------------------------------------------------------------


def line(**given: Any) -> dict[str, Any]:
    return {"kind": "taken", "card": "Kh", "views": 2, "read": "Kh", "confidence": 0.9} | given


@pytest.mark.parametrize(
    ("told", "says"),
    [
        (line(), "king of hearts: taken, 2 views"),
        (line(views=1), "king of hearts: taken, 1 view"),
        (line(read=None), "king of hearts: taken, 2 views; the reader did not know it"),
        (
            line(read="Kd", confidence=0.3),
            "king of hearts: taken, 2 views; the reader did not know it",
        ),
        (
            line(read="Kd"),
            "king of hearts: taken, 2 views, though it reads as the king of diamonds: "
            "see that it is the right one",
        ),
    ],
)
def test_a_card_that_reads_as_another_is_pointed_out(told: dict[str, Any], says: str) -> None:
    assert sentence(told).strip() == says


def test_what_was_not_taken_is_said_with_its_picture_and_the_reason() -> None:
    told = {"kind": "not_taken", "why": "no card was read", "image": "IMG_1.png"}
    assert sentence(told).strip() == "IMG_1.png: no card was read"
    del told["image"]
    assert sentence(told).strip() == "not taken: no card was read"


def test_a_deck_with_a_space_in_its_name_is_quoted_where_it_is_to_be_typed() -> None:
    counts = dict.fromkeys(("clear", "readable", "confused", "not_seen"), 0)
    told = {"kind": "kept", "deck": "blue", "seconds": 2.0, **counts}
    assert sentence(told).endswith("upcard run --deck blue")
    assert sentence({**told, "deck": "blue bees"}).endswith('upcard run --deck "blue bees"')


def test_the_list_of_decks_counts_each_and_names_a_faulty_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["teach", "--list"]) == 0
    assert "no decks yet" in capsys.readouterr().out
    good = DeckLine(
        name="blue",
        taught_on="2026-11-30",
        verdicts={
            Card("Kh"): "clear",
            Card("Qh"): "confused with Qd",
            Card("Jh"): "not seen",
        },
        fault=None,
    )
    bad = DeckLine(name="old", taught_on="", verdicts={}, fault="its file is cut short")
    monkeypatch.setattr(teach, "decks_in", lambda folder: [good])
    assert main(["teach", "--list"]) == 0
    assert capsys.readouterr().out == (
        "blue: taught 2026-11-30, 2 cards (1 clear, 1 confused, 1 not seen)\n"
    )
    monkeypatch.setattr(teach, "decks_in", lambda folder: [good, bad])
    assert main(["teach", "--list"]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "old: its file is cut short"
