"""Table tops: pictures from Debian packages, and cloth, wood and plain colours made here."""

from __future__ import annotations

import zipfile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

DEBIAN_TEXTURES = (
    "plasma-workspace-wallpapers",
    "gnome-backgrounds",
    "sweethome3d",
    "openarena-data",
    "gimp-data",
)
_FOLDERS = ("/usr/share/wallpapers", "/usr/share/backgrounds", "/usr/share/gimp/2.0/patterns")
_LONGEST_PX = 640


def _fitted(picture: Picture) -> Picture | None:
    if picture is None or min(picture.shape[:2]) < 48:
        return None
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    picture = picture[..., :3]
    scale = _LONGEST_PX / max(picture.shape[:2])
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    while min(picture.shape[:2]) < 320:
        picture = np.vstack([np.hstack([picture, picture]), np.hstack([picture, picture])])
    return np.ascontiguousarray(picture[:_LONGEST_PX, :_LONGEST_PX])


def load_textures(work: Path) -> list[Picture]:
    """Every usable picture of the installed packages, at most 640 px; kept in one file."""
    kept = work / "textures.npz"
    if kept.exists():
        with np.load(kept) as stored:
            return [stored[k] for k in stored.files]
    pictures: list[Picture] = []
    for folder in _FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            if (
                path.suffix.lower() in (".jpg", ".jpeg", ".png", ".webp")
                and "screenshot" not in path.name
                and path.stat().st_size > 20_000
            ):
                one = _fitted(cv2.imread(str(path)))
                if one is not None and len(pictures) < 90:
                    pictures.append(one)
    archives = [
        Path("/usr/share/sweethome3d/sweethome3d.jar"),
        *sorted(Path("/usr/share/games/openarena").rglob("*.pk3")),
    ]
    for archive in archives:
        if not archive.exists():
            continue
        with zipfile.ZipFile(archive) as opened:
            names = [
                n
                for n in sorted(opened.namelist())
                if n.lower().endswith((".jpg", ".png")) and opened.getinfo(n).file_size > 15_000
            ]
            for name in names[:: max(1, len(names) // 120)]:
                one = _fitted(
                    cv2.imdecode(np.frombuffer(opened.read(name), np.uint8), cv2.IMREAD_COLOR)
                )
                if one is not None:
                    pictures.append(one)
    np.savez(kept, *pictures)
    return pictures


def _soft_noise(size: int, cell: int, rng: np.random.Generator) -> NDArray[np.float32]:
    small = rng.normal(size=(size // cell + 2, size // cell + 2)).astype(np.float32)
    return cv2.resize(small, (size, size), interpolation=cv2.INTER_CUBIC)


def table_top(size: int, textures: list[Picture], rng: np.random.Generator) -> Picture:
    """A square table top of ``size`` pixels."""
    kind = rng.random()
    if kind < 0.5 and textures:
        picture = textures[int(rng.integers(len(textures)))]
        scale = rng.uniform(0.35, 2.0)
        want = max(16, round(size / scale))
        want = min(want, picture.shape[0], picture.shape[1])
        y = int(rng.integers(picture.shape[0] - want + 1))
        x = int(rng.integers(picture.shape[1] - want + 1))
        patch = picture[y : y + want, x : x + want]
        if rng.random() < 0.5:
            patch = np.rot90(patch, k=int(rng.integers(4)))
        return cv2.resize(
            np.ascontiguousarray(patch),
            (size, size),
            interpolation=cv2.INTER_AREA if want > size else cv2.INTER_LINEAR,
        )
    base = rng.integers(0, 256, 3).astype(np.float32)
    if rng.random() < 0.35:  # card-table cloth
        base = np.array([rng.uniform(10, 90), rng.uniform(60, 150), rng.uniform(0, 70)], np.float32)
    elif rng.random() < 0.3:  # pale tables: cards barely stand out
        base = np.full(3, rng.uniform(170, 250), np.float32) * rng.uniform(0.9, 1.05, 3).astype(
            np.float32
        )
    field = _soft_noise(size, int(rng.integers(20, 120)), rng) * rng.uniform(0, 18)
    field += _soft_noise(size, int(rng.integers(2, 6)), rng) * rng.uniform(0, 12)
    if kind > 0.8:  # grain
        stretched = cv2.resize(
            rng.normal(size=(size, size // 24 + 2)).astype(np.float32),
            (size, size),
            interpolation=cv2.INTER_CUBIC,
        )
        field += stretched * rng.uniform(4, 25)
        if rng.random() < 0.5:
            field = field.T
    if kind > 0.92:  # planks, stripes, checks
        step = int(rng.integers(10, 100))
        stripes = ((np.arange(size) // step) % 2).astype(np.float32) * rng.uniform(10, 90)
        field = field + stripes[None, :] + (stripes[:, None] if rng.random() < 0.5 else 0)
    return np.clip(base + field[..., None], 0, 255).astype(np.uint8)
