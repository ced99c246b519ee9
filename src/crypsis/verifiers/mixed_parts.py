"""Recount (k,k^m)-anonymity and (k,l^m)-diversity of published mixed data in parts, in bounded memory.

Records are exchanged by hash of their published quasi-identifiers, so that one task has a class whole, and counts the
sets of items in it as they are counted in memory. The verdict is the one on all records, witness and figures included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.formats.columns import refuse_other_columns
from crypsis.data.formats.tabular import read_published_table
from crypsis.data.mixed import PublishedMixed
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.errors import BadPublication, NoQuasiIdentifiers, NotApplicable, OriginalRequired
from crypsis.guarantees import Guarantee, KKmAnonymity, KLmDiversity, Verdict
from crypsis.verifiers.kkm_anonymity import (
    COUNTED,
    ClassCounts,
    MostAlike,
    RarestInClass,
    count_classes,
    sensitive_problem,
    verdict_on_classes,
)
from crypsis.verifiers.loss_bounds import exceeded, loss_of_sizes, sizes_shown
from crypsis.verifiers.table_classes import TableClasses, partly_suppressed
from crypsis.verifiers.table_parts import SUPPRESSED, PublishedColumns

BYTES_PER_ROW = 2048  # of a record while its class is counted
ROW = "\0row"
_HASH_SEED = 3  # only spread classes over tasks


@dataclass(frozen=True)
class MixedColumns:
    """The columns as a manifest describes them: those of the table, the one with the items, the one with the scopes."""

    table: PublishedColumns
    items: str
    scopes: str | None
    sensitive: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All columns that a part must have."""
        return [*self.table.roles, self.items, *([] if self.scopes is None else [self.scopes])]


@dataclass(frozen=True)
class CountedMixed:
    """What was counted in some of the classes."""

    records: int
    counts: ClassCounts
    partly: Mapping[int, int]  # by column: the first suppressed row that holds a value in it
    showing: int | None  # the first suppressed row that shows items
    sensitive: str | None  # what is wrong with sensitive items
    sizes: Counter[tuple[int, ...]]  # records by the sizes of their symbols


