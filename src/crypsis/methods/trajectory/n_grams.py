"""NGrams: synthetic trajectories from noisy counts of short runs of visits, under differential privacy.

Guarantees epsilon-differential privacy for each person. Costs one walk over the visits per length of a gram, and one
step of a Markov chain for each visit that is made up.

Chen, Acs, Castelluccia. Differentially private sequential data publication via variable-length n-grams. CCS 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import POSITIONS, SyntheticTrajectories
from crypsis.errors import TooLarge
from crypsis.kernels.row_classes import row_classes
from crypsis.methods.trajectory.gram_records import (
    MEMORY_PER_FILE_BYTE,
    GramRecords,
    GramsHere,
    GramsInShards,
    Sequences,
)
from crypsis.methods.trajectory.noisy_grams import GramSpace, grow_grams, synthesized_sequences
from crypsis.methods.trajectory.private_trajectories import PrivateTrajectoryMethod
from crypsis.methods.trajectory.timed_visits import send_visits, timed_visits, visits_by_person
from crypsis.methods.trajectory.walking_records import Visits
from crypsis.noise import Entropy, Noise, SystemEntropy, terms_of
from crypsis.noise.opendp import check_zeros
from crypsis.parameters import AtLeast, Between, OneOf
from crypsis.run_context import RunContext
from crypsis.shards.private import PrivateParts

TOKENS = {"visits": "places with their times", "places": "places alone"}


@dataclass(frozen=True, kw_only=True)
class NGrams(PrivateTrajectoryMethod):
    """Publish made-up trajectories that continue as the frequent short runs of visits of the real ones do.

    Runs of up to `grams` visits are counted wherever they occur in a trajectory, with noise, and those that pass a
    threshold are the contexts of a Markov chain. It begins as trajectories begin, continues by the longest context that
    passed, and falls back to shorter ones. A person's counts are spread over all positions, so noise is `longest` + 1
    times that of a count of persons. Time grows with visits times `grams`. Differs from the paper: noise is discrete
    and exact, empty runs are drawn in bulk, where trajectories begin is modelled, and what the children of a context
    leave over goes to shorter contexts.

    >>> import crypsis
    >>> trips = crypsis.Events.from_lists(
    ...     [(rider, "home", 7) for rider in range(900)] + [(rider, "work", 9) for rider in range(800)])
    >>> release = crypsis.anonymize(trips, crypsis.NGrams(
    ...     epsilon=4, grams=2, longest=3, location_domain=crypsis.LocationDomain(["home", "work", "park"]),
    ...     time_domain=crypsis.TimeDomain(0, 24)))
    >>> 800 < release.data.trajectories < 1000
    True
    >>> release.verify().holds
    True

    Chen, Acs, Castelluccia. Differentially private sequential data publication via variable-length n-grams.
    CCS 2012, 638-649.
    """

    choose_when = "When what matters is what follows what, wherever in a trip."
    costs = "Made-up trips; frequent moves are kept, whole trips are not."
    example_options = "--tokens places --location-domain public-in-data --time-domain 0:1440:120"
    stages = ("read records", "grow", "synthesize", "publish")

    grams: Annotated[int, Between(1, 12), "Longest run of visits that is counted."] = 5
    longest: Annotated[int, Between(1, 256), "Visits of a person that count, the first so many."] = 10
    tokens: Annotated[
        str, OneOf(**TOKENS), "What follows one another: locations with their times, or locations alone."
    ] = "visits"
    threshold: Annotated[int | None, AtLeast(1), "From which noisy count a run lives, in place of the paper's."] = None

    def synthesized(
        self, data: Events | PrivateParts, context: RunContext, noise: Noise, entropy: Entropy | None = None
    ) -> SyntheticTrajectories:
        """The same with any provider; what one without the system's entropy draws cannot be published."""
        locations, times = self._domains()
        n_tokens = len(locations) * (len(times) if self.tokens == "visits" else 1)
        threshold = gram_threshold(self.epsilon, self.grams, self.longest + 1, n_tokens + 1)
        threshold = threshold if self.threshold is None else self.threshold
        space = GramSpace(n_tokens, self.longest, self.tokens == "visits")
        with context.stage("read records"):
            records = self._records(data, locations, times, space)
        metered = self.charged(noise)
        with context.stage("grow"):
            tree = grow_grams(records, space, self.grams, self.epsilon, threshold, metered)
        with context.stage("synthesize"):
            drawn = synthesized_sequences(
                tree, self.longest, space.rising, SystemEntropy() if entropy is None else entropy
            )
        with context.stage("publish"):
            told, ledger = self.accounted(metered)
            told |= {"scheme": "an equal part for each length", "thresholds": {"grams": [threshold]}}
            context.private["ledger"] = ledger
            self.note_reading(data, context)
            context.private["tree_nodes"] = np.bincount(tree.depth)[1:].tolist()
            context.private["records_with_a_visit"] = records.n_records
            offsets, tokens, copies = _distinct(drawn)
            width = len(locations)
            places, moments = (tokens % width, tokens // width) if self.tokens == "visits" else (tokens, None)
            if moments is None:
                times = TimeDomain(0, self.longest, unit=POSITIONS, declared="positions in a trajectory, from 0")
                moments = np.arange(len(tokens)) - np.repeat(offsets[:-1], np.diff(offsets))
            return SyntheticTrajectories(
                offsets,
                places.astype(np.int32),
                moments.astype(np.int32),
                copies,
                locations=locations,
                times=times,
                order="canonical" if self.tokens == "visits" else "strict",
                height=self.longest,
                budget=told,
                ledger=ledger,
                unpublishable=metered.unpublishable,
            )

    def _domains(self) -> tuple[LocationDomain, TimeDomain]:
        """The declared domains; refuses, before anything is charged, what cannot be drawn."""
        locations, times = self.declared_domains()
        n_tokens = len(locations) * (len(times) if self.tokens == "visits" else 1)
        if n_tokens >= 2**31 - 1:
            raise TooLarge(
                f"NGrams numbers every pair of location and time, and there are {n_tokens:,} (at most {2**31 - 2:,}); "
                "take fewer times or locations, or tokens='places'."
            )
        if self.noise == "opendp":
            check_zeros(n_tokens + 1)
        terms_of(self.epsilon / (self.grams * (self.longest + 1)))
        return locations, times

    def _records(
        self, data: Events | PrivateParts, locations: LocationDomain, times: TimeDomain, space: GramSpace
    ) -> GramRecords:
        """The sequences of people in the declared domains."""
        order = "canonical" if space.rising else "nondecreasing"
        if isinstance(data, PrivateParts):
            domains = locations, times
            facts = len(locations), len(times), order, self.longest, space
            shards = data.encode_people(send_visits, domains, keep_sequences, facts)
            data.check_fits(shards, MEMORY_PER_FILE_BYTE)
            return GramsInShards(shards, data.executor)
        visits = timed_visits(data, locations, times, order, self.longest)
        return GramsHere(sequences_of(visits, space))


def sequences_of(visits: Visits, space: GramSpace) -> Sequences:
    """Visits as tokens: places, or places with their times where tokens rise."""
    tokens = visits.locations
    if space.rising:
        tokens = (visits.times.astype(np.int64) * visits.n_locations + visits.locations).astype(np.int32)
    return Sequences(visits.offsets, tokens, space.n_tokens, space.longest, space.rising)


def keep_sequences(
    persons: Int64s,
    places: Int32s,
    moments: Int32s,
    n_locations: int,
    n_times: int,
    order: str,
    longest: int,
    space: GramSpace,
) -> tuple[int, Sequences]:
    """The sequences of the people of a shard, and how many they are."""
    visits = visits_by_person(persons, places, moments, n_locations, n_times, order, longest)
    return len(visits.offsets) - 1, sequences_of(visits, space)


def gram_threshold(epsilon: Fraction, grams: int, sensitivity: int, children: int) -> int:
    """The smallest whole number of at least sensitivity * grams / epsilon * ln(children / 2), and at least 1.

    About one empty child of a context passes it.
    """
    context = Context(prec=60, rounding=ROUND_CEILING)
    scale = sensitivity * grams / epsilon
    exact = context.multiply(
        context.divide(Decimal(scale.numerator), Decimal(scale.denominator)), context.ln(Decimal(children) / 2)
    )
    return max(int(exact.to_integral_value(ROUND_CEILING)), 1)


def _distinct(drawn: Int32s) -> tuple[Int64s, Int64s, Int64s]:
    """Each sequence once, with its copies, in canonical order; empty ones are not published."""
    filled = drawn[drawn[:, 0] > 0] if drawn.size else drawn[:0]
    class_of, first = row_classes(np.ascontiguousarray(filled))
    rows, copies = filled[first], np.bincount(class_of, minlength=len(first))
    order = np.lexsort(rows.T[::-1]) if len(rows) else np.zeros(0, np.int64)
    rows, copies = rows[order], copies[order]
    lengths = (rows > 0).sum(axis=1)
    return offsets_of(lengths), rows[rows > 0].astype(np.int64) - 1, copies.astype(np.int64)
