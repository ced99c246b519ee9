"""The applied mapping: what every value of every quasi-identifier became, and how often. For the publisher alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.value_texts import value_texts
from crypsis.data.values import write_values
from crypsis.strict_json import indented_json, quoted, quoted_texts

MISSING = "?"


@dataclass(frozen=True, eq=False)
class AppliedMapping:
    """Made when it is asked for: the private report writes it."""

    original: Table
    published: PublishedTable

    def indented(self, depth: int) -> str:
        """`to_pairs` as indented JSON, made of whole columns of text: there are as many pairs as records, or nearly."""
        columns = self.original.with_role("quasi")
        if not columns:
            return "{}"
        parts = [f"{quoted(column.name)}: {self._indented_column(column, depth + 1)}" for column in columns]
        return _braces(",\n" + " " * depth, parts, depth)

    def _indented_column(self, column: Column, depth: int) -> str:
        cells = self.published.column(column.name)
        texts, values = cells.cells.text_series, value_texts(column.domain)
        if not len(column.codes) or (values == MISSING).any() or texts.n_unique() < len(texts):
            return indented_json(self._of_column(column), depth)
        found, counts = self._pairs(column, cells)
        code, cell = np.divmod(found, len(texts))
        keys = quoted_texts(pl.concat([pl.Series([MISSING], dtype=pl.String), values.alias("")]))
        names = quoted_texts(texts)
        inside, end = "\n" + " " * (depth + 1), "\n" + " " * depth
        pairs = pl.DataFrame({"code": code + 1, "pair": names.gather(cell) + ": " + pl.Series(counts).cast(pl.String)})
        of_value = pairs.group_by("code", maintain_order=True).agg(pl.col("pair").str.join("," + inside))
        lines = keys.gather(of_value["code"]) + (": {" + inside) + of_value["pair"] + (end + "}")
        return _braces("," + end, [lines.str.join("," + end).item()], depth)

    def _pairs(self, column: Column, cells: PublishedColumn) -> tuple[Int64s, Int64s]:
        """The pairs of a value and a cell that occur, as one number each, and how often."""
        pairs = column.codes.astype(np.int64) * len(cells.cells) + cells.codes
        return np.unique(pairs, return_counts=True)

    def to_pairs(self) -> dict[str, dict[str, dict[str, int]]]:
        """Column: value as it was: cell as it is published: records."""
        return {column.name: self._of_column(column) for column in self.original.with_role("quasi")}

    def _of_column(self, column: Column) -> dict[str, dict[str, int]]:
        cells = self.published.column(column.name)
        texts, values = cells.cells.texts, write_values(column.domain)
        found, counts = self._pairs(column, cells)
        of_column: dict[str, dict[str, int]] = {}
        for pair, count in zip(found.tolist(), counts.tolist(), strict=True):
            code, cell = divmod(pair, len(texts))
            of_column.setdefault(MISSING if code < 0 else values[code], {})[texts[cell]] = count
        return of_column


def _braces(between: str, parts: list[str], depth: int) -> str:
    """An object of these parts, one a line."""
    return "{" + between[1:] + between.join(parts) + "\n" + " " * (depth - 1) + "}"
