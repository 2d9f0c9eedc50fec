"""The draw for the first dealer from the cards: RULES.md, "Pack"."""

from __future__ import annotations

from typing import Any

import pytest
from engine_scenes import Table, folded, recorded, started

from engine.cards import Card
from engine.commands import (
    AnswerReview,
    Call,
    Correct,
    DrawDealer,
    NameDealer,
    PlayCard,
    Rejected,
    ShowUpcard,
    Undo,
)
from engine.facts import (
    CardDrawn,
    CardPlayed,
    DealerNamed,
    DrawBegun,
    GameStarted,
    ReviewAnswered,
    ReviewRaised,
    TrickCleared,
    UpcardShown,
)
from engine.intake import Ignored
from engine.offers import offers
from engine.ruleset import in_words, ruleset_from
from engine.sightings import TableCovered
from engine.state import State, fold
from engine.view import snapshot


def drawing(method: str = "black_jack", **rules: Any) -> Table:
    """A table that has begun to draw."""
    table = Table(dealer=None, first_dealer=method, **rules)
    assert table.tell(DrawDealer()) == (DrawBegun(),)
    return table


def drawn(*cards: tuple[int, str], method: str = "black_jack", **rules: Any) -> State:
    return folded(
        DrawBegun(),
        *(CardDrawn(seat=seat, card=Card(card)) for seat, card in cards),
        dealer=None,
        first_dealer=method,
        **rules,
    )


def dealer_by(method: str, *cards: tuple[int, str], **rules: Any) -> int | None:
    state = drawn(*cards, method=method, **rules)
    assert state.draw is not None
    assert state.next_dealer == state.draw.dealer
    return state.draw.dealer


def refusal(answer: Any) -> str:
    assert isinstance(answer, Rejected), answer
    return answer.reason


def asked(table: Table) -> str:
    ask = snapshot(table.state, table.records)["ask"]
    return "" if ask is None else f"{ask['kind']}: {ask['text']}"


# --- whom the cards name ----------------------------------------------------------------------


def test_whoever_is_dealt_the_first_black_jack_deals() -> None:
    """Source A."""
    dealt = [(1, "9h"), (2, "Jh"), (3, "As"), (0, "Jd"), (1, "Kc"), (2, "Js"), (3, "Jc")]
    assert dealer_by("black_jack", *dealt[:5]) is None
    assert dealer_by("black_jack", *dealt[:6]) == 2
    assert dealer_by("black_jack", *dealt) == 2


def test_whoever_cuts_the_highest_card_deals_ace_high() -> None:
    """Source B."""
    cut = [(0, "Kh"), (1, "9c"), (2, "As"), (3, "Jc")]
    assert dealer_by("highest_card", *cut[:3]) is None
    assert dealer_by("highest_card", *cut) == 2


def test_those_who_are_level_cut_again_and_nobody_else() -> None:
    level = [(0, "Ah"), (1, "9c"), (2, "As"), (3, "Jc")]
    state = drawn(*level, method="highest_card")
    assert state.draw is not None
    assert state.draw.awaited == (0, 2)
    assert dealer_by("highest_card", *level, (1, "Ad"), (0, "Tc"), (2, "Qc")) == 2


def test_a_joker_has_no_rank_in_a_cut() -> None:
    """The sources say "ace high": whoever turns one up cuts again."""
    cut = [(0, "B"), (1, "9c"), (2, "Ts"), (3, "Jc")]
    assert dealer_by("highest_card", *cut, preset="british") is None
    assert dealer_by("highest_card", *cut, (0, "Qc"), preset="british") == 0


def test_the_two_of_spades_that_stands_in_for_the_joker_has_none_either() -> None:
    cut = [(0, "2s"), (1, "9c"), (2, "Ts"), (3, "Jc")]
    rules = {"preset": "british", "benny_face": "2s"}
    assert dealer_by("highest_card", *cut, **rules) is None


@pytest.mark.parametrize(("method", "known"), [("black_jack", "Jc"), ("highest_card", "9h")])
def test_a_card_that_nobody_could_read_may_be_the_one(method: str, known: str) -> None:
    doubt = ReviewRaised(subject="draw", seat=1, candidates=(), reason="unsure")
    facts = [DrawBegun(), doubt, *(CardDrawn(seat=s, card=Card(known)) for s in (2, 3, 0))]
    assert folded(*facts, dealer=None, first_dealer=method).next_dealer is None
    answer = ReviewAnswered(review=3, card=Card("Js"))
    settled = folded(*facts, answer, dealer=None, first_dealer=method)
    assert settled.next_dealer == 1


