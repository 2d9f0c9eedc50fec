"""The two nets: a finder of index corners and backs, and a reader of upright crops."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from vision.training.faces import RANK_CLASSES, SUIT_CLASSES

#: The finder's output channels, at a quarter of the input's size.
#: heat of indices, heat of backs (logits); up x, up y of the index; ln(height / 24 px);
#: offset x, y to the centre in cells; card's middle x, y in index heights; a back's axis
#: as cos and sin of twice its angle; ln(card height / 96 px).
FINDER_CHANNELS = 12
CELL_PX = 4
CROP_PX = (56, 44)


def _conv(inputs: int, outputs: int, *, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    )


class Finder(nn.Module):
    """Dense 3 x 3 convolutions, output at stride 4. Input: N x 3 x H x W, BGR / 255."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 16, stride=2), _conv(16, 32, stride=2), _conv(32, 32))
        self.down8 = nn.Sequential(_conv(32, 48, stride=2), _conv(48, 48), _conv(48, 48))
        self.down16 = nn.Sequential(_conv(48, 64, stride=2), _conv(64, 64), _conv(64, 64))
        self.to8 = _conv(64, 48, kernel=1)
        self.mix8 = _conv(48, 48)
        self.to4 = _conv(48, 32, kernel=1)
        self.mix4 = _conv(32, 32)
        self.head = _conv(32, 32)
        self.out = nn.Conv2d(32, FINDER_CHANNELS, 1)
        nn.init.constant_(self.out.bias[:2], -4.0)

    def forward(self, picture: Tensor) -> Tensor:
        four = self.stem(picture)
        eight = self.down8(four)
        sixteen = self.down16(eight)
        up = nn.functional.interpolate(self.to8(sixteen), scale_factor=2.0, mode="nearest")
        eight = self.mix8(eight + up)
        up = nn.functional.interpolate(self.to4(eight), scale_factor=2.0, mode="nearest")
        return self.out(self.head(self.mix4(four + up)))


class CropsNet(nn.Module):
    """Upright crops (N x 3 x 56 x 44, BGR / 255) to rank and suit logits (N x 16, N x 5)."""

    def __init__(
        self, body: nn.Sequential, *, out: int, squeezed: int, hidden: int, drop: float
    ) -> None:
        super().__init__()
        self.body = body
        self.squeeze = _conv(out, squeezed, kernel=1)
        self.drop = nn.Dropout(drop)
        self.shared = nn.Linear(squeezed * 7 * 6, hidden)
        self.rank = nn.Linear(hidden, len(RANK_CLASSES))
        self.suit = nn.Linear(hidden, len(SUIT_CLASSES))

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        flat = self.squeeze(self.body(crops)).flatten(1)
        hidden = torch.relu(self.shared(self.drop(flat)))
        return self.rank(hidden), self.suit(hidden)


class Classifier(CropsNet):
    """The classifier, and the second one."""

    def __init__(self) -> None:
        body = nn.Sequential(
            _conv(3, 32, stride=2),
            _conv(32, 48),
            _conv(48, 56),
            _conv(56, 80, stride=2),
            _conv(80, 80),
            _conv(80, 128, stride=2),
        )
        super().__init__(body, out=128, squeezed=48, hidden=128, drop=0.2)


class Quick(CropsNet):
    """A seventh of the classifier's work, for what is beyond doubt."""

    def __init__(self) -> None:
        body = nn.Sequential(
            _conv(3, 24, stride=2),
            _conv(24, 32, stride=2),
            _conv(32, 48),
            _conv(48, 64, stride=2),
            _conv(64, 64),
        )
        super().__init__(body, out=64, squeezed=32, hidden=96, drop=0.1)


#: The scout's output channels, at an eighth of its input's size: heat of indices, heat of
#: backs (logits); ln(index height / 12 px), ln(height of a face-down card / 48 px).
SCOUT_CHANNELS = 4
SCOUT_CELL_PX = 8


class Scout(nn.Module):
    """Says where a closer look is worth it. Input: N x 3 x H x W, BGR / 255, H, W multiples of 8.

    It sees half the finder's picture, so an index of 8 px there has 4 px here.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16, stride=2),
            _conv(16, 32, stride=2),
            _conv(32, 32, stride=2),
            _conv(32, 32),
            _conv(32, 32),
        )
        self.out = nn.Conv2d(32, SCOUT_CHANNELS, 1)
        nn.init.constant_(self.out.bias[:2], -4.0)

    def forward(self, picture: Tensor) -> Tensor:
        return self.out(self.body(picture))


#: What the body of a card may show: pips, a court, a joker, or none of these (covered, a back).
BODY_CLASSES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "court", "joker", "-")


class Body(nn.Module):
    """The witness: flattened cards (N x 3 x 76 x 56, BGR / 255) to body and suit logits."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            _conv(3, 16, stride=2),
            _conv(16, 32),
            _conv(32, 32, stride=2),
            _conv(32, 48),
            _conv(48, 64, stride=2),
        )
        self.squeeze = _conv(64, 24, kernel=1)
        self.drop = nn.Dropout(0.2)
        self.shared = nn.Linear(24 * 10 * 7, 96)
        self.what = nn.Linear(96, len(BODY_CLASSES))
        self.suit = nn.Linear(96, len(SUIT_CLASSES))

    def forward(self, views: Tensor) -> tuple[Tensor, Tensor]:
        flat = self.squeeze(self.body(views)).flatten(1)
        hidden = torch.relu(self.shared(self.drop(flat)))
        return self.what(hidden), self.suit(hidden)


def short_floats() -> bool:
    """Whether this processor calculates with 16-bit floats: without, they cost ten times the time.

    Where it cannot be known they are used.
    """
    try:
        return "bf16" in Path("/proc/cpuinfo").read_text()
    except OSError:
        return True


def size_of(net: nn.Module) -> int:
    """Number of trained parameters."""
    return sum(p.numel() for p in net.parameters())
