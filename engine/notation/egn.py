"""Euchre Game Notation (EGN), versions 1.0 to 1.6: JSON, one game a file.

An EGN file says who dealt, which card was turned up, the calls in order, and the cards of each
trick in the order they were played, the leader's first. It does not say whose card is whose:
the seats follow from the rules (who leads, who wins, who sits out). ``""``, ``[]`` and ``X``
stand for what is not known and are no faults; an unknown card may leave a trick without a
known winner, and then the seats of the tricks after it are not known either: their cards are
kept as doubts without a seat, and no points are guessed from them.

The file's own ``ruleset`` overrides the rules given; what it leaves out is as EGN has it: stick
the dealer, the dealer's left leads against a lone hand, only the maker goes alone, 10 points.

Source: the EGN specification and its JSON schema (github.com/NextSuit-Labs/euchre-game-notation,
Apache-2.0).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from engine.cards import (
    ALL_CARDS,
    HIGH_JOKER,
    SAME_COLOUR,
    SEAT_NAMES,
    SUITS,
    Card,
    Seat,
    Suit,
    side_of,
)
from engine.codec import LONGEST_TEXT, BadJson, from_text, shown
from engine.deal import Deal, Trick
from engine.facts import (
    Amended,
    Called,
    CallKind,
    CardPlayed,
    Corrected,
    DealThrownIn,
    Declared,
    Discarded,
    Fact,
    FindingRuled,
    GameStarted,
    Inserted,
    Moved,
    PackShuffled,
    Recorded,
    ReviewAnswered,
    ReviewRaised,
    TrickCleared,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import NO_TRUMP, trick_winner
from engine.log import Entry
from engine.notation import Exported, Fault, Imported, ImportedGame
from engine.ruleset import BadRuleset, Ruleset, pack_of, ruleset_from, to_mapping
from engine.state import fold
from engine.turns import first_leader, sitting_out

FILE_TYPE: Final = "Euchre Game Notation"
#: The version that is written; all of 1.x up to 1.6 are read.
VERSION: Final = "1.4"
#: A file longer than this is refused: a game of a hundred deals takes 0.1 MB.
LONGEST_FILE: Final = 16_000_000
_VERSIONS: Final = re.compile(r"1\.[0-6](\.\d+)?")

#: What EGN means where a ruleset leaves an option out.
_EGN_RULES: Final[Mapping[str, Any]] = {
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
}
#: Options of EGN that this version does not play, with the values that change nothing.
_NOT_PLAYED: Final[Mapping[str, tuple[Any, ...]]] = {
    "joker": (False,),
    "farmers": (False,),
    "partners_best": (False,),
    "go_under": (False,),
    "fast_break": (False,),
    "four_trick_tokens": (False,),
    "num_players": (4,),
    "loner_march_score": (4,),
}
_SUIT_SIGNS: Final = {"♣": "c", "♦": "d", "♥": "h", "♠": "s"}

#: A card as read: known, unknown but perhaps of a known suit, or no card at all.


# --- reading -------------------------------------------------------------------------------


def read_egn_file(path: str | Path, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The game in the file at ``path``; a file that cannot be read is one fault.

    ``rules``: a preset's name or options, for what the file does not say. Raises BadRuleset
    for those, never for the file.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(LONGEST_FILE + 1)
    except OSError as error:
        ruleset_from(rules)
        reason = error.strerror or str(error)
        fault = Fault(where="file", value=str(path), message=f"{reason}: name a file to read")
        return Imported(games=(), faults=(fault,))
    return read_egn(data, rules=rules)


def read_egn(text: str | bytes, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The game (or list of games) in ``text``, with every fault found.

    What is sound is kept: a bad card becomes an unknown one, a bad deal is left out. ``rules``
    as in :func:`read_egn_file`.
    """
    base = ruleset_from(rules)
    if len(text) > LONGEST_FILE:
        return _no_game(f"{len(text)} characters", f"longer than {LONGEST_FILE}: split it")
    if isinstance(text, str):
        text = text.removeprefix("\ufeff")
    elif not text.strip():
        text = ""
    if not text.strip():
        return _no_game("empty", "holds nothing: export the game again")
    try:
        value = from_text(text)
    except BadJson as bad:
        return _no_game(_beginning(text), f"{bad}: EGN is a JSON object")
    faults: list[Fault] = []
    values = value if isinstance(value, list) and value else [value]
    games = tuple(game for v in values if (game := _game(v, base, faults)) is not None)
    return Imported(games=games, faults=tuple(faults))


def _no_game(value: str, message: str) -> Imported:
    return Imported(games=(), faults=(Fault(where="file", value=value, message=message),))


