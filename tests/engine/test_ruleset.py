"""The ruleset: presets of RULES.md, every mistake at once, nothing ignored."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.ruleset import (
    PRESETS,
    BadRuleset,
    Ruleset,
    bennies_of,
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
                "lone_exchange": "by_post",
                "revoke_points": True,
                "deals": 0,
                "benny_face": "2s",
                "pack": 28,
                "hand_size": 7,
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
        "deals",
        "benny_face",
        "hand_size",
    }
    message = str(caught.value)
    assert "pass_deal, stick_dealer, same_dealer" in message
    assert "lone_exchange = 'by_post': must be one of none, blind_keep_or_refuse" in message
    assert "need 29 cards, the pack has 28" in message
    assert isinstance(caught.value, ValueError)


#: RULES.md, "Presets": what each row changes in ``home``; a blank of the table is as ``home``.
PRESET_ROWS: list[tuple[str, dict[str, object]]] = [
    ("home", {}),
    # Of source B, and so is "highest card cut, ace high" (RULES.md, "Pack").
    (
        "pub",
        {
            "alone_by": "maker",
            "six_cards": "makers",
            "cut": "cut",
            "first_dealer": "highest_card",
        },
    ),
    (
        "british",
        {
            "jokers": 1,
            "target": 11,
            "alone_by": "maker",
            "partner_order_must_be_alone": True,
            "joker_upcard": "dealer_names_blind",
        },
    ),
    (
        "canadian",
        {
            "alone_by": "maker",
            "partner_order_must_be_alone": True,
            "dealing": "one_at_a_time",
            "cut": "none",
        },
    ),
    ("tournament", {"pass_out": "stick_dealer", "alone_by": "maker", "revoke_points_lone": 4}),
    ("joker", {"jokers": 1, "alone_by": "maker", "joker_upcard": "dealer_names_blind"}),
    ("thirty_two", {"pack": 32, "hand_size": 5}),
]


@pytest.mark.parametrize(("name", "changes"), PRESET_ROWS)
def test_a_preset_is_its_row_of_the_table(name: str, changes: dict[str, object]) -> None:
    assert to_mapping(preset(name)) == {**to_mapping(Ruleset()), "preset": name, **changes}


def test_every_four_handed_preset_has_its_row() -> None:
    four_handed = {name for name in PRESETS if preset(name).game == "partnership"}
    assert four_handed == {name for name, _ in PRESET_ROWS}


#: Every option of RULES.md with the values it may have, at least two where there are two.
OPTIONS: list[tuple[str, tuple[object, ...]]] = [
    ("pack", (24, 28, 32)),
    ("jokers", (0, 1, 2)),
    ("pass_out", ("pass_deal", "stick_dealer", "same_dealer")),
    ("partner_order_must_be_alone", (False, True)),
    ("natural_trump_required", ("none", "dealer_pickup", "any_caller")),
    ("no_trump", ("off", "round2", "both")),
    ("joker_upcard", ("dealer_names_blind", "redeal", "c", "d", "h", "s")),
    ("joker_in_no_trump", ("trump_suit",)),
    ("upcard_may_be_discarded", (True, False)),
    ("alone_by", ("maker", "either_partner")),
    ("passed_player_may_go_alone", (True, False)),
    ("lone_lead", ("left_of_lone", "left_of_dealer")),
    ("defend_alone", ("off", "vs_lone", "any")),
    ("lone_exchange", ("none", "blind_keep_or_refuse", "discard_then_best", "best_then_discard")),
    ("super_euchre", (False, True)),
    ("lone_euchre", (2, 3, 4)),
    ("target", (5, 7, 10, 11, 15, 21)),
    ("deals", (None, 8, 12)),
    ("six_cards", ("offender_side", "makers")),
    ("revoke_points", (2, 4)),
    ("revoke_points_lone", (2, 4)),
    ("revoke_mode", ("award", "deduct", "loss_of_trick")),
    ("revoke_ends_hand", (True, False)),
    ("revoke_judge", ("ask", "automatic")),
    ("revoke_correctable_until", ("never", "trick_complete", "next_lead")),
    ("dealing", ("2-3", "one_at_a_time")),
    ("cut", ("cut_or_knock", "cut", "none")),
    ("first_dealer", ("black_jack", "highest_card", "agreed")),
]


@pytest.mark.parametrize("name", [name for name, _ in PRESET_ROWS])
@pytest.mark.parametrize(("key", "values"), OPTIONS)
def test_every_option_may_be_set_in_every_four_handed_preset(
    name: str, key: str, values: tuple[object, ...]
) -> None:
    for value in values:
        assert getattr(ruleset_from({"preset": name, key: value}), key) == value


@pytest.mark.parametrize(("key", "values"), OPTIONS)
def test_every_option_is_told_in_words(key: str, values: tuple[object, ...]) -> None:
    """With a joker in the pack, and the revoke's points counting, no option is silent."""
    others: dict[str, object] = {"jokers": 1}
    others.pop(key, None)
    if key == "joker_in_no_trump":
        others["no_trump"] = "round2"
    told = [tuple(in_words(ruleset_from({**others, key: value}))) for value in values]
    assert len(set(told)) == len(values)
    assert key != "joker_in_no_trump" or "joker is a trump suit of its own" in " ".join(told[0])


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ({"deals": 8, "target": 11}, "target = 11 changes nothing: the game is 8 deals."),
        ({"joker_upcard": "redeal"}, "joker_upcard = redeal changes nothing: the pack has no jok"),
        (
            {"alone_by": "maker", "passed_player_may_go_alone": False},
            "passed_player_may_go_alone = False changes nothing: only the maker may go alone.",
        ),
        (
            {"revoke_mode": "loss_of_trick", "revoke_points_lone": 4},
            "revoke_points_lone = 4 changes nothing: a revoke costs its trick.",
        ),
    ],
)
def test_an_option_that_makes_no_sense_says_so(rules: dict[str, object], line: str) -> None:
    assert any(words.startswith(line) for words in in_words(ruleset_from(rules)))


