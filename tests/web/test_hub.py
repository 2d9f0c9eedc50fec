"""One table, many viewers, and none of them can hold the table up."""

from __future__ import annotations

import threading
import time

import pytest

from web_dashboard.errors import TooManyStreams
from web_dashboard.hub import Hub, Message


def message(version: int) -> Message:
    return Message(version=version, text=f'{{"version":{version}}}')


def test_a_viewer_gets_every_message_in_order() -> None:
    hub = Hub(stream_limit=2, queue_size=8)
    stream = hub.open()
    for version in (1, 2, 3):
        hub.publish(message(version))
    assert [stream.take(0), stream.take(0), stream.take(0)] == [message(v) for v in (1, 2, 3)]
    assert stream.take(0) == "quiet"


def test_a_viewer_too_slow_for_its_queue_is_told_to_resync_once() -> None:
    hub = Hub(stream_limit=2, queue_size=4)
    stream = hub.open()
    for version in range(1, 100):
        hub.publish(message(version))
    assert stream.take(0) == "resync"
    assert stream.take(0) == "quiet"
    hub.publish(message(100))
    assert stream.take(0) == message(100)


def test_a_sleeping_viewer_slows_nobody_down() -> None:
    hub = Hub(stream_limit=3, queue_size=4)
    hub.open("asleep")
    awake = hub.open("awake")
    began = time.monotonic()
    for version in range(1, 2001):
        hub.publish(message(version))
        assert awake.take(0) == message(version)
    assert time.monotonic() - began < 10.0


def test_a_viewer_waits_until_something_happens() -> None:
    hub = Hub(stream_limit=1, queue_size=4)
    stream = hub.open()
    threading.Timer(0.05, hub.publish, [message(7)]).start()
    assert stream.take(5.0) == message(7)


def test_more_viewers_than_threads_are_refused_with_a_reason() -> None:
    hub = Hub(stream_limit=2, queue_size=4)
    first = hub.open()
    hub.open()
    with pytest.raises(TooManyStreams, match="2 pages are watching already"):
        hub.open()
    first.close()
    hub.open()
    assert hub.count() == 2


def test_a_page_that_comes_back_takes_the_place_of_its_dead_stream() -> None:
    hub = Hub(stream_limit=1, queue_size=4)
    dead = hub.open("tablet")
    alive = hub.open("tablet")
    assert dead.take(0) == "closed"
    hub.publish(message(1))
    assert alive.take(0) == message(1)
    dead.close()
    assert hub.count() == 1


def test_nameless_viewers_never_replace_each_other() -> None:
    hub = Hub(stream_limit=2, queue_size=4)
    first, second = hub.open(), hub.open()
    hub.publish(message(1))
    assert first.take(0) == second.take(0) == message(1)


def test_closing_the_hub_ends_every_wait_and_refuses_the_next() -> None:
    hub = Hub(stream_limit=2, queue_size=4)
    stream = hub.open()
    threading.Timer(0.05, hub.close).start()
    assert stream.take(5.0) == "closed"
    with pytest.raises(TooManyStreams, match="shutting down"):
        hub.open()


@pytest.mark.parametrize(("streams", "places"), [(0, 4), (4, 0)])
def test_a_hub_without_room_is_refused(streams: int, places: int) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        Hub(stream_limit=streams, queue_size=places)


def test_a_crowd_of_watchers_leaves_the_places_of_those_who_act() -> None:
    hub = Hub(stream_limit=2, queue_size=4, acting_limit=1)
    hub.open("a")
    hub.open("b")
    with pytest.raises(TooManyStreams):
        hub.open("c")
    player = hub.open("player", acting=True)
    with pytest.raises(TooManyStreams):
        hub.open("another", acting=True)
    player.close()
    hub.open("another", acting=True)
    assert hub.count() == 3


def test_more_of_those_who_act_than_have_places_of_their_own_take_those_of_watchers() -> None:
    hub = Hub(stream_limit=2, queue_size=4, acting_limit=1)
    for name in ("a", "b", "c"):
        hub.open(name, acting=True)
    for acting in (True, False):
        with pytest.raises(TooManyStreams):
            hub.open("late", acting=acting)
    assert hub.count() == 3


def test_news_beside_the_game_goes_through_the_same_queue() -> None:
    hub = Hub(stream_limit=1, queue_size=4)
    stream = hub.open()
    hub.publish(message(1))
    hub.publish(Message(version=1, text="{}", kind="shuffle"))
    assert stream.take(0) == message(1)
    assert stream.take(0) == Message(version=1, text="{}", kind="shuffle")
