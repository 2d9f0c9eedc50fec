"""The snapshot: its shape as the module says, its sentences plain, nothing leaking into it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from engine_scenes import Table, facts_of
from oracle_euchre import deal_out

import engine.view
from engine.cards import Card
from engine.commands import AnswerReview, Correct, Declare, DrawDealer, RuleFinding, Undo
from engine.view import UnknownAudience, snapshot


def shown(made: Table) -> dict[str, Any]:
    return snapshot(made.state, made.records)


def in_play() -> Table:
    made = Table(dealer=3)
    made.up("9s", 3)
    made.turns_down(1)
    made.tell(Declare(maker=0, trump="h"))
    return made


#: The keys of every object of the contract, by where it stands.
KEYS = {
    "": "version game sides seats deal deals draw ask offers reviews findings history",
    "game": "id title preset target started_at_us over winner dealer paused confirmed "
    "shape players counts hand_size pack trumps alone_by defend_alone lone_exchange",
    "sides": "side name score tricks makers",
    "seats": "seat name side dealer turn maker alone sits_out cards_left",
    "deal": "number dealer phase upcard trump maker alone tricks points result",
    "upcard": "card state version",
    "draw": "method dealer awaited cards",
    "cards": "seat card version evidence review",
    "tricks": "number leader winner cleared plays",
    "plays": "seat card version confidence evidence last winning review",
    "deals": "number dealer maker trump alone tricks points score result",
    "ask": "kind text say deal",
    "reviews": "id subject seat candidates reason text say evidence deal trick",
    "findings": "id kind deal seat trick card led proof proven_at_trick text say evidence "
    "status ruling say_ruling verdict",
    "history": "version at_us source text say kind struck strikes card seat",
}


def full() -> Table:
    """A table with something of everything: a finished deal, a finding, a review."""
    made = Table(dealer=3)
    made.record(facts_of(deal_out(random.Random(2), dealer=3)))
    made.up("9s", 0)
    made.turns_down(made.tracks)
    made.tell(Declare(maker=1, trump="h"))
    made.plays((1, "Ac"), (2, "Kd"), (3, "Tc"), (0, "Qc"))
    made.clears()
    made.plays((1, "9c"), (2, "Kc"))
    made.rests(None, 3, votes=[("Ad", 0.6), ("Ah", 0.4)])
    return made


#: Keys of deals that are not of the four-handed game.
OF_OTHER_GAMES = (
    "bid bids seat tricks swapped stayed dropped layout open card version covered "
    "called partner standing"
)
#: Keys of the offers, which are commands.
OF_OFFERS = "kind seat call tricks"
#: Keys of a sentence for any language.
OF_SENTENCES = "key args seat"


def walk(where: str, value: Any) -> None:
    """Check the keys of every object below ``value``."""
    if where in ("offers", "say", "say_ruling"):  # their keys are the codec's, the sentences'
        return
    if isinstance(value, dict):
        if where == "ask":
            value = {key: inner for key, inner in value.items() if key != "seat"}
        assert sorted(value) == sorted(KEYS[where].split()), where
        for key, inner in value.items():
            walk(key, inner)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            walk(where, inner)


def test_the_snapshot_has_the_keys_of_its_contract_and_no_others() -> None:
    view = shown(full())
    walk("", view)
    assert view["findings"]
    assert view["reviews"]
    assert view["ask"]
    assert view["deals"]


def test_every_key_the_contract_names_is_there() -> None:
    """The contract is the module's docstring: each quoted key of it is one of ours."""
    named = set(re.findall(r'"(\w+)":', engine.view.__doc__ or ""))
    words = (*KEYS.values(), OF_OTHER_GAMES, OF_OFFERS, OF_SENTENCES)
    ours = {key for keys in words for key in keys.split()}
    assert named == ours


def test_the_snapshot_is_plain_json() -> None:
    view = shown(full())
    assert json.loads(json.dumps(view)) == view


def test_an_empty_table_has_a_snapshot_too() -> None:
    from engine.state import State

    view = snapshot(State(), ())
    assert (view["version"], view["deal"], view["ask"]) == (0, None, None)
    walk("", view)


def test_a_draw_has_the_keys_of_the_contract() -> None:
    made = Table(dealer=None)
    made.tell(DrawDealer())
    made.rests("9h", 1)
    view = shown(made)
    assert view["draw"]["cards"]
    walk("", view)


def test_an_unknown_audience_is_refused() -> None:
    made = in_play()
    with pytest.raises(UnknownAudience, match="'players' is no audience"):
        snapshot(made.state, made.records, audience="players")


