"""A card is shown, rests, is moved and taken away: what teaching makes of it, by the clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

from engine.cards import Card
from vision.classify import IndexReading
from vision.find import IndexSpot
from vision.frame import Frame
from vision.pair import Rules
from vision.teaching import CardTaken, NotTaken, Teaching

IMAGE = np.full((200, 300, 3), 128, np.uint8)
CARD_PX, INDEX_PX = 120.0, 24.0


def index(
    x: float, y: float, turn_deg: float, name: str | None, p: float, *, opposite: bool
) -> IndexReading:
    """One of the two indices of a card whose middle is at (x, y)."""
    up = math.radians(turn_deg)
    up_x, up_y = math.sin(up), -math.cos(up)
    sign = -1 if opposite else 1
    off_x, off_y = -28 * -up_y, -28 * up_x  # to the left of the middle line
    return IndexReading(
        spot=IndexSpot(
            x=x + sign * (up_x * 42 + off_x),
            y=y + sign * (up_y * 42 + off_y),
            up_x=sign * up_x,
            up_y=sign * up_y,
            height_px=INDEX_PX,
            middle_x=x,
            middle_y=y,
            card_px=CARD_PX,
            score=0.9,
            seen_px=INDEX_PX,
        ),
        votes=((Card(name), p),) if name else (),
        none=0.0 if name else 0.99,
        suit_seen=1.0,
    )


def card_at(
    x: float, y: float, turn_deg: float = 0.0, name: str | None = "Kh", p: float = 0.99
) -> list[IndexReading]:
    return [index(x, y, turn_deg, name, p, opposite=o) for o in (False, True)]


@dataclass
class ScriptedReader:
    """Sees what the test says lies there."""

    now: list[IndexReading] = field(default_factory=list)
    settings: SimpleNamespace = field(
        default_factory=lambda: SimpleNamespace(rules=Rules(), crop_index_px=38.0)
    )

    def readings(self, image, regions=None):
        return list(self.now), []


@dataclass
class Table:
    """Feeds a session with what lies there, at ``fps`` pictures a second."""

    teaching: Teaching
    reader: ScriptedReader
    fps: float = 10.0
    at_us: int = 0
    news: list[CardTaken | NotTaken] = field(default_factory=list)

    def show(self, seconds: float, readings: list[IndexReading]) -> list[CardTaken | NotTaken]:
        self.reader.now = readings
        fresh: list[CardTaken | NotTaken] = []
        for _ in range(round(seconds * self.fps)):
            fresh += self.teaching.see(Frame(at_us=self.at_us, image=IMAGE))
            self.at_us += round(1e6 / self.fps)
        self.news += fresh
        return fresh


def table(order: str | None = None, *, views: int = 3, fps: float = 10.0) -> Table:
    reader = ScriptedReader()
    cards = [Card(c) for c in order.split()] if order else None
    return Table(teaching=Teaching(reader, order=cards, views=views), reader=reader, fps=fps)


@pytest.mark.parametrize("fps", [5.0, 12.0, 60.0])
def test_a_card_moved_to_three_places_is_taken_from_three(fps):
    t = table(fps=fps)
    for x in (60, 120, 180):
        t.show(0.8, card_at(x, 90, turn_deg=x))
    (taken,) = t.news
    assert isinstance(taken, CardTaken)
    assert (taken.card, taken.views, taken.read) == ("Kh", 3, "Kh")
    assert len(t.teaching.examples) == 6
    assert {e.view for e in t.teaching.examples} == {1, 2, 3}


def test_a_card_in_motion_is_never_taken():
    t = table()
    for step in range(40):
        t.show(0.1, card_at(40 + 5 * step, 90))
    assert t.news == []
    assert t.teaching.examples == []


def test_a_card_that_is_left_alone_is_looked_at_again():
    t = table()
    assert t.show(3.0, card_at(100, 90)) == []
    (taken,) = t.show(1.5, card_at(100, 90))
    assert isinstance(taken, CardTaken)
    assert taken.views == 3


def test_a_card_taken_away_early_is_kept_with_the_views_it_gave():
    t = table()
    t.show(1.0, card_at(100, 90))
    (taken,) = t.show(0.5, [])
    assert isinstance(taken, CardTaken)
    assert taken.views == 1
    assert t.show(2.0, []) == []


def test_a_flicker_of_the_finder_does_not_end_a_card():
    t = table()
    t.show(0.8, card_at(100, 90))
    t.show(0.2, [])
    assert t.news == []
    t.show(0.8, card_at(160, 90))
    (taken,) = t.show(0.8, card_at(220, 90, turn_deg=40))
    assert isinstance(taken, CardTaken)
    assert taken.views == 3


def test_cards_are_taken_in_the_order_asked_for_whatever_they_read_as():
    t = table("Jh Qh", views=1)
    assert t.teaching.asked == "Jh"
    (first,) = t.show(0.8, card_at(100, 90, name="8h"))
    assert isinstance(first, CardTaken)
    assert (first.card, first.read) == ("Jh", "8h")
    assert t.teaching.asked == "Qh"
    t.show(0.5, [])
    (second,) = t.show(0.8, card_at(100, 90, name=None))
    assert isinstance(second, CardTaken)
    assert (second.card, second.read) == ("Qh", None)
    assert t.teaching.done
    assert t.teaching.asked is None


def test_one_card_left_lying_is_not_taken_for_the_next():
    t = table("Jh Qh", views=1)
    t.show(5.0, card_at(100, 90, name=None))
    assert [n.card for n in t.news if isinstance(n, CardTaken)] == ["Jh"]
    assert t.teaching.asked == "Qh"


def test_in_any_order_a_card_that_is_not_surely_named_is_refused_once_with_the_cure():
    t = table()
    t.show(2.0, card_at(100, 90, p=0.5))
    (refused,) = t.news
    assert isinstance(refused, NotTaken)
    assert "Kh.jpg" in refused.why
    assert t.teaching.examples == []
    t.show(0.5, [])
    t.show(1.0, card_at(100, 90, p=0.5))
    assert len(t.news) == 2


def test_another_card_laid_over_the_first_begins_anew():
    t = table(views=2)
    t.show(0.8, card_at(100, 90, name="Kh"))
    news = t.show(0.8, card_at(160, 90, name="Ad"))
    assert [(n.card, n.views) for n in news if isinstance(n, CardTaken)] == [("Kh", 1)]
    (second,) = t.show(0.8, card_at(100, 90, name="Ad"))
    assert isinstance(second, CardTaken)
    assert (second.card, second.views) == ("Ad", 2)
    assert {(e.card, e.view) for e in t.teaching.examples} == {("Kh", 1), ("Ad", 2), ("Ad", 3)}


def test_several_cards_at_once_are_refused():
    t = table("Jh")
    t.show(1.0, card_at(60, 90) + card_at(230, 90, name="9c"))
    assert all(isinstance(n, NotTaken) and "one at a time" in n.why for n in t.news)
    assert len(t.news) == 1
    assert t.teaching.examples == []


def test_what_was_begun_when_the_clip_ends_is_kept():
    t = table()
    t.show(0.8, card_at(100, 90))
    (taken,) = t.teaching.end(t.at_us)
    assert isinstance(taken, CardTaken)
    assert taken.views == 1
    assert t.teaching.end(t.at_us) == ()


def test_a_still_picture_gives_one_view_under_the_name_it_is_given():
    t = table()
    t.reader.now = card_at(100, 90, name=None)
    refused = t.teaching.picture(IMAGE)
    assert isinstance(refused, NotTaken)
    taken = t.teaching.picture(IMAGE, Card("Jh"))
    assert isinstance(taken, CardTaken)
    assert taken.card == "Jh"
    t.reader.now = []
    nothing = t.teaching.picture(IMAGE, Card("Jh"))
    assert isinstance(nothing, NotTaken)
    assert "no card" in nothing.why
