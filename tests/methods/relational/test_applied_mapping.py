"""The applied mapping is written as text at once; it must be the text of its pairs."""

from __future__ import annotations

import json

import polars as pl
import pytest

import crypsis
from crypsis.methods.relational.applied_mapping import AppliedMapping
from crypsis.strict_json import indented_json


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": [31, 34, 34, 40, 52, 52], "town": ["a", 'b"', "ü", "a", None, "\\"]}),
        pl.DataFrame({"age": [1, None, 3, 4], "town": ["?", "x", None, "?"]}),
        pl.DataFrame({"age": [2.5, 2.5, 7.0, 7.0], "town": ["x", "x", "y", "y"]}),
    ],
)
def test_the_text_is_that_of_the_pairs(frame: pl.DataFrame) -> None:
    table = crypsis.Table.from_frame(frame, roles=dict.fromkeys(frame.columns, "quasi"))
    release = crypsis.anonymize(table, crypsis.Mondrian(k=2))
    mapping = AppliedMapping(table, release.data)
    content = {"first": 1, "applied_mapping": mapping, "last": {"a": mapping}}
    plain = {"first": 1, "applied_mapping": mapping.to_pairs(), "last": {"a": mapping.to_pairs()}}
    assert indented_json(content) == json.dumps(plain, ensure_ascii=False, indent=1)