def _beginning(text: str | bytes) -> str:
    return shown(text[:40])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where in the file we are, and where what is wrong there goes."""

    faults: list[Fault]
    deal: int | None = None
    trick: int | None = None

    def fault(self, where: str, value: object, message: str, *, index: int | None = None) -> None:
        self.faults.append(
            Fault(
                where=where,
                value=shown(value),
                message=message,
                deal=self.deal,
                trick=self.trick,
                index=index,
            )
        )


def _get(mapping: Mapping[str, Any], key: str) -> Any:
    """``mapping[key]``, spelt in camel case (EGN since 1.1) or in snake case (1.0)."""
    if key in mapping:
        return mapping[key]
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()
    return mapping.get(snake)


def _game(value: Any, base: Ruleset, faults: list[Fault]) -> ImportedGame | None:
    top = _Place(faults=faults)
    if not isinstance(value, dict):
        top.fault("file", value, 'no game: EGN is an object with "metadata" and "deals"')
        return None
    kind = value.get("fileType")
    if kind != FILE_TYPE:
        top.fault("fileType", kind, f'should be "{FILE_TYPE}"')
    version = value.get("version")
    if not isinstance(version, str) or not _VERSIONS.fullmatch(version):
        top.fault("version", version, f"read as {VERSION}: known are 1.0 to 1.6")
    deals = value.get("deals")
    if not isinstance(deals, list):
        top.fault("deals", deals, "should be a list of deals")
        return None
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        top.fault("metadata", metadata, "should be an object; home seats and a score of 0 taken")
        metadata = {}
    rules = _rules(metadata, base, top)
    started = GameStarted(
        rules=to_mapping(rules),
        names=_names(metadata, top),
        dealer=None,
        title=_line(_get(metadata, "title"), "title", top),
        initial_score=_initial_score(metadata, top),
    )
    facts: list[Fact] = [started]
    dealer: Seat | None = None
    for number, deal in enumerate(deals, start=1):
        place = _Place(faults=faults, deal=number)
        told, dealer = _deal(deal, dealer, rules, place, last=number == len(deals))
        facts.extend(told)
    begun_us = _begun_us(metadata, top)
    entries = tuple(Entry(at_us=begun_us, source="import", fact=fact) for fact in facts)
    return ImportedGame(title=started.title, entries=entries)


def _line(value: Any, where: str, place: _Place) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        place.fault(where, value, "should be a text")
        return ""
    return value.encode("utf-8", "replace").decode("utf-8")[:LONGEST_TEXT]


def _names(metadata: Mapping[str, Any], place: _Place) -> tuple[str, ...]:
    players = metadata.get("players")
    if players is None:
        return SEAT_NAMES
    if not isinstance(players, list):
        place.fault("players", players, "should be a list of four names")
        return SEAT_NAMES
    if len(players) != len(SEAT_NAMES):
        place.fault("players", players, f"{len(players)} names for {len(SEAT_NAMES)} seats")
    names = list(SEAT_NAMES)
    for seat, player in enumerate(players[: len(SEAT_NAMES)]):
        name = player.get("name") if isinstance(player, dict) else player
        if not isinstance(name, str):
            place.fault("players", player, "should be a name", index=seat + 1)
        else:
            names[seat] = _line(name, "players", place).strip() or SEAT_NAMES[seat]
    return tuple(names)


def _initial_score(metadata: Mapping[str, Any], place: _Place) -> tuple[int, int]:
    score = _get(metadata, "initialScore")
    if score is None or score == []:
        return (0, 0)
    if (
        not isinstance(score, list)
        or len(score) != 2
        or not all(type(points) is int and abs(points) <= 1_000 for points in score)
    ):
        place.fault("initialScore", score, "should be two whole numbers; 0 and 0 taken")
        return (0, 0)
    return (score[0], score[1])


def _begun_us(metadata: Mapping[str, Any], place: _Place) -> int:
    """The file's date in microseconds since 1970, as UTC where it names no zone; else 0."""
    date = metadata.get("date")
    if date is None or date == "":
        return 0
    try:
        begun = datetime.fromisoformat(date) if isinstance(date, str) else None
        if begun is not None:
            begun = begun if begun.tzinfo is not None else begun.replace(tzinfo=UTC)
            return round(begun.timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        pass
    place.fault("date", date, "should be a date such as 2026-05-30T03:51")
    return 0


# --- the rules of the file -----------------------------------------------------------------


def _rules(metadata: Mapping[str, Any], base: Ruleset, place: _Place) -> Ruleset:
    given = _get(metadata, "ruleset")
    if given is None:
        given = {}
    if not isinstance(given, dict):
        place.fault("ruleset", given, "should be an object; EGN's usual rules taken")
        given = {}
    options = dict(_EGN_RULES)
    for key, value in given.items():
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()
        for option, setting in _option(name, value, place):
            options[option] = setting
    try:
        return ruleset_from({**to_mapping(base), **options})
    except BadRuleset as bad:
        for mistake in bad.mistakes:
            place.fault("ruleset", mistake.value, f"{mistake.key}: {mistake.allowed}")
        return ruleset_from({**to_mapping(base), **_EGN_RULES})


def _option(name: str, value: Any, place: _Place) -> Iterator[tuple[str, Any]]:
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
        case "allow_no_trump" if isinstance(value, bool):
            yield "no_trump", "round2" if value else "off"
        case _ if name in _NOT_PLAYED:
            usual = _NOT_PLAYED[name]
            if not any(value == u and type(value) is type(u) for u in usual):
                place.fault(f"ruleset.{name}", value, "not played by this version: left out")
        case _:
            place.fault(f"ruleset.{name}", value, "no such option or value of EGN: left out")


# --- one deal ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bidding:
    calls: tuple[Called, ...] = ()
    maker: Seat | None = None
    trump: Trump | None = None
    alone: bool = False
    lone_defender: Seat | None = None
    ordered: bool = False
    passes: int = 0
    discard: Card | None = None

    @property
    def lone_seats(self) -> tuple[Seat, ...]:
        lone = (self.maker if self.alone else None, self.lone_defender)
        return tuple(seat for seat in lone if seat is not None)


def _deal(
    value: Any, previous_dealer: Seat | None, rules: Ruleset, place: _Place, *, last: bool
) -> tuple[list[Fact], Seat | None]:
    """The facts of one deal and its dealer."""
    if isinstance(value, str):
        place.fault("deals", value, "a condensed deal: expand the file first (egn-convert)")
        return [], None
    if not isinstance(value, dict):
        place.fault("deals", value, "should be an object: left out")
        return [], None
    before = _get(value, "initialState")
    if not isinstance(before, dict):
        place.fault("initialState", before, "should be an object with dealer and upCard")
        before = {}
    dealer = _dealer(before, previous_dealer, place)
    upcard, upcard_suit = _card(_get(before, "upCard"), None, "upCard", place)
    if upcard is not None and upcard not in pack_of(rules):
        _foreign(upcard, "upCard", rules, place)
    for key in ("kitty", "playerCards"):
        _check_unseen(_get(before, key), key, place)
    bidding_phase, play_phase = _phases(value.get("phases"), place)
    bidding = _bidding(bidding_phase, play_phase, dealer, upcard, upcard_suit, place)
    facts = _bidding_facts(bidding, dealer, upcard, upcard_suit)
    tricks = _trick_lists(play_phase, rules, place)
    if bidding.passes >= 8 and bidding.maker is None:
        if any(tricks):
            place.fault("tricks", tricks, "all passed twice, and yet cards are played")
        else:
            return [*facts, DealThrownIn(reason="passed_out")], dealer
    facts.extend(_play_facts(tricks, bidding, dealer, upcard, rules, play_phase, place, last=last))
    return facts, dealer


def _dealer(before: Mapping[str, Any], previous: Seat | None, place: _Place) -> Seat | None:
    dealer = before.get("dealer")
    if type(dealer) is int and dealer in range(4):
        return dealer
    supposed = None if previous is None else (previous + 1) % 4
    taken = "nobody" if supposed is None else f"{supposed}, whose turn it is,"
    place.fault("dealer", dealer, f"should be a seat from 0 to 3: {taken} taken")
    return supposed


def _phases(phases: Any, place: _Place) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bidding and the play, empty where the file has none."""
    found: dict[str, dict[str, Any]] = {}
    if not isinstance(phases, list):
        place.fault("phases", phases, "should be a list of phases")
        phases = []
    for index, phase in enumerate(phases, start=1):
        kind = phase.get("type") if isinstance(phase, dict) else None
        if not isinstance(kind, str) or kind not in ("EUCHRE_BIDDING", "TRICK_PLAY"):
            message = 'should be a phase with "type" EUCHRE_BIDDING or TRICK_PLAY: left out'
            place.fault("phases", phase, message, index=index)
        elif kind in found:
            place.fault("phases", kind, "stands there twice: the first is taken", index=index)
        else:
            found[kind] = phase
    return found.get("EUCHRE_BIDDING", {}), found.get("TRICK_PLAY", {})


def _check_unseen(value: Any, key: str, place: _Place) -> None:
    """Hands and kitty make no facts (nobody saw them), but a wrong card there is still wrong."""
    if value is None:
        return
    if not isinstance(value, list):
        place.fault(key, value, "should be a list of cards")
        return
    for index, item in enumerate(value, start=1):
        for card in item if isinstance(item, list) else [item]:
            _card(card, None, key, place, index=index)


def _bidding(
    phase: Mapping[str, Any],
    play: Mapping[str, Any],
    dealer: Seat | None,
    upcard: Card | None,
    upcard_suit: Suit | None,
    place: _Place,
) -> _Bidding:
    words = phase.get("calls", [])
    if not isinstance(words, list):
        place.fault("calls", words, "should be a list of calls")
        words = []
    alone = _flag(_get(phase, "isAlone"), place) or _flag(_get(play, "isAlone"), place)
    calls: list[Called] = []
    maker: Seat | None = None
    trump: Trump | None = None
    ordered, made, passes = False, False, 0
    for index, word in enumerate(words, start=1):
        read = _call(word, index, upcard_suit, place)
        if read is None:
            continue
        kind, suit = read
        if made or index > 8:
            if kind != "pass" or index > 8:
                message = "comes after trump was made" if made else "a ninth call"
                place.fault("calls", word, f"{message}: left out", index=index)
            continue
        seat = None if dealer is None else (dealer + index) % 4
        if kind == "order_up":
            ordered, trump = True, upcard_suit
            if seat == dealer:
                kind = "pick_up"
        elif kind == "name":
            trump = suit
        made = kind != "pass"
        passes += kind == "pass"
        if seat is not None:
            calls.append(Called(seat=seat, call=kind, suit=suit, alone=alone and made))
            maker = seat if made else None
    if alone and not made:
        place.fault("isAlone", True, "nobody made trump, so nobody is alone")
    discard = phase.get("discard")
    card, _ = _card(discard, trump, "discard", place)
    if card is not None and not ordered:
        place.fault("discard", discard, "nobody ordered the up-card, so nothing is discarded")
        card = None
    return _Bidding(
        calls=tuple(calls),
        maker=maker,
        trump=trump,
        alone=alone and made,
        lone_defender=_lone_defender(_get(phase, "aloneDefender"), maker, place),
        ordered=ordered,
        passes=0 if made else passes,
        discard=card,
    )


def _flag(value: Any, place: _Place) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        place.fault("isAlone", value, "should be true or false: false taken")
        return False
    return value


def _lone_defender(value: Any, maker: Seat | None, place: _Place) -> Seat | None:
    if value is None or value == -1:
        return None
    if type(value) is not int or value not in range(4):
        place.fault("aloneDefender", value, "should be a seat from 0 to 3, or -1")
        return None
    if maker is None or side_of(value) == side_of(maker):
        place.fault("aloneDefender", value, "is no defender")
        return None
    return value


def _call(
    word: Any, index: int, upcard_suit: Suit | None, place: _Place
) -> tuple[CallKind, Trump | None] | None:
    """A call's kind and, for a naming, its suit (None: not known)."""
    spoken = word.strip().lower() if isinstance(word, str) else None
    spoken = _SUIT_SIGNS.get(spoken, spoken) if spoken is not None else None
    match spoken:
        case "pass" | "p":
            return "pass", None
        case "order" | "o" | "pickup":
            if index > 4:
                message = "the up-card was turned down: a suit is named in the second round"
                place.fault("calls", word, message, index=index)
                return None
            return "order_up", None
        case "x":
            return "name", None
        case "c" | "d" | "h" | "s" | "n":
            if index <= 4 and spoken == upcard_suit:
                return "order_up", None
            if index <= 4 or spoken == upcard_suit:
                message = (
                    "no suit is named in the first round"
                    if index <= 4
                    else "that suit was turned down"
                )
                place.fault("calls", word, f"{message}; trump is taken as said", index=index)
            return "name", spoken
        case _:
            message = "no call: Pass, Order, a suit c d h s, or n for no trump"
            place.fault("calls", word, message, index=index)
            return None


def _bidding_facts(
    bidding: _Bidding, dealer: Seat | None, upcard: Card | None, upcard_suit: Suit | None
) -> list[Fact]:
    facts: list[Fact] = []
    if upcard is not None:
        facts.append(UpcardShown(card=upcard, dealer=dealer))
    else:
        facts.append(ReviewRaised(subject="upcard", seat=dealer, candidates=(), reason="unsure"))
    for place, call in enumerate(bidding.calls):
        if place == 4:
            facts.append(UpcardTurnedDown())
        facts.append(call)
    if bidding.ordered:
        facts.append(UpcardTaken())
    elif bidding.maker is not None and len(bidding.calls) <= 4:
        facts.append(UpcardTurnedDown())
    # The calls say it all but for these two.
    suit_only = bidding.ordered and upcard is None and upcard_suit is not None
    calls_say_all = not suit_only and bidding.lone_defender is None
    if bidding.maker is not None and bidding.trump is not None and not calls_say_all:
        facts.append(
            Declared(
                maker=bidding.maker,
                trump=bidding.trump,
                alone=bidding.maker if bidding.alone else None,
                defender_alone=bidding.lone_defender,
            )
        )
    if bidding.discard is not None and dealer is not None:
        facts.append(Discarded(seat=dealer, card=bidding.discard))
    return facts


# --- the tricks ----------------------------------------------------------------------------


def _trick_lists(phase: Mapping[str, Any], rules: Ruleset, place: _Place) -> list[list[Any]]:
    """The tricks as written, without unknown ones at the end."""
    tricks = phase.get("tricks", [])
    if not isinstance(tricks, list):
        place.fault("tricks", tricks, "should be a list of tricks")
        return []
    lists: list[list[Any]] = []
    for number, trick in enumerate(tricks, start=1):
        if number > rules.hand_size:
            message = f"a hand has {rules.hand_size} cards: the tricks after them are left out"
            replace(place, trick=number).fault("tricks", trick, message)
            break
        if not isinstance(trick, list):
            replace(place, trick=number).fault("tricks", trick, "should be a list of cards")
            trick = []
        lists.append(trick)
    while lists and all(_is_unknown(card) for card in lists[-1]):
        lists.pop()
    return lists


def _is_unknown(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, str) and value.lower() == "xx")


