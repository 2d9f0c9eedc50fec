"""What the rules make of a deal's cards: revokes proved, and the other irregularities.

Source: RULES.md, "Revokes" and "Other irregularities". What is proved of a revoke is found by
:mod:`engine.proofs`, what players claim is answered by :mod:`engine.claims`, and what concerns
hands rather than tricks (the discard, too many cards, natural trumps) by :mod:`engine.hands`.
Until trump is known no revoke is judged; a card seen twice vetoes every accusation of its deal,
and where another trump would explain everything the question is put instead.

Kinds of findings: revoke, trump_in_doubt, duplicate_card, foreign_card, turned_down_played,
lead_out_of_turn, play_out_of_turn, played_twice, sitting_out_played, short_trick, exposed_card,
wrong_dealer, upcard_conflict, partner_must_go_alone, alone_not_allowed, no_trump_out_of_round,
defender_alone_not_allowed, joker_turned_up, joker_not_named_by_dealer, dealer_must_name,
taken_back_late, deal_abandoned; of claims revoke_claim and claim_unresolved; of hands six_cards,
no_discard, too_few_cards, exchange_not_allowed, no_natural_trump, natural_trump_unresolved.
What an upheld finding does is told in :mod:`engine.rulings`.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.bidding import joker_rule, turned_up_suit
from engine.cards import SUITS, Card, Seat, partner_of, side_of
from engine.claims import claims_made, unresolved
from engine.deal import Claim, Deal, DealFacts, Finding, Play
from engine.facts import Recorded, Trump, UpcardTaken, UpcardTurnedDown
from engine.follow import NO_TRUMP, effective_suit, trick_winner, trump_name
from engine.hands import about_hands
from engine.proofs import Revoke, find_revokes, in_time
from engine.ruleset import pack_of
from engine.rulings import (
    ends_hand,
    finding_of,
    revoke_proposal,
    settle_hands,
    status_of,
    upheld_revokes,
)
from engine.turns import first_leader, next_to_play
from engine.wording import listed, revoke_text, seat_name, the, trump_doubt


def judge(deal: Deal, facts: DealFacts) -> tuple[tuple[Finding, ...], tuple[Claim, ...]]:
    """The findings of ``deal`` and the claims still open, both in order of play.

    ``deal`` is read except for its findings, points and claims.
    """
    found = [*_irregularities(deal, facts), *about_hands(deal, facts)]
    if deal.trump is None:
        return (*found, *claims_made(deal, facts, revokes=None, claims=(), stopped=False)), ()
    vetoed = any(f.kind in ("duplicate_card", "turned_down_played") for f in found)
    revokes, claims = find_revokes(deal, deal.trump, facts)
    turns = list(_out_of_turn(deal, facts)) if deal.maker is not None else []
    wrong_leads = sum(
        f.kind == "lead_out_of_turn" and f.trick is not None and f.trick > 1 for f in turns
    )
    others = _other_trumps(deal, facts) if revokes or wrong_leads > 1 else ()
    seats = {revoke.seat for revoke in revokes}
    if others and (len(seats) > 1 or wrong_leads > 1 or (seats and wrong_leads)):
        found.append(_trump_in_doubt(deal, facts, revokes, others))
        turns = [f for f in turns if f.kind != "lead_out_of_turn" or f.trick == 1]
        made = claims_made(deal, facts, revokes=None, claims=claims, stopped=False)
        return (*found, *turns, *made), claims
    if vetoed:
        made = claims_made(deal, facts, revokes=None, claims=claims, stopped=False)
        return (*found, *turns, *made), claims
    doubt = trump_doubt(deal.trump, others) if others or len(seats) > 1 else None
    found.extend(
        _revoke_finding(deal, facts, revoke, doubt=doubt, doubtful=bool(others))
        for revoke in revokes
    )
    stopped = _stopped_early(deal, facts, found)
    made = claims_made(deal, facts, revokes=revokes, claims=claims, stopped=stopped)
    if stopped:
        made = (*made, *unresolved(deal, facts, claims, claimed=made))
    return (*found, *turns, *made), claims


def _stopped_early(deal: Deal, facts: DealFacts, found: Sequence[Finding]) -> bool:
    """Whether play stopped while cards were left, in a deal that was played to count."""
    if deal.thrown_in is not None:
        return deal.thrown_in not in _DEALT_AGAIN
    if deal.complete:
        return False
    by_ruling = bool(upheld_revokes(found)) and ends_hand(facts.ruleset)
    if by_ruling or settle_hands(found, maker=deal.maker, ruleset=facts.ruleset) is not None:
        return True
    return facts.left


#: Reasons to throw a deal in after which nobody asks how it was played.
_DEALT_AGAIN = ("passed_out", "misdeal", "redeal")


def _other_trumps(deal: Deal, facts: DealFacts) -> tuple[Trump, ...]:
    """Other suits that, as trump, would leave nothing amiss: no revoke and every lead right.

    Empty where two witnesses already agree on trump: the camera saw the up-card taken, and the
    table declared its suit.
    """
    taken = any(isinstance(r.fact, UpcardTaken) for r in facts.facts)
    turned = any(isinstance(r.fact, UpcardTurnedDown) for r in facts.facts)
    upcard_suit = turned_up_suit(None if deal.upcard is None else deal.upcard.card, facts.ruleset)
    if taken and facts.declared is not None and deal.trump == upcard_suit:
        return ()
    return tuple(
        suit
        for suit in SUITS
        if suit != deal.trump
        and not (turned and suit == upcard_suit)
        and not find_revokes(deal, suit, facts)[0]
        and _leads_agree(deal, suit)
    )


def _leads_agree(deal: Deal, trump: Trump) -> bool:
    """Whether each trick was led by the seat that won the one before, were ``trump`` trump."""
    for trick, following in zip(deal.tricks, deal.tricks[1:], strict=False):
        plays = [(p.seat, p.card) for p in trick.plays if p.seat is not None and p.card is not None]
        if not trick.complete or len(plays) < len(trick.plays) or following.leader is None:
            continue
        if trick_winner(plays, trump) != following.leader:
            return False
    return True


def _revoke_finding(
    deal: Deal, facts: DealFacts, revoke: Revoke, *, doubt: str | None, doubtful: bool
) -> Finding:
    id = f"{deal.number}:revoke:{revoke.seat}:{revoke.trick}"
    assert deal.trump is not None
    assert revoke.off.card is not None
    assert revoke.led.card is not None
    status = status_of(facts, id)
    if status == "open" and facts.ruleset.revoke_judge == "automatic" and not doubtful:
        status = "upheld"
    pictures = (revoke.led.evidence, revoke.off.evidence, revoke.proof_evidence)
    return Finding(
        id=id,
        kind="revoke",
        deal=deal.number,
        seat=revoke.seat,
        trick=revoke.trick,
        card=revoke.off.card,
        led=revoke.led.card,
        proof=revoke.proof,
        proven_at_trick=revoke.proven_at_trick,
        text=revoke_text(
            seat=revoke.seat,
            suit=trump_name(effective_suit(revoke.led.card, deal.trump)),
            trick=revoke.trick,
            card=revoke.off.card,
            proof=revoke.proof,
            proven_at_trick=revoke.proven_at_trick,
            how=revoke.how,
            names=facts.names,
            doubt=doubt,
        ),
        ruling=revoke_proposal(
            seat=revoke.seat,
            trick=revoke.trick,
            ruleset=facts.ruleset,
            anyone_alone=bool(deal.alone),
            names=facts.names,
        ),
        status=status,
        versions=(revoke.led.version, revoke.off.version, revoke.proof_version),
        evidence=tuple(picture for picture in pictures if picture is not None),
        doubt=doubt,
        doubtful=doubtful,
    )


def _trump_in_doubt(
    deal: Deal, facts: DealFacts, revokes: Sequence[Revoke], others: Sequence[Trump]
) -> Finding:
    assert deal.trump is not None
    plays = [play for revoke in revokes for play in (revoke.led, revoke.off)]
    return finding_of(
        deal,
        facts,
        "trump_in_doubt",
        seat=None,
        trick=None,
        text=trump_doubt(deal.trump, others),
        plays=plays,
    )


def _irregularities(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Everything but revokes and turns."""
    return [
        *_wrong_dealer(deal, facts),
        *_upcard_conflict(deal, facts),
        *_dealt_wrong(deal, facts),
        *_bidding_breaches(deal, facts),
        *_exposed(deal, facts),
        *_strange_cards(deal, facts),
        *_places(deal, facts),
        *_short_tricks(deal, facts),
        *_taken_back(deal, facts),
        *_abandoned(deal, facts),
    ]


