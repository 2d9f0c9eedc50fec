"""Corners of what is seen: cards that lie, come late, or are looked at once more."""

from __future__ import annotations

from typing import Any

import pytest
from engine_scenes import Table

from engine.cards import Card
from engine.commands import Call, Declare, DrawDealer, PlayCard, TurnDownUpcard
from engine.facts import (
    CardPlayed,
    CardTakenBack,
    Corrected,
    ReviewAnswered,
    ReviewRaised,
    TrickCleared,
    UpcardShown,
)
from engine.intake import Ignored


def why(out: Any) -> str:
    assert isinstance(out, Ignored), out
    return out.reason


def bid() -> Table:
    """Dealt by West, the nine of spades turned up."""
    made = Table(dealer=3)
    made.up("9s", 3, track=50)
    return made


def in_play(*cards: tuple[int, str]) -> Table:
    made = bid()
    made.turns_down(50)
    made.tell(Declare(maker=0, trump="h"))
    made.plays(*cards)
    return made


# --- the up-card ------------------------------------------------------------------------------


def test_an_upcard_seen_after_the_first_call_is_that_deals() -> None:
    made = Table(dealer=3)
    made.record([UpcardShown(card=Card("9s"), dealer=3)])
    made.tell(Call(seat=0, call="pass"))
    called = Table(dealer=3)
    called.record([r.fact for r in made.records[2:]])
    assert called.state.deal is not None
    called.up("9s", 3)
    assert [(d.number, d.upcard.card) for d in called.state.deals if d.upcard] == [(1, "9s")]


def test_an_upcard_that_is_asked_about_is_answered_by_a_surer_look_only() -> None:
    made = Table(dealer=3)
    made.up(None, 3)
    assert "asked about already" in why(made.up(None, 3))
    assert "asked about already" in why(made.up("4h", 3))
    assert made.up("9s", 3) == (ReviewAnswered(review=2, card=Card("9s"), seat=3),)


def test_an_upcard_that_lies_there_still_is_no_new_one() -> None:
    made = bid()
    assert "still lies there" in why(made.up("9s", 3, track=50))
    assert "still lies there" in why(made.up(None, 3, votes=[("9s", 0.6)]))
    (anew,) = list(made.up("9s", 3, track=51))
    assert isinstance(anew, Corrected)
    made.tell(Declare(maker=3, trump="s"))
    assert "still lies there" in why(made.up("9s", 3, track=52))


def test_an_upcard_read_again_says_nothing_new_or_is_asked_about() -> None:
    made = bid()
    assert "read as before" in why(made.reads_again(50, "9s"))
    (asked,) = list(made.reads_again(50, "9c"))
    assert isinstance(asked, ReviewRaised)
    assert [card for card, _ in asked.candidates] == ["9c", "9s"]


def test_what_became_of_the_upcard_is_known_once() -> None:
    made = bid()
    made.tell(TurnDownUpcard())
    assert "known already" in why(made.turns_down(50))
    assert "known already" in why(made.leaves(50))


def test_a_joker_that_means_a_new_deal_was_not_taken() -> None:
    made = Table(dealer=3, preset="joker", joker_upcard="redeal")
    made.up("B", 3, track=50)
    assert "it is dealt again" in why(made.leaves(50))


def test_an_upcard_cleared_away_after_another_suit_was_made_was_not_taken() -> None:
    made = bid()
    made.tell(Declare(maker=0, trump="h"))
    assert "known already" in why(made.leaves(50))


# --- cards of a trick ---------------------------------------------------------------------------


def test_a_card_from_nowhere_that_lay_there_before_the_tricks_last_is_of_that_trick() -> None:
    made = in_play((0, "Ah"), (1, "9h"), (2, "Th"), (3, "Kh"))
    late = made.rests("Qc", 2, clear=False, at_us=made.clock_us - 500_000, after_us=0)
    assert "every seat's card of this trick is known" in why(late)