def test_the_cards_on_the_table_are_shown_with_who_is_ahead() -> None:
    made = in_play()
    made.plays((0, "Tc"), (1, "Ac"), (2, "9c"))
    view = shown(made)
    (trick,) = view["deal"]["tricks"]
    assert [(p["seat"], p["card"], p["winning"], p["last"]) for p in trick["plays"]] == [
        (0, "Tc", False, False),
        (1, "Ac", True, False),
        (2, "9c", False, True),
    ]
    assert [seat["turn"] for seat in view["seats"]] == [False, False, False, True]
    assert [seat["cards_left"] for seat in view["seats"]] == [4, 4, 4, 5]
    assert [seat["dealer"] for seat in view["seats"]] == [False, False, False, True]
    assert [side["makers"] for side in view["sides"]] == [True, False]
    assert view["deal"]["phase"] == "play"
    assert view["deal"]["upcard"] == {"card": "9s", "state": "turned_down", "version": 2}


def test_nobody_is_ahead_while_trump_or_a_card_is_unknown() -> None:
    made = Table(dealer=3)
    made.up("9s", 3)
    made.turns_down(1)
    made.plays((0, "Tc"))
    assert not shown(made)["deal"]["tricks"][0]["plays"][0]["winning"]
    made = in_play()
    made.plays((0, "Tc"))
    made.rests(None, 1, votes=[("Ac", 0.6)])
    plays = shown(made)["deal"]["tricks"][0]["plays"]
    assert [p["winning"] for p in plays] == [False, False]
    assert plays[1]["review"] == shown(made)["reviews"][0]["id"]


def test_a_finished_deal_stands_in_the_list_with_the_score_after_it() -> None:
    truth = deal_out(random.Random(3), dealer=3)
    made = Table(dealer=3)
    made.record(facts_of(truth))
    view = shown(made)
    (line,) = view["deals"]
    assert line["points"] == list(truth.points)
    assert line["score"] == list(truth.points)
    assert line["tricks"] == list(truth.tricks)
    assert [side["score"] for side in view["sides"]] == list(truth.points)
    assert view["game"]["dealer"] == 0


# --- the question that comes first -------------------------------------------------------------


def ask(made: Table) -> tuple[str, str]:
    asked = shown(made)["ask"]
    return asked["kind"], asked["text"]


def test_the_table_is_asked_for_what_holds_the_score_up_first() -> None:
    made = Table(dealer=None)
    assert ask(made) == ("dealer", "Who deals first?")
    made = Table(dealer=3)
    assert ask(made) == ("upcard", "West deals: turn up a card.")
    made.up("9s", 3)
    assert ask(made) == ("declare", "Who makes trump, and which suit?")
    made.plays((0, "Ac"))
    assert ask(made) == ("declare", "Who made trump in deal 1, and which suit?")
    made.tell(Declare(maker=0, trump="h"))
    assert shown(made)["ask"] is None
    made.rests(None, 1, votes=[("Kc", 0.6)])
    assert ask(made) == (
        "review",
        "East's card in trick 1 may be the king of clubs. Which card is it?",
    )
    made.tell(AnswerReview(review=made.state.reviews[0].version, card=Card("Kd")))
    made.plays((2, "Tc"), (3, "Qc"), (0, "9c"), (1, "Kc"))
    kind, text = ask(made)
    assert kind == "finding"
    assert text.startswith("East did not follow clubs in trick 1: played the king of diamonds")
    made.tell(RuleFinding(finding="1:revoke:1:1", ruling="uphold"))
    assert ask(made) == ("confirm", "Deal 1, a revoke: 2 points to North and South. Mark it?")


def test_an_undeclared_earlier_deal_is_asked_about_by_its_number() -> None:
    truth = deal_out(random.Random(1), dealer=3, alone_share=0.0)
    made = Table(dealer=3)
    facts = facts_of(truth, declare="never")
    made.record([facts[0], *facts[2:]])
    made.up("Ah", 0)
    made.leaves(made.tracks)
    assert ask(made) == ("declare", "Who made trump in deal 1, and which suit?")
    assert shown(made)["ask"]["deal"] == 1


def test_a_finished_game_asks_nothing() -> None:
    truth = deal_out(random.Random(1), dealer=3)
    made = Table(dealer=3, target=1)
    made.record(facts_of(truth))
    view = shown(made)
    assert view["game"]["over"]
    assert view["ask"] is None
    assert not any(seat["turn"] for seat in view["seats"])


