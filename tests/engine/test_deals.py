"""Deals, turns and declarations: RULES.md, "Naming trump", "Going alone", "Game"."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from engine_scenes import deal_of, facts_of, folded, recorded, started, trick
from oracle_euchre import deal_out

from engine.cards import Card
from engine.facts import (
    Called,
    CardPlayed,
    Corrected,
    DealConfirmed,
    DealerNamed,
    DealThrownIn,
    Declared,
    Fact,
    GameEnded,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.state import State, fold

UP = UpcardShown(card=Card("9s"), dealer=3)


def west_deals(*facts: Fact, **rules: Any) -> State:
    return folded(*facts, dealer=3, **rules)


def test_a_game_that_has_not_begun_has_no_deal() -> None:
    state = fold([])
    assert (state.version, state.started, state.deal, state.over) == (0, False, None, False)


def test_a_new_upcard_begins_a_deal_with_its_dealer() -> None:
    deal = west_deals(UP).deals[0]
    assert (deal.number, deal.dealer, deal.phase) == (1, 3, "bidding")
    assert (deal.upcard_state, deal.trump, deal.maker) == ("shown", None, None)


def test_a_taken_upcard_makes_its_suit_trump_and_leaves_the_maker_open() -> None:
    deal = west_deals(UP, UpcardTaken()).deals[0]
    assert (deal.trump, deal.maker, deal.upcard_state) == ("s", None, "taken")


@pytest.mark.parametrize(("trump", "state"), [("s", "taken"), ("h", "turned_down")])
def test_a_declared_trump_says_what_became_of_the_upcard(trump: str, state: str) -> None:
    """RULES.md: trump equal to the up-card's suit means the dealer took it; any other, not."""
    deal = west_deals(UP, Declared(maker=1, trump=trump)).deals[0]
    assert deal.upcard_state == state
    assert deal.findings == ()


@pytest.mark.parametrize(
    ("seen", "trump"), [(UpcardTaken(), "h"), (UpcardTurnedDown(), "s")], ids=["taken", "down"]
)
def test_a_declaration_against_what_was_seen_is_a_finding(seen: Fact, trump: str) -> None:
    deal = west_deals(UP, seen, Declared(maker=1, trump=trump)).deals[0]
    assert [f.kind for f in deal.findings] == ["upcard_conflict"]
    assert deal.trump == trump


#: With spades seat 1 won the first trick, and led none.
PLAYED_WITH_HEARTS = (
    "Jh Ah Kh 9h",
    "Ac Tc Kc 9c",
    "Ad Td Kd 9d",
    "Qd Jc Qc Qs",
    "As Ks Ts Js",
)


def _plays(rows: Sequence[str]) -> list[Fact]:
    return [fact for row in rows for fact in trick(*enumerate(row.split()))]


def test_a_deal_whose_play_fits_only_the_declared_trump_leaves_the_upcard_no_conflict() -> None:
    for number in range(1, 6):
        plays = _plays(PLAYED_WITH_HEARTS[:number])
        kinds = _kinds_of(UP, UpcardTaken(), Declared(maker=1, trump="h"), *plays)
        assert ("upcard_conflict" in kinds) == (number < 5), number
    # spades declared, and the up-card seen turned down: the leads are against the declaration
    plays = _plays(PLAYED_WITH_HEARTS)
    kinds = _kinds_of(UP, UpcardTurnedDown(), Declared(maker=1, trump="s"), *plays)
    assert "upcard_conflict" in kinds


def test_a_revoke_under_the_true_trump_leaves_the_question_open() -> None:
    # Spades was trump; seat 1 held the left bower back, and hearts was tapped by mistake.
    rows = ("Ac Tc Kc 9c", "As Td Ts Qs", "Ad 9d Kd Qd", "Ah Th Kh 9h", "Qc Jc Ks Jd")
    kinds = _kinds_of(UP, UpcardTaken(), Declared(maker=0, trump="h"), *_plays(rows))
    assert "upcard_conflict" in kinds


def test_an_upcard_seen_taken_and_played_by_its_dealer_is_asked_about() -> None:
    rows = (*PLAYED_WITH_HEARTS[:4], "As Ks Ts 9s")
    kinds = _kinds_of(UP, UpcardTaken(), Declared(maker=1, trump="h"), *_plays(rows))
    assert "upcard_conflict" in kinds


