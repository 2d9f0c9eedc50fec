"""A line for every fact that a clip's session records, whoever told of it; nothing guessed."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from engine.cards import Card, parse_card
from engine.commands import (
    AnswerReview,
    Call,
    ClearTrick,
    Command,
    ConfirmDeal,
    Correct,
    Declare,
    Discard,
    PlayCard,
    ShowUpcard,
    StartGame,
    TakeUpcard,
    ThrowIn,
    TurnDownUpcard,
)
from engine.sightings import CardRested, Place
from pi.watch import BadCommands, CommandsMissing, _Session, parse_commands, read_commands

#: West deals, the ten of hearts is turned up, and North leads.
DEALER = 3


class Session:
    """A session over a clip that is told of by hand, one second after the other."""

    def __init__(
        self, *, declaration: Declare | None = None, maker_known: bool = True, rules: str = "home"
    ) -> None:
        self.lines: list[dict[str, Any]] = []
        self.said: list[str] = []
        self._seconds = itertools.count(1)
        self._tracks = itertools.count(1)
        self._session = _Session(
            rules=rules,
            declaration=declaration,
            maker_known=maker_known,
            commands=(),
            emit=self.lines.append,
            complain=self.said.append,
        )

    def do(self, *commands: Command, who: str = "seat:0") -> None:
        for command in commands:
            self._session._submit(command, who, next(self._seconds) * 1_000_000)

    def rests(self, seat: int, card: str | None, **votes: float) -> None:
        """A card came to rest before ``seat``; without a name it is in doubt between ``votes``."""
        named = None if card is None else parse_card(card)
        told = tuple((Card(name), share) for name, share in votes.items()) or (
            () if named is None else ((named, 0.99),)
        )
        self._session.see(
            CardRested(
                at_us=next(self._seconds) * 1_000_000,
                track=next(self._tracks),
                card=named,
                confidence=0.99 if named is not None else 0.5,
                votes=told,
                place=Place(seat=seat),
                box=(0.0, 0.0, 10.0, 14.0),
                why=None if named is not None else "low",
            )
        )

    def deal(self) -> None:
        self.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER), TakeUpcard())
        self.do(Declare(maker=0, trump="h"))

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["kind"] == kind]


# --- what people say ---------------------------------------------------------------------------


def test_calls_the_discard_and_a_deal_thrown_in_each_have_a_line() -> None:
    session = Session()
    session.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER))
    session.do(Call(seat=0, call="pass"), Call(seat=1, call="order_up"))
    session.do(Discard(seat=DEALER))
    session.do(ThrowIn(reason="misdeal"))
    told = [(line["kind"], line["seat"], line["card"]) for line in session.lines]
    assert ("called", 0, None) in told
    assert [line["call"] for line in session.of("called")] == ["pass", "order_up"]
    assert ("discarded", DEALER, None) in told
    (thrown,) = session.of("deal_thrown_in")
    assert (thrown["seat"], thrown["reason"]) == (None, "misdeal")


def test_an_upcard_that_is_turned_down_is_told_as_its_dealers() -> None:
    session = Session()
    session.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER), TurnDownUpcard())
    (told,) = session.of("upcard_turned_down")
    assert (told["seat"], told["card"]) == (DEALER, "Th")


def test_a_correction_is_told_with_what_it_mends_and_why() -> None:
    session = Session()
    session.deal()
    session.rests(0, "Ah")
    version = session._session._table.version
    session.do(Correct(target=version, card=parse_card("Kh"), reason="misread"))
    (told,) = session.of("corrected")
    assert (told["target"], told["reason"]) == (version, "misread")


def test_a_command_that_makes_no_sense_is_complained_of_with_its_moment_and_the_rest_goes_on() -> (
    None
):
    session = Session()
    session.do(ConfirmDeal(deal=7))
    assert session.said[0].startswith("at 1000000 us: ")
    assert session.lines == []
    session.deal()
    assert session.of("upcard_shown")


# --- a card in doubt ---------------------------------------------------------------------------


def test_an_answered_review_is_told_with_the_seat_that_was_in_doubt() -> None:
    session = Session()
    session.deal()
    session.rests(0, None, Ah=0.5, Kh=0.4)
    (review,) = session.of("review")
    assert (review["seat"], review["best"], review["candidates"]) == (0, "Ah", ["Ah", "Kh"])
    session.do(AnswerReview(review=review["review"], card=parse_card("Kh")))
    (told,) = session.of("review_answered")
    assert (told["seat"], told["card"], told["review"]) == (0, "Kh", review["review"])


def trick(session: Session, doubtful: dict[str, float]) -> dict[str, Any]:
    """North leads the queen of diamonds, East's card is in doubt; the line of the clearing."""
    session.rests(0, "Qd")
    session.rests(1, None, **doubtful)
    session.rests(2, "Td")
    session.rests(3, "9c")
    session.do(ClearTrick())
    (told,) = session.of("trick_cleared")
    return told


