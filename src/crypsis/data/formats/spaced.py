"""Plain text with one record per line and blanks between items: FIMI for sets, SPMF for sequences of sets.

In SPMF text -1 ends an itemset and -2 the sequence (`1 -1 2 3 -1 -2`), lines that begin with # or % are comments,
and `@ITEM=1=bread` names an item. In FIMI text a blank line is an empty record.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.formats.by_record import ByRecord, Sets, content_by_record, lines_by_record, sets_of
from crypsis.data.formats.format import SEQUENCE, Format, Separator, Sequences
from crypsis.data.formats.lines import read_lines
from crypsis.data.formats.source import NumberedRows, Source, Understood, place
from crypsis.errors import BadLabel, BadRow

MEMORY_PER_BYTE = 8.0
END_OF_ITEMSET = "-1"
END_OF_SEQUENCE = "-2"


@dataclass(frozen=True, kw_only=True)
class Fimi(Format):
    """Sets of items, one per line. Where the first record ends with -2 the text is SPMF."""

    name, label = "fimi", "FIMI: each line is a set of items, or the places of one person"
    suffixes = (".dat", ".txt", ".fimi")
    holds = frozenset({SEQUENCE})

    separator: Separator = None

    def is_ordered(self, file: Path) -> bool:
        return self.read_sequences(file).itemsets is not None

    def read_sequences(self, file: Path) -> Sequences:
        return read_sequences(file, separator=self.separator, spmf=False if self.named else None)

    def read_sets(self, file: Path) -> Sets:
        return _spaced(content_by_record(file), self.separator)


@dataclass(frozen=True, kw_only=True)
class Spmf(Format):
    """Sequences of sets, one per line."""

    name, label = "spmf", "SPMF: sequences that end with -2"
    suffixes = (".spmf",)
    holds = frozenset({SEQUENCE})

    def is_ordered(self, file: Path) -> bool:
        return True

    def read_sequences(self, file: Path) -> Sequences:
        return read_sequences(file, spmf=True)

    def read_sets(self, file: Path) -> Sets:
        return _sequences(content_by_record(file))


def items_in_one_set(read: Sequences) -> Int64s:
    """The items after which another one stands in the same itemset, so that the two have no order."""
    if read.itemsets is None:
        return np.zeros(0, np.int64)
    rows = np.repeat(np.arange(len(read.offsets) - 1), np.diff(read.offsets))
    return np.flatnonzero((np.diff(rows) == 0) & (np.diff(read.itemsets) == 0))


def refuse_itemsets(read: Sequences) -> None:
    """For trajectories: two items at one position have no order."""
    shared = items_in_one_set(read)
    if len(shared):
        rows = np.repeat(np.arange(len(read.offsets) - 1), np.diff(read.offsets))
        raise BadRow(
            f"Items {read.labels[int(shared[0])]!r} and {read.labels[int(shared[0]) + 1]!r} are in one itemset; "
            "a trajectory has one location per position. Read the file as transactions instead.",
            **place(read.source, int(rows[shared[0]])),
        )


def read_sequences(path: str | Path, *, separator: str | None = None, spmf: bool | None = None) -> Sequences:
    """Records of one text file. `spmf=None` looks whether the first record ends with -2."""
    lines, source = read_lines(path, MEMORY_PER_BYTE)
    if spmf is None:
        spmf = _looks_like_spmf(lines)
    if spmf:
        return _read_spmf(lines, source)
    names = _item_names(lines)
    if not names:
        return _read_fimi(lines, separator, source)
    rows = ~lines.str.contains(r"^\s*@")
    read = _read_fimi(lines.filter(rows), separator, source)
    numbered = NumberedRows.of(str(source), (rows.arg_true() + 1).to_list())
    return replace(read, labels=read.labels.replace(names), source=numbered)


def _read_fimi(lines: pl.Series, separator: str | None, source: Source) -> Sequences:
    if separator is None:
        parts = lines.str.extract_all(r"\S+")
        lengths = parts.list.len().to_numpy().astype(np.int64)
        return _without_end_marks(lengths, parts.explode(empty_as_null=False), source)
    lines, notes = _without_padding(lines, separator)
    parts = lines.str.split(separator)
    said = (lines.str.strip_chars() != "").to_numpy()  # splitting an empty line gives one empty item, not none
    lengths = parts.list.len().to_numpy().astype(np.int64)
    labels = parts.explode(empty_as_null=False).filter(pl.Series(np.repeat(said, lengths))).str.strip_chars()
    lengths = np.where(said, lengths, 0)
    empty = (labels == "").arg_true()
    if len(empty):
        row = int(np.searchsorted(offsets_of(lengths), int(empty[0]), side="right")) - 1
        raise BadLabel(
            f"An item is empty: two separators {separator!r} follow each other or are at the end.",
            **place(source, row),
        )
    if notes:
        source.understood = Understood({"format": "FIMI"}, notes)
    return Sequences(offsets_of(lengths), labels, source)


def _without_padding(lines: pl.Series, separator: str) -> tuple[pl.Series, tuple[str, ...]]:
    """Without the separators at the ends of lines that were filled up to one width, as spreadsheets do; and what was
    done."""
    widths = lines.str.count_matches(separator, literal=True)
    if len(separator) != 1 or widths.n_unique() != 1 or not lines.str.ends_with(separator).any():
        return lines, ()
    return lines.str.strip_chars_end(separator), ("separators that fill up the lines are no items",)


def _without_end_marks(lengths: Int64s, labels: pl.Series, source: Source) -> Sequences:
    """Without the -1 at the end of the lines, where every line ends so: it ends the set and is no item."""
    offsets = offsets_of(lengths)
    last = offsets[1:][lengths > 0] - 1
    if not len(last) or not (labels.gather(last) == END_OF_ITEMSET).all():
        return Sequences(offsets, labels, source)
    kept = np.ones(len(labels), np.bool_)
    kept[last] = False
    source.understood = Understood({"format": "FIMI"}, ("-1 ends every line and is no item",))
    return Sequences(offsets_of(lengths - (lengths > 0)), labels.filter(pl.Series(kept)), source)


def _read_spmf(lines: pl.Series, source: Source) -> Sequences:
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
        raise BadRow("-2 occurs before the end of the line.", **place(numbered, int(rows[early[0]])))
    breaks = (tokens == END_OF_ITEMSET).to_numpy()
    is_item = ~(ends | breaks)
    itemsets = np.cumsum(breaks)[is_item].astype(np.int64)
    labels = tokens.filter(pl.Series(is_item))
    names = _item_names(trimmed)
    if names:
        labels = labels.replace(names)
    lengths = np.bincount(rows[is_item], minlength=len(records)).astype(np.int64)
    return Sequences(offsets_of(lengths), labels, numbered, itemsets)


def _looks_like_spmf(lines: pl.Series) -> bool:
    trimmed = lines.str.strip_chars()
    records = trimmed.filter((trimmed != "") & ~trimmed.str.contains(r"^[#%@]")).head(1)
    return bool(records.str.contains(r"(?:^|\s)-2$").any())


def _item_names(lines: pl.Series) -> dict[str, str]:
    declared = lines.filter(lines.str.starts_with("@ITEM=")).str.strip_prefix("@ITEM=").to_list()
    return dict(entry.split("=", 1) for entry in declared if "=" in entry)


def _spaced(content: bytes, separator: str | None) -> Sets:
    """FIMI: a blank line is an empty record."""
    lines, left_out = lines_by_record(content)
    if separator is None:
        lines = [line.rstrip().removesuffix(f" {END_OF_ITEMSET}") for line in lines]  # it ends the set
        parts = pl.Series(lines, dtype=pl.String).str.extract_all(r"\S+")
        lengths = parts.list.len().to_numpy().astype(np.int64)
        return Sets(offsets_of(lengths), parts.explode(empty_as_null=False), ByRecord(left_out))
    records = [[part.strip() for part in line.split(separator)] if line.strip() else [] for line in lines]
    sound = [record for record in records if all(record)]
    return sets_of(sound, left_out + len(records) - len(sound))


def _sequences(content: bytes) -> Sets:
    """SPMF: itemsets are united. Only the comments and names before the first record are a header."""
    lines, left_out = lines_by_record(content)
    trimmed = [line.strip() for line in lines]
    first = next((row for row, line in enumerate(trimmed) if line and line[0] not in "#%@"), len(trimmed))
    names = dict(
        entry.removeprefix("@ITEM=").split("=", 1)
        for entry in trimmed[:first]
        if entry.startswith("@ITEM=") and entry.count("=") > 1
    )
    records = []
    for line in trimmed[first:]:
        tokens = line.split()
        if tokens and tokens[-1] == END_OF_SEQUENCE and END_OF_SEQUENCE not in tokens[:-1]:
            records.append([names.get(token, token) for token in tokens[:-1] if token != END_OF_ITEMSET])
        else:
            left_out += bool(line)
    return sets_of(records, left_out)
