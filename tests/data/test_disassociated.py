"""The disassociated form: one canonical order, refusal of what is not of its form, reconstructions and estimates."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from crypsis.arrays import offsets_of
from crypsis.data.disassociated import DisassociatedTransactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadPublication
from tests.reference.possible_originals import extreme_support
from tests.releases_of_sets import JOINT, LEAF, OTHER, disassociated, forest, published, random_records


def canonical_json(obj: dict[str, Any]) -> bytes:
    """What the definition says, sorted level by level."""

    def text(value: Any) -> str:
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    def arranged(node: dict[str, Any]) -> dict[str, Any]:
        node = dict(node)
        for name in ("record_chunks", "shared_chunks"):
            if name in node:
                chunks = [
                    sorted(
                        ({"items": sorted(entry["items"]), "count": entry["count"]} for entry in chunk),
                        key=lambda entry: entry["items"],
                    )
                    for chunk in node[name]
                ]
                node[name] = sorted(chunks, key=text)
        if "children" in node:
            node["children"] = sorted(map(arranged, node["children"]), key=text)
        else:
            node["term_chunk"] = sorted(node["term_chunk"])
        return node

    return text({**obj, "nodes": sorted(map(arranged, obj["nodes"]), key=text)}).encode()


def scrambled(data: DisassociatedTransactions, seed: int) -> DisassociatedTransactions:
    """The same release, with other numbers for nodes, other codes for terms, and everything in another order."""
    random = np.random.Generator(np.random.PCG64(seed))
    nodes = random.permutation(data.n_nodes)
    number = np.argsort(nodes)
    codes = random.permutation(len(data.vocabulary))
    by_node = sorted(random.permutation(data.n_chunks).tolist(), key=lambda chunk: int(number[data.chunk_node[chunk]]))
    entries = [
        entry
        for chunk in by_node
        for entry in random.permutation(np.arange(data.chunk_offsets[chunk], data.chunk_offsets[chunk + 1])).tolist()
    ]
    items = [
        random.permutation(data.items[data.entry_offsets[entry] : data.entry_offsets[entry + 1]].copy())
        for entry in entries
    ]
    terms = [
        random.permutation(data.terms[data.term_offsets[node] : data.term_offsets[node + 1]].copy()) for node in nodes
    ]
    labels = np.empty(len(codes), object)
    labels[codes] = data.vocabulary.labels
    return replace(
        data,
        vocabulary=Vocabulary(labels.tolist()),
        parent=np.where(data.parent[nodes] < 0, -1, number[data.parent[nodes]]),
        size=data.size[nodes],
        chunk_node=number[data.chunk_node[by_node]],
        chunk_offsets=offsets_of(np.diff(data.chunk_offsets)[by_node]),
        counts=data.counts[entries],
        entry_offsets=offsets_of(np.diff(data.entry_offsets)[entries]),
        items=codes[np.concatenate([*items, np.zeros(0, np.int32)]).astype(np.int64)].astype(np.int32),
        term_offsets=offsets_of(np.diff(data.term_offsets)[nodes]),
        terms=codes[np.concatenate([*terms, np.zeros(0, np.int32)]).astype(np.int64)].astype(np.int32),
        leaf_of_record=None,
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_canonical_text_is_what_the_definition_says_whatever_the_order_in_memory(seed: int) -> None:
    _, data = disassociated(random_records(seed), k=2, m=2, max_cluster_size=5)
    text = data.canonical_text
    assert text == canonical_json(data.to_canonical())
    other = scrambled(data, seed)
    assert other.canonical_text == text
    assert other == data
    ordered = other.canonical()
    assert ordered.canonical_text == text
    assert list(ordered.preorder[0]) == list(range(ordered.n_nodes))
    assert DisassociatedTransactions.from_canonical(json.loads(text)) == data


def test_labels_of_every_kind_survive_and_sort_by_code_point() -> None:
    labels = ['"', "\\", "a,b", "é", "😀", "\uffee", "tab\there", "[", "Z", " inner blank"]
    leaf = {**LEAF, "record_chunks": [[{"items": labels, "count": 5}]], "term_chunk": []}
    data = published(leaf)
    assert data.to_canonical()["nodes"][0]["record_chunks"][0][0]["items"] == sorted(labels)
    assert data.canonical_text == canonical_json(forest(leaf))


def test_releases_that_differ_are_not_equal() -> None:
    changed = forest(LEAF)
    changed["nodes"][0]["record_chunks"][0][0]["count"] = 4
    assert published(LEAF) != DisassociatedTransactions.from_canonical(changed)
    assert published(LEAF) != published(LEAF, k=4)
    assert published(LEAF, OTHER) == published(OTHER, LEAF)


def test_the_record_mapping_is_kept_in_canonical_order_and_never_written() -> None:
    _, data = disassociated(random_records(3), k=2, m=2, max_cluster_size=5)
    ordered = data.canonical()
    assert data.leaf_of_record is not None
    assert ordered.leaf_of_record is not None
    sizes = np.bincount(ordered.leaf_of_record, minlength=ordered.n_nodes)
    assert np.array_equal(sizes[ordered.is_leaf], ordered.size[ordered.is_leaf])
    assert b"leaf_of_record" not in data.canonical_text


def wrong_forms() -> dict[str, Any]:
    def changed(change: Any) -> dict[str, Any]:
        obj = forest(JOINT)
        change(obj)
        return obj

    joint, leaf, chunk = (
        lambda obj: obj["nodes"][0],
        lambda obj: obj["nodes"][0]["children"][0],
        lambda obj: obj["nodes"][0]["children"][0]["record_chunks"][0],
    )
    return {
        "not an object": [],
        "k missing": changed(lambda obj: obj.pop("k")),
        "m missing": changed(lambda obj: obj.pop("m")),
        "nodes missing": changed(lambda obj: obj.pop("nodes")),
        "k below 1": changed(lambda obj: obj.update(k=0)),
        "k not a number": changed(lambda obj: obj.update(k="3")),
        "k a truth value": changed(lambda obj: obj.update(k=True)),
        "unknown field": changed(lambda obj: obj.update(seed=1)),
        "nodes not a list": changed(lambda obj: obj.update(nodes={})),
        "node not an object": changed(lambda obj: obj["nodes"].append(3)),
        "unknown type": changed(lambda obj: joint(obj).update(type="tree")),
        "field missing": changed(lambda obj: leaf(obj).pop("term_chunk")),
        "field too many": changed(lambda obj: leaf(obj).update(children=[])),
        "no children": changed(lambda obj: joint(obj).update(children=[])),
        "negative size": changed(lambda obj: leaf(obj).update(size=-1)),
        "size a fraction": changed(lambda obj: leaf(obj).update(size=2.5)),
        "negative count": changed(lambda obj: chunk(obj)[0].update(count=-1)),
        "count zero": changed(lambda obj: chunk(obj)[0].update(count=0)),
        "huge count": changed(lambda obj: chunk(obj)[0].update(count=1 << 70)),
        "empty items": changed(lambda obj: chunk(obj)[0].update(items=[])),
        "items not a list": changed(lambda obj: chunk(obj)[0].update(items="ab")),
        "item not a string": changed(lambda obj: chunk(obj)[0].update(items=[1])),
        "entry twice": changed(lambda obj: chunk(obj).append({"items": ["b", "a"], "count": 1})),
        "term twice in an entry": changed(lambda obj: chunk(obj)[0].update(items=["a", "a"])),
        "term twice in a term chunk": changed(lambda obj: leaf(obj).update(term_chunk=["d", "d"])),
        "entry without count": changed(lambda obj: chunk(obj)[0].pop("count")),
        "empty chunk": changed(lambda obj: leaf(obj)["record_chunks"].append([])),
        "chunk not a list": changed(lambda obj: leaf(obj)["record_chunks"].append(7)),
        "term chunk not a list": changed(lambda obj: leaf(obj).update(term_chunk="d")),
        "term not a string": changed(lambda obj: leaf(obj).update(term_chunk=[None])),
    }


@pytest.mark.parametrize("name", wrong_forms())
def test_what_is_not_of_the_form_is_refused_by_name(name: str) -> None:
    with pytest.raises(BadPublication) as caught:
        DisassociatedTransactions.from_canonical(wrong_forms()[name])
    assert caught.value.code == "format-error"


@pytest.mark.parametrize(
    "change",
    [
        {"parent": np.array([1, 0, 0])},
        {"parent": np.array([-1, 7, 0])},
        {"size": np.array([9, 5])},
        {"size": np.array([9, 0, 4])},
        {"items": np.array([99] * 8, np.int32)},
        {"chunk_node": np.array([2, 1, 1, 0])},
        {"chunk_node": np.array([0, 1, 1, 9])},
        {"leaf_of_record": np.array([9])},
        {"k": 0},
        {"empty_records": -1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_arrays_that_do_not_fit_together_are_refused(change: dict[str, Any]) -> None:
    data = published(JOINT)
    with pytest.raises(BadPublication):
        replace(data, **change)


def pair_supports(records: list[list[str]]) -> Counter[tuple[str, ...]]:
    return Counter(pair for record in records for pair in combinations(sorted(record), 2))


@pytest.mark.parametrize("multiplicity", ["one", "uniform", 2])
@pytest.mark.parametrize("seed", range(6))
def test_a_reconstruction_is_a_possible_original(seed: int, multiplicity: str | int) -> None:
    _, data = disassociated(random_records(seed, 12, "abcde"), k=2, m=2, max_cluster_size=4)
    obj = data.to_canonical()
    pairs = list(combinations(data.vocabulary.labels, 2))
    bounds = {pair: (extreme_support(obj, pair, most=False), extreme_support(obj, pair)) for pair in pairs}
    for drawn in data.reconstruct(40, seed, multiplicity):
        records = drawn.to_lists()
        assert len(records) == data.records
        assert all(records)
        supports = pair_supports(records)
        assert all(low <= supports[pair] <= high for pair, (low, high) in bounds.items())
        singles = Counter(term for record in records for term in record)
        for code, label in enumerate(data.vocabulary.labels):
            least = data.visible_supports[code] + data.hidden_leaves[code]
            assert singles[label] >= least
            assert data.hidden_leaves[code] or singles[label] == least


def test_a_reconstruction_of_conflicting_shared_chunks_finds_a_place_for_each() -> None:
    """A shared chunk whose terms exclude different leaves: only the article's own rule makes such a release."""
    one = {**OTHER, "record_chunks": [[{"items": ["x"], "count": 4}]], "term_chunk": ["v"]}
    two = {**OTHER, "record_chunks": [[{"items": ["y"], "count": 4}]], "term_chunk": ["w"]}
    joint = {
        "type": "joint",
        "size": 8,
        "children": [one, two],
        "shared_chunks": [[{"items": ["x"], "count": 3}, {"items": ["y"], "count": 3}]],
    }
    for drawn in published(joint).reconstruct(20, 1):
        records = drawn.to_lists()
        assert Counter(term for record in records for term in record if term in "xy") == {"x": 7, "y": 7}
        assert sum("x" in record and "y" in record for record in records) == 6


