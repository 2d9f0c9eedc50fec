"""Sample sheets of what the nets are shown, to look at before hours are spent on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.training.faces import NO_RANK, RANK_CLASSES, SUIT_CLASSES, load_shelf
from vision.training.indices import crops_of, make_bench
from vision.training.scenes import K_INDEX, POSITIVE, Labels, Picture, make_scene, make_stock
from vision.training.textures import load_textures


def _tiled(tiles: Sequence[Picture], columns: int) -> Picture:
    filled = [*tiles]
    while len(filled) % columns:
        filled.append(np.full_like(tiles[0], 255))
    rows = [np.hstack(filled[k : k + columns]) for k in range(0, len(filled), columns)]
    return np.ascontiguousarray(np.vstack(rows), np.uint8)


def drawn_labels(picture: Picture, labels: Labels) -> Picture:
    """A scene with its labels: indices by a line from foot to top, backs by a ring."""
    out = np.ascontiguousarray(picture.copy())
    for row in labels:
        kind, x, y, ux, uy, high, rank, suit, state = row[:9]
        colour = (0, 200, 0) if state == POSITIVE else (150, 150, 150)
        if kind != K_INDEX:
            cv2.circle(out, (int(x), int(y)), int(high / 4), colour, 2, cv2.LINE_AA)
            continue
        foot = (int(x - ux * high / 2), int(y - uy * high / 2))
        top = (int(x + ux * high / 2), int(y + uy * high / 2))
        cv2.arrowedLine(out, foot, top, colour, 1, cv2.LINE_AA, tipLength=0.3)
        name = f"{RANK_CLASSES[int(rank)]}{SUIT_CLASSES[int(suit)]}"
        cv2.putText(out, name, top, cv2.FONT_HERSHEY_SIMPLEX, 0.36, colour, 1, cv2.LINE_AA)
    return out


def named_crops(crops: NDArray[np.uint8], classes: NDArray[np.uint8], columns: int = 20) -> Picture:
    """Crops at twice their size, each with its classes below; none of ours in red."""
    tiles = []
    for crop, (rank, suit) in zip(crops, classes, strict=True):
        high, wide = crop.shape[0] * 2, crop.shape[1] * 2
        tile = np.full((high + 14, wide + 2, 3), 255, np.uint8)
        tile[:high, :wide] = cv2.resize(crop, (wide, high), interpolation=cv2.INTER_CUBIC)
        name = f"{RANK_CLASSES[rank]}{SUIT_CLASSES[suit]}"
        ink = (0, 0, 200) if rank == NO_RANK else (0, 0, 0)
        at = (2, high + 11)
        cv2.putText(tile, name, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, ink, 1, cv2.LINE_AA)
        tiles.append(tile)
    return _tiled(tiles, columns)


def write_sheets(work: Path, *, seed: int = 3) -> tuple[Path, Path]:
    """Write ``sheet_scenes.jpg`` (12 scenes with labels) and ``sheet_crops.png`` (200 crops)."""
    rng = np.random.default_rng(seed)
    textures = [t for k, t in enumerate(load_textures(work)) if k % 6 != 2]
    stock = make_stock(load_shelf(work), textures, rng)
    scenes = _tiled([drawn_labels(*make_scene(stock, rng)) for _ in range(12)], 4)
    crops, classes = crops_of(make_bench(work, rng, drawn=400), 200, rng)
    paths = work / "sheet_scenes.jpg", work / "sheet_crops.png"
    cv2.imwrite(str(paths[0]), scenes, [cv2.IMWRITE_JPEG_QUALITY, 90])
    cv2.imwrite(str(paths[1]), named_crops(crops, classes))
    return paths
