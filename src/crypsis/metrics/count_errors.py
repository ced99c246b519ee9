"""How the errors of many counts are summarized."""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s
from crypsis.metrics.exact_sums import mean


def error_figures(name: str, errors: Float64s, subset: Float64s | None, **others: int) -> dict[str, float | int]:
    """Mean, median and maximum of the errors, `others` beside them, and the mean under the other estimate."""
    if not len(errors):
        return {}
    figures = {
        f"{name}_loss": mean(errors),
        f"{name}_median_loss": float(np.median(errors)),
        f"{name}_max_loss": float(errors.max()),
        **{f"{name}_{other}": value for other, value in others.items()},
    }
    return figures if subset is None else figures | {f"{name}_subset_loss": mean(subset)}
