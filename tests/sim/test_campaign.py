"""The campaign's words: seeds and dials as asked, refusals that name the value."""

from __future__ import annotations

import pytest

from pi.settings import KitSettings
from pi.sim import campaign
from pi.sim.dials import Dials


@pytest.mark.parametrize(
    ("text", "seeds"), [("1-4", [1, 2, 3, 4]), ("3,7", [3, 7]), ("12", [12]), ("5-5", [5])]
)
def test_seeds_are_a_range_or_a_list(text: str, seeds: list[int]) -> None:
    assert list(campaign._seeds(text)) == seeds


def test_no_seeds_are_refused_with_the_cure(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        campaign.main(["--seeds", "some"])
    assert stopped.value.code == 2
    assert "write 1-20 or 3,7" in capsys.readouterr().err


def test_a_dial_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert campaign.main(["--seeds", "1", "--true-reader", "--dial", "fog=1"]) == 2
    assert "'fog' is no dial" in capsys.readouterr().err


def test_a_game_is_played_as_fast_as_it_goes_and_compared() -> None:
    settings = KitSettings(
        rules={"preset": "home", "target": 1}, passes=0, width_px=640, height_px=360, fps=8
    )
    found, kit = campaign.play_one(seed=5, dials=Dials(hands=0), settings=settings, reader=None)
    assert found.verdict == "equal"
    line = campaign._line(5, found, kit, 1.0)
    assert line.startswith("seed   5  equal   score 2-0  1 deals  0 reviews")
