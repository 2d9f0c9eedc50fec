"""``upcard show GAME --deal N`` in the other games: a diagram a director can settle by."""

from __future__ import annotations

import random

import pytest
from games_scenes import PRESETS, facts_of, play, recorded, started

from engine.cards import default_names, short
from engine.facts import Called, CardPlayed, Declared, Dropped, TricksBid
from engine.games import game_for
from engine.ruleset import preset as preset_of
from engine.sheet import deal_lines


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("seed", range(6))
def test_every_card_stands_in_its_seats_column_and_the_points_below(preset: str, seed: int) -> None:
    """Read back from the paper: who played what, in which order, who won, who scored."""
    played = play(random.Random(seed), preset)
    records = recorded([started(preset, played.dealer), *facts_of(preset, played, declare=True)])
    lines = deal_lines(records)
    names = default_names(game_for(preset_of(preset)).seats)
    assert sum("points" in line for line in lines) == 1
    if not played.plays:
        # All others dropped: there is nothing to draw, and the bidder counts all the same.
        assert not any(line.startswith("Trick ") for line in lines)
        return
    head = next(n for n, line in enumerate(lines) if line.startswith("Trick "))
    columns = [lines[head].index(f"  {name}") + 2 for name in names]
    ends = [*columns[1:], lines[head].index("Won by")]
    for trick, winner in enumerate(played.winners, start=1):
        row = lines[head + trick]
        assert row.endswith(names[winner])
        order = [(s, c) for t, s, c in played.plays if t == trick]
        for place, (seat, card) in enumerate(order, start=1):
            cell = row[columns[seat] : ends[seat]].strip()
            shown = f"[{short(card)}]" if seat == winner else short(card)
            assert cell == f"{place}.{shown}"
    for seat, name in enumerate(names):
        hand = next(line for line in lines if line.startswith(f"  {name} "))
        laid = [short(c) for _, s, c in played.plays if s == seat]
        if laid:
            assert sorted(hand.removeprefix(f"  {name}").split()) == sorted(laid)


def test_a_deal_of_buck_tells_its_bids_and_who_dropped() -> None:
    lines = deal_lines(
        recorded(
            [
                started("buck3", 0),
                TricksBid(seat=1, tricks=2),
                TricksBid(seat=2, tricks=3),
                Called(seat=0, call="pass"),
                Called(seat=2, call="name", suit="h"),
                Dropped(seat=1),
                CardPlayed(seat=2, card="Jh"),
                CardPlayed(seat=0, card="9h"),
            ]
        )
    )
    assert "Bids: East 2, South 3" in lines
    assert "Calls: North passed; South named hearts" in lines
    assert "Dropped: East" in lines
    assert any(line.startswith("  East ") and line.endswith("dropped") for line in lines)


def test_a_lone_maker_is_named_once() -> None:
    lines = deal_lines(
        recorded(
            [
                started("call_ace_5", 0),
                Declared(maker=1, trump="h", alone=1),
                CardPlayed(seat=2, card="Jh"),
            ]
        )
    )
    assert "Trump: hearts, made by Player 2, alone" in lines
