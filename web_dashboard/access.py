"""Who may do what: codes, roles, and the table from each command to those who may send it.

Anyone on the network may watch. Acting takes a code: a seat's (its own call, its own card, its
thumb), the table's (all of a game's flow, for the tablet everybody shares) or the director's
(all of that, and rulings, scores, games and the codes themselves). Codes are digits, so that a
phone's number pad will do; they live beside the log in a file that only its owner may read,
so that tablets survive a restart of the kit.

Nothing here knows Flask: :mod:`web_dashboard.guard` carries the roles over HTTP.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import os
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from engine.commands import (
    AdjustScore,
    AnswerReview,
    BidTricks,
    Call,
    CallAce,
    Claim,
    ClearTrick,
    Command,
    ConfirmDeal,
    ConfirmGame,
    Correct,
    Declare,
    Discard,
    DrawDealer,
    Drop,
    EndGame,
    Insert,
    Move,
    NameDealer,
    PassCard,
    PauseGame,
    PlayCard,
    ReportShuffle,
    ResumeGame,
    RuleFinding,
    ShowHand,
    ShowTableCard,
    ShowUpcard,
    StartGame,
    Stay,
    StrikeDeal,
    SwapWidow,
    TakeBack,
    TakeUpcard,
    ThrowIn,
    TurnDownUpcard,
    Undo,
)
from engine.wording import Sentence, worded
from web_dashboard.errors import BadAccessFile

Role: TypeAlias = Literal["watch", "seat", "table", "director"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

#: The largest game has six players; the codes of chairs nobody sits on do no harm.
SEATS: Final = 6
#: Whose code it is: ``seat:0`` ... ``seat:5``, ``table``, ``director``.
HOLDERS: Final = (*(f"seat:{n}" for n in range(SEATS)), "table", "director")
#: Digits: a seat's code is for a phone in a hurry, the others open more and are longer.
_DIGITS: Final = {"table": 8, "director": 8}
_SEAT_DIGITS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """Somebody at a page. ``seat`` only with the role ``seat``."""

    role: Role = "watch"
    seat: int | None = None

    @property
    def holder(self) -> str | None:
        """Whose code this viewer came in with; None for one who only watches."""
        match self.role:
            case "watch":
                return None
            case "seat":
                return f"seat:{self.seat}"
            case role:
                return role

    @property
    def source(self) -> str:
        """How the log names what this viewer does. The shared tablet's taps are ``page``."""
        return "page" if self.role == "table" else self.holder or "page"

    def at_least(self, role: Role) -> bool:
        """Whether this viewer may all that ``role`` may."""
        return ROLES.index(self.role) >= ROLES.index(role)


WATCHING: Final = Viewer()


def viewer_of(holder: str) -> Viewer:
    """The viewer who came in with the code of ``holder``, one of :data:`HOLDERS`."""
    if holder.startswith("seat:"):
        return Viewer(role="seat", seat=int(holder.removeprefix("seat:")))
    return Viewer(role="director" if holder == "director" else "table")


# --- what each role may send -------------------------------------------------------------------

