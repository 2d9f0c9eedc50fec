"""The simulated players' games: legal, varied, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from engine.cards import left_of, partner_of, side_of, suit_of
from engine.facts import CardPlayed, DealThrownIn, Declared, TrickCleared, UpcardTaken
from pi.sim.dials import Dials
from pi.sim.script import (
    PACK,
    Deal,
    Play,
    Terms,
    facts_of,
    play_game,
    points_for,
    suit_in_play,
    winner_of,
)

GAMES = [play_game(seed=seed) for seed in range(1, 41)]
DEALS = [deal for game in GAMES for deal in game.deals]
PLAYED = [deal for deal in DEALS if deal.maker is not None]


def held_at(deal: Deal, seat: int, trick: int) -> set[str]:
    """The hand before the trick (from 1), with the up-card in and the discard out."""
    hand = set(deal.hands[seat])
    if deal.taken and seat == deal.dealer:
        hand = (hand | {deal.upcard}) - {deal.discard}
    for earlier in deal.tricks[: trick - 1]:
        hand -= {play.card for play in earlier if play.seat == seat}
    return hand


def strays(deal: Deal) -> list[tuple[int, int, str]]:
    """Every play off the led suit by a hand that held the led suit: (seat, trick, card)."""
    found = []
    assert deal.trump is not None
    for number, trick in enumerate(deal.tricks, start=1):
        led = suit_in_play(trick[0].card, deal.trump)
        for play in trick[1:]:
            if suit_in_play(play.card, deal.trump) != led and any(
                suit_in_play(card, deal.trump) == led for card in held_at(deal, play.seat, number)
            ):
                found.append((play.seat, number, play.card))
    return found


def test_a_game_ends_when_a_side_reaches_the_target_and_not_before() -> None:
    for game in GAMES:
        assert max(game.score) >= 10
        before_last = [sum(d.points[side] for d in game.deals[:-1]) for side in (0, 1)]
        assert max(before_last) < 10


def test_the_deal_passes_to_the_left_after_every_deal() -> None:
    for game in GAMES:
        dealers = [deal.dealer for deal in game.deals]
        assert dealers[0] == game.first_dealer
        assert all(b == left_of(a) for a, b in pairwise(dealers))


def test_hands_and_the_upcard_come_from_one_pack() -> None:
    for deal in DEALS:
        dealt = [card for hand in deal.hands for card in hand] + [deal.upcard]
        assert len(set(dealt)) == 21
        assert set(dealt) <= set(PACK)
    assert len(set(PACK)) == 24


def test_everyone_plays_cards_of_the_own_hand_once_and_in_turn() -> None:
    for deal in PLAYED:
        out = partner_of(deal.alone) if deal.alone is not None else None
        leader = left_of(deal.alone if deal.alone is not None else deal.dealer)
        for number, trick in enumerate(deal.tricks, start=1):
            while leader == out:
                leader = left_of(leader)
            order = [s for s in ((leader + k) % 4 for k in range(4)) if s != out]
            assert [play.seat for play in trick] == order
            for play in trick:
                assert play.card in held_at(deal, play.seat, number)
            leader = deal.winners[number - 1]
        assert len(deal.tricks) == 5


def test_without_dials_nobody_revokes() -> None:
    assert [stray for deal in PLAYED for stray in strays(deal)] == []


def test_a_planted_revoke_is_the_only_one_and_its_proof_falls_later() -> None:
    planted = 0
    for seed in range(1, 21):
        for deal in play_game(seed=seed, dials=Dials(revokes=1)).deals:
            if deal.maker is None:
                continue
            if deal.revoke is None:
                assert strays(deal) == []
                continue
            planted += 1
            revoke = deal.revoke
            assert strays(deal) == [(revoke.seat, revoke.trick, revoke.card)]
            assert deal.trump is not None
            led = suit_in_play(deal.tricks[revoke.trick - 1][0].card, deal.trump)
            later = [
                (number, play.card)
                for number, trick in enumerate(deal.tricks, start=1)
                for play in trick
                if number > revoke.trick
                and play.seat == revoke.seat
                and suit_in_play(play.card, deal.trump) == led
            ]
            assert later[0] == (revoke.proven_at_trick, revoke.proof)
    assert planted > 100


def test_a_play_out_of_turn_changes_the_order_and_nothing_else() -> None:
    seen = 0
    for deal in play_game(seed=3, dials=Dials(misplays=1)).deals:
        if deal.maker is None:
            continue
        assert deal.out_of_turn is not None
        seen += 1
        for trick in deal.tricks:
            assert len({play.seat for play in trick}) == len(trick)
        assert strays(deal) == []
    assert seen


def test_the_same_seed_plays_the_same_game_whatever_the_picture_is_like() -> None:
    rough = Dials(blur=1, glare=1, noise=1, tilt=1, hands=1, late=1, markers=1, misread=0.1)
    assert play_game(seed=7) == play_game(seed=7, dials=rough)
    assert play_game(seed=7) != play_game(seed=8)


def test_the_games_are_varied_as_at_a_real_table() -> None:
    share = Counter(
        passed=sum(d.maker is None for d in DEALS),
        alone=sum(d.alone is not None for d in DEALS),
        taken=sum(d.taken for d in DEALS),
        euchred=sum(d.points[1 - side_of(d.maker)] > 0 for d in PLAYED if d.maker is not None),
    )
    assert 0 < share["passed"] < 0.2 * len(DEALS)
    assert 0.02 * len(DEALS) < share["alone"] < 0.2 * len(DEALS)
    assert 0.3 * len(DEALS) < share["taken"] < 0.8 * len(DEALS)
    assert 0.05 * len(DEALS) < share["euchred"] < 0.35 * len(DEALS)


def test_stick_the_dealer_leaves_no_deal_unplayed() -> None:
    for seed in range(1, 41):
        game = play_game(seed=seed, terms=Terms(stick_dealer=True))
        assert all(deal.maker is not None for deal in game.deals)


@pytest.mark.parametrize(
    ("trick", "trump", "winner"),
    [
        (("9h", "Ah", "Th", "Kh"), "s", 1),  # highest of the led suit
        (("9h", "Ah", "9s", "Kh"), "s", 2),  # a trump beats it
        (("Js", "Jc", "As", "Ks"), "s", 0),  # right over left bower
        (("As", "Jc", "Ks", "9s"), "s", 1),  # left bower over the ace
        (("Jc", "Ac", "9s", "Kc"), "s", 0),  # the left bower leads trump; clubs do not follow
    ],
)
def test_who_wins_a_trick(trick: tuple[str, ...], trump: str, winner: int) -> None:
    plays = [Play(seat=seat, card=card) for seat, card in enumerate(trick)]  # type: ignore[arg-type]
    assert winner_of(plays, trump) == winner  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("won", "alone", "points"),
    [(5, False, (2, 0)), (5, True, (4, 0)), (4, False, (1, 0)), (3, True, (1, 0)),
     (2, False, (0, 2)), (0, False, (0, 2)), (2, True, (0, 2))],
)  # fmt: skip
def test_points_follow_the_table_of_results(won: int, alone: bool, points: tuple[int, int]) -> None:
    assert points_for(won, makers=0, alone=alone) == points
    assert points_for(won, makers=1, alone=alone) == points[::-1]


def test_the_facts_of_a_deal_are_what_the_camera_and_the_tap_would_say() -> None:
    deal = next(d for d in PLAYED if d.taken and d.alone is None)
    facts = facts_of(deal)
    assert isinstance(facts[1], UpcardTaken)
    assert sum(isinstance(fact, CardPlayed) for fact in facts) == 20
    assert sum(isinstance(fact, TrickCleared) for fact in facts) == 5
    assert facts[-1] == Declared(maker=deal.maker, trump=suit_of(deal.upcard), alone=None)  # type: ignore[arg-type]
    passed = next(d for d in DEALS if d.maker is None)
    assert isinstance(facts_of(passed)[-1], DealThrownIn)
