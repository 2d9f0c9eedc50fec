"""What the rules make of a deal's cards: revokes proved, and the other irregularities.

Source: RULES.md, "Revokes" and "Other irregularities". Only played cards, the up-card and who
took it are seen. In a deal played out a seat's played cards *are* its hand from the first
lead, so a seat that plays off the led suit claims to be void in it, and the first later card
of the seat that counts in that suit proves a revoke. Suits are always effective suits, so the
left bower needs no case of its own. Until trump is known nothing is judged; a card seen twice
vetoes every accusation of its deal, and where another trump would explain everything the
question is put instead.

Kinds of findings: revoke, trump_in_doubt, duplicate_card, foreign_card, turned_down_played,
lead_out_of_turn, play_out_of_turn, played_twice, sitting_out_played, short_trick, exposed_card,
wrong_dealer, upcard_conflict, partner_must_go_alone, alone_not_allowed, no_trump_out_of_round.
Only an upheld revoke moves points by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.cards import SUITS, Card, Seat, Suit, partner_of, side_of
from engine.deal import Claim, Deal, DealFacts, Finding, FindingStatus, Play
from engine.facts import Recorded, Trump, UpcardTaken, UpcardTurnedDown
from engine.follow import NO_TRUMP, effective_suit, trick_winner, trump_name
from engine.ruleset import Ruleset, pack_of
from engine.rulings import proposal, revoke_proposal
from engine.turns import first_leader, next_to_play
from engine.wording import listed, revoke_text, seat_name, the, trump_doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revoke:
    """A proved revoke, before words and rulings."""

    seat: Seat
    trick: int
    led: Play
    off: Play
    proof: Card
    proof_version: int
    proof_evidence: str | None
    proven_at_trick: int


def judge(deal: Deal, facts: DealFacts) -> tuple[tuple[Finding, ...], tuple[Claim, ...]]:
    """The findings of ``deal`` and the claims still open, both in order of play.

    ``deal`` is read except for its findings, points and claims.
    """
    found = list(_irregularities(deal, facts))
    if deal.trump is None:
        return tuple(found), ()
    vetoed = any(f.kind in ("duplicate_card", "turned_down_played") for f in found)
    revokes, claims = _revokes(deal, deal.trump, facts.ruleset)
    turns = list(_out_of_turn(deal, facts)) if deal.maker is not None else []
    wrong_leads = sum(
        f.kind == "lead_out_of_turn" and f.trick is not None and f.trick > 1 for f in turns
    )
    others = _other_trumps(deal, facts) if revokes or wrong_leads > 1 else ()
    seats = {revoke.seat for revoke in revokes}
    if others and (len(seats) > 1 or wrong_leads > 1 or (seats and wrong_leads)):
        found.append(_trump_in_doubt(deal, facts, revokes, others))
        turns = [f for f in turns if f.kind != "lead_out_of_turn" or f.trick == 1]
        return (*found, *turns), claims
    if vetoed:
        return (*found, *turns), claims
    doubt = trump_doubt(deal.trump, others) if others or len(seats) > 1 else None
    found.extend(
        _revoke_finding(deal, facts, revoke, doubt=doubt, doubtful=bool(others))
        for revoke in revokes
    )
    return (*found, *turns), claims


def _revokes(
    deal: Deal, trump: Trump, ruleset: Ruleset
) -> tuple[tuple[_Revoke, ...], tuple[Claim, ...]]:
    """Proved revokes and open claims under ``trump``, in order of the claims."""
    pack = pack_of(ruleset)
    led_of: list[tuple[Play, Suit] | None] = []
    by_seat: dict[Seat, list[tuple[int, Play, Suit]]] = {}
    for index, trick in enumerate(deal.tricks):
        led: tuple[Play, Suit] | None = None
        for place, play in enumerate(trick.plays):
            if play.card is None or play.seat is None or play.card not in pack:
                continue
            suit = effective_suit(play.card, trump)
            if place == 0:
                led = (play, suit)
            by_seat.setdefault(play.seat, []).append((index, play, suit))
        led_of.append(led)
    kept_upcard = _upcard_that_must_be_kept(deal, ruleset)
    revokes: list[_Revoke] = []
    claims: list[Claim] = []
    for seat, plays in by_seat.items():
        for place, (index, play, suit) in enumerate(plays):
            lead = led_of[index]
            if lead is None or lead[0] is play or suit == lead[1]:
                continue
            led_play, led_suit = lead
            proof = next((later for later in plays[place + 1 :] if later[2] == led_suit), None)
            if (
                kept_upcard is not None
                and seat == deal.dealer
                and effective_suit(kept_upcard, trump) == led_suit
                and all(p.card != kept_upcard for _, p, _ in plays[: place + 1])
            ):
                assert deal.upcard is not None
                revokes.append(
                    _Revoke(
                        seat=seat,
                        trick=index + 1,
                        led=led_play,
                        off=play,
                        proof=kept_upcard,
                        proof_version=deal.upcard.version,
                        proof_evidence=deal.upcard.evidence,
                        proven_at_trick=index + 1,
                    )
                )
            elif proof is not None:
                assert proof[1].card is not None
                revokes.append(
                    _Revoke(
                        seat=seat,
                        trick=index + 1,
                        led=led_play,
                        off=play,
                        proof=proof[1].card,
                        proof_version=proof[1].version,
                        proof_evidence=proof[1].evidence,
                        proven_at_trick=proof[0] + 1,
                    )
                )
            elif len(plays) < ruleset.hand_size:
                assert play.card is not None
                assert led_play.card is not None
                claims.append(Claim(seat=seat, trick=index + 1, card=play.card, led=led_play.card))
    revokes.sort(key=lambda revoke: (revoke.trick, revoke.seat))
    claims.sort(key=lambda claim: (claim.trick, claim.seat))
    return tuple(revokes), tuple(claims)


def _upcard_that_must_be_kept(deal: Deal, ruleset: Ruleset) -> Card | None:
    """The up-card in the dealer's hand, where it may not be discarded."""
    if ruleset.upcard_may_be_discarded or deal.upcard_state != "taken":
        return None
    return deal.upcard.card if deal.upcard is not None else None


