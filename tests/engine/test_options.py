"""The four-handed options, each in a deal of its own: RULES.md, "Naming trump" to "Points"."""

from __future__ import annotations

from typing import Any

import pytest
from engine_scenes import Table, deal_of, folded, trick

from engine.bidding import joker_rule, turned_up_suit, wrong_call
from engine.cards import Card
from engine.commands import Call, Declare, PassCard, Rejected, ShowUpcard
from engine.deal import Finding
from engine.facts import (
    Called,
    CardPassed,
    CardPlayed,
    DealThrownIn,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    HandShown,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import effective_suit, legal_cards, natural_suit, trick_winner, trump_name
from engine.ruleset import ruleset_from
from engine.state import State
from engine.view import snapshot
from engine.wording import english


def kinds(state: State) -> list[str]:
    return [finding.kind for finding in state.findings]


def found(state: State, kind: str) -> Finding:
    (finding,) = [f for f in state.findings if f.kind == kind]
    return finding


def up(card: str, dealer: int = 3) -> UpcardShown:
    return UpcardShown(card=Card(card), dealer=dealer)


# --- rank: jokers and the Benny ----------------------------------------------------------------

#: RULES.md, "Rank" and "Pack": a trick with trump hearts, and who wins it.
RANK_ROWS: list[tuple[str, tuple[str, ...], int]] = [
    ("h", ("Jh", "B", "Jd", "Ah"), 1),
    ("h", ("b", "B", "Jh", "Jd"), 1),
    ("h", ("b", "Jh", "Jd", "Ah"), 0),
    ("h", ("Jh", "2s", "Jd", "Ah"), 1),
    ("h", ("Ah", "Jd", "Kh", "9h"), 1),
    ("s", ("As", "Js", "Jc", "2s"), 3),
    ("c", ("Ad", "Kd", "9d", "b"), 3),
    ("n", ("Ad", "Jd", "B", "Ks"), 2),
    ("n", ("2s", "Ad", "As", "Ks"), 0),
    ("n", ("b", "Ad", "B", "Ks"), 2),
    ("n", ("9d", "Jd", "Jh", "Qd"), 3),
    ("n", ("Jh", "Jd", "Kh", "Ac"), 2),
]


@pytest.mark.parametrize(("trump", "cards", "winner"), RANK_ROWS)
def test_jokers_stand_above_the_right_bower(
    trump: str, cards: tuple[str, ...], winner: int
) -> None:
    plays = [(seat, Card(card)) for seat, card in enumerate(cards)]
    assert trick_winner(plays, trump) == winner


@pytest.mark.parametrize("card", ["B", "b", "2s"])
def test_a_joker_is_a_trump_and_a_suit_of_its_own_where_there_is_none(card: str) -> None:
    assert effective_suit(Card(card), "h") == "h"
    assert trump_name(effective_suit(Card(card), "n")) == "jokers"
    assert natural_suit(Card(card)) is None
    assert natural_suit(Card("Jd")) == "d"


def test_a_joker_led_asks_for_trump_and_in_no_trump_for_the_other_joker_alone() -> None:
    hand = [Card(c) for c in ("9h", "Jd", "b", "As")]
    assert legal_cards(hand, effective_suit(Card("B"), "h"), "h") == ("9h", "Jd", "b")
    assert legal_cards(hand, effective_suit(Card("B"), "n"), "n") == ("b",)
    assert legal_cards(hand[:2], effective_suit(Card("B"), "n"), "n") == ("9h", "Jd")


@pytest.mark.parametrize(
    ("rules", "benny"),
    [({"jokers": 1}, "B"), ({"jokers": 1, "benny_face": "2s"}, "2s"), ({"jokers": 2}, "b")],
)
def test_a_trump_must_be_followed_when_the_benny_is_led(rules: dict[str, Any], benny: str) -> None:
    """South throws a club on the Benny and has the nine of hearts."""
    state = folded(
        up("9s"),
        Declared(maker=0, trump="h"),
        *trick((0, benny), (1, "Th"), (2, "9c"), (3, "Qh")),
        *trick((0, "Ah"), (1, "Ts"), (2, "9h"), (3, "Kh")),
        dealer=3,
        **rules,
    )
    finding = found(state, "revoke")
    assert (finding.seat, finding.trick, finding.card, finding.led) == (2, 1, "9c", benny)
    assert (finding.proof, finding.proven_at_trick) == ("9h", 2)
    assert "did not follow hearts" in finding.text


def test_in_no_trump_nobody_can_follow_a_joker_but_with_the_other() -> None:
    def played(second: str, rules: dict[str, Any]) -> State:
        return folded(
            up("9s"),
            UpcardTurnedDown(),
            Declared(maker=0, trump="n"),
            *trick((0, "B"), (1, "Th"), (2, "9c"), (3, "Qh")),
            *trick((0, "Ah"), (1, "Ts"), (2, second), (3, "Kh")),
            dealer=3,
            no_trump="round2",
            **rules,
        )

    assert kinds(played("9h", {"jokers": 1})) == []
    finding = found(played("b", {"jokers": 2}), "revoke")
    assert (finding.proof, finding.led) == ("b", "B")
    assert "did not follow jokers" in finding.text


def test_in_no_trump_the_bowers_are_plain_jacks() -> None:
    """The jack of diamonds follows diamonds, whatever was turned up."""
    state = folded(
        up("9s"),
        UpcardTurnedDown(),
        Declared(maker=0, trump="n"),
        *trick((0, "Ad"), (1, "9d"), (2, "9c"), (3, "Td")),
        *trick((0, "Ah"), (1, "9h"), (2, "Jd"), (3, "Th")),
        dealer=3,
        no_trump="round2",
    )
    assert (found(state, "revoke").card, found(state, "revoke").proof) == ("9c", "Jd")


def test_the_two_of_spades_is_no_play_where_it_is_not_the_benny() -> None:
    made = Table()
    made.up("9h", 0)
    made.tell(Declare(maker=1, trump="h"))
    refused = made.tell(ShowUpcard(card=Card("2s")))
    assert isinstance(refused, Rejected)
    assert "not in this game's pack" in refused.reason


# --- the joker turned up -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "card", "suit", "rule"),
    [
        ({"jokers": 1}, "B", None, "dealer_names_blind"),
        ({"jokers": 1, "joker_upcard": "redeal"}, "B", None, "redeal"),
        ({"jokers": 1, "joker_upcard": "s"}, "B", "s", None),
        ({"jokers": 1, "benny_face": "2s"}, "2s", None, "dealer_names_blind"),
        ({"jokers": 1, "benny_face": "2s"}, "9s", "s", None),
        ({"jokers": 1}, None, None, None),
    ],
)
def test_a_joker_turned_up_offers_a_suit_only_where_the_rules_give_it_one(
    rules: dict[str, Any], card: str | None, suit: str | None, rule: str | None
) -> None:
    named = None if card is None else Card(card)
    assert turned_up_suit(named, ruleset_from(rules)) == suit
    assert joker_rule(named, ruleset_from(rules)) == rule


