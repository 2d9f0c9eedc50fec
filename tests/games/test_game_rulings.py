"""What upheld revokes cost in the other games, by every option, and what commands refuse there.

Source: RULES.md, "Revokes" 8 and "Two packs, more seats, fewer seats".
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from games_scenes import Table, facts_of, folded, recorded, started
from slow_games import Played, play_call_ace, play_two_hand, tricks

from engine.cards import Card
from engine.commands import (
    BidTricks,
    Call,
    CallAce,
    Command,
    Declare,
    Drop,
    Rejected,
    ShowTableCard,
    ShowUpcard,
    Stay,
    SwapWidow,
    ThrowIn,
)
from engine.facts import (
    CardPlayed,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    TableCardShown,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import TRUMPS
from engine.intake import Ignored
from engine.state import State, fold
from engine.view import snapshot


def upheld(preset: str, played: Played, **rules: Any) -> State:
    """The deal with its one planted revoke upheld by the table."""
    facts = [started(preset, played.dealer, **rules), *facts_of(preset, played, declare=True)]
    planted = played.planted
    assert planted is not None
    facts.append(FindingRuled(finding=f"1:revoke:{planted.seat}:{planted.trick}", ruling="uphold"))
    return fold(recorded(facts))


def planted_deals(seats: int) -> list[Played]:
    deals = []
    for seed in range(60):
        rng = random.Random(seed)
        deal = (
            play_two_hand(rng, plant=True) if seats == 2 else play_call_ace(rng, seats, plant=True)
        )
        if deal.planted is not None:
            deals.append(deal)
    return deals[:25]


def test_for_two_a_deduction_comes_off_the_offenders_points() -> None:
    for played in planted_deals(2):
        points = list(played.points)
        assert played.planted is not None
        points[played.planted.seat] -= 2
        state = upheld("two_hand", played, revoke_mode="deduct")
        assert list(state.deals[0].points or ()) == points


def test_for_two_the_lost_trick_is_counted_anew_for_the_other() -> None:
    for played in planted_deals(2):
        assert played.planted is not None
        offender = played.planted.seat
        won = tricks(played)
        if played.winners[played.planted.trick - 1] == offender:
            won[offender] -= 1
            won[1 - offender] += 1
        made = won[played.maker] >= 7
        points = won if made else [0 if seat == played.maker else 12 for seat in (0, 1)]
        state = upheld("two_hand", played, revoke_mode="loss_of_trick")
        assert list(state.deals[0].points or ()) == points


def test_for_two_when_both_revoked_nobody_scores() -> None:
    facts = [
        started("two_hand", 0),
        TableCardShown(seat=0, card=Card("9h")),
        TableCardShown(seat=1, card=Card("Kd")),
        Declared(maker=1, trump="h"),
        *[CardPlayed(seat=s, card=Card(c)) for s, c in ((1, "Ah"), (0, "9s"))],
        *[CardPlayed(seat=s, card=Card(c)) for s, c in ((1, "Qc"), (0, "Tc"))],
        *[CardPlayed(seat=s, card=Card(c)) for s, c in ((1, "Ac"), (0, "Kc"))],
        *[CardPlayed(seat=s, card=Card(c)) for s, c in ((1, "Ts"), (0, "Ks"))],
        *[CardPlayed(seat=s, card=Card(c)) for s, c in ((0, "Ad"), (1, "9c"))],
    ]
    accused = [(f.seat, f.trick) for f in fold(recorded(facts)).findings if f.kind == "revoke"]
    assert accused == [(0, 1), (1, 5)]
    rulings = [
        FindingRuled(finding=f"1:revoke:{seat}:{trick}", ruling="uphold") for seat, trick in accused
    ]
    (deal,) = fold(recorded([*facts, *rulings])).deals
    assert (deal.points, deal.result) == ((0, 0), "both_revoked")


@pytest.mark.parametrize("mode", ["award", "deduct", "loss_of_trick"])
def test_in_call_ace_the_other_side_gains_once_the_sides_are_known(mode: str) -> None:
    for played in planted_deals(5):
        planted = played.planted
        assert planted is not None
        makers = {played.maker} if played.partner is None else {played.maker, played.partner}
        count = sum(tricks(played)[seat] for seat in makers)
        if mode == "award":
            points = [2 if (seat in makers) != (planted.seat in makers) else 0 for seat in range(5)]
        elif mode == "deduct":
            points = list(played.points)
            points[planted.seat] -= 2
        else:
            took = played.winners[planted.trick - 1] in makers
            count += (planted.seat not in makers) - took
            lone = played.partner is None
            gain = (4 if lone else 2) if count == 5 else 1
            points = [
                (gain if seat in makers else 0) if count >= 3 else (0 if seat in makers else 2)
                for seat in range(5)
            ]
        state = upheld("call_ace_5", played, revoke_mode=mode)
        assert list(state.deals[0].points or ()) == points, (mode, played)


UP = UpcardShown(card=Card("8d"), dealer=0)


def test_a_called_ace_that_was_turned_down_or_laid_away_is_buried_at_once() -> None:
    down: list[Fact] = [UpcardShown(card=Card("Ad"), dealer=0), UpcardTurnedDown()]
    down.append(Declared(maker=2, trump="h", ace=Card("Ad")))
    assert snapshot(folded("call_ace_5", *down), ())["deal"]["standing"] == "buried"
    away: list[Fact] = [UP, UpcardTaken(), Discarded(seat=0, card=Card("Ac"))]
    away.append(Declared(maker=2, trump="d", ace=Card("Ac")))
    assert snapshot(folded("call_ace_5", *away), ())["deal"]["standing"] == "buried"


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ([UP, UpcardTaken(), Declared(maker=2, trump="h")], "upcard_conflict"),
        ([UP, UpcardTurnedDown(), Declared(maker=2, trump="d")], "upcard_conflict"),
        ([UP, UpcardTaken(), Declared(maker=2, trump="d")], None),
    ],
)
def test_what_the_camera_saw_of_the_upcard_and_what_was_said_must_agree(
    facts: list[Fact], kind: str | None
) -> None:
    kinds = [finding.kind for finding in folded("call_ace_5", *facts).findings]
    assert kinds == ([] if kind is None else [kind])


def test_the_upcard_a_dealer_must_keep_proves_a_revoke_on_the_trick_itself() -> None:
    facts: list[Fact] = [UP, UpcardTaken(), Declared(maker=2, trump="d", ace=Card("Ac"))]
    facts += [
        CardPlayed(seat=s, card=Card(c))
        for s, c in ((1, "Ad"), (2, "9d"), (3, "Td"), (4, "Qd"), (0, "9s"))
    ]
    assert folded("call_ace_5", *facts).findings == ()
    kept = folded("call_ace_5", *facts, upcard_may_be_discarded=False)
    (found,) = kept.findings
    assert (found.seat, found.trick, found.proof, found.proven_at_trick) == (0, 1, "8d", 1)


def test_calls_make_trump_in_call_ace_as_where_four_play() -> None:
    made = Table("call_ace_6", dealer=0)
    made.tell(ShowUpcard(card=Card("8d"), dealer=0))
    for seat in (1, 2, 3, 4, 5, 0):
        made.tell(Call(seat=seat, call="pass"))
    assert isinstance(made.tell(Call(seat=1, call="name", suit="d")), Rejected)
    made.tell(Call(seat=1, call="name", suit="s", alone=True))
    (deal,) = made.state.deals
    assert (deal.maker, deal.trump, deal.alone, deal.turn) == (1, "s", (1,), 2)
    refused = made.tell(CallAce(card=Card("Ah")))
    assert isinstance(refused, Rejected)
    assert "plays alone" in refused.reason


def test_an_ace_is_called_once_the_deal_is_over_only_if_it_was_not() -> None:
    made = Table("call_ace_5", dealer=0)
    made.record([UpcardShown(card=Card("Ad"), dealer=0), UpcardTurnedDown()])
    made.tell(Declare(maker=2, trump="h"))
    down = made.tell(CallAce(card=Card("Ad")))
    assert isinstance(down, Rejected)
    assert "turned down" in down.reason
    made.tell(ThrowIn(reason="misdeal"))
    assert isinstance(made.tell(CallAce(card=Card("Ac"))), Rejected)


def _bidding(*said: Command) -> Table:
    made = Table("buck3", dealer=0)
    for command in said:
        assert not isinstance(made.tell(command), Rejected), command
    return made


BID_2 = BidTricks(seat=1, tricks=2)


@pytest.mark.parametrize(
    ("said", "command", "says"),
    [
        ((BID_2,), BidTricks(seat=1, tricks=3), "has just bid"),
        ((BidTricks(seat=2, tricks=2),), BidTricks(seat=1, tricks=3), "there is one round"),
        ((BidTricks(seat=1, tricks=5),), BidTricks(seat=2, tricks=5), "the bidding is over"),
        ((Declare(maker=1, trump="h", bid=2),), BID_2, "the bidding is over"),
        ((Declare(maker=1, trump="h", bid=2),), Call(seat=1, call="pass"), "bidding is over"),
        ((SwapWidow(seat=2),), SwapWidow(seat=2), "has taken the widow already"),
        ((BID_2,), SwapWidow(seat=2), "the bidding has begun"),
        ((Declare(maker=1, trump="h", bid=2),), Stay(seat=1), "is the bidder"),
        ((Declare(maker=1, trump="h", bid=2), Stay(seat=0)), Stay(seat=0), "stays already"),
        ((Declare(maker=1, trump="h", bid=2), Drop(seat=0)), Drop(seat=0), "has dropped already"),
        (
            (BidTricks(seat=1, tricks=5), Call(seat=1, call="name", suit="h")),
            Call(seat=1, call="name", suit="s"),
            "trump is named",
        ),
        ((BID_2,), Call(seat=1, call="name", suit="x"), "no trump"),
        ((BID_2,), Call(seat=3, call="pass"), "no seat"),
        ((), Call(seat=1, call="pass", suit="h"), "goes only with name"),
        ((), SwapWidow(seat=3), "no seat"),
        ((), Stay(seat=3), "no seat"),
        ((), Declare(maker=1, trump="h", bid=2, deal=4), "there is no deal 4"),
    ],
)
def test_the_auction_refuses_what_makes_no_sense(
    said: tuple[Command, ...], command: Command, says: str
) -> None:
    out = _bidding(*said).tell(command)
    assert isinstance(out, Rejected)
    assert says in out.reason


def test_who_has_played_cannot_drop() -> None:
    made = _bidding(Declare(maker=1, trump="h", bid=2))
    made.record([CardPlayed(seat=1, card=Card("Jh")), CardPlayed(seat=2, card=Card("9h"))])
    out = made.tell(Drop(seat=2))
    assert isinstance(out, Rejected)
    assert "has played in this deal" in out.reason


def test_bids_tell_the_bid_where_the_declaration_leaves_it_out() -> None:
    made = _bidding(BID_2, Declare(maker=1, trump="h"))
    assert snapshot(made.state, made.records)["deal"]["bid"] == 2


@pytest.mark.parametrize(
    ("said", "command", "says"),
    [
        ((Call(seat=1, call="name", suit="h"),), Call(seat=0, call="pass"), "trump is made"),
        ((Call(seat=1, call="pass"),), Call(seat=1, call="name", suit="h"), "has passed"),
        ((), Call(seat=1, call="pass", suit="h"), "goes only with name"),
        ((), Call(seat=1, call="pass", alone=True), "alone already"),
        ((), Call(seat=2, call="pass"), "no seat"),
        ((), ShowUpcard(card=Card("9h")), "no card is turned up"),
        ((), Declare(maker=0, trump="h", deal=3), "there is no deal 3"),
    ],
)
def test_naming_trump_for_two_refuses_what_makes_no_sense(
    said: tuple[Command, ...], command: Command, says: str
) -> None:
    made = Table("two_hand", dealer=0)
    for each in said:
        assert not isinstance(made.tell(each), Rejected)
    out = made.tell(command)
    assert isinstance(out, Rejected)
    assert says in out.reason


def test_a_card_that_was_played_is_no_table_card_any_more() -> None:
    made = Table("two_hand", dealer=0)
    made.tell(Declare(maker=1, trump="h"))
    made.record([CardPlayed(seat=1, card=Card("Jh"))])
    out = made.tell(ShowTableCard(seat=1, card=Card("Jh")))
    assert isinstance(out, Rejected)
    assert "was played in this deal" in out.reason


def test_at_the_table_for_two_markers_and_known_cards_change_nothing() -> None:
    made = Table("two_hand", dealer=0)
    assert isinstance(made.rests("4c", 0), Ignored)  # a score marker
    made.rests("9h", 0)
    assert isinstance(made.rests("9h", 0), Ignored)
    seen_elsewhere = made.rests("9h", 2)
    assert isinstance(seen_elsewhere, tuple)  # one of the two was misread: it is asked
    assert made.state.reviews[0].reason == "duplicate"


def test_no_trump_is_a_trump_like_any_other_where_the_rules_have_it() -> None:
    assert "n" in TRUMPS
    made = Table("two_hand", dealer=0, no_trump="both")
    made.tell(Call(seat=1, call="name", suit="n"))
    assert made.state.deals[0].trump == "n"
