"""Train the reader of upright crops on rendered and on real crops."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from vision.training.faces import NO_RANK, NO_SUIT
from vision.training.indices import endless_crops
from vision.training.nets import CROP_PX, Classifier, short_floats, size_of
from vision.training.run import Run, averaged_weights
from vision.training.scenes import CROP_H, CROP_W

#: Fresh crops come in lots of so many, and the last ones are kept to draw from; so often is a
#: crop shown on average.
FRESH_LOT = 128
TIMES_SHOWN = 1.3
FRESH_KEPT = 40
#: This share of the stored crops is shown no finer than these parts of a crop's pixels: an index
#: of 8 to 23 px, as a camera further away gives it.
SHRUNK_SHARE, SHRUNK_TO = 0.3, (0.21, 0.6)


class Crops:
    """Crops drawn from shards, fresh ones, and real ones balanced by rank and suit."""

    def __init__(
        self,
        work: Path,
        *,
        real: Path | None,
        real_share: float,
        fresh_share: float,
        seed: int,
    ) -> None:
        self.work, self.real_share, self.fresh_share = work, real_share, fresh_share
        self.fresh = endless_crops(work, seed=seed + 1, size=FRESH_LOT) if fresh_share else None
        self.kept: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []
        self.due = 0.0
        self.rng = np.random.default_rng(seed)
        self.open: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]] = []
        self.drawn = 0
        self.real: tuple[NDArray[np.uint8], NDArray[np.uint8]] | None = None
        self.chance: NDArray[np.float64] | None = None
        if real and real.exists():
            with np.load(real) as f:
                self.real = f["crops"], f["classes"]
            pair = self.real[1][:, 0].astype(int) * 8 + self.real[1][:, 1]
            _, which, counts = np.unique(pair, return_inverse=True, return_counts=True)
            chance = 1.0 / np.maximum(counts, 15)[which]
            # what is none is as much as all cards together / 3
            none = self.real[1][:, 0] == NO_RANK
            if none.any():
                chance[none] *= chance[~none].sum() / 3 / chance[none].sum()
            self.chance = chance / chance.sum()

    def close(self) -> None:
        """End the process that makes fresh crops."""
        if self.fresh is not None:
            self.fresh.close()

    def batch(self, size: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """``size`` crops (N x 3 x 56 x 44, 0 to 1), jittered, with rank and suit classes."""
        n_fresh = round(size * self.fresh_share) if self.fresh is not None else 0
        x, rank, suit = self._stored(size - n_fresh)
        x = shrunk(jittered(x, generator), generator)
        if self.fresh is None:
            return x, rank, suit
        self.due += n_fresh / (TIMES_SHOWN * FRESH_LOT)
        while self.due >= 1 or not self.kept:
            self.kept = [*self.kept[1 - FRESH_KEPT :], next(self.fresh)]
            self.due -= 1
        lots = self.rng.integers(len(self.kept), size=n_fresh)
        picks = self.rng.integers(FRESH_LOT, size=n_fresh)
        crops = np.stack([self.kept[a][0][b] for a, b in zip(lots, picks, strict=True)])
        classes = np.stack([self.kept[a][1][b] for a, b in zip(lots, picks, strict=True)])
        made = torch.from_numpy(crops).permute(0, 3, 1, 2).float() / 255
        y = torch.from_numpy(classes).long()
        made = relit(made, generator)
        return torch.cat([x, made]), torch.cat([rank, y[:, 0]]), torch.cat([suit, y[:, 1]])

    def _stored(self, size: int) -> tuple[Tensor, Tensor, Tensor]:
        rng = self.rng
        if self.drawn % (3000) < size or not self.open:
            folder = self.work / "shards"
            # once crops were cut where the finder looks, two of three shards are those
            recut = [p for p in sorted(folder.glob("recut_*.npz")) if ".part" not in p.name]
            paths = recut
            if not recut or rng.random() < 0.33:
                paths = [p for p in sorted(folder.glob("scenes_*.npz")) if ".part" not in p.name]
            with np.load(paths[int(rng.integers(len(paths)))]) as f:
                self.open = [*self.open[-11:], (f["crops"], f["classes"])]
        self.drawn += size
        # the share is one of the whole batch, fresh crops included
        share = min(self.real_share / max(1 - self.fresh_share, 1e-6), 1.0)
        n_real = int(size * share) if self.real is not None else 0
        xs, ys = [], []
        if n_real and self.real is not None:
            pick = rng.choice(len(self.real[0]), n_real, p=self.chance)
            xs.append(self.real[0][pick])
            ys.append(self.real[1][pick])
        parts = rng.multinomial(size - n_real, np.full(len(self.open), 1 / len(self.open)))
        for (crops, classes), n in zip(self.open, parts, strict=True):
            pick = rng.integers(len(crops), size=n)
            xs.append(crops[pick])
            ys.append(classes[pick])
        x = torch.from_numpy(np.concatenate(xs)).permute(0, 3, 1, 2).float() / 255
        y = torch.from_numpy(np.concatenate(ys)).long()
        return x, y[:, 0], y[:, 1]


def relit(x: Tensor, generator: torch.Generator) -> Tensor:
    """Another light: gain, tint and lift."""
    n = x.shape[0]
    gain = torch.exp(torch.randn(n, 1, 1, 1, generator=generator) * 0.18)
    tint = torch.exp(torch.randn(n, 3, 1, 1, generator=generator) * 0.05)
    lift = torch.randn(n, 1, 1, 1, generator=generator) * 0.03
    return (x * gain * tint + lift).clamp(0, 1)


def jittered(x: Tensor, generator: torch.Generator) -> Tensor:
    """Small turns, sizes and shifts (the finder's errors), light, noise; N x 3 x 56 x 44."""
    n = x.shape[0]

    def normal(scale: float) -> Tensor:
        return torch.randn(n, generator=generator) * scale

    angle = normal(math.radians(5.0)).clamp(-0.3, 0.3)
    size_x, size_y = torch.exp(normal(0.07)), torch.exp(normal(0.07))
    cos, sin = torch.cos(angle), torch.sin(angle)
    # grid coordinates: -1..1 over the stored 72 x 60; the net's view is its middle
    sx, sy = CROP_PX[1] / CROP_W, CROP_PX[0] / CROP_H
    theta = torch.zeros(n, 2, 3)
    theta[:, 0, 0], theta[:, 0, 1] = cos * size_x * sx, -sin * sy * CROP_H / CROP_W
    theta[:, 1, 0], theta[:, 1, 1] = sin * sx * CROP_W / CROP_H, cos * size_y * sy
    theta[:, 0, 2] = normal(2.2 / CROP_W * 2).clamp(-0.2, 0.2)
    theta[:, 1, 2] = normal(2.0 / CROP_H * 2).clamp(-0.17, 0.17)
    grid = functional.affine_grid(theta, [n, 3, *CROP_PX], align_corners=False)
    x = functional.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=False)
    x = relit(x, generator)
    noisy = (
        (torch.rand(n, 1, 1, 1, generator=generator) < 0.3)
        * torch.rand(n, 1, 1, 1, generator=generator)
        * 0.05
    )
    return (x + torch.randn(x.shape, generator=generator) * noisy).clamp(0, 1)


