"""A recorded game, watched as a clip, tells the facts of the live run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pi.watch
from engine.facts import (
    CardPlayed,
    Declared,
    Fact,
    TrickCleared,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from pi.recording import commands_path
from pi.settings import KitSettings
from pi.sim.dials import Dials
from pi.sim.seeing import TrueReader
from pi.sim.table import SimTable, lens_for
from pi.wiring import build
from vision.clips import ClipSource
from vision.frame import Frame
from vision.ports import CardReader, FrameSource

SEED = 5
DIALS = Dials(hands=0.2, late=1)
RULES = {"preset": "home", "target": 1}


def told(fact: Fact) -> tuple[str, int | None, str | None] | None:
    """A fact as ``watch`` tells it: kind, seat, card."""
    match fact:
        case UpcardShown():
            return "upcard_shown", fact.dealer, fact.card
        case CardPlayed():
            return "card_played", fact.seat, fact.card
        case UpcardTaken():
            return "upcard_taken", None, None
        case UpcardTurnedDown():
            return "upcard_turned_down", None, None
        case TrickCleared():
            return "trick_cleared", None, None
        case Declared():
            return "declared", fact.maker, None
        case _:
            return None


class Twin:
    """A second table of the same seed that goes along with the clip, for the reader to ask.

    The pixels, the motion and the stamps are the clip's; only the naming of cards, which is
    the model's business and not the recording's, comes from the truth.
    """

    def __init__(self, clip: ClipSource) -> None:
        from dataclasses import replace

        lens = replace(lens_for(DIALS, SEED), width_px=640, height_px=360)
        self.table = SimTable(
            seed=SEED, rules=RULES, dials=DIALS, lens=lens, games=1, shuffle_passes=0
        )
        self._clip = clip

    def frames(self) -> Iterator[Frame]:
        for frame, twin in zip(self._clip.frames(), self.table.frames(), strict=True):
            assert abs(frame.at_us - twin.at_us) < 1000
            yield frame

    def close(self) -> None:
        self._clip.close()


def test_a_recording_watched_as_a_clip_tells_the_same_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = tmp_path / "game.mp4"
    settings = KitSettings(
        rules=RULES,
        seed=SEED,
        dials=DIALS,
        games=1,
        passes=0,
        speed=None,
        width_px=640,
        height_px=360,
        record=clip,
    )

    def truth(source: FrameSource) -> CardReader:
        assert isinstance(source, SimTable)
        return TrueReader(source)

    with build(settings, reader_for=truth) as kit:
        kit.run()
        start_us = kit.table.records[0].at_us - 200_000
        live = [(told(r.fact), r.at_us - start_us) for r in kit.table.records if told(r.fact)]
        score = list(kit.table.state.score)
    assert commands_path(clip).exists()

    twins: list[Twin] = []

    def source(path: Path) -> Any:
        twins.append(Twin(ClipSource(path)))
        return twins[-1]

    class Late:
        """The reader of the twin, which exists once the clip is open."""

        def read(self, image: Any, regions: Any = None) -> Any:
            return TrueReader(twins[-1].table).read(image, regions)

    monkeypatch.setattr(pi.watch, "ClipSource", source)
    lines: list[dict[str, Any]] = []
    assert pi.watch.watch(clip, reader=Late(), emit=lines.append) == 0
    kinds = {told_as[0] for told_as, _ in live if told_as}
    seats_told = ("upcard_shown", "card_played", "declared")
    again = [
        (
            (
                line["kind"],
                line["seat"] if line["kind"] in seats_told else None,
                line["card"] if line["kind"] in seats_told[:2] else None,
            ),
            line["at_us"],
        )
        for line in lines
        if line["kind"] in kinds
    ]
    assert [what for what, _ in again] == [what for what, _ in live]
    for (what, at_us), (_, live_us) in zip(again, live, strict=True):
        assert abs(at_us - live_us) <= 200_000, what
    scored = [line for line in lines if line["kind"] == "deal_scored"]
    assert scored[-1]["score"] == score
    assert sum(1 for what, _ in live if what and what[0] == "card_played") >= 15
