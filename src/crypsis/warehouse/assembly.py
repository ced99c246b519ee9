"""Assembly: from the triples of each source to links, views, inferred and derived triples, all in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from crypsis.errors import BadWarehouse
from crypsis.warehouse.configuration import Configuration, SourceConfiguration
from crypsis.warehouse.inference import Schema
from crypsis.warehouse.matching import Cluster, Conflict, Link, close, find_links
from crypsis.warehouse.paths import find_file
from crypsis.warehouse.sources.darwin_core import DarwinCoreArchive
from crypsis.warehouse.sources.rdf import name_blank_nodes, read_rdf
from crypsis.warehouse.sources.tables import TableMapping
from crypsis.warehouse.terms import SAME_AS, Term, Triple
from crypsis.warehouse.views import canonical_view


@dataclass(frozen=True)
class Decisions:
    """What a person decided on candidates; a rejected pair is never linked directly."""

    accepted: frozenset[tuple[Term, Term]] = frozenset()
    rejected: frozenset[tuple[Term, Term]] = frozenset()

    def counts(self, link: Link) -> bool:
        """Whether a link joins its entities."""
        pair = (link.left, link.right)
        return pair not in self.rejected and (link.status == "sameAs" or pair in self.accepted)


NO_DECISIONS = Decisions()


@dataclass
class SourceGraph:
    """The triples of one source: as converted, and with what its rules add."""

    id: str
    raw: set[Triple]
    triples: set[Triple]
    warnings: list[str] = field(default_factory=list)


@dataclass
class Assembled:
    """Everything that the sources amount to together."""

    schema: Schema
    sources: dict[str, SourceGraph]
    links: dict[str, list[Link]]
    clusters: list[Cluster]
    conflicts: list[Conflict]
    views: dict[str, set[Triple]]
    inferred: dict[str, set[Triple]]
    derived: dict[str, set[Triple]]

    @property
    def candidates(self) -> list[Link]:
        """Pairs that a person has to decide on."""
        return sorted(link for links in self.links.values() for link in links if link.status != "sameAs")

    @property
    def canonical(self) -> dict[Term, Term]:
        """The canonical name of every entity that has another."""
        return {
            member: cluster.canonical
            for cluster in self.clusters
            for member in cluster.members
            if member != cluster.canonical
        }

    @property
    def surface(self) -> set[Triple]:
        """What is queried: the union of views, inferred and derived triples, each once."""
        return set().union(*self.views.values(), *self.inferred.values(), *self.derived.values())


def read_schema(configuration: Configuration) -> tuple[set[Triple], set[Triple]]:
    """The triples of the core ontology and those of the mappings."""
    core = set[Triple]()
    if configuration.core is not None:
        core = read_rdf(find_file(configuration.folder, configuration.core), "core")
    mappings = set[Triple]()
    for path in configuration.mappings:
        mappings |= read_rdf(find_file(configuration.folder, path), "mapping")
    return core, mappings


def read_source(configuration: Configuration, source: SourceConfiguration, folder: Path) -> SourceGraph:
    """The triples of a source from its local files."""
    settings, warnings = source.settings, list[str]()
    if source.kind == "rdf":
        files = settings["files"]
        raw = set[Triple]()
        for path in [files] if isinstance(files, str) else files:
            raw |= read_rdf(find_file(folder, path), source.id)
    elif source.kind == "table":
        path = find_file(folder, settings["mapping"])
        mapping = TableMapping.read(path, configuration.prefixes)
        raw = set(mapping.triples(path.parent, configuration.vocabulary, shared=folder))
    elif source.kind == "dwca":
        archive = DarwinCoreArchive.read(find_file(folder, settings["path"]))
        raw = set(archive.triples(source.namespace, configuration.vocabulary))
        warnings = archive.warnings
    elif source.kind == "plugin":
        raw = name_blank_nodes(iter(_plugin(settings)), source.id)
    else:
        raise BadWarehouse(f"The source {source.id!r} has to be fetched first.")
    return SourceGraph(source.id, raw, set(raw), warnings)


def apply_source_rules(configuration: Configuration, graph: SourceGraph, schema: Schema) -> None:
    """Add what the rules of a source say, in their order."""
    for rule in configuration.rules:
        if rule.scope == "source" and rule.source == graph.id:
            graph.triples |= rule.triples(graph.triples, schema, configuration.vocabulary, configuration.prefixes)


def link_sources(
    configuration: Configuration,
    graphs: Mapping[str, SourceGraph],
    schema: Schema,
    known: Mapping[str, list[Link]],
) -> dict[str, list[Link]]:
    """The links of every match rule, and those that the sources state themselves."""
    triples = {name: graph.triples for name, graph in graphs.items()}
    links = {
        rule.id: known[rule.id] if rule.id in known else find_links(rule, triples, schema, configuration.prefixes)
        for rule in configuration.matches
    }
    stated = sorted({Link(s, o, "stated") for graph in graphs.values() for s, p, o in graph.triples if p == SAME_AS})
    return {**links, "stated": stated} if stated else links


def close_links(
    configuration: Configuration, links: Mapping[str, list[Link]], decisions: Decisions
) -> tuple[list[Cluster], list[Conflict]]:
    """Clusters and conflicts; candidates count only where a person accepted them."""
    weights = {rule.id: rule.weight for rule in configuration.matches}
    firm = [link for each in links.values() for link in each if decisions.counts(link)]
    return close(
        firm,
        configuration.source_of,
        configuration.canonical_priority,
        weights=weights,
        duplicate_free=[source.id for source in configuration.sources if source.duplicate_free],
        split=configuration.on_conflict == "split",
    )


def assemble(
    configuration: Configuration,
    graphs: dict[str, SourceGraph],
    schema: Schema,
    *,
    decisions: Decisions = NO_DECISIONS,
    known_links: Mapping[str, list[Link]] | None = None,
    progress: Callable[[str], None] = lambda stage: None,
) -> Assembled:
    """Links, closure, views, inference and the rules of the warehouse; `known_links` are not looked for again."""
    progress("matching")
    links = link_sources(configuration, graphs, schema, known_links or {})
    clusters, conflicts = close_links(configuration, links, decisions)
    assembled = Assembled(schema, graphs, links, clusters, conflicts, {}, {}, {})
    canonical = assembled.canonical
    for name, graph in graphs.items():
        progress(f"view of {name}")
        assembled.views[name] = canonical_view(graph.triples, canonical)
        assembled.inferred[name] = (
            schema.entailed(assembled.views[name]) if configuration.inference == "materialise" else set()
        )
    for rule in configuration.rules:
        if rule.scope == "warehouse":
            progress(f"rule {rule.id}")
            known = assembled.surface
            added = rule.triples(known, schema, configuration.vocabulary, configuration.prefixes)
            assembled.derived[rule.id] = added
    return assembled


def _plugin(settings: Mapping[str, Any]) -> Iterable[Triple]:
    """The triples that a callable yields: `package.module:function`."""
    module, _, name = str(settings["callable"]).partition(":")
    try:
        function = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise BadWarehouse(f"There is no callable {settings['callable']!r}: {error}.") from error
    triples: Iterable[Triple] = function(**settings.get("options", {}))
    return triples
