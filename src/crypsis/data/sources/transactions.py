"""Transactions from a file: a long table of items, a column of sets, JSON arrays, or FIMI and SPMF text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import polars as pl

from crypsis.data.declarations import Declarations
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.formats.columns import is_empty
from crypsis.data.formats.format import SEQUENCE, TABLE
from crypsis.data.mixed import Mixed
from crypsis.data.person_codes import refuse_both, refuse_uniting
from crypsis.data.person_detection import refuse_undecided_names
from crypsis.data.sources.data_source import DataFile, DataSource, Label, NamesColumn, OnlyIn
from crypsis.data.sources.shared_options import Columns, EachRowIsAPerson, Id, Person, Sensitive
from crypsis.data.sources.table import item_separators, sensitive_items
from crypsis.data.transaction import Transactions
from crypsis.data.ways_of_reading import Way
from crypsis.errors import BadParameter, NotApplicable, OptionWithoutEffect
from crypsis.parameters import OneOf

ROW_PER_ITEM = Way("a table with one row per item")
COLUMN_OF_SETS = Way("a column of sets")
LISTS = Way("one list of items per line, a record of one person each,")


@dataclass(frozen=True, kw_only=True)
class TransactionSource(DataSource):
    """How sets of items are read; repeated items collapse."""

    kind, label, plural = "transactions", "Baskets, sets of items", "transactions"
    family = "Transactions"
    holding = frozenset({TABLE, SEQUENCE})

    columns: Annotated[Columns, OnlyIn(COLUMN_OF_SETS)] = None
    id: Annotated[Id, OnlyIn(ROW_PER_ITEM)] = None
    item: Annotated[
        str | None, NamesColumn("Item"), OnlyIn(ROW_PER_ITEM), "Column with one item a row (default: item)."
    ] = None
    person: Annotated[Person, OnlyIn(ROW_PER_ITEM, COLUMN_OF_SETS)] = None
    each_row_is_a_person: Annotated[EachRowIsAPerson, OnlyIn(ROW_PER_ITEM, COLUMN_OF_SETS)] = False
    unite: Annotated[
        str | None,
        OneOf(person="one record of all records of a person"),
        OnlyIn(ROW_PER_ITEM, COLUMN_OF_SETS),
        Label("Unite records"),
        "'person' makes one record of all records of a person.",
    ] = None
    sensitive: Annotated[Sensitive, OnlyIn(ROW_PER_ITEM, LISTS)] = ()

    def way(self, file: DataFile) -> Way:
        if self.columns:
            return COLUMN_OF_SETS
        return ROW_PER_ITEM if file.format_of(self.holding).is_table(file.first) else LISTS

    def read(self, file: DataFile, declared: Declarations | None = None, keys: Mapping[str, Any] | None = None) -> Any:
        if declared is None or not declared.by_record or self.columns:
            return super().read(file, declared, keys)
        return self.load(file, declared)  # only records would tell whether they are rows or lists

    def load(self, file: DataFile, declared: Declarations) -> Transactions:
        refuse_both(self.person, self.each_row_is_a_person)
        refuse_uniting(self.unite, self.person)
        if self.columns:
            transactions = self._column_of_sets(file, declared)
        elif declared.by_record:
            transactions = self._by_record(file)
        elif file.format_of(self.holding).is_table(file.first):
            frame, source = file.frame()
            if isinstance(frame.schema.get(self.item or "item"), pl.List):  # as JSON has it: each row is a record
                return self._of_lists(frame, self.item or "item").load(file, declared)
            named: dict[str, Any] = {"id": self.id or "id", "item": self.item or "item", "sensitive": self.sensitive}
            transactions = Transactions.from_frame(frame, **named, **self._whose(), source=source)
        else:
            refuse_changes(file)
            listed = file.sequences()
            transactions = Transactions.from_columns(
                listed.offsets, listed.labels, self.sensitive, source=listed.source
            )
        return transactions.unite_by_person() if self.unite else transactions

    def _of_lists(self, frame: pl.DataFrame, item: str) -> TransactionSource:
        """For cells that hold whole lists of items, as those of JSON may: each row is a record."""
        if self.id in frame.columns and frame[self.id].is_duplicated().any():
            raise BadParameter(
                f"Several rows have the same {self.id!r}, each with a list of items; say person={self.id!r} instead.",
                parameter="id",
            )
        sets = {item: {"type": "items", "sensitive": [*self.sensitive]}}
        return replace(self, columns=sets, id=None, item=None, sensitive=())

    def _column_of_sets(self, file: DataFile, declared: Declarations) -> Transactions:
        divided = item_separators(self.columns)
        if len(divided) != 1:
            raise BadParameter("Transactions have one column of items; declare it with type = 'items'.")
        number = "row of the file"
        if declared.by_record:
            lists = [name for name, separator in divided.items() if separator is None]
            columns = file.header() or [*filter(None, [self.person]), *divided]
            rows, mark = file.rows(columns, lists)
            numbered = rows.with_columns(pl.Series(number, range(len(rows)), dtype=pl.Int64).cast(pl.String))
            roles = {name: "other" for name in numbered.columns if name not in divided and name != self.person}
            return Mixed.from_records(numbered, roles, divided, None, mark, **self._whose()).transactions
        frame, source = file.frame()
        beside = [name for name in frame.columns if name not in divided and not frame[name].dtype.is_nested()]
        numbered = frame.select([*beside, *divided]).with_row_index(number)
        named = [number, *beside]
        return Mixed.from_frame(
            numbered,
            {name: "other" for name in named if name != self.person},
            divided,
            dict.fromkeys(named, "category"),
            sensitive=sensitive_items(self.columns) or None,
            **self._whose(),
            source=source,
        ).transactions

    def _by_record(self, file: DataFile) -> Transactions:
        chosen = file.format_of(self.holding)
        listed = "table" not in chosen.holds
        if listed or (SEQUENCE in chosen.holds and self.id is None and self.item is None):
            for option, name in {"person": self.person, "id": self.id, "item": self.item}.items():
                if name is not None:
                    raise OptionWithoutEffect(
                        f"Each line of this {chosen.name} file is a record, and {option} {name!r} names nothing. Leave "
                        f"{option} out, or give a long table with a row for each item.",
                        where=str(file.first),
                        parameter=option,
                    )
            sets = file.sets()
            return replace(Transactions.from_columns(sets.offsets, sets.labels), by_record=sets.by_record)
        id, item = self.id or "id", self.item or "item"
        if self.person is None and not self.each_row_is_a_person:
            refuse_undecided_names([name for name in file.header() or () if name not in (id, item)], "records")
        wanted = [id, item, *([] if self.person is None else [self.person])]
        rows, mark = file.rows(wanted)
        sound = rows.filter(~pl.any_horizontal([is_empty(rows[name]) for name in wanted])) if len(rows) else rows
        mark = ByRecord(mark.left_out + len(rows) - len(sound), self.person is not None)
        if self.person is None:
            transactions = Transactions.from_frame(sound, id=id, item=item, each_row_is_a_person=True)
            return replace(transactions, by_record=mark)
        # A record is what one person has under one id, so that no row can contradict another.
        record = pl.struct(self.person, id).struct.json_encode().alias("record of a person")
        joined = sound.select(record, pl.col(item), pl.col(self.person))
        transactions = Transactions.from_frame(joined, id="record of a person", item=item, person=self.person)
        return replace(transactions, by_record=mark)

    def _whose(self) -> dict[str, Any]:
        return {"person": self.person, "each_row_is_a_person": self.each_row_is_a_person}

    def refuse_for_records(self) -> None:
        if self.sensitive:
            raise OptionWithoutEffect(
                "Private methods treat all items alike, so sensitive items have no effect; leave them out.",
                parameter="sensitive",
            )

    @classmethod
    def describe(cls, data: Any) -> str:
        repeated = f"; {data.collapsed:,} repeated items count once" if data.collapsed else ""
        people = f" of {data.people:,} people" if data.person is not None else ""
        items = f"{data.occurrences:,} items of {len(data.vocabulary):,} kinds"
        return f"{len(data):,} transactions{people} with {items}{repeated}"

    def understood(self, data: Any) -> dict[str, str]:
        """Which column names a record and which holds its items; in files of lists each line is a record."""
        return {"record": "each line"} if data.ids is None else {"record": self.id or "id", "item": self.item or "item"}


def refuse_changes(file: DataFile) -> None:
    """Lists and tracks have no cells to edit."""
    if file.change is not None:
        raise NotApplicable(f"{file.first.name} is no table, so it has no cells to edit; convert it to CSV first.")
