"""The words of ``upcard run`` and ``upcard codes``: what they make of settings, and refuse."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.commands import AdjustScore, ClearTrick, Declare, PlayCard, ShowUpcard, StartGame
from engine.memory_log import MemoryLog
from engine.sqlite_log import SqliteLog
from engine.table import Accepted, Table
from pi import run
from pi.address import PageAddress, reached_at
from pi.cli import main
from pi.errors import WrongWords
from pi.settings import KitSettings
from web_dashboard.access import HOLDERS, Access
from web_dashboard.joining import join_link


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No settings and no games but those of the test, and this is no Pi."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("UPCARD_SETTINGS", raising=False)
    monkeypatch.setattr(run, "on_a_pi", lambda: False)
    return tmp_path


def words(**given: Any) -> argparse.Namespace:
    plain: dict[str, Any] = dict.fromkeys(
        ("settings", "table", "seed", "speed", "record", "games", "calibration")
    )
    return argparse.Namespace(**(plain | {"dial": [], "tls": False} | given))


def settings(tmp_path: Path, rules: Any = None, **given: Any) -> KitSettings:
    return run.settings_for(words(**given), rules=rules, log_path=tmp_path / "games.db")


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "upcard.toml"
    path.write_text(text)
    return path


# --- which table -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (["casino"], "--table casino: take one of sim, clip, pi, usb, hand"),
        (["clip"], "--table clip: name one clip"),
        (["clip", "a.mp4", "b.mp4"], "--table clip: name one clip"),
        (["pi", "0"], "--table pi takes nothing more, and '0' was given"),
        (["sim", "5"], "--table sim takes nothing more, and '5' was given"),
    ],
)
def test_a_table_that_cannot_be_is_named_with_those_that_can(
    tmp_path: Path, table: list[str], says: str
) -> None:
    with pytest.raises(WrongWords, match=says):
        settings(tmp_path, table=table)


def test_off_a_pi_the_table_is_simulated_on_a_pi_it_is_the_pis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert settings(tmp_path).table == "sim"
    monkeypatch.setattr(run, "on_a_pi", lambda: True)
    assert settings(tmp_path).table == "pi"


def test_a_settings_file_says_which_table_and_the_words_say_otherwise(tmp_path: Path) -> None:
    kept = file(tmp_path, 'table = "clip"\nclip = "friday.mp4"\nseed = 9\n')
    assert settings(tmp_path, settings=kept).clip == Path("friday.mp4")
    other = settings(tmp_path, settings=kept, table=["hand"])
    assert (other.table, other.clip) == ("hand", None)


def test_only_the_simulated_table_has_dials_and_only_known_ones(tmp_path: Path) -> None:
    with pytest.raises(WrongWords, match="--dial blur=2: only the simulated table has dials"):
        settings(tmp_path, table=["hand"], dial=["blur=2"])
    with pytest.raises(WrongWords, match="'fog' is no dial"):
        settings(tmp_path, dial=["fog=1"])
    assert settings(tmp_path, dial=["revokes=0.5"]).dials.revokes == 0.5


def test_a_seed_is_what_was_said_else_the_files_else_another_every_evening(tmp_path: Path) -> None:
    kept = file(tmp_path, "seed = 9\n")
    assert settings(tmp_path, settings=kept, seed=4).seed == 4
    assert settings(tmp_path, settings=kept).seed == 9
    drawn = {settings(tmp_path).seed for _ in range(20)}
    assert len(drawn) > 1
    assert all(1 <= seed < 100_000 for seed in drawn)


@pytest.mark.parametrize(("table", "taken"), [("pi", True), ("usb", True), ("sim", False)])
def test_a_calibration_kept_beside_the_games_is_a_real_cameras(
    tmp_path: Path, table: str, taken: bool
) -> None:
    kept = tmp_path / "data/upcard/calibration.json"
    assert settings(tmp_path, table=[table]).calibration is None
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    assert settings(tmp_path, table=[table]).calibration == (kept if taken else None)
    named = settings(tmp_path, table=[table], calibration=tmp_path / "mine.json")
    assert named.calibration == tmp_path / "mine.json"


def test_rules_of_the_file_stand_until_the_words_name_others(tmp_path: Path) -> None:
    kept = file(tmp_path, 'rules = "pub"\n')
    assert settings(tmp_path, settings=kept).rules == "pub"
    assert settings(tmp_path, settings=kept, rules="canadian").rules == "canadian"


# --- the codes ---------------------------------------------------------------------------------


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def access(log: Path) -> Access:
    return Access(log.with_name(run.CODES_NAME))


def codes(capsys: Any, log: Path, *more: str) -> tuple[int, str, str]:
    code = main(["codes", "--log", str(log), *more])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_before_the_first_start_there_are_no_codes_and_that_is_said(capsys: Any, log: Path) -> None:
    code, out, err = codes(capsys, log)
    assert (code, out) == (1, "")
    assert "upcard run makes them when it starts" in err
    assert not log.with_name(run.CODES_NAME).exists()


def test_every_holder_has_a_line_with_its_code_and_its_link(
    capsys: Any, log: Path, access: Access
) -> None:
    code, out, err = codes(capsys, log)
    assert code == 0
    assert "no kit keeps its games there now" in err
    for holder in HOLDERS:
        (line,) = (one for one in out.splitlines() if one.startswith(f"{holder} "))
        assert line.endswith(f"/join#{access.code(holder)}")


@pytest.mark.parametrize(
    ("more", "begins", "ends"),
    [
        ((), "http://", ":8080/"),
        (("--port", "9000"), "http://", ":9000/"),
        (("--tls",), "https://", ":8080/"),
        (("--tls", "--port", "9000"), "https://", ":9000/"),
    ],
)
def test_one_link_alone_is_printed_for_a_program_to_take(
    capsys: Any, log: Path, access: Access, more: tuple[str, ...], begins: str, ends: str
) -> None:
    code, out, _ = codes(capsys, log, "--link", "seat:2", *more)
    base, _, digits = out.strip().partition("join#")
    assert (code, digits) == (0, access.code("seat:2"))
    assert base.startswith(begins)
    assert base.endswith(ends)


def test_a_running_kit_is_linked_to_as_it_runs(capsys: Any, log: Path, access: Access) -> None:
    page = PageAddress(scheme="https", host="192.168.7.2", port=8123)
    with SqliteLog(log), reached_at(log, page):
        code, out, err = codes(capsys, log, "--link", "table")
    assert (code, err) == (0, "")
    assert out.strip() == join_link("https://192.168.7.2:8123/", access.code("table"))


def server(access: Access) -> Any:
    return SimpleNamespace(
        url="http://127.0.0.1:8080/", app=SimpleNamespace(extensions={"upcard-access": access})
    )


def test_codes_are_printed_at_a_terminal_only_and_never_into_a_journal(
    capsys: Any, access: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    run._tell_codes(server(access), "http://192.168.7.2:8080/")
    told = capsys.readouterr()
    assert not any(access.code(holder) in told.out + told.err for holder in HOLDERS)
    assert "upcard codes shows them" in told.out
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    run._tell_codes(server(access), "http://192.168.7.2:8080/")
    out = capsys.readouterr().out
    assert join_link("http://192.168.7.2:8080/", access.code("table")) in out
    # To direct is for whoever sits at the kit.
    assert join_link("http://127.0.0.1:8080/", access.code("director")) in out
    assert not any(access.code(f"seat:{seat}") in out for seat in range(4))


# --- what a terminal is told -------------------------------------------------------------------

TRICKS = (
    ((1, "Ah"), (2, "9h"), (3, "Th"), (0, "Kh")),
    ((1, "Ks"), (2, "As"), (3, "9s"), (0, "Ts")),
    ((2, "Qd"), (3, "9d"), (0, "Ad"), (1, "9c")),
    ((0, "Tc"), (1, "Jc"), (2, "Qc"), (3, "Ac")),
    ((3, "Kc"), (0, "Td"), (1, "Qs"), (2, "Js")),
)


def test_each_deal_each_finding_and_the_end_are_told_once(capsys: Any) -> None:
    table = Table(MemoryLog(), clock_us=lambda: 5)
    kit: Any = SimpleNamespace(table=table)
    table.subscribe(run._Teller(kit).tell)

    def do(command: Any) -> None:
        assert isinstance(table.submit(command, source="page"), Accepted)

    do(StartGame(dealer=0, names=("Ann", "Bob", "Cy", "Dee")))
    do(ShowUpcard(card="Kh", dealer=0))  # type: ignore[arg-type]
    do(Declare(maker=1, trump="h"))
    for number, trick in enumerate(TRICKS):
        for seat, card in trick:
            # East throws a club on a diamond, and holds one: the last trick proves it.
            do(PlayCard(seat=seat, card="Kd" if card == "Qs" else card))  # type: ignore[arg-type]
        if number < 4:
            do(ClearTrick())
    told = capsys.readouterr().out.splitlines()
    assert [line for line in told if line.startswith("  finding: Bob")] == [
        line for line in told if "finding" in line
    ]
    assert len([line for line in told if line.startswith("deal 1: ")]) == 1
    do(AdjustScore(points=(10, 0), reason="played before"))
    told = capsys.readouterr().out.splitlines()
    assert not any("finding" in line for line in told), "a finding is told once"
    do(StartGame(dealer=1))
    assert capsys.readouterr().out == ""


def test_pictures_that_cannot_be_removed_are_a_warning_and_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def closed(*given: Any, **more: Any) -> int:
        raise PermissionError(13, "Permission denied")

    asked: list[Callable[..., int]] = []
    monkeypatch.setattr(run, "tidy", closed)
    kept = KitSettings(log=tmp_path / "games.db")
    run._tidy(kept)
    assert "old pictures could not be removed" in caplog.text
    monkeypatch.setattr(run, "tidy", lambda *given, **more: asked.append(closed) or 3)
    run._tidy(replace(kept, log=None))
    assert asked == [], "a game in memory has no pictures"
    run._tidy(kept)
    assert len(asked) == 1
