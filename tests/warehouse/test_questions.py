"""Questions: read-only, limited, with the sources of every answer."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from crypsis.errors import BadQuery
from crypsis.warehouse import Warehouse
from crypsis.warehouse.engines import EmbeddedEngine
from crypsis.warehouse.sparql import parse_select, tokens
from tests.warehouse import sample

NAMES = (
    "SELECT DISTINCT ?s ?n WHERE { ?s a tlo:BT27_Species ; tlo:LX6_type_was_attributed_by/tlo:assignedName ?n "
    'OPTIONAL { ?s tlo:LT24_usually_occurs_in ?w } FILTER(REGEX(STR(?n), "tuna")) }'
)
CODES = (
    "SELECT ?p ?t ?code WHERE { ?p tlo:LT20_usually_is_predator_of ?x ; tlo:LT8_usually_belongs_to+ ?t ; "
    "tlo:LX6_type_was_attributed_by [ tlo:assignedCode ?code ] }"
)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Warehouse:
    built = Warehouse(sample.configuration(), tmp_path_factory.mktemp("questions") / "work")
    assert built.build().active
    return built


@pytest.mark.parametrize(
    "question",
    [
        "SELECT * WHERE { SERVICE <http://example.org/> { ?s ?p ?o } }",
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "DELETE WHERE { ?s ?p ?o }",
        "LOAD <file:///etc/passwd>",
        "SELECT * FROM <file:///etc/passwd> WHERE { ?s ?p ?o }",
        "CLEAR ALL",
        "SELECT ?s WHERE { ?s ?p",
        "nonsense {",
    ],
)
def test_what_is_no_question_is_refused(question: str, warehouse: Warehouse) -> None:
    before = warehouse.dump()
    with pytest.raises(BadQuery):
        warehouse.query(question)
    assert warehouse.dump() == before


def test_words_in_texts_and_comments_are_no_commands(warehouse: Warehouse) -> None:
    question = 'SELECT ?s WHERE { ?s rdfs:label ?l # DROP ALL\n FILTER(?l = "INSERT; SERVICE") }'
    assert warehouse.query(question).rows == []


@pytest.mark.long
def test_answers_are_limited_in_rows_and_time(warehouse: Warehouse) -> None:
    with pytest.raises(BadQuery, match="more than 10 rows"):
        warehouse.query("SELECT ?s WHERE { ?s ?p ?o }", most_rows=10)
    with pytest.raises(BadQuery, match="longer than"):
        warehouse.query("SELECT ?a ?c WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }", timeout=0.2, most_rows=10**9)


@pytest.mark.parametrize("question", [NAMES, CODES])
def test_a_witness_suffices_and_nothing_less_does(question: str, warehouse: Warehouse) -> None:
    """The sources of an answer give it by themselves; without one of every witness it is lost."""
    found = warehouse.query(question, provenance=True)
    assert {row.answer for row in found} == set(warehouse.query(question).rows)
    views, inferred = warehouse._views, warehouse._inferred
    answers = {}
    for size in range(len(views) + 1):
        for chosen in combinations(sorted(views), size):
            triples = set().union(*(views[name] | inferred[name] for name in chosen)) if chosen else set()
            answers[frozenset(chosen)] = answered(question, triples, warehouse)
    for row in found:
        witnesses = [frozenset(each) for each in row.minimal_witnesses]
        for sources, rows in answers.items():
            assert (row.answer in rows) == any(each <= sources for each in witnesses), (row, sources)


def answered(question: str, triples: set[tuple[str, str, str]], warehouse: Warehouse) -> set[tuple[str | None, ...]]:
    engine = EmbeddedEngine()
    lines = "\n".join(f"{s} {p} {o} ." for s, p, o in triples)
    engine.store.load(input=lines, format=engine.library.RdfFormat.N_TRIPLES)
    return set(engine.query(warehouse.prologue + question).rows)


def rows_of(warehouse: Warehouse, text: str) -> list[tuple[str | None, ...]]:
    """The answer to a query that declares its prefixes itself."""
    with warehouse._opened(warehouse._active) as engine:
        return engine.query(text).rows


def test_aggregates_have_no_sources(warehouse: Warehouse) -> None:
    with pytest.raises(BadQuery, match="aggregate"):
        warehouse.query("SELECT (COUNT(?s) AS ?n) WHERE { ?s ?p ?o }", provenance=True)


def test_queries_are_read_and_written_again(warehouse: Warehouse) -> None:
    for question in [query.sparql for query in warehouse.configuration.competence] + [NAMES, CODES]:
        parsed = parse_select(warehouse.prologue + question)
        text = f"{parsed.prologue}\nSELECT DISTINCT {' '.join(f'?{name}' for name in parsed.variables)} "
        again = text + f"WHERE {parsed.where.write(lambda pattern: pattern.text)} {parsed.tail}"
        rows, expected = rows_of(warehouse, again), rows_of(warehouse, warehouse.prologue + question)
        assert set(rows) == set(expected), question
    with pytest.raises(BadQuery):
        tokens("SELECT \x00")


@pytest.mark.long
def test_inference_in_the_query_and_before_it_agree_on_every_class_and_property(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    lazy = Warehouse(sample.configuration(warehouse={"inference": "query"}), tmp_path / "work")
    assert lazy.build().active
    schema = warehouse.schema
    classes = sorted({*schema.superclasses, *(c for above in schema.superclasses.values() for c in above)})
    properties = sorted(
        {*schema.superproperties, *schema.inverses, *(p for a in schema.superproperties.values() for p in a)}
    )
    assert len(classes) > 20
    for kind in classes:
        question = f"SELECT DISTINCT ?s WHERE {{ ?s a {kind} }}"
        assert sorted(lazy.query(question).rows) == sorted(warehouse.query(question).rows), kind
    derived = "LT22_usually_is_competitor_of"  # a rule of the warehouse, which has no inferred triples of its own
    for property in (p for p in properties if derived not in p):
        question = f"SELECT DISTINCT ?s ?o WHERE {{ ?s {property} ?o }}"
        assert sorted(lazy.query(question).rows) == sorted(warehouse.query(question).rows), property
