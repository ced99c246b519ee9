"""Warehouse: several sources about the same things, built into one store that can be asked, checked and refreshed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crypsis.errors import BadQuery, BadWarehouse, SourceUnreachable
from crypsis.version import VERSION
from crypsis.warehouse import sparql as sparql_text
from crypsis.warehouse.asking import ask_in_process
from crypsis.warehouse.assembly import Assembled, SourceGraph, apply_source_rules, assemble, read_schema, read_source
from crypsis.warehouse.cards import Card, index_page, make_card
from crypsis.warehouse.configuration import CompetenceQuery, Configuration, SourceConfiguration
from crypsis.warehouse.connectivity import Connectivity, alarms, measure_connectivity
from crypsis.warehouse.engines import Answer, EmbeddedEngine, Engine, SparqlEngine
from crypsis.warehouse.hierarchies import VocabularyTree, build_hierarchy
from crypsis.warehouse.inference import Schema
from crypsis.warehouse.integration import IntegratedTable, integrate
from crypsis.warehouse.matching import Cluster, Link
from crypsis.warehouse.paths import find_file, name_below
from crypsis.warehouse.provenance import Witnessed, witness
from crypsis.warehouse.rewriting import infer_in_query
from crypsis.warehouse.sources.endpoints import fetch_endpoint
from crypsis.warehouse.sources.rdf import read_rdf
from crypsis.warehouse.terms import CANONICAL, NODE_PREFIX, RDF_TYPE, Term, Triple, expand, iri, iri_of, is_node
from crypsis.warehouse.void import describe_connectivity
from crypsis.warehouse.work_directory import (
    WorkDirectory,
    read_candidates,
    read_triples,
    write_candidates,
    write_links,
    write_triples,
)

Progress = Callable[[str], None]
MOST_ROWS = 100_000
_NODE = re.compile(f"<{re.escape(NODE_PREFIX)}[0-9a-f]+>")
SECONDS = 30.0


@dataclass(frozen=True)
class CompetenceResult:
    """Whether a competence query found what it must."""

    query: CompetenceQuery
    rows: int
    rows_per_source: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """Enough rows, and exactly the expected sources can answer alone, where that is said."""
        alone = {source for source, rows in self.rows_per_source.items() if rows}
        return self.rows >= self.query.minimum_rows and (self.query.sources is None or alone == set(self.query.sources))

    def to_dict(self) -> dict[str, Any]:
        """The form of `report.json`."""
        return {
            "id": self.query.id,
            "title": self.query.title,
            "passed": self.passed,
            "rows": self.rows,
            "minimum_rows": self.query.minimum_rows,
            "rows_per_source": dict(self.rows_per_source),
            "expected_sources": None if self.query.sources is None else list(self.query.sources),
        }


@dataclass(frozen=True)
class BuildReport:
    """What a build made, what it found wrong, and whether it became active."""

    active: bool
    content: Mapping[str, Any]

    @property
    def competence(self) -> list[dict[str, Any]]:
        """The competence queries with their results."""
        return list(self.content["competence"])

    @property
    def failed(self) -> list[str]:
        """The competence queries that did not pass."""
        return [each["id"] for each in self.competence if not each["passed"]]


class Warehouse:
    """A warehouse as configured, in its work directory.

    >>> Warehouse.from_config("tuna.toml").build()  # doctest: +SKIP
    """

    def __init__(self, configuration: Configuration, work: str | Path | None = None) -> None:
        self.configuration = configuration
        self.work = WorkDirectory(
            Path(work) if work is not None else configuration.folder / "work" / configuration.name
        )

    @classmethod
    def from_config(cls, path: str | Path, *, work: str | Path | None = None) -> Warehouse:
        """A warehouse from its configuration file."""
        return cls(Configuration.read(path), work)

    # Building

    def build(self, *, progress: Progress = lambda stage: None) -> BuildReport:
        """Fetch and convert every source, and make the result active if its competence queries pass."""
        with self.work.new_build() as build:
            graphs = {}
            for source in self.configuration.sources:
                progress(f"reading {source.id}")
                graphs[source.id] = self._converted(source)
            return self._finish(build, graphs, {}, progress)

    def refresh(self, name: str, *, progress: Progress = lambda stage: None) -> BuildReport:
        """Read one source again; the result equals a whole build."""
        source = self.configuration.source(name)
        active = self._active
        with self.work.new_build() as build:
            progress(f"reading {name}")
            graphs = {}
            for each in self.configuration.sources:
                if each.id == name:
                    graphs[each.id] = self._converted(source)
                else:
                    triples = read_triples(active / "rdf" / f"{each.id}.nt.gz")
                    graphs[each.id] = SourceGraph(each.id, triples, set(triples))
            known = {
                rule.id: self._links_of(active, rule.id)
                for rule in self.configuration.matches
                if name not in rule.sources and (active / "links" / f"{rule.id}.nt.gz").exists()
            }
            return self._finish(build, graphs, known, progress)

    def _converted(self, source: SourceConfiguration) -> SourceGraph:
        """A source with its rules applied, from files that were kept as they were fetched."""
        folder, key = self.configuration.folder, ""
        if source.kind == "sparql":
            graph = self._fetched(source)
        else:
            files = list(_files_of(source, folder))
            if files:
                folder = self.work.keep_raw(source.id, files)
                key = self._key_of(source, folder)
                kept = self.work.converted(source.id, key)
                if kept is not None:
                    return SourceGraph(source.id, *kept)
            graph = read_source(self.configuration, source, folder)
        if not graph.triples:
            raise BadWarehouse(
                f"The source {source.id!r} is empty; the active warehouse stays as it is. Check what was fetched."
            )
        apply_source_rules(self.configuration, graph, self.schema)
        if key and not graph.warnings:
            self.work.keep_converted(source.id, key, graph.raw, graph.triples)
        return graph

    def _key_of(self, source: SourceConfiguration, folder: Path) -> str:
        """What a converted source follows from: its files, how it is read, its rules and the schema; else empty."""
        if source.kind == "table":
            mapping = json.loads((folder / name_below(str(source.settings["mapping"]))).read_text(encoding="utf-8"))
            if any("://" in str(table.get("database", "")) for table in mapping["tables"]):
                return ""  # a server may answer otherwise now
        files = json.loads((folder / "fetch.json").read_text(encoding="utf-8"))["files"]
        rules = [rule for rule in self.configuration.rules if getattr(rule, "source", None) == source.id]
        parts = (VERSION, files, source, rules, self.configuration.base, sorted(self.configuration.prefixes.items()))
        schema = sorted(map(sorted, self._schema_parts))
        return hashlib.sha256(repr((parts, schema)).encode()).hexdigest()

    def _fetched(self, source: SourceConfiguration) -> SourceGraph:
        settings = source.settings
        query = str(settings["query"])
        if "{" not in query:
            query = (self.configuration.folder / query).read_text(encoding="utf-8")
        pages = self.work.path / "fetching" / source.id
        warnings = []
        try:
            paths = fetch_endpoint(
                str(settings["url"]), query, pages, page=int(settings.get("page", 10_000)),
                retries=int(settings.get("retries", 3)),
            )  # fmt: skip
            files = [(path, path.name) for path in paths]
            kept = self.work.keep_raw(source.id, files)
            shutil.rmtree(pages, ignore_errors=True)
        except SourceUnreachable as error:
            if "fallback" not in settings:
                raise
            warnings.append(f"{error.message} The fallback was used.")
            fallback = find_file(self.configuration.folder, str(settings["fallback"]))
            kept = self.work.keep_raw(source.id, [(fallback, fallback.name)])
        raw = set[Triple]()
        for path in sorted(kept.iterdir()):
            if path.name != "fetch.json":
                raw |= read_rdf(path, source.id)
        return SourceGraph(source.id, raw, set(raw), warnings)

    def _finish(
        self, build: Path, graphs: dict[str, SourceGraph], known: Mapping[str, list[Link]], progress: Progress
    ) -> BuildReport:
        assembled = assemble(
            self.configuration,
            graphs,
            self.schema,
            decisions=self.work.decisions(),
            known_links=known,
            progress=progress,
        )
        progress("writing")
        loaded = self._write(build, assembled)
        progress("loading the store")
        with self._opened(build, create=True) as engine:
            engine.load(loaded)
            if isinstance(engine, EmbeddedEngine):
                engine.optimize()
            progress("competence queries")
            competence = self._competence(engine)
        progress("metrics")
        metrics = self._connectivity(assembled)
        before = self._figures_before()
        report = {
            "warehouse": self.configuration.name,
            "title": self.configuration.title,
            "sources": {
                name: {"converted": len(graph.raw), "triples": len(graph.triples), "warnings": graph.warnings}
                for name, graph in graphs.items()
            },
            "inferred": {name: len(triples) for name, triples in assembled.inferred.items()},
            "derived": {name: len(triples) for name, triples in assembled.derived.items()},
            "links": {rule: sum(link.status == "sameAs" for link in links) for rule, links in assembled.links.items()},
            "candidates": len(assembled.candidates),
            "clusters": len(assembled.clusters),
            "conflicts": [
                {
                    "canonical": iri_of(conflict.cluster.canonical),
                    "members": [iri_of(member) for member in conflict.cluster.members],
                    "source": conflict.source,
                    "weakest_rule": conflict.weakest_rule,
                }
                for conflict in assembled.conflicts
            ],
            "metrics": metrics.to_dict(),
            "figures": metrics.figures(),
            "alarms": alarms(before, metrics.figures()) if before else [],
            "competence": [result.to_dict() for result in competence],
        }
        passed = all(result.passed for result in competence)
        report["active"] = passed
        from crypsis.warehouse.report import report_page

        (build / "metrics.ttl").write_text(
            _n_triples(describe_connectivity(self.configuration, metrics)), encoding="utf-8"
        )
        (build / "report.json").write_text(json.dumps(report, indent=2, sort_keys=True), encoding="utf-8")
        (build / "report.html").write_text(report_page(report), encoding="utf-8")
        if passed:
            before_this = self.work.active
            self.work.activate(build)
            self.work.forget_converted()
            self.work.remove_old()
            if before_this is not None:
                self._remove_from_server(before_this)
        else:
            (self.work.path / "rejected.json").write_text(
                json.dumps(report, indent=2, sort_keys=True), encoding="utf-8"
            )
            shutil.rmtree(build)
            self._remove_from_server(build)
        return BuildReport(passed, report)

    def _write(self, build: Path, assembled: Assembled) -> dict[str | None, list[Path]]:
        """The files of a build, and which of them each graph of the store is loaded from."""
        core, mappings = self._schema_parts
        loaded: dict[str | None, list[Path]] = {None: []}

        def keep(path: Path, triples: set[Triple], graph: str | None, *, surface: bool = False) -> None:
            write_triples(path, triples)
            if graph is not None:
                loaded[graph] = [path]
            if surface and loaded[None] is not None:
                loaded[None].append(path)

        for name, graph in assembled.sources.items():
            keep(build / "rdf" / f"{name}.nt.gz", graph.triples, f"graph:source:{name}")
            keep(build / "view" / f"{name}.nt.gz", assembled.views[name], f"graph:view:{name}", surface=True)
            keep(build / "inferred" / f"{name}.nt.gz", assembled.inferred[name], f"graph:inferred:{name}", surface=True)
        for rule, triples in assembled.derived.items():
            keep(build / "derived" / f"{rule}.nt.gz", triples, f"graph:derived:{rule}", surface=True)
        for rule, links in assembled.links.items():
            write_links(build / "links", rule, links)
            loaded[f"graph:links:{rule}"] = [build / "links" / f"{rule}.nt.gz"]
        write_candidates(build / "links" / "candidates.csv", assembled.candidates)
        closure = {
            (member, CANONICAL, cluster.canonical) for cluster in assembled.clusters for member in cluster.members
        }
        keep(build / "links" / "closure.nt.gz", closure, "graph:closure")
        keep(build / "ontology.nt.gz", core, "graph:ontology", surface=self.configuration.inference == "query")
        keep(build / "mapping.nt.gz", mappings, "graph:mapping", surface=self.configuration.inference == "query")
        return loaded

    # Asking

    def query(
        self, sparql: str, *, provenance: bool = False, timeout: float = SECONDS, most_rows: int = MOST_ROWS
    ) -> Answer | list[Witnessed]:
        """The answer to a question; with `provenance`, every row with the sources that it comes from."""
        sparql_text.refuse_what_leaves(sparql)
        text = self.prologue + sparql
        active = self._active

        def ask(question: str) -> Answer:
            if self.configuration.engine.kind == "embedded":
                return ask_in_process(active / "store", question, timeout=timeout, most_rows=most_rows)
            with self._opened(active) as engine:
                return engine.query(question, timeout=timeout, most_rows=most_rows)

        if not provenance:
            return ask(infer_in_query(text) if self.configuration.inference == "query" else text)
        names = [source.id for source in self.configuration.sources]
        graphs = {f"graph:{kind}:{name}": name for name in names for kind in ("view", "inferred")}
        return witness(text, ask, graphs, self._edges)

    def _edges(self, property: str) -> dict[str, set[tuple[Term, Term]]]:
        term = expand(property, self.configuration.prefixes)
        return {
            name: {(s, o) for s, p, o in triples | self._inferred[name] if p == term}
            for name, triples in self._views.items()
        }

    @property
    def prologue(self) -> str:
        """Declarations of all prefixes."""
        return "".join(f"PREFIX {name}: <{namespace}>\n" for name, namespace in self.configuration.prefixes.items())

    def competence(self) -> list[CompetenceResult]:
        """The competence queries on the active warehouse."""
        with self._opened(self._active) as engine:
            return self._competence(engine)

    def _competence(self, engine: Engine) -> list[CompetenceResult]:
        results = []
        for query in self.configuration.competence:
            text = self.prologue + query.sparql
            inferred = infer_in_query(text) if self.configuration.inference == "query" else text
            per_source = {
                source.id: len(engine.query(self._on_one_source(inferred, source.id)).rows)
                for source in self.configuration.sources
            }
            results.append(CompetenceResult(query, len(engine.query(inferred).rows), per_source))
        return results

    def _on_one_source(self, text: str, name: str) -> str:
        """A query over the view and the inferred triples of one source alone."""
        graphs = [f"graph:view:{name}", f"graph:inferred:{name}"]
        if self.configuration.inference == "query":
            graphs += ["graph:ontology", "graph:mapping"]
        clauses = " ".join(f"FROM <{graph}>" for graph in graphs)
        return re.sub(r"\bWHERE\b", f"{clauses} WHERE", text, count=1, flags=re.IGNORECASE)

    def metrics(self) -> dict[str, Any]:
        """The connectivity metrics of the active build."""
        return dict(self.report().content["metrics"])

    def report(self) -> BuildReport:
        """The report of the active build."""
        content = json.loads((self._active / "report.json").read_text(encoding="utf-8"))
        return BuildReport(bool(content["active"]), content)

    def card(self, entity: str) -> Card:
        """What every source says of an entity, under its canonical name."""
        term = self.canonical(iri(entity))
        with self._opened(self._active) as engine:
            views = {}
            for source in self.configuration.sources:
                graph = f"graph:view:{source.id}"
                outgoing = engine.query(f"SELECT ?p ?o WHERE {{ GRAPH <{graph}> {{ {term} ?p ?o }} }}").rows
                incoming = engine.query(f"SELECT ?s ?p WHERE {{ GRAPH <{graph}> {{ ?s ?p {term} }} }}").rows
                views[source.id] = [
                    *((term, str(p), str(o)) for p, o in outgoing),
                    *((str(s), str(p), term) for s, p in incoming),
                ]
        card = make_card(term, views)
        if not card.groups:
            raise BadQuery(f"The warehouse says nothing of {entity}.")
        return card

    def fact_sheets(self, class_: str, folder: str | Path, *, progress: Progress = lambda stage: None) -> int:
        """A static page for every entity of a class, and an index; returns how many."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        views, wanted = self._views, self._instances(class_)
        about: dict[Term, dict[str, list[Triple]]] = {}
        for source, triples in views.items():
            for triple in triples:
                for term in {triple[0], triple[2]} & wanted:
                    about.setdefault(term, {}).setdefault(source, []).append(triple)
        listed = []
        for index, term in enumerate(sorted(about)):
            if index % 1000 == 0:
                progress(f"fact sheet {index:,} of {len(about):,}")
            card = make_card(term, about[term])
            name = f"{index:06d}.html"
            (target / name).write_text(card.to_html(), encoding="utf-8")
            listed.append((card.labels[0] if card.labels else card.entity, name))
        (target / "index.html").write_text(index_page(self.configuration.title, listed), encoding="utf-8")
        return len(listed)

    def canonical(self, term: Term) -> Term:
        """The canonical name of an entity; itself if it has no other."""
        with self._opened(self._active) as engine:
            rows = engine.query(f"SELECT ?c WHERE {{ GRAPH <graph:closure> {{ {term} {CANONICAL} ?c }} }}").rows
        return str(rows[0][0]) if rows else term

    def search(self, text: str, *, most: int = 50) -> list[tuple[str, str]]:
        """Entities with a label or name that contains a text: IRI and label."""
        wanted = json.dumps(text.lower())
        core = self.configuration.vocabulary
        query = (
            "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> "
            "SELECT DISTINCT ?e ?l WHERE { { ?e rdfs:label|skos:prefLabel|skos:altLabel ?l } UNION "
            f"{{ ?e {core['LX6_type_was_attributed_by']}/{core['assignedName']} ?l }} "
            f"FILTER(CONTAINS(LCASE(STR(?l)), {wanted})) }} ORDER BY ?e ?l LIMIT {int(most) * 4}"
        )
        with self._opened(self._active) as engine:
            rows = engine.query(query, timeout=SECONDS).rows
        found: dict[str, str] = {}
        for entity, label in rows:
            if entity is not None and label is not None and not is_node(entity):
                found.setdefault(iri_of(entity), label.split('"')[1])
        return list(found.items())[:most]

    def clusters(self) -> list[Cluster]:
        """Entities that are one."""
        members: dict[Term, list[Term]] = {}
        for member, _, canonical in read_triples(self._active / "links" / "closure.nt.gz"):
            members.setdefault(canonical, []).append(member)
        return [Cluster(canonical, tuple(sorted(members[canonical]))) for canonical in sorted(members)]

    def candidates(self) -> list[Link]:
        """Pairs that wait for a person's decision."""
        decisions = self.work.decisions()
        decided = decisions.accepted | decisions.rejected
        listed = read_candidates(self._active / "links" / "candidates.csv")
        return [link for link in listed if (link.left, link.right) not in decided]

    def decide(self, left: str, right: str, *, accept: bool | None) -> None:
        """Accept or reject a candidate (`None` takes it back); it counts from the next build on."""
        self.work.decide(iri(left), iri(right), accept=accept)

    # Service to the workbench

    def hierarchy(
        self, via: str | Sequence[str], *, domain: Sequence[str] | None = None, **options: Any
    ) -> VocabularyTree:
        """A generalization hierarchy out of a vocabulary of the warehouse."""
        surface = set().union(*self._views.values(), *self._inferred.values())
        return build_hierarchy(surface, via, domain=domain, prefixes=self.configuration.prefixes, **options)

    def to_table(
        self, class_: str, columns: Mapping[str, str | Sequence[str]], policy: Mapping[str, str] | str = "priority"
    ) -> IntegratedTable:
        """One row per entity of a class, integrated over the sources; to be anonymized as one table."""
        kinds = self.schema.subclasses(expand(class_, self.configuration.prefixes))
        return integrate(
            self._views,
            kinds,
            columns,
            policy=policy,
            priority=self.configuration.canonical_priority,
            prefixes=self.configuration.prefixes,
        )

    def subjects(self, class_: str) -> set[Term]:
        """Every name that the entities of a class have; none of them may be published."""
        named = self._instances(class_)
        return named | {
            member for cluster in self.clusters() if cluster.canonical in named for member in cluster.members
        }

    def _instances(self, class_: str) -> set[Term]:
        kinds = self.schema.subclasses(expand(class_, self.configuration.prefixes))
        return {
            s
            for triples in (*self._views.values(), *self._inferred.values())
            for s, p, o in triples
            if p == RDF_TYPE and o in kinds
        }

    def records_per_source(self, class_: str) -> dict[str, int]:
        """How many entities of a class each source knows."""
        kinds = self.schema.subclasses(expand(class_, self.configuration.prefixes))
        return {
            name: len({s for s, p, o in triples if p == RDF_TYPE and o in kinds})
            for name, triples in self._views.items()
        }

    def dump(self, *, blank_nodes: bool = False) -> str:
        """Everything in the store as sorted N-Quads: the same sources give the same bytes.

        With `blank_nodes` intermediate nodes are numbered by line instead of named after their content.
        """
        with self._opened(self._active) as engine:
            lines = [f"{s} {p} {o} ." for s, p, o in engine.query("SELECT ?s ?p ?o WHERE { ?s ?p ?o }").rows]
            named = engine.query("SELECT ?s ?p ?o ?g WHERE { GRAPH ?g { ?s ?p ?o } }").rows
        text = "\n".join(sorted([*lines, *(f"{s} {p} {o} {g} ." for s, p, o, g in named)])) + "\n"
        if not blank_nodes:
            return text
        numbers: dict[str, int] = {}
        return _NODE.sub(lambda found: f"_:b{numbers.setdefault(found[0], len(numbers))}", text)

    # What is kept

    @cached_property
    def _schema_parts(self) -> tuple[set[Triple], set[Triple]]:
        return read_schema(self.configuration)

    @cached_property
    def schema(self) -> Schema:
        """The closure of core ontology and mappings."""
        core, mappings = self._schema_parts
        return Schema(core | mappings)

    @property
    def _active(self) -> Path:
        active = self.work.active
        if active is None:
            raise BadWarehouse("There is no active build yet; run: crypsis warehouse build CONFIGURATION")
        return active

    @property
    def _views(self) -> dict[str, set[Triple]]:
        return self._kept("view")

    @property
    def _inferred(self) -> dict[str, set[Triple]]:
        return self._kept("inferred")

    def _kept(self, kind: str) -> dict[str, set[Triple]]:
        return {
            source.id: read_triples(self._active / kind / f"{source.id}.nt.gz") for source in self.configuration.sources
        }

    def _links_of(self, active: Path, rule: str) -> list[Link]:
        firm = [Link(s, o, rule) for s, _, o in read_triples(active / "links" / f"{rule}.nt.gz")]
        held = [link for link in read_candidates(active / "links" / "candidates.csv") if link.rule == rule]
        return sorted([*firm, *held])

    def _connectivity(self, assembled: Assembled) -> Connectivity:
        species = {
            s
            for triples in (*assembled.views.values(), *assembled.inferred.values())
            for s, p, o in triples
            if p == RDF_TYPE and not is_node(s) and o == self.configuration.vocabulary["BT27_Species"]
        }
        before = {name: graph.triples for name, graph in assembled.sources.items()}
        return measure_connectivity(assembled.views, before, species, literal_key=self.configuration.literal_key)

    def _figures_before(self) -> dict[str, float]:
        active = self.work.active
        if active is None:
            return {}
        content = json.loads((active / "report.json").read_text(encoding="utf-8"))
        return dict(content.get("figures", {}))

    def _opened(self, build: Path, *, create: bool = False) -> _Opened:
        if self.configuration.engine.kind == "sparql":
            return _Opened(SparqlEngine(self.configuration.engine, build.name, self._graphs))
        store = build / "store"
        if create:
            store.mkdir(mode=0o700)
        return _Opened(EmbeddedEngine(store, read_only=not create))

    @property
    def _graphs(self) -> list[str]:
        """Names of all graphs but the default one."""
        names = [source.id for source in self.configuration.sources]
        derived = [rule.id for rule in self.configuration.rules if rule.scope == "warehouse"]
        return [
            *(f"graph:{kind}:{name}" for name in names for kind in ("source", "view", "inferred")),
            *(f"graph:derived:{rule}" for rule in derived),
            *(f"graph:links:{rule}" for rule in (*(match.id for match in self.configuration.matches), "stated")),
            "graph:closure",
            "graph:ontology",
            "graph:mapping",
        ]

    def _remove_from_server(self, build: Path) -> None:
        if self.configuration.engine.kind == "sparql":
            SparqlEngine(self.configuration.engine, build.name, self._graphs).remove()


