"""Set-valued data: baskets, diagnoses, search terms; as collected and as published.

Record r holds the items `items[offsets[r]:offsets[r + 1]]`, ascending and distinct; offsets int64, items int32.
A dataset is a bag of records: equal records are different records, and empty ones are lawful.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import Bools, FrozenArrays, Int32s, Int64s, frozen, offsets_of
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.formats.columns import labels as labels_of
from crypsis.data.formats.frames import as_frame
from crypsis.data.formats.long import group_rows, owners_of
from crypsis.data.formats.source import place
from crypsis.data.microdata import ITEMS, Microdata, PublishedData, json_column
from crypsis.data.person_codes import dense_persons, person_codes, refuse_both
from crypsis.data.person_detection import PersonLike, person_like_beside
from crypsis.data.ragged import Ragged
from crypsis.data.symbols import SymbolRows, Symbols, SymbolText
from crypsis.data.vocabulary import Vocabulary, encode_lists
from crypsis.errors import BadLabel, BadParameter, InputError, did_you_mean

if TYPE_CHECKING:
    from crypsis.data.count_bounds import CountBounds
    from crypsis.data.count_query import CountQuery

LONGEST_NAMES = 1 << 28  # characters that names of merged items may take in all records
ABBREVIATED = 5  # labels of a name on a screen


@dataclass(frozen=True, eq=False)
class Transactions(FrozenArrays, Ragged, Microdata):
    """A list of sets of items over one vocabulary.

    `collapsed` is the number of repeated items inside records that the input had and the sets do not.
    `ids` are the input's own names of the records and never leave the publisher. `person` numbers the person whose each
    record is, where one person may have several; None where every record is a person of its own. `person_like` is a
    column that seems to name people, as long as nobody said whether it does: methods ask first.
    `by_record` marks records of which each was read by itself, as private methods need it.
    """

    description = "sets of items"
    value_columns = ("items",)
    row_columns = ("ids", "person")

    offsets: Int64s
    items: Int32s
    vocabulary: Vocabulary
    sensitive: Bools | None = None
    collapsed: int = 0
    ids: pl.Series | None = field(default=None, repr=False)
    person: Int64s | None = field(default=None, repr=False)
    person_like: PersonLike | None = field(default=None, repr=False)
    by_record: ByRecord | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "person", dense_persons(self.person, len(self)))
        super().__post_init__()
        if int(self.offsets[-1]) != len(self.items):
            raise InputError("Transaction offsets do not end at the last item.")
        if len(self.items) and not (0 <= int(self.items.min()) and int(self.items.max()) < len(self.vocabulary)):
            raise InputError("A transaction holds a code outside the vocabulary.")
        rises = np.diff(self.items) > 0
        starts = self.offsets[1:-1]
        rises[starts[(starts > 0) & (starts < len(self.items))] - 1] = True
        if not rises.all():
            raise InputError("The items of a transaction must be ascending and distinct; make it with from_lists.")
        if self.sensitive is not None and len(self.sensitive) != len(self.vocabulary):
            raise InputError("There must be one sensitivity per item of the vocabulary.")

    @classmethod
    def from_lists(
        cls,
        records: Sequence[Collection[str]],
        sensitive: Collection[str] = (),
        *,
        person: Sequence[Any] | None = None,
    ) -> Transactions:
        """From sets or lists of labels; blanks around a label are trimmed, repetitions collapse and are counted.

        `person` names whose each record is, where one person may have several.
        """
        for row, record in enumerate(records):
            if isinstance(record, str) or not all(isinstance(item, str) for item in record):
                raise BadLabel(f"A transaction must be a set of labels (strings), got {record!r}.", where=f"row {row}")
        lengths, flat = encode_lists([list(record) for record in records])
        persons = None if person is None else person_codes(person)
        return cls.from_columns(offsets_of(lengths), flat, sensitive, person=persons)

    @classmethod
    def from_columns(
        cls,
        offsets: Int64s,
        labels: pl.Series,
        sensitive: Collection[str] = (),
        *,
        ids: pl.Series | None = None,
        person: Int64s | None = None,
        source: str | None = None,
    ) -> Transactions:
        """From offsets and one column with the items of all records, in any order and possibly repeated."""
        trimmed = labels.str.strip_chars()
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        empty = trimmed.is_null() | (trimmed == "")
        if empty.any():
            row = int(rows[int(empty.arg_true()[0])])
            raise BadLabel("An item has an empty label; name every item.", **place(source, row))
        vocabulary = Vocabulary.of(trimmed)
        # One number per (record, item): its distinct values in order are the records as ascending sets.
        width = max(len(vocabulary), 1)
        pairs = pl.Series(rows * width + vocabulary.encode(trimmed)).unique().sort().to_numpy()
        lengths = np.bincount(pairs // width, minlength=len(offsets) - 1)
        return cls(
            offsets_of(lengths),
            (pairs % width).astype(np.int32),
            vocabulary,
            sensitive_mask(vocabulary, sensitive),
            collapsed=len(labels) - len(pairs),
            ids=ids,
            person=person,
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        id: str = "id",
        item: str = "item",
        person: str | None = None,
        each_row_is_a_person: bool = False,
        sensitive: Collection[str] = (),
        source: str | None = None,
    ) -> Transactions:
        """From a long table with one row per item; records in the order in which their ids first appear.

        `person` names the column that tells whose each record is, where one person may have several. Where a column
        seems to name people with several records, methods ask for it, or for `each_row_is_a_person`.
        """
        refuse_both(person, each_row_is_a_person)
        if person is not None and person in (id, item):
            raise BadParameter(
                f"Column '{person}' names the person and the {'record' if person == id else 'item'} at once. "
                + (f"Leave the person out: each {id} is one record." if person == id else "Name another column."),
                parameter="person",
            )
        table = as_frame(frame)
        labels = labels_of(table, item, source)
        rows = group_rows(table, id, source)
        persons = None if person is None else owners_of(table, person, rows, source, sets=True).astype(np.int64)
        made = cls.from_columns(
            rows.offsets, rows.arranged(labels), sensitive, ids=rows.ids, person=persons, source=source
        )
        if person is not None or each_row_is_a_person:
            return made
        return replace(made, person_like=person_like_beside(table, id, skip=(id, item)))

    @property
    def occurrences(self) -> int:
        """Number of items in all records together."""
        return len(self.items)

    @cached_property
    def supports(self) -> Int64s:
        """Number of records that hold each item."""
        return frozen(np.bincount(self.items, minlength=len(self.vocabulary)).astype(np.int64))

    @cached_property
    def label_ranks(self) -> Int32s:
        """The items of each record by the rank of their labels, ascending."""
        rank = self.vocabulary.label_rank
        if (np.diff(rank) > 0).all():  # the codes are in the order of the labels
            return self.items
        ranks = rank[self.items]
        rows = np.repeat(np.arange(len(self)), self.lengths)
        return frozen(ranks[np.lexsort((ranks, rows))])

    @cached_property
    def person_repeats(self) -> bool:
        """Some person has several records."""
        return self.person is not None and self.people < len(self)

    @cached_property
    def people(self) -> int:
        """Number of people; of records where each is a person of its own."""
        return len(self) if self.person is None else int(self.person.max(initial=-1)) + 1

    def unite_by_person(self) -> Transactions:
        """One record for each person, with all items of the person's records; people in the order of their numbers."""
        if self.person is None:
            return self
        width = max(len(self.vocabulary), 1)
        keys = np.unique(np.repeat(self.person, self.lengths) * width + self.items)
        lengths = np.bincount(keys // width, minlength=self.people)
        return replace(
            self,
            offsets=offsets_of(lengths),
            items=(keys % width).astype(np.int32),
            collapsed=self.collapsed + len(self.items) - len(keys),
            ids=None,
            person=None,
            person_like=None,
        )

    def to_lists(self) -> list[list[str]]:
        """Labels of each record."""
        labels = self.vocabulary.labels
        return [[labels[item] for item in row] for row in self.cut_into_rows(self.items.tolist())]

    def to_frame(self) -> pl.DataFrame:
        """Long table: id, item. Records without items have no row in it."""
        rows = np.repeat(np.arange(len(self)), self.lengths)
        names = pl.Series(rows) if self.ids is None else self.ids.gather(rows)
        return pl.DataFrame({"id": names, "item": self.vocabulary.decode(self.items)})

    def to_texts(self) -> pl.DataFrame:
        return json_column(ITEMS, self.to_lists())

    @property
    def set_part(self) -> Transactions:
        return self

    @property
    def label_vocabulary(self) -> Vocabulary:
        return self.vocabulary

    @property
    def label_counts(self) -> Int64s:
        return self.supports

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return (ITEMS,)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.offsets, self.items, self.vocabulary, self.sensitive, self.person)

    def __repr__(self) -> str:
        return f"Transactions({len(self)} records, {self.occurrences} occurrences of {len(self.vocabulary)} items)"


