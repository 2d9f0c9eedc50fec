"""What players claim, cards that are shown, and hands of the wrong size.

Source: RULES.md, "Revokes" 2, 3a, 4 and 8, and "Other irregularities".
"""

from __future__ import annotations

from typing import Any

import pytest
from engine_scenes import Table, deal_of, folded, trick

from engine.cards import Card
from engine.commands import Claim, Command, Discard, PassCard, Rejected, RuleFinding, ShowHand
from engine.deal import Finding
from engine.facts import (
    Called,
    CardPassed,
    CardPlayed,
    Claimed,
    DealThrownIn,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    GameEnded,
    HandShown,
    UpcardShown,
    UpcardTaken,
)
from engine.state import State
from engine.view import snapshot

#: Trump hearts, made by North (leads); West deals. South plays a club on spades in trick 1 and
#: has the king of spades, which falls in trick 3.
SPOILED = (
    ("As", "Qs", "9c", "Ts"),
    ("Ah", "9h", "Th", "Qh"),
    ("Ad", "9d", "Ks", "Td"),
    ("Kd", "Js", "Tc", "Qd"),
    ("Kh", "Qc", "Kc", "Jc"),
)
#: The same with the ace of clubs for the king: South was void.
CLEAN = tuple(tuple("Ac" if card == "Ks" else card for card in row) for row in SPOILED)
#: Diamonds are led in trick 1, South throws a club and holds the jack of diamonds alone.
#: By seat; trump hearts. It wins the second trick and leads on.
LEFT_BOWER = (
    ("Ad", "9d", "9c", "Td"),
    ("Ah", "9h", "Jd", "Qh"),
    ("Qc", "Jc", "Ac", "Ts"),
    ("Ks", "Qs", "Tc", "Js"),
    ("Kh", "As", "Kc", "Kd"),
)
LEFT_LEADS = (0, 0, 2, 2, 2)


def spoiled(rows: Any = SPOILED, tricks: int = 5) -> list[Fact]:
    facts = deal_of(*rows, leads=(0, 0, 0, 0, 0), trump="h", maker=0)
    return facts[: 2 + 5 * tricks]


def claim(seat: int = 2, trick: int | None = 1, **more: Any) -> Claimed:
    return Claimed(seat=seat, offence="revoke", by=1, trick=trick, deal=1, **more)


def found(state: State, kind: str) -> Finding:
    (finding,) = [f for f in state.findings if f.kind == kind]
    return finding


def kinds(state: State) -> list[str]:
    return sorted(f.kind for f in state.findings)


def left_bower(*more: Fact) -> State:
    facts: list[Fact] = [
        UpcardShown(card=Card("9s"), dealer=3),
        Declared(maker=0, trump="h"),
    ]
    for row, first in zip(LEFT_BOWER, LEFT_LEADS, strict=True):
        seats = [(first + step) % 4 for step in range(4)]
        by_seat = dict(zip(range(4), row, strict=True))
        facts += trick(*((seat, by_seat[seat]) for seat in seats))
    return folded(*facts, *more, dealer=3)


# --- claims of a revoke --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "verdict", "status"),
    [
        (spoiled(tricks=1), "open", "open"),
        (spoiled(tricks=3), "proved", "upheld"),
        (spoiled(), "proved", "upheld"),
        (spoiled(CLEAN, tricks=4), "open", "open"),
        (spoiled(CLEAN), "cleared", "dismissed"),
    ],
)
def test_a_claim_is_open_until_the_cards_prove_or_clear_it(
    facts: list[Fact], verdict: str, status: str
) -> None:
    finding = found(folded(*facts, claim(), dealer=3), "revoke_claim")
    assert (finding.verdict, finding.status) == (verdict, status)
    assert finding.text.startswith("East claims that South revoked in trick 1: ")


def test_a_claim_that_is_proved_moves_points_only_through_the_revoke_itself() -> None:
    state = folded(*spoiled(), claim(), dealer=3)
    assert kinds(state) == ["revoke", "revoke_claim"]
    assert state.deals[0].points == (2, 0)
    ruled = FindingRuled(finding="1:revoke:2:1", ruling="dismiss", reason="agreed")
    assert folded(*spoiled(), claim(), ruled, dealer=3).deals[0].points == (2, 0)