#: In order with spades and without trump; with any other suit another seat had won a trick.
PLAYED_WITH_SPADES = (
    "As 9d 9c Ts",
    "Ad Td Kd 9h",
    "Ac Tc Kc Qc",
    "Ah Th Kh Qh",
    "Ks Jd Jh Qs",
)


@pytest.mark.parametrize(("no_trump", "conflict"), [("off", False), ("round2", True)])
def test_a_play_that_fits_only_the_upcards_suit_tells_that_it_was_taken(
    no_trump: str, conflict: bool
) -> None:
    facts = (UP, UpcardTurnedDown(), Declared(maker=1, trump="s"))
    plays = _plays(PLAYED_WITH_SPADES)
    assert ("upcard_conflict" in _kinds_of(*facts, *plays, no_trump=no_trump)) == conflict
    assert "upcard_conflict" in _kinds_of(*facts, *plays[:-5], no_trump=no_trump)


def _kinds_of(*facts: Fact, **rules: Any) -> list[str]:
    return [f.kind for f in west_deals(*facts, **rules).deals[0].findings]


@pytest.mark.parametrize(("seat", "conflict"), [(3, False), (0, True)], ids=["dealer", "other"])
def test_an_upcard_that_its_dealer_plays_was_not_turned_down(seat: int, conflict: bool) -> None:
    """A card turned down is out of play: a discard laid in its place was seen for it."""
    cards = {0: "9h", 1: "Th", 2: "Jh", 3: "Qh"} | {seat: "9s"}
    order = [CardPlayed(seat=s, card=Card(cards[s])) for s in (0, 1, 2, 3)]
    state = west_deals(UP, UpcardTurnedDown(), Declared(maker=1, trump="s"), *order)
    kinds = [f.kind for f in state.deals[0].findings]
    assert ("upcard_conflict" in kinds) == conflict
    assert state.deals[0].upcard_state == "taken"


@pytest.mark.parametrize(
    ("dealer", "maker", "alone", "defender", "lone_lead", "leads"),
    [
        (3, 0, None, None, "left_of_lone", 0),
        (3, 0, 0, None, "left_of_lone", 1),
        (3, 0, 2, None, "left_of_lone", 3),
        (3, 1, 1, None, "left_of_lone", 2),
        (3, 0, 0, None, "left_of_dealer", 0),
        # The dealer's left is the lone hand's partner: pass over it.
        (3, 2, 2, None, "left_of_dealer", 1),
        (1, 0, 0, None, "left_of_dealer", 3),
        # Only a defender alone: left of the dealer, passing over its partner.
        (3, 0, None, 1, "left_of_lone", 0),
        (3, 1, None, 2, "left_of_lone", 1),
        # Both alone: the left of the makers' lone hand, passing over who sits out.
        (3, 0, 0, 3, "left_of_lone", 3),
        (3, 0, 0, 1, "left_of_lone", 1),
        (3, 0, 0, 1, "left_of_dealer", 0),
    ],
)
def test_the_first_lead_is_where_the_rules_put_it(
    dealer: int,
    maker: int,
    alone: int | None,
    defender: int | None,
    lone_lead: str,
    leads: int,
) -> None:
    """RULES.md, "Going alone": ``lone_lead``, and pass over a seat that sits out."""
    state = folded(
        UpcardShown(card=Card("9s"), dealer=dealer),
        Declared(maker=maker, trump="h", alone=alone, defender_alone=defender),
        dealer=dealer,
        lone_lead=lone_lead,
        defend_alone="any",
    )
    assert state.turn == leads


def test_play_goes_clockwise_and_the_winner_leads() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h")]
    turns = [west_deals(*facts).turn]
    for seat, card in [(0, "Ac"), (1, "9c"), (2, "9h"), (3, "Tc"), (2, "Ad")]:
        facts.append(CardPlayed(seat=seat, card=Card(card)))
        turns.append(west_deals(*facts).turn)
    assert turns == [0, 1, 2, 3, 2, 3]


def test_a_lone_hands_tricks_are_of_three_cards() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h", alone=0)]
    facts += [CardPlayed(seat=s, card=Card(c)) for s, c in [(1, "Ac"), (3, "9c"), (0, "9h")]]
    state = west_deals(*facts)
    (first,) = state.deals[0].tricks
    assert (first.complete, first.winner) == (True, 0)
    assert state.deals[0].sits_out == (2,)
    assert state.turn == 0