@pytest.mark.parametrize("preset", ["british", "joker"])
def test_with_the_benny_turned_up_the_dealer_names_a_suit_and_the_dealers_side_makes_it(
    preset: str,
) -> None:
    made = Table(dealer=0, preset=preset)
    made.up("B", 0)
    deal = made.state.deal
    assert deal is not None
    assert (deal.maker, deal.trump, deal.phase) == (0, None, "bidding")
    ask = snapshot(made.state, made.records)["ask"]
    assert ask["kind"] == "declare"
    assert "North names a suit before looking" in ask["text"]
    for call, reason in [
        (Call(seat=1, call="pass"), "nobody passes"),
        (Call(seat=0, call="pick_up"), "nobody passes or orders up"),
        (Call(seat=1, call="name", suit="h"), "North names the suit"),
        (Call(seat=0, call="name", suit="n"), "no suit"),
    ]:
        refused = made.tell(call)
        assert isinstance(refused, Rejected), call
        assert reason in refused.reason
    assert not isinstance(made.tell(Call(seat=0, call="name", suit="h")), Rejected)
    deal = made.state.deal
    assert deal is not None
    assert (deal.maker, deal.trump, deal.upcard_state) == (0, "h", "taken")
    # It is the dealer's to play, and nobody else's.
    made.plays((1, "9c"), (2, "Tc"), (3, "Qc"), (0, "B"))
    assert kinds(made.state) == []
    made.clears()
    assert made.state.deals[0].winners == (0,)


