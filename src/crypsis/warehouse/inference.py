"""What follows from a schema: classes and properties above, inverses and symmetry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from crypsis.warehouse.terms import (
    EQUIVALENT_CLASS,
    EQUIVALENT_PROPERTY,
    INVERSE_OF,
    RDF_TYPE,
    SUBCLASS_OF,
    SUBPROPERTY_OF,
    SYMMETRIC,
    Term,
    Triple,
)


class Schema:
    """The closure of an ontology and its mappings."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.triples = frozenset(triples)

    @cached_property
    def superclasses(self) -> Mapping[Term, frozenset[Term]]:
        """All classes above each class, equivalent ones included, itself not."""
        return _closure(self._edges(SUBCLASS_OF) + self._both_ways(EQUIVALENT_CLASS))

    @cached_property
    def superproperties(self) -> Mapping[Term, frozenset[Term]]:
        """All properties above each property, equivalent ones included, itself not."""
        return _closure(self._edges(SUBPROPERTY_OF) + self._both_ways(EQUIVALENT_PROPERTY))

    @cached_property
    def inverses(self) -> Mapping[Term, frozenset[Term]]:
        """The inverse properties of each property; a symmetric one is its own."""
        found: dict[Term, set[Term]] = {}
        for a, b in self._both_ways(INVERSE_OF):
            found.setdefault(a, set()).add(b)
        for s, p, o in self.triples:
            if p == RDF_TYPE and o == SYMMETRIC:
                found.setdefault(s, set()).add(s)
        return {name: frozenset(others) for name, others in found.items()}

    def subclasses(self, kind: Term) -> frozenset[Term]:
        """A class, those below it and those equivalent to either."""
        return frozenset({kind, *(name for name, above in self.superclasses.items() if kind in above)})

    def entailed(self, known: set[Triple]) -> set[Triple]:
        """What follows from triples and is not among them, to the end."""
        added = set[Triple]()
        waiting = list(known)
        while waiting:
            s, p, o = waiting.pop()
            if p == RDF_TYPE:
                new = [(s, p, kind) for kind in self.superclasses.get(o, ())]
            else:
                new = [(s, above, o) for above in self.superproperties.get(p, ())]
                if not o.startswith('"'):
                    new += [(o, inverse, s) for inverse in self.inverses.get(p, ())]
            for triple in new:
                if triple not in known and triple not in added:
                    added.add(triple)
                    waiting.append(triple)
        return added

    def _edges(self, property: Term) -> list[tuple[Term, Term]]:
        return [(s, o) for s, p, o in self.triples if p == property]

    def _both_ways(self, property: Term) -> list[tuple[Term, Term]]:
        edges = self._edges(property)
        return edges + [(o, s) for s, o in edges]


def _closure(edges: Iterable[tuple[Term, Term]]) -> dict[Term, frozenset[Term]]:
    above: dict[Term, set[Term]] = {}
    for low, high in edges:
        above.setdefault(low, set()).add(high)
    closed = {}
    for start in above:
        reached, waiting = set[Term](), [start]
        while waiting:
            for high in above.get(waiting.pop(), ()):
                if high not in reached:
                    reached.add(high)
                    waiting.append(high)
        closed[start] = frozenset(reached - {start})
    return closed
