"""What a seat's button means and what its light says, joined to a game."""

from __future__ import annotations

import random

from shuffle_scenes import Opened, Scene, a_deal, play

from engine.cards import Card
from engine.commands import (
    AnswerReview,
    Declare,
    EndGame,
    PlayCard,
    ShowUpcard,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.facts import Corrected, DealConfirmed, DealThrownIn, Discarded
from engine.sightings import CardRested, Place
from pi.sim.dials import Dials
from pi.sim.script import Terms, play_deal
from pi.tending import LOOK_US


def last_fact(scene: Scene) -> object:
    return scene.table.records[-1].fact


def sounds(scene: Scene, seconds: float) -> list[float]:
    """How long the buzzer sounded, each time, during so many seconds."""
    pin = scene.bench.factory.pin(scene.settings.pins.buzzer)
    # What sounds already has begun at the last look, a step ago.
    was = bool(pin.state)
    lengths: list[float] = [0.05] if was else []
    for _ in range(round(seconds / 0.05)):
        scene.run(0.05)
        now = bool(pin.state)
        if now and not was:
            lengths.append(0.0)
        if now:
            lengths[-1] += 0.05
        was = now
    return [round(length, 2) for length in lengths]


# --- short -------------------------------------------------------------------------------------


def test_short_marks_the_points_whoever_presses(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    table.press(0)
    assert last_fact(table) == DealConfirmed(deal=1)
    assert table.table.records[-1].source == "seat:0"


def test_short_by_the_next_dealer_marks_and_the_next_one_starts_the_shuffler(
    scene: Opened,
) -> None:
    table = scene(dealer=1, passes=1)
    play(table)
    table.press(2)
    assert (table.phase, table.machine.touches) == ("idle", 0), "one press, one meaning"
    table.press(2)
    table.load()
    table.run(8)
    assert table.shuffles == [(2, 1, True)]


def test_short_by_the_dealer_says_that_a_card_was_laid_away(scene: Opened) -> None:
    table = scene(dealer=1)
    deal = a_deal(dealer=1)
    table.do(ShowUpcard(card=deal.upcard, dealer=1))
    table.do(TakeUpcard())
    table.do(Declare(maker=1, trump=deal.upcard[1]))
    table.press(2)
    assert not isinstance(last_fact(table), Discarded), "only the dealer lays a card away"
    table.press(1)
    assert last_fact(table) == Discarded(seat=1)


def test_short_when_nothing_waits_is_refused_with_the_reason_and_a_long_tone(
    scene: Opened,
) -> None:
    table = scene(dealer=1)
    play(table, cards=3)
    table.bench.press(0, at_us=table.now_us)
    assert 0.4 in sounds(table, 2)
    assert table.warned == ["Deal 1 is under way: the shuffler is started between deals."]


# --- long --------------------------------------------------------------------------------------


def test_long_by_anybody_stops_the_shuffler(scene: Opened) -> None:
    table = scene(dealer=1, passes=3)
    table.press(1)
    assert table.phase == "loading"
    table.press_long(3)
    assert table.phase == "idle"
    table.load()
    table.run(10)
    assert table.machine.touches == 0


def test_long_by_the_dealer_throws_in_a_deal_that_all_passed(scene: Opened) -> None:
    table = scene(dealer=1)
    table.do(ShowUpcard(card=a_deal().upcard, dealer=1))
    table.do(TurnDownUpcard())
    table.press_long(0)
    assert not isinstance(last_fact(table), DealThrownIn), "only the dealer speaks last"
    table.press_long(1)
    assert last_fact(table) == DealThrownIn(reason="passed_out")
    assert table.shuffling.state()["may_start"] == [2]


def test_long_in_the_middle_of_a_deal_calls_for_a_look(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, cards=5)
    version = table.table.version
    table.press_long(3)
    assert table.warned == ["West asks everybody to look at the table."]
    assert table.tending.meanings(table.now_us)[3] == "attention"
    assert table.table.version == version, "nothing is recorded"
    table.run(LOOK_US / 1e6)
    assert table.tending.meanings(table.now_us)[3] != "attention"


# --- double ------------------------------------------------------------------------------------


def test_double_by_the_dealer_says_shuffled_by_hand(scene: Opened) -> None:
    table = scene(dealer=1, passes=3)
    table.press_twice(1)
    assert table.shuffles == [(1, 3, False)]
    assert table.machine.touches == 0


def test_double_in_the_middle_of_the_passes_says_the_rest_was_done_by_hand(
    scene: Opened,
) -> None:
    table = scene(dealer=1, passes=3)
    table.press(1)
    table.load()
    table.run(8)
    table.press_twice(1)
    assert table.shuffles == [(1, 1, True), (1, 2, False)]
    assert table.phase == "done"


def test_double_takes_back_what_this_button_did_last(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    table.press(0)
    confirmed = table.table.version
    table.press_twice(3)
    assert table.table.version == confirmed, "another seat's press is not taken back"
    table.press_twice(0)
    struck = last_fact(table)
    assert isinstance(struck, Corrected)
    assert (struck.target, struck.replacement) == (confirmed, None)
    version = table.table.version
    table.press_twice(0)
    assert table.table.version == version, "once"


def test_double_takes_nothing_back_once_the_game_went_on(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    table.press(0)
    table.do(ShowUpcard(card=a_deal(dealer=2).upcard, dealer=2))
    version = table.table.version
    table.press_twice(0)
    assert table.table.version == version
    assert "has done nothing that could be taken back" in table.warned[-1]


# --- a stuck button ----------------------------------------------------------------------------


def test_a_stuck_button_starts_nothing_and_is_told_with_its_cure(scene: Opened) -> None:
    table = scene(dealer=1, passes=1)
    table.bench.press_long(1, at_us=table.now_us, held_us=60_000_000)
    table.load()
    table.run(40)
    assert table.machine.touches == 0
    stuck = [told for told in table.warned if "stuck" in told]
    assert len(stuck) == 1
    assert "East's button is stuck" in stuck[0]
    table.run(25)
    assert table.warned[-1] == "East's button works again."
    table.press(1)
    table.run(8)
    assert table.machine.touches == 1


# --- no shuffler -------------------------------------------------------------------------------


def test_without_a_shuffler_the_buttons_still_mark_call_and_take_back(scene: Opened) -> None:
    table = scene(dealer=1, fitted=False)
    table.press(2)
    assert table.warned == ["Nothing waits for South's button now."]
    play(table)
    table.press(0)
    assert last_fact(table) == DealConfirmed(deal=1)
    table.press_twice(0)
    assert isinstance(last_fact(table), Corrected)
    table.press_long(3)
    assert table.warned[-1] == "West asks everybody to look at the table."
    assert table.tending.meanings(table.now_us)[3] == "attention"


# --- lights ------------------------------------------------------------------------------------


def test_the_dealers_light_winks_and_the_one_whose_turn_it_is_is_steady(scene: Opened) -> None:
    table = scene(dealer=1)
    assert table.tending.meanings(0) == (None, "dealer", None, None)
    deal = play(table, cards=2)
    turn = table.table.state.turn
    assert turn == deal.tricks[0][2].seat
    meanings = table.tending.meanings(0)
    assert meanings[turn] == "turn"
    assert [m for m in meanings if m is not None] == (
        ["turn"] if turn == 1 else ["dealer", "turn"] if turn > 1 else ["turn", "dealer"]
    )


def test_whoever_the_shuffler_waits_for_is_called_by_a_quick_blink(scene: Opened) -> None:
    table = scene(dealer=1, passes=2)
    table.press(1)
    assert table.tending.meanings(0)[1] == "attention"
    table.load()
    table.run(3)
    assert table.tending.meanings(0)[1] == "dealer", "while it runs nothing is asked of anybody"
    table.run(5)
    assert table.tending.meanings(0)[1] == "attention"


def test_a_seat_whose_card_is_in_doubt_is_called_until_it_is_answered(scene: Opened) -> None:
    table = scene(dealer=1)
    first = play(table, cards=0).tricks[0][0]
    table.table.see(
        CardRested(
            at_us=1,
            track=7,
            card=None,
            confidence=0.5,
            votes=((first.card, 0.5), (Card("Ac"), 0.4)),
            place=Place(seat=first.seat),
            box=(0.0, 0.0, 10.0, 14.0),
            why="low",
        )
    )
    (review,) = table.table.state.reviews
    assert table.tending.meanings(0)[first.seat] == "attention"
    assert sounds(table, 1) == [0.1], "and the buzzer says that somebody is asked"
    table.do(AnswerReview(review=review.version, card=first.card))
    assert table.tending.meanings(0)[first.seat] != "attention"


def test_after_the_game_nobodys_turn_is_lit(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, cards=2)
    table.do(EndGame(reason="late"))
    assert "turn" not in table.tending.meanings(0)


def test_all_is_dark_and_silent_once_the_kit_is_closed(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table, cards=2)
    table.run(0.1)
    assert any(table.bench.lit())
    table.close()
    pins = table.settings.pins
    for number in (*pins.lights, pins.buzzer, pins.touch):
        assert not table.bench.factory.pin(number).state


# --- the buzzer --------------------------------------------------------------------------------


def test_the_end_of_the_game_is_one_long_tone(scene: Opened) -> None:
    table = scene(dealer=1)
    table.do(EndGame(reason="late"))
    assert sounds(table, 2) == [0.6]


def test_a_proved_revoke_is_three_tones(scene: Opened) -> None:
    table = scene(dealer=1)
    rng = random.Random(7)
    dials = Dials(revokes=1)
    deal = next(
        deal
        for _ in range(400)
        if (
            deal := play_deal(
                number=1, dealer=1, terms=Terms(), dials=dials, courage=(0.0,) * 4, rng=rng
            )
        ).revoke
        and deal.alone is None
    )
    assert deal.maker is not None
    assert deal.trump is not None
    table.do(ShowUpcard(card=deal.upcard, dealer=1))
    table.do(TakeUpcard() if deal.taken else TurnDownUpcard())
    table.do(Declare(maker=deal.maker, trump=deal.trump))
    for trick in deal.tricks:
        for played in trick:
            table.do(PlayCard(seat=played.seat, card=played.card))
            if table.table.state.findings:
                assert sounds(table, 2) == [0.15, 0.15, 0.15]
                return
    raise AssertionError("the planted revoke was not found")


def test_a_taken_press_is_answered_by_a_short_tone(scene: Opened) -> None:
    table = scene(dealer=1)
    play(table)
    table.bench.press(0, at_us=table.now_us)
    assert sounds(table, 2) == [0.05]
    assert last_fact(table) == DealConfirmed(deal=1)
