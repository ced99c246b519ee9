"""Every utility figure has words."""

from __future__ import annotations

import pytest

import crypsis
from crypsis.data.trajectory import PublishedTrajectories
from crypsis.metrics import METRICS, measure
from crypsis.reports.utility_words import HIGHER, LOWER, NEITHER, READINGS, reading


def test_every_figure_of_every_metric_is_explained() -> None:
    original = crypsis.Trajectories.from_lists([["a", "b"], ["b", "a"], ["a"]], {"a": (0, 0), "b": (1, 0)})
    published = PublishedTrajectories.from_lists([["a", "b"], ["b", "a"], ["a"]])
    figures = measure(original, published, METRICS)
    assert set(figures) <= set(READINGS)


@pytest.mark.parametrize("name", [name for name in READINGS if name.endswith(("_loss", "_score"))])
def test_the_ending_of_a_figure_and_its_words_agree(name: str) -> None:
    assert READINGS[name].better == (LOWER if name.endswith("_loss") else HIGHER)


def test_an_unknown_figure_is_named_after_itself() -> None:
    assert (reading("some_new_score").name, reading("some_new_score").better) == ("Some new score", HIGHER)
    assert reading("some_new_loss").better == LOWER
    assert reading("some_count").better == NEITHER
