"""Flags that every command understands, wherever they stand, and the parameters of a chosen method or model."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

from crypsis.parameters import Checked, parameters_of

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
    return settings, [argument for argument in arguments if argument not in FLAGS]


def in_order(*options: str) -> list[tuple[str, str]]:
    """The given options with their values in the order in which they were typed."""
    pairs: list[tuple[str, str]] = []
    waiting = list(SETTINGS.get().arguments)
    while waiting:
        option, equals, value = waiting.pop(0).partition("=")
        if option in options:
            if not equals and waiting:
                value = waiting.pop(0)
            pairs.append((option, value))
    return pairs


def checked_from_settings(checked: type[Checked]) -> Checked:
    """The method or guarantee with the parameters that were given."""
    given = SETTINGS.get().chosen
    values = {
        parameter.name: parameter.parse(given[parameter.name], checked.__name__)
        for parameter in parameters_of(checked)
        if parameter.name in given
    }
    return checked(**values)
