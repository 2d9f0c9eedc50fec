"""The simulated table: what is drawn is where and when the script says."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.cards import Card
from engine.commands import ConfirmDeal, Declare, StartGame
from pi.errors import BadDial, BadSettings
from pi.sim.dials import Dials, dials_from
from pi.sim.faces import face_pixels
from pi.sim.lens import Lens, card_quad, corners_mm, homography, to_pixels
from pi.sim.painter import Painter
from pi.sim.script import play_game
from pi.sim.stage import Episode, Flight, Pose, Reach, Resting, Still, Tap, flight_at, perform
from pi.sim.table import SimTable

CALM = Dials(blur=0, noise=0, glare=0, tilt=0, shade=0, hands=0, markers=0)


def unwarped(picture: np.ndarray, quad: np.ndarray, *, width_px: int) -> np.ndarray:
    """The card inside ``quad``, upright."""
    height_px = round(width_px * 88 / 63)
    flat = np.array([(0, 0), (width_px, 0), (width_px, height_px), (0, height_px)], np.float32)
    warp = cv2.getPerspectiveTransform(quad.astype(np.float32) - 0.5, flat - 0.5)
    return cv2.warpPerspective(picture, warp, (width_px, height_px))


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Correlation of two pictures, 1 for the same."""
    a = cv2.GaussianBlur(one, (0, 0), 1.0).astype(float).ravel()
    b = cv2.GaussianBlur(other, (0, 0), 1.0).astype(float).ravel()
    return float(np.corrcoef(a, b)[0, 1])


@pytest.mark.parametrize("tilt", [0.0, 12.0, 30.0])
@pytest.mark.parametrize(
    "pose",
    [
        Pose(x_mm=0, y_mm=0),
        Pose(x_mm=-180, y_mm=60, turn_deg=97),
        Pose(x_mm=140, y_mm=-90, turn_deg=200),
    ],
)
def test_a_card_is_drawn_where_it_was_told_to_lie(tilt: float, pose: Pose) -> None:
    painter = Painter(lens=Lens(tilt_deg=tilt, roll_deg=2.0), dials=CALM, seed=1)
    episode = Episode(start_us=0, end_us=1, still=(Resting(key=1, card=Card("Kh"), pose=pose),))
    card = unwarped(painter.frame(episode, 0), painter.quad(pose), width_px=84)
    right = likeness(card, face_pixels(Card("Kh"), width_px=84))
    wrong = likeness(card, face_pixels(Card("Qh"), width_px=84))
    assert right > 0.95
    assert 1 - right < 0.3 * (1 - wrong)


def test_the_lens_keeps_the_middle_and_the_width_it_was_given() -> None:
    lens = Lens(tilt_deg=25, field_mm=960)
    matrix = homography(lens)
    middle, left, right, south, north = to_pixels(
        matrix, [(0, 0), (-480, 0), (480, 0), (0, 200), (0, -200)]
    )
    assert middle == pytest.approx((640, 360))
    assert left == pytest.approx((0, 360))
    assert right == pytest.approx((1280, 360))
    assert south[1] - 360 > 360 - north[1], "the near side looks larger"


def test_a_quarter_turn_lays_the_top_of_a_card_to_the_east() -> None:
    corners = corners_mm(Pose(x_mm=0, y_mm=0, turn_deg=90))
    assert corners[0] == pytest.approx((44, -31.5))
    assert corners[1] == pytest.approx((44, 31.5))
    quad = card_quad(homography(Lens()), Pose(x_mm=0, y_mm=0, turn_deg=90))
    assert cv2.contourArea(quad.astype(np.float32)) == pytest.approx(
        63 * 88 * (1280 / 960) ** 2, rel=1e-4
    )


def test_a_flight_starts_and_ends_where_it_should_and_turns_over_on_time() -> None:
    here, there = Pose(x_mm=0, y_mm=0), Pose(x_mm=100, y_mm=50, turn_deg=90)
    flight = Flight(
        key=1,
        stills=(
            Still(at_us=1000, pose=here, card=Card("9c")),
            Still(at_us=2000, pose=there, card=None),
        ),
    )
    assert flight_at(flight, 0) == (here, "9c")
    assert flight_at(flight, 1500)[0].x_mm == pytest.approx(50)
    assert flight_at(flight, 1999)[1] == "9c"
    assert flight_at(flight, 2000) == (there, None)


