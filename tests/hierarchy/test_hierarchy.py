"""Hierarchies: read, checked, looked up, edited and written, without losing or inventing a value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from crypsis.errors import BadRow, HierarchyError, UnknownColumn
from crypsis.hierarchy import Hierarchies, Hierarchy, Taxonomy
from crypsis.hierarchy.files import hierarchy_text, parse_hierarchy
from tests.methods.relational.obvious import trees
from tests.reference import tables as reference

CITIES = {"Oslo": "North", "Riga": "North", "Rome": "South", "North": "Any", "South": "Any"}


@given(trees("n"))
def test_lookups_are_those_of_the_obvious_tree(tree: dict[str, str]) -> None:
    made = Hierarchy(tree)
    assert list(made.names) == reference.preorder(tree, reference.root(tree))
    leaves = reference.leaves(tree, reference.root(tree))
    assert list(made.leaf_labels) == leaves
    assert made.height == max(len(reference.path(tree, leaf)) for leaf in leaves) - 1
    for name in made.names:
        assert list(made.leaves_below(name)) == reference.leaves(tree, name)
        assert list(made.ancestors(name)) == reference.path(tree, name)
    for level in range(made.height + 1):
        nodes = [made.names[node] for node in made.level_maps[level].tolist()]
        assert nodes == [reference.node_at(tree, leaf, level) for leaf in leaves]
    for one, first in enumerate(leaves):
        for other, second in enumerate(leaves):
            common = reference.common_node(tree, [first, second])
            assert made.names[made.common_nodes[one, other]] == common == made.common_node([first, second])


@given(trees("n"))
def test_files_give_back_the_same_tree(tree: dict[str, str]) -> None:
    made = Hierarchy(tree)
    assert Hierarchy(made.to_pairs()) == made
    if all(parent in tree or len(reference.leaves(tree, parent)) for parent in tree.values()):
        assert Hierarchy.from_paths(made.to_paths()) == made


@pytest.mark.parametrize("form", ["paths", "edges"])
def test_a_written_hierarchy_is_read_back(tmp_path: Path, form: str) -> None:
    tree = Hierarchy({**CITIES, 'Bergen; "by the sea"': "North"})
    assert Hierarchy.from_file(tree.write(tmp_path / "h.csv", form=form)) == tree


def test_padding_in_paths_collapses_and_short_paths_end_at_the_root() -> None:
    tree = Hierarchy.from_paths([["a", "a", "x", "*"], ["b", "x", "x", "*"], ["c", "*"], ["d"]])
    assert tree.to_pairs() == [("c", "*"), ("d", "*"), ("x", "*"), ("a", "x"), ("b", "x")]
    assert Hierarchy.from_paths([["only"]]).to_pairs() == [("only", "*")]


def test_every_problem_of_a_file_is_listed_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("child;parent\na;x\na;y\nb;x\nb;x\nc;d\nd;c\ne;top\nx;top\ny;other\n", encoding="utf-8")
    with pytest.raises(HierarchyError) as raised:
        Hierarchy.from_file(file)
    assert raised.value.details["problems"] == [
        "line 3: 'a' has two parents, 'x' on line 2 and 'y' on line 3",
        "line 5: 'b' stands twice, first on line 4",
        "line 6: 'c' lies below itself",
        "line 7: 'd' lies below itself",
        "line 8: 'top' is one of 2 roots",
        "line 10: 'other' is one of 2 roots",
    ]
    assert "hierarchy-error" in raised.value.code
    assert str(file) in str(raised.value)


def test_a_value_that_stands_twice_in_paths_is_listed_with_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    file.write_text("a;x;*\nb;x;*\na;x;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="line 3: 'a' stands twice, first on line 1"):
        Hierarchy.from_file(file)
    file.write_text("a;x;*\nb;x;*\na;y;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="line 3: 'a' has two parents, 'x' on line 1 and 'y' on line 3"):
        Hierarchy.from_file(file)


@pytest.mark.parametrize("form", ["paths", "edges"])
def test_the_lines_of_a_file_are_read_without_a_file(form: str) -> None:
    tree = Hierarchy(CITIES)
    assert parse_hierarchy(hierarchy_text(tree, form=form)) == tree
    with pytest.raises(
        HierarchyError, match=r"line 2: 'Oslo' has two parents, 'North' on line 1 and 'South' on line 2"
    ):
        parse_hierarchy("Oslo;North\nOslo;South\n")
    with pytest.raises(HierarchyError, match="empty"):
        parse_hierarchy("child;parent\n")
    with pytest.raises(BadRow, match=r"quotes .*\(line 2\)"):
        parse_hierarchy('a;x\n"b;x\n')


def test_a_value_that_is_there_already_is_refused_with_the_parent_it_has() -> None:
    tree = Hierarchy(CITIES)
    with pytest.raises(HierarchyError, match="'Oslo' already has the parent 'North', and a node has one parent; move"):
        tree.added("Oslo", "South")
    with pytest.raises(HierarchyError, match="'Any' is the root already"):
        tree.added("Any", "South")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("\n\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="empty"):
        Hierarchy.from_file(tmp_path / "h.csv")


def test_every_uncovered_value_is_listed_at_once_and_can_go_below_the_root() -> None:
    tree = Hierarchy(CITIES)
    with pytest.raises(HierarchyError) as raised:
        tree.leaves_of(pl.Series(["Bonn", "North", "Oslo", "Ulm"]), "category", "city")
    assert raised.value.details["uncovered"] == ["Bonn", "North", "Ulm"]
    assert raised.value.details["inner"] == ["North"]
    extended = tree.attach_to_root(["Bonn", "Oslo", "Ulm"])
    assert extended.ancestors("Ulm") == ("Ulm", "Any")
    assert extended.leaves_of(pl.Series(["Bonn", "Oslo", "Ulm"]), "category").tolist() == [0, 1, 4]
    with pytest.raises(HierarchyError, match="'North' are inner nodes"):
        tree.attach_to_root(["North"])


def test_numbers_find_their_leaf_however_it_is_written() -> None:
    tree = Hierarchy({"1": "*", "2.50": "*", "+3": "*"})
    assert tree.leaves_of(pl.Series([1.0, 2.5, 3.0]), "float").tolist() == [1, 2, 0]


def test_editing_keeps_one_tree_over_the_values() -> None:
    tree = Hierarchy(CITIES)
    assert tree.renamed("North", "Nordic").ancestors("Oslo") == ("Oslo", "Nordic", "Any")
    assert tree.added("Bari", "South").leaves_below("South") == ("Bari", "Rome")
    assert tree.moved("Rome", "North").names == ("Any", "North", "Oslo", "Riga", "Rome")  # South is empty and goes
    assert tree.removed("North").to_pairs() == [("Oslo", "Any"), ("Riga", "Any"), ("South", "Any"), ("Rome", "South")]
    assert tree.removed("Rome").leaf_labels == ("Oslo", "Riga")
    merged = tree.merged(["North", "South"], "Europe")
    assert merged.leaves_below("Europe") == ("Oslo", "Riga", "Rome")
    assert tree.grouped(["Oslo"], "Nordic").ancestors("Oslo") == ("Oslo", "Nordic", "North", "Any")
    halves = tree.split("North", {"West": ["Oslo"], "East": ["Riga"]})
    assert halves.ancestors("Riga") == ("Riga", "East", "Any")


@pytest.mark.parametrize(
    "edit",
    [
        lambda tree: tree.renamed("Oslo", "Rome"),
        lambda tree: tree.added("Oslo", "South"),
        lambda tree: tree.added("Bari", "Rome"),
        lambda tree: tree.moved("North", "Oslo"),
        lambda tree: tree.moved("Any", "North"),
        lambda tree: tree.removed("Any"),
        lambda tree: tree.merged(["North", "Oslo"], "x"),
        lambda tree: tree.merged(["North"], "x"),
        lambda tree: tree.grouped(["North", "Oslo"], "x"),
        lambda tree: tree.grouped(["Oslo"], "Riga"),
        lambda tree: tree.split("North", {"West": ["Oslo"]}),
        lambda tree: tree.split("Any", {"a": ["North"], "b": ["South"]}),
        lambda tree: tree.renamed("Paris", "x"),
        lambda tree: Hierarchy({"a": "*"}).removed("a"),
    ],
)
def test_edits_that_would_break_the_tree_are_refused(edit: object) -> None:
    with pytest.raises(HierarchyError):
        edit(Hierarchy(CITIES))  # type: ignore[operator]


def test_a_taxonomy_of_items_is_a_hierarchy() -> None:
    taxonomy = Taxonomy([("beer", "drink"), ("wine", "drink"), ("bread", "food"), ("drink", "all"), ("food", "all")])
    assert Hierarchy.from_taxonomy(taxonomy).common_node(["beer", "wine"]) == "drink"


def test_text_of_hierarchies_is_read_column_by_column(tmp_path: Path) -> None:
    file = Hierarchy(CITIES).write(tmp_path / "a,b.csv")
    read = Hierarchies.from_text(f"city={file}\nage=equi_depth:4,zip=prefix")
    assert str(read).endswith("age=equi_depth:4,zip=prefix")
    assert Hierarchies.from_text(f"city={file}") == Hierarchies({"city": Hierarchy(CITIES)})


def test_the_arrays_of_a_hierarchy_cannot_be_written() -> None:
    tree = Hierarchy(CITIES)
    for array in (tree.parent, tree.end, tree.leaf_count, tree.level_maps, tree.common_nodes):
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(array)[...] = 0


def test_a_hierarchy_for_a_column_that_is_not_there_is_refused() -> None:
    from crypsis.hierarchy.hierarchy import unknown_hierarchy_columns

    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        unknown_hierarchy_columns(["agee"], ["age", "zip"])
