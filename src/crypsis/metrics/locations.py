"""What became of the locations: how many stayed intact, how many were generalized and how widely.

Poulis, Skiadopoulos, Loukides, Gkoulalas-Divanis. Apriori-based algorithms for k^m-anonymizing trajectory
data. Transactions on Data Privacy 7, 2014, section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.data.symbols import Symbols
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import NotApplicable
from crypsis.kernels.symbol_distances import distances_to_members
from crypsis.metrics.distance import diameter
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric
from crypsis.metrics.translation import translated_to_known


@dataclass(frozen=True)
class LocationStatistics(Measured):
    """Counts of distinct published symbols, and shares of the original visits, sensitive locations left out.

    `mean_distance_percent` averages, over generalized symbols, the mean distance between two members as a
    percentage of the diameter; None when the locations have no coordinates.
    """

    intact_locations: Annotated[
        int,
        Figure(
            "intact_locations",
            "Intact symbols",
            "Published symbols that are a single location. Sensitive locations are left out.",
        ),
    ]
    generalized_locations: Annotated[
        int,
        Figure(
            "generalized_locations", "Generalized symbols", "Published symbols that stand for one of several locations."
        ),
    ]
    suppressed_locations: Annotated[
        int,
        Figure(
            "suppressed_locations_loss",
            "Suppressed locations",
            "Locations of the original that no published symbol holds.",
            former_name="suppressed_locations",
        ),
    ]
    mean_size: Annotated[
        float,
        Figure(
            "generalized_size_loss",
            "Mean size of generalized symbols",
            "How many locations a generalized symbol joins, on average.",
            former_name="mean_size",
        ),
    ]
    mean_distance_percent: Annotated[
        float | None,
        Figure(
            "generalized_spread_loss",
            "Mean spread of generalized symbols",
            "Mean distance between two locations of a generalized symbol, as a percentage of the largest distance on "
            "the map.",
            former_name="mean_distance_percent",
        ),
    ]
    intact_share: Annotated[
        float,
        Figure(
            "intact_visits_score",
            "Intact visits",
            "Share of the original visits that are published as they were.",
            unit=SHARE,
            rank=1,
            former_name="intact_share",
        ),
    ]
    generalized_share: Annotated[
        float,
        Figure(
            "generalized_visits_loss",
            "Generalized visits",
            "Share of the original visits that are published as one of several.",
            unit=SHARE,
            former_name="generalized_share",
        ),
    ]
    suppressed_share: Annotated[
        float,
        Figure(
            "suppressed_visits_loss",
            "Suppressed visits",
            "Share of the original visits that are not published at all.",
            unit=SHARE,
            rank=2,
            former_name="suppressed_share",
        ),
    ]


def location_statistics(original: Trajectories, published: PublishedTrajectories) -> LocationStatistics:
    """Count the published symbols that are intact and generalized, and the locations that no symbol holds.

    Needs no row alignment. A symbol is sensitive if all its members are.
    """
    published = translated_to_known(published, original.locations, "location_statistics")
    symbols = published.symbols
    sensitive = original.locations.sensitive
    if sensitive is None:
        sensitive = np.zeros(len(original.locations), np.bool_)
    owner = np.repeat(np.arange(len(symbols)), symbols.sizes)
    sensitive_symbol = np.bincount(owner, weights=sensitive[symbols.members], minlength=len(symbols)) == symbols.sizes

    occurrences = np.bincount(published.codes, minlength=len(symbols))
    counted = (occurrences > 0) & ~sensitive_symbol
    intact = counted & (symbols.sizes == 1)
    generalized = counted & (symbols.sizes > 1)
    held = np.zeros(len(original.locations), np.bool_)
    held[symbols.members[(occurrences > 0)[owner]]] = True

    visits = int(np.count_nonzero(~sensitive[original.codes]))
    intact_visits = int(occurrences[intact].sum())
    generalized_visits = int(occurrences[generalized].sum())
    if intact_visits + generalized_visits > visits:
        raise NotApplicable(
            "location_statistics compares a recoding with its original, but "
            f"{intact_visits + generalized_visits} published elements stand against {visits} visits; "
            "measure against the original that the release was made from."
        )
    every = max(visits, 1)
    chosen = np.flatnonzero(generalized)
    return LocationStatistics(
        intact_locations=int(np.count_nonzero(intact)),
        generalized_locations=len(chosen),
        suppressed_locations=int(np.count_nonzero(original.occurring & ~held & ~sensitive)),
        mean_size=float(np.mean(symbols.sizes[chosen])) if len(chosen) else 0.0,
        mean_distance_percent=_mean_distance_percent(original, symbols, chosen),
        intact_share=intact_visits / every,
        generalized_share=generalized_visits / every,
        suppressed_share=(visits - intact_visits - generalized_visits) / every,
    )


def _mean_distance_percent(original: Trajectories, symbols: Symbols, chosen: Int64s) -> float | None:
    if not original.locations.has_coordinates:
        return None
    x, y = original.locations.coordinates("location_statistics")
    widest = diameter(original)
    if len(chosen) == 0 or widest == 0:
        return 0.0
    # Each pair of members was added up twice, once from either end.
    sums: Float64s = np.add.reduceat(
        distances_to_members(symbols.offsets, symbols.members, x, y), symbols.offsets[:-1]
    )[chosen]
    pairs = symbols.sizes[chosen] * (symbols.sizes[chosen] - 1)
    return float(np.mean(sums / pairs) / widest * 100)


class LocationStatisticsMetric(Metric):
    """Intact, generalized and suppressed locations, and how wide the generalized ones are."""

    name = "location_statistics"
    measure = staticmethod(location_statistics)
