"""The four-handed partnership game: a deal read out of its facts.

Trump, maker and lone hands come from the newest declaration, else from the calls, else from
what happened to the up-card. A declaration may come late, so the whole deal is read with what
is known now; nothing is carried over from an earlier reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.bidding import joker_rule, turned_up_suit
from engine.breaches import about_bidding
from engine.cards import Seat, left_of, side_of
from engine.deal import Deal, DealFacts, Phase, Play, Upcard, UpcardState
from engine.facts import (
    Called,
    CardPlayed,
    DealKept,
    DealThrownIn,
    Declared,
    Recorded,
    ReviewRaised,
    Trump,
    UpcardShown,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.findings import Trial, judge
from engine.follow import NO_TRUMP
from engine.games import Game, Outcome
from engine.games.tricks import open_reviews, play_of, read_tricks
from engine.ruleset import Ruleset
from engine.rulings import (
    ends_hand,
    hand_proposal,
    revoke_proposal,
    settle_hands,
    settle_revokes,
    thrown_in_by,
    upheld_revokes,
)
from engine.scoring import NOBODY, Result, score_deal
from engine.turns import first_leader, sitting_out, turn_of

#: Reasons after which the same dealer deals again.
_SAME_DEALER_REASONS: Final = ("redeal",)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bid:
    """Who made which trump, as far as known."""

    maker: Seat | None = None
    trump: Trump | None = None
    alone: tuple[Seat, ...] = ()
    upcard_state: UpcardState | None = None


def read_deal(facts: DealFacts) -> Deal:
    """The deal that ``facts`` tell of."""
    upcard, exposed = read_upcard(facts.facts)
    calls = tuple(r.fact for r in facts.facts if isinstance(r.fact, Called))
    bid = _bid(facts, upcard, calls)
    if upcard is not None and bid.upcard_state not in (None, upcard.state):
        upcard = replace(upcard, state=bid.upcard_state)
    sits_out = sitting_out(bid.alone)
    dealer = dealer_of(facts)
    exposed_versions = {play.version for play in exposed}
    leads: Seat | None = None
    if bid.maker is not None:
        leads = first_leader(
            dealer=dealer, maker=bid.maker, alone=bid.alone, lone_lead=facts.ruleset.lone_lead
        )
    tricks, thrown_in = read_tricks(
        facts,
        trump=bid.trump,
        leads=leads,
        sits_out=sits_out,
        exposed=exposed_versions,
    )
    reviews = open_reviews(facts, tricks=tricks, sits_out=sits_out, upcard=upcard)
    hand_size = facts.ruleset.hand_size
    played_out = len(tricks) == hand_size and (tricks[-1].complete or tricks[-1].closed)
    ended = [trick for trick in tricks if trick.complete or trick.closed]
    winners = tuple(trick.winner for trick in ended)
    tricks_won = (
        sum(w is not None and side_of(w) == 0 for w in winners),
        sum(w is not None and side_of(w) == 1 for w in winners),
    )
    played = _played_result(
        facts.ruleset, bid, winners, tricks_won, played_out=played_out, thrown_in=thrown_in
    )
    deal = Deal(
        number=facts.number,
        dealer=dealer,
        upcard=upcard,
        calls=calls,
        declared=facts.declared,
        declared_version=facts.declared_version,
        maker=bid.maker,
        trump=bid.trump,
        alone=bid.alone,
        sits_out=sits_out,
        tricks=tricks,
        exposed=exposed,
        phase="bidding",
        complete=played_out or thrown_in is not None,
        thrown_in=thrown_in,
        confirmed=facts.confirmed,
        turn=turn_of(tricks, leads=leads, sits_out=sits_out),
        winners=winners,
        tricks_won=tricks_won,
        played_points=None if played is None else played.as_points(),
        played_result=None if played is None else played.case,
        points=None,
        result=None,
        findings=(),
        reviews=reviews,
        claims=(),
        passes_cards=facts.ruleset.lone_exchange != "none",
    )
    kept = next((r.fact for r in facts.facts if isinstance(r.fact, DealKept)), None)
    if kept is not None:
        return _counted_by_hand(deal, kept, facts.ruleset)
    breaches = about_bidding(deal, facts)
    if breaches:
        deal = replace(deal, findings=breaches)
    findings, claims = judge(deal, facts, _trial(deal, facts, leads))
    thrown_in = deal.thrown_in or thrown_in_by(findings)
    if thrown_in is not None:
        settled: tuple[tuple[int, int], str] | None = (NOBODY.as_points(), NOBODY.case)
        complete = True
    else:
        upheld = upheld_revokes(findings)
        hands = settle_hands(findings, maker=bid.maker, ruleset=facts.ruleset)
        settled = hands or settle_revokes(
            played=played,
            upheld=upheld,
            winners=winners,
            maker=bid.maker,
            alone=bid.alone,
            ruleset=facts.ruleset,
        )
        ended_by_ruling = bool(upheld) and ends_hand(facts.ruleset)
        complete = deal.complete or ended_by_ruling or hands is not None
    return replace(
        deal,
        findings=findings,
        claims=claims,
        complete=complete,
        thrown_in=thrown_in,
        points=None if settled is None else settled[0],
        result=None if settled is None else settled[1],
        phase=_phase(deal, scored=settled is not None),
        turn=None if complete else deal.turn,
    )


def _counted_by_hand(deal: Deal, kept: DealKept, ruleset: Ruleset) -> Deal:
    """The deal as somebody counted it, whatever was seen of it; they marked it themselves."""
    result = score_deal(
        makers=kept.makers,
        makers_tricks=kept.tricks,
        maker_alone=kept.alone,
        defender_alone=kept.defended,
        ruleset=ruleset,
    )
    others = ruleset.hand_size - kept.tricks
    return replace(
        deal,
        kept=kept,
        complete=True,
        confirmed=True,
        phase="scored",
        turn=None,
        reviews=(),
        tricks_won=(kept.tricks, others) if kept.makers == 0 else (others, kept.tricks),
        played_points=result.as_points(),
        played_result=result.case,
        points=result.as_points(),
        result=result.case,
    )


def next_dealer(deal: Deal, ruleset: Ruleset) -> Seat | None:
    """The deal passes to the left, but for a redeal and for ``same_dealer`` after a pass-out."""
    if deal.dealer is None:
        return None
    again = deal.thrown_in in _SAME_DEALER_REASONS or (
        deal.thrown_in == "passed_out" and ruleset.pass_out == "same_dealer"
    )
    return deal.dealer if again else left_of(deal.dealer)


def outcome(score: tuple[int, ...], deals_scored: int, ruleset: Ruleset) -> Outcome:
    """At a deal's end: the side at or past the target, or ahead after the agreed deals."""
    ahead = None if score[0] == score[1] else (0 if score[0] > score[1] else 1)
    if ruleset.deals is not None:
        over = deals_scored >= ruleset.deals
        return Outcome(over=over, winner=ahead if over else None)
    # Both past the target happens only through an adjustment; the higher side then wins.
    over = max(score) >= ruleset.target and ahead is not None
    return Outcome(over=over, winner=ahead if over else None)


