"""Tables: every row, column and value is kept, roles are declared, missing values are explicit."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import MISSING_CODE, MISSING_EQUALS_MISSING, Cell, PublishedTable, Table
from crypsis.data.cells import SUPPRESSED, CellKind, Cells
from crypsis.data.relational import Column, PublishedColumn
from crypsis.data.values import COLUMN_TYPES, POLARS_TYPES
from crypsis.errors import (
    BadParameter,
    BadPublication,
    BadRow,
    InputError,
    NotApplicable,
    UndeclaredRole,
    UnknownColumn,
)
from tests.data.drawn import VALUES, cells

PEOPLE = pl.DataFrame(
    {
        "name": ["ann", "bob", "cid", "dan"],
        "age": [31, 19, None, 19],
        "zip": ["007", "?", "", "123"],
        "disease": ["flu", "flu", "hiv", None],
    }
)
ROLES = {"name": "identifier", "age": "quasi", "zip": "quasi", "disease": "sensitive"}


def test_a_column_holds_positions_in_its_sorted_domain() -> None:
    table = Table.from_frame(PEOPLE, ROLES)
    age = table.column("age")
    assert (age.type, age.domain.to_list(), age.codes.tolist()) == ("int", [19, 31], [1, 0, -1, 0])
    assert age.missing == 1
    postcode = table.column("zip")
    assert (postcode.type, postcode.domain.to_list(), postcode.codes.tolist()) == (
        "category",
        ["007", "123"],
        [0, -1, -1, 1],
    )


def test_roles_are_listed_by_column_names_and_identifiers_can_be_left_out() -> None:
    table = Table.from_frame(PEOPLE, ROLES)
    assert table.quasi == ("age", "zip")
    assert table.identifiers == ("name",)
    assert table.sensitive == ("disease",)
    assert (table.labels, table.others) == ((), ())
    assert table.without_identifiers().names == ("age", "zip", "disease")
    assert table.quasi_codes().tolist() == [[1, 0], [0, -1], [-1, -1], [0, 1]]


def test_two_missing_values_are_equal_in_a_quasi_identifier() -> None:
    frame = pl.DataFrame({"a": [None, 1, None], "b": ["?", "x", ""]})
    codes = Table.from_frame(frame, {"a": "quasi", "b": "quasi"}).quasi_codes()
    assert codes[0].tolist() == codes[2].tolist() == [MISSING_CODE, MISSING_CODE]
    assert "both missing in a quasi-identifier are equal" in MISSING_EQUALS_MISSING.meaning
    assert Table.from_frame(frame, {"a": "quasi", "b": "quasi"}).missing_rule is MISSING_EQUALS_MISSING


def test_every_undeclared_column_is_named_and_none_becomes_a_quasi_identifier() -> None:
    with pytest.raises(UndeclaredRole) as caught:
        Table.from_frame(PEOPLE, {"name": "identifier", "age": "quasi"}, source="people.csv")
    assert caught.value.code == "undeclared-role"
    assert caught.value.details["columns"] == ["zip", "disease"]
    assert "zip, disease" in caught.value.message
    assert "identifier, quasi, sensitive, label, other" in caught.value.message
    assert caught.value.where == "people.csv"


def test_a_role_or_type_of_a_column_that_is_not_there_is_an_unknown_column() -> None:
    with pytest.raises(UnknownColumn, match="its columns are name, age, zip, disease. Did you mean 'age'?"):
        Table.from_frame(PEOPLE, ROLES | {"agee": "quasi"})
    with pytest.raises(UnknownColumn, match="Did you mean 'age'?"):
        Table.from_frame(PEOPLE, ROLES, {"agee": "int"})
    with pytest.raises(UnknownColumn, match="Did you mean 'zip'?"):
        Table.from_frame(PEOPLE, ROLES).column("zipp")


def test_a_role_or_type_that_does_not_exist_is_a_bad_parameter() -> None:
    with pytest.raises(BadParameter, match="Did you mean 'quasi'?"):
        Table.from_frame(PEOPLE, ROLES | {"age": "quas"})
    with pytest.raises(BadParameter, match="must be one of int, float, date, timestamp, category"):
        Table.from_frame(PEOPLE, ROLES, {"age": "integer"})


def test_a_cell_of_another_type_is_a_bad_row_with_its_place_or_missing_if_asked() -> None:
    frame = pl.DataFrame({"age": ["19", "old", "22"]})
    with pytest.raises(BadRow) as caught:
        Table.from_frame(frame, {"age": "quasi"}, {"age": "int"})
    assert (caught.value.details["row"], caught.value.details["column"]) == (1, "age")
    assert "a whole number, got 'old'" in caught.value.message
    assert "unparsable='missing'" in caught.value.message
    table = Table.from_frame(frame, {"age": "quasi"}, {"age": "int"}, unparsable="missing")
    assert table.column("age").codes.tolist() == [0, -1, 1]
    with pytest.raises(BadParameter):
        Table.from_frame(frame, {"age": "quasi"}, unparsable="drop")


@pytest.mark.parametrize(
    ("cells", "type", "domain"),
    [
        (["1", "2", "10"], "int", [1, 2, 10]),
        (["1", "02"], "category", ["02", "1"]),
        (["1.5", "2"], "float", [1.5, 2.0]),
        (["0.5", "00.5"], "category", ["0.5", "00.5"]),
        (["2020-01-31", "2019-12-31"], "date", [date(2019, 12, 31), date(2020, 1, 31)]),
        (["20-01-31"], "category", ["20-01-31"]),
        (["2020-01-31T10:00:00Z", "2020-01-31"], "timestamp", [datetime(2020, 1, 31), datetime(2020, 1, 31, 10)]),
        (["x", "1"], "category", ["1", "x"]),
        ([True, False], "category", ["false", "true"]),
        ([None, None], "category", []),
        ([1.0, float("nan"), float("inf")], "float", [1.0]),
        ([0.0, -0.0], "float", [0.0]),
        (["1.5", "NaN"], "float", [1.5]),
    ],
)
def test_types_are_inferred_without_losing_anything(cells: list[Any], type: str, domain: list[Any]) -> None:
    column = Table.from_frame(pl.DataFrame({"c": cells}), {"c": "other"}).column("c")
    assert (column.type, column.domain.to_list()) == (type, domain)
    assert len(column) == len(cells)


def test_declared_types_are_kept_to() -> None:
    frame = pl.DataFrame({"code": [1, 2], "amount": [1.0, 2.0]})
    table = Table.from_frame(frame, dict.fromkeys(frame.columns, "other"), {"code": "category", "amount": "int"})
    assert table.column("code").domain.to_list() == ["1", "2"]
    assert table.column("amount").domain.dtype == pl.Int64
    with pytest.raises(BadRow, match="a whole number, got 1.5"):
        Table.from_frame(pl.DataFrame({"a": [1.5]}), {"a": "other"}, {"a": "int"})
    with pytest.raises(BadRow, match="an ISO date"):
        Table.from_frame(pl.DataFrame({"a": ["yesterday"]}), {"a": "other"}, {"a": "date"})
    read = Table.from_frame(pl.DataFrame({"a": ["31.12.2020", "n/a"]}), {"a": "other"}, {"a": "date"})
    assert read.column("a").domain.to_list() == [date(2020, 12, 31)]


def test_a_set_valued_column_belongs_into_mixed_data() -> None:
    with pytest.raises(NotApplicable, match=r"Mixed.from_frame"):
        Table.from_frame(pl.DataFrame({"a": [["x"]]}), {"a": "other"})


@given(st.data())
def test_a_table_gives_its_frame_back(data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 6))
    types = data.draw(st.lists(st.sampled_from(COLUMN_TYPES), min_size=1, max_size=4))
    names = [f"c{number}" for number in range(len(types))]
    frame = pl.DataFrame(
        [
            pl.Series(
                name,
                data.draw(st.lists(st.none() | VALUES[type], min_size=rows, max_size=rows)),
                dtype=POLARS_TYPES[type],
            )
            for name, type in zip(names, types, strict=True)
        ]
    )
    declared = dict(zip(names, types, strict=True))
    table = Table.from_frame(frame, dict.fromkeys(names, "quasi"), declared, missing_tokens=())
    assert table.to_frame().equals(frame)
    assert Table.from_frame(table.to_frame(), dict.fromkeys(names, "quasi"), declared, missing_tokens=()) == table
    for column in table.columns:
        assert column.domain.is_sorted()
        assert column.missing == frame[column.name].null_count()
        assert np.all(column.keys[1:] > column.keys[:-1])


def test_records_can_be_chosen_and_the_domain_stays() -> None:
    table = Table.from_frame(PEOPLE, ROLES).take(np.array([2, 0]))
    assert table.to_frame()["name"].to_list() == ["cid", "ann"]
    assert table.column("age").domain.to_list() == [19, 31]
    assert (len(table), repr(table)) == (
        2,
        "Table(2 records; 1 identifier, 2 quasi, 1 sensitive, 0 label, 0 other)",
    )


def test_a_table_cannot_be_written() -> None:
    codes = np.zeros(4, np.int32)
    view = codes[:3]
    column = Column("a", "int", "quasi", view, pl.Series([1]))
    codes[0] = 5
    assert column.codes.tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1
    with pytest.raises(AttributeError):
        Table.of((column,)).columns = ()  # type: ignore[misc]


def test_tables_that_do_not_fit_together_are_refused() -> None:
    one = Column("a", "int", "quasi", np.zeros(2, np.int32), pl.Series([1]))
    with pytest.raises(InputError, match="different lengths"):
        Table.of((one, Column("b", "int", "quasi", np.zeros(3, np.int32), pl.Series([1]))))
    with pytest.raises(InputError, match="twice"):
        Table.of((one, one))
    with pytest.raises(InputError, match="outside its domain"):
        Column("a", "int", "quasi", np.ones(2, np.int32), pl.Series([1]))
    with pytest.raises(InputError, match="at least one column"):
        Table.of(())


PUBLISHED = pl.DataFrame({"age": ["[19:22]", "?", "*", "~"], "origin": ["Europe", "\\?", "{a|b}", "~"]})
PUBLISHED_ROLES = {"age": "quasi", "origin": "sensitive"}
PUBLISHED_TYPES = {"age": "int", "origin": "category"}


def test_a_published_table_reads_and_writes_the_text_of_its_cells() -> None:
    table = PublishedTable.from_frame(PUBLISHED, PUBLISHED_ROLES, PUBLISHED_TYPES, nodes={"origin": ["Europe"]})
    assert table.to_frame().equals(PUBLISHED)
    assert table.column("origin").kinds.tolist() == [
        CellKind.NODE,
        CellKind.VALUE,
        CellKind.SET,
        CellKind.SUPPRESSED,
    ]
    assert table.column("age").kinds.tolist() == [
        CellKind.RANGE,
        CellKind.MISSING,
        CellKind.ANY,
        CellKind.SUPPRESSED,
    ]
    assert table.suppressed.tolist() == [False, False, False, True]
    assert (table.quasi, table.sensitive, table.nodes) == (("age",), ("origin",), {"age": [], "origin": ["Europe"]})


def test_a_record_is_suppressed_only_if_every_column_says_so() -> None:
    frame = pl.DataFrame({"age": ["~", "~"], "origin": ["~", "flu"]})
    table = PublishedTable.from_frame(frame, PUBLISHED_ROLES, PUBLISHED_TYPES)
    assert table.suppressed.tolist() == [True, False]
    assert table.to_frame().equals(frame)  # the verifier must be able to see the second row


def test_a_bad_published_cell_is_named_with_its_place() -> None:
    with pytest.raises(BadPublication) as caught:
        PublishedTable.from_frame(pl.DataFrame({"age": ["1", "[2:1]", "[2:1]"]}), {"age": "quasi"}, {"age": "int"})
    assert (caught.value.details["row"], caught.value.details["column"]) == (1, "age")
    assert "[low:high]" in caught.value.message
    with pytest.raises(BadPublication, match="missing value is written"):
        PublishedTable.from_frame(pl.DataFrame({"age": ["1", None]}), {"age": "quasi"}, {"age": "int"})
    with pytest.raises(BadParameter, match="age have none"):
        PublishedTable.from_frame(pl.DataFrame({"age": ["1"]}), {"age": "quasi"}, {})


@given(st.data())
def test_a_published_table_gives_its_texts_back(data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 5))
    types = data.draw(st.lists(st.sampled_from(COLUMN_TYPES), min_size=1, max_size=3))
    nodes = ["node Europe", "node [odd|name}"]
    columns = []
    for number, type in enumerate(types):
        drawn = data.draw(st.lists(cells(type, nodes), min_size=rows, max_size=rows))
        distinct = list(dict.fromkeys(drawn))
        codes = np.array([distinct.index(cell) for cell in drawn], np.int32)
        columns.append(PublishedColumn(f"c{number}", "quasi", codes, Cells.of(type, distinct)))  # type: ignore[arg-type]
    table = PublishedTable(tuple(columns))
    again = PublishedTable.from_frame(table.to_frame(), table.roles, table.types, nodes=table.nodes)
    assert again == table
    assert again.suppressed.tolist() == table.suppressed.tolist()


def test_published_records_can_be_chosen_but_not_changed() -> None:
    cells_of_column = Cells.of("int", [Cell.value(1), SUPPRESSED])
    column = PublishedColumn("a", "quasi", np.array([0, 1], np.int32), cells_of_column)
    table = PublishedTable((column,)).take(np.array([1]))
    assert table.to_frame()["a"].to_list() == ["~"]
    assert (len(table), repr(table)) == (1, "PublishedTable(1 records, 1 columns, 1 suppressed)")
    with pytest.raises(ValueError, match="read-only"):
        column.codes[0] = 1
    with pytest.raises(InputError, match="outside its cells"):
        PublishedColumn("a", "quasi", np.array([2], np.int32), cells_of_column)
    with pytest.raises(UnknownColumn, match="Did you mean 'aa'|its columns are a"):
        table.column("aa")
