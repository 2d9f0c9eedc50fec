"""The long proofs are cut into parts: stopped and begun again, nothing is run twice or lost."""

from __future__ import annotations

import json
from pathlib import Path

import campaign
import pytest


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "PART", 20)


@pytest.mark.parametrize("proof", ["revokes", "misreads"])
@pytest.mark.usefixtures("small")
def test_what_is_done_is_not_run_again(
    proof: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "proofs.jsonl"
    words = [proof, "--deals", "50", "--preset", "home", "--into", str(into)]
    assert campaign.main(words) == 0
    whole = into.read_text("utf-8")
    parts = [json.loads(line) for line in whole.splitlines()]
    assert [part["counts"]["deals"] for part in parts] == [20, 20, 10]
    first = capsys.readouterr().out.rpartition(";")[0]
    assert first.startswith("home: 50 deals, ")

    into.write_text(whole.splitlines(keepends=True)[1], "utf-8")
    assert campaign.main(words) == 0
    assert sorted(into.read_text("utf-8").splitlines()) == sorted(whole.splitlines())
    assert campaign.main(words) == 0
    assert len(into.read_text("utf-8").splitlines()) == 3
    assert capsys.readouterr().out.splitlines()[-1].rpartition(";")[0] == first


@pytest.mark.usefixtures("small")
def test_a_mistake_of_the_engine_ends_the_campaign_with_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine that sees no revoke is found out."""
    import engine.findings

    monkeypatch.setattr(engine.findings, "find_revokes", lambda *args, **more: ((), ()))
    assert campaign.main(["revokes", "--deals", "20", "--preset", "home"]) == 1
    assert "found [], true [(" in capsys.readouterr().out
