"""A page's modules as one script and its styles as one sheet: a browser asks once, not forty times.

Nothing is built beforehand: the files under ``static`` stay what is written and what is run. At
the first request each module, as it was when the kit started, is put into a function of its own,
in the order in which they stand on one another. An address carries the hash of what is behind
it, so a browser may keep it for ever.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Final, Literal, TypeAlias

from flask import Blueprint, Flask, Response, abort

from web_dashboard.errors import BadModule
from web_dashboard.files import STATIC, page_text

_JS: Final = STATIC / "js"
_CSS: Final = STATIC / "css"

Kind: TypeAlias = Literal["js", "css"]
_TYPES: Final[Mapping[str, str]] = {"js": "text/javascript", "css": "text/css"}

#: On every page: the device's settings, and who the page is to the kit.
_EVERYWHERE_JS: Final = ("device.js", "access.js")
_EVERYWHERE_CSS: Final = ("page.css", "people.css", "access.css")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a page has beyond what every page has."""

    scripts: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


#: Every page by its template's name.
PAGES: Final[Mapping[str, Parts]] = {
    "live": Parts(scripts=("live.js",), styles=("extras.css", "boards.css")),
    "seat": Parts(scripts=("seat.js",)),
    "director": Parts(scripts=("director.js",)),
    "replay": Parts(scripts=("replay.js",), styles=("boards.css",)),
    "games": Parts(scripts=("games.js",)),
    "shuffle": Parts(scripts=("shuffle_page.js",), styles=("extras.css",)),
    "statistics": Parts(scripts=("statistics.js",), styles=("extras.css",)),
    "join": Parts(scripts=("join.js",)),
    "calibrate": Parts(scripts=("calibrate.js",), styles=("calibrate.css",)),
    "doctor": Parts(scripts=("doctor.js",)),
    "error": Parts(),
}


_IMPORT: Final = re.compile(r'^import \{([^}\n]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.M)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|const|class) (\w+)", re.M)
_EXPORT_LIST: Final = re.compile(r"^export \{([^}\n]*)\};\n", re.M)
#: What is left when those are gone: other ways of saying it, and addresses that are no longer true.
_LEFT: Final = re.compile(r'^(?:import|export)\b.*|\bimport(?:\("\.|\.meta).*', re.M)


def modules_of(entries: Sequence[str], read: Callable[[Path], str] = page_text) -> tuple[Path, ...]:
    """The modules ``entries`` of ``static/js`` and all they import, each after those it needs."""
    found: OrderedDict[Path, None] = OrderedDict()

    def visit(file: Path, above: tuple[Path, ...]) -> None:
        if file in found:
            return
        if file in above:
            raise BadModule(f"{file.name} imports itself by way of {above[-1].name}")
        for _, name in _IMPORT.findall(read(file)):
            visit((file.parent / name).resolve(), (*above, file))
        found[file] = None

    for entry in entries:
        visit((_JS / entry).resolve(), ())
    return tuple(found)


def join_modules(files: Sequence[Path], read: Callable[[Path], str] = page_text) -> str:
    """Modules as one: each in a function of its own, so that no names collide.

    Raises :class:`BadModule` for a way of importing or exporting that is not one of the page's:
    named imports on one line, exported functions, constants and classes, and lists of names.
    """
    numbers = {file: number for number, file in enumerate(files)}
    return "".join(_wrapped(file, numbers, read(file)) for file in files)


def _wrapped(file: Path, numbers: Mapping[Path, int], source: str) -> str:
    told = [name for _, name in _EXPORT.findall(source)]
    for names in _EXPORT_LIST.findall(source):
        told += [_pair(name, of_export=True) for name in names.split(",") if name.strip()]

    def taken(found: re.Match[str]) -> str:
        names = ", ".join(_pair(n, of_export=False) for n in found[1].split(",") if n.strip())
        other = (file.parent / found[2]).resolve()
        if other not in numbers:
            raise BadModule(f"{file.name} imports {found[2]}, which is not among the files to join")
        return f"const {{ {names} }} = module_{numbers[other]};\n"

    body = _EXPORT_LIST.sub("", _EXPORT.sub(r"\1 \2", _IMPORT.sub(taken, source)))
    left = _LEFT.search(body)
    if left:
        raise BadModule(f"{file.name}: {left[0][:80]!r} cannot be joined")
    return (
        f"// ---- {file.name}\nconst module_{numbers[file]} = await (async () => {{\n{body}"
        f"return {{ {', '.join(told)} }};\n}})();\n"
    )


def _pair(name: str, *, of_export: bool) -> str:
    """``a as b`` as a property of an object: of the one given out, or of the one taken apart."""
    ours, _, theirs = (part.strip() for part in name.partition(" as "))
    if not theirs:
        return ours
    return f"{theirs}: {ours}" if of_export else f"{ours}: {theirs}"


# --- kept and served ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A script or style sheet and where it is found."""

    address: str
    text: str


class Joins:
    """The joined files of all pages, each made when first asked for."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: dict[tuple[str, Kind], Joined] = {}

    def of(self, page: str, kind: Kind) -> Joined:
        """The address and the text of a page's script or style."""
        with self._lock:
            known = self._kept.get((page, kind))
        if known is not None:
            return known
        files = _files(page, kind)
        text = join_modules(files) if kind == "js" else "\n".join(map(page_text, files))
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        made = Joined(address=f"/joined/{page}-{digest}.{kind}", text=text)
        with self._lock:
            self._kept[page, kind] = made
        return made


def _files(page: str, kind: Kind) -> tuple[Path, ...]:
    parts = PAGES[page]
    if kind == "js":
        return modules_of((*_EVERYWHERE_JS, *parts.scripts))
    return tuple(_CSS / name for name in (*_EVERYWHERE_CSS, *parts.styles))


def join_files(app: Flask) -> None:
    """Serve the joined files, and let templates name them: ``joined(page, "js")``."""
    joins = Joins()
    routes = Blueprint("joined", __name__)
    app.jinja_env.globals["joined"] = lambda page, kind: joins.of(page, kind).address

    @routes.get("/joined/<page>-<digest>.<any(js, css):kind>")
    def joined(page: str, digest: str, kind: Kind) -> Response:
        if page not in PAGES:
            abort(404)
        now = joins.of(page, kind)
        response = Response(now.text, mimetype=_TYPES[kind])
        if now.address == f"/joined/{page}-{digest}.{kind}":
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        # A page from before an update gets what there is now, and is not to keep it by that name.
        response.set_etag(now.address.rpartition("-")[2])
        return response

    app.register_blueprint(routes)
