"""The rules a table agreed on, as plain data.

A :class:`Ruleset` is frozen; a game's ruleset travels as a mapping of the same names inside
the fact that starts the game, so a recorded game is always judged by its own rules. Every
mistake of a ruleset is reported at once (:class:`BadRuleset`); an option that changes nothing
under the others is named by :func:`in_words`, never silently ignored.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from engine.cards import HIGH_JOKER, LOW_JOKER, SUITS, Card
from engine.errors import EngineError
from engine.wording import NUMBER_WORDS, Arg, Sentence, english, worded


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing wrong with a ruleset: the option, what it was given, what it may be."""

    key: str
    value: Any
    said: Sentence

    @property
    def allowed(self) -> str:
        """What the option may be, in English."""
        return english(self.said)

    @property
    def told(self) -> Sentence:
        """The whole mistake."""
        return worded(
            "{option} = {value}: {allowed}",
            option=str(self.key),
            value=repr(self.value),
            allowed=self.said,
        )

    def __str__(self) -> str:
        return english(self.told)


class BadRuleset(EngineError, ValueError):
    """A ruleset that cannot be played; ``mistakes`` holds every fault found."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        self.said = worded("bad ruleset: {mistakes}", mistakes=tuple(m.told for m in mistakes))
        super().__init__(english(self.said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """Every option of the partnership game, with the values of preset ``home``.

    Sources: A, the Lotus shuffler maker's home rules; B, Jaques of London's pub rules.
    """

    preset: str = "home"
    #: The game's shape: partnership, buck, two_hand or call_ace.
    game: str = "partnership"
    #: Who sit at the table: 4, in buck 3, two_hand 2, call_ace 5 or 6.
    players: int = 4
    #: Cards in the pack without jokers: 24 (9-A), 28 (8-A) or 32 (7-A).
    pack: int = 24
    jokers: int = 0
    #: The card that is the Benny where there is one joker: a joker, or the two of spades.
    benny_face: str = "joker"
    hand_size: int = 5
    #: Points that win the game; not used when ``deals`` is set.
    target: int = 10
    #: A game of a fixed number of scored deals, or None for a game to ``target``.
    deals: int | None = None
    #: How it is settled who deals first; drawn from the cards once the table asks for it.
    first_dealer: str = "black_jack"
    dealing: str = "2-3"
    cut: str = "cut_or_knock"
    pass_out: str = "pass_deal"
    partner_order_must_be_alone: bool = False
    natural_trump_required: str = "none"
    no_trump: str = "off"
    #: A joker turned up: what the dealer does, or the suit it stands for.
    joker_upcard: str = "dealer_names_blind"
    #: What a joker is where there is no trump; the sources know the one form.
    joker_in_no_trump: str = "trump_suit"
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
    #: Buck, where the sources do not say: in whose turn the widow may be taken, how long bids
    #: go on, who leads.
    buck_swap_order: str = "dealers_right_first"
    buck_bid_rounds: str = "one"
    buck_lead: str = "high_bidder"


#: What each option may be. Numbers are checked apart, in :func:`_number_mistakes`.
_CHOICES: Final[Mapping[str, tuple[Any, ...]]] = {
    "game": ("partnership", "buck", "two_hand", "call_ace"),
    "players": (2, 3, 4, 5, 6),
    "pack": (24, 28, 32),
    "jokers": (0, 1, 2),
    "benny_face": ("joker", "2s"),
    "hand_size": (5, 7, 12),
    "first_dealer": ("black_jack", "highest_card", "agreed"),
    "dealing": ("2-3", "one_at_a_time"),
    "cut": ("cut_or_knock", "cut", "none"),
    "pass_out": ("pass_deal", "stick_dealer", "same_dealer"),
    "natural_trump_required": ("none", "dealer_pickup", "any_caller"),
    "no_trump": ("off", "round2", "both"),
    "joker_upcard": ("dealer_names_blind", *SUITS, "redeal"),
    "joker_in_no_trump": ("trump_suit",),
    "alone_by": ("maker", "either_partner"),
    "lone_lead": ("left_of_lone", "left_of_dealer"),
    "defend_alone": ("off", "vs_lone", "any"),
    "lone_exchange": ("none", "blind_keep_or_refuse", "discard_then_best", "best_then_discard"),
    "lone_euchre": (2, 3, 4),
    "six_cards": ("offender_side", "makers"),
    "revoke_mode": ("award", "deduct", "loss_of_trick"),
    "revoke_judge": ("ask", "automatic"),
    "revoke_correctable_until": ("never", "trick_complete", "next_lead"),
    "buck_swap_order": ("dealers_right_first", "dealers_left_first"),
    "buck_bid_rounds": ("one", "until_two_pass"),
    "buck_lead": ("high_bidder", "left_of_dealer"),
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
    "pub": {
        "alone_by": "maker",
        "six_cards": "makers",
        "cut": "cut",
        "first_dealer": "highest_card",
    },
    "british": {
        "jokers": 1,
        "target": 11,
        "alone_by": "maker",
        "partner_order_must_be_alone": True,
    },
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
    "joker": {"jokers": 1, "alone_by": "maker"},
    "thirty_two": {"pack": 32},
    "buck3": {
        "game": "buck",
        "players": 3,
        "target": 15,
        "alone_by": "maker",
    },
    "two_hand": {
        "game": "two_hand",
        "players": 2,
        "hand_size": 12,
        "target": 31,
        "pass_out": "stick_dealer",
        "alone_by": "maker",
    },
    "call_ace_5": {"game": "call_ace", "players": 5, "pack": 28, "alone_by": "maker"},
    "call_ace_6": {"game": "call_ace", "players": 6, "pack": 32, "alone_by": "maker"},
}


def preset(name: str) -> Ruleset:
    """The preset of that name, or raise :class:`BadRuleset` naming those there are."""
    if name not in PRESETS:
        said = worded(
            "must be one of {words} (for farmers' euchre take pub with no_trump = 'round2')"
            if name == "farmers"
            else "must be one of {words}",
            words=_list(PRESETS),
        )
        raise BadRuleset((Mistake(key="preset", value=name, said=said),))
    return Ruleset(preset=name, **PRESETS[name])


def ruleset_from(rules: Mapping[str, Any] | str) -> Ruleset:
    """A ruleset from a preset's name or a mapping of options (``preset`` among them, or home).

    Raise :class:`BadRuleset` with every mistake: unknown options, values not allowed, options
    that contradict each other, and packs that cannot be dealt.
    """
    if isinstance(rules, str):
        return preset(rules)
    if not isinstance(rules, Mapping):
        raise BadRuleset(
            (Mistake(key="rules", value=rules, said=worded("must be a preset's name or a table")),)
        )
    mistakes: list[Mistake] = []
    name = rules.get("preset", "home")
    base: Mapping[str, Any] = {}
    try:
        base = asdict(preset(name) if isinstance(name, str) else preset(repr(name)))
    except BadRuleset as error:
        mistakes.extend(error.mistakes)
    options = {key: value for key, value in rules.items() if key != "preset"}
    wrong = {key: _mistake(key, value) for key, value in options.items()}
    mistakes.extend(mistake for mistake in wrong.values() if mistake is not None)
    # What is sound by itself is looked at together, unless it hangs on something that is not.
    unsound = {key for key, mistake in wrong.items() if mistake is not None}
    if base:
        sound = {key: value for key, value in options.items() if key not in unsound}
        ruleset = Ruleset(**{**base, **sound})
        for check, keys in _TOGETHER:
            if not unsound.intersection(keys):
                mistakes.extend(check(ruleset))
    if mistakes:
        raise BadRuleset(tuple(mistakes))
    return ruleset


def load_ruleset(path: str | Path) -> Ruleset:
    """A ruleset from a TOML file of options; raise :class:`BadRuleset` or OSError."""
    text = Path(path).read_bytes()
    try:
        options = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        said = worded("must be a TOML file ({words})", words=str(error))
        raise BadRuleset((Mistake(key="file", value=str(path), said=said),)) from error
    return ruleset_from(options)


def to_mapping(ruleset: Ruleset) -> dict[str, Any]:
    """The ruleset as a plain mapping, every option named: what a game's log keeps."""
    return asdict(ruleset)


