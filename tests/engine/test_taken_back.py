"""Cards that go back into the hand: RULES.md, "Revokes" 8, ``revoke_correctable_until``."""

from __future__ import annotations

import pytest
from engine_scenes import Table, folded

from engine.cards import Card
from engine.codec import kind_of
from engine.commands import Declare, Rejected, TakeBack, Undo
from engine.deal import Deal
from engine.facts import (
    CardPlayed,
    CardTakenBack,
    Declared,
    Fact,
    FindingRuled,
    TrickCleared,
    UpcardShown,
)
from engine.state import State

#: Trump hearts, made by North, who leads; West deals. South holds the king of spades.
START: list[Fact] = [
    UpcardShown(card=Card("9d"), dealer=3),
    Declared(maker=0, trump="h"),
]
#: The game's first fact is version 1, so the cards of trick 1 are versions 4 to 7.
NORTHS, EASTS, SOUTHS, WESTS = 4, 5, 6, 7


def play(seat: int, card: str) -> CardPlayed:
    return CardPlayed(seat=seat, card=Card(card))


def back(stage: str) -> list[Fact]:
    """South throws a club on spades, takes it back at that stage, and lays the king."""
    before = [play(0, "As"), play(1, "Qs"), play(2, "9c")]
    again: list[Fact] = [CardTakenBack(target=SOUTHS)]
    match stage:
        case "open":
            return [*before, *again, play(2, "Ks"), play(3, "Ts")]
        case "complete":
            return [*before, play(3, "Ts"), *again, play(2, "Ks")]
        case "gathered":
            return [*before, play(3, "Ts"), TrickCleared(), *again, play(2, "Ks")]
    return [*before, play(3, "Ts"), TrickCleared(), play(0, "Ah"), *again]


def told(stage: str, until: str, *more: Fact, judge: str = "ask") -> State:
    return folded(
        *START,
        *back(stage),
        *more,
        dealer=3,
        revoke_correctable_until=until,
        revoke_judge=judge,
    )


def first(state: State) -> Deal:
    return state.deals[0]


#: until, stage -> in time?
ROWS = [
    ("never", "open", False),
    ("never", "complete", False),
    ("never", "gathered", False),
    ("trick_complete", "open", True),
    ("trick_complete", "complete", False),
    ("trick_complete", "gathered", False),
    ("next_lead", "open", True),
    ("next_lead", "complete", True),
    ("next_lead", "gathered", True),
]


@pytest.mark.parametrize(("until", "stage", "in_time"), ROWS)
def test_a_card_taken_back_in_time_is_a_correction_and_not_a_revoke(
    until: str, stage: str, in_time: bool
) -> None:
    state = told(stage, until)
    deal = first(state)
    assert [(p.seat, p.card) for p in deal.tricks[0].plays] == [
        (0, "As"),
        (1, "Qs"),
        (2, "Ks"),
        (3, "Ts"),
    ]
    assert deal.winners == (0,)
    assert [taken.play.card for taken in deal.tricks[0].taken_back] == ["9c"]
    if in_time:
        assert state.findings == ()
        return
    late, revoke = sorted(state.findings, key=lambda f: f.kind, reverse=True)
    assert (late.kind, late.seat, late.trick, late.card) == ("taken_back_late", 2, 1, "9c")
    assert (revoke.kind, revoke.seat, revoke.trick) == ("revoke", 2, 1)
    assert (revoke.card, revoke.led, revoke.proof, revoke.proven_at_trick) == ("9c", "As", "Ks", 1)
    assert "laid the king of spades in its place, too late" in revoke.text


@pytest.mark.parametrize("until", ["never", "trick_complete", "next_lead"])
def test_after_the_next_lead_the_card_stands(until: str) -> None:
    state = told("led", until)
    assert [p.card for p in first(state).tricks[0].plays] == ["As", "Qs", "9c", "Ts"]
    assert [f.kind for f in state.findings] == ["taken_back_late"]
    assert "the next lead had been made" in state.findings[0].text
    assert [(c.seat, c.trick, c.card) for c in first(state).claims] == [(2, 1, "9c")]
    # The king falls later, and proves it as ever.
    proved = told("led", until, play(1, "9h"), play(2, "Ks"))
    assert {f.kind for f in proved.findings} == {"taken_back_late", "revoke"}


