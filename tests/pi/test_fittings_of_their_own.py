"""A real table's fittings run on a thread of their own: no camera, no page has to drive them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from engine.commands import StartGame
from engine.facts import PackShuffled
from pi.settings import KitSettings, ShufflerSettings
from pi.shuffling.counter import SOCKET_NAME, ask
from pi.wiring import Kit, build


def until(true: Callable[[], bool], *, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)


@pytest.fixture
def factory(monkeypatch: pytest.MonkeyPatch) -> MockFactory:
    """This machine is a Pi, as far as the kit can see, with these pins."""
    made = MockFactory()
    monkeypatch.setattr("pi.wiring.open_factory", lambda kind: made)
    monkeypatch.setattr("pi.doctor.on_a_pi", lambda: True)
    return made


@pytest.fixture
def kit(tmp_path: Path, factory: MockFactory) -> Iterator[Kit]:
    settings = KitSettings(
        table="hand",
        log=tmp_path / "games.db",
        passes=1,
        shuffler=ShufflerSettings(pass_s=2.0),
    )
    with build(settings) as made:
        made.submit(StartGame(dealer=2), source="page")
        yield made


def test_a_pass_runs_with_no_camera_at_all(kit: Kit, factory: MockFactory) -> None:
    touch = factory.pin(kit.settings.pins.touch)
    running = threading.Thread(target=kit.run)
    running.start()
    assert kit.shuffling is not None
    assert kit.shuffling.start(2) is None
    until(lambda: kit.shuffling is not None and kit.shuffling.work.phase == "done")
    kit.stop()
    running.join(timeout=20)
    assert not running.is_alive()
    assert [state.state for state in touch.states] == [False, True, False]
    shuffles = [r.fact for r in kit.table.records if isinstance(r.fact, PackShuffled)]
    assert shuffles == [PackShuffled(seat=2, passes=1, machine=True)]


def test_nothing_is_looked_after_before_the_kit_runs_nor_after_it_has_stopped(
    kit: Kit, factory: MockFactory
) -> None:
    touch = factory.pin(kit.settings.pins.touch)
    assert kit.shuffling is not None
    assert kit.shuffling.start(2) is None
    time.sleep(0.5)
    assert not touch.state
    assert not [thread for thread in threading.enumerate() if thread.name == "fittings"]


def test_what_fails_in_the_fittings_ends_the_kit_with_its_error(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(at_us: int) -> None:
        raise OSError("the pins are gone")

    assert kit._tending is not None
    monkeypatch.setattr(kit._tending, "tick", fail)
    with pytest.raises(OSError, match="the pins are gone"):
        kit.run()


def test_the_running_kit_answers_beside_its_log_and_takes_the_socket_away(
    kit: Kit, tmp_path: Path
) -> None:
    answer: Any = ask(tmp_path / SOCKET_NAME, {"do": "start", "seat": 0})
    assert answer["refused"] == "South deals next: only the dealer's seat starts the shuffler."
    kit.close()
    assert not (tmp_path / SOCKET_NAME).exists()
    assert json.loads((tmp_path / "shuffler.json").read_text())["busy"] is False


def test_a_log_whose_folder_is_too_deep_for_a_socket_is_no_reason_not_to_start(
    tmp_path: Path, factory: MockFactory
) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    with build(KitSettings(table="hand", log=deep / "games.db")) as kit:
        assert kit.shuffling is not None
