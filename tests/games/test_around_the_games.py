"""Around the deals of the other games: words, questions, claims, doubts, unknown cards."""

from __future__ import annotations

import random

import pytest
from games_scenes import PRESETS, Table, facts_of, folded, play, recorded, started

from engine.cards import Card, default_names
from engine.commands import (
    AdjustScore,
    AnswerReview,
    BidTricks,
    Call,
    CallAce,
    Claim,
    Declare,
    NameDealer,
    PlayCard,
    Rejected,
    RuleFinding,
    ShowHand,
    ShowUpcard,
    StartGame,
    Stay,
    TakeBack,
)
from engine.decide import decide
from engine.facts import (
    CardPlayed,
    Declared,
    Fact,
    GameStarted,
    HandShown,
    ReviewRaised,
    ScoreAdjusted,
    TableCardShown,
    TrickCleared,
    TricksBid,
    UpcardShown,
    WidowSwapped,
)
from engine.games import game_for
from engine.intake import Ignored, seat_at
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.replay import lines
from engine.ruleset import BadRuleset, in_words, preset, ruleset_from
from engine.score import score_json
from engine.sheet import deal_lines, summary
from engine.sightings import CardReread
from engine.state import State, fold
from engine.view import snapshot


def laid(*plays: tuple[int, str]) -> list[Fact]:
    return [CardPlayed(seat=seat, card=Card(card)) for seat, card in plays]


def asked(made: Table) -> tuple[str, str]:
    ask = snapshot(made.state, made.records)["ask"]
    return ask["kind"], ask["text"]


BUCK = Declared(maker=1, trump="h", bid=3)


# --- starting ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "names", "score"),
    [
        ("buck3", ("North", "East", "South"), (15, 15, 15)),
        ("two_hand", ("North", "South"), (0, 0)),
        ("call_ace_5", tuple(f"Player {n}" for n in range(1, 6)), (0,) * 5),
        ("call_ace_6", tuple(f"Player {n}" for n in range(1, 7)), (0,) * 6),
        ("home", ("North", "East", "South", "West"), (0, 0)),
    ],
)
def test_a_game_starts_with_as_many_names_and_scores_as_it_has_players(
    rules: str, names: tuple[str, ...], score: tuple[int, ...]
) -> None:
    (start,) = decide(State(), StartGame(rules=rules))
    assert isinstance(start, GameStarted)
    assert (start.names, start.initial_score) == (names, score)


def test_names_and_a_dealer_that_do_not_fit_are_refused() -> None:
    few = decide(State(), StartGame(rules="call_ace_5", names=("A", "B", "C")))
    assert isinstance(few, Rejected)
    assert "give five" in few.reason
    nobody = decide(State(), StartGame(rules="two_hand", names=("A", "B"), dealer=2))
    assert isinstance(nobody, Rejected)
    assert "give 0 A or 1 B" in nobody.reason


@pytest.mark.parametrize("name", PRESETS)
def test_the_rules_are_read_to_the_table_before_the_first_deal(name: str) -> None:
    rules = preset(name)
    words = in_words(rules)
    assert all(line.endswith(".") for line in words)
    assert any(line.startswith("A revoke") for line in words)
    target = str(rules.target)
    assert any(target in line for line in words)
    eight = " ".join(in_words(ruleset_from({"preset": name, "deals": 8})))
    assert "The game is 8 deals" in eight


@pytest.mark.parametrize("option", ["buck_swap_order", "buck_bid_rounds", "buck_lead", "pass_out"])
def test_each_option_of_buck_is_said_in_words(option: str) -> None:
    other = {
        "buck_swap_order": "dealers_left_first",
        "buck_bid_rounds": "until_two_pass",
        "buck_lead": "left_of_dealer",
        "pass_out": "same_dealer",
    }[option]
    changed = in_words(ruleset_from({"preset": "buck3", option: other}))
    assert len(set(changed) ^ set(in_words(preset("buck3")))) == 2


# --- seats and directions ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "seats", "seat"),
    [
        (0, 2, 0),
        (2, 2, 1),  # two sit across
        (1, 2, None),
        (3, 2, None),
        (2, 3, 2),
        (3, 3, None),  # three leave West free
        (3, 4, 3),
        (1, 5, None),  # five and six share four directions: the table is asked
        (5, 6, None),
        (None, 6, None),
    ],
)
def test_directions_of_the_table_are_seats(
    direction: int | None, seats: int, seat: int | None
) -> None:
    assert seat_at(direction, seats) == seat


def test_where_five_sit_the_table_is_asked_whose_card_it_was() -> None:
    made = Table("call_ace_5", dealer=0)
    made.record([UpcardShown(card=Card("8d"), dealer=0), Declared(maker=2, trump="h")])
    out = made.rests("9s", 1)
    assert isinstance(out, tuple)
    (review,) = made.state.reviews
    assert (review.reason, review.seat) == ("seat", None)
    made.tell(AnswerReview(review=review.version, card=Card("9s"), seat=1))
    assert [play.seat for play in made.state.deals[0].tricks[0].plays] == [1]