def _play_facts(
    tricks: Sequence[Sequence[Any]],
    bidding: _Bidding,
    dealer: Seat | None,
    upcard: Card | None,
    rules: Ruleset,
    phase: Mapping[str, Any],
    place: _Place,
    *,
    last: bool,
) -> Iterator[Fact]:
    alone = bidding.lone_seats
    sits_out = sitting_out(alone)
    in_play = 4 - len(sits_out)
    leader = _first_leader(_get(phase, "initialLead"), bidding, dealer, sits_out, rules, place)
    seen: dict[Card, str] = {}
    if bidding.discard is not None:
        seen[bidding.discard] = "discarded"
    short: list[tuple[_Place, int]] = []
    for number, written in enumerate(tricks, start=1):
        here = replace(place, trick=number)
        order = _seats_from(leader, sits_out)
        cards = _cards_in_play(written, leader, sits_out)
        if len(cards) > in_play:
            message = f"{in_play} hands play: the cards after them are left out"
            here.fault("trick", list(cards), message)
            cards = cards[:in_play]
        ends_here = number == len(tricks)
        if len(cards) < in_play and cards and not (ends_here and last):
            here.fault("trick", list(cards), f"{len(cards)} cards of {in_play}: the rest unknown")
        if len(cards) < in_play and not ends_here:
            cards = [*cards, *[""] * (in_play - len(cards))]
        plays: list[tuple[Seat | None, Card | None]] = []
        for index, (seat, value) in enumerate(zip(order, cards, strict=False), start=1):
            card, _ = _card(value, bidding.trump, "card", here, index=index)
            if card is not None:
                _check_card(card, seen, number, index, rules, here)
            plays.append((seat, card))
            yield _play(seat, card)
        if len(plays) == in_play:
            yield TrickCleared()
            leader = _winner(plays, bidding.trump, rules, seen)
        short = [(here, len(plays))] if len(plays) < in_play else []
    if not last and not short and 0 < len(tricks) < rules.hand_size and _ends_early(phase, tricks):
        message = (
            f"{len(tricks)} tricks of {rules.hand_size} are written: "
            "points are counted only where the rest cannot change them"
        )
        place.fault("tricks", len(tricks), message)
    if not last and not tricks and bidding.maker is not None and not phase.get("tricks"):
        place.fault("tricks", [], "trump was made and no trick is written: no points are counted")


