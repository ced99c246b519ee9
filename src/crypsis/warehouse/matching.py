"""Entity matching: which entities of two sources are one, by rules that compare what is said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from crypsis.errors import BadWarehouse
from crypsis.translation import marked
from crypsis.warehouse.comparators import jaro_winkler, levenshtein, token_jaccard
from crypsis.warehouse.inference import Schema
from crypsis.warehouse.rules import follow_path, instances
from crypsis.warehouse.terms import Term, Triple, expand, is_literal, parts_of_literal, text_of
from crypsis.warehouse.transforms import apply

URI = "@uri"
SAME_LANGUAGE = "@same"


@dataclass(frozen=True)
class Side:
    """Which values of which entities are compared. The path `@uri` stands for the IRI itself."""

    source: str
    path: tuple[str, ...]
    kind: str | None = None
    transforms: tuple[str, ...] = ()
    languages: tuple[str, ...] | None = None  # None: any; "" stands for none; ("@same",): both must have the same

    def values(self, known: set[Triple], schema: Schema, prefixes: Mapping[str, str]) -> dict[Term, set[str]]:
        """The transformed values of each entity."""
        subjects = instances(known, self.kind, schema, prefixes)
        if self.path == (URI,):
            chosen = {s for s, _, _ in known} if subjects is None else subjects
            found: dict[Term, set[Term]] = {subject: {subject} for subject in chosen}
        else:
            found = follow_path(known, [expand(name, prefixes) for name in self.path], subjects)
        result: dict[Term, set[str]] = {}
        for subject, terms in found.items():
            for term in terms:
                value = self._key(term)
                if value is not None:
                    result.setdefault(subject, set()).add(value)
        return result

    def _key(self, term: Term) -> str | None:
        lang = parts_of_literal(term)[1] if is_literal(term) else ""
        same = self.languages == (SAME_LANGUAGE,)
        if self.languages is not None and not same and lang not in self.languages:
            return None
        value = apply(text_of(term), self.transforms)
        return None if value is None else f"{value}@{lang}" if same else value


@dataclass(frozen=True)
class Comparison:
    """How one pair of values is compared: `equal`, or a similarity with the least value for a link."""

    left: Side
    right: Side
    comparator: str = "equal"
    threshold: float = 1.0
    candidate: float | None = None
    weight: float = 1.0

    def similarity(self, a: str, b: str) -> float:
        """At least the threshold where the values are alike; distances count as their negative."""
        return _COMPARATORS[self.comparator](a, b)


@dataclass(frozen=True)
class MatchRule:
    """Entities of two sources are the same, or may be, if comparisons hold."""

    id: str
    comparisons: tuple[Comparison, ...]
    link: str = "sameAs"  # or "candidate"
    block: tuple[Comparison, ...] = ()  # pairs are compared only where these values are equal
    combine: str = "all"  # or "any", "weighted"
    weight: float = 1.0  # of the rule, when links contradict each other

    @property
    def sources(self) -> tuple[str, str]:
        first = self.comparisons[0]
        return first.left.source, first.right.source


@dataclass(frozen=True, order=True)
class Link:
    """Two entities that a rule found to be the same, or candidates for it."""

    left: Term
    right: Term
    rule: str
    status: str = "sameAs"  # "unique" or "ambiguous" for candidates; "review" for those below the threshold
    score: float = field(default=1.0, compare=False)


def find_links(
    rule: MatchRule, graphs: Mapping[str, set[Triple]], schema: Schema, prefixes: Mapping[str, str]
) -> list[Link]:
    """Every pair that a rule links, sorted."""
    left_source, right_source = rule.sources
    left, right = graphs[left_source], graphs[right_source]

    def values(comparison: Comparison) -> tuple[dict[Term, set[str]], dict[Term, set[str]]]:
        return comparison.left.values(left, schema, prefixes), comparison.right.values(right, schema, prefixes)

    compared = [values(comparison) for comparison in rule.comparisons]
    exact = [index for index, comparison in enumerate(rule.comparisons) if comparison.comparator == "equal"]
    if rule.block:
        pairs = _join(*values(rule.block[0]))
        for comparison in rule.block[1:]:
            pairs &= _join(*values(comparison))
    elif exact and (rule.combine == "all" or len(exact) == len(rule.comparisons)):
        joined = [_join(*compared[index]) for index in exact]
        pairs = set.intersection(*joined) if rule.combine == "all" else set.union(*joined)
    else:
        raise BadWarehouse(
            f"The rule {rule.id!r} compares by likeness; give it a 'block' of values that must be equal."
        )
    links = []
    holders = [Counter(value for values in side.values() for value in values) for side in compared[0]]
    for a, b in pairs:
        decision = _decide(rule, compared, a, b)
        if decision is None or a == b:
            continue
        status, score = decision
        if status == "candidate":
            shared = compared[0][0][a] & compared[0][1][b]
            alone = any(holders[0][value] == 1 == holders[1][value] for value in shared)  # nobody else has the value
            status = marked("unique") if alone else marked("ambiguous")
        links.append(Link(a, b, rule.id, status, score))
    return sorted(links)


def _decide(
    rule: MatchRule, compared: Sequence[tuple[dict[Term, set[str]], dict[Term, set[str]]]], a: Term, b: Term
) -> tuple[str, float] | None:
    """Whether a pair is linked, is a candidate, or neither, with its score."""
    scores, passed, near = [], [], []
    for comparison, (left, right) in zip(rule.comparisons, compared, strict=True):
        likeness = [comparison.similarity(x, y) for x, y in product(left.get(a, ()), right.get(b, ()))]
        best = max(likeness, default=float("-inf"))
        scores.append(best)
        passed.append(best >= comparison.threshold)
        near.append(best >= (comparison.threshold if comparison.candidate is None else comparison.candidate))
    if rule.combine == "weighted":
        total = sum(comparison.weight for comparison in rule.comparisons)
        score = sum(each * comparison.weight for each, comparison in zip(scores, rule.comparisons, strict=True)) / total
        first = rule.comparisons[0]
        held, almost = score >= first.threshold, first.candidate is not None and score >= first.candidate
    else:
        joined = all if rule.combine == "all" else any
        score, held, almost = min(scores) if joined is all else max(scores), joined(passed), joined(near)
    if held:
        return rule.link, score
    return (marked("review"), score) if almost else None


def _join(left: Mapping[Term, set[str]], right: Mapping[Term, set[str]]) -> set[tuple[Term, Term]]:
    holders: dict[str, list[Term]] = {}
    for entity, values in right.items():
        for value in values:
            holders.setdefault(value, []).append(entity)
    return {(a, b) for a, values in left.items() for value in values for b in holders.get(value, ())}


def _negative_distance(a: str, b: str) -> float:
    try:
        return -abs(float(a) - float(b))
    except ValueError:
        return float("-inf")


_COMPARATORS: dict[str, Callable[[str, str], float]] = {
    "equal": lambda a, b: float(a == b),
    "levenshtein": lambda a, b: -levenshtein(a, b),
    "jaro_winkler": jaro_winkler,
    "token_jaccard": token_jaccard,
    "numeric": _negative_distance,
}
COMPARATORS = tuple(_COMPARATORS)


@dataclass(frozen=True)
class Cluster:
    """Entities that are one, and the one that names them."""

    canonical: Term
    members: tuple[Term, ...]


@dataclass(frozen=True)
class Conflict:
    """A cluster with two members of a source that has no duplicates, and the rule that most likely erred."""

    cluster: Cluster
    source: str
    weakest_rule: str


def close(
    links: Iterable[Link],
    source_of: Callable[[Term], str | None],
    priority: Sequence[str],
    *,
    weights: Mapping[str, float] | None = None,
    duplicate_free: Iterable[str] = (),
    split: bool = False,
) -> tuple[list[Cluster], list[Conflict]]:
    """Clusters of entities that are linked directly or through others, and those that contradict a source.

    With `split`, links are added from the heaviest rule to the lightest, and one that would put two entities of a
    source without duplicates together is skipped.
    """
    weights = weights or {}
    distinct = set(duplicate_free)
    parent: dict[Term, Term] = {}
    held: dict[Term, dict[str, int]] = {}

    def find(term: Term) -> Term:
        root = term
        while parent.setdefault(root, root) != root:
            root = parent[root]
        while parent[term] != root:
            parent[term], term = root, parent[term]
        return root

    def sources_below(root: Term) -> dict[str, int]:
        if root not in held:
            source = source_of(root)
            held[root] = {source: 1} if source in distinct else {}
        return held[root]

    kept = []
    for link in sorted(links, key=lambda link: (-weights.get(link.rule, 1.0), link)):
        a, b = find(link.left), find(link.right)
        kept.append(link)
        if a == b:
            continue
        below_a, below_b = sources_below(a), sources_below(b)
        joined = {name: below_a.get(name, 0) + below_b.get(name, 0) for name in below_a | below_b}
        if split and any(count > 1 for count in joined.values()):
            kept.pop()
            continue
        parent[b] = a
        held[a] = joined
    members: dict[Term, list[Term]] = {}
    for term in parent:
        members.setdefault(find(term), []).append(term)
    rank = {source: index for index, source in enumerate(priority)}

    def first(term: Term) -> tuple[int, Term]:
        return rank.get(source_of(term) or "", len(rank)), term

    rules_of: dict[Term, set[str]] = {}
    for link in kept:
        rules_of.setdefault(find(link.left), set()).add(link.rule)
    clusters, conflicts = [], []
    for root, terms in members.items():
        cluster = Cluster(min(terms, key=first), tuple(sorted(terms)))
        clusters.append(cluster)
        doubled = sorted(name for name, count in held.get(root, {}).items() if count > 1)
        if doubled:
            weakest = min(rules_of[root], key=lambda rule: (weights.get(rule, 1.0), rule))
            conflicts.append(Conflict(cluster, doubled[0], weakest))
    return (
        sorted(clusters, key=lambda cluster: cluster.canonical),
        sorted(conflicts, key=lambda conflict: conflict.cluster.canonical),
    )
