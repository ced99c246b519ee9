"""TFirst: (k,k^m)-anonymous tables with items, the items first and the table as it then has to be.

Guarantees (k,k^m)-anonymity, and (k,l^m)-diversity where items are sensitive. Costs n^2 / k comparisons of records. A
baseline: what it loses in the table is what clusters of similar records save.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. ECML PKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Int64s
from crypsis.errors import TooFewRecords
from crypsis.kernels.cluster_merging import union_costs
from crypsis.kernels.transaction_clusters import clusters_by_items
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.mixed_method import MixedMethod
from crypsis.methods.mixed.recoded_clusters import Prepared
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class TFirst(MixedMethod):
    """Cluster records by their items alone, generalize these, and give each cluster the cells that its records need.

    A cluster is a record with the k - 1 records whose items differ least from its own; those left over join the record
    that started the nearest cluster. Clusters that get equal cells are one. Nobody looks at the table, so its cells
    are nearly as wide as the columns; RumBound and TumBound look at both sides. The relational method and its
    parameters are not used.
    Time grows with n^2 / k for n records.
    Differs from the paper: which says no more than that the items come first.

    >>> import crypsis, polars
    >>> people = polars.DataFrame(
    ...     {"age": [20, 22, 38, 41], "codes": [["flu"], ["cold", "burn"], ["flu"], ["cold", "burn"]]})
    >>> data = crypsis.Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    >>> release = crypsis.anonymize(data, crypsis.TFirst(k=2, m=2))
    >>> release.data.to_frame().rows()[0]
    ('[20:38]', '["flu"]')
    >>> release.verify().holds
    True

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369: the transaction attribute first.
    """

    choose_when = "As a baseline: what the columns lose when nobody cares for them."
    costs = "The items lose as little as possible, the columns often nearly everything."
    stages = ("prepare", "form clusters", "generalize items", "publish")

    def clusters(self, prepared: Prepared, context: RunContext) -> Clusters:
        recoder, n_records = prepared.recoder, len(prepared.data)
        people = prepared.data.transactions.people
        if people < self.k:
            counted = "people" if len(recoder.person) else "records"
            raise TooFewRecords(
                f"No ({self.k},{self.k}^m)-anonymous release exists: there are {people} {counted}. Add records or "
                "lower k.",
                have=people,
                required=self.k,
            )
        with context.stage("form clusters"):
            order = np.arange(n_records)
            if self.seeds == "random":
                order = np.random.default_rng(self.seed).permutation(n_records)
            formed = Clusters(prepared.quasi, clusters_by_items(recoder.offsets, recoder.items, self.k, order)).united()
            return formed if not len(recoder.person) else united_until_enough(formed, recoder.person, self.k)


def united_until_enough(clusters: Clusters, person: Int64s, k: int) -> Clusters:
    """Clusters of fewer than k people united with the cluster that costs least, those of the fewest people first."""
    while True:
        pairs = np.unique(clusters.cluster_of * (int(person.max()) + 1) + person)
        people = np.bincount(pairs // (int(person.max()) + 1), minlength=len(clusters))
        if int(people.min()) >= k or len(clusters) == 1:
            return clusters
        seed = int(np.argmin(people))
        others = np.delete(np.arange(len(clusters)), seed)
        costs = union_costs(clusters.quasi.attributes, clusters.cells(), seed, others)
        joined = clusters.cluster_of.copy()
        joined[joined == seed] = others[int(np.argmin(costs))]
        _, joined = np.unique(joined, return_inverse=True)
        clusters = Clusters(clusters.quasi, joined.astype(np.int64)).united()
