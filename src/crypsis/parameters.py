"""Bounds and help of a parameter, stated once in its annotation and read by every check, option, form and table.

k: Annotated[int, AtLeast(1), "Trajectories that must share each subsequence."] = 5
"""

from __future__ import annotations

import math
import operator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Protocol, Union, get_args, get_origin, get_type_hints

from crypsis.errors import BadParameter


class Bound(Protocol):
    """What a value must satisfy, in words and as a test."""

    def admits(self, value: Any) -> bool: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class AtLeast:
    """A number not below `lowest`."""

    lowest: float

    def admits(self, value: Any) -> bool:
        return bool(value >= self.lowest)

    def __str__(self) -> str:
        return f"of at least {self.lowest:g}"


@dataclass(frozen=True)
class Above:
    """A number greater than `limit`."""

    limit: float

    def admits(self, value: Any) -> bool:
        return bool(value > self.limit)

    def __str__(self) -> str:
        return f"above {self.limit:g}"


@dataclass(frozen=True)
class Between:
    """A number from `lowest` to `highest`, both included."""

    lowest: float
    highest: float

    def admits(self, value: Any) -> bool:
        return bool(self.lowest <= value <= self.highest)

    def __str__(self) -> str:
        return f"from {self.lowest:g} to {self.highest:g}"


class OneOf:
    """One of a few named choices."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def admits(self, value: Any) -> bool:
        return value in self.choices

    def __str__(self) -> str:
        return "out of " + ", ".join(repr(choice) for choice in self.choices)


@dataclass(frozen=True)
class Parameter:
    """One field of a checked object, as its annotation states it."""

    name: str
    type: type
    optional: bool
    bounds: tuple[Bound, ...]
    help: str
    default: Any

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def choices(self) -> tuple[str, ...]:
        return next((bound.choices for bound in self.bounds if isinstance(bound, OneOf)), ())

    def describe(self) -> str:
        """`an int of at least 1`, `one of 'error', 'truncate'`."""
        if self.choices:
            words = "one of " + ", ".join(repr(choice) for choice in self.choices)
        else:
            kind = {int: "an int", float: "a finite number", bool: "true or false", str: "a string"}[self.type]
            words = " and ".join([kind, *map(str, self.bounds)]).replace(" and ", " ", 1)
        return words + (" or nothing" if self.optional else "")

    def check(self, value: Any, owner: str) -> Any:
        """The value in its declared type; `BadParameter` names owner, parameter, bound and what came."""
        if value is None and self.optional:
            return None
        try:
            converted = _CONVERTERS[self.type](value)
            if all(bound.admits(converted) for bound in self.bounds):
                return converted
        except (TypeError, ValueError, OverflowError):
            pass
        raise BadParameter(
            f"{owner}: {self.name} must be {self.describe()}, got {value!r}.",
            parameter=self.name,
            got=repr(value),
        )

    def parse(self, text: str, owner: str) -> Any:
        """Read a value typed on a command line or into a form."""
        if self.optional and text.lower() in {"", "none"}:
            return None
        try:
            value: Any = _PARSERS[self.type](text)
        except ValueError:
            value = text
        return self.check(value, owner)

    def to_dict(self) -> dict[str, Any]:
        """Machine-readable schema: what forms and `crypsis methods --json` are made of."""
        schema: dict[str, Any] = {
            "name": self.name,
            "type": self.type.__name__,
            "optional": self.optional,
            "required": self.required,
            "help": self.help,
            "range": " and ".join(map(str, self.bounds)),
            "sweepable": self.type in (int, float) or bool(self.choices),
        }
        if not self.required:
            schema["default"] = self.default
        if self.choices:
            schema["choices"] = list(self.choices)
        return schema


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A frozen object whose annotated fields are checked when it is made."""

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = parameter.check(getattr(self, parameter.name), type(self).__name__)
            object.__setattr__(self, parameter.name, value)

    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, defaults included."""
        return {parameter.name: getattr(self, parameter.name) for parameter in parameters_of(type(self))}


def parameters_of(checked: type[Checked]) -> tuple[Parameter, ...]:
    """The parameters that a checked class declares, in order."""
    kind: Any = checked
    return _declared(kind)


@cache
def _declared(checked: Any) -> tuple[Parameter, ...]:
    hints = get_type_hints(checked, include_extras=True)
    return tuple(_parameter(field.name, hints[field.name], field.default) for field in fields(checked))


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    declared, *extras = get_args(hint)
    optional = get_origin(declared) in (Union, UnionType)
    if optional:
        (declared,) = (member for member in get_args(declared) if member is not NoneType)
    help_text = next(extra for extra in extras if isinstance(extra, str))
    bounds = tuple(extra for extra in extras if not isinstance(extra, str))
    return Parameter(name, declared, optional, bounds, help_text, default)


def _integer(value: Any) -> int:
    if _is_boolean(value):
        raise TypeError
    return operator.index(value)


def _number(value: Any) -> float:
    if _is_boolean(value) or isinstance(value, (str, bytes)):
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _is_boolean(value: Any) -> bool:
    return type(value).__name__ in {"bool", "bool_"}  # numpy's own, too, whose name depends on its version


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _parse_boolean(text: str) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in words:
        raise ValueError
    return words[text.lower()]


_CONVERTERS: dict[type, Any] = {int: _integer, float: _number, bool: _boolean, str: _string}
_PARSERS: dict[type, Any] = {int: int, float: float, bool: _parse_boolean, str: str}
