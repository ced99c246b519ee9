"""Run: a method with its parameters, and what of them varies. The tables `[[run]]` are read and checked here, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, TypedDict

from crypsis.errors import BadExperiment, did_you_mean
from crypsis.evaluate.problems import Findings
from crypsis.evaluate.sweeps import MOST_CELLS, varied_values
from crypsis.methods import METHODS
from crypsis.parameters import SideInput, parameters_of

EVERY_METHOD = "*"
BOUNDING = {"RMERGE": "rum-bound", "TMERGE": "tum-bound"}  # the heuristic after the _ is their parameter `merge`
HEURISTICS = ("R", "T", "RT")
SWEEP_KEYS = ("param", "start", "end", "step", "values")
_PARTS = ("relational", "transaction", "bound")
_TABLES = ("params", *_PARTS, "grid", "sweep")
_KEYS = ("label", "method", "except", *_PARTS, "columns", "params", "sweep", "grid", "repeats")


RunTable = TypedDict(
    "RunTable",
    {
        "label": str, "method": str, "except": list[str], "columns": list[str], "params": dict[str, Any],
        "sweep": dict[str, Any], "grid": dict[str, Any], "repeats": int, "relational": dict[str, Any],
        "transaction": dict[str, Any], "bound": dict[str, Any],
    },
    total=False,
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """A method, the parameters that are given, and the values of those that vary.

    `where` is its place in the experiment file, for messages. `labelled` tells whether the file names the run.
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    repeats: int = 1
    label: str = ""
    labelled: bool = False
    where: str = ""

    def settings(self) -> list[Mapping[str, Any]]:
        """What varies: one setting for each point; one empty setting where nothing varies."""
        return [dict(zip(self.varied, values, strict=True)) for values in product(*self.varied.values())]

    def of_method(self, name: str) -> Run:
        """The run of one method out of a run of every method: with the parameters and choices that the method has."""
        known = {parameter.name: parameter for parameter in parameters_of(METHODS[name])}
        params = {
            key: value
            for key, value in self.params.items()
            if key in known and (not known[key].choices or value in known[key].choices)
        }
        return replace(
            self,
            method=name,
            params=params,
            varied={key: values for key, values in self.varied.items() if key in known},
            label=f"{self.label} {name}" if self.labelled else name,
            where=f"{self.where}, {name}",
        )

    def to_dict(self) -> RunTable:
        """As a table of an experiment file, for a run in which nothing varies."""
        return {"method": self.method, "params": dict(self.params)}


def read_runs(found: Findings, content: Mapping[str, Any]) -> list[Run]:
    """The runs of an experiment file, and what is wrong with them; one that names no known method is left out."""
    tables = content.get("run", [])
    if not isinstance(tables, list) or not tables:
        found.add("run", "the experiment has no run; write [[run]] with a method")
        return []
    runs: list[Run] = []
    labels: dict[str, int] = {}
    total = 0
    for number, table in enumerate(tables, 1):
        where = _place(table, number)
        if not isinstance(table, Mapping):
            found.add(where, f"a run is a table, got {table!r}")
            continue
        run = _read_run(found, table, number, where)
        if run is not None:
            runs.append(run)
            total += len(run.settings()) * run.repeats
        label = run_label(table, number)
        if label in labels:
            found.add(where, f"the label {label!r} is that of run {labels[label]} already; give each run its own label")
        labels[label] = number
    if total > MOST_CELLS:
        found.add("run", f"the experiment has {total:,} cells, at most {MOST_CELLS:,} are allowed")
    return runs


def run_label(table: Mapping[str, Any], number: int) -> str:
    """The label of a run; one without is called by its methods."""
    if table.get("label"):
        return str(table["label"])
    if "method" in table:
        return str(table["method"])
    parts = [table.get(part) for part in _PARTS]
    names = [str(part.get("method", "")) for part in parts if isinstance(part, Mapping)]
    return "+".join(name for name in names if name) or f"run {number}"


def _place(table: Any, number: int) -> str:
    label = table.get("label") if isinstance(table, Mapping) else None
    return f"run {number}" + (f", {label!r}" if label else "")