def _ends_early(phase: Mapping[str, Any], tricks: Sequence[Sequence[Any]]) -> bool:
    """Whether the tricks stop, rather than being written as unknown."""
    return len(phase.get("tricks", ())) == len(tricks)


def _first_leader(
    given: Any,
    bidding: _Bidding,
    dealer: Seat | None,
    sits_out: Sequence[Seat],
    rules: Ruleset,
    place: _Place,
) -> Seat | None:
    by_rule = first_leader(
        dealer=dealer, maker=bidding.maker, alone=bidding.lone_seats, lone_lead=rules.lone_lead
    )
    if given is None:
        return by_rule
    if type(given) is not int or given not in range(4):
        place.fault("initialLead", given, "should be a seat from 0 to 3: the rule's taken")
        return by_rule
    if given in sits_out:
        place.fault("initialLead", given, "that seat sits out: the rule's taken")
        return by_rule
    return given


def _seats_from(leader: Seat | None, sits_out: Sequence[Seat]) -> list[Seat | None]:
    if leader is None:
        return [None] * (4 - len(sits_out))
    clockwise = [(leader + step) % 4 for step in range(4)]
    return [seat for seat in clockwise if seat not in sits_out]


def _cards_in_play(
    written: Sequence[Any], leader: Seat | None, sits_out: Sequence[Seat]
) -> list[Any]:
    """The trick's cards, without the blank that some writers leave where a seat sits out."""
    if leader is None or len(written) != 4:
        return list(written)
    return [
        card
        for step, card in enumerate(written)
        if (leader + step) % 4 not in sits_out or not _is_unknown(card)
    ]


