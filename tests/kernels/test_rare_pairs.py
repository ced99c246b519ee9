"""The matrix of constraints names, after every merge and suppression, the constraint that counting anew names."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.arrays import Int32s, offsets_of
from crypsis.kernels.rare_pairs import first_constraints, join_items, leave_out, rarest_of_each, worst_constraint
from tests.reference import rare_pairs as reference

N_ITEMS = 6
POSSIBLE = [(item,) for item in range(N_ITEMS)] + list(combinations(range(N_ITEMS), 2))


def supports(records: list[set[int]], symbol_of: dict[int, int | None]) -> Int32s:
    counts = np.zeros((N_ITEMS, N_ITEMS), np.int32)
    for record in records:
        shown = {symbol for item in record if (symbol := symbol_of[item]) is not None}
        for one in shown:
            for other in shown:
                counts[one, other] += 1
    return counts


@settings(max_examples=60)
@given(
    st.lists(st.sets(st.integers(0, N_ITEMS - 1)), min_size=1, max_size=12),
    st.lists(st.sampled_from(range(len(POSSIBLE))), unique=True).map(sorted),
    st.integers(1, 5),
    st.data(),
)
def test_the_next_constraint_is_that_of_counting_anew(
    records: list[set[int]], chosen: list[int], k: int, data: st.DataObject
) -> None:
    constraints = [POSSIBLE[place] for place in chosen]
    symbol_of: dict[int, int | None] = {item: item for item in range(N_ITEMS)}
    alive = list(range(N_ITEMS))
    offsets = offsets_of(np.array([len(one) for one in constraints], np.int64))
    items = np.array([item for one in constraints for item in one], np.int32)
    pairs = supports(records, symbol_of)
    first = first_constraints(offsets, items, N_ITEMS)
    rarest = rarest_of_each(first, pairs, k)
    assert worst_constraint(rarest) == reference.worst_constraint(records, constraints, symbol_of, k)
    while len(alive) > 1:
        one, other = sorted(data.draw(st.lists(st.sampled_from(alive), min_size=2, max_size=2, unique=True)))
        suppress = data.draw(st.booleans())
        symbol_of = {
            item: symbol if symbol != other else (None if suppress else one) for item, symbol in symbol_of.items()
        }
        alive.remove(other)
        if suppress:
            leave_out(other, first, pairs, k, rarest)
        else:
            recounted = supports(records, symbol_of)
            pairs[one], pairs[:, one] = recounted[one], recounted[one]
            join_items(one, other, first, pairs, k, rarest)
        assert worst_constraint(rarest) == reference.worst_constraint(records, constraints, symbol_of, k)
