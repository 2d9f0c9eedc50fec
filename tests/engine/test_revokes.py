"""Revokes: RULES.md, "Revokes", point by point."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import engine_scenes
import pytest
from engine_scenes import deal_of, facts_of, recorded, started, trick
from oracle_euchre import deal_out

from engine.cards import Card
from engine.deal import Finding
from engine.facts import (
    CardPlayed,
    Corrected,
    Declared,
    Fact,
    FindingRuled,
    ReviewRaised,
    UpcardShown,
    UpcardTaken,
)
from engine.state import State, fold
from engine.view import snapshot

#: A deal that seat 2 spoils: it has the king of spades and plays the 9 of clubs on a spade.
#: Trump hearts, made by North (North leads to trick 1; the dealer is West).
SPOILED = (
    ("As", "Qs", "9c", "Ts"),
    ("Ah", "9h", "Th", "Qh"),
    ("Ad", "9d", "Ks", "Td"),
    ("Kd", "Js", "Tc", "Qd"),
    ("Kh", "Qc", "Kc", "Jc"),
)


def folded(*facts: Fact, dealer: int = 3, **rules: Any) -> State:
    """A game that West deals first."""
    return engine_scenes.folded(*facts, dealer=dealer, **rules)


def spoiled(**more: Any) -> list[Fact]:
    return deal_of(*SPOILED, leads=(0, 0, 0, 0, 0), trump="h", maker=0, **more)


def revokes(state: State) -> list[Finding]:
    return [f for f in state.findings if f.kind == "revoke"]


def test_a_later_card_of_the_led_suit_proves_the_revoke() -> None:
    """Points 1 and 7: seat, trick, off-suit card, led card, proving card, its trick."""
    state = folded(*spoiled())
    (finding,) = state.findings
    assert finding.id == "1:revoke:2:1"
    assert (finding.kind, finding.seat, finding.trick) == ("revoke", 2, 1)
    assert (finding.card, finding.led) == ("9c", "As")
    assert (finding.proof, finding.proven_at_trick) == ("Ks", 3)
    assert finding.status == "open"
    assert "South did not follow spades in trick 1" in finding.text
    assert "king of spades" in finding.text
    assert "in trick 3" in finding.text
    versions = {r.version: r.fact for r in state.records}
    assert [getattr(versions[v], "card", None) for v in finding.versions] == ["As", "9c", "Ks"]


def test_the_points_stand_as_played_until_the_table_upholds_it() -> None:
    state = folded(*spoiled())
    assert state.deals[0].points == (2, 0)
    assert state.score == (2, 0)


def test_nothing_is_said_before_the_proof_falls() -> None:
    """Point 2: proof never comes on the trick itself."""
    facts = spoiled()
    proof = next(i for i, f in enumerate(facts) if isinstance(f, CardPlayed) and f.card == "Ks")
    before = folded(*facts[:proof])
    assert before.findings == ()
    claims = before.deals[0].claims
    assert [(c.seat, c.trick, c.card, c.led) for c in claims] == [(2, 1, "9c", "As")]
    assert len(revokes(folded(*facts[: proof + 1]))) == 1


def test_a_claim_is_cleared_when_the_last_card_of_the_seat_is_seen() -> None:
    rows = [list(row) for row in SPOILED]
    rows[2][2] = "Ac"
    state = folded(*deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0))
    assert state.findings == ()
    assert state.deals[0].claims == ()


def test_a_claim_stays_open_when_play_stops_early() -> None:
    """Point 4: open claims are unresolved."""
    facts = spoiled()[: 2 + 5 * 2]
    assert [(c.seat, c.trick) for c in folded(*facts).deals[0].claims] == [(2, 1)]


def after_lead(*rows: tuple[tuple[int, str], ...], trump: str = "h") -> State:
    """Tricks of a deal under way; trump declared by North, West deals."""
    facts: list[Fact] = [
        UpcardShown(card=Card("9s"), dealer=3),
        Declared(maker=0, trump=trump),
    ]
    for row in rows:
        facts += trick(*row)
    return folded(*facts)


def test_the_holder_of_the_left_bower_need_not_follow_its_printed_suit() -> None:
    """Point 3a: diamonds led, South has only the jack of diamonds, which is a heart."""
    state = after_lead(
        ((0, "Ad"), (1, "9d"), (2, "9c"), (3, "Td")),
        ((0, "Kd"), (1, "Qd"), (2, "Jd"), (3, "Tc")),
    )
    assert state.findings == ()


def test_throwing_off_on_trump_while_holding_the_left_bower_is_a_revoke() -> None:
    """Point 3b."""
    state = after_lead(
        ((0, "Ah"), (1, "9h"), (2, "9c"), (3, "Th")),
        ((0, "Kd"), (1, "Qd"), (2, "Jd"), (3, "Td")),
    )
    (finding,) = revokes(state)
    assert (finding.seat, finding.card, finding.led, finding.proof) == (2, "9c", "Ah", "Jd")
    assert finding.proven_at_trick == 2


def test_the_left_bower_does_not_follow_its_printed_suit() -> None:
    """Point 3c: it looks like following, and a diamond was held."""
    state = after_lead(
        ((0, "Ad"), (1, "9d"), (2, "Jd"), (3, "Td")),
        ((2, "Ac"), (3, "9c"), (0, "Tc"), (1, "Qc")),
        ((2, "Kd"), (3, "Ts"), (0, "Qs"), (1, "Qd")),
    )
    (finding,) = revokes(state)
    assert (finding.seat, finding.card, finding.led, finding.proof) == (2, "Jd", "Ad", "Kd")
    assert finding.proven_at_trick == 3


def test_when_the_left_bower_is_led_trump_must_be_followed() -> None:
    """Point 3d: a diamond on the jack of diamonds, a heart in hand."""
    state = after_lead(
        ((0, "Jd"), (1, "9d"), (2, "9h"), (3, "Th")),
        ((0, "Ac"), (1, "Qh"), (2, "9c"), (3, "Tc")),
    )
    (finding,) = revokes(state)
    assert (finding.seat, finding.card, finding.led, finding.proof) == (1, "9d", "Jd", "Qh")


def test_until_trump_is_known_nothing_is_judged() -> None:
    facts = [f for f in spoiled() if not isinstance(f, Declared)]
    state = folded(*facts)
    assert state.findings == ()
    assert state.deals[0].phase == "undeclared"
    assert state.deals[0].points is None


def test_a_declaration_after_the_last_card_judges_the_whole_deal() -> None:
    facts = [f for f in spoiled() if not isinstance(f, Declared)]
    state = folded(*facts, Declared(maker=0, trump="h", deal=1))
    assert [f.id for f in state.findings] == ["1:revoke:2:1"]
    assert state.deals[0].points == (2, 0)


def test_the_upcard_a_dealer_must_keep_proves_a_revoke_on_the_trick_itself() -> None:
    """Point 2, the exception: ``upcard_may_be_discarded`` false."""
    facts: list[Fact] = [
        UpcardShown(card=Card("Qh"), dealer=3),
        UpcardTaken(),
        Declared(maker=0, trump="h"),
        *trick((0, "Ah"), (1, "9h"), (2, "Th"), (3, "9c")),
    ]
    (finding,) = revokes(folded(*facts, upcard_may_be_discarded=False))
    assert (finding.seat, finding.proof, finding.proven_at_trick) == (3, "Qh", 1)
    assert "the up-card it took" in finding.text
    assert revokes(folded(*facts)) == []


def test_the_upcard_once_played_proves_nothing_about_later_tricks() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("Qh"), dealer=3),
        UpcardTaken(),
        Declared(maker=0, trump="h"),
        *trick((0, "Ah"), (1, "9h"), (2, "Th"), (3, "Qh")),
        *trick((0, "Kh"), (1, "Ts"), (2, "9s"), (3, "9c")),
    ]
    assert revokes(folded(*facts, upcard_may_be_discarded=False)) == []


def test_a_card_seen_twice_vetoes_every_accusation_until_it_is_mended() -> None:
    """Point 5: a misread or a foreign card first."""
    facts = spoiled()
    place = next(i for i, f in enumerate(facts) if isinstance(f, CardPlayed) and f.card == "Tc")
    twice = list(facts)
    twice[place] = CardPlayed(seat=2, card=Card("9d"))
    state = folded(*twice)
    assert [f.kind for f in state.findings] == ["duplicate_card"]
    assert state.findings[0].text.startswith("The 9 of diamonds was seen")
    mended = folded(
        *twice,
        Corrected(
            target=place + 2,
            replacement=CardPlayed(seat=2, card=Card("Tc")),
            reason="it was the ten",
        ),
    )
    assert [f.id for f in mended.findings] == ["1:revoke:2:1"]


def test_a_doubtful_led_card_accuses_nobody() -> None:
    facts = spoiled()
    facts[2] = ReviewRaised(
        subject="play", seat=0, candidates=((Card("As"), 0.6), (Card("Ac"), 0.4)), reason="unsure"
    )
    state = folded(*facts)
    assert revokes(state) == []
    assert len(state.reviews) == 1


def test_two_seats_revoking_asks_whether_trump_is_right() -> None:
    """Point 5: two or more seats "revoking" means "is trump really X?"."""
    rows = [list(row) for row in SPOILED]
    # East, too, has a spade it does not play: clubs on spades now, spades later.
    rows[0][1], rows[4][1] = "Qc", "Qs"
    state = folded(*deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0))
    assert {f.seat for f in revokes(state)} == {1, 2}
    assert all("Is trump really hearts?" in f.text for f in revokes(state))


@pytest.mark.parametrize("seed", range(40))
def test_a_wrongly_declared_trump_is_asked_about_and_nobody_is_judged_unasked(seed: int) -> None:
    """Point 5: another trump that leaves no violation is the likelier mistake."""
    rng = random.Random(seed)
    truth = deal_out(rng, dealer=0, alone_share=0.0)
    wrong = rng.choice([suit for suit in "cdhs" if suit not in (truth.trump, truth.upcard[1])])
    facts = [f for f in facts_of(truth, declare="never") if not isinstance(f, UpcardTaken)]
    state = folded(
        *facts,
        Declared(maker=truth.maker, trump=wrong, deal=1),
        dealer=0,
        revoke_judge="automatic",
    )
    deal = state.deals[0]
    assert all(f.status == "open" for f in state.findings)
    assert deal.points == deal.played_points
    for finding in revokes(state):
        assert finding.doubtful
        assert finding.doubt is not None
    wrong_leads = sum(
        a is not None and a != b
        for a, b in zip(deal.winners, [t.leader for t in deal.tricks[1:]], strict=False)
    )
    if len({f.seat for f in revokes(state)}) > 1 or wrong_leads > 1:
        kinds = [f.kind for f in state.findings]
        assert "trump_in_doubt" in kinds
        assert "revoke" not in kinds


@pytest.mark.parametrize("taken", [True, False])
def test_trump_is_not_doubted_where_the_camera_and_the_table_agree(taken: bool) -> None:
    """The up-card was seen taken and its suit was declared: the revoke is no slip of a tap.

    South throws a club on hearts and has the left bower, which only hearts make a trump.
    """
    facts: list[Fact] = [
        UpcardShown(card=Card("Qh"), dealer=3),
        *([UpcardTaken()] if taken else []),
        Declared(maker=0, trump="h"),
        *trick((0, "Ah"), (1, "9h"), (2, "9c"), (3, "Th")),
        *trick((0, "Kd"), (1, "Qd"), (2, "Jd"), (3, "Td")),
    ]
    (finding,) = revokes(folded(*facts, revoke_judge="automatic"))
    assert finding.doubtful is not taken
    assert finding.status == ("upheld" if taken else "open")


def test_the_question_about_trump_names_the_suits_that_would_explain_it() -> None:
    """Played in spades, declared as hearts: the leads and the cards all say spades."""
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=3),
        Declared(maker=0, trump="h"),
        *trick((0, "Ad"), (1, "9s"), (2, "Td"), (3, "9d")),
        *trick((1, "Ac"), (2, "Ts"), (3, "9c"), (0, "Qc")),
        *trick((2, "As"), (3, "Qs"), (0, "Ks"), (1, "Jc")),
    ]
    state = folded(*facts)
    (finding,) = [f for f in state.findings if f.kind == "trump_in_doubt"]
    assert "Is trump really hearts?" in finding.text
    assert "spades" in finding.text
    assert state.score == (0, 0)


#: The lead, really the ace of hearts, was read as the ace of diamonds: East and South followed
#: hearts, and both have a diamond later.
LEAD_MISREAD: list[Fact] = [
    UpcardShown(card=Card("9s"), dealer=3),
    UpcardTaken(),
    Declared(maker=0, trump="s"),
    *trick((0, "Ad"), (1, "9h"), (2, "Th"), (3, "Kh")),
    *trick((0, "As"), (1, "Ts"), (2, "Qs"), (3, "9s")),
    *trick((0, "Kd"), (1, "9d"), (2, "Td"), (3, "Jd")),
]


def test_two_revokes_that_one_misread_card_explains_are_asked_about_first() -> None:
    """Point 5, the doubt comes before the accusation: the ace of hearts lay nowhere else."""
    state = folded(*LEAD_MISREAD, revoke_judge="automatic")
    (finding,) = state.findings
    assert finding.kind == "reading_in_doubt"
    assert (finding.seat, finding.trick, finding.card) == (0, 1, "Ad")
    assert finding.text == (
        "Was the ace of diamonds read right? With another card there, all would be in order."
    )
    assert finding.versions == (5,)
    assert snapshot(state, state.records)["ask"]["kind"] == "finding"


def test_a_seat_that_revokes_twice_by_one_card_is_asked_about_that_card_first() -> None:
    """East's 9 of clubs was read as the 9 of diamonds, and would prove two revokes at once."""
    state = folded(
        *LEAD_MISREAD[:3],
        *trick((0, "Ad"), (1, "9h"), (2, "Td"), (3, "Qd")),
        *trick((0, "Kd"), (1, "Th"), (2, "Jd"), (3, "Ah")),
        *trick((0, "As"), (1, "9d"), (2, "Qs"), (3, "9s")),
    )
    assert state.findings[0].kind == "reading_in_doubt"
    assert "the 9 of diamonds" in state.findings[0].text
    assert revokes(state) == []
    dismissed = FindingRuled(finding=state.findings[0].id, ruling="dismiss")
    again = fold(recorded([*[r.fact for r in state.records], dismissed]))
    assert [(f.seat, f.trick) for f in revokes(again)] == [(1, 1), (1, 2)]


