"""Answers to counting queries: exact on collected data, expected on published data.

Answers are worked out per class of equal rows, not per record, and each predicate once per distinct cell; the classes
of a range of codes stand together in their order. A published
record counts the probability that it satisfies the query when what a cell hides is spread evenly
(`data.count_conditions`); a suppressed record counts 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crypsis.arrays import Bools, Float64s, Int32s, Int64s, offsets_of
from crypsis.arrays.row_ranks import order_rows, rank_rows
from crypsis.data.count_conditions import Asked, CellMeanings, Condition, Keys, keys_of
from crypsis.data.count_query import CountQuery
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.symbols import Symbols
from crypsis.data.values import IN_WORDS
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import NotApplicable
from crypsis.kernels.containment import records_of_symbols
from crypsis.kernels.item_expectation import expected_records
from crypsis.metrics.exact_sums import total
from crypsis.parameters import OneOf, Parameter

_Weights = np.ndarray[Any, Any]  # how likely, or whether at all
_MOST_SLICES = 1000  # of more it is faster to look at every class
_ESTIMATOR = Parameter("estimator", str, False, (OneOf("subset", "uniform"),), "How items are read.", MISSING)


def actual_counts(original: Table | Mixed, queries: Sequence[CountQuery]) -> Int64s:
    """The number of original records that satisfy each query."""
    table, asked = _table_of(original), [_asked(query, original) for query in queries]
    names = dict.fromkeys(name for query in asked for name in query.conditions)
    keys = {name: keys_of(table.column(name).domain, table.column(name).type) for name in names}
    answers = _answers(table, asked, lambda name, condition: _holds(condition, keys[name]), _items(original))
    return np.rint(answers).astype(np.int64)


def estimated_counts(
    original: Table | Mixed | None,
    published: PublishedTable | PublishedMixed,
    queries: Sequence[CountQuery],
    estimator: str = "uniform",
) -> Float64s:
    """The expected number of published records that satisfy each query; of the original only the domains are used.

    Without an original, as a recipient has none, the published values stand for the domain. `uniform`: each asked item
    is one of the members of a generalized item, each as likely; `subset`: every non-empty subset of these is equally
    likely.
    """
    uniform = _ESTIMATOR.check(estimator, "estimated_counts") == "uniform"
    released = _published_table_of(published)
    table = None if original is None else _table_of(original)
    if original is not None and isinstance(original, Mixed) != isinstance(published, PublishedMixed):
        raise NotApplicable(
            f"Queries compare a table or mixed data with a release of the same kind, got {type(original).__name__} and "
            f"{type(published).__name__}."
        )
    meanings: dict[str, CellMeanings] = {}

    def probabilities(name: str, condition: Condition) -> Float64s:
        if name not in released.names:
            raise NotApplicable(f"Column '{name}' was not published, so nothing can be asked about it.")
        if name not in meanings:
            meanings[name] = _meanings(released.column(name), None if table is None else table.column(name))
        return meanings[name].probabilities(condition)

    asked = [_asked(query, published if original is None else original) for query in queries]
    return _answers(released, asked, probabilities, _items(published, ~released.suppressed), uniform)


def _asked(query: CountQuery, data: Table | Mixed | PublishedTable | PublishedMixed) -> Asked:
    column = data.column if isinstance(data, (Mixed, PublishedMixed)) else None
    return Asked.of(query, data.table_part, column)


def _meanings(column: PublishedColumn, original: Column | None) -> CellMeanings:
    if original is not None and column.type != original.type:
        raise NotApplicable(
            f"Column '{column.name}' was published as {IN_WORDS[column.type]} and collected as "
            f"{IN_WORDS[original.type]}."
        )
    return CellMeanings.of(column, None if original is None else original.domain)


def _holds(condition: Condition, keys: Keys) -> Bools:
    """Whether each value of a domain satisfies the condition; one more for the missing value, which does not."""
    return np.append(condition.admits(keys), False)


def _answers(
    table: Table | PublishedTable,
    asked: Sequence[Asked],
    probabilities: Callable[[str, Condition], _Weights],
    items: _Items | None,
    uniform: bool = False,
) -> Float64s:
    """The expected count of each query. `probabilities` has one entry per code, the last one for a code of -1.

    Where they are true or false the count is exact.
    """
    answers = np.zeros(len(asked))
    if not len(table):
        return answers
    names = [name for name in table.names if any(name in query.conditions for query in asked)]
    class_of, first = (None, None) if isinstance(table, Table) else _classes(table, names)
    sizes = None if class_of is None else np.bincount(class_of)
    columns = {name: _ByCode(_codes_of(table.column(name), first)) for name in names}
    n_classes = len(table) if first is None else len(first)
    for index, query in enumerate(asked):
        likely, weights = _likely(
            [(probabilities(name, condition), columns[name]) for name, condition in query.conditions.items()],
            n_classes,
        )
        if not query.items:
            answers[index] = (
                np.count_nonzero(weights) if sizes is None else total(np.asarray(weights * sizes[likely], np.float64))
            )
        elif items is not None and weights.any():
            of_all = np.zeros(n_classes)
            of_all[likely] = weights
            of_records = of_all if class_of is None else of_all[class_of]
            answers[index] = items.expected(of_records, query.items, uniform)
    return answers


def _classes(table: PublishedTable, names: Sequence[str]) -> tuple[Int64s, Int64s]:
    """The class of every record, and a record of each class. Few original records are equal, so they form none."""
    class_of = (
        table.classes
        if set(names) <= set(table.quasi)
        else rank_rows([table.column(name).codes for name in names], len(table))
    )
    first = np.empty(int(class_of.max()) + 1, np.int64)
    first[class_of] = np.arange(len(table))
    return class_of, first


def _codes_of(column: Column | PublishedColumn, first: Int64s | None) -> Int32s:
    """The code of each class, that of a missing value behind the others."""
    codes = column.codes if first is None else column.codes[first]
    if isinstance(column, Column) and column.missing:
        codes = np.where(codes < 0, len(column.domain), codes)
    return codes


@dataclass(frozen=True, eq=False)
class _ByCode:
    """The code of each class in one column, and the classes in the order of their codes."""

    codes: Int32s

    @cached_property
    def order(self) -> Int64s:
        return order_rows([self.codes], len(self.codes))

    @cached_property
    def starts(self) -> Int64s:
        """Where the classes of each code begin in this order."""
        return offsets_of(np.bincount(self.codes))

    def likely(self, by_code: _Weights) -> tuple[Int64s, _Weights]:
        """The classes with a code that is not 0, and its number: a range of codes is a slice of the order."""
        wanted = np.flatnonzero(by_code[: len(self.starts) - 1])
        begins = np.flatnonzero(np.diff(wanted, prepend=-2) != 1)
        if len(begins) > _MOST_SLICES:
            rows = np.flatnonzero((by_code != 0).take(self.codes))
            return rows, by_code.take(self.codes.take(rows))
        ends = np.append(begins, len(wanted))[1:] - 1
        low, high = self.starts[wanted[begins]].tolist(), self.starts[wanted[ends] + 1].tolist()
        slices = [self.order[start:end] for start, end in zip(low, high, strict=True)]
        rows = np.concatenate([np.zeros(0, np.int64), *slices])
        return rows, np.repeat(by_code[wanted], self.starts[wanted + 1] - self.starts[wanted])


def _likely(conditions: Sequence[tuple[_Weights, _ByCode]], n_classes: int) -> tuple[Int64s, _Weights]:
    """The classes that may satisfy all conditions, and how likely each does. A condition: by code, codes of classes."""
    if not conditions:
        return np.arange(n_classes), np.ones(n_classes)
    (by_code, column), *others = conditions
    likely, weights = column.likely(by_code)
    for by_code, column in others:
        satisfied = by_code.take(column.codes.take(likely))
        kept = np.flatnonzero(satisfied)
        likely, weights = likely[kept], weights[kept] * satisfied[kept]
    return likely, weights


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
    table = original.table if isinstance(original, Mixed) else original
    if not isinstance(table, Table):
        raise NotApplicable(f"Counting queries are asked of a Table or Mixed, got {type(original).__name__}.")
    return table


def _published_table_of(published: Any) -> PublishedTable:
    table = published.table if isinstance(published, PublishedMixed) else published
    if not isinstance(table, PublishedTable):
        raise NotApplicable(
            f"Counting queries are answered from a PublishedTable or PublishedMixed, got {type(published).__name__}."
        )
    return table
