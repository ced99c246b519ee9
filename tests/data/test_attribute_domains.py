"""Domains of columns: read, checked, applied to values, and never widened."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis import Table
from crypsis.data.attribute_domains import AttributeDomains, CategoryDomain, NumericDomain, PublicAttributes
from crypsis.data.declarations import Declarations
from crypsis.data.sources import DataFile, TableSource
from crypsis.errors import BadDomain, BadRelease, MissingFile, PublicInputMissing, UnreadableFile

DECLARED = {"age": {"low": 17, "high": 91}, "income": {"low": 0, "high": 1e6, "bins": 4}, "sex": ["F", "M"]}


def test_domains_are_read_from_a_file(tmp_path):
    (tmp_path / "d.json").write_text(json.dumps(DECLARED))
    read = AttributeDomains.from_text(str(tmp_path / "d.json"))
    assert read.of("age") == NumericDomain(17, 91)
    assert len(read.of("age")) == 74
    assert read.of("income").bins == 4
    assert read.of("sex") == CategoryDomain(("F", "M"))
    assert AttributeDomains.from_json(read.to_json()) == read
    assert AttributeDomains.from_json(read.to_json()).digest == read.digest


def test_a_column_without_a_domain_is_named(tmp_path):
    with pytest.raises(PublicInputMissing, match="'agee'.*Did you mean 'age'"):
        AttributeDomains._of_entries(DECLARED).of("agee")


@pytest.mark.parametrize(
    "entry",
    [
        [],
        ["a", "a"],
        ["a", ""],
        [1],
        {},
        {"low": 1},
        {"low": 2, "high": 2},
        {"low": "1", "high": 2},
        {"low": 0, "high": float("inf"), "bins": 3},
        {"low": 0.5, "high": 2},
        {"low": 0, "high": 1, "bins": 0},
        {"low": 0, "high": 1, "bins": True},
        {"low": 0, "high": 10**9},
        "F,M",
        7,
    ],
    ids=str,
)
def test_what_is_no_domain_is_refused_with_its_column(entry):
    with pytest.raises(BadDomain, match="Column 'x'"):
        AttributeDomains._of_entries({"x": entry})


def test_files_that_hold_no_domains_are_refused(tmp_path):
    with pytest.raises(MissingFile):
        AttributeDomains.from_text(str(tmp_path / "nowhere.json"))
    (tmp_path / "d.json").write_text("{")
    with pytest.raises(UnreadableFile):
        AttributeDomains.from_text(str(tmp_path / "d.json"))
    (tmp_path / "d.json").write_text("[]")
    with pytest.raises(BadDomain):
        AttributeDomains.from_text(str(tmp_path / "d.json"))
    with pytest.raises(BadRelease):
        AttributeDomains.from_json({"columns": {"x": 3}, "declared": ""})


@given(st.lists(st.floats(-50, 50) | st.just(float("nan"))), st.sampled_from([None, 1, 7]), st.booleans())
def test_numbers_fall_into_the_cell_that_holds_them(values, bins, clamp):
    domain = NumericDomain(-10, 20, bins)
    codes = domain.encode(np.array(values, np.float64), clamp=clamp)
    width = 30 / len(domain)
    for value, code in zip(values, codes.tolist(), strict=True):
        if -10 <= value < 20:
            assert code * width - 10 <= value + 1e-9
            assert value - 1e-9 <= (code + 1) * width - 10
        elif value != value or not clamp:
            assert code == -1
        else:
            assert code == (0 if value < -10 else len(domain) - 1)


def test_unknown_categories_are_none():
    assert CategoryDomain(("F", "M")).encode(pl.Series(["M", "X", None, "F"])).tolist() == [1, -1, -1, 0]


def test_the_datas_own_domains_rest_on_the_publishers_word():
    frame = pl.DataFrame({"age": [30, 41], "rate": [0.5, 2.5], "sex": ["M", "F"]})
    table = Table.from_frame(frame, {"age": "quasi", "rate": "quasi", "sex": "quasi"})
    made = PublicAttributes().make(table)
    assert made.of("age") == NumericDomain(30, 42)
    assert made.of("rate").encode(np.array([0.5, 2.5]), clamp=False).tolist() == [0, 255]
    assert set(made.of("sex").labels) == {"F", "M"}
    assert "declared public by the publisher" in str(made)
    assert AttributeDomains.from_text("public-in-data") == PublicAttributes()


def test_a_declared_category_stays_one_where_records_are_read_one_by_one(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,zip\n31,01067\n45,04109\n")
    source = TableSource.from_keys(
        {"columns": {"age": {"role": "quasi"}, "zip": {"role": "quasi", "type": "category"}}}
    )
    made = PublicAttributes().make(source.load(DataFile(file), Declarations(by_record=True))).domains
    assert made == {"age": NumericDomain(31, 46), "zip": CategoryDomain(("01067", "04109"))}
