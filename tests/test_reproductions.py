"""The page of the private methods is what its command writes, and what the command measures is what the metrics say."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from benchmarks.reproductions import adult_census, dp, times
from benchmarks.reproductions.line_chart import line_chart
from crypsis import DiffMulti, Mondrian, RunContext
from crypsis.metrics.region_classification import region_classification, split_for_training
from tests.shared_data import dataset


@pytest.fixture(scope="module")
def numbers():
    return json.loads(dp.NUMBERS.read_text(encoding="utf-8"))


def test_the_page_and_its_pictures_are_those_of_the_numbers(numbers):
    assert (dp.PAGES / "dp.md").read_text(encoding="utf-8") == dp.page(numbers)
    drawn = dp.pictures(numbers)
    for file, picture in drawn.items():
        assert (dp.PAGES / file).read_text(encoding="utf-8") == picture
    assert set(re.findall(r"\]\((\S+\.svg)\)", dp.page(numbers))) == set(drawn)


def test_every_section_is_measured_in_full_and_shown_once(numbers):
    assert numbers["run"]["quick"] == ""
    assert set(dp.SECTIONS) == set(re.findall(r"\{(\w+)\}", dp.TEXT)) - {"version", "quick"}
    for name in dp.SECTIONS:
        assert dp.TEXT.count("{" + name + "}") == 1
    assert not re.search(r"\{\w+\}|WORDS_", dp.page(numbers))


def test_a_section_measured_now_has_the_form_of_the_numbers(numbers):
    now = dp.against_seqpt(quick=True)["rows"]
    kept = numbers["against_seqpt"]["rows"]
    assert {name for name, *_ in now} == {name for name, *_ in kept}
    assert {len(row) for row in now} == {len(row) for row in kept}
    for _, _, error, nothing, *_ in now:
        assert 0 <= error
        assert 0 < nothing <= 1


@pytest.fixture(scope="module")
def people():
    random = np.random.Generator(np.random.PCG64(1))
    age, work = random.integers(17, 91, 3000), random.integers(1, 100, 3000)
    rich = (age + work + random.integers(-40, 40, 3000)) > 110
    frame = {
        name: random.integers(domain.low, min(domain.high, 1000), 3000)
        for name, domain in dp.adult_census.NUMBERS.items()
    }
    frame |= {"age": age, "hours-per-week": work}
    frame |= {name: ["a" if one else "b" for one in random.random(3000) < 0.5] for name in adult_census.TREES}
    frame |= {"relationship": [adult_census.RELATIONS[one] for one in random.integers(0, 6, 3000)]}
    return pl.DataFrame(frame).with_columns(pl.Series("income", [">50K" if one else "<=50K" for one in rich]))


TREES = {name: {"*": {"a": {}, "b": {}}} for name in adult_census.TREES}


def method(specializations: int) -> DiffMulti:
    trees = adult_census.CategoryTrees(TREES)
    return DiffMulti(
        epsilon=2, specializations=specializations, score="max", domains=adult_census.domains(), trees=trees
    )


@pytest.mark.parametrize("learner", ["tree", "svm"])
def test_accuracy_is_that_of_the_metric(people, learner):
    training, tested = split_for_training(adult_census.as_table(people), learner=learner, seed=2)
    made = method(20).anonymize(training, RunContext())
    found = region_classification(tested, made, training=training, learner=learner, seed=0)
    assert adult_census.accuracy(made, tested, learner) == found.accuracy
    assert found.accuracy > found.least


def test_the_classes_of_mondrian_are_learnt_from_as_regions(people):
    training, tested = split_for_training(adult_census.as_table(people), seed=2)
    like = method(0).anonymize(training, RunContext())
    table = people.select("age", "hours-per-week", "income")
    coarse = Mondrian(k=40).resolve(training).anonymize(training, RunContext())
    nothing = Mondrian(k=len(training)).resolve(training).anonymize(training, RunContext())
    commonest = table["income"].value_counts()["count"].max() / len(table)
    assert abs(adult_census.accuracy_of_classes(nothing, training, tested, like) - commonest) < 0.05
    assert adult_census.accuracy_of_classes(coarse, training, tested, like) > commonest - 0.05


def test_more_records_begin_with_the_records_and_keep_their_classes(people):
    more = adult_census.more_like(people, 5000)
    assert more.height == 5000
    assert more.head(3000).equals(people.select(more.columns))
    assert more.columns == people.columns
    assert set(more["age"]) <= set(people["age"])


@pytest.mark.real_data("adult")
def test_adult_lies_in_the_domains_that_were_declared_for_it():
    folder = dataset("adult")
    table = adult_census.as_table(adult_census.records(folder))
    assert len(table) == 45_222
    plan = DiffMulti(specializations=0, domains=adult_census.domains(), trees=adult_census.trees(folder))
    _, inside = plan.anonymize(table, RunContext()).cells_of(table)
    assert inside.all()


def test_a_chart_is_well_formed_and_escapes_its_words():
    picture = line_chart(
        "a < b", "x & y", "up", {"<curve>": [(1, 2.0), (10, 3.0)], "level": [(1, 1.0), (10, 1.0)]}, log=True
    )
    root = ElementTree.fromstring(picture)
    words = "".join(root.itertext())
    assert "<curve>" in words
    assert "x & y" in words
    dashed = [mark for mark in root.iter() if mark.get("stroke-dasharray")]
    assert len(dashed) == 2  # the level curve and its line in the key


@pytest.mark.real_data("gowalla_nyc")
def test_the_page_on_times_is_what_its_command_writes(monkeypatch):
    monkeypatch.setenv("CRYPSIS_DATA", str(dataset("gowalla_nyc").parent))
    assert times.PAGE.read_text(encoding="utf-8") == times.written()
