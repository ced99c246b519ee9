"""Whole numbers of CSV are read as such only where reading them as texts gives the same table."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.formats.csv import Csv
from crypsis.data.formats.large_bytes import LARGE, read_whole
from crypsis.data.reading import read_table
from crypsis.errors import CrypsisError

PLAIN_ROWS = 210  # more than are looked at
CELLS = st.sampled_from(
    ["0", "7", "-7", "007", "+7", "-0", "+0", "00", "", " 7", "7 ", "x", str(2**63 - 1), str(-(2**63)), str(2**63)]
)
LINE_ENDS = st.sampled_from(["\n", "\r\n"])


@given(
    rows=st.lists(st.tuples(CELLS, CELLS), max_size=2),
    end=LINE_ENDS,
    other=st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\r", ",\n"]),
    header=st.booleans(),
    last=st.booleans(),
)
def test_numbers_are_read_as_texts_would_be(
    rows: list[tuple[str, str]],
    end: str,
    other: str,
    header: bool,
    last: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lines = ["a,word,b"] * header + [f"{row},w{row},{row * 11}" for row in range(1, PLAIN_ROWS)]
    text = end.join([*lines, *(f"{a},v{other.strip(chr(10))},{b}" for a, b in rows)])
    text += other + f"8,last,9{end * last}" if rows else end * last
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    path.write_bytes(text.encode())
    reader = Csv(separator=",", header=header)
    try:
        plain, _ = reader.read_frame(path)
    except CrypsisError as refused:
        with pytest.raises(type(refused)) as again:
            reader.read_coded_frame(path)
        assert again.value.message == refused.message
        return
    coded, schema, _ = reader.read_coded_frame(path)
    assert coded.select(pl.all().cast(pl.String)).equals(plain)
    assert set(schema.values()) == {pl.String()}


def test_numbers_come_as_numbers_where_every_cell_is_one(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,zip,name\n" + "34,53111,Ann\n-3,50667,Bob\n" * 200)
    frame, _, _ = Csv().read_coded_frame(path)
    assert [*frame.dtypes] == [pl.Int64, pl.Int64, pl.String]
    path.write_text("age,zip,name\n" + "34,53111,Ann\n-3,50667,Bob\n" * 200 + "+4,53113,Cem\n")
    frame, _, _ = Csv().read_coded_frame(path)
    assert [*frame.dtypes] == [pl.String] * 3


@pytest.mark.parametrize("type", [None, "int", "float", "category"])
@pytest.mark.parametrize("missing", [("?",), ("?", "age=-9")])
def test_a_type_or_marker_counts_as_for_texts(tmp_path: Path, type: str | None, missing: tuple[str, ...]) -> None:
    path, quoted = tmp_path / "people.csv", tmp_path / "quoted.csv"
    path.write_text("age,name\n" + "34,Ann\n-9,Bob\n" * 150)
    quoted.write_text('"age",name\n' + "34,Ann\n-9,Bob\n" * 150)
    tables = [
        read_table(one, {"age": "quasi", "name": "other"}, {"age": type} if type else None, missing_tokens=missing)
        for one in (path, quoted)
    ]
    assert tables[0].columns == tables[1].columns
    assert tables[0].read_as == tables[1].read_as
    assert tables[0].to_polars().equals(tables[1].to_polars())


def test_a_large_file_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large"
    content = bytes(range(256)) * (LARGE // 256 + 1) + b"end"
    for size in (0, 1, LARGE - 1, LARGE, LARGE + 1, len(content)):
        path.write_bytes(content[:size])
        assert read_whole(path) == content[:size]
