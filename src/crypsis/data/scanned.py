"""Data in parts that are read one at a time: which files they are, and how each is read.

A part is a file, or a range of the rows of a Parquet file. Parts are taken in the order of their names; records are
numbered in that order. Nothing is read here but the names of the columns. A part must not change while it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import polars as pl

from crypsis.data.formats import format_for, parquet, tabular
from crypsis.data.formats.compression import is_compressed
from crypsis.data.formats.format import TABLE
from crypsis.data.formats.memory import in_words
from crypsis.data.place_of_part import Place, on_disk, stamp_of
from crypsis.data.relational import ROLES, Table
from crypsis.errors import MissingFile, PartChanged, PartsDiffer, TooLarge

if TYPE_CHECKING:
    from crypsis.data.declarations import Declarations
    from crypsis.data.sources import DataFile, DataSource, TableSource

PART_OF_MEMORY = 8
TEXT_PER_MEMORY = 4
_TABLE = frozenset({TABLE})
Source = TypeVar("Source", bound="DataSource")
Read = TypeVar("Read")


@dataclass(frozen=True)
class Part:
    """Rows `first` to `first + rows` of a file, or all of it. `stamp` tells whether it is still the same file.

    A file in a store is fetched below `folder` when it is read.
    """

    place: Place
    stamp: tuple[int, int]
    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    first: int = 0
    rows: int | None = None
    folder: Path | None = None

    @property
    def file(self) -> str:
        """The name of the file, for messages."""
        return str(self.place)

    def read(self) -> pl.DataFrame:
        """The rows, with the types of the file."""
        with self._unchanged() as path:
            if self.rows is not None:
                return parquet.read_slice(path, self.first, self.rows)
            frame, _ = tabular.read_table_file(path, format=self.format, **self.options)
            return frame

    def read_columns(self, names: Sequence[str]) -> pl.DataFrame:
        """The rows, of a part that must have these columns."""
        frame = self.read()
        if tuple(frame.columns) != tuple(names):
            raise PartsDiffer(
                f"This part has the columns {', '.join(frame.columns)}, not {', '.join(names)}.", where=self.file
            )
        return frame

    def read_by_record(self, source: DataSource, declared: Declarations) -> Any:
        """The data of the rows, each record read by itself."""
        return self.read_with(lambda file: source.load(file, declared))

    def read_with(self, read: Callable[[DataFile], Read]) -> Read:
        """What `read` makes of the file."""
        with self._unchanged() as path:
            return read(self._file(path))

    @contextmanager
    def _unchanged(self) -> Iterator[Path]:
        """The file on disk, which is the same before it is read and after."""
        self.check_unchanged()
        with on_disk(self.place, self.folder) as path:
            yield path
        self.check_unchanged()

    def _file(self, path: Path) -> DataFile:
        from crypsis.data.sources.data_source import DataFile, FileSlice

        if self.rows is None:
            return DataFile(path, self.format, self.options)
        return FileSlice(path, self.format, self.options, first_row=self.first, n_rows=self.rows)

    def check_unchanged(self) -> None:
        """Refuse a file that is gone, or another one than when it was scanned."""
        try:
            stamp = stamp_of(self.place)
        except MissingFile:  # a store names the address
            raise
        except FileNotFoundError:
            raise PartChanged(
                "This part was there when parts were looked up, and is gone; restore it, or scan again.",
                where=self.file,
            ) from None
        if stamp != self.stamp:
            raise PartChanged(
                "This part was changed while it was worked on; run again when nobody writes it.", where=self.file
            )


@dataclass(frozen=True, eq=False)
class ScannedRows:
    """Rows of records in parts, with a role for every column."""

    stands_for: ClassVar[type]

    source: TableSource
    file: DataFile
    columns: tuple[str, ...]
    stamps: Mapping[Place, tuple[int, int]] = field(repr=False)

    @classmethod
    def of(cls, source: TableSource, file: DataFile) -> Self:
        """Look at the names of the columns of every file; they must agree."""
        columns: tuple[str, ...] | None = None
        stamps = {}
        for index in file.places:
            stamps[index] = stamp_of(index)
            with on_disk(index) as path:
                if columns is None:
                    source.refuse_unused(replace(file, path=path))
                found = _names_of(path, file)
            if columns is not None and found != columns:
                differing = next(
                    (name for name in (*columns, *found) if (name in columns) != (name in found)), "their order"
                )
                raise PartsDiffer(
                    f"All parts must have the columns {', '.join(columns)} of the first; this one has "
                    f"{', '.join(found)}. The difference is {differing}.",
                    where=str(index),
                    column=differing,
                )
            columns = found
        return cls(source, file, columns or (), stamps)

    def parts(self, memory: int, folder: Path | None = None) -> Iterator[Part]:
        """The parts in order, each small enough for a worker with so much memory; `folder` is where workers fetch."""
        for file in self.file.places:
            part = Part(file, self.stamps[file], self.file.format, self.file.options, folder=folder)
            yield from parts_of_file(part, memory, _TABLE)

    def roles(self) -> tuple[dict[str, str], dict[str, str]]:
        """Role and type of each column as they are declared."""
        return self.source.roles(self.columns)

    def __repr__(self) -> str:
        files = len(self.file.places)
        name = type(self).__name__
        return f"{name}({files} file{'s' if files != 1 else ''}; columns {', '.join(self.columns)})"


@dataclass(frozen=True, eq=False, repr=False)
class ScannedTable(ScannedRows):
    """A table in parts, with a role for every column. `crypsis.scan_table` makes one.

    >>> import crypsis, polars, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> polars.DataFrame({"age": [31, 34], "ill": ["flu", "none"]}).write_parquet(folder / "a.parquet")
    >>> polars.DataFrame({"age": [29, 35], "ill": ["flu", "cold"]}).write_parquet(folder / "b.parquet")
    >>> visits = crypsis.scan_table(str(folder / "*.parquet"), quasi=["age"], sensitive=["ill"])
    >>> visits
    ScannedTable(2 files; columns age, ill)
    >>> crypsis.anonymize(visits, crypsis.Mondrian(k=2)).verify().holds
    True
    """

    stands_for = Table


def scan_table(
    path: str | Path | Sequence[str | Path],
    roles: Mapping[str, str] | None = None,
    types: Mapping[str, str] | None = None,
    *,
    quasi: str | Iterable[str] = (),
    sensitive: str | Iterable[str] = (),
    identifier: str | Iterable[str] = (),
    label: str | Iterable[str] = (),
    other: str | Iterable[str] = (),
    rest: str | None = None,
    person: str | None = None,
    each_row_is_a_person: bool = False,
    missing_tokens: tuple[str, ...] = ("?",),
    unparsable: str = "error",
    format: str | None = None,
    **options: Any,
) -> ScannedTable:
    """A table in parts: a path, a pattern such as `parts/*.parquet`, a list or a folder. Nothing is read yet.

    Instead of paths there may be addresses of files in a store, such as `s3://bucket/parts/*.parquet`.
    Parquet, CSV or JSON Lines, each also compressed; parts must have the same columns. Options as for
    `crypsis.read_table`; a column's role is given by `roles` or by the option that is called like it.
    """
    given = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "label": label, "other": other}
    from crypsis.data.reading import cell_options, column_keys
    from crypsis.data.sources import TableSource

    keys: dict[str, Any] = {"columns": column_keys(named_roles(roles, given), types), "person": person, "rest": rest}
    keys |= {**cell_options(missing_tokens, unparsable), "each_row_is_a_person": each_row_is_a_person}
    return ScannedTable.of(*source_and_file(TableSource, path, format, keys, options))


def named_roles(roles: Mapping[str, str] | None, given: Mapping[str, str | Iterable[str]]) -> dict[str, str]:
    """The role of each column, given as a mapping or by the options that are called like roles."""
    return {**(roles or {}), **{name: role for role in ROLES for name in _names(given.get(role, ()))}}


def source_and_file(
    source: type[Source], path: Any, format: str | None, keys: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Source, DataFile]:
    """A source and its files. Options are those of the source, else those of the files' format."""
    from crypsis.data.sources import DataFile

    own = {name: value for name, value in options.items() if name in source.names()}
    written = {name: value for name, value in options.items() if name not in own}
    return source.from_keys({**keys, **own}), DataFile(path, format, written)


