"""What the kit says about the shuffler: one sentence for every state, with what to do next.

A sentence is its own key (:func:`engine.wording.worded`), so that the page can say it in another
language. All of them stand in this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.wording import Arg, Sentence, worded
from pi.shuffling.passes import Trouble, Work

LOAD_SEEN: Final = "{name}: square all {cards} cards and put them into the shuffler's tray."
LOAD_TOLD: Final = (
    "{name}: square all {cards} cards, put them into the shuffler's tray and touch your button."
)
STARTS: Final = "The pack is loaded: pass {pass} of {wanted} starts now. Hands off."
RUNS: Final = "Pass {pass} of {wanted} is running."
PILES: Final = "Pass {done} of {wanted} is done. {name}: stack one pile on the other."
RESTACK_SEEN: Final = (
    "Pass {done} of {wanted} is done. {name}: put the stacked pack back into the tray."
)
RESTACK_TOLD: Final = (
    "Pass {done} of {wanted} is done. {name}: stack one pile on the other, put the pack back "
    "into the tray and touch your button."
)
DONE: Final = "All {done} passes are done. Stack the piles, let {right} cut, and deal."
DONE_UNCUT: Final = "All {done} passes are done. Stack the piles and deal."
DONE_ONE: Final = "The pass is done. Stack the piles, let {right} cut, and deal."
DONE_ONE_UNCUT: Final = "The pass is done. Stack the piles and deal."
DONE_IDLE_PACK: Final = "The other pack is shuffled: keep it for the next deal."
BY_HAND: Final = "{name} shuffled by hand ({done}): deal."
MAY_START: Final = "{name} deals: load the pack and start the shuffler, or shuffle by hand."
MAY_START_IDLE: Final = "{name} may shuffle the other pack meanwhile."
UNKEPT: Final = (
    "The shuffler's passes wait for the disk and cannot be kept beside the log: if the kit goes "
    "off before, say afterwards how often was shuffled."
)
TIRED: Final = "The last pass was slow: the shuffler's battery is nearly flat."

TROUBLES: Final[dict[Trouble, str]] = {
    "not_loaded": (
        "Nobody loaded the shuffler for two minutes, so it will not start by itself any more. "
        "{name}: load it and touch your button, or shuffle by hand."
    ),
    "not_stacked": (
        "The pack was not loaded again for two minutes, so the shuffler will not start by itself "
        "any more. Pass {done} of {wanted} is done. {name}: stack, load and touch your button, "
        "or say that it is enough."
    ),
    "no_start": (
        "The shuffler was touched and did not start. Look whether its battery is flat and the "
        "foil lies on its pad; then {name} touches the button again, or shuffles by hand."
    ),
    "stalled": (
        "A card is jammed: the shuffler stands, and cards lie in its tray. Free them, square all "
        "{cards}, load them, and {name} touches the button again."
    ),
    "left_in_tray": (
        "Cards lie in the tray and the shuffler stands: a card is jammed, or it never started. "
        "Free the cards, square all {cards}, load them, and {name} touches the button again."
    ),
    "one_pile": (
        "Only one pile has cards: a card is jammed, or a pile's sensor sees nothing. Look, and "
        "say that the pass is done; or load all {cards} again and {name} touches the button."
    ),
    "no_end": (
        "The pass has not come to its end in time: look at the shuffler. If the cards lie in two "
        "piles, say that the pass is done; else load all {cards} again and {name} touches the "
        "button."
    ),
}
UNKNOWN: Final = (
    "The kit was started anew while the shuffler was at work, and nothing starts by itself. "
    "{done} of {wanted} passes were done. {name}: load the pack and touch your button, or say "
    "that it is done."
)

# --- why not ---------------------------------------------------------------------------------

NO_GAME: Final = "No game has begun: start one, then its dealer may start the shuffler."
GAME_OVER: Final = "The game is over: start the next one, then its dealer may start the shuffler."
PAUSED: Final = "The game is paused: play on first, then the dealer may start the shuffler."
NO_DEALER: Final = "Nobody has said who deals: name the dealer, who may then start the shuffler."
POINTS_UNKNOWN: Final = (
    "The points of deal {deal} are not known yet: say who made trump and mark them, then the "
    "next dealer may start the shuffler."
)
NOT_MARKED: Final = (
    "The points of deal {deal} are not marked yet: mark them, then {name} may start the shuffler."
)
IN_DEAL: Final = "Deal {deal} is under way: the shuffler is started between deals."
IN_DEAL_PARTNER: Final = "Deal {deal} is under way: only {name} may shuffle the other pack now."
NOT_THE_DEALER: Final = "{name} deals next: only the dealer's seat starts the shuffler."
AT_WORK: Final = "The shuffler is already at work for {name}."
NOT_THEIRS: Final = "The shuffler is at work for {name}: only that seat goes on with it."
TRAY_EMPTY: Final = (
    "The shuffler's tray looks empty: put the pack in. If it does lie there, touch once more."
)
BAD_PASSES: Final = "{passes} passes will not do: ask for 1 to {most}."
BAD_SEAT: Final = "There is no seat {number} at this table."
BAD_WORD: Final = "{word} means nothing to the shuffler: say {words}."
NOT_NOW: Final = "Nothing to say to the shuffler: it is at rest."
NO_NEED: Final = "That makes no sense now: {sentence}"

KEYS: Final[tuple[str, ...]] = (
    *(
        value
        for name, value in sorted(globals().items())
        if name.isupper() and isinstance(value, str)
    ),
    *TROUBLES.values(),
)


def sentence_for(
    work: Work,
    *,
    names: tuple[str, ...],
    cards: int,
    sees_tray: bool,
    cut: bool,
    by_hand: bool,
    idle_pack: bool,
) -> Sentence | None:
    """What to do now, None when nothing is under way.

    ``sees_tray``: a sensor tells that the pack is loaded. ``idle_pack``: it is not the pack in
    play.
    """
    seat = work.seat
    if seat is None:
        return None
    args: dict[str, Arg] = {
        "name": names[seat],
        "cards": cards,
        "pass": work.done + 1,
        "done": work.done,
        "wanted": work.wanted,
    }
    match work.phase:
        case "idle":
            return None
        case "loading":
            return _filled(LOAD_SEEN if sees_tray else LOAD_TOLD, args)
        case "loaded":
            return _filled(STARTS, args)
        case "passing":
            return _filled(RUNS, args)
        case "piles_out" if sees_tray:
            return _filled(PILES, args)
        case "piles_out" | "restack":
            return _filled(RESTACK_SEEN if sees_tray else RESTACK_TOLD, args)
        case "done" if by_hand:
            return _filled(BY_HAND, args)
        case "done" if idle_pack:
            return _filled(DONE_IDLE_PACK, args)
        case "done":
            right = {**args, "right": names[(seat - 1) % len(names)]}
            once = work.done == 1
            if cut:
                return _filled(DONE_ONE if once else DONE, right)
            else:
                return _filled(DONE_ONE_UNCUT if once else DONE_UNCUT, args)
        case "unknown":
            return _filled(UNKNOWN, args)
        case "jammed" | "timed_out":
            return _filled(TROUBLES[work.trouble or "no_end"], args)


def _filled(key: str, args: Mapping[str, Arg]) -> Sentence:
    return worded(key, **{k: v for k, v in args.items() if f"{{{k}}}" in key})
