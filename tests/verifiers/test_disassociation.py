"""The verifier of disassociated releases finds what is broken, and what it accepts is safe by the exact test."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.transaction import Transactions
from crypsis.errors import BadPublication, NotApplicable, TooLarge
from crypsis.guarantees import DisassociationAnonymity, KmAnonymity
from crypsis.verifiers import chunk_supports, verify
from crypsis.verifiers.chunk_placement import placement_of
from crypsis.verifiers.chunk_supports import rarest_sets
from tests.reference.possible_originals import extreme_support, most_by_trying, violations
from tests.releases_of_sets import JOINT, LEAF, OTHER, disassociated, forest, published, random_records


def codes(obj: dict[str, Any] | DisassociatedTransactions, original: Any = None, **promise: Any) -> list[str]:
    data = obj if isinstance(obj, DisassociatedTransactions) else DisassociatedTransactions.from_canonical(obj)
    promised = DisassociationAnonymity(**{"k": data.k, "m": data.m, **promise})
    verdict = verify(data, promised, original)
    found = [problem["code"] for problem in verdict.figures["problems"]]
    assert verdict.holds is (not found)
    assert bool(verdict.problem) is bool(found)
    return found


def changed(change: Any, *nodes: dict[str, Any]) -> dict[str, Any]:
    obj = forest(*(nodes or (JOINT,)))
    change(obj["nodes"][0])
    return obj


def test_a_sound_release_is_accepted() -> None:
    assert codes(forest(LEAF)) == []
    assert codes(forest(JOINT)) == []
    verdict = verify(published(JOINT), DisassociationAnonymity(k=3, m=2))
    assert verdict.achieved == 3
    assert verdict.figures["clusters"] == 2
    assert verdict.figures["shared_chunks"] == 1
    sizes = [node["size"] for node in (LEAF, OTHER)]
    assert verify(published(LEAF, OTHER), DisassociationAnonymity(k=3, m=2)).figures["smallest_cluster"] == min(sizes)


def test_a_cluster_with_fewer_than_k_records_is_found() -> None:
    small = {"type": "leaf", "size": 2, "record_chunks": [], "term_chunk": ["u", "v"]}
    assert codes(forest(LEAF, small)) == ["small_cluster"]


def test_a_rare_pair_inside_a_chunk_is_found_and_named() -> None:
    obj = changed(lambda leaf: leaf["record_chunks"][0][0].update(count=2), LEAF)
    verdict = verify(DisassociatedTransactions.from_canonical(obj), DisassociationAnonymity(k=3, m=2))
    assert verdict.figures["problems"][0]["code"] == "chunk_km"
    assert verdict.figures["problems"][0]["where"] == "nodes[0].record_chunks[0]"
    assert verdict.witness is not None
    assert verdict.witness.support == 2
    assert verdict.witness.symbols in [(("a",),), (("a",), ("b",))]
    assert verdict.witness.violations == 2


def test_with_m_of_one_pairs_may_be_rare_and_with_m_of_three_triples_may_not() -> None:
    chunk = [
        {"items": ["a", "b"], "count": 3},
        {"items": ["a", "c"], "count": 3},
        {"items": ["b", "c"], "count": 3},
        {"items": ["a", "b", "c"], "count": 1},
    ]
    leaf = {"type": "leaf", "size": 10, "record_chunks": [chunk], "term_chunk": []}
    assert codes(forest(leaf, m=1)) == []
    assert codes(forest(leaf, m=2)) == []
    assert codes(forest(leaf, m=3)) == ["chunk_km"]


def test_more_subrecords_than_records_are_found() -> None:
    assert codes(changed(lambda leaf: leaf["record_chunks"][1][0].update(count=6), LEAF)) == ["capacity"]


@pytest.mark.parametrize("where", ["other chunk", "term chunk"])
def test_a_term_that_is_placed_twice_in_a_leaf_is_found(where: str) -> None:
    def place(leaf: dict[str, Any]) -> None:
        if where == "term chunk":
            leaf["term_chunk"].append("a")
        else:
            leaf["record_chunks"][1].append({"items": ["a"], "count": 3})
            leaf["record_chunks"][1][0]["count"] = 2

    found = codes(changed(place, LEAF))
    assert "duplicate_term" in found


def test_a_shared_term_that_a_term_chunk_below_still_holds_is_found() -> None:
    assert "duplicate_term" in codes(changed(lambda joint: joint["children"][1]["term_chunk"].append("x")))


def test_a_term_in_two_shared_chunks_of_one_node_is_found() -> None:
    found = codes(changed(lambda joint: joint["shared_chunks"].append([{"items": ["y"], "count": 3}])))
    assert found == ["duplicate_term"]


def test_a_leaf_without_term_chunk_that_its_subrecords_cannot_fill_is_found() -> None:
    empty = {"type": "leaf", "size": 3, "record_chunks": [], "term_chunk": []}
    assert codes(forest(LEAF, empty)) == ["lemma2"]
    assert codes(changed(lambda leaf: leaf.update(term_chunk=[]), LEAF)) == []  # 9 subrecords for 5 + 3
    short = changed(lambda leaf: (leaf.update(term_chunk=[]), leaf["record_chunks"][1][0].update(count=2)), LEAF)
    short["nodes"][0]["record_chunks"][1][0]["count"] = 3
    short["nodes"][0]["size"] = 6
    assert codes(short) == ["lemma2"]


def test_a_joint_node_whose_size_is_not_the_sum_is_found() -> None:
    assert codes(changed(lambda joint: joint.update(size=10))) == ["joint_size"]


def conflicting() -> dict[str, Any]:
    """x is in a record chunk of the first leaf, y of none: a chunk that shares both excludes different leaves."""
    obj = forest(JOINT)
    obj["nodes"][0]["children"][0]["record_chunks"][1] = [{"items": ["x"], "count": 4}]
    return obj


def test_shared_terms_that_exclude_different_leaves_are_found_when_strict() -> None:
    assert codes(conflicting()) == ["mixed_conflicts"]
    assert codes(conflicting(), level="paper") == ["property1"]
    whole = conflicting()
    whole["nodes"][0]["shared_chunks"] = [[{"items": ["x", "y"], "count": 3}]]
    assert codes(whole, level="paper") == []
    assert codes(whole) == ["mixed_conflicts"]


def test_a_shared_chunk_needs_room_in_the_leaves_that_may_hold_it() -> None:
    obj = conflicting()
    obj["nodes"][0]["shared_chunks"] = [[{"items": ["x"], "count": 4}]]
    assert codes(obj) == []
    obj["nodes"][0]["shared_chunks"] = [[{"items": ["x"], "count": 5}]]
    assert codes(obj) == ["capacity"]
    assert codes(obj, level="paper") == []


def test_a_shared_chunk_further_down_excludes_all_leaves_below_it() -> None:
    lower = {**JOINT, "shared_chunks": [[{"items": ["x"], "count": 4}]]}
    third = {**OTHER, "record_chunks": [[{"items": ["q"], "count": 4}]]}
    top = {"type": "joint", "size": 13, "children": [lower, third], "shared_chunks": [[{"items": ["x"], "count": 4}]]}
    assert codes(forest(top)) == []
    assert codes(changed(lambda node: node["shared_chunks"][0][0].update(count=5), top)) == ["capacity"]
    both = changed(lambda node: node.update(shared_chunks=[[{"items": ["x", "r"], "count": 3}]]), top)
    assert codes(both) == ["mixed_conflicts"]


def test_data_made_by_hand_that_list_a_subrecord_twice_are_found() -> None:
    data = published(LEAF)
    twice = replace(data, items=np.array([0, 1, 0, 1, 2], np.int32), entry_offsets=np.array([0, 2, 4, 5]))
    assert codes(twice) == ["format_error"]


ORIGINAL = [["a", "b", "c"], ["a", "b", "c"], ["a", "b", "d", "c"], ["b", "c"], ["b"]]


def test_a_release_of_the_original_is_accepted_with_it() -> None:
    assert codes(forest(LEAF), Transactions.from_lists(ORIGINAL)) == []
    verdict = verify(published(LEAF), DisassociationAnonymity(k=3, m=2), Transactions.from_lists(ORIGINAL))
    assert "original" in verdict.counted


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        (ORIGINAL[:4], "mismatch"),
        ([*ORIGINAL, []], "mismatch"),
        ([*ORIGINAL[:4], ["b", "new"]], "term_lost"),
        ([["a", "b", "c"], ["a", "b", "c"], ["a", "b", "c"], ["b", "c"], ["b"]], "term_invented"),
        ([*ORIGINAL[:4], ["b", "c"]], "support"),
        ([*ORIGINAL[:4], ["c"]], "support"),
    ],
)
def test_an_original_that_is_another_one_is_found(records: list[list[str]], expected: str) -> None:
    assert expected in codes(forest(LEAF), Transactions.from_lists(records))


def test_a_hidden_term_may_occur_more_often_than_published_but_not_less() -> None:
    hidden = {"type": "leaf", "size": 3, "record_chunks": [[{"items": ["a"], "count": 3}]], "term_chunk": ["d"]}
    again = {"type": "leaf", "size": 3, "record_chunks": [[{"items": ["b"], "count": 3}]], "term_chunk": ["d"]}
    often = [["a", "d"], ["a", "d"], ["a"], ["b", "d"], ["b"], ["b"]]
    seldom = [["a", "d"], ["a"], ["a"], ["b"], ["b"], ["b"]]
    assert codes(forest(hidden, again), Transactions.from_lists(often)) == []
    assert codes(forest(hidden, again), Transactions.from_lists(seldom)) == ["support"]


def test_with_the_leaf_of_each_record_every_chunk_is_compared_with_the_records() -> None:
    data, release = disassociated(random_records(5), k=2, m=2, max_cluster_size=6)
    assert release.leaf_of_record is not None
    assert codes(release, data) == []
    leaves = release.leaf_of_record.copy()
    one, other = 0, next(record for record in range(len(leaves)) if leaves[record] != leaves[0])
    leaves[one], leaves[other] = leaves[other], leaves[one]
    swapped = codes(replace(release, leaf_of_record=leaves), data)
    assert set(swapped) == {"projection"}


def test_records_counted_into_the_wrong_clusters_are_found() -> None:
    data, release = disassociated(random_records(5), k=2, m=2, max_cluster_size=6)
    assert release.leaf_of_record is not None
    leaves = release.leaf_of_record.copy()
    leaves[0] = next(leaf for leaf in leaves if leaf != leaves[0])
    assert codes(replace(release, leaf_of_record=leaves), data) == ["projection"]


def is_projection(release: DisassociatedTransactions, records: list[list[str]]) -> bool:
    """By the definition: every term of a record is in a record chunk of its leaf, else in the lowest shared chunk that
    holds it, else in the leaf's term chunk; and every chunk is the bag of what records put there."""
    labels = release.vocabulary.labels
    bags: list[Counter[tuple[str, ...]]] = []
    for chunk in range(release.n_chunks):
        bag: Counter[tuple[str, ...]] = Counter()
        for entry in range(release.chunk_offsets[chunk], release.chunk_offsets[chunk + 1]):
            items = release.items[release.entry_offsets[entry] : release.entry_offsets[entry + 1]]
            bag[tuple(sorted(labels[item] for item in items))] += int(release.counts[entry])
        bags.append(bag)
    given: list[Counter[tuple[str, ...]]] = [Counter() for _ in bags]
    hidden: set[tuple[int, str]] = set()
    assert release.leaf_of_record is not None
    for record, leaf in zip(records, release.leaf_of_record.tolist(), strict=True):
        parts: dict[int, list[str]] = {}
        for term in record:
            node = leaf
            while node >= 0:
                chunks = np.flatnonzero(release.chunk_node == node).tolist()
                home = [chunk for chunk in chunks if any(term in items for items in bags[chunk])]
                if home:
                    parts.setdefault(home[0], []).append(term)
                    break
                if node == leaf:
                    terms = release.terms[release.term_offsets[leaf] : release.term_offsets[leaf + 1]]
                    if term in {labels[code] for code in terms}:
                        hidden.add((leaf, term))
                        break
                node = int(release.parent[node])
            else:
                return False
        for chunk, items in parts.items():
            given[chunk][tuple(sorted(items))] += 1
    owner = np.repeat(np.arange(release.n_nodes), np.diff(release.term_offsets)).tolist()
    listed = {(leaf, labels[code]) for leaf, code in zip(owner, release.terms.tolist(), strict=True)}
    return given == bags and hidden == listed


