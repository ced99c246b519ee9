"""The operations of `FuzzyArray` as compiled loops: the four bounds of A, those of B, and the results.

All bounds are int64 or all are float64; an array of length one stands for as many equal intervals as there are results.
Infinite whole numbers are the smallest and the largest int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crypsis.compilation import njit
from crypsis.fuzzytime import relations

Bounds = Any  # int64 or float64 arrays; one compiled form each

possible_relations = njit(relations.possible_relations)


def _codes() -> Any:
    """The code of a relation by the outcomes of nine comparisons, as bits.

    Branches that cannot be foreseen would slow the loop down.
    """
    codes = np.full(512, relations.UNDEFINED, np.int8)
    for outcomes in range(512):
        coreless, a_first, before, b_first, after, *sides = (outcomes >> bit & 1 for bit in range(9))
        place = 3 * (1 - sides[0] + sides[1]) + 1 - sides[2] + sides[3]
        if not coreless and (a_first or b_first):
            code = ("before" if before else "meets") if a_first else ("after" if after else "met_by")
            codes[outcomes] = relations.CODES[code]
        elif not coreless:
            codes[outcomes] = relations.WITH_SHARED_CORE[place]
    return codes


CODES = _codes()


@njit
def relate(
    os_a: Bounds, is_a: Bounds, ie_a: Bounds, oe_a: Bounds, os_b: Bounds, is_b: Bounds, ie_b: Bounds, oe_b: Bounds,
    codes: Any,
) -> None:  # fmt: skip
    """Write the code of the relation of every pair."""
    step_a, step_b = int(len(os_a) > 1), int(len(os_b) > 1)
    for pair in range(len(codes)):
        a, b = pair * step_a, pair * step_b
        os_1, is_1, ie_1, oe_1 = os_a[a], is_a[a], ie_a[a], oe_a[a]
        os_2, is_2, ie_2, oe_2 = os_b[b], is_b[b], ie_b[b], oe_b[b]
        outcomes = int((is_1 >= ie_1) | (is_2 >= ie_2))
        outcomes |= int(ie_1 <= is_2) << 1 | int(oe_1 < os_2) << 2 | int(ie_2 <= is_1) << 3 | int(oe_2 < os_1) << 4
        outcomes |= int(is_1 < os_2) << 5 | int(is_2 < os_1) << 6 | int(oe_1 < ie_2) << 7 | int(oe_2 < ie_1) << 8
        codes[pair] = CODES[outcomes]


@njit
def possible_mask(
    os_a: Bounds, is_a: Bounds, ie_a: Bounds, oe_a: Bounds, os_b: Bounds, is_b: Bounds, ie_b: Bounds, oe_b: Bounds,
    masks: Any,
) -> None:  # fmt: skip
    """Write the possible relations of every pair as bits."""
    step_a, step_b = int(len(os_a) > 1), int(len(os_b) > 1)
    for pair in range(len(masks)):
        a, b = pair * step_a, pair * step_b
        # One by one: a loop over the outcomes would go through memory.
        r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12 = possible_relations(
            os_a[a], is_a[a], ie_a[a], oe_a[a], os_b[b], is_b[b], ie_b[b], oe_b[b]
        )
        mask = int(r0) | int(r1) << 1 | int(r2) << 2 | int(r3) << 3 | int(r4) << 4 | int(r5) << 5 | int(r6) << 6
        mask |= int(r7) << 7 | int(r8) << 8 | int(r9) << 9 | int(r10) << 10 | int(r11) << 11 | int(r12) << 12
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
