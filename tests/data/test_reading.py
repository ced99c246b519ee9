"""Reading files: each kind from each format, and where a bad file goes wrong."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from crypsis.data import (
    Locations,
    Trajectories,
    read_events,
    read_locations,
    read_mixed,
    read_table,
    read_tracks,
    read_trajectories,
    read_transactions,
)
from crypsis.data.formats.memory import LIMIT_VARIABLE
from crypsis.errors import (
    BadCoordinate,
    BadLabel,
    BadRow,
    CrypsisError,
    DuplicateLocation,
    MissingFile,
    TooLarge,
    UndeclaredRole,
    UnknownColumn,
    UnknownFormat,
    UnknownLocation,
    UnreadableFile,
)
from tests.shared_data import dataset

ROWS = [["a", "b", "a"], ["c"]]
LONG = "trajectory_id,position,location\n1,1,a\n1,2,b\n1,3,a\n2,1,c\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", LONG),
        ("t.tsv", LONG.replace(",", "\t")),
        ("t.csv", LONG.replace(",", ";")),
        ("t.csv.gz", gzip.compress(LONG.encode(), mtime=0)),
        ("t.csv.xz", lzma.compress(LONG.encode())),
        ("t.jsonl", '["a","b","a"]\n["c"]\n'),
        ("t.txt", "a b a\nc\n"),
        ("t.dat", "a b a\nc\n"),
        ("t.spmf", "a -1 b -1 a -1 -2\nc -1 -2\n"),
        ("t.txt", "a -1 b -1 a -1 -2\nc -1 -2\n"),
        (
            "t.jsonl",
            '{"trajectory_id":1,"position":1,"location":"a"}\n{"trajectory_id":1,"position":2,"location":"b"}\n'
            '{"trajectory_id":1,"position":3,"location":"a"}\n{"trajectory_id":2,"position":1,"location":"c"}\n',
        ),
    ],
)
def test_trajectories_are_read_from_every_format(tmp_path: Path, name: str, content: str | bytes) -> None:
    data = read_trajectories(write(tmp_path, name, content))
    assert data.to_lists() == ROWS
    table = {"c": (0, 0), "b": (1, 1), "a": (2, 2), "unused": (3, 3)}
    with_table = read_trajectories(write(tmp_path, name, content), locations=table)
    assert (with_table.to_lists(), with_table.locations.labels) == (ROWS, ("c", "b", "a", "unused"))


def test_trajectories_are_read_from_parquet_with_any_column_names(tmp_path: Path) -> None:
    frame = pl.DataFrame({"trip": [1, 1, 2], "hour": [1, 2, 1], "stop": ["a", "b", "a"], "who": ["x", "x", "y"]})
    frame.write_parquet(tmp_path / "t.parquet")
    data = read_trajectories(tmp_path / "t.parquet", id="trip", position="hour", location="stop", owner="who")
    assert data.to_lists() == [["a", "b"], ["a"]]
    assert data.owners is not None
    assert data.owners.tolist() == [0, 1]


def test_a_location_table_may_be_named_by_its_path(tmp_path: Path) -> None:
    locations = write(tmp_path, "l.csv", "location,x,y\na,0,0\nb,1,1\nc,2,2\n")
    data = read_trajectories(write(tmp_path, "t.csv", LONG), locations=locations)
    assert data.locations == Locations.of({"a": (0, 0), "b": (1, 1), "c": (2, 2)})
    assert data.locations.source == str(locations)


@pytest.mark.parametrize(
    ("name", "content", "error", "where"),
    [
        ("t.csv", LONG.replace("2,1,c", "2,1"), BadRow, "line 5"),
        ("t.csv", LONG.replace("2,1,c", "2,x,c"), BadRow, "line 5, column 'position'"),
        ("t.csv", LONG.replace("1,3,a", "1,2,a"), BadRow, "line 4, column 'position'"),
        ("t.csv", LONG.replace("1,3,a", "1,3,"), BadLabel, "line 4, column 'location'"),
        ("t.csv", LONG.replace("1,3,a", ",3,a"), BadRow, "line 4, column 'trajectory_id'"),
        ("t.csv", LONG.replace("1,3,a", "1,3,z"), UnknownLocation, "line 4, column 'location'"),
        (
            "t.csv",
            '"trajectory_id",position,location\n"1",1,"a"\n2,1,z\n',
            UnknownLocation,
            "line 3, column 'location'",
        ),
        ("t.csv", LONG.encode() + b"3,1,\xc3\xa9\xff\n", BadRow, "line 6"),
        ("t.jsonl", '["a"]\n["a","z"]\n', UnknownLocation, "line 2, position 1"),
        ("t.jsonl", '["a"]\n["a",""]\n', BadLabel, "line 2"),
        ("t.txt", "a\na z\n", UnknownLocation, "line 2, position 1"),
        ("t.txt", "a -1 -2\na b -1 -2\n", BadRow, "line 2"),
        (
            "t.jsonl",
            '{"trajectory_id":1,"position":1,"location":"a"}\n\n{"trajectory_id":1,"position":1,"location":"b"}\n',
            BadRow,
            "line 3, column 'position'",
        ),
    ],
)
def test_a_malformed_row_is_named_with_file_line_and_column(
    tmp_path: Path, name: str, content: str | bytes, error: type[CrypsisError], where: str
) -> None:
    file = write(tmp_path, name, content)
    with pytest.raises(error) as caught:
        read_trajectories(file, locations={"a": (0, 0), "b": (1, 1), "c": (2, 2)})
    assert caught.value.where == f"{file}, {where}"
    assert caught.value.details["file"] == str(file)
    assert caught.value.details["line"] == int(where.split(",")[0].removeprefix("line "))
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("content", "error", "where"),
    [
        ("location,x,y\na,0,0\na,1,1\n", DuplicateLocation, "line 3, column 'location'"),
        ("location,x,y\na,0,0\n,1,1\n", BadLabel, "line 3, column 'location'"),
        ("location,x,y\na,0,0\nb,,1\n", BadCoordinate, "line 3, column 'x'"),
        ("location,x,y\na,0,0\nb,1,inf\n", BadCoordinate, "line 3, column 'y'"),
        ("location,x,y\na,0,0\nb,1,north\n", BadRow, "line 3, column 'y'"),
        ("location,x,y,sensitive\na,0,0,maybe\n", BadRow, "line 2, column 'sensitive'"),
        ('location,x,y\n"a\nb",0,0\nc,,1\n', BadCoordinate, "line 4, column 'x'"),
    ],
)
def test_a_malformed_location_is_named_with_file_line_and_column(
    tmp_path: Path, content: str, error: type[CrypsisError], where: str
) -> None:
    file = write(tmp_path, "l.csv", content)
    with pytest.raises(error) as caught:
        read_locations(file)
    assert caught.value.where == f"{file}, {where}"


def test_locations_of_every_table_format_are_equal(tmp_path: Path) -> None:
    table = Locations.of(
        [{"location": "a", "x": 0.5, "y": 1, "sensitive": True}, {"location": "b", "x": 2, "y": 3, "sensitive": False}]
    )
    table.to_frame().write_csv(tmp_path / "l.csv")
    table.to_frame().write_parquet(tmp_path / "l.parquet")
    table.to_frame().write_ndjson(tmp_path / "l.jsonl")
    for name in ("l.csv", "l.parquet", "l.jsonl"):
        assert read_locations(tmp_path / name) == table
    assert not read_locations(write(tmp_path, "l.csv", "location\na\n")).has_coordinates


READERS: list[Any] = [
    read_locations,
    read_trajectories,
    lambda path, **options: read_table(path, {}, **options),
    read_transactions,
    lambda path, **options: read_mixed(path, {}, {"items": " "}, **options),
    read_tracks,
    read_events,
]


@pytest.mark.parametrize("read", READERS)
def test_every_reader_refuses_what_it_cannot_open(tmp_path: Path, read: Any) -> None:
    with pytest.raises(MissingFile, match="check the path"):
        read(tmp_path / "nothing.csv")
    with pytest.raises(UnknownFormat, match="is a folder"):
        read(tmp_path)
    with pytest.raises(UnknownFormat, match="known ones here are"):
        read(write(tmp_path, "data.docx", "x"))
    with pytest.raises(UnknownFormat, match="Did you mean 'csv'?"):
        read(write(tmp_path, "data.csv", "x"), format="cvs")
    with pytest.raises(UnreadableFile):
        read(write(tmp_path, "data.csv.gz", b"\x1f\x8b\x08\x00garbage"))
    with pytest.raises(UnreadableFile):
        read(write(tmp_path, "data.parquet", b"PAR1"))


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.jsonl", "data.parquet"])
def test_every_reader_refuses_what_would_not_fit_into_memory(
    tmp_path: Path, read: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / name
    if name.endswith("parquet"):
        pl.DataFrame({"items": ["x"] * 1000}).write_parquet(file)
    else:
        text = b'{"items":"x"}\n' * 1000 if name.endswith("jsonl") else b"items\n" + b"x\n" * 1000
        file.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    monkeypatch.setenv(LIMIT_VARIABLE, "1000")
    with pytest.raises((TooLarge, UnknownColumn)) as caught:
        read(file)
    if isinstance(caught.value, UnknownColumn):  # a column that is not there needs no memory
        assert name == "data.parquet"
    else:
        assert caught.value.exit_code == 5


def test_a_table_needs_a_role_for_every_column(tmp_path: Path) -> None:
    file = write(tmp_path, "p.csv", "name;age\nann;31\nbob;?\n")
    table = read_table(file, {"name": "identifier", "age": "quasi"})
    assert table.column("age").codes.tolist() == [0, -1]
    with pytest.raises(UndeclaredRole, match="age") as caught:
        read_table(file, {"name": "identifier"})
    assert caught.value.where == str(file)
    with pytest.raises(BadRow) as bad:
        read_table(file, {"name": "identifier", "age": "quasi"}, {"name": "int"})
    assert bad.value.where == f"{file}, line 2, column 'name'"
    headless = read_table(file, {"column_1": "other", "column_2": "other"}, header=False)
    assert len(headless) == 3


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("b.csv", "id,item\n1,a\n2,b\n1,b\n1,a\n", {}),
        ("b.jsonl", '["b","a","a"]\n["b"]\n', {}),
        ("b.dat", "a b a\nb\n", {}),
        ("b.spmf", "a b -1 a -1 -2\nb -1 -2\n", {}),
        ("b.csv", "a|b|a\nb\n", {"format": "fimi", "separator": "|"}),
    ],
)
def test_transactions_are_read_from_every_format(
    tmp_path: Path, name: str, content: str, options: dict[str, Any]
) -> None:
    data = read_transactions(write(tmp_path, name, content), sensitive=["a"], **options)
    assert (data.to_lists(), data.collapsed) == ([["a", "b"], ["b"]], 1)
    assert data.sensitive is not None
    assert data.sensitive.tolist() == [True, False]


def test_mixed_data_and_events_are_read_from_tables(tmp_path: Path) -> None:
    file = write(tmp_path, "m.csv", "age,codes\n31,042 flu\n19,\n")
    assert read_mixed(file, {"age": "quasi"}, {"codes": " "}).transactions.to_lists() == [["042", "flu"], []]
    log = write(tmp_path, "e.csv", "id,location,t,status\n1,a,5,s\n2,b,6,\n")
    data = read_events(log, sensitive=["status"], locations={"a": (0, 0), "b": (1, 1)})
    assert (data.t.tolist(), data.attribute("status").codes.tolist()) == ([5, 6], [0, -1])


@pytest.mark.real_data("msnbc")
def test_a_million_web_sessions_are_read_whole() -> None:
    data = read_trajectories(dataset("msnbc") / "msnbc990928.txt.xz")
    assert (len(data), data.visits, len(data.locations)) == (989_818, 4_698_794, 17)
    assert int(data.lengths.max()) == 14_795


@pytest.mark.real_data("adult", "informs2005", "groceries", "youtube_sample", "geolife_sample", "spmf_sequences")
def test_real_files_have_the_counts_that_their_descriptions_tell() -> None:
    adult = dataset("adult") / "adult_uci.csv.xz"
    columns = pl.read_csv(lzma.decompress(adult.read_bytes())).columns
    table = read_table(adult, dict.fromkeys(columns, "other"))
    assert len(table) == 48_842
    complete = np.logical_and.reduce([column.codes >= 0 for column in table.columns])
    assert np.count_nonzero(complete) == 45_222
    codes = read_transactions(dataset("informs2005") / "conditions05.csv.gz", id="DUPERSID", item="ICD9CODX")
    assert (len(codes), len(codes.vocabulary), int(codes.lengths.max())) == (26_854, 601, 36)
    baskets = read_transactions(dataset("groceries") / "groceries.csv.gz", format="fimi", separator="|")
    assert (len(baskets), len(baskets.vocabulary), baskets.occurrences) == (9835, 169, 43_367)
    relational = ["age_days", "category", "length_s", "views", "rate", "ratings", "comments"]
    videos = read_mixed(
        dataset("youtube_sample") / "youtube_sample.csv.gz",
        {"video_id": "identifier", "uploader": "identifier"} | dict.fromkeys(relational, "quasi"),
        {"related_ids": " "},
    )
    assert (len(videos), len(videos.transactions.vocabulary)) == (4100, 38_831)
    assert np.count_nonzero(videos.transactions.lengths) == 3239
    assert read_tracks(dataset("geolife_sample") / "geolife_skmob_sample.csv.xz").points == 217_653
    eleven = dataset("geolife_sample") / "geolife_11users.csv.xz"
    tracks = read_tracks(eleven, id="trajectory", owner="uid", t="datetime_gmt", repeated="first")
    assert (len(tracks), tracks.points + tracks.repeated) == (111, 164_531)
    signs = read_trajectories(dataset("spmf_sequences") / "sign.txt.gz")
    assert (len(signs), len(signs.locations)) == (730, 267)


def test_reading_does_not_depend_on_the_kind_of_path(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", LONG)
    assert read_trajectories(str(file)) == read_trajectories(file) == Trajectories.from_lists(ROWS)
