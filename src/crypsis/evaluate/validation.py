"""What is wrong with an experiment, all at once and before anything runs: names, types, ranges, files, methods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from polars.exceptions import PolarsError

from crypsis.data.formats.compression import existing_file
from crypsis.data.mixed import Mixed
from crypsis.data.relational import ROLES, Table
from crypsis.data.trajectory import Trajectories
from crypsis.data.transaction import Transactions
from crypsis.data.values import COLUMN_TYPES
from crypsis.errors import BadExperiment, CrypsisError, did_you_mean
from crypsis.evaluate.cells import (
    BOUNDING,
    EVERY_METHOD,
    MOST_CELLS,
    RUN_KEYS,
    default_label,
    method_and_params,
    variations,
)
from crypsis.evaluate.dataset import COLUMN_KEYS, ITEMS_TYPE, KEYS, OF_EVERY_KIND, SET_KEYS, can_show, resolved, view_of
from crypsis.evaluate.edits import edit_from_dict
from crypsis.evaluate.inputs import (
    GENERATE_KEYS,
    ITEMS,
    LOCATIONS,
    POLICIES,
    QUERY_KEYS,
    SOURCE_KEYS,
    method_with,
)
from crypsis.evaluate.measures import known_measures
from crypsis.hierarchy import Hierarchy
from crypsis.methods import METHODS
from crypsis.parameters import Companion, parameters_of
from crypsis.reports.utility_words import READINGS

if TYPE_CHECKING:
    from crypsis.evaluate.experiment import Experiment

TOP_KEYS = (
    "name", "seed", "workers", "dataset", "hierarchy", "policy", "queries", "run", "metrics", "plot", "limits",
)  # fmt: skip
SWEEP_KEYS = ("param", "start", "end", "step", "values")
_TABLES_OF_A_RUN = ("params", "relational", "transaction", "bound", "grid", "sweep")
LIMIT_KEYS = ("seconds", "memory_mb")
METRIC_KEYS = ("list", "seed")
_MISUNDERSTOOD = (
    TypeError,
    ValueError,
    KeyError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    PolarsError,
)
_TEXTS_OF_A_DATASET = (
    "separator", "format", "id", "item", "position", "location", "owner", "locations", "user", "time", "lat", "lon",
    "one_per", "x", "y", "t", "repeated", "time_unit",
)  # fmt: skip
_MOST_QUERIES = 1_000_000
NO_COORDINATES = "its locations have no coordinates; give a location table (locations)"
NO_SENSITIVE = "no location is sensitive; name some (sensitive)"


@dataclass(frozen=True)
class Problem:
    """One problem: where it stands in the file, a stable code, and a sentence."""

    where: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message} ({self.where})" if self.where else f"{self.code}: {self.message}"

    def to_dict(self) -> dict[str, str]:
        return {"where": self.where, "code": self.code, "message": self.message}


def refuse(problems: Sequence[Problem]) -> None:
    """Raise `BadExperiment` with all problems, if there are any."""
    if problems:
        _raise(problems)


def _raise(problems: Sequence[Problem]) -> NoReturn:
    number = "a problem" if len(problems) == 1 else f"{len(problems)} problems"
    told = "; ".join(f"{problem.message} ({problem.where})" for problem in problems)
    raise BadExperiment(f"The experiment has {number}: {told}", problems=[problem.to_dict() for problem in problems])


class _Findings:
    """Collects problems while the content is walked."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, where: str, message: str, code: str = "bad-experiment") -> None:
        problem = Problem(where, code, message if message.endswith((".", "?")) else message + ".")
        if problem not in self.problems:
            self.problems.append(problem)

    def attempt(self, where: str, action: Callable[[], Any]) -> Any:
        """What the action gives; an error of ours becomes a problem."""
        try:
            return action()
        except CrypsisError as error:
            message = error.message + (f" [{error.where}]" if error.where else "")
            self.add(where, message, error.code)
            return None
        except _MISUNDERSTOOD as error:  # a value of a type that nobody thought of
            self.add(where, f"it cannot be understood: {type(error).__name__}: {error}")
            return None

    def table(self, content: Any, where: str, known: Collection[str] | None = None) -> Mapping[str, Any]:
        """A table with known keys; anything else is a problem and counts as empty."""
        if content is None:
            return {}
        if not isinstance(content, Mapping):
            self.add(where, f"a table is expected, got {content!r}")
            return {}
        for key in content:
            if known is not None and key not in known:
                self.add(where, f"there is no key {key!r}; known are {', '.join(known)}.{did_you_mean(key, known)}")
        return content

    def whole(self, content: Mapping[str, Any], key: str, lowest: int, where: str) -> None:
        value = content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < lowest):
            self.add(where, f"{key} must be a whole number of at least {lowest}, got {value!r}")

    def number(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0):
            self.add(where, f"{key} must be a number above 0, got {value!r}")

    def text(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self.add(where, f"{key} must be a text, got {value!r}")

    def words(self, content: Mapping[str, Any], key: str, where: str) -> None:
        """A text that may be empty."""
        if not isinstance(content.get(key, ""), str):
            self.add(where, f"{key} must be a text, got {content[key]!r}")

    def flag(self, content: Mapping[str, Any], key: str, where: str) -> None:
        if not isinstance(content.get(key, False), bool):
            self.add(where, f"{key} must be true or false, got {content[key]!r}")

    def texts(self, content: Mapping[str, Any], key: str, where: str) -> None:
        value = content.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            self.add(where, f"{key} must be a list of texts, got {value!r}")


def check(experiment: Experiment, *, read: bool) -> list[Problem]:
    """All problems of an experiment; see `Experiment.check`."""
    found = _Findings()
    content = found.table(experiment.content, "experiment", TOP_KEYS)
    found.whole(content, "seed", 0, "experiment")
    found.whole(content, "workers", 1, "experiment")
    found.words(content, "name", "experiment")
    _check_dataset(found, content)
    for section, known in (("hierarchy", None), ("policy", POLICIES)):
        for name, told in found.table(content.get(section), section, known).items():
            _check_source(found, told, f"{section}.{name}")
            if read:
                _check_file(found, experiment, told, f"{section}.{name}")
    _check_queries(found, content)
    limits = found.table(content.get("limits"), "limits", LIMIT_KEYS)
    found.number(limits, "seconds", "limits")
    found.number(limits, "memory_mb", "limits")
    _check_metrics(found, content)
    _check_plots(found, content)
    _check_runs(found, content)
    given = ("dataset", "hierarchy", "policy", "queries")  # where these are wrong, the data can tell nothing yet
    if read and not any(problem.where.startswith(given) for problem in found.problems):
        _check_with_data(found, experiment)
    return found.problems


def _check_dataset(found: _Findings, content: Mapping[str, Any]) -> None:
    if "dataset" not in content:
        found.add("dataset", "the experiment names no data; write [dataset] with a path")
        return
    kind = content["dataset"].get("kind") if isinstance(content["dataset"], Mapping) else None
    if kind is not None and str(kind) not in KEYS:
        found.add(
            "dataset",
            f"there is no kind of data {kind!r}; the kinds are {', '.join(KEYS)}.{did_you_mean(str(kind), KEYS)}",
        )
        kind = None
    every = [key for keys in KEYS.values() for key in keys] if kind is None else list(KEYS[kind])
    section = found.table(content["dataset"], "dataset", list(dict.fromkeys([*OF_EVERY_KIND, *every])))
    if not isinstance(section.get("path"), str) or not section.get("path"):
        found.add("dataset", "path must name the file with the data")
    found.whole(section, "rows", 1, "dataset")
    found.number(section, "grid", "dataset")
    for key in ("missing", "sensitive"):
        found.texts(section, key, "dataset")
    for key in ("as_missing", "sort"):
        found.flag(section, key, "dataset")
    for key in _TEXTS_OF_A_DATASET:
        found.text(section, key, "dataset")
    if section.get("rest") is not None and section["rest"] not in ROLES:
        found.add("dataset", f"rest must be one of {', '.join(ROLES)}, got {section['rest']!r}")
    for name, column in found.table(section.get("columns"), "dataset.columns").items():
        where = f"dataset.columns.{name}"
        told = found.table(column, where, COLUMN_KEYS)
        types = (*COLUMN_TYPES, ITEMS_TYPE)
        if told.get("type") is not None and told["type"] not in types:
            found.add(where, f"type must be one of {', '.join(types)}, got {told['type']!r}")
        if told.get("role") is not None and told["role"] not in ROLES:
            found.add(where, f"role must be one of {', '.join(ROLES)}, got {told['role']!r}")
        found.texts(told, "sensitive", where)
        found.text(told, "item_separator", where)
    for name, told in found.table(section.get("sets"), "dataset.sets").items():
        where = f"dataset.sets.{name}"
        told = found.table(told, where, SET_KEYS)
        for key in ("missing", "sensitive"):
            found.texts(told, key, where)
        found.text(told, "separator", where)
        for key in ("path", "id", "item"):
            if not isinstance(told.get(key), str):
                found.add(where, f"{key} must be given")
    edits = section.get("edits", [])
    if not isinstance(edits, list):
        found.add("dataset.edits", "edits are a list of tables, [[dataset.edits]]")
        return
    for number, edit in enumerate(edits, 1):
        found.attempt(f"dataset.edits {number}", partial(edit_from_dict, edit))


def section_problems(section: Mapping[str, Any]) -> list[Problem]:
    """What is wrong with the values of a table [dataset], whatever its kind of data and before anything is read."""
    found = _Findings()
    told = {key: value for key, value in section.items() if key != "kind" and value is not None}
    _check_dataset(found, {"dataset": {"path": "as it is", **told}})
    return found.problems


def _check_source(found: _Findings, told: Any, where: str) -> None:
    told = found.table(told, where, SOURCE_KEYS)
    if len([key for key in SOURCE_KEYS if isinstance(told.get(key), str)]) != 1:
        found.add(where, "give either path, a file, or auto, a recipe such as auto = 'equi_depth(8)'")


def _check_file(found: _Findings, experiment: Experiment, told: Any, where: str) -> None:
    """A file that is not there; a hierarchy or policy can also be built."""
    if not isinstance(told, Mapping) or not isinstance(told.get("path"), str):
        return
    try:
        existing_file(resolved(told["path"], experiment.folder))
    except CrypsisError as error:
        recipe = "auto = 'auto'" if where.startswith("hierarchy") else "auto with a recipe"
        found.add(where, f"{error.message} Or have it built from the data: {recipe} in place of path.", error.code)


def _check_queries(found: _Findings, content: Mapping[str, Any]) -> None:
    told = found.table(content.get("queries"), "queries", QUERY_KEYS)
    if len(told) > 1:
        found.add("queries", "give one of path, list and generate")
    generate = found.table(told.get("generate"), "queries.generate", GENERATE_KEYS)
    for key, lowest in (("count", 1), ("relational", 0), ("items", 0), ("seed", 0)):
        found.whole(generate, key, lowest, "queries.generate")
        if isinstance(generate.get(key), int) and generate[key] > _MOST_QUERIES and key != "seed":
            found.add("queries.generate", f"{key} must be at most {_MOST_QUERIES:,}, got {generate[key]:,}")
    found.texts(told, "list", "queries")


def _check_metrics(found: _Findings, content: Mapping[str, Any]) -> None:
    told = found.table(content.get("metrics"), "metrics", METRIC_KEYS)
    found.whole(told, "seed", 0, "metrics")
    found.texts(told, "list", "metrics")
    known = known_measures()
    for name in told.get("list", []) if isinstance(told.get("list"), list) else []:
        if name not in known:
            found.add(
                "metrics", f"there is no metric {name!r}; known are {', '.join(known)}.{did_you_mean(str(name), known)}"
            )


def _check_plots(found: _Findings, content: Mapping[str, Any]) -> None:
    plots = content.get("plot", [])
    if not isinstance(plots, list):
        found.add("plot", "plots are a list of tables, [[plot]]")
        return
    if not plots:
        return
    from crypsis.evaluate.plots.of_store import section_problems

    parameters = _parameters_of_runs(content)
    for number, plot in enumerate(plots, 1):
        for words in found.attempt(f"plot {number}", partial(section_problems, plot)) or ():
            found.add(f"plot {number}", words)
        if isinstance(plot, Mapping):
            _check_axes(found, plot, parameters, f"plot {number}")
            _check_run_of_plot(found, plot, content.get("run"), f"plot {number}")


def _check_run_of_plot(found: _Findings, plot: Mapping[str, Any], runs: Any, where: str) -> None:
    named = [run for run in runs if isinstance(run, Mapping)] if isinstance(runs, list) else []
    labels = [run_label(run, number) for number, run in enumerate(named, 1)]
    every = any(run.get("method") == EVERY_METHOD for run in named)  # whose runs are called by their methods
    if plot.get("run") is not None and not every and plot["run"] not in labels:
        found.add(where, f"there is no run {plot['run']!r}.{did_you_mean(str(plot['run']), labels)}")


def _parameters_of_runs(content: Mapping[str, Any]) -> list[str]:
    """The parameters of every method that a run asks for; all there are, where that cannot be told."""
    names: dict[str, None] = {}
    runs = content.get("run")
    for run in runs if isinstance(runs, list) else ():
        try:
            name = method_and_params(run)[0]
        except (CrypsisError, *_MISUNDERSTOOD):
            name = EVERY_METHOD
        for method in [METHODS[name]] if name in METHODS else METHODS.values():
            names |= {parameter.name: None for parameter in parameters_of(method)}
    return list(names)


def _check_axes(found: _Findings, plot: Mapping[str, Any], parameters: Sequence[str], where: str) -> None:
    """What a line or a trade-off shows must be a parameter of a run, or a figure."""
    kind, x, y = (str(plot.get(name)) for name in ("kind", "x", "y"))
    if kind == "line" and plot.get("x") is not None and parameters and x not in parameters:
        found.add(where, f"x: no run has a parameter {x!r}.{did_you_mean(x, parameters)}")
    figures = [y] if kind == "line" else [x, y] if kind == "tradeoff" else []
    known = [*known_measures(), *READINGS, *(parameters if kind == "tradeoff" else ())]
    for axis, name in zip(("y",) if kind == "line" else ("x", "y"), figures, strict=False):
        if plot.get(axis) is not None and name.partition(" of ")[0] not in known and f"{name}_loss" not in known:
            found.add(where, f"{axis}: there is no figure {name!r}.{did_you_mean(name, known)}")


def _check_runs(found: _Findings, content: Mapping[str, Any]) -> None:
    runs = content.get("run", [])
    if not isinstance(runs, list) or not runs:
        found.add("run", "the experiment has no run; write [[run]] with a method")
        return
    labels: dict[str, int] = {}
    total = 0
    for number, run in enumerate(runs, 1):
        where = run_place(run, number)
        if not isinstance(run, Mapping):
            found.add(where, f"a run is a table, got {run!r}")
            continue
        total += _check_run(found, run, where)
        label = run_label(run, number)
        if label in labels:
            found.add(where, f"the label {label!r} is that of run {labels[label]} already; give each run its own label")
        labels[label] = number
    if total > MOST_CELLS:
        found.add("run", f"the experiment has {total:,} cells, at most {MOST_CELLS:,} are allowed")


def run_label(run: Mapping[str, Any], number: int) -> str:
    return str(run.get("label") or default_label(run, number))


def run_place(run: Any, number: int) -> str:
    label = run.get("label") if isinstance(run, Mapping) else None
    return f"run {number}" + (f", {label!r}" if label else "")


def _check_run(found: _Findings, run: Mapping[str, Any], where: str) -> int:
    """Check one run; returns its number of cells."""
    found.table(run, where, RUN_KEYS)
    found.whole(run, "repeats", 1, where)
    found.words(run, "label", where)
    found.texts(run, "columns", where)
    found.texts(run, "except", where)
    for name in run["except"] if isinstance(run.get("except"), list) else ():
        if str(name) not in METHODS:
            found.add(
                where, f"except: there is no method {name!r}.{did_you_mean(str(name), METHODS)}", "unknown-method"
            )
    for key in _TABLES_OF_A_RUN:
        found.table(run.get(key), f"{where}, {key}")
    sweep = run.get("sweep")
    if sweep is not None:
        found.table(sweep, f"{where}, sweep", SWEEP_KEYS)
    if any(run.get(key) is not None and not isinstance(run[key], Mapping) for key in _TABLES_OF_A_RUN):
        return 0
    if not any(key in run for key in ("method", "relational", "transaction", "bound")):
        found.add(where, "the run names no method")
        return 0
    run = _with_known_parts(found, run, where)
    resolved = found.attempt(where, lambda: method_and_params(run))
    settings = found.attempt(where, lambda: variations(run))
    repeats = run.get("repeats", 1)
    count = len(settings or ()) * (repeats if isinstance(repeats, int) else 1)
    if resolved is None:
        return count
    name, params = resolved
    if name == EVERY_METHOD:
        known = {parameter.name for method in METHODS.values() for parameter in parameters_of(method)}
        for key in [*params, *(settings or [{}])[0]]:
            if key not in known:
                found.add(where, f"no method has a parameter {key!r}.{did_you_mean(key, known)}", "bad-parameter")
        return count
    if name not in METHODS:
        found.add(
            where,
            f"there is no method {name!r}; known are {', '.join(METHODS)}.{did_you_mean(name, METHODS)}",
            "unknown-method",
        )
        return count
    _check_parameters(found, name, params, settings or [], where)
    return count


def _with_known_parts(found: _Findings, run: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The run without keys of relational, transaction and bound that nothing has; these are told."""
    known = ["method", *dict.fromkeys(one.name for name in BOUNDING.values() for one in parameters_of(METHODS[name]))]
    kept = dict(run)
    for part in ("relational", "transaction", "bound"):
        if isinstance(run.get(part), Mapping):
            found.table(run[part], f"{where}, {part}", known)
            kept[part] = {key: value for key, value in run[part].items() if key in known}
    return kept


def _check_parameters(
    found: _Findings, name: str, params: Mapping[str, Any], settings: Iterable[Mapping[str, Any]], where: str
) -> None:
    method = METHODS[name]
    known = {parameter.name: parameter for parameter in parameters_of(method)}
    values: dict[str, list[Any]] = {key: [value] for key, value in params.items()}
    for setting in settings:
        for key, value in setting.items():
            values.setdefault(key, []).append(value)
    sound = True
    for key, tried in values.items():
        if key not in known:
            found.add(
                where,
                f"{name} has no parameter {key!r}; it has {', '.join(known)}.{did_you_mean(key, known)}",
                "bad-parameter",
            )
            sound = False
            continue
        if issubclass(known[key].type, Companion):
            continue  # files are read later
        for value in tried:
            before = len(found.problems)
            found.attempt(where, partial(known[key].check, value, method.__name__))
            sound = sound and len(found.problems) == before
    if not sound:
        return
    plain = {key: value for key, value in params.items() if not issubclass(known[key].type, Companion)}
    for setting in settings:
        varied = {key: value for key, value in setting.items() if not issubclass(known[key].type, Companion)}
        found.attempt(where, partial(method, **{**plain, **varied}))


def _check_with_data(found: _Findings, experiment: Experiment) -> None:
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
    _check_columns_of_plots(found, experiment, data)
    for number, run in enumerate(experiment.runs, 1):
        if not isinstance(run, Mapping):
            continue
        where = run_place(run, number)
        try:
            name, params = method_and_params(run)
            settings = variations(run)
        except (CrypsisError, *_MISUNDERSTOOD):
            continue  # told already
        if name == EVERY_METHOD:
            each = found.attempt(where, partial(experiment.run_of_each_method, run))
            if each is None:
                continue
            if not each:
                found.add(where, f"no method applies to {type(data).__name__}", "not-applicable")
            repeats = run.get("repeats", 1)
            count = sum(len(variations(one)) for one in each) * (repeats if isinstance(repeats, int) else 1)
            if count > MOST_CELLS:
                found.add(where, f"{len(each)} methods give {count:,} cells, at most {MOST_CELLS:,} are allowed")
                continue
            for one in each:
                place = f"{where}, {one['method']}"
                _check_parameters(found, one["method"], one["params"], variations(one), place)
                if sound:
                    _check_companions(found, experiment, data, one, one["method"], {}, place)
            continue
        if name not in METHODS:
            continue
        reason = why_not(name, data)
        if reason is not None:
            found.add(where, f"{name} cannot be run: {reason}", "not-applicable")
            continue
        first = {**params, **(settings[0] if settings else {})}
        if sound:
            _check_companions(found, experiment, data, run, name, first, where)


def _check_workload(found: _Findings, experiment: Experiment, data: Any) -> None:
    """Queries of a file or a list must be in the language, and about columns and values that there are."""
    from crypsis.metrics.query_answers import actual_counts

    queries = found.attempt("queries", partial(experiment.inputs.workload, data))
    if queries and "generate" not in experiment.inputs.queries:
        found.attempt("queries", partial(actual_counts, data, queries))


def _check_hierarchies(found: _Findings, experiment: Experiment, data: Any) -> None:
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
        elif table and "path" in inputs.hierarchy[name]:
            found.attempt(f"hierarchy.{name}", partial(_check_leaves, experiment, view_of(data, Table), name))


def _check_leaves(experiment: Experiment, table: Table, name: str) -> None:
    """Every value of a quasi-identifier must be a leaf of its hierarchy."""
    if name not in table.names or table.column(name).role != "quasi":
        return
    told = table.column(name)
    path = resolved(str(experiment.inputs.hierarchy[name]["path"]), experiment.folder)
    Hierarchy.from_file(path).leaves_of(told.domain, told.type, name)


def _check_columns_of_plots(found: _Findings, experiment: Experiment, data: Any) -> None:
    held = data.table if isinstance(data, Mixed) else data
    known = [*(held.names if isinstance(held, Table) else ()), *experiment.inputs.item_columns]
    known += [data.column] if isinstance(data, Mixed) else []
    for number, plot in enumerate(experiment.plots, 1):
        column = plot.get("column") if isinstance(plot, Mapping) else None
        if column is not None and known and column not in known:
            found.add(
                f"plot {number}",
                f"there is no column {column!r} in the data.{did_you_mean(str(column), known)}",
                "unknown-column",
            )


def _check_companions(
    found: _Findings,
    experiment: Experiment,
    data: Any,
    run: Mapping[str, Any],
    name: str,
    params: Mapping[str, Any],
    where: str,
) -> None:
    """Whether the hierarchies, policies and other files that a method is given can be read."""
    method = METHODS[name]
    known = {parameter.name for parameter in parameters_of(method)}
    given = {key: value for key, value in params.items() if key in known}
    viewed = found.attempt(where, partial(view_of, data, method.accepts, run.get("columns", ())))
    if viewed is not None:
        found.attempt(where, partial(method_with, method, experiment.inputs, viewed, given))


def why_not(method: str, data: Any) -> str | None:
    """Why a method cannot be run on these data, in words; None where it can."""
    kind = METHODS[method]
    if not can_show(type(data), kind.accepts):
        wanted = {"Transactions": "a column of items", "Table": "a table", "Mixed": "a table with a column of items"}
        need = wanted.get(kind.accepts.__name__, kind.accepts.__name__)
        return f"it anonymizes {kind.accepts.__name__} ({need}), and the data are {type(data).__name__}"
    locations = getattr(data, "locations", None)
    if locations is not None and "coordinates" in kind.needs and not getattr(locations, "has_coordinates", True):
        return NO_COORDINATES
    marked = getattr(locations, "sensitive", None)
    if "sensitive locations" in kind.needs and (marked is None or not marked.any()):
        return NO_SENSITIVE
    return None


def domain_parameters(method: str) -> list[str]:
    """The parameters with which a method is told what is public whoever is in the data; none where it needs no such."""
    kind = METHODS[method]
    if "declared domains" not in kind.needs:
        return []
    return [one.name for one in parameters_of(kind) if one.name == "domains" or one.name.endswith("_domain")]


def declares_domains(method: str, params: Mapping[str, Any]) -> bool:
    """Whether a run says something about each kind of domain that a method cannot do without."""
    needed = domain_parameters(method)
    return not needed or any(name in params for name in needed)


def applicable_methods(data: Any, columns: Sequence[str] = ()) -> list[str]:
    """Every method that can be run on these data, in the order of the registry."""
    found = []
    for name, method in METHODS.items():
        if why_not(name, data) is not None:
            continue
        if columns:
            try:
                view_of(data, method.accepts, columns)
            except CrypsisError:
                continue
        found.append(name)
    return found