# --- questions --------------------------------------------------------------------------------


def test_buck_asks_for_the_dealer_bids_trump_and_who_stays() -> None:
    made = Table("buck3", dealer=None)
    assert asked(made) == ("dealer", "Who deals?")
    made.tell(NameDealer(dealer=0))
    assert asked(made) == ("bid", "North deals. Who bids, and how many tricks?")
    made.tell(BidTricks(seat=1, tricks=2))
    assert asked(made) == ("bid", "South bids more than 2, or passes.")
    made.tell(Call(seat=2, call="pass"))
    made.tell(Call(seat=0, call="pass"))
    assert asked(made) == ("declare", "East names trump, or no trump.")
    made.tell(Call(seat=1, call="name", suit="h"))
    assert asked(made) == ("stay", "Does North or South stay or drop?")
    made.tell(Stay(seat=0))
    assert asked(made) == ("stay", "Does South stay or drop?")


def test_a_declaration_without_a_bid_is_asked_about_and_nothing_is_counted() -> None:
    state = folded("buck3", Declared(maker=1, trump="h"))
    ask = snapshot(state, state.records)["ask"]
    assert (ask["kind"], ask["text"]) == ("bid", "How many tricks did East bid?")


def test_two_players_are_asked_who_names_trump() -> None:
    made = Table("two_hand", dealer=None)
    assert asked(made) == ("dealer", "Who deals?")
    made.tell(NameDealer(dealer=0))
    assert asked(made) == ("declare", "North deals; South names trump or passes.")
    made.record([TableCardShown(seat=0, card=Card("9h"))])
    assert asked(made) == ("declare", "South names trump or passes.")


def test_after_a_deal_the_points_are_to_be_marked() -> None:
    made = Table("buck3", dealer=0)
    made.tell(Declare(maker=1, trump="h", bid=5, dropped=(0, 2)))
    assert asked(made) == ("confirm", "Deal 1, the bid was made: 5 points off East. Mark it?")


# --- words ------------------------------------------------------------------------------------


def test_a_deal_of_buck_is_told_on_paper_and_in_a_replay() -> None:
    records = recorded(
        [
            started("buck3"),
            WidowSwapped(seat=2),
            Declared(maker=1, trump="h", bid=2, dropped=(0,)),
            *laid((1, "Jh"), (2, "9h")),
        ]
    )
    paper = "\n".join(deal_lines(records))
    assert "Bid: 2 tricks" in paper
    assert "Took the widow: South" in paper
    assert "Dropped: North" in paper
    told = "\n".join(lines(records))
    assert "East made hearts; bid 2 tricks; North dropped" in told
    assert "East takes trick 1" in told
    assert summary(records)["score"] == [15, 15, 15]


def test_a_deal_for_two_tells_its_table_cards_and_call_ace_its_partner() -> None:
    two = recorded(
        [
            started("two_hand"),
            TableCardShown(seat=0, card=Card("9h")),
            Declared(maker=1, trump="h"),
            *laid((1, "Jh"), (0, "9h")),
            TrickCleared(),
            TableCardShown(seat=0, card=Card("Kd")),
        ]
    )
    paper = "\n".join(deal_lines(two))
    assert "Open before North: 9♥, K♦ from trick 2" in paper
    for called, words in (
        ("Ah", "its holder is not known yet"),
        ("Ac", "Player 4 was the partner"),
        ("Ad", "the maker held it: alone"),
    ):
        ace = recorded(
            [
                started("call_ace_5"),
                UpcardShown(card=Card("8d"), dealer=0),
                Declared(maker=2, trump="s", ace=Card(called)),
                *laid((1, "9d"), (2, "Ad"), (3, "Ac")),
            ]
        )
        assert words in "\n".join(deal_lines(ace))


def test_the_winner_of_a_game_of_one_wins_in_the_singular() -> None:
    facts: list[Fact] = [started("buck3"), ScoreAdjusted(points=(0, -10, 0), reason="evening")]
    facts.append(Declared(maker=1, trump="h", bid=5, dropped=(0, 2)))
    told = "\n".join(lines(recorded(facts)))
    assert "East wins the game" in told
    assert "East won 15–0–15" in told


# --- claims, hands shown, cards taken back ----------------------------------------------------


