"""The applied mapping: what every value of every quasi-identifier became, and how often. For the publisher alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.relational import PublishedTable, Table
from crypsis.data.values import write_values


@dataclass(frozen=True, eq=False)
class AppliedMapping:
    """Made when it is asked for: the private report writes it."""

    original: Table
    published: PublishedTable

    def to_pairs(self) -> dict[str, dict[str, dict[str, int]]]:
        """Column: value as it was: cell as it is published: records."""
        mapping: dict[str, dict[str, dict[str, int]]] = {}
        for column in self.original.with_role("quasi"):
            cells = self.published.column(column.name)
            texts, values = cells.cells.texts, write_values(column.domain)
            pairs = column.codes.astype(np.int64) * len(texts) + cells.codes
            found, counts = np.unique(pairs, return_counts=True)
            of_column: dict[str, dict[str, int]] = {}
            for pair, count in zip(found.tolist(), counts.tolist(), strict=True):
                code, cell = divmod(pair, len(texts))
                of_column.setdefault("?" if code < 0 else values[code], {})[texts[cell]] = count
            mapping[column.name] = of_column
        return mapping
