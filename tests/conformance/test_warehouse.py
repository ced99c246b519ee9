"""Golden vectors of the semantic warehouse: the sample of five sources, from transforms to linked data."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from crypsis.errors import ConflictingValues
from crypsis.warehouse.assembly import Assembled, SourceGraph, apply_source_rules, assemble, read_schema, read_source
from crypsis.warehouse.authorship import split_authorship
from crypsis.warehouse.comparators import jaro_winkler, levenshtein, token_jaccard
from crypsis.warehouse.connectivity import Overlap, measure_connectivity
from crypsis.warehouse.hierarchies import VocabularyTree, build_hierarchy
from crypsis.warehouse.inference import Schema
from crypsis.warehouse.integration import decide
from crypsis.warehouse.linked_data import Distribution, ReleaseDescription, SourceOfRelease, describe_release
from crypsis.warehouse.sources.rdf import read_rdf
from crypsis.warehouse.terms import RDF_TYPE, iri_of, is_node, node
from crypsis.warehouse.transforms import apply
from crypsis.warehouse.warehouse import Warehouse
from tests.conformance import vectors
from tests.warehouse import sample


def cases(file: str, key: str) -> list[Any]:
    return [vectors.case(file, case, name=f"{key} {number}") for number, case in enumerate(vectors.load(file)[key])]


def whole(file: str) -> list[Any]:
    return [vectors.case(file, vectors.load(file))]


def bare(term: str) -> str:
    return iri_of(term)


def as_printed(term: str | None) -> str:
    return "@node" if term is not None and is_node(term) else str(term)


@cache
def graphs() -> dict[str, SourceGraph]:
    configuration = sample.configuration()
    read = {}
    for source in configuration.sources:
        read[source.id] = read_source(configuration, source, configuration.folder)
        apply_source_rules(configuration, read[source.id], schema())
    return read


@cache
def schema() -> Schema:
    core, mappings = read_schema(sample.configuration())
    return Schema(core | mappings)


@cache
def assembled() -> Assembled:
    return assemble(sample.configuration(), graphs(), schema())


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    built = Warehouse(sample.configuration(), tmp_path_factory.mktemp("warehouse") / "work")
    assert built.build().active
    return built


@pytest.mark.parametrize("case", cases("warehouse/authorship.json", "cases"))
def test_authorship(case: dict[str, Any]) -> None:
    told = split_authorship(case["text"])
    parts = None if told is None else {"authors": list(told.authors), "year": told.year, "moved": told.moved}
    assert parts == case["result"]


@pytest.mark.parametrize("case", cases("warehouse/skolem.json", "cases"))
def test_names_of_nodes(case: dict[str, Any]) -> None:
    assert node(case["parts"]) == f"<{case['iri']}>"


@pytest.mark.parametrize("vector", whole("warehouse/transformation.json"))
def test_transformation(vector: dict[str, Any]) -> None:
    assert {name: len(graph.raw) for name, graph in graphs().items()} == vector["raw_triples"]
    assert {name: len(graph.triples) for name, graph in graphs().items()} == vector["after_rules"]
    competitors = sorted([s, o] for s, _, o in assembled().derived["competitors"])
    assert competitors == vector["competitors"]
    assert competitors != vector["competitors_as_printed_wrong"]
    core = sample.configuration().vocabulary
    for name, members in vector["flod_classes"].items():
        assert sorted(s for s, p, o in graphs()["flod"].triples if (p, o) == (RDF_TYPE, core[name])) == members
    assignment = node(
        ["assignment", "http://www.marinespecies.org/entities/WoRMS:127027/Thunnus_albacares",
         "BC46_1_Scientific_Name_Assignment", "Thunnus albacares", "", "(Bonnaterre, 1788)"]
    )  # fmt: skip
    said = sorted([p, o] for s, p, o in graphs()["worms"].triples if s == assignment)
    assert said == vector["name_assignment_of_thunnus_albacares_in_worms"]


@pytest.mark.parametrize("case", cases("warehouse/matching.json", "transforms"))
def test_transforms(case: dict[str, Any]) -> None:
    assert apply(case["value"], case["transforms"]) == case["result"]


@pytest.mark.parametrize("case", cases("warehouse/matching.json", "comparators"))
def test_comparators(case: dict[str, Any]) -> None:
    a, b = case["a"], case["b"]
    assert levenshtein(a, b) == case["levenshtein"]
    assert jaro_winkler(a, b) == pytest.approx(case["jaro_winkler"], abs=1e-9)
    assert token_jaccard(a, b) == pytest.approx(case["token_jaccard"], abs=1e-9)


@pytest.mark.parametrize("vector", whole("warehouse/matching.json"))
def test_matching(vector: dict[str, Any]) -> None:
    found = assembled()
    for rule, links in vector["links_per_rule"].items():
        assert [[bare(link.left), bare(link.right)] for link in found.links[rule]] == links, rule
    clusters = [{"canonical": bare(each.canonical), "members": [*map(bare, each.members)]} for each in found.clusters]
    assert clusters == vector["clusters"]
    candidates = [
        {"rule": link.rule, "left": bare(link.left), "right": bare(link.right), "status": link.status}
        for link in found.candidates
    ]
    assert candidates == vector["candidates"]
    assert found.conflicts == []


@pytest.mark.parametrize("vector", whole("warehouse/matching.json"))
def test_common_names_as_identity_merge_two_species(vector: dict[str, Any]) -> None:
    unguarded = [{**rule, "link": "sameAs"} for rule in sample.matches()]
    found = assemble(sample.configuration(match=unguarded), graphs(), schema())
    conflicts = [
        {"canonical": bare(each.cluster.canonical), "members": [*map(bare, each.cluster.members)]}
        for each in found.conflicts
    ]
    assert conflicts == vector["unguarded_rule3_conflicts"]
    lightest = [{**rule, "link": "sameAs", "weight": 0.1 if rule["id"] == "R3" else 1.0} for rule in sample.matches()]
    weighed = assemble(sample.configuration(match=lightest), graphs(), schema())
    assert [conflict.weakest_rule for conflict in weighed.conflicts] == ["R3"]
    split = sample.configuration(match=lightest, warehouse={"on_conflict": "split"})
    assert assemble(split, graphs(), schema()).conflicts == []


@pytest.mark.parametrize("vector", whole("warehouse/matching.json"))
def test_rules_as_printed_link_nothing_where_one_side_is_not_lower_case(vector: dict[str, Any]) -> None:
    printed = []
    for rule in sample.matches():
        if rule["id"] in ("R7", "R8"):
            rule = {**rule, "left": {**rule["left"], "transforms": []}}
        if rule["id"] == "R11":
            rule = {**rule, "left": {**rule["left"], "transforms": []}}
        printed.append(rule)
    found = assemble(sample.configuration(match=printed), graphs(), schema())
    for rule, number in vector["links_with_printed_transforms"].items():
        assert len(found.links[rule]) == number, rule


@pytest.mark.parametrize("vector", whole("warehouse/inference.json"))
def test_inference(vector: dict[str, Any], warehouse: Warehouse) -> None:
    assert {name: len(triples) for name, triples in assembled().views.items()} == vector["view_triples"]
    assert {name: len(triples) for name, triples in assembled().inferred.items()} == vector["inferred_triples"]
    for question in vector["equivalence"].values():
        assert sorted([*row] for row in warehouse.query(question["materialised"]).rows) == question["answers"]


@pytest.mark.parametrize("vector", whole("warehouse/inference.json"))
def test_inference_in_the_query_gives_the_same(vector: dict[str, Any], tmp_path: Path) -> None:
    lazy = Warehouse(sample.configuration(warehouse={"inference": "query"}), tmp_path / "work")
    assert lazy.build().active
    for question in vector["equivalence"].values():
        assert sorted([*row] for row in lazy.query(question["materialised"]).rows) == question["answers"]


@pytest.mark.parametrize("vector", whole("warehouse/competence.json"))
def test_competence(vector: dict[str, Any], warehouse: Warehouse) -> None:
    results = {result.query.id: result for result in warehouse.competence()}
    assert results.keys() == vector["queries"].keys()
    for name, result in results.items():
        assert dict(result.rows_per_source) == vector["rows_per_source"][name], name
        assert result.passed
        rows = sorted([as_printed(term) for term in row] for row in warehouse.query(vector["queries"][name]).rows)
        assert rows == vector["rows_in_warehouse"][name], name


@pytest.mark.parametrize("case", cases("warehouse/provenance.json", "cases"))
def test_provenance(case: dict[str, Any], warehouse: Warehouse) -> None:
    select = " ".join(f"?{name}" for name in case["select"])
    question = f"SELECT {select} WHERE {{ {' . '.join(case['patterns'])} . {case['filter']} }}"
    found = [
        {
            "answer": list(row.answer),
            "sources": list(row.sources),
            "minimal_witnesses": [list(each) for each in row.minimal_witnesses],
        }
        for row in warehouse.query(question, provenance=True)
    ]
    assert found == case["result"]


@pytest.mark.parametrize("vector", whole("warehouse/metrics.json"))
def test_metrics(vector: dict[str, Any]) -> None:
    entities = [f"<{name}>" for name in vector["complementarity"]["per_entity"]]
    before = {name: graph.triples for name, graph in graphs().items()}
    metrics = measure_connectivity(assembled().views, before, entities)
    for name, sizes in vector["sizes"].items():
        each, degree, unique = metrics.sources[name], vector["average_degree"][name], vector["unique"][name]
        assert [each.triples, each.iris, each.iris_before_matching, each.literals] == [*sizes.values()]
        found = [each.degree_in_source, each.degree_in_warehouse, each.degree_increase]
        assert found == pytest.approx([*degree.values()], abs=1e-6)
        shares = [each.unique, each.unique_share_of_source, each.unique_share_of_warehouse]
        assert shares == pytest.approx([*unique.values()], abs=1e-6)

    def listed(overlaps: dict[tuple[str, str], Overlap]) -> dict[str, list[float]]:
        return {"|".join(pair): [each.common, round(each.share, 6)] for pair, each in overlaps.items()}

    assert listed(metrics.common_iris_before_matching) == vector["common_uris_before_matching"]
    assert listed(metrics.common_iris) == vector["common_uris"]
    assert listed(metrics.common_literals) == vector["common_literals"]
    assert metrics.triples == vector["warehouse_triples"]
    assert {bare(term): number for term, number in metrics.complementarity.items()} == (
        vector["complementarity"]["per_entity"]
    )
    assert metrics.average_complementarity == vector["complementarity"]["average"]


@pytest.mark.parametrize("vector", whole("warehouse/refresh.json"))
def test_refresh(vector: dict[str, Any], tmp_path: Path) -> None:
    """One source is replaced: the refreshed warehouse is the one that a whole build makes."""
    folder = tmp_path / "sources"
    sample.copy_to(folder)
    configuration = sample.configuration(folder=folder, competence=[])  # the new source has no vessel any more
    refreshed = Warehouse(configuration, tmp_path / "refreshed")
    assert refreshed.build().active
    before = {name: rows_of(refreshed, name) for name in vector["changes"]}
    (folder / vector["old"]).write_bytes((folder / vector["new"]).read_bytes())
    report = refreshed.refresh(vector["source"])
    assert report.active
    triples = {name: each["triples"] for name, each in report.content["sources"].items()}
    assert triples == vector["expected_triples_after_rules"]
    for name, change in vector["changes"].items():
        after = rows_of(refreshed, name)
        assert [row for row in after if row not in before[name]] == change["added"]
        assert [row for row in before[name] if row not in after] == change["removed"]
    question = "SELECT ?x ?y WHERE { ?x tlo:LT22_usually_is_competitor_of ?y }"
    assert sorted([*row] for row in refreshed.query(question).rows) == vector["competitors"]
    rebuilt = Warehouse(configuration, tmp_path / "rebuilt")
    assert rebuilt.build().active
    assert refreshed.dump() == rebuilt.dump()


def rows_of(warehouse: Warehouse, name: str) -> list[list[str]]:
    question = vectors.load("warehouse/competence.json")["queries"][name]
    return sorted([as_printed(term) for term in row] for row in warehouse.query(question).rows)


@pytest.mark.parametrize("vector", whole("warehouse/entity_card.json"))
def test_entity_card(vector: dict[str, Any], warehouse: Warehouse) -> None:
    card = warehouse.card(vector["entity"])
    groups = [
        {
            "source": source,
            "properties": {
                name: sorted({as_printed(value) for value in values}) for name, values in properties.items()
            },
        }
        for source, properties in card.groups
    ]
    assert groups == vector["groups"]
    assert warehouse.card("http://dbpedia.org/resource/Yellowfin_tuna").entity == vector["entity"]


def tree_as_listed(tree: VocabularyTree) -> dict[str, Any]:
    return {
        "root": tree.root,
        "parent": dict(tree.parent),
        "dropped": [list(edge) for edge in tree.dropped],
        "collapsed": {name: list(members) for name, members in tree.collapsed.items()},
        "leaves": tree.leaves,
        "leaf_ranges": {name: list(ends) for name, ends in tree.leaf_ranges.items()},
        "levels": tree.levels,
        "height": tree.height,
    }


@pytest.mark.parametrize("vector", whole("warehouse/hierarchy.json"))
def test_hierarchies(vector: dict[str, Any]) -> None:
    places = read_rdf(sample.sources_folder() / "places.ttl", "places")
    named = {"shorten": "https://crypsis.example/place/"}
    deepest = tree_as_listed(build_hierarchy(places, **named))
    assert {name: deepest[name] for name in vector["places_deepest"]} == vector["places_deepest"]
    shallowest = build_hierarchy(places, polyhierarchy="shallowest", **named)
    assert shallowest.parent["harbour"] == vector["places_shallowest_parent_of_harbour"]
    taxa = tree_as_listed(build_hierarchy(assembled().surface, "tlo:LT8_usually_belongs_to"))
    assert {name: taxa[name] for name in vector["taxonomy"]} == vector["taxonomy"]


@pytest.mark.parametrize("case", cases("warehouse/individuals.json", "pairs"))
def test_individuals(case: dict[str, Any]) -> None:
    thresholds = vectors.load("warehouse/individuals.json")["thresholds"]
    score = jaro_winkler(case["left"], case["right"])
    assert score == pytest.approx(case["score"], abs=1e-9)
    decision = "sameAs" if score >= thresholds["sameAs"] else "candidate" if score >= thresholds["candidate"] else "no"
    assert decision == case["decision"]
    (register,) = (row for row in sample.people("register.csv") if row["id"] == case["register"])
    (clinic,) = (row for row in sample.people("clinic.csv") if row["pid"] == case["clinic"])
    assert apply(register["name"], ["person_name"]) == case["left"]
    assert apply(clinic["full_name"], ["person_name"]) == case["right"]
    assert apply(register["birth_date"], ["iso_date"]) == apply(clinic["dob"], ["iso_date"])


@pytest.mark.parametrize("case", cases("warehouse/individuals.json", "conflict_policies"))
def test_policies_for_conflicts(case: dict[str, Any]) -> None:
    values = [(source, value) for source, value in case["values"]]
    if "error" in case["result"]:
        with pytest.raises(ConflictingValues):
            decide(values, case["policy"], case["priority"])
        return
    found = decide(values, case["policy"], case["priority"])
    assert {"value": found.value, "sources": list(found.sources), "conflict": found.conflict} == case["result"]


@pytest.mark.parametrize("vector", whole("warehouse/release_rdf.json"))
def test_description_of_a_release(vector: dict[str, Any]) -> None:
    manifest = {
        **vector["manifest"],
        "sources": [SourceOfRelease(**source) for source in vector["manifest"]["sources"]],
        "distributions": [Distribution(**each) for each in vector["manifest"]["distributions"]],
    }
    lines = sorted(f"{s} {p} {o} ." for s, p, o in describe_release(ReleaseDescription(**manifest)))
    assert lines == vector["ntriples"]
