"""Golden vectors of the trajectory family: SEQANON, the k^m verifier, utility metrics and bad input."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks import workloads
from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import CrypsisError
from crypsis.guarantees import KmAnonymity
from crypsis.kernels import nearest_merging
from crypsis.methods import SeqAnon
from crypsis.methods.trajectory.feasibility import individuals_by_length
from crypsis.methods.trajectory.merging import LocationMerging
from crypsis.metrics.distance import diameter, distance_loss, location_distance, normalized_distance_loss
from crypsis.metrics.divergence import kl_divergence_loss
from crypsis.metrics.locations import location_statistics
from crypsis.metrics.patterns import compare_patterns, frequent_patterns
from crypsis.metrics.queries import average_relative_error, estimated_support, support
from crypsis.metrics.workload import Workload
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.trajectory_vectors import close, partition_of, read
from tests.conformance.vectors import case, load

FIG4 = "trajectory/seqanon_fig4.json"
TIES = "trajectory/seqanon_ties_and_linkage.json"
REPEATS = "trajectory/seqanon_repeats.json"
INFEASIBLE = "trajectory/seqanon_infeasible.json"
RANDOM_40X12 = "trajectory/seqanon_40x12.json"
WALKS = "trajectory/seqanon_walks_18143.json"
CHECKINS = "trajectory/seqanon_checkins_86061.json"
ERRORS = "trajectory/errors.json"
VERIFY_KM = "trajectory/verify_km.json"
UTILITY = "trajectory/metrics_utility.json"
PRIVACY = "trajectory/privacy_analysis.json"


def run(data: Trajectories, **parameters: Any) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    return SeqAnon(**parameters).anonymize(data, context), context.private


def assert_statistics(data: Trajectories, published: PublishedTrajectories, expected: Mapping[str, float]) -> None:
    found = location_statistics(data, published)
    assert expected == {
        "original_locations": found.intact_locations,
        "generalized_locations": found.generalized_locations,
        "suppressed_locations": found.suppressed_locations,
        "avg_size": close(found.mean_size),
        "avg_distance_pct": close(found.mean_distance_percent),
    }


@pytest.mark.parametrize("vector", [case(FIG4, load(FIG4))])
def test_the_papers_example_is_reproduced(vector: Any) -> None:
    expected, data = vector["expected"], read(vector["input"])
    published, private = run(data, **vector["params"])
    assert published.to_lists() == expected["output"]
    assert private["merges"].to_lists() == expected["merges"]
    assert partition_of(private) == expected["partition"]
    assert distance_loss(data, published) == close(expected["distance"])
    assert normalized_distance_loss(data, published) == close(expected["distance_normalized"])
    assert_statistics(data, published, expected["stats"])
    assert verify(published, KmAnonymity(**vector["params"]), original=data).holds


@pytest.mark.parametrize("vector", [case(FIG4, load(FIG4))])
def test_the_rare_pairs_of_the_papers_example_are_listed_in_order(vector: Any) -> None:
    data, k = read(vector["input"]), vector["params"]["k"]
    state = LocationMerging(data, *data.locations.coordinates("test"), data.groups("trajectory"))
    state.make_frequent(1, k, RunContext())
    labels = data.locations.labels
    rare = [([labels[code] for code in codes], support) for codes, support in state.rare_of_size(2, k)]
    expected = vector["expected"]
    assert rare == [(pair, expected["violating_support"]) for pair in expected["violating_size_2"]]


@pytest.mark.parametrize(
    ("described", "expected"),
    [case(TIES, load(TIES)["input"], one, name=number) for number, one in enumerate(load(TIES)["cases"])],
)
def test_equal_distances_are_settled_by_the_location_table(described: Any, expected: Any) -> None:
    data = read(described, expected["location_order"])
    _, private = run(data, **expected["params"])
    assert private["merges"].to_lists() == expected["merges"]
    assert partition_of(private) == expected["partition"]


@pytest.mark.parametrize(
    ("coordinates", "one", "other", "distance"),
    [
        case(TIES, load(TIES)["linkage"]["coordinates"], *row, name=f"linkage {number}")
        for number, row in enumerate(load(TIES)["linkage"]["average_distance"])
    ],
)
def test_symbols_are_as_far_apart_as_their_members_on_average(
    coordinates: Any, one: list[str], other: list[str], distance: float
) -> None:
    data = Trajectories.from_lists([list(coordinates)], locations=coordinates)
    state = LocationMerging(data, *data.locations.coordinates("test"), data.groups("trajectory"))
    places, code = state._places, data.locations.vocabulary.code
    for symbol in (one, other):
        for label in symbol[1:]:
            nearest_merging.join_places(places, state._guide, code(symbol[0]), code(label))
    here, there = code(one[0]), code(other[0])
    nearest_merging.ensure_row(places, here)
    total = places.sums[places.row[here], there]
    assert total / (places.size[here] * places.size[there]) == close(distance)


@pytest.mark.parametrize(
    ("described", "expected"),
    [case(REPEATS, load(REPEATS)["input"], one, name=f"k={one['k']} m={one['m']}") for one in load(REPEATS)["cases"]],
)
def test_repeated_locations(described: Any, expected: Any) -> None:
    data = read(described)
    published, _ = run(data, k=expected["k"], m=expected["m"])
    assert published.to_lists() == expected["output"]
    assert distance_loss(data, published) == close(expected["distance"])


@pytest.mark.parametrize(
    "expected", [case(INFEASIBLE, one, name=number) for number, one in enumerate(load(INFEASIBLE)["cases"])]
)
def test_lengths_that_cannot_be_protected(expected: Any) -> None:
    data = read(expected["input"])
    if "n" in expected:
        reached = individuals_by_length(data, data.groups("trajectory"), expected["params"]["m"])
        assert reached.tolist() == expected["n"]
    if "error" in expected:
        with pytest.raises(CrypsisError) as raised:
            run(data, **expected["params"])
        assert raised.value.code == expected["error"]
        for detail in ("size", "have"):
            if detail in expected:
                assert raised.value.details[detail] == expected[detail]
        return
    published, private = run(data, **expected["params"])
    assert published.to_lists() == expected["output"]
    assert [list(place) for place in private["suppressed_occurrences"]] == expected["suppressed_occurrences"]
    assert data.truncated(published.longest).to_lists() == expected["truncated_input"]


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        case(RANDOM_40X12, load(RANDOM_40X12)["input"], one, part="seqanon", name=f"k={one['k']} m={one['m']}")
        for one in load(RANDOM_40X12)["seqanon"]
    ],
)
def test_forty_random_trajectories(described: Any, expected: Any) -> None:
    data = read(described)
    published, private = run(data, k=expected["k"], m=expected["m"])
    assert private["merges"].to_lists() == expected["merges"]
    assert partition_of(private) == expected["partition"]
    assert distance_loss(data, published) == close(expected["distance"])
    assert_statistics(data, published, expected["stats"])


GENERATORS = {WALKS: workloads.walks, CHECKINS: workloads.checkins}


@cache
def generated(file: str) -> Trajectories:
    return GENERATORS[file](seed=1)


@pytest.mark.parametrize("file", [case(file, file, name="checksum") for file in GENERATORS])
def test_the_generator_makes_the_vectors_data(file: str) -> None:
    data = generated(file)
    assert load(file)["checksum"] == {
        "trajectories": len(data),
        "total_length": data.visits,
        "weighted": workloads.weighted_checksum(data),
    }


@pytest.mark.parametrize(
    ("file", "expected"),
    [case(file, file, one, name=f"k={one['k']} m={one['m']}") for file in GENERATORS for one in load(file)["cases"]],
)
def test_full_size_runs(file: str, expected: Any) -> None:
    data = generated(file)
    method = SeqAnon(k=expected["k"], m=expected["m"])
    published, private = run(data, **method.parameters())
    symbols = published.symbols
    representatives = np.full(len(data.locations), -1)
    representatives[symbols.members] = np.repeat(
        np.minimum.reduceat(symbols.members, symbols.offsets[:-1]), symbols.sizes
    )
    assert representatives.tolist() == expected["representative_of_code"]
    assert len(private["merges"]) == expected["merges"]
    assert len(symbols) == expected["symbols"]
    verdict = verify(published, method.guarantee, original=data)
    assert verdict.holds
    assert verdict.figures["min_support_by_size"] == expected["min_support_by_size"]


@pytest.mark.parametrize(
    "described",
    [
        case(ERRORS, one, part="SEQANON", name=one["name"])
        for one in load(ERRORS)["cases"]
        if one["algorithm"] == "SEQANON"
    ],
)
def test_bad_input_raises_its_code(described: Any) -> None:
    with pytest.raises(CrypsisError) as raised:
        SeqAnon(**described["params"]).anonymize(read(described["input"]), RunContext())
    assert raised.value.code == described["error"]
    assert raised.value.exit_code in (2, 3)
    assert len(str(raised.value)) > 20


@pytest.mark.parametrize("described", [case(VERIFY_KM, one, name=one["name"]) for one in load(VERIFY_KM)["cases"]])
def test_the_verifier_decides_and_names_its_witness(described: Any) -> None:
    published = PublishedTrajectories.from_lists(described["published"])
    verdict = verify(published, KmAnonymity(k=described["k"], m=described["m"]))
    assert verdict.holds == described["ok"]
    assert (verdict.witness and verdict.witness.to_dict()) == described["witness"]


@pytest.mark.parametrize(
    "item",
    [
        case(PRIVACY, item, part=item["name"])
        for item in load(PRIVACY)["items"]
        if item["name"] == "size-m-only variant leaves short trajectories unprotected"
    ],
)
def test_starting_at_size_m_protects_nobody_with_less(item: Any) -> None:
    labels = sorted({label for row in item["trajectories"] for label in row})
    locations = {label: (float(number), 0.0) for number, label in enumerate(labels)}
    method = SeqAnon(k=item["k"], m=item["m"], apriori=False)
    published, _ = run(Trajectories.from_lists(item["trajectories"], locations=locations), **method.parameters())
    assert published.to_lists() == item["size_m_only_output"]
    assert verify(published, method.guarantee).holds == item["is_km"]
    assert not method.assured


@pytest.mark.parametrize(
    "described",
    [
        case(UTILITY, one, part="location_distance", name=number)
        for number, one in enumerate(load(UTILITY)["location_distance"])
    ],
)
def test_distance_of_a_location_to_its_symbol(described: Any) -> None:
    locations = Locations.of(described["coordinates"])
    assert location_distance(locations, described["location"], described["generalized"]) == close(described["value"])


@pytest.mark.parametrize(
    "described",
    [
        case(UTILITY, one, part="trajectory_distance", name=number)
        for number, one in enumerate(load(UTILITY)["trajectory_distance"])
    ],
)
def test_distance_of_a_trajectory_to_its_row(described: Any) -> None:
    original = Trajectories.from_lists([described["original"]], locations=described["coordinates"])
    published = PublishedTrajectories.from_lists([described["published"]])
    assert distance_loss(original, published) == close(described["value"])


@pytest.mark.parametrize("described", [case(UTILITY, load(UTILITY)["suppressed_distance"], part="suppressed_distance")])
def test_a_suppressed_visit_costs_the_diameter(described: Any) -> None:
    original = Trajectories.from_lists(described["original"], locations=described["coordinates"])
    published = PublishedTrajectories.from_lists(described["published"])
    assert diameter(original) == close(described["diameter"])
    assert distance_loss(original, published) == close(described["value"])


@pytest.mark.parametrize(
    ("row", "query", "probability"),
    [
        case(
            UTILITY,
            load(UTILITY)["containment_probability"]["published"],
            *one,
            part="containment_probability",
            name=number,
        )
        for number, one in enumerate(load(UTILITY)["containment_probability"]["cases"])
    ],
)
def test_probability_that_a_row_contains_a_query(row: Any, query: list[str], probability: float) -> None:
    published = PublishedTrajectories.from_lists([row])
    workload = Workload.from_lists([query], published.symbols.vocabulary)
    assert estimated_support(published, workload, "uniform").tolist() == [close(probability)]


@pytest.mark.parametrize("described", [case(UTILITY, load(UTILITY)["are"], part="are")])
def test_average_relative_error(described: Any) -> None:
    original = Trajectories.from_lists(described["original"])
    published = PublishedTrajectories.from_lists(described["published"])
    queries = described["queries"]
    workload = Workload.from_lists(queries, original.locations.vocabulary)
    assert support(original, workload).tolist() == described["actual"]
    for estimator in ("uniform", "upper"):
        estimate = estimated_support(published, workload, estimator)
        assert estimate.tolist() == close(described[f"estimate_{estimator}"])
        error = average_relative_error(original, published, queries=queries, estimator=estimator)
        assert error == close(described[f"are_{estimator}"])


@pytest.mark.parametrize(
    "described", [case(UTILITY, one, part="kl", name=number) for number, one in enumerate(load(UTILITY)["kl"])]
)
def test_kl_divergence(described: Any) -> None:
    original = Trajectories.from_lists(described["original"])
    published = PublishedTrajectories.from_lists(described["published"])
    divergence = kl_divergence_loss(original, published, queries=described["S"])
    if described["value"] == "inf":
        assert math.isinf(divergence.value)
    else:
        assert divergence.value == close(described["value"])
    assert divergence.zero_terms == described["zero_terms"]
    if "smoothed_alpha_1" in described:
        assert divergence.smoothed == close(described["smoothed_alpha_1"])


@pytest.mark.parametrize("described", [case(UTILITY, load(UTILITY)["prefixspan"], part="prefixspan")])
def test_frequent_patterns(described: Any) -> None:
    found = frequent_patterns(Trajectories.from_lists(described["sequences"]), described["minsup"])
    assert [[list(pattern), count] for pattern, count in found.to_dict().items()] == described["patterns"]


@pytest.mark.parametrize(
    "described", [case(UTILITY, load(UTILITY)["pattern_preservation"], part="pattern_preservation")]
)
def test_pattern_preservation(described: Any) -> None:
    original = [tuple(pattern) for pattern in described["original"]]
    projected = [tuple(pattern) for pattern in described["projected"]]
    assert compare_patterns(original, projected) == (close(described["preserved"]), close(described["false"]))
    assert compare_patterns([], projected)[0] == described["empty_original"]["preserved"]
    assert compare_patterns(original, [])[1] == described["empty_projected"]["false"]