def test_tricks_are_of_two_when_both_sides_go_alone() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h", alone=0, defender_alone=1)]
    facts += [CardPlayed(seat=s, card=Card(c)) for s, c in [(1, "Ac"), (0, "9h")]]
    state = west_deals(*facts, defend_alone="vs_lone")
    assert (state.deals[0].tricks[0].winner, state.turn) == (0, 0)


def test_who_plays_alone_may_be_told_after_the_whole_deal_was_played() -> None:
    truth = deal_out(random.Random(3), dealer=0, alone_share=1.0)
    facts = facts_of(truth, declare="never")
    # While nobody has said so, each trick of three waits for a fourth card.
    reviewed: list[Fact] = []
    for fact in facts:
        if isinstance(fact, TrickCleared):
            missing = ({0, 1, 2, 3} - {s for _, s, _ in truth.plays}).pop()
            reviewed.append(
                ReviewRaised(subject="play", seat=missing, candidates=(), reason="missed")
            )
        reviewed.append(fact)
    before = folded(*reviewed)
    assert len(before.reviews) == 5
    after = folded(*reviewed, Declared(maker=truth.maker, trump=truth.trump, alone=truth.alone))
    assert after.reviews == ()
    assert after.deals[0].points == truth.points
    assert list(after.deals[0].winners) == truth.winners


def test_a_deal_left_undeclared_waits_and_is_mended_when_the_next_is_under_way() -> None:
    rng = random.Random(5)
    first = deal_out(rng, dealer=0, alone_share=0.0)
    second = deal_out(rng, dealer=1)
    facts = [f for f in facts_of(first, declare="never") if not isinstance(f, UpcardTaken)]
    facts += facts_of(second)
    state = folded(*facts)
    assert state.deals[0].phase == "undeclared"
    assert state.deals[0].points is None
    assert (state.deals[1].points, state.score) == (second.points, second.points)
    said = Declared(maker=first.maker, trump=first.trump, deal=1)
    mended = folded(*facts, said)
    assert mended.deals[0].points == first.points
    assert mended.scores[0] == first.points
    assert mended.score == tuple(a + b for a, b in zip(first.points, second.points, strict=True))


def test_nobody_wins_while_an_earlier_deal_is_undeclared() -> None:
    rng = random.Random(6)
    facts = [
        f
        for f in facts_of(deal_out(rng, dealer=0), declare="never")
        if not isinstance(f, UpcardTaken)
    ]
    second = deal_out(rng, dealer=1)
    state = folded(*facts, *facts_of(second), target=1)
    assert (state.over, state.winner) == (False, None)


def test_the_newest_declaration_counts_for_the_whole_deal() -> None:
    truth = deal_out(random.Random(8), dealer=0, alone_share=0.0)
    other = next(s for s in "cdhs" if s not in (truth.trump, truth.upcard[1]))
    facts = [f for f in facts_of(truth, declare="never") if not isinstance(f, UpcardTaken)]
    facts.insert(1, Declared(maker=truth.maker, trump=other))
    facts.append(Declared(maker=truth.maker, trump=truth.trump, deal=1))
    assert list(folded(*facts).deals[0].winners) == truth.winners


def test_an_undone_declaration_brings_the_one_before_back() -> None:
    facts = [started(3), UP, Declared(maker=0, trump="h"), Declared(maker=1, trump="c")]
    undone = [*facts, Corrected(target=4, replacement=None, reason="undo")]
    assert fold(recorded(facts)).deals[0].trump == "c"
    assert fold(recorded(undone)).deals[0].trump == "h"
    redone = [*undone, Corrected(target=5, replacement=None, reason="undo the undo")]
    assert fold(recorded(redone)).deals[0].trump == "c"


def test_of_two_corrections_the_newest_counts() -> None:
    facts: list[Fact] = [started(3), UP, Declared(maker=0, trump="h")]
    facts.append(CardPlayed(seat=0, card=Card("Ac")))
    for card in ("Kc", "Qc"):
        facts.append(
            Corrected(
                target=4, replacement=CardPlayed(seat=0, card=Card(card)), reason="looked again"
            )
        )
    assert fold(recorded(facts)).deals[0].tricks[0].plays[0].card == "Qc"
    facts.append(Corrected(target=6, replacement=None, reason="undo"))
    assert fold(recorded(facts)).deals[0].tricks[0].plays[0].card == "Kc"


