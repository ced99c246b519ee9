"""Private methods on data cut into parts, compared with the same noise on the same data in memory, draw by draw."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from crypsis import (
    AttributeDomains,
    BudgetLedger,
    CategoryDomain,
    CategoryTrees,
    Events,
    ItemDomain,
    LocationDomain,
    NGrams,
    NumericDomain,
    Table,
    TimeDomain,
    Transactions,
)
from crypsis.executors.executor import Executor
from crypsis.ledger import LedgerState
from crypsis.methods import METHODS
from crypsis.methods.private_method import PrivateMethod
from crypsis.methods.scaling import Scaling
from crypsis.noise import ExactNoise
from crypsis.run_context import RunContext
from tests.noise.providers import SeededEntropy
from tests.shards.cut_sets import random_cuts

EXACT = [method for method in METHODS.values() if issubclass(method, PrivateMethod) and method.scaling is Scaling.EXACT]
NAMES = sorted(method.name() for method in EXACT)
BY_CHANCE = {"ledger_digest", "key"}  # drawn anew for every run


class Watched(ExactNoise):
    """Noise from a seed, with every question and every answer."""

    def __init__(self, seed: int, log: list[Any]) -> None:
        super().__init__(SeededEntropy(seed))
        self.publishable = True
        self.log = log

    def _noted(self, name: str, *given: Any) -> Any:
        answer = getattr(super(), name)(*given)
        self.log.append((name, [_plain(value) for value in given], _plain(answer)))
        return answer

    def laplace(self, counts, epsilon):
        return self._noted("laplace", counts, epsilon)

    def passing_zeros(self, total, epsilon, threshold):
        return self._noted("passing_zeros", total, epsilon, threshold)

    def select_each(self, scores, offsets, epsilon, sensitivity):
        return self._noted("select_each", scores, offsets, epsilon, sensitivity)

    def points(self, blocks, epsilon, sensitivity):
        lists = [blocks.scores(number) for number in range(len(blocks))]
        self.log.append(("split points", [(first, np.asarray(scores).tolist()) for first, scores in lists]))
        answer = super().points(blocks, epsilon, sensitivity)
        self.log.append(("points", _plain(epsilon), sensitivity, _plain(answer)))
        return answer


class WatchedLedger(BudgetLedger):
    """A ledger that tells when it is charged."""

    def __init__(self, log: list[Any]) -> None:
        super().__init__("never-written.ledger")
        self.log = log

    def charge(self, epsilon, what, *, dataset=None, unit="person", relation="add-or-remove-one"):
        self.log.append(("charge", epsilon, what, dataset, unit, relation))
        return "a charge"

    def state(self):
        return LedgerState("people", "person", "add-or-remove-one")


def drawn(name: str, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Random data and parameters of a method for them."""
    return _DRAWN[METHODS[name].accepts](name, rng)