def _check_card(
    card: Card, seen: dict[Card, str], trick: int, index: int, rules: Ruleset, place: _Place
) -> None:
    if card not in pack_of(rules):
        _foreign(card, "card", rules, place, index=index)
    if card in seen:
        message = f"was {seen[card]} already: one of the two is wrong"
        place.fault("card", card, message, index=index)
    else:
        seen[card] = f"played in trick {trick}"


def _foreign(
    card: Card, where: str, rules: Ruleset, place: _Place, *, index: int | None = None
) -> None:
    place.fault(where, card, f"is not in the pack of {rules.pack} cards", index=index)


def _play(seat: Seat | None, card: Card | None) -> Fact:
    if seat is not None and card is not None:
        return CardPlayed(seat=seat, card=card)
    if card is not None:
        return ReviewRaised(subject="play", seat=None, candidates=((card, 1.0),), reason="seat")
    return ReviewRaised(subject="play", seat=seat, candidates=(), reason="missed")


def _winner(
    plays: Sequence[tuple[Seat | None, Card | None]],
    trump: Trump | None,
    rules: Ruleset,
    seen: Mapping[Card, str],
) -> Seat | None:
    """The seat that won, also where an unknown card cannot change it; None where it may."""
    if trump is None or any(seat is None for seat, _ in plays):
        return None
    unseen = sorted(pack_of(rules) - seen.keys())
    winners: set[Seat] = set()
    blanks = [i for i, (_, card) in enumerate(plays) if card is None]
    if len(blanks) > 1:
        # Two unknown cards: only a right bower on the table settles it, and then one does.
        right = Card("J" + trump) if trump != NO_TRUMP else None
        return next((seat for seat, card in plays if card is not None and card == right), None)
    for candidate in unseen if blanks else [None]:
        known = [
            (seat, card if card is not None else candidate)
            for seat, card in plays
            if seat is not None
        ]
        winners.add(trick_winner([(s, c) for s, c in known if c is not None], trump))
    return winners.pop() if len(winners) == 1 else None


