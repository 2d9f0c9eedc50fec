"""From indices to cards: pairing by pose, and the rules for giving no name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.cards import Card
from vision.classify import IndexReading
from vision.find import BackSpot, IndexSpot
from vision.pair import (
    CARD_ASPECT,
    SEEN_SHARE,
    Group,
    Rules,
    Statement,
    Witness,
    detections_of,
    end_of,
    group_readings,
    holds,
    joined,
    quad_of,
    settled_bodies,
    visible_boxes,
)

RULES = Rules()
CARD_PX = 140.0
WIDTH, HEIGHT = 1920, 1080


def spot_on(
    x: float, y: float, turn_deg: float, *, corner: str = "top left", score: float = 0.9
) -> IndexSpot:
    """The index in a corner of a card that lies at (x, y), turned clockwise by ``turn_deg``."""
    down = {"top": -1, "bottom": 1}[corner.split()[0]]
    right = {"left": -1, "right": 1}[corner.split()[1]]
    px = right * (CARD_PX * CARD_ASPECT / 2 - 8.4)
    py = down * (CARD_PX / 2 - 18)
    a = math.radians(turn_deg)
    up = (math.sin(a), -math.cos(a))
    sign = 1 if down < 0 else -1
    return IndexSpot(
        x=x + px * math.cos(a) - py * math.sin(a),
        y=y + px * math.sin(a) + py * math.cos(a),
        up_x=sign * up[0],
        up_y=sign * up[1],
        height_px=24.0,
        middle_x=x,
        middle_y=y,
        card_px=CARD_PX,
        score=score,
        seen_px=24.0,
    )


def says(spot: IndexSpot, card: str, p: float, *, none: float = 0.0) -> IndexReading:
    return IndexReading(spot=spot, votes=((Card(card), p),), none=none, suit_seen=0.99)


def read(readings: list[IndexReading], backs: list[BackSpot] | None = None):
    return detections_of(readings, backs or [], rules=RULES, width_px=WIDTH, height_px=HEIGHT)


@pytest.mark.parametrize("turn_deg", [0, 17, 90, 133, 180, 271])
def test_opposite_indices_at_any_turn_are_one_card(turn_deg: int) -> None:
    two = [
        says(spot_on(500, 400, turn_deg), "Kh", 0.95),
        says(spot_on(500, 400, turn_deg, corner="bottom right"), "Kh", 0.93),
    ]
    (card,) = read(two)
    assert (card.kind, card.card) == ("card", "Kh")
    assert card.confidence > 0.95


def test_four_indices_of_one_card_are_one_card() -> None:
    corners = ("top left", "top right", "bottom left", "bottom right")
    four = [says(spot_on(500, 400, 40, corner=c), "9d", 0.96) for c in corners]
    assert [(d.kind, d.card) for d in read(four)] == [("card", "9d")]


def test_large_print_indices_are_one_card_though_the_card_is_foretold_too_large() -> None:
    # a large-print card of 340 px with indices of 120 px that fills the picture: the finder,
    # which sees no edge, foretells the usual ratio, a card of 650 px
    def large(x: float, y: float, up: float) -> IndexSpot:
        return IndexSpot(
            x=x,
            y=y,
            up_x=0.0,
            up_y=-up,
            height_px=120.0,
            middle_x=x + up * 180,
            middle_y=y + up * 240,
            card_px=650.0,
            score=0.9,
            seen_px=60.0,
        )

    two = [says(large(300, 210, 1), "2c", 0.99), says(large(455, 390, -1), "2c", 0.99)]
    (found,) = read(two)
    assert (found.kind, found.card) == ("card", "2c")


def test_indices_of_neighbouring_cards_stay_apart() -> None:
    two = [says(spot_on(500, 400, 0), "Kh", 0.95), says(spot_on(610, 400, 0), "Ks", 0.95)]
    assert sorted(str(d.card) for d in read(two)) == ["Kh", "Ks"]


def test_a_fan_of_five_names_five() -> None:
    fan = [
        says(spot_on(500 + 25 * k, 400, -30 + 15 * k), card, 0.95)
        for k, card in enumerate(("9c", "Tc", "Jc", "Qc", "Kc"))
    ]
    assert sorted(str(d.card) for d in read(fan)) == ["9c", "Jc", "Kc", "Qc", "Tc"]


def test_one_index_needs_more_certainty_than_two() -> None:
    lone = read([says(spot_on(500, 400, 0), "As", 0.8)])
    both = read(
        [
            says(spot_on(500, 400, 0), "As", 0.8),
            says(spot_on(500, 400, 0, corner="bottom right"), "As", 0.75),
        ]
    )
    assert [(d.kind, d.card, d.why) for d in lone] == [("unsure", "As", "low")]
    assert [(d.kind, d.card, d.why) for d in both] == [("card", "As", None)]


def test_a_name_in_two_places_is_given_in_neither() -> None:
    found = read([says(spot_on(300, 300, 0), "Jd", 0.99), says(spot_on(1200, 700, 50), "Jd", 0.99)])
    assert [(d.kind, d.card, d.why) for d in found] == [("unsure", "Jd", "duplicate")] * 2


def test_indices_of_one_card_that_disagree_name_nothing() -> None:
    found = read(
        [
            says(spot_on(500, 400, 20), "4c", 0.95),
            says(spot_on(500, 400, 20, corner="bottom right"), "Qc", 0.92),
        ]
    )
    assert [(d.kind, d.why) for d in found] == [("unsure", "conflict")]


def test_a_foreign_letter_over_a_real_suit_is_foreign_and_has_no_name() -> None:
    found = read([says(spot_on(500, 400, 0), "8h", 0.1, none=0.88)])
    assert [(d.kind, d.card, d.why) for d in found] == [("unsure", None, "foreign")]


def test_a_spot_that_is_none_and_shows_no_suit_is_not_reported() -> None:
    nothing = IndexReading(
        spot=spot_on(500, 400, 0), votes=((Card("8h"), 0.1),), none=0.9, suit_seen=0.05
    )
    assert read([nothing]) == ()


def test_a_weak_second_index_neither_names_nor_forbids() -> None:
    found = read(
        [
            says(spot_on(500, 400, 0), "Qs", 0.97),
            says(spot_on(500, 400, 0, corner="bottom right"), "Ks", 0.4),
        ]
    )
    assert [(d.kind, d.card) for d in found] == [("card", "Qs")]


def test_an_empty_picture_has_no_cards() -> None:
    assert read([]) == ()


def test_the_box_of_a_lone_card_encloses_its_outline() -> None:
    (card,) = read([says(spot_on(500, 400, 0), "Qs", 0.97)])
    half_w, half_h = CARD_PX * CARD_ASPECT / 2, CARD_PX / 2
    assert card.box == pytest.approx((500 - half_w, 400 - half_h, 500 + half_w, 400 + half_h))


def test_the_outline_goes_clockwise_from_the_upright_top_left() -> None:
    (group,) = group_readings([says(spot_on(500, 400, 90), "Qs", 0.97)], RULES)
    quad = quad_of(group)
    # turned clockwise by a quarter, the upright face's top left is at the top right
    half_w, half_h = CARD_PX * CARD_ASPECT / 2, CARD_PX / 2
    expected = [
        (500 + half_h, 400 - half_w),
        (500 + half_h, 400 + half_w),
        (500 - half_h, 400 + half_w),
        (500 - half_h, 400 - half_w),
    ]
    for got, want in zip(quad, expected, strict=True):
        assert got == pytest.approx(want)


def test_a_covered_card_is_boxed_by_what_is_seen_of_it() -> None:
    # the right-hand card lies over the left one's right half: its index is in the crossing
    left = ((0.0, 0.0), (100.0, 0.0), (100.0, 140.0), (0.0, 140.0))
    right = ((60.0, 0.0), (160.0, 0.0), (160.0, 140.0), (60.0, 140.0))
    boxes = visible_boxes(
        [left, right], [[(10, 15)], [(70, 15), (150, 125)]], width_px=400, height_px=400
    )
    assert boxes[0] == pytest.approx((0, 0, 60, 140), abs=3)
    assert boxes[1] == pytest.approx((60, 0, 160, 140), abs=3)


def test_a_card_whose_index_is_missing_under_another_lies_below_it() -> None:
    # only the upper left index of the left card is seen: its lower right one lies in the crossing
    found = read(
        [
            says(spot_on(500, 400, 0), "Ts", 0.97),
            says(spot_on(550, 400, 0, corner="bottom right"), "Ah", 0.97),
            says(spot_on(550, 400, 0), "Ah", 0.97),
        ]
    )
    boxes = {str(d.card): d.box for d in found}
    assert boxes["Ah"][0] == pytest.approx(550 - CARD_PX * CARD_ASPECT / 2, abs=2)
    assert boxes["Ts"][2] == pytest.approx(boxes["Ah"][0], abs=3)


def test_a_box_never_leaves_the_picture() -> None:
    (card,) = read([says(spot_on(10, 1070, 0), "Qs", 0.97)])
    x0, y0, x1, y1 = card.box
    assert x0 == 0
    assert y1 == HEIGHT
    assert x1 > x0
    assert y0 < y1


def test_a_back_is_reported_unless_a_face_lies_there() -> None:
    def back_at(x: float) -> BackSpot:
        return BackSpot(x=x, y=400, axis_x=0, axis_y=1, card_px=CARD_PX, score=0.9)

    found = read([says(spot_on(500, 400, 0), "Qs", 0.97)], [back_at(505), back_at(900)])
    assert [d.kind for d in found] == ["card", "back"]
    assert found[1].card is None
    assert found[1].box[0] == pytest.approx(900 - CARD_PX * CARD_ASPECT / 2)


def test_a_second_witness_never_lowers_the_probability() -> None:
    for first in (0.7, 0.9, 0.99):
        assert joined(first, 0.3) >= first - 1e-9
        assert joined(first, 0.9) > first
        assert joined(first, 0.999) < 1


# --- cards close upon each other ---------------------------------------------------------------


def both(x: float, y: float, turn_deg: float, card: str, p: float = 0.97) -> list[IndexReading]:
    """The two indices of a card that lies at (x, y)."""
    corners = ("top left", "bottom right")
    return [says(spot_on(x, y, turn_deg, corner=c), card, p) for c in corners]


def off(reading: IndexReading, x: float, y: float) -> IndexReading:
    """The same reading with the card's middle foretold elsewhere."""
    return replace(reading, spot=replace(reading.spot, middle_x=x, middle_y=y))