def test_a_claim_of_a_revoke_is_open_until_the_cards_tell() -> None:
    made = Table("buck3", dealer=0)
    made.record([BUCK, *laid((1, "Jh"), (2, "9h"), (0, "Ts")), TrickCleared()])
    made.tell(Claim(seat=0, offence="revoke", by=1, trick=1))
    (claim,) = made.state.findings
    assert (claim.kind, claim.verdict) == ("revoke_claim", "open")
    made.record([*laid((1, "Jd"), (2, "9s"), (0, "Th")), TrickCleared()])
    verdicts = {f.kind: f.verdict for f in made.state.findings}
    assert verdicts["revoke_claim"] == "proved"


def test_a_card_shown_proves_a_revoke_before_it_is_played() -> None:
    made = Table("buck3", dealer=0)
    made.record([BUCK, *laid((1, "Jh"), (2, "9h"), (0, "Ts")), TrickCleared()])
    made.tell(ShowHand(seat=0, cards=(Card("Th"),)))
    found = next(f for f in made.state.findings if f.kind == "revoke")
    assert (found.seat, found.trick, found.proof) == (0, 1, "Th")


def test_for_two_a_hand_laid_open_at_the_end_proves_nothing_of_what_was_covered() -> None:
    facts: list[Fact] = [
        Declared(maker=1, trump="h"),
        *laid((1, "Ah"), (0, "9d")),
        TrickCleared(),
        HandShown(seat=0, cards=(Card("Qh"),)),
    ]
    assert [f.kind for f in folded("two_hand", *facts).findings if f.kind == "revoke"] == []


def test_a_card_taken_back_in_time_is_no_revoke() -> None:
    made = Table("buck3", dealer=0)
    made.record([BUCK, *laid((1, "Jh"), (2, "9h"), (0, "Ts"))])
    made.tell(TakeBack(target=made.records[-1].version))
    made.record([*laid((0, "Th")), TrickCleared()])
    assert [f for f in made.state.findings if f.kind == "revoke"] == []
    (deal,) = made.state.deals
    assert [play.card for play in deal.tricks[0].plays] == ["Jh", "9h", "Th"]


# --- irregular plays --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plays", "kind", "seat"),
    [
        (((2, "9h"),), "lead_out_of_turn", 2),
        (((1, "Jh"), (0, "9h")), "play_out_of_turn", 0),
        (((1, "Jh"), (2, "9h"), (2, "Th")), "played_twice", 2),
        (((1, "Jh"), (2, "Jh")), "duplicate_card", 2),
        (((1, "7h"),), "foreign_card", 1),
    ],
)
def test_what_is_irregular_is_found(
    plays: tuple[tuple[int, str], ...], kind: str, seat: int
) -> None:
    found = [f for f in folded("buck3", BUCK, *laid(*plays)).findings if f.kind == kind]
    assert [f.seat for f in found] == [seat]
    assert all(f.ruling for f in found)


def test_the_turned_down_card_and_a_card_the_dealer_took_are_out_of_others_reach() -> None:
    up = UpcardShown(card=Card("8d"), dealer=0)
    down = folded("call_ace_5", up, Declared(maker=2, trump="h"), *laid((1, "8d")))
    assert [f.kind for f in down.findings] == ["turned_down_played"]
    taken = folded("call_ace_5", up, Declared(maker=2, trump="d"), *laid((1, "8d")))
    assert [f.kind for f in taken.findings] == ["duplicate_card"]


def test_a_trick_swept_with_a_card_unseen_asks_for_it_and_counts_what_it_cannot_change() -> None:
    made = Table("buck3", dealer=0)
    made.tell(Declare(maker=1, trump="h", bid=1))
    made.rests("Jh", 1)
    made.rests("9h", 2)
    made.clears()
    (review,) = made.state.reviews
    assert (review.reason, review.seat) == ("missed", 0)


@pytest.mark.parametrize("name", PRESETS)
def test_an_unread_last_card_leaves_the_points_open_or_cannot_change_them(name: str) -> None:
    """Whatever is told of such a deal is what the referee, who saw the card, counted."""
    told = 0
    for seed in range(40):
        played = play(random.Random(seed), name)
        if not played.plays:
            continue
        facts = [started(name, played.dealer), *facts_of(name, played, declare=True)]
        last = max(n for n, fact in enumerate(facts) if isinstance(fact, CardPlayed))
        seat = played.plays[-1][1]
        facts[last] = ReviewRaised(subject="play", seat=seat, candidates=(), reason="missed")
        (deal,) = score_json(recorded(facts))["deals"]
        assert deal["points"] in (None, played.points)
        told += deal["points"] is not None
    if name != "buck3":  # where each trick counts there is nearly always something open
        assert told > 0


def test_loss_of_trick_for_two_gives_the_trick_to_the_other() -> None:
    made = Table("two_hand", dealer=0, revoke_mode="loss_of_trick")
    made.record([TableCardShown(seat=0, card=Card("9h")), Declared(maker=1, trump="h")])
    made.record(laid((1, "Ah"), (0, "9s")))
    (found,) = made.state.findings
    assert found.ruling == "Trick 1 goes to South."
    made.tell(RuleFinding(finding=found.id, ruling="uphold"))
    assert made.state.deals[0].points is None  # the deal is played out first


