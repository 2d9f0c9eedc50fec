"""What reading and writing EGN share: its words, its rules, and the place of a fault."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import Seat
from engine.codec import LONGEST_TEXT, shown
from engine.notation import Fault
from engine.ruleset import BadRuleset, Ruleset, ruleset_from, to_mapping
from engine.wording import Arg, Sentence, worded

FILE_TYPE: Final = "Euchre Game Notation"
#: The version that is written; all of 1.x up to 1.6 are read.
VERSION: Final = "1.4"
#: A file longer than this is refused: a game of a hundred deals takes 0.1 MB.
LONGEST_FILE: Final = 16_000_000
VERSIONS: Final = re.compile(r"1\.[0-6](\.\d+)?")

#: What EGN means where a ruleset leaves an option out.
EGN_RULES: Final[Mapping[str, Any]] = {
    "pass_out": "stick_dealer",
    "partner_order_must_be_alone": False,
    "lone_lead": "left_of_dealer",
    "alone_by": "maker",
    "target": 10,
    "deals": None,
    "pack": 24,
    "no_trump": "off",
    "defend_alone": "off",
    "lone_euchre": 2,
    "jokers": 0,
    "lone_exchange": "none",
}
#: Options of EGN that this version does not play, with the values that change nothing.
NOT_PLAYED: Final[Mapping[str, tuple[Any, ...]]] = {
    "farmers": (False,),
    "go_under": (False,),
    "fast_break": (False,),
    "four_trick_tokens": (False,),
    "num_players": (4,),
    "loner_march_score": (4,),
}
SUIT_SIGNS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the file we are, and where what is wrong there goes."""

    faults: list[Fault]
    deal: int | None = None
    trick: int | None = None

    def fault(
        self,
        where: str,
        value: object,
        template: str,
        /,
        *,
        index: int | None = None,
        **args: Arg,
    ) -> None:
        """Note what is wrong with ``value``: ``template`` is a key of ``worded``."""
        self.told(where, value, worded(template, **args), index=index)

    def told(self, where: str, value: object, why: Sentence, *, index: int | None = None) -> None:
        """:meth:`fault` with a sentence made elsewhere."""
        self.faults.append(
            Fault(
                where=where,
                value=shown(value),
                why=why,
                deal=self.deal,
                trick=self.trick,
                index=index,
            )
        )


def spelt(mapping: Mapping[str, Any], key: str) -> Any:
    """``mapping[key]``, spelt in camel case (EGN since 1.1) or in snake case (1.0)."""
    if key in mapping:
        return mapping[key]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()
    return mapping.get(snake)


def line_of(value: Any, where: str, place: Place) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        place.fault(where, value, "should be a text")
        return ""
    return value.encode("utf-8", "replace").decode("utf-8")[:LONGEST_TEXT]


def seats_from(leader: Seat | None, sits_out: Sequence[Seat]) -> list[Seat | None]:
    if leader is None:
        return [None] * (4 - len(sits_out))
    clockwise = [(leader + step) % 4 for step in range(4)]
    return [seat for seat in clockwise if seat not in sits_out]


# --- the rules of the file -----------------------------------------------------------------


def rules_of(metadata: Mapping[str, Any], base: Ruleset, place: Place) -> Ruleset:
    given = spelt(metadata, "ruleset")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        place.fault("ruleset", given, "should be an object; EGN's usual rules taken")
        given = {}
    options = dict(EGN_RULES)
    for key, value in given.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()
        for option, setting in _option(name, value, place):
            options[option] = setting
    if base.game != "partnership":
        place.fault(
            "ruleset",
            base.preset,
            "EGN is of the four-handed game: EGN's usual rules taken; give other rules",
        )
        base = Ruleset()
    rules = {**to_mapping(base), **options}
    if not rules["jokers"]:
        rules["benny_face"] = "joker"
    try:
        return ruleset_from(rules)
    except BadRuleset as bad:
        for mistake in bad.mistakes:
            why = worded("{option}: {allowed}", option=mistake.key, allowed=mistake.said)
            place.told("ruleset", mistake.value, why)
        return ruleset_from(EGN_RULES)


def _option(name: str, value: Any, place: Place) -> Iterator[tuple[str, Any]]:
    """What one entry of an EGN ruleset sets in ours."""
    whole = type(value) is int
    match name:
        case "std" if isinstance(value, bool):
            yield "pass_out", "stick_dealer" if value else "pass_deal"
        case "canadian" if isinstance(value, bool):
            yield "partner_order_must_be_alone", value
        case "loner_lead" if value in ("LEFT_OF_DEALER", "LEFT_OF_LONER"):
            yield "lone_lead", "left_of_dealer" if value == "LEFT_OF_DEALER" else "left_of_lone"
        case "winning_score" if whole and value == 0:
            return  # no target: only a number of deals ends such a game
        case "winning_score" if whole and 1 <= value <= 100:
            yield "target", value
        case "num_deals" if whole and value == 0:
            return
        case "num_deals" if whole and 1 <= value <= 100:
            yield "deals", value
        case "min_rank" if whole and value in (7, 8, 9):
            yield "pack", {7: 32, 8: 28, 9: 24}[value]
        case "loner_euchred_score" if whole and value in (2, 3, 4):
            yield "lone_euchre", value
        case "defend_alone" if isinstance(value, bool):
            yield "defend_alone", "vs_lone" if value else "off"
        case "joker" if isinstance(value, bool):
            yield "jokers", 1 if value else 0
        case "partners_best" if isinstance(value, bool):
            yield "lone_exchange", "best_then_discard" if value else "none"
        case "allow_no_trump" if isinstance(value, bool):
            yield "no_trump", "round2" if value else "off"
        case _ if name in NOT_PLAYED:
            usual = NOT_PLAYED[name]
            if not any(value == u and type(value) is type(u) for u in usual):
                place.fault(f"ruleset.{name}", value, "not played by this version: left out")
        case _:
            place.fault(f"ruleset.{name}", value, "no such option or value of EGN: left out")
