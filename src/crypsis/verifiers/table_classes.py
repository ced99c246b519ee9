"""The classes of a published table: records whose quasi-identifiers are the same texts. Suppressed records form none.

Written for the verifiers, with no code of the methods. Texts are numbered column by column and joined to one number per
record; a million records take less than a second.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crypsis.arrays import Bools, Int64s
from crypsis.data.cells import CellKind
from crypsis.data.relational import PublishedColumn, PublishedTable

LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class TableClasses:
    """`class_of[r]` is the class of record r, -1 where it is suppressed; `first` is a record of each class.

    `sizes` count records. Where the persons are known `person[r]` is that of record r, and `people` counts them.
    """

    class_of: Int64s
    sizes: Int64s
    first: Int64s
    n_suppressed: int
    problem: str | None
    person: Int64s | None = None
    people: Int64s | None = None

    @classmethod
    def of(cls, published: PublishedTable, person: Int64s | None = None) -> TableClasses:
        suppressed = np.zeros(len(published), np.bool_)
        marked = []
        for column in published.columns:
            marked.append(column.is_kind(CellKind.SUPPRESSED))
            suppressed |= marked[-1]
        problem = _partly_suppressed(published, marked, suppressed)
        kept = np.flatnonzero(~suppressed)
        n_suppressed = len(published) - len(kept)
        chosen = kept if n_suppressed else slice(None)
        keys = joined_codes((text_codes(column)[chosen] for column in published.with_role("quasi")), len(kept))
        first, inverse, sizes = _numbered(keys)
        class_of = np.full(len(published), -1, np.int64)
        class_of[chosen] = inverse
        people = None if person is None else people_of_classes(class_of, person, len(sizes))
        return cls(class_of, sizes, kept[first], n_suppressed, problem, person, people)

    @property
    def individuals(self) -> Int64s:
        """Of every class: people where they are counted, else records."""
        return self.sizes if self.people is None else self.people

    @property
    def figures(self) -> dict[str, int | float]:
        """Counts for the verdict."""
        if not len(self.sizes):
            return {"classes": 0, "suppressed": self.n_suppressed}
        return {
            "classes": len(self.sizes),
            "smallest_class": int(self.sizes.min()),
            "mean_class": float(self.sizes.mean()),
            "largest_class": int(self.sizes.max()),
            "suppressed": self.n_suppressed,
        }


def _numbered(keys: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """The first record of each key in ascending order, the number of each record's key, and the records of each.

    Records are sorted with their own number behind the key, where both fit into 64 bits; those of a file that was
    sorted are sorted already.
    """
    if bool((keys[1:] >= keys[:-1]).all()):
        begins = np.ones(len(keys), np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=begins[1:])
        starts = np.flatnonzero(begins)
        return starts, np.cumsum(begins) - 1, np.diff(np.append(starts, len(keys)))
    bits = max(len(keys) - 1, 0).bit_length()
    if int(keys.max(initial=0)) < LARGEST_KEY >> bits:
        ordered = np.sort((keys << bits) | np.arange(len(keys)))
        record, key = ordered & ((1 << bits) - 1), ordered >> bits
    else:
        record = np.argsort(keys)
        key = keys[record]
    begins = np.ones(len(keys), np.bool_)
    np.not_equal(key[1:], key[:-1], out=begins[1:])
    starts = np.flatnonzero(begins)
    number = np.empty(len(keys), np.int64)
    number[record] = np.cumsum(begins) - 1
    return np.minimum.reduceat(record, starts), number, np.diff(np.append(starts, len(keys)))


def people_of_classes(class_of: Int64s, person: Int64s, n_classes: int) -> Int64s:
    """Different people with a record in each class; suppressed records count for none."""
    kept = class_of >= 0
    pairs = np.unique(np.stack([class_of[kept], person[kept]], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=n_classes).astype(np.int64)


def text_codes(column: PublishedColumn) -> Int64s:
    """The number of each record's text among the distinct texts: two cells with one text are the same."""
    codes: Int64s = column.cells.text_ranks[column.codes]
    return codes


def joined_codes(columns: Iterable[Int64s], n_records: int) -> Int64s:
    """One number per record, equal where all columns are."""
    keys, base = np.zeros(n_records, np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if base * width >= LARGEST_KEY:  # number what there is, and go on from there
            _, keys = np.unique(keys, return_inverse=True)
            keys = keys.astype(np.int64)
            base = int(keys.max(initial=0)) + 1
        keys = keys * width + codes
        base *= width
    return keys


def cells_of(published: PublishedTable, record: int) -> tuple[tuple[str, ...], ...]:
    """The quasi-identifiers of a record, as a witness names them."""
    return tuple((column.cells.texts[column.codes[record]],) for column in published.with_role("quasi"))


def _partly_suppressed(published: PublishedTable, marked: list[Bools], suppressed: Bools) -> str | None:
    """A marker row may hold nothing but the marker."""
    for column, marks in zip(published.columns, marked, strict=True):
        wrong = suppressed & ~marks
        if wrong.any():
            return partly_suppressed(int(np.argmax(wrong)), column.name)
    return None


def partly_suppressed(row: int, column: str) -> str:
    """What is wrong with a suppressed record that holds a value."""
    return (
        f"suppressed_value: row {row} is suppressed but holds a value in column '{column}'; a suppressed record holds "
        "nothing but ~"
    )
