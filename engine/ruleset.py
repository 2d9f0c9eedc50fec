"""The rules a table agreed on, as plain data.

A :class:`Ruleset` is frozen; a game's ruleset travels as a mapping of the same names inside
the fact that starts the game, so a recorded game is always judged by its own rules. Every
mistake of a ruleset is reported at once (:class:`BadRuleset`), and an option that the
sources know but this version does not yet play is refused by name, never ignored.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from engine.cards import SUITS, Card
from engine.errors import EngineError


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing wrong with a ruleset: the option, what it was given, what it may be."""

    key: str
    value: Any
    allowed: str

    def __str__(self) -> str:
        return f"{self.key} = {self.value!r}: {self.allowed}"


class BadRuleset(EngineError, ValueError):
    """A ruleset that cannot be played; ``mistakes`` holds every fault found."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__("bad ruleset: " + "; ".join(str(m) for m in mistakes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Every option of the partnership game, with the values of preset ``home``.

    Sources: A, the Lotus shuffler maker's home rules; B, Jaques of London's pub rules.
    """

    preset: str = "home"
    #: Cards in the pack without jokers: 24 (9-A), 28 (8-A) or 32 (7-A).
    pack: int = 24
    jokers: int = 0
    benny_face: str = "joker"
    hand_size: int = 5
    #: Points that win the game; not used when ``deals`` is set.
    target: int = 10
    #: A game of a fixed number of scored deals, or None for a game to ``target``.
    deals: int | None = None
    dealing: str = "2-3"
    cut: str = "cut_or_knock"
    pass_out: str = "pass_deal"
    partner_order_must_be_alone: bool = False
    natural_trump_required: str = "none"
    no_trump: str = "off"
    joker_upcard: str = "dealer_names_blind"
    upcard_may_be_discarded: bool = True
    alone_by: str = "either_partner"
    passed_player_may_go_alone: bool = True
    lone_lead: str = "left_of_lone"
    defend_alone: str = "off"
    lone_exchange: str = "none"
    super_euchre: bool = False
    lone_euchre: int = 2
    six_cards: str = "offender_side"
    revoke_points: int = 2
    revoke_points_lone: int = 2
    revoke_mode: str = "award"
    revoke_ends_hand: bool = True
    revoke_judge: str = "ask"
    revoke_correctable_until: str = "next_lead"


#: What each option may be. Numbers are checked apart, in :func:`_number_mistakes`.
_CHOICES: Final[Mapping[str, tuple[Any, ...]]] = {
    "pack": (24, 28, 32),
    "jokers": (0, 1, 2),
    "benny_face": ("joker", "2s"),
    "hand_size": (5, 7),
    "dealing": ("2-3", "one_at_a_time"),
    "cut": ("cut_or_knock", "cut", "none"),
    "pass_out": ("pass_deal", "stick_dealer", "same_dealer"),
    "natural_trump_required": ("none", "dealer_pickup", "any_caller"),
    "no_trump": ("off", "round2", "both"),
    "joker_upcard": ("dealer_names_blind", *SUITS, "redeal"),
    "alone_by": ("maker", "either_partner"),
    "lone_lead": ("left_of_lone", "left_of_dealer"),
    "defend_alone": ("off", "vs_lone", "any"),
    "lone_exchange": ("none", "blind_keep_or_refuse", "discard_then_best", "best_then_discard"),
    "lone_euchre": (2, 3, 4),
    "six_cards": ("offender_side", "makers"),
    "revoke_mode": ("award", "deduct", "loss_of_trick"),
    "revoke_judge": ("ask", "automatic"),
    "revoke_correctable_until": ("never", "trick_complete", "next_lead"),
}
#: Of the choices above, those this version plays; an option not named plays all of them.
_PLAYED: Final[Mapping[str, tuple[Any, ...]]] = {
    "jokers": (0,),
    "benny_face": ("joker",),
    "natural_trump_required": ("none",),
    "no_trump": ("off", "round2"),
    "joker_upcard": ("dealer_names_blind",),
    "lone_exchange": ("none",),
}
_FLAGS: Final = (
    "partner_order_must_be_alone",
    "upcard_may_be_discarded",
    "passed_player_may_go_alone",
    "super_euchre",
    "revoke_ends_hand",
)
_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "target": (1, 100),
    "revoke_points": (0, 20),
    "revoke_points_lone": (0, 20),
}
_KEYS: Final = tuple(f.name for f in fields(Ruleset))

