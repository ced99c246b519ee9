"""The table of formats: suffixes lead to files, and what is not in it is refused with what is."""

from __future__ import annotations

from pathlib import Path

import pytest

from crypsis.data.formats import FORMATS, format_of
from crypsis.data.formats.format import Format
from crypsis.errors import UnknownFormat


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.csv", "csv"),
        ("a.b.TSV", "csv"),
        ("a.csv.gz", "csv"),
        ("a.parquet", "parquet"),
        ("a.jsonl.zst", "jsonl"),
        ("a.dat.xz", "fimi"),
        ("a.txt", "fimi"),
        ("a.spmf.bz2", "spmf"),
        ("a.gpx", "gpx"),
        ("a.geojson", "geojson"),
        ("a.plt", "plt"),
        ("a.brinkhoff.xz", "brinkhoff"),
    ],
)
def test_the_suffix_tells_the_format(name: str, format: str) -> None:
    assert format_of(Path(name)).name == format
    assert format_of(Path("a.unknown"), format).name == format


@pytest.mark.parametrize("name", ["a", "a.docx", "a.gz", "a.zip"])
def test_an_unknown_suffix_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        format_of(Path(name))
    assert caught.value.code == "unknown-format"
    assert ".csv/.tsv/.tab (csv)" in caught.value.message
    assert "Rename the file or name the format" in caught.value.message


def test_a_format_that_cannot_hold_the_data_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="known ones are csv, parquet, jsonl"):
        format_of(Path("a.gpx"), "gpx", holding=frozenset({"table"}))
    with pytest.raises(UnknownFormat, match="Did you mean 'parquet'?"):
        format_of(Path("a"), "parqet")


def test_every_format_has_the_readers_that_it_promises() -> None:
    readers = {"table": "read_frame", "sequence": "read_sequences", "track": "read_points"}
    for entry in FORMATS.values():
        for kind in entry.holds:
            assert getattr(entry, readers[kind]) is not getattr(Format, readers[kind])
        assert entry.label
    suffixes = [suffix for entry in FORMATS.values() for suffix in entry.suffixes]
    assert len(set(suffixes)) == len(suffixes)
