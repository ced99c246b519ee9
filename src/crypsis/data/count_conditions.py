"""What a counting query asks of a column, and which published cells satisfy it: certainly, possibly, how likely.

    range     overlap / length; whole numbers and dates are counted, other numbers measured
    node      share of the values below it          set   share of its members
    missing   never; it matches no query            any   as the whole domain of the column, or missing

A list may also name a published node: it stands for the values below it. Where the release does not tell these, a cell
that is this very node satisfies the condition, and any other may.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, repeat
from typing import Any, Self

import numpy as np
import polars as pl

from crypsis.arrays import Bools, Float64s, Int64s, offsets_of, take_records
from crypsis.data.cells import CellKind
from crypsis.data.count_query import ITEMS, CountQuery, InList, Predicate
from crypsis.data.relational import Column, PublishedColumn, PublishedTable, Table
from crypsis.data.values import IN_WORDS, POLARS_TYPES, ColumnType, Scalar, read_bound, read_value
from crypsis.errors import BadQuery, NotApplicable, did_you_mean


@dataclass(frozen=True, eq=False)
class TextKeys:
    """Texts by number, so that a condition looks up each text that it names once, however many there are."""

    numbers: Int64s
    number_of: Mapping[str, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        number_of = dict(zip(dict.fromkeys(texts), count()))
        return cls(np.fromiter(map(number_of.__getitem__, texts), np.int64, len(texts)), number_of)

    def are_in(self, texts: Iterable[str]) -> Bools:
        """Which of the texts are among these."""
        asked = texts.tolist() if isinstance(texts, np.ndarray) else list(texts)  # plain texts are looked up faster
        named = np.zeros(len(self.number_of) + 1, np.bool_)  # one more for those that are none of these
        named[np.fromiter(map(self.number_of.get, asked, repeat(-1)), np.int64, len(asked))] = True
        return named[self.numbers]

    def __len__(self) -> int:
        return len(self.numbers)


Keys = np.ndarray[Any, Any] | TextKeys


@dataclass(frozen=True, eq=False)
class Condition:
    """A predicate in the type of its column: numbers as in `Column.keys`, categories as text."""

    low: Any = None
    high: Any = None
    values: Any = None  # distinct and ascending; None for a range
    nodes: frozenset[str] = frozenset()  # published nodes that the list names
    open: bool = False  # the release does not tell what one of the nodes stands for

    @classmethod
    def of(cls, predicate: Predicate, column: Column | PublishedColumn, query: CountQuery) -> Condition:
        type = column.type
        if isinstance(predicate, InList):
            return cls._listed(predicate, column, query)
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

    @classmethod
    def _listed(cls, predicate: InList, column: Column | PublishedColumn, query: CountQuery) -> Condition:
        named = frozenset(predicate.values).intersection(column.node_names)
        leaves = [leaf for name in sorted(named) for leaf in column.leaves_of(name)]
        plain = [
            text if column.type == "category" else _read(text, column.type, column.name, query)
            for text in predicate.values
            if text not in named
        ]
        listed = _physical([*plain, *_read_leaves(leaves, column.type)], column.type)
        ascending = len(listed) > 0 and bool((listed[1:] > listed[:-1]).all())  # as drawn queries list them
        return cls(
            values=listed if ascending else np.unique(listed),
            nodes=named,
            open=not all(column.leaves_of(name) for name in named),
        )

    def admits(self, keys: Keys) -> Bools:
        """Which of these values satisfy it."""
        if isinstance(keys, TextKeys):
            return keys.are_in(self.values)
        if self.values is None:
            inside: Bools = (keys >= self.low) & (keys <= self.high)
            return inside
        return np.isin(keys, self.values)


@dataclass(frozen=True, eq=False)
class Asked:
    """A query whose columns are known and whose values have their types."""

    conditions: dict[str, Condition]
    items: tuple[str, ...]

    @classmethod
    def of(cls, query: CountQuery, table: Table | PublishedTable | None, items_column: str | None) -> Asked:
        """For data with these columns and this set-valued one; `BadQuery` names a column that is not there."""
        names = () if table is None else table.names
        for name, _ in query.relational:
            if name not in names:
                known = f"its columns are {', '.join(names)}" if names else "it has no columns"
                raise BadQuery(
                    f"A query asks for column '{name}', which this table does not have; {known}."
                    f"{did_you_mean(name, names)}",
                    where=query.where,
                    column=name,
                )
        if query.items:
            if items_column is None:
                raise BadQuery("A query asks for items, and this table has no set-valued column.", where=query.where)
            if query.items_column not in (ITEMS, items_column):
                raise BadQuery(
                    f"A query asks for items of '{query.items_column}'; the set-valued column is "
                    f"'{items_column}', also called '{ITEMS}'.",
                    where=query.where,
                )
        if table is None:
            return cls({}, query.items)
        conditions = {name: Condition.of(predicate, table.column(name), query) for name, predicate in query.relational}
        return cls(conditions, query.items)


@dataclass(frozen=True, eq=False)
class CellMeanings:
    """What the distinct cells of a published column stand for, laid out so that a condition is looked up at once.

    Cell `listed[i]` is one of keys[offsets[i]:offsets[i + 1]]; cell `ranges[i]` lies between low[i] and high[i]; what
    the nodes `untold` stand for is not told. `domain` holds the values that the column is known to have.
    """

    column: PublishedColumn
    domain: np.ndarray[Any, Any]
    listed: Int64s
    offsets: Int64s
    keys: Keys
    ranges: Int64s
    low: np.ndarray[Any, Any]
    high: np.ndarray[Any, Any]
    untold: Int64s

    @classmethod
    def of(cls, column: PublishedColumn, domain: pl.Series | None = None) -> CellMeanings:
        """Without a domain, the published values stand for it."""
        cells, type = column.cells, column.type
        values = _values_of(cells.values, type)
        plain = np.flatnonzero((cells.kinds == CellKind.VALUE) | (cells.kinds == CellKind.SET))
        nodes = np.flatnonzero(cells.kinds == CellKind.NODE)
        ranges = np.flatnonzero(cells.kinds == CellKind.RANGE)
        told = [column.leaves_of(cells.nodes[int(cells.members[cells.offsets[node]])]) for node in nodes]
        is_told = np.array([bool(leaves) for leaves in told], np.bool_)
        below = [_physical(_read_leaves(leaves, type), type) for leaves in told if leaves]
        offsets, positions = take_records(cells.offsets, plain)
        lengths = np.concatenate([np.diff(offsets), np.array([len(leaves) for leaves in below], np.int64)])
        return cls(
            column,
            np.unique(values) if domain is None else _values_of(domain, type),
            np.concatenate([plain, nodes[is_told]]),
            offsets_of(lengths),
            _as_keys(np.concatenate([values[cells.members[positions]], *below]), type),
            ranges,
            values[cells.members[cells.offsets[ranges]]],
            values[cells.members[cells.offsets[ranges] + 1]],
            nodes[~is_told],
        )

    def probabilities(self, condition: Condition) -> Float64s:
        """For each cell, how likely a record with it satisfies the condition; 0 where it is missing or suppressed."""
        if len(self.untold):
            cells = self.column.cells
            node = cells.nodes[int(cells.members[cells.offsets[self.untold[0]]])]
            raise NotApplicable(
                f"Column '{self.column.name}' says {node!r}, and the release does not tell which values that stands "
                "for."
            )
        kinds = self.column.cells.kinds
        found = np.zeros(len(kinds))
        if len(self.listed):
            satisfied = np.add.reduceat(condition.admits(self.keys).astype(np.int64), self.offsets[:-1])
            found[self.listed] = satisfied / np.diff(self.offsets)
        if len(self.ranges):
            found[self.ranges] = _shares(condition, self.low, self.high, self.column.type)
        if (kinds == CellKind.ANY).any():
            found[kinds == CellKind.ANY] = self._share_of_domain(condition)
        return found

    def answers(self, condition: Condition) -> tuple[Bools, Bools]:
        """For each cell, whether every value that it may stand for satisfies the condition, and whether one does."""
        cells = self.column.cells
        certain, possible = np.zeros(len(cells), np.bool_), np.zeros(len(cells), np.bool_)
        if len(self.listed):
            satisfied = np.add.reduceat(condition.admits(self.keys).astype(np.int64), self.offsets[:-1])
            certain[self.listed], possible[self.listed] = satisfied == np.diff(self.offsets), satisfied > 0
        if len(self.ranges):
            certain[self.ranges], possible[self.ranges] = _range_answers(condition, self.low, self.high, self.column)
        possible[np.isin(cells.kinds, (CellKind.ANY, CellKind.SUPPRESSED))] = True
        possible[self.untold] = True
        if condition.nodes:
            is_node = cells.kinds == CellKind.NODE
            named = np.array([name in condition.nodes for name in cells.nodes.to_list()], np.bool_)
            same = np.flatnonzero(is_node)[named[cells.members[cells.offsets[:-1][is_node]]]]
            certain[same] = possible[same] = True
            if condition.open:
                possible[cells.kinds != CellKind.MISSING] = True
        return certain, possible

    def _share_of_domain(self, condition: Condition) -> float:
        """The share of all values that a column can have, missing not counted."""
        column, domain = self.column, self._domain_keys
        if column.hierarchy is not None and column.hierarchy.total:
            satisfying = int(condition.admits(self._known).sum())
            if condition.values is not None:
                # The release names only the leaves below its nodes; what else is asked for is one of the others.
                unnamed = len(condition.values) - satisfying
                satisfying += min(unnamed, max(column.hierarchy.total - len(self._known), 0))
            return satisfying / column.hierarchy.total
        if not len(domain):
            return 0.0
        if isinstance(domain, TextKeys):
            return float(condition.admits(domain).mean())
        if domain[0] == domain[-1]:
            return float(condition.admits(domain[:1])[0])
        return float(_shares(condition, domain[:1], domain[-1:], column.type)[0])

    @cached_property
    def _domain_keys(self) -> Keys:
        return _as_keys(self.domain, self.column.type)

    @cached_property
    def _known(self) -> Keys:
        """The values of the domain and those that stand below nodes."""
        hierarchy, type = self.column.hierarchy, self.column.type
        leaves = () if hierarchy is None else hierarchy.leaves.values()
        known = [_physical(_read_leaves(below, type), type) for below in leaves]
        return _as_keys(np.unique(np.concatenate([self.domain, *known])), type)


def _shares(condition: Condition, low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], type: ColumnType) -> Float64s:
    """The share of each closed range that satisfies the condition."""
    whole = type != "float"  # dates are whole days, timestamps whole microseconds
    if condition.values is not None:
        if not whole:
            return np.zeros(len(low))  # single numbers out of a continuum
        return np.asarray(_listed_inside(condition, low, high) / (high - low + 1), np.float64)
    overlap = np.minimum(high, condition.high) - np.maximum(low, condition.low)
    if whole:
        return np.asarray(np.maximum(overlap + 1, 0) / (high - low + 1), np.float64)
    return np.asarray(np.maximum(overlap, 0) / (high - low), np.float64)


def _listed_inside(condition: Condition, low: np.ndarray[Any, Any], high: np.ndarray[Any, Any]) -> Int64s:
    listed: Int64s = np.searchsorted(condition.values, high, "right") - np.searchsorted(condition.values, low, "left")
    return listed


def _range_answers(
    condition: Condition, low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], column: PublishedColumn
) -> tuple[Bools, Bools]:
    """Whether all, and whether some values of each closed range satisfy the condition."""
    if condition.values is not None:
        inside = _listed_inside(condition, low, high)
        all_listed = inside == high - low + 1 if column.type != "float" else np.zeros(len(low), np.bool_)
        return all_listed, inside > 0
    within = (low >= condition.low) & (high <= condition.high)
    return within, (low <= condition.high) & (high >= condition.low)


def keys_of(values: pl.Series, type: ColumnType) -> Keys:
    """Values as conditions look them up: numbers as in `Column.keys`, categories by the number of their text."""
    return _as_keys(_values_of(values, type), type)


def _as_keys(values: np.ndarray[Any, Any], type: ColumnType) -> Keys:
    return TextKeys.of(values.tolist()) if type == "category" else values


def _values_of(values: pl.Series, type: ColumnType) -> np.ndarray[Any, Any]:
    """Values as they can be compared: numbers, and categories as text."""
    if type == "category":
        return np.array(values.to_list(), object)
    return np.array(values.to_physical().to_numpy(), np.float64 if type == "float" else np.int64)


_AS_THEY_ARE: dict[ColumnType, Any] = {"category": object, "int": np.int64, "float": np.float64}


def _physical(values: Sequence[Scalar], type: ColumnType) -> np.ndarray[Any, Any]:
    if type in _AS_THEY_ARE:
        return np.array(values, _AS_THEY_ARE[type])
    return _values_of(pl.Series(values, dtype=POLARS_TYPES[type]), type)


def _read_leaves(leaves: Sequence[str], type: ColumnType) -> list[Scalar]:
    if type == "category":
        return list(leaves)
    try:
        return [read_value(leaf, type) for leaf in leaves]
    except ValueError:
        raise NotApplicable(f"A node of the hierarchy stands for values that are not {IN_WORDS[type]}.") from None


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
