"""20,000 random deals, each step of ours against OpenSpiel's; 1,000,000 by ``campaign.py``."""

from __future__ import annotations

import pytest
from spiel_oracle import compare

pytest.importorskip("pyspiel", reason="open_spiel is absent: pip install open_spiel")


@pytest.mark.parametrize("lone_defender", [False, True], ids=["no lone defender", "lone defender"])
@pytest.mark.parametrize("stick", [False, True], ids=["pass the deal", "stick the dealer"])
def test_every_call_card_leader_winner_and_point_agrees_with_open_spiel(
    stick: bool, lone_defender: bool
) -> None:
    *_, tally = compare(5000, stick=stick, lone_defender=lone_defender, seed=4, fold_every=25)
    assert tally.differences == []
    assert (tally.deals, tally.folded) == (5000, 200)
    seen = tally.seen
    assert min(seen["alone"], seen["euchre"], seen["named in round 2"]) > 200
    assert seen["march"] > 50
    assert (seen["passed out"] > 100) is not stick
    assert stick is False or seen["named by a stuck dealer"] > 100
    assert (seen["both alone"] > 100) is lone_defender
