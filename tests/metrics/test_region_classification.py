"""Classification from published counts of regions, on tables whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from crypsis import CategoryTree, CountedRegions, NumericDomain, RegionAttribute, Table
from crypsis.errors import BadParameter, NotApplicable
from crypsis.metrics.region_classification import (
    LEARNERS,
    region_classification,
    region_features,
    split_for_training,
)

AGE = RegionAttribute("age", NumericDomain(0, 100))
TOWN = RegionAttribute("town", CategoryTree({"all": {"north": ["n1", "n2"], "south": ["s1", "s2"]}}))
EVERYWHERE = {"age": [0, 100], "town": "all"}


def regions(*rows, class_name="pays") -> CountedRegions:
    listed = [({**EVERYWHERE, **region}, {"no": no, "yes": yes}) for region, no, yes in rows]
    return CountedRegions.from_lists([AGE, TOWN], ["no", "yes"], listed, class_name)


def people(n: int = 900) -> Table:
    """Whoever is 40 or older pays, a third of the others too."""
    ages = [n % 100 for n in range(n)]
    frame = pl.DataFrame(
        {
            "age": ages,
            "town": [("n1", "n2", "s1", "s2")[n % 4] for n in range(n)],
            "pays": ["yes" if age >= 40 or number % 3 == 0 else "no" for number, age in enumerate(ages)],
        }
    )
    return Table.from_frame(frame, {"age": "quasi", "town": "quasi", "pays": "label"})


HALVES = regions(({"age": [0, 40]}, 400, 200), ({"age": [40, 100]}, 0, 900))


@pytest.mark.parametrize("learner", LEARNERS)
def test_regions_that_tell_the_class_predict_it(learner):
    table = people()
    training, tested = split_for_training(table, learner=learner, seed=1)
    found = region_classification(tested, HALVES, training=training, learner=learner)
    shares = tested.column("age").keys[tested.column("age").codes]
    pays = np.array(["no", "yes"])[tested.column("pays").codes] == "yes"
    assert found.accuracy == pytest.approx(np.mean((shares >= 40) == pays))
    assert found.least == pytest.approx(np.mean(pays))
    assert found.best >= found.accuracy - 0.05
    assert found.accuracy > found.least
    assert found.tested == len(tested)


def test_the_model_is_trained_on_published_counts_and_on_nothing_else():
    """A release that says the opposite of the data predicts the opposite."""
    upside_down = regions(({"age": [0, 40]}, 0, 900), ({"age": [40, 100]}, 900, 0))
    right = region_classification(people(), HALVES).accuracy
    assert region_classification(people(), upside_down).accuracy == pytest.approx(1 - right)


def test_counts_are_weights():
    """In one region the commonest class wins, whatever the records of the original say."""
    few_yes = regions(({}, 900, 100))
    found = region_classification(people(), few_yes)
    assert found.accuracy == pytest.approx(1 - found.least)


def test_an_empty_release_predicts_the_first_class():
    nothing = regions(({"age": [0, 50]}, 0, 0), ({"age": [50, 100]}, 0, 0))
    found = region_classification(people(), nothing)
    assert found.accuracy == pytest.approx(1 - found.least)


def test_features_by_hand():
    """Middle and width as shares of the domain, then a 1 for each node below the root on the way."""
    release = regions(({"age": [20, 60], "town": "north"}, 1, 1), ({"town": "s2"}, 1, 1), ({}, 1, 1))
    features = region_features(release.attributes, release.low, release.high, release.node)
    names = TOWN.domain.names[1:]
    expected = {0: (0.4, 0.4, {"north"}), 1: (0.5, 1.0, {"south", "s2"}), 2: (0.5, 1.0, set())}
    for row, (middle, width, nodes) in expected.items():
        assert features[row, :2].tolist() == [middle, width]
        assert {name for name, one in zip(names, features[row, 2:].tolist(), strict=True) if one} == nodes


def test_a_split_takes_every_record_once_and_repeats_from_its_seed():
    table = people(90)
    training, tested = split_for_training(table, seed=3)
    assert (len(training), len(tested)) == (60, 30)
    assert split_for_training(table, seed=3)[0] == training
    assert split_for_training(table, learner="svm", seed=3)[1].names == table.names
    assert len(split_for_training(table, learner="svm")[0]) == 72


def test_records_outside_the_domain_are_not_tested():
    frame = pl.DataFrame({"age": [5, 500, 50], "town": ["n1", "n1", "elsewhere"], "pays": ["no", "yes", "yes"]})
    table = Table.from_frame(frame, {"age": "quasi", "town": "quasi", "pays": "label"})
    strict = replace(HALVES, clamp=False)
    assert region_classification(table, strict, training=people()).tested == 1
    assert region_classification(table, HALVES, training=people()).tested == 2


def test_what_cannot_be_learnt_is_refused_in_words():
    with pytest.raises(NotApplicable, match="counts no classes"):
        region_classification(people(), regions(({}, 1, 1), class_name=None))
    with pytest.raises(BadParameter, match="learner must be one of"):
        region_classification(people(), HALVES, learner="forest")
    with pytest.raises(NotApplicable, match="no record to be tested"):
        region_classification(people(1).take(np.zeros(0, np.int64)), HALVES, training=people())
