"""Checkpoints made from the models that ship, to train on from where they stand.

An ONNX file holds convolutions with batch normalisation folded in. To train further the
normalisation is unfolded again, measured on crops: the net answers as before, whether it
normalises by the batch or by what it remembers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from models import machine_card
from vision.training.faces import NO_RANK
from vision.training.nets import Classifier
from vision.training.train_classifier import middle_of


def _weights(path: Path) -> Iterator[NDArray[np.float32]]:
    """Weights and biases in the order of the graph's nodes."""
    graph = onnx.load(str(path)).graph
    kept = {w.name: numpy_helper.to_array(w) for w in graph.initializer}
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            yield kept[node.input[1]]
            yield kept[node.input[2]]


def _unfolded(block: nn.Sequential, weight: Tensor, bias: Tensor, seen: Tensor) -> Tensor:
    """Fill one conv, normalisation and ReLU; return what they make of ``seen``."""
    conv, norm = block[0], block[1]
    assert isinstance(conv, nn.Conv2d)
    assert isinstance(norm, nn.BatchNorm2d)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    conv.weight.copy_(weight)
    out = conv(seen)
    mean, spread = out.mean((0, 2, 3)), out.var((0, 2, 3), unbiased=False)
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(spread)
    norm.weight.copy_(torch.sqrt(spread + norm.eps))
    norm.bias.copy_(bias + mean)
    return torch.relu(out + bias[:, None, None])


@torch.no_grad()
def shipped_classifier(path: Path, crops: Tensor, *, none_bias: float = 0.0) -> Classifier:
    """The classifier in ``path`` as a net to train on; ``crops`` (N x 3 x 56 x 44, 0 to 1) are
    what it is to see, a few hundred of them.

    ``none_bias``: what was added to the logit of "none".
    """
    net = Classifier().eval()
    weights = (torch.from_numpy(w.copy()) for w in _weights(path))
    seen = crops
    for block in (*net.body, net.squeeze):
        assert isinstance(block, nn.Sequential)
        seen = _unfolded(block, next(weights), next(weights), seen)
    for layer in (net.shared, net.rank, net.suit):
        layer.weight.copy_(next(weights))
        layer.bias.copy_(next(weights))
    net.rank.bias[NO_RANK] -= none_bias
    return net


def keep_shipped_classifier(path: Path, work: Path, *, real: Path, name: str) -> Path:
    """Write :func:`shipped_classifier` as checkpoint ``name``, for others to start from.

    ``real``: the mined crops of photographs; crops cut from scenes are taken where there are any.
    """
    with np.load(real) as kept:
        crops = [kept["crops"][::10]]
    for shard in sorted((work / "shards").glob("recut_*.npz"))[:1]:
        with np.load(shard) as kept:
            crops.append(kept["crops"][::6])
    seen = torch.from_numpy(np.concatenate(crops)).permute(0, 3, 1, 2).float() / 255
    target = work / f"{name}.pt"
    card = machine_card(path.parent)["classifier"]
    net = shipped_classifier(path, middle_of(seen), none_bias=float(card.get("none_bias", 0.0)))
    torch.save({"average": net.state_dict()}, target)
    return target