def test_once_the_table_says_the_card_was_read_right_both_are_accused() -> None:
    question = "1:reading_in_doubt:0:1"
    state = folded(*LEAD_MISREAD, FindingRuled(finding=question, ruling="dismiss"))
    assert {f.seat for f in revokes(state)} == {1, 2, 3}
    assert all(f.doubt is None for f in revokes(state))
    assert [f.status for f in state.findings if f.kind == "reading_in_doubt"] == ["dismissed"]


def test_corrected_the_doubtful_card_leaves_nothing_amiss() -> None:
    right = CardPlayed(seat=0, card=Card("Ah"))
    state = folded(*LEAD_MISREAD, Corrected(target=5, replacement=right, reason="looked again"))
    assert state.findings == ()


def test_a_single_revoke_is_accused_although_a_misread_would_explain_it() -> None:
    """Legality chooses no reading: a misread would explain any revoke, so it excuses none."""
    state = folded(
        *LEAD_MISREAD[:3],
        *trick((0, "Ad"), (1, "9h"), (2, "Qd"), (3, "Td")),
        *trick((0, "As"), (1, "Ts"), (2, "Qs"), (3, "9s")),
        *trick((0, "Kd"), (1, "9d"), (2, "Ah"), (3, "Jd")),
    )
    (finding,) = state.findings
    assert (finding.kind, finding.seat, finding.proof) == ("revoke", 1, "9d")