def pack_of(ruleset: Ruleset) -> frozenset[Card]:
    """The cards the game is played with."""
    return _PACKS[ruleset.pack, ruleset.jokers, ruleset.benny_face]


def bennies_of(ruleset: Ruleset) -> frozenset[Card]:
    """The jokers of the pack: none, one (which may be the two of spades) or two."""
    return _BENNIES[ruleset.jokers, ruleset.benny_face]


def majority(ruleset: Ruleset) -> int:
    """Tricks the makers need: 3 of 5, 4 of 7."""
    return ruleset.hand_size // 2 + 1


def in_words(ruleset: Ruleset) -> list[str]:
    """The rules as sentences for the table to read before the first deal, in English."""
    return [english(said) for said in rules_said(ruleset)]


def rules_said(ruleset: Ruleset) -> list[Sentence]:
    """The rules as sentences for the table to read before the first deal."""
    # The games know their own words; they stand on this module, so not at import.
    from engine.games import game_for

    said = game_for(ruleset).rules_said
    if said is not None:
        return said(ruleset)
    r = ruleset
    lines = [
        _pack_said(r),
        worded(
            {
                "cut_or_knock": "The player on the dealer's right cuts or knocks.",
                "cut": "The player on the dealer's right cuts.",
                "none": "There is no cut.",
            }[r.cut]
        ),
        first_dealer_said(r),
        worded("The game is {deals:deal|deals}; the higher score wins.", deals=r.deals)
        if r.deals is not None
        else worded(
            "The first side to {points:point|points} at the end of a deal wins.", points=r.target
        ),
        worded(
            {
                "pass_deal": "When all pass twice nobody scores and the deal passes to the left.",
                "stick_dealer": "When all pass twice the dealer must name trump.",
                "same_dealer": "When all pass twice the same dealer deals again.",
            }[r.pass_out]
        ),
    ]
    if r.partner_order_must_be_alone:
        lines.append(worded("The dealer's partner may order up only to play alone."))
    match r.natural_trump_required:
        case "dealer_pickup":
            lines.append(
                worded("A dealer who picks up must hold a natural trump beside the up-card.")
            )
        case "any_caller":
            lines.append(worded("Whoever makes trump must hold a natural trump."))
    if r.natural_trump_required != "none":
        lines.append(
            worded(
                "The left bower and the jokers do not count."
                if r.jokers
                else "The left bower does not count."
            )
        )
    match r.no_trump:
        case "round2":
            lines.append(worded("No trump may be named in the second round."))
        case "both":
            lines.append(worded("No trump may be named in both rounds."))
    if r.no_trump != "off":
        lines.append(
            worded(
                "In no trump the bowers are plain jacks and a joker is a trump suit of its own."
                if r.jokers
                else "In no trump the bowers are plain jacks."
            )
        )
    if r.jokers:
        lines.append(_joker_said(r.joker_upcard))
    if not r.upcard_may_be_discarded:
        lines.append(worded("The dealer may not discard the up-card."))
    lines.append(_alone_said(r))
    lines.append(
        worded(
            "Against a lone hand the seat on its left leads."
            if r.lone_lead == "left_of_lone"
            else "Against a lone hand the dealer's left still leads."
        )
    )
    match r.defend_alone:
        case "vs_lone":
            lines.append(
                worded("A defender may play alone against a lone maker: a euchre scores 4.")
            )
        case "any":
            lines.append(worded("A defender may play alone: a euchre scores 4."))
    if r.lone_exchange != "none":
        lines.append(
            worded(
                {
                    "blind_keep_or_refuse": "The partner of a lone hand passes one card face "
                    "down; kept unseen, another is discarded face down.",
                    "discard_then_best": "A lone hand discards one card, then takes the "
                    "partner's best one.",
                    "best_then_discard": "A lone hand takes the partner's best card, then "
                    "discards one.",
                }[r.lone_exchange]
            )
        )
    lines.append(
        worded(
            "Makers score 1 for three or four tricks, 2 for a march, 4 for a march alone."
            if r.hand_size == 5
            else "Makers score 1 for four to six tricks, 2 for a march, 4 for a march alone."
        )
    )
    lines.append(
        worded(
            "A euchre scores 2 to the defenders[, {points_no_trick} when the makers take no "
            "trick][, {points_lone} against a lone hand].",
            points_no_trick=4 if r.super_euchre else None,
            points_lone=r.lone_euchre if r.lone_euchre != 2 else None,
        )
    )
    lines.extend(_irregular_said(r))
    lines.extend(
        worded("{option} = {value} changes nothing: {reason}.", option=key, value=value, reason=why)
        for key, value, why in _idle(r)
    )
    return lines


