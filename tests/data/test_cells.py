"""Generalized cells: the text of every cell gives the cell back, and nothing reads as something else."""

from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell, CellKind, Cells, parse_cell, parse_values, write_cell
from crypsis.data.values import COLUMN_TYPES, ColumnType
from crypsis.errors import BadRow
from tests.data.drawn import VALUES, cells, labels


@pytest.mark.parametrize(
    ("type", "cell", "text"),
    [
        ("int", Cell.range(19, 22), "[19:22]"),
        ("int", Cell.range(-5, -2), "[-5:-2]"),
        ("int", Cell.value(19), "19"),
        ("int", Cell.range(19, 19), "19"),
        ("float", Cell.range(0.5, 2.25), "[0.5:2.25]"),
        ("category", Cell.node("Europe"), "Europe"),
        ("category", Cell.set(["b", "a"]), "{a|b}"),
        ("category", Cell.set(["a"]), "a"),
        ("category", MISSING, "?"),
        ("category", ANY, "*"),
        ("category", Cell.node("*"), "*"),
        ("category", SUPPRESSED, "~"),
        ("category", Cell.value("?"), "\\?"),
        ("category", Cell.value("*"), "\\*"),
        ("category", Cell.value("~"), "\\~"),
        ("category", Cell.value("~~"), "~~"),
        ("category", Cell.value("[19:22]"), "\\[19:22]"),
        ("category", Cell.value("{a|b}"), "\\{a|b}"),
        ("category", Cell.value("\\x"), "\\\\x"),
        ("category", Cell.value("a|b"), "a|b"),
        ("category", Cell.set(["a|b", "c}"]), "{a\\|b|c\\}}"),
        ("category", Cell.set(["a\\", "b"]), "{a\\\\|b}"),
        ("category", Cell.set(["?", "b"]), "{\\?|b}"),
        ("date", Cell.range(date(2020, 1, 1), date(2020, 2, 1)), "[2020-01-01:2020-02-01]"),
        ("timestamp", Cell.value(datetime(2020, 1, 1, 9, 30)), "2020-01-01T09:30:00"),
        (
            "timestamp",
            Cell.range(datetime(2020, 1, 1, 9, 30), datetime(2020, 1, 1, 10, 0, 0, 5)),
            "[20200101T093000:20200101T100000.000005]",
        ),
    ],
)
def test_cells_are_written_as_the_specification_says_and_read_back(type: str, cell: Cell, text: str) -> None:
    assert write_cell(cell) == text
    assert parse_cell(text, type, nodes=["Europe"]) == cell  # type: ignore[arg-type]


@given(st.data())
def test_the_text_of_any_cells_gives_the_same_cells(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from(COLUMN_TYPES))
    # A node and a value of the same name would be one text: a hierarchy's inner nodes are no values.
    nodes = [f"node {name}" for name in data.draw(st.lists(labels, max_size=3, unique=True))]
    drawn = data.draw(st.lists(cells(type, nodes), max_size=12))
    written = Cells.of(type, drawn)  # type: ignore[arg-type]
    parsed, number = Cells.parse(type, written.texts, nodes)  # type: ignore[arg-type]
    assert parsed == written
    assert number.tolist() == list(range(len(written)))
    assert [written[place] for place in range(len(written))] == list(dict.fromkeys(drawn))


@given(st.data())
def test_different_cells_have_different_texts(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from(COLUMN_TYPES))
    written = Cells.of(type, data.draw(st.lists(cells(type, []), max_size=12)))  # type: ignore[arg-type]
    assert len(set(written.texts)) == len(written)


@given(st.text(st.sampled_from("a1[]{}|:\\?*~ -."), max_size=8), st.sampled_from(COLUMN_TYPES))
def test_any_text_is_a_cell_with_a_stable_text_or_a_bad_row(text: str, type: str) -> None:
    try:
        cell = parse_cell(text, type)  # type: ignore[arg-type]
    except BadRow as error:
        assert error.details["text"] == text
        return
    assert parse_cell(write_cell(cell), type) == cell  # type: ignore[arg-type]


