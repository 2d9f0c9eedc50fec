"""Revokes planted in buck, the game for two and call-ace, whose slow referee is in tests/games."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from planted import Misread, Tally

from engine.cards import Card
from engine.facts import CardPlayed, Fact, TableCardShown, UpcardShown
from engine.ruleset import pack_of
from engine.ruleset import preset as preset_of
from engine.state import State

GAMES = Path(__file__).resolve().parent.parent / "games"
if str(GAMES) not in sys.path:
    sys.path.append(str(GAMES))

from games_scenes import PRESETS, facts_of, folded, play  # noqa: E402
from slow_games import Played  # noqa: E402

__all__ = ["PRESETS", "misread_other", "plant_other"]


def _up_to(facts: list[Fact], plays: int) -> list[Fact]:
    """The facts until so many cards were played."""
    some: list[Fact] = []
    for fact in facts:
        plays -= isinstance(fact, CardPlayed)
        if plays < 0:
            break
        some.append(fact)
    return some


def _accused(state: State) -> list[tuple[object, ...]]:
    return [(f.seat, f.trick, f.card) for f in state.findings if f.kind == "revoke"]


def _wrong(
    preset: str, played: Played, facts: list[Fact], tally: Tally, *, before: bool
) -> list[str]:
    state = folded(preset, *facts, dealer=played.dealer)
    deal, planted = state.deals[0], played.planted
    expected = [] if planted is None else [(planted.seat, planted.trick, planted.card)]
    wrong = []
    if _accused(state) != expected:
        wrong.append(f"found {_accused(state)}, true {expected}")
    proofs = [f.proof for f in state.findings if f.kind == "revoke"]
    if planted is not None and any(proof not in planted.proofs for proof in proofs):
        wrong.append(f"proved by {proofs}, true {planted.proofs}")
    others = [f.text for f in state.findings if f.kind != "revoke"]
    if others:
        wrong.append(f"said besides: {others}")
    if list(deal.winners) != played.winners or deal.claims:
        wrong.append(f"winners {deal.winners}, true {played.winners}; open {deal.claims}")
    if deal.played_points != tuple(played.points):
        wrong.append(f"points {deal.played_points}, true {played.points}")
    tally.doubted += any(f.doubtful for f in state.findings)
    if before and planted is not None:
        tally.looked_before += 1
        at = planted.provable_at
        if _accused(folded(preset, *_up_to(facts, at), dealer=played.dealer)):
            wrong.append("accused before the proof lay there")
        if _accused(folded(preset, *_up_to(facts, at + 1), dealer=played.dealer)) != expected:
            wrong.append("not accused at once when the proof fell")
    return wrong


def plant_other(
    preset: str, deals: int, *, seed: int | str, before_every: int = 10
) -> Iterator[Tally]:
    """As :func:`planted.plant`, for the games of another shape."""
    chance = random.Random(f"{seed} {preset}")
    tally = Tally()
    while tally.deals < deals:
        tally.deals += 1
        played = play(chance, preset, plant=tally.deals % 3 != 0)
        facts = facts_of(preset, played, declare=chance.random() < 0.5)
        tally.planted += played.planted is not None
        tally.legal += played.planted is None
        before = tally.deals % before_every in (0, 1)
        for words in _wrong(preset, played, facts, tally, before=before):
            tally.wrong.append(f"{words} in {played}")
        if len(tally.wrong) > 5:
            break
        if tally.deals % 1000 == 0:
            yield tally
    yield tally


def misread_other(
    preset: str, deals: int, *, seed: int | str, rate: float = 0.005
) -> Iterator[Misread]:
    """As :func:`planted.misread`, for the games of another shape; table cards are misread too."""
    chance = random.Random(f"{seed} {preset} misread")
    pack = sorted(pack_of(preset_of(preset)))
    tally = Misread()
    while tally.deals < deals:
        tally.deals += 1
        played = play(chance, preset)
        facts = facts_of(preset, played, declare=True)
        changed = False
        for place, fact in enumerate(facts):
            if not isinstance(fact, CardPlayed | UpcardShown | TableCardShown):
                continue
            if chance.random() < rate:
                other: Card = chance.choice([card for card in pack if card != fact.card])
                facts[place] = replace(fact, card=other)
                changed = True
        if changed:
            tally.misread += 1
            state = folded(preset, *facts, dealer=played.dealer)
            accusations = [f for f in state.findings if f.kind == "revoke"]
            tally.accused += bool(accusations)
            tally.unasked += any(not f.doubtful for f in accusations)
            tally.noticed += bool(state.findings)
        if tally.deals % 1000 == 0:
            yield tally
    yield tally
