"""Compressed files: read like plain ones, refused when truncated, and stopped at the memory limit."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow
import pytest

from crypsis.cli.main import main
from crypsis.data.formats.compression import (
    existing_file,
    is_compressed,
    read_bytes,
    readable_file,
    without_compression,
)
from crypsis.data.formats.memory import LIMIT_VARIABLE
from crypsis.data.formats.tabular import files_of, read_table_file
from crypsis.data.reading import read_table
from crypsis.data.scanned import scan_table
from crypsis.errors import BadRow, MissingExtra, MissingFile, NotApplicable, TooLarge, UnknownFormat, UnreadableFile
from crypsis.evaluate.dataset import Dataset
from crypsis.web.datasets import Datasets
from crypsis.web.workspace import Workspace


def zstandard(content: bytes) -> bytes:
    packed: bytes = pyarrow.Codec("zstd").compress(content, asbytes=True)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard,
}
each_suffix = pytest.mark.parametrize("suffix", PACKERS)
CONTENT = b"user,lat\n1,2\n" * 10_000


@each_suffix
def test_a_packed_file_is_unpacked(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"data.csv{suffix}"
    file.write_bytes(PACKERS[suffix](CONTENT))
    assert read_bytes(file) == CONTENT
    assert is_compressed(file)
    assert without_compression(file) == tmp_path / "data.csv"


@each_suffix
@pytest.mark.parametrize("damage", ["truncated", "garbage"])
def test_a_truncated_or_wrong_file_is_unreadable(tmp_path: Path, suffix: str, damage: str) -> None:
    file = tmp_path / f"data.csv{suffix}"
    packed = PACKERS[suffix](CONTENT)
    file.write_bytes(packed[: len(packed) // 2] if damage == "truncated" else b"this is no packed file")
    with pytest.raises(UnreadableFile, match="truncated or not a") as caught:
        read_bytes(file)
    assert (caught.value.code, caught.value.where) == ("unreadable-file", str(file))


@each_suffix
def test_a_decompression_bomb_stops_at_the_limit(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / f"bomb.csv{suffix}"
    file.write_bytes(PACKERS[suffix](bytes(60_000_000)))
    assert file.stat().st_size < 100_000
    monkeypatch.setenv(LIMIT_VARIABLE, "10000000")
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="needs more than 10.0 MB of memory") as caught:
            read_bytes(file, memory_per_byte=5.0)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert caught.value.where == str(file)


def test_a_plain_file_that_does_not_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data.csv"
    file.write_bytes(CONTENT)
    monkeypatch.setenv(LIMIT_VARIABLE, str(len(CONTENT) * 2))
    assert read_bytes(file, memory_per_byte=2.0) == CONTENT
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("the file was read"))
    with pytest.raises(TooLarge, match=LIMIT_VARIABLE):
        read_bytes(file, memory_per_byte=2.1)


def test_zstandard_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "data.csv.zst"
    file.write_bytes(zstandard(CONTENT))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "compression", None)
    with pytest.raises(MissingExtra, match=r"pip install 'crypsis\[interop\]'"):
        read_bytes(file)


def test_what_is_no_readable_file_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(MissingFile) as missing:
        existing_file(tmp_path / "nothing.csv")
    assert missing.value.code == "missing-file"
    with pytest.raises(UnknownFormat, match="is a folder; give one of the files in it") as folder:
        existing_file(tmp_path)
    assert folder.value.code == "unknown-format"
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        existing_file(loop)


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return path


JANUARY, FEBRUARY = "age,ill\n30,flu\n31,none\n", "age,ill\n40,flu\n"


def test_an_archive_of_files_of_one_format_is_read_like_a_folder(tmp_path: Path) -> None:
    path = packed(tmp_path / "trips.zip", **{"b__february.csv": FEBRUARY, "a__january.csv": JANUARY, ".DS_Store": "?"})
    frame, source = read_table_file(path)
    assert frame["age"].to_list() == ["30", "31", "40"]
    assert source == str(path)
    table = read_table(path, {"age": "quasi", "ill": "sensitive"})
    assert table.column("age").values().to_list() == [30, 31, 40]


def test_one_file_of_an_archive_is_named_like_one_in_a_folder(tmp_path: Path) -> None:
    path = packed(tmp_path / "trips.zip", **{"a__january.csv": JANUARY, "readme.txt": "see above"})
    with pytest.raises(
        UnreadableFile, match=r"holds 2 files \(a/january.csv, readme.txt\); name one, such as .*january"
    ):
        read_table_file(path)
    assert read_table_file(path / "a" / "january.csv")[0].height == 2
    with pytest.raises(MissingFile, match="holds no such file"):
        read_table_file(path / "a" / "march.csv")
    frame = pl.DataFrame({"age": [1, 2]})
    content = io.BytesIO()
    frame.write_parquet(content)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("table.parquet", content.getvalue())
    assert read_table_file(path / "table.parquet")[0].equals(frame)


def test_a_name_in_an_archive_never_leads_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    names = {f"{tmp_path}/secret.csv": "a\n2\n", "../secret.csv": "a\n3\n", "x.csv": "a\n4\n", "y.csv": "a\n5\n"}
    path = packed(tmp_path / "odd.zip", **names)
    assert [file.name for file in files_of(path)] == ["x.csv", "y.csv"]
    assert read_table_file(path)[0]["a"].to_list() == ["4", "5"]


def test_files_of_an_archive_must_have_the_same_columns(tmp_path: Path) -> None:
    path = packed(tmp_path / "odd.zip", **{"x.csv": "a\n4\n", "y.csv": "b\n5\n"})
    with pytest.raises(BadRow, match="must have the columns a of"):
        read_table_file(path)


def test_every_road_reads_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = packed(tmp_path / "trips.zip", **{"b__february.csv": FEBRUARY, "a__january.csv": JANUARY})
    section = {"kind": "table", "rest": "other"}
    assert len(Dataset({"path": "trips.zip", **section}, tmp_path).load()) == 3
    assert len(Dataset({"path": "trips.zip/b/february.csv", **section}, tmp_path).load()) == 1
    with pytest.raises(SystemExit):
        main(["data", "inspect", str(path), "--json"])
    assert json.loads(capsys.readouterr().out)["rows"] == 3
    datasets = Datasets(Workspace(tmp_path / "workspace"), allow_paths=True)
    entry = datasets.add_path(str(path))
    assert datasets.grid(entry.number).frame["age"].to_list() == ["30", "31", "40"]
    for packed_file in (path, path / "a" / "january.csv"):
        with pytest.raises(NotApplicable, match="Only CSV files are overwritten"):
            datasets.overwrite(datasets.add_path(str(packed_file)).number)
    assert len([*scan_table(path, rest="other").parts(1 << 30)]) == 2


def test_only_readers_of_content_take_a_file_in_an_archive(tmp_path: Path) -> None:
    path = packed(tmp_path / "trips.zip", **{"a.csv": JANUARY, "b.csv": FEBRUARY}) / "a.csv"
    assert readable_file(path) == path
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        existing_file(path)
