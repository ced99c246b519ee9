"""RFirst: (k,k^m)-anonymous tables with items, the table first and the items as they then have to be.

Guarantees (k,k^m)-anonymity, and (k,l^m)-diversity where items are sensitive. Costs what the two methods cost that it
joins. A baseline: what it loses in the items is what uniting clusters saves.

Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. ECML PKDD 2013.
"""

from __future__ import annotations

from dataclasses import dataclass

from crypsis.methods.mixed.clusters import Clusters
from crypsis.methods.mixed.mixed_method import MixedMethod
from crypsis.methods.mixed.recoded_clusters import Prepared
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class RFirst(MixedMethod):
    """Make the table k-anonymous, then generalize the items inside each class of it until k records share them.

    Classes of hardly more than k records leave the items no choice, so they lose nearly everything; RumBound and
    TumBound unite classes to avoid that. A class in which some records have items, and fewer than k, has no release.
    Time is that of the two methods.
    Differs from the paper: nothing; it is the simple way that the paper argues against.

    >>> import crypsis, polars
    >>> people = polars.DataFrame(
    ...     {"age": [20, 22, 38, 41], "codes": [["flu"], ["flu", "burn"], ["cold"], ["cold", "burn"]]})
    >>> data = crypsis.Mixed.from_frame(people, {"age": "quasi"}, {"codes": None})
    >>> release = crypsis.anonymize(data, crypsis.RFirst(k=2, m=2))
    >>> release.data.to_frame().rows()[0]
    ('[20:22]', '[["burn","flu"]]')
    >>> release.verify().holds
    True

    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos. Anonymizing data with relational and transaction attributes.
    ECML PKDD 2013, 353-369: the relational attributes first.
    """

    choose_when = "As a baseline: what the items lose when nobody cares for them."
    costs = "The columns lose as little as possible, the items often nearly everything."
    stages = ("prepare", "form clusters", "generalize items", "publish")

    def clusters(self, prepared: Prepared, context: RunContext) -> Clusters:
        with context.stage("form clusters"):
            return self.formed(prepared)
