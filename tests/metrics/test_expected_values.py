"""Published values are found in the original domain by themselves, as they are by their texts."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.value_texts import value_texts
from crypsis.data.vocabulary import Vocabulary
from crypsis.metrics.expected_values import _places

NUMBERS = st.sets(st.integers(-5, 5), max_size=8)
KINDS: dict[str, Any] = {
    "int": (pl.Int64, int),
    "float": (pl.Float64, lambda number: number / 2),
    "date": (pl.Date, lambda number: date(2000, 1, 1) + timedelta(days=number)),
    "category": (pl.String, str),
}


@pytest.mark.parametrize("kind", KINDS)
@given(held=NUMBERS, asked=NUMBERS, same=st.booleans())
def test_places_are_those_of_the_texts(kind: str, held: set[int], asked: set[int], same: bool) -> None:
    dtype, value = KINDS[kind]
    domain = pl.Series([value(number) for number in held], dtype=dtype).sort()
    values = domain if same else pl.Series([value(number) for number in asked], dtype=dtype).sort()
    assert _places(values, domain).tolist() == Vocabulary(value_texts(domain)).encode(value_texts(values)).tolist()


def test_places_of_another_type_are_those_of_the_texts() -> None:
    assert _places(pl.Series(["2", "x"]), pl.Series([1, 2])).tolist() == [1, -1]
