"""Which sources an answer comes from, and the smallest sets of sources that suffice for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product

from crypsis.errors import BadQuery
from crypsis.warehouse.engines import Answer
from crypsis.warehouse.sparql import Group, Kept, Nested, TriplePattern, expand_sequences, parse_select
from crypsis.warehouse.terms import Term

MOST_SOURCES = 16  # beyond that the sets of sources that a path needs are too many to try


@dataclass(frozen=True)
class Witnessed:
    """An answer with the sources that contribute to it and the minimal sets of sources that suffice for it."""

    answer: tuple[str | None, ...]
    sources: tuple[str, ...]
    minimal_witnesses: tuple[tuple[str, ...], ...]


def minimal_sets(sets: Iterable[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The sets that contain no other one, sorted."""
    distinct = sorted(set(sets), key=len)
    kept: list[frozenset[str]] = []
    for candidate in distinct:
        if not any(smaller <= candidate for smaller in kept):
            kept.append(candidate)
    return tuple(sorted(tuple(sorted(each)) for each in kept))


def witness(
    query: str,
    ask: Callable[[str], Answer],
    graphs: Mapping[str, str],
    edges: Callable[[str], Mapping[str, set[tuple[Term, Term]]]],
) -> list[Witnessed]:
    """Every answer of a SELECT query with its sources.

    `graphs` maps graphs of views and inferred triples to their source; `ask` answers a query on all graphs; `edges`
    gives, for the text of a property, the pairs that it joins in each source, for paths that repeat it.
    """
    parsed = parse_select(query)
    numbers = count()
    where = _expand(parsed.where, lambda: f"?step_{next(numbers)}")
    variables = parsed.variables or _variables(where)
    where = _without_idle_optionals(where, set(variables) | set(re.findall(r"[?$](\w+)", parsed.tail)))
    listed = " ".join(f"<{graph}>" for graph in graphs)
    names: list[str] = []
    repeated: list[TriplePattern] = []

    def in_its_graph(pattern: TriplePattern) -> str:
        if pattern.is_transitive:
            repeated.append(pattern)
            return pattern.text
        names.append(f"graph_{len(names)}")
        name = names[-1]
        return f"VALUES ?{name} {{ {listed} }} GRAPH ?{name} {{ {pattern.text} }}"

    body = where.write(in_its_graph)
    ends = [end for pattern in repeated for end in (pattern.subject, pattern.object) if end.startswith(("?", "$"))]
    chosen = [*variables, *names, *dict.fromkeys(end[1:] for end in ends)]
    asked = f"{parsed.prologue}\nSELECT {' '.join(f'?{name}' for name in dict.fromkeys(chosen))} WHERE {body}"
    answer = ask(asked)
    slot = {name: index for index, name in enumerate(answer.variables)}
    reach = [_Reach(pattern, edges) for pattern in repeated]
    found: dict[tuple[Term | None, ...], set[frozenset[str]]] = {}
    for row in answer.rows:
        used = {graphs[graph[1:-1]] for name in names if (graph := row[slot[name]]) is not None}
        ways = [each.sets(*(_value(end, row, slot) for end in each.ends)) for each in reach]
        key = tuple(row[slot[name]] for name in variables)
        for choice in product(*ways):
            found.setdefault(key, set()).add(frozenset(used).union(*choice))
    witnessed = []
    for key in sorted(found, key=lambda key: tuple(term or "" for term in key)):
        minimal = minimal_sets(found[key])
        witnessed.append(Witnessed(key, tuple(sorted({source for each in minimal for source in each})), minimal))
    return witnessed


class _Reach:
    """The sets of sources in which a repeated property leads from one term to another."""

    def __init__(self, pattern: TriplePattern, edges: Callable[[str], Mapping[str, set[tuple[Term, Term]]]]) -> None:
        if len(pattern.path) != 2 or pattern.path[1] not in ("+", "*"):
            raise BadQuery("Among paths that repeat, only a single property with + or * can be traced to its sources.")
        self.ends, self.repeats, self.edges = (pattern.subject, pattern.object), pattern.path[1], edges(pattern.path[0])
        if len(self.edges) > MOST_SOURCES:
            raise BadQuery(f"Paths that repeat can be traced through at most {MOST_SOURCES} sources.")
        self.known: dict[tuple[Term, Term], list[frozenset[str]]] = {}

    def sets(self, start: Term | None, end: Term | None) -> list[frozenset[str]]:
        if start is None or end is None or (start == end and self.repeats == "*"):
            return [frozenset()]
        if (start, end) not in self.known:
            minimal: list[frozenset[str]] = []
            for size in range(1, len(self.edges) + 1):
                for sources in combinations(sorted(self.edges), size):
                    chosen = frozenset(sources)
                    if not any(smaller <= chosen for smaller in minimal) and self._leads(start, end, sources):
                        minimal.append(chosen)
            self.known[start, end] = minimal
        return self.known[start, end]

    def _leads(self, start: Term, end: Term, sources: Sequence[str]) -> bool:
        after: dict[Term, set[Term]] = {}
        for source in sources:
            for a, b in self.edges[source]:
                after.setdefault(a, set()).add(b)
        seen, waiting = set[Term](), [start]
        while waiting:
            for reached in after.get(waiting.pop(), ()):
                if reached == end:
                    return True
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
        return False


def _expand(group: Group, fresh: Callable[[], str]) -> Group:
    elements: list[TriplePattern | Kept | Nested] = []
    for element in group.elements:
        if isinstance(element, TriplePattern):
            elements += expand_sequences(element, fresh)
        elif isinstance(element, Nested):
            elements.append(Nested(element.keyword, tuple(_expand(each, fresh) for each in element.groups)))
        else:
            elements.append(element)
    return Group(tuple(elements))


def _without_idle_optionals(group: Group, used: set[str]) -> Group:
    """The group without OPTIONAL parts that bind nothing that is used: an answer does not depend on them."""
    elements = []
    for element in group.elements:
        others = tuple(each for each in group.elements if each is not element)
        if isinstance(element, Nested) and element.keyword == "OPTIONAL":
            inside = set(_variables(element.groups[0]))
            if not (inside - set(_variables(Group(others)))) & (used | _in_kept(others)):
                continue
        elements.append(element)
    return Group(tuple(elements))


def _in_kept(elements: Iterable[TriplePattern | Kept | Nested]) -> set[str]:
    return {name for each in elements if isinstance(each, Kept) for name in re.findall(r"[?$](\w+)", each.text)}


def _variables(group: Group) -> tuple[str, ...]:
    named = [end[1:] for pattern in group.patterns() for end in (pattern.subject, pattern.object) if end[0] in "?$"]
    return tuple(name for name in dict.fromkeys(named) if not name.startswith("step_"))


def _value(end: str, row: Sequence[Term | None], slot: Mapping[str, int]) -> Term | None:
    return row[slot[end[1:]]] if end.startswith(("?", "$")) else end
