"""Rum-BOUND and Tum-BOUND, slow and obvious: lists, sets and fractions, every order sorted anew, nothing remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.reference import generalization, tables

Group = tuple[int, ...]
Shown = list[frozenset[tuple[str, ...]]]


def record_distance(one: frozenset[str], other: frozenset[str], *, either: bool = False) -> Fraction:
    """BTD of two records; `either` counts what one of them has, not what one of them lacks."""
    return Fraction(len(one | other if either else one ^ other) + 1, len(one & other) + 1)


@dataclass
class Problem:
    """Rows with items; what is sensitive among them; and the parameters."""

    rows: Sequence[Sequence[Any]]
    attributes: Sequence[Any]
    records: Sequence[frozenset[str]]
    sensitive: frozenset[str]
    k: int
    m: int
    l: int  # noqa: E741
    merge: str
    score: str
    ul_form: str = "zero"
    ways: Mapping[str, Sequence[str]] = field(default_factory=dict)  # from each item to the root
    shown: dict[Group, Shown | None] = field(default_factory=dict)

    def items(self, group: Group) -> Shown | None:
        """T: the published items of a cluster, None where it has none."""
        if group not in self.shown:
            self.shown[group] = self._items(group)
        return self.shown[group]

    def _items(self, group: Group) -> Shown | None:
        known = [self.records[record] - self.sensitive for record in group]
        if 0 < sum(map(bool, known)) < self.k:
            return None
        sets = {part for one in known for size in range(1, self.m + 1) for part in combinations(sorted(one), size)}
        _, symbol, _ = generalization.policy_merging(known, sets, self.k, whole_dataset=True)
        published = [frozenset(symbol[item] for item in record) for record in known]
        secrets = [self.records[record] & self.sensitive for record in group]
        subsets = {frozenset(one) for row in published for size in range(self.m + 1) for one in combinations(row, size)}
        for one in subsets:
            fitting = [place for place, row in enumerate(published) if one <= row]
            for secret in self.sensitive:
                if self.l * sum(secret in secrets[place] for place in fitting) > len(fitting):
                    return None
        return published  # type: ignore[return-value]

    def lacks(self, group: Group) -> bool:
        return self.items(group) is None

    def rum(self, group: Group) -> Fraction:
        """What one record of a cluster loses in its cells."""
        return tables.group_cells(self.rows, self.attributes, group)[1]

    def ncp(self, groups: Sequence[Group]) -> Fraction:
        return sum((len(group) * self.rum(group) for group in groups), Fraction(0)) / len(self.rows)

    def record_loss(self, row: frozenset[tuple[str, ...]]) -> Fraction:
        ways = self.ways if self.ul_form == "semantic" else None
        return generalization.utility_loss(row, literal=self.ul_form == "literal", ways=ways)

    def ul(self, groups: Sequence[Group]) -> Fraction | None:
        """UL(D); None stands for infinity."""
        total = Fraction(0)
        for group in groups:
            shown = self.items(group)
            if shown is None:
                return None
            total += sum(map(self.record_loss, shown), Fraction(0))
        return total / len(self.rows)

    def tum(self, group: Group) -> tuple[bool, Fraction]:
        """How different the items of a cluster are."""
        if self.score == "ul":
            shown = self.items(group)
            if shown is None:
                return True, Fraction(0)
            return False, sum(map(self.record_loss, shown), Fraction(0)) / len(group)
        known = [self.records[record] - self.sensitive for record in group]
        return False, max(
            record_distance(one, other, either=self.score == "btd-or") for one, other in combinations(known, 2)
        )

    def partners(self, seed: Group, groups: Sequence[Group]) -> list[Group]:
        others = sorted(group for group in groups if group != seed)
        by_cells = sorted(others, key=lambda other: (self.rum(union(seed, other)), min(other)))
        by_items = sorted(others, key=lambda other: (self.tum(union(seed, other)), min(other)))
        if self.merge == "r":
            return by_cells
        if self.merge == "t":
            return by_items
        return sorted(others, key=lambda other: (by_cells.index(other) + by_items.index(other), by_cells.index(other)))

    def seeds(self, groups: Sequence[Group], *, as_printed: bool = False) -> list[Group]:
        return sorted(groups, key=lambda one: (not as_printed and not self.lacks(one), self.rum(one), min(one)))

    def united(self, groups: Sequence[Group]) -> list[Group]:
        """Clusters with equal cells are one."""
        return sorted(tuple(sorted(one)) for one in tables.united(self.rows, self.attributes, groups))


def union(one: Group, other: Group) -> Group:
    return tuple(sorted(one + other))


def rmerge(problem: Problem, groups: Sequence[Group], delta: Fraction, *, as_printed: bool) -> list[Group]:
    """The clusters of RMERGE."""
    while True:
        merged = _one_merge(problem, groups, delta, as_printed)
        if merged is None:
            return problem.united(groups)
        groups = merged


def _one_merge(problem: Problem, groups: Sequence[Group], delta: Fraction, as_printed: bool) -> list[Group] | None:
    for seed in problem.seeds(groups, as_printed=as_printed):
        partners = problem.partners(seed, groups)
        if not as_printed and problem.lacks(seed):
            partners.sort(key=lambda other: problem.lacks(union(seed, other)))
        if as_printed and problem.merge == "r":
            partners = partners[:1]
        for other in partners:
            both = union(seed, other)
            after = [group for group in groups if group not in (seed, other)] + [both]
            feasible = not problem.lacks(seed) and not problem.lacks(other)
            if problem.ncp(after) <= delta and (as_printed or not feasible or not problem.lacks(both)):
                return after
        if as_printed:
            return None
    return None


def tmerge(problem: Problem, groups: Sequence[Group], delta: Fraction) -> list[Group] | None:
    """The clusters of TMERGE, None where the bound is never met."""
    groups = problem.united(groups)
    while True:
        loss = problem.ul(groups)
        if loss is not None and loss <= delta:
            return sorted(groups)
        if len(groups) == 1:
            return None
        seed = problem.seeds(groups)[0]
        partners = problem.partners(seed, groups)
        if problem.lacks(seed):
            partners.sort(key=lambda other: problem.lacks(union(seed, other)))
        groups = [group for group in groups if group not in (seed, partners[0])] + [union(seed, partners[0])]
        groups = problem.united(groups)