def test_a_cut_that_may_be_anybodys_names_nobody() -> None:
    doubt = ReviewRaised(
        subject="draw", seat=None, candidates=((Card("Ah"), 1.0),), reason="seat", track=1
    )
    cuts = [CardDrawn(seat=s, card=Card(c)) for s, c in [(0, "9h"), (1, "Kc"), (2, "Th")]]
    facts = [DrawBegun(), *cuts, doubt]
    assert folded(*facts, dealer=None, first_dealer="highest_card").next_dealer is None
    without_seat = ReviewAnswered(review=6, card=Card("Ah"))
    still = folded(*facts, without_seat, dealer=None, first_dealer="highest_card")
    assert len(still.reviews) == 1
    answer = ReviewAnswered(review=6, card=Card("Ah"), seat=3)
    settled = folded(*facts, answer, dealer=None, first_dealer="highest_card")
    assert (settled.next_dealer, settled.reviews) == (3, ())


# --- the draw as part of a game ---------------------------------------------------------------


def test_a_draw_does_away_with_who_was_to_deal() -> None:
    assert folded(DealerNamed(dealer=1), DrawBegun(), dealer=0).next_dealer is None


def test_a_second_draw_starts_anew() -> None:
    state = folded(DrawBegun(), CardDrawn(seat=1, card=Card("Jc")), DrawBegun(), dealer=None)
    assert (state.next_dealer, state.drawing) == (None, True)


def test_a_dealer_who_is_named_ends_the_draw() -> None:
    state = folded(DrawBegun(), DealerNamed(dealer=3), dealer=None)
    assert (state.next_dealer, state.drawing) == (3, False)


def test_who_deals_though_another_was_drawn_is_found_as_the_wrong_dealer() -> None:
    shown = UpcardShown(card=Card("9h"), dealer=0)
    state = folded(DrawBegun(), CardDrawn(seat=1, card=Card("Jc")), shown, dealer=None)
    assert [(f.kind, f.seat) for f in state.findings] == [("wrong_dealer", 0)]


def test_a_card_of_the_draw_mended_later_changes_who_had_to_deal() -> None:
    shown = UpcardShown(card=Card("9h"), dealer=0)
    facts = [DrawBegun(), CardDrawn(seat=1, card=Card("Jc")), shown]
    table = Table(dealer=None)
    table.record(facts)
    assert table.state.findings
    assert not isinstance(
        table.tell(Correct(target=3, seat=0, reason="it fell to North")), Rejected
    )
    assert not table.state.findings


def test_once_the_first_deal_is_on_no_draw_begins_and_no_card_is_of_one() -> None:
    shown = UpcardShown(card=Card("9h"), dealer=0)
    state = folded(shown, DrawBegun(), CardDrawn(seat=1, card=Card("Jc")), dealer=None)
    assert state.draw is None
    assert state.deals[0].dealer == 0


def test_a_seat_that_the_game_has_not_draws_nothing() -> None:
    assert dealer_by("black_jack", (5, "Jc"), (1, "Js")) == 1


def test_the_rules_say_how_the_first_dealer_is_found() -> None:
    told = {
        "home": "Whoever is dealt the first black jack, face up, deals first.",
        "pub": "Each cuts a card and the highest deals first, ace high.",
        "buck3": "Whoever is dealt the first black jack, face up, deals first.",
        "two_hand": "Whoever is dealt the first black jack, face up, deals first.",
        "call_ace_5": "Whoever is dealt the first black jack, face up, deals first.",
    }
    for preset, words in told.items():
        assert words in in_words(ruleset_from(preset)), preset
    agreed = ruleset_from({"first_dealer": "agreed"})
    assert "The table agrees on who deals first." in in_words(agreed)


# --- what is tapped ---------------------------------------------------------------------------


def test_cards_tapped_while_drawing_are_of_the_draw() -> None:
    table = drawing()
    assert table.tell(PlayCard(seat=1, card=Card("9h"))) == (CardDrawn(seat=1, card=Card("9h")),)
    table.tell(PlayCard(seat=2, card=Card("Jc")))
    assert table.state.next_dealer == 2
    assert asked(table) == "upcard: South deals: turn up a card."


