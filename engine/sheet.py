"""A game on paper: one deal as a diagram, a game as a line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from engine.cards import RANK_NAMES, SUITS, Card, Seat, rank_of, suit_of
from engine.deal import Deal, Trick
from engine.errors import EngineError
from engine.facts import Recorded
from engine.follow import trump_name
from engine.games import game_for
from engine.state import State, fold
from engine.wording import dashed, side_name

_SYMBOLS = dict(zip(SUITS, "♣♦♥♠", strict=True))


class UnknownDeal(EngineError, LookupError):
    """The game has no deal of that number."""


def summary(records: Sequence[Recorded]) -> dict[str, Any]:
    """One game as a list of games shows it, in plain JSON values."""
    state = fold(records)
    begun = datetime.fromtimestamp(state.started_at_us / 1_000_000, tz=UTC)
    return {
        "game": state.game_id,
        "title": state.title,
        "started": f"{begun:%Y-%m-%dT%H:%M:%SZ}",
        "started_at_us": state.started_at_us,
        "preset": state.ruleset.preset,
        "names": list(state.names),
        "deals": sum(deal.phase == "scored" for deal in state.deals),
        "score": list(state.score),
        "over": state.over,
        "winner": state.winner,
        "reviews": len(state.reviews),
        "findings": len(state.findings),
    }


def short(card: Card | None) -> str:
    """A card as players write it, ``10♥``; ``?`` where it is not known."""
    if card is None:
        return "?"
    suit = suit_of(card)
    if suit is None:
        return "Joker" if card == "B" else "joker"
    rank = rank_of(card)
    return f"{RANK_NAMES[rank] if rank in '23456789T' else rank}{_SYMBOLS[suit]}"


def deal_lines(records: Sequence[Recorded], *, deal: int | None = None) -> list[str]:
    """Deal number ``deal`` (None: the last) as a diagram, a row a trick and a column a seat.

    Raise :class:`UnknownDeal`, naming the deals there are.
    """
    state = fold(records)
    if not state.deals:
        raise UnknownDeal("the game has no deal yet")
    if deal is None:
        deal = len(state.deals)
    if not 1 <= deal <= len(state.deals):
        raise UnknownDeal(f"no deal {deal}: the game has deals 1 to {len(state.deals)}")
    return list(_diagram(state, state.deals[deal - 1], state.scores[deal - 1]))


def _diagram(state: State, deal: Deal, score: Sequence[int]) -> Iterable[str]:
    names = state.names
    yield f"Game {state.game_id}, deal {deal.number}, rules {state.ruleset.preset}"
    yield f"Dealer: {_name(deal.dealer, names)}"
    if deal.upcard is not None:
        what = {"shown": "", "taken": ", taken by the dealer", "turned_down": ", turned down"}
        yield f"Up-card: {short(deal.upcard.card)}{what[deal.upcard.state]}"
    if deal.trump is not None:
        alone = "".join(f", {names[seat]} alone" for seat in deal.alone)
        yield f"Trump: {trump_name(deal.trump)}, made by {_name(deal.maker, names)}{alone}"
    elif deal.thrown_in is None:
        yield "Trump: not known"
    yield from game_for(state.ruleset).deal_words(deal, names)
    if deal.tricks:
        yield ""
        width = max(7, *(len(name) for name in names)) + 2
        yield "Trick  " + "".join(name.ljust(width) for name in names) + "Winner"
        for trick in deal.tricks:
            cells = "".join(_cell(trick, seat, deal).ljust(width) for seat in range(len(names)))
            yield f"{trick.number:<7}{cells}{_name(trick.winner, names)}".rstrip()
        yield "(> led the trick; * a finding speaks of this card)"
    yield ""
    if deal.thrown_in is not None:
        yield "Thrown in: nobody scores"
    elif deal.points is None:
        yield f"Tricks {dashed(deal.tricks_won)}, points not known yet"
    else:
        yield (
            f"Tricks {dashed(deal.tricks_won)}, points {dashed(deal.points)}, "
            f"score {dashed(score)} ({side_name(0, names)} first)"
        )
    for review in deal.reviews:
        yield f"Open question: {_name(review.seat, names)}, {review.reason}"
    for finding in deal.findings:
        yield f"Finding ({finding.status}): {finding.text}"
        if finding.ruling:
            yield f"  Proposed: {finding.ruling}"


def _cell(trick: Trick, seat: Seat, deal: Deal) -> str:
    if seat in deal.sits_out and not any(p.seat == seat for p in (*trick.plays, *trick.extra)):
        return "–"
    spoken_of = {version for finding in deal.findings for version in finding.versions}
    return " ".join(
        (">" if trick.plays and play is trick.plays[0] else "")
        + short(play.card)
        + ("*" if play.version in spoken_of else "")
        for play in (*trick.plays, *trick.extra)
        if play.seat == seat
    )


def _name(seat: Seat | None, names: Sequence[str]) -> str:
    return "not known" if seat is None else names[seat]