def test_a_claim_against_the_holder_of_the_left_bower_is_itself_the_error() -> None:
    """Point 3a: recorded as rejected, no points."""
    state = left_bower(claim())
    finding = found(state, "revoke_claim")
    assert (finding.verdict, finding.status) == ("rejected", "dismissed")
    assert "the jack of diamonds is the left bower and counts as hearts" in finding.text
    assert "The claim is the error" in finding.text
    assert kinds(state) == ["revoke_claim"]
    assert state.deals[0].points == left_bower().deals[0].points


def test_a_claim_without_a_trick_looks_at_all_of_them() -> None:
    assert (
        found(folded(*spoiled(), claim(trick=None), dealer=3), "revoke_claim").verdict == "proved"
    )
    assert found(left_bower(claim(trick=None)), "revoke_claim").verdict == "rejected"
    clean = folded(*spoiled(CLEAN), claim(seat=1, trick=None), dealer=3)
    assert found(clean, "revoke_claim").verdict == "cleared"
    unplayed = folded(*spoiled(tricks=1), claim(trick=2), dealer=3)
    assert found(unplayed, "revoke_claim").verdict == "open"


def test_until_trump_is_known_or_a_card_was_seen_twice_a_claim_is_open() -> None:
    facts = [f for f in spoiled() if not isinstance(f, Declared)]
    assert found(folded(*facts, claim(), dealer=3), "revoke_claim").verdict == "open"
    twice = [*spoiled()]
    place = next(n for n, f in enumerate(twice) if isinstance(f, CardPlayed) and f.card == "Tc")
    twice[place] = CardPlayed(seat=2, card=Card("9d"))
    state = folded(*twice, claim(), dealer=3)
    assert found(state, "revoke_claim").verdict == "open"
    assert "nothing can be judged yet" in found(state, "revoke_claim").text


def test_trump_in_doubt_leaves_a_claim_open() -> None:
    """Played in spades, declared as hearts."""
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=3),
        Declared(maker=0, trump="h"),
        *trick((0, "Ad"), (1, "9s"), (2, "Td"), (3, "9d")),
        *trick((1, "Ac"), (2, "Ts"), (3, "9c"), (0, "Qc")),
        *trick((2, "As"), (3, "Qs"), (0, "Ks"), (1, "Jc")),
    ]
    state = folded(*facts, claim(seat=1), dealer=3)
    assert "trump_in_doubt" in kinds(state)
    assert found(state, "revoke_claim").verdict == "open"


def test_the_same_claim_made_twice_is_one() -> None:
    assert kinds(folded(*spoiled(CLEAN), claim(), claim(), dealer=3)) == ["revoke_claim"]


# --- play that stops early -----------------------------------------------------------------------

STOP = DealThrownIn(reason="abandoned")


def test_when_play_stops_early_an_open_claim_is_asked_about() -> None:
    """Point 4: ask for the hands face up."""
    state = folded(*spoiled(tricks=2), STOP, dealer=3)
    finding = found(state, "claim_unresolved")
    assert (finding.seat, finding.trick, finding.card, finding.led) == (2, 1, "9c", "As")
    assert (finding.verdict, finding.status) == ("unresolved", "open")
    assert "lay the hand face up" in finding.text
    assert snapshot(state, state.records)["ask"]["kind"] == "finding"


@pytest.mark.parametrize(
    ("cards", "kind", "verdict"),
    [
        (("Ks", "Tc", "Kc"), "revoke", None),
        (("Ac", "Tc", "Kc"), None, None),
        (("Ac", "Tc"), "claim_unresolved", "unresolved"),
    ],
)
def test_the_hand_laid_face_up_proves_or_clears_it(
    cards: tuple[str, ...], kind: str | None, verdict: str | None
) -> None:
    shown = HandShown(seat=2, cards=tuple(Card(c) for c in cards), deal=1)
    state = folded(*spoiled(tricks=2), STOP, shown, dealer=3)
    assert kinds(state) == ([] if kind is None else [kind])
    if kind == "revoke":
        finding = found(state, "revoke")
        assert (finding.proof, finding.proven_at_trick) == ("Ks", 2)
        assert "showed the king of spades, which it held" in finding.text


