"""Golden vectors of (k,l)^m-anonymity: l^m-ANON, ZGA, SGA, their verifier and bad input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from crypsis.data.trajectory import Locations, PublishedTrajectories, Trajectories
from crypsis.errors import CrypsisError
from crypsis.guarantees import KlmAnonymity
from crypsis.kernels.top_patterns import containing_patterns
from crypsis.methods import SGA, ZGA, LmAnon, Method
from crypsis.methods.trajectory.diverse_merging import Requirement, _Cluster
from crypsis.methods.trajectory.frequent_subtrajectories import frequent_subtrajectories
from crypsis.methods.trajectory.merging import LocationMerging, MergingLevel
from crypsis.methods.trajectory.sensitive_visits import SplitTrajectories
from crypsis.methods.trajectory.z_order import z_order, z_values
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.vectors import case, load
from tests.reference import lm_anon as reference

FIG4 = "trajectory/lm_anon_fig4.json"
REPETITION = "trajectory/lm_anon_needs_repetition.json"
INFEASIBLE = "trajectory/lm_anon_infeasible.json"
ZGA_FIG2 = "trajectory/zga_fig2.json"
SGA_FIG3 = "trajectory/sga_fig3.json"
VERIFY_KL = "trajectory/verify_kl.json"
PRIVACY = "trajectory/privacy_analysis.json"
ERRORS = "trajectory/errors.json"
METHODS: dict[str, type[Method]] = {"l^m-ANON": LmAnon, "ZGA": ZGA}


def read(described: Mapping[str, Any]) -> Trajectories:
    """The trajectories of a vector's input; grid cells serve as coordinates."""
    if "cells" in described:
        locations = Locations.of({label: tuple(cell) for label, cell in described["cells"].items()})
    else:
        locations = Locations.of(described["locations"])
    return Trajectories.from_lists(
        described["trajectories"], locations=locations.marked(described.get("sensitive", []))
    )


def run(method: Method, data: Trajectories) -> tuple[PublishedTrajectories, dict[str, Any]]:
    context = RunContext()
    return method.anonymize(data, context), context.private


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9)


def named(rows: list[int]) -> list[str]:
    return [f"t{row + 1}" for row in rows]


@pytest.mark.parametrize("vector", [case(FIG4, load(FIG4)), case(REPETITION, load(REPETITION))])
def test_lm_anon(vector: Any) -> None:
    data, method = read(vector["input"]), LmAnon(**vector["params"])
    published, private = run(method, data)
    assert published.to_lists() == vector["expected"]["output"]
    assert private["merges"].to_lists() == [vector["expected"]["merges"]]
    assert verify(published, method.guarantee, original=data).holds


@pytest.mark.parametrize("vector", [case(FIG4, load(FIG4), name="first merge")])
def test_what_violates_after_the_first_merge(vector: Any) -> None:
    data, asked = read(vector["input"]), Requirement(**vector["params"])
    split = SplitTrajectories.of(data, "trajectory")
    x, y = data.locations.coordinates("test")
    cluster = _Cluster(split, np.arange(len(data)), x, y, asked)
    held, kinds = cluster._held()
    state = LocationMerging(split.known, x, y, split.groups, held=held, kinds=kinds)
    first = MergingLevel(state, 1, RunContext())
    labels, expected = data.locations.labels, vector["expected"]
    supports = {labels[code]: int(first.records.support[slot]) for slot, code in enumerate(state._places.occurring)}
    assert supports == expected["size_1_support"]
    assert first.merge(first.violating(asked.k, asked.l), asked.k, asked.l, RunContext())
    assert state.merges.to_lists() == expected["merges"][:1]
    second = MergingLevel(state, 2, RunContext())
    representative = state.representatives()
    distinct = np.unique(representative[representative >= 0])
    members = [sorted(labels[code] for code in np.flatnonzero(representative == one)) for one in distinct]
    texts = [names[0] if len(names) == 1 else names for names in members]
    found = [[texts[slot] for slot in divmod(int(key), second.base)] for key in second.violating(asked.k, asked.l)]
    assert found == expected["violating_size_2_after_first_merge"]


