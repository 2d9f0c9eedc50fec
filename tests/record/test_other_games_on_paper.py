"""Buck, the game for two and call-ace: corrected, shown and sent like the four-handed game."""

from __future__ import annotations

import random

import pytest
from games_scenes import facts_of, play, recorded, started
from hypothesis import given, settings
from record_scenes import SEEDS, seen, tell

from engine import facts as f
from engine.commands import Insert, Undo
from engine.notation.excerpt import deal_records
from engine.notation.jsonl import read_jsonl, write_jsonl
from engine.sheet import deal_lines, game_lines
from engine.state import fold

PRESETS = ("buck3", "two_hand", "call_ace_5", "call_ace_6")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_missed_card_is_put_in_and_a_deal_is_sent_alone(preset: str) -> None:
    @settings(max_examples=8, deadline=None, database=None)
    @given(seed=SEEDS)
    def check(seed: int) -> None:
        rng = random.Random(seed)
        told = facts_of(preset, play(rng, preset), declare=True)
        whole = fold(recorded([started(preset), *told]))
        plays = [n for n, x in enumerate(told[:-1]) if isinstance(x, f.CardPlayed)]
        if not plays:  # all passed
            return
        gone = rng.choice(plays)
        short = recorded([started(preset), *told[:gone], *told[gone + 1 :]])
        mended = tell(short, Insert(before=gone + 2, fact=told[gone], reason="a hand hid it"))
        assert seen(fold(mended)) == seen(whole)
        assert seen(fold(tell(mended, Undo()))) == seen(fold(short))
        alone = deal_records(mended, 1)
        assert read_jsonl(write_jsonl(alone)).faults == ()
        (deal,), (truth,) = fold(alone).deals, whole.deals
        assert (deal.winners, deal.points, deal.result) == (
            truth.winners,
            truth.points,
            truth.result,
        )

    check()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_deal_on_paper_has_a_column_for_every_player(preset: str) -> None:
    for seed in range(10):
        told = facts_of(preset, play(random.Random(seed), preset), declare=True)
        records = recorded([started(preset), *told])
        state = fold(records)
        (deal,) = state.deals
        if deal.tricks:
            break
    lines = deal_lines(records, deal=1)
    header = next(line for line in lines if line.startswith("Trick "))
    assert all(name in header for name in state.names)
    rows = [line for line in lines if line.split(".")[0][:1].isdigit() and "[" in line]
    assert len(rows) == len(deal.tricks)
    score = "–".join(str(points) for points in state.score)
    assert any(line.endswith(f"after {score}") for line in lines)
    assert any(line.startswith(f"Score {score}") or score in line for line in game_lines(records))


def test_a_game_that_counts_down_says_so() -> None:
    assert "from 15 down" in game_lines(recorded([started("buck3")]))[0]
