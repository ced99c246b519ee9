"""Disassociated releases as files: JSON and Parquet read back equal, damage is named, tables are shuffled."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from crypsis.arrays.shuffling import shuffle_runs
from crypsis.data.formats.disassociated_table import disassociated_table
from crypsis.errors import BadPublication, CrypsisError, MissingFile, UnknownFormat, UnreadableFile, WriteFailed
from crypsis.publication.disassociated import read_disassociated, write_disassociated
from tests.releases_of_sets import JOINT, LEAF, OTHER, disassociated, forest, published, random_records

FORMATS = ("json", "parquet")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_a_release_reads_back_equal(tmp_path: Path, seed: int, format: str) -> None:
    _, data = disassociated(random_records(seed), k=2, m=2, max_cluster_size=5)
    file = tmp_path / f"release.{format}"
    write_disassociated(data, file, format)
    again = read_disassociated(file)
    assert again == data
    assert again.to_canonical() == data.to_canonical()


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_release_gives_the_same_bytes_whatever_its_order(tmp_path: Path, format: str) -> None:
    one, other = published(LEAF, OTHER, JOINT), published(JOINT, OTHER, LEAF)
    write_disassociated(one, tmp_path / "one", format)
    write_disassociated(other, tmp_path / "other", format)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_awkward_labels_and_bare_nodes_survive(tmp_path: Path, format: str) -> None:
    bare = {"type": "leaf", "size": 3, "record_chunks": [], "term_chunk": ['"', "a;b", "é\\", "😀", "[]"]}
    full = {"type": "leaf", "size": 3, "record_chunks": [[{"items": ["x y", ","], "count": 3}]], "term_chunk": []}
    data = published(bare, full, empty_records=4)
    write_disassociated(data, tmp_path / "file", format)
    again = read_disassociated(tmp_path / "file", format)
    assert again == data
    assert again.empty_records == 4


def test_the_json_file_is_the_canonical_object_with_a_version(tmp_path: Path) -> None:
    data = published(JOINT)
    write_disassociated(data, tmp_path / "release.json")
    written = json.loads((tmp_path / "release.json").read_text(encoding="utf-8"))
    assert written.pop("version") == 1
    assert written == data.to_canonical()


DAMAGES: dict[str, Any] = {
    "k missing": lambda obj: obj.pop("k"),
    "m missing": lambda obj: obj.pop("m"),
    "negative count": lambda obj: obj["nodes"][0]["record_chunks"][0][0].update(count=-3),
    "unknown type": lambda obj: obj["nodes"][0].update(type="stem"),
    "empty items": lambda obj: obj["nodes"][0]["record_chunks"][0][0].update(items=[]),
    "duplicate entry": lambda obj: obj["nodes"][0]["record_chunks"][0].append({"items": ["b"], "count": 1}),
    "another version": lambda obj: obj.update(version=2),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_json_is_a_format_error_that_names_the_file(tmp_path: Path, name: str) -> None:
    obj = {**forest(LEAF), "version": 1}
    DAMAGES[name](obj)
    file = tmp_path / "release.json"
    file.write_text(json.dumps(obj), encoding="utf-8")
    with pytest.raises(BadPublication) as caught:
        read_disassociated(file)
    assert caught.value.code == "format-error"
    assert str(file) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_json_object_is_an_error_and_no_crash(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "release.json"
    file.write_bytes(content)
    with pytest.raises((UnreadableFile, BadPublication)):
        read_disassociated(file)


def parquet_damages() -> dict[str, Any]:
    def setting(column: str, where: pl.Expr, value: Any) -> Any:
        return lambda frame: frame.with_columns(
            pl.when(where).then(pl.lit(value, dtype=frame.schema[column])).otherwise(pl.col(column)).alias(column)
        )

    head, entry = pl.col("chunk").is_null(), pl.col("chunk").is_not_null()
    return {
        "column missing": lambda frame: frame.drop("count"),
        "items not lists": lambda frame: frame.with_columns(pl.lit(3).alias("items")),
        "node out of range": setting("node", entry, 99),
        "node negative": setting("node", entry, -1),
        "node missing": setting("node", entry, None),
        "no head": lambda frame: frame.filter(~head | (pl.col("node") != 1)),
        "head twice": lambda frame: pl.concat([frame, frame.filter(head)]),
        "count zero": setting("count", entry, 0),
        "count missing": setting("count", entry, None),
        "size negative": setting("size", head, -2),
        "size missing": setting("size", head, None),
        "unknown type": setting("type", head, "stem"),
        "type of the other kind": setting("type", head, "leaf"),
        "parent of itself": setting("parent", head, 0),
        "parent nowhere": setting("parent", head, 50),
        "items missing": setting("items", entry, None),
        "items empty": setting("items", entry, []),
        "item missing": setting("items", entry, [None]),
        "entry twice": lambda frame: pl.concat([frame, frame.filter(entry)]),
    }


@pytest.mark.parametrize("name", parquet_damages())
def test_damaged_parquet_is_a_format_error(tmp_path: Path, name: str) -> None:
    file = tmp_path / "release.parquet"
    write_disassociated(published(JOINT), file, "parquet")
    header = {key: value for key, value in pl.read_parquet_metadata(file).items() if key.startswith("crypsis.")}
    parquet_damages()[name](pl.read_parquet(file)).write_parquet(file, metadata=header)
    with pytest.raises(BadPublication) as caught:
        read_disassociated(file)
    assert caught.value.code == "format-error"


@pytest.mark.parametrize("change", [{"k": None}, {"m": "x"}, {"version": "7"}])
def test_parquet_without_its_header_is_a_format_error(tmp_path: Path, change: dict[str, Any]) -> None:
    file = tmp_path / "release.parquet"
    write_disassociated(published(JOINT), file, "parquet")
    header = {key: value for key, value in pl.read_parquet_metadata(file).items() if key.startswith("crypsis.")}
    for name, value in change.items():
        header.pop(f"crypsis.{name}")
        if value is not None:
            header[f"crypsis.{name}"] = value
    pl.read_parquet(file).write_parquet(file, metadata=header)
    with pytest.raises(BadPublication):
        read_disassociated(file)


@pytest.mark.parametrize("cut", [0, 4, 30, 200])
def test_a_file_that_was_cut_off_is_an_error_and_no_crash(tmp_path: Path, cut: int) -> None:
    for format in FORMATS:
        file = tmp_path / f"release.{format}"
        write_disassociated(published(JOINT), file, format)
        file.write_bytes(file.read_bytes()[:cut])
        with pytest.raises(CrypsisError):
            read_disassociated(file)


def test_unknown_formats_and_places_are_refused(tmp_path: Path) -> None:
    data = published(LEAF)
    with pytest.raises(UnknownFormat):
        write_disassociated(data, tmp_path / "a", "csv")
    with pytest.raises(UnknownFormat):
        read_disassociated(__file__, "csv")
    with pytest.raises(MissingFile):
        read_disassociated(tmp_path / "nothing.json")
    for format in FORMATS:
        with pytest.raises(WriteFailed):
            write_disassociated(data, tmp_path / "no folder" / "file", format)


def test_the_table_has_a_line_per_record_and_keeps_every_chunk_whole() -> None:
    data = published(JOINT)
    table = disassociated_table(data)
    obj = data.to_canonical()["nodes"][0]
    by_type = table.group_by("type").agg(pl.len()).rows()
    assert dict(by_type) == {"leaf": 9, "joint": 4}
    leaf = table.filter(pl.col("size") == 5)
    cells = [Counter(leaf[column].drop_nulls().to_list()) for column in ("chunk_1", "chunk_2")]
    assert {'["a","b"]': 3, '["b"]': 2} in cells
    assert {'["c"]': 4} in cells
    assert leaf["term_chunk"].to_list() == ['["d"]', None, None, None, None]
    assert leaf["line"].to_list() == [1, 2, 3, 4, 5]
    shared = table.filter(pl.col("type") == "joint")["chunk_1"].to_list()
    assert Counter(shared) == {'["x","y"]': 3, '["x"]': 1}
    assert obj["size"] == table["size"].max()


def test_every_table_is_shuffled_anew_and_no_seed_repeats_it() -> None:
    data = published(JOINT)
    np.random.seed(1)  # noqa: NPY002 (the global generator must not matter)
    tables = {disassociated_table(data).write_csv() for _ in range(12)}
    assert len(tables) > 6


def test_a_shuffle_keeps_runs_apart_and_draws_all_orders_alike() -> None:
    offsets = np.array([0, 3, 3, 5])
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(1200):
        drawn = shuffle_runs(np.arange(5), offsets)
        assert sorted(drawn[:3]) == [0, 1, 2]
        assert sorted(drawn[3:]) == [3, 4]
        seen[tuple(drawn.tolist())] += 1
    assert len(seen) == 12
    assert all(50 < count < 160 for count in seen.values())
