"""Inspection: counts, types and a suggestion, and no value unless asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from crypsis.data import Trajectories, inspect_file, write_data
from crypsis.errors import BadRow, MissingFile, UnknownFormat
from tests.shared_data import dataset


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


PEOPLE = "name,age,zip,born\nann,31,007,2001-01-01\nbob,19,?,2001-01-02\ncid,19,007,\n"


def test_rows_types_missing_and_distinct_values_are_counted(tmp_path: Path) -> None:
    found = inspect_file(write(tmp_path, "p.csv", PEOPLE))
    assert (found.rows, found.format, found.kind) == (3, "csv", "table")
    assert [(c.name, c.type, c.missing, c.distinct, c.unique) for c in found.columns] == [
        ("name", "category", 0, 3, True),
        ("age", "int", 0, 2, False),
        ("zip", "category", 1, 1, False),
        ("born", "date", 1, 2, True),
    ]
    assert found.columns[1].top == (2, 1)
    assert (found.columns[1].minimum, found.columns[1].maximum) == ("19", "31")


def test_no_value_that_names_somebody_is_shown_unless_asked_for(tmp_path: Path) -> None:
    file = write(tmp_path, "p.csv", "user,name\n4711,ann\n4712,bob\n4711,ann\n")
    quiet = json.dumps(inspect_file(file).to_dict()["columns"]) + str(inspect_file(file))
    assert not any(value in quiet for value in ("4711", "4712", "ann", "bob"))
    loud = inspect_file(file, show_values=True)
    assert loud.columns[0].values == ("4711", "4712")
    assert (loud.columns[1].minimum, loud.columns[1].values) == ("ann", ("ann", "bob"))


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "trajectory_id,position,location\n1,1,a\n", "trajectories"),
        ("a.csv", "user,time,lat,lon,venue\n1,2020-01-01,40,-73,9\n", "tracks"),
        ("a.csv", "user_id,tracked_at,geom\n1,2020-01-01,POINT (1 2)\n", "tracks"),
        ("a.csv", "id,location,t,status\n1,a,5,s\n", "events"),
        ("a.csv", "id,item\n1,a\n", "transactions"),
        ("a.csv", "age,zip\n1,a\n", "table"),
        ("a.dat", "1 2 3\n", "transactions"),
        ("a.txt", "1 -1 2 -1 -2\n", "trajectories"),
        ("a.jsonl", '["a","b"]\n', "trajectories"),
        ("a.jsonl", '["a",["b","c"]]\n', "published"),
        ("a.jsonl", '{"id":1,"item":"a"}\n', "transactions"),
        (
            "a.geojson",
            '{"type":"Feature","geometry":{"type":"LineString","coordinates":[[8,47]]},"properties":{"times":[1]}}',
            "tracks",
        ),
    ],
)
def test_the_kind_is_suggested_with_a_reason(tmp_path: Path, name: str, text: str, kind: str) -> None:
    found = inspect_file(write(tmp_path, name, text))
    assert found.kind == kind
    assert found.reason
    assert f"probably {kind}" in str(found)
    json.dumps(found.to_dict())


def test_sequences_are_told_by_their_labels_and_lengths(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    write_data(Trajectories.from_lists([["a", "b", "a"], [], ["a"]]), file)
    label, length = inspect_file(file).columns
    assert (label.distinct, label.top) == (2, (3, 1))
    assert (length.minimum, length.maximum) == (None, None)  # three rows, three lengths
    file.write_text('["a"]\n["a"]\n["a","b"]\n')
    assert inspect_file(file).columns[1].maximum == "2"
    pl.DataFrame({"trajectory": [[["a"], ["b", "c"]]]}).write_parquet(tmp_path / "p.parquet")
    found = inspect_file(tmp_path / "p.parquet")
    assert (found.kind, found.columns[0].type) == ("published", "list(list(string))")


def test_a_bad_file_is_refused_as_reading_would(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        inspect_file(tmp_path / "nothing.csv")
    with pytest.raises(UnknownFormat):
        inspect_file(tmp_path)
    with pytest.raises(BadRow) as caught:
        inspect_file(write(tmp_path, "a.csv", "a,b\n1\n"))
    assert caught.value.details["line"] == 2


def test_a_table_of_131780_rows_is_inspected_whole(tmp_path: Path) -> None:
    rows = 131_780
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "video": pl.Series([f"v{number}" for number in range(rows)]),
            "category": pl.Series([f"c{number}" for number in range(15)]).gather(random.integers(0, 15, rows)),
            "length": random.integers(0, 5000, rows),
            "rate": random.random(rows),
            "uploaded": pl.Series(random.integers(0, 10**9, rows) * 10**6).cast(pl.Datetime("us")),
        }
    )
    frame.write_csv(tmp_path / "videos.csv")
    found = inspect_file(tmp_path / "videos.csv")
    assert found.rows == rows
    assert [column.type for column in found.columns] == ["category", "category", "int", "float", "timestamp"]
    assert found.columns[0].unique


@pytest.mark.real_data("gowalla_nyc")
def test_raw_check_ins_are_recognised() -> None:
    found = inspect_file(dataset("gowalla_nyc") / "gowalla_nyc_checkins.csv.xz")
    assert (found.rows, found.kind) == (138_957, "tracks")
    assert [column.type for column in found.columns] == ["int", "timestamp", "float", "float", "int"]
    assert found.columns[0].minimum is None


def test_sets_of_several_items_in_a_file_that_keeps_an_order_are_transactions(tmp_path: Path) -> None:
    assert inspect_file(write(tmp_path, "s.txt", "1 -1 2 5 -1 -2\n3 -1 2 -1 -2\n")).kind == "transactions"
    assert inspect_file(write(tmp_path, "v.txt", "1 -1 2 -1 -2\n3 -1 2 -1 -2\n")).kind == "trajectories"


def test_degrees_are_not_asked_about(tmp_path: Path) -> None:
    rows = "".join(f"{row // 5};2020-06-08 10:{row:02d};48,13{row % 10};11.57{row % 10}\n" for row in range(20))
    found = inspect_file(write(tmp_path, "t.csv", f"id;time;lat;lon\n{rows}"))
    assert (found.kind, found.understood.questions) == ("tracks", ())


def test_planar_coordinates_that_may_be_degrees_are_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "fixes.csv"
    rows = [f"u{n // 9},{n},{8 + n / 7919:.6f},{47 + n / 7907:.6f}" for n in range(90)]
    file.write_text("\n".join(["user,time,x,y", *rows]) + "\n")
    (question,) = inspect_file(file).understood.questions
    assert question.endswith("say lon='x' and lat='y'")
    assert "lat" not in "".join(inspect_file(_planar(file)).understood.questions)


def _planar(file: Path) -> Path:
    rows = [f"u{n // 9},{n},{n * 1.5},{n * 2.5}" for n in range(30)]
    file.write_text("\n".join(["user,time,x,y", *rows]) + "\n")
    return file


def test_markers_among_texts_are_asked_about_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("sex,country,drug\nm,NA,none\nf,DE,aspirin\n#NV,FR,none\n")
    found = inspect_file(file)
    assert found.understood.questions == (
        "#NV in 'sex' may mean a missing value; if so, say missing_tokens=['sex=#NV']",
        "NA in 'country' may mean a missing value; if so, say missing_tokens=['country=NA']",
    )
    assert [column.missing for column in found.columns] == [0, 0, 0]
    told = inspect_file(file, missing_tokens=("sex=#NV", "country=NA"))
    assert (told.understood.questions, [column.missing for column in told.columns]) == ((), [1, 1, 0])
