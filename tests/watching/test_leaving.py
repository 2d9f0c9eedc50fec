"""Cards that stay, are hidden, are moved, are turned, and leave."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.sightings import (
    CardLeft,
    CardReread,
    CardRested,
    CardTurnedDown,
    Sighting,
    TableCleared,
    TableCovered,
    TableUncovered,
)


def story(sightings: Sequence[Sighting]) -> list[str]:
    words = {
        CardReread: "reread",
        CardLeft: "left",
        CardTurnedDown: "turned down",
        TableCleared: "cleared",
        TableCovered: "covered",
        TableUncovered: "uncovered",
    }
    return [f"{s.card} rested" if isinstance(s, CardRested) else words[type(s)] for s in sightings]


def lay_trick(table, start_s: float = 1.0, gap_s: float = 1.0) -> list:
    return [
        table.lay(card, seat, start_s + gap_s * seat)
        for seat, card in enumerate(("Kh", "Qd", "Ac", "9s"))
    ]


TRICK = ["Kh rested", "Qd rested", "Ac rested", "9s rested"]


def test_a_card_under_a_hand_has_not_left(table) -> None:
    table.lay("Kh", 0, 1.0)
    table.reach(2, 2.2, (320, 120), for_s=3.0)
    assert story(table.watch(7.0)) == ["Kh rested"]


@pytest.mark.parametrize("where", [(328, 142), (335, 128), (320, 124)])
def test_a_card_under_the_next_card_has_not_left(table, where: tuple[int, int]) -> None:
    table.lay("Kh", 0, 1.0)
    table.lay("Qd", 0, 2.5, where=where)
    assert story(table.watch(6.0)) == ["Kh rested", "Qd rested"]


def test_a_nudged_table_changes_nothing(tabletop) -> None:
    table = tabletop(shake=lambda s: (0.0, 0.0) if s < 5.2 else (5.0, 3.0))
    lay_trick(table)
    assert story(table.watch(8.0)) == TRICK


def test_a_card_pushed_along_is_the_same_card(table) -> None:
    card = table.lay("Kh", 0, 1.0)
    table.slide(card, 0, 2.5, (45, 20))
    assert story(table.watch(5.0)) == ["Kh rested"]


def test_a_swept_trick_clears_the_table_once(table) -> None:
    table.take(lay_trick(table), 1, 5.5)
    sightings = table.watch(8.0)
    assert story(sightings) == [*TRICK, "left", "left", "left", "left", "cleared"]
    assert isinstance(sightings[-1], TableCleared)
    assert abs(sightings[-1].at_us - 5_900_000) <= 500_000


def test_a_half_swept_trick_is_not_cleared(table) -> None:
    played = lay_trick(table)
    table.take(played[:2], 1, 5.5)
    assert story(table.watch(8.0)) == [*TRICK, "left", "left"]


def test_a_trick_swept_in_two_goes_is_cleared_with_the_second(table) -> None:
    played = lay_trick(table)
    table.take(played[:2], 1, 5.5)
    table.take(played[2:], 1, 7.0)
    sightings = table.watch(9.5)
    assert story(sightings) == [*TRICK, *["left"] * 4, "cleared"]
    assert abs(sightings[-1].at_us - 7_400_000) <= 500_000


@pytest.mark.parametrize("fps", [8, 12, 30])
def test_a_lead_right_after_the_sweep_comes_after_the_clearing(tabletop, fps: int) -> None:
    table = tabletop(fps=fps)
    table.take(lay_trick(table), 1, 5.5)
    # On the very place of East's card of the trick before, half a second after it went.
    table.lay("Jc", 1, 6.5)
    assert story(table.watch(9.0)) == [*TRICK, *["left"] * 4, "cleared", "Jc rested"]


def test_the_upcard_taken_has_left(table) -> None:
    up = table.lay("Th", 3, 1.0, where=(321, 179))
    table.take([up], 3, 3.0)
    sightings = table.watch(5.0)
    assert story(sightings) == ["Th rested", "left", "cleared"]
    assert abs(sightings[1].at_us - 3_200_000) <= 500_000


def test_the_upcard_turned_down_is_said_to_be(table) -> None:
    up = table.lay("Th", 3, 1.0, where=(321, 179))
    table.turn_down(up, 3, 3.0)
    sightings = table.watch(5.0)
    assert story(sightings)[:2] == ["Th rested", "turned down"]
    assert "left" not in story(sightings)


def test_the_upcard_taken_off_the_kitty_has_left_though_a_back_shows(table) -> None:
    table.there("As", (320, 180), turn=2, face_up=False)
    up = table.lay("Th", 3, 1.5, where=(322, 181))
    table.take([up], 3, 3.5)
    assert story(table.watch(6.0)) == ["Th rested", "left", "cleared"]


def test_the_upcard_turned_down_onto_the_kitty_is_told_from_one_taken(table) -> None:
    table.there("As", (320, 180), turn=2, face_up=False)
    up = table.lay("Th", 3, 1.5, where=(322, 181))
    table.turn_down(up, 3, 3.5)
    assert story(table.watch(6.0))[:2] == ["Th rested", "turned down"]


@pytest.mark.parametrize("linger_s", [0.1, 0.6, 1.2])
def test_the_upcard_taken_off_a_kitty_that_was_never_told_for_a_back_has_left(
    table, linger_s: float
) -> None:
    # glare hides the kitty from the reader until the up-card has gone
    table.fault = lambda at_us, card, d: None if d.kind == "back" and at_us < 3_400_000 else d
    table.there("As", (320, 180), turn=2, face_up=False)
    up = table.lay("Th", 3, 1.5, where=(322, 181), linger_s=linger_s)
    table.take([up], 3, 3.5)
    assert story(table.watch(6.0)) == ["Th rested", "left", "cleared"]


def test_in_the_dark_where_all_looks_alike_the_upcard_turned_down_is_said_to_be(
    tabletop,
) -> None:
    table = tabletop(light=lambda s: 0.15)
    up = table.lay("Th", 3, 1.5, where=(322, 181))
    table.turn_down(up, 3, 3.5)
    assert story(table.watch(6.0))[:2] == ["Th rested", "turned down"]


def test_a_discard_on_the_kitty_is_no_play(table) -> None:
    table.there("As", (320, 180), turn=2, face_up=False)
    up = table.lay("Th", 3, 1.5, where=(322, 181))
    table.take([up], 3, 3.5)
    table.lay("9c", 3, 5.0, where=(317, 183), face_up=False)
    table.lay("Qd", 0, 6.5)
    assert story(table.watch(8.0)) == ["Th rested", "left", "cleared", "Qd rested"]


def test_a_card_picked_up_and_played_again_is_seen_again(table) -> None:
    card = table.lay("Kh", 0, 1.0)
    table.take([card], 0, 2.5)
    table.lay("Kh", 0, 4.5)
    assert story(table.watch(6.5)) == ["Kh rested", "left", "cleared", "Kh rested"]


def test_a_reader_that_goes_blind_takes_nothing_from_the_table(table) -> None:
    table.fault = lambda at_us, card, d: d if at_us < 3_000_000 else None
    table.lay("Kh", 0, 1.0)
    table.reach(1, 4.0, (390, 180), for_s=0.3)
    assert story(table.watch(8.0)) == ["Kh rested"]


def test_hands_all_over_the_table_conclude_nothing(table) -> None:
    table.lay("Kh", 0, 1.0)
    for seat in range(4):
        for aside in (-120, -60, 0, 60, 120):
            dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[seat]
            table.reach(seat, 3.0, (320 - dy * aside + dx * 20, 180 + dx * aside), for_s=1.5)
    told = story(table.watch(7.0))
    assert told == ["Kh rested", "covered", "uncovered"]


def test_a_light_switched_off_and_on_takes_nothing(tabletop) -> None:
    table = tabletop(light=lambda s: 0.45 if 4.0 <= s < 6.0 else 1.0)
    table.lay("Kh", 0, 1.0)
    table.lay("Qd", 1, 2.0)
    told = [word for word in story(table.watch(9.0)) if "covered" not in word]
    assert told == ["Kh rested", "Qd rested"]


def test_crossed_markers_in_a_corner_are_reported_where_they_lie(table) -> None:
    table.there("6h", (60, 50), turn=20)
    table.there("4h", (72, 58), turn=100)
    lay_trick(table)
    sightings = table.watch(6.0)
    plays = [
        s for s in sightings if isinstance(s, CardRested) and s.card in ("Kh", "Qd", "Ac", "9s")
    ]
    assert [s.place.seat for s in plays] == [0, 1, 2, 3]
    markers = [s for s in sightings if s not in plays]
    assert all(isinstance(s, CardRested) for s in markers)
    assert {s.card for s in markers} <= {"6h", "4h", None}


def test_markers_that_lie_on_do_not_keep_a_swept_table_from_being_clear(table) -> None:
    table.there("6h", (60, 50), turn=20)
    table.there("4s", (580, 310), turn=70)
    table.take(lay_trick(table), 1, 5.5)
    # Laid between two deals, far from where tricks lie.
    table.lay("5d", 0, 8.0, where=(560, 60))
    table.take([table.lay("Jc", 1, 9.5), table.lay("Tc", 2, 10.5)], 1, 12.0)
    told = story(table.watch(14.0))
    assert told.count("cleared") == 2
    assert told[-1] == "cleared"
    assert told.count("left") == 6


def test_a_trick_that_lay_there_from_the_first_frame_is_cleared_when_swept(table) -> None:
    lying = [table.there(card, table.spot(seat)) for seat, card in enumerate(("Kh", "Qd", "Ac"))]
    table.take(lying, 1, 3.0)
    told = story(table.watch(7.0))
    assert sorted(told) == ["Ac rested", "Kh rested", "Qd rested", "cleared", *["left"] * 3]
    assert told[-1] == "cleared"


def test_the_kitty_is_known_again_though_its_box_is_never_read_twice_alike(table) -> None:
    from dataclasses import replace

    def unsteady(at_us: int, card: str, d):
        if d.kind != "back":
            return d
        off = (at_us // 83_333) % 4
        x0, y0, x1, y1 = d.box
        return replace(d, box=(x0 - off, y0 + off, x1 + off, y1 - off / 2))

    table.fault = unsteady
    table.there("As", (320, 180), turn=2, face_up=False)
    up = table.lay("Th", 3, 1.5, where=(322, 181))
    table.take([up], 3, 3.5)
    assert story(table.watch(6.0)) == ["Th rested", "left", "cleared"]