def _other_trumps(deal: Deal, facts: DealFacts) -> tuple[Trump, ...]:
    """Other suits that, as trump, would leave nothing amiss: no revoke and every lead right.

    Empty where two witnesses already agree on trump: the camera saw the up-card taken, and the
    table declared its suit.
    """
    taken = any(isinstance(r.fact, UpcardTaken) for r in facts.facts)
    turned = any(isinstance(r.fact, UpcardTurnedDown) for r in facts.facts)
    upcard_suit = (
        effective_suit(deal.upcard.card, NO_TRUMP)
        if deal.upcard is not None and deal.upcard.card is not None
        else None
    )
    if taken and facts.declared is not None and deal.trump == upcard_suit:
        return ()
    return tuple(
        suit
        for suit in SUITS
        if suit != deal.trump
        and not (turned and suit == upcard_suit)
        and not _revokes(deal, suit, facts.ruleset)[0]
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


def _finding(
    deal: Deal,
    facts: DealFacts,
    kind: str,
    *,
    seat: Seat | None,
    trick: int | None,
    text: str,
    plays: Sequence[Play] = (),
    card: Card | None = None,
    led: Card | None = None,
) -> Finding:
    """A finding that is no revoke; ``plays`` are those it rests on."""
    id = f"{deal.number}:{kind}:{_or_dash(seat)}:{_or_dash(trick)}"
    return Finding(
        id=id,
        kind=kind,
        deal=deal.number,
        seat=seat,
        trick=trick,
        card=card,
        led=led,
        proof=None,
        proven_at_trick=None,
        text=text,
        ruling=proposal(kind),
        status=_status(facts, id),
        versions=tuple(play.version for play in plays),
        evidence=tuple(play.evidence for play in plays if play.evidence is not None),
    )


def _revoke_finding(
    deal: Deal, facts: DealFacts, revoke: _Revoke, *, doubt: str | None, doubtful: bool
) -> Finding:
    id = f"{deal.number}:revoke:{revoke.seat}:{revoke.trick}"
    assert deal.trump is not None
    assert revoke.off.card is not None
    assert revoke.led.card is not None
    status = _status(facts, id)
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
    deal: Deal, facts: DealFacts, revokes: Sequence[_Revoke], others: Sequence[Trump]
) -> Finding:
    assert deal.trump is not None
    plays = [play for revoke in revokes for play in (revoke.led, revoke.off)]
    return _finding(
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
        *_bidding_breaches(deal, facts),
        *_exposed(deal, facts),
        *_strange_cards(deal, facts),
        *_places(deal, facts),
        *_short_tricks(deal, facts),
    ]


def _wrong_dealer(deal: Deal, facts: DealFacts) -> list[Finding]:
    expected, dealer = facts.expected_dealer, deal.dealer
    if facts.named_dealer is not None or expected is None or dealer is None or dealer == expected:
        return []
    text = (
        f"{seat_name(dealer, facts.names)} dealt deal {deal.number}; "
        f"it was {seat_name(expected, facts.names)}'s deal."
    )
    return [_finding(deal, facts, "wrong_dealer", seat=dealer, trick=None, text=text)]


def _upcard_conflict(deal: Deal, facts: DealFacts) -> list[Finding]:
    """The table says one thing of the up-card, the camera saw another."""
    declared, upcard = facts.declared, deal.upcard
    if declared is None or upcard is None or upcard.card is None:
        return []
    suit = effective_suit(upcard.card, NO_TRUMP)
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
        _finding(
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
            _finding(deal, facts, "partner_must_go_alone", seat=maker, trick=None, text=text)
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
        found.append(_finding(deal, facts, "alone_not_allowed", seat=seat, trick=None, text=text))
    if trump == NO_TRUMP and ordered:
        text = "No trump was named in the first round."
        found.append(
            _finding(deal, facts, "no_trump_out_of_round", seat=maker, trick=None, text=text)
        )
    return found


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
        _finding(
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
                    _finding(
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
                    _finding(
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
            elif upcard.state == "taken" and deal.dealer not in (None, play.seat):
                kind = "duplicate_card"
                text = (
                    f"{who} played {the(card)} in trick {trick.number}: "
                    f"{seat_name(deal.dealer, facts.names)} took that card up."
                )
            else:
                continue
            found.append(
                _finding(
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
                _finding(
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
            _finding(
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
                    _finding(
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


def _status(facts: DealFacts, id: str) -> FindingStatus:
    ruling = facts.rulings.get(id)
    if ruling is None:
        return "open"
    return "upheld" if ruling.ruling == "uphold" else "dismissed"


def _or_dash(value: int | None) -> str:
    return "-" if value is None else str(value)
