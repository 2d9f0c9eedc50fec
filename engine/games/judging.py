"""What the rules make of a deal's cards where each player scores alone.

Source: RULES.md, "Revokes", "Other irregularities" and "Two packs, more seats, fewer seats". What
is proved is found by :mod:`engine.proofs` and what players claim is answered by
:mod:`engine.claims`, as where four play; turns, places and words are those of any number of
seats. A seat that sits out is never judged. A card seen twice vetoes every accusation of its
deal, and where another trump would explain everything the question is put instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.cards import SUITS, Card, Seat
from engine.claims import claims_made, unresolved
from engine.deal import Claim, Deal, DealFacts, Finding, Play
from engine.facts import Trump
from engine.follow import effective_suit, trick_winner, trump_name
from engine.games.order import awaited
from engine.proofs import Revoke, TableCards, find_revokes
from engine.ruleset import pack_of
from engine.rulings import ends_hand, finding_of, upheld_revokes
from engine.wording import listed, revoke_text, seat_name, the, trump_doubt

#: A card cannot be in two places: with one of these some reading is wrong.
_VETOES: Final = ("duplicate_card", "turned_down_played", "too_many_table_cards")
#: Reasons to throw a deal in after which nobody asks how it was played.
_DEALT_AGAIN: Final = ("passed_out", "misdeal", "redeal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a game tells the judge of a deal.

    ``leads``: the seat to lead to the first trick, None while nobody can say.
    ``revoke_ruling``: the proposed ruling in words, by seat and trick. ``table``: the cards that
    lie on the table beside the hands. ``owners``: whose card it is, where that is known.
    ``not_trump``: suits that cannot be trump.
    """

    leads: Seat | None
    revoke_ruling: Callable[[Seat, int], str]
    table: TableCards | None = None
    owners: Mapping[Card, Seat]
    not_trump: Sequence[Trump] = ()


