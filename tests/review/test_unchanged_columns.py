"""Which published columns name people, and which only say something of them."""

from __future__ import annotations

import polars as pl
import pytest

import crypsis


@pytest.mark.parametrize(("name", "found"), [("foreign_worker", False), ("worker_id", True)])
def test_a_column_that_tells_of_people_names_none(name: str, found: bool) -> None:
    frame = pl.DataFrame({"age": [20, 20, 20, 50, 50, 50], name: ["a1", "a1", "a1", "a2", "a2", "a2"]})
    table = crypsis.Table.from_frame(frame, {"age": "quasi", name: "quasi"}, each_row_is_a_person=True)
    findings = crypsis.anonymize(table, crypsis.Mondrian(k=3)).review().disclosure.findings
    assert any("names people" in finding.sentence for finding in findings) is found
