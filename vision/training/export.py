"""Write the nets as ONNX, batch normalisation folded in, and the machine card with their hashes."""

from __future__ import annotations

import hashlib
from copy import deepcopy
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from vision.body import VIEW_PX
from vision.training.faces import NO_RANK, RANK_CLASSES, SUIT_CLASSES
from vision.training.nets import (
    BODY_CLASSES,
    CROP_PX,
    FINDER_CHANNELS,
    SCOUT_CELL_PX,
    SCOUT_CHANNELS,
    Body,
    Classifier,
    CropsNet,
    Finder,
    Quick,
    Scout,
)
from vision.training.run import averaged_weights

OPSET = 17
#: From which probability a cell is marked: chosen on the held-out training photographs and the
#: held-out scenes, for hardly any loss.
SCOUT_LEAST = {"least_index": 0.1, "least_back": 0.2}
#: When the witness may withhold a name, and its temperature.
BODY_TUNED = {"temperature": 1.0, "sure": 0.9, "least_card_px": 44}
#: Added to the shipped classifier's logit of "none of ours": a table shows more that is no index
#: than what it was taught on. Chosen with ``alone`` on the half of the held-out decks to choose
#: by (docs/training.md, Thresholds).
NONE_BIAS = 0.5
#: The same for the second classifier, and from which probability the first is not doubted.
SECOND_BIAS, SURE = 1.0, 0.99
#: From which probability the quick net is not: of a crop that another seconds, of one alone.
QUICK_SURE = 0.995, 0.9995


