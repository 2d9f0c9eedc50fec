"""What the games share in which each player scores alone: buck, two hands, call-ace.

A game lays its deal out of the facts (:func:`lay_out`), says how it scores as played, and has
its findings judged and the upheld revokes settled (:func:`ruled`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from engine.cards import Seat, left_of
from engine.deal import Deal, DealFacts, Particulars, Phase, Play, Upcard
from engine.facts import Called, Trump
from engine.findings import Trial, judge
from engine.games import Outcome
from engine.games.tricks import open_reviews, read_tricks
from engine.ruleset import Ruleset
from engine.rulings import ends_hand, thrown_in_by, too_many, upheld_revokes
from engine.turns import turn_of
from engine.wording import Sentence, worded

#: Points of each seat and the name of the result.
Settled: TypeAlias = tuple[tuple[int, ...], str]
THROWN_IN: Final = "thrown_in"


def lay_out(
    facts: DealFacts,
    *,
    seats: int,
    dealer: Seat | None,
    maker: Seat | None,
    trump: Trump | None,
    leads: Seat | None,
    particulars: Particulars,
    alone: tuple[Seat, ...] = (),
    sits_out: tuple[Seat, ...] = (),
    upcard: Upcard | None = None,
    exposed: tuple[Play, ...] = (),
) -> Deal:
    """The deal with its tricks and reviews, before anything is judged or scored.

    ``leads`` is the seat to lead to the first trick. A deal in which one seat at most is left
    in play is complete without a card.
    """
    tricks, thrown_in = read_tricks(
        facts,
        trump=trump,
        leads=leads,
        sits_out=sits_out,
        exposed=_versions(exposed),
        seats=seats,
    )
    played_out = len(tricks) == facts.ruleset.hand_size and (
        tricks[-1].complete or tricks[-1].closed
    )
    winners = tuple(trick.winner for trick in tricks if trick.complete or trick.closed)
    nobody_to_play = maker is not None and trump is not None and len(sits_out) >= seats - 1
    return Deal(
        number=facts.number,
        dealer=dealer,
        upcard=upcard,
        calls=tuple(r.fact for r in facts.facts if isinstance(r.fact, Called)),
        declared=facts.declared,
        declared_version=facts.declared_version,
        maker=maker,
        trump=trump,
        alone=alone,
        sits_out=sits_out,
        tricks=tricks,
        exposed=exposed,
        phase="bidding",
        complete=played_out or thrown_in is not None or nobody_to_play,
        thrown_in=thrown_in,
        confirmed=facts.confirmed,
        turn=turn_of(tricks, leads=leads, sits_out=sits_out, seats=seats),
        winners=winners,
        tricks_won=tuple(winners.count(seat) for seat in range(seats)),
        played_points=None,
        played_result=None,
        points=None,
        result=None,
        findings=(),
        reviews=open_reviews(facts, tricks=tricks, sits_out=sits_out, upcard=upcard),
        claims=(),
        seats=seats,
        particulars=particulars,
    )


def ruled(
    deal: Deal,
    facts: DealFacts,
    *,
    trial: Trial,
    played: Settled | None,
    settle: Callable[[Deal, Sequence[tuple[Seat, int]]], Settled | None],
    euchred: Callable[[Deal, Collection[Seat]], Settled | None],
) -> Deal:
    """The deal judged and counted.

    ``played`` is how it counts as played, None while that cannot be told. ``settle`` counts it
    with the upheld revokes, (seat, trick) of each, and is asked only where there are any;
    ``euchred`` counts it where those seats count as euchred, since too many cards in a hand
    were upheld.
    """
    nobody: Settled = ((0,) * deal.seats, THROWN_IN)
    if deal.thrown_in is not None:
        played = nobody
    if played is not None:
        deal = replace(deal, played_points=played[0], played_result=played[1])
    findings, claims = judge(deal, facts, trial)
    thrown_in = deal.thrown_in or thrown_in_by(findings)
    upheld = upheld_revokes(findings)
    offenders = too_many(findings, maker=deal.maker, ruleset=facts.ruleset)
    ended = bool(offenders) or (bool(upheld) and ends_hand(facts.ruleset))
    if thrown_in is not None:
        settled: Settled | None = nobody
    elif offenders:
        settled = euchred(deal, offenders)
    else:
        settled = settle(deal, upheld) if upheld else played
    complete = deal.complete or thrown_in is not None or ended
    phase: Phase = "bidding"
    if settled is not None:
        phase = "scored"
    elif deal.maker is not None and deal.trump is not None:
        phase = "play"
    elif deal.tricks:
        phase = "undeclared"
    return replace(
        deal,
        findings=findings,
        claims=claims,
        complete=complete,
        thrown_in=thrown_in,
        phase=phase,
        points=None if settled is None else settled[0],
        result=None if settled is None else settled[1],
        turn=None if complete else deal.turn,
    )


def is_played_out(deal: Deal) -> bool:
    """Whether the deal ended with its cards, and every trick has a winner."""
    return deal.complete and deal.thrown_in is None and None not in deal.winners


def dealer_of(facts: DealFacts) -> Seat | None:
    """Who deals, where no up-card tells it: named by a person, else by rotation."""
    return facts.expected_dealer if facts.named_dealer is None else facts.named_dealer


def next_dealer(deal: Deal, ruleset: Ruleset) -> Seat | None:
    """The deal passes to the left, but for a redeal and for ``same_dealer`` after a pass-out."""
    if deal.dealer is None:
        return None
    again = deal.thrown_in == "redeal" or (
        deal.thrown_in == "passed_out" and ruleset.pass_out == "same_dealer"
    )
    return deal.dealer if again else left_of(deal.dealer, deal.seats)


def highest_at_target(score: tuple[int, ...], deals_scored: int, ruleset: Ruleset) -> Outcome:
    """The highest at or past the target wins; level at the top, they play on.

    With a fixed number of deals the highest wins, and level at the top it is a draw.
    """
    best = max(score)
    winner = score.index(best) if score.count(best) == 1 else None
    if ruleset.deals is not None:
        over = deals_scored >= ruleset.deals
    else:
        over = best >= ruleset.target and winner is not None
    return Outcome(over=over, winner=winner if over else None)


def every_way(known: Sequence[int], unknown: int, seats: Sequence[Seat]) -> Iterator[list[int]]:
    """Each way the ``unknown`` tricks may have gone to ``seats``, added to the ``known`` ones."""
    if unknown == 0 or not seats:
        yield list(known)
        return
    first, *others = seats
    for taken in range(unknown + 1) if others else (unknown,):
        more = list(known)
        more[first] += taken
        yield from every_way(more, unknown - taken, others)


def same_every_way(
    deal: Deal, ruleset: Ruleset, score: Callable[[Sequence[int]], Settled]
) -> Settled | None:
    """How the deal counts where every way its unknown tricks may have gone gives the same."""
    unknown = ruleset.hand_size - sum(deal.tricks_won)
    ways = {score(way) for way in every_way(deal.tricks_won, unknown, deal.in_play())}
    if len({points for points, _ in ways}) != 1:
        return None
    return min(ways, key=lambda way: way[1])


def revoke_words(ruleset: Ruleset, *, pays: Sentence, gains: Sentence) -> list[Sentence]:
    """What a revoke costs, as sentences. ``pays``: what the points do to the offender."""
    match ruleset.revoke_mode:
        case "award" if ruleset.revoke_ends_hand:
            mode = worded(
                "A revoke {cost} in place of the deal's result and ends the hand.", cost=gains
            )
        case "award":
            mode = worded("A revoke {cost} in place of the deal's result.", cost=gains)
        case "deduct":
            mode = worded("A revoke {cost}; the deal is played out.", cost=pays)
        case _:
            mode = worded("A revoke gives its trick to the other side; the deal is played out.")
    judge = worded(
        "The table is asked before a revoke counts."
        if ruleset.revoke_judge == "ask"
        else "A proved revoke counts at once."
    )
    return [mode, judge]


def hand_words(ruleset: Ruleset, *, offender: Sentence, maker: Sentence) -> Sentence:
    """What too many cards in a hand cost; who ``offender`` and ``maker`` are."""
    who = maker if ruleset.six_cards == "makers" else offender
    return worded(
        "Too many cards in a hand, or no discard before the lead: {consequence}.", consequence=who
    )


def goal_words(ruleset: Ruleset, sentence: Sentence) -> Sentence:
    """The end of the game: after the agreed deals, else ``sentence``."""
    if ruleset.deals is not None:
        return worded("The game is {deals:deal|deals}; the best score wins.", deals=ruleset.deals)
    return sentence


def _versions(plays: Sequence[Play]) -> Collection[int]:
    return {play.version for play in plays}