@pytest.mark.parametrize("seed", range(12))
def test_records_that_exchange_a_term_are_found_exactly_if_a_chunk_is_no_longer_their_projection(seed: int) -> None:
    """All supports stay the same, so only the records themselves tell."""
    records = [record for record in random_records(seed) if record]
    _, release = disassociated(records, k=2, m=2, max_cluster_size=6)
    assert is_projection(release, records)
    pairs = [
        (one, other, a, b)
        for one, other in combinations(range(len(records)), 2)
        for a in set(records[one]) - set(records[other])
        for b in set(records[other]) - set(records[one])
    ]
    noticed = 0
    for one, other, a, b in sorted(pairs)[:: max(1, len(pairs) // 25)]:
        tampered = copy.deepcopy(records)
        tampered[one] = sorted({*records[one], b} - {a})
        tampered[other] = sorted({*records[other], a} - {b})
        found = codes(release, Transactions.from_lists(tampered))
        assert set(found) <= {"projection"}
        assert bool(found) is not is_projection(release, tampered)
        noticed += bool(found)
    assert noticed > 5


SENSITIVE = [["a", "s"], ["a"], ["a"], ["a", "b"]]


def test_sensitive_terms_may_stand_in_term_chunks_only() -> None:
    leaf = {"type": "leaf", "size": 4, "record_chunks": [[{"items": ["a"], "count": 4}]], "term_chunk": ["b", "s"]}
    original = Transactions.from_lists(SENSITIVE, sensitive=["a"])
    assert codes(forest(leaf), Transactions.from_lists(SENSITIVE, sensitive=["s"])) == []
    assert codes(forest(leaf), original) == ["sensitive_placed"]
    assert codes(replace(published(leaf), sensitive=("a",))) == ["sensitive_placed"]


def test_a_sensitive_term_in_too_many_records_of_a_cluster_is_found() -> None:
    leaf = {"type": "leaf", "size": 4, "record_chunks": [[{"items": ["a"], "count": 4}]], "term_chunk": ["b", "s"]}
    release = replace(published(leaf), sensitive=("s",), leaf_of_record=np.zeros(4, np.int64))
    one = Transactions.from_lists(SENSITIVE, sensitive=["s"])
    three = Transactions.from_lists([["a", "s"], ["a", "s"], ["a", "s"], ["a", "b"]], sensitive=["s"])
    assert codes(release, one, l=2) == []
    assert codes(release, one, l=4) == []
    assert codes(release, one, l=5) == ["diversity"]
    assert codes(release, three, l=2) == ["diversity"]


def test_a_stronger_promise_than_the_release_keeps_is_broken() -> None:
    assert codes(forest(LEAF), k=2) == []
    assert codes(forest(LEAF), k=4) != []


def test_other_promises_and_other_originals_are_not_for_this_verifier() -> None:
    with pytest.raises(NotApplicable):
        verify(published(LEAF), KmAnonymity(k=2, m=2))
    with pytest.raises(NotApplicable):
        verify(published(LEAF), DisassociationAnonymity(k=3, m=2), object())


def test_a_check_that_would_take_hours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunk_supports, "MOST_SETS", 3)
    with pytest.raises(TooLarge):
        verify(published(LEAF), DisassociationAnonymity(k=3, m=2))


@st.composite
def chunks(draw: st.DrawFn) -> tuple[dict[str, Any], int, int]:
    """One leaf with one chunk of any subrecords, and what to check."""
    subrecords = draw(st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=12))
    entries = [{"items": sorted(items), "count": n} for items, n in Counter(subrecords).items()]
    leaf = {"type": "leaf", "size": len(subrecords), "record_chunks": [entries], "term_chunk": ["z"]}
    return leaf, draw(st.integers(1, 4)), draw(st.integers(1, 4))


