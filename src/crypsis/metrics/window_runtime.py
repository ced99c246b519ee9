"""How long windows took: from "complete" to "published", without waiting for the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class WindowRuntime:
    """Seconds; the first window, which builds everything, stands apart."""

    first: float
    median: float
    percentile_95: float
    longest: float

    def figures(self) -> dict[str, float]:
        return {
            "first_window_seconds": self.first,
            "median_window_seconds": self.median,
            "percentile_95_window_seconds": self.percentile_95,
            "longest_window_seconds": self.longest,
        }


def window_runtime(seconds: Sequence[float]) -> WindowRuntime:
    """Summarize the seconds that each window took, in order; the context of a run has them (`private["windows"]`)."""
    later = np.asarray(seconds[1:] if len(seconds) > 1 else seconds, np.float64)
    if len(later) == 0:
        return WindowRuntime(0.0, 0.0, 0.0, 0.0)
    return WindowRuntime(
        float(seconds[0]), float(np.median(later)), float(np.percentile(later, 95)), float(later.max())
    )
