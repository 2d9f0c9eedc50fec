"""``upcard shuffle`` and ``upcard odds``: through a running kit, without one, refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from gpiozero import LED
from gpiozero.pins.mock import MockFactory

from engine.odds import total_variation
from engine.wording import Sentence, worded
from pi.cli import main
from pi.shuffling.counter import SOCKET_NAME, Counter, NoKit, answered, ask


class Scripted:
    """A shuffler's front that goes through its states by itself, one at each look."""

    def __init__(self, *phases: str, refused: str | None = None) -> None:
        self._phases = list(phases)
        self._refused = None if refused is None else worded(refused)
        self.asked: list[tuple[Any, ...]] = []

    def state(self) -> dict[str, Any]:
        phase = self._phases.pop(0) if len(self._phases) > 1 else self._phases[0]
        return {"phase": phase, "text": f"It is {phase}.", "may_start": [2], "refused": None}

    def start(self, seat: int) -> Sentence | None:
        self.asked.append(("start", seat))
        return self._refused

    def by_hand(self, seat: int, passes: int) -> Sentence | None:
        self.asked.append(("by_hand", seat, passes))
        return self._refused

    def want(self, passes: int) -> Sentence | None:
        self.asked.append(("want", passes))
        return self._refused

    def override(self, what: str) -> Sentence | None:
        self.asked.append(("override", what))
        return self._refused

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        return lambda: None


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Callable[[Scripted], list[str]]]:
    """A kit whose shuffler is scripted; answers the words that reach it."""
    opened: list[Counter] = []

    def running(shuffling: Scripted) -> list[str]:
        opened.append(Counter(tmp_path / SOCKET_NAME, shuffling))
        return ["--log", str(tmp_path / "games.db")]

    yield running
    for counter in opened:
        counter.close()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi.shuffle._LOOK_S", 0.0)


# --- through the kit ---------------------------------------------------------------------------


