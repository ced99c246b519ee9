"""Cells: one run with one setting of its parameters and one repeat. A run is expanded to cells; each has an identity.

The identity of a cell is a hash of all that decides its outcome: the data and how they are read and edited, hierarchies
and policies, the method with its parameters and seed, and the version of the code. Whatever was finished under an
identity need not be done again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from crypsis.version import VERSION

_NOT_OUTCOME = ("cli", "web", "reports", "runtime", "evaluate")


@dataclass(frozen=True)
class Cell:
    """One line of the results. `params` are those that were given; the method has defaults for the others."""

    id: str
    label: str
    method: str
    params: Mapping[str, Any]
    repeat: int
    seed: int | None
    columns: tuple[str, ...] = ()
    swept: tuple[str, ...] = ()  # the parameters that vary in its run

    def to_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "label": self.label,
            "method": self.method,
            "params": dict(self.params),
            "repeat": self.repeat,
            "seed": self.seed,
            "columns": list(self.columns),
            "swept": list(self.swept),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Cell:
        return cls(
            **{**content, "columns": tuple(content["columns"]), "swept": tuple(content["swept"])},
        )


@cache
def code_version() -> str:
    """Return the digest of everything that decides an outcome: methods, kernels, verifiers, metrics and data."""
    home = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(VERSION.encode())
    for file in sorted(home.rglob("*.py")):
        if file.relative_to(home).parts[0] not in _NOT_OUTCOME:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def cell_id(*, dataset: str, inputs: str, method: str, params: Mapping[str, Any], rest: Sequence[Any]) -> str:
    """Sixteen hexadecimal digits."""
    identity = json.dumps([dataset, inputs, method, params, list(rest), code_version()], sort_keys=True, default=str)
    return hashlib.sha256(identity.encode()).hexdigest()[:16]