@pytest.mark.parametrize(
    ("doubtful", "winner"),
    [
        ({"Kd": 0.5, "Ad": 0.4}, 1),
        ({"9h": 0.5, "Kh": 0.4}, 1),
        ({"9d": 0.5, "9s": 0.4}, 0),
        ({"Kd": 0.5, "9d": 0.4}, None),
        ({"9h": 0.5, "9d": 0.4}, None),
    ],
    ids=["either is higher", "either trumps", "neither wins", "one is higher", "one trumps"],
)
def test_with_a_card_in_doubt_the_winner_is_told_only_where_every_reading_gives_it(
    doubtful: dict[str, float], winner: int | None
) -> None:
    session = Session()
    session.deal()
    told = trick(session, doubtful)
    assert told["seat"] == winner
    assert told.get("inferred", False) is (winner is not None)


def test_nothing_is_inferred_of_a_card_that_nobody_could_read_at_all() -> None:
    session = Session()
    session.deal()
    assert trick(session, {})["seat"] is None


def test_while_trump_is_unknown_no_winner_is_told() -> None:
    session = Session()
    # Turned down: nothing says yet what is trump.
    session.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER), TurnDownUpcard())
    assert trick(session, {"9d": 0.5, "9s": 0.4})["seat"] is None


def test_a_card_of_known_name_and_winner_is_not_called_inferred() -> None:
    session = Session()
    session.deal()
    for seat, card in enumerate(("Qd", "Kd", "Td", "9c")):
        session.rests(seat, card)
    session.do(ClearTrick())
    (told,) = session.of("trick_cleared")
    assert told["seat"] == 1
    assert "inferred" not in told


# --- who made it -------------------------------------------------------------------------------

TRICKS = (
    ("Qd", "Kd", "Td", "9d"),
    ("Qc", "Kc", "9c", "Tc"),
    ("Qs", "Ks", "9s", "Ts"),
    ("Ad", "Ac", "As", "Ah"),
    ("Jd", "Jc", "Js", "Jh"),
)


def play(session: Session) -> None:
    """Five tricks in the order of the seats, whoever leads: only that they are played counts."""
    leader = 0
    for cards in TRICKS:
        for step, card in enumerate(cards):
            session.do(PlayCard(seat=(leader + step) % 4, card=parse_card(card)))
        session.do(ClearTrick())
        deal = session._session._table.state.deals[-1]
        leader = deal.tricks[-1].winner if deal.tricks[-1].winner is not None else leader


def test_a_dealer_that_stands_in_for_an_unknown_maker_is_named_nowhere_and_scores_nothing() -> None:
    session = Session(declaration=Declare(maker=0, trump="h"), maker_known=False)
    session.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER), TakeUpcard())
    session.rests(0, "Qd")
    (declared,) = session.of("declared")
    assert (declared["seat"], declared["trump"]) == (None, "h")
    session.do(Declare(maker=1, trump="h", deal=1))
    assert [line["seat"] for line in session.of("declared")] == [None, 1]


