"""Published mixed data in a release: the cells of a table, a column with the items of each record, and what the names
of generalized items stand for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.failures import writing
from crypsis.data.formats.published_sets import MEANINGS, json_rows, read_meanings, write_meanings
from crypsis.data.formats.tabular import read_published_table
from crypsis.data.mixed import SUPPRESSED_TEXT, Mixed, PublishedMixed
from crypsis.data.transaction import PublishedTransactions
from crypsis.errors import BadPublication
from crypsis.executors.executor import Executor
from crypsis.guarantees import Guarantee, Verdict
from crypsis.kernels.row_order import sorted_rows
from crypsis.metrics.published_symbols import published_symbols
from crypsis.publication.kind import PublishedKind, rows_of_input, shown_labels
from crypsis.publication.relational import MEANING, TableKind, text_ranks, told_leaves, told_nodes, with_leaves
from crypsis.publication.table_parts import PARTS, write_table_parts
from crypsis.publication.transaction import meanings_resource
from crypsis.verifiers.mixed_parts import MixedColumns, verify_mixed_parts
from crypsis.verifiers.table_parts import PublishedColumns

_TABLE = TableKind()
ITEMS_MEANING = (
    f" The items are a JSON array of names. A name that {MEANINGS} lists stands for the items listed there, of which "
    "the record held at least one; any other name is an item that the record held."
)


class MixedKind(PublishedKind):
    """Tables of generalized cells with a set of generalized items in each row."""

    name = "mixed"
    files: ClassVar[dict[str, str]] = {"csv": "mixed.csv", "parquet": "mixed.parquet", PARTS: "mixed"}
    files_beside = frozenset([MEANINGS])
    report_place = "mixed_report.MIXED_REPORT"

    def side_file(self, original: Mixed, published: PublishedMixed) -> None:
        return None

    def as_written(self, published: PublishedMixed) -> PublishedMixed:
        return replace(published, table=_TABLE.as_written(published.table))

    def sorted_rows(self, published: PublishedMixed) -> Int64s:
        """By the texts of the cells, then by the recoding of the items, then by the items."""
        by_cells = _TABLE.sorted_rows(published.table)
        ranks = np.stack([text_ranks(column) for column in published.table.columns], axis=1)[by_cells]
        place = np.empty(len(by_cells), np.int64)  # rows with equal cells have one place
        place[by_cells] = np.cumsum(np.append(False, (ranks[1:] != ranks[:-1]).any(axis=1))[: len(ranks)])
        shown = published.transactions
        rows = np.repeat(np.arange(len(shown)), shown.lengths)
        scopes = np.zeros(len(place), np.int64) if published.scopes is None else published.scopes.astype(np.int64)
        owner = np.concatenate([np.arange(len(place)), np.arange(len(place)), rows])
        kind = np.repeat([0, 1, 2], [len(place), len(place), len(rows)])
        value = np.concatenate([place, scopes, shown.symbols.rank[shown.codes].astype(np.int64)])
        order = np.lexsort((value, kind, owner))
        return sorted_rows(offsets_of(shown.lengths + 2), value[order].astype(np.int32))

    def write(self, folder: Path, published: PublishedMixed, side_file: None, rows: Int64s, format: str) -> None:
        chosen = published.take(rows)
        file = folder / self.files[format]
        items = json_rows(chosen.transactions).set(pl.Series(chosen.table.suppressed), SUPPRESSED_TEXT)
        frame = chosen.table.to_frame().with_columns(items.alias(chosen.column))
        if chosen.scopes is not None:
            frame = frame.with_columns(pl.Series(scope_column(published), chosen.scopes))
        with writing(file):
            if format == PARTS:
                write_table_parts(frame, folder, name=file.name)
            elif format == "parquet":
                frame.write_parquet(file, compression="zstd", compression_level=3, statistics=False)
            else:
                frame.write_csv(file)
            write_meanings(chosen.transactions, folder)

    def write_beside_parts(self, folder: Path, symbols: PublishedTransactions) -> None:
        write_meanings(symbols, folder)

    def read(self, folder: Path, manifest: Mapping[str, Any]) -> tuple[PublishedMixed, None]:
        described = manifest["data"]
        frame, source = read_published_table(folder / described["file"])
        scopes = None
        if described.get("scopes") is not None:
            frame, scopes = _without_scopes(frame, described["scopes"], source)
        columns = {column["name"]: column for column in described["columns"]}
        refuse_other_columns(frame.columns, [*columns, described["items"]], source)
        published = PublishedMixed.from_frame(
            frame,
            described["items"],
            {name: column["role"] for name, column in columns.items()},
            {name: column["type"] for name, column in columns.items()},
            nodes=told_nodes(columns),
            hierarchies=told_leaves(columns),
            meanings=read_meanings(folder),
            source=source,
        )
        return replace(published, sensitive=tuple(described["sensitive"]), scopes=scopes), None

    def verify_parts(
        self, files: Sequence[str], described: Mapping[str, Any], guarantee: Guarantee, executor: Executor
    ) -> tuple[int, Verdict]:
        columns = {column["name"]: column for column in described["columns"]}
        told = PublishedColumns(
            {name: column["role"] for name, column in columns.items()},
            {name: column["type"] for name, column in columns.items()},
            told_nodes(columns),
        )
        own = MixedColumns(told, described["items"], described.get("scopes"), tuple(described["sensitive"]))
        meanings = read_meanings(Path(files[0]).parents[1])
        return verify_mixed_parts(files, own, meanings, guarantee, executor)

    def read_original(
        self, path: str | Path, published: PublishedMixed, described: Mapping[str, Any], **options: Any
    ) -> Mixed:
        from crypsis.publication.original_tables import read_original_mixed

        return read_original_mixed(path, described, published, **options)

    def with_private_facts(self, published: PublishedMixed, facts: Mapping[str, Any]) -> PublishedMixed:
        """The records in the order of the input, so that each can be compared with its original."""
        published = replace(published, table=with_leaves(published.table, facts))
        ordered = published.take(rows_of_input(facts, len(published)))
        return replace(ordered, table=replace(ordered.table, in_input_order=True))

    def private_facts(self, published: PublishedMixed) -> dict[str, Any]:
        return _TABLE.private_facts(published.table)

    def describe(self, published: PublishedMixed) -> dict[str, Any]:
        return {
            **_TABLE.describe(published.table),
            "items": published.column,
            "sensitive": shown_labels(published.sensitive, published.transactions),
            "scopes": None if published.scopes is None else scope_column(published),
            "occurrences": published.transactions.occurrences,
            "symbols": len(np.unique(published.transactions.codes)),
        }

    def figures(self, published: PublishedMixed) -> dict[str, Any]:
        return {**_TABLE.figures(published.table), **published_symbols(published.transactions)}

    def resources(self, described: Mapping[str, Any], side_file: None) -> list[dict[str, Any]]:
        (table,) = _TABLE.resources(described, None)
        table["name"] = "mixed"
        table["description"] = MEANING + ITEMS_MEANING
        table["schema"]["fields"].append({"name": described["items"], "type": "array"})
        if described.get("scopes") is not None:
            table["schema"]["fields"].append(
                {
                    "name": described["scopes"],
                    "type": "integer",
                    "description": "Which recoding of the items a record is under; no item is behind two names of one.",
                }
            )
        return [table, meanings_resource()]

    def notes(self, published: PublishedMixed) -> list[str]:
        notes = _TABLE.notes(published.table)
        empty = int(np.count_nonzero((published.transactions.lengths == 0) & ~published.table.suppressed))
        if empty:
            notes.append(f"{empty:,} records have no items and are published without any")
        return notes

    def is_sound(self, described: Mapping[str, Any]) -> bool:
        sensitive, scopes = described.get("sensitive"), described.get("scopes")
        as_table = {**described, "file": _TABLE.files["csv"]}
        return (
            super().is_sound(described)
            and _TABLE.is_sound(as_table)
            and described.get("format") in self.files
            and isinstance(described.get("items"), str)
            and isinstance(sensitive, list)
            and all(isinstance(label, str) for label in sensitive)
            and (scopes is None or isinstance(scopes, str))
        )


def scope_column(published: PublishedMixed) -> str:
    """A name that no column has."""
    return free_name([*published.table.names, published.column])


def free_name(names: Collection[str]) -> str:
    """What the column with the scopes is called beside these."""
    name = "scope"
    while name in names:
        name += "_"
    return name


def _without_scopes(frame: pl.DataFrame, name: str, source: str) -> tuple[pl.DataFrame, Any]:
    if name not in frame.columns:
        raise BadPublication(f"The column '{name}' with the scopes of the recodings is missing.", where=source)
    numbers = frame[name].cast(pl.Int32, strict=False)
    if numbers.has_nulls():
        raise BadPublication(f"Column '{name}' must hold whole numbers.", where=source)
    return frame.drop(name), numbers.to_numpy().astype(np.int32)