def test_a_revoke_with_a_wrong_lead_that_one_misread_explains_is_asked_about_first() -> None:
    """East's king of diamonds was read as the king of clubs: it won the trick and East leads."""
    state = folded(
        UpcardShown(card=Card("9s"), dealer=3),
        UpcardTaken(),
        Declared(maker=0, trump="s"),
        *trick((0, "Qd"), (1, "Kc"), (2, "9d"), (3, "Td")),
        *trick((1, "Ad"), (2, "Ac"), (3, "9h"), (0, "Jd")),
    )
    (finding,) = state.findings
    assert (finding.kind, finding.seat, finding.card) == ("reading_in_doubt", 1, "Kc")


def test_trump_that_the_table_says_is_right_is_doubted_no_more() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=3),
        Declared(maker=0, trump="h"),
        *trick((0, "Ad"), (1, "9s"), (2, "Td"), (3, "9d")),
        *trick((1, "Ac"), (2, "Ts"), (3, "9c"), (0, "Qc")),
        *trick((2, "As"), (3, "Qs"), (0, "Ks"), (1, "Jc")),
    ]
    asked = folded(*facts)
    question = next(f.id for f in asked.findings if f.kind == "trump_in_doubt")
    state = folded(*facts, FindingRuled(finding=question, ruling="dismiss"))
    assert "lead_out_of_turn" not in {f.kind for f in asked.findings}
    assert [f.trick for f in state.findings if f.kind == "lead_out_of_turn"] == [2, 3]


