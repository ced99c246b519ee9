"""The five methods for tables: Adult with its hierarchies, a million generated records; time against the targets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.comparison import Row, best_of, clocked
from crypsis import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import AllOf, KAnonymity, LDiversity, TCloseness
from crypsis.hierarchy import Hierarchies, Hierarchy
from crypsis.methods.relational.relational_method import RelationalMethod
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.shared_data import dataset

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"]
ARX_WARM = 0.8  # seconds of ARX's optimal search for the same task on a multi-threaded JVM
OPTIMA = Path(__file__).parents[3] / "tests" / "golden" / "rt" / "adult_optima.json"


def rows(quick: bool = False) -> Iterator[Row]:
    """Adult where it is there; a million records unless it has to be quick."""
    if dataset("adult").is_dir():
        yield from _adult()
    yield from _million(100_000 if quick else 1_000_000, limits=not quick)


def _adult() -> Iterator[Row]:
    eight, nine = adult(QUASI), adult([*QUASI, "salary-class"])
    trees = adult_trees(QUASI)
    without_age = Hierarchies({name: tree for name, tree in trees.items() if name != "age"})
    timed: list[tuple[RelationalMethod, Table, float]] = [
        (Mondrian(k=5, hierarchy=without_age), eight, 0.5),
        (Cluster(k=5, hierarchy=without_age), eight, 3.0),
        (TopDown(k=5, hierarchy=trees), eight, 3.0),
        (BottomUp(k=5, hierarchy=trees), eight, 3.0),
        (TopDown(k=5, hierarchy=trees, max_suppressed=0.02), eight, 3.0),
        (BottomUp(k=5, hierarchy=trees, max_suppressed=0.02), eight, 3.0),
        (Incognito(k=5, hierarchy=trees), eight, 3.0),
        (Incognito(k=5, hierarchy=adult_trees([*QUASI, "salary-class"]), max_suppressed=0.02), nine, ARX_WARM),
    ]
    for method, table, limit in timed:
        yield _row(method, table, f"adult 30,162 x {len(table.quasi)}", limit)


def _row(method: RelationalMethod, table: Table, workload: str, limit: float | None, repeats: int = 3) -> Row:
    published = method.anonymize(table, RunContext())
    seconds = best_of(repeats, lambda: method.anonymize(table, RunContext()))
    _, busy = clocked(lambda: method.anonymize(table, RunContext()))
    verdict = verify(published, method.guarantee)
    checked, _ = clocked(lambda: verify(published, method.guarantee))
    loss = ncp_loss(table, published).total
    words = f"cpu {busy:.2f} s, NCP {float(loss):.4f}, verified in {checked:.2f} s"
    best = optimum(method, table) if isinstance(method, Incognito) else None
    if best is not None:
        words += ", the optimum" if loss == best else f", NOT THE OPTIMUM {float(best):.4f}"
    share = getattr(method, "max_suppressed", 0)
    suppressed = f", {share:.0%} suppressed" if share else ""
    return Row(
        f"{type(method).__name__} k={method.k}{suppressed}",
        workload,
        seconds,
        limit=limit,
        note=words if verdict.holds else words + ", NOT AS PROMISED",
        sound=verdict.holds and best in (None, loss),
    )


def optimum(method: Incognito, table: Table) -> Fraction | None:
    """The least NCP of all nodes that are allowed, as known from looking at every one of them."""
    for known in json.loads(OPTIMA.read_text(encoding="utf-8"))["cases"]:
        if known["quasi"] == list(table.quasi) and known["rows"] == len(table) and known["diversity"] is None:
            for run in known["runs"]:
                if Fraction(run["max_suppressed"]) == Fraction(str(method.max_suppressed)):
                    return Fraction((run.get("optimum_all_good") or run["optimum"])["ncp"]["fraction"])
    return None


def _million(n: int, *, limits: bool) -> Iterator[Row]:
    table = million(n)
    method = Mondrian(k=5)
    yield _row(method, table, f"generated {n:,} x 8", 20.0 if limits else None, repeats=1)
    published = method.anonymize(table, RunContext())
    promised = AllOf.of(KAnonymity(k=5), LDiversity(l=1), TCloseness(t=1.0))
    seconds = best_of(2, lambda: verify(_fresh(published), promised))
    yield Row("verify k, l and t", f"generated {n:,} x 8", seconds, limit=3.0 if limits else None)


def _fresh(published: PublishedTable) -> PublishedTable:
    """The same table with nothing remembered from an earlier look."""
    return PublishedTable(tuple(replace(column, cells=replace(column.cells)) for column in published.columns))


def million(n: int, seed: int = 0) -> Table:
    """Eight quasi-identifiers of different width and a sensitive column, independent of each other."""
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": random.integers(17, 90, n),
            "zip": random.integers(0, 20_000, n),
            "income": random.integers(0, 99_999, n),
            "education": random.choice(list("abcdefghijklmnop"), n),
            "sex": random.choice(["f", "m"], n),
            "job": random.choice([f"j{number}" for number in range(60)], n),
            "day": random.integers(0, 3650, n),
            "hours": random.integers(1, 99, n),
            "disease": random.choice([f"d{number}" for number in range(20)], n),
        }
    )
    roles = dict.fromkeys(frame.columns[:-1], "quasi") | {"disease": "sensitive"}
    return Table.from_frame(frame, roles)


def adult(quasi: list[str]) -> Table:
    frame, _ = read_table_file(dataset("adult") / "adult.csv")
    return Table.from_frame(frame, {name: "quasi" if name in quasi else "sensitive" for name in frame.columns})


def adult_trees(names: list[str]) -> Hierarchies:
    folder = dataset("adult")
    return Hierarchies({name: Hierarchy.from_file(folder / f"adult_hierarchy_{name}.csv") for name in names})
