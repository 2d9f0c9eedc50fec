"""A recorded game stepped through: what was known then, what was true, and in plain words."""

from __future__ import annotations

from typing import Any

import pytest

from engine import facts
from engine.cards import Card
from engine.facts import CardPlayed, Fact, Recorded, TrickCleared
from engine.replay import Cursor, lines
from engine.state import fold

# Dealer West, hearts, made by North. North, North, East, South, West win the tricks.
TRICKS = ("Jh Qh Th 9h", "Ah 9d Tc 9c", "Kc Ac Js Qs", "Ks As Qd 9s", "Kd Ad Td Jc")
LEADERS = (0, 0, 0, 1, 2)


def tricks(**misread: str) -> list[Fact]:
    """The plays and sweeps; ``misread`` gives other cards for some."""
    told: list[Fact] = []
    for leader, line in zip(LEADERS, TRICKS, strict=True):
        for step, card in enumerate(line.split()):
            seat = (leader + step) % 4
            told.append(CardPlayed(seat=seat, card=Card(misread.get(card, card))))
        told.append(TrickCleared())
    return told


def recorded(*told: Fact) -> tuple[Recorded, ...]:
    begun = facts.GameStarted(
        rules={"preset": "home"}, names=("Ann", "Bob", "Cy", "Di"), dealer=3, title="Friday"
    )
    return tuple(
        Recorded(
            seq=v, game_id="g", version=v, at_us=(v - 1) * 2_000_000, source="camera", fact=fact
        )
        for v, fact in enumerate((begun, *told), start=1)
    )


UPCARD = facts.UpcardShown(card=Card("9h"), dealer=3)
DECLARED = facts.Declared(maker=0, trump="h", deal=1)
# Versions: 1 start, 2 up-card, 3 declaration, then 4-7 the first trick and 8 its sweep ...
PLAIN = recorded(UPCARD, DECLARED, *tricks())
# The declaration comes after the second trick; the first card was misread and mended at the end.
LATE = recorded(
    UPCARD,
    *tricks(Jh="Jd")[:10],
    DECLARED,
    *tricks()[10:],
    facts.Corrected(target=3, replacement=CardPlayed(seat=0, card=Card("Jh")), reason="bad light"),
)


def test_at_a_version_no_more_is_known_than_was_known_then() -> None:
    cursor = Cursor(LATE)
    assert cursor.last == len(LATE)
    for version in range(cursor.last + 1):
        assert cursor.at(version) == fold(LATE[:version])
    assert cursor.at(3).deals[0].tricks[0].plays[0].card == "Jd"
    assert cursor.at(12).deals[0].trump is None


def test_in_truth_a_correction_and_a_late_declaration_count_from_the_beginning() -> None:
    cursor = Cursor(LATE)
    early = cursor.truth(3).deals[0]
    assert early.tricks[0].plays[0].card == "Jh"
    assert early.trump == "h"
    assert [len(trick.plays) for trick in early.tricks] == [1]
    assert cursor.truth(7).deals[0].winners == (0,)
    assert cursor.at(7).deals[0].winners == (None,)
    assert cursor.truth(cursor.last) == cursor.at(cursor.last)


def test_trump_is_no_truth_before_a_card_was_led() -> None:
    assert Cursor(LATE).truth(2).deals[0].trump is None


def test_an_answered_doubt_is_true_from_where_it_was_raised() -> None:
    doubt = facts.ReviewRaised(
        subject="play", seat=0, candidates=((Card("Jh"), 0.6),), reason="unsure"
    )
    told = tricks()
    told[0] = doubt
    records = recorded(UPCARD, DECLARED, *told, facts.ReviewAnswered(review=4, card=Card("Jh")))
    cursor = Cursor(records)
    assert cursor.at(4).deals[0].tricks[0].plays[0].card is None
    assert cursor.truth(4).deals[0].tricks[0].plays[0].card == "Jh"
    assert cursor.truth(3) == cursor.at(3)


def test_a_correction_that_was_itself_taken_back_is_no_truth() -> None:
    records = recorded(
        UPCARD,
        DECLARED,
        *tricks(),
        facts.Corrected(target=4, replacement=CardPlayed(seat=0, card=Card("Qh")), reason="x"),
        facts.Corrected(target=29, replacement=None, reason="undo"),
    )
    assert isinstance(records[28].fact, facts.Corrected)
    assert Cursor(records).truth(4).deals[0].tricks[0].plays[0].card == "Jh"