def test_points_are_told_once_with_the_score_and_again_where_they_change() -> None:
    session = Session()
    session.deal()
    play(session)
    (scored,) = session.of("deal_scored")
    assert (scored["deal"], scored["maker"], scored["trump"]) == (1, 0, "h")
    assert sum(scored["tricks"]) == 5
    assert scored["score"] == scored["points"]
    before = scored["points"]
    session.do(ConfirmDeal(deal=1))
    assert len(session.of("deal_confirmed")) == 1
    assert len(session.of("deal_scored")) == 1, "confirmed, they are the same points"
    session.do(Declare(maker=1, trump="h", deal=1))
    assert len(session.of("deal_scored")) == 2
    assert session.of("deal_scored")[-1]["points"] != before


def test_points_of_a_deal_whose_maker_nobody_named_are_not_told() -> None:
    session = Session(declaration=Declare(maker=0, trump="h"), maker_known=False)
    session.do(ShowUpcard(card=parse_card("Th"), dealer=DEALER), TakeUpcard())
    session.rests(0, "Qd")
    for seat, card in ((1, "Kd"), (2, "Td"), (3, "9d")):
        session.do(PlayCard(seat=seat, card=parse_card(card)))
    session.do(ClearTrick())
    leader = 1
    for cards in TRICKS[1:]:
        for step, card in enumerate(cards):
            session.do(PlayCard(seat=(leader + step) % 4, card=parse_card(card)))
        session.do(ClearTrick())
        winner = session._session._table.state.deals[-1].tricks[-1].winner
        leader = leader if winner is None else winner
    assert session._session._table.state.deals[-1].points is not None
    assert session.of("deal_scored") == []
    # Somebody says it afterwards: now it is known.
    session.do(Declare(maker=1, trump="h", deal=1))
    assert len(session.of("deal_scored")) == 1


def test_a_game_that_the_commands_begin_themselves_is_not_begun_twice() -> None:
    said: list[str] = []
    start = StartGame(rules="pub", dealer=2)
    session = _Session(
        rules="home",
        declaration=None,
        maker_known=True,
        commands=[(0, "page", start)],
        emit=lambda line: None,
        complain=said.append,
    )
    session.commands_until(None)
    assert session._table.state.ruleset.preset == "pub"
    assert said == []


# --- the commands beside a clip ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("nonsense", "no JSON: write one object a line"),
        ("[1]", "no command: write an object such as"),
        ('{"kind":"throw_in"}', "at_us is None: give the clip's time in whole microseconds"),
        ('{"kind":"throw_in","at_us":-1}', "at_us is -1"),
        ('{"kind":"throw_in","at_us":true}', "at_us is True"),
        ('{"kind":"throw_in","at_us":1.5}', "at_us is 1.5"),
        ('{"kind":"throw_in","at_us":1,"source":""}', "source is '': say who gave the command"),
        ('{"kind":"throw_in","at_us":1,"source":7}', "source is 7"),
        ('{"kind":"throw_in","at_us":1,"why":"x"}', "why"),
    ],
)
def test_a_line_that_is_no_command_is_named_by_its_number_and_the_others_are_done(
    tmp_path: Path, line: str, says: str
) -> None:
    path = tmp_path / "deal.commands.jsonl"
    good = '{"at_us":%d,"kind":"confirm_deal","deal":1}'
    path.write_text(f"{good % 9}\n\n{line}\n{good % 3}\n")
    read = parse_commands(path)
    assert [at_us for at_us, _, _ in read.commands] == [3, 9], "by time, whatever their order"
    (fault,) = read.faults
    assert fault.startswith(f"{path} line 3: ")
    assert says in fault
    with pytest.raises(BadCommands, match="line 3"):
        read_commands(path)


def test_what_holds_no_commands_at_all_is_named_with_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(CommandsMissing, match="is a folder: give a file of JSON lines"):
        parse_commands(tmp_path)
    with pytest.raises(CommandsMissing, match="is not there: give a file of JSON lines"):
        parse_commands(tmp_path / "none.jsonl")
    (tmp_path / "picture.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(BadCommands, match="is no text: give a file of JSON lines"):
        parse_commands(tmp_path / "picture.jpg")