def test_a_hand_hides_what_is_under_it_and_leaves_the_rest() -> None:
    painter = Painter(lens=Lens(), dials=CALM, seed=2)
    bare = Episode(start_us=0, end_us=10, still=())
    reach = Reach(seat=2, points=((0, 0.0, 0.0), (10, 0.0, 0.0)))
    with_hand = replace(bare, reaches=(reach,))
    empty, covered = painter.frame(bare, 5), painter.frame(with_hand, 5)
    changed = np.abs(empty.astype(int) - covered).max(axis=2) > 25
    assert changed[420:, 600:680].mean() > 0.8, "fingers, palm and arm towards South"
    assert changed[:300].mean() < 0.01


def test_a_still_picture_differs_from_the_next_by_noise_alone() -> None:
    painter = Painter(lens=Lens(), dials=replace(CALM, noise=0.15), seed=3)
    lying = (Resting(key=1, card=Card("As"), pose=Pose(x_mm=50, y_mm=0)),)
    episode = Episode(start_us=0, end_us=10**6, still=lying)
    one, two = painter.frame(episode, 0).astype(int), painter.frame(episode, 10**5).astype(int)
    spread = (one - two).std()
    assert 2 < spread < 3 * np.sqrt(2) + 0.5
    assert not np.array_equal(one, two)


def test_every_dial_changes_the_picture() -> None:
    lying = (Resting(key=1, card=Card("As"), pose=Pose(x_mm=-60, y_mm=-60)),)
    episode = Episode(start_us=0, end_us=10, still=lying)

    def picture(dials: Dials) -> np.ndarray:
        lens = Lens(tilt_deg=35 * dials.tilt)
        return Painter(lens=lens, dials=dials, seed=4).frame(episode, 0).astype(int)

    calm = picture(CALM)
    for name in ("blur", "glare", "noise", "tilt", "shade"):
        turned = picture(replace(CALM, **{name: 1.0}))
        assert np.abs(turned - calm).mean() > 0.5, name


def test_the_stage_shows_every_play_in_order_and_ends_with_an_empty_place() -> None:
    game = play_game(seed=5)
    laid: list[tuple[str, int]] = []
    taps: list[Tap] = []
    last_us = 0
    for act in perform(game, seed=5, dials=CALM, start_us=0, rules="home"):
        if isinstance(act, Tap):
            taps.append(act)
        if not isinstance(act, Episode):
            continue
        assert act.start_us >= last_us
        assert act.end_us > act.start_us
        last_us = act.end_us
        for flight in act.flights:
            first, last = flight.stills[0], flight.stills[-1]
            if last.card is not None and abs(first.pose.x_mm) + abs(first.pose.y_mm) > 350:
                laid.append((last.card, act.reaches[0].seat))
    expected = []
    for deal in game.deals:
        expected.append((deal.upcard, deal.dealer))
        expected += [(play.card, play.seat) for trick in deal.tricks for play in trick]
    assert laid == expected
    assert isinstance(taps[0].command, StartGame)
    declared = [t.command for t in taps if isinstance(t.command, Declare)]
    played = [deal for deal in game.deals if deal.maker is not None]
    assert [(c.maker, c.trump, c.alone) for c in declared] == [
        (deal.maker, deal.trump, deal.alone) for deal in played
    ]
    confirmed = [t.command.deal for t in taps if isinstance(t.command, ConfirmDeal)]
    assert confirmed == [deal.number for deal in played]


