"""ZGA: (k,l)^m-anonymous trajectories, rows with nearby locations recoded together.

Costs one sort of the rows; the clusters are smaller problems than the whole.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. IEEE ICDM Workshops 2013, 867-874.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.methods.trajectory.cluster_parameters import ClusterCount
from crypsis.methods.trajectory.clustering import consecutive_clusters, in_order_of_appearance, keys_in_gray_order
from crypsis.methods.trajectory.diverse_method import DiverseMethod
from crypsis.methods.trajectory.z_order import grid_cells, z_order
from crypsis.parameters import Above
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class ZGA(DiverseMethod):
    """Cluster trajectories through nearby locations along a Z-curve, and merge locations in each cluster.

    Locations that are not sensitive are numbered along a Z-curve through their grid cells; the key of a trajectory
    has one bit for each, and trajectories are cut into clusters in the Gray order of their keys. Each cluster is
    recoded by itself as LmAnon does, so a location may be merged with others in one cluster and stay intact in another.
    Differs from the paper: sizes that do not divide evenly, and clusters that cannot be protected alone, which are
    united with their neighbours.

    >>> import crypsis
    >>> places = crypsis.Locations.of({"home": (0, 0), "park": (0, 1), "shop": (5, 5), "clinic": (9, 9)})
    >>> walks = crypsis.Trajectories.from_lists(
    ...     [["home", "clinic"], ["shop"], ["park"], ["shop", "clinic"], ["home"], ["shop"]],
    ...     locations=places.marked(["clinic"]))
    >>> release = crypsis.anonymize(walks, crypsis.ZGA(k=2, l=2, m=1, clusters=2))
    >>> release.data.to_lists()[:3]
    [[['home', 'park'], 'clinic'], ['shop'], [['home', 'park']]]
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Select-Organize-Anonymize: A framework for trajectory data
    anonymization. IEEE ICDM Workshops 2013, 867-874: ZGA.
    """

    choose_when = "With sensitive places, when people move in different parts of the map."
    costs = "A place may be joined with different ones in different rows."
    example_options = "--sensitive 'Night Pharmacy' --cell 100"
    on_parts = "`clusters` in each block"
    stages = ("select", "organize", "anonymize", "publish")

    clusters: ClusterCount = 5
    cell: Annotated[
        float | None,
        Above(0),
        "Side of the grid cells of the Z-curve; by default coordinates are cell numbers themselves.",
    ] = None

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        with context.stage("select"):
            columns, rows = grid_cells(data.locations, type(self).__name__, self.cell)
            split = self._split(data, self.clusters)
            selected = z_order(np.flatnonzero(split.known.occurring), columns, rows)
        with context.stage("organize"):
            bit_of_code = np.full(len(data.locations), -1, np.int64)
            bit_of_code[selected] = np.arange(len(selected))
            individuals = in_order_of_appearance(split.groups)
            owners = np.repeat(individuals, split.known.lengths).astype(np.int64)
            order = keys_in_gray_order(int(individuals.max(initial=-1)) + 1, owners, bit_of_code[split.known.codes])
            clusters = consecutive_clusters(individuals, order, self.clusters)
        return self._recoded(split, clusters, context)
