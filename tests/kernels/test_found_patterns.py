from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.found_patterns import append_pattern, no_patterns


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=9), min_size=60, max_size=150))
def test_appended_patterns_are_kept_when_the_list_grows(patterns: list[list[int]]) -> None:
    found, n_codes = no_patterns(), 0
    for index, pattern in enumerate(patterns):
        found = append_pattern(found, index, n_codes, np.array(pattern, np.int32), 7 * index)
        n_codes += len(pattern)
    kept = [found.codes[found.offsets[i] : found.offsets[i + 1]].tolist() for i in range(len(patterns))]
    assert kept == patterns
    assert found.supports[: len(patterns)].tolist() == [7 * index for index in range(len(patterns))]
