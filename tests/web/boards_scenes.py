"""Games of every shape on a real table, for pages to show: one deal played out, one under way."""

from __future__ import annotations

from engine.cards import Card
from engine.commands import (
    BidTricks,
    Call,
    CallAce,
    ClearTrick,
    Command,
    ConfirmDeal,
    Declare,
    Drop,
    PlayCard,
    Rejected,
    ShowTableCard,
    ShowUpcard,
    StartGame,
    Stay,
    SwapWidow,
)
from engine.table import Table

NAMES = {
    "buck3": ("Ann", "Bob", "Cy"),
    "two_hand": ("Ann", "Bob"),
    "call_ace_5": ("Ann", "Bob", "Cy", "Dee", "Eve"),
    "call_ace_6": ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay"),
}


def tell(table: Table, *commands: Command) -> None:
    for command in commands:
        done = table.submit(command, source="test")
        assert not isinstance(done, Rejected), (command, done)


def start(table: Table, preset: str) -> None:
    """The game of that preset, dealt by the first player."""
    tell(table, StartGame(rules=preset, names=NAMES[preset], dealer=0))


def plays(*cards: tuple[int, str]) -> list[Command]:
    return [PlayCard(seat=seat, card=Card(card)) for seat, card in cards]


def tricks(*of: tuple[tuple[int, str], ...]) -> list[Command]:
    """Whole tricks, each swept."""
    told: list[Command] = []
    for trick in of:
        told += [*plays(*trick), ClearTrick()]
    return told


def buck(table: Table) -> None:
    """Bob bids three and makes four of five; then Cy is to bid in the second deal."""
    start(table, "buck3")
    tell(
        table,
        SwapWidow(seat=2),
        BidTricks(seat=1, tricks=3),
        Call(seat=2, call="pass"),
        Call(seat=0, call="pass"),
        Call(seat=1, call="name", suit="h"),
        Stay(seat=0),
        Stay(seat=2),
        *tricks(
            ((1, "Jh"), (2, "9h"), (0, "Th")),
            ((1, "Jd"), (2, "Qh"), (0, "9s")),
            ((1, "Ah"), (2, "9c"), (0, "Ts")),
            ((1, "Kc"), (2, "Ac"), (0, "Tc")),
            ((2, "As"), (0, "Ks"), (1, "9d")),
        ),
        ConfirmDeal(),
    )


def buck_in_play(table: Table) -> None:
    """After :func:`buck`: Cy bids two, Bob drops, and two cards lie there."""
    buck(table)
    tell(
        table,
        BidTricks(seat=2, tricks=2),
        Call(seat=0, call="pass"),
        Call(seat=1, call="pass"),
        Call(seat=2, call="name", suit="s"),
        Drop(seat=1),
        Stay(seat=0),
        *tricks(((2, "Js"), (0, "9s"))),
        *plays((2, "Ad"), (0, "Qd")),
    )


#: What lies open before Ann and Bob from the deal on.
OPEN = ((0, ("Kh", "9s", "Qd", "Tc")), (1, ("Ah", "Ts", "9d", "Jc")))


def two_hand(table: Table) -> None:
    """Bob makes hearts; two tricks are played, one table card is uncovered, one card lies."""
    start(table, "two_hand")
    tell(
        table,
        *(ShowTableCard(seat=s, card=Card(c)) for s, cards in OPEN for c in cards),
        Declare(maker=1, trump="h"),
        *tricks(((1, "Ah"), (0, "Kh"))),
        ShowTableCard(seat=1, card=Card("Jh")),
        *tricks(((1, "As"), (0, "9s"))),
        *plays((1, "Ks")),
    )


def round_of(players: int) -> tuple[int, ...]:
    """The seats in turn, from the first dealer's left."""
    return (*range(1, players), 0)


def call_ace(table: Table, players: int = 5) -> None:
    """Bob makes spades and calls the ace of diamonds; its holder is not known yet."""
    start(table, f"call_ace_{players}")
    tell(
        table,
        ShowUpcard(card=Card("9h"), dealer=0),
        Declare(maker=1, trump="s"),
        CallAce(card=Card("Ad")),
        *tricks(tuple(zip(round_of(players), ("Js", "9s", "8s", "Ks", "Qs", "8c"), strict=False))),
        *plays((1, "Kc"), (2, "9c"), (3, "Ac"), (4, "Jc")),
    )
