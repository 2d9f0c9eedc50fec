"""``upcard run`` and ``upcard replay --page``: the kit with its page, until it is stopped."""

from __future__ import annotations

import argparse
import logging
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.sheet import summary
from engine.table import Accepted
from engine.wording import counted, dashed, wins
from pi.address import PageAddress, reached_at, running_at
from pi.certificate import certificate_in
from pi.doctor import on_a_pi
from pi.errors import BadDial, WrongWords
from pi.privacy import evidence_folder, tidy
from pi.service import Watchdog, ready, stopping
from pi.settings import KitSettings, kit_settings, settings_path
from pi.sim.dials import dials_from
from pi.wiring import CODES_NAME, Kit, build, page_for
from vision.ports import CardReader, FrameSource
from web_dashboard.access import HOLDERS, Access, in_groups
from web_dashboard.joining import join_link, qr_text
from web_dashboard.server import (
    DEFAULT_PORT,
    PageServer,
    addresses,
    lan_address,
    open_server,
)

_LOG = logging.getLogger(__name__)

TABLES = ("sim", "clip", "pi", "usb", "hand")


def settings_for(given: argparse.Namespace, *, rules: Any, log_path: Path) -> KitSettings:
    """The settings file with the words of the command line on top of it.

    ``rules``: None leaves those of the file. BadSettings names what is wrong.
    """
    file = settings_path(given.settings)
    kept = kit_settings(given.settings)
    words = given.table
    if words is None:
        words = _words_of(kept) if file is not None else ["pi"] if on_a_pi() else ["sim"]
    kind, rest = words[0], words[1:]
    if kind not in TABLES:
        raise WrongWords(f"--table {kind}: take one of {', '.join(TABLES)}")
    if kind == "clip" and len(rest) != 1:
        raise WrongWords("--table clip: name one clip, --table clip PATH")
    if kind != "clip" and rest:
        raise WrongWords(f"--table {kind} takes nothing more, and {rest[0]!r} was given")
    if kind != "sim" and given.dial:
        raise WrongWords(f"--dial {given.dial[0]}: only the simulated table has dials")
    seed = given.seed
    if seed is None:
        # A file's own seed counts; without a file every evening is another one.
        seed = kept.seed if file is not None else random.SystemRandom().randrange(1, 100_000)
    settings = replace(
        kept,
        table=kind,
        clip=Path(rest[0]) if rest else None,
        rules=kept.rules if rules is None else rules,
        log=log_path,
        record=given.record if given.record is not None else kept.record,
        seed=seed,
        speed=given.speed if given.speed is not None else kept.speed,
        tls=given.tls or kept.tls,
        games=given.games if given.games is not None else kept.games,
        calibration=_calibration(given.calibration or kept.calibration, kind),
        # A demonstration must not stand still for want of somebody at the page.
        people_answer=kind == "sim" or kept.people_answer,
    )
    try:
        return replace(settings, dials=dials_from(given.dial, base=settings.dials))
    except BadDial as error:
        raise WrongWords(str(error)) from error


def _words_of(kept: KitSettings) -> list[str]:
    """The words of --table that say what a settings file says."""
    return [kept.table, str(kept.clip)] if kept.table == "clip" else [kept.table]


def _calibration(given: Path | None, kind: str) -> Path | None:
    """The file of ``--calibration``; a real camera has its own beside the games' log."""
    if given is not None or kind not in ("pi", "usb"):
        return given
    from pi.calibrate import FILE_NAME
    from pi.cli import default_log_path

    kept = default_log_path().parent / FILE_NAME
    return kept if kept.exists() else None


def run(given: argparse.Namespace, *, rules: Any, log_path: Path) -> int:
    """Serve the page and play until the source ends or somebody stops it."""
    settings = settings_for(given, rules=rules, log_path=log_path)
    log_path.parent.mkdir(parents=True, exist_ok=True)
    tls = certificate_in(log_path.parent / "tls", address=lan_address()) if settings.tls else None
    with (
        build(settings, reader_for=_reader_for(given, settings)) as kit,
        open_server(
            page_for(kit, root=None if tls is None else tls.root),
            host=given.host,
            port=given.port,
            tls=tls,
        ) as server,
        ExitStack() as stack,
    ):
        stack.enter_context(
            reached_at(
                log_path,
                PageAddress(scheme=server.scheme, host=server.host, port=server.port),
            )
        )
        _greet(settings, server)
        signal.signal(signal.SIGTERM, lambda *_: kit.stop())
        server.start()
        threading.Thread(target=_tidy, args=(settings,), name="tidy", daemon=True).start()
        kit.after_each_frame(Watchdog().feed)
        ready(f"the board: {server.url}")
        unsubscribe = kit.table.subscribe(_Teller(kit).tell)
        try:
            kit.run()
            if settings.table == "clip":
                print("the clip has ended; the page stays until Ctrl-C", flush=True)
                threading.Event().wait()
        finally:
            stopping()
            unsubscribe()
            _farewell(kit)
    return 0


def _tidy(settings: KitSettings) -> None:
    """Remove the pictures whose time is over; a kit that is always on has a timer for it too."""
    if settings.log is None:
        return
    evidence = evidence_folder(settings.log, settings.evidence)
    try:
        gone = tidy(settings.log, evidence, keep_days=settings.pictures_days, now_s=time.time())
    except OSError as error:
        _LOG.warning("old pictures could not be removed: %s", error)
        return
    if gone:
        _LOG.info("%d old pictures removed", gone)


