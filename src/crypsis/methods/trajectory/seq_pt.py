"""SeqPT: synthetic trajectories from a noisy prefix tree that visits every possible child, under differential privacy.

Guarantees epsilon-differential privacy for each person. Costs a draw for each possible visit under each node that
lives, so it finishes only for small domains and low trees. It is here to be compared with.

Chen, Fung, Desai, Sossou. Differentially private transit data publication: a case study on the Montreal
transportation system. KDD 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from crypsis.data.stream import Events
from crypsis.data.synthetic import SyntheticTrajectories
from crypsis.errors import TooLarge
from crypsis.methods.noise_thresholds import deviations_threshold
from crypsis.methods.trajectory.declared_visits import TreeHeight, VisitOrder
from crypsis.methods.trajectory.noisy_prefix_tree import Sublevel
from crypsis.methods.trajectory.prefix_synthesis import PrefixTreePlan, synthesized_from_tree
from crypsis.methods.trajectory.private_trajectories import PrivateTrajectoryMethod
from crypsis.methods.trajectory.safe_path_budgets import Budgets
from crypsis.methods.trajectory.value_ranges import ValueRanges
from crypsis.noise import Noise, pass_probability, terms_of
from crypsis.noise.opendp import check_zeros
from crypsis.parameters import AtLeast
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts

MOST_DRAWS = 1 << 31


@dataclass(frozen=True, kw_only=True)
class SeqPT(PrivateTrajectoryMethod):
    """Publish made-up trajectories from a prefix tree in which every possible next visit is drawn by itself.

    The plain form of what SafePath does with `scheme="flat"`: each level has an equal part of epsilon, all pairs of
    location and time get a noisy count under each node, and those of two standard deviations or more live on. With that
    threshold about three in a hundred empty children live, and have children of their own, so time grows with
    (locations * times / 33) ^ height. A run that is expected to draw more than two thousand million counts is refused.
    Differs from the paper: visits are pairs of location and time, noise is discrete and exact, and consistency and
    copies are those of SafePath.

    >>> import crypsis
    >>> trips = crypsis.Events.from_lists(
    ...     [(rider, "home", 7) for rider in range(900)] + [(rider, "work", 9) for rider in range(800)])
    >>> release = crypsis.anonymize(trips, crypsis.SeqPT(
    ...     epsilon=2, height=2, location_domain=crypsis.LocationDomain(["home", "work", "park"]),
    ...     time_domain=crypsis.TimeDomain(0, 24)))
    >>> 700 < release.data.trajectories < 1300
    True
    >>> release.verify().holds
    True

    Chen, Fung, Desai, Sossou. Differentially private transit data publication: a case study on the Montreal
    transportation system. KDD 2012, 213-221.
    """

    choose_when = "To compare with SafePath, or where a plain method is easier to explain."
    costs = "As SafePath, and slow for anything but small domains."
    example_options = "--height 1 --location-domain public-in-data --time-domain 0:1440:360"

    height: TreeHeight = 2
    order: VisitOrder = "canonical"
    threshold: Annotated[int | None, AtLeast(1), "One threshold for all nodes in place of two deviations."] = None

    def synthesized(self, data: Events | PrivateParts, context: RunContext, noise: Noise) -> SyntheticTrajectories:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        plan = self._plan()
        threshold = plan.sublevels[0].budgets.leaf_threshold
        facts = {"scheme": "an equal part for each level", "thresholds": {"pairs": [threshold]}}
        return synthesized_from_tree(self, data, context, noise, plan, facts, one_by_one=True)

    def _plan(self) -> PrefixTreePlan:
        """Everything public; refuses, before anything is charged, what cannot end."""
        locations, times = self.declared_domains()
        share = self.epsilon / self.height
        terms_of(share)
        threshold = deviations_threshold(2, share) if self.threshold is None else self.threshold
        pairs = len(locations) * len(times)
        draws = self._expected_draws(pairs, share, threshold)
        if draws > MOST_DRAWS:
            raise TooLarge(
                f"SeqPT draws every possible visit under every node, and noise alone would make it draw about "
                f"{float(draws):.2g} counts (at most {MOST_DRAWS:,}). Take SafePath with scheme='flat', which draws "
                "them in bulk with the same law, or a lower height, fewer times, a higher threshold."
            )
        if self.noise == "opendp":
            check_zeros(int(draws))
        ranges = ValueRanges.balanced(pairs, 2, 0)
        sublevel = Sublevel("pairs", ranges, Budgets((), share, (), threshold))
        return PrefixTreePlan(locations, times, self.order, self.height, (sublevel,))

    def _expected_draws(self, pairs: int, share: Fraction, threshold: int) -> Fraction:
        """The draws that are expected on no data at all: a public number."""
        false = pairs * pass_probability(share, threshold).bounds()[1]
        nodes, draws, divisor = Fraction(1), Fraction(0), 1
        for level in range(self.height):
            if self.order == "canonical":  # of all tuples of visits, only the ascending ones can be
                divisor *= level + 1
            draws += nodes * pairs / divisor
            nodes *= false
        return draws
