"""Cells: one run with one setting of its parameters and one repeat. A run is expanded to cells; each has an identity.

The identity of a cell is a hash of all that decides its outcome: the data and how they are read and edited, hierarchies
and policies, the method with its parameters and seed, and the version of the code. Whatever was finished under an
identity need not be done again.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from crypsis.errors import BadExperiment, did_you_mean
from crypsis.methods import METHODS
from crypsis.version import VERSION

MOST_CELLS = 10_000
EVERY_METHOD = "*"
END_WITHIN = Decimal("1e-9")
RUN_KEYS = (
    "label", "method", "except", "relational", "transaction", "bound", "columns", "params", "sweep", "grid", "repeats",
)  # fmt: skip
BOUNDING = {"RMERGE": "rum-bound", "TMERGE": "tum-bound"}  # the heuristic after the _ is their parameter `merge`
HEURISTICS = ("R", "T", "RT")
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


def method_and_params(run: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of a run's method and its parameters, also where it is written as relational, transaction, bound."""
    params = dict(run.get("params") or {})
    if "bound" not in run and "relational" not in run and "transaction" not in run:
        return str(run.get("method")), params
    if "method" in run:
        raise BadExperiment("a run has a method, or relational, transaction and bound; not both")
    bound = dict(run.get("bound") or {"method": "RMERGE_R"})
    name = str(bound.pop("method", "RMERGE_R"))
    family, _, heuristic = name.upper().partition("_")
    if family in BOUNDING and heuristic in HEURISTICS:
        name, params["merge"] = BOUNDING[family], heuristic.lower()
    elif name.lower() not in METHODS:
        known = [f"{one}_{part}" for one in BOUNDING for part in HEURISTICS]
        raise BadExperiment(
            f"bound: there is no bounding method {name!r}; known are {', '.join(known)}."
            f"{did_you_mean(name.upper(), known)}"
        )
    else:
        name = name.lower()
    params.update(bound)
    for part in ("relational", "transaction"):
        told = dict(run.get(part) or {})
        if "method" in told:
            params[part] = told.pop("method")
        params.update(told)
    return name, params


def default_label(run: Mapping[str, Any], number: int) -> str:
    """What a run without a label is called."""
    if "method" in run:
        return str(run["method"])
    told = [run.get(part) for part in ("relational", "transaction", "bound")]
    parts = [str(part.get("method", "")) for part in told if isinstance(part, Mapping)]
    return "+".join(part for part in parts if part) or f"run {number}"


def variations(run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a sweep or a grid varies: one setting for each point; one empty setting where nothing varies."""
    sweep, grid = run.get("sweep"), run.get("grid")
    if sweep is not None and grid is not None:
        raise BadExperiment("a run has a sweep or a grid, not both")
    if sweep is not None:
        return [{str(sweep["param"]): value} for value in sweep_values(sweep)]
    if grid is not None:
        if not grid or not all(isinstance(values, list) and values for values in grid.values()):
            raise BadExperiment("grid: every parameter needs a list with at least one value")
        if math.prod(len(values) for values in grid.values()) > MOST_CELLS:
            raise BadExperiment(f"grid: more than {MOST_CELLS:,} settings")
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [{}]


def sweep_values(sweep: Mapping[str, Any]) -> list[Any]:
    """The values of {param, start, end, step} or of {param, values}; both ends belong to them."""
    if not isinstance(sweep.get("param"), str):
        raise BadExperiment("sweep: param must be the name of a parameter")
    if "values" in sweep:
        if any(name in sweep for name in ("start", "end", "step")):
            raise BadExperiment("sweep: give values, or start, end and step; not both")
        if not isinstance(sweep["values"], list) or not sweep["values"]:
            raise BadExperiment("sweep: values must be a list with at least one value")
        return list(sweep["values"])
    ends = {}
    for name in ("start", "end", "step"):
        value = sweep.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise BadExperiment(f"sweep: {name} must be a number, got {value!r}")
        ends[name] = Decimal(str(value))
    start, end, step = ends["start"], ends["end"], ends["step"]
    if step == 0:
        raise BadExperiment("sweep: step must not be 0")
    if (end - start) * step < 0:
        raise BadExperiment(f"sweep: step {step} leads away from {end}; change its sign")
    near = max(END_WITHIN, min(END_WITHIN / abs(step), Decimal("0.5")))  # of a step
    count = int(((end - start) / step + near).to_integral_value(rounding="ROUND_FLOOR")) + 1
    if count > MOST_CELLS:
        raise BadExperiment(f"sweep: {count:,} values, at most {MOST_CELLS:,} are allowed")
    whole = all(isinstance(sweep[name], int) for name in ("start", "step"))
    values = [start + index * step for index in range(count)]
    if abs(values[-1] - end) <= END_WITHIN:
        values[-1] = end  # and not the next number beside it, which may be out of range
    return [int(value) if whole else float(value) for value in values]


@cache
def code_version() -> str:
    """Of everything that decides an outcome: the sources of methods, kernels, verifiers, metrics and data."""
    home = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256(VERSION.encode())
    for file in sorted(home.rglob("*.py")):
        if file.relative_to(home).parts[0] not in _NOT_OUTCOME:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def cell_id(*, dataset: str, inputs: str, method: str, params: Mapping[str, Any], rest: Sequence[Any]) -> str:
    """Sixteen hexadecimal digits."""
    told = json.dumps([dataset, inputs, method, params, list(rest), code_version()], sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()[:16]
