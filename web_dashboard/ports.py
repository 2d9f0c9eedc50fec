"""What the page needs from the engine: the table it shows and the words it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Table(Protocol):
    """The single writer. ``engine.table.Table`` is the real one."""

    @property
    def version(self) -> int:
        """Facts of the present game; 0 where there is none."""
        ...

    def submit(
        self,
        command: Any,
        *,
        source: str,
        at_us: int | None = None,
        expect_version: int | None = None,
    ) -> Any:
        """Decide and record; answers Accepted or Rejected."""
        ...

    def snapshot(self, audience: str) -> Mapping[str, Any]:
        """The table as ``audience`` may see it (see :mod:`engine.view`)."""
        ...

    def subscribe(self, listener: Callable[..., None]) -> Callable[[], None]:
        """Call ``listener`` after every change; answers the call that ends it."""
        ...
