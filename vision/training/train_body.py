"""Train the witness on flattened views of whole cards, drawn and real."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.body import flattened
from vision.measure import match
from vision.ports import Detection, Quad
from vision.reader import Reader
from vision.training.bodies import NOTHING, body_class
from vision.training.faces import NO_SUIT, SUITS
from vision.training.nets import BODY_CLASSES, Body, short_floats, size_of
from vision.training.real import NothingRead, photographs_of
from vision.training.run import Run, averaged_weights
from vision.training.textures import Picture

Views = tuple[NDArray[np.uint8], NDArray[np.uint8]]


def real_views(reader: Reader, photos: Path, which: str = "fit") -> Views:
    """Flattened cards of the training photographs that ``reader`` names as labelled.

    ``which``: ``fit`` or ``held``. One that does not lie free shows nothing that counts.
    Raises :class:`~vision.training.real.NothingRead`.
    """
    views: list[Picture] = []
    classes: list[tuple[int, int]] = []
    for picture, entry in photographs_of(photos, which):
        detections = reader.read(picture)
        wrong = {id(d) for d in match(detections, entry["cards"])[2]}
        for d in detections:
            if d.kind != "card" or d.quad is None or id(d) in wrong:
                continue
            quad = np.array(d.quad)
            whole = (quad.max(axis=0) - quad.min(axis=0)).prod()
            x0, y0, x1, y1 = d.box
            card = str(d.card)
            free = (x1 - x0) * (y1 - y0) > 0.97 * whole and not _overlapped(d.quad, detections)
            views.append(flattened(picture, d.quad))
            classes.append(
                (body_class(card), NO_SUIT if card in "Bb" else SUITS.index(card[1]))
                if free
                else (NOTHING, NO_SUIT)
            )
    if not views:
        raise NothingRead(f"no card of the photographs under {photos} ({which}) was named rightly")
    return np.stack(views), np.array(classes, np.uint8)


def _overlapped(quad: Quad, detections: Sequence[Detection]) -> bool:
    mine = np.array(quad, np.float32)
    for d in detections:
        if d.quad is None or d.quad == quad:
            continue
        area, _ = cv2.intersectConvexConvex(mine, np.array(d.quad, np.float32))
        if area > 0.02 * cv2.contourArea(mine):
            return True
    return False


def _batch(
    drawn: Views, real: Views | None, size: int, share: float, rng: np.random.Generator
) -> tuple[Tensor, Tensor]:
    n_real = round(size * share) if real is not None else 0
    picks = rng.integers(0, len(drawn[0]), size - n_real)
    views, classes = drawn[0][picks], drawn[1][picks]
    if real is not None and n_real:
        picks = rng.integers(0, len(real[0]), n_real)
        views = np.concatenate([views, real[0][picks]])
        classes = np.concatenate([classes, real[1][picks]])
    x = views.astype(np.float32) / 255
    if rng.random() < 0.5:
        x = x[:, ::-1, ::-1]  # half a turn: a card looks alike from both ends
    x = x * rng.uniform(0.7, 1.25, (size, 1, 1, 3)).astype(np.float32)
    x += rng.normal(0, 0.02, x.shape).astype(np.float32) * float(rng.random() < 0.5)
    moved = int(rng.integers(-2, 3)), int(rng.integers(-2, 3))
    x = np.roll(x, moved, axis=(1, 2)).clip(0, 1).transpose(0, 3, 1, 2)
    return torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(classes.astype(np.int64))


def train_body(
    work: Path,
    *,
    drawn: Path,
    real: Views | None,
    steps: int,
    batch: int = 96,
    rate: float = 3e-3,
    real_share: float = 0.15,
    seed: int = 41,
    name: str = "body",
    start_from: str | None = None,
    threads: int = 2,
    minutes: float | None = None,
) -> Path:
    """Train ``steps`` steps, or ``minutes`` by the clock; return the checkpoint.

    It resumes ``name``'s checkpoint if that is of as many steps; ``start_from`` names another
    to begin with.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    with np.load(drawn) as f:
        views: Views = f["views"], f["classes"]
    net = Body().to(memory_format=torch.channels_last)
    run = Run(
        net,
        work,
        name,
        steps=steps,
        rate=rate,
        weight_decay=2e-3,
        minutes=minutes,
        start_from=start_from,
        clip=math.inf,
    )
    rng = np.random.default_rng(seed + run.done)
    print(f"body: {size_of(net)} parameters, {len(views[0])} drawn views", flush=True)
    while not run.over:
        x, classes = _batch(views, real, batch, real_share, rng)
        net.train()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=short_floats()):
            what, suit = net(x.contiguous(memory_format=torch.channels_last))
        loss = functional.cross_entropy(what.float(), classes[:, 0]) + functional.cross_entropy(
            suit.float(), classes[:, 1]
        )
        run.learn(loss)
        if run.done % 100 == 0 or run.over:
            right = (what.argmax(1) == classes[:, 0]).float().mean()
            print(
                f"body {run.done}/{steps} loss {float(loss.detach()):.3f} right {float(right):.3f} "
                f"{run.spent_s:.0f} s",
                flush=True,
            )
    return run.checkpoint


@torch.no_grad()
def judge_body(work: Path, views: Views, *, name: str = "body") -> dict[str, float]:
    """Shares of ``views`` whose body and suit are right; of those said at .99, wrong ones."""
    net = Body()
    net.load_state_dict(averaged_weights(work, name))
    net.eval()
    x = torch.from_numpy(views[0].transpose(0, 3, 1, 2).astype(np.float32) / 255)
    what, suit = net(x)
    said, suits = what.softmax(1), suit.softmax(1)
    body, suit_ = torch.from_numpy(views[1].astype(np.int64)).T
    sure = (said.max(1).values > 0.99) & (said.argmax(1) != BODY_CLASSES.index("-"))
    return {
        "views": float(len(x)),
        "body_right": float((said.argmax(1) == body).float().mean()),
        "suit_right": float((suits.argmax(1) == suit_).float().mean()),
        "sure": float(sure.float().mean()),
        "sure_and_wrong": float((said.argmax(1)[sure] != body[sure]).sum()),
    }