def verify_mixed_parts(
    files: Sequence[str],
    columns: MixedColumns,
    meanings: Mapping[str, Sequence[str]],
    promised: Guarantee,
    workers: Workers,
) -> tuple[int, Verdict]:
    """How many records the parts hold, and whether they keep the promise."""
    if not isinstance(promised, (KKmAnonymity, KLmDiversity)):
        raise NotApplicable(f"{promised.model} is not counted on parts; verify the release without an executor.")
    if promised.unit == "person":
        raise OriginalRequired("Published records do not say whose they are, so people cannot be counted on parts.")
    if not columns.table.named("quasi"):
        raise NoQuasiIdentifiers(f"{promised.model} needs a quasi-identifier; declare one (quasi=['age', 'zip']).")
    rows = workers.map(count_rows, list(files), columns)
    starts = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64).tolist()
    targets = max(1, -(-starts[-1] * BYTES_PER_ROW // workers.memory))
    pieces = workers.exchange(rows_by_class, list(zip(files, starts, strict=False)), targets, columns, targets)
    sensitive = tuple(sorted(set(columns.sensitive))) if isinstance(promised, KLmDiversity) else ()
    told = workers.map(count_target, pieces, columns, meanings, promised, sensitive)
    counted = reduce(_added, told)
    return counted.records, _verdict(counted, columns, promised, sensitive)


def count_rows(file: str, columns: MixedColumns) -> int:
    """The records of a part."""
    return len(_read(file, columns))


def rows_by_class(numbered: tuple[str, int], columns: MixedColumns, targets: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """The records of a part, with their numbers, by the task that counts their class."""
    file, first = numbered
    frame = _read(file, columns).with_row_index(ROW, first)
    target = frame.select(columns.table.named("quasi")).hash_rows(_HASH_SEED) % targets
    for number in range(targets):
        own = frame.filter(target == number)
        if len(own):
            yield number, own


def count_target(
    files: Sequence[str],
    columns: MixedColumns,
    meanings: Mapping[str, Sequence[str]],
    promised: KKmAnonymity | KLmDiversity,
    sensitive: tuple[str, ...],
) -> CountedMixed:
    """Count the classes of one task."""
    if not files:
        return CountedMixed(0, ClassCounts(0, 0, {}), {}, None, None, Counter())
    frame = pl.concat([load(file) for file in files]).sort(ROW)
    rows = frame[ROW].to_numpy()
    published = _published(frame, columns, meanings)
    marks = [(frame[name] == SUPPRESSED).to_numpy() for name in columns.table.roles]
    suppressed = np.logical_or.reduce(marks)
    partly = {
        index: int(rows[np.argmax(suppressed & ~own)]) for index, own in enumerate(marks) if (suppressed & ~own).any()
    }
    showing = np.flatnonzero(suppressed & (published.transactions.lengths > 0))
    problem = sensitive_problem(published, sensitive, None) if sensitive else None
    counts = count_classes(published, promised, sensitive, TableClasses.of(published.table))
    return CountedMixed(
        len(frame),
        _renumbered(counts, rows),
        partly,
        int(rows[showing[0]]) if len(showing) else None,
        problem,
        sizes_shown(published, sensitive) if promised.ul is not None else Counter(),
    )


def read_mixed_part(
    file: str, columns: MixedColumns, meanings: Mapping[str, Sequence[str]]
) -> tuple[pl.DataFrame, PublishedMixed]:
    """The rows of a part as texts, and what they say."""
    frame = _read(file, columns)
    return frame, _published(frame, columns, meanings)


def _published(frame: pl.DataFrame, columns: MixedColumns, meanings: Mapping[str, Sequence[str]]) -> PublishedMixed:
    scopes = None
    if columns.scopes is not None:
        numbers = frame[columns.scopes].cast(pl.Int32, strict=False)
        if numbers.has_nulls():
            raise BadPublication(f"Column '{columns.scopes}' must hold whole numbers.")
        scopes = numbers.to_numpy().astype(np.int32)
    table = columns.table
    shown = frame.select(*table.roles, columns.items)
    mixed = PublishedMixed.from_frame(
        shown, columns.items, table.roles, table.types, nodes=table.nodes, meanings=meanings
    )
    return replace(mixed, sensitive=columns.sensitive, scopes=scopes)


def _renumbered(counts: ClassCounts, rows: Any) -> ClassCounts:
    """With the numbers that rows have in all parts."""
    worst, overlap = counts.most_alike, counts.overlap
    return replace(
        counts,
        by_size={size: replace(one, row=int(rows[one.row])) for size, one in counts.by_size.items()},
        most_alike=None if worst is None else replace(worst, row=int(rows[worst.row])),
        overlap=None if overlap is None else (int(rows[overlap[0]]), overlap[1]),
    )


def _added(one: CountedMixed, other: CountedMixed) -> CountedMixed:
    """What was counted in the classes of both."""
    mine, theirs = one.counts, other.counts
    by_size = {
        size: _rarer([found for found in (mine.by_size.get(size), theirs.by_size.get(size)) if found is not None])
        for size in mine.by_size.keys() | theirs.by_size.keys()
    }
    counts = ClassCounts(
        mine.classes + theirs.classes,
        mine.suppressed + theirs.suppressed,
        by_size,
        mine.too_alike + theirs.too_alike,
        min(filter(None, (mine.most_alike, theirs.most_alike)), key=_likeness, default=None),
        min(filter(None, (mine.overlap, theirs.overlap)), default=None),
    )
    columns = one.partly.keys() | other.partly.keys()
    partly = {
        column: min(found[column] for found in (one.partly, other.partly) if column in found) for column in columns
    }
    showing = min((row for row in (one.showing, other.showing) if row is not None), default=None)
    problem = min((words for words in (one.sensitive, other.sensitive) if words is not None), default=None)
    return CountedMixed(one.records + other.records, counts, partly, showing, problem, one.sizes + other.sizes)


def _rarer(found: Sequence[RarestInClass]) -> RarestInClass:
    first = min(found, key=lambda one: (one.support, one.row))
    return replace(first, violations=sum(one.violations for one in found))


def _likeness(one: MostAlike) -> tuple[Fraction, int]:
    return -Fraction(one.held, one.support), one.row


def _verdict(
    counted: CountedMixed, columns: MixedColumns, promised: KKmAnonymity | KLmDiversity, sensitive: tuple[str, ...]
) -> Verdict:
    problem = None
    if counted.partly:
        column = min(counted.partly)
        problem = partly_suppressed(counted.partly[column], list(columns.table.roles)[column])
    elif counted.showing is not None:
        problem = f"suppressed_value: row {counted.showing} is suppressed but shows items"
    problem = problem or counted.sensitive
    if problem is None and promised.ul is not None:
        bound = Fraction(repr(float(promised.ul)))
        loss = loss_of_sizes(counted.sizes, counted.counts.suppressed, counted.records, bound)
        problem = exceeded("UL", loss, promised.ul)
    if problem is None and counted.counts.overlap is not None:
        problem = counted.counts.overlap[1]
    if problem is not None:
        return Verdict(promised, False, None, promised.k, COUNTED, problem=f"{problem}.")
    return verdict_on_classes(promised, counted.counts, sensitive, COUNTED, people=False)


def _read(file: str, columns: MixedColumns) -> pl.DataFrame:
    frame, source = read_published_table(file)
    refuse_other_columns(frame.columns, columns.names, source)
    texts = [pl.col(name).cast(pl.String).fill_null("") for name in (*columns.table.roles, columns.items)]
    return frame.select(*texts, *([] if columns.scopes is None else [columns.scopes]))
