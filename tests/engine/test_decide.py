"""Commands: what they add, and what is refused with the value and the cure."""

from __future__ import annotations

import random
from typing import Any

import pytest
from engine_scenes import Table, facts_of
from oracle_euchre import deal_out

from engine.cards import Card
from engine.commands import (
    AdjustScore,
    AnswerReview,
    Call,
    ClearTrick,
    Command,
    ConfirmDeal,
    Correct,
    Declare,
    EndGame,
    NameDealer,
    PlayCard,
    Rejected,
    ReportShuffle,
    RuleFinding,
    ShowUpcard,
    StartGame,
    TakeUpcard,
    ThrowIn,
    TurnDownUpcard,
    Undo,
)
from engine.decide import decide
from engine.facts import (
    Called,
    CardPlayed,
    Corrected,
    DealConfirmed,
    DealThrownIn,
    Declared,
    FindingRuled,
    GameStarted,
    PackShuffled,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
)
from engine.ruleset import ruleset_from, to_mapping
from engine.state import State


def table(*commands: Command, dealer: int | None = 3, **rules: Any) -> Table:
    made = Table(dealer=dealer, **rules)
    for command in commands:
        out = made.tell(command)
        assert not isinstance(out, Rejected), out
    return made


def refused(out: Any, code: str) -> str:
    assert isinstance(out, Rejected), out
    assert out.code == code
    return out.reason


SHOWN = ShowUpcard(card=Card("9s"))
HEARTS = Declare(maker=0, trump="h")


def test_a_game_starts_with_its_rules_written_out() -> None:
    out = decide(State(), StartGame(rules={"preset": "pub", "target": 5}, dealer=2, title="Final"))
    assert out == (
        GameStarted(
            rules=to_mapping(ruleset_from({"preset": "pub", "target": 5})),
            names=("North", "East", "South", "West"),
            dealer=2,
            title="Final",
        ),
    )


def test_a_game_with_bad_rules_is_refused_with_every_mistake() -> None:
    reason = refused(decide(State(), StartGame(rules={"target": -1, "pass_out": "x"})), "malformed")
    assert "target = -1" in reason
    assert "pass_out = 'x'" in reason


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (StartGame(names=("A", "B", "C")), "malformed", "give four"),
        (StartGame(dealer=4), "malformed", "dealer 4 is no seat"),
        (NameDealer(dealer=0), "not_now", "no game has begun"),
        (SHOWN, "not_now", "no game has begun"),
    ],
)
def test_before_a_game_only_a_sound_start_is_taken(command: Command, code: str, words: str) -> None:
    assert words in refused(decide(State(), command), code)


def test_a_second_start_is_refused() -> None:
    assert "this game has begun" in refused(table().tell(StartGame()), "not_now")