# --- bidding tapped call by call ---------------------------------------------------------------


def test_an_ordered_upcard_names_the_seat_that_ordered_as_maker() -> None:
    """RULES.md, "Words": a seat that orders up is the maker, not the dealer."""
    deal = west_deals(
        UP, Called(seat=0, call="pass"), Called(seat=1, call="order_up", alone=True)
    ).deals[0]
    assert (deal.maker, deal.trump, deal.alone, deal.upcard_state) == (1, "s", (1,), "taken")


def test_a_suit_named_in_the_second_round_turns_the_upcard_down() -> None:
    passes = [Called(seat=s, call="pass") for s in (0, 1, 2, 3)]
    deal = west_deals(UP, *passes).deals[0]
    assert (deal.upcard_state, deal.trump) == ("turned_down", None)
    deal = west_deals(UP, *passes, Called(seat=0, call="name", suit="h")).deals[0]
    assert (deal.maker, deal.trump, deal.upcard_state) == (0, "h", "turned_down")


# --- dealers, thrown-in deals, the end of the game ---------------------------------------------


@pytest.mark.parametrize(
    ("pass_out", "reason", "next_dealer"),
    [
        ("pass_deal", "passed_out", 0),
        ("same_dealer", "passed_out", 3),
        ("pass_deal", "redeal", 3),
        ("same_dealer", "abandoned", 0),
    ],
)
def test_after_a_thrown_in_deal_the_deal_passes_as_agreed(
    pass_out: str, reason: str, next_dealer: int
) -> None:
    """RULES.md: after every deal, a passed-out one included (but for ``same_dealer``)."""
    state = west_deals(UP, DealThrownIn(reason=reason), pass_out=pass_out)
    assert state.next_dealer == next_dealer
    assert (state.deals[0].points, state.deals[0].result) == ((0, 0), "thrown_in")
    assert state.score == (0, 0)


def test_the_deal_passes_to_the_left_when_nobody_saw_who_laid_the_upcard() -> None:
    state = west_deals(
        UP, DealThrownIn(), UpcardShown(card=Card("Ah"), dealer=None), DealThrownIn()
    )
    assert [deal.dealer for deal in state.deals] == [3, 0]
    assert state.next_dealer == 1


def test_a_deal_by_the_wrong_seat_is_a_finding_and_stands() -> None:
    state = west_deals(UP, DealThrownIn(), UpcardShown(card=Card("Ah"), dealer=2))
    (finding,) = state.findings
    assert (finding.kind, finding.seat) == ("wrong_dealer", 2)
    assert "it was North's deal" in finding.text
    assert state.deals[1].dealer == 2


def test_the_table_may_say_who_deals() -> None:
    now = west_deals(UP, DealerNamed(dealer=1))
    assert (now.deals[0].dealer, now.findings) == (1, ())
    later = west_deals(
        UP, DealThrownIn(), DealerNamed(dealer=2), UpcardShown(card=Card("Ah"), dealer=None)
    )
    assert [deal.dealer for deal in later.deals] == [3, 2]


def test_nobody_knows_the_dealer_until_it_is_seen_or_said() -> None:
    state = folded(UpcardShown(card=Card("Ah"), dealer=None), dealer=None)
    assert (state.deals[0].dealer, state.next_dealer) == (None, None)


def scored_deals(count: int, seed: int, **rules: Any) -> State:
    rng = random.Random(seed)
    facts: list[Fact] = []
    for number in range(count):
        facts += facts_of(deal_out(rng, dealer=number % 4))
    return folded(*facts, **rules)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_side_at_the_target_wins_and_stays_the_winner(seed: int) -> None:
    state = scored_deals(12, seed, target=5)
    first = next(s for s in state.scores if max(s) >= 5)
    assert state.over
    assert state.winner == (0 if first[0] >= 5 else 1)


