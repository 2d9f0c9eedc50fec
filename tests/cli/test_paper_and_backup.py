"""Words of the command line around a recorded game: on paper, alone, in a match, in a backup."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.backup import FileThere, back_up, restore
from engine.facts import CardPlayed, FindingRuled
from engine.log import Entry
from engine.sqlite_log import LogLocked, SqliteLog
from pi.cli import main


def run(capsys: Any, *argv: Any) -> tuple[int, str, str]:
    """Exit code, stdout, stderr of ``upcard`` with these words."""
    try:
        code = main([str(word) for word in argv])
    except SystemExit as leaving:
        code = int(leaving.code or 0)
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out, told.err


DEAL: dict[str, Any] = {
    "dealNumber": 0,
    "initialState": {"dealer": 3, "upCard": "9h"},
    "phases": [
        {"type": "EUCHRE_BIDDING", "calls": ["Order"], "isAlone": False},
        {
            "type": "TRICK_PLAY",
            "tricks": [
                ["Jh", "Qh", "Th", "9h"],
                ["Ah", "9d", "Tc", "Qd"],
                ["Kc", "Ac", "Js", "Qs"],
                ["Ks", "As", "9c", "9s"],
                ["Kd", "Ad", "Td", "Jc"],
            ],
        },
    ],
}


def egn(path: Path, *, title: str = "Friday", deals: int = 2) -> Path:
    """A game of the same deal again and again; its third trick has a revoke by West."""
    game = {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {"title": title, "players": ["Ann", "Bob", "Cy", "Di"], "initialScore": [3, 4]},
        "deals": [DEAL] * deals,
    }
    path.write_text(json.dumps(game), encoding="utf-8")
    return path


@pytest.fixture
def log(tmp_path: Path, capsys: Any) -> Path:
    log = tmp_path / "games.db"
    assert run(capsys, "import", egn(tmp_path / "one.egn"), "--log", log)[0] == 0
    return log


def test_show_gives_the_score_sheet_and_with_a_deal_its_diagram(capsys: Any, log: Path) -> None:
    code, out, err = run(capsys, "show", "last", "--log", log)
    assert (code, err) == (0, "")
    assert [line.split()[-1] for line in out.splitlines() if line[:2] in ("1*", "2*")] == [
        "4–4",
        "5–4",
    ]
    code, out, err = run(capsys, "show", "last", "--deal", 2, "--log", log)
    assert (code, err) == (0, "")
    assert "Score before 4–4, after 5–4" in out
    assert "Di did not follow clubs in trick 3" in out
    code, out, err = run(capsys, "show", "last", "--deal", 3, "--log", log)
    assert (code, out) == (1, "")
    assert "deals 1 to 2" in err


@pytest.mark.parametrize("to", ["jsonl", "egn"])
def test_one_deal_is_sent_and_shown_alone(capsys: Any, log: Path, tmp_path: Path, to: str) -> None:
    file = tmp_path / f"deal.{to}"
    code, _, _ = run(capsys, "export", "last", "--deal", 2, "--to", to, "-o", file, "--log", log)
    assert code == 0
    code, out, err = run(capsys, "show", file, "--deal", 1)
    assert (code, err) == (0, "")
    assert "Score before 4–4, after 5–4" in out
    assert "Di did not follow clubs in trick 3" in out
    assert "North Ann" in out
    code, out, _ = run(capsys, "score", file, "--json")
    told = json.loads(out)
    assert (told["score"], len(told["deals"])) == ([5, 4], 1)
    elsewhere = tmp_path / "theirs.db"
    assert run(capsys, "import", file, "--log", elsewhere)[0] == 0
    _, out, _ = run(capsys, "games", "--json", "--log", elsewhere)
    assert json.loads(out)["score"] == [5, 4]


def test_a_deal_that_is_not_there_is_not_exported(capsys: Any, log: Path, tmp_path: Path) -> None:
    file = tmp_path / "deal.egn"
    code, out, err = run(capsys, "export", "last", "--deal", 9, "-o", file, "--log", log)
    assert (code, out, file.exists()) == (1, "", False)
    assert "deals 1 to 2" in err


def test_our_facts_are_scored_by_other_rules_where_asked(
    capsys: Any, log: Path, tmp_path: Path
) -> None:
    ours = tmp_path / "game.jsonl"
    assert run(capsys, "export", "last", "--to", "jsonl", "-o", ours, "--log", log)[0] == 0
    rules = tmp_path / "dear.toml"
    rules.write_text("revoke_points = 7\n")
    words = ("--json", "--rulings", "automatic")
    _, as_agreed, _ = run(capsys, "score", ours, *words)
    _, other, _ = run(capsys, "score", ours, *words, "--rules", rules)
    assert json.loads(as_agreed)["score"] == [3 + 2 * 2, 4]
    assert json.loads(other)["score"] == [3 + 2 * 7, 4]
    code, out, err = run(capsys, "score", ours, "--rules", "nonsense")
    assert (code, out) == (1, "")
    assert "nonsense" in err


def test_a_match_of_several_games_is_written_scored_and_imported(
    capsys: Any, log: Path, tmp_path: Path
) -> None:
    other = egn(tmp_path / "two.egn", title="Saturday", deals=1)
    match = tmp_path / "evening.emn"
    code, _, err = run(
        capsys, "export", "last", other, "--to", "emn", "--title", "Cup", "-o", match, "--log", log
    )
    assert code == 0
    assert all("EMN cannot say it: game" in line for line in err.splitlines())
    code, out, err = run(capsys, "score", match, "--json")
    assert (code, err) == (0, "")
    assert [json.loads(line)["score"] for line in out.splitlines()] == [[5, 4], [4, 4]]
    into = tmp_path / "all.db"
    code, out, _ = run(capsys, "import", match, "--log", into)
    assert (code, len(out.split())) == (0, 2)
    code, out, err = run(capsys, "export", "last", other, "--to", "egn", "--log", log)
    assert (code, out) == (2, "")
    assert "--to emn" in err


def test_a_game_egn_cannot_say_is_refused_by_name(capsys: Any, tmp_path: Path) -> None:
    from engine.facts import GameStarted, Recorded
    from engine.notation.jsonl import write_jsonl

    start = GameStarted(
        rules={"preset": "buck3"}, names=("A", "B", "C"), dealer=0, initial_score=(15, 15, 15)
    )
    game = Recorded(seq=1, game_id="b", version=1, at_us=0, source="x", fact=start)
    file = tmp_path / "buck.jsonl"
    file.write_text(write_jsonl([game]), encoding="utf-8")
    code, out, err = run(capsys, "export", file, "--to", "egn")
    assert (code, out) == (1, "")
    assert "buck" in err
    assert "--to jsonl" in err
    assert run(capsys, "export", file, "--to", "jsonl")[0] == 0


# --- corrections -------------------------------------------------------------------------------


def test_a_recorded_game_is_mended_by_a_command_and_the_sheet_follows(
    capsys: Any, log: Path
) -> None:
    _, out, _ = run(capsys, "show", "last", "--log", log)
    assert "5–4" in out
    target = next(
        r.version
        for r in facts_of(log)[0]
        if isinstance(r.fact, CardPlayed) and (r.fact.seat, r.fact.card) == (3, "Qs")
    )
    # West's queen of spades on the clubs was a queen of clubs, after all: no revoke.
    command = {"kind": "correct", "target": target, "card": "Qc", "reason": "misread"}
    code, out, err = run(capsys, "correct", "last", json.dumps(command), "--log", log)
    assert (code, err) == (0, "")
    assert "did not follow" not in out.split("* Deal 2")[0]
    command = {"kind": "strike_deal", "deal": 2, "reason": "a trial"}
    code, out, err = run(capsys, "correct", "last", json.dumps(command), "--log", log)
    assert (code, err) == (0, "")
    assert "4–4" in out.splitlines()[-1]
    code, out, _ = run(capsys, "replay", "last", "--log", log)
    assert "corrected by" in out
    assert "(a trial)" in out


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("no json", "not JSON"),
        ("[]", "malformed"),
        ('{"kind":"eat"}', "eat"),
        ('{"kind":"start_game"}', "upcard run"),
        ('{"kind":"correct","target":999,"strike":true,"reason":"x"}', "no entry 999"),
        ('{"kind":"strike_deal","deal":7,"reason":"x"}', "no deal 7"),
        ('{"kind":"insert","before":3,"fact":{"kind":"card_played"},"reason":"x"}', "fact.seat"),
        ('{"kind":"move","target":3,"before":1,"reason":"x"}', "start of the game"),
    ],
)
def test_a_command_that_makes_no_sense_changes_nothing(
    capsys: Any, log: Path, command: str, named: str
) -> None:
    before = facts_of(log)
    code, out, err = run(capsys, "correct", "last", command, "--log", log)
    assert (code, out) == (1, "")
    assert named in err
    assert facts_of(log) == before


@pytest.mark.parametrize("command", ["nonsense", "undo", "[]", '{"kind":"eat"}', '{"kind":"undo"'])
def test_who_does_not_know_how_a_command_is_written_is_shown_one_that_works(
    capsys: Any, log: Path, command: str
) -> None:
    code, _, err = run(capsys, "correct", "last", command, "--log", log)
    assert code == 1
    shown = err.strip().rpartition("'{")[2].removesuffix("'")
    code, out, err = run(capsys, "correct", "last", "{" + shown, "--log", log)
    assert (code, err) == (0, "")
    assert "Ann" in out


# --- paths where a game belongs ----------------------------------------------------------------


@pytest.mark.parametrize("word", ["show", "export", "replay"])
@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("folder", "is a folder"),
        ("folder/", "is a folder"),
        ("gone.egn", "is not there"),
        ("folder/gone", "is not there"),
        ("/dev/null", "is no file"),
    ],
)
def test_a_path_that_holds_no_game_is_named_as_the_path_it_is(
    capsys: Any,
    log: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    path: str,
    what: str,
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for there in (log, tmp_path / "nowhere.db"):
        code, out, err = run(capsys, word, path, "--log", there)
        assert (code, out) == (1, "")
        assert f"upcard: {path} {what}: name a file that holds a game" in err
        assert "or last" in err


@pytest.mark.parametrize("word", ["show", "export"])
def test_a_game_that_is_not_in_the_log_is_still_one(capsys: Any, log: Path, word: str) -> None:
    code, _, err = run(capsys, word, "20260101-2000-ab", "--log", log)
    assert (code, "no game '20260101-2000-ab' in the log" in err) == (1, True)


def test_only_a_game_of_the_log_can_be_mended_or_deleted_and_a_file_is_told_so(
    capsys: Any, log: Path, tmp_path: Path
) -> None:
    file = egn(tmp_path / "friday.egn")
    before = facts_of(log)
    undo = '{"kind":"undo","reason":"a slip"}'
    for words in (("correct", file, undo), ("games", "--delete", file)):
        code, out, err = run(capsys, *words, "--log", log)
        assert (code, out) == (1, "")
        assert f"{file} is a path" in err
        assert "upcard import takes a file's games into the log" in err
    assert facts_of(log) == before


def test_a_folder_is_no_backup(capsys: Any, log: Path, tmp_path: Path) -> None:
    before = log.read_bytes()
    code, _, err = run(capsys, "restore", tmp_path, "--log", log, "--replace")
    assert (code, f"{tmp_path} is a folder: name a file in it" in err) == (1, True)
    assert log.read_bytes() == before


def test_a_backup_that_may_not_be_opened_is_named(
    capsys: Any, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.db"
    back_up(log, kept)

    def closed(*given: Any, **more: Any) -> Any:
        raise sqlite3.OperationalError("unable to open database file")

    with monkeypatch.context() as patched:
        patched.setattr("engine.backup.sqlite3.connect", closed)
        code, _, err = run(capsys, "restore", kept, "--log", tmp_path / "new.db")
    assert (code, f"{kept} is no backup of a log" in err) == (1, True)
    assert not (tmp_path / "new.db").exists()


def test_a_command_meant_for_an_older_version_is_refused_with_what_happened(
    capsys: Any, log: Path
) -> None:
    seen = len(facts_of(log)[0])
    adjust = '{"kind":"adjust_score","points":[0,1],"reason":"late"}'
    words = ("--expect-version", seen, "--log", log)
    assert run(capsys, "correct", "last", adjust, *words)[0] == 0
    code, _, err = run(capsys, "correct", "last", adjust, *words)
    assert code == 1
    assert "stale" in err
    assert "The score was adjusted" in err
    assert len(facts_of(log)[0]) == seen + 1


# --- backup and restore ------------------------------------------------------------------------


def facts_of(log: Path) -> Any:
    with SqliteLog(log, read_only=True) as opened:
        return [opened.read(line.game_id) for line in opened.games()]


def test_a_backup_is_a_whole_log_and_is_put_back(capsys: Any, log: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    code, out, err = run(capsys, "backup", saved, "--log", log)
    assert (code, err) == (0, "")
    assert "1 game" in out
    assert facts_of(saved) == facts_of(log)
    assert sorted(p.name for p in tmp_path.glob("saved*")) == ["saved.db"]
    fresh = tmp_path / "far" / "games.db"
    code, out, err = run(capsys, "restore", saved, "--log", fresh)
    assert (code, err) == (0, "")
    assert facts_of(fresh) == facts_of(saved)
    # It is a log like any other: facts go on, and are never changed.
    with SqliteLog(fresh) as opened:
        (line,) = opened.games()
        ruled = FindingRuled(finding="1:revoke:3:3", ruling="dismiss")
        entry = Entry(at_us=0, source="x", fact=ruled)
        opened.append(line.game_id, [entry], after_version=line.version)
    with sqlite3.connect(fresh) as db, pytest.raises(sqlite3.IntegrityError, match="never"):
        db.execute("DELETE FROM fact")
    db.close()


def test_a_backup_is_made_while_a_kit_writes_and_holds_what_was_acknowledged(
    log: Path, tmp_path: Path
) -> None:
    with SqliteLog(log) as running:
        (line,) = running.games()
        play = CardPlayed(seat=0, card="9h")
        running.append(
            line.game_id, [Entry(at_us=0, source="x", fact=play)], after_version=line.version
        )
        assert back_up(log, tmp_path / "saved.db") == 1
        assert facts_of(tmp_path / "saved.db")[0][-1].fact == play
        with pytest.raises(LogLocked):
            restore(tmp_path / "saved.db", log, replace=True)
        running.append(
            line.game_id, [Entry(at_us=0, source="x", fact=play)], after_version=line.version + 1
        )
    assert len(facts_of(log)[0]) == line.version + 2


def test_nothing_is_written_over_by_a_backup_or_a_restore(
    capsys: Any, log: Path, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.db"
    back_up(log, saved)
    before, kept = facts_of(log), saved.read_bytes()
    code, out, err = run(capsys, "backup", saved, "--log", log)
    assert (code, out) == (1, "")
    assert "there already" in err
    assert run(capsys, "import", egn(tmp_path / "x.egn", deals=1), "--log", log)[0] == 0
    more = facts_of(log)
    assert len(more) == 2
    code, out, err = run(capsys, "restore", saved, "--log", log)
    assert (code, out) == (1, "")
    assert "--replace" in err
    assert facts_of(log) == more
    code, out, err = run(capsys, "restore", saved, "--replace", "--log", log)
    assert (code, err) == (0, "")
    assert facts_of(log) == before
    (old,) = tmp_path.glob("games.before-*.db")
    assert str(old) in out
    assert facts_of(old) == more
    assert saved.read_bytes() == kept
    with pytest.raises(FileThere, match="the log itself"):
        restore(log, log, replace=True)


@pytest.mark.parametrize("what", ["absent", "empty", "text", "cut", "other", "garbled"])
def test_what_is_no_backup_is_named_and_the_log_stays(
    capsys: Any, log: Path, tmp_path: Path, what: str
) -> None:
    file = tmp_path / "bad.db"
    saved = tmp_path / "saved.db"
    back_up(log, saved)
    data = saved.read_bytes()
    match what:
        case "empty":
            file.write_bytes(b"")
        case "text":
            file.write_text("this is no log")
        case "cut":
            file.write_bytes(data[: len(data) // 2])
        case "garbled":
            assert b'"seat":1' in data
            file.write_bytes(data.replace(b'"seat":1', b'"seat":9'))
        case "other":
            with sqlite3.connect(file) as db:
                db.execute("CREATE TABLE t (x)")
            db.close()
    before = facts_of(log)
    code, out, err = run(capsys, "restore", file, "--replace", "--log", log)
    assert (code, out) == (1, "")
    (line,) = err.strip().splitlines()
    assert "bad.db" in line
    assert facts_of(log) == before
    assert not list(tmp_path.glob("games.before-*")) + list(tmp_path.glob("*.restoring*"))


def test_a_backup_of_no_log_or_into_no_folder_is_named(
    capsys: Any, log: Path, tmp_path: Path
) -> None:
    code, _, err = run(capsys, "backup", tmp_path / "b.db", "--log", tmp_path / "none.db")
    assert (code, "none.db" in err) == (1, True)
    assert not (tmp_path / "b.db").exists()
    code, _, err = run(capsys, "backup", tmp_path / "no" / "b.db", "--log", log)
    assert (code, "not a folder" in err) == (1, True)
