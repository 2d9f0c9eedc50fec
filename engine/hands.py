"""Findings about hands rather than tricks: too many or too few cards, natural trumps, exchanges.

Source: RULES.md, "Naming trump", "Going alone" and "Other irregularities". Hands are not seen,
so most of these rest on what a player claims, or on cards that are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from engine.bidding import joker_rule
from engine.cards import Card, Seat, partner_of, side_of
from engine.deal import Deal, DealFacts, Finding, FindingStatus
from engine.facts import CardPassed, CardPlayed, Claimed, Discarded, HandShown, Recorded
from engine.follow import NO_TRUMP, natural_suit
from engine.rulings import TOO_MANY, finding_of
from engine.wording import Sentence, claim_said, say

#: What is proposed for a seat that held too many cards.
Ruling: TypeAlias = Callable[[Seat], Sentence]


def about_hands(deal: Deal, facts: DealFacts, ruling: Ruling) -> tuple[Finding, ...]:
    """The findings of ``deal`` about hands, each once.

    ``ruling`` is what is proposed for a seat that held too many cards.
    """
    first_play = next(
        (n for n, r in enumerate(facts.facts) if isinstance(r.fact, CardPlayed)), len(facts.facts)
    )
    found: dict[str, Finding] = {}
    for order, recorded in enumerate(facts.facts):
        made: Finding | None = None
        match recorded.fact:
            case Claimed() as fact if fact.offence != "revoke":
                made = _hand_claimed(deal, facts, recorded, fact, ruling, first_play=first_play)
            case HandShown() as fact:
                made = _too_many(
                    deal, facts, recorded, fact, ruling, before_lead=order < first_play
                )
                if made is None:
                    made = _exposed(deal, facts, recorded, fact)
            case CardPassed() as fact:
                made = _passed(deal, facts, recorded, fact, before_lead=order < first_play)
        if made is not None:
            found.setdefault(made.id, made)
    natural = _natural_trump(deal, facts)
    return tuple(found.values()) if natural is None else (*found.values(), natural)


def _hand_claimed(
    deal: Deal,
    facts: DealFacts,
    recorded: Recorded,
    fact: Claimed,
    ruling: Ruling,
    *,
    first_play: int,
) -> Finding:
    claim = claim_said(seat=fact.seat, offence=fact.offence, by=fact.by, trick=None)
    verdict, key = "open", "finding.claim"
    usual: FindingStatus = "open"
    if fact.offence == "no_discard" and any(
        isinstance(r.fact, Discarded) and r.fact.seat == fact.seat for r in facts.facts[:first_play]
    ):
        verdict, key, usual = "cleared", "finding.claim.discarded", "dismissed"
    # Once a trick is complete the deal goes on: the trick marks it as one that throws nothing in.
    late = fact.offence == "too_few_cards" and any(trick.complete for trick in deal.tricks)
    return finding_of(
        deal,
        facts,
        fact.offence,
        seat=fact.seat,
        trick=len(deal.tricks) if late else None,
        said=say(key, claim=claim),
        versions=(recorded.version,),
        ruling=ruling(fact.seat) if fact.offence in TOO_MANY else None,
        verdict=verdict,
        usual=usual,
    )


def _played_by(deal: Deal, seat: Seat) -> Mapping[Card, int]:
    """The cards the seat played, each with the version of its play."""
    return {
        play.card: play.version
        for trick in deal.tricks
        for play in trick.plays
        if play.seat == seat and play.card is not None
    }


def _too_many(
    deal: Deal,
    facts: DealFacts,
    recorded: Recorded,
    fact: HandShown,
    ruling: Ruling,
    *,
    before_lead: bool,
) -> Finding | None:
    """More cards played and shown than a hand has."""
    if before_lead and len(fact.cards) <= facts.ruleset.hand_size:
        return None
    played = _played_by(deal, fact.seat)
    shown = tuple(card for card in fact.cards if card not in played)
    passed = any(isinstance(r.fact, CardPassed) for r in facts.facts)
    if len(played) + len(shown) <= facts.ruleset.hand_size or passed:
        return None
    return finding_of(
        deal,
        facts,
        "six_cards",
        seat=fact.seat,
        said=say("finding.six_cards", seat=fact.seat, played=len(played), cards=shown),
        versions=(*played.values(), recorded.version),
        card=shown[0] if shown else None,
        ruling=ruling(fact.seat),
    )


def _exposed(deal: Deal, facts: DealFacts, recorded: Recorded, fact: HandShown) -> Finding | None:
    """Cards shown while the deal is played; once play has stopped they answer a question."""
    if deal.complete or deal.thrown_in is not None or facts.left:
        return None
    return finding_of(
        deal,
        facts,
        "exposed_card",
        seat=fact.seat,
        trick=len(deal.tricks) or None,
        said=say("finding.exposed_card.shown", seat=fact.seat, cards=fact.cards),
        versions=(recorded.version,),
        card=fact.cards[0],
    )


def _passed(
    deal: Deal, facts: DealFacts, recorded: Recorded, fact: CardPassed, *, before_lead: bool
) -> Finding | None:
    """A card passed where nobody may: no exchange in these rules, not to a lone hand, or late."""
    makers_alone = [s for s in deal.alone if deal.maker is not None and side_of(s) == deal.makers]
    if facts.ruleset.lone_exchange == "none":
        why = "none"
    elif deal.maker is not None and partner_of(fact.seat) not in makers_alone:
        why = "partner"
    elif not before_lead:
        why = "late"
    else:
        return None
    return finding_of(
        deal,
        facts,
        "exchange_not_allowed",
        seat=fact.seat,
        said=say(f"finding.exchange_not_allowed.{why}", seat=fact.seat),
        versions=(recorded.version,),
        card=fact.card,
    )


def _natural_trump(deal: Deal, facts: DealFacts) -> Finding | None:
    """The caller's natural trump: shown, never held, or not to be told without the discard.

    The left bower and jokers do not count, nor does the up-card that a dealer took. With a joker
    turned up the dealer names blindly, and nothing is required.
    """
    rule, maker, trump = facts.ruleset.natural_trump_required, deal.maker, deal.trump
    if rule == "none" or maker is None or trump in (None, NO_TRUMP) or deal.thrown_in is not None:
        return None
    up = deal.upcard
    picked_up = up is not None and up.state == "taken"
    if up is not None and joker_rule(up.card, facts.ruleset) is not None:
        return None
    if rule == "dealer_pickup" and not (picked_up and maker == deal.dealer):
        return None
    taken = {up.card} if up is not None and picked_up and maker == deal.dealer else set()
    held = {card for card in _known_of(deal, facts, maker) if card not in taken}
    if any(natural_suit(card) == trump for card in held):
        return None
    played = _played_by(deal, maker)
    shown = {
        card
        for r in facts.facts
        if isinstance(r.fact, HandShown) and r.fact.seat == maker
        for card in r.fact.cards
    }
    discards = maker == deal.dealer and picked_up
    seen = len(set(played) | shown) >= facts.ruleset.hand_size
    if not seen and not (maker in deal.sits_out and deal.complete):
        return None
    discarded = [
        r.fact.card
        for r in facts.facts
        if isinstance(r.fact, Discarded) and r.fact.seat == maker and r.fact.card is not None
    ]
    exchanged = bool(deal.alone) and facts.ruleset.lone_exchange != "none"
    if seen and not exchanged and (discarded or not discards):
        return finding_of(
            deal,
            facts,
            "no_natural_trump",
            seat=maker,
            said=say(
                f"finding.no_natural_trump{'.upcard' if taken else ''}", seat=maker, suit=trump
            ),
            versions=tuple(played.values()),
        )
    hidden = "discard" if seen else "hand"
    return finding_of(
        deal,
        facts,
        "natural_trump_unresolved",
        seat=maker,
        said=say(
            f"finding.natural_trump_unresolved.{hidden}{'_upcard' if taken else ''}",
            seat=maker,
            suit=trump,
        ),
        versions=tuple(played.values()),
        verdict="unresolved",
    )


def _known_of(deal: Deal, facts: DealFacts, seat: Seat) -> set[Card]:
    """Every card known to have been in the seat's hand when trump was made."""
    known = set(_played_by(deal, seat))
    for trick in deal.tricks:
        known |= {
            t.play.card for t in trick.taken_back if t.play.seat == seat and t.play.card is not None
        }
    for recorded in facts.facts:
        match recorded.fact:
            case HandShown(seat=who, cards=cards) if who == seat:
                known |= set(cards)
            case Discarded(seat=who, card=card) if who == seat and card is not None:
                known.add(card)
    return known