@pytest.mark.parametrize("name", PRESETS)
def test_no_preset_says_that_one_of_its_options_changes_nothing(name: str) -> None:
    assert not any("changes nothing" in words for words in in_words(preset(name)))


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


#: RULES.md, "Pack": what lies unseen below the up-card.
UNSEEN_ROWS = [(24, 0, 3), (24, 1, 4), (24, 2, 5), (28, 0, 7), (32, 0, 11)]


@pytest.mark.parametrize(("pack", "jokers", "unseen"), UNSEEN_ROWS)
def test_so_many_cards_lie_unseen_below_the_upcard(pack: int, jokers: int, unseen: int) -> None:
    rules = ruleset_from({"pack": pack, "jokers": jokers})
    assert len(pack_of(rules)) - 4 * rules.hand_size - 1 == unseen


@pytest.mark.parametrize(
    ("jokers", "face", "bennies"),
    [
        (0, "joker", set()),
        (1, "joker", {"B"}),
        (1, "2s", {"2s"}),
        (2, "joker", {"B", "b"}),
    ],
)
def test_the_benny_is_a_joker_or_the_two_of_spades(
    jokers: int, face: str, bennies: set[str]
) -> None:
    rules = ruleset_from({"jokers": jokers, "benny_face": face})
    assert bennies_of(rules) == bennies
    assert len(pack_of(rules)) == 24 + jokers


@pytest.mark.parametrize(("jokers", "reason"), [(0, "set jokers = 1"), (2, "two faces")])
def test_two_jokers_with_one_face_or_a_face_with_no_joker_are_refused(
    jokers: int, reason: str
) -> None:
    """RULES.md, "Revokes" 5: a ruleset with two jokers and one face is refused."""
    with pytest.raises(BadRuleset, match=reason):
        ruleset_from({"jokers": jokers, "benny_face": "2s"})


@pytest.mark.parametrize(
    ("pack", "jokers", "fits"), [(24, 2, False), (28, 0, False), (28, 1, True), (32, 0, True)]
)
def test_hands_of_seven_fit_where_twenty_nine_cards_are_dealt(
    pack: int, jokers: int, fits: bool
) -> None:
    rules = {"pack": pack, "jokers": jokers, "hand_size": 7}
    if fits:
        assert ruleset_from(rules).hand_size == 7
    else:
        with pytest.raises(BadRuleset, match="four hands of 7 and the up-card need 29 cards"):
            ruleset_from(rules)


def test_a_mistake_does_not_bring_others_that_hang_on_it() -> None:
    with pytest.raises(BadRuleset) as caught:
        ruleset_from({"pack": 52, "hand_size": 7})
    assert [mistake.key for mistake in caught.value.mistakes] == ["pack"]
    with pytest.raises(BadRuleset) as caught:
        ruleset_from({"preset": "bridge", "target": 0})
    assert [mistake.key for mistake in caught.value.mistakes] == ["preset", "target"]
    with pytest.raises(BadRuleset, match="must be a preset's name or a table"):
        ruleset_from(["home"])  # type: ignore[arg-type]


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
