"""Writing and reading are inverse: for each kind of data and each format that can hold it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data import (
    Events,
    Locations,
    Mixed,
    PublishedMixed,
    PublishedTable,
    PublishedTrajectories,
    PublishedTransactions,
    Table,
    Tracks,
    Trajectories,
    Transactions,
    read_events,
    read_locations,
    read_mixed,
    read_published_trajectories,
    read_table,
    read_tracks,
    read_trajectories,
    read_transactions,
    write_data,
)
from crypsis.data.values import COLUMN_TYPES, POLARS_TYPES
from crypsis.errors import BadLabel, BadParameter, UnknownFormat, WriteFailed
from tests.data.drawn import VALUES, labels, sequences, trimmed_labels, words

TABLES = ("csv", "tsv", "parquet", "jsonl")
each_table = st.sampled_from(TABLES)


@given(sequences(labels, min_length=1), st.sampled_from(["csv", "tsv", "parquet"]))
def test_trajectories_as_long_tables(folder: Path, rows: list[list[str]], format: str) -> None:
    data = Trajectories.from_lists(rows)
    write_data(data, folder / f"t.{format}")
    assert read_trajectories(folder / f"t.{format}") == data


@given(sequences(labels))
def test_trajectories_as_json_arrays_keep_empty_ones(folder: Path, rows: list[list[str]]) -> None:
    data = Trajectories.from_lists(rows)
    write_data(data, folder / "t.jsonl")
    assert read_trajectories(folder / "t.jsonl") == data


@given(sequences(words), st.sampled_from(["fimi", "spmf"]))
def test_trajectories_as_text_keep_empty_ones(folder: Path, rows: list[list[str]], format: str) -> None:
    data = Trajectories.from_lists(rows)
    write_data(data, folder / f"t.{format}")
    assert read_trajectories(folder / f"t.{format}", format=format) == data


@given(sequences(trimmed_labels), st.sampled_from(["csv", "parquet", "jsonl"]))
def test_transactions(folder: Path, rows: list[list[str]], format: str) -> None:
    data = Transactions.from_lists([row for row in rows if row or format == "jsonl"])
    write_data(data, folder / f"b.{format}")
    assert read_transactions(folder / f"b.{format}") == data


@given(st.data(), each_table)
def test_tables(folder: Path, data: st.DataObject, format: str) -> None:
    rows = data.draw(st.integers(1, 6))
    types = dict(enumerate(data.draw(st.lists(st.sampled_from(COLUMN_TYPES), min_size=1, max_size=4))))
    frame = pl.DataFrame(
        [
            pl.Series(
                f"c{number}",
                data.draw(st.lists(st.none() | VALUES[type], min_size=rows, max_size=rows)),
                dtype=POLARS_TYPES[type],
            )
            for number, type in types.items()
        ]
    )
    roles = dict.fromkeys(frame.columns, "quasi")
    declared = {f"c{number}": type for number, type in types.items()}
    table = Table.from_frame(frame, roles, declared, missing_tokens=())
    write_data(table, folder / f"p.{format}")
    assert read_table(folder / f"p.{format}", roles, declared, missing_tokens=()) == table


@given(st.lists(st.tuples(st.integers(0, 9), st.lists(words, max_size=3)), min_size=1, max_size=5), each_table)
def test_mixed_data(folder: Path, rows: list[tuple[int, list[str]]], format: str) -> None:
    frame = pl.DataFrame(
        {"age": [row[0] for row in rows], "codes": [row[1] for row in rows]},
        schema_overrides={"codes": pl.List(pl.String)},
    )
    data = Mixed.from_frame(frame, {"age": "quasi"}, {"codes": None})
    write_data(data, folder / f"m.{format}")
    if format == "jsonl" and not any(items for _, items in rows):
        return  # a JSON table of empty lists only does not tell what they are lists of
    separator = " " if format in ("csv", "tsv") else None
    assert read_mixed(folder / f"m.{format}", {"age": "quasi"}, {"codes": separator}) == data


points = st.lists(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.integers(0, 99)), min_size=1, max_size=4).map(
        lambda track: sorted({point[2]: point for point in track}.values(), key=lambda point: point[2])
    ),
    min_size=1,
    max_size=4,
)


@given(points, each_table, st.booleans())
def test_tracks_as_tables(folder: Path, drawn: list[Any], format: str, owned: bool) -> None:
    data = Tracks.from_lists(drawn, owners=[f"{number // 2}" for number in range(len(drawn))] if owned else None)
    write_data(data, folder / f"k.{format}")
    assert read_tracks(folder / f"k.{format}") == data


@given(
    st.lists(st.lists(st.tuples(st.floats(7, 10), st.floats(45, 48)), min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from(["gpx", "geojson"]),
)
def test_tracks_in_degrees(folder: Path, drawn: list[list[tuple[float, float]]], format: str) -> None:
    rows = [
        (f"<{number}&>", lon, lat, f"2020-01-01T00:00:{second:02d}Z")
        for number, track in enumerate(drawn)
        for second, (lon, lat) in enumerate(track)
    ]
    data = Tracks.from_frame(pl.DataFrame(rows, schema=["tid", "lng", "lat", "datetime"], orient="row"), crs=32632)
    write_data(data, folder / f"k.{format}")
    again = read_tracks(folder / f"k.{format}", crs=32632)
    assert again.ids is not None
    assert data.ids is not None
    assert (again.ids.to_list(), again.t.tolist()) == (data.ids.to_list(), data.t.tolist())
    assert abs(again.x - data.x).max() < 1e-3
    assert abs(again.y - data.y).max() < 1e-3


@given(st.lists(st.tuples(words, words, st.integers(-5, 5), st.none() | words), min_size=1, max_size=5), each_table)
def test_events(folder: Path, rows: list[tuple[str, str, int, str | None]], format: str) -> None:
    data = Events.from_lists([row[:3] for row in rows], {"status": [row[3] for row in rows]})
    write_data(data, folder / f"e.{format}")
    assert read_events(folder / f"e.{format}", sensitive=["status"]) == data


@given(rows=st.lists(st.lists(words, min_size=1, max_size=3, unique=True).map(sorted), max_size=5))
def test_published_data(folder: Path, rows: list[list[str]]) -> None:
    symbols: list[Any] = [[row[0] if len(row) == 1 else row] for row in rows]
    trajectories = PublishedTrajectories.from_lists(symbols)
    for format in ("jsonl", "parquet"):
        write_data(trajectories, folder / f"pub.{format}")
        assert read_published_trajectories(folder / f"pub.{format}") == trajectories


def test_published_tables_and_locations(folder: Path) -> None:
    table = PublishedTable.from_frame(pl.DataFrame({"age": ["[19:22]", "~"]}), {"age": "quasi"}, {"age": "int"})
    mixed = PublishedMixed(table, PublishedTransactions.from_lists([["d", ["a", "b"]], []]), "codes")
    locations = Locations.of({"a": (0, 0.1)})
    for format in ("csv", "parquet"):
        write_data(table, folder / f"x.{format}")
        write_data(mixed, folder / f"y.{format}")
        write_data(locations, folder / f"z.{format}")
        read = pl.read_csv if format == "csv" else pl.read_parquet
        again = PublishedTable.from_frame(read(folder / f"x.{format}"), table.roles, table.types)
        assert again == table
        frame = read(folder / f"y.{format}")
        assert PublishedMixed.from_frame(frame, "codes", table.roles, table.types) == mixed
        assert read_locations(folder / f"z.{format}") == locations


def test_what_a_format_cannot_hold_is_refused(folder: Path) -> None:
    for label in ("a b", "-1", "#a", "a "):
        with pytest.raises(BadLabel, match="write JSON Lines instead"):
            write_data(Trajectories.from_lists([[label]]), folder / "t.spmf")
    with pytest.raises(UnknownFormat, match="use csv, parquet or jsonl"):
        write_data(Events.from_lists([("1", "a", 1)]), folder / "e.gpx")
    with pytest.raises(BadParameter, match="projection of these tracks is not known"):
        write_data(Tracks.from_lists([[(0, 0, 0)]]), folder / "k.gpx")
    mixed = Mixed.from_frame(pl.DataFrame({"n": [1], "c": [["a b"]]}), {"n": "quasi"}, {"c": None})
    with pytest.raises(BadLabel, match="choose another item_separator"):
        write_data(mixed, folder / "m.csv")
    write_data(mixed, folder / "m.csv", item_separator="|")
    assert read_mixed(folder / "m.csv", {"n": "quasi"}, {"c": "|"}) == mixed
    with pytest.raises(WriteFailed, match="cannot be written"):
        write_data(mixed, folder / "no" / "m.parquet")
