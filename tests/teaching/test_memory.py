"""What a taught deck changes in the reader, and what it leaves alone."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

import models
from engine.cards import SUITS, Card
from pi.sim.faces import face_pixels
from vision.decks import keep_deck, open_deck
from vision.features import NoFeatures, layer_before, open_classifier, with_output
from vision.memory import DISPUTED, Head, Memory, advised, fit_memory, lesson_of, reader_with
from vision.pair import Rules
from vision.reader import Reader, load_reader
from vision.teaching import (
    NothingTaught,
    Studio,
    Teaching,
    learn,
    open_studio,
    reader_for,
)

RANKS = ("8", "J", "Q", "-")


def small_head(*, doubted: str, mistakes: frozenset[tuple[str, str]] = frozenset()) -> Head:
    """Three ranks on a line, one measure apart ten from the next; near means within four."""
    names = ("8", "J", "Q")
    return Head(
        names=names,
        axes=np.eye(1, dtype=np.float32),
        middles=np.array([[0.0], [10.0], [20.0]], np.float32),
        radius=np.full(3, 4.0, np.float32),
        doubted=np.array([n in doubted for n in names]),
        mistakes=mistakes,
    )


def answer(place: float, **given: float) -> tuple[np.ndarray, np.ndarray]:
    """A crop at ``place`` on that line, read by the net with these probabilities."""
    net = np.full((1, 4), 0.01, np.float32)
    for name, p in given.items():
        net[0, RANKS.index({"none": "-", "eight": "8"}.get(name, name))] = p
    return net / net.sum(), np.array([[place]], np.float32)


def test_a_near_crop_of_a_doubted_name_is_named():
    net, place = answer(10.5, none=0.95)
    said, spoke = advised(small_head(doubted="J"), net, place, RANKS)
    assert spoke.all()
    assert RANKS[said[0].argmax()] == "J"
    # enough for one of two indices, not for one alone
    assert Rules().agreeing < said[0].max() < Rules().alone
    assert said[0].sum() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("place", [13.0, 15.0, -40.0, 500.0])
def test_a_crop_that_is_not_near_is_left_to_the_net(place):
    net, where = answer(place, none=0.95)
    said, spoke = advised(small_head(doubted="J"), net, where, RANKS)
    assert not spoke.any()
    assert np.array_equal(said, net)


def test_a_name_the_net_does_not_doubt_is_left_to_the_net():
    net, place = answer(20.0, none=0.6, Q=0.4)
    said, spoke = advised(small_head(doubted="J"), net, place, RANKS)
    assert not spoke.any()
    assert np.array_equal(said, net)


def test_a_name_the_net_was_never_wrong_about_stands():
    net, place = answer(10.0, eight=0.97)
    said, spoke = advised(small_head(doubted="J"), net, place, RANKS)
    assert not spoke.any()
    assert np.array_equal(said, net)


def test_a_mistake_seen_while_the_card_was_taught_is_put_right():
    net, place = answer(10.0, eight=0.97)
    head = small_head(doubted="J", mistakes=frozenset({("J", "8")}))
    said, _ = advised(head, net, place, RANKS)
    assert RANKS[said[0].argmax()] == "J"
    assert said[0].max() > Rules().agreeing


def test_a_known_mistake_for_a_card_that_was_not_taught_leaves_neither_name():
    # a five that the memory has never seen may well look like this jack
    classes = ("5", *RANKS)
    net = np.array([[0.97, 0.005, 0.01, 0.005, 0.01]], np.float32)
    head = small_head(doubted="J", mistakes=frozenset({("J", "5")}))
    said, spoke = advised(head, net, np.array([[10.0]], np.float32), classes)
    assert spoke.all()
    assert said[0, :-1].max() <= DISPUTED + 1e-6
    assert said[0].sum() == pytest.approx(1, abs=1e-3)


def test_nothing_remembered_changes_nothing():
    net, place = answer(10.0, eight=0.5)
    said, spoke = advised(None, net, place, RANKS)
    assert said is net
    assert not spoke.any()


# --- with the shipped model ----------------------------------------------------------------------

#: The ranks of this deck are letters nobody has taught the net as ranks of ours.
FOREIGN = {"J": "B", "Q": "D"}
PX_PER_MM = 4
TAUGHT = tuple(Card(rank + suit) for rank in "JQKA" for suit in SUITS)


def face(card: Card, *, foreign: bool) -> np.ndarray:
    """A drawn card; ``foreign`` prints B for jack and D for queen, as German decks do."""
    pixels = face_pixels(card, width_px=63 * PX_PER_MM).copy()
    if not foreign or card[0] not in FOREIGN:
        return pixels
    letter = FOREIGN[card[0]]
    ink = (40, 40, 200) if card[1] in "dh" else (30, 25, 25)
    for _ in range(2):  # the other index: the card turned round
        x0, x1, y0, y1 = (round(v * PX_PER_MM) for v in (2.0, 11.2, 2.6, 14.3))
        pixels[y0:y1, x0:x1] = pixels[round(45 * PX_PER_MM), round(2.0 * PX_PER_MM)]
        cv2.putText(
            pixels, letter, (x0 + 3, y1 - 3), cv2.FONT_HERSHEY_COMPLEX, 1.75, ink, 4, cv2.LINE_AA
        )
        pixels = np.ascontiguousarray(pixels[::-1, ::-1])
    return pixels


def picture(cards: list[np.ndarray], rng: np.random.Generator, *, card_px: float) -> np.ndarray:
    """Cards side by side on a dark cloth, each turned any way."""
    step = round(card_px * 1.3)
    image = np.clip(rng.normal((60, 80, 40), 4, (step, step * len(cards), 3)), 0, 255).astype(
        np.uint8
    )
    for k, pixels in enumerate(cards):
        tall, wide = pixels.shape[:2]
        scale, angle = card_px / tall, rng.uniform(0, 2 * math.pi)
        cos, sin = math.cos(angle) * scale, math.sin(angle) * scale
        x, y = step * (k + 0.5), step / 2
        matrix = np.array(
            [
                [cos, -sin, x - cos * wide / 2 + sin * tall / 2],
                [sin, cos, y - sin * wide / 2 - cos * tall / 2],
            ]
        )
        size = (image.shape[1], image.shape[0])
        small = cv2.GaussianBlur(pixels, (0, 0), 0.4 / scale)
        mask = cv2.warpAffine(np.full((tall, wide), 255, np.uint8), matrix, size)
        laid = cv2.warpAffine(small, matrix, size)
        image[mask > 127] = laid[mask > 127]
    return image


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load_reader(threads=1, sides_px=(480,))


@pytest.fixture(scope="module")
def studio(reader) -> Studio:
    return open_studio(reader, threads=1)


@pytest.fixture(scope="module")
def foreign(studio):
    """The foreign deck, taught from two pictures of each card, and its verdicts."""
    rng = np.random.default_rng(11)
    teaching = Teaching(studio.reader)
    for card in TAUGHT:
        for _ in range(2):
            teaching.picture(picture([face(card, foreign=True)], rng, card_px=220), card)
    return learn(studio, teaching.examples, name="foreign", taught_on="2026-11-30", wanted=TAUGHT)


def named(reader: Reader, image: np.ndarray) -> set[str]:
    return {str(d.card) for d in reader.read(image) if d.kind == "card"}


def tables(*, foreign: bool) -> list[tuple[np.ndarray, set[str]]]:
    """New pictures: smaller cards, three at a time, every rank of the deck."""
    rng = np.random.default_rng(77)
    made = []
    for suits in ("cdh", "dhs", "hsc"):
        for rank in "JQKA":
            cards = [Card(rank + suit) for suit in suits]
            image = picture([face(c, foreign=foreign) for c in cards], rng, card_px=150)
            made.append((image, set(cards)))
    return made


@pytest.mark.pixels
def test_letters_no_net_was_taught_are_read_once_the_deck_is(reader, studio, foreign):
    deck, _ = foreign
    helped = reader_with(reader, studio.session, studio.hidden, deck.memory)
    before = after = total = 0
    for image, cards in tables(foreign=True):
        total += len(cards)
        plain, taught = named(reader, image), named(helped, image)
        assert taught - cards <= plain - cards, "a wrong name that was not there before"
        before += len(plain & cards)
        after += len(taught & cards)
    # two ranks of four bear letters that are none of ours
    assert before <= total * 0.6
    assert after >= total * 0.85


@pytest.mark.pixels
def test_another_deck_is_read_to_the_last_digit_as_before(reader, studio, foreign):
    deck, _ = foreign
    helped = reader_with(reader, studio.session, studio.hidden, deck.memory)
    # a memory judges by the classifier's own features: no quick net answers before it
    slowly = replace(reader, classifier=reader.classifier.then)
    for image, cards in tables(foreign=False):
        assert helped.read(image) == slowly.read(image)
        assert named(helped, image) == named(reader, image)
        assert named(helped, image) <= cards


@pytest.mark.pixels
def test_the_memory_speaks_only_of_what_troubled_the_net(foreign):
    deck, verdicts = foreign
    assert set("JQ") <= set(deck.memory.doubted) <= set("JQ" + SUITS)
    said = {v.card: v.kind for v in verdicts}
    assert {said[c] for c in TAUGHT if c[0] in "KA"} == {"clear"}
    # judged on placings they were not taught from; the rest is asked about, not guessed
    foreign_cards = [v for v in verdicts if v.card[0] in "JQ"]
    assert {v.kind for v in foreign_cards} <= {"readable", "confused"}
    assert sum(v.kind == "readable" for v in foreign_cards) >= 4
    assert all(v.other is None for v in foreign_cards)


@pytest.mark.pixels
def test_a_deck_taught_under_an_older_model_is_fitted_again(tmp_path, reader, studio, foreign):
    deck, _ = foreign
    stale = replace(deck, memory=Memory(rank=None, suit=None, classifier="another"))
    keep_deck(tmp_path, stale)
    helped = reader_for(reader, open_deck(tmp_path, "foreign"), threads=1)
    image, cards = tables(foreign=True)[0]
    assert len(named(helped, image) & cards) > len(named(reader, image) & cards)


@pytest.mark.pixels
def test_two_cards_whose_labels_were_swapped_are_told_as_confused(studio):
    rng = np.random.default_rng(5)
    teaching = Teaching(studio.reader)
    shown = {"Kh": "Kh", "Ah": "Ah", "9h": "9h"}
    for card, drawn in shown.items():
        for view in range(3):
            # the nine of hearts is shown as the ace in one picture of three, and back
            wrong = {"Ah": "9h", "9h": "Ah"}.get(card, card) if view == 2 else drawn
            image = picture([face(Card(wrong), foreign=False)], rng, card_px=220)
            teaching.picture(image, Card(card))
    _, verdicts = learn(studio, teaching.examples, name="x", taught_on="")
    said = {v.card: v for v in verdicts}
    assert said["Kh"].kind == "clear"
    assert said["Ah"].kind == "confused"
    assert said["Ah"].other == "9h"


@pytest.mark.pixels
def test_one_card_is_no_deck(studio):
    rng = np.random.default_rng(5)
    teaching = Teaching(studio.reader)
    teaching.picture(picture([face(Card("Kh"), foreign=False)], rng, card_px=220), Card("Kh"))
    with pytest.raises(NothingTaught, match="1 card seen"):
        learn(studio, teaching.examples, name="x", taught_on="")


@pytest.mark.pixels
def test_looking_at_the_hidden_layer_leaves_the_answers_as_they_were(reader, studio):
    crops = np.random.default_rng(1).random((8, 3, 56, 44), dtype=np.float32)
    plain = reader.classifier.then.session.run(["rank", "suit"], {"crops": crops})
    seen = studio.session.run(["rank", "suit", studio.hidden], {"crops": crops})
    assert np.array_equal(plain[0], seen[0])
    assert np.array_equal(plain[1], seen[1])
    assert seen[2].shape[0] == 8


def test_the_appended_output_is_read_from_the_models_own_graph():
    model = models.locate("classifier").read_bytes()
    hidden = layer_before(model, "rank")
    assert layer_before(model, "suit") == hidden
    assert with_output(model, hidden).startswith(model)
    with pytest.raises(NoFeatures, match="no output 'colour'"):
        layer_before(model, "colour")
    for junk in (b"", b"\x00\xff\xff", b"not a model at all", model[:1000]):
        with pytest.raises(NoFeatures):
            layer_before(junk, "rank")


def test_a_damaged_classifier_is_refused(tmp_path):
    for path in models.folder_of().glob("*"):
        if path.suffix in (".onnx", ".toml"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    data = (tmp_path / "classifier.onnx").read_bytes()
    (tmp_path / "classifier.onnx").write_bytes(data[:-1])
    with pytest.raises(models.ModelDamaged):
        open_classifier(threads=1, models_dir=tmp_path)


@pytest.mark.pixels
def test_teaching_the_same_pictures_twice_gives_the_same_memory(studio, foreign):
    deck, _ = foreign
    lesson = lesson_of(
        studio.session, studio.hidden, studio.reader.settings, deck.examples, deck.cards
    )
    again = fit_memory(lesson, studio.reader.settings, classifier=studio.classifier)
    assert again.rank is not None
    assert deck.memory.rank is not None
    assert np.array_equal(again.rank.radius, deck.memory.rank.radius)
    assert np.array_equal(again.rank.middles, deck.memory.rank.middles)


def test_with_a_taught_deck_the_second_opinion_is_heard_as_before(studio):
    reader = studio.reader
    both = reader.classifier.then  # a memory hears every crop: no quick net stands before it
    never = replace(both.opinion.bar, sure=2.0)
    opinion = replace(both.opinion, bar=never)  # asked about every crop
    asking = replace(reader, classifier=replace(both, opinion=opinion))
    nothing = Memory(rank=None, suit=None, classifier=studio.classifier)
    taught = reader_with(asking, studio.session, studio.hidden, nothing)
    again = reader_with(taught, studio.session, studio.hidden, nothing)
    crops = np.random.default_rng(4).random((5, 3, *reader.settings.crop_px), dtype=np.float32)
    heard = asking.classifier.run(["rank", "suit"], {"crops": crops})
    alone = both.session.run(["rank", "suit"], {"crops": crops})
    assert not np.allclose(heard[0], alone[0], atol=0.05)
    for one in (taught, again):
        for answer, wanted in zip(
            one.classifier.run(["rank", "suit"], {"crops": crops}), heard, strict=True
        ):
            assert np.allclose(answer, wanted, atol=1e-4)
