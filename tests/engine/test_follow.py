"""Suits, ranks and trick winners: RULES.md, "Rank" and "Play"."""

from __future__ import annotations

import itertools

import pytest
from oracle_euchre import PACK, TRUMPS, counts_in, plain, wins

from engine.cards import Card, Suit
from engine.follow import beats, effective_suit, legal_cards, trick_winner


@pytest.mark.parametrize("trump", "cdhs")
def test_every_card_counts_in_the_suit_the_rules_say(trump: str) -> None:
    for card in PACK:
        assert effective_suit(Card(card), trump) == counts_in(card, trump)


def test_the_left_bower_follows_trump() -> None:
    assert effective_suit(Card("Jd"), "h") == "h"
    assert effective_suit(Card("Jd"), "d") == "d"
    assert effective_suit(Card("Jd"), "s") == "d"


def test_without_trump_the_bowers_are_plain_jacks() -> None:
    assert [effective_suit(Card(card), "n") for card in ("Jc", "Jd", "Jh", "Js")] == list("cdhs")
    assert beats(Card("Qd"), Card("Jd"), led=Suit("d"), trump="n")


@pytest.mark.parametrize("trump", "cdhs")
@pytest.mark.parametrize("led", "cdhs")
def test_the_ranks_are_in_the_order_of_the_rules(trump: str, led: str) -> None:
    order = TRUMPS[trump] + ([] if led == trump else plain(led, trump))
    for higher, lower in itertools.combinations(order, 2):
        assert beats(Card(higher), Card(lower), led=Suit(led), trump=trump)
        assert not beats(Card(lower), Card(higher), led=Suit(led), trump=trump)


def test_with_24_cards_there_are_seven_trumps_five_next_and_six_of_the_others() -> None:
    """RULES.md: 7 trumps, 5, 6 and 6."""
    sizes = sorted(sum(effective_suit(Card(c), "s") == suit for c in PACK) for suit in "cdhs")
    assert sizes == [5, 6, 6, 7]


def test_a_card_off_the_led_suit_cannot_win_without_being_trump() -> None:
    plays = [(0, Card("9c")), (1, Card("Ad")), (2, Card("Tc")), (3, Card("As"))]
    assert trick_winner(plays, "h") == 2


def test_the_lowest_trump_beats_the_ace_led() -> None:
    assert trick_winner([(1, Card("Ac")), (2, Card("9h")), (3, Card("Kc"))], "h") == 2


def test_the_left_bower_wins_when_its_printed_suit_is_led() -> None:
    plays = [(0, Card("Ad")), (1, Card("Kd")), (2, Card("Jd")), (3, Card("Qd"))]
    assert trick_winner(plays, "h") == 2


@pytest.mark.parametrize("trump", "cdhs")
def test_winners_agree_with_the_oracle_on_thousands_of_tricks(trump: str) -> None:
    for cards in itertools.islice(itertools.permutations(PACK, 4), 0, None, 83):
        laid = list(enumerate(cards))
        assert trick_winner([(s, Card(c)) for s, c in laid], trump) == wins(laid, trump)


def test_a_hand_must_follow_with_its_left_bower() -> None:
    hand = [Card("Jd"), Card("9c"), Card("Kd")]
    assert legal_cards(hand, Suit("h"), "h") == (Card("Jd"),)
    assert legal_cards(hand, Suit("d"), "h") == (Card("Kd"),)
    assert legal_cards(hand, Suit("s"), "h") == tuple(hand)
    assert legal_cards(hand, None, "h") == tuple(hand)


def test_a_trick_without_plays_has_no_winner() -> None:
    with pytest.raises(ValueError, match="leader first"):
        trick_winner([], "h")
