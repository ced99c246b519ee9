"""Slow, obvious versions of the steps from GPS tracks to cells and regions, written from the definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]
Fix = tuple[float, float, float]


def slack(value: float) -> float:
    return 1e-9 * max(1.0, abs(value))


def at_least(value: float, limit: float) -> bool:
    return value >= limit - slack(limit)


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    return math.sqrt((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2)


def nearest(points: Sequence[Point], place: Sequence[float]) -> tuple[int, float]:
    """The lowest index among the points that are as near as the nearest, and how near that is."""
    away = [distance(point, place) for point in points]
    least = min(away)
    return next(index for index, value in enumerate(away) if value <= least + slack(least)), least


def mean(points: Sequence[Sequence[float]]) -> Point:
    return sum(point[0] for point in points) / len(points), sum(point[1] for point in points) / len(points)


def characteristic_points(
    track: Sequence[Fix], min_angle: float, min_stop: float, max_distance: float, min_distance: float
) -> list[int]:
    kept = {0, len(track) - 1}
    i, j = 0, 1
    while j < len(track) - 1:
        if at_least(distance(track[i], track[j]), max_distance):
            kept.add(j)
            i, j = j, j + 1
            continue
        later = [q for q in range(j + 1, len(track)) if at_least(distance(track[j], track[q]), min_distance)]
        if not later:
            break
        q = later[0]
        if q > j + 1:
            if at_least(track[q - 1][2] - track[j][2], min_stop):
                kept.add(j)
                i, j = j, q
                continue
            j = j + (q - 1 - j) // 2
        if at_least(turn(track[i], track[j], track[q]), min_angle):
            kept.add(j)
            i, j = j, q
        else:
            j += 1
    return sorted(kept)


def turn(before: Fix, here: Fix, after: Fix) -> float:
    first = here[0] - before[0], here[1] - before[1]
    second = after[0] - here[0], after[1] - here[1]
    if first == (0, 0) or second == (0, 0):
        return 0.0
    cross = first[0] * second[1] - first[1] * second[0]
    return math.degrees(math.atan2(abs(cross), first[0] * second[0] + first[1] * second[1]))


def group_means(points: Sequence[Point], radius: float) -> list[Point]:
    groups: list[list[Point]] = []
    for point in points:
        if groups:
            index, away = nearest([mean(group) for group in groups], point)
            if away <= radius + slack(radius):
                groups[index].append(point)
                continue
        groups.append([point])
    means = [mean(group) for group in groups]
    again: list[list[Point]] = [[] for _ in means]
    for point in points:
        again[nearest(means, point)[0]].append(point)
    return distinct([mean(group) for group in again if group])


def distinct(points: Sequence[Point]) -> list[Point]:
    kept: list[Point] = []
    for point in points:
        if all(distance(point, other) > 1e-9 for other in kept):
            kept.append(point)
    return kept


def are_neighbours(points: Sequence[Point], a: int, b: int) -> bool:
    """The interval test on the bisector, against every other generator."""
    (ax, ay), (bx, by) = points[a], points[b]
    mx, my = (ax + bx) / 2, (ay + by) / 2
    nx, ny = -(by - ay), bx - ax
    low, high = -1e9, 1e9
    for index, (cx, cy) in enumerate(points):
        if index in (a, b):
            continue
        slope = 2 * (nx * (cx - mx) + ny * (cy - my))
        room = (cx - mx) ** 2 + (cy - my) ** 2 - (ax - mx) ** 2 - (ay - my) ** 2
        if slope == 0:
            if room < 0:
                return False
        elif slope > 0:
            high = min(high, room / slope)
        else:
            low = max(low, room / slope)
    return high - low > 1e-9


def neighbouring_pairs(points: Sequence[Point]) -> list[tuple[int, int]]:
    return [(a, b) for b in range(len(points)) for a in range(b) if are_neighbours(points, a, b)]


def collapsed(values: Sequence[int]) -> list[int]:
    return [value for index, value in enumerate(values) if index == 0 or values[index - 1] != value]


def sequences(tracks: Sequence[Sequence[Fix]], generators: Sequence[Point]) -> list[list[int]]:
    return [collapsed([nearest(generators, fix)[0] for fix in track]) for track in tracks]


def flows(
    tracks: Sequence[Sequence[Fix]], generators: Sequence[Point], individuals: Sequence[int]
) -> dict[tuple[int, int], int]:
    movers: dict[tuple[int, int], set[int]] = {}
    for who, sequence in zip(individuals, sequences(tracks, generators), strict=True):
        for move in pairwise(sequence):
            movers.setdefault(move, set()).add(who)
    return {move: len(who) for move, who in sorted(movers.items()) if are_neighbours(generators, *sorted(move))}


def step(
    tracks: Sequence[Sequence[Fix]],
    generators: Sequence[Point],
    individuals: Sequence[int],
    k: int,
    max_displacement: float | None = None,
    displacement: str = "max",
    rep: str = "mean",
) -> tuple[list[tuple[int, int, int]], list[Point]]:
    """The merges (a, b, count) of one step, and the new generators."""
    counts = flows(tracks, generators, individuals)
    weak = []
    for a, b in {tuple(sorted(move)) for move in counts}:
        there, back = counts.get((a, b), 0), counts.get((b, a), 0)
        count = min(there, back) if there and back else max(there, back)
        if count < k:
            weak.append((count, a, b))
    cell = [(nearest(generators, fix)[0], fix) for track in tracks for fix in track]
    used: set[int] = set()
    merges, merged = [], []
    for count, a, b in sorted(weak):
        if a in used or b in used:
            continue
        points = [fix[:2] for number, fix in cell if number in (a, b)]
        place = mean(points) if rep == "mean" else medoid(points)
        if max_displacement is not None:
            away = [distance(point, place) for point in points]
            reached = max(away) if displacement == "max" else sum(away) / len(away)
            if reached > max_displacement + slack(max_displacement):
                continue
        used |= {a, b}
        merges.append((a, b, count))
        merged.append(place)
    kept = [point for index, point in enumerate(generators) if index not in used]
    return merges, distinct(kept + merged)


def medoid(points: Sequence[Point]) -> Point:
    sums = [sum(distance(one, other) for other in points) for one in points]
    least = min(sums)
    return min(point for point, total in zip(points, sums, strict=True) if total <= least + slack(least))


def representative(
    tracks: Sequence[Sequence[Fix]], generators: Sequence[Point], owners: Sequence[int], cell: int
) -> Point:
    """Mean over individuals of each one's mean point in the cell."""
    own: dict[int, list[Point]] = {}
    for who, track in zip(owners, tracks, strict=True):
        for fix in track:
            if nearest(generators, fix)[0] == cell:
                own.setdefault(who, []).append(fix[:2])
    return mean([mean(points) for points in own.values()])


