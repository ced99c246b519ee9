"""Recount (k,k^m)-anonymity and (k,l^m)-diversity of published mixed data: every class, every set of up to m items.

Classes are the records with equal published quasi-identifiers, further divided by the recoding of their items where a
release tells it. Counting published symbols bounds what an adversary with original items learns as long as no item
belongs to two symbols of one class; where one does, that is a broken promise, because nobody could check it.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import numpy as np

from crypsis.arrays import Int32s, Int64s, Lists, offsets_of
from crypsis.compilation import njit
from crypsis.data.mixed import Mixed, PublishedMixed
from crypsis.data.transaction import Transactions
from crypsis.errors import NoQuasiIdentifiers
from crypsis.guarantees import KKmAnonymity, KLmDiversity, Verdict, Witness
from crypsis.verifiers.class_itemsets import Classes, Required, class_supports
from crypsis.verifiers.counted_people import counted_persons, refuse_uncounted
from crypsis.verifiers.loss_bounds import bound_problem
from crypsis.verifiers.mixed_recoding import recoding_problem
from crypsis.verifiers.table_classes import TableClasses

HONEST = ", and the rows are honest recodings of the original ones"
COUNTED = "every set of published items was counted in every class"
NO_PERSONS: Int64s = np.zeros(0, np.int64)


@dataclass(frozen=True)
class MixedWitness(Witness):
    """Also says the published quasi-identifiers of the class, and which sensitive item too many of it hold."""

    cells: tuple[tuple[str, str], ...] = ()
    kind: str = "k"
    sensitive: str | None = None
    count: int | None = None

    def __str__(self) -> str:
        shared = ", ".join(f"{name} {text}" for name, text in self.cells)
        return f"({shared})" + (f" with {super().__str__()}" if self.symbols else "")

    def to_dict(self) -> dict[str, Any]:
        told = {} if self.sensitive is None else {"count": self.count, "sensitive": self.sensitive}
        return {"kind": self.kind, **super().to_dict(), "quasi_identifiers": dict(self.cells), **told}


def verify_kkm_anonymity(published: PublishedMixed, promised: KKmAnonymity, original: Mixed | None = None) -> Verdict:
    """Count all items alike, size by size; the witness is the rarest set of the first size that fails."""
    return _verified(published, promised, original, ())


def verify_klm_diversity(published: PublishedMixed, promised: KLmDiversity, original: Mixed | None = None) -> Verdict:
    """Count the sets of items that are not sensitive, and who of their records holds each sensitive item."""
    return _verified(published, promised, original, tuple(sorted(set(published.sensitive))))


def _verified(
    published: PublishedMixed, promised: KKmAnonymity | KLmDiversity, original: Mixed | None, sensitive: tuple[str, ...]
) -> Verdict:
    how = COUNTED

    def broken(problem: str, **more: Any) -> Verdict:
        return Verdict(promised, False, None, promised.k, how, problem=problem + ".", **more)

    if not published.table.quasi:
        raise NoQuasiIdentifiers(f"{promised.model} needs a quasi-identifier; declare one (quasi=['age', 'zip']).")
    classes = TableClasses.of(published.table)
    person, problem = counted_persons(published.table, promised.unit, None if original is None else original.table)
    problem = _suppression_problem(published, classes) or problem
    if problem is None and isinstance(promised, KLmDiversity):
        problem = sensitive_problem(published, sensitive, original)
    if problem is None and original is not None:
        problem = recoding_problem(published, original)
        how += HONEST
    if problem is None:
        problem = bound_problem(published, promised.ncp, promised.ul, sensitive, original)
    if problem is not None:
        return broken(problem)
    counted = count_classes(published, promised, sensitive, classes, person)
    if counted.overlap is not None:
        return broken(counted.overlap[1])
    if promised.unit == "person":
        how += ", by the people who have a record with it"
    verdict = verdict_on_classes(promised, counted, sensitive, how, person is not None)
    if promised.unit == "person" and person is None and verdict.holds and counted.classes:
        refuse_uncounted(None if verdict.achieved is None else int(verdict.achieved))
    return verdict


@dataclass(frozen=True)
class RarestInClass:
    """The least shared set of one size: its support, the first row of its class, its symbols and the class; and how
    many sets are shared by too few."""

    support: int
    row: int
    symbols: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[str, str], ...]
    violations: int


@dataclass(frozen=True)
class MostAlike:
    """The set with the greatest share of records that hold one sensitive item, and how many shares are too large."""

    support: int
    row: int
    symbols: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[str, str], ...]
    secret: str
    held: int


@dataclass(frozen=True)
class ClassCounts:
    """What was counted in classes: by size of the sets, the rarest; where two symbols overlap, the class and why."""

    classes: int
    suppressed: int
    by_size: Mapping[int, RarestInClass]
    too_alike: int = 0
    most_alike: MostAlike | None = None
    overlap: tuple[int, str] | None = None


def count_classes(
    published: PublishedMixed,
    promised: KKmAnonymity | KLmDiversity,
    sensitive: tuple[str, ...],
    classes: TableClasses,
    person: Int64s | None = None,
) -> ClassCounts:
    """Count every set of published items in every class."""
    groups = _groups(published, classes, person)
    rows = _Rows.of(published, sensitive)
    n_groups, suppressed = len(groups.starts) - 1, int(np.count_nonzero(published.table.suppressed))
    overlap = _overlapping(groups, rows, published)
    if overlap is not None:
        return ClassCounts(n_groups, suppressed, {}, overlap=overlap)
    l = promised.l if isinstance(promised, KLmDiversity) else 1  # noqa: E741
    m = min(promised.m, int(np.diff(rows.offsets).max(initial=0)))
    supports = class_supports(
        Classes(groups.starts, groups.rows, NO_PERSONS if person is None else person),
        Lists(rows.offsets, rows.codes),
        Lists(rows.secret_offsets, rows.secrets),
        len(rows.names),
        len(sensitive),
        Required(promised.k, m, l),
    )
    by_size = {}
    for size, lowest in enumerate(supports.lowest.tolist()):
        if lowest >= 0:
            one, *items = supports.rarest[size, : size + 1].tolist()
            symbols = tuple(rows.names[item] for item in items)
            violations = int(supports.violations[size])
            by_size[size] = RarestInClass(
                lowest, groups.first_row(one), symbols, groups.cells(published, one), violations
            )
    alike = None
    one, size, secret, held, support = supports.most_alike.tolist()[:5]
    if held > 0:
        symbols = tuple(rows.names[item] for item in supports.most_alike[5 : 5 + size].tolist())
        cells = groups.cells(published, one)
        alike = MostAlike(support, groups.first_row(one), symbols, cells, sensitive[secret], held)
    return ClassCounts(n_groups, suppressed, by_size, int(supports.alike[0]), alike)


def verdict_on_classes(
    promised: KKmAnonymity | KLmDiversity, counted: ClassCounts, sensitive: tuple[str, ...], how: str, people: bool
) -> Verdict:
    """The verdict on what was counted in all classes."""
    sizes = sorted(counted.by_size)
    lowest = [counted.by_size[size].support for size in sizes]
    reached = min(lowest, default=None)
    figures: dict[str, Any] = {
        "classes": counted.classes,
        "smallest_class": lowest[0] if lowest else None,
        "min_support_by_size": lowest[1:],
        "suppressed_records": counted.suppressed,
    }
    worst = counted.most_alike
    if sensitive:
        figures["max_confidence"] = worst.held / worst.support if worst is not None else 0.0
    for size in sizes:
        rarest = counted.by_size[size]
        if not rarest.violations:
            continue
        witness = MixedWitness(rarest.symbols, rarest.support, rarest.violations, rarest.cells)
        words = f"{witness} belongs to {_counted(witness.support, people)}, {promised.k} are required."
        return Verdict(promised, False, reached, promised.k, how, witness, words, figures)
    if counted.too_alike and worst is not None:
        witness = MixedWitness(
            worst.symbols, worst.support, counted.too_alike, worst.cells, "l", worst.secret, worst.held
        )
        assert isinstance(promised, KLmDiversity)
        words = (
            f"of the {_counted(worst.support, people)} with {witness}, {worst.held} hold {worst.secret!r}; at most one "
            f"in {promised.l} may."
        )
        return Verdict(promised, False, reached, promised.k, how, witness, words, figures)
    return Verdict(promised, True, reached, promised.k, how, figures=figures)


@dataclass(frozen=True, eq=False)
class _Groups:
    """The records of each class, or of each scope in a class, in the order of their first records."""

    starts: Int64s
    rows: Int64s

    def first_row(self, one: int) -> int:
        return int(self.rows[self.starts[one]])

    def cells(self, published: PublishedMixed, one: int) -> tuple[tuple[str, str], ...]:
        row = self.first_row(one)
        return tuple(
            (column.name, column.cells.texts[int(column.codes[row])]) for column in published.table.with_role("quasi")
        )


def _groups(published: PublishedMixed, classes: TableClasses, person: Int64s | None) -> _Groups:
    """The groups, in each of them the records of a person together where people are counted."""
    rows = np.flatnonzero(classes.class_of >= 0)
    index = classes.class_of[rows]
    if published.scopes is not None:
        _, scope = np.unique(published.scopes[rows], return_inverse=True)
        index = index * (int(scope.max(initial=0)) + 1) + scope
    _, first, index = np.unique(index, return_index=True, return_inverse=True)
    place = np.empty(len(first), np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(len(first))
    whose = np.zeros(len(rows), np.int64) if person is None else person[rows]
    order = np.lexsort((whose, place[index]))
    return _Groups(offsets_of(np.bincount(place[index], minlength=len(first))), rows[order])


@dataclass(frozen=True, eq=False)
class _Rows:
    """Records as distinct ascending symbols, sensitive ones apart. Equal sets of labels are one symbol."""

    names: list[tuple[str, ...]]
    offsets: Int64s
    codes: Int32s
    secret_offsets: Int64s
    secrets: Int32s

    @classmethod
    def of(cls, published: PublishedMixed, sensitive: tuple[str, ...]) -> _Rows:
        transactions = published.transactions
        secret_of = {label: index for index, label in enumerate(sensitive)}
        names = sorted({labels for labels in transactions.symbols.label_lists if labels[0] not in secret_of})
        rank = {labels: index for index, labels in enumerate(names)}
        known = np.array([rank.get(labels, -1) for labels in transactions.symbols.label_lists], np.int64)
        secret = np.array([secret_of.get(labels[0], -1) for labels in transactions.symbols.label_lists], np.int64)
        row = np.repeat(np.arange(len(published)), transactions.lengths)
        offsets, codes = _distinct(row, known[transactions.codes], len(published), len(names))
        secret_offsets, secrets = _distinct(row, secret[transactions.codes], len(published), len(sensitive))
        return cls(names, offsets, codes, secret_offsets, secrets)


def _distinct(row: Int64s, code: Int64s, n_rows: int, n_codes: int) -> tuple[Int64s, Int32s]:
    kept = code >= 0
    pairs = row[kept] * max(n_codes, 1) + code[kept]
    pairs.sort()  # much quicker than np.unique on millions of numbers
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])] if len(pairs) else pairs
    offsets = offsets_of(np.bincount(pairs // max(n_codes, 1), minlength=n_rows))
    return offsets, (pairs % max(n_codes, 1)).astype(np.int32)


def _overlapping(groups: _Groups, rows: _Rows, published: PublishedMixed) -> tuple[int, str] | None:
    """The first row of a class in which two symbols share an item, and what is wrong."""
    labels = sorted({label for names in rows.names for label in names})
    number = {label: index for index, label in enumerate(labels)}
    item_offsets = offsets_of(np.array([len(names) for names in rows.names], np.int64))
    items = np.array([number[label] for names in rows.names for label in names], np.int64)
    overlap = _first_overlap(groups.starts, groups.rows, rows.offsets, rows.codes, item_offsets, items, len(labels))
    if overlap[0] < 0:
        return None
    one, item, *both = overlap.tolist()
    cells = ", ".join(f"{name} {text}" for name, text in groups.cells(published, one))
    shown = " and ".join("{" + ", ".join(rows.names[symbol]) + "}" for symbol in both)
    return groups.first_row(one), (
        f"overlapping-items: in the class ({cells}) the items {shown} share {labels[item]!r}, so counting them does "
        "not bound what somebody with original items learns; a release has to tell the scopes of its recodings"
    )


@njit
def _first_overlap(
    starts: Int64s, rows: Int64s, offsets: Int64s, codes: Int32s, item_offsets: Int64s, items: Int64s, n_items: int
) -> Int64s:
    """(class, item, symbol, symbol) where two symbols of a class share an item, -1 where none do."""
    symbol_of = np.full(n_items, -1, np.int64)
    seen_in = np.full(n_items, -1, np.int64)
    told_in = np.full(len(item_offsets) - 1, -1, np.int64)  # the class in which a symbol was last looked at
    for one in range(len(starts) - 1):
        for index in range(starts[one], starts[one + 1]):
            for position in range(offsets[rows[index]], offsets[rows[index] + 1]):
                symbol = codes[position]
                if told_in[symbol] == one:
                    continue
                told_in[symbol] = one
                for slot in range(item_offsets[symbol], item_offsets[symbol + 1]):
                    item = items[slot]
                    if seen_in[item] == one:
                        return np.array([one, item, symbol_of[item], symbol])
                    seen_in[item], symbol_of[item] = one, symbol
    return np.full(4, -1, np.int64)


def _suppression_problem(published: PublishedMixed, classes: TableClasses) -> str | None:
    """A record that is suppressed anywhere is suppressed everywhere, and shows no items."""
    showing = np.flatnonzero((classes.class_of < 0) & (published.transactions.lengths > 0))
    if classes.problem is None and len(showing):
        return f"suppressed_value: row {int(showing[0])} is suppressed but shows items"
    return classes.problem


def sensitive_problem(published: PublishedMixed, sensitive: tuple[str, ...], original: Mixed | None) -> str | None:
    """Sensitive items stand alone, and are those of the original."""
    marked = set(sensitive)
    for names in published.transactions.symbols.label_lists:
        if len(names) > 1 and not marked.isdisjoint(names):
            both = min(marked & set(names))
            return f"sensitive item {both!r} is generalized to {{{', '.join(names)}}}; sensitive ones stay themselves"
    return None if original is None else other_sensitive_item(marked, original.transactions)


def other_sensitive_item(marked: AbstractSet[str], original: Transactions) -> str | None:
    """Which item is marked as sensitive and was not, or the other way round."""
    if original.sensitive is None:
        return None
    labels = original.vocabulary.labels
    true = {labels[code] for code in np.flatnonzero(original.sensitive).tolist()}
    differing = sorted((marked ^ true) & set(labels))
    if not differing:
        return None
    words = "is not published as sensitive" if differing[0] in true else "is published as sensitive and is not"
    return f"item {differing[0]!r} {words}"


def _counted(count: int, people: bool) -> str:
    one, many = ("person", "people") if people else ("record", "records")
    return f"{count} {one}" if count == 1 else f"{count:,} {many}"
