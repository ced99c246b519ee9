"""Flags that every command understands, wherever they stand, and the parameters of a chosen method or model.

A method's options are not known until `--method` is: they are taken out of the arguments by the method's own
annotations, so that no parameter is described a second time here.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from crypsis.errors import BadParameter
from crypsis.parameters import Checked, Parameter, parameters_of

FLAGS = {"--json": "json", "--quiet": "quiet", "-q": "quiet", "--debug": "debug"}
EVERY_COMMAND = (
    "On every command: --json prints a machine-readable result, --quiet hides progress, --debug shows tracebacks."
)


@dataclass(frozen=True)
class Settings:
    """What was asked for beside the command's own options."""

    json: bool = False
    quiet: bool = False
    debug: bool = False
    arguments: tuple[str, ...] = ()  # as typed, for options whose order counts
    chosen: dict[str, str] = field(default_factory=dict)  # parameter of the method or model: text given
    parameter_names: str = ""


SETTINGS: ContextVar[Settings] = ContextVar("settings", default=Settings())  # noqa: B039 (immutable)


def read_settings(arguments: list[str]) -> tuple[Settings, list[str]]:
    """Settings, and the arguments that are left for the command."""
    asked = {FLAGS[argument] for argument in arguments if argument in FLAGS}
    settings = Settings(
        json="json" in asked, quiet="quiet" in asked, debug="debug" in asked, arguments=tuple(arguments)
    )
    rest = [argument for argument in arguments if argument not in FLAGS]
    described = _chosen_class(rest)
    if described is None:
        return settings, rest
    owner, checked = described
    parameters = parameters_of(checked)
    if rest[0] == "run":  # there --workers are processes
        parameters = tuple(parameter for parameter in parameters if parameter.name != "workers")
    chosen, rest = _take_parameters(rest, parameters)
    names = f"The parameters of {owner} are {', '.join(_options(parameter)[0] for parameter in parameters)}."
    return replace(settings, chosen=chosen, parameter_names=names), rest


def _chosen_class(arguments: list[str]) -> tuple[str, type[Checked]] | None:
    """The method, model or adversary whose parameters these arguments may hold."""
    command = arguments[0] if arguments else ""
    option = {"anonymize": "--method", "run": "--method", "verify": "--model", "attack": "--attack"}.get(command)
    name = _value_of(arguments, option) if option else None
    if name is None:
        return None
    if option == "--attack":
        from crypsis.attacks import attack_named

        return name, attack_named(name)
    if option == "--method":
        from crypsis.methods import method_named

        return name, method_named(name)
    from crypsis.guarantees import guarantee_named

    return name, guarantee_named(name)


def _value_of(arguments: list[str], option: str) -> str | None:
    for place, argument in enumerate(arguments):
        if argument == option and place + 1 < len(arguments):
            return arguments[place + 1]
        if argument.startswith(option + "="):
            return argument.partition("=")[2]
    return None


def _options(parameter: Parameter) -> tuple[str, ...]:
    long = "--" + parameter.name.replace("_", "-")
    return (f"-{parameter.name}", long) if len(parameter.name) == 1 else (long,)


def _take_parameters(arguments: list[str], parameters: tuple[Parameter, ...]) -> tuple[dict[str, str], list[str]]:
    names = {option: parameter.name for parameter in parameters for option in _options(parameter)}
    repeatable = {parameter.name for parameter in parameters if getattr(parameter.type, "repeatable", False)}
    chosen: dict[str, str] = {}
    rest: list[str] = []
    waiting = list(arguments)
    while waiting:
        argument = waiting.pop(0)
        option, equals, value = argument.partition("=")
        if option not in names:
            rest.append(argument)
            continue
        if not equals:
            if not waiting:
                raise BadParameter(f"{option} needs a value.", parameter=names[option])
            value = waiting.pop(0)
        if names[option] in chosen and names[option] in repeatable:
            value = f"{chosen[names[option]]}\n{value}"
        elif names[option] in chosen:
            raise BadParameter(f"{option} is given twice.", parameter=names[option])
        chosen[names[option]] = value
    return chosen, rest


def in_order(*options: str) -> list[tuple[str, str]]:
    """The given options with their values in the order in which they were typed."""
    found: list[tuple[str, str]] = []
    waiting = list(SETTINGS.get().arguments)
    while waiting:
        option, equals, value = waiting.pop(0).partition("=")
        if option in options:
            if not equals and waiting:
                value = waiting.pop(0)
            found.append((option, value))
    return found


def checked_from_settings(checked: type[Checked]) -> Checked:
    """The method or guarantee with the parameters that were given."""
    given = SETTINGS.get().chosen
    values = {
        parameter.name: parameter.parse(given[parameter.name], checked.__name__)
        for parameter in parameters_of(checked)
        if parameter.name in given
    }
    return checked(**values)