def test_two_cards_of_a_fan_that_show_both_their_indices_are_both_named() -> None:
    first, second = both(500, 500, 0, "9d"), both(540, 500, 8, "Td")
    # what one index foretells is off: by it alone, the ten would lie where the nine lies
    second[0] = off(second[0], 505, 500)
    found = read([*first, *second])
    assert {(d.kind, d.card) for d in found} == {("card", "9d"), ("card", "Td")}


@pytest.mark.parametrize("turn_deg", [16, 20, 28])
def test_neighbours_in_a_fan_are_both_named_though_each_foretells_the_other_s_place(
    turn_deg: int,
) -> None:
    nine, ten = (
        says(spot_on(500, 500, 0), "9d", 0.97),
        says(spot_on(525, 500, turn_deg), "Td", 0.97),
    )
    found = read([nine, off(ten, 505, 500)])
    assert {(d.kind, d.card) for d in found} == {("card", "9d"), ("card", "Td")}


@pytest.mark.parametrize("turn_deg", [0, 6, 12])
def test_two_upper_corners_that_disagree_name_nothing_though_one_is_found_a_little_askew(
    turn_deg: int,
) -> None:
    nine = says(spot_on(500, 500, 0), "9d", 0.97)
    askew = spot_on(500, 500, turn_deg, corner="top right")
    found = read([nine, off(says(askew, "Td", 0.97), 505, 500)])
    assert [(d.kind, d.why) for d in found] == [("unsure", "conflict")]


