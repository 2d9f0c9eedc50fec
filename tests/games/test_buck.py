"""Buck euchre, rule by rule. Source: RULES.md, "Two packs, more seats, fewer seats"."""

from __future__ import annotations

import pytest
from games_scenes import Table, folded, recorded, started

from engine.cards import Card
from engine.commands import (
    BidTricks,
    Call,
    Declare,
    Drop,
    PlayCard,
    Rejected,
    RuleFinding,
    ShowUpcard,
    Stay,
    SwapWidow,
    ThrowIn,
)
from engine.facts import CardPlayed, Declared, Fact, TrickCleared, WidowSwapped
from engine.games.buck import outcome, score_tricks, swap_order
from engine.ruleset import BadRuleset, preset, ruleset_from
from engine.score import score_json
from engine.view import snapshot


def tricks(*rows: tuple[int, str], of: tuple[int, ...] = (0, 1, 2)) -> list[Fact]:
    """Rows of cards, the leader's first, played clockwise by the seats in play."""
    facts: list[Fact] = []
    for leader, cards in rows:
        seats = [(leader + step) % 3 for step in range(3) if (leader + step) % 3 in of]
        facts += [
            CardPlayed(seat=seat, card=Card(card))
            for seat, card in zip(seats, cards.split(), strict=True)
        ]
        facts.append(TrickCleared())
    return facts


#: Hearts are trump and seat 1 leads as high bidder: it takes three, seat 2 two, seat 0 none.
THREE_TWO_NONE = tricks(
    (1, "Jh 9h Th"), (1, "Jd Ts 9s"), (1, "Ah Qs Js"), (1, "9c Ac Tc"), (2, "Kc Qc 9d")
)


@pytest.mark.parametrize(
    ("tricks_each", "bid", "dropped", "points", "result"),
    [
        ((0, 3, 2), 3, (), (5, -3, -2), "bid_made"),  # a stayer with no trick adds 5
        ((1, 3, 1), 3, (), (-1, -3, -1), "bid_made"),  # 1 off per trick
        ((1, 4, 0), 2, (), (-1, -4, 5), "bid_made"),  # tricks over the bid count too
        ((2, 2, 1), 3, (), (-2, 5, -1), "set"),  # a bidder short adds 5, subtracts nothing
        ((0, 0, 5), 1, (), (5, 5, -5), "set"),
        ((0, 3, 2), 3, (0,), (0, -3, -2), "bid_made"),  # who dropped has no score
        ((0, 5, 0), 5, (0, 2), (0, -5, 0), "bid_made"),
    ],
)
def test_each_trick_takes_one_off_and_who_falls_short_adds_five(
    tricks_each: tuple[int, ...],
    bid: int,
    dropped: tuple[int, ...],
    points: tuple[int, ...],
    result: str,
) -> None:
    assert score_tricks(tricks_each, maker=1, bid=bid, dropped=dropped) == (points, result)


def test_a_deal_worked_by_hand() -> None:
    state = folded("buck3", Declared(maker=1, trump="h", bid=3), *THREE_TWO_NONE)
    (deal,) = state.deals
    assert deal.winners == (1, 1, 1, 2, 2)
    assert deal.points == (5, -3, -2)
    assert state.score == (20, 12, 13)
    assert state.findings == ()


@pytest.mark.parametrize(
    ("score", "over", "winner"),
    [
        ((15, 15, 15), False, None),
        ((3, 0, 9), True, 1),  # zero is enough
        ((-1, 0, 9), True, 0),  # several at once: the lowest
        ((-1, -1, 9), False, None),  # level: they play on
    ],
)
def test_the_first_to_zero_or_below_wins(
    score: tuple[int, ...], over: bool, winner: int | None
) -> None:
    told = outcome(score, 5, preset("buck3"))
    assert (told.over, told.winner) == (over, winner)


def test_after_the_agreed_deals_the_lowest_wins() -> None:
    rules = ruleset_from({"preset": "buck3", "deals": 8})
    assert outcome((7, 9, 8), 8, rules).winner == 0
    assert not outcome((0, 9, 8), 7, rules).over
    drawn = outcome((7, 7, 8), 8, rules)
    assert (drawn.over, drawn.winner) == (True, None)


def test_the_widow_is_offered_from_the_dealers_right_the_dealer_last() -> None:
    assert swap_order(0, preset("buck3")) == (2, 1, 0)
    left_first = ruleset_from({"preset": "buck3", "buck_swap_order": "dealers_left_first"})
    assert swap_order(0, left_first) == (1, 2, 0)


