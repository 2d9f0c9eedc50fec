"""Corners of the other games: what is not known yet, came late, or came from nobody."""

from __future__ import annotations

import random

import pytest
from games_scenes import Table, facts_of, folded, play, recorded, started

from engine.cards import Card
from engine.commands import CallAce, Declare, Rejected, ShowTableCard, SwapWidow
from engine.facts import (
    AceCalled,
    Called,
    CardPlayed,
    Declared,
    Fact,
    FindingRuled,
    ReviewRaised,
    TableCardShown,
    TrickCleared,
    UpcardShown,
    WidowSwapped,
)
from engine.games.individual import highest_at_target
from engine.intake import Ignored
from engine.ruleset import preset, ruleset_from
from engine.score import score_json
from engine.sheet import deal_lines
from engine.sightings import CardLeft, CardReread
from engine.view import snapshot


def laid(*plays: tuple[int, str]) -> list[Fact]:
    return [CardPlayed(seat=seat, card=Card(card)) for seat, card in plays]


def rows(*tricks: tuple[int, str], seats: int) -> list[Fact]:
    """Tricks as the leader and the cards in order of play, each swept."""
    facts: list[Fact] = []
    for leader, cards in tricks:
        plays = [((leader + n) % seats, card) for n, card in enumerate(cards.split())]
        facts += [*laid(*plays), TrickCleared()]
    return facts


# --- buck -------------------------------------------------------------------------------------


def test_when_all_passes_were_told_and_no_word_of_throwing_in_anybody_may_bid() -> None:
    made = Table("buck3", dealer=0)
    made.record([Called(seat=seat, call="pass") for seat in (1, 2, 0)])
    ask = snapshot(made.state, made.records)["ask"]
    assert (ask["kind"], ask["text"]) == ("bid", "Who bids, and how many tricks?")


def test_without_a_known_dealer_the_leader_is_not_known_where_the_dealers_left_leads() -> None:
    declared = Declared(maker=1, trump="h", bid=3)
    state = folded("buck3", declared, dealer=None, buck_lead="left_of_dealer")
    assert state.deals[0].turn is None
    assert folded("buck3", declared, dealer=0, buck_lead="left_of_dealer").deals[0].turn == 1


def test_a_deduction_waits_for_the_end_of_the_deal() -> None:
    facts = [
        Declared(maker=1, trump="h", bid=3),
        *rows((1, "Jh 9h Ts"), (1, "Jd 9s Th"), seats=3),
        FindingRuled(finding="1:revoke:0:1", ruling="uphold", reason=""),
    ]
    deal = folded("buck3", *facts, revoke_mode="deduct").deals[0]
    assert (deal.points, deal.complete) == (None, False)
    assert folded("buck3", *facts).deals[0].points == (2, 0, 0)


def test_the_widow_goes_round_against_the_clock_from_the_dealers_right() -> None:
    made = Table("buck3", dealer=0)
    assert made.tell(SwapWidow(seat=2)) == (WidowSwapped(seat=2),)
    assert made.tell(SwapWidow(seat=0)) == (WidowSwapped(seat=0),)
    out = made.tell(SwapWidow(seat=1))
    assert isinstance(out, Rejected)
    assert "turn for the widow was before that" in out.reason


def test_while_the_dealer_is_not_known_the_widow_is_taken_in_any_order() -> None:
    made = Table("buck3", dealer=None)
    for seat in (0, 2, 1):
        assert made.tell(SwapWidow(seat=seat)) == (WidowSwapped(seat=seat),)


# --- call-ace ---------------------------------------------------------------------------------

UP = UpcardShown(card=Card("8d"), dealer=0)
FIVE = rows(
    (1, "Kh 8h 9h Th Qh"),
    (1, "Ac 8c 9c Tc Qc"),
    (1, "As 8s 9s Ts Qs"),
    (1, "Jh 9d Td Qd Kd"),
    (1, "Ah Jd Js Ks Jc"),
    seats=5,
)


def test_played_out_and_no_ace_called_nothing_is_counted_until_it_is() -> None:
    facts = [UP, Declared(maker=1, trump="h"), *FIVE]
    deal = folded("call_ace_5", *facts).deals[0]
    assert (deal.complete, deal.played_points) == (True, None)
    # The maker held it and took four tricks alone: the left bower took the last.
    told = folded("call_ace_5", *facts, AceCalled(card=Card("Ac"))).deals[0]
    assert told.points == (0, 1, 0, 0, 0)


