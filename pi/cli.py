"""The command line: ``upcard`` and its words. Other tools rely on the words and JSON keys.

Exit codes: 0 done; 1 the input had faults or the surroundings refuse, each named on stderr
with its cure; 2 wrong usage; 130 interrupted. What each word imports is imported inside it,
so that ``upcard games`` does not load OpenCV.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from engine.cards import SEAT_NAMES
from engine.errors import EngineError

EXIT_DONE, EXIT_FAULTS, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. The console script."""
    parser = _parser()
    given = parser.parse_args(argv)
    try:
        return int(given.run(given))
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`upcard games | head`): nothing to say to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE
    except _named_errors() as error:
        # Some are OSErrors with a number, which says nothing to whoever reads the line.
        _complain(str(getattr(error, "strerror", None) or error))
        return EXIT_USAGE if _is_usage(error) else EXIT_FAULTS
    except OSError as error:
        place, said = error.filename or "the system", error.strerror or error
        _complain(f"{place}: {said}: {_CURES.get(error.errno, 'look at the disk, then try again')}")
        return EXIT_FAULTS


_CURES: Final[Mapping[int | None, str]] = {
    errno.ENOENT: "name a file in a folder that is there",
    errno.ENOTDIR: "name a file in a folder that is there",
    errno.EISDIR: "name a file in it",
    errno.EEXIST: "name another place",
    errno.EACCES: "mend the rights, or name another place",
    errno.EPERM: "mend the rights, or name another place",
    errno.EROFS: "name a place that can be written",
    errno.ENOSPC: "free some space, then try again",
}


def console() -> None:
    """Entry point of the console script."""
    sys.exit(main())


def _named_errors() -> tuple[type[Exception], ...]:
    """The roots whose messages name the value and the cure; anything else is our own fault."""
    roots: list[type[Exception]] = [EngineError]
    for module, name in (
        ("vision.errors", "VisionError"),
        ("models.errors", "ModelError"),
        ("web_dashboard.errors", "WebError"),
        ("pi.errors", "KitError"),
    ):
        # Only what is loaded can have been raised: do not load OpenCV to report a bad card.
        if module in sys.modules:
            roots.append(getattr(sys.modules[module], name))
    return tuple(roots)


def _is_usage(error: Exception) -> bool:
    usage = getattr(sys.modules.get("pi.errors"), "WrongWords", None)
    return usage is not None and isinstance(error, usage)


