"""Bounds and help of a parameter, stated once in its annotation and read by every check, option, form and table.

k: Annotated[int, AtLeast(1), "Trajectories that must share each subsequence."] = 5

A parameter is a number, an exact fraction, a flag, a word or a list of words; or it is a side input, such as a
taxonomy, which a command line reads from a file. Until the data are known a deferred one stands in its place, which
makes it from them.
"""

from __future__ import annotations

import math
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Protocol, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from crypsis.errors import BadEpsilon, BadParameter
from crypsis.translation import marked

Refusal = type[BadParameter]
Mark = TypeVar("Mark")


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
        return marked(f"above {self.limit:g}")


@dataclass(frozen=True)
class Epsilon(Above):
    """A privacy budget: above 0, and refused by a name of its own."""

    limit: float = 0
    error: ClassVar[type[BadParameter]] = BadEpsilon


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
    """One of a few named choices, each with its label where a person chooses: `OneOf(values="at every value")`."""

    def __init__(self, *unlabelled: str, **labels: str) -> None:
        self.labels = {choice: choice for choice in unlabelled} | labels

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def admits(self, value: Any) -> bool:
        return value in self.choices

    def __str__(self) -> str:
        return "out of " + ", ".join(repr(choice) for choice in self.choices)


@dataclass(frozen=True)
class Unit:
    """What a number counts: `Unit("seconds")`."""

    name: str


_GREEK = frozenset(("epsilon", "delta"))
MAP_UNITS = "units of the map"  # of distances in a plane that nobody named