def first_dealer_said(ruleset: Ruleset) -> Sentence:
    """How the first dealer is found, in every game."""
    return worded(
        {
            "black_jack": "Whoever is dealt the first black jack, face up, deals first.",
            "highest_card": "Each cuts a card and the highest deals first, ace high.",
            "agreed": "The table agrees on who deals first.",
        }[ruleset.first_dealer]
    )


def _pack_said(r: Ruleset) -> Sentence:
    benny = worded(
        "and the two of spades, the Benny, above the right bower"
        if r.benny_face == "2s"
        else "and the joker, the Benny, above the right bower"
    )
    two = worded("and two jokers, the higher one above the lower one above the right bower")
    return worded(
        "{pack} cards, {rank_lowest} to ace[ {above}]; {size} cards each, dealt two and three at "
        "a time."
        if r.dealing == "2-3"
        else "{pack} cards, {rank_lowest} to ace[ {above}]; {size} cards each, dealt one at a "
        "time.",
        pack=r.pack,
        rank_lowest=worded({24: "nine", 28: "eight", 32: "seven"}[r.pack]),
        above=(None, benny, two)[r.jokers],
        size=r.hand_size,
    )


def _joker_said(rule: str) -> Sentence:
    match rule:
        case "dealer_names_blind":
            return worded(
                "A joker turned up: the dealer names a suit before looking, takes it and "
                "discards; the dealer's side are the makers."
            )
        case "redeal":
            return worded("A joker turned up: the same dealer deals again.")
    return worded("A joker turned up stands for {suit}.", suit=rule)


