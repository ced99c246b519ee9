"""What is wrong with an experiment, all at once and before anything runs: names, types, ranges, files, methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from crypsis.errors import did_you_mean
from crypsis.evaluate.data_checks import check_with_data
from crypsis.evaluate.dataset_checks import check_dataset, check_file, check_queries, check_source
from crypsis.evaluate.inputs import POLICIES
from crypsis.evaluate.measures import known_measures
from crypsis.evaluate.plot_checks import check_plots
from crypsis.evaluate.problems import Findings, Problem
from crypsis.executors.choice import WhereToRun
from crypsis.methods import METHODS
from crypsis.methods.scaling import Scaling
from crypsis.parameters import parameters_of
from crypsis.reports.about import LABELS, About

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment

TOP_KEYS = (
    "name", "seed", "workers", "dataset", "hierarchy", "policy", "queries", "run", "metrics", "plot", "limits",
    "about", "executor",
)  # fmt: skip
LIMIT_KEYS = ("seconds", "memory_mb")
METRIC_KEYS = ("list", "seed")


def check(experiment: Experiment, of_runs: Iterable[Problem], *, read: bool) -> list[Problem]:
    """All problems of an experiment, with those of its runs; see `Experiment.check`."""
    found = Findings()
    content = found.table(experiment.content, "experiment", TOP_KEYS)
    found.whole(content, "seed", 0, "experiment")
    found.whole(content, "workers", 1, "experiment")
    found.words(content, "name", "experiment")
    check_dataset(found, content)
    for section, known in (("hierarchy", None), ("policy", POLICIES)):
        for name, told in found.table(content.get(section), section, known).items():
            check_source(found, told, f"{section}.{name}")
            if read:
                check_file(found, experiment, told, f"{section}.{name}")
    check_queries(found, content)
    limits = found.table(content.get("limits"), "limits", LIMIT_KEYS)
    found.number(limits, "seconds", "limits")
    found.number(limits, "memory_mb", "limits")
    about = found.table(content.get("about"), "about", LABELS)
    if about:
        found.attempt("about", lambda: About.of(about))
    check_executor(found, experiment)
    check_metrics(found, content)
    check_plots(found, content, experiment.runs)
    found.problems += of_runs
    given = (
        "dataset",
        "executor",
        "hierarchy",
        "policy",
        "queries",
    )  # where these are wrong, the data can tell nothing yet
    if read and not any(problem.where.startswith(given) for problem in found.problems):
        check_with_data(found, experiment)
    return found.problems


def check_executor(found: Findings, experiment: Experiment) -> None:
    """Where cells run, and whether their methods can be run there."""
    names = [parameter.name for parameter in parameters_of(WhereToRun)]
    told, before = experiment.content.get("executor"), len(found.problems)
    if told is None or (not found.table(told, "executor", names) and told) or len(found.problems) > before:
        return
    found.attempt("executor", lambda: experiment.where)
    for run in experiment.runs:
        method = METHODS.get(run.method)
        if method is not None and method.scaling is Scaling.NONE:
            refusal = method.not_scalable()
            found.add(run.where, refusal.message, refusal.code)


def check_metrics(found: Findings, content: Mapping[str, Any]) -> None:
    told = found.table(content.get("metrics"), "metrics", METRIC_KEYS)
    found.whole(told, "seed", 0, "metrics")
    found.texts(told, "list", "metrics")
    known = known_measures()
    for name in told.get("list", []) if isinstance(told.get("list"), list) else []:
        if name not in known:
            found.add(
                "metrics", f"there is no metric {name!r}; known are {', '.join(known)}.{did_you_mean(str(name), known)}"
            )
