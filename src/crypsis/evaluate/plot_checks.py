"""What is wrong with plots: kinds, axes, formats, runs and columns that there are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from crypsis.errors import did_you_mean
from crypsis.evaluate.measures import known_measures
from crypsis.evaluate.problems import Findings
from crypsis.evaluate.runs import EVERY_METHOD, Run, run_label
from crypsis.methods import METHODS
from crypsis.metrics import all_figures
from crypsis.parameters import parameters_of

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment


def check_plots(found: Findings, content: Mapping[str, Any], runs: Sequence[Run]) -> None:
    plots = content.get("plot", [])
    if not isinstance(plots, list):
        found.add("plot", "plots are a list of tables, [[plot]]")
        return
    if not plots:
        return
    from crypsis.evaluate.plots.of_store import section_problems

    tables = content.get("run")
    readable = isinstance(tables, list) and len(runs) == len(tables)
    parameters = _parameters_of_runs(runs, readable=readable) if tables else []
    for number, plot in enumerate(plots, 1):
        for words in found.attempt(f"plot {number}", partial(section_problems, plot)) or ():
            found.add(f"plot {number}", words)
        if isinstance(plot, Mapping):
            _check_axes(found, plot, parameters, f"plot {number}")
            _check_run_of_plot(found, plot, content.get("run"), f"plot {number}")


def _check_run_of_plot(found: Findings, plot: Mapping[str, Any], runs: Any, where: str) -> None:
    named = [run for run in runs if isinstance(run, Mapping)] if isinstance(runs, list) else []
    labels = [run_label(run, number) for number, run in enumerate(named, 1)]
    every = any(run.get("method") == EVERY_METHOD for run in named)  # whose runs are called by their methods
    if plot.get("run") is not None and not every and plot["run"] not in labels:
        found.add(where, f"there is no run {plot['run']!r}.{did_you_mean(str(plot['run']), labels)}")


def _parameters_of_runs(runs: Sequence[Run], *, readable: bool) -> list[str]:
    """The parameters of every method that a run asks for; all there are, where some run could not be read."""
    named = {run.method for run in runs}
    methods = [METHODS[name] for name in named] if readable and EVERY_METHOD not in named else METHODS.values()
    return list(dict.fromkeys(parameter.name for method in methods for parameter in parameters_of(method)))


def _check_axes(found: Findings, plot: Mapping[str, Any], parameters: Sequence[str], where: str) -> None:
    """What a line or a trade-off shows must be a parameter of a run, or a figure."""
    kind, x, y = (str(plot.get(name)) for name in ("kind", "x", "y"))
    if kind == "line" and plot.get("x") is not None and parameters and x not in parameters:
        found.add(where, f"x: no run has a parameter {x!r}.{did_you_mean(x, parameters)}")
    figures = [y] if kind == "line" else [x, y] if kind == "tradeoff" else []
    known = [*known_measures(), *all_figures(), *(parameters if kind == "tradeoff" else ())]
    for axis, name in zip(("y",) if kind == "line" else ("x", "y"), figures, strict=False):
        if plot.get(axis) is not None and name.partition(" of ")[0] not in known and f"{name}_loss" not in known:
            found.add(where, f"{axis}: there is no figure {name!r}.{did_you_mean(name, known)}")


def check_columns_of_plots(found: Findings, experiment: Experiment, data: Any) -> None:
    table = data.table_part
    known = [] if table is None else [*table.names, *data.hierarchy_columns]
    known += experiment.inputs.item_columns
    for number, plot in enumerate(experiment.plots, 1):
        column = plot.get("column") if isinstance(plot, Mapping) else None
        if column is not None and known and column not in known:
            found.add(
                f"plot {number}",
                f"there is no column {column!r} in the data.{did_you_mean(str(column), known)}",
                "unknown-column",
            )