def _complain(text: str) -> None:
    print(f"upcard: {text}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="upcard",
        description="A table kit for euchre: reads real cards, keeps the score, proves revokes.",
    )
    words = parser.add_subparsers(dest="word", required=True, metavar="COMMAND")

    run = words.add_parser("run", help="run the table, with the live page")
    run.add_argument(
        "--table",
        nargs="+",
        metavar=("sim|clip|pi|usb|hand", "PATH"),
        default=None,
        help="sim: the simulated table (default off a Pi); clip PATH: a recording; pi, usb: the "
        "camera; hand: no camera, the cards are tapped in",
    )
    run.add_argument(
        "--settings",
        type=_path,
        metavar="FILE",
        help="the kit's settings, TOML (default: the file that UPCARD_SETTINGS names, if any)",
    )
    run.add_argument("--rules", default=None, metavar="PRESET|FILE", help="default: home")
    run.add_argument("--port", type=_port, help="default: the next free port from 8080")
    run.add_argument(
        "--tls",
        action="store_true",
        help="serve the page over HTTPS, with a certificate the kit makes itself",
    )
    run.add_argument(
        "--host", default="0.0.0.0", type=_said, help="the address to serve on (default: all)"
    )
    run.add_argument("--seed", type=int, default=None, help="the simulated game's seed")
    run.add_argument("--speed", type=_positive, default=None, help="the simulated table's pace")
    run.add_argument("--log", type=_path, default=None, metavar="PATH", help="the games' log")
    run.add_argument("--record", type=_path, metavar="CLIP", help="record the frames as a clip")
    run.add_argument("--games", type=_count, default=None, help="stop after this many games (sim)")
    run.add_argument(
        "--dial",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a dial of the simulated table: "
        "revokes, misplays, late, hands, markers, blur, glare, noise, tilt, shade, misread; "
        "answers (1: the players answer what the kit asks); of the shuffler jams, forgets, eaten, "
        "flat (each 0 to 1)",
    )
    run.add_argument(
        "--calibration",
        type=_path,
        metavar="FILE",
        help="what upcard calibrate kept (a real camera finds its own)",
    )
    run.add_argument("--deck", metavar="NAME", help="a deck that was taught: upcard teach")
    run.set_defaults(run=_run)

    read = words.add_parser("read", help="read the cards of pictures")
    read.add_argument("images", nargs="+", metavar="IMAGE", type=_said)
    read.add_argument("--json", action="store_true", help="a JSON line per picture")
    read.add_argument("--explain", type=_path, metavar="DIR", help="draw what was seen there")
    read.add_argument("--threads", type=_threads, default=2, metavar="1-16")
    read.add_argument("--deck", metavar="NAME", help="a deck that was taught: upcard teach")
    read.set_defaults(run=_read)

    watch = words.add_parser("watch", help="watch a recorded clip and report the facts")
    watch.add_argument("clip", metavar="CLIP", type=_path)
    watch.add_argument("--json", action="store_true", help="JSON lines instead of sentences")
    watch.add_argument("--rules", default="home", metavar="PRESET|FILE")
    watch.add_argument("--trump", choices=("c", "d", "h", "s"))
    watch.add_argument("--maker", type=int, choices=range(4))
    watch.add_argument("--alone", type=int, choices=range(4), metavar="SEAT")
    watch.add_argument("--commands", type=_path, metavar="FILE")
    watch.add_argument(
        "--calibration", type=_path, metavar="FILE", help="what upcard calibrate kept"
    )
    watch.add_argument("--threads", type=_threads, default=2, metavar="1-16")
    watch.add_argument("--deck", metavar="NAME", help="a deck that was taught: upcard teach")
    watch.set_defaults(run=_watch)

    teach = words.add_parser("teach", help="teach the reader a deck, card by card")
    teach.add_argument("name", nargs="?", metavar="NAME", help="the deck's name")
    teach.add_argument(
        "--from",
        dest="source",
        metavar="CLIP|FOLDER|sim|pi|usb",
        help="where the cards are shown (default on a Pi: its camera)",
    )
    teach.add_argument(
        "--cards",
        default="24",
        metavar="24|25|32|52|54|Kh,Qh,...",
        help="which cards, in this order (25 and 54 with jokers; default: 24, nine to ace)",
    )
    teach.add_argument(
        "--order",
        choices=("asked", "any"),
        help="asked: each card when it is asked for (default but for a clip); "
        "any: cards named by the reader, which has to be sure of them",
    )
    teach.add_argument("--views", type=int, choices=range(1, 10), default=3, metavar="1-9")
    teach.add_argument("--list", action="store_true", help="the decks that were taught")
    teach.add_argument("--forget", metavar="NAME", help="remove a deck")
    teach.add_argument("--json", action="store_true", help="JSON lines instead of sentences")
    teach.add_argument("--threads", type=_threads, default=2, metavar="1-16")
    teach.add_argument("--seed", type=int, default=1, help="the simulated table's seed")
    teach.set_defaults(run=_teach)

    calibrate = words.add_parser("calibrate", help="find the table and its seats, check the camera")
    calibrate.add_argument(
        "--from",
        dest="source",
        metavar="pi|usb|sim|PICTURE|CLIP",
        help="where to look (default on a Pi: its camera)",
    )
    calibrate.add_argument(
        "--sheet", type=_path, metavar="FILE.pdf", help="write the sheet to print, and stop"
    )
    calibrate.add_argument(
        "--picture", type=_path, metavar="FILE.jpg", help="draw the seats' zones there"
    )
    calibrate.add_argument(
        "--deck", metavar="NAME", help="then show each card once: is this deck readable?"
    )
    calibrate.add_argument(
        "--cards", default="24", metavar="24|25|32|52|54|Kh,Qh,...", help="the deck's cards"
    )
    calibrate.add_argument("--force", action="store_true", help="keep it although a check failed")
    calibrate.add_argument("--json", action="store_true", help="JSON lines instead of sentences")
    calibrate.add_argument("-o", "--output", type=_path, metavar="FILE", help="keep it there")
    calibrate.add_argument("--threads", type=_threads, default=2, metavar="1-16")
    calibrate.add_argument("--seed", type=int, default=1, help="the simulated table's seed")
    calibrate.set_defaults(run=_calibrate)

    score = words.add_parser("score", help="score a recorded game")
    score.add_argument("file", metavar="FILE", type=_path)
    score.add_argument("--json", action="store_true")
    score.add_argument("--rules", default=None, metavar="PRESET|FILE")
    score.add_argument("--rulings", choices=("automatic",), default=None)
    score.set_defaults(run=_score)

    replay = words.add_parser("replay", help="step through a game")
    replay.add_argument("game", metavar="GAME", help="a game's id, or last, or a file")
    replay.add_argument("--page", action="store_true", help="on the page instead of here")
    replay.add_argument("--port", type=_port)
    replay.add_argument("--log", type=_path, default=None)
    replay.set_defaults(run=_replay)

    show = words.add_parser("show", help="show a game's score sheet, or one deal as a diagram")
    show.add_argument("game", metavar="GAME", help="a game's id, or last, or a file")
    show.add_argument("--deal", type=int, default=None, metavar="N", help="this deal, card by card")
    show.add_argument("--log", type=_path, default=None)
    show.set_defaults(run=_show)

    correct = words.add_parser("correct", help="mend a recorded game by a command, with a reason")
    correct.add_argument("game", metavar="GAME", help="a game's id, or last")
    correct.add_argument(
        "command",
        metavar="COMMAND",
        help="the command as JSON, such as "
        '\'{"kind":"correct","target":12,"card":"Kh","reason":"misread"}\': '
        "correct, insert, move, strike_deal, declare, rule_finding, adjust_score, undo ...; "
        "upcard replay GAME shows the entries' numbers",
    )
    correct.add_argument(
        "--expect-version", type=int, metavar="N", help="refuse if it has moved on"
    )
    correct.add_argument("--log", type=_path, default=None)
    correct.set_defaults(run=_correct)

    export = words.add_parser("export", help="write a game to a file, or several as a match")
    export.add_argument("game", nargs="+", metavar="GAME", help="a game's id, or last, or a file")
    export.add_argument(
        "--to",
        choices=("egn", "jsonl", "emn"),
        default="egn",
        help="egn: Euchre Game Notation; emn: a match of several games; jsonl: lossless",
    )
    export.add_argument(
        "--deal", type=int, metavar="N", help="only this deal, as a game of its own"
    )
    export.add_argument("--title", default="", help="the match's title (emn)")
    export.add_argument("-o", "--output", type=_path, metavar="FILE", help="default: stdout")
    export.add_argument("--log", type=_path, default=None)
    export.set_defaults(run=_export)

    imported = words.add_parser("import", help="take a game from a file into the log")
    imported.add_argument("file", metavar="FILE", type=_path)
    imported.add_argument("--log", type=_path, default=None)
    imported.set_defaults(run=_import)

    codes = words.add_parser("codes", help="the codes that let people act on the page")
    codes.add_argument("--log", type=_path, default=None, metavar="PATH", help="the games' log")
    codes.add_argument("--port", type=_port, help="another port than the running kit's")
    codes.add_argument("--tls", action="store_true", help="say HTTPS whatever runs")
    codes.add_argument(
        "--link",
        metavar="WHOSE",
        choices=["table", "director", *(f"seat:{n}" for n in range(6))],
        help="only this one's link: table, director, seat:0 (North) to seat:5",
    )
    codes.set_defaults(run=_codes)

    games = words.add_parser("games", help="list the games of the log")
    games.add_argument("--json", action="store_true")
    games.add_argument(
        "--delete", metavar="GAME", help="delete a game (its id, or last) and its pictures for good"
    )
    games.add_argument("--yes", action="store_true", help="do not ask before deleting")
    games.add_argument("--log", type=_path, default=None)
    games.set_defaults(run=_games)

    tidy = words.add_parser("tidy", help="remove pictures whose time is over")
    tidy.add_argument("--days", type=int, metavar="N", help="keep N days (default: the settings')")
    tidy.add_argument("--log", type=_path, default=None)
    tidy.set_defaults(run=_tidy)

    backup = words.add_parser("backup", help="copy the log to a file, also while it is in use")
    backup.add_argument("file", metavar="FILE", type=_path)
    backup.add_argument(
        "--keep",
        type=int,
        metavar="N",
        help="FILE is a folder: a copy named by the day, and only the newest N stay",
    )
    backup.add_argument("--log", type=_path, default=None)
    backup.set_defaults(run=_backup)

    restore = words.add_parser("restore", help="put a backup in the log's place")
    restore.add_argument("file", metavar="FILE", type=_path, nargs="?")
    restore.add_argument(
        "--salvage",
        action="store_true",
        help="no backup: save the games that can be read of a damaged log",
    )
    restore.add_argument("--log", type=_path, default=None)
    restore.add_argument(
        "--replace",
        action="store_true",
        help="a log is there already: keep it beside, under another name",
    )
    restore.set_defaults(run=_restore)

    shuffle = words.add_parser(
        "shuffle", help="start the shuffler, through the kit that runs or without one"
    )
    shuffle.add_argument("--passes", type=int, metavar="N", help="how many (default: the kit's)")
    shuffle.add_argument("--seat", type=int, metavar="SEAT", help="for whom (default: the dealer)")
    shuffle.add_argument(
        "--by-hand", type=int, metavar="N", help="a person shuffled N times: say so"
    )
    shuffle.add_argument("--stop", action="store_true", help="stop what is under way")
    shuffle.add_argument("--status", action="store_true", help="only say what it does")
    shuffle.add_argument(
        "--off", action="store_true", help="let go: relay, lights and buzzer off, and nothing else"
    )
    shuffle.add_argument(
        "--table", choices=("sim", "pi"), help="drive it without a kit: simulated, or these pins"
    )
    shuffle.add_argument("--json", action="store_true", help="JSON lines instead of sentences")
    shuffle.add_argument("--settings", type=_path, metavar="FILE", help="the kit's settings, TOML")
    shuffle.add_argument("--log", type=_path, default=None)
    shuffle.set_defaults(run=_shuffle)

    odds = words.add_parser("odds", help="how mixed a pack is after so many passes")
    odds.add_argument("--cards", type=int, default=24)
    odds.add_argument("--passes", type=int, default=3)
    odds.add_argument("--json", action="store_true")
    odds.set_defaults(run=_odds)

    update = words.add_parser("update", help="bring an installed kit up to date, or back")
    update.add_argument(
        "folder", metavar="FOLDER", type=_path, nargs="?", help="where the new version lies"
    )
    update.add_argument("--roll-back", action="store_true", help="to the version before")
    update.set_defaults(run=_update)

    doctor = words.add_parser("doctor", help="examine everything the kit stands on")
    doctor.add_argument("--json", action="store_true")
    doctor.add_argument("--log", type=_path, default=None)
    doctor.add_argument(
        "--settings",
        type=_path,
        metavar="FILE",
        help="the kit's settings (default: the file that UPCARD_SETTINGS names, if any)",
    )
    doctor.add_argument(
        "--bundle", type=_path, metavar="FILE.zip", help="write a file for a bug report, too"
    )
    doctor.add_argument("--software", action="store_true", help="only what is installed")
    doctor.set_defaults(run=_doctor)
    return parser