def test_a_claim_that_play_left_open_counts_only_if_the_table_upholds_it() -> None:
    facts = [*spoiled(tricks=2), claim(), GameEnded(reason="fire alarm")]
    state = folded(*facts, dealer=3)
    finding = found(state, "revoke_claim")
    assert (finding.verdict, finding.status) == ("unresolved", "open")
    assert "play stopped before South's cards were seen" in finding.text
    assert finding.ruling.startswith("Lay the hand face up.")
    assert "2 points to East and West" in finding.ruling
    assert kinds(state) == ["deal_abandoned", "revoke_claim"]
    upheld = folded(*facts, FindingRuled(finding=finding.id, ruling="uphold"), dealer=3)
    assert upheld.deals[0].points == (0, 2)
    without = folded(*spoiled(tricks=2), claim(trick=None), GameEnded(reason="x"), dealer=3)
    assert "uphold or dismiss" in found(without, "revoke_claim").ruling


def test_a_revoke_upheld_that_ends_the_hand_leaves_the_others_claims_to_be_settled() -> None:
    """East throws off on spades, too; whether both sides revoked is to be seen."""
    rows = [list(row) for row in SPOILED]
    rows[0][1] = "Qc"
    rows[4][1] = "Jd"
    facts = deal_of(*rows, leads=(0,) * 5, trump="h", maker=0)[: 2 + 5 * 3]
    uphold = FindingRuled(finding="1:revoke:2:1", ruling="uphold")
    state = folded(*facts, uphold, dealer=3)
    assert state.deals[0].complete
    assert ("claim_unresolved", 1) in [(f.kind, f.seat) for f in state.findings]


@pytest.mark.parametrize("reason", ["passed_out", "misdeal", "redeal"])
def test_a_deal_that_is_dealt_again_raises_no_claims(reason: str) -> None:
    state = folded(*spoiled(tricks=2), DealThrownIn(reason=reason), dealer=3)
    assert kinds(state) == []


def test_a_deal_that_was_left_for_the_next_is_a_finding_and_holds_the_score() -> None:
    nxt = UpcardShown(card=Card("9h"), dealer=0)
    state = folded(*spoiled(CLEAN, tricks=3), nxt, dealer=3)
    finding = found(state, "deal_abandoned")
    assert finding.text == "Deal 1 stopped in trick 3 and was not finished."
    assert state.deals[0].points is None
    assert snapshot(state, state.records)["ask"]["text"] == finding.text
    upheld = folded(
        *spoiled(CLEAN, tricks=3), nxt, FindingRuled(finding=finding.id, ruling="uphold"), dealer=3
    )
    assert (upheld.deals[0].thrown_in, upheld.deals[0].points) == ("abandoned", (0, 0))
    assert snapshot(upheld, upheld.records)["ask"]["kind"] != "finding"


# --- cards shown during the play -----------------------------------------------------------------


def shown(seat: int, *cards: str) -> HandShown:
    return HandShown(seat=seat, cards=tuple(Card(card) for card in cards))


def test_a_card_exposed_before_the_play_proves_the_revoke_on_the_trick_itself() -> None:
    """Point 2: a card shown or exposed."""
    facts = spoiled(tricks=1)
    state = folded(*facts[:2], shown(2, "Ks"), *facts[2:], dealer=3)
    assert kinds(state) == ["exposed_card", "revoke"]
    assert (found(state, "revoke").proof, found(state, "revoke").proven_at_trick) == ("Ks", 1)


def test_a_card_exposed_later_proves_it_then() -> None:
    state = folded(*spoiled(tricks=2), shown(2, "Ks"), dealer=3)
    assert found(state, "revoke").proven_at_trick == 2
    assert found(state, "exposed_card").text == ("South showed the king of spades during the deal.")