def test_it_starts_for_the_seat_that_may_and_follows_to_the_end(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    front = Scripted("idle", "idle", "idle", "loading", "passing", "passing", "done")
    assert main(["shuffle", "--passes", "3", *kit(front)]) == 0
    assert front.asked == [("want", 3), ("start", 2)]
    assert capsys.readouterr().out.splitlines()[-2:] == ["It is passing.", "It is done."]


def test_each_step_is_a_line_of_json_when_asked_for(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shuffle", "--json", *kit(Scripted("idle", "loaded", "done"))]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[-1]["phase"] == "done"


def test_a_refusal_is_told_with_its_reason_and_exit_1(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = kit(Scripted("idle", refused="Deal 2 is under way."))
    assert main(["shuffle", *words]) == 1
    assert capsys.readouterr().err == "upcard: Deal 2 is under way.\n"


def test_a_jam_ends_it_with_what_to_do(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shuffle", *kit(Scripted("idle", "passing", "jammed"))]) == 1
    assert "It is jammed." in capsys.readouterr().err


def test_a_stop_by_somebody_else_is_no_success(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shuffle", *kit(Scripted("idle", "idle", "passing", "idle"))]) == 1
    assert "stopped before its last pass" in capsys.readouterr().err


def test_by_hand_stop_status_and_seat_reach_the_kit(
    kit: Callable[[Scripted], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    front = Scripted("idle")
    words = kit(front)
    assert main(["shuffle", "--by-hand", "4", *words]) == 0
    assert main(["shuffle", "--stop", *words]) == 0
    assert main(["shuffle", "--status", *words]) == 0
    assert main(["shuffle", "--seat", "1", "--by-hand", "2", *words]) == 0
    assert front.asked == [("by_hand", 2, 4), ("override", "stop"), ("by_hand", 1, 2)]
    assert "It is idle." in capsys.readouterr().out


# --- the counter -------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [5, [], {}, {"do": 3}, {"do": "dance"}, None])
def test_a_request_that_is_none_is_answered_and_does_nothing(asked: Any) -> None:
    front = Scripted("idle")
    assert answered(asked, front)["refused"]
    assert front.asked == []


def test_noise_on_the_socket_does_not_stop_the_counter(tmp_path: Path) -> None:
    import socket

    counter = Counter(tmp_path / SOCKET_NAME, Scripted("idle"))
    for noise in (b"", b"{", b"\xff\xfe\n", b"x" * 100_000 + b"\n"):
        with socket.socket(socket.AF_UNIX) as end:
            end.connect(str(tmp_path / SOCKET_NAME))
            end.sendall(noise)
    assert ask(tmp_path / SOCKET_NAME, {"do": "state"})["state"]["phase"] == "idle"
    counter.close()
    assert not (tmp_path / SOCKET_NAME).exists()


def test_a_counter_that_is_closed_or_was_never_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoKit, match=r"shuffler\.sock .*upcard run"):
        ask(tmp_path / SOCKET_NAME, {"do": "state"})


def test_only_its_owner_may_ask(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        counter = Counter(tmp_path / SOCKET_NAME, Scripted("idle"))
    finally:
        os.umask(before)
    assert (tmp_path / SOCKET_NAME).stat().st_mode & 0o022 == 0
    counter.close()


# --- without a kit -----------------------------------------------------------------------------


def test_off_a_pi_without_a_kit_it_is_refused_with_the_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi.shuffle._on_a_pi", lambda: False)
    assert main(["shuffle", "--log", str(tmp_path / "games.db")]) == 1
    assert "--table sim" in capsys.readouterr().err


def test_a_socket_left_by_a_killed_kit_counts_as_no_kit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    monkeypatch.setattr("pi.shuffle._on_a_pi", lambda: False)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / SOCKET_NAME))
    assert main(["shuffle", "--log", str(tmp_path / "games.db")]) == 1
    assert "no kit with a shuffler runs here" in capsys.readouterr().err


def test_where_none_is_fitted_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "upcard.toml"
    settings.write_text("[shuffler]\nfitted = false\n")
    words = ["--settings", str(settings), "--log", str(tmp_path / "games.db")]
    assert main(["shuffle", "--table", "sim", *words]) == 1
    assert "no shuffler is fitted" in capsys.readouterr().err


def test_a_number_of_passes_that_cannot_be_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--table", "sim", "--passes", "0", "--log", str(tmp_path / "games.db")]
    assert main(["shuffle", *words]) == 1
    assert "0 passes will not do: ask for 1 to 99" in capsys.readouterr().err


def test_on_the_simulated_bench_it_runs_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bench's clock, hurried: two passes are some seventeen seconds.
    now_us = [0]

    def later(seconds: float) -> None:
        now_us[0] += round(seconds * 1e6)

    monkeypatch.setattr("pi.shuffle._LOOK_S", 0.001)
    monkeypatch.setattr("pi.shuffle._now_us", lambda: now_us[0])
    monkeypatch.setattr("pi.shuffle.time.sleep", later)
    words = ["--table", "sim", "--passes", "2", "--log", str(tmp_path / "games.db")]
    assert main(["shuffle", *words]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "*** SIMULATED SHUFFLER: nothing here is real. ***"
    assert told[-1] == "All 2 passes are done. Stack the piles and deal."


class Typing:
    """A terminal at which these lines are typed, one at each look."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.lines.pop(0) + "\n"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Typing]:
    def at(*lines: str) -> Typing:
        terminal = Typing(*lines)
        monkeypatch.setattr("pi.shuffle.sys.stdin", terminal)
        monkeypatch.setattr(
            "pi.shuffle.select.select",
            lambda *_: ([terminal] if terminal.lines else [], [], []),
        )
        return terminal

    return at


def test_at_a_terminal_enter_is_the_button_and_letters_are_a_persons_word(
    kit: Callable[[Scripted], list[str]],
    typed: Callable[..., Typing],
    capsys: pytest.CaptureFixture[str],
) -> None:
    terminal = typed("", "d", "h", "s", "x")
    steps = ("idle", "idle", "idle", "loading", *["loading"] * 20, "done")
    front = Scripted(*steps)
    assert main(["shuffle", *kit(front)]) == 0
    assert terminal.lines == []
    assert front.asked == [
        ("start", 2),
        ("start", 2),
        ("override", "pass_done"),
        ("by_hand", 2, 1),
        ("override", "stop"),
    ]
    assert "Enter: the pack is loaded" in capsys.readouterr().out


def test_on_a_pi_without_a_kit_it_drives_the_fitted_shuffler_itself(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: Callable[..., Typing],
    capsys: pytest.CaptureFixture[str],
) -> None:
    factory = MockFactory()
    now_us = [0]
    monkeypatch.setattr("pi.shuffle.open_factory", lambda kind: factory)
    monkeypatch.setattr("pi.shuffle._LOOK_S", 0.001)
    monkeypatch.setattr("pi.shuffle._now_us", lambda: now_us[0])
    monkeypatch.setattr(
        "pi.shuffle.time.sleep", lambda s: now_us.__setitem__(0, now_us[0] + round(s * 1e6))
    )
    touch = factory.pin(17)
    typed()
    words = ["--table", "pi", "--passes", "1", "--log", str(tmp_path / "games.db")]
    assert main(["shuffle", *words]) == 0
    assert [state.state for state in touch.states] == [False, True, False]
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Enter: the pack is loaded")
    assert told[-1] == "The pass is done. Stack the piles and deal."


def test_pins_that_another_program_holds_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    factory = MockFactory()
    holder = LED(17, pin_factory=factory)
    monkeypatch.setattr("pi.shuffle.open_factory", lambda kind: factory)
    words = ["--table", "pi", "--log", str(tmp_path / "games.db")]
    assert main(["shuffle", *words]) == 1
    told = capsys.readouterr().err
    assert "the shuffler's pins cannot be taken" in told
    assert "another program holds them" in told
    holder.close()


# --- a real kit --------------------------------------------------------------------------------


@pytest.mark.pixels
def test_a_kit_that_runs_refuses_during_a_deal(tmp_path: Path, root: Path) -> None:
    log = tmp_path / "games.db"
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "pi.cli", "run", "--table", "sim", "--seed", "5"),
            *("--speed", "1", "--log", str(log), "--port", "18431"),
        ],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    killer = threading.Timer(90, running.kill)
    killer.start()
    try:
        answer: dict[str, Any] = {}
        while "under way" not in str(answer.get("refused")) and running.poll() is None:
            time.sleep(0.2)
            try:
                answer = dict(ask(tmp_path / SOCKET_NAME, {"do": "start", "seat": 0}))
            except NoKit:
                continue
            assert answer["refused"], "seat 0 does not deal first in this game"
        assert answer["refused"] == "Deal 1 is under way: the shuffler is started between deals."
    finally:
        killer.cancel()
        running.terminate()
        running.wait(timeout=20)
    assert not (tmp_path / SOCKET_NAME).exists()


# --- odds --------------------------------------------------------------------------------------


def test_odds_gives_both_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--cards", "24", "--passes", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["cards"], told["passes"]) == (24, 3)
    assert told["tv"] == total_variation(cards=24, passes=3)
    assert told["noticed"]["tv"] == pytest.approx(0.70, abs=0.01)
    assert 0 < told["noticed"]["error"] < 0.01


def test_odds_of_a_pack_nobody_deals_euchre_with_has_no_figure_for_hands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["odds", "--cards", "52", "--passes", "7", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["noticed"] is None
    assert told["tv"] == pytest.approx(0.334, abs=0.0006)
    assert main(["odds", "--cards", "52", "--passes", "7"]) == 0
    assert "notice" not in capsys.readouterr().out


def test_odds_in_words_names_its_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds"]) == 0
    told = capsys.readouterr().out
    assert "24 cards, 3 passes: 0.998 from random" in told
    assert "the hands dealt 2-3/3-2: 0.696 (measured, give or take 0.005)" in told


def test_odds_of_no_cards_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--cards", "0"]) == 1
    assert "0 cards" in capsys.readouterr().err
