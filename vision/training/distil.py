"""Teach nets by the mean answer of several: what they say together, in one net.

Nets taught at different times err on different crops, and their mean is better than any of them.
A pupil that learns this mean keeps much of that at a single net's cost; a small pupil learns
from it what is beyond doubt. Hinton, Vinyals and Dean: Distilling the Knowledge in a Neural Network
(2015), whose softened answers are the greater part of the goal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.training.nets import Classifier, Quick, size_of
from vision.training.run import Run, averaged_weights
from vision.training.train_classifier import Crops, relit

#: Crops that the teachers have answered come in lots of so many, and the last ones are kept to draw
#: from; so often is a crop shown on average, under another light each time.
LOT = 256
LOTS_KEPT = 60
TIMES_SHOWN = 3.0
#: The teachers' answers are softened by this, so that what they hold for second best counts.
SOFTENED = 2.0
#: What the true name weighs beside the teachers' answer.
TRUTH = 0.5


@dataclass(kw_only=True)
class Pupil:
    """A net of this kind, to be taught under a checkpoint's name.

    It begins anew, or as checkpoint ``start_from``; it learns from one of ``every`` batches,
    and its first ``frozen`` convolutions stay as they are.
    """

    name: str
    kind: type[Classifier | Quick]
    rate: float
    every: int = 1
    frozen: int = 0
    start_from: str | None = None


class Lessons:
    """Crops with the mean of the teachers' logits, drawn again and again while they are fresh."""

    def __init__(self, crops: Crops, teachers: Sequence[nn.Module], *, seed: int) -> None:
        self.crops, self.teachers = crops, teachers
        self.generator = torch.Generator().manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.kept: list[tuple[Tensor, ...]] = []
        self.due = 0.0

    @torch.no_grad()
    def _lot(self) -> tuple[Tensor, ...]:
        x, rank, suit = self.crops.batch(LOT, self.generator)
        x = x.contiguous(memory_format=torch.channels_last)
        said = [net(x) for net in self.teachers]
        ranks = torch.stack([r for r, _ in said]).mean(0)
        suits = torch.stack([s for _, s in said]).mean(0)
        return (x * 255).round().to(torch.uint8), rank, suit, ranks, suits

    def batch(self, size: int) -> tuple[Tensor, ...]:
        """``size`` crops (N x 3 x 56 x 44), rank and suit classes, the teachers' rank and suit
        logits."""
        self.due += size / (TIMES_SHOWN * LOT)
        while self.due >= 1 or not self.kept:
            self.kept = [*self.kept[1 - LOTS_KEPT :], self._lot()]
            self.due -= 1
        lots = self.rng.integers(len(self.kept), size=size)
        picks = self.rng.integers(LOT, size=size)
        parts: list[list[Tensor]] = [[] for _ in self.kept[0]]
        for lot, pick in zip(lots, picks, strict=True):
            for part, kept in zip(parts, self.kept[lot], strict=True):
                part.append(kept[pick])
        x, *others = (torch.stack(part) for part in parts)
        return relit(x.float() / 255, self.generator), *others


def lesson_loss(said: tuple[Tensor, Tensor], goal: Sequence[Tensor]) -> Tensor:
    """Cross entropy with the teachers' answer, plain and softened, and with the true classes.

    ``said``: a pupil's rank and suit logits; ``goal`` as :meth:`Lessons.batch` gives it.
    """
    parts = []
    for mine, true, taught in zip(said, goal[:2], goal[2:], strict=True):
        soft = functional.cross_entropy(mine / SOFTENED, (taught / SOFTENED).softmax(1))
        plain = functional.cross_entropy(mine, taught.softmax(1))
        parts += [soft * SOFTENED**2 / 2, plain, TRUTH * functional.cross_entropy(mine, true)]
    return torch.stack(parts).sum()


def teacher(work: Path, name: str) -> nn.Module:
    """The classifier of checkpoint ``name``, to be asked only."""
    net = Classifier().to(memory_format=torch.channels_last)
    net.load_state_dict(averaged_weights(work, name))
    return net.eval().requires_grad_(False)


def teach_pupils(
    work: Path,
    pupils: Sequence[Pupil],
    *,
    teachers: Sequence[str],
    steps: int,
    batch: int = 192,
    real: Path | None = None,
    real_share: float = 0.2,
    fresh_share: float = 0.6,
    seed: int = 81,
    threads: int = 2,
    minutes: float | None = None,
) -> list[Path]:
    """Teach ``pupils`` side by side from ``steps`` batches and return their checkpoints.

    ``teachers`` are checkpoints of classifiers in ``work``. Each pupil resumes its own checkpoint;
    ``minutes`` ends the run by the clock instead.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    runs, nets = [], []
    for pupil in pupils:
        net = pupil.kind().to(memory_format=torch.channels_last)
        for block in net.body[: pupil.frozen]:
            block.requires_grad_(False)
        run = Run(
            net,
            work,
            pupil.name,
            steps=-(-steps // pupil.every),
            rate=pupil.rate,
            weight_decay=5e-3,
            minutes=minutes,
            start_from=pupil.start_from,
        )
        print(f"{pupil.name}: {size_of(net)} parameters, from step {run.done}", flush=True)
        runs.append(run)
        nets.append(net)
    checkpoints = [run.checkpoint for run in runs]
    if all(run.over for run in runs):
        return checkpoints
    at = min(run.done * pupil.every for run, pupil in zip(runs, pupils, strict=True))
    crops = Crops(work, real=real, real_share=real_share, fresh_share=fresh_share, seed=seed + at)
    lessons = Lessons(crops, [teacher(work, name) for name in teachers], seed=seed + at)
    lost, learned = [0.0] * len(runs), [0] * len(runs)
    told, told_at = time.monotonic(), at
    while not all(run.over for run in runs):
        x, *goal = lessons.batch(batch)
        x = x.contiguous(memory_format=torch.channels_last)
        for k, (run, pupil) in enumerate(zip(runs, pupils, strict=True)):
            if run.over or at % pupil.every:
                continue
            nets[k].train()
            for block in nets[k].body[: pupil.frozen]:
                block.eval()
            loss = lesson_loss(nets[k](x), goal)
            run.learn(loss)
            learned[k] += 1
            lost[k] += max(0.02, 1 / learned[k]) * (float(loss.detach()) - lost[k])
        at += 1
        if at % 100 == 0:
            pace = (at - told_at) * batch / (time.monotonic() - told)
            told, told_at = time.monotonic(), at
            shown = ", ".join(f"{p.name} {v:.3f}" for p, v in zip(pupils, lost, strict=True))
            print(f"pupils {at}/{steps} loss {shown} {pace:.0f} crops/s", flush=True)
    crops.close()
    return checkpoints
