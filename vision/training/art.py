"""Deck art: install it, render it, and find where each deck prints its indices.

Sources and licences are in ``models/CARD.md``. Everything lands under
``WORK/art/DECK``: one ``CARD.png`` per face (BGRA, 600 px high), ``back_N.png`` and
``deck.json`` with the index box of each face.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

FACE_HEIGHT_PX = 600
DEBIAN_ART = ("gnome-cards-data", "kdegames-card-data-kf5", "librsvg2-bin")
NPM_ART = (
    "@letele/playing-cards",
    "svg-cards",
    "cardsJS",
    "@younestouati/playing-cards-standard-deck",
)
#: The families of ``fonts.txt``, beside Debian's.
FONT_FAMILIES = tuple(
    line
    for line in Path(__file__).with_name("fonts.txt").read_text().splitlines()
    if not line.startswith("#")
)

#: Sheets of 13 x 5 faces: rows clubs, diamonds, hearts, spades, then jokers and backs.
#: The second string: ranks whose printed letter is foreign (the face is kept as a negative).
GNOME_DECKS = {
    "ancient_french": "AJQK",
    "anglo": "",
    "anglo_bitmap": "",
    "anglo_modern": "",
    "anglo_poker": "",
    "atlasnye": "",
    "bellot": "",
    "berlin": "JQ",
    "dondorf": "",
    "guyenne-classic": "",
    "lattmann": "JQ",
    "neoclassical": "",
    "orell": "",
    "ornamental": "",
    "paris": "",
    "plastic": "",
    "rheinland": "JQ",
    "simplistic": "",
    "slavic_costumes": "AJQ",
    "tango": "",
    "tarocco": "JQK",
    "tigullio": "",
}
KDE_DECKS = {
    "svg-standard/standard": "",
    "svg-tigullio-international/tigullio-international": "",
    "svg-xskat-french/french": "",
    "svg-nicu-white/white": "",
    "svg-konqi-modern/konqi": "",
    "svg-penguins/penguins": "",
    "svg-oxygen-white/oxygen-white": "",
    "svg-future/future": "",
}
#: Faces without an index, or whose second index is not turned.
LEFT_OUT = {"guyenne-classic": "JQK", "bellot": "JQK", "neoclassical": "JQK"}

RANKS = "A23456789TJQK"
SUITS = {"club": "c", "diamond": "d", "heart": "h", "spade": "s"}
RANK_WORDS = {"1": "A", "10": "T", "11": "J", "12": "Q", "13": "K"} | {
    "jack": "J",
    "queen": "Q",
    "king": "K",
    "ace": "A",
}

_LETELE_JS = r"""
const fs = require('fs');
let s = fs.readFileSync(process.argv[2] + '/dist/index.esm.js', 'utf8');
s = s.replace(/^import .*$/mg, '').replace(/export \{([^}]*)\};/, (m, b) =>
  'const OUT = {' + b.split(',').map(p => { const [a, c] = p.trim().split(' as ');
  return c + ': ' + a; }).join(',') + '};');
const kept = /^(viewBox|preserveAspectRatio|(pattern|gradient)(Units|Transform)|clipPathUnits)$/;
const dash = k => kept.test(k)
  ? k : k === 'xlinkHref' ? 'xlink:href' : k === 'xmlnsXlink' ? 'xmlns:xlink'
  : k.replace(/[A-Z]/g, c => '-' + c.toLowerCase());
const style = v => Object.entries(v).map(([k, w]) => dash(k) + ':' + w).join(';');
const React = { createElement: (t, p, ...c) => {
  const a = Object.entries(p || {}).filter(([k, v]) => v !== undefined && k !== 'className')
    .map(([k, v]) => ' ' + dash(k) + '="' + (k === 'style' ? style(v) : v) + '"').join('');
  const xl = t === 'svg' && !a.includes('xmlns:xlink')
    ? ' xmlns:xlink="http://www.w3.org/1999/xlink"' : '';
  return '<' + t + xl + a + '>' + c.flat().filter(x => x).join('') + '</' + t + '>'; } };
const _extends = Object.assign;
eval(s + '; for (const [k, f] of Object.entries(OUT))' +
  ' fs.writeFileSync(process.argv[3] + "/" + k + ".svg", f({}));');
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBox:
    """Where a face prints its upper left index, in fractions of the card."""

    left: float
    top: float
    right: float
    bottom: float


