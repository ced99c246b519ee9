"""Published tables in a release: one row per record, cells as texts, and what the nodes in them stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import order_rows
from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.failures import writing
from crypsis.data.formats.tabular import read_published_table
from crypsis.data.published_types import as_published
from crypsis.data.relational import ROLES, NodeLeaves, PublishedColumn, PublishedTable, Table
from crypsis.data.reread_table import WrittenTable, reread_table
from crypsis.data.values import COLUMN_TYPES
from crypsis.errors import BadRelease
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee, Verdict
from crypsis.metrics.class_sizes import class_figures
from crypsis.metrics.published_widths import published_widths
from crypsis.publication.kind import PublishedKind, rows_of_input
from crypsis.publication.table_parts import FOLDER, PARTS, data_paths, write_table_parts

LEAVES = "hierarchy_leaves"
GUESSED = "guessed_types"
_MOST_KEPT = 2_000_000  # records; texts of more take more memory than they save time
_NEEDS_QUOTES = r'^$|[",\r\n]'
MEANING = (
    "One record per row. A cell is a value, a closed range [low:high], one of several values {a|b}, a node that "
    "release.json lists, ? for missing, * for any value or missing, or ~ in every column of a "
    "suppressed record."
)


class TableKind(PublishedKind):
    """Tables of generalized cells."""

    name = "table"
    files: ClassVar[dict[str, str]] = {"csv": "table.csv", "parquet": "table.parquet", PARTS: FOLDER}
    report_place = "table_report.TABLE_REPORT"

    def side_file(self, original: Table, published: PublishedTable) -> None:
        return None

    def as_written(self, published: PublishedTable) -> PublishedTable:
        return as_published(published)

    def sorted_rows(self, published: PublishedTable) -> Int64s:
        """By the texts of the quasi-identifiers, then of the other columns."""
        names = [*published.quasi, *(name for name in published.names if name not in published.quasi)]
        return order_rows((text_ranks(published.column(name)) for name in names), len(published))

    def write(
        self, folder: Path, published: PublishedTable, side_file: None, rows: Int64s, format: str
    ) -> WrittenTable | None:
        taken = published.take(rows)
        frame, file = taken.to_frame(), folder / self.files[format]
        if format == PARTS:
            write_table_parts(frame, folder)
            return None
        with writing(file):
            if format == "parquet":
                frame.write_parquet(file, compression="zstd", compression_level=3, statistics=False)
            else:
                frame.write_csv(file, quote_style="never" if _is_plain(published) else "necessary")
        return WrittenTable(taken, frame) if len(frame) <= _MOST_KEPT else None

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedTable, None]:
        described = manifest["data"]
        return self._of_texts(*read_published_table(folder / described["file"]), described), None

    def read_back(
        self,
        folder: Path,
        manifest: Mapping[str, Any],
        written: PublishedTable,
        rows: Int64s,
        kept: WrittenTable | None = None,
    ) -> tuple[PublishedTable, None]:
        described = manifest["data"]
        frame, source = _read_own(folder / described["file"])
        columns = {column["name"]: column for column in described["columns"]}
        same = reread_table(frame, written, rows, told_nodes(columns), told_leaves(columns), kept)
        if same is None:
            return self._of_texts(frame, source, described), None
        return replace(same, in_input_order=described.get("order") == "input"), None

    @staticmethod
    def _of_texts(frame: pl.DataFrame, source: str, described: Mapping[str, Any]) -> PublishedTable:
        columns = {column["name"]: column for column in described["columns"]}
        refuse_other_columns(frame.columns, columns, source)
        published = PublishedTable.from_frame(
            frame,
            {name: column["role"] for name, column in columns.items()},
            {name: column["type"] for name, column in columns.items()},
            nodes=told_nodes(columns),
            hierarchies=told_leaves(columns),
            source=source,
        )
        return replace(published, in_input_order=described.get("order") == "input")

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        from crypsis.publication.published_parts import PublishedParts
        from crypsis.verifiers.table_parts import count_parts, verify_parts

        parts = PublishedParts.described(tuple(files), described)
        columns = parts.columns
        counted = count_parts(files, columns, guarantee, executor)
        for name in columns.roles:  # every cell is one of its column
            parts.column_of_counts(name, counted)
        return counted.n_records, verify_parts(counted, columns, guarantee)

    def read_original(
        self, path: str | Path, published: PublishedTable, described: Mapping[str, Any], **options: Any
    ) -> Table:
        from crypsis.publication.original_tables import read_original_table

        return read_original_table(path, described, **options)

    def with_private_facts(self, published: PublishedTable, facts: Mapping[str, Any]) -> PublishedTable:
        """The records in the order of the input, so that each can be compared with its original."""
        taken = with_leaves(published, facts).take(rows_of_input(facts, len(published)))
        return replace(taken, in_input_order=True)

    def private_facts(self, published: PublishedTable) -> dict[str, Any]:
        """What nodes stand for, and which types were guessed, where the release must not tell it."""
        hidden = {
            column.name: column.hierarchy.to_json()
            for column in published.columns
            if column.hierarchy is not None and not column.hierarchy.declared
        }
        guessed = [column.name for column in published.columns if column.guessed]
        return ({LEAVES: hidden} if hidden else {}) | ({GUESSED: guessed} if guessed else {})

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
                    "hierarchy": described_nodes(column),
                }
                for column in published.columns
            ],
        }

    def figures(self, published: PublishedTable) -> dict[str, Any]:
        """Classes and their sizes, and how wide cells are."""
        return {**class_figures(published).figures(), **published_widths(published)}

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        mediatype = "text/csv" if described["format"] == "csv" else "application/vnd.apache.parquet"
        fields = [{"name": column["name"], "type": "string"} for column in described["columns"]]
        return [
            {
                "name": "table",
                "type": "table",
                "path": data_paths(described),
                "format": "parquet" if described["format"] == PARTS else described["format"],
                "mediatype": mediatype,
                "description": MEANING,
                "schema": {"fields": fields},
            }
        ]

    def notes(self, published: PublishedTable) -> list[str]:
        notes = []
        suppressed = int(np.count_nonzero(published.suppressed))
        if suppressed:
            notes.append(f"{suppressed:,} records were suppressed: their rows hold ~ in every column")
        others = [column.name for column in published.with_role("other")]
        if others:
            notes.append(f"published unchanged, so make sure that attackers cannot know them: {', '.join(others)}")
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


def _is_plain(published: PublishedTable) -> bool:
    """Whether no cell of CSV needs quotes: then none is looked through for them once more when it is written.

    Numbers and dates, and what they are generalized to, are written without separators and quotes.
    """
    texts = [pl.Series(published.names)]
    texts += [
        column.cells.text_series if column.type == "category" else column.cells.nodes for column in published.columns
    ]
    return not any(bool(column.str.contains(_NEEDS_QUOTES).any()) for column in texts)


def _read_own(path: Path) -> tuple[pl.DataFrame, str]:
    """A file that this process has just written, which needs no process with limits to be read."""
    if path.suffix == ".parquet":
        return pl.read_parquet(path, glob=False), str(path)
    return read_published_table(path)


def told_nodes(columns: Mapping[str, Any]) -> dict[str, list[str]]:
    """The names of nodes in each column of a manifest."""
    return {name: list(column["hierarchy"]["nodes"]) for name, column in columns.items() if column.get("hierarchy")}


def told_leaves(columns: Mapping[str, Any]) -> dict[str, NodeLeaves]:
    """What the nodes of a column stand for, where a manifest tells it."""
    return {
        name: NodeLeaves.from_json(column["hierarchy"])
        for name, column in columns.items()
        if column.get("hierarchy") and "leaves" in column["hierarchy"]
    }


def with_leaves(published: PublishedTable, facts: Mapping[str, Any]) -> PublishedTable:
    """With what nodes stand for, and of a working copy which types were guessed, as the private report tells it."""
    told = facts.get(LEAVES, {})
    guessed = facts.get(GUESSED, ()) if facts.get("order") == "input" else ()
    try:
        leaves = {name: replace(NodeLeaves.from_json(content), declared=False) for name, content in told.items()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRelease("The private report does not tell what the nodes of this release stand for.") from error
    return replace(
        published,
        columns=tuple(
            replace(column, hierarchy=leaves.get(column.name, column.hierarchy), guessed=column.name in guessed)
            for column in published.columns
        ),
    )


def described_nodes(column: PublishedColumn) -> dict[str, Any] | None:
    """The published nodes by name; what they stand for only where the publisher gave the hierarchy."""
    names = sorted(column.cells.nodes.to_list())
    if not names:
        return None
    if column.hierarchy is None or not column.hierarchy.declared:
        return {"nodes": names}
    return {"nodes": names, **column.hierarchy.to_json()}


def text_ranks(column: PublishedColumn) -> Int64s:
    """The rank of each record's cell among the texts of its column; equal texts have one rank."""
    ranks: Int64s = column.cells.text_ranks[column.codes]
    return ranks


def _is_hierarchy(content: Any) -> bool:
    return content is None or (
        isinstance(content, dict)
        and isinstance(content.get("nodes"), list)
        and all(isinstance(name, str) for name in content["nodes"])
        and ("leaves" not in content or _has_leaves(content))
    )


def _has_leaves(content: Mapping[str, Any]) -> bool:
    leaves = content["leaves"]
    return (
        isinstance(content.get("total"), int)
        and isinstance(leaves, dict)
        and all(
            isinstance(values, list) and all(isinstance(value, str) for value in values) for values in leaves.values()
        )
    )
