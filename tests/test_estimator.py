"""A method as a step of scikit-learn: cloned, in a pipeline, and never applied to rows that it did not see."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

import crypsis
from crypsis.errors import BadParameter, NotApplicable
from crypsis.estimator import Anonymizer

ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}


def people(rows: int = 40) -> pl.DataFrame:
    numbers = range(rows)
    towns = ["Oslo", "Rome"]
    return pl.DataFrame(
        {
            "age": [20 + n * 7 % 31 for n in numbers],
            "town": [towns[n % 2] for n in numbers],
            "ill": ["xyz"[n % 3] for n in numbers],
        }
    )


def step(**changed: object) -> Anonymizer:
    return Anonymizer(crypsis.Mondrian(k=5), ROLES).set_params(**changed)


def test_the_published_rows_are_those_of_anonymize_in_the_order_of_the_input() -> None:
    frame = people()
    published = step().fit_transform(frame)
    release = crypsis.anonymize(crypsis.Table.from_frame(frame, ROLES), crypsis.Mondrian(k=5))
    assert published.equals(release.data.to_frame())
    assert published["ill"].to_list() == frame["ill"].to_list()
    assert published.group_by("age", "town").len()["len"].min() >= 5


def test_pandas_comes_back_as_pandas_with_its_index() -> None:
    frame = people().to_pandas()
    frame.index = np.arange(100, 140)
    published = step().fit(frame).transform(frame)
    assert isinstance(published, pd.DataFrame)
    assert list(published.index) == list(frame.index)


@pytest.mark.parametrize(
    "other",
    [people(39), people(41), people().with_columns(age=pl.col("age") + 1), people().sample(40, shuffle=True, seed=1)],
    ids=["fewer rows", "one more row", "other values", "another order"],
)
def test_a_table_that_was_not_anonymized_is_refused(other: pl.DataFrame) -> None:
    fitted = step().fit(people())
    with pytest.raises(NotApplicable, match="not the table that was anonymized"):
        fitted.transform(other)


def test_a_clone_has_the_settings_and_not_the_data() -> None:
    fitted = step(method__k=7).fit(people())
    copy = clone(fitted)
    assert copy.get_params()["method__k"] == 7
    assert copy.method == fitted.method
    with pytest.raises(NotApplicable, match="fit it"):
        copy.transform(people())


def test_a_pickled_anonymizer_holds_no_record() -> None:
    secret = people().with_columns(ill=pl.lit("unspeakable"))
    stored = pickle.dumps(step().fit(secret))
    assert b"unspeakable" not in stored
    with pytest.raises(NotApplicable, match="fit it"):
        pickle.loads(stored).transform(secret)


def test_parameters_of_the_method_are_set_and_checked() -> None:
    changed = step(method__k=3, person=None)
    assert changed.method == crypsis.Mondrian(k=3)
    with pytest.raises(BadParameter, match="k must be"):
        step(method__k=0)
    with pytest.raises(ValueError, match="roless"):
        step(roless={})


def test_it_is_a_step_of_a_pipeline() -> None:
    frame = people()
    labels = frame["ill"].to_list()
    pipeline = Pipeline([("anonymize", step()), ("predict", DummyClassifier(strategy="most_frequent"))])
    pipeline.set_params(anonymize__method__k=4)
    assert clone(pipeline).fit(frame, labels).predict(frame)[0] in labels
    pipeline.fit(frame, labels)
    assert pipeline["anonymize"].release_.guarantee == crypsis.KAnonymity(k=4)
    with pytest.raises(NotApplicable, match="not the table"):
        pipeline.predict(people(12))
    assert list(pipeline[:-1].get_feature_names_out()) == ["age", "town", "ill"]


def test_a_method_of_another_kind_is_refused() -> None:
    with pytest.raises(NotApplicable, match="takes no table"):
        Anonymizer(crypsis.Apriori(k=2), ROLES).fit(people())
