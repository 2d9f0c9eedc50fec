"""The command line's words, exit codes and errors, as another program would call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from pi.cli import main


def run(capsys, *argv):
    """Exit code, stdout, stderr of ``upcard`` with these words."""
    try:
        code = main([str(word) for word in argv])
    except SystemExit as leaving:
        code = leaving.code
    told = capsys.readouterr()
    return code, told.out, told.err


def one_line(err):
    """The complaint: one line, by name, with no stack trace."""
    assert "Traceback" not in err
    (line,) = err.strip().splitlines()
    assert line.startswith("upcard: ")
    return line


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("fly",),
        ("run", "--port", "0"),
        ("run", "--port", "http"),
        ("run", "--speed", "0"),
        ("run", "--speed", "fast"),
        ("watch",),
        ("watch", "x.mp4", "--trump", "x"),
        ("watch", "x.mp4", "--maker", "4"),
        ("export", "last", "--to", "pdf"),
        ("score", "x.egn", "--rulings", "never"),
    ],
)
def test_wrong_usage_is_exit_two_with_a_hint(capsys, argv):
    code, out, err = run(capsys, *argv)
    assert code == 2
    assert out == ""
    assert "usage: upcard" in err


def test_a_picture_that_is_none_is_named_and_the_others_are_still_read(capsys, tmp_path, root):
    bad = tmp_path / "notes.jpg"
    bad.write_text("this is no picture")
    code, out, err = run(capsys, "read", bad, tmp_path / "absent.jpg", "--json")
    assert code == 1
    assert out == ""
    lines = err.strip().splitlines()
    assert len(lines) == 2
    assert "notes.jpg" in lines[0]
    assert "absent.jpg" in lines[1]
    assert "Traceback" not in err


def test_a_clip_that_is_absent_empty_or_no_clip_is_named(capsys, tmp_path):
    empty = tmp_path / "empty.mp4"
    empty.write_bytes(b"")
    noise = tmp_path / "noise.mp4"
    noise.write_bytes(bytes(range(256)) * 40)
    for clip in (tmp_path / "absent.mp4", empty, noise):
        code, out, err = run(capsys, "watch", clip, "--json")
        assert code == 1
        assert out == ""
        assert clip.name in one_line(err)


@pytest.mark.parametrize(
    "text",
    ["", "not json", "[]", "{}", '{"fileType": "Bridge"}', '{"deals": 3}'],
)
def test_a_game_file_that_is_none_is_named(capsys, tmp_path, text):
    file = tmp_path / "game.egn"
    file.write_text(text)
    code, _, err = run(capsys, "score", file, "--json")
    assert code == 1
    assert "game.egn" in err
    assert "Traceback" not in err


def test_a_bad_card_is_named_with_its_place_and_the_rest_is_scored(capsys, tmp_path, shared):
    source = shared / "data" / "egn" / "real_00.egn"
    game = json.loads(source.read_text())
    game["deals"][1]["phases"][1]["tricks"][2][1] = "Zx"
    file = tmp_path / "spoiled.egn"
    file.write_text(json.dumps(game))
    code, out, err = run(capsys, "score", file, "--json")
    assert code == 1
    assert "Zx" in err
    assert "deal" in err.lower()
    assert len(json.loads(out)["deals"]) == len(game["deals"])


def test_every_real_game_scores_as_the_independent_scorer_says(capsys, shared):
    files = sorted((shared / "data" / "egn").glob("*.egn"))
    assert len(files) == 9
    for file in files:
        code, out, err = run(capsys, "score", file, "--json")
        assert (code, err) == (0, "")
        ours = json.loads(out)
        theirs = json.loads(file.with_suffix("").with_suffix(".expected.json").read_text())
        assert ours["score"] == theirs["score"], file.name
        for ours_deal, theirs_deal in zip(ours["deals"], theirs["deals"], strict=True):
            assert {key: ours_deal[key] for key in theirs_deal} == theirs_deal, file.name


def test_a_game_goes_through_import_games_show_replay_and_export(capsys, tmp_path, shared):
    source = shared / "data" / "egn" / "real_08.egn"
    log = tmp_path / "games.db"
    code, out, err = run(capsys, "import", source, "--log", log)
    assert (code, err) == (0, "")
    game = out.strip()
    code, out, _ = run(capsys, "games", "--log", log, "--json")
    assert code == 0
    assert json.loads(out)["game"] == game
    code, out, _ = run(capsys, "show", "last", "--deal", 1, "--log", log)
    assert code == 0
    assert "trick" in out.lower()
    code, out, _ = run(capsys, "replay", game, "--log", log)
    assert code == 0
    assert len(out.splitlines()) > 100
    back = tmp_path / "back.egn"
    code, out, _ = run(capsys, "export", game, "--to", "egn", "-o", back, "--log", log)
    assert code == 0
    _, scored, _ = run(capsys, "score", source, "--json")
    _, again, _ = run(capsys, "score", back, "--json")
    assert again == scored
    lossless = tmp_path / "game.jsonl"
    code, _, err = run(capsys, "export", game, "--to", "jsonl", "-o", lossless, "--log", log)
    assert (code, err) == (0, "")
    _, thrice, _ = run(capsys, "score", lossless, "--json")
    assert thrice == scored


def test_no_games_yet_is_said_kindly(capsys, tmp_path):
    code, out, err = run(capsys, "games", "--log", tmp_path / "none.db")
    assert (code, err) == (0, "")
    assert "upcard run" in out


@pytest.mark.parametrize("word", ["replay", "show", "export"])
def test_a_game_that_is_not_there_is_named(capsys, tmp_path, shared, word):
    log = tmp_path / "games.db"
    run(capsys, "import", shared / "data" / "egn" / "real_00.egn", "--log", log)
    code, out, err = run(capsys, word, "20200101-nobody", "--log", log)
    assert code == 1
    assert out == ""
    assert "20200101-nobody" in one_line(err)


def test_games_does_not_load_the_camera_side(tmp_path):
    import subprocess

    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, pi.cli; pi.cli.main(['games', '--log', sys.argv[1]]);"
            "print([m for m in ('cv2', 'onnxruntime', 'flask', 'gpiozero') if m in sys.modules])",
            str(tmp_path / "none.db"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ("watch", ""),
        ("read", ""),
        ("score", ""),
        ("import", ""),
        ("run", "--log", ""),
        ("run", "--host", ""),
        ("run", "--settings", ""),
        ("backup", ""),
    ],
    ids=" ".join,
)
def test_a_name_that_is_empty_is_wrong_usage_and_not_the_folder_we_are_in(capsys, words):
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert "nothing is named" in err


@pytest.mark.parametrize("threads", ["0", "-1", "9999999", "many"])
@pytest.mark.parametrize("word", ["read", "watch"])
def test_threads_beyond_reason_are_wrong_run(capsys, word, threads):
    code, _, err = run(capsys, word, "some.file", "--threads", threads)
    assert code == 2
    assert threads in err
    assert "1 to 16" in err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--table", "roulette"), "roulette"),
        (("--table", "clip"), "clip PATH"),
        (("--table", "hand", "more"), "more"),
        (("--dial", "fog=1"), "fog"),
        (("--dial", "revokes=2"), "2.0"),
        (("--table", "hand", "--dial", "blur=1"), "blur=1"),
        (("--games", "0"), "'0'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_words_that_no_table_can_do_are_wrong_run(capsys, tmp_path, words, named):
    code, out, err = run(capsys, "run", *words, "--log", tmp_path / "games.db")
    assert (code, out) == (2, "")
    assert named in err
    assert not (tmp_path / "games.db").exists()


def test_a_ruleset_file_need_not_end_in_toml_and_what_it_is_not_is_said(
    capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    game = tmp_path / "facts.jsonl"
    game.write_text('{"format":"upcard-facts","schema":1}\n')
    Path("ours").write_text("target = 15\n")
    Path("notes").write_text("fifteen points, please\n")
    Path("folder").mkdir()
    code, _, err = run(capsys, "score", game, "--rules", "ours")
    assert "ruleset" not in err
    for name, said in (("notes", "must be a TOML file"), ("folder", "name a file in it")):
        code, _, err = run(capsys, "score", game, "--rules", name)
        assert code == 1
        assert said in one_line(err)


def test_bad_rules_are_told_before_a_clip_is_watched(capsys):
    code, out, err = run(capsys, "watch", "absent.mp4", "--rules", "nonsense")
    assert (code, out) == (1, "")
    assert "nonsense" in one_line(err)
    assert "home" in err


def test_a_place_that_cannot_be_written_is_named_with_the_cure(capsys):
    code, _, err = run(capsys, "run", "--table", "hand", "--log", "/proc/absent/games.db")
    assert code == 1
    assert "/proc/absent" in one_line(err)
    assert "name a file in a folder that is there" in err
