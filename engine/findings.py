"""What the rules make of a deal's cards: revokes proved, and the other irregularities.

Source: RULES.md, "Revokes" and "Other irregularities". One judge for every game: what a game
has of its own it says in a :class:`Trial`. What is proved of a revoke is found by
:mod:`engine.proofs`, what players claim is answered by :mod:`engine.claims`, what concerns hands
rather than tricks (the discard, too many cards, natural trumps) by :mod:`engine.hands`, and what
a declaration breaks by :mod:`engine.breaches`. A seat that sits out is never judged. Until trump
is known no revoke is judged; a card seen twice vetoes every accusation of its deal, and where
more than one thing is amiss and another trump, or a single card read otherwise, would explain it
all, that question is put instead.

Kinds of findings: revoke, trump_in_doubt, reading_in_doubt, duplicate_card, foreign_card,
turned_down_played, lead_out_of_turn, play_out_of_turn, played_twice, sitting_out_played,
short_trick, exposed_card, wrong_dealer, upcard_conflict, joker_turned_up, dealer_must_name,
taken_back_late, deal_abandoned; of the bidding partner_must_go_alone, alone_not_allowed,
no_trump_out_of_round, defender_alone_not_allowed, joker_not_named_by_dealer; of claims
revoke_claim and claim_unresolved; of hands six_cards, no_discard, too_few_cards,
exchange_not_allowed, no_natural_trump, natural_trump_unresolved; for two, too_many_table_cards.
What an upheld finding does is told in :mod:`engine.rulings`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.bidding import joker_rule, turned_up_suit
from engine.cards import SUITS, Card, Seat
from engine.claims import claims_made, unresolved
from engine.deal import Claim, Deal, DealFacts, Finding, Play
from engine.facts import Trump, UpcardTaken, UpcardTurnedDown
from engine.follow import NO_TRUMP, TRUMPS, effective_suit, trick_winner
from engine.hands import about_hands
from engine.proofs import Revoke, TableCards, find_revokes, in_time
from engine.ruleset import pack_of
from engine.rulings import ends_hand, finding_of, has_too_many, upheld_revokes
from engine.turns import in_order, next_to_play
from engine.wording import Sentence, english, revoke_said, say, trump_doubted

#: A card cannot be in two places: with one of these some reading is wrong.
_VETOES: Final = ("duplicate_card", "turned_down_played", "too_many_table_cards")
#: Reasons to throw a deal in after which nobody asks how it was played.
_DEALT_AGAIN: Final = ("passed_out", "misdeal", "redeal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a game tells the judge of a deal.

    ``leads``: the seat to lead to the first trick, None while nobody can say.
    ``revoke_ruling``: what is proposed for a revoke, by seat and trick; ``hand_ruling``: for a
    seat with too many cards. ``table``: the cards that lie on the table beside the hands.
    ``owners``: before whom a card lay that only that seat can play.
    """

    leads: Seat | None
    revoke_ruling: Callable[[Seat, int], Sentence]
    hand_ruling: Callable[[Seat], Sentence]
    table: TableCards | None = None
    owners: Mapping[Card, Seat] = field(default_factory=dict)


def judge(
    deal: Deal, facts: DealFacts, trial: Trial
) -> tuple[tuple[Finding, ...], tuple[Claim, ...]]:
    """The findings of ``deal`` and the claims still open, both in order of play.

    ``deal`` is read except for its points and claims; its findings are what the game found.
    """
    found = [
        *_wrong_dealer(deal, facts),
        *_upcard_conflict(deal, facts, trial),
        *_dealt_wrong(deal, facts),
        *deal.findings,
        *_exposed(deal, facts),
        *_strange_cards(deal, facts, trial),
        *_places(deal, facts),
        *_short_tricks(deal, facts),
        *_taken_back(deal, facts),
        *_abandoned(deal, facts),
        *about_hands(deal, facts, trial.hand_ruling),
    ]
    ruling = trial.revoke_ruling
    if deal.trump is None:
        made = claims_made(deal, facts, ruling, revokes=None, claims=(), stopped=False)
        return (*found, *made), ()
    vetoed = any(f.kind in _VETOES for f in found)
    revokes, claims = find_revokes(deal, deal.trump, facts, table=trial.table)
    turns = _out_of_turn(deal, facts, trial) if deal.maker is not None else []
    wrong_leads = sum(
        f.kind == "lead_out_of_turn" and f.trick is not None and f.trick > 1 for f in turns
    )
    others = _other_trumps(deal, facts, trial) if revokes or wrong_leads > 1 else ()
    seats = {revoke.seat for revoke in revokes}
    doubt = trump_doubted(deal.trump, others) if others or len(seats) > 1 else None
    in_doubt = False
    if len(revokes) > 1 or wrong_leads > 1 or (revokes and wrong_leads):
        question = _one_thing_explains_all(deal, facts, trial, revokes, others)
        if question is not None:
            found.append(question)
            in_doubt = question.status != "dismissed"
            doubt = None
    if in_doubt:
        turns = [f for f in turns if f.kind != "lead_out_of_turn" or f.trick == 1]
    if in_doubt or vetoed:
        made = claims_made(deal, facts, ruling, revokes=None, claims=claims, stopped=False)
        return (*found, *turns, *made), claims
    doubtful = doubt is not None and bool(others)
    found.extend(
        _revoke_finding(deal, facts, trial, revoke, doubt=doubt, doubtful=doubtful)
        for revoke in revokes
    )
    stopped = _stopped_early(deal, facts, found)
    made = claims_made(deal, facts, ruling, revokes=revokes, claims=claims, stopped=stopped)
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
    if by_ruling or has_too_many(found, maker=deal.maker, ruleset=facts.ruleset):
        return True
    return facts.left


