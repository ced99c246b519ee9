"""Mixed data: a table with a set-valued column, or with several that are united and split again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import Mixed, PublishedMixed, PublishedTable, PublishedTransactions, Table, Transactions
from crypsis.errors import (
    BadLabel,
    BadParameter,
    BadPublication,
    InputError,
    NotApplicable,
    UndeclaredRole,
    UnknownColumn,
)
from tests.data.drawn import trimmed_labels

FRAME = pl.DataFrame({"age": [31, 19, 25], "codes": ["042 flu", "", "flu  flu"], "drugs": ["x|y z", None, " y z "]})


def test_one_set_valued_column_keeps_its_items() -> None:
    data = Mixed.from_frame(FRAME.drop("drugs"), {"age": "quasi"}, {"codes": " "}, sensitive={"codes": ["042"]})
    assert (data.column, data.parts) == ("codes", ("codes",))
    assert data.transactions.to_lists() == [["042", "flu"], [], ["flu"]]
    assert data.transactions.collapsed == 1
    assert data.transactions.sensitive is not None
    assert data.transactions.sensitive.tolist() == [True, False]
    assert data.table.quasi == ("age",)
    assert data.to_frame()["codes"].to_list() == [["042", "flu"], [], ["flu"]]


def test_several_are_united_with_prefixed_items_and_split_again() -> None:
    data = Mixed.from_frame(
        FRAME, {"age": "quasi"}, {"codes": " ", "drugs": "|"}, sensitive={"codes": ["042"], "drugs": ["x"]}
    )
    assert data.column == "items"
    assert data.transactions.to_lists() == [
        ["codes.042", "codes.flu", "drugs.x", "drugs.y z"],
        [],
        ["codes.flu", "drugs.y z"],
    ]
    assert data.transactions.collapsed == 1
    parts = data.split()
    assert parts["codes"].to_lists() == [["042", "flu"], [], ["flu"]]
    assert parts["drugs"].to_lists() == [["x", "y z"], [], ["y z"]]
    assert parts["drugs"].sensitive is not None
    assert parts["drugs"].sensitive.tolist() == [True, False]


@given(
    st.lists(
        st.tuples(st.lists(trimmed_labels, max_size=3), st.lists(trimmed_labels, max_size=3)), min_size=1, max_size=6
    )
)
def test_splitting_undoes_uniting(rows: list[tuple[list[str], list[str]]]) -> None:
    table = Table.from_frame(pl.DataFrame({"n": list(range(len(rows)))}), {"n": "quasi"})
    parts = {
        "a.x": Transactions.from_lists([row[0] for row in rows]),
        "b": Transactions.from_lists([row[1] for row in rows]),
    }
    united = Mixed.united(table, parts)
    assert united.split() == parts
    again = Mixed.from_frame(united.to_frame(), {"n": "quasi"}, {"a.x": None, "b": None})
    assert again == united


def test_columns_whose_items_could_be_mistaken_are_not_united() -> None:
    frame = pl.DataFrame({"n": [1], "a": [["b.c"]], "a.b": [["c"]]})
    with pytest.raises(BadParameter, match="Rename one"):
        Mixed.from_frame(frame, {"n": "quasi"}, {"a": None, "a.b": None})


def test_mixed_data_need_items_a_relational_column_and_roles() -> None:
    with pytest.raises(BadParameter, match="name one in items"):
        Mixed.from_frame(FRAME, {"age": "quasi"}, {})
    with pytest.raises(UnknownColumn, match="Did you mean 'codes'?"):
        Mixed.from_frame(FRAME, {"age": "quasi"}, {"code": " "})
    with pytest.raises(NotApplicable, match="read them as transactions"):
        Mixed.from_frame(FRAME.select("codes"), {}, {"codes": " "})
    with pytest.raises(UndeclaredRole, match="drugs"):
        Mixed.from_frame(FRAME, {"age": "quasi"}, {"codes": " "})
    with pytest.raises(BadParameter, match="separator"):
        Mixed.from_frame(FRAME, {"codes": "other", "drugs": "other"}, {"age": " "})


def test_an_empty_item_is_a_bad_label_with_its_row_and_column() -> None:
    frame = pl.DataFrame({"n": [1, 2], "drugs": ["x|y", "x||y"]})
    with pytest.raises(BadLabel) as caught:
        Mixed.from_frame(frame, {"n": "quasi"}, {"drugs": "|"}, source="patients.csv")
    assert caught.value.where == "patients.csv, row 1, column 'drugs'"


def test_table_and_transactions_must_be_of_one_length() -> None:
    table = Table.from_frame(pl.DataFrame({"n": [1]}), {"n": "quasi"})
    with pytest.raises(InputError, match="as many transactions"):
        Mixed(table, Transactions.from_lists([]), "items", ("items",))
    with pytest.raises(InputError, match="rename one"):
        Mixed(table, Transactions.from_lists([["a"]]), "n", ("n",))
    data = Mixed(table, Transactions.from_lists([["a"]]), "items", ("items",))
    assert (len(data), len(data.take(np.array([0, 0])))) == (1, 2)


def published() -> PublishedMixed:
    table = PublishedTable.from_frame(pl.DataFrame({"age": ["[19:22]", "~"]}), {"age": "quasi"}, {"age": "int"})
    return PublishedMixed(table, PublishedTransactions.from_lists([["d", ["a", "b"]], []]), "codes")


def test_published_mixed_data_are_texts_with_suppressed_records_marked_in_every_column() -> None:
    frame = published().to_frame()
    assert frame.rows() == [("[19:22]", '[["a","b"],"d"]'), ("~", "~")]
    again = PublishedMixed.from_frame(frame, "codes", {"age": "quasi"}, {"age": "int"})
    assert again == published()


@pytest.mark.parametrize(("cells", "row"), [(["[]", "x"], 1), (['{"a":1}', "~"], 0), (["~", "~"], 0), ([None, "~"], 0)])
def test_published_items_that_are_no_symbols_are_refused_with_their_place(cells: list[str], row: int) -> None:
    frame = pl.DataFrame({"age": ["[19:22]", "~"], "codes": cells})
    with pytest.raises(BadPublication) as caught:
        PublishedMixed.from_frame(frame, "codes", {"age": "quasi"}, {"age": "int"}, source="out.csv")
    assert caught.value.where == f"out.csv, row {row}, column 'codes'"
    with pytest.raises(UnknownColumn):
        PublishedMixed.from_frame(frame, "items", {"age": "quasi"}, {"age": "int"})


def test_published_names_are_read_with_their_meanings() -> None:
    frame = pl.DataFrame({"age": ["[19:22]", "~"], "codes": ['["d","both"]', "~"]})
    read = PublishedMixed.from_frame(
        frame, "codes", {"age": "quasi"}, {"age": "int"}, meanings={"both": ["b", "a"]}, source="out.csv"
    )
    assert read == published()
    nested = frame.with_columns(pl.Series("codes", ['[["a","b"]]', "~"]))
    with pytest.raises(BadPublication, match="items are names") as caught:
        PublishedMixed.from_frame(nested, "codes", {"age": "quasi"}, {"age": "int"}, meanings={}, source="out.csv")
    assert caught.value.where == "out.csv, row 0, column 'codes'"
    twice = frame.with_columns(pl.Series("codes", ['["d","d"]', "~"]))
    with pytest.raises(BadPublication, match="lists a name twice"):
        PublishedMixed.from_frame(twice, "codes", {"age": "quasi"}, {"age": "int"}, meanings={})
