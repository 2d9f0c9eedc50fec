"""Our notation's published shape: a JSON Schema of one line of a file of facts.

Made from the readers that check a log, so it cannot say another thing than they do; written
anew into ``docs/schema/upcard-facts.schema.json`` by ``python -m engine.notation.schema``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from engine.codec import fact_shapes
from engine.notation.jsonl import FORMAT, SCHEMA


def facts_schema() -> dict[str, Any]:
    """The schema of a line: the header that a file begins with, or a recorded fact."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Upcard facts",
        "description": (
            "One line of a game file of Upcard. The first line is the header, each further "
            "line a fact in its envelope; the versions of a game count from 1 without gaps. "
            "A key that has a default may be left out."
        ),
        "oneOf": [
            {
                "type": "object",
                "properties": {"format": {"const": FORMAT}, "schema": {"const": SCHEMA}},
                "required": ["format", "schema"],
            },
            {"$ref": "#/$defs/recorded"},
        ],
        "$defs": fact_shapes(),
    }


def as_text() -> str:
    """The schema as the file holds it."""
    return json.dumps(facts_schema(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(as_text())