def test_a_declaration_under_a_benny_by_another_than_the_dealer_is_found() -> None:
    state = folded(up("B", 0), Declared(maker=1, trump="h"), jokers=1)
    assert kinds(state) == ["joker_not_named_by_dealer"]
    assert state.deals[0].upcard_state == "taken"
    no_trump = folded(up("B", 0), Declared(maker=0, trump="n"), jokers=1, no_trump="both")
    assert kinds(no_trump) == ["joker_not_named_by_dealer"]
    assert kinds(folded(up("B", 0), Declared(maker=0, trump="c"), jokers=1)) == []


def test_a_benny_that_stands_for_a_suit_is_ordered_up_as_that_suit() -> None:
    state = folded(up("B", 0), Called(seat=1, call="order_up"), jokers=1, joker_upcard="d")
    deal = state.deals[0]
    assert (deal.maker, deal.trump, deal.upcard_state) == (1, "d", "taken")
    turned = folded(
        up("B", 0), *[Called(seat=s, call="pass") for s in (1, 2, 3, 0)], jokers=1, joker_upcard="d"
    ).deals[0]
    wrong = wrong_call(
        turned,
        Call(seat=1, call="name", suit="d"),
        ruleset_from({"jokers": 1, "joker_upcard": "d"}),
    )
    assert wrong is not None
    assert english(wrong) == "diamonds was turned down: name another suit"


def test_a_benny_that_means_a_new_deal_is_a_finding_that_the_table_upholds() -> None:
    rules = {"jokers": 1, "joker_upcard": "redeal"}
    state = folded(up("B", 0), **rules)
    assert kinds(state) == ["joker_turned_up"]
    assert state.deals[0].complete is False
    upheld = folded(
        up("B", 0), FindingRuled(finding="1:joker_turned_up:-:-", ruling="uphold"), **rules
    )
    assert (upheld.deals[0].thrown_in, upheld.deals[0].points) == ("redeal", (0, 0))
    assert upheld.next_dealer == 0
    made = Table(dealer=0, **rules)
    made.up("B", 0)
    refused = made.tell(Call(seat=1, call="pass"))
    assert isinstance(refused, Rejected)
    assert "deals again" in refused.reason
    # The dealer turns another card up without a word: the camera sees a new deal by the same.
    made.leaves(1)
    made.up("9h", 0)
    assert [deal.thrown_in for deal in made.state.deals] == ["redeal", None]
    assert made.state.deals[1].dealer == 0
    assert kinds(made.state) == []


# --- passing out -------------------------------------------------------------------------------

PASSES = [Called(seat=seat, call="pass") for seat in (1, 2, 3, 0, 1, 2, 3, 0)]


@pytest.mark.parametrize(
    ("pass_out", "next_dealer", "findings"),
    [
        ("pass_deal", 1, []),
        ("same_dealer", 0, []),
        ("stick_dealer", 1, ["dealer_must_name"]),
    ],
)
def test_a_deal_that_all_passed(pass_out: str, next_dealer: int, findings: list[str]) -> None:
    """RULES.md, "Naming trump" and "Points": nobody scores; who deals next is an option."""
    state = folded(up("9h", 0), *PASSES, DealThrownIn(), pass_out=pass_out)
    assert (state.next_dealer, state.score, kinds(state)) == (next_dealer, (0, 0), findings)


