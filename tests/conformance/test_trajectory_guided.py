"""Golden vectors of the trajectory family: SD-SEQANON, U-SEQANON, taxonomies and utility constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from crypsis.data.constraints import UtilityConstraints
from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import CrypsisError, UtilityConstraintsUnsatisfied
from crypsis.guarantees import KmAnonymity
from crypsis.hierarchy import Taxonomy
from crypsis.methods import Method, SDSeqAnon, USeqAnon
from crypsis.metrics.distance import distance_loss
from crypsis.metrics.semantics import combined_distance_loss, semantic_penalty_loss
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.trajectory_vectors import close, partition_of, read
from tests.conformance.vectors import case, load

FIG1 = "trajectory/sd_seqanon_fig1.json"
FIG5 = "trajectory/u_seqanon_fig5.json"
SUPPRESSION = "trajectory/u_seqanon_suppression.json"
RANDOM_40X12 = "trajectory/seqanon_40x12.json"
ERRORS = "trajectory/errors.json"


def run(method: Method, data: Trajectories) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    published = method.anonymize(data, context)
    assert verify(published, method.guarantee, original=data).holds
    assert verify(published, method.guarantee_of(data, published)).holds
    return published, context.private


def sd(described: Mapping[str, Any], **parameters: Any) -> SDSeqAnon:
    return SDSeqAnon(taxonomy=Taxonomy(described["taxonomy"]), **parameters)


def u(described: Mapping[str, Any], **parameters: Any) -> USeqAnon:
    return USeqAnon(constraints=UtilityConstraints(described["constraints"]), **parameters)


@pytest.mark.parametrize("vector", [case(FIG1, load(FIG1))])
def test_the_papers_taxonomy_guides_the_merges(vector: Any) -> None:
    expected, data = vector["expected"], read(vector["input"])
    method = sd(vector["input"], **vector["params"])
    for symbol, dissimilarity in expected["semantic_dissimilarity"]:
        assert method.taxonomy.dissimilarity(symbol) == close(dissimilarity)
    published, private = run(method, data)
    assert private["merges"].to_lists() == expected["merges"]
    assert published.to_lists() == expected["output"]
    assert combined_distance_loss(data, published, method.taxonomy) == close(expected["combined_distance"])
    assert semantic_penalty_loss(data, published, method.taxonomy) == close(expected["semantic_penalty"])


@pytest.mark.parametrize("vector", [case(FIG5, load(FIG5))])
def test_the_papers_constraints_are_kept(vector: Any) -> None:
    expected, data = vector["expected"], read(vector["input"])
    method = u(vector["input"], **vector["params"])
    published, private = run(method, data)
    assert private["merges"].to_lists() == expected["merges"]
    assert published.to_lists() == expected["output"]
    assert list(published.suppressed) == expected["suppressed"]
    assert distance_loss(data, published) == close(expected["distance"])


@pytest.mark.parametrize("vector", [case(FIG5, load(FIG5), name="the printed output")])
def test_the_papers_own_output_is_valid_but_coarser(vector: Any) -> None:
    expected, data = vector["expected"], read(vector["input"])
    method = u(vector["input"], **vector["params"])
    printed = PublishedTrajectories.from_lists(expected["fig5c"])
    assert verify(printed, KmAnonymity(k=2, m=2), original=data).holds == expected["fig5c_is_km"]
    assert verify(printed, method.guarantee, original=data).holds
    assert distance_loss(data, printed) == close(expected["fig5c_distance"])


@pytest.mark.parametrize(
    ("vector", "expected"),
    [case(SUPPRESSION, load(SUPPRESSION), one, name=f"delta={one['delta']}") for one in load(SUPPRESSION)["expected"]],
)
def test_a_location_without_a_partner_is_suppressed(vector: Any, expected: Any) -> None:
    data = read(vector["input"])
    method = u(vector["input"], **vector["params"], delta=expected["delta"])
    if "error" in expected:
        with pytest.raises(UtilityConstraintsUnsatisfied) as raised:
            run(method, data)
        assert raised.value.code == expected["error"]
        assert raised.value.details["suppressed"] == expected["suppressed"]
        assert raised.value.details["percent"] == close(expected["percent"])
        return
    published, private = run(method, data)
    assert private["merges"].to_lists() == expected["merges"]
    assert published.to_lists() == expected["output"]
    assert list(published.suppressed) == expected["suppressed"]
    assert private["suppressed_percent"] == close(expected["suppressed_percent"])
    assert distance_loss(data, published) == close(expected["distance"])


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        case(RANDOM_40X12, load(RANDOM_40X12)["input"], one, part="sd_seqanon", name=f"k={one['k']} m={one['m']}")
        for one in load(RANDOM_40X12)["sd_seqanon"]
    ],
)
def test_forty_random_trajectories_with_a_taxonomy(described: Any, expected: Any) -> None:
    data = read(described)
    method = sd(described, k=expected["k"], m=expected["m"])
    published, private = run(method, data)
    assert private["merges"].to_lists() == expected["merges"]
    assert partition_of(private) == expected["partition"]
    assert distance_loss(data, published) == close(expected["distance"])
    assert combined_distance_loss(data, published, method.taxonomy) == close(expected["combined_distance"])
    assert semantic_penalty_loss(data, published, method.taxonomy) == close(expected["semantic_penalty"])


@pytest.mark.parametrize(
    ("described", "expected"),
    [
        case(RANDOM_40X12, load(RANDOM_40X12)["input"], one, part="u_seqanon", name=number)
        for number, one in enumerate(load(RANDOM_40X12)["u_seqanon"])
    ],
)
def test_forty_random_trajectories_with_constraints(described: Any, expected: Any) -> None:
    data = read(described)
    method = u(described, **{name: expected[name] for name in ("k", "m", "delta")})
    published, private = run(method, data)
    assert private["merges"].to_lists() == expected["merges"]
    assert partition_of(private) == expected["partition"]
    assert list(published.suppressed) == expected["suppressed"]
    assert distance_loss(data, published) == close(expected["distance"])


@pytest.mark.parametrize(
    "described",
    [
        case(ERRORS, one, part=one["algorithm"], name=one["name"])
        for one in load(ERRORS)["cases"]
        if one["algorithm"] in ("SD-SEQANON", "U-SEQANON")
    ],
)
def test_bad_input_of_guided_methods_raises_its_code(described: Any) -> None:
    make = sd if described["algorithm"] == "SD-SEQANON" else u
    with pytest.raises(CrypsisError) as raised:
        make(described["input"], **described["params"]).anonymize(read(described["input"]), RunContext())
    assert raised.value.code == described["error"]
    assert raised.value.exit_code == 2
    assert len(str(raised.value)) > 20
