"""Privacy policies: which itemsets must not identify anybody. A list of itemsets, closed downward before use.

A file has one itemset per line, or is JSON (see `label_lists`). Or a policy is derived from the data:

    all:M                  all sets of up to M items that occur
    items                  all single items
    rare:Q:M               all sets of up to M among the Q least frequent items that occur
    random:N:SIZE:SEED     N sets of up to SIZE items, each drawn from a record

A derived policy tells what occurs in the original, so only its recipe is ever published, never its itemsets.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, offsets_of
from crypsis.data.formats.compression import names_file
from crypsis.data.formats.source import place
from crypsis.data.label_lists import LabelLists
from crypsis.data.term_rank import term_rank
from crypsis.data.transaction import Transactions
from crypsis.data.vocabulary import Vocabulary
from crypsis.errors import BadParameter, BadPolicy, OriginalRequired, TooLarge
from crypsis.parameters import Deferred

MOST_COMBINATIONS = 100_000_000
MOST_DRAWN = 1_000_000
LARGEST_CLOSED = 16  # items in one itemset of a policy: it has 2^16 parts
DRAWS_PER_SET = 20
FORMS = {"all": ("M",), "items": (), "rare": ("Q", "M"), "random": ("N", "SIZE", "SEED")}


class PrivacyPolicy(LabelLists):
    """Itemsets by their labels. `itemsets` is None where only the recipe is known, as in a manifest."""

    in_words = "a privacy policy (a file, or all:M, items, rare:Q:M, random:N:SIZE:SEED)"
    error = BadPolicy

    def __init__(
        self, itemsets: Iterable[Iterable[str]] | None, *, source: str | None = None, origin: str = ""
    ) -> None:
        self.source = source
        self.origin = origin
        self.itemsets: frozenset[tuple[str, ...]] | None = None
        if itemsets is not None:
            self.itemsets = frozenset(self._checked(index, labels) for index, labels in enumerate(itemsets))

    def _checked(self, number: int, labels: Iterable[str]) -> tuple[str, ...]:
        listed = list(labels)
        where = place(self.source, number) if self.source else {"where": f"itemset {number + 1}"}
        if not listed or not all(isinstance(label, str) and label.strip() for label in listed):
            raise BadPolicy(f"A privacy policy lists itemsets by the labels of their items, got {listed!r}.", **where)
        distinct = tuple(sorted({label.strip() for label in listed}))
        if len(distinct) > LARGEST_CLOSED:
            raise BadPolicy(
                f"An itemset of a privacy policy has at most {LARGEST_CLOSED} items, because all its parts are "
                f"protected too; this one has {len(distinct)}.",
                **where,
            )
        return distinct

    @classmethod
    def from_text(cls, text: str) -> PrivacyPolicy | DerivedPolicy:
        name, *rest = text.split(":")
        if name not in FORMS or names_file(text):
            return cls.from_file(text)
        if len(rest) != len(FORMS[name]) or not all(number.isdecimal() for number in rest):
            raise BadParameter(
                f"policy: {':'.join((name, *FORMS[name]))} needs {len(FORMS[name])} whole numbers, got {text!r}."
            )
        return DerivedPolicy(name, tuple(map(int, rest)))

    def on(self, original: Transactions | None) -> frozenset[tuple[str, ...]]:
        """The itemsets; derived again where only the recipe is known."""
        if self.itemsets is not None:
            return self.itemsets
        if original is None:
            raise OriginalRequired(
                f"The privacy policy was derived from the original data ({self.origin}) and is not published, because "
                "it tells what occurs there; give the original (original=DATA)."
            )
        deferred = PrivacyPolicy.from_text(self.origin)
        assert isinstance(deferred, DerivedPolicy)
        itemsets = deferred.make(original).itemsets
        assert itemsets is not None
        return itemsets

    def closed(self, items: Vocabulary, original: Transactions | None = None) -> tuple[Int64s, Int32s, int]:
        """All itemsets and their parts over these items, by size and then by label: offsets, codes in label order, and
        how many itemsets name an item that is not there."""
        code_of = {label: code for code, label in enumerate(sorted(items.labels))}
        itemsets = self.on(original)
        unknown = 0
        closed: set[tuple[int, ...]] = set()
        for labels in itemsets:
            known = tuple(sorted(code_of[label] for label in labels if label in code_of))
            unknown += len(known) < len(labels)
            # The parts without the unknown item are constraints of their own.
            for size in range(1, len(known) + 1):
                closed.update(combinations(known, size))
        ordered = sorted(closed, key=lambda codes: (len(codes), codes))
        offsets = offsets_of(np.fromiter(map(len, ordered), np.int64, len(ordered)))
        return offsets, np.array([code for codes in ordered for code in codes], np.int32), unknown

    def to_json(self) -> Any:
        if self.origin:
            return {"recipe": self.origin}
        return sorted(list(labels) for labels in self.itemsets or ())

    @classmethod
    def from_json(cls, content: Any) -> PrivacyPolicy:
        if isinstance(content, dict) and isinstance(content.get("recipe"), str):
            made = cls.from_text(content["recipe"]) if content["recipe"].split(":")[0] in FORMS else None
            if isinstance(made, DerivedPolicy):
                return cls(None, origin=str(made))
        if not isinstance(content, list) or not all(isinstance(labels, list) for labels in content):
            raise BadPolicy(f"A privacy policy must be lists of labels or a recipe, got {content!r}.")
        return cls(content)

    def __len__(self) -> int:
        return len(self.itemsets or ())

    @property
    def identity(self) -> Hashable:
        return (self.itemsets, self.origin)

    def __str__(self) -> str:
        return self.origin or f"{len(self)} itemsets"


@dataclass(frozen=True)
class DerivedPolicy(Deferred):
    """A policy made from the data: `DerivedPolicy("rare", (20, 2))` for `rare:20:2`."""

    makes = PrivacyPolicy

    form: str
    numbers: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        wanted = FORMS.get(self.form)
        lowest = {"SEED": 0}
        if wanted is None or len(self.numbers) != len(wanted):
            raise BadParameter(f"A derived policy is one of all:M, items, rare:Q:M, random:N:SIZE:SEED, got {self}.")
        for name, number in zip(wanted, self.numbers, strict=True):
            if number < lowest.get(name, 1):
                raise BadParameter(f"policy: {name} must be at least {lowest.get(name, 1)}, got {self}.")

    @property
    def needs_records(self) -> bool:
        return self.form != "items"

    def make(self, data: Transactions) -> PrivacyPolicy:
        derive: Any = {"all": _every_set, "items": _items, "rare": _rare_sets, "random": _random_sets}[self.form]
        labels = data.vocabulary.labels
        itemsets = ([labels[code] for code in codes] for codes in derive(data, *self.numbers))
        return PrivacyPolicy(itemsets, origin=str(self))

    def __str__(self) -> str:
        return ":".join((self.form, *map(str, self.numbers)))


EVERY_PAIR = DerivedPolicy("all", (2,))


def check_combinations(lengths: Int64s, size: int) -> None:
    """`TooLarge` where all sets of one size of all records together are too many to look at."""
    check_combinations_of(*np.unique(lengths, return_counts=True), size)


def check_combinations_of(distinct: Int64s, counts: Int64s, size: int) -> None:
    """The same by how many records have each length."""
    combinations_of = sum(
        comb(length, size) * count for length, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    )
    if combinations_of > MOST_COMBINATIONS:
        raise TooLarge(
            f"The records hold {combinations_of:,} sets of {size} items, of which at most {MOST_COMBINATIONS:,} can be "
            "looked at. Lower m, or cut very long records.",
            size=size,
            combinations=combinations_of,
        )


def _every_set(data: Transactions, m: int) -> set[tuple[int, ...]]:
    m = min(m, int(data.lengths.max(initial=0)))
    for size in range(2, m + 1):
        check_combinations(data.lengths, size)
    found: set[tuple[int, ...]] = set()
    bounds, items = data.offsets.tolist(), data.items.tolist()
    for start, end in pairwise(bounds):
        # Parts need not be listed: the policy is closed downward.
        found.update(combinations(items[start:end], min(m, end - start)))
    return found - {()}


def _items(data: Transactions) -> set[tuple[int, ...]]:
    return {(code,) for code in np.flatnonzero(data.supports).tolist()}


def _rare_sets(data: Transactions, q: int, m: int) -> set[tuple[int, ...]]:
    occurring = np.flatnonzero(data.supports)
    last = occurring[np.argsort(term_rank(data)[occurring])][-q:]
    rare = np.zeros(len(data.vocabulary), np.bool_)
    rare[last] = True
    kept = rare[data.items]
    rows = np.repeat(np.arange(len(data)), data.lengths)[kept]
    offsets = offsets_of(np.bincount(rows, minlength=len(data)))
    return _every_set(Transactions(offsets, data.items[kept], data.vocabulary), m)


def _random_sets(data: Transactions, n: int, size: int, seed: int) -> set[tuple[int, ...]]:
    if n > MOST_DRAWN:
        raise TooLarge(f"At most {MOST_DRAWN:,} random sets are drawn, {n:,} are asked for.")
    generator = np.random.default_rng(seed)
    found: set[tuple[int, ...]] = set()
    filled = np.flatnonzero(data.lengths)
    for _ in range(DRAWS_PER_SET * n if len(filled) else 0):
        if len(found) == n:
            break
        record = int(generator.choice(filled))
        items = data.items[data.offsets[record] : data.offsets[record + 1]]
        drawn = generator.choice(items, min(size, len(items)), replace=False)
        found.add(tuple(sorted(drawn.tolist())))
    return found
