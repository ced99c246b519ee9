"""A table that was written and read again is the one that was written, or is made of its texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell, Cells
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.data.reread_table import WrittenTable, reread_table
from crypsis.release import Release
from crypsis.review import Subject, review

_TEXTS = ["?", "*", "~", "[a", "{b|c}", "\\x", "plain", "a,b", 'q"uote', "ünï", "01", " "]
_NUMBERS = st.integers(-3, 12)
_ENDS = st.tuples(_NUMBERS, _NUMBERS)
_CELLS = {
    "int": st.one_of(_NUMBERS.map(Cell.value), _ENDS.map(lambda ends: Cell.range(*sorted(ends)))),
    "float": st.floats(-1e20, 1e20).map(lambda number: Cell.value(number + 0.0)),
    "category": st.one_of(
        st.sampled_from(_TEXTS).map(Cell.value),
        st.sets(st.sampled_from(_TEXTS), min_size=1).map(Cell.set),
        st.sampled_from(["North", "?"]).map(Cell.node),
    ),
}


@st.composite
def written_columns(draw: st.DrawFn, rows: int) -> PublishedColumn:
    """A column of which every cell occurs, as methods publish it or nearly."""
    type = draw(st.sampled_from(sorted(_CELLS)))
    signs = st.sampled_from([MISSING, ANY, SUPPRESSED])
    cells = draw(st.lists(st.one_of(_CELLS[type], signs), min_size=1, max_size=90))
    told = Cells.of(type, cells)  # type: ignore[arg-type]
    codes = np.array(draw(st.lists(st.integers(0, len(told) - 1), min_size=rows, max_size=rows)), np.int32)
    return PublishedColumn("x", "quasi", codes, told)


@given(st.data(), st.integers(1, 120))
def test_what_is_read_again_is_what_a_recipient_reads(data: st.DataObject, rows: int) -> None:
    column = data.draw(written_columns(rows))
    written = PublishedTable((column,))
    order = np.array(data.draw(st.permutations(range(rows))), np.int64)
    frame = written.take(order).to_frame()
    again = reread_table(frame, written, order, written.nodes, {})
    kept = WrittenTable(written.take(order), frame.clone())
    assert reread_table(frame, written, order, written.nodes, {}, kept) == again
    if again is not None:
        assert again == PublishedTable.from_frame(frame, written.roles, written.types, nodes=written.nodes)


@pytest.fixture
def released() -> Release:
    drawn = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "age": drawn.integers(0, 90, 400),
            "town": [_TEXTS[place] for place in drawn.integers(0, len(_TEXTS), 400)],
            "income": drawn.random(400).round(3) * 1000,
        }
    )
    table = crypsis.Table(frame, quasi=["age", "town"], other=["income"], each_row_is_a_person=True)
    return crypsis.anonymize(table, crypsis.Mondrian(k=4))


def test_a_release_is_not_made_of_its_texts_again(released: Release) -> None:
    written = released.kind.as_written(released.data)
    order = released.kind.sorted_rows(written)
    again = reread_table(written.take(order).to_frame(), written, order, written.nodes, {})
    assert again is not None
    assert again == written.take(order)


def test_what_stays_known_of_a_release_is_what_would_be_counted(released: Release) -> None:
    released.data = released.kind.as_written(released.data)
    written = released.kind.as_written(released.data)
    assert written is released.data  # so that what is counted for the publisher stays known
    order = released.kind.sorted_rows(written)
    released.review()
    again = reread_table(written.take(order).to_frame(), written, order, written.nodes, {})
    assert again is not None
    afresh = written.take(order)
    assert again.counted
    assert not afresh.counted
    assert np.array_equal(again.classes, afresh.classes)
    assert np.array_equal(again.class_sizes, afresh.class_sizes)
    told, counted = (
        review(Subject(table, released.guarantee, released.verify(), public=True)) for table in (again, afresh)
    )
    assert told == counted


def test_of_some_records_nothing_stays_known() -> None:
    written = PublishedTable((PublishedColumn("x", "quasi", np.zeros(3, np.int32), Cells.of("int", [Cell.value(1)])),))
    assert written.class_sizes.tolist() == [3]
    for rows in ([0, 2], [0, 0, 2]):
        order = np.array(rows)
        again = reread_table(written.take(order).to_frame(), written, order, {}, {})
        assert again is not None
        assert again.class_sizes.tolist() == [len(rows)]
        assert again.counted is not written.counted


@pytest.mark.parametrize("change", ["text", "order", "row", "column", "type"])
def test_texts_that_are_others_are_read_as_they_stand(released: Release, change: str) -> None:
    written = released.kind.as_written(released.data)
    order = np.arange(len(written))
    frame = written.to_frame()
    changed = {
        "text": lambda: frame.with_columns(pl.Series("age", ["7", *frame["age"].to_list()[1:]])),
        "order": frame.reverse,
        "row": lambda: frame.head(399),
        "column": lambda: frame.select("town", "age", "income"),
        "type": lambda: frame.with_columns(pl.col("income").cast(pl.Float64)),
    }[change]()
    assert reread_table(changed, written, order, written.nodes, {}) is None
    kept = WrittenTable(written.take(order), written.take(order).to_frame())
    assert reread_table(changed, written, order, written.nodes, {}, kept) is None


def test_a_cell_that_does_not_occur_or_reads_as_another_is_not_passed_on() -> None:
    codes = np.array([0, 1, 0], np.int32)
    cells = Cells.of("category", [Cell.value("a"), Cell.node("b"), Cell.value("c")])
    written = PublishedTable((PublishedColumn("x", "quasi", codes, cells),))
    assert reread_table(written.to_frame(), written, np.arange(3), {"x": ["b"]}, {}) is None
    told = PublishedTable((replace(written.columns[0], cells=Cells.of("category", [Cell.value("a"), Cell.node("b")])),))
    assert reread_table(told.to_frame(), told, np.arange(3), {"x": ["b"]}, {}) == told
    assert reread_table(told.to_frame(), told, np.arange(3), {}, {}) is None  # without nodes b is a value
