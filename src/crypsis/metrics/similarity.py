"""SIM1 and SIM2: do the frequent patterns of the release occur as often as in the original, and are there as many?

Pensa, Monreale, Pinelli, Pedreschi. Pattern-preserving k-anonymization of sequences and its application to mobility
data mining. PiLBA 2008. Frequencies are relative to the sequences that are not empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s, take_records
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.kernels.prefix_span import pattern_indices
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.patterns import Patterns, frequent_patterns
from crypsis.metrics.queries import support
from crypsis.metrics.translation import translated
from crypsis.metrics.workload import Workload


@dataclass(frozen=True)
class PatternSimilarity(Measured):
    """Both are 1 where nothing changed and 0 where nothing is left."""

    sim1: Annotated[
        float,
        Figure(
            "sim1_score",
            "Similarity of pattern frequencies",
            "How close the frequency of each frequent pattern of the release is to the original's; 1 means equal.",
        ),
    ]
    sim2: Annotated[
        float,
        Figure(
            "sim2_score",
            "Similarity of pattern numbers",
            "The smaller number of frequent patterns, original or release, as a share of the larger; 1 means equal.",
        ),
    ]
    patterns_original: int
    patterns_published: int


def pattern_similarity(
    original: Trajectories, published: PublishedTrajectories, min_support: int = 5
) -> PatternSimilarity:
    """Compare the patterns that at least `min_support` sequences hold; usually the k of the release.

    SIM1: how alike the frequencies of the published patterns are in both data sets, the smaller over the larger, on
    average. SIM2: the smaller over the larger number of patterns. Needs no row alignment, but intact locations.
    """
    published = translated(published, original.locations.vocabulary)
    symbols = published.symbols
    if (symbols.sizes[published.codes] > 1).any():
        raise NotApplicable("SIM1 and SIM2 compare single locations, and this release generalizes some.")
    codes = symbols.members[symbols.offsets[:-1][published.codes]] if published.visits else published.codes
    released = Trajectories(published.offsets, codes, Locations(symbols.vocabulary))
    before = frequent_patterns(original, min_support)
    after = frequent_patterns(released, min_support)
    if len(after) == 0:
        similar = 1.0 if len(before) == 0 else 0.0
    else:
        one = after.supports / max(int((released.lengths > 0).sum()), 1)
        other = _supports_in(original, after, before) / max(int((original.lengths > 0).sum()), 1)
        similar = mean(np.minimum(one, other) / np.maximum(one, other))
    most = max(len(before), len(after))
    return PatternSimilarity(similar, min(len(before), len(after)) / most if most else 1.0, len(before), len(after))


def _supports_in(original: Trajectories, wanted: Patterns, frequent: Patterns) -> Int64s:
    """Support of the wanted patterns in the original; that of its frequent ones is known."""
    index = pattern_indices(wanted.offsets, wanted.codes, frequent.offsets, frequent.codes)
    supports = np.where(index >= 0, np.append(frequent.supports, 0)[index], 0)
    rare = np.flatnonzero(index < 0)
    offsets, positions = take_records(wanted.offsets, rare)
    known = original.locations.vocabulary
    codes = wanted.codes[positions]
    foreign = np.zeros(len(rare), np.bool_)
    foreign[np.repeat(np.arange(len(rare)), np.diff(offsets))[codes >= len(known)]] = True  # the original has none
    offsets, positions = take_records(wanted.offsets, rare[~foreign])
    supports[rare[~foreign]] = support(original, Workload(known, offsets, wanted.codes[positions]))
    return supports


class PatternSimilarityMetric(Metric):
    """SIM1 and SIM2: are the frequent patterns of the release as frequent, and as many, as the original's."""

    name = "pattern_similarity"
    default = False
    measure = staticmethod(pattern_similarity)
