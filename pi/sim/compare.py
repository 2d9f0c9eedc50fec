"""Is what the kit knows what truly happened? Equal, in question, or wrong in silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.cards import Card, Seat
from engine.deal import Deal as SeenDeal
from engine.state import State
from pi.sim.script import Deal, Game

Verdict: TypeAlias = Literal["equal", "reviews", "WRONG"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``reviews``: how many questions are open. ``differences``: in words, where it is not equal.

    ``reviews`` is the verdict where every difference stands in a deal with an open question (or
    follows from one); ``WRONG`` where anything differs and nobody is asked.
    """

    verdict: Verdict
    reviews: int
    differences: tuple[str, ...]


def compare(game: Game, state: State) -> Comparison:
    """Hold the folded state against the script's truth, fact by fact and point by point."""
    silent: list[str] = []
    asked: list[str] = []
    in_doubt = False
    for number in range(max(len(game.deals), len(state.deals))):
        true = game.deals[number] if number < len(game.deals) else None
        seen = state.deals[number] if number < len(state.deals) else None
        if true is None or seen is None:
            lost = f"deal {number + 1}: " + ("never dealt" if true is None else "not seen")
            (asked if in_doubt else silent).append(lost)
            continue
        questions = bool(seen.reviews)
        in_doubt = in_doubt or questions
        for difference in _deal_differences(true, seen):
            (asked if questions else silent).append(f"deal {true.number}: {difference}")
        silent += [f"deal {true.number}: {name}" for name in _cards_never_played(true, seen)]
    if tuple(state.score) != game.score:
        text = f"score {tuple(state.score)}, truly {game.score}"
        (asked if in_doubt else silent).append(text)
    verdict: Verdict = "equal"
    if silent:
        verdict = "WRONG"
    elif asked or state.reviews:
        verdict = "reviews"
    return Comparison(
        verdict=verdict, reviews=len(state.reviews), differences=tuple(silent + asked)
    )


def _deal_differences(true: Deal, seen: SeenDeal) -> Iterator[str]:
    up = seen.upcard
    if up is None or up.card != true.upcard:
        yield f"up-card {None if up is None else up.card}, truly {true.upcard}"
    elif (up.state == "taken") != true.taken:
        yield f"up-card {up.state}, truly {'taken' if true.taken else 'turned down'}"
    alone = (true.alone,) if true.alone is not None else ()
    for name, is_seen, is_true in (
        ("dealer", seen.dealer, true.dealer),
        ("maker", seen.maker, true.maker),
        ("trump", seen.trump, true.trump),
        ("alone", seen.alone, alone),
        ("tricks", len(seen.tricks), len(true.tricks)),
        ("winners", seen.winners, true.winners),
        ("points", seen.played_points or (0, 0), true.points),
    ):
        if is_seen != is_true:
            yield f"{name} {is_seen}, truly {is_true}"
    for number, (found, played) in enumerate(zip(seen.tricks, true.tricks, strict=False), start=1):
        plays = [(play.seat, play.card) for play in found.plays]
        truly = [(play.seat, play.card) for play in played]
        if plays != truly:
            yield f"trick {number} {_words(plays)}, truly {_words(truly)}"
        if found.extra:
            extra = [(play.seat, play.card) for play in found.extra]
            yield f"trick {number} has {_words(extra)} beside it"
    yield from _finding_differences(true, seen)


def _finding_differences(true: Deal, seen: SeenDeal) -> Iterator[str]:
    revokes = [
        (f.seat, f.trick, f.card, f.proof, f.proven_at_trick)
        for f in seen.findings
        if f.kind == "revoke"
    ]
    planted = true.revoke
    truly = (
        []
        if planted is None
        else [(planted.seat, planted.trick, planted.card, planted.proof, planted.proven_at_trick)]
    )
    if revokes != truly:
        yield f"revokes {revokes}, truly {truly}"
    others = [finding.id for finding in seen.findings if finding.kind != "revoke"]
    if others and true.out_of_turn is None:
        yield f"findings {others}, truly none"
    if true.out_of_turn is not None and not others:
        yield f"no finding, truly {true.out_of_turn}"


def _cards_never_played(true: Deal, seen: SeenDeal) -> Iterator[str]:
    """A card named as sure that this seat never laid is wrong whatever else is asked."""
    truly = {(play.seat, play.card) for trick in true.tricks for play in trick}
    for trick in seen.tricks:
        for play in (*trick.plays, *trick.extra):
            unsure = play.card is None or play.seat is None or play.review is not None
            doubted = any(review.target == play.version for review in seen.reviews)
            if not unsure and not doubted and (play.seat, play.card) not in truly:
                yield f"trick {trick.number}: seat {play.seat} never played {play.card}"


def _words(plays: Sequence[tuple[Seat | None, Card | None]]) -> str:
    return " ".join(f"{'?' if seat is None else seat}:{card or '?'}" for seat, card in plays)
