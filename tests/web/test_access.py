"""Who may do what: codes, roles, and the table from every command to those who may send it."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.cards import parse_card
from engine.commands import (
    AdjustScore,
    AnswerReview,
    BidTricks,
    Call,
    CallAce,
    Claim,
    Command,
    ConfirmDeal,
    ConfirmGame,
    Declare,
    Discard,
    Drop,
    EndGame,
    PassCard,
    PauseGame,
    PlayCard,
    ResumeGame,
    RuleFinding,
    ShowHand,
    ShowTableCard,
    Stay,
    SwapWidow,
    TakeUpcard,
    TurnDownUpcard,
)
from engine.wording import Sentence, english
from web_dashboard.access import (
    HOLDERS,
    PERMITS,
    WATCHING,
    Access,
    Tries,
    Viewer,
    network_of,
    refused,
    viewer_of,
)
from web_dashboard.errors import BadAccessFile


def told(said: Sentence | None) -> str:
    """What was said, with the names of the deal below."""
    assert said is not None
    return english(said, [seat["name"] for seat in DEALING["seats"]])


EAST = Viewer(role="seat", seat=1)
TABLE = Viewer(role="table")
DIRECTOR = Viewer(role="director")
KH = parse_card("Kh")

#: A deal dealt by East, nobody made trump, a card of East's in doubt.
DEALING: dict[str, Any] = {
    "seats": [{"seat": n, "name": name} for n, name in enumerate(("Ann", "Ben", "Cleo", "Dan"))],
    "deal": {"number": 3, "dealer": 1, "maker": None},
    "reviews": [
        {"id": 9, "seat": 1, "candidates": [["Kh", 0.6], ["Kd", 0.4]]},
        {"id": 10, "seat": 2, "candidates": [["Kh", 0.6]]},
    ],
}

#: What East may say from its own page, and the nearest thing it may not.
OWN: tuple[tuple[Command, Command], ...] = (
    (Call(seat=1, call="pass"), Call(seat=2, call="pass")),
    (Declare(maker=1, trump="h"), Declare(maker=2, trump="h")),
    (Declare(maker=1, trump="h", alone=1), Declare(maker=1, trump="h", alone=3)),
    (Declare(maker=1, trump="h", deal=3), Declare(maker=1, trump="h", deal=2)),
    (Declare(maker=1, trump="h"), Declare(maker=1, trump="h", defender_alone=0)),
    (BidTricks(seat=1, tricks=3), BidTricks(seat=0, tricks=3)),
    (SwapWidow(seat=1), SwapWidow(seat=2)),
    (ConfirmGame(seat=1), ConfirmGame(seat=2)),
    (Stay(seat=1), Stay(seat=2)),
    (Drop(seat=1), Drop(seat=2)),
    (Discard(seat=1), Discard(seat=2)),
    (Discard(seat=1), Discard(seat=1, card=KH)),
    (PassCard(seat=1), PassCard(seat=3)),
    (PassCard(seat=1), PassCard(seat=1, card=KH)),
    (PlayCard(seat=1, card=KH), PlayCard(seat=2, card=KH)),
    (ShowTableCard(seat=1, card=KH), ShowTableCard(seat=0, card=KH)),
    (ShowHand(seat=1, cards=(KH,)), ShowHand(seat=0, cards=(KH,))),
    (Claim(seat=2, offence="revoke", by=1), Claim(seat=2, offence="revoke", by=0)),
    (Claim(seat=2, offence="revoke", by=1), Claim(seat=2, offence="revoke")),
    (AnswerReview(review=9, card=KH), AnswerReview(review=9, card=parse_card("9h"))),
    (AnswerReview(review=9, card=KH), AnswerReview(review=9, card=None)),
    (AnswerReview(review=9, card=KH, seat=1), AnswerReview(review=9, card=KH, seat=2)),
    (AnswerReview(review=9, card=KH), AnswerReview(review=10, card=KH)),
    (AnswerReview(review=9, card=KH), AnswerReview(review=99, card=KH)),
)


def test_every_command_there_is_has_a_permit_and_nothing_else_has() -> None:
    assert set(PERMITS) == set(get_args(Command))


@pytest.mark.parametrize("kind", get_args(Command), ids=lambda kind: kind.__name__)
def test_who_only_watches_may_send_nothing_and_the_director_everything(kind: Any) -> None:
    # The permit is decided by the kind before any field of a command is looked at.
    command = object.__new__(kind)
    assert refused(WATCHING, command, DEALING, home=True)
    assert refused(DIRECTOR, command, DEALING, home=False) is None


@pytest.mark.parametrize("kind", get_args(Command), ids=lambda kind: kind.__name__)
def test_the_table_may_all_of_a_games_flow_and_rules_only_where_there_is_no_director(
    kind: Any,
) -> None:
    command = object.__new__(kind)
    ruling = kind in (RuleFinding, AdjustScore, PauseGame, ResumeGame, EndGame)
    assert bool(refused(TABLE, command, DEALING, home=False)) is ruling
    assert refused(TABLE, command, DEALING, home=True) is None


@pytest.mark.parametrize(("own", "others"), OWN, ids=lambda command: type(command).__name__)
def test_a_seat_speaks_for_itself_and_for_nobody_else(own: Command, others: Command) -> None:
    assert refused(EAST, own, DEALING, home=False) is None
    reason = refused(EAST, others, DEALING, home=True)
    assert reason
    assert len(told(reason)) > 10


def test_only_the_dealer_settles_the_upcard_and_only_the_maker_calls_an_ace() -> None:
    for command in (TakeUpcard(), TurnDownUpcard()):
        assert refused(EAST, command, DEALING, home=False) is None
        assert "Ben" in told(refused(Viewer(role="seat", seat=2), command, DEALING, home=False))
    ace = CallAce(card=parse_card("Ah"))
    assert refused(EAST, ace, DEALING, home=False)
    made = {**DEALING, "deal": {"number": 3, "dealer": 1, "maker": 1}}
    assert refused(EAST, ace, made, home=False) is None


def test_a_seat_does_not_talk_over_another_that_made_trump() -> None:
    made = {**DEALING, "deal": {"number": 3, "dealer": 1, "maker": 2}}
    assert "Cleo made trump" in told(refused(EAST, Declare(maker=1, trump="h"), made, home=False))
    own = {**DEALING, "deal": {"number": 3, "dealer": 1, "maker": 1}}
    assert refused(EAST, Declare(maker=1, trump="s"), own, home=False) is None


def test_a_seat_may_do_nothing_that_is_not_listed_for_seats() -> None:
    listed = {kind for kind, permit in PERMITS.items() if permit.seat is not None}
    assert listed == {type(own) for own, _ in OWN} | {
        CallAce,
        TakeUpcard,
        TurnDownUpcard,
        ConfirmDeal,
    }
    for kind in set(get_args(Command)) - listed:
        assert refused(EAST, object.__new__(kind), DEALING, home=True), kind


# --- codes -------------------------------------------------------------------------------


def test_codes_are_digits_all_different_and_open_what_they_are_for() -> None:
    access = Access()
    codes = {holder: access.code(holder) for holder in HOLDERS}
    assert len(set(codes.values())) == len(HOLDERS)
    for holder, code in codes.items():
        assert code.isdecimal()
        assert len(code) == (6 if holder.startswith("seat:") else 8)
        assert access.find(code) == viewer_of(holder)
        assert access.find(f" {code[:3]} {code[3:]}-") == viewer_of(holder)
    for wrong in ("", " ", "0", codes["table"][:-1], codes["table"] + "0", "٣٤٥٦٧٨", "é"):
        assert access.find(wrong) is None


def test_codes_and_sessions_outlive_a_restart_in_a_file_only_its_owner_reads(
    tmp_path: Path,
) -> None:
    path = tmp_path / "codes.json"
    before, after = Access(path), Access(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [before.code(h) for h in HOLDERS] == [after.code(h) for h in HOLDERS]
    assert before.mark(EAST) == after.mark(EAST)
    assert before.cookie_name == after.cookie_name
    path.chmod(0o644)
    Access(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_changed_code_is_another_and_ends_the_sessions_it_opened(tmp_path: Path) -> None:
    access = Access(tmp_path / "codes.json")
    old, mark, others = access.code("seat:1"), access.mark(EAST), access.mark(TABLE)
    access.change("seat:1")
    assert access.find(old) is None
    assert access.mark(EAST) != mark
    assert access.mark(TABLE) == others
    access.change()
    assert access.mark(TABLE) != others
    assert Access(tmp_path / "codes.json").code("table") == access.code("table")


def test_two_kits_share_neither_cookies_nor_codes() -> None:
    assert Access().cookie_name != Access().cookie_name


@pytest.mark.parametrize(
    "damage",
    [
        lambda told: told | {"secret": "short"},
        lambda told: told | {"codes": {}},
        lambda told: told | {"home": "yes"},
        lambda told: told | {"codes": dict.fromkeys(told["codes"], "123456")},
        lambda told: {"secret": told["secret"]},
        lambda told: [],
    ],
)
def test_a_damaged_file_of_codes_is_named_with_the_cure(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "codes.json"
    Access(path)
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(BadAccessFile, match=r"codes\.json is damaged: delete it"):
        Access(path)


def test_a_code_that_cannot_be_kept_is_not_changed(tmp_path: Path) -> None:
    folder = tmp_path / "kit"
    folder.mkdir()
    access = Access(folder / "codes.json")
    old = access.code("table")
    (folder / "codes.json").unlink()
    folder.rmdir()
    with pytest.raises(BadAccessFile, match="make its folder writable"):
        access.change("table")
    assert access.code("table") == old


# --- guessing ----------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def guess(tries: Tries, address: str = "192.168.1.9") -> float:
    """One wrong code; the wait it met, 0 when it was looked at."""
    waited = tries.attempt(address, lambda: None)
    return 0.0 if waited is None else float(waited)  # type: ignore[arg-type]


def test_mistyping_thrice_costs_nothing_and_then_the_wait_doubles() -> None:
    clock = Clock()
    tries = Tries(clock)
    waits = []
    for _ in range(14):
        wait_s = guess(tries)
        waits.append(round(wait_s))
        if wait_s:
            clock.now_s += wait_s
            assert guess(tries) == 0.0
    assert waits[:7] == [0, 0, 0, 1, 2, 4, 8]
    assert max(waits) == 300


def test_a_try_during_the_wait_is_not_looked_at_even_when_it_is_right() -> None:
    clock = Clock()
    tries = Tries(clock)
    for _ in range(3):
        guess(tries)
    assert tries.attempt("192.168.1.9", lambda: EAST) == pytest.approx(1.0)
    assert tries.attempt("192.168.1.10", lambda: EAST) == EAST
    clock.now_s += 1.0
    assert tries.attempt("192.168.1.9", lambda: EAST) == EAST
    assert guess(tries) == 0.0


def test_many_addresses_together_are_held_to_six_guesses_a_minute() -> None:
    clock = Clock()
    tries = Tries(clock)
    looked_at = 0
    for second in range(3600):
        for host in range(3):
            looked_at += guess(tries, f"10.0.{second % 200}.{host}") == 0.0
        clock.now_s += 1.0
    assert looked_at <= 30 + 360 + 1


def test_an_address_of_the_sixth_internet_protocol_is_its_network() -> None:
    assert network_of("fe80::1%eth0") == network_of("fe80::dead:beef")
    assert network_of("2001:db8:1:2::1") != network_of("2001:db8:1:3::1")
    assert network_of("::ffff:10.0.0.1") == network_of("10.0.0.1") == "10.0.0.1"
    assert network_of("no address") == "no address"
