"""Who may start the shuffler, read from the game: the dealer, between deals, points marked."""

from __future__ import annotations

from dataclasses import dataclass

from engine.cards import Seat, left_of, partner_of
from engine.deal import Deal
from engine.state import State
from engine.wording import Sentence, worded
from pi.shuffling import words


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """``seats`` that may start it now; with none, ``refusal`` says why. ``idle_pack``: it is the
    other pack that they may shuffle, while this one is played."""

    seats: tuple[Seat, ...] = ()
    refusal: Sentence | None = None
    idle_pack: bool = False


def rights(state: State, *, second_pack: bool) -> Rights:
    """Who may start the shuffler in ``state``.

    RULES.md: the dealer shuffles between hands, once the points are marked; with two packs the
    dealer's partner runs the idle pack during the hand (in games without partners: whoever
    deals next). A deal that all passed counts as over once somebody has said so.
    """
    if not state.started:
        return Rights(refusal=worded(words.NO_GAME))
    if state.over:
        return Rights(refusal=worded(words.GAME_OVER))
    if state.paused is not None:
        return Rights(refusal=worded(words.PAUSED))
    deal = state.deal
    if deal is not None and not deal.complete:
        return _during(deal, state, second_pack=second_pack)
    dealer = state.next_dealer
    if deal is not None and deal.points is None:
        return Rights(refusal=worded(words.POINTS_UNKNOWN, deal=deal.number))
    if dealer is None:
        return Rights(refusal=worded(words.NO_DEALER))
    if deal is not None and any(deal.points or ()) and not deal.confirmed:
        args: dict[str, str | int] = {"deal": deal.number, "name": state.names[dealer]}
        return Rights(refusal=worded(words.NOT_MARKED, **args))
    return Rights(seats=(dealer,))


def _during(deal: Deal, state: State, *, second_pack: bool) -> Rights:
    if not second_pack or deal.dealer is None:
        return Rights(refusal=worded(words.IN_DEAL, deal=deal.number))
    seats = len(state.names)
    seat = partner_of(deal.dealer) if seats == 4 else left_of(deal.dealer, seats)
    return Rights(seats=(seat,), idle_pack=True)
