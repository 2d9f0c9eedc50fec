"""The fittings of the table, joined to the game: what a press means, what the lights say.

:class:`Tending` is called often with the time; it reads the buttons, drives the shuffler, and
lets lights and buzzer follow the game. Every part may be missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final

from engine.cards import SEAT_NAMES, Seat
from engine.commands import Command, ConfirmDeal, Discard, Rejected, ThrowIn, Undo
from engine.state import State
from engine.table import Accepted, Table
from engine.wording import Sentence, spoken, worded
from pi.looks import Looks
from pi.ports import ButtonFree, Buttons, ButtonStuck, Buzzer, Call, Lights, Meaning, Pressed
from pi.shuffling import words
from pi.shuffling.attendant import Attendant
from pi.shuffling.passes import AT_REST, HALTED, Phase

_LOG = logging.getLogger(__name__)

#: Somebody who calls for a look is pointed at for this long.
LOOK_US: Final = 20_000_000
#: While the shuffler waits for hands, it calls again this often.
REMIND_US: Final = 30_000_000
#: Steps of the shuffler in which hands are wanted.
_HANDS: Final[frozenset[Phase]] = HALTED | {"loading", "piles_out", "restack"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fittings:
    """The table's buttons, lights, buzzer and shuffler; None where the kit has none."""

    buttons: Buttons | None = None
    lights: Lights | None = None
    buzzer: Buzzer | None = None
    shuffling: Attendant | None = None