def _wrong_dealer(deal: Deal, facts: DealFacts) -> list[Finding]:
    expected, dealer = facts.expected_dealer, deal.dealer
    if facts.named_dealer is not None or expected is None or dealer is None or dealer == expected:
        return []
    text = (
        f"{seat_name(dealer, facts.names)} dealt deal {deal.number}; "
        f"it was {seat_name(expected, facts.names)}'s deal."
    )
    return [finding_of(deal, facts, "wrong_dealer", seat=dealer, trick=None, text=text)]


def _upcard_conflict(deal: Deal, facts: DealFacts) -> list[Finding]:
    """The table says one thing of the up-card, the camera saw another."""
    declared, upcard = facts.declared, deal.upcard
    if declared is None or upcard is None or upcard.card is None:
        return []
    suit = turned_up_suit(upcard.card, facts.ruleset)
    if suit is None or (declared.trump == NO_TRUMP and facts.ruleset.no_trump == "both"):
        return []
    last: Recorded | None = None
    for recorded in facts.facts:
        if isinstance(recorded.fact, UpcardTaken | UpcardTurnedDown):
            last = recorded
    if last is None or isinstance(last.fact, UpcardTaken) == (declared.trump == suit):
        return []
    seen = "taken" if isinstance(last.fact, UpcardTaken) else "turned down"
    text = (
        f"The up-card, {the(upcard.card)}, was seen {seen}, "
        f"and {trump_name(declared.trump)} was declared."
    )
    return [
        finding_of(
            deal,
            facts,
            "upcard_conflict",
            seat=declared.maker,
            trick=None,
            text=text,
            card=upcard.card,
        )
    ]


