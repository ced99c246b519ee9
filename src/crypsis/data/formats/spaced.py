"""Plain text with one record per line and blanks between items: FIMI for sets, SPMF for sequences of sets.

In SPMF text -1 ends an itemset and -2 the sequence (`1 -1 2 3 -1 -2`), lines that begin with # or % are comments,
and `@ITEM=1=bread` names an item. In FIMI text a blank line is an empty record.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from crypsis.data.arrays import Int64s, offsets_of
from crypsis.data.formats.lines import read_lines
from crypsis.data.formats.source import NumberedRows, Source, place
from crypsis.errors import BadLabel, BadRow

MEMORY_PER_BYTE = 8.0
END_OF_ITEMSET = "-1"
END_OF_SEQUENCE = "-2"


@dataclass(frozen=True)
class SpacedText:
    """Records of labels; in SPMF text `itemsets` numbers the itemset of each label inside its record."""

    offsets: Int64s
    labels: pl.Series
    itemsets: Int64s | None
    source: Source

    def refuse_itemsets(self) -> None:
        """For trajectories: two items at one position have no order."""
        if self.itemsets is None:
            return
        rows = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        shared = np.flatnonzero((np.diff(rows) == 0) & (np.diff(self.itemsets) == 0))
        if len(shared):
            raise BadRow(
                f"Items {self.labels[int(shared[0])]!r} and {self.labels[int(shared[0]) + 1]!r} stand in one itemset; "
                "a trajectory has one location per position. Read the file as transactions instead.",
                **place(self.source, int(rows[shared[0]])),
            )


def read_sequences(path: str | Path, *, separator: str | None = None, spmf: bool | None = None) -> SpacedText:
    """Records of one text file. `spmf=None` looks whether the first record ends with -2."""
    lines, source = read_lines(path, MEMORY_PER_BYTE)
    if spmf is None:
        spmf = _looks_like_spmf(lines)
    return _read_spmf(lines, source) if spmf else _read_fimi(lines, separator, source)


def _read_fimi(lines: pl.Series, separator: str | None, source: Source) -> SpacedText:
    if separator is None:
        parts = lines.str.extract_all(r"\S+")
        lengths = parts.list.len().to_numpy().astype(np.int64)
        return SpacedText(offsets_of(lengths), parts.explode(empty_as_null=False), None, source)
    parts = lines.str.split(separator)
    said = (lines.str.strip_chars() != "").to_numpy()  # splitting an empty line gives one empty item, not none
    lengths = parts.list.len().to_numpy().astype(np.int64)
    labels = parts.explode(empty_as_null=False).filter(pl.Series(np.repeat(said, lengths))).str.strip_chars()
    lengths = np.where(said, lengths, 0)
    empty = (labels == "").arg_true()
    if len(empty):
        row = int(np.searchsorted(offsets_of(lengths), int(empty[0]), side="right")) - 1
        raise BadLabel(
            f"An item is empty: two separators {separator!r} follow each other or stand at the end.",
            **place(source, row),
        )
    return SpacedText(offsets_of(lengths), labels, None, source)


def _read_spmf(lines: pl.Series, source: Source) -> SpacedText:
    trimmed = lines.str.strip_chars()
    is_record = (trimmed != "") & ~trimmed.str.contains(r"^[#%@]")
    records = trimmed.filter(is_record)
    numbered = NumberedRows.of(str(source), (is_record.arg_true() + 1).to_list())
    unfinished = ~records.str.contains(r"(?:^|\s)-2$")
    if unfinished.any():
        raise BadRow(
            "An SPMF sequence must end with -2; end the line so, or read the file as 'fimi'.",
            **place(numbered, int(unfinished.arg_true()[0])),
        )
    parts = records.str.extract_all(r"\S+")
    tokens = parts.explode(empty_as_null=False)
    token_offsets = offsets_of(parts.list.len().to_numpy().astype(np.int64))
    rows = np.repeat(np.arange(len(records)), np.diff(token_offsets))
    ends = (tokens == END_OF_SEQUENCE).to_numpy()
    early = np.flatnonzero(ends & (np.arange(len(tokens)) + 1 != token_offsets[1:][rows]))
    if len(early):
        raise BadRow("-2 stands before the end of the line.", **place(numbered, int(rows[early[0]])))
    breaks = (tokens == END_OF_ITEMSET).to_numpy()
    is_item = ~(ends | breaks)
    itemsets = np.cumsum(breaks)[is_item].astype(np.int64)
    labels = tokens.filter(pl.Series(is_item))
    names = _item_names(trimmed)
    if names:
        labels = labels.replace(names)
    lengths = np.bincount(rows[is_item], minlength=len(records)).astype(np.int64)
    return SpacedText(offsets_of(lengths), labels, itemsets, numbered)


def _looks_like_spmf(lines: pl.Series) -> bool:
    trimmed = lines.str.strip_chars()
    if trimmed.head(1).str.starts_with("@").any():
        return True
    records = trimmed.filter((trimmed != "") & ~trimmed.str.contains(r"^[#%@]")).head(1)
    return bool(records.str.contains(r"(?:^|\s)-2$").any())


def _item_names(lines: pl.Series) -> dict[str, str]:
    declared = lines.filter(lines.str.starts_with("@ITEM=")).str.strip_prefix("@ITEM=").to_list()
    return dict(entry.split("=", 1) for entry in declared if "=" in entry)
