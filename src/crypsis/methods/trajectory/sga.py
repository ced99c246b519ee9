"""SGA: (k,l)^m-anonymous trajectories, rows with the same frequent subtrajectories recoded together.

Costs one search for the most frequent subtrajectories and one sort of the rows.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. IEEE ICDM Workshops 2013, 867-874.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.kernels.top_patterns import containing_patterns
from crypsis.methods.trajectory.cluster_parameters import ClusterCount
from crypsis.methods.trajectory.clustering import consecutive_clusters, in_order_of_appearance, keys_in_gray_order
from crypsis.methods.trajectory.diverse_method import DiverseMethod
from crypsis.methods.trajectory.frequent_subtrajectories import frequent_subtrajectories
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class SGA(DiverseMethod):
    """Cluster trajectories that contain the same frequent subtrajectories, and merge locations in each cluster.

    The most frequent subtrajectories without sensitive locations are selected, longer ones first among equally
    frequent ones; the key of a trajectory has one bit for each, and trajectories are cut into clusters in the Gray
    order of their keys. Each cluster is recoded by itself as LmAnon does.
    Differs from the paper: ties are settled, sizes need not divide evenly, and clusters that cannot be protected alone
    are united with their neighbours.

    >>> import crypsis
    >>> places = crypsis.Locations.of({"home": (0, 0), "park": (0, 1), "shop": (5, 5), "clinic": (9, 9)})
    >>> walks = crypsis.Trajectories.from_lists(
    ...     [["home", "clinic"], ["shop"], ["park"], ["shop", "clinic"], ["home"], ["shop"]],
    ...     locations=places.marked(["clinic"]))
    >>> release = crypsis.anonymize(walks, crypsis.SGA(k=2, l=2, m=1, clusters=2, patterns=1))
    >>> release.data.to_lists()[:3]
    [[['home', 'park'], 'clinic'], ['shop'], [['home', 'park']]]
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Select-Organize-Anonymize: A framework for trajectory data
    anonymization. IEEE ICDM Workshops 2013, 867-874: SGA.
    """

    choose_when = "With sensitive places, when many people share parts of their way, such as commuters."
    costs = "A place may be joined with different ones in different rows; popular parts stay."
    example_options = "--sensitive 'Night Pharmacy'"
    on_parts = "`clusters` in each block"
    stages = ("select", "organize", "anonymize", "publish")

    clusters: ClusterCount = 5
    patterns: Annotated[int, AtLeast(1), "Frequent subtrajectories that rows are arranged by (K in the paper)."] = 10
    max_size: Annotated[int | None, AtLeast(1), "Longest subtrajectory that is looked for; by default any."] = None

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        with context.stage("select"):
            split = self._split(data, self.clusters)
            selected = frequent_subtrajectories(split.known, split.groups, self.patterns, self.max_size)
        with context.stage("organize"):
            holds = containing_patterns(split.known.offsets, split.known.codes, selected.offsets, selected.codes)
            rows, bits = np.nonzero(holds)
            individuals = in_order_of_appearance(split.groups)
            order = keys_in_gray_order(int(individuals.max(initial=-1)) + 1, individuals[rows].astype(np.int64), bits)
            clusters = consecutive_clusters(individuals, order, self.clusters)
        return self._recoded(split, clusters, context)