def _read_run(found: Findings, table: Mapping[str, Any], number: int, where: str) -> Run | None:
    found.table(table, where, _KEYS)
    found.whole(table, "repeats", 1, where)
    found.words(table, "label", where)
    found.texts(table, "columns", where)
    found.texts(table, "except", where)
    for name in table["except"] if isinstance(table.get("except"), list) else ():
        if str(name) not in METHODS:
            found.add(
                where, f"except: there is no method {name!r}.{did_you_mean(str(name), METHODS)}", "unknown-method"
            )
    for key in _TABLES:
        found.table(table.get(key), f"{where}, {key}", SWEEP_KEYS if key == "sweep" else None)
    if any(table.get(key) is not None and not isinstance(table[key], Mapping) for key in _TABLES):
        return None
    if not any(key in table for key in ("method", *_PARTS)):
        found.add(where, "the run names no method")
        return None
    parts = _known_parts(found, table, where)
    method = found.attempt(where, lambda: _method_and_params({**table, **parts}))
    varied = found.attempt(where, lambda: varied_values(table))
    if method is None:
        return None
    name, params = method
    if name not in METHODS and name != EVERY_METHOD:
        found.add(
            where,
            f"there is no method {name!r}; known are {', '.join(METHODS)}.{did_you_mean(name, METHODS)}",
            "unknown-method",
        )
        return None
    columns, excluded, repeats = table.get("columns"), table.get("except"), table.get("repeats")
    run = Run(
        name,
        params,
        varied or {},
        tuple(columns) if isinstance(columns, list) else (),
        tuple(excluded) if isinstance(excluded, list) else (),
        repeats if isinstance(repeats, int) else 1,
        run_label(table, number),
        bool(table.get("label")),
        where,
    )
    if name == EVERY_METHOD:
        _check_known_anywhere(found, run)
    else:
        check_parameters(found, run, [] if varied is None else run.settings())
    return None if varied is None else run


def _known_parts(found: Findings, table: Mapping[str, Any], where: str) -> dict[str, Mapping[str, Any]]:
    """The tables relational, transaction and bound without keys that nothing has, which are reported."""
    known = [
        "method",
        *dict.fromkeys(parameter.name for name in BOUNDING.values() for parameter in parameters_of(METHODS[name])),
    ]
    parts: dict[str, Mapping[str, Any]] = {}
    for part in (part for part in _PARTS if isinstance(table.get(part), Mapping)):
        found.table(table[part], f"{where}, {part}", known)
        parts[part] = {key: value for key, value in table[part].items() if key in known}
    return parts


def _method_and_params(table: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The name of a run's method and its parameters, also where it is written as relational, transaction, bound."""
    params = dict(table.get("params") or {})
    if not any(part in table for part in _PARTS):
        return str(table.get("method")), params
    if "method" in table:
        raise BadExperiment("a run has a method, or relational, transaction and bound; not both")
    bound = dict(table.get("bound") or {"method": "RMERGE_R"})
    name = str(bound.pop("method", "RMERGE_R"))
    family, _, heuristic = name.upper().partition("_")
    if family in BOUNDING and heuristic in HEURISTICS:
        name, params["merge"] = BOUNDING[family], heuristic.lower()
    elif name.lower() not in METHODS:
        known = [f"{one}_{part}" for one in BOUNDING for part in HEURISTICS]
        raise BadExperiment(
            f"bound: there is no bounding method {name!r}; known are {', '.join(known)}."
            f"{did_you_mean(name.upper(), known)}"
        )
    else:
        name = name.lower()
    params.update(bound)
    for part in ("relational", "transaction"):
        settings = dict(table.get(part) or {})
        if "method" in settings:
            params[part] = settings.pop("method")
        params.update(settings)
    return name, params


def _check_known_anywhere(found: Findings, run: Run) -> None:
    known = {parameter.name for method in METHODS.values() for parameter in parameters_of(method)}
    for key in [*run.params, *run.varied]:
        if key not in known:
            found.add(run.where, f"no method has a parameter {key!r}.{did_you_mean(key, known)}", "bad-parameter")


def check_parameters(found: Findings, run: Run, settings: Iterable[Mapping[str, Any]]) -> None:
    """Whether the method has these parameters and takes their values, alone and together."""
    name, where, params = run.method, run.where, run.params
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
        if issubclass(known[key].type, SideInput):
            continue  # files are read later
        for value in tried:
            before = len(found.problems)
            found.attempt(where, partial(known[key].check, value, method.__name__))
            sound = sound and len(found.problems) == before
    if not sound:
        return
    plain = {key: value for key, value in params.items() if not issubclass(known[key].type, SideInput)}
    for setting in settings:
        varied = {key: value for key, value in setting.items() if not issubclass(known[key].type, SideInput)}
        found.attempt(where, partial(method, **{**plain, **varied}))
