"""The options that say how a file is written: made from the annotations of the formats when a command is parsed.

Formats load slowly and `crypsis --help` must not, so a command that reads files gets these options only when its own
arguments or its own help are looked at.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

INPUT_FORMAT = "input_format"
FILE_OPTIONS: ContextVar[dict[str, Any]] = ContextVar("file options", default={})  # noqa: B039 (never changed)


def file_options() -> tuple[str, ...]:
    """The names of the options that say how a file is written."""
    from crypsis.data.formats import format_options

    return (INPUT_FORMAT, *format_options())


def how_of(chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The format and its options out of all that was typed, as readers take them."""
    names = [name for name in file_options() if chosen.get(name) is not None]
    return {"format" if name == INPUT_FORMAT else name: chosen[name] for name in names}


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Mark a command that reads files, for `ReadingCommand`."""
    command.reads_files = True  # type: ignore[attr-defined]
    return command


class ReadingCommand(TyperCommand):
    """A command; where it reads files, it has the options of all formats. They are left in `FILE_OPTIONS`."""

    def get_params(self, ctx: Any) -> list[Any]:
        own = super().get_params(ctx)
        if not getattr(self.callback, "reads_files", False):
            return own
        known = {parameter.name for parameter in own}
        return [*own[:-1], *(option for option in _options() if option.name not in known), *own[-1:]]

    def invoke(self, ctx: Any) -> Any:
        if not getattr(self.callback, "reads_files", False):
            return super().invoke(ctx)
        declared = {parameter.name for parameter in self.params}
        said = {name: ctx.params.pop(name) for name in file_options() if name in ctx.params and name not in declared}
        token = FILE_OPTIONS.set(said)
        try:
            return super().invoke(ctx)
        finally:
            FILE_OPTIONS.reset(token)


def _options() -> list[Any]:
    """The options of the formats; nothing said is None, so that the format has its own default."""
    from crypsis.data.formats import FORMATS, format_options

    names = f"Format of the file if its name does not tell: {', '.join(FORMATS)}."
    hints: dict[str, Any] = {INPUT_FORMAT: Annotated[str | None, typer.Option("--input-format", help=names)]}
    for option in format_options().values():
        dashed = option.name.replace("_", "-")
        typed = f"--{dashed}/--no-{dashed}" if option.type is bool else f"--{dashed}"
        hints[option.name] = Annotated[option.type | None, typer.Option(typed, help=option.help)]

    def described(**_: Any) -> None: ...

    shown = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in hints.items()
    ]
    described.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    described.__annotations__ = hints
    app = typer.Typer(add_completion=False)
    app.command()(described)
    return list(typer.main.get_command(app).params)
