"""Corners of the four-handed game: taps that cannot be, and what nobody knows yet."""

from __future__ import annotations

import pytest
from engine_scenes import Table, folded

from engine.cards import Card
from engine.commands import (
    Call,
    Command,
    Declare,
    Discard,
    PassCard,
    Rejected,
    ReportShuffle,
    RuleFinding,
    ShowTableCard,
    ShowUpcard,
    ThrowIn,
)
from engine.facts import Called, CardPlayed, Declared, UpcardShown
from engine.turns import first_in_play, next_to_play, sitting_out
from engine.view import snapshot


def up() -> Table:
    made = Table(dealer=3)
    made.record([UpcardShown(card=Card("9h"), dealer=3)])
    return made


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (ShowTableCard(seat=0, card=Card("9s")), "in the game for two only"),
        (Call(seat=7, call="pass"), "seat 7 is no seat"),
        (Call(seat=0, call="double"), "is no call: say pass"),  # type: ignore[arg-type]
        (ThrowIn(reason=""), "reason is empty"),
        (RuleFinding(finding="x", ruling="maybe"), "is no ruling"),  # type: ignore[arg-type]
        (ReportShuffle(seat=9, passes=1), "seat 9 is no seat"),
        (ShowUpcard(card=Card("9s"), dealer=9), "dealer 9 is no seat"),
        (Discard(seat=0, card=Card("7h")), "not in this game's pack"),
        (PassCard(seat=0, card=Card("7h")), "not in this game's pack"),
        (Declare(maker=0, trump="h", deal=9), "there is no deal 9"),
    ],
)
def test_a_tap_that_cannot_be_is_refused_with_the_cure(command: Command, says: str) -> None:
    out = up().tell(command)
    assert isinstance(out, Rejected)
    assert says in out.reason


def test_once_trump_is_made_by_a_call_nobody_calls_again() -> None:
    made = up()
    made.tell(Call(seat=0, call="order_up"))
    out = made.tell(Call(seat=1, call="pass"))
    assert isinstance(out, Rejected)
    assert "trump is made" in out.reason


def test_an_unseen_upcard_cannot_be_ordered_up_and_is_asked_for() -> None:
    made = Table(dealer=3)
    made.record([Called(seat=0, call="pass")])
    out = made.tell(Call(seat=1, call="order_up"))
    assert isinstance(out, Rejected)
    assert "no up-card was seen" in out.reason
    ask = snapshot(made.state, made.records)["ask"]
    assert (ask["kind"], ask["text"]) == ("upcard", "Which card was turned up?")


def test_without_a_known_dealer_nobody_is_said_to_have_passed() -> None:
    facts = [
        UpcardShown(card=Card("9h"), dealer=None),
        Declared(maker=0, trump="h", alone=2),
        CardPlayed(seat=3, card=Card("Ah")),
    ]
    kinds = {f.kind for f in folded(*facts, dealer=None, passed_player_may_go_alone=False).findings}
    assert "alone_not_allowed" not in kinds


def test_where_everybody_sits_out_or_has_played_nobody_is_next() -> None:
    assert first_in_play(2, (0, 1, 2, 3)) == 2
    assert first_in_play(2, sitting_out([0])) == 3
    assert next_to_play(1, [1, 2, 3, 0], ()) is None
    assert next_to_play(1, [1], (2,)) == 3