def _one_thing_explains_all(
    deal: Deal,
    facts: DealFacts,
    trial: Trial,
    revokes: Sequence[Revoke],
    others: Sequence[Trump],
) -> Finding | None:
    """The question to put where more than one thing is amiss and one mistake explains it all.

    Another trump, or a single card that was read wrong: nobody is accused until the table has
    dismissed the question.
    """
    assert deal.trump is not None
    if others:
        plays = [play for revoke in revokes for play in (revoke.led, revoke.off)]
        said = trump_doubted(deal.trump, others)
        return finding_of(deal, facts, "trump_in_doubt", said=said, plays=plays)
    doubted = _perhaps_misread(deal, facts, trial, revokes)
    if not doubted:
        return None
    number, first = doubted[0]
    cards = tuple(play.card for _, play in doubted if play.card is not None)
    return finding_of(
        deal,
        facts,
        "reading_in_doubt",
        seat=first.seat,
        trick=number,
        said=say("finding.reading_in_doubt", cards=cards),
        plays=[play for _, play in doubted],
        card=first.card,
    )


def _perhaps_misread(
    deal: Deal, facts: DealFacts, trial: Trial, revokes: Sequence[Revoke]
) -> list[tuple[int, Play]]:
    """The cards, each with its trick, of which any one misread would leave nothing amiss.

    Only the cards on which the first revoke rests are in question, and only as cards that lay
    nowhere else: legality chooses no reading here, it tells what is to be looked at.
    """
    assert deal.trump is not None
    if not revokes:
        return []
    first = revokes[0]
    rests_on = (first.led.version, first.off.version, first.proof_version)
    up = deal.upcard
    unseen = pack_of(facts.ruleset) - deal.seen().keys() - trial.owners.keys()
    if up is not None and up.card is not None and up.state == "turned_down":
        unseen -= {up.card}
    doubted: list[tuple[int, Play]] = []
    for trick in deal.tricks:
        for play in trick.plays:
            if play.version in rests_on and any(
                (up is None or card != up.card or deal.may_hold_upcard(play.seat))
                and _all_in_order(_read_as(deal, play, card), deal.trump, facts, trial)
                for card in unseen
            ):
                doubted.append((trick.number, play))
    return doubted


def _read_as(deal: Deal, doubted: Play, card: Card) -> Deal:
    """The deal with another card in the place of ``doubted``."""
    tricks = tuple(
        replace(
            trick,
            plays=tuple(replace(p, card=card) if p is doubted else p for p in trick.plays),
        )
        for trick in deal.tricks
    )
    return replace(deal, tricks=tricks)


def _all_in_order(deal: Deal, trump: Trump, facts: DealFacts, trial: Trial) -> bool:
    """Whether nobody revoked and each trick was led by the winner of the one before."""
    return _leads_agree(deal, trump) and not find_revokes(deal, trump, facts, table=trial.table)[0]


def _other_trumps(deal: Deal, facts: DealFacts, trial: Trial) -> tuple[Trump, ...]:
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
        and _all_in_order(deal, suit, facts, trial)
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
    doubt: Sentence | None,
    doubtful: bool,
) -> Finding:
    assert deal.trump is not None
    assert revoke.off.card is not None
    assert revoke.led.card is not None
    automatic = facts.ruleset.revoke_judge == "automatic" and not doubtful
    said = revoke_said(
        seat=revoke.seat,
        suit=effective_suit(revoke.led.card, deal.trump),
        trick=revoke.trick,
        card=revoke.off.card,
        proof=revoke.proof,
        proven_at_trick=revoke.proven_at_trick,
        how=revoke.how,
        doubt=doubt,
    )
    pictures = (revoke.led.evidence, revoke.off.evidence, revoke.proof_evidence)
    plain = finding_of(
        deal,
        facts,
        "revoke",
        seat=revoke.seat,
        trick=revoke.trick,
        said=said,
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
        doubt=None if doubt is None else english(doubt, facts.names),
        doubtful=doubtful,
    )