def test_while_drawing_the_table_is_told_what_to_do() -> None:
    assert asked(drawing()) == (
        "draw: Deal cards face up, one to each in turn: whoever gets the first black jack deals."
    )
    table = drawing("highest_card")
    table.tell(PlayCard(seat=1, card=Card("9h")))
    assert asked(table) == (
        "draw: Everybody cuts a card, the highest deals: North, South and West to cut."
    )


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (PlayCard(seat=7, card=Card("9h")), "seat 7 is no seat"),
        (PlayCard(seat=1, card=Card("2h")), "'2h' is not in this game's pack"),
        (PlayCard(seat=2, card=Card("Kh")), "the king of hearts fell to East already"),
        (PlayCard(seat=1, card=Card("9h")), "East has cut a card, or is out of the draw"),
        (ShowUpcard(card=Card("9h")), "the first dealer is being drawn"),
        (Call(seat=1, call="pass"), "the first dealer is being drawn"),
        (DrawDealer(), "the first dealer is being drawn already"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_makes_no_sense_in_a_draw_is_refused(command: Any, why: str) -> None:
    table = drawing("highest_card")
    table.tell(PlayCard(seat=1, card=Card("Kh")))
    assert why in refusal(table.tell(command))


def test_a_table_that_agrees_on_the_dealer_draws_nothing() -> None:
    table = Table(dealer=None, first_dealer="agreed")
    assert "name the dealer, or mend the rules" in refusal(table.tell(DrawDealer()))


def test_in_the_first_deal_it_is_too_late_to_draw() -> None:
    table = Table(dealer=None)
    table.up("9h", dealer=1)
    assert "the first deal has begun" in refusal(table.tell(DrawDealer()))


def test_a_draw_is_offered_while_nobody_is_to_deal() -> None:
    assert DrawDealer() in offers(Table(dealer=None).state)
    assert DrawDealer() not in offers(Table(dealer=2).state)
    assert DrawDealer() not in offers(drawing().state)
    assert DrawDealer() not in offers(Table(dealer=None, first_dealer="agreed").state)


def test_undo_takes_back_the_last_card_and_then_the_draw() -> None:
    table = drawing()
    table.tell(PlayCard(seat=1, card=Card("Jc")))
    table.tell(Undo())
    assert (table.state.next_dealer, table.state.drawing) == (None, True)
    table.tell(Undo())
    assert table.state.draw is None


def test_naming_the_dealer_needs_no_cards() -> None:
    table = drawing()
    table.tell(NameDealer(dealer=3))
    assert not table.state.drawing
    assert table.state.next_dealer == 3


# --- what is seen -----------------------------------------------------------------------------


def test_cards_seen_while_drawing_are_of_the_draw() -> None:
    table = drawing()
    table.rests("9h", 1)
    table.rests("Jd", 2)
    table.rests("Js", 3)
    assert [type(r.fact) for r in table.records[2:]] == [CardDrawn] * 3
    assert table.state.next_dealer == 3
    assert table.state.deals == ()


def test_cards_of_the_draw_start_no_deal_though_one_is_dealt_too_many() -> None:
    table = drawing()
    table.rests("Js", 3)
    assert isinstance(table.rests("9h", 0), Ignored)
    assert table.clears() == (TrickCleared(),)
    table.up("Kh", dealer=3)
    assert [d.dealer for d in table.state.deals] == [3]
    assert not table.state.findings


def test_once_they_are_gathered_a_card_is_a_play_even_where_the_upcard_was_missed() -> None:
    table = drawing()
    table.rests("Js", 3)
    table.clears()
    assert isinstance(table.clears(), Ignored)
    (played,) = list(table.rests("9h", 0))
    assert isinstance(played, CardPlayed)


def test_a_card_seen_again_where_it_lies_is_no_second_one() -> None:
    table = drawing()
    table.rests("9h", 1)
    assert isinstance(table.rests("9h", 1), Ignored)


def test_hands_over_the_table_conclude_nothing() -> None:
    table = drawing()
    assert isinstance(table.see(TableCovered(at_us=5)), Ignored)
    assert isinstance(table.clears(), Ignored)


@pytest.mark.parametrize(
    ("laid", "reason", "question"),
    [
        ({"card": None, "seat": 2}, "unsure", "South's card in the draw could not be read."),
        (
            {"card": None, "seat": 2, "votes": [("Jc", 0.6)]},
            "unsure",
            "South's card in the draw may be the jack of clubs.",
        ),
        ({"card": "2h", "seat": 2}, "foreign", "South's card in the draw may be the 2 of hearts."),
        (
            {"card": "9h", "seat": 2},
            "duplicate",
            "South's card in the draw may be the 9 of hearts.",
        ),
        ({"card": "Jc", "seat": 2, "clear": False}, "seat", "Who drew the jack of clubs?"),
        ({"card": "Jc", "middle": True}, "seat", "Who drew the jack of clubs?"),
    ],
    ids=["unread", "doubtful", "not-in-the-pack", "twice", "between-seats", "in-the-middle"],
)
def test_a_doubtful_card_is_asked_about(laid: dict[str, Any], reason: str, question: str) -> None:
    table = drawing()
    table.rests("9h", 1)
    table.rests(**laid)
    (review,) = table.state.reviews
    assert (review.subject, review.reason) == ("draw", reason)
    assert asked(table).startswith(f"review: {question}")
    assert table.state.next_dealer is None


def test_the_answer_to_a_card_without_a_seat_names_the_seat() -> None:
    table = drawing()
    table.rests("Jc", 2, clear=False)
    (review,) = table.state.reviews
    told = table.tell(AnswerReview(review=review.version, card=Card("Jc")))
    assert "does not know whose card it is" in refusal(told)
    table.tell(AnswerReview(review=review.version, card=Card("Jc"), seat=2))
    assert (table.state.next_dealer, table.state.reviews) == (2, ())


def test_a_card_tapped_where_one_is_asked_about_is_the_answer() -> None:
    table = drawing()
    table.rests(None, 2)
    table.tell(PlayCard(seat=2, card=Card("Jc")))
    assert (table.state.next_dealer, table.state.reviews) == (2, ())


def test_a_surer_look_answers_a_doubtful_card() -> None:
    again = drawing()
    again.rests(None, 2, votes=[("Jc", 0.6)])
    assert again.rests("Jc", 2) == (ReviewAnswered(review=3, card=Card("Jc")),)
    reread = drawing()
    reread.rests(None, 2, track=7)
    assert reread.reads_again(7, "Jc") == (ReviewAnswered(review=3, card=Card("Jc")),)
    assert reread.state.next_dealer == again.state.next_dealer == 2


def test_a_surer_look_does_not_say_whose_a_card_is() -> None:
    table = drawing()
    table.rests("Jc", 2, clear=False, track=7)
    assert isinstance(table.reads_again(7, "Jc"), Ignored)


def test_a_card_read_otherwise_later_is_asked_about() -> None:
    table = drawing()
    table.rests("Js", 2, track=7)
    assert isinstance(table.reads_again(7, "Js"), Ignored)
    assert isinstance(table.reads_again(8, "Js"), Ignored)
    table.reads_again(7, "Qs")
    (review,) = table.state.reviews
    assert (review.reason, review.target) == ("changed", 3)
    table.tell(AnswerReview(review=review.version, card=Card("Qs")))
    assert (table.state.next_dealer, table.state.drawing, table.state.reviews) == (None, True, ())


def test_a_cut_card_laid_in_the_middle_is_of_the_hand_that_laid_it() -> None:
    table = drawing("highest_card")
    table.rests("Kh", middle=True, laid_from=3)
    assert table.state.draw is not None
    assert table.state.draw.awaited == (0, 1, 2)
    assert isinstance(table.rests("9h", 3), Ignored)


def test_in_every_game_the_cards_name_the_first_dealer() -> None:
    players = {"buck3": 3, "two_hand": 2, "call_ace_5": 5, "call_ace_6": 6}
    for preset, count in players.items():
        names = tuple(f"P{n}" for n in range(count))
        rules = {"preset": preset}
        begun = GameStarted(rules=rules, names=names, dealer=None, initial_score=(0,) * count)
        last = count - 1
        cards = [(0, "9h"), (last, "Jc")]
        facts = [DrawBegun(), *(CardDrawn(seat=s, card=Card(c)) for s, c in cards)]
        assert fold(recorded([begun, *facts])).next_dealer == last, preset


def test_a_snapshot_shows_the_draw_until_the_first_deal() -> None:
    table = drawing()
    table.rests("Kh", 1)
    table.rests("Js", 2)
    shown = snapshot(table.state, table.records)["draw"]
    assert (shown["method"], shown["dealer"], shown["awaited"]) == ("black_jack", 2, [])
    assert [(c["seat"], c["card"], c["evidence"]) for c in shown["cards"]] == [
        (1, "Kh", "picture-Kh"),
        (2, "Js", "picture-Js"),
    ]
    table.up("9h", dealer=2)
    assert snapshot(table.state, table.records)["draw"] is None


def test_the_history_tells_of_the_draw() -> None:
    table = drawing()
    table.rests("Js", 2)
    told = [line["text"] for line in snapshot(table.state, table.records)["history"]]
    assert told[-2:] == ["The first dealer is drawn", "South drew the jack of spades"]


def test_a_started_game_that_names_its_dealer_needs_no_draw() -> None:
    assert fold(recorded([started(2)])).draw is None