def test_two_indices_against_two_in_the_corners_of_one_card_are_no_name() -> None:
    against = [
        says(spot_on(500, 500, 0, corner=c), "8d", 0.97) for c in ("top right", "bottom left")
    ]
    found = read([*both(500, 500, 0, "5d"), *against])
    assert [(d.kind, d.why) for d in found] == [("unsure", "conflict")]


@pytest.mark.parametrize(
    ("p", "shift_px", "names"),
    [
        (0.995, 0.12 * CARD_PX, ["5c", "Kh"]),  # beyond doubt: two cards of a fan
        (0.97, 0.12 * CARD_PX, [None]),  # one of them may be misread
        (0.995, 0.03 * CARD_PX, [None]),  # too much one card to be two
    ],
)
def test_lone_indices_that_disagree_are_two_cards_only_where_both_are_read_beyond_doubt(
    p: float, shift_px: float, names: list[str | None]
) -> None:
    king = says(spot_on(500, 500, 0), "Kh", 0.995)
    five = says(spot_on(500, 500, 0, corner="bottom right"), "5c", p)
    found = read([king, off(five, 500 + shift_px, 500)])
    assert sorted((str(d.card) for d in found if d.kind == "card"), key=str) == [
        n for n in names if n
    ]
    assert [d.why for d in found] == ([None, None] if names[0] else ["conflict"])


