"""``python -m vision.training STEP``: make the reader's models, step by step or all at once.

Steps, in order: ``art`` (install and render decks), ``scenes`` (render shards), ``sheets``
(pictures of what will be taught, to look at), ``first``
(first models, on rendered scenes alone), ``mine`` (find the indices of the training
photographs with them), ``recut`` (crops where the first finder looks), ``finder``,
``scout``, ``body`` and ``classifier`` (the long runs), ``polish`` (the classifier again, on
crops made afresh, and mixed with what it was before), ``again`` (and once more: what it was
before becomes the second opinion), ``quick`` (a small net that learns what both of them say),
``calibrate`` (temperatures, on the held-out photographs), ``export`` (ONNX files and machine
card) and ``validate``. ``all`` does them in
this order, from nothing or, with ``--from``, from models that are there. ``further`` is no
part of it: it trains the classifier that ships a little more, after ``art``. Every step
resumes where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from models import MACHINE_CARD, ModelError
from vision.errors import VisionError
from vision.reader import STILL_SIDES_PX, load_reader
from vision.training.art import install_art, make_art
from vision.training.bodies import make_views
from vision.training.calibrate import START, calibrate, validate
from vision.training.distil import Pupil, teach_pupils
from vision.training.export import NONE_BIAS, export, write_body, write_scout
from vision.training.nets import Quick
from vision.training.real import mine
from vision.training.recut import recut
from vision.training.scenes import render_shards
from vision.training.sheets import write_sheets
from vision.training.shipped import OtherNet, keep_shipped_classifier, keep_shipped_finder
from vision.training.textures import DEBIAN_TEXTURES
from vision.training.train_body import judge_body, real_views, train_body
from vision.training.train_classifier import judge_classifier, mixed, train_classifier
from vision.training.train_finder import train_finder
from vision.training.train_scout import train_scout

ROOT = Path(__file__).resolve().parents[2]
VERSION = "1.6"
#: Debian packages with fonts: ranks of many shapes.
FONTS = [
    "fonts-freefont-ttf",
    "fonts-linuxlibertine",
    "fonts-adf-accanthis",
    "fonts-adf-baskervald",
    "fonts-adf-berenis",
    "fonts-adf-gillius",
    "fonts-adf-ikarius",
    "fonts-adf-irianis",
    "fonts-adf-libris",
    "fonts-adf-mekanus",
    "fonts-adf-oldania",
    "fonts-adf-romande",
    "fonts-adf-switzera",
    "fonts-adf-tribun",
    "fonts-adf-universalis",
    "fonts-adf-verana",
    "fonts-lato",
    "fonts-roboto-slab",
    "fonts-texgyre",
    "fonts-junicode",
    "fonts-ebgaramond",
    "fonts-vollkorn",
    "fonts-bebas-neue",
    "fonts-league-spartan",
    "fonts-crosextra-caladea",
    "fonts-crosextra-carlito",
    "fonts-play",
    "fonts-comfortaa",
    "fonts-quicksand",
    "fonts-cabin",
    "fonts-dosis",
    "fonts-yanone-kaffeesatz",
    "fonts-oldstandard",
    "fonts-gfs-didot",
    "fonts-gfs-bodoni-classic",
    "fonts-essays1743",
    "fonts-dustin",
    "fonts-aenigma",
    "fonts-sil-gentium-basic",
    "fonts-cardo",
    "fonts-cantarell",
    "fonts-goudybookletter",
    "fonts-tuffy",
    "fonts-symbola",
    "fonts-georgewilliams",
    "fonts-opensymbol",
    "fonts-courier-prime",
    "fonts-paratype",
    "fonts-open-sans",
    "fonts-inter",
    "fonts-jura",
    "fonts-lobstertwo",
    "fonts-comic-neue",
    "fonts-averia-serif-gwf",
    "fonts-quattrocento",
    "fonts-prociono",
    "fonts-fanwood",
    "fonts-sjfonts",
    "fonts-stix",
    "fonts-cmu",
    "fonts-dejavu-core",
    "fonts-dejavu-extra",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Where things are and how long to train."""

    work: Path
    photos: Path
    models: Path
    start: Path | None
    shards: int
    first_steps: tuple[int, int]
    finder_steps: int
    scout_steps: int
    bodies: int
    body_steps: int
    classifier_steps: int
    polish_steps: int
    further_steps: int
    quick_steps: int
    threads: int


def art(plan: Plan) -> None:
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *DEBIAN_TEXTURES, *FONTS],
        check=True,
    )
    install_art(plan.work)
    own = ROOT / "web_dashboard" / "static" / "cards"
    faces = plan.photos / "train" / "faces"
    counts = make_art(plan.work, faces=faces, own_faces=own if own.exists() else None)
    print(f"{sum(counts.values())} faces of {sum(c > 0 for c in counts.values())} decks")


