"""DiffPart the slow and obvious way: a partition, a combination of children and a record at a time.

Imports nothing from crypsis. `noise(count, epsilon)` returns the noisy count of one set of records; it is asked for
every combination of children, whether anybody has it or not.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

UNITS = 1 << 24


def children_of(low, high, fan_out):
    if high - low == 1:
        return []
    return list(pairwise(sorted({low + part * (high - low) // fan_out for part in range(fan_out + 1)})))


def inner_below(low, high, fan_out):
    below = children_of(low, high, fan_out)
    return 1 + sum(inner_below(*child, fan_out) for child in below) if below else 0


def height_of(low, high, fan_out):
    below = children_of(low, high, fan_out)
    return 1 + max(height_of(*child, fan_out) for child in below) if below else 0


def share(left, steps):
    """An equal part for each step that may come, of which the six highest bits count."""
    part = left // steps
    bits = max(part.bit_length() - 6, 0)
    return part >> bits << bits


def itemsets(records, size, *, fan_out, epsilon, threshold, noise):
    """Itemset: (noisy count, budget); and the most that any way through the tree spent."""
    epsilon = Fraction(epsilon)
    found, most = {}, Fraction(0)
    waiting = [(((0, size),), [sorted(set(record)) for record in records if record], UNITS // 2)]
    while waiting:
        cut, here, left = waiting.pop()
        inner = [node for node in cut if node[1] - node[0] > 1]
        if not inner:
            budget = epsilon * (UNITS // 2 + left) / UNITS
            found[tuple(low for low, _ in cut)] = noise(len(here), budget), budget
            most = max(most, epsilon * (UNITS // 2 - left) / UNITS + budget)
            continue
        widest = max(inner, key=lambda node: (node[1] - node[0], -node[0]))
        units = share(left, sum(inner_below(*node, fan_out) for node in cut))
        budget = epsilon * units / UNITS
        below = children_of(*widest, fan_out)
        height = max(height_of(*node, fan_out) for node in cut)
        least = threshold(budget, height, 2 ** len(below) - 1)
        for number in range(1, len(below) + 1):
            for chosen in combinations(below, number):
                inside = [record for record in here if touched(record, below) == chosen]
                if noise(len(inside), budget) >= least:
                    at = cut.index(widest)
                    waiting.append(((*cut[:at], *chosen, *cut[at + 1 :]), inside, left - units))
    return found, most


def touched(record, nodes):
    return tuple((low, high) for low, high in nodes if any(low <= item < high for item in record))
