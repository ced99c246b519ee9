"""Short names stand for the metric of the data at hand, and the parts of mixed data are measured like what they are."""

from __future__ import annotations

import pytest

import crypsis
from crypsis.evaluate import Experiment
from crypsis.evaluate.measures import figures_of, known_measures
from crypsis.metrics import METRICS, short_names
from tests.evaluate.examples import DATASET, MERGE_R, write_example


def test_every_short_name_stands_for_known_metrics():
    assert all(name in METRICS for candidates in short_names().values() for name in candidates)
    assert set(short_names()) < set(known_measures())


@pytest.fixture
def example(tmp_path):
    text = DATASET + MERGE_R + '[queries]\nlist = ["Age in [19:30]", "items all {E}"]\n'
    return Experiment.parse(text, folder=write_example(tmp_path))


def test_mixed_data_are_measured_as_a_whole_and_in_parts(example):
    data = example.dataset.load()
    method = crypsis.RFirst(k=2, m=1, seeds="first")
    release = crypsis.anonymize(data, method)
    figures = figures_of(data, release.data, ["ncp", "ul", "are", "tkd", "dl", "runtime"], inputs=example.inputs)
    assert figures["ncp"] == release.utility()["ncp_loss"]
    assert figures["ul"] == release.utility()["utility_loss"]
    assert set(figures) == {
        "ncp",
        "ul",
        "are",
        "are_subset",
        "tkd",
    }  # distances are for trajectories; times are always there
    apart = crypsis.metrics.measure(data.transactions, release.data.transactions, ["tkd_loss"])
    assert figures["tkd"] == apart["tkd_loss"]


def test_the_queries_of_the_experiment_are_the_ones_that_are_put(example):
    from crypsis.metrics.count_query_error import count_query_error

    data = example.dataset.load()
    release = crypsis.anonymize(data, crypsis.RFirst(k=2, m=1, seeds="first"))
    asked = count_query_error(data, release.data, ["Age in [19:30]", "items all {E}"])
    figures = figures_of(data, release.data, ["are"], inputs=example.inputs)
    assert figures["are"] == asked.figures()["count_query_loss"]
    disassociated = crypsis.anonymize(data.transactions, crypsis.Disassociation(k=2, m=2))
    alone = figures_of(data.transactions, disassociated.data, ["are"], inputs=example.inputs)
    assert alone["are"] >= 0  # the query that asks for items alone


def test_a_figure_that_cannot_be_had_is_left_out(example):
    data = example.dataset.load()
    release = crypsis.anonymize(data.transactions, crypsis.Disassociation(k=2, m=2))
    figures = figures_of(data.transactions, release.data, ["re", "tlost", "ncp"])
    assert "re" not in figures  # no term has the rank 200
    assert "ncp" not in figures