# --- no trump ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("no_trump", "taken", "findings"),
    [
        ("off", False, ["no_trump_out_of_round"]),
        ("round2", False, []),
        # The table's word is taken for what became of the card, and the two do not agree.
        ("round2", True, ["upcard_conflict"]),
        ("both", False, []),
        ("both", True, []),
    ],
)
def test_no_trump_in_the_round_that_allows_it(
    no_trump: str, taken: bool, findings: list[str]
) -> None:
    seen: Fact = UpcardTaken() if taken else UpcardTurnedDown()
    state = folded(up("9h", 0), seen, Declared(maker=1, trump="n"), no_trump=no_trump)
    assert kinds(state) == findings
    taken_after_all = taken and no_trump == "both"
    assert state.deals[0].upcard_state == ("taken" if taken_after_all else "turned_down")


@pytest.mark.parametrize(
    ("no_trump", "passes", "findings"),
    [
        ("round2", 0, []),
        ("round2", 1, ["no_trump_out_of_round"]),
        ("round2", 4, []),
        ("both", 1, []),
    ],
)
def test_no_trump_called_before_all_had_passed(
    no_trump: str, passes: int, findings: list[str]
) -> None:
    calls = [Called(seat=(1 + n) % 4, call="pass") for n in range(passes)]
    named = Called(seat=(1 + passes) % 4, call="name", suit="n")
    state = folded(up("9h", 0), *calls, named, no_trump=no_trump)
    assert state.deals[0].trump == "n"
    assert kinds(state) == findings


def test_no_trump_in_round_one_leaves_the_upcard_as_it_was_seen() -> None:
    named = Called(seat=1, call="name", suit="n")
    for seen, expected in ((UpcardTaken(), "taken"), (UpcardTurnedDown(), "turned_down")):
        state = folded(up("9h", 0), seen, named, no_trump="both")
        assert state.deals[0].upcard_state == expected


def test_before_the_lead_the_page_reminds_of_the_exchange() -> None:
    made = Table(dealer=1, lone_exchange="blind_keep_or_refuse")
    made.up("Ah", 1)
    made.leaves(1)
    made.tell(Declare(maker=3, trump="h", alone=3))
    ask = snapshot(made.state, made.records)["ask"]
    assert ask["kind"] == "exchange"
    assert ask["text"].startswith("East passes one card face down to West, who plays alone")
    made.tell(PassCard(seat=1))
    assert snapshot(made.state, made.records)["ask"] is None


@pytest.mark.parametrize(("no_trump", "allowed"), [("off", False), ("round2", False), ("both", 1)])
def test_no_trump_is_called_in_round_one_only_where_both_rounds_have_it(
    no_trump: str, allowed: bool
) -> None:
    made = Table(dealer=0, no_trump=no_trump)
    made.up("9h", 0)
    made.tell(Call(seat=1, call="pass"))
    answer = made.tell(Call(seat=2, call="name", suit="n"))
    assert isinstance(answer, Rejected) is not bool(allowed)


# --- alone -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "alone", "defender", "findings"),
    [
        ({}, None, 1, ["defender_alone_not_allowed"]),
        ({"defend_alone": "vs_lone"}, None, 1, ["defender_alone_not_allowed"]),
        ({"defend_alone": "vs_lone"}, 0, 1, []),
        ({"defend_alone": "any"}, None, 1, []),
        ({"alone_by": "maker"}, 2, None, ["alone_not_allowed"]),
        ({"alone_by": "maker"}, 0, None, []),
        ({"alone_by": "either_partner"}, 2, None, []),
        ({"passed_player_may_go_alone": False}, 2, None, ["alone_not_allowed"]),
    ],
)
def test_who_may_play_alone(
    rules: dict[str, Any], alone: int | None, defender: int | None, findings: list[str]
) -> None:
    """North makes hearts in round two; the dealer is West."""
    state = folded(
        up("9s"),
        Declared(maker=0, trump="h", alone=alone, defender_alone=defender),
        dealer=3,
        **rules,
    )
    assert kinds(state) == findings