@given(chunks())
def test_the_rarest_set_of_a_chunk_is_that_of_a_plain_count(case: tuple[dict[str, Any], int, int]) -> None:
    leaf, k, m = case
    support: Counter[tuple[str, ...]] = Counter()
    for entry in leaf["record_chunks"][0]:
        for size in range(1, m + 1):
            for found in combinations(entry["items"], size):
                support[found] += entry["count"]
    data = published(leaf, k=k, m=m)
    counted = rarest_sets(data, k, m)
    assert counted.lowest.tolist() == [min(support.values())]
    assert counted.rare.tolist() == [sum(value < k for value in support.values())]
    named = tuple(sorted(data.vocabulary[int(term)] for term in counted.sets[0] if term >= 0))
    assert support[named] == counted.lowest[0]


@pytest.mark.parametrize("seed", range(15))
def test_the_leaves_that_shared_terms_exclude_are_those_of_the_definition(seed: int) -> None:
    settings_of = {"refine": "property1"} if seed % 2 else {}
    _, data = disassociated(random_records(seed, 40, "abcdefgh"), k=2, m=2, max_cluster_size=4, **settings_of)
    found = placement_of(data)
    children = {node: np.flatnonzero(data.parent == node).tolist() for node in range(data.n_nodes)}

    def domain(chunk: int) -> set[int]:
        first, end = data.chunk_offsets[chunk], data.chunk_offsets[chunk + 1]
        return set(data.items[data.entry_offsets[first] : data.entry_offsets[end]].tolist())

    def leaves(node: int) -> set[int]:
        return {node} if data.is_leaf[node] else set().union(*(leaves(child) for child in children[node]))

    def below(node: int) -> list[int]:
        return [lower for child in children[node] for lower in (child, *below(child))]

    for chunk in np.flatnonzero(data.is_shared).tolist():
        node = int(data.chunk_node[chunk])
        excluded = {
            term: set().union(
                *(
                    leaves(lower)
                    for lower in below(node)
                    for other in np.flatnonzero(data.chunk_node == lower)
                    if term in domain(int(other))
                )
            )
            for term in domain(chunk)
        }
        sets = list(excluded.values())
        assert bool(found.differs[chunk] >= 0) is any(one != sets[0] for one in sets)
        assert bool(found.conflicted[chunk]) is any(sets)
        free = leaves(node) - set().union(*sets)
        assert found.room[chunk] == data.size[sorted(free)].sum()


