"""Utility policies: which items may be generalized together. Disjoint sets; an item in none stays as it is.

A file has one set per line, or is JSON (see `label_lists`). Or a policy is derived from the data:

    single              one set of all items
    fixed               no item may be generalized (`none` where a policy must be given)
    frequency:B         B sets of items that are about equally frequent
    cooccurrence:B      B sets of items that occur in the same records
    hierarchy:LEVEL     the subtrees at a depth of a balanced hierarchy; hierarchy:LEVEL:FILE of the one in a file
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crypsis.arrays import Int32s
from crypsis.data.formats.compression import names_file
from crypsis.data.formats.source import place
from crypsis.data.label_lists import LabelLists
from crypsis.data.term_rank import term_rank
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadPolicy
from crypsis.hierarchy.balanced import BalancedHierarchy, ItemHierarchy
from crypsis.parameters import Deferred

FORMS = ("single", "fixed", "frequency", "cooccurrence", "hierarchy")


class UtilityPolicy(LabelLists):
    """Disjoint sets of items by their labels."""

    in_words = "a utility policy (a file, or single, fixed, frequency:B, cooccurrence:B, hierarchy:LEVEL[:FILE])"
    error = BadPolicy

    def __init__(self, sets: Iterable[Iterable[str]], *, source: str | None = None, origin: str = "") -> None:
        self.source = source
        self.origin = origin
        self.sets = tuple(tuple(sorted(labels)) for labels in sets)
        self._set_of: dict[str, int] = {}
        for index, labels in enumerate(self.sets):
            where = place(source, index) if source else {"where": f"set {index + 1}"}
            if not labels or not all(isinstance(label, str) and label.strip() for label in labels):
                raise BadPolicy(f"A utility policy lists sets of items by their labels, got {list(labels)!r}.", **where)
            for label in labels:
                if label in self._set_of:
                    other = self._set_of[label]
                    words = "twice in one set" if other == index else f"in two sets, {other + 1} and {index + 1}"
                    raise BadPolicy(
                        f"Item {label!r} is listed {words}; the sets of a utility policy must not overlap.",
                        **where,
                        item=label,
                    )
                self._set_of[label] = index

    @classmethod
    def from_text(cls, text: str) -> UtilityPolicy | DerivedUtility:
        form, *rest = ("fixed" if text == "none" else text).split(":", 2)
        if form not in FORMS or names_file(text):
            return cls.from_file(text)
        if form in ("single", "fixed"):
            if rest:
                raise BadParameter(f"utility: {form} takes no number, got {text!r}.")
            return DerivedUtility(form)
        if not rest or not rest[0].isdecimal() or (len(rest) == 2 and form != "hierarchy"):
            raise BadParameter(f"utility: {form} needs a whole number, as in {form}:3, got {text!r}.")
        return DerivedUtility(form, int(rest[0]), rest[1] if len(rest) == 2 else None)

    def sets_of(self, items: Vocabulary) -> Int32s:
        """By item: the number of its set, -1 for an item in none."""
        return np.array([self._set_of.get(label, -1) for label in items.labels], np.int32)

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def identity(self) -> Hashable:
        return frozenset(self.sets)

    def __str__(self) -> str:
        return f"{len(self)} sets of {len(self._set_of)} items{self.origin_words}"


@dataclass(frozen=True)
class DerivedUtility(Deferred):
    """A utility policy made from the data: `DerivedUtility("frequency", 3)` for `frequency:3`."""

    makes = UtilityPolicy

    form: str
    number: int | None = None
    file: str | None = None

    def __post_init__(self) -> None:
        if self.form not in FORMS or (self.number is None) != (self.form in ("single", "fixed")):
            raise BadParameter(f"A derived utility policy is one of {', '.join(FORMS)}, got {self}.")
        lowest = 0 if self.form == "hierarchy" else 1
        if self.number is not None and self.number < lowest:
            raise BadParameter(f"utility: {self.form} needs a number of at least {lowest}, got {self.number}.")

    @property
    def needs_records(self) -> bool:
        return self.form == "cooccurrence"

    def make(self, data: Transactions) -> UtilityPolicy:
        occurring = np.flatnonzero(data.supports)
        by_rank = occurring[np.argsort(term_rank(data)[occurring])].tolist()
        labels = data.vocabulary.labels
        sets: list[list[str]]
        if self.form == "hierarchy":
            sets = self._subtrees(data)
        else:
            groups: list[list[int]] = []
            if self.form == "single":
                groups = [by_rank] if by_rank else []
            elif self.form == "frequency":
                assert self.number is not None
                groups = [part.tolist() for part in np.array_split(np.array(by_rank, np.int64), self.number)]
            elif self.form == "cooccurrence":
                assert self.number is not None
                groups = _agglomerated(data, by_rank, self.number)
            sets = [[labels[code] for code in group] for group in groups if group]
        return UtilityPolicy(sets, origin=self.public_text)

    def _subtrees(self, data: Transactions) -> list[list[str]]:
        tree = BalancedHierarchy().make(data) if self.file is None else ItemHierarchy.from_file(self.file)
        above: dict[str, str] = dict(tree.to_pairs())
        depth = dict(zip(tree.names, tree.depth.tolist(), strict=True))
        groups: dict[str, list[str]] = {}
        for leaf in tree.leaves:
            node = leaf
            while depth[node] > (self.number or 0):
                node = above[node]
            groups.setdefault(node, []).append(leaf)
        return list(groups.values())

    @property
    def public_text(self) -> str:
        """Without the path of the file that it names."""
        return str(DerivedUtility(self.form, self.number))

    def __str__(self) -> str:
        number = "" if self.number is None else f":{self.number}"
        return f"{self.form}{number}" + ("" if self.file is None else f":{self.file}")


ONE_SET = DerivedUtility("single")


def _agglomerated(data: Transactions, by_rank: list[int], wanted: int) -> list[list[int]]:
    """Unite the two sets whose records are most alike (Jaccard, exact), until so many are left."""
    records: dict[int, int] = {}  # the records of each set as bits of one number, by the lowest rank in it
    rows = np.repeat(np.arange(len(data)), data.lengths)
    order = np.argsort(data.items, kind="stable")
    ends = np.cumsum(data.supports)
    for rank, code in enumerate(by_rank):
        flags = np.zeros(len(data) + 7, np.uint8)
        flags[rows[order[ends[code] - data.supports[code] : ends[code]]]] = 1
        records[rank] = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
    groups = {rank: [code] for rank, code in enumerate(by_rank)}
    # For each set its best partner of higher rank, so that a union rewrites few entries.
    best = {rank: _best_partner(rank, records) for rank in records}
    while len(groups) > wanted:
        one = min(best, key=lambda rank: (-best[rank][0], rank))
        other = best[one][1]
        groups[one] += groups.pop(other)
        records[one] |= records.pop(other)
        del best[other]
        for rank in best:
            if rank == one or best[rank][1] in (one, other):
                best[rank] = _best_partner(rank, records)
            elif rank < one:
                share = _jaccard(records[rank], records[one])
                if share > best[rank][0] or (share == best[rank][0] and one < best[rank][1]):
                    best[rank] = (share, one)
    return list(groups.values())


def _best_partner(rank: int, records: dict[int, int]) -> tuple[Fraction, int]:
    later = [other for other in records if other > rank]
    if not later:
        return Fraction(-1), -1
    shares = [(_jaccard(records[rank], records[other]), -other) for other in later]
    share, other = max(shares)
    return share, -other


def _jaccard(one: int, other: int) -> Fraction:
    either = (one | other).bit_count()
    return Fraction((one & other).bit_count(), either) if either else Fraction(0)
