"""``upcard shuffle``: ask the running kit for a shuffle, or drive the shuffler without one."""

from __future__ import annotations

import argparse
import select
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, get_args

from engine.commands import ReportShuffle
from engine.ruleset import Ruleset
from engine.state import State
from pi.errors import BadSettings, KitError
from pi.gpio import Factory, open_factory
from pi.settings import KitSettings, SensorKind, kit_settings
from pi.shuffling.attendant import Attendant
from pi.shuffling.counter import SOCKET_NAME, NoKit, answered, ask
from pi.shuffling.passes import HALTED, Times
from pi.shuffling.touch import TouchShuffler, fitted_pins, outputs_off

_TICK_S: Final = 0.04
_LOOK_S: Final = 0.3
#: Whom the shuffler works for when no game is on.
_NOBODY: Final = 0

#: One request to whoever has the shuffler.
Asking = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class ShuffleRefused(KitError, RuntimeError):
    """The shuffler was not started, or stopped half way; the message says why."""


def shuffle(
    given: argparse.Namespace, *, log_path: Path, emit: Callable[[dict[str, Any]], None] | None
) -> int:
    """Do what the words ask; 0 when it is done. ``emit`` takes each new state as JSON.

    Raises ShuffleRefused, NoPinFactory or BadSettings with the cure.
    """
    settings = kit_settings(given.settings)
    if given.off:
        return _off(settings)
    tell = emit if emit is not None else _said
    counter = log_path.with_name(SOCKET_NAME)
    if given.table is None and counter.exists():
        try:
            return _through(lambda request: ask(counter, request), given, tell=tell)
        except NoKit:
            # A kit that was killed leaves its socket behind; one that refuses us is said below.
            if not _nobody_there(counter):
                raise
    return _without_a_kit(given, settings, tell=tell)


def _nobody_there(counter: Path) -> bool:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        try:
            end.connect(str(counter))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return False


def _said(state: dict[str, Any]) -> None:
    print(state["text"] or state["refused"] or "the shuffler is at rest", flush=True)


def _off(settings: KitSettings) -> int:
    """Relay, lights and buzzer off, whoever left them on."""
    factory = open_factory("lgpio")
    try:
        pins = _opened(lambda: outputs_off(factory, settings.pins))
    finally:
        factory.close()
    print(f"off: pins {', '.join(map(str, pins))}", flush=True)
    return 0


def _opened(opening: Callable[[], Any]) -> Any:
    try:
        return opening()
    except Exception as error:
        # lgpio raises its own error class for a pin that another program holds.
        raise ShuffleRefused(
            f"the shuffler's pins cannot be taken ({error}): another program holds them; ask the "
            "kit that runs on the page, or name its log with --log"
        ) from error


# --- asking ------------------------------------------------------------------------------------


def _through(
    asking: Asking,
    given: argparse.Namespace,
    *,
    tell: Callable[[dict[str, Any]], None],
    wait: Callable[[], None] = lambda: time.sleep(_LOOK_S),
) -> int:
    """Ask, then follow what happens until it is done, refused or stopped."""
    first = asking({"do": "state"})
    if given.status:
        tell(dict(first["state"]))
        return 0
    if given.passes is not None and given.by_hand is None:
        _refused(asking({"do": "want", "passes": given.passes}))
    if given.stop:
        _refused(asking({"do": "stop"}))
        return 0
    if given.by_hand is not None:
        answer = asking({"do": "by_hand", "seat": given.seat, "passes": given.by_hand})
        _refused(answer)
        tell(dict(answer["state"]))
        return 0
    answer = asking({"do": "start", "seat": given.seat})
    _refused(answer)
    return _follow(asking, answer["state"], tell=tell, wait=wait)


def _refused(answer: Mapping[str, Any]) -> None:
    if answer["refused"] is not None:
        raise ShuffleRefused(str(answer["refused"]))


def _follow(
    asking: Asking,
    state: Mapping[str, Any],
    *,
    tell: Callable[[dict[str, Any]], None],
    wait: Callable[[], None],
) -> int:
    told: str | None = None
    while True:
        if state["text"] != told:
            tell(dict(state))
            told = state["text"]
        match state["phase"]:
            case "done":
                return 0
            case "idle":
                raise ShuffleRefused("the shuffle was stopped before its last pass")
            case phase if phase in HALTED and not sys.stdin.isatty():
                raise ShuffleRefused(str(state["text"]))
        word = _typed()
        if word is not None:
            answer = asking(word)
            if answer["refused"] is not None:
                print(answer["refused"], flush=True)
        else:
            wait()
        state = asking({"do": "state"})["state"]


