"""Tables in memory: what pandas, polars and arrow give is what they get back, also from a release."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crypsis
from crypsis import HierarchyPlan, Mondrian, PublishedTable, Table
from crypsis.errors import BadParameter, NotApplicable, UndeclaredRole, UnknownColumn
from crypsis.methods import METHODS

POLARS = pl.DataFrame(
    {
        "small": pl.Series([3, 1, None, 2], dtype=pl.Int8),
        "large": pl.Series([2**31 + 1, 5, 6, 7], dtype=pl.UInt32),
        "share": pl.Series([0.5, None, 0.25, 1.0], dtype=pl.Float32),
        "price": pl.Series(["1.50", "2.25", "3.00", "1.00"]).cast(pl.Decimal(10, 2)),
        "flag": [True, None, False, True],
        "text": ["b", "a", None, "b"],
        "category": pl.Series(["b", "a", "b", None], dtype=pl.Categorical),
        "level": pl.Series(["low", "high", "low", "low"], dtype=pl.Enum(["low", "middle", "high"])),
        "day": [date(2020, 5, 1), date(1999, 1, 31), None, date(2020, 5, 1)],
        "moment": pl.Series([datetime(2020, 1, 1, 5)] * 4, dtype=pl.Datetime("ms")),
        "zoned": pl.Series([datetime(2020, 7, 1, tzinfo=UTC)] * 4, dtype=pl.Datetime("us", "Europe/Berlin")),
    }
)
PANDAS = pd.DataFrame(
    {
        "int64": [3, 1, 2, 9],
        "int8": np.array([1, 2, 3, 4], np.int8),
        "nullable": pd.array([1, None, 3, 4], dtype="Int16"),
        "float32": np.array([0.5, np.nan, 1, 2], np.float32),
        "bool": [True, False, True, True],
        "boolean": pd.array([True, None, False, True], dtype="boolean"),
        "text": ["x", "y", None, "x"],
        "object": np.array(["x", "y", "z", "x"], object),
        "category": pd.Categorical(["b", "a", "b", None], categories=["c", "b", "a"], ordered=True),
        "moment": pd.to_datetime(["2020-01-01", "2021-01-01", None, "2020-01-01"]),
        "zoned": pd.to_datetime(["2020-01-01", "2021-01-01", "2020-07-01", "2020-01-01"]).tz_localize("Europe/Berlin"),
    },
    index=pd.Index(["p4", "p3", "p2", "p1"], name="who"),
)
ARROW = pa.table(
    {
        "small": pa.array([1, None, 3], pa.int8()),
        "text": pa.array(["a", "b", None], pa.string()),
        "coded": pa.array(["a", "b", "a"]).dictionary_encode(),
        "moment": pa.array([0, 1, 2], pa.timestamp("ms", tz="UTC")),
        "day": pa.array([0, 1, None], pa.date32()),
    }
)


def test_polars_tables_come_back_as_they_were():
    table = Table(POLARS, rest="other")
    assert table.to_polars().equals(POLARS)
    assert table.to_polars().schema == POLARS.schema


def test_pandas_tables_come_back_as_they_were():
    back = Table(PANDAS, rest="other").to_pandas()
    pd.testing.assert_frame_equal(back, PANDAS)


def test_arrow_tables_come_back_as_they_were():
    back = Table(ARROW, rest="other").to_arrow()
    assert back.schema.types == ARROW.schema.types
    assert back.to_pylist() == ARROW.to_pylist()


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-5, 5)),
            st.one_of(st.none(), st.sampled_from("abc")),
            st.one_of(st.none(), st.dates(date(1900, 1, 1), date(2100, 1, 1))),
            st.one_of(st.none(), st.floats(-1, 1, width=32).map(lambda value: value + 0.0)),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_polars_table_comes_back_and_columns_that_are_not_generalized_stay_in_a_release(rows):
    schema = {"n": pl.Int16, "c": pl.Categorical, "d": pl.Date, "f": pl.Float32}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    assert Table(frame, rest="quasi").to_polars().equals(frame)
    published = crypsis.anonymize(Table(frame, quasi=["n"], rest="other"), Mondrian(k=1)).to_polars()
    assert published.drop("n").equals(frame.drop("n"))


def release_of(frame, **settings):
    return crypsis.anonymize(Table(frame, quasi=["age", "city"], rest="other"), Mondrian(k=2, **settings))


PEOPLE = pd.DataFrame(
    {
        "age": np.array([31, 34, 50, 52], np.int16),
        "city": pd.Categorical(["Bonn", "Köln", "Bonn", "Köln"], categories=["Köln", "Bonn", "Ulm"]),
        "ill": [True, False, False, True],
    },
    index=[40, 30, 20, 10],
)


def test_a_release_of_a_pandas_table_has_intervals_and_keeps_what_was_not_changed():
    shown = release_of(PEOPLE).to_pandas()
    assert shown.index.tolist() == [40, 30, 20, 10]
    assert shown["age"].dtype == pd.IntervalDtype("int64", "both")
    assert shown["age"].tolist() == [pd.Interval(*ends, closed="both") for ends in [(31, 34)] * 2 + [(50, 52)] * 2]
    assert shown["ill"].dtype == bool
    assert shown["ill"].tolist() == [True, False, False, True]
    assert isinstance(shown["city"].dtype, pd.CategoricalDtype)
    assert all(age in interval for age, interval in zip(PEOPLE["age"], shown["age"], strict=True))


def test_a_release_of_a_polars_table_has_structures_and_categories():
    frame = pl.from_pandas(PEOPLE)
    shown = release_of(frame, hierarchy=HierarchyPlan({"city": "balanced:2"})).to_polars()
    assert shown["age"].dtype == pl.Struct({"low": pl.Int64, "high": pl.Int64})
    assert shown["age"].to_list()[0] == {"low": 31, "high": 34}
    assert isinstance(shown["city"].dtype, pl.Enum)
    assert shown["ill"].equals(frame["ill"])


def test_a_release_shows_no_category_that_it_does_not_hold():
    shown = crypsis.anonymize(Table(PEOPLE, quasi="age", rest="other"), Mondrian(k=2)).to_pandas()
    assert shown["city"].dtype.categories.tolist() == ["Köln", "Bonn"]


def test_cells_of_every_kind_have_a_type():
    frame = pl.DataFrame(
        {
            "range": ["[1:3]", "2", "*", "?", "~"],
            "day": ["[2020-01-01:2020-02-01]", "2020-01-05", "*", "?", "~"],
            "node": ["Europe", "{a|b}", "a", "?", "~"],
            "plain": ["4", "5", "5", "?", "~"],
        }
    )
    types = {"range": "int", "day": "date", "node": "category", "plain": "int"}
    table = PublishedTable.from_frame(frame, dict.fromkeys(types, "quasi"), types, nodes={"node": ["Europe"]})
    shown = table.to_polars()
    assert shown["range"].to_list() == [
        {"low": 1, "high": 3},
        {"low": 2, "high": 2},
        {"low": None, "high": None},
        None,
        None,
    ]
    assert shown["node"].to_list() == ["Europe", "{a|b}", "a", None, None]
    assert shown["plain"].to_list() == [4, 5, 5, None, None]
    assert shown["plain"].dtype == pl.Int64
    pandas = table.to_pandas()
    assert pandas["range"].isna().tolist() == [False, False, False, True, True]
    assert pandas["range"][2] == pd.Interval(-np.inf, np.inf, closed="both")
    assert pd.Timestamp("2020-01-20") in pandas["day"][0]
    assert pd.Timestamp("1800-01-20") in pandas["day"][2]
    assert isinstance(pandas["node"].dtype, pd.CategoricalDtype)
    assert pandas["plain"].dtype == "Int64"
    assert table.to_arrow().num_rows == 5


def test_releases_that_are_read_give_typed_tables_without_index(tmp_path):
    folder = release_of(PEOPLE).write(tmp_path / "release")
    shown = crypsis.read_release(folder).to_pandas()
    assert shown.index.tolist() == [0, 1, 2, 3]
    assert isinstance(shown["age"].dtype, pd.IntervalDtype)


def test_mixed_data_keep_types_index_and_lists():
    frame = PEOPLE.assign(codes=[["a", "b"], ["a"], ["a"], ["a", "b"]])
    roles = {"age": "quasi", "city": "other", "ill": "other"}
    data = crypsis.Mixed.from_frame(frame, roles, {"codes": None})
    back = data.to_pandas()
    pd.testing.assert_frame_equal(back.drop(columns="codes"), PEOPLE)
    assert [sorted(items) for items in back["codes"]] == frame["codes"].tolist()
    shown = crypsis.anonymize(data, crypsis.RumBound(k=2, m=1)).to_pandas()
    assert shown.index.tolist() == [40, 30, 20, 10]
    assert all(isinstance(name, str) for items in shown["codes"] for name in items)


def test_other_kinds_of_data_are_tables_in_memory_too():
    visits = pl.DataFrame({"trajectory_id": [1, 1, 2], "position": [0, 1, 0], "location": ["a", "b", "a"]})
    places = pl.DataFrame({"location": ["a", "b"], "x": [0, 1], "y": [0, 1]})
    data = crypsis.Trajectories.from_frame(visits, locations=places)
    assert data.to_pandas()["location"].tolist() == ["a", "b", "a"]
    assert data.to_polars().equals(data.to_frame())
    release = crypsis.anonymize(data, crypsis.SeqAnon(k=1, m=1))
    with pytest.raises(NotApplicable, match="have no columns"):
        release.to_pandas()


@pytest.mark.parametrize("frame", [PEOPLE, pl.from_pandas(PEOPLE), pl.from_pandas(PEOPLE).to_arrow()])
def test_a_table_is_made_of_roles_and_a_rest(frame):
    table = Table(frame, quasi=["age", "city"], sensitive="ill")
    assert (table.quasi, table.sensitive) == (("age", "city"), ("ill",))
    assert Table(frame, quasi=["age"], rest="other").others == ("city", "ill")
    assert table == Table.from_frame(frame, {"age": "quasi", "city": "quasi", "ill": "sensitive"})


def test_roles_of_a_table_are_checked():
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        Table(PEOPLE, quasi=["agee"], rest="other")
    with pytest.raises(BadParameter, match="two roles, quasi and sensitive"):
        Table(PEOPLE, quasi=["age"], sensitive=["age"], rest="other")
    with pytest.raises(BadParameter, match="rest must be one of"):
        Table(PEOPLE, quasi=["age"], rest="keep")
    with pytest.raises(UndeclaredRole, match="city, ill have none"):
        Table(PEOPLE, quasi=["age"])
    persons = pd.DataFrame({"pid": [1, 1, 2], "age": [3, 4, 5]})
    assert Table(persons, person="pid", rest="quasi").person.tolist() == [0, 0, 1]


BARE = {
    "Table": pl.DataFrame({"patient_id": [1, 2, 3], "age": [30, 31, 40], "city": ["a", "a", "b"]}),
    "Mixed": pl.DataFrame({"age": [30, 31, 40], "codes": [["a"], ["a"], ["b"]]}),
    "Transactions": pl.DataFrame({"basket": [1, 1, 2], "item": ["a", "b", "a"]}),
    "Trajectories": pl.DataFrame({"trip_id": [1, 1, 2], "step": [0, 1, 0], "place": ["a", "b", "a"]}),
    "Tracks": pl.DataFrame({"trip": ["a", "a"], "lat": [52.0, 52.1], "lon": [13.0, 13.1], "time": [0, 1]}),
    "Events": pl.DataFrame({"user": [1, 1, 2], "place": ["a", "b", "a"], "t": [0, 1, 0]}),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_bare_frame_is_answered_with_the_line_that_works(name):
    method = METHODS[name]
    kind = method.accepts.__name__
    df = BARE[kind]
    setting = method(**{one.name: 1 for one in crypsis.parameters.parameters_of(method) if one.required})
    with pytest.raises(NotApplicable) as refused:
        crypsis.anonymize(df, setting)
    line = refused.value.details["call"]
    made = line.removeprefix("crypsis.anonymize(").rpartition(", crypsis.")[0]
    assert isinstance(eval(made, {"crypsis": crypsis, "df": df}), method.accepts)
    assert line in str(refused.value)


def test_the_line_for_a_bare_frame_runs_whole():
    df = BARE["Table"].to_pandas()
    with pytest.raises(NotApplicable) as refused:
        crypsis.anonymize(df, Mondrian(k=1))
    release = eval(refused.value.details["call"], {"crypsis": crypsis, "df": df})
    assert release.verify().holds


def test_the_line_for_a_bare_table_has_the_roles_that_are_suggested():
    frame = pd.DataFrame(
        {
            "name": ["Ana Lee", "Ben Roy", "Cem Kur", "Eva Ray"],
            "age": [31, 34, 50, 52],
            "salary": [900.5, 800.0, 700.0, 950.0],
            "country": ["DE"] * 4,
        }
    )
    with pytest.raises(NotApplicable) as refused:
        crypsis.anonymize(frame, Mondrian(k=2))
    line = refused.value.details["call"]
    assert "identifier=['name']" in line
    assert "sensitive=['salary']" in line
    assert eval(line, {"crypsis": crypsis, "df": frame}).verify().holds