def _bidding_breaches(deal: Deal, facts: DealFacts) -> list[Finding]:
    rules, maker, trump = facts.ruleset, deal.maker, deal.trump
    if maker is None or trump is None:
        return []
    found: list[Finding] = []
    makers_alone = [seat for seat in deal.alone if side_of(seat) == side_of(maker)]
    ordered = deal.upcard_state == "taken"
    if (
        rules.partner_order_must_be_alone
        and ordered
        and deal.dealer is not None
        and maker == partner_of(deal.dealer)
        and not makers_alone
    ):
        text = f"{seat_name(maker, facts.names)} ordered up the dealer, its partner, not alone."
        found.append(
            finding_of(deal, facts, "partner_must_go_alone", seat=maker, trick=None, text=text)
        )
    for seat in makers_alone:
        if seat == maker:
            continue
        if rules.alone_by == "maker":
            text = (
                f"{seat_name(seat, facts.names)} plays alone; "
                f"{seat_name(maker, facts.names)} made trump."
            )
        elif not rules.passed_player_may_go_alone and _has_passed(deal, seat):
            text = f"{seat_name(seat, facts.names)} plays alone after passing."
        else:
            continue
        found.append(finding_of(deal, facts, "alone_not_allowed", seat=seat, trick=None, text=text))
    if rules.defend_alone == "off" or (rules.defend_alone == "vs_lone" and not makers_alone):
        defenders = [seat for seat in deal.alone if side_of(seat) != side_of(maker)]
        against = "" if rules.defend_alone == "off" else " against makers who do not"
        found.extend(
            finding_of(
                deal,
                facts,
                "defender_alone_not_allowed",
                seat=seat,
                text=f"{seat_name(seat, facts.names)}, a defender, plays alone{against}.",
            )
            for seat in defenders
        )
    joker = joker_rule(None if deal.upcard is None else deal.upcard.card, rules)
    if joker == "dealer_names_blind" and (maker != deal.dealer or trump == NO_TRUMP):
        who = seat_name(maker, facts.names)
        text = f"A joker was turned up, and {who} named {trump_name(trump)}."
        found.append(finding_of(deal, facts, "joker_not_named_by_dealer", seat=maker, text=text))
    elif trump == NO_TRUMP and rules.no_trump == "off":
        text = "No trump was named, which is not played in this game."
        found.append(
            finding_of(
                deal,
                facts,
                "no_trump_out_of_round",
                seat=maker,
                text=text,
                ruling="Declare a suit, or mend the rules if no trump was agreed on.",
            )
        )
    elif trump == NO_TRUMP and rules.no_trump == "round2" and _in_round_one(deal, facts):
        text = "No trump was named in the first round."
        found.append(
            finding_of(deal, facts, "no_trump_out_of_round", seat=maker, trick=None, text=text)
        )
    return found