def initial_score(ruleset: Ruleset) -> tuple[int, ...]:
    return (0, 0)


def fewest_plays(facts: Sequence[Recorded], declared: Declared | None, ruleset: Ruleset) -> int:
    """Cards of every seat that does not sit out."""
    if declared is not None:
        alone = (declared.alone is not None) + (declared.defender_alone is not None)
    else:
        alone = sum(isinstance(r.fact, Called) and r.fact.alone for r in facts)
    return ruleset.hand_size * (4 - alone)


def points_anyway(deal: Deal, ruleset: Ruleset) -> tuple[tuple[int, ...], str] | None:
    """Points and result where every way the unknown tricks may have gone gives the same."""
    if deal.maker is None or deal.trump is None:
        return None
    makers = side_of(deal.maker)
    known = deal.tricks_won[makers]
    unknown = ruleset.hand_size - sum(deal.tricks_won)
    ways = {
        score_deal(
            makers=makers,
            makers_tricks=known + more,
            maker_alone=any(side_of(seat) == makers for seat in deal.alone),
            defender_alone=any(side_of(seat) != makers for seat in deal.alone),
            ruleset=ruleset,
        )
        for more in range(unknown + 1)
    }
    if len({way.as_points() for way in ways}) > 1:
        return None
    way = min(ways, key=lambda result: result.case)
    return way.as_points(), way.case


GAME: Final = Game(
    name="partnership",
    seats=4,
    sides=2,
    initial_score=initial_score,
    fewest_plays=fewest_plays,
    points_anyway=points_anyway,
    read_deal=read_deal,
    next_dealer=next_dealer,
    outcome=outcome,
)


