"""What is wrong with runs, before any data are read: methods, parameters, sweeps, labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from crypsis.errors import did_you_mean
from crypsis.evaluate.cells import (
    BOUNDING,
    EVERY_METHOD,
    MOST_CELLS,
    RUN_KEYS,
    default_label,
    method_and_params,
    variations,
)
from crypsis.evaluate.problems import Findings
from crypsis.methods import METHODS
from crypsis.parameters import SideInput, parameters_of

SWEEP_KEYS = ("param", "start", "end", "step", "values")
_TABLES_OF_A_RUN = ("params", "relational", "transaction", "bound", "grid", "sweep")


def check_runs(found: Findings, content: Mapping[str, Any]) -> None:
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


def _check_run(found: Findings, run: Mapping[str, Any], where: str) -> int:
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
    check_parameters(found, name, params, settings or [], where)
    return count


def _with_known_parts(found: Findings, run: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """The run without keys of relational, transaction and bound that nothing has; these are told."""
    known = ["method", *dict.fromkeys(one.name for name in BOUNDING.values() for one in parameters_of(METHODS[name]))]
    kept = dict(run)
    for part in ("relational", "transaction", "bound"):
        if isinstance(run.get(part), Mapping):
            found.table(run[part], f"{where}, {part}", known)
            kept[part] = {key: value for key, value in run[part].items() if key in known}
    return kept


def check_parameters(
    found: Findings, name: str, params: Mapping[str, Any], settings: Iterable[Mapping[str, Any]], where: str
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
