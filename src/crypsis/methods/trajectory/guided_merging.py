"""Merging guided by a taxonomy or by utility constraints: the state behind SDSeqAnon and USeqAnon."""

from __future__ import annotations

import numpy as np

from crypsis.data.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Trajectories
from crypsis.errors import InternalError, UtilityConstraintsUnsatisfied
from crypsis.hierarchy import Taxonomy
from crypsis.journal import Journal
from crypsis.kernels.guided_merging import TOO_MANY_SUPPRESSED, Guide, merge_or_suppress_until_frequent
from crypsis.kernels.nearest_merging import NO_ROW_LEFT, roots_of
from crypsis.methods.trajectory import merging
from crypsis.methods.trajectory.merging import LocationMerging, MergingLevel


class GuidedMerging(LocationMerging):
    """Merge what is rare with what is near in meaning, or only inside groups; suppress what has no partner.

    `group_of_code` says which locations may be merged, `delta` how many percent of the locations may be suppressed.
    """

    def __init__(
        self,
        data: Trajectories,
        x: Float64s,
        y: Float64s,
        groups: Int32s,
        *,
        taxonomy: Taxonomy | None = None,
        group_of_code: Int32s | None = None,
        delta: float = 0.0,
    ) -> None:
        super().__init__(data, x, y, groups)
        n_locations = len(data.locations)
        self._delta = delta
        self._n_occurring = len(self._places.occurring)
        self._guide = Guide(
            group=np.zeros(n_locations, np.int32) if group_of_code is None else group_of_code.astype(np.int32),
            node=np.empty(0, np.int32) if taxonomy is None else taxonomy.leaves_of(data.locations).copy(),
            parent=np.empty(0, np.int32) if taxonomy is None else taxonomy.parent.copy(),
            leaf_count=np.empty(0, np.int64) if taxonomy is None else taxonomy.leaf_count.copy(),
            value=np.empty(self._n_occurring),
            suppressed=np.zeros(n_locations, np.bool_),
            order=np.empty(self._n_occurring, np.int32),
            n_suppressed=np.zeros(2, np.int64),
        )

    @property
    def suppressed(self) -> list[list[str]]:
        """Suppressed symbols in order, each as sorted labels."""
        count = int(self._guide.n_suppressed[0])
        everywhere = np.arange(len(self.locations), dtype=np.int32)
        roots = roots_of(self._places.parent, everywhere)
        labels = self.locations.labels
        return [
            sorted(labels[code] for code in np.flatnonzero(roots == root))
            for root in self._guide.order[:count].tolist()
        ]

    @property
    def suppressed_percent(self) -> float:
        """Suppressed locations as a percentage of those that occurred."""
        return 100 * int(self._guide.n_suppressed[1]) / max(self._n_occurring, 1)

    def make_frequent(self, size: int, k: int, journal: Journal) -> None:
        """Merge and suppress until every subsequence of this size is shared by k individuals or by none."""
        with journal.stage(f"count size {size}"):
            level = MergingLevel(self, size, journal)
            rare = level.rare(k)
        with journal.stage(f"merge size {size}"):
            self._work_through(level, rare, k, journal)
            self._drop_suppressed()

    def _work_through(self, level: MergingLevel, rare: Int64s, k: int, journal: Journal) -> None:
        position = 0
        while position < len(rare):
            why, position, level.keys, level.counts, level.used, self._n_merges = merge_or_suppress_until_frequent(
                level.records,
                self._places,
                self._guide,
                level.slot_of_root,
                rare,
                position,
                k,
                level.size,
                level.base,
                level.scratch,
                level.keys,
                level.counts,
                level.used,
                self._merges,
                self._n_merges,
                merging.MERGES_PER_STEP,
                float(self._delta),
                self._n_occurring,
            )
            if why == NO_ROW_LEFT:
                self._more_rows()
            elif why == TOO_MANY_SUPPRESSED:
                raise self._too_many()
            journal.tell(position / len(rare))

    def _too_many(self) -> Exception:
        if len(self._guide.node):
            return InternalError("A feasible length ran out of symbols to merge. This is a bug; please report it.")
        labels = sorted(label for symbol in self.suppressed for label in symbol)
        shown = ", ".join(map(repr, labels[:5])) + (", …" if len(labels) > 5 else "")
        return UtilityConstraintsUnsatisfied(
            f"The utility constraints cannot be kept: {len(labels)} of {self._n_occurring} locations "
            f"({self.suppressed_percent:.4g} %) had to be suppressed so far, {self._delta:g} % are allowed: {shown}. "
            "Widen the constraints, raise delta, or lower k or m.",
            suppressed=labels,
            percent=self.suppressed_percent,
        )

    def _drop_suppressed(self) -> None:
        """Delete the visits to suppressed locations."""
        places = self._places
        gone = self._guide.suppressed[roots_of(places.parent, places.occurring)]
        if not gone.any():
            return
        hidden = np.zeros(len(self.locations), np.bool_)
        hidden[places.occurring[gone]] = True
        kept = ~hidden[self._codes]
        rows = np.repeat(np.arange(len(self._offsets) - 1), np.diff(self._offsets))
        self._offsets = offsets_of(np.bincount(rows[kept], minlength=len(self._offsets) - 1))
        self._codes = self._codes[kept]
        self._places = places._replace(occurring=places.occurring[~gone])