@given(labels)
def test_a_value_is_never_taken_for_missing_any_or_suppressed(value: str) -> None:
    cell = parse_cell(write_cell(Cell.value(value)), "category")
    assert cell.kind == CellKind.VALUE


def test_suppressed_and_missing_are_different_cells() -> None:
    parsed, number = Cells.parse("int", ["?", "~", "*", "?"])
    assert [parsed[place].kind for place in number] == [
        CellKind.MISSING,
        CellKind.SUPPRESSED,
        CellKind.ANY,
        CellKind.MISSING,
    ]


@pytest.mark.parametrize(
    ("text", "type", "part"),
    [
        ("[19:22", "int", "[low:high]"),
        ("[22:19]", "int", "the lower first"),
        ("[19:19]", "int", "the lower first"),
        ("[a:b]", "int", "a whole number"),
        ("[a:b]", "category", "with \\ in front"),
        ("[1:2:3]", "int", "[low:high]"),
        ("{a", "category", "{a|b}"),
        ("{a}", "category", "two or more"),
        ("{a|a}", "category", "different values"),
        ("{a|}", "category", "two or more"),
        ("{1|x}", "int", "a whole number"),
        ("{a|b}c", "category", "{a|b}"),
        ("", "category", "?"),
        ("\\", "category", "?"),
    ],
)
def test_a_text_that_is_no_cell_is_a_bad_row_that_says_how_to_write_it(text: str, type: str, part: str) -> None:
    with pytest.raises(BadRow) as caught:
        parse_cell(text, type)  # type: ignore[arg-type]
    assert part in caught.value.message
    assert caught.value.details["text"] == text


def test_with_a_known_hierarchy_a_strange_text_in_a_column_of_numbers_is_refused() -> None:
    assert parse_cell("20s", "int", nodes=["20s"]) == Cell.node("20s")
    assert parse_cell("20s", "int") == Cell.node("20s")
    with pytest.raises(BadRow, match="neither a whole number nor a node"):
        parse_cell("20s", "int", nodes=["30s"])


def test_cells_cannot_be_written() -> None:
    written = Cells.of("int", [Cell.range(1, 2), MISSING])
    for array in (written.kinds, written.offsets, written.members):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("build", [lambda: Cell.range(2, 1), lambda: Cell.range("a", "b"), lambda: Cell.set([])])
def test_a_cell_over_nothing_is_refused(build: object) -> None:
    with pytest.raises(BadRow):
        build()  # type: ignore[operator]
    with pytest.raises(BadRow, match="empty text"):
        Cells.of("category", [Cell.value("")])


@given(st.lists(st.integers(0, 5), max_size=12), st.lists(st.sampled_from(["a", "[b", "~", "c|d}", "\\e"]), max_size=6))
def test_texts_in_bulk_are_those_of_the_single_cells(numbers: list[int], texts: list[str]) -> None:
    ranges = [Cell.range(min(pair), max(pair)) for pair in pairwise(numbers)]
    sets = [Cell.set(texts[:size]) for size in range(1, len(texts) + 1)]
    named = [Cell.node(text) for text in texts]
    for type, listed in (("int", ranges), ("category", [*sets, *named])):
        made = Cells.of(type, [*listed, MISSING, ANY, SUPPRESSED])
        assert list(made.texts) == [write_cell(made[place]) for place in range(len(made))]


_ODD = ["007", "-0", "-0.0", "[1:1]", "[2:1]", "x", "", "9" * 25, "[1:2] ", "{1|2}", "{2|1}", "[1:2:3]", "1e400"]
_ODD += ["1e-7", "0.00001", "1.50", "nan", "2020-1-2", "2020-01-02", "2020-01-02T03:04:05", "2020-01-02T03:04:05.5"]
_ODD += ["[20200102T030405:20200102T030405.000001]", "[2020-01-02:2020-01-03]", "20s", "Europe", "[", "[]", "[:]"]
_ODD += ["[1:]", "\\?", "\\x"]


