"""Random deals played and scored by OpenSpiel, written as EGN here, read and scored by us."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from engine.notation.egn import read_egn, write_egn
from engine.score import score_json

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")

DEALS = 300
PASS = 24  # OpenSpiel's number of that call


def card(number: int) -> str:
    """OpenSpiel's card number as we write it: suits c d h s, ranks 9 to A."""
    return "9TJQKA"[number // 4] + "cdhs"[number % 4]


def play_one(game: Any, chance: random.Random) -> tuple[dict[str, Any], list[int]]:
    """One random deal as an EGN deal, and what each seat scored by OpenSpiel."""
    state = game.new_initial_state()
    calls: list[str] = []
    tricks: list[list[str]] = []
    alone = False
    defender = -1
    discard = ""
    while not state.is_terminal():
        actions = state.legal_actions()
        action = chance.choice(actions)
        if PASS in actions and chance.random() < 0.7:  # else a deal is hardly ever passed out
            action = PASS
        phase = str(state.current_phase()).rsplit(".", 1)[-1]
        said = state.action_to_string(state.current_player(), action)
        match phase:
            case "BIDDING":
                if said == "Pass":
                    calls.append("Pass")
                else:
                    calls.append("Order" if len(calls) < 4 else "cdhs"["CDHS".index(said[0])])
            case "DISCARD":
                discard = card(action)
            case "GO_ALONE":
                if said == "Alone" and state.current_player() == state.declarer():
                    alone = True
                elif said == "Alone":
                    defender = state.current_player()
            case "PLAY":
                in_play = 4 - alone - (defender >= 0)
                if not tricks or len(tricks[-1]) == in_play:
                    tricks.append([])
                tricks[-1].append(card(action))
        state.apply_action(action)
    bidding: dict[str, Any] = {"type": "EUCHRE_BIDDING", "calls": calls, "isAlone": alone}
    if defender >= 0:
        bidding["aloneDefender"] = defender
    if discard:
        bidding["discard"] = discard
    phases = [bidding, {"type": "TRICK_PLAY", "tricks": tricks}] if tricks else [bidding]
    deal = {
        "dealNumber": 0,
        "initialState": {"dealer": state.dealer(), "upCard": card(state.upcard())},
        "phases": phases,
    }
    return deal, [int(points) for points in state.returns()]


@pytest.mark.parametrize(
    ("stick_the_dealer", "allow_lone_defender"), [(True, False), (False, True)]
)
def test_random_deals_score_as_openspiel_scores_them(
    stick_the_dealer: bool, allow_lone_defender: bool
) -> None:
    game = pyspiel.load_game(
        "euchre",
        {"stick_the_dealer": stick_the_dealer, "allow_lone_defender": allow_lone_defender},
    )
    chance = random.Random(16)
    deals, returns = zip(*(play_one(game, chance) for _ in range(DEALS)), strict=True)
    value = {
        "fileType": "Euchre Game Notation",
        "version": "1.4",
        "metadata": {
            "players": ["N", "E", "S", "W"],
            "initialScore": [0, 0],
            "ruleset": {"std": stick_the_dealer, "defend_alone": allow_lone_defender},
        },
        "deals": deals,
    }
    imported = read_egn(json.dumps(value))
    assert [str(fault) for fault in imported.faults] == []
    records = imported.games[0].records()
    written = write_egn(records)
    assert read_egn(written.text).games == imported.games
    assert not any(re.match(r"deal \d", loss) for loss in written.losses)
    sheet = score_json(records)
    kinds = set()
    for told, returned in zip(sheet["deals"], returns, strict=True):
        # OpenSpiel's returns are what each seat won less what the other side won.
        ours = told["points"][0] - told["points"][1]
        assert [ours, -ours, ours, -ours] == returned
        assert [f for f in told["findings"] if f["kind"] == "revoke"] == []
        kinds.add((told["result"], told["alone"]))
    seen = {result for result, _ in kinds}
    assert {"made", "march", "euchre", "made_alone", "lone_defender_euchre"} - seen == (
        set() if allow_lone_defender else {"lone_defender_euchre"}
    )
    assert ("thrown_in" in seen) == (not stick_the_dealer)