def scenes(plan: Plan) -> None:
    render_shards(plan.work, range(plan.shards))
    render_shards(plan.work, range(3), held_out=True)


def sheets(plan: Plan) -> None:
    for path in write_sheets(plan.work):
        print(path)


def _kept_copy(models: Path, kept: Path) -> Path:
    """A copy of the folder ``models``: later steps write where this one may have read."""
    card = (models / MACHINE_CARD).read_bytes()
    if kept.exists():
        if (kept / MACHINE_CARD).read_bytes() != card:
            raise OtherNet(
                f"{kept} holds other first models than {models}: give another --work, or delete it"
            )
        return kept
    partial = kept.with_suffix(".part")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for path in (*models.glob("*.onnx"), models / MACHINE_CARD):
        shutil.copy(path, partial)
    partial.rename(kept)
    return kept


def first(plan: Plan) -> None:
    if plan.start is not None:
        kept = _kept_copy(plan.start, plan.work / "first")
        keep_shipped_finder(kept, plan.work, name="finder1")
        keep_shipped_classifier(kept, plan.work, name="classifier1")
        print(f"finder and classifier start from {plan.start}")
        return
    train_finder(plan.work, steps=plan.first_steps[0], name="finder1", threads=plan.threads)
    train_classifier(plan.work, steps=plan.first_steps[1], name="classifier1", threads=plan.threads)
    export(
        plan.work,
        plan.work / "first",
        finder="finder1",
        classifier="classifier1",
        version="first",
        calibration=START,
    )


def mined(plan: Plan) -> None:
    reader = load_reader(
        models_dir=plan.work / "first", threads=plan.threads, sides_px=STILL_SIDES_PX
    )
    print(mine(reader, plan.photos, plan.work / "real.npz"))


def recuts(plan: Plan) -> None:
    reader = load_reader(models_dir=plan.work / "first", threads=plan.threads)
    print(f"{recut(reader, plan.work)} crops")


def finder(plan: Plan) -> None:
    train_finder(
        plan.work,
        steps=plan.finder_steps,
        name="finder",
        start_from="finder1",
        real=plan.work / "real.npz",
        threads=plan.threads,
    )


def scout(plan: Plan) -> None:
    train_scout(
        plan.work, steps=plan.scout_steps, real=plan.work / "real.npz", threads=plan.threads
    )
    plan.models.mkdir(parents=True, exist_ok=True)
    write_scout(plan.work, plan.models)


def body(plan: Plan) -> None:
    drawn = make_views(plan.work, plan.work / "bodies.npz", count=plan.bodies, seed=501)
    held = make_views(plan.work, plan.work / "bodies_held.npz", count=3000, seed=502, held_out=True)
    reader = load_reader(models_dir=plan.work / "first", threads=plan.threads)
    real = real_views(reader, plan.photos)
    train_body(plan.work, drawn=drawn, real=real, steps=plan.body_steps, threads=plan.threads)
    with np.load(held) as f:
        print(judge_body(plan.work, (f["views"], f["classes"])))
    print(judge_body(plan.work, real_views(reader, plan.photos, "held")))
    write_body(plan.work, plan.models)


def classifier(plan: Plan) -> None:
    train_classifier(
        plan.work,
        steps=plan.classifier_steps,
        name="classifier",
        start_from=None if plan.start is None else "classifier1",
        real=plan.work / "real.npz",
        fresh_share=0.0,
        threads=plan.threads,
    )
    print(judge_classifier(plan.work))


def polish(plan: Plan) -> None:
    train_classifier(
        plan.work,
        steps=plan.polish_steps,
        rate=2e-3,
        name="polished",
        start_from="classifier",
        real=plan.work / "real.npz",
        real_share=0.22,
        fresh_share=0.5,
        seed=24,
        threads=plan.threads,
    )
    mixed(plan.work, shares={"classifier": 0.35, "polished": 0.65}, name="mixed")
    print(judge_classifier(plan.work, name="mixed"))


def _taught_on(plan: Plan, name: str, *, start: str) -> None:
    """Train on from checkpoint ``start``; the first three convolutions stay as they are."""
    train_classifier(
        plan.work,
        steps=plan.further_steps,
        batch=192,
        rate=1.5e-3,
        name=name,
        start_from=start,
        frozen=3,
        real=plan.work / "real.npz",
        real_share=0.2,
        fresh_share=0.62,
        seed=61,
        threads=plan.threads,
    )


def again(plan: Plan) -> None:
    _taught_on(plan, "again", start="mixed")
    print(judge_classifier(plan.work, name="again"))


def quick(plan: Plan) -> None:
    teach_pupils(
        plan.work,
        [Pupil(name="quick", kind=Quick, rate=3e-3)],
        teachers=("again", "mixed"),
        steps=plan.quick_steps,
        real=plan.work / "real.npz",
        threads=plan.threads,
    )


