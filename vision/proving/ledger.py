"""Results kept step by step, so that a study that is stopped goes on where it was.

One file of JSON lines per study. Every line carries the stamp of what was measured (the
models' hashes and the study's options): lines of another stamp are left alone and not read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import models

Row: TypeAlias = dict[str, Any]
#: A step's name and what measures it.
Step: TypeAlias = tuple[str, Callable[[], Row]]


#: What the results depend on beside the models: the reading, the drawing and this package.
_CODE = (
    "body.py", "classify.py", "find.py", "frame.py", "measure.py", "opinion.py", "pair.py",
    "picture.py", "picture_bytes.py", "reader.py", "scout.py", "training/art.py",
    "training/faces.py", "training/real.py", "training/textures.py", "proving/*.py",
)  # fmt: skip


def code_digest(root: Path | None = None) -> str:
    """A digest of the source that reads, draws and counts: another code, another result."""
    folder = root or Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for pattern in _CODE:
        for path in sorted(folder.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def stamp_of(options: dict[str, Any], models_dir: Path | None = None) -> str:
    """Sixteen hexadecimal digits that change with the models' card, the code or any option."""
    # the card holds the hashes of all models, the temperatures and the thresholds
    card = json.dumps(models.machine_card(models_dir), sort_keys=True)
    told = json.dumps(options, sort_keys=True, default=str)
    return hashlib.sha256((card + told + code_digest()).encode()).hexdigest()[:16]


def rows_of(path: Path, stamp: str) -> dict[str, Row]:
    """The rows of ``path`` under ``stamp``, by step; the last of a step counts.

    A last line cut short by a stop is passed over: its step is measured again.
    """
    kept: dict[str, Row] = {}
    if not path.exists():
        return kept
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict) and told.get("stamp") == stamp:
            kept[str(told["step"])] = told["row"]
    return kept


def run_steps(path: Path, stamp: str, steps: Iterable[Step]) -> Iterator[tuple[str, Row]]:
    """Every step's name and row; those already in ``path`` are not measured again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = rows_of(path, stamp)
    if path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n"):
        with path.open("a", encoding="utf-8") as file:
            file.write("\n")
    for name, measure in steps:
        if name not in done:
            done[name] = measure()
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"stamp": stamp, "step": name, "row": done[name]}) + "\n")
        yield name, done[name]


def look_at_test(path: Path, study: str, stamp: str) -> int:
    """Note in ``path`` that the test folders were looked at; return how often they have been.

    The same study with the same models and options is one look, however often resumed.
    """
    looks: list[list[str]] = json.loads(path.read_text()) if path.exists() else []
    if [study, stamp] not in looks:
        looks.append([study, stamp])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(looks, indent=1))
    return len(looks)
