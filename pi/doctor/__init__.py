"""``upcard doctor``: is everything here that the kit stands on? Each line with its cure.

:func:`examine` answers checks, :func:`report` the same as plain JSON values for the page. A
check that itself breaks is a fail that says so: the doctor never dies of what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.wording import say_json, worded
from pi.clock import SteadyClock
from pi.doctor import board, fittings, network, software, storage
from pi.doctor.check import Check, Status, Surroundings, line, on_a_pi
from pi.doctor.fittings import Fitted
from pi.privacy import evidence_folder
from pi.settings import KitSettings

__all__ = ["Check", "Fitted", "Status", "Surroundings", "examine", "on_a_pi", "report"]

DEFAULT_PORT = 8080


def examine(
    *,
    log_path: Path,
    models_dir: Path | None = None,
    settings: KitSettings | None = None,
    around: Surroundings | None = None,
    health: Mapping[str, Any] | None = None,
    clock: SteadyClock | None = None,
    fitted: Fitted | None = None,
    port: int = DEFAULT_PORT,
    only_software: bool = False,
) -> list[Check]:
    """Every check in turn.

    ``settings``: the kit's, None for the defaults. ``around``: the machine, None for this one.
    ``health``: the running kit's own, where the doctor is asked from within it; then nothing is
    opened. ``clock`` and ``fitted``: the running kit's. ``port``: the page's. ``only_software``:
    leave out what the machine around may lack, for the installer.
    """
    settings = settings if settings is not None else KitSettings()
    around = around if around is not None else Surroundings()
    kit = None if health is not None else storage.kit_process(log_path)
    inside_or_beside = health is not None or kit is not None
    evidence = evidence_folder(log_path, settings.evidence)

    def running() -> Iterator[Check]:
        if health is not None:
            return
        if kit is None:
            yield line(name="kit", status="pass", detail=worded("no kit runs on this log now"))
        else:
            yield line(
                name="kit", status="pass", detail=worded("a kit runs, process {number}", number=kit)
            )

    checks: list[tuple[str, Callable[[], Iterator[Check]]]] = [
        ("python", software.python),
        ("imports", software.imports),
        ("import simplejpeg", lambda: software.camera_packages(around)),
        ("names", software.names),
        ("model", lambda: software.reader_models(models_dir)),
    ]
    if not only_software:
        checks += [
            ("system", lambda: software.system(around)),
            ("kit", running),
            ("log", lambda: storage.log(log_path)),
            ("disk", lambda: storage.disk(log_path)),
            (
                "pictures",
                lambda: storage.pictures(log_path, evidence, keep_days=settings.pictures_days),
            ),
            ("backup", lambda: storage.backups(around)),
            (
                "camera",
                lambda: board.camera(settings, around, health=health, kit_runs=inside_or_beside),
            ),
            (
                "pins",
                lambda: fittings.pins(settings, around, kit_runs=inside_or_beside, fitted=fitted),
            ),
            ("clock", lambda: board.clock(around, log_path, steady=clock)),
            ("temperature", lambda: board.heat_and_power(around)),
            ("network", lambda: network.network(around, port=port)),
        ]
    found: list[Check] = []
    for name, check in checks:
        try:
            found.extend(check())
        except Exception as error:
            found.append(
                line(
                    name=name,
                    status="fail",
                    detail=worded(
                        "could not be examined: {kind}: {words}",
                        kind=type(error).__name__,
                        words=str(error),
                    ),
                    cure=worded("send this line with a bug report"),
                )
            )
    return found


def report(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The checks as the page draws them: name, status, text and cure, and those two for any
    language."""
    return [
        {
            "name": check.name,
            "status": check.status,
            "text": check.detail,
            "cure": check.cure,
            "say": None if check.said is None else say_json(check.said),
            "say_cure": None if check.said_cure is None else say_json(check.said_cure),
        }
        for check in checks
    ]
