"""Plot `line`: a figure against a parameter, one line per configuration.

A point is the mean over repeats, its bar one standard deviation to each side. Where no repeat has the figure
(infeasible, failed, too slow, unsafe), the line has a gap and the axis a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.errors import BadParameter, did_you_mean
from crypsis.evaluate.plots.results import DONE, CellResult, Results, axis_label, within
from crypsis.translation import _, marked, translated
from crypsis.translation.wording import shown
from crypsis.wording import capital

_UNFINISHED = ("waiting", "running", "cancelled")


def line(results: Iterable[CellResult | Mapping[str, Any]], y: str, x: str) -> Frame:
    """Mean and standard deviation (of a sample) of `y` at every value of the parameter `x`."""
    cells = results if isinstance(results, Results) else Results(results)
    if x not in cells.parameters:
        raise BadParameter(
            f"The results have no parameter '{x}'; they have {', '.join(cells.parameters) or 'none'}."
            f"{did_you_mean(x, cells.parameters)}",
            parameter="x",
        )
    figure = cells.figure_named(y)
    groups: dict[str, dict[Any, list[CellResult]]] = {}
    for cell in cells:
        if cell.state in _UNFINISHED or x not in cell.parameters:
            continue
        groups.setdefault(cells.series_name(cell, (x,)), {}).setdefault(cell.parameters[x], []).append(cell)
    values = [value for group in groups.values() for value in group]
    numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    rows = []
    for series, group in groups.items():
        ordered = sorted(group) if numeric else list(group)
        rows += [_point(series, value if numeric else shown(value), group[value], figure) for value in ordered]
    kind: Any = (pl.Int64 if all(isinstance(value, int) for value in values) else pl.Float64) if numeric else pl.String
    table = pl.DataFrame(
        rows,
        schema={
            "configuration": pl.String,
            x: kind,
            "mean": pl.Float64,
            "deviation": pl.Float64,
            "repeats": pl.Int64,
            "absent": pl.String,
        },
        orient="row",
    )
    panel = Panel(
        "lines",
        Axis(x, axis_label(x), "linear" if numeric else "category"),
        Axis("mean", axis_label(figure)),
        series="configuration",
        deviation="deviation",
        absent="absent",
    )
    notes = []
    if table["deviation"].is_not_null().any():
        notes.append(_("Points are means over repeats, bars one standard deviation to each side."))
    missing = table["absent"].drop_nulls().unique().sort().to_list()
    if missing:
        notes.append(_("Marks on the axis: {missing}.", missing=", ".join(map(translated, missing))))
    title = _("{figure} by {parameter}", figure=capital(axis_label(figure)), parameter=within(axis_label(x)))
    return Frame("line", title, table, (panel,), note=" ".join(notes), empty=_("No cell has this figure yet."))


def _point(series: str, value: Any, cells: list[CellResult], figure: str) -> tuple[Any, ...]:
    values = [cell.value(figure) for cell in cells if cell.state == DONE]
    numbers = np.array([number for number in values if number is not None], np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        states = [cell.state for cell in cells if cell.state != DONE]
        return series, value, None, None, 0, (states[0].replace("_", " ") if states else marked("not defined"))
    deviation = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
    return series, value, float(numbers.mean()), deviation, len(numbers), None