# --- rulings: point 8 -------------------------------------------------------------------------

UPHOLD = FindingRuled(finding="1:revoke:2:1", ruling="uphold")


def test_an_upheld_revoke_replaces_the_deals_result_by_an_award() -> None:
    """``award``, the default: 2 points to the other side, also when the offenders made it."""
    deal = folded(*spoiled(), UPHOLD).deals[0]
    assert deal.played_points == (2, 0)
    assert (deal.points, deal.result) == ((0, 2), "revoke")


def test_a_dismissed_revoke_leaves_the_deal_as_played() -> None:
    state = folded(*spoiled(), FindingRuled(finding="1:revoke:2:1", ruling="dismiss"))
    assert state.deals[0].points == (2, 0)
    assert state.findings[0].status == "dismissed"


def test_the_newest_ruling_counts() -> None:
    state = folded(
        *spoiled(), UPHOLD, FindingRuled(finding="1:revoke:2:1", ruling="dismiss", reason="agreed")
    )
    assert state.score == (2, 0)


def test_a_revoke_in_a_deal_with_a_lone_hand_costs_revoke_points_lone() -> None:
    # North alone; East, a defender, plays clubs on spades and has the queen of spades.
    swap = {"Qs": "Qc", "Qc": "Qs"}
    rows = [(row[0], swap.get(row[1], row[1]), row[3]) for row in SPOILED]
    facts = deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0, alone=0)
    state = folded(
        *facts,
        FindingRuled(finding="1:revoke:1:1", ruling="uphold"),
        lone_lead="left_of_dealer",
        revoke_points_lone=4,
    )
    assert state.deals[0].points == (4, 0)