def test_a_snapshot_carries_the_version_it_shows() -> None:
    cursor = Cursor(LATE)
    known, truth = cursor.snapshot(3), cursor.snapshot(3, view="truth")
    assert known["version"] == truth["version"] == 3
    assert known["deal"]["tricks"][0]["plays"][0]["card"] == "Jd"
    assert truth["deal"]["tricks"][0]["plays"][0]["card"] == "Jh"
    assert cursor.snapshot(0)["deal"] is None


def walk(cursor: Cursor, by: Any, *, back: bool = False) -> list[int]:
    here = cursor.last if back else 0
    path = [here]
    while (there := cursor.step(here, by, back=back)) != here:
        path.append(there)
        here = there
    return path


def test_one_may_step_by_facts_by_tricks_and_by_deals() -> None:
    two = recorded(
        UPCARD,
        DECLARED,
        *tricks(),
        facts.DealConfirmed(deal=1),
        facts.UpcardShown(card=Card("Qc"), dealer=0),
        facts.DealThrownIn(),
        facts.GameEnded(reason="late"),
    )
    cursor = Cursor(two)
    assert walk(cursor, "fact") == list(range(33))
    assert walk(cursor, "fact", back=True) == list(range(32, -1, -1))
    # A trick's position is its last card, a deal's its last fact.
    assert walk(cursor, "trick") == [0, 7, 12, 17, 22, 27, 32]
    assert walk(cursor, "trick", back=True) == [32, 27, 22, 17, 12, 7, 0]
    assert walk(cursor, "deal") == [0, 28, 31, 32]
    assert walk(cursor, "deal", back=True) == [32, 31, 28, 0]
    assert all(cursor.at(v).deals[0].tricks[-1].complete for v in (7, 12, 17, 22, 27))


def test_steps_past_the_ends_stay_there() -> None:
    cursor = Cursor(PLAIN)
    assert cursor.step(-5, back=True) == 0
    assert cursor.step(999) == cursor.last
    assert cursor.at(999) == cursor.at(cursor.last)
    assert Cursor(()).step(0, "deal") == 0
    assert Cursor(()).at(0) == fold(())


def test_a_game_in_words_has_a_line_for_each_fact_and_the_score_after_each_deal() -> None:
    told = list(lines(PLAIN))
    assert told[:6] == [
        "   1     0:00  The game began",
        "               Friday: Ann, Bob, Cy and Di, rules home, to 10",
        "",
        "Deal 1, dealt by Di",
        "   2     0:02  Di dealt; the 9 of hearts was turned up",
        "   3     0:04  Deal 1: Ann made hearts",
    ]
    numbered = [line for line in told if line[:4].strip().isdigit()]
    assert len(numbered) == len(PLAIN)
    assert "   7     0:12  Di played the 9 of hearts" in told
    assert told[told.index("   7     0:12  Di played the 9 of hearts") + 1].strip() == (
        "Ann takes trick 1"
    )
    assert any("1 point to Ann and Cy; score 1–0" in line for line in told)
    assert told[-1] == "The score stands at 1–0"


def test_what_was_mended_says_so_where_it_happened_and_when_it_was() -> None:
    told = list(lines(LATE))
    assert any(line.endswith("Ann played the jack of diamonds  [corrected by 29]") for line in told)
    assert any("Entry 3 was corrected: Ann played the jack of hearts" in line for line in told)
    # With the jack of diamonds North's first trick stands all the same: it is the left bower.
    taken = [line.strip() for line in told if "takes trick" in line]
    assert taken[:2] == ["Ann takes trick 1", "Ann takes trick 2"]


@pytest.mark.parametrize("ruling", ["uphold", "dismiss"])
def test_a_finding_is_told_when_it_is_proved_and_when_it_is_ruled(ruling: Any) -> None:
    told = tricks()
    # West keeps the nine of clubs when clubs are led, and plays it a trick later.
    swap = {"9c": "Qd", "Qd": "9c"}
    told = [
        CardPlayed(seat=f.seat, card=Card(swap.get(f.card, f.card)))
        if isinstance(f, CardPlayed)
        else f
        for f in told
    ]
    records = recorded(
        UPCARD, DECLARED, *told, facts.FindingRuled(finding="1:revoke:3:3", ruling=ruling)
    )
    words = list(lines(records))
    proved = next(i for i, line in enumerate(words) if line.strip().startswith("! Di did not"))
    assert "played the 9 of clubs" in words[proved - 1]
    if ruling == "uphold":
        assert any("Deal 1 now: a revoke, 2 points to Ann and Cy" in line for line in words)
        assert words[-1] == "The score stands at 2–0"
    else:
        assert words[-1] == "The score stands at 1–0"


def test_a_game_without_a_fact_has_no_words() -> None:
    assert list(lines(())) == []