def test_a_suit_misread_at_one_end_of_a_card_is_a_conflict_though_its_middles_lie_apart() -> None:
    three = says(spot_on(500, 500, 0), "3c", 0.93)
    foot = spot_on(500, 500, 0, corner="bottom right")
    apart = 500 + 0.25 * CARD_PX
    found = read([three, off(says(foot, "3s", 0.79), apart, 500)])
    assert [(d.kind, d.why) for d in found] == [("unsure", "conflict")]
    # two ranks are two cards there, and so are two the same way up
    for other in (
        says(foot, "4s", 0.93),
        says(spot_on(500, 500, 0, corner="top right"), "3s", 0.93),
    ):
        found = read([three, off(other, apart, 500)])
        assert {(d.kind, d.card) for d in found} == {("card", "3c"), ("card", other.card)}


def test_where_cards_have_four_indices_one_out_of_place_is_a_conflict_however_sure() -> None:
    # the deck shows that an index may be a right-hand one, taken for a left-hand one
    deck = [says(spot_on(1200, 500, 0, corner=c), "9c", 0.99) for c in ("top left", "top right")]
    king = says(spot_on(500, 500, 0), "Kh", 0.995)
    five = says(spot_on(500, 500, 0, corner="bottom right"), "5c", 0.995)
    found = read([*deck, king, off(five, 500 + 0.12 * CARD_PX, 500)])
    assert [(d.kind, d.why) for d in found] == [("card", None), ("unsure", "conflict")]


def test_a_card_is_not_its_own_duplicate_where_one_index_seems_twice_as_high() -> None:
    near, far = both(500, 500, 0, "Kd")
    near = replace(near, spot=replace(near.spot, height_px=50.0, card_px=1.2 * CARD_PX))
    found = read([near, far])
    assert [(d.kind, d.card) for d in found] == [("card", "Kd")]


def test_the_same_name_across_itself_is_still_a_duplicate() -> None:
    found = read([*both(500, 500, 0, "Kd"), *both(500, 560, 90, "Kd")])
    assert [d.why for d in found] == ["duplicate", "duplicate"]


