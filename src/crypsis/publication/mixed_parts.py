"""From published blocks of mixed data to sorted parts, as those of a table; recodings and items are two more columns.

Blocks name their symbols by themselves. The driver numbers all of them in the order of their labels, so that the items
of a record are a text of numbers whose order is that of the items, and names them as data in memory would.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.mixed import SUPPRESSED_TEXT, PublishedMixed
from crypsis.data.symbols import Symbols
from crypsis.data.transaction import PublishedTransactions
from crypsis.data.vocabulary import Vocabulary, distinct_texts
from crypsis.errors import VerificationFailed
from crypsis.executors.executor import Executor
from crypsis.executors.scratch import Scratch, load
from crypsis.methods.scaling import RecodedBlocks
from crypsis.publication.mixed import MixedKind, free_name
from crypsis.publication.parts_sort import (
    ColumnFacts,
    merged_column,
    save_texts,
    sort_order,
    sort_texts,
    texts_of_cells,
)
from crypsis.publication.table_parts import PARTS
from crypsis.run_context import RunContext
from crypsis.verifiers.mixed_parts import MixedColumns, read_mixed_part
from crypsis.verifiers.mixed_recoding import recoding_problem
from crypsis.verifiers.table_parts import rows_checksum

Labels = tuple[str, ...]
_DIGITS = 10  # of a scope


@dataclass(frozen=True, eq=False)
class SortedMixed:
    """The files of the parts in order, and a file with the input number of every row of each part.

    `symbols` is one record that shows every published symbol, with the names that all parts have.
    """

    files: tuple[str, ...]
    numbers: tuple[str, ...]
    n_records: int
    columns: tuple[ColumnFacts, ...]
    items: str
    scopes: str | None
    symbols: PublishedTransactions
    lists: str  # a file with the labels of every symbol, in their order
    occurrences: int
    checksum: tuple[int, int]
    seeds: tuple[int, ...]


def sort_mixed(
    recoded: RecodedBlocks, columns: Sequence[Any], items: str, executor: Executor, context: RunContext
) -> SortedMixed:
    """Publish every block, compare it with its records, and write all as sorted parts into scratch."""
    scratch = executor.scratch.below("published")
    folder = Scratch(scratch.folder / MixedKind.files[PARTS])
    folder.folder.mkdir(mode=0o700)
    with context.stage("publish"):
        work = list(enumerate(recoded.blocks))
        noted = executor.map(note_block, work, str(folder.folder), recoded.publish, recoded.common)
        for note in noted:
            if note["problem"] is not None:
                raise VerificationFailed(f"Nothing was written: {note['problem']}.")
        facts = tuple(merged_column(noted, index, column) for index, column in enumerate(columns))
        lists = sorted({labels for note in noted for labels in note["lists"]})
        symbols, occurrences = _symbols(lists, noted, noted[0]["sensitive"])
        MixedKind().write_beside_parts(scratch.folder, symbols)
    scopes = free_name([*(fact.name for fact in facts), items]) if any(note["scoped"] for note in noted) else None
    seeds = tuple(secrets.randbits(63) for _ in range(2))
    n_records = sum(note["rows"] for note in noted)
    with context.stage("sort"):
        known = folder.save("symbols", lists)
        types = [fact.type for fact in facts]
        texts = executor.map(texts_of_block, [note["file"] for note in noted], str(folder.folder), types, known)
        order = [*sort_order([fact.role for fact in facts]), len(facts), len(facts) + 1]
        names = [fact.name for fact in facts]
        common = (names, items, scopes, _quoted_names(symbols))
        parts = sort_texts(texts, order, n_records, seeds, folder, executor, frame_of_part, *common)
    return SortedMixed(
        parts.files, parts.numbers, n_records, facts, items, scopes, symbols, known, occurrences, parts.checksum, seeds
    )


def note_block(numbered: tuple[int, Any], folder: str, publish: Any, common: Sequence[Any]) -> dict[str, Any]:
    """Publish a block; compare it with what it was made of; tell what its columns and its symbols are."""
    number, block = numbered
    published, original, rows = publish(block, *common)
    shown, scopes = published.transactions, published.scopes
    lists = shown.symbols.label_lists
    content = {
        "rows": rows,
        "columns": [(column.codes, column.cells) for column in published.table.columns],
        "sets": (shown.offsets, shown.codes, lists),
        "scopes": np.zeros(len(rows), np.int32) if scopes is None else scopes,
    }
    return {
        "file": Scratch.at(folder).save(f"noted-{number:06d}", content),
        "problem": recoding_problem(published, original),
        "rows": len(rows),
        "columns": [
            (column.cells.values, np.unique(column.cells.kinds), column.hierarchy) for column in published.table.columns
        ],
        "lists": lists,
        "occurrences": np.bincount(shown.codes, minlength=len(lists)).astype(np.int64),
        "sensitive": published.sensitive,
        "scoped": scopes is not None,
    }


def _symbols(
    lists: Sequence[Labels], noted: Sequence[Mapping[str, Any]], sensitive: Labels
) -> tuple[PublishedTransactions, int]:
    """One record that shows every symbol that some block shows, and how many symbols all records show together."""
    number_of = {labels: number for number, labels in enumerate(lists)}
    occurrences = np.zeros(len(lists), np.int64)
    for note in noted:
        numbers = np.array([number_of[labels] for labels in note["lists"]], np.int64)
        np.add.at(occurrences, numbers, note["occurrences"])
    vocabulary = Vocabulary(sorted({label for labels in lists for label in labels}))
    code_of = {label: code for code, label in enumerate(vocabulary.labels)}
    members = np.array([code_of[label] for labels in lists for label in labels], np.int32)
    shown = np.flatnonzero(occurrences).astype(np.int32)
    symbols = PublishedTransactions(
        np.array([0, len(shown)], np.int64),
        shown,
        Symbols(vocabulary, offsets_of(np.array([len(labels) for labels in lists], np.int64)), members),
        sensitive=sensitive,
        domain=len(vocabulary),
    )
    return replace(symbols, abbreviated=symbols.abbreviates(occurrences)), int(occurrences.sum())


def _quoted_names(symbols: PublishedTransactions) -> list[str]:
    """What symbols are called, as JSON, in the order of their labels."""
    names = symbols.symbol_names
    return [json.dumps(names[code], ensure_ascii=False) for code in np.argsort(symbols.symbols.rank).tolist()]


def texts_of_block(file: str, folder: str, types: Sequence[Any], known: str) -> str:
    """The texts of each column of a block, of its recodings, and of its items in numbers of symbols."""
    content = load(file)
    columns, codes = texts_of_cells(content["columns"], types)
    offsets, items, own = content["sets"]
    for texts in _beside(content["scopes"], offsets, items, own, load(known)):
        distinct, own = distinct_texts(texts)
        columns.append(distinct)
        codes.append(own.astype(np.int64))
    return save_texts(file, folder, content["rows"], columns, codes)


def _beside(
    scopes: Int32s, offsets: Int64s, codes: Int32s, own: Sequence[Labels], lists: Sequence[Labels]
) -> tuple[pl.Series, pl.Series]:
    """Recodings and items of records as texts, in whose order they are sorted. Each symbol has as many digits."""
    number_of = {labels: number for number, labels in enumerate(lists)}
    numbers = np.array([number_of[labels] for labels in own], np.int64)[codes] if len(codes) else codes.astype(np.int64)
    digits, n_records = _digits(len(lists)), len(offsets) - 1
    rows = np.repeat(np.arange(n_records), np.diff(offsets))
    order = np.lexsort((numbers, rows))
    words = pl.Series(numbers[order]).cast(pl.String).str.zfill(digits)
    joined = pl.DataFrame({"row": rows[order], "items": words}).group_by("row").agg(pl.col("items").str.join(""))
    every = pl.DataFrame({"row": np.arange(n_records)})
    sets = every.join(joined, on="row", how="left", maintain_order="left")["items"].fill_null("")
    return pl.Series(scopes).cast(pl.String).str.zfill(_DIGITS), sets


def _digits(n_symbols: int) -> int:
    return len(str(max(n_symbols - 1, 0)))


def frame_of_part(
    columns: Sequence[pl.Series], names: Sequence[str], items: str, scopes: str | None, quoted: Sequence[str]
) -> pl.DataFrame:
    """The rows of a part as they are published."""
    cells, (scope, numbers) = columns[: len(names)], columns[len(names) :]
    digits, named = _digits(len(quoted)), pl.Series(quoted, dtype=pl.String)
    distinct, code = distinct_texts(numbers)
    shown = [
        f"[{','.join(named[int(text[first : first + digits])] for first in range(0, len(text), digits))}]"
        for text in distinct.to_list()
    ]
    sets = pl.Series(shown, dtype=pl.String).gather(pl.Series(code, dtype=pl.UInt32))
    suppressed = pl.Series(np.logical_and.reduce([(cell == SUPPRESSED_TEXT).to_numpy() for cell in cells]))
    frame = pl.DataFrame({name: cell.alias(name) for name, cell in zip(names, cells, strict=True)})
    frame = frame.with_columns(sets.set(suppressed, SUPPRESSED_TEXT).alias(items))
    return frame if scopes is None else frame.with_columns(scope.cast(pl.Int32).alias(scopes))


def checksum_of_part(
    file: str, columns: MixedColumns, meanings: Mapping[str, Sequence[str]], known: str, seeds: Sequence[int]
) -> tuple[int, int]:
    """The keyed sum over the rows of a part as it is read."""
    frame, published = read_mixed_part(file, columns, meanings)
    shown, scopes = published.transactions, published.scopes
    lists = load(known)
    numbered = np.zeros(len(published), np.int32) if scopes is None else scopes
    beside = _beside(numbered, shown.offsets, shown.codes, shown.symbols.label_lists, lists)
    texts = [*(frame[name] for name in columns.table.roles), *beside]
    return rows_checksum([distinct_texts(text) for text in texts], len(frame), seeds)


def items_of_part(file: str, columns: MixedColumns, meanings: Mapping[str, Sequence[str]]) -> PublishedTransactions:
    """The sets of a part."""
    published: PublishedMixed = read_mixed_part(file, columns, meanings)[1]
    return published.transactions
