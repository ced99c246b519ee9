"""SafePath: synthetic trajectories from a noisy prefix tree, under differential privacy.

Guarantees epsilon-differential privacy for each person. Costs one sort of the visits and, per level of the tree and of
its taxonomies, one walk over the records that are still there.

Al-Hussaeni. Anonymizing trajectory streams and publishing trajectories under differential privacy. PhD thesis,
Concordia University, 2017, chapter 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import BadTaxonomy, TooLarge
from crypsis.hierarchy import Taxonomy
from crypsis.methods.noise_thresholds import deviations_threshold, flat_threshold
from crypsis.methods.trajectory.declared_visits import TreeHeight, VisitOrder
from crypsis.methods.trajectory.noisy_prefix_tree import Sublevel
from crypsis.methods.trajectory.prefix_synthesis import PrefixTreePlan, synthesized_from_tree
from crypsis.methods.trajectory.private_trajectories import PrivateTrajectoryMethod
from crypsis.methods.trajectory.safe_path_budgets import Budgets, printed_shares, uniform_shares
from crypsis.methods.trajectory.value_ranges import ValueRanges
from crypsis.noise import Noise, terms_of
from crypsis.noise.opendp import check_zeros
from crypsis.parameters import Above, AtLeast, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts

SCHEMES = {"uniform": "alike over all levels", "printed": "as the thesis prints it", "flat": "without taxonomies"}
THRESHOLDS = {"node": "a node's own noise", "level": "the noise of its level of the tree"}

MOST_VALUES = 1 << 22  # of one domain, where a taxonomy divides it


@dataclass(frozen=True, kw_only=True)
class SafePath(PrivateTrajectoryMethod):
    """Publish made-up trajectories whose prefixes are about as frequent as those of the real ones.

    The tree of prefixes is grown level by level: noise is added to the count of every possible next visit, and only
    what passes a threshold lives on. Counts are made consistent, then every node ends as many trajectories as its
    children leave over. With a taxonomy, places and times are narrowed down step by step, each step with a share of the
    budget; `scheme="flat"` asks for all next visits at once and often keeps more. Time grows with the visits that are
    kept and with the nodes that pass; empty nodes are drawn in bulk. Differs from the thesis: noise is discrete and
    exact, thresholds follow each node's own noise, consistency is a projection, and a person is counted once and not at
    every prefix. Each difference is explained in the documentation.

    >>> import crypsis
    >>> trips = crypsis.Events.from_lists(
    ...     [(rider, "home", 7) for rider in range(900)] + [(rider, "work", 9) for rider in range(800)])
    >>> release = crypsis.anonymize(trips, crypsis.SafePath(
    ...     epsilon=2, height=2, scheme="flat", location_domain=crypsis.LocationDomain(["home", "work", "park"]),
    ...     time_domain=crypsis.TimeDomain(0, 24)))
    >>> 700 < release.data.trajectories < 1100
    True
    >>> release.verify().holds
    True

    Al-Hussaeni. Anonymizing trajectory streams and publishing trajectories under differential privacy.
    PhD thesis, Concordia University, 2017: chapter 5, SafePath.
    """

    choose_when = "When the trips of very many people are published, and what matters is how they begin."
    costs = "Made-up trips with frequent beginnings; few people drown in the noise."
    example_options = "--height 2 --location-domain public-in-data --time-domain 0:1440:120"

    height: TreeHeight = 3
    scheme: Annotated[
        str,
        OneOf(**SCHEMES),
        "Division of epsilon: alike over all levels of the taxonomies, as the thesis prints it, or without taxonomies.",
    ] = "uniform"
    location_height: Annotated[int, Between(0, 16), "General levels of the taxonomy of locations."] = 2
    time_height: Annotated[int, Between(0, 16), "General levels of the taxonomy of times."] = 2
    fan_out: Annotated[int, Between(2, 64), "Parts that a range of locations or times is split into."] = 2
    taxonomy: Annotated[Taxonomy | None, "Taxonomy of the locations in place of equal ranges of their list."] = None
    order: VisitOrder = "canonical"
    thresholds: Annotated[
        str, OneOf(**THRESHOLDS), "Measure of the thresholds: a node's own noise, or that of its level of the tree."
    ] = "node"
    threshold: Annotated[int | None, AtLeast(1), "One threshold for all nodes in place of those."] = None
    false_children: Annotated[
        Fraction, Above(0), "Flat scheme: children made of noise alone that a node may have on average."
    ] = Fraction(1, 20)

    def synthesized(self, data: Events | PrivateParts, context: RunContext, noise: Noise) -> SyntheticTrajectories:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        locations, times = self._domains()
        locations, sublevels = self._sublevels(locations, times)
        return synthesized_from_tree(
            self,
            data,
            context,
            noise,
            PrefixTreePlan(locations, times, self.order, self.height, sublevels),
            {
                "scheme": self.scheme,
                "thresholds": {
                    step.name: [*step.budgets.general_thresholds, step.budgets.leaf_threshold] for step in sublevels
                },
            },
        )

    def _domains(self) -> tuple[LocationDomain, TimeDomain]:
        locations, times = self.declared_domains()
        if self.scheme == "flat" and len(locations) * len(times) >= 2**31:
            raise TooLarge(
                f"scheme='flat' numbers every pair of location and time, and there are "
                f"{len(locations) * len(times):,} (at most {2**31 - 1:,}); take fewer "
                "times or locations."
            )
        if self.scheme != "flat" and max(len(locations), len(times)) > MOST_VALUES:
            raise TooLarge(
                f"A domain of {max(len(locations), len(times)):,} values is too large for a "
                f"taxonomy (at most {MOST_VALUES:,}); take larger bins, or scheme='flat'."
            )
        if self.scheme == "flat" and self.noise == "opendp":
            check_zeros(len(locations) * len(times))
        return locations, times

    def _sublevels(self, locations: LocationDomain, times: TimeDomain) -> tuple[LocationDomain, tuple[Sublevel, ...]]:
        """The steps from a node to its children, and the locations in the order of their taxonomy."""
        if self.scheme == "flat":
            pairs = ValueRanges.balanced(len(locations) * len(times), self.fan_out, 0)
            return locations, (Sublevel("pairs", pairs, self._budgets(self.epsilon / self.height, pairs)),)
        share = self.epsilon / (2 * self.height)
        if self.taxonomy is None:
            places = ValueRanges.balanced(len(locations), self.fan_out, self.location_height)
        else:
            places, leaves = ValueRanges.of_taxonomy(self.taxonomy)
            locations = locations.reordered(_order_of(leaves, locations))
        moments = ValueRanges.balanced(len(times), self.fan_out, self.time_height)
        return locations, (
            Sublevel("locations", places, self._budgets(share, places)),
            Sublevel("times", moments, self._budgets(share, moments)),
        )

    def _budgets(self, share: Fraction, ranges: ValueRanges) -> Budgets:
        if self.scheme == "printed":
            general, leaf = printed_shares(share, ranges.size, ranges.height)
        else:
            general, leaf = uniform_shares(share, ranges.height)
        for part in (*general, leaf):
            terms_of(part)  # refused here, before anything is charged, if it has too many digits
        if self.threshold is not None:
            return Budgets(general, leaf, (self.threshold,) * len(general), self.threshold)
        if self.scheme == "flat":
            return Budgets(general, leaf, (), flat_threshold(leaf, ranges.size, self.false_children))
        level = self.epsilon / self.height
        return Budgets(
            general,
            leaf,
            tuple(deviations_threshold(4, level if self.thresholds == "level" else node) for node in general),
            deviations_threshold(2, level if self.thresholds == "level" else leaf),
        )


def _order_of(leaves: list[str], locations: LocationDomain) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where the leaves of a taxonomy stand in the domain; they must be the same labels."""
    if len(leaves) != len(locations) or set(leaves) != set(locations.labels):
        odd = sorted(set(leaves) ^ set(locations.labels))[0]
        raise BadTaxonomy(
            f"The leaves of the taxonomy are not the locations of the domain: {odd!r} is in one of them only.", node=odd
        )
    return np.array([locations.vocabulary.code(leaf) for leaf in leaves], np.int64)