def _alone_said(r: Ruleset) -> Sentence:
    if r.alone_by != "either_partner":
        return worded("Only the maker may go alone.")
    return worded(
        "The maker or the maker's partner may go alone, even after passing."
        if r.passed_player_may_go_alone
        else "The maker or the maker's partner may go alone."
    )


def _irregular_said(r: Ruleset) -> list[Sentence]:
    """What a revoke, too many cards and a card taken back cost."""
    points: dict[str, Arg] = {
        "points": r.revoke_points,
        "points_lone": r.revoke_points_lone if r.revoke_points_lone != r.revoke_points else None,
    }
    match r.revoke_mode:
        case "award" if r.revoke_ends_hand:
            revoke = worded(
                "A revoke gives the other side {points:point|points}[ ({points_lone} when a hand "
                "is alone)] in place of the deal's result and ends the hand.",
                **points,
            )
        case "award":
            revoke = worded(
                "A revoke gives the other side {points:point|points}[ ({points_lone} when a hand "
                "is alone)] in place of the deal's result.",
                **points,
            )
        case "deduct":
            revoke = worded(
                "A revoke costs the offending side {points:point|points}[ ({points_lone} when a "
                "hand is alone)]; the deal is played out.",
                **points,
            )
        case _:
            revoke = worded("A revoke gives its trick to the other side; the deal is played out.")
    return [
        revoke,
        worded(
            "The table is asked before a revoke counts."
            if r.revoke_judge == "ask"
            else "A proved revoke counts at once."
        ),
        worded(
            "Six cards in a hand, or no discard before the lead: the offending side counts as "
            "euchred."
            if r.six_cards == "offender_side"
            else "Six cards in a hand, or no discard before the lead: the makers are euchred, 2 "
            "points to the other side."
        ),
        worded(
            {
                "never": "A card laid may not be taken back.",
                "trick_complete": "A wrong card may be taken back until the trick is complete.",
                "next_lead": "A wrong card may be taken back until the next lead.",
            }[r.revoke_correctable_until]
        ),
    ]


