"""A recorded or imported game as one score sheet in JSON: what ``upcard score --json`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from engine.cards import Seat, side_of
from engine.deal import Deal, Finding
from engine.facts import GameStarted, Recorded
from engine.games import game_for
from engine.ruleset import BadRuleset, Mistake, Ruleset, ruleset_from, to_mapping
from engine.state import State, fold
from engine.wording import worded

#: ``as_played``: findings are listed and nothing is applied, as if nobody had claimed them.
#: ``automatic``: what the ruleset proposes for a proved revoke is applied, claimed or not.
#: ``recorded``: what the table or the director ruled stands, and nothing else.
Rulings: TypeAlias = Literal["as_played", "automatic", "recorded"]


def score_json(
    records: Sequence[Recorded],
    *,
    rules: Mapping[str, Any] | str | None = None,
    rulings: Rulings = "as_played",
) -> dict[str, Any]:
    """The score of one game, deal by deal.

    ``records``: the game's facts, in order. ``rules``: judge by these instead of the rules in
    the game's first fact (raises BadRuleset for those that cannot be played). Shape::

      {"score": [ns, ew], "winner": 0 | 1 | null,
       "deals": [{"points": [0, 1] | null, "tricks": [2, 3], "maker": 3 | null,
                  "trump": "h" | null, "alone": false, "lone_seat": null | 3,
                  "winners": [0, 1, null, ...], "result": "euchre" | null,
                  "findings": [{"kind": "revoke", "seat": 2, "trick": 1, "card": "9c",
                                "proven_at_trick": 3, "proof": "Kd", ...}]}]}

    Seats 0..3, tricks from 1. A passed-out deal has no maker and points [0, 0]. Where a card,
    and with it a trick, is not known, a deal that is over has its points if every way the
    unknown tricks may have gone gives the same; else points null, and it adds nothing.
    ``winners`` has an entry for each finished trick, null where it cannot be told.
    ``winner`` is the side at or past the target (or ahead after the agreed deals).

    In games where each scores alone ``score``, ``points`` and ``tricks`` have an entry a seat,
    ``winner`` is a seat, and a deal has the keys of its game besides (see :mod:`engine.view`).
    """
    state = fold(_judged_by(records, rules, automatic=rulings == "automatic"))
    results = [
        _result(deal, state.ruleset, rulings, over=deal is not state.deals[-1] or deal.complete)
        for deal in state.deals
    ]
    score, winner = _score(state, [points for points, _ in results])
    game = game_for(state.ruleset)
    return {
        "score": list(score),
        "winner": winner,
        "deals": [
            {**_deal(deal, *told), **game.deal_json(deal)}
            for deal, told in zip(state.deals, results, strict=True)
        ],
    }


def _judged_by(
    records: Sequence[Recorded], rules: Mapping[str, Any] | str | None, *, automatic: bool
) -> tuple[Recorded, ...]:
    """The records with other rules in the fact that starts the game."""
    changed: list[Recorded] = []
    for recorded in records:
        fact = recorded.fact
        if isinstance(fact, GameStarted) and (rules is not None or automatic):
            ruleset = ruleset_from(fact.rules if rules is None else rules)
            _check_players(ruleset, fact)
            if automatic:
                ruleset = replace(ruleset, revoke_judge="automatic")
            recorded = replace(recorded, fact=replace(fact, rules=to_mapping(ruleset)))
        changed.append(recorded)
    return tuple(changed)


def _check_players(ruleset: Ruleset, start: GameStarted) -> None:
    """Raise BadRuleset where the rules are for other players than the game was played by."""
    seats = game_for(ruleset).seats
    if seats != len(start.names):
        said = worded(
            "is for {count_needed} players and the game had {count}: give its own rules",
            count_needed=seats,
            count=len(start.names),
        )
        raise BadRuleset((Mistake(key="rules", value=ruleset.preset, said=said),))


def _result(
    deal: Deal, ruleset: Ruleset, rulings: Rulings, *, over: bool
) -> tuple[tuple[int, ...] | None, str | None]:
    """The deal's points and the name of its result, None while they cannot be told."""
    as_played = rulings == "as_played"
    points = deal.played_points if as_played else deal.points
    if points is not None:
        return points, deal.played_result if as_played else deal.result
    ruled = not as_played and any(finding.status == "upheld" for finding in deal.findings)
    if not over or ruled:
        return None, None
    return game_for(ruleset).points_anyway(deal, ruleset) or (None, None)


def _score(
    state: State, points: Sequence[tuple[int, ...] | None]
) -> tuple[tuple[int, ...], int | None]:
    """The score with every deal's points and every adjustment, and the side that won by it.

    The first side past the target at a deal's end stays the winner, whatever is recorded
    after that; a deal that cannot be counted is passed over.
    """
    game = game_for(state.ruleset)
    # An adjustment counts with the deal it was made in or after; how much each deal's score
    # moved beyond its points says where that was.
    score = state.initial_score
    before = state.initial_score
    scored = 0
    winner: int | None = None
    for deal, after, own in zip(state.deals, state.scores, points, strict=True):
        nothing = (0,) * game.sides
        moved = _minus(_minus(after, before), deal.points or nothing)
        score = _plus(_plus(score, moved), own or nothing)
        before = after
        scored += own is not None and deal.thrown_in is None
        if winner is None:
            winner = game.outcome(score, scored, state.ruleset).winner
    score = _plus(score, _minus(state.score, before))
    if winner is None:
        winner = game.outcome(score, scored, state.ruleset).winner
    return score, winner


def _plus(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    return tuple(x + y for x, y in zip(a, b, strict=True))


def _minus(a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    return tuple(x - y for x, y in zip(a, b, strict=True))


def _deal(deal: Deal, points: tuple[int, ...] | None, result: str | None) -> dict[str, Any]:
    return {
        "points": None if points is None else list(points),
        "tricks": list(deal.tricks_won),
        "maker": deal.maker,
        "trump": deal.trump,
        "alone": bool(deal.alone),
        "lone_seat": _lone_seat(deal),
        "winners": list(deal.winners),
        "result": result,
        "findings": [_finding(finding) for finding in deal.findings],
    }


def _lone_seat(deal: Deal) -> Seat | None:
    """The makers' lone hand, else a defender's."""
    makers = [s for s in deal.alone if side_of(s, deal.seats) == deal.makers]
    return next(iter((*makers, *deal.alone)), None)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "seat": finding.seat,
        "trick": finding.trick,
        "card": finding.card,
        "led": finding.led,
        "proof": finding.proof,
        "proven_at_trick": finding.proven_at_trick,
        "status": finding.status,
        "text": finding.text,
        "ruling": finding.ruling,
    }
