"""What was typed about reading: options of a command, as they become keys of `[dataset]`, and data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from crypsis.cli.reading.column_options import ROLE_OPTIONS, ColumnOptions, column_keys, listed
from crypsis.data.address import Address
from crypsis.data.declarations import Declarations
from crypsis.data.formats import FORMATS, format_options
from crypsis.data.formats.tabular import header_of
from crypsis.data.place_of_part import on_disk
from crypsis.data.sources import SOURCES, DataFile, DataSource, PublishedTableSource, every_key, option_named, value_of
from crypsis.data.sources.data_source import InFilesOnly
from crypsis.data.steps import STEP, STEPS, shaping, steps_of
from crypsis.data.ways_of_reading import option_without_effect
from crypsis.errors import BadParameter, NotApplicable, OptionWithoutEffect
from crypsis.parameters import Parameter, SideInput, marks_of, parameters_of

if TYPE_CHECKING:
    import polars as pl

INPUT_FORMAT = "input_format"


def file_options() -> dict[str, Parameter]:
    """The options that say how a file is written."""
    names = f"Format of the file if its name does not tell: {', '.join(FORMATS)}."
    options = {INPUT_FORMAT: Parameter(INPUT_FORMAT, str, True, (), names, None), **format_options()}
    return {name: replace(option, optional=True) for name, option in options.items()}  # each format has its default


def group_of(option: str) -> str:
    """The heading below which help lists an option: the kinds of data that it is for, or the file."""
    if option == STEP:
        return "Shaping the table"
    families = _families(option)
    if not families:
        return "How the file is written"
    return families[0] if len(families) == 1 else "Several kinds of data"


def is_for_other_kinds(option: str, kind: type) -> bool:
    """Whether an option is for kinds of data, and this class of data is none of them."""
    return bool(_families(option)) and option not in options_of(source_of(kind))


def _families(option: str) -> list[str]:
    return list(dict.fromkeys(source.family for source in SOURCES.values() if option in options_of(source)))


def step_options() -> dict[str, Parameter]:
    """The option that shapes a table before it is used; it may be given several times."""
    words = f"Shape the table first, in the order typed: {', '.join(STEPS)}; e.g. 'unite(columns=dx01..dx15, to=dx)'."
    return {STEP: Parameter(STEP, list, True, (), words, None)}


def reading_options() -> dict[str, Parameter]:
    """The options that say how data are read, of all kinds of data, with help that says of which."""
    options = {option.name: option for option in parameters_of(ColumnOptions)}
    for name in every_key():
        option = option_named(name)
        if not marks_of(option, InFilesOnly):
            other = f"Another word for --{option.name}." if option.name != name else option.help
            options[name] = replace(option, name=name, help=other)
    return {name: replace(option, help=f"{option.help}{_kinds_in_words(name)}") for name, option in options.items()}


def options_of(source: type[DataSource]) -> tuple[str, ...]:
    """The options by which a kind of data is read from a command line."""
    return _options_of(cast(Hashable, source))


@cache
def _options_of(source: Any) -> tuple[str, ...]:
    hidden = [option.name for option in parameters_of(source) if marks_of(option, InFilesOnly)]
    return (*(name for name in source.names() if name not in hidden), *source.column_options)


def _kinds_in_words(option: str) -> str:
    """The kinds, where they are fewer than those that the heading names."""
    plurals = [source.plural for source in SOURCES.values() if option in options_of(source)]
    headed = [source for source in SOURCES.values() if source.family in _families(option)]
    whole = len(plurals) == len(headed) and len(_families(option)) == 1
    return "" if whole or len(plurals) in (0, len(SOURCES)) else f" For {', '.join(plurals)}."


def dashed(option: str) -> str:
    """Return the name of an option as it is typed: `--time-format` for `time_format`."""
    return "--" + option.replace("_", "-")


@dataclass(frozen=True)
class Typed:
    """The reading options of a command, as far as they were typed."""

    values: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, option: str) -> Any:
        """What was typed for an option, None if nothing."""
        return self.values.get(option)

    @property
    def file_options(self) -> dict[str, Any]:
        """The format of the file and its options."""
        names = [name for name in file_options() if self[name] is not None]
        return {"format" if name == INPUT_FORMAT else name: self[name] for name in names}

    def given(self) -> dict[str, Any]:
        """The options that say something about the data."""
        written = (*file_options(), STEP)
        return {name: value for name, value in self.values.items() if value is not None and name not in written}

    def but(self, *options: str) -> Typed:
        """The same without some options."""
        return replace(self, values={name: value for name, value in self.values.items() if name not in options})

    def refuse_all(self, why: str) -> None:
        """Refuse what was typed about reading, where nothing is read by it."""
        typed = [*self.given(), *(name for name in (*file_options(), STEP) if self[name] is not None)]
        if typed:
            raise OptionWithoutEffect(f"{dashed(typed[0])} has no effect here: {why}. Leave it out.", option=typed[0])

    def refuse_steps(self) -> None:
        """Refuse to shape a table that is read in parts."""
        if self.steps:
            raise OptionWithoutEffect(
                "--step shapes a whole table, and here it is read in parts; shape it first, or leave out --executor.",
                parameter=STEP,
            )

    def read(self, path: Path, kind: type | None = None, for_method: Any = None) -> Any:
        """The data of a file, of the class that a method takes; trajectories where none is named."""
        source = source_of(kind)
        declared = Declarations.of(for_method)
        chosen = source.from_keys(self.keys(source, path))
        if declared.by_record:
            chosen.refuse_for_records()
        keys = {name: value for name, value in self.given().items() if name in source.names()}
        file = self.file(path)
        return chosen.read(file, declared, {**keys, **file.options})

    def file(self, path: Path | Address) -> DataFile:
        """A file as it is written, and how its table is shaped."""
        options = self.file_options
        return DataFile(path, options.pop("format", None), options, shaping(self.steps))

    def frame(self, path: Path) -> tuple[pl.DataFrame, str]:
        """The table of a file, shaped, and its name for messages."""
        return self.file(path).frame()

    @property
    def steps(self) -> list[dict[str, Any]]:
        """What shapes the table before it is used."""
        return [step.to_dict() for step in steps_of(self[STEP])]

    def scan(self, path: Path | Address, source: type[DataSource]) -> Any:
        """The data of a file, a folder or a pattern in parts, which are read one at a time."""
        from crypsis.data.scanned import ScannedTable
        from crypsis.data.scanned_mixed import ScannedMixed
        from crypsis.data.scanned_records import ScannedRecords

        scanned: Any = {"table": ScannedTable, "mixed": ScannedMixed}
        scanned |= dict.fromkeys(("transactions", "trajectories", "tracks", "events"), ScannedRecords)
        if source.kind not in scanned:
            raise NotApplicable(
                f"{source.plural.capitalize()} are not worked on in parts, so far; leave --executor out."
            )
        self.refuse_steps()
        return scanned[source.kind].of(source.from_keys(self.keys(source, path)), self.file(path))

    def keys(self, source: type[DataSource] | None, path: Path | Address | None = None) -> dict[str, Any]:
        """What was typed as keys of `[dataset]`; an option that says nothing about this kind of data is refused."""
        given = self.given()
        keys = self.keys_beside_columns(source)
        of_columns = () if source is None else source.column_options
        if not of_columns:
            return keys
        if "items" in of_columns and source is not PublishedTableSource and not given.get("items"):
            raise BadParameter("Mixed data need a set-valued column; name it with --items, e.g. --items 'diagnoses= '.")
        typed = {name: given[name] for name in of_columns if name in given}
        return keys | column_keys(typed, lambda: self._header(path))

    def keys_beside_columns(self, source: type[DataSource] | None) -> dict[str, Any]:
        """The same without what was typed about columns and their roles."""
        given, of_columns = self.given(), () if source is None else source.column_options
        if source is not None:
            _refuse_other_kinds(given, source)
        return {name: _value(name, value) for name, value in given.items() if name not in of_columns}

    def _header(self, path: Path | Address | None) -> list[str]:
        if path is None:
            return []
        first = path.files()[0] if isinstance(path, Address) else path
        with on_disk(first) as file:
            return header_of(file, **self.file_options) or []

    def section(self, path: Path, kind: str | None) -> dict[str, Any]:
        """The table `[dataset]` of an experiment that says the same; without a kind it follows from the options."""
        given = self.given()
        if kind is None and "items" in given:
            kind = "mixed"
        elif kind is None and any(role in given for role in ROLE_OPTIONS if role != "sensitive"):
            kind = "table"
        unknown = [name for name in given if kind is None and name not in every_key()]
        if unknown:
            raise OptionWithoutEffect(f"{dashed(unknown[0])} says nothing about these data.", option=unknown[0])
        keys = self.keys(None if kind is None else SOURCES[kind], path)
        beside = {name: str(Path(value).resolve()) for name, value in keys.items() if _names_file(name)}
        section = {"path": str(path.resolve()), **({} if kind is None else {"kind": kind})}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in keys.items()}
        steps = {STEP: self.steps} if self.steps else {}
        return {**section, **plain, **beside, **steps, **self.file_options}


def source_of(kind: type | None) -> type[DataSource]:
    """How data of a class are read; trajectories without one."""
    name = "Trajectories" if kind is None else kind.__name__
    if name == "PublishedTable":
        return PublishedTableSource
    if name.lower() not in SOURCES:
        raise NotApplicable(f"{name} cannot be read from a file here.")
    return SOURCES[name.lower()]


def _refuse_other_kinds(given: Mapping[str, Any], source: type[DataSource]) -> None:
    for option in given:
        if option not in options_of(source):
            sources: list[type[DataSource]] = [*SOURCES.values(), PublishedTableSource]
            fitting = dict.fromkeys(other.plural for other in sources if option in options_of(other))
            others = " or ".join(plural for plural in fitting if plural != source.plural)
            raise OptionWithoutEffect(
                f"{dashed(option)} says how {others} are read; here {source.plural} are. Leave it out, or "
                f"choose a method for {others}.",
                option=option,
                kind=source.plural,
            )


def _names_file(option: str) -> bool:
    return option in every_key() and issubclass(option_named(option).type, SideInput)


def _value(name: str, typed: Any) -> Any:
    """What was typed in the type that the option takes; a list is a,b,c or the name of a file."""
    if name not in every_key():
        return typed
    option = option_named(name)
    value = tuple(listed(typed)) if option.type is tuple else typed
    replace(option, name=dashed(name)).check(value_of(option, value), "Reading")
    return value


def in_typed_words(error: OptionWithoutEffect) -> OptionWithoutEffect:
    """The refusal of an option as whoever typed it knows the others."""
    details: Mapping[str, Any] = error.details
    if "way" not in details or "uses" not in details:
        return error
    known = reading_options() | file_options()
    source = SOURCES.get(str(details.get("kind")))
    uses = [*(source.column_options if source else ()), *(name for name in details["uses"] if name in known)]
    return option_without_effect(str(details["option"]), str(details["way"]), uses)
