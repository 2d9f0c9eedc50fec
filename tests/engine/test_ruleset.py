"""The ruleset: presets of RULES.md, every mistake at once, nothing ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ruleset import (
    LATER_PRESETS,
    PRESETS,
    BadRuleset,
    Ruleset,
    in_words,
    load_ruleset,
    majority,
    pack_of,
    preset,
    ruleset_from,
    to_mapping,
)


def test_home_is_the_game_of_source_a() -> None:
    """RULES.md, "Presets", the row ``home``, option by option."""
    home = preset("home")
    assert home == Ruleset()
    assert (home.pack, home.jokers, home.hand_size, home.target) == (24, 0, 5, 10)
    assert home.pass_out == "pass_deal"
    assert home.alone_by == "either_partner"
    assert home.passed_player_may_go_alone is True
    assert home.partner_order_must_be_alone is False
    assert home.lone_lead == "left_of_lone"
    assert (home.defend_alone, home.lone_exchange) == ("off", "none")
    assert (home.natural_trump_required, home.no_trump) == ("none", "off")
    assert (home.super_euchre, home.lone_euchre) == (False, 2)
    assert (home.revoke_points, home.revoke_points_lone) == (2, 2)
    assert (home.revoke_mode, home.revoke_ends_hand) == ("award", True)
    assert (home.revoke_judge, home.revoke_correctable_until) == ("ask", "next_lead")
    assert home.upcard_may_be_discarded is True
    assert home.six_cards == "offender_side"


def test_pub_lets_only_the_maker_go_alone() -> None:
    pub = preset("pub")
    assert pub.alone_by == "maker"
    assert pub.six_cards == "makers"
    assert pub.cut == "cut"


def test_tournament_sticks_the_dealer_and_pays_four_for_a_lone_revoke() -> None:
    rules = preset("tournament")
    assert (rules.pass_out, rules.alone_by) == ("stick_dealer", "maker")
    assert (rules.revoke_points, rules.revoke_points_lone) == (2, 4)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_survives_being_written_down_and_read_back(name: str) -> None:
    rules = preset(name)
    assert ruleset_from(to_mapping(rules)) == rules
    assert ruleset_from(name) == rules


@pytest.mark.parametrize("name", LATER_PRESETS)
def test_a_preset_not_played_yet_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadRuleset, match=f"{name}.*not played by this version"):
        ruleset_from(name)


def test_farmers_is_no_preset_and_the_cure_is_named() -> None:
    with pytest.raises(BadRuleset, match="pub with no_trump = 'round2'"):
        ruleset_from("farmers")


def test_all_mistakes_are_reported_at_once_with_what_is_allowed() -> None:
    with pytest.raises(BadRuleset) as caught:
        ruleset_from(
            {
                "preset": "home",
                "target": 0,
                "pass_out": "sticky",
                "colour": "green",
                "super_euchre": 1,
                "lone_exchange": "blind_keep_or_refuse",
                "revoke_points": True,
            }
        )
    keys = {mistake.key for mistake in caught.value.mistakes}
    assert keys == {
        "target",
        "pass_out",
        "colour",
        "super_euchre",
        "lone_exchange",
        "revoke_points",
    }
    message = str(caught.value)
    assert "pass_deal, stick_dealer, same_dealer" in message
    assert "lone_exchange = 'blind_keep_or_refuse': not played by this version yet" in message
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("jokers", 1),
        ("benny_face", "2s"),
        ("natural_trump_required", "any_caller"),
        ("no_trump", "both"),
        ("joker_upcard", "redeal"),
        ("lone_exchange", "discard_then_best"),
    ],
)
def test_an_option_not_played_yet_is_refused_and_not_ignored(key: str, value: object) -> None:
    with pytest.raises(BadRuleset, match=f"{key} = .*not played by this version yet"):
        ruleset_from({key: value})


def test_a_pack_that_cannot_be_dealt_is_refused() -> None:
    """RULES.md, "Pack": hands x hand_size + the up-card must fit."""
    with pytest.raises(BadRuleset, match="need 29 cards, the pack has 28"):
        ruleset_from({"pack": 28, "hand_size": 7})
    assert majority(ruleset_from({"pack": 32, "hand_size": 7})) == 4


@pytest.mark.parametrize(
    ("pack", "lowest", "outside"), [(24, "9", "8c"), (28, "8", "7c"), (32, "7", "6c")]
)
def test_the_pack_goes_from_its_lowest_rank_to_the_ace(
    pack: int, lowest: str, outside: str
) -> None:
    cards = pack_of(ruleset_from({"pack": pack}))
    assert len(cards) == pack
    assert {f"{lowest}c", "As"} <= cards
    assert outside not in cards


def test_rules_are_read_from_a_toml_file(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text('preset = "pub"\ntarget = 7\n', encoding="utf-8")
    rules = load_ruleset(file)
    assert (rules.preset, rules.alone_by, rules.target) == ("pub", "maker", 7)


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text("target: 7", encoding="utf-8")
    with pytest.raises(BadRuleset, match=r"ours\.toml.*TOML"):
        load_ruleset(file)


def test_the_rules_in_words_say_what_was_changed() -> None:
    words = " ".join(
        in_words(
            ruleset_from(
                {
                    "preset": "tournament",
                    "target": 7,
                    "lone_lead": "left_of_dealer",
                    "defend_alone": "vs_lone",
                    "super_euchre": True,
                    "no_trump": "round2",
                    "upcard_may_be_discarded": False,
                }
            )
        )
    )
    for part in (
        "7 points",
        "dealer must name trump",
        "dealer's left still leads",
        "A defender may play alone",
        "4 when the makers take no trick",
        "No trump may be named",
        "may not discard the up-card",
        "(4 when a hand is alone)",
    ):
        assert part in words
