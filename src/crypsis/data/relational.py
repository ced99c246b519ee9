"""Relational data: tables as collected, and tables as published.

A column is dictionary-encoded: `codes[r]` is the position of record r's value in the column's sorted domain, and
-1 where it is missing. Missing values follow `MISSING_EQUALS_MISSING`, in methods and verifiers alike.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import numpy as np
import polars as pl

from crypsis.arrays import Bools, EqualByContent, FrozenArrays, Int32s, Int64s, frozen
from crypsis.arrays.row_ranks import rank_rows
from crypsis.data.cells import ANY, MISSING, SUPPRESSED, Cell, CellKind, Cells, parse_values
from crypsis.data.encoded_column import Column as Column
from crypsis.data.encoded_column import LateEncoding, map_columns
from crypsis.data.encoded_column import Role as Role
from crypsis.data.formats.by_record import ByRecord
from crypsis.data.formats.columns import is_empty, unknown_column
from crypsis.data.formats.frames import as_frame, pandas_index
from crypsis.data.formats.source import Understood, place
from crypsis.data.frame_types import HIGH, LOW, FrameTypes, export_arrow, export_pandas, export_polars
from crypsis.data.microdata import Microdata, PublishedData
from crypsis.data.missing import MISSING_EQUALS_MISSING, MissingRule
from crypsis.data.person_codes import persons_by_first_record, refuse_lookalikes
from crypsis.data.person_detection import (
    PersonLike,
    first_person_like,
    holds_ids,
    identifies_by_name,
    may_name_people,
    names_a_trip,
    refuse_undecided_names,
)
from crypsis.data.values import (
    COLUMN_TYPES,
    IN_WORDS,
    POLARS_TYPES,
    ColumnType,
    converted,
    encoded,
    encoded_distinct,
    inferred_type,
    is_convertible,
    read_value,
    write_value,
)
from crypsis.data.vocabulary import Vocabulary, categories_of, distinct_texts
from crypsis.data.written_columns import (
    WrittenColumn,
    missing_concerns,
    numeric_type,
    plain_dates,
    plain_numbers,
    points_asked,
    questions_on,
    understand_texts,
)
from crypsis.errors import BadParameter, BadPublication, BadRow, InputError, NotApplicable, UndeclaredRole, did_you_mean

if TYPE_CHECKING:
    from crypsis.data.count_bounds import CountBounds
    from crypsis.data.count_query import CountQuery

ROLES: tuple[str, ...] = get_args(Role)
PERSON = "person"  # a role that one column may be given when data are read: an identifier whose people are counted
_SIGNS = {"?": MISSING, "*": ANY, "~": SUPPRESSED}
Counted = TypeVar("Counted")


@dataclass(frozen=True, eq=False, init=False)
class Table(Microdata):
    """Records with typed columns, each with a declared role. Every row and column of the input is kept, in order.

    >>> import polars
    >>> people = polars.DataFrame({"age": [31, 34], "city": ["Bonn", "Köln"], "ill": ["flu", "none"]})
    >>> Table(people, quasi=["age", "city"], sensitive=["ill"])
    Table(2 records; 0 identifier, 2 quasi, 1 sensitive, 0 label, 0 other)

    `index` is the index of the pandas table that it was made from, if it was; it never leaves the publisher's memory.
    `frame_types` are the types that its columns had there, and have again in `to_pandas`, `to_polars` and `to_arrow`.
    `person` numbers the person of every record, where one may have several; None where each record is a person. Like
    the column that it was read from, it is never published. `person_like` is a column that seems to name people, as
    long as nobody said whether it does.
    `by_record` marks a table of which every record was read by itself, as private methods need it. `read_as` tells how
    the file and its columns were understood.
    """

    description = "a table"

    columns: tuple[Column, ...]

    missing_rule: MissingRule = MISSING_EQUALS_MISSING
    index: Any = field(default=None, repr=False)
    person: Int64s | None = field(default=None, repr=False)
    person_like: PersonLike | None = field(default=None, repr=False)
    by_record: ByRecord | None = field(default=None, repr=False)
    read_as: Understood | None = field(default=None, repr=False)
    frame_types: FrameTypes | None = field(default=None, repr=False)

    def __init__(
        self,
        frame: Any,
        /,
        *,
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] = (),
        identifier: str | Iterable[str] = (),
        label: str | Iterable[str] = (),
        other: str | Iterable[str] = (),
        rest: str | None = None,
        types: Mapping[str, str] | None = None,
        person: str | None = None,
        each_row_is_a_person: bool = False,
        missing_tokens: Sequence[str] = ("?",),
        unparsable: str = "error",
    ) -> None:
        """From a pandas, polars or arrow table: the columns of each role, and the role of the rest."""
        table = as_frame(frame)
        given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "label": label, "other": other}
        roles = roles_of_names(table.columns, given, rest, person)
        made = Table._encoded(
            table, frame, roles, types or {}, person, each_row_is_a_person, missing_tokens, unparsable
        )
        self._fill(**made._content())

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        *,
        missing_rule: MissingRule = MISSING_EQUALS_MISSING,
        index: Any = None,
        person: Int64s | None = None,
        person_like: PersonLike | None = None,
        by_record: ByRecord | None = None,
        read_as: Understood | None = None,
        frame_types: FrameTypes | None = None,
    ) -> Table:
        """Of columns that are encoded already."""
        table = object.__new__(cls)
        table._fill(
            columns=tuple(columns),
            missing_rule=missing_rule,
            index=index,
            person=person,
            person_like=person_like,
            by_record=by_record,
            read_as=read_as,
            frame_types=frame_types,
        )
        if not table.columns:
            raise InputError("A table needs at least one column.")
        lengths = {len(column) for column in table.columns}
        if len(lengths) > 1:
            raise InputError(f"The columns of a table have different lengths: {sorted(lengths)}.")
        _refuse_repeated_names(table.names)
        if table.person is not None:
            person = persons_by_first_record(table.person, len(table))
            table._fill(person=None if person is None else frozen(person))
        return table

    def _fill(self, **content: Any) -> None:
        for name, value in content.items():
            object.__setattr__(self, name, value)

    def _content(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def change(self, **changes: Any) -> Table:
        """The same table with other columns, another index or the like."""
        return Table.of(**self._content() | changes)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        roles: Mapping[str, str],
        types: Mapping[str, str] | None = None,
        *,
        person: str | None = None,
        each_row_is_a_person: bool = False,
        missing_tokens: Sequence[str] = ("?",),
        unparsable: str = "error",
        source: str | None = None,
        schema: Mapping[str, pl.DataType] | None = None,
    ) -> Table:
        """From a pandas, polars or arrow table. Every column needs a role; types are inferred where not declared.

        `person` names the column that says whose record it is, where a person may have several; it is an identifier.
        Where a column seems to name people with several records, methods ask for it, or for `each_row_is_a_person`.
        Empty cells, NaN, infinities and `missing_tokens` are missing. A cell that is none of its column's type is an
        error with its place, or missing with `unparsable="missing"`. `schema` tells the types that `to_polars` gives
        back, where they are not those of the frame.
        """
        return cls._encoded(
            as_frame(frame),
            frame,
            roles,
            types or {},
            person,
            each_row_is_a_person,
            missing_tokens,
            unparsable,
            source,
            schema,
        )

    @classmethod
    def _encoded(
        cls,
        table: pl.DataFrame,
        given: Any,
        roles: Mapping[str, str],
        declared: Mapping[str, str],
        person: str | None,
        each_row_is_a_person: bool,
        missing_tokens: Sequence[str],
        unparsable: str,
        source: str | None = None,
        schema: Mapping[str, pl.DataType] | None = None,
    ) -> Table:
        """Of a table, which was made of what was given."""
        person, roles = person_and_roles(table.columns, roles, person, each_row_is_a_person, source)
        check_roles(table.columns, roles, source)
        check_types(table.columns, declared, source)
        if unparsable not in ("error", "missing"):
            raise BadParameter(f"unparsable must be 'error' or 'missing', got {unparsable!r}.", parameter="unparsable")
        told: dict[str, list[WrittenColumn]] = {name: [] for name in table.columns}

        def column(name: str) -> Column:
            type = cast("ColumnType | None", declared.get(name))
            unparsable_is_missing = unparsable == "missing"
            role, cells = cast(Role, roles[name]), table[name]
            written = cells.dtype == pl.Int64 and schema is not None and schema[name] == pl.String
            make = _column_of_texts if written else column_of_cells
            return make(cells, role, type, missing_tokens, unparsable_is_missing, source, told[name], late.get(role))

        # Only what a file was read into belongs to nobody else, who might change it before it is encoded.
        late = {} if source is None else {role: LateEncoding() for role in ROLES}
        looked_up = [cells.dtype == pl.String or not late for cells in table.iter_columns()]  # others are quick
        columns = tuple(map_columns(column, table.columns, table.height * sum(looked_up)))
        understood = _understood(source, [written for one in told.values() for written in one])
        index, kept = pandas_index(given), FrameTypes.of(given, schema or table.schema)
        if person is not None:
            named = columns[table.columns.index(person)]
            whose = _persons(named, source)
            refuse_trips(named, columns, lambda other: _different_pairs(named.codes, other.codes))
            return cls.of(columns, index=index, person=whose, read_as=understood, frame_types=kept)
        like = None if each_row_is_a_person else _person_like(columns, table.height)
        return cls.of(columns, index=index, person_like=like, read_as=understood, frame_types=kept)

    @classmethod
    def from_records(
        cls,
        frame: pl.DataFrame,
        roles: Mapping[str, str],
        types: Mapping[str, str] | None,
        by_record: ByRecord,
        *,
        person: str | None = None,
        each_row_is_a_person: bool = False,
    ) -> Table:
        """From texts that were read a record at a time: a cell that is none of its declared type is missing.

        Without a declared type a column is text, as it is written. A record that does not say whose it is, is left out.
        """
        declared = types or {}
        person, roles = persons_column(frame.columns, roles, person, each_row_is_a_person)
        check_roles(frame.columns, roles, None)
        check_types(frame.columns, declared, None)
        whole = len(frame)
        if person is not None:
            frame = frame.filter(~is_empty(frame[person]))
        columns = tuple(
            column_of_cells(
                frame[name], cast(Role, roles[name]), cast(ColumnType, declared.get(name, "category")), (), True, None
            )
            for name in frame.columns
        )
        mark = ByRecord(by_record.left_out + whole - len(frame), person is not None, frozenset(declared))
        codes = None if person is None else Vocabulary.of(frame[person]).encode(frame[person]).astype(np.int64)
        return cls.of(columns, person=codes, by_record=mark)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """The column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise unknown_column(name, self.names)

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """The columns of one role, in order."""
        return tuple(column for column in self.columns if column.role == role)

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.with_role(role))

    @property
    def identifiers(self) -> tuple[str, ...]:
        return self._named("identifier")

    @property
    def quasi(self) -> tuple[str, ...]:
        return self._named("quasi")

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self._named("sensitive")

    @property
    def labels(self) -> tuple[str, ...]:
        return self._named("label")

    @property
    def others(self) -> tuple[str, ...]:
        return self._named("other")

    def quasi_codes(self) -> Int32s:
        """The codes of the quasi-identifiers, one row per record; equal rows are one class, missing equals missing."""
        chosen = [column.codes for column in self.with_role("quasi")]
        return np.stack(chosen, axis=1) if chosen else np.zeros((len(self), 0), np.int32)

    def without_identifiers(self) -> Table:
        """What may enter a method: every column but the identifiers."""
        return self.change(columns=tuple(column for column in self.columns if column.role != "identifier"))

    def take(self, rows: Int64s) -> Table:
        """The chosen records, in the order given; domains stay as they are."""
        index = None if self.index is None else self.index[rows]
        person = None if self.person is None else self.person[rows]
        columns = tuple(replace(column, codes=column.codes[rows]) for column in self.columns)
        return self.change(columns=columns, index=index, person=person)

    def to_frame(self) -> pl.DataFrame:
        """All columns with their types; missing values are null."""
        return pl.DataFrame([column.values() for column in self.columns])

    def to_texts(self) -> pl.DataFrame:
        """Every cell as it would be published if it were kept: `?` where it is missing."""
        columns = []
        for column in self.columns:
            texts = pl.Series([write_value(value) for value in column.domain.to_list()], dtype=pl.String)
            codes = pl.Series(column.codes)
            columns.append(texts.gather(codes.set(codes < 0, None)).fill_null("?").alias(column.name))
        return pl.DataFrame(columns)

    @property
    def table_part(self) -> Table:
        return self

    @property
    def hierarchy_columns(self) -> tuple[str, ...]:
        return self.quasi or self.names

    def choose_columns(self, columns: Sequence[str], wanted: type) -> Table:
        if not columns:
            raise NotApplicable("None of the chosen columns is relational.")
        names = {self.column(name).name for name in columns}
        return self.change(columns=tuple(column for column in self.columns if column.name in names))

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.columns, _or_empty(self.person))

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.with_role(cast(Role, role)))} {role}" for role in ROLES)
        people = "" if self.person is None else f" of {int(self.person.max()) + 1} people"
        return f"Table({len(self)} records{people}; {counts})"


