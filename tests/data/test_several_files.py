"""Records of several files are all read, each as it is read in a file of its own; rows of one id are one record."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.data import read_trajectories, read_transactions
from crypsis.data.declarations import Declarations
from crypsis.data.sources import EventSource, TableSource
from crypsis.data.sources.data_source import DataFile

SETS = crypsis.DiffPart(item_domain=crypsis.ItemDomain(["a", "b", "c", "d"]))
ITEMS = [("1", "a"), ("2", "b"), ("1", "b"), ("1", "c"), ("3", "d"), ("2", "a")]  # ids 1 and 2 are in both halves
LISTS = [["a", "b"], ["c"], ["a", "d"], ["b"], ["b", "c"]]
BY_RECORD = Declarations(by_record=True)


def write_rows(file: Path, rows: list[tuple], names: tuple[str, ...]) -> None:
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    {".csv": frame.write_csv, ".parquet": frame.write_parquet, ".jsonl": frame.write_ndjson}[file.suffix](file)


def write_lists(file: Path, records: list[list[str]]) -> None:
    line = {".jsonl": json.dumps, ".dat": " ".join, ".spmf": lambda record: " -1 ".join(record) + " -1 -2"}
    file.write_text("".join(line[file.suffix](record) + "\n" for record in records))


def halves(folder: Path, suffix: str, records: list, write, *names) -> tuple[Path, list[Path]]:
    """All records in one file, and two halves in a folder: as the folder, and as a pattern."""
    (folder / "parts").mkdir()
    half = len(records) // 2
    write(folder / f"all{suffix}", records, *names)
    write(folder / "parts" / f"0{suffix}", records[:half], *names)
    write(folder / "parts" / f"1{suffix}", records[half:], *names)
    return folder / f"all{suffix}", [folder / "parts", folder / "parts" / f"*{suffix}"]


def bag(records) -> Counter:
    return Counter(tuple(record) for record in records.to_lists())


@pytest.mark.parametrize("method", [None, SETS], ids=["as written", "private"])
@pytest.mark.parametrize("suffix", [".jsonl", ".dat", ".spmf"])
def test_every_list_of_every_file_is_a_record(tmp_path: Path, suffix: str, method) -> None:
    file, several = halves(tmp_path, suffix, LISTS, write_lists)
    whole = read_transactions(file, for_method=method)
    for path in several:
        read = read_transactions(path, for_method=method)
        assert read.to_lists() == whole.to_lists()
        assert (read.by_record is None) == (method is None)
    trajectories = read_trajectories(file)
    assert len(trajectories) == len(LISTS)
    for path in several:
        assert read_trajectories(path).to_lists() == trajectories.to_lists()


@pytest.mark.parametrize("method", [None, SETS], ids=["as written", "private"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
def test_items_of_one_id_are_one_record_in_whichever_files_they_are(tmp_path: Path, suffix: str, method) -> None:
    file, several = halves(tmp_path, suffix, ITEMS, write_rows, ("id", "item"))
    told = {"each_row_is_a_person": method is not None and suffix != ".jsonl"}
    whole = read_transactions(file, for_method=method, **told)
    assert bag(whole) == Counter([("a", "b", "c"), ("a", "b"), ("d",)])
    for path in several:
        read = read_transactions(
            path, for_method=method, each_row_is_a_person=method is not None and suffix != ".jsonl"
        )
        assert bag(read) == bag(whole)


def test_lines_that_are_no_records_are_left_out_of_each_file(tmp_path: Path) -> None:
    good = '["a","b"]\n{"id":"1","item":"c"}\n'
    for number, bad in enumerate(("[1, \n", '{"id":"1"}\n["",""]\n')):
        (tmp_path / f"{number}.jsonl").write_text(good + bad)
    read = read_transactions(tmp_path, for_method=SETS)
    assert bag(read) == Counter({("a", "b"): 2, ("c",): 1})
    assert read.by_record.left_out == 3


def test_an_itemset_that_has_no_order_is_refused_in_any_file(tmp_path: Path) -> None:
    (tmp_path / "0.dat").write_text("a b\n")
    (tmp_path / "1.spmf").write_text("a b -1 -2\n")
    with pytest.raises(crypsis.errors.BadRow, match="'a' and 'b' are in one itemset"):
        read_trajectories(tmp_path)
    (tmp_path / "1.spmf").write_text("a -1 b -1 -2\n")
    assert read_trajectories(tmp_path).to_lists() == [["a", "b"], ["a", "b"]]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl"])
@pytest.mark.parametrize("source", [None, BY_RECORD], ids=["as written", "by record"])
def test_rows_and_events_of_every_file_are_read(tmp_path: Path, suffix: str, source) -> None:
    rows = [("20", "x"), ("31", "y"), ("31", "x"), ("44", "y"), ("20", "x")]
    (tmp_path / "rows").mkdir()
    columns = {"age": {"role": "quasi", "type": "int"}, "ill": {"role": "sensitive", "type": "category"}}
    table = TableSource.from_keys({"columns": columns, "each_row_is_a_person": True})
    file, several = halves(tmp_path / "rows", suffix, rows, write_rows, ("age", "ill"))
    whole = table.load(DataFile(file), source or Declarations())
    assert len(whole) == len(rows)
    for path in several:
        assert table.load(DataFile(path), source or Declarations()).to_frame().equals(whole.to_frame())
    visits = [("1", "a", "1"), ("2", "b", "2"), ("1", "b", "3"), ("2", "a", "4"), ("3", "c", "5")]
    (tmp_path / "events").mkdir()
    log = EventSource.from_keys({"drop_malformed": True})
    file, several = halves(tmp_path / "events", suffix, visits, write_rows, ("id", "location", "t"))
    whole_log = log.load(DataFile(file), source or Declarations())
    assert len(whole_log) == len(visits)
    for path in several:
        read = log.load(DataFile(path), source or Declarations())
        assert read.to_frame().equals(whole_log.to_frame())


def test_tracks_of_one_name_in_two_files_are_two_tracks(tmp_path: Path) -> None:
    point = '<trkpt lat="47.{n}" lon="8.{n}"><time>2024-05-01T07:0{n}:00Z</time></trkpt>'
    for name in ("ana", "bo"):
        points = "".join(point.format(n=n) for n in range(3))
        (tmp_path / f"{name}.gpx").write_text(f"<gpx><trk><name>run</name><trkseg>{points}</trkseg></trk></gpx>")
    tracks = crypsis.read_tracks(tmp_path)
    assert [*tracks.ids] == ["ana: run", "bo: run"]
    assert crypsis.read(tmp_path).points == 6
    assert [*crypsis.read_tracks(tmp_path / "ana.gpx").ids] == ["run"]
