"""Decks on the disk: kept, listed, forgotten, and every way their files can be wrong."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace

import numpy as np
import pytest

from engine.cards import Card
from vision.decks import (
    BadDeckName,
    Deck,
    DeckDamaged,
    DeckMissing,
    decks_in,
    forget_deck,
    keep_deck,
    open_deck,
)
from vision.errors import VisionError
from vision.memory import EXAMPLE_PX, Head, Memory


def head(names: str) -> Head:
    rng = np.random.default_rng(len(names))
    count = len(names)
    return Head(
        names=tuple(names),
        axes=rng.normal(size=(6, 6)).astype(np.float32),
        middles=rng.normal(size=(count, 6)).astype(np.float32),
        radius=rng.uniform(1, 9, count).astype(np.float32),
        doubted=np.arange(count) % 2 == 0,
        mistakes=frozenset({("J", "8")}),
    )


@pytest.fixture
def deck() -> Deck:
    rng = np.random.default_rng(3)
    return Deck(
        name="Grandma's".replace("'", ""),
        taught_on="2026-11-30",
        cards=(Card("Jh"), Card("Jh"), Card("B")),
        views=(1, 2, 3),
        examples=rng.integers(0, 255, (3, *EXAMPLE_PX, 3), dtype=np.uint8),
        memory=Memory(rank=head("BJ"), suit=None, classifier="abc"),
        verdicts={Card("Jh"): "confused with 8h", Card("B"): "clear", Card("9c"): "not seen"},
    )


def test_a_deck_comes_back_as_it_was_kept(tmp_path, deck):
    keep_deck(tmp_path / "decks", deck)
    back = open_deck(tmp_path / "decks", deck.name)
    assert (back.name, back.taught_on, back.cards, back.views) == (
        deck.name,
        deck.taught_on,
        deck.cards,
        deck.views,
    )
    assert np.array_equal(back.examples, deck.examples)
    assert back.verdicts == deck.verdicts
    assert back.memory.classifier == "abc"
    assert back.memory.suit is None
    before, after = deck.memory.rank, back.memory.rank
    assert before is not None
    assert after is not None
    assert after.names == before.names
    assert after.mistakes == before.mistakes
    for part in ("axes", "middles", "radius", "doubted"):
        assert np.array_equal(getattr(after, part), getattr(before, part))


def test_a_deck_of_the_same_name_is_replaced(tmp_path, deck):
    keep_deck(tmp_path, deck)
    keep_deck(tmp_path, replace(deck, taught_on="2027-01-01"))
    assert [line.taught_on for line in decks_in(tmp_path)] == ["2027-01-01"]
    assert not list(tmp_path.glob("*.part"))


def test_decks_are_listed_by_name_and_forgotten(tmp_path, deck):
    assert decks_in(tmp_path / "nowhere") == ()
    keep_deck(tmp_path, replace(deck, name="b 2"))
    keep_deck(tmp_path, replace(deck, name="a"))
    assert [line.name for line in decks_in(tmp_path)] == ["a", "b 2"]
    assert all(line.fault is None for line in decks_in(tmp_path))
    forget_deck(tmp_path, "a")
    assert [line.name for line in decks_in(tmp_path)] == ["b 2"]
    with pytest.raises(DeckMissing, match=r"'a'.*known are b 2"):
        forget_deck(tmp_path, "a")
    with pytest.raises(DeckMissing, match="upcard teach a"):
        open_deck(tmp_path, "a")


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 41, "nul\0", "end ", "ö"])
def test_a_name_that_could_leave_the_folder_is_refused(tmp_path, deck, name):
    for act in (
        lambda: keep_deck(tmp_path, replace(deck, name=name)),
        lambda: open_deck(tmp_path, name),
        lambda: forget_deck(tmp_path, name),
    ):
        with pytest.raises(BadDeckName, match="cannot name a deck"):
            act()
    assert not list(tmp_path.iterdir())


def cut_short(path, toml):
    path.write_bytes(path.read_bytes()[:-200])


def one_bit_flipped(path, toml):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def gone(path, toml):
    path.unlink()


def described_as_another_form(path, toml):
    toml.write_text(toml.read_text().replace("form = 1", "form = 2"))


def no_toml(path, toml):
    toml.write_text("form = = 1")


def toml_gone(path, toml):
    toml.unlink()


def toml_in_another_coding(path, toml):
    toml.write_bytes(b"\xff\xfe" + toml.read_bytes())


def a_card_nobody_knows(path, toml):
    toml.write_text(toml.read_text().replace('Jh = "', '1x = "'))


def with_arrays(path, toml, **changes):
    """The arrays changed, and the hash made to fit: only the content is wrong."""
    with np.load(path) as held:
        arrays = {key: held[key] for key in held.files} | changes
    arrays = {key: value for key, value in arrays.items() if value is not None}
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    replaced(path, toml, out.getvalue())


def replaced(path, toml, content):
    old = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(content)
    toml.write_text(toml.read_text().replace(old, hashlib.sha256(content).hexdigest()))


def pickled_objects(path, toml):
    with_arrays(path, toml, cards=np.array([{"a": 1}, None, 3], dtype=object))


def fewer_cards_than_pictures(path, toml):
    with_arrays(path, toml, cards=np.array(["Jh"]))


def pictures_of_another_size(path, toml):
    with_arrays(path, toml, examples=np.zeros((3, 10, 10, 3), np.uint8))


def cards_nobody_knows(path, toml):
    with_arrays(path, toml, cards=np.array(["Jh", "Jh", "1x"]))


def a_memory_whose_parts_do_not_fit(path, toml):
    with_arrays(path, toml, rank_radius=np.zeros(7, np.float32))


def a_part_missing(path, toml):
    with_arrays(path, toml, views=None)


def a_photograph(path, toml):
    replaced(path, toml, b"\xff\xd8\xff\xe0 not an archive at all")


@pytest.mark.parametrize(
    "harm",
    [
        cut_short,
        one_bit_flipped,
        gone,
        described_as_another_form,
        no_toml,
        toml_gone,
        toml_in_another_coding,
        a_card_nobody_knows,
        pickled_objects,
        fewer_cards_than_pictures,
        pictures_of_another_size,
        cards_nobody_knows,
        a_memory_whose_parts_do_not_fit,
        a_part_missing,
        a_photograph,
    ],
)
def test_files_that_were_harmed_are_refused_by_name_with_the_cure(tmp_path, deck, harm):
    deck = replace(deck, name="mine")
    path = keep_deck(tmp_path, deck)
    assert open_deck(tmp_path, "mine").cards == deck.cards
    harm(path, tmp_path / "mine.toml")
    with pytest.raises(DeckDamaged, match=r"mine\.(npz|toml).*upcard teach mine"):
        open_deck(tmp_path, "mine")
    forget_deck(tmp_path, "mine")
    assert decks_in(tmp_path) == ()


def test_a_listing_names_what_is_wrong_and_still_lists_the_rest(tmp_path, deck):
    keep_deck(tmp_path, replace(deck, name="good"))
    keep_deck(tmp_path, replace(deck, name="bad"))
    (tmp_path / "bad.toml").write_text("nonsense")
    (tmp_path / "lone.npz").write_bytes(b"x")
    (tmp_path / "notes.txt").write_text("not ours")
    faults = {line.name: line.fault for line in decks_in(tmp_path)}
    assert faults["good"] is None
    assert "bad.toml" in str(faults["bad"])
    assert "lone.toml" in str(faults["lone"])
    assert set(faults) == {"good", "bad", "lone"}


def test_a_folder_that_cannot_be_written_is_named(tmp_path, deck):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(VisionError, match="cannot be written"):
        keep_deck(blocked / "decks", deck)