def _port(text: str) -> int:
    number = int(text) if text.isdigit() else -1
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535")
    return number


def _said(text: str) -> str:
    # An unset variable in a script arrives as "", which as a path would be the folder we are in.
    if not text:
        raise argparse.ArgumentTypeError("nothing is named: leave it out, or name one")
    return text


def _path(text: str) -> Path:
    return Path(_said(text))


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is too few: give a number from 1 on")
    return number


def _threads(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 16:
        raise argparse.ArgumentTypeError(f"{text!r} are no threads: give a number from 1 to 16")
    return number


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no speed: give a number above 0, such as 2")
    return number


def default_log_path() -> Path:
    """Where the games are kept unless ``--log`` says otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "upcard" / "games.db"


def _log_path(given: argparse.Namespace) -> Path:
    if given.log is not None:
        return Path(given.log)
    kept: Path | None = None
    if os.environ.get("UPCARD_SETTINGS"):
        from pi.settings import kit_settings

        kept = kit_settings(None).log
    return kept if kept is not None else default_log_path()


def _rules(given: str | None) -> Any:
    """A preset's name, or the options of a ruleset file; refused before anything begins."""
    from engine.ruleset import PRESETS, load_ruleset, preset, to_mapping

    if given is None:
        return "home"
    if given not in PRESETS and (given.endswith(".toml") or Path(given).exists()):
        return to_mapping(load_ruleset(given))
    preset(given)
    return given


def _imported(path: Path, rules: Any = "home") -> Any:
    """The games of a file; each fault is named on stderr with the file's name."""
    from engine.notation.files import read_game_file

    imported = read_game_file(path, rules=rules)
    for fault in imported.faults:
        _complain(f"{path}: {fault}")
    return imported


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, separators=(",", ":")), flush=True)


