"""The simulated players and their shuffler, fault by fault: the evening always goes on."""

from __future__ import annotations

from typing import Any

import pytest

from engine.facts import PackShuffled
from pi.settings import KitSettings, ShufflerSettings
from pi.sim.compare import compare
from pi.sim.dials import Dials
from pi.sim.seeing import TrueReader
from pi.sim.table import SimTable
from pi.wiring import Kit, build
from vision.ports import CardReader, FrameSource


def true_reader(source: FrameSource) -> CardReader:
    assert isinstance(source, SimTable)
    return TrueReader(source)


def played(**dials: Any) -> Kit:
    """A short game with a shuffler that fails so; it is closed, and can be looked at."""
    sensors = dials.pop("sensors", None)
    settings = KitSettings(
        rules={"preset": "home", "target": 3},
        seed=5,
        speed=None,
        games=1,
        passes=2,
        fps=5.0,
        width_px=640,
        height_px=360,
        dials=Dials(hands=0, **dials),
        shuffler=ShufflerSettings(sensors=sensors),
    )
    with build(settings, reader_for=true_reader) as kit:
        kit.run()
    return kit


@pytest.mark.parametrize(
    ("dials", "by_machine"),
    [
        ({"sensors": ()}, True),
        ({"forgets": 1.0}, True),
        ({"jams": 0.4, "eaten": 0.3}, None),
        ({"flat": 1.0}, False),
    ],
    ids=["no sensors", "forgets", "jams and eaten touches", "a flat battery"],
)
def test_every_pack_between_two_deals_is_shuffled_in_the_end_and_recorded(
    dials: dict[str, Any], by_machine: bool | None
) -> None:
    kit = played(**dials)
    assert isinstance(kit.source, SimTable)
    game = kit.source.truth[0]
    assert compare(game, kit.table.state).differences == ()
    shuffles = [r.fact for r in kit.table.records if isinstance(r.fact, PackShuffled)]
    assert len(game.deals) > 1
    assert {fact.seat for fact in shuffles} == {deal.dealer for deal in game.deals[1:]}
    assert sum(fact.passes for fact in shuffles) >= 2 * (len(game.deals) - 1)
    if by_machine is not None:
        assert {fact.machine for fact in shuffles} == {by_machine}


def test_who_wants_more_passes_on_the_page_gets_them() -> None:
    settings = KitSettings(
        rules={"preset": "home", "target": 3},
        seed=5,
        speed=None,
        games=1,
        passes=1,
        fps=5.0,
        width_px=640,
        height_px=360,
        dials=Dials(hands=0),
    )
    with build(settings, reader_for=true_reader) as kit:
        assert kit.shuffling is not None
        assert kit.shuffling.want(4) is None
        kit.run()
    shuffles = [r.fact for r in kit.table.records if isinstance(r.fact, PackShuffled)]
    assert {fact.passes for fact in shuffles} == {4}
