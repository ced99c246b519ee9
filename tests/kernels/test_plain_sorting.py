"""The sorts of kernels against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from crypsis.kernels.plain_sorting import order_by, sort_first


@pytest.mark.parametrize("n", [0, 1, 2, 3, 24, 25, 100, 1_000])
@pytest.mark.parametrize("most", [1, 5, 10**9])
def test_both_sort_as_numpy_does(n: int, most: int) -> None:
    values = np.random.Generator(np.random.PCG64(n)).integers(-most, most, n)
    assert np.array_equal(order_by(values), np.argsort(values, kind="stable"))
    assert np.array_equal(order_by(values / 7), np.argsort(values / 7, kind="stable"))
    for some in (0, n // 2, n):
        sorted_at_first = values.copy()
        sort_first(sorted_at_first, some)
        assert np.array_equal(sorted_at_first, np.concatenate([np.sort(values[:some]), values[some:]]))
