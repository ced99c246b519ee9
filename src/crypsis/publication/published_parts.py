"""PublishedParts: a published table that lies in files, and is never whole in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from crypsis.data.cells import Cells
from crypsis.data.microdata import PublishedData
from crypsis.data.missing import MISSING_EQUALS_MISSING
from crypsis.data.relational import NodeLeaves, PublishedColumn
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadPublication, BadRow
from crypsis.executors.serial import Serial
from crypsis.guarantees import KAnonymity
from crypsis.publication.relational import described_nodes, told_leaves, told_nodes
from crypsis.publication.table_parts import FOLDER, PARTS
from crypsis.verifiers.table_parts import CountedParts, PublishedColumns, count_parts


@dataclass(frozen=True, eq=False)
class PublishedParts(PublishedData):
    """The files of the parts in their order, and the description of the columns."""

    files: tuple[str, ...]
    columns: PublishedColumns
    n_records: int
    hierarchies: Mapping[str, NodeLeaves] = field(default_factory=dict, repr=False)

    @classmethod
    def described(cls, files: tuple[str, ...], entry: Mapping[str, Any]) -> PublishedParts:
        """As a manifest describes them."""
        columns = {column["name"]: column for column in entry["columns"]}
        published = PublishedColumns(
            {name: column["role"] for name, column in columns.items()},
            {name: column["type"] for name, column in columns.items()},
            told_nodes(columns),
            tuple(entry[name] for name in ("items", "scopes") if entry.get(name) is not None),
        )
        return cls(files, published, entry["rows"], told_leaves(columns))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns.roles)

    @property
    def quasi(self) -> tuple[str, ...]:
        return tuple(self.columns.named("quasi"))

    def scan(self) -> pl.LazyFrame:
        """All parts, to be read when they are asked for."""
        return pl.scan_parquet(list(self.files))

    def column_of_counts(self, name: str, counted: CountedParts) -> tuple[PublishedColumn, Any]:
        """A column with one row for each distinct cell, and how many records each stands for."""
        counts = counted.cell_counts[name]
        texts = counts[name]
        try:
            cells, cell_of_text = Cells.parse(self.columns.types[name], texts, self.columns.nodes.get(name))
        except BadRow as error:
            raise BadPublication(error.message, where=f"column {name!r}") from None
        codes = cell_of_text[Vocabulary(texts).encode(texts)] if len(texts) else cell_of_text
        role: Any = self.columns.roles[name]
        column = PublishedColumn(name, role, codes, cells, self.hierarchies.get(name))
        return column, counts["n"].to_numpy()

    def describe(self, counted: CountedParts | None = None) -> dict[str, Any]:
        """The entry of a manifest; the parts are read once, where nobody counted them yet."""
        if counted is None:
            with Serial() as executor:
                return self.describe(count_parts(self.files, self.columns, KAnonymity(k=1), executor))
        return {
            "kind": "table",
            "file": FOLDER,
            "format": PARTS,
            "order": "sorted",
            "rows": self.n_records,
            "suppressed": counted.n_suppressed,
            "missing_values": MISSING_EQUALS_MISSING.name,
            "columns": [
                {
                    "name": name,
                    "role": role,
                    "type": self.columns.types[name],
                    "hierarchy": described_nodes(self.column_of_counts(name, counted)[0]),
                }
                for name, role in self.columns.roles.items()
            ],
        }

    def __len__(self) -> int:
        return self.n_records

    def __repr__(self) -> str:
        return f"PublishedParts({self.n_records} records in {len(self.files)} parts; columns {', '.join(self.names)})"