def test_a_lone_index_that_foretells_a_sure_card_s_place_is_unsure_and_the_other_named() -> None:
    queen = off(says(spot_on(455, 500, 0), "Qd", 0.99), 500, 500)
    found = read([*both(500, 500, 0, "Jd"), queen])
    assert [(d.kind, d.card, d.why) for d in found] == [
        ("card", "Jd", None),
        ("unsure", "Qd", "conflict"),
    ]


# --- what is asked of a lone index -------------------------------------------------------------

STRICT = Rules(alone=0.9, alone_small=0.97, alone_joker=0.98, small_px=15.0, lone_score=0.4)


@pytest.mark.parametrize(
    ("card", "height_px", "score", "asked"),
    [
        ("9d", 24, 0.9, 0.9),
        ("9d", 14.9, 0.9, 0.97),
        ("9d", 24, 0.39, 0.97),
        ("B", 24, 0.9, 0.98),
        ("b", 12, 0.4, 0.98),
    ],
)
def test_more_is_asked_of_a_small_a_doubtful_and_a_joker_s_index(
    card: str, height_px: float, score: float, asked: float
) -> None:
    spot = replace(spot_on(500, 500, 0), height_px=height_px, score=score)
    for p, kind in ((asked + 0.001, "card"), (asked - 0.001, "unsure")):
        found = detections_of(
            [says(spot, card, p)], [], rules=STRICT, width_px=WIDTH, height_px=HEIGHT
        )
        assert [d.kind for d in found] == [kind], p


@pytest.mark.parametrize(
    ("card", "p", "second", "kind"),
    [
        ("9d", 0.92, 0.71, "card"),
        ("9d", 0.92, 0.69, "unsure"),
        ("9d", 0.89, 0.79, "unsure"),  # neither is enough without the other, nor both as two
        ("B", 0.97, 0.79, "unsure"),
    ],
)
def test_a_small_index_names_its_card_if_the_other_end_says_the_same(
    card: str, p: float, second: float, kind: str
) -> None:
    rules = replace(STRICT, agreeing=0.8)
    small = [
        replace(spot_on(500, 500, 0, corner=c), height_px=12.0)
        for c in ("top left", "bottom right")
    ]
    readings = [says(small[0], card, p), says(small[1], card, second)]
    found = detections_of(readings, [], rules=rules, width_px=WIDTH, height_px=HEIGHT)
    assert [d.kind for d in found] == [kind]


@pytest.mark.parametrize(
    ("name", "scores", "kind"),
    [
        ("b", [0.39, 0.39], "unsure"),  # print, or a keyboard, for all the net can tell
        ("B", [0.39], "unsure"),
        ("b", [0.4, 0.2], "card"),
        ("b", [0.2, 0.4], "card"),
        ("B", [0.4], "card"),
        ("9d", [0.39, 0.39], "card"),
    ],
)
def test_a_joker_is_named_only_if_the_finder_is_sure_of_one_of_its_indices(
    name: str, scores: list[float], kind: str
) -> None:
    corners = ("top left", "bottom right")
    readings = [
        says(spot_on(500, 500, 0, corner=corner, score=score), name, 0.999)
        for corner, score in zip(corners, scores, strict=False)
    ]
    found = detections_of(readings, [], rules=STRICT, width_px=WIDTH, height_px=HEIGHT)
    assert [d.kind for d in found] == [kind]
    assert found[0].card == name  # the best guess is told all the same


def test_an_index_that_is_hardly_a_joker_s_does_not_bear_one_out() -> None:
    low = says(spot_on(500, 500, 0, score=0.3), "b", 0.999)
    none = IndexReading(
        spot=spot_on(500, 500, 0, corner="bottom right", score=0.9),
        votes=((Card("b"), 0.34),),
        none=0.4,
        suit_seen=0.0,
    )
    found = detections_of([low, none], [], rules=STRICT, width_px=WIDTH, height_px=HEIGHT)
    assert "card" not in {d.kind for d in found}


# --- the witness: what the body says ----------------------------------------------------------


