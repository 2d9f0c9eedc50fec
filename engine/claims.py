"""What becomes of a player's claim of a revoke, and of claims that play left open.

Source: RULES.md, "Revokes" 3 and 4. A claim is *proved* by the cards, *cleared* by them,
*rejected* where the accused held nothing of the suit but the left bower (the claim is itself the
error, and costs nothing), *open* while cards are to come, and *unresolved* where play stopped
before they came: then the hand is to be laid face up. A ruling of the table stands above all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.cards import Card, Seat
from engine.deal import Claim, Deal, DealFacts, Finding, FindingStatus, Play
from engine.facts import Claimed, HandShown
from engine.follow import effective_suit, natural_suit, trump_name
from engine.proofs import Revoke
from engine.rulings import finding_of, revoke_proposal
from engine.wording import claim_text, seat_name, the

_STATUS: dict[str, FindingStatus] = {
    "proved": "upheld",
    "cleared": "dismissed",
    "rejected": "dismissed",
    "open": "open",
    "unresolved": "open",
}


def claims_made(
    deal: Deal,
    facts: DealFacts,
    *,
    revokes: Sequence[Revoke] | None,
    claims: Sequence[Claim],
    stopped: bool,
) -> tuple[Finding, ...]:
    """A finding for each claim of a revoke, in order.

    ``revokes`` None: nothing can be judged now (no trump, a card seen twice, trump in doubt).
    ``stopped``: nothing more will be played.
    """
    found: dict[str, Finding] = {}
    for recorded in facts.facts:
        fact = recorded.fact
        if not isinstance(fact, Claimed) or fact.offence != "revoke":
            continue
        if revokes is None:
            verdict, why = "open", "nothing can be judged yet."
        else:
            verdict, why = _verdict(deal, facts, fact, revokes, claims, stopped=stopped)
        said = claim_text(
            seat=fact.seat, offence="revoke", by=fact.by, trick=fact.trick, names=facts.names
        )
        made = finding_of(
            deal,
            facts,
            "revoke_claim",
            seat=fact.seat,
            trick=fact.trick,
            text=f"{said}: {why}",
            versions=(recorded.version,),
            ruling=_ruling(deal, facts, fact, verdict),
            verdict=verdict,
            usual=_STATUS[verdict],
        )
        found.setdefault(made.id, made)
    return tuple(found.values())


def unresolved(
    deal: Deal, facts: DealFacts, claims: Sequence[Claim], *, claimed: Sequence[Finding]
) -> tuple[Finding, ...]:
    """A question for each claim that play left open, but for those a player has made."""
    made = {(f.seat, f.trick) for f in claimed} | {
        (f.seat, None) for f in claimed if f.trick is None
    }
    return tuple(
        finding_of(
            deal,
            facts,
            "claim_unresolved",
            seat=claim.seat,
            trick=claim.trick,
            text=f"Play stopped, and {seat_name(claim.seat, facts.names)} had laid "
            f"{the(claim.card)} on {the(claim.led)} in trick {claim.trick}: "
            "lay the hand face up.",
            card=claim.card,
            led=claim.led,
            verdict="unresolved",
        )
        for claim in claims
        if (claim.seat, claim.trick) not in made and (claim.seat, None) not in made
    )


def _verdict(
    deal: Deal,
    facts: DealFacts,
    claimed: Claimed,
    revokes: Sequence[Revoke],
    claims: Sequence[Claim],
    *,
    stopped: bool,
) -> tuple[str, str]:
    """What the cards say of the claim, and why in words."""
    seat, who = claimed.seat, seat_name(claimed.seat, facts.names)
    if any(r.seat == seat and (claimed.trick in (None, r.trick)) for r in revokes):
        return "proved", "the cards prove it."
    if any(c.seat == seat and claimed.trick in (None, c.trick) for c in claims):
        if stopped:
            return "unresolved", f"play stopped before {who}'s cards were seen."
        return "open", f"no card of the led suit has come from {who} yet."
    plays = list(_following(deal, seat, claimed.trick))
    for led, play in plays:
        bower = _left_bower_held(deal, facts, seat, led, play)
        if bower is not None:
            assert deal.trump is not None
            return "rejected", (
                f"{the(bower)} is the left bower and counts as {trump_name(deal.trump)}, and "
                f"{who} held no other card of its suit. The claim is the error."
            )
    if not plays and not stopped and not deal.complete:
        return "open", f"{who} has not played to it yet."
    return "cleared", f"{who} followed suit, or held no card of it."


def _following(deal: Deal, seat: Seat, trick: int | None) -> Iterator[tuple[Card, Play]]:
    """The seat's known plays that were no leads, each with the card led."""
    for number, played in enumerate(deal.tricks, start=1):
        if trick not in (None, number) or not played.plays or played.plays[0].card is None:
            continue
        for play in played.plays[1:]:
            if play.seat == seat and play.card is not None:
                yield played.plays[0].card, play


def _left_bower_held(
    deal: Deal, facts: DealFacts, seat: Seat, led: Card, play: Play
) -> Card | None:
    """The left bower, where its printed suit was led and the seat held it and played another.

    The seat held no card of the led suit (that would be a revoke).
    """
    trump = deal.trump
    assert trump is not None
    assert play.card is not None
    suit = effective_suit(led, trump)
    if effective_suit(play.card, trump) == suit:
        return None
    order = {p.version: n for n, p in enumerate(p for t in deal.tricks for p in t.plays)}
    held = [
        p.card
        for trick in deal.tricks
        for p in trick.plays
        if p.seat == seat and p.card is not None and order[p.version] >= order[play.version]
    ]
    for recorded in facts.facts:
        if isinstance(recorded.fact, HandShown) and recorded.fact.seat == seat:
            held.extend(recorded.fact.cards)
    for card in held:
        if natural_suit(card) == suit and effective_suit(card, trump) == trump != suit:
            return card
    return None


def _ruling(deal: Deal, facts: DealFacts, claimed: Claimed, verdict: str) -> str:
    match verdict:
        case "proved":
            return "See the finding of the revoke."
        case "cleared" | "rejected":
            return "No points: the deal counts as played."
        case "open":
            return "Play on: the cards will tell."
    if deal.seats != 4:
        return (
            "Lay the hand face up; if it is gone and the table upholds the claim, the penalty for "
            "a revoke counts."
        )
    if claimed.trick is None:
        return "Lay the hand face up; uphold or dismiss if it is gone."
    points = revoke_proposal(
        seat=claimed.seat,
        trick=claimed.trick,
        ruleset=facts.ruleset,
        anyone_alone=bool(deal.alone),
        names=facts.names,
    )
    return f"Lay the hand face up. If it is gone and the table upholds the claim: {points}"
