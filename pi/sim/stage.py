"""The script in space and time: which card lies where, which hand moves when.

Distances are millimetres on the table, the origin its middle, x to the right (East) and y
down (South); angles are degrees clockwise, 0 a card whose top points North. Times are
microseconds of simulated time. A game becomes a run of :class:`Episode`, each a still table
with something moving over it, and of :class:`Cue`, what people say by tapping.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from engine.cards import Card, Seat, left_of
from engine.commands import Command, ConfirmDeal, Declare, StartGame, ThrowIn
from pi.sim.dials import Dials
from pi.sim.script import Deal, Game, Play

#: What points from the middle to each seat.
TOWARDS: Final = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))
#: The way a card lies that a seat laid for itself to read.
FACING_DEG: Final = (180.0, 270.0, 0.0, 90.0)

_PLAY_MM: Final = (118.0, 150.0, 118.0, 150.0)
_PILE_MM: Final = (212.0, 335.0, 212.0, 335.0)
_PILE_ASIDE_MM: Final = (-105.0, -115.0, 105.0, 115.0)
_PACKET_MM: Final = (222.0, 350.0, 222.0, 350.0)
_OFF_MM: Final = (430.0, 660.0, 430.0, 660.0)
_SECOND_US: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pose:
    """A card's centre and turn."""

    x_mm: float
    y_mm: float
    turn_deg: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """One physical card lying on the table; ``card`` None shows its back."""

    key: int
    card: Card | None
    pose: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A moment of a card's way: where it is and which side it shows from then on."""

    at_us: int
    pose: Pose
    card: Card | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flight:
    """A card on its way, between stills in a straight line; before the first it is there."""

    key: int
    stills: tuple[Still, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The fingertips of ``seat``'s hand over time: (at_us, x_mm, y_mm), from off the table."""

    seat: Seat
    points: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """From ``start_us`` to before ``end_us``: ``still`` lies there, the rest moves over it."""

    start_us: int
    end_us: int
    still: tuple[Resting, ...]
    flights: tuple[Flight, ...] = ()
    reaches: tuple[Reach, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap:
    """A command somebody gives at ``at_us``; ``source`` as the log will name it."""

    at_us: int
    source: str
    command: Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle:
    """``seat`` asks the shuffler for ``passes`` passes; the stage waits until they are done."""

    at_us: int
    seat: Seat
    passes: int
    still: tuple[Resting, ...]


Cue: TypeAlias = Tap | Shuffle


def flight_at(flight: Flight, at_us: int) -> tuple[Pose, Card | None]:
    """Where the card is and what it shows at that moment (eased between its stills)."""
    before = flight.stills[0]
    for after in flight.stills[1:]:
        if at_us < after.at_us:
            if at_us <= before.at_us:
                break
            share = (at_us - before.at_us) / (after.at_us - before.at_us)
            share = share * share * (3 - 2 * share)
            a, b = before.pose, after.pose
            turn = (b.turn_deg - a.turn_deg + 180) % 360 - 180
            pose = Pose(
                x_mm=a.x_mm + (b.x_mm - a.x_mm) * share,
                y_mm=a.y_mm + (b.y_mm - a.y_mm) * share,
                turn_deg=a.turn_deg + turn * share,
            )
            return pose, before.card
        before = after
    return before.pose, before.card


def reach_at(reach: Reach, at_us: int) -> tuple[float, float] | None:
    """The fingertips at that moment, None while the hand is away."""
    points = reach.points
    if not points[0][0] <= at_us < points[-1][0]:
        return None
    for (t0, x0, y0), (t1, x1, y1) in itertools.pairwise(points):
        if at_us < t1:
            share = (at_us - t0) / max(t1 - t0, 1)
            share = share * share * (3 - 2 * share)
            return x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
    return None


@dataclass(slots=True, kw_only=True)
class _Director:
    """Where the performance stands: the clock, the cards lying, the next card's number."""

    rng: random.Random
    dials: Dials
    now_us: int
    lying: list[Resting] = field(default_factory=list)
    next_key: int = 0

    def key(self) -> int:
        self.next_key += 1
        return self.next_key

    def wait(self, low_s: float, high_s: float) -> Episode:
        """Nothing moves for a while."""
        return self.act(round(self.rng.uniform(low_s, high_s) * _SECOND_US))

    def act(
        self,
        duration_us: int,
        *,
        flights: Sequence[Flight] = (),
        reaches: Sequence[Reach] = (),
    ) -> Episode:
        """Move the flying cards off the still table and the clock to the episode's end."""
        flying = {flight.key for flight in flights}
        episode = Episode(
            start_us=self.now_us,
            end_us=self.now_us + duration_us,
            still=tuple(card for card in self.lying if card.key not in flying),
            flights=tuple(flights),
            reaches=tuple(reaches),
        )
        self.now_us += duration_us
        landed = {f.key: f.stills[-1] for f in flights}
        kept = [card for card in self.lying if card.key not in flying]
        for flight in flights:
            end = landed[flight.key]
            if abs(end.pose.x_mm) < 600 and abs(end.pose.y_mm) < 400:
                kept.append(Resting(key=flight.key, card=end.card, pose=end.pose))
        self.lying = kept
        return episode

    def pose(self, x: float, y: float, turn: float, loose_mm: float, loose_deg: float) -> Pose:
        """A place near (x, y) as a person would hit it."""
        return Pose(
            x_mm=x + self.rng.uniform(-loose_mm, loose_mm),
            y_mm=y + self.rng.uniform(-loose_mm, loose_mm),
            turn_deg=turn + self.rng.gauss(0, loose_deg),
        )


def _off(seat: Seat, aside_mm: float = 0.0) -> tuple[float, float]:
    """A point beyond the picture's edge on the seat's side."""
    dx, dy = TOWARDS[seat]
    return dx * _OFF_MM[seat] - dy * aside_mm, dy * _OFF_MM[seat] + dx * aside_mm


def _spot(seat: Seat, away_mm: Sequence[float], aside_mm: float = 0.0) -> tuple[float, float]:
    dx, dy = TOWARDS[seat]
    return dx * away_mm[seat] - dy * aside_mm, dy * away_mm[seat] + dx * aside_mm


def _held(tip: tuple[float, float], seat: Seat, turn: float) -> Pose:
    """Where a card is that the seat's fingertips hold by its near edge."""
    dx, dy = TOWARDS[seat]
    return Pose(x_mm=tip[0] - dx * 28, y_mm=tip[1] - dy * 28, turn_deg=turn)


def _tip_for(pose: Pose, seat: Seat) -> tuple[float, float]:
    dx, dy = TOWARDS[seat]
    return pose.x_mm + dx * 28, pose.y_mm + dy * 28


def _lay(
    director: _Director,
    seat: Seat,
    key: int,
    card: Card | None,
    target: Pose,
    *,
    under: Sequence[tuple[int, Pose]] = (),
) -> Episode:
    """The seat's hand brings a card from its side, lets go and leaves.

    ``under``: face-down cards that come in the same grip, below it.
    """
    rng = director.rng
    start = director.now_us
    arrive = start + round(rng.uniform(0.28, 0.42) * _SECOND_US)
    release = arrive + round(rng.uniform(0.06, 0.14) * _SECOND_US)
    gone = release + round(rng.uniform(0.24, 0.34) * _SECOND_US)
    off = _off(seat, rng.uniform(-60, 60))
    tip = _tip_for(target, seat)
    held = _held(off, seat, target.turn_deg + rng.gauss(0, 14))
    flights = [
        Flight(
            key=flying,
            stills=(
                Still(at_us=start, pose=held, card=shown),
                Still(at_us=arrive, pose=pose, card=shown),
            ),
        )
        for flying, shown, pose in (*((k, None, p) for k, p in under), (key, card, target))
    ]
    back = _off(seat, rng.uniform(-60, 60))
    reach = Reach(seat=seat, points=((start, *off), (arrive, *tip), (release, *tip), (gone, *back)))
    return director.act(gone - start, flights=flights, reaches=(reach,))


def _take(director: _Director, taking: Sequence[tuple[Seat, int]]) -> Episode:
    """Each seat's hand takes one card away to its side, all of them at about the same time."""
    rng = director.rng
    start = director.now_us
    flights: list[Flight] = []
    reaches: list[Reach] = []
    last = start
    for number, (seat, key) in enumerate(taking):
        begin = start + number * round(0.12 * _SECOND_US)
        arrive = begin + round(rng.uniform(0.28, 0.4) * _SECOND_US)
        leave = arrive + round(rng.uniform(0.08, 0.16) * _SECOND_US)
        gone = leave + round(rng.uniform(0.28, 0.36) * _SECOND_US)
        last = max(last, gone)
        card = next(card for card in director.lying if card.key == key)
        tip = _tip_for(card.pose, seat)
        off = _off(seat, rng.uniform(-40, 40))
        away = _held(off, seat, card.pose.turn_deg)
        flights.append(
            Flight(
                key=key,
                stills=(
                    Still(at_us=leave, pose=card.pose, card=card.card),
                    Still(at_us=gone, pose=away, card=card.card),
                ),
            )
        )
        reaches.append(
            Reach(seat=seat, points=((begin, *off), (arrive, *tip), (leave, *tip), (gone, *off)))
        )
    return director.act(last - start, flights=flights, reaches=reaches)


def _turn_down(director: _Director, seat: Seat, key: int) -> Episode:
    """The dealer's hand turns the up-card over where it lies."""
    rng = director.rng
    start = director.now_us
    arrive = start + round(rng.uniform(0.28, 0.4) * _SECOND_US)
    turned = arrive + round(0.15 * _SECOND_US)
    leave = turned + round(0.15 * _SECOND_US)
    gone = leave + round(rng.uniform(0.26, 0.34) * _SECOND_US)
    card = next(card for card in director.lying if card.key == key)
    after = director.pose(card.pose.x_mm, card.pose.y_mm, card.pose.turn_deg, 4, 4)
    flight = Flight(
        key=key,
        stills=(
            Still(at_us=arrive, pose=card.pose, card=card.card),
            Still(at_us=turned, pose=after, card=None),
        ),
    )
    tip = _tip_for(card.pose, seat)
    off = _off(seat, rng.uniform(-40, 40))
    reach = Reach(seat=seat, points=((start, *off), (arrive, *tip), (leave, *tip), (gone, *off)))
    return director.act(gone - start, flights=(flight,), reaches=(reach,))


def _hover(director: _Director, seat: Seat) -> Episode:
    """A hand comes over the table for no reason and goes again."""
    rng = director.rng
    start = director.now_us
    arrive = start + round(rng.uniform(0.35, 0.6) * _SECOND_US)
    leave = arrive + round(rng.uniform(0.3, 1.4) * _SECOND_US)
    gone = leave + round(rng.uniform(0.35, 0.5) * _SECOND_US)
    off = _off(seat, rng.uniform(-80, 80))
    tip = _spot(seat, [rng.uniform(-30, 120)] * 4, rng.uniform(-120, 120))
    drift = (tip[0] + rng.uniform(-25, 25), tip[1] + rng.uniform(-25, 25))
    reach = Reach(seat=seat, points=((start, *off), (arrive, *tip), (leave, *drift), (gone, *off)))
    return director.act(gone - start, reaches=(reach,))


def _sweep(director: _Director, winner: Seat, keys: Sequence[int], pile: int) -> Episode:
    """The winner's hand gathers the trick and lays it face down at its side."""
    rng = director.rng
    start = director.now_us
    arrive = start + round(rng.uniform(0.28, 0.36) * _SECOND_US)
    gathered = arrive + round(rng.uniform(0.3, 0.42) * _SECOND_US)
    laid = gathered + round(rng.uniform(0.32, 0.42) * _SECOND_US)
    gone = laid + round(rng.uniform(0.24, 0.32) * _SECOND_US)
    dx, dy = TOWARDS[winner]
    heap = (dx * 70, dy * 70)
    aside = _PILE_ASIDE_MM[winner] * (1 - 0.13 * pile)
    x, y = _spot(winner, _PILE_MM, aside)
    flights = []
    for key in keys:
        card = next(card for card in director.lying if card.key == key)
        bunch = director.pose(heap[0], heap[1], FACING_DEG[winner], 9, 8)
        flights.append(
            Flight(
                key=key,
                stills=(
                    Still(at_us=arrive, pose=card.pose, card=card.card),
                    Still(at_us=gathered, pose=bunch, card=None),
                    Still(
                        at_us=laid,
                        pose=director.pose(x, y, FACING_DEG[winner] + 90, 2.5, 3),
                        card=None,
                    ),
                ),
            )
        )
    off = _off(winner, rng.uniform(-40, 40))
    far = (-dx * 60, -dy * 60)
    tip = (heap[0] + dx * 28, heap[1] + dy * 28)
    reach = Reach(
        seat=winner,
        points=(
            (start, *off),
            (arrive, *far),
            (gathered, *tip),
            (laid, x + dx * 20, y + dy * 20),
            (gone, *off),
        ),
    )
    return director.act(gone - start, flights=flights, reaches=(reach,))


def _gather_all(director: _Director, seat: Seat, keep: frozenset[int]) -> Iterator[Episode]:
    """The next dealer's hand takes every card of the pack from the table."""
    rng = director.rng
    lying = [card for card in director.lying if card.key not in keep]
    groups = [
        [c.key for c in lying if c.pose.x_mm * sign >= (0 if sign > 0 else 1e-9)]
        for sign in (1.0, -1.0)
    ]
    for keys in groups:
        if not keys:
            continue
        start = director.now_us
        arrive = start + round(rng.uniform(0.3, 0.4) * _SECOND_US)
        heaped = arrive + round(rng.uniform(0.4, 0.5) * _SECOND_US)
        gone = heaped + round(rng.uniform(0.3, 0.4) * _SECOND_US)
        dx, dy = TOWARDS[seat]
        off = _off(seat, rng.uniform(-40, 40))
        flights = []
        for key in keys:
            card = next(card for card in director.lying if card.key == key)
            heap = director.pose(dx * 90, dy * 90, FACING_DEG[seat], 10, 10)
            flights.append(
                Flight(
                    key=key,
                    stills=(
                        Still(at_us=arrive, pose=card.pose, card=None),
                        Still(at_us=heaped, pose=heap, card=None),
                        Still(at_us=gone, pose=_held(off, seat, heap.turn_deg), card=None),
                    ),
                )
            )
        middle = director.lying[0].pose if not keys else flights[0].stills[0].pose
        reach = Reach(
            seat=seat,
            points=(
                (start, *off),
                (arrive, middle.x_mm, middle.y_mm),
                (heaped, dx * 118, dy * 118),
                (gone, *off),
            ),
        )
        yield director.act(gone - start, flights=flights, reaches=(reach,))


def _deal_out(director: _Director, deal: Deal) -> Iterator[Episode]:
    """Packets before every seat, the kitty in the middle, the up-card on it."""
    dealer = deal.dealer
    packets: dict[Seat, int] = {}
    for step in (1, 2, 3, 4):
        seat = (dealer + step) % 4
        x, y = _spot(seat, _PACKET_MM)
        target = director.pose(x, y, FACING_DEG[seat] + 90, 8, 8)
        packets[seat] = director.key()
        # The dealer reaches from its own side to every place.
        yield _lay(director, dealer, packets[seat], None, target)
    # The rest of the pack comes to lie in the middle, then its top card is turned up.
    under = [(director.key(), director.pose(0, 0, FACING_DEG[dealer], 2, 3)) for _ in range(2)]
    kitty = director.pose(0, 0, FACING_DEG[dealer], 2, 3)
    yield _lay(director, dealer, director.key(), None, kitty, under=under)
    yield director.wait(0.35, 0.7)
    key = director.key()
    pose = director.pose(0, 0, FACING_DEG[dealer], 4, 7)
    yield _lay(director, dealer, key, deal.upcard, pose)
    yield director.wait(0.5, 0.9)
    yield _take(director, list(packets.items()))
    yield director.wait(0.3, 0.7)


def _declare_when(deal: Deal, director: _Director) -> int:
    """After how many tricks the declaration is tapped: 0 before the first lead."""
    rng = director.rng
    late = rng.random() < director.dials.late
    tricks = rng.randrange(1, 6)
    return tricks if late and deal.alone is None else 0


def _declaration(deal: Deal, at_us: int) -> Tap:
    assert deal.maker is not None
    assert deal.trump is not None
    command = Declare(maker=deal.maker, trump=deal.trump, alone=deal.alone)
    return Tap(at_us=at_us, source=f"seat:{deal.maker}", command=command)


def _perform_deal(director: _Director, deal: Deal) -> Iterator[Episode | Cue]:
    rng = director.rng
    yield from _deal_out(director, deal)
    upcard = next(card for card in director.lying if card.card == deal.upcard)
    # Each of the four passes or speaks within half a second or so.
    speakers = ((deal.maker if deal.maker is not None else deal.dealer) - deal.dealer - 1) % 4 + 1
    yield director.wait(0.35 * speakers, 0.55 * speakers)
    if deal.taken:
        yield _take(director, [(deal.dealer, upcard.key)])
        yield director.wait(0.3, 0.7)
        pose = director.pose(0, 0, FACING_DEG[deal.dealer], 5, 6)
        yield _lay(director, deal.dealer, director.key(), None, pose)
    else:
        yield _turn_down(director, deal.dealer, upcard.key)
        yield director.wait(0.5, 1.4)
    declare_after = _declare_when(deal, director) if deal.maker is not None else -1
    if declare_after == 0:
        yield _declaration(deal, director.now_us)
    yield director.wait(0.4, 0.8)
    piles: dict[int, int] = {0: 0, 1: 0}
    for number, (trick, winner) in enumerate(zip(deal.tricks, deal.winners, strict=True), start=1):
        keys: list[int] = []
        for play in trick:
            yield from _perform_play(director, play, keys)
        yield director.wait(0.45, 0.8)
        yield _sweep(director, winner, keys, piles[winner % 2])
        piles[winner % 2] += 1
        if number == declare_after:
            yield _declaration(deal, director.now_us)
        yield director.wait(0.25, 0.6)
    if deal.maker is not None:
        yield Tap(
            at_us=director.now_us + round(rng.uniform(0.6, 1.0) * _SECOND_US),
            source="page",
            command=ConfirmDeal(deal=deal.number),
        )
    else:
        yield Tap(
            at_us=director.now_us + round(rng.uniform(0.6, 1.0) * _SECOND_US),
            source="page",
            command=ThrowIn(reason="passed_out"),
        )
    yield director.wait(1.2, 1.6)


def _perform_play(director: _Director, play: Play, keys: list[int]) -> Iterator[Episode]:
    rng = director.rng
    x, y = _spot(play.seat, _PLAY_MM, rng.uniform(-16, 16))
    key = director.key()
    keys.append(key)
    target = director.pose(x, y, FACING_DEG[play.seat], 7, 8)
    yield _lay(director, play.seat, key, play.card, target)
    if rng.random() < director.dials.hands:
        yield _hover(director, rng.randrange(4))
    yield director.wait(0.3, 0.65)


def _markers(director: _Director) -> frozenset[int]:
    """Two spare cards laid across each other in the corner of each side, and a stray back."""
    if director.rng.random() >= director.dials.markers:
        return frozenset()
    rng = director.rng
    cards: list[tuple[Card | None, float, float, float]] = []
    for cards_of_side, x, y in ((("6h", "4h"), -405.0, -212.0), (("6s", "4s"), 405.0, 208.0)):
        turn = rng.uniform(0, 360)
        cards.append((Card(cards_of_side[0]), x, y, turn))
        cards.append((Card(cards_of_side[1]), x + 18, y + 8, turn + 75))
    cards.append((None, 390.0, -200.0, rng.uniform(0, 360)))
    for card, x, y, turn in cards:
        pose = Pose(x_mm=x, y_mm=y, turn_deg=turn)
        director.lying.append(Resting(key=director.key(), card=card, pose=pose))
    return frozenset(card.key for card in director.lying)


def perform(
    game: Game,
    *,
    seed: int,
    dials: Dials,
    start_us: int,
    rules: Any,
    shuffle_passes: int = 1,
    title: str = "",
) -> Generator[Episode | Cue, int | None, None]:
    """The whole game from its start to two seconds after its last card.

    A :class:`Shuffle` cue is followed by waiting until the caller says it is done, by sending
    the moment: ``stage.send(at_us)``. A caller that only iterates gets six seconds of it.
    """
    director = _Director(rng=random.Random(f"stage {seed}"), dials=dials, now_us=start_us)
    markers = _markers(director)
    yield Tap(
        at_us=start_us + 200_000,
        source="page",
        command=StartGame(rules=rules, dealer=game.first_dealer, title=title),
    )
    yield director.wait(1.0, 1.3)
    for deal in game.deals:
        yield from _perform_deal(director, deal)
        if deal is game.deals[-1]:
            break
        next_dealer = left_of(deal.dealer)
        yield from _gather_all(director, next_dealer, markers)
        if shuffle_passes:
            asked = director.now_us
            done = yield Shuffle(
                at_us=asked,
                seat=next_dealer,
                passes=shuffle_passes,
                still=tuple(director.lying),
            )
            if done is None:
                yield director.act(6 * _SECOND_US)
            else:
                director.now_us = max(done, asked)
        yield director.wait(0.4, 0.8)
    yield director.act(2 * _SECOND_US)
