"""Untrained nets of a published detector's shape, to measure time against; nothing to detect with.

Written here from published figures alone (parameters, operations, input size), with the onnx
package: no code or weights of the detectors themselves, whose licences do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


@dataclass(slots=True, kw_only=True)
class Net:
    """A graph under way, and what it costs. Sides are of square maps."""

    side_px: int
    depthwise: bool
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)
    channels: dict[str, int] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)
    parameters: int = 0
    macs: int = 0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def name(self) -> str:
        return f"t{len(self.nodes)}"

    def conv(
        self,
        source: str,
        out: int,
        kernel: int = 3,
        *,
        stride: int = 1,
        groups: int = 1,
        act: bool = True,
    ) -> str:
        """Convolution with SiLU (its batch normalisation is folded in, as when it is shipped)."""
        inputs = self.channels[source]
        shape = (out, inputs // groups, kernel, kernel)
        scale = (2 / (shape[1] * kernel * kernel)) ** 0.5
        weight, bias = f"w{len(self.weights)}", f"b{len(self.weights)}"
        values = self.rng.normal(0, scale, shape).astype(np.float32)
        self.weights += [
            numpy_helper.from_array(values, weight),
            numpy_helper.from_array(np.zeros(out, np.float32), bias),
        ]
        side = self.sides[source] // stride
        self.parameters += values.size + out
        self.macs += values.size * side * side
        made = self.name()
        self.nodes.append(
            helper.make_node(
                "Conv",
                [source, weight, bias],
                [made],
                kernel_shape=[kernel, kernel],
                strides=[stride, stride],
                pads=[kernel // 2] * 4,
                group=groups,
            )
        )
        self._note(made, out, side)
        if not act:
            return made
        gate = self.op("Sigmoid", [made], out, side)
        return self.op("Mul", [made, gate], out, side)

    def spatial(self, source: str, out: int, *, stride: int = 1) -> str:
        """A 3 x 3 convolution, or depthwise and 1 x 1 in the nets that save on it."""
        if not self.depthwise:
            return self.conv(source, out, 3, stride=stride)
        wide = self.channels[source]
        return self.conv(self.conv(source, wide, 3, stride=stride, groups=wide), out, 1)

    def op(self, kind: str, sources: list[str], out: int, side: int, **more: object) -> str:
        made = self.name()
        self.nodes.append(helper.make_node(kind, sources, [made], **more))
        self._note(made, out, side)
        return made

    def _note(self, made: str, channels: int, side: int) -> None:
        self.channels[made], self.sides[made] = channels, side

    def join(self, *sources: str) -> str:
        wide = sum(self.channels[s] for s in sources)
        return self.op("Concat", list(sources), wide, self.sides[sources[0]], axis=1)

    def twice(self, source: str) -> str:
        scales = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), scales))
        return self.op(
            "Resize",
            [source, "", scales],
            self.channels[source],
            self.sides[source] * 2,
            mode="nearest",
        )

    def partial(self, source: str, out: int, *, inner: float, deep: int = 1) -> str:
        """A cross-stage partial block: a 1 x 1 in, ``deep`` residual pairs, all joined, a 1 x 1."""
        hidden = max(8, int(out * inner))
        kept, branch = self.conv(source, hidden, 1), self.conv(source, hidden, 1)
        parts = [kept, branch]
        for _ in range(deep):
            part = self.spatial(self.spatial(branch, hidden), hidden)
            branch = self.op("Add", [part, branch], hidden, self.sides[branch])
            parts.append(branch)
        return self.conv(self.join(*parts), out, 1)

    def pooled(self, source: str) -> str:
        """Three poolings one after another, joined (SPPF)."""
        half = self.channels[source] // 2
        parts = [self.conv(source, half, 1)]
        for _ in range(3):
            parts.append(
                self.op(
                    "MaxPool",
                    [parts[-1]],
                    half,
                    self.sides[source],
                    kernel_shape=[5, 5],
                    strides=[1, 1],
                    pads=[2] * 4,
                )
            )
        return self.conv(self.join(*parts), self.channels[source], 1)


def _body(net: Net, picture: str, widths: tuple[int, ...], inner: float, deep: int) -> list[str]:
    """Backbone to stride 32 and a neck that goes up and down again: maps at 8, 16 and 32."""
    one, two, three, four, five = widths
    at2 = net.conv(picture, one, 3, stride=2)
    at4 = net.partial(net.spatial(at2, two, stride=2), two, inner=inner, deep=deep)
    at8 = net.partial(net.spatial(at4, three, stride=2), three, inner=inner, deep=deep)
    at16 = net.partial(net.spatial(at8, four, stride=2), four, inner=inner, deep=deep)
    at32 = net.partial(net.spatial(at16, five, stride=2), five, inner=inner, deep=deep)
    at32 = net.pooled(at32)
    up16 = net.partial(net.join(net.twice(at32), at16), four, inner=inner, deep=deep)
    out8 = net.partial(net.join(net.twice(up16), at8), three, inner=inner, deep=deep)
    down16 = net.join(net.spatial(out8, three, stride=2), up16)
    out16 = net.partial(down16, four, inner=inner, deep=deep)
    down32 = net.join(net.spatial(out16, four, stride=2), at32)
    return [out8, out16, net.partial(down32, five, inner=inner, deep=deep)]


def _model(net: Net, outputs: list[str], name: str) -> bytes:
    graph = helper.make_graph(
        net.nodes,
        name,
        [
            helper.make_tensor_value_info(
                "images", TensorProto.FLOAT, [1, 3, net.side_px, net.side_px]
            )
        ],
        [
            helper.make_tensor_value_info(
                o, TensorProto.FLOAT, [1, net.channels[o], net.sides[o], net.sides[o]]
            )
            for o in outputs
        ],
        net.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    onnx.checker.check_model(model)
    return model.SerializeToString()


def yolo11n_shaped(side_px: int = 640) -> tuple[bytes, Net]:
    """SiLU, three scales, 80 classes: 2.62 M parameters and 3.23 GMAC at 640.

    Published: 2.6 M and 3.25 GMAC (6.5 GFLOP).
    """
    net = Net(side_px=side_px, depthwise=False)
    net._note("images", 3, side_px)
    maps = _body(net, "images", (16, 32, 64, 128, 256), 0.5, 1)
    outputs = []
    for source in maps:
        box = net.conv(net.conv(source, 64), 64)
        outputs.append(net.conv(box, 64, 1, act=False))
        wide = net.channels[source]
        names = net.conv(net.conv(source, wide, 3, groups=wide), 80, 1)
        names = net.conv(net.conv(names, 80, 3, groups=80), 80, 1)
        outputs.append(net.conv(names, 80, 1, act=False))
    return _model(net, outputs, "yolo11n_shaped"), net


def yolox_nano_shaped(side_px: int = 416) -> tuple[bytes, Net]:
    """Depthwise, three scales: 0.92 M parameters and 0.47 GMAC at 416.

    Published: 0.91 M and 0.54 GMAC (1.08 GFLOP), so the time it takes here flatters the peer.
    """
    net = Net(side_px=side_px, depthwise=True)
    net._note("images", 3, side_px)
    maps = _body(net, "images", (16, 32, 64, 128, 256), 0.45, 1)
    outputs = []
    for source in maps:
        stem = net.conv(source, 64, 1)
        for out in (85,):
            head = net.spatial(net.spatial(stem, 64), 64)
            other = net.spatial(net.spatial(stem, 64), 64)
            outputs += [net.conv(head, out - 5, 1, act=False), net.conv(other, 5, 1, act=False)]
    return _model(net, outputs, "yolox_nano_shaped"), net
