"""Golden vectors of tables and mixed data: counting queries, distances of transactions, diversity of a class."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from crypsis.data.count_query import query_from_json
from crypsis.data.foreign_table import foreign_table
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.guarantees import LDiversity
from crypsis.hierarchy import Hierarchy
from crypsis.metrics.count_query_error import count_query_error
from crypsis.metrics.record_distance import cluster_distance, cross_distance, record_distance
from crypsis.verifiers import verify
from crypsis.verifiers.l_diversity import distinct_values, entropy_values
from crypsis.verifiers.sensitive_counts import SensitiveCounts
from crypsis.verifiers.t_closeness import distances
from crypsis.verifiers.table_classes import TableClasses
from tests.conformance.rt_columns import cell_of, published_column
from tests.conformance.vectors import case, load

METHODS = "rt/rt_methods_random.json"
NAMES = ("age", "city", "job")


@pytest.mark.parametrize(
    "vector", [case(METHODS, one, part="are", name=number) for number, one in enumerate(load(METHODS)["cases"])]
)
def test_counting_queries(vector) -> None:
    original, published = original_of(vector), published_of(vector)
    expected = vector["are"]
    queries = [
        query_from_json(query | {"rel": {NAMES[int(place)]: asked for place, asked in query["rel"].items()}})
        for query in expected["queries"]
    ]
    found = count_query_error(original, published, queries, sanity=expected["sanity"], estimator="subset")
    assert found.actual.tolist() == [query["actual"] for query in expected["per_query"]]
    exact = [float(Fraction(query["estimate"]["fraction"])) for query in expected["per_query"]]
    assert found.estimated.tolist() == pytest.approx(exact, rel=1e-12)
    exact = [float(Fraction(query["error"]["fraction"])) for query in expected["per_query"]]
    assert found.errors.tolist() == pytest.approx(exact, rel=1e-12)
    figures = found.figures()
    assert figures["count_query_loss"] == pytest.approx(float(Fraction(expected["are_subset"]["fraction"])), rel=1e-12)
    headline = count_query_error(original, published, queries, sanity=expected["sanity"]).figures()
    exact_mean = float(Fraction(expected["are_uniform"]["fraction"]))
    assert headline["count_query_loss"] == pytest.approx(exact_mean, rel=1e-12)
    if any(query.items for query in queries):
        assert headline["count_query_subset_loss"] == pytest.approx(figures["count_query_loss"], rel=1e-12)


def original_of(vector) -> Mixed:
    frame = pl.DataFrame(vector["rows"], schema=list(NAMES), orient="row")
    table = Table.from_frame(frame, dict.fromkeys(NAMES, "quasi"))
    items = Transactions.from_lists(vector["transactions"])
    return Mixed(table, items, "items", ("items",))


def published_of(vector) -> PublishedMixed:
    trees = {name: Hierarchy(pairs) for name, pairs in load(METHODS)["hierarchies"].items()}
    columns = []
    for place, name in enumerate(NAMES):
        cells = [cell_of(row[place], trees.get(name)) for row in vector["are"]["published_cells"]]
        columns.append(published_column(name, "int" if name == "age" else "category", cells, trees.get(name)))
    items = PublishedTransactions.from_lists(vector["are"]["published_transactions"])
    return PublishedMixed(PublishedTable(tuple(columns)), items, "items")


DISTANCES = "rt/ul_btd_diversity_random.json"


@pytest.mark.parametrize(
    "vector", [case(DISTANCES, one, part="btd", name=number) for number, one in enumerate(load(DISTANCES)["btd"])]
)
def test_distance_of_transactions(vector) -> None:
    data = Transactions.from_lists(vector["transactions"])
    pairs = list(combinations(range(len(data)), 2))
    found = [record_distance(data.offsets, data.items, *pair) for pair in pairs]
    assert found == [Fraction(one["fraction"]) for one in vector["pairs"]]
    widest = cluster_distance(data.offsets, data.items, np.arange(len(data)))
    assert widest == Fraction(vector["btd_cluster"]["fraction"])
    assert cross_distance(data.offsets, data.items, np.array([0]), np.array([1, 2])) == max(found[0], found[1])


@pytest.mark.parametrize(
    "vector",
    [case(DISTANCES, one, part="diversity", name=number) for number, one in enumerate(load(DISTANCES)["diversity"])],
)
def test_diversity_of_a_class_within_its_table(vector) -> None:
    size, values = len(vector["class"]), vector["table"]
    assert sorted(values[:size]) == sorted(vector["class"])  # the class comes first
    frame = pl.DataFrame({"class": ["P"] * size + ["Q"] * (len(values) - size), "value": values})
    table = foreign_table(frame, quasi=["class"], sensitive=["value"])
    classes = TableClasses.of(table)
    (column,) = table.with_role("sensitive")
    counts = SensitiveCounts.of(column, classes, None)
    here = int(classes.class_of[0])
    assert distinct_values(counts)[here] == vector["distinct"]
    assert entropy_values(counts)[here] == pytest.approx(vector["entropy_exp"], rel=1e-12)
    for ordered, name in ((False, "t_equal"), (True, "t_ordered")):
        numerators, denominators = distances(counts, ordered)
        assert Fraction(int(numerators[here]), int(denominators[here])) == Fraction(vector[name]["fraction"])
    # The class alone, so that the other records do not decide.
    alone = foreign_table(frame[:size], quasi=["class"], sensitive=["value"])
    assert verify(alone, LDiversity(l=2, form="recursive", c=2.0)).holds == vector["recursive_c2_l2"]
