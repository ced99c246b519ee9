"""The table of metrics, and measuring with it."""

from __future__ import annotations

import pytest
from hypothesis import given

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable
from crypsis.hierarchy import Taxonomy
from crypsis.metrics import METRICS, measure
from tests.metrics.recodings import Recoding, global_recodings, shuffled

BEST = {
    "sim1_score": 1,
    "sim2_score": 1,
    "distance_loss": 0,
    "normalized_distance_loss": 0,
    "combined_distance_loss": 0,
    "semantic_penalty_loss": 0,
    "generalized_locations": 0,
    "suppressed_locations_loss": 0,
    "generalized_size_loss": 0,
    "generalized_spread_loss": 0,
    "generalized_visits_loss": 0,
    "suppressed_visits_loss": 0,
    "visit_query_loss": 0,
    "kl_divergence_loss": 0,
    "kl_zero_terms": 0,
    "kl_smoothed_loss": 0,
    "patterns_preserved_score": 1,
    "patterns_preserved_deviation": 0,
    "false_patterns_loss": 0,
    "false_patterns_deviation": 0,
    "cluster_precision_score": 1,
    "cluster_recall_score": 1,
    "cluster_f_score": 1,
    "cluster_precision_star_score": 1,
    "cluster_f_star_score": 1,
}


OF_TRAJECTORIES = [name for name, metric in METRICS.items() if Trajectories in metric.accepts]


def side_inputs_of(original: Trajectories) -> dict[str, Taxonomy]:
    return {"taxonomy": Taxonomy([(label, "everything") for label in original.locations.labels])}


@given(global_recodings())
def test_unchanged_data_have_the_best_figures_of_all_metrics(recoding: Recoding) -> None:
    unchanged = PublishedTrajectories.from_lists(recoding.paths)
    figures = measure(recoding.original, unchanged, OF_TRAJECTORIES, side_inputs=side_inputs_of(recoding.original))
    assert set(figures) == {*BEST, "intact_locations", "intact_visits_score", "original_clusters", "published_clusters"}
    assert figures["original_clusters"] == figures["published_clusters"]
    assert {name: figures[name] for name in BEST} == BEST


@given(global_recodings())
def test_the_default_figures_do_not_depend_on_the_order_of_the_release(recoding: Recoding) -> None:
    side_inputs = side_inputs_of(recoding.original)
    figures = measure(recoding.original, recoding.published, side_inputs=side_inputs)
    again = measure(recoding.original, shuffled(recoding.published, 5), side_inputs=side_inputs)
    assert figures == pytest.approx(again, rel=1e-12)
    asked_for = ("patterns", "cluster", "sim1", "sim2")
    if figures["kl_zero_terms"]:  # the divergence is infinite then, and left out
        asked_for += ("kl_divergence_loss",)
    assert set(figures) == {
        name
        for name in (*BEST, "intact_locations", "intact_visits_score")
        if not any(word in name for word in asked_for)
    }


def test_every_metric_is_named_for_its_function_and_says_what_it_is() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.summary().endswith(".")
        assert metric.accepts
        assert metric.measure.__doc__


def test_a_metric_that_needs_a_taxonomy_is_left_out_unless_asked_for() -> None:
    original = Trajectories.from_lists([["a"], ["a"]], locations={"a": (0, 0)})
    published = PublishedTrajectories.from_lists([["a"], ["a"]])
    assert "semantic_penalty_loss" not in measure(original, published)
    assert measure(original, published, side_inputs=side_inputs_of(original))["semantic_penalty_loss"] == 0
    with pytest.raises(NotApplicable, match="semantic_penalty_loss needs a taxonomy"):
        measure(original, published, ["semantic_penalty_loss"])


def test_without_coordinates_the_distances_are_left_out_unless_asked_for() -> None:
    original = Trajectories.from_lists([["a"], ["a"]])
    published = PublishedTrajectories.from_lists([["a"], ["a"]])
    figures = measure(original, published)
    assert "distance_loss" not in figures
    assert figures["intact_locations"] == 1
    with pytest.raises(BadCoordinate):
        measure(original, published, ["distance_loss"])


def test_synthetic_data_get_the_figures_that_need_no_alignment() -> None:
    original = Trajectories.from_lists([["a", "b"], ["b"]], {"a": (0, 0), "b": (1, 0)})
    synthetic = PublishedTrajectories.from_lists([["b", "b"], ["a", "b"], ["a"]])
    assert set(measure(original, synthetic)) == {
        "visit_query_loss",
        "kl_divergence_loss",
        "kl_zero_terms",
        "kl_smoothed_loss",
    }
    with pytest.raises(NotApplicable):
        measure(original, synthetic, ["distance_loss"])


def test_an_unknown_metric_is_refused_with_the_names_there_are() -> None:
    original = Trajectories.from_lists([["a"]])
    with pytest.raises(BadParameter, match=r"There is no metric 'distance'.*Did you mean 'distance_loss'"):
        measure(original, PublishedTrajectories.from_lists([["a"]]), ["distance"])


def test_the_seed_reaches_the_metrics_that_draw() -> None:
    locations = [chr(ord("a") + number) for number in range(20)]
    paths = [[locations[(row * step) % 20] for step in (1, 3, 7, 11)] for row in range(40)]
    original = Trajectories.from_lists(paths)
    published = PublishedTrajectories.from_lists(
        [[["a", "b", "c"] if label in "abc" else label for label in path] for path in paths]
    )
    errors = {measure(original, published, seed=seed)["visit_query_loss"] for seed in range(5)}
    assert len(errors) > 1
    again = measure(original, published, seed=3)
    assert again == measure(original, published, seed=3)
