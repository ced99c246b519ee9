"""Metrics of a warehouse as VoID, with an extension for what sources share.

Mountantonakis et al. Extending VoID for expressing connectivity metrics of a semantic warehouse. 2014.
"""

from __future__ import annotations

from collections.abc import Iterator

from crypsis.warehouse.configuration import Configuration
from crypsis.warehouse.connectivity import Connectivity
from crypsis.warehouse.terms import PREFIXES, RDF_TYPE, Term, Triple, expand, iri, literal

EXTENSION = "https://crypsis.example/connectivity#"


def describe_connectivity(configuration: Configuration, metrics: Connectivity) -> list[Triple]:
    """The metrics as triples, sorted."""
    return sorted(_triples(configuration, metrics))


def _triples(configuration: Configuration, metrics: Connectivity) -> Iterator[Triple]:
    base = configuration.base.rstrip("/")
    warehouse = iri(f"{base}/{configuration.name}")
    yield warehouse, RDF_TYPE, expand("void:Dataset")
    yield warehouse, expand("dcterms:title"), literal(configuration.title)
    yield warehouse, expand("void:triples"), _number(metrics.triples)
    yield warehouse, iri(EXTENSION + "averageComplementarity"), _number(metrics.average_complementarity)
    for name, each in metrics.sources.items():
        source = iri(f"{base}/{configuration.name}/source/{name}")
        yield warehouse, expand("void:subset"), source
        yield source, RDF_TYPE, expand("void:Dataset")
        yield source, expand("dcterms:title"), literal(configuration.source(name).title)
        yield source, expand("void:triples"), _number(each.triples)
        yield source, expand("void:distinctSubjects"), _number(each.iris)
        yield source, iri(EXTENSION + "uniqueTriples"), _number(each.unique)
        yield source, iri(EXTENSION + "averageDegree"), _number(each.degree_in_source)
        yield source, iri(EXTENSION + "averageDegreeInWarehouse"), _number(each.degree_in_warehouse)
    for kind, overlaps in (("commonIris", metrics.common_iris), ("commonLiterals", metrics.common_literals)):
        for (a, b), overlap in overlaps.items():
            linkset = iri(f"{base}/{configuration.name}/overlap/{kind}/{a}/{b}")
            yield linkset, RDF_TYPE, iri(EXTENSION + "Overlap")
            for name in (a, b):
                yield linkset, expand("void:target"), iri(f"{base}/{configuration.name}/source/{name}")
            yield linkset, iri(EXTENSION + kind), _number(overlap.common)
            yield linkset, iri(EXTENSION + "shareOfSmaller"), _number(overlap.share)


def _number(value: float) -> Term:
    if isinstance(value, int):
        return literal(str(value), datatype=PREFIXES["xsd"] + "integer")
    return literal(f"{value:.12g}", datatype=PREFIXES["xsd"] + "decimal")
