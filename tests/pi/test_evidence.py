"""Evidence pictures: whole files, named by their hash, or a clear refusal."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from pi.errors import EvidenceFailed
from pi.evidence import EvidenceFolder, MemoryEvidence
from vision.ports import EvidenceStore


def picture(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (6, 5, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, (100, 120), interpolation=cv2.INTER_CUBIC))


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EvidenceStore:
    return EvidenceFolder(tmp_path / "seen") if request.param == "folder" else MemoryEvidence()


def test_the_same_picture_has_the_same_name_and_another_has_another(store: EvidenceStore) -> None:
    one, again, other = store.keep(picture(1)), store.keep(picture(1)), store.keep(picture(2))
    assert one == again != other
    assert len(one) == 32
    assert set(one) <= set("0123456789abcdef")


def test_a_kept_picture_can_be_looked_at(tmp_path: Path) -> None:
    name = EvidenceFolder(tmp_path).keep(picture(3))
    read = cv2.imread(str(tmp_path / f"{name}.jpg"))
    assert read is not None
    assert read.shape == (120, 100, 3)
    assert np.abs(read.astype(int) - picture(3)).mean() < 12


def test_nothing_but_whole_pictures_lies_in_the_folder(tmp_path: Path) -> None:
    store = EvidenceFolder(tmp_path)
    names = {store.keep(picture(seed)) for seed in range(5)}
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.jpg" for name in names}


def test_a_full_disk_is_named_with_its_cure_and_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = EvidenceFolder(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EvidenceFailed, match=r"No space left.*free some space"):
        store.keep(picture(1))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EvidenceFailed, match="file"):
        EvidenceFolder(tmp_path / "file" / "seen")
