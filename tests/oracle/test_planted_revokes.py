"""2,000 random deals a preset with planted revokes; 100,000 by ``campaign.py``."""

from __future__ import annotations

import pytest
from planted import misread, plant
from planted_others import PRESETS as OTHER_PRESETS
from planted_others import misread_other, plant_other
from slow_referee import PRESETS


@pytest.mark.parametrize("preset", PRESETS)
def test_every_planted_revoke_is_found_at_its_proof_and_nobody_else_is_accused(
    preset: str,
) -> None:
    *_, tally = plant(preset, 2000, seed=3)
    assert tally.wrong == []
    assert tally.deals == 2000
    assert tally.planted > 1000
    assert tally.legal > 600
    assert tally.looked_before > 100


@pytest.mark.parametrize("preset", OTHER_PRESETS)
def test_so_is_every_one_in_the_games_of_another_shape(preset: str) -> None:
    *_, tally = plant_other(preset, 2000, seed=3)
    assert tally.wrong == []
    assert tally.deals == 2000
    assert tally.planted > 500
    assert tally.legal > 600
    assert tally.looked_before > 50


@pytest.mark.parametrize("preset", ["home", "thirty_two", "joker"])
def test_with_cards_misread_false_accusations_are_rare(preset: str) -> None:
    """RULES.md, "Revokes" 5: a card seen twice vetoes, and more than one thing amiss that a
    single misread card explains is asked about. Under 0.7% of deals, with 32 cards too."""
    *_, tally = misread(preset, 20_000, seed=3)
    assert tally.misread > 1500
    assert tally.accused / tally.deals < 0.007
    # Without the veto it would be far more: the veto is what keeps it so low.
    assert tally.bare > 3 * tally.accused


@pytest.mark.parametrize("preset", OTHER_PRESETS)
def test_so_they_are_in_the_games_of_another_shape(preset: str) -> None:
    *_, tally = misread_other(preset, 2000, seed=3)
    assert tally.misread > 80
    assert tally.accused / tally.deals < 0.007