def test_the_award_ends_the_hand_at_once() -> None:
    """``revoke_ends_hand``: the ruling falls in trick 3, the deal is over and scored."""
    facts = spoiled()[: 2 + 5 * 3]
    before, after = folded(*facts), folded(*facts, UPHOLD)
    assert (before.deals[0].complete, before.deals[0].points) == (False, None)
    assert (after.deals[0].complete, after.deals[0].points) == (True, (0, 2))
    assert after.next_dealer == 0


def test_without_revoke_ends_hand_the_deal_is_played_out_first() -> None:
    facts = spoiled()[: 2 + 5 * 3]
    state = folded(*facts, UPHOLD, revoke_ends_hand=False)
    assert state.deals[0].points is None
    rest = folded(*spoiled(), UPHOLD, revoke_ends_hand=False)
    assert rest.deals[0].points == (0, 2)


def test_deduct_takes_the_points_from_the_offenders_and_keeps_the_result() -> None:
    deal = folded(*spoiled(), UPHOLD, revoke_mode="deduct").deals[0]
    assert (deal.points, deal.result) == ((0, 0), "march")


def test_loss_of_trick_counts_the_deal_again_with_the_trick_given_away() -> None:
    """North and South took all five; the trick of the revoke goes to East and West: 4-1."""
    deal = folded(*spoiled(), UPHOLD, revoke_mode="loss_of_trick").deals[0]
    assert (deal.points, deal.result) == ((1, 0), "made")
    assert deal.tricks_won == (5, 0)


