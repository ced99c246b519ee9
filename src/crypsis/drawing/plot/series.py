"""Series: what the drawer of a mark needs to know about the rows it draws, and where they lie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.drawing.axis_values import distinct_names, names_in, numbers
from crypsis.drawing.frame import Frame, Panel
from crypsis.drawing.markup import number
from crypsis.drawing.palette import SIGNS
from crypsis.drawing.plot.marks import Marks
from crypsis.drawing.plot.scales import Box
from crypsis.drawing.svg import Scale

Place = tuple[float, float] | None


@dataclass(frozen=True)
class Series:
    """The rows of one series of a panel between its axes.

    `feet` is where the next stacked bin begins, and `gaps` how many marks of gaps stand at a place of the axis: both
    are carried from one series of a view to the next.
    """

    frame: Frame
    panel: Panel
    rows: pl.DataFrame
    index: int
    name: str
    across: Scale
    up: Scale
    box: Box
    marks: Marks
    feet: Any
    gaps: dict[float, int]

    @property
    def colour(self) -> int:
        return self.index % len(SIGNS)

    def x(self) -> Any:
        """The rows' values on the horizontal axis."""
        column = self.panel.x.column
        if self.panel.x.scale != "category":
            return numbers(self.rows[column])
        place_of = {name: float(index) for index, name in enumerate(distinct_names(self.frame.data[column]))}
        return np.array([place_of[name] for name in names_in(self.rows[column])], np.float64)

    def places(self) -> list[Place]:
        """Where the rows lie; None where a value is missing."""
        return [
            (self.across.at(x), self.up.at(y)) if math.isfinite(y) and math.isfinite(x) else None
            for x, y in zip(self.x().tolist(), numbers(self.rows[self.panel.y.column]).tolist(), strict=True)
        ]


def path_through(places: Sequence[Place]) -> str:
    """Through all points; after a gap a new line begins."""
    parts = []
    pen = "M"
    for place in places:
        if place is None:
            pen = "M"
            continue
        parts.append(f"{pen}{number(place[0])} {number(place[1])}")
        pen = "L"
    return "".join(parts)
