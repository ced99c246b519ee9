"""Parts of equal size that hold points lying near each other: how taxonomies and constraints are made from coordinates.

The points are halved again and again, across the side on which they are spread wider (x where both are equal), so that
each half gets its share of the parts. Points with an equal coordinate follow the other one, then their number: the
same points always give the same parts, and no randomness and no data about people come into it.
"""

from __future__ import annotations

import numpy as np

from crypsis.arrays import Float64s, Int64s


def packed(x: Float64s, y: Float64s, points: Int64s, n_parts: int) -> list[Int64s]:
    """The chosen points in `n_parts` parts whose sizes differ by at most one; needs a point per part."""
    bounds = np.arange(n_parts + 1) * len(points) // n_parts
    parts: list[Int64s] = []
    waiting = [(points, 0, n_parts)]
    while waiting:
        inside, first, last = waiting.pop()
        if last - first == 1:
            parts.append(np.sort(inside))
            continue
        middle = (first + last) // 2
        here_x, here_y = x[inside], y[inside]
        across_x = np.ptp(here_x) >= np.ptp(here_y)
        order = np.lexsort((inside, here_y, here_x) if across_x else (inside, here_x, here_y))
        cut = int(bounds[middle] - bounds[first])
        waiting.append((inside[order[cut:]], middle, last))
        waiting.append((inside[order[:cut]], first, middle))
    return parts


def parts_needed(n_points: int, largest: int) -> int:
    """How many parts of at most `largest` points hold them all."""
    return -(-n_points // largest)
