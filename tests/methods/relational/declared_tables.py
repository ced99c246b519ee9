"""Tables with declared domains, for tests of private tables."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

from crypsis import (
    AttributeDomains,
    CategoryDomain,
    CategoryTrees,
    NumericDomain,
    Table,
)

TREE = {"any": {"ab": {"a": {}, "b": {}}, "c": {}, "de": {"d": {}, "e": {}}}}


LEAVES = ["a", "b", "c", "d", "e"]


def table_of(records):
    columns = {
        "place": pl.Series([LEAVES[cells[0]] for cells, _ in records], dtype=pl.String),
        "x": pl.Series([cells[1] for cells, _ in records], dtype=pl.Int64),
        "y": pl.Series([cells[2] for cells, _ in records], dtype=pl.Int64),
        "kind": pl.Series(["pq"[label] for _, label in records], dtype=pl.String),
    }
    roles = {"place": "quasi", "x": "quasi", "y": "sensitive", "kind": "label"}
    types = {"place": "category", "x": "int", "y": "int", "kind": "category"}
    return Table.from_frame(pl.DataFrame(columns), roles, types)


def declared(width_x: int = 9, width_y: int = 5):
    return {
        "domains": AttributeDomains(
            {
                "x": NumericDomain(0, width_x),
                "y": NumericDomain(0, width_y),
                "kind": CategoryDomain(("p", "q")),
            }
        ),
        "trees": CategoryTrees({"place": TREE}),
    }


records = st.lists(
    st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 8), st.integers(0, 4)), st.integers(0, 1)), max_size=25
)


person = st.tuples(st.tuples(st.integers(0, 4), st.integers(0, 8), st.integers(0, 4)), st.integers(0, 1))


def line(values):
    frame = pl.DataFrame(
        {
            "x": pl.Series([x for x, _ in values], dtype=pl.Int64),
            "kind": pl.Series([k for _, k in values], dtype=pl.String),
        }
    )
    return Table.from_frame(frame, {"x": "quasi", "kind": "label"}, {"x": "int", "kind": "category"})
