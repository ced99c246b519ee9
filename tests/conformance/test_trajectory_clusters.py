"""Golden vectors of the trajectory family: clustering comparison and re-identification."""

from __future__ import annotations

import numpy as np
import pytest

from crypsis.attacks.reidentification import reidentification
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.metrics.clustering import compare_clusterings, density_clusters
from crypsis.metrics.route_distance import Routes, route_distances
from tests.conformance.vectors import case, load

CLUSTERING = "trajectory/metrics_clustering.json"
REIDENTIFICATION = "trajectory/metrics_reidentification.json"


@pytest.mark.parametrize("vector", [case(CLUSTERING, load(CLUSTERING)["scores"], name="scores")])
def test_scores_of_clusters(vector) -> None:
    found = compare_clusterings(vector["original_labels"], vector["published_labels"])
    for label, expected in vector["per_cluster_P_R_F_Pstar_Fstar"].items():
        scores = found.per_cluster[int(label)]
        got = [scores.precision, scores.recall, scores.f, scores.precision_star, scores.f_star]
        assert got == pytest.approx(expected, rel=1e-12)
    averages = [found.precision, found.recall, found.f, found.precision_star, found.f_star]
    named = ("precision", "recall", "F", "precision_star", "F_star")
    assert averages == pytest.approx([vector["average"][name] for name in named], rel=1e-12)


@pytest.mark.parametrize("vector", [case(CLUSTERING, load(CLUSTERING), name="clusters")])
def test_route_distances_and_density_clusters(vector) -> None:
    routes = Routes.from_lists(vector["route_distance"]["tracks"])
    assert route_distances(routes) == pytest.approx(np.array(vector["route_distance"]["matrix"]), rel=1e-12)
    expected = vector["density_clustering"]
    found = density_clusters(routes, expected["max_distance"], expected["min_neighbours"])
    assert found.order.tolist() == expected["order"]
    reached = [np.inf if value is None else value for value in expected["reachability"]]
    assert found.reachability.tolist() == pytest.approx(reached, rel=1e-12)
    assert found.labels.tolist() == expected["labels"]


PUBLISHED = {  # Monreale et al. 2010, Fig. 4 (vector kam_fig4): what KAM_REC and KAM_CUT publish of these tracks
    "kam_rec": ["ABCDEFG"] * 3 + ["ADEF"] * 3 + ["CHL"] * 2 + ["DEFG"],
    "kam_cut": ["ABCDEFG"] * 3 + ["ADEF"] * 3 + ["DE"] * 2,
}


@pytest.mark.parametrize(
    ("method", "vector"),
    [case(REIDENTIFICATION, method, load(REIDENTIFICATION), name=method) for method in PUBLISHED],
)
def test_probability_of_reidentification(method: str, vector) -> None:
    generalized = Trajectories.from_lists([list(track) for track in vector["generalized"]])
    published = PublishedTrajectories.from_lists([list(track) for track in PUBLISHED[method]])
    knowledge = [list(known) for known, _, _ in vector[method]]
    found = reidentification(knowledge, generalized, published, vector["k"])
    assert found.probability.tolist() == pytest.approx([row[1] for row in vector[method]], rel=1e-12)
    assert found.worst.tolist() == pytest.approx([row[2] for row in vector[method]], rel=1e-12)


@pytest.mark.parametrize(
    "vector", [case(REIDENTIFICATION, load(REIDENTIFICATION)["below_k"], name="fewer than k are published")]
)
def test_fewer_than_k_published(vector) -> None:
    generalized, published = (
        Trajectories.from_lists([list(track) for track in vector[side]]) for side in ("generalized", "published")
    )
    found = reidentification([list(vector["knowledge"])], generalized, published, vector["k"])
    assert found.probability.tolist() == pytest.approx([vector["probability"]])
    assert found.worst.tolist() == pytest.approx([vector["worst_case"]])
