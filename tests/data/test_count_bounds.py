"""The true count lies between the bounds that a truthful release gives, whatever the method, the data and the query.

    CRYPSIS_RELEASES=700 python -m pytest tests/data/test_count_bounds.py

tries so many releases of each method.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from random import Random
from typing import Any

import polars as pl
import pytest

from crypsis import Disassociation, Incognito, Mixed, Table, Transactions, anonymize
from crypsis.data.count_bounds import CountBounds
from crypsis.data.count_query import CountQuery, InList, InRange, Predicate, parse_query
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.relational import NodeLeaves, PublishedTable
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.values import write_value
from crypsis.errors import BadQuery, Infeasible
from crypsis.methods import METHODS, Method
from crypsis.parameters import parameters_of
from crypsis.run_context import RunContext

MANY = int(os.environ.get("CRYPSIS_RELEASES", "12"))
KINDS = (Table, Transactions, Mixed)
TRUTHFUL = [method for method in METHODS.values() if method.truthful and method.accepts in KINDS]


def records_of(original: Any) -> list[dict[str, Any]]:
    """Every record as values by column, its items under `items`."""
    if original.table_part is None:
        return [{"items": set(record)} for record in original.to_lists()]
    rows = original.table_part.to_frame().to_dicts()
    if original.set_part is None:
        return rows
    return [{**row, "items": set(record)} for row, record in zip(rows, original.set_part.to_lists(), strict=True)]


def satisfies(record: Mapping[str, Any], wanted: Mapping[str, tuple[Any, ...]], items: Sequence[str]) -> bool:
    for name, (form, *values) in wanted.items():
        value = record[name]
        inside = value is not None and (values[0] <= value <= values[1] if form == "range" else value in values[0])
        if not inside:
            return False
    return set(items) <= record.get("items", set())


def draw_query(original: Any, random: Random) -> tuple[CountQuery, int]:
    """A query on some columns and items, and how many original records satisfy it, counted one by one."""
    records = records_of(original)
    wanted: dict[str, tuple[Any, ...]] = {}
    parts: list[tuple[str, Predicate]] = []
    columns = () if original.table_part is None else original.table_part.columns
    for column in random.sample(columns, random.randint(1, len(columns))) if columns else ():
        known = sorted({record[column.name] for record in records if record[column.name] is not None})
        if column.type == "category" or random.random() < 0.5:
            values = random.sample(known, random.randint(1, min(3, len(known))))
            wanted[column.name] = ("in", values)
            parts.append((column.name, InList(tuple(map(write_value, values)))))
        else:
            low, high = sorted(random.choices(known, k=2))
            wanted[column.name] = ("range", low, high)
            parts.append((column.name, InRange(write_value(low), write_value(high))))
    items: list[str] = []
    if original.set_part is not None:
        labels = sorted({item for record in records for item in record["items"]})
        items = random.sample(labels, random.randint(0 if parts else 1, 3))
    return CountQuery(tuple(parts), tuple(items)), sum(satisfies(record, wanted, items) for record in records)


def draw_table(random: Random, n_records: int) -> Table:
    def maybe(value: Any) -> Any:
        return value if random.random() < 0.95 else None

    numbers = (lambda: random.randint(20, 60)) if random.random() < 0.5 else (lambda: random.randint(0, 40) / 4)
    frame = pl.DataFrame(
        {
            "age": [maybe(numbers()) for _ in range(n_records)],
            "city": [maybe(random.choice(["aa", "ab", "b", "[c", "~"])) for _ in range(n_records)],
            "born": [maybe(date(2019, 12, 1) + timedelta(days=random.randint(0, 90))) for _ in range(n_records)],
            "ill": [maybe(random.choice(["flu", "cold", "?!", "*"])) for _ in range(n_records)],
        }
    )
    roles = {"age": "quasi", "city": "quasi", "born": random.choice(["quasi", "other"]), "ill": "sensitive"}
    return Table.from_frame(frame, roles, {"born": "date", "city": "category", "ill": "category"})


def draw_sets(random: Random, n_records: int) -> Transactions:
    records = [random.sample("abcdefg", random.choice([0, 1, 2, 2, 3, 4])) for _ in range(n_records)]
    records[0] = [*"abcdefg"]
    return Transactions.from_lists(records)


def draw_release(method: type[Method], random: Random) -> tuple[Any, Method, Any]:
    """Random data, a setting of the method, and what it publishes."""
    n_records = random.randint(6, 16)
    table, sets = draw_table(random, n_records), draw_sets(random, n_records)
    original = {Table: table, Transactions: sets, Mixed: Mixed(table, sets, "codes", ("codes",))}[method.accepts]
    choices = {
        "k": [1, 2, 2, 3],
        "m": [1, 2],
        "max_suppressed": [0.0, 0.3],
        "max_suppressed_items": [0.0, 0.5],
        "relational": ["cluster", "mondrian"],
        "transaction": ["pcta", "apriori", "lra", "vpa", "coat"],
        "seed": range(100),
    }
    named = {parameter.name for parameter in parameters_of(method)}
    given = {name: random.choice(values) for name, values in choices.items() if name in named}
    if method.accepts is Mixed:
        given["max_suppressed"] = 0.0
        if random.random() < 0.3:
            given |= {"relational": "top-down", "max_suppressed": 0.3}
    if "max_cluster_size" in named:
        given["max_cluster_size"] = 2 * given["k"] + random.randint(0, 3)
    setting = method(**given)
    return original, setting, setting.anonymize(original, RunContext())


def as_recipients_have_it(published: Any) -> Any:
    """What nodes stand for stays with the publisher, unless the hierarchy was given."""
    table = published.table_part
    if table is None:
        return published
    told = tuple(
        replace(column, hierarchy=column.hierarchy if column.hierarchy and column.hierarchy.declared else None)
        for column in table.columns
    )
    return (
        replace(table, columns=told) if table is published else replace(published, table=replace(table, columns=told))
    )


def check_releases(method: type[Method], n_releases: int, seed: int) -> int:
    """Draw until so many releases were made and put queries to each; the number of queries that were answered."""
    random = Random(seed)
    released = asked = 0
    while released < n_releases:
        try:
            original, setting, published = draw_release(method, random)
        except Infeasible:
            continue
        released += 1
        drawn = [draw_query(original, random) for _ in range(5)]
        for held in (published, as_recipients_have_it(published)):
            found = held.bound_counts([query for query, _ in drawn], complete=setting.complete)
            for (query, actual), bounds in zip(drawn, found, strict=True):
                assert bounds.holds(actual), (setting, str(query), actual, bounds)
                assert bounds.definite <= bounds.possible
                asked += 1
    return asked


every_truthful_method = pytest.mark.parametrize("method", TRUTHFUL, ids=lambda method: method.__name__)


@every_truthful_method
def test_the_true_count_lies_between_the_bounds(method: type[Method]) -> None:
    assert check_releases(method, 4, seed=1) == 4 * 10


@pytest.mark.long
@every_truthful_method
def test_the_true_count_lies_between_the_bounds_of_many_releases(method: type[Method]) -> None:
    assert check_releases(method, MANY, seed=2) == MANY * 10


def test_itemsets_of_one_chunk_are_counted_exactly_in_disassociated_data() -> None:
    random = Random(3)
    exact = 0
    for _ in range(40):
        original, _, published = draw_release(Disassociation, random)
        for itemset in (random.sample("abcdefg", random.randint(1, 4)) for _ in range(6)):
            actual = sum(set(itemset) <= set(record) for record in original.to_lists())
            (bounds,) = published.bound_counts([CountQuery((), tuple(itemset))])
            assert bounds.holds(actual)
            assert bounds.definite >= published.support_lower_bound(itemset)
            if all(has_one_home(itemset, node) for node in published.to_canonical()["nodes"]):
                assert bounds.definite == bounds.possible == actual
                exact += 1
    assert exact > 10


def has_one_home(itemset: Sequence[str], node: Mapping[str, Any]) -> bool:
    """A cluster by itself, of which one record chunk holds all these terms, or of which nothing holds one of them."""
    if node["type"] != "leaf":
        return False
    chunks = [{item for entry in chunk for item in entry["items"]} for chunk in node["record_chunks"]]
    everything = set(node["term_chunk"]).union(*chunks)
    return any(set(itemset) <= chunk for chunk in chunks) or not set(itemset) <= everything


def leaf(size: int, chunks: list[list[tuple[str, int]]], terms: str = "") -> dict[str, Any]:
    shown = [[{"items": sorted(items), "count": count} for items, count in chunk] for chunk in chunks]
    return {"type": "leaf", "size": size, "record_chunks": shown, "term_chunk": sorted(terms)}


def released(*nodes: dict[str, Any]) -> DisassociatedTransactions:
    return DisassociatedTransactions.from_canonical({"k": 1, "m": 2, "empty_records": 0, "nodes": list(nodes)})


@pytest.mark.parametrize(
    ("itemset", "expected"),
    [("ab", (2, 2)), ("a", (3, 3)), ("ac", (2, 3)), ("abc", (1, 2)), ("x", (1, 5)), ("ax", (0, 3)), ("q", (0, 0))],
)
def test_one_cluster_by_hand(itemset: str, expected: tuple[int, int]) -> None:
    """Five records: chunk 1 shows ab twice and a once, chunk 2 shows c four times, x is in the term chunk."""
    data = released(leaf(5, [[("ab", 2), ("a", 1)], [("c", 4)]], "x"))
    (bounds,) = data.bound_counts([CountQuery((), tuple(itemset))])
    assert (bounds.definite, bounds.possible) == expected


def test_a_shared_chunk_is_counted_once_for_all_its_clusters() -> None:
    joint = {
        "type": "joint",
        "size": 6,
        "children": [leaf(3, [[("a", 3)]]), leaf(3, [[("b", 2)]], "y")],
        "shared_chunks": [[{"items": ["s", "t"], "count": 4}]],
    }
    bounds = released(joint).bound_counts([CountQuery((), tuple(items)) for items in ("st", "as", "bs", "ab")])
    assert [(one.definite, one.possible) for one in bounds] == [(4, 4), (0, 3), (0, 2), (0, 0)]


def table_of(cells: Sequence[str], type: str = "int", leaves: Mapping[str, tuple[str, ...]] | None = None) -> Any:
    frame = pl.DataFrame({"x": cells})
    hierarchies = {"x": NodeLeaves(leaves, 9)} if leaves else None
    nodes = {"x": list(leaves)} if leaves else None
    return PublishedTable.from_frame(frame, {"x": "quasi"}, {"x": type}, nodes=nodes, hierarchies=hierarchies)


def count(published: Any, text: str, **how: Any) -> CountBounds:
    (bounds,) = published.bound_counts([parse_query(text)], **how)
    return bounds


def test_each_form_of_a_cell_by_hand() -> None:
    published = table_of(["20", "[20:25]", "[24:30]", "{21|40}", "*", "?", "~"])
    assert count(published, "x in [20:25]") == CountBounds(2, 5, 1)
    assert count(published, "x in {20, 21, 22, 23, 24, 25}") == CountBounds(2, 5, 1)
    assert count(published, "x in [50:60]") == CountBounds(0, 1, 1)


def test_a_node_is_the_values_below_it_and_may_be_asked_for() -> None:
    leaves = {"South": ("Rome", "Athens"), "All": ("Rome", "Athens", "Oslo")}
    published = table_of(["South", "South", "All", "Oslo", "Rome"], "category", leaves)
    assert count(published, "x in {Rome, Athens}") == CountBounds(3, 4)
    assert count(published, "x in {South}") == CountBounds(3, 4)
    assert count(published, "x in {Rome}") == CountBounds(1, 4)


def test_an_untold_node_may_stand_for_anything_but_is_itself() -> None:
    published = PublishedTable.from_frame(
        pl.DataFrame({"x": ["481**", "481**", "48211"]}), {"x": "quasi"}, {"x": "category"}, nodes={"x": ["481**"]}
    )
    assert count(published, "x in {48155}") == CountBounds(0, 2)
    assert count(published, "x in {481**}") == CountBounds(2, 3)


def test_items_that_may_be_missing_widen_the_upper_bound_only() -> None:
    published = PublishedTransactions.from_lists([["a"], [["a", "b"]], ["c"], []])
    assert count(published, "items all {a}") == CountBounds(1, 2)
    assert count(published, "items all {a}", complete=False) == CountBounds(1, 2, 2)


def test_a_single_region_decides_exactly() -> None:
    """Whole classes are asked for, so nothing is left open."""
    ages = [20, 21, 22, 40, 41, 42]
    original = Table.from_frame(pl.DataFrame({"age": ages}), {"age": "quasi"}, {"age": "int"})
    release = anonymize(original, Incognito(k=3))
    ranges = [(low, high) for low, high in product(range(15, 50, 3), repeat=2) if low <= high]
    found = release.data.bound_counts([parse_query(f"age in [{low}:{high}]") for low, high in ranges])
    for (low, high), bounds in zip(ranges, found, strict=True):
        assert bounds.holds(sum(low <= age <= high for age in ages))
    assert count(release.data, "age in [0:99]") == CountBounds(6, 6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("agee in [1:2]", "Did you mean 'age'"),
        ("age in [9:2]", "ends before it begins"),
        ("age in {old}", "whole numb"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(text: str, words: str) -> None:
    frame = pl.DataFrame({"age": ["20", "[20:30]"]})
    published = PublishedTable.from_frame(frame, {"age": "quasi"}, {"age": "int"})
    with pytest.raises(BadQuery, match=words):
        count(published, text)


def test_items_are_not_asked_of_a_table_nor_columns_of_sets() -> None:
    with pytest.raises(BadQuery, match="no set-valued column"):
        count(table_of(["1"]), "items all {a}")
    with pytest.raises(BadQuery, match="it has no columns"):
        count(PublishedTransactions.from_lists([["a"]]), "age in [1:2]")
