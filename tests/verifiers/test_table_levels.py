"""The level that a table reaches is the highest promise that its verifier confirms."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.foreign_table import foreign_table
from crypsis.data.relational import Table
from crypsis.errors import BadParameter, NotApplicable, UnknownColumn
from crypsis.guarantees import KAnonymity, KKmAnonymity, LDiversity, TCloseness
from crypsis.verifiers import verify
from crypsis.verifiers.table_levels import table_levels

ROWS = st.lists(st.tuples(st.sampled_from("PQ"), st.sampled_from("xy*"), st.sampled_from([*"1234", "?"])), min_size=1)


@pytest.mark.long
@given(ROWS, st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_a_level_is_the_highest_promise_that_holds(rows, c: float) -> None:
    frame = pl.DataFrame(rows, schema=["town", "job", "illness"], orient="row")
    table = foreign_table(frame, quasi=["town", "job"], sensitive=["illness"])
    found = table_levels(table, c=c)
    assert verify(table, KAnonymity(k=found.k)).holds
    assert not verify(table, KAnonymity(k=found.k + 1)).holds
    (levels,) = found.sensitive
    if levels.distinct_l is None:
        assert all(row[2] == "?" for row in rows)
        return
    for form, level in (("distinct", levels.distinct_l), ("entropy", int(levels.entropy_l + 1e-9))):
        assert verify(table, LDiversity(l=level, form=form)).holds
        assert not verify(table, LDiversity(l=level + 1, form=form)).holds
    if levels.recursive_l:
        assert verify(table, LDiversity(l=levels.recursive_l, form="recursive", c=c)).holds
    assert not verify(table, LDiversity(l=levels.recursive_l + 1, form="recursive", c=c)).holds
    for distance, t in (("equal", levels.equal_t), ("ordered", levels.ordered_t)):
        assert verify(table, TCloseness(t=min(t + 1e-9, 1.0), distance=distance)).holds
        if t > 1e-6:
            assert not verify(table, TCloseness(t=t - 1e-7, distance=distance)).holds


def test_what_is_written_counts_whatever_it_means() -> None:
    frame = pl.DataFrame({"age": ["[20-30)", "[20-30)", "", None], "illness": ["flu", "cold", "flu", "gout"]})
    found = table_levels(foreign_table(frame, quasi=["age"], sensitive=["illness"]))
    assert (found.k, found.classes, found.sensitive[0].distinct_l) == (2, 2, 2)
    assert found.sensitive[0].ordered_t is None  # illnesses have no order
    told = found.to_dict()
    assert told["sensitive"][0]["column"] == "illness"
    numbers = foreign_table(pl.DataFrame({"age": [1, 1], "pay": [9, 10]}), quasi=["age"], sensitive=["pay"])
    assert numbers.column("pay").type == "int"
    assert table_levels(numbers).sensitive[0].ordered_t == 0.0


def test_suppressed_rows_form_no_class_and_half_suppressed_ones_are_a_problem() -> None:
    whole = foreign_table(pl.DataFrame({"age": ["3*", "~"], "pay": ["9", "~"]}), quasi=["age"], sensitive=["pay"])
    found = table_levels(whole)
    assert (found.k, found.suppressed, found.problem) == (1, 1, None)
    assert found.sensitive[0].equal_t is None  # what was suppressed is not known
    original = Table.from_frame(pl.DataFrame({"age": [30, 99], "pay": [9, 8]}), {"age": "quasi", "pay": "sensitive"})
    assert table_levels(whole, original).sensitive[0].equal_t == 0.5
    half = foreign_table(pl.DataFrame({"age": ["3*", "~"], "pay": ["9", "8"]}), quasi=["age"], sensitive=["pay"])
    assert "suppressed_value" in table_levels(half).problem
    nothing = foreign_table(pl.DataFrame({"age": ["~"]}), quasi=["age"])
    assert table_levels(nothing).k is None


def test_a_set_valued_column_of_somebody_else_can_be_checked() -> None:
    frame = pl.DataFrame({"age": ["3*", "3*", "~"], "codes": ["a b", "a", "~"]})
    mixed = foreign_table(frame, quasi=["age"], items={"codes": " "}, sensitive_items=["b", "not there"])
    assert mixed.sensitive == ("b",)
    assert mixed.transactions.to_lists() == [["a", "b"], ["a"], []]
    assert verify(mixed, KKmAnonymity(k=1, m=2)).holds
    assert not verify(mixed, KKmAnonymity(k=2, m=1)).holds
    assert table_levels(mixed).k == 2
    with pytest.raises(BadParameter, match="One set-valued"):
        foreign_table(frame.with_columns(more=pl.lit("a")), quasi=["age"], items={"codes": " ", "more": " "})


def test_columns_must_exist_once_and_some_must_be_known() -> None:
    frame = pl.DataFrame({"age": ["1"], "pay": ["2"]})
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        foreign_table(frame, quasi=["aeg"])
    with pytest.raises(BadParameter, match="'pay' is named twice"):
        foreign_table(frame, quasi=["age", "pay"], sensitive=["pay"])
    with pytest.raises(BadParameter, match="quasi="):
        foreign_table(frame, quasi=[])
    with pytest.raises(BadParameter, match="c must be"):
        table_levels(foreign_table(frame, quasi=["age"]), c=0)
    with pytest.raises(NotApplicable, match="published table"):
        table_levels([1])