def test_more_reconstructions_do_not_change_the_first_ones_and_seeds_differ() -> None:
    _, data = disassociated(random_records(1), k=2, m=2, max_cluster_size=6)
    five, two = data.reconstruct(5, seed=7), data.reconstruct(2, seed=7)
    assert five[:2] == two
    assert len({json.dumps(drawn.to_lists()) for drawn in five}) > 1
    assert data.reconstruct(1, seed=8) != data.reconstruct(1, seed=7)


def test_every_way_to_put_two_chunks_together_is_drawn_about_equally_often() -> None:
    leaf = {"type": "leaf", "size": 3, "term_chunk": ["t"]}
    leaf["record_chunks"] = [
        [{"items": ["a"], "count": 1}, {"items": ["b"], "count": 1}, {"items": ["c"], "count": 1}],
        [{"items": ["x"], "count": 1}, {"items": ["y"], "count": 1}, {"items": ["z"], "count": 1}],
    ]
    drawn = published(leaf, k=1).reconstruct(1200, seed=5)
    ways = Counter(
        tuple(sorted("".join(label for label in record if label != "t") for record in data.to_lists()))
        for data in drawn
    )
    assert len(ways) == 6
    assert all(140 < count < 260 for count in ways.values())


def test_a_release_that_nothing_fits_has_no_reconstruction() -> None:
    bare = {"type": "leaf", "size": 3, "record_chunks": [[{"items": ["a"], "count": 1}]], "term_chunk": []}
    full = {"type": "leaf", "size": 1, "record_chunks": [[{"items": ["a"], "count": 2}]], "term_chunk": []}
    for leaf in (bare, full):
        with pytest.raises(BadPublication, match="no possible original"):
            published(leaf, k=1).reconstruct()


