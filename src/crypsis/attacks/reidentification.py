"""Re-identification curves: how likely a person is found in published cell sequences by what is known of the track.

Knowledge is some points of the victim, seen as cells; consecutive equal cells are one. With b published and M
generalized tracks that contain it, the probability is 0 if b = 0, 1 / b if b >= k, and 1 / max(M, b) otherwise: the
adversary does not know whether the victim was published at all. In the worst case the adversary does: 1 / b.

Monreale, Andrienko, Andrienko, Giannotti, Pedreschi, Rinzivillo, Wrobel. Movement data anonymity through
generalization. Transactions on Data Privacy 3, 2010, section 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Float64s, FrozenArrays, Int32s, Int64s, take_records
from crypsis.attacks.cell_visits import collapsed, collapsed_rows
from crypsis.attacks.matching import equal_rows
from crypsis.compilation import njit
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable, OriginalRequired, UnknownLocation
from crypsis.parameters import AtLeast, OneOf, Parameter

DRAWS = 50_000

_K = Parameter("k", int, False, (AtLeast(1),), "Tracks that must share what is published.", MISSING)
_SIZE = Parameter("n", int, False, (AtLeast(1),), "Points that are known.", MISSING)
_DRAWS = Parameter("draws", int, False, (AtLeast(1),), "Pieces of knowledge drawn for each size.", MISSING)
_SEED = Parameter("seed", int, False, (AtLeast(0),), "Seed of the draws.", MISSING)
_UNIT = Parameter("unit", str, False, (OneOf("trajectory", "owner"),), "What counts as one track.", MISSING)


@dataclass(frozen=True, eq=False)
class Probabilities(FrozenArrays):
    """Probability of re-identification for each piece of knowledge, and the worst case of each."""

    probability: Float64s
    worst: Float64s

    def at(self, n_points: int) -> KnowledgePoint:
        """The aggregates that a curve shows."""
        if not len(self.probability):
            return KnowledgePoint(n_points, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return KnowledgePoint(
            n_points,
            len(self.probability),
            float(self.probability.mean()),
            float(self.probability.max()),
            float(self.probability.min()),
            float(self.worst.mean()),
            float(self.worst.max()),
            float(np.mean(self.worst == 1.0)),
        )

    def cumulative(self) -> tuple[tuple[float, float], ...]:
        """The distribution: each probability that occurs, and the share of the knowledge that has at most this one."""
        values, counts = np.unique(self.probability, return_counts=True)
        shares = np.cumsum(counts) / max(len(self.probability), 1)
        return tuple(zip(values.tolist(), shares.tolist(), strict=True))


@dataclass(frozen=True)
class KnowledgePoint:
    """One point of a curve: so many points known, for so many tracks or draws."""

    knowledge: int
    cases: int
    mean: float
    max: float
    min: float
    worst_mean: float
    worst_max: float
    share_unique: float  # of the cases, those in which a single published track or person is left

    def to_dict(self) -> dict[str, float | int]:
        return dict(self.__dict__)


@dataclass(frozen=True, eq=False)
class ReidentificationCurve:
    """How the probability grows with the number of known points. `distributions` are cumulative, one for each point."""

    variant: str
    k: int
    points: tuple[KnowledgePoint, ...]
    distributions: tuple[tuple[tuple[float, float], ...], ...]

    @property
    def bound(self) -> float:
        """What the definition promises for the probability; nothing is promised for the worst case."""
        return 1 / self.k

    @property
    def within_bound(self) -> bool:
        return all(point.max <= self.bound * (1 + 1e-9) for point in self.points)

    def to_dict(self) -> dict[str, Any]:
        """Aggregates only."""
        return {
            "attack": f"reidentification-{self.variant}",
            "k": self.k,
            "bound": self.bound,
            "within_bound": self.within_bound,
            "curve": [point.to_dict() for point in self.points],
        }


def reidentification(
    knowledge: Sequence[Sequence[str]],
    generalized: Trajectories,
    published: Trajectories | PublishedTrajectories,
    k: int,
    unit: str = "trajectory",
) -> Probabilities:
    """Probabilities for given pieces of knowledge, each a list of cells."""
    known = Trajectories.from_lists(knowledge, generalized.locations)
    return _Supports(generalized, published, unit).probabilities(known.offsets, known.codes, _K.check(k, "k"))


def sampled_curve(
    points: Trajectories,
    published: Trajectories | PublishedTrajectories,
    k: int,
    sizes: Sequence[int] = (1, 2, 3, 5, 10, 20),
    draws: int = DRAWS,
    seed: int = 0,
    unit: str = "trajectory",
) -> ReidentificationCurve:
    """For each n in `sizes`, draw a track among those with at least n points and n of its points, `draws` times.

    `points` holds the cell of every point of every track, in order. Each size starts its own Generator(PCG64(seed)), so
    a point of the curve does not depend on which others were asked for: first the tracks, `integers(0, candidates,
    draws)`, then for j = 0 … n - 1 the position among those not yet taken, `integers(0, lengths - j)`.
    """
    k = _K.check(k, "sampled_curve")
    draws = _DRAWS.check(draws, "sampled_curve")
    seed = _SEED.check(seed, "sampled_curve")
    sizes = [_SIZE.check(size, "sampled_curve") for size in sizes]
    supports = _Supports(collapsed(points), published, unit)
    found = []
    for size in sizes:
        random = np.random.Generator(np.random.PCG64(seed))
        candidates = np.flatnonzero(points.lengths >= size)
        if not len(candidates):
            found.append(Probabilities(np.zeros(0), np.zeros(0)))
            continue
        tracks = candidates[random.integers(0, len(candidates), draws)]
        positions = _drawn_positions(points.lengths[tracks], size, random)
        cells = points.codes[points.offsets[tracks][:, None] + positions]
        found.append(supports.probabilities(*collapsed_rows(np.arange(draws + 1) * size, cells.ravel()), k))
    return _curve("sampled", k, sizes, found)


def prefix_curve(
    points: Trajectories,
    published: Trajectories | PublishedTrajectories,
    k: int,
    sizes: Sequence[int] | None = None,
    unit: str = "trajectory",
) -> ReidentificationCurve:
    """The first n points of every track that has so many are known, for each n in `sizes`; by default 1 to 20."""
    k = _K.check(k, "prefix_curve")
    longest = int(points.lengths.max(initial=0))
    chosen = range(1, min(longest, 20) + 1) if sizes is None else [_SIZE.check(size, "prefix_curve") for size in sizes]
    supports = _Supports(collapsed(points), published, unit)
    found = []
    for size in chosen:
        tracks = np.flatnonzero(points.lengths >= size)
        cells = points.codes[points.offsets[tracks][:, None] + np.arange(size)]
        found.append(supports.probabilities(*collapsed_rows(np.arange(len(tracks) + 1) * size, cells.ravel()), k))
    return _curve("prefix", k, list(chosen), found)


def _curve(variant: str, k: int, sizes: Sequence[int], found: list[Probabilities]) -> ReidentificationCurve:
    return ReidentificationCurve(
        variant,
        k,
        tuple(one.at(size) for size, one in zip(sizes, found, strict=True)),
        tuple(one.cumulative() for one in found),
    )


def _drawn_positions(lengths: Int64s, size: int, random: np.random.Generator) -> Int64s:
    """`size` different positions below each length, ascending; every set of them is equally likely."""
    positions = np.empty((len(lengths), size), np.int64)
    for draw in range(size):
        position = random.integers(0, lengths - draw)
        for taken in range(draw):  # the drawn one counts only positions that are free
            position += position >= positions[:, taken]
        positions[:, draw] = position
        positions[:, : draw + 1].sort(axis=1)
    return positions


class _Supports:
    """Counts generalized and published tracks that contain a cell sequence."""

    def __init__(self, generalized: Trajectories, published: Trajectories | PublishedTrajectories, unit: str) -> None:
        unit = _UNIT.check(unit, "reidentification")
        if unit == "owner" and (generalized.owners is None or published.owners is None):
            raise OriginalRequired("Owners are to be counted; both sides must say whose tracks are whose.")
        self.n_cells = len(generalized.locations)
        self.generalized = _by_individual(generalized.offsets, generalized.codes, generalized.groups(unit))
        codes = _cells_of(published, generalized)
        self.published = _by_individual(published.offsets, codes, published.groups(unit))

    def probabilities(self, offsets: Int64s, codes: Int32s, k: int) -> Probabilities:
        numbers = equal_rows(offsets, codes)
        _, asked, answer = np.unique(numbers, return_index=True, return_inverse=True)
        query_offsets, positions = take_records(offsets, asked)
        before, after = (
            _containing(*side, self.n_cells, query_offsets, codes[positions])[answer]
            for side in (self.generalized, self.published)
        )
        probability = np.zeros(len(after))
        found = after > 0
        probability[found] = 1 / np.where(after >= k, after, np.maximum(before, after))[found]
        worst = np.divide(1.0, after, out=np.zeros(len(after)), where=found)
        return Probabilities(probability, worst)


def _by_individual(offsets: Int64s, codes: Int32s, individuals: Int32s) -> tuple[Int64s, Int32s, Int32s]:
    """Rows in an order in which those of one individual follow each other."""
    order = np.argsort(individuals, kind="stable")
    ordered, positions = take_records(offsets, order)
    return ordered, codes[positions].astype(np.int32), individuals[order]


def _cells_of(published: Trajectories | PublishedTrajectories, generalized: Trajectories) -> Int32s:
    """The published cells in the codes of the generalized tracks."""
    if isinstance(published, Trajectories):
        vocabulary, cells = published.locations.vocabulary, published.codes
    else:
        symbols = published.symbols
        if (symbols.sizes[published.codes] > 1).any():
            raise NotApplicable(
                "Re-identification curves are defined for published cells; this release has generalized locations. "
                "Use the containment or location-sequence attack."
            )
        vocabulary, cells = symbols.vocabulary, symbols.members[symbols.offsets[:-1]][published.codes]
    if vocabulary is generalized.locations.vocabulary:
        return cells
    codes = generalized.locations.vocabulary.encode(vocabulary.series)[cells]
    unknown = np.flatnonzero(codes < 0)
    if len(unknown):
        label = vocabulary[int(cells[unknown[0]])]
        raise UnknownLocation(f"The published cell {label!r} is no cell of the original tracks.", location=label)
    return codes


@njit
def _containing(
    offsets: Int64s, codes: Int32s, individuals: Int32s, n_codes: int, query_offsets: Int64s, queries: Int32s
) -> Int64s:
    """The individuals with a row that contains each query; the empty query is contained in every row.

    Row r is codes[offsets[r]:offsets[r + 1]], query q likewise; rows of one individual follow each other. A query is
    looked for only in the rows that hold its rarest code.
    """
    n_rows = len(offsets) - 1
    counts = np.zeros(n_codes + 1, np.int64)
    last_seen = np.full(n_codes, -1, np.int64)
    for row in range(n_rows):
        for position in range(offsets[row], offsets[row + 1]):
            if last_seen[codes[position]] != row:
                last_seen[codes[position]] = row
                counts[codes[position] + 1] += 1
    starts = np.cumsum(counts)
    rows = np.empty(starts[n_codes], np.int64)
    fill = starts[:n_codes].copy()
    last_seen[:] = -1
    for row in range(n_rows):
        for position in range(offsets[row], offsets[row + 1]):
            code = codes[position]
            if last_seen[code] != row:
                last_seen[code] = row
                rows[fill[code]] = row
                fill[code] += 1

    support = np.zeros(len(query_offsets) - 1, np.int64)
    for query in range(len(query_offsets) - 1):
        first, end = query_offsets[query], query_offsets[query + 1]
        if first == end:
            support[query] = individuals[n_rows - 1] + 1 if n_rows else 0
            continue
        rarest = queries[first]
        for index in range(first, end):
            code = queries[index]
            if starts[code + 1] - starts[code] < starts[rarest + 1] - starts[rarest]:
                rarest = code
        last = -1
        for index in range(starts[rarest], starts[rarest + 1]):
            row = rows[index]
            if individuals[row] == last:
                continue
            wanted = first
            for position in range(offsets[row], offsets[row + 1]):
                if codes[position] == queries[wanted]:
                    wanted += 1
                    if wanted == end:
                        support[query] += 1
                        last = individuals[row]
                        break
    return support