#: Presets as what they change in ``home`` (RULES.md, "Presets").
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "home": {},
    "pub": {"alone_by": "maker", "six_cards": "makers", "cut": "cut"},
    "canadian": {
        "alone_by": "maker",
        "partner_order_must_be_alone": True,
        "dealing": "one_at_a_time",
        "cut": "none",
    },
    "tournament": {
        "pass_out": "stick_dealer",
        "alone_by": "maker",
        "revoke_points_lone": 4,
    },
    "thirty_two": {"pack": 32},
}
#: Presets the rules know and this version does not play yet.
LATER_PRESETS: Final = ("british", "joker", "buck3", "two_hand", "call_ace_5", "call_ace_6")


def preset(name: str) -> Ruleset:
    """The preset of that name, or raise :class:`BadRuleset` naming those there are."""
    if name in LATER_PRESETS:
        raise BadRuleset(
            (
                Mistake(
                    key="preset",
                    value=name,
                    allowed=f"not played by this version yet; choose one of {_list(PRESETS)}",
                ),
            )
        )
    if name not in PRESETS:
        more = (
            " (for farmers' euchre take pub with no_trump = 'round2')" if name == "farmers" else ""
        )
        raise BadRuleset(
            (Mistake(key="preset", value=name, allowed=f"must be one of {_list(PRESETS)}{more}"),)
        )
    return Ruleset(preset=name, **PRESETS[name])


def ruleset_from(rules: Mapping[str, Any] | str) -> Ruleset:
    """A ruleset from a preset's name or a mapping of options (``preset`` among them, or home).

    Raise :class:`BadRuleset` with every mistake: unknown options, values not allowed, values
    this version does not play, and packs that cannot be dealt.
    """
    if isinstance(rules, str):
        return preset(rules)
    if not isinstance(rules, Mapping):
        raise BadRuleset(
            (Mistake(key="rules", value=rules, allowed="must be a preset's name or a table"),)
        )
    mistakes: list[Mistake] = []
    name = rules.get("preset", "home")
    base: Mapping[str, Any] = {}
    try:
        base = asdict(preset(name) if isinstance(name, str) else preset(repr(name)))
    except BadRuleset as error:
        mistakes.extend(error.mistakes)
    options = {key: value for key, value in rules.items() if key != "preset"}
    for key, value in options.items():
        mistake = _mistake(key, value)
        if mistake is not None:
            mistakes.append(mistake)
    if mistakes:
        raise BadRuleset(tuple(mistakes))
    ruleset = Ruleset(**{**base, **options})
    mistakes.extend(_cannot_be_dealt(ruleset))
    if mistakes:
        raise BadRuleset(tuple(mistakes))
    return ruleset


def load_ruleset(path: str | Path) -> Ruleset:
    """A ruleset from a TOML file of options; raise :class:`BadRuleset` or OSError."""
    text = Path(path).read_bytes()
    try:
        options = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadRuleset(
            (Mistake(key="file", value=str(path), allowed=f"must be a TOML file ({error})"),)
        ) from error
    return ruleset_from(options)


def to_mapping(ruleset: Ruleset) -> dict[str, Any]:
    """The ruleset as a plain mapping, every option named: what a game's log keeps."""
    return asdict(ruleset)


def pack_of(ruleset: Ruleset) -> frozenset[Card]:
    """The cards the game is played with."""
    return _PACKS[ruleset.pack]


def majority(ruleset: Ruleset) -> int:
    """Tricks the makers need: 3 of 5, 4 of 7."""
    return ruleset.hand_size // 2 + 1


