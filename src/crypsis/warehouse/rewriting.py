"""Inference in the query: patterns are rewritten so that an engine without inference gives the inferred answers."""

from __future__ import annotations

from itertools import count

from crypsis.warehouse.sparql import TriplePattern, parse_select

_ABOVE = "(rdfs:subClassOf|owl:equivalentClass|^owl:equivalentClass)*"
_ABOVE_PROPERTY = "(rdfs:subPropertyOf|owl:equivalentProperty|^owl:equivalentProperty)*"
_PLAIN = ("rdfs:subClassOf", "rdfs:subPropertyOf", "owl:equivalentClass", "owl:sameAs")


def infer_in_query(query: str) -> str:
    """A SELECT query whose answers are those on materialised triples."""
    parsed = parse_select(query)
    numbers = count()

    def widen(pattern: TriplePattern) -> str:
        path = pattern.path
        if path in (("a",), ("rdf:type",)):
            return f"{pattern.subject} a/{_ABOVE} {pattern.object} ."
        if len(path) != 1 or path[0].startswith(("?", "$")) or path[0] in _PLAIN:
            return _widen_path(pattern)
        return _either_way(pattern.subject, path[0], pattern.object, next(numbers))

    chosen = " ".join(f"?{name}" for name in parsed.variables) or "*"
    # Several ways may lead to one answer; on materialised triples there is one.
    return f"{parsed.prologue}\nSELECT DISTINCT {chosen} WHERE {parsed.where.write(widen)} {parsed.tail}"


def _either_way(subject: str, property: str, value: str, number: int) -> str:
    name, inverse, above = f"?property_{number}", f"?inverse_{number}", f"?above_{number}"
    return (
        f"{{ {subject} {name} {value} . {name} {_ABOVE_PROPERTY} {property} }} UNION "
        f"{{ {value} {name} {subject} . {name} {_ABOVE_PROPERTY} {inverse} . "
        f"{inverse} owl:inverseOf|^owl:inverseOf {above} . {above} {_ABOVE_PROPERTY} {property} }} UNION "
        f"{{ {value} {name} {subject} . {name} {_ABOVE_PROPERTY} {above} . {above} a owl:SymmetricProperty . "
        f"{above} {_ABOVE_PROPERTY} {property} }}"
    )


def _widen_path(pattern: TriplePattern) -> str:
    """A path as it is: properties inside paths are not widened, because nothing in SPARQL repeats a union of them."""
    return pattern.text
