"""Bins of a histogram of numbers, by the rule of Freedman and Diaconis.

Freedman, Diaconis. On the histogram as a density estimator. Zeitschrift fuer Wahrscheinlichkeitstheorie 57, 1981.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s

MOST_BINS = 100


def numeric_bins(values: Float64s, whole: bool = False) -> Float64s:
    """Edges of bins of the width 2 IQR / n^(1/3), at most 100; whole numbers are never cut between two of them."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return np.array([low, low + 1.0]) if whole else np.array([low - 0.5, low + 0.5])
    quarter, three_quarters = np.quantile(values, [0.25, 0.75])
    width = 2 * float(three_quarters - quarter) / len(values) ** (1 / 3)
    span = high - low + (1 if whole else 0)
    if width <= 0:  # half of all values are equal: as many bins as Sturges would take
        width = span / (np.log2(len(values)) + 1)
    if whole:
        width = max(1.0, np.ceil(max(width, span / MOST_BINS)))
        count = int(np.ceil(span / width))
        edges: Float64s = low + width * np.arange(count + 1)
        return edges
    count = min(MOST_BINS, max(1, int(np.ceil(span / width))))
    return np.linspace(low, high, count + 1)
