"""Crops cut where a trained finder looks: its errors of pose, and what it takes for an index."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.find import Look, look_at, merge_indices, spots_of
from vision.reader import Reader
from vision.training.faces import NO_RANK, NO_SUIT
from vision.training.real import NothingRead
from vision.training.scenes import (
    ANY_WAY_UP,
    COVERED,
    K_INDEX,
    POSITIVE,
    SCENE_PX,
    Labels,
    Picture,
    cut_crop,
)

#: A crop of an index of which less is seen is none; one of which more is seen keeps its name,
#: also under the bound from which the finder has to find it.
HALF_SEEN = 1 - COVERED
MOST_NONE_A_SCENE = 5


def recut_scene(
    reader: Reader, picture: Picture, labels: Labels, rng: np.random.Generator
) -> tuple[list[Picture], list[tuple[int, int]]]:
    """Crops and classes of one scene at the finder's own spots."""
    s = reader.settings
    look = Look(x0=0, y0=0, x1=picture.shape[1], y1=picture.shape[0], scale=1.0)
    maps, scale_x, scale_y = look_at(
        reader.finder, picture, look, multiple_px=s.multiple_px, cell_px=s.cell_px
    )
    found, _ = spots_of(
        maps, look, scale_x, scale_y, cell_px=s.cell_px, least_index=0.08, least_back=0.9
    )
    spots = merge_indices(found, index_px=s.index_px)
    indices = labels[labels[:, 0] == K_INDEX]
    crops: list[Picture] = []
    classes: list[tuple[int, int]] = []
    nones = 0
    for spot in spots:
        if spot.height_px < 7.5:
            continue
        rank, suit = NO_RANK, NO_SUIT
        if len(indices):
            gaps = np.hypot(indices[:, 1] - spot.x, indices[:, 2] - spot.y) / indices[:, 5]
            k = int(gaps.argmin())
            row = indices[k]
            if gaps[k] < 0.3:
                agrees = row[3] * spot.up_x + row[4] * spot.up_y
                ratio = spot.height_px / row[5]
                if row[8] == POSITIVE or row[12] > HALF_SEEN:
                    if agrees > 0.8 and 0.7 < ratio < 1.45:
                        rank, suit = int(row[6]), int(row[7])
                    elif (agrees > 0.3 or row[6] in ANY_WAY_UP) and ratio > 0.5:
                        continue
            elif gaps[k] < 0.6:
                continue
        if rank == NO_RANK and suit == NO_SUIT:
            nones += 1
            if nones > MOST_NONE_A_SCENE:
                continue
        crops.append(cut_crop(picture, spot.x, spot.y, spot.up_x, spot.up_y, spot.height_px))
        classes.append((rank, suit))
    return crops, classes


def recut(reader: Reader, work: Path, *, seed: int = 31) -> int:
    """Write ``recut_NNN.npz`` for every shard that has none; return the number of crops.

    Raises :class:`~vision.training.real.NothingRead`.
    """
    rng = np.random.default_rng(seed)
    total = 0
    for kind in ("held", "scenes"):
        for path in sorted((work / "shards").glob(f"{kind}_*.npz")):
            target = path.with_name(
                path.name.replace(kind, "recut" if kind == "scenes" else "heldcut")
            )
            if target.exists() or ".part" in path.name:
                continue
            with np.load(path) as f:
                pictures, labels, starts = f["pictures"], f["labels"], f["starts"]
            crops, classes = [], []
            for k, picture in enumerate(pictures):
                more, kinds = recut_scene(reader, picture, labels[starts[k] : starts[k + 1]], rng)
                crops += more
                classes += kinds
            if not crops:
                raise NothingRead(f"nothing that looks like an index was found in {path}")
            partial = target.with_suffix(".part.npz")
            np.savez(partial, crops=np.stack(crops), classes=np.array(classes, np.uint8))
            partial.rename(target)
            total += len(crops)
            none = sum(c[0] == NO_RANK for c in classes)
            print(
                f"{target.name}: {len(crops)} crops, {none} none of {SCENE_PX} px scenes",
                flush=True,
            )
    return total