@pytest.mark.parametrize(
    ("lone_lead", "alone", "defender", "leads"),
    [
        ("left_of_lone", 0, None, 1),
        ("left_of_dealer", 0, None, 0),
        ("left_of_lone", 2, None, 3),
        ("left_of_dealer", 2, None, 1),
        ("left_of_lone", None, 1, 0),
        ("left_of_dealer", None, 3, 0),
        ("left_of_lone", 0, 3, 3),
        ("left_of_dealer", 2, 1, 1),
    ],
)
def test_who_leads_when_somebody_is_alone(
    lone_lead: str, alone: int | None, defender: int | None, leads: int
) -> None:
    """RULES.md, "Going alone": West deals, North or South makes it; seats that sit out are
    passed over."""
    state = folded(
        up("9s"),
        Declared(maker=0, trump="h", alone=alone, defender_alone=defender),
        dealer=3,
        defend_alone="any",
        lone_lead=lone_lead,
    )
    assert state.turn == leads


def test_both_alone_play_tricks_of_two_and_a_euchre_scores_four() -> None:
    facts: list[Fact] = [
        up("9s"),
        Declared(maker=0, trump="s", alone=0, defender_alone=1),
    ]
    facts += trick((1, "Ac"), (0, "9c"))
    facts += trick((1, "Ad"), (0, "9d"))
    facts += trick((1, "Ah"), (0, "9h"))
    facts += trick((1, "As"), (0, "Ts"))
    facts += trick((1, "Kc"), (0, "Js"))
    state = folded(*facts, dealer=3, defend_alone="vs_lone")
    deal = state.deals[0]
    assert kinds(state) == []
    assert (deal.winners, deal.result) == ((1, 1, 1, 1, 0), "lone_defender_euchre")
    assert (deal.points, deal.sits_out) == ((0, 4), (2, 3))


@pytest.mark.parametrize("rule", ["blind_keep_or_refuse", "discard_then_best", "best_then_discard"])
def test_the_upcard_may_come_from_a_lone_hand_that_its_partner_passed_it_to(rule: str) -> None:
    """East deals and takes the ace of hearts; West, alone, gets it as East's best card."""
    facts: list[Fact] = [
        up("Ah", 1),
        UpcardTaken(),
        Declared(maker=3, trump="h", alone=3),
        CardPassed(seat=1),
        *trick((0, "9h"), (2, "Th"), (3, "Ah")),
    ]
    assert kinds(folded(*facts, dealer=1, lone_exchange=rule)) == []
    without = folded(*facts, dealer=1)
    assert set(kinds(without)) == {"exchange_not_allowed", "duplicate_card"}


def test_the_camera_takes_the_passed_upcard_for_what_it_is() -> None:
    for rule, asked in [("discard_then_best", False), ("none", True)]:
        made = Table(dealer=1, lone_exchange=rule)
        made.up("Ah", 1)
        made.leaves(1)
        made.tell(Declare(maker=3, trump="h", alone=3))
        made.plays((0, "9h"), (2, "Th"), (3, "Ah"))
        assert bool(made.state.reviews) is asked


@pytest.mark.parametrize(
    ("seat", "late", "why"),
    [
        (0, False, "only the partner of the makers' lone hand"),
        (1, True, "the first lead had been made"),
    ],
)
def test_a_card_passed_by_another_or_too_late_is_found(seat: int, late: bool, why: str) -> None:
    exchange: list[Fact] = [CardPassed(seat=seat, kept=False)]
    play: list[Fact] = [CardPlayed(seat=0, card=Card("9h"))]
    state = folded(
        up("Ah", 1),
        Declared(maker=3, trump="h", alone=3),
        *(play + exchange if late else exchange + play),
        dealer=1,
        lone_exchange="blind_keep_or_refuse",
    )
    assert why in found(state, "exchange_not_allowed").text


@pytest.mark.parametrize(
    ("partner_alone", "rule", "findings"),
    [
        (False, True, ["partner_must_go_alone"]),
        (True, True, []),
        (False, False, []),
    ],
)
def test_the_dealers_partner_may_order_up_only_alone(
    partner_alone: bool, rule: bool, findings: list[str]
) -> None:
    """Canada, England, Australia; always in British 25-card."""
    state = folded(
        up("9h", 0),
        Called(seat=2, call="order_up", alone=partner_alone),
        partner_order_must_be_alone=rule,
    )
    assert kinds(state) == findings
    named = folded(up("9h", 0), Declared(maker=2, trump="s"), partner_order_must_be_alone=rule)
    assert kinds(named) == []


