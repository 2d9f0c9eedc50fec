"""Random deals with revokes planted, and with cards misread: what the engine says of them.

The hands are known, so is every revoke: RULES.md, "Revokes" 1. Found means found by the card
that proves it first, not before that card lies there and not one card later.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from proof_scenes import facts_of, judged, recorded, started
from slow_referee import Truth, deal_out, play_out, rules_of, suit, whole_pack

from engine.cards import Card
from engine.facts import CardPlayed, UpcardShown
from engine.state import State, fold


@dataclass
class Tally:
    """What a run met. ``wrong``: in words, each deal on which the engine was not right."""

    deals: int = 0
    planted: int = 0
    legal: int = 0
    doubted: int = 0
    looked_before: int = 0
    wrong: list[str] = field(default_factory=list)


def _revokes(state: State) -> list[tuple[Any, ...]]:
    return [
        (f.seat, f.trick, f.card, f.led, f.proof, f.proven_at_trick)
        for f in state.findings
        if f.kind == "revoke"
    ]


def _judge(preset: str, truth: Truth, tally: Tally, *, before: bool, options: Any) -> list[str]:
    """What is wrong about the engine's view of the deal, in words."""
    state = judged(preset, truth, **options)
    deal = state.deals[0]
    expected = [(r.seat, r.trick, r.card, r.led, r.proof, r.proven_at_trick) for r in truth.revokes]
    wrong = []
    if _revokes(state) != expected:
        wrong.append(f"found {_revokes(state)}, true {expected}")
    others = [f.text for f in state.findings if f.kind != "revoke"]
    if others:
        wrong.append(f"said besides: {others}")
    if list(deal.winners) != truth.winners:
        wrong.append(f"winners {deal.winners}, true {truth.winners}")
    if deal.played_points != truth.points:
        wrong.append(f"points {deal.played_points}, true {truth.points}")
    if deal.claims:
        wrong.append(f"still open: {deal.claims}")
    tally.doubted += any(f.doubtful for f in state.findings)
    if before and truth.revokes:
        tally.looked_before += 1
        at = truth.revokes[0].at
        early = _revokes(judged(preset, truth, up_to=at, **options))
        if early:
            wrong.append(f"accused before the proof lay there: {early}")
        if _revokes(judged(preset, truth, up_to=at + 1, **options)) != expected:
            wrong.append("not accused at once when the proof fell")
    return wrong


def plant(
    preset: str, deals: int, *, seed: int | str, before_every: int = 10, **options: Any
) -> Iterator[Tally]:
    """Two deals of three have one revoke planted (where a seat ever had the choice), one none.

    Yields the running tally after every thousand deals and at the end. One deal in
    ``before_every`` is judged too as it stood before the proving card and right after it.
    """
    rules = rules_of(preset, **options)
    chance = random.Random(f"{seed} {preset} {options}")
    tally = Tally()
    while tally.deals < deals:
        tally.deals += 1
        truth = deal_out(chance, rules, dealer=chance.randrange(4))
        play_out(chance, truth, rules, plant=tally.deals % 3 != 0)
        tally.planted += bool(truth.revokes)
        tally.legal += not truth.revokes
        before = tally.deals % before_every == 0 or tally.deals % before_every == 1
        for words in _judge(preset, truth, tally, before=before, options=options):
            tally.wrong.append(f"{words} in {truth}")
        if len(tally.wrong) > 5:
            break
        if tally.deals % 1000 == 0:
            yield tally
    yield tally


@dataclass
class Misread:
    """Legal deals, some cards misread. ``accused``: deals in which somebody is said to have
    revoked; ``bare``: what that would be without the veto on cards seen twice.
    """

    deals: int = 0
    misread: int = 0
    accused: int = 0
    unasked: int = 0
    bare: int = 0
    noticed: int = 0


def misread(preset: str, deals: int, *, seed: int | str, rate: float = 0.005) -> Iterator[Misread]:
    """Legal deals; each card, the up-card too, is read as another of the pack at ``rate``.

    The misread cards go into the log as sure plays, which is the worst case: neither votes nor
    reviews hold them back.
    """
    rules = rules_of(preset)
    pack = whole_pack(rules)
    chance = random.Random(f"{seed} {preset} misread")
    tally = Misread()
    while tally.deals < deals:
        tally.deals += 1
        truth = deal_out(chance, rules, dealer=chance.randrange(4))
        play_out(chance, truth, rules, plant=False)
        facts = facts_of(truth)
        changed = False
        for place, fact in enumerate(facts):
            if isinstance(fact, CardPlayed | UpcardShown) and chance.random() < rate:
                other = Card(chance.choice([card for card in pack if card != fact.card]))
                facts[place] = replace(fact, card=other)
                changed = True
        if changed:
            tally.misread += 1
            state = fold(recorded([started(preset, truth.dealer), *facts]))
            accusations = [f for f in state.findings if f.kind == "revoke"]
            tally.accused += bool(accusations)
            tally.unasked += any(not f.doubtful for f in accusations)
            tally.noticed += bool(state.findings)
            tally.bare += _bare(facts, truth, rules)
        if tally.deals % 1000 == 0:
            yield tally
    yield tally


def _bare(facts: list[Any], truth: Truth, rules: Any) -> bool:
    """Whether the cards as read would accuse somebody if nothing were ever doubted."""
    read = [str(fact.card) for fact in facts if isinstance(fact, CardPlayed)]
    seats = 4 - len(truth.out)
    for place, card in enumerate(read):
        seat = truth.plays[place][1]
        lead = read[place - place % seats]
        led = suit(lead, truth.trump, rules)
        if suit(card, truth.trump, rules) == led:
            continue
        for later in range(place + 1, len(read)):
            if truth.plays[later][1] == seat and suit(read[later], truth.trump, rules) == led:
                return True
    return False