# --- what cannot be -----------------------------------------------------------------------------


def test_facts_of_seats_that_a_game_has_not_belong_to_no_deal_of_it() -> None:
    state = folded("two_hand", *laid((3, "9h"), (5, "Th")), TricksBid(seat=4, tricks=2))
    assert state.deals == ()
    assert "Seat 5 played the 10 of hearts" in "\n".join(lines(state.records))


def test_an_import_whose_scores_do_not_fit_its_game_is_left_out() -> None:
    sound = recorded([started("buck3"), BUCK])
    assert read_jsonl(write_jsonl(sound)).faults == ()
    wrong = recorded([started("buck3"), ScoreAdjusted(points=(1, 1), reason="x")])
    imported = read_jsonl(write_jsonl(wrong))
    assert imported.games == ()
    assert "a score adjustment of 2 sides" in imported.faults[0].message


def test_a_game_cannot_be_judged_by_the_rules_of_another_number_of_players() -> None:
    with pytest.raises(BadRuleset, match="is for 4 players and the game had 3"):
        score_json(recorded([started("buck3")]), rules="home")


def test_the_score_of_three_is_adjusted_by_three() -> None:
    made = Table("buck3")
    two = made.tell(AdjustScore(points=(1, 0), reason="x"))
    assert isinstance(two, Rejected)
    made.tell(AdjustScore(points=(1, 0, -2), reason="misdealt"))
    assert made.state.score == (16, 15, 13)


@pytest.mark.parametrize(
    "command",
    [
        BidTricks(seat=0, tricks=1),
        CallAce(card=Card("Ah")),
        Declare(maker=0, trump="h", bid=2),
        Declare(maker=0, trump="h", ace=Card("Ah")),
        Declare(maker=0, trump="h", dropped=(1,)),
    ],
)
def test_where_four_play_the_words_of_other_games_are_refused(command: object) -> None:
    made = Table("home")
    made.tell(ShowUpcard(card=Card("9h"), dealer=0))
    assert isinstance(made.tell(command), Rejected)  # type: ignore[arg-type]


def test_a_table_card_read_otherwise_is_doubted() -> None:
    made = Table("two_hand", dealer=0)
    made.rests("9h", 0)
    again = CardReread(
        at_us=9_000_000, track=1, card=Card("9d"), confidence=0.9, votes=((Card("9d"), 0.9),)
    )
    same = CardReread(
        at_us=9_000_000, track=1, card=Card("9h"), confidence=0.9, votes=((Card("9h"), 0.9),)
    )
    assert isinstance(made.see(same), Ignored)
    out = made.see(again)
    assert isinstance(out, tuple)
    (review,) = made.state.reviews
    assert (review.subject, review.reason) == ("table", "changed")


def test_games_have_as_many_sides_as_players_but_for_four() -> None:
    for name in PRESETS:
        game = game_for(preset(name))
        assert game.sides == game.seats == len(default_names(game.seats))
    state = fold(recorded([started("call_ace_6")]))
    view = snapshot(state, state.records)
    assert [side["side"] for side in view["sides"]] == [0, 1, 2, 3, 4, 5]
    assert [seat["side"] for seat in view["seats"]] == [0, 1, 2, 3, 4, 5]
    assert view["game"]["counts"] == "up"
    buck = snapshot(fold(recorded([started("buck3")])), ())
    assert (buck["game"]["counts"], buck["game"]["target"]) == ("down", 0)


def test_a_play_tapped_in_opens_a_deal_where_no_card_is_turned_up() -> None:
    made = Table("buck3", dealer=0)
    made.tell(PlayCard(seat=1, card=Card("Jh")))
    assert made.state.deals[0].phase == "undeclared"


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("buck3", {"pack": 24, "target": 15, "pass_out": "pass_deal", "revoke_points": 2}),
        ("two_hand", {"pack": 24, "target": 31, "pass_out": "stick_dealer", "revoke_points": 2}),
        (
            "call_ace_5",
            {"pack": 28, "target": 10, "pass_out": "pass_deal", "alone_by": "maker"},
        ),
        (
            "call_ace_6",
            {"pack": 32, "target": 10, "pass_out": "pass_deal", "alone_by": "maker"},
        ),
    ],
)
def test_a_preset_of_another_game_is_its_row_of_the_table(
    name: str, row: dict[str, object]
) -> None:
    """RULES.md, "Presets"."""
    rules = preset(name)
    assert {key: getattr(rules, key) for key in row} == row
    assert rules.revoke_points == 2
    assert rules.jokers == 0
    assert game_for(rules).lowest_wins is (name == "buck3")