class _Opened:
    """An engine that is closed at the end."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def __enter__(self) -> Engine:
        return self.engine

    def __exit__(self, *failure: object) -> None:
        self.engine.close()


def _files_of(source: SourceConfiguration, folder: Path) -> list[tuple[Path, str]]:
    """The local files of a source with the names under which they are kept."""
    settings = source.settings
    if source.kind == "rdf":
        files = settings["files"]
        names = [files] if isinstance(files, str) else list(files)
    elif source.kind == "dwca":
        root = find_file(folder, settings["path"])
        if root.is_dir():
            inside = [path for path in sorted(root.rglob("*")) if path.is_file()]
            return [(path, f"{name_below(settings['path'])}/{path.relative_to(root)}") for path in inside]
        names = [settings["path"]]
    elif source.kind == "table":
        mapping = str(settings["mapping"])
        content = json.loads(find_file(folder, mapping).read_text(encoding="utf-8"))
        listed = [str(table[key]) for table in content["tables"] for key in ("file", "database") if key in table]
        beside = [
            name if name.startswith("$") else str(Path(mapping).parent / name) for name in listed if "://" not in name
        ]
        names = [mapping, *beside]
    else:
        names = []
    return [(find_file(folder, name), name_below(name)) for name in dict.fromkeys(names)]


def _n_triples(triples: Sequence[Triple]) -> str:
    return "".join(f"{s} {p} {o} .\n" for s, p, o in triples)
