"""Taxonomies: read, refused with the node and the line, built from coordinates, looked up and shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crypsis.data.trajectory import Locations, Trajectories
from crypsis.errors import BadCoordinate, BadLabel, BadParameter, BadTaxonomy, MissingFile, UnknownLocation
from crypsis.hierarchy import AutomaticTaxonomy, Taxonomy
from tests.reference import guided_seq_anon as reference
from tests.strategies import Dataset, datasets, taxonomies

PAIRS = [("a", "food"), ("c", "food"), ("e", "food"), ("b", "cafés"), ("d", "cafés"), ("food", "all"), ("cafés", "all")]
LABELS = ["p0", "p1", "p2", "p3", "p4", "p5"]


def locations(*labels: str) -> Locations:
    return Locations.of({label: (float(number), 0.0) for number, label in enumerate(labels)})


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("header", ["child{}parent\n", ""])
def test_a_file_is_read_with_either_separator_and_with_or_without_header(
    tmp_path: Path, separator: str, header: str
) -> None:
    file = tmp_path / "taxonomy.csv"
    lines = "".join(f"{child}{separator}{parent}\n" for child, parent in PAIRS)
    file.write_text(header.format(separator) + lines, encoding="utf-8")
    assert Taxonomy.from_file(file) == Taxonomy(PAIRS)
    assert Taxonomy.from_text(str(file)) == Taxonomy(PAIRS)


@given(taxonomies(LABELS))
def test_what_is_written_is_read_again(taxonomy: Taxonomy) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        assert Taxonomy.from_file(taxonomy.write(Path(folder) / "t.csv")) == taxonomy
    assert Taxonomy(taxonomy.to_pairs()) == taxonomy
    assert hash(Taxonomy(taxonomy.to_pairs())) == hash(taxonomy)


@given(taxonomies(LABELS), st.sets(st.sampled_from(LABELS), min_size=1))
def test_dissimilarity_is_the_share_of_leaves_below_the_closest_common_ancestor(
    taxonomy: Taxonomy, symbol: set[str]
) -> None:
    expected = reference.dissimilarity(sorted(symbol), dict(taxonomy.to_pairs()))
    assert taxonomy.dissimilarity(sorted(symbol)) == pytest.approx(expected)


@given(taxonomies(LABELS))
def test_the_arrays_say_what_the_pairs_say(taxonomy: Taxonomy) -> None:
    parent_of = dict(taxonomy.to_pairs())
    assert sorted(taxonomy.leaves) == LABELS
    for node, name in enumerate(taxonomy.names):
        assert taxonomy.depth[node] == len(reference.ancestors(name, parent_of)) - 1
        below = [leaf for leaf in taxonomy.leaves if name in reference.ancestors(leaf, parent_of)]
        assert taxonomy.leaf_count[node] == len(below)
        assert taxonomy.parent[node] < node
    nodes = taxonomy.leaves_of(locations(*LABELS))
    assert [taxonomy.names[node] for node in nodes] == LABELS


BAD = {
    "cycle": ([("a", "r"), ("r", "s"), ("s", "r")], "r → s → r", 2),
    "its own parent": ([("a", "r"), ("r", "r")], "r → r", 2),
    "several roots": ([("a", "r"), ("b", "s"), ("c", "s")], "2 roots, 'r', 's'", 2),
    "two parents": ([("a", "r"), ("b", "r"), ("a", "s"), ("s", "r")], "'a' is given two parents, 'r' and 's'", 3),
    "listed twice": ([("a", "r"), ("a", "r")], "'a' is given its parent 'r' twice", 2),
    "nameless": ([("a", "r"), ("", "r")], "pairs child, parent", 2),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_tree_is_refused_with_node_and_line(name: str, tmp_path: Path) -> None:
    pairs, words, line = BAD[name]
    with pytest.raises(BadTaxonomy) as raised:
        Taxonomy(pairs)
    assert words in str(raised.value)
    file = tmp_path / "bad.csv"
    file.write_text("child,parent\n" + "".join(f"{child},{parent}\n" for child, parent in pairs), encoding="utf-8")
    with pytest.raises(BadTaxonomy) as raised:
        Taxonomy.from_file(file)
    assert raised.value.details["line"] == line + 1
    assert f"line {line + 1}" in str(raised.value)
    if name == "two parents":
        assert "'r' on line 2 and 's' on line 4" in str(raised.value)
    assert raised.value.exit_code == 2


def test_nothing_at_all_is_no_taxonomy() -> None:
    with pytest.raises(BadTaxonomy, match="at least one pair"):
        Taxonomy([])


@pytest.mark.parametrize(
    ("labels", "words", "node"),
    [
        (("a", "b", "c", "d", "e", "f"), "'f' is not in the taxonomy", "f"),
        (("a", "b", "c", "d", "e", "food"), "'food' has nodes below it", "food"),
        (("a", "b", "c", "d"), "Leaf 'e' of the taxonomy is no location", "e"),
    ],
)
def test_leaves_must_be_exactly_the_locations(labels: tuple[str, ...], words: str, node: str) -> None:
    with pytest.raises(BadTaxonomy, match=words) as raised:
        Taxonomy(PAIRS).leaves_of(locations(*labels))
    assert raised.value.details["node"] == node


def test_a_file_with_one_column_or_none_at_all_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text("a\n", encoding="utf-8")
    with pytest.raises(BadTaxonomy, match="two columns"):
        Taxonomy.from_file(file)
    with pytest.raises(MissingFile):
        Taxonomy.from_text(str(tmp_path / "nowhere.csv"))


@given(datasets(max_locations=30), st.integers(2, 6))
def test_built_from_coordinates_every_node_has_at_most_the_fan_out(dataset: Dataset, fan_out: int) -> None:
    data = dataset.trajectories()
    taxonomy = AutomaticTaxonomy(fan_out).make(data)
    taxonomy.leaves_of(data.locations)
    children = [parent for _, parent in taxonomy.to_pairs()]
    assert max(children.count(parent) for parent in set(children)) <= fan_out
    leaf_depths = {int(taxonomy.depth[node]) for node in taxonomy.leaves_of(data.locations)}
    assert len(leaf_depths) == 1
    (depth,) = leaf_depths
    assert fan_out ** (depth - 1) < len(data.locations) or depth == 1
    assert AutomaticTaxonomy(fan_out).make(data) == taxonomy
    for node in range(1, len(taxonomy.names)):  # siblings are equally full
        siblings = taxonomy.leaf_count[taxonomy.parent == taxonomy.parent[node]]
        assert siblings.max() - siblings.min() <= 1


def test_near_locations_share_a_parent() -> None:
    corners = {f"{x}{y}{n}": (100.0 * x + n, 100.0 * y) for x in (0, 1) for y in (0, 1) for n in (0, 1, 2)}
    data = Trajectories.from_lists([list(corners)], locations=corners)
    groups = [sorted(group) for group in AutomaticTaxonomy(3).make(data).siblings().groups]
    assert sorted(groups) == [[f"{corner}{n}" for n in (0, 1, 2)] for corner in ("00", "01", "10", "11")]


def test_inner_nodes_never_bear_the_name_of_a_location() -> None:
    points = {f"area {number}": (float(number), 0.0) for number in range(1, 8)}
    data = Trajectories.from_lists([list(points)], locations=points)
    AutomaticTaxonomy(2).make(data).leaves_of(data.locations)


def test_recipes_are_read_and_refused_in_words() -> None:
    assert Taxonomy.from_text("auto:7") == AutomaticTaxonomy(7)
    assert str(AutomaticTaxonomy(7)) == "auto:7"
    for text in ("auto", "auto:", "auto:x", "auto:1", "auto:-2"):
        with pytest.raises(BadParameter):
            Taxonomy.from_text(text)
    with pytest.raises(BadParameter, match="fan_out"):
        AutomaticTaxonomy(True)
    with pytest.raises(BadCoordinate, match="needs coordinates"):
        AutomaticTaxonomy().make(Trajectories.from_lists([["a"]]))


def test_dissimilarity_of_what_is_no_leaf_is_refused() -> None:
    taxonomy = Taxonomy(PAIRS)
    with pytest.raises(UnknownLocation, match="'food' is no leaf"):
        taxonomy.dissimilarity("food")
    with pytest.raises(UnknownLocation):
        taxonomy.dissimilarity(["a", "z"])
    with pytest.raises(BadLabel):
        taxonomy.dissimilarity([])


def test_siblings_make_constraints_at_any_depth() -> None:
    taxonomy = Taxonomy(PAIRS)
    assert taxonomy.siblings().to_json() == [["a", "c", "e"], ["b", "d"]]
    assert taxonomy.siblings(depth=0).to_json() == [["a", "b", "c", "d", "e"]]
    assert taxonomy.siblings(depth=1) == taxonomy.siblings()


def test_a_taxonomy_shows_itself_and_hides_its_content_from_a_summary() -> None:
    taxonomy = Taxonomy(PAIRS)
    assert taxonomy.show() == (
        "all (5)\n├── food (3)\n│   ├── a\n│   ├── c\n│   └── e\n└── cafés (2)\n    ├── b\n    └── d"
    )
    assert str(taxonomy) == "taxonomy of 5 locations in 3 levels"
