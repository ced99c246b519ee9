"""Classes are numbered in the order in which their first records come."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crypsis.methods.relational.relational_method import classes_in_order


@given(st.lists(st.integers(-1, 6), max_size=30))
def test_classes_are_numbered_by_their_first_records(classes: list[int]) -> None:
    number = {name: place for place, name in enumerate(dict.fromkeys(name for name in classes if name >= 0))}
    assert classes_in_order(np.array(classes, np.int64)).tolist() == [number.get(name, -1) for name in classes]
