"""Utility metrics: what is left of the data after it was anonymized. One file per metric, one entry here.

A metric is a pure function of the original and the published data; a `_loss` falls, a `_score` rises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable, did_you_mean
from crypsis.metrics.distance import distance_loss, normalized_distance_loss
from crypsis.metrics.divergence import kl_divergence_loss
from crypsis.metrics.locations import location_statistics
from crypsis.metrics.patterns import pattern_preservation
from crypsis.metrics.queries import average_relative_error

Figure = float | int


@dataclass(frozen=True)
class Metric:
    """One metric of the table: its function, what it says, and the kinds of original data it takes."""

    function: Callable[..., Any]
    help: str
    accepts: tuple[type, ...]
    aligned: bool = False  # compares each published row with the trajectory it was made from
    seeded: bool = False
    default: bool = True  # quick whatever the data, so it is measured unasked
    name: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.function.__name__)

    def figures(self, original: Any, published: Any, *, seed: int = 0) -> dict[str, Figure]:
        """The metric's numbers by name."""
        result = self.function(original, published, **({"seed": seed} if self.seeded else {}))
        return {self.name: result} if isinstance(result, (float, int)) else result.figures()


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            distance_loss,
            "Mean distance from a visit to the locations that were published for it.",
            (Trajectories,),
            aligned=True,
        ),
        Metric(
            normalized_distance_loss,
            "The same as a share of the largest distance between two locations.",
            (Trajectories,),
            aligned=True,
        ),
        Metric(
            location_statistics,
            "Intact, generalized and suppressed locations, and how wide the generalized ones are.",
            (Trajectories,),
        ),
        Metric(
            average_relative_error,
            "Mean relative error of counting queries that are answered from the release.",
            (Trajectories,),
            seeded=True,
        ),
        Metric(
            kl_divergence_loss,
            "Divergence between how often locations occur in the original and may occur in the release.",
            (Trajectories,),
            seeded=True,
        ),
        Metric(
            pattern_preservation,
            "Share of the frequent patterns that stay frequent, and of the released ones that are false.",
            (Trajectories,),
            seeded=True,
            default=False,
        ),
    )
}


def measure(
    original: Trajectories,
    published: PublishedTrajectories,
    metrics: Iterable[str] | None = None,
    *,
    seed: int = 0,
) -> dict[str, Figure]:
    """All figures of the named metrics; without names, of those that are quick and apply.

    Unasked, a metric that needs coordinates or row alignment is left out where there are none; asked for by
    name, it says why it cannot be had. Pattern preservation is measured only when asked for: it mines the
    release a hundred times.
    """
    figures: dict[str, Figure] = {}
    for metric in _chosen(metrics):
        try:
            figures |= metric.figures(original, published, seed=seed)
        except (BadCoordinate, NotApplicable):
            if metrics is not None:
                raise
    return figures


def _chosen(names: Iterable[str] | None) -> list[Metric]:
    if names is None:
        return [metric for metric in METRICS.values() if metric.default]
    chosen = []
    for name in names:
        if name not in METRICS:
            raise BadParameter(
                f"There is no metric '{name}'; the metrics are {', '.join(METRICS)}.{did_you_mean(name, METRICS)}"
            )
        chosen.append(METRICS[name])
    return chosen
