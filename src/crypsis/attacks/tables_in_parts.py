"""Adversaries of published tables in parts, in bounded memory: whoever links all quasi-identifiers, and the risks that
follow from the sizes of classes.

Classes, and people with equal values, are exchanged by hash, so that each is counted whole by one task. Every piece of
the people is compared with every piece of the classes: what fits adds up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import polars as pl

from crypsis.arrays import Int64s
from crypsis.attacks.attack import Counted
from crypsis.attacks.fitting_classes import LARGEST_INDEX, Spans, count_fitting, prepare_search
from crypsis.attacks.pieces_in_parts import add_counts
from crypsis.attacks.table_risk import (
    LIMIT,
    AttributeRisk,
    SizesOfClasses,
    TableRisk,
    check_quasi,
    check_settings,
    risks_of,
    sets_of_columns,
    summary_of,
)
from crypsis.data.formats.columns import unknown_column
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.workers import Workers
from crypsis.encrypted_files import load
from crypsis.errors import NotApplicable

SUPPRESSED = "~"
BYTES_PER_ROW = 512  # of a class, or of people with equal values, while they are compared
_HASH_SEED = 5  # only spread rows over tasks


class TableFiles(Protocol):
    """A published table that lies in parts."""

    @property
    def files(self) -> tuple[str, ...]: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def quasi(self) -> tuple[str, ...]: ...

    def column_of_counts(self, name: str, counted: Any) -> tuple[Any, Any]: ...


@dataclass(frozen=True)
class CellCounts:
    """By column its distinct texts, and how many records have each."""

    cell_counts: Mapping[str, pl.DataFrame]


def link_tables(published: TableFiles, original: Any, workers: Workers) -> Counted:
    """How many original records fit how many published ones; `original` is a table in shards."""
    quasi = list(published.quasi)
    if not quasi:
        raise NotApplicable("The release has no quasi-identifiers to look for.")
    absent = [name for name in quasi if name not in original.names]
    if absent:
        raise NotApplicable(f"The original lacks the published columns {', '.join(absent)}.")
    places = [original.names.index(name) for name in quasi]
    known = [original.columns[index] for index in places]
    noted = workers.map(note_cells, published.files, quasi)
    counts = CellCounts({name: _added([note[name] for note in noted], name) for name in quasi})
    columns = [published.column_of_counts(name, counts)[0] for name in quasi]
    spans = [Spans.of(column, own) for column, own in zip(columns, known, strict=True)]
    numbers = {
        name: pl.DataFrame({name: counts.cell_counts[name][name], _number(name): column.codes.astype(np.int64)})
        for name, column in zip(quasi, columns, strict=True)
    }
    rows = int(counts.cell_counts[quasi[0]]["n"].sum())
    classes = _united(send_classes, published.files, rows, workers, published.names, quasi, numbers)
    people = _united(send_people, original.shards, len(original), workers, places)
    domains = [len(column.domain) for column in known]
    counted = workers.map(link_people, people, classes, spans, domains, min(LARGEST_INDEX, workers.memory // 64))
    return add_counts(counted)


def table_risk_of_parts(
    published: TableFiles,
    workers: Workers,
    *,
    quasi: Sequence[str] | None = None,
    share: float = 1.0,
    limit: float = LIMIT,
    sets: int = 1,
) -> TableRisk:
    """Risks of a published table in parts, as `table_risk` tells those of the table in memory."""
    share, limit, sets = check_settings(share, limit, sets)

    def refuse_unknown(name: str) -> None:
        if name not in published.names:
            raise unknown_column(name, published.names)

    names = check_quasi(published.quasi if quasi is None else quasi, refuse_unknown)
    seen = workers.map(count_rows, published.files, names)
    records, hidden = sum(rows for rows, _ in seen), sum(own for _, own in seen)
    sizes = {
        chosen: _sizes(published.files, names, chosen, records, workers) for chosen in sets_of_columns(names, sets)
    }
    every = tuple(names)
    counted = sizes[every] if every in sizes else _sizes(published.files, names, every, records, workers)
    certain, likely = risks_of(counted, share)
    journalist = summary_of(likely, counted.individuals, limit)
    return TableRisk(
        records,
        hidden,
        every,
        share,
        limit,
        summary_of(certain, counted.individuals, limit),
        journalist,
        journalist.mean,
        tuple(AttributeRisk.of(chosen, sizes[chosen]) for chosen in sets_of_columns(names, sets)),
        counted,
        None,
    )


def note_cells(file: str, names: Sequence[str]) -> dict[str, pl.DataFrame]:
    """The distinct texts of some columns of a part, and how many records have each."""
    frame = _read(file, names)
    return {name: frame.group_by(name).agg(pl.len().cast(pl.Int64).alias("n")) for name in names}


def count_rows(file: str, names: Sequence[str]) -> tuple[int, int]:
    """The records of a part, and those that show none of the columns."""
    frame = _read(file, names)
    return len(frame), int(frame.select(_hidden(names)).to_series().sum())


def send_classes(
    file: str, targets: int, names: Sequence[str], quasi: Sequence[str], numbers: Mapping[str, pl.DataFrame]
) -> Iterator[tuple[int, pl.DataFrame]]:
    """The classes of a part, in numbers of cells, and how many records each has there."""
    frame = _read(file, names).filter(~_hidden(names))
    classes = frame.group_by(quasi).agg(pl.len().cast(pl.Int64).alias("n"))
    for name in quasi:
        classes = classes.join(numbers[name], on=name, how="left")
    yield from _by_hash(classes.select(*(_number(name) for name in quasi), "n"), targets)


def send_people(shard: Any, targets: int, places: Sequence[int]) -> Iterator[tuple[int, pl.DataFrame]]:
    """The different values that people of a shard have, and how many have them."""
    codes = shard.codes()
    frame = pl.DataFrame({str(index): codes[:, slot].astype(np.int64) for index, slot in enumerate(places)})
    yield from _by_hash(frame.group_by(frame.columns).agg(pl.len().cast(pl.Int64).alias("n")), targets)


def unite_rows(numbered: tuple[int, Sequence[str]]) -> Iterator[tuple[int, tuple[Int64s, Int64s]]]:
    """The different rows of one task, and how many there are of each."""
    number, files = numbered
    if not files:
        return
    whole = pl.concat([load(file) for file in files])
    counted = whole.group_by(whole.columns[:-1]).agg(pl.col("n").sum())
    rows = np.stack([counted[name].to_numpy() for name in counted.columns[:-1]], axis=1)
    yield number, (rows, counted["n"].to_numpy())


def link_people(
    file: str, class_files: Sequence[str], spans: Sequence[Spans], domains: Sequence[int], largest_index: int
) -> Counted:
    """How many records have how many fitting ones in all classes."""
    values, individuals = load(file)
    candidates = np.zeros(len(values), np.int64)
    for class_file in class_files:
        cells, sizes = load(class_file)
        candidates += count_fitting(prepare_search(values, cells, spans, domains, largest_index), sizes)
    return add_counts([(candidates, individuals)])


def send_rows(
    file: str, targets: int, names: Sequence[str], chosen: Sequence[str]
) -> Iterator[tuple[int, pl.DataFrame]]:
    """The different texts that records of a part have in some columns, and how many have them."""
    frame = _read(file, names).filter(~_hidden(names))
    yield from _by_hash(frame.group_by(chosen).agg(pl.len().cast(pl.Int64).alias("n")), targets)


def count_sizes(files: Sequence[str]) -> Counter[int]:
    """By size the number of classes of one task."""
    if not files:
        return Counter()
    whole = pl.concat([load(file) for file in files])
    return Counter(whole.group_by(whole.columns[:-1]).agg(pl.col("n").sum())["n"].to_list())


def _sizes(
    files: Sequence[str], names: Sequence[str], chosen: Sequence[str], records: int, workers: Workers
) -> SizesOfClasses:
    """The sizes of the classes that some of the columns make of the records that are shown."""
    targets = _targets(records, workers)
    pieces = workers.exchange(send_rows, files, targets, targets, names, list(chosen))
    return SizesOfClasses.of(sum(workers.map(count_sizes, pieces), Counter()))


def _united(send: Any, shards: Sequence[Any], records: int, workers: Workers, *common: Any) -> list[str]:
    """Files with different rows, each in one of them, and how many there are."""
    targets = _targets(records, workers)
    pieces = workers.exchange(send, shards, targets, targets, *common)
    united = workers.exchange(unite_rows, list(enumerate(pieces)), targets)
    return [file for own in united for file in own]


def _targets(records: int, workers: Workers) -> int:
    return max(1, -(-records * BYTES_PER_ROW // workers.memory))


def _by_hash(frame: pl.DataFrame, targets: int) -> Iterator[tuple[int, pl.DataFrame]]:
    """Rows, of which the last column counts, by the task that adds them up."""
    target = frame.select(frame.columns[:-1]).hash_rows(_HASH_SEED) % targets
    for number in range(targets):
        own = frame.filter(target == number)
        if len(own):
            yield number, own


def _added(frames: Sequence[pl.DataFrame], name: str) -> pl.DataFrame:
    return pl.concat(frames).group_by(name).agg(pl.col("n").sum()).sort(name)


def _hidden(names: Sequence[str]) -> pl.Expr:
    """Records that are suppressed in all of the columns."""
    return pl.all_horizontal([pl.col(name) == SUPPRESSED for name in names])


def _number(name: str) -> str:
    return f"\0{name}"


def _read(file: str, names: Sequence[str]) -> pl.DataFrame:
    frame, source = read_table_file(file)
    lacking = [name for name in names if name not in frame.columns]
    if lacking:
        raise NotApplicable(f"This part of the release lacks the column {lacking[0]!r}.", where=source)
    return frame.select(pl.col(name).cast(pl.String).fill_null("") for name in names)
