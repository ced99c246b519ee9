"""Every kind of data is read as the readers read it, and the kind is told by the columns or the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crypsis.data.reading import read_events, read_locations, read_tracks, read_trajectories, read_transactions
from crypsis.errors import CrypsisError, NotApplicable, OptionWithoutEffect, UnknownColumn
from crypsis.evaluate import Dataset
from crypsis.evaluate.dataset import view_of
from tests.evaluate.examples import write_example


def dataset(folder, **section):
    return Dataset(section, folder)


def test_long_tables_of_every_kind(tmp_path):
    visits = "trajectory_id,position,location\n1,1,a\n1,2,b\n2,1,b\n"
    (tmp_path / "v.csv").write_text(visits)
    (tmp_path / "places.csv").write_text("location,x,y\na,0,0\nb,3,4\n")
    found = dataset(tmp_path, path="v.csv", locations="places.csv", sensitive=["b"])
    assert found.kind == "trajectories"
    places = read_locations(tmp_path / "places.csv")
    assert found.load().to_lists() == read_trajectories(tmp_path / "v.csv", locations=places).to_lists()
    assert found.load().locations.sensitive.tolist() == [False, True]
    (tmp_path / "t.csv").write_text("id,item\n1,a\n1,b\n2,a\n")
    assert dataset(tmp_path, path="t.csv").kind == "transactions"
    assert dataset(tmp_path, path="t.csv").load() == read_transactions(tmp_path / "t.csv")
    (tmp_path / "e.csv").write_text("id,location,t\n1,a,1\n2,b,2\n")
    assert dataset(tmp_path, path="e.csv").kind == "events"
    assert len(dataset(tmp_path, path="e.csv").load()) == len(read_events(tmp_path / "e.csv"))
    (tmp_path / "x.csv").write_text("id,x,y,t\n1,0,0,0\n1,5,5,60\n")
    assert dataset(tmp_path, path="x.csv").kind == "tracks"
    assert dataset(tmp_path, path="x.csv").load().x.tolist() == read_tracks(tmp_path / "x.csv").x.tolist()


def test_texts_of_sets_and_check_ins(tmp_path):
    (tmp_path / "b.dat").write_text("1 2\n2\n3 1\n")
    baskets = dataset(tmp_path, path="b.dat", rows=2)
    assert baskets.kind == "transactions"
    assert baskets.load().to_lists() == [["1", "2"], ["2"]]
    (tmp_path / "c.csv").write_text(
        "user,time,lat,lon\n1,2010-01-01T00:00:00Z,40.7,-74\n1,2010-01-01T01:00:00Z,40.8,-74\n"
    )
    assert dataset(tmp_path, path="c.csv", grid=1000).kind == "trajectories"
    assert dataset(tmp_path, path="c.csv", grid=1000).load().visits == 2
    with pytest.raises(NotApplicable, match="no cells to edit"):
        dataset(tmp_path, path="b.dat", edits=[{"edit": "delete_row", "row": 0}]).load()


def test_edits_come_before_everything_else(tmp_path):
    (tmp_path / "t.csv").write_text("who,item\n1,a\n1,b\n2,a\n")
    edits = [{"edit": "rename", "column": "who", "to": "id"}, {"edit": "delete_row", "row": 1}]
    found = dataset(tmp_path, path="t.csv", kind="transactions", edits=edits)
    assert found.load().to_lists() == [["a"], ["a"]]
    plain = dataset(tmp_path, path="t.csv", kind="transactions", id="who")
    assert plain.digest != found.digest


def test_a_file_read_otherwise_is_not_taken_from_memory(tmp_path):
    (tmp_path / "p.csv").write_text("1,2\n3,4\n5,6\n")
    headed = dataset(tmp_path, path="p.csv", kind="table", rest="other", each_row_is_a_person=True)
    headless = dataset(tmp_path, path="p.csv", kind="table", rest="other", each_row_is_a_person=True, header=False)
    assert (len(headed.load()), len(headless.load())) == (2, 3)


def test_sets_are_collected_from_a_second_file(tmp_path):
    (tmp_path / "p.csv").write_text("pid,age\n7,30\n8,40\n9,50\n")
    (tmp_path / "codes.csv").write_text("pid,code\n8,x\n7,y\n8,w\n8,-1\n")
    found = dataset(
        tmp_path,
        path="p.csv",
        rest="identifier",
        columns={"age": {"role": "quasi"}},
        sets={"codes": {"path": "codes.csv", "id": "pid", "item": "code", "missing": ["-1"]}},
    )
    assert found.kind == "mixed"
    assert found.load().transactions.to_lists() == [["y"], ["w", "x"], []]
    with pytest.raises(UnknownColumn, match="code"):
        wrong = {"codes": {"path": "codes.csv", "id": "pid", "item": "cod"}}
        dataset(tmp_path, path="p.csv", rest="other", sets=wrong, columns={}).load()


def test_paths_may_begin_at_the_folder_of_shared_data(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("id,item\n1,a\n")
    monkeypatch.setenv("CRYPSIS_DATA", str(tmp_path / "data"))
    found = dataset(Path("/nowhere"), path="${CRYPSIS_DATA}/t.csv")
    assert len(found.load()) == 1
    monkeypatch.setenv("HOME", str(tmp_path / "data"))
    with pytest.raises(CrypsisError):
        dataset(tmp_path, path="${HOME}/t.csv").load()


def test_views_of_mixed_data(tmp_path):
    write_example(tmp_path)
    columns = {name: {"role": "quasi"} for name in ("Age", "Origin", "Gender")}
    mixed = dataset(tmp_path, path="rt.csv", columns={**columns, "items": {"type": "items"}}).load()
    from crypsis.data.mixed import Mixed
    from crypsis.data.relational import Table
    from crypsis.data.trajectory import Trajectories
    from crypsis.data.transaction import Transactions

    assert view_of(mixed, Transactions) is mixed.transactions
    assert view_of(mixed, Table) is mixed.table
    assert view_of(mixed, Table, ["Age"]).names == ("Age",)
    assert view_of(mixed, Mixed, ["Age", "items"]).table.names == ("Age",)
    assert view_of(mixed, Transactions, ["items"]) == mixed.transactions
    with pytest.raises(UnknownColumn, match="Did you mean 'Age'"):
        view_of(mixed, Table, ["Agee"])
    with pytest.raises(NotApplicable):
        view_of(mixed, Trajectories)
    assert np.array_equal(view_of(mixed.table, Table, ["Age"]).column("Age").codes, mixed.table.column("Age").codes)


def test_the_first_rows_of_a_table(tmp_path):
    pl.DataFrame({"a": range(10)}).write_csv(tmp_path / "n.csv")
    assert len(dataset(tmp_path, path="n.csv", rows=4, columns={"a": {"role": "quasi"}}).load()) == 4


def test_no_is_refused_where_it_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,zip\n30,1\n40,2\n")
    columns = {"age": {"role": "quasi"}, "zip": {"role": "other"}}
    with pytest.raises(OptionWithoutEffect, match="`collapse` has no effect here"):
        Dataset({"path": "people.csv", "columns": columns, "collapse": False}, tmp_path).load()
