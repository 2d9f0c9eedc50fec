"""Euchre for two, rule by rule. Source: RULES.md, "Two packs, more seats, fewer seats"."""

from __future__ import annotations

import pytest
from games_scenes import Table, folded

from engine.cards import Card
from engine.commands import Call, Declare, PlayCard, Rejected, RuleFinding, ShowTableCard
from engine.facts import (
    CardPlayed,
    Declared,
    Fact,
    ReviewRaised,
    TableCardShown,
    TrickCleared,
)
from engine.games.individual import highest_at_target
from engine.games.two_hand import score_tricks
from engine.intake import Ignored
from engine.ruleset import preset
from engine.view import snapshot


def shown(seat: int, cards: str) -> list[Fact]:
    return [TableCardShown(seat=seat, card=Card(card)) for card in cards.split()]


def trick(leader: int, cards: str) -> list[Fact]:
    first, second = cards.split()
    return [
        CardPlayed(seat=leader, card=Card(first)),
        CardPlayed(seat=1 - leader, card=Card(second)),
        TrickCleared(),
    ]


#: Seat 0 deals, so seat 1 leads; both have four open cards.
OPEN = [*shown(0, "9h Th Ks As"), *shown(1, "Ah Kh 9c Tc")]
HEARTS = Declared(maker=1, trump="h")


@pytest.mark.parametrize(
    ("tricks", "points", "result"),
    [
        ((5, 7), (5, 7), "made"),  # seven are enough, each scores its tricks
        ((0, 12), (0, 12), "made"),
        ((6, 6), (12, 0), "euchre"),  # six are not: all twelve go to the other
        ((12, 0), (12, 0), "euchre"),
    ],
)
def test_a_point_a_trick_when_the_maker_takes_seven_else_all_twelve_to_the_other(
    tricks: tuple[int, int], points: tuple[int, int], result: str
) -> None:
    assert score_tricks(tricks, maker=1) == (points, result)


@pytest.mark.parametrize(
    ("score", "over", "winner"),
    [
        ((30, 20), False, None),
        ((31, 20), True, 0),
        ((33, 35), True, 1),  # both past it in one deal: the higher
        ((33, 33), False, None),  # level plays on
    ],
)
def test_thirty_one_wins(score: tuple[int, int], over: bool, winner: int | None) -> None:
    told = highest_at_target(score, 5, preset("two_hand"))
    assert (told.over, told.winner) == (over, winner)


def test_the_non_dealer_names_trump_or_passes_and_the_dealer_then_must() -> None:
    made = Table("two_hand", dealer=0)
    first = made.tell(Call(seat=0, call="name", suit="h"))
    assert isinstance(first, Rejected)
    assert "speaks first" in first.reason
    made.tell(Call(seat=1, call="pass"))
    for call in (Call(seat=0, call="pass"), Call(seat=1, call="pass")):
        refused = made.tell(call)
        assert isinstance(refused, Rejected)
        assert "must name trump" in refused.reason
    assert snapshot(made.state, made.records)["ask"]["text"] == "North must name trump."
    made.tell(Call(seat=0, call="name", suit="s"))
    (deal,) = made.state.deals
    assert (deal.maker, deal.trump, deal.turn) == (0, "s", 1)


def test_an_open_card_proves_a_revoke_on_the_trick_itself() -> None:
    state = folded("two_hand", *OPEN, HEARTS, *trick(1, "Ah 9s"))
    (found,) = state.findings
    assert (found.kind, found.seat, found.trick, found.card) == ("revoke", 0, 1, "9s")
    assert found.proven_at_trick == 1
    assert found.proof in ("9h", "Th")


def test_a_card_from_the_hand_proves_it_later() -> None:
    facts = [*shown(0, "9d Td Ks As"), *shown(1, "Ah Kh 9c Tc"), HEARTS]
    facts += trick(1, "Ah 9s")  # from the hand; seat 0 has no open heart
    assert folded("two_hand", *facts).findings == ()
    (claim,) = folded("two_hand", *facts).deals[0].claims
    assert (claim.seat, claim.trick) == (0, 1)
    facts += trick(1, "Kh Qh")
    (found,) = folded("two_hand", *facts).findings
    assert (found.trick, found.proof, found.proven_at_trick) == (1, "Qh", 2)


def test_a_card_uncovered_later_proves_nothing_about_the_tricks_before() -> None:
    facts = [*shown(0, "9d Td Ks As"), *shown(1, "Ah Kh 9c Tc"), HEARTS]
    facts += trick(1, "Ah 9d")  # an open card: what lay under it is turned up now
    facts += [*shown(0, "Qh"), *shown(1, "9s")]
    facts += trick(1, "Kh Qh")  # it was covered when the ace of hearts was led
    state = folded("two_hand", *facts)
    assert state.findings == ()
    # And before the next trick it is an open card like any other.
    facts[-3:] = trick(1, "Kh Td")
    (found,) = folded("two_hand", *facts).findings
    assert (found.trick, found.proof, found.proven_at_trick) == (2, "Qh", 2)


