"""Names of persons that differ only by blanks are one person's: nobody is counted twice."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import crypsis
from crypsis.errors import BadRow


def write_parts(folder: Path, names: list[list[str]]) -> Path:
    folder.mkdir()
    for part, own in enumerate(names):
        rows = "".join(f"{name},{20 + index % 3},flu\n" for index, name in enumerate(own))
        (folder / f"{part}.csv").write_text(f"u,age,ill\n{rows}")
    return folder


def test_blanks_make_nobody_another_person(tmp_path: Path) -> None:
    own = [f"p{index % 5}" for index in range(30)]
    folder = write_parts(tmp_path / "parts", [own, [f"{name} " for name in own]])
    scanned = crypsis.scan_table(folder / "*.csv", quasi=["age"], sensitive=["ill"], person="u")
    with pytest.raises(BadRow, match="blanks around"):
        crypsis.anonymize(scanned, crypsis.Mondrian(k=6))
    frame = pl.concat([pl.read_csv(file) for file in sorted(folder.iterdir())])
    with pytest.raises(BadRow, match="blanks around"):
        crypsis.Table(frame, quasi=["age"], sensitive=["ill"], person="u")
    with pytest.raises(BadRow, match="blanks around"):
        crypsis.Transactions.from_lists([["a"], ["a"]], person=["p", " p"])


def test_other_differences_are_differences(tmp_path: Path) -> None:
    frame = pl.DataFrame({"u": ["a b", "ab", "AB", "01", "1", "a b"], "age": [20] * 6})
    table = crypsis.Table(frame, quasi=["age"], person="u")
    assert crypsis.anonymize(table, crypsis.Mondrian(k=5)).verify().achieved == 5
