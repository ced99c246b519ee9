"""Plot `tradeoff`: one figure against another, one point per cell; points that no other beats in both are joined."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s
from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.evaluate.plots.results import DONE, CellResult, Results, axis_label, higher_is_better, within
from crypsis.metrics.figure import HIGHER, LOWER
from crypsis.translation import _
from crypsis.wording import capital


def tradeoff(results: Iterable[CellResult | Mapping[str, Any]], x: str, y: str) -> Frame:
    """Both figures of every cell that is done; figures that should rise are compared as such."""
    cells = results if isinstance(results, Results) else Results(results)
    across, up = cells.axis_named(x), cells.axis_named(y)
    rows = []
    for cell in cells:
        pair = cell.value(across), cell.value(up)
        if cell.state == DONE and all(isinstance(value, (int, float)) and np.isfinite(value) for value in pair):
            rows.append((cell.label, cells.cell_name(cell), float(pair[0]), float(pair[1])))
    names = (across, up if up != across else f"{up} again")
    table = pl.DataFrame(
        rows,
        schema={"configuration": pl.String, "cell": pl.String, names[0]: pl.Float64, names[1]: pl.Float64},
        orient="row",
    )
    signs = [-1.0 if higher_is_better(name) else 1.0 for name in (across, up)]
    best = non_dominated(signs[0] * table[names[0]].to_numpy(), signs[1] * table[names[1]].to_numpy())
    table = table.with_columns(pl.Series("efficient", best, dtype=pl.Boolean))
    panel = Panel(
        "points",
        Axis(names[0], axis_label(across)),
        Axis(names[1], axis_label(up)),
        series="configuration",
        joined="efficient",
        name="cell",
    )
    note = _(
        "{across}; {up}. The line joins the cells that no other cell beats in both.",
        across=capital(_direction(across)),
        up=_direction(up),
    )
    return Frame(
        "tradeoff",
        _("{up} against {across}", up=capital(axis_label(up)), across=within(axis_label(across))),
        table,
        (panel,),
        note=note,
        empty=_("No cell is done yet."),
    )


def non_dominated(x: Float64s, y: Float64s) -> Bools:
    """Which points no other beats: at least as small in both, smaller in one. Equal ones all stay."""
    best = np.zeros(len(x), np.bool_)
    lowest = np.inf
    order = np.lexsort((y, x))
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and x[order[end]] == x[order[start]]:
            end += 1
        least = y[order[start]]
        if least < lowest:
            same = order[start:end]
            best[same[y[same] == least]] = True
            lowest = least
        start = end
    return best


def _direction(name: str) -> str:
    return f"{axis_label(name)}: {_(HIGHER) if higher_is_better(name) else _(LOWER)}"