def _in_round_one(deal: Deal, facts: DealFacts) -> bool:
    """Whether the calls, tapped one by one, made trump before all had passed."""
    passes = sum(call.call == "pass" for call in deal.calls)
    turned = any(isinstance(r.fact, UpcardTurnedDown) for r in facts.facts)
    return facts.declared is None and 0 < passes < 4 and not turned


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


def _exposed(deal: Deal, facts: DealFacts) -> list[Finding]:
    return [
        finding_of(
            deal,
            facts,
            "exposed_card",
            seat=play.seat,
            trick=None,
            text=f"{the(play.card).capitalize()} was shown in front of "
            f"{seat_name(play.seat, facts.names)} before the up-card.",
            plays=[play],
            card=play.card,
        )
        for play in deal.exposed
        if play.card is not None
    ]


def _strange_cards(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Cards seen twice, outside the pack, or out of play."""
    pack = pack_of(facts.ruleset)
    found: list[Finding] = []
    first: dict[Card, tuple[Seat | None, int, Play]] = {}
    upcard = deal.upcard
    for trick in deal.tricks:
        for play in (*trick.plays, *trick.extra):
            card = play.card
            if card is None:
                continue
            who = seat_name(play.seat, facts.names)
            if card not in pack:
                found.append(
                    finding_of(
                        deal,
                        facts,
                        "foreign_card",
                        seat=play.seat,
                        trick=trick.number,
                        text=f"{who} played {the(card)} in trick {trick.number}, "
                        "which is not in the pack.",
                        plays=[play],
                        card=card,
                    )
                )
            if card in first:
                seat, number, earlier = first[card]
                where = (
                    f"twice in trick {number}"
                    if number == trick.number
                    else f"in trick {number} and in trick {trick.number}"
                )
                found.append(
                    finding_of(
                        deal,
                        facts,
                        "duplicate_card",
                        seat=play.seat,
                        trick=trick.number,
                        text=f"{the(card).capitalize()} was seen {where}, from "
                        f"{seat_name(seat, facts.names)} and from {who}.",
                        plays=[earlier, play],
                        card=card,
                    )
                )
                continue
            first[card] = (play.seat, trick.number, play)
            if upcard is None or card != upcard.card:
                continue
            if upcard.state == "turned_down":
                kind = "turned_down_played"
                text = f"{who} played {the(card)} in trick {trick.number}: it was turned down."
            elif upcard.state == "taken" and not deal.may_hold_upcard(play.seat):
                kind = "duplicate_card"
                text = (
                    f"{who} played {the(card)} in trick {trick.number}: "
                    f"{seat_name(deal.dealer, facts.names)} took that card up."
                )
            else:
                continue
            found.append(
                finding_of(
                    deal,
                    facts,
                    kind,
                    seat=play.seat,
                    trick=trick.number,
                    text=text,
                    plays=[play],
                    card=card,
                )
            )
    return found


def _places(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A second card of a seat in a trick, and cards of a partner who sits out."""
    found: list[Finding] = []
    for trick in deal.tricks:
        for play in trick.extra:
            if play.card is None or play.seat is None:
                continue
            who = seat_name(play.seat, facts.names)
            if play.seat in deal.sits_out:
                kind = "sitting_out_played"
                text = f"{who} sits out and played {the(play.card)} in trick {trick.number}."
            else:
                kind = "played_twice"
                text = f"{who} played a second card to trick {trick.number}: {the(play.card)}."
            found.append(
                finding_of(
                    deal,
                    facts,
                    kind,
                    seat=play.seat,
                    trick=trick.number,
                    text=text,
                    plays=[play],
                    card=play.card,
                )
            )
    return found


def _short_tricks(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Tricks that were gathered without a card of every seat in play, and nobody is asked."""
    found: list[Finding] = []
    for trick in deal.tricks:
        if not trick.closed or trick.complete or not trick.plays:
            continue
        laid = [play.seat for play in trick.plays]
        missing = [seat for seat in deal.in_play() if seat not in laid]
        who = listed([seat_name(seat, facts.names) for seat in missing])
        found.append(
            finding_of(
                deal,
                facts,
                "short_trick",
                seat=missing[0] if len(missing) == 1 else None,
                trick=trick.number,
                text=f"Trick {trick.number} of deal {deal.number} has no card of {who}.",
                plays=trick.plays,
            )
        )
    return found


def _out_of_turn(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Leads by a seat that did not win, plays before one's turn."""
    found: list[Finding] = []
    expected = first_leader(
        dealer=deal.dealer,
        maker=deal.maker,
        alone=deal.alone,
        lone_lead=facts.ruleset.lone_lead,
    )
    for trick in deal.tricks:
        played: list[Seat | None] = []
        for place, play in enumerate(trick.plays):
            leader = trick.plays[0].seat
            if place:
                expected = (
                    None
                    if leader is None or None in played
                    else next_to_play(leader, played, deal.sits_out)
                )
            if expected is not None and play.seat is not None and play.seat != expected:
                kind = "play_out_of_turn" if place else "lead_out_of_turn"
                what = the(play.card) if play.card is not None else "a card"
                verb = "played" if place else "led"
                found.append(
                    finding_of(
                        deal,
                        facts,
                        kind,
                        seat=play.seat,
                        trick=trick.number,
                        text=f"{seat_name(play.seat, facts.names)} {verb} {what} to trick "
                        f"{trick.number}; it was {seat_name(expected, facts.names)}'s turn.",
                        plays=[play],
                        card=play.card,
                    )
                )
            played.append(play.seat)
        expected = trick.winner
    return found


def _dealt_wrong(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A joker turned up that means a new deal; a dealer who passed and had to name."""
    up, found = deal.upcard, []
    if up is not None and joker_rule(up.card, facts.ruleset) == "redeal" and not deal.thrown_in:
        text = "A joker was turned up: it is dealt again."
        found.append(
            finding_of(
                deal, facts, "joker_turned_up", text=text, card=up.card, versions=(up.version,)
            )
        )
    if deal.thrown_in == "passed_out" and facts.ruleset.pass_out == "stick_dealer":
        text = f"All passed; {seat_name(deal.dealer, facts.names)}, who dealt, had to name trump."
        found.append(finding_of(deal, facts, "dealer_must_name", seat=deal.dealer, text=text))
    return found


def _taken_back(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Cards taken back when the rules no longer allowed it; in time it is a correction."""
    when = {
        "open": "no card laid may be taken back",
        "complete": "the trick was complete",
        "led": "the next lead had been made",
    }
    return [
        finding_of(
            deal,
            facts,
            "taken_back_late",
            seat=taken.play.seat,
            trick=trick.number,
            text=f"{seat_name(taken.play.seat, facts.names)} took back "
            f"{'a card' if taken.play.card is None else the(taken.play.card)} of trick "
            f"{trick.number}: {when[taken.stage]}.",
            plays=[taken.play],
            versions=[taken.version],
            card=taken.play.card,
        )
        for trick in deal.tricks
        for taken in trick.taken_back
        if taken.play not in trick.extra and not in_time(taken, facts.ruleset)
    ]


def _abandoned(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A deal that stopped with cards to play, and nothing was said of it."""
    if not facts.left or deal.complete or deal.thrown_in is not None or not deal.tricks:
        return []
    text = f"Deal {deal.number} stopped in trick {len(deal.tricks)} and was not finished."
    return [finding_of(deal, facts, "deal_abandoned", text=text)]
