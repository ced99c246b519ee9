"""What varies in a run: a sweep over one parameter, or a grid over several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from crypsis.errors import BadExperiment

MOST_CELLS = 10_000
END_WITHIN = Decimal("1e-9")


def varied_values(run: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """The values of each parameter that the `sweep` or the `grid` of a run varies; empty where nothing varies."""
    sweep, grid = run.get("sweep"), run.get("grid")
    if sweep is not None and grid is not None:
        raise BadExperiment("a run has a sweep or a grid, not both")
    if sweep is not None:
        values = sweep_values(sweep)
        return {str(sweep["param"]): values}
    if grid is None:
        return {}
    if not grid or not all(isinstance(values, list) and values for values in grid.values()):
        raise BadExperiment("grid: every parameter needs a list with at least one value")
    if math.prod(len(values) for values in grid.values()) > MOST_CELLS:
        raise BadExperiment(f"grid: more than {MOST_CELLS:,} settings")
    return dict(grid)


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