def test_an_upheld_revoke_waits_while_the_partner_is_hidden() -> None:
    facts = [
        UP,
        Declared(maker=1, trump="h", ace=Card("Ad")),
        *rows((1, "Kh 8c 9h Th Qh"), (1, "Ac 8h 9c Tc Qc"), seats=5),
        FindingRuled(finding="1:revoke:2:1", ruling="uphold", reason=""),
    ]
    state = folded("call_ace_5", *facts)
    assert next((f.kind, f.status) for f in state.findings) == ("revoke", "upheld")
    assert state.deals[0].points is None
    fell = folded("call_ace_5", *facts, *laid((3, "Ad")))
    assert fell.deals[0].points == (0, 2, 0, 2, 0)


def test_a_deduction_waits_for_the_end_of_the_deal_though_the_partner_is_known() -> None:
    facts = [
        UP,
        Declared(maker=1, trump="h", ace=Card("Ad")),
        # Seat 2 throws off and has a heart; the maker holds the ace that was called.
        *rows((1, "Kh 8c 9h Th Qh"), (1, "Ad 8h 9d Td Kd"), seats=5),
        FindingRuled(finding="1:revoke:2:1", ruling="uphold", reason=""),
    ]
    deal = folded("call_ace_5", *facts, revoke_mode="deduct").deals[0]
    assert (deal.points, deal.complete) == (None, False)
    assert folded("call_ace_5", *facts).deals[0].points == (0, 2, 0, 0, 0)


def test_where_one_of_each_side_revoked_nobody_scores() -> None:
    facts = [
        UP,
        Declared(maker=1, trump="h", ace=Card("Ac")),
        # Seat 2, a defender, and seat 3, the partner, both throw off and have a heart.
        *rows((1, "Kh 8c 9s Th Qh"), (1, "9d 8h 9h Td Kd"), seats=5),
        *laid((3, "Ac")),
        *[
            FindingRuled(finding=f"1:{kind}:{seat}:1", ruling=ruling, reason="")
            for kind, seat, ruling in (
                ("reading_in_doubt", 1, "dismiss"),
                ("trump_in_doubt", "-", "dismiss"),
                ("revoke", 2, "uphold"),
                ("revoke", 3, "uphold"),
            )
        ],
        FindingRuled(finding="1:trump_in_doubt:-:-", ruling="dismiss", reason=""),
    ]
    deal = folded("call_ace_5", *facts).deals[0]
    assert (deal.points, deal.result) == ((0,) * 5, "both_revoked")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Declare(maker=1, trump="x"), "is no trump"),
        (Declare(maker=1, trump="h", ace=Card("Kh")), "is no ace"),
        (Declare(maker=1, trump="h", ace=Card("7h")), "not in this game's pack"),
        (Declare(maker=1, trump="h", deal=3), "there is no deal 3"),
    ],
)
def test_a_declaration_that_cannot_be_is_refused(command: Declare, says: str) -> None:
    made = Table("call_ace_5")
    made.record([UP])
    out = made.tell(command)
    assert isinstance(out, Rejected)
    assert says in out.reason


def test_an_ace_may_be_declared_with_the_trump() -> None:
    made = Table("call_ace_5")
    made.record([UP])
    made.tell(Declare(maker=1, trump="h", ace=Card("Ac")))
    assert made.state.deals[0].particulars is not None
    out = made.tell(CallAce(card=Card("As")))
    assert not isinstance(out, Rejected)


# --- two players, and what they share with buck -----------------------------------------------


@pytest.mark.parametrize("preset_name", ["buck3", "two_hand"])
def test_a_deal_that_nobody_declared_has_no_points_and_no_word_of_a_bid(preset_name: str) -> None:
    played = play(random.Random(1), preset_name)
    told = facts_of(preset_name, played, declare=True)
    start = started(preset_name, played.dealer)
    records = recorded([start, *told])
    bare = recorded([start, *(fact for fact in told if not isinstance(fact, Declared))])
    (counted,), (open_still,) = score_json(records)["deals"], score_json(bare)["deals"]
    assert counted["points"] is not None
    assert open_still["points"] is None
    assert any("Bid: " in line for line in deal_lines(records)) == (preset_name == "buck3")
    assert not any("Bid: " in line for line in deal_lines(bare))


