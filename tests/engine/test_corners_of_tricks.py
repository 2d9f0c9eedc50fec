"""Corners of the tricks: cards of one moment, cards of nobody, a lead that went with the trick."""

from __future__ import annotations

import pytest
from engine_scenes import Table, folded

from engine.cards import ALL_CARDS, Card, is_joker
from engine.commands import AnswerReview, Declare, Rejected, ThrowIn
from engine.facts import (
    CardPlayed,
    CardTakenBack,
    Declared,
    Fact,
    ReviewRaised,
    TrickCleared,
    UpcardShown,
)

MADE = (UpcardShown(card=Card("9s"), dealer=3), Declared(maker=0, trump="h"))


def played(seat: int, card: str, track: int | None = None) -> CardPlayed:
    return CardPlayed(seat=seat, card=Card(card), track=track)


def doubt(seat: int | None, track: int | None = None, reason: str = "unsure") -> ReviewRaised:
    return ReviewRaised(subject="play", seat=seat, candidates=(), reason=reason, track=track)


def order_of(*seen: tuple[Fact, int]) -> list[int | None]:
    """Whose card lies where in a trick that these facts, each with its moment, tell of."""
    made = Table(dealer=3)
    made.record(MADE)
    for fact, at_us in seen:
        made.record([fact], at_us=at_us)
    (trick,) = made.state.deals[0].tricks
    return [play.seat for play in trick.plays]


def test_of_two_cards_seen_in_one_moment_the_turn_says_which_came_first() -> None:
    lead = (played(0, "Ah", 1), 1_000_000)
    assert order_of(lead, (doubt(2, 2), 5_000_000), (played(1, "9h", 3), 5_050_000)) == [0, 1, 2]


def test_beside_a_card_of_nobody_the_order_of_report_stands() -> None:
    lead = (played(0, "Ah", 1), 1_000_000)
    assert order_of(lead, (doubt(None, 2), 5_000_000), (played(1, "9h", 3), 5_050_000)) == [
        0,
        None,
        1,
    ]


def test_where_nobody_knows_who_led_there_is_no_turn_to_go_by() -> None:
    lead = (doubt(None, 1, "seat"), 1_000_000)
    two = ((played(2, "Th", 2), 5_000_000), (played(1, "9h", 3), 5_050_000))
    assert order_of(lead, *two) == [None, 2, 1]


@pytest.mark.parametrize(("alone", "order"), [(0, [1, 3]), (None, [3, 1])])
def test_where_the_leader_is_not_known_the_next_seat_in_play_came_second(
    alone: int | None, order: list[int]
) -> None:
    made = Table(dealer=None, lone_lead="left_of_dealer")
    made.record([UpcardShown(card=Card("9s"), dealer=None)])
    made.record([Declared(maker=0, trump="h", alone=alone)])
    made.record([played(3, "Th", 1)], at_us=1_000_000)
    made.record([played(1, "9h", 2)], at_us=1_050_000)
    # South sits out where North is alone: West plays right after East. Else it does not.
    assert [play.seat for play in made.state.deals[0].tricks[0].plays] == order


def test_a_card_that_lies_there_was_not_missed() -> None:
    lead = (played(0, "Ah", 1), 1_000_000)
    second = (played(1, "9h", 2), 2_000_000)
    assert order_of(lead, second, (doubt(1, None, "missed"), 3_000_000)) == [0, 1]


def test_a_third_card_taken_back_leaves_the_second_beside_the_trick() -> None:
    told = [played(0, "Ah"), played(1, "9h"), played(1, "Th"), played(1, "Kh")]
    (trick,) = folded(*MADE, *told, CardTakenBack(target=7), dealer=3).deals[0].tricks
    assert [play.card for play in trick.plays] == ["Ah", "9h"]
    assert [play.card for play in trick.extra] == ["Th"]
    assert [back.play.card for back in trick.taken_back] == ["Kh"]


def test_a_table_that_is_swept_twice_was_swept() -> None:
    told = [*MADE, *(played(seat, card) for seat, card in enumerate(("Ah", "9h", "Th", "Kh")))]
    once = folded(*told, TrickCleared(), dealer=3)
    twice = folded(*told, TrickCleared(), TrickCleared(), dealer=3)
    assert once.deals == twice.deals


def test_two_leads_out_of_turn_without_a_revoke_cast_no_doubt_on_a_reading() -> None:
    # Whatever is trump, North takes the first trick and East the second.
    first = [(0, "Ah"), (1, "9h"), (2, "Th"), (3, "Kh")]
    second = [(2, "9c"), (3, "Tc"), (0, "Qc"), (1, "Kc")]
    third = [(3, "9d"), (0, "Td"), (1, "Qd"), (2, "Kd")]
    told = [played(seat, card) for seat, card in (*first, *second, *third)]
    found = folded(*MADE, *told, dealer=3).findings
    assert [(f.kind, f.seat, f.trick) for f in found] == [
        ("lead_out_of_turn", 2, 2),
        ("lead_out_of_turn", 3, 3),
    ]