def test_where_a_card_may_have_been_uncovered_unseen_nobody_is_accused() -> None:
    facts = [*shown(0, "9d Td Ks As"), *shown(1, "Ah Kh 9c Tc"), HEARTS]
    facts += trick(1, "Ah 9d")  # what was uncovered under it was not seen
    facts += trick(1, "Kh Qh")  # so the queen may have lain there
    state = folded("two_hand", *facts)
    assert state.findings == ()
    assert [(c.seat, c.trick) for c in state.deals[0].claims] == [(0, 1)]


def test_without_the_table_cards_seen_nobody_is_accused_by_a_later_card() -> None:
    facts: list[Fact] = [HEARTS, *trick(1, "Ah 9d"), *trick(1, "Kh Qh")]
    state = folded("two_hand", *facts)
    assert state.findings == ()
    assert len(state.deals[0].claims) == 1


def test_a_table_card_played_by_the_other_player_is_a_doubt_not_a_revoke() -> None:
    facts = [*OPEN, HEARTS, *trick(1, "9h 9s")]
    assert {f.kind for f in folded("two_hand", *facts).findings} == {"duplicate_card"}


def test_five_open_cards_of_a_player_are_a_finding_and_veto_accusations() -> None:
    facts = [*OPEN, *shown(0, "Qh"), HEARTS, *trick(1, "Ah 9s")]
    assert {f.kind for f in folded("two_hand", *facts).findings} == {"too_many_table_cards"}


def test_the_penalty_goes_to_the_other_player() -> None:
    made = Table("two_hand", dealer=0)
    made.record([*OPEN, HEARTS, *trick(1, "Ah 9s")])
    (found,) = made.state.findings
    assert found.ruling == "2 points to South in place of the deal's result."
    made.tell(RuleFinding(finding=found.id, ruling="uphold"))
    assert made.state.score == (0, 2)
    assert made.state.deals[0].complete


def test_a_card_before_a_player_is_a_table_card_and_one_in_the_middle_a_play() -> None:
    made = Table("two_hand", dealer=0)
    for card in ("9h", "Th", "Ks", "As"):
        made.rests(card, 0)
    for card in ("Ah", "Kh", "9c", "Tc"):
        made.rests(card, 2)  # South sits across: seat 1
    made.tell(Declare(maker=1, trump="h"))
    assert made.rests("Ah", 2, middle=True) == (
        CardPlayed(seat=1, card=Card("Ah"), confidence=0.99, track=9),
    )
    made.rests("9h", 0, middle=True, laid_from=0)
    # What lay under both is turned up before its player.
    assert made.rests("9s", 2) == (
        TableCardShown(seat=1, card=Card("9s"), confidence=0.99, track=11),
    )
    again = made.rests("9s", 2)
    assert isinstance(again, Ignored)
    deal = snapshot(made.state, made.records)["deal"]
    assert [(d["seat"], len(d["open"]), d["covered"]) for d in deal["layout"]] == [
        (0, 3, 4),
        (1, 4, 3),
    ]
    assert deal["tricks"][0]["winner"] == 1
    unread = made.rests(None, 0, votes=(("Qd", 0.6), ("Qh", 0.4)))
    assert isinstance(unread, tuple)
    assert isinstance(unread[0], ReviewRaised)
    assert unread[0].subject == "table"


def test_a_doubtful_table_card_is_asked_about_and_answered() -> None:
    from engine.commands import AnswerReview

    made = Table("two_hand", dealer=0)
    made.rests(None, 0, votes=(("9h", 0.6), ("9d", 0.4)))
    (review,) = made.state.reviews
    ask = snapshot(made.state, made.records)["ask"]
    assert ask["text"] == (
        "A card that lies open before North looks like the 9 of hearts. Which card is it?"
    )
    made.tell(AnswerReview(review=review.version, card=Card("9d")))
    assert made.state.reviews == ()
    layout = snapshot(made.state, made.records)["deal"]["layout"]
    assert [card["card"] for card in layout[0]["open"]] == ["9d"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Declare(maker=2, trump="h"), "no seat"),
        (Declare(maker=0, trump="n"), "no trump is not played"),
        (Declare(maker=0, trump="h", alone=0), "alone already"),
        (Declare(maker=0, trump="h", bid=3), "other games"),
        (Call(seat=1, call="order_up"), "no card is turned up"),
        (Call(seat=1, call="name", suit="x"), "no trump"),
        (ShowTableCard(seat=2, card=Card("9h")), "no seat"),
        (ShowTableCard(seat=0, card=Card("8h")), "not in this game's pack"),
        (PlayCard(seat=2, card=Card("9h")), "no seat"),
    ],
)
def test_a_tap_that_makes_no_sense_is_refused_with_the_cure(command: object, says: str) -> None:
    out = Table("two_hand").tell(command)  # type: ignore[arg-type]
    assert isinstance(out, Rejected)
    assert says in out.reason


def test_a_table_card_is_shown_once() -> None:
    made = Table("two_hand")
    made.tell(ShowTableCard(seat=0, card=Card("9h")))
    again = made.tell(ShowTableCard(seat=1, card=Card("9h")))
    assert isinstance(again, Rejected)
    assert "lies open before North" in again.reason
