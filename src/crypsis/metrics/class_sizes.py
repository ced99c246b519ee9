"""Sizes of the classes of records that look the same: discernibility, C_avg, and how many there are.

Bayardo, Agrawal. Data privacy through optimal k-anonymization. IEEE ICDE 2005 (discernibility);
LeFevre, DeWitt, Ramakrishnan. Mondrian multidimensional k-anonymity. IEEE ICDE 2006 (C_avg).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.arrays import Int64s
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.metrics.figure import Figure, Measured
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class ClassSizes(Measured):
    """Counts of classes and records; suppressed records are in no class."""

    classes: Annotated[int, Figure("classes", "Classes", "Combinations of quasi-identifiers that are published.")]
    smallest: Annotated[
        int, Figure("smallest_class", "Smallest class", "Records of the rarest combination of quasi-identifiers.")
    ]
    mean: Annotated[
        float,
        Figure(
            "class_size_loss",
            "Mean class size",
            "Records that share a combination, on average.",
            rank=5,
            former_name="mean_class_size",
        ),
    ]
    largest: Annotated[int, Figure("largest_class", "Largest class", "Records of the most frequent combination.")]
    suppressed: Annotated[
        int,
        Figure(
            "suppressed_records_loss",
            "Suppressed records",
            "Records that the release does not show at all.",
            rank=2,
            former_name="suppressed_records",
        ),
    ]
    discernibility: Annotated[
        int,
        Figure(
            "discernibility_loss",
            "Discernibility",
            "Every record costs the size of its class, a suppressed one the size of the table.",
            abbreviation="DM",
        ),
    ]


def class_sizes(original: Table | Mixed, published: PublishedTable | PublishedMixed) -> ClassSizes:
    """How many classes there are and how large they are."""
    del original
    return class_figures(published.table if isinstance(published, PublishedMixed) else published)


def class_figures(published: PublishedTable) -> ClassSizes:
    """The same from the release alone."""
    sizes = sizes_of(published)
    suppressed = int(np.count_nonzero(published.suppressed))
    return ClassSizes(
        len(sizes),
        int(sizes.min(initial=len(published))) if len(sizes) else 0,
        float(sizes.mean()) if len(sizes) else 0.0,
        int(sizes.max(initial=0)),
        suppressed,
        _discernibility(published, sizes),
    )


def discernibility_loss(published: PublishedTable, k: int = 1) -> int:
    """Each record costs the size of its class, or that of the table where it is suppressed or its class is below k."""
    return _discernibility(published, sizes_of(published), k)


def _discernibility(published: PublishedTable, sizes: Int64s, k: int = 1) -> int:
    lost = int(np.count_nonzero(published.suppressed)) + int(sizes[sizes < k].sum())
    kept = sizes[sizes >= k]
    return int(np.dot(kept, kept)) + lost * len(published)


def average_class_size(published: PublishedTable, k: int) -> Fraction:
    """C_avg: published records per class, as a multiple of k; 1 is the best."""
    sizes = sizes_of(published)
    return Fraction(int(sizes.sum()), max(len(sizes), 1) * k)


def sizes_of(published: PublishedTable) -> Int64s:
    """The number of records in each class."""
    return published.class_sizes


class ClassSizesMetric(Metric):
    """How many classes of records look the same, how large they are, and discernibility."""

    name = "class_sizes"
    measure = staticmethod(class_sizes)