def install_art(work: Path) -> None:
    """Install the packages that hold deck art and fonts. Needs root for the Debian ones."""
    missing = [
        p for p in DEBIAN_ART if subprocess.run(["dpkg", "-s", p], capture_output=True).returncode
    ]
    if missing:
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing], check=True
        )
    folder = work / "npm"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"private": true}')
    wanted = [*NPM_ART, *(f"@fontsource/{family}" for family in FONT_FAMILIES)]
    there = folder / "node_modules"
    missing = [p for p in wanted if not (there / (p[0] + p[1:].split("@")[0])).exists()]
    if missing:
        subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *missing],
            cwd=folder,
            check=True,
        )


def family_fonts(work: Path) -> list[Path]:
    """The plain and the bold cut of each installed family of ``fonts.txt``, by name."""
    cuts: list[Path] = []
    for family in (entry.split("@")[0] for entry in FONT_FAMILIES):
        files = work / "npm" / "node_modules" / "@fontsource" / family / "files"
        plain, bold, black = (
            files / f"{family}-latin-{weight}-normal.woff2" for weight in (400, 700, 900)
        )
        cuts += [cut for cut in (plain, bold if bold.exists() else black) if cut.exists()]
    return cuts


def _rsvg(source: Path, target: Path, *options: str) -> bool:
    done = subprocess.run(
        ["rsvg-convert", "--unlimited", *options, str(source), "-o", str(target)],
        capture_output=True,
    )
    return done.returncode == 0 and target.exists()