#: Why a seat may not send this command now, in a sentence; None where it may. Asked with the
#: command, the seat and the public snapshot.
SeatRule: TypeAlias = Callable[[Any, int, Mapping[str, Any]], Sentence | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """``least``: the least role that may send the command for anybody. ``seat``: when a seat may.

    ``home``: where the table rules itself (no director), the shared tablet may too.
    """

    least: Role
    seat: SeatRule | None = None
    home: bool = False


def _own(field: str) -> SeatRule:
    """The command's ``field`` must be the seat itself."""

    def rule(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
        named = getattr(command, field)
        if named == seat and not isinstance(named, bool):
            return None
        return worded("this is {seat}'s own page: it acts for that seat only", seat=seat)

    return rule


def _own_unseen(field: str) -> SeatRule:
    """The same, and the card stays unknown: nobody else saw it either."""
    own = _own(field)

    def rule(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
        if command.card is not None:
            return worded("a card nobody saw is not named from a seat's page: leave it out")
        return own(command, seat, snapshot)

    return rule


def _as(who: Literal["dealer", "maker"]) -> SeatRule:
    """The seat must be the dealer, or the maker, of the deal under way."""

    def rule(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
        del command
        holder = (snapshot.get("deal") or {}).get(who)
        if holder == seat:
            return None
        told = worded("nobody is yet" if holder is None else "that is {seat}", seat=holder)
        return worded(
            "only the dealer says this from a seat's page, and {told}"
            if who == "dealer"
            else "only the maker says this from a seat's page, and {told}",
            told=told,
        )

    return rule


def _declares_itself(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
    deal = snapshot.get("deal") or {}
    if command.maker != seat or command.alone not in (None, seat):
        return worded("{seat}'s page says what {seat} makes, and alone", seat=seat)
    if command.defender_alone is not None or command.dropped:
        return worded("what the others do is said from their own pages or from the table's")
    if command.deal is not None and command.deal != deal.get("number"):
        return worded("an earlier deal is mended from the table's page")
    if deal.get("maker") not in (None, seat):
        return worded("{seat} made trump: the table's page corrects that", seat=deal["maker"])
    return None


def _answers_own(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
    """Its own card, and one of the names the camera thinks likely: no more is a seat's to say."""
    for review in snapshot.get("reviews") or ():
        if review["id"] != command.review:
            continue
        if review["seat"] != seat or command.seat not in (None, seat):
            return worded("the table's page answers for other seats")
        if command.card not in {card for card, _ in review["candidates"]}:
            return worded("the table's page has the other cards")
        return None
    return worded("nothing is asked about that card any more")


def _anybody(command: Any, seat: int, snapshot: Mapping[str, Any]) -> Sentence | None:
    del command, seat, snapshot
    return None


#: Every command and who may send it: the one place that says so.
PERMITS: Final[Mapping[type[Command], Permit]] = {
    # a seat speaks for itself
    Call: Permit(least="table", seat=_own("seat")),
    Declare: Permit(least="table", seat=_declares_itself),
    BidTricks: Permit(least="table", seat=_own("seat")),
    SwapWidow: Permit(least="table", seat=_own("seat")),
    Stay: Permit(least="table", seat=_own("seat")),
    Drop: Permit(least="table", seat=_own("seat")),
    CallAce: Permit(least="table", seat=_as("maker")),
    TakeUpcard: Permit(least="table", seat=_as("dealer")),
    TurnDownUpcard: Permit(least="table", seat=_as("dealer")),
    Discard: Permit(least="table", seat=_own_unseen("seat")),
    PassCard: Permit(least="table", seat=_own_unseen("seat")),
    PlayCard: Permit(least="table", seat=_own("seat")),
    ShowTableCard: Permit(least="table", seat=_own("seat")),
    ShowHand: Permit(least="table", seat=_own("seat")),
    Claim: Permit(least="table", seat=_own("by")),
    ConfirmDeal: Permit(least="table", seat=_anybody),
    ConfirmGame: Permit(least="table", seat=_own("seat")),
    AnswerReview: Permit(least="table", seat=_answers_own),
    # the table moves the game on, and mends what was recorded
    StartGame: Permit(least="table"),
    NameDealer: Permit(least="table"),
    DrawDealer: Permit(least="table"),
    ShowUpcard: Permit(least="table"),
    TakeBack: Permit(least="table"),
    ClearTrick: Permit(least="table"),
    ThrowIn: Permit(least="table"),
    ReportShuffle: Permit(least="table"),
    Correct: Permit(least="table"),
    Insert: Permit(least="table"),
    Move: Permit(least="table"),
    StrikeDeal: Permit(least="table"),
    Undo: Permit(least="table"),
    # the director rules; where there is none the table rules itself
    RuleFinding: Permit(least="director", home=True),
    AdjustScore: Permit(least="director", home=True),
    PauseGame: Permit(least="director", home=True),
    ResumeGame: Permit(least="director", home=True),
    EndGame: Permit(least="director", home=True),
}


def refused(
    viewer: Viewer, command: Command, snapshot: Mapping[str, Any], *, home: bool
) -> Sentence | None:
    """Why ``viewer`` may not send ``command`` now; None: it may.

    ``home``: the table rules itself. ``snapshot``: the public one (:mod:`engine.view`).
    """
    permit = PERMITS[type(command)]
    least: Role = "table" if home and permit.home else permit.least
    if viewer.at_least(least):
        return None
    if viewer.role != "seat" or permit.seat is None or viewer.seat is None:
        return worded(
            "that is the director's to do: it takes the director's code"
            if least == "director"
            else "the table's or the director's code is needed for that"
        )
    return permit.seat(command, viewer.seat, snapshot)


#: What a seat may POST to; everything else that changes something takes the table's role.
SEAT_PATHS: Final = frozenset({"/api/command", "/api/shuffle", "/api/look", "/api/leave"})
#: What anybody may POST to: the way in.
OPEN_PATHS: Final = frozenset({"/api/join"})


# --- the codes ---------------------------------------------------------------------------------


def in_groups(code: str) -> str:
    """``482913`` as people read it: ``482 913``."""
    half = len(code) // 2
    return f"{code[:half]} {code[half:]}"


class Access:
    """The codes and the secret that signs sessions. Safe to share between threads.

    ``path``: the file they live in, None for this run only. Raises :class:`BadAccessFile` for a
    file that is there and cannot be used.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lock = threading.Lock()
        stored = None if path is None else _read(path)
        if stored is None:
            codes: dict[str, str] = {}
            for holder in HOLDERS:
                codes[holder] = _new_code(holder, codes)
            self._kept = _Kept(secret=secrets.token_hex(32), codes=codes, home=False)
            self._write()
        else:
            self._kept = stored

    @property
    def secret(self) -> str:
        """Signs sessions; 64 hexadecimal digits."""
        return self._kept.secret

    @property
    def home(self) -> bool:
        """Whether the table rules itself: findings, scores and games without a director."""
        return self._kept.home

    @property
    def cookie_name(self) -> str:
        """Cookies do not know ports: two kits on one machine must not take each other's."""
        return "upcard-" + hashlib.sha256(self.secret.encode()).hexdigest()[:8]

    def code(self, holder: str) -> str:
        """The code of ``holder``, one of :data:`HOLDERS`, digits only."""
        return self._kept.codes[holder]

    def find(self, code: str) -> Viewer | None:
        """Who comes in with ``code``; spaces and dashes do not matter.

        Every code is compared, each in the same time, so that nothing is learnt from how long
        a refusal took.
        """
        given = re.sub(r"[\s-]", "", code).encode()
        found = None
        for holder, known in self._kept.codes.items():
            if hmac.compare_digest(known.encode(), given):
                found = holder
        return None if found is None else viewer_of(found)

    def mark(self, viewer: Viewer) -> str:
        """What a session carries to show which code it was opened with, without the code."""
        holder = viewer.holder
        if holder is None:
            return ""
        return self._digest(f"mark:{holder}:{self.code(holder)}")

    def token(self, session_id: str) -> str:
        """The word a page must send with every tap of the session ``session_id``."""
        return self._digest(f"token:{session_id}")

    def _digest(self, text: str) -> str:
        return hmac.new(self.secret.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]

    def change(self, holder: str | None = None) -> None:
        """A new code for ``holder``, for None all of them: sessions opened with the old end."""
        with self._lock:
            codes = dict(self._kept.codes)
            for changed in HOLDERS if holder is None else (holder,):
                codes[changed] = _new_code(changed, codes)
            self._keep(_Kept(secret=self.secret, codes=codes, home=self.home))

    def rule_at_home(self, home: bool) -> None:
        """Whether the table rules itself from now on."""
        with self._lock:
            self._keep(_Kept(secret=self.secret, codes=self._kept.codes, home=home))

    def _keep(self, kept: _Kept) -> None:
        before, self._kept = self._kept, kept
        try:
            self._write()
        except BadAccessFile:
            self._kept = before
            raise

    def _write(self) -> None:
        if self._path is None:
            return
        text = json.dumps(
            {
                "version": 1,
                "secret": self._kept.secret,
                "home": self._kept.home,
                "codes": self._kept.codes,
            },
            indent=1,
        )
        beside = self._path.with_name(self._path.name + ".new")
        try:
            beside.unlink(missing_ok=True)
            # Created closed to everybody else: there is no moment at which it could be read.
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._path)
        except OSError as error:
            raise BadAccessFile(
                f"the codes cannot be written to {self._path} ({error.strerror}): make its folder "
                "writable for the kit"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    secret: str
    codes: Mapping[str, str]
    home: bool


def _new_code(holder: str, others: Mapping[str, str]) -> str:
    digits = _DIGITS.get(holder, _SEAT_DIGITS)
    while True:
        code = f"{secrets.randbelow(10**digits):0{digits}d}"
        if code not in others.values():
            return code


def _read(path: Path) -> _Kept | None:
    cure = "delete it, and new codes are made at the next start"
    try:
        text = path.read_text(encoding="ascii")
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BadAccessFile(f"the file of codes {path} cannot be read ({error}): {cure}") from error
    try:
        told = json.loads(text)
        secret, codes, home = told["secret"], told["codes"], told["home"]
        whole = (
            isinstance(secret, str)
            and re.fullmatch(r"[0-9a-f]{64}", secret)
            and isinstance(home, bool)
            and set(codes) == set(HOLDERS)
            and all(
                isinstance(code, str)
                and re.fullmatch(rf"[0-9]{{{_DIGITS.get(holder, _SEAT_DIGITS)}}}", code)
                for holder, code in codes.items()
            )
            and len(set(codes.values())) == len(codes)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise BadAccessFile(f"the file of codes {path} is damaged: {cure}")
    return _Kept(secret=secret, codes=codes, home=home)


# --- guessing ----------------------------------------------------------------------------------

#: Wrong codes that cost nothing: people mistype.
_FREE: Final = 3
_LONGEST_S: Final = 300.0
#: Wrong codes of all addresses together that cost nobody a wait, and how fast they are forgiven.
_FREE_TOGETHER: Final = 30
_FORGIVEN_S: Final = 10.0
#: After so long without a wrong code an address is as good as new.
_FORGOTTEN_S: Final = 3600.0
_ADDRESSES_KEPT: Final = 1000


class Tries:
    """Counts wrong codes and says how long to wait before the next may be tried.

    Per address the wait doubles from one second after the third wrong code up to five minutes.
    Of all addresses together thirty are free, one more every ten seconds; then everybody waits
    for the next ten. So a whole network of guessers has 8,640 tries a day: one chance in twenty
    a day for any of six seats, one in 6,000 for the table or the director.
    ``clock_s``: seconds that only grow.
    """

    def __init__(self, clock_s: Callable[[], float]) -> None:
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._together = 0.0
        self._together_at_s = clock_s()

    def attempt(self, address: str, find: Callable[[], Viewer | None]) -> Viewer | float | None:
        """What ``find`` answers, or the seconds ``address`` has to wait before it is asked.

        None, a wrong code, is counted. One attempt at a time, or a hundred at once would all
        be the first.
        """
        network = network_of(address)
        with self._lock:
            now_s = self._clock_s()
            wait_s = self._wait_s(network, now_s)
            if wait_s > 0:
                return wait_s
            found = find()
            if found is None:
                self._wrong_one(network, now_s)
            else:
                # What it mistyped before is forgotten.
                self._wrong.pop(network, None)
            return found

    def _wait_s(self, network: str, now_s: float) -> float:
        wrong, last_s = self._wrong.get(network, (0, now_s))
        own_s = 0.0
        if wrong >= _FREE and now_s - last_s <= _FORGOTTEN_S:
            own_s = last_s + min(_LONGEST_S, 2.0 ** min(wrong - _FREE, 20)) - now_s
        over = self._level(now_s) - (_FREE_TOGETHER - 1)
        return max(0.0, own_s, over * _FORGIVEN_S)

    def _wrong_one(self, network: str, now_s: float) -> None:
        before, last_s = self._wrong.pop(network, (0, now_s))
        self._wrong[network] = (before + 1 if now_s - last_s <= _FORGOTTEN_S else 1, now_s)
        while len(self._wrong) > _ADDRESSES_KEPT:
            self._wrong.popitem(last=False)
        self._together = self._level(now_s) + 1
        self._together_at_s = now_s

    def _level(self, now_s: float) -> float:
        return max(0.0, self._together - (now_s - self._together_at_s) / _FORGIVEN_S)


def network_of(address: str) -> str:
    """The address a guesser cannot change at will: of IPv6 the first 64 bits."""
    try:
        parsed = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
