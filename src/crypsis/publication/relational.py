"""Published tables in a release: one row per record, cells as texts, and what the nodes in them stand for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.data.arrays import Int64s
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.relational import ROLES, NodeLeaves, PublishedColumn, PublishedTable, Table
from crypsis.data.values import COLUMN_TYPES
from crypsis.errors import BadPublication, WriteFailed
from crypsis.publication.kind import PublishedKind, rows_of_input
from crypsis.publication.original_tables import read_original_table
from crypsis.reports.pictures.class_sizes import class_sizes
from crypsis.reports.svg import standalone
from crypsis.reports.table_facts import TableFacts
from crypsis.reports.table_report import render_table_report

MEANING = (
    "One record per row. A cell is a value, a closed range [low:high], one of several values {a|b}, a node of the "
    "hierarchy that release.json lists, ? for missing, * for any value or missing, or ~ in every column of a "
    "suppressed record."
)


class TableKind(PublishedKind):
    """Tables of generalized cells."""

    name: ClassVar[str] = "table"
    files: ClassVar[dict[str, str]] = {"csv": "table.csv", "parquet": "table.parquet"}

    def companion(self, original: Table, published: PublishedTable) -> None:
        return None

    def sorted_rows(self, published: PublishedTable) -> Int64s:
        """By the texts of the quasi-identifiers, then of the other columns."""
        names = [*published.quasi, *(name for name in published.names if name not in published.quasi)]
        ranks = pl.DataFrame([pl.Series(name, text_ranks(published.column(name))) for name in names])
        ordered = ranks.with_row_index("place").sort(names, maintain_order=True)["place"]
        return ordered.to_numpy().astype(np.int64)

    def write(self, folder: Path, published: PublishedTable, companion: None, rows: Int64s, format: str) -> None:
        frame, file = published.take(rows).to_frame(), folder / self.files[format]
        try:
            if format == "parquet":
                frame.write_parquet(file, compression="zstd", compression_level=3, statistics=False)
            else:
                frame.write_csv(file)
        except (OSError, pl.exceptions.ComputeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise WriteFailed(f"{file.name} cannot be written: {reason}. Free some space.", where=str(file)) from error

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTable, None]:
        described = manifest["data"]
        frame, source = read_table_file(folder / described["file"])
        columns = {column["name"]: column for column in described["columns"]}
        refuse_lacking(frame.columns, columns, source)
        hierarchies = {
            name: NodeLeaves.from_json(column["hierarchy"])
            for name, column in columns.items()
            if column.get("hierarchy") is not None
        }
        published = PublishedTable.from_frame(
            frame,
            {name: column["role"] for name, column in columns.items()},
            {name: column["type"] for name, column in columns.items()},
            nodes={name: list(leaves.leaves) for name, leaves in hierarchies.items()},
            hierarchies=hierarchies,
            source=source,
        )
        return replace(published, in_input_order=described.get("order") == "input"), None

    def read_original(
        self, path: str | Path, published: PublishedTable, described: Mapping[str, Any], **options: Any
    ) -> Table:
        return read_original_table(path, described, **options)

    def with_private_facts(self, published: PublishedTable, facts: Mapping[str, Any]) -> PublishedTable:
        """The records in the order of the input, so that each can be compared with its original."""
        return replace(published.take(rows_of_input(facts, len(published))), in_input_order=True)

    def describe(self, published: PublishedTable) -> dict[str, Any]:
        return {
            "rows": len(published),
            "suppressed": int(np.count_nonzero(published.suppressed)),
            "missing_values": published.missing_rule.name,
            "columns": [
                {
                    "name": column.name,
                    "role": column.role,
                    "type": column.type,
                    "hierarchy": None if column.hierarchy is None else column.hierarchy.to_json(),
                }
                for column in published.columns
            ],
        }

    def describe_input(self, original: Table) -> dict[str, Any]:
        return {"records": len(original), "quasi_identifiers": len(original.quasi)}

    def resources(self, described: Mapping[str, Any], companion: None) -> list[dict[str, Any]]:
        mediatype = "text/csv" if described["format"] == "csv" else "application/vnd.apache.parquet"
        fields = [{"name": column["name"], "type": "string"} for column in described["columns"]]
        return [
            {
                "name": "table",
                "type": "table",
                "path": described["file"],
                "format": described["format"],
                "mediatype": mediatype,
                "description": MEANING,
                "schema": {"fields": fields},
            }
        ]

    def report(self, manifest: Mapping[str, Any], published: PublishedTable, companion: None) -> str:
        return render_table_report(manifest, published)

    def pictures(self, manifest: Mapping[str, Any], published: PublishedTable, companion: None) -> dict[str, str]:
        return {"class_sizes": standalone(class_sizes(TableFacts.of(manifest, published)))}

    def notes(self, published: PublishedTable) -> list[str]:
        notes = []
        suppressed = int(np.count_nonzero(published.suppressed))
        if suppressed:
            notes.append(f"{suppressed:,} records were suppressed: their rows hold ~ in every column")
        others = [column.name for column in published.with_role("other")]
        if others:
            notes.append(f"published as they are, so nobody may know them of others: {', '.join(others)}")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        columns = described.get("columns")
        return (
            super().is_sound(described)
            and isinstance(columns, list)
            and all(
                isinstance(column, dict)
                and isinstance(column.get("name"), str)
                and column.get("role") in ROLES
                and column.get("type") in COLUMN_TYPES
                and _is_hierarchy(column.get("hierarchy"))
                for column in columns
            )
        )


def refuse_lacking(found: Sequence[str], described: Collection[str], source: str) -> None:
    """Every column that the manifest describes must be there."""
    lacking = [name for name in described if name not in found]
    if lacking:
        raise BadPublication(f"The published table lacks the column {', '.join(map(repr, lacking))}.", where=source)


def text_ranks(column: PublishedColumn) -> Int64s:
    """The rank of each record's cell among the texts of its column; equal texts have one rank."""
    texts = pl.Series(column.cells.texts, dtype=pl.String)
    if not len(texts):
        return np.zeros(len(column.codes), np.int64)
    ranks: Int64s = texts.rank("dense").to_numpy().astype(np.int64)
    return ranks[column.codes]


def _is_hierarchy(content: Any) -> bool:
    return content is None or (
        isinstance(content, dict)
        and isinstance(content.get("total"), int)
        and isinstance(content.get("leaves"), dict)
        and all(isinstance(leaves, list) for leaves in content["leaves"].values())
    )