def in_words(ruleset: Ruleset) -> list[str]:
    """The rules as sentences for the table to read before the first deal."""
    r = ruleset
    lowest = {24: "nine", 28: "eight", 32: "seven"}[r.pack]
    lines = [
        f"{r.pack} cards, {lowest} to ace; {r.hand_size} cards each, "
        + ("dealt two and three at a time." if r.dealing == "2-3" else "dealt one at a time."),
        {
            "cut_or_knock": "The player on the dealer's right cuts or knocks.",
            "cut": "The player on the dealer's right cuts.",
            "none": "There is no cut.",
        }[r.cut],
        f"The game is {r.deals} deals; the higher score wins."
        if r.deals is not None
        else f"The first side to {r.target} points at the end of a deal wins.",
        {
            "pass_deal": "When all pass twice nobody scores and the deal passes to the left.",
            "stick_dealer": "When all pass twice the dealer must name trump.",
            "same_dealer": "When all pass twice the same dealer deals again.",
        }[r.pass_out],
    ]
    if r.partner_order_must_be_alone:
        lines.append("The dealer's partner may order up only to play alone.")
    if r.no_trump == "round2":
        lines.append("No trump may be named in the second round.")
    if not r.upcard_may_be_discarded:
        lines.append("The dealer may not discard the up-card.")
    lines.append(
        "The maker or the maker's partner may go alone"
        + (", even after passing." if r.passed_player_may_go_alone else ".")
        if r.alone_by == "either_partner"
        else "Only the maker may go alone."
    )
    lines.append(
        "Against a lone hand the seat on its left leads."
        if r.lone_lead == "left_of_lone"
        else "Against a lone hand the dealer's left still leads."
    )
    match r.defend_alone:
        case "vs_lone":
            lines.append("A defender may play alone against a lone maker: a euchre scores 4.")
        case "any":
            lines.append("A defender may play alone: a euchre scores 4.")
    lines.append(
        "Makers score 1 for three or four tricks, 2 for a march, 4 for a march alone."
        if r.hand_size == 5
        else "Makers score 1 for four to six tricks, 2 for a march, 4 for a march alone."
    )
    euchre = "A euchre scores 2 to the defenders"
    if r.super_euchre:
        euchre += ", 4 when the makers take no trick"
    if r.lone_euchre != 2:
        euchre += f", {r.lone_euchre} against a lone hand"
    lines.append(euchre + ".")
    points = f"{r.revoke_points} points"
    if r.revoke_points_lone != r.revoke_points:
        points += f" ({r.revoke_points_lone} when a hand is alone)"
    lines.append(
        {
            "award": f"A revoke gives the other side {points} in place of the deal's result"
            + (" and ends the hand." if r.revoke_ends_hand else "."),
            "deduct": f"A revoke costs the offending side {points}; the deal is played out.",
            "loss_of_trick": "A revoke gives its trick to the other side; the deal is played out.",
        }[r.revoke_mode]
    )
    lines.append(
        "The table is asked before a revoke counts."
        if r.revoke_judge == "ask"
        else "A proved revoke counts at once."
    )
    lines.append(
        "Six cards in a hand, or no discard before the lead: "
        + (
            "the offending side counts as euchred."
            if r.six_cards == "offender_side"
            else "the makers are euchred, 2 points to the other side."
        )
    )
    lines.append(
        {
            "never": "A card laid may not be taken back.",
            "trick_complete": "A wrong card may be taken back until the trick is complete.",
            "next_lead": "A wrong card may be taken back until the next lead.",
        }[r.revoke_correctable_until]
    )
    return lines


def _pack(lowest: str) -> frozenset[Card]:
    ranks = "789TJQKA"
    return frozenset(Card(r + s) for r in ranks[ranks.index(lowest) :] for s in SUITS)


_PACKS: Final = {24: _pack("9"), 28: _pack("8"), 32: _pack("7")}


def _list(values: Any) -> str:
    return ", ".join(str(value) for value in values)


def _mistake(key: str, value: Any) -> Mistake | None:
    if key not in _KEYS:
        return Mistake(key=key, value=value, allowed=f"no such option; options: {_list(_KEYS)}")
    if key in _FLAGS:
        fine, allowed = isinstance(value, bool), "must be true or false"
    elif key in _NUMBERS:
        low, high = _NUMBERS[key]
        fine, allowed = _whole(value) and low <= value <= high, f"must be {low} to {high}"
    elif key == "deals":
        fine = value is None or (_whole(value) and 1 <= value <= 100)
        allowed = "must be 1 to 100, or left out for a game to a target"
    else:
        choices = _CHOICES[key]
        # True == 1 in Python: a flag given where a number stands must not pass.
        fine = any(value == c and type(value) is type(c) for c in choices)
        allowed = f"must be one of {_list(choices)}"
        if fine and value not in _PLAYED.get(key, choices):
            fine = False
            allowed = f"not played by this version yet; may be {_list(_PLAYED[key])}"
    return None if fine else Mistake(key=key, value=value, allowed=allowed)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cannot_be_dealt(r: Ruleset) -> list[Mistake]:
    """Four hands and the up-card must fit the pack (RULES.md, "Pack")."""
    needed = 4 * r.hand_size + 1
    if needed <= r.pack + r.jokers:
        return []
    return [
        Mistake(
            key="hand_size",
            value=r.hand_size,
            allowed=f"four hands of {r.hand_size} and the up-card need {needed} cards, "
            f"the pack has {r.pack + r.jokers}: take a larger pack or smaller hands",
        )
    ]