def test_nobody_lays_two_cards_that_cannot_be_read() -> None:
    made = in_play((0, "Ah"), (1, "9h"))
    assert "nobody lays two" in why(made.rests(None, 1))
    assert "lies there already" in why(made.rests("9h", 1))


def test_a_card_seen_before_from_a_seat_that_has_played_is_the_readers_slip() -> None:
    made = in_play((0, "Ah"), (1, "9h"))
    assert "this seat has played" in why(made.rests("Ah", 1))


def test_a_second_reading_of_a_card_that_lies_there_cannot_be_a_card_seen_before() -> None:
    made = in_play((0, "Ah"), (1, "9h"), (2, "Th"))
    early = made.clock_us - 500_000
    assert "it cannot be" in why(made.rests("Ah", 1, at_us=early))
    assert "the same card" in why(made.rests("9h", 1, at_us=early))
    (asked,) = list(made.rests("9d", 1, at_us=early))
    assert isinstance(asked, ReviewRaised)
    assert asked.reason == "changed"


def test_a_second_reading_of_a_tapped_card_is_asked_about_by_its_seat() -> None:
    made = in_play((0, "Ah"))
    made.clock_us += 5_000_000
    made.tell(PlayCard(seat=1, card=Card("9h")))
    (asked,) = list(made.rests("9d", 1, at_us=made.clock_us, after_us=0))
    assert isinstance(asked, ReviewRaised)
    assert asked.reason == "seat"


def test_a_doubtful_card_is_not_answered_by_one_that_it_cannot_be() -> None:
    made = in_play((0, "Ah"))
    made.rests(None, 1, votes=[("9h", 0.5), ("Ah", 0.4)])
    out = made.rests("Ah", 1)
    assert not any(
        isinstance(fact, ReviewAnswered) for fact in (() if isinstance(out, Ignored) else out)
    )
    assert len(made.state.reviews) >= 1


@pytest.mark.parametrize(
    ("card", "says"), [("4h", "not in the pack"), ("Ah", "was seen in this deal")]
)
def test_a_question_stays_where_a_surer_look_says_what_cannot_be(card: str, says: str) -> None:
    made = in_play((0, "Ah"))
    made.rests(None, 1, track=77)
    assert says in why(made.reads_again(77, card))


def test_a_lead_taken_back_by_a_tap_that_was_mended_is_no_gathered_trick() -> None:
    made = in_play((0, "Ah"))
    lead = made.state.version
    made.record([CardTakenBack(target=lead)])
    made.record([Corrected(target=lead, replacement=None, reason="x")])
    made.record([CardTakenBack(target=lead)])
    (played,) = list(made.rests("9h", 1))
    assert isinstance(played, CardPlayed)


def test_a_card_that_is_not_the_lead_taken_back_leaves_its_trick_as_it_is() -> None:
    made = in_play((0, "Ah"), (1, "9h"), (2, "Th"), (3, "Kh"))
    made.record([CardTakenBack(target=made.state.version)])
    out = made.rests("9d", 1)
    assert not isinstance(out, Ignored)
    # West's card was missed and the trick swept: East leads. No lead went with it.
    assert [type(fact) for fact in out] == [ReviewRaised, TrickCleared, CardPlayed]


def test_a_surer_look_does_not_say_whose_card_it_is() -> None:
    made = in_play((0, "Ah"))
    made.rests(None, 3, clear=False, track=77)
    assert "nobody knows whose card" in why(made.reads_again(77, "9h"))


# --- the draw -----------------------------------------------------------------------------------


def test_a_card_in_a_draw_answers_only_a_question_of_its_own_seat_and_look() -> None:
    made = Table(dealer=None)
    made.tell(DrawDealer())
    made.rests(None, 1, votes=[("Qc", 0.5)])
    made.rests(None, 2, votes=[("Qd", 0.5)])
    (drawn,) = list(made.rests("9h", 1))
    assert type(drawn).__name__ == "CardDrawn"