def regions(
    tracks: Sequence[Sequence[Fix]], cell: float, min_density: float, origin: Point | None = None
) -> tuple[list[tuple[int, int, int, int]], list[list[int]]]:
    """Rectangles (x1, y1, x2, y2) of grid cells, and the region sequence of every track, empty ones too."""
    fixes = [fix for track in tracks for fix in track]
    x0, y0 = origin or (min(fix[0] for fix in fixes), min(fix[1] for fix in fixes))

    def grid(fix: Fix) -> tuple[int, int]:
        return math.floor((fix[0] - x0) / cell + 1e-9), math.floor((fix[1] - y0) / cell + 1e-9)

    density: dict[tuple[int, int], int] = {}
    for track in tracks:
        for place in {grid(fix) for fix in track}:
            density[place] = density.get(place, 0) + 1
    columns, rows = 1 + max(place[0] for place in density), 1 + max(place[1] for place in density)
    limit = min_density * len(tracks)
    dense = {place for place, count in density.items() if at_least(count, limit)}
    region: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int, int, int]] = []

    def inside(rectangle: tuple[int, int, int, int]) -> set[tuple[int, int]]:
        x1, y1, x2, y2 = rectangle
        return {(x, y) for x in range(x1, x2 + 1) for y in range(y1, y2 + 1)}

    def mean_density(rectangle: tuple[int, int, int, int]) -> float:
        places = inside(rectangle)
        return sum(density.get(place, 0) for place in places) / len(places)

    for seed in sorted(dense, key=lambda place: (-density[place], place)):
        if seed in region:
            continue
        current = (*seed, *seed)
        while True:
            allowed = []
            for dx1, dy1, dx2, dy2 in ((-1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)):
                larger = current[0] + dx1, current[1] + dy1, current[2] + dx2, current[3] + dy2
                strip = inside(larger) - inside(current)
                if larger[0] < 0 or larger[1] < 0 or larger[2] >= columns or larger[3] >= rows:
                    continue
                if strip & region.keys() or not strip & dense or not at_least(mean_density(larger), limit):
                    continue
                allowed.append(larger)
            if not allowed:
                break
            best = max(map(mean_density, allowed))
            current = next(one for one in allowed if mean_density(one) >= best - slack(best))
        region |= dict.fromkeys(inside(current), len(found))
        found.append(current)
    visits = [[region[grid(fix)] for fix in track if grid(fix) in region] for track in tracks]
    return found, [collapsed(visit) for visit in visits]
