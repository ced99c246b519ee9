"""Merging guided by a taxonomy or by utility constraints: the state behind SDSeqAnon and USeqAnon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crypsis.arrays import Float64s, Int32s, Int64s, offsets_of
from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import InternalError, UtilityConstraintsUnsatisfied
from crypsis.hierarchy import Taxonomy
from crypsis.journal import Journal
from crypsis.kernels.guided_merging import TOO_MANY_SUPPRESSED, Guide, merge_or_suppress_until_frequent
from crypsis.kernels.nearest_merging import NO_ROW_LEFT, Places, roots_of
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
        self._delta = delta
        self._n_occurring = len(self._places.occurring)
        self._guide = guide_of(data.locations, self._n_occurring, taxonomy, group_of_code)

    @property
    def suppressed(self) -> list[list[str]]:
        """Suppressed symbols in order, each as sorted labels."""
        return suppressed_symbols(self._places, self._guide, self.locations.labels)

    @property
    def suppressed_percent(self) -> float:
        """Suppressed locations as a percentage of those that occurred."""
        return percent_suppressed(self._guide, self._n_occurring)

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
        return too_many_suppressed(self._guide, self.suppressed, self._n_occurring, self._delta)

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


def guide_of(locations: Locations, n_occurring: int, taxonomy: Taxonomy | None, group_of_code: Int32s | None) -> Guide:
    """What guides merging: a taxonomy, or groups."""
    n_locations = len(locations)
    return Guide(
        group=np.zeros(n_locations, np.int32) if group_of_code is None else group_of_code.astype(np.int32),
        node=np.empty(0, np.int32) if taxonomy is None else taxonomy.leaves_of(locations).copy(),
        parent=np.empty(0, np.int32) if taxonomy is None else taxonomy.parent.copy(),
        leaf_count=np.empty(0, np.int64) if taxonomy is None else taxonomy.leaf_count.copy(),
        value=np.empty(n_occurring),
        suppressed=np.zeros(n_locations, np.bool_),
        order=np.empty(n_occurring, np.int32),
        n_suppressed=np.zeros(2, np.int64),
    )


def suppressed_symbols(places: Places, guide: Guide, labels: Sequence[str]) -> list[list[str]]:
    """Suppressed symbols in order, each as sorted labels."""
    roots = roots_of(places.parent, np.arange(len(labels), dtype=np.int32))
    return [
        sorted(labels[code] for code in np.flatnonzero(roots == root).tolist())
        for root in guide.order[: int(guide.n_suppressed[0])].tolist()
    ]


def percent_suppressed(guide: Guide, n_occurring: int) -> float:
    """Suppressed locations as a percentage of those that occurred."""
    return 100 * int(guide.n_suppressed[1]) / max(n_occurring, 1)


def too_many_suppressed(guide: Guide, symbols: list[list[str]], n_occurring: int, delta: float) -> Exception:
    """The error for constraints that cannot be kept."""
    if len(guide.node):
        return InternalError("A feasible length ran out of symbols to merge. This is a bug; please report it.")
    percent = percent_suppressed(guide, n_occurring)
    labels = sorted(label for symbol in symbols for label in symbol)
    shown = ", ".join(map(repr, labels[:5])) + (", …" if len(labels) > 5 else "")
    return UtilityConstraintsUnsatisfied(
        f"The utility constraints cannot be kept: {len(labels)} of {n_occurring} locations "
        f"({percent:.4g} %) had to be suppressed so far, {delta:g} % are allowed: {shown}. "
        "Widen the constraints, raise delta, or lower k or m.",
        suppressed=labels,
        percent=percent,
    )