@pytest.mark.parametrize("vector", [case(REPETITION, load(REPETITION), name="single pass")])
def test_a_single_pass_is_unsound(vector: Any) -> None:
    single = vector["single_pass"]
    published = PublishedTrajectories.from_lists(single["output"], sensitive=vector["input"]["sensitive"])
    verdict = verify(published, KlmAnonymity(**vector["params"]), original=read(vector["input"]))
    assert witness_of(verdict) == single["violation"]


@pytest.mark.parametrize(
    ("vector", "expected"),
    [case(INFEASIBLE, load(INFEASIBLE), one, name=one["on_infeasible"]) for one in load(INFEASIBLE)["expected"]],
)
def test_diversity_that_merging_cannot_reach(vector: Any, expected: Any) -> None:
    data = read(vector["input"])
    method = LmAnon(**vector["params"], on_infeasible=expected["on_infeasible"])
    if "error" in expected:
        with pytest.raises(CrypsisError) as raised:
            run(method, data)
        assert raised.value.code == expected["error"]
        return
    published, private = run(method, data)
    assert published.to_lists() == expected["output"]
    assert private["removed_sensitive"] == expected["removed_sensitive"]
    assert verify(published, method.guarantee, original=data).holds


@pytest.mark.parametrize("vector", [case(ZGA_FIG2, load(ZGA_FIG2))])
def test_zga(vector: Any) -> None:
    data, expected = read(vector["input"]), vector["expected"]
    cells = np.array([vector["input"]["cells"][label] for label in data.locations.labels])
    split = SplitTrajectories.of(data, "trajectory")
    labels = data.locations.labels
    low, high = z_values(cells[:, 0], cells[:, 1])
    assert not high.any()
    occurring = np.flatnonzero(split.known.occurring)
    assert {labels[code]: int(low[code]) for code in occurring} == expected["z_values"]
    order = z_order(occurring, cells[:, 0], cells[:, 1])
    assert [labels[code] for code in order] == expected["z_order"]
    keys = [sum(1 << j for j, code in enumerate(order) if code in path) for path in split.known.paths()]
    assert {f"t{row + 1}": f"{key:05b}" for row, key in enumerate(keys)} == expected["keys_msb_first"]
    assert {f"t{row + 1}": reference.gray_rank(key) for row, key in enumerate(keys)} == expected["gray_rank"]
    method = ZGA(**vector["params"])
    published, private = run(method, data)
    assert [named(rows) for rows in private["clusters"]] == expected["clusters"]
    assert published.to_lists() == expected["output"]
    verdict = verify(published, method.guarantee, original=data)
    assert verdict.holds
    found = verdict.figures["containment"]
    assert found["exhaustive"]
    assert found["min_candidates"] == expected["containment_matching"]["min_candidates"]
    assert found["max_confidence"] == close(expected["containment_matching"]["max_confidence"])


@pytest.mark.parametrize("vector", [case(SGA_FIG3, load(SGA_FIG3))])
def test_sga(vector: Any) -> None:
    data, expected = read(vector["input"]), vector["expected"]
    parameters = dict(vector["params"])
    patterns = parameters.pop("K")
    split, labels = SplitTrajectories.of(data, "trajectory"), data.locations.labels

    def in_labels(wanted: int) -> list[list[Any]]:
        best = frequent_subtrajectories(split.known, split.groups, wanted, None)
        pairs = zip(best.to_tuples(), best.support.tolist(), strict=True)
        return [[[labels[code] for code in part], support] for part, support in pairs]

    assert in_labels(7) == expected["top_7"]
    assert [part for part, _ in in_labels(patterns)] == expected["selected"]
    best = frequent_subtrajectories(split.known, split.groups, patterns, None)
    holds = containing_patterns(split.known.offsets, split.known.codes, best.offsets, best.codes)
    keys = {f"t{row + 1}": "".join(map(str, bits[::-1].astype(int))) for row, bits in enumerate(holds)}
    assert keys == expected["keys_msb_first"]
    method = SGA(**parameters, patterns=patterns)
    published, private = run(method, data)
    assert [named(rows) for rows in private["clusters"]] == expected["clusters"]
    assert published.to_lists() == expected["output"]
    assert verify(published, method.guarantee, original=data).holds