class _Graph:
    """Collects nodes and weights of one ONNX graph."""

    def __init__(self, *, short: bool = False) -> None:
        #: Weights are kept in 16-bit floats, and made 32-bit ones when the file is loaded.
        self.short = short
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def constant(self, stem: str, value: NDArray[np.generic]) -> str:
        name = self.fresh(stem)
        if self.short:
            value = value.astype(np.float16)
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return self.node("Cast", [name], to=TensorProto.FLOAT) if self.short else name

    def node(
        self, kind: str, inputs: list[str], output: str | None = None, **attributes: object
    ) -> str:
        out = output or self.fresh(kind.lower())
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return out

    def conv(self, source: str, block: nn.Sequential) -> str:
        """Conv + BatchNorm + ReLU as one Conv and a ReLU."""
        conv, norm = block[0], block[1]
        assert isinstance(conv, nn.Conv2d)
        assert isinstance(norm, nn.BatchNorm2d)
        assert norm.running_var is not None
        assert norm.running_mean is not None
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        weight = (conv.weight * scale[:, None, None, None]).detach().numpy()
        bias = (norm.bias - norm.running_mean * scale).detach().numpy()
        return self.node("Relu", [self.plain(source, weight, bias, conv.stride[0])])

    def plain(
        self,
        source: str,
        weight: NDArray[np.float32],
        bias: NDArray[np.float32],
        stride: int = 1,
        output: str | None = None,
    ) -> str:
        side = weight.shape[-1]
        inputs = [
            source,
            self.constant("w", weight.astype(np.float32)),
            self.constant("b", bias.astype(np.float32)),
        ]
        return self.node(
            "Conv",
            inputs,
            output,
            kernel_shape=[side, side],
            strides=[stride, stride],
            pads=[side // 2] * 4,
        )

    def chain(self, source: str, blocks: nn.Sequential) -> str:
        for block in blocks:
            assert isinstance(block, nn.Sequential)
            source = self.conv(source, block)
        return source

    def twice(self, source: str) -> str:
        scales = self.constant("scales", np.array([1, 1, 2, 2], np.float32))
        return self.node(
            "Resize",
            [source, "", scales],
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )


def _save(
    graph: _Graph,
    name: str,
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    path: Path,
) -> None:
    made = helper.make_graph(graph.nodes, name, inputs, outputs, graph.weights)
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="upcard"
    )
    model.ir_version = 9
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _float(name: str, shape: list[int | str]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def export_finder(net: Finder, path: Path) -> None:
    """``picture`` (N x 3 x H x W, BGR / 255, multiples of 16) -> ``maps`` (N x 12 x H/4 x W/4)."""
    net.eval()
    g = _Graph()
    four = g.chain("picture", net.stem)
    eight = g.chain(four, net.down8)
    sixteen = g.chain(eight, net.down16)
    eight = g.conv(g.node("Add", [eight, g.twice(g.conv(sixteen, net.to8))]), net.mix8)
    mixed = g.conv(g.node("Add", [four, g.twice(g.conv(eight, net.to4))]), net.mix4)
    head = g.conv(mixed, net.head)
    assert net.out.bias is not None
    g.plain(head, net.out.weight.detach().numpy(), net.out.bias.detach().numpy(), output="maps")
    _save(
        g,
        "finder",
        [_float("picture", ["n", 3, "height", "width"])],
        [_float("maps", ["n", FINDER_CHANNELS, "rows", "columns"])],
        path,
    )


def export_classifier(net: CropsNet, path: Path, *, none_bias: float = 0.0) -> None:
    """``crops`` (N x 3 x 56 x 44, BGR / 255) -> ``rank`` (N x 16), ``suit`` (N x 5) logits.

    ``none_bias`` is added to the logit of "none of ours". ``short``: the file is half as large,
    its weights 16-bit floats; it calculates with 32 bits all the same.
    """
    net.eval()
    g = _Graph(short=True)
    flat = g.node("Flatten", [g.conv(g.chain("crops", net.body), net.squeeze)], axis=1)

    def linear(source: str, layer: nn.Linear, output: str | None = None) -> str:
        weight = g.constant("w", layer.weight.detach().numpy())
        bias = g.constant("b", layer.bias.detach().numpy())
        return g.node("Gemm", [source, weight, bias], output, transB=1)

    hidden = g.node("Relu", [linear(flat, net.shared)])
    linear(hidden, _biased(net.rank, NO_RANK, none_bias), "rank")
    linear(hidden, net.suit, "suit")
    _save(
        g,
        "classifier",
        [_float("crops", ["n", 3, *CROP_PX])],
        [_float("rank", ["n", len(RANK_CLASSES)]), _float("suit", ["n", len(SUIT_CLASSES)])],
        path,
    )


def _biased(layer: nn.Linear, row: int, more: float) -> nn.Linear:
    """A copy of ``layer`` with ``more`` added to one output."""
    copy = deepcopy(layer)
    with torch.no_grad():
        copy.bias[row] += more
    return copy


def export_scout(net: Scout, path: Path) -> None:
    """``picture`` (N x 3 x H x W, BGR / 255, multiples of 8) -> ``marks`` (N x 4 x H/8 x W/8)."""
    net.eval()
    g = _Graph()
    assert net.out.bias is not None
    weight, bias = net.out.weight.detach().numpy(), net.out.bias.detach().numpy()
    g.plain(g.chain("picture", net.body), weight, bias, output="marks")
    _save(
        g,
        "scout",
        [_float("picture", ["n", 3, "height", "width"])],
        [_float("marks", ["n", SCOUT_CHANNELS, "rows", "columns"])],
        path,
    )


def export_body(net: Body, path: Path) -> None:
    """``views`` (N x 3 x 76 x 56, BGR / 255) -> ``body`` (N x 13), ``suit`` (N x 5) logits."""
    net.eval()
    g = _Graph()
    flat = g.node("Flatten", [g.conv(g.chain("views", net.body), net.squeeze)], axis=1)

    def linear(source: str, layer: nn.Linear, output: str | None = None) -> str:
        weight = g.constant("w", layer.weight.detach().numpy())
        bias = g.constant("b", layer.bias.detach().numpy())
        return g.node("Gemm", [source, weight, bias], output, transB=1)

    hidden = g.node("Relu", [linear(flat, net.shared)])
    linear(hidden, net.what, "body")
    linear(hidden, net.suit, "suit")
    _save(
        g,
        "body",
        [_float("views", ["n", 3, *VIEW_PX])],
        [_float("body", ["n", len(BODY_CLASSES)]), _float("suit", ["n", len(SUIT_CLASSES)])],
        path,
    )


def write_body(work: Path, folder: Path, *, name: str = "body") -> Path:
    """Write ``body.onnx`` from a checkpoint's averaged weights; the machine card comes later."""
    net = Body()
    net.load_state_dict(averaged_weights(work, name))
    export_body(net, folder / "body.onnx")
    return folder / "body.onnx"


def _body_section(folder: Path) -> str:
    """The machine card's part on the witness, where there is one."""
    path = folder / "body.onnx"
    if not path.exists():
        return ""
    classes = ", ".join(f'"{c}"' for c in BODY_CLASSES)
    suits = ", ".join(f'"{s}"' for s in SUIT_CLASSES)
    tuned = "\n".join(f"{k} = {v}" for k, v in BODY_TUNED.items())
    return f'''
# The witness: what the body of a whole card shows; it may withhold a name (vision/body.py).
[body]
file = "body.onnx"
sha256 = "{_digest(path)}"
classes = [{classes}]
suits = [{suits}]
# Chosen on the held-out training photographs: hardly a right name withheld.
{tuned}
'''


def write_quick(work: Path, folder: Path, *, name: str, none_bias: float) -> Path:
    """Write ``quick.onnx``, the net that is asked first; the machine card comes later."""
    return _write_crops_net(Quick(), averaged_weights(work, name), folder / "quick.onnx", none_bias)


def write_second(work: Path, folder: Path, *, name: str, none_bias: float) -> Path:
    """Write ``second.onnx``, the classifier asked in doubt; the machine card comes later."""
    weights = averaged_weights(work, name)
    return _write_crops_net(Classifier(), weights, folder / "second.onnx", none_bias)


def _write_crops_net(
    net: CropsNet, weights: dict[str, torch.Tensor], path: Path, none_bias: float
) -> Path:
    net.load_state_dict(weights)
    export_classifier(net, path, none_bias=none_bias)
    return path


def _quick_section(folder: Path, *, named: bool) -> str:
    """The machine card's part on the quick net, where there is one."""
    if not named:
        return ""
    return f'''
# A net of a seventh of the classifier's work, asked before it (vision/opinion.py).
[quick]
file = "quick.onnx"
sha256 = "{_digest(folder / "quick.onnx")}"
# From this probability its word stands, and the classifier is not asked: where another crop says
# the same, and of one alone.
sure = {QUICK_SURE[0]}
alone = {QUICK_SURE[1]}
'''


def _second_section(folder: Path, none_bias: float | None) -> str:
    """The machine card's part on the second classifier, where there is one."""
    if none_bias is None:
        return ""
    return f'''
# A second classifier, taught before the first: asked in doubt (vision/opinion.py).
[second]
file = "second.onnx"
sha256 = "{_digest(folder / "second.onnx")}"
none_bias = {none_bias}
# From this probability the first's word stands without it.
sure = {SURE}
'''


def write_scout(work: Path, folder: Path, *, name: str = "scout") -> Path:
    """Write ``scout.onnx`` from a checkpoint's averaged weights; the machine card comes later."""
    net = Scout()
    net.load_state_dict(averaged_weights(work, name))
    export_scout(net, folder / "scout.onnx")
    return folder / "scout.onnx"


def _scout_section(folder: Path) -> str:
    """The machine card's part on the scout, where there is one: it has its own training run."""
    path = folder / "scout.onnx"
    if not path.exists():
        return ""
    return f'''
# Says where the finder is worth running, on live pictures (docs/developer/reading.md).
[scout]
file = "scout.onnx"
sha256 = "{_digest(path)}"
# 1 x 3 x H x W, blue-green-red / 255, H and W multiples of 8; answers at an eighth of that.
multiple_px = {SCOUT_CELL_PX}
cell_px = {SCOUT_CELL_PX}
# Its picture's scale over the finder's.
look_share = 0.5
least_index = {SCOUT_LEAST["least_index"]}
least_back = {SCOUT_LEAST["least_back"]}
'''


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_machine_card(
    folder: Path,
    *,
    version: str,
    calibration: dict[str, float],
    none_bias: float = 0.0,
    second_bias: float | None = None,
    quick: bool = False,
) -> Path:
    """Write ``reader.toml`` beside the ONNX files.

    Without a ``second_bias`` no second classifier is named, without ``quick`` no quick net.
    """
    ranks = ", ".join(f'"{r}"' for r in RANK_CLASSES)
    suits = ", ".join(f'"{s}"' for s in SUIT_CLASSES)
    tuned = "\n".join(f"{k} = {v}" for k, v in calibration.items())
    others = (
        _quick_section(folder, named=quick)
        + _second_section(folder, second_bias)
        + _scout_section(folder)
        + _body_section(folder)
    )
    path = folder / "reader.toml"
    path.write_text(f'''# The reader's machine card, written by: python -m vision.training export
version = "{version}"

[finder]
file = "finder.onnx"
sha256 = "{_digest(folder / "finder.onnx")}"
# 1 x 3 x H x W, blue-green-red / 255, H and W multiples of 16; answers at a quarter of that.
multiple_px = 16
cell_px = 4
# Index heights it was taught, in pixels of its input.
index_px = [8, 80]

[classifier]
file = "classifier.onnx"
sha256 = "{_digest(folder / "classifier.onnx")}"
crop_px = [{CROP_PX[0]}, {CROP_PX[1]}]
# The index stands upright in the middle of the crop, this high from rank to foot of suit.
index_px = 38
# "B" and "b" are the higher and the lower joker; "-" is none of these.
ranks = [{ranks}]
suits = [{suits}]
# Added to the logit of "none of these" after training; the file holds the sum.
none_bias = {none_bias}
{others}
# Chosen on the held-out part of the training photographs only (docs/training.md).
[calibration]
{tuned}
''')
    return path


def export(
    work: Path,
    folder: Path,
    *,
    finder: str,
    classifier: str,
    version: str,
    calibration: dict[str, float],
    none_bias: float = 0.0,
    quick: str | None = None,
    second: str | None = None,
    second_bias: float = SECOND_BIAS,
) -> Path:
    """Write the models and the machine card from the averaged weights of checkpoints.

    ``quick``: of a net to ask before the classifier. ``second``: of a classifier to ask in doubt.
    """
    find = Finder()
    find.load_state_dict(averaged_weights(work, finder))
    folder.mkdir(parents=True, exist_ok=True)
    export_finder(find, folder / "finder.onnx")
    weights = averaged_weights(work, classifier)
    _write_crops_net(Classifier(), weights, folder / "classifier.onnx", none_bias)
    if quick is not None:
        write_quick(work, folder, name=quick, none_bias=none_bias)
    if second is not None:
        write_second(work, folder, name=second, none_bias=second_bias)
    return write_machine_card(
        folder,
        version=version,
        calibration=calibration,
        none_bias=none_bias,
        second_bias=None if second is None else second_bias,
        quick=quick is not None,
    )
