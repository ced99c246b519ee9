"""Connectivity metrics: how much the sources of a warehouse share, and what each adds.

Tzitzikas et al. Quantifying the connectivity of a semantic warehouse. 2014.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from crypsis.warehouse.terms import RDF_TYPE, Term, Triple, is_iri, is_literal, is_node, text_of

ALARM = 0.2  # a metric that falls by more than this share after a refresh is reported


@dataclass(frozen=True)
class Overlap:
    """How many things two sources have in common, and which share that is of the smaller one."""

    common: int
    share: float


@dataclass(frozen=True)
class SourceMetrics:
    """What one source holds, and what only it holds."""

    triples: int
    iris: int
    iris_before_matching: int
    literals: int
    degree_in_source: float
    degree_in_warehouse: float
    unique: int
    unique_share_of_source: float
    unique_share_of_warehouse: float

    @property
    def degree_increase(self) -> float:
        """By how much more is said of an entity in the warehouse than in its source."""
        return self.degree_in_warehouse / self.degree_in_source - 1 if self.degree_in_source else 0.0


@dataclass(frozen=True)
class Connectivity:
    """All metrics of a warehouse."""

    sources: Mapping[str, SourceMetrics]
    common_iris_before_matching: Mapping[tuple[str, str], Overlap]
    common_iris: Mapping[tuple[str, str], Overlap]
    common_literals: Mapping[tuple[str, str], Overlap]
    complementarity: Mapping[Term, int]
    triples: int

    @property
    def average_complementarity(self) -> float:
        """Sources with something of their own to say of an entity, on average."""
        return sum(self.complementarity.values()) / len(self.complementarity) if self.complementarity else 0.0

    def figures(self) -> dict[str, float]:
        """Every metric by name, as alarms compare them."""
        named = {"complementarity": self.average_complementarity, "triples": float(self.triples)}
        for name, each in self.sources.items():
            named |= {f"{name}.triples": each.triples, f"{name}.unique": each.unique}
            named |= {f"{name}.degree": each.degree_in_warehouse}
        for pair, overlap in self.common_iris.items():
            named["|".join(pair) + ".iris"] = overlap.common
        for pair, overlap in self.common_literals.items():
            named["|".join(pair) + ".literals"] = overlap.common
        return {name: float(value) for name, value in named.items()}

    def to_dict(self) -> dict[str, object]:
        """The form of `report.json`."""
        return {
            "triples": self.triples,
            "sources": {
                name: {**each.__dict__, "degree_increase": each.degree_increase} for name, each in self.sources.items()
            },
            "common_iris_before_matching": _listed(self.common_iris_before_matching),
            "common_iris": _listed(self.common_iris),
            "common_literals": _listed(self.common_literals),
            "average_complementarity": self.average_complementarity,
        }


def measure_connectivity(
    views: Mapping[str, set[Triple]],
    before: Mapping[str, set[Triple]],
    entities: Iterable[Term] = (),
    *,
    literal_key: str = "folded",
) -> Connectivity:
    """Metrics of views (after matching) and of source graphs (before it); `entities` are those of a class."""
    iris = {name: iris_in(triples) for name, triples in views.items()}
    early = {name: iris_in(triples) for name, triples in before.items()}
    literals = {name: _literals_in(triples, literal_key) for name, triples in views.items()}
    counts: dict[Triple, int] = {}
    for triples in views.values():
        for triple in triples:
            counts[triple] = counts.get(triple, 0) + 1
    everything = counts.keys()
    degrees = _degrees(everything)
    sources = {}
    for name, triples in views.items():
        own = _degrees(triples)
        unique = sum(counts[triple] == 1 for triple in triples)
        sources[name] = SourceMetrics(
            len(triples),
            len(iris[name]),
            len(early[name]),
            len(literals[name]),
            _mean(own.get(term, 0) for term in iris[name]),
            _mean(degrees.get(term, 0) for term in iris[name]),
            unique,
            unique / len(triples) if triples else 0.0,
            unique / len(counts) if counts else 0.0,
        )
    wanted = set(entities)
    telling: dict[Term, set[str]] = {entity: set() for entity in sorted(wanted)}
    for name, triples in views.items():
        for triple in triples:
            if counts[triple] == 1:
                for term in (triple[0], triple[2]):
                    if term in wanted:
                        telling[term].add(name)
    return Connectivity(
        sources,
        _overlaps(early),
        _overlaps(iris),
        _overlaps(literals),
        {entity: len(names) for entity, names in telling.items()},
        len(counts),
    )


def alarms(before: Mapping[str, float], after: Mapping[str, float], share: float = ALARM) -> list[str]:
    """Metrics that fell by more than a share, a sentence each."""
    return [
        f"{name} fell from {before[name]:g} to {after.get(name, 0.0):g}."
        for name in sorted(before)
        if after.get(name, 0.0) < before[name] * (1 - share)
    ]


def iris_in(triples: Iterable[Triple]) -> set[Term]:
    """IRIs of things: subjects and objects, but no intermediate nodes and no classes."""
    components = set[Term]()
    for s, p, o in triples:
        if not is_node(s):
            components.add(s)
        if p != RDF_TYPE and is_iri(o) and not is_node(o):
            components.add(o)
    return components


def _literals_in(triples: Iterable[Triple], key: str) -> set[str]:
    if key == "exact":
        return {o for _, _, o in triples if is_literal(o)}
    return {text_of(o).strip().lower() for _, _, o in triples if is_literal(o)}


def _degrees(triples: Iterable[Triple]) -> dict[Term, int]:
    """How many triples are about each term, as subject or as object that is no class."""
    degrees: dict[Term, int] = {}
    for s, p, o in triples:
        degrees[s] = degrees.get(s, 0) + 1
        if p != RDF_TYPE and o != s and is_iri(o):
            degrees[o] = degrees.get(o, 0) + 1
    return degrees


def _overlaps(sets: Mapping[str, set[str]]) -> dict[tuple[str, str], Overlap]:
    overlaps = {}
    for a, b in combinations(sets, 2):
        common, smaller = len(sets[a] & sets[b]), min(len(sets[a]), len(sets[b]))
        overlaps[a, b] = Overlap(common, common / smaller if smaller else 0.0)
    return overlaps


def _mean(values: Iterable[int]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0


def _listed(overlaps: Mapping[tuple[str, str], Overlap]) -> dict[str, list[float]]:
    return {"|".join(pair): [each.common, each.share] for pair, each in overlaps.items()}
