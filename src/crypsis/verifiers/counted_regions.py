"""What can be checked of regions with noisy counts: that they divide the declared domain, and that the budget adds up.

A domain is divided if no two regions overlap and their cells add up to all that there are. As with every private
release the noise itself cannot be seen in the files; see `synthetic_trajectories`.
"""

from __future__ import annotations

from math import prod

import numpy as np

from crypsis.arrays import Int32s, Int64s
from crypsis.compilation import njit
from crypsis.data.category_trees import CategoryTree
from crypsis.data.counted_regions import CountedRegions
from crypsis.data.relational import Table
from crypsis.guarantees import DifferentialPrivacy, Verdict
from crypsis.verifiers.spent_budget import verdict_on


def verify_counted_regions(
    published: CountedRegions, promised: DifferentialPrivacy, original: Table | None = None
) -> Verdict:
    """Check form and budget; the original adds nothing, because every count has noise of its own."""
    how = "the regions were checked to divide the domain, and what was spent was compared with what is allowed"
    return verdict_on(published, promised, _problem_with_regions(published), how)


def _problem_with_regions(published: CountedRegions) -> str | None:
    if len(set(published.names)) < len(published.attributes) or len(set(published.classes)) < len(published.classes):
        return "two attributes or two classes have one name."
    if not len(published):
        return "there is no region, and regions divide the whole domain."
    if int(published.counts.min()) < 0:
        return f"region {np.argmin(published.counts.min(axis=1))} has a negative count."
    low, high = published.low.astype(np.int64), published.high.astype(np.int64)
    widths = np.array([len(attribute) for attribute in published.attributes])
    outside = ((low < 0) | (high > widths) | (low >= high)).any(axis=1)
    if outside.any():
        return f"region {np.argmax(outside)} is not within the declared domains."
    for index, attribute in enumerate(published.attributes):
        if isinstance(attribute.domain, CategoryTree):
            nodes = published.node[:, index]
            unknown = (nodes < 0) | (nodes >= len(attribute.domain.names))
            if unknown.any():
                return f"region {np.argmax(unknown)} names no node of the tree of {attribute.name!r}."
            other = (attribute.domain.low[nodes] != low[:, index]) | (attribute.domain.high[nodes] != high[:, index])
            if other.any():
                return f"region {np.argmax(other)} does not span the categories below its node of {attribute.name!r}."
    one, two = _overlap(low, high)
    if one >= 0:
        return f"regions {min(one, two)} and {max(one, two)} overlap."
    cells = sum(prod(row) for row in (high - low).tolist())
    if cells != prod(widths.tolist()):
        return "the regions leave a part of the domain out."
    return None


def _overlap(low: Int64s, high: Int64s) -> tuple[int, int]:
    """The numbers of two regions that overlap, -1 where none do."""
    distinct = [len(np.unique(low[:, index])) for index in range(low.shape[1])]
    first = int(np.argmax(distinct)) if distinct else 0
    columns = [first, *(place for place in np.argsort(distinct)[::-1].tolist() if place != first)]
    order = np.argsort(low[:, first], kind="stable")
    one, two = _first_overlap(
        np.ascontiguousarray(low[order][:, columns]).astype(np.int32),
        np.ascontiguousarray(high[order][:, columns]).astype(np.int32),
    )
    return (-1, -1) if one < 0 else (int(order[one]), int(order[two]))


@njit
def _first_overlap(low: Int32s, high: Int32s) -> tuple[int, int]:
    """Regions are sorted by their first column, so only those that begin before a region ends there can overlap it."""
    for index in range(len(low)):
        for two in range(index + 1, len(low)):
            if low[two, 0] >= high[index, 0]:
                break
            apart = False
            for slot in range(1, low.shape[1]):
                if low[two, slot] >= high[index, slot] or low[index, slot] >= high[two, slot]:
                    apart = True
                    break
            if not apart:
                return index, two
    return -1, -1
