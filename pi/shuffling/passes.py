"""A pack's way through the shuffler, as a pure function of what is sensed and what is said.

A pass is one touch, some five seconds, two piles; then a person stacks the piles and loads them
again, so the kit cannot simply touch three times: it waits for the cards at every step, each
with a limit. :func:`step` is the whole of that, :func:`tell` is a person who knows better.

Every sensor may be missing. With none, a pass is over when its time is, and a person says each
time that the tray is loaded. A sensor that shows at the touch what it should only show later (a
pile that lies there already, a tray that is said to be empty) is not asked during that pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias, get_args

from engine.cards import Seat
from pi.ports import Sensed

#: More passes than this mix nothing better: a slip of the finger.
MOST_PASSES: Final = 99
#: Cards must lie in the tray for this long before it is touched, so that the fingers are out.
LOADED_US: Final = 1_000_000
#: The same when a person has just said that they lie there.
TOLD_US: Final = 300_000
#: What shows the end of a pass must show it for this long: the last card still falls.
SETTLED_US: Final = 500_000
#: The motor stands, and cards still lie in the tray, for this long: a jam.
STALLED_US: Final = 1_000_000
#: Nobody loads or stacks for this long: nothing begins by itself any more.
LOAD_LIMIT_US: Final = 120_000_000

Phase: TypeAlias = Literal[
    "idle",
    "loading",
    "loaded",
    "passing",
    "piles_out",
    "restack",
    "done",
    "jammed",
    "timed_out",
    "unknown",
]
Trouble: TypeAlias = Literal[
    "not_loaded", "not_stacked", "no_start", "stalled", "left_in_tray", "one_pile", "no_end"
]
#: What a person may say: the pack lies in the tray; this pass is done; the jam is gone; stop.
Word: TypeAlias = Literal["stacked", "pass_done", "cleared", "stop"]
WORDS: Final[tuple[Word, ...]] = get_args(Word)

#: Nothing is under way: a new pack may begin.
AT_REST: Final[frozenset[Phase]] = frozenset({"idle", "done"})
#: The next step is a person's.
_WAITING: Final[frozenset[Phase]] = frozenset({"loading", "restack", "piles_out"})
#: It needs a person's word before anything is touched again.
HALTED: Final[frozenset[Phase]] = frozenset({"jammed", "timed_out", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long things take with this shuffler; ``pass_us`` is one pass with a fresh battery."""

    pass_us: int = 5_000_000

    @property
    def timed_us(self) -> int:
        """With no sensor to tell the end, a pass is over after this long."""
        return self.pass_us + 2_000_000

    @property
    def no_start_us(self) -> int:
        """Nothing at all has moved after this long: it did not start."""
        return self.pass_us + 1_000_000

    @property
    def slow_us(self) -> int:
        """A pass that takes longer tells of a tired battery."""
        return self.pass_us * 8 // 5

    @property
    def limit_us(self) -> int:
        """A pass that takes longer has failed."""
        return 3 * self.pass_us


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The pass under way. ``before``: what was sensed at its start; ``moved``: something has
    been seen to move since; ``ended_us``, ``stood_us``: since when its end shows, and since when
    the motor stands after it ran."""

    before: Sensed
    moved: bool = False
    ran: bool = False
    ended_us: int | None = None
    stood_us: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Where the pack is, for whom, and how many of the wanted passes are done.

    ``told``: a person said that the tray is loaded, whatever its sensor says. ``touched_us``:
    the last touch. ``filled``: the tray was seen loaded with the piles empty, so two piles and
    an empty tray mean a pass, whoever started it. ``tired``: the last pass was a slow one.
    """

    phase: Phase = "idle"
    since_us: int = 0
    seat: Seat | None = None
    wanted: int = 0
    done: int = 0
    trouble: Trouble | None = None
    told: bool = False
    touched_us: int | None = None
    filled: bool = False
    tired: bool = False
    run: Run | None = None


def asked(*, seat: Seat, passes: int, at_us: int, loaded: bool, last: Work) -> Work:
    """``passes`` passes for ``seat`` begin; ``loaded``: the asker says the pack is in the tray."""
    return Work(
        phase="loaded" if loaded else "loading",
        since_us=at_us,
        seat=seat,
        wanted=passes,
        told=loaded,
        touched_us=last.touched_us,
    )


def step(work: Work, sensed: Sensed, *, at_us: int, times: Times) -> tuple[Work, bool]:
    """The work at ``at_us``, and whether the shuffler is to be touched now, once."""
    match work.phase:
        case "loading" | "restack" | "piles_out":
            return _waiting(work, sensed, at_us), False
        case "loaded":
            return _loaded(work, sensed, at_us, times)
        case "passing":
            return _passing(work, sensed, at_us, times), False
        case _:
            return work, False


def tell(work: Work, word: Word, *, at_us: int) -> Work | None:
    """The work once a person has said ``word``; None where it means nothing."""
    match word:
        case "stop":
            return None if work.phase in AT_REST else resting(work, at_us)
        case "stacked" if work.phase in _WAITING | HALTED:
            return replace(_to(work, "loaded", at_us), told=True)
        case "pass_done" if work.phase not in AT_REST:
            return _one_more(work, at_us, piles=False)
        case "cleared" if work.phase in HALTED:
            return _to(work, "restack" if work.done else "loading", at_us)
        case _:
            return None


