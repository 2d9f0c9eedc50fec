"""Call-ace, rule by rule. Source: RULES.md, "Two packs, more seats, fewer seats"."""

from __future__ import annotations

import pytest
from games_scenes import Table, folded

from engine.cards import Card
from engine.commands import Call, CallAce, Declare, Rejected, RuleFinding, ShowUpcard, TakeUpcard
from engine.facts import AceCalled, CardPlayed, Declared, Fact, TrickCleared, UpcardShown
from engine.games.call_ace import score_tricks
from engine.ruleset import BadRuleset, preset, ruleset_from
from engine.view import snapshot


def tricks(*rows: tuple[int, str]) -> list[Fact]:
    """Rows of five cards, the leader's first, clockwise."""
    facts: list[Fact] = []
    for leader, cards in rows:
        for step, card in enumerate(cards.split()):
            facts.append(CardPlayed(seat=(leader + step) % 5, card=Card(card)))
        facts.append(TrickCleared())
    return facts


#: Seat 0 deals, seat 2 makes hearts and calls the ace of clubs, which seat 4 holds.
BEFORE: list[Fact] = [
    UpcardShown(card=Card("8d"), dealer=0),
    Declared(maker=2, trump="h", ace=Card("Ac")),
]
#: Seat 1 leads. Winners: 2, 2, 4 (with the ace of clubs), 4, 1.
PLAYED = tricks(
    (1, "9s As Ts Qs Ks"),
    (2, "Jh 8h Th 9h Qh"),
    (2, "9c Tc Ac 8c Qc"),
    (4, "Ah 8s Td 9d Kd"),
    (4, "Js Qd Ad Kc Jc"),
)


@pytest.mark.parametrize(
    ("taken", "makers", "alone", "points", "result"),
    [
        (3, (2, 4), False, (0, 0, 1, 0, 1), "made"),  # maker and partner 1 each
        (5, (2, 4), False, (0, 0, 2, 0, 2), "march"),  # or 2 each
        (5, (2,), True, (0, 0, 4, 0, 0), "march_alone"),  # lone 4
        (4, (2,), True, (0, 0, 1, 0, 0), "made_alone"),
        (2, (2, 4), False, (2, 2, 0, 2, 0), "euchre"),  # 2 to each other player
        (0, (2,), True, (2, 2, 0, 2, 2), "euchre"),
    ],
)
def test_each_player_of_a_side_scores(
    taken: int, makers: tuple[int, ...], alone: bool, points: tuple[int, ...], result: str
) -> None:
    told = score_tricks(taken, makers=makers, alone=alone, seats=5, ruleset=preset("call_ace_5"))
    assert told == (points, result)


def test_a_deal_worked_by_hand_and_the_partner_hidden_until_the_ace_falls() -> None:
    standings = []
    for cards in range(len(PLAYED) + 1):
        deal = folded("call_ace_5", *BEFORE, *PLAYED[:cards]).deals[0]
        standings.append(snapshot(folded("call_ace_5", *BEFORE, *PLAYED[:cards]), ())["deal"])
        assert deal.points is None or cards >= len(PLAYED) - 1
    fell = next(i for i, fact in enumerate(PLAYED) if getattr(fact, "card", "") == "Ac")
    assert {deal["standing"] for deal in standings[: fell + 1]} == {"hidden"}
    assert {(d["standing"], d["partner"]) for d in standings[fell + 1 :]} == {("partner", 4)}
    state = folded("call_ace_5", *BEFORE, *PLAYED)
    assert state.deals[0].winners == (2, 2, 4, 4, 4)
    assert state.score == (0, 0, 2, 0, 2)
    assert state.findings == ()


def test_a_called_ace_buried_in_the_kitty_scores_as_alone() -> None:
    facts = [BEFORE[0], Declared(maker=2, trump="h", ace=Card("Ad")), *PLAYED]
    # Nobody plays the ace of diamonds: seat 1 lays the 8 of diamonds' neighbour instead.
    facts = [
        CardPlayed(seat=f.seat, card=Card("Jd"))
        if isinstance(f, CardPlayed) and f.card == "Ad"
        else f
        for f in facts
    ]
    deal = folded("call_ace_5", *facts).deals[0]
    assert deal.particulars is not None
    assert snapshot(folded("call_ace_5", *facts), ())["deal"]["standing"] == "buried"
    # Seat 2 took two tricks of five, alone: euchred, 2 to each of the others.
    assert deal.points == (2, 2, 0, 2, 2)


def test_a_maker_who_holds_the_called_ace_plays_alone_without_saying_so() -> None:
    facts = [BEFORE[0], Declared(maker=2, trump="h", ace=Card("As")), *PLAYED]
    assert folded("call_ace_5", *facts).deals[0].points == (2, 2, 0, 2, 2)
    assert snapshot(folded("call_ace_5", *facts), ())["deal"]["standing"] == "own"


def test_against_a_maker_who_said_to_go_alone_the_left_leads_and_everybody_plays() -> None:
    alone = [BEFORE[0], Declared(maker=2, trump="h", alone=2)]
    state = folded("call_ace_5", *alone)
    assert state.turn == 3
    assert state.deals[0].sits_out == ()
    hidden = folded("call_ace_5", *BEFORE)
    assert hidden.turn == 1