def test_the_auction_word_by_word() -> None:
    made = Table("buck3", dealer=0)
    assert made.tell(SwapWidow(seat=2)) == (WidowSwapped(seat=2),)
    made.tell(SwapWidow(seat=0))
    too_late = made.tell(SwapWidow(seat=1))
    assert isinstance(too_late, Rejected)
    assert "turn for the widow was before" in too_late.reason
    made.tell(BidTricks(seat=1, tricks=2))
    low = made.tell(BidTricks(seat=2, tricks=2))
    assert isinstance(low, Rejected)
    assert "bid more, or pass" in low.reason
    made.tell(Call(seat=2, call="pass"))
    after_the_bids = made.tell(SwapWidow(seat=1))
    assert isinstance(after_the_bids, Rejected)
    assert made.state.deals[0].maker is None
    made.tell(BidTricks(seat=0, tricks=3))
    assert made.state.deals[0].maker == 0
    assert isinstance(made.tell(Call(seat=1, call="name", suit="h")), Rejected)
    made.tell(Call(seat=0, call="name", suit="n"))
    assert isinstance(made.tell(Drop(seat=0)), Rejected)
    made.tell(Drop(seat=1))
    made.tell(Stay(seat=2))
    (deal,) = made.state.deals
    assert (deal.maker, deal.trump, deal.turn, deal.sits_out) == (0, "n", 0, (1,))
    view = snapshot(made.state, made.records)
    assert view["deal"]["bid"] == 3
    assert view["deal"]["bids"] == [{"seat": 1, "tricks": 2}, {"seat": 0, "tricks": 3}]
    assert (view["deal"]["swapped"], view["deal"]["dropped"]) == ([2, 0], [1])
    assert [seat["sits_out"] for seat in view["seats"]] == [False, True, False]
    assert view["ask"] is None


def test_bids_go_round_until_two_have_passed_where_the_table_agreed_so() -> None:
    made = Table("buck3", dealer=0, buck_bid_rounds="until_two_pass")
    made.tell(BidTricks(seat=1, tricks=1))
    made.tell(BidTricks(seat=2, tricks=2))
    made.tell(Call(seat=0, call="pass"))
    assert made.state.deals[0].maker is None
    made.tell(BidTricks(seat=1, tricks=3))
    assert isinstance(made.tell(BidTricks(seat=0, tricks=4)), Rejected)
    made.tell(Call(seat=2, call="pass"))
    assert made.state.deals[0].maker == 1


def test_when_all_pass_the_deal_is_thrown_in_and_passes_on() -> None:
    made = Table("buck3", dealer=0)
    for seat in (1, 2, 0):
        made.tell(Call(seat=seat, call="pass"))
    (deal,) = made.state.deals
    assert (deal.thrown_in, deal.points) == ("passed_out", (0, 0, 0))
    assert made.state.next_dealer == 1


def test_when_all_others_drop_the_bidder_counts_every_trick() -> None:
    state = folded("buck3", Declared(maker=2, trump="s", bid=4, dropped=(0, 1)))
    (deal,) = state.deals
    assert (deal.complete, deal.points) == (True, (0, 0, -5))


def test_one_tap_is_enough_and_may_come_after_the_last_card() -> None:
    early = folded("buck3", Declared(maker=1, trump="h", bid=3), *THREE_TWO_NONE)
    late = folded("buck3", *THREE_TWO_NONE, Declared(maker=1, trump="h", bid=3))
    assert late.deals[0].points == early.deals[0].points == (5, -3, -2)
    undeclared = folded("buck3", *THREE_TWO_NONE)
    assert undeclared.deals[0].points is None
    view = snapshot(undeclared, undeclared.records)
    assert view["ask"]["kind"] == "declare"


def test_who_leads_is_an_option() -> None:
    bidder = folded("buck3", Declared(maker=0, trump="h", bid=2), dealer=0)
    assert bidder.turn == 0
    left = folded("buck3", Declared(maker=0, trump="h", bid=2), buck_lead="left_of_dealer")
    assert left.turn == 1
    dropped = folded(
        "buck3", Declared(maker=0, trump="h", bid=2, dropped=(1,)), buck_lead="left_of_dealer"
    )
    assert dropped.turn == 2


#: Seat 0 throws a spade on the first heart led and shows a heart on the second trick. (With the
#: king of diamonds in seat 2's hand no other trump explains it.)
REVOKED = tricks(
    (1, "Jh 9h Ts"), (1, "Jd 9s Th"), (1, "Ah Qs Js"), (1, "9c Ac Tc"), (2, "Kd Qc 9d")
)


def test_a_revoke_is_proved_by_the_first_heart_and_replaces_everybodys_result() -> None:
    state = folded("buck3", Declared(maker=1, trump="h", bid=3), *REVOKED)
    (found,) = state.findings
    assert (found.kind, found.seat, found.trick, found.card) == ("revoke", 0, 1, "Ts")
    assert (found.proof, found.proven_at_trick) == ("Th", 2)
    assert state.score == (20, 12, 13)  # as played, until the table upholds it
    made = Table("buck3")
    made.record([Declared(maker=1, trump="h", bid=3), *REVOKED])
    made.tell(RuleFinding(finding=found.id, ruling="uphold"))
    assert made.state.score == (17, 15, 15)
    assert made.state.deals[0].result == "revoke"