@pytest.mark.parametrize("wrong", ["two", 0, True, 1.5])
def test_a_strange_multiplicity_is_refused(wrong: Any) -> None:
    with pytest.raises(BadParameter):
        published(LEAF).reconstruct(1, 0, wrong)


def test_the_number_of_reconstructions_must_be_one_at_least() -> None:
    with pytest.raises(BadParameter):
        published(LEAF).reconstruct(0)


@pytest.mark.parametrize("seed", range(8))
def test_the_lower_bound_is_never_above_the_exact_one_and_exact_for_terms_outside_term_chunks(seed: int) -> None:
    data, release = disassociated(random_records(seed, 12, "abcde"), k=2, m=2, max_cluster_size=4)
    obj = release.to_canonical()
    for size in (1, 2):
        for wanted in combinations(release.vocabulary.labels, size):
            bound = release.support_lower_bound(wanted)
            assert bound <= extreme_support(obj, wanted, most=False)
    for code, label in enumerate(data.vocabulary.labels):
        there = release.vocabulary.code(label)
        if not release.hidden_leaves[there]:
            assert release.support_lower_bound([label]) == data.supports[code]
    assert release.support_lower_bound(["nowhere"]) == 0
    assert release.support_lower_bound([]) == release.records


def expected_by_definition(obj: dict[str, Any], wanted: set[str], multiplicity: int) -> float:
    """Leaf by leaf: where does it keep each term, and what share of its records does that place give?"""
    total = 0.0

    def holds(chunk: list[Any]) -> set[str]:
        return {term for entry in chunk for term in entry["items"]}

    def room(node: dict[str, Any], terms: set[str], top: bool = True) -> int:
        """Records of the leaves below that keep none of the terms themselves."""
        chunks = node["record_chunks"] if node["type"] == "leaf" else node["shared_chunks"]
        if not top and any(terms & holds(chunk) for chunk in chunks):
            return 0
        if node["type"] == "leaf":
            return 0 if terms & set(node["term_chunk"]) else node["size"]
        return sum(room(child, terms, top=False) for child in node["children"])

    def walk(node: dict[str, Any], above: list[tuple[list[Any], int]]) -> None:
        nonlocal total
        if node["type"] == "joint":
            own = [(chunk, room(node, holds(chunk))) for chunk in node["shared_chunks"]]
            for child in node["children"]:
                walk(child, own + above)
            return
        size, share, left = node["size"], 1.0, set(wanted)
        for chunk, among in [(chunk, size) for chunk in node["record_chunks"]] + above:
            here = left & holds(chunk)
            if here and not (chunk not in node["record_chunks"] and here & set(node["term_chunk"])):
                share *= sum(entry["count"] for entry in chunk if here <= set(entry["items"])) / among
                left -= here
        for term in set(left):
            if term in node["term_chunk"]:
                share *= multiplicity / size
                left.discard(term)
        total += 0.0 if left else size * share

    for node in obj["nodes"]:
        walk(node, [])
    return total


