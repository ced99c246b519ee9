"""Mixed data, which papers call RT-data: a table with one set-valued column; as collected and as published.

Several set-valued columns are united into one, their items prefixed with the column (`diagnosis.042`), and can be
split again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from crypsis.arrays import FrozenArrays, Int32s, Int64s, offsets_of
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.formats.columns import is_empty, unknown_column
from crypsis.data.formats.frames import as_frame, pandas_index
from crypsis.data.formats.published_sets import assembled
from crypsis.data.formats.source import place
from crypsis.data.formats.wide_rows import unite_columns
from crypsis.data.frame_types import FrameTypes, export_arrow, export_pandas, export_polars
from crypsis.data.microdata import ITEMS, Microdata, PublishedData, json_column
from crypsis.data.person_detection import PersonLike
from crypsis.data.relational import NodeLeaves, PublishedTable, Table, persons_column
from crypsis.data.set_valued_cells import has_sound_sets, sets_of_cells
from crypsis.data.symbols import SymbolRows
from crypsis.data.transaction import PublishedTransactions, Transactions
from crypsis.data.vocabulary import Vocabulary, encode_lists
from crypsis.errors import BadParameter, BadPublication, InputError, NotApplicable, UnknownColumn, did_you_mean
from crypsis.strict_json import parse_json

if TYPE_CHECKING:
    from crypsis.data.count_bounds import CountBounds
    from crypsis.data.count_query import CountQuery

UNITED = "items"
SUPPRESSED_TEXT = "~"


@dataclass(frozen=True, eq=False)
class Mixed(Microdata):
    """Records with relational columns and a set of items.

    `column` names the set-valued column; `parts` are the columns that it unites, one or more.
    """

    description = "a table with a column of items"

    table: Table
    transactions: Transactions
    column: str
    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.table) != len(self.transactions):
            raise InputError(
                f"A table of {len(self.table)} records needs as many transactions, got {len(self.transactions)}."
            )
        if self.column in self.table.names:
            raise InputError(f"Column '{self.column}' is relational and set-valued at once; rename one.")
        table = self.table
        sets = replace(self.transactions, person=table.person, person_like=table.person_like)
        object.__setattr__(self, "transactions", sets)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        roles: Mapping[str, str],
        items: Mapping[str, str | None],
        types: Mapping[str, str] | None = None,
        *,
        sensitive: Mapping[str, Collection[str]] | None = None,
        person: str | None = None,
        each_row_is_a_person: bool = False,
        missing_tokens: tuple[str, ...] = ("?",),
        unparsable: str = "error",
        source: str | None = None,
    ) -> Mixed:
        """From a table. `items` maps each set-valued column to the separator of its items, or None for lists.

        A set that is spread over columns is named with them: `items={"diagnoses": "dx01..dx15"}`.

        `sensitive` maps a set-valued column to its sensitive items. An empty cell is an empty set. `person` and
        `each_row_is_a_person` as in `Table.from_frame`.
        """
        everything = as_frame(frame)
        wide = set(everything.columns)
        everything, items = unite_columns(everything, items, source)
        roles = {name: role for name, role in roles.items() if name not in wide - set(everything.columns)}
        for name in (*items, *(sensitive or {})):
            if name not in everything.columns:
                raise unknown_column(name, everything.columns, source)
        table = Table.from_frame(
            everything.select(relational_columns(everything.columns, items)),
            roles,
            types,
            person=person,
            each_row_is_a_person=each_row_is_a_person,
            missing_tokens=missing_tokens,
            unparsable=unparsable,
            source=source,
        )
        sets = {
            name: sets_of_cells(everything[name], separator, (sensitive or {}).get(name, ()), source)
            for name, separator in items.items()
        }
        kept = FrameTypes.of(frame, everything.schema)
        return cls.united(table.change(index=pandas_index(frame), frame_types=kept), sets)

    @classmethod
    def from_records(
        cls,
        frame: pl.DataFrame,
        roles: Mapping[str, str],
        items: Mapping[str, str | None],
        types: Mapping[str, str] | None,
        by_record: ByRecord,
        *,
        person: str | None = None,
        each_row_is_a_person: bool = False,
    ) -> Mixed:
        """From texts that were read a record at a time; a record with an empty item is left out."""
        wide = set(frame.columns)
        frame, items = unite_columns(frame, items)
        roles = {name: role for name, role in roles.items() if name not in wide - set(frame.columns)}
        for name in items:
            if name not in frame.columns:
                raise unknown_column(name, frame.columns)
        relational = [name for name in frame.columns if name not in items]
        if not items or not relational:
            raise NotApplicable("Mixed data need a set-valued column and a relational one.")
        sound = frame
        for name, separator in items.items():
            sound = sound.filter(has_sound_sets(sound[name], separator))
        person, roles = persons_column(relational, roles, person, each_row_is_a_person)
        if person is not None:
            sound = sound.filter(~is_empty(sound[person]))
        mark = ByRecord(by_record.left_out + len(frame) - len(sound))
        table = Table.from_records(
            sound.select(relational), roles, types, mark, person=person, each_row_is_a_person=person is None
        )
        sets = {name: sets_of_cells(sound[name], separator, (), None) for name, separator in items.items()}
        mixed = cls.united(table, sets)
        return replace(mixed, transactions=replace(mixed.transactions, person=table.person, by_record=table.by_record))

    @classmethod
    def united(cls, table: Table, sets: Mapping[str, Transactions]) -> Mixed:
        """A table and its set-valued columns; several are united with prefixed items."""
        transactions = united_sets(sets)
        return cls(table, transactions, next(iter(sets)) if len(sets) == 1 else UNITED, tuple(sets))

    def split(self) -> dict[str, Transactions]:
        """The set-valued columns as they were before they were united."""
        if len(self.parts) == 1:
            return {self.parts[0]: self.transactions}
        rows = np.repeat(np.arange(len(self)), self.transactions.lengths)
        labels = self.transactions.vocabulary.series
        every_label = self.transactions.vocabulary.decode(self.transactions.items)
        columns: dict[str, Transactions] = {}
        for name in self.parts:
            prefix = f"{name}."
            mine = every_label.str.starts_with(prefix)
            lengths = np.bincount(rows[mine.to_numpy()], minlength=len(self))
            sensitive: list[str] = []
            if self.transactions.sensitive is not None:
                marked = labels.filter(pl.Series(self.transactions.sensitive))
                sensitive = marked.filter(marked.str.starts_with(prefix)).str.strip_prefix(prefix).to_list()
            made = Transactions.from_columns(
                offsets_of(lengths), every_label.filter(mine).str.strip_prefix(prefix), sensitive, person=self.person
            )
            columns[name] = replace(made, person_like=self.person_like, by_record=self.transactions.by_record)
        return columns

    @property
    def person(self) -> Int64s | None:
        """The person of every record, where one may have several."""
        return self.table.person

    @property
    def person_like(self) -> PersonLike | None:
        """A column that seems to name people, as long as nobody said whether it does."""
        return self.table.person_like

    def take(self, rows: Int64s) -> Mixed:
        """The chosen records, in the order given."""
        return Mixed(self.table.take(rows), self.transactions.take(rows), self.column, self.parts)

    def to_frame(self) -> pl.DataFrame:
        """The relational columns and, as lists of labels, the set-valued columns."""
        return self.table.to_frame().with_columns(
            pl.Series(name, part.to_lists(), dtype=pl.List(pl.String)) for name, part in self.split().items()
        )

    def to_texts(self) -> pl.DataFrame:
        return self.table.to_texts().hstack(json_column(self.column, self.transactions.to_lists()))

    @classmethod
    def views(cls) -> Mapping[type, Callable[[Any], Any]]:
        return {**super().views(), Table: lambda data: data.table, Transactions: lambda data: data.transactions}

    @property
    def table_part(self) -> Table:
        return self.table

    @property
    def set_part(self) -> Transactions:
        return self.transactions

    @property
    def label_vocabulary(self) -> Vocabulary:
        return self.transactions.vocabulary

    @property
    def label_counts(self) -> Int64s:
        return self.transactions.supports

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return (*self.table.quasi, self.column)

    def choose_columns(self, columns: Sequence[str], wanted: type) -> Any:
        sets, relational = self.split(), [name for name in columns if name in self.table.names]
        for name in columns:
            if name not in sets and name not in relational:
                known = [*self.table.names, *sets]
                raise UnknownColumn(f"Column {name!r} is not in these data.{did_you_mean(name, known)}")
        chosen = {name: sets[name] for name in columns if name in sets}
        if wanted is Transactions:
            if len(chosen) != 1:
                raise NotApplicable(f"One column of items is needed; columns of items are {', '.join(sets)}.")
            return next(iter(chosen.values()))
        table = self.table.choose_columns(relational, wanted)
        return table if wanted is Table else Mixed.united(table, chosen or sets)

    @property
    def frame_types(self) -> FrameTypes | None:
        """The types that the columns came with."""
        return self.table.frame_types

    @property
    def index(self) -> Any:
        """The index of the pandas table that the data were made from, if they were."""
        return self.table.index

    def __len__(self) -> int:
        return len(self.table)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.table, self.transactions, self.column, self.parts)

    def __repr__(self) -> str:
        return f"Mixed({self.table!r}, {self.column!r}: {self.transactions!r})"


def united_sets(sets: Mapping[str, Transactions]) -> Transactions:
    """The items of several set-valued columns in one, prefixed with their column; those of one as they are."""
    if len(sets) == 1:
        return next(iter(sets.values()))
    for name in sets:
        for other in sets:
            if other.startswith(f"{name}."):
                raise BadParameter(
                    f"Columns '{name}' and '{other}' cannot be united: an item '{other}.x' could be of either. "
                    "Rename one.",
                    parameter="items",
                )
    rows = [np.repeat(np.arange(len(part)), part.lengths) for part in sets.values()]
    labels = [f"{name}." + part.vocabulary.decode(part.items) for name, part in sets.items()]
    order = np.argsort(np.concatenate(rows), kind="stable")
    sensitive = {
        f"{name}.{part.vocabulary[int(code)]}"
        for name, part in sets.items()
        if part.sensitive is not None
        for code in np.flatnonzero(part.sensitive)
    }
    n_records = len(next(iter(sets.values())))
    lengths = np.bincount(np.concatenate(rows), minlength=n_records)
    united = Transactions.from_columns(offsets_of(lengths), pl.concat(labels).gather(order), sensitive)
    return replace(united, collapsed=sum(part.collapsed for part in sets.values()))


def relational_columns(columns: Sequence[str], items: Mapping[str, str | None]) -> list[str]:
    """Those of the columns of a table that hold no sets; mixed data have both kinds."""
    if not items:
        raise BadParameter("Mixed data need a set-valued column; name one in items.", parameter="items")
    relational = [name for name in columns if name not in items]
    if not relational:
        raise NotApplicable("Mixed data need a relational column beside the items; read them as transactions.")
    return relational


@dataclass(frozen=True, eq=False)
class PublishedMixed(FrozenArrays, PublishedData):
    """Records of generalized cells with a set of generalized items: what a release says.

    The transaction of a suppressed record is empty in memory and `~` in a file, like its other cells. `sensitive` are
    the labels of the sensitive items, which are published as they are. `scopes`, where it is told, numbers the
    recoding of each record's items: inside one scope no item belongs to two symbols.
    """

    confirmable = (ITEMS,)

    table: PublishedTable
    transactions: PublishedTransactions
    column: str
    sensitive: tuple[str, ...] = ()
    scopes: Int32s | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scopes is not None and len(self.scopes) != len(self.table):
            raise InputError(f"There must be one scope per record, got {len(self.scopes)} for {len(self.table)}.")
        if len(self.table) != len(self.transactions):
            raise InputError(
                f"A table of {len(self.table)} records needs as many transactions, got {len(self.transactions)}."
            )
        if self.column in self.table.names:
            raise InputError(f"Column '{self.column}' is relational and set-valued at once; rename one.")

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        column: str,
        roles: Mapping[str, str],
        types: Mapping[str, str],
        *,
        nodes: Mapping[str, Collection[str]] | None = None,
        hierarchies: Mapping[str, NodeLeaves] | None = None,
        meanings: Mapping[str, Sequence[str]] | None = None,
        source: str | None = None,
    ) -> PublishedMixed:
        """From a table of texts whose set-valued column holds JSON arrays of symbols.

        With `meanings` these are names, as a written release has them: what is not among the meanings is an item.
        """
        everything = as_frame(frame)
        if column not in everything.columns:
            raise unknown_column(column, everything.columns, source)
        table = PublishedTable.from_frame(
            everything.drop(column), roles, types, nodes=nodes, hierarchies=hierarchies, source=source
        )
        texts = everything[column].to_list()
        for row in np.flatnonzero(~table.suppressed).tolist():
            if texts[row] == SUPPRESSED_TEXT:
                raise BadPublication(
                    "The items are suppressed and the record is not; ~ is in every column or in none.",
                    **place(source, row, column),
                )
        rows = [_symbols(text, row, column, source) for row, text in enumerate(texts)]
        if meanings is None:
            return cls(table, PublishedTransactions.from_lists(rows), column)
        for row, listed in enumerate(rows):
            if not all(isinstance(name, str) for name in listed):
                raise BadPublication(f"Published items are names, got {texts[row]!r}.", **place(source, row, column))
        lengths, names = encode_lists(rows)
        return cls(table, assembled(offsets_of(lengths), names, meanings, source), column)

    def take(self, rows: Int64s) -> PublishedMixed:
        """The chosen records, in the order given."""
        return replace(
            self,
            table=self.table.take(rows),
            transactions=self.transactions.take(rows),
            scopes=None if self.scopes is None else self.scopes[rows],
        )

    def to_frame(self) -> pl.DataFrame:
        """The text of every cell; items as a JSON array of symbols, `~` where the record is suppressed."""
        suppressed = self.table.suppressed.tolist()
        texts = [
            SUPPRESSED_TEXT if hidden else json.dumps(row, ensure_ascii=False, separators=(",", ":"))
            for row, hidden in zip(self.transactions.to_lists(), suppressed, strict=True)
        ]
        return self.table.to_frame().with_columns(pl.Series(self.column, texts, dtype=pl.String))

    @property
    def table_part(self) -> PublishedTable:
        return self.table

    @property
    def set_part(self) -> PublishedTransactions:
        return self.transactions

    @property
    def symbol_rows(self) -> SymbolRows:
        return self.transactions.symbol_rows

    @property
    def known_items(self) -> frozenset[str]:
        return self.transactions.known_items

    def bound_counts(self, queries: Sequence[CountQuery], *, complete: bool = True) -> list[CountBounds]:
        from crypsis.data.count_bounds import bound_records

        return bound_records(self.table, self.transactions, queries, items_column=self.column, complete=complete)

    @property
    def contents(self) -> int:
        return self.table.contents

    def to_polars(self, like: FrameTypes | None = None) -> pl.DataFrame:
        """Relational columns as `PublishedTable.to_polars` gives them, items as lists of names; suppressed are null."""
        return export_polars(self._typed(), like, self._generalized)

    def to_pandas(self, like: FrameTypes | None = None, index: Any = None) -> Any:
        """The same as a pandas table; ranges are intervals."""
        return export_pandas(self._typed(), like, self._generalized, index)

    def to_arrow(self, like: FrameTypes | None = None) -> Any:
        """The same as an arrow table."""
        return export_arrow(self._typed(), like, self._generalized)

    def _typed(self) -> pl.DataFrame:
        names = pl.Series(self.transactions.symbol_names, dtype=pl.String)
        labels = names.gather(pl.Series(self.transactions.codes)).to_list()
        bounds, hidden = self.transactions.offsets.tolist(), self.table.suppressed.tolist()
        rows = [
            None if gone else sorted(labels[start:end])
            for (start, end), gone in zip(pairwise(bounds), hidden, strict=True)
        ]
        return self.table.typed().with_columns(pl.Series(self.column, rows, dtype=pl.List(pl.String)))

    @property
    def _generalized(self) -> list[str]:
        return [*self.table.generalized, self.column]

    def __len__(self) -> int:
        return len(self.table)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.table, self.transactions, self.column, self.sensitive)

    def __repr__(self) -> str:
        return f"PublishedMixed({self.table!r}, {self.column!r}: {self.transactions!r})"


def _symbols(text: str | None, row: int, column: str, source: str | None) -> list[Any]:
    if text == SUPPRESSED_TEXT:
        return []
    try:
        symbols = parse_json(text or "")
        if not isinstance(symbols, list):
            raise ValueError(text)
    except ValueError:
        raise BadPublication(
            f"Published items are a JSON array of symbols or ~, got {text!r}.", **place(source, row, column)
        ) from None
    return symbols
