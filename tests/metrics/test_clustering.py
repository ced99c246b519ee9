"""Clusters before and after, the route distance they rest on, and OPTICS, against their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.track import Tracks
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import BadCoordinate, BadParameter, NotApplicable, TooLarge
from crypsis.metrics import measure, route_distance
from crypsis.metrics.clustering import (
    clustering_comparison,
    compare_clusterings,
    compare_routes,
    density_clusters,
)
from crypsis.metrics.route_distance import Routes, near_routes, route_distances
from tests.metrics.recodings import Recoding, global_recodings, shuffled
from tests.reference import clusters as reference

# Whole numbers make ties; tenths make distances that are equal but for the last bit.
numbers = st.one_of(st.integers(-4, 4).map(float), st.integers(-40, 40).map(lambda tenth: tenth / 10))
routes = st.lists(st.lists(st.tuples(numbers, numbers), max_size=5), max_size=9)
limits = st.one_of(st.sampled_from([0.1, 0.5, 1.0, 2.0, 3.0]), st.floats(0.05, 6))


@given(routes)
def test_distances_are_those_of_the_definition(drawn) -> None:
    found = route_distances(Routes.from_lists(drawn))
    expected = [[reference.route_distance(one, other) for other in drawn] for one in drawn]
    assert found == pytest.approx(np.array(expected).reshape(len(drawn), len(drawn)), rel=1e-12, abs=1e-12)
    assert np.array_equal(found, found.T)


@given(routes, limits)
def test_pruning_loses_no_neighbour(drawn, limit) -> None:
    near = near_routes(Routes.from_lists(drawn), limit)
    found = {
        (one, int(near.indices[place])): near.distances[place]
        for one in range(len(drawn))
        for place in range(near.starts[one], near.starts[one + 1])
    }
    expected = {}
    for one in range(len(drawn)):
        for other in range(len(drawn)):
            distance = reference.route_distance(drawn[one], drawn[other])
            if one != other and distance <= limit + 1e-9 * max(1, limit):
                expected[one, other] = distance
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    for one in range(len(drawn)):
        indices = near.indices[near.starts[one] : near.starts[one + 1]].tolist()
        assert indices == sorted(indices)


@given(routes, limits, st.integers(1, 4))
def test_optics_is_that_of_the_definition(drawn, limit, min_neighbours) -> None:
    found = density_clusters(Routes.from_lists(drawn), limit, min_neighbours)
    order, reachability, labels = reference.density_clusters(drawn, limit, min_neighbours)
    assert found.order.tolist() == order
    assert found.reachability.tolist() == pytest.approx(reachability, rel=1e-12)
    assert found.labels.tolist() == labels
    assert found.sizes.sum() + found.noise == len(drawn)


def test_many_random_routes_have_the_neighbours_of_the_definition() -> None:
    random = np.random.default_rng(3)
    drawn = [
        (random.normal(0, 30, 2) + np.cumsum(random.normal(0, 3, (random.integers(1, 12), 2)), axis=0)).tolist()
        for _ in range(120)
    ]
    everything = route_distances(Routes.from_lists(drawn))
    for limit in (1.0, 5.0, 20.0, 1000.0):
        near = near_routes(Routes.from_lists(drawn), limit)
        assert len(near.indices) == np.count_nonzero(everything <= limit) - len(drawn)


labels = st.integers(-1, 3)


@given(st.lists(st.tuples(labels, st.one_of(st.none(), labels)), max_size=15))
def test_scores_are_those_of_the_definition(pairs) -> None:
    before, after = [one for one, _ in pairs], [other for _, other in pairs]
    found = compare_clusterings(before, after)
    expected = reference.compare(before, after)
    assert found.per_cluster.keys() == expected.keys()
    for label, scores in found.per_cluster.items():
        got = (scores.precision, scores.recall, scores.f, scores.precision_star, scores.f_star)
        assert got == pytest.approx(expected[label])
    assert found.f == pytest.approx(np.mean([scores[2] for scores in expected.values()]) if expected else 1.0)
    assert found.original_clusters == len(expected)
    assert found.published_clusters == len({one for one in after if one is not None and one >= 0})


def test_the_smaller_cluster_then_the_lower_label_wins_among_equal_overlaps() -> None:
    assert compare_clusterings([0, 0, -1], [1, 0, 1]).precision == 1.0
    assert compare_clusterings([0, 0, -1, 1], [1, 0, 1, 0]).per_cluster[0].precision_star == 0.5


@given(global_recodings(), st.sampled_from([5.0, 30.0]))
def test_the_comparison_does_not_depend_on_the_order_of_the_release(recoding: Recoding, limit: float) -> None:
    one, other = (
        clustering_comparison(recoding.original, published, limit, min_neighbours=1)
        for published in (recoding.published, shuffled(recoding.published, 5))
    )
    assert one.figures() == pytest.approx(other.figures())


def test_two_crowds_that_are_merged_become_one_cluster() -> None:
    table = {"west": (0, 0), "middle": (10, 0), "east": (20, 0), "far": (900, 0)}
    paths = [["west", "middle"]] * 6 + [["east", "middle"]] * 6 + [["far"]]
    original = Trajectories.from_lists(paths, table)
    merged = {"west": ["east", "west"], "east": ["east", "west"]}
    published = PublishedTrajectories.from_lists([[merged.get(label, label) for label in path] for path in paths])
    found = clustering_comparison(original, published, 5.0)
    assert (found.original_clusters, found.published_clusters) == (2, 1)
    assert (found.precision, found.recall, found.original_noise) == (0.5, 1.0, 1)
    assert measure(original, published, ["clustering_comparison"])["cluster_recall_score"] == 1.0


def test_tracks_are_compared_with_the_cells_published_for_them() -> None:
    tracks = Tracks.from_lists([[(0, n, 0), (50, n, 1)] for n in range(6)] + [[(0, 500 + n, 0)] for n in range(6)])
    places = Locations.of({"c0": (0.0, 2.0), "c1": (50.0, 2.0)})
    rows = [["c0", "c1"]] * 6 + [[]] * 6
    published = replace(PublishedTrajectories.from_lists(rows), places=places, generators=places)
    found = clustering_comparison(tracks, published, 20.0)
    assert (found.original_clusters, found.published_clusters) == (2, 1)
    assert found.per_cluster[0].f == 1.0
    assert found.per_cluster[1].f == 0.0  # lost
    with pytest.raises(NotApplicable, match="where the release was made"):
        clustering_comparison(tracks, replace(published, generators=None), 20.0)


def test_which_route_was_made_from_which_must_be_told_when_some_are_lost() -> None:
    original = Routes.from_lists([[(0, 0)], [(0, 1)], [(90, 0)]])
    published = Routes.from_lists([[(0, 1)], [(0, 0)]])
    found = compare_routes(original, published, 5.0, min_neighbours=1, published_rows=np.array([1, 0]))
    assert found.f == 1.0
    with pytest.raises(NotApplicable, match="say which original"):
        compare_routes(published, original, 5.0)


def test_reachability_is_told_as_quantiles() -> None:
    found = density_clusters(Routes.from_lists([[(0, 0)], [(0, 1)], [(0, 3)], [(90, 0)]]), 5.0, 1)
    assert found.reachability_quantiles((0, 1)) == (1.0, 2.0)
    assert density_clusters(Routes.from_lists([[(0, 0)]]), 5.0, 1).reachability_quantiles() == ()


def test_bad_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Trajectories.from_lists([["a"]])
    with pytest.raises(BadCoordinate):
        clustering_comparison(plain, PublishedTrajectories.from_lists([["a"]]))
    two = Routes.from_lists([[(0, 0)], [(0, 1)]])
    for wrong in (0, -1.0, float("nan"), True):
        with pytest.raises(BadParameter, match="max_distance"):
            density_clusters(two, wrong)
    with pytest.raises(BadParameter, match="min_neighbours"):
        density_clusters(two, 1.0, 0)
    with pytest.raises(BadCoordinate):
        Routes.from_lists([[(0, float("inf"))]])
    with pytest.raises(BadParameter, match="Clusterings of 1 and 2 objects"):
        compare_clusterings([0], [0, 0])
    synthetic = Trajectories.from_lists([["a"], ["b"]], {"a": (0, 0), "b": (0, 1)})
    with pytest.raises(NotApplicable):
        clustering_comparison(synthetic, PublishedTrajectories.from_lists([["a"], ["a"]]))
    monkeypatch.setattr(route_distance, "MOST_PAIRS", 0)
    with pytest.raises(TooLarge, match="lower max_distance"):
        near_routes(two, 5.0)
