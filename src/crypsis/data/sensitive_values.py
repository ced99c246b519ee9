"""Which values of which sensitive attributes must not be learned, and how sure an adversary may become of each.

A file is JSON: {"fare": ["student", "job seeker"], "ward": {"values": ["oncology"], "C": "30%"}}. Typed, it is
`fare=student,fare=job seeker`; `all` stands for every value that occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from crypsis.data.formats.compression import existing_file
from crypsis.data.formats.lines import read_lines
from crypsis.data.stream import Events
from crypsis.errors import BadParameter, BadSensitiveValues, CrypsisError
from crypsis.parameters import Deferred, SideInput, exact_share
from crypsis.strict_json import parse_json
from crypsis.wording import counted

Token = tuple[str, str]  # attribute, value
MEMORY_PER_BYTE = 6.0


class SensitiveValues(SideInput):
    """Tokens (attribute, value), in order; `bounds` gives an attribute a share of its own in place of C."""

    in_words = "sensitive values (a JSON file, ATTRIBUTE=VALUE,…, or all)"

    def __init__(
        self, values: Mapping[str, Iterable[str]], bounds: Mapping[str, Any] | None = None, origin: str = ""
    ) -> None:
        self.tokens: tuple[Token, ...] = tuple(
            sorted({(_text(attribute), _text(value)) for attribute in values for value in _listed(values[attribute])})
        )
        self.bounds: dict[str, Fraction] = {
            _text(attribute): _share(attribute, bound) for attribute, bound in sorted((bounds or {}).items())
        }
        self.origin = origin
        unknown = self.bounds.keys() - set(values)
        if unknown:
            raise BadSensitiveValues(f"A bound is given for {sorted(unknown)[0]!r}, which has no sensitive values.")

    @classmethod
    def from_text(cls, text: str) -> SensitiveValues | EveryValue:
        if text == "all":
            return EVERY_VALUE
        if "=" in text or not text:
            values: dict[str, list[str]] = {}
            for pair in filter(None, text.split(",")):
                attribute, equals, value = pair.partition("=")
                if not equals or not attribute or not value:
                    raise BadSensitiveValues(f"Sensitive values are typed ATTRIBUTE=VALUE, got {pair!r}.")
                values.setdefault(attribute, []).append(value)
            return cls(values)
        return cls.from_file(text)

    @classmethod
    def from_file(cls, path: str | Path) -> SensitiveValues:
        """Read the JSON file that the module describes."""
        file = existing_file(path)
        lines, _ = read_lines(file, MEMORY_PER_BYTE)
        try:
            return cls.from_json(parse_json("\n".join(lines.to_list())))
        except CrypsisError:
            raise
        except ValueError as error:
            raise BadSensitiveValues(f"The file is no JSON: {error}.", where=str(file)) from error

    def on(self, shown: Iterable[Token]) -> SensitiveValues:
        """The values; where only the recipe `all` is known, those that are shown."""
        if self.tokens or not self.origin:
            return self
        values: dict[str, list[str]] = {}
        for attribute, value in shown:
            values.setdefault(attribute, []).append(value)
        return SensitiveValues(values, origin=self.origin)

    def to_json(self) -> dict[str, Any]:
        """What the publisher listed; of `all` no more than that, for the values tell what occurred."""
        if self.origin:
            return {"recipe": self.origin}
        described: dict[str, Any] = {}
        for attribute, value in self.tokens:
            described.setdefault(attribute, {"values": []})["values"].append(value)
        for attribute, bound in self.bounds.items():
            described.setdefault(attribute, {"values": []})["C"] = str(bound)
        return described

    @classmethod
    def from_json(cls, content: Any) -> SensitiveValues:
        if not isinstance(content, dict):
            raise BadSensitiveValues(f"Sensitive values are an object of attributes, got {content!r}.")
        if content.get("recipe") == str(EVERY_VALUE):
            return cls({}, origin=str(EVERY_VALUE))
        values, bounds = {}, {}
        for attribute, listed in content.items():
            if isinstance(listed, dict):
                values[attribute] = listed.get("values", ())
                if listed.get("C") is not None:
                    bounds[attribute] = listed["C"]
            else:
                values[attribute] = listed
        return cls(values, bounds)

    def shares(self, C: Fraction) -> list[Fraction]:
        """The bound of each token."""
        return [self.bounds.get(attribute, C) for attribute, _ in self.tokens]

    def __len__(self) -> int:
        return len(self.tokens)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SensitiveValues) and (self.tokens, self.bounds) == (other.tokens, other.bounds)

    def __hash__(self) -> int:
        return hash((self.tokens, tuple(self.bounds.items())))

    def __str__(self) -> str:
        if self.origin:  # a reader of a release does not know how many there were
            return self.origin
        attributes = len({attribute for attribute, _ in self.tokens})
        return f"{counted(len(self), 'sensitive value')} of {counted(attributes, 'attribute')}"


@dataclass(frozen=True)
class EveryValue(Deferred):
    """Every value that occurs in the sensitive attributes of a recorded stream."""

    makes = SensitiveValues

    def make(self, data: Events) -> SensitiveValues:
        return SensitiveValues({part.name: part.vocabulary.labels for part in data.sensitive}, origin="all")

    def __str__(self) -> str:
        return "all"


EVERY_VALUE = EveryValue()


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise BadSensitiveValues(f"Attributes and their values are texts, got {value!r}.")
    return value


def _listed(values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadSensitiveValues(f"The sensitive values of an attribute are a list, got {values!r}.")
    return list(values)


def _share(attribute: str, bound: Any) -> Fraction:
    try:
        share = exact_share(bound)
    except (TypeError, ValueError, ArithmeticError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise BadParameter(f"C of {attribute!r} must be a share from 0 to 1, got {bound!r}.", parameter="C")
    return share
