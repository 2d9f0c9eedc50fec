"""Writing EGN 1.4: a game as far as EGN has words for it, and what it has none for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from engine.cards import HIGH_JOKER, Card, Seat, side_of
from engine.deal import Deal, Trick
from engine.facts import (
    Amended,
    CardDrawn,
    CardPassed,
    CardTakenBack,
    Claimed,
    Corrected,
    Discarded,
    FindingRuled,
    HandShown,
    Inserted,
    Moved,
    PackShuffled,
    Recorded,
    ReviewAnswered,
)
from engine.games import game_for
from engine.notation import Exported
from engine.notation.egn_words import FILE_TYPE, VERSION, Place, rules_of, seats_from
from engine.ruleset import Ruleset, to_mapping
from engine.state import fold
from engine.turns import first_leader
from engine.wording import Arg, Sentence, english, result_said, worded

#: The longest name and title that EGN's schema allows.
_LONGEST_NAME: Final = 64
_LONGEST_TITLE: Final = 128
_UNKNOWN_CARD: Final = "Xx"


def write_egn(records: Sequence[Recorded]) -> Exported:
    """The game as EGN 1.4, as it is known to have been (corrections carried out).

    ``lost`` names everything EGN has no words for; what cannot be said at all is left out
    rather than bent, but for one thing: where a seat plays alone on its partner's call, the
    call is written as its own, since otherwise a reader would give its cards to the partner.
    A game that EGN does not know at all is an empty text and its loss.
    """
    game, lost = game_as_egn(records)
    text = "" if game is None else json.dumps(game, ensure_ascii=False, indent=1) + "\n"
    return Exported(text=text, lost=lost)


def game_as_egn(records: Sequence[Recorded]) -> tuple[dict[str, Any] | None, tuple[Sentence, ...]]:
    """The game as an EGN value, and what that leaves out; None: not a game that EGN knows."""
    state = fold(records)
    losses = _Losses()
    game = game_for(state.ruleset)
    if game.seats != 4 or game.sides != 2:
        losses.lose(
            "the game itself ({words}): EGN knows only two sides of two players",
            words=game.name.replace("_", " "),
        )
        return None, losses.named
    ruleset = _egn_ruleset(state.ruleset, losses)
    metadata: dict[str, Any] = {}
    if state.title:
        metadata["title"] = losses.cut(
            state.title,
            _LONGEST_TITLE,
            worded("the title beyond {count} characters", count=_LONGEST_TITLE),
        )
    if state.started_at_us:
        begun = datetime.fromtimestamp(state.started_at_us / 1_000_000, tz=UTC)
        metadata["date"] = _date(begun)
    metadata["players"] = [
        losses.cut(
            name, _LONGEST_NAME, worded("a name beyond {count} characters", count=_LONGEST_NAME)
        )
        for name in state.names
    ]
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
        losses.lose(
            "a score adjustment of {points} ({reason})",
            points=str(list(adjustment.points)),
            reason=adjustment.reason,
        )
    if state.ended is not None:
        losses.lose("why the game was stopped ({reason})", reason=state.ended)
    _general_losses(records, losses)
    value = {"fileType": FILE_TYPE, "version": VERSION, "metadata": metadata, "deals": deals}
    return value, losses.named


def _date(begun: datetime) -> str:
    """The date as EGN writes it, in UTC, no finer than it needs to be."""
    whole_minute = begun.second == 0 and begun.microsecond == 0
    return begun.replace(tzinfo=None).isoformat(timespec="minutes" if whole_minute else "auto")


class _Losses:
    """What could not be said, each once."""

    __slots__ = ("_by_text",)

    def __init__(self) -> None:
        self._by_text: dict[str, Sentence] = {}

    @property
    def named(self) -> tuple[Sentence, ...]:
        return tuple(self._by_text.values())

    def lose(self, template: str, /, **args: Arg) -> None:
        self.told(worded(template, **args))

    def told(self, loss: Sentence) -> None:
        self._by_text.setdefault(english(loss), loss)

    def cut(self, text: str, length: int, loss: Sentence) -> str:
        if len(text) > length:
            self.told(loss)
        return text[:length]


def _general_losses(records: Sequence[Recorded], losses: _Losses) -> None:
    facts = [recorded.fact for recorded in records]
    if len({recorded.at_us for recorded in records}) > 1:
        losses.lose("the moment of each call and play")
    if any(getattr(fact, "evidence", None) is not None for fact in facts):
        losses.lose("the pictures of the cards")
    if any(isinstance(fact, FindingRuled) for fact in facts):
        losses.lose("the rulings on findings")
    corrections = sum(
        isinstance(fact, Corrected | Inserted | Moved | Amended | ReviewAnswered) for fact in facts
    )
    if corrections:
        losses.lose(
            "what was read before {count:correction or answer|corrections and answers}",
            count=corrections,
        )
    for kinds, what in (
        (PackShuffled, worded("the shuffles")),
        (CardDrawn, worded("the draw for the first dealer")),
        (HandShown, worded("the hands that were shown")),
        (CardPassed, worded("the cards a lone hand exchanged")),
        (CardTakenBack, worded("the cards that were taken back")),
        (Claimed, worded("the offences that were claimed")),
    ):
        if any(isinstance(fact, kinds) for fact in facts):
            losses.told(what)


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
        written["min_rank"] = {28: 8, 32: 7}.get(rules.pack, 9)
    if rules.lone_euchre != 2:
        written["loner_euchred_score"] = rules.lone_euchre
    if rules.defend_alone == "vs_lone":
        written["defend_alone"] = True
    if rules.jokers == 1 and rules.benny_face == "joker":
        written["joker"] = True
    if rules.lone_exchange == "best_then_discard":
        written["partners_best"] = True
    if rules.no_trump != "off":
        written["allow_no_trump"] = True
    read_back = to_mapping(rules_of({"ruleset": written}, Ruleset(), Place(faults=[])))
    other = {
        key: value
        for key, value in to_mapping(rules).items()
        if key != "preset" and value != read_back[key]
    }
    if other:
        named = ", ".join(f"{key} = {value}" for key, value in other.items())
        losses.lose("rules that EGN has no words for: {words}", words=named)
    return written


def _written_deal(
    deal: Deal, discard: Card | None, rules: Ruleset, losses: _Losses
) -> dict[str, Any] | None:
    number = deal.number
    if deal.kept is not None:
        losses.lose("deal {deal}: counted by hand and no card seen, so nothing of it", deal=number)
        return None
    if deal.dealer is None:
        losses.lose("deal {deal}: nobody knows who dealt, so nothing of it", deal=number)
        return None
    if deal.thrown_in not in (None, "passed_out"):
        losses.lose(
            "deal {deal}: thrown in ({words}), so nothing of it",
            deal=number,
            words=result_said(deal.thrown_in or ""),
        )
        return None
    if deal.points != deal.played_points:
        losses.lose(
            "deal {deal}: the points as ruled ({result}); EGN counts them as played",
            deal=number,
            result=result_said(deal.result or ""),
        )
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
        bidding["discard"] = _written_card(discard, number, losses)
    phases = [bidding]
    if deal.tricks:
        tricks = _written_tricks(deal, rules, losses)
        phases.append({"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": tricks})
    state = {"dealer": deal.dealer, "upCard": _written_card(upcard, number, losses)}
    return {"initialState": state, "phases": phases}


def _makers_lone(deal: Deal) -> Seat | None:
    if deal.maker is None:
        return None
    return next((s for s in deal.alone if side_of(s) == side_of(deal.maker)), None)


def _written_card(card: Card | None, deal: int, losses: _Losses) -> str:
    if card is None:
        return _UNKNOWN_CARD
    if card != HIGH_JOKER and card[0] not in "789TJQKA":
        losses.lose("deal {deal}: {card}, which EGN cannot write", deal=deal, card=card)
        return _UNKNOWN_CARD
    return card


def _written_calls(deal: Deal, dealer: Seat, upcard: Card | None, losses: _Losses) -> list[str]:
    number = deal.number
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
            losses.lose("deal {deal}: the calls, which came out of turn", deal=number)
        return recorded if in_order else []
    caller = deal.maker
    lone = _makers_lone(deal)
    if lone is not None and lone != deal.maker:
        losses.lose(
            "deal {deal}: that {seat} played alone on the call of {seat_maker}",
            deal=number,
            seat=lone,
            seat_maker=deal.maker,
        )
        caller = lone
    ordered = deal.upcard_state == "taken"
    turn = (caller - dealer - 1) % 4
    passes = ["Pass"] * (turn if ordered else 4 + turn)
    deduced = [*passes, "Order" if ordered else deal.trump]
    if not ordered and upcard is None:
        losses.lose(
            "deal {deal}: in which round trump was made (the up-card is not known)", deal=number
        )
    # Without taps the calls follow from who made trump: everybody before passed.
    if recorded and recorded != deduced and caller == deal.maker:
        losses.lose(
            "deal {deal}: the calls as recorded ({words})", deal=number, words=", ".join(recorded)
        )
    return deduced


def _written_tricks(deal: Deal, rules: Ruleset, losses: _Losses) -> list[list[str]]:
    lines: list[list[str]] = []
    expected = first_leader(
        dealer=deal.dealer, maker=deal.maker, alone=deal.alone, lone_lead=rules.lone_lead
    )
    for trick in deal.tricks:
        place = {"deal": deal.number, "trick": trick.number}
        if trick.extra:
            losses.lose(
                "deal {deal}, trick {trick}: {count:further card|further cards} that lay there",
                **place,
                count=len(trick.extra),
            )
        if trick.leader is not None and expected is not None and trick.leader != expected:
            losses.lose(
                "deal {deal}, trick {trick}: that {seat} led out of turn",
                **place,
                seat=trick.leader,
            )
        lines.append(_written_trick(deal, trick, losses))
        expected = trick.winner
        if trick.winner is None and trick.number < len(deal.tricks):
            losses.lose(
                "deal {deal}, trick {trick}: whose the cards after it are, since nobody can tell "
                "who won it",
                **place,
            )
    return lines


def _written_trick(deal: Deal, trick: Trick, losses: _Losses) -> list[str]:
    place = {"deal": deal.number, "trick": trick.number}
    if trick.leader is None or any(play.seat is None for play in trick.plays):
        losses.lose("deal {deal}, trick {trick}: that nobody knows whose cards these are", **place)
        return [_written_card(play.card, deal.number, losses) for play in trick.plays]
    cards = {play.seat: _written_card(play.card, deal.number, losses) for play in trick.plays}
    order = [seat for seat in seats_from(trick.leader, deal.sits_out) if seat is not None]
    if [play.seat for play in trick.plays] != [seat for seat in order if seat in cards]:
        losses.lose("deal {deal}, trick {trick}: the order in which the cards were played", **place)
    whole = [cards.get(seat, _UNKNOWN_CARD) for seat in order]
    while not trick.complete and whole and whole[-1] == _UNKNOWN_CARD:
        whole.pop()
    return whole