@pytest.mark.parametrize(
    ("before", "command", "code", "words"),
    [
        ([], NameDealer(dealer=7), "malformed", "dealer 7 is no seat: give 0 North"),
        ([], ShowUpcard(card=Card("1h")), "malformed", "'1h' is no card"),
        ([], ShowUpcard(card=Card("8h")), "malformed", "not in this game's pack of 24"),
        ([], TakeUpcard(), "not_now", "show it first"),
        ([], TurnDownUpcard(), "not_now", "show it first"),
        ([], Call(seat=0, call="pass"), "not_now", "show the up-card first"),
        ([], PlayCard(seat=0, card=Card("Ac")), "not_now", "show its up-card first"),
        ([], ClearTrick(), "not_now", "no trick lies"),
        ([], ThrowIn(), "not_now", "nothing to throw in"),
        ([], ConfirmDeal(), "not_now", "no deal has been scored"),
        ([], ConfirmDeal(deal=3), "unknown", "there is no deal 3"),
        ([], AnswerReview(review=1, card=None), "unknown", "there is no review 1"),
        ([], Correct(target=9, reason="x", strike=True), "unknown", "no entry 9"),
        ([], Correct(target=1, reason="x", strike=True), "not_now", "end the game"),
        ([], Undo(), "not_now", "nothing is left to undo"),
        ([], RuleFinding(finding="1:revoke:0:1", ruling="uphold"), "unknown", "no finding"),
        ([], AdjustScore(points=(1,), reason="x"), "malformed", "give 2 whole numbers"),
        ([], AdjustScore(points=(0, 0), reason="x"), "malformed", "all zero"),
        ([], AdjustScore(points=(1, 0), reason=""), "malformed", "reason is empty"),
        ([], ReportShuffle(seat=0, passes=0), "malformed", "passes 0"),
        ([], EndGame(reason=""), "malformed", "reason is empty"),
        ([SHOWN], SHOWN, "not_now", "has an up-card, the 9 of spades"),
        ([SHOWN, TakeUpcard()], TurnDownUpcard(), "not_now", "taken already: undo"),
        ([SHOWN, HEARTS], TakeUpcard(), "not_now", "turned down already"),
        ([SHOWN], Declare(maker=5, trump="h"), "malformed", "maker 5 is no seat"),
        ([SHOWN], Declare(maker=0, trump="x"), "malformed", "'x' is no trump"),
        ([SHOWN], Declare(maker=0, trump="n"), "malformed", "no trump is not played"),
        ([SHOWN], Declare(maker=0, trump="h", alone=1), "malformed", "not on the makers' side"),
        (
            [SHOWN],
            Declare(maker=0, trump="h", defender_alone=1),
            "malformed",
            "no defender plays alone in this game",
        ),
        ([SHOWN], Declare(maker=0, trump="h", deal=2), "unknown", "there is no deal 2"),
        ([SHOWN], Call(seat=1, call="pass"), "not_now", "it is North's call, not East's"),
        ([SHOWN], Call(seat=3, call="order_up"), "not_now", "call pick_up"),
        ([SHOWN], Call(seat=1, call="pick_up"), "not_now", "only the dealer picks up"),
        ([SHOWN], Call(seat=1, call="name", suit="s"), "not_now", "spades was turned down"),
        ([SHOWN], Call(seat=1, call="name", suit="q"), "not_now", "'q' is no trump"),
        ([SHOWN], Call(seat=1, call="pass", suit="h"), "malformed", "only with name"),
        ([SHOWN], Call(seat=0, call="pass", alone=True), "malformed", "nobody passes alone"),
        ([SHOWN, HEARTS], Call(seat=0, call="pass"), "not_now", "correct the declaration"),
        ([SHOWN, HEARTS], PlayCard(seat=0, card=Card("8c")), "malformed", "pack of 24"),
        ([SHOWN], Correct(target=2, reason=""), "malformed", "reason is empty"),
        ([SHOWN], Correct(target=2, reason="x"), "malformed", "nothing to correct"),
        ([SHOWN], Correct(target=2, reason="x", card=Card("Zz")), "malformed", "is no card"),
        ([SHOWN, HEARTS], Correct(target=3, reason="x", seat=1), "malformed", "no card"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_value_and_the_cure(
    before: list[Command], command: Command, code: str, words: str
) -> None:
    made = table(*before)
    version = made.state.version
    assert words in refused(made.tell(command), code)
    assert made.state.version == version


def test_a_defender_may_be_declared_alone_where_it_was_agreed() -> None:
    made = table(SHOWN, defend_alone="vs_lone")
    reason = refused(made.tell(Declare(maker=0, trump="h", defender_alone=1)), "malformed")
    assert "only against a lone maker" in reason
    reason = refused(made.tell(Declare(maker=0, trump="h", alone=0, defender_alone=2)), "malformed")
    assert "use alone" in reason
    assert made.tell(Declare(maker=0, trump="h", alone=0, defender_alone=1)) == (
        Declared(maker=0, trump="h", alone=0, defender_alone=1, deal=1),
    )


def test_an_upcard_is_tapped_in_and_taken() -> None:
    made = table()
    assert made.tell(ShowUpcard(card=Card("9s"), dealer=1)) == (
        UpcardShown(card=Card("9s"), dealer=1),
    )
    assert made.tell(TakeUpcard()) == (UpcardTaken(),)
    assert made.state.deals[0].trump == "s"


def test_a_tapped_upcard_answers_the_question_about_it() -> None:
    made = Table(dealer=3)
    made.up(None, 3, votes=[("9s", 0.5)])
    review = made.state.reviews[0].version
    assert made.tell(ShowUpcard(card=Card("9c"))) == (
        ReviewAnswered(review=review, card=Card("9c")),
    )


def test_an_upcard_tapped_in_after_plays_leaves_them_as_they_are() -> None:
    made = table(HEARTS)
    made.plays((0, "Ac"), (1, "9c"))
    made.tell(SHOWN)
    deal = made.state.deals[0]
    assert deal.upcard is not None
    assert deal.exposed == ()
    assert len(deal.tricks[0].plays) == 2


def test_a_declaration_names_its_deal() -> None:
    made = table()
    assert made.tell(HEARTS) == (Declared(maker=0, trump="h", deal=1),)
    made.tell(ThrowIn()) if made.state.open_deal else None
    made = table(SHOWN, ThrowIn())
    assert made.tell(HEARTS) == (Declared(maker=0, trump="h", deal=2),)


def test_a_late_declaration_speaks_of_the_deal_just_played() -> None:
    truth = deal_out(random.Random(1), dealer=3, alone_share=0.0)
    made = Table(dealer=3)
    made.record(facts_of(truth, declare="never"))
    out = made.tell(Declare(maker=truth.maker, trump=truth.trump))
    assert out == (Declared(maker=truth.maker, trump=truth.trump, deal=1),)
    assert made.state.score == truth.points
    assert "say deal 1 to mend it" in refused(made.tell(HEARTS), "not_now")
    assert made.tell(Declare(maker=0, trump="h", deal=1)) == (Declared(maker=0, trump="h", deal=1),)


# --- calls -------------------------------------------------------------------------------------


def test_the_last_pass_throws_the_deal_in() -> None:
    made = table(SHOWN, *[Call(seat=s % 4, call="pass") for s in range(7)])
    assert made.tell(Call(seat=3, call="pass")) == (
        Called(seat=3, call="pass"),
        DealThrownIn(reason="passed_out"),
    )
    assert made.state.next_dealer == 0


def test_a_stuck_dealer_cannot_pass() -> None:
    made = table(SHOWN, *[Call(seat=s % 4, call="pass") for s in range(7)], pass_out="stick_dealer")
    assert "must name trump" in refused(made.tell(Call(seat=3, call="pass")), "not_now")
    assert made.tell(Call(seat=3, call="name", suit="d")) == (
        Called(seat=3, call="name", suit="d"),
    )
    assert made.state.deals[0].trump == "d"


def test_after_four_passes_the_upcard_can_no_longer_be_ordered() -> None:
    made = table(SHOWN, *[Call(seat=s, call="pass") for s in range(4)])
    reason = refused(made.tell(Call(seat=0, call="order_up")), "not_now")
    assert "was turned down" in reason


def test_trump_cannot_be_named_in_the_first_round_once_passes_are_tapped() -> None:
    made = table(SHOWN, Call(seat=0, call="pass"))
    reason = refused(made.tell(Call(seat=1, call="name", suit="d")), "not_now")
    assert "second round" in reason


def test_a_call_that_makes_trump_needs_no_passes_before_it() -> None:
    made = table(SHOWN, Call(seat=2, call="order_up"))
    deal = made.state.deals[0]
    assert (deal.maker, deal.trump) == (2, "s")


# --- plays, sweeps, ends -----------------------------------------------------------------------


def test_plays_are_tapped_in_and_swept() -> None:
    made = table(SHOWN, HEARTS)
    assert made.tell(PlayCard(seat=0, card=Card("Ac"))) == (CardPlayed(seat=0, card=Card("Ac")),)
    assert "lies there already" in refused(made.tell(PlayCard(seat=0, card=Card("Ac"))), "not_now")
    for seat, card in [(1, "9c"), (2, "Tc"), (3, "Qc")]:
        made.tell(PlayCard(seat=seat, card=Card(card)))
    assert made.tell(ClearTrick()) == (TrickCleared(),)


def test_sweeping_an_unfinished_trick_asks_for_what_is_missing() -> None:
    made = table(SHOWN, HEARTS, PlayCard(seat=0, card=Card("Ac")))
    out = made.tell(ClearTrick())
    assert not isinstance(out, Rejected)
    assert [type(f).__name__ for f in out] == ["ReviewRaised"] * 3 + ["TrickCleared"]


def test_points_are_confirmed_once() -> None:
    truth = deal_out(random.Random(1), dealer=3)
    made = Table(dealer=3)
    made.record(facts_of(truth))
    assert made.tell(ConfirmDeal()) == (DealConfirmed(deal=1),)
    assert "marked already" in refused(made.tell(ConfirmDeal(deal=1)), "not_now")


def test_an_undeclared_deal_cannot_be_confirmed() -> None:
    made = table(SHOWN)
    assert "no points yet" in refused(made.tell(ConfirmDeal(deal=1)), "not_now")


def test_after_the_game_only_mending_remains() -> None:
    made = table(SHOWN, HEARTS, EndGame(reason="closing time"))
    assert "the game is over" in refused(made.tell(PlayCard(seat=0, card=Card("Ac"))), "not_now")
    assert made.tell(Declare(maker=1, trump="c", deal=1)) == (Declared(maker=1, trump="c", deal=1),)
    assert isinstance(made.tell(Undo()), tuple)


def test_a_shuffle_and_an_adjustment_are_facts() -> None:
    made = table()
    assert made.tell(ReportShuffle(seat=2, passes=3)) == (PackShuffled(seat=2, passes=3),)
    assert made.tell(AdjustScore(points=(0, -2), reason="talking")) == (
        ScoreAdjusted(points=(0, -2), reason="talking"),
    )
    assert made.state.score == (0, -2)


# --- reviews, corrections, undo ----------------------------------------------------------------


def doubted() -> Table:
    made = table(SHOWN, HEARTS)
    made.rests(None, 0, votes=[("Kc", 0.6), ("Ks", 0.4)])
    return made


def test_a_review_is_answered_once() -> None:
    made = doubted()
    review = made.state.reviews[0].version
    assert made.tell(AnswerReview(review=review, card=Card("Ks"))) == (
        ReviewAnswered(review=review, card=Card("Ks")),
    )
    reason = refused(made.tell(AnswerReview(review=review, card=Card("Kc"))), "not_now")
    assert f"correct entry {review}" in reason


def test_the_answer_must_say_whose_card_it_is_when_nobody_knows() -> None:
    made = table(SHOWN, HEARTS)
    made.record(
        [ReviewRaised(subject="play", seat=None, candidates=((Card("Kc"), 0.6),), reason="seat")]
    )
    review = made.state.reviews[0].version
    reason = refused(made.tell(AnswerReview(review=review, card=Card("Kc"))), "malformed")
    assert "add the seat" in reason
    assert isinstance(made.tell(AnswerReview(review=review, card=Card("Kc"), seat=0)), tuple)
    assert made.state.deals[0].tricks[0].plays[0].seat == 0


def test_an_answer_that_is_no_card_is_refused() -> None:
    made = doubted()
    review = made.state.reviews[0].version
    assert "is no card" in refused(
        made.tell(AnswerReview(review=review, card=Card("XX"))), "malformed"
    )


def test_a_play_is_corrected_in_its_place() -> None:
    made = table(SHOWN, HEARTS)
    made.plays((0, "Ac"), (1, "9c"))
    target = made.state.deals[0].tricks[0].plays[0].version
    out = made.tell(Correct(target=target, card=Card("Kc"), reason="misread"))
    assert not isinstance(out, Rejected)
    (fact,) = out
    assert isinstance(fact, Corrected)
    assert fact.replacement == CardPlayed(
        seat=0, card=Card("Kc"), confidence=1.0, track=1, evidence="picture-Ac"
    )
    first = made.state.deals[0].tricks[0].plays[0]
    assert (first.seat, first.card, first.version) == (0, "Kc", target)


def test_an_upcard_and_its_dealer_are_corrected() -> None:
    made = table(SHOWN)
    made.tell(Correct(target=2, card=Card("9c"), seat=1, reason="misread"))
    deal = made.state.deals[0]
    assert deal.upcard is not None
    assert (deal.upcard.card, deal.dealer) == ("9c", 1)


def test_an_answered_review_is_corrected_like_the_play_it_became() -> None:
    made = doubted()
    review = made.state.reviews[0].version
    made.tell(AnswerReview(review=review, card=Card("Ks")))
    made.tell(Correct(target=review, card=Card("Kc"), reason="looked again"))
    assert [p.card for p in made.state.deals[0].tricks[0].plays] == ["Kc"]


def test_an_open_review_is_answered_and_not_corrected() -> None:
    made = doubted()
    review = made.state.reviews[0].version
    reason = refused(made.tell(Correct(target=review, card=Card("Kc"), reason="x")), "not_now")
    assert "open question" in reason


def test_what_was_struck_cannot_be_corrected() -> None:
    made = table(SHOWN)
    made.tell(Correct(target=2, strike=True, reason="no card"))
    assert made.state.deals == ()
    assert "does not stand" in refused(
        made.tell(Correct(target=2, card=Card("9c"), reason="x")), "not_now"
    )


def test_undo_goes_back_fact_by_fact() -> None:
    made = table(SHOWN, HEARTS, PlayCard(seat=0, card=Card("Ac")))
    target = 4
    made.tell(Correct(target=target, card=Card("Kc"), reason="misread"))
    cards = []
    for _ in range(4):
        deal = made.state.deal
        trick = None if deal is None else deal.trick
        cards.append(
            (None if trick is None else trick.plays[0].card, None if deal is None else deal.trump)
        )
        assert isinstance(made.tell(Undo()), tuple)
    assert cards == [("Kc", "h"), ("Ac", "h"), (None, "h"), (None, None)]
    assert made.state.deals == ()
    assert "nothing is left" in refused(made.tell(Undo()), "not_now")


def test_undo_takes_an_answer_back() -> None:
    made = doubted()
    review = made.state.reviews[0].version
    made.tell(AnswerReview(review=review, card=Card("Ks")))
    made.tell(Undo())
    assert [r.version for r in made.state.reviews] == [review]


def test_a_finding_is_ruled_on_by_its_id() -> None:
    made = table(SHOWN, HEARTS)
    made.plays((0, "Ac"), (1, "Kd"), (2, "Tc"), (3, "Qc"), (0, "9c"), (1, "Kc"))
    out = made.tell(RuleFinding(finding="1:revoke:1:1", ruling="uphold", reason="agreed"))
    assert out == (FindingRuled(finding="1:revoke:1:1", ruling="uphold", reason="agreed"),)
    assert made.state.score == (2, 0)
    assert made.state.next_dealer == 0
