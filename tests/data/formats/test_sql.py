"""Tables from databases."""

from __future__ import annotations

import sqlite3
import sys

import pytest

from crypsis.data import Trajectories, read_sql
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