def test_the_ace_may_be_called_later_and_is_asked_for() -> None:
    made = Table("call_ace_5", dealer=0)
    made.tell(ShowUpcard(card=Card("8d"), dealer=0))
    made.tell(Declare(maker=2, trump="h"))
    ask = snapshot(made.state, made.records)["ask"]
    assert (ask["kind"], ask["text"]) == ("ace", "Which ace does Player 3 call?")
    for card, says in (("Kc", "is no ace"), ("2c", "not in this game's pack")):
        refused = made.tell(CallAce(card=Card(card)))
        assert isinstance(refused, Rejected)
        assert says in refused.reason
    assert made.tell(CallAce(card=Card("Ac"))) == (AceCalled(card=Card("Ac")),)
    made.record(PLAYED)
    assert made.state.deals[0].points == (0, 0, 2, 0, 2)


def test_five_pass_twice_before_a_deal_is_passed_out() -> None:
    made = Table("call_ace_5", dealer=0)
    made.tell(ShowUpcard(card=Card("8d"), dealer=0))
    for turn in range(10):
        assert made.state.open_deal is not None
        made.tell(Call(seat=(1 + turn) % 5, call="pass"))
    assert made.state.deals[0].thrown_in == "passed_out"
    assert made.state.next_dealer == 1


def test_whoever_orders_up_in_the_first_round_is_the_maker() -> None:
    made = Table("call_ace_5", dealer=0)
    made.tell(ShowUpcard(card=Card("8d"), dealer=0))
    made.tell(Call(seat=1, call="pass"))
    wrong = made.tell(Call(seat=3, call="order_up"))
    assert isinstance(wrong, Rejected)
    made.tell(Call(seat=2, call="order_up"))
    made.tell(TakeUpcard())
    (deal,) = made.state.deals
    assert (deal.maker, deal.trump, deal.upcard_state) == (2, "d", "taken")


#: Seat 3 throws a spade on the hearts of trick 2 and shows one on trick 4.
REVOKE_BY_3 = tricks(
    (1, "9s As Ts Qs Ks"),
    (2, "Jh 8s Th 9h Qh"),
    (2, "9c Tc Ac 8c Qc"),
    (4, "Ah Js Td 9d 8h"),
    (4, "Kd Qd Ad Kc Jc"),
)


def test_an_offenders_side_waits_until_the_ace_falls() -> None:
    rules = {"revoke_judge": "automatic"}
    # The ace falls on trick 3, the proof on trick 4 (seat 3: 8 of hearts): 2 to each maker.
    state = folded("call_ace_5", *BEFORE, *REVOKE_BY_3, **rules)
    found = next(f for f in state.findings if f.kind == "revoke")
    assert (found.seat, found.trick, found.proof, found.proven_at_trick) == (3, 2, "8h", 4)
    assert state.deals[0].points == (0, 0, 2, 0, 2)
    assert found.ruling == "2 points to Player 3 and Player 5 each in place of the deal's result."
    # Had another ace been called that nobody has shown yet, nobody could say for whom it is.
    waiting: list[Fact] = [BEFORE[0], Declared(maker=2, trump="h", ace=Card("Ad"))]
    proved = next(
        i for i, f in enumerate(REVOKE_BY_3) if isinstance(f, CardPlayed) and f.card == "8h"
    )
    state = folded("call_ace_5", *waiting, *REVOKE_BY_3[: proved + 1], **rules)
    found = next(f for f in state.findings if f.kind == "revoke")
    assert state.deals[0].points is None
    assert found.ruling == (
        "It waits until the ace of diamonds falls: then it is known who plays with whom."
    )
    # Seat 1 lays it on the last trick: the partner, and 2 to each of the makers.
    state = folded("call_ace_5", *waiting, *REVOKE_BY_3, **rules)
    assert state.deals[0].points == (0, 2, 2, 0, 0)


def test_a_revoke_of_the_makers_side_gives_two_to_each_of_the_others() -> None:
    made = Table("call_ace_5", dealer=0)
    made.record([BEFORE[0], Declared(maker=3, trump="h", ace=Card("Ac")), *REVOKE_BY_3])
    found = next(f for f in made.state.findings if f.kind == "revoke")
    made.tell(RuleFinding(finding=found.id, ruling="uphold"))
    assert made.state.deals[0].points == (2, 2, 2, 0, 0)


def test_five_need_a_pack_of_28_and_six_one_of_32() -> None:
    with pytest.raises(BadRuleset, match="five hands of 5 and the up-card need 26 cards"):
        ruleset_from({"preset": "call_ace_5", "pack": 24})
    with pytest.raises(BadRuleset, match="six hands of 5 and the up-card need 31 cards"):
        ruleset_from({"preset": "call_ace_6", "pack": 28})
    assert ruleset_from({"preset": "call_ace_5", "pack": 32}).pack == 32


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Declare(maker=5, trump="h"), "no seat"),
        (Declare(maker=2, trump="h", alone=3), "only the maker goes alone"),
        (Declare(maker=2, trump="h", alone=2, ace=Card("Ac")), "calls no ace"),
        (Declare(maker=2, trump="h", ace=Card("Kc")), "is no ace"),
        (Declare(maker=2, trump="n", ace=Card("Ac")), "no trump is not played"),
        (Declare(maker=2, trump="h", bid=2), "belong to buck"),
        (CallAce(card=Card("Ac")), "nobody has made trump"),
    ],
)
def test_a_tap_that_makes_no_sense_is_refused_with_the_cure(command: object, says: str) -> None:
    out = Table("call_ace_5").tell(command)  # type: ignore[arg-type]
    assert isinstance(out, Rejected)
    assert says in out.reason