class SideInput(ABC):
    """What a method needs beside the data: a taxonomy, constraints, a policy. Immutable, comparable, hashable.

    `in_words` names it for messages; `str` of one is short and never shows what is in it.
    """

    in_words: ClassVar[str]
    repeatable: ClassVar[bool] = False  # an option that may be given several times; `from_text` gets a line of each

    @classmethod
    @abstractmethod
    def from_text(cls, text: str) -> SideInput | Deferred:
        """What somebody typed: the name of a file to read, or a recipe such as `auto:5`."""

    def column_types(self) -> Mapping[str, str]:
        """Column: the type that this declares for it. Files are read by what is declared before anything is guessed."""
        return {}

    @property
    def public_text(self) -> str:
        """A few words that a release may hold: of what was made from the data only how, never how much came of it."""
        return getattr(self, "origin", "") or str(self)

    @property
    def origin_words(self) -> str:
        """Where it comes from, in brackets, as its text ends with; nothing of what was given as it is."""
        origin = getattr(self, "origin", "")
        return f" ({origin})" if origin else ""

    @property
    def identity(self) -> Hashable:
        """What makes two of a class equal."""
        return id(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def to_json(self) -> Any:
        """All of it, for a promise that cannot be checked without it."""
        raise NotImplementedError(f"{type(self).__name__} is never published.")

    @classmethod
    def from_json(cls, content: Any) -> SideInput:
        """What `to_json` wrote."""
        raise NotImplementedError(f"{cls.__name__} is never published.")


class Deferred(ABC):
    """How to make a side input from the data. `str` of one is what `from_text` of the side input reads."""

    makes: ClassVar[type[SideInput]]

    @property
    def public_text(self) -> str:
        """The recipe as a release may hold it: no path, and nothing that was found in the data."""
        return str(self)

    @property
    def needs_records(self) -> bool:
        """What it makes depends on which values occur together, not only on how often each does."""
        return True

    @abstractmethod
    def make(self, data: Any) -> SideInput:
        """The side input for these data."""

    def column_types(self) -> Mapping[str, str]:
        """As for a side input, of those parts that are not made from the data."""
        return {}


class FromCoordinates(Deferred):
    """Made from the coordinates of the location table with one number, such as `auto:5`.

    `number_name` is the field with the number, which is at least `least`.
    """

    number_name: ClassVar[str]
    least: ClassVar[int]

    def __post_init__(self) -> None:
        number = self.number
        if isinstance(number, bool) or not isinstance(number, int) or number < self.least:
            raise BadParameter(
                f"{type(self).__name__}: {self.number_name} must be an int of at least {self.least}, got {number!r}."
            )

    @property
    def number(self) -> object:
        """The number, whatever it is called."""
        return getattr(self, self.number_name)

    @property
    def needs_records(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"auto:{self.number}"


@dataclass(frozen=True)
class Parameter:
    """One field of a checked object, as its annotation states it."""

    name: str
    type: type
    optional: bool
    bounds: tuple[Bound, ...]
    help: str
    default: Any
    unit: str | None = None
    marks: tuple[Any, ...] = ()  # whatever else the annotation says, for those who look for it: `marks_of`

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def symbol(self) -> str:
        """The letter that promises are written with, `k` or `epsilon`; empty where it has a name for programs alone."""
        return self.name if len(self.name) == 1 or self.name in _GREEK else ""

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.choice_labels)

    @property
    def choice_labels(self) -> Mapping[str, str]:
        """What each choice is called where a person chooses; empty where a value is not chosen from a list."""
        return next((bound.labels for bound in self.bounds if isinstance(bound, OneOf)), {})

    @property
    def error(self) -> Refusal:
        """What is raised on a wrong value."""
        return next((bound.error for bound in self.bounds if isinstance(bound, Epsilon)), BadParameter)

    def describe(self) -> str:
        """`an int of at least 1`, `one of 'error', 'truncate'`."""
        if self.choices:
            choices = ", ".join(repr(choice) for choice in self.choices)
            words = marked(f"one of {choices}")
        elif issubclass(self.type, SideInput):
            words = self.type.in_words
        else:
            kind = IN_WORDS[self.type]
            words = " and ".join([kind, *map(str, self.bounds)]).replace(" and ", " ", 1)
        return marked(f"{words} or nothing") if self.optional else words

    def check(self, value: Any, owner: str) -> Any:
        """The value in its declared type; `BadParameter` names owner, parameter, bound and what came."""
        if value is None and self.optional:
            return None
        given = value.makes if isinstance(value, Deferred) else type(value)
        if issubclass(self.type, SideInput) and issubclass(given, self.type):
            return value
        try:
            converted = _CONVERTERS[self.type](value)
            if all(bound.admits(converted) for bound in self.bounds):
                return converted
        except (KeyError, TypeError, ValueError, ArithmeticError):  # no converter: a side input of another kind
            pass
        shown = str(value) if isinstance(value, Fraction) else repr(value)
        raise self.error(
            f"{owner}: {self.name} must be {self.describe()}, got {shown}.", parameter=self.name, got=shown
        )

    def parse(self, text: str, owner: str) -> Any:
        """Read a value typed on a command line or into a form."""
        if self.optional and text.lower() in {"", "none"}:
            return None
        if issubclass(self.type, SideInput):
            return self.type.from_text(text)
        try:
            value: Any = _PARSERS.get(self.type, str)(text)
        except (ValueError, ZeroDivisionError):
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
            "unit": self.unit,
            "sweepable": self.type in (int, float, Fraction) or bool(self.choices),
        }
        if not self.required:
            schema["default"] = _plain(self.default)
        if issubclass(self.type, SideInput):
            schema["reads"] = self.type.in_words
        if self.choices:
            schema["choices"] = list(self.choices)
            schema["choice_labels"] = dict(self.choice_labels)
        return schema


