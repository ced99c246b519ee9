"""The global cut of DiffGen: for every attribute the values that all records are generalized to, made finer in rounds.

A value is a node of a tree or an interval. Its score counts all records that have it, whatever their other attributes
are, so specializing one attribute leaves the scores of the others as they were. A record has one value per attribute.
So all that is asked of the records is how many have each cell of an attribute and each class, which shards add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.arrays.row_ranks import count_keys
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import RegionAttribute
from crypsis.kernels.regions import MAX, blocks_of_counts, extent, in_units
from crypsis.methods.relational.region_scores import Score
from crypsis.noise import MeteredNoise
from crypsis.noise.blocks import Blocks


@dataclass(frozen=True)
class CutValue:
    """Cells `low` to `high - 1`; of a tree those below `node`. A number is divided at `split`."""

    low: int
    high: int
    node: int = -1
    split: int = -1


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """How many records have each cell and class that occurs in one attribute.

    `keys` are cells times the number of classes plus the class, ascending.
    """

    keys: Int64s
    counts: Int64s

    @classmethod
    def of(cls, cells: Int32s, classes: Int32s, n_classes: int) -> ColumnCounts:
        return cls(*count_keys(cells.astype(np.int64) * n_classes + classes))


class _Attribute:
    """One column: its records by class, in the order of their cells."""

    def __init__(self, attribute: RegionAttribute, counted: ColumnCounts, n_classes: int) -> None:
        self.keys, self.counts = counted.keys, counted.counts
        self.tree = attribute.domain if isinstance(attribute.domain, CategoryTree) else None
        self.width, self.n_classes = len(attribute), n_classes

    def root(self) -> CutValue:
        return CutValue(0, self.width, -1 if self.tree is None else 0)

    def divisible(self, value: CutValue) -> bool:
        if self.tree is None:
            return value.high - value.low >= 2
        return bool(self.tree.n_children[value.node] > 0)

    def children(self, value: CutValue) -> list[CutValue]:
        if self.tree is None:
            return [CutValue(value.low, value.split), CutValue(value.split, value.high)]
        first = int(self.tree.first_child[value.node])
        inner = range(first, first + int(self.tree.n_children[value.node]))
        return [CutValue(int(self.tree.low[node]), int(self.tree.high[node]), node) for node in inner]

    def score(self, value: CutValue, score: Score) -> int:
        """The score of specializing a value, in whole units."""
        total = 0
        for child in self.children(value):
            by_class = self._by_class(child)
            if score.kind == MAX:
                total += int(by_class.max())
            else:
                total += int(by_class.sum()) * (extent(value.high - value.low) - extent(child.high - child.low))
        return total if score.kind == MAX else int(in_units(total, self.width, score.unit))

    def blocks(self, values: Sequence[CutValue], score: Score) -> Blocks:
        """The split points of values that follow one another, with their scores."""
        offsets, blocks = blocks_of_counts(
            np.append(self._start(values[0].low), [self._start(value.high) for value in values]),
            self.keys,
            self.counts,
            np.array([value.low for value in values], np.int64),
            np.array([value.high for value in values], np.int64),
            self.n_classes,
            score.kind,
        )
        first, last, scored, slope = (np.ascontiguousarray(blocks[:, index]) for index in range(4))
        return Blocks(offsets, first, last, scored, slope)

    def _start(self, cell: int) -> int:
        """Where the keys of a cell and of those after it begin."""
        return int(np.searchsorted(self.keys, cell * self.n_classes))

    def _by_class(self, value: CutValue) -> Int64s:
        """The records of each class that have a value."""
        counts = np.zeros(self.n_classes, np.int64)
        start, end = self._start(value.low), self._start(value.high)
        np.add.at(counts, self.keys[start:end] % self.n_classes, self.counts[start:end])
        return counts


@dataclass
class GlobalCut:
    """The values of every attribute, in their order; all combinations of them are the regions."""

    values: list[list[CutValue]]
    specializations: int = 0

    @property
    def regions(self) -> int:
        return int(np.prod([len(values) for values in self.values], dtype=object))

    def class_counts(self, rows: Int32s, classes: Int32s, n_classes: int) -> Int64s:
        """The records of each class in every region, region after region."""
        return np.bincount(self.region_of(rows) * n_classes + classes, minlength=self.regions * n_classes)

    def region_of(self, rows: Int32s) -> Int64s:
        """The number of the region of each record: regions are numbered with the last attribute running fastest."""
        number = np.zeros(len(rows), np.int64)
        for index, values in enumerate(self.values):
            ends = np.array([value.high for value in values])
            number = number * len(values) + np.searchsorted(ends, rows[:, index], side="right")
        return number

    def bounds(self) -> tuple[Int32s, Int32s, Int32s]:
        """Low, high and node of each attribute in every region."""
        places = np.indices([len(values) for values in self.values]).reshape(len(self.values), -1)
        low, high, node = (
            np.stack(
                [
                    np.array([getattr(value, part) for value in values], np.int32)[chosen]
                    for values, chosen in zip(self.values, places, strict=True)
                ],
                axis=1,
            )
            for part in ("low", "high", "node")
        )
        return low, high, node


def grow_cut(
    counted: Sequence[ColumnCounts],
    n_classes: int,
    attributes: Sequence[RegionAttribute],
    score: Score,
    *,
    rounds: int,
    most_regions: int,
    budget: Fraction,
    noise: MeteredNoise,
) -> GlobalCut:
    """Specialize one value of the cut in each round, as a private selection prefers, while there is room for more."""
    columns = [_Attribute(attribute, own, n_classes) for attribute, own in zip(attributes, counted, strict=True)]
    cut = GlobalCut([[column.root()] for column in columns])
    if rounds == 0:
        return cut
    for column, values in zip(columns, cut.values, strict=True):
        values[:] = _with_split_points(column, values, score, budget, noise)
    scores = [
        [_score(column, value, score) for value in values] for column, values in zip(columns, cut.values, strict=True)
    ]
    for left in range(rounds - 1, -1, -1):
        candidates = _candidates(cut, columns, most_regions)
        if not candidates:
            break
        chosen = noise.select_each(
            np.array([scores[attribute][index] for attribute, index in candidates], np.int64),
            np.array([0, len(candidates)], np.int64),
            budget,
            score.sensitivity,
            shares=[(noise.root, 1)],
            node="value to specialize",
        )
        attribute, index = candidates[int(chosen[0])]
        column, value = columns[attribute], cut.values[attribute][index]
        children = column.children(value)
        if left:
            children = _with_split_points(column, children, score, budget, noise)
            scores[attribute][index : index + 1] = [_score(column, child, score) for child in children]
        cut.values[attribute][index : index + 1] = children
        cut.specializations += 1
    return cut


def _candidates(cut: GlobalCut, columns: Sequence[_Attribute], most_regions: int) -> list[tuple[int, int]]:
    """Attribute and place of the values that can be specialized without making too many regions."""
    regions = cut.regions
    return [
        (attribute, index)
        for attribute, (column, values) in enumerate(zip(columns, cut.values, strict=True))
        for index, value in enumerate(values)
        if column.divisible(value)
        and regions // len(values) * (len(values) + len(_fan(column, value)) - 1) <= most_regions
    ]


def _fan(column: _Attribute, value: CutValue) -> range:
    return range(2) if column.tree is None else range(int(column.tree.n_children[value.node]))


def _score(column: _Attribute, value: CutValue, score: Score) -> int:
    return column.score(value, score) if column.divisible(value) else 0


def _with_split_points(
    column: _Attribute, values: Sequence[CutValue], score: Score, budget: Fraction, noise: MeteredNoise
) -> list[CutValue]:
    """Numbers that can be divided get a split point; a record has one of these values, so all of them cost once."""
    wanted = [index for index, value in enumerate(values) if column.tree is None and column.divisible(value)]
    divided = list(values)
    if wanted:
        points = noise.points(
            column.blocks([values[slot] for slot in wanted], score),
            budget,
            score.sensitivity_of_points(column.width),
            shares=[(noise.root, len(wanted))],
            node="split point",
        )
        for slot, point in zip(wanted, points.tolist(), strict=True):
            divided[slot] = CutValue(values[slot].low, values[slot].high, -1, point)
    return divided