def test_a_table_card_seen_in_two_places_is_one_misread() -> None:
    shown = [TableCardShown(seat=seat, card=Card("9h")) for seat in (0, 1)]
    (finding,) = folded("two_hand", *shown).findings
    assert (finding.kind, finding.seat) == ("duplicate_card", 1)


@pytest.mark.parametrize("preset_name", ["buck3", "two_hand"])
def test_where_no_card_is_turned_up_a_word_after_the_last_trick_is_of_the_deal_to_come(
    preset_name: str,
) -> None:
    played = play(random.Random(1), preset_name)
    made = Table(preset_name, dealer=played.dealer)
    facts = facts_of(preset_name, played, declare=True)
    last = max(n for n, fact in enumerate(facts) if isinstance(fact, CardPlayed))
    bid = 1 if preset_name == "buck3" else None
    said = Declare(maker=1 - min(played.maker, 1), trump="h", bid=bid)
    made.record(facts[:last])
    assert not made.state.deals[0].complete
    mends = made.tell(said)
    assert isinstance(mends, tuple)
    assert [fact.deal for fact in mends if isinstance(fact, Declared)] == [1]
    made = Table(preset_name, dealer=played.dealer)
    made.record(facts)
    assert made.state.deals[0].points is not None
    assert made.tell(said) == (Declared(maker=said.maker, trump="h", bid=bid, deal=2),)
    assert made.state.deals[0].maker == played.maker


def test_a_card_that_was_played_cannot_be_shown_as_a_table_card() -> None:
    made = Table("two_hand")
    made.record([Declared(maker=1, trump="h"), *laid((1, "Ah"))])
    out = made.tell(ShowTableCard(seat=0, card=Card("Ah")))
    assert isinstance(out, Rejected)
    assert "was played in this deal" in out.reason


def test_a_doubtful_table_card_of_nobody_lies_before_nobody() -> None:
    doubt = ReviewRaised(subject="table", seat=None, candidates=(), reason="unsure")
    (deal,) = folded("two_hand", doubt).deals
    assert [side["open"] for side in snapshot_layout(deal)] == [[], []]


def snapshot_layout(deal: object) -> list[dict[str, object]]:
    from engine.games.two_hand import deal_json

    return deal_json(deal)["layout"]  # type: ignore[arg-type]


def test_at_the_table_for_two_a_card_is_read_again() -> None:
    made = Table("two_hand")
    made.rests("9h", 0)
    same = CardReread(at_us=9_000_000, track=1, card=Card("9h"), confidence=0.99, votes=())
    out = made.see(same)
    assert isinstance(out, Ignored)
    assert out.reason == "read as before"
    # Of a card nobody knows, and before any deal, the common way answers.
    other = CardReread(at_us=9_000_000, track=77, card=Card("9h"), confidence=0.99, votes=())
    assert isinstance(made.see(other), Ignored)
    assert isinstance(Table("two_hand").see(other), Ignored)
    # Doubted once, it is not doubted twice; a table card whose name is unknown gains one.
    made.see(CardReread(at_us=9_500_000, track=1, card=Card("9d"), confidence=0.98, votes=()))
    (review,) = made.state.reviews
    assert {card for card, _ in review.candidates} == {"9h", "9d"}
    made.see(CardReread(at_us=9_600_000, track=1, card=Card("9d"), confidence=0.98, votes=()))
    assert len(made.state.reviews) <= 1


def test_at_the_table_for_two_a_card_that_leaves_is_taken_the_common_way() -> None:
    made = Table("two_hand")
    assert isinstance(made.see(CardLeft(at_us=1, track=3)), Ignored)


def test_at_the_table_for_two_a_card_laid_between_the_places_goes_the_common_way() -> None:
    made = Table("two_hand")
    made.record([Declared(maker=1, trump="h"), TableCardShown(seat=0, card=Card("9h"))])
    out = made.rests("9d", None)
    assert not isinstance(out, Ignored)


def test_with_a_fixed_number_of_deals_the_highest_wins_and_level_is_a_draw() -> None:
    eight = ruleset_from({"preset": "two_hand", "deals": 8})
    assert highest_at_target((40, 3), 7, eight).over is False
    assert highest_at_target((4, 3), 8, eight).winner == 0
    drawn = highest_at_target((4, 4), 8, eight)
    assert (drawn.over, drawn.winner) == (True, None)
    assert highest_at_target((31, 3), 2, preset("two_hand")).winner == 0