def test_a_game_of_a_fixed_number_of_deals_ends_with_the_last() -> None:
    """RULES.md: ``deals`` 8 or 12, passed-out ones not counted; an equal score is a draw."""
    assert not scored_deals(7, 1, deals=8).over
    state = scored_deals(8, 1, deals=8)
    assert state.over
    assert state.winner == (
        None if state.score[0] == state.score[1] else int(state.score[1] > state.score[0])
    )
    passed = folded(UpcardShown(card=Card("9s"), dealer=0), DealThrownIn(), deals=1)
    assert not passed.over


def test_a_fixed_number_of_deals_may_end_in_a_draw() -> None:
    rng = random.Random(2)
    first = deal_out(rng, dealer=0)
    loser = 0 if first.points[1] else 1
    level = [0, 0]
    level[loser] = max(first.points)
    state = folded(ScoreAdjusted(points=tuple(level), reason="handicap"), *facts_of(first), deals=1)
    assert (state.over, state.winner) == (True, None)


def test_an_adjustment_counts_from_where_it_stands() -> None:
    rng = random.Random(4)
    one, two = deal_out(rng, dealer=0), deal_out(rng, dealer=1)
    state = folded(*facts_of(one), ScoreAdjusted(points=(3, -1), reason="penalty"), *facts_of(two))
    assert state.scores[0] == one.points
    both = [a + b for a, b in zip(one.points, two.points, strict=True)]
    assert state.score == (both[0] + 3, both[1] - 1)


def test_a_game_may_be_stopped() -> None:
    state = west_deals(UP, GameEnded(reason="closing time"))
    assert (state.over, state.winner, state.ended) == (True, None, "closing time")


def test_a_score_to_start_from_counts() -> None:
    game = replace(started(0), initial_score=(0, 7))
    assert fold(recorded([game])).score == (0, 7)


def test_confirmed_points_are_marked() -> None:
    truth = deal_out(random.Random(1), dealer=0)
    assert folded(*facts_of(truth), DealConfirmed(deal=1)).deals[0].confirmed


# --- other irregularities ----------------------------------------------------------------------


def kinds(*facts: Fact, **rules: Any) -> list[tuple[str, int | None, int | None]]:
    state = west_deals(UP, Declared(maker=0, trump="h"), *facts, **rules)
    return [(f.kind, f.seat, f.trick) for f in state.findings]


def test_a_lead_out_of_turn_is_a_finding_and_the_trick_goes_on_from_it() -> None:
    facts = trick((1, "Ac"), (2, "9c"), (3, "Tc"), (0, "Kc"))
    assert kinds(*facts) == [("lead_out_of_turn", 1, 1)]
    assert kinds(
        *trick((0, "Ac"), (1, "9c"), (2, "Tc"), (3, "Kc")), CardPlayed(seat=2, card=Card("Ad"))
    ) == [("lead_out_of_turn", 2, 2)]


def test_a_play_out_of_turn_is_a_finding() -> None:
    facts = trick((0, "Ac"), (2, "9c"), (1, "Tc"), (3, "Kc"))
    assert kinds(*facts) == [("play_out_of_turn", 2, 1)]


def test_a_second_card_to_a_trick_is_a_finding_and_does_not_count() -> None:
    facts = [CardPlayed(seat=s, card=Card(c)) for s, c in [(0, "9c"), (1, "Tc"), (1, "Ac")]]
    assert kinds(*facts) == [("played_twice", 1, 1)]
    more = [CardPlayed(seat=2, card=Card("Kc")), CardPlayed(seat=3, card=Card("Qc"))]
    state = west_deals(UP, Declared(maker=0, trump="h"), *facts, *more)
    assert state.deals[0].winners == (2,)


def test_the_partner_of_a_lone_hand_plays_no_card() -> None:
    state = west_deals(
        UP, Declared(maker=0, trump="h", alone=0), CardPlayed(seat=2, card=Card("Ac"))
    )
    assert [(f.kind, f.seat) for f in state.findings] == [("sitting_out_played", 2)]
    assert state.turn == 1


def test_the_turned_down_card_is_out_of_play() -> None:
    assert kinds(CardPlayed(seat=0, card=Card("9s"))) == [("turned_down_played", 0, 1)]


