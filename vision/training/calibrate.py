"""Temperatures and thresholds, from the held-out part of the training photographs only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.classify import cut_upright, logits_of
from vision.measure import Tally, measure
from vision.picture import load_picture
from vision.reader import Reader
from vision.training.faces import NO_RANK, card_classes
from vision.training.real import FOLDERS, NothingRead, mine_picture, split

#: What a first model starts from, before anything was fitted.
START = {
    "temperature_rank": 1.0,
    "temperature_suit": 1.0,
    "alone": 0.88,
    "alone_small": 0.975,
    "alone_joker": 0.999,
    "small_px": 23,
    "lone_score": 0.4,
    "agreeing": 0.8,
    "rival": 0.5,
    "worth_asking": 0.3,
    "foreign": 0.6,
    "least_index": 0.2,
    "least_back": 0.4,
}


def _best_temperature(logits: NDArray[np.float32], truth: NDArray[np.int64]) -> float:
    """The temperature that makes the true classes likeliest (one scalar; Guo 2017)."""
    best, least = 1.0, np.inf
    for temperature in np.exp(np.linspace(np.log(0.5), np.log(4), 60)):
        scaled = logits / temperature
        scaled = scaled - scaled.max(axis=1, keepdims=True)
        likelihood = scaled[np.arange(len(truth)), truth] - np.log(np.exp(scaled).sum(axis=1))
        if -likelihood.mean() < least:
            best, least = float(temperature), float(-likelihood.mean())
    return best


def held_logits(
    reader: Reader, photos: Path
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Rank and suit logits and true classes of every index mined from the held-out photographs.

    Raises :class:`~vision.training.real.NothingRead`.
    """
    ranks, suits, true_rank, true_suit = [], [], [], []
    s = reader.settings
    for folder in FOLDERS:
        for entry in split(photos, folder)[1]:
            picture = load_picture(photos / "train" / folder / entry["file"])
            readings, _ = reader.readings(picture)
            mined = mine_picture(readings, entry["cards"])
            if not mined:
                continue
            crops = [
                cut_upright(picture, m.reading.spot, crop_px=s.crop_px, index_px=s.crop_index_px)
                for m in mined
            ]
            rank, suit = logits_of(reader.classifier, crops)
            ranks.append(rank)
            suits.append(suit)
            for m in mined:
                r, q = (NO_RANK, 4) if m.card is None else card_classes(m.card)
                true_rank.append(r)
                true_suit.append(q)
    if not true_rank:
        raise NothingRead(f"none of the held-out photographs under {photos} was read as labelled")
    return np.concatenate(ranks), np.concatenate(suits), np.array(true_rank), np.array(true_suit)


def reliability(p: NDArray[np.float64], right: NDArray[np.bool_]) -> list[dict[str, float]]:
    """How often readings of each probability band were right."""
    bands = []
    for low, high in (
        (0, 0.5),
        (0.5, 0.7),
        (0.7, 0.9),
        (0.9, 0.97),
        (0.97, 0.99),
        (0.99, 0.999),
        (0.999, 1.01),
    ):
        inside = (p >= low) & (p < high)
        if inside.any():
            bands.append(
                {
                    "from": low,
                    "to": min(high, 1.0),
                    "n": int(inside.sum()),
                    "said": round(float(p[inside].mean()), 4),
                    "right": round(float(right[inside].mean()), 4),
                }
            )
    return bands


def calibrate(reader: Reader, photos: Path) -> dict[str, object]:
    """Fit both temperatures; return them with the reliability of single indices."""
    rank, suit, true_rank, true_suit = held_logits(reader, photos)
    is_card = true_rank != NO_RANK
    t_rank = max(1.0, _best_temperature(rank, true_rank))
    t_suit = max(1.0, _best_temperature(suit[is_card], true_suit[is_card]))

    def soft(logits: NDArray[np.float32], t: float) -> NDArray[np.float64]:
        grown = np.exp((logits - logits.max(axis=1, keepdims=True)) / t)
        return grown / grown.sum(axis=1, keepdims=True)

    pr, ps = soft(rank, t_rank), soft(suit, t_suit)
    p = pr[:, :13].max(axis=1) * ps[:, :4].max(axis=1)
    right = (pr[:, :13].argmax(axis=1) == true_rank) & (ps[:, :4].argmax(axis=1) == true_suit)
    wrong_p = np.sort(p[~right])[::-1]
    return {
        "temperature_rank": round(t_rank, 3),
        "temperature_suit": round(t_suit, 3),
        "indices": int(is_card.sum()),
        "nothings": int((~is_card).sum()),
        "reliability": reliability(p, right),
        "likeliest_mistakes": [round(float(v), 4) for v in wrong_p[:12]],
    }


def validate(reader: Reader, photos: Path) -> dict[str, Tally]:
    """Found, wrong and unsure on the held-out training photographs."""
    return {
        folder: measure(
            reader, photos / "train" / folder, keep=[e["file"] for e in split(photos, folder)[1]]
        )
        for folder in FOLDERS
    }
