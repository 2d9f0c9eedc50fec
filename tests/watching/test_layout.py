from __future__ import annotations

import pytest

from vision.layout import BadLayout, Layout, from_corners, place_of, side_nearest


def place(x: float, y: float, layout: Layout | None = None, *, length_px: float = 130.0):
    return place_of(layout or Layout(), (x, y), length_px=length_px, width_px=1920, height_px=1080)


@pytest.mark.parametrize(
    ("x", "y", "seat"), [(960, 380, 0), (1120, 540, 1), (960, 700, 2), (800, 540, 3)]
)
def test_without_a_calibration_the_frames_sides_are_the_seats(x: int, y: int, seat: int) -> None:
    found = place(x, y)
    assert (found.seat, found.middle, found.clear) == (seat, False, True)


def test_a_card_over_the_centre_lies_in_the_middle() -> None:
    assert place(965, 550).middle
    assert place(1000, 560).middle
    assert not place(960, 440).middle


def test_near_a_border_between_two_seats_the_seat_is_not_clear() -> None:
    assert not place(960 + 200, 540 + 190).clear
    assert not place(960 - 200, 540 + 180).clear
    assert place(960 + 200, 540 + 90).clear


def test_a_wide_frame_does_not_bend_the_directions() -> None:
    # 45 degrees off the axis in pixels, whatever the frame's shape.
    assert place(960 + 210, 540 - 180).seat == 1
    assert place(960 + 180, 540 - 210).seat == 0


def test_four_corners_turn_a_turned_camera_back() -> None:
    # North sits at the right of the picture: its corners come first.
    corners = [(1800, 100), (1800, 980), (120, 980), (120, 100)]
    layout = from_corners(corners, width_px=1920, height_px=1080)
    assert place(1300, 540, layout).seat == 0
    assert place(960, 800, layout).seat == 1
    assert place(600, 540, layout).seat == 2
    assert place(960, 300, layout).seat == 3
    assert place(962, 538, layout).middle
    assert side_nearest(layout, (1920, 540), width_px=1920, height_px=1080) == 0


def test_a_tilted_camera_sees_the_middle_where_it_is() -> None:
    # Leaning back from South: the far side is narrower and the middle lies above the centre.
    corners = [(560, 200), (1360, 200), (1800, 1000), (120, 1000)]
    layout = from_corners(corners, width_px=1920, height_px=1080)
    assert place(960, 470, layout, length_px=100).middle
    assert not place(960, 600, layout, length_px=100).middle
    assert place(960, 620, layout, length_px=100).seat == 2


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0), (10, 0), (10, 10)],
        [(0, 0), (500, 500), (1000, 1000), (1500, 1500)],
        [(0, 0), (1000, 1000), (1000, 0), (0, 1000)],
    ],
)
def test_corners_that_make_no_table_are_refused(corners: list[tuple[float, float]]) -> None:
    with pytest.raises(BadLayout):
        from_corners(corners, width_px=1920, height_px=1080)


def test_a_layout_with_impossible_limits_is_refused() -> None:
    with pytest.raises(BadLayout, match="border_deg"):
        Layout(border_deg=60)
    with pytest.raises(BadLayout, match="9"):
        Layout(to_table=(1.0, 2.0))