# --- cards ---------------------------------------------------------------------------------


def _card(
    value: Any, trump: Trump | None, where: str, place: _Place, *, index: int | None = None
) -> tuple[Card | None, Suit | None]:
    """``value`` as a card and its suit; None for what is unknown or, with a fault, no card.

    EGN's own ways are read too: ``N`` for the nine, ``10`` for the ten, suits in capitals or
    as signs, ``R`` and ``L`` for the bowers once trump is known, ``X`` for an unknown rank and
    ``x`` (or ``t n g``, a suit that does not matter) for an unknown suit.
    """
    if _is_unknown(value):
        return None, None
    if isinstance(value, str):
        text = value.strip()
        if text == HIGH_JOKER:
            return HIGH_JOKER, None
        if text in ("R", "L"):
            return _bower(text, trump)
        rank = text[:-1].replace("10", "T").replace("N", "9")
        suit = _SUIT_SIGNS.get(text[-1:], text[-1:].lower())
        if rank + suit in ALL_CARDS and rank in "789TJQKA":
            return Card(rank + suit), Suit(suit)
        if rank in ("X", *"789TJQKA") and suit in (*SUITS, "x", "t", "n", "g"):
            return None, Suit(suit) if suit in SUITS else None
    place.fault(where, value, "no card of EGN: write a rank 789TJQKA and a suit cdhs", index=index)
    return None, None


def _bower(text: str, trump: Trump | None) -> tuple[Card | None, Suit | None]:
    if trump is None or trump == NO_TRUMP:
        return None, None
    suit = Suit(trump) if text == "R" else SAME_COLOUR[Suit(trump)]
    return Card("J" + suit), suit


# --- writing -------------------------------------------------------------------------------

#: The longest name and title that EGN's schema allows.
_LONGEST_NAME: Final = 64
_LONGEST_TITLE: Final = 128
_UNKNOWN_CARD: Final = "Xx"