def _typed() -> Mapping[str, Any] | None:
    """What was typed at a terminal: Enter is the seat's button."""
    if not sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
        return None
    line = sys.stdin.readline().strip().lower()
    match line:
        case "":
            return {"do": "start"}
        case "s":
            return {"do": "stop"}
        case "d":
            return {"do": "pass_done"}
        case "h":
            return {"do": "by_hand", "passes": 1}
        case _:
            print("Enter: the pack is loaded; d: this pass is done; h: by hand; s: stop")
            return None


# --- with no kit -------------------------------------------------------------------------------


def _without_a_kit(
    given: argparse.Namespace,
    settings: KitSettings,
    *,
    tell: Callable[[dict[str, Any]], None],
) -> int:
    if given.table is None and not _on_a_pi():
        raise ShuffleRefused(
            "no kit with a shuffler runs here, and this is no Raspberry Pi: tap shuffles by hand "
            "on the page, or see the shuffler work on the simulated bench with upcard shuffle "
            "--table sim"
        )
    if not settings.shuffler.fitted:
        raise BadSettings("no shuffler is fitted: set fitted = true under [shuffler]")
    with ExitStack() as closing:
        if given.table == "sim":
            print("*** SIMULATED SHUFFLER: nothing here is real. ***", flush=True)
            return _simulated(given, settings, closing, tell=tell)
        factory = open_factory("lgpio")
        closing.callback(factory.close)
        sensors = settings.shuffler.sensors or ()
        attendant = _attendant(given, settings, factory, sensors, closing)
        if sys.stdin.isatty():
            print("Enter: the pack is loaded; d: this pass is done; h: by hand; s: stop")
        return _driven(attendant, given, tell=tell, look=lambda: None)


def _on_a_pi() -> bool:
    from pi.doctor import on_a_pi

    return on_a_pi()


def _attendant(
    given: argparse.Namespace,
    settings: KitSettings,
    factory: Factory,
    sensors: tuple[SensorKind, ...],
    closing: ExitStack,
) -> Attendant:
    shuffler = _opened(
        lambda: TouchShuffler(
            factory, touch=settings.pins.touch, sensors=fitted_pins(settings.pins, sensors)
        )
    )
    closing.callback(shuffler.close)
    # No game, so nobody deals and nothing is recorded: whoever sits here may start it.
    nobody = State(
        started=True,
        next_dealer=_NOBODY,
        names=("You", "East", "South", "West"),
        ruleset=replace(Ruleset(), cut="none"),
    )

    def report(done: ReportShuffle) -> None:
        return None

    return Attendant(
        shuffler,
        game=lambda: nobody,
        report=report,
        now_us=_now_us,
        sensors=sensors,
        times=Times(pass_us=round(settings.shuffler.pass_s * 1e6)),
        passes=given.passes if given.passes is not None else max(settings.passes, 1),
    )


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _driven(
    attendant: Attendant,
    given: argparse.Namespace,
    *,
    tell: Callable[[dict[str, Any]], None],
    look: Callable[[], None],
) -> int:
    def wait() -> None:
        until_s = time.monotonic() + _LOOK_S
        while time.monotonic() < until_s:
            look()
            attendant.tick(_now_us())
            time.sleep(_TICK_S)

    return _through(lambda request: answered(request, attendant), given, tell=tell, wait=wait)


def _simulated(
    given: argparse.Namespace,
    settings: KitSettings,
    closing: ExitStack,
    *,
    tell: Callable[[dict[str, Any]], None],
) -> int:
    from pi.sim.bench import Bench

    sensors: tuple[SensorKind, ...] = settings.shuffler.sensors or get_args(SensorKind)
    bench = Bench(pins=settings.pins, sensors=sensors)
    closing.callback(bench.close)
    attendant = _attendant(given, settings, bench.factory, sensors, closing)
    wanted = attendant.state()["passes_wanted"]
    bench.begin_shuffle(seat=_NOBODY, passes=wanted, at_us=_now_us())
    return _driven(attendant, given, tell=tell, look=lambda: bench.advance(_now_us()))