def witness_of(verdict: Any) -> dict[str, Any] | None:
    if verdict.witness is None:
        return None
    described = verdict.witness.to_dict()
    assert described.pop("violations") >= 1
    return described


@pytest.mark.parametrize("described", [case(VERIFY_KL, one, name=one["name"]) for one in load(VERIFY_KL)["cases"]])
def test_the_verifier_decides_and_names_its_witness(described: Any) -> None:
    published = PublishedTrajectories.from_lists(described["published"], sensitive=described["sensitive"])
    verdict = verify(published, KlmAnonymity(k=described["k"], l=described["l"], m=described["m"]))
    assert verdict.holds == described["ok"]
    assert witness_of(verdict) == described["witness"]


def item(name: str) -> Any:
    (found,) = (one for one in load(PRIVACY)["items"] if one["name"] == name)
    return case(PRIVACY, found, part=name)


@pytest.mark.parametrize("described", [item("overlapping symbols defeat the symbol-wise diversity check")])
def test_overlapping_symbols_are_not_enough(described: Any) -> None:
    promised = KlmAnonymity(k=described["k"], l=described["l"], m=described["m"])
    published = PublishedTrajectories.from_lists(described["published"], sensitive=described["sensitive"])
    alone = verify(published, promised)
    assert not alone.holds
    assert alone.witness is None  # symbol by symbol nothing is wrong
    assert "overlapping-symbols" in str(alone.problem)
    assert "not established" in str(alone.problem)
    locations = Locations.of(dict.fromkeys("abcf", (0, 0))).marked(described["sensitive"])
    original = Trajectories.from_lists([["a", "f"], ["a", "c"], ["c", "f"]], locations=locations)
    matched = verify(published, promised, original=original)
    assert not matched.holds
    assert matched.witness.symbols == tuple((label,) for label in described["knowledge"])
    assert matched.witness.support == len(described["candidates"])
    assert matched.figures["containment"]["max_confidence"] == close(described["confidence_f"])


@pytest.mark.parametrize("described", [item("count reading is not closed under union of clusters")])
def test_the_literal_count_grows_with_clusters_and_the_confidence_does_not(described: Any) -> None:
    promised = KlmAnonymity(k=1, l=described["l"], m=1)
    one = PublishedTrajectories.from_lists(described["cluster_1"], sensitive=["f"])
    both = PublishedTrajectories.from_lists(described["cluster_1"] + described["cluster_2"], sensitive=["f"])
    assert verify(one, promised).figures["max_count"] == described["count_per_cluster"]
    union = verify(both, promised)
    assert union.holds
    assert union.figures["max_count"] == described["count_in_union"]
    assert union.figures["max_confidence"] == close(described["confidence_in_union"])


@pytest.mark.parametrize("described", [item("diversity can hold in the data and fail after full merging")])
def test_merging_can_break_diversity(described: Any) -> None:
    promised = KlmAnonymity(k=described["k"], l=described["l"], m=described["m"])
    before = PublishedTrajectories.from_lists(described["trajectories"], sensitive=described["sensitive"])
    merged = [[label if label == "f" else ["a", "b"] for label in row] for row in described["trajectories"]]
    after = PublishedTrajectories.from_lists(merged, sensitive=described["sensitive"])
    assert verify(before, promised).holds == described["ok_before"]
    assert verify(after, promised).holds == described["ok_after_merging_a_b"]


@pytest.mark.parametrize(
    "described",
    [
        case(ERRORS, one, part=one["algorithm"], name=one["name"])
        for one in load(ERRORS)["cases"]
        if one["algorithm"] in METHODS
    ],
)
def test_bad_input_raises_its_code(described: Any) -> None:
    with pytest.raises(CrypsisError) as raised:
        METHODS[described["algorithm"]](**described["params"]).anonymize(read(described["input"]), RunContext())
    assert raised.value.code == described["error"]
    assert raised.value.exit_code in (2, 3)
    assert len(str(raised.value)) > 20
