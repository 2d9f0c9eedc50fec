"""The kit's sentences: plain English for cards, findings, rulings, reviews and questions.

Every text a person reads about a game is made here, from the names the players gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.cards import SEAT_NAMES, Card, Seat, Side, card_name
from engine.facts import (
    AceCalled,
    Amended,
    Called,
    CardLifted,
    CardPassed,
    CardPlayed,
    CardTakenBack,
    Claimed,
    Corrected,
    DealConfirmed,
    DealerNamed,
    DealThrownIn,
    Declared,
    Discarded,
    Dropped,
    Fact,
    FindingRuled,
    GameEnded,
    GameStarted,
    HandShown,
    Inserted,
    Moved,
    PackShuffled,
    ReviewAnswered,
    ReviewRaised,
    ScoreAdjusted,
    Stayed,
    TableCardShown,
    TrickCleared,
    TricksBid,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
    Votes,
    WidowSwapped,
)
from engine.follow import trump_name

Names = Sequence[str]

_THROWN_IN = {
    "passed_out": "Everybody passed: the deal was thrown in",
    "misdeal": "The deal was a misdeal and was thrown in",
    "redeal": "The deal is dealt again",
    "abandoned": "The deal was abandoned: nobody scores",
}
_RESULTS = {
    "made": "made",
    "march": "a march",
    "made_alone": "made alone",
    "march_alone": "a march alone",
    "euchre": "a euchre",
    "lone_euchre": "a lone hand euchred",
    "super_euchre": "a super-euchre",
    "lone_defender_euchre": "a lone defender's euchre",
    "thrown_in": "thrown in",
    "revoke": "a revoke",
    "both_revoked": "both sides revoked",
    "six_cards": "too many cards in a hand",
    "bid_made": "the bid was made",
    "set": "the bidder was set",
}


def seat_name(seat: Seat | None, names: Names = SEAT_NAMES) -> str:
    if seat is None:
        return "Somebody"
    # A log may hold a fact of a seat that its game has not.
    return names[seat] if seat < len(names) else f"Seat {seat}"


def side_name(side: Side, names: Names = SEAT_NAMES) -> str:
    """The side's players: two partners where four play, else a player alone."""
    if len(names) == 4 and side < 2:
        return f"{names[side]} and {names[side + 2]}"
    return seat_name(side, names)


def wins(side: Side, names: Names = SEAT_NAMES) -> str:
    """``North and South win``, ``North wins``."""
    return f"{side_name(side, names)} {'win' if len(names) == 4 else 'wins'}"


def the(card: Card) -> str:
    """``the king of hearts``."""
    return f"the {card_name(card)}"


def listed(words: Sequence[str], joiner: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joiner} {words[-1]}"


