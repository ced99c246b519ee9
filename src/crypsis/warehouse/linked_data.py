"""Releases as linked data: a description with provenance, rows as nodes, and the check that nobody is named.

Five rules hold before anything is written, and cannot be switched off: no name of a data subject, of a canonical
entity or of an intermediate node; counts of sources below the threshold only as such; no provenance per row; times of
the process only; and nothing of the work directory.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crypsis.errors import UnsafeRelease
from crypsis.warehouse.terms import NODE_PREFIX, PREFIXES, RDF_TYPE, SAME_AS, Term, Triple, expand, iri, literal

_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"


@dataclass(frozen=True)
class SourceOfRelease:
    """A source that the release was made from, and how many of its records are in it."""

    id: str
    iri: str
    title: str
    records: int


@dataclass(frozen=True)
class Distribution:
    """A file of the release."""

    file: str
    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class ReleaseDescription:
    """What is said of a release as a whole."""

    iri: str
    title: str
    issued: str
    license: str
    started: str
    ended: str
    version: str
    method: str
    parameters: Mapping[str, Any]
    truthful: bool
    guarantees: Mapping[str, Mapping[str, Any]]
    small_count_threshold: int
    sources: Sequence[SourceOfRelease] = ()
    distributions: Sequence[Distribution] = ()
    triples: int | None = None
    classes: Mapping[str, int] = field(default_factory=dict)


def describe_release(about: ReleaseDescription) -> list[Triple]:
    """The description as triples, sorted: DCAT, PROV, checksums, guarantees and contributions of sources."""
    return sorted(_description(about))


def _description(about: ReleaseDescription) -> Iterator[Triple]:
    release, activity, software = (iri(about.iri + end) for end in ("", "/activity", "/software"))
    xsd = PREFIXES["xsd"]

    def own(name: str) -> Term:
        return iri(PREFIXES["cr"] + name)

    yield release, RDF_TYPE, expand("dcat:Dataset")
    yield release, RDF_TYPE, expand("prov:Entity")
    yield release, expand("dcterms:title"), literal(about.title, lang="en")
    yield release, expand("dcterms:issued"), literal(about.issued, datatype=xsd + "date")
    yield release, expand("dcterms:license"), iri(about.license)
    yield release, expand("prov:wasGeneratedBy"), activity
    yield release, own("truthful"), literal(str(about.truthful).lower(), datatype=xsd + "boolean")
    yield activity, RDF_TYPE, expand("prov:Activity")
    yield activity, expand("prov:startedAtTime"), literal(about.started, datatype=xsd + "dateTime")
    yield activity, expand("prov:endedAtTime"), literal(about.ended, datatype=xsd + "dateTime")
    yield activity, expand("prov:wasAssociatedWith"), software
    yield activity, own("method"), literal(about.method)
    for name, value in about.parameters.items():
        yield activity, own(f"param_{name}"), literal(str(value))
    yield software, RDF_TYPE, expand("prov:SoftwareAgent")
    yield software, expand("dcterms:title"), literal(f"crypsis {about.version}")
    for source in about.sources:
        contribution = iri(f"{about.iri}/contribution/{source.id}")
        yield iri(source.iri), RDF_TYPE, expand("prov:Entity")
        yield iri(source.iri), expand("dcterms:title"), literal(source.title)
        yield release, expand("prov:wasDerivedFrom"), iri(source.iri)
        yield activity, expand("prov:used"), iri(source.iri)
        yield release, own("contribution"), contribution
        yield contribution, own("source"), iri(source.iri)
        below = source.records < about.small_count_threshold
        count = about.small_count_threshold if below else source.records
        yield contribution, own("recordsBelow" if below else "records"), literal(str(count), datatype=xsd + "integer")
    for distribution in about.distributions:
        file = iri(f"{about.iri}/dist/{distribution.file}")
        yield release, expand("dcat:distribution"), file
        yield file, RDF_TYPE, expand("dcat:Distribution")
        yield file, expand("dcat:mediaType"), iri(_MEDIA_TYPES + distribution.media_type)
        yield file, expand("dcat:byteSize"), literal(str(distribution.bytes), datatype=xsd + "nonNegativeInteger")
        yield file, expand("spdx:checksumValue"), literal(distribution.sha256, datatype=xsd + "hexBinary")
    for name, guarantee in about.guarantees.items():
        promise = iri(f"{about.iri}/guarantee/{name}")
        yield release, own("guarantee"), promise
        yield promise, own("name"), literal(name)
        yield promise, own("value"), literal(str(guarantee["value"]))
        yield promise, own("verified"), literal(str(bool(guarantee["verified"])).lower(), datatype=xsd + "boolean")
    if about.triples is not None:
        yield release, RDF_TYPE, expand("void:Dataset")
        yield release, expand("void:triples"), literal(str(about.triples), datatype=xsd + "integer")


def describe_rows(
    release: str, columns: Sequence[str], rows: Iterable[Sequence[str | Term | None]], *, bits: int = 64
) -> list[Triple]:
    """Published rows as nodes with random numbers, in the order of these numbers; a value that is a term stays one."""
    properties = [iri(f"{release}/column/{column}") for column in columns]
    listed = list(rows)
    numbers = set[int]()
    while len(numbers) < len(listed):
        numbers.add(secrets.randbits(bits))
    triples = []
    shuffled = list(numbers)
    secrets.SystemRandom().shuffle(shuffled)
    for number, row in zip(shuffled, listed, strict=True):
        subject = iri(f"{release}/row/{number:016x}")
        triples.append((subject, RDF_TYPE, expand("csvw:Row")))
        for property, value in zip(properties, row, strict=True):
            if value is not None:
                term = value if value.startswith(("<", '"')) and value.endswith((">", '"')) else literal(value)
                triples.append((subject, property, term))
    return sorted(triples)


def check_release(
    triples: Iterable[Triple],
    subjects: Iterable[Term],
    *,
    row_prefix: str,
    small_count_threshold: int,
    public_columns: Iterable[Term] = (),
) -> None:
    """Refuse linked data that would name a data subject or tell too much of a source; all problems at once.

    `subjects` are the terms of data subjects of the warehouse, under every name that they have.
    """
    known, allowed = set(subjects), set(public_columns)
    problems = []
    for s, p, o in triples:
        row = s.startswith(f"<{row_prefix}")
        for term in (s, o):
            if term in known:
                problems.append("it names a data subject of the warehouse")
            elif term.startswith(f"<{NODE_PREFIX}"):
                problems.append("it holds the name of an intermediate node, a hash that can be guessed by trying")
        if p == SAME_AS:
            problems.append("it links a node to another name (owl:sameAs)")
        if row and p not in allowed and _is_provenance(p):
            problems.append("it tells where a row comes from or when it was made")
        if p == expand("cr:records") and (number := re.search(r"\d+", o)) and int(number[0]) < small_count_threshold:
            problems.append(f"it counts fewer than {small_count_threshold} records of a source")
    if problems:
        counted = {problem: problems.count(problem) for problem in dict.fromkeys(problems)}
        told = "; ".join(f"{problem} ({count} times)" for problem, count in counted.items())
        raise UnsafeRelease(f"Nothing was written as linked data: {told}.", problems=list(counted))


def _is_provenance(property: Term) -> bool:
    return property.startswith((f"<{PREFIXES['prov']}", f"<{PREFIXES['cr']}source", "<http://purl.org/dc/terms/source"))
