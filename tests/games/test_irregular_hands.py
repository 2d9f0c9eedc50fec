"""RULES.md, "Other irregularities", in buck, the game for two and call-ace: hands and stops.

An offender's side counts as euchred (``six_cards``), or the makers whoever erred; what a euchre
is in each game is in RULES.md, "Two packs, more seats, fewer seats".
"""

from __future__ import annotations

from typing import Any

import pytest
from games_scenes import PRESETS, Table, folded

from engine.cards import Card
from engine.commands import Claim
from engine.deal import Finding
from engine.facts import (
    AceCalled,
    Called,
    CardPassed,
    CardPlayed,
    CardTakenBack,
    Claimed,
    DealerNamed,
    DealThrownIn,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    GameEnded,
    HandShown,
    TrickCleared,
    UpcardShown,
)
from engine.ruleset import in_words, ruleset_from
from engine.state import State
from engine.view import snapshot


def laid(*plays: tuple[int, str]) -> list[Fact]:
    return [CardPlayed(seat=seat, card=Card(card)) for seat, card in plays]


#: A deal of each game with its first trick; seat 1 makes it, seat 0 dealt.
BEGUN: dict[str, list[Fact]] = {
    "buck3": [
        Declared(maker=1, trump="h", bid=3),
        *laid((1, "Jh"), (2, "9h"), (0, "Th")),
        TrickCleared(),
    ],
    "two_hand": [Declared(maker=1, trump="h"), *laid((1, "Jh"), (0, "9h")), TrickCleared()],
    "call_ace_5": [
        UpcardShown(card=Card("8d"), dealer=0),
        Declared(maker=1, trump="h", ace=Card("As")),
        *laid((1, "As"), (2, "9s"), (3, "Ts"), (4, "Js"), (0, "Qs")),
        TrickCleared(),
    ],
}
BEGUN["call_ace_6"] = [
    UpcardShown(card=Card("8d"), dealer=0),
    Declared(maker=1, trump="h", ace=Card("Ac")),
    *laid((1, "Kc"), (2, "Ac"), (3, "9c"), (4, "Tc"), (5, "Jc"), (0, "Qc")),
    TrickCleared(),
]


def found(state: State, kind: str) -> Finding:
    (finding,) = [f for f in state.findings if f.kind == kind]
    return finding


def ruled(preset: str, facts: list[Fact], kind: str, **rules: Any) -> State:
    """The game once the table has upheld the finding of that kind."""
    finding = found(folded(preset, *facts, **rules), kind)
    uphold = FindingRuled(finding=finding.id, ruling="uphold", reason="counted")
    return folded(preset, *facts, uphold, **rules)


#: preset, six_cards, offender -> points, the proposed ruling. In call_ace_5 the maker played the
#: called ace and is alone; in call_ace_6 seat 2 is the partner.
SIX_ROWS = [
    ("buck3", "offender_side", 1, (0, 5, 0), "East adds 5 points, as one who was set"),
    ("buck3", "offender_side", 2, (0, 0, 5), "South adds 5 points"),
    ("buck3", "makers", 2, (0, 5, 0), "East adds 5 points"),
    ("two_hand", "offender_side", 0, (0, 12), "All 12 points go to South"),
    ("two_hand", "offender_side", 1, (12, 0), "All 12 points go to North"),
    ("two_hand", "makers", 0, (12, 0), "All 12 points go to North, as if South"),
    ("call_ace_5", "offender_side", 1, (2, 0, 2, 2, 2), "2 points to each of Player 1, Player 3"),
    ("call_ace_5", "offender_side", 3, (0, 2, 0, 0, 0), "2 points to each of Player 2,"),
    ("call_ace_6", "offender_side", 2, (2, 0, 0, 2, 2, 2), "2 points to each of Player 1,"),
    ("call_ace_6", "offender_side", 5, (0, 2, 2, 0, 0, 0), "2 points to each of Player 2 and"),
    ("call_ace_6", "makers", 5, (2, 0, 0, 2, 2, 2), "2 points to each of Player 1,"),
]


@pytest.mark.parametrize("offence", ["six_cards", "no_discard"])
@pytest.mark.parametrize(("preset", "rule", "seat", "points", "words"), SIX_ROWS)
def test_too_many_cards_in_a_hand_count_as_a_euchre(
    offence: Any, preset: str, rule: str, seat: int, points: tuple[int, ...], words: str
) -> None:
    facts = [*BEGUN[preset], Claimed(seat=seat, offence=offence, by=0)]
    state = folded(preset, *facts, six_cards=rule)
    finding = found(state, offence)
    assert (finding.status, finding.verdict) == ("open", "open")
    assert finding.ruling.startswith(words)
    assert state.deals[0].points is None
    (deal,) = ruled(preset, facts, offence, six_cards=rule).deals
    assert (deal.points, deal.result, deal.complete) == (points, "six_cards", True)


