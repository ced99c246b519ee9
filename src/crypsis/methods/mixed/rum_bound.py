"""RumBound: (k,k^m)-anonymous tables with items, the loss of the table bounded and the loss of the items made small.

Guarantees (k,k^m)-anonymity, (k,l^m)-diversity where items are sensitive, and NCP within delta. Costs what the two
methods that it joins cost, and one look at every pair of clusters.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. ECML PKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from crypsis.errors import Infeasible
from crypsis.methods.mixed.bounded_method import BoundedMethod
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.merging import Order, merged_within
from crypsis.methods.mixed.recoded_clusters import Prepared
from crypsis.parameters import Between, OneOf
from crypsis.run_context import RunContext

POLICIES = {"exhaustive": "until no two clusters fit", "paper": "as the paper prints it"}


@dataclass(frozen=True, kw_only=True)
class RumBound(BoundedMethod):
    """Form clusters of k similar records, unite them while the table's loss stays within delta, then generalize items.

    A larger cluster needs less generalization of its items, so what the bound leaves free is spent on them. The next
    cluster to be united is the one that loses least; its partner is the one whose records are most alike in the table
    (`merge="r"`), in their items ("t"), or in both ("rt").
    Time grows with the square of the number of clusters, and with what generalizing the items of each costs.
    Differs from the paper: `policy="exhaustive"` goes on until no two clusters fit, the printed rule gives up with the
    first that finds no partner; clusters whose items cannot be generalized are united first; the loss of an item that
    is published as itself is 0.

    >>> import crypsis, polars
    >>> people = polars.DataFrame(
    ...     {"age": [20, 22, 38, 41], "codes": [["flu"], ["flu", "burn"], ["cold"], ["cold", "burn"]]})
    >>> data = crypsis.Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    >>> release = crypsis.anonymize(data, crypsis.RumBound(k=2, m=2, delta=0.2))
    >>> release.data.to_frame().rows()[0]
    ('[20:22]', '[["burn","flu"]]')
    >>> release.verify().holds
    True

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369: Rum-BOUND with RMERGE_R, RMERGE_T and RMERGE_RT.
    """

    choose_when = "When the columns matter most, and their loss must stay below a number that you state."
    costs = "What the bound leaves free is spent on the items."

    delta: Annotated[float, Between(0, 1), "Largest loss of the table (NCP): 0 is none, 1 is everything."] = 0.65
    policy: Annotated[str, OneOf(**POLICIES), "Unite until no two clusters fit, or stop as the paper prints it."] = (
        "exhaustive"
    )

    @property
    def bounded(self) -> dict[str, Any]:
        return {} if self.weights is not None else {"ncp": self.delta}

    def clusters(self, prepared: Prepared, context: RunContext) -> Clusters:
        with context.stage("form clusters"):
            formed = self.formed(prepared)
            context.private["clusters_formed"] = len(formed)
        if formed.room(self.delta) < 0:
            least = prepared.quasi.loss(formed.cost())
            raise Infeasible(
                f"{type(self).__name__}: the clusters of '{self.relational}' already lose {float(least):.6g} of the "
                f"table, more than delta={self.delta:g}. Raise delta to at least that, lower k, or choose another "
                "relational method.",
                least_delta=float(least),
            )
        with context.stage("unite clusters"):
            order = Order(self.merge, self.score)
            return merged_within(formed, prepared.recoder, order, self.delta, self.policy == "paper", context)
