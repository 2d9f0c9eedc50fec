"""``upcard teach`` and ``--deck`` as another program calls them."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.cards import BadCard
from pi.cli import main
from pi.errors import BadSettings
from pi.sim.faces import face_pixels
from pi.teach import label_of, pack_named


def run(capsys, *argv):
    try:
        code = main([str(word) for word in argv])
    except SystemExit as leaving:
        code = leaving.code
    told = capsys.readouterr()
    return code, told.out, told.err


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> Path:
    """The decks of these tests are kept apart from anybody's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "upcard" / "decks"


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("Kh.jpg", "Kh"),
        ("10d.png", "Td"),
        ("Td_2.jpg", "Td"),
        ("9c-again.webp", "9c"),
        ("2s (3).png", "2s"),
        ("joker.jpg", "B"),
        ("joker_low.jpg", "b"),
        ("B.png", "B"),
        ("b_1.png", "b"),
        ("IMG_0412.jpg", None),
        ("Khaki.jpg", None),
        ("kh.jpg", None),
        ("Back.jpg", None),
        ("black.jpg", None),
        ("1h.jpg", None),
    ],
)
def test_a_pictures_name_may_say_which_card_it_shows(name, card):
    assert label_of(Path("x") / name) == card


def test_packs_are_asked_for_suit_by_suit():
    assert pack_named("24")[:7] == ("9c", "Tc", "Jc", "Qc", "Kc", "Ac", "9d")
    assert [len(pack_named(n)) for n in ("24", "25", "32", "52", "54")] == [24, 25, 32, 52, 54]
    assert pack_named("25")[-1] == "B"
    assert pack_named("54")[-2:] == ("B", "b")
    assert pack_named("Kh, Qs") == ("Kh", "Qs")
    with pytest.raises(BadCard, match="'Kx' is no card"):
        pack_named("Kh,Kx")
    with pytest.raises(BadSettings, match="twice"):
        pack_named("Kh,Kh")


@pytest.mark.pixels
def test_a_deck_is_taught_from_the_simulated_table_listed_used_and_forgotten(
    capsys, tmp_path, home
):
    said = run(
        capsys, "teach", "sim deck", "--from", "sim", "--cards", "9c,Kd", "--views", 2, "--json"
    )
    assert said[0] == 0, said[2]
    lines = [json.loads(line) for line in said[1].splitlines()]
    assert [line["card"] for line in lines if line["kind"] == "ask"] == ["9c", "Kd"]
    assert [(x["card"], x["views"]) for x in lines if x["kind"] == "taken"] == [
        ("9c", 2),
        ("Kd", 2),
    ]
    assert {x["card"]: x["verdict"] for x in lines if x["kind"] == "verdict"} == {
        "9c": "clear",
        "Kd": "clear",
    }
    assert lines[-1]["kind"] == "kept"
    assert Path(lines[-1]["path"]) == home / "sim deck.npz"

    code, out, _ = run(capsys, "teach", "--list", "--json")
    assert code == 0
    assert [json.loads(line)["deck"] for line in out.splitlines()] == ["sim deck"]

    picture = tmp_path / "Kd.png"
    image = np.full((500, 500, 3), (60, 80, 40), np.uint8)
    face = face_pixels("Kd", width_px=190)
    image[100 : 100 + face.shape[0], 150 : 150 + face.shape[1]] = face
    cv2.imwrite(str(picture), image)
    code, out, _ = run(capsys, "read", picture, "--json", "--deck", "sim deck", "--threads", 1)
    assert code == 0
    assert [c["card"] for c in json.loads(out)["cards"]] == ["Kd"]

    assert run(capsys, "teach", "--forget", "sim deck")[0] == 0
    assert run(capsys, "teach", "--list")[1].startswith("no decks yet")
    code, _, err = run(capsys, "read", picture, "--deck", "sim deck")
    assert code == 1
    assert "upcard teach sim deck" in err


@pytest.mark.pixels
def test_faulty_pictures_of_a_folder_are_named_and_the_rest_is_taught(capsys, tmp_path, home):
    folder = tmp_path / "cards"
    folder.mkdir()
    for name in ("9c", "Kd"):
        image = np.full((420, 420, 3), (60, 80, 40), np.uint8)
        face = face_pixels(name, width_px=190)
        image[70 : 70 + face.shape[0], 110 : 110 + face.shape[1]] = face
        cv2.imwrite(str(folder / f"{name}.png"), image)
    (folder / "Qh.jpg").write_bytes(b"not a picture")
    cv2.imwrite(str(folder / "As.png"), np.full((300, 300, 3), 90, np.uint8))
    (folder / "notes.txt").write_text("passed over")
    code, out, err = run(capsys, "teach", "mine", "--from", folder, "--threads", 1)
    assert code == 1
    assert "Qh.jpg" in err
    assert len(err.strip().splitlines()) == 1
    assert "As.png: no card's index is seen" in out
    assert "deck mine is kept (2 clear" in out
    assert (home / "mine.npz").is_file()


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (("teach",), 2, "needs the deck's name"),
        (("teach", "x", "--from", "/no/such"), 1, "no such clip or folder"),
        (("teach", "../x", "--from", "sim"), 1, "cannot name a deck"),
        (("teach", "x", "--from", "sim", "--cards", "Zz"), 1, "'Zz' is no card"),
        (("teach", "--forget", "x"), 1, "no deck 'x' was taught"),
        (("teach", "x", "--views", "0"), 2, "--views"),
        (("watch", "clip.mp4", "--deck", "x"), 1, "no deck 'x' was taught"),
        (("run", "--deck", "x"), 1, "no deck 'x' was taught"),
    ],
)
def test_what_cannot_be_is_named_in_one_line_with_its_exit_code(capsys, argv, code, words):
    found, _, err = run(capsys, *argv)
    assert found == code
    assert words in err
    assert "Traceback" not in err


def test_an_empty_folder_is_named(capsys, tmp_path):
    code, _, err = run(capsys, "teach", "x", "--from", tmp_path)
    assert code == 1
    assert "holds no pictures" in err


def test_off_a_pi_no_source_is_guessed(capsys, monkeypatch):
    monkeypatch.setattr("pi.teach.on_a_pi", lambda: False)
    code, _, err = run(capsys, "teach", "x")
    assert code == 1
    assert "--from" in err
    assert "sim" in err
