"""Edits: each does what it says, the original stays, and a list of them can be replayed from its dictionaries."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.errors import BadEdit
from crypsis.evaluate.edits import EDITS, EditedTable, edit_from_dict

TABLE = pl.DataFrame({"age": ["20", "41", "22"], "city": ["a", "b", "a"]})


def edited(*edits):
    return EditedTable(TABLE).apply(edits)


def test_each_edit_does_what_it_says():
    assert edited({"edit": "rename", "column": "age", "to": "years"}).columns == ["years", "city"]
    assert edited({"edit": "set", "row": 1, "column": "age", "value": "40"})["age"].to_list() == ["20", "40", "22"]
    assert edited({"edit": "set", "column": "city", "instead_of": "a", "value": "x"})["city"].to_list() == list("xbx")
    assert edited({"edit": "add_row", "values": {"age": "1"}, "at": 1}).row(1) == ("1", "")
    assert edited({"edit": "add_row", "values": {"city": "z"}}).row(3) == ("", "z")
    assert edited({"edit": "delete_row", "row": 0})["age"].to_list() == ["41", "22"]
    assert edited({"edit": "add_column", "column": "note", "value": "-", "at": 0}).columns == ["note", "age", "city"]
    assert edited({"edit": "delete_column", "column": "age"}).columns == ["city"]
    assert TABLE["age"].to_list() == ["20", "41", "22"]


def test_rows_are_those_of_the_table_at_that_moment():
    done = edited(
        {"edit": "delete_row", "row": 0},
        {"edit": "set", "row": 0, "column": "age", "value": "40"},
        {"edit": "set", "row": 0, "column": "age", "value": "39"},
        {"edit": "set", "row": 1, "column": "age", "value": "1"},
    )
    assert done["age"].to_list() == ["39", "1"]


def test_a_typed_column_keeps_its_type():
    table = EditedTable(pl.DataFrame({"n": [1, 2], "tags": [["a"], ["b", "c"]]}))
    assert table.apply([{"edit": "set", "row": 0, "column": "n", "value": 5}])["n"].to_list() == [5, 2]
    assert table.apply([{"edit": "set", "row": 1, "column": "tags", "value": ["z"]}])["tags"].to_list() == [
        ["a"],
        ["z"],
    ]
    with pytest.raises(BadEdit, match="holds Int64, got 'many'"):
        table.apply([{"edit": "set", "row": 0, "column": "n", "value": "many"}])


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"edit": "renam", "column": "a", "to": "b"}, "Did you mean 'rename'"),
        ({"edit": "rename", "column": "age"}, "to must be given"),
        ({"edit": "rename", "column": "agee", "to": "b"}, "Did you mean 'age'"),
        ({"edit": "rename", "column": "age", "to": "city"}, "already"),
        ({"edit": "set", "column": "age", "value": "1"}, "by row, or which value"),
        ({"edit": "set", "row": 3, "column": "age", "value": "1"}, "from 0 to 2"),
        ({"edit": "set", "row": True, "column": "age", "value": "1"}, "whole number"),
        ({"edit": "delete_row", "row": -1}, "no row -1"),
        ({"edit": "add_row", "values": {"x": 1}}, "no column 'x'"),
        ({"edit": "add_row", "at": 9}, "from 0 to 3"),
        ({"edit": "delete_column", "column": "x"}, "no column 'x'"),
        ("rename", "An edit is a table"),
    ],
)
def test_what_cannot_be_done_is_said(edit, words):
    with pytest.raises(BadEdit, match=words):
        edited(edit)


def test_the_place_in_the_list_is_told():
    with pytest.raises(BadEdit) as caught:
        edited({"edit": "delete_row", "row": 0}, {"edit": "delete_row", "row": 7})
    assert caught.value.where == "edit 2"


@given(
    st.lists(
        st.one_of(
            st.builds(lambda row, value: {"edit": "set", "row": row, "column": "age", "value": value},
                      st.integers(0, 2), st.text(max_size=3)),
            st.builds(lambda value: {"edit": "add_row", "values": {"city": value}, "at": 0}, st.text(max_size=3)),
            st.just({"edit": "delete_row", "row": 0}),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_all_at_once_is_one_after_another(edits):
    one_by_one = TABLE
    try:
        for edit in edits:
            one_by_one = EditedTable(one_by_one).apply([edit])
    except BadEdit:
        with pytest.raises(BadEdit):
            edited(*edits)
        return
    together = edited(*[edit_from_dict(edit).to_dict() for edit in edits])
    assert together.equals(one_by_one)


def test_every_edit_comes_back_from_its_dictionary():
    samples = {
        "rename": {"column": "a", "to": "b"},
        "set": {"row": 1, "column": "a", "value": "x"},
        "add_row": {"values": {"a": "1"}, "at": 2},
        "delete_row": {"row": 1},
        "add_column": {"column": "n", "value": "v", "at": 0},
        "delete_column": {"column": "n"},
    }
    assert samples.keys() == EDITS.keys()
    for name, fields in samples.items():
        content = {"edit": name, **fields}
        assert edit_from_dict(content).to_dict() == content