def test_the_card_taken_back_may_be_played_later_and_is_seen_once() -> None:
    state = told("open", "next_lead", play(0, "Ac"), play(1, "Tc"), play(2, "9c"), play(3, "Qc"))
    assert state.findings == ()
    assert first(state).tricks[1].plays[2].card == "9c"


def test_a_card_taken_back_proves_that_it_was_held() -> None:
    """South takes the nine of clubs back in time and then throws a diamond on a club."""
    state = told("open", "next_lead", play(0, "Ac"), play(1, "Tc"), play(2, "Td"), play(3, "Qc"))
    (finding,) = state.findings
    assert (finding.kind, finding.card, finding.proof) == ("revoke", "Td", "9c")
    assert finding.proven_at_trick == 2
    assert "held the 9 of clubs, which it had taken back" in finding.text


def test_until_another_card_is_laid_the_seat_is_awaited() -> None:
    facts = [*START, play(0, "As"), play(1, "Qs"), play(2, "9c"), CardTakenBack(target=SOUTHS)]
    state = folded(*facts, dealer=3)
    assert state.turn == 2
    assert first(state).to_play() == (2, 3)
    led = folded(*START, play(0, "As"), CardTakenBack(target=NORTHS), dealer=3)
    assert led.turn == 0


def test_a_lead_taken_back_and_laid_anew_is_the_lead_still() -> None:
    state = folded(
        *START,
        play(0, "As"),
        play(1, "Qs"),
        CardTakenBack(target=NORTHS),
        play(0, "Ac"),
        play(2, "9c"),
        play(3, "Tc"),
        dealer=3,
    )
    assert [p.card for p in first(state).tricks[0].plays] == ["Ac", "Qs", "9c", "Tc"]
    assert [(c.seat, c.led) for c in first(state).claims] == [(1, "Ac")]


def test_several_cards_taken_back_find_their_places_again() -> None:
    state = folded(
        *START,
        play(0, "As"),
        play(1, "Qs"),
        play(2, "9c"),
        CardTakenBack(target=SOUTHS),
        CardTakenBack(target=EASTS),
        play(2, "Ks"),
        play(1, "9s"),
        play(3, "Ts"),
        dealer=3,
    )
    assert {(p.seat, p.card) for p in first(state).tricks[0].plays} == {
        (0, "As"),
        (1, "9s"),
        (2, "Ks"),
        (3, "Ts"),
    }
    assert first(state).winners == (0,)


def test_the_last_card_of_a_deal_may_be_taken_back_and_the_deal_is_open_again() -> None:
    cards = {0: "JhJdAhKhQh", 1: "9cTcQcKcAc", 2: "9dTdQdKdAd", 3: "9sTsQsKsAs"}
    facts: list[Fact] = [UpcardShown(card=Card("9h"), dealer=3), Declared(maker=0, trump="h")]
    for index in range(5):
        facts += [play(seat, cards[seat][2 * index : 2 * index + 2]) for seat in range(4)]
    whole = folded(*facts, dealer=3)
    assert first(whole).points == (2, 0)
    opened = folded(*facts, CardTakenBack(target=whole.version), dealer=3)
    assert (first(opened).complete, first(opened).points, opened.turn) == (False, None, 3)
    again = folded(*facts, CardTakenBack(target=whole.version), play(3, "9h"), dealer=3)
    assert len(again.deals) == 1
    assert (first(again).complete, first(again).tricks[4].plays[3].card) == (True, "9h")


def test_a_second_card_beside_the_first_takes_its_place_when_that_goes_back() -> None:
    before = [*START, play(0, "As"), play(1, "Qs"), play(2, "9c"), play(2, "Ks")]
    twice = folded(*before, dealer=3)
    assert [f.kind for f in twice.findings] == ["played_twice"]
    mended = folded(*before, CardTakenBack(target=SOUTHS), dealer=3)
    assert mended.findings == ()
    assert [p.card for p in first(mended).tricks[0].plays] == ["As", "Qs", "Ks"]
    other = folded(*before, CardTakenBack(target=SOUTHS + 1), dealer=3)
    assert [p.card for p in first(other).tricks[0].plays] == ["As", "Qs", "9c"]
    # The nine stays, and the king was in the hand: that is a revoke.
    assert [(f.kind, f.card, f.proof) for f in other.findings] == [("revoke", "9c", "Ks")]