def test_when_both_sides_revoked_nobody_scores() -> None:
    rows = [list(row) for row in SPOILED]
    rows[0][1], rows[4][1] = "Qc", "Qs"
    facts = deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0)
    state = folded(*facts, UPHOLD, FindingRuled(finding="1:revoke:1:1", ruling="uphold"))
    assert (state.deals[0].points, state.deals[0].result) == ((0, 0), "both_revoked")


def test_an_automatic_judge_applies_a_proved_revoke_by_itself() -> None:
    state = folded(*spoiled(), revoke_judge="automatic")
    assert state.findings[0].status == "upheld"
    assert state.deals[0].points == (0, 2)


def test_an_automatic_judge_can_be_overruled() -> None:
    state = folded(
        *spoiled(),
        FindingRuled(finding="1:revoke:2:1", ruling="dismiss", reason="the table saw it"),
        revoke_judge="automatic",
    )
    assert state.score == (2, 0)


def test_the_proposed_ruling_is_told_in_words() -> None:
    (finding,) = revokes(folded(*spoiled()))
    assert finding.ruling == "2 points to East and West in place of the deal's result."


def test_a_correction_of_the_misread_card_takes_the_finding_away() -> None:
    facts = spoiled()
    records = recorded([started(3), *facts])
    target = next(
        r.version for r in records if isinstance(r.fact, CardPlayed) and r.fact.card == "Ks"
    )
    mended = Corrected(
        target=target, replacement=CardPlayed(seat=2, card=Card("Ac")), reason="misread"
    )
    state = fold(recorded([started(3), *facts, mended]))
    assert state.findings == ()


# --- a penalty and the end of the game ---------------------------------------------------------


def at(north_south: int, east_west: int, *facts: Fact) -> State:
    """A game that stood so when the deal was dealt."""
    start = replace(started(3), initial_score=(north_south, east_west))
    return fold(recorded([start, *facts]))


def test_a_penalty_may_end_the_game() -> None:
    """North and South would have made a march; the award takes East and West past ten."""
    waiting, upheld = at(5, 8, *spoiled()), at(5, 8, *spoiled(), UPHOLD)
    assert (waiting.over, waiting.score) == (False, (7, 8))
    assert (upheld.over, upheld.winner, upheld.score) == (True, 1, (5, 10))


def test_a_revoke_takes_back_a_game_that_was_won_by_it() -> None:
    waiting, upheld = at(8, 5, *spoiled()), at(8, 5, *spoiled(), UPHOLD)
    assert (waiting.over, waiting.winner) == (True, 0)
    assert snapshot(waiting, waiting.records)["ask"]["kind"] == "finding"
    assert (upheld.over, upheld.winner, upheld.score) == (False, None, (8, 7))


@pytest.mark.parametrize("mode", ["award", "deduct", "loss_of_trick"])
def test_after_both_sides_revoked_the_deal_passes(mode: str) -> None:
    rows = [list(row) for row in SPOILED]
    rows[0][1], rows[4][1] = "Qc", "Qs"
    facts = deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0)
    both = FindingRuled(finding="1:revoke:1:1", ruling="uphold")
    state = folded(*facts, UPHOLD, both, revoke_mode=mode)
    assert (state.deals[0].result, state.score, state.next_dealer) == ("both_revoked", (0, 0), 0)


def test_deduct_takes_from_the_side_that_erred_whichever_it_is() -> None:
    """East, of the other side, revokes: North and South keep their march."""
    rows = [list(row) for row in SPOILED]
    rows[0][1], rows[4][1], rows[2][2] = "Qc", "Qs", "Ac"
    facts = deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0)
    uphold = FindingRuled(finding="1:revoke:1:1", ruling="uphold")
    assert folded(*facts, uphold, revoke_mode="deduct").score == (2, -2)
