"""What people ask after an evening: loners, euchres, marches, who calls, how the points went.

Counted from the log by folding each game, so a correction of an old deal changes the figures
as it changes the score. A deal counts once it has points; one that was thrown in counts as
dealt and as nothing else.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from threading import Lock
from typing import Any, Final

from flask import Blueprint, Response, render_template

from engine.cards import Seat, Side, side_of
from engine.deal import Deal
from engine.errors import EngineError
from engine.facts import Recorded
from engine.log import Log, UnknownGame
from engine.state import State, fold
from engine.wording import side_name
from web_dashboard.answers import answer, no_game, refusal
from web_dashboard.settings import PageSettings

#: The newest games that are counted; an evening has some five.
GAMES_COUNTED: Final = 500
#: Results (engine/scoring.py and the other games') by what became of the call.
_MADE: Final = frozenset({"made", "march", "made_alone", "march_alone", "bid_made"})
_MARCHES: Final = frozenset({"march", "march_alone"})
_EUCHRES: Final = frozenset(
    {"euchre", "lone_euchre", "super_euchre", "lone_defender_euchre", "set"}
)
#: Where the maker sat, counted from the dealer, clockwise.
PLACES: Final = ("dealer", "left", "across", "right")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Counts of a seat, a side or a player; all of them can be added.

    ``calls``: deals in which trump was made; of these ``made``, ``euchred`` (short of it),
    ``marches``, ``loners`` (tried alone), ``lone_marches`` (all tricks, alone). ``euchres``:
    deals in which the other side was euchred. ``points``: points scored by the side.
    """

    games: int = 0
    won: int = 0
    deals: int = 0
    calls: int = 0
    made: int = 0
    euchred: int = 0
    marches: int = 0
    loners: int = 0
    lone_marches: int = 0
    euchres: int = 0
    points: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Figures)}
        )

    def as_json(self) -> dict[str, int]:
        return {f.name: getattr(self, f.name) for f in fields(Figures)}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFigures:
    """One game counted.

    ``scores``: the score of every side before the first deal and after each. ``seats`` and
    ``sides``: their figures. ``places``: how often the maker sat at each of :data:`PLACES`,
    and how often it was made from there, in the four-handed game.
    """

    game_id: str
    title: str
    started_at_us: int
    names: tuple[str, ...]
    side_names: tuple[str, ...]
    over: bool
    winner: int | None
    lowest_wins: bool
    target: int
    scores: tuple[tuple[int, ...], ...]
    results: tuple[str, ...]
    seats: tuple[Figures, ...]
    sides: tuple[Figures, ...]
    places: tuple[tuple[int, int], ...]
    thrown_in: int

    def as_json(self) -> dict[str, Any]:
        return {
            "game_id": self.game_id,
            "title": self.title,
            "started_at_us": self.started_at_us,
            "names": list(self.names),
            "sides": [
                {"name": name, **figures.as_json()}
                for name, figures in zip(self.side_names, self.sides, strict=True)
            ],
            "seats": [
                {"name": name, "side": side_of(seat, len(self.names)), **figures.as_json()}
                for seat, (name, figures) in enumerate(zip(self.names, self.seats, strict=True))
            ],
            "places": places_json(self.places),
            "over": self.over,
            "winner": self.winner,
            "counts": "down" if self.lowest_wins else "up",
            "target": self.target,
            "scores": [list(score) for score in self.scores],
            "results": list(self.results),
            "thrown_in": self.thrown_in,
        }