def _wrong_dealer(deal: Deal, facts: DealFacts) -> list[Finding]:
    expected, dealer = facts.expected_dealer, deal.dealer
    if facts.named_dealer is not None or expected is None or dealer is None or dealer == expected:
        return []
    said = say("finding.wrong_dealer", seat=dealer, deal=deal.number, seat_expected=expected)
    return [finding_of(deal, facts, "wrong_dealer", seat=dealer, said=said)]


def _upcard_conflict(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """The table says one thing of the up-card, the camera saw another, and the play does not tell.

    A discard laid in the up-card's place looks like a card turned down, and one turned over upon
    the kitty like the kitty.
    """
    declared, upcard = facts.declared, deal.upcard
    if declared is None or upcard is None or upcard.card is None:
        return []
    suit = turned_up_suit(upcard.card, facts.ruleset)
    if suit is None or (declared.trump == NO_TRUMP and facts.ruleset.no_trump == "both"):
        return []
    seen = [r.fact for r in facts.facts if isinstance(r.fact, UpcardTaken | UpcardTurnedDown)]
    if not seen or isinstance(seen[-1], UpcardTaken) == (declared.trump == suit):
        return []
    taken = isinstance(seen[-1], UpcardTaken)
    players = {p.seat for t in deal.tricks for p in t.plays if p.card == upcard.card}
    if players and not taken and all(map(deal.may_hold_upcard, players)):
        return []  # a card turned down is out of play
    if taken:
        rest: tuple[Trump, ...] = (suit,)
    else:
        rest = tuple(
            t for t in TRUMPS if t != suit and (t != NO_TRUMP or facts.ruleset.no_trump != "off")
        )
    # Who led tells, not who followed suit: a revoke must not hide the trump it was one under.
    if (
        deal.complete
        and not players
        and _all_in_order(deal, declared.trump, facts, trial)
        and not any(_leads_agree(deal, other) for other in rest)
    ):
        return []  # with what the camera saw somebody led who had not won
    what = "taken" if taken else "turned_down"
    return [
        finding_of(
            deal,
            facts,
            "upcard_conflict",
            seat=declared.maker,
            said=say(f"finding.upcard_conflict.{what}", card=upcard.card, suit=declared.trump),
            card=upcard.card,
        )
    ]


def _dealt_wrong(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A joker turned up that means a new deal; a dealer who passed and had to name."""
    up, found = deal.upcard, []
    if up is not None and joker_rule(up.card, facts.ruleset) == "redeal" and not deal.thrown_in:
        found.append(
            finding_of(
                deal,
                facts,
                "joker_turned_up",
                said=say("finding.joker_turned_up"),
                card=up.card,
                versions=(up.version,),
            )
        )
    if deal.thrown_in == "passed_out" and facts.ruleset.pass_out == "stick_dealer":
        said = say("finding.dealer_must_name", seat=deal.dealer)
        found.append(finding_of(deal, facts, "dealer_must_name", seat=deal.dealer, said=said))
    return found


def _exposed(deal: Deal, facts: DealFacts) -> list[Finding]:
    return [
        finding_of(
            deal,
            facts,
            "exposed_card",
            seat=play.seat,
            said=say("finding.exposed_card", card=play.card, seat=play.seat),
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
    first: dict[Card, tuple[int, Play]] = {}
    bound = {*trial.owners, *([] if deal.upcard is None else [deal.upcard.card])}

    def add(kind: str, said: Sentence, trick: int, *plays: Play) -> None:
        seat, card = plays[-1].seat, plays[-1].card
        found.append(
            finding_of(deal, facts, kind, seat=seat, trick=trick, said=said, plays=plays, card=card)
        )

    for trick in deal.tricks:
        number = trick.number
        for play in (*trick.plays, *trick.extra):
            card = play.card
            if card is None:
                continue
            if card not in pack:
                said = say("finding.foreign_card", seat=play.seat, card=card, trick=number)
                add("foreign_card", said, number, play)
            if card in first:
                before, earlier = first[card]
                said = _twice(card, before, earlier.seat, number, play.seat)
                add("duplicate_card", said, number, earlier, play)
                continue
            first[card] = (number, play)
            if card in bound:
                impossible = _impossible(deal, trial, card, play.seat, number)
                if impossible is not None:
                    add(*impossible, number, play)
    return found


def _twice(
    card: Card, before: int, seat_first: Seat | None, trick: int, seat: Seat | None
) -> Sentence:
    """A card that was seen in trick ``before`` and again in ``trick``."""
    if before == trick:
        key = "finding.duplicate_card.same_trick"
        return say(key, card=card, trick=trick, seat_first=seat_first, seat=seat)
    return say(
        "finding.duplicate_card",
        card=card,
        trick_first=before,
        trick=trick,
        seat_first=seat_first,
        seat=seat,
    )


def _impossible(
    deal: Deal, trial: Trial, card: Card, seat: Seat | None, trick: int
) -> tuple[str, Sentence] | None:
    """Why a card cannot have come from where it came: turned down, or another seat's."""
    up, owner = deal.upcard, trial.owners.get(card)
    if up is not None and card == up.card and up.state == "turned_down":
        said = say("finding.turned_down_played", seat=seat, card=card, trick=trick)
        return "turned_down_played", said
    if up is not None and card == up.card and up.state == "taken":
        if deal.may_hold_upcard(seat):
            return None
        key, owner = "finding.duplicate_card.taken_up", deal.dealer
    elif owner is not None and seat not in (None, owner):
        key = "finding.duplicate_card.owned"
    else:
        return None
    return "duplicate_card", say(key, seat=seat, card=card, trick=trick, seat_owner=owner)


def _places(deal: Deal, facts: DealFacts) -> list[Finding]:
    """A second card of a seat in a trick, and cards of a seat that sits out."""
    found: list[Finding] = []
    for trick in deal.tricks:
        for play in trick.extra:
            if play.card is None or play.seat is None:
                continue
            out = play.seat in deal.sits_out
            kind = "sitting_out_played" if out else "played_twice"
            # Only a seat that dropped is out of a deal in which nobody plays alone.
            dropped = out and not deal.alone
            found.append(
                finding_of(
                    deal,
                    facts,
                    kind,
                    seat=play.seat,
                    trick=trick.number,
                    said=say(f"finding.{kind}", seat=play.seat, card=play.card, trick=trick.number),
                    plays=[play],
                    card=play.card,
                    ruling=say("ruling.sitting_out_played.dropped") if dropped else None,
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
        missing = tuple(seat for seat in deal.in_play() if seat not in laid)
        found.append(
            finding_of(
                deal,
                facts,
                "short_trick",
                seat=missing[0] if len(missing) == 1 else None,
                trick=trick.number,
                said=say(
                    "finding.short_trick", trick=trick.number, deal=deal.number, seats=missing
                ),
                plays=trick.plays,
            )
        )
    return found


def _out_of_turn(deal: Deal, facts: DealFacts, trial: Trial) -> list[Finding]:
    """Leads by a seat that did not win, plays before one's turn."""
    found: list[Finding] = []
    expected = trial.leads
    order = [in_order(leader, deal.sits_out, deal.seats) for leader in range(deal.seats)]
    for trick in deal.tricks:
        leader = trick.leader
        laid = [play.seat for play in trick.plays]
        if expected in (None, leader) and leader is not None and laid == order[leader][: len(laid)]:
            expected = trick.winner
            continue
        played: list[Seat | None] = []
        for place, play in enumerate(trick.plays):
            if place:
                expected = (
                    None
                    if leader is None or None in played
                    else next_to_play(leader, played, deal.sits_out, deal.seats)
                )
            if expected is not None and play.seat is not None and play.seat != expected:
                kind = "play_out_of_turn" if place else "lead_out_of_turn"
                found.append(
                    finding_of(
                        deal,
                        facts,
                        kind,
                        seat=play.seat,
                        trick=trick.number,
                        said=say(
                            f"finding.{kind}",
                            seat=play.seat,
                            card=play.card,
                            trick=trick.number,
                            seat_expected=expected,
                        ),
                        plays=[play],
                        card=play.card,
                    )
                )
            played.append(play.seat)
        expected = trick.winner
    return found


def _taken_back(deal: Deal, facts: DealFacts) -> list[Finding]:
    """Cards taken back when the rules no longer allowed it; in time it is a correction."""
    return [
        finding_of(
            deal,
            facts,
            "taken_back_late",
            seat=taken.play.seat,
            trick=trick.number,
            said=say(
                f"finding.taken_back_late.{taken.stage}",
                seat=taken.play.seat,
                card=taken.play.card,
                trick=trick.number,
            ),
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
    said = say("finding.deal_abandoned", deal=deal.number, trick=len(deal.tricks))
    return [finding_of(deal, facts, "deal_abandoned", said=said)]