# --- run -------------------------------------------------------------------------------------


def _run(given: argparse.Namespace) -> int:
    from pi import run

    rules = None if given.rules is None else _rules(given.rules)
    return run.run(given, rules=rules, log_path=_log_path(given))


# --- read, watch, teach ----------------------------------------------------------------------


def decks_folder() -> Path:
    """Where the decks that were taught are kept."""
    return default_log_path().parent / "decks"


def _reader(given: argparse.Namespace) -> Any:
    """The reader, with the deck of ``--deck`` in mind."""
    if given.deck is None:
        from vision.reader import load_reader

        return load_reader(threads=given.threads)
    from pi.teach import taught_reader

    return taught_reader(given.deck, decks_folder(), threads=given.threads, complain=_complain)


def _teach(given: argparse.Namespace) -> int:
    from pi import teach
    from vision.decks import forget_deck

    folder = decks_folder()
    if given.forget is not None:
        forget_deck(folder, given.forget)
        if not given.json:
            print(f"deck {given.forget} is forgotten")
        return EXIT_DONE
    if given.list:
        lines = teach.listing(folder)
        for line in lines:
            if given.json:
                _print_json(line)
            else:
                print(teach.listed(line))
        if not lines and not given.json:
            print("no decks yet: teach one with upcard teach NAME")
        return EXIT_FAULTS if any(line["fault"] for line in lines) else EXIT_DONE
    if given.name is None:
        _complain("teach needs the deck's name: upcard teach NAME")
        return EXIT_USAGE
    return teach.teach(
        teach.plan_for(given, folder=folder),
        emit=_print_json if given.json else lambda line: print(teach.sentence(line), flush=True),
        complain=_complain,
    )


