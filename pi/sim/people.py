"""The simulated players look up from their cards: they answer what the kit asks."""

from __future__ import annotations

import random
from typing import Final

from engine.commands import AnswerReview, ConfirmDeal
from engine.deal import Review
from engine.state import State
from pi.sim.script import Game

#: How long a question stands before somebody at the table answers it.
THINKING_US: Final = 6_000_000


class People:
    """Answers open questions with the truth, each once, ``thinking_us`` after it was asked.

    ``share`` of them; the others are left to whoever sits at the page. ``seed``: which ones.
    """

    def __init__(
        self, *, thinking_us: int = THINKING_US, share: float = 1.0, seed: int = 1
    ) -> None:
        self._thinking_us = thinking_us
        self._share = share
        self._rng = random.Random(f"people {seed}")
        self._asked_us: dict[tuple[str, int], int] = {}
        self._answered: set[tuple[str, int]] = set()

    def answers(self, state: State, game: Game, *, at_us: int) -> tuple[AnswerReview, ...]:
        """The answers given by ``at_us``."""
        given: list[AnswerReview] = []
        for review in state.reviews:
            name = (state.game_id, review.version)
            asked_us = self._asked_us.setdefault(name, at_us)
            if name in self._answered or at_us - asked_us < self._thinking_us:
                continue
            self._answered.add(name)
            if self._rng.random() >= self._share:
                continue
            given.append(answer_to(review, state, game))
            # One at a time: the next answer looks at what this one has changed.
            break
        return tuple(given)

    def confirmations(self, state: State, *, at_us: int) -> tuple[ConfirmDeal, ...]:
        """The points of the last deal are marked, if a question came in the way of that."""
        deal = state.deal
        if deal is None or not deal.complete or deal.confirmed or state.reviews:
            return ()
        if deal.points is None or not any(deal.points):
            return ()
        name = (state.game_id, -deal.number)
        asked_us = self._asked_us.setdefault(name, at_us)
        if name in self._answered or at_us - asked_us < self._thinking_us:
            return ()
        self._answered.add(name)
        return (ConfirmDeal(deal=deal.number),) if self._rng.random() < self._share else ()


def answer_to(review: Review, state: State, game: Game) -> AnswerReview:
    """The true card where the question stands; None, not a card, where none lay."""
    if not 1 <= review.deal <= len(game.deals):
        return AnswerReview(review=review.version, card=None)
    true = game.deals[review.deal - 1]
    if review.subject == "upcard":
        return AnswerReview(review=review.version, card=true.upcard)
    seen = state.deals[review.deal - 1]
    known = {
        play.card
        for trick in seen.tricks
        for play in (*trick.plays, *trick.extra)
        if play.review is None and play.card is not None
    }
    if review.trick is None or review.trick > len(true.tricks):
        return AnswerReview(review=review.version, card=None)
    waiting = [play for play in true.tricks[review.trick - 1] if play.card not in known]
    if review.target is not None:
        # A card that was read otherwise later: the place is known, the card is asked.
        doubted = next(
            (p for t in seen.tricks for p in t.plays if p.version == review.target), None
        )
        at_place = [
            play
            for play in true.tricks[review.trick - 1]
            if doubted is not None and play.seat == doubted.seat
        ]
        waiting = at_place or waiting
    fitting = [play for play in waiting if play.seat == review.seat]
    if review.seat is None and len(waiting) == 1:
        fitting = waiting
    if not fitting:
        return AnswerReview(review=review.version, card=None)
    return AnswerReview(review=review.version, card=fitting[0].card, seat=fitting[0].seat)
