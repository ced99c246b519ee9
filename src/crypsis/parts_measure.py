"""Figures of a release in parts against the parts that it was made of: those that are sums over records."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.count_query import CountQuery
from crypsis.data.declarations import Declarations
from crypsis.data.formats.published_sets import read_set_part
from crypsis.data.relational import PublishedTable, Table
from crypsis.data.scanned import ScannedTable
from crypsis.data.scanned_mixed import ScannedMixed
from crypsis.data.scanned_records import ScannedRecords
from crypsis.data.transaction import Transactions
from crypsis.errors import NotApplicable, OptionWithoutEffect
from crypsis.executors.executor import Executor
from crypsis.guarantees import KAnonymity
from crypsis.metrics.certainty_penalty import ncp_of_columns
from crypsis.metrics.count_query_error import QueryErrors
from crypsis.metrics.exact_sums import exact_total
from crypsis.metrics.query_answers import actual_counts, estimated_counts
from crypsis.metrics.utility_loss import losses_of_mixed, losses_of_sets
from crypsis.parts_release import class_sizes_of, open_parts
from crypsis.publication import kind_named
from crypsis.publication.figures import finite, rounded
from crypsis.publication.published_parts import PublishedParts
from crypsis.release_folder import data_files
from crypsis.shards.mixed import encode_mixed
from crypsis.shards.records import encode_records
from crypsis.shards.table import EncodedTable, encode_table
from crypsis.shards.table_shard import TableShard
from crypsis.verifiers.table_parts import count_parts

Original = ScannedTable | ScannedMixed | ScannedRecords


def measure_release_parts(
    folder: str | Path, original: Original, executor: Executor, queries: Sequence[CountQuery] = ()
) -> dict[str, dict[str, Any]]:
    """By metric its figures against the parts that the release was made of; only metrics that are sums over records."""
    opened, described = open_parts(folder)
    files = tuple(str(opened.path / name) for name in data_files(described))
    kind = described["kind"]
    if queries and kind != "table":
        raise OptionWithoutEffect("On parts counting queries are only answered from tables.", parameter="queries")
    if kind == "transactions" and original.stands_for is Transactions:
        assert isinstance(original, ScannedRecords)
        found = _of_sets(files, described, original, executor)
    elif kind == "mixed" and isinstance(original, ScannedMixed):
        encoded = encode_mixed(original, Declarations(), executor).table
        found = _of_table(files, described, encoded, executor, ())
        losses = executor.map(mixed_losses, files, described)
        found["utility_loss"] = {"utility_loss": float(sum(losses, Fraction(0))) / max(described["rows"], 1)}
    elif kind == "table" and isinstance(original, ScannedTable):
        found = _of_table(files, described, encode_table(original, Declarations(), executor), executor, queries)
    else:
        raise NotApplicable(
            f"A release of {kind} is not measured on parts against {original.stands_for.__name__}; leave out the "
            "executor to read both into memory.",
            where=str(folder),
        )
    return {metric: rounded(finite(figures)) for metric, figures in found.items()}


def set_losses(file: str) -> Fraction:
    """What the records of a part lose together, exactly."""
    return exact_total(losses_of_sets(read_set_part(file)))


def mixed_losses(file: str, described: dict[str, Any]) -> Fraction:
    """The same of mixed data, where a suppressed record loses everything."""
    published = kind_named("mixed").read(Path(file).parents[1], {"data": described | {"file": _below(file)}})[0]
    return exact_total(losses_of_mixed(published)) + int(np.count_nonzero(published.table.suppressed))


def answer_shard(shard: TableShard, encoded: EncodedTable, queries: Sequence[CountQuery]) -> Int64s:
    """How many records of a shard satisfy each query."""
    return actual_counts(encoded.with_codes(np.asarray(shard.codes())), queries)


def answer_part(file: str, described: dict[str, Any], domains: Table, queries: Sequence[CountQuery]) -> Float64s:
    """How many records of a published part are expected to satisfy each query."""
    published: PublishedTable
    published, _ = kind_named("table").read(Path(file).parents[1], {"data": described | {"file": _below(file)}})
    return estimated_counts(domains, published, queries)


def _of_table(
    files: tuple[str, ...],
    described: dict[str, Any],
    encoded: EncodedTable,
    executor: Executor,
    queries: Sequence[CountQuery],
) -> dict[str, dict[str, Any]]:
    parts = PublishedParts.described(files, described)
    _check_length(len(encoded), len(parts))
    counted = count_parts(parts.files, parts.columns, KAnonymity(k=1), executor)
    pairs = [
        (column, *parts.column_of_counts(column.name, counted))
        for column in encoded.columns
        if column.name in parts.quasi
    ]
    figures = {"ncp_loss": ncp_of_columns(pairs).figures(), "class_sizes": class_sizes_of(counted).figures()}
    if queries:
        domains = encoded.with_codes(np.zeros((0, len(encoded.columns)), np.int32))
        actual = np.sum(executor.map(answer_shard, encoded.shards, encoded, queries), axis=0)
        answers = executor.map(answer_part, files, described, domains, queries)
        estimated = np.array([fsum(one) for one in np.stack(answers, axis=1).tolist()])
        figures["count_query_loss"] = QueryErrors(tuple(queries), actual, estimated).figures()
    return figures


def _of_sets(
    files: tuple[str, ...], described: dict[str, Any], original: ScannedRecords, executor: Executor
) -> dict[str, dict[str, Any]]:
    encoded = encode_records(original, executor)
    _check_length(len(encoded), described["rows"])
    losses = sum(executor.map(set_losses, files), Fraction(0))
    return {"utility_loss": {"utility_loss": float(losses) / max(len(encoded), 1)}}


def _check_length(collected: int, published: int) -> None:
    if collected != published:
        raise NotApplicable(
            f"The release has {published:,} records and these parts have {collected:,}; give those that it was made of."
        )


def _below(file: str) -> str:
    """The place of a part in its release folder."""
    return "/".join(Path(file).parts[-2:])
