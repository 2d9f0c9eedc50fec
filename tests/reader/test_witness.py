"""The witness: a card's body may withhold the name of its corners or bear it out; it gives none."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

import models
from engine.cards import Card
from pi.sim.faces import face_pixels
from vision.body import VIEW_PX, BodySettings, BodyVote, against, backing, flattened
from vision.explain import body_words, explained
from vision.frame import Image
from vision.pair import lies_free
from vision.ports import Detection, Quad
from vision.reader import Reader, load_reader

CLASSES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "court", "joker", "-")
SETTINGS = BodySettings(
    classes=CLASSES,
    suits=("c", "d", "h", "s", "-"),
    temperature=1.0,
    sure=0.9,
    least_card_px=44,
)


def vote(what: str, share: float = 0.97, suit: str = "-", suit_share: float = 0.97) -> BodyVote:
    rest = (1 - share) / (len(CLASSES) - 1)
    others = (1 - suit_share) / 4
    return BodyVote(
        classes=tuple((c, share if c == what else rest) for c in CLASSES),
        suits=tuple((s, suit_share if s == suit else others) for s in "cdhs-"),
    )


@pytest.fixture(scope="module")
def reader() -> Reader:
    assert "body" in models.machine_card()
    return load_reader(threads=1)


@pytest.mark.parametrize(
    ("card", "shows"),
    [
        ("8d", "court"),
        ("7s", "court"),
        ("Kh", "9"),
        ("Jc", "T"),
        ("9s", "6"),
        ("4h", "7"),
        ("Td", "joker"),
        ("B", "5"),
        ("Ac", "8"),
    ],
)
def test_a_body_that_is_another_cards_withholds_the_name(card: str, shows: str) -> None:
    assert against(Card(card), vote(shows), SETTINGS) is not None


@pytest.mark.parametrize(
    ("card", "shows"),
    [
        ("8d", "8"),
        ("Kh", "court"),
        ("Qs", "joker"),  # a fancy court is easily taken for a joker
        ("As", "court"),  # an ornate ace for a court
        ("9c", "A"),  # large print: one big pip on every number
        ("B", "joker"),
        ("b", "court"),
        ("5h", "-"),  # covered, or like nothing known
        ("Kd", "-"),
    ],
)
def test_what_may_be_the_cards_own_body_says_nothing_against_it(card: str, shows: str) -> None:
    assert against(Card(card), vote(shows, 0.999), SETTINGS) is None


def test_an_unsure_body_says_nothing() -> None:
    classes = {"court": 0.85, "8": 0.13, "-": 0.02}
    between = replace(vote("court"), classes=tuple((c, classes.get(c, 0.0)) for c in CLASSES))
    assert against(Card("8d"), between, SETTINGS) is None


@pytest.mark.parametrize("suit", "cdhs-")
def test_the_pips_colour_withholds_no_name_since_a_four_colour_deck_has_its_own(suit: str) -> None:
    assert against(Card("8d"), vote("8", suit=suit, suit_share=0.99), SETTINGS) is None


@pytest.mark.parametrize("card", ["2c", "5h", "8d", "9s", "Th"])
def test_a_body_that_shows_just_the_pips_of_a_number_bears_it_out(card: str) -> None:
    own = vote(card[0], 0.97, suit=card[1], suit_share=0.96)
    share = backing(Card(card), own, SETTINGS)
    assert share is not None
    assert 0.9 < share <= 0.97


@pytest.mark.parametrize("card", ["As", "Jc", "Qd", "Kh", "B", "b"])
def test_aces_courts_and_jokers_are_never_borne_out(card: str) -> None:
    # courts look alike, large print has one big pip on every card
    shows = "A" if card[0] == "A" else "joker" if card in "Bb" else "court"
    assert backing(Card(card), vote(shows, 0.999, card[-1], 0.999), SETTINGS) is None


@pytest.mark.parametrize(
    ("what", "share", "suit", "suit_share"),
    [
        ("7", 0.99, "h", 0.99),  # other pips
        ("8", 0.89, "h", 0.99),  # not sure of their number
        ("8", 0.99, "h", 0.80),  # not sure of their colour
        ("8", 0.99, "s", 0.99),  # the other colour
        ("8", 0.99, "d", 0.97),  # the other suit of that colour
        ("-", 0.99, "-", 0.99),  # covered
    ],
)
def test_a_body_that_is_unsure_or_shows_anything_else_bears_nothing_out(
    what: str, share: float, suit: str, suit_share: float
) -> None:
    assert backing(Card("8h"), vote(what, share, suit, suit_share), SETTINGS) is None


def quad_at(x: float, y: float, high: float, turn: float) -> Quad:
    c, s = math.cos(turn), math.sin(turn)
    wide = 0.7 * high
    a, b, d, e = (
        (x + c * u * wide / 2 - s * v * high / 2, y + s * u * wide / 2 + c * v * high / 2)
        for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    )
    return a, b, d, e


def laid(face: Image, x: float, y: float, high: float, turn: float) -> Image:
    """The face on a cloth of 700 x 700, its middle at (x, y), turned clockwise by ``turn``."""
    rng = np.random.default_rng(3)
    noise = np.array([60, 95, 40]) + rng.normal(0, 3, (700, 700, 3))
    frame = np.clip(noise, 0, 255).astype(np.uint8)
    tall, wide = face.shape[:2]
    small = cv2.resize(face, (round(0.7 * high), round(high)), interpolation=cv2.INTER_AREA)
    tall, wide = small.shape[:2]
    corners = np.array([[0, 0], [wide, 0], [0, tall]], np.float32)
    quad = np.array(quad_at(x, y, high, turn), np.float32)
    matrix = cv2.getAffineTransform(corners, quad[[0, 1, 3]])
    cover = cv2.warpAffine(np.full((tall, wide), 255, np.uint8), matrix, (700, 700))
    over = cv2.warpAffine(small, matrix, (700, 700), flags=cv2.INTER_LINEAR)
    frame[cover > 127] = over[cover > 127]
    return frame


def face_of(card: str) -> Image:
    return np.ascontiguousarray(face_pixels(Card(card), width_px=280)[..., :3])


def crossed(corners: str, body: str) -> Image:
    """A card with the corners of one and the body of another: what a foreign court is to us."""
    face, other = face_of(body).copy(), face_of(corners)
    high, wide = face.shape[:2]
    h, w = round(0.25 * high), round(0.19 * wide)
    face[:h, :w] = other[:h, :w]
    face[-h:, -w:] = other[-h:, -w:]
    return face


@pytest.mark.parametrize("high", [60.0, 150.0, 420.0])
def test_a_card_is_flattened_alike_however_it_lies(high: float) -> None:
    face = face_of("5h")
    upright = flattened(laid(face, 350, 350, high, 0.0), quad_at(350, 350, high, 0.0))
    assert upright.shape == (*VIEW_PX, 3)
    for turn in (0.7, 2.5, 4.0):
        view = flattened(laid(face, 350, 350, high, turn), quad_at(350, 350, high, turn))
        gap = np.abs(view[8:-8, 8:-8].astype(int) - upright[8:-8, 8:-8]).mean()
        assert gap < 14


def test_an_outline_outside_the_picture_is_flattened_without_a_fault() -> None:
    frame = np.full((100, 100, 3), 90, np.uint8)
    for quad in (quad_at(-400, 20, 80, 0.3), quad_at(98, 98, 200, 0.0), quad_at(50, 50, 0.5, 1)):
        assert flattened(frame, quad).shape == (*VIEW_PX, 3)


def one(detections: tuple[Detection, ...]) -> Detection:
    (only,) = (d for d in detections if d.kind != "back")
    return only


@pytest.mark.parametrize("turn", [0.2, 1.4, 3.3])
@pytest.mark.parametrize(("corners", "body"), [("8d", "Kd"), ("7s", "Qs"), ("9h", "Jh")])
def test_corners_of_a_number_on_a_court_are_foreign(
    reader: Reader, corners: str, body: str, turn: float
) -> None:
    frame = laid(crossed(corners, body), 350, 350, 170, turn)
    believing = replace(reader, body=None)
    assert str(one(believing.read(frame)).card) == corners
    seen = one(reader.read(frame))
    assert (seen.kind, seen.why, seen.card) == ("unsure", "foreign", None)
    assert seen.confidence < 0.2


@pytest.mark.parametrize("card", ["2h", "3s", "5c", "6d", "7s", "8h"])
@pytest.mark.parametrize(("high", "turn"), [(90.0, 0.4), (190.0, 2.2)])
def test_the_body_of_a_number_bears_out_its_own_name_and_no_other(
    reader: Reader, card: str, high: float, turn: float
) -> None:
    quad = quad_at(350, 350, high, turn)
    testify = reader.witness_of(laid(face_of(card), 350, 350, high, turn))
    assert testify is not None
    names = [rank + suit for rank in "23456789T" for suit in "cdhs"]
    said = testify([(quad, Card(name)) for name in names])
    borne_out = [name for name, one in zip(names, said, strict=True) if one.backing is not None]
    assert borne_out == [card]


def test_the_body_of_a_half_covered_number_bears_nothing_out(reader: Reader) -> None:
    frame = laid(face_of("8h"), 350, 350, 190, 0.0)
    frame[350:480] = laid(face_of("Kc"), 350, 430, 190, 1.3)[350:480]
    testify = reader.witness_of(frame)
    assert testify is not None
    (said,) = testify([(quad_at(350, 350, 190, 0.0), Card("8h"))])
    assert said.backing is None


@pytest.mark.parametrize("card", ["2h", "5c", "8d", "9s", "Th", "Jc", "Qd", "Ks", "Ad", "As", "B"])
def test_our_own_cards_keep_their_names(reader: Reader, card: str) -> None:
    for high, turn in ((110, 0.4), (190, 2.2)):
        frame = laid(face_of(card), 350, 350, high, turn)
        assert str(one(reader.read(frame)).card) == card


def test_only_a_card_that_lies_free_is_asked() -> None:
    free, under, over = (
        quad_at(150, 150, 160, 0.3),
        quad_at(420, 400, 160, 0),
        (quad_at(450, 460, 160, 1.2)),
    )
    cut = quad_at(10, 500, 160, 0)
    quads = [free, under, over, cut]
    asked = [lies_free(k, quads, width_px=700, height_px=700) for k in range(4)]
    assert asked == [True, False, False, False]


def test_the_explained_picture_tells_what_the_body_shows(reader: Reader) -> None:
    assert body_words(vote("court", suit="d")) == "shows a court (0.97), red (0.98)"
    assert body_words(vote("-")) == "shows nothing known (0.97)"
    frame = laid(crossed("8d", "Kd"), 350, 350, 170, 0.2)
    drawn = explained(frame, reader, reader.read(frame))
    without = replace(reader, body=None)
    plain = explained(frame, without, without.read(frame))
    assert drawn.shape != plain.shape or not np.array_equal(drawn, plain)


def test_a_witness_that_is_named_and_damaged_is_said_so(tmp_path: Path, reader: Reader) -> None:
    folder = models.folder_of()
    for path in (*folder.glob("*.onnx"), folder / models.MACHINE_CARD):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    data = (tmp_path / "body.onnx").read_bytes()
    (tmp_path / "body.onnx").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(models.ModelDamaged, match=r"body\.onnx is not the model"):
        load_reader(threads=1, models_dir=tmp_path)
