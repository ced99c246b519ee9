"""A command as an object: its annotated fields are its arguments and options, `execute` is what it does.

An option that an annotation describes by a sentence alone is called as its field: `pdf: Annotated[Path | None, "..."]`
is `--pdf`. `typer.Option` says more.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import typer


class Command(ABC):
    """Base of commands with many options. Each is a frozen dataclass; the command line makes one, which executes it."""

    def __post_init__(self) -> None:
        self.execute()

    @classmethod
    def own_options_first(cls) -> type[Command]:
        """The command with those options last that it shares with others, as its help lists them."""
        own = inspect.get_annotations(cls)
        name_options(cls, lambda parameter: parameter.name not in own)
        return cls

    @abstractmethod
    def execute(self) -> None:
        """Do what the command says."""


def with_named_options(command: Any) -> Any:
    """The command, a class or a function, with options that are called as its fields."""
    if isinstance(command, type) and issubclass(command, Command):
        return command.own_options_first()
    name_options(command)
    return command


def name_options(command: Any, last: Callable[[inspect.Parameter], bool] = lambda parameter: False) -> None:
    """Give each option that is described by a sentence its name; those come last of which `last` says so."""
    signature, hints = inspect.signature(command), get_type_hints(command, include_extras=True)
    given = signature.parameters.values()
    parameters = [each.replace(annotation=_with_name(each.name, hints[each.name])) for each in given]
    command.__signature__ = signature.replace(parameters=sorted(parameters, key=last))


def _with_name(field: str, hint: Any) -> Any:
    plain, *marks = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    if len(marks) == 1 and isinstance(marks[0], str):
        return Annotated[plain, typer.Option(f"--{field.replace('_', '-')}", help=marks[0])]
    return hint


class Group(typer.Typer):
    """Commands that belong together; their options are described as those of every command."""

    def __init__(self, help: str) -> None:
        super().__init__(help=help, no_args_is_help=True, rich_markup_mode=None)

    def command(self, *given: Any, **named: Any) -> Callable[[Any], Any]:
        register = super().command(*given, **named)
        return lambda command: register(with_named_options(command))
