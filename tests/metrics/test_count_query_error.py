"""Counting queries are answered exactly on the original and by the book on a release, fast and slow alike."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.count_query import CountQuery, InList, InRange, parse_query
from crypsis.data.mixed import Mixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, BadQuery, NotApplicable
from crypsis.metrics import measure
from crypsis.metrics.count_query_error import count_query_error
from crypsis.metrics.query_answers import actual_counts, estimated_counts
from crypsis.metrics.query_workload import drawn_queries
from tests.generalized import ITEMS, LEAVES, TYPES, VALUES, Generalized, generalized
from tests.reference import count_queries as reference

Asked = tuple[dict[str, Any], list[str]]


@st.composite
def queries(draw: st.DrawFn) -> Asked:
    asked: dict[str, Any] = {}
    for name, type in TYPES.items():
        if draw(st.booleans()):
            continue
        if type != "category" and draw(st.booleans()):
            ends = sorted(draw(st.lists(st.sampled_from(VALUES[name]), min_size=2, max_size=2)))
            asked[name] = ("range", *ends)
        else:
            asked[name] = ("in", draw(st.lists(st.sampled_from(VALUES[name]), min_size=1, max_size=3, unique=True)))
    items = draw(st.lists(st.sampled_from(ITEMS + "z"), max_size=3, unique=True))
    return asked, items if asked or items else ["a"]


def as_query(asked: Asked) -> CountQuery:
    parts = {
        name: InRange(str(one[1]), str(one[2])) if one[0] == "range" else InList(tuple(map(str, one[1])))
        for name, one in asked[0].items()
    }
    return CountQuery(tuple(parts.items()), tuple(asked[1]))


@pytest.mark.parametrize("most", [0, 1000], ids=["every-class", "slices"])
@given(data=generalized(), asked=st.lists(queries(), min_size=1, max_size=4))
def test_answers_are_those_of_every_record_by_itself(most: int, data: Generalized, asked: list[Asked]) -> None:
    with patch("crypsis.metrics.query_answers._MOST_SLICES", most):
        _compare_answers(data, asked)


def _compare_answers(data: Generalized, asked: list[Asked]) -> None:
    texts = [as_query(one) for one in asked]
    original, published = data.original, data.published
    assert actual_counts(original, texts).tolist() == [reference.actual(data.values, data.items, one) for one in asked]
    domains = {name: data.domain(name) for name in TYPES} | {"town": list(LEAVES["Any"])}
    for estimator in ("subset", "uniform"):
        by_hand = [
            float(reference.expected(data.cells, data.shown, one, domains, LEAVES, estimator == "uniform"))
            for one in asked
        ]
        assert estimated_counts(original, published, texts, estimator).tolist() == pytest.approx(by_hand, rel=1e-12)


@given(generalized(), st.integers(0, 3))
def test_drawn_queries_are_true_of_somebody(data: Generalized, seed: int) -> None:
    original = data.original
    try:
        drawn = drawn_queries(original, 5, seed=seed, share=0.3)
    except NotApplicable:
        assert not any(data.items)
        assert all(value is None for row in data.values for value in row.values())
        return
    assert len(drawn) == 5
    assert (actual_counts(original, drawn) >= 1).all()
    assert drawn == drawn_queries(original, 5, seed=seed, share=0.3)
    assert all(len(query.relational) <= 2 and len(query.items) <= 2 for query in drawn)
    assert [str(parse_query(str(query))) for query in drawn] == [str(query) for query in drawn]


def people() -> Table:
    frame = pl.DataFrame({"age": [20, 25, 31, None], "born": ["2001-05-01", "1996-01-01", "1990-12-31", "1990-12-31"]})
    return Table.from_frame(frame, {"age": "quasi", "born": "quasi"}, {"age": "int", "born": "date"})


def released(ages: list[str], born: list[str]) -> PublishedTable:
    frame = pl.DataFrame({"age": ages, "born": born})
    return PublishedTable.from_frame(frame, {"age": "quasi", "born": "quasi"}, {"age": "int", "born": "date"})


def test_figures_are_mean_median_maximum_and_queries_without_a_record() -> None:
    published = released(["[20:31]"] * 3 + ["?"], ["*"] * 4)
    found = count_query_error(people(), published, ["age in [20:22]", "age in {24}", "age in [20:31]"])
    assert found.actual.tolist() == [1, 0, 3]
    assert found.estimated.tolist() == pytest.approx([3 * 3 / 12, 3 / 12, 3])
    figures = found.figures()
    assert figures["count_query_loss"] == pytest.approx((0.25 + 0.25 + 0) / 3)
    assert figures["count_query_median_loss"] == pytest.approx(0.25)
    assert figures["count_query_max_loss"] == pytest.approx(0.25)
    assert figures["count_queries_without_record"] == 1
    assert count_query_error(people(), published, ["age in {24}"], sanity=5).errors.tolist() == pytest.approx([0.05])


def test_dates_are_counted_in_days_and_suppressed_records_not_at_all() -> None:
    published = released(["20", "25", "~", "?"], ["[2001-05-01:2001-05-04]", "1996-01-01", "~", "1990-12-31"])
    query = ["born in [2001-05-03:2010-01-01]", "born in {1990-12-31}", "age in [0:99]"]
    assert estimated_counts(people(), published, [parse_query(one) for one in query]).tolist() == [0.5, 1.0, 2.0]


def test_unchanged_data_are_answered_without_error() -> None:
    table = people()
    published = PublishedTable.from_frame(
        table.to_frame().with_columns(pl.all().cast(pl.String).fill_null("?")),
        dict.fromkeys(table.names, "quasi"),
        {"age": "int", "born": "date"},
    )
    assert measure(table, published, ["count_query_loss"])["count_query_loss"] == 0.0
    given = measure(table, published, ["count_query_loss"], side_inputs={"queries": ["age in {20}"]})
    assert given["count_queries_without_record"] == 0


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("agee in {1}", "does not have.*Did you mean 'age'"),
        ("age in {young}", "'young' in column 'age', which holds a whole number"),
        ("age in [30:20]", "ends before it begins"),
        ("town in [a:b]", "holds text, which has no ranges"),
        ("visits all {a}", "the set-valued column is 'items'"),
    ],
)
def test_a_query_that_does_not_fit_the_table_is_refused_with_its_place(query: str, message: str) -> None:
    frame = pl.DataFrame({"age": [20], "town": ["Oslo"]})
    table = Table.from_frame(frame, {"age": "quasi", "town": "quasi"})
    mixed = Mixed(table, Transactions.from_lists([["a"]]), "items", ("items",))
    with pytest.raises(BadQuery, match=message) as refused:
        actual_counts(mixed, [parse_query(query, where="line 4")])
    assert refused.value.where == "line 4"
    with pytest.raises(BadQuery, match="no set-valued column"):
        actual_counts(table, [parse_query("items all {a}")])


def test_what_cannot_be_answered_is_not_guessed() -> None:
    published = released(["20", "25", "31", "?"], ["*"] * 4)
    with pytest.raises(NotApplicable, match="was not published"):
        estimated_counts(people(), PublishedTable(published.columns[1:]), [parse_query("age in {20}")])
    nodes = PublishedTable.from_frame(
        pl.DataFrame({"age": ["young"] * 4, "born": ["*"] * 4}),
        {"age": "quasi", "born": "quasi"},
        {"age": "int", "born": "date"},
        nodes={"age": ["young"]},
    )
    with pytest.raises(NotApplicable, match="does not tell which values"):
        estimated_counts(people(), nodes, [parse_query("age in {20}")])
    with pytest.raises(BadParameter, match="estimator"):
        estimated_counts(people(), published, [parse_query("age in {20}")], "best")
    with pytest.raises(BadParameter, match="at least one column or item"):
        drawn_queries(people(), relational=0)
    with pytest.raises(BadParameter, match="no set-valued column"):
        drawn_queries(people(), items=1)


def test_no_power_of_two_overflows() -> None:
    labels = [f"i{number}" for number in range(2000)]
    table = Table.from_frame(pl.DataFrame({"age": [1]}), {"age": "quasi"})
    original = Mixed(table, Transactions.from_lists([labels]), "items", ("items",))
    from crypsis.data.mixed import PublishedMixed
    from crypsis.data.transaction import PublishedTransactions

    shown = PublishedTable.from_frame(pl.DataFrame({"age": ["1"]}), {"age": "quasi"}, {"age": "int"})
    published = PublishedMixed(shown, PublishedTransactions.from_lists([[labels]]), "items")
    found = estimated_counts(original, published, [parse_query("items all {i0, i1999}")], "subset")
    assert found.tolist() == [0.25]
    found = estimated_counts(original, published, [parse_query("items all {i0, i1999}")])
    assert found.tolist() == [1 / 2000**2]
    assert np.isfinite(found).all()