def test_a_card_the_dealer_showed_before_the_lead_may_have_been_discarded() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=2),
        UpcardTaken(),
        Declared(maker=2, trump="h"),
        shown(2, "Ks"),
        *trick((3, "As"), (0, "Ts"), (1, "Qs"), (2, "9c")),
    ]
    assert kinds(folded(*facts, dealer=2)) == ["exposed_card"]
    another = [shown(1, "Ks") if isinstance(f, HandShown) else f for f in facts]
    another[-3] = CardPlayed(seat=1, card=Card("9d"))
    assert "revoke" in kinds(folded(*another, dealer=2))
    exchange = folded(
        *[Declared(maker=2, trump="h", alone=1) if isinstance(f, Declared) else f for f in another],
        dealer=2,
        lone_exchange="discard_then_best",
    )
    assert "revoke" not in kinds(exchange)


def test_a_card_played_already_and_one_discarded_prove_nothing() -> None:
    facts = spoiled(CLEAN, tricks=2)
    state = folded(*facts[:2], Discarded(seat=2), shown(2, "Ks"), *facts[2:], dealer=3)
    assert kinds(state) == ["exposed_card"]
    played = folded(*facts[:7], shown(2, "9c"), *facts[7:], dealer=3)
    assert kinds(played) == ["exposed_card"]


def test_a_card_seen_before_the_upcard_proves_too() -> None:
    """South's king of spades lay open while the cards were dealt."""
    made = Table(dealer=3)
    made.rests("Ks", 2)
    made.leaves(1)
    made.clears()
    made.up("9d", 3)
    made.record([Declared(maker=0, trump="h")])
    made.plays((0, "As"), (1, "Qs"), (2, "9c"), (3, "Ts"))
    revoke = found(made.state, "revoke")
    assert (revoke.proof, revoke.proven_at_trick) == ("Ks", 1)


# --- hands of the wrong size ---------------------------------------------------------------------


def six(offence: str, seat: int) -> Claimed:
    return Claimed(seat=seat, offence=offence, by=1, deal=1)  # type: ignore[arg-type]


#: six_cards, the seat at fault (North and South make it) -> points, proposed.
SIX_ROWS = [
    ("offender_side", 2, (0, 2), "2 points to East and West: the offending side"),
    ("offender_side", 1, (2, 0), "2 points to North and South: the offending side"),
    ("makers", 2, (0, 2), "2 points to East and West: the makers are euchred"),
    ("makers", 1, (0, 2), "2 points to East and West: the makers are euchred"),
]


@pytest.mark.parametrize("offence", ["six_cards", "no_discard"])
@pytest.mark.parametrize(("rule", "seat", "points", "words"), SIX_ROWS)
def test_too_many_cards_in_a_hand(
    offence: str, rule: str, seat: int, points: tuple[int, int], words: str
) -> None:
    facts = [*spoiled(CLEAN, tricks=1), six(offence, seat)]
    state = folded(*facts, dealer=3, six_cards=rule)
    finding = found(state, offence)
    assert finding.status == "open"
    assert finding.ruling.startswith(words)
    assert state.deals[0].points is None
    for ruling, expected in (("uphold", points), ("dismiss", None)):
        ruled = folded(
            *facts,
            FindingRuled(finding=finding.id, ruling=ruling, reason="counted"),
            dealer=3,
            six_cards=rule,
        )
        assert ruled.deals[0].points == expected
        assert ruled.deals[0].complete is (expected is not None)


def test_both_sides_with_too_many_cards_score_nothing() -> None:
    facts = [*spoiled(CLEAN, tricks=1), six("six_cards", 2), six("no_discard", 1)]
    rulings = [
        FindingRuled(finding=f.id, ruling="uphold") for f in folded(*facts, dealer=3).findings
    ]
    state = folded(*facts, *rulings, dealer=3)
    assert (state.deals[0].points, state.deals[0].result) == ((0, 0), "six_cards")


