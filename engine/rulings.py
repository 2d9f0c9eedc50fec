"""What is proposed for a finding, and what an upheld revoke does to a deal's points.

Source: RULES.md, "Revokes" 8 and "Other irregularities". Nothing here is applied unless the
table upholds a finding, or the ruleset's ``revoke_judge`` is ``automatic``. An upheld revoke,
or a hand of too many cards, moves points; hands of too few cards, a joker turned up where it
means a new deal, and a deal that was abandoned throw the deal in. All else is for the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import Card, Seat, Side, side_of
from engine.deal import Deal, DealFacts, Finding, FindingStatus, Play
from engine.ruleset import Ruleset
from engine.scoring import Result, score_deal
from engine.wording import Names, counted, side_name

#: Proposals for irregularities that move no points by themselves.
_PROPOSALS: Final = {
    "duplicate_card": "Look at both cards and correct the one that was misread; until then no "
    "revoke of this deal is judged.",
    "foreign_card": "Take the card from the table and correct the play, or throw the deal in.",
    "lead_out_of_turn": "The card may be taken back before the next seat plays; once the trick "
    "is complete it stands.",
    "play_out_of_turn": "The card may be taken back before the next seat plays; once the trick "
    "is complete it stands.",
    "played_twice": "The second card goes back to the hand; correct the play if the first was "
    "taken back.",
    "sitting_out_played": "The card goes back: the partner of a lone hand plays no cards.",
    "turned_down_played": "The turned-down card is out of play: look at the card again, or throw "
    "the deal in.",
    "short_trick": "Undo the answer or the correction that took the card away, and name the card.",
    "exposed_card": "The card goes back to the hand; the deal goes on.",
    "wrong_dealer": "Name the right dealer before the first lead; after it the deal stands.",
    "upcard_conflict": "Ask who made trump, and which suit, and declare again.",
    "partner_must_go_alone": "The dealer's partner orders up only alone: the table decides.",
    "alone_not_allowed": "Only the maker may go alone in this game: the table decides.",
    "no_trump_out_of_round": "No trump may be named in the second round only: the table decides.",
    "trump_in_doubt": "Ask which suit is trump and declare it again.",
    "too_few_cards": "The same dealer deals again, if it is noticed before the first trick is "
    "complete; after that the table decides.",
    "joker_turned_up": "The same dealer deals again.",
    "joker_not_named_by_dealer": "With a joker turned up the dealer names a suit: declare again, "
    "or the table decides.",
    "dealer_must_name": "The dealer names a suit; if the cards are in the pack already, the deal "
    "stays thrown in.",
    "defender_alone_not_allowed": "The table decides; correct the declaration if it was a slip.",
    "exchange_not_allowed": "The passed card goes back if the first lead has not been made; after "
    "it the table decides.",
    "taken_back_late": "The card laid first counts; if it was a revoke, it stays one.",
    "no_natural_trump": "The call was against the rules: the table decides.",
    "natural_trump_unresolved": "Show the discard face up (a maker who sat out: the hand).",
    "claim_unresolved": "Lay the hand face up under the camera; uphold or dismiss if it is gone.",
    "deal_abandoned": "Nobody scores and the deal passes.",
}
#: Claims and findings of hands with too many cards: what they cost, by ``six_cards``.
TOO_MANY: Final = ("six_cards", "no_discard")
#: Upheld, they throw the deal in, with that reason.
_THROWN_IN_BY: Final = {
    "too_few_cards": "redeal",
    "joker_turned_up": "redeal",
    "deal_abandoned": "abandoned",
}
#: Points for a euchre that is ruled, not played.
_RULED_EUCHRE: Final = 2


def status_of(facts: DealFacts, id: str, usual: FindingStatus = "open") -> FindingStatus:
    """What the table ruled on the finding of that id, else ``usual``."""
    ruling = facts.rulings.get(id)
    if ruling is None:
        return usual
    return "upheld" if ruling.ruling == "uphold" else "dismissed"


def finding_of(
    deal: Deal,
    facts: DealFacts,
    kind: str,
    *,
    text: str,
    seat: Seat | None = None,
    trick: int | None = None,
    plays: Sequence[Play] = (),
    versions: Sequence[int] = (),
    card: Card | None = None,
    led: Card | None = None,
    ruling: str | None = None,
    verdict: str | None = None,
    usual: FindingStatus = "open",
) -> Finding:
    """A finding that is no revoke; ``plays`` and ``versions`` are those it rests on."""
    id = f"{deal.number}:{kind}:{'-' if seat is None else seat}:{'-' if trick is None else trick}"
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
        ruling=proposal(kind) if ruling is None else ruling,
        status=status_of(facts, id, usual),
        versions=(*(play.version for play in plays), *versions),
        evidence=tuple(play.evidence for play in plays if play.evidence is not None),
        verdict=verdict,
    )


def proposal(kind: str) -> str:
    """The proposed ruling for a finding that is no revoke."""
    return _PROPOSALS[kind]


def revoke_points(ruleset: Ruleset, *, anyone_alone: bool) -> int:
    return ruleset.revoke_points_lone if anyone_alone else ruleset.revoke_points


def revoke_proposal(
    *, seat: Seat, trick: int, ruleset: Ruleset, anyone_alone: bool, names: Names
) -> str:
    """The proposed ruling for a proved revoke, in words."""
    mine, other = side_of(seat), 1 - side_of(seat)
    points = counted(revoke_points(ruleset, anyone_alone=anyone_alone), "point")
    match ruleset.revoke_mode:
        case "deduct":
            return f"{side_name(mine, names)} lose {points}; the deal counts as played."
        case "loss_of_trick":
            return f"Trick {trick} goes to {side_name(other, names)}."
        case _:
            return f"{points} to {side_name(other, names)} in place of the deal's result."


def hand_proposal(*, seat: Seat, maker: Seat | None, ruleset: Ruleset, names: Names) -> str:
    """The proposed ruling for six cards, or no discard before the lead, in words."""
    if ruleset.six_cards == "makers":
        if maker is None:
            return "2 points against the makers, who are euchred: declare who made trump."
        gain, why = 1 - side_of(maker), "the makers are euchred"
    else:
        gain, why = 1 - side_of(seat), "the offending side counts as euchred"
    return f"{counted(_RULED_EUCHRE, 'point')} to {side_name(gain, names)}: {why}."


def settle_hands(
    findings: Sequence[Finding], *, maker: Seat | None, ruleset: Ruleset
) -> tuple[tuple[int, int], str] | None:
    """Points and result where too many cards in a hand were upheld, else None.

    ``six_cards``: the offender's side counts as euchred, or (``makers``) the makers, whoever
    erred. Both sides at fault: nobody scores.
    """
    seats = [f.seat for f in findings if f.kind in TOO_MANY and f.status == "upheld"]
    sides: set[Side] = {side_of(seat) for seat in seats if seat is not None}
    if sides and ruleset.six_cards == "makers":
        if maker is None:
            return None
        sides = {side_of(maker)}
    if not sides:
        return None
    if len(sides) == 2:
        return (0, 0), "six_cards"
    return ((_RULED_EUCHRE, 0) if sides == {1} else (0, _RULED_EUCHRE)), "six_cards"


def thrown_in_by(findings: Sequence[Finding]) -> str | None:
    """The reason for which an upheld finding throws the deal in, None where none does.

    ``too_few_cards`` does so before the first trick is complete; :mod:`engine.findings` marks
    the later ones by their trick.
    """
    for finding in findings:
        if finding.status == "upheld" and finding.kind in _THROWN_IN_BY and finding.trick is None:
            return _THROWN_IN_BY[finding.kind]
    return None


def upheld_revokes(findings: Sequence[Finding]) -> tuple[tuple[Seat, int], ...]:
    """(seat, trick) of each revoke that counts: proved and upheld, or claimed and so ruled.

    A claim that the cards proved counts through the revoke itself. Trick 0: any trick.
    """
    return tuple(
        dict.fromkeys(
            (f.seat, f.trick or 0)
            for f in findings
            if f.status == "upheld"
            and f.seat is not None
            and (
                f.kind == "revoke"
                or f.kind == "claim_unresolved"
                or (f.kind == "revoke_claim" and f.verdict != "proved")
            )
        )
    )


def ends_hand(ruleset: Ruleset) -> bool:
    """Whether an upheld revoke ends the hand: only an award leaves nothing to play for."""
    return ruleset.revoke_mode == "award" and ruleset.revoke_ends_hand


def settle_revokes(
    *,
    played: Result | None,
    upheld: Sequence[tuple[Seat, int]],
    winners: Sequence[Seat | None],
    maker: Seat | None,
    alone: Sequence[Seat],
    ruleset: Ruleset,
) -> tuple[tuple[int, int], str] | None:
    """Points of each side and the result's name once the upheld revokes are applied.

    ``upheld`` holds (seat, trick) of each; ``played`` is the deal's result as played, None while
    it is not finished. None is returned where the deal must be played out first. Both sides
    revoked: nobody scores. A side pays once a deal, however often it revoked, except that each
    trick is lost.
    """
    if not upheld:
        return None if played is None else (played.as_points(), played.case)
    offenders: set[Side] = {side_of(seat) for seat, _ in upheld}
    if played is None and not ends_hand(ruleset):
        return None
    if len(offenders) == 2:
        return (0, 0), "both_revoked"
    offender = offenders.pop()
    award = revoke_points(ruleset, anyone_alone=bool(alone))
    if ruleset.revoke_mode == "award":
        return ((award, 0) if offender == 1 else (0, award)), "revoke"
    # Only an award is settled before the deal is played out.
    assert played is not None
    if ruleset.revoke_mode == "deduct":
        north_south, east_west = played.as_points()
        if offender == 0:
            return (north_south - award, east_west), played.case
        return (north_south, east_west - award), played.case
    return _without_lost_tricks(
        upheld=upheld, winners=winners, maker=maker, alone=alone, ruleset=ruleset
    )


def _without_lost_tricks(
    *,
    upheld: Sequence[tuple[Seat, int]],
    winners: Sequence[Seat | None],
    maker: Seat | None,
    alone: Sequence[Seat],
    ruleset: Ruleset,
) -> tuple[tuple[int, int], str] | None:
    """The deal counted anew with each revoke's trick given to the other side."""
    if maker is None or any(winner is None for winner in winners):
        return None
    lost = {trick: 1 - side_of(seat) for seat, trick in upheld}
    makers = side_of(maker)
    taken = sum(
        lost.get(number, side_of(winner)) == makers
        for number, winner in enumerate(winners, start=1)
        if winner is not None
    )
    result = score_deal(
        makers=makers,
        makers_tricks=taken,
        maker_alone=any(side_of(seat) == makers for seat in alone),
        defender_alone=any(side_of(seat) != makers for seat in alone),
        ruleset=ruleset,
    )
    return result.as_points(), result.case