def read_upcard(facts: Sequence[Recorded]) -> tuple[Upcard | None, tuple[Play, ...]]:
    """The up-card, and cards shown before it, which were no plays.

    A tapped up-card (no track) may come late and leaves the plays before it as they are.
    """
    upcard: Upcard | None = None
    before: list[Play] = []
    exposed: tuple[Play, ...] = ()
    for recorded in facts:
        match recorded.fact:
            case UpcardShown() as fact:
                if upcard is None and fact.track is not None:
                    exposed = tuple(before)
                upcard = Upcard(
                    card=fact.card,
                    state="shown",
                    version=recorded.version,
                    at_us=recorded.at_us,
                    confidence=fact.confidence,
                    track=fact.track,
                    evidence=fact.evidence,
                )
            case ReviewRaised(subject="upcard") as fact:
                if fact.reason == "changed" and upcard is not None:
                    upcard = replace(upcard, card=None, review=recorded.version)
                else:  # a second card turned up begins the next deal
                    upcard = Upcard(
                        card=None,
                        state="shown",
                        version=recorded.version,
                        at_us=recorded.at_us,
                        confidence=0.0,
                        track=fact.track,
                        evidence=fact.evidence,
                        review=recorded.version,
                    )
            case UpcardTaken() if upcard is not None:
                upcard = replace(upcard, state="taken", settled_by=recorded.version)
            case UpcardTurnedDown() if upcard is not None:
                upcard = replace(upcard, state="turned_down", settled_by=recorded.version)
            case CardPlayed() as fact if upcard is None:
                before.append(play_of(recorded, fact))
    return upcard, exposed


def _bid(facts: DealFacts, upcard: Upcard | None, calls: Sequence[Called]) -> _Bid:
    card = None if upcard is None else upcard.card
    suit = turned_up_suit(card, facts.ruleset)
    declared = facts.declared
    seen_taken = upcard is not None and upcard.state == "taken"
    # The dealer takes a joker turned up whatever is named, before looking.
    blind = joker_rule(card, facts.ruleset) == "dealer_names_blind"
    # No trump in the first round says nothing of the up-card: what was seen of it does.
    either = facts.ruleset.no_trump == "both" and seen_taken
    if declared is not None:
        alone = tuple(s for s in (declared.alone, declared.defender_alone) if s is not None)
        state: UpcardState | None = None
        if blind or (declared.trump == NO_TRUMP and either):
            state = "taken"
        elif suit is not None:
            state = "taken" if declared.trump == suit else "turned_down"
        return _Bid(maker=declared.maker, trump=declared.trump, alone=alone, upcard_state=state)
    for call in calls:
        if call.call == "pass":
            continue
        alone = (call.seat,) if call.alone else ()
        if call.call == "name":
            taken = blind or (call.suit == NO_TRUMP and either)
            return _Bid(
                maker=call.seat,
                trump=call.suit,
                alone=alone,
                upcard_state="taken" if taken else "turned_down",
            )
        return _Bid(maker=call.seat, trump=suit, alone=alone, upcard_state="taken")
    if any(isinstance(r.fact, DealThrownIn) and r.fact.reason == "passed_out" for r in facts.facts):
        # Swept up with the rest: nobody took it after all.
        return _Bid(upcard_state="turned_down")
    if blind:
        return _Bid(maker=dealer_of(facts))
    if seen_taken:
        return _Bid(trump=suit)
    if sum(call.call == "pass" for call in calls) >= 4:
        return _Bid(upcard_state="turned_down")
    return _Bid()


def dealer_of(facts: DealFacts) -> Seat | None:
    """Who deals: named by a person, else who laid the up-card, else by rotation."""
    if facts.named_dealer is not None:
        return facts.named_dealer
    for recorded in facts.facts:
        if isinstance(recorded.fact, UpcardShown) and recorded.fact.dealer is not None:
            return recorded.fact.dealer
    return facts.expected_dealer


def _played_result(
    ruleset: Ruleset,
    bid: _Bid,
    winners: Sequence[Seat | None],
    tricks_won: tuple[int, int],
    *,
    played_out: bool,
    thrown_in: str | None,
) -> Result | None:
    if thrown_in is not None:
        return NOBODY
    if not played_out or bid.maker is None or None in winners:
        return None
    makers = side_of(bid.maker)
    return score_deal(
        makers=makers,
        makers_tricks=tricks_won[makers],
        maker_alone=any(side_of(seat) == makers for seat in bid.alone),
        defender_alone=any(side_of(seat) != makers for seat in bid.alone),
        ruleset=ruleset,
    )


def _phase(deal: Deal, *, scored: bool) -> Phase:
    if scored:
        return "scored"
    if deal.maker is not None and deal.trump is not None:
        return "play"
    return "undeclared" if deal.tricks else "bidding"


def _trial(deal: Deal, facts: DealFacts, leads: Seat | None) -> Trial:
    """What the judge is told of partners: who leads, and what an offence costs a side."""
    return Trial(
        leads=leads,
        revoke_ruling=lambda seat, trick: revoke_proposal(
            seat=seat, trick=trick, ruleset=facts.ruleset, anyone_alone=bool(deal.alone)
        ),
        hand_ruling=lambda seat: hand_proposal(seat=seat, maker=deal.maker, ruleset=facts.ruleset),
    )
