"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Where a change is judged, the same change is judged the same way twice; everybody else's runs
# go on looking for new examples.
settings.register_profile("judged", derandomize=True, database=None, print_blob=True)
if os.environ.get("CI"):
    settings.load_profile("judged")


def shared_folder() -> Path | None:
    """The folder of photographs, clips and games beside the checkout, None where absent."""
    named = os.environ.get("UPCARD_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if (folder / "data").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """``../shared``; skips the test where it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("../shared is absent: set UPCARD_SHARED to the folder that holds data/")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root."""
    return ROOT
