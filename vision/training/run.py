"""One net's training run: its rate, its averaged weights, and the checkpoint it resumes from."""

from __future__ import annotations

import math
import time
from pathlib import Path

import torch
from torch import Tensor, nn


def rate_share(share: float) -> float:
    """The learning rate as a part of its peak: a short climb, then half a cosine to a hundredth."""
    if share < 0.04:
        return max(share / 0.04, 0.05)
    return 0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * min((share - 0.04) / 0.96, 1.0)))


def averaged_weights(work: Path, name: str) -> dict[str, Tensor]:
    """The averaged weights of checkpoint ``name``: what is judged, exported and trained on."""
    kept: dict[str, Tensor] = torch.load(work / f"{name}.pt", weights_only=False)["average"]
    return kept


class Averaged:
    """A slowly moving average of a net's weights: steadier than the last step's."""

    def __init__(self, net: nn.Module, *, keep: float = 0.998) -> None:
        self.keep = keep
        self.state = {k: v.detach().clone() for k, v in net.state_dict().items()}
        self.steps = 0

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        self.steps += 1
        keep = min(self.keep, (1 + self.steps) / (10 + self.steps))
        for key, value in net.state_dict().items():
            if value.dtype.is_floating_point:
                self.state[key].lerp_(value, 1 - keep)
            else:
                self.state[key].copy_(value)


class Run:
    """So many steps of one net, or ``minutes`` of them by the clock.

    A checkpoint of ``name`` in ``work`` that is of as many steps is gone on with; without one the
    net begins as it is, or with the averaged weights of checkpoint ``start_from``. Parameters that
    ask for no gradient stay as they are.
    """

    def __init__(
        self,
        net: nn.Module,
        work: Path,
        name: str,
        *,
        steps: int,
        rate: float,
        weight_decay: float,
        minutes: float | None = None,
        start_from: str | None = None,
        keep_every: int = 300,
        clip: float = 5.0,
    ) -> None:
        self.net, self.checkpoint = net, work / f"{name}.pt"
        self.steps, self.rate, self.minutes = steps, rate, minutes
        self.keep_every, self.clip = keep_every, clip
        self.taught = [p for p in net.parameters() if p.requires_grad]
        self.optimiser = torch.optim.AdamW(self.taught, lr=rate, weight_decay=weight_decay)
        self.done, self._before_s = 0, 0.0
        if not self._resumed():
            if start_from is not None:
                net.load_state_dict(averaged_weights(work, start_from))
            self.average = Averaged(net)
        self._began: float | None = None
        self.over = self.share >= 1

    def _resumed(self) -> bool:
        if not self.checkpoint.exists():
            return False
        kept = torch.load(self.checkpoint, weights_only=False)
        if kept.get("steps") != self.steps:
            return False
        self.net.load_state_dict(kept["net"])
        self.optimiser.load_state_dict(kept["optimiser"])
        self.average = Averaged(self.net)
        self.average.state, self.average.steps = kept["average"], kept["average_steps"]
        self.done, self._before_s = kept["done"], kept["spent_s"]
        return True

    @property
    def spent_s(self) -> float:
        """Seconds since the first step, those before it was resumed included."""
        since = 0.0 if self._began is None else time.monotonic() - self._began
        return self._before_s + since

    @property
    def share(self) -> float:
        """The part of the run that is done, by steps or by the clock, whichever is further."""
        by_steps = self.done / self.steps
        return by_steps if self.minutes is None else max(by_steps, self.spent_s / 60 / self.minutes)

    def learn(self, loss: Tensor) -> None:
        """One step down the gradient of ``loss``; now and then, and at the end, it is kept."""
        if self._began is None:
            self._began = time.monotonic()
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * rate_share(self.share)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.taught, self.clip)
        self.optimiser.step()
        self.average.update(self.net)
        self.done += 1
        self.over = self.share >= 1
        if self.over or self.done % self.keep_every == 0:
            self._keep()

    def _keep(self) -> None:
        partial = self.checkpoint.with_suffix(".part")
        torch.save(
            {
                "net": self.net.state_dict(),
                "average": self.average.state,
                "average_steps": self.average.steps,
                "optimiser": self.optimiser.state_dict(),
                "spent_s": self.spent_s,
                "done": self.done,
                "steps": self.steps,
            },
            partial,
        )
        partial.rename(self.checkpoint)
