"""What a report shows of a published table, computed once from what is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable
from crypsis.reports.manifest_facts import ManifestFacts

_WORDS = {
    CellKind.VALUE: "values",
    CellKind.RANGE: "ranges",
    CellKind.NODE: "nodes",
    CellKind.SET: "sets",
    CellKind.MISSING: "missing",
    CellKind.ANY: "any",
    CellKind.SUPPRESSED: "suppressed",
}


@dataclass(frozen=True)
class ColumnFacts:
    """One column: how many different cells of each kind, and how many records show them."""

    name: str
    role: str
    type: str
    cells: dict[str, int]
    records: dict[str, int]

    @classmethod
    def of(cls, column: PublishedColumn, weights: Int64s | None = None) -> ColumnFacts:
        """`weights` are the records that each row stands for, where it is more than one."""
        counts = column.cell_counts
        if weights is not None:
            counts = np.bincount(column.codes, weights, minlength=len(column.cells)).astype(np.int64)
        cells: dict[str, int] = {}
        records: dict[str, int] = {}
        for kind, words in _WORDS.items():
            of_kind = column.cells.kinds == kind
            shown = int(counts[of_kind].sum())
            if shown:
                cells[words] = int(np.count_nonzero(counts[of_kind]))
                records[words] = shown
        return cls(column.name, column.role, column.type, cells, records)


@dataclass(frozen=True, eq=False)
class TableFacts(ManifestFacts):
    """Sizes of the classes of records that look the same, and the columns."""

    row_words = ("record", "records")

    manifest: Mapping[str, Any]
    sizes: Int64s
    suppressed: int
    columns: tuple[ColumnFacts, ...]
    items: str | None = None  # the column of sets beside the table, where there is one

    @classmethod
    def of(cls, manifest: Mapping[str, Any], published: PublishedTable) -> TableFacts:
        return cls(
            manifest,
            published.class_sizes,
            int(np.count_nonzero(published.suppressed)),
            tuple(ColumnFacts.of(column) for column in published.columns),
        )

    @property
    def known(self) -> list[str]:
        known = [column.name for column in self.columns if column.role == "quasi"]
        return known if self.items is None else [*known, self.items]

    @property
    def k(self) -> float | None:
        """The class size that is promised, where one is."""
        parameters = self.section("guarantee").get("parameters") or {}
        promises = parameters.get("promises")
        if isinstance(promises, list):
            listed = [promise.get("parameters") or {} for promise in promises if isinstance(promise, Mapping)]
            parameters = next((entry for entry in listed if "k" in entry), {})
        value = parameters.get("k")
        return value if isinstance(value, int) else None
