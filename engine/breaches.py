"""What a declaration breaks: the rules of who may make which trump, and who may go alone.

Source: RULES.md, "Naming trump" and "Going alone". A tap that is against the rules is not
refused, since it tells what was done at the table: it is found.
"""

from __future__ import annotations

from engine.bidding import joker_rule
from engine.cards import Seat, partner_of, side_of
from engine.deal import Deal, DealFacts, Finding
from engine.facts import UpcardTurnedDown
from engine.follow import NO_TRUMP
from engine.rulings import finding_of
from engine.wording import say


def about_bidding(deal: Deal, facts: DealFacts) -> tuple[Finding, ...]:
    """The findings of ``deal`` about the bidding, where four play."""
    if deal.maker is None or deal.trump is None:
        return ()
    return (
        *_partner_not_alone(deal, facts, deal.maker),
        *_maker_side_alone(deal, facts, deal.maker),
        *_defender_alone(deal, facts, deal.maker),
        *(_joker_breach(deal, facts) or about_no_trump(deal, facts)),
    )


def about_no_trump(deal: Deal, facts: DealFacts) -> tuple[Finding, ...]:
    """No trump where the rules have none, or none in the first round."""
    if deal.trump != NO_TRUMP or deal.maker is None:
        return ()
    if facts.ruleset.no_trump == "off":
        return (
            finding_of(
                deal,
                facts,
                "no_trump_out_of_round",
                seat=deal.maker,
                said=say("finding.no_trump_out_of_round.not_played"),
                ruling=say("ruling.no_trump_out_of_round.not_played"),
            ),
        )
    if facts.ruleset.no_trump == "round2" and _in_round_one(deal, facts):
        said = say("finding.no_trump_out_of_round")
        return (finding_of(deal, facts, "no_trump_out_of_round", seat=deal.maker, said=said),)
    return ()


def _partner_not_alone(deal: Deal, facts: DealFacts, maker: Seat) -> list[Finding]:
    if (
        not facts.ruleset.partner_order_must_be_alone
        or deal.upcard_state != "taken"
        or deal.dealer is None
        or maker != partner_of(deal.dealer)
        or _makers_alone(deal, maker)
    ):
        return []
    said = say("finding.partner_must_go_alone", seat=maker)
    return [finding_of(deal, facts, "partner_must_go_alone", seat=maker, said=said)]


def _maker_side_alone(deal: Deal, facts: DealFacts, maker: Seat) -> list[Finding]:
    """A partner who goes alone where only the maker may, or having passed."""
    rules, found = facts.ruleset, []
    for seat in _makers_alone(deal, maker):
        if seat == maker:
            continue
        if rules.alone_by == "maker":
            said = say("finding.alone_not_allowed", seat=seat, seat_maker=maker)
        elif not rules.passed_player_may_go_alone and _has_passed(deal, seat):
            said = say("finding.alone_not_allowed.passed", seat=seat)
        else:
            continue
        found.append(finding_of(deal, facts, "alone_not_allowed", seat=seat, said=said))
    return found


def _defender_alone(deal: Deal, facts: DealFacts, maker: Seat) -> list[Finding]:
    match facts.ruleset.defend_alone:
        case "off":
            key = "finding.defender_alone_not_allowed"
        case "vs_lone" if not _makers_alone(deal, maker):
            key = "finding.defender_alone_not_allowed.not_lone"
        case _:
            return []
    return [
        finding_of(deal, facts, "defender_alone_not_allowed", seat=seat, said=say(key, seat=seat))
        for seat in deal.alone
        if side_of(seat) != side_of(maker)
    ]


def _joker_breach(deal: Deal, facts: DealFacts) -> tuple[Finding, ...]:
    """With a joker turned up it is the dealer who names, and a suit."""
    joker = joker_rule(None if deal.upcard is None else deal.upcard.card, facts.ruleset)
    if joker != "dealer_names_blind" or (deal.maker == deal.dealer and deal.trump != NO_TRUMP):
        return ()
    said = say("finding.joker_not_named_by_dealer", seat=deal.maker, suit=deal.trump)
    return (finding_of(deal, facts, "joker_not_named_by_dealer", seat=deal.maker, said=said),)


def _makers_alone(deal: Deal, maker: Seat) -> list[Seat]:
    return [seat for seat in deal.alone if side_of(seat) == side_of(maker)]


def _in_round_one(deal: Deal, facts: DealFacts) -> bool:
    """Whether the calls, tapped one by one, made trump before all had passed."""
    passes = sum(call.call == "pass" for call in deal.calls)
    turned = any(isinstance(r.fact, UpcardTurnedDown) for r in facts.facts)
    return facts.declared is None and 0 < passes < deal.seats and not turned


def _has_passed(deal: Deal, seat: Seat) -> bool:
    """Whether the seat passed, by its taps or because a later seat of the round made trump."""
    if any(call.seat == seat and call.call == "pass" for call in deal.calls):
        return True
    if deal.upcard_state == "turned_down":
        return True
    if deal.dealer is None or deal.maker is None:
        return False
    order = [(deal.dealer + step) % 4 for step in range(1, 5)]
    return order.index(seat) < order.index(deal.maker)
