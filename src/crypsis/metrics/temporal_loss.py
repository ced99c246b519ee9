"""How coarse published times are, as the release alone shows it."""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.metrics.figure import SHARE, Figure

TIME_FIGURES = (
    Figure(
        "temporal_loss",
        "Fuzziness of times",
        "Share of the time that a visit may have taken which is not certain, on average; 0 is exact times.",
        unit=SHARE,
    ),
    Figure(
        "time_thickness_loss",
        "Uncertainty of times",
        "Seconds in which the beginning and the end of a visit may lie, together, on average.",
    ),
)


def temporal_loss(published: Any) -> dict[str, float]:
    """Mean fuzziness and mean thickness over the visits whose times are published; nothing where none are."""
    if published.timed is None or not len(published.codes):
        return {}
    periods = published.timed.periods(published.symbols).take(published.codes)
    os, is_, ie, oe = (periods.as_floats(column) for column in periods.columns)
    timed = np.isfinite(os)  # sensitive places have no time
    if not timed.any():
        return {}
    os, is_, ie, oe = os[timed], is_[timed], ie[timed], oe[timed]
    extent, core = oe - os, np.maximum(0, ie - is_)
    fuzziness = np.where(np.isfinite(extent), 1 - core / np.where(extent > 0, extent, 1), 1.0)
    loss = {"temporal_loss": float(np.sum(np.sort(fuzziness)) / len(fuzziness))}
    if np.isfinite(oe).all():
        loss["time_thickness_loss"] = float(np.sum(np.sort((is_ - os) + (oe - ie))) / len(os))
    return loss