def test_an_upcard_the_dealer_took_can_come_from_nobody_else() -> None:
    state = west_deals(UP, Declared(maker=0, trump="s"), CardPlayed(seat=0, card=Card("9s")))
    assert [(f.kind, f.seat) for f in state.findings] == [("duplicate_card", 0)]
    fine = west_deals(
        UP,
        Declared(maker=0, trump="s"),
        *trick((0, "Ac"), (1, "9c"), (2, "Tc"), (3, "9s")),
    )
    assert fine.findings == ()


def test_a_card_outside_the_pack_is_a_finding() -> None:
    assert kinds(CardPlayed(seat=0, card=Card("8c"))) == [("foreign_card", 0, 1)]


@pytest.mark.parametrize(
    ("said", "rules", "expected"),
    [
        (Declared(maker=1, trump="s"), {"partner_order_must_be_alone": True}, "partner"),
        (Declared(maker=1, trump="s", alone=1), {"partner_order_must_be_alone": True}, None),
        (Declared(maker=1, trump="h"), {"partner_order_must_be_alone": True}, None),
        (Declared(maker=0, trump="s"), {"partner_order_must_be_alone": True}, None),
        (Declared(maker=0, trump="h", alone=2), {"alone_by": "maker"}, "alone"),
        (Declared(maker=0, trump="h", alone=0), {"alone_by": "maker"}, None),
        (Declared(maker=0, trump="h", alone=2), {}, None),
        (
            Declared(maker=2, trump="s", alone=0),
            {"passed_player_may_go_alone": False},
            "alone",
        ),
        (
            Declared(maker=0, trump="s", alone=2),
            {"passed_player_may_go_alone": False},
            None,
        ),
        (Declared(maker=0, trump="n"), {"no_trump": "round2"}, None),
    ],
)
def test_a_call_against_the_agreed_rules_is_recorded_and_found(
    said: Declared, rules: dict[str, Any], expected: str | None
) -> None:
    """West deals, so East is the dealer's partner."""
    state = west_deals(UP, said, **rules)
    found = [f.kind for f in state.findings]
    names = {"partner": "partner_must_go_alone", "alone": "alone_not_allowed"}
    assert found == ([] if expected is None else [names[expected]])
    assert state.deals[0].maker == said.maker


def test_a_no_trump_deal_is_won_by_printed_suits() -> None:
    facts = deal_of(
        ("Ad", "Jd", "9h", "Jh"),
        ("Ac", "Tc", "Jc", "Js"),
        leads=(0, 0),
        trump="n",
        maker=0,
    )
    state = west_deals(*facts, no_trump="round2")
    assert state.deals[0].winners == (0, 0)
    assert state.findings == ()


# --- reviews in their places -------------------------------------------------------------------


def doubtful(seat: int | None, reason: str = "unsure", track: int | None = None) -> ReviewRaised:
    return ReviewRaised(
        subject="play",
        seat=seat,
        candidates=((Card("Kc"), 0.6), (Card("Ks"), 0.4)),
        reason=reason,
        track=track,
    )


def test_an_open_review_holds_its_place_and_its_trick_has_no_winner() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h")]
    facts += [CardPlayed(seat=0, card=Card("9c")), doubtful(1)]
    facts += trick((2, "Tc"), (3, "Qc"))
    state = west_deals(*facts, CardPlayed(seat=1, card=Card("Ad")))
    first, second = state.deals[0].tricks
    assert [(p.seat, p.card, p.review) for p in first.plays] == [
        (0, "9c", None),
        (1, None, 5),
        (2, "Tc", None),
        (3, "Qc", None),
    ]
    assert (first.complete, first.winner, second.leader) == (True, None, 1)
    assert state.findings == ()
    assert [(r.version, r.deal, r.trick) for r in state.reviews] == [(5, 1, 1)]
    answered = west_deals(
        *facts,
        CardPlayed(seat=1, card=Card("Ad")),
        ReviewAnswered(review=5, card=Card("Kc")),
    )
    assert answered.deals[0].tricks[0].winner == 1
    assert answered.reviews == ()
    assert answered.findings == ()


def test_a_review_answered_as_no_card_frees_its_place() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h"), doubtful(0)]
    state = west_deals(*facts, ReviewAnswered(review=4, card=None))
    assert (state.deals[0].tricks, state.reviews) == ((), ())


def test_the_answer_may_name_another_seat() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h"), doubtful(1)]
    state = west_deals(*facts, ReviewAnswered(review=4, card=Card("Kc"), seat=0))
    assert [(p.seat, p.card) for p in state.deals[0].tricks[0].plays] == [(0, "Kc")]


