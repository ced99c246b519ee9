"""OPTICS. The neighbours of object o, itself excluded, are neighbours[starts[o]:starts[o + 1]], ascending.

Ankerst, Breunig, Kriegel, Sander. OPTICS: ordering points to identify the clustering structure. SIGMOD 1999.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from crypsis.arrays import Float64s, Int64s
from crypsis.compilation import njit

_TOLERANCE = 1e-9


@njit
def optics(
    starts: Int64s, neighbours: Int64s, distances: Float64s, min_neighbours: int
) -> tuple[Int64s, Float64s, Float64s, Int64s]:
    """Order of the visits, reachability (infinite where nothing was reached), core distances and flat clusters.

    A cluster is everything reached from a start core object without interruption; clusters are numbered in the order of
    their starts. An object that was visited before its cluster joins the nearest core object, the rest is noise (-1).
    """
    n_objects = len(starts) - 1
    core = np.full(n_objects, np.inf)
    for thing in range(n_objects):
        if starts[thing + 1] - starts[thing] >= min_neighbours:
            core[thing] = np.sort(distances[starts[thing] : starts[thing + 1]])[min_neighbours - 1]

    order = np.empty(n_objects, np.int64)
    reachability = np.full(n_objects, np.inf)
    labels = np.full(n_objects, -1, np.int64)
    visited = np.zeros(n_objects, np.bool_)
    queue = [(0.0, 0)]
    queue.pop()
    n_visited = 0
    n_clusters = 0
    for start in range(n_objects):
        if visited[start]:
            continue
        heappush(queue, (np.inf, start))
        cluster = -1
        if core[start] < np.inf:
            cluster = n_clusters
            n_clusters += 1
        while len(queue) > 0:
            _, thing = heappop(queue)
            if visited[thing]:
                continue  # it was queued again, nearer
            visited[thing] = True
            order[n_visited] = thing
            n_visited += 1
            labels[thing] = cluster
            if core[thing] == np.inf:
                continue
            for index in range(starts[thing], starts[thing + 1]):
                neighbour = neighbours[index]
                reached = max(core[thing], distances[index])
                if not visited[neighbour] and reached < reachability[neighbour]:
                    reachability[neighbour] = reached
                    heappush(queue, (reached, neighbour))

    for thing in range(n_objects):
        if labels[thing] >= 0:
            continue
        nearest = np.inf
        for index in range(starts[thing], starts[thing + 1]):
            if core[neighbours[index]] < np.inf:
                nearest = min(nearest, distances[index])
        if nearest == np.inf:
            continue
        for index in range(starts[thing], starts[thing + 1]):
            near_enough = distances[index] <= nearest + _TOLERANCE * max(1.0, nearest)
            if core[neighbours[index]] < np.inf and near_enough:
                labels[thing] = labels[neighbours[index]]
                break
    return order, reachability, core, labels
