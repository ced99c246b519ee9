"""PlotRequest: one `[[plot]]` of an experiment, and what is wrong with it: kind, axes, formats, runs and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from crypsis.errors import did_you_mean
from crypsis.evaluate.measures import known_measures
from crypsis.evaluate.problems import Findings
from crypsis.evaluate.runs import EVERY_METHOD, Run, run_label
from crypsis.methods import METHODS
from crypsis.metrics import all_figures
from crypsis.parameters import Checked, parameters_of
from crypsis.translation import marked

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment
    from crypsis.evaluate.plots import Plot

_OPTIONS = ("x", "y", "column", "k", "seed")


@dataclass(frozen=True, kw_only=True)
class PlotRequest(Checked):
    """Which plot is wanted, of what, and in which formats."""

    kind: Annotated[str, "Which plot."]
    x: Annotated[str | None, "What lies along the horizontal axis: a parameter, or a figure."] = None
    y: Annotated[str | None, "Which figure is shown."] = None
    column: Annotated[str | None, "Whose values are shown."] = None
    k: Annotated[int | None, "The size that is required."] = None
    seed: Annotated[int | None, "For what is drawn at random."] = None
    run: Annotated[str | None, "The label of a run; otherwise the plot is of all."] = None
    cell: Annotated[str | None, "The beginning of a cell's id."] = None
    format: Annotated[tuple[str, ...] | None, "Formats of the picture (svg)."] = None
    title: Annotated[str | None, "In place of the usual title."] = None

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> PlotRequest:
        """As it stands in a file, where formats may be one text; keys that a plot does not have say nothing."""
        given = {
            parameter.name: table[parameter.name]
            for parameter in parameters_of(cls)
            if table.get(parameter.name) is not None
        }
        return cls(**{**given, "format": formats_of(given["format"])} if "format" in given else given)

    @property
    def plot(self) -> Plot:
        """The plot that is meant; `BadParameter` where there is none of this kind."""
        from crypsis.evaluate.plots import plot_named

        return plot_named(self.kind)

    @property
    def options(self) -> dict[str, str | int | None]:
        """The options of the plot."""
        return {name: getattr(self, name) for name in _OPTIONS}

    @property
    def formats(self) -> list[str]:
        return formats_of(self.format)

    def to_dict(self) -> dict[str, Any]:
        """As a table of an experiment file."""
        given = {name: value for name, value in self.parameters().items() if value is not None}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}


def formats_of(given: Any) -> list[str]:
    """The formats of `"svg,png"` or `["svg", "png"]`; svg where nothing is said."""
    if given is None:
        return ["svg"]
    names = given.split(",") if isinstance(given, str) else [str(name) for name in given]
    return [name.strip().lower().replace("jpeg", "jpg") for name in names if name.strip()]


def plot_problems(table: Any) -> list[str]:
    """What is wrong with a `[[plot]]` of an experiment file, before anything is run; all problems at once."""
    from crypsis.evaluate.plots import FORMATS, PLOTS

    if not isinstance(table, Mapping):
        return [marked("a plot is a table with a kind")]
    keys = [parameter.name for parameter in parameters_of(PlotRequest)]
    problems = [
        marked(f"a plot has no key '{key}'; its keys are {', '.join(keys)}.{did_you_mean(str(key), keys)}")
        for key in table
        if key not in keys
    ]
    kind = str(table.get("kind", ""))
    name = kind.replace("-", "_")
    if name not in PLOTS:
        problems.append(
            marked(f"there is no plot '{kind}'; the plots are {', '.join(PLOTS)}.{did_you_mean(name, PLOTS)}")
        )
    else:
        plot = PLOTS[name]
        problems += [marked(f"the plot {name} needs '{need}'") for need in plot.needs if table.get(need) is None]
        known = (*plot.needs, *plot.takes)
        unused = [key for key in _OPTIONS if key in table and key not in known]
        problems += [marked(f"the plot {name} takes no '{key}'") for key in unused]
    told = table.get("format")
    if told is not None and not isinstance(told, (str, list)):
        problems.append(marked(f"format must be a text or a list of texts, got {told!r}"))
        told = None
    for format in formats_of(told):
        if format not in FORMATS:
            problems.append(
                marked(
                    f"there is no picture format '{format}'; there are {', '.join(FORMATS)}."
                    f"{did_you_mean(format, FORMATS)}"
                )
            )
    return problems


def read_plots(found: Findings, content: Mapping[str, Any], runs: Sequence[Run]) -> list[PlotRequest]:
    """The plots of an experiment file, and what is wrong with them; one that cannot be drawn is left out."""
    tables = content.get("plot", [])
    if not isinstance(tables, list):
        found.add("plot", "plots are a list of tables, [[plot]]")
        return []
    named = content.get("run")
    whole = isinstance(named, list) and len(runs) == len(named)
    parameters = _parameters_of_runs(runs, whole=whole) if tables and named else []
    requests = []
    for number, table in enumerate(tables, 1):
        where, before = f"plot {number}", len(found.problems)
        for words in found.attempt(where, partial(plot_problems, table)) or ():
            found.add(where, words)
        request = (
            found.attempt(where, partial(PlotRequest.from_table, table)) if len(found.problems) == before else None
        )
        if isinstance(table, Mapping):
            _check_axes(found, table, parameters, where)
            _check_run_of_plot(found, table, named, where)
        if request is not None:
            requests.append(request)
    return requests


def _check_run_of_plot(found: Findings, plot: Mapping[str, Any], runs: Any, where: str) -> None:
    named = [run for run in runs if isinstance(run, Mapping)] if isinstance(runs, list) else []
    labels = [run_label(run, number) for number, run in enumerate(named, 1)]
    every = any(run.get("method") == EVERY_METHOD for run in named)  # whose runs are called by their methods
    if plot.get("run") is not None and not every and plot["run"] not in labels:
        found.add(where, f"there is no run {plot['run']!r}.{did_you_mean(str(plot['run']), labels)}")


def _parameters_of_runs(runs: Sequence[Run], *, whole: bool) -> list[str]:
    """The parameters of every method that a run asks for; all there are, where some run could not be read."""
    named = {run.method for run in runs}
    methods = [METHODS[name] for name in named] if whole and EVERY_METHOD not in named else METHODS.values()
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
    """Check that the data have the columns that plots ask for."""
    table = data.table_part
    known = [] if table is None else [*table.names, *data.hierarchy_columns]
    known += experiment.inputs.item_columns
    for number, plot in enumerate(experiment.plots, 1):
        if plot.column is not None and known and plot.column not in known:
            found.add(
                f"plot {number}",
                f"there is no column {plot.column!r} in the data.{did_you_mean(plot.column, known)}",
                "unknown-column",
            )