@given(
    st.sampled_from(COLUMN_TYPES).flatmap(
        lambda type: st.tuples(
            st.just(type),
            st.lists(
                st.sampled_from(["?", "*", "~"])
                | cells(type, ["Europe"]).map(write_cell)
                | st.integers(-(10**18) + 1, 10**18 - 1).map(str)
                | st.floats(allow_nan=False, allow_infinity=False).map(repr)
                | st.sampled_from(_ODD),
                max_size=12,
            ),
        )
    ),
    st.sampled_from([None, (), ("20s", "Europe", "19")]),
)
def test_texts_are_parsed_at_once_as_one_by_one(drawn: tuple[ColumnType, list[str]], nodes: tuple[str, ...]) -> None:
    type, texts = drawn

    def outcome(many: int) -> object:
        with patch("crypsis.data.cells.MANY_CELLS", many):
            try:
                parsed, cell_of_text = Cells.parse(type, texts, nodes)
            except BadRow as refusal:
                return str(refusal)
        arrays = (parsed.kinds, parsed.offsets, parsed.members, cell_of_text)
        values, named = parsed.values, parsed.nodes
        listed = (values.to_list(), values.dtype, named.to_list(), named.dtype, parsed.texts)
        return [(one.dtype, one.tolist()) for one in arrays], listed, parsed.text_ranks.tolist()

    assert outcome(0) == outcome(100)


def test_ordinary_texts_are_all_parsed_at_once() -> None:
    ordinary: dict[ColumnType, list[str]] = {
        "int": ["19", "-4", "[19:22]", "?", "~", "*", "20s"],
        "float": ["0.5", "[0.5:2.25]", "1e-07", "3.0", "20s"],
        "date": ["2020-01-02", "[2020-01-02:2020-01-03]", "?"],
        "timestamp": ["2020-01-02T03:04:05", "2020-01-02T03:04:05.000001", "[20200102T030405:20200102T030405.000001]"],
        "category": ["a", "20s", "\\?", "{a|b}", "*"],
    }
    for type, texts in ordinary.items():
        with patch("crypsis.data.cells.MANY_CELLS", 0), patch.object(Cells, "of", wraps=Cells.of) as one_by_one:
            parsed, cell_of_text = Cells.parse(type, texts, ["20s"])
        assert list(parsed.texts) == texts
        assert cell_of_text.tolist() == list(range(len(texts)))
        assert [len(call.args[1]) for call in one_by_one.call_args_list] == [2 if type == "category" else 0]


@given(st.lists(st.text(max_size=3), max_size=9))
def test_ranks_follow_the_texts(texts: list[str]) -> None:
    made = Cells.of("category", [Cell.value(text) for text in texts if text])
    assert [sorted(set(made.texts)).index(text) for text in made.texts] == made.text_ranks.tolist()


@pytest.mark.parametrize("type", COLUMN_TYPES)
@given(data=st.data())
def test_columns_of_values_are_read_like_single_texts(type: ColumnType, data: st.DataObject) -> None:
    pool = data.draw(st.lists(VALUES[type].map(Cell.value).map(write_cell) | st.sampled_from(_ODD), min_size=1))
    texts = data.draw(st.lists(st.sampled_from(pool), min_size=1))
    with patch("crypsis.data.cells._MANY_VALUES", 0):
        found = parse_values(type, pl.Series(texts, dtype=pl.String))
    if found is None:
        return
    distinct = list(dict.fromkeys(texts))
    expected, cell_of_text = Cells.parse(type, distinct)
    assert found[1].tolist() == [cell_of_text[distinct.index(text)] for text in texts]
    for name in ("kinds", "offsets", "members"):
        assert getattr(found[0], name).tolist() == getattr(expected, name).tolist()
    assert found[0].values.equals(expected.values)
    assert found[0].texts == tuple(distinct)


def test_ordinary_columns_of_values_are_read_without_looking_texts_up() -> None:
    columns: dict[ColumnType, list[str]] = {
        "int": ["7", "-3", "7"], "float": ["0.5", "12.0", "0.5"], "date": ["2020-12-31", "1999-01-01"]
    }  # fmt: skip
    for type, texts in columns.items():
        with patch("crypsis.data.cells._MANY_VALUES", 0):
            assert parse_values(type, pl.Series(texts)) is not None
        assert parse_values(type, pl.Series(texts)) is None
