"""Golden vectors of the prefix-tree methods, of the verifiers of their promises, and of SIM1 and SIM2."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from crypsis.data.trajectory import PublishedTrajectories, Trajectories
from crypsis.errors import CrypsisError
from crypsis.guarantees import Guarantee, PatternPreservingKAnonymity, SequenceKAnonymity
from crypsis.kernels.prefix_tree import summed_up
from crypsis.methods import BFP2kA, KAMCut, KAMRec, Method
from crypsis.methods.trajectory.bf_p2ka import replacing_nodes
from crypsis.methods.trajectory.prefix_tree import PrefixTree
from crypsis.metrics.similarity import pattern_similarity
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.vectors import case, load
from tests.reference.prefix_tree import contains

BF_FIG1 = "trajectory/bf_p2ka_fig1.json"
KAM_FIG4 = "trajectory/kam_fig4.json"
CASES = "trajectory/kam_p2ka_cases.json"
VERIFY = "trajectory/verify_sequences.json"
UTILITY = "trajectory/metrics_utility.json"
PRIVACY = "trajectory/privacy_analysis.json"
ERRORS = "trajectory/errors.json"
HARMFUL = "k-harmful rule quantified over whole trajectories only is too weak"


def read(sequences: list[str]) -> Trajectories:
    return Trajectories.from_lists([list(sequence) for sequence in sequences])


def release_of(sequences: list[str]) -> PublishedTrajectories:
    return PublishedTrajectories.from_lists([list(sequence) for sequence in sequences])


def aligned(data: Trajectories, method: Method) -> list[str]:
    """The published sequence of each input row, "" where it was lost."""
    context = RunContext()
    published = method.anonymize(data, context)
    rows = [""] * len(data)
    for row, sequence in zip(context.private["published_input_rows"].tolist(), published.to_lists(), strict=True):
        rows[row] = "".join(map(str, sequence))
    assert context.private["accounting"]["published"] == len(published)
    assert [entry["row"] for entry in context.private["lost"]] == [row for row, text in enumerate(rows) if not text]
    return rows


def bag(rows: list[str]) -> list[list[Any]]:
    return [[text, count] for text, count in sorted(Counter(rows).items()) if text]


def table(tree: PrefixTree, nodes: Any, counts: Any) -> list[list[Any]]:
    return [["".join(path), count] for path, count in tree.labelled(nodes, counts)]


def tree_of(data: Trajectories, k: int) -> PrefixTree:
    return PrefixTree.of(data, data.groups("trajectory"), k)


@pytest.mark.parametrize("vector", [case(BF_FIG1, load(BF_FIG1)), case(KAM_FIG4, load(KAM_FIG4))])
def test_the_tree_of_the_papers_example_is_reproduced(vector: Any) -> None:
    expected, tree = vector["expected"], tree_of(read(vector["input"]["sequences"]), vector["params"]["k"])
    assert table(tree, np.arange(1, len(tree.support)), tree.support) == expected["tree"]
    assert table(tree, tree.cut_nodes, tree.rows_ending) == expected["cut"]
    assert table(tree, np.flatnonzero(tree.kept)[1:], tree.pruned_support) == expected["pruned_tree"]


@pytest.mark.parametrize("vector", [case(BF_FIG1, load(BF_FIG1))])
def test_the_papers_example_of_bf_p2ka_is_reproduced(vector: Any) -> None:
    expected, data, k = vector["expected"], read(vector["input"]["sequences"]), vector["params"]["k"]
    tree = tree_of(data, k)
    added = np.where(tree.kept, tree.rows_ending, 0)
    np.add.at(added, replacing_nodes(tree, RunContext()), tree.rows_ending[tree.cut_nodes])
    final = summed_up(tree.nodes.parent, added)
    assert table(tree, np.flatnonzero(tree.kept)[1:], final) == expected["final_tree"]
    rows = aligned(data, BFP2kA(k=k))
    assert bag(rows) == expected["output"]
    assert [text for text, row in zip(vector["input"]["sequences"], rows, strict=True) if not row] == expected["lost"]
    found = pattern_similarity(data, release_of(rows), expected["sim"]["sigma"])
    assert found.sim1 == pytest.approx(expected["sim"]["SIM1"], rel=1e-9)
    assert found.sim2 == pytest.approx(expected["sim"]["SIM2"], rel=1e-9)
    assert found.patterns_original == expected["sim"]["patterns_original"]
    assert found.patterns_published == expected["sim"]["patterns_published"]


@pytest.mark.parametrize("vector", [case(KAM_FIG4, load(KAM_FIG4))])
def test_the_papers_example_of_kam_is_reproduced(vector: Any) -> None:
    expected, data, (k, p) = vector["expected"], read(vector["input"]["sequences"]), vector["params"].values()
    cut, recovered = aligned(data, KAMCut(k=k)), aligned(data, KAMRec(k=k, p=p))
    assert cut == expected["kam_cut"]
    assert recovered == expected["kam_rec"]
    assert bag(cut) == expected["kam_cut_bag"]
    assert bag(recovered) == expected["kam_rec_bag"]


@pytest.mark.parametrize("expected", [case(CASES, one, name=one["name"]) for one in load(CASES)["cases"]])
def test_edge_cases_of_the_prefix_tree(expected: Any) -> None:
    data, k, p = read(expected["sequences"]), expected["k"], expected["p"]
    rows = {"kam_cut": aligned(data, KAMCut(k=k)), "kam_rec": aligned(data, KAMRec(k=k, p=p))}
    assert rows["kam_cut"] == expected["kam_cut"]
    assert rows["kam_rec"] == expected["kam_rec"]
    assert aligned(data, KAMRec(k=k, p=p, strict=True)) == expected["kam_rec_strict"]
    rows["bf_p2ka"] = aligned(data, BFP2kA(k=k))
    assert bag(rows["bf_p2ka"]) == expected["bf_p2ka"]
    lost = [text for text, row in zip(expected["sequences"], rows["bf_p2ka"], strict=True) if not row]
    assert bag(lost) == expected["bf_lost"]
    for name, holds in expected["published_support_ok"].items():
        published = release_of([row for row in rows[name] if row])
        assert verify(published, SequenceKAnonymity(k=k, strict=True)).holds == holds, name


def assert_verdict(published: Any, promised: Guarantee, original: Any, expected: Any) -> None:
    verdict = verify(published, promised, original)
    assert verdict.holds == (expected is None)
    if expected is not None:
        assert verdict.witness is not None
        assert [name for (name,) in verdict.witness.symbols] == expected["witness"]
        supports = {name: value for name, value in expected.items() if name != "witness"}
        assert {name: verdict.figures[name] for name in supports} == supports
        assert verdict.witness.support == min(supports.values())


@pytest.mark.parametrize("expected", [case(VERIFY, one, name=one["name"]) for one in load(VERIFY)["cases"]])
def test_verdicts_on_sequences(expected: Any) -> None:
    published, original, k = release_of(expected["published"]), read(expected["generalized"]), expected["k"]
    assert_verdict(published, SequenceKAnonymity(k=k), original, expected["def9"])
    assert_verdict(published, PatternPreservingKAnonymity(k=k), original, expected["p2ka"])
    assert_verdict(published, SequenceKAnonymity(k=k, strict=True), None, expected["published_only"])


@pytest.mark.parametrize(
    "item", [case(PRIVACY, item, part=HARMFUL) for item in load(PRIVACY)["items"] if item["name"] == HARMFUL]
)
def test_asking_for_whole_trajectories_only_is_too_weak(item: Any) -> None:
    whole = [
        sum(contains(row, sequence) for row in item["generalized"]) >= item["k"]
        or sum(contains(row, sequence) for row in item["published"]) in (0, *range(item["k"], len(item["published"])))
        for sequence in item["generalized"]
    ]
    assert all(whole) == item["whole_trajectory_rule_ok"]
    promised = SequenceKAnonymity(k=item["k"])
    assert_verdict(release_of(item["published"]), promised, read(item["generalized"]), item["verify_def9"])


@pytest.mark.parametrize(
    "expected",
    [case(UTILITY, one, part="sim", name=number) for number, one in enumerate(load(UTILITY)["sim"])],
)
def test_pattern_similarity(expected: Any) -> None:
    found = pattern_similarity(read(expected["original"]), release_of(expected["published"]), expected["sigma"])
    assert found.sim1 == pytest.approx(expected["SIM1"], rel=1e-9)
    assert found.sim2 == pytest.approx(expected["SIM2"], rel=1e-9)


@pytest.mark.parametrize(
    "expected",
    [
        case(ERRORS, one, part="KAM_REC", name=one["name"])
        for one in load(ERRORS)["cases"]
        if one["algorithm"] == "KAM_REC"
    ],
)
def test_bad_input_of_the_prefix_tree_methods(expected: Any) -> None:
    with pytest.raises(CrypsisError) as raised:
        KAMRec(**expected["params"]).anonymize(read(expected["input"]["sequences"]), RunContext())
    assert raised.value.code == expected["error"]
