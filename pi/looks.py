"""Calls for a look: somebody at the table asks everybody to see what lies there.

A seat's button calls with a long press, the page with a tap; whoever wants to show it (lights,
buzzer, every page) listens. Nothing is recorded: a call is no fact of the game.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from engine.cards import Seat
from engine.games import game_for
from engine.state import State
from engine.wording import Sentence, worded

_Listener = Callable[[Seat, Sentence], None]


class Looks:
    """Takes calls for a look and tells them on. Safe to call from any thread.

    ``game``: the game as it stands now.
    """

    def __init__(self, *, game: Callable[[], State]) -> None:
        self._game = game
        self._lock = threading.Lock()
        self._listeners: tuple[_Listener, ...] = ()

    def call(self, seat: Seat) -> Sentence | None:
        """``seat`` asks everybody to look at the table; the reason why it may not."""
        state = self._game()
        if not state.started:
            return worded("No game is on the table: begin one, and there is something to look at.")
        if not 0 <= seat < game_for(state.ruleset).seats:
            return worded("Nobody sits at that seat in this game: call from a seat that plays.")
        said = worded("{seat} asks everybody to look at the table.", seat=seat)
        for listener in self._listeners:
            listener(seat, said)
        return None

    def subscribe(self, listener: _Listener) -> Callable[[], None]:
        """Call ``listener`` with the seat and what to say at every call; answers the call that
        ends it."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self._lock:
                self._listeners = tuple(one for one in self._listeners if one is not listener)

        return end
