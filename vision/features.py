"""What the classifier saw before it named a rank and a suit: its last hidden layer.

The shipped model answers with logits only. Naming one more output of its graph is enough to
see that layer, and Protocol Buffers allow it without a second model file: a field that is
written again at the end of a message is merged into the first. So the checked bytes of the
model and a few appended ones are what is loaded; nothing on the disk changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import models
from vision.errors import VisionError

#: Field numbers of onnx.proto: ModelProto.graph; GraphProto.node, .output; NodeProto.input,
#: .output; ValueInfoProto.name, .type; TypeProto.tensor_type; Tensor.elem_type (1 is float).
_GRAPH, _NODE, _OUTPUT = 7, 1, 12
_NODE_INPUT, _NODE_OUTPUT = 1, 2
_NAME, _TYPE, _TENSOR, _ELEMENT = 1, 2, 1, 1


class NoFeatures(VisionError, ValueError):
    """The classifier's file has no layer before its ranks that could be looked at."""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at ``at``, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and content of every length-delimited field of a message; others are passed over."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                _, at = _varint(data, at)
            case 1:
                at += 8
            case 2:
                length, at = _varint(data, at)
                if at + length > len(data):
                    raise IndexError("a field ends after its message")
                yield key >> 3, data[at : at + length]
                at += length
            case 5:
                at += 4
            case kind:
                raise ValueError(f"wire type {kind}")


def _field(number: int, content: bytes) -> bytes:
    return _number(number << 3 | 2) + _number(len(content)) + content


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def layer_before(model: bytes, output: str) -> str:
    """The name of what the node that makes ``output`` is fed with.

    Raises :class:`NoFeatures` where ``model`` is no ONNX model or has no such output.
    """
    wanted = output.encode()
    try:
        for number, graph in _fields(model):
            if number != _GRAPH:
                continue
            for kind, node in _fields(graph):
                if kind != _NODE:
                    continue
                parts = list(_fields(node))
                if (_NODE_OUTPUT, wanted) in parts:
                    return next(part.decode() for n, part in parts if n == _NODE_INPUT)
    except (IndexError, ValueError, StopIteration) as fault:
        raise NoFeatures(f"the classifier is no ONNX model ({fault}): install it again") from fault
    raise NoFeatures(f"the classifier has no output {output!r}: install Upcard again")


def with_output(model: bytes, name: str) -> bytes:
    """The same model with the tensor ``name`` (of floats) among its outputs."""
    floats = _field(_TENSOR, _number(_ELEMENT << 3) + _number(1))
    output = _field(_NAME, name.encode()) + _field(_TYPE, floats)
    return model + _field(_GRAPH, _field(_OUTPUT, output))


def open_classifier(*, threads: int, models_dir: Path | None = None) -> tuple[Any, str]:
    """The classifier as an ONNX Runtime session, and the name of its hidden layer's output.

    Its hash is checked first. Raises ``models.ModelError`` or :class:`NoFeatures`.
    """
    import onnxruntime  # half a second: not at import

    data = models.locate("classifier", models_dir=models_dir).read_bytes()
    hidden = layer_before(data, "rank")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            with_output(data, hidden), options, providers=["CPUExecutionProvider"]
        )
    except Exception as fault:
        raise NoFeatures(f"the classifier does not load ({fault}): install it again") from fault
    return session, hidden
