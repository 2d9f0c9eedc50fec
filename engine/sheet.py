"""A game on paper: one deal as a diagram, the whole as a score sheet, or as a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from engine.cards import (
    RANKS,
    SAME_COLOUR,
    SEAT_NAMES,
    SUITS,
    Card,
    Seat,
    Suit,
    rank_of,
    short,
    suit_of,
)
from engine.deal import Deal, Review, Trick
from engine.errors import EngineError
from engine.facts import Discarded, Recorded
from engine.follow import NO_TRUMP, effective_suit, trick_strength, trump_name
from engine.games import game_for
from engine.ruleset import pack_of
from engine.state import State, fold
from engine.wording import (
    counted,
    dashed,
    fact_text,
    result_words,
    review_text,
    seat_name,
    side_name,
    wins,
)


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


def deal_lines(records: Sequence[Recorded], *, deal: int | None = None) -> list[str]:
    """Deal number ``deal`` (None: the last) as a diagram for people who were not there.

    Who dealt, the up-card and who took it, trump and its bowers; the hands as far as cards
    were seen, by suit with trump first; every trick in the order of play, who led and who won;
    the result and the running score; open questions, findings and rulings in sentences.
    Raise :class:`UnknownDeal`, naming the deals there are.
    """
    state = fold(records)
    if not state.deals:
        raise UnknownDeal("the game has no deal yet")
    if deal is None:
        deal = len(state.deals)
    if not 1 <= deal <= len(state.deals):
        raise UnknownDeal(f"no deal {deal}: the game has deals 1 to {len(state.deals)}")
    return list(_diagram(state, state.deals[deal - 1]))


def game_lines(records: Sequence[Recorded]) -> list[str]:
    """The whole game as a score sheet, a deal a line. Raises nothing: no deal is a sheet too."""
    state = fold(records)
    names = state.names
    lines = [_heading(state), _players(names), ""]
    rows = [
        ["Deal", "Dealer", "Up-card", "Trump", "Made by", "Tricks", "Result", "Points", "Score"]
    ]
    for deal, score in zip(state.deals, state.scores, strict=True):
        upcard = "" if deal.upcard is None else short(deal.upcard.card)
        if deal.upcard is not None and deal.upcard.state != "shown":
            upcard += {"taken": " taken", "turned_down": " down"}[deal.upcard.state]
        maker = "" if deal.maker is None else _name(deal.maker, names)
        if deal.alone:
            maker += (
                ", alone" if deal.maker in deal.alone else f", {_name(deal.alone[0], names)} alone"
            )
        marks = "*" * bool([f for f in deal.findings if f.status != "dismissed"])
        rows.append(
            [
                f"{deal.number}{marks}{'?' * bool(deal.reviews)}",
                _name(deal.dealer, names),
                upcard,
                "" if deal.trump is None else trump_name(deal.trump),
                maker,
                dashed(deal.tricks_won),
                result_words(deal.result) if deal.result else "not known yet",
                "" if deal.points is None else dashed(deal.points),
                dashed(score),
            ]
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join(cells).rstrip())
    lines.append("")
    for adjustment in state.adjustments:
        lines.append(fact_text(adjustment, names))
    for finding in state.findings:
        lines.append(f"* Deal {finding.deal}, {finding.status}: {finding.text}")
    for review in state.reviews:
        lines.append(f"? Deal {review.deal}: {_question(review, names)}")
    if state.winner is not None:
        lines.append(f"{wins(state.winner, names)} the game, {dashed(state.score)}")
    else:
        stopped = f", stopped: {state.ended}" if state.ended is not None else ""
        lines.append(f"Score {dashed(state.score)} ({side_name(0, names)} first){stopped}")
    return lines


def _heading(state: State) -> str:
    begun = datetime.fromtimestamp(state.started_at_us / 1_000_000, tz=UTC)
    title = f', "{state.title}"' if state.title else ""
    rules = state.ruleset
    if rules.deals is not None:
        goal = f"{rules.deals} deals"
    elif game_for(rules).lowest_wins:
        goal = f"from {max(state.initial_score)} down"
    else:
        goal = f"to {rules.target}"
    when = f", begun {begun:%Y-%m-%d %H:%M} UTC" if state.started_at_us else ""
    return f"Game {state.game_id}{title}: rules {rules.preset}, {goal}{when}"


def _players(names: Sequence[str]) -> str:
    """Who sat where, where the names do not say so themselves."""
    if len(names) != len(SEAT_NAMES) or tuple(names) == SEAT_NAMES:
        return f"Players: {', '.join(names)}"
    return "; ".join(f"{seat} {name}" for seat, name in zip(SEAT_NAMES, names, strict=True))


def _diagram(state: State, deal: Deal) -> Iterable[str]:
    names = state.names
    facts, _ = state.readings[deal.number - 1]
    yield f"{_heading(state)}, deal {deal.number}"
    yield _players(names)
    yield ""
    yield f"Dealer: {_name(deal.dealer, names)}"
    if deal.upcard is not None:
        what = {
            "shown": "",
            "taken": f", taken by {'the dealer' if deal.dealer is None else names[deal.dealer]}",
            "turned_down": ", turned down",
        }
        yield f"Up-card: {short(deal.upcard.card)}{what[deal.upcard.state]}"
    for recorded in facts.facts:
        if isinstance(recorded.fact, Discarded):
            card = recorded.fact.card
            seen = "not seen" if card is None else short(card)
            yield f"Discard: {seen}, by {_name(recorded.fact.seat, names)}"
    if deal.calls:
        yield f"Calls: {'; '.join(fact_text(call, names) for call in deal.calls)}"
    if deal.trump is not None:
        alone = "".join(
            ", alone" if seat == deal.maker else f", {_name(seat, names)} alone"
            for seat in deal.alone
        )
        yield f"Trump: {trump_name(deal.trump)}, made by {_name(deal.maker, names)}{alone}"
        yield from _bowers(deal, names)
    elif deal.thrown_in is None:
        yield "Trump: not known"
    yield from game_for(state.ruleset).deal_words(deal, names)
    if deal.tricks:
        yield ""
        yield from _hands(state, deal)
        yield ""
        yield from _table(deal, names)
    yield ""
    yield from _outcome(state, deal)
    for review in deal.reviews:
        yield f"Open question: {_question(review, names)}"
    for finding in deal.findings:
        yield f"Finding ({finding.status}): {finding.text}"
        yield f"  Proposed: {finding.ruling}"
        ruling = facts.rulings.get(finding.id)
        if ruling is not None:
            yield f"  Ruled: {fact_text(ruling, names)}"


def _bowers(deal: Deal, names: Sequence[str]) -> Iterable[str]:
    """The two jacks of a trump suit, and from whose hand they came."""
    if deal.trump is None or deal.trump == NO_TRUMP:
        return
    seen = deal.seen()
    told = []
    for what, suit in (("right", deal.trump), ("left", SAME_COLOUR[Suit(deal.trump)])):
        card = Card("J" + suit)
        play = seen.get(card)
        told.append(f"{what} {short(card)} {_name(play.seat, names) if play else 'not seen'}")
    yield f"Bowers: {', '.join(told)}"


def _hands(state: State, deal: Deal) -> Iterable[str]:
    """The cards that came from each hand, by suit, and those that nobody saw."""
    names = state.names
    width = max(len("Not seen"), *(len(name) for name in names)) + 2
    yield "Hands, as far as played (trump first)"
    for seat in range(len(names)):
        plays = [p for t in deal.tricks for p in (*t.plays, *t.extra) if p.seat == seat]
        cards = list(dict.fromkeys(p.card for p in plays if p.card is not None))
        groups: dict[str, list[Card]] = {}
        for card in sorted(cards, key=lambda c: _in_hand(c, deal.trump)):
            suit = suit_of(card) if deal.trump is None else effective_suit(card, deal.trump)
            groups.setdefault(suit or "", []).append(card)
        shown = "   ".join(" ".join(short(card) for card in group) for group in groups.values())
        missing = state.ruleset.hand_size - len(cards)
        if seat in deal.sits_out and not cards:
            # Where nobody is alone, who plays no card has dropped (buck).
            shown = "sat out" if deal.alone else "dropped"
        elif missing > 0:
            shown += f"{'   ' if shown else ''}({counted(missing, 'card')} not seen)"
        yield f"  {names[seat].ljust(width)}{shown}"
    seen = set(deal.seen())
    up = None if deal.upcard is None else deal.upcard.card
    unseen = sorted(pack_of(state.ruleset) - seen - {up}, key=lambda c: _in_hand(c, deal.trump))
    if unseen:
        yield f"  {'Not seen'.ljust(width)}{' '.join(short(card) for card in unseen)}"


def _in_hand(card: Card, trump: str | None) -> tuple[int, int]:
    """Where a card stands in a hand: trump first, then suit by suit, the highest first."""
    suit = suit_of(card) if trump is None else effective_suit(card, trump)
    order = [trump, *(s for s in SUITS if s != trump)]
    place = order.index(suit) if suit in order else -1
    if trump is None:
        rank = -1 if suit is None else RANKS.index(rank_of(card))
        return place, -rank
    return place, -trick_strength(card, led=effective_suit(card, trump), trump=trump)


def _table(deal: Deal, names: Sequence[str]) -> Iterable[str]:
    """A row a trick and a column a seat; the number before a card is its place in the order."""
    rows = [["Trick", *names, "Won by"]]
    for trick in deal.tricks:
        order = {
            play.version: number
            for number, play in enumerate((*trick.plays, *trick.extra), start=1)
        }
        cells = [_cell(trick, seat, deal, order) for seat in range(len(names))]
        rows.append([str(trick.number), *cells, _name(trick.winner, names)])
        unknown = [play for play in (*trick.plays, *trick.extra) if play.seat is None]
        if unknown:
            rows[-1][-1] += f" (and {' '.join(short(p.card) for p in unknown)}, nobody knows whose)"
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join(cells).rstrip()
    yield "(1. led the trick; [ ] won it; * a finding speaks of this card)"


def _cell(trick: Trick, seat: Seat, deal: Deal, order: Mapping[int, int]) -> str:
    plays = [play for play in (*trick.plays, *trick.extra) if play.seat == seat]
    if seat in deal.sits_out and not plays:
        return "–"
    spoken_of = {version for finding in deal.findings for version in finding.versions}
    cells = []
    for play in plays:
        won = trick.winner == seat and play in trick.plays
        card = f"[{short(play.card)}]" if won else short(play.card)
        cells.append(f"{order[play.version]}.{card}{'*' * (play.version in spoken_of)}")
    return " ".join(cells)


def _outcome(state: State, deal: Deal) -> Iterable[str]:
    names = state.names
    first = f"({side_name(0, names)} first)"
    before = state.initial_score if deal.number == 1 else state.scores[deal.number - 2]
    if deal.thrown_in is not None:
        yield f"Thrown in ({result_words(deal.thrown_in)}): nobody scores"
    elif deal.points is None:
        yield f"Tricks {dashed(deal.tricks_won)} {first}, points not known yet"
    else:
        result = result_words(deal.result or "")
        yield f"Tricks {dashed(deal.tricks_won)}, {result}: points {dashed(deal.points)} {first}"
    if deal.points is not None and deal.points != deal.played_points and deal.played_points:
        yield f"As played it was {dashed(deal.played_points)}; a ruling changed it"
    yield f"Score before {dashed(before)}, after {dashed(state.scores[deal.number - 1])}"


def _question(review: Review, names: Sequence[str]) -> str:
    return review_text(
        subject=review.subject,
        seat=review.seat,
        candidates=review.candidates,
        reason=review.reason,
        trick=review.trick,
        names=names,
    )


def _name(seat: Seat | None, names: Sequence[str]) -> str:
    return "not known" if seat is None else seat_name(seat, names)