def _idle(r: Ruleset) -> list[tuple[str, str, Sentence]]:
    """Options that were changed and change nothing, each with its value and why."""
    idle: list[tuple[str, str, Sentence]] = []
    if r.deals is not None and r.target != Ruleset().target:
        why = worded("the game is {deals:deal|deals}", deals=r.deals)
        idle.append(("target", str(r.target), why))
    if not r.jokers and r.joker_upcard != Ruleset().joker_upcard:
        idle.append(("joker_upcard", r.joker_upcard, worded("the pack has no joker")))
    if r.alone_by == "maker" and not r.passed_player_may_go_alone:
        why = worded("only the maker may go alone")
        idle.append(("passed_player_may_go_alone", "False", why))
    if r.revoke_mode == "loss_of_trick" and r.revoke_points != r.revoke_points_lone:
        why = worded("a revoke costs its trick")
        idle.append(("revoke_points_lone", str(r.revoke_points_lone), why))
    return idle


def _pack(lowest: str) -> frozenset[Card]:
    ranks = "789TJQKA"
    return frozenset(Card(r + s) for r in ranks[ranks.index(lowest) :] for s in SUITS)


#: By jokers and ``benny_face``; other pairs are refused.
_BENNIES: Final[Mapping[tuple[int, str], frozenset[Card]]] = {
    (0, "joker"): frozenset(),
    (1, "joker"): frozenset({HIGH_JOKER}),
    (1, "2s"): frozenset({Card("2s")}),
    (2, "joker"): frozenset({HIGH_JOKER, LOW_JOKER}),
}
_PACKS: Final = {
    (cards, *pair): _pack(lowest) | bennies
    for cards, lowest in ((24, "9"), (28, "8"), (32, "7"))
    for pair, bennies in _BENNIES.items()
}


def _list(values: Any) -> str:
    return ", ".join(str(value) for value in values)


def _mistake(key: str, value: Any) -> Mistake | None:
    if key not in _KEYS:
        said = worded("no such option; options: {words}", words=_list(_KEYS))
        return Mistake(key=key, value=value, said=said)
    if key in _FLAGS:
        fine, said = isinstance(value, bool), worded("must be true or false")
    elif key in _NUMBERS:
        low, high = _NUMBERS[key]
        fine = _whole(value) and low <= value <= high
        said = worded("must be {least} to {most}", least=low, most=high)
    elif key == "deals":
        fine = value is None or (_whole(value) and 1 <= value <= 100)
        said = worded("must be 1 to 100, or left out for a game to a target")
    else:
        choices = _CHOICES[key]
        # True == 1 in Python: a flag given where a number stands must not pass.
        fine = any(value == c and type(value) is type(c) for c in choices)
        said = worded("must be one of {words}", words=_list(choices))
    return None if fine else Mistake(key=key, value=value, said=said)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


