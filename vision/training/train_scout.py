"""Train the scout: on the finder's scenes, reduced, with every index or back as a mark."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.training.nets import (
    SCOUT_CELL_PX,
    SCOUT_CHANNELS,
    Scout,
    short_floats,
    size_of,
)
from vision.training.run import Run
from vision.training.scenes import K_INDEX, POSITIVE, Labels, Picture
from vision.training.train_finder import Scenes

SIDE_PX = 160
#: Sizes it is taught, in pixels of its own input: index heights, heights of face-down cards.
INDEX_PX = (3.4, 84.0)
BACK_PX = (12.0, 230.0)


def scout_targets(
    labels: Labels, side_px: int = SIDE_PX
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Marks (4 x H x W) and weights (4 x H x W) for labels in pixels of the reduced picture.

    An index, or a face-down card, marks the cells over its middle. Cells around it, and what is
    half hidden or of another size, are left out of the loss: a mark there does no harm.
    """
    cells = side_px // SCOUT_CELL_PX
    marks = np.zeros((SCOUT_CHANNELS, cells, cells), np.float32)
    weights = np.zeros_like(marks)
    weights[:2] = 1
    ys, xs = np.mgrid[0:cells, 0:cells].astype(np.float32)
    positives: list[tuple[int, NDArray[np.bool_], float]] = []
    for kind, cx, cy, _ux, _uy, high, _r, _s, state, _mx, _my, card, _share in labels:
        channel = 0 if kind == K_INDEX else 1
        size, unit = (high, 12.0) if channel == 0 else (card, 48.0)
        low, most = INDEX_PX if channel == 0 else BACK_PX
        x, y = cx / SCOUT_CELL_PX - 0.5, cy / SCOUT_CELL_PX - 0.5
        far = np.hypot(xs - x, ys - y)
        core = (0.2 * high if channel == 0 else 0.14 * card) / SCOUT_CELL_PX
        weights[channel][far < core + 1.7] = 0
        if state != POSITIVE or not low <= size <= most:
            weights[channel][far < 0.5 * size / SCOUT_CELL_PX + 1.7] = 0
            continue
        positives.append((channel, far < max(core, 0.72), math.log(size / unit)))
    for channel, near, size in positives:
        marks[channel][near] = 1
        weights[channel][near] = 1
        marks[2 + channel][near] = size
        weights[2 + channel][near] = 1
    return marks, weights


def reduced(
    picture: Picture, labels: Labels, rng: np.random.Generator, side_px: int = SIDE_PX
) -> tuple[Picture, Labels]:
    """A square of the scene at half its size or more, reduced in one of the ways a frame may be."""
    labels = labels.copy()
    scale = 0.5 if rng.random() < 0.55 else float(np.exp(rng.uniform(np.log(0.5), 0.0)))
    side = round(picture.shape[0] * scale)
    scale = side / picture.shape[0]
    ways = (cv2.INTER_AREA, cv2.INTER_LINEAR, cv2.INTER_NEAREST)
    way = ways[int(rng.choice(3, p=(0.5, 0.3, 0.2)))]
    small = cv2.resize(picture, (side, side), interpolation=way)
    x0, y0 = (int(v) for v in rng.integers(0, side - side_px + 1, 2))
    for column in (1, 2, 5, 9, 10, 11):
        labels[:, column] *= scale
    labels[:, 1] -= x0
    labels[:, 2] -= y0
    return small[y0 : y0 + side_px, x0 : x0 + side_px], labels


def loss_of(out: Tensor, marks: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy on both heats, a missed mark four times as dear; L1 on the sizes."""
    goal, keep = marks[:, :2], weights[:, :2]
    heat = functional.binary_cross_entropy_with_logits(
        out[:, :2], goal, weight=keep * (1 + 3 * goal), reduction="sum"
    )
    gap = functional.smooth_l1_loss(out[:, 2:], marks[:, 2:], reduction="none", beta=0.1)
    n = weights[:, 2:].sum().clamp(min=1)
    return heat / n + (gap * weights[:, 2:]).sum() / n


class Views(Scenes):
    """The finder's scenes and real squares, reduced."""

    def batch(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        pictures, marks, weights = [], [], []
        for _ in range(size):
            picture, labels = reduced(*self.one(), self.rng)
            pictures.append(np.ascontiguousarray(picture))
            m, w = scout_targets(labels)
            marks.append(m)
            weights.append(w)
        x = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 255
        gain = torch.from_numpy(self.rng.uniform(0.75, 1.2, (size, 3, 1, 1)).astype(np.float32))
        x = (x * gain).clamp(0, 1)
        return (
            x.contiguous(memory_format=torch.channels_last),
            torch.from_numpy(np.stack(marks)),
            torch.from_numpy(np.stack(weights)),
        )


def train_scout(
    work: Path,
    *,
    steps: int,
    batch: int = 32,
    rate: float = 4e-3,
    real: Path | None = None,
    real_share: float = 0.25,
    seed: int = 31,
    name: str = "scout",
    threads: int = 2,
    minutes: float | None = None,
) -> Path:
    """Train ``steps`` steps, or ``minutes`` by the clock, and return the checkpoint.

    It resumes ``name``'s checkpoint if that is of as many steps.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    cv2.setNumThreads(1)
    net = Scout().to(memory_format=torch.channels_last)
    run = Run(net, work, name, steps=steps, rate=rate, weight_decay=1e-3, minutes=minutes)
    print(f"scout: {size_of(net)} parameters, from step {run.done} of {steps}", flush=True)
    data = Views(work, real=real, real_share=real_share, seed=seed + run.done)
    while not run.over:
        x, marks, weights = data.batch(batch)
        net.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=short_floats()):
            out = net(x)
        loss = loss_of(out.float(), marks, weights)
        run.learn(loss)
        if run.done % 100 == 0 or run.over:
            print(
                f"scout {run.done}/{steps} loss {float(loss.detach()):.3f} {run.spent_s:.0f} s",
                flush=True,
            )
    return run.checkpoint
