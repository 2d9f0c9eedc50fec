"""A game rests for a while, and both sides say that its score is right."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import parse_card
from engine.commands import (
    AdjustScore,
    ClearTrick,
    Command,
    ConfirmGame,
    EndGame,
    PauseGame,
    PlayCard,
    Rejected,
    ResumeGame,
    ShowUpcard,
    StartGame,
)
from engine.facts import GameConfirmed, GamePaused
from engine.intake import Ignored
from engine.memory_log import MemoryLog
from engine.sightings import CardRested, Place
from engine.table import Accepted, Table


@pytest.fixture
def table() -> Table:
    made = Table(MemoryLog(), clock_us=lambda: 1)
    do(made, StartGame(dealer=0))
    do(made, ShowUpcard(card=parse_card("Kh")))
    return made


def do(table: Table, command: Command) -> Any:
    done = table.submit(command, source="test")
    assert isinstance(done, Accepted), done
    return done


def refused(table: Table, command: Command) -> str:
    done = table.submit(command, source="test")
    assert isinstance(done, Rejected), done
    return done.reason


def lays(card: str) -> CardRested:
    return CardRested(
        at_us=5,
        track=1,
        card=parse_card(card),
        confidence=0.99,
        votes=((parse_card(card), 0.99),),
        place=Place(seat=1),
        box=(0.0, 0.0, 1.0, 1.0),
        why=None,
        evidence=None,
    )


def test_what_lies_on_the_table_during_a_pause_is_no_play(table: Table) -> None:
    do(table, PauseGame(reason="supper"))
    facts = table.records
    assert isinstance(table.see(lays("Ah")), Ignored)
    assert "paused" in refused(table, PlayCard(seat=1, card=parse_card("Ah")))
    assert "paused" in refused(table, ClearTrick())
    assert table.records == facts
    snapshot = table.snapshot()
    assert snapshot["game"]["paused"] == "supper"
    assert snapshot["ask"]["kind"] == "paused"
    assert snapshot["offers"] == []


def test_after_the_pause_the_game_goes_on_where_it_was(table: Table) -> None:
    before = table.snapshot()
    do(table, PauseGame())
    assert "paused already" in refused(table, PauseGame())
    do(table, ResumeGame())
    assert "not paused" in refused(table, ResumeGame())
    after = table.snapshot()
    for part in ("game", "deal", "ask", "offers", "seats"):
        assert after[part] == before[part]
    assert isinstance(table.see(lays("Ah")), Accepted)


def test_the_past_is_mended_during_a_pause(table: Table) -> None:
    do(table, PauseGame())
    do(table, AdjustScore(points=(1, 0), reason="forgotten"))
    assert table.state.score == (1, 0)


def test_a_paused_game_can_be_ended_and_then_is_no_longer_paused(table: Table) -> None:
    do(table, PauseGame(reason="fire alarm"))
    do(table, EndGame(reason="fire alarm"))
    assert table.state.paused is None
    assert GamePaused(reason="fire alarm") in [r.fact for r in table.records]


def test_both_sides_confirm_the_score_of_a_finished_game(table: Table) -> None:
    assert "not over" in refused(table, ConfirmGame(seat=1))
    do(table, AdjustScore(points=(4, 2), reason="earlier deals"))
    do(table, EndGame(reason="closing time"))
    assert table.snapshot()["game"]["confirmed"] == []
    do(table, ConfirmGame(seat=3))
    assert table.records[-1].fact == GameConfirmed(seat=3, score=(4, 2))
    assert table.snapshot()["game"]["confirmed"] == [1]
    assert "confirmed this score already" in refused(table, ConfirmGame(seat=1))
    do(table, ConfirmGame(seat=0))
    assert table.snapshot()["game"]["confirmed"] == [0, 1]


def test_a_score_that_is_mended_afterwards_is_confirmed_afresh(table: Table) -> None:
    do(table, EndGame(reason="closing time"))
    do(table, ConfirmGame(seat=0))
    do(table, AdjustScore(points=(0, 1), reason="a deal was missed"))
    assert table.state.confirmed == ()
    do(table, ConfirmGame(seat=0))
    do(table, ConfirmGame(seat=1))
    assert table.state.confirmed == (0, 1)
    do(table, AdjustScore(points=(0, -1), reason="it was not"))
    # The score of then is the score again: what North said of it stands.
    assert table.state.confirmed == (0,)


def test_a_seat_the_game_has_not_confirms_nothing(table: Table) -> None:
    do(table, EndGame(reason="x"))
    assert refused(table, ConfirmGame(seat=5))
