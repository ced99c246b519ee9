"""The plots of the workbench: each is a frame (numbers and how they are drawn), a picture, and a CSV file.

    frame_of("line", results=rows, x="k", y="ncp_loss")     the numbers
    draw(frame, "pdf")                                      a picture for paper: svg, pdf, png, jpg or bmp
    interactive_svg(frame)                                  a picture for the browser
    to_csv(frame)                                           the numbers as a file

One file per plot, one entry in `PLOTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from crypsis.drawing.frame import Axis, Frame, Limit, Panel, to_csv
from crypsis.drawing.interaction import PLOT_SCRIPT, PLOT_STYLE
from crypsis.drawing.paper import FORMATS, draw
from crypsis.drawing.plot import interactive_svg
from crypsis.errors import BadParameter, did_you_mean
from crypsis.evaluate.plots.chunk_counts import chunk_counts
from crypsis.evaluate.plots.chunk_shares import chunk_shares
from crypsis.evaluate.plots.class_sizes import class_sizes
from crypsis.evaluate.plots.cluster_sizes import cluster_sizes
from crypsis.evaluate.plots.generalized_frequency import generalized_frequency
from crypsis.evaluate.plots.histogram import histogram
from crypsis.evaluate.plots.item_error import item_error
from crypsis.evaluate.plots.line import line
from crypsis.evaluate.plots.pair_error_by_rank import pair_error_by_rank
from crypsis.evaluate.plots.phases import phases
from crypsis.evaluate.plots.results import CellResult, Results
from crypsis.evaluate.plots.tradeoff import tradeoff
from crypsis.evaluate.plots.ul_vs_merges import ul_vs_merges
from crypsis.evaluate.plots.value_difference import value_difference
from crypsis.reports.pictures.before_after import before_after
from crypsis.translation import marked

INPUTS = ("results", "original", "published", "private")


@dataclass(frozen=True)
class Plot:
    """One plot: its function, what people read of it, what it is made from (in this order), and its options."""

    function: Callable[..., Frame]
    label: str
    help: str
    inputs: tuple[str, ...]
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def of_results(self) -> bool:
        """It shows all cells of an experiment, not the data of one."""
        return self.inputs == ("results",)


PLOTS: dict[str, Plot] = {
    plot.name: plot
    for plot in (
        Plot(
            histogram, marked("Histogram"), marked("Values of a column as collected."), ("original",), takes=("column",)
        ),
        Plot(
            line,
            marked("Figure over a parameter"),
            marked("A figure against a parameter, one line per configuration."),
            ("results",),
            needs=("y", "x"),
        ),
        Plot(phases, marked("Time per phase"), marked("Time of every cell by phase."), ("results",)),
        Plot(
            tradeoff,
            marked("Trade-off"),
            marked("One figure against another; unbeaten cells are joined."),
            ("results",),
            needs=("x", "y"),
        ),
        Plot(
            generalized_frequency,
            marked("Frequency of generalized values"),
            marked("Records per published value of a column."),
            ("published",),
            takes=("column",),
        ),
        Plot(
            value_difference,
            marked("Difference of value frequencies"),
            marked("How far the frequency of each value is off in the release."),
            ("original", "published"),
            needs=("column",),
        ),
        Plot(
            before_after,
            marked("Before and after"),
            marked("Values of a column or items in the original and in the release."),
            ("original", "published"),
            takes=("column",),
        ),
        Plot(
            item_error,
            marked("Error of item frequencies"),
            marked("How far the frequency of each item is off in the release."),
            ("original", "published"),
        ),
        Plot(
            cluster_sizes,
            marked("Sizes of clusters"),
            marked("Histogram of the sizes of clusters or classes."),
            ("published",),
            takes=("k",),
        ),
        Plot(
            class_sizes, marked("Sizes of classes"), marked("Sizes of all classes, the largest first."), ("published",)
        ),
        Plot(
            ul_vs_merges,
            marked("Utility loss after each union"),
            marked("Utility loss of items after each union of clusters."),
            ("private",),
        ),
        Plot(chunk_counts, marked("Chunks of clusters"), marked("Disassociation: chunks of clusters."), ("published",)),
        Plot(
            chunk_shares,
            marked("Shares of chunks"),
            marked("Disassociation: where occurrences of terms are."),
            ("original", "published"),
        ),
        Plot(
            pair_error_by_rank,
            marked("Error of pairs by rank"),
            marked("Disassociation: error of pairs by rank."),
            ("original", "published"),
            takes=("seed",),
        ),
    )
}


def plot_named(kind: str) -> Plot:
    """The plot of that name."""
    known = kind.replace("-", "_")
    if known not in PLOTS:
        raise BadParameter(
            f"There is no plot '{kind}'; the plots are {', '.join(PLOTS)}.{did_you_mean(known, PLOTS)}",
            parameter="kind",
        )
    return PLOTS[known]


def frame_of(kind: str, **given: Any) -> Frame:
    """The frame of a plot: its inputs (`results`, `original`, `published`, `private`) and options (`x`, `y`, `column`).

    Inputs that the plot does not look at may be given; an option that it does not know may not.
    """
    plot = plot_named(kind)
    known = (*plot.needs, *plot.takes)
    for name, value in given.items():
        if value is not None and name not in INPUTS and name not in known:
            raise BadParameter(
                f"The plot {plot.name} takes {' and '.join(known) or 'no options'}, not '{name}'.", parameter=name
            )
    for name in (*plot.inputs, *plot.needs):
        if given.get(name) is None:
            what = "needs" if name in plot.needs else marked("is made from")
            raise BadParameter(f"The plot {plot.name} {what} '{name}', which is not given.", parameter=name)
    options = {name: given[name] for name in known if given.get(name) is not None}
    return plot.function(*(given[name] for name in plot.inputs), **options)


__all__ = [
    "FORMATS",
    "INPUTS",
    "PLOTS",
    "PLOT_SCRIPT",
    "PLOT_STYLE",
    "Axis",
    "CellResult",
    "Frame",
    "Limit",
    "Panel",
    "Plot",
    "Results",
    "draw",
    "frame_of",
    "interactive_svg",
    "plot_named",
    "to_csv",
]
