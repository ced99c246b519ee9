"""Frequent patterns: which sequences are common in the data, and whether they still are in the release.

Pei et al. Mining sequential patterns by pattern-growth: the PrefixSpan approach. TKDE 16, 2004.
Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for k^m-anonymizing trajectory
data. Transactions on Data Privacy 7, 2014, section 6: patterns preserved under random projection.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import MISSING, dataclass
from math import ceil
from typing import Annotated

import numpy as np

from crypsis.arrays import Int32s, Int64s, frozen
from crypsis.data.ragged import Ragged
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import TooLarge
from crypsis.kernels.prefix_span import pattern_indices, prefix_span
from crypsis.kernels.row_order import sorted_rows
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.translation import translated
from crypsis.parameters import Above, AtLeast, Between, Parameter

MOST_PATTERNS = 10_000_000
_UNLIMITED = 2**62

_MIN_SUPPORT = Parameter("min_support", int, False, (AtLeast(1),), "Sequences that must contain a pattern.", MISSING)
_MAX_LENGTH = Parameter("max_length", int, True, (AtLeast(1),), "Longest pattern.", None)
_THRESHOLD = Parameter("threshold", float, False, (Above(0), Between(0, 1)), "Share of trajectories.", MISSING)
_PROJECTIONS = Parameter("projections", int, False, (AtLeast(1),), "Random readings of the release.", MISSING)
_SEED = Parameter("seed", int, False, (AtLeast(0),), "Seed of the random readings.", MISSING)


@dataclass(frozen=True, eq=False)
class Patterns(Ragged):
    """Pattern p is codes[offsets[p]:offsets[p + 1]] with its support; in order of codes, a prefix first."""

    vocabulary: Vocabulary
    offsets: Int64s
    codes: Int32s
    supports: Int64s

    def to_dict(self) -> dict[tuple[str, ...], int]:
        """Support of each pattern, by its labels."""
        labels = self.vocabulary.labels
        codes, bounds = self.codes.tolist(), self.offsets.tolist()
        return {
            tuple(labels[code] for code in codes[start:end]): support
            for start, end, support in zip(bounds[:-1], bounds[1:], self.supports.tolist(), strict=True)
        }


@dataclass(frozen=True)
class PatternPreservation(Measured):
    """Share of the original's frequent patterns that stay so, and of the released ones that are false."""

    preserved: Annotated[
        float,
        Figure(
            "patterns_preserved_score",
            "Frequent patterns preserved",
            "Share of the frequent sequences of the original that are frequent in the release too (median).",
            unit=SHARE,
        ),
    ]
    preserved_deviation: Annotated[
        float,
        Figure(
            "patterns_preserved_deviation",
            "Deviation of patterns preserved",
            "Standard deviation of the share of preserved patterns between random readings of the release.",
        ),
    ]
    false: Annotated[
        float,
        Figure(
            "false_patterns_loss",
            "False frequent patterns",
            "Share of the sequences frequent in the release that were not frequent in the original (median).",
            unit=SHARE,
        ),
    ]
    false_deviation: Annotated[
        float,
        Figure(
            "false_patterns_deviation",
            "Deviation of false patterns",
            "Standard deviation of the share of false patterns between random readings of the release.",
        ),
    ]


def frequent_patterns(sequences: Trajectories, min_support: int, max_length: int | None = None) -> Patterns:
    """Every sequence of locations that at least `min_support` trajectories contain, gaps allowed."""
    min_support = _MIN_SUPPORT.check(min_support, "frequent_patterns")
    max_length = _MAX_LENGTH.check(max_length, "frequent_patterns")
    return _mined(sequences.offsets, sequences.codes, sequences.locations.vocabulary, min_support, max_length)


def pattern_preservation(
    original: Trajectories,
    published: PublishedTrajectories,
    threshold: float = 0.01,
    projections: int = 100,
    seed: int = 0,
    max_length: int | None = None,
) -> PatternPreservation:
    """Do patterns that a share `threshold` of the trajectories hold survive, and do new ones turn up?

    Each projection reads every generalized element as one of its members, uniformly and independently; the
    shares are medians over the projections, with their (population) standard deviations. 1 preserved and
    0 false when nothing changed. Needs no row alignment: the threshold is a share of each side's own rows.
    """
    threshold = _THRESHOLD.check(threshold, "pattern_preservation")
    projections = _PROJECTIONS.check(projections, "pattern_preservation")
    max_length = _MAX_LENGTH.check(max_length, "pattern_preservation")
    random = np.random.Generator(np.random.PCG64(_SEED.check(seed, "pattern_preservation")))

    published = translated(published, original.locations.vocabulary)
    # Readings are drawn row by row: from sorted rows, so that they do not follow the order of the input.
    published = published.take(sorted_rows(published.offsets, published.symbols.rank[published.codes]))
    symbols = published.symbols
    wanted = frequent_patterns(original, minimum_support(threshold, len(original)), max_length)
    min_support = minimum_support(threshold, len(published))
    codes = symbols.members[symbols.offsets[:-1]][published.codes]
    generalized = np.flatnonzero(symbols.sizes[published.codes] > 1)
    first_member = symbols.offsets[:-1][published.codes[generalized]]
    choices = symbols.sizes[published.codes[generalized]]
    if len(generalized) == 0:
        projections = 1  # every reading is the same

    preserved, false = np.empty(projections), np.empty(projections)
    for projection in range(projections):
        codes[generalized] = symbols.members[first_member + random.integers(0, choices)]
        patterns = _mined(published.offsets, codes, symbols.vocabulary, min_support, max_length)
        indices = pattern_indices(wanted.offsets, wanted.codes, patterns.offsets, patterns.codes)
        shared = int(np.count_nonzero(indices >= 0))
        preserved[projection], false[projection] = _shares(len(wanted), len(patterns), shared)
    return PatternPreservation(
        preserved=float(np.median(preserved)),
        preserved_deviation=float(np.std(preserved)),
        false=float(np.median(false)),
        false_deviation=float(np.std(false)),
    )


def compare_patterns(original: Collection[Hashable], projected: Collection[Hashable]) -> tuple[float, float]:
    """Share of the original patterns found among the projected ones, and share of the latter that are new."""
    before, after = set(original), set(projected)
    return _shares(len(before), len(after), len(before & after))


def minimum_support(threshold: float, n_trajectories: int) -> int:
    """Trajectories that a share stands for, rounded up; 0.07 * 100 exceeds 7 in floating point only."""
    return max(1, ceil(threshold * n_trajectories - 1e-9))


def _shares(n_original: int, n_projected: int, shared: int) -> tuple[float, float]:
    preserved = shared / n_original if n_original else 1.0
    false = (n_projected - shared) / n_projected if n_projected else 0.0
    return preserved, false


def _mined(
    offsets: Int64s, codes: Int32s, vocabulary: Vocabulary, min_support: int, max_length: int | None
) -> Patterns:
    limit = _UNLIMITED if max_length is None else max_length
    found_offsets, found_codes, supports, complete = prefix_span(
        offsets, codes, len(vocabulary), min_support, limit, MOST_PATTERNS
    )
    if not complete:
        raise TooLarge(
            f"More than {MOST_PATTERNS} patterns occur in {min_support} or more sequences; "
            "raise the threshold or limit the length of the patterns."
        )
    return Patterns(vocabulary, frozen(found_offsets), frozen(found_codes), frozen(supports))


class PatternPreservationMetric(Metric):
    """Share of the frequent patterns that stay frequent, and of the released ones that are false."""

    name = "pattern_preservation"
    seeded = True
    default = False
    measure = staticmethod(pattern_preservation)