def random_people(name: str, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
    """Numbers, categories with and without a tree, missing values, values outside the domains; people repeat."""
    n = int(rng.integers(0, 80))
    columns: dict[str, list[Any]] = {
        "uid": rng.integers(0, max(n, 1), n).tolist(),
        "age": rng.integers(15, 70, n).tolist(),
        "pay": (rng.integers(-4, 90, n) / 2).tolist(),
        "place": ["abcdef"[one] for one in rng.integers(0, 6, n)],
        "town": [f"t{one}" for one in rng.integers(0, 4, n)],
        "kind": ["pqr"[one] for one in rng.integers(0, 3, n)],
    }
    for column in ("age", "place", "town"):
        for row in np.flatnonzero(rng.random(n) < 0.05).tolist():
            columns[column][row] = None
    types = {"uid": pl.Int64, "age": pl.Int64, "pay": pl.Float64}
    frame = pl.DataFrame({one: pl.Series(values, dtype=types.get(one, pl.String)) for one, values in columns.items()})
    roles = {"uid": "identifier", "age": "quasi", "pay": "sensitive", "place": "quasi", "town": "quasi"}
    roles["kind"] = str(rng.choice(["label", "other"]))
    several = bool(rng.integers(0, 2))
    whose = {"person": "uid"} if several else {"each_row_is_a_person": True}
    table = Table.from_frame(frame, roles, {"town": "category", "place": "category", "kind": "category"}, **whose)
    domains: dict[str, Any] = {
        "age": NumericDomain(18, 66),
        "pay": NumericDomain(0.0, 40.0, bins=int(rng.choice([7, 400, 40_000]))),
        "town": CategoryDomain(("t0", "t1", "t2")),
        "kind": CategoryDomain(("p", "q", "r")),
    }
    tree = {"any": {"ab": {"a": {}, "b": {}}, "c": {}, "de": {"d": {}, "e": {}}}}
    multi = name == "diff-multi"
    scores = ["max", "discernibility", "ncp", "ncp_gain"] if multi else ["max", "ncp_gain"]
    options = {
        "domains": AttributeDomains(domains),
        "trees": CategoryTrees({"place": tree}),
        "specializations": int(rng.integers(0, 40 if multi else 8)),
        "score": str(rng.choice(scores)),
        "clamp": bool(rng.integers(0, 2)),
        "records_per_person": int(rng.integers(1, 3)) if several else 1,
    }
    if multi:
        options |= {"top_up": str(rng.choice(["path", "longest", "none"])), "max_depth": int(rng.integers(0, 9))}
    return table, options


def random_baskets(name: str, rng: np.random.Generator) -> tuple[Transactions, dict[str, Any]]:
    """Sets of few items, some of which are in no domain; some sets are empty, and people may have several."""
    n, n_items = int(rng.integers(0, 90)), int(rng.integers(1, 14))
    weights = rng.uniform(0.05, 0.9, n_items)
    lists = [[f"w{item:02d}" for item in np.flatnonzero(rng.random(n_items) < weights)] for _ in range(n)]
    several = bool(rng.integers(0, 2))
    person = [f"u{one}" for one in rng.integers(0, max(n, 1), n)] if several else None
    options = {
        "item_domain": ItemDomain([f"w{item:02d}" for item in range(int(rng.integers(0, 3)), n_items + 3)]),
        "fan_out": int(rng.integers(2, 6)),
        "deviations": int(rng.integers(1, 3)),
        "itemset_deviations": int(rng.integers(1, 3)),
        "thresholds": str(rng.choice(["bounded", "printed"])),
        "records_per_person": int(rng.integers(1, 3)) if several else 1,
    }
    return Transactions.from_lists(lists, person=person), options


def random_rides(name: str, rng: np.random.Generator) -> tuple[Events, dict[str, Any]]:
    """Visits of people in any order, some at places or times outside the domains, some told twice."""
    n, n_places, n_times = int(rng.integers(0, 300)), int(rng.integers(1, 6)), int(rng.integers(1, 9))
    people = rng.integers(0, max(n // 3, 1), n)
    rides = [
        (f"u{who}", f"p{place}", int(time))
        for who, place, time in zip(
            people, rng.integers(0, n_places + 1, n), rng.integers(-1, n_times + 1, n), strict=True
        )
    ]
    options: dict[str, Any] = {
        "location_domain": LocationDomain(f"p{number}" for number in range(n_places)),
        "time_domain": TimeDomain(0, n_times),
    }
    order = str(rng.choice(["canonical", "nondecreasing", "strict"]))
    if name == "safe-path":
        options |= {"height": int(rng.integers(1, 5)), "scheme": str(rng.choice(["uniform", "flat"])), "order": order}
        options |= {"location_height": int(rng.integers(0, 3)), "time_height": int(rng.integers(0, 3))}
    elif name == "seq-pt":
        options |= {"height": int(rng.integers(1, 3)), "order": order}
    else:
        options |= {"grams": int(rng.integers(1, 4)), "longest": int(rng.integers(1, 6))}
        options |= {"tokens": str(rng.choice(["visits", "places"])), "threshold": int(rng.integers(1, 40))}
    return Events.from_lists(rides), options


_DRAWN: dict[type, Any] = {Table: random_people, Transactions: random_baskets, Events: random_rides}


def outcome(method: Any, data: Any, seed: int, log: list[Any]) -> dict[str, Any]:
    """What is published, the ledger of the run, and what only the publisher sees."""
    context = RunContext()
    run = getattr(method, "generalized", None) or method.synthesized
    chance = {"entropy": SeededEntropy(seed)} if isinstance(method, NGrams) else {}
    made = run(data, context, Watched(seed, log), **chance)
    budget = {name: value for name, value in made.budget.items() if name not in BY_CHANCE}
    facts = {name: _plain(value) for name, value in context.private.items() if name != "ledger"}
    return {"shown": made.to_lists(), "budget": budget, "ledger": made.ledger["ledger"], "facts": facts}


def compare_private(name: str, seed: int, executor: Executor) -> None:
    """Equal questions to the noise in equal order, after one charge, and equal answers; equal releases."""
    rng = np.random.default_rng([seed, len(name)])
    data, options = drawn(name, rng)
    epsilon = Fraction(int(rng.integers(1, 40)), 4)
    logs: list[list[Any]] = [[], []]
    local, cut = (METHODS[name](epsilon=epsilon, ledger=WatchedLedger(log), **options) for log in logs)
    expected = outcome(local, data, seed, logs[0])
    whole = cut.in_parts(data, executor)  # type: ignore[attr-defined]
    n_records = sum(len(part.read()) for part in whole.parts)
    bounds = [0, *random_cuts(rng, n_records), n_records]
    found = outcome(cut, cut.in_parts(data, executor, bounds), seed, logs[1])  # type: ignore[attr-defined]
    assert logs[1] == logs[0]
    assert found == expected
    assert [entry[0] for entry in logs[1]].count("charge") == 1
    assert logs[1][0][0] == "charge"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray) else value
