"""RDF files in any of six syntaxes, compressed or not."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crypsis.errors import MissingExtra, MissingFile, UnreadableFile
from crypsis.warehouse.terms import NODE_PREFIX, Term, Triple, node

SYNTAXES = {
    ".ttl": "TURTLE",
    ".nt": "N_TRIPLES",
    ".nq": "N_QUADS",
    ".trig": "TRIG",
    ".rdf": "RDF_XML",
    ".owl": "RDF_XML",
    ".xml": "RDF_XML",
    ".jsonld": "JSON_LD",
    ".json": "JSON_LD",
}


def engine_library() -> Any:
    """pyoxigraph, or a sentence that says how to get it."""
    try:
        import pyoxigraph
    except ImportError as error:
        raise MissingExtra("A warehouse needs pyoxigraph; install it with: pip install 'crypsis[warehouse]'") from error
    return pyoxigraph


def read_rdf(path: Path, source: str, *, base: str | None = None) -> set[Triple]:
    """The triples of a file; names of graphs are dropped, blank nodes get names that last."""
    return name_blank_nodes(_raw_triples(path, base), source)


def _raw_triples(path: Path, base: str | None) -> Iterator[Triple]:
    library = engine_library()
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compressed = bool(suffixes) and suffixes[-1] == ".gz"
    ending = (suffixes[:-1] if compressed else suffixes)[-1:] or [""]
    if ending[0] not in SYNTAXES:
        raise UnreadableFile(
            f"{path.name} has no suffix of an RDF syntax; known are {', '.join(SYNTAXES)}, each also with .gz.",
            where=path.name,
        )
    syntax = getattr(library.RdfFormat, SYNTAXES[ending[0]])
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingFile(f"There is no file {path.name}.", where=path.name) from error
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read: {error.strerror}.", where=path.name) from error
    try:
        if compressed:
            content = gzip.decompress(content)
        for quad in library.parse(input=io.BytesIO(content), format=syntax, base_iri=base or "http://localhost/"):
            yield str(quad.subject), str(quad.predicate), str(quad.object)
    except (SyntaxError, ValueError, OSError, EOFError) as error:
        raise UnreadableFile(f"{path.name} is not sound RDF: {error}.", where=path.name) from error


def name_blank_nodes(triples: Iterator[Triple], source: str) -> set[Triple]:
    """Triples in which blank nodes have names.

    A node that hangs off an IRI as a tree is named after what it says and where it hangs; any other after the order in
    which it occurs in its source, because nothing else tells it apart.
    """
    listed = list(dict.fromkeys(triples))
    blank = list(dict.fromkeys(term for triple in listed for term in (triple[0], triple[2]) if term.startswith("_:")))
    if not blank:
        return set(listed)
    incoming: dict[Term, list[Triple]] = {name: [] for name in blank}
    own: dict[Term, list[Triple]] = {name: [] for name in blank}
    for triple in listed:
        if triple[0] in own:
            own[triple[0]].append(triple)
        if triple[2] in incoming:
            incoming[triple[2]].append(triple)
    names: dict[Term, Term] = {}
    for index, name in enumerate(blank):
        content = _content_of(name, own, incoming)
        names[name] = f"<{NODE_PREFIX}{source}#{index}>" if content is None else node(["blank", *content])
    return {(names.get(s, s), p, names.get(o, o)) for s, p, o in listed}


def _content_of(name: Term, own: dict[Term, list[Triple]], incoming: dict[Term, list[Triple]]) -> list[str] | None:
    """Where a blank node hangs and what its tree says; None if it is not part of one."""
    way: list[str] = []
    climbed, seen = name, set[Term]()
    while climbed.startswith("_:"):
        if climbed in seen or len(incoming[climbed]) != 1:
            return None
        seen.add(climbed)
        subject, property, _ = incoming[climbed][0]
        way.append(property)
        climbed = subject
    below = _lines_below(name, own, incoming, depth=0)
    return None if below is None else [climbed, *reversed(way), *below]


def _lines_below(
    name: Term, own: dict[Term, list[Triple]], incoming: dict[Term, list[Triple]], depth: int
) -> list[str] | None:
    if depth > 50:
        return None
    lines = []
    for _, property, value in own[name]:
        if value.startswith("_:"):
            if len(incoming[value]) != 1:
                return None
            below = _lines_below(value, own, incoming, depth + 1)
            if below is None:
                return None
            value = "(" + " ".join(below) + ")"
        lines.append(f"{property} {value}")
    return sorted(lines)
