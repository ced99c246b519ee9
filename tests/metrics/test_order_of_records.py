"""No figure tells in which order the records came: shuffled data give the same figures, to the last digit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.mixed import Mixed
from crypsis.data.transaction import Transactions
from crypsis.errors import CrypsisError
from crypsis.evaluate.applicability import domain_parameters, why_not
from crypsis.evaluate.dataset import can_show, view_of
from crypsis.methods import METHODS, method_named
from crypsis.metrics import METRICS
from crypsis.metrics.itemset_queries import draw_itemsets
from crypsis.metrics.query_workload import drawn_queries
from crypsis.parameters import parameters_of
from crypsis.run_context import RunContext
from crypsis.samples import SAMPLES

PEOPLE = 90
EASY = {"k": 2, "K": 2, "delta": 1.0, "radius": 500.0, "cell": 500.0, "m": 2}
PERCENT = {"u-seq-anon": {"delta": 100.0}}
SLOW = {"clustering_comparison", "pattern_preservation"}  # looked at with one method each
SHUFFLES = 2


@pytest.fixture(scope="module")
def samples() -> list[Any]:
    made: dict[str, Any] = {}
    for sample in SAMPLES.values():
        data = sample.make(PEOPLE)
        made.setdefault(type(data).__name__, data)
    mixed, sets, places = made["Mixed"], made["Transactions"], made["Trajectories"].locations
    made["Transactions"] = replace(sets, sensitive=None)
    made["Trajectories"] = replace(made["Trajectories"], locations=places.marked(places.labels[:1]))
    filled = np.flatnonzero(mixed.transactions.lengths > 0)
    made["Mixed"] = Mixed(
        mixed.table.take(filled), replace(mixed.transactions.take(filled), sensitive=None), mixed.column, mixed.parts
    )
    return list(made.values())


def of_kind(samples: list[Any], accepts: type) -> Any:
    return next(view_of(data, accepts) for data in samples if can_show(type(data), accepts))


def setting_of(name: str) -> Any:
    known = {parameter["name"]: parameter for parameter in METHODS[name].describe()["parameters"]}
    params: dict[str, Any] = {key: value for key, value in EASY.items() if key in known} | PERCENT.get(name, {})
    if "truncate" in known.get("on_infeasible", {}).get("choices", ()):
        params["on_infeasible"] = "truncate"
    typed = {**params}
    for domain in domain_parameters(name):
        typed[domain] = "public-in-data"
    method = method_named(name)
    parsed = {
        parameter.name: parameter.parse(str(typed[parameter.name]), name)
        for parameter in parameters_of(method)
        if parameter.name in typed
    }
    return method(**parsed)


def shuffled(data: Any, order: np.ndarray[Any, Any]) -> Any:
    return data.take(order) if hasattr(data, "take") and len(data) == len(order) else data


def figures(metric: Any, original: Any, published: Any) -> Any:
    try:
        return metric.compute(original, published, seed=3)
    except CrypsisError as error:
        return error.code


@pytest.mark.long
@pytest.mark.parametrize("name", METHODS)
def test_no_figure_depends_on_the_order_of_the_records(name: str, samples: list[Any]) -> None:
    original = of_kind(samples, METHODS[name].accepts)
    if why_not(name, original) is not None:
        pytest.skip(why_not(name, original))
    try:
        setting = setting_of(name)
        published = setting.resolve(original).anonymize(original, RunContext())
    except CrypsisError as error:
        pytest.skip(str(error))
    aligned = not isinstance(published, DisassociatedTransactions) and len(published) == len(original)
    for metric in METRICS.values():
        if metric.name in SLOW and name not in ("seq-anon", "ppsg"):
            continue
        before = figures(metric, original, published)
        for seed in range(SHUFFLES):
            order = np.random.default_rng(seed).permutation(len(original))
            after = figures(metric, shuffled(original, order), shuffled(published, order) if aligned else published)
            assert after == before, metric.name


def test_queries_are_drawn_from_sorted_data(samples: list[Any]) -> None:
    mixed, sets = of_kind(samples, Mixed), of_kind(samples, Transactions)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(mixed))
        assert drawn_queries(mixed.take(order), 20, seed=1) == drawn_queries(mixed, 20, seed=1)
        order = np.random.default_rng(seed).permutation(len(sets))
        assert draw_itemsets(sets.take(order), seed=1) == draw_itemsets(sets, seed=1)
