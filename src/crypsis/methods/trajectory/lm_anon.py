"""LmAnon: (k,l)^m-anonymous trajectories by merging nearby locations, all rows recoded alike.

Costs what SeqAnon costs, with one count more per sensitive location, and twice as much as a last round only looks.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. IEEE ICDM Workshops 2013, 867-874.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.methods.trajectory.diverse_method import DiverseMethod
from crypsis.run_context import RunContext


@dataclass(frozen=True, kw_only=True)
class LmAnon(DiverseMethod):
    """Merge nearby locations until k share every subsequence and no secret is likely for any of them.

    As SeqAnon over the locations that are not sensitive, but a subsequence is also merged while more than one in l
    of those who share it visited the same sensitive location. As merging can raise such a share elsewhere, all sizes
    are gone through again until nothing is left to do. Sensitive locations are published as they are.
    Differs from the paper: l bounds a probability instead of a count, the rounds are repeated, and where l cannot be
    reached the run says so or deletes sensitive visits.

    >>> import crypsis
    >>> places = crypsis.Locations.of({"home": (0, 0), "park": (0, 1), "shop": (5, 5), "clinic": (9, 9)})
    >>> walks = crypsis.Trajectories.from_lists(
    ...     [["home", "shop", "clinic"], ["park", "shop"], ["home", "shop"], ["shop"]],
    ...     locations=places.marked(["clinic"]))
    >>> release = crypsis.anonymize(walks, crypsis.LmAnon(k=2, l=2, m=2))
    >>> release.data.to_lists()[0]
    [['home', 'park'], 'shop', 'clinic']
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Select-Organize-Anonymize: A framework for trajectory data
    anonymization. IEEE ICDM Workshops 2013, 867-874: l^m-ANON.
    """

    choose_when = (
        "When some places are sensitive and must be published as they are, and every place means the same in all rows."
    )
    costs = "Other places are joined more than without sensitive ones."
    example_options = "--sensitive 'Night Pharmacy'"
    stages = ("split", "anonymize", "publish")

    def anonymize(self, data: Trajectories, context: RunContext) -> PublishedTrajectories:
        with context.stage("split"):
            split = self._split(data)
        return self._recoded(split, [np.arange(len(data))], context)
