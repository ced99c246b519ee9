"""The sections of an experiment as checked objects, and everything that is wrong with them, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from crypsis.errors import did_you_mean
from crypsis.evaluate.data_checks import check_with_data
from crypsis.evaluate.dataset import Dataset
from crypsis.evaluate.dataset_checks import check_dataset, check_files
from crypsis.evaluate.inputs import Inputs
from crypsis.evaluate.measures import known_measures
from crypsis.evaluate.plot_requests import PlotRequest, read_plots
from crypsis.evaluate.problems import Findings, Problem
from crypsis.evaluate.runs import Run, read_runs
from crypsis.executors.choice import WhereToRun
from crypsis.methods import METHODS
from crypsis.methods.scaling import Scaling
from crypsis.parameters import Above, AtLeast, Checked, parameters_of
from crypsis.reports.about import LABELS, About

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment

TOP_KEYS = (
    "name", "seed", "workers", "dataset", "hierarchy", "policy", "queries", "run", "metrics", "plot", "limits",
    "about", "executor",
)  # fmt: skip
_BEFORE_DATA = ("dataset", "executor", "hierarchy", "policy", "queries")  # without these the data tell nothing yet


@dataclass(frozen=True, kw_only=True)
class Limits(Checked):
    """What one cell may take; None is no limit."""

    seconds: Annotated[float | None, Above(0), "Time of a cell, in seconds."] = None
    memory_mb: Annotated[float | None, Above(0), "Memory of a cell, in megabytes."] = None

    def tightened(self, given: Limits | Mapping[str, float | None] | None) -> Limits:
        """What was given, and of the rest these."""
        known = given.parameters() if isinstance(given, Limits) else given or {}
        return replace(self, **{name: value for name, value in known.items() if value is not None})


@dataclass(frozen=True, kw_only=True)
class Measuring(Checked):
    """The section [metrics]: what is measured; without a list, what is quick and applies."""

    list: Annotated[tuple[str, ...] | None, "The metrics."] = None
    seed: Annotated[int | None, AtLeast(0), "For what metrics draw at random."] = None


@dataclass(frozen=True)
class Sections:
    """What could be read of an experiment file; in place of what could not stand the defaults."""

    runs: list[Run]
    inputs: Inputs
    limits: Limits
    measuring: Measuring
    plots: list[PlotRequest]


def read_sections(content: Mapping[str, Any], folder: Path) -> tuple[Sections, list[Problem]]:
    """The sections of an experiment file and all that is wrong with them, without a look into any other file."""
    found, of_runs = Findings(), Findings()
    content = found.table(content, "experiment", TOP_KEYS)
    found.whole(content, "seed", 0, "experiment")
    found.whole(content, "workers", 1, "experiment")
    found.words(content, "name", "experiment")
    check_dataset(found, content)
    columns = Findings().attempt("dataset", lambda: Dataset(content.get("dataset") or {}, folder).item_columns)
    inputs = Inputs.read(found, content, folder, columns or ())
    limits = found.section(Limits, content.get("limits"), "limits") or Limits()
    about = found.table(content.get("about"), "about", LABELS)
    if about:
        found.attempt("about", lambda: About.of(about))
    measuring = found.section(Measuring, content.get("metrics"), "metrics") or Measuring()
    known = known_measures()
    for name in measuring.list or ():
        if name not in known:
            found.add(
                "metrics", f"there is no metric {name!r}; known are {', '.join(known)}.{did_you_mean(name, known)}"
            )
    runs = read_runs(of_runs, content)
    plots = read_plots(found, content, runs)
    return Sections(runs, inputs, limits, measuring, plots), found.problems + of_runs.problems


def check(experiment: Experiment, of_sections: list[Problem], *, read: bool) -> list[Problem]:
    """All problems of an experiment, with those of its sections; see `Experiment.check`."""
    findings = Findings()
    findings.problems += of_sections
    _check_executor(findings, experiment)
    if read:
        check_files(findings, experiment.inputs)
    if read and not any(problem.where.startswith(_BEFORE_DATA) for problem in findings.problems):
        check_with_data(findings, experiment)
    return findings.problems


def _check_executor(found: Findings, experiment: Experiment) -> None:
    """Where cells run, and whether their methods can be run there."""
    names = [parameter.name for parameter in parameters_of(WhereToRun)]
    section, before = experiment.content.get("executor"), len(found.problems)
    if section is None or (not found.table(section, "executor", names) and section) or len(found.problems) > before:
        return
    found.attempt("executor", lambda: experiment.where)
    for run in experiment.runs:
        method = METHODS.get(run.method)
        if method is not None and method.scaling is Scaling.NONE:
            refusal = method.not_scalable()
            found.add(run.where, refusal.message, refusal.code)