class Tending:
    """Joins ``fittings`` to ``table``. ``do`` gives a command in a seat's name, ``warn`` tells
    people a sentence, ``looks`` takes the calls for a look. ``tick`` from one thread; ``changed``
    and ``look`` from any."""

    def __init__(
        self,
        fittings: Fittings,
        *,
        table: Table,
        do: Callable[[Command, str], Accepted | Rejected],
        warn: Callable[[Sentence], None],
        looks: Looks,
    ) -> None:
        self.fittings = fittings
        self._table = table
        self._do = do
        self._warn = warn
        self._call_for_a_look = looks.call
        self._now_us = 0
        self._looks: dict[Seat, int] = {}
        #: Two seats may call in one instant, each from its own thread.
        self._calling = Lock()
        #: Seats whose button is stuck.
        self.stuck: frozenset[Seat] = frozenset()
        #: By seat: the version that its last press recorded, for taking it back.
        self._recorded: dict[Seat, int] = {}
        self._announced = (0, 0, False)
        self._phase: Phase = "idle"
        self._called_us = 0
        self._tired = False
        self._unkept = False

    # --- time ----------------------------------------------------------------------------------

    def tick(self, at_us: int) -> None:
        """Everything that is due at ``at_us``, on the fittings' own clock."""
        self._now_us = at_us
        fittings = self.fittings
        if fittings.buttons is not None:
            for news in fittings.buttons.poll(at_us):
                match news:
                    case Pressed():
                        self._pressed(news)
                    case ButtonStuck():
                        self.stuck |= {news.seat}
                        self._warn(
                            worded(
                                "{name}'s button is stuck: see whether something lies on it or "
                                "its wire is loose. It is not listened to until it comes up; the "
                                "page does all it does.",
                                name=SEAT_NAMES[news.seat],
                            )
                        )
                        self._sound("refused")
                    case ButtonFree():
                        self.stuck -= {news.seat}
                        self._warn(
                            worded("{name}'s button works again.", name=SEAT_NAMES[news.seat])
                        )
        if fittings.shuffling is not None:
            fittings.shuffling.tick(at_us)
            self._call_for_hands(fittings.shuffling, at_us)
        if fittings.buzzer is not None:
            fittings.buzzer.tick(at_us)
        self._light(at_us)

    def changed(self) -> None:
        """The game has gone on: sound what is new, light whose turn it is."""
        if self.fittings.shuffling is not None:
            self.fittings.shuffling.changed()
        state = self._table.state
        now = (len(state.reviews), len(state.findings), state.over)
        before, self._announced = self._announced, now
        if now[2] and not before[2]:
            self._sound("over")
        elif now[1] > before[1]:
            self._sound("proved")
        elif now[0] > before[0]:
            self._sound("asked")
        self._light(self._now_us)

    def look(self, seat: Seat, said: Sentence) -> None:
        """``seat`` has called for a look: its light and the buzzer say so, and a warning."""
        # A new dict each time: the thread of the lights goes through the one before.
        with self._calling:
            self._looks = {**self._looks, seat: self._now_us + LOOK_US}
        self._warn(said)
        self._sound("look")
        self._light(self._now_us)

    def _call_for_hands(self, shuffling: Attendant, at_us: int) -> None:
        phase, tired = shuffling.work.phase, shuffling.work.tired
        if tired and not self._tired:
            self._warn(worded(words.TIRED))
        self._tired = tired
        if shuffling.unkept and not self._unkept:
            self._warn(worded(words.UNKEPT))
        self._unkept = shuffling.unkept
        if phase in _HANDS and phase != "loading" and phase != self._phase:
            self._sound("next")
            self._called_us = at_us
        elif phase == "done" != self._phase:
            self._sound("next")
        elif phase in _HANDS - HALTED and at_us - self._called_us >= REMIND_US:
            self._sound("next")
            self._called_us = at_us
        if phase != self._phase and phase in HALTED:
            self._warn(spoken(shuffling.state()["say"]))
        self._phase = phase

    def _sound(self, call: Call) -> None:
        if self.fittings.buzzer is not None:
            self.fittings.buzzer.sound(call, at_us=self._now_us)

    # --- lights --------------------------------------------------------------------------------

    def _light(self, at_us: int) -> None:
        if self.fittings.lights is not None:
            self.fittings.lights.show(self.meanings(at_us), at_us=at_us)

    def meanings(self, at_us: int) -> tuple[Meaning | None, ...]:
        """What each seat's light says: attention before turn before dealer."""
        state = self._table.state
        shuffling = self.fittings.shuffling
        wanted = {seat for seat, until_us in self._looks.items() if at_us < until_us}
        wanted |= {review.seat for review in state.reviews if review.seat is not None}
        if shuffling is not None and shuffling.work.phase in _HANDS:
            wanted.add(shuffling.work.seat or 0)
        turn = None if state.over else state.turn
        dealer = _dealer(state)

        def meaning(seat: Seat) -> Meaning | None:
            if seat in wanted:
                return "attention"
            if seat == turn:
                return "turn"
            return "dealer" if seat == dealer else None

        return tuple(meaning(seat) for seat in range(len(SEAT_NAMES)))

    # --- buttons -------------------------------------------------------------------------------

    def _pressed(self, pressed: Pressed) -> None:
        seat = pressed.seat
        match pressed.press:
            case "short":
                refused = self._short(seat)
            case "long":
                stop = self._stop(seat)
                if stop is None:
                    refused = self._call_for_a_look(seat)
                    if refused is None:
                        # The call has sounded: that it was taken is heard in it.
                        return
                else:
                    refused = stop()
            case "double":
                refused = self._double(seat)
        if refused is not None:
            self._warn(refused)
        self._sound("taken" if refused is None else "refused")

    def _short(self, seat: Seat) -> Sentence | None:
        """Yes: the points are marked, a card is laid away, the shuffler may go."""
        state = self._table.state
        ask = self._table.snapshot()["ask"]
        kind = None if ask is None else ask["kind"]
        if kind == "confirm":
            return self._give(ConfirmDeal(deal=ask["deal"]), seat)
        if kind == "discard" and seat == _dealer(state):
            return self._give(Discard(seat=seat), seat)
        if self.fittings.shuffling is not None:
            return self.fittings.shuffling.start(seat)
        return worded("Nothing waits for {seat}'s button now.", seat=seat)

    def _stop(self, seat: Seat) -> Callable[[], Sentence | None] | None:
        """What a long press stops, the shuffler or a bidding that all passed; None: nothing."""
        shuffling = self.fittings.shuffling
        if shuffling is not None and shuffling.work.phase not in AT_REST:
            return lambda: shuffling.override("stop")
        state = self._table.state
        deal = state.open_deal
        if (
            deal is not None
            and deal.dealer == seat
            and deal.upcard_state == "turned_down"
            and deal.maker is None
            and not deal.tricks
        ):
            return lambda: self._give(ThrowIn(reason="passed_out"), seat)
        return None

    def _double(self, seat: Seat) -> Sentence | None:
        """By hand: shuffled without the machine; else back: what this button did last."""
        shuffling = self.fittings.shuffling
        if shuffling is not None:
            work = shuffling.work
            if work.phase not in AT_REST and work.seat == seat:
                return shuffling.by_hand(seat, max(1, work.wanted - work.done))
            told = shuffling.state()
            if seat in told["may_start"]:
                return shuffling.by_hand(seat, told["passes_wanted"])
        version = self._recorded.get(seat)
        if version is not None and version == self._table.version:
            return self._give(Undo(reason="the button was pressed twice"), seat)
        return worded("{seat}'s button has done nothing that could be taken back.", seat=seat)

    def _give(self, command: Command, seat: Seat) -> Sentence | None:
        answer = self._do(command, f"seat:{seat}")
        if isinstance(answer, Rejected):
            return answer.said
        self._recorded[seat] = answer.version
        if isinstance(command, Undo):
            del self._recorded[seat]
        return None


def _dealer(state: State) -> Seat | None:
    deal = state.deal
    return state.next_dealer if deal is None or deal.complete else deal.dealer
