"""Sums are exact whatever the order, also where they are not added one by one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.metrics.exact_sums import total

_WHOLE = st.integers(-(2**51), 2**51).map(float)
_ANY = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200)


@given(st.lists(_WHOLE | st.just(0.0), max_size=40) | st.lists(_ANY | _WHOLE, max_size=40))
def test_a_sum_is_the_nearest_number_to_the_true_sum(values: list[float]) -> None:
    assert total(np.array(values)) == float(sum(map(Fraction, values), Fraction(0)))
