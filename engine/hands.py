"""Findings about hands rather than tricks: too many or too few cards, natural trumps, exchanges.

Source: RULES.md, "Naming trump", "Going alone" and "Other irregularities". Hands are not seen,
so most of these rest on what a player claims, or on cards that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.bidding import joker_rule
from engine.cards import Card, Seat, partner_of, side_of
from engine.deal import Deal, DealFacts, Finding, FindingStatus
from engine.facts import CardPassed, CardPlayed, Claimed, Discarded, HandShown, Recorded
from engine.follow import NO_TRUMP, natural_suit, trump_name
from engine.rulings import TOO_MANY, finding_of, hand_proposal
from engine.wording import claim_text, listed, seat_name, the


def about_hands(deal: Deal, facts: DealFacts) -> tuple[Finding, ...]:
    """The findings of ``deal`` about hands, each once."""
    first_play = next(
        (n for n, r in enumerate(facts.facts) if isinstance(r.fact, CardPlayed)), len(facts.facts)
    )
    found: dict[str, Finding] = {}
    for order, recorded in enumerate(facts.facts):
        made: Finding | None = None
        match recorded.fact:
            case Claimed() as fact if fact.offence != "revoke":
                made = _hand_claimed(deal, facts, recorded, fact, first_play=first_play)
            case HandShown() as fact:
                made = _too_many(deal, facts, recorded, fact, before_lead=order < first_play)
                if made is None:
                    made = _exposed(deal, facts, recorded, fact)
            case CardPassed() as fact:
                made = _passed(deal, facts, recorded, fact, before_lead=order < first_play)
        if made is not None:
            found.setdefault(made.id, made)
    natural = _natural_trump(deal, facts)
    return tuple(found.values()) if natural is None else (*found.values(), natural)


def _hand_claimed(
    deal: Deal, facts: DealFacts, recorded: Recorded, fact: Claimed, *, first_play: int
) -> Finding:
    said = claim_text(
        seat=fact.seat, offence=fact.offence, by=fact.by, trick=None, names=facts.names
    )
    verdict, text = "open", f"{said}."
    usual: FindingStatus = "open"
    if fact.offence == "no_discard" and any(
        isinstance(r.fact, Discarded) and r.fact.seat == fact.seat for r in facts.facts[:first_play]
    ):
        verdict, usual = "cleared", "dismissed"
        text = f"{said}: a discard was recorded before the lead."
    # Once a trick is complete the deal goes on: the trick marks it as one that throws nothing in.
    late = fact.offence == "too_few_cards" and any(trick.complete for trick in deal.tricks)
    return finding_of(
        deal,
        facts,
        fact.offence,
        seat=fact.seat,
        trick=len(deal.tricks) if late else None,
        text=text,
        versions=(recorded.version,),
        ruling=_too_many_ruling(deal, facts, fact.seat) if fact.offence in TOO_MANY else None,
        verdict=verdict,
        usual=usual,
    )


def _too_many_ruling(deal: Deal, facts: DealFacts, seat: Seat) -> str:
    return hand_proposal(seat=seat, maker=deal.maker, ruleset=facts.ruleset, names=facts.names)


def _played_by(deal: Deal, seat: Seat) -> Mapping[Card, int]:
    """The cards the seat played, each with the version of its play."""
    return {
        play.card: play.version
        for trick in deal.tricks
        for play in trick.plays
        if play.seat == seat and play.card is not None
    }


def _too_many(
    deal: Deal, facts: DealFacts, recorded: Recorded, fact: HandShown, *, before_lead: bool
) -> Finding | None:
    """More cards played and shown than a hand has."""
    if before_lead and len(fact.cards) <= facts.ruleset.hand_size:
        return None
    played = _played_by(deal, fact.seat)
    shown = [card for card in fact.cards if card not in played]
    passed = any(isinstance(r.fact, CardPassed) for r in facts.facts)
    if len(played) + len(shown) <= facts.ruleset.hand_size or passed:
        return None
    who = seat_name(fact.seat, facts.names)
    return finding_of(
        deal,
        facts,
        "six_cards",
        seat=fact.seat,
        text=f"{who} played {len(played)} cards and showed {listed([the(c) for c in shown])}.",
        versions=(*played.values(), recorded.version),
        card=shown[0] if shown else None,
        ruling=_too_many_ruling(deal, facts, fact.seat),
    )


def _exposed(deal: Deal, facts: DealFacts, recorded: Recorded, fact: HandShown) -> Finding | None:
    """Cards shown while the deal is played; once play has stopped they answer a question."""
    if deal.complete or deal.thrown_in is not None or facts.left:
        return None
    shown = listed([the(card) for card in fact.cards])
    return finding_of(
        deal,
        facts,
        "exposed_card",
        seat=fact.seat,
        trick=len(deal.tricks) or None,
        text=f"{seat_name(fact.seat, facts.names)} showed {shown} during the deal.",
        versions=(recorded.version,),
        card=fact.cards[0],
    )


def _passed(
    deal: Deal, facts: DealFacts, recorded: Recorded, fact: CardPassed, *, before_lead: bool
) -> Finding | None:
    """A card passed where nobody may: no exchange in these rules, not to a lone hand, or late."""
    who = seat_name(fact.seat, facts.names)
    makers_alone = [s for s in deal.alone if deal.maker is not None and side_of(s) == deal.makers]
    if facts.ruleset.lone_exchange == "none":
        why = "these rules know no exchange"
    elif deal.maker is not None and partner_of(fact.seat) not in makers_alone:
        why = "only the partner of the makers' lone hand passes one"
    elif not before_lead:
        why = "the first lead had been made"
    else:
        return None
    return finding_of(
        deal,
        facts,
        "exchange_not_allowed",
        seat=fact.seat,
        text=f"{who} passed a card to the lone hand: {why}.",
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
    who, suit = seat_name(maker, facts.names), trump_name(str(trump))
    beside = " beside the up-card" if taken else ""
    if seen and not exchanged and (discarded or not discards):
        return finding_of(
            deal,
            facts,
            "no_natural_trump",
            seat=maker,
            text=f"{who} made {suit} and held no natural trump{beside}.",
            versions=tuple(played.values()),
        )
    hidden = "the hand" if not seen else "the discard"
    return finding_of(
        deal,
        facts,
        "natural_trump_unresolved",
        seat=maker,
        text=f"{who} made {suit} and no natural trump was seen{beside}: show {hidden} face up.",
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
