"""The whole road on the simulated table: pictures, eyes, rules, lights and shuffler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from engine.cards import ALL_CARDS
from engine.commands import Declare, EndGame, StartGame
from engine.facts import CardPlayed, Declared, PackShuffled, Recorded, UpcardShown
from engine.sqlite_log import SqliteLog
from engine.state import fold
from pi.settings import KitSettings
from pi.sim.compare import compare
from pi.sim.dials import Dials
from pi.sim.script import Game, Terms, play_game
from pi.sim.seeing import TrueReader
from pi.sim.table import SimTable
from pi.wiring import Kit, PageTable, build
from vision.ports import CardReader, FrameSource


def true_reader(source: FrameSource) -> CardReader:
    assert isinstance(source, SimTable)
    return TrueReader(source)


def kit_for(*, seed: int, target: int = 2, **changes: Any) -> Kit:
    options: dict[str, Any] = {
        "rules": {"preset": "home", "target": target},
        "seed": seed,
        "speed": None,
        "games": 1,
        "passes": 1,
        "dials": Dials(hands=0),
        "width_px": 640,
        "height_px": 360,
    }
    return build(KitSettings(**(options | changes)), reader_for=true_reader)


def truth_of(kit: Kit) -> Any:
    assert isinstance(kit.source, SimTable)
    return kit.source.truth[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A short game that has been played: what the kit knew and what it did."""

    kit: Kit
    game: Game
    records: tuple[Recorded, ...]
    log: Path
    lit: tuple[tuple[tuple[bool, ...], int | None], ...]
    health_before: dict[str, Any]
    health: dict[str, Any]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Two deals, played once for all the tests that only look."""
    log = tmp_path_factory.mktemp("kit") / "games.db"
    with kit_for(seed=5, target=3, log=log) as kit:
        table = kit.source
        assert isinstance(table, SimTable)
        bench = table.bench
        assert bench is not None
        seen: list[tuple[tuple[bool, ...], int | None]] = []

        def look(news: object) -> None:
            del news
            state = kit.table.state
            seen.append((bench.lit(), None if state.over else state.turn))

        kit.table.subscribe(look)
        before = dict(kit.health())
        kit.run()
        return Watched(
            kit=kit,
            game=truth_of(kit),
            records=kit.table.records,
            log=log,
            lit=tuple(seen),
            health_before=before,
            health=dict(kit.health()),
        )


def test_a_short_game_is_known_as_it_truly_was(watched: Watched) -> None:
    state = watched.kit.table.state
    found = compare(watched.game, state)
    assert found.differences == ()
    assert found.verdict == "equal"
    assert state.over
    assert watched.kit.rejected == []


def test_between_deals_the_button_starts_the_shuffler_and_the_log_knows(watched: Watched) -> None:
    shuffles = [r.fact for r in watched.records if isinstance(r.fact, PackShuffled)]
    assert len(watched.game.deals) > 1
    assert [fact.seat for fact in shuffles] == [deal.dealer for deal in watched.game.deals[1:]]
    assert all(fact.passes == 1 and fact.machine for fact in shuffles)


def test_the_light_of_whoever_is_to_play_is_on(watched: Watched) -> None:
    assert len(watched.lit) > 20
    for lit, turn in watched.lit:
        # The dealer's light winks beside it.
        assert turn is None or lit[turn]
        assert sum(lit) <= 2


def test_a_planted_revoke_is_the_one_finding() -> None:
    seed = _first_seed(lambda deal: deal.revoke is not None, Dials(revokes=1, hands=0))
    with kit_for(seed=seed, target=1, dials=Dials(revokes=1, hands=0)) as kit:
        kit.run()
        assert compare(truth_of(kit), kit.table.state).differences == ()
        kinds = [finding.kind for finding in kit.table.state.findings]
        assert kinds == ["revoke"] * sum(d.revoke is not None for d in truth_of(kit).deals)
        assert kinds


def _first_seed(wanted: Callable[[Any], bool], dials: Dials) -> int:
    for seed in range(1, 200):
        game = play_game(seed=seed, terms=Terms(target=1), dials=dials)
        if len(game.deals) == 1 and wanted(game.deals[0]):
            return seed
    raise AssertionError("no such deal in 200 games")


def test_a_misread_picture_now_and_then_is_never_silently_wrong() -> None:
    seed = _first_seed(lambda deal: deal.maker is not None, Dials())
    with kit_for(seed=seed, target=1, dials=Dials(hands=0, misread=0.08)) as kit:
        kit.run()
        found = compare(truth_of(kit), kit.table.state)
        assert found.verdict in ("equal", "reviews"), found.differences


def test_the_comparison_sees_a_wrong_card_a_wrong_seat_and_a_lost_declaration(
    watched: Watched,
) -> None:
    records = watched.records
    at = next(i for i, r in enumerate(records) if isinstance(r.fact, CardPlayed))
    played = records[at].fact
    assert isinstance(played, CardPlayed)
    seen = {r.fact.card for r in records if isinstance(r.fact, CardPlayed | UpcardShown)}
    unused = next(card for card in ALL_CARDS if card not in seen)
    for wrong in (replace(played, card=unused), replace(played, seat=(played.seat + 1) % 4)):
        changed = (*records[:at], replace(records[at], fact=wrong), *records[at + 1 :])
        assert compare(watched.game, fold(changed)).verdict == "WRONG"
    lost = tuple(r for r in records if not isinstance(r.fact, Declared))
    kept = tuple(replace(r, version=v, seq=v) for v, r in enumerate(lost, start=1))
    assert compare(watched.game, fold(kept)).verdict == "WRONG"


def test_the_game_is_in_the_log_and_the_pictures_beside_it(watched: Watched) -> None:
    log = SqliteLog(watched.log, read_only=True)
    assert log.read(watched.records[0].game_id) == watched.records
    log.close()
    pictures = {path.stem for path in (watched.log.parent / "evidence").glob("*.jpg")}
    named = {r.fact.evidence for r in watched.records if isinstance(r.fact, CardPlayed)}
    assert named <= pictures
    assert len(named) >= 15


def test_a_second_kit_on_the_same_log_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    from engine.log import LogError

    with kit_for(seed=5, log=tmp_path / "games.db") as kit:
        with pytest.raises(LogError):
            kit_for(seed=6, log=tmp_path / "games.db")
        kit.submit(StartGame(), source="page")
        assert kit.table.version == 1


def test_stopping_ends_the_run_and_frees_the_pins() -> None:
    with kit_for(seed=5, games=None) as kit:
        kit.table.subscribe(lambda news: kit.stop() if news.version > 5 else None)
        kit.run()
        assert not kit.table.state.over
        bench = kit.source.bench  # type: ignore[attr-defined]
        pin = bench.factory.pin(kit.settings.pins.touch)
        assert pin.function == "output"
    assert pin.function == "input"


def test_a_table_that_begins_anew_ends_the_game_it_left() -> None:
    with kit_for(seed=5) as kit:
        kit._do(StartGame(), source="page", at_us=1)
        first = kit.table.game_id
        kit._do(StartGame(), source="page", at_us=2)
        assert kit.table.game_id != first
        assert fold(kit.log.read(first or "")).ended == "the table began a new game"
        assert kit.rejected == []


def test_a_button_pressed_during_a_deal_does_not_start_the_shuffler() -> None:
    with kit_for(seed=5) as kit:
        table = kit.source
        assert isinstance(table, SimTable)
        bench = table.bench
        assert bench is not None
        pressed = 0
        for number, _ in zip(range(120), _taken_frames(kit), strict=False):
            deal = kit.table.state.open_deal
            if deal is not None and deal.upcard_state == "shown" and number % 5 == 0:
                bench.press(0, at_us=table.now_us)
                pressed += 1
        assert pressed > 2
        assert kit.table.state.open_deal is not None
        assert kit.shuffling is not None
        assert kit.shuffling.work.phase == "idle"


def _taken_frames(kit: Kit) -> Iterator[None]:
    for frame in kit.source.frames():
        kit._take(frame)
        yield


def test_the_page_gives_commands_through_the_kit() -> None:
    with kit_for(seed=5) as kit:
        page = PageTable(kit)
        page.submit(StartGame(), source="page")
        assert page.version == kit.table.version == 1
        assert page.snapshot()["version"] == 1
        page.submit(EndGame(reason="late"), source="page", expect_version=1)
        assert kit.table.state.over


def test_health_tells_the_frame_rate_and_that_frames_are_fresh(watched: Watched) -> None:
    assert watched.health_before["ok"] is False
    assert watched.health["ok"] is True
    assert watched.health["camera"] == "simulated table"
    assert watched.health["frames"] > 200
    assert watched.health["fps"] > 1


def test_every_play_has_a_latency_and_settling_takes_less_than_a_second(watched: Watched) -> None:
    plays = sum(isinstance(r.fact, CardPlayed) for r in watched.records)
    settling = sorted(latency.settling_us for latency in watched.kit.latencies)
    assert len(settling) >= plays
    assert settling[len(settling) // 2] <= 700_000
    assert min(settling) >= 0


def test_a_command_nobody_can_follow_is_kept_as_a_warning() -> None:
    with kit_for(seed=5) as kit:
        kit._do(Declare(maker=0, trump="h"), source="page", at_us=0)
        assert len(kit.rejected) == 1
        assert "was refused" in kit.health()["warnings"][0]
