"""Tables of integrated entities: one row each, a column per path, with a policy where sources disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from crypsis.errors import BadParameter, ConflictingValues
from crypsis.warehouse.terms import PREFIXES, RDF_TYPE, Term, Triple, expand, iri_of, text_of

POLICIES = ("priority", "majority", "set", "min", "max", "error")


@dataclass(frozen=True)
class Decision:
    """The value of a cell, the sources that gave it, and whether others gave another."""

    value: Any
    sources: tuple[str, ...]
    conflict: bool


def decide(values: Sequence[tuple[str, Any]], policy: str, priority: Sequence[str]) -> Decision:
    """One value out of what several sources say; empty values are ignored.

    >>> decide([("worms", 1788), ("dbpedia", 1778)], "priority", ["worms", "dbpedia"]).value
    1788
    """
    if policy not in POLICIES:
        raise BadParameter(f"policy must be one of {', '.join(POLICIES)}, got {policy!r}.", parameter="policy")
    stated = [(source, value) for source, value in values if value is not None and value != ""]
    if not stated:
        return Decision(None, (), conflict=False)
    distinct = sorted({value for _, value in stated}, key=lambda value: (str(type(value)), value))
    conflict = len(distinct) > 1
    if conflict and policy == "error":
        raise ConflictingValues(
            f"The sources disagree: {', '.join(f'{source} says {value!r}' for source, value in stated)}."
        )
    rank = {source: index for index, source in enumerate(priority)}

    def first(value: Any) -> tuple[int, str]:
        return min((rank.get(source, len(rank)), source) for source, each in stated if each == value)

    if policy == "set":
        return Decision(distinct, tuple(sorted({source for source, _ in stated})), conflict)
    if policy in ("min", "max"):
        chosen = min(distinct) if policy == "min" else max(distinct)
    elif policy == "majority":
        votes = Counter(value for _, value in stated)
        chosen = min(votes, key=lambda value: (-votes[value], first(value)))
    else:
        chosen = min(distinct, key=first)
    return Decision(chosen, tuple(sorted({source for source, value in stated if value == chosen})), conflict)


@dataclass(frozen=True)
class IntegratedTable:
    """Rows of entities; which sources gave each cell stays with the publisher."""

    frame: pl.DataFrame
    entities: tuple[str, ...] = field(repr=False)
    conflicts: tuple[tuple[str, str, tuple[str, ...]], ...]  # entity, column, values
    sources: Mapping[tuple[int, str], tuple[str, ...]] = field(repr=False)  # by row and column; never published

    @property
    def conflicts_per_column(self) -> dict[str, int]:
        """How many entities the sources disagree on."""
        return dict(sorted(Counter(column for _, column, _ in self.conflicts).items()))


def integrate(
    views: Mapping[str, set[Triple]],
    kinds: frozenset[Term],
    columns: Mapping[str, str | Sequence[str]],
    *,
    policy: Mapping[str, str] | str = "priority",
    priority: Sequence[str] = (),
    prefixes: Mapping[str, str] = PREFIXES,
) -> IntegratedTable:
    """One row per entity of a class, a column per path of properties."""
    paths = {
        name: [expand(step, prefixes) for step in ([path] if isinstance(path, str) else path)]
        for name, path in columns.items()
    }
    entities = sorted({s for triples in views.values() for s, p, o in triples if p == RDF_TYPE and o in kinds})
    values = {name: _values_of(views, set(entities), steps) for name, steps in paths.items()}
    cells: dict[str, list[Any]] = {name: [] for name in paths}
    conflicts, sources = [], {}
    for row, entity in enumerate(entities):
        for name in paths:
            chosen = policy if isinstance(policy, str) else policy.get(name, "priority")
            decision = decide(values[name].get(entity, []), chosen, priority)
            cells[name].append(decision.value)
            sources[row, name] = decision.sources
            if decision.conflict:
                listed = tuple(sorted({str(value) for _, value in values[name][entity]}))
                conflicts.append((iri_of(entity), name, listed))
    frame = pl.DataFrame([pl.Series(name, column, None if column else pl.String) for name, column in cells.items()])
    return IntegratedTable(frame, tuple(iri_of(entity) for entity in entities), tuple(conflicts), sources)


def _values_of(
    views: Mapping[str, set[Triple]], entities: set[Term], steps: Sequence[Term]
) -> dict[Term, list[tuple[str, str]]]:
    """What each source says along a path of properties; the path may go on in another source."""
    found: dict[Term, list[tuple[str, str]]] = {}
    for source, triples in views.items():
        reached = {(s, o) for s, p, o in triples if p == steps[0] and s in entities}
        for step in steps[1:]:
            index: dict[Term, set[Term]] = {}
            for s, p, o in triples:
                if p == step:
                    index.setdefault(s, set()).add(o)
            reached = {(s, value) for s, o in reached for value in index.get(o, ())}
        for s, o in sorted(reached):
            found.setdefault(s, []).append((source, text_of(o)))
    return found
