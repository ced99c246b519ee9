"""Granularity: by hand, and 1 and 0 at the ends."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from crypsis.data.relational import PublishedTable, Table
from crypsis.errors import NotApplicable
from crypsis.metrics import measure
from crypsis.metrics.granularity import granularity_score
from tests.generalized import LEAVES, TYPES, Generalized, generalized


@given(generalized())
def test_every_cell_keeps_what_its_kind_keeps(data: Generalized) -> None:
    found = granularity_score(data.original.table, data.published.table)
    for name in TYPES:
        kept = [_kept(row[name], name, data) for row in data.cells]
        assert found.by_column[name] == pytest.approx(np.mean(kept))
    assert found.total == pytest.approx(np.mean(list(found.by_column.values())))


def _kept(cell, name: str, data: Generalized) -> float:
    kind, domain = cell[0], data.domain(name)
    if kind == "range":
        return 1 - (cell[2] - cell[1]) / (domain[-1] - domain[0])
    if kind == "node":
        return 1 - (len(LEAVES[cell[1]]) - 1) / 3
    if kind == "set":
        return 1 - (len(cell[1]) - 1) / (len(domain) - 1)
    return 0.0 if kind in ("any", "suppressed") else 1.0


def test_the_ends_of_the_scale_and_what_cannot_be_told() -> None:
    roles, types = {"age": "quasi"}, {"age": "int"}
    table = Table.from_frame(pl.DataFrame({"age": [1, 5]}), roles)
    intact = PublishedTable.from_frame(pl.DataFrame({"age": ["1", "5"]}), roles, types)
    nothing = PublishedTable.from_frame(pl.DataFrame({"age": ["*", "~"]}), roles, types)
    assert measure(table, intact, ["granularity_score"]) == {"granularity_score": 1.0, "granularity_score of age": 1.0}
    assert granularity_score(table, nothing).total == 0.0
    named = PublishedTable.from_frame(pl.DataFrame({"age": ["young", "5"]}), roles, types, nodes={"age": ["young"]})
    with pytest.raises(NotApplicable, match="does not tell"):
        granularity_score(table, named)
    with pytest.raises(NotApplicable, match="no quasi-identifier"):
        granularity_score(Table.from_frame(pl.DataFrame({"age": [1]}), {"age": "other"}), intact)
