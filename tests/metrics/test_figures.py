"""Every figure of every metric states its label, direction and meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

import crypsis
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.hierarchy import Taxonomy
from crypsis.metrics import METRICS, Figure, all_figures, figure_named, measure, metric_named
from crypsis.metrics.figure import HIGHER, LOWER, NEITHER


def test_every_figure_of_every_metric_is_explained() -> None:
    original = crypsis.Trajectories.from_lists([["a", "b"], ["b", "a"], ["a"]], {"a": (0, 0), "b": (1, 0)})
    published = PublishedTrajectories.from_lists([["a", "b"], ["b", "a"], ["a"]])
    taxonomy = Taxonomy([("a", "everything"), ("b", "everything")])
    metrics = [name for name, metric in METRICS.items() if crypsis.Trajectories in metric.accepts]
    figures = measure(original, published, metrics, side_inputs={"taxonomy": taxonomy})
    assert set(figures) <= set(all_figures())


def test_every_figure_of_every_metric_of_tracks_is_explained() -> None:
    places = Locations.of({"c0": (0.0, 0.0)})
    published = replace(PublishedTrajectories.from_lists([["c0"]]), places=places, generators=places)
    metrics = [name for name, metric in METRICS.items() if crypsis.Tracks in metric.accepts and metric.default]
    figures = measure(crypsis.Tracks.from_lists([[(0, 0, 0)]]), published, metrics)
    assert len(figures) == 5
    assert set(figures) <= set(all_figures())


@pytest.mark.parametrize("figure", all_figures().values(), ids=lambda figure: figure.name)
def test_the_name_of_a_figure_says_which_way_is_better(figure: Figure) -> None:
    assert figure.better == (
        LOWER if figure.name.endswith("_loss") else HIGHER if figure.name.endswith("_score") else NEITHER
    )
    assert figure.label[0].isupper()
    assert figure.meaning.endswith(".")


def test_no_two_metrics_state_the_same_figure_or_former_name() -> None:
    stated = [figure.name for metric in METRICS.values() for figure in metric.figures]
    assert len(set(stated)) == len(stated)
    former = [figure.former_name for figure in all_figures().values() if figure.former_name]
    assert len(set(former)) == len(former)
    assert not set(former) & set(all_figures())


def test_a_figure_is_found_by_its_former_and_its_short_name() -> None:
    assert figure_named("count_query_error").name == "count_query_loss"
    assert figure_named("ncp").name == "ncp_loss"
    assert figure_named("ncp_loss of age").title == "Normalized certainty penalty of age"
    assert metric_named("count_query_error") is METRICS["count_query_loss"]


def test_an_unknown_figure_is_named_after_itself() -> None:
    assert (figure_named("some_new_score").label, figure_named("some_new_score").better) == ("Some new score", HIGHER)
    assert figure_named("some_new_loss").better == LOWER
    assert figure_named("some_count").better == NEITHER
