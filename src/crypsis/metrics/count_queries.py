"""Count queries on private releases: how many people were at all of these places at these times?

The relative error is |published - true| / max(true, s), with the sanity bound s a share of the number of people. The
bound flatters: on sparse data a release of nothing has a small error, too. So the error of publishing nothing stands
beside it.

Al-Hussaeni. PhD thesis, Concordia University, 2017: section 5.4, count queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int64s, offsets_of
from crypsis.data.domains import LocationDomain, TimeDomain
from crypsis.data.stream import Events
from crypsis.data.synthetic import POSITIONS, SyntheticTrajectories
from crypsis.errors import BadParameter, NotApplicable
from crypsis.kernels.pair_supports import pair_set_supports
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure
from crypsis.metrics.metric import Metric

SANITY = Fraction(1, 1000)
MOST_PAIRS = 1 << 27


def relative_error(true: int, published: int, records: int, sanity: Fraction = SANITY) -> Fraction:
    """The error of one answer, exactly; an empty original has the error of the published count itself."""
    bound = max(Fraction(true), sanity * records)
    return Fraction(abs(published - true)) / bound if bound else Fraction(abs(published - true))


@dataclass(frozen=True)
class CountQueryError:
    """Mean errors of the release and of publishing nothing. `nonempty` queries are taken from people, by size;
    `uniform` ones from the domain, and most of their true answers are 0."""

    nonempty: dict[int, tuple[float, float]]
    uniform: tuple[float, float]
    zero_share: float

    def figures(self) -> dict[str, float]:
        told: dict[str, float] = {}
        for size, (error, nothing) in self.nonempty.items():
            told |= {f"count_error_{size}_loss": error, f"count_error_{size}_of_nothing": nothing}
        told |= {"uniform_count_error_loss": self.uniform[0], "uniform_count_error_of_nothing": self.uniform[1]}
        return told | {"uniform_zero_share": self.zero_share}


def trip_query_error(
    original: Events,
    published: SyntheticTrajectories,
    n_queries: int = 10_000,
    sizes: tuple[int, ...] = (1, 2),
    sanity: Fraction = SANITY,
    seed: int = 0,
) -> CountQueryError:
    """Answer queries from the release and from the original; 0 when every answer is right.

    The original is looked at with the release's domains: visits outside them are not there.
    """
    if n_queries < 1 or not sizes or min(sizes) < 1 or sanity < 0:
        raise BadParameter("trip_query_error: n_queries and sizes must be at least 1, sanity not negative.")
    if published.times.unit == POSITIONS:
        raise NotApplicable("trip_query_error asks where people were at a time, and this release tells no times.")
    if len(published.locations) * len(published.times) > MOST_PAIRS:
        raise NotApplicable(
            f"trip_query_error lists the people of each pair of location and time, and there are more than "
            f"{MOST_PAIRS:,}; release with fewer times or locations."
        )
    truth = _Pairs.of_events(original, published.locations, published.times)
    published_pairs = _Pairs.of_synthetic(published)
    random = np.random.Generator(np.random.PCG64(seed))
    bound = max(float(sanity) * len(original.people), 0.0)

    def errors(queries: Int64s) -> tuple[float, float, float]:
        if not len(queries):
            return 0.0, 0.0, 0.0
        true, answered = truth.supports(queries), published_pairs.supports(queries)
        scale = np.maximum(true, bound)
        scale[scale == 0] = 1
        return (
            mean(np.abs(answered - true) / scale),
            mean(true / scale),
            float(np.mean(true == 0)),
        )

    nonempty = {size: errors(truth.drawn_from_records(n_queries, size, random))[:2] for size in sizes}
    *uniform, zero_share = errors(_drawn_from_domain(published, n_queries, max(sizes), random))
    return CountQueryError(nonempty, (uniform[0], uniform[1]), zero_share)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Records as sets of pairs (time and location in one number), and the records of each pair."""

    record_offsets: Int64s
    pairs: Int64s
    offsets: Int64s
    records: Int64s
    weights: Int64s

    @classmethod
    def of_events(cls, data: Events, locations: LocationDomain, times: TimeDomain) -> _Pairs:
        places = locations.vocabulary.encode(data.locations.vocabulary.series)[data.location_codes].astype(np.int64)
        moments = times.encode(data.t).astype(np.int64)
        inside = (places >= 0) & (moments >= 0)
        size = len(locations) * len(times)
        keys = np.unique(
            data.persons[inside].astype(np.int64) * size + moments[inside] * len(locations) + places[inside]
        )
        records, pairs = np.divmod(keys, size)
        return cls._indexed(records, pairs, np.ones(len(data.people), np.int64), size)

    @classmethod
    def of_synthetic(cls, data: SyntheticTrajectories) -> _Pairs:
        records = np.repeat(np.arange(len(data)), data.lengths)
        pairs = data.time_codes.astype(np.int64) * len(data.locations) + data.location_codes
        return cls._indexed(records, pairs, data.copies.astype(np.int64), len(data.locations) * len(data.times))

    @classmethod
    def _indexed(cls, records: Int64s, pairs: Int64s, weights: Int64s, size: int) -> _Pairs:
        order = np.argsort(pairs, kind="stable")
        offsets = offsets_of(np.bincount(pairs, minlength=size))
        lengths = np.bincount(records, minlength=len(weights))
        return cls(offsets_of(lengths), pairs, offsets, records[order], weights)

    def supports(self, queries: Int64s) -> Int64s:
        offsets = np.arange(len(queries) + 1, dtype=np.int64) * queries.shape[1]
        return pair_set_supports(self.offsets, self.records, self.weights, offsets, queries.ravel())

    def drawn_from_records(self, count: int, size: int, random: np.random.Generator) -> Int64s:
        """So many times: a record with enough pairs, and some of its pairs, all equally likely."""
        lengths = np.diff(self.record_offsets)
        long_enough = np.flatnonzero(lengths >= size)
        if not len(long_enough):
            return np.zeros((0, size), np.int64)
        chosen = random.choice(long_enough, count)
        taken = np.zeros((count, size), np.int64)
        for index in range(size):  # a partial shuffle: draw among those not yet taken, in ascending order of what was
            fresh = random.integers(0, lengths[chosen] - index)
            earlier = np.sort(taken[:, :index], axis=1)
            for column in range(index):
                fresh += fresh >= earlier[:, column]
            taken[:, index] = fresh
        queries: Int64s = self.pairs[self.record_offsets[:-1][chosen][:, None] + taken]
        return queries


