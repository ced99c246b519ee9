"""Every utility figure has words."""

from __future__ import annotations

from dataclasses import replace

import pytest

import crypsis
from crypsis.data.trajectory import Locations, PublishedTrajectories
from crypsis.hierarchy import Taxonomy
from crypsis.metrics import METRICS, measure
from crypsis.reports.utility_words import HIGHER, LOWER, NEITHER, READINGS, reading


def test_every_figure_of_every_metric_is_explained() -> None:
    original = crypsis.Trajectories.from_lists([["a", "b"], ["b", "a"], ["a"]], {"a": (0, 0), "b": (1, 0)})
    published = PublishedTrajectories.from_lists([["a", "b"], ["b", "a"], ["a"]])
    taxonomy = Taxonomy([("a", "everything"), ("b", "everything")])
    metrics = [name for name, metric in METRICS.items() if crypsis.Trajectories in metric.accepts]
    figures = measure(original, published, metrics, companions={"taxonomy": taxonomy})
    assert set(figures) <= set(READINGS)


def test_every_figure_of_every_metric_of_tracks_is_explained() -> None:
    places = Locations.of({"c0": (0.0, 0.0)})
    published = replace(PublishedTrajectories.from_lists([["c0"]]), places=places, generators=places)
    metrics = [name for name, metric in METRICS.items() if crypsis.Tracks in metric.accepts and metric.default]
    figures = measure(crypsis.Tracks.from_lists([[(0, 0, 0)]]), published, metrics)
    assert len(figures) == 5
    assert set(figures) <= set(READINGS)


@pytest.mark.parametrize("name", [name for name in READINGS if name.endswith(("_loss", "_score"))])
def test_the_ending_of_a_figure_and_its_words_agree(name: str) -> None:
    assert READINGS[name].better == (LOWER if name.endswith("_loss") else HIGHER)


def test_an_unknown_figure_is_named_after_itself() -> None:
    assert (reading("some_new_score").name, reading("some_new_score").better) == ("Some new score", HIGHER)
    assert reading("some_new_loss").better == LOWER
    assert reading("some_count").better == NEITHER
