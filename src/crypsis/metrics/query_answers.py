"""Answers to counting queries: exact on collected data, expected on published data.

Answers are worked out per class of equal rows, not per record, and each predicate once per distinct cell. A published
record counts the probability that it satisfies the query when what a cell hides is spread evenly:

    range     overlap / length; whole numbers and dates are counted, other numbers measured
    node      share of the values below it          set   share of its members
    missing   0; it matches no query                any   as the whole domain of the column
    a suppressed record counts 0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass
from typing import Any

import numpy as np
import polars as pl

from crypsis.data.arrays import Bools, Float64s, Int32s, Int64s, offsets_of, take_records
from crypsis.data.cells import CellKind
from crypsis.data.count_query import ITEMS, CountQuery, InList, Predicate
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.symbols import Symbols
from crypsis.data.values import IN_WORDS, POLARS_TYPES, ColumnType, Scalar, read_bound, read_value
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadQuery, NotApplicable, did_you_mean
from crypsis.kernels.containment import records_of_symbols
from crypsis.kernels.item_expectation import expected_records
from crypsis.kernels.row_classes import row_classes
from crypsis.metrics.exact_sums import total
from crypsis.parameters import OneOf, Parameter

_ESTIMATOR = Parameter("estimator", str, False, (OneOf("subset", "uniform"),), "How items are read.", MISSING)


def actual_counts(original: Table | Mixed, queries: Sequence[CountQuery]) -> Int64s:
    """The number of original records that satisfy each query."""
    table, asked = _table_of(original), [_Asked.of(query, original) for query in queries]
    answers = _answers(table, asked, lambda name, condition: _holds(condition, table.column(name)), _items(original))
    return np.rint(answers).astype(np.int64)


def estimated_counts(
    original: Table | Mixed,
    published: PublishedTable | PublishedMixed,
    queries: Sequence[CountQuery],
    estimator: str = "uniform",
) -> Float64s:
    """The expected number of published records that satisfy each query; of the original only the domains are used.

    `uniform`: each asked item is one of the members of a generalized item, each as likely; `subset`: every non-empty
    subset of these is equally likely.
    """
    uniform = _ESTIMATOR.check(estimator, "estimated_counts") == "uniform"
    table, released = _table_of(original), _published_table_of(published)
    if isinstance(original, Mixed) != isinstance(published, PublishedMixed):
        raise NotApplicable(
            f"Queries compare a table or mixed data with a release of the same kind, got {type(original).__name__} and "
            f"{type(published).__name__}."
        )
    meanings: dict[str, CellMeanings] = {}

    def probabilities(name: str, condition: _Condition) -> Float64s:
        if name not in released.names:
            raise NotApplicable(f"Column '{name}' was not published, so nothing can be asked about it.")
        if name not in meanings:
            meanings[name] = CellMeanings.of(released.column(name), table.column(name))
        return meanings[name].probabilities(condition)

    asked = [_Asked.of(query, original) for query in queries]
    return _answers(released, asked, probabilities, _items(published, ~released.suppressed), uniform)


@dataclass(frozen=True, eq=False)
class _Condition:
    """A predicate in the type of its column: numbers as in `Column.keys`, categories as text."""

    low: Any = None
    high: Any = None
    values: Any = None  # distinct and ascending; None for a range

    @classmethod
    def of(cls, predicate: Predicate, column: Column, query: CountQuery) -> _Condition:
        type = column.type
        if isinstance(predicate, InList):
            listed = [_read(text, type, column.name, query) for text in predicate.values]
            return cls(values=np.unique(_physical(listed, type)))
        if type == "category":
            raise BadQuery(
                f"Column '{column.name}' holds text, which has no ranges; ask for a list: {column.name} in {{…}}.",
                where=query.where,
            )
        ends = [_read(text, type, column.name, query, is_end=True) for text in (predicate.low, predicate.high)]
        low, high = _physical(ends, type)
        if low > high:
            raise BadQuery(
                f"The range [{predicate.low}:{predicate.high}] of column '{column.name}' ends before it begins; "
                "put the lower end first.",
                where=query.where,
            )
        return cls(low, high)

    def admits(self, keys: np.ndarray[Any, Any]) -> Bools:
        """Which of these values satisfy it."""
        if self.values is None:
            inside: Bools = (keys >= self.low) & (keys <= self.high)
            return inside
        return np.isin(keys, self.values)


@dataclass(frozen=True, eq=False)
class _Asked:
    """A query whose columns are known and whose values have their types."""

    conditions: dict[str, _Condition]
    items: tuple[str, ...]

    @classmethod
    def of(cls, query: CountQuery, original: Table | Mixed) -> _Asked:
        table = _table_of(original)
        for name, _ in query.relational:
            if name not in table.names:
                known = ", ".join(table.names)
                raise BadQuery(
                    f"A query asks for column '{name}', which this table does not have; its columns are {known}."
                    f"{did_you_mean(name, table.names)}",
                    where=query.where,
                    column=name,
                )
        if query.items:
            if not isinstance(original, Mixed):
                raise BadQuery("A query asks for items, and this table has no set-valued column.", where=query.where)
            if query.items_column not in (ITEMS, original.column):
                raise BadQuery(
                    f"A query asks for items of '{query.items_column}'; the set-valued column is "
                    f"'{original.column}', also called '{ITEMS}'.",
                    where=query.where,
                )
        conditions = {name: _Condition.of(predicate, table.column(name), query) for name, predicate in query.relational}
        return cls(conditions, query.items)


@dataclass(frozen=True, eq=False)
class CellMeanings:
    """What the distinct cells of a published column stand for, laid out so that a condition is looked up at once.

    Cell `listed[i]` is one of keys[offsets[i]:offsets[i + 1]]; cell `ranges[i]` lies between low[i] and high[i].
    """

    column: PublishedColumn
    original: Column
    listed: Int64s
    offsets: Int64s
    keys: np.ndarray[Any, Any]
    ranges: Int64s
    low: np.ndarray[Any, Any]
    high: np.ndarray[Any, Any]

    @classmethod
    def of(cls, column: PublishedColumn, original: Column) -> CellMeanings:
        cells, type = column.cells, column.type
        if type != original.type:
            raise NotApplicable(
                f"Column '{column.name}' was published as {IN_WORDS[type]} and collected as {IN_WORDS[original.type]}."
            )
        values = _keys(cells.values, type)
        plain = np.flatnonzero((cells.kinds == CellKind.VALUE) | (cells.kinds == CellKind.SET))
        nodes = np.flatnonzero(cells.kinds == CellKind.NODE)
        ranges = np.flatnonzero(cells.kinds == CellKind.RANGE)
        offsets, positions = take_records(cells.offsets, plain)
        below = [_leaves(column, cells.nodes[int(cells.members[cells.offsets[node]])]) for node in nodes]
        lengths = np.concatenate([np.diff(offsets), np.array([len(leaves) for leaves in below], np.int64)])
        return cls(
            column,
            original,
            np.concatenate([plain, nodes]),
            offsets_of(lengths),
            np.concatenate([values[cells.members[positions]], *below]),
            ranges,
            values[cells.members[cells.offsets[ranges]]],
            values[cells.members[cells.offsets[ranges] + 1]],
        )

    def probabilities(self, condition: _Condition) -> Float64s:
        """For each cell, how likely a record with it satisfies the condition; 0 where it is missing or suppressed."""
        kinds = self.column.cells.kinds
        found = np.zeros(len(kinds))
        if len(self.listed):
            satisfied = np.add.reduceat(condition.admits(self.keys).astype(np.int64), self.offsets[:-1])
            found[self.listed] = satisfied / np.diff(self.offsets)
        if len(self.ranges):
            found[self.ranges] = _shares(condition, self.low, self.high, self.column.type)
        if (kinds == CellKind.ANY).any():
            found[kinds == CellKind.ANY] = _share_of_domain(condition, self.column, self.original)
        return found


def _shares(condition: _Condition, low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], type: ColumnType) -> Float64s:
    """The share of each closed range that satisfies the condition."""
    whole = type != "float"  # dates are whole days, timestamps whole microseconds
    if condition.values is not None:
        if not whole:
            return np.zeros(len(low))  # single numbers out of a continuum
        listed = np.searchsorted(condition.values, high, "right") - np.searchsorted(condition.values, low, "left")
        return np.asarray(listed / (high - low + 1), np.float64)
    overlap = np.minimum(high, condition.high) - np.maximum(low, condition.low)
    if whole:
        return np.asarray(np.maximum(overlap + 1, 0) / (high - low + 1), np.float64)
    return np.asarray(np.maximum(overlap, 0) / (high - low), np.float64)


def _share_of_domain(condition: _Condition, column: PublishedColumn, original: Column) -> float:
    """The share of all values that a column can have, missing not counted."""
    keys = _keys(original.domain, original.type)
    if column.hierarchy is not None and column.hierarchy.total:
        known = [
            _physical(_read_leaves(leaves, column.type), column.type) for leaves in column.hierarchy.leaves.values()
        ]
        everything = np.unique(np.concatenate([keys, *known]))
        satisfying = int(condition.admits(everything).sum())
        if condition.values is not None:
            # The release names only the leaves below its nodes; what else is asked for is one of the others.
            unnamed = len(condition.values) - satisfying
            satisfying += min(unnamed, max(column.hierarchy.total - len(everything), 0))
        return satisfying / column.hierarchy.total
    if not len(keys):
        return 0.0
    if column.type == "category":
        return float(condition.admits(keys).mean())
    if keys[0] == keys[-1]:
        return float(condition.admits(keys[:1])[0])
    return float(_shares(condition, keys[:1], keys[-1:], column.type)[0])


def _leaves(column: PublishedColumn, node: str) -> np.ndarray[Any, Any]:
    leaves = () if column.hierarchy is None else column.hierarchy.leaves.get(node, ())
    if not leaves:
        raise NotApplicable(
            f"Column '{column.name}' says {node!r}, and the release does not tell which values that stands for."
        )
    return _physical(_read_leaves(leaves, column.type), column.type)


def _read_leaves(leaves: Sequence[str], type: ColumnType) -> list[Scalar]:
    try:
        return [read_value(leaf, type) for leaf in leaves]
    except ValueError:
        raise NotApplicable(f"A node of the hierarchy stands for values that are not {IN_WORDS[type]}.") from None


def _holds(condition: _Condition, column: Column) -> Float64s:
    """1 for each value of the domain that satisfies the condition; one more, 0, for the missing value."""
    keys = _keys(column.domain, column.type)
    return np.append(condition.admits(keys), False).astype(np.float64)


def _answers(
    table: Table | PublishedTable,
    asked: Sequence[_Asked],
    probabilities: Callable[[str, _Condition], Float64s],
    items: _Items | None,
    uniform: bool = False,
) -> Float64s:
    """The expected count of each query. `probabilities` has one entry per code, the last one for a code of -1."""
    names = [name for name in table.names if any(name in query.conditions for query in asked)]
    codes = np.empty((len(table), len(names)), np.int32)
    for place, name in enumerate(names):
        column = table.column(name)
        codes[:, place] = column.codes
        codes[codes[:, place] < 0, place] = len(column.domain) if isinstance(column, Column) else 0
    class_of, first = row_classes(codes) if names else (np.zeros(len(table), np.int64), np.zeros(1, np.int64))
    sizes = np.bincount(class_of, minlength=len(first))
    of_class = codes[first] if len(table) else codes[:0]
    found = np.zeros(len(asked))
    for number, query in enumerate(asked):
        if not len(table):
            continue
        weights = np.ones(len(first))
        for name, condition in query.conditions.items():
            weights *= probabilities(name, condition)[of_class[:, names.index(name)]]
        if not query.items:
            found[number] = total(weights * sizes)
        elif items is not None and weights.any():
            found[number] = items.expected(weights[class_of], query.items, uniform)
    return found


@dataclass(frozen=True, eq=False)
class _Items:
    """The records of each symbol and the symbols of each item."""

    vocabulary: Vocabulary
    record_offsets: Int64s
    records: Int64s
    holder_offsets: Int64s
    holders: Int64s
    sizes: Int64s

    @classmethod
    def of(cls, offsets: Int64s, codes: Int32s, symbols: Symbols) -> _Items:
        record_offsets, records = records_of_symbols(offsets, codes, len(symbols))
        symbol_of_slot = np.repeat(np.arange(len(symbols)), symbols.sizes)
        # The smallest symbol comes last; among equals the first by its labels.
        order = np.lexsort((-symbols.rank[symbol_of_slot], -symbols.sizes[symbol_of_slot], symbols.members))
        held = np.bincount(symbols.members, minlength=len(symbols.vocabulary))
        return cls(symbols.vocabulary, record_offsets, records, offsets_of(held), symbol_of_slot[order], symbols.sizes)

    def expected(self, weights: Float64s, items: Sequence[str], uniform: bool) -> float:
        if not all(item in self.vocabulary for item in items):
            return 0.0
        codes = np.array([self.vocabulary.code(item) for item in items], np.int32)
        return total(
            expected_records(
                weights,
                self.record_offsets,
                self.records,
                self.holder_offsets,
                self.holders,
                self.sizes,
                codes,
                uniform,
            )
        )


def _items(data: Any, shown: Bools | None = None) -> _Items | None:
    if isinstance(data, Mixed):
        vocabulary = data.transactions.vocabulary
        members = np.arange(len(vocabulary), dtype=np.int32)
        intact = Symbols(vocabulary, np.arange(len(vocabulary) + 1), members)
        return _Items.of(data.transactions.offsets, data.transactions.items, intact)
    if isinstance(data, PublishedMixed):
        offsets, codes = data.transactions.offsets, data.transactions.codes
        if shown is not None and not shown.all():  # a suppressed record shows no items, whatever it holds
            kept = np.repeat(shown, data.transactions.lengths)
            offsets, codes = offsets_of(np.where(shown, data.transactions.lengths, 0)), codes[kept]
        return _Items.of(offsets, codes, data.transactions.symbols)
    return None


def _table_of(original: Any) -> Table:
    found = original.table if isinstance(original, Mixed) else original
    if not isinstance(found, Table):
        raise NotApplicable(f"Counting queries are asked of a Table or Mixed, got {type(original).__name__}.")
    return found


def _published_table_of(published: Any) -> PublishedTable:
    found = published.table if isinstance(published, PublishedMixed) else published
    if not isinstance(found, PublishedTable):
        raise NotApplicable(
            f"Counting queries are answered from a PublishedTable or PublishedMixed, got {type(published).__name__}."
        )
    return found


def _physical(values: Sequence[Scalar], type: ColumnType) -> np.ndarray[Any, Any]:
    return _keys(pl.Series(values, dtype=POLARS_TYPES[type]), type)


def _keys(values: pl.Series, type: ColumnType) -> np.ndarray[Any, Any]:
    """Values as numbers that can be compared, as in `Column.keys`; categories as text."""
    if type == "category":
        return np.array(values.to_list(), object)
    return np.array(values.to_physical().to_numpy(), np.float64 if type == "float" else np.int64)


def _read(text: str, type: ColumnType, column: str, query: CountQuery, *, is_end: bool = False) -> Scalar:
    for read in (read_bound, read_value) if is_end else (read_value,):
        try:
            return read(text, type)
        except ValueError:
            continue
    raise BadQuery(
        f"A query asks for {text!r} in column '{column}', which holds {IN_WORDS[type]}.",
        where=query.where,
        column=column,
    )
