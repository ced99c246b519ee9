"""Commands that read data: the options of all kinds of data and formats, made from the annotations of these.

Which kind is read follows from the method, or from the release that was made. A command shows the options of all kinds;
one that says nothing about the kind at hand is refused, so that no wish is passed over in silence.

Kinds and formats load slowly and `crypsis --help` must not, so a command gets their options only when its own arguments
or its own help are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import make_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand
from typer.exceptions import TyperException

from crypsis.parameters import Parameter
from crypsis.places import reword

if TYPE_CHECKING:
    from crypsis.cli.reading.typed import Typed
    from crypsis.release import Release


class Reader(typer.Context):
    """The context of a command that reads data: a command with a parameter of this class is given it."""

    options: Mapping[str, Any] = {}  # the reading options that were typed
    own_only: bool = False  # whether nothing was typed about reading
    parameters: tuple[Parameter, ...] = ()  # of the chosen method, on commands that choose one
    parameter_options: tuple[Any, ...] = ()  # as they are typed
    kind: type | None = None  # of data that the chosen method takes

    @cached_property
    def typed(self) -> Typed:
        from crypsis.cli.reading.typed import Typed

        return Typed(self.options)

    def __call__(self, path: Path, kind: type | None = None, for_method: Any = None) -> Any:
        """The data of a file, of the class that a method takes."""
        return self.typed.read(path, kind, for_method)


class ReadingCommand(TyperCommand):
    """A command with reading options beside its own: of all kinds of data, or those that `wanted` names.

    The table can be shaped first, whatever is read from it.
    """

    context_class = Reader
    wanted: ClassVar[tuple[str, ...] | None] = None
    shapes: ClassVar[bool] = True

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.own_only = True
        ctx.own_only = not ctx.resilient_parsing and self._understands(ctx, args)
        return super().parse_args(ctx, args)

    def _understands(self, ctx: Any, args: list[str]) -> bool:
        """Whether only options of the command itself were typed: then those of reading need not be known."""
        try:
            typed, _, _ = self.make_parser(ctx).parse_args(list(args))
        except TyperException:  # an option that is not its own, or a mistake, which is told below
            return False
        return "help" not in typed

    def get_params(self, ctx: Any) -> list[Any]:
        own = super().get_params(ctx)
        if ctx.own_only:
            return own
        known = {parameter.name for parameter in own}
        return [*own[:-1], *(option for option in self._reading_options if option.name not in known), *own[-1:]]

    @cached_property
    def _reading_options(self) -> list[Any]:
        from crypsis.cli.reading.typed import file_options, reading_options, step_options

        data = reading_options()
        wanted = data if self.wanted is None else {name: data[name] for name in self.wanted}
        return click_options({**wanted, **file_options(), **(step_options() if self.shapes else {})})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Below headings: of the command, of what was chosen, and of each kind of data that this takes."""
        headings = ("Arguments", "Options", *(option.rich_help_panel for option in ctx.parameter_options))
        groups: dict[str, list[tuple[str, str]]] = {heading: [] for heading in headings}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not self._says_nothing(parameter, ctx):
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                groups.setdefault(parameter.rich_help_panel or usual, []).append(record)
        for heading, records in groups.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def _says_nothing(self, parameter: Any, ctx: Any) -> bool:
        """Whether it is for other kinds of data than the one that was chosen with a method."""
        if ctx.kind is None or all(parameter is not option for option in self._reading_options):
            return False
        from crypsis.cli.reading.typed import is_for_other_kinds

        return is_for_other_kinds(parameter.name, ctx.kind)

    def invoke(self, ctx: Any) -> Any:
        own = {parameter.name for parameter in self.params}
        ctx.options = {name: ctx.params.pop(name) for name in list(ctx.params) if name not in own}
        return super().invoke(ctx)


class FileCommand(ReadingCommand):
    """A command that reads a file as it is written, whatever its data are."""

    wanted = ()
    shapes = False


def click_options(options: Mapping[str, Parameter]) -> list[Any]:
    """Options of a command as annotations describe them. Nothing typed is None, so each has its own default."""
    from crypsis.cli.reading.typed import group_of

    return made_options([(name, _hint(option, group_of(name)), None) for name, option in options.items()])


def made_options(fields: Sequence[tuple[str, Any, Any]]) -> list[Any]:
    """Options of a command from names, annotations and defaults."""
    app = typer.Typer(add_completion=False)
    app.command()(make_dataclass("Options", fields))
    return [option for option in typer.main.get_command(app).params if option.name != "help"]


def _hint(option: Parameter, group: str) -> Any:
    named = "--" + option.name.replace("_", "-")
    if option.type is bool:
        declared = (named,) if option.default is False and not option.optional else (f"{named}/--no-{named[2:]}",)
        return Annotated[bool | None, typer.Option(*declared, help=option.help, rich_help_panel=group)]
    type: Any = list[str] if option.type is list else option.type if option.type in (int, float) else str
    return Annotated[type | None, typer.Option(named, help=option.help, rich_help_panel=group)]


def read_original(read: Reader, path: Path, release: Release) -> Any:
    """The data that a release was made of. Roles and items of a table are those of the release unless typed."""
    from crypsis.cli.reading.typed import source_of
    from crypsis.data.mixed import Mixed
    from crypsis.data.relational import Table
    from crypsis.data.sources import MixedSource, TableSource

    kind = kind_of_input(release.manifest) or _compared_kind(release)
    roles = any(read.typed[option] is not None for option in MixedSource.column_options)
    if kind not in (Table, Mixed) or release.kind.name not in ("table", "mixed") or roles:
        return read(path, kind)
    keys = read.typed.keys_beside_columns(source_of(kind))
    source = TableSource.from_keys(keys)
    settings = {**source.whose(), **source.cells(), "time_format": source.time_format, "step": read.typed.steps}
    return release.read_original(path, **settings, **read.typed.file_options)


def _compared_kind(release: Release) -> type | None:
    """The kind of data that the verifier of this release compares with."""
    from crypsis.verifiers import VERIFIERS

    verifier = VERIFIERS.get((type(release.guarantee), type(release.data)))
    return None if verifier is None else verifier[1]


def kind_of_input(manifest: dict[str, Any]) -> type | None:
    """The kind of data that a release was made from, as its method takes it."""
    from crypsis.methods import METHODS

    method = str((manifest.get("method") or {}).get("name"))
    return METHODS[method].accepts if method in METHODS else None


def words_on(data: Any, typed: Typed | None = None) -> str:
    """What was read, in a few words, and as what: the kind, whose each record is, and which column serves as what."""
    from crypsis.cli.reading.typed import Typed, source_of

    source = source_of(type(data))
    chosen = source.from_keys((typed or Typed()).keys_beside_columns(source))
    counts = f"read {source.describe(data)}"
    read_as = getattr(data, "read_as", None)
    counts += f"\nread as: {reword(str(read_as))}" if read_as is not None else ""
    roles = dict(getattr(data, "understood", ()) or chosen.understood(data))
    person = getattr(chosen, "person", None)
    if "person" not in roles and person:
        roles = {"person": person, **roles}
    words = ", ".join(f"{role} = {name}" for role, name in roles.items())
    alone = "" if "person" in roles else "; each record counts as a person"
    return f"{counts}\nunderstood: {source.plural}{', ' if words else ''}{words}{alone}"
