"""The simulated players answer the kit's questions with the truth."""

from __future__ import annotations

from engine.cards import Card
from engine.commands import AnswerReview, ConfirmDeal, Declare, StartGame
from engine.deal import Review
from engine.memory_log import MemoryLog
from engine.sightings import CardLeft, CardRested, Place, TableCleared
from engine.table import Accepted, Table
from pi.sim.compare import compare
from pi.sim.people import People, answer_to
from pi.sim.script import Deal, Game, Terms, play_game

SEED = next(
    seed
    for seed in range(1, 200)
    if len((g := play_game(seed=seed, terms=Terms(target=1))).deals) == 1
    and g.deals[0].taken
    and g.deals[0].alone is None
)
GAME = play_game(seed=SEED, terms=Terms(target=1))
DEAL = GAME.deals[0]


class Telling:
    """Plays the deal to a table as sightings, with chosen cards unread or unseen."""

    def __init__(self, *, unsure: frozenset[Card], unseen: frozenset[Card]) -> None:
        self.table = Table(MemoryLog(), clock_us=lambda: self.now_us)
        self.now_us = 0
        self.unsure, self.unseen = unsure, unseen
        self.tracks = 0

    def rested(self, card: Card, place: Place, seat: int) -> int:
        self.tracks += 1
        self.now_us += 1_000_000
        if card not in self.unseen:
            doubtful = card in self.unsure
            sighting = CardRested(
                at_us=self.now_us,
                track=self.tracks,
                card=None if doubtful else card,
                confidence=0.6 if doubtful else 0.99,
                votes=((card, 0.6), (Card("9c"), 0.3)),
                place=place,
                box=(0.0, 0.0, 9.0, 9.0),
                laid_from=seat,
                why="low" if doubtful else None,
            )
            self.table.see(sighting)
        return self.tracks

    def tell(self, deal: Deal) -> Table:
        rules = {"preset": "home", "target": 1}
        start = StartGame(rules=rules, dealer=deal.dealer)
        assert isinstance(self.table.submit(start, source="page"), Accepted)
        middle = Place(seat=deal.dealer, middle=True, clear=False)
        upcard = self.rested(deal.upcard, middle, deal.dealer)
        self.table.see(CardLeft(at_us=self.now_us, track=upcard))
        assert deal.maker is not None
        assert deal.trump is not None
        self.table.submit(Declare(maker=deal.maker, trump=deal.trump), source="page")
        for trick in deal.tricks:
            for play in trick:
                self.rested(play.card, Place(seat=play.seat), play.seat)
            self.now_us += 1_000_000
            self.table.see(TableCleared(at_us=self.now_us))
        return self.table


def answer_all(table: Table, game: Game) -> list[AnswerReview]:
    people = People(thinking_us=5)
    given = []
    for at_us in range(0, 200, 1):
        for answer in people.answers(table.state, game, at_us=at_us):
            assert isinstance(table.submit(answer, source="page"), Accepted)
            given.append(answer)
    return given


def test_a_doubtful_and_an_unseen_card_are_told_and_the_game_is_right_again() -> None:
    unsure = frozenset({DEAL.tricks[0][1].card, DEAL.tricks[3][3].card})
    unseen = frozenset({DEAL.tricks[1][2].card, DEAL.tricks[2][3].card})
    table = Telling(unsure=unsure, unseen=unseen).tell(DEAL)
    before = compare(GAME, table.state)
    assert before.verdict == "reviews"
    assert before.reviews == 4
    given = answer_all(table, GAME)
    assert {answer.card for answer in given} == unsure | unseen
    table.submit(ConfirmDeal(deal=1), source="page")
    after = compare(GAME, table.state)
    assert after.differences == ()
    assert after.verdict == "equal"


def test_nobody_answers_before_having_thought() -> None:
    table = Telling(unsure=frozenset({DEAL.tricks[0][1].card}), unseen=frozenset()).tell(DEAL)
    people = People(thinking_us=1_000)
    assert people.answers(table.state, GAME, at_us=10_000) == ()
    assert people.answers(table.state, GAME, at_us=10_999) == ()
    assert len(people.answers(table.state, GAME, at_us=11_000)) == 1
    assert people.answers(table.state, GAME, at_us=12_000) == (), "each question once"


def review(*, seat: int | None, trick: int | None, deal: int = 1) -> Review:
    return Review(
        version=7,
        subject="play",
        seat=seat,
        candidates=(),
        reason="unsure",
        track=None,
        box=None,
        evidence=None,
        at_us=0,
        deal=deal,
        trick=trick,
    )


def test_a_question_about_nothing_is_answered_with_not_a_card() -> None:
    state = Telling(unsure=frozenset(), unseen=frozenset()).tell(DEAL).state
    # Every card of the trick is known: what lies beside them is none.
    for nothing in (
        review(seat=DEAL.tricks[1][0].seat, trick=2),
        review(seat=0, trick=None),
        review(seat=0, trick=1, deal=9),
    ):
        assert answer_to(nothing, state, GAME) == AnswerReview(review=7, card=None)


def test_a_card_whose_seat_nobody_saw_is_told_with_its_seat() -> None:
    missing = DEAL.tricks[2][1]
    telling = Telling(unsure=frozenset(), unseen=frozenset({missing.card}))
    state = telling.tell(DEAL).state
    answer = answer_to(review(seat=None, trick=3), state, GAME)
    assert answer == AnswerReview(review=7, card=missing.card, seat=missing.seat)


def test_who_is_told_to_answer_nothing_answers_nothing_and_half_of_them_half() -> None:
    unsure = frozenset(play.card for trick in DEAL.tricks for play in trick[:2])
    table = Telling(unsure=unsure, unseen=frozenset()).tell(DEAL)
    asked = len(table.state.reviews)
    assert asked >= 10
    for share, least, most in ((0.0, 0, 0), (0.5, 2, asked - 2), (1.0, asked, asked)):
        people = People(thinking_us=5, share=share)
        given = [a for t in range(100) for a in people.answers(table.state, GAME, at_us=t)]
        assert least <= len(given) <= most


def test_points_that_a_question_kept_from_being_marked_are_marked_later() -> None:
    table = Telling(unsure=frozenset(), unseen=frozenset()).tell(DEAL)
    people = People(thinking_us=1_000)
    assert people.confirmations(table.state, at_us=0) == ()
    assert people.confirmations(table.state, at_us=1_000) == (ConfirmDeal(deal=1),)
    assert people.confirmations(table.state, at_us=2_000) == (), "each once"
    table.submit(ConfirmDeal(deal=1), source="page")
    assert People(thinking_us=0).confirmations(table.state, at_us=0) == ()


def test_nobody_marks_points_while_a_card_is_in_doubt() -> None:
    unsure = frozenset({DEAL.tricks[0][1].card})
    table = Telling(unsure=unsure, unseen=frozenset()).tell(DEAL)
    assert People(thinking_us=0).confirmations(table.state, at_us=9) == ()