def test_deducted_the_penalty_comes_on_top_of_the_result() -> None:
    state = folded(
        "buck3",
        Declared(maker=1, trump="h", bid=3),
        *REVOKED,
        revoke_mode="deduct",
        revoke_judge="automatic",
    )
    assert state.score == (22, 12, 13)


def test_a_revoke_that_another_trump_explains_is_asked_about_never_counted_unasked() -> None:
    """With diamonds as trump the jack of hearts led would have been one."""
    explained = list(REVOKED)
    explained[-4] = CardPlayed(seat=2, card=Card("Kc"))
    state = folded(
        "buck3", Declared(maker=1, trump="h", bid=3), *explained, revoke_judge="automatic"
    )
    (found,) = state.findings
    assert found.status == "open"
    assert found.doubt == "Is trump really hearts? With diamonds every card would be in order."
    assert state.score == (20, 12, 13)


def test_a_seat_that_dropped_is_never_judged_and_its_card_is_named() -> None:
    facts: list[Fact] = [Declared(maker=1, trump="h", bid=3, dropped=(0,))]
    facts += tricks((1, "Jh 9h"), (1, "Jd 9s"), of=(1, 2))
    facts += [CardPlayed(seat=0, card=Card("Ts")), CardPlayed(seat=1, card=Card("Ah"))]
    facts += [CardPlayed(seat=0, card=Card("Th"))]
    kinds = {finding.kind for finding in folded("buck3", *facts).findings}
    assert kinds == {"sitting_out_played"}


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (Declare(maker=3, trump="h", bid=2), "no seat"),
        (Declare(maker=0, trump="h"), "bid is missing"),
        (Declare(maker=0, trump="h", bid=6), "1 to 5"),
        (Declare(maker=0, trump="x", bid=2), "no trump"),
        (Declare(maker=0, trump="h", bid=2, dropped=(0,)), "is the bidder"),
        (Declare(maker=0, trump="h", bid=2, alone=0), "nobody goes alone"),
        (Declare(maker=0, trump="h", bid=2, ace=Card("Ac")), "no ace is called"),
        (BidTricks(seat=0, tricks=0), "bid 1 to 5"),
        (BidTricks(seat=3, tricks=1), "no seat"),
        (Call(seat=0, call="order_up"), "no card is turned up"),
        (Call(seat=0, call="name", suit="h"), "nobody has bid"),
        (Call(seat=0, call="pass", alone=True), "nobody goes alone"),
        (ShowUpcard(card=Card("9h")), "no card is turned up"),
        (Stay(seat=0), "nobody has bid"),
        (PlayCard(seat=3, card=Card("9h")), "no seat"),
        (PlayCard(seat=0, card=Card("8h")), "not in this game's pack"),
        (ThrowIn(), "no deal is under way"),
    ],
)
def test_a_tap_that_makes_no_sense_is_refused_with_the_cure(command: object, says: str) -> None:
    made = Table("buck3")
    before = len(made.records)
    out = made.tell(command)  # type: ignore[arg-type]
    assert isinstance(out, Rejected)
    assert says in out.reason
    assert len(made.records) == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": 4}, "in buck it is 3"),
        ({"hand_size": 7}, "in buck it is 5"),
        ({"revoke_mode": "loss_of_trick"}, "award or deduct"),
        ({"buck_lead": "dealer"}, "high_bidder, left_of_dealer"),
    ],
)
def test_rules_that_buck_cannot_have_are_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(BadRuleset, match=says):
        ruleset_from({"preset": "buck3", **options})


def test_cards_seen_at_three_sides_of_the_table_are_played_by_three() -> None:
    made = Table("buck3", dealer=0)
    made.tell(Declare(maker=1, trump="h", bid=3))
    made.rests("Jh", 1)
    made.rests("9h", 2)
    made.rests("Th", 0)
    made.clears()
    assert made.state.deals[0].winners == (1,)
    nobody = made.rests("Jd", 3)  # the fourth side is free: it is asked whose card it was
    assert not isinstance(nobody, tuple) or nobody[0].__class__.__name__ == "ReviewRaised"
    in_the_middle = made.rests("Ah", 1, middle=True, laid_from=1)
    assert in_the_middle == (
        CardPlayed(seat=1, card=Card("Ah"), confidence=0.99, track=made.tracks),
    )


def test_the_score_sheet_counts_three_players() -> None:
    told = score_json(
        recorded([started("buck3"), Declared(maker=1, trump="h", bid=3), *THREE_TWO_NONE])
    )
    (deal,) = told["deals"]
    assert told["score"] == [20, 12, 13]
    assert (deal["points"], deal["tricks"], deal["bid"]) == ([5, -3, -2], [0, 3, 2], 3)