def _drawn_from_domain(published: SyntheticTrajectories, count: int, size: int, random: np.random.Generator) -> Int64s:
    """Distinct pairs of the domain, all equally likely, redrawn until the order of visits can hold."""
    width = len(published.locations)
    n_pairs = width * len(published.times)
    size = min(size, len(published.times) if published.order == "strict" else n_pairs)
    queries = random.integers(0, n_pairs, (count, size))
    while True:
        keys = np.sort(queries // width if published.order == "strict" else queries, axis=1)
        wrong = (keys[:, 1:] == keys[:, :-1]).any(axis=1)
        if not wrong.any():
            return queries
        queries[wrong] = random.integers(0, n_pairs, (int(wrong.sum()), size))


class TripQueryLoss(Metric):
    """Relative error of counts of people who were at places at times, and that of publishing nothing."""

    name = "trip_query_loss"
    former_name = "trip_query_error"
    seeded = True
    measure = staticmethod(trip_query_error)
    figures = (
        Figure(
            "count_error_1_loss",
            "Error of counts of one visit",
            "Relative error of how many people were somewhere at some time.",
            rank=5,
        ),
        Figure(
            "count_error_1_of_nothing",
            "Error of counts of one visit, nothing published",
            "What the error would be if nothing had been published.",
        ),
        Figure(
            "count_error_2_loss",
            "Error of counts of two visits",
            "Relative error of how many people made both of two visits.",
        ),
        Figure(
            "count_error_2_of_nothing",
            "Error of counts of two visits, nothing published",
            "What the error would be if nothing had been published.",
        ),
        Figure(
            "uniform_count_error_loss",
            "Error of counts of any visits",
            "The same for visits drawn from the domain, most of which nobody made.",
        ),
        Figure(
            "uniform_count_error_of_nothing",
            "Error of counts of any visits, nothing published",
            "What the error would be if nothing had been published.",
        ),
        Figure(
            "uniform_zero_share",
            "Queries that nobody fits",
            "Share of the queries drawn from the domain whose true answer is 0.",
            unit=SHARE,
        ),
    )