def test_the_table_may_dismiss_a_revoke_that_was_taken_back_too_late() -> None:
    automatic = told("complete", "trick_complete", judge="automatic")
    assert first(automatic).points == (0, 2)
    dismissed = told(
        "complete",
        "trick_complete",
        FindingRuled(finding="1:revoke:2:1", ruling="dismiss", reason="it was a slip"),
        judge="automatic",
    )
    assert first(dismissed).points is None


# --- seen by the camera, and told ----------------------------------------------------------------


def table(*cards: tuple[int, str]) -> Table:
    made = Table(dealer=3)
    made.up("9d", 3)
    made.turns_down(1)
    made.tell(Declare(maker=0, trump="h"))
    made.plays(*cards)
    return made


def test_a_card_lifted_and_replaced_while_the_others_lie_is_taken_back_unasked() -> None:
    made = table((0, "As"), (1, "Qs"), (2, "9c"))
    made.leaves(4)
    assert kind_of(made.records[-1].fact) == "card_lifted"
    made.rests("Ks", 2)
    assert [kind_of(r.fact) for r in made.records[-2:]] == ["card_taken_back", "card_played"]
    made.rests("Ts", 3)
    deal = made.state.deals[0]
    assert made.state.reviews == ()
    assert made.state.findings == ()
    assert [p.card for p in deal.tricks[0].plays] == ["As", "Qs", "Ks", "Ts"]


def test_two_cards_that_both_lie_before_a_seat_are_asked_about() -> None:
    made = table((0, "As"), (1, "Qs"))
    made.rests("Ks", 1)
    assert [review.reason for review in made.state.reviews] == ["seat"]


def test_a_lifted_lead_that_leaves_the_table_empty_was_taken_back() -> None:
    made = table((0, "As"))
    made.leaves(2)
    made.clears()
    assert kind_of(made.records[-1].fact) == "card_taken_back"
    assert made.state.turn == 0
    assert made.state.reviews == ()
    made.rests("Ac", 0)
    assert [p.card for p in made.state.deals[0].tricks[0].plays] == ["Ac"]


def test_a_lead_that_seemed_taken_back_was_gathered_if_another_seat_plays_next() -> None:
    made = table((0, "As"))
    made.leaves(2)
    made.clears()
    made.rests("Ac", 2)
    assert [(r.seat, r.reason, r.trick) for r in made.state.reviews] == [
        (1, "missed", 1),
        (2, "missed", 1),
        (3, "missed", 1),
    ]
    tricks = made.state.deals[0].tricks
    assert [p.card for p in tricks[0].plays] == ["As", None, None, None]
    assert [(p.seat, p.card) for p in tricks[1].plays] == [(2, "Ac")]


def test_a_trick_swept_with_a_card_unseen_is_no_card_taken_back() -> None:
    made = table((0, "As"), (1, "Qs"), (2, "Ks"))
    for track in (2, 3, 4):
        made.leaves(track)
    made.clears()
    assert [(r.seat, r.reason) for r in made.state.reviews] == [(3, "missed")]


def test_a_card_lies_down_again_where_it_was_lifted() -> None:
    made = table((0, "As"), (1, "Qs"), (2, "9c"))
    made.leaves(4)
    made.rests("9c", 2)
    assert [p.card for p in made.state.deals[0].tricks[0].plays] == ["As", "Qs", "9c"]
    made.leaves(4)
    assert kind_of(made.records[-1].fact) == "card_lifted"
    assert sum(kind_of(r.fact) == "card_lifted" for r in made.records) == 1


def test_a_card_is_taken_back_by_a_tap_and_the_tap_undone() -> None:
    made = table((0, "As"), (1, "Qs"), (2, "9c"))
    target = made.records[-1].version
    made.tell(TakeBack(target=target))
    assert made.state.turn == 2
    made.tell(Undo())
    assert [p.card for p in made.state.deals[0].tricks[0].plays] == ["As", "Qs", "9c"]
    refused = made.tell(TakeBack(target=1))
    assert isinstance(refused, Rejected)
    assert refused.code == "unknown"
    empty = Table(dealer=3).tell(TakeBack(target=1))
    assert isinstance(empty, Rejected)
