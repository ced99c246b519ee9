"""Columns that are encoded late are the same columns, whoever asks first and how often."""

import copy
import pickle
import threading
from datetime import date, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from crypsis.data.encoded_column import CELLS_AT_ONCE, Column, LateEncoding, map_columns
from crypsis.data.reading import read_table
from crypsis.data.relational import Table
from crypsis.data.values import encoded

FRAME = pl.DataFrame(
    {
        "age": [31, 44, None, 31, -8],
        "born": [date(1990, 1, 2), None, date(1, 1, 1), date(9999, 12, 31), date(1990, 1, 2)],
        "seen": [datetime(2020, 1, 1, 5), datetime(2020, 1, 1), None, None, datetime(2020, 1, 1, 5)],
        "income": [1.5, -0.0, 0.0, float("nan"), None],
        "city": ["Bonn", "Köln", "", None, "Bonn"],
        "code": ["007", "12", "12", "?", "007"],
        "number": ["7", "12", "12", "7", "7"],
    }
)
ROLES = {**dict.fromkeys(FRAME.columns, "quasi"), "income": "other", "city": "sensitive"}


def as_text(table: Table) -> list[tuple[object, ...]]:
    return [(one.name, one.type, one.role, one.codes.tolist(), one.domain.to_list()) for one in table.columns]


@pytest.mark.parametrize("rows", [5, 50, 20_000])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_gives_the_codes_and_domains_of_its_frame(tmp_path: Path, kind: str, rows: int) -> None:
    frame = pl.concat([FRAME] * (rows // 5))
    path = tmp_path / f"table.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    whole = pl.read_csv(path, infer_schema=False, empty_string_is_null=False) if kind == "csv" else frame
    at_once = Table.from_frame(whole, ROLES, each_row_is_a_person=True)
    late = read_table(path, ROLES, each_row_is_a_person=True)
    assert [one.missing for one in late.columns] == [int((one.codes < 0).sum()) for one in at_once.columns]
    assert len(late) == len(at_once) == rows
    assert_frame_equal(late.to_polars(), at_once.to_polars())  # before anybody asked for codes
    assert late.read_as is None or at_once.read_as is None or late.read_as.questions == at_once.read_as.questions
    assert as_text(late) == as_text(at_once)
    assert late == at_once
    assert_frame_equal(late.to_polars(), at_once.to_polars())


def test_texts_of_parquet_are_texts_again(tmp_path: Path) -> None:
    frame = pl.concat([FRAME] * 100).with_columns(pl.col("city").cast(pl.Categorical).alias("place"))
    frame.write_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet", {**ROLES, "place": "other"}, each_row_is_a_person=True)
    assert table.to_polars()["city"].dtype == pl.String
    assert table.to_polars()["place"].dtype == pl.Categorical


def test_a_frame_in_memory_is_encoded_before_somebody_changes_it() -> None:
    numbers = np.array([3.0, 1.0, 2.0])
    table = Table.from_frame(pl.DataFrame({"x": pl.Series(numbers)}), {"x": "quasi"})
    numbers[:] = 9.0
    assert table.column("x").codes.tolist() == [2, 0, 1]


def test_categories_that_do_not_occur_are_no_values() -> None:
    texts = pl.Series("x", ["b", None, "a", "b", "?", ""])
    coded = texts.cast(pl.Enum(["z", "?", "b", "", "a", "y"]))
    by_text = Table.from_frame(texts.to_frame(), {"x": "quasi"})
    assert as_text(Table.from_frame(coded.to_frame(), {"x": "quasi"})) == as_text(by_text)
    numbers = pl.Series("x", ["10", "9", "10"])
    by_text = Table.from_frame(numbers.to_frame(), {"x": "quasi"})
    for categories in (["10", "9"], ["many", "9", "10"]):
        coded = numbers.cast(pl.Enum(categories))
        assert as_text(Table.from_frame(coded.to_frame(), {"x": "quasi"})) == as_text(by_text)


def late_columns(rows: int = 6, many: int = 3) -> list[Column]:
    together = LateEncoding()
    return [
        Column.later(
            f"c{number}", "int", "quasi", pl.Series([row % (number + 2) for row in range(rows)]), True, together
        )
        for number in range(many)
    ]


def test_copies_and_other_processes_get_the_codes() -> None:
    for clone in (copy.copy, copy.deepcopy, lambda column: pickle.loads(pickle.dumps(column))):
        for column in late_columns():
            twin = clone(column)
            assert twin == column
            assert twin.codes.tolist() == encoded(column.values())[0].tolist()


def test_codes_are_the_same_for_all_threads() -> None:
    columns = late_columns(2_000, 4)
    seen: list[bool] = []
    threads = [
        threading.Thread(target=lambda one=one: seen.append(one.codes is one.codes and len(one.domain) > 1))
        for one in columns * 8
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 32


def test_nothing_else_can_be_asked_of_a_column_that_waits() -> None:
    column = late_columns()[0]
    with pytest.raises(AttributeError, match="colour"):
        getattr(column, "colour")  # noqa: B009
    assert len(column) == 6
    assert column.missing == 0


def test_of_several_errors_the_first_column_counts() -> None:
    def fail(name: str) -> None:
        raise ValueError(name)

    for cells in (1, CELLS_AT_ONCE):
        with pytest.raises(ValueError, match="first"):
            map_columns(fail, ["first", "second"], cells)
