"""Published rows are shown with and without an original to compare them with, whatever kind they are."""

from __future__ import annotations

import re

import polars as pl

import crypsis
from crypsis.data.mixed import Mixed
from crypsis.web.outputs import output_of


def test_mixed_data_are_shown_without_their_original() -> None:
    frame = pl.DataFrame({"age": [30, 31, 40, 41], "items": [["a"], ["a", "b"], ["b"], ["a"]]})
    data = Mixed.from_frame(frame, {"age": "quasi"}, {"items": None})
    published = crypsis.anonymize(data, crypsis.RFirst(k=2, m=1)).data
    for original in (data, None):
        output = output_of(original, published)
        assert output.grid.rows(0, 10)[0] == 4
    assert output.changed_share is None


def test_disassociated_data_are_shown_with_records_as_they_might_have_been() -> None:
    sets = [["bread", "milk"], ["bread", "milk"], ["bread", "tea"], ["milk", "tea"]] * 3
    data = crypsis.Transactions.from_lists(sets)
    published = crypsis.anonymize(data, crypsis.Disassociation(k=2, m=1)).data
    output = output_of(data, published)
    assert len(output.examples) == 12
    assert {item for one in output.examples for item in one.split(", ")} == {"bread", "milk", "tea"}
    pieces, _places, rows = output.grid.rows(0, 1000)
    assert pieces == len(rows) == len(published.counts) + int((published.hidden_leaves > 0).any())
    for piece, terms, records in rows:  # as people read them: no brackets or quotation marks of a file
        assert re.fullmatch(r"\d+(–\d+)? · (chunk \d+|term chunk)", piece)
        assert set(terms.split(", ")) <= {"bread", "milk", "tea"}
        assert (records is None) == piece.endswith("term chunk")
    assert sum(records for *_of, records in rows if records) == int(published.counts.sum())
