"""Step of PPSG: groups of nearby points, whose means generate the cells.

Andrienko, Andrienko. Spatial generalization and aggregation of massive movement data.
IEEE Transactions on Visualization and Computer Graphics 17, 2011, 205-219.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s
from crypsis.kernels.point_grouping import group_points
from crypsis.methods.trajectory.voronoi import nearest_generators, without_duplicates


def group_means(x: Float64s, y: Float64s, radius: float) -> tuple[Float64s, Float64s]:
    """Means of groups about one radius wide. The order of the points matters: groups are opened as they come.

    After the first pass every point goes to the group whose mean is nearest by then; empty groups and repeated means
    are dropped. A group may hold a single point, so a mean is never to be published.
    """
    mean_x, mean_y = group_points(np.ascontiguousarray(x), np.ascontiguousarray(y), float(radius))
    group = nearest_generators(mean_x, mean_y, x, y)
    size = np.bincount(group, minlength=len(mean_x))
    held = size > 0
    mean_x = np.bincount(group, weights=x, minlength=len(size))[held] / size[held]
    mean_y = np.bincount(group, weights=y, minlength=len(size))[held] / size[held]
    stays = without_duplicates(mean_x, mean_y)
    return mean_x[stays], mean_y[stays]