@dataclass(frozen=True)
class NodeLeaves:
    """What the published nodes of a hierarchy stand for: the values below each, and how many values there are in all.

    Only nodes that are published are named; their values are those of the hierarchy, occurring in the data or not.
    Of a hierarchy that was not `declared` but made from the data the values stay with the publisher.
    """

    leaves: Mapping[str, tuple[str, ...]]
    total: int
    declared: bool = True

    @classmethod
    def from_json(cls, content: Any) -> NodeLeaves:
        """What a manifest says."""
        return cls({name: tuple(values) for name, values in content["leaves"].items()}, int(content["total"]))

    def to_json(self) -> dict[str, Any]:
        return {"total": self.total, "leaves": {name: list(self.leaves[name]) for name in sorted(self.leaves)}}


@dataclass(frozen=True, eq=False)
class PublishedColumn(FrozenArrays, EqualByContent):
    """One published column: `cells[codes[r]]` is the generalized cell of record r.

    `hierarchy` says what its nodes stand for, where it has any; `guessed`, that its type was told by all original
    values, so that it must not be published as it is.
    """

    name: str
    role: Role
    codes: Int32s
    cells: Cells
    hierarchy: NodeLeaves | None = None
    guessed: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.codes) and not (int(self.codes.min()) >= 0 and int(self.codes.max()) < len(self.cells)):
            raise InputError(f"Published column '{self.name}' holds a code outside its cells.")

    @property
    def type(self) -> ColumnType:
        return self.cells.type

    @cached_property
    def node_names(self) -> frozenset[str]:
        """The nodes that a query may name: those that are published, unless a value has the same name."""
        told = {} if self.hierarchy is None else self.hierarchy.leaves
        values = {leaf for leaves in told.values() for leaf in leaves}
        if self.type == "category":
            values.update(self.cells.values.to_list())
        return frozenset({*self.cells.nodes.to_list(), *told} - values)

    def leaves_of(self, node: str) -> tuple[str, ...]:
        """The values below a node; none where the release does not tell them."""
        return () if self.hierarchy is None else tuple(self.hierarchy.leaves.get(node, ()))

    @property
    def kinds(self) -> np.ndarray[Any, np.dtype[np.int8]]:
        """The kind of every record's cell (see `CellKind`)."""
        kinds: np.ndarray[Any, np.dtype[np.int8]] = self.cells.kinds[self.codes]
        return kinds

    def is_kind(self, kind: CellKind) -> Bools:
        """Which records have a cell of this kind."""
        cells = self.cells.kinds == kind
        if not cells.any() or cells.all():
            return np.full(len(self.codes), bool(cells.any()))
        records: Bools = cells.take(self.codes)
        return records

    @cached_property
    def cell_counts(self) -> Int64s:
        """How many records have each cell."""
        return frozen(np.bincount(self.codes, minlength=len(self.cells)).astype(np.int64, copy=False))

    def texts(self) -> pl.Series:
        """Every record's cell as it is written."""
        return self.cells.text_series.gather(self.codes).alias(self.name)

    @cached_property
    def is_generalized(self) -> bool:
        """Whether some record has a cell that is neither a value nor missing nor suppressed."""
        return not np.isin(self.kinds, (CellKind.VALUE, CellKind.MISSING, CellKind.SUPPRESSED)).all()

    def typed(self) -> pl.Series:
        """Every record's cell in a type: values, a structure of low and high, or categories; else null."""
        cells, records = self.cells, pl.Series(self.codes)
        known = np.isin(self.kinds, (CellKind.MISSING, CellKind.SUPPRESSED), invert=True)
        used = np.unique(self.kinds)
        if self.is_generalized and (self.type == "category" or np.isin(used, (CellKind.NODE, CellKind.SET)).any()):
            texts = self.texts().set(pl.Series(~known), None)
            return texts.cast(pl.Enum(texts.drop_nulls().unique().sort()))
        held = np.isin(cells.kinds, (CellKind.VALUE, CellKind.RANGE))
        first = np.where(held, cells.members.take(cells.offsets[:-1], mode="clip"), 0) if len(cells.members) else held
        last = np.where(held, cells.members.take(cells.offsets[1:] - 1, mode="clip"), 0) if len(cells.members) else held
        low, high = (
            cells.values.gather(pl.Series(place).set(pl.Series(~held), None)).gather(records)
            for place in (first.astype(np.int64), last.astype(np.int64))
        )
        if not self.is_generalized:
            return low.alias(self.name)
        both = pl.DataFrame({LOW: low, HIGH: high}).to_struct(self.name)
        return both.to_frame().select(pl.when(pl.Series(known)).then(pl.col(self.name)).otherwise(None)).to_series()

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.name, self.role, self.type, self._records())

    def _records(self) -> list[Any]:
        cells = [self.cells[index] for index in range(len(self.cells))]
        return [cells[code] for code in self.codes.tolist()]

    def __repr__(self) -> str:
        return f"PublishedColumn({self.name!r}, {self.type}, {self.role}: {len(self)} records, {len(self.cells)} cells)"


