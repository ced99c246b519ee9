"""How much of a stream its windows lost: the share of suppressed doublets, their cost, and what was taken back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import numpy as np

from crypsis.data.stream import Events
from crypsis.data.windows import PublishedWindows
from crypsis.metrics.exact_sums import mean
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric


def distortion_ratio(suppressed: int, instances: int) -> Fraction:
    """Share of the doublet instances of a window that were suppressed; 0 for an empty window."""
    return Fraction(suppressed, instances) if instances else Fraction(0)


def information_distortion(suppressed: int, max_point_translation: Fraction | float) -> Fraction | float:
    """What suppression costs beside space translation: each lost instance as far as any point was moved there.

    Only meaningful where locations have coordinates; translated points cost their own distance.
    """
    return suppressed * max_point_translation


@dataclass(frozen=True)
class SuppressionLoss(Measured):
    """Distortion of all windows; the mean counts each window alike, the pooled ratio each instance."""

    mean: Annotated[
        float,
        Figure(
            "suppression_loss",
            "Suppressed doublets",
            "Share of the doublets of a window that were suppressed, averaged over the windows.",
            unit=SHARE,
            former_name="mean_distortion_ratio",
        ),
    ]
    pooled: Annotated[
        float,
        Figure(
            "suppression_pooled_loss",
            "Suppressed doublets of all windows",
            "Share of the doublets of all windows together that were suppressed.",
            unit=SHARE,
            former_name="pooled_distortion_ratio",
        ),
    ]
    worst: Annotated[
        float,
        Figure(
            "suppression_worst_loss",
            "Suppressed doublets of the worst window",
            "Share of the doublets that were suppressed in the window that lost most.",
            unit=SHARE,
            former_name="worst_distortion_ratio",
        ),
    ]
    regressed: Annotated[
        int,
        Figure(
            "regressed_doublets",
            "Doublets withdrawn",
            "Doublets that one window publishes and the next one suppresses.",
        ),
    ]


def suppression_loss(original: Events, published: PublishedWindows) -> SuppressionLoss:
    """Distortion ratio of the windows, and doublets that one window publishes and the next one suppresses.

    0 when nothing is suppressed, 1 when everything is; repeats of an event count once. Al-Hussaeni et al. 2014.
    """
    keys = np.stack([original.persons.astype(np.int64), original.t, original.location_codes.astype(np.int64)], 1)
    times = np.sort(np.unique(keys, axis=0)[:, 1]) if len(keys) else np.empty(0, np.int64)
    ratios, lost, all_instances, regressed = [], 0, 0, 0
    before: set[tuple[int, int]] = set()
    for window in published:
        instances = int(np.diff(np.searchsorted(times, [window.x, window.y + 1]))[0])
        suppressed = instances - len(window.times)
        ratios.append(float(distortion_ratio(suppressed, instances)))
        lost, all_instances = lost + suppressed, all_instances + instances
        shown = set(zip(window.times.tolist(), window.places.tolist(), strict=True))
        regressed += sum(one not in shown for one in before if one[0] >= window.x)
        before = shown
    return SuppressionLoss(
        mean(np.array(ratios)),
        float(distortion_ratio(lost, all_instances)),
        max(ratios, default=0.0),
        regressed,
    )


class SuppressionLossMetric(Metric):
    """Share of the doublets that windows of a stream suppress, and how many were published before."""

    name = "suppression_loss"
    measure = staticmethod(suppression_loss)
