"""Tables from databases."""

from __future__ import annotations

import sqlite3
import sys

import polars as pl
import pytest

from crypsis.data import Trajectories, read_sql
from crypsis.data.formats.sql import _plain
from crypsis.errors import MissingExtra, UnreadableFile


@pytest.fixture
def connection() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("create table visits (trip integer, step integer, place text)")
    database.executemany("insert into visits values (?, ?, ?)", [(1, 1, "a"), (1, 2, "b"), (2, 1, "a")])
    return database


def test_a_query_gives_trajectories(connection: sqlite3.Connection) -> None:
    frame = read_sql("select trip, step, place from visits order by trip, step", connection)
    data = Trajectories.from_frame(frame, id="trip", position="step", location="place")
    assert data.to_lists() == [["a", "b"], ["a"]]
    connection.close()


def test_types_of_databases_become_those_of_files() -> None:
    exact = pl.Extension("arrow.opaque", pl.String, '{"type_name": "numeric", "vendor_name": "PostgreSQL"}')
    frame = pl.DataFrame(
        [
            pl.Series("income", ["1013.50", "NaN"]).ext.to(exact),
            pl.Series("uid", [b"\x9e\x57", None]),
            pl.Series("n", [1, 2]),
        ]
    )
    plain = _plain(frame)
    assert plain.dtypes == [pl.Float64, pl.String, pl.Int64]
    assert plain["income"][0] == 1013.5
    assert plain["uid"].to_list() == ["9e57", None]


def test_a_query_that_fails_says_why(connection: sqlite3.Connection) -> None:
    with pytest.raises(UnreadableFile, match="no such table: visit"):
        read_sql("select * from visit", connection)
    connection.close()


def test_an_address_without_its_package_names_what_to_install_and_never_the_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[sql\]'") as caught:
        read_sql("select 1", "postgresql://me:secret@host/db")
    assert "secret" not in str(caught.value)