def _calibrate(given: argparse.Namespace) -> int:
    from pi import calibrate

    if given.sheet is not None:
        calibrate.write_sheet(given.sheet)
        print(f"wrote {given.sheet}: print it at 100% and lay it in the middle of the table")
        return EXIT_DONE
    from vision.reader import load_reader

    emit = _print_json if given.json else lambda line: print(calibrate.sentence(line), flush=True)
    plan = calibrate.plan_for(given, folder=default_log_path().parent)
    code = calibrate.calibrate(
        plan, reader=load_reader(threads=given.threads), emit=emit, complain=_complain
    )
    if given.deck is None or code != EXIT_DONE:
        return code
    # "Is this deck readable" is a short teaching: each card once, and a verdict for each.
    given.name, given.order, given.views = given.deck, None, 1
    given.forget, given.list = None, False
    return _teach(given)


def _read(given: argparse.Namespace) -> int:
    from vision.errors import VisionError
    from vision.reader import as_line, read_file, said

    reader = _reader(given)
    code = EXIT_DONE
    for name in given.images:
        try:
            told = read_file(name, reader, explain=given.explain)
        except VisionError as error:
            _complain(str(error))
            code = EXIT_FAULTS
            continue
        print(as_line(told) if given.json else said(told), flush=True)
    return code


def _watch(given: argparse.Namespace) -> int:
    from pi.watch import watch

    rules = _rules(given.rules)
    return watch(
        given.clip,
        reader=_reader(given),
        rules=rules,
        trump=given.trump,
        maker=given.maker,
        alone=given.alone,
        calibration=given.calibration,
        commands=given.commands,
        emit=_print_json if given.json else _say_line,
    )


def _say_line(line: dict[str, Any]) -> None:
    seat = "" if line.get("seat") is None else SEAT_NAMES[line["seat"]]
    card = line.get("card") or line.get("best") or ""
    words = " ".join(str(word) for word in (line["kind"].replace("_", " "), seat, card) if word)
    print(f"{line['at_us'] / 1e6:8.2f} s  {words}", flush=True)


# --- games -----------------------------------------------------------------------------------


