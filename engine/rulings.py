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
from engine.wording import Sentence, english, say

#: Claims and findings of hands with too many cards: what they cost, by ``six_cards``.
TOO_MANY: Final = ("six_cards", "no_discard")
#: Upheld, they throw the deal in, with that reason.
_THROWN_IN_BY: Final = {
    "too_few_cards": "redeal",
    "joker_turned_up": "redeal",
    "deal_abandoned": "abandoned",
}
#: Points for a euchre that is ruled, not played.
RULED_EUCHRE: Final = 2


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
    said: Sentence,
    seat: Seat | None = None,
    trick: int | None = None,
    plays: Sequence[Play] = (),
    versions: Sequence[int] = (),
    card: Card | None = None,
    led: Card | None = None,
    ruling: Sentence | None = None,
    verdict: str | None = None,
    usual: FindingStatus = "open",
) -> Finding:
    """A finding; ``plays`` and ``versions`` are those it rests on.

    Without a ``ruling`` the usual one of its kind is proposed.
    """
    proposed = say(f"ruling.{kind}") if ruling is None else ruling
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
        text=english(said, facts.names),
        said=said,
        ruling=english(proposed, facts.names),
        proposed=proposed,
        status=status_of(facts, id, usual),
        versions=(*(play.version for play in plays), *versions),
        evidence=tuple(play.evidence for play in plays if play.evidence is not None),
        verdict=verdict,
    )


def revoke_points(ruleset: Ruleset, *, anyone_alone: bool) -> int:
    return ruleset.revoke_points_lone if anyone_alone else ruleset.revoke_points


def revoke_proposal(*, seat: Seat, trick: int, ruleset: Ruleset, anyone_alone: bool) -> Sentence:
    """The proposed ruling for a proved revoke where partners play, in words."""
    mine, other = side_of(seat), 1 - side_of(seat)
    points = revoke_points(ruleset, anyone_alone=anyone_alone)
    match ruleset.revoke_mode:
        case "deduct":
            return say("ruling.revoke.deduct", side=mine, points=points)
        case "loss_of_trick":
            return say("ruling.revoke.lose_trick", trick=trick, side=other)
        case _:
            return say("ruling.revoke.award", points=points, side=other)


def hand_proposal(*, seat: Seat, maker: Seat | None, ruleset: Ruleset) -> Sentence:
    """The proposed ruling for six cards, or no discard before the lead, where partners play."""
    if ruleset.six_cards != "makers":
        gain, why = 1 - side_of(seat), "offender"
    elif maker is None:
        return say("ruling.six_cards.declare")
    else:
        gain, why = 1 - side_of(maker), "makers"
    return say(f"ruling.six_cards.{why}", points=RULED_EUCHRE, side=gain)


def too_many(
    findings: Sequence[Finding], *, maker: Seat | None, ruleset: Ruleset
) -> frozenset[Seat]:
    """The seats that count as euchred where too many cards in a hand were upheld.

    ``six_cards``: the offenders, or (``makers``) the maker, whoever erred; none while nobody
    knows the maker.
    """
    seats = {f.seat for f in findings if f.kind in TOO_MANY and f.status == "upheld"}
    if seats and ruleset.six_cards == "makers":
        seats = {maker}
    return frozenset(seat for seat in seats if seat is not None)


def has_too_many(findings: Sequence[Finding], *, maker: Seat | None, ruleset: Ruleset) -> bool:
    """Whether the hand ends because too many cards in a hand were upheld."""
    return bool(too_many(findings, maker=maker, ruleset=ruleset))


def settle_hands(
    findings: Sequence[Finding], *, maker: Seat | None, ruleset: Ruleset
) -> tuple[tuple[int, int], str] | None:
    """Points and result, where partners play, if too many cards in a hand were upheld.

    The side of each offender counts as euchred. Both sides at fault: nobody scores.
    """
    sides = {side_of(seat) for seat in too_many(findings, maker=maker, ruleset=ruleset)}
    if not sides:
        return None
    if len(sides) == 2:
        return (0, 0), "six_cards"
    return ((RULED_EUCHRE, 0) if sides == {1} else (0, RULED_EUCHRE)), "six_cards"


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
) -> tuple[tuple[int, int], str]:
    """The deal counted anew with each revoke's trick given to the other side.

    It has a result as played, so its maker and the winner of every trick are known.
    """
    assert maker is not None
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