@dataclass(frozen=True, eq=False)
class PublishedTransactions(FrozenArrays, Ragged, PublishedData):
    """Records of generalized items: what a release says. A symbol means that a non-empty subset of it was present.

    `suppressed` declares items of which occurrences may be missing; the publisher alone knows it, it is never written,
    and None where it is not known. `sensitive` names the published items that are sensitive. `names` are what symbols
    are called in files, such as nodes of a hierarchy; without them a generalized symbol is called after its labels.
    `domain`, known to the publisher, is the number of items that a symbol could stand for at most.
    `person` tells whose each record is; it exists only in memory, on the publisher's side, and is never written.
    `abbreviated` says whether names of merged items are shortened, where these are only some of the records.
    """

    value_columns = ("codes",)
    row_columns = ("person",)
    separator = "  "
    confirmable = (ITEMS,)

    offsets: Int64s
    codes: Int32s
    symbols: Symbols
    suppressed: tuple[str, ...] | None = ()
    sensitive: tuple[str, ...] = ()
    names: tuple[str, ...] | None = field(default=None, repr=False)
    domain: int | None = None
    person: Int64s | None = field(default=None, repr=False)
    abbreviated: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "person", dense_persons(self.person, len(self)))
        super().__post_init__()
        if self.names is not None and len(self.names) != len(self.symbols):
            raise InputError(f"There are {len(self.names)} names for {len(self.symbols)} symbols.")
        if int(self.offsets[-1]) != len(self.codes):
            raise InputError("Published transaction offsets do not end at the last symbol.")
        if len(self.codes) and not (0 <= int(self.codes.min()) and int(self.codes.max()) < len(self.symbols)):
            raise InputError("A published transaction holds a code outside its symbols.")

    @classmethod
    def from_lists(
        cls,
        rows: Sequence[Sequence[SymbolText]],
        *,
        suppressed: Collection[str] = (),
        sensitive: Collection[str] = (),
    ) -> PublishedTransactions:
        """From rows as JSON writes them: `[["d", ["a", "b"]], …]`."""
        symbols, offsets, codes = Symbols.parse(rows)
        return cls(offsets, codes, symbols, tuple(sorted(suppressed)), tuple(sorted(sensitive)))

    @property
    def occurrences(self) -> int:
        """Number of published symbols in all records together."""
        return len(self.codes)

    @cached_property
    def symbol_names(self) -> tuple[str, ...]:
        """What each symbol is called: the label of a single item, else a name that no item and no other symbol has.

        A merged item is called after all its items, `(a,b,c)`. Only where the records would take more than
        `LONGEST_NAMES` characters that way, names are abbreviated; what they stand for is told beside the records.
        Names depend on the symbols alone, not on their order, so that they say nothing about how these were made.
        """
        lists = self.symbols.label_lists
        taken = set(self.symbols.vocabulary.labels)
        names = [labels[0] for labels in lists]
        repeated: Counter[str] = Counter()
        before: int | None = None
        abbreviates = self.abbreviates(np.bincount(self.codes, minlength=len(lists)))
        in_full = not (abbreviates if self.abbreviated is None else self.abbreviated)
        for symbol in np.argsort(self.symbols.rank).tolist():
            if len(lists[symbol]) == 1:
                continue
            if self.names is None and before is not None and lists[before] == lists[symbol]:
                names[symbol] = names[before]
                continue
            shown = len(lists[symbol]) if in_full else ABBREVIATED
            plain = name = printed(lists[symbol], shown) if self.names is None else self.names[symbol]
            while name in taken:
                repeated[plain] += 1
                name = plain + ("'" if repeated[plain] == 1 else f"'{repeated[plain]}")
            taken.add(name)
            names[symbol] = name
            before = symbol
        return tuple(names)

    def abbreviates(self, occurrences: Int64s) -> bool:
        """Names of merged items would take too many characters, where symbols occur so often."""
        characters = np.array([sum(map(len, labels)) + len(labels) for labels in self.symbols.label_lists], np.int64)
        return int(characters @ occurrences) > LONGEST_NAMES

    def to_lists(self) -> list[list[SymbolText]]:
        """Symbols of each record as JSON writes them, by their sorted labels."""
        texts = self.symbols.texts
        rank = self.symbols.rank.tolist()
        rows = self.cut_into_rows(self.codes.tolist())
        return [[texts[code] for code in sorted(row, key=rank.__getitem__)] for row in rows]

    def to_texts(self) -> pl.DataFrame:
        return json_column(ITEMS, self.to_lists())

    @property
    def set_part(self) -> PublishedTransactions:
        return self

    @property
    def known_items(self) -> frozenset[str]:
        labels = self.symbols.vocabulary.labels
        return frozenset(labels[code] for code in np.unique(self.symbols.members).tolist())

    def bound_counts(self, queries: Sequence[CountQuery], *, complete: bool = True) -> list[CountBounds]:
        from crypsis.data.count_bounds import bound_records

        return bound_records(None, self, queries, items_column=ITEMS, complete=complete)

    @property
    def symbol_rows(self) -> SymbolRows:
        return SymbolRows(self.offsets, self.codes, self.symbols, ("item", "items"))

    @property
    def contents(self) -> int:
        return len(self.codes)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.to_lists(),)

    def __repr__(self) -> str:
        return f"PublishedTransactions({len(self)} records, {len(self.symbols)} symbols)"


def printed(labels: Sequence[str], most: int = ABBREVIATED) -> str:
    """`(a,b,c)`; of many labels the first and how many more."""
    shown = list(labels) if len(labels) <= most else [*labels[: most - 1], f"+{len(labels) - most + 1}"]
    return f"({','.join(shown)})"


def sensitive_mask(vocabulary: Vocabulary, sensitive: Collection[str]) -> Bools | None:
    """Which items are sensitive; None where none is named."""
    if not sensitive:
        return None
    mask = np.zeros(len(vocabulary), np.bool_)
    for label in sensitive:
        if label not in vocabulary:
            raise BadLabel(
                f"Sensitive item {label!r} does not occur in the data.{did_you_mean(str(label), vocabulary.labels)}"
            )
        mask[vocabulary.code(label)] = True
    return mask
