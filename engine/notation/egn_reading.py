"""Reading EGN: a file becomes facts, and every fault in it is named with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from engine.codec import BadJson, from_text, shown
from engine.facts import (
    Called,
    CallKind,
    CardPlayed,
    DealThrownIn,
    Declared,
    Discarded,
    Fact,
    GameStarted,
    ReviewRaised,
    TrickCleared,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.follow import NO_TRUMP, trick_winner
from engine.log import Entry
from engine.notation import Fault, Imported, ImportedGame
from engine.notation.egn_words import (
    FILE_TYPE,
    LONGEST_FILE,
    SUIT_SIGNS,
    VERSION,
    VERSIONS,
    Place,
    line_of,
    rules_of,
    seats_from,
    spelt,
)
from engine.ruleset import Ruleset, pack_of, ruleset_from, to_mapping
from engine.turns import first_leader, sitting_out
from engine.wording import Sentence, worded


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
        return _no_game(str(path), worded("{words}: name a file to read", words=reason))
    return read_egn(data, rules=rules)


def read_egn(text: str | bytes, *, rules: Mapping[str, Any] | str = "home") -> Imported:
    """The game (or list of games) in ``text``, with every fault found.

    What is sound is kept: a bad card becomes an unknown one, a bad deal is left out. ``rules``
    as in :func:`read_egn_file`.
    """
    base = ruleset_from(rules)
    if len(text) > LONGEST_FILE:
        count = len(text)
        return _no_game(
            f"{count}", worded("longer than {most} characters: split it", most=LONGEST_FILE)
        )
    if isinstance(text, str):
        text = text.removeprefix("\ufeff")
    elif not text.strip():
        text = ""
    if not text.strip():
        return _no_game(shown(text[:40]), worded("holds nothing: export the game again"))
    try:
        value = from_text(text)
    except BadJson as bad:
        why = worded("{said}: EGN is a JSON object", said=bad.said)
        return _no_game(shown(text[:40]), why)
    faults: list[Fault] = []
    values = value if isinstance(value, list) and value else [value]
    games = tuple(game for v in values if (game := read_game(v, base, faults)) is not None)
    return Imported(games=games, faults=tuple(faults))


def _no_game(value: str, why: Sentence) -> Imported:
    return Imported(games=(), faults=(Fault(where="file", value=value, why=why),))


def read_game(value: Any, base: Ruleset, faults: list[Fault]) -> ImportedGame | None:
    """The game in one JSON value; what is wrong with it is added to ``faults``."""
    top = Place(faults=faults)
    if not isinstance(value, dict):
        top.fault("file", value, 'no game: EGN is an object with "metadata" and "deals"')
        return None
    kind = value.get("fileType")
    if kind != FILE_TYPE:
        top.fault("fileType", kind, 'should be "{words}"', words=FILE_TYPE)
    version = value.get("version")
    if not isinstance(version, str) or not VERSIONS.fullmatch(version):
        top.fault("version", version, "read as {version}: known are 1.0 to 1.6", version=VERSION)
    deals = value.get("deals")
    if not isinstance(deals, list):
        top.fault("deals", deals, "should be a list of deals")
        return None
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        top.fault("metadata", metadata, "should be an object; home seats and a score of 0 taken")
        metadata = {}
    rules = rules_of(metadata, base, top)
    started = GameStarted(
        rules=to_mapping(rules),
        names=_names(metadata, top),
        dealer=None,
        title=line_of(spelt(metadata, "title"), "title", top),
        initial_score=_initial_score(metadata, top),
    )
    facts: list[Fact] = [started]
    dealer: Seat | None = None
    for number, deal in enumerate(deals, start=1):
        place = Place(faults=faults, deal=number)
        told, dealer = _deal(deal, dealer, rules, place, last=number == len(deals))
        facts.extend(told)
    at_us = begun_us(metadata, top)
    entries = tuple(Entry(at_us=at_us, source="import", fact=fact) for fact in facts)
    return ImportedGame(title=started.title, entries=entries)


def _names(metadata: Mapping[str, Any], place: Place) -> tuple[str, ...]:
    players = metadata.get("players")
    if players is None:
        return SEAT_NAMES
    if not isinstance(players, list):
        place.fault("players", players, "should be a list of four names")
        return SEAT_NAMES
    if len(players) != len(SEAT_NAMES):
        place.fault(
            "players",
            players,
            "{count} names for {count_seats} seats",
            count=len(players),
            count_seats=len(SEAT_NAMES),
        )
    names = list(SEAT_NAMES)
    for seat, player in enumerate(players[: len(SEAT_NAMES)]):
        name = player.get("name") if isinstance(player, dict) else player
        if not isinstance(name, str):
            place.fault("players", player, "should be a name", index=seat + 1)
        else:
            names[seat] = line_of(name, "players", place).strip() or SEAT_NAMES[seat]
    return tuple(names)


def _initial_score(metadata: Mapping[str, Any], place: Place) -> tuple[int, int]:
    score = spelt(metadata, "initialScore")
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


def begun_us(metadata: Mapping[str, Any], place: Place) -> int:
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
    value: Any, previous_dealer: Seat | None, rules: Ruleset, place: Place, *, last: bool
) -> tuple[list[Fact], Seat | None]:
    """The facts of one deal and its dealer."""
    if isinstance(value, str):
        place.fault("deals", value, "a condensed deal: expand the file first (egn-convert)")
        return [], None
    if not isinstance(value, dict):
        place.fault("deals", value, "should be an object: left out")
        return [], None
    before = spelt(value, "initialState")
    if not isinstance(before, dict):
        place.fault("initialState", before, "should be an object with dealer and upCard")
        before = {}
    dealer = _dealer(before, previous_dealer, place)
    upcard, upcard_suit = _card(spelt(before, "upCard"), None, "upCard", place)
    if upcard is not None and upcard not in pack_of(rules):
        _foreign(upcard, "upCard", rules, place)
    for key in ("kitty", "playerCards"):
        _check_unseen(spelt(before, key), key, place)
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


def _dealer(before: Mapping[str, Any], previous: Seat | None, place: Place) -> Seat | None:
    dealer = before.get("dealer")
    if type(dealer) is int and dealer in range(4):
        return dealer
    supposed = None if previous is None else (previous + 1) % 4
    if supposed is None:
        place.fault("dealer", dealer, "should be a seat from 0 to 3: nobody taken")
    else:
        place.fault(
            "dealer",
            dealer,
            "should be a seat from 0 to 3: {number}, whose turn it is, taken",
            number=supposed,
        )
    return supposed


def _phases(phases: Any, place: Place) -> tuple[dict[str, Any], dict[str, Any]]:
    """The bidding and the play, empty where the file has none."""
    found: dict[str, dict[str, Any]] = {}
    if not isinstance(phases, list):
        place.fault("phases", phases, "should be a list of phases")
        phases = []
    for index, phase in enumerate(phases, start=1):
        kind = phase.get("type") if isinstance(phase, dict) else None
        if not isinstance(kind, str) or kind not in ("EUCHRE_BIDDING", "TRICK_PLAY"):
            place.fault(
                "phases",
                phase,
                'should be a phase with "type" EUCHRE_BIDDING or TRICK_PLAY: left out',
                index=index,
            )
        elif kind in found:
            place.fault("phases", kind, "stands there twice: the first is taken", index=index)
        else:
            found[kind] = phase
    return found.get("EUCHRE_BIDDING", {}), found.get("TRICK_PLAY", {})


def _check_unseen(value: Any, key: str, place: Place) -> None:
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
    place: Place,
) -> _Bidding:
    words = phase.get("calls", [])
    if not isinstance(words, list):
        place.fault("calls", words, "should be a list of calls")
        words = []
    alone = _flag(spelt(phase, "isAlone"), place) or _flag(spelt(play, "isAlone"), place)
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
                place.fault(
                    "calls",
                    word,
                    "comes after trump was made: left out" if made else "a ninth call: left out",
                    index=index,
                )
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
        lone_defender=_lone_defender(spelt(phase, "aloneDefender"), maker, place),
        ordered=ordered,
        passes=0 if made else passes,
        discard=card,
    )


def _flag(value: Any, place: Place) -> bool:
    if value is None:
        return False
    if not isinstance(value, bool):
        place.fault("isAlone", value, "should be true or false: false taken")
        return False
    return value


def _lone_defender(value: Any, maker: Seat | None, place: Place) -> Seat | None:
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
    word: Any, index: int, upcard_suit: Suit | None, place: Place
) -> tuple[CallKind, Trump | None] | None:
    """A call's kind and, for a naming, its suit (None: not known)."""
    spoken = word.strip().lower() if isinstance(word, str) else None
    spoken = SUIT_SIGNS.get(spoken, spoken) if spoken is not None else None
    match spoken:
        case "pass" | "p":
            return "pass", None
        case "order" | "o" | "pickup":
            if index > 4:
                place.fault(
                    "calls",
                    word,
                    "the up-card was turned down: a suit is named in the second round",
                    index=index,
                )
                return None
            return "order_up", None
        case "x":
            return "name", None
        case "c" | "d" | "h" | "s" | "n":
            if index <= 4 and spoken == upcard_suit:
                return "order_up", None
            if index <= 4 or spoken == upcard_suit:
                place.fault(
                    "calls",
                    word,
                    "no suit is named in the first round; trump is taken as said"
                    if index <= 4
                    else "that suit was turned down; trump is taken as said",
                    index=index,
                )
            return "name", spoken
        case _:
            place.fault(
                "calls",
                word,
                "no call: Pass, Order, a suit c d h s, or n for no trump",
                index=index,
            )
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