def parts_of_file(part: Part, memory: int, holding: frozenset[str]) -> Iterator[Part]:
    """A file that holds such data, or ranges of its rows, each small enough for a worker with so much memory."""
    part.check_unchanged()
    with on_disk(part.place, part.folder) as path:
        kind = format_for(path, part.format, holding=holding, **part.options)
        if isinstance(kind, parquet.Parquet) and not is_compressed(path):
            yield from _row_ranges(part, path, memory)
            return
    refuse_large_file(part, memory, kind.name)
    yield part


def refuse_large_file(part: Part, memory: int, what: str) -> None:
    """Refuse a file that is read whole and too large for that."""
    size, most = part.stamp[0], memory // TEXT_PER_MEMORY
    if size > most:
        raise TooLarge(
            f"{part.place.name} has {in_words(size)}, and a part of {what} is read whole: up to {in_words(most)} with "
            "this memory. Divide it, or give more (`memory`).",
            where=part.file,
        )


def _row_ranges(part: Part, path: Path, memory: int) -> Iterator[Part]:
    rows = parquet.n_rows(path)
    size = max(parquet.content_size(path), 1)
    step = max(1, rows * (memory // PART_OF_MEMORY) // size)
    for first in range(0, max(rows, 1), step):
        yield replace(part, first=first, rows=min(step, rows - first))


def _names_of(one: Path, file: DataFile) -> tuple[str, ...]:
    """The columns of a file; where only records tell, the file is read."""
    header = tabular.header_of(one, format=file.format, **file.options)
    if header is None:
        header = tabular.read_table_file(one, format=file.format, **file.options)[0].columns
    return tuple(header)


def _names(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)
