"""Cells of CSV are written without quotes where none needs them, and as ever where some does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import crypsis
from crypsis.data.relational import PublishedTable, Table
from crypsis.methods import Mondrian
from crypsis.publication import kind_named


@pytest.mark.parametrize(
    ("name", "values", "quoted"),
    [
        ("city", ["Bonn", "Köln", "Ulm", "Trier"], False),
        ("city", ["Bonn", "Köln", "Ulm, Neu-", "Trier"], True),
        ("city", ["Bonn", 'Köln "Süd"', "Ulm", "Trier"], True),
        ("city", ["Bonn", "Köln", "Ulm\nmitte", "Trier"], True),
        ("city, town", ["Bonn", "Köln", "Ulm", "Trier"], True),
    ],
)
def test_cells_are_quoted_where_one_needs_it(name: str, values: list[str], quoted: bool, tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [31, 34, 52, 57], name: values, "pay": [1.5, -2.0, 1e9, 0.25]})
    original = Table(frame, quasi=["age"], sensitive=[name], other=["pay"])
    published = crypsis.anonymize(original, Mondrian(k=2)).data
    assert isinstance(published, PublishedTable)
    kind, rows = kind_named("table"), np.arange(4)
    kind.write(tmp_path, published, None, rows, "csv")
    written = (tmp_path / "table.csv").read_text(encoding="utf-8")
    assert written == published.to_frame().write_csv()
    assert ('"' in written) == quoted
