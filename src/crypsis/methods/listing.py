"""The methods in a line each, without importing any: family, guarantee, scale and summary stand in a file.

`docs/generate_reference.py` writes the file from the classes; a method that it does not know yet is asked itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from crypsis.methods import METHODS

FILE = Path(__file__).with_name("listing.json")


class Line(NamedTuple):
    """What is said of a method in a list of them."""

    family: str
    guarantee: str
    scale: str
    summary: str


def listing() -> dict[str, Line]:
    """Every method's line by its name."""
    written = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: Line(*written[name]) if name in written else line_of(name) for name in METHODS}


def line_of(name: str) -> Line:
    """As the method says itself."""
    method = METHODS[name]
    return Line(method.family, method.promises.model, method.scaling.value, method.summary())


def write_listing() -> None:
    """Write the file from the classes."""
    lines = {name: list(line_of(name)) for name in METHODS}
    FILE.write_text(json.dumps(lines, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
