"""The reader's models: ONNX files, the machine card that describes them, the model card.

``reader.toml`` says what each file takes, what its outputs mean, the thresholds in force
and the file's SHA-256; ``CARD.md`` says how they were made and what they can and cannot do.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Final

from models.errors import ModelDamaged, ModelError, ModelMissing

__all__ = ["MACHINE_CARD", "ModelDamaged", "ModelError", "ModelMissing", "locate", "machine_card"]

MACHINE_CARD: Final = "reader.toml"
_CURE: Final = "install Upcard again, or make the models with: python -m vision.training all"


def folder_of(models_dir: Path | None = None) -> Path:
    """``models_dir``, or this package's own folder."""
    return Path(__file__).resolve().parent if models_dir is None else Path(models_dir)


def machine_card(models_dir: Path | None = None) -> dict[str, Any]:
    """The machine card as nested tables.

    Raises :class:`ModelMissing` where there is none, :class:`ModelDamaged` where it is no TOML.
    """
    path = folder_of(models_dir) / MACHINE_CARD
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as fault:
        raise ModelMissing(f"{path} is missing: {_CURE}") from fault
    except (OSError, UnicodeDecodeError) as fault:
        raise ModelDamaged(f"{path} cannot be read ({fault}): {_CURE}") from fault
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ModelDamaged(f"{path} is not valid TOML ({fault}): {_CURE}") from fault


def locate(name: str, *, models_dir: Path | None = None) -> Path:
    """The file of the model called ``name`` (``finder``, ``classifier``), its hash checked.

    Raises :class:`ModelMissing` or :class:`ModelDamaged`, naming the file and the cure.
    """
    card = machine_card(models_dir)
    entry = card.get(name)
    if not isinstance(entry, dict) or not {"file", "sha256"} <= entry.keys():
        known = ", ".join(sorted(k for k, v in card.items() if isinstance(v, dict) and "file" in v))
        raise ModelMissing(f"{MACHINE_CARD} describes no model {name!r}: it has {known or 'none'}")
    path = folder_of(models_dir) / str(entry["file"])
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError as fault:
        raise ModelMissing(f"{path} is missing: {_CURE}") from fault
    except OSError as fault:
        raise ModelDamaged(f"{path} cannot be read ({fault}): {_CURE}") from fault
    if found != entry["sha256"]:
        raise ModelDamaged(
            f"{path} is not the model that {MACHINE_CARD} describes "
            f"(SHA-256 {found[:12]}…, expected {str(entry['sha256'])[:12]}…): {_CURE}"
        )
    return path
