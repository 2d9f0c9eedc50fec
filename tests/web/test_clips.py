"""The last seconds as a clip: for the table and the director, on request, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from access_scenes import join

from engine.memory_log import MemoryLog
from engine.table import Table
from web_dashboard import create_app
from web_dashboard.settings import PageSettings

NAME = "clip-20261130-200000.avi"


def page(folder: Path, **changes: Any) -> Any:
    def keep() -> Path:
        path = folder / NAME
        path.write_bytes(b"RIFF....AVI ")
        return path

    options: dict[str, Any] = {"keep_clip": keep, "clips_dir": folder}
    log = MemoryLog()
    table = Table(log, clock_us=lambda: 1)
    return create_app(table, log, PageSettings(**(options | changes)))


@pytest.mark.parametrize("holder", ["table", "director"])
def test_the_table_and_the_director_may_ask_and_take_it_away(tmp_path: Path, holder: str) -> None:
    client = join(page(tmp_path), holder)
    assert list(tmp_path.iterdir()) == []
    told = client.post("/api/clip", json={})
    assert (told.status_code, told.json["clip"], told.json["bytes"]) == (200, NAME, 12)
    clip = client.get(f"/clips/{NAME}")
    assert clip.data == b"RIFF....AVI "
    assert "attachment" in clip.headers["Content-Disposition"]


def test_nobody_else_sees_the_room(tmp_path: Path) -> None:
    app = page(tmp_path)
    join(app, "table").post("/api/clip", json={})
    assert app.test_client().get(f"/clips/{NAME}").status_code == 403
    assert app.test_client().post("/api/clip", json={}).status_code == 401
    seat = join(app, "seat:1")
    assert seat.post("/api/clip", json={}).status_code == 403
    assert seat.get(f"/clips/{NAME}").status_code == 403


@pytest.mark.parametrize(
    "name", ["games.db", "..%2Fgames.db", "clip-20261130-200000.avi.txt", "clip-1.avi"]
)
def test_nothing_but_clips_is_given_away(tmp_path: Path, name: str) -> None:
    (tmp_path / "games.db").write_bytes(b"private")
    client = join(page(tmp_path), "director")
    assert client.get(f"/clips/{name}").status_code == 404
    assert client.get(f"/clips/{NAME}").status_code == 404


def test_a_disk_without_room_and_a_kit_without_a_camera_say_so(tmp_path: Path) -> None:
    def full() -> Path:
        raise OSError("the disk is full: free some space")

    told = join(page(tmp_path, keep_clip=full), "table").post("/api/clip", json={})
    assert (told.status_code, "free some space" in told.text) == (503, True)
    told = join(page(tmp_path, keep_clip=None), "table").post("/api/clip", json={})
    assert (told.status_code, "no camera" in told.text) == (404, True)
