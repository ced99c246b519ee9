"""The clusters of a mixed dataset: which records belong together, what their cells cost, and the BTD of their items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int64s
from crypsis.kernels.class_cells import ClassCells, class_cells, class_costs
from crypsis.kernels.cluster_merging import records_by_cluster
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.relational.cluster import cell_keys
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, eq=False)
class Clusters:
    """`cluster_of` numbers the cluster of each record, -1 where it is suppressed."""

    quasi: QuasiIdentifiers
    cluster_of: Int64s

    @classmethod
    def of_lists(cls, quasi: QuasiIdentifiers, members: Sequence[Int64s]) -> Clusters:
        cluster_of = np.full(len(quasi.table), -1, np.int64)
        for index, rows in enumerate(members):
            cluster_of[rows] = index
        return cls(quasi, cluster_of)

    def __len__(self) -> int:
        return int(self.cluster_of.max(initial=-1)) + 1

    @property
    def suppressed(self) -> int:
        return int(np.count_nonzero(self.cluster_of < 0))

    @property
    def sizes(self) -> Int64s:
        return np.bincount(self.cluster_of[self.cluster_of >= 0], minlength=len(self)).astype(np.int64)

    def cells(self) -> ClassCells:
        """The tightest cells of every cluster."""
        return class_cells(self.quasi.codes, self.cluster_of, len(self), self.quasi.bit_start)

    def members(self) -> tuple[Int64s, Int64s]:
        """Where each cluster starts, and the records cluster by cluster, ascending."""
        return records_by_cluster(self.cluster_of, len(self))

    def lists(self) -> list[Int64s]:
        """The records of each cluster."""
        starts, rows = self.members()
        return np.split(rows, starts[1:-1]) if len(self) else []

    def cost(self) -> int:
        """What all records cost together; a suppressed one costs everything."""
        costs = class_costs(self.quasi.attributes, self.cells())
        return int((costs * self.sizes).sum()) + self.suppressed * self.quasi.denominator

    def room(self, delta: float) -> int:
        """How much may be added to the cost of all records until the loss exceeds delta, as its decimal text says it.

        Where costs are rounded, as much less as the rounding of all cells may have hidden.
        """
        n_records = max(len(self.quasi.table), 1)
        limit = int(Fraction(repr(delta)) * self.quasi.denominator * n_records)
        rounding = 0 if self.quasi.exact else n_records * len(self.quasi)
        return limit - rounding - self.cost()

    def classes(self) -> Int64s:
        """The class of each cluster: clusters with equal cells are of one."""
        return row_classes(cell_keys(self.quasi, self.cells()))[0]

    def united(self) -> Clusters:
        """Clusters with equal cells are one."""
        if not len(self):
            return self
        united = self.classes()
        kept = self.cluster_of >= 0
        cluster_of = np.where(kept, united[self.cluster_of], -1)
        return Clusters(self.quasi, cluster_of)