def test_a_lone_hand_is_declared_before_the_first_lead() -> None:
    seeds = [s for s in range(1, 60) if any(d.alone is not None for d in play_game(seed=s).deals)]
    for seed in seeds[:6]:
        game = play_game(seed=seed)
        deals = iter([deal for deal in game.deals if deal.maker is not None])
        plays = 0
        for act in perform(game, seed=seed, dials=Dials(late=1), start_us=0, rules="home"):
            if isinstance(act, Tap) and isinstance(act.command, Declare):
                deal = next(deals)
                if deal.alone is not None:
                    assert plays == 0
            if isinstance(act, Tap) and isinstance(act.command, ConfirmDeal):
                plays = 0
            if isinstance(act, Episode):
                plays += sum(
                    f.stills[-1].card is not None
                    and abs(f.stills[-1].pose.x_mm) + abs(f.stills[-1].pose.y_mm) > 60
                    and len(f.stills) == 2
                    and abs(f.stills[-1].pose.x_mm) < 300
                    and abs(f.stills[-1].pose.y_mm) < 200
                    for f in act.flights
                )


def test_frames_come_at_their_rate_with_running_stamps_and_the_commands_between() -> None:
    table = SimTable(seed=1, fps=5, start_us=1_000_000, lens=Lens(width_px=320, height_px=180))
    stamps, taps = [], []
    for frame in table.frames():
        stamps.append(frame.at_us)
        taps += table.commands_due(frame.at_us)
        if len(stamps) == 200:
            table.close()
    assert len(stamps) == 200
    assert stamps == list(range(1_000_000, 1_000_000 + 200 * 200_000, 200_000))
    assert isinstance(taps[0].command, StartGame)
    assert [t.at_us for t in taps] == sorted(t.at_us for t in taps)
    assert any(isinstance(t.command, Declare) for t in taps)


def test_one_game_follows_another_with_a_start_of_its_own() -> None:
    table = SimTable(
        seed=5,
        rules={"preset": "home", "target": 1},
        fps=1,
        games=2,
        lens=Lens(width_px=320, height_px=180),
    )
    taps = [tap for frame in table.frames() for tap in table.commands_due(frame.at_us)]
    starts = [tap for tap in taps if isinstance(tap.command, StartGame)]
    assert [tap.command.dealer for tap in starts] == [g.first_dealer for g in table.truth]
    assert len(starts) == 2
    assert starts[1].at_us > max(t.at_us for t in taps if t.at_us < starts[1].at_us)


def test_the_same_seed_gives_the_same_pictures() -> None:
    def first(seed: int) -> list[np.ndarray]:
        table = SimTable(seed=seed, fps=2, lens=Lens(width_px=320, height_px=180))
        return [frame.image for frame, _ in zip(table.frames(), range(30), strict=False)]

    one, again, other = first(4), first(4), first(5)
    assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_a_frame_owns_its_memory() -> None:
    table = SimTable(seed=1, fps=2, lens=Lens(width_px=320, height_px=180))
    frames = table.frames()
    kept = next(frames)
    copy = kept.image.copy()
    kept_sum = int(copy.sum())
    for _ in range(20):
        next(frames).image[:] = 0
    assert int(kept.image.sum()) == kept_sum


def test_rules_the_players_do_not_know_are_refused_by_name() -> None:
    with pytest.raises(BadSettings, match="partner_order_must_be_alone"):
        SimTable(seed=1, rules="canadian")
    with pytest.raises(BadSettings, match="pack = 24"):
        SimTable(seed=1, rules="thirty_two")


def test_dials_are_read_by_name_and_refused_by_name() -> None:
    assert dials_from(["noise=0.5", "tilt=1"]).noise == 0.5
    with pytest.raises(BadDial, match="'fog' is no dial"):
        dials_from(["fog=1"])
    with pytest.raises(BadDial, match="blur is 2"):
        dials_from(["blur=2"])
    with pytest.raises(BadDial, match=r"noise=0\.5"):
        dials_from(["noise=loud"])


@pytest.mark.parametrize(
    ("rules", "named"),
    [
        ("buck3", "game"),
        ("two_hand", "game"),
        ("call_ace_5", "game"),
        ("british", "jokers"),
        ("joker", "jokers"),
        ("thirty_two", "pack"),
        ({"preset": "pub", "natural_trump_required": "any_caller"}, "natural_trump_required"),
    ],
)
def test_rules_the_simulated_players_do_not_know_are_refused_by_name(rules, named):
    with pytest.raises(BadSettings, match=named):
        SimTable(seed=1, rules=rules)