@pytest.mark.parametrize("seed", range(12))
def test_expected_supports_are_those_of_the_definition(seed: int) -> None:
    _, data = disassociated(random_records(seed, 24), k=2, m=2, max_cluster_size=4)
    obj = data.to_canonical()
    wanted = [itemset for size in (0, 1, 2, 3) for itemset in combinations(data.vocabulary.labels, size)]
    expected = data.expected_supports(wanted)
    for itemset, support in zip(wanted, expected, strict=True):
        assert support == pytest.approx(expected_by_definition(obj, set(itemset), 1))
    assert data.expected_supports([["nowhere"], ["a", "nowhere"]]).tolist() == [0, 0]


def test_expected_supports_agree_with_many_reconstructions_where_chunks_are_independent() -> None:
    leaf = {"type": "leaf", "size": 6, "term_chunk": ["t"]}
    leaf["record_chunks"] = [
        [{"items": ["a"], "count": 3}, {"items": ["a", "b"], "count": 2}, {"items": ["b"], "count": 1}],
        [{"items": ["c"], "count": 4}],
    ]
    data = published(leaf)
    wanted = [("a", "b"), ("a", "c"), ("b", "c"), ("a", "t"), ("a", "b", "c"), ("c", "t")]
    drawn = [pair.to_lists() for pair in data.reconstruct(3000, seed=2)]
    mean = [np.mean([sum(set(pair) <= set(record) for record in records) for records in drawn]) for pair in wanted]
    assert data.expected_supports(wanted) == pytest.approx(mean, abs=0.08)


def test_subrecords_are_all_subrecords_of_record_and_shared_chunks() -> None:
    assert Counter(map(tuple, published(JOINT).subrecords().to_lists())) == {
        ("a", "b"): 3,
        ("b",): 2,
        ("c",): 4,
        ("a",): 4,
        ("x", "y"): 3,
        ("x",): 1,
    }


def test_an_itemset_is_not_a_string() -> None:
    with pytest.raises(BadParameter):
        published(LEAF).support_lower_bound("ab")