def _score(given: argparse.Namespace) -> int:
    from engine.notation.files import is_ours
    from engine.score import score_json

    rules = _rules(given.rules)
    imported = _imported(given.file, rules)
    # An EGN file's own rules come first; our facts are judged by other rules where asked.
    other = rules if given.rules is not None and is_ours(given.file) else None
    for game in imported.games:
        told = score_json(game.records(), rules=other, rulings=given.rulings or "as_played")
        if given.json:
            _print_json(told)
            continue
        for number, deal in enumerate(told["deals"], start=1):
            points = "not known" if deal["points"] is None else "{}–{}".format(*deal["points"])
            print(f"deal {number}: points {points}, tricks {{}}–{{}}".format(*deal["tricks"]))
            for finding in deal["findings"]:
                print(f"  {finding['text']}")
        print("score {}–{}".format(*told["score"]))
    return EXIT_FAULTS if imported.faults else EXIT_DONE


class NoGame(EngineError, LookupError):
    """A file that holds no game that could be kept."""


def _records(given: argparse.Namespace) -> Any:
    """The facts of the game named: of a file in a notation we read, else of the log."""
    return _records_of(given, given.game)[-1]


def _records_of(given: argparse.Namespace, name: str) -> list[Any]:
    """The facts of each game that ``name`` stands for: those of a file, or one of the log."""
    path = Path(name)
    if path.is_file():
        imported = _imported(path)
        if not imported.games:
            raise NoGame(f"{name} holds no game that can be read: see the faults above")
        return [game.records(game.game_id or "import") for game in imported.games]
    from engine.log import LogError
    from engine.sqlite_log import SqliteLog
    from engine.table import find_game

    try:
        with SqliteLog(_log_path(given), read_only=True) as log:
            return [log.read(find_game(log, name))]
    except LogError as error:
        if not _is_a_path(name):
            raise
        what = "is a folder" if path.is_dir() else "is no file" if path.exists() else "is not there"
        raise NoGame(
            f"{name} {what}: name a file that holds a game, the id of a game in the log (upcard "
            "games lists them) or last"
        ) from error


def _is_a_path(name: str) -> bool:
    """Whether a GAME that the log does not know is meant as a path."""
    path = Path(name)
    return name != "last" and (os.sep in name or bool(path.suffix) or path.exists())


def _game_of_the_log(log: Any, name: str) -> str:
    """The id of a GAME where only one of the log will do. Raises UnknownGame, NoGame."""
    from engine.log import UnknownGame
    from engine.table import find_game

    try:
        return find_game(log, name)
    except UnknownGame as error:
        if not _is_a_path(name):
            raise
        raise NoGame(
            f"{name} is a path, and only a game of the log will do here: name its id (upcard games "
            "lists them) or last; upcard import takes a file's games into the log"
        ) from error


def _replay(given: argparse.Namespace) -> int:
    if given.page:
        from pi import run

        return run.serve_replay(given, records=_records(given))
    from engine.replay import lines

    steps = lines(_records(given))
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        for line in steps:
            print(line)
        return EXIT_DONE
    print("Enter steps on, q ends.")
    for line in steps:
        print(line, end="", flush=True)
        if input().strip().lower() == "q":
            break
    return EXIT_DONE


def _show(given: argparse.Namespace) -> int:
    from engine.sheet import deal_lines, game_lines

    records = _records(given)
    told = game_lines(records) if given.deal is None else deal_lines(records, deal=given.deal)
    for line in told:
        print(line)
    return EXIT_DONE


class Refused(EngineError, ValueError):
    """A command that makes no sense, or makes none now; the message says why."""


#: A command for those who look for how one is written.
_AN_UNDO: Final = '\'{"kind":"undo","reason":"a slip"}\''


