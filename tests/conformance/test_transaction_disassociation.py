"""Golden vectors of disassociation: what the method makes of the inputs, clusters included."""

from __future__ import annotations

from typing import Any

import pytest

from crypsis.data.transaction import Transactions
from crypsis.errors import BadParameter, Infeasible
from crypsis.methods import Disassociation
from crypsis.run_context import RunContext
from tests.conformance.vectors import case, load

COUNTEREXAMPLES = "transaction/disassoc_counterexamples.json"
FIGURES_2_3 = "transaction/disassoc_fig2_fig3.json"
FIGURE_4 = "transaction/disassoc_fig4.json"
EDGES = "transaction/disassoc_horpart_edges.json"
RANDOM = "transaction/disassoc_random.json"
SENSITIVE = "transaction/disassoc_sensitive_random.json"
SAFE = "transaction/disassoc_safe_random.json"

ERRORS = {"infeasible": Infeasible, "bad_parameter": BadParameter}


def cases(file: str) -> list[Any]:
    return [
        case(file, described, name=described.get("name", number))
        for number, described in enumerate(load(file)["cases"])
    ]


def published(described: dict[str, Any], clusters: Any = None, **parameters: Any) -> tuple[Any, list[list[int]]]:
    """The published object and the clusters, sorted."""
    options = described.get("options", {})
    # A case may name a sensitive term that its records happen to lack.
    occurring = {item for record in described["input"] for item in record}
    sensitive = [item for item in options.get("sensitive", ()) if item in occurring]
    data = Transactions.from_lists(described["input"], sensitive=sensitive)
    method = Disassociation(
        k=described["k"],
        m=described["m"],
        max_cluster_size=described.get("max_cluster_size"),
        l=options.get("l"),
        **parameters,
    )
    made = method.anonymize(data, RunContext(), clusters)
    assert made.leaf_of_record is not None
    members: dict[int, list[int]] = {}
    for record, leaf in enumerate(made.leaf_of_record.tolist()):
        members.setdefault(leaf, []).append(record)
    return made.to_canonical(), sorted(members.values())


@pytest.mark.parametrize("described", [case(FIGURES_2_3, load(FIGURES_2_3))])
def test_figures_2_and_3(described: dict[str, Any]) -> None:
    clusters = described["clusters"]
    assert published(described, clusters)[0] == described["published"]
    unrefined = published(described, clusters, refine="none")[0]
    assert unrefined == described["published_without_refine"]
    domains = [
        sorted(sorted({item for entry in chunk for item in entry["items"]}) for chunk in leaf["record_chunks"])
        for leaf in unrefined["nodes"]
    ]
    assert sorted(domains) == sorted(sorted(leaf) for leaf in described["chunk_domains"])
    assert sorted(leaf["term_chunk"] for leaf in unrefined["nodes"]) == sorted(described["term_chunks"])


@pytest.mark.parametrize("described", [case(FIGURE_4, load(FIGURE_4))])
def test_the_cluster_of_figure_4_is_repaired(described: dict[str, Any]) -> None:
    whole = {**described, "k": described["repaired"]["k"], "m": described["repaired"]["m"]}
    clusters = [list(range(len(described["input"])))]
    assert published(whole, clusters)[0] == described["repaired"] != described["published"]


@pytest.mark.parametrize("described", cases(COUNTEREXAMPLES))
def test_the_method_avoids_what_the_printed_one_gets_wrong(described: dict[str, Any]) -> None:
    assert published(described, described.get("clusters"))[0] == described["published"]
    clusters = described.get("clusters") or described["clusters_printed_horpart"]
    assert published(described, clusters, refine="property1")[0] == described["published_printed"]


@pytest.mark.parametrize("described", cases(EDGES))
def test_edges_of_the_horizontal_partition(described: dict[str, Any]) -> None:
    if "error" in described:
        with pytest.raises(ERRORS[described["error"]]):
            published(described)
    else:
        assert published(described) == (described["published"], described["clusters"])


@pytest.mark.parametrize("described", cases(RANDOM))
def test_whole_pipelines(described: dict[str, Any]) -> None:
    assert published(described) == (described["published"], described["clusters"])


@pytest.mark.parametrize("described", cases(SENSITIVE))
def test_sensitive_terms_are_only_named_and_spread(described: dict[str, Any]) -> None:
    assert published(described) == (described["published"], described["clusters"])


@pytest.mark.parametrize("described", cases(SAFE))
def test_safe_placement_hides_what_only_one_cause_explains(described: dict[str, Any]) -> None:
    assert described["refine"] is False
    assert published(described, refine="none")[0] == described["published_default"]
    assert published(described, refine="none", safe=True)[0] == described["published_safe"]
