"""Train the finder on rendered scenes, and on real pictures whose indices were mined."""

from __future__ import annotations

import math
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.training.nets import (
    CELL_PX,
    FINDER_CHANNELS,
    Finder,
    short_floats,
    size_of,
)
from vision.training.run import Run
from vision.training.scenes import K_INDEX, POSITIVE, Labels, Picture

SIDE_PX = 320


def targets(
    labels: Labels, side_px: int = SIDE_PX
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Target maps (12 x H x W) and weights (3 x H x W: index heat, back heat, regression kind).

    A regression weight above 0 marks cells that belong to an index, below 0 to a back.
    """
    cells = side_px // CELL_PX
    maps = np.zeros((FINDER_CHANNELS, cells, cells), np.float32)
    weights = np.ones((3, cells, cells), np.float32)
    weights[2] = 0
    ys, xs = np.mgrid[0:cells, 0:cells].astype(np.float32)
    for kind, cx, cy, ux, uy, high, _r, _s, state, mx, my, card, _share in labels:
        channel = 0 if kind == K_INDEX else 1
        x, y = cx / CELL_PX - 0.5, cy / CELL_PX - 0.5
        reach = (high if kind == K_INDEX else 0.35 * card) / CELL_PX
        dx, dy = xs - x, ys - y
        far = dx * dx + dy * dy
        if state != POSITIVE:
            weights[channel][far < (0.55 * reach) ** 2 + 1] = 0
            continue
        if not (-0.5 <= x < cells - 0.5 and -0.5 <= y < cells - 0.5):
            continue
        sigma = float(np.clip(0.11 * reach, 0.65, 2.6))
        bump = np.exp(-far / (2 * sigma**2))
        px, py = round(float(np.clip(x, 0, cells - 1))), round(float(np.clip(y, 0, cells - 1)))
        bump[py, px] = 1.0
        np.maximum(maps[channel], bump, out=maps[channel])
        near = bump > 0.45
        weights[2][near] = 1 if channel == 0 else -1
        maps[5][near], maps[6][near] = -dx[near], -dy[near]
        maps[11][near] = math.log(max(card, 1) / 96)
        if channel == 0:
            maps[2][near], maps[3][near], maps[4][near] = ux, uy, math.log(high / 24)
            maps[7][near], maps[8][near] = (mx - cx) / high, (my - cy) / high
        else:
            maps[9][near], maps[10][near] = ux * ux - uy * uy, 2 * ux * uy
    return maps, weights


def loss_of(out: Tensor, maps: Tensor, weights: Tensor) -> tuple[Tensor, dict[str, float]]:
    """Focal loss on both heat maps, L1 on the rest where an index or back is."""
    heat, goal, keep = out[:, :2], maps[:, :2], weights[:, :2]
    log_p, log_q = functional.logsigmoid(heat), functional.logsigmoid(-heat)
    p = heat.sigmoid()
    peak = (goal > 0.999).float()
    focal = -(peak * (1 - p) ** 2 * log_p + (1 - peak) * (1 - goal) ** 4 * p**2 * log_q) * keep
    # each map by its own count: backs are few and would drown among the indices
    sums, counts = focal.sum(dim=(0, 2, 3)), peak.sum(dim=(0, 2, 3)).clamp(min=1)
    heat_loss = sums[0] / counts[0] + 0.6 * sums[1] / counts[1].clamp(min=3)
    is_index = (weights[:, 2:3] > 0).float()
    is_back = (weights[:, 2:3] < 0).float()
    n_index, n_back = is_index.sum().clamp(min=1), is_back.sum().clamp(min=1)
    gap = functional.smooth_l1_loss(out, maps, reduction="none", beta=0.1)
    up = (gap[:, 2:4] * is_index).sum() / n_index
    size = (gap[:, 4:5] * is_index).sum() / n_index
    offset = (gap[:, 5:7] * is_index).sum() / n_index + (gap[:, 5:7] * is_back).sum() / n_back * 0.3
    middle = (gap[:, 7:9] * is_index).sum() / n_index
    axis = (gap[:, 9:11] * is_back).sum() / n_back
    card = (gap[:, 11:12] * is_index).sum() / n_index + (
        gap[:, 11:12] * is_back
    ).sum() / n_back * 0.5
    total = (
        heat_loss + 1.6 * up + 0.7 * size + 0.35 * offset + 0.12 * middle + 0.2 * axis + 0.3 * card
    )
    parts = {"heat": heat_loss, "up": up, "size": size, "offset": offset, "middle": middle}
    return total, {k: float(v.detach()) for k, v in parts.items()}


def turned(picture: Picture, labels: Labels, quarter_turns: int) -> tuple[Picture, Labels]:
    """Picture and labels turned by quarter turns (a mirror image would be another alphabet)."""
    side = picture.shape[0]
    labels = labels.copy()
    for _ in range(quarter_turns % 4):
        picture = np.rot90(picture)  # counter-clockwise: (x, y) -> (y, side - 1 - x)
        for a, b, edge in ((1, 2, side - 1), (9, 10, side - 1), (3, 4, 0)):
            x, y = labels[:, a].copy(), labels[:, b].copy()
            labels[:, a], labels[:, b] = y, edge - x
    return picture, labels


class Scenes:
    """Rendered shards, and real squares with mined labels, drawn at random without end."""

    def __init__(self, work: Path, *, real: Path | None, real_share: float, seed: int) -> None:
        self.work, self.real_share = work, real_share
        self.rng = np.random.default_rng(seed)
        self.real: tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]] | None = None
        if real and real.exists():
            with np.load(real) as f:
                self.real = f["pictures"], f["labels"], f["starts"]
        self.open: list[tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.int64]]] = []
        self.drawn = 0

    def _shards(self) -> list[Path]:
        return [
            p for p in sorted((self.work / "shards").glob("scenes_*.npz")) if ".part" not in p.name
        ]

    def _refill(self) -> None:
        paths = self._shards()
        path = paths[int(self.rng.integers(len(paths)))]
        with np.load(path) as f:
            shard = f["pictures"], f["labels"], f["starts"]
        self.open = [*self.open[-5:], shard]

    def one(self) -> tuple[Picture, Labels]:
        if self.real is not None and self.rng.random() < self.real_share:
            pictures, labels, starts = self.real
        else:
            if self.drawn % 250 == 0 or not self.open:
                self._refill()
            self.drawn += 1
            pictures, labels, starts = self.open[int(self.rng.integers(len(self.open)))]
        k = int(self.rng.integers(len(pictures)))
        return turned(pictures[k], labels[starts[k] : starts[k + 1]], int(self.rng.integers(4)))

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        pictures, maps, weights = [], [], []
        for _ in range(size):
            picture, labels = self.one()
            pictures.append(np.ascontiguousarray(picture))
            m, w = targets(labels)
            maps.append(m)
            weights.append(w)
        x = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 255
        gain = torch.from_numpy(self.rng.uniform(0.8, 1.2, (size, 3, 1, 1)).astype(np.float32))
        x = (x * gain).clamp(0, 1)
        return (
            x.contiguous(memory_format=torch.channels_last),
            torch.from_numpy(np.stack(maps)),
            torch.from_numpy(np.stack(weights)),
        )


def train_finder(
    work: Path,
    *,
    steps: int,
    batch: int = 12,
    rate: float = 2.5e-3,
    real: Path | None = None,
    real_share: float = 0.2,
    seed: int = 11,
    name: str = "finder",
    start_from: str | None = None,
    threads: int = 2,
    minutes: float | None = None,
) -> Path:
    """Train ``steps`` steps (resuming ``name``'s checkpoint) and return the checkpoint.

    ``minutes`` ends the run by the clock instead, the rate falling with the time spent.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    net = Finder().to(memory_format=torch.channels_last)
    run = Run(
        net,
        work,
        name,
        steps=steps,
        rate=rate,
        weight_decay=1e-3,
        minutes=minutes,
        start_from=start_from,
        keep_every=200,
    )
    print(f"finder: {size_of(net)} parameters, from step {run.done} of {steps}", flush=True)
    data = Scenes(work, real=real, real_share=real_share, seed=seed + run.done)
    began, told = time.monotonic(), run.done
    while not run.over:
        x, maps, weights = data.batch(batch)
        net.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=short_floats()):
            out = net(x)
        loss, parts = loss_of(out.float(), maps, weights)
        run.learn(loss)
        if run.done % 50 == 0:
            pace = (run.done - told) * batch / (time.monotonic() - began)
            began, told = time.monotonic(), run.done
            print(
                f"finder {run.done}/{steps} loss {float(loss.detach()):.3f} "
                + " ".join(f"{k} {v:.3f}" for k, v in parts.items())
                + f" {pace:.0f} pictures/s",
                flush=True,
            )
    return run.checkpoint
