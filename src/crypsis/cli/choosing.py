"""Commands on which a method, guarantee or adversary is chosen: its parameters are options of the command, too.

They are not known until the choice is, so the arguments are looked through for it first; then the options are made from
the annotations of what was chosen, and no parameter is described a second time here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer

from crypsis.cli.completion import offer
from crypsis.cli.reading import ReadingCommand, made_options
from crypsis.cli.settings import SETTINGS
from crypsis.errors import BadParameter
from crypsis.parameters import Checked, Parameter, parameters_of

_OF_THE_COMMAND = ("workers",)  # of `run` they are processes


class ChoosingCommand(ReadingCommand):
    """A command with the parameters of whatever its option --method, --model or --attack names."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.own_only = not ctx.resilient_parsing
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        typed, _, _ = parser.parse_args(list(args))
        option = next(parameter.name for parameter in self.params if parameter.name in _CHOICES)
        if typed.get(option) is not None:
            own = {parameter.name for parameter in self.params if parameter.name in _OF_THE_COMMAND}
            choice = _CHOICES[option](typed[option])
            ctx.kind = getattr(choice, "accepts", None) if option == "method" else None
            chosen = parameters_of(choice)
            ctx.parameters = tuple(parameter for parameter in chosen if parameter.name not in own)
            ctx.parameter_options = tuple(_options(ctx.parameters, f"Parameters of {typed[option]}"))
            names = ", ".join(_names(parameter)[0] for parameter in ctx.parameters)
            words = f"The parameters of {typed[option]} are {names}."
            SETTINGS.set(replace(SETTINGS.get(), parameter_names=words))
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        known = super().get_params(ctx)
        chosen = {parameter.name for parameter in getattr(ctx, "parameters", ())}
        if not chosen:
            return known
        others = [parameter for parameter in known if parameter.name not in chosen]
        return [*others[:-1], *ctx.parameter_options, *others[-1:]]

    def invoke(self, ctx: Any) -> Any:
        given: dict[str, str] = {}
        for parameter in getattr(ctx, "parameters", ()):
            texts = ctx.params.pop(parameter.name) or ()
            if len(texts) > 1 and not getattr(parameter.type, "repeatable", False):
                raise BadParameter(f"{_names(parameter)[0]} is given twice.", parameter=parameter.name)
            if texts:
                given[parameter.name] = "\n".join(texts)
        SETTINGS.set(replace(SETTINGS.get(), chosen=given))
        return super().invoke(ctx)


def _options(parameters: tuple[Parameter, ...], group: str) -> list[Any]:
    """Options as the annotations of parameters describe them; each takes the text of a value."""
    hints = []
    for parameter in parameters:
        metavar = f"<{'|'.join(parameter.choices) or parameter.type.__name__.lower()}>"
        option = typer.Option(
            *_names(parameter),
            help=parameter.help,
            metavar=metavar,
            rich_help_panel=group,
            autocompletion=offer(parameter.choices),
        )
        hints.append((parameter.name, Annotated[list[str] | None, option], None))
    return made_options(hints)


def _names(parameter: Parameter) -> tuple[str, ...]:
    long = "--" + parameter.name.replace("_", "-")
    return (f"-{parameter.name}", long) if len(parameter.name) == 1 else (long,)


def _method(name: str) -> type[Checked]:
    from crypsis.methods import method_named

    return method_named(name)


def _guarantee(name: str) -> type[Checked]:
    from crypsis.guarantees import guarantee_named

    return guarantee_named(name)


def _attack(name: str) -> type[Checked]:
    from crypsis.attacks import attack_named

    return attack_named(name)


_CHOICES = {"method": _method, "model": _guarantee, "attack": _attack}