def test_until_the_makers_are_known_their_euchre_waits() -> None:
    facts: list[Fact] = [UpcardShown(card=Card("9s"), dealer=3), six("six_cards", 2)]
    finding = found(folded(*facts, dealer=3, six_cards="makers"), "six_cards")
    assert "declare who made trump" in finding.ruling
    upheld = [*facts, FindingRuled(finding=finding.id, ruling="uphold")]
    assert folded(*upheld, dealer=3, six_cards="makers").deals[0].points is None
    declared = [*upheld, Declared(maker=0, trump="h")]
    assert folded(*declared, dealer=3, six_cards="makers").deals[0].points == (0, 2)


def test_a_discard_recorded_before_the_lead_clears_the_claim_that_there_was_none() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=3),
        Declared(maker=0, trump="h"),
        Discarded(seat=3),
        *trick((0, "As"), (1, "Qs"), (2, "Ks"), (3, "Ts")),
    ]
    finding = found(folded(*facts, six("no_discard", 3), dealer=3), "no_discard")
    assert (finding.verdict, finding.status) == ("cleared", "dismissed")
    late = [f for f in facts if not isinstance(f, Discarded)] + [Discarded(seat=3)]
    assert found(folded(*late, six("no_discard", 3), dealer=3), "no_discard").status == "open"


def test_a_sixth_card_shown_after_five_is_found_by_itself() -> None:
    state = folded(*spoiled(CLEAN), shown(2, "9s"), dealer=3)
    finding = found(state, "six_cards")
    assert finding.text == "South played 5 cards and showed the 9 of spades."
    assert kinds(folded(*spoiled(CLEAN), shown(2, "9c"), dealer=3)) == []
    # Six laid open before the lead are six, too.
    facts = spoiled(CLEAN, tricks=1)[:2]
    six_open = shown(2, "9c", "Tc", "Ac", "Kc", "Th", "9d")
    assert "six_cards" in kinds(folded(*facts, six_open, dealer=3))


def test_the_dealer_is_reminded_of_the_discard_before_the_lead() -> None:
    """Six cards or no discard: warn before the lead."""
    made = Table(dealer=3)
    made.up("9h", 3)
    made.leaves(1)
    made.record([Declared(maker=0, trump="h")])
    ask = snapshot(made.state, made.records)["ask"]
    assert ask["kind"] == "discard"
    assert ask["text"] == "West takes the up-card and lays one card away before the first lead."
    made.tell(Discard(seat=3))
    assert snapshot(made.state, made.records)["ask"] is None
    told = Table(dealer=3)
    told.record([UpcardShown(card=Card("9h"), dealer=3), Declared(maker=0, trump="h")])
    told.plays((0, "As"))
    assert snapshot(told.state, told.records)["ask"] is None


@pytest.mark.parametrize(("tricks", "thrown_in"), [(0, "redeal"), (1, None)])
def test_too_few_cards_before_the_first_trick_are_dealt_again(
    tricks: int, thrown_in: str | None
) -> None:
    facts: list[Fact] = [*spoiled(CLEAN, tricks=tricks), six("too_few_cards", 2)]
    finding = found(folded(*facts, dealer=3), "too_few_cards")
    state = folded(*facts, FindingRuled(finding=finding.id, ruling="uphold"), dealer=3)
    assert state.deals[0].thrown_in == thrown_in
    if thrown_in:
        assert (state.next_dealer, state.score) == (3, (0, 0))


# --- commands ------------------------------------------------------------------------------------


def dealt() -> Table:
    made = Table(dealer=3)
    made.up("9h", 3)
    return made