def _correct(given: argparse.Namespace) -> int:
    import time

    from engine.codec import BadJson, command_from, from_text
    from engine.commands import Rejected, StartGame
    from engine.sheet import game_lines
    from engine.sqlite_log import SqliteLog
    from engine.table import Table

    try:
        command = command_from(from_text(given.command))
    except BadJson as bad:
        raise Refused(f"the command is {bad}: write it as in {_AN_UNDO}") from None
    if isinstance(command, Rejected):
        raise Refused(f"the command is {command.code}: {command.reason}; a right one is {_AN_UNDO}")
    if isinstance(command, StartGame):
        raise Refused("a game is begun with upcard run; here one is mended")
    with SqliteLog(_log_path(given)) as log:
        game_id = _game_of_the_log(log, given.game)
        table = Table.open(log, game_id, clock_us=lambda: time.time_ns() // 1_000)
        answer = table.submit(command, source="director", expect_version=given.expect_version)
        if isinstance(answer, Rejected):
            raise Refused(f"{answer.code}: {answer.reason}")
        for line in game_lines(table.records):
            print(line)
    return EXIT_DONE


def _export(given: argparse.Namespace) -> int:
    from engine.notation.egn import write_egn
    from engine.notation.emn import write_emn
    from engine.notation.excerpt import deal_records
    from engine.notation.jsonl import write_jsonl

    if given.to == "egn" and len(given.game) > 1:
        _complain("EGN holds one game a file: name one, or write a match with --to emn")
        return EXIT_USAGE
    games = [records for name in given.game for records in _records_of(given, name)]
    if given.to == "egn":
        games = games[-1:]
    if given.deal is not None:
        games = [deal_records(records, given.deal) for records in games]
    losses: tuple[str, ...] = ()
    if given.to == "jsonl":
        text = write_jsonl(recorded for records in games for recorded in records)
    else:
        match = given.to == "emn"
        exported = write_emn(games, title=given.title) if match else write_egn(games[0])
        text, losses = exported.text, exported.losses
    if text:
        if given.output is None:
            sys.stdout.write(text)
        else:
            given.output.write_text(text, encoding="utf-8")
    for loss in losses:
        _complain(f"left out, {given.to.upper()} cannot say it: {loss}")
    if not text:
        _complain("nothing was written: --to jsonl loses nothing")
        return EXIT_FAULTS
    return EXIT_DONE


def _backup(given: argparse.Namespace) -> int:
    from engine.backup import back_up, back_up_by_day

    if given.keep is None:
        print(f"{given.file}: {_counted_games(back_up(_log_path(given), given.file))}")
        return EXIT_DONE
    if given.keep < 1:
        _complain(f"--keep {given.keep}: keep at least one copy")
        return EXIT_USAGE
    made = back_up_by_day(_log_path(given), given.file, keep=given.keep)
    print(f"{made.file}: {_counted_games(made.games)}, {made.kept} kept")
    return EXIT_DONE


def _restore(given: argparse.Namespace) -> int:
    from engine.backup import restore, salvage

    if given.salvage == (given.file is not None):
        _complain("restore needs a backup's name, or --salvage and none")
        return EXIT_USAGE
    if given.salvage:
        saved = salvage(_log_path(given))
        print(f"{_log_path(given)}: {_counted_games(saved.games)} saved")
        print(f"the damaged log is now {saved.kept}")
        for loss in saved.lost:
            _complain(f"not saved: {loss}")
        return EXIT_FAULTS if saved.lost else EXIT_DONE
    restored = restore(given.file, _log_path(given), replace=given.replace)
    print(f"{_log_path(given)}: {_counted_games(restored.games)}")
    if restored.kept is not None:
        print(f"the log that was there is now {restored.kept}")
    return EXIT_DONE


def _counted_games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def _import(given: argparse.Namespace) -> int:
    from engine.sqlite_log import SqliteLog
    from engine.table import store

    imported = _imported(given.file)
    path = _log_path(given)
    path.parent.mkdir(parents=True, exist_ok=True)
    with SqliteLog(path) as log:
        for game in imported.games:
            print(store(log, game))
    return EXIT_FAULTS if imported.faults else EXIT_DONE


def _codes(given: argparse.Namespace) -> int:
    from pi import run

    return run.show_codes(given, log_path=_log_path(given))


def _delete(given: argparse.Namespace) -> int:
    from engine.sheet import summary
    from engine.sqlite_log import SqliteLog
    from engine.wording import counted
    from pi.privacy import delete_game, evidence_folder
    from pi.settings import kit_settings

    path = _log_path(given)
    with SqliteLog(path) as log:
        game_id = _game_of_the_log(log, given.delete)
        if not given.yes:
            if not sys.stdin.isatty():
                _complain(f"{game_id} would be deleted for good: say --yes to do it")
                return EXIT_USAGE
            try:
                told = summary(log.read(game_id))
                what = f"{counted(told['deals'], 'deal')} {told['title']}".rstrip()
            except EngineError:
                what = "damaged"
            print(f"delete {game_id} ({what}) and its pictures for good? [y/N] ", end="")
            if input().strip().lower() not in ("y", "yes"):
                print("nothing was deleted")
                return EXIT_DONE
        gone = delete_game(log, game_id, evidence_folder(path, kit_settings(None).evidence))
    print(
        f"{game_id} is deleted: {counted(gone.facts, 'fact')}, {counted(gone.pictures, 'picture')}"
    )
    print("copies made by upcard backup still hold it until they are deleted too")
    return EXIT_DONE


def _tidy(given: argparse.Namespace) -> int:
    import time

    from pi.privacy import evidence_folder, tidy
    from pi.settings import kit_settings

    settings = kit_settings(None)
    days = given.days if given.days is not None else settings.pictures_days
    if days < 1:
        _complain(f"--days {days}: keep at least one day")
        return EXIT_USAGE
    path = _log_path(given)
    gone = tidy(path, evidence_folder(path, settings.evidence), keep_days=days, now_s=time.time())
    print(f"{gone} files removed: pictures older than {days} days, and what no game rests on")
    return EXIT_DONE


def _games(given: argparse.Namespace) -> int:
    if given.delete is not None:
        return _delete(given)
    from engine.sheet import summary
    from engine.sqlite_log import SqliteLog
    from engine.wording import dashed

    if not _log_path(given).exists():
        if not given.json:
            print("no games yet: play one with upcard run")
        return EXIT_DONE
    with SqliteLog(_log_path(given), read_only=True) as log:
        for line in log.games():
            told = summary(log.read(line.game_id))
            if given.json:
                _print_json(told)
            else:
                print(
                    f"{told['game']}  {told['deals']:2d} deals  "
                    f"{dashed(told['score'])}  {told['title']}".rstrip()
                )
    return EXIT_DONE


def _shuffle(given: argparse.Namespace) -> int:
    from pi import shuffle

    return shuffle.shuffle(
        given, log_path=_log_path(given), emit=_print_json if given.json else None
    )


def _odds(given: argparse.Namespace) -> int:
    from engine.noticed import noticed
    from engine.odds import total_variation

    cards, passes = given.cards, given.passes
    distance = total_variation(cards=cards, passes=passes)
    hands = noticed(cards=cards, passes=passes)
    if given.json:
        told = None if hands is None else {"tv": hands.tv, "error": hands.error}
        _print_json({"cards": cards, "passes": passes, "tv": distance, "noticed": told})
        return EXIT_DONE
    print(
        f"{cards} cards, {passes} passes: {distance:.3f} from random "
        "(1 is not mixed at all, 0 is random)"
    )
    if hands is not None:
        print(
            f"what players can notice, the hands dealt 2-3/3-2: {hands.tv:.3f} "
            f"(measured, give or take {2 * hands.error:.3f})"
        )
    return EXIT_DONE


def _update(given: argparse.Namespace) -> int:
    from pi.update import update

    update(given.folder, roll_back=given.roll_back)
    return EXIT_DONE


# --- doctor ----------------------------------------------------------------------------------


def _doctor(given: argparse.Namespace) -> int:
    from dataclasses import replace

    from pi import doctor
    from pi.settings import kit_settings, settings_path

    settings = kit_settings(given.settings)
    if settings_path(given.settings) is None and doctor.on_a_pi():
        settings = replace(settings, table="pi")  # as upcard run takes it
    log_path = _log_path(given)
    checks = doctor.examine(log_path=log_path, settings=settings, only_software=given.software)
    for check in checks:
        if given.json:
            _print_json(
                {
                    "name": check.name,
                    "status": check.status,
                    "detail": check.detail,
                    "cure": check.cure,
                }
            )
            continue
        print(f"{check.status.upper():4}  {check.name:20} {check.detail}")
        if check.cure:
            print(f"{'':26}{check.cure}")
    if sys.stdout.isatty() and not given.json and not given.software:
        _print_page_code()
    if given.bundle is not None:
        from pi.doctor.bundle import write_bundle

        parts = write_bundle(
            given.bundle,
            checks=checks,
            log_path=log_path,
            settings=settings,
            around=doctor.Surroundings(),
        )
        if not given.json:
            print(f"{given.bundle}: {', '.join(parts)}; no names, pictures, codes or addresses")
    return EXIT_FAULTS if any(check.status == "fail" for check in checks) else EXIT_DONE


def _print_page_code() -> None:
    """The page's address as a QR, for a tablet's camera."""
    import segno

    from pi.doctor import DEFAULT_PORT
    from pi.doctor.network import page_url

    url = page_url(port=DEFAULT_PORT)
    if url is not None:
        print(f"\nthe board of a running kit: {url}")
        segno.make(url, error="l", micro=False).terminal(compact=True, border=2)


if __name__ == "__main__":
    console()
