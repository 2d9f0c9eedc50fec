"""fp32 against int8: labels that change, new wrong ones, and time. Ships nothing.

    python tests/bench/int8.py [--photos ../shared/data/photos] [--every 4] [--out FOLDER]
                               [--only classifier] [--narrow]

Static quantisation as READING.md advises: QDQ, activations unsigned, weights signed and per
channel, the heads (the finder's last convolution, the classifier's dense layers) left in floats.
Calibrated on the part of ``train/`` that is trained on, judged on the part held out. Needs the
``onnx`` package. ``--narrow`` gives the weights seven bits, which a processor without int8 dot
products needs to add up without overflow. The rule: int8 ships only if no label changes and none
is newly wrong. The classifier ships with 16-bit weights and calculates with 32 bits ("fp32" here):
its int8 file, the dense layers in 32-bit floats, is the larger one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import models
from vision.measure import match
from vision.opinion import QuickFirst
from vision.picture import load_picture
from vision.reader import STILL_SIDES_PX, Reader, load_reader
from vision.training.real import FOLDERS, split

ROOT = Path(__file__).resolve().parents[2]


class Tap:
    """A session that remembers what it was fed."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.fed: list[dict[str, np.ndarray]] = []

    def run(self, outputs: list[str], feeds: dict[str, np.ndarray]) -> Any:
        self.fed.append({k: v.copy() for k, v in feeds.items()})
        return self.session.run(outputs, feeds)


def fed_by(reader: Reader, photos: Path, every: int) -> tuple[Tap, Tap]:
    """What finder and classifier are given for some of the pictures that are trained on."""
    finder, classifier = Tap(reader.finder), Tap(reader.classifier)
    asked: Any = classifier
    if isinstance(reader.classifier, QuickFirst):  # the crops that come through to the classifier
        classifier = Tap(reader.classifier.then)
        asked = replace(reader.classifier, then=classifier)
    tapped = replace(reader, finder=finder, classifier=asked)
    for folder in FOLDERS:
        for entry in split(photos, folder)[0][:: 10 * every]:
            tapped.read(load_picture(photos / "train" / folder / entry["file"]))
    return finder, classifier


