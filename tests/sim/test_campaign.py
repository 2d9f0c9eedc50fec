"""The campaign's words: seeds and dials as asked, refusals that name the value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.commands import ConfirmDeal, Rejected
from engine.wording import worded
from models.errors import ModelMissing
from pi.settings import KitSettings
from pi.sim import campaign
from pi.sim.compare import Comparison
from pi.sim.dials import Dials


@pytest.mark.parametrize(
    ("text", "seeds"), [("1-4", [1, 2, 3, 4]), ("3,7", [3, 7]), ("12", [12]), ("5-5", [5])]
)
def test_seeds_are_a_range_or_a_list(text: str, seeds: list[int]) -> None:
    assert list(campaign._seeds(text)) == seeds


@pytest.mark.parametrize("seeds", ["some", "", "20-1", "3,", "1-", "1.5"])
def test_no_seeds_are_refused_with_the_cure(capsys: pytest.CaptureFixture[str], seeds: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        campaign.main(["--seeds", seeds])
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


# --- what is wrong is said before the first game -----------------------------------------------


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    """No game may begin."""

    def played(**given: Any) -> Any:
        pytest.fail("a game was begun")

    monkeypatch.setattr(campaign, "play_one", played)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--rules", "bogus"], "'bogus': must be one of home, pub"),
        (["--misread", "7"], "the dial misread is 7.0: set it between 0 and 1"),
        (["--fps", "0"], "fps is 0.0: set it between 1 and 60"),
        (["--width", "10"], "from 320 x 180"),
        (["--threads", "0"], "reader_threads is 0"),
        (["--facts", "/dev/null/facts"], "--facts /dev/null/facts: Not a directory: name a folder"),
    ],
)
def test_what_no_game_can_be_played_with_is_named_and_none_is(
    capsys: pytest.CaptureFixture[str], never: None, words: list[str], says: str
) -> None:
    assert campaign.main(["--true-reader", *words]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert told.err.startswith("campaign: ")
    assert says in told.err


def test_without_its_model_no_game_is_played(
    capsys: pytest.CaptureFixture[str], never: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(**given: Any) -> Any:
        raise ModelMissing("finder.onnx is not there: get the models again")

    monkeypatch.setattr("vision.reader.load_reader", missing)
    assert campaign.main(["--seeds", "1"]) == 2
    assert capsys.readouterr().err == ("campaign: finder.onnx is not there: get the models again\n")


# --- what a campaign says of its games ---------------------------------------------------------


class Played:
    """Games whose outcome is known beforehand, by seed."""

    def __init__(self, outcomes: dict[int, Comparison]) -> None:
        self.outcomes = outcomes
        self.rejected: list[tuple[Any, Any]] = []

    def __call__(self, *, seed: int, **given: Any) -> tuple[Comparison, Any]:
        record = SimpleNamespace(version=1, at_us=5, source="kit", fact=f"the fact of {seed}")
        table = SimpleNamespace(
            state=SimpleNamespace(score=(10, 7), deals=[1, 2]), records=[record]
        )
        health = {"frames": 9, "reads": 3, "read_ms": 1.5, "gate_ms": 0.5}
        kit = SimpleNamespace(
            table=table, latencies=[], health=lambda: health, rejected=self.rejected
        )
        return self.outcomes[seed], kit


Play = Callable[[dict[int, Comparison]], Played]


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Play:
    def play(outcomes: dict[int, Comparison]) -> Played:
        made = Played(outcomes)
        monkeypatch.setattr(campaign, "play_one", made)
        return made

    return play


EQUAL = Comparison(verdict="equal", differences=(), reviews=0)
ASKED = Comparison(verdict="reviews", differences=(), reviews=2)


def wrong(count: int) -> Comparison:
    lines = tuple(f"difference {n}" for n in range(count))
    return Comparison(verdict="WRONG", differences=lines, reviews=0)


def test_one_wrong_game_among_good_ones_fails_the_campaign_and_is_shown(
    capsys: pytest.CaptureFixture[str], played: Play
) -> None:
    played({1: EQUAL, 2: wrong(2), 3: EQUAL})
    assert campaign.main(["--seeds", "1-3", "--true-reader"]) == 1
    out = capsys.readouterr().out
    assert "seed   2  WRONG" in out
    assert "    difference 0\n    difference 1\n" in out
    assert "more" not in out
    assert out.splitlines()[-1].startswith("2 equal, 0 reviews, 1 WRONG")


def test_games_in_which_something_is_asked_do_not_fail_it(
    capsys: pytest.CaptureFixture[str], played: Play
) -> None:
    played({4: EQUAL, 9: ASKED})
    assert campaign.main(["--seeds", "4,9", "--true-reader"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 equal, 1 reviews, 0 WRONG"


def test_of_many_differences_the_first_are_shown_and_the_rest_counted(
    capsys: pytest.CaptureFixture[str], played: Play
) -> None:
    played({1: wrong(20)})
    assert campaign.main(["--seeds", "1", "--true-reader"]) == 1
    out = capsys.readouterr().out
    assert "    difference 11\n    and 8 more\n" in out
    assert "difference 12" not in out


def test_what_the_kit_refused_is_shown_with_the_reason(
    capsys: pytest.CaptureFixture[str], played: Play
) -> None:
    said = worded("there is no deal to confirm")
    played({1: EQUAL}).rejected.append(
        (ConfirmDeal(deal=3), Rejected(code="not_now", reason="there is no deal", said=said))
    )
    assert campaign.main(["--seeds", "1", "--true-reader"]) == 0
    assert "    refused ConfirmDeal(deal=3): there is no deal\n" in capsys.readouterr().out


def test_every_games_facts_are_written_where_they_are_asked_for(
    capsys: pytest.CaptureFixture[str], played: Play, tmp_path: Path
) -> None:
    played({3: EQUAL, 7: wrong(1)})
    folder = tmp_path / "deep" / "facts"
    assert campaign.main(["--seeds", "3,7", "--true-reader", "--facts", str(folder)]) == 1
    assert capsys.readouterr().err == ""
    assert {path.name: path.read_text() for path in folder.iterdir()} == {
        "3.txt": "   1 5 kit the fact of 3\n",
        "7.txt": "   1 5 kit the fact of 7\n",
    }