# --- the natural trump -------------------------------------------------------------------------

#: South deals and picks up the nine of hearts, or another makes hearts; the maker's five cards.
NATURAL_ROWS: list[tuple[str, int, bool, tuple[str, ...], list[str]]] = [
    ("none", 2, True, ("9h", "9c", "Tc", "Qc", "Kc"), []),
    ("dealer_pickup", 2, True, ("9h", "Ah", "Tc", "Qc", "Kc"), []),
    ("dealer_pickup", 2, True, ("9h", "9c", "Tc", "Qc", "Kc"), ["natural_trump_unresolved"]),
    # The left bower and the joker do not count.
    ("dealer_pickup", 2, True, ("9h", "Jd", "B", "Qc", "Kc"), ["natural_trump_unresolved"]),
    # The right bower does.
    ("dealer_pickup", 2, True, ("9h", "Jh", "B", "Qc", "Kc"), []),
    # Ordered up by another, the dealer need hold none.
    ("dealer_pickup", 1, True, ("9s", "Js", "Ts", "Qs", "Ks"), []),
    ("any_caller", 1, True, ("9s", "Jd", "Ts", "Qs", "Ks"), ["no_natural_trump"]),
    ("any_caller", 1, True, ("9s", "Jh", "Ts", "Qs", "Ks"), []),
    # In round two the dealer discards nothing: its hand is all there was.
    ("any_caller", 2, False, ("9s", "Jd", "Ts", "Qs", "Ks"), ["no_natural_trump"]),
    ("dealer_pickup", 2, False, ("9s", "Jd", "Ts", "Qs", "Ks"), []),
]


def natural(
    rule: str, maker: int, taken: bool, hand: tuple[str, ...], *more: Fact, jokers: int = 1
) -> State:
    """The maker plays ``hand``, one card a trick; the others do not matter and are not judged."""
    facts: list[Fact] = [
        up("9h" if taken else "9d", 2),
        Declared(maker=maker, trump="h"),
    ]
    others = [seat for seat in (3, 0, 1, 2) if seat != maker]
    spare = iter(
        ["8c", "8d", "8h", "8s", "7c", "7d", "7h", "7s", "Ac", "Ad", "As", "Qd", "Kd", "Td", "Js"]
    )
    for card in hand:
        plays = [(maker, card), *((seat, next(spare)) for seat in others)]
        facts += [CardPlayed(seat=seat, card=Card(c)) for seat, c in plays]
    return folded(*facts, *more, dealer=2, pack=32, jokers=jokers, natural_trump_required=rule)


def about_naturals(state: State) -> list[str]:
    return [kind for kind in kinds(state) if "natural" in kind]


@pytest.mark.parametrize(("rule", "maker", "taken", "hand", "findings"), NATURAL_ROWS)
def test_the_caller_must_have_held_a_natural_trump(
    rule: str, maker: int, taken: bool, hand: tuple[str, ...], findings: list[str]
) -> None:
    assert about_naturals(natural(rule, maker, taken, hand)) == findings


@pytest.mark.parametrize(
    ("card", "findings"), [("Kh", []), ("Td", ["no_natural_trump"]), (None, ["unresolved"])]
)
def test_the_discard_shown_face_up_settles_it(card: str | None, findings: list[str]) -> None:
    hand = ("9h", "9c", "Tc", "Qc", "Kc")
    discard = Discarded(seat=2, card=None if card is None else Card(card))
    state = natural("dealer_pickup", 2, True, hand, discard)
    assert [kind.removeprefix("natural_trump_") for kind in about_naturals(state)] == findings
    unsettled = natural("dealer_pickup", 2, True, hand)
    assert "show the discard face up" in found(unsettled, "natural_trump_unresolved").text
    ask = snapshot(unsettled, unsettled.records)["ask"]
    assert ask["kind"] == "finding"


