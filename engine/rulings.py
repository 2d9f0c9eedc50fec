"""What is proposed for a finding, and what an upheld revoke does to a deal's points.

Source: RULES.md, "Revokes" 8 and "Other irregularities". Nothing here is applied unless the
table upholds a finding, or the ruleset's ``revoke_judge`` is ``automatic``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import Seat, Side, side_of
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
}


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
    if played is None:
        return None
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