def test_an_undone_answer_asks_again() -> None:
    facts: list[Fact] = [UP, Declared(maker=0, trump="h"), doubtful(0)]
    facts.append(ReviewAnswered(review=4, card=Card("Kc")))
    facts.append(Corrected(target=5, replacement=None, reason="undo"))
    assert [r.version for r in west_deals(*facts).reviews] == [4]


def test_a_doubt_reported_late_takes_its_place_by_the_moment_it_came_to_rest() -> None:
    """The reader thinks about a doubtful lead while the next seat plays a clear card."""
    records = list(
        recorded(
            [
                started(3),
                UP,
                Declared(maker=0, trump="h"),
                CardPlayed(seat=1, card=Card("9c")),
                doubtful(0),
            ]
        )
    )
    records[4] = replace(records[4], at_us=records[3].at_us - 800_000)
    state = fold(records)
    assert [p.seat for p in state.deals[0].tricks[0].plays] == [0, 1]
    assert state.findings == ()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("known", [True, False], ids=["declared", "not yet declared"])
@pytest.mark.parametrize("apart_us", [0, 100_000])
def test_two_cards_uncovered_at_one_moment_lie_in_the_order_of_turns(
    order: tuple[int, int], known: bool, apart_us: int
) -> None:
    """A hand lifts off both: no camera can tell which came first."""
    cards = {0: "9c", 1: "Ac"}
    facts: list[Fact] = [started(3), UP]
    if known:
        facts.append(Declared(maker=0, trump="h"))
    facts += [CardPlayed(seat=s, card=Card(cards[s]), track=s + 5) for s in order]
    records = list(recorded(facts))
    records[-1] = replace(records[-1], at_us=records[-2].at_us + apart_us)
    state = fold(records)
    assert [p.seat for p in state.deals[0].tricks[0].plays] == [0, 1]
    assert state.findings == ()


def test_two_cards_a_second_apart_keep_their_order() -> None:
    facts = [CardPlayed(seat=s, card=Card(c), track=s + 5) for s, c in [(1, "Ac"), (0, "9c")]]
    assert kinds(*facts) == [("lead_out_of_turn", 1, 1), ("play_out_of_turn", 0, 1)]


def test_a_jump_of_the_clock_does_not_reorder_a_trick() -> None:
    records = list(
        recorded(
            [
                started(3),
                UP,
                Declared(maker=0, trump="h"),
                CardPlayed(seat=0, card=Card("9c")),
                CardPlayed(seat=1, card=Card("Ac")),
            ]
        )
    )
    records[4] = replace(records[4], at_us=records[3].at_us - 3_600_000_000)
    assert [p.seat for p in fold(records).deals[0].tricks[0].plays] == [0, 1]


def test_a_card_read_otherwise_later_is_unknown_until_a_person_says() -> None:
    played = CardPlayed(seat=0, card=Card("Ks"), track=7)
    facts: list[Fact] = [UP, Declared(maker=0, trump="h"), played, doubtful(0, "changed", 7)]
    state = west_deals(*facts)
    (play,) = state.deals[0].tricks[0].plays
    assert (play.card, play.version, play.review) == (None, 4, 5)
    assert [(r.version, r.target, r.trick) for r in state.reviews] == [(5, 4, 1)]
    settled = west_deals(*facts, ReviewAnswered(review=5, card=Card("Kc")))
    (play,) = settled.deals[0].tricks[0].plays
    assert (play.card, play.version, play.review) == ("Kc", 4, None)
    gone = west_deals(*facts, ReviewAnswered(review=5, card=None))
    assert gone.deals[0].tricks == ()


def test_a_doubtful_upcard_holds_the_deal_open() -> None:
    review = ReviewRaised(
        subject="upcard", seat=3, candidates=((Card("9s"), 0.5),), reason="unsure", track=1
    )
    state = west_deals(review, UpcardTaken())
    assert (state.deals[0].upcard and state.deals[0].upcard.card) is None
    assert state.deals[0].trump is None
    answered = west_deals(review, UpcardTaken(), ReviewAnswered(review=2, card=Card("9s")))
    assert (answered.deals[0].trump, answered.deals[0].dealer) == ("s", 3)
