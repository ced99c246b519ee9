"""The applied mapping: what every value of every quasi-identifier became, and how often. For the publisher alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.arrays.row_ranks import count_keys
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.value_texts import value_texts
from crypsis.data.values import write_values
from crypsis.strict_json import indented_parts, quoted, quoted_texts

MISSING = "?"
_AT_ONCE = 1 << 16  # pairs of which the text is made together: it stays in the cache


@dataclass(frozen=True, eq=False)
class AppliedMapping:
    """Made when it is asked for: the private report writes it."""

    original: Table
    published: PublishedTable

    def indented(self, depth: int) -> Iterator[str]:
        """`to_pairs` as indented JSON, made of whole columns of text: there are as many pairs as records, or nearly."""
        before = "{"
        for column in self.original.with_role("quasi"):
            yield f"{before}\n{' ' * depth}{quoted(column.name)}: "
            yield from self._indented_column(column, depth + 1)
            before = ","
        yield "{}" if before == "{" else "\n" + " " * (depth - 1) + "}"

    def _indented_column(self, column: Column, depth: int) -> Iterator[str]:
        cells = self.published.column(column.name)
        texts, values = cells.cells.text_series, value_texts(column.domain)
        if not len(column.codes) or (values == MISSING).any() or texts.n_unique() < len(texts):
            yield from indented_parts(self._of_column(column), depth)
            return
        found, counts = self._pairs(column, cells)
        code = found // len(texts)
        cell = found - code * len(texts)
        inside, end = "\n" + " " * (depth + 1), "\n" + " " * depth
        keys = quoted_texts(pl.concat([pl.Series([MISSING], dtype=pl.String), values.alias("")]))
        heads = keys + (": {" + inside[:-1])  # a line begins with a blank, which the writer puts between two columns
        # what stands above a pair: a comma, or the end of the value before and the value that begins
        above = pl.concat([end + "}," + end + heads, pl.Series(["," + inside[:-1], end + heads[int(code[0]) + 1]])])
        begins = np.diff(code, prepend=code[0]) > 0
        which = np.where(begins, code + 1, len(heads))
        which[0] = len(heads) + 1
        names = quoted_texts(texts) + ":"
        yield "{"
        for start in range(0, len(which), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            lines = pl.DataFrame([above.gather(which[part]), names.gather(cell[part]).alias("name")])
            lines = lines.with_columns(pl.Series("records", counts[part]))
            yield lines.write_csv(include_header=False, separator=" ", line_terminator="", quote_style="never")
        yield end + "}\n" + " " * (depth - 1) + "}"

    def _pairs(self, column: Column, cells: PublishedColumn) -> tuple[Int64s, Int64s]:
        """The pairs of a value and a cell that occur, as one number each, and how often."""
        return count_keys(column.codes.astype(np.int64) * len(cells.cells) + cells.codes)

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