def _save_face(folder: Path, name: str, face: NDArray[np.uint8]) -> None:
    if face.ndim == 2:
        face = cv2.cvtColor(face, cv2.COLOR_GRAY2BGRA)
    if face.shape[2] == 3:
        face = cv2.cvtColor(face, cv2.COLOR_BGR2BGRA)
    rows, columns = np.nonzero(face[..., 3] > 128)
    if len(rows) < 100:
        return
    face = face[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    height, width = face.shape[:2]
    if not 0.5 < width / height < 0.85:
        return
    width_px = round(FACE_HEIGHT_PX * width / height)
    shrink = cv2.INTER_AREA if height > FACE_HEIGHT_PX else cv2.INTER_CUBIC
    cv2.imwrite(
        str(folder / f"{name}.png"),
        cv2.resize(face, (width_px, FACE_HEIGHT_PX), interpolation=shrink),
    )


def _render_gnome(work: Path, name: str) -> None:
    folder = work / "art" / f"gnome-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    sheet_path = folder / "sheet.tmp.png"
    if not _rsvg(Path(f"/usr/share/aisleriot/cards/{name}.svgz"), sheet_path, "-w", str(13 * 420)):
        return
    sheet = cv2.imread(str(sheet_path), cv2.IMREAD_UNCHANGED)
    sheet_path.unlink()
    high, wide = sheet.shape[0] / 5, sheet.shape[1] / 13
    for row, suit in enumerate("cdhs"):
        for column, rank in enumerate(RANKS):
            if rank in LEFT_OUT.get(name, ""):
                continue
            face = sheet[
                round(row * high) : round((row + 1) * high),
                round(column * wide) : round((column + 1) * wide),
            ]
            _save_face(folder, rank + suit, face)
    for column, face_name in enumerate(("low_joker", "high_joker", "back_0")):
        _save_face(
            folder,
            face_name,
            sheet[round(4 * high) :, round(column * wide) : round((column + 1) * wide)],
        )


def _render_kde(work: Path, path: str) -> None:
    source = Path(f"/usr/share/carddecks/{path}.svgz")
    folder = work / "art" / f"kde-{path.split('/')[1]}"
    folder.mkdir(parents=True, exist_ok=True)
    ids = set(
        re.findall(
            r'id="([a-z0-9_]+)"', gzip.decompress(source.read_bytes()).decode("utf8", "replace")
        )
    )
    wanted = {
        f"{w}_{s}": RANK_WORDS.get(w, w) + SUITS[s]
        for s in SUITS
        for w in ("1", *"23456789", "10", "jack", "queen", "king")
    }
    wanted |= {"black_joker": "low_joker", "red_joker": "high_joker", "back": "back_0"}
    wanted |= {f"back_c{n}": f"back_{n}" for n in range(1, 10)} | {
        "blue_back": "back_1",
        "red_back": "back_2",
        "green_back": "back_3",
    }
    for svg_id, face_name in wanted.items():
        target = folder / "face.tmp.png"
        if svg_id in ids and _rsvg(
            source, target, "--export-id", svg_id, "-h", str(FACE_HEIGHT_PX)
        ):
            _save_face(folder, face_name, cv2.imread(str(target), cv2.IMREAD_UNCHANGED))
            target.unlink()


def _render_files(folder: Path, files: dict[str, Path]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for face_name, source in files.items():
        if source.suffix == ".png":
            face = cv2.imread(str(source), cv2.IMREAD_UNCHANGED)
        else:
            target = folder / "face.tmp.png"
            if not _rsvg(source, target, "-h", str(FACE_HEIGHT_PX)):
                continue
            face = cv2.imread(str(target), cv2.IMREAD_UNCHANGED)
            target.unlink()
        _save_face(folder, face_name, face)


def _npm_files(work: Path) -> dict[str, dict[str, Path]]:
    modules = work / "npm" / "node_modules"
    letele = work / "npm" / "letele"
    letele.mkdir(exist_ok=True)
    script = work / "npm" / "letele.cjs"
    script.write_text(_LETELE_JS)
    subprocess.run(
        ["node", str(script), str(modules / "@letele/playing-cards"), str(letele)], check=True
    )
    decks: dict[str, dict[str, Path]] = {
        "npm-letele": {},
        "npm-svg-cards": {},
        "npm-cardsjs": {},
        "npm-standard": {},
    }
    for word, suit in SUITS.items():
        for rank in RANKS:
            number = {"A": "1", "T": "10", "J": "11", "Q": "12", "K": "13"}.get(rank, rank)
            name = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}.get(rank, rank)
            letter = {"T": "10"}.get(rank, rank.lower())
            card = rank + suit
            decks["npm-letele"][card] = letele / f"{suit.upper()}{letter}.svg"
            decks["npm-svg-cards"][card] = modules / "svg-cards/png/2x" / f"{word}_{name}.png"
            js_rank = "10" if rank == "T" else rank
            decks["npm-cardsjs"][card] = modules / "cardsJS/cards" / f"{js_rank}{suit.upper()}.svg"
            decks["npm-standard"][card] = (
                modules / "@younestouati/playing-cards-standard-deck/cards" / f"{number}{suit}.svg"
            )
    decks["npm-letele"] |= {
        "low_joker": letele / "J1.svg",
        "high_joker": letele / "J2.svg",
        "back_0": letele / "B1.svg",
        "back_1": letele / "B2.svg",
    }
    png = modules / "svg-cards/png/2x"
    decks["npm-svg-cards"] |= {
        "low_joker": png / "joker_black.png",
        "high_joker": png / "joker_red.png",
    }
    decks["npm-svg-cards"] |= {
        f"back_{n}": png / f"back-{c}.png"
        for n, c in enumerate(("red", "navy", "green", "black", "maroon", "teal"))
    }
    decks["npm-cardsjs"] |= {
        "back_0": modules / "cardsJS/cards/Red_Back.svg",
        "back_1": modules / "cardsJS/cards/Blue_Back.svg",
    }
    decks["npm-standard"] |= {
        "back_0": modules / "@younestouati/playing-cards-standard-deck/cards/back.svg"
    }
    return decks


def paper_of(face: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The paper's colour (BGR): the commonest bright colour of the face's left margin."""
    height, width = face.shape[:2]
    strip = face[
        int(0.04 * height) : int(0.96 * height), int(0.02 * width) : int(0.22 * width), :3
    ].reshape(-1, 3)
    bright = strip[strip.min(axis=1) > 150]
    return np.median(bright if len(bright) > 50 else strip, axis=0).astype(np.float32)


def _corner_pieces(face: NDArray[np.uint8]) -> list[tuple[int, int, int, int, int]]:
    """Connected pieces of ink in the upper left corner: x, y, width, height, area in pixels."""
    height, width = face.shape[:2]
    zone = face[: int(0.36 * height), : int(0.27 * width), :3].astype(np.float32)
    ink = (np.abs(zone - paper_of(face)).max(axis=2) > 70).astype(np.uint8)
    count, _, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    pieces = []
    for x, y, w, h, area in stats[1:count]:
        touches = x <= 1 or y <= 1 or x + w >= zone.shape[1] - 1 or y + h >= zone.shape[0] - 1
        if not touches and h > 0.018 * height and area > 40:
            pieces.append((int(x), int(y), int(w), int(h), int(area)))
    return pieces


def _own_index(face: NDArray[np.uint8]) -> IndexBox | None:
    """The rank and, under it, the suit; None where the corner is not that plain."""
    height, width = face.shape[:2]
    pieces = _corner_pieces(face)
    if not pieces:
        return None
    top = min(p[1] for p in pieces)
    rank = [p for p in pieces if abs(p[1] - top) < 0.02 * height and p[0] < 0.2 * width]
    if not rank:
        return None
    left, right = min(p[0] for p in rank), max(p[0] + p[2] for p in rank)
    bottom = max(p[1] + p[3] for p in rank)
    below = [
        p
        for p in pieces
        if p[1] >= bottom - 0.01 * height
        and p[1] - bottom < 0.06 * height
        and min(right, p[0] + p[2]) - max(left, p[0]) > 0.4 * min(right - left, p[2])
    ]
    if not below:
        return None
    suit = min(below, key=lambda p: p[1])
    return IndexBox(
        left=min(left, suit[0]) / width,
        top=top / height,
        right=max(right, suit[0] + suit[2]) / width,
        bottom=(suit[1] + suit[3]) / height,
    )


def locate_indices(folder: Path, foreign: str = "") -> int:
    """Write ``deck.json`` for the faces of ``folder``; return how many faces it holds."""
    faces = {p.stem: cv2.imread(str(p), cv2.IMREAD_UNCHANGED) for p in sorted(folder.glob("*.png"))}
    cards = {n: f for n, f in faces.items() if len(n) == 2}
    own = {n: _own_index(f) for n, f in cards.items()}
    found = [b for b in own.values() if b]
    if len(found) < 12:
        return 0
    top, bottom = (float(np.median([getattr(b, k) for b in found])) for k in ("top", "bottom"))
    middle = float(np.median([(b.left + b.right) / 2 for b in found]))
    table: dict[str, dict[str, object]] = {}
    for name, box in own.items():
        fits = (
            box
            and abs(box.top - top) < 0.02
            and abs(box.bottom - bottom) < 0.025
            and abs((box.left + box.right) / 2 - middle) < 0.04
        )
        if not fits:
            peers = [
                b
                for n, b in own.items()
                if b
                and n[0] == name[0]
                and abs(b.bottom - bottom) < 0.025
                and abs(b.top - top) < 0.02
            ]
            wide = [b for n, b in own.items() if b and abs(b.bottom - bottom) < 0.025]
            source = peers or wide
            box = IndexBox(
                left=float(np.median([b.left for b in source])),
                top=top,
                right=float(np.median([b.right for b in source])),
                bottom=bottom,
            )
        table[name] = {
            "box": [box.left, box.top, box.right, box.bottom],
            "foreign": name[0] in foreign,
            "own": bool(fits),
        }
    half = float(np.median([b.right - b.left for b in found])) / 2
    for name in ("low_joker", "high_joker"):
        if name in faces:
            pieces = _corner_pieces(faces[name])
            inked = any(
                p[0] < 0.2 * faces[name].shape[1] and p[1] < 0.2 * faces[name].shape[0]
                for p in pieces
            )
            if inked:
                table[name] = {
                    "box": [middle - half, top, middle + half, bottom],
                    "foreign": False,
                    "own": False,
                }
    backs = [n for n in faces if n.startswith("back_")]
    (folder / "deck.json").write_text(json.dumps({"faces": table, "backs": backs}, indent=1))
    return len(table)


def make_art(
    work: Path, *, faces: Path | None = None, own_faces: Path | None = None
) -> dict[str, int]:
    """Render every deck into ``work/art``; return the number of faces of each.

    ``faces``: the photographed deck of ``train/faces``. ``own_faces``: the project's own
    drawn cards (SVG files named ``CARD.svg``), where they exist already.
    """
    for name in GNOME_DECKS:
        if not (work / "art" / f"gnome-{name}" / "deck.json").exists():
            _render_gnome(work, name)
    for path in KDE_DECKS:
        if not (work / "art" / f"kde-{path.split('/')[1]}" / "deck.json").exists():
            _render_kde(work, path)
    for name, files in _npm_files(work).items():
        if not (work / "art" / name / "deck.json").exists():
            _render_files(work / "art" / name, files)
    if faces and not (work / "art" / "photo-faces" / "deck.json").exists():
        folder = work / "art" / "photo-faces"
        folder.mkdir(parents=True, exist_ok=True)
        for path in faces.glob("*.jpg"):
            _save_face(folder, path.stem, cv2.imread(str(path)))
    if own_faces:
        render_own(work, own_faces)
    foreign = {f"gnome-{n}": f for n, f in GNOME_DECKS.items()}
    return {
        f.name: locate_indices(f, foreign.get(f.name, ""))
        for f in sorted((work / "art").iterdir())
        if f.is_dir()
    }


def render_own(work: Path, own_faces: Path) -> None:
    """Render the project's own drawn faces (``Kh.svg`` ..., ``joker_high.svg``, ``back.svg``)."""
    jokers = {"joker_high": "high_joker", "joker_low": "low_joker", "back": "back_0"}
    files = {jokers.get(p.stem, p.stem): p for p in own_faces.glob("*.svg")}
    shutil.rmtree(work / "art" / "own-drawn", ignore_errors=True)
    _render_files(work / "art" / "own-drawn", files)


def svg_size(path: Path) -> tuple[float, float]:
    """Width and height of an SVG's view box."""
    box = ElementTree.parse(path).getroot().get("viewBox", "0 0 1 1").split()
    return float(box[2]), float(box[3])
