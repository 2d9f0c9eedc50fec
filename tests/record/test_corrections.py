"""Anything of the past can be mended by appending, and everything after it is computed anew."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from record_scenes import NAMES, SEEDS, SOME, deal_facts, game, recorded, refused, seen, tell

from engine import facts as f
from engine.cards import Card
from engine.commands import (
    Command,
    ConfirmDeal,
    Correct,
    Declare,
    Insert,
    Move,
    Rejected,
    RuleFinding,
    StrikeDeal,
    Undo,
)
from engine.log import Entry
from engine.memory_log import MemoryLog
from engine.notation import ImportedGame
from engine.replay import Cursor, lines
from engine.state import fold
from engine.table import Accepted, Table, store


@SOME
@given(seed=SEEDS)
def test_a_correction_of_nothing_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    records = recorded(game(rng, 2, revoke_once=True))
    before = seen(fold(records))
    target = rng.choice(records)
    after = tell(records, Correct(target=target.version, replacement=target.fact, reason="same"))
    assert seen(fold(after)) == before
    assert seen(fold(tell(after, Undo()))) == before


@SOME
@given(seed=SEEDS)
def test_a_card_that_was_missed_is_put_in_at_its_place(seed: int) -> None:
    rng = random.Random(seed)
    whole = game(rng, 3)
    places = [n for n, fact in enumerate(whole) if isinstance(fact, f.CardPlayed)]
    gone = rng.choice(places)
    records = recorded([*whole[:gone], *whole[gone + 1 :]])
    assert seen(fold(records)) != seen(fold(recorded(whole)))
    mended = tell(records, Insert(before=gone + 1, fact=whole[gone], reason="a hand hid it"))
    assert seen(fold(mended)) == seen(fold(recorded(whole)))
    assert seen(fold(tell(mended, Undo()))) == seen(fold(records))


@SOME
@given(seed=SEEDS)
def test_any_fact_of_a_deal_that_was_missed_can_be_put_in(seed: int) -> None:
    rng = random.Random(seed)
    whole = game(rng, 3)
    kinds = (f.UpcardShown, f.UpcardTaken, f.UpcardTurnedDown, f.Declared, f.TrickCleared)
    gone = rng.choice([n for n, fact in enumerate(whole[:-2]) if isinstance(fact, kinds)])
    records = recorded([*whole[:gone], *whole[gone + 1 :]])
    mended = tell(records, Insert(before=gone + 1, fact=whole[gone], reason="missed"))
    assert seen(fold(mended)) == seen(fold(recorded(whole)))


@SOME
@given(seed=SEEDS)
def test_a_play_recorded_in_the_wrong_place_is_moved(seed: int) -> None:
    rng = random.Random(seed)
    whole = game(rng, 2)
    places = [n for n, fact in enumerate(whole) if isinstance(fact, f.CardPlayed)]
    gone = rng.choice(places[:-4])
    late = gone + rng.randrange(1, 4)
    order = [*range(gone), *range(gone + 1, late + 1), gone, *range(late + 1, len(whole))]
    records = recorded([whole[n] for n in order])
    version = order.index(gone) + 1
    mended = tell(records, Move(target=version, before=gone + 1, reason="laid before"))
    assert seen(fold(mended)) == seen(fold(recorded(whole)))
    # It keeps its version: the card can be corrected, and the move taken back, apart.
    (play,) = [r for r in fold(mended).standing if r.version == version]
    assert play.fact == whole[gone]
    assert seen(fold(tell(mended, Undo()))) == seen(fold(records))


@SOME
@given(seed=SEEDS)
def test_a_deal_that_never_was_is_taken_out_and_the_later_ones_keep_what_was_said(
    seed: int,
) -> None:
    rng = random.Random(seed)
    true = game(rng, 3)
    starts = [n for n, fact in enumerate(true) if isinstance(fact, f.UpcardShown)]
    at = rng.choice([1, 2])
    practice = deal_facts(random.Random(seed + 1), at + 1, at)
    later = [
        replace(fact, deal=fact.deal + 1)
        if isinstance(fact, f.Declared | f.DealConfirmed)
        else fact
        for fact in true[starts[at] :]
    ]
    records = recorded([*true[: starts[at]], *practice, *later])
    assert len(fold(records).deals) == 4
    mended = tell(records, StrikeDeal(deal=at + 1, reason="we showed a guest how it goes"))
    assert len(mended) == len(records) + 1
    assert seen(fold(mended)) == seen(fold(recorded(true)))
    assert seen(fold(tell(mended, Undo()))) == seen(fold(records))


@SOME
@given(seed=SEEDS)
def test_a_wrong_up_card_between_two_deals_is_struck_and_nothing_said_is_lost(seed: int) -> None:
    true = game(random.Random(seed), 3)
    starts = [n for n, fact in enumerate(true) if isinstance(fact, f.UpcardShown)]
    at = starts[1]
    phantom = [f.UpcardShown(card=Card("9c"), dealer=1), f.DealThrownIn(reason="misdeal")]
    later = [
        replace(fact, deal=fact.deal + 1)
        if isinstance(fact, f.Declared | f.DealConfirmed)
        else fact
        for fact in true[at:]
    ]
    records = recorded([*true[:at], *phantom, *later])
    mended = tell(
        records,
        Correct(target=at + 1, strike=True, reason="a hand of patience"),
        Correct(target=at + 2, strike=True, reason="a hand of patience"),
    )
    assert seen(fold(mended)) == seen(fold(recorded(true)))


@SOME
@given(seed=SEEDS)
def test_a_fact_spoilt_and_mended_is_as_if_it_had_been_right(seed: int) -> None:
    rng = random.Random(seed)
    whole = game(rng, 3)
    kinds = (f.UpcardShown, f.Declared, f.CardPlayed)
    at = rng.choice([n for n, fact in enumerate(whole) if isinstance(fact, kinds)])
    fact = whole[at]
    wrong: f.Fact
    match fact:
        case f.UpcardShown():
            wrong = replace(fact, card=Card("9s" if fact.card != "9s" else "9h"))
        case f.Declared():
            wrong = replace(fact, maker=(fact.maker + 1) % 4, alone=None)
        case f.CardPlayed():
            wrong = replace(fact, seat=(fact.seat + 1) % 4)
        case _:
            raise AssertionError(fact)
    records = recorded([*whole[:at], wrong, *whole[at + 1 :]])
    assert seen(fold(records)) != seen(fold(recorded(whole)))
    mended = tell(records, Correct(target=at + 1, replacement=fact, reason="as it was"))
    assert seen(fold(mended)) == seen(fold(recorded(whole)))
    # Replay shows both: what was known before the correction, and what was true all along.
    cursor = Cursor(mended)
    assert cursor.at(len(records)) == fold(records)
    for version in (at + 1, len(records)):
        assert seen(cursor.truth(version)) == seen(fold(recorded(whole)[:version]))


def test_calls_declarations_dealers_and_discards_can_be_other_than_recorded() -> None:
    told: list[f.Fact] = [
        f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=None),
        f.DealerNamed(dealer=2),
        f.UpcardShown(card=Card("9h"), dealer=None, track=7, evidence="aa"),
        f.Called(seat=3, call="pass"),
        f.Called(seat=0, call="order_up"),
        f.UpcardTaken(),
        f.Discarded(seat=2, card=Card("9c")),
    ]
    records = recorded(told)
    assert fold(records).deals[0].maker == 0
    records = tell(
        records,
        Correct(target=2, seat=1, reason="East dealt"),
        Correct(target=3, card=Card("Th"), reason="misread"),
        Correct(target=4, seat=2, reason="South passed"),
        Correct(
            target=5,
            replacement=f.Called(seat=3, call="order_up", alone=True),
            reason="it was West, alone",
        ),
        Correct(target=7, card=Card("9d"), seat=1, reason="shown later"),
    )
    deal = fold(records).deals[0]
    assert (deal.dealer, deal.maker, deal.alone, deal.trump) == (1, 3, (3,), "h")
    assert deal.upcard is not None
    # What was seen of the card stays with it.
    assert (deal.upcard.card, deal.upcard.track, deal.upcard.evidence) == ("Th", 7, "aa")
    assert [c.seat for c in deal.calls] == [2, 3]
    records = tell(
        records,
        Correct(target=6, replacement=f.UpcardTurnedDown(), reason="it was turned down"),
        Correct(target=5, replacement=f.Called(seat=3, call="name", suit="s"), reason="spades"),
    )
    deal = fold(records).deals[0]
    assert (deal.trump, deal.upcard_state, deal.alone) == ("s", "turned_down", ())
    fixed = [r.fact for r in fold(records).standing if isinstance(r.fact, f.Discarded)]
    assert fixed == [f.Discarded(seat=1, card=Card("9d"))]


def test_a_mistaken_setting_is_mended_for_the_whole_game_with_a_reason() -> None:
    records = recorded(
        [
            f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=0),
            *deal_facts(random.Random(5), 1, 0),
        ]
    )
    assert fold(records).ruleset.target == 10
    shorter = tell(records, Correct(target=1, rules={"target": 1}, reason="a short game"))
    state = fold(shorter)
    assert (state.ruleset.target, state.ruleset.preset, state.over) == (1, "home", True)
    other = tell(shorter, Correct(target=1, rules="tournament", reason="the league's rules"))
    assert fold(other).ruleset.preset == "tournament"
    assert fold(other).ruleset.revoke_points_lone == 4
    assert not fold(other).over
    assert any("league" in line for line in lines(other))
    # The first correction still stands when the second is taken back.
    assert fold(tell(other, Undo())).ruleset.target == 1
    assert "reason" in refused(records, Correct(target=1, rules="pub", reason=" ")).reason
    bad = refused(records, Correct(target=1, rules={"target": -1}, reason="x"))
    assert (bad.code, "target" in bad.reason) == ("malformed", True)


def test_a_ruling_stays_with_its_finding_when_an_earlier_deal_goes() -> None:
    for seed in range(100):
        told = game(random.Random(seed), 3, revoke_once=True)
        last = fold(recorded(told)).deals[2]
        if any(finding.kind == "revoke" for finding in last.findings):
            break
    records = recorded(told)
    finding = next(x for x in last.findings if x.kind == "revoke")
    records = tell(records, RuleFinding(finding=finding.id, ruling="uphold", reason="agreed"))
    ruled = fold(records).deals[2]
    assert ruled.result == "revoke"
    after = fold(tell(records, StrikeDeal(deal=1, reason="a trial")))
    assert len(after.deals) == 2
    assert (after.deals[1].result, after.deals[1].points) == ("revoke", ruled.points)
    assert after.deals[1].findings[0].id.startswith("2:")


def test_a_declaration_for_the_deal_to_come_stays_with_it() -> None:
    records = recorded(
        [*game(random.Random(1), 2), f.DealThrownIn(reason="misdeal"), f.DealConfirmed(deal=2)]
    )
    count = len(fold(records).deals)
    records = tell(records, Declare(maker=1, trump="s", deal=None))
    declared = fold(records).declared_next
    assert declared is not None
    assert declared.deal == count + 1
    after = fold(tell(records, StrikeDeal(deal=1, reason="a trial")))
    assert after.declared_next is not None
    assert after.declared_next.deal == count


def test_a_correction_made_after_an_answer_is_not_undone_by_the_answer() -> None:
    told: list[f.Fact] = [
        f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=3),
        f.UpcardShown(card=Card("9h"), dealer=3),
        f.CardPlayed(seat=0, card=Card("Kc"), track=4),
        f.ReviewRaised(
            subject="play", seat=0, candidates=((Card("Ks"), 0.6),), reason="changed", track=4
        ),
        f.ReviewAnswered(review=4, card=Card("Ks")),
    ]
    records = recorded(told)
    assert fold(records).deals[0].tricks[0].plays[0].card == "Ks"
    records = tell(records, Correct(target=3, card=Card("Kd"), reason="we all saw it"))
    assert fold(records).deals[0].tricks[0].plays[0].card == "Kd"


@pytest.mark.parametrize(
    ("command", "code", "named"),
    [
        (
            Correct(target=3, reason="x", replacement=f.UpcardTaken(), strike=True),
            "malformed",
            "one",
        ),
        (Correct(target=1, reason="x", replacement=f.UpcardTaken()), "malformed", "game_started"),
        (Correct(target=3, reason="x", rules="pub"), "malformed", "entry 1"),
        (Correct(target=99, reason="x", strike=True), "unknown", "99"),
        (
            Correct(target=4, reason="x", replacement=f.CardPlayed(seat=5, card=Card("9h"))),
            "malformed",
            "seat 5",
        ),
        (
            Correct(target=4, reason="x", replacement=f.CardPlayed(seat=1, card=Card("1x"))),
            "malformed",
            "1x",
        ),
        (
            Correct(
                target=1,
                reason="x",
                replacement=f.GameStarted(rules={"target": 10}, names=("A", "B"), dealer=0),
            ),
            "malformed",
            "2 are named",
        ),
        (Insert(before=1, fact=f.TrickCleared(), reason="x"), "malformed", "nothing comes before"),
        (Insert(before=99, fact=f.TrickCleared(), reason="x"), "unknown", "99"),
        (Insert(before=3, fact=f.GameEnded(reason="x"), reason="x"), "malformed", "no place"),
        (Insert(before=3, fact=f.TrickCleared(), reason=""), "malformed", "reason is empty"),
        (Move(target=1, before=3, reason="x"), "malformed", "no place in a deal"),
        (Move(target=4, before=4, reason="x"), "malformed", "before itself"),
        (Move(target=4, before=5, reason="x"), "not_now", "there already"),
        (Move(target=4, before=77, reason="x"), "unknown", "77"),
        (StrikeDeal(deal=9, reason="x"), "unknown", "deals 1 to 1"),
        (StrikeDeal(deal=1, reason=""), "malformed", "reason is empty"),
    ],
)
def test_a_correction_that_makes_no_sense_is_refused_with_its_cure(
    command: Command, code: str, named: str
) -> None:
    records = recorded(
        [
            f.GameStarted(rules={"preset": "home"}, names=NAMES, dealer=0),
            *deal_facts(random.Random(5), 1, 0),
        ]
    )
    answer = refused(records, command)
    assert answer.code == code
    assert named in answer.reason


def test_an_amendment_is_taken_back_whole_and_only_once() -> None:
    records = recorded(game(random.Random(3), 2))
    struck = tell(records, StrikeDeal(deal=1, reason="a trial"))
    back = tell(struck, Correct(target=len(struck), strike=True, reason="it counted after all"))
    assert seen(fold(back)) == seen(fold(records))
    answer = refused(back, Correct(target=len(struck), strike=True, reason="again"))
    assert answer.code == "not_now"


# --- two tablets -------------------------------------------------------------------------------


def table_of(records: tuple[f.Recorded, ...]) -> Table:
    log = MemoryLog()
    entries = tuple(Entry(at_us=r.at_us, source=r.source, fact=r.fact) for r in records)
    store(log, ImportedGame(title="", entries=entries, game_id="g"))
    return Table.open(log, "g", clock_us=lambda: 3_600_000_000)


def test_the_second_of_two_tablets_is_told_what_happened_meanwhile() -> None:
    records = recorded(game(random.Random(7), 2))
    table = table_of(records)
    looked_at = table.version
    play = next(r for r in records if isinstance(r.fact, f.CardPlayed))
    one = Correct(target=play.version, seat=(play.fact.seat + 1) % 4, reason="it was his")
    assert isinstance(table.submit(one, source="seat:0", expect_version=looked_at), Accepted)
    two = Correct(target=play.version, card=Card("9c"), reason="misread")
    answer = table.submit(two, source="seat:2", expect_version=looked_at)
    assert isinstance(answer, Rejected)
    assert answer.code == "stale"
    (line,) = answer.meanwhile
    assert line.startswith(f"Entry {play.version} was corrected")
    assert line in answer.reason
    assert table.version == looked_at + 1
    # Having looked again, the second one asks again: both edits count.
    assert isinstance(table.submit(two, source="seat:2", expect_version=table.version), Accepted)
    now = table.state.standing_at(play.version)
    assert now is not None
    assert now.fact == replace(
        play.fact, card=Card("9c"), seat=(play.fact.seat + 1) % 4, confidence=1.0
    )


def test_a_tablet_that_did_not_see_the_other_mend_the_same_card_is_told_and_plays_go_on() -> None:
    records = recorded(game(random.Random(7), 2)[:-6])
    table = table_of(records)
    looked_at = table.version
    first, other, *_ = (r.version for r in records if isinstance(r.fact, f.CardPlayed))
    one = Correct(target=first, card=Card("9s"), reason="misread", looked_at=looked_at)
    assert isinstance(table.submit(one, source="seat:0"), Accepted)
    # Another card is another matter, and so is what the camera adds meanwhile.
    two = Correct(target=other, seat=3, reason="it was his", looked_at=looked_at)
    assert isinstance(table.submit(two, source="seat:2"), Accepted)
    # The same card is not: the second tablet hears what the first one said.
    late = Correct(target=first, card=Card("9d"), reason="misread", looked_at=looked_at)
    answer = table.submit(late, source="seat:2")
    assert isinstance(answer, Rejected)
    assert answer.code == "stale"
    (line,) = answer.meanwhile
    assert "the 9 of spades" in line
    assert line in answer.reason
    again = replace(late, looked_at=table.version)
    assert isinstance(table.submit(again, source="seat:2"), Accepted)
    now = table.state.standing_at(first)
    assert now is not None
    assert isinstance(now.fact, f.CardPlayed)
    assert now.fact.card == "9d"


@SOME
@given(seed=SEEDS)
def test_however_two_tablets_take_turns_no_edit_is_lost_and_none_is_silent(seed: int) -> None:
    rng = random.Random(seed)
    records = recorded(game(rng, 1))
    table = table_of(records)
    plays = [r.version for r in records if isinstance(r.fact, f.CardPlayed)]
    seats = {r.version: r.fact.seat for r in records if isinstance(r.fact, f.CardPlayed)}
    looked_at = [table.version, table.version]
    stale = 0
    for _ in range(12):
        who = rng.randrange(2)
        if rng.random() < 0.4:
            looked_at[who] = table.version
        target, seat = rng.choice(plays), rng.randrange(4)
        command = Correct(target=target, seat=seat, reason="x")
        behind = table.version - looked_at[who]
        answer = table.submit(command, source=f"seat:{who}", expect_version=looked_at[who])
        if isinstance(answer, Rejected):
            assert answer.code == "stale"
            assert len(answer.meanwhile) == behind > 0
            stale += 1
        else:
            assert behind == 0
            looked_at[who] = table.version
            seats[target] = seat
    laid = {r.version: r.fact.seat for r in table.state.standing if r.version in seats}
    assert laid == seats
    assert table.version + stale == len(records) + 12


def test_marked_points_follow_their_deal() -> None:
    records = tell(recorded(game(random.Random(2), 3)[:-1]), ConfirmDeal(deal=3))
    after = fold(tell(records, StrikeDeal(deal=2, reason="a trial")))
    assert [deal.confirmed for deal in after.deals] == [True, True]


# --- replay ------------------------------------------------------------------------------------


def test_replay_shows_an_inserted_card_only_in_the_truth_and_at_its_place() -> None:
    whole = game(random.Random(12), 1)
    gone = [n for n, fact in enumerate(whole) if isinstance(fact, f.CardPlayed)][6]
    records = recorded([*whole[:gone], *whole[gone + 1 :]])
    mended = tell(records, Insert(before=gone + 1, fact=whole[gone], reason="a hand hid it"))
    cursor = Cursor(mended)
    # Until the card after it nobody could know; from there on the truth has it in its place.
    assert seen(cursor.truth(gone)) == seen(cursor.at(gone)) == seen(fold(recorded(whole[:gone])))
    for version in range(gone + 1, len(records) + 1):
        assert seen(cursor.at(version)) == seen(fold(records[:version]))
        assert seen(cursor.truth(version)) == seen(fold(recorded(whole[: version + 1])))
    # Stepping by tricks goes by the places of the cards, not by when one was put in.
    ends = [cursor.step(0, "trick")]
    while ends[-1] < len(records) and len(ends) < 9:
        ends.append(cursor.step(ends[-1], "trick"))
    assert ends == sorted(set(ends))
    assert all(end <= len(mended) for end in ends)
    assert any("Put in before entry" in line for line in lines(mended))


def test_replay_shows_a_deal_taken_out_as_it_was_seen_and_the_truth_without_it() -> None:
    records = recorded(game(random.Random(4), 2))
    first, second = (len(facts.facts) for facts, _ in fold(records).readings)
    mended = tell(records, StrikeDeal(deal=1, reason="a trial"))
    cursor = Cursor(mended)
    middle = first // 2
    assert len(cursor.at(middle).deals) == 1
    assert cursor.truth(middle).deals == ()
    assert len(cursor.at(len(records)).deals) == 2
    assert seen(cursor.truth(len(records))) == seen(fold(mended))
    assert second > 0


def test_a_moved_card_stands_in_the_truth_where_it_was_laid() -> None:
    whole = game(random.Random(30), 1)
    place = next(n for n, fact in enumerate(whole) if isinstance(fact, f.CardPlayed))
    order = [*range(place), place + 1, place, *range(place + 2, len(whole))]
    records = recorded([whole[n] for n in order])
    mended = tell(records, Move(target=place + 2, before=place + 1, reason="it lay there first"))
    cursor = Cursor(mended)
    assert seen(cursor.truth(place + 2)) == seen(fold(recorded(whole[: place + 2])))
    assert seen(cursor.at(place + 2)) != seen(cursor.truth(place + 2))