@pytest.mark.parametrize(
    ("preset", "seats", "points"),
    [
        ("buck3", (1, 2), (0, 5, 5)),
        ("two_hand", (0, 1), (0, 0)),
        ("call_ace_6", (1, 5), (0,) * 6),
        ("call_ace_6", (1, 2), (2, 0, 0, 2, 2, 2)),
    ],
)
def test_where_several_held_too_many_each_side_pays(
    preset: str, seats: tuple[int, int], points: tuple[int, ...]
) -> None:
    facts = [*BEGUN[preset], *[Claimed(seat=seat, offence="six_cards") for seat in seats]]
    rulings = [
        FindingRuled(finding=f"1:six_cards:{seat}:-", ruling="uphold", reason="") for seat in seats
    ]
    assert folded(preset, *facts, *rulings).deals[0].points == points


@pytest.mark.parametrize("preset", ["buck3", "two_hand", "call_ace_5"])
def test_until_the_maker_is_known_the_makers_euchre_waits(preset: str) -> None:
    begun = [UpcardShown(card=Card("8d"), dealer=0)] if preset == "call_ace_5" else []
    facts = [*begun, *laid((1, "Jh")), Claimed(seat=0, offence="six_cards")]
    finding = found(folded(preset, *facts, six_cards="makers"), "six_cards")
    assert "declare who" in finding.ruling
    assert ruled(preset, facts, "six_cards", six_cards="makers").deals[0].points is None


def test_while_the_partner_is_hidden_too_many_cards_wait_for_the_ace() -> None:
    facts: list[Fact] = [
        UpcardShown(card=Card("8d"), dealer=0),
        Declared(maker=1, trump="h"),
        Claimed(seat=3, offence="six_cards"),
    ]
    assert found(folded("call_ace_5", *facts), "six_cards").ruling.startswith(
        "It waits until the called ace falls"
    )
    facts.append(AceCalled(card=Card("As")))
    finding = found(folded("call_ace_5", *facts), "six_cards")
    assert finding.ruling.startswith("It waits until the ace of spades falls")
    assert ruled("call_ace_5", facts, "six_cards").deals[0].points is None
    fell = [*facts, *laid((1, "9s"), (2, "As"))]
    assert ruled("call_ace_5", fell, "six_cards").deals[0].points == (0, 2, 2, 0, 0)


def test_a_sixth_card_shown_after_five_is_found_by_itself() -> None:
    facts: list[Fact] = [
        Declared(maker=1, trump="h", bid=3),
        *laid((1, "Jh"), (2, "9h"), (0, "Th")),
        *laid((1, "Jd"), (2, "9s"), (0, "9d")),
        *laid((1, "Ah"), (2, "Ts"), (0, "Td")),
        *laid((1, "Kh"), (2, "Js"), (0, "Qd")),
        *laid((1, "Qh"), (2, "Qs"), (0, "Kd")),
        HandShown(seat=0, cards=(Card("Ad"),)),
    ]
    finding = found(folded("buck3", *facts), "six_cards")
    assert finding.text == "North played 5 cards and showed the ace of diamonds."


@pytest.mark.parametrize("preset", PRESETS)
def test_a_discard_recorded_before_the_lead_clears_the_claim(preset: str) -> None:
    begun = BEGUN[preset]
    first = next(n for n, fact in enumerate(begun) if isinstance(fact, CardPlayed))
    facts = [*begun[:first], Discarded(seat=0), *begun[first:]]
    claim = Claimed(seat=0, offence="no_discard")
    assert found(folded(preset, *facts, claim), "no_discard").verdict == "cleared"
    assert found(folded(preset, *begun, Discarded(seat=0), claim), "no_discard").status == "open"


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("tricks", [0, 1])
def test_too_few_cards_before_the_first_trick_are_dealt_again(preset: str, tricks: int) -> None:
    begun = BEGUN[preset]
    if tricks == 0:
        begun = begun[: next(n for n, f in enumerate(begun) if isinstance(f, CardPlayed)) + 1]
    facts = [*begun, Claimed(seat=0, offence="too_few_cards")]
    state = ruled(preset, facts, "too_few_cards")
    assert state.deals[0].thrown_in == ("redeal" if tricks == 0 else None)
    if tricks == 0:
        assert state.next_dealer == 0
        assert state.deals[0].points == (0,) * len(state.names)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("how", ["next deal", "game ended"])
