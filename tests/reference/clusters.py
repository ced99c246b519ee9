"""Route distance and OPTICS by their definitions, with whole matrices and plain searches."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist, inf

Point = Sequence[float]


def route_distance(one: Sequence[Point], other: Sequence[Point]) -> float:
    if not one or not other:
        return 0.0 if not one and not other else inf
    cost = [[inf] * (len(other) + 1) for _ in range(len(one) + 1)]
    cost[0][0] = 0.0
    for i, point in enumerate(one, 1):
        for j, facing in enumerate(other, 1):
            cost[i][j] = dist(point, facing) + min(cost[i - 1][j - 1], cost[i - 1][j], cost[i][j - 1])
    return cost[-1][-1] / max(len(one), len(other))


def density_clusters(
    routes: Sequence[Sequence[Point]], max_distance: float, min_neighbours: int
) -> tuple[list[int], list[float], list[int]]:
    """Order, reachability and flat clusters."""
    everything = range(len(routes))
    distance = [[route_distance(one, other) for other in routes] for one in routes]
    limit = max_distance + 1e-9 * max(1.0, max_distance)
    near = [[o for o in everything if o != one and distance[one][o] <= limit] for one in everything]
    core = [
        sorted(distance[one][o] for o in near[one])[min_neighbours - 1] if len(near[one]) >= min_neighbours else None
        for one in everything
    ]
    order: list[int] = []
    reachability, labels = [inf] * len(routes), [-1] * len(routes)
    clusters = 0
    for start in everything:
        if start in order:
            continue
        label = -1
        if core[start] is not None:
            label, clusters = clusters, clusters + 1
        waiting = {start}
        while waiting:
            one = min(waiting, key=lambda o: (reachability[o], o))
            waiting.remove(one)
            order.append(one)
            labels[one] = label
            if core[one] is not None:
                for o in near[one]:
                    if o not in order:
                        reachability[o] = min(reachability[o], max(core[one], distance[one][o]))
                        waiting.add(o)
    for one in everything:
        cores = [o for o in near[one] if core[o] is not None]
        if labels[one] == -1 and cores:
            nearest = min(distance[one][o] for o in cores)
            labels[one] = labels[next(o for o in cores if distance[one][o] <= nearest + 1e-9 * max(1.0, nearest))]
    return order, reachability, labels


def compare(
    original: Sequence[int], published: Sequence[int | None]
) -> dict[int, tuple[float, float, float, float, float]]:
    """Precision, recall, F, P* and F* of every original cluster."""
    scores = {}
    for label in sorted(set(original) - {-1}):
        inside = {o for o, one in enumerate(original) if one == label}
        best = (0, 0, 0)
        for other in sorted({one for one in published if one is not None and one >= 0}):
            cluster = {o for o, one in enumerate(published) if one == other}
            best = max(best, (len(inside & cluster), -len(cluster), -other))
        overlap, size, other = best[0], -best[1], -best[2]
        if not overlap:
            scores[label] = (0.0,) * 5
            continue
        quiet = sum(one == other and original[o] != -1 for o, one in enumerate(published))
        p, r, star = overlap / size, overlap / len(inside), overlap / quiet
        scores[label] = (p, r, 2 * p * r / (p + r), star, 2 * star * r / (star + r))
    return scores
