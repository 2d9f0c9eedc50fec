"""A full or closed disk: what the recording, the pictures and the log say, and what goes on.

The full disk is a real one where the tests may mount (root): a tmpfs of a few megabytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pi.errors import EvidenceFailed, RecordingFailed
from pi.evidence import EvidenceFolder
from pi.recording import Recording
from pi.shuffling.memory import Memory, Remembered, Waiting
from vision.frame import Frame

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 12 MB."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(where)], capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("a small disk cannot be mounted here: run as root")
    yield where
    subprocess.run(["umount", "-l", str(where)], check=True)


def noise(number: int) -> Frame:
    image = np.random.default_rng(number).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    return Frame(at_us=number * 100_000, image=image)


def record_until_it_ends(recording: Recording, frames: int) -> int:
    for number in range(frames):
        recording.frame(noise(number))
    return frames


@pytest.mark.parametrize("kind", ["mp4", "avi"])
def test_a_recording_ends_by_name_before_the_disk_is_full(small_disk: Path, kind: str) -> None:
    recording = Recording(small_disk / f"clip.{kind}", fps=10)
    with pytest.raises(RecordingFailed, match=r"disk is full.*free some space"):
        record_until_it_ends(recording, 2000)
    # The log still has room beside it.
    assert os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize > 2_000_000
    recording.close()
    assert (small_disk / f"clip.{kind}").stat().st_size > 100_000


def test_the_shufflers_memory_is_written_over_in_its_place_on_a_full_disk(
    small_disk: Path,
) -> None:
    memory = Memory(small_disk / "shuffler.json")
    assert memory.keep(Remembered(passes=3))
    (small_disk / "filler").write_bytes(bytes(os.statvfs(small_disk).f_bavail * 4096))
    assert os.statvfs(small_disk).f_bavail == 0
    waiting = tuple(
        Waiting(seat=1, passes=3, at_us=1_800_000_000_000_000 + n, game_id="a" * 32)
        for n in range(8)
    )
    for told in (
        Remembered(passes=3, busy=True, seat=1, wanted=3, done=2, game_id="a" * 32),
        Remembered(passes=3, waiting=waiting),
        Remembered(passes=3),
    ):
        assert memory.keep(told)
        assert Memory(small_disk / "shuffler.json").recall() == told
    assert sorted(path.name for path in small_disk.iterdir()) == ["filler", "shuffler.json"]


def test_a_memory_that_never_had_room_is_said_not_to_be_kept(small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(os.statvfs(small_disk).f_bavail * 4096))
    assert not Memory(small_disk / "shuffler.json").keep(Remembered(passes=3))
    os.remove(small_disk / "filler")
    assert Memory(small_disk / "shuffler.json").keep(Remembered(passes=3))


LIMITED = """
import resource, signal, sys
sys.path.insert(0, sys.argv[3])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
from pathlib import Path
from test_full_disk_frames import noise
from pi.errors import RecordingFailed
from pi.recording import Recording
recording = Recording(Path(sys.argv[1]), fps=10)
try:
    for number in range(int(sys.argv[2])):
        recording.frame(noise(number))
    recording.close()
except RecordingFailed as error:
    print(number, error)
"""


@pytest.mark.parametrize(
    ("frames", "said"), [(200, "holds"), (800, "takes no more than")], ids=["short", "long"]
)
def test_a_file_that_may_not_grow_is_noticed(tmp_path: Path, frames: int, said: str) -> None:
    (tmp_path / "test_full_disk_frames.py").write_text(
        "import numpy as np\n"
        "from vision.frame import Frame\n"
        "def noise(number):\n"
        "    image = np.random.default_rng(number).integers(0, 255, (90, 160, 3), dtype=np.uint8)\n"
        "    return Frame(at_us=number * 100_000, image=image)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path / "clip.mp4"), str(frames), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
    assert "clip.mp4" in done.stdout


def test_a_picture_that_does_not_fit_is_refused_by_name(small_disk: Path) -> None:
    store = EvidenceFolder(small_disk / "evidence")
    (small_disk / "filler").write_bytes(bytes(os.statvfs(small_disk).f_bavail * 4096 - 4096))
    with pytest.raises(EvidenceFailed, match=r"No space left.*free some"):
        store.keep(noise(1).image)
    assert list((small_disk / "evidence").iterdir()) == []
