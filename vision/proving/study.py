"""What every study is given, and the way its results are written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.proving.ledger import look_at_test, stamp_of
from vision.proving.sheet import table
from vision.reader import Reader


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bench:
    """A reader, and where the material lies and the results go.

    ``options`` are what the results depend on beside the models: they are part of the stamp.
    ``half``: of the kept-back decks and fonts, those to choose by or those to report on.
    """

    reader: Reader
    models_dir: Path | None
    photos: Path
    work: Path
    out: Path
    seed: int
    test: bool
    options: Mapping[str, Any]
    half: str | None = None

    def stamp(self, study: str, **more: Any) -> str:
        return stamp_of(
            {**self.options, **more, "half": self.half, "study": study}, self.models_dir
        )

    def may_look(self, study: str, stamp: str) -> None:
        """Count a look at the test folders, and say so."""
        looks = look_at_test(self.out / "looks.json", study, stamp)
        print(f"(test/ has been looked at {looks} times from {self.out})", flush=True)

    def tell(
        self,
        name: str,
        rows: Sequence[Mapping[str, object]],
        *,
        title: str,
        more: Mapping[str, object] | None = None,
    ) -> None:
        """Print a table and write ``NAME.json``."""
        print(f"\n{title}\n\n{table(rows)}", flush=True)
        self.out.mkdir(parents=True, exist_ok=True)
        told = {"title": title, "rows": list(rows), **(more or {})}
        (self.out / f"{name}.json").write_text(
            json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8"
        )