def resting(work: Work, at_us: int) -> Work:
    """Nothing is under way any more; the last touch is remembered for the gap to the next."""
    return Work(since_us=at_us, touched_us=work.touched_us)


def _to(work: Work, phase: Phase, at_us: int, trouble: Trouble | None = None) -> Work:
    return replace(
        work, phase=phase, since_us=at_us, trouble=trouble, told=False, filled=False, run=None
    )


def _in_piles(sensed: Sensed) -> bool:
    return bool(sensed.left or sensed.right)


def _waiting(work: Work, sensed: Sensed, at_us: int) -> Work:
    piles = _in_piles(sensed)
    if sensed.hopper and sensed.motor:
        # Somebody touched it by hand, or it fired twice: the pass counts, and no touch is added.
        return _running(work, sensed, at_us)
    if work.filled and sensed.hopper is False and sensed.left and sensed.right:
        return _one_more(work, at_us, piles=True)
    if sensed.hopper and not piles:
        return replace(_to(work, "loaded", at_us), filled=True)
    if sensed.hopper is False and not piles:
        work = replace(work, filled=False)
    if work.phase == "piles_out" and not piles:
        return _to(work, "restack", at_us)
    if at_us - work.since_us >= LOAD_LIMIT_US:
        return _to(work, "timed_out", at_us, "not_stacked" if work.done else "not_loaded")
    return work


def _loaded(work: Work, sensed: Sensed, at_us: int, times: Times) -> tuple[Work, bool]:
    if sensed.motor:
        return _running(work, sensed, at_us), False
    if not work.told and (not sensed.hopper or _in_piles(sensed)):
        # Lifted out again, or a hand over the piles: it may also be dealing by itself already.
        back = _to(work, "restack" if work.done else "loading", at_us)
        back = replace(back, filled=True)
        if sensed.hopper is False and not _in_piles(sensed):
            back = replace(back, filled=False)
        return back, False
    lain_us = at_us - work.since_us
    # A touch that the shuffler may still be answering is never followed by a second one.
    rested = work.touched_us is None or at_us - work.touched_us >= times.pass_us
    if lain_us >= (TOLD_US if work.told else LOADED_US) and rested:
        return replace(_running(work, sensed, at_us), touched_us=at_us), True
    return work, False


def _running(work: Work, sensed: Sensed, at_us: int) -> Work:
    return replace(_to(work, "passing", at_us), run=Run(before=sensed))


def _passing(work: Work, sensed: Sensed, at_us: int, times: Times) -> Work:
    assert work.run is not None
    run = work.run
    waited_us = at_us - work.since_us
    tray_asked = run.before.hopper is True and sensed.hopper is not None
    motor_asked = sensed.motor is not None
    piles = tuple(_fallen(run.before, sensed))
    ran = run.ran or bool(sensed.motor)
    moved = run.moved or ran or any(piles) or (tray_asked and sensed.hopper is False)
    signs = [*([sensed.hopper is False] if tray_asked else []), *piles]
    if motor_asked and not (tray_asked and piles):
        # Tray and piles together need no motor: fired twice, it turns on over an empty tray.
        signs.append(ran and not sensed.motor)
    # A pile shows at its first card: only the tray and the motor tell that the last has fallen.
    ended = all(signs) and (tray_asked or motor_asked or waited_us >= times.timed_us)
    stands = motor_asked and ran and not sensed.motor
    run = replace(
        run,
        moved=moved,
        ran=ran,
        ended_us=(run.ended_us if run.ended_us is not None else at_us) if ended else None,
        stood_us=(run.stood_us if run.stood_us is not None else at_us) if stands else None,
    )
    work = replace(work, run=run)
    if run.ended_us is not None and at_us - run.ended_us >= SETTLED_US:
        known = tray_asked or motor_asked
        tired = known and run.ended_us - work.since_us >= times.slow_us
        return replace(_one_more(work, at_us, piles=_in_piles(sensed)), tired=tired)
    stuck = tray_asked and bool(sensed.hopper)
    if run.stood_us is not None and stuck and at_us - run.stood_us >= STALLED_US:
        return _to(work, "jammed", at_us, "stalled")
    tells_start = bool(piles) or motor_asked
    if signs and not moved and tells_start and waited_us >= times.no_start_us:
        return _to(work, "timed_out", at_us, "no_start")
    if waited_us >= times.limit_us:
        return _to(work, "jammed", at_us, _failure(stuck=stuck, moved=moved, piles=piles))
    return work


def _fallen(before: Sensed, sensed: Sensed) -> Iterator[bool]:
    """For each pile that was empty at the start and can be seen: whether cards lie there."""
    for was, now in ((before.left, sensed.left), (before.right, sensed.right)):
        if was is False and now is not None:
            yield now


def _failure(*, stuck: bool, moved: bool, piles: tuple[bool, ...]) -> Trouble:
    if stuck:
        return "stalled" if moved else "left_in_tray"
    return "one_pile" if any(piles) and not all(piles) else "no_end"


def _one_more(work: Work, at_us: int, *, piles: bool) -> Work:
    counted = replace(work, done=work.done + 1, tired=False)
    if counted.done >= counted.wanted:
        return _to(counted, "done", at_us)
    return _to(counted, "piles_out" if piles else "restack", at_us)
