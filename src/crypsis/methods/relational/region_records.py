"""The records of noisy regions: here, or in shards that count for themselves while the driver adds up whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from crypsis.arrays import Bools, Int32s, Int64s, offsets_of, take_records
from crypsis.arrays.row_ranks import count_keys
from crypsis.executors.executor import Executor
from crypsis.executors.near import resident_nearby
from crypsis.executors.scratch import load
from crypsis.kernels.regions import (
    Attributes,
    GroupedRecords,
    Spans,
    blocks_of_counts,
    candidate_scores,
    child_counts,
    class_counts,
    divide,
    scores_of_counts,
    split_blocks,
)
from crypsis.methods.relational.region_scores import Score
from crypsis.methods.summed_counts import sum_keys
from crypsis.shards.private import PrivateShard

COUNTS_AT_ONCE = 1 << 22  # that all shards together answer to one question
MEMORY_PER_FILE_BYTE = 2  # of the cells of a record, and of room for them at the next level
_LARGEST_KEY = 1 << 62


class RegionRecords(Protocol):
    """Records by region: those of each region are counted, and divided among its children."""

    n_classes: int
    n_records: int

    def class_counts(self, chosen: Int64s) -> Int64s:
        """The records of each class in the chosen regions."""
        ...

    def blocks(self, regions: Int64s, attribute: int, spans: Spans, kind: int) -> tuple[Int64s, Int64s]:
        """The split points of an attribute in each region, in blocks."""
        ...

    def scores(self, chosen: Int64s, valid: Bools, spans: Spans, score: Score) -> Int64s:
        """The score of specializing each chosen region by each attribute where that is valid."""
        ...

    def divide(self, chosen: Int64s, by: Int64s, fan: Int64s, spans: Spans) -> Int64s:
        """Put the records of the chosen regions into their children, which are the regions from now on: their sizes."""
        ...


class RecordsHere:
    """Records in this process, and room of the same size, into which the next level is written."""

    def __init__(self, rows: Int32s, classes: Int32s, n_classes: int, attributes: Attributes) -> None:
        """A copy in 16 bits, if no cell or class is larger: half as much to move."""
        most = max(n_classes, int(attributes.width.max(initial=0)))
        kind: Any = np.int16 if most <= np.iinfo(np.int16).max else np.int32
        starts = np.array([0, len(rows)], np.int64)
        self.attributes, self.n_classes, self.n_records = attributes, n_classes, len(rows)
        self.current = GroupedRecords(rows.astype(kind), classes.astype(kind), starts, n_classes)
        self.spare = self.current._replace(
            rows=np.empty_like(self.current.rows), classes=np.empty_like(self.current.classes)
        )

    def class_counts(self, chosen: Int64s) -> Int64s:
        return class_counts(self.current, chosen)

    def blocks(self, regions: Int64s, attribute: int, spans: Spans, kind: int) -> tuple[Int64s, Int64s]:
        spread = np.full(len(regions), attribute, np.int64)
        return split_blocks(self.current, regions, spread, spans.low, spans.high, kind)

    def scores(self, chosen: Int64s, valid: Bools, spans: Spans, score: Score) -> Int64s:
        return candidate_scores(self.current, chosen, valid, spans, self.attributes, score.kind, score.unit)

    def divide(self, chosen: Int64s, by: Int64s, fan: Int64s, spans: Spans) -> Int64s:
        starts = divide(self.current, chosen, by, fan, spans, self.attributes, self.spare)
        self.current, self.spare = self.spare._replace(starts=starts), self.current
        return np.diff(starts)


class RegionShard(RecordsHere):
    """The records of a shard, which stay where they are."""

    def __init__(self, shard: PrivateShard, n_classes: int, attributes: Attributes) -> None:
        rows, classes = load(shard.file)
        super().__init__(rows, classes, n_classes, attributes)

    def look_at(self, valid: Bools, spans: Spans) -> None:
        """The regions as they are now."""
        self.valid, self.spans = valid, spans

    def child_counts(self, chosen: Int64s, size: int) -> Int64s:
        """The records of each child that the chosen regions could have, by class."""
        return child_counts(self.current, chosen, self.valid, self.spans, self.attributes, size)

    def cell_counts(self, regions: Int64s, attribute: int, values: int) -> tuple[Int64s, Int64s]:
        """How many records of each region have each cell and class: keys, of which a region has `values`."""
        offsets, positions = take_records(self.current.starts, regions)
        region = np.repeat(np.arange(len(regions)), np.diff(offsets))
        cells = self.current.rows[positions, attribute].astype(np.int64)
        return count_keys(region * values + cells * self.n_classes + self.current.classes[positions])

    def divide_again(self, chosen: Int64s, by: Int64s, fan: Int64s) -> Int64s:
        """`divide`, by the regions that were looked at."""
        return self.divide(chosen, by, fan, self.spans)


class RecordsInShards:
    """Records in shards. Only whole numbers come to the driver, and are the same however the records are cut."""

    def __init__(
        self, shards: Sequence[PrivateShard], n_classes: int, attributes: Attributes, executor: Executor
    ) -> None:
        self.attributes, self.n_classes = attributes, n_classes
        self.n_records, self._n_shards = sum(shard.rows for shard in shards), max(len(shards), 1)
        self._resident = resident_nearby(executor, RegionShard, shards, n_classes, attributes)

    def class_counts(self, chosen: Int64s) -> Int64s:
        counts = np.zeros((len(chosen), self.n_classes), np.int64)
        step = max(COUNTS_AT_ONCE // (self._n_shards * self.n_classes), 1)
        for start in range(0, len(chosen), step):
            for own in self._resident.call("class_counts", chosen[start : start + step]):
                counts[start : start + step] += own
        return counts

    def blocks(self, regions: Int64s, attribute: int, spans: Spans, kind: int) -> tuple[Int64s, Int64s]:
        values = int(self.attributes.width[attribute]) * self.n_classes
        step = max(_LARGEST_KEY // values, 1)
        parts = []
        for start in range(0, len(regions), step):
            own = regions[start : start + step]
            keys, counts = sum_keys(self._resident.call("cell_counts", own, attribute, values))
            offsets = np.searchsorted(keys, np.arange(len(own) + 1) * values)
            low, high = (bound[own, attribute].astype(np.int64) for bound in (spans.low, spans.high))
            parts.append(blocks_of_counts(offsets, keys % values, counts, low, high, self.n_classes, kind))
        sizes = np.concatenate([np.diff(offsets) for offsets, _ in parts])
        return offsets_of(sizes), np.concatenate([blocks for _, blocks in parts])

    def scores(self, chosen: Int64s, valid: Bools, spans: Spans, score: Score) -> Int64s:
        self._resident.call("look_at", valid, spans)
        fan = np.full(valid.shape, 2, np.int64)
        if len(self.attributes.n_children):
            fan = np.where(self.attributes.numeric, 2, self.attributes.n_children[np.maximum(spans.node, 0)])
        sizes = (np.where(valid, fan, 0).sum(axis=1) * self.n_classes)[chosen]
        ends = np.cumsum(sizes)
        per_question = np.arange(0, int(ends[-1]), max(COUNTS_AT_ONCE // self._n_shards, 1))
        bounds = np.unique(np.append(np.searchsorted(ends, per_question), len(chosen)))
        parts = []
        for first, last in pairwise(bounds.tolist()):
            own = chosen[first:last]
            counts: Int64s = np.sum(self._resident.call("child_counts", own, int(sizes[first:last].sum())), axis=0)
            facts = self.attributes, self.n_classes, score.kind, score.unit
            parts.append(scores_of_counts(counts, own, valid, spans, *facts))
        return np.concatenate(parts)

    def divide(self, chosen: Int64s, by: Int64s, fan: Int64s, spans: Spans) -> Int64s:
        sizes: Int64s = np.sum(self._resident.call("divide_again", chosen, by, fan), axis=0)
        return sizes