def write_egn(records: Sequence[Recorded]) -> Exported:
    """The game as EGN 1.4, as it is known to have been (corrections carried out).

    ``losses`` names everything EGN has no words for; what cannot be said at all is left out
    rather than bent, but for one thing: where a seat plays alone on its partner's call, the
    call is written as its own, since otherwise a reader would give its cards to the partner.
    """
    state = fold(records)
    losses = _Losses()
    ruleset = _egn_ruleset(state.ruleset, losses)
    metadata: dict[str, Any] = {}
    if state.title:
        metadata["title"] = losses.cut(state.title, _LONGEST_TITLE, "the title")
    if state.started_at_us:
        begun = datetime.fromtimestamp(state.started_at_us / 1_000_000, tz=UTC)
        metadata["date"] = _date(begun)
    metadata["players"] = [losses.cut(name, _LONGEST_NAME, "a name") for name in state.names]
    metadata["initialScore"] = list(state.initial_score)
    metadata["ruleset"] = ruleset
    deals: list[dict[str, Any]] = []
    for facts, deal in state.readings:
        discard = next((r.fact for r in facts.facts if isinstance(r.fact, Discarded)), None)
        written = _written_deal(
            deal, discard.card if discard is not None else None, state.ruleset, losses
        )
        if written is not None:
            deals.append({"dealNumber": len(deals), **written})
    for adjustment in state.adjustments:
        losses.add(f"a score adjustment of {list(adjustment.points)} ({adjustment.reason})")
    if state.ended is not None:
        losses.add(f"why the game was stopped ({state.ended})")
    _general_losses(records, losses)
    game = {"fileType": FILE_TYPE, "version": VERSION, "metadata": metadata, "deals": deals}
    text = json.dumps(game, ensure_ascii=False, indent=1) + "\n"
    return Exported(text=text, losses=tuple(losses.named))


def _date(begun: datetime) -> str:
    """The date as EGN writes it, in UTC, no finer than it needs to be."""
    whole_minute = begun.second == 0 and begun.microsecond == 0
    return begun.replace(tzinfo=None).isoformat(timespec="minutes" if whole_minute else "auto")


class _Losses:
    """What could not be said, each once."""

    __slots__ = ("named",)

    def __init__(self) -> None:
        self.named: list[str] = []

    def add(self, loss: str) -> None:
        if loss not in self.named:
            self.named.append(loss)

    def cut(self, text: str, length: int, what: str) -> str:
        if len(text) > length:
            self.add(f"{what} beyond {length} characters")
        return text[:length]


def _general_losses(records: Sequence[Recorded], losses: _Losses) -> None:
    facts = [recorded.fact for recorded in records]
    if len({recorded.at_us for recorded in records}) > 1:
        losses.add("the moment of each call and play")
    if any(getattr(fact, "evidence", None) is not None for fact in facts):
        losses.add("the pictures of the cards")
    if any(isinstance(fact, FindingRuled) for fact in facts):
        losses.add("the rulings on findings")
    corrections = sum(
        isinstance(fact, Corrected | Inserted | Moved | Amended | ReviewAnswered) for fact in facts
    )
    if corrections:
        losses.add(f"what was read before {corrections} corrections and answers")
    if any(isinstance(fact, PackShuffled) for fact in facts):
        losses.add("the shuffles")


def _egn_ruleset(rules: Ruleset, losses: _Losses) -> dict[str, Any]:
    written: dict[str, Any] = {
        "std": rules.pass_out == "stick_dealer",
        "canadian": rules.partner_order_must_be_alone,
        "loner_lead": "LEFT_OF_DEALER" if rules.lone_lead == "left_of_dealer" else "LEFT_OF_LONER",
    }
    if rules.deals is not None:
        written["num_deals"] = rules.deals
    elif rules.target != 10:
        written["winning_score"] = rules.target
    if rules.pack != 24:
        written["min_rank"] = {28: 8, 32: 7}[rules.pack]
    if rules.lone_euchre != 2:
        written["loner_euchred_score"] = rules.lone_euchre
    if rules.defend_alone == "vs_lone":
        written["defend_alone"] = True
    if rules.no_trump == "round2":
        written["allow_no_trump"] = True
    read_back = to_mapping(_rules({"ruleset": written}, Ruleset(), _Place(faults=[])))
    other = {
        key: value
        for key, value in to_mapping(rules).items()
        if key != "preset" and value != read_back[key]
    }
    if other:
        named = ", ".join(f"{key} = {value}" for key, value in other.items())
        losses.add(f"rules that EGN has no words for: {named}")
    return written


