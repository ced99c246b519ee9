"""TumBound: (k,k^m)-anonymous tables with items, the loss of the items bounded and the loss of the table kept small.

Guarantees (k,k^m)-anonymity, (k,l^m)-diversity where items are sensitive, and UL within delta. Costs what the two
methods that it joins cost, and one generalization of items for every union of clusters.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. ECML PKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Annotated, Any

from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.errors import Infeasible
from crypsis.guarantees import Guarantee, KKmAnonymity, KLmDiversity
from crypsis.methods.mixed.bounded_method import BoundedMethod
from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.loss_bound import published_loss_is_within
from crypsis.methods.mixed.merging import Order, WorkingClusters
from crypsis.methods.mixed.recoded_clusters import Prepared
from crypsis.methods.transaction.people import unit_of
from crypsis.parameters import Between
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class TumBound(BoundedMethod):
    """Form clusters of k similar records, and unite them until the loss of their generalized items is within delta.

    The next cluster to be united is the one that loses least; its partner is the one whose records are most alike in
    the table (`merge="r"`), in their items ("t"), or in both ("rt"). As soon as the items lose at most delta nothing
    more is united, so the table keeps what it can.
    Time grows with the unions that are needed, each of which generalizes the items of one cluster again.
    Differs from the paper: every union is kept, where the printed rule forgets all but the last; uniting can also raise
    the loss, so `best_effort` returns the best clusters that were seen where none are good enough.

    >>> import crypsis, polars
    >>> people = polars.DataFrame(
    ...     {"age": [20, 22, 38, 41], "codes": [["flu", "burn"], ["cold"], ["cold", "burn"], ["flu"]]})
    >>> data = crypsis.Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    >>> release = crypsis.anonymize(data, crypsis.TumBound(k=2, m=1, delta=0.3))
    >>> release.data.to_frame().rows()[0]
    ('[20:41]', '["burn","flu"]')
    >>> release.verify().holds
    True

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369: Tum-BOUND with TMERGE_R, TMERGE_T and TMERGE_RT.
    """

    choose_when = "When the items matter most, and their loss must stay below a number that you state."
    costs = "The columns keep what they can; some bounds cannot be kept."

    delta: Annotated[float, Between(0, 1), "Largest loss of the items (UL): 0 is none, 1 is everything."] = 0.65
    best_effort: Annotated[
        bool, "Where delta cannot be kept, release the clusters whose items lose least, without a bound on the loss."
    ] = False

    @property
    def bounded(self) -> dict[str, Any]:
        return {"ul": self.delta} if self.item_loss == "zero" else {}

    @property
    def publishes_shards_here(self) -> bool:
        """Not with best effort: whether the loss is promised follows from all published records."""
        return super().publishes_shards_here and not self.best_effort

    def guarantee_of(self, data: Mixed, published: PublishedMixed) -> Guarantee:
        if not self.best_effort or not self.bounded or published_loss_is_within(published, self.delta):
            return super().guarantee_of(data, published)
        if published.sensitive:
            return KLmDiversity(k=self.k, l=self.l, m=self.m, unit=unit_of(data.transactions))
        return KKmAnonymity(k=self.k, m=self.m, unit=unit_of(data.transactions))

    def clusters(self, prepared: Prepared, context: RunContext) -> Clusters:
        with context.stage("form clusters"):
            formed = self.formed(prepared)
            context.private["clusters_formed"] = len(formed)
        with context.stage("unite clusters"):
            working = WorkingClusters.of(formed, prepared.recoder, Order(self.merge, self.score))
            clusters, losses = working.merged_until(self.delta, context)
            context.private["merges"] = len(losses) - 1
            context.private["ul_after_each_merge"] = [loss if isfinite(loss) else None for loss in losses]
        if not working.is_within(losses[-1], self.delta):
            least = min(losses)
            if not isfinite(least) or not self.best_effort:
                seen = f"the smallest seen is {least:.6g}" if isfinite(least) else "no clusters could be generalized"
                raise Infeasible(
                    f"{type(self).__name__}: the items cannot be published with a loss of at most "
                    f"delta={self.delta:g}; {seen}. Raise delta, lower k or m, or ask for best_effort.",
                    least_delta=least if isfinite(least) else None,
                )
            context.warn(f"the items lose {least:.6g}, more than delta={self.delta:g}; that is the best that was seen")
        return clusters
