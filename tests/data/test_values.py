"""Typed columns as codes into their sorted domains: the same as one value after another gives them."""

from __future__ import annotations

import warnings
from datetime import date, datetime
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.encoded_column import CELLS_AT_ONCE
from crypsis.data.relational import Table
from crypsis.data.values import POLARS_TYPES, converted, encoded, encoded_distinct, write_value, write_values

VALUES = {
    "int": st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1)),
    "float": st.one_of(st.sampled_from([0.0, 1.5, -2.25]), st.floats(allow_nan=False, allow_infinity=False)),
    "date": st.dates(date(1, 1, 1)),
    "timestamp": st.datetimes(datetime(1, 1, 1)),
    "category": st.text(max_size=3),
}


@given(st.sampled_from(sorted(VALUES)).flatmap(lambda type: st.tuples(st.just(type), columns(VALUES[type]))))
def test_codes_are_places_in_the_sorted_domain(drawn: tuple[str, list[Any]]) -> None:
    type, values = drawn
    codes, domain = encoded(pl.Series("a", values, dtype=POLARS_TYPES[type]))
    assert domain.dtype == POLARS_TYPES[type]
    assert domain.to_list() == sorted({value for value in values if value is not None})
    assert [None if code < 0 else domain[code] for code in codes.tolist()] == values


@given(st.lists(st.one_of(st.none(), st.text(max_size=3)), unique=True, max_size=12))
def test_texts_that_do_not_repeat_get_the_same_codes(texts: list[str | None]) -> None:
    cells = pl.Series("a", texts, dtype=pl.String)
    (codes, domain), (others, same) = encoded(cells), encoded_distinct(cells)
    assert codes.tolist() == others.tolist()
    assert domain.equals(same)


def columns(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(st.none(), values), max_size=12)


@given(st.lists(st.sampled_from(["1", " 1", "1 ", "-0", "-0.0", "x", "1.5", " ", "+2"]), max_size=6))
def test_blanks_around_numbers_do_not_count(texts: list[str]) -> None:
    cells = pl.Series("a", texts, dtype=pl.String)
    for type in ("int", "float"):
        one_by_one = [converted(pl.Series([text.strip()], dtype=pl.String), type)[0] for text in texts]  # type: ignore[arg-type]
        assert converted(cells, type).to_list() == one_by_one  # type: ignore[arg-type]
        assert "-0.0" not in map(str, converted(cells, type).to_list())  # type: ignore[arg-type]


def test_columns_encoded_at_once_are_those_encoded_one_by_one() -> None:
    small = pl.DataFrame({"age": [31, 34, 31, 40], "city": ["Bonn", "", "Köln", "?"], "day": ["2020-01-02"] * 4})
    roles = dict.fromkeys(small.columns, "quasi")
    times = CELLS_AT_ONCE // (small.height * small.width) + 1
    large = Table.from_frame(pl.concat([small] * times), roles, each_row_is_a_person=True)
    expected = Table.from_frame(small, roles, each_row_is_a_person=True)
    for column, other in zip(large.columns, expected.columns, strict=True):
        assert column.domain.equals(other.domain)
        assert column.type == other.type
        assert column.codes.tolist() == other.codes.tolist() * times


@given(
    st.sampled_from(sorted(VALUES)).flatmap(lambda type: st.tuples(st.just(type), st.lists(VALUES[type], max_size=9)))
)
def test_a_column_is_written_as_its_values_are(drawn: tuple[str, list[Any]]) -> None:
    type, values = drawn
    column = pl.Series("a", values, dtype=POLARS_TYPES[type])
    assert write_values(column) == [write_value(value) for value in column.to_list()]


@given(
    st.one_of(
        st.lists(st.integers(-(2**63), 2**63 - 1)),
        st.lists(st.integers(-(10**6), 10**6).map(lambda cents: cents / 100)),
        st.lists(st.sampled_from([0.1, 0.25, 1e-5, 1e15 + 0.1, 2.0**53 + 2, 1e300, -3.0, 0.0])),
        st.lists(st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0)),
    ),
    st.integers(1, 3),
)
def test_numbers_are_encoded_as_sorting_them_would(numbers: list[float], times: int) -> None:
    values = pl.Series(numbers * times, dtype=pl.Int64 if all(type(one) is int for one in numbers) else pl.Float64)
    codes, domain = encoded(values)
    assert domain.to_list() == sorted(set(numbers))
    assert domain.gather(pl.Series(codes)).to_list() == numbers * times


def test_many_amounts_are_encoded_as_sorting_them_would() -> None:
    amounts = (pl.Series(range(200_000)) * 7_919 % 1_000_003).cast(pl.Float64) / 100
    codes, domain = encoded(amounts)
    assert domain.equals(amounts.unique().sort(), check_names=False)
    assert domain.gather(pl.Series(codes)).equals(amounts, check_names=False)
    changed = amounts.clone()
    changed[150_000] = 1 / 3
    codes, domain = encoded(changed)
    assert domain.gather(pl.Series(codes)).equals(changed, check_names=False)


def test_a_number_too_large_for_a_scale_is_encoded_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes, domain = encoded(pl.Series("a", [1.25, 1.5e308] * 5000))
    assert domain.to_list() == [1.25, 1.5e308]
    assert codes.tolist() == [0, 1] * 5000