#: What an option must be in the games that are not four-handed (RULES.md, "Two packs, more seats,
#: fewer seats"), where it means something else there, or nothing.
_OF_GAME: Final[Mapping[str, Mapping[str, tuple[Any, ...]]]] = {
    "partnership": {"players": (4,), "hand_size": (5, 7)},
    "buck": {
        "players": (3,),
        "hand_size": (5,),
        "jokers": (0,),
        "benny_face": ("joker",),
        "defend_alone": ("off",),
        "lone_exchange": ("none",),
        "natural_trump_required": ("none",),
        "pass_out": ("pass_deal", "same_dealer"),
        # With three players there is no other side to give the trick to.
        "revoke_mode": ("award", "deduct"),
    },
    "two_hand": {
        "players": (2,),
        "hand_size": (12,),
        "jokers": (0,),
        "benny_face": ("joker",),
        "defend_alone": ("off",),
        "lone_exchange": ("none",),
        "natural_trump_required": ("none",),
        "pass_out": ("stick_dealer",),
    },
    "call_ace": {
        "players": (5, 6),
        "hand_size": (5,),
        "jokers": (0,),
        "benny_face": ("joker",),
        "alone_by": ("maker",),
        "defend_alone": ("off",),
        "lone_exchange": ("none",),
        "natural_trump_required": ("none",),
    },
}


def _does_not_fit_the_game(r: Ruleset) -> list[Mistake]:
    """Options that the game of these rules does not have."""
    return [
        Mistake(
            key=key,
            value=getattr(r, key),
            said=_in_that_game(r.game, allowed),
        )
        for key, allowed in _OF_GAME[r.game].items()
        if getattr(r, key) not in allowed
    ]


def _in_that_game(game: str, allowed: tuple[Any, ...]) -> Sentence:
    values = tuple(str(value) for value in allowed)
    return worded("in {game} it is {values:or}", game=game, values=values)


def _one_face_too_few(r: Ruleset) -> list[Mistake]:
    """The two of spades can stand in for one joker, not for none and not for two."""
    if r.benny_face == "joker" or r.jokers == 1:
        return []
    said = worded(
        "the pack has no joker to stand in for: set jokers = 1"
        if r.jokers == 0
        else "two jokers need two faces and there is one two of spades: set jokers = 1, "
        "or benny_face = joker"
    )
    return [Mistake(key="benny_face", value=r.benny_face, said=said)]


def _cannot_be_dealt(r: Ruleset) -> list[Mistake]:
    """All hands and the card turned up must fit the pack (RULES.md, "Pack").

    In buck a fourth hand is dealt, the widow; there and for two no card is turned up.
    """
    hands = 4 if r.game == "buck" else r.players
    turned_up = r.game in ("partnership", "call_ace")
    needed = hands * r.hand_size + turned_up
    if needed <= r.pack + r.jokers:
        return []
    said = worded(
        "{hands} hands of {size} and the up-card need {needed} cards, the pack has {pack}: take a "
        "larger pack or smaller hands"
        if turned_up
        else "{hands} hands of {size} need {needed} cards, the pack has {pack}: take a larger pack "
        "or smaller hands",
        hands=worded(NUMBER_WORDS[hands]),
        size=r.hand_size,
        needed=needed,
        pack=r.pack + r.jokers,
    )
    key = "pack" if r.players > 4 else "hand_size"
    return [Mistake(key=key, value=getattr(r, key), said=said)]


#: Checks of options together, each with the options it hangs on.
_TOGETHER: Final[tuple[tuple[Callable[[Ruleset], list[Mistake]], tuple[str, ...]], ...]] = (
    (_does_not_fit_the_game, ("game", "players")),
    (_one_face_too_few, ("game", "jokers", "benny_face")),
    (_cannot_be_dealt, ("game", "players", "pack", "jokers", "hand_size")),
)
