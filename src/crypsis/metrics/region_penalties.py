"""How coarse published counts of regions are: NCP and discernibility, from the release alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Annotated

import numpy as np

from crypsis.data.counted_regions import CountedRegions
from crypsis.data.relational import Table
from crypsis.metrics.figure import SHARE, Figure, Measured
from crypsis.metrics.metric import Metric


@dataclass(frozen=True)
class RegionPenalties(Measured):
    """NCP is undefined, hence not there, for a release whose counts are all 0."""

    ncp: Annotated[
        Fraction | None,
        Figure(
            "region_ncp_loss",
            "Width of published regions",
            "Mean width of a region as a share of the domains, over all counted records.",
            unit=SHARE,
            former_name="ncp_of_counts",
        ),
    ]
    discernibility: Annotated[
        int,
        Figure(
            "region_discernibility_loss",
            "Discernibility of regions",
            "Every counted record costs the count of its region.",
            former_name="discernibility_of_counts",
        ),
    ]
    share: Annotated[
        Fraction | None,
        Figure(
            "region_discernibility_share_loss",
            "Discernibility as a share",
            "The same as a share of the worst case, in which all records are in one region.",
            unit=SHARE,
            former_name="discernibility_share",
        ),
    ]


def region_penalties(original: Table, published: CountedRegions) -> RegionPenalties:
    """NCP, the sum of squared counts of regions, and that sum as a share of the squared total."""
    total = published.records
    squares = discernibility_of_regions(published)
    return RegionPenalties(ncp_of_regions(published), squares, Fraction(squares, total * total) if total else None)


def ncp_of_regions(published: CountedRegions) -> Fraction | None:
    """The mean width of a value, as a share of its domain, over attributes and counted records; one cell is 0."""
    if not published.records or not published.attributes:
        return None
    sizes = published.counts.sum(axis=1)
    spans = (published.high - published.low).astype(np.int64)
    spans[spans == 1] = 0
    widths = [len(attribute) for attribute in published.attributes]
    common = lcm(*widths)
    total = sum(int((sizes * spans[:, index]).sum()) * (common // width) for index, width in enumerate(widths))
    return Fraction(total, common * published.records * len(widths))


def discernibility_of_regions(published: CountedRegions) -> int:
    """The sum of the squared counts of the regions, all classes together."""
    return sum(size * size for size in published.counts.sum(axis=1).tolist())


class RegionPenaltiesMetric(Metric):
    """NCP and discernibility of published counts of regions, from the counts themselves."""

    name = "region_penalties"
    measure = staticmethod(region_penalties)