def places_json(places: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """``[{"place": "dealer", "calls": 3, "made": 2}, ...]`` in the order of :data:`PLACES`."""
    return [
        {"place": place, "calls": calls, "made": made}
        for place, (calls, made) in zip(PLACES, places, strict=True)
    ]


def figures_of(records: Sequence[Recorded]) -> GameFigures:
    """The figures of one game from its facts; raises what :func:`engine.state.fold` raises."""
    state = fold(records)
    players = len(state.names)
    sides = len(state.score)
    counted = [deal for deal in state.deals if deal.points is not None]
    of_sides = [_of_side(counted, side) for side in range(sides)]
    won = state.winner if state.over else None
    of_sides = [
        replace(figures, games=1, won=int(won == side)) for side, figures in enumerate(of_sides)
    ]
    return GameFigures(
        game_id=state.game_id,
        title=state.title,
        started_at_us=state.started_at_us,
        names=state.names,
        side_names=tuple(side_name(side, state.names) for side in range(sides)),
        over=state.over,
        winner=won,
        lowest_wins=state.ruleset.game == "buck",
        target=state.ruleset.target,
        scores=(tuple(state.initial_score), *_after_deals(state)),
        results=tuple(deal.result or "" for deal in counted),
        seats=tuple(_of_seat(counted, of_sides, seat, players) for seat in range(players)),
        sides=tuple(of_sides),
        places=_places(counted, players),
        thrown_in=sum(deal.thrown_in is not None for deal in counted),
    )


def _after_deals(state: State) -> list[tuple[int, ...]]:
    return [
        score
        for deal, score in zip(state.deals, state.scores, strict=True)
        if deal.points is not None
    ]


def _of_side(deals: Iterable[Deal], side: Side) -> Figures:
    total = Figures()
    for deal in deals:
        assert deal.points is not None
        total += Figures(deals=1, points=deal.points[side])
        if deal.thrown_in is not None or deal.makers is None:
            continue
        if deal.makers == side:
            total += _call(deal)
        elif deal.result in _EUCHRES:
            total += Figures(euchres=1)
    return total


def _call(deal: Deal) -> Figures:
    """What one deal adds to those who made trump."""
    result = deal.result
    lone = (
        any(side_of(seat, deal.seats) == deal.makers for seat in deal.alone)
        if deal.kept is None
        else deal.kept.alone
    )
    return Figures(
        calls=1,
        made=int(result in _MADE),
        euchred=int(result in _EUCHRES),
        marches=int(result in _MARCHES),
        loners=int(lone),
        lone_marches=int(lone and result == "march_alone"),
    )


def _of_seat(
    deals: Iterable[Deal], of_sides: Sequence[Figures], seat: Seat, players: int
) -> Figures:
    """A seat's own calls, and the deals, games, points and euchres of its side."""
    side = of_sides[side_of(seat, players)]
    total = replace(side, calls=0, made=0, euchred=0, marches=0, loners=0, lone_marches=0)
    for deal in deals:
        if deal.thrown_in is None and deal.maker == seat:
            total += replace(_call(deal), loners=0, lone_marches=0)
        if deal.thrown_in is None and seat in deal.alone and deal.makers == side_of(seat, players):
            total += Figures(loners=1, lone_marches=int(deal.result == "march_alone"))
    return total


def _places(deals: Iterable[Deal], players: int) -> tuple[tuple[int, int], ...]:
    counts = [[0, 0] for _ in PLACES]
    if players == len(PLACES):
        for deal in deals:
            if deal.maker is None or deal.dealer is None or deal.thrown_in is not None:
                continue
            place = counts[(deal.maker - deal.dealer) % players]
            place[0] += 1
            place[1] += deal.result in _MADE
    return tuple((calls, made) for calls, made in counts)


def by_player(games: Iterable[GameFigures]) -> list[tuple[str, Figures]]:
    """Every name's figures over all games, most deals first.

    A name is a player: who wants to be counted apart gives another name.
    """
    players: dict[str, tuple[str, Figures]] = {}
    for game in games:
        for name, figures in zip(game.names, game.seats, strict=True):
            known, before = players.get(name.casefold(), (name, Figures()))
            players[name.casefold()] = (known, before + figures)
    return sorted(players.values(), key=lambda entry: (-entry[1].deals, entry[0].casefold()))


class Counted:
    """Games counted from the log; one that has not changed is not counted again."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._lock = Lock()
        self._known: OrderedDict[tuple[str, int], GameFigures | None] = OrderedDict()

    def games(self) -> list[GameFigures]:
        """The newest games that can be read, newest first; those without a scored deal too."""
        found = []
        for line in self._log.games()[-GAMES_COUNTED:][::-1]:
            figures = self._game(line.game_id, line.version)
            if figures is not None:
                found.append(figures)
        return found

    def _game(self, game_id: str, version: int) -> GameFigures | None:
        key = (game_id, version)
        with self._lock:
            if key in self._known:
                return self._known[key]
        try:
            figures = figures_of(self._log.read(game_id))
        except UnknownGame:
            # Deleted since it was listed.
            return None
        except (EngineError, ValueError):
            _log.exception("game %s cannot be counted", game_id)
            figures = None
        with self._lock:
            self._known[key] = figures
            while len(self._known) > 2 * GAMES_COUNTED:
                self._known.popitem(last=False)
        return figures


def statistics_routes(log: Log, settings: PageSettings) -> Blueprint:
    """``/statistics``, ``/api/statistics`` and ``/api/statistics/<game>``."""
    routes = Blueprint("statistics", __name__)
    counted = Counted(log)

    @routes.get("/statistics")
    def page() -> str:
        return render_template("statistics.html", settings=settings)

    @routes.get("/api/statistics")
    def statistics() -> Response:
        games = counted.games()
        places = [
            (sum(game.places[i][0] for game in games), sum(game.places[i][1] for game in games))
            for i in range(len(PLACES))
        ]
        return answer(
            200,
            {
                "games": [
                    {
                        "game_id": game.game_id,
                        "title": game.title,
                        "started_at_us": game.started_at_us,
                        "sides": list(game.side_names),
                        "deals": len(game.results),
                    }
                    for game in games
                ],
                "players": [
                    {"name": name, **figures.as_json()} for name, figures in by_player(games)
                ],
                "places": places_json(places),
            },
        )

    @routes.get("/api/statistics/<game_id>")
    def game(game_id: str) -> Response:
        try:
            return answer(200, figures_of(log.read(game_id)).as_json())
        except UnknownGame as unknown:
            raise no_game(game_id) from unknown
        except (EngineError, ValueError) as error:
            return refusal(
                422,
                "http",
                "game {game} cannot be counted: {words}",
                game=game_id,
                words=str(error),
            )

    return routes