def _trick_lists(phase: Mapping[str, Any], rules: Ruleset, place: Place) -> list[list[Any]]:
    """The tricks as written, without unknown ones at the end."""
    tricks = phase.get("tricks", [])
    if not isinstance(tricks, list):
        place.fault("tricks", tricks, "should be a list of tricks")
        return []
    lists: list[list[Any]] = []
    for number, trick in enumerate(tricks, start=1):
        if number > rules.hand_size:
            replace(place, trick=number).fault(
                "tricks",
                trick,
                "a hand has {count} cards: the tricks after them are left out",
                count=rules.hand_size,
            )
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
    place: Place,
    *,
    last: bool,
) -> Iterator[Fact]:
    alone = bidding.lone_seats
    sits_out = sitting_out(alone)
    in_play = 4 - len(sits_out)
    leader = _first_leader(spelt(phase, "initialLead"), bidding, dealer, sits_out, rules, place)
    #: In which trick; 0: it was discarded.
    seen: dict[Card, int] = {}
    if bidding.discard is not None:
        seen[bidding.discard] = 0
    short: list[tuple[Place, int]] = []
    for number, written in enumerate(tricks, start=1):
        here = replace(place, trick=number)
        order = seats_from(leader, sits_out)
        cards = _cards_in_play(written, leader, sits_out)
        if len(cards) > in_play:
            here.fault(
                "trick",
                list(cards),
                "{count} hands play: the cards after them are left out",
                count=in_play,
            )
            cards = cards[:in_play]
        ends_here = number == len(tricks)
        if len(cards) < in_play and cards and not (ends_here and last):
            here.fault(
                "trick",
                list(cards),
                "{count} cards of {count_all}: the rest unknown",
                count=len(cards),
                count_all=in_play,
            )
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
        place.fault(
            "tricks",
            len(tricks),
            "{count} tricks of {count_all} are written: "
            "points are counted only where the rest cannot change them",
            count=len(tricks),
            count_all=rules.hand_size,
        )
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
    place: Place,
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
    card: Card, seen: dict[Card, int], trick: int, index: int, rules: Ruleset, place: Place
) -> None:
    if card not in pack_of(rules):
        _foreign(card, "card", rules, place, index=index)
    if card not in seen:
        seen[card] = trick
    elif seen[card]:
        place.fault(
            "card",
            card,
            "was played in trick {trick} already: one of the two is wrong",
            index=index,
            trick=seen[card],
        )
    else:
        place.fault("card", card, "was discarded already: one of the two is wrong", index=index)


def _foreign(
    card: Card, where: str, rules: Ruleset, place: Place, *, index: int | None = None
) -> None:
    place.fault(where, card, "is not in the pack of {count} cards", index=index, count=rules.pack)


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
    seen: Mapping[Card, int],
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
    value: Any, trump: Trump | None, where: str, place: Place, *, index: int | None = None
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
        suit = SUIT_SIGNS.get(text[-1:], text[-1:].lower())
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