REFUSED: list[tuple[Command, str]] = [
    (Claim(seat=4, offence="revoke"), "seat 4 is no seat"),
    (Claim(seat=1, offence="revoke", by=9), "by 9 is no seat"),
    (Claim(seat=1, offence="cheek"), "'cheek' cannot be claimed"),  # type: ignore[arg-type]
    (Claim(seat=1, offence="revoke", trick=6), "give 1 to 5"),
    (Claim(seat=1, offence="six_cards", trick=1), "only with a revoke"),
    (Claim(seat=1, offence="revoke", deal=2), "there is no deal 2"),
    (ShowHand(seat=4, cards=(Card("9c"),)), "seat 4 is no seat"),
    (ShowHand(seat=1, cards=()), "name the cards"),
    (ShowHand(seat=1, cards=(Card("7c"),)), "not in this game's pack"),
    (ShowHand(seat=1, cards=(Card("9c"), Card("9c"))), "name each card once"),
    (ShowHand(seat=1, cards=(Card("9c"),), deal=7), "there is no deal 7"),
    (Discard(seat=5), "seat 5 is no seat"),
    (Discard(seat=1, card=Card("2c")), "not in this game's pack"),
    (PassCard(seat=5), "seat 5 is no seat"),
    (PassCard(seat=1, card=Card("2c")), "not in this game's pack"),
]


@pytest.mark.parametrize(("command", "reason"), REFUSED)
def test_a_command_that_makes_no_sense_is_refused_with_the_cure(
    command: Command, reason: str
) -> None:
    refused = dealt().tell(command)
    assert isinstance(refused, Rejected)
    assert reason in refused.reason


@pytest.mark.parametrize(
    "command",
    [
        Claim(seat=1, offence="revoke"),
        ShowHand(seat=1, cards=(Card("9c"),)),
        Discard(seat=3),
        PassCard(seat=1),
    ],
)
def test_before_the_first_deal_nothing_is_claimed_or_shown(command: Command) -> None:
    refused = Table(dealer=3).tell(command)
    assert isinstance(refused, Rejected)
    assert refused.code == "not_now"


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        (
            Claim(seat=1, offence="revoke", by=2, trick=1),
            Claimed(seat=1, offence="revoke", by=2, trick=1, deal=1),
        ),
        (
            ShowHand(seat=1, cards=(Card("9c"),)),
            HandShown(seat=1, cards=(Card("9c"),), deal=1),
        ),
        (Discard(seat=3, card=Card("9c")), Discarded(seat=3, card=Card("9c"))),
        (PassCard(seat=1, kept=False), CardPassed(seat=1, kept=False)),
    ],
)
def test_a_command_becomes_its_fact(command: Command, fact: Fact) -> None:
    made = dealt()
    assert made.tell(command) == (fact,)


def test_a_claim_of_an_earlier_deal_is_answered_there_and_may_be_overruled() -> None:
    made = Table(dealer=3)
    made.record(spoiled())
    made.record([UpcardShown(card=Card("9h"), dealer=0)])
    made.tell(Claim(seat=0, offence="revoke", by=1, deal=1))
    finding = found(made.state, "revoke_claim")
    assert (finding.deal, finding.verdict) == (1, "cleared")
    made.tell(RuleFinding(finding=finding.id, ruling="uphold", reason="the director saw it"))
    assert made.state.deals[0].points == (0, 2)


def test_a_left_bower_that_lies_in_the_hand_shown_clears_its_holder() -> None:
    """Play stops after trick 1; South's hand has no diamond but the jack, the left bower."""
    facts = [
        UpcardShown(card=Card("9s"), dealer=3),
        Declared(maker=0, trump="h"),
        *trick((0, "Ad"), (1, "9d"), (2, "9c"), (3, "Td")),
        claim(),
        STOP,
    ]
    assert found(folded(*facts, dealer=3), "revoke_claim").verdict == "unresolved"
    hand = shown(2, "Jd", "Ac", "Tc", "Kc")
    cleared = folded(*facts, hand, dealer=3)
    assert found(cleared, "revoke_claim").verdict == "rejected"
    assert kinds(cleared) == ["revoke_claim"]


def test_a_player_who_passed_by_taps_may_not_go_alone_where_that_is_agreed() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("9h"), dealer=3),
        Called(seat=0, call="pass"),
        Declared(maker=2, trump="h", alone=0),
    ]
    state = folded(*facts, dealer=3, passed_player_may_go_alone=False)
    assert kinds(state) == ["alone_not_allowed"]
    silent = [fact for fact in facts if not isinstance(fact, Called)]
    assert kinds(folded(*silent, dealer=3, passed_player_may_go_alone=False)) == [
        "alone_not_allowed"
    ]
