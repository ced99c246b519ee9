"""How the class of a method shows itself in `help()` and to completion: what a person calls, and no more."""

from __future__ import annotations

import inspect
import textwrap
from abc import ABCMeta
from typing import Any

from crypsis.parameters import Parameter, parameters_of

_WIDTH = 116
_CALLED = ("anonymize", "describe", "guarantee", "name", "summary")  # of all that a method has


class ShownInHelp(ABCMeta):
    """The docstring with the parameters before its example, a signature with plain types, and names people use."""

    @property
    def __doc__(cls) -> str | None:  # type: ignore[override]
        text = vars(cls).get("__doc__")
        parameters = _parameters(cls)
        if text is None or not parameters:
            return text
        lines = [line for parameter in parameters for line in _lines(parameter)]
        before, example, after = inspect.cleandoc(text).partition("\n>>> ")
        return "\n".join([before, "Parameters:", *lines, ""]) + example + after

    @property
    def __signature__(cls) -> inspect.Signature:
        return inspect.Signature([_argument(parameter) for parameter in _parameters(cls)])

    def __dir__(cls) -> list[str]:
        return [*_CALLED]


def _parameters(cls: Any) -> tuple[Parameter, ...]:
    """Those of the class; none as long as its dataclass is being made."""
    return parameters_of(cls) if "__match_args__" in vars(cls) else ()


def _lines(parameter: Parameter) -> list[str]:
    """`  k    an int of at least 1 (5): Records that ...`, in as many lines as it takes."""
    default = "required" if parameter.required else f"default {parameter.default!r}"
    unit = f", in {parameter.unit}" if parameter.unit else ""
    words = f"{parameter.name}: {parameter.describe()}{unit} ({default}). {parameter.help}"
    return textwrap.wrap(words, _WIDTH, initial_indent="    ", subsequent_indent="        ")


class _Name:
    """A type as it is read: `Hierarchies | None`, wherever the class is defined."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def _argument(parameter: Parameter) -> inspect.Parameter:
    kind = _Name(parameter.type.__name__ + (" | None" if parameter.optional else ""))
    default = inspect.Parameter.empty if parameter.required else parameter.default
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