@pytest.mark.parametrize(
    ("reason", "candidates", "text"),
    [
        ("unsure", (), "East's card in trick 1 could not be read. Which card is it?"),
        ("missed", (), "East's card in trick 1 was not seen. Which card was it?"),
        ("seat", ("Kc",), "Who played the king of clubs in trick 1?"),
        (
            "duplicate",
            ("Ac",),
            "East's card in trick 1 looks like the ace of clubs, already seen in this deal. "
            "What is it?",
        ),
        (
            "foreign",
            ("8c",),
            "East's card in trick 1 looks like the 8 of clubs, which is not in the pack. "
            "What is it?",
        ),
    ],
)
def test_a_review_asks_in_one_plain_sentence(
    reason: str, candidates: tuple[str, ...], text: str
) -> None:
    from engine.facts import ReviewRaised

    made = in_play()
    made.plays((0, "Ac"))
    made.record(
        [
            ReviewRaised(
                subject="play",
                seat=1,
                candidates=tuple((Card(c), 0.6) for c in candidates),
                reason=reason,
            )
        ]
    )
    (review,) = shown(made)["reviews"]
    assert review["text"] == text
    assert (review["deal"], review["trick"]) == (1, 1)


# --- history -----------------------------------------------------------------------------------


def test_the_history_says_what_happened_newest_last() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    lines = shown(made)["history"]
    assert [line["text"] for line in lines] == [
        "The game began",
        "West dealt; the 9 of spades was turned up",
        "The up-card was turned down",
        "Deal 1: North made hearts",
        "North played the ace of clubs",
    ]
    assert lines[-1]["kind"] == "card_played"
    assert (lines[-1]["card"], lines[-1]["seat"]) == ("Ac", 0)
    assert not any(line["struck"] for line in lines)


def test_what_was_taken_back_is_struck_and_stays_in_sight() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    made.tell(Undo())
    lines = shown(made)["history"]
    assert [line["struck"] for line in lines[-2:]] == [True, False]
    assert lines[-1]["text"] == "Entry 5 was taken back (undo)"
    made.tell(Correct(target=6, strike=True, reason="it was right"))
    assert [line["struck"] for line in shown(made)["history"][-3:]] == [False, True, False]
    assert [line["strikes"] for line in shown(made)["history"][-3:]] == [False, True, True]


def test_a_corrected_play_shows_what_it_is_now() -> None:
    made = in_play()
    made.plays((0, "Ac"))
    made.tell(Correct(target=5, card=Card("Kc"), reason="misread"))
    line = shown(made)["history"][-2]
    assert line["text"] == ("North played the ace of clubs (now: North played the king of clubs)")
    assert line["card"] == "Kc"


def test_only_the_last_thirty_lines_are_shown() -> None:
    made = Table(dealer=3)
    made.record(facts_of(deal_out(random.Random(1), dealer=3)))
    made.record(facts_of(deal_out(random.Random(2), dealer=0)))
    lines = shown(made)["history"]
    assert len(lines) == 30
    assert lines[-1]["version"] == made.state.version


def test_players_are_called_by_their_names() -> None:
    from engine.commands import StartGame

    made = Table.empty()
    made.tell(StartGame(names=("Ann", "Bob", "Cy", "Dee"), dealer=3))
    made.up("9s", 3)
    made.turns_down(1)
    made.tell(Declare(maker=0, trump="h"))
    made.plays((1, "Ac"))
    view = shown(made)
    assert [side["name"] for side in view["sides"]] == ["Ann and Cy", "Bob and Dee"]
    assert view["findings"][0]["text"] == (
        "Bob led the ace of clubs to trick 1; it was Ann's turn."
    )
    assert view["history"][-1]["text"] == "Bob played the ace of clubs"


def test_a_name_cannot_turn_the_sentence_it_stands_in() -> None:
    from engine.commands import StartGame

    made = Table.empty()
    names = ("Ann\u202e", "\u2066B\u200fob", "\u202e\u202e", "De\ne\t Dee")
    made.tell(StartGame(names=names, dealer=3, title="Fri\u202eday"))
    made.up("9s", 3)
    view = shown(made)
    assert [seat["name"] for seat in view["seats"]] == ["Ann", "Bob", "South", "De e Dee"]
    assert view["sides"][0]["name"] == "Ann and South"
    assert view["game"]["title"] == "Friday"
    told = str(view)
    assert not [sign for sign in "\u202e\u2066\u200f\n\t" if sign in told]


def test_names_of_every_writing_stay_as_they_are() -> None:
    from engine.commands import StartGame

    made = Table.empty()
    names = ("Zoë", "שרה", "محمد", "👩\u200d🚀 Ada")
    made.tell(StartGame(names=names, dealer=3))
    assert tuple(seat["name"] for seat in shown(made)["seats"]) == names


def test_a_discard_that_was_seen_stays_hidden() -> None:
    made = Table(dealer=3)
    made.up("9s", 3)
    made.leaves(1)
    made.up("Ah", 3)
    view = shown(made)
    assert view["history"][-1]["text"] == "West discarded"
    assert view["history"][-1]["card"] is None
    assert view["game"].pop("pack").count("Ah") == 1
    assert "Ah" not in json.dumps(view)
