"""What is wrong with an experiment in the light of its data: columns, values, methods that do not apply."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from crypsis.data.microdata import ITEMS, LOCATIONS
from crypsis.data.relational import Table
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.errors import did_you_mean
from crypsis.evaluate.applicability import why_not
from crypsis.evaluate.dataset import can_show, view_of
from crypsis.evaluate.inputs import method_with
from crypsis.evaluate.plot_requests import check_columns_of_plots
from crypsis.evaluate.problems import Findings
from crypsis.evaluate.runs import EVERY_METHOD, Run, check_parameters
from crypsis.evaluate.sweeps import MOST_CELLS
from crypsis.hierarchy import Hierarchy
from crypsis.methods import METHODS
from crypsis.parameters import parameters_of

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment


def check_with_data(found: Findings, experiment: Experiment) -> None:
    """What only the data can tell: whether they can be read, and which methods apply to them."""
    before = len(found.problems)
    data = found.attempt("dataset", experiment.dataset.load)
    if data is None or len(found.problems) > before:
        return
    _check_workload(found, experiment, data)
    _check_hierarchies(found, experiment, data)
    for name in experiment.inputs.policy:
        found.attempt(f"policy.{name}", partial(getattr(experiment.inputs, name), data))
    sound = len(found.problems) == before  # else every run that is given them would tell the same again
    check_columns_of_plots(found, experiment, data)
    for run in experiment.runs:
        if run.method == EVERY_METHOD:
            _check_every_method(found, experiment, data, run, inputs=sound)
            continue
        reason = why_not(run.method, data)
        if reason is not None:
            found.add(run.where, f"{run.method} cannot be run: {reason}", "not-applicable")
            continue
        found.attempt("dataset", partial(METHODS[run.method].check_people, data))
        if sound:
            _check_side_inputs(found, experiment, data, run, {**run.params, **run.settings()[0]})


def _check_every_method(found: Findings, experiment: Experiment, data: Any, run: Run, *, inputs: bool) -> None:
    """Check the run of each method that applies; with `inputs` also the files that it is given."""
    each = found.attempt(run.where, partial(experiment.expand, run))
    if each is None:
        return
    if not each:
        found.add(run.where, f"no method applies to {type(data).__name__}", "not-applicable")
    count = sum(len(one.settings()) for one in each) * run.repeats
    if count > MOST_CELLS:
        found.add(run.where, f"{len(each)} methods give {count:,} cells, at most {MOST_CELLS:,} are allowed")
        return
    for one in each:
        found.attempt("dataset", partial(METHODS[one.method].check_people, data))
        check_parameters(found, one, one.settings())
        if inputs:
            _check_side_inputs(found, experiment, data, one, {})


def _check_workload(found: Findings, experiment: Experiment, data: Any) -> None:
    """Queries of a file or a list must be in the language, and about columns and values that there are."""
    from crypsis.metrics.query_answers import actual_counts

    queries = found.attempt("queries", partial(experiment.inputs.workload, data))
    if queries and experiment.inputs.queries.drawn is None:
        found.attempt("queries", partial(actual_counts, data, queries))


def _check_hierarchies(found: Findings, experiment: Experiment, data: Any) -> None:
    """A hierarchy is that of a column, of the items or of the locations; its recipe is one that there is."""
    inputs = experiment.inputs
    table, items, places = (can_show(type(data), kind) for kind in (Table, Transactions, Trajectories))
    known = [*(experiment.dataset.option("columns") or {}), *inputs.item_columns]
    known += [*view_of(data, Table).names] if table else []
    known += [ITEMS, getattr(data, "column", ITEMS)] if items else []
    known += [LOCATIONS] if places or not (table or items) else []
    before = len(found.problems)
    found.attempt("hierarchy", partial(inputs.hierarchies, data))
    if len(found.problems) > before:
        return
    for name in inputs.hierarchy:
        if name not in known and (table or len(inputs.hierarchy) > 1 or not items):
            found.add(f"hierarchy.{name}", f"there is no column {name!r} in the data.{did_you_mean(name, known)}")
        elif items and name == inputs.hierarchy_of_items(data):
            found.attempt(f"hierarchy.{name}", partial(inputs.item_hierarchy, data))
        elif name == LOCATIONS and not table:
            found.attempt(f"hierarchy.{name}", partial(inputs.taxonomy, data))
        elif table and inputs.hierarchy[name].path is not None:
            found.attempt(f"hierarchy.{name}", partial(_check_leaves, experiment, view_of(data, Table), name))


def _check_leaves(experiment: Experiment, table: Table, name: str) -> None:
    """Every value of a quasi-identifier must be a leaf of its hierarchy."""
    if name not in table.names or table.column(name).role != "quasi":
        return
    column = table.column(name)
    file = experiment.inputs.file_of(experiment.inputs.hierarchy[name])
    if file is not None:
        Hierarchy.from_file(file).leaves_of(column.domain, column.type, name)


def _check_side_inputs(found: Findings, experiment: Experiment, data: Any, run: Run, params: Mapping[str, Any]) -> None:
    """Whether the hierarchies, policies and other files that a method is given can be read."""
    method = METHODS[run.method]
    known = {parameter.name for parameter in parameters_of(method)}
    given = {key: value for key, value in params.items() if key in known}
    viewed = found.attempt(run.where, partial(view_of, data, method.accepts, run.columns))
    if viewed is not None:
        found.attempt(run.where, partial(method_with, method, experiment.inputs, viewed, given))
