"""Frame: the numbers of one plot and how they are drawn. Every picture of it, and its CSV file, come from here.

A frame holds a table and one or more panels; a panel says which columns are its axes and which mark is drawn:

    bins     bars from `x` to `end` on a number line; with `series` they are stacked
    overlaid the same, with the series over each other and an outline around each
    bars     one bar per name in `x`, downwards; with `series` side by side
    stacked  one bar per name in `x`, cut into pieces by `series`
    lines    points joined by lines, one line per `series`; `deviation` adds bars, `absent` marks gaps on the axis
    points   single points; those that are `joined` are connected
    steps    a line that keeps its value until the next point
    stems    a thin bar from zero at each point of a number line
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from crypsis.errors import InternalError
from crypsis.translation import marked

Mark = Literal["bins", "overlaid", "bars", "stacked", "lines", "points", "steps", "stems"]
ScaleName = Literal["linear", "log", "category"]


@dataclass(frozen=True)
class Axis:
    """A column as an axis: what is written beside it, and its scale."""

    column: str
    label: str
    scale: ScaleName = "linear"


@dataclass(frozen=True)
class Limit:
    """A value on the horizontal number line that has a meaning, such as the k that is required."""

    value: float
    label: str


@dataclass(frozen=True)
class Panel:
    """How some columns of the frame are drawn. The optional fields are names of columns."""

    mark: Mark
    x: Axis
    y: Axis
    series: str | None = None
    end: str | None = None
    deviation: str | None = None
    absent: str | None = None
    joined: str | None = None
    name: str | None = None  # what a single point is called, where its series is not enough
    title: str = ""
    limit: Limit | None = None
    order: tuple[str, ...] = ()  # of the series, where it is not the one in which they first come

    @property
    def columns(self) -> list[str]:
        """The columns that are drawn."""
        optional = (self.series, self.end, self.deviation, self.absent, self.joined, self.name)
        return [self.x.column, self.y.column, *(name for name in optional if name is not None)]


@dataclass(frozen=True, eq=False)
class Frame:
    """A plot before it is drawn: its kind and title, the table of its numbers, its panels, and what to know about it.

    `empty` is the sentence that stands in the picture where there is nothing to draw.
    """

    kind: str
    title: str
    data: pl.DataFrame
    panels: tuple[Panel, ...]
    note: str = ""
    empty: str = marked("There is nothing to draw.")

    def __post_init__(self) -> None:
        for panel in self.panels:
            for name in panel.columns:
                if name not in self.data.columns:
                    raise InternalError(f"The plot {self.kind} draws a column {name!r} that its table does not have.")

    def series_of(self, panel: Panel) -> list[str]:
        """The names of a panel's series in their order; one without a name where it has none."""
        if panel.series is None:
            return [""]
        series = [str(name) for name in self.data[panel.series].unique(maintain_order=True).to_list()]
        return [name for name in panel.order if name in series] + [name for name in series if name not in panel.order]

    def rows_of(self, panel: Panel, series: str) -> pl.DataFrame:
        """The rows of one series."""
        if panel.series is None:
            return self.data
        return self.data.filter(pl.col(panel.series).cast(pl.String) == series)


def to_csv(frame: Frame, separator: str = ",") -> bytes:
    """The numbers of a plot as CSV (RFC 4180, UTF-8)."""
    text = frame.data.write_csv(separator=separator, line_terminator="\r\n", null_value="")
    return text.encode()
