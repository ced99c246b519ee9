"""Golden vectors of relational data: hierarchies, losses, the five k-anonymizers, and the optima of Adult."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from crypsis.data.cells import ANY, MISSING, Cell
from crypsis.data.formats.tabular import read_table_file
from crypsis.data.relational import PublishedTable, Table
from crypsis.guarantees import KAnonymity
from crypsis.hierarchy import Hierarchies, Hierarchy
from crypsis.hierarchy.adaptive import adaptive
from crypsis.hierarchy.equi_depth import equi_depth
from crypsis.hierarchy.equi_width import equal_width_edges
from crypsis.kernels.class_cells import class_cells
from crypsis.kernels.lattice import minimal_nodes
from crypsis.methods import BottomUp, Cluster, Incognito, Mondrian, TopDown
from crypsis.methods.relational.diversity import Diversity
from crypsis.methods.relational.incognito import Lattice
from crypsis.methods.relational.publishing import published_classes
from crypsis.methods.relational.quasi_identifiers import QuasiIdentifiers
from crypsis.methods.relational.relational_method import RelationalMethod
from crypsis.metrics.certainty_penalty import ncp_loss
from crypsis.metrics.class_sizes import average_class_size, discernibility_loss
from crypsis.metrics.table_divergence import table_kl_divergence_loss
from crypsis.run_context import RunContext
from crypsis.verifiers import verify
from tests.conformance.rt_tables import edge_table, fraction, table_of
from tests.conformance.vectors import case, load
from tests.shared_data import dataset

CELLS = "rt/hierarchies_ncp_random.json"
CLUSTERS = "rt/cluster_mondrian_random.json"
LATTICE = "rt/lattice_cuts_random.json"
EDGES = "rt/edges_random.json"
ADULT = "rt/adult_optima.json"
FIGURES = "rt/rt_figures.json"


def expected_cell(described: Sequence[Any], tree: Hierarchy | None) -> Cell:
    kind = described[0]
    if kind == "range":
        return Cell.range(described[1], described[2])
    if kind == "set":
        return Cell.set(described[1])
    if kind == "node":
        assert tree is not None
        leaves = tree.leaves_below(described[1])
        return Cell.value(leaves[0]) if len(leaves) == 1 else Cell.node(described[1])
    return MISSING if kind == "missing" else ANY


def classes_of(published: PublishedTable) -> dict[tuple[int, ...], tuple[Cell, ...]]:
    """Records and cells of every class."""
    found: dict[tuple[int, ...], list[int]] = {}
    for record, codes in enumerate(published.quasi_codes().tolist()):
        if not published.suppressed[record]:
            found.setdefault(tuple(codes), []).append(record)
    columns = published.with_role("quasi")
    return {
        tuple(records): tuple(column.cells[code] for column, code in zip(columns, codes, strict=True))
        for codes, records in found.items()
    }


def run(method: RelationalMethod, table: Table) -> tuple[PublishedTable, dict[str, Any]]:
    context = RunContext()
    published = method.anonymize(table, context)
    verdict = verify(published, method.guarantee, table)
    assert verdict.holds, verdict
    return published, context.private


@pytest.mark.parametrize(
    "described", [case(CELLS, one, name=number) for number, one in enumerate(load(CELLS)["cells"])]
)
def test_the_cell_of_some_values_and_its_loss(described: Any) -> None:
    domain = load(CELLS)["domains"][described["attribute"]]
    tree = Hierarchy(domain) if isinstance(domain, dict) else None
    values = described["values"] + (domain if tree is None else list(tree.leaf_labels))
    kind = "int" if isinstance(domain, list) and isinstance(domain[0], int) else "category"
    table = table_of(["q"], [[value] for value in values], [kind])
    quasi = QuasiIdentifiers.of(table, None if tree is None else Hierarchies({"q": tree}), None, "test")
    group = np.where(np.arange(len(values)) < len(described["values"]), 0, 1)
    published = published_classes(quasi, class_cells(quasi.codes, group, 2, quasi.bit_start), group)
    column = published.column("q")
    assert column.cells[column.codes[0]] == expected_cell(described["cell"], tree)
    only = published.take(np.zeros(1, np.int64))
    assert ncp_loss(table, only).total == fraction(described["ncp"])


def numeric_cases() -> list[Any]:
    listed = [case(CELLS, one, name=f"numeric {number}") for number, one in enumerate(load(CELLS)["numeric"])]
    return [
        *listed,
        *(case(EDGES, one, part="adaptive", name=number) for number, one in enumerate(load(EDGES)["adaptive"])),
    ]


@pytest.mark.parametrize("described", numeric_cases())
def test_numeric_hierarchies(described: Any) -> None:
    column = table_of(["q"], [[value] for value in described["values"]], ["int"]).column("q")
    for name, build in (("equi_depth", equi_depth), ("adaptive", adaptive)):
        if name in described:
            tree = build(column, described["bins"])
            values = tree.values.to_list()  # type: ignore[union-attr]
            bins = dict.fromkeys(tree.level_maps[1].tolist())
            assert [[values[tree.first_leaf[node]], values[tree.last_leaf[node]]] for node in bins] == described[name]
    if "equi_width" in described:
        low, high = min(described["values"]), max(described["values"])
        edges = equal_width_edges(Fraction(low), Fraction(high), described["bins"])
        assert [[str(start), str(stop)] for start, stop in edges] == described["equi_width"]


@pytest.mark.parametrize("described", [case(CLUSTERS, one, name=n) for n, one in enumerate(load(CLUSTERS)["cases"])])
def test_cluster_and_mondrian(described: Any) -> None:
    trees = {name: Hierarchy(tree) for name, tree in load(CLUSTERS)["hierarchies"].items()}
    table = table_of(["age", "city", "job"], described["rows"], ["int", "category", "category"])
    hierarchy, k = Hierarchies(trees), described["k"]
    published, _ = run(Cluster(k=k, seeds="first", hierarchy=hierarchy), table)
    found = classes_of(published)
    assert sorted(found) == sorted(map(tuple, described["clusters"]))
    for records, cells in zip(described["clusters"], described["cells"], strict=True):
        expected = [expected_cell(cell, trees.get(name)) for name, cell in zip(table.quasi, cells, strict=True)]
        assert list(found[tuple(records)]) == expected
    assert ncp_loss(table, published).total == fraction(described["ncp"])
    assert discernibility_loss(published, k) == described["discernibility"]
    assert average_class_size(published, k) == fraction(described["c_avg"])
    assert table_kl_divergence_loss(table, published) == pytest.approx(described["kl"], rel=1e-9)
    divided, _ = run(Mondrian(k=k, hierarchy=hierarchy), table)
    assert sorted(classes_of(divided)) == sorted(map(tuple, described["mondrian"]))
    assert ncp_loss(table, divided).total == fraction(described["mondrian_ncp"])


def cuts_of(published: PublishedTable, table: Table, trees: Mapping[str, Hierarchy]) -> list[dict[str, Cell]]:
    """What every value that occurs in a published record became."""
    cuts = []
    for name in trees:
        column, cells = table.column(name), published.column(name)
        values = column.domain.to_list()
        cuts.append(
            {
                "?" if code < 0 else values[code]: cells.cells[cell]
                for code, cell, gone in zip(
                    column.codes.tolist(), cells.codes.tolist(), published.suppressed.tolist(), strict=True
                )
                if not gone
            }
        )
    return cuts


def check_cut(method: RelationalMethod, table: Table, trees: Mapping[str, Hierarchy], expected: Any) -> None:
    published, _ = run(method, table)
    assert np.flatnonzero(published.suppressed).tolist() == expected.get("suppressed", [])
    assert ncp_loss(table, published).total == fraction(expected["ncp"])
    for found, (name, tree), cut in zip(cuts_of(published, table, trees), trees.items(), expected["cuts"], strict=True):
        missing = table.column(name).missing > 0
        for value, cell in found.items():
            node = cut[value]
            if node == "?":
                assert cell == MISSING
            elif node == tree.root and missing:
                assert cell == ANY
            else:
                assert cell == expected_cell(["node", node], tree)


def levels_of(lattice: Lattice, nodes: Any) -> list[list[int]]:
    return [lattice.levels(node).tolist() for node in np.flatnonzero(nodes).tolist()]


@pytest.mark.parametrize("described", [case(LATTICE, one, name=n) for n, one in enumerate(load(LATTICE)["cases"])])
def test_full_domain_and_cuts(described: Any) -> None:
    trees = {}
    for name, levels in zip(("city", "job"), described["levels"], strict=True):
        trees[name] = Hierarchy.from_paths([[level[leaf] for level in levels] for leaf in levels[0]])
    k, hierarchy = described["k"], Hierarchies(trees)
    table = table_of(list(trees), described["rows"], ["category"] * 2)
    quasi = QuasiIdentifiers.of(table, hierarchy, None, "test", trees=True)
    for entry in described["incognito"]:
        lattice = Lattice.of(quasi, Diversity.of(table, [], "test"), k, entry["max_suppressed"])
        good = lattice.good_nodes()
        assert levels_of(lattice, good) == entry["all"]
        assert levels_of(lattice, minimal_nodes(good, lattice.heights)) == entry["minimal"]
    check_cut(TopDown(k=k, hierarchy=hierarchy), table, trees, described["top_down"])
    check_cut(BottomUp(k=k, hierarchy=hierarchy), table, trees, described["bottom_up"])
    labelled = table_of(list(trees), described["rows"], ["category"] * 2, {"label": described["labels"]})
    check_cut(TopDown(k=k, hierarchy=hierarchy), labelled, trees, described["top_down_labelled"])


def asked_for(described: Mapping[str, Any] | None) -> dict[str, Any]:
    """The diversity of a vector as parameters of a method."""
    if described is None:
        return {}
    if described["kind"].startswith("t_"):
        return {"t": described["t"], "distance": described["kind"].removeprefix("t_")}
    return {"l": described["l"], "diversity": described["kind"]}


@pytest.mark.parametrize(
    "described",
    [case(EDGES, one, part="cluster_mondrian", name=n) for n, one in enumerate(load(EDGES)["cluster_mondrian"])],
)
def test_missing_values_and_diversity_in_classes(described: Any) -> None:
    table, trees = edge_table(described, sensitive="sensitive")
    common = {"k": described["k"], "hierarchy": Hierarchies(trees) if trees else None}
    diverse = asked_for(described["diversity"])
    for name, method in (
        ("cluster", Cluster(seeds="first", **common)),
        ("cluster_diverse", Cluster(seeds="first", **common, **diverse)),
        ("mondrian", Mondrian(**common)),
        ("mondrian_diverse", Mondrian(**common, **diverse)),
    ):
        published, _ = run(method, table)
        found, expected = classes_of(published), described[name]
        assert sorted(found) == sorted(map(tuple, expected["classes"])), name
        for records, cells in zip(expected["classes"], expected["cells"], strict=True):
            wanted = [expected_cell(cell, trees.get(column)) for column, cell in zip(table.quasi, cells, strict=True)]
            assert list(found[tuple(records)]) == wanted, name
        assert ncp_loss(table, published).total == fraction(expected["ncp"]), name


@pytest.mark.parametrize(
    "described", [case(EDGES, one, part="lattice_cuts", name=one["why"]) for one in load(EDGES)["lattice_cuts"]]
)
def test_missing_values_and_suppression_in_levels_and_cuts(described: Any) -> None:
    table, trees = edge_table(described, sensitive="sensitive")
    diverse = asked_for(described.get("diversity"))
    share = (described["limit_records"] + 0.5) / len(table)
    common = {"k": described["k"], "hierarchy": Hierarchies(trees), "max_suppressed": share, **diverse}
    assert Incognito(**common).limit(len(table)) == described["limit_records"]
    quasi = QuasiIdentifiers.of(table, common["hierarchy"], None, "test", trees=True)
    promised = Incognito(**common)._promised()
    lattice = Lattice.of(quasi, Diversity.of(table, promised, "test"), described["k"], described["limit_records"])
    good = lattice.good_nodes()
    assert levels_of(lattice, good) == described["good"]
    assert levels_of(lattice, minimal_nodes(good, lattice.heights)) == described["minimal"]
    for publish, name in (("minimal", "published"), ("best", "published_best")):
        published, private = run(Incognito(publish=publish, **common), table)
        expected = described[name]
        assert list(private["published_levels"].values()) == expected["levels"]
        assert np.flatnonzero(published.suppressed).tolist() == expected["suppressed"]
        assert ncp_loss(table, published).total == fraction(expected["ncp"])
        assert discernibility_loss(published, described["k"]) == expected["discernibility"]
        found = classes_of(published)
        assert sorted(found) == sorted(tuple(one["records"]) for one in expected["classes"])
        for one in expected["classes"]:
            wanted = [
                expected_cell(cell, trees[column]) for column, cell in zip(table.quasi, one["cells"], strict=True)
            ]
            assert list(found[tuple(one["records"])]) == wanted
    check_cut(TopDown(**common), table, trees, described["top_down"])
    check_cut(BottomUp(**common), table, trees, described["bottom_up"])
    labelled, _ = edge_table(described, sensitive="sensitive", label="labels")
    check_cut(TopDown(**common), labelled, trees, described["top_down_labelled"])


def hashed(levels: list[list[int]]) -> str:
    return hashlib.sha256(json.dumps(sorted(levels), separators=(",", ":")).encode()).hexdigest()


@pytest.mark.real_data("adult")
@pytest.mark.parametrize("described", [case(ADULT, one, name=one["name"]) for one in load(ADULT)["cases"]])
def test_the_optima_of_adult(described: Any) -> None:
    in_file = {"salary-class": "income"} if described["file"].endswith(".xz") else {}
    roles = {in_file.get(name, name): "quasi" for name in described["quasi"]}
    if described["sensitive"] is not None:
        roles[described["sensitive"]] = "sensitive"
    path = dataset("adult") / described["file"]
    frame, _ = read_table_file(path)
    table = Table.from_frame(frame.select(list(roles)), roles, dict.fromkeys(roles, "category"))
    order = [in_file.get(name, name) for name in described["quasi"]]
    table = Table.of(
        tuple(table.column(name) for name in (*order, *([described["sensitive"]] if described["sensitive"] else [])))
    )
    trees = {
        in_file.get(name, name): Hierarchy.from_file(dataset("adult") / f"adult_hierarchy_{name}.csv")
        for name in described["quasi"]
    }
    for entry in described["runs"]:
        common = {"k": 5, "hierarchy": Hierarchies(trees), "max_suppressed": float(entry["max_suppressed"])}
        method = Incognito(**common, **asked_for(described["diversity"]))
        quasi = QuasiIdentifiers.of(table, common["hierarchy"], None, "test", trees=True)
        limit = method.limit(len(table))
        assert limit == entry["limit_records"]
        lattice = Lattice.of(quasi, Diversity.of(table, method._promised(), "test"), 5, limit)
        good = lattice.good_nodes()
        assert len(good) == described["lattice_nodes"]
        minimal = minimal_nodes(good, lattice.heights)
        listed, least = levels_of(lattice, good), levels_of(lattice, minimal)
        assert (len(listed), hashed(listed)) == (entry["good_nodes"], entry["good_sha256"])
        assert (len(least), hashed(least)) == (entry["minimal_nodes"], entry["minimal_sha256"])
        for nodes, name in ((minimal, "optimum_minimal"), (good, "optimum_all_good")):
            chosen = lattice.cheapest(np.flatnonzero(nodes))
            cost, discernibility, suppressed = lattice.loss(chosen)
            expected = entry[name]
            assert lattice.levels(chosen).tolist() == expected["levels"]
            assert quasi.loss(cost) == fraction(expected["ncp"])
            assert discernibility == expected["discernibility"]
            assert suppressed == expected["suppressed"]
        published, _ = run(method, table)
        assert verify(published, method.guarantee, table).figures["classes"] == entry["optimum_minimal"]["classes"]
        assert verify(published, KAnonymity(k=5)).achieved == entry["optimum_minimal"]["smallest_class"]


def figure_table() -> tuple[Table, Hierarchies]:
    vector = load(FIGURES)
    table = table_of(vector["attributes"], vector["relational"], ["int", "category", "category"])
    return table, Hierarchies({name: Hierarchy(tree) for name, tree in vector["hierarchies"].items()})


@pytest.mark.parametrize(
    "figure", [case(FIGURES, one, part="ncp", name=one["figure"]) for one in load(FIGURES)["figures"]]
)
def test_the_loss_of_the_figures(figure: Any) -> None:
    table, hierarchy = figure_table()
    quasi = QuasiIdentifiers.of(table, hierarchy, None, "test")
    class_of = np.zeros(len(table), np.int64)
    for number, records in enumerate(figure["classes"]):
        class_of[records] = number
    published = published_classes(
        quasi, class_cells(quasi.codes, class_of, len(figure["classes"]), quasi.bit_start), class_of
    )
    assert ncp_loss(table, published).total == fraction(figure["ncp"])
    found = [tuple(column.cells[code] for column, code in zip(published.columns, codes, strict=True))
             for codes in published.quasi_codes().tolist()]  # fmt: skip
    for cells, described in zip(found, figure["relational"], strict=True):
        wanted = [expected_cell(cell, hierarchy.get(name)) for name, cell in zip(table.quasi, described, strict=True)]
        assert list(cells) == wanted


@pytest.mark.parametrize("expected", [case(FIGURES, load(FIGURES)["cluster_first_seed"], part="cluster_first_seed")])
def test_the_clusters_of_the_figures(expected: Any) -> None:
    table, hierarchy = figure_table()
    published, _ = run(Cluster(k=load(FIGURES)["k"], seeds="first", hierarchy=hierarchy), table)
    assert sorted(classes_of(published)) == sorted(map(tuple, expected))
