"""Classes are numbered alike, whether or not a key fits into 64 bits beside the number of its record."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.verifiers.table_classes import _numbered


@given(st.lists(st.integers(0, 2**40), max_size=5), st.lists(st.integers(0, 4), max_size=30))
def test_records_are_numbered_by_their_keys(keys: list[int], chosen: list[int]) -> None:
    held = np.array([keys[place % len(keys)] for place in chosen] if keys else [], np.int64)
    expected = np.unique(held, return_index=True, return_inverse=True, return_counts=True)[1:]
    with patch("crypsis.verifiers.table_classes.LARGEST_KEY", 0):
        one_by_one = _numbered(held)
    for told in (_numbered(held), one_by_one):
        assert [part.tolist() for part in told] == [part.tolist() for part in expected]