def tampered(obj: dict[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """One number or one term changed."""
    obj = copy.deepcopy(obj)
    node = obj["nodes"][int(random.integers(len(obj["nodes"])))]
    path = [node]
    while node["type"] == "joint":
        node = node["children"][int(random.integers(len(node["children"])))]
        path.append(node)
    leaf = path[-1]
    kind = int(random.integers(5))
    if kind == 0 and leaf["term_chunk"]:
        leaf["term_chunk"].pop()
    elif kind == 1:
        by = 1 if random.random() < 0.5 or leaf["size"] == 1 else -1
        for one in path:
            one["size"] += by
    elif kind == 2 and len(path) > 1:
        chunk = path[-2]["shared_chunks"][0]
        chunk[0]["count"] += 1
    elif leaf["record_chunks"]:
        chunk = leaf["record_chunks"][int(random.integers(len(leaf["record_chunks"])))]
        entry = chunk[int(random.integers(len(chunk)))]
        entry["count"] = max(1, entry["count"] + int(random.integers(-2, 3)))
    return obj


@pytest.mark.parametrize("seed", range(24))
def test_whatever_the_verifier_accepts_is_safe_by_the_exact_test(seed: int) -> None:
    random = np.random.Generator(np.random.PCG64(seed))
    k, m = int(random.integers(2, 4)), int(random.integers(1, 4))
    refine = ["uniform", "property1"][seed % 2]
    records = random_records(seed, 13, "abcde")
    _, release = disassociated(records, k=k, m=m, max_cluster_size=2 * k, refine=refine)
    obj = release.to_canonical()
    for candidate in (obj, *(tampered(obj, random) for _ in range(4))):
        if not codes(candidate):
            assert violations(candidate) == []


@pytest.mark.long
@settings(max_examples=40)
@given(chunks())
def test_the_exact_test_agrees_with_trying_everything(case: tuple[dict[str, Any], int, int]) -> None:
    leaf, k, _ = case
    leaf = {**leaf, "size": min(leaf["size"], 5)}
    first, *rest = leaf["record_chunks"][0]
    second = [{"items": [term.upper() for term in entry["items"]], "count": 1} for entry in rest[:2]]
    leaf["record_chunks"] = [[{**first, "count": min(first["count"], leaf["size"])}], *([second] if second else [])]
    if sum(entry["count"] for entry in second) > leaf["size"]:
        return
    obj = forest(leaf, k=k)
    terms = sorted({term for chunk in leaf["record_chunks"] for entry in chunk for term in entry["items"]} | {"z"})
    for wanted in [*((term,) for term in terms), *combinations(terms, 2)][:12]:
        assert extreme_support(obj, wanted) == most_by_trying(leaf, wanted)


def test_a_damaged_object_is_a_format_error_and_no_crash() -> None:
    with pytest.raises(BadPublication):
        DisassociatedTransactions.from_canonical({"k": 3, "m": 2, "nodes": [{"type": "leaf"}]})
