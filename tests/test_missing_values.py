"""Missing values: what the guide states holds for every method, and the verifiers go by the same rule."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crypsis
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import KAnonymity
from crypsis.methods import BottomUp, Cluster, Incognito, Mondrian, RumBound, TopDown
from crypsis.metrics import measure
from crypsis.verifiers import verify

ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
TYPES = {"age": "int", "town": "category", "ill": "category"}
BY_CLASS = (Cluster, Mondrian, RumBound)  # cells of a class; the others recode by trees, where missing is a leaf


@st.composite
def people(draw: st.DrawFn) -> pl.DataFrame:
    n_records = draw(st.integers(4, 9))
    column = {"age": [None, 20, 21, 60], "town": [None, "Oslo", "Rome"], "ill": [None, "flu", "cold"]}
    drawn = {
        name: draw(st.lists(st.sampled_from(values), min_size=n_records, max_size=n_records))
        for name, values in column.items()
    }
    return pl.DataFrame(drawn, schema={"age": pl.Int64, "town": pl.String, "ill": pl.String})


def released(frame: pl.DataFrame, method: type) -> crypsis.Release:
    if method is not RumBound:
        return crypsis.anonymize(Table.from_frame(frame, ROLES, TYPES), method(k=2))
    with_items = frame.with_columns(pl.Series("codes", [["a"]] * len(frame)))
    return crypsis.anonymize(Mixed.from_frame(with_items, ROLES, {"codes": None}, TYPES), RumBound(k=2, delta=1))


def table_of(published: PublishedTable | PublishedMixed) -> PublishedTable:
    return published.table if isinstance(published, PublishedMixed) else published


@pytest.mark.parametrize("method", [Cluster, Mondrian, Incognito, TopDown, BottomUp, RumBound])
@settings(max_examples=20)
@given(frame=people())
def test_methods_and_verifiers_agree_on_what_missing_means(method: type, frame: pl.DataFrame) -> None:
    release = released(frame, method)
    assert release.verify().holds, release.verify()
    shown = table_of(release.data).to_frame()
    for name in ("age", "town"):
        for value, cell in zip(frame[name], shown[name], strict=True):
            assert (cell in ("?", "*")) if value is None else cell != "?"
    classes = shown.with_row_index("row").group_by("age", "town").agg("row")["row"].to_list()
    assert min(map(len, classes)) >= 2  # two missing values are equal
    if method in BY_CLASS:
        for rows in classes:
            for name in ("age", "town"):
                missing = frame[name][rows].is_null()
                expected = "?" if missing.all() else "*" if missing.any() else None
                assert expected in (None, shown[name][rows[0]])
    assert shown["ill"].to_list() == frame["ill"].fill_null("?").to_list()  # never imputed


@pytest.mark.parametrize("instead", ["[20:60]", "20", "?"])
def test_only_any_contains_a_missing_value_and_others(instead: str) -> None:
    frame = pl.DataFrame({"age": [20, None, 60, 21], "town": ["Oslo"] * 4, "ill": ["flu"] * 4})
    original = Table.from_frame(frame, ROLES, TYPES)
    honest = PublishedTable.from_frame(frame.with_columns(pl.lit("*").alias("age")), ROLES, TYPES)
    assert verify(honest, KAnonymity(k=4), original).holds
    changed = PublishedTable.from_frame(frame.with_columns(pl.lit(instead).alias("age")), ROLES, TYPES)
    assert "untruthful" in str(verify(changed, KAnonymity(k=4), original))


def test_missing_costs_nothing_and_any_costs_everything() -> None:
    frame = pl.DataFrame({"age": [20, None, None, None], "town": ["Oslo"] * 4, "ill": ["flu"] * 4})
    original = Table.from_frame(frame, ROLES, TYPES)
    shown = PublishedTable.from_frame(frame.with_columns(pl.Series("age", ["*", "*", "?", "?"])), ROLES, TYPES)
    figures = measure(original, shown, ["ncp_loss"])
    assert figures["ncp_loss"] == pytest.approx(2 / 8)


def test_a_missing_sensitive_value_is_no_value() -> None:
    frame = pl.DataFrame({"age": ["1"] * 3 + ["2"] * 2, "ill": ["flu", "cold", "?", "?", "?"]})
    roles, types = {"age": "quasi", "ill": "sensitive"}, {"age": "int", "ill": "category"}
    shown = PublishedTable.from_frame(frame, roles, types)
    assert verify(shown, crypsis.LDiversity(l=2)).holds  # a class without any value passes
    one = PublishedTable.from_frame(frame.with_columns(pl.Series("ill", ["flu", "?", "?", "?", "?"])), roles, types)
    assert not verify(one, crypsis.LDiversity(l=2)).holds
    assert not verify(shown, crypsis.LDiversity(l=3)).holds
