"""SeqAnon: k^m-anonymous trajectories by merging nearby locations, short subsequences first.

Guarantees k^m-anonymity. Costs one enumeration of the subsequences of each size plus, per merge, the
trajectories of the rarer location.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Transactions on Data Privacy 7, 2014, 165-194.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from crypsis.data.arrays import Int32s
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OwnerRepeated
from crypsis.guarantees import KmAnonymity
from crypsis.journal import Journal
from crypsis.methods.method import Method
from crypsis.methods.trajectory.feasibility import (
    check_enough,
    individuals_by_length,
    infeasible_length,
    infeasible_size,
)
from crypsis.methods.trajectory.merging import LocationMerging
from crypsis.parameters import AtLeast, OneOf


@dataclass(frozen=True, kw_only=True)
class SeqAnon(Method):
    """Merge nearby locations until k trajectories share every subsequence of up to m of them.

    Sizes go up from 1 to m, so a rare pair is only looked for once single locations are safe. Each merge joins the
    rarest location of a rare subsequence with the one nearest to it (average linkage).
    Time grows with n * L^m for n trajectories of length L; m above 3 is rarely practical.
    Differs from the paper: feasibility is tested first, equal distances are settled by the order of the location
    table, subsequences are taken from the merged data, and supports are kept up to date instead of recounted.

    >>> import crypsis
    >>> places = {"home": (0, 0), "park": (0, 1), "clinic": (5, 5), "shop": (5, 6)}
    >>> walks = crypsis.Trajectories.from_lists(
    ...     [["home", "shop"], ["park", "clinic"], ["home", "clinic"], ["park", "shop"]], locations=places)
    >>> release = crypsis.anonymize(walks, crypsis.SeqAnon(k=3, m=2))
    >>> release.data.to_lists()[0]
    [['home', 'park'], ['clinic', 'shop']]
    >>> release.verify().holds
    True

    Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for
    k^m-anonymizing trajectory data. Transactions on Data Privacy 7, 2014, 165-194: SEQANON.
    """

    accepts: ClassVar[type] = Trajectories
    family: ClassVar[str] = "trajectory"
    promises: ClassVar[type[KmAnonymity]] = KmAnonymity
    stages: ClassVar[tuple[str, ...]] = ("feasibility", "count size 1..m", "merge size 1..m", "publish")
    needs: ClassVar[tuple[str, ...]] = ("coordinates",)

    k: Annotated[int, AtLeast(1), "Trajectories that must share each subsequence."] = 5
    m: Annotated[int, AtLeast(0), "Longest subsequence the adversary may know."] = 2
    on_infeasible: Annotated[
        str,
        OneOf("error", "truncate"),
        "When too few trajectories are long: stop, or cut the long ones to the length that can be protected.",
    ] = "error"
    unit: Annotated[
        str | None,
        OneOf("trajectory", "owner"),
        "What counts as one individual where owners have several trajectories; then it must be chosen.",
    ] = None
    apriori: Annotated[
        bool,
        "False starts at size m at once: a benchmark baseline that leaves shorter trajectories unprotected.",
    ] = True

    @property
    def guarantee(self) -> KmAnonymity:
        return KmAnonymity(k=self.k, m=self.m, unit=self.unit or "trajectory")

    @property
    def assured(self) -> bool:
        return self.apriori

    def anonymize(self, data: Trajectories, journal: Journal) -> PublishedTrajectories:
        x, y = data.locations.coordinates(type(self).__name__)
        groups = self._individuals(data)
        with journal.stage("feasibility"):
            longest = self._longest_feasible(data, groups)
            kept = data if longest is None else data.truncated(longest)
        state = LocationMerging(kept, x, y, groups)
        if self.k > 1:
            largest = min(self.m, int(kept.lengths.max(initial=0)))
            for size in range(1 if self.apriori else max(self.m, 1), largest + 1):
                state.make_frequent(size, self.k, journal)
        with journal.stage("publish"):
            published = _published(kept, state.representatives(), longest)
            journal.private.update(_private_facts(data, published, state))
        return published

    def _individuals(self, data: Trajectories) -> Int32s:
        if self.unit is None and data.owner_repeats:
            raise OwnerRepeated(
                "Some owners have several trajectories. Choose unit='owner' to protect people, "
                "or unit='trajectory' to protect single trajectories."
            )
        if self.unit == "owner" and data.owners is None:
            raise NotApplicable("SeqAnon: unit='owner' needs data with an owner for each trajectory.")
        return data.groups(self.unit or "trajectory")

    def _longest_feasible(self, data: Trajectories, groups: Int32s) -> int | None:
        """The length to cut trajectories to, None if merging alone suffices."""
        unit = self.unit or "trajectory"
        reached = individuals_by_length(data, groups, min(self.m, int(data.lengths.max(initial=0)) + 1))
        check_enough(reached, self.k, unit)
        size = infeasible_size(reached, self.k)
        if size is None:
            return None
        if self.on_infeasible == "error":
            raise infeasible_length(size, int(reached[size - 1]), self.k, unit)
        return size - 1


def _published(kept: Trajectories, representatives: Int32s, longest: int | None) -> PublishedTrajectories:
    symbols, symbol_of_code = Symbols.of_partition(kept.locations.vocabulary, representatives)
    codes = symbol_of_code[kept.codes]
    return PublishedTrajectories(kept.offsets, codes, symbols, longest, kept.owners)


def _private_facts(data: Trajectories, published: PublishedTrajectories, state: LocationMerging) -> dict[str, Any]:
    """What the publisher may look at and nobody else: merges in order, the partition, what was cut."""
    cut = np.flatnonzero(data.lengths > published.lengths)
    suppressed = [
        (int(row), position) for row in cut for position in range(int(published.lengths[row]), int(data.lengths[row]))
    ]
    empty = int((published.lengths == 0).sum())
    return {
        "merges": state.merges,
        "partition": [list(names) for names in published.symbols.label_lists],
        "suppressed_occurrences": suppressed,
        "lost": [],
        "accounting": {
            "input": len(data),
            "published": len(published) - empty,
            "published_as_empty": empty,
            "lost": 0,
        },
    }
