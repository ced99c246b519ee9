"""The operations of `FuzzyArray` as compiled loops: the four bounds of A, those of B, and the results.

All bounds are int64 or all are float64; an array of length one stands for as many equal intervals as there are results.
Infinite whole numbers are the smallest and the largest int64.
"""

from __future__ import annotations

from typing import Any

from crypsis.compilation import njit
from crypsis.fuzzytime import relations

Bounds = Any  # int64 or float64 arrays; one compiled form each

WITH_SHARED_CORE = relations.WITH_SHARED_CORE
possible_relations = njit(relations.possible_relations)


@njit
def relate(
    os_a: Bounds, is_a: Bounds, ie_a: Bounds, oe_a: Bounds, os_b: Bounds, is_b: Bounds, ie_b: Bounds, oe_b: Bounds,
    codes: Any,
) -> None:  # fmt: skip
    """Write the code of the relation of every pair."""
    step_a, step_b = int(len(os_a) > 1), int(len(os_b) > 1)
    for pair in range(len(codes)):
        a, b = pair * step_a, pair * step_b
        if is_a[a] >= ie_a[a] or is_b[b] >= ie_b[b]:
            codes[pair] = -1  # no core
        elif ie_a[a] <= is_b[b]:
            codes[pair] = 0 if oe_a[a] < os_b[b] else 1
        elif ie_b[b] <= is_a[a]:
            codes[pair] = 12 if oe_b[b] < os_a[a] else 11
        else:
            left = 1 - int(is_a[a] < os_b[b]) + int(is_b[b] < os_a[a])
            right = 1 - int(oe_a[a] < ie_b[b]) + int(oe_b[b] < ie_a[a])
            codes[pair] = WITH_SHARED_CORE[3 * left + right]


@njit
def possible_mask(
    os_a: Bounds, is_a: Bounds, ie_a: Bounds, oe_a: Bounds, os_b: Bounds, is_b: Bounds, ie_b: Bounds, oe_b: Bounds,
    masks: Any,
) -> None:  # fmt: skip
    """Write the possible relations of every pair as bits."""
    step_a, step_b = int(len(os_a) > 1), int(len(os_b) > 1)
    for pair in range(len(masks)):
        a, b = pair * step_a, pair * step_b
        mask, bit = 0, 1
        for possible in possible_relations(os_a[a], is_a[a], ie_a[a], oe_a[a], os_b[b], is_b[b], ie_b[b], oe_b[b]):
            mask |= bit * int(possible)
            bit <<= 1
        masks[pair] = mask


@njit
def presence_sometime(
    os_v: Bounds, is_v: Bounds, ie_v: Bounds, oe_v: Bounds, os_p: Bounds, is_p: Bounds, ie_p: Bounds, oe_p: Bounds,
    answers: Any,
) -> None:  # fmt: skip
    """Write whether each visit and its period have an instant in common."""
    step_v, step_p = int(len(os_v) > 1), int(len(os_p) > 1)
    for pair in range(len(answers)):
        v, p = pair * step_v, pair * step_p
        definitely = (min(is_v[v], oe_v[v]) <= max(ie_p[p], os_p[p])) & (min(is_p[p], oe_p[p]) <= max(ie_v[v], os_v[v]))
        possibly = (os_v[v] <= oe_p[p]) & (os_p[p] <= oe_v[v])
        answers[pair] = 2 if definitely else int(possibly)


@njit
def presence_throughout(
    os_v: Bounds, is_v: Bounds, ie_v: Bounds, oe_v: Bounds, os_p: Bounds, is_p: Bounds, ie_p: Bounds, oe_p: Bounds,
    answers: Any,
) -> None:  # fmt: skip
    """Write whether each visit covers its period."""
    step_v, step_p = int(len(os_v) > 1), int(len(os_p) > 1)
    for pair in range(len(answers)):
        v, p = pair * step_v, pair * step_p
        definitely = (min(is_v[v], oe_v[v]) <= os_p[p]) & (oe_p[p] <= max(ie_v[v], os_v[v]))
        possibly = (os_v[v] <= min(is_p[p], oe_p[p])) & (max(ie_p[p], os_p[p]) <= oe_v[v])
        answers[pair] = 2 if definitely else int(possibly)


@njit
def presence_within(
    os_v: Bounds, is_v: Bounds, ie_v: Bounds, oe_v: Bounds, os_p: Bounds, is_p: Bounds, ie_p: Bounds, oe_p: Bounds,
    answers: Any,
) -> None:  # fmt: skip
    """Write whether each period covers its visit."""
    presence_throughout(os_p, is_p, ie_p, oe_p, os_v, is_v, ie_v, oe_v, answers)