def _written_deal(
    deal: Deal, discard: Card | None, rules: Ruleset, losses: _Losses
) -> dict[str, Any] | None:
    name = f"deal {deal.number}"
    if deal.dealer is None:
        losses.add(f"{name}: nobody knows who dealt, so nothing of it")
        return None
    if deal.thrown_in not in (None, "passed_out"):
        losses.add(f"{name}: thrown in ({deal.thrown_in}), so nothing of it")
        return None
    if deal.points != deal.played_points:
        losses.add(f"{name}: the points as ruled ({deal.result}); EGN counts them as played")
    upcard = None if deal.upcard is None else deal.upcard.card
    bidding: dict[str, Any] = {
        "phaseNumber": 0,
        "type": "EUCHRE_BIDDING",
        "calls": _written_calls(deal, deal.dealer, upcard, losses),
        "isAlone": _makers_lone(deal) is not None,
    }
    defender = next((s for s in deal.alone if s != _makers_lone(deal)), None)
    if defender is not None:
        bidding["aloneDefender"] = defender
    if discard is not None and deal.upcard_state == "taken":
        bidding["discard"] = _written_card(discard, name, losses)
    phases = [bidding]
    if deal.tricks:
        tricks = _written_tricks(deal, rules, losses)
        phases.append({"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": tricks})
    state = {"dealer": deal.dealer, "upCard": _written_card(upcard, name, losses)}
    return {"initialState": state, "phases": phases}


def _makers_lone(deal: Deal) -> Seat | None:
    if deal.maker is None:
        return None
    return next((s for s in deal.alone if side_of(s) == side_of(deal.maker)), None)


def _written_card(card: Card | None, name: str, losses: _Losses) -> str:
    if card is None:
        return _UNKNOWN_CARD
    if card != HIGH_JOKER and card[0] not in "789TJQKA":
        losses.add(f"{name}: the card {card}, which EGN cannot write")
        return _UNKNOWN_CARD
    return card


def _written_calls(deal: Deal, dealer: Seat, upcard: Card | None, losses: _Losses) -> list[str]:
    name = f"deal {deal.number}"
    recorded = [
        {"pass": "Pass", "order_up": "Order", "pick_up": "Order", "name": call.suit or "x"}[
            call.call
        ]
        for call in deal.calls
    ]
    in_order = all(
        call.seat == (dealer + index) % 4 for index, call in enumerate(deal.calls, start=1)
    )
    if deal.maker is None or deal.trump is None:
        if deal.thrown_in == "passed_out":
            return ["Pass"] * 8
        if not in_order:
            losses.add(f"{name}: the calls, which came out of turn")
        return recorded if in_order else []
    caller = deal.maker
    lone = _makers_lone(deal)
    if lone is not None and lone != deal.maker:
        losses.add(f"{name}: that seat {lone} played alone on the call of seat {deal.maker}")
        caller = lone
    ordered = deal.upcard_state == "taken"
    turn = (caller - dealer - 1) % 4
    passes = ["Pass"] * (turn if ordered else 4 + turn)
    deduced = [*passes, "Order" if ordered else deal.trump]
    if not ordered and upcard is None:
        losses.add(f"{name}: in which round trump was made (the up-card is not known)")
    # Without taps the calls follow from who made trump: everybody before passed.
    if recorded and recorded != deduced and caller == deal.maker:
        losses.add(f"{name}: the calls as recorded ({', '.join(recorded)})")
    return deduced


def _written_tricks(deal: Deal, rules: Ruleset, losses: _Losses) -> list[list[str]]:
    lines: list[list[str]] = []
    expected = first_leader(
        dealer=deal.dealer, maker=deal.maker, alone=deal.alone, lone_lead=rules.lone_lead
    )
    for trick in deal.tricks:
        name = f"deal {deal.number}, trick {trick.number}"
        if trick.extra:
            losses.add(f"{name}: {len(trick.extra)} further cards that lay there")
        if trick.leader is not None and expected is not None and trick.leader != expected:
            losses.add(f"{name}: that seat {trick.leader} led out of turn")
        lines.append(_written_trick(deal, trick, name, losses))
        expected = trick.winner
        if trick.winner is None and trick.number < len(deal.tricks):
            losses.add(f"{name}: whose the cards after it are, since nobody can tell who won it")
    return lines


def _written_trick(deal: Deal, trick: Trick, name: str, losses: _Losses) -> list[str]:
    if trick.leader is None or any(play.seat is None for play in trick.plays):
        losses.add(f"{name}: that nobody knows whose cards these are")
        return [_written_card(play.card, name, losses) for play in trick.plays]
    cards = {play.seat: _written_card(play.card, name, losses) for play in trick.plays}
    order = [seat for seat in _seats_from(trick.leader, deal.sits_out) if seat is not None]
    if [play.seat for play in trick.plays] != [seat for seat in order if seat in cards]:
        losses.add(f"{name}: the order in which the cards were played")
    whole = [cards.get(seat, _UNKNOWN_CARD) for seat in order]
    while not trick.complete and whole and whole[-1] == _UNKNOWN_CARD:
        whole.pop()
    return whole
