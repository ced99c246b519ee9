"""Settings of private methods, and neighbours that differ in one person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from crypsis import (
    AttributeDomains,
    CategoryDomain,
    Events,
    ItemDomain,
    LocationDomain,
    NumericDomain,
    Table,
    TimeDomain,
    Transactions,
)
from crypsis.methods import METHODS

Random = np.random.Generator


ITEMS = "abcdef"


def baskets_of(random: Random, persons: list[int]) -> list[list[str]]:
    rows = []
    for whose in persons:
        likely = np.array([6, 6, 2, 1, 1, 1] if whose == 0 else [0.2, 0.2, 3, 3, 2, 2], float)
        size = int(random.integers(1, 4))
        rows.append(sorted(random.choice(list(ITEMS), size, replace=False, p=likely / likely.sum()).tolist()))
    return rows


COPIES = 400  # of everybody else: far from every threshold


MOST = 2  # records of a person that count, where a method has such a bound


DOMAINS = AttributeDomains({"age": NumericDomain(18, 66), "sex": CategoryDomain(("f", "m"))})


WITH_DOMAINS: dict[str, dict[str, Any]] = {
    "diff-multi": {"domains": DOMAINS, "specializations": 2, "score": "max"},
    "diff-gen": {"domains": DOMAINS, "specializations": 2, "score": "max"},
    "diff-part": {"item_domain": ItemDomain([*ITEMS[:4]]), "fan_out": 2, "epsilon": 4},
    "safe-path": {"height": 2, "scheme": "flat", "epsilon": 4},
    "seq-pt": {"height": 2, "epsilon": 4},
    "n-grams": {"longest": 3, "grams": 2, "epsilon": 8},
}


def private_table(more: list[Any]) -> Table:
    """People of two rows each, and one person more."""
    rows = [
        (f"{copy}-{number}", age, sex)
        for copy in range(COPIES)
        for number, (age, sex) in enumerate([(20, "f"), (40, "m"), (60, "m")])
        for _ in range(2)
    ]
    frame = pl.DataFrame([*rows, *(("one more", *row) for row in more)], schema=["uid", "age", "sex"], orient="row")
    return Table.from_frame(frame, {"age": "quasi", "sex": "label"}, {"age": "int", "sex": "category"}, person="uid")


def private_sets(more: list[Any]) -> Transactions:
    kinds = [["a", "b"], ["c"], ["a", "c", "d"]]
    rows = [(f"{copy}-{number}", kind) for copy in range(COPIES) for number, kind in enumerate(kinds) for _ in range(2)]
    rows += [("one more", row) for row in more]
    return Transactions.from_lists([row for _, row in rows], person=[whose for whose, _ in rows])


def private_rides(more: list[Any]) -> Events:
    ways = [[("a", 1), ("b", 3)], [("a", 2)], [("c", 1), ("c", 2), ("b", 5)]]
    rides = [(f"{copy}-{number}", *ride) for copy in range(COPIES) for number, way in enumerate(ways) for ride in way]
    return Events.from_lists([*rides, *(("one more", *ride) for ride in more)], locations=dict.fromkeys("abc", (0, 0)))


NEIGHBOURS: dict[type, tuple[Callable[[list[Any]], Any], Callable[[Random], Any]]] = {
    Table: (private_table, lambda random: (int(random.integers(18, 66)), str(random.choice(["f", "m"])))),
    Transactions: (private_sets, lambda random: baskets_of(random, [1])[0]),
    Events: (private_rides, lambda random: (str(random.choice(list("abc"))), int(random.integers(0, 8)))),
}


def private_setting(name: str) -> Any:
    method, more = METHODS[name], WITH_DOMAINS[name]
    if method.accepts is Events:
        more = {**more, "location_domain": LocationDomain([*"abc"]), "time_domain": TimeDomain(0, 8)}
    bound = {"records_per_person": MOST} if "records_per_person" in method.__dataclass_fields__ else {}
    return method(**more, **bound)
