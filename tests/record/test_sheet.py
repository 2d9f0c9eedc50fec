"""A game on paper: the diagram of a deal, the score sheet, and one deal sent alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from oracle_euchre import Truth, deal_out
from record_scenes import NAMES, SEEDS, deal_facts, game, recorded, seen, tell

from engine import facts as f
from engine.cards import Card
from engine.commands import Correct, Insert, RuleFinding, StrikeDeal
from engine.notation.egn import read_egn, write_egn
from engine.notation.excerpt import deal_records
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.sheet import UnknownDeal, deal_lines, game_lines
from engine.state import fold

# Ann deals and takes the nine of hearts; Bob ordered it up. Cy throws a heart away on trick 1
# though clubs were led, and plays the king of clubs in trick 3.
REVOKE: list[f.Fact] = [
    f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=0, title="Friday"),
    f.UpcardShown(card=Card("9h"), dealer=0),
    f.Called(seat=1, call="order_up"),
    f.UpcardTaken(),
    f.Discarded(seat=0),
    *(
        fact
        for leader, cards in (
            (1, "Ac Th Qc 9c"),
            (2, "Jh Kh Qh Ah"),
            (2, "Kc Jc 9h Tc"),
            (0, "As Ks Ts Qs"),
            (0, "Js 9s 9d Qd"),
        )
        for fact in (
            *(
                f.CardPlayed(seat=(leader + step) % 4, card=Card(card))
                for step, card in enumerate(cards.split())
            ),
            f.TrickCleared(),
        )
    ),
]


def line(lines: list[str], start: str) -> str:
    found = [told for told in lines if told.strip().startswith(start)]
    assert len(found) == 1, (start, lines)
    return " ".join(found[0].split())


def test_a_deal_is_shown_with_its_hands_its_tricks_and_what_was_found() -> None:
    lines = deal_lines(recorded(REVOKE), deal=1)
    assert '"Friday"' in lines[0]
    assert line(lines, "North Ann") == "North Ann; East Bob; South Cy; West Di"
    assert line(lines, "Dealer") == "Dealer: Ann"
    assert line(lines, "Up-card") == "Up-card: 9♥, taken by Ann"
    assert line(lines, "Discard") == "Discard: not seen, by Ann"
    assert line(lines, "Calls") == "Calls: Bob ordered up"
    assert line(lines, "Trump") == "Trump: hearts, made by Bob"
    assert line(lines, "Bowers") == "Bowers: right J♥ Cy, left J♦ not seen"
    # Trump first, then suit by suit, the highest first.
    hands = lines[lines.index("Hands, as far as played (trump first)") + 1 :]
    assert line(hands[:5], "Ann") == "Ann Q♥ 9♥ 9♣ A♠ J♠"
    assert line(hands[:5], "Bob") == "Bob A♥ A♣ 10♣ K♠ 9♠"
    assert line(hands[:6], "Not seen") == "Not seen J♦ A♦ K♦ 10♦"
    assert line(lines, "Score before") == "Score before 0–0, after 2–0"


def test_the_winner_of_a_trick_its_leader_and_the_order_of_play_can_be_read_off() -> None:
    lines = deal_lines(recorded(REVOKE), deal=1)
    first = line(lines, "1 ").split()
    # Ann fourth, Bob led, Cy ruffed with a heart and won, Di third.
    assert [cell.rstrip("*") for cell in first[1:5]] == ["4.9♣", "1.A♣", "2.[10♥]", "3.Q♣"]
    assert first[5] == "Cy"
    third = line(lines, "3 ").split()
    assert [cell.rstrip("*") for cell in third[1:5]] == ["3.[9♥]", "4.10♣", "1.K♣", "2.J♣"]
    assert third[5] == "Ann"


def test_a_finding_is_told_in_its_sentence_with_the_ruling_that_was_given() -> None:
    records = recorded(REVOKE)
    (finding,) = fold(records).findings
    assert (finding.kind, finding.seat, finding.trick) == ("revoke", 2, 1)
    lines = deal_lines(records, deal=1)
    assert line(lines, "Finding (open)").endswith(finding.text)
    assert any(told.strip() == f"Proposed: {finding.ruling}" for told in lines)
    assert sum("*" in told for told in lines if told[:1].isdigit()) == 2
    ruled = tell(records, RuleFinding(finding=finding.id, ruling="uphold", reason="all agreed"))
    lines = deal_lines(ruled, deal=1)
    assert line(lines, "Finding (upheld)").endswith(finding.text)
    assert "all agreed" in line(lines, "Ruled")
    assert "As played it was" in line(lines, "As played")


def test_a_card_that_nobody_saw_and_an_open_question_are_said() -> None:
    told = [*REVOKE[:5], REVOKE[5], f.ReviewRaised(
        subject="play", seat=2, candidates=((Card("Th"), 0.6),), reason="unsure"
    )]  # fmt: skip
    lines = deal_lines(recorded(told), deal=1)
    assert "(5 cards not seen)" in line(lines, "Cy")
    assert "(4 cards not seen)" in line(lines, "Bob")
    assert "?" in line(lines, "1 ")
    assert "may be the 10 of hearts" in line(lines, "Open question")
    assert "points not known yet" in line(lines, "Tricks")


def test_the_score_sheet_has_a_line_for_each_deal_and_the_running_score() -> None:
    told = game(random.Random(11), 3)
    records = recorded([*told, f.ScoreAdjusted(points=(0, 1), reason="late")])
    state = fold(records)
    lines = game_lines(records)
    for deal, score in zip(state.deals, state.scores, strict=True):
        row = line(lines, f"{deal.number} ").split()
        assert row[-1] == f"{score[0]}–{score[1]}"
        assert deal.points is not None
        assert row[-2] == f"{deal.points[0]}–{deal.points[1]}"
    assert line(lines, "The score was adjusted").endswith("(late)")
    assert lines[-1].startswith(f"Score {state.score[0]}–{state.score[1]}")
    marked = game_lines(recorded(REVOKE))
    assert line(marked, "1*")
    assert line(marked, "* Deal 1, open")


def test_a_deal_that_there_is_not_is_named() -> None:
    for wrong in (0, 2, -1):
        with pytest.raises(UnknownDeal, match="deals 1 to 1"):
            deal_lines(recorded(REVOKE), deal=wrong)
        with pytest.raises(UnknownDeal, match="deals 1 to 1"):
            deal_records(recorded(REVOKE), wrong)
    assert any("Score 0–0" in told for told in game_lines(recorded(REVOKE[:1])))


def only(state: Any, number: int) -> Any:
    """One deal as ``seen`` gives it, but for its number in findings and their text."""
    deal = list(seen(state)[3][number - 1])
    deal[-1] = [(i.split(":", 1)[1], status) for i, _, status in deal[-1]]
    return deal


@settings(max_examples=12, deadline=None, database=None)
@given(seed=SEEDS)
def test_a_deal_sent_alone_is_the_deal_it_was(seed: int) -> None:
    rng = random.Random(seed)
    records = recorded(game(rng, 3, revoke_once=True))
    number = rng.randrange(1, 4)
    # It has a history: a card misread and mended, another that was missed and put in.
    facts, deal = fold(records).readings[number - 1]
    plays = [r for r in facts.facts if isinstance(r.fact, f.CardPlayed)]
    play = rng.choice(plays[:-1])  # the last one may have to leave the deal, see below
    records = tell(records, Correct(target=play.version, card=Card("9c"), reason="misread"))
    if deal.findings:
        ids = {finding.id for finding in fold(records).deals[number - 1].findings}
        kept = [finding.id for finding in deal.findings if finding.id in ids]
        for finding in kept[:1]:
            records = tell(records, RuleFinding(finding=finding, ruling="dismiss", reason="x"))
    records = tell(
        records,
        Insert(before=plays[-1].version, fact=f.CardPlayed(seat=1, card=Card("As")), reason="x"),
    )
    state = fold(records)
    alone = deal_records(records, number)
    (again,) = read_jsonl(write_jsonl(alone)).games
    assert read_jsonl(write_jsonl(alone)).faults == ()
    told = fold(again.records())
    assert len(told.deals) == 1
    assert only(told, 1) == only(state, number)
    before = state.scores[number - 2] if number > 1 else state.initial_score
    assert (told.initial_score, told.scores[0]) == (before, state.scores[number - 1])
    # What was seen first is still told beside what is true.
    assert any(isinstance(r.fact, f.Corrected) for r in alone)


def test_a_deal_whose_correction_reaches_beyond_it_is_sent_as_it_stands() -> None:
    records = recorded(game(random.Random(8), 3))
    records = tell(records, StrikeDeal(deal=1, reason="a trial"))
    state = fold(records)
    told = fold(deal_records(records, 1))
    assert only(told, 1) == only(state, 1)
    assert (told.initial_score, told.scores[0]) == (state.initial_score, state.scores[0])


def test_a_deal_sent_as_egn_shows_the_same_tricks() -> None:
    records = recorded(game(random.Random(21), 2))
    exported = write_egn(deal_records(records, 2))
    imported = read_egn(exported.text)
    assert imported.faults == ()
    told = fold(imported.games[0].records())
    truth = fold(records).deals[1]
    assert told.deals[0].winners == truth.winners
    assert told.deals[0].played_points == truth.played_points
    assert told.initial_score == fold(records).scores[0]


def test_the_hands_on_paper_are_the_hands_that_were_held() -> None:
    for seed in range(8):
        truth: Truth = deal_out(random.Random(seed), dealer=2, alone_share=0.0)
        told = [
            f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=2),
            *deal_facts(random.Random(seed), 1, 2, alone_share=0.0),
        ]
        lines = deal_lines(recorded(told), deal=1)
        start = lines.index("Hands, as far as played (trump first)")
        for seat, name in enumerate(NAMES):
            shown = line(lines[start : start + 6], name).split()[1:]
            played = [card for _, who, card in truth.plays if who == seat]
            assert len(shown) == len(played) == 5
            symbols = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
            expected = {card[0].replace("T", "10") + symbols[card[1]] for card in played}
            assert set(shown) == expected
