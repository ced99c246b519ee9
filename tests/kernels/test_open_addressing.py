from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.kernels.open_addressing import enlarge, key_slot


@given(st.lists(st.integers(0, 1 << 60), max_size=40, unique=True))
def test_a_table_that_grows_keeps_every_key_with_its_value(wanted: list[int]) -> None:
    keys, values = np.full(4, -1, np.int64), np.full(4, -1, np.int32)
    for index, key in enumerate(wanted):
        if 2 * index >= len(keys):
            keys, values = enlarge(keys, values)
        slot = key_slot(keys, key)
        assert keys[slot] == -1
        keys[slot], values[slot] = key, index
    assert [int(values[key_slot(keys, key)]) for key in wanted] == list(range(len(wanted)))
    assert np.count_nonzero(keys != -1) == len(wanted)