def counted(number: int, noun: str) -> str:
    """``1 point``, ``2 points``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def dashed(numbers: Sequence[int]) -> str:
    """A score as it is written: ``11–1``, ``12–15–9``; ``−3, 5, 0`` where one is below zero."""
    below_zero = any(number < 0 for number in numbers)
    return (", " if below_zero else "–").join(str(number).replace("-", "−") for number in numbers)


def points_words(points: Sequence[int], names: Names = SEAT_NAMES) -> str:
    """Who gains and who loses what: ``2 points to North and South``; ``no points``.

    Where scores count down, what comes off is said so: ``3 points off Ann``.
    """
    changes = [
        f"{counted(abs(number), 'point')} {'to' if number > 0 else 'off'} {side_name(side, names)}"
        for side, number in enumerate(points)
        if number
    ]
    return listed(changes) or "no points"


def result_words(result: str) -> str:
    return _RESULTS.get(result, result.replace("_", " "))


def revoke_text(
    *,
    seat: Seat,
    suit: str,
    trick: int,
    card: Card,
    proof: Card,
    proven_at_trick: int,
    how: str = "played",
    names: Names,
    doubt: str | None,
) -> str:
    match how:
        case "kept":
            proved = f"and held {the(proof)}, the up-card it took"
        case "open":
            proved = f"while {the(proof)} lay open before it"
        case "shown":
            proved = f"and showed {the(proof)}, which it held"
        case "taken_back":
            proved = f"and held {the(proof)}, which it had taken back"
        case _ if proven_at_trick == trick:
            proved = f"and laid {the(proof)} in its place, too late"
        case _:
            proved = f"and {the(proof)} came from the same hand in trick {proven_at_trick}"
    text = (
        f"{seat_name(seat, names)} did not follow {suit} in trick {trick}: "
        f"played {the(card)}, {proved}."
    )
    return f"{text} {doubt}" if doubt else text


_OFFENCES = {
    "six_cards": "held too many cards at the first lead",
    "no_discard": "had not discarded at the first lead",
    "too_few_cards": "was dealt too few cards",
}


def claim_text(
    *, seat: Seat, offence: str, by: Seat | None, trick: int | None, names: Names = SEAT_NAMES
) -> str:
    """``North claims that East revoked in trick 1``."""
    where = "" if trick is None else f" in trick {trick}"
    did = _OFFENCES.get(offence, f"revoked{where}")
    return f"{seat_name(by, names)} claims that {seat_name(seat, names)} {did}"


def trump_doubt(trump: Trump, alternatives: Sequence[Trump]) -> str:
    """The question to ask before anybody is accused."""
    question = f"Is trump really {trump_name(trump)}?"
    if not alternatives:
        return question
    others = listed([trump_name(t) for t in alternatives], "or")
    return f"{question} With {others} every card would be in order."


def review_text(
    *,
    subject: str,
    seat: Seat | None,
    candidates: Votes,
    reason: str,
    trick: int | None,
    names: Names = SEAT_NAMES,
) -> str:
    """The question a review asks."""
    best = the(candidates[0][0]) if candidates else None
    if subject == "upcard":
        if reason == "foreign" and best:
            return f"The up-card looks like {best}, which is not in the pack. What is it?"
        return f"The up-card may be {best}. What is it?" if best else "What is the up-card?"
    who = seat_name(seat, names)
    if subject == "table":
        looks = f" looks like {best}" if best else " could not be read"
        return f"A card that lies open before {who}{looks}. Which card is it?"
    where = "" if trick is None else f" in trick {trick}"
    match reason:
        case "missed":
            return f"{who}'s card{where} was not seen. Which card was it?"
        case "seat":
            return f"Who played {best or 'this card'}{where}?"
        case "duplicate" if best:
            return f"{who}'s card{where} looks like {best}, already seen in this deal. What is it?"
        case "foreign" if best:
            return f"{who}'s card{where} looks like {best}, which is not in the pack. What is it?"
        case "changed" if best:
            return f"{who}'s card{where} looks like {best} now. Which card is it?"
    if best:
        return f"{who}'s card{where} may be {best}. Which card is it?"
    return f"{who}'s card{where} could not be read. Which card is it?"


def fact_text(fact: Fact, names: Names = SEAT_NAMES) -> str:
    """What happened, as one line of the game's history."""
    match fact:
        case CardPlayed():
            return f"{seat_name(fact.seat, names)} played {the(fact.card)}"
        case TrickCleared():
            return "The trick was gathered"
        case UpcardShown():
            turned = f"{the(fact.card)} was turned up"
            if fact.dealer is None:
                return turned[0].upper() + turned[1:]
            return f"{seat_name(fact.dealer, names)} dealt; {turned}"
        case UpcardTaken():
            return "The dealer took the up-card"
        case UpcardTurnedDown():
            return "The up-card was turned down"
        case Declared():
            words = f"{seat_name(fact.maker, names)} made {trump_name(fact.trump)}"
            if fact.deal is not None:
                words = f"Deal {fact.deal}: {words}"
            alone = [s for s in (fact.alone, fact.defender_alone) if s is not None]
            if alone:
                who = listed([seat_name(s, names) for s in alone])
                words += f"; {who} {'plays' if len(alone) == 1 else 'play'} alone"
            if fact.bid is not None:
                words += f"; bid {counted(fact.bid, 'trick')}"
            if fact.dropped:
                words += f"; {listed([seat_name(s, names) for s in fact.dropped])} dropped"
            if fact.ace is not None:
                words += f"; called {the(fact.ace)}"
            return words
        case TricksBid():
            return f"{seat_name(fact.seat, names)} bid {counted(fact.tricks, 'trick')}"
        case WidowSwapped():
            return f"{seat_name(fact.seat, names)} took the widow"
        case Stayed():
            return f"{seat_name(fact.seat, names)} stayed"
        case Dropped():
            return f"{seat_name(fact.seat, names)} dropped"
        case AceCalled():
            return f"{the(fact.card)[0].upper()}{the(fact.card)[1:]} was called"
        case TableCardShown():
            return f"{the(fact.card)[0].upper()}{the(fact.card)[1:]} lies open before " + (
                seat_name(fact.seat, names)
            )
        case Called():
            words = {
                "pass": "passed",
                "order_up": "ordered up",
                "pick_up": "picked up",
                "name": f"named {trump_name(fact.suit)}" if fact.suit else "named trump",
            }[fact.call]
            alone_words = ", alone" if fact.alone else ""
            return f"{seat_name(fact.seat, names)} {words}{alone_words}"
        case Discarded():
            return f"{seat_name(fact.seat, names)} discarded"
        case CardLifted():
            return "A card was lifted off the table"
        case CardTakenBack():
            return f"The card of entry {fact.target} was taken back"
        case HandShown():
            held = listed([the(card) for card in fact.cards])
            of = "" if fact.deal is None else f"Deal {fact.deal}: "
            return f"{of}{seat_name(fact.seat, names)} showed {held}"
        case CardPassed():
            refused = "" if fact.kept else "; it was laid away unseen"
            return f"{seat_name(fact.seat, names)} passed a card to the lone hand{refused}"
        case Claimed():
            return claim_text(
                seat=fact.seat, offence=fact.offence, by=fact.by, trick=fact.trick, names=names
            )
        case GameStarted():
            return "The game began"
        case DealerNamed():
            return f"{seat_name(fact.dealer, names)} deals"
        case DealThrownIn():
            return _THROWN_IN.get(fact.reason, f"The deal was thrown in: {fact.reason}")
        case DealConfirmed():
            return f"The points of deal {fact.deal} were marked"
        case ReviewRaised():
            return review_text(
                subject=fact.subject,
                seat=fact.seat,
                candidates=fact.candidates,
                reason=fact.reason,
                trick=None,
                names=names,
            )
        case ReviewAnswered():
            what = "not a card" if fact.card is None else card_name(fact.card)
            return f"Question {fact.review} was answered: {what}"
        case Corrected():
            why = f" ({fact.reason})" if fact.reason else ""
            if fact.replacement is None:
                return f"Entry {fact.target} was taken back{why}"
            return f"Entry {fact.target} was corrected: {fact_text(fact.replacement, names)}{why}"
        case Inserted():
            why = f" ({fact.reason})" if fact.reason else ""
            words = fact_text(fact.fact, names)
            return f"Put in before entry {fact.before}: {words}{why}"
        case Moved():
            why = f" ({fact.reason})" if fact.reason else ""
            return f"Entry {fact.target} was moved before entry {fact.before}{why}"
        case Amended():
            why = f" ({fact.reason})" if fact.reason else ""
            gone = [c for c in fact.changes if isinstance(c, Corrected) and c.replacement is None]
            told = [fact_text(replace(c, reason=""), names) for c in fact.changes if c not in gone]
            if gone:
                words = "entry" if len(gone) == 1 else "entries"
                numbers = listed([str(change.target) for change in gone])
                told.insert(0, f"Taken back: {words} {numbers}")
            return f"{'; '.join(told)}{why}"
        case FindingRuled():
            verb = "upheld" if fact.ruling == "uphold" else "dismissed"
            why = f" ({fact.reason})" if fact.reason else ""
            return f"The finding {fact.finding} was {verb}{why}"
        case ScoreAdjusted():
            changes = listed(
                [f"{p:+d} to {side_name(side, names)}" for side, p in enumerate(fact.points) if p]
            )
            return f"The score was adjusted: {changes or 'nothing'} ({fact.reason})"
        case PackShuffled():
            how = "by the machine" if fact.machine else "by hand"
            return (
                f"{seat_name(fact.seat, names)} shuffled: {fact.passes} "
                f"{'pass' if fact.passes == 1 else 'passes'} {how}"
            )
        case GameEnded():
            return f"The game was ended: {fact.reason}"