def shrunk(x: Tensor, generator: torch.Generator) -> Tensor:
    """Some of the crops (N x 3 x H x W) as from a camera further away; in place."""
    some = torch.randperm(len(x), generator=generator)[: round(SHRUNK_SHARE * len(x))]
    low, high = SHRUNK_TO
    for rows in some.chunk(4):
        part = low + (high - low) * float(torch.rand(1, generator=generator))
        size = [max(1, round(part * side)) for side in x.shape[2:]]
        small = functional.interpolate(x[rows], size, mode="area")
        x[rows] = functional.interpolate(small, x.shape[2:], mode="bilinear", align_corners=False)
    return x


def middle_of(x: Tensor) -> Tensor:
    """The 56 x 44 middle of stored crops."""
    top, left = (CROP_H - CROP_PX[0]) // 2, (CROP_W - CROP_PX[1]) // 2
    return x[..., top : top + CROP_PX[0], left : left + CROP_PX[1]]


def train_classifier(
    work: Path,
    *,
    steps: int,
    batch: int = 256,
    rate: float = 3e-3,
    real: Path | None = None,
    real_share: float = 0.25,
    fresh_share: float = 0.5,
    seed: int = 21,
    name: str = "classifier",
    start_from: str | None = None,
    frozen: int = 0,
    threads: int = 2,
    minutes: float | None = None,
) -> Path:
    """Train ``steps`` steps (resuming ``name``'s checkpoint) and return the checkpoint.

    ``minutes`` ends the run by the clock instead, the rate falling with the time spent. The
    first ``frozen`` convolutions stay as they are: three of them are more than half of the work.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    net = Classifier().to(memory_format=torch.channels_last)
    for block in net.body[:frozen]:
        block.requires_grad_(False)
    run = Run(
        net,
        work,
        name,
        steps=steps,
        rate=rate,
        weight_decay=5e-3,
        minutes=minutes,
        start_from=start_from,
        keep_every=500,
    )
    print(f"classifier: {size_of(net)} parameters, from step {run.done} of {steps}", flush=True)
    data = Crops(
        work, real=real, real_share=real_share, fresh_share=fresh_share, seed=seed + run.done
    )
    generator = torch.Generator().manual_seed(seed + run.done)
    began, told = time.monotonic(), run.done
    right = seen = 0.0
    while not run.over:
        x, rank, suit = data.batch(batch, generator)
        x = x.contiguous(memory_format=torch.channels_last)
        net.train()
        for block in net.body[:frozen]:
            block.eval()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=short_floats()):
            ranks, suits = net(x)
        ranks, suits = ranks.float(), suits.float()
        loss = functional.cross_entropy(ranks, rank) + functional.cross_entropy(suits, suit)
        run.learn(loss)
        right += float(
            ((ranks.argmax(1) == rank) & ((suits.argmax(1) == suit) | (rank == NO_RANK))).sum()
        )
        seen += len(rank)
        if run.done % 100 == 0:
            pace = (run.done - told) * batch / (time.monotonic() - began)
            began, told = time.monotonic(), run.done
            print(
                f"classifier {run.done}/{steps} loss {float(loss.detach()):.3f} "
                f"right {right / seen:.4f} {pace:.0f} crops/s",
                flush=True,
            )
            right = seen = 0.0
    data.close()
    return run.checkpoint


def mixed(work: Path, *, shares: Mapping[str, float], name: str) -> Path:
    """Write ``name``'s checkpoint: the weighted mean of others' weights (``shares`` sum to 1).

    Sound only where one was trained on from the other: their weights still mean the same. It
    forgets less of the first than the last does. Raises ``ValueError`` for other shares.
    """
    if abs(sum(shares.values()) - 1) > 1e-6:
        raise ValueError(f"shares {dict(shares)} do not sum to 1: give parts of one")
    states = {part: averaged_weights(work, part) for part in shares}
    last = states[list(shares)[-1]]
    state = {
        key: sum(share * states[part][key] for part, share in shares.items())
        if value.dtype.is_floating_point
        else value
        for key, value in last.items()
    }
    path = work / f"{name}.pt"
    torch.save({"average": state}, path)
    return path


@torch.no_grad()
def judge_classifier(work: Path, *, name: str = "classifier") -> dict[str, float]:
    """Accuracy on the held-out decks', fonts' and table tops' crops."""
    net = Classifier()
    net.load_state_dict(averaged_weights(work, name))
    net.eval()
    figures = {
        "n": 0.0,
        "right": 0.0,
        "wrong_at_90": 0.0,
        "right_at_90": 0.0,
        "false_at_90": 0.0,
        "none": 0.0,
    }
    for path in sorted((work / "shards").glob("held*_*.npz")):
        with np.load(path) as f:
            x = middle_of(torch.from_numpy(f["crops"]).permute(0, 3, 1, 2).float() / 255)
            y = torch.from_numpy(f["classes"]).long()
        for k in range(0, len(x), 512):
            ranks, suits = net(x[k : k + 512])
            rank, suit = y[k : k + 512, 0], y[k : k + 512, 1]
            pr, ps = ranks.softmax(1), suits.softmax(1)
            is_card = (rank != NO_RANK) & ((suit != NO_SUIT) | (rank >= 13))
            joker = pr.argmax(1) >= 13
            p = pr.max(1).values * torch.where(joker, torch.ones(len(pr)), ps[:, :4].max(1).values)
            names = pr.argmax(1) != NO_RANK
            good = (pr.argmax(1) == rank) & (joker | (ps[:, :4].argmax(1) == suit))
            figures["n"] += float(is_card.sum())
            figures["none"] += float((~is_card).sum())
            figures["right"] += float((good & is_card).sum())
            figures["right_at_90"] += float((good & is_card & names & (p > 0.9)).sum())
            figures["wrong_at_90"] += float((~good & is_card & names & (p > 0.9)).sum())
            figures["false_at_90"] += float((~is_card & names & (p > 0.9)).sum())
    return figures