def further(plan: Plan) -> None:
    """Train the shipped classifier on."""
    reader = load_reader(models_dir=plan.models, threads=plan.threads, sides_px=STILL_SIDES_PX)
    real = plan.work / "real.npz"
    if not real.exists():
        print(mine(reader, plan.photos, real))
    render_shards(plan.work, range(100, 104))
    recut(reader, plan.work)
    keep_shipped_classifier(plan.models, plan.work, name="shipped")
    _taught_on(plan, "further", start="shipped")


def _exported(plan: Plan, folder: Path, *, version: str, calibration: dict[str, float]) -> Path:
    """Write the models that were taught last, the classifier before as second opinion."""
    return export(
        plan.work,
        folder,
        finder="finder",
        classifier="again",
        version=version,
        calibration=calibration,
        none_bias=NONE_BIAS,
        quick="quick",
        second="mixed",
    )


def calibrated(plan: Plan) -> None:
    _exported(plan, plan.work / "raw", version="raw", calibration=START)
    reader = load_reader(
        models_dir=plan.work / "raw", threads=plan.threads, sides_px=STILL_SIDES_PX
    )
    figures = calibrate(reader, plan.photos)
    (plan.work / "calibration.json").write_text(json.dumps(figures, indent=1))
    print(json.dumps(figures, indent=1))


def exported(plan: Plan) -> None:
    fitted = json.loads((plan.work / "calibration.json").read_text())
    tuned = START | {k: fitted[k] for k in ("temperature_rank", "temperature_suit")}
    print(_exported(plan, plan.models, version=VERSION, calibration=tuned))


def validated(plan: Plan) -> None:
    reader = load_reader(models_dir=plan.models, threads=plan.threads, sides_px=STILL_SIDES_PX)
    for tally in validate(reader, plan.photos).values():
        print(json.dumps(asdict(tally)))


STEPS: dict[str, Callable[[Plan], None]] = {
    "art": art,
    "scenes": scenes,
    "sheets": sheets,
    "first": first,
    "mine": mined,
    "recut": recuts,
    "finder": finder,
    "scout": scout,
    "body": body,
    "classifier": classifier,
    "polish": polish,
    "again": again,
    "quick": quick,
    "calibrate": calibrated,
    "export": exported,
    "validate": validated,
}


#: Steps that ``all`` leaves out.
MORE_STEPS: dict[str, Callable[[Plan], None]] = {"further": further}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m vision.training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("step", choices=[*STEPS, "all", *MORE_STEPS])
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "upcard-training")
    parser.add_argument(
        "--photos",
        type=Path,
        default=ROOT.parent / "shared" / "data" / "photos",
        help="the folder that holds train/",
    )
    parser.add_argument("--models", type=Path, default=ROOT / "models", help="where export writes")
    parser.add_argument(
        "--from",
        dest="start",
        type=Path,
        metavar="DIR",
        help="train on from the models in DIR instead of from nothing: `first` trains none then",
    )
    parser.add_argument("--shards", type=int, default=60, help="of 500 scenes each")
    parser.add_argument(
        "--first-steps", type=int, nargs=2, default=(3000, 1600), metavar=("FINDER", "CLASSIFIER")
    )
    parser.add_argument("--finder-steps", type=int, default=9000)
    parser.add_argument("--scout-steps", type=int, default=4000)
    parser.add_argument("--bodies", type=int, default=40_000, help="views of whole cards")
    parser.add_argument("--body-steps", type=int, default=6000)
    parser.add_argument("--classifier-steps", type=int, default=8000)
    parser.add_argument("--polish-steps", type=int, default=4600)
    parser.add_argument("--further-steps", type=int, default=7000)
    parser.add_argument("--quick-steps", type=int, default=9000)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    if chosen.start is not None and not (chosen.start / MACHINE_CARD).exists():
        parser.error(f"--from {chosen.start}: no {MACHINE_CARD} there; give a folder of models")
    chosen.work.mkdir(parents=True, exist_ok=True)
    plan = Plan(
        work=chosen.work,
        photos=chosen.photos,
        models=chosen.models,
        start=chosen.start,
        shards=chosen.shards,
        first_steps=tuple(chosen.first_steps),
        finder_steps=chosen.finder_steps,
        scout_steps=chosen.scout_steps,
        bodies=chosen.bodies,
        body_steps=chosen.body_steps,
        classifier_steps=chosen.classifier_steps,
        polish_steps=chosen.polish_steps,
        further_steps=chosen.further_steps,
        quick_steps=chosen.quick_steps,
        threads=chosen.threads,
    )
    for name in STEPS if chosen.step == "all" else (chosen.step,):
        print(f"== {name}", flush=True)
        try:
            (STEPS | MORE_STEPS)[name](plan)
        except (VisionError, ModelError) as fault:
            print(f"training: {fault}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