def test_a_deal_that_was_left_is_a_finding_and_holds_the_score(preset: str, how: str) -> None:
    leaving: list[Fact] = [GameEnded(reason="late")]
    if how == "next deal":
        leaving = (
            [UpcardShown(card=Card("9d"), dealer=1, track=9)]
            if preset.startswith("call_ace")
            else [DealThrownIn(reason="abandoned"), Declared(maker=0, trump="c", bid=2)]
        )
    facts = [*BEGUN[preset], *leaving]
    kinds = {f.kind for f in folded(preset, *facts).findings}
    if how == "next deal" and not preset.startswith("call_ace"):
        # Where no card is turned up only a word ends a deal: it says why.
        assert "deal_abandoned" not in kinds
        return
    state = ruled(preset, facts, "deal_abandoned")
    assert found(state, "deal_abandoned").text == "Deal 1 stopped in trick 1 and was not finished."
    deal = state.deals[0]
    assert (deal.thrown_in, deal.result) == ("abandoned", "thrown_in")
    assert deal.points == (0,) * len(state.names)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_card_taken_back_too_late_is_found(preset: str) -> None:
    begun = BEGUN[preset]
    play = next(n for n, fact in enumerate(begun) if isinstance(fact, CardPlayed))
    # The envelope's version: what starts the game is the first.
    late = CardTakenBack(target=play + 2)
    state = folded(preset, *begun, *laid((1, "9d")), late)
    finding = found(state, "taken_back_late")
    assert (finding.seat, finding.trick) == (1, 1)
    never = folded(
        preset, *begun[: play + 1], late, *begun[play + 1 :], revoke_correctable_until="never"
    )
    assert "taken_back_late" in {f.kind for f in never.findings}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_card_shown_during_the_deal_and_one_passed_are_found(preset: str) -> None:
    facts = [
        *BEGUN[preset],
        HandShown(seat=0, cards=(Card("Qd"),)),
        CardPassed(seat=0),
    ]
    state = folded(preset, *facts)
    assert found(state, "exposed_card").seat == 0
    assert found(state, "exchange_not_allowed").text.endswith("these rules know no exchange.")


def test_a_stuck_dealer_who_passed_is_found() -> None:
    for preset, rules in (("two_hand", {}), ("call_ace_5", {"pass_out": "stick_dealer"})):
        begun = [UpcardShown(card=Card("8d"), dealer=0)] if preset == "call_ace_5" else []
        passed = [*begun, Called(seat=1, call="pass"), DealThrownIn(reason="passed_out")]
        state = folded(preset, *passed, **rules)
        assert found(state, "dealer_must_name").seat == 0
    buck = folded("buck3", DealThrownIn(reason="passed_out"))
    assert buck.findings == ()


def test_no_trump_where_it_is_not_played_is_found() -> None:
    """Buck names it as freely as a suit; elsewhere it is an option."""
    assert folded("buck3", Declared(maker=1, trump="n", bid=3), *laid((1, "Jh"))).findings == ()
    for preset in ("two_hand", "call_ace_5"):
        begun = [UpcardShown(card=Card("8d"), dealer=0)] if preset == "call_ace_5" else []
        facts = [*begun, Declared(maker=1, trump="n"), *laid((1, "Jh"))]
        assert found(folded(preset, *facts), "no_trump_out_of_round").seat == 1
        assert folded(preset, *facts, no_trump="both").findings == ()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_deal_by_the_wrong_seat_is_found_and_naming_the_dealer_mends_it(preset: str) -> None:
    if not preset.startswith("call_ace"):
        # Without an up-card nothing shows who dealt but what is said.
        assert folded(preset, DealerNamed(dealer=1), *BEGUN[preset]).deals[0].dealer == 1
        return
    facts = [UpcardShown(card=Card("8d"), dealer=2), *BEGUN[preset][1:]]
    finding = found(folded(preset, *facts), "wrong_dealer")
    assert finding.text == "Player 3 dealt deal 1; it was Player 1's deal."


@pytest.mark.parametrize("preset", PRESETS)
def test_the_page_asks_for_a_ruling_and_the_claim_of_a_revoke_says_what_it_costs(
    preset: str,
) -> None:
    made = Table(preset)
    made.record(BEGUN[preset])
    made.tell(Claim(seat=0, offence="six_cards", by=1))
    assert snapshot(made.state, made.records)["ask"]["kind"] == "finding"
    made.tell(Claim(seat=0, offence="revoke", by=1, trick=1))
    made.record([GameEnded(reason="late")])
    claim = found(made.state, "revoke_claim")
    assert claim.verdict in ("unresolved", "cleared")


@pytest.mark.parametrize("preset", PRESETS)
def test_what_too_many_cards_cost_is_said_before_the_first_deal(preset: str) -> None:
    told = [
        in_words(ruleset_from({"preset": preset, "six_cards": rule}))
        for rule in ("offender_side", "makers")
    ]
    changed = set(told[0]) ^ set(told[1])
    assert len(changed) == 2
    assert all(words.startswith("Too many cards in a hand") for words in changed)