def session_of(path: Path) -> Any:
    """The net of a file, on one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def quantised(
    source: Path, target: Path, fed: list[dict[str, np.ndarray]], *, narrow: bool = False
) -> None:
    import onnx
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Feeds(CalibrationDataReader):
        def __init__(self) -> None:
            self.left: Iterator[dict[str, np.ndarray]] = iter(fed)

        def get_next(self) -> dict[str, np.ndarray] | None:  # type: ignore[override]
            return next(self.left, None)

    prepared = target.with_suffix(".prepared.onnx")
    quant_pre_process(str(source), str(prepared), skip_symbolic_shape=True)
    model = onnx.load(str(prepared))
    graph = model.graph
    for node in graph.node:
        node.name = node.output[0]  # ours are nameless, and nodes are left out by name
    onnx.save(model, str(prepared))
    last = [n.name for n in graph.node if n.op_type == "Gemm"]
    last += [n.name for n in graph.node if set(n.output) & {o.name for o in graph.output}]
    quantize_static(
        str(prepared),
        str(target),
        Feeds(),
        quant_format=QuantFormat.QDQ,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=narrow,
        nodes_to_exclude=last,
    )
    prepared.unlink()


def folder_with(target: Path, *, finder: Path, classifier: Path) -> Path:
    """A folder of models with a machine card of their hashes."""
    target.mkdir(parents=True, exist_ok=True)
    text = (Path(models.__file__).parent / models.MACHINE_CARD).read_text()
    for name, path in (("finder", finder), ("classifier", classifier)):
        data = path.read_bytes()
        (target / f"{name}.onnx").write_bytes(data)
        was = models.machine_card()[name]["sha256"]
        text = text.replace(was, hashlib.sha256(data).hexdigest())
    (target / models.MACHINE_CARD).write_text(text)
    for name in ("quick", "second", "scout", "body"):
        (target / f"{name}.onnx").write_bytes(models.locate(name).read_bytes())
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=Path, default=ROOT.parent / "shared" / "data" / "photos")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--only", choices=("finder", "classifier"), default=None)
    parser.add_argument("--narrow", action="store_true")
    given = parser.parse_args()
    folder = given.out or Path(tempfile.mkdtemp(prefix="upcard-int8-"))
    folder.mkdir(parents=True, exist_ok=True)
    plain = load_reader(threads=1, sides_px=STILL_SIDES_PX)
    finder_feeds, classifier_feeds = fed_by(plain, given.photos, given.every)
    paths = {n: models.locate(n) for n in ("finder", "classifier")}
    small = {n: folder / f"{n}.int8.onnx" for n in paths if given.only in (None, n)}
    for name, target in small.items():
        fed = (finder_feeds if name == "finder" else classifier_feeds).fed
        quantised(paths[name], target, fed, narrow=given.narrow)
    readers, files = {"fp32": plain}, {"fp32": paths["classifier"]}
    for what in (*small, "both") if len(small) == 2 else small:
        mixed = paths | {n: at for n, at in small.items() if what in (n, "both")}
        readers[f"{what} int8"] = load_reader(
            threads=1,
            sides_px=STILL_SIDES_PX,
            models_dir=folder_with(folder / what, **mixed),
        )
        files[f"{what} int8"] = mixed["classifier"]
    told: dict[str, dict[str, Any]] = {
        name: {"cards": 0, "found": 0, "wrong": 0, "changed": 0, "newly_wrong": [], "ms": []}
        for name in readers
    }
    for where in FOLDERS:
        for entry in split(given.photos, where)[1][:: given.every]:
            image = load_picture(given.photos / "train" / where / entry["file"])
            names: dict[str, set[str]] = {}
            bad: dict[str, set[str]] = {}
            for name, reader in readers.items():
                began = time.process_time()
                detections = reader.read(image)
                told[name]["ms"].append((time.process_time() - began) * 1e3)
                found, _, wrong = match(detections, entry["cards"])
                names[name] = {str(d.card) for d in detections if d.kind == "card"}
                bad[name] = {str(d.card) for d in wrong}
                told[name]["cards"] += sum(not c.get("optional") for c in entry["cards"])
                told[name]["found"] += sum(not c.get("optional") for c in found)
                told[name]["wrong"] += len(wrong)
                told[name]["changed"] += len(names[name] ^ names["fp32"])
                told[name]["newly_wrong"] += [
                    f"{entry['file']}:{card}" for card in sorted(bad[name] - bad["fp32"])
                ]
    sizes = {n: (paths[n].stat().st_size, small[n].stat().st_size) for n in small}
    for row in told.values():
        times = sorted(row.pop("ms"))
        row["best_ms"], row["median_ms"] = round(times[0], 1), round(times[len(times) // 2], 1)
    table = np.random.default_rng(1).random((1, 3, 544, 960), dtype=np.float32)
    crops = np.random.default_rng(2).random((16, 3, *plain.settings.crop_px), dtype=np.float32)
    bare = {name: session_of(path) for name, path in files.items()}
    for _ in range(12):  # processor time, which other work hardly touches
        for name, reader in readers.items():
            for what, session, feed in (
                ("finder_960x544_ms", reader.finder, {"picture": table}),
                ("classifier_16_crops_ms", bare[name], {"crops": crops}),
            ):
                began = time.process_time()
                session.run(None, feed)
                took = round((time.process_time() - began) * 1e3, 2)
                told[name][what] = min(told[name].get(what, took), took)
    print(json.dumps({"bytes_shipped_int8": sizes, "readers": told}, indent=1))


if __name__ == "__main__":
    main()