@dataclass(frozen=True, eq=False)
class PublishedTable(FrozenArrays, PublishedData):
    """Records of generalized cells: what a release says. A suppressed record is suppressed in every column.

    `person` numbers the person of every record while the publisher has it in memory; it is never written.
    `in_input_order` says that record r was made from record r of the original, as the private report tells.
    """

    columns: tuple[PublishedColumn, ...]

    missing_rule: MissingRule = MISSING_EQUALS_MISSING
    person: Int64s | None = field(default=None, repr=False)
    in_input_order: bool = False

    def __post_init__(self) -> None:
        if not self.columns:
            raise InputError("A published table needs at least one column.")
        lengths = {len(column) for column in self.columns}
        if len(lengths) > 1:
            raise InputError(f"The columns of a published table have different lengths: {sorted(lengths)}.")
        _refuse_repeated_names(self.names)
        if self.person is not None and len(self.person) != len(self):
            raise InputError(f"There must be one person per record, got {len(self.person)} for {len(self)} records.")
        super().__post_init__()

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        roles: Mapping[str, str],
        types: Mapping[str, str],
        *,
        nodes: Mapping[str, Collection[str]] | None = None,
        hierarchies: Mapping[str, NodeLeaves] | None = None,
        source: str | None = None,
    ) -> PublishedTable:
        """From a table of texts. `nodes` are the names in the columns' hierarchies, where they have one."""
        table = as_frame(frame)
        check_roles(table.columns, roles, source)
        check_types(table.columns, types, source)
        undeclared = [name for name in table.columns if name not in types]
        if undeclared:
            raise BadParameter(f"Published columns need a type; {', '.join(undeclared)} have none.", parameter="types")

        def column(name: str) -> PublishedColumn:
            known = None if nodes is None else nodes.get(name, ())
            role, type = cast(Role, roles[name]), cast(ColumnType, types[name])
            made = _published_column(table[name], role, type, known, source)
            return replace(made, hierarchy=(hierarchies or {}).get(name))

        return cls(tuple(map_columns(column, table.columns, table.height * table.width)))

    @classmethod
    def from_texts(
        cls,
        frame: Any,
        roles: Mapping[str, str],
        *,
        types: Mapping[str, str] | None = None,
        source: str | None = None,
    ) -> PublishedTable:
        """From a table that somebody else published: every text is a value of its own, whatever it means there.

        Only `~` (suppressed), `?` and empty cells (missing) and `*` (any) are understood. Sensitive columns of numbers
        or dates keep their type, because distances between their values may count.
        """
        table = as_frame(frame)
        check_roles(table.columns, roles, source)
        columns = []
        for name in table.columns:
            texts = table[name].cast(pl.String).fill_null("?")
            texts = texts.set(texts.str.strip_chars() == "", "?")
            distinct = texts.unique(maintain_order=True)
            known = cast(ColumnType, (types or {}).get(name, "category") if roles[name] == "sensitive" else "category")
            cells = [_SIGNS.get(text) or Cell.value(read_value(text, known)) for text in distinct.to_list()]
            codes = Vocabulary(distinct).encode(texts)
            columns.append(PublishedColumn(name, cast(Role, roles[name]), codes, Cells.of(known, cells)))
        return cls(tuple(columns))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def nodes(self) -> dict[str, list[str]]:
        """The names of hierarchy nodes in each column: what `from_frame` needs to tell them from values."""
        return {column.name: column.cells.nodes.to_list() for column in self.columns}

    @property
    def types(self) -> dict[str, ColumnType]:
        return {column.name: column.type for column in self.columns}

    @property
    def roles(self) -> dict[str, Role]:
        return {column.name: column.role for column in self.columns}

    def column(self, name: str) -> PublishedColumn:
        """The column of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise unknown_column(name, self.names)

    def with_role(self, role: Role) -> tuple[PublishedColumn, ...]:
        """The columns of one role, in order."""
        return tuple(column for column in self.columns if column.role == role)

    @property
    def quasi(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.with_role("quasi"))

    @property
    def sensitive(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.with_role("sensitive"))

    @cached_property
    def suppressed(self) -> Bools:
        """Which records are marked as suppressed in every column."""
        marked = [column.is_kind(CellKind.SUPPRESSED) for column in self.columns]
        return frozen(np.logical_and.reduce(marked))

    def quasi_codes(self) -> Int32s:
        """The cell numbers of the quasi-identifiers, one row per record; equal rows are one class."""
        chosen = [column.codes for column in self.with_role("quasi")]
        return np.stack(chosen, axis=1) if chosen else np.zeros((len(self), 0), np.int32)

    @cached_property
    def classes(self) -> Int64s:
        """The class of every record, from 0 without gaps: equal cells in all quasi-identifiers. Counted once."""
        return frozen(rank_rows([column.codes for column in self.with_role("quasi")], len(self)))

    @cached_property
    def class_sizes(self) -> Int64s:
        """The records of each class; suppressed ones are in none."""
        kept = self.classes[~self.suppressed] if self.suppressed.any() else self.classes
        sizes = np.bincount(kept)
        return frozen(sizes[sizes > 0].astype(np.int64, copy=False))

    @cached_property
    def counted(self) -> dict[Hashable, Any]:
        """What was counted of these records, whatever their order, by what was asked."""
        return {}

    def count_once(self, asked: Hashable, count: Callable[[], Counted]) -> Counted:
        """What `count` says, which has to be the same in any order of the records; asked for again it is known."""
        if asked not in self.counted:
            self.counted[asked] = count()
        known: Counted = self.counted[asked]
        return known

    def with_order(self, rows: Int64s, columns: tuple[PublishedColumn, ...]) -> PublishedTable:
        """The same records in another order, with their columns in this order: what was counted of them stays known.

        `rows` has every record once.
        """
        same = replace(self, columns=columns, person=None, in_input_order=False)
        known = {"counted": self.counted, "classes": frozen(self.classes[rows]), "class_sizes": self.class_sizes}
        vars(same).update(known)
        return same

    def take(self, rows: Int64s) -> PublishedTable:
        """The chosen records, in the order given."""
        person = None if self.person is None else self.person[rows]
        columns = tuple(replace(column, codes=column.codes[rows]) for column in self.columns)
        return replace(self, columns=columns, person=person, in_input_order=False)

    def to_frame(self) -> pl.DataFrame:
        """The text of every cell."""
        return pl.DataFrame([column.texts() for column in self.columns])

    @property
    def table_part(self) -> PublishedTable:
        return self

    @property
    def contents(self) -> int:
        return len(self) - int(np.count_nonzero(self.suppressed))

    def bound_counts(self, queries: Sequence[CountQuery], *, complete: bool = True) -> list[CountBounds]:
        from crypsis.data.count_bounds import bound_records

        return bound_records(self, None, queries)

    def to_polars(self, like: FrameTypes | None = None) -> pl.DataFrame:
        """Columns that are not generalized with their types (those of `like`), others as ranges or categories.

        Ranges are structures of low and high, without bounds where any value is meant; nodes and sets are categories.
        Missing and suppressed cells are null; `suppressed` tells which records are.
        """
        return export_polars(self.typed(), like, self.generalized)

    def to_pandas(self, like: FrameTypes | None = None, index: Any = None) -> Any:
        """The same as a pandas table; ranges are intervals."""
        return export_pandas(self.typed(), like, self.generalized, index)

    def to_arrow(self, like: FrameTypes | None = None) -> Any:
        """The same as an arrow table."""
        return export_arrow(self.typed(), like, self.generalized)

    def typed(self) -> pl.DataFrame:
        """Every column as `PublishedColumn.typed` gives it."""
        return pl.DataFrame([column.typed() for column in self.columns])

    @property
    def generalized(self) -> list[str]:
        """The columns that hold more than values."""
        return [column.name for column in self.columns if column.is_generalized]

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def compared(self) -> tuple[object, ...]:
        return (self.columns,)

    def __repr__(self) -> str:
        return (
            f"PublishedTable({len(self)} records, {len(self.columns)} columns, "
            f"{np.count_nonzero(self.suppressed)} suppressed)"
        )


def person_and_roles(
    names: Sequence[str],
    roles: Mapping[str, str],
    person: str | None,
    each_row_is_a_person: bool,
    source: str | None = None,
) -> tuple[str | None, dict[str, str]]:
    """The column that names the person, by option or role, and the roles, in which it is an identifier."""
    marked = [name for name, role in roles.items() if role == PERSON]
    if len(marked) > 1 or (marked and person not in (None, marked[0])):
        named = ", ".join(dict.fromkeys([*([] if person is None else [person]), *marked]))
        raise BadParameter(f"One column names the person, got {named}.", parameter="person")
    person = marked[0] if marked else person
    if person is None:
        return None, dict(roles)
    if each_row_is_a_person:
        raise BadParameter(
            f"Column '{person}' names the person, so rows are not persons of their own; give one of `person` and "
            "`each_row_is_a_person`.",
            parameter="each_row_is_a_person",
        )
    if person not in names:
        raise unknown_column(person, names, source)
    role = roles.get(person, "identifier")
    if role not in ("identifier", PERSON):
        words = "a quasi-identifier" if role == "quasi" else f"published as {role}"
        raise BadParameter(
            f"Column '{person}' names the person and is {words} at once; who a person is is never published. Take the "
            "role away, or name another column.",
            parameter="person",
        )
    return person, {**roles, person: "identifier"}


def persons_column(
    names: Sequence[str], roles: Mapping[str, str], person: str | None, each_row_is_a_person: bool
) -> tuple[str | None, dict[str, str]]:
    """The column that names the person, by what is declared alone, and the roles; refuses where nobody decided.

    Without a person the only column with the role identifier is one: so it was declared.
    """
    person, told = person_and_roles(names, roles, person, each_row_is_a_person)
    if person is not None or each_row_is_a_person:
        return person, told
    identifiers = [name for name, role in told.items() if role == "identifier"]
    if len(identifiers) == 1:
        return identifiers[0], told
    refuse_undecided_names(names)
    return None, told


def _persons(column: Column, source: str | None) -> Int64s:
    refuse_nameless(column, lambda: place(source, int(np.argmin(column.codes)), column.name))
    return column.codes.astype(np.int64)


def _different_pairs(one: Int32s, other: Int32s) -> int:
    return len(np.unique(np.stack([one, other], axis=1), axis=0))


def refuse_nameless(column: Column, where: Callable[[], Mapping[str, Any]]) -> None:
    """Refuse a column that does not name the person of every row; `where` tells the first row that lacks one."""
    if column.missing:
        raise BadRow(
            f"Column '{column.name}' names the person and is empty in {column.missing:,} "
            f"row{'s' if column.missing > 1 else ''}; say whose they are, or leave them out.",
            **where(),
        )
    if column.type == "float" and not bool((column.domain == column.domain.round()).all()):
        raise BadParameter(
            f"Column '{column.name}' holds decimal numbers, which name nobody; name another column as person.",
            parameter="person",
        )
    refuse_lookalikes(column.domain, column.name)


def refuse_trips(named: Column, columns: Sequence[Column], count_pairs: Callable[[Column], int]) -> None:
    """A trip is no person where another column that names people says whose trips they are. `count_pairs` tells how
    many different values there are of both columns together."""
    if not names_a_trip(named.name):
        return
    for other in columns:
        if other.name == named.name or other.missing or names_a_trip(other.name) or not identifies_by_name(other.name):
            continue
        if not 1 < len(other.domain) < len(named.domain) or not holds_ids(other.domain):
            continue
        if count_pairs(other) == len(named.domain):
            raise BadParameter(
                f"Column '{named.name}' does not name people: its {len(named.domain):,} values belong to "
                f"{len(other.domain):,} of column '{other.name}'. Name that one as person.",
                parameter="person",
            )


def _person_like(columns: Sequence[Column], n_records: int) -> PersonLike | None:
    return first_person_like(
        (
            (column.name, column.domain, n_records - column.missing, column.role == "identifier")
            for column in columns
            if column.role == "identifier" or may_name_people(column.name, text=column.type == "category")
        ),
        n_records,
    )


def _or_empty(person: Int64s | None) -> Int64s:
    return np.zeros(0, np.int64) if person is None else person


def roles_of_names(
    names: Sequence[str], given: Mapping[str, str | Iterable[str]], rest: str | None, person: str | None = None
) -> dict[str, str]:
    """The role of each column from the columns of each role; `rest` is that of columns which nobody named."""
    roles: dict[str, str] = {}
    for role, named in given.items():
        for name in [named] if isinstance(named, str) else named:
            if roles.get(name, role) != role:
                raise BadParameter(f"Column '{name}' is given two roles, {roles[name]} and {role}.", parameter=role)
            roles[name] = role
    if rest is None:
        return roles
    if rest not in ROLES:
        raise BadParameter(
            f"rest must be one of {', '.join(ROLES)}, got {rest!r}.{did_you_mean(str(rest), ROLES)}", parameter="rest"
        )
    return {name: rest for name in names if name != person} | roles


def check_roles(names: Iterable[str], roles: Mapping[str, str], source: str | None) -> None:
    """Every column has one of the known roles, every role a column; all undeclared columns are listed at once."""
    names = list(names)
    for name, role in roles.items():
        if name not in names:
            raise unknown_column(name, names, source)
        if role not in ROLES:
            raise BadParameter(
                f"The role of column '{name}' must be one of {', '.join(ROLES)}, got {role!r}."
                f"{did_you_mean(str(role), ROLES)}",
                parameter="roles",
            )
    undeclared = [name for name in names if name not in roles]
    if undeclared:
        proposals = "" if source is None else " `crypsis data inspect` proposes a role for each."
        raise UndeclaredRole(
            f"Every column needs a role, and {', '.join(undeclared)} {'have' if len(undeclared) > 1 else 'has'} none; "
            f"declare each as one of {', '.join(ROLES)}.{proposals}",
            where=None if source is None else str(source),
            columns=undeclared,
        )


def check_types(names: Sequence[str], types: Mapping[str, str], source: str | None) -> None:
    """Types are of known columns, and of those that there are."""
    for name, type in types.items():
        if name not in names:
            raise unknown_column(name, names, source)
        if type not in COLUMN_TYPES:
            raise BadParameter(
                f"The type of column '{name}' must be one of {', '.join(COLUMN_TYPES)}, got {type!r}."
                f"{did_you_mean(str(type), COLUMN_TYPES)}",
                parameter="types",
            )


def column_of_cells(
    cells: pl.Series,
    role: Role,
    type: ColumnType | None,
    missing_tokens: Sequence[str],
    unparsable_is_missing: bool,
    source: str | None,
    told: list[WrittenColumn] | None = None,
    late: LateEncoding | None = None,
) -> Column:
    """A column of cells as they are in a file or frame; what was understood of its texts is added to `told`.

    With `late` numbers and dates are encoded when they are needed.
    """
    if not is_convertible(cells.dtype):
        raise NotApplicable(
            f"Column '{cells.name}' holds {cells.dtype}, which no column of a table can; "
            f"set-valued columns go into Mixed.from_frame(items=…); drop others (step='drop(columns={cells.name})').",
            where=None if source is None else str(source),
            column=cells.name,
        )
    coded = cells.dtype == pl.Enum and plain_numbers(categories_of(cells), type) is None
    known = cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum, pl.Null) and not coded else cells
    if known.dtype == pl.String or coded:
        return _column_of_texts(known, role, type, missing_tokens, unparsable_is_missing, source, told, late)
    absent = is_empty(known)
    if known.dtype.is_float():
        absent |= ~known.is_finite().fill_null(False)
    known = known.set(absent, None) if absent.any() else known
    chosen = type or inferred_type(known)
    values = converted(known, chosen)
    unparsable = values.is_null() & ~absent
    if unparsable.any() and not unparsable_is_missing:
        raise _unparsable(cells, int(unparsable.arg_true()[0]), chosen, source)
    return _column_of_values(cells.name, chosen, role, values.cast(POLARS_TYPES[chosen]), type is None, late)


def _column_of_texts(
    cells: pl.Series,
    role: Role,
    type: ColumnType | None,
    missing_tokens: Sequence[str],
    unparsable_is_missing: bool,
    source: str | None,
    told: list[WrittenColumn] | None,
    late: LateEncoding | None,
) -> Column:
    """Numbers at once; everything else is looked at once for each distinct text."""
    may_be_numbers = cells.dtype in (pl.String, pl.Int64) and type in (None, "int", "float")
    if may_be_numbers and not missing_concerns(cells.name, missing_tokens):
        numbers = plain_numbers(cells, type)
        if numbers is not None:
            asked = told is not None and type is None
            questions = (*questions_on(numbers, cells.name), *points_asked(numbers, cells)) if asked else ()
            if told is not None and questions:
                told.append(WrittenColumn(numbers, numbers.is_null(), numeric_type(numbers), (), questions))
            return _column_of_values(cells.name, numeric_type(numbers), role, numbers, type is None, late)
    if cells.dtype == pl.Int64:
        cells = cells.cast(pl.String)
    dates = plain_dates(cells, type, missing_tokens) if cells.dtype == pl.String else None
    if dates is not None:
        return _column_of_values(cells.name, "date", role, dates, type is None, late)
    distinct, text_codes = distinct_texts(cells)
    written = understand_texts(distinct, cells.name, type, missing_tokens, guess=told is not None)
    absent, values = written.absent, written.values
    if written.type == "float":
        # NaN and inf written as text are missing, too
        unbounded = (~values.is_finite()).fill_null(False)
        absent |= unbounded
        values = values.set(unbounded, None)
    unparsable = values.is_null() & ~absent
    if unparsable.any() and not unparsable_is_missing:
        row = int(np.flatnonzero(np.isin(text_codes, unparsable.arg_true().to_numpy()))[0])
        raise _unparsable(cells, row, written.type, source)
    if told is not None:
        told.append(written)
    encode = encoded_distinct if written.type == "category" else encoded
    value_codes, domain = encode(values.cast(POLARS_TYPES[written.type]))
    if len(domain) == len(value_codes) and (np.diff(value_codes) > 0).all():  # the texts were sorted already
        codes = text_codes
    else:
        codes = value_codes[text_codes] if len(value_codes) else np.zeros(0, np.int32)
    short = codes.astype(np.int32, copy=False)
    return Column(cells.name, written.type, role, short, domain, guessed=type is None)


def _column_of_values(
    name: str, type: ColumnType, role: Role, values: pl.Series, guessed: bool, late: LateEncoding | None
) -> Column:
    if late is None or type == "category":
        return Column(name, type, role, *encoded(values), guessed=guessed)
    return Column.later(name, type, role, values, guessed, late)


def _unparsable(cells: pl.Series, row: int, type: ColumnType, source: str | None) -> BadRow:
    return BadRow(
        f"Column '{cells.name}' must hold {IN_WORDS[type]}, got {cells[row]!r}; correct the cell, declare "
        "another type, or read such cells as missing (unparsable='missing').",
        **place(source, row, cells.name),
        got=str(cells[row]),
    )


def _published_column(
    cells: pl.Series, role: Role, type: ColumnType, nodes: Collection[str] | None, source: str | None
) -> PublishedColumn:
    texts = cells.cast(pl.String).fill_null("")
    at_once = None if nodes else parse_values(type, texts)
    if at_once is not None:
        return PublishedColumn(cells.name, role, at_once[1], at_once[0])
    distinct, text_codes = distinct_texts(texts)
    try:
        parsed, cell_of_text = Cells.parse(type, distinct, nodes, distinct=True)
    except BadRow as error:
        row = int((texts == str(error.details["text"])).arg_true()[0])
        raise BadPublication(error.message, **place(source, row, cells.name)) from None
    return PublishedColumn(cells.name, role, cell_of_text[text_codes], parsed)


def _understood(source: str | None, told: Sequence[WrittenColumn]) -> Understood | None:
    """How the file was read, and what was guessed or is to be asked about its columns."""
    read = getattr(source, "understood", None) or Understood()
    notes = [note for column in told for note in column.notes]
    questions = [question for column in told for question in column.questions]
    return read.and_also(notes, questions) if read.items or notes or questions else None


def _refuse_repeated_names(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Column '{name}' is in the table twice; rename one.")
