"""Checkpoints made from the models that ship, to train on from where they stand.

An ONNX file holds convolutions with batch normalisation folded in. To train further the
normalisation is unfolded again, measured on pictures: the net answers as before, whether it
normalises by the batch or by what it remembers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper
from onnxruntime import InferenceSession
from torch import Tensor, nn

from models import locate, machine_card
from vision.errors import VisionError
from vision.training.faces import NO_RANK
from vision.training.nets import Classifier, Finder
from vision.training.train_classifier import middle_of

Net = TypeVar("Net", bound=nn.Module)
#: So many pictures tell the finder's normalisation what it meets, and one crop in so many the
#: classifier's.
FINDER_SEES = 64
MINED_STEP, SCENES_STEP = 10, 6
#: The net's answers to so many pictures have to be the file's, up to this.
CHECKED, SAME = 4, 1e-2


class OtherNet(VisionError):
    """A model file holds another net than the one that is trained here."""


class NothingToSee(VisionError):
    """There is nothing yet that a net could be shown."""


def _weights(path: Path) -> Iterator[NDArray[np.float32]]:
    """Weights and biases in the order of the graph's nodes, which is that of the net's layers."""
    graph = onnx.load(str(path)).graph
    kept = {w.name: numpy_helper.to_array(w) for w in graph.initializer}
    for node in graph.node:
        if node.op_type == "Cast" and node.input[0] in kept:  # kept as 16-bit floats
            kept[node.output[0]] = kept[node.input[0]].astype(np.float32)
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            yield kept[node.input[1]]
            yield kept[node.input[2]]


def _is_block(module: nn.Module) -> bool:
    """Whether it is one convolution with its normalisation and ReLU."""
    return isinstance(module, nn.Sequential) and isinstance(module[0], nn.Conv2d)


def _unfold(block: nn.Sequential, weight: Tensor, bias: Tensor, seen: Tensor) -> None:
    """Fill one convolution, normalisation and ReLU that are to answer ``seen``."""
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


@torch.no_grad()
def shipped_net(net: Net, path: Path, seen: Tensor) -> Net:
    """``net`` filled with what the ONNX file ``path`` holds, to train on.

    ``seen`` are pictures as it will meet them, a few hundred crops or some dozen scenes. Each
    layer is filled at the moment the first picture comes to it. Raises :class:`OtherNet`.
    """
    net.eval()
    weights = (torch.from_numpy(w.copy()) for w in _weights(path))

    def fill(layer: nn.Module, given: tuple[Any, ...]) -> None:
        weight, bias = next(weights), next(weights)
        if isinstance(layer, nn.Sequential):
            _unfold(layer, weight, bias, given[0])
        else:
            assert isinstance(layer, nn.Linear | nn.Conv2d)
            assert layer.bias is not None
            layer.weight.copy_(weight)
            layer.bias.copy_(bias)

    blocks = [m for m in net.modules() if _is_block(m)]
    inside = {id(m) for block in blocks for m in block.modules()}
    alone = [
        m for m in net.modules() if isinstance(m, nn.Linear | nn.Conv2d) and id(m) not in inside
    ]
    hooks = [m.register_forward_pre_hook(fill) for m in (*blocks, *alone)]
    try:
        net(seen)
    except (KeyError, RuntimeError, StopIteration) as fault:
        raise OtherNet(f"{path} does not hold the layers of the net to be taught") from fault
    for hook in hooks:
        hook.remove()
    few = seen[:CHECKED]
    session = InferenceSession(str(path), providers=["CPUExecutionProvider"])
    said = session.run(None, {session.get_inputs()[0].name: few.numpy()})
    answer = net(few)
    for ours, theirs in zip(answer if isinstance(answer, tuple) else (answer,), said, strict=True):
        if not np.allclose(ours.numpy(), theirs, atol=SAME):
            raise OtherNet(f"{path} does not answer as the net made of it: its layers are others")
    return net


def _as_seen(pictures: list[NDArray[np.uint8]]) -> Tensor:
    return torch.from_numpy(np.concatenate(pictures)).permute(0, 3, 1, 2).float() / 255


def keep_shipped_classifier(models: Path, work: Path, *, name: str) -> Path:
    """Write the classifier in the folder ``models`` as checkpoint ``name``, to start from.

    It meets the mined crops of photographs and those cut from scenes, where there are any.
    What was added to its logit of "none" when it was exported is taken off again.
    """
    crops: list[NDArray[np.uint8]] = []
    shards = work / "shards"
    for paths, step in (
        ([work / "real.npz"], MINED_STEP),
        (sorted(shards.glob("recut_*.npz"))[:1], SCENES_STEP),
        (sorted(shards.glob("scenes_*.npz"))[:1], SCENES_STEP),
    ):
        for path in paths:
            if path.exists():
                with np.load(path) as kept:
                    crops.append(kept["crops"][::step])
    if not crops:
        raise NothingToSee(f"{work} holds no crops to measure by: run scenes first")
    path = locate("classifier", models_dir=models)
    net = shipped_net(Classifier(), path, middle_of(_as_seen(crops)))
    with torch.no_grad():
        card = machine_card(models)["classifier"]
        net.rank.bias[NO_RANK] -= float(card.get("none_bias", 0.0))
    return _kept(net, work, name)


def keep_shipped_finder(models: Path, work: Path, *, name: str) -> Path:
    """Write the finder in the folder ``models`` as checkpoint ``name``, to start from."""
    shards = sorted((work / "shards").glob("scenes_*.npz"))
    if not shards:
        raise NothingToSee(f"{work} holds no scenes to measure by: run scenes first")
    with np.load(shards[0]) as kept:
        pictures = kept["pictures"][:FINDER_SEES]
    path = locate("finder", models_dir=models)
    net = shipped_net(Finder(), path, _as_seen([pictures]))
    return _kept(net, work, name)


def _kept(net: nn.Module, work: Path, name: str) -> Path:
    target = work / f"{name}.pt"
    torch.save({"average": net.state_dict()}, target)
    return target
