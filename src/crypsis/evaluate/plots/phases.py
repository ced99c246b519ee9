"""Plot `phases`: where the time of every cell went, stacked in the order of the phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from crypsis.drawing.frame import Axis, Frame, Panel
from crypsis.evaluate.plots.results import CellResult, Results
from crypsis.translation import _, translated


def phases(results: Iterable[CellResult | Mapping[str, Any]]) -> Frame:
    """Seconds of each phase of each cell that ran."""
    cells = results if isinstance(results, Results) else Results(results)
    timed = [cell for cell in cells if cell.phases]
    rows = [
        (cells.cell_name(cell), translated(phase), float(seconds), cell.seconds)
        for cell in timed
        for phase, seconds in cell.phases.items()
    ]
    table = pl.DataFrame(
        rows,
        schema={"cell": pl.String, "phase": pl.String, "seconds": pl.Float64, "total": pl.Float64},
        orient="row",
    )
    panel = Panel(
        "stacked",
        Axis("cell", _("cell"), "category"),
        Axis("seconds", _("wall time (seconds)")),
        series="phase",
        order=tuple(map(translated, merged_order([list(cell.phases) for cell in timed]))),
    )
    return Frame("phases", _("Time by phase"), table, (panel,), empty=_("No cell has been timed yet."))


def merged_order(orders: Sequence[Sequence[str]]) -> list[str]:
    """One order of all phases that keeps the order of every method, so that each bar is stacked as it ran.

    Where methods contradict each other, the phase that came first goes first.
    """
    left = list(dict.fromkeys(phase for order in orders for phase in order))
    before: dict[str, set[str]] = {phase: set() for phase in left}
    for order in {tuple(order) for order in orders}:
        for index, phase in enumerate(order):
            before[phase] |= set(order[:index]) - {phase}
    merged: list[str] = []
    while left:
        following = next((phase for phase in left if before[phase].isdisjoint(left)), left[0])
        merged.append(following)
        left.remove(following)
    return merged
