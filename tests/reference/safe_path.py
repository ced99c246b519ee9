"""SafePath the slow and obvious way: a node, a child and a draw at a time. Imports nothing from crypsis.

`noise(count, epsilon)` returns the noisy count of one node; it is asked for every structurally possible child.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import isqrt


def prepared(pairs, n_locations, n_times, order, height):
    """One person's pairs (location, time) as the rule orders them, each once, cut to the height."""
    inside = [pair for pair in pairs if 0 <= pair[0] < n_locations and 0 <= pair[1] < n_times]
    if order == "canonical":
        ordered = sorted(set(inside), key=lambda pair: (pair[1], pair[0]))
    else:
        ordered = sorted(dict.fromkeys(inside), key=lambda pair: pair[1])
    if order == "strict":
        ordered = [pair for place, pair in enumerate(ordered) if place == 0 or pair[1] != ordered[place - 1][1]]
    return ordered[:height]


def allowed(parent, pair, order):
    if parent is None:
        return True
    if order == "canonical":
        return (pair[1], pair[0]) > (parent[1], parent[0])
    return pair[1] > parent[1] if order == "strict" else pair[1] >= parent[1]


def threshold(deviations, epsilon):
    """The smallest whole number of at least deviations * sqrt(2) / epsilon."""
    number = isqrt(2 * deviations**2 * epsilon.denominator**2 // epsilon.numerator**2)
    while number * number * epsilon * epsilon < 2 * deviations**2:
        number += 1
    return number


def survivors(values, possible, size, fan_out, height, share, noise, fixed=None):
    """Values that pass: general ranges first, each split only if it passed; then single values. value: noisy count."""
    node_share = share / (height + 1)
    general = fixed or threshold(4, node_share)
    leaf = fixed or threshold(2, node_share)
    ranges, waiting = [(0, size)], []
    for _ in range(height):
        below = []
        for low, high in ranges:
            if high - low == 1:
                waiting.append((low, high))
                continue
            cuts = sorted({low + part * (high - low) // fan_out for part in range(fan_out + 1)})
            for start, end in pairwise(cuts):
                if not any(value in possible for value in range(start, end)):
                    continue
                if noise(sum(start <= value < end for value in values), node_share) >= general:
                    below.append((start, end))
        ranges = below
    passed = {}
    for low, high in [*waiting, *ranges]:
        for value in range(low, high):
            if value in possible:
                count = noise(sum(each == value for each in values), node_share)
                if count >= leaf:
                    passed[value] = count
    return passed


def noisy_tree(people, n_locations, n_times, *, order, height, fan_out, heights, epsilon, noise, fixed=None):
    """prefix: noisy count, for every prefix that lives."""
    records = [prepared(pairs, n_locations, n_times, order, height) for pairs in people]
    share = Fraction(epsilon) / (2 * height)
    tree, frontier = {}, [()]
    for level in range(height):
        following = []
        for prefix in frontier:
            parent = prefix[-1] if prefix else None
            here = [record[level] for record in records if len(record) > level and tuple(record[:level]) == prefix]
            times = range(n_times)
            places = {
                place for place in range(n_locations) if any(allowed(parent, (place, time), order) for time in times)
            }
            found = survivors([pair[0] for pair in here], places, n_locations, fan_out, heights[0], share, noise, fixed)
            for place in found:
                moments = {time for time in times if allowed(parent, (place, time), order)}
                at_place = [pair[1] for pair in here if pair[0] == place]
                for time, count in survivors(
                    at_place, moments, n_times, fan_out, heights[1], share, noise, fixed
                ).items():
                    tree[(*prefix, (place, time))] = count
                    following.append((*prefix, (place, time)))
        frontier = following
    return tree


def flat_tree(people, n_locations, n_times, *, order, height, epsilon, noise, fixed):
    """The same without locations and times apart: every possible pair under every prefix that lives."""
    records = [prepared(pairs, n_locations, n_times, order, height) for pairs in people]
    tree, frontier = {}, [()]
    for level in range(height):
        following = []
        for prefix in frontier:
            for place in range(n_locations):
                for time in range(n_times):
                    if not allowed(prefix[-1] if prefix else None, (place, time), order):
                        continue
                    longer = (*prefix, (place, time))
                    count = noise(sum(tuple(record[: level + 1]) == longer for record in records), epsilon / height)
                    if count >= fixed:
                        tree[longer] = count
                        following.append(longer)
        frontier = following
    return tree


def trajectories(tree):
    """prefix: copies, from noisy counts: children scaled into their parent, whole numbers, and what is left over."""
    value, whole = {}, {}
    for prefix in sorted(tree, key=len):
        if len(prefix) == 1:
            value[prefix], whole[prefix] = Fraction(tree[prefix]), tree[prefix]
    for parent in sorted(tree, key=len):
        children = sorted(
            (prefix for prefix in tree if prefix[:-1] == parent and len(prefix) == len(parent) + 1),
            key=lambda prefix: (prefix[-1][1], prefix[-1][0]),
        )
        if not children:
            continue
        shares = nearest([tree[child] for child in children], value[parent])
        floors = [share.numerator // share.denominator for share in shares]
        missing = min(whole[parent], (sum(shares) + Fraction(1, 2)).__floor__()) - sum(floors)
        by_rest = sorted(range(len(children)), key=lambda place: (floors[place] - shares[place], place))
        for place in by_rest[:missing]:
            floors[place] += 1
        for child, share, count in zip(children, shares, floors, strict=True):
            value[child], whole[child] = share, count
    copies = dict(whole)
    for prefix, count in whole.items():
        if len(prefix) > 1:
            copies[prefix[:-1]] -= count
    return {prefix: count for prefix, count in copies.items() if count}


def nearest(counts, parent):
    """Lower all by the same amount, none below zero, until they fit: try every number of those that stay positive."""
    if sum(counts) <= parent:
        return [Fraction(count) for count in counts]
    ordered = sorted(counts, reverse=True)
    for kept in range(len(ordered), 0, -1):
        cut = Fraction(sum(ordered[:kept]) - parent) / kept
        if ordered[kept - 1] >= cut:
            return [max(Fraction(count) - cut, Fraction(0)) for count in counts]
    return [Fraction(0)] * len(counts)