def _reader_for(
    given: argparse.Namespace, settings: KitSettings
) -> Callable[[FrameSource], CardReader] | None:
    """How to make the reader with the deck of ``--deck`` in mind; None without one."""
    if getattr(given, "deck", None) is None:
        return None
    from pi.cli import decks_folder
    from pi.teach import taught_reader

    # before a camera or a log is opened: a deck that is not there is said at once
    reader = taught_reader(
        given.deck,
        decks_folder(),
        threads=settings.reader_threads,
        complain=lambda text: print(f"upcard: {text}", file=sys.stderr),
    )
    return lambda source: reader


def _greet(settings: KitSettings, server: PageServer) -> None:
    if settings.table == "sim":
        print(
            "*** SIMULATED TABLE: no camera and no cards; four simulated players, "
            f"seed {settings.seed}. ***",
            flush=True,
        )
    print(f"live page: {server.url}", flush=True)
    reached = [address for address in addresses(server) if address != server.url]
    for address in reached:
        print(f"on a tablet in the same network: {address}", flush=True)
    if settings.tls:
        print(
            "each device must trust this kit's certificate once: "
            f"{(reached or [server.url])[0]}certificate",
            flush=True,
        )
    _tell_codes(server, (reached or [server.url])[0])
    print(f"games are recorded in {settings.log}; Ctrl-C stops", flush=True)


def _tell_codes(server: PageServer, address: str) -> None:
    """How to act: anyone may watch, and these links open the table and the director's page.

    The codes stand behind the ``#``, so no server and no proxy ever has them in its log. They
    are printed for a person only: never into a file or a service's journal.
    """
    access = server.app.extensions["upcard-access"]
    if not sys.stdout.isatty():
        print("anyone may watch; to act takes a code: upcard codes shows them", flush=True)
        return
    table = join_link(address, access.code("table"))
    print("anyone may watch; to act at the table (tablet, scan or open):", flush=True)
    print(qr_text(table), end="", flush=True)
    print(f"  {table}", flush=True)
    print(
        "to direct (rulings, scores, codes), on this machine: "
        f"{join_link(server.url, access.code('director'))}",
        flush=True,
    )


def show_codes(given: argparse.Namespace, *, log_path: Path) -> int:
    """``upcard codes``: the links that let people act, of the kit that keeps its games there."""
    path = log_path.with_name(CODES_NAME)
    if not path.exists():
        print(
            f"upcard: there are no codes in {path} yet: upcard run makes them when it starts",
            file=sys.stderr,
        )
        return 1
    access = Access(path)
    running = running_at(log_path)
    page = running or PageAddress(
        scheme="https" if kit_settings(None).tls else "http", host="0.0.0.0", port=DEFAULT_PORT
    )
    if given.tls:
        page = replace(page, scheme="https")
    if given.port:
        page = replace(page, port=given.port)
    address = page.link(lan_address() or "localhost")
    if running is None:
        print(
            "upcard: no kit keeps its games there now: the links hold when it runs with this "
            "scheme and port",
            file=sys.stderr,
        )
    if given.link is not None:
        print(join_link(address, access.code(given.link)))
        return 0
    for holder in HOLDERS:
        print(f"{holder:9} {in_groups(access.code(holder)):10} ", end="")
        print(join_link(address, access.code(holder)))
    print(qr_text(join_link(address, access.code("table"))), end="")
    print("the table's link as a picture to scan")
    return 0


class _Teller:
    """Says each finished deal in a line, so that a terminal shows the game goes on."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._told: tuple[str | None, int, int] = (None, 0, 0)

    def tell(self, news: Accepted) -> None:
        del news
        state = self._kit.table.state
        scored = [deal for deal in state.deals if deal.points is not None]
        game, deals, findings = self._told
        if game != self._kit.table.game_id:
            deals = findings = 0
        for finding in state.findings[findings:]:
            print(f"  finding: {finding.text}", flush=True)
        if len(scored) > deals:
            deal, score = scored[-1], state.score
            print(
                f"deal {deal.number}: {deal.result}, tricks {dashed(deal.tricks_won)}, "
                f"score {dashed(score)}",
                flush=True,
            )
            if state.over and state.winner is not None:
                print(f"{wins(state.winner, state.names)} the game", flush=True)
        self._told = (self._kit.table.game_id, len(scored), len(state.findings))


def _farewell(kit: Kit) -> None:
    if kit.table.game_id is None:
        return
    told = summary(kit.table.records)
    print(
        f"game {told['game']}: {counted(told['deals'], 'deal')}, "
        f"{dashed(told['score'])}; see it again with: upcard replay last",
        file=sys.stderr,
        flush=True,
    )


def serve_replay(given: argparse.Namespace, *, records: Any) -> int:
    """Serve the replay page of one game until somebody stops it."""
    from engine.log import Entry
    from engine.memory_log import MemoryLog
    from engine.table import Table
    from web_dashboard import create_app
    from web_dashboard.settings import PageSettings

    log = MemoryLog()
    game_id = records[0].game_id
    log.append(
        game_id,
        [Entry(at_us=r.at_us, source=r.source, fact=r.fact) for r in records],
        after_version=0,
    )
    table = Table.open(log, game_id, clock_us=lambda: time.time_ns() // 1000)
    evidence = Path(given.evidence) if getattr(given, "evidence", None) else None
    app = create_app(table, log, PageSettings(table_kind="replay", evidence_dir=evidence))
    with open_server(app, host="127.0.0.1", port=given.port) as server:
        print(f"replay: {server.url}replay/{game_id}; Ctrl-C stops", flush=True)
        server.run()
    return 0
