"""What a source is: how files become data of one kind. One class in one file, with a line in `SOURCES`.

Its annotated fields are the options of reading, and the only description of them: Python, the command line, experiment
files, REST and the browser take type, default, help and label from here. A file can be read in several ways, a long
table or lists for instance; an option that only some of them use says so (`OnlyIn`). Whoever gives an option that the
way at hand does not use would believe in it, so it is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from crypsis.data.address import Address
from crypsis.data.declarations import Declarations
from crypsis.data.formats import format_for, format_of, is_elsewhere, parquet, tabular
from crypsis.data.formats.by_record import ByRecord, Sets, as_texts
from crypsis.data.formats.format import TABLE, Format, Sequences
from crypsis.data.ways_of_reading import Way, is_given, option_without_effect
from crypsis.errors import BadParameter
from crypsis.parameters import Checked, Parameter, SideInput, marks_of, parameters_of


@dataclass(frozen=True)
class Label:
    """What an option is called in a form."""

    text: str


@dataclass(frozen=True)
class NamesColumn(Label):
    """The option names a column of the file."""


@dataclass(frozen=True, init=False)
class OnlyIn:
    """The ways of reading that use an option; without this mark all of them do."""

    ways: tuple[Way, ...]

    def __init__(self, *ways: Way) -> None:
        object.__setattr__(self, "ways", ways)


@dataclass(frozen=True)
class AlsoCalled:
    """Another word for an option; where ways are named, only these know it."""

    word: str
    ways: tuple[Way, ...] = ()


class InFilesOnly:
    """A key of experiment files and REST; a command line has options of its own for it."""


class NumberOrText:
    """A number is taken as text: `32650` and `"32650"` are the same code."""


@dataclass(frozen=True)
class DataFile:
    """A file, a folder or a pattern of files; how it is written; and how its table is changed before it is used."""

    path: str | Path | Address | Sequence[str | Path | Address]
    format: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # of the format
    change: Callable[[pl.DataFrame], pl.DataFrame] | None = None

    @cached_property
    def files(self) -> list[Path]:
        """The files, on disk; those in a store are read in parts only."""
        files: list[Path] = []
        for path in self._paths():
            if isinstance(path, Address):
                raise tabular.only_in_parts(str(path))
            files += tabular.files_of(path, self.options)
        return files

    @cached_property
    def places(self) -> list[Path | Address]:
        """The files, on disk or in a store."""
        places: list[Path | Address] = []
        for path in self._paths():
            places += path.files() if isinstance(path, Address) else tabular.files_of(path, self.options)
        return places

    def _paths(self) -> list[str | Path | Address]:
        """What was given, addresses as such; a text may also name a table of a database."""
        paths = [self.path] if isinstance(self.path, (str, Path, Address)) else list(self.path)
        if not paths:
            raise BadParameter("Give at least one file.", parameter="path")
        return [self._address(path) or path for path in paths]

    def _address(self, path: str | Path | Address) -> Address | None:
        if isinstance(path, str) and self.options and is_elsewhere(Path(path), self.options):
            return None
        return Address.of(path)

    @property
    def first(self) -> Path:
        return self.files[0]

    def format_of(self, holding: frozenset[str], file: Path | None = None) -> Format:
        """The format of a file (or of the first) that holds such data."""
        return format_for(file or self.first, self.format, holding=holding, **self.options)

    def points(self, holding: frozenset[str], *files: Path) -> list[tuple[pl.DataFrame, str]]:
        """The position fixes of some of the files, one a row, and their names for messages."""
        return tabular.read_points(files, [self.format_of(holding, file) for file in files])

    def frame(self, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        """The table, changed, and its name for messages; where nothing is changed only some columns may be read."""
        path: Any = self.path
        if self.change is None:
            return tabular.read_table_file(path, format=self.format, columns=columns, **self.options)
        frame, source = tabular.read_table_file(path, format=self.format, **self.options)
        changed = self.change(frame)
        return changed, source if changed is frame else str(source)

    def coded_frame(self) -> tuple[pl.DataFrame, pl.Schema, str]:
        """The table, its types and its name; texts may be categories whose type is told to be text."""
        path: Any = self.path
        if self.change is None:
            return tabular.read_coded_file(path, format=self.format, **self.options)
        frame, source = self.frame()
        return frame, frame.schema, source

    def header(self) -> list[str] | None:
        """The names of the columns without a look at any record; None where only records would tell."""
        return tabular.header_of(self.first, format=self.format, **self.options)

    def rows(self, columns: Sequence[str], lists: Collection[str] = ()) -> tuple[pl.DataFrame, ByRecord]:
        """The table as texts, each record read by itself."""
        path: Any = self.path
        return tabular.read_rows(path, columns, lists=lists, format=self.format, **self.options)

    def sets(self) -> Sets:
        """The records of items, each read by itself."""
        path: Any = self.path
        return tabular.read_sets(path, format=self.format, **self.options)

    def sequences(self) -> Sequences:
        """The records of labels."""
        path: Any = self.path
        return tabular.read_sequences(path, format=self.format, **self.options)


@dataclass(frozen=True)
class FileSlice(DataFile):
    """Some rows of a Parquet file."""

    first_row: int = 0
    n_rows: int = 0

    def frame(self, columns: Sequence[str] | None = None) -> tuple[pl.DataFrame, str]:
        frame = parquet.read_slice(self.first, self.first_row, self.n_rows, columns=columns)
        return frame, f"{self.first} (rows from {self.first_row + 1:,} on)" if self.first_row else str(self.first)

    def points(self, holding: frozenset[str], *files: Path) -> list[tuple[pl.DataFrame, str]]:
        return [self.frame()]

    def rows(self, columns: Sequence[str], lists: Collection[str] = ()) -> tuple[pl.DataFrame, ByRecord]:
        frame = parquet.read_slice(self.first, self.first_row, self.n_rows, columns=columns, by_record=True)
        return as_texts(frame, lists), ByRecord()


@dataclass(frozen=True, kw_only=True)
class DataSource(Checked):
    """How files are read as data of one kind, with the options that were chosen."""

    kind: ClassVar[str]
    label: ClassVar[str]  # the kind as people choose it
    plural: ClassVar[str]
    family: ClassVar[str]  # kinds that share most options, as a heading of help
    holding: ClassVar[frozenset[str]] = frozenset({TABLE})  # what a file must hold
    column_options: ClassVar[tuple[str, ...]] = ()  # how a command line says what columns are

    @classmethod
    def options(cls) -> dict[str, Parameter]:
        """The options by name."""
        return {option.name: option for option in parameters_of(cls)}

    @classmethod
    def words(cls) -> dict[str, str]:
        """Other words for options: the word and the option."""
        return {other.word: option.name for option in parameters_of(cls) for other in marks_of(option, AlsoCalled)}

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Every word by which an option can be given."""
        return (*cls.options(), *cls.words())

    @classmethod
    def from_keys(cls, keys: Mapping[str, Any]) -> Self:
        """The source that these keys describe; a key that is no option is passed over here."""
        return cls(**values_of(cls, keys))

    def way(self, file: DataFile) -> Way:
        """The way in which this file is read."""
        raise NotImplementedError

    @classmethod
    def used_in(cls, way: Way) -> tuple[str, ...]:
        """The words for those options that a way uses."""
        used = []
        for option in parameters_of(cls):
            only = marks_of(option, OnlyIn)
            if not only or way in only[0].ways:
                used.append(option.name)
                used += [other.word for other in marks_of(option, AlsoCalled) if not other.ways or way in other.ways]
        return tuple(used)

    def refuse_unused(self, file: DataFile, keys: Mapping[str, Any] | None = None) -> None:
        """`OptionWithoutEffect` for what this file is not read with. `keys` are the words that were used, if known."""
        way = self.way(file)
        chosen = format_of(file.first, file.format, holding=self.holding, options=file.options)
        uses = (*self.used_in(way), *(option.name for option in parameters_of(chosen)))
        options, words = self.options(), self.words()
        for word, value in (self.parameters() if keys is None else keys).items():
            usual = word in options and value == options[word].default
            if word not in uses and not usual and (is_given(value) or value is False):
                others = [name for name in uses if name not in words]
                raise option_without_effect(word, way.words, others, kind=self.kind)

    def read(self, file: DataFile, declared: Declarations | None = None, keys: Mapping[str, Any] | None = None) -> Any:
        """The data of a file, as a method declares what it needs; `keys` are the words that were used, if known."""
        self.refuse_unused(file, keys)
        declared = declared or Declarations()
        if file.change is not None:  # a change looks at several records
            declared = replace(declared, by_record=False)
        return self.load(file, declared)

    @abstractmethod
    def load(self, file: DataFile, declared: Declarations) -> Any:
        """The data of a file that all given options speak of."""

    def refuse_for_records(self) -> None:
        """Refuse what has no effect where each record is read by itself, for a private method."""

    @classmethod
    def describe(cls, data: Any) -> str:
        """What was read, in a few words."""
        return f"{len(data):,} {cls.plural}"

    def understood(self, data: Any) -> dict[str, str]:
        """Which column serves as what, where the data do not tell themselves."""
        return {}


def values_of(source: type[DataSource], keys: Mapping[str, Any]) -> dict[str, Any]:
    """The values of options, whichever word they were given by; two words for one option must agree."""
    values: dict[str, Any] = {}
    for option in parameters_of(source):
        words = (option.name, *(other.word for other in marks_of(option, AlsoCalled)))
        named = {word: keys[word] for word in words if keys.get(word) is not None}
        if len({str(value) for value in named.values()}) > 1:
            given = ", ".join(f"{word}={value!r}" for word, value in named.items())
            raise BadParameter(f"One column names the {option.name}, got {given}.", parameter=option.name)
        if named:
            values[option.name] = value_of(option, next(iter(named.values())))
    return values


def value_of(option: Parameter, value: Any) -> Any:
    """A value as it stands in a file, in the type that the option takes."""
    if issubclass(option.type, SideInput) and isinstance(value, (str, Path)):
        return option.type.from_text(str(value))
    if marks_of(option, NumberOrText) and type(value) is int:
        return str(value)
    return value
