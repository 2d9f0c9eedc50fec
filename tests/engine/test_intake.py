"""From sightings to facts: what lies where means what, and what is doubtful becomes a question."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from engine_scenes import Table
from oracle_euchre import Truth, deal_out

from engine.cards import Card
from engine.commands import AnswerReview, Declare, StartGame, Undo
from engine.facts import (
    CardPlayed,
    Corrected,
    DealThrownIn,
    Discarded,
    Fact,
    ReviewAnswered,
    ReviewRaised,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.intake import Ignored, interpret
from engine.sightings import TableCovered, TableUncovered
from engine.state import State


def table(**rules: Any) -> Table:
    """A table where West has turned up the nine of spades (track 1)."""
    made = Table(dealer=3, **rules)
    made.up("9s", 3)
    return made


def in_play(**rules: Any) -> Table:
    """The same, turned down, North having named hearts: North is to lead."""
    made = table(**rules)
    made.turns_down(1)
    made.tell(Declare(maker=0, trump="h"))
    return made


def kinds(facts: Sequence[Fact] | Ignored) -> list[str]:
    return [] if isinstance(facts, Ignored) else [type(fact).__name__ for fact in facts]


def only(facts: Sequence[Fact] | Ignored) -> Fact:
    assert not isinstance(facts, Ignored), facts
    (fact,) = facts
    return fact


def asked(facts: Sequence[Fact] | Ignored) -> tuple[str, str, int | None]:
    fact = only(facts)
    assert isinstance(fact, ReviewRaised)
    return fact.subject, fact.reason, fact.seat


# --- the up-card -------------------------------------------------------------------------------


def test_a_lone_card_on_the_kitty_is_the_upcard_and_its_layer_the_dealer() -> None:
    made = Table(dealer=None)
    fact = only(made.up("Kh", 3))
    assert fact == UpcardShown(
        card=Card("Kh"), dealer=3, confidence=0.99, track=1, evidence="picture-Kh"
    )


def test_an_upcard_whose_layer_was_not_seen_has_no_dealer() -> None:
    fact = only(Table(dealer=None).up("Kh"))
    assert isinstance(fact, UpcardShown)
    assert fact.dealer is None


def test_an_upcard_that_leaves_before_the_first_lead_was_taken() -> None:
    made = table()
    assert only(made.leaves(1)) == UpcardTaken()
    assert made.state.deals[0].trump == "s"


def test_an_upcard_turned_face_down_is_out_of_play() -> None:
    made = table()
    assert only(made.turns_down(1)) == UpcardTurnedDown()
    assert isinstance(made.leaves(1), Ignored)
    assert made.state.deals[0].upcard_state == "turned_down"


def test_another_card_leaving_says_nothing_of_the_upcard() -> None:
    made = table()
    assert isinstance(made.leaves(99), Ignored)
    assert isinstance(made.turns_down(99), Ignored)


def test_an_upcard_that_is_cleared_away_after_the_first_lead_was_not_taken() -> None:
    made = table()
    made.plays((0, "Ac"))
    assert isinstance(made.leaves(1), Ignored)
    deal = made.state.deals[0]
    assert (deal.upcard_state, deal.trump, deal.phase) == ("shown", None, "undeclared")


def test_after_another_suit_was_declared_the_upcard_is_only_cleared_away() -> None:
    made = table()
    made.tell(Declare(maker=0, trump="h"))
    assert isinstance(made.leaves(1), Ignored)
    assert made.state.findings == ()


def test_a_new_upcard_on_the_kitty_means_that_everybody_passed() -> None:
    made = table()
    made.turns_down(1)
    facts = made.up("Ah", 0)
    assert kinds(facts) == ["DealThrownIn", "UpcardShown"]
    state = made.state
    assert [deal.thrown_in for deal in state.deals] == ["passed_out", None]
    assert (state.deals[1].dealer, state.findings) == (0, ())


def test_a_passed_out_deal_swept_up_unturned_is_thrown_in_all_the_same() -> None:
    made = table()
    made.leaves(1)
    assert kinds(made.up("Ah", 0)) == ["DealThrownIn", "UpcardShown"]
    assert made.state.score == (0, 0)
    deal = made.state.deals[0]
    assert (deal.maker, deal.trump, deal.upcard_state) == (None, None, "turned_down")


def test_the_dealers_discard_seen_face_up_is_no_new_upcard() -> None:
    made = table()
    made.leaves(1)
    assert only(made.up("Ah", 3)) == Discarded(seat=3, card=Card("Ah"))


def test_an_upcard_seen_anew_is_the_same_deal() -> None:
    """The tracker lost it for a moment: it had not been taken."""
    made = table()
    made.leaves(1)
    facts = made.up("9s", 3)
    assert kinds(facts) == ["Corrected", "Corrected"]
    deal = made.state.deals[0]
    assert len(made.state.deals) == 1
    assert (deal.upcard_state, deal.trump) == ("shown", None)
    assert only(made.leaves(2)) == UpcardTaken()


def test_a_doubtful_upcard_is_asked_about_and_later_light_answers() -> None:
    made = Table(dealer=3)
    votes = [("Kh", 0.55), ("Kd", 0.45)]
    assert asked(made.up(None, 3, votes=votes)) == ("upcard", "unsure", 3)
    assert isinstance(made.up(None, 3, votes=votes), Ignored)
    review = made.state.reviews[0].version
    assert only(made.reads_again(1, "Kd")) == ReviewAnswered(review=review, card=Card("Kd"))
    deal = made.state.deals[0]
    assert deal.upcard is not None
    assert (deal.upcard.card, deal.dealer) == ("Kd", 3)


def test_an_upcard_outside_the_pack_is_asked_about() -> None:
    assert asked(Table(dealer=3).up("8s", 3)) == ("upcard", "foreign", 3)


def test_the_same_eight_is_an_upcard_where_the_pack_has_it() -> None:
    assert isinstance(only(Table(dealer=3, pack=28).up("8s", 3)), UpcardShown)


def test_a_lead_near_the_middle_before_the_upcard_was_touched_is_a_play() -> None:
    """The up-card still lies there, so what comes beside it is no up-card."""
    made = table()
    facts = made.rests("Ac", 0, middle=True, clear=False, laid_from=0)
    assert asked(facts)[1] == "seat"
    made = table()
    made.tell(Declare(maker=1, trump="h"))
    fact = only(made.rests("Ac", 0, middle=True, clear=False, laid_from=0))
    assert isinstance(fact, CardPlayed)
    assert fact.seat == 0


def test_a_lead_while_the_upcard_lies_there_leaves_trump_open_until_declared() -> None:
    made = table()
    made.plays((0, "Ac"))
    assert made.state.deals[0].phase == "undeclared"
    made.tell(Declare(maker=1, trump="s"))
    assert made.state.deals[0].upcard_state == "taken"
    made.plays((1, "Tc"), (2, "Kc"))
    fact = only(made.rests("9s", 3))
    assert isinstance(fact, CardPlayed)
    assert made.state.findings == ()


# --- plays -------------------------------------------------------------------------------------


def test_a_card_in_front_of_a_seat_is_its_play() -> None:
    made = in_play()
    assert only(made.rests("Ac", 0)) == CardPlayed(
        seat=0, card=Card("Ac"), confidence=0.99, track=2, evidence="picture-Ac"
    )


def test_a_play_out_of_turn_is_recorded_where_it_lies() -> None:
    made = in_play()
    fact = only(made.rests("Ac", 1))
    assert isinstance(fact, CardPlayed)
    assert fact.seat == 1
    assert [f.kind for f in made.state.findings] == ["lead_out_of_turn"]


def test_an_illegal_card_is_recorded_like_any_other() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Kd"), (2, "Qc"), (3, "Tc"))
    made.clears()
    made.plays((0, "Kc"))
    assert isinstance(only(made.rests("Jc", 1)), CardPlayed)
    assert [f.id for f in made.state.findings] == ["1:revoke:1:1"]


def test_a_place_near_a_border_counts_when_turn_or_hand_agree() -> None:
    made = in_play()
    assert isinstance(only(made.rests("Ac", 0, clear=False)), CardPlayed)
    assert isinstance(only(made.rests("9c", 2, clear=False, laid_from=2)), CardPlayed)


def test_a_place_near_a_border_that_nothing_confirms_is_asked_about() -> None:
    made = in_play()
    assert asked(made.rests("Ac", 2, clear=False)) == ("play", "seat", 2)
    review = made.state.reviews[0]
    made.tell(AnswerReview(review=review.version, card=Card("Ac"), seat=0))
    assert [(p.seat, p.card) for p in made.state.deals[0].tricks[0].plays] == [(0, "Ac")]
    assert made.state.findings == ()


def test_a_doubtful_card_holds_its_place_in_the_trick() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    votes = [("Kc", 0.6), ("Ks", 0.4)]
    assert asked(made.rests(None, 1, votes=votes, why="low")) == ("play", "unsure", 1)
    made.plays((2, "Tc"), (3, "9c"))
    assert made.state.deals[0].tricks[0].complete
    assert only(made.clears()) == TrickCleared()
    assert len(made.state.reviews) == 1
    review = made.state.reviews[0]
    assert review.candidates == ((Card("Kc"), 0.6), (Card("Ks"), 0.4))
    made.tell(AnswerReview(review=review.version, card=Card("Ks")))
    assert made.state.deals[0].winners == (0,)
    assert made.state.turn == 0


@pytest.mark.parametrize(("why", "reason"), [("duplicate", "duplicate"), ("foreign", "foreign")])
def test_the_readers_reason_is_kept(why: str, reason: str) -> None:
    made = in_play()
    assert asked(made.rests(None, 0, why=why, votes=[("Kc", 0.9)]))[1] == reason


def test_a_card_seen_before_in_the_deal_is_asked_about_and_not_played_twice() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    assert asked(made.rests("Ac", 1)) == ("play", "duplicate", 1)
    made.plays((2, "Tc"), (3, "9c"))
    made.clears()
    assert asked(made.rests("Tc", 0)) == ("play", "duplicate", 0)


def test_a_card_of_an_earlier_deal_may_come_again() -> None:
    made = in_play()
    play_out(made, deal_out(random.Random(1), dealer=3, alone_share=0.0))
    made.up("Ac", 0)
    made.turns_down(made.tracks)
    made.tell(Declare(maker=0, trump="h"))
    assert isinstance(only(made.rests("Kd", 1)), CardPlayed)


def play_out(made: Table, truth: Truth) -> None:
    """The twenty cards of a deal, with each trick swept."""
    for number in range(1, 6):
        made.plays(*[(seat, card) for n, seat, card in truth.plays if n == number])
        made.clears()


def test_the_turned_down_card_cannot_be_played() -> None:
    made = in_play()
    assert asked(made.rests("9s", 0)) == ("play", "duplicate", 0)


def test_the_upcard_that_was_taken_may_be_played_by_the_dealer_alone() -> None:
    made = table()
    made.leaves(1)
    made.tell(Declare(maker=0, trump="s"))
    assert asked(made.rests("9s", 0)) == ("play", "duplicate", 0)
    made = table()
    made.leaves(1)
    made.tell(Declare(maker=0, trump="s"))
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"))
    assert isinstance(only(made.rests("9s", 3)), CardPlayed)


def test_a_low_card_at_the_seat_that_is_to_play_is_asked_about() -> None:
    made = in_play()
    assert asked(made.rests("8c", 0)) == ("play", "foreign", 0)


def test_a_low_card_anywhere_else_is_a_score_marker() -> None:
    made = in_play()
    assert isinstance(made.rests("6d", 2), Ignored)
    made.plays((0, "Ac"))
    assert isinstance(made.rests("4s", 0), Ignored)
    made = table()
    play_out(made, deal_out(random.Random(1), dealer=3))
    assert isinstance(made.rests("4s", 1), Ignored)


def test_a_card_that_lies_there_already_is_not_played_again() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    assert isinstance(made.rests("Ac", 0), Ignored)
    assert isinstance(made.rests(None, 0, votes=[("Ac", 0.7)]), Ignored)


def test_a_card_of_the_trick_being_gathered_is_not_a_lead() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"), (3, "9c"))
    assert isinstance(made.rests("Kc", 0), Ignored)
    assert isinstance(made.rests(None, 0, votes=[("9c", 0.5)]), Ignored)


def test_one_card_taken_for_two_by_the_reader_is_played_once() -> None:
    """Two tracks of one card: the second, doubtful, is reported when the trick is complete."""
    made = in_play()
    made.plays((0, "Ac"))
    laid_us = made.clock_us
    made.plays((1, "Tc"), (2, "Kc"))
    assert isinstance(made.rests(None, 0, votes=[("As", 0.6)], at_us=laid_us), Ignored)
    made.plays((3, "9c"))
    assert isinstance(made.rests(None, 0, votes=[("As", 0.6)], at_us=laid_us), Ignored)
    assert isinstance(made.rests("Ac", 0, at_us=laid_us), Ignored)
    assert only(made.clears()) == TrickCleared()
    assert made.state.reviews == ()


def test_one_card_surely_read_in_two_ways_is_asked_about() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    laid_us = made.clock_us
    made.plays((1, "Tc"))
    fact = only(made.rests("As", 0, at_us=laid_us))
    assert isinstance(fact, ReviewRaised)
    assert (fact.reason, [card for card, _ in fact.candidates]) == ("changed", ["As", "Ac"])
    (trick,) = made.state.deals[0].tricks
    assert [(p.seat, p.card) for p in trick.plays] == [(0, None), (1, "Tc")]
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=Card("Ac")))
    assert made.state.turn == 2


def test_something_unreadable_beside_a_trick_being_gathered_is_no_lead() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"), (3, "9c"))
    # North won: in front of the others nothing is awaited.
    assert isinstance(made.rests(None, 2, votes=[("Jd", 0.4)]), Ignored)
    assert asked(made.rests(None, 0, votes=[("Jd", 0.4)])) == ("play", "unsure", 0)
    assert kinds(made.clears()) == ["ReviewAnswered", "TrickCleared"]
    assert made.state.reviews == ()
    assert len(made.state.deals[0].tricks) == 1
    made.plays((0, "Ad"))
    assert made.state.findings == ()


def test_an_unreadable_lead_is_asked_about() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"), (3, "9c"))
    made.clears()
    assert asked(made.rests(None, 0, votes=[("Jd", 0.4)])) == ("play", "unsure", 0)
    assert kinds(made.clears()) == ["ReviewRaised"] * 3 + ["TrickCleared"]


def test_a_lead_before_the_sweep_was_seen_begins_the_next_trick() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"), (3, "9c"), (0, "Ad"))
    first, second = made.state.deals[0].tricks
    assert (first.complete, first.closed, first.cleared) == (True, True, False)
    assert [(p.seat, p.card) for p in second.plays] == [(0, "Ad")]
    assert made.state.findings == ()


def test_a_doubt_seen_again_in_better_light_answers_itself() -> None:
    made = in_play()
    made.rests(None, 0, votes=[("Kc", 0.6), ("Ks", 0.4)])
    review = made.state.reviews[0].version
    assert isinstance(made.rests(None, 0, votes=[("Kc", 0.6)]), Ignored)
    assert only(made.rests("Ks", 0)) == ReviewAnswered(review=review, card=Card("Ks"))


def test_the_last_card_of_a_deal_settles_the_doubt_in_its_place() -> None:
    made = in_play()
    truth = deal_out(random.Random(1), dealer=3, alone_share=0.0)
    *before, (_, seat, card) = truth.plays
    for number in range(1, 6):
        made.plays(*[(s, c) for n, s, c in before if n == number])
        if number < 5:
            made.clears()
    made.rests("8c", seat)
    review = made.state.reviews[0].version
    assert only(made.rests(card, seat)) == ReviewAnswered(review=review, card=Card(card))
    assert only(made.clears()) == TrickCleared()


def test_a_trick_emptied_by_an_answer_is_not_passed_over_in_silence() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"))
    made.rests(None, 3, votes=[("9c", 0.6)])
    made.clears()
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=None))
    assert [(f.kind, f.seat, f.trick) for f in made.state.findings] == [("short_trick", 3, 1)]
    assert made.state.deals[0].winners == (None,)
    made.tell(Undo())
    assert made.state.findings == ()
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=Card("9c")))
    assert made.state.deals[0].winners == (0,)


def test_another_card_than_any_the_doubt_named_takes_the_place() -> None:
    made = in_play()
    made.rests(None, 0, votes=[("Kc", 0.6), ("Ks", 0.4)])
    assert isinstance(only(made.rests("Ad", 0)), CardPlayed)
    (trick,) = made.state.deals[0].tricks
    assert [(p.seat, p.card) for p in trick.plays] == [(0, "Ad")]
    assert len(made.state.reviews) == 1


def test_a_second_card_of_a_seat_is_asked_about() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"))
    assert asked(made.rests("Kc", 1)) == ("play", "seat", 1)


def test_a_second_card_when_one_is_missing_means_that_the_trick_was_swept() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"), (3, "9c"))
    facts = made.rests("Ad", 0)
    assert kinds(facts) == ["ReviewRaised", "TrickCleared", "CardPlayed"]
    assert [(r.reason, r.seat, r.trick) for r in made.state.reviews] == [("missed", 2, 1)]
    first, second = made.state.deals[0].tricks
    assert (first.complete, second.leader) == (True, 0)


# --- read again --------------------------------------------------------------------------------


def test_a_surer_reading_settles_a_doubt() -> None:
    made = in_play()
    made.rests(None, 0, votes=[("Kc", 0.6)], track=7)
    review = made.state.reviews[0].version
    assert only(made.reads_again(7, "Kc")) == ReviewAnswered(review=review, card=Card("Kc"))
    assert made.state.deals[0].tricks[0].plays[0].card == "Kc"


def test_a_surer_reading_cannot_settle_whose_card_it_is() -> None:
    made = in_play()
    made.rests("Ac", 2, clear=False, track=7)
    assert isinstance(made.reads_again(7, "As"), Ignored)


@pytest.mark.parametrize("card", ["8c", "Ac"], ids=["outside the pack", "seen in the deal"])
def test_an_impossible_reading_settles_nothing(card: str) -> None:
    made = in_play()
    made.plays((0, "Ac"))
    made.rests(None, 1, votes=[("Kc", 0.6)], track=7)
    assert isinstance(made.reads_again(7, card), Ignored)
    assert len(made.state.reviews) == 1


def test_a_card_read_otherwise_is_asked_about_with_both_names() -> None:
    made = in_play()
    made.rests("Kc", 0, track=7)
    assert isinstance(made.reads_again(7, "Kc"), Ignored)
    fact = only(made.reads_again(7, "Ks"))
    assert isinstance(fact, ReviewRaised)
    assert (fact.reason, fact.seat) == ("changed", 0)
    assert [card for card, _ in fact.candidates] == ["Ks", "Kc"]
    (trick,) = made.state.deals[0].tricks
    assert [(p.seat, p.card) for p in trick.plays] == [(0, None)]
    assert isinstance(made.reads_again(7, "Kc"), Ignored)
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=Card("Ks")))
    assert made.state.deals[0].tricks[0].plays[0].card == "Ks"


def test_an_upcard_read_otherwise_is_asked_about() -> None:
    made = table()
    assert asked(made.reads_again(1, "9c")) == ("upcard", "changed", 3)
    made.leaves(1)
    assert made.state.deals[0].trump is None
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=Card("9c")))
    assert made.state.deals[0].trump == "c"


# --- sweeps ------------------------------------------------------------------------------------


def test_a_complete_trick_is_swept() -> None:
    made = in_play()
    assert isinstance(made.clears(), Ignored)
    made.plays((0, "Ac"), (1, "Tc"), (2, "Kc"), (3, "9c"))
    assert only(made.clears()) == TrickCleared()
    assert isinstance(made.clears(), Ignored)


def test_a_trick_swept_with_a_card_unseen_asks_for_it() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"))
    facts = made.clears()
    assert kinds(facts) == ["ReviewRaised", "ReviewRaised", "TrickCleared"]
    assert [(r.reason, r.seat) for r in made.state.reviews] == [("missed", 2), ("missed", 3)]
    made.plays((0, "Ad"))
    reviews = [r.version for r in made.state.reviews]
    made.tell(AnswerReview(review=reviews[0], card=Card("Kc")))
    made.tell(AnswerReview(review=reviews[1], card=Card("9c")))
    deal = made.state.deals[0]
    assert deal.winners == (0,)
    assert [(p.seat, p.card) for p in deal.tricks[0].plays] == [
        (0, "Ac"),
        (1, "Tc"),
        (2, "Kc"),
        (3, "9c"),
    ]
    assert made.state.findings == ()


def test_a_doubt_without_a_seat_holds_one_of_the_missing_places() -> None:
    made = in_play()
    made.plays((0, "Ac"), (1, "Tc"))
    # Nearly on the border and from nowhere: anybody's card.
    made.rests(None, None, clear=False, votes=[("Kc", 0.6)])
    facts = made.clears()
    assert kinds(facts) == ["ReviewRaised", "TrickCleared"]
    assert [r.seat for r in made.state.reviews] == [None, None]


def test_the_sweep_of_a_lone_hands_trick_asks_for_nobody() -> None:
    made = table()
    made.turns_down(1)
    made.tell(Declare(maker=0, trump="h", alone=0))
    made.plays((1, "Ac"), (3, "Tc"), (0, "Kc"))
    assert only(made.clears()) == TrickCleared()


def test_the_question_about_a_lone_hands_partner_goes_when_the_table_says_alone() -> None:
    made = table()
    made.turns_down(1)
    made.plays((1, "Ac"), (3, "Tc"), (0, "Kc"))
    made.clears()
    assert [(r.reason, r.seat) for r in made.state.reviews] == [("missed", 2)]
    made.tell(Declare(maker=0, trump="h", alone=0))
    assert made.state.reviews == ()
    assert made.state.deals[0].winners == (1,)


# --- between deals -----------------------------------------------------------------------------


def test_after_the_last_trick_a_card_on_the_kitty_is_the_next_upcard() -> None:
    made = in_play()
    play_out(made, deal_out(random.Random(1), dealer=3, alone_share=0.0))
    assert made.state.deals[0].complete
    assert isinstance(only(made.up("Ah", 0)), UpcardShown)
    assert len(made.state.deals) == 2


def test_a_deal_nobody_declared_waits_while_the_next_goes_on() -> None:
    made = table()
    made.turns_down(1)
    play_out(made, deal_out(random.Random(1), dealer=3, alone_share=0.0))
    assert isinstance(only(made.up("Ah", 0)), UpcardShown)
    assert [deal.phase for deal in made.state.deals] == ["undeclared", "bidding"]
    made.tell(Declare(maker=1, trump="h", deal=1))
    assert [deal.phase for deal in made.state.deals] == ["scored", "bidding"]


def test_a_play_whose_upcard_was_missed_is_not_lost() -> None:
    made = in_play()
    play_out(made, deal_out(random.Random(1), dealer=3, alone_share=0.0))
    assert isinstance(only(made.rests("Ac", 1)), CardPlayed)
    deal = made.state.deals[1]
    assert (deal.upcard, deal.phase) == (None, "undeclared")


def test_a_card_shown_before_the_upcard_was_exposed_and_not_played() -> None:
    made = Table(dealer=3)
    made.rests("Ac", 1)
    assert isinstance(made.clears(), Ignored)
    made.up("9s", 3)
    deal = made.state.deals[0]
    assert (deal.tricks, [p.card for p in deal.exposed]) == ((), ["Ac"])
    assert [(f.kind, f.seat) for f in deal.findings] == [("exposed_card", 1)]
    made.turns_down(2)
    made.tell(Declare(maker=0, trump="h"))
    made.plays((0, "Tc"))
    assert isinstance(only(made.rests("Ac", 1)), CardPlayed)


def test_the_last_trick_lying_there_is_not_the_next_deal() -> None:
    made = in_play()
    truth = deal_out(random.Random(1), dealer=3, alone_share=0.0)
    for number in range(1, 5):
        made.plays(*[(seat, card) for n, seat, card in truth.plays if n == number])
        made.clears()
    last = [(seat, card) for n, seat, card in truth.plays if n == 5]
    made.plays(*last)
    assert isinstance(made.rests(last[0][1], 3), Ignored)
    assert isinstance(made.rests("9d", 1), Ignored)
    assert only(made.clears()) == TrickCleared()


def test_cards_played_on_after_a_ruling_ended_the_hand_still_belong_to_it() -> None:
    made = in_play(revoke_judge="automatic")
    made.plays((0, "Ac"), (1, "Kd"), (2, "Qc"), (3, "Tc"))
    made.clears()
    made.plays((0, "Kc"), (1, "Jc"))
    assert made.state.deals[0].complete
    made.plays((2, "Qd"), (3, "9c"))
    made.clears()
    assert len(made.state.deals) == 1
    assert len(made.state.deals[0].tricks) == 2


# --- nothing to conclude -----------------------------------------------------------------------


def test_hands_over_the_table_conclude_nothing() -> None:
    state = in_play().state
    assert isinstance(interpret(state, TableCovered(at_us=1)), Ignored)
    assert isinstance(interpret(state, TableUncovered(at_us=2)), Ignored)


def test_before_a_game_nothing_is_taken_in() -> None:
    assert interpret(State(), TableCovered(at_us=1)) == Ignored(reason="no game has begun")


def test_after_the_game_no_card_is_taken_in() -> None:
    made = table(target=1)
    truth = deal_out(random.Random(1), dealer=3, alone_share=0.0)
    made.turns_down(1)
    play_out(made, truth)
    made.tell(Declare(maker=truth.maker, trump=truth.trump))
    assert made.state.over
    assert made.up("Ah", 0) == Ignored(reason="the game is over")


# --- whole deals -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_a_whole_deal_seen_by_the_camera_is_the_deal_that_was_played(seed: int) -> None:
    """Sightings of a random deal, revoke and all, give its facts and nothing else."""
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=seed % 4, revoke_once=seed % 3 == 0)
    made = Table(dealer=truth.dealer)
    made.up(truth.upcard, truth.dealer)
    made.leaves(1) if truth.taken else made.turns_down(1)
    said = Declare(maker=truth.maker, trump=truth.trump, alone=truth.alone)
    if seed % 2:
        made.tell(said)
    seats = {seat for _, seat, _ in truth.plays}
    for number in range(1, 6):
        made.plays(*[(seat, card) for n, seat, card in truth.plays if n == number])
        made.clears()
    if not seed % 2:
        made.tell(said)
    state = made.state
    deal = state.deals[0]
    assert list(deal.winners) == truth.winners
    assert deal.played_points == truth.points
    assert state.reviews == ()
    assert [(f.kind, f.seat, f.trick) for f in state.findings] == [
        ("revoke", seat, trick) for seat, trick, _, _ in truth.revokes
    ]
    laid = [f for f in (r.fact for r in made.records) if isinstance(f, CardPlayed)]
    assert [(f.seat, f.card) for f in laid] == [(s, c) for _, s, c in truth.plays]
    assert len(seats) == (3 if truth.alone is not None else 4)


@pytest.mark.parametrize("seed", range(20))
def test_a_deal_with_doubts_is_right_once_they_are_answered(seed: int) -> None:
    """One card in five is doubtful or missed; a person answers; nothing is silently wrong."""
    rng = random.Random(1000 + seed)
    truth = deal_out(rng, dealer=0)
    made = Table(dealer=0)
    made.up(truth.upcard, 0)
    made.leaves(1) if truth.taken else made.turns_down(1)
    made.tell(Declare(maker=truth.maker, trump=truth.trump, alone=truth.alone))
    cards = {(n, seat): card for n, seat, card in truth.plays}
    for number in range(1, 6):
        trick = [(seat, card) for n, seat, card in truth.plays if n == number]
        for seat, card in trick:
            chance = rng.random()
            if chance < 0.1:
                made.rests(None, seat, votes=[(rng.choice(["9c", card]), 0.5), (card, 0.4)])
            elif chance > 0.1 + 0.1 * (len(trick) > 2):
                made.rests(card, seat)
        made.clears()
    state = made.state
    assert state.deals[0].played_points in (None, truth.points)
    for review in state.reviews:
        assert review.trick is not None
        assert review.seat is not None
        made.tell(AnswerReview(review=review.version, card=Card(cards[review.trick, review.seat])))
    deal = made.state.deals[0]
    assert list(deal.winners) == truth.winners
    assert deal.played_points == truth.points
    assert made.state.findings == ()


def test_a_game_is_started_by_a_command_and_seen_to_its_end() -> None:
    """Deal after deal by sightings alone, declarations tapped; scores as the oracle counts."""
    rng = random.Random(77)
    made = Table.empty()
    made.tell(StartGame(rules="home", dealer=0))
    score = [0, 0]
    dealer = 0
    while max(score) < 10:
        truth = deal_out(rng, dealer=dealer)
        made.up(truth.upcard, dealer)
        made.leaves(made.tracks) if truth.taken else made.turns_down(made.tracks)
        made.tell(Declare(maker=truth.maker, trump=truth.trump, alone=truth.alone))
        play_out(made, truth)
        score = [a + b for a, b in zip(score, truth.points, strict=True)]
        assert made.state.score == tuple(score)
        dealer = (dealer + 1) % 4
    assert made.state.over
    assert made.state.winner == (0 if score[0] >= 10 else 1)
    assert made.state.findings == ()
    assert not [r for r in made.records if isinstance(r.fact, Corrected | DealThrownIn)]
