"""Records whose sensitive value is told by their class, against a count record by record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.review.revealed_values import _record_counts


@pytest.mark.parametrize("confidence", [0.0, 0.5, 0.8, 1.0])
@given(rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40))
def test_records_of_telling_classes_are_counted(confidence: float, rows: list[tuple[int, int]]) -> None:
    number = {name: index for index, name in enumerate(sorted({name for name, _ in rows}))}
    rows = [(number[name], value) for name, value in rows]
    in_class, in_pair = Counter(name for name, _ in rows), Counter(rows)
    single = [len({value for other, value in rows if other == name}) == 1 for name, _ in rows]
    told = [in_pair[row] > confidence * in_class[row[0]] for row in rows]
    expected = sum(single), sum(one or other for one, other in zip(single, told, strict=True))
    classes, values = (np.array([row[place] for row in rows], np.int64) for place in (0, 1))
    assert _record_counts(classes, values, confidence) == expected