class Told:
    """A witness that says the same of every card, and keeps whom it was asked about."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.asked: list[str] = []

    def __call__(self, claims: Sequence[tuple[object, Card]]) -> list[Statement]:
        self.asked += [str(card) for _, card in claims]
        return [self.statement] * len(claims)


def heard(readings: list[IndexReading], witness: Witness):
    return detections_of(
        readings, [], rules=RULES, width_px=WIDTH, height_px=HEIGHT, witness=witness
    )


@pytest.mark.parametrize(("p", "kind"), [(0.51, "card"), (0.8, "card"), (0.49, "unsure")])
def test_a_doubtful_index_names_its_card_if_the_body_bears_it_out(p: float, kind: str) -> None:
    lone = [says(spot_on(500, 500, 0), "7h", p)]
    (found,) = heard(lone, Told(Statement(backing=0.97)))
    assert (found.kind, found.card) == (kind, "7h")
    assert kind == "unsure" or p < found.confidence < 0.99
    (silent,) = heard(lone, Told(Statement()))
    assert (silent.kind, silent.why) == ("unsure", "low")


def test_a_body_changes_nothing_of_a_name_that_stands_by_itself() -> None:
    sure = both(500, 500, 0, "7h")
    assert heard(sure, Told(Statement(backing=0.91))) == read(sure)


def test_a_body_bears_out_no_name_that_two_indices_disagree_on() -> None:
    nine = says(spot_on(500, 500, 0), "9d", 0.8)
    six = says(spot_on(500, 500, 0, corner="bottom right"), "6d", 0.8)
    (found,) = heard([nine, six], Told(Statement(backing=0.99)))
    assert (found.kind, found.why) == ("unsure", "conflict")


def test_a_name_borne_out_in_two_places_is_a_duplicate() -> None:
    twice = [says(spot_on(x, 500, 0), "7h", 0.8) for x in (500, 900)]
    assert [d.why for d in heard(twice, Told(Statement(backing=0.97)))] == ["duplicate"] * 2


def test_of_cards_that_others_cross_only_a_doubtful_number_is_asked_about_and_none_withheld() -> (
    None
):
    king, lower = both(500, 500, 0, "Kh"), says(spot_on(500, 560, 90), "7h", 0.8)
    court = says(spot_on(1200, 560, 90), "Qh", 0.8)
    witness = Told(Statement(against=0.99, backing=0.97))
    found = heard([*king, lower, *both(1200, 500, 0, "Kd"), court], witness)
    assert witness.asked == ["7h"]
    assert {(d.card, d.why) for d in found} == {
        ("Kh", None),
        ("Kd", None),
        ("7h", None),
        ("Qh", "low"),
    }


def test_a_card_that_the_frame_cuts_is_not_asked_about() -> None:
    witness = Told(Statement(backing=0.97))
    (found,) = heard([says(spot_on(20, 500, 0, corner="top right"), "7h", 0.8)], witness)
    assert (found.kind, witness.asked) == ("unsure", [])


def test_a_body_that_is_another_s_withholds_the_name_of_a_card_that_lies_free() -> None:
    (found,) = heard(both(500, 500, 0, "8d"), Told(Statement(against=0.98)))
    assert (found.kind, found.card, found.why) == ("unsure", None, "foreign")


def test_a_card_whose_corners_agree_is_settled_but_for_its_rim() -> None:
    top, foot = spot_on(500, 400, 25), spot_on(500, 400, 25, corner="bottom right")
    (body,) = settled_bodies([says(top, "Kh", 0.97), says(foot, "Kh", 0.95)], RULES)
    assert holds(body, 500, 400)
    assert not holds(body, top.x - 10 * top.up_y, top.y - 12)  # an index laid over its corner
    assert not holds(body, 500 + CARD_PX, 400)


def test_one_corner_or_two_that_are_unsure_or_disagree_or_lie_apart_settle_nothing() -> None:
    top, foot = spot_on(500, 400, 25), spot_on(500, 400, 25, corner="bottom right")
    far = spot_on(1200, 700, 25, corner="bottom right")
    assert settled_bodies([says(top, "Kh", 0.97)], RULES) == []
    assert settled_bodies([says(top, "Kh", 0.97), says(foot, "Kh", 0.8)], RULES) == []
    assert settled_bodies([says(top, "Kh", 0.97), says(foot, "Kd", 0.97)], RULES) == []
    assert settled_bodies([says(top, "Kh", 0.97), says(far, "Kh", 0.97)], RULES) == []


def test_a_doubtful_joker_in_the_pattern_of_a_face_down_card_is_left_out() -> None:
    back = BackSpot(x=500, y=400, axis_x=0, axis_y=1, card_px=CARD_PX, score=0.9)
    pattern = replace(spot_on(486, 388, 0), middle_x=560.0, middle_y=470.0)
    assert [d.kind for d in read([says(pattern, "b", 0.8)], [back])] == ["back"]
    beside = says(spot_on(700, 400, 0), "b", 0.8)
    assert {d.kind for d in read([beside], [back])} == {"unsure", "back"}
    card = says(pattern, "9c", 0.8)
    assert "unsure" in {d.kind for d in read([card], [back])}, "a doubtful card is asked about"
    sure = says(pattern, "b", 0.999)
    assert "card" in {d.kind for d in read([sure], [back])}, "a joker beyond doubt is a joker"


def test_of_a_card_that_shows_one_end_among_others_a_still_picture_boxes_what_is_surely_seen() -> (
    None
):
    # two cards cross, each shows one corner outside the other: nothing says which lies on top
    shown = [
        says(spot_on(500, 400, 0), "Ts", 0.97),
        says(spot_on(560, 440, 0, corner="bottom right"), "Ah", 0.97),
    ]
    live, still = (
        {
            str(d.card): d.box
            for d in detections_of(
                shown, [], rules=RULES, width_px=WIDTH, height_px=HEIGHT, still=still
            )
        }
        for still in (False, True)
    )
    for name, (x, y) in {"Ts": (500, 400), "Ah": (560, 440)}.items():
        x0, y0, x1, y1 = live[name]
        assert ((x0 + x1) / 2, (y0 + y1) / 2) == pytest.approx((x, y), abs=1)
        kept = [a - b for a, b in zip(still[name], live[name], strict=True)]
        tall = (1 - SEEN_SHARE) * CARD_PX
        gone = (0, 0, -tall * CARD_ASPECT, -tall)
        assert kept == pytest.approx(
            gone if name == "Ts" else [-v for v in (*gone[2:], *gone[:2])], abs=1
        )


def test_a_card_that_lies_free_is_boxed_whole_though_one_index_alone_was_read() -> None:
    reading = says(spot_on(500, 400, 0), "Ts", 0.97)
    for still in (False, True):
        (card,) = detections_of(
            [reading], [], rules=RULES, width_px=WIDTH, height_px=HEIGHT, still=still
        )
        _, top, _, foot = card.box
        assert foot - top == pytest.approx(CARD_PX, abs=1)


def test_indices_in_both_corners_of_one_end_leave_the_card_its_width() -> None:
    group = Group(
        readings=(
            says(spot_on(500, 400, 0), "Ts", 0.97),
            says(spot_on(500, 400, 0, corner="top right"), "Ts", 0.95),
        )
    )
    quad = quad_of(group)
    part = end_of(group, quad)
    assert part is not None
    assert part[0] == pytest.approx(quad[0], abs=1e-6)
    assert part[1] == pytest.approx(quad[1], abs=1e-6)
    assert part[3][1] - part[0][1] == pytest.approx(SEEN_SHARE * (quad[3][1] - quad[0][1]))


def test_indices_at_both_ends_leave_nothing_out() -> None:
    group = Group(
        readings=(
            says(spot_on(500, 400, 0), "Ts", 0.97),
            says(spot_on(500, 400, 0, corner="bottom right"), "Ts", 0.95),
        )
    )
    assert end_of(group, quad_of(group)) is None
