"""The calibration page, over the kit's own set-up and a camera that sees the printed sheet."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from access_scenes import join
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from engine.cards import Card
from engine.table import Table
from pi.calibrate import Calibration, TableSetup, load, with_sheet
from pi.sim.lens import Lens, homography
from vision.frame import Frame, Image
from vision.ports import Detection
from vision.sheet import sheet_pdf
from web_dashboard import PageServer, PageSettings, create_app

SIZES = [(1280, 800), (800, 1280), (390, 844)]


class Reads:
    """Reads the same two cards in every picture, one of them with doubt."""

    def read(self, image: Image, regions: object = None) -> tuple[Detection, ...]:
        box = (0.0, 0.0, 10.0, 10.0)
        return (
            Detection(kind="card", card=Card("Kh"), confidence=0.995, box=box),
            Detection(kind="unsure", card=Card("9c"), confidence=0.61, box=box, why="low"),
            Detection(kind="unsure", card=None, confidence=0.9, box=box, why="foreign"),
        )


def bare() -> Image:
    image = np.empty((720, 1280, 3), np.uint8)
    image[:] = (72, 108, 38)
    return image


class Camera:
    def __init__(self) -> None:
        self.image: Image | None = with_sheet(bare(), homography(Lens()))
        self.used: list[Calibration] = []

    def newest(self) -> Frame | None:
        return None if self.image is None else Frame(at_us=1, image=self.image)


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def setup(camera: Camera, tmp_path: Path) -> TableSetup:
    return TableSetup(
        newest=camera.newest,
        reader=Reads(),
        path=tmp_path / "calibration.json",
        use=camera.used.append,
    )


@pytest.fixture
def made(table: Table, log: Any, settings: PageSettings, setup: TableSetup) -> Any:
    app = create_app(table, log, replace(settings, calibrating=setup))
    yield app
    app.extensions["upcard"].close()


def test_a_look_tells_the_checks_and_shows_the_zones_and_keep_keeps_them(
    made: Any, camera: Camera, tmp_path: Path
) -> None:
    table = join(made, "table")
    assert table.post("/api/calibrate", json={"do": "keep"}).status_code == 409
    told = table.post("/api/calibrate", json={"do": "look"}).json
    assert (told["found"], told["may_keep"], told["picture"]) == (True, True, True)
    assert {c["name"] for c in told["checks"]} >= {"size", "focus", "exposure", "tilt", "view"}
    picture = cv2.imdecode(
        np.frombuffer(table.get("/api/calibrate/picture.jpg").data, np.uint8), cv2.IMREAD_COLOR
    )
    assert picture.shape == (720, 1280, 3)
    assert table.post("/api/calibrate", json={"do": "keep"}).json == {"accepted": True}
    assert load(tmp_path / "calibration.json").placed.found_by == "sheet"
    assert len(camera.used) == 1


def test_a_table_without_sheet_or_cards_says_what_to_lay_down(made: Any, camera: Camera) -> None:
    table = join(made, "table")
    camera.image = bare()
    told = table.post("/api/calibrate", json={"do": "look"}).json
    assert (told["found"], told["may_keep"], told["checks"]) == (False, False, [])
    assert "lay the sheet in the middle" in told["text"]
    camera.image = None
    assert "no picture yet" in table.post("/api/calibrate", json={"do": "look"}).json["text"]
    assert table.get("/api/calibrate/picture.jpg").status_code == 404


def test_a_picture_too_dark_to_read_is_not_kept(made: Any, camera: Camera) -> None:
    table = join(made, "table")
    assert camera.image is not None
    camera.image = (camera.image * 0.2).astype(np.uint8)
    told = table.post("/api/calibrate", json={"do": "look"}).json
    assert (told["found"], told["may_keep"]) == (True, False)
    refused = table.post("/api/calibrate", json={"do": "keep"})
    assert (refused.status_code, camera.used) == (409, [])
    assert "mend what failed" in refused.json["reason"]


def test_cards_are_told_with_their_confidence_and_strangers_are_not(made: Any) -> None:
    told = join(made, "table").post("/api/calibrate", json={"do": "cards"}).json
    assert told == {
        "cards": [{"card": "Kh", "confidence": 0.995}, {"card": "9c", "confidence": 0.61}]
    }


@pytest.mark.parametrize("body", [{"do": "peek"}, {}, [], {"do": ["look"]}, {"do": None}])
def test_a_word_it_does_not_know_is_refused(made: Any, body: object) -> None:
    assert join(made, "table").post("/api/calibrate", json=body).status_code == 400


def test_watchers_and_seats_neither_see_the_room_nor_move_the_seats(made: Any) -> None:
    join(made, "table").post("/api/calibrate", json={"do": "look"})
    for client in (made.test_client(), join(made, "seat:1")):
        assert client.get("/api/calibrate/picture.jpg").status_code == 403
        assert client.post("/api/calibrate", json={"do": "look"}).status_code in (401, 403)
    assert made.test_client().get("/calibrate/sheet.pdf").data == sheet_pdf()


def test_a_table_without_a_camera_says_so(table: Table, log: Any, settings: PageSettings) -> None:
    app = create_app(table, log, settings)
    try:
        client = join(app, "director")
        assert b"This table has no camera" in client.get("/calibrate").data
        assert client.post("/api/calibrate", json={"do": "look"}).status_code == 409
        assert client.get("/calibrate/sheet.pdf").status_code == 404
    finally:
        app.extensions["upcard"].close()


@pytest.mark.parametrize("size", SIZES)
def test_the_page_looks_keeps_and_ticks_off_a_deck(
    chromium: Any,
    table: Table,
    serve_page: Callable[..., PageServer],
    setup: TableSetup,
    tmp_path: Path,
    size: tuple[int, int],
) -> None:
    server = serve_page(table, calibrating=setup)
    chromium.set_window_size(*size)
    chromium.get(f"{server.url}calibrate")
    wait = WebDriverWait(chromium, 15)
    wait.until(lambda d: d.find_elements(By.CSS_SELECTOR, ".deck-card"))
    assert not chromium.find_element(By.ID, "keep").is_enabled()
    chromium.find_element(By.ID, "look").click()
    wait.until(lambda d: d.find_element(By.ID, "keep").is_enabled())
    wait.until(lambda d: d.execute_script("return document.querySelector('#seen').naturalWidth"))
    assert len(chromium.find_elements(By.CSS_SELECTOR, ".checks li")) >= 8
    assert chromium.execute_script(
        "return document.documentElement.scrollWidth <= window.innerWidth"
    ), "the page must not scroll sideways"
    chromium.find_element(By.ID, "keep").click()
    wait.until(lambda d: "Kept" in d.find_element(By.ID, "told").text)
    assert (tmp_path / "calibration.json").exists()
    chromium.find_element(By.ID, "deck").click()
    wait.until(
        lambda d: d.find_elements(By.CSS_SELECTOR, ".deck-card[data-card=Kh][data-state=clear]")
    )
    weak = chromium.find_element(By.CSS_SELECTOR, ".deck-card[data-card='9c']")
    assert weak.get_attribute("data-state") == "weak"
    assert "1 of 24" in chromium.find_element(By.ID, "deck-told").text
    chromium.find_element(By.ID, "deck").click()
    if pictures := os.environ.get("UPCARD_SCREENSHOTS"):
        chromium.save_screenshot(f"{pictures}/calibrate-{size[0]}.png")