def marks_of(parameter: Parameter, kind: type[Mark]) -> list[Mark]:
    """What an annotation says by marks of a class."""
    return [mark for mark in parameter.marks if isinstance(mark, kind)]


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A frozen object whose annotated fields are checked when it is made. `called` is its name in errors, where that
    is not the name of its class."""

    called: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for parameter in parameters_of(type(self)):
            value = parameter.check(getattr(self, parameter.name), self.called or type(self).__name__)
            object.__setattr__(self, parameter.name, value)

    def parameters(self) -> dict[str, Any]:
        """Every parameter and its value, defaults included."""
        return {parameter.name: getattr(self, parameter.name) for parameter in parameters_of(type(self))}

    def described_parameters(self) -> dict[str, Any]:
        """The same for JSON: side inputs in a few words."""
        return {name: _plain(value) for name, value in self.parameters().items()}

    def public_parameters(self) -> dict[str, Any]:
        """The same for a release: of side inputs that were made from the data only how, and no path."""
        return {
            name: value.public_text if isinstance(value, (SideInput, Deferred)) else _plain(value)
            for name, value in self.parameters().items()
        }

    def side_inputs(self) -> dict[str, SideInput]:
        """What was given beside the data; recipes are none yet."""
        return {name: value for name, value in self.parameters().items() if isinstance(value, SideInput)}

    def resolve(self, data: Any) -> Self:
        """The same with every recipe carried out on these data."""
        resolved = {name: value.make(data) for name, value in self.parameters().items() if isinstance(value, Deferred)}
        return replace(self, **resolved) if resolved else self


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
    unit = next((extra.name for extra in extras if isinstance(extra, Unit)), None)
    bounds = tuple(extra for extra in extras if hasattr(extra, "admits"))
    marks = tuple(extra for extra in extras if not isinstance(extra, (str, Unit)) and not hasattr(extra, "admits"))
    kind = get_origin(declared) or declared  # of tuple[str, ...] and dict[str, Any] the class
    return Parameter(name, kind, optional, bounds, help_text, default, unit, marks)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, (SideInput, Deferred, Fraction)) else value


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


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, (str, bytes, Mapping)) or not all(isinstance(text, str) for text in value):
        raise TypeError
    return tuple(value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError
    return dict(value)


def _parse_boolean(text: str) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in words:
        raise ValueError
    return words[text.lower()]


def exact_number(text: str) -> Fraction:
    """The exact number that a text stands for (`0.4`, `2/5`, `1e-3`); ValueError where it is none, or a long one.

    A short text can stand for a number that fills the memory (`1e99999999`), so its exponent is looked at first.
    """
    match = _EXACT.fullmatch(text.strip()) if isinstance(text, str) and len(text) <= _LONGEST_NUMBER else None
    if match is None or abs(int(match["exponent"] or 0)) > _LARGEST_EXPONENT:
        raise ValueError(f"{str(text)[:40]!r} is no number of few digits")
    return Fraction(text.strip())


def exact_share(value: Any) -> Fraction:
    """An exact number: 0.4, "0.4", "40%" and "2/5" are the same one. A float counts as the decimal it is written as."""
    if _is_boolean(value):
        raise TypeError
    if isinstance(value, str):
        text = value.strip()
        whole = exact_number(text.removesuffix("%"))
        share = whole / 100 if text.endswith("%") else whole
    else:
        share = value if isinstance(value, Fraction) else exact_number(str(value))
    if share.denominator > _LARGEST_DENOMINATOR:
        raise ValueError
    return share


_LONGEST_NUMBER = 2000  # characters; sums of budgets have long numerators and denominators
_LARGEST_EXPONENT = 400
_EXACT = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE](?P<exponent>[+-]?\d{1,4}))?)", re.ASCII)
_LARGEST_DENOMINATOR = 10**9  # products with any count of people stay below 2**63
IN_WORDS: dict[type, str] = {
    int: "an int",
    float: "a finite number",
    bool: "true or false",
    str: "a string",
    tuple: "a list of texts",
    dict: "a table",
    Fraction: "a number of few digits such as 0.4, 40% or 2/5",
}
_CONVERTERS: dict[type, Any] = {
    int: _integer,
    float: _number,
    bool: _boolean,
    str: _string,
    tuple: _texts,
    dict: _table,
    Fraction: exact_share,
}
_PARSERS: dict[type, Any] = {
    int: int,
    float: float,
    bool: _parse_boolean,
    str: str,
    tuple: lambda text: [part.strip() for part in text.split(",") if part.strip()],
    Fraction: str,
}