def test_the_hand_of_a_maker_who_sat_out_is_asked_for_and_may_be_shown() -> None:
    """South makes it, North goes alone: South's hand is never played."""
    rows = (
        ("9s", "Ah", "9d"),
        ("Kh", "Qh", "Td"),
        ("Ac", "Tc", "Qd"),
        ("As", "Ts", "Kd"),
        ("Kc", "Jc", "Qs"),
    )
    facts = deal_of(
        *((b, a, c) for a, b, c in rows),
        leads=(0, 0, 0, 0, 0),
        trump="h",
        maker=2,
        upcard="9c",
        alone=0,
    )
    rules: dict[str, Any] = {"natural_trump_required": "any_caller", "lone_lead": "left_of_dealer"}
    asked = folded(*facts, dealer=3, **rules)
    assert "show the hand face up" in found(asked, "natural_trump_unresolved").text
    hand = tuple(Card(c) for c in ("Jd", "9h", "Ks", "Js", "Ad"))
    shown = HandShown(seat=2, cards=hand, deal=1)
    assert about_naturals(folded(*facts, shown, dealer=3, **rules)) == []
    none = HandShown(seat=2, cards=(Card("Jd"), Card("Js"), Card("Ks"), Card("Ad"), Card("Jc")))
    assert about_naturals(folded(*facts, none, dealer=3, **rules)) == ["no_natural_trump"]


def test_nothing_is_required_of_a_dealer_who_names_blindly_nor_in_no_trump() -> None:
    hand = ("Jd", "9c", "Tc", "Qc", "Kc")
    blind = [up("B", 2), Declared(maker=2, trump="h")]
    plays = [CardPlayed(seat=2, card=Card(c)) for c in hand]
    assert (
        about_naturals(
            folded(*blind, *plays, dealer=2, jokers=1, natural_trump_required="any_caller")
        )
        == []
    )


# --- the end of a game -------------------------------------------------------------------------


def march(number: int, dealer: int) -> list[Fact]:
    """East's and West's side is beaten: North makes hearts and takes all five, for 2 points."""
    leader = (dealer + 1) % 4
    cards = {0: "JhJdAhKhQh", 1: "9cTcQcKcAc", 2: "9dTdQdKdAd", 3: "9sTsQsKsAs"}
    facts: list[Fact] = [UpcardShown(card=Card("9h"), dealer=dealer)]
    facts.append(Declared(maker=0, trump="h", deal=number))
    for index in range(5):
        first = leader if index == 0 else 0
        for step in range(4):
            seat = (first + step) % 4
            facts.append(CardPlayed(seat=seat, card=Card(cards[seat][2 * index : 2 * index + 2])))
    return facts


@pytest.mark.parametrize(("target", "deals"), [(5, 3), (7, 4), (10, 5), (11, 6), (15, 8), (21, 11)])
def test_the_first_side_at_or_past_the_target_wins(target: int, deals: int) -> None:
    """RULES.md, "Points": 10; also 5, 7, 11, 15, 21. A march each: 2 points a deal."""
    facts: list[Fact] = []
    for number in range(1, deals + 1):
        before = folded(*facts, target=target)
        assert not before.over
        facts += march(number, (number - 1) % 4)
    state = folded(*facts, target=target)
    assert (state.over, state.winner, state.score) == (True, 0, (2 * deals, 0))


def test_a_fixed_number_of_deals_may_end_in_a_draw_and_passed_out_ones_do_not_count() -> None:
    passed: list[Fact] = [up("9s", 0), DealThrownIn()]
    facts: list[Fact] = []
    for number in range(1, 8):
        facts += march(number, (number - 1) % 4)
    state = folded(*facts, deals=8)
    assert not state.over
    state = folded(*facts, *passed, deals=8)
    assert not state.over
    level = folded(*passed, *passed, *march(3, 2), deals=1)
    assert (level.over, level.winner) == (True, 0)
    both = folded(up("9s", 0), deals=1)
    assert not both.over