@pytest.mark.parametrize(
    ("dealer", "alone", "order"),
    [
        (3, None, (0, 1, 2, 3)),
        (0, None, (1, 2, 3, 0)),
        (0, 1, (2, 0, 1)),
        (None, None, (0, 1, 2, 3)),
    ],
)
def test_before_a_lead_all_in_play_are_to_play_from_the_leader_on(
    dealer: int | None, alone: int | None, order: tuple[int, ...]
) -> None:
    up = UpcardShown(card=Card("9s"), dealer=dealer)
    told = (up, Declared(maker=1, trump="h", alone=alone))
    assert folded(*told, dealer=dealer).deals[0].to_play() == order


def test_a_question_that_only_a_person_can_answer_outlasts_a_sure_card() -> None:
    made = Table(dealer=3)
    made.record([*MADE, played(0, "Ah", 1), doubt(1, 2, "seat")])
    assert made.rests("9h", 1, track=9) == (
        CardPlayed(seat=1, card=Card("9h"), confidence=0.99, track=9, evidence="picture-9h"),
    )
    assert [review.version for review in made.state.reviews] == [5]


def test_before_its_hand_is_played_nobody_asks_a_maker_for_its_natural_trump() -> None:
    told = [played(seat, card) for seat, card in enumerate(("Ac", "9c", "Tc", "Kc"))]
    state = folded(*MADE, *told, dealer=3, natural_trump_required="any_caller")
    assert state.findings == ()


def test_a_card_that_was_missed_follows_a_lead_of_nobody() -> None:
    lead = (doubt(None, 1, "seat"), 1_000_000)
    missed = ((doubt(2, None, "missed"), 2_000_000), (doubt(1, None, "missed"), 2_000_000))
    assert order_of(lead, *missed) == [None, 2, 1]
    by_seat = (played(0, "Ah", 1), 1_000_000)
    assert order_of(by_seat, *missed) == [0, 1, 2]


def test_a_sweep_after_a_lead_was_taken_back_is_of_the_trick_before() -> None:
    first = [played(0, "Ah"), played(1, "9h"), played(2, "Th"), played(3, "Kh")]
    lead = played(0, "Qc")
    # The start is version 1, and the first trick's cards are 4 to 7.
    told = (*MADE, *first, lead, CardTakenBack(target=8))
    assert [t.cleared for t in folded(*told, dealer=3).deals[0].tricks] == [False, False]
    swept = folded(*told, TrickCleared(), played(0, "Kc"), dealer=3).deals[0].tricks
    assert [t.cleared for t in swept] == [True, False]
    assert [[play.card for play in t.plays] for t in swept][1] == ["Kc"]


@pytest.mark.parametrize(
    ("laid", "revoked"),
    [(played(1, "9c"), True), (played(1, "7c"), False), (doubt(1), False)],
    ids=["a-club", "a-card-outside-the-pack", "a-card-that-nobody-read"],
)
def test_where_nothing_may_be_taken_back_only_a_known_card_of_the_pack_can_be_a_revoke(
    laid: Fact, revoked: bool
) -> None:
    state = folded(
        *MADE,
        played(0, "Ah"),
        laid,
        CardTakenBack(target=5),
        played(1, "9h"),
        dealer=3,
        revoke_correctable_until="never",
    )
    found = [(f.seat, f.trick, f.proof) for f in state.findings if f.kind == "revoke"]
    assert found == ([(1, 1, "9h")] if revoked else [])


def test_only_the_two_jokers_are_jokers() -> None:
    assert sorted(card for card in ALL_CARDS if is_joker(card)) == ["B", "b"]


def test_an_answer_of_a_seat_that_the_game_has_not_is_refused() -> None:
    made = Table(dealer=3)
    made.record([*MADE, doubt(None, 1, "seat")])
    out = made.tell(AnswerReview(review=4, card=Card("Ah"), seat=7))
    assert isinstance(out, Rejected)
    assert "seat 7 is no seat" in out.reason
    assert not isinstance(made.tell(AnswerReview(review=4, card=Card("Ah"), seat=0)), Rejected)


def test_a_declaration_after_a_deal_was_thrown_in_is_of_the_deal_to_come() -> None:
    made = Table(dealer=3)
    made.record(MADE[:1])
    made.tell(ThrowIn(reason="redeal"))
    assert made.tell(Declare(maker=0, trump="h")) == (Declared(maker=0, trump="h", deal=2),)
    made.record([UpcardShown(card=Card("Ts"), dealer=3)])
    assert [(deal.maker, deal.trump) for deal in made.state.deals] == [(None, None), (0, "h")]
