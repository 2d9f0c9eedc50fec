"""What becomes of a player's claim of a revoke, and of claims that play left open.

Source: RULES.md, "Revokes" 3 and 4. A claim is *proved* by the cards, *cleared* by them,
*rejected* where the accused held nothing of the suit but the left bower (the claim is itself the
error, and costs nothing), *open* while cards are to come, and *unresolved* where play stopped
before they came: then the hand is to be laid face up. A ruling of the table stands above all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.cards import Card, Seat
from engine.deal import Claim, Deal, DealFacts, Finding, FindingStatus, Play
from engine.facts import Claimed, HandShown
from engine.follow import effective_suit, natural_suit
from engine.proofs import Revoke
from engine.rulings import finding_of
from engine.wording import Sentence, claim_said, say

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
    revoke_ruling: Callable[[Seat, int], Sentence],
    *,
    revokes: Sequence[Revoke] | None,
    claims: Sequence[Claim],
    stopped: bool,
) -> tuple[Finding, ...]:
    """A finding for each claim of a revoke, in order.

    ``revoke_ruling`` is what is proposed for a revoke, by seat and trick. ``revokes`` None:
    nothing can be judged now (no trump, a card seen twice, trump in doubt).
    ``stopped``: nothing more will be played.
    """
    found: dict[str, Finding] = {}
    for recorded in facts.facts:
        fact = recorded.fact
        if not isinstance(fact, Claimed) or fact.offence != "revoke":
            continue
        claim = claim_said(seat=fact.seat, offence="revoke", by=fact.by, trick=fact.trick)
        if revokes is None:
            verdict, said = "open", say("finding.claim.not_yet", claim=claim)
        else:
            verdict, said = _verdict(deal, facts, fact, claim, revokes, claims, stopped=stopped)
        made = finding_of(
            deal,
            facts,
            "revoke_claim",
            seat=fact.seat,
            trick=fact.trick,
            said=said,
            versions=(recorded.version,),
            ruling=_ruling(revoke_ruling, fact, verdict),
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
            said=say(
                "finding.claim_unresolved",
                seat=claim.seat,
                card=claim.card,
                card_led=claim.led,
                trick=claim.trick,
            ),
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
    claim: Sentence,
    revokes: Sequence[Revoke],
    claims: Sequence[Claim],
    *,
    stopped: bool,
) -> tuple[str, Sentence]:
    """What the cards say of the claim, and why in words."""
    seat = claimed.seat
    if any(r.seat == seat and (claimed.trick in (None, r.trick)) for r in revokes):
        return "proved", say("finding.claim.proved", claim=claim)
    if any(c.seat == seat and claimed.trick in (None, c.trick) for c in claims):
        if stopped:
            return "unresolved", say("finding.claim.stopped", claim=claim, seat=seat)
        return "open", say("finding.claim.open", claim=claim, seat=seat)
    plays = list(_following(deal, seat, claimed.trick))
    for led, play in plays:
        bower = _left_bower_held(deal, facts, seat, led, play)
        if bower is not None:
            key = "finding.claim.left_bower"
            return "rejected", say(key, claim=claim, card=bower, suit=deal.trump, seat=seat)
    if not plays and not stopped and not deal.complete:
        return "open", say("finding.claim.to_play", claim=claim, seat=seat)
    return "cleared", say("finding.claim.cleared", claim=claim, seat=seat)


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


def _ruling(
    revoke_ruling: Callable[[Seat, int], Sentence], claimed: Claimed, verdict: str
) -> Sentence:
    match verdict:
        case "proved":
            return say("ruling.claim.proved")
        case "cleared" | "rejected":
            return say("ruling.claim.none")
        case "open":
            return say("ruling.claim.open")
    if claimed.trick is None:
        return say("ruling.claim.any_trick")
    return say("ruling.claim.show", ruling=revoke_ruling(claimed.seat, claimed.trick))