def judge(
    deal: Deal, facts: DealFacts, trial: Trial
) -> tuple[tuple[Finding, ...], tuple[Claim, ...]]:
    """The findings of ``deal`` and the claims still open, both in order of play.

    ``deal`` is read except for its points and claims; its findings are what the game found.
    """
    found = [
        *deal.findings,
        *_wrong_dealer(deal, facts),
        *_exposed(deal, facts),
        *_strange_cards(deal, facts, trial),
        *_places(deal, facts),
        *_short_tricks(deal, facts),
    ]
    if deal.trump is None:
        made = claims_made(deal, facts, revokes=None, claims=(), stopped=False)
        return (*found, *made), ()
    vetoed = any(f.kind in _VETOES for f in found)
    revokes, claims = find_revokes(deal, deal.trump, facts, table=trial.table)
    turns = _out_of_turn(deal, facts, trial) if deal.maker is not None else []
    wrong_leads = sum(
        f.kind == "lead_out_of_turn" and f.trick is not None and f.trick > 1 for f in turns
    )
    others = _other_trumps(deal, facts, trial) if revokes or wrong_leads > 1 else ()
    seats = {revoke.seat for revoke in revokes}
    in_doubt = bool(others) and (len(seats) > 1 or wrong_leads > 1 or bool(seats and wrong_leads))
    if in_doubt:
        plays = [play for revoke in revokes for play in (revoke.led, revoke.off)]
        text = trump_doubt(deal.trump, others)
        found.append(finding_of(deal, facts, "trump_in_doubt", text=text, plays=plays))
        turns = [f for f in turns if f.kind != "lead_out_of_turn" or f.trick == 1]
    if in_doubt or vetoed:
        made = claims_made(deal, facts, revokes=None, claims=claims, stopped=False)
        return (*found, *turns, *made), claims
    doubt = trump_doubt(deal.trump, others) if others or len(seats) > 1 else None
    found.extend(
        _revoke_finding(deal, facts, trial, revoke, doubt=doubt, doubtful=bool(others))
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
    return facts.left or (bool(upheld_revokes(found)) and ends_hand(facts.ruleset))


def _other_trumps(deal: Deal, facts: DealFacts, trial: Trial) -> tuple[Trump, ...]:
    """Other suits that, as trump, would leave nothing amiss: no revoke and every lead right."""
    return tuple(
        suit
        for suit in SUITS
        if suit != deal.trump
        and suit not in trial.not_trump
        and not find_revokes(deal, suit, facts, table=trial.table)[0]
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
    deal: Deal,
    facts: DealFacts,
    trial: Trial,
    revoke: Revoke,
    *,
    doubt: str | None,
    doubtful: bool,
) -> Finding:
    assert deal.trump is not None
    assert revoke.off.card is not None
    assert revoke.led.card is not None
    automatic = facts.ruleset.revoke_judge == "automatic" and not doubtful
    text = revoke_text(
        seat=revoke.seat,
        suit=trump_name(effective_suit(revoke.led.card, deal.trump)),
        trick=revoke.trick,
        card=revoke.off.card,
        proof=revoke.proof,
        proven_at_trick=revoke.proven_at_trick,
        how=revoke.how,
        names=facts.names,
        doubt=doubt,
    )
    pictures = (revoke.led.evidence, revoke.off.evidence, revoke.proof_evidence)
    plain = finding_of(
        deal,
        facts,
        "revoke",
        seat=revoke.seat,
        trick=revoke.trick,
        text=text,
        card=revoke.off.card,
        led=revoke.led.card,
        ruling=trial.revoke_ruling(revoke.seat, revoke.trick),
        versions=(revoke.led.version, revoke.off.version, revoke.proof_version),
        usual="upheld" if automatic else "open",
    )
    return replace(
        plain,
        proof=revoke.proof,
        proven_at_trick=revoke.proven_at_trick,
        evidence=tuple(picture for picture in pictures if picture is not None),
        doubt=doubt,
        doubtful=doubtful,
    )


def _wrong_dealer(deal: Deal, facts: DealFacts) -> list[Finding]:
    expected, dealer = facts.expected_dealer, deal.dealer
    if facts.named_dealer is not None or expected is None or dealer is None or dealer == expected:
        return []
    text = (
        f"{seat_name(dealer, facts.names)} dealt deal {deal.number}; "
        f"it was {seat_name(expected, facts.names)}'s deal."
    )
    return [finding_of(deal, facts, "wrong_dealer", seat=dealer, text=text)]


def _exposed(deal: Deal, facts: DealFacts) -> list[Finding]:
    return [
        finding_of(
            deal,
            facts,
            "exposed_card",
            seat=play.seat,
            text=f"{the(play.card).capitalize()} was shown in front of "
            f"{seat_name(play.seat, facts.names)} before the up-card.",
            plays=[play],
            card=play.card,
        )
        for play in deal.exposed
        if play.card is not None
    ]


def _strange_cards(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """Cards seen twice, outside the pack, or out of play."""
    pack = pack_of(facts.ruleset)
    found: list[Finding] = []
    first: dict[Card, tuple[Seat | None, int, Play]] = {}
    up = deal.upcard
    for trick in deal.tricks:
        for play in (*trick.plays, *trick.extra):
            card = play.card
            if card is None:
                continue
            who = seat_name(play.seat, facts.names)
            kind = text = None
            plays = [play]
            if card in first:
                seat, number, earlier = first[card]
                where = (
                    f"twice in trick {number}"
                    if number == trick.number
                    else f"in trick {number} and in trick {trick.number}"
                )
                kind, plays = "duplicate_card", [earlier, play]
                text = f"{the(card).capitalize()} was seen {where}, from "
                text += f"{seat_name(seat, facts.names)} and from {who}."
            else:
                first[card] = (play.seat, trick.number, play)
                if card not in pack:
                    kind = "foreign_card"
                    text = f"{who} played {the(card)} in trick {trick.number}, "
                    text += "which is not in the pack."
                elif up is not None and up.card == card and up.state == "turned_down":
                    kind = "turned_down_played"
                    text = f"{who} played {the(card)} in trick {trick.number}: it was turned down."
                elif play.seat is not None and trial.owners.get(card, play.seat) != play.seat:
                    kind = "duplicate_card"
                    owner = seat_name(trial.owners[card], facts.names)
                    text = f"{who} played {the(card)} in trick {trick.number}: it was {owner}'s."
            if kind is not None and text is not None:
                found.append(
                    finding_of(
                        deal,
                        facts,
                        kind,
                        seat=play.seat,
                        trick=trick.number,
                        text=text,
                        plays=plays,
                        card=card,
                    )
                )
    return found


def _places(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A second card of a seat in a trick, and cards of a seat that is out of the deal."""
    found: list[Finding] = []
    for trick in deal.tricks:
        for play in trick.extra:
            if play.card is None or play.seat is None:
                continue
            who = seat_name(play.seat, facts.names)
            if play.seat in deal.sits_out:
                kind = "sitting_out_played"
                text = f"{who} is out of the deal and played {the(play.card)} in trick "
                text += f"{trick.number}."
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


def _out_of_turn(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """Leads by a seat that did not win, plays before one's turn."""
    found: list[Finding] = []
    expected = trial.leads
    for trick in deal.tricks:
        played: list[Seat | None] = []
        for place, play in enumerate(trick.plays):
            leader = trick.plays[0].seat
            if place:
                expected = (
                    None
                    if leader is None or None in played
                    else awaited(leader, played, seats=deal.seats, sits_out=deal.sits_out)
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
